//! Sequential consistency and TSO (Fig. 2 of the 2019 paper) on the shapes that tell them apart.

use crate::case::Verdict::{Allowed, Forbidden};
use crate::case::{Case, case};

const BOTH: &[&str] = &["sc", "tso"];
const SC: &[&str] = &["sc"];
const TSO: &[&str] = &["tso"];

/// The table.
pub const CASES: &[Case] = &[
    case(
        "SB",
        "2019 paper, section 2.2: store buffers let loads overtake earlier stores",
        "W x=1; R y=0
         W y=1; R x=0",
        &[(Forbidden, SC), (Allowed, TSO)],
    ),
    case(
        "SB with fences",
        "2019 paper, section 2.2, fence",
        "W x=1; F; R y=0
         W y=1; F; R x=0",
        &[(Forbidden, BOTH)],
    ),
    case(
        "SB with an RMW in place of each fence",
        "2019 paper, section 2.2: \"or if at least one is an atomic read-modify-write operation\"",
        "W x=1; RMW a=0->1; R y=0
         W y=1; RMW b=0->1; R x=0",
        &[(Forbidden, BOTH)],
    ),
    case(
        "SB with RMWs for the stores",
        "2019 paper, section 2.2, fence: the RMW is the first of the two",
        "RMW x=0->1; R y=0
         RMW y=0->1; R x=0",
        &[(Forbidden, BOTH)],
    ),
    case(
        "SB with RMWs for the loads",
        "2019 paper, section 2.2, fence: the RMW is the second of the two",
        "W x=1; RMW y=0->2
         W y=1; RMW x=0->2",
        &[(Forbidden, BOTH)],
    ),
    case(
        "SB with one fence",
        "2019 paper, Fig. 2",
        "W x=1; F; R y=0
         W y=1; R x=0",
        &[(Forbidden, SC), (Allowed, TSO)],
    ),
    case(
        "SB+rfi",
        "2019 paper, section 2.2: a load may be forwarded from the store buffer, so internal rf orders nothing",
        "W x=1; R x=1; R y=0
         W y=1; R y=1; R x=0",
        &[(Forbidden, SC), (Allowed, TSO)],
    ),
    case(
        "MP",
        "2019 paper, Fig. 2: load to load and store to store are preserved",
        "W x=1; W y=1
         R y=1; R x=0",
        &[(Forbidden, BOTH)],
    ),
    case(
        "LB",
        "2019 paper, Fig. 2: load to store is preserved",
        "R x=1; W y=1
         R y=1; W x=1",
        &[(Forbidden, BOTH)],
    ),
    case(
        "S",
        "2019 paper, Fig. 2",
        "W x=2; W y=1
         R y=1; W x=1
         final x=2",
        &[(Forbidden, BOTH)],
    ),
    case(
        "R",
        "2019 paper, Fig. 2: store to load is not preserved",
        "W x=1; W y=1
         W y=2; R x=0
         final y=2",
        &[(Forbidden, SC), (Allowed, TSO)],
    ),
    case(
        "2+2W",
        "2019 paper, Fig. 2",
        "W x=1; W y=2
         W y=1; W x=2
         final x=1, y=1",
        &[(Forbidden, BOTH)],
    ),
    case(
        "IRIW",
        "2019 paper, section 3.4: TSO is multi-copy atomic",
        "W x=1
         W y=1
         R x=1; R y=0
         R y=1; R x=0",
        &[(Forbidden, BOTH)],
    ),
    case(
        "WRC",
        "2019 paper, section 3.4: TSO is multi-copy atomic",
        "W x=1
         R x=1; W y=1
         R y=1; R x=0",
        &[(Forbidden, BOTH)],
    ),
    case(
        "CoRR",
        "2019 paper, Fig. 2, SC-per-Location",
        "W x=1
         R x=1; R x=0",
        &[(Forbidden, BOTH)],
    ),
    case("CoWR", "2019 paper, Fig. 2, SC-per-Location", "W x=1; R x=0", &[(Forbidden, BOTH)]),
    case(
        "CoWR of two threads",
        "2019 paper, Fig. 2, SC-per-Location",
        "W x=1; R x=2
         W x=2
         final x=1",
        &[(Forbidden, BOTH)],
    ),
    case("CoRW1", "2019 paper, Fig. 2, SC-per-Location", "R x=1; W x=1", &[(Forbidden, BOTH)]),
    case(
        "CoRW2",
        "2019 paper, Fig. 2, SC-per-Location",
        "R x=1; W x=2
         W x=1
         final x=1",
        &[(Forbidden, BOTH)],
    ),
    case(
        "CoWW",
        "2019 paper, Fig. 2, SC-per-Location",
        "W x=1; W x=2
         final x=1",
        &[(Forbidden, BOTH)],
    ),
    case(
        "two RMWs that read the same write",
        "an RMW is one step",
        "RMW x=0->1
         RMW x=0->2",
        &[(Forbidden, BOTH)],
    ),
    case(
        "a store in the middle of an RMW, seen in that place",
        "an RMW is one step: the order of the writes is 1, 2, but the RMW read 0",
        "RMW x=0->2
         W x=1
         R x=1; R x=2",
        &[(Forbidden, BOTH)],
    ),
    case(
        "RMW reads an RMW",
        "an RMW is one step",
        "RMW x=0->1
         RMW x=1->2",
        &[(Allowed, BOTH)],
    ),
];
