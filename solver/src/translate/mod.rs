//! Relational logic to circuits: every expression becomes a sparse matrix of bits, every formula a
//! bit.
//!
//! Translation knows the polarity of each occurrence (docs/encoding.md): where a larger relation
//! could only make the asserted formula harder to satisfy, a closure is any transitive relation
//! above its base; elsewhere it is exact.

mod cardinality;
mod closure;
mod elimination;
mod expr;
mod fixpoint;
mod formula;
mod graph;
mod outline;

pub use outline::upper_bound;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::bounds::Bounds;
use crate::circuit::{Bit, Circuit};
use crate::encoding::Encoding;
use crate::limits::SolverLimits;
use crate::logic::{
    Binder, Expr, FixpointGroup, Formula, Free, Logic, QuantifiedVariable, Recursion, Relation,
};
use crate::matrix::Matrix;
use crate::tuples::TupleSet;
use crate::universe::Atom;

/// How an occurrence bears on the formula that is asserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Polarity {
    /// The larger (the truer), the easier to satisfy.
    Positive,
    /// The larger, the harder to satisfy.
    Negative,
    /// Both ways, or not known: must be exact.
    Both,
    /// No occurrence at all: asked is only which bits the bounds decide. Bits are constant or
    /// unknown (see [`Circuit::set_outline`]).
    Outline,
}

impl Polarity {
    /// The polarity of parts whose value matters both ways.
    pub fn both(self) -> Self {
        match self {
            Self::Positive | Self::Negative | Self::Both => Self::Both,
            Self::Outline => Self::Outline,
        }
    }

    /// The polarity under one more negation.
    pub fn flip(self) -> Self {
        match self {
            Self::Positive => Self::Negative,
            Self::Negative => Self::Positive,
            Self::Both => Self::Both,
            Self::Outline => Self::Outline,
        }
    }
}

/// The values of a group of mutually recursive definitions.
type GroupValues = Arc<Vec<Arc<Matrix>>>;

/// Values that depend on these bindings, and on none further in.
#[derive(Debug, Clone, Default)]
struct BindingFrame {
    /// What is bound here; nothing in the first frame.
    binders: Vec<Binder>,
    exprs: FxHashMap<(Expr, Polarity), Arc<Matrix>>,
    formulas: FxHashMap<(Formula, Polarity), Bit>,
    fixpoints: FxHashMap<(FixpointGroup, Polarity), GroupValues>,
}

impl BindingFrame {
    fn new(binders: Vec<Binder>) -> Self {
        Self { binders, ..Self::default() }
    }
}

/// Clauses over bits, one after the other: closures make very many.
#[derive(Debug, Clone, Default)]
pub struct SideClauses {
    bits: Vec<Bit>,
    /// Where each clause ends.
    ends: Vec<u32>,
}

impl SideClauses {
    fn push(&mut self, clause: impl IntoIterator<Item = Bit>) {
        self.bits.extend(clause);
        self.ends.push(self.bits.len() as u32);
    }

    /// Each clause as its disjuncts, in the order in which they were made.
    pub fn iter(&self) -> impl Iterator<Item = &[Bit]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(from, &to)| &self.bits[from as usize..to as usize])
    }
}

/// The translation of expressions and formulas of one [`Logic`] under one [`Bounds`]; values are
/// kept.
#[derive(Debug)]
pub struct Translator {
    bounds: Bounds,
    /// The number of atoms.
    n: u64,
    /// Which techniques are on.
    encoding: Encoding,
    /// The circuit that grows.
    pub circuit: Circuit,
    /// Clauses that hold by construction (of fresh relations): the caller adds them to the CNF.
    pub side_clauses: SideClauses,
    /// The matrix of each bound relation that was used.
    relations: FxHashMap<Relation, Arc<Matrix>>,
    /// The innermost frame is the last; the first one holds what depends on no variable.
    frames: Vec<BindingFrame>,
    variables: Vec<(QuantifiedVariable, Atom)>,
    recursions: Vec<(Recursion, Arc<Matrix>)>,
    /// When to give up.
    limits: SolverLimits,
    /// Was it given up? Then what was translated since means nothing.
    cut: bool,
    /// The cells of all values that are kept, and the literals of all side clauses.
    cells: usize,
    literals: usize,
    /// Was it given up because it is too large?
    too_large: bool,
}

/// What a cell of a value, a gate, an input of a gate, and a literal of a clause take, in bytes,
/// with what the solver keeps for them: a gate is a variable, and each input of it has a clause of
/// two literals and a literal of the clause for all.
const CELL_BYTES: usize = 16;
const GATE_BYTES: usize = 150;
const EDGE_BYTES: usize = 3 * LITERAL_BYTES;
const LITERAL_BYTES: usize = 26;

impl Translator {
    /// Nothing is translated yet.
    pub fn new(bounds: Bounds, encoding: Encoding) -> Self {
        let n = bounds.universe().len() as u64;
        Self {
            bounds,
            n,
            encoding,
            circuit: Circuit::new(encoding.share_gates),
            side_clauses: SideClauses::default(),
            relations: FxHashMap::default(),
            frames: vec![BindingFrame::default()],
            variables: Vec::new(),
            recursions: Vec::new(),
            limits: SolverLimits::default(),
            cut: false,
            cells: 0,
            literals: 0,
            too_large: false,
        }
    }

