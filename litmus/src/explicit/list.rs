//! Every execution with the outcome that a test asks for, and what forbids each.

use super::cycle::CycleValues;
use super::search::{List, SearchEffort, SearchGoal, SearchWorkspace, SkeletonSearch};
use super::{Error, ExplicitRunner, FoundExecution, Options, Witness};
use crate::outcome::asked;
use crate::test::Test;

/// Executions with the outcome that a test asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutionList {
    /// Those that the fewest axioms forbid first, then in the order of the search: of paths,
    /// reads-from, coherence.
    pub executions: Vec<ListedExecution>,
    /// Are these all of them?
    pub is_complete: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedExecution {
    pub witness: Witness,
    /// The axioms that forbid it, by their indices in the model; none of one that is allowed.
    pub forbidden_by: Vec<usize>,
}

impl ExplicitRunner {
    /// The executions with the outcome that a test asks for, at most so many: those that the model
    /// allows (`allowed`), or all candidates. The order is the same each time.
    ///
    /// # Errors
    /// The test cannot be run on the model, or a limit was reached.
    pub fn list(
        &mut self,
        test: &Test,
        options: &Options,
        most: usize,
        allowed: bool,
    ) -> Result<ExecutionList, Error> {
        let unfolding = self.questions.unfold(test, options)?;
        unfolding.can_be_enumerated()?;
        let cycles = CycleValues::new(&unfolding);
        let mut axioms = if allowed { self.questions.axioms.clone() } else { Vec::new() };
        let mut effort = SearchEffort::new(options);
        let mut executions = Vec::new();
        for number in 0..unfolding.len() {
            let chosen = unfolding.chosen(number);
            if unfolding.is_unmet(&chosen) {
                continue;
            }
            let skeleton = unfolding.skeleton_in_a_word(&chosen)?;
            // One more than is wanted says whether these are all.
            let mut list = List { found: Vec::new(), most: most + 1 - executions.len() };
            let goal =
                SearchGoal { outcomes: asked(test.condition.quantifier, &skeleton), check: None };
            let mut engine = SearchWorkspace {
                plan: &self.plan,
                machine: &mut self.machine,
                judge: &mut self.judge,
                axioms: &mut axioms,
                effort: &mut effort,
                cycles: &cycles,
                number,
                list: Some(&mut list),
                twins: Vec::new(),
            };
            SkeletonSearch::new(&mut engine, &skeleton, &goal, self.questions.signature).run();
            if let Some(spent) = &effort.spent {
                return Err(spent.clone());
            }
            for FoundExecution { execution, finals } in list.found {
                let judgement = self.judge.judge(&execution);
                let mut forbidden_by: Vec<usize> = self
                    .questions
                    .axioms
                    .iter()
                    .copied()
                    .filter(|&a| !judgement.holds[a])
                    .collect();
                forbidden_by.sort_unstable();
                let witness = Witness {
                    execution,
                    finals,
                    paths: chosen.clone(),
                    places: skeleton.places.clone(),
                };
                executions.push(ListedExecution { witness, forbidden_by });
            }
            if executions.len() > most {
                break;
            }
        }
        let is_complete = executions.len() <= most;
        executions.truncate(most);
        executions.sort_by_key(|listed| listed.forbidden_by.len());
        Ok(ExecutionList { executions, is_complete })
    }
}
