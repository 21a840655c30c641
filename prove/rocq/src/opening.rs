//! A pair of a relation, taken apart: the tactics that go from `r x y` to the events and atoms that
//! an obligation speaks of. It does what [`Theory::open`] does, and ends by applying what refutes
//! these.

use super::failure::{RocqFailure, RocqMismatch};
use super::proven::{Pieces, alternatives, behind, both, cases, injection, pieces, whole};
use super::text::event;
use super::writer::{RocqWriter, claim_name};
use margay_theorem::argument::treatment;
use margay_theorem::logic::{
    EventAtom, EventTerm, Lit, Pred, TheoryExpr, TheoryExprId, TheoryFormula,
};
use margay_theorem::theory::{MOST_OPENED, MOST_SYMBOLS, Opening, Theory, Treatment};

/// Tactics for the rest of a proof of False, given what holds.
pub type RemainingTactics<'a> =
    &'a mut dyn FnMut(&mut RocqWriter, &mut OpeningState, Pieces) -> Result<String, RocqFailure>;

/// A pair that is in a relation, and the term that proves it.
#[derive(Debug, Clone, Copy)]
pub struct HeldPair<'t> {
    /// The relation, or a set at the diagonal.
    pub of: TheoryExprId,
    pub ends: [EventTerm; 2],
    /// The proof.
    pub term: &'t str,
}

/// Where an opening is.
#[derive(Debug, Clone)]
pub struct OpeningState {
    /// The number of the next new event.
    pub next: usize,
    /// The number of the next hypothesis.
    pub fresh: usize,
    /// The relations that are not opened.
    pub group: Vec<Pred>,
    pub(super) within: Vec<Pred>,
}

impl OpeningState {
    /// New events from a number on.
    pub fn new(next: usize, group: &[Pred]) -> Self {
        Self { next, fresh: 0, group: group.to_vec(), within: Vec::new() }
    }

    /// A new name.
    pub fn name(&mut self) -> String {
        self.fresh += 1;
        format!("h{}", self.fresh)
    }
}

/// One of the two ways in which a pair is in a union, or not in a difference.
#[derive(Debug, Clone, Copy)]
enum UnionSide {
    /// It is in this relation, which is opened.
    In(TheoryExprId),
    NotIn(TheoryExprId),
}

/// A lemma that opens a symbol at events 0 and 1.
#[derive(Debug, Clone)]
pub struct Opened {
    lemma: String,
    form: TheoryFormula,
    events: usize,
}

/// Which symbol is opened, and in what state.
pub type OpenedBy = (TheoryExprId, Vec<Pred>, Vec<Pred>);

/// Is a formula another one with these events in the place of the first ones, as it stands?
fn same_at(canonical: &TheoryFormula, other: &TheoryFormula, values: &[EventTerm]) -> bool {
    match (canonical, other) {
        (TheoryFormula::Const(a), TheoryFormula::Const(b)) => a == b,
        (TheoryFormula::Lit(a), TheoryFormula::Lit(b)) => {
            let here = a.atom.args.map(|t| values.get(t.index()).copied());
            a.positive == b.positive && a.atom.pred == b.atom.pred && here == b.atom.args.map(Some)
        }
        (TheoryFormula::And(a), TheoryFormula::And(b))
        | (TheoryFormula::Or(a), TheoryFormula::Or(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_at(a, b, values))
        }
        _ => false,
    }
}

