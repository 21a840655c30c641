//! Whole executions in which a goal does not hold, though everything does that is supposed. Then
//! the goal is no theorem, and no argument is missing. The bounded search beside a proof has such
//! executions of what it makes; these have whatever a model speaks of.

use std::collections::BTreeMap;

use margay_models::model::CheckKind;
use margay_models::signature::{BaseRelation, BaseSet};
use margay_theorem::argument::Claim;
use margay_theorem::logic::{
    EventAtom, EventTerm, Meaning, Pred, TheoryExpr, TheoryExprId, TheoryFormula,
};
use margay_theorem::theorem::{Inhabitant, Setting, TheoremGoal};
use margay_theorem::theory::{MOST_SYMBOLS, Opening, SentenceReason, Theory, Treatment};

use super::Drawing;
use super::inhabitant::find_inhabitant;
use crate::ground::GroundEffort;

/// The most steps of a chain or a cycle in what is asked: message passing is a chain of three, load
/// buffering a cycle of four. Short ones are asked for first, since they leave less open.
const STEPS: usize = 4;

/// A whole execution that violates a goal.
#[derive(Debug, Clone)]
pub struct GoalViolation {
    pub execution: Inhabitant,
    pub drawing: Drawing,
}

impl GoalViolation {
    /// Searches for one. What is found is computed once more, from its base sets and relations
    /// alone.
    pub fn find(
        setting: &Setting<'_>,
        theory: &Theory,
        goal: &TheoremGoal,
        effort: &mut GroundEffort,
    ) -> Option<Self> {
        let mut theory = theory.clone();
        assume_order(setting, &mut theory);
        let bad = ViolatingPairs::of(&mut theory, &goal.claim)?;
        // What a program does says more than what it starts from.
        let done =
            setting.base.sets.get(&BaseSet::Iw).map_or(TheoryFormula::Const(true), |&initial| {
                theory.form(initial, EventTerm::event(0), EventTerm::event(0)).negated()
            });
        let mut before = None;
        let execution = (1..=STEPS).find_map(|steps| {
            let (form, events) = bad.opened(&mut theory, steps);
            // Without closures and recursive relations more steps are the same.
            if before.replace(form.clone()).is_some_and(|before| before == form) {
                return None;
            }
            let theory = &theory;
            let is_one = |found: &Inhabitant| {
                found.check(theory, &TheoryFormula::Const(true)).is_ok()
                    && bad.are_in(theory, found)
            };
            let mut asked = [TheoryFormula::and([done.clone(), form.clone()]), form].into_iter();
            let found = asked.find_map(|form| {
                find_inhabitant(theory, &goal.name, (&form, events), is_one, effort).ok()
            })?;
            Some(least(found, is_one))
        })?;
        let structure = execution.structure(&theory).ok()?;
        let drawing = Drawing::of(setting, &theory, &structure);
        Some(Self { execution, drawing })
    }
}

/// No condition on executions says that barriers do not synchronise in a circle; a machine that
/// runs a program makes no such circle.
fn assume_order(setting: &Setting<'_>, theory: &mut Theory) {
    let steps = BaseRelation::PAST_BARRIERS.map(|r| setting.base.relations.get(r));
    let steps = theory.exprs.union_all(steps.into_iter().flatten());
    let reason = SentenceReason::Supposed("barriers do not synchronise in a circle".to_owned());
    theory.assume_check(CheckKind::Acyclic, steps, false, false, &reason);
}

/// The execution without the events that it can do without: what is asked names more events than a
/// violation has.
fn least(mut execution: Inhabitant, is_one: impl Fn(&Inhabitant) -> bool) -> Inhabitant {
    for event in (0..execution.events).rev() {
        let without = without(&execution, event);
        if is_one(&without) {
            execution = without;
        }
    }
    execution
}

fn without(execution: &Inhabitant, event: usize) -> Inhabitant {
    let renumbered = |e: usize| if e > event { e - 1 } else { e };
    let rest = execution.atoms.iter().filter(|(_, ends)| !ends.contains(&event));
    Inhabitant {
        shows: execution.shows.clone(),
        events: execution.events - 1,
        atoms: rest.map(|(name, ends)| (name.clone(), ends.map(renumbered))).collect(),
    }
}

