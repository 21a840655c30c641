//! What a step leaves to show: obligations, made from its claims and rule alone.

use super::claim::{Claim, ClaimStep, Rule};
use super::induction::{InductionCase, induction_cases};
use super::last_step::LastStep;
use super::opening::open_all;
use super::property::Property;
use crate::ground::{Obligation, SupposedClause};
use crate::logic::form::normalised;
use crate::logic::{Clause, EventAtom, EventTerm, Lit, Pred, TheoryFormula};
use crate::theory::Theory;

/// The most variables of a property, besides the ends of a pair.
const MORE: u8 = 16;

pub fn obligations(theory: &mut Theory, step: &ClaimStep) -> Vec<Obligation> {
    let found = match &step.rule {
        Rule::Direct => {
            step.claims.iter().enumerate().filter_map(|(i, c)| direct(theory, i, c)).collect()
        }
        Rule::Induction(group) => induction(theory, group, &step.claims),
        Rule::Orders { .. } | Rule::Through { .. } => Vec::new(),
    };
    for obligation in &found {
        let forms = [&obligation.question, &obligation.conclusion];
        let lits: Vec<Lit> = forms
            .into_iter()
            .flat_map(TheoryFormula::lits)
            .chain(obligation.suppositions.iter().flat_map(|s| s.clause.lits.clone()))
            .collect();
        lits.into_iter().for_each(|l| theory.explain(l.atom.pred));
    }
    found
}

fn direct(theory: &mut Theory, number: usize, claim: &Claim) -> Option<Obligation> {
    let (s, t) = (EventTerm::event(0), EventTerm::event(1));
    let what = claim.text(theory);
    let (question, events, conclusion) = match claim {
        Claim::Within(a, b) => {
            let (question, events) = open_all(theory, *a, s, t, 2, &[]);
            let (absent, _) = theory.opened(*b);
            (question, events, negated(&absent, [s, t]))
        }
        Claim::Irreflexive(e) => {
            let (question, events) = open_all(theory, *e, s, s, 1, &[]);
            (question, events, Vec::new())
        }
        Claim::Empty(e, is_set) => {
            let (question, events) = if *is_set {
                open_all(theory, *e, s, s, 1, &[])
            } else {
                open_all(theory, *e, s, t, 2, &[])
            };
            (question, events, Vec::new())
        }
        Claim::Pairs { .. } | Claim::Acyclic(_) => return None,
    };
    Some(Obligation {
        what,
        claim: number,
        question,
        events,
        suppositions: conclusion,
        conclusion: TheoryFormula::Const(true),
    })
}

/// For each rule of the relations, and each choice among what earlier pairs are in, one obligation
/// for each property.
fn induction(theory: &mut Theory, group: &[Pred], claims: &[Claim]) -> Vec<Obligation> {
    let mut found = Vec::new();
    for (number, case) in induction_cases(theory, group, true).into_iter().enumerate() {
        for (choice, question, events) in earlier_pairs(theory, &case, claims) {
            let mut suppositions = Vec::new();
            for (own, claim) in claims.iter().enumerate() {
                let Claim::Pairs { of, property: Property::Clause(lits) } = claim else { continue };
                for atom in case.earlier.iter().filter(|a| a.pred == *of) {
                    let mut values = atom.args.to_vec();
                    values.extend((0..MORE).map(EventTerm::variable));
                    let at = normalised(lits.iter().map(|l| l.with(&values)).collect());
                    suppositions.extend(at.map(|(lits, variables)| SupposedClause {
                        clause: Clause { lits, variables },
                        claim: Some(own),
                    }));
                }
            }
            for (own, claim) in claims.iter().enumerate() {
                let Claim::Pairs { of, property } = claim else { continue };
                if *of != case.of {
                    continue;
                }
                let what = format!("{}, rule {}{choice}", claim.text(theory), number + 1);
                let whole = Obligation {
                    what,
                    claim: own,
                    question: question.clone(),
                    events,
                    suppositions: suppositions.clone(),
                    conclusion: TheoryFormula::Const(true),
                };
                found.push(concluding(theory, whole, property));
            }
        }
    }
    found
}

