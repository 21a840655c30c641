//! The paths of a thread as one graph: what paths have in common in front and behind is one walk of
//! it. A formula over the edges is as small as the code; with a variable for each path, of which
//! loops that try again have thousands, the solver learned about one at a time.

use margay_solver::{Literal, Session};
use rustc_hash::FxHashMap;

use super::problem::Problem;
use super::renaming::asked_registers;
use crate::unfold::{Merged, MergedPath, MergedValue, Unfolding, ValueId};

/// What a path goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum WalkStep {
    /// A merged event.
    Event(usize),
    /// A value is different from 0 (true) or 0 (false).
    Supposition(ValueId, bool),
    /// The end: the number of the [`WalkEnd`].
    End(usize),
}

/// What is known at the end of a path, and asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WalkEnd {
    /// The registers that the condition speaks of.
    pub registers: Vec<(String, ValueId)>,
    /// The combinations of paths that cannot be, by their numbers in [`Merged::unmet`], that it
    /// belongs to.
    pub unmet: Vec<usize>,
}

/// The paths of a thread as a graph without circles, the smallest with these walks (the automaton
/// of a finite language: Revuz, TCS 1992).
#[derive(Debug, Clone)]
pub(super) struct WalkGraph {
    /// `[node][edge]`: what is gone through, and the node behind it, whose number is smaller. Paths
    /// begin at the last node, and end at the first.
    nodes: Vec<Vec<(WalkStep, usize)>>,
    pub ends: Vec<WalkEnd>,
}

/// A thread's graph in a formula.
#[derive(Debug, Clone)]
pub(super) struct Walk {
    pub graph: WalkGraph,
    /// `[node][edge]`: the edge is on the path that is taken.
    taken: Vec<Vec<Literal>>,
}

impl WalkGraph {
    /// The graph of a thread's paths.
    pub fn of(merged: &Merged, thread: usize, unfolding: &Unfolding) -> Self {
        let mut ends = Vec::new();
        let mut trie: Vec<Vec<(WalkStep, usize)>> = vec![Vec::new()];
        for steps in steps_of_paths(merged, thread, unfolding, &mut ends) {
            let mut at = 0;
            for step in steps {
                at = match trie[at].iter().find(|(known, _)| *known == step) {
                    Some(&(_, next)) => next,
                    None => {
                        trie.push(Vec::new());
                        let next = trie.len() - 1;
                        trie[at].push((step, next));
                        next
                    }
                };
            }
        }
        // What is behind a node has a greater number, so that the last ones are known first.
        let mut nodes: Vec<Vec<(WalkStep, usize)>> = Vec::new();
        let mut known: FxHashMap<Vec<(WalkStep, usize)>, usize> = FxHashMap::default();
        let mut of_trie = vec![0; trie.len()];
        for (at, mut edges) in trie.into_iter().enumerate().rev() {
            edges.iter_mut().for_each(|(_, next)| *next = of_trie[*next]);
            edges.sort_unstable();
            of_trie[at] = *known.entry(edges).or_insert_with_key(|edges| {
                nodes.push(edges.clone());
                nodes.len() - 1
            });
        }
        Self { nodes, ends }
    }
}

/// For each path of a thread what it goes through. A supposition stands behind the last read that
/// it is about.
fn steps_of_paths<'a>(
    merged: &'a Merged,
    thread: usize,
    unfolding: &'a Unfolding,
    ends: &'a mut Vec<WalkEnd>,
) -> impl Iterator<Item = Vec<WalkStep>> + 'a {
    let asked = asked_registers(unfolding, thread);
    let mut reads: FxHashMap<ValueId, Vec<usize>> = FxHashMap::default();
    merged.paths[thread].iter().enumerate().map(move |(number, path)| {
        let mut behind: Vec<(usize, ValueId, bool)> = Vec::with_capacity(path.suppositions.len());
        for &(value, holds) in &path.suppositions {
            let of_value = reads.entry(value).or_insert_with(|| reads_of(merged, value));
            let last = path.events.iter().rposition(|event| of_value.contains(event));
            behind.push((last.map_or(0, |position| position + 1), value, holds));
        }
        behind.sort_unstable();
        behind.dedup();
        let mut behind = behind.into_iter().peekable();
        let mut steps = Vec::with_capacity(path.events.len() + path.suppositions.len() + 1);
        for (position, &event) in path.events.iter().enumerate() {
            while let Some((_, value, holds)) = behind.next_if(|&(at, ..)| at <= position) {
                steps.push(WalkStep::Supposition(value, holds));
            }
            steps.push(WalkStep::Event(event));
        }
        steps.extend(behind.map(|(_, value, holds)| WalkStep::Supposition(value, holds)));
        let end = end_of(merged, (thread, number), path, &asked);
        let known = ends.iter().position(|known| *known == end);
        let end = known.unwrap_or_else(|| {
            ends.push(end);
            ends.len() - 1
        });
        steps.push(WalkStep::End(end));
        steps
    })
}

