//! The largest set of guesses that is inductive: guess all, throw out those whose induction fails given the others, until none does
//! (Houdini: Flanagan and Leino, FME 2001).

use rustc_hash::FxHashMap;

use super::property::Property;
use crate::ground::{Answer, Effort, Limits, Literal, Problem, Structure};
use crate::logic::form::MOST_DISTRIBUTED;
use crate::logic::{Atom, Clause, Existence, ExprId, Form, Lit, Meaning, Pred, Term};
use crate::search::template::Vocabulary;
use crate::theory::{MOST_SYMBOLS, Opening, Theory, Treatment};

/// One way for a pair to come into a relation.
#[derive(Debug, Clone)]
pub struct Rule {
    /// What is there. Events 0 and 1 are the pair.
    pub body: Form,
    /// How many events the body speaks of.
    pub events: usize,
    /// The pairs of relations of the group that come before.
    pub earlier: Vec<Atom>,
    /// The relation.
    pub of: Pred,
}

/// The rules of a closure, or of the members of a recursive definition; with `apart`, one for each edge of what a closure is of.
pub fn rules(theory: &mut Theory, group: &[Pred], apart: bool) -> Vec<Rule> {
    let (s, t) = (Term::event(0), Term::event(1));
    let mut found = Vec::new();
    for &pred in group {
        match theory.symbols.get(pred).meaning {
            Meaning::Closure(r) => {
                let between = Term::event(2);
                let earlier = Atom::binary(pred, s, between);
                let mut edges = if apart { super::order::edges(theory, r) } else { vec![r] };
                // Of a relation with nothing in it there is a rule that never applies, so that each property has an obligation.
                if edges.is_empty() {
                    edges.push(r);
                }
                for &edge in &edges {
                    let (body, events) = open_all(theory, edge, s, t, 2, group);
                    found.push(Rule { body, events, earlier: Vec::new(), of: pred });
                }
                for &edge in &edges {
                    let (step, events) = open_all(theory, edge, between, t, 3, group);
                    let body = Form::and([Form::Lit(Lit::yes(earlier)), step]);
                    found.push(Rule { body, events, earlier: vec![earlier], of: pred });
                }
            }
            Meaning::Fixpoint(body, _) => {
                for part in theory.exprs.union_parts(body) {
                    let (body, events) = open_all(theory, part, s, t, 2, group);
                    for (body, is_certain) in certain(body, group) {
                        let pairs = body.lits().into_iter().filter(|l| is_certain && is_earlier(l, group));
                        let earlier = pairs.map(|l| l.atom).collect();
                        found.push(Rule { body, events, earlier, of: pred });
                    }
                }
            }
            Meaning::Defined(body) => {
                let (body, events) = open_all(theory, body, s, t, 2, group);
                found.push(Rule { body, events, earlier: Vec::new(), of: pred });
            }
            _ => {}
        }
    }
    found
}

/// Is it a pair of a relation of the group?
fn is_earlier(lit: &Lit, group: &[Pred]) -> bool {
    lit.positive && group.contains(&lit.atom.pred)
}

/// The body as formulas in which each pair of the group is there whatever the choice: what an induction supposes of a pair is true only
/// of pairs that are. In `let rec c = (c | b); m` the first event may have come by `b`. If there are too many choices the body stays as it is,
/// and none of its pairs is certain.
fn certain(body: Form, group: &[Pred]) -> Vec<(Form, bool)> {
    let parts = match &body {
        Form::And(parts) => parts.clone(),
        Form::Lit(_) | Form::Const(_) => return vec![(body, true)],
        Form::Or(_) => vec![body.clone()],
    };
    let chosen = |part: &Form| matches!(part, Form::Or(_)) && part.lits().iter().any(|l| is_earlier(l, group));
    if !parts.iter().any(chosen) {
        return vec![(body, true)];
    }
    if body.size().cases > MOST_DISTRIBUTED {
        return vec![(body, false)];
    }
    body.cases().into_iter().map(|lits| (Form::and(lits.into_iter().map(Form::lit)), true)).collect()
}

