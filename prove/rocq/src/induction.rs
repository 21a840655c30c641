//! Inductions: each rule of a relation, opened at its events, leads to what is claimed of each
//! pair.

use super::earlier::{induction_name, projected};
use super::failure::{RocqFailure, RocqLimitation};
use super::opening::{HeldPair, OpeningState, RemainingTactics};
use super::proven::Pieces;
use super::steps::StepObligations;
use super::text::{event, more_variables};
use super::writer::{RocqWriter, claim_name};
use margay_theorem::argument::Claim;
use margay_theorem::argument::Property;
use margay_theorem::argument::edges;
use margay_theorem::logic::{
    EventAtom, EventTerm, Lit, Meaning, Pred, TheoryExpr, TheoryExprId, TheoryFormula,
};
use margay_theorem::theory::Theory;

/// An induction over one relation.
pub struct Induction<'a> {
    /// The relation.
    pub of: Pred,
    /// The claims of the step.
    pub claims: &'a [Claim],
    /// Those about the relation, with their numbers among the claims.
    pub own: Vec<(usize, &'a Property)>,
    pub all: &'a StepObligations<'a>,
}

impl RocqWriter {
    /// Writes an induction, and each of its claims as a lemma of its own.
    pub fn induction(
        &mut self,
        number: usize,
        group: &[Pred],
        claims: &[Claim],
        all: &StepObligations<'_>,
    ) -> Result<(), RocqFailure> {
        let [of] = group else {
            return Err(RocqLimitation::SeveralRelations.into());
        };
        let of_relation = |(i, c)| match c {
            &Claim::Pairs { of: p, ref property } if p == *of => Some((i, property)),
            _ => None,
        };
        let own: Vec<(usize, &Property)> =
            claims.iter().enumerate().filter_map(of_relation).collect();
        let about = Induction { of: *of, claims, own, all };
        let own = &about.own;
        let name = format!("induction_{}", number + 1);
        let relation = self.text.symbol(&self.theory, *of);
        let together = |w: &Self, x: &str, y: &str| -> String {
            let all: Vec<String> =
                own.iter().map(|(_, p)| w.text.property(&w.theory, p, x, y)).collect();
            all.join(" /\\ ")
        };
        let statement = format!("forall x0 x1, {relation} x0 x1 -> {}", together(self, "x0", "x1"));
        let proof = match self.theory.symbols.get(*of).meaning {
            Meaning::Closure(r) => {
                let unfold = if self.text.names.get(*of).is_some() {
                    format!("unfold {relation}; ")
                } else {
                    String::new()
                };
                let found = edges(&mut self.theory, r);
                let base = self.ways(&about, r, &found, false)?;
                let more = self.ways(&about, r, &found, true)?;
                format!(
                    "{unfold}intros x0 x1 holds; induction holds as [e0 e1 holds|e0 e2 e1 before IH holds].\n- {base}\n- {more}\n"
                )
            }
            Meaning::Fixpoint(body, _) => {
                let parts = self.theory.exprs.union_parts(body);
                let mut proof = "intros x0 x1 holds; induction holds as [".to_owned();
                let mut patterns = Vec::new();
                let mut cases = String::new();
                for (k, part) in parts.iter().enumerate() {
                    let (pattern, term) = self.recursive_way(&about, *part, k)?;
                    patterns.push(pattern);
                    cases += &format!("- {term}\n");
                }
                proof += &format!("{}].\n{cases}", patterns.join("|"));
                proof
            }
            Meaning::Defined(body) => {
                let found = vec![body];
                let base = self.ways(&about, body, &found, false)?;
                format!("intros e0 e1 holds. {base}\n")
            }
            _ => {
                return Err(RocqFailure::mismatch(
                    "an induction is over a relation that has no rules",
                ));
            }
        };
        self.lemma(&name, &statement, &proof);
        for (at, (claim, _)) in own.iter().enumerate() {
            let statement = self.text.claim(&self.theory, &claims[*claim]);
            let part = projected(&format!("({name} x0 x1 holds)"), at, own.len());
            self.lemma(
                &claim_name((number, *claim)),
                &statement,
                &format!("intros x0 x1 holds. exact {part}."),
            );
        }
        Ok(())
    }

