//! Shows that clauses which a solver learned follow from those that it was given, without search
//! (Goldberg and Novikov, DATE 2003): each must follow from those before it by unit propagation,
//! and what it follows from is written down.
//!
//! A clause that is learned waits until something needs it. Then it is proved, and before it
//! whatever it rests on; most of what a solver learns is never needed. What waits is proved from
//! the clauses before it alone, and from what is proved, so that nothing rests on itself.
//!
//! A program is given the assumptions as clauses, and so may use them anywhere. What is derived
//! from one has the negation of the assumption as one more literal; what is left of the empty
//! clause is then a clause of negated assumptions, which says why there is no assignment.

use std::collections::hash_map::Entry;

mod clauses;
mod propagation;

use clauses::{ClauseMemory, LiteralCode, state};
use margay_proof::SatLiteral;
use propagation::{BOTH, ClauseWatch, END, KNOWN, TRIED};
use rustc_hash::FxHashMap;

pub use self::clauses::ClausePlace;
use crate::limits::SolverLimits;
use crate::proof::ProofLog;

/// How many clauses are proved before the limits are looked at again.
const OFTEN: u64 = 64;

/// Why a clause is not proved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotDerived {
    /// A limit was reached.
    Limit,
    /// It does not follow from the clauses before it by unit propagation.
    NotImplied,
}

/// A clause of negated assumptions that was proved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProvedCore {
    /// Its number in the log.
    pub id: u64,
    /// Its literals, in ascending order.
    pub clause: Vec<SatLiteral>,
    /// It was made for this question, and may be deleted after it.
    pub of_question: bool,
}

/// The clauses of a solver, and what is proved of them.
pub struct ClauseDerivation {
    log: Option<ProofLog>,
    clauses: ClauseMemory,
    /// By literal: the clauses in which it is watched.
    watches: Vec<Vec<ClauseWatch>>,
    /// By literal: 1 where it is true, -1 where it is false, 0 where it has no value; 2 and -2
    /// where it is known for good.
    values: Vec<i8>,
    /// By variable: the clause that gave it its value.
    reasons: Vec<ClausePlace>,
    /// The literals that are true: those that are known for good, then those that were tried and
    /// what follows from them.
    trail: Vec<LiteralCode>,
    /// So much of what is known was propagated.
    head: usize,
    /// Clauses with one literal left that is not known to be false: what will be known next.
    units: Vec<(LiteralCode, ClausePlace)>,
    /// A clause whose literals are all known to be false.
    falsified: Option<ClausePlace>,
    /// The empty clause (but for assumptions) once it is proved.
    empty: Option<ProvedCore>,
    /// For clauses that rest on assumptions: the negations of these.
    rests_on: FxHashMap<ClausePlace, Vec<SatLiteral>>,
    /// Clauses that were learned and are in use.
    learned: Vec<ClausePlace>,
    /// Literals that were implied and are looked at last.
    deferred: Vec<LiteralCode>,
    /// By variable: the last mark that it was given.
    marks: Vec<u32>,
    mark: u32,
    /// The number of the next clause in the log.
    next: u64,
    /// Clauses that were proved so far.
    proved: u64,
}

/// The literals once each, in ascending order; `None` if the clause says nothing.
fn distinct(literals: &[SatLiteral]) -> Option<Vec<SatLiteral>> {
    let mut sorted = literals.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let says_nothing = sorted.iter().any(|&l| l.is_negated() && sorted.binary_search(&!l).is_ok());
    (!says_nothing).then_some(sorted)
}

fn merge(into: &mut Vec<SatLiteral>, from: &[SatLiteral]) {
    if !from.is_empty() {
        into.extend_from_slice(from);
        into.sort_unstable();
        into.dedup();
    }
}

impl ClauseDerivation {
    /// Without clauses; the next number in the log that is free.
    pub fn new(next: u64, log: Option<ProofLog>) -> Self {
        Self {
            log,
            clauses: ClauseMemory::default(),
            watches: Vec::new(),
            values: Vec::new(),
            reasons: Vec::new(),
            trail: Vec::new(),
            head: 0,
            units: Vec::new(),
            falsified: None,
            empty: None,
            rests_on: FxHashMap::default(),
            learned: Vec::new(),
            deferred: Vec::new(),
            marks: Vec::new(),
            mark: 0,
            next,
            proved: 0,
        }
    }

    /// The next number in the log that is free.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Has the problem this variable?
    pub fn knows(&self, literal: SatLiteral) -> bool {
        LiteralCode::of(literal).variable() < self.reasons.len()
    }

