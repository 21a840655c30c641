//! What instructions compute: read-modify-writes in memory, and arithmetic in registers.

use super::{NumberComparison, Type};

/// What an `atom` or `red` computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AtomFunction {
    /// `.exch`
    Exchange,
    /// `.cas`: operands are the expected and the new value.
    CompareAndSwap,
    /// `.add`
    Add,
    /// `.sub`: what PTX writes as `.add` of the negated operand; Dartagnan's tests have it, as they
    /// have the next two.
    Subtract,
    /// `.mul`
    Multiply,
    /// `.div`; by zero gives zero.
    Divide,
    /// `.and`
    And,
    /// `.or`
    Or,
    /// `.xor`
    Xor,
    /// `.inc`: to 0 from the operand or above.
    Increment,
    /// `.dec`: to the operand from 0 or above the operand.
    Decrement,
    /// `.min`
    Min,
    /// `.max`
    Max,
}

impl AtomFunction {
    pub const ALL: [AtomFunction; 13] = [
        Self::Exchange,
        Self::CompareAndSwap,
        Self::Add,
        Self::Subtract,
        Self::Multiply,
        Self::Divide,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Increment,
        Self::Decrement,
        Self::Min,
        Self::Max,
    ];

    /// The qualifier.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exchange => "exch",
            Self::CompareAndSwap => "cas",
            Self::Add => "add",
            Self::Subtract => "sub",
            Self::Multiply => "mul",
            Self::Divide => "div",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::Increment => "inc",
            Self::Decrement => "dec",
            Self::Min => "min",
            Self::Max => "max",
        }
    }

    /// Does PTX have it?
    pub fn is_of_ptx(self) -> bool {
        !matches!(self, Self::Subtract | Self::Multiply | Self::Divide)
    }
}

/// Register arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LocalFunction {
    /// `mov`: one operand.
    Move,
    /// `cvt.u64.u32`, from the type given to that of the instruction: one operand.
    Convert(Type),
    /// `not`: one operand.
    Not,
    /// `neg`: one operand.
    Negate,
    /// `add`
    Add,
    /// `sub`
    Subtract,
    /// `mul`, `mul.lo`: the lower half of the product.
    Multiply,
    /// `mul.wide`: the whole product, twice as wide as the type.
    MultiplyWide,
    /// `div`; by zero gives zero.
    Divide,
    /// `rem`; by zero gives zero.
    Remainder,
    /// `and`
    And,
    /// `or`
    Or,
    /// `xor`
    Xor,
    /// `shl`
    ShiftLeft,
    /// `shr`
    ShiftRight,
    /// `min`
    Min,
    /// `max`
    Max,
    /// `mad d, a, b, c`: a times b plus c.
    MultiplyAdd,
    /// `mad.wide`: likewise, twice as wide as the type.
    MultiplyAddWide,
    /// `selp d, a, b, p`: a if the predicate p holds, else b.
    Select,
    /// `pick d, a, b, p`: the same as a choice, in tests of texts. The result depends on what is
    /// chosen, and on `p` by a pick dependency alone.
    Pick,
    /// `setp.eq` and its kin: 1 if the comparison holds, else 0.
    Compare(NumberComparison),
}

impl LocalFunction {
    /// All but comparisons, conversions and choices.
    pub const ARITHMETIC: [LocalFunction; 19] = [
        Self::Move,
        Self::Not,
        Self::Negate,
        Self::Add,
        Self::Subtract,
        Self::Multiply,
        Self::MultiplyWide,
        Self::Divide,
        Self::Remainder,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::ShiftLeft,
        Self::ShiftRight,
        Self::Min,
        Self::Max,
        Self::MultiplyAdd,
        Self::MultiplyAddWide,
        Self::Select,
    ];

    /// The number of operands.
    pub fn arity(self) -> usize {
        match self {
            Self::Move | Self::Convert(_) | Self::Not | Self::Negate => 1,
            Self::MultiplyAdd | Self::MultiplyAddWide | Self::Select | Self::Pick => 3,
            _ => 2,
        }
    }

    /// The instruction name, with its qualifiers but for the type.
    pub fn name(self) -> String {
        match self {
            Self::Move => "mov",
            Self::Convert(_) => "cvt",
            Self::Not => "not",
            Self::Negate => "neg",
            Self::Add => "add",
            Self::Subtract => "sub",
            Self::Multiply => "mul",
            Self::MultiplyWide => "mul.wide",
            Self::Divide => "div",
            Self::Remainder => "rem",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::ShiftLeft => "shl",
            Self::ShiftRight => "shr",
            Self::Min => "min",
            Self::Max => "max",
            Self::MultiplyAdd => "mad",
            Self::MultiplyAddWide => "mad.wide",
            Self::Select => "selp",
            Self::Pick => "pick",
            Self::Compare(comparison) => return format!("setp.{}", comparison.mnemonic()),
        }
        .to_string()
    }
}
