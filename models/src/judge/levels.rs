//! The values of a model for one execution, with the history of its fixpoints: which pair came in
//! which round. A pair that came in round `k` follows from pairs of earlier rounds, so that
//! explanations of recursive definitions end.

use rustc_hash::FxHashMap;

use super::run::{Machine, plan};
use crate::bits::EventRows;
use crate::evaluate::{Fixpoint, PlanStep};
use crate::execution::Execution;
use crate::model::{ExprId, GroupId, Model};

/// Within which round of which fixpoint an expression is looked at; `None` for the final values.
pub(crate) type Moment = Option<(GroupId, usize)>;

/// All values, now and in every round.
pub(crate) struct Levels {
    /// The final values.
    machine: Machine,
    /// For each fixpoint, for each round (from 1 on, the first entry is empty) the values of what
    /// it computes.
    rounds: FxHashMap<GroupId, Vec<FxHashMap<ExprId, Vec<u64>>>>,
    /// For each node the one that holds its value.
    holder: Vec<ExprId>,
}

impl Levels {
    /// Evaluates what an expression needs.
    pub(crate) fn new(model: &Model, execution: &Execution, root: ExprId) -> Self {
        let plan = plan(model, [root]);
        let mut machine = Machine::run_plan(&plan, execution);
        let mut rounds = FxHashMap::default();
        for step in plan.steps() {
            if let PlanStep::Iterate(fixpoint) = step {
                rounds.insert(fixpoint.group, history(&mut machine, fixpoint));
            }
        }
        Self { machine, rounds, holder: plan.holder.clone() }
    }

    pub(crate) fn rows(&self, id: ExprId, moment: Moment) -> EventRows<'_> {
        let at_moment = moment.and_then(|(group, round)| {
            self.rounds.get(&group)?.get(round)?.get(&self.holder[id.index()])
        });
        at_moment.map_or_else(
            || self.machine.rows(id),
            |words| EventRows::new(self.machine.events(), words),
        )
    }

    /// The first round of a fixpoint, up to `last`, in which `id` (a body of the group) has what
    /// `has` looks for.
    pub(crate) fn first_round(
        &self,
        group: GroupId,
        id: ExprId,
        last: Option<usize>,
        has: impl Fn(EventRows<'_>) -> bool,
    ) -> Option<usize> {
        let rounds = self.rounds.get(&group)?.len();
        (1..rounds.min(last.map_or(rounds, |l| l + 1)))
            .find(|&round| has(self.rows(id, Some((group, round)))))
    }
}

/// Runs a fixpoint again and keeps the values of each round; the members in round `k` have the
/// values of their bodies in round `k - 1`.
fn history(machine: &mut Machine, fixpoint: &Fixpoint) -> Vec<FxHashMap<ExprId, Vec<u64>>> {
    machine.restart(fixpoint);
    let mut rounds = vec![FxHashMap::default()];
    loop {
        let mut values: FxHashMap<ExprId, Vec<u64>> = fixpoint
            .members
            .iter()
            .map(|&(member, _)| (member, machine.words(member).to_vec()))
            .collect();
        machine.compute(fixpoint);
        values.extend(fixpoint.operations.iter().map(|o| (o.to, machine.words(o.to).to_vec())));
        let bodies: Vec<Vec<u64>> =
            fixpoint.members.iter().map(|&(_, body)| machine.words(body).to_vec()).collect();
        let mut changed = false;
        for (&(member, _), body) in fixpoint.members.iter().zip(&bodies) {
            changed |= values[&member] != *body;
            machine.assign(member, body);
        }
        rounds.push(values);
        if !changed {
            return rounds;
        }
    }
}
