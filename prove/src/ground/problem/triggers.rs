//! Which clauses can matter, and which of them an atom may violate that becomes true: those with a
//! premise of its symbol.

use super::GroundProblem;
use crate::ground::solver::GroundLiteral;
use margay_theorem::ground::{matches, violations, violations_at};
use margay_theorem::logic::{Clause, EventTerm, Lit, Pred};
use margay_theorem::theory::{SentenceReason, Triggers};
use rustc_hash::FxHashSet;

/// Claims that were proved before: the number of the step, and of the claim in it.
pub type Claims = FxHashSet<(usize, usize)>;

/// What a search knows of claims that were proved before.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProvedClaims<'a> {
    /// These alone; `None` for all.
    pub only: Option<&'a Claims>,
    /// Those that are used first: others are used where these are not enough. `None` for all.
    pub first: Option<&'a Claims>,
}

/// After so many instances it is asked whether the search is to go on.
const ASKS: usize = 1024;

/// A clause of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Which {
    /// A fact of the theory.
    Fact(usize),
    /// A clause of the problem alone.
    Local(usize),
}

/// Has a clause a variable of which no premise speaks? Then what it says of a new event is not
/// asked again when a choice that satisfies it is taken back.
fn is_free(clause: &Clause) -> bool {
    let premises = || {
        clause
            .lits
            .iter()
            .filter(|l| !l.positive && l.atom.pred != Pred::EQUAL)
            .flat_map(|l| l.atom.args)
    };
    (0..clause.variables).any(|v| !premises().any(|t| t.as_variable() == Some(v)))
}

/// What a search does with the facts of a theory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FactTurn {
    /// It is used at once.
    AtOnce,
    /// It is used where the others are not enough.
    Last,
    /// It is not used.
    Never,
}

/// What a problem knows of its clauses.
#[derive(Debug, Default)]
pub(super) struct ClauseTurns {
    /// What becomes of each fact; empty if all are known.
    facts: Vec<FactTurn>,
    /// The facts that are asked last.
    last: Vec<usize>,
    /// The problem's own clauses by their premises.
    locals: Triggers,
    /// How many of them are among these.
    prepared: usize,
    /// Those that count under a guard.
    guarded: Vec<(GroundLiteral, usize)>,
    /// Those that were not asked yet what the structure violates of them.
    fresh: Vec<usize>,
    /// Were the facts and existences looked at?
    is_ready: bool,
}

/// A violated instance: its clause, and what the variables of that stand for.
pub(super) type Violated = (Which, Vec<EventTerm>);

