//! Fences and barriers of PTX (PTX ISA 9.7.13): which there are, and how they are called.

use margay_models::execution::{Proxy, Scope, Spaces};
use margay_models::signature::Tags;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FenceOrder {
    /// `fence.acquire`
    Acquire,
    /// `fence.release`
    Release,
    /// `fence.acq_rel`
    AcqRel,
    /// `fence.sc`
    Sc,
    /// The tags of a fence of an architecture that is a text; its mnemonic says them.
    Text(Tags),
}

impl FenceOrder {
    /// The qualifier.
    pub fn name(self) -> &'static str {
        match self {
            Self::Acquire => "acquire",
            Self::Release => "release",
            Self::AcqRel => "acq_rel",
            Self::Sc => "sc",
            Self::Text(tags) => tags.name(),
        }
    }
}

/// The level of a `membar`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MembarLevel {
    /// `membar.cta`
    Cta,
    /// `membar.gl`
    Gl,
    /// `membar.sys`
    Sys,
}

impl MembarLevel {
    /// The qualifier.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cta => "cta",
            Self::Gl => "gl",
            Self::Sys => "sys",
        }
    }

    /// The scope of the `fence.sc` that it is a synonym of.
    pub fn scope(self) -> Scope {
        match self {
            Self::Cta => Scope::Cta,
            Self::Gl => Scope::Gpu,
            Self::Sys => Scope::Sys,
        }
    }
}

/// What a proxy fence is between.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProxyFenceKind {
    /// `fence.proxy.alias`
    Alias,
    /// `fence.proxy.surface`
    Surface,
    /// `fence.proxy.texture`
    Texture,
    /// `fence.proxy.constant`
    Constant,
    /// `fence.proxy.async`
    Async,
    /// `fence.proxy.async.global`
    AsyncGlobal,
    /// `fence.proxy.async.shared::cta`, `.shared::cluster`
    AsyncShared,
}

impl ProxyFenceKind {
    pub const ALL: [ProxyFenceKind; 7] = [
        Self::Alias,
        Self::Surface,
        Self::Texture,
        Self::Constant,
        Self::Async,
        Self::AsyncGlobal,
        Self::AsyncShared,
    ];

    /// The qualifier.
    pub fn name(self) -> &'static str {
        match self {
            Self::Alias => "alias",
            Self::Surface => "surface",
            Self::Texture => "texture",
            Self::Constant => "constant",
            Self::Async => "async",
            Self::AsyncGlobal => "async.global",
            Self::AsyncShared => "async.shared::cta",
        }
    }

    /// The state spaces whose objects a fence of the async proxy is for; of others none.
    pub fn spaces(self) -> Spaces {
        match self {
            Self::Async => Spaces::ALL,
            Self::AsyncGlobal => Spaces::GLOBAL,
            Self::AsyncShared => Spaces::SHARED,
            _ => Spaces::NONE,
        }
    }

    /// The proxy of the event.
    pub fn proxy(self) -> Proxy {
        match self {
            Self::Alias => Proxy::Alias,
            Self::Surface => Proxy::Surface,
            Self::Texture => Proxy::Texture,
            Self::Constant => Proxy::Constant,
            Self::Async | Self::AsyncGlobal | Self::AsyncShared => Proxy::Async,
        }
    }
}

/// What a CTA barrier instruction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BarrierMode {
    /// `bar.sync`: arrive, then wait.
    Sync,
    /// `bar.arrive`: arrive only.
    Arrive,
    /// `bar.red`: arrive, then wait; the reduction over predicates is not modelled.
    Reduce,
}

impl BarrierMode {
    /// The qualifier.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sync => "sync",
            Self::Arrive => "arrive",
            Self::Reduce => "red",
        }
    }
}

/// A cluster barrier instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClusterBarrier {
    /// `barrier.cluster.arrive`
    Arrive {
        /// `.relaxed`: without memory ordering.
        relaxed: bool,
    },
    /// `barrier.cluster.wait`
    Wait,
}
