//! Proxies other than the generic one, and the fences between them (PTX ISA, 8.6 and 8.9.5).

use crate::case::Case;
use crate::ptx_8::{allowed, forbidden};

/// The table.
pub const CASES: &[Case] = &[
    forbidden(
        "surface accesses of one cta",
        "ISA 8.9.5, item 2: same proxy, same thread block",
        "@0.0.0 W.SUR x=1; W.REL.gpu f=1
         @0.0.0 R.ACQ.gpu f=1; R.SUR x=0",
    ),
    allowed(
        "surface accesses of two ctas",
        "ISA 8.9.5, item 2: same thread block",
        "W.SUR x=1; W.REL.gpu f=1
         R.ACQ.gpu f=1; R.SUR x=0",
    ),
    forbidden(
        "texture accesses of one cta",
        "ISA 8.9.5, item 2: same proxy, same thread block",
        "@0.0.0 W.TEX x=1; W.REL.gpu f=1
         @0.0.0 R.ACQ.gpu f=1; R.TEX x=0",
    ),
    forbidden(
        "constant accesses of one cta",
        "ISA 8.9.5, item 2: same proxy, same thread block",
        "@0.0.0 W.CON x=1; W.REL.gpu f=1
         @0.0.0 R.ACQ.gpu f=1; R.CON x=0",
    ),
    allowed(
        "a generic store and a surface load of one cta",
        "ISA 8.9.5, item 2: same proxy",
        "@0.0.0 W x=1; W.REL.gpu f=1
         @0.0.0 R.ACQ.gpu f=1; R.SUR x=0",
    ),
    allowed(
        "a generic store and a surface load of one thread",
        "ISA 8.7, item 2: same proxy, even within a thread",
        "W x=1; R.SUR x=0",
    ),
    allowed(
        "a surface store and a generic load",
        "ISA 8.9.5: same proxy",
        "@0.0.0 W.SUR x=1; W.REL.gpu f=1
         @0.0.0 R.ACQ.gpu f=1; R x=0",
    ),
    allowed(
        "a generic store and a texture load of one cta",
        "ISA 8.9.5, item 2: same proxy",
        "@0.0.0 W x=1; W.REL.gpu f=1
         @0.0.0 R.ACQ.gpu f=1; R.TEX x=0",
    ),
    allowed(
        "a texture load and a generic store of one cta",
        "ISA 8.9.5, item 2: same proxy",
        "@0.0.0 R.TEX x=1; W.REL.gpu f=1
         @0.0.0 R.ACQ.gpu f=1; W x=1",
    ),
    allowed(
        "a generic store and a constant load of one cta",
        "ISA 8.9.5, item 2: same proxy",
        "@0.0.0 W x=1; W.REL.gpu f=1
         @0.0.0 R.ACQ.gpu f=1; R.CON x=0",
    ),
    allowed(
        "a constant load and a generic store of one cta",
        "ISA 8.9.5, item 2: same proxy",
        "@0.0.0 R.CON x=1; W.REL.gpu f=1
         @0.0.0 R.ACQ.gpu f=1; W x=1",
    ),
    allowed(
        "surface accesses of two ctas, alias fence",
        "ISA 8.9.5, item 3: an alias fence orders aliases, not other proxies",
        "W.SUR x=1; P.ALIAS; W.REL.gpu f=1
         R.ACQ.gpu f=1; R.SUR x=0",
    ),
    allowed(
        "a constant load through an alias",
        "ISA 8.6: a fence of the proxy",
        "@0.0.0 W x=1; R.CON c=0
         handle c x",
    ),
    forbidden(
        "a constant load through an alias, constant fence",
        "ISA 8.6: a fence of the proxy",
        "@0.0.0 W x=1; P.CON; R.CON c=0
         handle c x",
    ),
    allowed(
        "a constant load through an alias, texture fence",
        "ISA 8.6: a fence of the proxy",
        "@0.0.0 W x=1; P.TEX; R.CON c=0
         handle c x",
    ),
    allowed(
        "a constant load through an alias, alias fence",
        "ISA 8.9.5, item 3, and 8.6: aliases use the generic method",
        "@0.0.0 W x=1; P.ALIAS; R.CON c=0
         handle c x",
    ),
    allowed(
        "a surface store through an alias, alias fence",
        "ISA 8.9.5, item 3, and 8.6: aliases use the generic method",
        "@0.0.0 W.SUR s=1; P.ALIAS; R x=0
         handle s x",
    ),
    allowed(
        "a constant load through an alias, memory fence",
        "ISA 8.6: a fence of the proxy",
        "@0.0.0 W x=1; F.SC.sys; R.CON c=0
         handle c x",
    ),
    forbidden(
        "MP with a constant load, constant fence in the reader",
        "ISA 8.6 and 8.9.5, item 2: in the thread block of the constant load",
        "W x=1; W.REL.gpu f=1
         R.ACQ.gpu f=1; P.CON; R.CON c=0
         handle c x",
    ),
    allowed(
        "MP with a constant load, constant fence in the writer",
        "ISA 8.6 and 8.9.5, item 2: not in the thread block of the constant load",
        "W x=1; P.CON; W.REL.gpu f=1
         R.ACQ.gpu f=1; R.CON c=0
         handle c x",
    ),
    forbidden(
        "MP with a surface load, surface fence in the reader",
        "ISA 8.6 and 8.9.5, item 2",
        "W x=1; W.REL.gpu f=1
         R.ACQ.gpu f=1; P.SUR; R.SUR t=0
         handle t x",
    ),
    forbidden(
        "MP with a texture load, texture fence in the reader",
        "ISA 8.6 and 8.9.5, item 2",
        "W x=1; W.REL.gpu f=1
         R.ACQ.gpu f=1; P.TEX; R.TEX t=0
         handle t x",
    ),
    forbidden(
        "MP with a surface store, surface fence in the writer",
        "ISA 8.6 and 8.9.5, item 2",
        "W.SUR s=1; P.SUR; W.REL.gpu f=1
         R.ACQ.gpu f=1; R x=0
         handle s x",
    ),
    allowed(
        "MP with a surface store, surface fence in the reader",
        "ISA 8.6 and 8.9.5, item 2: not in the thread block of the surface store",
        "W.SUR s=1; W.REL.gpu f=1
         R.ACQ.gpu f=1; P.SUR; R x=0
         handle s x",
    ),
    forbidden(
        "LB with a texture load, texture fence",
        "ISA 8.6 and 8.9.5, item 2",
        "R.TEX t=1; P.TEX; W.REL.gpu f=1
         R.ACQ.gpu f=1; W x=1
         handle t x",
    ),
    forbidden(
        "LB with a constant load, constant fence",
        "ISA 8.6 and 8.9.5, item 2",
        "R.CON t=1; P.CON; W.REL.gpu f=1
         R.ACQ.gpu f=1; W x=1
         handle t x",
    ),
    forbidden(
        "MP from surface to texture, both fences",
        "ISA 8.6 and 8.9.5, item 2",
        "W.SUR s=1; P.SUR; W.REL.gpu f=1
         R.ACQ.gpu f=1; P.TEX; R.TEX t=0
         handle s x
         handle t x",
    ),
    allowed(
        "MP from surface to texture, surface fence only",
        "ISA 8.6 and 8.9.5, item 2",
        "W.SUR s=1; P.SUR; W.REL.gpu f=1
         R.ACQ.gpu f=1; R.TEX t=0
         handle s x
         handle t x",
    ),
    allowed(
        "a surface fence between accesses to two locations",
        "ISA 8.6: of one location",
        "W.SUR s=1; P.SUR; W y=1
         handle s x",
    ),
    allowed(
        "MP from surface to texture, texture fence only",
        "ISA 8.6 and 8.9.5, item 2",
        "W.SUR s=1; W.REL.gpu f=1
         R.ACQ.gpu f=1; P.TEX; R.TEX t=0
         handle s x
         handle t x",
    ),
    allowed(
        "a constant load of another location in place of the fence",
        "ISA 8.6: a fence",
        "W x=1; R.CON d=0; R.CON c=0
         handle c x",
    ),
    allowed(
        "a surface store to another location in place of the fence",
        "ISA 8.6: a fence",
        "W.SUR s=1; W.SUR d=1; R x=0
         handle s x",
    ),
    allowed(
        "a constant fence of the cta, but not before the load",
        "ISA 8.9.5: along the path",
        "@0.0.0 W x=1; P.CON
         @0.0.0 R.CON c=0
         handle c x",
    ),
    allowed(
        "a texture fence of the cta, but not after the load",
        "ISA 8.9.5: along the path",
        "@0.0.0 R.TEX t=1
         @0.0.0 P.TEX; W x=1
         handle t x",
    ),
    allowed(
        "LB with a texture load, surface fence",
        "ISA 8.6: a fence of the proxy",
        "R.TEX t=1; P.SUR; W.REL.gpu f=1
         R.ACQ.gpu f=1; W x=1
         handle t x",
    ),
    allowed(
        "SB with a surface and the generic address",
        "ISA 8.10.5: pairwise morally strong, which is of one proxy (8.7, item 2)",
        "W.SUR.RLX.gpu s=1; R.RLX.gpu x=0
         W.RLX.gpu x=2; R.SUR.RLX.gpu s=0
         handle s x",
    ),
    allowed(
        "a surface store between the halves of an RMW",
        "ISA 8.10.3 and 8.7, item 2: not morally strong",
        "RMW.RLX.gpu x=0->1
         W.SUR.RLX.gpu s=2
         handle s x
         final x=1",
    ),
    forbidden(
        "two names of one surface in one cta",
        "ISA 8.9.5, item 2: same address, whatever the name",
        "@0.0.0 W.SUR s=1; R.SUR t=0
         handle s x
         handle t x",
    ),
    forbidden(
        "two names of one surface, one through the other",
        "ISA 8.9.5, item 2: same address, whatever the name",
        "@0.0.0 W.SUR s=1; R.SUR t=0
         handle s x
         handle t s",
    ),
    allowed(
        "surfaces of two aliases in one cta",
        "ISA 8.9.5, item 2: same address",
        "@0.0.0 W.SUR s=1; R.SUR t=0
         alias y x
         handle s x
         handle t y",
    ),
    allowed(
        "surfaces of two aliases in one cta, alias fence",
        "ISA 8.9.5, item 3, and 8.6: aliases use the generic method",
        "@0.0.0 W.SUR s=1; P.ALIAS; R.SUR t=0
         alias y x
         handle s x
         handle t y",
    ),
    forbidden(
        "surfaces of two aliases in one cta, all fences",
        "ISA 8.9.5, item 3, and 8.6",
        "@0.0.0 W.SUR s=1; P.SUR; P.ALIAS; P.SUR; R.SUR t=0
         alias y x
         handle s x
         handle t y",
    ),
    allowed(
        "a surface store at an alias, surface fence",
        "ISA 8.9.5, item 3: aliases need an alias fence",
        "@0.0.0 W.SUR s=1; P.SUR; R x=0
         alias y x
         handle s y",
    ),
    forbidden(
        "a surface store at an alias, surface and alias fence",
        "ISA 8.9.5, item 3, and 8.6",
        "@0.0.0 W.SUR s=1; P.SUR; P.ALIAS; R x=0
         alias y x
         handle s y",
    ),
    allowed(
        "a surface store at an alias, alias and surface fence",
        "ISA 8.6: aliases use the generic method, so the surface is left first",
        "@0.0.0 W.SUR s=1; P.ALIAS; P.SUR; R x=0
         alias y x
         handle s y",
    ),
    allowed(
        "a constant load at an alias, constant fence",
        "ISA 8.9.5, item 3: aliases need an alias fence",
        "@0.0.0 W x=1; P.CON; R.CON c=0
         alias y x
         handle c y",
    ),
    forbidden(
        "a constant load at an alias, alias and constant fence",
        "ISA 8.9.5, item 3, and 8.6",
        "@0.0.0 W x=1; P.ALIAS; P.CON; R.CON c=0
         alias y x
         handle c y",
    ),
    allowed(
        "a constant load at an alias, constant and alias fence",
        "ISA 8.6: aliases use the generic method, so constants are entered last",
        "@0.0.0 W x=1; P.CON; P.ALIAS; R.CON c=0
         alias y x
         handle c y",
    ),
    allowed(
        "MP from surface to texture at an alias, both proxy fences",
        "ISA 8.9.5, item 3: aliases need an alias fence",
        "W.SUR s=1; P.SUR; W.REL.gpu f=1
         R.ACQ.gpu f=1; P.TEX; R.TEX t=0
         alias y x
         handle s y
         handle t x",
    ),
    forbidden(
        "MP from surface to texture at an alias, all fences",
        "ISA 8.9.5, item 3, and 8.6",
        "W.SUR s=1; P.SUR; W.REL.gpu f=1
         R.ACQ.gpu f=1; P.ALIAS; P.TEX; R.TEX t=0
         alias y x
         handle s y
         handle t x",
    ),
    allowed(
        "MP from surface to texture at an alias, no texture fence",
        "ISA 8.6: a fence of the proxy",
        "W.SUR s=1; P.SUR; W.REL.gpu f=1
         R.ACQ.gpu f=1; P.ALIAS; R.TEX t=0
         alias y x
         handle s y
         handle t x",
    ),
    allowed(
        "an alias of an alias",
        "ISA 8.9.5, item 3: aliases need an alias fence",
        "@0.0.0 W z=1; R x=0
         alias y x
         alias z y",
    ),
    forbidden(
        "an alias of an alias, alias fence",
        "ISA 8.9.5, item 3",
        "@0.0.0 W z=1; P.ALIAS; R x=0
         alias y x
         alias z y",
    ),
    allowed(
        "an alias of a surface",
        "ISA 8.9.5, item 3: a generic address of its own",
        "@0.0.0 W z=1; R x=0
         handle s x
         alias z s",
    ),
    forbidden(
        "an alias of a surface, alias fence",
        "ISA 8.9.5, item 3",
        "@0.0.0 W z=1; P.ALIAS; R x=0
         handle s x
         alias z s",
    ),
    forbidden(
        "a generic load by the name of a surface",
        "ISA 8.6: the proxy is the method of access; the name has the generic address of x",
        "@0.0.0 W x=1; R s=0
         handle s x",
    ),
];