/// The pairs of which an axiom says that there is none.
struct ViolatingPairs {
    relation: TheoryExprId,
    /// Are its ends one event?
    one: bool,
    /// The relation at two events, in symbols of the theory.
    form: TheoryFormula,
}

impl ViolatingPairs {
    fn of(theory: &mut Theory, claim: &Claim) -> Option<Self> {
        let (relation, one) = match *claim {
            Claim::Empty(relation, is_set) => (relation, is_set),
            Claim::Irreflexive(relation) => (relation, true),
            Claim::Acyclic(relation) => {
                let closure = theory.closure_name(relation);
                (theory.exprs.symbol(closure), true)
            }
            // No check of a model claims this.
            Claim::Pairs { .. } | Claim::Within(..) => return None,
        };
        let form = theory.form(relation, EventTerm::event(0), EventTerm::event(usize::from(!one)));
        explain(theory, &form);
        Some(Self { relation, one, form })
    }

    /// What must be there for a pair: chains of a few steps in the place of closures and recursive
    /// relations, which hold of what a search puts into them. The number of events that it speaks
    /// of.
    fn opened(&self, theory: &mut Theory, steps: usize) -> (TheoryFormula, usize) {
        let chains = chains(theory, steps);
        let none = theory.exprs.make(TheoryExpr::Empty);
        let treat = |theory: &Theory, p: Pred, within: &[Pred]| match theory.symbols.get(p).meaning
        {
            Meaning::Defined(body) if !theory.is_local(p) => Treatment::Replace(body),
            Meaning::Closure(_) => {
                chains.get(&p).map_or(Treatment::Keep, |&chain| Treatment::Replace(chain))
            }
            Meaning::Fixpoint(..) if within.iter().filter(|&&q| q == p).count() >= steps => {
                Treatment::Replace(none)
            }
            Meaning::Fixpoint(body, _) => Treatment::Replace(body),
            _ => Treatment::Keep,
        };
        let ends = [0, usize::from(!self.one)].map(EventTerm::event);
        let next = 2 - usize::from(self.one);
        let mut opening = Opening {
            treat: &treat,
            next,
            within: Vec::new(),
            variables: None,
            left: MOST_SYMBOLS,
        };
        let form = theory.open(self.relation, ends[0], ends[1], &mut opening);
        let events = opening.next;
        explain(theory, &form);
        (form, events)
    }

    /// Does an execution have such a pair?
    fn are_in(&self, theory: &Theory, execution: &Inhabitant) -> bool {
        let Ok(structure) = execution.structure(theory) else { return false };
        let all = || (0..execution.events).map(EventTerm::event);
        let has =
            |ends: [EventTerm; 2]| holds(&self.form.with(&ends), &|atom| structure.holds(atom));
        all().any(|x| if self.one { has([x, x]) } else { all().any(|y| has([x, y])) })
    }
}

fn holds(form: &TheoryFormula, atom: &impl Fn(EventAtom) -> bool) -> bool {
    match form {
        TheoryFormula::Const(value) => *value,
        TheoryFormula::Lit(lit) => atom(lit.atom) == lit.positive,
        TheoryFormula::And(parts) => parts.iter().all(|p| holds(p, atom)),
        TheoryFormula::Or(parts) => parts.iter().any(|p| holds(p, atom)),
    }
}

/// For each closure, its chains of so many steps, or fewer.
fn chains(theory: &mut Theory, steps: usize) -> BTreeMap<Pred, TheoryExprId> {
    let closures: Vec<(Pred, TheoryExprId)> = theory
        .symbols
        .iter()
        .filter_map(|(p, s)| match s.meaning {
            Meaning::Closure(step) => Some((p, step)),
            _ => None,
        })
        .collect();
    let of = |(p, step): (Pred, TheoryExprId)| {
        let mut chain = step;
        let mut all = vec![step];
        for _ in 1..steps {
            chain = theory.exprs.sequence(chain, step);
            all.push(chain);
        }
        (p, theory.exprs.union_all(all))
    };
    closures.into_iter().map(of).collect()
}

fn explain(theory: &mut Theory, form: &TheoryFormula) {
    form.lits().into_iter().for_each(|lit| theory.explain(lit.atom.pred));
}
