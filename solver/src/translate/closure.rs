//! Closures and cycles, by polarity (docs/encoding.md).

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::elimination::EliminationOrder;
use super::graph::Graph;
use super::{Polarity, Translator};
use crate::circuit::Bit;
use crate::logic::{Expr, Logic};
use crate::matrix::Matrix;

/// A strict order over the nodes of a graph is asked for unless taking out its nodes has so many
/// times fewer clauses, and the order many: below, what the solver learns of the order is worth as
/// much.
const FEWER: usize = 4;

/// From about 40 nodes on that a cycle can go through.
const MANY_TRIPLES: usize = 1 << 16;

/// How many clauses that may be at most: to find the order of more takes seconds.
const MOST_PATHS: usize = 8_000_000;

/// With more compositions of two cells than this a closure goes step by step, in which there are as
/// many as steps and not as pairs. Below, what the solver learns of pairs is worth more.
const MANY_COMPOSITIONS: usize = 1 << 21;

impl Translator {
    /// The transitive closure of an expression.
    pub(super) fn closure(&mut self, logic: &Logic, base: Expr, polarity: Polarity) -> Arc<Matrix> {
        let base = self.translate_expr(logic, base, polarity);
        let graph = self.graph(&base);
        Arc::new(match polarity {
            Polarity::Negative => self.horn_closure(&base, &graph),
            Polarity::Positive | Polarity::Both | Polarity::Outline => {
                self.exact_closure(&base, &graph)
            }
        })
    }

    /// The pairs that paths of constant edges connect.
    fn certain_paths(&self, matrix: &Matrix) -> FxHashSet<u64> {
        let n = self.n;
        let edges =
            matrix.cells().iter().filter(|(_, b)| *b == Bit::TRUE).map(|&(t, _)| (t / n, t % n));
        Graph::new(edges).reachable().into_iter().map(|(a, b)| a * n + b).collect()
    }

    fn graph(&self, matrix: &Matrix) -> Graph {
        let n = self.n;
        Graph::new(matrix.cells().iter().map(|&(t, _)| (t / n, t % n)))
    }

    /// Repeated squaring, as often as the longest possible path needs.
    fn exact_closure(&mut self, base: &Matrix, graph: &Graph) -> Matrix {
        let mut closure = base.clone();
        let mut covered = 1;
        while covered < graph.longest_path() && !self.gives_up() {
            let longer = closure.join(&closure, self.n, self.n, &mut self.circuit);
            closure = closure.union(&longer, &mut self.circuit);
            covered *= 2;
        }
        closure
    }

    /// A fresh relation that contains the base and is transitive. It may be larger than the
    /// closure, which can only make the formula harder to satisfy where this is used; and it may be
    /// equal to it.
    fn horn_closure(&mut self, base: &Matrix, graph: &Graph) -> Matrix {
        let n = self.n;
        // What certainly holds needs no variable.
        let certain = self.certain_paths(base);
        let reachable = graph.reachable();
        if self.outgrows(reachable.len()) {
            return Matrix::new();
        }
        let mut cells: Vec<(u64, Bit)> =
            reachable.into_iter().map(|(a, b)| (a * n + b, Bit::TRUE)).collect();
        cells.sort_unstable();
        for (tuple, bit) in &mut cells {
            if !certain.contains(tuple) {
                *bit = self.circuit.input();
            }
        }
        let closure = Matrix::from_sorted(cells);
        self.contains(base, &closure);
        let step = if self.encoding.right_linear_closures
            || self.compositions(&closure, &closure) > MANY_COMPOSITIONS
        {
            base
        } else {
            &closure
        };
        self.composes(&closure, step);
        closure
    }

    /// `a` is within `b`, by side clauses.
    pub(super) fn contains(&mut self, a: &Matrix, b: &Matrix) {
        for &(tuple, bit) in a.cells() {
            let there = b.get(tuple);
            if there != Bit::TRUE {
                self.side_clauses.push([!bit, there]);
            }
        }
    }

    /// How many pairs of cells follow each other.
    fn compositions(&self, relation: &Matrix, step: &Matrix) -> usize {
        let n = self.n;
        relation
            .cells()
            .iter()
            .map(|&(tuple, _)| step.range(tuple % n * n, (tuple % n + 1) * n).len())
            .sum()
    }

    /// `relation;step` is within the relation, by side clauses.
    fn composes(&mut self, relation: &Matrix, step: &Matrix) {
        let n = self.n;
        for &(tuple, first) in relation.cells() {
            if self.outgrows(0) {
                return;
            }
            let (a, z) = (tuple / n, tuple % n);
            for &(next, second) in step.range(z * n, (z + 1) * n) {
                let whole = relation.get(a * n + next % n);
                if whole != Bit::TRUE && whole != first && whole != second {
                    self.side_clauses.push([!first, !second, whole]);
                }
            }
        }
    }