/// Opens an expression down to base symbols, and closures and fixpoints without a bound.
pub fn open_all(theory: &mut Theory, expr: ExprId, s: Term, t: Term, next: usize, group: &[Pred]) -> (Form, usize) {
    let treat = |theory: &Theory, p: Pred, within: &[Pred]| treatment(theory, p, within, group);
    let mut opening = Opening { treat: &treat, next, within: Vec::new(), variables: None, left: MOST_SYMBOLS };
    let form = theory.open(expr, s, t, &mut opening);
    (form, opening.next)
}

/// What becomes of a symbol where all is opened but the relations of a group. A bound that is made of the group is left out: its pairs do
/// not come before those that an induction is about.
pub fn treatment(theory: &Theory, p: Pred, within: &[Pred], group: &[Pred]) -> Treatment {
    let made_of_group =
        |bound: ExprId| !group.is_empty() && Vocabulary::of(theory, [bound]).relations.iter().any(|p| group.contains(p));
    match (theory.bound(p), theory.symbols.get(p).meaning) {
        _ if group.contains(&p) => Treatment::Keep,
        (Some(bound), _) if made_of_group(bound) => Treatment::Keep,
        (Some(bound), _) if !within.contains(&p) => Treatment::Within(bound),
        (None, Meaning::Defined(body)) if !theory.is_local(p) => Treatment::Replace(body),
        _ => Treatment::Keep,
    }
}

/// What came of the guesses about a group of relations.
#[derive(Debug, Clone)]
pub struct Found {
    /// The relations.
    pub group: Vec<Pred>,
    /// The properties that hold of each pair of a relation.
    pub kept: Vec<(Pred, Property)>,
    /// How many guesses there were.
    pub guessed: usize,
    /// What it took.
    pub effort: Effort,
}

/// Finds the largest inductive set of guesses.
pub fn inductive(theory: &mut Theory, group: &[Pred], guesses: Vec<(Pred, Property)>, limits: Limits) -> Found {
    let rules = rules(theory, group, false);
    // Negations of inclusions need names of sequences: they are made before the theory is shared.
    let prepared: FxHashMap<usize, (Form, u8)> = guesses
        .iter()
        .enumerate()
        .filter_map(|(i, (_, p))| match p {
            Property::Within(e) => Some((i, theory.opened(*e))),
            Property::Clause(_) => None,
        })
        .collect();
    for (form, _) in prepared.values() {
        for lit in form.lits() {
            theory.explain(lit.atom.pred);
        }
    }
    let mut alive = vec![true; guesses.len()];
    let mut effort = Effort::default();
    loop {
        let before = alive.iter().filter(|a| **a).count();
        for rule in &rules {
            let attempt = Attempt { theory, rule, guesses: &guesses, prepared: &prepared };
            attempt.throw_out(&mut alive, limits, &mut effort);
            // What was not looked at to the end is not kept.
            if theory.stop.is_raised() {
                alive.fill(false);
                break;
            }
        }
        let after = alive.iter().filter(|a| **a).count();
        if after == before || after == 0 {
            break;
        }
    }
    let guessed = guesses.len();
    let kept = guesses.into_iter().zip(alive).filter(|(_, a)| *a).map(|(g, _)| g).collect();
    Found { group: group.to_vec(), kept, guessed, effort }
}

/// One rule and the guesses.
struct Attempt<'a> {
    theory: &'a Theory,
    rule: &'a Rule,
    guesses: &'a [(Pred, Property)],
    prepared: &'a FxHashMap<usize, (Form, u8)>,
}

