//! Graphs of possible edges: strongly connected components and longest paths bound what a closure
//! can be.

use std::collections::BTreeMap;

/// The possible edges of a relation, between the atoms that have any.
pub struct Graph {
    /// The atoms, ascending.
    nodes: Vec<u64>,
    /// Successors of each node, as indices.
    successors: Vec<Vec<usize>>,
    /// The component of each node; components are numbered successors first.
    component: Vec<usize>,
    /// The number of nodes of each component.
    sizes: Vec<usize>,
}

impl Graph {
    /// From pairs of atoms.
    pub fn new(edges: impl Iterator<Item = (u64, u64)>) -> Self {
        let edges: Vec<(u64, u64)> = edges.collect();
        let mut nodes: Vec<u64> = edges.iter().flat_map(|&(a, b)| [a, b]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let index: BTreeMap<u64, usize> = nodes.iter().enumerate().map(|(i, &a)| (a, i)).collect();
        let mut successors = vec![Vec::new(); nodes.len()];
        for (a, b) in edges {
            successors[index[&a]].push(index[&b]);
        }
        let mut graph =
            Self { component: vec![usize::MAX; nodes.len()], sizes: Vec::new(), nodes, successors };
        graph.components();
        graph
    }

    /// Tarjan's algorithm, without recursion.
    fn components(&mut self) {
        let n = self.nodes.len();
        let (mut index, mut low) = (vec![usize::MAX; n], vec![0; n]);
        let (mut stack, mut next) = (Vec::new(), 0);
        for root in 0..n {
            if index[root] != usize::MAX {
                continue;
            }
            let mut calls = vec![(root, 0)];
            while let Some(&mut (v, ref mut edge)) = calls.last_mut() {
                if *edge == 0 {
                    (index[v], low[v]) = (next, next);
                    next += 1;
                    stack.push(v);
                }
                if let Some(&w) = self.successors[v].get(*edge) {
                    *edge += 1;
                    if index[w] == usize::MAX {
                        calls.push((w, 0));
                    } else if self.component[w] == usize::MAX {
                        low[v] = low[v].min(index[w]);
                    }
                    continue;
                }
                calls.pop();
                if let Some(&(parent, _)) = calls.last() {
                    low[parent] = low[parent].min(low[v]);
                }
                if low[v] == index[v] {
                    let mut size = 0;
                    while let Some(w) = stack.pop() {
                        self.component[w] = self.sizes.len();
                        size += 1;
                        if w == v {
                            break;
                        }
                    }
                    self.sizes.push(size);
                }
            }
        }
    }

    fn index(&self, atom: u64) -> Option<usize> {
        self.nodes.binary_search(&atom).ok()
    }

    /// May the edge lie on a cycle?
    pub fn on_cycle(&self, a: u64, b: u64) -> bool {
        match (self.index(a), self.index(b)) {
            (Some(a), Some(b)) => self.component[a] == self.component[b],
            _ => false,
        }
    }

    /// No path without repeated nodes (but for a return to its start) has more edges than this.
    pub fn longest_path(&self) -> usize {
        // Components are numbered successors first, so a component's successors are done before it.
        let mut longest = vec![0; self.sizes.len()];
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); self.sizes.len()];
        for (v, &c) in self.component.iter().enumerate() {
            members[c].push(v);
        }
        for c in 0..self.sizes.len() {
            let beyond = members[c]
                .iter()
                .flat_map(|&v| &self.successors[v])
                .map(|&w| self.component[w])
                .filter(|&d| d != c)
                .map(|d| longest[d])
                .max();
            longest[c] = self.sizes[c] + beyond.unwrap_or(0);
        }
        // A chain of k nodes has k - 1 edges, a cycle of k nodes has k.
        longest.into_iter().max().unwrap_or(0)
    }

    /// How many triples of nodes there are in one component.
    pub fn triples(&self) -> usize {
        self.sizes.iter().map(|&size| size.pow(3)).sum()
    }

    /// The pairs that paths can connect.
    pub fn reachable(&self) -> Vec<(u64, u64)> {
        let mut out = Vec::new();
        for start in 0..self.nodes.len() {
            let mut seen = vec![false; self.nodes.len()];
            let mut open: Vec<usize> = self.successors[start].clone();
            while let Some(v) = open.pop() {
                if !std::mem::replace(&mut seen[v], true) {
                    open.extend(&self.successors[v]);
                }
            }
            out.extend(
                seen.iter()
                    .enumerate()
                    .filter(|(_, s)| **s)
                    .map(|(v, _)| (self.nodes[start], self.nodes[v])),
            );
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::Graph;

    #[test]
    fn components_paths_and_reachability() {
        // 0 -> 1 -> 2 -> 0 (a cycle), 2 -> 3 -> 4, 5 -> 5
        let graph = Graph::new([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (5, 5)].into_iter());
        assert!(graph.on_cycle(0, 1) && graph.on_cycle(2, 0) && graph.on_cycle(5, 5));
        assert!(!graph.on_cycle(2, 3) && !graph.on_cycle(3, 4) && !graph.on_cycle(7, 8));
        assert_eq!(graph.longest_path(), 5);
        assert_eq!(graph.reachable().len(), 3 * 5 + 1 + 1);
        assert_eq!(Graph::new(std::iter::empty()).longest_path(), 0);
    }
}
