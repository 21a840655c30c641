//! Types of C: integers of a width, and the memory that parameters point to.

use super::Integer;

/// An integer type, as wide as CUDA and OpenCL have it, or a pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CInteger {
    /// `bool`: 0 or 1.
    Bool,
    /// `char`, `int8_t`; it has a sign.
    Char,
    /// `unsigned char`, `uint8_t`
    UnsignedChar,
    /// `short`, `int16_t`
    Short,
    /// `unsigned short`, `uint16_t`
    UnsignedShort,
    /// `int`, `int32_t`
    Int,
    /// `unsigned`, `uint32_t`
    Unsigned,
    /// `long`, `int64_t`, `intptr_t`
    Long,
    /// `unsigned long`, `uint64_t`, `size_t`
    UnsignedLong,
    /// `int*`: a pointer, as wide as `long`.
    Pointer,
}

impl CInteger {
    /// The integers, narrower ones first.
    pub const ALL: [CInteger; 9] = [
        Self::Bool,
        Self::Char,
        Self::UnsignedChar,
        Self::Short,
        Self::UnsignedShort,
        Self::Int,
        Self::Unsigned,
        Self::Long,
        Self::UnsignedLong,
    ];

    /// Its values.
    pub fn integer(self) -> Integer {
        let (bits, signed) = match self {
            Self::Bool => (1, false),
            Self::Char => (8, true),
            Self::UnsignedChar => (8, false),
            Self::Short => (16, true),
            Self::UnsignedShort => (16, false),
            Self::Int => (32, true),
            Self::Unsigned => (32, false),
            Self::Long | Self::Pointer => (64, true),
            Self::UnsignedLong => (64, false),
        };
        Integer { bits, signed }
    }

    /// The type of a number, and of what narrower types are converted to before anything is
    /// computed (C11 6.3.1.1).
    pub fn promoted(self) -> Self {
        self.max(Self::Int)
    }

    /// The type in which two operands are computed with (C11 6.3.1.8).
    pub fn common(self, other: Self) -> Self {
        self.promoted().max(other.promoted())
    }

    /// The name, as one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Char => "char",
            Self::UnsignedChar => "uint8_t",
            Self::Short => "short",
            Self::UnsignedShort => "uint16_t",
            Self::Int => "int",
            Self::Unsigned => "uint32_t",
            Self::Long => "long",
            Self::UnsignedLong => "uint64_t",
            Self::Pointer => "int*",
        }
    }

    /// The name of the atomic type (C11 7.17.6).
    pub fn atomic_name(self) -> &'static str {
        match self {
            Self::Bool => "atomic_bool",
            Self::Char => "atomic_char",
            Self::UnsignedChar => "atomic_uchar",
            Self::Short => "atomic_short",
            Self::UnsignedShort => "atomic_ushort",
            Self::Int => "atomic_int",
            Self::Unsigned => "atomic_uint",
            Self::Long | Self::Pointer => "atomic_long",
            Self::UnsignedLong => "atomic_ulong",
        }
    }
}

/// What a parameter points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CType {
    pub integer: CInteger,
    /// `atomic_..`
    pub atomic: bool,
}

impl CType {
    /// `int`
    pub const INT: CType = CType { integer: CInteger::Int, atomic: false };
    /// `atomic_int`
    pub const ATOMIC_INT: CType = CType { integer: CInteger::Int, atomic: true };

    pub fn name(self) -> &'static str {
        if self.atomic { self.integer.atomic_name() } else { self.integer.name() }
    }
}

/// The memory that a parameter points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CSpace {
    /// OpenCL's `global`.
    Global,
    /// OpenCL's `local`: each work-group has its own.
    Local,
    /// CUDA's `__device__`.
    Device,
    /// CUDA's `__shared__`: each block has its own.
    Shared,
}

impl CSpace {
    pub const ALL: [CSpace; 4] = [Self::Global, Self::Local, Self::Device, Self::Shared];

    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Local => "local",
            Self::Device => "__device__",
            Self::Shared => "__shared__",
        }
    }

    /// Has each block its own?
    pub fn is_of_block(self) -> bool {
        matches!(self, Self::Local | Self::Shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_meet_in_the_wider_type() {
        use CInteger::{Char, Int, Long, Unsigned, UnsignedChar, UnsignedLong, UnsignedShort};
        assert_eq!(Char.common(UnsignedShort), Int);
        assert_eq!(UnsignedChar.common(Unsigned), Unsigned);
        assert_eq!(Int.common(Unsigned), Unsigned);
        assert_eq!(Unsigned.common(Long), Long);
        assert_eq!(Long.common(UnsignedLong), UnsignedLong);
    }
}
