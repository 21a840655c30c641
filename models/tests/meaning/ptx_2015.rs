//! RMO per scope (Fig. 15 and 16 of the 2015 paper). membar.cta, .gl and .sys are fences of order
//! SC with that scope.

use crate::case::Verdict::{Allowed, Forbidden};
use crate::case::{Case, case};

const IT: &[&str] = &["ptx-2015"];

/// The table.
pub const CASES: &[Case] = &[
    case(
        "mp of Fig. 14",
        "2015 paper, Fig. 14 and section 5.3: forbidden by cta-constraint",
        "@0.0.0 W x=1; F.SC.cta; W y=1
         @0.0.0 R y=1; F.SC.gpu; R x=0",
        &[(Forbidden, IT)],
    ),
    case(
        "mp",
        "2015 paper, section 5.2.2",
        "@0.0.0 W x=1; W y=1
         @0.0.0 R y=1; R x=0",
        &[(Allowed, IT)],
    ),
    case(
        "mp, inter-CTA, membar.cta",
        "2015 paper, Fig. 16, line 11: cta-constraint is about one CTA",
        "@0.0.0 W x=1; F.SC.cta; W y=1
         @0.0.1 R y=1; F.SC.cta; R x=0",
        &[(Allowed, IT)],
    ),
    case(
        "mp, inter-CTA, membar.gl (dlb-mp with its fences)",
        "2015 paper, Fig. 7: \"adding the lines prefixed with (+) forbids this behaviour\"",
        "@0.0.0 W x=1; F.SC.gpu; W y=1
         @0.0.1 R y=1; F.SC.gpu; R x=0",
        &[(Forbidden, IT)],
    ),
    case(
        "mp, two gpus, membar.gl",
        "2015 paper, Fig. 16, line 12: gl-constraint is about one gpu",
        "@0.0.0 W x=1; F.SC.gpu; W y=1
         @1.0.0 R y=1; F.SC.gpu; R x=0",
        &[(Allowed, IT)],
    ),
    case(
        "mp, two gpus, membar.sys",
        "2015 paper, Fig. 16, line 13",
        "@0.0.0 W x=1; F.SC.sys; W y=1
         @1.0.0 R y=1; F.SC.sys; R x=0",
        &[(Forbidden, IT)],
    ),
    case(
        "mp, inter-CTA, membar.sys and membar.gl",
        "2015 paper, Fig. 16, line 9: a wider fence is also a narrower one",
        "@0.0.0 W x=1; F.SC.sys; W y=1
         @0.0.1 R y=1; F.SC.gpu; R x=0",
        &[(Forbidden, IT)],
    ),
    case(
        "mp, inter-CTA, a fence and a dependency",
        "2015 paper, Fig. 15, line 7",
        "@0.0.0 W x=1; F.SC.gpu; W y=1
         @0.0.1 a: R y=1; R x=0 addr(a)",
        &[(Forbidden, IT)],
    ),
    case(
        "mp, volatile (mp-volatile)",
        "2015 paper, Fig. 5: observed, and volatile is not in the model",
        "@0.0.0 W.vol x=1; W.vol y=1
         @0.0.0 R.vol y=1; R.vol x=0",
        &[(Allowed, IT)],
    ),
    case(
        "sb, inter-CTA, membar.gl",
        "2015 paper, section 5.2.2",
        "@0.0.0 W x=1; F.SC.gpu; R y=0
         @0.0.1 W y=1; F.SC.gpu; R x=0",
        &[(Forbidden, IT)],
    ),
    case(
        "lb+membar.ctas, inter-CTA",
        "2015 paper, section 6: observed on hardware, so the model must allow it",
        "@0.0.0 R y=1; F.SC.cta; W x=1
         @0.0.1 R x=1; F.SC.cta; W y=1",
        &[(Allowed, IT)],
    ),
    case(
        "dlb-lb",
        "2015 paper, Fig. 8: observed without fences",
        "@0.0.0 RMW.RLX.gpu h=1->2; W t=1
         @0.0.1 R t=1; RMW.RLX.gpu h=0->1",
        &[(Allowed, IT)],
    ),
    case(
        "dlb-lb with its fences",
        "2015 paper, Fig. 8: \"adding the lines prefixed with (+) forbids this behaviour\"",
        "@0.0.0 RMW.RLX.gpu h=1->2; F.SC.gpu; W t=1
         @0.0.1 R t=1; F.SC.gpu; RMW.RLX.gpu h=0->1",
        &[(Forbidden, IT)],
    ),
    case(
        "coRR (intra-CTA)",
        "2015 paper, Fig. 1: observed; section 5.2.2: allowed",
        "@0.0.0 W x=1
         @0.0.0 R x=1; R x=0",
        &[(Allowed, IT)],
    ),
    case("coWR", "2015 paper, Fig. 15, line 3, WR", "W x=1; R x=0", &[(Forbidden, IT)]),
    case("coRW1", "2015 paper, Fig. 15, line 3, RW", "R x=1; W x=1", &[(Forbidden, IT)]),
    case(
        "coRW2",
        "2015 paper, Fig. 15, line 3, RW",
        "R x=1; W x=2
         W x=1
         final x=1",
        &[(Forbidden, IT)],
    ),
    case(
        "coWW",
        "2015 paper, Fig. 15, line 3, WW",
        "W x=1; W x=2
         final x=1",
        &[(Forbidden, IT)],
    ),
    case(
        "racing stores",
        "2015 paper, section 5.1.1: coherence is total",
        "W x=1
         W x=2
         final x=1, x=2",
        &[(Forbidden, IT)],
    ),
    case(
        "2+2W, inter-CTA, membar.gl",
        "2015 paper, Fig. 15, line 7",
        "@0.0.0 W x=1; F.SC.gpu; W y=2
         @0.0.1 W y=1; F.SC.gpu; W x=2
         final x=1, y=1",
        &[(Forbidden, IT)],
    ),
    case(
        "lb with data dependencies",
        "2015 paper, Fig. 15, line 6",
        "a: R y=1; W x=1 data(a)
         b: R x=1; W y=1 data(b)",
        &[(Forbidden, IT)],
    ),
    case(
        "lb with address and control dependencies",
        "2015 paper, Fig. 15, line 5",
        "a: R y=1; W x=1 addr(a)
         b: R x=1; W y=1 ctrl(b)",
        &[(Forbidden, IT)],
    ),
    case(
        "thin air within a thread",
        "2015 paper, Fig. 15, line 6",
        "a: R x=1; W y=1 data(a); b: R y=1; W x=1 data(b)",
        &[(Forbidden, IT)],
    ),
    case(
        "lb with a store forwarded to a load",
        "2015 paper, Fig. 15, line 6: all reads-from, not only external",
        "a: R y=1; W z=1 data(a); b: R z=1; W x=1 data(b)
         c: R x=1; W y=1 data(c)",
        &[(Forbidden, IT)],
    ),
    case(
        "mp, accesses of cta scope in between",
        "only fences order",
        "@0.0.0 W x=1; W.RLX.cta a=1; W y=1
         @0.0.0 R y=1; R.RLX.cta b=0; R x=0",
        &[(Allowed, IT)],
    ),
    case(
        "mp, accesses of gpu scope in between",
        "only fences order",
        "@0.0.0 W x=1; W.RLX.gpu a=1; W y=1
         @0.0.0 R y=1; R.RLX.gpu b=0; R x=0",
        &[(Allowed, IT)],
    ),
    case(
        "mp, accesses of sys scope in between",
        "only fences order",
        "@0.0.0 W x=1; W.RLX.sys a=1; W y=1
         @0.0.0 R y=1; R.RLX.sys b=0; R x=0",
        &[(Allowed, IT)],
    ),
    case(
        "mp, fences of cluster scope",
        "no instruction of 2015: it orders nothing",
        "@0.0.0 W x=1; F.SC.cluster; W y=1
         @0.0.0 R y=1; F.SC.cluster; R x=0",
        &[(Allowed, IT)],
    ),
    case(
        "sb after what the thread wrote itself",
        "2015 paper, Fig. 15, line 7: external reads-from only",
        "@0.0.0 W x=1; a: R x=1; R y=0 addr(a)
         @0.0.0 W y=1; b: R y=1; R x=0 addr(b)",
        &[(Allowed, IT)],
    ),
    case(
        "two RMWs that read the same write",
        "an RMW is one step; section 2.3 of the 2015 paper leaves them out",
        "RMW.RLX.gpu x=0->1
         RMW.RLX.gpu x=0->2",
        &[(Forbidden, IT)],
    ),
];
