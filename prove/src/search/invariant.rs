//! Invariants of closures: a union of relations that contains the closure, found from below. Each way for a pair to come into the
//! closure must be within the union; where one is not, a relation that contains it is added.

use super::candidate::Candidate;
use crate::ground::{Answer, Effort, Limits, Problem, Structure};
use crate::logic::{Atom, ExprId, Form, Lit, Meaning, Pred, Term};
use crate::search::houdini::{Rule, rules};
use crate::theory::Theory;

/// The most members of a union.
const MOST: usize = 40;

/// What was found.
#[derive(Debug, Clone)]
pub struct Invariant {
    /// The closure.
    pub of: Pred,
    /// The relations whose union contains it.
    pub items: Vec<ExprId>,
    /// What it took.
    pub effort: Effort,
}

/// Why nothing was found.
#[derive(Debug, Clone)]
pub struct NoInvariant {
    /// The closure.
    pub of: Pred,
    /// The relations so far.
    pub items: Vec<ExprId>,
    /// What is in none of them.
    pub uncovered: Form,
    /// A structure in which it is there.
    pub structure: Option<Structure>,
    /// Members that were tried and given up, since none contains what comes behind them.
    pub given_up: Vec<ExprId>,
    /// What it took.
    pub effort: Effort,
}

/// A way to come into the closure: what is there, where earlier pairs are of the given relations.
#[derive(Debug, Clone)]
struct Way {
    form: Form,
    events: usize,
    /// Does it begin at an initial write? Such ways have members of their own: an initial write is first in every order, but no
    /// operation that synchronises.
    initial: bool,
}

/// The most members that are given up before a search ends.
const GIVEN_UP: usize = 24;

/// Finds an invariant of a closure, of relations and sequences of two. A member behind which no candidate contains the next step is in no
/// invariant: it is given up, and the search begins again without it. What is left when no member fails is an invariant, so the search
/// misses none that its candidates have, but for the limit on what is given up.
///
/// # Errors
/// What no relation contains, as it was before anything was given up.
pub fn find(theory: &mut Theory, of: Pred, candidates: &[(u8, ExprId)], limits: Limits) -> Result<Invariant, Box<NoInvariant>> {
    let rules = rules(theory, &[of], true);
    let candidates: Vec<Candidate> = candidates.iter().map(|&(rank, e)| Candidate::new(theory, e, rank)).collect();
    let mut search = Search { theory, of, candidates, items: Vec::new(), steps: Vec::new(), effort: Effort::default(), limits };
    search.find_steps();
    let mut first: Option<Box<NoInvariant>> = None;
    let mut given_up = Vec::new();
    loop {
        let Err((failed, behind)) = search.close(&rules) else {
            search.tidy();
            return Ok(Invariant { of, items: search.exprs(), effort: search.effort });
        };
        let mut first_failed = first.unwrap_or(failed);
        let Some(behind) = behind.filter(|_| given_up.len() < GIVEN_UP && !search.theory.stop.is_raised()) else {
            first_failed.effort = search.effort;
            first_failed.given_up = given_up;
            return Err(first_failed);
        };
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
        all = all.iter().flat_map(|c| (0..items).map(move |i| c.iter().copied().chain([i]).collect())).collect();
    }
    all
}

struct Search<'a> {
    theory: &'a mut Theory,
    of: Pred,
    candidates: Vec<Candidate>,
    items: Vec<Candidate>,
    /// Relations that have the steps from one half of an operation to the other.
    steps: Vec<Pred>,
    effort: Effort,
    limits: Limits,
}

/// What is in no candidate, and the member behind which it comes.
type Stuck = (Box<NoInvariant>, Option<ExprId>);