    /// From now on gives up once a limit is reached.
    pub fn set_limits(&mut self, limits: SolverLimits) {
        self.limits = limits;
    }

    /// Was a limit reached while something was translated? Its value means nothing then.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// Is it time to give up?
    fn gives_up(&mut self) -> bool {
        self.cut = self.cut || self.limits.reached();
        self.cut
    }

    /// Was a limit of size reached while something was translated?
    pub fn is_too_large(&self) -> bool {
        self.too_large
    }

    /// Would the formula be too large with so many cells more? Then it is given up.
    fn outgrows(&mut self, cells: usize) -> bool {
        if let Some(most) = self.limits.bytes {
            let literals = self.literals + self.side_clauses.bits.len();
            let gates = [(self.circuit.len(), GATE_BYTES), (self.circuit.edges(), EDGE_BYTES)];
            let all = [(self.cells + cells, CELL_BYTES), (literals, LITERAL_BYTES)]
                .into_iter()
                .chain(gates);
            self.too_large |= all
                .fold(0, |all: usize, (n, each)| all.saturating_add(n.saturating_mul(each)))
                > most;
        }
        self.cut |= self.too_large;
        self.too_large
    }

    /// The side clauses that are new.
    pub fn take_side_clauses(&mut self) -> SideClauses {
        self.literals += self.side_clauses.bits.len();
        std::mem::take(&mut self.side_clauses)
    }

    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// The frame that keeps what depends on the given bindings: the innermost one that binds one of
    /// them.
    fn frame(&self, logic: &Logic, free: Free) -> usize {
        if free.is_empty() {
            return 0;
        }
        let free = logic.free(free);
        self.frames
            .iter()
            .rposition(|frame| frame.binders.iter().any(|b| free.contains(b)))
            .unwrap_or(0)
    }

    /// The formula as a bit. Asserting the bit (positive), or its negation (negative), means the
    /// same as for the formula.
    pub fn formula(&mut self, logic: &Logic, formula: Formula, polarity: Polarity) -> Bit {
        self.translate_formula(logic, formula, polarity)
    }

    /// Equal to the expression in both polarities, unlike a bound from one side.
    pub fn exact(&mut self, logic: &Logic, expr: Expr) -> Arc<Matrix> {
        self.translate_expr(logic, expr, Polarity::Both)
    }

    /// The number of a tuple.
    pub fn tuple_index(&self, tuple: &[Atom]) -> u64 {
        tuple.iter().fold(0, |index, a| index * self.n + u64::from(a.0))
    }

    /// The tuple of a number.
    pub fn tuple_at(&self, index: u64, arity: usize) -> Vec<Atom> {
        let mut tuple = vec![Atom(0); arity];
        let mut rest = index;
        for slot in tuple.iter_mut().rev() {
            *slot = Atom((rest % self.n) as u32);
            rest /= self.n;
        }
        tuple
    }

    /// The bit that says whether a relation has a tuple.
    pub fn tuple(&mut self, relation: Relation, tuple: &[Atom]) -> Bit {
        let fits = |upper: &TupleSet| {
            upper.arity() == tuple.len() && tuple.iter().all(|a| u64::from(a.0) < self.n)
        };
        if !self.bounds.get(relation).is_some_and(|(_, upper)| fits(upper)) {
            return Bit::FALSE;
        }
        let index = self.tuple_index(tuple);
        self.relation(relation).get(index)
    }

    /// The matrix of a relation: true for its lower bound, an input for what the upper bound has
    /// besides.
    pub fn relation(&mut self, relation: Relation) -> Arc<Matrix> {
        if let Some(known) = self.relations.get(&relation) {
            return known.clone();
        }
        let mut cells = Vec::new();
        let size = self.bounds.get(relation).map_or(0, |(_, upper)| upper.len());
        if self.outgrows(size + size / 2) {
            return Arc::default();
        }
        // With the tuple that the bounds keep, half as much again.
        self.cells += size + size / 2;
        if let Some((lower, upper)) = self.bounds.get(relation) {
            cells.reserve_exact(size);
            for tuple in upper.iter() {
                let index = tuple.iter().fold(0, |index, a| index * self.n + u64::from(a.0));
                let bit = if lower.contains(tuple) { Bit::TRUE } else { self.circuit.input() };
                cells.push((index, bit));
            }
        }
        let matrix = Arc::new(Matrix::from_sorted(cells));
        self.relations.insert(relation, matrix.clone());
        matrix
    }

    /// `n` to a power.
    ///
    /// # Panics
    /// If it does not fit into 64 bits: relations of such arity over such universes are not
    /// supported.
    fn power(&self, exponent: usize) -> u64 {
        self.n.checked_pow(exponent as u32).unwrap_or_else(|| {
            panic!("relations of arity {exponent} over {} atoms are not supported", self.n)
        })
    }

    /// Does the work with a binding in force.
    fn bound<T>(
        &mut self,
        variable: QuantifiedVariable,
        atom: Atom,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.variables.push((variable, atom));
        self.frames.push(BindingFrame::new(vec![Binder::Variable(variable)]));
        let result = work(self);
        self.frames.pop();
        self.variables.pop();
        result
    }
}