/// The rule's body with what is known of earlier pairs, for each choice.
fn earlier_pairs(
    theory: &mut Theory,
    case: &InductionCase,
    claims: &[Claim],
) -> Vec<(String, TheoryFormula, usize)> {
    let mut all = vec![(String::new(), case.body.clone(), case.events)];
    for atom in &case.earlier {
        let within = claims.iter().find_map(|c| match c {
            Claim::Pairs { of, property: Property::Within(e) } if *of == atom.pred => Some(*e),
            _ => None,
        });
        let Some(bound) = within else { continue };
        let parts = theory.exprs.union_parts(bound);
        let mut longer = Vec::new();
        for (text, body, events) in &all {
            for &part in &parts {
                let (form, events) =
                    open_all(theory, part, atom.args[0], atom.args[1], *events, &[]);
                let text =
                    format!("{text}, {} of {}", theory.text(part), theory.symbols.name(atom.pred));
                longer.push((text, TheoryFormula::and([body.clone(), form]), events));
            }
        }
        all = longer;
    }
    all
}

/// The obligation with the negation of a property of its first two events.
fn concluding(theory: &mut Theory, mut obligation: Obligation, property: &Property) -> Obligation {
    let ends = [EventTerm::event(0), EventTerm::event(1)];
    match property {
        Property::Clause(lits) => {
            let variables = lits
                .iter()
                .flat_map(|l| l.atom.args)
                .filter_map(EventTerm::as_variable)
                .max()
                .map_or(0, |v| usize::from(v) + 1);
            let more = variables.saturating_sub(2);
            let mut values = ends.to_vec();
            values.extend((0..more).map(|k| EventTerm::event(obligation.events + k)));
            obligation.conclusion =
                TheoryFormula::and(lits.iter().map(|l| TheoryFormula::lit(!l.with(&values))));
            obligation.events += more;
        }
        Property::Within(expr) => {
            let (form, _) = theory.opened(*expr);
            obligation.suppositions.extend(negated(&form, ends));
        }
    }
    obligation
}

/// The clauses of "not this", of a formula about two events and others, which become variables.
fn negated(form: &TheoryFormula, ends: [EventTerm; 2]) -> Vec<SupposedClause> {
    let mut values = ends.to_vec();
    values.extend((0..MORE).map(EventTerm::variable));
    let clauses = form.with(&values).negated().clauses().into_iter().filter_map(normalised);
    clauses
        .map(|(lits, variables)| SupposedClause { clause: Clause { lits, variables }, claim: None })
        .collect()
}

/// The obligation with each closure that it speaks of taken apart at the end of its chains; `None`
/// if there is none.
pub fn apart(theory: &mut Theory, obligation: &Obligation) -> Option<Obligation> {
    let mut longer = obligation.clone();
    let atoms: Vec<EventAtom> = positive(&obligation.question);
    for atom in atoms {
        let Some(last) = LastStep::of(theory, atom.pred) else { continue };
        let (form, events) =
            open_all(theory, last.ends, atom.args[0], atom.args[1], longer.events, &[]);
        longer.question = TheoryFormula::and([longer.question, form]);
        longer.events = events;
    }
    for lit in longer.question.lits() {
        theory.explain(lit.atom.pred);
    }
    (longer.question != obligation.question).then_some(longer)
}

/// The atoms that hold whatever the choice: those of the outermost conjunction.
fn positive(form: &TheoryFormula) -> Vec<EventAtom> {
    match form {
        TheoryFormula::Lit(lit) if lit.positive => vec![lit.atom],
        TheoryFormula::And(parts) => parts.iter().flat_map(positive).collect(),
        _ => Vec::new(),
    }
}