    /// The proof of all properties of a pair that comes into a closure by an edge, alone or behind
    /// an earlier pair.
    fn ways(
        &mut self,
        about: &Induction<'_>,
        of: TheoryExprId,
        edges: &[TheoryExprId],
        behind: bool,
    ) -> Result<String, RocqFailure> {
        let (first, second) = if behind {
            (EventTerm::event(2), EventTerm::event(1))
        } else {
            (EventTerm::event(0), EventTerm::event(1))
        };
        let mut proofs = Vec::new();
        for (at, (_, property)) in about.own.iter().enumerate() {
            let mut branches = Vec::new();
            for (k, &edge) in edges.iter().enumerate() {
                let way = if behind { edges.len() + k } else { k };
                let holds = format!("edge_{k}");
                let term = self.one_way(
                    about,
                    way,
                    at,
                    &|w, state, rest| {
                        if behind {
                            let earlier = TheoryFormula::Lit(Lit::yes(EventAtom::binary(
                                about.of,
                                EventTerm::event(0),
                                EventTerm::event(2),
                            )));
                            w.open(
                                HeldPair { of: edge, ends: [first, second], term: &holds },
                                state,
                                &mut |w, state, pieces| {
                                    rest(
                                        w,
                                        state,
                                        std::iter::once((earlier.clone(), "before".to_owned()))
                                            .chain(pieces)
                                            .collect(),
                                    )
                                },
                            )
                        } else {
                            w.open(
                                HeldPair { of: edge, ends: [first, second], term: &holds },
                                state,
                                rest,
                            )
                        }
                    },
                    if behind { 3 } else { 2 },
                )?;
                branches.push((holds, term));
            }
            let mut next = branches.iter();
            let mut seen = 0;
            let split = if edges == [of] {
                format!("pose proof holds as edge_0. {}", branches[0].1)
            } else {
                self.by_edges(
                    of,
                    [&event(first), &event(second)],
                    "holds",
                    &mut |w, edge, term| {
                        let (holds, branch) = next
                            .next()
                            .filter(|_| edges.get(seen) == Some(&edge))
                            .ok_or(RocqFailure::mismatch("edges come in two orders"))?;
                        seen += 1;
                        // Of a term that is put together nothing else says what it proves.
                        let own = w.text.within(&w.theory, edge, 2);
                        let ends = format!("{} {}", event(first), event(second));
                        Ok(format!("assert ({holds} : {own} {ends}) by exact {term}. {branch}"))
                    },
                )?
            };
            proofs.push(self.concluded(property, &split));
        }
        Ok(conjoined(&proofs))
    }

    /// The properties of a pair that comes into a recursive relation by one part of its body.
    fn recursive_way(
        &mut self,
        about: &Induction<'_>,
        part: TheoryExprId,
        k: usize,
    ) -> Result<(String, String), RocqFailure> {
        let mut pattern = Vec::new();
        let mut proofs = Vec::new();
        for (at, (_, property)) in about.own.iter().enumerate() {
            let binders = std::cell::RefCell::new((Vec::new(), Vec::new()));
            let term = self.one_way(
                about,
                k,
                at,
                &|w, state, rest| {
                    *binders.borrow_mut() = (Vec::new(), Vec::new());
                    let whole = vec![(part, EventTerm::event(0), EventTerm::event(1))];
                    w.by_premises(about.of, whole, &binders, state, Vec::new(), rest)
                },
                2,
            )?;
            let (events, premises) = binders.into_inner();
            pattern = [vec!["e0".to_owned(), "e1".to_owned()], events, premises].concat();
            proofs.push(self.concluded(property, &term));
        }
        Ok((pattern.join(" "), conjoined(&proofs)))
    }

