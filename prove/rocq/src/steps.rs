//! The steps of an argument as lemmas: each claim is opened at its events, and what refutes its
//! obligations is applied.

use super::failure::{RocqFailure, RocqMismatch};
use super::opening::{HeldPair, OpeningState};
use super::proven::{Pieces, whole};
use super::refutation::used_suppositions;
use super::text::event;
use super::writer::{RocqWriter, claim_name};
use margay_theorem::argument::{Claim, ClaimStep, Rule, Settled, apart, obligations};
use margay_theorem::ground::Obligation;
use margay_theorem::logic::{EventAtom, EventTerm, TheoryExprId, TheoryFormula};

/// The obligations of a step, in order, with the lemmas that refute them.
pub struct StepObligations<'a> {
    pub all: Vec<(Obligation, &'a Settled)>,
    step: usize,
}

impl RocqWriter {
    /// Writes a step: its obligations, and a lemma for each claim.
    pub fn step(
        &mut self,
        number: usize,
        step: &ClaimStep,
        settled: &[Settled],
        proved: &[(Claim, String)],
    ) -> Result<(), RocqFailure> {
        self.text.names.extend(&self.theory);
        let all: Vec<(Obligation, &Settled)> =
            obligations(&mut self.theory, step).into_iter().zip(settled).collect();
        self.text.names.extend(&self.theory);
        self.fresh = 0;
        self.lemmas += &format!("\n(* Step {}, {}. *)\n", number + 1, step.rule.name());
        for (at, (obligation, settled)) in all.iter().enumerate() {
            self.go_on()?;
            let longer = if settled.apart {
                apart(&mut self.theory, obligation)
                    .ok_or(RocqFailure::mismatch("there is nothing to take apart"))?
            } else {
                obligation.clone()
            };
            self.text.names.extend(&self.theory);
            self.refuted(&obligation_name(number, at), &longer, &settled.refutation)?;
        }
        let all = StepObligations { all, step: number };
        match &step.rule {
            Rule::Direct => {
                for (at, (obligation, _)) in all.all.iter().enumerate() {
                    let claim = &step.claims[obligation.claim];
                    self.direct(&claim_name((number, obligation.claim)), claim, &all, at)?;
                }
                Ok(())
            }
            Rule::Induction(group) => self.induction(number, group, &step.claims, &all),
            Rule::Orders { cut, order, first, second } => {
                for (own, claim) in step.claims.iter().enumerate() {
                    let Claim::Acyclic(r) = claim else {
                        return Err(RocqFailure::mismatch(
                            "the rule of orders is for `acyclic` alone",
                        ));
                    };
                    self.orders(
                        &claim_name((number, own)),
                        *r,
                        (*cut, *order),
                        [first, second],
                        proved,
                    )?;
                }
                Ok(())
            }
            rule @ Rule::Through { .. } => {
                for (own, claim) in step.claims.iter().enumerate() {
                    self.through(&claim_name((number, own)), claim, rule, proved)?;
                }
                Ok(())
            }
        }
    }

    /// Applies the lemma that refutes an obligation, to what was opened.
    pub fn apply(
        &mut self,
        all: &StepObligations<'_>,
        at: usize,
        state: &mut OpeningState,
        pieces: Pieces,
        conclusion: &Pieces,
        supposed: &[String],
    ) -> Result<String, RocqFailure> {
        self.go_on()?;
        let (obligation, settled) = &all.all[at];
        let more = obligation.events - state.next.min(obligation.events);
        let before = state.next;
        state.next = obligation.events;
        if whole(&pieces).0 != obligation.question {
            return Err(RocqMismatch::OpenedInTwoWays(Some(obligation.what.clone())).into());
        }
        let atoms: Vec<(EventAtom, String)> = pieces
            .iter()
            .filter_map(|(f, term)| match f {
                TheoryFormula::Lit(lit) if lit.positive => Some((lit.atom, term.clone())),
                _ => None,
            })
            .collect();
        let mut last: Vec<(TheoryExprId, EventAtom, String)> = Vec::new();
        if settled.apart {
            for (atom, term) in atoms {
                if let Some((ends, proof)) = self.last_step(atom, &term) {
                    last.push((ends, atom, proof));
                }
            }
        }
        let finish = Finish { all, at, before, more, conclusion, supposed };
        self.take_apart(last, pieces, state, &finish)
    }

