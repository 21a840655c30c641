//! Invariants of closures: a union of relations that contains the closure, found from below. Each
//! way for a pair to come into the closure must be within the union; where one is not, a relation
//! that contains it is added.

use super::candidate::CandidateRelation;
use crate::ground::{GroundEffort, GroundLimits};
use margay_theorem::argument::{InductionCase, induction_cases, open_all};
use margay_theorem::ground::Structure;
use margay_theorem::logic::{EventAtom, EventTerm, Lit, Pred, TheoryExprId, TheoryFormula};
use margay_theorem::theory::Theory;

/// The most members of a union. Happens-before of C++17 by `cuda-oxide`, where fences stand on both
/// sides of operations, has 52.
pub(super) const MOST: usize = 96;

/// What was found.
#[derive(Debug, Clone)]
pub struct Invariant {
    /// The closure.
    pub of: Pred,
    /// The relations whose union contains it.
    pub items: Vec<TheoryExprId>,
    /// What it took.
    pub effort: GroundEffort,
}

/// Why nothing was found.
#[derive(Debug, Clone)]
pub struct NoInvariant {
    /// The closure.
    pub of: Pred,
    /// The relations so far.
    pub items: Vec<TheoryExprId>,
    /// What is in none of them.
    pub uncovered: TheoryFormula,
    pub structure: Option<Structure>,
    /// Members that were tried and given up, since none contains what comes behind them.
    pub given_up: Vec<TheoryExprId>,
    /// What it took.
    pub effort: GroundEffort,
}

/// Ways to come into the closure: what is there, where earlier pairs are of the given relations.
#[derive(Debug, Clone)]
pub(super) struct ClosureEntry {
    /// What is there; one way for each of its cases.
    pub(super) form: TheoryFormula,
    pub(super) events: usize,
    /// Do they begin at an initial write? Such ways have members of their own: an initial write is
    /// first in every order, but no operation that synchronises.
    pub(super) initial: bool,
}

/// The most members that are given up before a search ends.
const GIVEN_UP: usize = 24;

/// Finds an invariant of a closure, of relations and sequences of two. A member behind which no
/// candidate contains the next step is in no invariant: it is given up, and the search begins again
/// without it. What is left when no member fails is an invariant, so the search misses none that
/// its candidates have, but for the limit on what is given up.
///
/// # Errors
/// What no relation contains, as it was before anything was given up.
pub fn find(
    theory: &mut Theory,
    of: Pred,
    candidates: &[(u8, TheoryExprId)],
    limits: GroundLimits,
) -> Result<Invariant, Box<NoInvariant>> {
    let begin = std::time::Instant::now();
    let cases = induction_cases(theory, &[of], true);
    let candidates: Vec<CandidateRelation> = CandidateRelation::all(theory, candidates);
    let mut search = InvariantSearch::new(theory, of, candidates, limits);
    let mut first: Option<Box<NoInvariant>> = None;
    let mut given_up = Vec::new();
    loop {
        let Err((failed, behind)) = search.close(&cases) else {
            search.tidy();
            return Ok(Invariant { of, items: search.exprs(), effort: search.effort });
        };
        let mut first_failed = first.unwrap_or(failed);
        let Some(behind) =
            behind.filter(|_| given_up.len() < GIVEN_UP && !search.theory.stop.is_raised())
        else {
            first_failed.effort = search.effort;
            first_failed.given_up = given_up;
            return Err(first_failed);
        };
        tracing::debug!(
            "given up: {}, {} members, {:.2} s",
            search.theory.text(behind),
            search.items.len(),
            begin.elapsed().as_secs_f64()
        );
        first = Some(first_failed);
        search.candidates.retain(|c| c.expr != behind);
        search.items.clear();
        given_up.push(behind);
    }
}

/// Which member each earlier pair is of.
fn choices(earlier: usize, items: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..earlier {
        all = all
            .iter()
            .flat_map(|c| (0..items).map(move |i| c.iter().copied().chain([i]).collect()))
            .collect();
    }
    all
}

pub(super) struct InvariantSearch<'a> {
    pub(super) theory: &'a mut Theory,
    pub(super) of: Pred,
    pub(super) candidates: Vec<CandidateRelation>,
    pub(super) items: Vec<CandidateRelation>,
    /// Relations that have the steps from one half of an operation to the other.
    pub(super) steps: Vec<Pred>,
    pub(super) effort: GroundEffort,
    /// The most assignments that are looked at in all.
    pub(super) most: usize,
    pub(super) limits: GroundLimits,
    /// Was each way so far within the union as it is?
    pub(super) has_whole_ways: bool,
}