impl RocqWriter {
    /// Tactics that prove False by opening a relation at a pair that is in it.
    pub fn open(
        &mut self,
        pair: HeldPair<'_>,
        state: &mut OpeningState,
        rest: RemainingTactics<'_>,
    ) -> Result<String, RocqFailure> {
        let HeldPair { of, ends: [s, t], term } = pair;
        match self.theory.exprs.get(of) {
            TheoryExpr::Union(..) => {
                let mut parts = Vec::new();
                let pattern = self.union_pattern(of, state, &mut parts);
                self.open_union(&parts, s, t, (term, &pattern), state, rest)
            }
            TheoryExpr::Intersection(a, b) => {
                self.open_both([(a, s, t), (b, s, t)], term, state, rest)
            }
            TheoryExpr::Product(a, b) => self.open_both([(a, s, s), (b, t, t)], term, state, rest),
            TheoryExpr::Difference(a, b) => {
                let (left, right) = (state.name(), state.name());
                let inner = self.open(
                    HeldPair { of: a, ends: [s, t], term: &left.clone() },
                    state,
                    &mut |w, state, all| {
                        w.open_absent(b, s, t, &right, state, &mut |w, state, absent| {
                            rest(w, state, all.iter().cloned().chain(absent).collect())
                        })
                    },
                )?;
                Ok(both(term, [&left, &right], &inner))
            }
            TheoryExpr::Sequence(a, b) => {
                match (self.theory.exprs.get(a), self.theory.exprs.get(b)) {
                    (TheoryExpr::Diagonal(set), _) => {
                        self.open_both([(set, s, s), (b, s, t)], term, state, rest)
                    }
                    (_, TheoryExpr::Diagonal(set)) => {
                        self.open_both([(a, s, t), (set, t, t)], term, state, rest)
                    }
                    // Rather unopened than with two events of one number.
                    _ if state.next >= MOST_OPENED => self.keep(pair, state, rest),
                    _ => {
                        let between = EventTerm::event(state.next);
                        state.next += 1;
                        let halves = state.name();
                        let inner = self.open_both(
                            [(a, s, between), (b, between, t)],
                            &halves,
                            state,
                            rest,
                        )?;
                        Ok(format!("destruct {term} as ({} & {halves}).\n{inner}", event(between)))
                    }
                }
            }
            TheoryExpr::Inverse(a) => {
                self.open(HeldPair { of: a, ends: [t, s], term }, state, rest)
            }
            TheoryExpr::Diagonal(a) => {
                let (same, member) = (state.name(), state.name());
                let equal = self.equality(s, t, &same);
                let inner = self.open(
                    HeldPair { of: a, ends: [s, s], term: &member.clone() },
                    state,
                    &mut |w, state, all| rest(w, state, equal.iter().cloned().chain(all).collect()),
                )?;
                Ok(both(term, [&same, &member], &inner))
            }
            TheoryExpr::Symbol(p) if p != Pred::EQUAL => {
                if treatment(&self.theory, p, &state.within, &state.group) == Treatment::Keep {
                    return self.keep(pair, state, rest);
                }
                match self.opened(of, [s, t], state)? {
                    Some((lemma, form, events)) => {
                        let holds = state.name();
                        let first = state.next;
                        state.next += events;
                        let new: String = (first..state.next)
                            .map(|e| format!("{} ", event(EventTerm::event(e))))
                            .collect();
                        let then = rest(self, state, pieces(&form, &holds))?;
                        Ok(format!(
                            "apply ({lemma} {} {} {term}). intros {new}{holds}.\n{then}",
                            event(s),
                            event(t)
                        ))
                    }
                    None => self.open_symbol(p, pair, state, rest),
                }
            }
            TheoryExpr::Symbol(_) => {
                let equal = self.equality(s, t, term);
                rest(self, state, equal)
            }
            TheoryExpr::Empty | TheoryExpr::All => self.keep(pair, state, rest),
        }
    }

    fn keep(
        &mut self,
        HeldPair { of, ends: [s, t], term }: HeldPair<'_>,
        state: &mut OpeningState,
        rest: RemainingTactics<'_>,
    ) -> Result<String, RocqFailure> {
        let form = self.theory.form(of, s, t);
        rest(self, state, pieces(&form, term))
    }

    /// Opens what stands for a symbol.
    fn open_symbol(
        &mut self,
        p: Pred,
        pair: HeldPair<'_>,
        state: &mut OpeningState,
        rest: RemainingTactics<'_>,
    ) -> Result<String, RocqFailure> {
        let HeldPair { of, ends: [s, t], term } = pair;
        match treatment(&self.theory, p, &state.within, &state.group) {
            Treatment::Keep => self.keep(pair, state, rest),
            Treatment::Replace(body) => {
                self.open_within(p, HeldPair { of: body, ..pair }, state, rest, Vec::new())
            }
            Treatment::Within(bound) => {
                let (claim, _) = self.theory.bounds[&p];
                let own = vec![(self.theory.form(of, s, t), term.to_owned())];
                let term = format!("({} {} {} {term})", claim_name(claim), event(s), event(t));
                self.open_within(p, HeldPair { of: bound, term: &term, ..pair }, state, rest, own)
            }
        }
    }