fn end_of(
    merged: &Merged,
    (thread, number): (usize, usize),
    path: &MergedPath,
    asked: &[&str],
) -> WalkEnd {
    let registers =
        path.registers.iter().filter(|(name, _)| asked.contains(&name.as_str())).cloned().collect();
    let belongs = |combination: &[Vec<usize>]| combination[thread].contains(&number);
    let unmet = (0..merged.unmet.len()).filter(|&k| belongs(&merged.unmet[k])).collect();
    WalkEnd { registers, unmet }
}

/// The reads that a value is computed from.
fn reads_of(merged: &Merged, value: ValueId) -> Vec<usize> {
    let mut found = Vec::new();
    let mut open = vec![value];
    let mut seen = vec![value];
    while let Some(value) = open.pop() {
        let operands = match merged.values[value.index()] {
            MergedValue::Number(_) => [None, None],
            MergedValue::Read(event) => {
                found.push(event);
                [None, None]
            }
            MergedValue::Unary(_, a) => [Some(a), None],
            MergedValue::Binary(_, a, b) => [Some(a), Some(b)],
        };
        for operand in operands.into_iter().flatten() {
            if !seen.contains(&operand) {
                seen.push(operand);
                open.push(operand);
            }
        }
    }
    found
}

impl Walk {
    /// A thread takes one path of the graph.
    pub fn new(graph: WalkGraph, session: &mut Session, truth: Literal) -> Self {
        let mut taken: Vec<Vec<Literal>> = vec![Vec::new(); graph.nodes.len()];
        let mut arrivals: Vec<Vec<Literal>> = vec![Vec::new(); graph.nodes.len()];
        for node in (0..graph.nodes.len()).rev() {
            let here = match arrivals[node].as_slice() {
                [] => truth,
                &[only] => only,
                several => {
                    let here = session.fresh();
                    let mut clause = vec![!here];
                    for &arrival in several {
                        session.add_clause(&[!arrival, here]);
                        clause.push(arrival);
                    }
                    session.add_clause(&clause);
                    here
                }
            };
            taken[node] = match graph.nodes[node].len() {
                1 => vec![here],
                edges => (0..edges).map(|_| session.fresh()).collect(),
            };
            if let [_, _, ..] = taken[node].as_slice() {
                let mut clause = vec![!here];
                for (i, &edge) in taken[node].iter().enumerate() {
                    session.add_clause(&[!edge, here]);
                    taken[node][..i].iter().for_each(|&other| session.add_clause(&[!edge, !other]));
                    clause.push(edge);
                }
                session.add_clause(&clause);
            }
            for (&(_, next), &edge) in graph.nodes[node].iter().zip(&taken[node]) {
                arrivals[next].push(edge);
            }
        }
        Self { graph, taken }
    }

