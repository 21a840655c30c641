//! The C++ models: synchronisation, races, coherence, atomicity (Fig. 10 and 12 of the 2019 paper).
//! `c_sc` has the SC axiom.

use crate::case::Verdict::{Allowed, Forbidden, Racy};
use crate::case::{Case, case};

/// Every C++ model.
pub const ALL: &[&str] =
    &["rc11", "rc11-lb", "rc11-scoped", "rc11-scoped-mo-atomic", "c20", "c20-scoped"];
/// Those with scopes.
pub const SCOPED: &[&str] = &["rc11-scoped", "rc11-scoped-mo-atomic", "c20-scoped"];
/// Those without.
pub const UNSCOPED: &[&str] = &["rc11", "rc11-lb", "c20"];
/// With the axiom No-Thin-Air.
const NO_THIN_AIR: &[&str] = &["rc11"];
/// Where No-Thin-Air is optional.
const LOAD_BUFFERING: &[&str] =
    &["rc11-lb", "rc11-scoped", "rc11-scoped-mo-atomic", "c20", "c20-scoped"];
/// Modification order over all writes.
const ALL_WRITES: &[&str] = &["rc11", "rc11-lb", "rc11-scoped", "c20", "c20-scoped"];
/// Modification order over atomic writes only.
const ATOMIC_WRITES: &[&str] = &["rc11-scoped-mo-atomic"];
/// Release sequences continue through later writes of the thread.
const SAME_THREAD: &[&str] = &["rc11", "rc11-lb", "rc11-scoped"];
const RMW_ONLY: &[&str] = &["c20", "c20-scoped"];