    /// What an expression is opened to at a pair, in a state.
    fn form_of(
        &mut self,
        of: TheoryExprId,
        [s, t]: [EventTerm; 2],
        state: &OpeningState,
    ) -> (TheoryFormula, usize) {
        let group = state.group.clone();
        let treat =
            |theory: &Theory, p: Pred, within: &[Pred]| treatment(theory, p, within, &group);
        let mut opening = Opening {
            treat: &treat,
            next: state.next,
            within: state.within.clone(),
            variables: None,
            left: MOST_SYMBOLS,
        };
        let form = self.theory.open(of, s, t, &mut opening);
        (form, opening.next - state.next)
    }

    /// The lemma that opens a symbol at a pair of any events, if it has several ways: it is written
    /// once. Returns its name, what holds at these events, and how many events are new.
    fn opened(
        &mut self,
        of: TheoryExprId,
        ends: [EventTerm; 2],
        state: &OpeningState,
    ) -> Result<Option<(String, TheoryFormula, usize)>, RocqFailure> {
        let (form, events) = self.form_of(of, ends, state);
        let has_ways = match &form {
            TheoryFormula::And(parts) => parts.iter().any(|p| matches!(p, TheoryFormula::Or(_))),
            form => matches!(form, TheoryFormula::Or(_)),
        };
        if !has_ways || ends[0] == ends[1] {
            return Ok(None);
        }
        let here = |canonical: &Opened| -> bool {
            let values: Vec<EventTerm> = ends
                .into_iter()
                .chain((0..events).map(|k| EventTerm::event(state.next + k)))
                .collect();
            canonical.events == events && same_at(&canonical.form, &form, &values)
        };
        let key = (of, state.group.clone(), state.within.clone());
        if let Some(known) = self.opened.get(&key).filter(|k| here(k)) {
            return Ok(Some((known.lemma.clone(), form, events)));
        }
        let (x, y) = (EventTerm::event(0), EventTerm::event(1));
        let mut own = OpeningState { next: 2, fresh: 0, ..state.clone() };
        let (canonical, events) = self.form_of(of, [x, y], &own);
        let found = Opened { lemma: format!("opened_{}", self.ways + 1), form: canonical, events };
        if !here(&found) {
            return Ok(None);
        }
        self.ways += 1;
        let all: Vec<String> = (2..2 + events).map(|e| event(EventTerm::event(e))).collect();
        let bound = if all.is_empty() {
            String::new()
        } else {
            format!("forall {} : Event, ", all.join(" "))
        };
        let TheoryExpr::Symbol(symbol) = self.theory.exprs.get(of) else {
            return Err(RocqFailure::mismatch("only symbols are opened by lemmas"));
        };
        let script = self.open_symbol(
            symbol,
            HeldPair { of, ends: [x, y], term: "holds" },
            &mut own,
            &mut |_, _, all_pieces| {
                let (form, term) = whole(&all_pieces);
                if form != found.form {
                    return Err(RocqMismatch::OpenedInTwoWays(None).into());
                }
                Ok(format!("exact (refute {} {term}).", all.join(" ")))
            },
        )?;
        self.text.names.extend(&self.theory);
        let statement = format!(
            "forall e0 e1 : Event, {} e0 e1 -> ({bound}{} -> False) -> False",
            self.text.within(&self.theory, of, 2),
            self.text.inner(&self.theory, &found.form, &event)
        );
        self.lemma(&found.lemma, &statement, &format!("intros e0 e1 holds refute.\n{script}"));
        let lemma = found.lemma.clone();
        self.opened.insert(key, found);
        Ok(Some((lemma, form, events)))
    }

