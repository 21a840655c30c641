//! The search for an argument: lemmas about the target by induction, invariants of the source's
//! closures, then the axioms.

use margay_models::model::{CheckKind, Model, Role, Sort};

use super::candidate::chains;
use super::houdini::inductive;

use super::invariant::{NoInvariant, find};
use super::template::{STAGES, composes, ends_within, guesses};
use crate::ground::{GroundEffort, GroundLimits, ObligationOutcome, ProvedClaims, settle};
use margay_theorem::argument::Property;
use margay_theorem::argument::{Claim, ClaimStep, Rule, apart, edges, obligations};
use margay_theorem::ground::{Reach, Structure};
use margay_theorem::logic::{
    EventTerm, Lit, Meaning, Pred, TheoryExpr, TheoryExprId, TheoryFormula,
};
use margay_theorem::theory::{Theory, TheoryVocabulary};
use rustc_hash::FxHashSet;

/// Of closures of so many kinds of edges it is asked whether they are within one edge, or two.
const MOST_PAIRED: usize = 4;

/// What a search could not do.
#[derive(Debug, Clone)]
pub enum Missing {
    /// A claim has a counterexample, as far as its own events tell; `None` where a limit was
    /// reached.
    Claim(Claim, Option<Structure>),
    /// A closure has no invariant.
    Invariant(Box<NoInvariant>),
    /// No strict order contains any edge of a relation.
    Order(TheoryExprId),
}

/// What was guessed of a relation, and what was kept.
#[derive(Debug, Clone)]
pub struct TriedRelation {
    pub of: Pred,
    /// The guesses in words, and whether each was kept.
    pub guesses: Vec<(String, bool)>,
}

/// A search, and the steps that it found.
pub struct Finder {
    /// What is known so far.
    pub theory: Theory,
    pub steps: Vec<ClaimStep>,
    /// How far obligations may reach.
    pub reach: Reach,
    /// What it took.
    pub effort: GroundEffort,
    /// What was guessed.
    pub tried: Vec<TriedRelation>,
    /// Members for invariants that a user suggests, which are tried first.
    pub(super) members: Vec<(u8, TheoryExprId)>,
    /// The orders between fences behind operations.
    pub(super) orders_behind: FxHashSet<TheoryExprId>,
    /// The closures of the source that are known to lie along the order that its fences are taken
    /// with.
    pub(super) within_order: FxHashSet<Pred>,
}

impl Finder {
    /// A search that begins with a theory.
    pub fn new(theory: Theory, reach: Reach) -> Self {
        Self {
            theory,
            steps: Vec::new(),
            reach,
            effort: GroundEffort::default(),
            tried: Vec::new(),
            members: Vec::new(),
            orders_behind: FxHashSet::default(),
            within_order: FxHashSet::default(),
        }
    }

    /// Adds a step, and knows its claims.
    pub fn step(&mut self, claims: Vec<Claim>, rule: Rule, known: bool) {
        let step = ClaimStep { claims, rule, known };
        if self.steps.contains(&step) {
            return;
        }
        self.theory.learn(self.steps.len(), &step);
        self.steps.push(step);
    }

    /// Does a claim hold by what is known? If not, a structure that contradicts it. `least`,
    /// `most`: how hard to try: 0 with the events that it speaks of alone, 1 with values of
    /// functions, 2 with closures taken apart.
    pub fn try_claim(
        &mut self,
        claim: &Claim,
        least: usize,
        most: usize,
    ) -> Result<(), Option<Structure>> {
        self.try_step(
            &ClaimStep { claims: vec![claim.clone()], rule: Rule::Direct, known: true },
            least,
            most,
        )
    }

    /// Do the claims of a step hold by its rule?
    pub(super) fn try_step(
        &mut self,
        step: &ClaimStep,
        least: usize,
        most: usize,
    ) -> Result<(), Option<Structure>> {
        if self.theory.stop.is_raised() {
            return Err(None);
        }
        let mut last = None;
        let asked = obligations(&mut self.theory, step);
        // What leaves nothing to show is not shown.
        if (0..step.claims.len()).any(|own| !asked.iter().any(|o| o.claim == own)) {
            return Err(None);
        }
        for obligation in asked {
            let mut done = false;
            let whole = Some(obligation);
            for &(steps, is_apart) in
                &[(0, false), (self.reach.steps, false), (self.reach.steps, true)][least..=most]
            {
                let longer = if is_apart {
                    whole.as_ref().and_then(|o| apart(&mut self.theory, o))
                } else {
                    None
                };
                let Some(asked) = (if is_apart { &longer } else { &whole }) else { continue };
                match settle(
                    &self.theory,
                    ProvedClaims::default(),
                    asked,
                    Reach { steps, ..self.reach },
                    &mut self.effort,
                ) {
                    ObligationOutcome::Refuted(..) => {
                        done = true;
                        break;
                    }
                    ObligationOutcome::Model(structure) => last = Some(structure),
                    // What an easier attempt left open is no counterexample.
                    ObligationOutcome::Unknown => last = None,
                }
            }
            if !done {
                return Err(last);
            }
        }
        Ok(())
    }

