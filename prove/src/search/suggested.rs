//! Lemmas that a user suggests, as checks of a .cat text about the target, and members for
//! invariants, as its definitions. They are shown like those that are guessed, or they are not
//! used; none is trusted.

use margay_models::model::{CheckKind, Model, Sort};

use super::finder::Finder;
use margay_theorem::argument::Property;
use margay_theorem::argument::{Claim, ClaimStep, Rule};
use margay_theorem::ground::Structure;
use margay_theorem::logic::form::normalised;
use margay_theorem::logic::{EventAtom, EventTerm, Lit, Meaning, Pred, TheoryExpr, TheoryExprId};
use margay_theorem::theorem::own_checks;
use margay_theorem::theory::{BaseMeaning, Theory};

/// A lemma that was suggested.
#[derive(Debug, Clone)]
pub struct Suggested {
    /// The number of the check in its model.
    pub check: usize,
    pub claim: Claim,
    /// A few events that make its induction, or itself, fail; `None` where it holds, or a limit was
    /// reached.
    pub refuted: Option<Structure>,
    /// Is it proved?
    pub holds: bool,
}

impl Finder {
    /// The lemmas and members of a text.
    pub fn suggestions(&mut self, model: &Model, base: &BaseMeaning) -> Vec<Suggested> {
        let first_new = self.theory.symbols.len();
        let checks: Vec<usize> = own_checks(model).filter(|&i| !model.checks[i].negated).collect();
        let members = model
            .definitions
            .iter()
            .filter(|d| d.place.file.name == model.source.name && d.sort == Sort::Relation);
        let nodes: Vec<_> =
            checks.iter().map(|&i| model.checks[i].expr).chain(members.map(|d| d.body)).collect();
        let exprs = self.theory.translate_all(model, base, &nodes);
        let exprs: Vec<TheoryExprId> =
            exprs.into_iter().map(|e| inlined(&mut self.theory, e, first_new)).collect();
        let (claims, members) = exprs.split_at(checks.len());
        self.members = members.iter().map(|&e| (0, e)).collect();
        let mut found = Vec::new();
        for (&check, &expr) in checks.iter().zip(claims) {
            let own = &model.checks[check];
            let claim = match own.kind {
                // No cycle: no event is related to itself by the closure, which an induction can be
                // about.
                CheckKind::Acyclic => {
                    let closure = self.theory.closure_name(expr);
                    Claim::Irreflexive(self.theory.exprs.symbol(closure))
                }
                kind => Claim::of_check(kind, expr, model.arena.sort(own.expr) == Sort::Set),
            };
            found.push(Suggested { check, claim, refuted: None, holds: false });
        }
        found
    }

    /// Tries to show what is suggested, as long as one helps another.
    pub fn show_suggested(&mut self, all: &mut [Suggested]) {
        loop {
            let before = all.iter().filter(|s| s.holds).count();
            for suggested in all.iter_mut().filter(|s| !s.holds) {
                match self.suggested(&suggested.claim) {
                    Ok(()) => suggested.holds = true,
                    Err(structure) => suggested.refuted = structure,
                }
            }
            if all.iter().filter(|s| s.holds).count() == before {
                return;
            }
        }
    }

    /// Shows a claim: by what is known, or by induction over a closure or recursive relation that
    /// it is about.
    fn suggested(&mut self, claim: &Claim) -> Result<(), Option<Structure>> {
        let failed = match self.try_claim(claim, 0, 2) {
            Ok(()) => {
                self.step(vec![claim.clone()], Rule::Direct, true);
                return Ok(());
            }
            Err(structure) => structure,
        };
        let Some((of, properties)) = self.properties(claim) else { return Err(failed) };
        let claims = properties.into_iter().map(|property| Claim::Pairs { of, property }).collect();
        let step = ClaimStep { claims, rule: Rule::Induction(vec![of]), known: true };
        self.try_step(&step, 0, 2)?;
        self.step(step.claims, step.rule, true);
        // The lemma is what was suggested, and no more than follows.
        self.try_claim(claim, 0, 2)
    }

