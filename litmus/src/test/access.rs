//! What loads, stores and atomics of PTX have in common: where they go, what they order, how the
//! cache is used (PTX ISA 8.6).

use margay_models::execution::{Proxy, Scope};
use margay_models::signature::Tags;

use super::Type;

/// A state space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    /// `.global`
    Global,
    /// `.shared`
    Shared,
    /// Tensor memory, which has no name in PTX: `tcgen05` alone accesses it.
    Tensor,
}

impl Space {
    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Shared => "shared",
            Self::Tensor => "tensor",
        }
    }
}

/// A cache operator (PTX ISA 9.7.9.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CacheOperator {
    /// `.ca`: cache at all levels.
    Ca,
    /// `.cg`: cache at global level.
    Cg,
    /// `.cs`: streaming.
    Cs,
    /// `.lu`: last use.
    Lu,
    /// `.cv`: do not cache.
    Cv,
    /// `.wb`: write back.
    Wb,
    /// `.wt`: write through.
    Wt,
}

impl CacheOperator {
    pub const ALL: [CacheOperator; 7] =
        [Self::Ca, Self::Cg, Self::Cs, Self::Lu, Self::Cv, Self::Wb, Self::Wt];

    pub fn name(self) -> &'static str {
        match self {
            Self::Ca => "ca",
            Self::Cg => "cg",
            Self::Cs => "cs",
            Self::Lu => "lu",
            Self::Cv => "cv",
            Self::Wb => "wb",
            Self::Wt => "wt",
        }
    }
}

/// The order of a load, store, `atom` or `red`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccessOrder {
    /// `.weak`
    Weak,
    /// `.relaxed`
    Relaxed,
    /// `.acquire`
    Acquire,
    /// `.release`
    Release,
    /// `.acq_rel`
    AcqRel,
    /// `.volatile`: relaxed at system scope (8.4.2).
    Volatile,
    /// `.mmio.relaxed`
    Mmio,
    /// The tags of an instruction of an architecture that is a text; its mnemonic says them.
    Text(Tags),
}

impl AccessOrder {
    /// The qualifier without the leading point.
    pub fn name(self) -> &'static str {
        match self {
            Self::Weak => "weak",
            Self::Relaxed => "relaxed",
            Self::Acquire => "acquire",
            Self::Release => "release",
            Self::AcqRel => "acq_rel",
            Self::Volatile => "volatile",
            Self::Mmio => "mmio.relaxed",
            Self::Text(tags) => tags.name(),
        }
    }
}

/// How many bits a test in assembly says that a location or an access has, if it does. The table
/// form has no word for it, so that all are equal: a test is the same as its table form.
#[derive(Debug, Clone, Copy, Default)]
pub struct AssemblyWidth(
    /// The number of bits.
    pub Option<u8>,
);

impl PartialEq for AssemblyWidth {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for AssemblyWidth {}

impl std::hash::Hash for AssemblyWidth {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

/// The qualifiers of a memory access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Access {
    /// The order as written; `None`: weak for `ld` and `st`, relaxed for `atom` and `red`.
    pub order: Option<AccessOrder>,
    /// The scope as written; `None`: none for weak, gpu for `atom` and `red`, sys for `.volatile`.
    pub scope: Option<Scope>,
    /// The proxy that the instruction goes through: that of `suld`, `sust`, `tex`, `ldc`, and the
    /// generic one for `ld` and `st`, whatever the name of the location is.
    pub proxy: Proxy,
    /// The state space.
    pub space: Option<Space>,
    pub cache: Option<CacheOperator>,
    pub ty: Option<Type>,
    /// How wide it is, where an instruction in assembly says it.
    pub width: AssemblyWidth,
}

/// What an instruction computes with or stores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestOperand {
    Register(String),
    /// A number.
    Integer(i64),
    /// The address of a location.
    AddressOf(String),
}

/// What an address starts from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Base {
    /// A location, by name.
    Location(String),
    /// A register that holds an address.
    Register(String),
}

/// An address: `x`, `[r0]`, `[x+r1]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// What it starts from.
    pub base: Base,
    /// What is added to it: a register or number.
    pub offset: Option<TestOperand>,
}

impl Address {
    pub fn location(name: impl Into<String>) -> Self {
        Self { base: Base::Location(name.into()), offset: None }
    }
}
