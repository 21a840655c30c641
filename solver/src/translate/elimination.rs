//! That a graph has no cycle, by taking its nodes out one after the other (Rankooh and Rintanen,
//! Propositional Encodings of Acyclicity and Reachability by Using Vertex Elimination, AAAI 2022):
//! what led through a node is an edge then, and a cycle comes down to two edges between two nodes.
//! For a sparse graph that is far fewer clauses than a strict order over its nodes has.

use std::collections::{BTreeMap, BTreeSet};

use super::Translator;
use crate::circuit::Bit;
use crate::matrix::Matrix;

/// The order in which the nodes of a graph are taken out: the one next through which the fewest
/// paths of two edges lead.
pub(super) struct EliminationOrder {
    nodes: Vec<u64>,
    /// How many paths of two edges are made an edge, or are a cycle.
    pub paths: usize,
}

/// For each node those in front of it, and those behind.
fn neighbours_of(edges: impl Iterator<Item = (u64, u64)>) -> BTreeMap<u64, [BTreeSet<u64>; 2]> {
    let mut neighbours: BTreeMap<u64, [BTreeSet<u64>; 2]> = BTreeMap::new();
    for (a, b) in edges {
        neighbours.entry(a).or_default()[1].insert(b);
        neighbours.entry(b).or_default()[0].insert(a);
    }
    neighbours
}

impl EliminationOrder {
    /// The order for a graph; nothing where more paths than that are made edges.
    pub fn of(edges: impl Iterator<Item = (u64, u64)>, most: usize) -> Option<Self> {
        let mut neighbours = neighbours_of(edges);
        let mut order = Self { nodes: Vec::with_capacity(neighbours.len()), paths: 0 };
        // Nodes by how many paths lead through them, so that the next one is the first.
        let weight = |[before, behind]: &[BTreeSet<u64>; 2]| before.len() * behind.len();
        let mut queue: BTreeSet<(usize, u64)> =
            neighbours.iter().map(|(&node, of)| (weight(of), node)).collect();
        while let Some((paths, node)) = queue.pop_first() {
            order.paths += paths;
            if order.paths > most {
                return None;
            }
            order.nodes.push(node);
            let [before, behind] = neighbours.remove(&node).unwrap_or_default();
            let beside: BTreeSet<u64> =
                before.union(&behind).copied().filter(|&other| other != node).collect();
            for other in beside {
                let Some(of) = neighbours.get_mut(&other) else { continue };
                queue.remove(&(weight(of), other));
                for (direction, others) in [(1, &behind), (0, &before)] {
                    // An edge to the node becomes edges to those behind it.
                    if of[direction].remove(&node) {
                        of[direction]
                            .extend(others.iter().filter(|&&to| to != node && to != other));
                    }
                }
                queue.insert((weight(of), other));
            }
        }
        Some(order)
    }
}

impl Translator {
    /// True only if the relation has no cycle.
    pub(super) fn eliminated(&mut self, relation: &Matrix, order: &EliminationOrder) -> Bit {
        let n = self.n;
        let on = self.circuit.input();
        let mut edges: BTreeMap<(u64, u64), Bit> =
            relation.cells().iter().map(|&(t, bit)| ((t / n, t % n), bit)).collect();
        let mut neighbours = neighbours_of(edges.keys().copied());
        // Edges that are no bits of the relation, so that what leads to them may be said of them.
        let mut own: BTreeSet<(u64, u64)> = BTreeSet::new();
        for &node in &order.nodes {
            if self.gives_up() || self.outgrows(0) {
                break;
            }
            let [before, behind] = neighbours.remove(&node).unwrap_or_default();
            if let Some(&bit) = edges.get(&(node, node)) {
                self.side_clauses.push([!on, !bit]);
            }
            for &a in before.iter().filter(|&&a| a != node) {
                for &b in behind.iter().filter(|&&b| b != node) {
                    let (first, second) = (edges[&(a, node)], edges[&(node, b)]);
                    if a == b {
                        self.side_clauses.push([!on, !first, !second]);
                        continue;
                    }
                    let known = edges.get(&(a, b)).copied();
                    if known == Some(Bit::TRUE) || known == Some(first) || known == Some(second) {
                        continue;
                    }
                    let whole = match known {
                        None if first == Bit::TRUE => second,
                        None if second == Bit::TRUE => first,
                        Some(bit) if own.contains(&(a, b)) => bit,
                        known => {
                            let whole = self.circuit.input();
                            own.insert((a, b));
                            if let Some(bit) = known {
                                self.side_clauses.push([!bit, whole]);
                            }
                            whole
                        }
                    };
                    if whole != first && whole != second {
                        self.side_clauses.push([!first, !second, whole]);
                    }
                    edges.insert((a, b), whole);
                    neighbours.entry(a).or_default()[1].insert(b);
                    neighbours.entry(b).or_default()[0].insert(a);
                }
            }
            for &other in &before {
                if let Some(of) = neighbours.get_mut(&other) {
                    of[1].remove(&node);
                }
            }
            for &other in &behind {
                if let Some(of) = neighbours.get_mut(&other) {
                    of[0].remove(&node);
                }
            }
        }
        on
    }
}

#[cfg(test)]
mod tests {
    use super::EliminationOrder;

    #[test]
    fn what_few_paths_lead_through_is_taken_out_first() {
        // A cycle of 4 nodes, and one node between all of them: it is the last but one to go, when
        // two are left.
        let circle = (0..4).map(|i| (i, (i + 1) % 4));
        let star = (0..4).flat_map(|i| [(i, 9), (9, i)]);
        let order = EliminationOrder::of(circle.chain(star), 1000).expect("few paths");
        assert_eq!(order.nodes[0], 0);
        assert!(order.nodes.iter().position(|&node| node == 9) >= Some(2), "{:?}", order.nodes);
        // Of a chain each node has one path through it, but for its ends.
        let chain = EliminationOrder::of((0..50).map(|i| (i, i + 1)), 1000).expect("few paths");
        assert!(chain.paths <= 49, "{}", chain.paths);
        assert!(
            EliminationOrder::of((0..9).flat_map(|a| (0..9).map(move |b| (a, b))), 20).is_none()
        );
    }
}