    /// Opens what a symbol stands for, or what it is within. What is known besides is handed on
    /// with what holds there.
    fn open_within(
        &mut self,
        symbol: Pred,
        pair: HeldPair<'_>,
        state: &mut OpeningState,
        rest: RemainingTactics<'_>,
        own: Pieces,
    ) -> Result<String, RocqFailure> {
        state.within.push(symbol);
        self.open(pair, state, &mut |w, state, all| {
            // What comes later is not within the symbol.
            let at = state.within.pop();
            let done = rest(w, state, own.iter().cloned().chain(all).collect());
            state.within.extend(at);
            done
        })
        .inspect(|_| {
            state.within.pop();
        })
    }

    fn open_both(
        &mut self,
        parts: [(TheoryExprId, EventTerm, EventTerm); 2],
        term: &str,
        state: &mut OpeningState,
        rest: RemainingTactics<'_>,
    ) -> Result<String, RocqFailure> {
        let (left, right) = (state.name(), state.name());
        let [(a, s, t), (b, u, v)] = parts;
        let inner = self.open(
            HeldPair { of: a, ends: [s, t], term: &left.clone() },
            state,
            &mut |w, state, first| {
                w.open(
                    HeldPair { of: b, ends: [u, v], term: &right },
                    state,
                    &mut |w, state, second| {
                        rest(w, state, first.iter().cloned().chain(second).collect())
                    },
                )
            },
        )?;
        Ok(both(term, [&left, &right], &inner))
    }

    /// The members of a union of unions, each with the name of what holds there, and the pattern of
    /// `destruct` that gives these names.
    fn union_pattern(
        &self,
        of: TheoryExprId,
        state: &mut OpeningState,
        members: &mut Vec<(UnionSide, String)>,
    ) -> String {
        if let TheoryExpr::Union(a, b) = self.theory.exprs.get(of) {
            let [left, right] = [a, b].map(|part| self.union_pattern(part, state, members));
            return format!("[{left}|{right}]");
        }
        let name = state.name();
        members.push((UnionSide::In(of), name.clone()));
        name
    }

    /// All members of a union lead to one rest: a union of unions is taken apart at once, since
    /// each level would say again what holds.
    fn open_union(
        &mut self,
        members: &[(UnionSide, String)],
        s: EventTerm,
        t: EventTerm,
        (term, pattern): (&str, &str),
        state: &mut OpeningState,
        rest: RemainingTactics<'_>,
    ) -> Result<String, RocqFailure> {
        let start = state.next;
        let mut end = start;
        let mut forms = Vec::new();
        for &(member, _) in members {
            let (form, events) = match member {
                UnionSide::In(of) => self.form_of(of, [s, t], state),
                UnionSide::NotIn(of) => (self.theory.form(of, s, t).negated(), 0),
            };
            forms.push(form);
            end = end.max(start + events);
        }
        let form = TheoryFormula::or(forms.clone());
        let (goal, holds) = (state.name(), state.name());
        let events: Vec<String> = (start..end).map(|e| event(EventTerm::event(e))).collect();
        let mut after = OpeningState { next: end, ..state.clone() };
        let then = rest(self, &mut after, pieces(&form, &holds))?;
        state.fresh = after.fresh;
        let bound = if events.is_empty() {
            String::new()
        } else {
            format!("forall {} : Event, ", events.join(" "))
        };
        let typed = self.text.form(&self.theory, &form, &event);
        let mut branches = Vec::new();
        let total = alternatives(&form).len();
        let mut offset = 0;
        for ((member, name), own) in members.iter().zip(&forms) {
            let mut inner = OpeningState { next: start, ..state.clone() };
            let count = alternatives(own).len();
            let mut lead = |_: &mut Self, inner: &mut OpeningState, all: Pieces| {
                let pads: Vec<String> = (start..end)
                    .map(|e| event(if e < inner.next { EventTerm::event(e) } else { s }))
                    .collect();
                let (found, term) = whole(&all);
                if found != *own {
                    return Err(RocqMismatch::OpenedInTwoWays(None).into());
                }
                let held = match (&form, own) {
                    (TheoryFormula::Const(true), _) => "I".to_owned(),
                    (_, TheoryFormula::Const(false)) => return Ok(format!("exact {term}.")),
                    // The last alternatives are as they stand; others are followed by more.
                    _ if offset + count == total => behind(offset, &term),
                    _ => cases(&term, count, inner.fresh + 100, &mut |i, t| {
                        injection(offset + i, total, t)
                    }),
                };
                Ok(format!(
                    "exact ({goal} {}{held}).",
                    pads.iter().map(|p| format!("{p} ")).collect::<String>()
                ))
            };
            let branch = match *member {
                UnionSide::In(of) => {
                    self.open(HeldPair { of, ends: [s, t], term: name }, &mut inner, &mut lead)?
                }
                UnionSide::NotIn(of) => {
                    let all = self.absent(of, s, t, name)?;
                    lead(self, &mut inner, all)?
                }
            };
            state.fresh = inner.fresh;
            branches.push(format!("{{ {branch} }}"));
            offset += count;
        }
        state.next = end;
        Ok(format!(
            "assert ({goal} : {bound}({typed}) -> False).\n{{ intros {} {holds}. {then} }}\ndestruct {term} as {pattern}.\n{}",
            events.join(" "),
            branches.join("\n")
        ))
    }

