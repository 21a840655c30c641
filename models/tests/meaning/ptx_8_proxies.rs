//! Proxies other than the generic one, and the fences between them (PTX ISA, 8.6 and 8.9.5).

use crate::case::Verdict::{Allowed, Forbidden};
use crate::case::{Case, case};

const IT: &[&str] = &["ptx-8"];

/// The table.
pub const CASES: &[Case] = &[
    case(
        "surface accesses of one cta",
        "ISA 8.9.5, item 2: same proxy, same thread block",
        "@0.0.0 W.SUR x=1; W.REL.gpu f=1
         @0.0.0 R.ACQ.gpu f=1; R.SUR x=0",
        &[(Forbidden, IT)],
    ),
    case(
        "surface accesses of two ctas",
        "ISA 8.9.5, item 2: same thread block",
        "W.SUR x=1; W.REL.gpu f=1
         R.ACQ.gpu f=1; R.SUR x=0",
        &[(Allowed, IT)],
    ),
    case(
        "texture accesses of one cta",
        "ISA 8.9.5, item 2: same proxy, same thread block",
        "@0.0.0 W.TEX x=1; W.REL.gpu f=1
         @0.0.0 R.ACQ.gpu f=1; R.TEX x=0",
        &[(Forbidden, IT)],
    ),
    case(
        "constant accesses of one cta",
        "ISA 8.9.5, item 2: same proxy, same thread block",
        "@0.0.0 W.CON x=1; W.REL.gpu f=1
         @0.0.0 R.ACQ.gpu f=1; R.CON x=0",
        &[(Forbidden, IT)],
    ),
    case(
        "a generic store and a surface load of one cta",
        "ISA 8.9.5, item 2: same proxy",
        "@0.0.0 W x=1; W.REL.gpu f=1
         @0.0.0 R.ACQ.gpu f=1; R.SUR x=0",
        &[(Allowed, IT)],
    ),
    case(
        "a generic store and a surface load of one thread",
        "ISA 8.7, item 2: same proxy, even within a thread",
        "W x=1; R.SUR x=0",
        &[(Allowed, IT)],
    ),
    case(
        "a surface store and a generic load",
        "ISA 8.9.5: same proxy",
        "@0.0.0 W.SUR x=1; W.REL.gpu f=1
         @0.0.0 R.ACQ.gpu f=1; R x=0",
        &[(Allowed, IT)],
    ),
    case(
        "a generic store and a texture load of one cta",
        "ISA 8.9.5, item 2: same proxy",
        "@0.0.0 W x=1; W.REL.gpu f=1
         @0.0.0 R.ACQ.gpu f=1; R.TEX x=0",
        &[(Allowed, IT)],
    ),
    case(
        "a texture load and a generic store of one cta",
        "ISA 8.9.5, item 2: same proxy",
        "@0.0.0 R.TEX x=1; W.REL.gpu f=1
         @0.0.0 R.ACQ.gpu f=1; W x=1",
        &[(Allowed, IT)],
    ),
    case(
        "a generic store and a constant load of one cta",
        "ISA 8.9.5, item 2: same proxy",
        "@0.0.0 W x=1; W.REL.gpu f=1
         @0.0.0 R.ACQ.gpu f=1; R.CON x=0",
        &[(Allowed, IT)],
    ),
    case(
        "a constant load and a generic store of one cta",
        "ISA 8.9.5, item 2: same proxy",
        "@0.0.0 R.CON x=1; W.REL.gpu f=1
         @0.0.0 R.ACQ.gpu f=1; W x=1",
        &[(Allowed, IT)],
    ),
    case(
        "surface accesses of two ctas, alias fence",
        "ISA 8.9.5, item 3: an alias fence orders aliases, not other proxies",
        "W.SUR x=1; P.ALIAS; W.REL.gpu f=1
         R.ACQ.gpu f=1; R.SUR x=0",
        &[(Allowed, IT)],
    ),
    case(
        "a constant load through an alias",
        "ISA 8.6: a fence of the proxy",
        "@0.0.0 W x=1; R.CON c=0
         alias c x",
        &[(Allowed, IT)],
    ),
    case(
        "a constant load through an alias, constant fence",
        "ISA 8.6: a fence of the proxy",
        "@0.0.0 W x=1; P.CON; R.CON c=0
         alias c x",
        &[(Forbidden, IT)],
    ),
    case(
        "a constant load through an alias, texture fence",
        "ISA 8.6: a fence of the proxy",
        "@0.0.0 W x=1; P.TEX; R.CON c=0
         alias c x",
        &[(Allowed, IT)],
    ),
    case(
        "a constant load through an alias, alias fence",
        "ISA 8.9.5, item 3, and 8.6: aliases use the generic method",
        "@0.0.0 W x=1; P.ALIAS; R.CON c=0
         alias c x",
        &[(Allowed, IT)],
    ),
    case(
        "a surface store through an alias, alias fence",
        "ISA 8.9.5, item 3, and 8.6: aliases use the generic method",
        "@0.0.0 W.SUR s=1; P.ALIAS; R x=0
         alias s x",
        &[(Allowed, IT)],
    ),
    case(
        "a constant load through an alias, memory fence",
        "ISA 8.6: a fence of the proxy",
        "@0.0.0 W x=1; F.SC.sys; R.CON c=0
         alias c x",
        &[(Allowed, IT)],
    ),
    case(
        "MP with a constant load, constant fence in the reader",
        "ISA 8.6 and 8.9.5, item 2: in the thread block of the constant load",
        "W x=1; W.REL.gpu f=1
         R.ACQ.gpu f=1; P.CON; R.CON c=0
         alias c x",
        &[(Forbidden, IT)],
    ),
    case(
        "MP with a constant load, constant fence in the writer",
        "ISA 8.6 and 8.9.5, item 2: not in the thread block of the constant load",
        "W x=1; P.CON; W.REL.gpu f=1
         R.ACQ.gpu f=1; R.CON c=0
         alias c x",
        &[(Allowed, IT)],
    ),
    case(
        "MP with a surface load, surface fence in the reader",
        "ISA 8.6 and 8.9.5, item 2",
        "W x=1; W.REL.gpu f=1
         R.ACQ.gpu f=1; P.SUR; R.SUR t=0
         alias t x",
        &[(Forbidden, IT)],
    ),
    case(
        "MP with a texture load, texture fence in the reader",
        "ISA 8.6 and 8.9.5, item 2",
        "W x=1; W.REL.gpu f=1
         R.ACQ.gpu f=1; P.TEX; R.TEX t=0
         alias t x",
        &[(Forbidden, IT)],
    ),
    case(
        "MP with a surface store, surface fence in the writer",
        "ISA 8.6 and 8.9.5, item 2",
        "W.SUR s=1; P.SUR; W.REL.gpu f=1
         R.ACQ.gpu f=1; R x=0
         alias s x",
        &[(Forbidden, IT)],
    ),
    case(
        "MP with a surface store, surface fence in the reader",
        "ISA 8.6 and 8.9.5, item 2: not in the thread block of the surface store",
        "W.SUR s=1; W.REL.gpu f=1
         R.ACQ.gpu f=1; P.SUR; R x=0
         alias s x",
        &[(Allowed, IT)],
    ),
    case(
        "LB with a texture load, texture fence",
        "ISA 8.6 and 8.9.5, item 2",
        "R.TEX t=1; P.TEX; W.REL.gpu f=1
         R.ACQ.gpu f=1; W x=1
         alias t x",
        &[(Forbidden, IT)],
    ),
    case(
        "LB with a constant load, constant fence",
        "ISA 8.6 and 8.9.5, item 2",
        "R.CON t=1; P.CON; W.REL.gpu f=1
         R.ACQ.gpu f=1; W x=1
         alias t x",
        &[(Forbidden, IT)],
    ),
    case(
        "MP from surface to texture, both fences",
        "ISA 8.6 and 8.9.5, item 2",
        "W.SUR s=1; P.SUR; W.REL.gpu f=1
         R.ACQ.gpu f=1; P.TEX; R.TEX t=0
         alias s x
         alias t x",
        &[(Forbidden, IT)],
    ),
    case(
        "MP from surface to texture, surface fence only",
        "ISA 8.6 and 8.9.5, item 2",
        "W.SUR s=1; P.SUR; W.REL.gpu f=1
         R.ACQ.gpu f=1; R.TEX t=0
         alias s x
         alias t x",
        &[(Allowed, IT)],
    ),
    case(
        "a surface fence between accesses to two locations",
        "ISA 8.6: of one location",
        "W.SUR s=1; P.SUR; W y=1
         alias s x",
        &[(Allowed, IT)],
    ),
    case(
        "MP from surface to texture, texture fence only",
        "ISA 8.6 and 8.9.5, item 2",
        "W.SUR s=1; W.REL.gpu f=1
         R.ACQ.gpu f=1; P.TEX; R.TEX t=0
         alias s x
         alias t x",
        &[(Allowed, IT)],
    ),
    case(
        "a constant load of another location in place of the fence",
        "ISA 8.6: a fence",
        "W x=1; R.CON d=0; R.CON c=0
         alias c x",
        &[(Allowed, IT)],
    ),
    case(
        "a surface store to another location in place of the fence",
        "ISA 8.6: a fence",
        "W.SUR s=1; W.SUR d=1; R x=0
         alias s x",
        &[(Allowed, IT)],
    ),
    case(
        "a constant fence of the cta, but not before the load",
        "ISA 8.9.5: along the path",
        "@0.0.0 W x=1; P.CON
         @0.0.0 R.CON c=0
         alias c x",
        &[(Allowed, IT)],
    ),
    case(
        "a texture fence of the cta, but not after the load",
        "ISA 8.9.5: along the path",
        "@0.0.0 R.TEX t=1
         @0.0.0 P.TEX; W x=1
         alias t x",
        &[(Allowed, IT)],
    ),
];
