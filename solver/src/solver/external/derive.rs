//! Makes a refutation that can be followed without search out of the clauses that a solver derived (Goldberg and Novikov, DATE 2003): each
//! must follow from those before it by unit propagation. What it follows from is written down.
//!
//! The solver was given the assumptions as clauses, and so may use them anywhere. Here each derived clause has the negations of the assumptions
//! that it rests on as literals more; what is left of the empty clause is then a clause of negated assumptions, which says
//! why there is no assignment.

use rustc_hash::FxHashMap;

use super::drat::{Line, Lines};
use crate::limits::Limits;
use crate::proof::Log;

/// No clause: the literal was assumed to see what follows.
const TRIED: u32 = u32::MAX;

/// How many lines are read before the limits are looked at again.
const OFTEN: usize = 256;

/// Why there is no refutation.
#[derive(Debug, PartialEq, Eq)]
pub enum Failed {
    /// A limit was reached; the first number that is not used.
    Limit(u64),
    /// The proof does not show it, for this reason.
    Proof(String),
}

/// A clause in use.
struct Clause {
    literals: Vec<i32>,
    /// Negations of the assumptions that it rests on, in ascending order.
    rests_on: Vec<i32>,
    /// Its number in the log; `None` for an assumption, which is none of the clauses there.
    id: Option<u64>,
    in_use: bool,
}

/// A refutation in the making.
pub struct Derivation<'a> {
    log: Option<&'a Log>,
    clauses: Vec<Clause>,
    /// For each literal the clauses that watch it.
    watches: Vec<Vec<u32>>,
    /// For each variable: 1, -1, or 0 where it has no value.
    values: Vec<i8>,
    /// For each variable with a value the clause that it follows from.
    reasons: Vec<u32>,
    trail: Vec<i32>,
    /// So much of the trail was propagated.
    head: usize,
    /// So many of the clauses that watch the literal at the head were looked at.
    place: usize,
    /// Of the trail, what follows from the clauses without anything tried.
    known: usize,
    by_literals: FxHashMap<Vec<i32>, Vec<u32>>,
    /// The number of the next clause in the log.
    next: u64,
    derived: Vec<u64>,
    /// A clause whose literals are all known to be false.
    empty: Option<u32>,
}

/// What a refutation came to.
#[derive(Debug)]
pub struct Refuted {
    /// The clause of negated assumptions, in ascending order.
    pub clause: Vec<i32>,
    /// Its number in the log.
    pub id: u64,
    /// The numbers of all clauses that were derived and not deleted.
    pub derived: Vec<u64>,
    /// The first number that is not used.
    pub next: u64,
}

fn at(literal: i32) -> usize {
    2 * literal.unsigned_abs() as usize + usize::from(literal < 0)
}

fn variable(literal: i32) -> usize {
    literal.unsigned_abs() as usize
}

/// The literals once each, in ascending order; `None` if the clause says nothing.
fn distinct(literals: &[i32]) -> Option<Vec<i32>> {
    let mut sorted = literals.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let says_nothing = sorted.iter().any(|&l| sorted.binary_search(&-l).is_ok());
    (!says_nothing).then_some(sorted)
}

fn merge(into: &mut Vec<i32>, from: &[i32]) {
    into.extend_from_slice(from);
    into.sort_unstable();
    into.dedup();
}

impl<'a> Derivation<'a> {
    /// Of these clauses, with their numbers in the log, under assumptions; the next number that is free.
    pub fn new<'c>(
        clauses: impl Iterator<Item = (u64, &'c [i32])>,
        assumptions: &[i32],
        next: u64,
        log: Option<&'a Log>,
    ) -> Self {
        let mut new = Self {
            log,
            clauses: Vec::new(),
            watches: Vec::new(),
            values: Vec::new(),
            reasons: Vec::new(),
            trail: Vec::new(),
            head: 0,
            place: 0,
            known: 0,
            by_literals: FxHashMap::default(),
            next,
            derived: Vec::new(),
            empty: None,
        };
        for (id, clause) in clauses {
            if let Some(literals) = distinct(clause) {
                new.insert(Clause { literals, rests_on: Vec::new(), id: Some(id), in_use: true });
            }
        }
        for &assumption in assumptions {
            new.insert(Clause { literals: vec![assumption], rests_on: vec![-assumption], id: None, in_use: true });
        }
        new
    }

