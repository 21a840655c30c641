//! Values while a thread is executed symbolically: numbers, the values of reads, and what is
//! computed from them.

use margay_models::mbarrier::Mbarrier;
use rustc_hash::FxHashMap;

use super::address::is_address;
use super::path::Positions;
use crate::test::{Integer, NumberComparison};

/// `-a`, `!a`, `~a`, and conversions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `-a`
    Negate,
    /// `!a`: 1 if a is 0, else 0.
    LogicalNot,
    /// `~a`
    BitwiseNot,
    /// The lowest bits of `a`, extended. The address of a location stays what it is: addresses here
    /// are names, not numbers.
    Convert(Integer),
}

/// A binary operator. Arithmetic wraps around at 64 bits; division by zero gives zero. Narrower
/// arithmetic is that of 64 bits between conversions; where 64 bits without a sign are something
/// else there is a second operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a / b`
    Divide,
    /// `a % b`
    Remainder,
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
    /// `a << b`
    ShiftLeft,
    /// `a >> b`, filled with the sign.
    ShiftRight,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
    /// 1 if the comparison holds, else 0.
    Compare(NumberComparison),
    /// `a / b` without signs.
    DivideUnsigned,
    /// `a % b` without signs.
    RemainderUnsigned,
    /// `a >> b`, filled with zeros.
    ShiftRightUnsigned,
    /// The smaller one, without signs.
    MinUnsigned,
    /// The larger one, without signs.
    MaxUnsigned,
    /// 1 if the comparison holds without signs, else 0.
    CompareUnsigned(NumberComparison),
    /// `a && b`
    LogicalAnd,
    /// `a || b`
    LogicalOr,
    /// `atom.inc`: 0 if a >= b, else a + 1; without signs.
    Increment,
    /// `atom.dec`: b if a is 0 or a > b, else a - 1; without signs.
    Decrement,
    /// What becomes of the contents of an mbarrier, or what they say.
    Mbarrier(MbarrierFunction),
}

/// What operations on an mbarrier compute from its contents and a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MbarrierFunction {
    /// So many arrivals.
    Arrive,
    /// The same, and so many less are expected later.
    Drop,
    /// So many pending arrivals more.
    Raise,
    /// So many bytes are expected.
    Expect,
    /// So many bytes have come.
    Transfer,
    /// 1 if it is an mbarrier with so many pending arrivals at least, else 0.
    Awaits,
    /// 1 if so many arrivals would not complete the phase, else 0.
    StaysIncomplete,
    /// 1 if the phase of a parity is complete: if the current one has the other parity; else 0.
    ParityPassed,
    /// 1 if the phase of a state that an arrival returned is complete, else 0.
    PhasePassed,
    /// The number of pending arrivals.
    Pending,
}

impl MbarrierFunction {
    /// Its value.
    pub fn apply(self, contents: i64, number: i64) -> i64 {
        let mbarrier = Mbarrier(contents);
        match self {
            Self::Arrive => mbarrier.arrived(number).0,
            Self::Drop => mbarrier.dropped(number).0,
            Self::Raise => mbarrier.raised(number).0,
            Self::Expect => mbarrier.expecting(number).0,
            Self::Transfer => mbarrier.transferred(number).0,
            Self::Awaits => i64::from(mbarrier.is_valid() && mbarrier.pending() >= number),
            Self::StaysIncomplete => {
                i64::from(mbarrier.arrived(number).phase() == mbarrier.phase())
            }
            Self::ParityPassed => {
                i64::from(mbarrier.is_valid() && mbarrier.phase() & 1 != number & 1)
            }
            Self::PhasePassed => {
                i64::from(mbarrier.is_valid() && mbarrier.phase() != Mbarrier(number).phase())
            }
            Self::Pending => mbarrier.pending(),
        }
    }
}

impl Unary {
    /// Its value.
    pub fn apply(self, a: i64) -> i64 {
        match self {
            Self::Negate => a.wrapping_neg(),
            Self::LogicalNot => i64::from(a == 0),
            Self::BitwiseNot => !a,
            Self::Convert(_) if is_address(a) => a,
            Self::Convert(integer) => integer.wrap(a),
        }
    }
}

