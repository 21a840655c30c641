//! What the harness does for mbarriers and asynchronous operations, around the accesses of the
//! test: initialises before them, and waits behind them until nothing is under way.

use std::fmt::Write as _;

use margay_litmus::test::{
    AsyncCompletion, AsyncFamily, AsyncOperation, InitialValue, Operation, ProxyFenceKind, Test,
    ThreadId,
};

use super::EmissionPlan;
use super::layout::EmissionLayout;

/// All threads of the test in a cluster meet: a cta must have begun before others access its shared
/// memory, and must not end before they are done.
pub(super) const MEET_CLUSTER: &str =
    "    barrier.cluster.arrive.release;\n    barrier.cluster.wait.acquire;\n";

/// How long a cta stays, in cycles, for an operation that completes on an mbarrier of the test:
/// nothing but the test can ask that mbarrier.
const STAY: u32 = 1 << 15;

/// The rank of a cta of the test in its cluster, as `mapa` and a multicast count: ctas are numbered
/// from the last one on where others stress.
pub(super) fn hardware_rank(layout: &EmissionLayout, cta: u32) -> u32 {
    let rank = cta % layout.cluster;
    if layout.grid > layout.testing { layout.cluster - 1 - rank } else { rank }
}

/// The instructions of a thread.
fn of_thread(test: &Test, thread: usize) -> impl Iterator<Item = &Operation> {
    test.instructions(ThreadId(thread as u16)).iter().map(|i| &i.operation)
}

/// Does an operation of the test access memory through the async proxy?
fn has_async_proxy(test: &Test) -> bool {
    let goes = |o: &Operation| match o {
        Operation::Async(operation) => operation.family != AsyncFamily::Element,
        Operation::ProxyFence(
            ProxyFenceKind::Async | ProxyFenceKind::AsyncGlobal | ProxyFenceKind::AsyncShared,
        ) => true,
        _ => false,
    };
    (0..test.threads.len()).any(|t| of_thread(test, t).any(goes))
}

/// Writes what the locations of a cta in shared memory start from, and initialises its mbarriers.
/// The fences make that seen by whatever accesses them after the next barrier.
pub(super) fn reset_shared(plan: &EmissionPlan<'_>, cta: u32, text: &mut String) {
    let mut initialises = false;
    for l in plan.shared.of_cta(cta) {
        let declared = &plan.test.locations[l];
        match &declared.value {
            Some(InitialValue::Integer(count)) if declared.mbarrier => {
                let _ = writeln!(text, "    mbarrier.init.shared::cta.b64 [%x{l}], {count};");
                initialises = true;
            }
            _ if declared.mbarrier => {}
            _ => {
                let _ = writeln!(
                    text,
                    "    st.shared.{} [%x{l}], {};",
                    plan.type_of(l),
                    plan.initial(l)
                );
            }
        }
    }
    if initialises {
        text.push_str("    fence.mbarrier_init.release.cluster;\n");
    }
    see_async_writes(plan, text);
}

/// Accesses of both proxies are ordered, where the test has the async proxy.
pub(super) fn see_async_writes(plan: &EmissionPlan<'_>, text: &mut String) {
    if has_async_proxy(plan.test) {
        text.push_str("    fence.proxy.async;\n");
    }
}

/// Waits, behind all accesses of a thread, for its asynchronous operations: a cta that ends while
/// its memory is written would have another one written to. What completes by groups is waited for;
/// what completes on mbarriers has time.
pub(super) fn drain(plan: &EmissionPlan<'_>, thread: usize, text: &mut String) {
    let all = || of_thread(plan.test, thread);
    let issues = |family, completes: fn(&AsyncCompletion) -> bool| {
        all().any(|o| matches!(o, Operation::Async(AsyncOperation { family: f, completion, .. }) if *f == family && completes(completion)))
    };
    let by_group = |c: &AsyncCompletion| *c == AsyncCompletion::Group;
    let by_mbarrier = |c: &AsyncCompletion| *c != AsyncCompletion::Group;
    if issues(AsyncFamily::Element, by_group) {
        text.push_str("    cp.async.wait_all;\n");
    }
    if issues(AsyncFamily::Bulk, by_group) {
        text.push_str("    cp.async.bulk.commit_group;\n    cp.async.bulk.wait_group 0;\n");
    }
    let arrives = all().any(|o| matches!(o, Operation::AsyncArrive { .. }));
    if arrives
        || issues(AsyncFamily::Element, by_mbarrier)
        || issues(AsyncFamily::Bulk, by_mbarrier)
    {
        let _ = write!(
            text,
            "    mov.u32 %a, %clock;\n$STAY{thread}:\n    mov.u32 %b, %clock;\n    sub.u32 %b, %b, %a;\n    setp.lt.u32 %p, %b, {STAY};\n    \
             @%p bra $STAY{thread};\n"
        );
    }
}