    /// `s = t`, as it is kept.
    pub fn equality(&mut self, s: EventTerm, t: EventTerm, term: &str) -> Pieces {
        match TheoryFormula::lit(Lit::yes(EventAtom::binary(Pred::EQUAL, s, t))) {
            TheoryFormula::Const(true) => Vec::new(),
            form if t < s => vec![(form, format!("(eq_sym {term})"))],
            form => vec![(form, term.to_owned())],
        }
    }

    /// A pair that is not in a relation, taken apart as [`Theory::takes_away`] says; `term` proves
    /// that it is not.
    fn open_absent(
        &mut self,
        of: TheoryExprId,
        s: EventTerm,
        t: EventTerm,
        term: &str,
        state: &mut OpeningState,
        rest: RemainingTactics<'_>,
    ) -> Result<String, RocqFailure> {
        let Some((from, away)) = self.theory.takes_away(of) else {
            let all = self.absent(of, s, t, term)?;
            return rest(self, state, all);
        };
        let either = state.name();
        let parts = [(UnionSide::NotIn(from), state.name()), (UnionSide::In(away), state.name())];
        let pattern = format!("[{}|{}]", parts[0].1, parts[1].1);
        let then = self.open_union(&parts, s, t, (&either, &pattern), state, rest)?;
        let [from, away] = [from, away].map(|e| {
            format!("({} {} {})", self.text.within(&self.theory, e, 2), event(s), event(t))
        });
        Ok(format!("pose proof (not_taken {from} {away} {term}) as {either}.\n{then}"))
    }

    /// What follows where a pair is not in a relation.
    fn absent(
        &mut self,
        of: TheoryExprId,
        s: EventTerm,
        t: EventTerm,
        term: &str,
    ) -> Result<Pieces, RocqFailure> {
        let form = self.theory.form(of, s, t).negated();
        if form == TheoryFormula::Const(true) {
            return Ok(Vec::new());
        }
        let events = if s == t { vec![s] } else { vec![s, t] };
        let arity = if self.is_set(of) { 1 } else { 2 };
        let args = if arity == 1 { event(s) } else { format!("{} {}", event(s), event(t)) };
        let given = format!("~ {} {args}", self.text.within(&self.theory, of, arity));
        let wanted = self.text.form(&self.theory, &form, &event);
        let name = self.entails(&events, &given, &wanted);
        let args: Vec<String> = events.iter().map(|e| event(*e)).collect();
        Ok(pieces(&form, &format!("({name} {} {term})", args.join(" "))))
    }

    /// Is it a set? What may be either is taken for a relation.
    fn is_set(&self, of: TheoryExprId) -> bool {
        match self.theory.exprs.get(of) {
            TheoryExpr::Symbol(p) => self.theory.symbols.get(p).arity == 1,
            TheoryExpr::Union(a, b) | TheoryExpr::Intersection(a, b) => {
                self.is_set(a) || self.is_set(b)
            }
            TheoryExpr::Difference(a, _) => self.is_set(a),
            _ => false,
        }
    }
}
