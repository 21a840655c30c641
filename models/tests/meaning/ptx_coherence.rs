//! The PTX models on one location: coherence, atomicity (Fig. 7 and 9 of the 2019 paper).

use crate::case::Verdict::{Allowed, Forbidden};
use crate::case::{Case, case};
use crate::ptx::ALL;

/// The table.
pub const CASES: &[Case] = &[
    case(
        "CoRR",
        "2019 paper, Fig. 9(a): the second load is weak, so causality forbids it (observation, then po_loc)",
        "W.RLX.gpu x=1
         R.RLX.gpu x=1; R x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "CoRR, all strong",
        "ISA 8.10.5, CoRR",
        "W.RLX.sys x=1
         R.RLX.sys x=1; R.RLX.sys x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "CoRR, weak first load",
        "2019 paper, section 3.5.5: morally strong operations only",
        "W.RLX.gpu x=1
         R x=1; R.RLX.gpu x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "CoRR, weak store",
        "2019 paper, section 3.5.5: morally strong operations only",
        "W x=1
         R.RLX.gpu x=1; R.RLX.gpu x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "CoRW",
        "2019 paper, Fig. 9(b)",
        "W.RLX.gpu x=1
         R.RLX.gpu x=1; W x=2
         final x=1",
        &[(Forbidden, ALL)],
    ),
    case(
        "CoRW, weak store and load",
        "2019 paper, section 3.5.1: racy stores need not be ordered",
        "W x=1
         R x=1; W x=2
         final x=1",
        &[(Allowed, ALL)],
    ),
    case(
        "CoWR",
        "2019 paper, Fig. 9(c)",
        "W.RLX.gpu x=1
         W.RLX.gpu x=2; R x=1
         final x=2",
        &[(Forbidden, ALL)],
    ),
    case(
        "CoWR, weak stores",
        "2019 paper, section 3.5.1: racy stores need not be ordered",
        "W x=1
         W x=2; R x=1
         final x=2",
        &[(Allowed, ALL)],
    ),
    case(
        "CoWW",
        "2019 paper, Fig. 9(d)",
        "W x=1; W x=2
         final x=1",
        &[(Forbidden, ALL)],
    ),
    case(
        "racy stores: both are final",
        "2019 paper, section 3.5.1",
        "W x=1
         W x=2
         final x=1, x=2",
        &[(Allowed, ALL)],
    ),
    case(
        "morally strong stores: one is final",
        "2019 paper, section 3.5.1: related in coherence order",
        "W.RLX.gpu x=1
         W.RLX.gpu x=2
         final x=1, x=2",
        &[(Forbidden, ALL)],
    ),
    case(
        "stores of scopes too narrow: both are final",
        "2019 paper, section 3.5.1",
        "W.RLX.cta x=1
         W.RLX.gpu x=2
         final x=1, x=2",
        &[(Allowed, ALL)],
    ),
    case("CoWR of one thread", "2019 paper, Fig. 7, axiom 5", "W x=1; R x=0", &[(Forbidden, ALL)]),
    case("CoRW1", "2019 paper, Fig. 7, axiom 5", "R x=1; W x=1", &[(Forbidden, ALL)]),
    case(
        "CoRW2, strong",
        "2019 paper, Fig. 7, axiom 5",
        "R.RLX.gpu x=1; W.RLX.gpu x=2
         W.RLX.gpu x=1
         final x=1",
        &[(Forbidden, ALL)],
    ),
    case(
        "S with release and acquire",
        "2019 paper, Fig. 7, axiom 1",
        "W x=1; W.REL.gpu y=1
         R.ACQ.gpu y=1; W x=2
         final x=1",
        &[(Forbidden, ALL)],
    ),
    case(
        "S with release and relaxed",
        "2019 paper, Fig. 7, axiom 1",
        "W x=1; W.REL.gpu y=1
         R.RLX.gpu y=1; W x=2
         final x=1",
        &[(Allowed, ALL)],
    ),
    case(
        "2+2W with fence.sc",
        "2019 paper, Fig. 7, axiom 1 and Fig. 4, sw",
        "W x=1; F.SC.gpu; W y=2
         W y=1; F.SC.gpu; W x=2
         final x=1, y=1",
        &[(Forbidden, ALL)],
    ),
    case(
        "2+2W with fence.acq_rel",
        "2019 paper, Fig. 4: no reads, no synchronisation",
        "W.RLX.gpu x=1; F.AR.gpu; W.RLX.gpu y=2
         W.RLX.gpu y=1; F.AR.gpu; W.RLX.gpu x=2
         final x=1, y=1",
        &[(Allowed, ALL)],
    ),
    case(
        "two RMWs that read the same write",
        "2019 paper, section 3.5.3; ISA 8.10.3, test 1",
        "RMW.RLX.sys x=0->1
         RMW.RLX.sys x=0->2",
        &[(Forbidden, ALL)],
    ),
    case(
        "two RMWs that read the same write, scopes too narrow",
        "2019 paper, section 3.5.3; ISA 8.10.3, test 2",
        "RMW.RLX.cta x=0->1
         RMW.RLX.gpu x=0->2",
        &[(Allowed, ALL)],
    ),
    case(
        "a weak store in the middle of an RMW",
        "2019 paper, section 3.5.3: need not be atomic with respect to morally weak accesses",
        "RMW.RLX.gpu x=0->2
         W x=1; F.AR.gpu; R.RLX.gpu x=2
         final x=2",
        &[(Allowed, ALL)],
    ),
    case(
        "a strong store in the middle of an RMW",
        "2019 paper, section 3.5.3",
        "RMW.RLX.gpu x=0->2
         W.RLX.gpu x=1; R.RLX.gpu x=2",
        &[(Forbidden, ALL)],
    ),
    case(
        "SC per location beyond causality",
        "2019 paper, Fig. 7, axiom 5: the two stores between which the cycle passes (1 and 2) are not morally strong",
        "@0.0.0 W.RLX.cta x=4; W.RLX.cta x=1; R.RLX.sys x=3
         @0.0.0 R.RLX.sys x=2; R.RLX.sys x=4
         @0.0.1 W.RLX.sys x=3; W.RLX.sys x=2",
        &[(Forbidden, ALL)],
    ),
    case(
        "SC per location beyond causality, through coherence order",
        "2019 paper, Fig. 7, axiom 5: as before, and the load of 3 is not morally strong with the store of 2",
        "@0.0.0 W.RLX.cta x=4; W.RLX.cta x=1; R.RLX.gpu x=3
         @0.0.0 R.RLX.sys x=2; R.RLX.sys x=4
         @0.0.1 W.RLX.sys x=3; W.RLX.sys x=7
         @1.0.0 W.RLX.sys x=2
         final x=2",
        &[(Forbidden, ALL)],
    ),
    case(
        "a read-modify-write that is observed does not race with what follows",
        "ISA 8.7.1: a read-modify-write is one memory operation",
        "RMW.RLX.gpu x=0->1
         R.RLX.gpu x=1; W x=2",
        &[(Allowed, ALL)],
    ),
];
