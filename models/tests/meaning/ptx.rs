//! The PTX models: synchronisation, causality, fences, dependencies (Fig. 4 to 8 and 12 of the 2019
//! paper; ISA: chapter 8 of the PTX ISA text). `ptx_coherence` has what concerns one location.

use crate::case::Verdict::{Allowed, Forbidden};
use crate::case::{Case, case};

/// Every PTX model but that of 2015.
pub const ALL: &[&str] = &["ptx-6.0", "ptx-6.0-any-fence", "ptx-6.0-strong-patterns", "ptx-8"];
const BY_ORDER: &[&str] = &["ptx-6.0", "ptx-6.0-strong-patterns", "ptx-8"];
const ANY_FENCE: &[&str] = &["ptx-6.0-any-fence"];

/// The table.
pub const CASES: &[Case] = &[
    case(
        "MP, release and acquire",
        "2019 paper, Fig. 5",
        "W x=1; W.REL.gpu y=1
         R.ACQ.gpu y=1; R x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "MP, release and acquire at sys scope on two gpus",
        "2019 paper, section 3.3 and Table 1",
        "@0.0.0 W x=1; W.REL.sys y=1
         @1.0.0 R.ACQ.sys y=1; R x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "MP, release and acquire at gpu scope on two gpus",
        "2019 paper, section 3.3 and Table 1",
        "@0.0.0 W x=1; W.REL.gpu y=1
         @1.0.0 R.ACQ.gpu y=1; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, release and acquire at cta scope in one cta",
        "2019 paper, section 3.3 and Table 1",
        "@0.0.0 W x=1; W.REL.cta y=1
         @0.0.0 R.ACQ.cta y=1; R x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "MP, release and acquire at cta scope in two ctas",
        "2019 paper, section 3.3: neither scope includes the other thread",
        "W x=1; W.REL.cta y=1
         R.ACQ.cta y=1; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, cta scope on the acquire alone",
        "2019 paper, section 3.3: \"each operation\" has to include the other thread",
        "W x=1; W.REL.gpu y=1
         R.ACQ.cta y=1; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, cta scope on the release alone",
        "2019 paper, section 3.3: \"each operation\" has to include the other thread",
        "W x=1; W.REL.cta y=1
         R.ACQ.gpu y=1; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, release and relaxed",
        "2019 paper, section 3.4.1: no acquire pattern",
        "W x=1; W.REL.gpu y=1
         R.RLX.gpu y=1; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, release and two relaxed loads",
        "2019 paper, section 3.4.1: no acquire pattern",
        "W x=1; W.REL.gpu y=1
         R.RLX.gpu y=1; R.RLX.gpu y=1; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, relaxed and acquire",
        "2019 paper, section 3.4.1: no release pattern",
        "W x=1; W.RLX.gpu y=1
         R.ACQ.gpu y=1; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, fence.acq_rel and relaxed flag",
        "2019 paper, Fig. 4, second form of both patterns; ISA 8.10.6, MP",
        "W x=1; F.AR.gpu; W.RLX.gpu y=1
         R.RLX.gpu y=1; F.AR.gpu; R x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "MP, fence.acq_rel at cta scope",
        "2019 paper, Fig. 4: first and last operation of the patterns have to be morally strong",
        "W x=1; F.AR.cta; W.RLX.gpu y=1
         R.RLX.gpu y=1; F.AR.cta; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, fence.acq_rel at cta scope in the writer alone",
        "2019 paper, Fig. 4: first and last operation of the patterns have to be morally strong",
        "W x=1; F.AR.cta; W.RLX.gpu y=1
         R.RLX.gpu y=1; F.AR.gpu; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, fence.acq_rel and a flag of cta scope",
        "2019 paper, Fig. 4: observation goes by morally strong reads-from",
        "W x=1; F.AR.gpu; W.RLX.cta y=1
         R.RLX.cta y=1; F.AR.gpu; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, fence.acq_rel and a weak flag",
        "2019 paper, Fig. 4: observation goes by morally strong reads-from",
        "W x=1; F.AR.gpu; W y=1
         R y=1; F.AR.gpu; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, fence.sc and acquire",
        "2019 paper, Fig. 4: a fence.sc is at least a release",
        "W x=1; F.SC.gpu; W.RLX.gpu y=1
         R.ACQ.gpu y=1; R x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "MP, release and fence.sc",
        "2019 paper, Fig. 4: a fence.sc is at least an acquire",
        "W x=1; W.REL.gpu y=1
         R.RLX.gpu y=1; F.SC.gpu; R x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "MP, fence.release and fence.acquire",
        "2019 paper, Fig. 11 uses them; ISA 8.8",
        "W x=1; F.REL.gpu; W.RLX.gpu y=1
         R.RLX.gpu y=1; F.ACQ.gpu; R x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "MP, fence.acquire in place of the release",
        "2019 paper: Fig. 4 asks for at least a release, section 3.4.1 for a fence",
        "W x=1; F.ACQ.gpu; W.RLX.gpu y=1
         R.ACQ.gpu y=1; R x=0",
        &[(Allowed, BY_ORDER), (Forbidden, ANY_FENCE)],
    ),
    case(
        "MP, fence.release in place of the acquire",
        "2019 paper: Fig. 4 asks for at least an acquire, section 3.4.1 for a fence",
        "W x=1; W.REL.gpu y=1
         R.RLX.gpu y=1; F.REL.gpu; R x=0",
        &[(Allowed, BY_ORDER), (Forbidden, ANY_FENCE)],
    ),
    case(
        "MP, the fence after the flag's store",
        "2019 paper, Fig. 4: the fence of a release pattern comes first",
        "W x=1; W.RLX.gpu y=1; F.AR.gpu
         R.ACQ.gpu y=1; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, the data's store after the release",
        "2019 paper, Fig. 4: what follows the release pattern is not ordered by it",
        "W.REL.gpu y=1; W x=1
         R.ACQ.gpu y=1; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, later store to the flag's location",
        "2019 paper, Fig. 4, first form of the release pattern",
        "W x=1; W.REL.gpu y=1; W.RLX.gpu y=2
         R.ACQ.gpu y=2; R x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "MP, later store to another location",
        "2019 paper, Fig. 4, first form of the release pattern: the same location",
        "W x=1; W.REL.gpu y=1; W.RLX.gpu z=2
         R.ACQ.gpu z=2; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, later store to another location, against a fence",
        "2019 paper, Fig. 4: only a fence releases for later stores to other locations",
        "W x=1; W.REL.gpu y=1; W.RLX.gpu z=1
         R.RLX.gpu z=1; F.AR.gpu; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, later acquire on the flag's location",
        "2019 paper, Fig. 4, first form of the acquire pattern",
        "W x=1; W.REL.gpu y=1
         R.RLX.gpu y=1; R.ACQ.gpu y=2; R x=0
         W.RLX.gpu y=2",
        &[(Forbidden, ALL)],
    ),
    case(
        "MP, later acquire on another location",
        "2019 paper, Fig. 4, first form of the acquire pattern: the same location",
        "W x=1; W.REL.gpu y=1
         R.RLX.gpu y=1; R.ACQ.gpu z=0; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, later acquire on another location, against a fence",
        "2019 paper, Fig. 4: only a fence acquires for earlier loads of other locations",
        "W x=1; F.AR.gpu; W.RLX.gpu y=1
         R.RLX.gpu y=1; R.ACQ.gpu z=0; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP through an RMW",
        "2019 paper, Fig. 4, obs; section 3.4.1",
        "W x=1; W.REL.gpu y=1
         RMW.RLX.gpu y=1->2
         R.ACQ.gpu y=2; R x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "MP through two RMWs",
        "2019 paper, Fig. 4, obs is recursive",
        "W x=1; W.REL.gpu y=1
         RMW.RLX.gpu y=1->2
         RMW.RLX.gpu y=2->3
         R.ACQ.gpu y=3; R x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "MP through an RMW of cta scope",
        "2019 paper, Fig. 4, obs: each step is morally strong",
        "W x=1; W.REL.gpu y=1
         RMW.RLX.cta y=1->2
         R.ACQ.gpu y=2; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP through a load and a store",
        "2019 paper, Fig. 4, obs: only through RMWs",
        "W x=1; W.REL.gpu y=1
         a: R.RLX.gpu y=1; W.RLX.gpu y=2 data(a)
         R.ACQ.gpu y=2; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "SB with fence.sc",
        "2019 paper, Fig. 6; ISA 8.10.6, SB",
        "W x=1; F.SC.gpu; R y=0
         W y=1; F.SC.gpu; R x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "SB with fence.acq_rel",
        "2019 paper, section 3.4.3; ISA 8.10.6, SB",
        "W x=1; F.AR.gpu; R y=0
         W y=1; F.AR.gpu; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "SB with one fence.sc and one fence.acq_rel",
        "2019 paper, section 3.4.3: Fence-SC order relates fence.sc only",
        "W x=1; F.SC.gpu; R y=0
         W y=1; F.AR.gpu; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "SB with fence.sc at cta scope",
        "2019 paper, Fig. 6: \"PTX also requires the two fences to be morally strong\"",
        "W x=1; F.SC.cta; R y=0
         W y=1; F.SC.cta; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "SB with fence.sc, the second load sees the store",
        "2019 paper, section 3.4.3: the first fence precedes the second one",
        "W x=1; F.SC.gpu; R y=0
         W y=1; F.SC.gpu; R x=1",
        &[(Allowed, ALL)],
    ),
    case(
        "SB with fence.sc, the first load sees the store",
        "2019 paper, section 3.4.3: the second fence precedes the first one",
        "W x=1; F.SC.gpu; R y=1
         W y=1; F.SC.gpu; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "a barrier between two fence.sc",
        "2019 paper, Fig. 7, axiom 2: Fence-SC order may not go against the barrier",
        "@0.0.0 F.SC.gpu; BAR 0
         @0.0.0 BAR 0; F.SC.gpu",
        &[(Allowed, ALL)],
    ),
    case(
        "SB with release and acquire",
        "2019 paper, section 3.4.3",
        "W.REL.gpu x=1; R.ACQ.gpu y=0
         W.REL.gpu y=1; R.ACQ.gpu x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "IRIW with acquires",
        "2019 paper, section 3.4: PTX is not multi-copy atomic",
        "W.REL.gpu x=1
         W.REL.gpu y=1
         R.ACQ.gpu x=1; R.ACQ.gpu y=0
         R.ACQ.gpu y=1; R.ACQ.gpu x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "IRIW with fence.sc",
        "2019 paper, Fig. 4, cause: observation before base causality",
        "W.RLX.gpu x=1
         W.RLX.gpu y=1
         R.RLX.gpu x=1; F.SC.gpu; R y=0
         R.RLX.gpu y=1; F.SC.gpu; R x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "WRC",
        "2019 paper, Fig. 4, cause: observation before base causality",
        "W.RLX.gpu x=1
         R.RLX.gpu x=1; W.REL.gpu y=1
         R.ACQ.gpu y=1; R x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "WRC from a weak store",
        "2019 paper, Fig. 4, obs: a weak store is not observed by another thread",
        "W x=1
         R.RLX.gpu x=1; W.REL.gpu y=1
         R.ACQ.gpu y=1; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "ISA2",
        "2019 paper, section 3.4.4: base causality is transitive",
        "W x=1; W.REL.gpu y=1
         R.ACQ.gpu y=1; W.REL.gpu z=1
         R.ACQ.gpu z=1; R x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "ISA2, first hop within a cta",
        "2019 paper, section 3.4.4: cumulativity across scopes",
        "@0.0.0 W x=1; W.REL.cta y=1
         @0.0.0 R.ACQ.cta y=1; W.REL.gpu z=1
         @0.0.1 R.ACQ.gpu z=1; R x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "ISA2, middle thread relaxed",
        "2019 paper, section 3.4.4",
        "W x=1; W.REL.gpu y=1
         a: R.RLX.gpu y=1; W.RLX.gpu z=1 data(a)
         R.ACQ.gpu z=1; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "ISA2, one fence.acq_rel in the middle thread",
        "2019 paper, Fig. 4, cause_base: what ends one synchronisation may begin the next",
        "W x=1; W.REL.gpu y=1
         R.RLX.gpu y=1; F.AR.gpu; W.RLX.gpu z=1
         R.ACQ.gpu z=1; R x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "Fig. 12 with the release on the RMW",
        "2019 paper, Fig. 12(b), dotted edge",
        "W x=1; W.REL.gpu y=1
         F.SC.gpu; RMW.AR.gpu y=1->2; W.RLX.gpu y=3
         R.ACQ.gpu y=3; R x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "Fig. 12 without the release on the RMW",
        "2019 paper, Fig. 12(b): a gap between the edges",
        "W x=1; W.REL.gpu y=1
         F.SC.gpu; RMW.ACQ.gpu y=1->2; W.RLX.gpu y=3
         R.ACQ.gpu y=3; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "MP across an execution barrier",
        "2019 paper, section 3.4.2",
        "@0.0.0 W x=1; BAR 0
         @0.0.0 BAR 0; R x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "MP across bar.arrive and bar.sync",
        "2019 paper, section 3.4.2: bar.arrive synchronises with bar.sync",
        "@0.0.0 W x=1; ARRIVE 0
         @0.0.0 BAR 0; R x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "MP against bar.arrive",
        "2019 paper, section 3.4.2: nothing synchronises with bar.arrive",
        "@0.0.0 W x=1; BAR 0
         @0.0.0 ARRIVE 0; R x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "LB with data dependencies",
        "2019 paper, Fig. 8; ISA 8.10.4, LB",
        "a: R y=42; W x=42 data(a)
         b: R x=42; W y=42 data(b)",
        &[(Forbidden, ALL)],
    ),
    case(
        "LB with address and control dependencies",
        "2019 paper, section 3.5.4: \"chains of instruction dependencies\"",
        "a: R y=1; W x=1 addr(a)
         b: R x=1; W y=1 ctrl(b)",
        &[(Forbidden, ALL)],
    ),
    case(
        "LB through an RMW",
        "2019 paper, section 3.5.4; the write of an RMW depends on its read",
        "RMW.RLX.gpu x=1->2
         a: R x=2; W x=1 data(a)",
        &[(Forbidden, ALL)],
    ),
    case(
        "LB without dependencies",
        "2019 paper, section 3.5.4",
        "R.RLX.gpu y=1; W.RLX.gpu x=1
         R.RLX.gpu x=1; W.RLX.gpu y=1",
        &[(Allowed, ALL)],
    ),
    case(
        "LB with release and acquire",
        "2019 paper, section 3.5.6, item 1",
        "R y=1; W.REL.gpu x=1
         R.ACQ.gpu x=1; W y=1",
        &[(Forbidden, ALL)],
    ),
    case(
        "LB with release and acquire, nothing read",
        "2019 paper, Fig. 7, axiom 1 is about writes: a load may precede a store in causality order",
        "R y=0; W.REL.gpu x=1
         R.ACQ.gpu x=1; W y=1",
        &[(Allowed, ALL)],
    ),
    case(
        "MP, release and acquire, data read",
        "2019 paper, Fig. 5",
        "W x=1; W.REL.gpu y=1
         R.ACQ.gpu y=1; R x=1",
        &[(Allowed, ALL)],
    ),
];
