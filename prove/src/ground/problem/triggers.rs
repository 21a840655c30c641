//! Which clauses can matter, and which of them an atom may violate that becomes true: those with a premise of its symbol.

use super::{Local, Problem};
use crate::ground::clauses::Origin;
use crate::ground::search::{matches, violations, violations_at};
use crate::ground::solver::Literal;
use crate::logic::{Clause, Lit, Pred, Term};
use crate::theory::{Reason, Theory};
use rustc_hash::FxHashSet;

/// Claims that were proved before: the number of the step, and of the claim in it.
pub type Claims = FxHashSet<(usize, usize)>;

/// What a search knows of claims that were proved before.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// These alone; `None` for all.
    pub only: Option<&'a Claims>,
    /// Those that are used first: others are used where these are not enough. `None` for all.
    pub first: Option<&'a Claims>,
}

/// A clause of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    /// A fact of the theory.
    Fact(usize),
    /// A clause of the problem alone.
    Local(usize),
}

/// A premise of a clause.
#[derive(Debug, Clone, Copy)]
struct Premise {
    of: Which,
    /// Its number among the literals.
    literal: usize,
}

/// Premises of one symbol in clauses that have another one, too: most clauses have one that is true of nothing, and are not looked at.
#[derive(Debug, Clone)]
struct Group {
    other: Pred,
    premises: Vec<Premise>,
}

/// Has a clause a variable of which no premise speaks? Then what it says of a new event is not asked again when a choice that satisfies it
/// is taken back.
fn is_free(clause: &Clause) -> bool {
    let premises = || clause.lits.iter().filter(|l| !l.positive && l.atom.pred != Pred::EQUAL).flat_map(|l| l.atom.args);
    (0..clause.variables).any(|v| !premises().any(|t| t.as_variable() == Some(v)))
}

/// The clauses by the symbols of their premises.
#[derive(Debug, Default)]
pub(super) struct Triggers {
    /// The facts whose premises can be true.
    facts: Vec<usize>,
    /// For each symbol the premises that it has.
    premises: Vec<Vec<Group>>,
    /// The problem's clauses that count under a guard.
    guarded: Vec<(Literal, usize)>,
}

impl Triggers {
    pub(super) fn of(theory: &Theory, facts: Vec<usize>, locals: &[Local]) -> Self {
        let mut premises = vec![Vec::new(); theory.symbols.len()];
        let mut add = |of: Which, lits: &[Lit]| {
            let negative = || lits.iter().enumerate().filter(|(_, l)| !l.positive);
            for (literal, lit) in negative() {
                let own = lit.atom.pred;
                let other = negative().map(|(_, l)| l.atom.pred).find(|&p| p != own).unwrap_or(own);
                let groups: &mut Vec<Group> = &mut premises[own.index()];
                let premise = Premise { of, literal };
                match groups.iter_mut().find(|g| g.other == other) {
                    Some(group) => group.premises.push(premise),
                    None => groups.push(Group { other, premises: vec![premise] }),
                }
            }
        };
        facts.iter().for_each(|&i| add(Which::Fact(i), &theory.facts[i].clause.lits));
        locals.iter().enumerate().for_each(|(i, local)| add(Which::Local(i), &local.clause.lits));
        let guarded = locals.iter().enumerate().filter_map(|(i, local)| Some((local.guard?, i))).collect();
        Self { facts, premises, guarded }
    }
}

/// After so many instances it is asked whether the search is to go on.
const ASKS: usize = 1024;

/// A violated instance: its literals, where it comes from, and where it counts.
pub(super) type Violated = (Vec<Lit>, Origin, Option<Literal>);