impl Search<'_> {
    /// Adds members until each way into the closure is within them.
    fn close(&mut self, rules: &[Rule]) -> Result<(), Stuck> {
        let mut done: Vec<(usize, Vec<usize>)> = Vec::new();
        loop {
            let mut open = Vec::new();
            for (r, rule) in rules.iter().enumerate() {
                for choice in choices(rule.earlier.len(), self.items.len()) {
                    if !done.contains(&(r, choice.clone())) {
                        open.push((r, choice));
                    }
                }
            }
            if open.is_empty() {
                return Ok(());
            }
            for (r, choice) in open {
                for way in self.ways(&rules[r], &choice) {
                    self.cover(&way, 0).map_err(|failed| (failed, choice.iter().max().map(|&i| self.items[i].expr)))?;
                }
                done.push((r, choice));
            }
        }
    }

    fn find_steps(&mut self) {
        let Some(rmw) = self.theory.symbols.named("rmw") else { return };
        let rmw = self.theory.exprs.symbol(rmw);
        let rmw = Candidate::new(self.theory, rmw, 0);
        for name in ["po", "sb"] {
            if let Some(pred) = self.theory.symbols.named(name) {
                let expr = self.theory.exprs.symbol(pred);
                let relation = Candidate::new(self.theory, expr, 0);
                if self.within(&rmw, &[&relation]) {
                    self.steps.push(pred);
                }
            }
        }
    }

    /// The cases of a rule whose earlier pairs are of the given members.
    fn ways(&mut self, rule: &Rule, choice: &[usize]) -> Vec<Way> {
        let mut next = rule.events;
        let mut form = rule.body.clone();
        for (atom, &item) in rule.earlier.iter().zip(choice) {
            let (member, after) =
                super::houdini::open_all(self.theory, self.items[item].expr, atom.args[0], atom.args[1], next, &[]);
            next = after;
            let both = Form::and([Form::Lit(Lit::yes(*atom)), member]);
            form = replace(&form, Lit::yes(*atom), &both);
        }
        let Some(init) = self.theory.symbols.named("IW") else { return Vec::new() };
        let starts = Lit::yes(Atom::unary(init, Term::event(0)));
        let mut ways = Vec::new();
        for initial in [false, true] {
            for mut lits in form.cases() {
                lits.push(if initial { starts } else { !starts });
                ways.push(Way { form: Form::and(lits.into_iter().map(Form::lit)), events: next, initial });
            }
        }
        ways
    }

    /// Sees to it that a way is within the union. Where no one relation contains it, steps of program order between the halves of an
    /// operation are told from others; then closures are taken apart at their last step.
    fn cover(&mut self, way: &Way, depth: usize) -> Result<(), Box<NoInvariant>> {
        let failed = match self.cover_whole(way) {
            Ok(()) => return Ok(()),
            Err(failed) => failed,
        };
        match depth {
            0 => {
                for part in self.by_halves(way) {
                    self.cover(&part, 1)?;
                }
                Ok(())
            }
            1 => match self.last_step(way) {
                Some(longer) => self.cover(&longer, 2),
                None => Err(failed),
            },
            _ => Err(failed),
        }
    }

    /// The ways in which each step of program order is between halves, or is not.
    fn by_halves(&mut self, way: &Way) -> Vec<Way> {
        let Some(rmw) = self.theory.symbols.named("rmw") else { return vec![way.clone()] };
        let steps: Vec<Atom> =
            way.form.lits().iter().filter(|l| l.positive && self.steps.contains(&l.atom.pred)).map(|l| l.atom).collect();
        let mut ways = vec![way.clone()];
        for step in steps {
            let half = Lit::yes(Atom::binary(rmw, step.args[0], step.args[1]));
            ways = ways
                .into_iter()
                .flat_map(|w| [half, !half].map(|l| Way { form: Form::and([w.form.clone(), Form::Lit(l)]), ..w.clone() }))
                .collect();
        }
        ways
    }

    /// The way with closures of the target taken apart at their last step.
    fn last_step(&mut self, way: &Way) -> Option<Way> {
        let mut longer = way.clone();
        for lit in way.form.lits() {
            let Meaning::Closure(step) = self.theory.symbols.get(lit.atom.pred).meaning else { continue };
            if !lit.positive || lit.atom.pred == self.of {
                continue;
            }
            let whole = self.theory.exprs.symbol(lit.atom.pred);
            let more = self.theory.exprs.sequence(whole, step);
            let last = self.theory.exprs.union(step, more);
            let [a, b] = lit.atom.args;
            let (form, events) = super::houdini::open_all(self.theory, last, a, b, longer.events, &[]);
            longer.form = Form::and([longer.form, form]);
            longer.events = events;
        }
        (longer.events > way.events).then_some(longer)
    }

    /// Sees to it that a way is within the union, by one relation more.
    fn cover_whole(&mut self, way: &Way) -> Result<(), Box<NoInvariant>> {
        for lit in way.form.lits() {
            self.theory.explain(lit.atom.pred);
        }
        let mut problem = Problem::new(self.theory, way.events, self.limits);
        problem.ask(&way.form);
        for clause in self.items.iter().flat_map(|i| &i.absent) {
            problem.suppose(clause.clone(), None);
        }
        let first = match problem.solve() {
            Answer::Refuted => {
                self.effort.add(problem.effort);
                return Ok(());
            }
            Answer::Model(structure) => structure,
            Answer::Unknown => {
                let effort = problem.effort;
                self.effort.add(effort);
                return Err(self.fail(way, None));
            }
        };
        // Relations that hold in every structure so far.
        let mut left: Vec<&Candidate> = self.candidates.iter().filter(|c| c.initial == way.initial && c.holds(&first)).collect();
        let mut covers = Vec::new();
        while !left.is_empty() {
            let candidate = left.remove(0);
            // Only the best kind is of interest.
            if covers.first().is_some_and(|best: &Candidate| best.rank < candidate.rank) {
                break;
            }
            let guard = problem.assumption();
            for clause in &candidate.absent {
                problem.suppose(clause.clone(), Some(guard));
            }
            match problem.solve() {
                Answer::Refuted => covers.push(candidate.clone()),
                Answer::Model(structure) => left.retain(|c| c.holds(&structure)),
                Answer::Unknown => {}
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

    fn fail(&self, way: &Way, structure: Option<Structure>) -> Box<NoInvariant> {
        Box::new(NoInvariant {
            of: self.of,
            items: self.exprs(),
            uncovered: way.form.clone(),
            structure,
            given_up: Vec::new(),
            effort: self.effort,
        })
    }

    fn exprs(&self) -> Vec<ExprId> {
        self.items.iter().map(|i| i.expr).collect()
    }

    /// One that contains none of the others but equal ones.
    fn tightest(&mut self, covers: &[Candidate]) -> Option<Candidate> {
        let mut best = covers.first()?.clone();
        for other in &covers[1..] {
            if self.within(other, &[&best]) && !self.within(&best, &[other]) {
                best = other.clone();
            }
        }
        Some(best)
    }

    /// Is a relation within a union in every execution?
    fn within(&mut self, a: &Candidate, union: &[&Candidate]) -> bool {
        let (form, events) = super::houdini::open_all(self.theory, a.expr, Term::event(0), Term::event(1), 2, &[]);
        for lit in form.lits() {
            self.theory.explain(lit.atom.pred);
        }
        let mut problem = Problem::new(self.theory, events, Limits { depth: 0, ..self.limits });
        problem.ask(&form);
        for clause in union.iter().flat_map(|b| &b.absent) {
            problem.suppose(clause.clone(), None);
        }
        let refuted = problem.solve() == Answer::Refuted;
        self.effort.add(problem.effort);
        refuted
    }

    /// Takes away members that the others contain.
    fn tidy(&mut self) {
        let mut at = 0;
        while at < self.items.len() {
            let items = self.items.clone();
            let rest: Vec<&Candidate> = items.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, e)| e).collect();
            if self.within(&items[at], &rest) {
                self.items.remove(at);
            } else {
                at += 1;
            }
        }
    }
}

/// Puts a formula in the place of a literal.
fn replace(form: &Form, lit: Lit, by: &Form) -> Form {
    match form {
        Form::Lit(l) if *l == lit => by.clone(),
        Form::And(parts) => Form::and(parts.iter().map(|p| replace(p, lit, by))),
        Form::Or(parts) => Form::or(parts.iter().map(|p| replace(p, lit, by))),
        other => other.clone(),
    }
}
