//! Guards: `if (r == v)` around the rest of the thread, `v` being what the read returns in the execution that is searched for.
//! They remove executions from the source and cost control dependencies in the target.

use margay_solver::{Formula, Logic};

use super::source::Source;
use super::vocabulary::Vocabulary;

/// What guards mean for the dependencies: everything after a guard is control-dependent on its read, and nothing else depends on
/// anything. (A read-modify-write is one instruction: its write comes before the test of its read.)
pub fn dependencies(logic: &mut Logic, v: &Vocabulary, source: &Source) -> Vec<Formula> {
    let [addr, data, ctrl] = v.dependencies.map(|r| logic.rel(r));
    let (guard, po) = (logic.rel(v.guard), logic.rel(v.po));
    let later = logic.difference(po, source.rmw);
    let guarded = logic.restrict_domain(guard, later);
    let guarding = logic.domain(guarded);
    vec![
        logic.subset(guard, source.reads),
        logic.subset(guard, guarding),
        logic.equal(ctrl, guarded),
        logic.no(addr),
        logic.no(data),
    ]
}