    /// The relation has no cycle.
    pub(super) fn acyclic(&mut self, logic: &Logic, r: Expr, polarity: Polarity) -> Bit {
        let relation = self.translate_expr(logic, r, polarity.flip());
        let n = self.n;
        let graph = self.graph(&relation);
        // Only edges within a strongly connected component of the possible edges can be on a cycle.
        let inner = Matrix::from_sorted(
            relation.cells().iter().copied().filter(|&(t, _)| graph.on_cycle(t / n, t % n)),
        );
        if inner.cells().is_empty() {
            return Bit::TRUE;
        }
        match polarity {
            Polarity::Positive if self.encoding.closures_by_polarity => self.ordered(&inner),
            Polarity::Negative if self.encoding.cycles_by_witness => !self.cycle_witness(&inner),
            _ => {
                let graph = self.graph(&inner);
                let closure = self.exact_closure(&inner, &graph);
                let loops: Vec<Bit> = (0..n).map(|a| !closure.get(a * n + a)).collect();
                self.circuit.and_all(loops)
            }
        }
    }

    /// True only if the relation has no cycle: if true, a fresh strict order contains it. It is
    /// partial: total orders, with one variable for each two atoms and a third of the clauses, took
    /// 51,000 conflicts where these take 48,000 (the scoped mapping, coherence, 6 events).
    fn ordered(&mut self, relation: &Matrix) -> Bit {
        let n = self.n;
        let certain = self.certain_paths(relation);
        if certain.iter().any(|&t| t / n == t % n) {
            return Bit::FALSE;
        }
        let graph = self.graph(relation);
        let (triples, edges) =
            (graph.triples(), relation.cells().iter().map(|&(t, _)| (t / n, t % n)));
        if triples > MANY_TRIPLES
            && let Some(order) = EliminationOrder::of(edges, (triples / FEWER).min(MOST_PATHS))
        {
            return self.eliminated(relation, &order);
        }
        let possible = graph.reachable();
        if self.outgrows(possible.len()) {
            return Bit::FALSE;
        }
        let mut cells: Vec<(u64, Bit)> = Vec::with_capacity(possible.len());
        for (a, b) in possible {
            let tuple = a * n + b;
            let bit = if a == b || certain.contains(&(b * n + a)) {
                Bit::FALSE
            } else if certain.contains(&tuple) {
                Bit::TRUE
            } else {
                self.circuit.input()
            };
            cells.push((tuple, bit));
        }
        cells.sort_unstable();
        let order = Matrix::from_sorted(cells);
        // Unlike a closure of it, an order above the relation need not exist: a flag turns that
        // clause on, so that the formula can also be false.
        let on = self.circuit.input();
        for &(tuple, bit) in relation.cells() {
            self.side_clauses.push([!on, !bit, order.get(tuple)]);
        }
        if self.compositions(&order, &order) > MANY_COMPOSITIONS {
            for &(tuple, first) in order.cells() {
                if self.outgrows(0) {
                    return Bit::FALSE;
                }
                let (a, z) = (tuple / n, tuple % n);
                for &(next, second) in relation.range(z * n, (z + 1) * n) {
                    let whole = order.get(a * n + next % n);
                    if whole != Bit::TRUE {
                        self.side_clauses.push([!on, !first, !second, whole]);
                    }
                }
            }
            return on;
        }
        for &(tuple, first) in order.cells() {
            if self.outgrows(0) {
                return Bit::FALSE;
            }
            let (a, z) = (tuple / n, tuple % n);
            for &(next, second) in order.range(z * n, (z + 1) * n) {
                let b = next % n;
                // A way back to `a` is not there to hold: then one of the two must be absent.
                let whole = order.get(a * n + b);
                if whole != Bit::TRUE && (a != b || a < z) {
                    self.side_clauses.push([!first, !second, whole]);
                }
            }
        }
        on
    }

    /// True only if the relation has a cycle: a non-empty set in which every member has a successor
    /// in the set. A closure would be cubic in the number of atoms, where this is about linear in
    /// the number of edges.
    fn cycle_witness(&mut self, relation: &Matrix) -> Bit {
        let n = self.n;
        let mut members: FxHashMap<u64, Bit> = FxHashMap::default();
        let mut order = Vec::new();
        for &(tuple, _) in relation.cells() {
            for atom in [tuple / n, tuple % n] {
                members.entry(atom).or_insert_with(|| {
                    order.push(atom);
                    self.circuit.input()
                });
            }
        }
        for &atom in &order {
            let successors: Vec<Bit> = relation
                .range(atom * n, (atom + 1) * n)
                .iter()
                .map(|&(t, edge)| self.circuit.and(edge, members[&(t % n)]))
                .collect();
            let mut clause = vec![!members[&atom]];
            clause.extend(successors);
            self.side_clauses.push(clause);
        }
        // The member with the highest number and its successor, one case for each edge: as a goal,
        // they are refuted one after the other, those among few atoms first.
        order.sort_unstable();
        let mut cases = Vec::new();
        for (i, &last) in order.iter().enumerate() {
            for &(tuple, edge) in relation.range(last * n, last * n + last + 1) {
                let case = self.circuit.input();
                let here = [edge, members[&last], members[&(tuple % n)]];
                let beyond = order[i + 1..].iter().map(|atom| !members[atom]);
                here.into_iter().chain(beyond).for_each(|bit| self.side_clauses.push([!case, bit]));
                cases.push(case);
            }
        }
        self.circuit.or_all(cases)
    }
}