    /// The refutation that a proof describes.
    ///
    /// # Errors
    /// A line does not follow from those before it, or the last one does not end it.
    pub fn refutation(mut self, proof: &[u8], limits: &Limits) -> Result<Refuted, Failed> {
        let mut lines = Lines::new(proof).enumerate();
        loop {
            self.propagate_known();
            if let Some(empty) = self.empty {
                return Ok(self.refuted(empty));
            }
            let Some((number, line)) = lines.next() else {
                return Err(Failed::Proof("the proof ends before there is a contradiction".to_owned()));
            };
            if number % OFTEN == 0 && limits.reached() {
                return Err(Failed::Limit(self.next));
            }
            match line.map_err(Failed::Proof)? {
                Line::Deleted(literals) => self.delete(&literals),
                Line::Added(literals) => {
                    // One that says nothing is needed for nothing.
                    let Some(literals) = distinct(&literals) else { continue };
                    self.derive(literals)
                        .map_err(|why| Failed::Proof(format!("line {} of its proof cannot be followed: {why}", number + 1)))?;
                }
            }
        }
    }

    fn value(&self, literal: i32) -> i8 {
        let value = self.values.get(variable(literal)).copied().unwrap_or(0);
        if literal < 0 { -value } else { value }
    }

    /// Takes a clause into use.
    fn insert(&mut self, mut clause: Clause) -> u32 {
        let index = u32::try_from(self.clauses.len()).unwrap_or(TRIED);
        for &literal in &clause.literals {
            let variables = variable(literal) + 1;
            if self.values.len() < variables {
                self.values.resize(variables, 0);
                self.reasons.resize(variables, TRIED);
                self.watches.resize(2 * variables, Vec::new());
            }
        }
        if clause.literals.len() > 1 {
            self.by_literals.entry(clause.literals.clone()).or_default().push(index);
        }
        // What is not known to be false is watched.
        clause.literals.sort_by_key(|&l| self.value(l) < 0);
        let open = clause.literals.iter().take(2).filter(|&&l| self.value(l) >= 0).count();
        for &literal in clause.literals.iter().take(2).filter(|_| clause.literals.len() > 1) {
            self.watches[at(literal)].push(index);
        }
        let first = clause.literals.first().copied();
        self.clauses.push(clause);
        match (open, first) {
            (0, _) => self.empty = self.empty.or(Some(index)),
            (1, Some(literal)) if self.value(literal) == 0 => self.know(literal, index),
            _ => {}
        }
        index
    }

    /// Writes down that a clause follows from others.
    fn write(&mut self, literals: &[i32], rests_on: &[i32], hints: &[u64]) -> u64 {
        let id = self.next;
        self.next += 1;
        if let Some(log) = self.log {
            log.derived(id, &[literals, rests_on].concat(), hints);
            self.derived.push(id);
        }
        id
    }

    /// A literal holds, since all others of the clause are known to be false.
    fn know(&mut self, literal: i32, clause: u32) {
        let reason = if self.clauses[clause as usize].literals.len() == 1 {
            clause
        } else {
            let (mut hints, mut rests_on) = (Vec::new(), Vec::new());
            let others: Vec<i32> = self.clauses[clause as usize].literals.iter().copied().filter(|&l| l != literal).collect();
            self.because(&others, &mut hints, &mut rests_on);
            self.take(clause, &mut hints, &mut rests_on);
            let id = self.write(&[literal], &rests_on, &hints);
            self.clauses.push(Clause { literals: vec![literal], rests_on, id: Some(id), in_use: true });
            u32::try_from(self.clauses.len() - 1).unwrap_or(TRIED)
        };
        self.assign(literal, reason);
        self.known = self.trail.len();
    }

    fn assign(&mut self, literal: i32, reason: u32) {
        self.values[variable(literal)] = if literal > 0 { 1 } else { -1 };
        self.reasons[variable(literal)] = reason;
        self.trail.push(literal);
    }

    /// Uses a clause.
    fn take(&self, clause: u32, hints: &mut Vec<u64>, rests_on: &mut Vec<i32>) {
        let clause = &self.clauses[clause as usize];
        hints.extend(clause.id);
        merge(rests_on, &clause.rests_on);
    }

    /// Uses what says that these literals are false, all of them known.
    fn because(&self, literals: &[i32], hints: &mut Vec<u64>, rests_on: &mut Vec<i32>) {
        for &literal in literals {
            self.take(self.reasons[variable(literal)], hints, rests_on);
        }
    }

    /// All that follows from what is known.
    fn propagate_known(&mut self) {
        while self.empty.is_none() && self.head < self.trail.len() {
            match self.visit() {
                Visit::Conflict(clause) => self.empty = Some(clause),
                Visit::Done => {}
                Visit::Implied(literal, clause) => self.know(literal, clause),
            }
        }
    }

    /// All that follows from what is tried; the clause that is false then, if there is one.
    fn propagate_tried(&mut self) -> Option<u32> {
        while self.head < self.trail.len() {
            match self.visit() {
                Visit::Conflict(clause) => return Some(clause),
                Visit::Done => {}
                Visit::Implied(literal, clause) => self.assign(literal, clause),
            }
        }
        None
    }

