//! The largest set of guesses that is inductive: guess all, throw out those whose induction fails
//! given the others, until none does (Houdini: Flanagan and Leino, FME 2001).

use rustc_hash::FxHashMap;

use crate::ground::{GroundAnswer, GroundEffort, GroundLimits, GroundLiteral, GroundProblem};
use margay_theorem::argument::{InductionCase, Property, induction_cases};
use margay_theorem::ground::Structure;
use margay_theorem::logic::{Clause, EventTerm, Existence, Lit, Pred, TheoryFormula};
use margay_theorem::theory::Theory;

/// What came of the guesses about a group of relations.
#[derive(Debug, Clone)]
pub struct KeptGuesses {
    /// The relations.
    pub group: Vec<Pred>,
    /// The properties that hold of each pair of a relation.
    pub kept: Vec<(Pred, Property)>,
    /// How many guesses there were.
    pub guessed: usize,
    /// What it took.
    pub effort: GroundEffort,
}

/// Finds the largest inductive set of guesses.
pub fn inductive(
    theory: &mut Theory,
    group: &[Pred],
    guesses: Vec<(Pred, Property)>,
    limits: GroundLimits,
) -> KeptGuesses {
    let cases = induction_cases(theory, group, false);
    // Negations of inclusions need names of sequences: they are made before the theory is shared.
    let prepared: FxHashMap<usize, (TheoryFormula, u8)> = guesses
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
    let mut effort = GroundEffort::default();
    loop {
        let before = alive.iter().filter(|a| **a).count();
        for case in &cases {
            let attempt = InductionAttempt { theory, case, guesses: &guesses, prepared: &prepared };
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
    KeptGuesses { group: group.to_vec(), kept, guessed, effort }
}

/// One case of the induction and the guesses.
struct InductionAttempt<'a> {
    theory: &'a Theory,
    case: &'a InductionCase,
    guesses: &'a [(Pred, Property)],
    prepared: &'a FxHashMap<usize, (TheoryFormula, u8)>,
}

impl InductionAttempt<'_> {
    fn throw_out(&self, alive: &mut [bool], limits: GroundLimits, effort: &mut GroundEffort) {
        let others = self.guesses.iter().map(|(_, p)| p.others()).max().unwrap_or(0);
        let mut problem = GroundProblem::new(self.theory, self.case.events + others, limits);
        problem.ask(&self.case.body);
        // What is supposed of pairs that come before.
        let mut suppositions = FxHashMap::default();
        for (i, (of, property)) in self.guesses.iter().enumerate().filter(|(i, _)| alive[*i]) {
            for atom in self.case.earlier.iter().filter(|a| a.pred == *of) {
                let guard = *suppositions.entry(i).or_insert_with(|| problem.assumption());
                for clause in self.at(property, atom.args) {
                    problem.suppose(clause, Some(guard));
                }
                if let Property::Within(_) = property {
                    let (form, events) = &self.prepared[&i];
                    let existence = Existence {
                        guard: Vec::new(),
                        variables: 2,
                        events: *events,
                        cases: form.cases(),
                    };
                    problem.exists(&existence, &atom.args, Some(guard), 1);
                }
            }
        }
        // One of the guesses fails at the pair.
        let pair = [EventTerm::event(0), EventTerm::event(1)];
        let mut failures = Vec::new();
        for (i, (_, property)) in
            self.guesses.iter().enumerate().filter(|(i, g)| alive[*i] && g.0 == self.case.of)
        {
            let failure = match property {
                Property::Clause(lits) => {
                    let others = (self.case.events..).take(property.others()).map(EventTerm::event);
                    let values: Vec<EventTerm> = pair.into_iter().chain(others).collect();
                    problem.switch(&TheoryFormula::and(
                        lits.iter().map(|l| TheoryFormula::lit(!l.with(&values))),
                    ))
                }
                Property::Within(_) => {
                    let guard = problem.switch(&TheoryFormula::Const(true));
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
                GroundAnswer::Refuted => break,
                GroundAnswer::Unknown => {
                    failures.iter().for_each(|(i, _)| alive[*i] = false);
                    break;
                }
                GroundAnswer::Model(structure) => structure,
            };
            let mut any = false;
            for &(i, failure) in &failures {
                if alive[i] && self.fails(i, &structure, pair, &problem, failure) {
                    alive[i] = false;
                    any = true;
                    problem.add(&[!failure]);
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
    fn at(&self, property: &Property, pair: [EventTerm; 2]) -> Vec<Clause> {
        match property {
            Property::Clause(lits) => {
                let values = values_at(property, pair);
                let lits = lits.iter().map(|l| l.with(&values)).collect();
                margay_theorem::logic::form::normalised(lits)
                    .map(|(lits, variables)| Clause { lits, variables })
                    .into_iter()
                    .collect()
            }
            Property::Within(_) => Vec::new(),
        }
    }

    fn fails(
        &self,
        i: usize,
        structure: &Structure,
        pair: [EventTerm; 2],
        problem: &GroundProblem<'_>,
        failure: GroundLiteral,
    ) -> bool {
        let property = &self.guesses[i].1;
        match property {
            Property::Clause(lits) => {
                let values = values_at(property, pair);
                let negated: Vec<Lit> = lits.iter().map(|l| !l.with(&values)).collect();
                let mut any = false;
                margay_theorem::ground::matches(
                    structure,
                    property.others() as u8,
                    &negated,
                    &self.theory.stop,
                    &mut |_| {
                        any = true;
                        false
                    },
                );
                any
            }
            Property::Within(_) => problem.holds(failure),
        }
    }
}

/// What the variables of a property stand for at a pair: the pair, and any other events.
fn values_at(property: &Property, pair: [EventTerm; 2]) -> Vec<EventTerm> {
    pair.into_iter().chain((0..property.others() as u8).map(EventTerm::variable)).collect()
}

/// The clauses of a formula about X, Y and further variables, at two events.
fn form_clauses(form: &TheoryFormula, pair: [EventTerm; 2]) -> Vec<Clause> {
    let mut values = vec![pair[0], pair[1]];
    values.extend((0..16).map(EventTerm::variable));
    form.with(&values)
        .clauses()
        .into_iter()
        .filter_map(margay_theorem::logic::form::normalised)
        .map(|(lits, variables)| Clause { lits, variables })
        .collect()
}