impl Binary {
    /// The operator for operands of a type, which are values of it.
    pub fn of(self, integer: Option<Integer>) -> Self {
        match self {
            _ if !integer.is_some_and(Integer::is_unsigned_word) => self,
            Self::Divide => Self::DivideUnsigned,
            Self::Remainder => Self::RemainderUnsigned,
            Self::ShiftRight => Self::ShiftRightUnsigned,
            Self::Min => Self::MinUnsigned,
            Self::Max => Self::MaxUnsigned,
            Self::Compare(comparison) => Self::CompareUnsigned(comparison),
            _ => self,
        }
    }

    /// Does the result depend on more of the operands than on as many of their lowest bits as it
    /// has itself?
    pub fn needs_whole_operands(self) -> bool {
        !matches!(
            self,
            Self::Add
                | Self::Subtract
                | Self::Multiply
                | Self::And
                | Self::Or
                | Self::Xor
                | Self::ShiftLeft
        )
    }

    /// Is the result a truth value, whatever the operands are?
    pub(super) fn is_truth(self) -> bool {
        matches!(
            self,
            Self::Compare(_) | Self::CompareUnsigned(_) | Self::LogicalAnd | Self::LogicalOr
        )
    }

    /// Is the result of the type of the operands, where both are of one?
    pub(super) fn keeps_type(self) -> bool {
        matches!(self, Self::And | Self::Or | Self::Xor | Self::Min | Self::Max)
    }

    /// Its value.
    pub fn apply(self, a: i64, b: i64) -> i64 {
        match self {
            Self::Add => a.wrapping_add(b),
            Self::Subtract => a.wrapping_sub(b),
            Self::Multiply => a.wrapping_mul(b),
            Self::Divide => a.checked_div(b).unwrap_or(0),
            Self::Remainder => a.checked_rem(b).unwrap_or(0),
            Self::And => a & b,
            Self::Or => a | b,
            Self::Xor => a ^ b,
            Self::ShiftLeft => u32::try_from(b).ok().and_then(|b| a.checked_shl(b)).unwrap_or(0),
            // PTX clamps shift amounts to the width.
            Self::ShiftRight => a >> u32::try_from(b).map_or(63, |b| b.min(63)),
            Self::ShiftRightUnsigned => {
                u32::try_from(b).ok().and_then(|b| (a as u64).checked_shr(b)).unwrap_or(0) as i64
            }
            Self::DivideUnsigned => (a as u64).checked_div(b as u64).unwrap_or(0) as i64,
            Self::RemainderUnsigned => (a as u64).checked_rem(b as u64).unwrap_or(0) as i64,
            Self::MinUnsigned => (a as u64).min(b as u64) as i64,
            Self::MaxUnsigned => (a as u64).max(b as u64) as i64,
            Self::CompareUnsigned(comparison) => i64::from(comparison.holds(a as u64, b as u64)),
            Self::Min => a.min(b),
            Self::Max => a.max(b),
            Self::Compare(comparison) => i64::from(comparison.holds(a, b)),
            Self::LogicalAnd => i64::from(a != 0 && b != 0),
            Self::LogicalOr => i64::from(a != 0 || b != 0),
            Self::Increment => {
                if a as u64 >= b as u64 {
                    0
                } else {
                    a.wrapping_add(1)
                }
            }
            Self::Decrement => {
                if a == 0 || a as u64 > b as u64 {
                    b
                } else {
                    a.wrapping_sub(1)
                }
            }
            Self::Mbarrier(function) => function.apply(a, b),
        }
    }
}

/// A value, an index into [`Symbols`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Symbol(u32);

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum SymbolNode {
    Constant(i64),
    /// What a read returns, by the position of its event on the path.
    Read(u16),
    Unary(Unary, Symbol),
    Binary(Binary, Symbol, Symbol),
}

/// The values of one thread; operands come before what is computed from them, and equal values are
/// one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Symbols {
    nodes: Vec<SymbolNode>,
    /// Where each node is in `nodes`.
    known: FxHashMap<SymbolNode, Symbol>,
}