    /// A clause that the solver was given, with the next number in the log.
    pub fn give(&mut self, clause: &[SatLiteral]) {
        let id = self.next;
        self.next += 1;
        if let Some(log) = &self.log {
            log.original(id, clause);
        }
        self.give_numbered(id, clause);
    }

    /// A clause that the solver was given and that the log has under this number.
    pub fn give_numbered(&mut self, id: u64, clause: &[SatLiteral]) -> Option<ClausePlace> {
        distinct(clause).map(|literals| self.insert(&literals, state::PROVED, id))
    }

    /// A literal that the solver was given as a clause for one question.
    pub fn assume(&mut self, literal: SatLiteral) {
        let place = self.insert(&[literal], state::ASSUMED, 0);
        self.rests_on.insert(place, vec![!literal]);
    }

    /// A clause that the solver learned; none if it says nothing. What it makes known is proved at
    /// once: the solver leaves that out of all that it learns later.
    ///
    /// # Errors
    /// What became known does not follow.
    pub fn learn(&mut self, clause: &[SatLiteral]) -> Result<Option<ClausePlace>, NotDerived> {
        let unlimited = SolverLimits::default();
        self.settle(&unlimited)?;
        let Some(literals) = distinct(clause) else { return Ok(None) };
        let lead = clause.first().map_or(0, |&l| u64::from(LiteralCode::of(l).0));
        let place = self.insert(&literals, state::WAITING, lead);
        self.learned.push(place);
        self.settle(&unlimited)?;
        Ok(Some(place))
    }

    /// A clause is used no more. Whoever waits is proved from the clauses before it: where one of
    /// these goes, prove first what waits and stays.
    pub fn remove(&mut self, place: ClausePlace) {
        self.clauses.discard(place);
    }

