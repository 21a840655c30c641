//! A small SAT solver whose clauses may come at any time, also in the middle of a search, and that
//! keeps every step: conflict-driven clause learning, each learned clause with those that it
//! follows from by unit propagation.
//!
//! A variable without a value counts as false. So the solver only ever chooses among the positive
//! literals of a clause that nothing satisfies, and it is done when there is no such clause: an
//! assignment says what has to be true, and most atoms have no value.

mod arena;
mod learn;
mod refute;

use arena::ClauseArena;
use margay_proof::SatLiteral;
pub use refute::refute;

/// A variable of a [`GroundSolver`], or its negation: twice the variable's number, and one more
/// where it is negated. Values, watches and the rest are looked up by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroundLiteral(u32);

impl From<SatLiteral> for GroundLiteral {
    fn from(literal: SatLiteral) -> Self {
        Self(literal.variable() << 1 | u32::from(literal.is_negated()))
    }
}

impl From<GroundLiteral> for SatLiteral {
    fn from(literal: GroundLiteral) -> Self {
        Self::of_variable(literal.variable(), !literal.is_positive())
            .expect("variables are numbered from 1, and have room for a sign")
    }
}

impl GroundLiteral {
    /// Is it no negation?
    #[inline]
    pub fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// The number of its variable, from 1 on.
    #[inline]
    pub fn variable(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Its place in tables of literals.
    #[inline]
    fn code(self) -> usize {
        self.0 as usize
    }
}

impl std::ops::Not for GroundLiteral {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// Where a clause is in the list of a [`GroundSolver`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClauseIndex(usize);

impl ClauseIndex {
    /// Its place in the list, and in what is said of each clause.
    #[inline]
    pub fn at(self) -> usize {
        self.0
    }
}

/// A clause that watches a literal.
#[derive(Debug, Clone, Copy)]
struct WatchingClause {
    index: ClauseIndex,
    /// Another literal of it: while this one is true, the clause needs no look.
    other: GroundLiteral,
}

/// Clauses, and an assignment.
#[derive(Debug, Default)]
pub struct GroundSolver {
    clauses: ClauseArena,
    /// For each learned clause, what it follows from, in the order of propagation; `None` for
    /// clauses that were given.
    hints: Vec<Option<Vec<ClauseIndex>>>,
    /// The clauses that watch a literal, by its code.
    watches: Vec<Vec<WatchingClause>>,
    /// For each literal, by its code: 1 for true, -1 for false, 0 for no value.
    values: Vec<i8>,
    level: Vec<usize>,
    /// Where a variable stands in the trail.
    position: Vec<usize>,
    reason: Vec<Option<ClauseIndex>>,
    trail: Vec<GroundLiteral>,
    /// The length of the trail before each decision.
    limits: Vec<usize>,
    propagated: usize,
    activity: Vec<f64>,
    bump: f64,
    /// Clauses with several positive literals that nothing may satisfy: a choice among these is
    /// needed.
    open: Vec<ClauseIndex>,
    /// For each literal, by its code, clauses with several positive literals that it satisfies.
    satisfied: Vec<Vec<ClauseIndex>>,
    /// The clause that follows from all and is empty.
    empty: Option<ClauseIndex>,
    /// Variables that were seen while a conflict was looked at; none between two conflicts.
    seen: Vec<bool>,
    /// The literals of a clause that is being added.
    distinct: Vec<GroundLiteral>,
    /// The shortest trail since it was last asked for.
    lowest: usize,
    /// How many clauses were learned.
    pub conflicts: usize,
}

#[inline]
fn value_of(values: &[i8], lit: GroundLiteral) -> i8 {
    values[lit.code()]
}

impl GroundSolver {
    /// A solver without clauses.
    pub fn new() -> Self {
        let mut new = Self { bump: 1.0, ..Self::default() };
        // Variables are numbered from 1.
        new.fresh();
        new
    }

    /// A new variable.
    pub fn fresh(&mut self) -> GroundLiteral {
        let number = self.level.len();
        self.values.extend([0, 0]);
        self.seen.push(false);
        self.level.push(0);
        self.position.push(0);
        self.reason.push(None);
        self.activity.push(0.0);
        self.watches.extend([Vec::new(), Vec::new()]);
        self.satisfied.extend([Vec::new(), Vec::new()]);
        GroundLiteral((number as u32) << 1)
    }

