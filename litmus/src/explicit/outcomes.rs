//! Every outcome that a model allows, as the values of given variables: what a histogram of runs is
//! compared with.

use std::collections::BTreeSet;

use margay_models::bits::Event;

use super::cycle::CycleValues;
use super::search::{FoundExecution, SearchEffort, SearchGoal, SearchWorkspace, SkeletonSearch};
use super::{Error, ExplicitRunner, Options};
use crate::cells;
use crate::outcome::Outcome;
use crate::test::{ConditionOperand, NumberComparison, Proposition, Test, Variable};
use crate::unfold::Skeleton;
use crate::verdict::Witness;

/// The outcomes that a model allows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// The final values of the variables, in their order.
    pub values: BTreeSet<Vec<i64>>,
    /// Was a loop cut off, so that there may be more?
    pub bounded: bool,
    /// For each location of the test, the value that is its address.
    pub addresses: Vec<i64>,
}

impl ExplicitRunner {
    /// All outcomes of a test that pass its filter. Each is found by a search of its own, which
    /// excludes those found before.
    pub fn outcomes(
        &mut self,
        test: &Test,
        variables: &[Variable],
        options: &Options,
    ) -> Result<Outcomes, Error> {
        self.outcomes_with_executions(test, variables, options, &mut |_, _| {})
    }

    /// The same; `see` gets each outcome with an execution that has it.
    pub fn outcomes_with_executions(
        &mut self,
        test: &Test,
        variables: &[Variable],
        options: &Options,
        see: &mut dyn FnMut(&[i64], Witness),
    ) -> Result<Outcomes, Error> {
        cells::one_size_each(test)?;
        let unfolding = self.questions.unfold(test, options)?;
        unfolding.can_be_enumerated()?;
        let cycles = CycleValues::new(&unfolding);
        let mut axioms = self.questions.axioms.clone();
        let mut effort = SearchEffort::new(options);
        let addresses = (0..test.locations.len()).map(|l| unfolding.address(l)).collect();
        let mut outcomes =
            Outcomes { values: BTreeSet::new(), bounded: unfolding.bounded, addresses };
        // A comparison of each variable with itself makes the search settle its value.
        let all_known = variables.iter().map(|v| {
            let side = ConditionOperand::Variable(v.clone());
            Proposition::Compare {
                comparison: NumberComparison::Equal,
                left: side.clone(),
                right: side,
            }
        });
        let all_known: Vec<Proposition> = all_known.collect();
        for number in 0..unfolding.len() {
            let chosen = unfolding.chosen(number);
            if unfolding.is_unmet(&chosen) {
                continue;
            }
            let skeleton = unfolding.skeleton_in_a_word(&chosen)?;
            loop {
                let wanted = skeleton
                    .asked
                    .filter
                    .iter()
                    .chain(&all_known)
                    .map(|p| (Outcome::new(p, &skeleton), true));
                let known = outcomes
                    .values
                    .iter()
                    .map(|values| (Outcome::new(&valuation(variables, values), &skeleton), false));
                let goal = SearchGoal { outcomes: wanted.chain(known).collect(), check: None };
                let mut engine = SearchWorkspace {
                    plan: &self.plan,
                    machine: &mut self.machine,
                    judge: &mut self.judge,
                    axioms: &mut axioms,
                    effort: &mut effort,
                    cycles: &cycles,
                    number,
                    twins: Vec::new(),
                    list: None,
                };
                let found =
                    SkeletonSearch::new(&mut engine, &skeleton, &goal, self.questions.signature)
                        .run();
                let Some(found) = found else { break };
                let values: Vec<i64> =
                    variables.iter().map(|v| value(v, &found, &skeleton).unwrap_or(0)).collect();
                if outcomes.values.contains(&values) {
                    break;
                }
                let FoundExecution { execution, finals } = found;
                see(
                    &values,
                    Witness {
                        execution,
                        finals,
                        paths: chosen.clone(),
                        places: skeleton.places.clone(),
                    },
                );
                outcomes.values.insert(values);
            }
            if let Some(spent) = &effort.spent {
                return Err(spent.clone());
            }
        }
        Ok(outcomes)
    }
}

/// Each variable has its value.
fn valuation(variables: &[Variable], values: &[i64]) -> Proposition {
    Proposition::all(
        variables.iter().zip(values).map(|(v, n)| Proposition::equals(v.clone(), *n)).collect(),
    )
}

fn value(variable: &Variable, found: &FoundExecution, skeleton: &Skeleton) -> Option<i64> {
    let of = |e: Event| found.execution.events[e.index()].value;
    match variable {
        Variable::Register { thread, name } => {
            skeleton.evaluate(*thread, skeleton.register(*thread, name)?, of)
        }
        Variable::Location(name) => of(found.finals[usize::from(skeleton.physical(name)?)]?),
    }
}
