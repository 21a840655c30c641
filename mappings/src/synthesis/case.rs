//! One case: the minimal tests of a thread shape.

use std::borrow::Cow;

use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::{Execution, Kind};
use margay_models::model::Model;
use margay_solver::{Atom, Backend, Bounds, Formula, Relation, SolverLimits};

use super::options::SynthesisOptions;
use crate::encode::atoms::{AtomPlace, Atoms};
use crate::encode::shape::ThreadShape;
use crate::encode::vocabulary::MappingVocabulary;
use crate::encode::{ModelComparison, Relaxation, SuiteSearch};
use crate::language::Mapping;
use crate::search::{
    Candidate, CandidateFate, Case, CaseFinding, Orders, Question, Start, explanation,
};
use crate::witness::{SearchFault, canonical, witness};

/// What all cases of one bound share.
pub struct SynthesisSetting<'a> {
    pub model: &'a Model,
    /// The identity.
    pub mapping: &'a Mapping,
    /// The formulas.
    pub suite: &'a SuiteSearch,
    /// The violation of some axiom.
    pub forbidden: Formula,
    pub options: &'a SynthesisOptions,
}

/// A minimal test.
#[derive(Debug, Clone)]
pub struct TestCandidate {
    /// An execution that has the outcome.
    pub execution: Execution,
    /// The last write of each location.
    pub finals: Vec<Option<Event>>,
    /// Equal for isomorphic tests.
    pub key: Vec<u8>,
}

/// The minimal tests of a shape; the flag says whether these are all.
pub struct Tests {
    /// The tests, one for each class.
    pub found: Vec<TestCandidate>,
    /// Was no limit reached?
    pub complete: bool,
    /// Candidates whose outcome another coherence order explains.
    pub explained: usize,
}

impl<'a> Question for SynthesisSetting<'a> {
    type QuestionFormulas = ModelComparison;
    type Lesson = Orders;
    /// A copy for the search for other orders.
    type Refuter = Cow<'a, ModelComparison>;

    fn formulas(&self) -> &ModelComparison {
        &self.suite.comparison
    }

    fn bounds(&self, atoms: &Atoms) -> Bounds {
        self.suite.bounds(atoms)
    }

    fn holds(&self, atoms: &Atoms) -> Vec<Formula> {
        let SuiteSearch { comparison, minimal, dependencies, .. } = self.suite;
        let threads = atoms.shape.threads();
        let exists =
            |change: &Relaxation| !matches!(change, Relaxation::Apart(t, _) if *t >= threads);
        let minimal = minimal.iter().filter(|(change, _)| exists(change)).map(|&(_, f)| f);
        let formulas = comparison
            .wellformed
            .iter()
            .copied()
            .chain(dependencies.iter().copied())
            .chain(minimal);
        formulas.chain([self.forbidden]).collect()
    }

    fn refuter(&self) -> Cow<'a, ModelComparison> {
        Cow::Borrowed(&self.suite.comparison)
    }

    /// Does another coherence order explain the outcome?
    fn refute(
        &self,
        explaining: &mut Cow<'a, ModelComparison>,
        candidate: &Candidate<'_, Orders>,
    ) -> Result<CandidateFate<Orders>, SearchFault> {
        let options = self.options;
        Ok(explanation(
            explaining.to_mut(),
            (0, self.model),
            candidate,
            (&options.backend, &options.limits()),
        )?)
    }

    fn excluded(
        &self,
        _: &Cow<'a, ModelComparison>,
        comparison: &mut ModelComparison,
        _: &Atoms,
        orders: &Orders,
    ) -> Option<Formula> {
        Some(orders.unexplained(comparison, self.model))
    }

    fn backend(&self) -> &Backend {
        &self.options.backend
    }

    fn limits(&self) -> SolverLimits {
        self.options.limits()
    }
}