    /// 1 for true, -1 for false, 0 for no value.
    #[inline]
    pub fn value(&self, lit: GroundLiteral) -> i8 {
        value_of(&self.values, lit)
    }

    /// The literals that are true, in the order in which they became so.
    pub fn trail(&self) -> &[GroundLiteral] {
        &self.trail
    }

    /// How many decisions there are.
    pub fn depth(&self) -> usize {
        self.limits.len()
    }

    /// Is there a contradiction, whatever is assumed?
    pub fn is_refuted(&self) -> bool {
        self.empty.is_some()
    }

    /// How much of the trail was there all the time since this was last asked.
    pub fn unchanged(&mut self) -> usize {
        std::mem::replace(&mut self.lowest, usize::MAX).min(self.trail.len())
    }

    /// Adds a clause, and draws its consequences; decisions that it contradicts are taken back. Its
    /// number; `None` if it is true whatever its variables are.
    pub fn add(&mut self, clause: &[GroundLiteral]) -> Option<ClauseIndex> {
        let mut distinct = std::mem::take(&mut self.distinct);
        distinct.clear();
        let mut is_always_true = false;
        for &lit in clause {
            is_always_true |= distinct.contains(&!lit);
            if !distinct.contains(&lit) {
                distinct.push(lit);
            }
        }
        let index = (!is_always_true).then(|| self.store(&distinct, None));
        self.distinct = distinct;
        if let Some(index) = index {
            self.settle(index);
        }
        index
    }

    fn store(&mut self, clause: &[GroundLiteral], hints: Option<Vec<ClauseIndex>>) -> ClauseIndex {
        let index = self.clauses.push(clause);
        if clause.iter().filter(|l| l.is_positive()).nth(1).is_some() {
            self.open.push(index);
        }
        self.hints.push(hints);
        index
    }

    /// Watches a new clause, and draws the consequences of it.
    fn settle(&mut self, index: ClauseIndex) {
        // Those that may become true first, then those that became false last.
        let (values, level) = (&self.values, &self.level);
        let clause = self.clauses.of_mut(index);
        clause.sort_by_key(|&l| {
            std::cmp::Reverse(if value_of(values, l) == -1 {
                level[l.variable()]
            } else {
                usize::MAX
            })
        });
        let (first, second) = (clause.first().copied(), clause.get(1).copied());
        for (own, other) in [(first, second), (second, first)] {
            if let Some(own) = own {
                self.watches[own.code()]
                    .push(WatchingClause { index, other: other.unwrap_or(own) });
            }
        }
        let Some(first) = first else { return self.close(index) };
        // Two of its literals may be true: it says nothing yet.
        if second.is_some_and(|l| self.value(l) != -1) {
            return;
        }
        match self.value(first) {
            -1 => self.resolve(index),
            0 => self.assign(first, Some(index)),
            // It is true, perhaps by a later decision than those from which it follows.
            _ => {
                let level = self.level[first.variable()];
                if second.map_or(0, |l| self.level[l.variable()]) < level {
                    self.back(level - 1);
                    self.assign(first, Some(index));
                }
            }
        }
    }

    /// Takes a literal for true, by a decision.
    pub fn decide(&mut self, lit: GroundLiteral) {
        self.limits.push(self.trail.len());
        if self.value(lit) == 0 {
            self.assign(lit, None);
        }
    }

    /// Makes a literal true. It is of the level of the last decision that its reason needs, which
    /// may be an earlier one than the last.
    fn assign(&mut self, lit: GroundLiteral, reason: Option<ClauseIndex>) {
        let v = lit.variable();
        self.values[lit.code()] = 1;
        self.values[(!lit).code()] = -1;
        self.level[v] = match reason {
            None => self.limits.len(),
            Some(reason) => {
                let others = self.clauses.of(reason).iter().filter(|l| **l != lit);
                others.map(|&l| self.level[l.variable()]).max().unwrap_or(0)
            }
        };
        self.position[v] = self.trail.len();
        self.reason[v] = reason;
        self.trail.push(lit);
        // What the negation satisfied while the variable had no value.
        self.open.append(&mut self.satisfied[(!lit).code()]);
    }

