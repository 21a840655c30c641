//! What the lanes of a warp bring to an exchange.

use std::collections::BTreeMap;

use margay_ptx::ScalarType;
use margay_ptx::exchange::Exchange;

use crate::thread::Value;

/// An exchange of a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ExchangeKey {
    /// The warp, among those of all blocks.
    pub warp: u32,
    /// Who takes part.
    pub mask: u32,
    /// Which one it is of this mask.
    pub number: u32,
}

/// What a lane brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Brought {
    pub exchange: Exchange,
    /// Its bits, where they are constant.
    pub bits: Option<u64>,
    /// Does nobody interpret it?
    pub opaque: bool,
}

impl Brought {
    pub(crate) fn new(exchange: Exchange, ty: ScalarType, own: &Value) -> Self {
        Self { exchange, bits: own.bits().map(|bits| ty.cut(bits)), opaque: own.known.is_opaque() }
    }
}

/// What all lanes bring.
pub(crate) type ExchangesOfWarps = BTreeMap<ExchangeKey, BTreeMap<u32, Brought>>;