    /// Does a claim hold by what is known?
    pub fn holds(&mut self, claim: &Claim, least: usize, most: usize) -> bool {
        self.try_claim(claim, least, most).is_ok()
    }

    /// Makes a claim a step, if it holds. It is no fact.
    pub(super) fn show(&mut self, claim: Claim) -> Result<(), Missing> {
        if self.steps.iter().any(|step| step.claims.contains(&claim)) {
            return Ok(());
        }
        self.try_claim(&claim, 0, 2).map_err(|s| {
            tracing::debug!(
                "not shown: {}; {}",
                claim.text(&self.theory),
                if s.is_some() { "refuted" } else { "unknown" }
            );
            Missing::Claim(claim.clone(), s)
        })?;
        self.step(vec![claim], Rule::Direct, false);
        Ok(())
    }

    pub(super) fn limits(&self, steps: u8) -> GroundLimits {
        GroundLimits { events: self.reach.events, depth: steps, ..GroundLimits::default() }
    }

    /// Keeps the largest inductive set of guesses. Events may be so many steps away.
    pub(super) fn guess(&mut self, group: &[Pred], all: Vec<(Pred, Property)>, steps: u8) {
        if self.theory.stop.is_raised() {
            return;
        }
        let texts: Vec<(Pred, String)> =
            all.iter().map(|(p, g)| (*p, g.text(&self.theory, *p))).collect();
        let limits = self.limits(steps);
        let begin = std::time::Instant::now();
        let found = inductive(&mut self.theory, group, all, limits);
        let (of, seconds) = (self.theory.symbols.name(group[0]), begin.elapsed().as_secs_f64());
        tracing::debug!(
            "{} of {} guesses about {of} are kept, {seconds:.2} s",
            found.kept.len(),
            found.guessed
        );
        self.effort.add(found.effort);
        let kept: Vec<String> = found.kept.iter().map(|(p, g)| g.text(&self.theory, *p)).collect();
        for &of in group {
            let guesses = texts
                .iter()
                .filter(|t| t.0 == of)
                .map(|(_, t)| (t.clone(), kept.contains(t)))
                .collect();
            self.tried.push(TriedRelation { of, guesses });
        }
        if !found.kept.is_empty() {
            let claims = found
                .kept
                .into_iter()
                .map(|(of, property)| Claim::Pairs { of, property })
                .collect();
            self.step(claims, Rule::Induction(group.to_vec()), true);
        }
    }

    /// Finds lemmas about the closures and recursive relations of a model.
    pub fn lemmas(&mut self, roots: &[TheoryExprId]) {
        let vocabulary = TheoryVocabulary::of(&self.theory, roots.iter().copied());
        let recursive = |t: &Theory, p: Pred| {
            matches!(t.symbols.get(p).meaning, Meaning::Closure(_) | Meaning::Fixpoint(..))
        };
        let subjects: Vec<Pred> =
            vocabulary.relations.iter().copied().filter(|&p| recursive(&self.theory, p)).collect();
        for subject in subjects {
            for stage in STAGES {
                if self.theory.stop.is_raised() {
                    return;
                }
                let all = guesses(&mut self.theory, subject, &vocabulary, stage);
                self.guess(&[subject], all, 0);
            }
            let all = composes(&self.theory, subject);
            if !all.is_empty() {
                self.guess(&[subject], all, 1);
            }
        }
    }

    /// Finds out where what recursive relations of a model relate lies along program order. Each
    /// guess is for itself: an induction supposes one inclusion of earlier pairs.
    pub fn lemmas_along_program_order(&mut self, roots: &[TheoryExprId]) {
        for subject in TheoryVocabulary::of(&self.theory, roots.iter().copied()).relations {
            for bound in ends_within(&mut self.theory, subject) {
                self.guess(&[subject], vec![(subject, Property::Within(bound))], 1);
            }
        }
    }

