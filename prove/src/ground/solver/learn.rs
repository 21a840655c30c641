//! What a conflict teaches.

use super::{ClauseIndex, GroundLiteral, GroundSolver};

/// What is learned may say something new long before the last decision. Up to so many decisions are
/// taken back for it, so that the search goes on from there. If there are more, only the last one
/// is taken back: most of the others have nothing to do with the conflict, and would be made again,
/// with all their consequences (chronological backtracking: Nadel and Ryvchin, SAT 2018). Coherence
/// of libcu++'s table under C++20 took 29 s of CPU with 5 or with 0, and had not ended after 60 s
/// with 20 or without a limit.
const FAR: usize = 5;

impl GroundSolver {
    /// Learns from a clause all of whose literals are false, and takes decisions back until what
    /// was learned says something new.
    pub(super) fn resolve(&mut self, conflict: ClauseIndex) {
        let current =
            self.clauses.of(conflict).iter().map(|&l| self.level[l.variable()]).max().unwrap_or(0);
        if current == 0 {
            self.close(conflict);
            return;
        }
        self.back(current);
        self.conflicts += 1;
        let (mut seen, mut touched) = (std::mem::take(&mut self.seen), Vec::new());
        let (mut clause, mut used) = (Vec::new(), vec![conflict]);
        let (mut open, mut at, mut index) = (0, self.trail.len(), conflict);
        let asserted = loop {
            for &lit in self.clauses.of(index) {
                let v = lit.variable();
                if self.value(lit) != -1 || std::mem::replace(&mut seen[v], true) {
                    continue;
                }
                touched.push(v);
                self.activity[v] += self.bump;
                if self.level[v] == current {
                    open += 1;
                } else {
                    clause.push(lit);
                }
            }
            let lit = loop {
                at -= 1;
                let lit = self.trail[at];
                if seen[lit.variable()] && self.level[lit.variable()] == current {
                    break lit;
                }
            };
            open -= 1;
            if open == 0 {
                break !lit;
            }
            index =
                self.reason[lit.variable()].expect("a literal before the decision was propagated");
            used.push(index);
        };
        touched.into_iter().for_each(|v| seen[v] = false);
        self.seen = seen;
        self.calm();
        // What holds anyway is no part of the clause, but of why it follows.
        let (fixed, mut clause): (Vec<GroundLiteral>, Vec<GroundLiteral>) =
            clause.into_iter().partition(|&l| self.level[l.variable()] == 0);
        let mut hints = self.fixed(&fixed);
        hints.extend(used.into_iter().rev());
        let back = clause.iter().map(|&l| self.level[l.variable()]).max().unwrap_or(0);
        clause.insert(0, asserted);
        self.back(if current - back > FAR { current - 1 } else { back });
        let index = self.store(&clause, Some(hints));
        self.settle(index);
    }

    /// Conflicts that come later count for more.
    fn calm(&mut self) {
        self.bump *= 1.05;
        if self.bump > 1e100 {
            self.activity.iter_mut().for_each(|a| *a *= 1e-100);
            self.bump *= 1e-100;
        }
    }

    /// Why literals are false at the bottom: the clauses, in the order of propagation.
    fn fixed(&self, literals: &[GroundLiteral]) -> Vec<ClauseIndex> {
        if literals.is_empty() {
            return Vec::new();
        }
        let mut seen = vec![false; self.level.len()];
        let mut needed = Vec::new();
        let mut open: Vec<usize> = literals.iter().map(|&l| l.variable()).collect();
        while let Some(v) = open.pop() {
            if std::mem::replace(&mut seen[v], true) {
                continue;
            }
            let reason = self.reason[v].expect("there are no decisions at the bottom");
            needed.push((self.position[v], reason));
            open.extend(
                self.clauses.of(reason).iter().map(|&l| l.variable()).filter(|&other| other != v),
            );
        }
        needed.sort_unstable();
        needed.into_iter().map(|n| n.1).collect()
    }

    /// A clause is false at the bottom: the empty clause follows.
    pub(super) fn close(&mut self, conflict: ClauseIndex) {
        if self.empty.is_none() {
            let mut hints = self.fixed(self.clauses.of(conflict));
            hints.push(conflict);
            self.empty = Some(self.clauses.push(&[]));
            self.hints.push(Some(hints));
        }
    }
}
