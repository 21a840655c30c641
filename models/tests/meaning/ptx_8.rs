//! What the current PTX ISA has beyond PTX 6.0: clusters, volatile and mmio, reductions, proxies
//! and aliases (chapter 8).

use crate::case::Verdict::{Allowed, Forbidden};
use crate::case::{Case, case};

const IT: &[&str] = &["ptx-8"];

/// A row whose outcome `ptx-8` allows.
pub const fn allowed(name: &'static str, source: &'static str, text: &'static str) -> Case {
    case(name, source, text, &[(Allowed, IT)])
}

/// A row whose outcome `ptx-8` forbids.
pub const fn forbidden(name: &'static str, source: &'static str, text: &'static str) -> Case {
    case(name, source, text, &[(Forbidden, IT)])
}

/// The table.
pub const CASES: &[Case] = &[
    forbidden(
        "MP, release and acquire at cluster scope in one cluster",
        "ISA 8.5",
        "@0.0.0 W x=1; W.REL.cluster y=1
         @0.0.1 R.ACQ.cluster y=1; R x=0",
    ),
    allowed(
        "MP, release and acquire at cluster scope in two clusters",
        "ISA 8.5",
        "@0.0.0 W x=1; W.REL.cluster y=1
         @0.1.0 R.ACQ.cluster y=1; R x=0",
    ),
    forbidden(
        "MP across barrier.cluster",
        "ISA 8.9.4, item 3",
        "@0.0.0 W x=1; BAR.cluster 0
         @0.0.1 BAR.cluster 0; R x=0",
    ),
    forbidden(
        "MP across barrier.cluster, a fence before the relaxed arrival",
        "ISA 9.7.13.4, barrier.cluster, the second example",
        "@0.0.0 W x=1; F.AR.cluster; ARRIVE.RLX.cluster 0; WAIT.cluster 0
         @0.0.1 ARRIVE.RLX.cluster 0; WAIT.cluster 0; R x=0",
    ),
    allowed(
        "MP across barrier.cluster, the arrival is relaxed",
        "ISA 9.7.13.4, barrier.cluster: a relaxed arrival does not provide any memory ordering",
        "@0.0.0 W x=1; ARRIVE.RLX.cluster 0; WAIT.cluster 0
         @0.0.1 ARRIVE.RLX.cluster 0; WAIT.cluster 0; R x=0",
    ),
    allowed(
        "MP across barrier.cluster, the arrival is relaxed and the store is strong",
        "ISA 9.7.13.4, barrier.cluster: nothing but a fence orders what is before a relaxed arrival",
        "@0.0.0 W.RLX.cluster x=1; ARRIVE.RLX.cluster 0; WAIT.cluster 0
         @0.0.1 ARRIVE.RLX.cluster 0; WAIT.cluster 0; R x=0",
    ),
    allowed(
        "MP across barrier.cluster, the fence before the relaxed arrival is of another cta",
        "ISA 8.7 and 9.7.13.4: the scope of the fence does not include the thread that waits",
        "@0.0.0 W x=1; F.AR.cta; ARRIVE.RLX.cluster 0; WAIT.cluster 0
         @0.0.1 ARRIVE.RLX.cluster 0; WAIT.cluster 0; R x=0",
    ),
    forbidden(
        "MP, fences, volatile flag",
        "ISA 8.4.2: a volatile operation is a relaxed one at system scope",
        "W x=1; F.AR.gpu; W.vol y=1
         R.vol y=1; F.AR.gpu; R x=0",
    ),
    allowed(
        "MP, volatile",
        "ISA 8.4.2: not more than relaxed",
        "W.vol x=1; W.vol y=1
         R.vol y=1; R.vol x=0",
    ),
    forbidden(
        "MP, fences, mmio flag",
        "ISA 8.4.1: an mmio operation is a strong one",
        "W x=1; F.AR.sys; W.mmio y=1
         R.mmio y=1; F.AR.sys; R x=0",
    ),
    forbidden(
        "CoRR, volatile",
        "ISA 8.4.2 and 8.10.5",
        "W.vol x=1
         R.vol x=1; R.vol x=0",
    ),
    forbidden(
        "CoRR, mmio",
        "ISA 8.4.1 and 8.10.5",
        "W.mmio x=1
         R.mmio x=1; R.mmio x=0",
    ),
    allowed(
        "MP with a red instruction",
        "ISA 8.11.1: possible",
        "W x=42; W.REL.gpu flag=1
         RMW.RLX.gpu.red flag=1->2; F.ACQ.gpu; R x=0
         final flag=2",
    ),
    forbidden(
        "MP with an atom instruction",
        "ISA 8.11.1: \"using the atom instruction instead of red forbids this outcome\"",
        "W x=42; W.REL.gpu flag=1
         RMW.RLX.gpu flag=1->2; F.ACQ.gpu; R x=0
         final flag=2",
    ),
    allowed(
        "MP with a red instruction before an acquire of the flag",
        "ISA 8.8: the read of a reduction does not form the second form either",
        "W x=1; W.REL.gpu y=1
         RMW.RLX.gpu.red y=1->2; R.ACQ.gpu y=3; R x=0
         W.RLX.gpu y=3",
    ),
    forbidden(
        "MP through a red instruction of a third thread",
        "ISA 8.9.2: atomic operations, and a red is one",
        "W x=1; W.REL.gpu y=1
         RMW.RLX.gpu.red y=1->2
         R.ACQ.gpu y=2; R x=0",
    ),
    forbidden(
        "a red that releases",
        "ISA 8.4: a release operation",
        "W x=1; RMW.REL.gpu.red y=0->1
         R.ACQ.gpu y=1; R x=0",
    ),
    allowed(
        "CoWR through aliases",
        "ISA 8.10.6: no order without a proxy fence",
        "W x=1; R y=0
         alias y x",
    ),
    forbidden(
        "CoWR through aliases, proxy fence",
        "ISA 8.10.6: \"virtual aliases require an alias proxy fence along the synchronization path\"",
        "W x=1; P.ALIAS; R y=0
         alias y x",
    ),
    allowed(
        "CoWR through aliases, memory fence",
        "ISA 8.6: a proxy fence is required",
        "W x=1; F.SC.sys; R y=0
         alias y x",
    ),
    forbidden(
        "CoWW through aliases, proxy fence",
        "ISA 8.10.1",
        "W x=1; P.ALIAS; W y=2
         final x=1
         alias y x",
    ),
    forbidden(
        "MP with aliased data, proxy fence in the reader",
        "ISA 8.9.5, item 3: anywhere along the path",
        "W x=1; W.REL.gpu f=1
         R.ACQ.gpu f=1; P.ALIAS; R y=0
         alias y x",
    ),
    forbidden(
        "MP with aliased data, proxy fence in the writer",
        "ISA 8.9.5, item 3: anywhere along the path",
        "W x=1; P.ALIAS; W.REL.gpu f=1
         R.ACQ.gpu f=1; R y=0
         alias y x",
    ),
    allowed(
        "MP with aliased data, no proxy fence",
        "ISA 8.9.5, item 3",
        "W x=1; W.REL.gpu f=1
         R.ACQ.gpu f=1; R y=0
         alias y x",
    ),
    allowed(
        "MP with aliased data, proxy fence behind the path",
        "ISA 8.9.5, item 3: along the path",
        "W x=1; W.REL.gpu f=1; P.ALIAS
         R.ACQ.gpu f=1; R y=0
         alias y x",
    ),
    allowed(
        "MP with aliased data, another proxy's fence",
        "ISA 8.9.5, item 3: an alias proxy fence",
        "W x=1; P.TEX; W.REL.gpu f=1
         R.ACQ.gpu f=1; R y=0
         alias y x",
    ),
    allowed(
        "a flag written and read through aliases",
        "ISA 8.2.1 and 8.7, item 3: aliases do not overlap, so they are not morally strong",
        "W x=1; W.REL.gpu f=1
         R.ACQ.gpu g=1; R x=0
         alias g f",
    ),
    allowed(
        "the flag's release and a later store through an alias",
        "ISA 8.8, second form: on the same location M",
        "W x=1; W.REL.gpu f=1; W.RLX.gpu g=2
         R.RLX.gpu g=2; F.AR.gpu; R x=0
         alias g f",
    ),
    allowed(
        "the flag's load and a later acquire through an alias",
        "ISA 8.8, second form: on the same location M",
        "W x=1; F.AR.gpu; W.RLX.gpu f=1
         R.RLX.gpu f=1; R.ACQ.gpu g=2; R x=0
         W.RLX.gpu g=2
         alias g f",
    ),
    allowed(
        "CoRR, two loads through aliases",
        "ISA 8.10.5: program order between overlapping operations",
        "W.RLX.gpu x=1
         R.RLX.gpu x=1; R.RLX.gpu y=0
         alias y x",
    ),
    allowed(
        "stores through aliases need not be ordered",
        "ISA 8.9.6: overlapping write operations",
        "W.RLX.gpu x=1
         W.RLX.gpu y=2
         alias y x
         final x=1, x=2",
    ),
    allowed(
        "an alias fence between stores to two locations",
        "ISA 8.9.5, item 3: it orders aliases only",
        "W x=1; P.ALIAS; W y=1",
    ),
    forbidden(
        "MP across bar.warp.sync",
        "ISA 9.7.13.2",
        "@0.0.0 W x=1; BAR.warp 0
         @0.0.0 BAR.warp 0; R x=0",
    ),
    allowed(
        "MP across a shuffle, a fence before it",
        "ISA, shfl.sync: no word about memory",
        "@0.0.0 W x=1; F.AR.cta; BAR.RLX.warp 0
         @0.0.0 BAR.RLX.warp 0; R x=0",
    ),
    forbidden(
        "a launch passes through proxies",
        "ISA 8.9.4, API synchronization: it also participates in proxy-preserved base causality order",
        "W x=1; ARRIVE.sys 1
         WAIT.sys 1; R.TEX s=0
         handle s x",
    ),
    allowed(
        "a barrier of a cta does not",
        "ISA 8.6: a proxy fence is required",
        "@0.0.0 W x=1; BAR 1
         @0.0.0 BAR 1; R.TEX s=0
         handle s x",
    ),
    allowed(
        "a fence of scope sys does not",
        "ISA 8.6: a proxy fence is required",
        "W x=1; F.SC.sys; W.RLX.sys y=1
         R.RLX.sys y=1; F.SC.sys; R.TEX s=0
         handle s x",
    ),
    allowed(
        "a launch orders what overlaps",
        "ISA 8.9.5: same address",
        "W x=1; ARRIVE.sys 1
         WAIT.sys 1; W y=1
         final x=1, y=1",
    ),
    allowed(
        "what stands behind the launch is not ordered by it",
        "ISA 8.9.4, API synchronization 5",
        "ARRIVE.sys 1; W x=1
         WAIT.sys 1; R.TEX s=0
         handle s x",
    ),
];