    /// Guesses in which sets they are; what is proved of that stays in the theory.
    fn sets_of_ends(&mut self, closure: Pred) {
        let sets: Vec<Pred> =
            self.theory.symbols.iter().filter(|(_, s)| s.arity == 1).map(|(p, _)| p).collect();
        sets.iter().for_each(|&s| self.theory.explain(s));
        let vocabulary = TheoryVocabulary { sets, relations: Vec::new() };
        let all = guesses(&mut self.theory, closure, &vocabulary, 0);
        self.guess(&[closure], all, 0);
    }

    /// Finds an invariant of a closure.
    pub(super) fn bounded(
        &mut self,
        closure: Pred,
        candidates: &[(u8, TheoryExprId)],
    ) -> Result<(), Missing> {
        self.sets_of_ends(closure);
        self.bounded_by(closure, candidates)
    }

    /// The same without what is known of its ends.
    pub(super) fn bounded_by(
        &mut self,
        closure: Pred,
        candidates: &[(u8, TheoryExprId)],
    ) -> Result<(), Missing> {
        let begin = std::time::Instant::now();
        let mut failed = None;
        for steps in [0, self.reach.steps] {
            let limits = self.limits(steps);
            let found = find(&mut self.theory, closure, candidates, limits);
            let of = self.theory.symbols.name(closure);
            tracing::debug!(
                "an invariant of {of}: {}, {:.2} s",
                found.is_ok(),
                begin.elapsed().as_secs_f64()
            );
            match found {
                Ok(found) => {
                    self.effort.add(found.effort);
                    let bound = self.theory.exprs.union_all(found.items);
                    tracing::debug!("within {}", self.theory.text(bound));
                    let claim = Claim::Pairs { of: closure, property: Property::Within(bound) };
                    self.step(vec![claim], Rule::Induction(vec![closure]), true);
                    return Ok(());
                }
                Err(none) => {
                    self.effort.add(none.effort);
                    tracing::debug!(
                        "what is in none of its members: {}",
                        way(&self.theory, &none.uncovered)
                    );
                    failed = Some(none);
                }
            }
        }
        Err(Missing::Invariant(failed.expect("there were attempts")))
    }

    /// Where a closure of the source is within one of the target, which has a name and no more is
    /// known of, finds out whether it is one of its edges, or two: what communication is.
    fn bounded_by_pairs(&mut self, closure: Pred) {
        let Meaning::Closure(step) = self.theory.symbols.get(closure).meaning else { return };
        let is_closure =
            |p: Pred| matches!(self.theory.symbols.get(p).meaning, Meaning::Closure(_));
        let by_name = self.steps.iter().flat_map(|step| &step.claims).any(|claim| match claim {
            Claim::Pairs { of, property: Property::Within(bound) } => {
                *of == closure && self.theory.as_symbol(*bound).is_some_and(is_closure)
            }
            _ => false,
        });
        let edges = edges(&mut self.theory, step);
        if by_name && (2..=MOST_PAIRED).contains(&edges.len()) {
            let pairs = chains(&mut self.theory, &edges);
            // What is not shown is not known, and nothing else follows.
            let _ = self.bounded_by(closure, &pairs);
        }
    }

