//! Is a counterexample one of the baseline, too?

use margay_litmus::engine::Runner;
use margay_litmus::explicit;
use margay_litmus::unfold::ExecutionProgram;
use margay_models::bits::Event;
use margay_solver::{Encoding, Instance, Session, SessionOutcome, TupleSet};

use super::{Baseline, OldCandidate, OldOrders};
use crate::change::{OperationUse, compile, uses};
use crate::check::options::CheckOptions;
use crate::encode::MappingProblem;
use crate::encode::atoms::Atoms;
use crate::language::Lowering;
use crate::level::Level;
use crate::naming;
use crate::search::{RecordedInstance, linear};
use crate::witness::{SearchFault, WitnessPair};

/// At most so many mixtures of the baseline's alternatives are tried for a candidate.
const MOST_MIXTURES: usize = 4096;

/// Whose a counterexample is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BaselineStanding {
    /// The baseline does not have it, or says nothing of one of its operations: it is new.
    New,
    /// The baseline has it, too.
    Old(OldCandidate),
    /// It is not known.
    Unknown,
}

/// Decides whether the baseline has a counterexample.
pub struct BaselineRefuter<'a> {
    baseline: &'a Baseline,
    runner: Runner,
}

impl<'a> BaselineRefuter<'a> {
    /// Prepares a baseline.
    pub fn new(baseline: &'a Baseline) -> Self {
        Self { baseline, runner: Runner::new(&baseline.mapping.target) }
    }

    pub fn baseline(&self) -> &'a Baseline {
        self.baseline
    }

    /// Does the baseline have this counterexample?
    ///
    /// # Errors
    /// The solver failed.
    pub fn standing(
        &mut self,
        (problem, options): (&mut MappingProblem, &CheckOptions),
        (atoms, instance): (&Atoms, &Instance),
        witness: &WitnessPair,
    ) -> Result<BaselineStanding, SearchFault> {
        if self.baseline.is_searchable(&problem.vocabulary) {
            for variant in 0..self.baseline.variants.len() {
                match self.orders(problem, options, (atoms, instance), variant)? {
                    None => return Ok(BaselineStanding::Unknown),
                    Some(Some(orders)) => {
                        return Ok(BaselineStanding::Old(OldCandidate::Legal(orders)));
                    }
                    Some(None) => {}
                }
            }
        }
        // The same execution is asked for, not another one of the program.
        if options.level == Level::Execution {
            return Ok(BaselineStanding::New);
        }
        Ok(match self.has_outcome(witness, options) {
            None => BaselineStanding::Unknown,
            Some(false) => BaselineStanding::New,
            Some(true) => BaselineStanding::Old(OldCandidate::Outcome(RecordedInstance::new(
                &problem.logic,
                instance,
            ))),
        })
    }

    /// Orders with which the baseline's execution of a candidate is legal, if there are such.
    /// `None` if a limit was reached.
    fn orders(
        &self,
        problem: &mut MappingProblem,
        options: &CheckOptions,
        (atoms, instance): (&Atoms, &Instance),
        variant: usize,
    ) -> Result<Option<Option<OldOrders>>, SearchFault> {
        let formula = self.baseline.legal(problem, variant, None);
        let v = problem.vocabulary.clone();
        let mut bounds = v.bounds(atoms);
        for relation in v
            .searched()
            .chain(v.mo_descending)
            .chain(v.data.iter().copied())
            .filter(|r| ![v.related, v.fence_order].contains(r))
        {
            if let Some(tuples) = instance.tuples(relation) {
                bounds.exactly(relation, tuples.clone());
            }
        }
        let mut session = Session::new(bounds, Encoding::default(), &options.backend);
        session.set_limits(options.limits());
        session.assert(&problem.logic, formula);
        Ok(match session.solve(&[], &options.limits())? {
            SessionOutcome::Sat(found) => {
                let of =
                    |relation| found.tuples(relation).cloned().unwrap_or_else(|| TupleSet::new(2));
                let (related, fences) = (of(v.related), of(v.fence_order));
                let all = |relation| {
                    v.bounds(atoms)
                        .get(relation)
                        .map_or_else(|| TupleSet::new(2), |(_, upper)| upper.clone())
                };
                let (all_related, places) = (all(v.related), all(v.fence_order));
                let places =
                    TupleSet::from_tuples(1, places.iter().flat_map(|pair| [[pair[0]], [pair[1]]]));
                let in_line = linear(&fences, &places);
                // Orders of everything say of the most programs that the baseline allows them: few
                // are learned then.
                let wider =
                    [(&all_related, &in_line), (&all_related, &fences), (&related, &in_line)];
                let wider = wider.map(|(related, fences)| OldOrders {
                    variant,
                    related: related.clone(),
                    fences: fences.clone(),
                });
                let allows = |orders: &OldOrders| {
                    let legal = self.baseline.legal(problem, variant, Some(orders));
                    instance.holds(&problem.logic, legal)
                };
                let widest = wider.into_iter().find(allows);
                Some(Some(widest.unwrap_or(OldOrders { variant, related, fences })))
            }
            SessionOutcome::Unsat => Some(None),
            SessionOutcome::Unknown => None,
        })
    }

    /// Can the program have its outcome, whatever the baseline chooses? `None` if it is not known.
    pub fn has_outcome(&mut self, witness: &WitnessPair, options: &CheckOptions) -> Option<bool> {
        let mapping = &self.baseline.mapping;
        let WitnessPair { source, target, origin, finals, .. } = witness;
        let (named, uses) =
            (naming::name(mapping, source, target, origin)?, uses(mapping, source)?);
        let choices: Vec<&Vec<Lowering>> =
            named.operations.iter().map(|o| &self.baseline.said[o.row][o.alternative]).collect();
        let count = choices
            .iter()
            .try_fold(1_usize, |n, c| n.checked_mul(c.len()))
            .filter(|&n| n <= MOST_MIXTURES)?;
        for mut number in 0..count {
            let chosen: Vec<&Lowering> = choices
                .iter()
                .map(|of| {
                    let one = &of[number % of.len()];
                    number /= of.len();
                    one
                })
                .collect();
            if self.runs_to(witness, &uses, &chosen, finals, options)? {
                return Some(true);
            }
        }
        Some(false)
    }

    fn runs_to(
        &mut self,
        WitnessPair { source, .. }: &WitnessPair,
        uses: &[OperationUse],
        chosen: &[&Lowering],
        finals: &[Option<Event>],
        options: &CheckOptions,
    ) -> Option<bool> {
        let (target, finals) = compile(&self.baseline.mapping, source, uses, chosen, finals)?;
        let program = ExecutionProgram::of(&target, &finals).ok()?;
        let limits =
            explicit::Options { deadline: options.deadline, ..explicit::Options::default() };
        self.runner.run_program(&program, &limits).ok().map(|verdict| verdict.reachable)
    }
}