/// Finds the minimal tests of a shape.
///
/// # Errors
/// The engines disagree.
pub fn tests(setting: &SynthesisSetting<'_>, shape: &ThreadShape) -> Result<Tests, SearchFault> {
    let v = &setting.suite.comparison.vocabulary;
    let mut case = Case::new(setting, Atoms::new(shape, v.content.slots), Start::Solver);
    let last = case.formulas.to_mut().finals();
    let finals = case.session.cells(&case.formulas.logic, last);
    let told = told(&case.atoms, v);
    let mut found: Vec<TestCandidate> = Vec::new();
    let complete = loop {
        let instance = match case.solve(&[])? {
            CaseFinding::One(instance, ()) => instance,
            CaseFinding::None => break true,
            CaseFinding::Unknown(_) => break false,
        };
        let witness = witness(setting.mapping, v, &case.atoms, &instance).ok_or_else(|| {
            SearchFault::Disagreement("an instance could not be read back".to_owned())
        })?;
        let key = key(&witness.target, &witness.target_finals);
        if !found.iter().any(|f| f.key == key) {
            found.push(TestCandidate {
                execution: witness.target,
                finals: witness.target_finals,
                key,
            });
        }
        // From now on another test: other instructions, places, reads-from or last writes.
        let ends = instance.evaluate(&case.formulas.logic, last);
        let other = finals
            .iter()
            .map(|(tuple, literal)| if ends.contains(tuple) { !*literal } else { *literal });
        case.block(&instance, told.iter().cloned(), other.collect());
    };
    Ok(Tests { found, complete, explained: case.learned.len() })
}

/// The tuples that tell the executions of one test from those of another.
fn told(atoms: &Atoms, v: &MappingVocabulary) -> Vec<(Relation, Vec<Atom>)> {
    let n = atoms.events();
    let event = AtomPlace::Event;
    let pairs = |from: &dyn Fn(usize) -> AtomPlace| -> Vec<Vec<AtomPlace>> {
        (0..n)
            .flat_map(|a| (0..n).map(move |b| (a, b)))
            .map(|(a, b)| vec![from(a), event(b)])
            .collect()
    };
    let mut tuples: Vec<(Relation, Vec<AtomPlace>)> = Vec::new();
    for relation in v.construct.iter().map(|&(_, r)| r).chain(v.scope.iter().map(|&(_, r)| r)) {
        tuples.extend((0..n).map(|e| (relation, vec![event(e)])));
    }
    for relation in [v.at, v.rf].into_iter().chain(v.dependencies) {
        tuples.extend(pairs(&event).into_iter().map(|p| (relation, p)));
    }
    tuples.extend(pairs(&AtomPlace::Init).into_iter().map(|p| (v.rf, p)));
    let threads = atoms.shape.threads();
    for &(_, relation) in &v.together {
        let all = (0..threads).flat_map(|s| {
            (s + 1..threads).map(move |t| vec![AtomPlace::Thread(s), AtomPlace::Thread(t)])
        });
        tuples.extend(all.map(|p| (relation, p)));
    }
    tuples
        .into_iter()
        .map(|(relation, places)| (relation, places.iter().map(|&p| atoms.atom(p)).collect()))
        .collect()
}

/// Equal for isomorphic tests: of coherence order only the last writes count, and no Fence-SC
/// order.
fn key(execution: &Execution, finals: &[Option<Event>]) -> Vec<u8> {
    let mut test = execution.clone();
    test.co = BitMatrix::new(test.size());
    test.sync_fence = BitMatrix::new(test.size());
    for last in finals.iter().flatten() {
        let here = |e: &Event| {
            let data = &test.events[e.index()];
            data.kind == Kind::Write
                && data.location == test.events[last.index()].location
                && e != last
        };
        let others: Vec<Event> = (0..test.size()).map(Event::from).filter(here).collect();
        others.into_iter().for_each(|e| test.co.insert(e, *last));
    }
    let describe = |order: &Vec<usize>| {
        let mut out = Vec::new();
        canonical::one_side(&test, order, true, &mut out);
        out
    };
    canonical::permutations(test.threads.len()).iter().map(describe).min().unwrap_or_default()
}