/// The table.
pub const CASES: &[Case] = &[
    case(
        "MP, release and acquire",
        "2019 paper, Fig. 10; section 4.2 on modification order",
        "W.NA x=1; W.REL.sys y=1
         R.ACQ.sys y=1; R.NA x=0",
        &[(Forbidden, ALL_WRITES), (Allowed, ATOMIC_WRITES)],
    ),
    case(
        "MP, release and acquire, atomic data",
        "2019 paper, Fig. 10",
        "W.RLX.sys x=1; W.REL.sys y=1
         R.ACQ.sys y=1; R.RLX.sys x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "MP, release and acquire, data read",
        "2019 paper, Fig. 10: no race, as happens-before orders the accesses of x",
        "W.NA x=1; W.REL.sys y=1
         R.ACQ.sys y=1; R.NA x=1",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, seq_cst",
        "2019 paper, Fig. 10(a): SC is at least REL and at least ACQ",
        "W.RLX.sys x=1; W.SC.sys y=1
         R.SC.sys y=1; R.RLX.sys x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "MP, relaxed",
        "2019 paper, Fig. 10",
        "W.RLX.sys x=1; W.RLX.sys y=1
         R.RLX.sys y=1; R.RLX.sys x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, relaxed and acquire",
        "2019 paper, Fig. 10: not at least REL",
        "W.RLX.sys x=1; W.RLX.sys y=1
         R.ACQ.sys y=1; R.RLX.sys x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, release and relaxed",
        "2019 paper, Fig. 10: not at least ACQ",
        "W.RLX.sys x=1; W.REL.sys y=1
         R.RLX.sys y=1; R.RLX.sys x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, relaxed, plain data",
        "2019 paper, section 5.2; a race of the plain accesses",
        "W.NA x=1; W.RLX.sys y=1
         R.RLX.sys y=1; R.NA x=0",
        &[(Racy, ALL)],
    ),
    case(
        "MP, plain",
        "2019 paper, section 5.2; a race",
        "W.NA x=1; W.NA y=1
         R.NA y=1; R.NA x=0",
        &[(Racy, ALL)],
    ),
    case(
        "MP, release and acquire of work-group scope in two work-groups",
        "2019 paper, Fig. 10, incl; without it the flag does not synchronise, and even the flag's atomics race",
        "W.RLX.sys x=1; W.REL.cta y=1
         R.ACQ.cta y=1; R.RLX.sys x=0",
        &[(Racy, SCOPED), (Forbidden, UNSCOPED)],
    ),
    case(
        "MP, release and acquire of work-group scope in one work-group",
        "2019 paper, Fig. 10, incl",
        "@0.0.0 W.RLX.sys x=1; W.REL.cta y=1
         @0.0.0 R.ACQ.cta y=1; R.RLX.sys x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "MP, work-group scope on the acquire alone",
        "2019 paper, Fig. 10, caption: \"mutually inclusive scopes\"",
        "W.RLX.sys x=1; W.REL.sys y=1
         R.ACQ.cta y=1; R.RLX.sys x=0",
        &[(Racy, SCOPED), (Forbidden, UNSCOPED)],
    ),
    case(
        "MP, work-group scope on the release alone",
        "2019 paper, Fig. 10, caption: \"mutually inclusive scopes\"",
        "W.RLX.sys x=1; W.REL.cta y=1
         R.ACQ.sys y=1; R.RLX.sys x=0",
        &[(Racy, SCOPED), (Forbidden, UNSCOPED)],
    ),
    case(
        "MP, fences",
        "2019 paper, Fig. 10, sw: both fences",
        "W.RLX.sys x=1; F.REL.sys; W.RLX.sys y=1
         R.RLX.sys y=1; F.ACQ.sys; R.RLX.sys x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "MP, fences of order acq_rel",
        "2019 paper, Fig. 10(a)",
        "W.RLX.sys x=1; F.AR.sys; W.RLX.sys y=1
         R.RLX.sys y=1; F.AR.sys; R.RLX.sys x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "MP, fences of order seq_cst",
        "2019 paper, Fig. 10(a)",
        "W.RLX.sys x=1; F.SC.sys; W.RLX.sys y=1
         R.ACQ.sys y=1; R.RLX.sys x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "MP, a fence of order seq_cst to acquire",
        "2019 paper, Fig. 10(a)",
        "W.RLX.sys x=1; W.REL.sys y=1
         R.RLX.sys y=1; F.SC.sys; R.RLX.sys x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "MP, an acquire fence to release",
        "2019 paper, Fig. 10(a): ACQ and REL are not comparable",
        "W.RLX.sys x=1; F.ACQ.sys; W.RLX.sys y=1
         R.ACQ.sys y=1; R.RLX.sys x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, a release fence to acquire",
        "2019 paper, Fig. 10(a): ACQ and REL are not comparable",
        "W.RLX.sys x=1; W.REL.sys y=1
         R.RLX.sys y=1; F.REL.sys; R.RLX.sys x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, a release fence of work-group scope",
        "2019 paper, Fig. 10, hb: the events that synchronise have to be inclusive",
        "W.RLX.sys x=1; F.REL.cta; W.RLX.sys y=1
         R.ACQ.sys y=1; R.RLX.sys x=0",
        &[(Allowed, SCOPED), (Forbidden, UNSCOPED)],
    ),
    case(
        "MP, an acquire fence of work-group scope",
        "2019 paper, Fig. 10, hb: the events that synchronise have to be inclusive",
        "W.RLX.sys x=1; W.REL.sys y=1
         R.RLX.sys y=1; F.ACQ.cta; R.RLX.sys x=0",
        &[(Allowed, SCOPED), (Forbidden, UNSCOPED)],
    ),
    case(
        "MP, fences around a flag of work-group scope",
        "2019 paper, Fig. 10, sw: the write and the read of the flag have to be inclusive, too",
        "W.RLX.sys x=1; F.REL.sys; W.RLX.cta y=1
         R.RLX.cta y=1; F.ACQ.sys; R.RLX.sys x=0",
        &[(Racy, SCOPED), (Forbidden, UNSCOPED)],
    ),
    case(
        "MP, release fence and plain flag",
        "2019 paper, Fig. 10, rs: the write that is read is at least RLX",
        "W.RLX.sys x=1; F.REL.sys; W.NA y=1
         R.ACQ.sys y=1; R.RLX.sys x=0",
        &[(Racy, ALL)],
    ),
    case(
        "MP, plain read of the flag before a fence",
        "2019 paper, Fig. 10, sw: the read is at least RLX",
        "W.RLX.sys x=1; W.REL.sys y=1
         R.NA y=1; F.ACQ.sys; R.RLX.sys x=0",
        &[(Racy, ALL)],
    ),
    case(
        "MP, the flag's store before a store",
        "2019 paper, Fig. 10, sw: only a fence releases for later stores",
        "W.RLX.sys x=1; W.REL.sys z=1; W.RLX.sys y=1
         R.ACQ.sys y=1; R.RLX.sys x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, an acquire load after the flag's load",
        "2019 paper, Fig. 10, sw: only a fence acquires for earlier loads",
        "W.RLX.sys x=1; W.REL.sys y=1
         R.RLX.sys y=1; R.ACQ.sys z=0; R.RLX.sys x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, a seq_cst load before the flag's store",
        "2019 paper, Fig. 10, rs begins with a write",
        "W.RLX.sys x=1; R.SC.sys y=0; W.RLX.sys y=1
         R.ACQ.sys y=1; R.RLX.sys x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "release sequence through a store of the same thread",
        "2019 paper, Fig. 10, rs; C++20 [intro.races] has dropped it (P0982R1)",
        "W.RLX.sys x=1; W.REL.sys y=1; W.RLX.sys y=2
         R.ACQ.sys y=2; R.RLX.sys x=0",
        &[(Forbidden, SAME_THREAD), (Forbidden, ATOMIC_WRITES), (Allowed, RMW_ONLY)],
    ),
    case(
        "release sequence through a plain store of the same thread",
        "2019 paper, Fig. 10, rs: later writes are at least RLX",
        "W.RLX.sys x=1; W.REL.sys y=1; W.NA y=2
         R.ACQ.sys y=2; R.RLX.sys x=0",
        &[(Racy, ALL)],
    ),
    case(
        "release sequence through an RMW",
        "2019 paper, Fig. 10, rs",
        "W.RLX.sys x=1; W.REL.sys y=1
         RMW.RLX.sys y=1->2
         R.ACQ.sys y=2; R.RLX.sys x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "release sequence through two RMWs",
        "2019 paper, Fig. 10, rs",
        "W.RLX.sys x=1; W.REL.sys y=1
         RMW.RLX.sys y=1->2
         RMW.RLX.sys y=2->3
         R.ACQ.sys y=3; R.RLX.sys x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "no release sequence through an RMW that reads another write",
        "2019 paper, Fig. 10, rs: the RMW reads from the release sequence",
        "W.RLX.sys x=1; W.REL.sys y=1
         W.RLX.sys y=2
         RMW.RLX.sys y=2->3
         R.ACQ.sys y=3; R.RLX.sys x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "release sequence through an RMW of work-group scope",
        "2019 paper, Fig. 10, rs: each step is inclusive",
        "@0.0.0 W.RLX.sys x=1; W.REL.sys y=1
         @0.0.1 RMW.RLX.cta y=1->2
         @0.0.1 R.ACQ.sys y=2; R.RLX.sys x=0",
        &[(Racy, SCOPED), (Forbidden, UNSCOPED)],
    ),
    case(
        "release fence, release sequence through a store of the same thread",
        "2019 paper, Fig. 10, rs: each atomic write after a fence heads one of its own",
        "W.RLX.sys x=1; F.REL.sys; W.RLX.sys y=1; W.RLX.sys y=2
         R.ACQ.sys y=2; R.RLX.sys x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "no release sequence through a store of another thread",
        "2019 paper, Fig. 10, rs",
        "W.RLX.sys x=1; W.REL.sys y=1
         a: R.RLX.sys y=1; W.RLX.sys y=2 data(a)
         R.ACQ.sys y=2; R.RLX.sys x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "Fig. 12",
        "2019 paper, Fig. 12(a): (f) must return the value written by (a)",
        "W.NA x=1; W.REL.sys y=1
         RMW.SC.sys y=1->2; W.RLX.sys y=3
         R.ACQ.sys y=3; R.NA x=0",
        &[(Forbidden, SAME_THREAD), (Allowed, ATOMIC_WRITES), (Racy, RMW_ONLY)],
    ),
    case(
        "ISA2",
        "2019 paper, Fig. 10: happens-before is transitive",
        "W.RLX.sys x=1; W.REL.sys y=1
         R.ACQ.sys y=1; W.REL.sys z=1
         R.ACQ.sys z=1; R.RLX.sys x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "ISA2, first hop within a work-group",
        "2019 paper, section 4.1: transitivity across scopes",
        "@0.0.0 W.RLX.sys x=1; W.REL.cta y=1
         @0.0.0 R.ACQ.cta y=1; W.REL.sys z=1
         @0.0.1 R.ACQ.sys z=1; R.RLX.sys x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "WRC, release and acquire",
        "2019 paper, Fig. 10, Coherence",
        "W.RLX.sys x=1
         R.RLX.sys x=1; W.REL.sys y=1
         R.ACQ.sys y=1; R.RLX.sys x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "LB, relaxed",
        "2019 paper, section 4.1: No-Thin-Air excluded; RC11 has it",
        "R.RLX.sys y=1; W.RLX.sys x=1
         R.RLX.sys x=1; W.RLX.sys y=1",
        &[(Allowed, LOAD_BUFFERING), (Forbidden, NO_THIN_AIR)],
    ),
    case(
        "LB, release and acquire on one side",
        "2019 paper, Fig. 10, Coherence: reads from a later write",
        "R.RLX.sys y=1; W.REL.sys x=1
         R.ACQ.sys x=1; W.RLX.sys y=1",
        &[(Forbidden, ALL)],
    ),
    case(
        "CoRR",
        "2019 paper, Fig. 10, Coherence",
        "W.RLX.sys x=1
         R.RLX.sys x=1; R.RLX.sys x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "CoWR",
        "2019 paper, Fig. 10, Coherence",
        "W.RLX.sys x=1; R.RLX.sys x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "CoRW1",
        "2019 paper, Fig. 10, Coherence",
        "R.RLX.sys x=1; W.RLX.sys x=1",
        &[(Forbidden, ALL)],
    ),
    case(
        "CoRW2",
        "2019 paper, Fig. 10, Coherence",
        "R.RLX.sys x=1; W.RLX.sys x=2
         W.RLX.sys x=1
         final x=1",
        &[(Forbidden, ALL)],
    ),
    case(
        "CoWW",
        "2019 paper, Fig. 10, Coherence",
        "W.RLX.sys x=1; W.RLX.sys x=2
         final x=1",
        &[(Forbidden, ALL)],
    ),
    case(
        "CoWW, plain",
        "2019 paper, Fig. 10, mo",
        "W.NA x=1; W.NA x=2
         final x=1",
        &[(Forbidden, ALL_WRITES), (Allowed, ATOMIC_WRITES)],
    ),
    case(
        "two RMWs that read the same write",
        "2019 paper, Fig. 10, Atomicity",
        "RMW.RLX.sys x=0->1
         RMW.RLX.sys x=0->2",
        &[(Forbidden, ALL)],
    ),
    case(
        "two RMWs of work-group scope that read the same write",
        "2019 paper, Fig. 10, Atomicity has no incl",
        "RMW.RLX.cta x=0->1
         RMW.RLX.cta x=0->2",
        &[(Forbidden, ALL)],
    ),
    case(
        "two plain reads do not race",
        "at least one of the two is a write",
        "R.NA x=0
         R.NA x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "plain accesses of one thread do not race",
        "accesses of different threads",
        "W.NA x=1; R.NA x=1; W.NA x=2",
        &[(Allowed, ALL)],
    ),
    case(
        "plain writes race",
        "at least one of the two is a write",
        "W.NA x=1
         W.NA x=2",
        &[(Racy, ALL)],
    ),
    case(
        "a plain write and a plain read race",
        "at least one of the two is a write",
        "R.NA x=0
         W.NA x=2",
        &[(Racy, ALL)],
    ),
    case(
        "a plain and an atomic access race",
        "both have to be atomic",
        "W.NA x=1
         R.SC.sys x=0",
        &[(Racy, ALL)],
    ),
    case(
        "an atomic write and a plain read race",
        "both have to be atomic",
        "W.SC.sys x=1
         R.NA x=0",
        &[(Racy, ALL)],
    ),
    case(
        "a plain read that happens before a plain write",
        "ordered by happens-before: no race",
        "R.NA x=0; W.REL.sys y=1
         R.ACQ.sys y=1; W.NA x=1",
        &[(Allowed, ALL)],
    ),
    case(
        "atomics of inclusive scopes do not race",
        "both atomic with inclusive scopes",
        "W.RLX.sys x=1
         R.RLX.sys x=1",
        &[(Allowed, ALL)],
    ),
    case(
        "atomics of scopes too narrow race",
        "both atomic, but without inclusive scopes",
        "W.RLX.sys x=1
         R.RLX.cta x=1",
        &[(Racy, SCOPED), (Allowed, UNSCOPED)],
    ),
    case(
        "reading the initial value does not race",
        "an initial write races with nothing",
        "R.NA x=0; R.NA y=0
         W.NA z=1",
        &[(Allowed, ALL)],
    ),
];
