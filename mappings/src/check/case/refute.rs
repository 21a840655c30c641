//! What refutes a candidate of a check: a modification order that explains its outcome, or a race
//! of its program.

use std::borrow::Cow;

use margay_solver::{
    Atom, Backend, Encoding, Formula, Instance, Session, SessionOutcome, SolverLimits,
    SolverOptions, TupleSet,
};

use super::CheckSetting;
use crate::check::baseline::{BaselineRefuter, BaselineStanding};
use crate::check::program::{self, ProgramRefuter, Taught};
use crate::encode::MappingProblem;
use crate::encode::atoms::{AtomPlace, Atoms};
use crate::level::{CoReading, Level};
use crate::search::{Candidate, CandidateFate, Orders, Question, linear};
use crate::witness::{SearchFault, WitnessPair, witness};

/// What refutes the candidates of a case.
pub struct Refuters<'a> {
    /// A copy for the search for explanations: what the solver of the case is told must not depend
    /// on it, so that it can be told again.
    explaining: Cow<'a, MappingProblem>,
    /// Decides the questions about programs; at execution level there are none.
    programs: Option<ProgramRefuter>,
    /// Decides whether the baseline has a candidate, too.
    baseline: Option<BaselineRefuter<'a>>,
}

impl<'a> Question for CheckSetting<'a> {
    type QuestionFormulas = MappingProblem;
    type Lesson = Taught;
    type Refuter = Refuters<'a>;

    fn formulas(&self) -> &MappingProblem {
        self.problem
    }

    fn holds(&self, _: &Atoms) -> Vec<Formula> {
        self.problem.hard.clone()
    }

    fn orders_equal_threads(&self) -> bool {
        self.options.techniques.equal_threads
    }

    fn known(&self, refuter: &Refuters<'a>, atoms: &Atoms) -> Vec<Taught> {
        let Some(reasons) = refuter.programs.as_ref().map(ProgramRefuter::reasons) else {
            return Vec::new();
        };
        if reasons.complete {
            return Vec::new();
        }
        self.lessons.iter().flat_map(|lesson| lesson.in_shape(atoms)).map(Taught::Race).collect()
    }