impl Problem<'_> {
    /// Finds the facts and existences that can matter: a premise that nothing makes true is false.
    pub(super) fn activate(&mut self) {
        let mut possible = self.possible.clone();
        possible.insert(Pred::EQUAL);
        let theory = self.theory;
        let (mut facts, mut sources) = (vec![false; theory.facts.len()], vec![false; theory.sources.len()]);
        let mut locals = vec![false; self.locals.len()];
        let is_in = |reason: &Reason, claims: Option<&Claims>| match (reason, claims) {
            (Reason::Lemma(step, claim), Some(claims)) => claims.contains(&(*step, *claim)),
            _ => true,
        };
        let Known { only, first } = self.known;
        let known = |reason: &Reason| is_in(reason, only);
        loop {
            let before = possible.len();
            let clause = |lits: &[Lit], active: &mut bool, possible: &mut FxHashSet<Pred>| {
                if !*active && lits.iter().all(|l| l.positive || possible.contains(&l.atom.pred)) {
                    *active = true;
                    possible.extend(lits.iter().filter(|l| l.positive).map(|l| l.atom.pred));
                }
            };
            for (fact, active) in theory.facts.iter().zip(&mut facts).filter(|(f, _)| known(&f.reason)) {
                clause(&fact.clause.lits, active, &mut possible);
            }
            for (local, active) in self.locals.iter().zip(&mut locals) {
                clause(&local.clause.lits, active, &mut possible);
            }
            for (source, active) in theory.sources.iter().zip(&mut sources).filter(|(s, _)| known(&s.reason)) {
                let guard = &source.existence.guard;
                if !*active && guard.iter().all(|l| !l.positive || possible.contains(&l.atom.pred)) {
                    *active = true;
                    let cases = source.existence.cases.iter().flatten();
                    possible.extend(cases.filter(|l| l.positive).map(|l| l.atom.pred));
                }
            }
            if possible.len() == before {
                break;
            }
        }
        let chosen = |all: Vec<bool>| -> Vec<usize> { all.iter().enumerate().filter(|(_, a)| **a).map(|(i, _)| i).collect() };
        let (facts, last) = chosen(facts).into_iter().partition(|&i| is_in(&theory.facts[i].reason, first));
        self.triggers = Triggers::of(theory, facts, &self.locals);
        self.last = last;
        self.sources = chosen(sources);
        // Those nearby first; what a read reads is of use less often than fences, which come later in the theory.
        self.sources.sort_by_key(|&i| (theory.sources[i].when, std::cmp::Reverse(i)));
        self.possible = possible;
    }

    /// A clause, and where it counts; `None` where it does not count now.
    fn clause(&self, which: Which) -> Option<(&Clause, Option<Literal>)> {
        match which {
            Which::Fact(i) => Some((&self.theory.facts[i].clause, None)),
            Which::Local(i) => {
                let local = &self.locals[i];
                local.guard.is_none_or(|g| self.solver.value(g) == 1).then_some((&local.clause, local.guard))
            }
        }
    }

    /// What is violated, and what might be if choices were taken back.
    pub(super) fn all_violated(&self) -> Vec<Violated> {
        let mut found = Vec::new();
        let facts = self.triggers.facts.iter().map(|&i| Which::Fact(i));
        for which in facts.chain((0..self.locals.len()).map(Which::Local)) {
            self.violated(which, None, &mut found);
        }
        found
    }

    /// Is the structure one that satisfies everything, as far as its events tell?
    pub(super) fn violates_nothing(&self) -> bool {
        let facts = self.triggers.facts.iter().chain(&self.last).map(|&i| Which::Fact(i));
        let mut all = facts.chain((0..self.locals.len()).map(Which::Local)).filter_map(|which| self.clause(which));
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
        for &i in &self.last {
            self.violated(Which::Fact(i), None, &mut found);
            if !found.is_empty() {
                break;
            }
        }
        found
    }

    /// What is violated by a literal that became true.
    pub(super) fn violated_by(&self, lit: Literal) -> Vec<Violated> {
        let mut found = Vec::new();
        if lit < 0 {
            return found;
        }
        let Some(atom) = self.atoms[lit as usize] else {
            for &(_, local) in self.triggers.guarded.iter().filter(|g| g.0 == lit) {
                self.violated(Which::Local(local), None, &mut found);
            }
            return found;
        };
        let groups = self.triggers.premises[atom.pred.index()].iter();
        for premise in groups.filter(|g| !self.structure.is_empty(g.other)).flat_map(|g| &g.premises) {
            let [a, b] = atom.args;
            self.violated(premise.of, Some((premise.literal, [a, b])), &mut found);
            if atom.pred == Pred::EQUAL {
                self.violated(premise.of, Some((premise.literal, [b, a])), &mut found);
            }
        }
        found
    }

    fn violated(&self, which: Which, at: Option<(usize, [Term; 2])>, found: &mut Vec<Violated>) {
        let Some((clause, guard)) = self.clause(which) else { return };
        let mut add = |values: &[Term]| {
            let origin = match which {
                Which::Fact(i) => Origin::Fact(i, values.to_vec()),
                Which::Local(i) => Origin::Supposed(i, values.to_vec()),
            };
            found.push((clause.lits.iter().map(|l| l.with(values)).collect(), origin, guard));
            found.len() % ASKS != 0 || !self.theory.stop.is_raised()
        };
        match at {
            Some(at) => violations_at(&self.structure, clause, at, &self.theory.stop, &mut add),
            None if is_free(clause) => {
                let premises: Vec<Lit> = clause.lits.iter().copied().filter(|l| !l.positive).map(|l| !l).collect();
                matches(&self.structure, clause.variables, &premises, &self.theory.stop, &mut add);
            }
            None => violations(&self.structure, clause, &self.theory.stop, &mut add),
        }
    }
}
