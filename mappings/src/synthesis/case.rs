//! One case: the minimal tests of a thread shape.

use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::{Execution, Kind};
use margay_models::model::Model;
use margay_solver::{Atom, Encoding, Expr, Formula, Instance, Literal, Outcome, Relation, Session};

use super::options::SynthesisOptions;
use crate::check::{Fault, canonical, witness};
use crate::compare::explanation::{Explanation, explanation};
use crate::encode::atoms::{Atoms, Place};
use crate::encode::shape::Shape;
use crate::encode::symmetry::equal_threads;
use crate::encode::{Change, Comparison, Suite};
use crate::language::Mapping;

/// What all cases of one bound share.
pub struct Setting<'a> {
    /// The model.
    pub model: &'a Model,
    /// The identity.
    pub mapping: &'a Mapping,
    /// The formulas.
    pub suite: &'a Suite,
    /// The violation of some axiom.
    pub forbidden: Formula,
    /// Options.
    pub options: &'a SynthesisOptions,
}

/// A minimal test.
#[derive(Debug, Clone)]
pub struct Found {
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
    pub found: Vec<Found>,
    /// Was no limit reached?
    pub complete: bool,
    /// Candidates whose outcome another coherence order explains.
    pub explained: usize,
}

/// Finds them.
///
/// # Errors
/// The engines disagree.
pub fn tests(setting: &Setting<'_>, shape: &Shape) -> Result<Tests, Fault> {
    let suite = setting.suite;
    let mut comparison: Comparison = suite.comparison.clone();
    let v = comparison.vocabulary.clone();
    let atoms = Atoms::new(shape, v.content.slots);
    let limits = setting.options.limits();
    let mut session = Session::new(suite.bounds(&atoms), Encoding::default(), &setting.options.backend);
    let threads = shape.threads();
    let exists = |change: &Change| !matches!(change, Change::Apart(t, _) if *t >= threads);
    let minimal = suite.minimal.iter().filter(|(change, _)| exists(change)).map(|&(_, f)| f);
    let formulas: Vec<Formula> =
        comparison.wellformed.iter().copied().chain(suite.dependencies.iter().copied()).chain(minimal).collect();
    for formula in formulas {
        session.assert(&comparison.logic, formula);
    }
    session.assert(&comparison.logic, setting.forbidden);
    for vectors in equal_threads(&v, &atoms) {
        let pairs: Vec<[Literal; 2]> =
            vectors.into_iter().map(|pair| pair.map(|(r, p)| session.tuple(r, &[atoms.atom(p)]))).collect();
        session.add_lexicographic(&pairs);
    }
    let last = comparison.finals();
    let finals = session.cells(&comparison.logic, last);
    let mut tests = Tests { found: Vec::new(), complete: true, explained: 0 };
    loop {
        let instance = match session.solve(&[], &limits)? {
            Outcome::Unsat => return Ok(tests),
            Outcome::Unknown => {
                tests.complete = false;
                return Ok(tests);
            }
            Outcome::Sat(instance) => instance,
        };
        let (bounds, backend) = (v.bounds(&atoms), &setting.options.backend);
        match explanation(&mut comparison, 0, setting.model, bounds, &instance, backend, &limits)? {
            Explanation::Unknown => {
                tests.complete = false;
                return Ok(tests);
            }
            Explanation::Found(orders) => {
                tests.explained += 1;
                let unexplained = orders.unexplained(&mut comparison, setting.model);
                session.assert(&comparison.logic, unexplained);
                continue;
            }
            Explanation::None => {}
        }
        let witness = witness(setting.mapping, &v, &atoms, &instance)
            .ok_or_else(|| Fault::Disagreement("an instance could not be read back".to_owned()))?;
        let key = key(&witness.target, &witness.target_finals);
        if !tests.found.iter().any(|f| f.key == key) {
            tests.found.push(Found { execution: witness.target, finals: witness.target_finals, key });
        }
        block(&mut session, &comparison, &atoms, &instance, (last, &finals));
    }
}

/// From now on another test: other instructions, places, reads-from or last writes.
fn block(
    session: &mut Session,
    comparison: &Comparison,
    atoms: &Atoms,
    instance: &Instance,
    finals: (Expr, &[(Vec<Atom>, Literal)]),
) {
    let v = &comparison.vocabulary;
    let n = atoms.events();
    let event = Place::Event;
    let pairs = |from: &dyn Fn(usize) -> Place| -> Vec<Vec<Place>> {
        (0..n).flat_map(|a| (0..n).map(move |b| (a, b))).map(|(a, b)| vec![from(a), event(b)]).collect()
    };
    let mut tuples: Vec<(Relation, Vec<Place>)> = Vec::new();
    for relation in v.construct.iter().map(|&(_, r)| r).chain(v.scope.iter().map(|&(_, r)| r)) {
        tuples.extend((0..n).map(|e| (relation, vec![event(e)])));
    }
    for relation in [v.at, v.rf].into_iter().chain(v.dependencies) {
        tuples.extend(pairs(&event).into_iter().map(|p| (relation, p)));
    }
    tuples.extend(pairs(&Place::Init).into_iter().map(|p| (v.rf, p)));
    let threads = atoms.shape.threads();
    for &(_, relation) in &v.together {
        let all = (0..threads).flat_map(|s| (s + 1..threads).map(move |t| vec![Place::Thread(s), Place::Thread(t)]));
        tuples.extend(all.map(|p| (relation, p)));
    }
    let mut clause = Vec::new();
    for (relation, places) in tuples {
        let tuple: Vec<_> = places.iter().map(|&p| atoms.atom(p)).collect();
        let literal = session.tuple(relation, &tuple);
        clause.push(if instance.contains(relation, &tuple) { !literal } else { literal });
    }
    let last = instance.evaluate(&comparison.logic, finals.0);
    clause.extend(finals.1.iter().map(|(tuple, literal)| if last.contains(tuple) { !*literal } else { *literal }));
    session.add_clause(&clause);
}

/// Equal for isomorphic tests: of coherence order only the last writes count, and no Fence-SC order.
fn key(execution: &Execution, finals: &[Option<Event>]) -> Vec<u8> {
    let mut test = execution.clone();
    test.co = BitMatrix::new(test.size());
    test.sync_fence = BitMatrix::new(test.size());
    for last in finals.iter().flatten() {
        let here = |e: &Event| {
            let data = &test.events[e.index()];
            data.kind == Kind::Write && data.location == test.events[last.index()].location && e != last
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