    fn refuter(&self) -> Refuters<'a> {
        Refuters {
            explaining: Cow::Borrowed(self.problem),
            programs: (self.options.level == Level::Program)
                .then(|| ProgramRefuter::new(&self.mapping.source)),
            baseline: self.options.baseline.as_deref().map(BaselineRefuter::new),
        }
    }

    fn refute(
        &self,
        refuter: &mut Refuters<'a>,
        candidate: &Candidate<'_, Taught>,
    ) -> Result<CandidateFate<Taught>, SearchFault> {
        let Refuters { explaining, programs, baseline } = refuter;
        if let Some(programs) = programs {
            return refute_program(self, explaining, (programs, baseline.as_mut()), candidate);
        }
        if self.any_modification_order() || self.problem.vocabulary.content.chosen_fences {
            match refute_by_order(self, explaining, candidate)? {
                CandidateFate::None => {}
                other => return Ok(other),
            }
        }
        let Some(baseline) = baseline else { return Ok(CandidateFate::None) };
        let witness = read_back(self, candidate)?;
        beside(self, baseline, explaining.to_mut(), &witness, candidate)
    }

    fn excluded(
        &self,
        refuter: &Refuters<'a>,
        problem: &mut MappingProblem,
        atoms: &Atoms,
        lesson: &Taught,
    ) -> Option<Formula> {
        match lesson {
            Taught::Order(order) => {
                Some(problem.not_explained_by(self.mapping, Some(order.clone()), None))
            }
            Taught::Orders(Orders { coherence, fences }) => {
                let order = Some(coherence.clone()).filter(|order| !order.is_empty());
                Some(problem.not_explained_by(self.mapping, order, Some(fences.clone())))
            }
            Taught::Race(prefix) => {
                // Single executions have no races with others.
                let reasons = refuter.programs.as_ref()?.reasons();
                let races = problem.races(self.mapping, atoms, prefix, reasons);
                Some(problem.logic.not(races))
            }
            Taught::Old(old) => old.excluded(refuter.baseline.as_ref()?.baseline(), problem, atoms),
        }
    }

    fn encoding(&self) -> Encoding {
        self.options.techniques.encoding
    }

    fn solver_options(&self) -> SolverOptions {
        // For CaDiCaL. Probing between conflicts takes more than it saves in refutations of
        // seconds: without it 15.4 CPU seconds for the paper's operations at 8 events instead of
        // 16.2, 1.9 for SC without scopes at 6 instead of 2.1.
        let mut set = vec![("inprobing".to_owned(), 0)];
        if self.options.level == Level::Program {
            // Many questions are about the same places of a violation: it keeps what is assigned
            // from one to the next (21.3 CPU seconds for Fig. 12 at 7 events become 16.4; among
            // single executions, where questions are few, it saves nothing).
            set.push(("ilb".to_owned(), 1));
        }
        SolverOptions { set, ..SolverOptions::default() }
    }

    fn cases(&self, atoms: &Atoms) -> usize {
        match self.options.level {
            _ if !self.options.techniques.goals_by_cases => 0,
            Level::Execution => 1,
            // So many questions take longer than they save where each is decided at once: 140
            // instead of 119 ms for `rc11-to-ptx` up to 4 events, but 0.69 instead of 0.89 s up
            // to 5.
            Level::Program if atoms.events() < 5 => 0,
            // Of programs a goal is about all axioms at once.
            Level::Program => 2,
        }
    }

    fn backend(&self) -> &Backend {
        &self.options.backend
    }

    fn limits(&self) -> SolverLimits {
        self.options.limits()
    }
}

impl CheckSetting<'_> {
    /// Does a modification order other than the candidate's explain its outcome?
    fn any_modification_order(&self) -> bool {
        self.options.level == Level::Program || self.options.co == CoReading::Exists
    }
}

/// The executions of a candidate.
fn read_back(
    setting: &CheckSetting<'_>,
    candidate: &Candidate<'_, Taught>,
) -> Result<WitnessPair, SearchFault> {
    witness(setting.mapping, &setting.problem.vocabulary, candidate.atoms, candidate.instance)
        .ok_or_else(|| SearchFault::Disagreement("an instance could not be read back".to_owned()))
}

