//! Cardinality by unary counters: output `k` of a counter says that at least `k + 1` of its inputs
//! are true.

use super::{Polarity, Translator};
use crate::circuit::Bit;
use crate::logic::{CardinalityComparison, Expr, Logic};

impl Translator {
    /// Outputs `0..limit` of the counter of an expression's cells.
    pub(super) fn count(&mut self, bits: &[Bit], limit: usize) -> Vec<Bit> {
        // at_least[k]: at least k + 1 of the bits so far.
        let mut at_least = vec![Bit::FALSE; limit.min(bits.len())];
        for &bit in bits {
            for k in (0..at_least.len()).rev() {
                let before = if k == 0 { Bit::TRUE } else { at_least[k - 1] };
                let now = self.circuit.and(before, bit);
                at_least[k] = self.circuit.or(at_least[k], now);
            }
        }
        at_least.resize(limit, Bit::FALSE);
        at_least
    }

    pub(super) fn cardinality(
        &mut self,
        logic: &Logic,
        e: Expr,
        comparison: CardinalityComparison,
        number: usize,
        polarity: Polarity,
    ) -> Bit {
        let occurrence = match comparison {
            CardinalityComparison::AtLeast | CardinalityComparison::Greater => polarity,
            CardinalityComparison::AtMost | CardinalityComparison::Less => polarity.flip(),
            CardinalityComparison::Equal => polarity.both(),
        };
        let e = self.translate_expr(logic, e, occurrence);
        let bits: Vec<Bit> = e.cells().iter().map(|&(_, b)| b).collect();
        let counter = self.count(&bits, number.min(bits.len()) + 1);
        let at_least = |k: usize| {
            if k == 0 { Bit::TRUE } else { counter.get(k - 1).copied().unwrap_or(Bit::FALSE) }
        };
        match comparison {
            CardinalityComparison::AtLeast => at_least(number),
            CardinalityComparison::Greater => at_least(number.saturating_add(1)),
            CardinalityComparison::AtMost => !at_least(number.saturating_add(1)),
            CardinalityComparison::Less => !at_least(number),
            CardinalityComparison::Equal => {
                let (least, more) = (at_least(number), at_least(number.saturating_add(1)));
                self.circuit.and(least, !more)
            }
        }
    }

    pub(super) fn compare_cardinality(
        &mut self,
        logic: &Logic,
        a: Expr,
        comparison: CardinalityComparison,
        b: Expr,
        polarity: Polarity,
    ) -> Bit {
        let (for_a, for_b) = match comparison {
            CardinalityComparison::AtLeast | CardinalityComparison::Greater => {
                (polarity, polarity.flip())
            }
            CardinalityComparison::AtMost | CardinalityComparison::Less => {
                (polarity.flip(), polarity)
            }
            CardinalityComparison::Equal => (polarity.both(), polarity.both()),
        };
        let (a, b) = (self.translate_expr(logic, a, for_a), self.translate_expr(logic, b, for_b));
        let a: Vec<Bit> = a.cells().iter().map(|&(_, b)| b).collect();
        let b: Vec<Bit> = b.cells().iter().map(|&(_, b)| b).collect();
        let limit = a.len().max(b.len());
        let (a, b) = (self.count(&a, limit), self.count(&b, limit));
        let not_less = |circuit: &mut crate::circuit::Circuit, x: &[Bit], y: &[Bit]| {
            let bits: Vec<Bit> = x.iter().zip(y).map(|(&x, &y)| circuit.or(x, !y)).collect();
            circuit.and_all(bits)
        };
        let (a_least, b_least) =
            (not_less(&mut self.circuit, &a, &b), not_less(&mut self.circuit, &b, &a));
        match comparison {
            CardinalityComparison::AtLeast => a_least,
            CardinalityComparison::AtMost => b_least,
            CardinalityComparison::Less => !a_least,
            CardinalityComparison::Greater => !b_least,
            CardinalityComparison::Equal => self.circuit.and(a_least, b_least),
        }
    }
}