impl Attempt<'_> {
    fn throw_out(&self, alive: &mut [bool], limits: Limits, effort: &mut Effort) {
        let others = self.guesses.iter().map(|(_, p)| p.others()).max().unwrap_or(0);
        let mut problem = Problem::new(self.theory, self.rule.events + others, limits);
        problem.ask(&self.rule.body);
        // What is supposed of pairs that come before.
        let mut suppositions = FxHashMap::default();
        for (i, (of, property)) in self.guesses.iter().enumerate().filter(|(i, _)| alive[*i]) {
            for atom in self.rule.earlier.iter().filter(|a| a.pred == *of) {
                let guard = *suppositions.entry(i).or_insert_with(|| problem.assumption());
                for clause in self.at(property, atom.args) {
                    problem.suppose(clause, Some(guard));
                }
                if let Property::Within(_) = property {
                    let (form, events) = &self.prepared[&i];
                    let existence = Existence { guard: Vec::new(), variables: 2, events: *events, cases: form.cases() };
                    problem.exists(&existence, &atom.args, Some(guard), 1);
                }
            }
        }
        // One of the guesses fails at the pair.
        let pair = [Term::event(0), Term::event(1)];
        let mut failures = Vec::new();
        for (i, (_, property)) in self.guesses.iter().enumerate().filter(|(i, g)| alive[*i] && g.0 == self.rule.of) {
            let failure = match property {
                Property::Clause(lits) => {
                    let others = (self.rule.events..).take(property.others()).map(Term::event);
                    let values: Vec<Term> = pair.into_iter().chain(others).collect();
                    problem.switch(&Form::and(lits.iter().map(|l| Form::lit(!l.with(&values)))))
                }
                Property::Within(_) => {
                    let guard = problem.switch(&Form::Const(true));
                    for clause in form_clauses(&self.prepared[&i].0.negated(), pair) {
                        problem.suppose(clause, Some(guard));
                    }
                    guard
                }
            };
            failures.push((i, failure));
        }
        let all: Vec<_> = failures.iter().map(|f| f.1).collect();
        problem.add(&all);
        loop {
            let answer = problem.solve();
            let structure = match answer {
                Answer::Refuted => break,
                Answer::Unknown => {
                    failures.iter().for_each(|(i, _)| alive[*i] = false);
                    break;
                }
                Answer::Model(structure) => structure,
            };
            let mut any = false;
            for &(i, failure) in &failures {
                if alive[i] && self.fails(i, &structure, pair, &problem, failure) {
                    alive[i] = false;
                    any = true;
                    problem.add(&[-failure]);
                    if let Some(&guard) = suppositions.get(&i) {
                        problem.release(guard);
                    }
                }
            }
            if !any {
                tracing::warn!("a structure refutes no guess");
                break;
            }
        }
        effort.add(problem.effort);
    }

    /// The clauses of a property at two events.
    fn at(&self, property: &Property, pair: [Term; 2]) -> Vec<Clause> {
        match property {
            Property::Clause(lits) => {
                let values = values_at(property, pair);
                let lits = lits.iter().map(|l| l.with(&values)).collect();
                crate::logic::form::normalised(lits).map(|(lits, variables)| Clause { lits, variables }).into_iter().collect()
            }
            Property::Within(_) => Vec::new(),
        }
    }

    fn fails(&self, i: usize, structure: &Structure, pair: [Term; 2], problem: &Problem<'_>, failure: Literal) -> bool {
        let property = &self.guesses[i].1;
        match property {
            Property::Clause(lits) => {
                let values = values_at(property, pair);
                let negated: Vec<Lit> = lits.iter().map(|l| !l.with(&values)).collect();
                let mut any = false;
                crate::ground::matches(structure, property.others() as u8, &negated, &self.theory.stop, &mut |_| {
                    any = true;
                    false
                });
                any
            }
            Property::Within(_) => problem.holds(failure),
        }
    }
}

/// What the variables of a property stand for at a pair: the pair, and any other events.
fn values_at(property: &Property, pair: [Term; 2]) -> Vec<Term> {
    pair.into_iter().chain((0..property.others() as u8).map(Term::variable)).collect()
}

/// The clauses of a formula about X, Y and further variables, at two events.
fn form_clauses(form: &Form, pair: [Term; 2]) -> Vec<Clause> {
    let mut values = vec![pair[0], pair[1]];
    values.extend((0..16).map(Term::variable));
    form.with(&values)
        .clauses()
        .into_iter()
        .filter_map(crate::logic::form::normalised)
        .map(|(lits, variables)| Clause { lits, variables })
        .collect()
}