fn refute_program(
    setting: &CheckSetting<'_>,
    explaining: &mut Cow<'_, MappingProblem>,
    (programs, baseline): (&mut ProgramRefuter, Option<&mut BaselineRefuter<'_>>),
    candidate: &Candidate<'_, Taught>,
) -> Result<CandidateFate<Taught>, SearchFault> {
    let witness = read_back(setting, candidate)?;
    // Races are found fastest, and teach most.
    let prefix = match programs.race_of_interleaving(&witness) {
        Some(prefix) => prefix,
        None => match refute_by_order(setting, explaining, candidate)? {
            CandidateFate::None => match programs.run(&witness, setting.options)? {
                program::ProgramRefutation::Races(prefix) => prefix,
                program::ProgramRefutation::None => {
                    return match baseline {
                        None => Ok(CandidateFate::None),
                        Some(baseline) => {
                            beside(setting, baseline, explaining.to_mut(), &witness, candidate)
                        }
                    };
                }
                program::ProgramRefutation::Unknown => return Ok(CandidateFate::Unknown),
            },
            other => return Ok(other),
        },
    };
    let race = Taught::Race(prefix);
    if candidate.learned.contains(&race) {
        let what = "a race did not exclude the program that it was found in:";
        return Err(SearchFault::Disagreement(format!("{what}\n{}", program::litmus(&witness)?)));
    }
    Ok(CandidateFate::Taught(race))
}

/// What becomes of a counterexample that the baseline may have, too.
fn beside(
    setting: &CheckSetting<'_>,
    baseline: &mut BaselineRefuter<'_>,
    problem: &mut MappingProblem,
    witness: &WitnessPair,
    candidate: &Candidate<'_, Taught>,
) -> Result<CandidateFate<Taught>, SearchFault> {
    let standing = baseline.standing(
        (problem, setting.options),
        (candidate.atoms, candidate.instance),
        witness,
    )?;
    Ok(match standing {
        BaselineStanding::New => CandidateFate::None,
        BaselineStanding::Unknown => CandidateFate::Unknown,
        BaselineStanding::Old(old) => {
            let old = Taught::Old(old);
            if candidate.learned.contains(&old) {
                let what = "what the baseline allows did not exclude the program in which it does:";
                return Err(SearchFault::Disagreement(format!(
                    "{what}\n{}",
                    program::litmus(witness)?
                )));
            }
            CandidateFate::Taught(old)
        }
    })
}

fn refute_by_order(
    setting: &CheckSetting<'_>,
    explaining: &mut Cow<'_, MappingProblem>,
    candidate: &Candidate<'_, Taught>,
) -> Result<CandidateFate<Taught>, SearchFault> {
    Ok(match explanation(setting, explaining, candidate.atoms, candidate.instance)? {
        None => CandidateFate::Unknown,
        Some(None) => CandidateFate::None,
        Some(Some(taught)) => CandidateFate::Taught(taught),
    })
}

/// The modification order that explains a candidate, and the order of its fences, as far as they
/// may be chosen; if there are such. `None` if a limit was reached.
fn explanation(
    setting: &CheckSetting<'_>,
    explaining: &mut Cow<'_, MappingProblem>,
    atoms: &Atoms,
    instance: &Instance,
) -> Result<Option<Option<Taught>>, SearchFault> {
    let any_modification_order = setting.any_modification_order();
    let formula = explaining.to_mut().explainable(setting.mapping, any_modification_order);
    let ordered = explaining.to_mut().chosen_fences();
    let v = &explaining.vocabulary;
    let mut bounds = v.bounds(atoms);
    for relation in v.searched() {
        if let Some(tuples) = instance.tuples(relation) {
            bounds.exactly(relation, tuples.clone());
        }
    }
    let n = atoms.events();
    let event = AtomPlace::Event;
    let pairs =
        (0..n).flat_map(|a| (0..n).filter(move |&b| a != b).map(move |b| (event(a), event(b))));
    let pairs = atoms.pairs(pairs);
    for relation in [v.other_order].into_iter().chain(v.other_fences) {
        bounds.between(relation, TupleSet::new(2), pairs.clone());
    }
    let mut session = Session::new(bounds, Encoding::default(), &setting.options.backend);
    session.set_limits(setting.options.limits());
    session.assert(&explaining.logic, formula);
    Ok(match session.solve(&[], &setting.options.limits())? {
        SessionOutcome::Sat(found) => {
            let order = found.tuples(v.other_order).cloned().filter(|_| any_modification_order);
            let Some(fences) = v.other_fences.and_then(|relation| found.tuples(relation)) else {
                return Ok(Some(order.map(Taught::Order)));
            };
            // An order of all fences there are says as much of more programs if it is one of all
            // events.
            let there = instance.evaluate(&explaining.logic, ordered);
            let related =
                |a: Atom, b: Atom| a == b || fences.contains(&[a, b]) || fences.contains(&[b, a]);
            let fences = match there.iter().all(|a| there.iter().all(|b| related(a[0], b[0]))) {
                true => linear(fences, &atoms.set((0..n).map(event))),
                false => fences.clone(),
            };
            Some(Some(Taught::Orders(Orders {
                coherence: order.unwrap_or_else(|| TupleSet::new(2)),
                fences,
            })))
        }
        SessionOutcome::Unsat => Some(None),
        SessionOutcome::Unknown => None,
    })
}