    /// Clauses that were learned are used no more, each described by literals in any order, and
    /// what is true for good may have been left out.
    ///
    /// # Errors
    /// What waits and stays cannot be proved, or not within the limits. Then nothing goes.
    pub fn forget<'c>(
        &mut self,
        clauses: impl Iterator<Item = &'c [SatLiteral]>,
        limits: &SolverLimits,
    ) -> Result<(), NotDerived> {
        self.settle(limits)?;
        // A clause that is true for good says nothing any more, and the solver does not tell when
        // it drops one.
        let (learned, satisfied): (Vec<ClausePlace>, Vec<ClausePlace>) =
            std::mem::take(&mut self.learned)
                .into_iter()
                .partition(|&place| !self.is_satisfied(place));
        // Two clauses of one key could only lose the proof.
        let by_key: FxHashMap<u64, ClausePlace> =
            learned.iter().map(|&place| (self.key(self.clauses.literals(place)), place)).collect();
        let gone: rustc_hash::FxHashSet<ClausePlace> = clauses
            .filter_map(|clause| {
                by_key
                    .get(&self.key(
                        clause.iter().copied().filter(|&l| self.knows(l)).map(LiteralCode::of),
                    ))
                    .copied()
            })
            .collect();
        let staying: Vec<ClausePlace> =
            learned.iter().copied().filter(|place| !gone.contains(place)).collect();
        let proved = staying.iter().try_for_each(|&place| self.prove(place, limits));
        self.learned = if proved.is_ok() { staying } else { learned };
        let gone = if proved.is_ok() { gone } else { Default::default() };
        let mut gone: Vec<ClausePlace> = gone.into_iter().chain(satisfied).collect();
        gone.sort_unstable();
        for place in gone {
            // The only clause of a literal says why it is known.
            if self.clauses.length(place) > 1 {
                if let (Some(log), Some(id)) = (&self.log, self.clauses.id(place)) {
                    log.delete(id);
                }
                self.remove(place);
            }
        }
        if self.clauses.is_wasteful() {
            self.compact();
        }
        proved
    }

    /// Shows that a clause of these literals follows, negations of assumptions.
    ///
    /// # Errors
    /// It does not, or a limit was reached.
    pub fn refute(
        &mut self,
        clause: &[SatLiteral],
        limits: &SolverLimits,
    ) -> Result<ProvedCore, NotDerived> {
        if let Some(empty) = self.contradiction(limits)? {
            return Ok(empty);
        }
        let Some(literals) = distinct(clause) else {
            // The assumptions contradict each other, whatever the clauses are.
            let id = self.write(clause, &[], &[]);
            return Ok(ProvedCore { id, clause: clause.to_vec(), of_question: true });
        };
        let codes: Vec<LiteralCode> =
            literals.iter().copied().filter(|&l| self.knows(l)).map(LiteralCode::of).collect();
        let used = self.explain(&codes, None, END).ok_or(NotDerived::NotImplied)?;
        for &place in &used {
            self.prove(place, limits)?;
        }
        let (hints, rests_on) = self.cite(&used);
        let id = self.write(&literals, &rests_on, &hints);
        let mut clause = literals;
        merge(&mut clause, &rests_on);
        Ok(ProvedCore { id, clause, of_question: true })
    }

    /// The empty clause (but for assumptions), if it follows by unit propagation alone.
    ///
    /// # Errors
    /// A limit was reached, or what it rests on cannot be proved.
    pub fn contradiction(
        &mut self,
        limits: &SolverLimits,
    ) -> Result<Option<ProvedCore>, NotDerived> {
        self.settle(limits)?;
        Ok(self.empty.clone())
    }

    /// Proves a clause and whatever it rests on, unless that was done.
    ///
    /// # Errors
    /// One of them does not follow, or a limit was reached.
    pub fn prove(&mut self, place: ClausePlace, limits: &SolverLimits) -> Result<(), NotDerived> {
        let mut open = vec![place];
        let mut used: FxHashMap<ClausePlace, Vec<ClausePlace>> = FxHashMap::default();
        while let Some(&place) = open.last() {
            if self.clauses.state(place) != state::WAITING {
                open.pop();
                continue;
            }
            if let Entry::Vacant(new) = used.entry(place) {
                self.proved += 1;
                if self.proved.is_multiple_of(OFTEN) && limits.reached() {
                    return Err(NotDerived::Limit);
                }
                let codes: Vec<LiteralCode> = self.clauses.literals(place).collect();
                let lead = self.clauses.lead(place);
                new.insert(self.explain(&codes, Some(lead), place).ok_or(NotDerived::NotImplied)?);
            }
            let before = open.len();
            open.extend(
                used[&place].iter().copied().filter(|&p| self.clauses.state(p) == state::WAITING),
            );
            if open.len() == before {
                let (hints, rests_on) = self.cite(&used.remove(&place).unwrap_or_default());
                let literals: Vec<SatLiteral> =
                    self.clauses.literals(place).map(LiteralCode::literal).collect();
                let id = self.write(&literals, &rests_on, &hints);
                self.set_proved(place, id, rests_on);
                open.pop();
            }
        }
        Ok(())
    }

    fn set_proved(&mut self, place: ClausePlace, id: u64, rests_on: Vec<SatLiteral>) {
        self.clauses.set_id(place, id);
        if !rests_on.is_empty() {
            self.rests_on.insert(place, rests_on);
        }
    }

    fn is_satisfied(&self, place: ClausePlace) -> bool {
        self.clauses.length(place) > 1 && self.clauses.literals(place).any(|l| self.value(l) > 0)
    }

    /// A number for the literals that are not known to be false, in any order.
    fn key(&self, literals: impl Iterator<Item = LiteralCode>) -> u64 {
        let open = literals.filter(|&l| self.value(l) >= 0);
        // The finaliser of SplitMix64: sums of these collide as random numbers do.
        let mixed = open.map(|l| {
            let mut z = (u64::from(l.0) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ z >> 31
        });
        mixed.fold(0, u64::wrapping_add)
    }

    /// Takes a clause into use. Nothing is tried now.
    fn insert(&mut self, literals: &[SatLiteral], state: u32, id: u64) -> ClausePlace {
        let variables =
            literals.iter().map(|&l| LiteralCode::of(l).variable() + 1).max().unwrap_or(0);
        if self.reasons.len() < variables {
            self.reasons.resize(variables, TRIED);
            self.marks.resize(variables, 0);
            self.values.resize(2 * variables, 0);
            self.watches.resize(2 * variables, Vec::new());
        }
        let place = self.clauses.push(literals.iter().map(|&l| LiteralCode::of(l)), state, id);
        let first = self.clauses.words.len() - literals.len();
        // What is not known to be false is watched.
        let mut open = 0;
        for at in first..self.clauses.words.len() {
            if self.value(LiteralCode(self.clauses.words[at])) >= 0 && open < 2 {
                self.clauses.words.swap(first + open, at);
                open += 1;
            }
        }
        let watched = self.clauses.words[first..]
            .iter()
            .take(2)
            .map(|&word| LiteralCode(word))
            .collect::<Vec<_>>();
        if let [a, b] = watched[..] {
            let mark = if literals.len() == 2 && state == state::PROVED { BOTH } else { 0 };
            self.watches[a.at()]
                .push(ClauseWatch { clause: place, blocker: LiteralCode(b.0 | mark) });
            self.watches[b.at()]
                .push(ClauseWatch { clause: place, blocker: LiteralCode(a.0 | mark) });
        }
        match (open, watched.first()) {
            (1, Some(&only)) if self.value(only) == 0 => self.units.push((only, place)),
            (0, _) => self.falsified = self.falsified.or(Some(place)),
            _ => {}
        }
        place
    }

    /// Writes down that a clause follows from others; its number.
    fn write(&mut self, literals: &[SatLiteral], rests_on: &[SatLiteral], hints: &[u64]) -> u64 {
        let id = self.next;
        self.next += 1;
        match &self.log {
            Some(log) if rests_on.is_empty() => log.derived(id, literals, hints),
            Some(log) => log.derived(id, &[literals, rests_on].concat(), hints),
            None => {}
        }
        id
    }

    /// The numbers of clauses in the log, and negations of the assumptions that they rest on.
    fn cite(&self, used: &[ClausePlace]) -> (Vec<u64>, Vec<SatLiteral>) {
        let mut rests_on = Vec::new();
        if !self.rests_on.is_empty() {
            for place in used {
                merge(&mut rests_on, self.rests_on.get(place).map_or(&[], Vec::as_slice));
            }
        }
        (used.iter().filter_map(|&place| self.clauses.id(place)).collect(), rests_on)
    }

    /// Everything that follows from what is known, by unit propagation.
    fn settle(&mut self, limits: &SolverLimits) -> Result<(), NotDerived> {
        loop {
            // A clause is proved before what it says is known: so no proof of it can rest on that.
            while let Some(&(literal, place)) = self.units.last() {
                if self.empty.is_none() && self.falsified.is_none() && self.value(literal) == 0 {
                    self.prove(place, limits)?;
                    self.know(literal, place);
                } else if self.value(literal) < 0 {
                    self.falsified = self.falsified.or(Some(place));
                }
                self.units.pop();
            }
            if self.empty.is_some() {
                return Ok(());
            }
            if let Some(place) = self.falsified {
                self.prove(place, limits)?;
                let mut used: Vec<ClausePlace> =
                    self.clauses.literals(place).map(|l| self.reasons[l.variable()]).collect();
                used.push(place);
                let (hints, clause) = self.cite(&used);
                let id = self.write(&[], &clause, &hints);
                self.empty = Some(ProvedCore { id, clause, of_question: false });
                return Ok(());
            }
            let Some(&literal) = self.trail.get(self.head) else { return Ok(()) };
            self.falsified = self.visit::<true>(!literal, END);
            if self.units.is_empty() && self.falsified.is_none() {
                self.head += 1;
            }
        }
    }

    /// From now on a literal is known, since all others of a clause that is proved are known to be
    /// false.
    fn know(&mut self, literal: LiteralCode, place: ClausePlace) {
        let reason = if self.clauses.length(place) == 1 {
            place
        } else {
            let others = self
                .clauses
                .literals(place)
                .filter(|&l| l != literal)
                .map(|l| self.reasons[l.variable()]);
            let used: Vec<ClausePlace> = others.chain([place]).collect();
            let (hints, rests_on) = self.cite(&used);
            let id = self.write(&[literal.literal()], &rests_on, &hints);
            let unit = self.clauses.push([literal].into_iter(), state::WAITING, 0);
            self.set_proved(unit, id, rests_on);
            unit
        };
        self.assign(literal, reason);
        self.values[literal.at()] = KNOWN;
        self.values[(!literal).at()] = -KNOWN;
    }

    /// Gives back the words of clauses that are gone. Nothing is tried now.
    fn compact(&mut self) {
        let moved = self.clauses.compact();
        for list in &mut self.watches {
            list.retain_mut(|watch| {
                moved.get(&watch.clause).is_some_and(|&to| {
                    watch.clause = to;
                    true
                })
            });
        }
        let to = |place: &mut ClausePlace| *place = moved.get(place).copied().unwrap_or(*place);
        // The reasons of what is known; others are of trials that are over.
        for literal in &self.trail {
            to(&mut self.reasons[literal.variable()]);
        }
        self.learned.iter_mut().for_each(to);
        self.falsified.iter_mut().for_each(to);
        self.units.iter_mut().for_each(|(_, place)| to(place));
        let rests_on = std::mem::take(&mut self.rests_on);
        self.rests_on = rests_on
            .into_iter()
            .filter_map(|(place, on)| Some((*moved.get(&place)?, on)))
            .collect();
    }
}
