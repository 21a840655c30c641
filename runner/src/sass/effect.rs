//! What machine code does to memory, one value for each access, fence and barrier.

use std::fmt;

use margay_litmus::test::{AtomFunction, Space};
use margay_models::execution::{Proxy, Scope};

/// The strength of an access in machine code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SassStrength {
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
pub enum SassEffect {
    /// `LDG`, `LDS`, `LD`
    Load {
        /// The space; `None` for generic addresses.
        space: Option<Space>,
        /// How many bits are accessed.
        bits: u8,
        strength: SassStrength,
    },
    /// `STG`, `STS`, `ST`
    Store {
        /// The space; `None` for generic addresses.
        space: Option<Space>,
        /// How many bits are accessed.
        bits: u8,
        strength: SassStrength,
    },
    /// `ATOMG`, `ATOMS`, `ATOM`; `RED`
    Atom {
        /// The space; `None` for generic addresses.
        space: Option<Space>,
        /// What it computes.
        function: AtomFunction,
        /// How many bits are accessed.
        bits: u8,
        strength: SassStrength,
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
    /// One of the two branches of a `fence.proxy.alias`: which one is taken says a constant of the
    /// launch.
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
    /// `WARPSYNC`, or a `BRA.DIV` or `BRA.CONV` that leads to or over one: lanes of a warp meet.
    /// What they then give one another is not looked at.
    Meeting,
    /// `SYNCS`: an operation on an mbarrier.
    Mbarrier(SassMbarrier),
    /// `FENCE.VIEW.ASYNC.S`, `.G`: the accesses of the async proxy to a space are ordered.
    ViewFence(Space),
    /// `LDGSTS`: an asynchronous copy from global to shared memory.
    CopyToShared {
        /// How many bits are copied.
        bits: u8,
    },
    /// `LDGDEPBAR`; `UTMACMDFLUSH` of copies in bulk: a group ends.
    GroupEnd {
        /// Of copies in bulk.
        bulk: bool,
    },
    /// `DEPBAR.LE SB0, 1`: waits for all groups but so many.
    GroupWait {
        /// How many may be left.
        left: u32,
    },
    /// `ARRIVES.LDGSTSBAR`: an arrival when all copies before it are complete.
    CopyArrival {
        /// `ARVCNT`: one that is counted; else `TRANSCNT`.
        counted: bool,
    },
    /// `UBLKCP`, `UBLKRED`: a copy or reduction in bulk.
    BulkCopy {
        /// Where to.
        to: Space,
        /// Where from.
        from: Space,
        /// To several ctas.
        multicast: bool,
        /// What is computed, if it is a reduction.
        function: Option<AtomFunction>,
    },
    /// `UMEMSETS`: zeros in bulk, in shared memory.
    BulkStore,
    /// `STAS`, `REDAS`: a store or reduction that completes on an mbarrier.
    AsyncStore {
        /// How many bits are written.
        bits: u8,
        /// What is computed, if it is a reduction.
        function: Option<AtomFunction>,
    },
}

/// An operation on an mbarrier, as far as machine code tells them apart: how many arrivals and
/// bytes stands in registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SassMbarrier {
    /// `SYNCS.EXCH.64`
    Initialise,
    /// `SYNCS.CCTL.IV`
    Invalidate,
    /// `SYNCS.CCTL.IVALL`: behind the store that initialises an mbarrier since sm_100.
    InvalidateAll,
    /// `SYNCS.ARRIVE`
    Arrive {
        /// `.A1T0` one, `.ART0` so many as a register says, none of both one with bytes that are
        /// expected, `.A0T1` one that is expected beside.
        count: ArrivalCount,
        /// `.OPTOUT`: of later phases, too.
        drops: bool,
        /// `.RED`: it may be one of another cta, and returns nothing.
        remote: bool,
    },
    /// `SYNCS.ARRIVE.TRANS64.RED.A0TR`: bytes are expected.
    Expect,
    /// `SYNCS.ARRIVE.TRANS64.RED.A0TX`: bytes have come.
    Transfer,
    /// `SYNCS.PHASECHK`
    Wait {
        /// `.TRYWAIT`
        suspends: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrivalCount {
    One,
    /// So many as a register says.
    Register,
    /// One arrival, and bytes that are expected.
    Expecting,
    /// None: one more is expected in this phase.
    OneMore,
}

impl SassEffect {
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

impl fmt::Display for SassEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |space: &Option<Space>| match space {
            Some(Space::Global) => "global ",
            Some(Space::Shared) => "shared ",
            Some(Space::Tensor) => "tensor ",
            None => "generic ",
        };
        match self {
            Self::Load { space, bits, strength } => {
                write!(f, "{}load of {bits} bits, {strength}", place(space))
            }
            Self::Store { space, bits, strength } => {
                write!(f, "{}store of {bits} bits, {strength}", place(space))
            }
            Self::Atom { space, function, bits, strength, reduction } => {
                let name = if *reduction { "reduction" } else { "atom" };
                write!(f, "{}{name} {} of {bits} bits, {strength}", place(space), function.name())
            }
            Self::ProxyLoad(proxy) => write!(f, "{} load of 32 bits", proxy_name(*proxy)),
            Self::SurfaceStore => f.write_str("surface store of 32 bits"),
            Self::Membar { sc, scope } => {
                write!(f, "MEMBAR.{}.{}", if *sc { "SC" } else { "ALL" }, scope_name(*scope))
            }
            Self::OneOfTwoMembars => f.write_str("MEMBAR.SC.GPU or MEMBAR.SC.SYS"),
            Self::Invalidate => f.write_str("CCTL.IVALL"),
            Self::ClusterBarrier { arrive: true } => f.write_str("arrival at the cluster barrier"),
            Self::ClusterBarrier { arrive: false } => f.write_str("waiting at the cluster barrier"),
            Self::Barrier { arrive: true } => f.write_str("barrier arrival"),
            Self::Barrier { arrive: false } => f.write_str("barrier"),
            Self::Meeting => f.write_str("meeting of lanes"),
            Self::Mbarrier(operation) => write!(f, "mbarrier {operation}"),
            Self::ViewFence(space) => {
                write!(f, "fence of the async proxy, {} memory", space.name())
            }
            Self::CopyToShared { bits } => write!(f, "asynchronous copy of {bits} bits"),
            Self::GroupEnd { bulk } => {
                write!(f, "end of a group of {}", if *bulk { "copies in bulk" } else { "copies" })
            }
            Self::GroupWait { left } => write!(f, "waiting for all groups but {left}"),
            Self::CopyArrival { counted } => {
                write!(
                    f,
                    "{} of copies at an mbarrier",
                    if *counted { "arrival" } else { "uncounted arrival" }
                )
            }
            Self::BulkCopy { to, from, multicast, function } => {
                let name = function
                    .map_or("copy".to_owned(), |function| format!("reduction {}", function.name()));
                let several = if *multicast { " of several ctas" } else { "" };
                write!(f, "{name} in bulk from {} to {} memory{several}", from.name(), to.name())
            }
            Self::BulkStore => f.write_str("store of zeros in bulk"),
            Self::AsyncStore { bits, function } => {
                let name = function.map_or("store".to_owned(), |function| {
                    format!("reduction {}", function.name())
                });
                write!(f, "asynchronous {name} of {bits} bits")
            }
        }
    }
}

impl fmt::Display for SassMbarrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Initialise => f.write_str("initialisation"),
            Self::Invalidate => f.write_str("invalidation"),
            Self::InvalidateAll => f.write_str("invalidation of all that is kept of them"),
            Self::Arrive { count, drops, remote } => {
                f.write_str(match count {
                    ArrivalCount::One => "arrival",
                    ArrivalCount::Register => "arrival of a number in a register",
                    ArrivalCount::Expecting => "arrival that expects bytes",
                    ArrivalCount::OneMore => "one more arrival to wait for",
                })?;
                let drops = if *drops { ", dropped" } else { "" };
                write!(f, "{drops}{}", if *remote { ", without a result" } else { "" })
            }
            Self::Expect => f.write_str("expecting bytes"),
            Self::Transfer => f.write_str("transfer of bytes"),
            Self::Wait { suspends } => {
                f.write_str(if *suspends { "try_wait" } else { "test_wait" })
            }
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
        Proxy::Tensormap => "tensormap",
    }
}

fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Warp | Scope::Cta => "CTA",
        Scope::Cluster | Scope::Gpu => "GPU",
        Scope::Sys => "SYS",
    }
}

impl fmt::Display for SassStrength {
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