    /// Opens closures at the ends of their chains, one after the other, and then applies the lemma.
    fn take_apart(
        &mut self,
        mut last: Vec<(TheoryExprId, EventAtom, String)>,
        pieces: Pieces,
        state: &mut OpeningState,
        finish: &Finish<'_>,
    ) -> Result<String, RocqFailure> {
        if last.is_empty() {
            return Ok(finish.term(state, &pieces));
        }
        let (opened, atom, term) = last.remove(0);
        let group = std::mem::take(&mut state.group);
        let [s, t] = atom.args;
        let done = self.open(
            HeldPair { of: opened, ends: [s, t], term: &term },
            state,
            &mut |w, state, all| {
                w.take_apart(
                    last.clone(),
                    pieces.iter().cloned().chain(all).collect(),
                    state,
                    finish,
                )
            },
        );
        state.group = group;
        done
    }

    /// Whether the writer is to end.
    fn go_on(&self) -> Result<(), RocqFailure> {
        if self.theory.stop.is_raised() { Err(RocqFailure::Ended) } else { Ok(()) }
    }

    fn direct(
        &mut self,
        name: &str,
        claim: &Claim,
        all: &StepObligations<'_>,
        at: usize,
    ) -> Result<(), RocqFailure> {
        let (x, y) = (EventTerm::event(0), EventTerm::event(1));
        let (of, s, t, bound) = match claim {
            Claim::Within(a, b) => (*a, x, y, Some(*b)),
            Claim::Irreflexive(e) | Claim::Empty(e, true) => (*e, x, x, None),
            Claim::Empty(e, false) => (*e, x, y, None),
            Claim::Pairs { .. } | Claim::Acyclic(_) => {
                return Err(RocqFailure::mismatch("a claim is shown by another rule"));
            }
        };
        let events = if s == t { 1 } else { 2 };
        let supposed = match bound {
            Some(bound) => self.denied(bound, &all.all[at].0, s, t, "no")?,
            None => Vec::new(),
        };
        let mut state = OpeningState::new(events, &[]);
        let term = self.open(
            HeldPair { of, ends: [s, t], term: "holds" },
            &mut state,
            &mut |w, state, pieces| w.apply(all, at, state, pieces, &Vec::new(), &supposed),
        )?;
        let intros = if events == 1 { "intros e0 holds." } else { "intros e0 e1 holds." };
        let refute = if bound.is_some() { " apply NNPP. intros no." } else { "" };
        let statement = self.text.claim(&self.theory, claim);
        self.lemma(name, &statement, &format!("{intros}{refute}\n{term}\n"));
        Ok(())
    }

    /// The suppositions that say that a pair is not in a relation, each with its proof.
    pub fn denied(
        &mut self,
        bound: TheoryExprId,
        obligation: &Obligation,
        s: EventTerm,
        t: EventTerm,
        term: &str,
    ) -> Result<Vec<String>, RocqFailure> {
        let own = self.text.within(&self.theory, bound, 2);
        let given = format!("~ {own} {} {}", event(s), event(t));
        let mut all = Vec::new();
        for supposition in obligation.suppositions.clone().iter().filter(|s| s.claim.is_none()) {
            let wanted = self.text.closed_clause(
                &self.theory,
                &supposition.clause.lits,
                supposition.clause.variables,
            );
            let lemma = self.entails(&[s, t], &given, &wanted);
            all.push(format!("({lemma} {} {} {term})", event(s), event(t)));
        }
        Ok(all)
    }
}

/// How an application ends.
struct Finish<'a> {
    all: &'a StepObligations<'a>,
    at: usize,
    before: usize,
    more: usize,
    conclusion: &'a Pieces,
    supposed: &'a [String],
}

impl Finish<'_> {
    fn term(&self, state: &OpeningState, pieces: &Pieces) -> String {
        let name = obligation_name(self.all.step, self.at);
        let events: Vec<String> = (0..state.next)
            .map(|e| {
                // Further events of a property are bound where that is introduced.
                if (self.before..self.before + self.more).contains(&e) {
                    format!("z{}", 2 + e - self.before)
                } else {
                    event(EventTerm::event(e))
                }
            })
            .collect();
        let mut term = format!("{name} {} {}", events.join(" "), whole(pieces).1);
        if self.all.all[self.at].0.conclusion != TheoryFormula::Const(true) {
            term += &format!(" {}", whole(self.conclusion).1);
        }
        for number in used_suppositions(&self.all.all[self.at].1.refutation) {
            term += &format!(" {}", self.supposed[number]);
        }
        format!("exact ({term}).")
    }
}

fn obligation_name(step: usize, at: usize) -> String {
    format!("obligation_{}_{}", step + 1, at + 1)
}
