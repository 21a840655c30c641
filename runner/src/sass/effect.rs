//! What machine code does to memory, one value for each access, fence and barrier.

use std::fmt;

use margay_litmus::test::{AtomFunction, Space};
use margay_models::execution::{Proxy, Scope};

/// The strength of an access in machine code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strength {
    /// None is written.
    Weak,
    /// `STRONG.SM`, `STRONG.CTA`
    Cta,
    /// `STRONG.GPU`
    Gpu,
    /// `STRONG.SYS`
    Sys,
    /// `MMIO.SYS`
    Mmio,
    /// `EF`: evict first, of `.cs`.
    EvictFirst,
}

/// An effect on memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// `LDG`, `LDS`, `LD`
    Load {
        /// The space; `None` for generic addresses.
        space: Option<Space>,
        /// How many bits are accessed.
        bits: u8,
        /// The strength.
        strength: Strength,
    },
    /// `STG`, `STS`, `ST`
    Store {
        /// The space; `None` for generic addresses.
        space: Option<Space>,
        /// How many bits are accessed.
        bits: u8,
        /// The strength.
        strength: Strength,
    },
    /// `ATOMG`, `ATOMS`, `ATOM`; `RED`
    Atom {
        /// The space; `None` for generic addresses.
        space: Option<Space>,
        /// What it computes.
        function: AtomFunction,
        /// How many bits are accessed.
        bits: u8,
        /// The strength.
        strength: Strength,
        /// Without a result.
        reduction: bool,
    },
    /// `SULD`; `TLD`, `TEX`; `LDC` of the bank that holds `.const` memory. All of 32 bits.
    ProxyLoad(Proxy),
    /// `SUST`, of 32 bits.
    SurfaceStore,
    /// `MEMBAR.SC`, `MEMBAR.ALL`
    Membar {
        /// Sequentially consistent?
        sc: bool,
        /// The scope: cta, gpu or sys.
        scope: Scope,
    },
    /// One of the two branches of a `fence.proxy.alias`: which one is taken says a constant of the launch.
    OneOfTwoMembars,
    /// `CCTL.IVALL`: the first-level cache is emptied.
    Invalidate,
    /// `UCGABAR_ARV`, `UCGABAR_WAIT`
    ClusterBarrier {
        /// Arrives without waiting.
        arrive: bool,
    },
    /// `BAR.SYNC`, `BAR.ARV`
    Barrier {
        /// Arrives without waiting.
        arrive: bool,
    },
}

impl Effect {
    /// The same through a generic address.
    pub(super) fn generic(self) -> Self {
        match self {
            Self::Load { bits, strength, .. } => Self::Load { space: None, bits, strength },
            Self::Store { bits, strength, .. } => Self::Store { space: None, bits, strength },
            Self::Atom { function, bits, strength, reduction, .. } => {
                Self::Atom { space: None, function, bits, strength, reduction }
            }
            other => other,
        }
    }

    /// Is it what was found in the machine code?
    pub fn is(&self, found: &Self) -> bool {
        let membar = matches!(found, Self::Membar { sc: true, scope: Scope::Gpu | Scope::Sys });
        self == found || (*self == Self::OneOfTwoMembars && membar)
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |space: &Option<Space>| match space {
            Some(Space::Global) => "global ",
            Some(Space::Shared) => "shared ",
            Some(Space::Tensor) => "tensor ",
            None => "generic ",
        };
        match self {
            Self::Load { space, bits, strength } => write!(f, "{}load of {bits} bits, {strength}", place(space)),
            Self::Store { space, bits, strength } => write!(f, "{}store of {bits} bits, {strength}", place(space)),
            Self::Atom { space, function, bits, strength, reduction } => {
                let name = if *reduction { "reduction" } else { "atom" };
                write!(f, "{}{name} {} of {bits} bits, {strength}", place(space), function.name())
            }
            Self::ProxyLoad(proxy) => write!(f, "{} load of 32 bits", proxy_name(*proxy)),
            Self::SurfaceStore => f.write_str("surface store of 32 bits"),
            Self::Membar { sc, scope } => write!(f, "MEMBAR.{}.{}", if *sc { "SC" } else { "ALL" }, scope_name(*scope)),
            Self::OneOfTwoMembars => f.write_str("MEMBAR.SC.GPU or MEMBAR.SC.SYS"),
            Self::Invalidate => f.write_str("CCTL.IVALL"),
            Self::ClusterBarrier { arrive: true } => f.write_str("arrival at the cluster barrier"),
            Self::ClusterBarrier { arrive: false } => f.write_str("waiting at the cluster barrier"),
            Self::Barrier { arrive: true } => f.write_str("barrier arrival"),
            Self::Barrier { arrive: false } => f.write_str("barrier"),
        }
    }
}

fn proxy_name(proxy: Proxy) -> &'static str {
    match proxy {
        Proxy::Generic | Proxy::Alias => "generic",
        Proxy::Surface => "surface",
        Proxy::Texture => "texture",
        Proxy::Constant => "constant",
        Proxy::Async => "async",
    }
}

fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Warp | Scope::Cta => "CTA",
        Scope::Cluster | Scope::Gpu => "GPU",
        Scope::Sys => "SYS",
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Weak => "weak",
            Self::Cta => "strong at cta scope",
            Self::Gpu => "strong at gpu scope",
            Self::Sys => "strong at sys scope",
            Self::Mmio => "mmio",
            Self::EvictFirst => "weak, evict first",
        })
    }
}
