//! What an expression may be under bounds, without a circuit.

use super::{Polarity, Translator};
use crate::bounds::Bounds;
use crate::encoding::Encoding;
use crate::logic::{Expr, Logic};
use crate::tuples::TupleSet;

/// Tuples that include all which an expression without free variables has in any instance within
/// the bounds.
pub fn upper_bound(bounds: &Bounds, logic: &Logic, expr: Expr) -> TupleSet {
    let mut translator = Translator::new(bounds.clone(), Encoding::default());
    translator.circuit.set_outline(true);
    let matrix = translator.translate_expr(logic, expr, Polarity::Outline);
    let arity = logic.arity(expr);
    TupleSet::from_tuples(
        arity,
        matrix.cells().iter().map(|&(index, _)| translator.tuple_at(index, arity)),
    )
}