    /// Proves the axioms of a source by what a target guarantees. `target`: what the target's
    /// checks are about; `closures`: the source's, inner ones first; `places`: the relations from
    /// operations to their fences.
    pub fn axioms(
        &mut self,
        source: &Model,
        checks: &[(usize, TheoryExprId)],
        target: &[TheoryExprId],
        closures: &[Pred],
        places: &[Pred],
    ) -> Vec<(usize, Result<Claim, Missing>)> {
        if let Some(found) = self.without_invariants(source, checks, closures) {
            return found;
        }
        let relations = self.relations(target);
        // Without an invariant of a closure nothing that is made of it is tried.
        let mut missing: Vec<(Pred, Missing)> = Vec::new();
        let needs = |finder: &Self, missing: &[(Pred, Missing)], expr: TheoryExprId| {
            let of = TheoryVocabulary::of(&finder.theory, [expr]).relations;
            missing.iter().find(|m| of.contains(&m.0)).map(|m| m.1.clone())
        };
        let open: Vec<Pred> =
            closures.iter().copied().filter(|c| !self.within_order.contains(c)).collect();
        for closure in open {
            let own = self.theory.exprs.symbol(closure);
            if let Some(none) = needs(self, &missing, own) {
                missing.push((closure, none));
                continue;
            }
            let mut candidates = self.members.clone();
            candidates.extend(self.candidates(closure, &relations, places));
            if let Err(none) = self.bounded(closure, &candidates)
                && (self.names_closures(&relations) || !self.bounded_around(closure))
                && !self.bounded_by_fences(closure, &relations)
            {
                missing.push((closure, none));
                continue;
            }
            self.bounded_by_pairs(closure);
        }
        let mut found = Vec::new();
        let mut is_halved = false;
        for &(number, expr) in checks {
            // What has an argument is to be completed even if the time is not enough for all.
            if !is_halved && found.iter().any(|f: &(usize, Result<Claim, Missing>)| f.1.is_ok()) {
                self.theory.stop = self.theory.stop.half_way();
                is_halved = true;
            }
            let check = &source.checks[number];
            if let Some(none) = needs(self, &missing, expr) {
                found.push((number, Err(none)));
                continue;
            }
            let claim = claim(source, number, expr);
            let result = if check.kind == CheckKind::Acyclic
                && places.is_empty()
                && self.acyclic_by_closure(expr, &relations)
            {
                Ok(())
            } else if check.kind == CheckKind::Acyclic {
                let [first, more] = self.order_candidates(closures);
                let candidates = [[self.members.clone(), first].concat(), more];
                self.acyclic_by_orders(expr, &relations, places, &candidates)
            } else {
                self.try_claim(&claim, 0, 2)
                    .map(|()| self.step(vec![claim.clone()], Rule::Direct, true))
                    .map_err(|s| Missing::Claim(claim.clone(), s))
            };
            found.push((number, result.map(|()| claim)));
        }
        found
    }

    /// The axioms as steps, if none of them is about a closure and all hold without an invariant of
    /// one. (Others may need one: that operations do not race is said by happens-before.)
    fn without_invariants(
        &mut self,
        source: &Model,
        checks: &[(usize, TheoryExprId)],
        closures: &[Pred],
    ) -> Option<Vec<(usize, Result<Claim, Missing>)>> {
        let about = TheoryVocabulary::of(&self.theory, checks.iter().map(|c| c.1)).relations;
        if closures.iter().any(|c| about.contains(c))
            || checks.iter().any(|c| source.checks[c.0].kind == CheckKind::Acyclic)
        {
            return None;
        }
        let claims: Vec<(usize, Claim)> =
            checks.iter().map(|&(number, expr)| (number, claim(source, number, expr))).collect();
        if !claims.iter().all(|(_, claim)| self.holds(claim, 0, 2)) {
            return None;
        }
        claims.iter().for_each(|(_, claim)| self.step(vec![claim.clone()], Rule::Direct, true));
        Some(claims.into_iter().map(|(number, claim)| (number, Ok(claim))).collect())
    }

    /// The relations of a target that invariants are made of: those that are not the same
    /// backwards.
    fn relations(&mut self, target: &[TheoryExprId]) -> Vec<Pred> {
        let mut found = TheoryVocabulary::of(&self.theory, target.iter().copied()).relations;
        found.extend(self.theory.of_source.iter().copied());
        found.dedup();
        found.retain(|&p| {
            let own = self.theory.exprs.symbol(p);
            let back = self.theory.exprs.make(TheoryExpr::Inverse(own));
            self.theory.explain(p);
            !self.holds(&Claim::Within(own, back), 0, 0)
        });
        found
    }
}

/// What is there in a way into a closure, for the log: `po(0, 2)`.
fn way(theory: &Theory, form: &TheoryFormula) -> String {
    let event = |t: EventTerm| {
        if t.as_variable().is_some() { "?".to_owned() } else { t.index().to_string() }
    };
    let lit = |l: &Lit| {
        let args = if theory.symbols.get(l.atom.pred).arity == 1 {
            &l.atom.args[..1]
        } else {
            &l.atom.args[..]
        };
        let args: Vec<String> = args.iter().map(|&t| event(t)).collect();
        format!(
            "{}{}({})",
            if l.positive { "" } else { "~" },
            theory.symbols.name(l.atom.pred),
            args.join(", ")
        )
    };
    form.lits().iter().map(lit).collect::<Vec<_>>().join(" ")
}

/// What a check of a model claims. `expr`: what it is about.
fn claim(source: &Model, number: usize, expr: TheoryExprId) -> Claim {
    let check = &source.checks[number];
    Claim::of_check(check.kind, expr, source.arena.sort(check.expr) == Sort::Set)
}

/// The axioms of a model: those that it requires.
pub fn axioms(model: &Model) -> impl Iterator<Item = usize> + '_ {
    model.checks.iter().enumerate().filter(|(_, c)| c.role == Role::Axiom).map(|(i, _)| i)
}