    /// Takes back all decisions but so many, and what follows from them.
    pub fn back(&mut self, level: usize) {
        if level >= self.limits.len() {
            return;
        }
        let length = self.limits[level];
        let mut kept = length;
        for at in length..self.trail.len() {
            let lit = self.trail[at];
            let v = lit.variable();
            if self.level[v] <= level {
                self.trail[kept] = lit;
                self.position[v] = kept;
                kept += 1;
            } else {
                self.values[lit.code()] = 0;
                self.values[(!lit).code()] = 0;
                // A negation still holds.
                if lit.is_positive() {
                    self.open.append(&mut self.satisfied[lit.code()]);
                }
            }
        }
        self.trail.truncate(kept);
        self.limits.truncate(level);
        self.propagated = self.propagated.min(length);
        self.lowest = self.lowest.min(length);
    }

    /// Draws all consequences of the assignment, and of the conflicts that come of them; false if
    /// there is a contradiction whatever is decided.
    pub fn propagate(&mut self) -> bool {
        while self.empty.is_none() {
            match self.conflict() {
                Some(index) => self.resolve(index),
                None => return true,
            }
        }
        false
    }

    /// Unit propagation; a clause all of whose literals are false, if there is one.
    fn conflict(&mut self) -> Option<ClauseIndex> {
        while let Some(&lit) = self.trail.get(self.propagated) {
            self.propagated += 1;
            let mut watching = std::mem::take(&mut self.watches[(!lit).code()]);
            let (mut kept, mut at) = (0, 0);
            let mut conflict = None;
            while at < watching.len() {
                let WatchingClause { index, other } = watching[at];
                at += 1;
                if value_of(&self.values, other) == 1 {
                    watching[kept] = WatchingClause { index, other };
                    kept += 1;
                    continue;
                }
                let clause = self.clauses.of_mut(index);
                if clause[0] == !lit && clause.len() > 1 {
                    clause.swap(0, 1);
                }
                let first = clause[0];
                let of_first = value_of(&self.values, first);
                let own = WatchingClause { index, other: first };
                if of_first == 1 {
                    watching[kept] = own;
                    kept += 1;
                    continue;
                }
                if let Some(k) =
                    (2..clause.len()).find(|&k| value_of(&self.values, clause[k]) != -1)
                {
                    clause.swap(1, k);
                    let new = clause[1];
                    self.watches[new.code()].push(own);
                    continue;
                }
                // Of those that are false the one that became so by the last decision is watched:
                // it is the first to have no value again.
                let last = (1..clause.len())
                    .max_by_key(|&k| (self.level[clause[k].variable()], clause.len() - k))
                    .unwrap_or(0);
                if last > 1 {
                    clause.swap(1, last);
                    let new = clause[1];
                    self.watches[new.code()].push(own);
                } else {
                    watching[kept] = own;
                    kept += 1;
                }
                if of_first == -1 {
                    conflict = Some(index);
                    break;
                }
                self.assign(first, Some(index));
            }
            watching.copy_within(at.., kept);
            watching.truncate(kept + watching.len() - at);
            self.watches[(!lit).code()] = watching;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// A literal of a clause that nothing satisfies, to be tried: the one that was in conflicts
    /// most lately; of a clause with the fewest that may become true, where that says nothing.
    /// `None` if every clause is satisfied.
    pub fn choice(&mut self) -> Option<GroundLiteral> {
        let mut best: Option<(f64, usize, ClauseIndex, GroundLiteral)> = None;
        let mut open = std::mem::take(&mut self.open);
        open.retain(|&index| {
            let (mut many, mut first): (usize, Option<(f64, GroundLiteral)>) = (0, None);
            for &lit in self.clauses.of(index) {
                match (value_of(&self.values, lit), lit.is_positive()) {
                    (-1, _) => {}
                    // A negation is satisfied where its variable has no value.
                    (1, _) | (_, false) => {
                        self.satisfied[lit.code()].push(index);
                        return false;
                    }
                    (_, true) => {
                        many += 1;
                        let activity = self.activity[lit.variable()];
                        if first.is_none_or(|f| activity > f.0 || activity == f.0 && lit < f.1) {
                            first = Some((activity, lit));
                        }
                    }
                }
            }
            if let Some((activity, lit)) = first {
                let better = |b: &(f64, usize, ClauseIndex, GroundLiteral)| {
                    activity > b.0 || activity == b.0 && (many, index) < (b.1, b.2)
                };
                if best.as_ref().is_none_or(better) {
                    best = Some((activity, many, index, lit));
                }
            }
            true
        });
        self.open = open;
        best.map(|b| b.3)
    }
}
