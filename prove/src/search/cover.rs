//! One way to come into a closure: which relation contains it, whole or in parts.

use super::candidate::CandidateRelation;
use super::invariant::{ClosureEntry, InvariantSearch, MOST, NoInvariant};
use crate::ground::{GroundAnswer, GroundLimits, GroundProblem};
use margay_theorem::argument::{LastStep, open_all};
use margay_theorem::logic::{EventAtom, EventTerm, Lit, Meaning, TheoryFormula};
use margay_theorem::theory::{Theory, TheoryVocabulary};

/// A way is split by at most so many steps of one kind: each doubles the number of ways.
const MOST_SPLIT: usize = 8;

impl InvariantSearch<'_> {
    /// Sees to it that each of some ways is within the union, in their order. Most are within what
    /// is there already, and there may be a million: all are asked about together, and halves of
    /// them where that does not show it.
    pub(super) fn cover_all(&mut self, ways: &ClosureEntry) -> Result<(), Box<NoInvariant>> {
        if self.effort.rounds > self.most || self.theory.stop.is_raised() {
            return Err(self.fail(ways, None));
        }
        let of = |form: TheoryFormula| ClosureEntry { form, ..*ways };
        match ways.form.halves() {
            Some(_) if self.are_within(ways) => Ok(()),
            Some(halves) => halves.into_iter().try_for_each(|half| self.cover_all(&of(half))),
            None => {
                let cases = ways.form.cases().into_iter();
                cases
                    .map(|lits| of(TheoryFormula::and(lits.into_iter().map(TheoryFormula::lit))))
                    .try_for_each(|way| self.cover(&way, 0))
            }
        }
    }

    /// Are all of some ways within the union, as far as that is seen without looking at each?
    fn are_within(&mut self, ways: &ClosureEntry) -> bool {
        let mut problem =
            not_within(self.theory, &self.items, &ways.form, ways.events, self.limits);
        let refuted = problem.solve() == GroundAnswer::Refuted;
        let effort = problem.effort;
        self.effort.add(effort);
        refuted
    }

    /// Sees to it that a way is within the union. Where no one relation contains it, steps of
    /// program order between the halves of an operation are told from others; then closures are
    /// taken apart at the end of their chains.
    pub(super) fn cover(
        &mut self,
        way: &ClosureEntry,
        depth: usize,
    ) -> Result<(), Box<NoInvariant>> {
        let failed = match self.cover_whole(way) {
            Ok(()) => return Ok(()),
            Err(failed) => failed,
        };
        self.has_whole_ways = false;
        match depth {
            0 => {
                for part in self.by_halves(way) {
                    self.cover(&part, 1)?;
                }
                Ok(())
            }
            1 => {
                let failed = match self.last_step(way).map(|longer| self.cover(&longer, 2)) {
                    Some(Ok(())) => return Ok(()),
                    Some(Err(longer)) => longer,
                    None => failed,
                };
                let parts = match self.by_readers(way) {
                    parts if parts.len() > 1 => parts,
                    _ => self.by_definitions(way),
                };
                if parts.len() == 1 {
                    return Err(failed);
                }
                parts.iter().try_for_each(|part| self.cover(part, 2)).map_err(|_| failed)
            }
            _ => Err(failed),
        }
    }

    /// The ways in which each pair of a defined union is of one of its parts. They are as many as
    /// the parts, or one.
    fn by_definitions(&mut self, way: &ClosureEntry) -> Vec<ClosureEntry> {
        let mut ways = vec![way.clone()];
        for lit in way.form.lits() {
            let Meaning::Defined(body) = self.theory.symbols.get(lit.atom.pred).meaning else {
                continue;
            };
            let parts = self.theory.exprs.union_parts(body);
            if !lit.positive || parts.len() < 2 || ways.len() * parts.len() > 1 << MOST_SPLIT {
                continue;
            }
            let [s, t] = lit.atom.args;
            let parts: Vec<TheoryFormula> =
                parts.into_iter().map(|part| self.theory.form(part, s, t)).collect();
            ways = ways
                .iter()
                .flat_map(|way| {
                    let with =
                        |part: &TheoryFormula| TheoryFormula::and([way.form.clone(), part.clone()]);
                    parts
                        .iter()
                        .map(|part| ClosureEntry { form: with(part), ..way.clone() })
                        .collect::<Vec<_>>()
                })
                .collect();
        }
        ways
    }

    /// The ways in which each read is of the thread of the write that it reads, or is not; where a
    /// candidate tells these apart.
    fn by_readers(&mut self, way: &ClosureEntry) -> Vec<ClosureEntry> {
        let symbols = &self.theory.symbols;
        let (Some(rf), Some(int)) = (symbols.rf(), symbols.int()) else { return vec![way.clone()] };
        if !self
            .candidates
            .iter()
            .any(|c| TheoryVocabulary::of(self.theory, [c.expr]).relations.contains(&int))
        {
            return vec![way.clone()];
        }
        let lits = way.form.lits();
        let reads = lits
            .iter()
            .filter(|l| l.positive && l.atom.pred == rf)
            .map(|l| l.atom)
            .take(MOST_SPLIT);
        let ways = vec![way.clone()];
        reads.fold(ways, |ways, read| {
            split(ways, Lit::yes(EventAtom::binary(int, read.args[0], read.args[1])))
        })
    }

    /// The ways in which each step of program order is between halves, or is not.
    fn by_halves(&mut self, way: &ClosureEntry) -> Vec<ClosureEntry> {
        let Some(rmw) = self.theory.symbols.rmw() else { return vec![way.clone()] };
        let steps: Vec<EventAtom> = way
            .form
            .lits()
            .iter()
            .filter(|l| l.positive && self.steps.contains(&l.atom.pred))
            .map(|l| l.atom)
            .take(MOST_SPLIT)
            .collect();
        let mut ways = vec![way.clone()];
        for step in steps {
            ways = split(ways, Lit::yes(EventAtom::binary(rmw, step.args[0], step.args[1])));
        }
        ways
    }

    /// The way with closures of the target taken apart at the end of their chains.
    fn last_step(&mut self, way: &ClosureEntry) -> Option<ClosureEntry> {
        let mut longer = way.clone();
        for lit in way.form.lits() {
            if !lit.positive || lit.atom.pred == self.of {
                continue;
            }
            let Some(last) = LastStep::of(self.theory, lit.atom.pred) else { continue };
            let [a, b] = lit.atom.args;
            let (form, events) = open_all(self.theory, last.ends, a, b, longer.events, &[]);
            longer.form = TheoryFormula::and([longer.form, form]);
            longer.events = events;
        }
        (longer.events > way.events).then_some(longer)
    }

    /// Sees to it that a way is within the union, by one relation more.
    fn cover_whole(&mut self, way: &ClosureEntry) -> Result<(), Box<NoInvariant>> {
        let stop = &self.theory.stop.clone();
        let mut problem = not_within(self.theory, &self.items, &way.form, way.events, self.limits);
        let first = match problem.solve() {
            GroundAnswer::Refuted => {
                self.effort.add(problem.effort);
                return Ok(());
            }
            GroundAnswer::Model(structure) => structure,
            GroundAnswer::Unknown => {
                let effort = problem.effort;
                self.effort.add(effort);
                return Err(self.fail(way, None));
            }
        };
        // Relations that hold in every structure so far.
        let mut left: Vec<&CandidateRelation> = self
            .candidates
            .iter()
            .filter(|c| c.initial == way.initial && c.holds(&first, stop))
            .collect();
        let mut covers = Vec::new();
        while !left.is_empty() {
            let candidate = left.remove(0);
            // Only the best kind is of interest.
            if covers.first().is_some_and(|best: &CandidateRelation| best.rank < candidate.rank) {
                break;
            }
            let guard = problem.assumption();
            for clause in &candidate.absent {
                problem.suppose(clause.clone(), Some(guard));
            }
            match problem.solve() {
                GroundAnswer::Refuted => covers.push(candidate.clone()),
                GroundAnswer::Model(structure) => left.retain(|c| c.holds(&structure, stop)),
                GroundAnswer::Unknown => {}
            }
            problem.release(guard);
        }
        self.effort.add(problem.effort);
        let Some(best) = self.tightest(&covers) else { return Err(self.fail(way, Some(first))) };
        if self.items.len() >= MOST {
            return Err(self.fail(way, Some(first)));
        }
        self.items.push(best);
        Ok(())
    }

    /// One that contains none of the others but equal ones.
    fn tightest(&mut self, covers: &[CandidateRelation]) -> Option<CandidateRelation> {
        let mut best = covers.first()?.clone();
        for other in &covers[1..] {
            if self.within(other, &[&best]) && !self.within(&best, &[other]) {
                best = other.clone();
            }
        }
        Some(best)
    }

    /// Is a relation within a union in every execution?
    pub(super) fn within(&mut self, a: &CandidateRelation, union: &[&CandidateRelation]) -> bool {
        let (form, events) =
            open_all(self.theory, a.expr, EventTerm::event(0), EventTerm::event(1), 2, &[]);
        let limits = GroundLimits { depth: 0, ..self.limits };
        let mut problem = not_within(self.theory, union.iter().copied(), &form, events, limits);
        let refuted = problem.solve() == GroundAnswer::Refuted;
        self.effort.add(problem.effort);
        refuted
    }
}

/// The problem: some events are as a form says, and the first two are in no member of the union.
fn not_within<'a, 'c>(
    theory: &'a mut Theory,
    union: impl IntoIterator<Item = &'c CandidateRelation>,
    form: &TheoryFormula,
    events: usize,
    limits: GroundLimits,
) -> GroundProblem<'a> {
    for lit in form.lits() {
        theory.explain(lit.atom.pred);
    }
    let mut problem = GroundProblem::new(theory, events, limits);
    problem.ask(form);
    for clause in union.into_iter().flat_map(|member| &member.absent) {
        problem.suppose(clause.clone(), None);
    }
    problem
}

/// Ways in which a literal holds, and those in which it does not.
fn split(ways: Vec<ClosureEntry>, lit: Lit) -> Vec<ClosureEntry> {
    let with = |way: ClosureEntry| {
        [lit, !lit].map(|l| ClosureEntry {
            form: TheoryFormula::and([way.form.clone(), TheoryFormula::Lit(l)]),
            ..way.clone()
        })
    };
    ways.into_iter().flat_map(with).collect()
}
