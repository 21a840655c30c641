//! SPARC RMO (Fig. 15 of the 2015 paper).

use crate::case::Verdict::{Allowed, Forbidden};
use crate::case::{Case, case};

const RMO: &[&str] = &["rmo"];

/// The table.
pub const CASES: &[Case] = &[
    case(
        "MP",
        "2015 paper, section 5.2.2: \"RMO allows the non-SC behaviour of mp\"",
        "W x=1; W y=1
         R y=1; R x=0",
        &[(Allowed, RMO)],
    ),
    case(
        "MP, a fence and an address dependency",
        "2015 paper, section 5.2.2: \"a fence between instructions 0.1 and 0.3 and a dependency between 1.1 and 1.3\"",
        "W x=1; F; W y=1
         a: R y=1; R x=0 addr(a)",
        &[(Forbidden, RMO)],
    ),
    case(
        "MP, a fence and a control dependency",
        "2015 paper, Fig. 15, line 5",
        "W x=1; F; W y=1
         a: R y=1; R x=0 ctrl(a)",
        &[(Forbidden, RMO)],
    ),
    case(
        "S, a fence and a data dependency",
        "2015 paper, Fig. 15, line 5",
        "W x=2; F; W y=1
         a: R y=1; W x=1 data(a)
         final x=2",
        &[(Forbidden, RMO)],
    ),
    case(
        "MP, a fence in the writer only",
        "2015 paper, section 5.2.2",
        "W x=1; F; W y=1
         R y=1; R x=0",
        &[(Allowed, RMO)],
    ),
    case(
        "SB with fences",
        "2015 paper, section 5.2.2: fences forbid the weak behaviour of store buffering",
        "W x=1; F; R y=0
         W y=1; F; R x=0",
        &[(Forbidden, RMO)],
    ),
    case(
        "SB",
        "2015 paper, section 5.2.2",
        "W x=1; R y=0
         W y=1; R x=0",
        &[(Allowed, RMO)],
    ),
    case(
        "SB with fences after what the thread wrote itself",
        "2015 paper, Fig. 15, line 7: external reads-from only",
        "W x=1; a: R x=1; R y=0 addr(a)
         W y=1; b: R y=1; R x=0 addr(b)",
        &[(Allowed, RMO)],
    ),
    case(
        "2+2W with fences",
        "2015 paper, Fig. 15, line 7",
        "W x=1; F; W y=2
         W y=1; F; W x=2
         final x=1, y=1",
        &[(Forbidden, RMO)],
    ),
    case(
        "coRR",
        "2015 paper, Fig. 1 and section 5.2.2: \"RMO allows the test coRR\"",
        "W x=1
         R x=1; R x=0",
        &[(Allowed, RMO)],
    ),
    case("coWR", "2015 paper, Fig. 15, line 3, WR", "W x=1; R x=0", &[(Forbidden, RMO)]),
    case("coRW1", "2015 paper, Fig. 15, line 3, RW", "R x=1; W x=1", &[(Forbidden, RMO)]),
    case(
        "coRW2",
        "2015 paper, Fig. 15, line 3, RW",
        "R x=1; W x=2
         W x=1
         final x=1",
        &[(Forbidden, RMO)],
    ),
    case(
        "coWW",
        "2015 paper, Fig. 15, line 3, WW",
        "W x=1; W x=2
         final x=1",
        &[(Forbidden, RMO)],
    ),
    case(
        "LB",
        "2015 paper, Fig. 15",
        "R y=1; W x=1
         R x=1; W y=1",
        &[(Allowed, RMO)],
    ),
    case(
        "LB with dependencies",
        "2015 paper, Fig. 15, line 6",
        "a: R y=1; W x=1 data(a)
         b: R x=1; W y=1 data(b)",
        &[(Forbidden, RMO)],
    ),
    case(
        "thin air within a thread",
        "2015 paper, Fig. 15, line 6: a value that depends on itself through a store of the same thread",
        "a: R x=1; W y=1 data(a); b: R y=1; W x=1 data(b)",
        &[(Forbidden, RMO)],
    ),
    case(
        "LB with a store forwarded to a load",
        "2015 paper, Fig. 15, line 6: all reads-from, not only external",
        "a: R y=1; W z=1 data(a); b: R z=1; W x=1 data(b)
         c: R x=1; W y=1 data(c)",
        &[(Forbidden, RMO)],
    ),
    case(
        "two RMWs that read the same write",
        "an RMW is one step; section 2.3 of the 2015 paper leaves them out",
        "RMW x=0->1
         RMW x=0->2",
        &[(Forbidden, RMO)],
    ),
    case(
        "RMW reads an RMW",
        "an RMW is one step",
        "RMW x=0->1
         RMW x=1->2",
        &[(Allowed, RMO)],
    ),
];
