//! The C++ models: the SC axiom (Fig. 10 of the 2019 paper; the examples of Lahav et al., PLDI
//! 2017).

use crate::c::{ALL, SCOPED, UNSCOPED};
use crate::case::Verdict::{Allowed, Forbidden, Racy};
use crate::case::{Case, case};

/// The table.
pub const CASES: &[Case] = &[
    case(
        "SB, seq_cst",
        "2019 paper, Fig. 10, SC",
        "W.SC.sys x=1; R.SC.sys y=0
         W.SC.sys y=1; R.SC.sys x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "SB, seq_cst but for one load",
        "2019 paper, Fig. 10, SC",
        "W.SC.sys x=1; R.SC.sys y=0
         W.SC.sys y=1; R.ACQ.sys x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "SB, release and acquire",
        "2019 paper, Fig. 10",
        "W.REL.sys x=1; R.ACQ.sys y=0
         W.REL.sys y=1; R.ACQ.sys x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "SB, seq_cst of work-group scope in two work-groups",
        "2019 paper, Fig. 10, SC",
        "W.SC.cta x=1; R.SC.cta y=0
         W.SC.cta y=1; R.SC.cta x=0",
        &[(Racy, SCOPED), (Forbidden, UNSCOPED)],
    ),
    case(
        "SB, seq_cst fences",
        "2019 paper, Fig. 10, psc",
        "W.RLX.sys x=1; F.SC.sys; R.RLX.sys y=0
         W.RLX.sys y=1; F.SC.sys; R.RLX.sys x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "SB, seq_cst fences of work-group scope",
        "2019 paper, Fig. 10, SC: incl on the fences",
        "W.RLX.sys x=1; F.SC.cta; R.RLX.sys y=0
         W.RLX.sys y=1; F.SC.cta; R.RLX.sys x=0",
        &[(Allowed, SCOPED), (Forbidden, UNSCOPED)],
    ),
    case(
        "SB, acq_rel fences",
        "2019 paper, Fig. 10, psc",
        "W.RLX.sys x=1; F.AR.sys; R.RLX.sys y=0
         W.RLX.sys y=1; F.AR.sys; R.RLX.sys x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "SB, seq_cst accesses against a seq_cst fence",
        "2019 paper, Fig. 10, psc_base: accesses and fences mix",
        "W.SC.sys x=1; R.SC.sys y=0
         W.RLX.sys y=1; F.SC.sys; R.RLX.sys x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "2+2W, seq_cst",
        "2019 paper, Fig. 10, scb: mo",
        "W.SC.sys x=1; W.SC.sys y=2
         W.SC.sys y=1; W.SC.sys x=2
         final x=1, y=1",
        &[(Forbidden, ALL)],
    ),
    case(
        "2+2W, seq_cst fences",
        "2019 paper, Fig. 10, psc",
        "W.RLX.sys x=1; F.SC.sys; W.RLX.sys y=2
         W.RLX.sys y=1; F.SC.sys; W.RLX.sys x=2
         final x=1, y=1",
        &[(Forbidden, ALL)],
    ),
    case(
        "IRIW, seq_cst",
        "2019 paper, Fig. 10, scb: hb on one location",
        "W.SC.sys x=1
         W.SC.sys y=1
         R.SC.sys x=1; R.SC.sys y=0
         R.SC.sys y=1; R.SC.sys x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "IRIW-acq-sc",
        "Lahav et al., section 1: the strengthening of C11 that RC11 takes back",
        "W.SC.sys x=1
         W.SC.sys y=1
         R.ACQ.sys x=1; R.SC.sys y=0
         R.ACQ.sys y=1; R.SC.sys x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "IRIW, seq_cst fences between relaxed loads",
        "2019 paper, Fig. 10, psc_F: eco",
        "W.RLX.sys x=1
         W.RLX.sys y=1
         R.RLX.sys x=1; F.SC.sys; R.RLX.sys y=0
         R.RLX.sys y=1; F.SC.sys; R.RLX.sys x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "RWC, seq_cst fences",
        "Lahav et al., section 3.2 (RWC+syncs): psc_F",
        "W.RLX.sys x=1
         R.RLX.sys x=1; F.SC.sys; R.RLX.sys y=0
         W.RLX.sys y=1; F.SC.sys; R.RLX.sys x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "Z6.U",
        "Lahav et al., section 1: allowed, as the path from the first write goes through same-location program order",
        "W.SC.sys x=1; W.REL.sys y=1
         RMW.SC.sys y=1->2; R.RLX.sys y=3
         W.SC.sys y=3; R.SC.sys x=0
         final y=3",
        &[(Allowed, ALL)],
    ),
    case(
        "SB through happens-before between different locations",
        "2019 paper, Fig. 10, scb: sb on different locations around hb",
        "W.SC.sys x=1; W.REL.sys y=1
         R.ACQ.sys y=1; R.SC.sys z=0
         W.SC.sys z=1; R.SC.sys x=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "S, seq_cst store against a seq_cst fence",
        "2019 paper, Fig. 10, psc_F is between fences only",
        "W.SC.sys x=2; W.RLX.sys y=1
         R.RLX.sys y=1; F.SC.sys; W.RLX.sys x=1
         final x=2",
        &[(Allowed, ALL)],
    ),
    case(
        "SB, seq_cst load against a seq_cst fence",
        "2019 paper, Fig. 10, psc_F is between fences only",
        "W.RLX.sys x=1; F.SC.sys; R.RLX.sys y=0
         W.RLX.sys y=1; R.SC.sys x=0",
        &[(Allowed, ALL)],
    ),
    case(
        "a fence of work-group scope before a seq_cst load of system scope",
        "2019 paper, Fig. 10, SC: each step of the cycle is inclusive, and a longer one would not be",
        "@0.0.0 W.RLX.sys a=1; F.SC.cta; R.SC.sys b=0
         @0.0.1 W.SC.sys b=1; R.SC.sys c=0
         @0.0.0 W.RLX.sys c=1; F.SC.sys; R.RLX.sys a=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "a fence of work-group scope after a seq_cst store of system scope",
        "2019 paper, Fig. 10, SC: each step of the cycle is inclusive, and a longer one would not be",
        "@0.0.0 W.SC.sys b=1; F.SC.cta; R.RLX.sys a=0
         @0.0.0 W.RLX.sys a=1; F.SC.sys; R.RLX.sys c=0
         @0.0.1 W.SC.sys c=1; R.SC.sys b=0",
        &[(Forbidden, ALL)],
    ),
    case(
        "fences that synchronise in a chain of scopes",
        "2019 paper, Fig. 10, SC: each step of the cycle is inclusive, and a longer one would not be",
        "@0.0.0 W.RLX.sys a=1; F.SC.gpu; W.RLX.gpu f=1
         @0.0.1 R.RLX.gpu f=1; F.SC.sys; R.RLX.sys y=0
         @1.0.0 W.SC.sys y=1; R.SC.sys v=0
         @0.0.0 W.SC.sys v=1; F.SC.cta; R.RLX.sys a=0",
        &[(Forbidden, ALL)],
    ),
];