impl GroundProblem<'_> {
    /// Finds out which facts and existences are used, and takes the problem's own clauses in that
    /// are new. Returns whether all is new.
    pub(super) fn activate(&mut self) -> bool {
        let theory = self.theory;
        let is_new = !self.clauses.is_ready;
        if is_new {
            let is_in = |reason: &SentenceReason, claims: Option<&Claims>| match (reason, claims) {
                (SentenceReason::Lemma(step, claim), Some(claims)) => {
                    claims.contains(&(*step, *claim))
                }
                _ => true,
            };
            let ProvedClaims { only, first } = self.known;
            if only.is_some() || first.is_some() {
                let turn =
                    |reason: &SentenceReason| match (is_in(reason, only), is_in(reason, first)) {
                        (false, _) => FactTurn::Never,
                        (true, false) => FactTurn::Last,
                        (true, true) => FactTurn::AtOnce,
                    };
                self.clauses.facts = theory.facts.iter().map(|f| turn(&f.reason)).collect();
                self.clauses.last = (0..theory.facts.len())
                    .filter(|&i| self.clauses.facts[i] == FactTurn::Last)
                    .collect();
            }
            self.sources = (0..theory.sources.len())
                .filter(|&i| is_in(&theory.sources[i].reason, only))
                .collect();
            // Those nearby first; what a read reads is of use less often than fences, which come
            // later in the theory.
            self.sources.sort_by_key(|&i| (theory.sources[i].when, std::cmp::Reverse(i)));
            self.clauses.is_ready = true;
        }
        for number in self.clauses.prepared..self.locals.len() {
            let local = &self.locals[number];
            self.clauses.locals.add(number, &local.clause.lits);
            self.clauses.guarded.extend(local.guard.map(|guard| (guard, number)));
            self.clauses.fresh.push(number);
        }
        self.clauses.prepared = self.locals.len();
        is_new
    }

    /// The problem's own clauses that count under a guard which is assumed no more are looked at no
    /// more.
    pub(super) fn drop_guarded(&mut self, guard: GroundLiteral) {
        let (dropped, kept) =
            std::mem::take(&mut self.clauses.guarded).into_iter().partition(|g| g.0 == guard);
        self.clauses.guarded = kept;
        for (_, number) in dropped {
            self.clauses.locals.remove(number, &self.locals[number].clause.lits);
            self.clauses.fresh.retain(|&f| f != number);
        }
    }

    fn turn(&self, fact: usize) -> FactTurn {
        self.clauses.facts.get(fact).copied().unwrap_or(FactTurn::AtOnce)
    }

    /// The facts that are used at once.
    fn known_facts(&self) -> impl Iterator<Item = Which> {
        (0..self.theory.facts.len()).filter(|&i| self.turn(i) == FactTurn::AtOnce).map(Which::Fact)
    }

    /// A clause, and where it counts; `None` where it does not count now.
    fn clause(&self, which: Which) -> Option<(&Clause, Option<GroundLiteral>)> {
        match which {
            Which::Fact(i) => Some((&self.theory.facts[i].clause, None)),
            Which::Local(i) => {
                let local = &self.locals[i];
                local
                    .guard
                    .is_none_or(|g| self.solver.value(g) == 1)
                    .then_some((&local.clause, local.guard))
            }
        }
    }

    /// What is violated, and what might be if choices were taken back.
    pub(super) fn all_violated(&mut self) -> Vec<Violated> {
        self.clauses.fresh.clear();
        let mut found = Vec::new();
        for which in self.known_facts().chain((0..self.locals.len()).map(Which::Local)) {
            self.violated(which, None, &mut found);
        }
        found
    }

    /// What is violated of the problem's own clauses that came since.
    pub(super) fn fresh_violated(&mut self) -> Vec<Violated> {
        let fresh = std::mem::take(&mut self.clauses.fresh);
        let mut found = Vec::new();
        fresh.into_iter().for_each(|i| self.violated(Which::Local(i), None, &mut found));
        found
    }

    /// Is the structure one that satisfies everything, as far as its events tell?
    pub(super) fn violates_nothing(&self) -> bool {
        let facts = self.known_facts().chain(self.clauses.last.iter().map(|&i| Which::Fact(i)));
        let mut all = facts
            .chain((0..self.locals.len()).map(Which::Local))
            .filter_map(|which| self.clause(which));
        all.all(|(clause, _)| {
            let mut any = false;
            violations(&self.structure, clause, &self.theory.stop, &mut |_| {
                any = true;
                false
            });
            !any
        })
    }

    /// What is violated of the first fact of those that are asked last of which something is.
    pub(super) fn last_violated(&self) -> Vec<Violated> {
        let mut found = Vec::new();
        for &i in &self.clauses.last {
            self.violated(Which::Fact(i), None, &mut found);
            if !found.is_empty() {
                break;
            }
        }
        found
    }

    /// What is violated by a literal that became true.
    pub(super) fn violated_by(&self, lit: GroundLiteral) -> Vec<Violated> {
        let mut found = Vec::new();
        if !lit.is_positive() {
            return found;
        }
        let Some(atom) = self.atoms[lit.variable()] else {
            for &(_, local) in self.clauses.guarded.iter().filter(|g| g.0 == lit) {
                self.violated(Which::Local(local), None, &mut found);
            }
            return found;
        };
        let facts = self
            .theory
            .triggers
            .of(atom, &self.structure)
            .filter(|&(i, _)| self.turn(i) == FactTurn::AtOnce);
        let facts = facts.map(|(i, literal)| (Which::Fact(i), literal));
        let locals = self
            .clauses
            .locals
            .of(atom, &self.structure)
            .map(|(i, literal)| (Which::Local(i), literal));
        for (which, literal) in facts.chain(locals) {
            let [a, b] = atom.args;
            self.violated(which, Some((literal, [a, b])), &mut found);
            if atom.pred == Pred::EQUAL {
                self.violated(which, Some((literal, [b, a])), &mut found);
            }
        }
        found
    }

    /// Finds what is violated of a clause and was not added yet.
    fn violated(
        &self,
        which: Which,
        at: Option<(usize, [EventTerm; 2])>,
        found: &mut Vec<Violated>,
    ) {
        let Some((clause, _)) = self.clause(which) else { return };
        let mut add = |values: &[EventTerm]| {
            // What is there leaves a choice that was not made yet.
            if self.seen.has(which, values) {
                return true;
            }
            found.push((which, values.to_vec()));
            !(found.len().is_multiple_of(ASKS) && self.theory.stop.is_raised())
        };
        match at {
            Some(at) => violations_at(&self.structure, clause, at, &self.theory.stop, &mut add),
            None if is_free(clause) => {
                let premises: Vec<Lit> =
                    clause.lits.iter().copied().filter(|l| !l.positive).map(|l| !l).collect();
                matches(&self.structure, clause.variables, &premises, &self.theory.stop, &mut add);
            }
            None => violations(&self.structure, clause, &self.theory.stop, &mut add),
        }
    }
}
