//! What the registers of a path hold: values as terms over what was read, with the reads that they
//! depend on.

use super::super::path::{Dependent, Positions};
use super::super::program::{Program, Step, Term};
use super::super::shared::Shared;
use super::super::symbol::{Binary, Unary};
use super::{ExplorationState, Explorer};
use crate::test::{Dialect, Integer, NumberComparison};

/// What comparisons give.
const TRUTH: Integer = Integer { bits: 1, signed: false };

impl Explorer<'_> {
    pub(super) fn term(&mut self, state: &ExplorationState, term: &Term) -> Dependent {
        match term {
            Term::Constant(n) => Dependent::new(self.symbols.constant(*n), Positions::EMPTY),
            Term::Register(r) => state.registers[usize::from(r.0)],
            Term::Unary(operator, a) => {
                let a = self.term(state, a);
                self.unary(*operator, a)
            }
            Term::Binary(operator, a, b) => {
                let (a, b) = (self.term(state, a), self.term(state, b));
                self.binary(*operator, a, b)
            }
        }
    }

    /// Is a divisor of a step 0? `None` where that cannot be.
    pub(super) fn divides_by_zero(&self, step: &Step) -> Option<Term> {
        if !self.divides {
            return None;
        }
        step.terms().into_iter().filter_map(divides_by_zero).reduce(either)
    }

    fn unary(&mut self, operator: Unary, a: Dependent) -> Dependent {
        let known = match operator {
            Unary::Convert(integer) if a.known.is_some_and(|known| integer.includes(known)) => {
                return a;
            }
            Unary::Convert(integer) => Some(integer),
            Unary::LogicalNot => Some(TRUTH),
            Unary::BitwiseNot => a.known.filter(|known| known.signed),
            Unary::Negate => None,
        };
        Dependent { symbol: self.symbols.unary(operator, a.symbol), known, ..a }
    }

    pub(super) fn binary(&mut self, operator: Binary, a: Dependent, b: Dependent) -> Dependent {
        let known = if operator.is_truth() {
            Some(TRUTH)
        } else if operator.keeps_type() {
            // A number is of any type that has it.
            let other = |value: Dependent, other: Dependent| match (
                value.known,
                self.symbols.as_constant(value.symbol),
            ) {
                (None, Some(n)) => other.known.filter(|known| known.contains(n)),
                (known, _) => known,
            };
            let (x, y) = (other(a, b), other(b, a));
            x.zip(y).and_then(|(x, y)| [x, y].into_iter().find(|t| t.includes(x) && t.includes(y)))
        } else {
            None
        };
        Dependent {
            symbol: self.symbols.binary(operator, a.symbol, b.symbol),
            reads: a.reads | b.reads,
            picks: a.picks | b.picks,
            known,
        }
    }

    /// A value of a type; of no type it stays what it is.
    pub(super) fn convert(&mut self, value: Dependent, integer: Option<Integer>) -> Dependent {
        match integer.filter(|i| i.bits < 64) {
            Some(integer) => self.unary(Unary::Convert(integer), value),
            None => value,
        }
    }

    pub(super) fn zero(&mut self) -> Dependent {
        Dependent::new(self.symbols.constant(0), Positions::EMPTY)
    }
}

/// Does a program divide by what may be 0? Only in C and PTX, which leave undefined what that is:
/// other machines define it.
pub(super) fn divides(program: &Program, shared: &Shared) -> bool {
    matches!(Dialect::of(shared.signature), Dialect::C | Dialect::Ptx)
        && program
            .steps
            .iter()
            .flat_map(|(step, _)| step.terms())
            .any(|term| divides_by_zero(term).is_some())
}

fn either(a: Term, b: Term) -> Term {
    Term::binary(Binary::LogicalOr, a, b)
}

/// Is a divisor in a value 0? The right side of `&&` and `||` counts only where it decides.
fn divides_by_zero(term: &Term) -> Option<Term> {
    let Term::Binary(operator, a, b) = term else {
        return match term {
            Term::Unary(_, a) => divides_by_zero(a),
            _ => None,
        };
    };
    let compared = |comparison, value: &Term| {
        Term::binary(Binary::Compare(comparison), value.clone(), Term::Constant(0))
    };
    let of_right = divides_by_zero(b).map(|found| match operator {
        Binary::LogicalAnd => {
            Term::binary(Binary::LogicalAnd, compared(NumberComparison::NotEqual, a), found)
        }
        Binary::LogicalOr => {
            Term::binary(Binary::LogicalAnd, compared(NumberComparison::Equal, a), found)
        }
        _ => found,
    });
    let divides = matches!(
        operator,
        Binary::Divide | Binary::Remainder | Binary::DivideUnsigned | Binary::RemainderUnsigned
    );
    let itself = (divides && !matches!(**b, Term::Constant(n) if n != 0))
        .then(|| compared(NumberComparison::Equal, b));
    divides_by_zero(a).into_iter().chain(of_right).chain(itself).reduce(either)
}
