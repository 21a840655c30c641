//! The literals of clauses.

use std::fmt;
use std::num::NonZeroI32;
use std::ops::Not;

/// A literal of a clause: a variable, or its negation. Variables are numbered as in DIMACS, from 1
/// to `i32::MAX`; a negated one has the negative number. `!` negates.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SatLiteral(NonZeroI32);

impl SatLiteral {
    /// The literal of a number in DIMACS, if it is one: 0 ends a clause there, and `i32::MIN` has
    /// no negation.
    pub const fn of_dimacs(number: i32) -> Option<Self> {
        match NonZeroI32::new(number) {
            Some(literal) if number != i32::MIN => Some(Self(literal)),
            _ => None,
        }
    }

    /// The literals of numbers in DIMACS, without the 0 at the end, if all are literals.
    pub fn all_of_dimacs(numbers: &[i32]) -> Option<Vec<Self>> {
        numbers.iter().map(|&number| Self::of_dimacs(number)).collect()
    }

    /// The literal of this variable, from 1 on, as it is or negated; if there is such a variable.
    pub fn of_variable(variable: usize, negated: bool) -> Option<Self> {
        let literal = Self::of_dimacs(i32::try_from(variable).ok()?)?;
        Some(if negated { !literal } else { literal })
    }

    /// Its number in DIMACS.
    pub const fn dimacs(self) -> i32 {
        self.0.get()
    }

    /// The number of its variable, from 1 on.
    pub const fn variable(self) -> u32 {
        self.0.get().unsigned_abs()
    }

    /// Is it the negation of its variable?
    pub const fn is_negated(self) -> bool {
        self.0.get() < 0
    }

    /// A place in tables: twice its variable, and one more where it is negated.
    pub(crate) const fn code(self) -> usize {
        (self.variable() as usize) << 1 | self.is_negated() as usize
    }

    /// The literal of such a place, if there is one.
    pub(crate) fn of_code(code: u64) -> Option<Self> {
        Self::of_variable(usize::try_from(code >> 1).ok()?, code & 1 == 1)
    }
}

impl Not for SatLiteral {
    type Output = Self;

    fn not(self) -> Self {
        // Every number but `i32::MIN` has a negation.
        Self(-self.0)
    }
}

impl fmt::Display for SatLiteral {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for SatLiteral {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::SatLiteral;

    #[test]
    fn a_literal_is_a_number_that_has_a_negation() {
        for number in [1, -1, 7, i32::MAX, -i32::MAX] {
            let literal = SatLiteral::of_dimacs(number).expect("a literal");
            assert_eq!((literal.dimacs(), (!literal).dimacs()), (number, -number));
            assert_eq!(
                (literal.variable(), literal.is_negated()),
                (number.unsigned_abs(), number < 0)
            );
            assert_eq!(SatLiteral::of_code(literal.code() as u64), Some(literal));
            assert_eq!(literal.to_string(), number.to_string());
        }
        assert_eq!([0, i32::MIN].map(SatLiteral::of_dimacs), [None; 2]);
        assert_eq!([0, 1, u64::MAX].map(SatLiteral::of_code), [None; 3]);
        assert_eq!(SatLiteral::of_variable(1 << 31, false), None);
        assert_eq!(SatLiteral::all_of_dimacs(&[1, 0]), None);
    }
}