/// What is in no candidate, and the member behind which it comes.
type UncoveredMember = (Box<NoInvariant>, Option<TheoryExprId>);

impl<'a> InvariantSearch<'a> {
    /// A search that has found nothing yet.
    pub(super) fn new(
        theory: &'a mut Theory,
        of: Pred,
        candidates: Vec<CandidateRelation>,
        limits: GroundLimits,
    ) -> Self {
        let (items, steps) = (Vec::new(), Vec::new());
        let effort = GroundEffort::default();
        let mut search = Self {
            theory,
            of,
            candidates,
            items,
            steps,
            effort,
            most: usize::MAX,
            limits,
            has_whole_ways: true,
        };
        search.find_steps();
        search
    }
}

impl InvariantSearch<'_> {
    /// Adds members until each way into the closure is within them.
    fn close(&mut self, cases: &[InductionCase]) -> Result<(), UncoveredMember> {
        let mut done: Vec<(usize, Vec<usize>)> = Vec::new();
        loop {
            let mut open = Vec::new();
            for (r, case) in cases.iter().enumerate() {
                for choice in choices(case.earlier.len(), self.items.len()) {
                    if !done.contains(&(r, choice.clone())) {
                        open.push((r, choice));
                    }
                }
            }
            if open.is_empty() {
                return Ok(());
            }
            for (r, choice) in open {
                for ways in self.ways(&cases[r], &choice) {
                    self.cover_all(&ways).map_err(|failed| {
                        (failed, choice.iter().max().map(|&i| self.items[i].expr))
                    })?;
                }
                done.push((r, choice));
            }
        }
    }

    fn find_steps(&mut self) {
        let Some(rmw) = self.theory.symbols.rmw() else { return };
        let rmw = self.theory.exprs.symbol(rmw);
        let rmw = CandidateRelation::new(self.theory, rmw, 0);
        let orders: Vec<_> = self
            .theory
            .symbols
            .iter()
            .map(|(p, _)| p)
            .filter(|&p| self.theory.is_program_order(p))
            .collect();
        for pred in orders {
            let expr = self.theory.exprs.symbol(pred);
            let relation = CandidateRelation::new(self.theory, expr, 0);
            if self.within(&rmw, &[&relation]) {
                self.steps.push(pred);
            }
        }
    }

    /// The ways of a rule whose earlier pairs are of the given members.
    fn ways(&mut self, case: &InductionCase, choice: &[usize]) -> Vec<ClosureEntry> {
        let mut next = case.events;
        let mut form = case.body.clone();
        for (atom, &item) in case.earlier.iter().zip(choice) {
            let (member, after) =
                open_all(self.theory, self.items[item].expr, atom.args[0], atom.args[1], next, &[]);
            next = after;
            let both = TheoryFormula::and([TheoryFormula::Lit(Lit::yes(*atom)), member]);
            form = replace(&form, Lit::yes(*atom), &both);
        }
        let Some(init) = self.theory.symbols.named("IW") else { return Vec::new() };
        let starts = Lit::yes(EventAtom::unary(init, EventTerm::event(0)));
        let way = |initial| {
            let start = if initial { starts } else { !starts };
            ClosureEntry {
                form: TheoryFormula::and([form.clone(), TheoryFormula::Lit(start)]),
                events: next,
                initial,
            }
        };
        [false, true].map(way).into()
    }

    pub(super) fn fail(
        &self,
        way: &ClosureEntry,
        structure: Option<Structure>,
    ) -> Box<NoInvariant> {
        Box::new(NoInvariant {
            of: self.of,
            items: self.exprs(),
            uncovered: way.form.clone(),
            structure,
            given_up: Vec::new(),
            effort: self.effort,
        })
    }

    pub(super) fn exprs(&self) -> Vec<TheoryExprId> {
        self.items.iter().map(|i| i.expr).collect()
    }

    /// Takes away members that the others contain.
    fn tidy(&mut self) {
        let mut at = 0;
        while at < self.items.len() {
            let items = self.items.clone();
            let rest: Vec<&CandidateRelation> =
                items.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, e)| e).collect();
            if self.within(&items[at], &rest) {
                self.items.remove(at);
            } else {
                at += 1;
            }
        }
    }
}

/// Puts a formula in the place of a literal.
fn replace(form: &TheoryFormula, lit: Lit, by: &TheoryFormula) -> TheoryFormula {
    match form {
        TheoryFormula::Lit(l) if *l == lit => by.clone(),
        TheoryFormula::And(parts) => TheoryFormula::and(parts.iter().map(|p| replace(p, lit, by))),
        TheoryFormula::Or(parts) => TheoryFormula::or(parts.iter().map(|p| replace(p, lit, by))),
        other => other.clone(),
    }
}