    /// Opens the premises of a rule of a recursive relation, one after the other; `binders` are the
    /// rule's events and premises.
    #[allow(clippy::type_complexity)]
    fn by_premises(
        &mut self,
        of: Pred,
        mut open: Vec<(TheoryExprId, EventTerm, EventTerm)>,
        binders: &std::cell::RefCell<(Vec<String>, Vec<String>)>,
        state: &mut OpeningState,
        pieces: Pieces,
        rest: RemainingTactics<'_>,
    ) -> Result<String, RocqFailure> {
        if open.is_empty() {
            return rest(self, state, pieces);
        }
        let (first, s, t) = open.remove(0);
        if let Some((parts, between)) =
            premises_of(&self.theory, first, s, t, EventTerm::event(state.next))
        {
            if between {
                binders.borrow_mut().0.push(event(EventTerm::event(state.next)));
                state.next += 1;
            }
            let all = parts.into_iter().chain(open).collect();
            return self.by_premises(of, all, binders, state, pieces, rest);
        }
        let holds =
            format!("m{}", binders.borrow().1.iter().filter(|n| n.starts_with('m')).count());
        let is_earlier = self.theory.as_symbol(first) == Some(of);
        {
            let mut binders = binders.borrow_mut();
            let earlier = binders.1.iter().filter(|n| n.starts_with("IH")).count();
            binders.1.push(holds.clone());
            if is_earlier {
                binders.1.push(induction_name(earlier));
            }
        }
        self.open(
            HeldPair { of: first, ends: [s, t], term: &holds },
            state,
            &mut |w, state, more| {
                let pieces = pieces.iter().cloned().chain(more).collect();
                w.by_premises(of, open.clone(), binders, state, pieces, rest)
            },
        )
    }

    /// Tactics that go from False to a property: what is denied is named.
    fn concluded(&self, property: &Property, split: &str) -> String {
        match property {
            Property::Clause(lits) => {
                let more: Vec<String> =
                    (2..2 + more_variables(lits)).map(|v| format!("z{v}")).collect();
                let premises: Vec<String> = (0..lits.iter().filter(|l| !l.positive).count())
                    .map(|i| format!("l{i}"))
                    .collect();
                let names = [more, premises].concat().join(" ");
                let intros =
                    if names.is_empty() { String::new() } else { format!("intros {names}. ") };
                let deny =
                    if lits.iter().any(|l| l.positive) { "apply NNPP. intros no. " } else { "" };
                format!("{intros}{deny}\n{split}")
            }
            Property::Within(_) => format!("apply NNPP. intros no.\n{split}"),
        }
    }
}

/// The premises that a part of a rule's body is split into, and whether the given event is between
/// them; `None` if it is one premise.
#[allow(clippy::type_complexity)]
pub fn premises_of(
    theory: &Theory,
    part: TheoryExprId,
    s: EventTerm,
    t: EventTerm,
    between: EventTerm,
) -> Option<(Vec<(TheoryExprId, EventTerm, EventTerm)>, bool)> {
    Some(match theory.exprs.get(part) {
        TheoryExpr::Intersection(a, b) => (vec![(a, s, t), (b, s, t)], false),
        TheoryExpr::Inverse(a) => (vec![(a, t, s)], false),
        TheoryExpr::Sequence(a, b) => match (theory.exprs.get(a), theory.exprs.get(b)) {
            (TheoryExpr::Diagonal(set), _) => (vec![(set, s, s), (b, s, t)], false),
            (_, TheoryExpr::Diagonal(set)) => (vec![(a, s, t), (set, t, t)], false),
            _ => (vec![(a, s, between), (b, between, t)], true),
        },
        _ => return None,
    })
}

/// Tactics for each part of a conjunction.
fn conjoined(proofs: &[String]) -> String {
    match proofs {
        [] => "exact I.".to_owned(),
        [one] => one.clone(),
        [first, rest @ ..] => format!("split.\n{{ {first} }}\n{}", conjoined(rest)),
    }
}
