//! The check once more, by enumeration: every program, every execution of it, every execution of
//! what it is compiled to, each decided by the judge. Shares nothing with `encode` and `check`.

mod back;
mod guarded;
mod lowered;
mod orders;
mod program;
mod source;

use margay_mappings::language::Mapping;
use margay_models::execution::Execution;
use margay_models::judge::{Judge, Judgement};
use margay_models::model::{CheckKind, Model, Role};
use margay_models::signature::Construct;

pub use lowered::legal;
pub use orders::{choices, partial_orders, permutations};
pub use program::{Op, Program, each as each_program};
pub use source::{each as each_execution, other_orders};

/// What is enumerated.
pub struct Search<'a> {
    pub mapping: &'a Mapping,
    pub constructs: &'a [Construct],
    pub typed: bool,
}

/// A legal target execution that reads back as an illegal source execution.
pub struct Found {
    pub source: Execution,
    /// One lowering for each operation of the program.
    pub choices: Vec<usize>,
}

/// The axioms that are asked about unless axioms are named.
pub fn axioms(model: &Model) -> Vec<usize> {
    (0..model.checks.len()).filter(|&i| model.checks[i].role == Role::Axiom).collect()
}

fn is_undefined(model: &Model, judgement: &Judgement) -> bool {
    model.checks.iter().zip(&judgement.holds).any(|(check, &holds)| match check.role {
        Role::UndefinedUnless => !holds,
        Role::Flag => check.negated && check.kind == CheckKind::Empty && holds,
        Role::Axiom | Role::Assert | Role::Race => false,
    })
}

impl Search<'_> {
    /// Is there a counterexample of this many events, for each axiom, whatever the modification
    /// order?
    pub fn universal(&self, events: usize) -> Vec<bool> {
        let asked = axioms(&self.mapping.source);
        let mut found = vec![false; asked.len()];
        let mut target = Judge::new(&self.mapping.target);
        self.illegal(events, &mut |program, execution, judgement, _| {
            let new: Vec<usize> =
                (0..asked.len()).filter(|&i| !found[i] && !judgement.holds[asked[i]]).collect();
            if !new.is_empty()
                && lowered::legal(self.mapping, program, execution, &mut target).is_some()
            {
                new.iter().for_each(|&i| found[i] = true);
            }
            found.contains(&false)
        });
        found
    }

    /// Is there an outcome of this many events that no modification order explains?
    pub fn exists(&self, events: usize) -> bool {
        let mut found = false;
        let mut target = Judge::new(&self.mapping.target);
        self.illegal(events, &mut |program, execution, _, explained| {
            found = !explained(execution)
                && lowered::legal(self.mapping, program, execution, &mut target).is_some();
            !found
        });
        found
    }

    /// The axioms that some execution of one program violates although what it is compiled to
    /// allows it.
    pub fn violations(&self, program: &Program) -> Vec<usize> {
        let model = &self.mapping.source;
        let (mut judge, mut target) = (Judge::new(model), Judge::new(&self.mapping.target));
        let mut found = Vec::new();
        source::each(model.signature, program, &mut |execution| {
            let judgement = judge.judge(execution);
            let new: Vec<usize> = axioms(model)
                .into_iter()
                .filter(|a| !judgement.holds[*a] && !found.contains(a))
                .collect();
            let counts = !new.is_empty() && !is_undefined(model, &judgement);
            if counts && lowered::legal(self.mapping, program, execution, &mut target).is_some() {
                found.extend(new);
            }
            true
        });
        found
    }

    /// Every counterexample to one axiom; one for each choice of lowerings.
    pub fn every(&self, events: usize, axiom: usize) -> Vec<Found> {
        let mut found = Vec::new();
        let mut target = Judge::new(&self.mapping.target);
        self.illegal(events, &mut |program, execution, judgement, _| {
            if !judgement.holds[axiom] {
                let all = lowered::all_legal(self.mapping, program, execution, &mut target);
                found.extend(
                    all.into_iter().map(|choices| Found { source: execution.clone(), choices }),
                );
            }
            true
        });
        found
    }

    /// Visits every source execution that is defined and violates an axiom, until `visit` returns
    /// false. The last argument tells whether another modification order with the same final writes
    /// satisfies all axioms.
    #[allow(clippy::type_complexity, reason = "one visitor, named by its parameters")]
    fn illegal(
        &self,
        events: usize,
        visit: &mut dyn FnMut(
            &Program,
            &Execution,
            &Judgement,
            &mut dyn FnMut(&Execution) -> bool,
        ) -> bool,
    ) {
        let model = &self.mapping.source;
        let asked = axioms(model);
        let mut judge = Judge::new(model);
        let mut other = Judge::new(model);
        program::each(self, events, &mut |program| {
            let mut first = true;
            source::each(model.signature, program, &mut |execution| {
                let judgement =
                    if first { judge.judge(execution) } else { judge.judge_again(execution) };
                first = false;
                if is_undefined(model, &judgement) || asked.iter().all(|&a| judgement.holds[a]) {
                    return true;
                }
                visit(program, execution, &judgement, &mut |execution| {
                    source::other_orders(execution).iter().any(|changed| {
                        let judgement = other.judge(changed);
                        asked.iter().all(|&a| judgement.holds[a])
                    })
                })
            })
        });
    }
}