    /// What paths go through, each with the literal that the path taken does so there.
    pub fn steps(&self) -> impl Iterator<Item = (WalkStep, Literal)> + '_ {
        let edges = self.graph.nodes.iter().zip(&self.taken).rev();
        edges.flat_map(|(edges, taken)| {
            edges.iter().zip(taken).map(|(&(step, _), &literal)| (step, literal))
        })
    }

    /// For each end the literals of which one holds if the path taken has it.
    pub fn ends(&self) -> Vec<Vec<Literal>> {
        let mut ends = vec![Vec::new(); self.graph.ends.len()];
        for (step, literal) in self.steps() {
            if let WalkStep::End(end) = step {
                ends[end].push(literal);
            }
        }
        ends
    }

    /// The steps of the path that is taken in the assignment found last; `None` where no path is.
    fn taken(&self, session: &Session) -> Option<Vec<WalkStep>> {
        let mut steps = Vec::new();
        let mut node = self.graph.nodes.len() - 1;
        while !self.graph.nodes[node].is_empty() {
            let edge = self.taken[node].iter().position(|&literal| session.holds(literal))?;
            let (step, next) = self.graph.nodes[node][edge];
            steps.push(step);
            node = next;
        }
        Some(steps)
    }
}

impl Problem<'_> {
    /// The number of the path that a thread takes in the assignment found last. Paths that go
    /// through the same are one: the first.
    pub(super) fn path_taken(&self, thread: usize, unfolding: &Unfolding) -> Option<usize> {
        let taken = self.walks[thread].taken(&self.session)?;
        let mut ends = self.walks[thread].graph.ends.clone();
        steps_of_paths(self.facts.merged, thread, unfolding, &mut ends)
            .position(|steps| steps == taken)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use margay_models::diagnostic::SourceFile;

    use super::{WalkGraph, steps_of_paths};
    use crate::unfold::{Merged, Unfolding, UnfoldingBounds};

    /// A thread that tries again with a compare-and-swap, twice, as compilers print it.
    const TRIES_AGAIN: &str = "PTX t\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n \
        ld.relaxed.gpu.u64 r0, x | st.relaxed.gpu.u64 x, 5 ;\n \
        A: | st.relaxed.gpu.u64 y, 5 ;\n \
        atom.relaxed.gpu.cas.b64 r1, x, r0, 1 | ;\n \
        setp.ne.s64 p0, r1, r0 | ;\n \
        mov.u32 r0, r1 | ;\n \
        @p0 bra A | ;\n \
        ld.relaxed.gpu.u64 r2, y | ;\n \
        B: | ;\n \
        atom.relaxed.gpu.cas.b64 r3, y, r2, 1 | ;\n \
        setp.ne.s64 p1, r3, r2 | ;\n \
        mov.u32 r2, r3 | ;\n \
        @p1 bra B | ;\n\
        exists (x == 1)\n";

    #[test]
    fn the_walks_of_a_graph_are_the_paths() {
        let read = crate::read::test(&SourceFile::new("t.litmus", TRIES_AGAIN.to_owned()))
            .expect("it is read");
        let test = read.test;
        for unroll in 0..4 {
            let bounds = UnfoldingBounds { unroll, ..UnfoldingBounds::default() };
            let unfolding =
                Unfolding::new(&test, test.dialect.signature(), bounds).expect("it is unfolded");
            let merged = Merged::new(&unfolding).expect("it is merged");
            // Each loop ends in one of its rounds: the comparison behind a compare-and-swap is no
            // choice.
            assert_eq!(merged.paths[0].len(), (unroll + 1) * (unroll + 1));
            let words: BTreeSet<_> =
                steps_of_paths(&merged, 0, &unfolding, &mut Vec::new()).collect();
            let graph = WalkGraph::of(&merged, 0, &unfolding);
            let mut open = vec![(graph.nodes.len() - 1, Vec::new())];
            let mut walks = BTreeSet::new();
            while let Some((node, steps)) = open.pop() {
                if graph.nodes[node].is_empty() {
                    assert!(walks.insert(steps), "a walk is there twice");
                    continue;
                }
                for &(step, next) in &graph.nodes[node] {
                    open.push((next, [steps.as_slice(), &[step]].concat()));
                }
            }
            assert_eq!(walks, words, "{unroll}");
            // It grows as the code does, and not as the paths do.
            assert!(graph.nodes.len() <= 12 * (unroll + 1) + 4, "{} nodes", graph.nodes.len());
        }
    }
}