impl Symbols {
    fn add(&mut self, node: SymbolNode) -> Symbol {
        *self.known.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            Symbol((self.nodes.len() - 1) as u32)
        })
    }

    /// The read, by its position, whose value is a certain number if the symbol is different from 0
    /// (`holds`) or 0.
    pub(super) fn pinned(&self, symbol: Symbol, holds: bool) -> Option<(u16, i64)> {
        let (a, b) =
            self.equality(symbol).filter(|&(.., equal)| equal == holds).map(|(a, b, _)| (a, b))?;
        match (self.nodes[a.0 as usize], self.nodes[b.0 as usize]) {
            (SymbolNode::Read(read), SymbolNode::Constant(n))
            | (SymbolNode::Constant(n), SymbolNode::Read(read)) => Some((read, n)),
            _ => None,
        }
    }

    /// Of a comparison for equality what is compared, and what it is if they are equal: whether
    /// signs count makes no difference.
    pub(super) fn equality(&self, symbol: Symbol) -> Option<(Symbol, Symbol, bool)> {
        let SymbolNode::Binary(
            Binary::Compare(comparison) | Binary::CompareUnsigned(comparison),
            a,
            b,
        ) = self.node(symbol)
        else {
            return None;
        };
        match comparison {
            NumberComparison::Equal => Some((a, b, true)),
            NumberComparison::NotEqual => Some((a, b, false)),
            _ => None,
        }
    }

    /// Two values that are converted to one type, without that.
    fn before_conversion(&self, a: Symbol, b: Symbol) -> (Symbol, Symbol) {
        match (self.node(a), self.node(b)) {
            (
                SymbolNode::Unary(Unary::Convert(to), a),
                SymbolNode::Unary(Unary::Convert(other), b),
            ) if to == other => (a, b),
            _ => (a, b),
        }
    }

    /// What a value is where values are different from 0 (true) or 0 (false), as far as that
    /// follows. A compare-and-swap supposes that what it reads is what it expects; the comparison
    /// behind it asks the same in other words, and is no choice.
    pub(super) fn implied(&self, supposed: &[(Symbol, bool)], symbol: Symbol) -> Option<i64> {
        match self.node(symbol) {
            SymbolNode::Constant(n) => Some(n),
            SymbolNode::Read(position) => {
                let mut pins = supposed.iter().filter_map(|&(s, holds)| self.pinned(s, holds));
                pins.find(|&(read, _)| read == position).map(|(_, n)| n)
            }
            SymbolNode::Unary(operator, a) => self.implied(supposed, a).map(|a| operator.apply(a)),
            SymbolNode::Binary(operator, a, b) => {
                let said = self.equality(symbol).and_then(|(_, _, equal)| {
                    let (of_a, of_b) = self.before_conversion(a, b);
                    let same = |&(s, holds): &(Symbol, bool)| {
                        let (x, y, if_equal) = self.equality(s)?;
                        let are_equal = holds == if_equal;
                        // What is equal is so when it is converted, and what is not may be.
                        let is_of = |a, b| (x, y) == (a, b) || (x, y) == (b, a);
                        (is_of(a, b) || are_equal && is_of(of_a, of_b)).then_some(are_equal)
                    };
                    supposed.iter().find_map(same).map(|are_equal| i64::from(are_equal == equal))
                });
                said.or_else(|| {
                    match (operator, self.implied(supposed, a), self.implied(supposed, b)) {
                        (Binary::And | Binary::LogicalAnd, Some(0), _)
                        | (Binary::And | Binary::LogicalAnd, _, Some(0)) => Some(0),
                        (_, Some(a), Some(b)) => Some(operator.apply(a, b)),
                        _ => None,
                    }
                })
            }
        }
    }

    /// Supposes that a value is different from 0 (true) or 0 (false): of what is joined by and, or
    /// and not its parts, as far as they follow, so that a later comparison with one of them is no
    /// choice.
    pub(super) fn suppose(&self, supposed: &mut Vec<(Symbol, bool)>, symbol: Symbol, holds: bool) {
        let all = match self.node(symbol) {
            SymbolNode::Unary(Unary::LogicalNot, a) => return self.suppose(supposed, a, !holds),
            SymbolNode::Binary(Binary::LogicalAnd, a, b) => (true, a, b),
            SymbolNode::Binary(Binary::And, a, b) if self.is_truth(a) && self.is_truth(b) => {
                (true, a, b)
            }
            SymbolNode::Binary(Binary::LogicalOr | Binary::Or, a, b) => (false, a, b),
            _ => {
                supposed.push((symbol, holds));
                return;
            }
        };
        let (joined_by_and, a, b) = all;
        let known = |part: Symbol| self.implied(supposed, part).map(|n| n != 0);
        if holds == joined_by_and {
            self.suppose(supposed, a, holds);
            self.suppose(supposed, b, holds);
        } else if known(a) == Some(joined_by_and) {
            self.suppose(supposed, b, holds);
        } else if known(b) == Some(joined_by_and) {
            self.suppose(supposed, a, holds);
        } else {
            supposed.push((symbol, holds));
        }
    }

    /// Is a value 0 or 1, whatever the reads return?
    fn is_truth(&self, symbol: Symbol) -> bool {
        match self.node(symbol) {
            SymbolNode::Constant(n) => n == 0 || n == 1,
            SymbolNode::Read(_) => false,
            SymbolNode::Unary(operator, _) => operator == Unary::LogicalNot,
            SymbolNode::Binary(Binary::And | Binary::Or | Binary::Xor, a, b) => {
                self.is_truth(a) && self.is_truth(b)
            }
            SymbolNode::Binary(operator, ..) => operator.is_truth(),
        }
    }

    /// What a value is.
    pub(crate) fn node(&self, symbol: Symbol) -> SymbolNode {
        self.nodes[symbol.0 as usize]
    }

    /// A value with what one read returns in place of what another one does, by their positions.
    pub(super) fn moved(&mut self, symbol: Symbol, from: u16, to: u16) -> Symbol {
        match self.node(symbol) {
            SymbolNode::Read(read) if read == from => self.read(to),
            SymbolNode::Constant(_) | SymbolNode::Read(_) => symbol,
            SymbolNode::Unary(operator, a) => {
                let a = self.moved(a, from, to);
                self.unary(operator, a)
            }
            SymbolNode::Binary(operator, a, b) => {
                let (a, b) = (self.moved(a, from, to), self.moved(b, from, to));
                self.binary(operator, a, b)
            }
        }
    }

    /// A value of another thread's nodes with its reads at other positions, as one of these.
    pub(super) fn copied(
        &mut self,
        from: &Symbols,
        symbol: Symbol,
        position: &dyn Fn(u16) -> u16,
    ) -> Symbol {
        self.copied_once(from, symbol, position, &mut FxHashMap::default())
    }

    fn copied_once(
        &mut self,
        from: &Symbols,
        symbol: Symbol,
        position: &dyn Fn(u16) -> u16,
        known: &mut FxHashMap<Symbol, Symbol>,
    ) -> Symbol {
        if let Some(&copy) = known.get(&symbol) {
            return copy;
        }
        let copy = match from.node(symbol) {
            SymbolNode::Constant(n) => self.constant(n),
            SymbolNode::Read(read) => self.read(position(read)),
            SymbolNode::Unary(operator, a) => {
                let a = self.copied_once(from, a, position, known);
                self.unary(operator, a)
            }
            SymbolNode::Binary(operator, a, b) => {
                let (a, b) = (
                    self.copied_once(from, a, position, known),
                    self.copied_once(from, b, position, known),
                );
                self.binary(operator, a, b)
            }
        };
        known.insert(symbol, copy);
        copy
    }

    /// A number.
    pub(super) fn constant(&mut self, value: i64) -> Symbol {
        self.add(SymbolNode::Constant(value))
    }

    /// The value of the read at a position of the path.
    pub(super) fn read(&mut self, position: u16) -> Symbol {
        self.add(SymbolNode::Read(position))
    }

    /// The number that it is, if it does not depend on reads.
    pub fn as_constant(&self, symbol: Symbol) -> Option<i64> {
        match self.nodes[symbol.0 as usize] {
            SymbolNode::Constant(n) => Some(n),
            _ => None,
        }
    }

    /// `operator a`
    pub(super) fn unary(&mut self, operator: Unary, a: Symbol) -> Symbol {
        match self.as_constant(a) {
            Some(n) => self.constant(operator.apply(n)),
            None => self.add(SymbolNode::Unary(operator, a)),
        }
    }

    /// `a operator b`; what is the same whatever the reads return becomes a number (`r ^ r`).
    pub(super) fn binary(&mut self, operator: Binary, a: Symbol, b: Symbol) -> Symbol {
        match (operator, self.as_constant(a), self.as_constant(b)) {
            (_, Some(a), Some(b)) => self.constant(operator.apply(a, b)),
            (Binary::Xor | Binary::Subtract, ..) if a == b => self.constant(0),
            (Binary::And | Binary::Multiply, Some(0), _)
            | (Binary::And | Binary::Multiply, _, Some(0)) => self.constant(0),
            (Binary::Add | Binary::Xor | Binary::Or, Some(0), _) => b,
            (Binary::Add | Binary::Subtract | Binary::Xor | Binary::Or, _, Some(0)) => a,
            _ => self.add(SymbolNode::Binary(operator, a, b)),
        }
    }

    /// The reads that a value depends on, by their positions on the path.
    pub(super) fn reads_of(&self, symbol: Symbol) -> Positions {
        match self.nodes[symbol.0 as usize] {
            SymbolNode::Constant(_) => Positions::EMPTY,
            SymbolNode::Read(position) => Positions::one(usize::from(position)),
            SymbolNode::Unary(_, a) => self.reads_of(a),
            SymbolNode::Binary(_, a, b) => self.reads_of(a) | self.reads_of(b),
        }
    }

    /// The value, if `read` knows the values of the reads that it depends on.
    pub fn evaluate(&self, symbol: Symbol, read: &impl Fn(u16) -> Option<i64>) -> Option<i64> {
        match self.nodes[symbol.0 as usize] {
            SymbolNode::Constant(n) => Some(n),
            SymbolNode::Read(position) => read(position),
            SymbolNode::Unary(operator, a) => Some(operator.apply(self.evaluate(a, read)?)),
            SymbolNode::Binary(operator, a, b) => {
                Some(operator.apply(self.evaluate(a, read)?, self.evaluate(b, read)?))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Binary, Symbols, Unary};
    use crate::test::{Integer, NumberComparison};

    const EQUAL: Binary = Binary::Compare(NumberComparison::Equal);
    const NOT_EQUAL: Binary = Binary::CompareUnsigned(NumberComparison::NotEqual);

    #[test]
    fn what_is_supposed_decides_the_same_in_other_words() {
        let mut symbols = Symbols::default();
        let (read, expected, seven) = (symbols.read(0), symbols.read(1), symbols.constant(7));
        let swapped = symbols.binary(EQUAL, read, expected);
        let differs = symbols.binary(NOT_EQUAL, expected, read);
        assert_eq!(symbols.implied(&[(swapped, true)], differs), Some(0));
        assert_eq!(symbols.implied(&[(swapped, false)], differs), Some(1));
        assert_eq!(symbols.implied(&[], differs), None);
        // Converted to a type, what is equal is equal, and what is not may be.
        let word = Unary::Convert(Integer { bits: 32, signed: true });
        let (a, b) = (symbols.unary(word, read), symbols.unary(word, expected));
        let differ = symbols.binary(NOT_EQUAL, a, b);
        assert_eq!(symbols.implied(&[(swapped, true)], differ), Some(0));
        assert_eq!(symbols.implied(&[(swapped, false)], differ), None);
        // A read that is a number is no other one.
        let (is_seven, is_expected_seven) =
            (symbols.binary(NOT_EQUAL, seven, read), symbols.binary(EQUAL, expected, seven));
        let eight = symbols.constant(8);
        let is_eight = symbols.binary(EQUAL, read, eight);
        assert_eq!(symbols.implied(&[(is_seven, false)], is_eight), Some(0));
        assert_eq!(symbols.implied(&[(is_seven, true)], is_eight), None);
        // What is joined is taken apart, as far as its parts follow.
        let both = symbols.binary(Binary::And, is_seven, is_expected_seven);
        let suppose = |mut supposed: Vec<_>, symbol, holds| {
            symbols.suppose(&mut supposed, symbol, holds);
            supposed
        };
        assert_eq!(suppose(Vec::new(), both, true), [(is_seven, true), (is_expected_seven, true)]);
        assert_eq!(suppose(Vec::new(), both, false), [(both, false)]);
        assert_eq!(
            suppose(vec![(is_seven, true)], both, false),
            [(is_seven, true), (is_expected_seven, false)]
        );
        let neither = symbols.unary(Unary::LogicalNot, both);
        let mut supposed = Vec::new();
        symbols.suppose(&mut supposed, neither, false);
        assert_eq!(supposed, [(is_seven, true), (is_expected_seven, true)]);
        // Bits of numbers are no truth values.
        let bits = symbols.binary(Binary::And, read, expected);
        let mut supposed = Vec::new();
        symbols.suppose(&mut supposed, bits, true);
        assert_eq!(supposed, [(bits, true)]);
    }
}