    /// A claim as properties of each pair of a closure or recursive relation.
    fn properties(&mut self, claim: &Claim) -> Option<(Pred, Vec<Property>)> {
        let &(Claim::Empty(e, false) | Claim::Irreflexive(e)) = claim else { return None };
        if let (Claim::Empty(..), TheoryExpr::Difference(a, b)) = (claim, self.theory.exprs.get(e))
            && let Some(of) = self.theory.as_symbol(a).filter(|&p| is_recursive(&self.theory, p))
            && self.theory.opened(b).1 > 0
        {
            return Some((of, vec![Property::Within(b)]));
        }
        let (form, _) = self.theory.opened(e);
        let same = [EventTerm::variable(0), EventTerm::variable(0)]
            .into_iter()
            .chain((2..18).map(EventTerm::variable));
        let form = if matches!(claim, Claim::Irreflexive(_)) {
            form.with(&same.collect::<Vec<_>>())
        } else {
            form
        };
        let clauses: Vec<Vec<Lit>> = form.negated().clauses();
        let is_subject = |l: &&Lit| !l.positive && is_recursive(&self.theory, l.atom.pred);
        let of = clauses.first()?.iter().find(is_subject)?.atom.pred;
        let properties =
            clauses.into_iter().map(|lits| property_of(lits, of)).collect::<Option<Vec<_>>>()?;
        Some((of, properties))
    }
}

fn is_recursive(theory: &Theory, pred: Pred) -> bool {
    matches!(theory.symbols.get(pred).meaning, Meaning::Closure(_) | Meaning::Fixpoint(..))
}

/// What a clause says of each pair of a relation: variables 0 and 1 are the pair.
fn property_of(mut lits: Vec<Lit>, of: Pred) -> Option<Property> {
    let at = lits.iter().position(|l| !l.positive && l.atom.pred == of)?;
    let [x, y] = lits.remove(at).atom.args;
    // An event that is related to itself is a pair of equal events.
    if x == y {
        lits.push(Lit::no(EventAtom::binary(
            Pred::EQUAL,
            EventTerm::variable(0),
            EventTerm::variable(1),
        )));
    }
    let mut order = vec![x];
    if x == y {
        order.push(EventTerm::variable(100));
    } else {
        order.push(y);
    }
    for term in
        lits.iter().filter(|l| l.atom.pred != Pred::EQUAL || x != y).flat_map(|l| l.atom.args)
    {
        if !order.contains(&term) {
            order.push(term);
        }
    }
    let number = |t: EventTerm| {
        order.iter().position(|&o| o == t).map_or(t, |i| EventTerm::variable(i as u8))
    };
    let renamed: Vec<Lit> = lits
        .iter()
        .map(|l| {
            let is_pair = x == y && l.atom.pred == Pred::EQUAL;
            if is_pair {
                *l
            } else {
                Lit {
                    atom: EventAtom::binary(
                        l.atom.pred,
                        number(l.atom.args[0]),
                        number(l.atom.args[1]),
                    ),
                    ..*l
                }
            }
        })
        .collect();
    normalised(renamed.clone())?;
    (order.len() <= 16).then_some(Property::Clause(renamed))
}

/// The expression with the definitions of the text itself put in: whoever reads a proof does not
/// have their names.
fn inlined(theory: &mut Theory, id: TheoryExprId, first_new: usize) -> TheoryExprId {
    let expr = theory.exprs.get(id);
    let expr = match expr {
        TheoryExpr::Symbol(p) if p.index() >= first_new => match theory.symbols.get(p).meaning {
            Meaning::Defined(body) => return inlined(theory, body, first_new),
            Meaning::Closure(r) => {
                let r = inlined(theory, r, first_new);
                let closure = theory.closure_name(r);
                return theory.exprs.symbol(closure);
            }
            Meaning::Domain(r) | Meaning::Range(r) => {
                let is_range = matches!(theory.symbols.get(p).meaning, Meaning::Range(_));
                let r = inlined(theory, r, first_new);
                let end = theory.end_name(r, is_range);
                return theory.exprs.symbol(end);
            }
            _ => return id,
        },
        other => other.with_parts(|e| inlined(theory, e, first_new)),
    };
    theory.exprs.make(expr)
}