    /// Looks at the clauses that watch the next literal of the trail, up to the first that says something.
    fn visit(&mut self) -> Visit {
        let falsified = -self.trail[self.head];
        while let Some(&index) = self.watches[at(falsified)].get(self.place) {
            let Clause { literals, in_use, .. } = &self.clauses[index as usize];
            if !in_use {
                self.watches[at(falsified)].swap_remove(self.place);
                continue;
            }
            let other = if literals[0] == falsified { literals[1] } else { literals[0] };
            if self.value(other) > 0 {
                self.place += 1;
                continue;
            }
            let free = (2..literals.len()).find(|&i| self.value(literals[i]) >= 0);
            if let Some(free) = free {
                let literals = &mut self.clauses[index as usize].literals;
                let watched = usize::from(literals[0] != falsified);
                literals.swap(watched, free);
                let now = literals[watched];
                self.watches[at(falsified)].swap_remove(self.place);
                self.watches[at(now)].push(index);
                continue;
            }
            if self.value(other) < 0 {
                return Visit::Conflict(index);
            }
            self.place += 1;
            return Visit::Implied(other, index);
        }
        (self.head, self.place) = (self.head + 1, 0);
        Visit::Done
    }

    /// Shows that a clause follows, and takes it into use.
    fn derive(&mut self, literals: Vec<i32>) -> Result<(), &'static str> {
        let (mut hints, mut rests_on) = (Vec::new(), Vec::new());
        // A variable of the solver's own: what is said of it follows from nothing.
        if literals.iter().any(|&l| variable(l) >= self.values.len()) {
            return Err("the clause has a variable that the problem has not (Kissat: give it the option `--factor=0`)");
        }
        if let Some(&holds) = literals.iter().find(|&&l| self.value(l) > 0) {
            self.take(self.reasons[variable(holds)], &mut hints, &mut rests_on);
        } else {
            for &literal in &literals {
                if self.value(literal) == 0 {
                    self.assign(-literal, TRIED);
                }
            }
            let conflict = self.propagate_tried();
            if let Some(conflict) = conflict {
                self.explain(conflict, &literals, &mut hints, &mut rests_on);
            }
            for literal in self.trail.drain(self.known..) {
                self.values[variable(literal)] = 0;
            }
            (self.head, self.place) = (self.known, 0);
            conflict.ok_or("the clause does not follow from those before it by unit propagation (RAT steps are not taken)")?;
        }
        let id = self.write(&literals, &rests_on, &hints);
        self.insert(Clause { literals, rests_on, id: Some(id), in_use: true });
        Ok(())
    }

    /// The clauses that lead from the negation of these literals to a clause that is false, in an order for unit propagation.
    fn explain(&self, conflict: u32, literals: &[i32], hints: &mut Vec<u64>, rests_on: &mut Vec<i32>) {
        let mut needed: rustc_hash::FxHashSet<usize> =
            self.clauses[conflict as usize].literals.iter().map(|&l| variable(l)).collect();
        let mut steps = vec![conflict];
        for &literal in self.trail[self.known..].iter().rev() {
            let reason = self.reasons[variable(literal)];
            if reason != TRIED && needed.contains(&variable(literal)) {
                steps.push(reason);
                needed.extend(self.clauses[reason as usize].literals.iter().map(|&l| variable(l)));
            }
        }
        // What is known comes first; of the clause's own literals nothing need be known.
        let known = self.trail[..self.known].iter().filter(|&&l| needed.contains(&variable(l)));
        let known = known.filter(|&&l| literals.binary_search(&-l).is_err());
        for &literal in known {
            self.take(self.reasons[variable(literal)], hints, rests_on);
        }
        for &step in steps.iter().rev() {
            self.take(step, hints, rests_on);
        }
    }

    /// A clause is used no more. That a solver deletes what it knows for good is of no account, and a clause that is not there is none of ours.
    fn delete(&mut self, literals: &[i32]) {
        let Some(literals) = distinct(literals).filter(|literals| literals.len() > 1) else { return };
        let Some(index) = self.by_literals.get_mut(&literals).and_then(Vec::pop) else { return };
        self.clauses[index as usize].in_use = false;
    }

    /// The clause of negated assumptions that is left of a clause whose literals are all known to be false.
    fn refuted(mut self, empty: u32) -> Refuted {
        let (mut hints, mut clause) = (Vec::new(), Vec::new());
        let literals = self.clauses[empty as usize].literals.clone();
        self.because(&literals, &mut hints, &mut clause);
        self.take(empty, &mut hints, &mut clause);
        let id = self.write(&[], &clause, &hints);
        Refuted { clause, id, derived: self.derived, next: self.next }
    }
}

/// What the clauses that watch a literal say.
enum Visit {
    /// Nothing more.
    Done,
    /// A literal, by this clause.
    Implied(i32, u32),
    /// This clause is false.
    Conflict(u32),
}
