//! A pair of a relation, taken apart: the proof term that goes from `r x y` to the events and atoms that an obligation speaks of.
//! It does what [`Theory::open`] does, and ends by applying what refutes these.

use super::proven::{Pieces, alternatives, both, cases, either, injection, pieces, whole};
use super::text::event;
use super::writer::{Writer, claim_name};
use crate::logic::{Atom, Expr, ExprId, Form, Lit, Pred, Term};
use crate::search::houdini::treatment;
use crate::theory::{Opening, Theory, Treatment};

/// The rest of a term, of type False, given what holds.
pub type Rest<'a> = &'a mut dyn FnMut(&mut Writer, &mut State, Pieces) -> Result<String, String>;

/// Where an opening is.
#[derive(Debug, Clone)]
pub struct State {
    /// The number of the next new event.
    pub next: usize,
    /// The number of the next hypothesis.
    pub fresh: usize,
    /// The relations that are not opened.
    pub group: Vec<Pred>,
    pub(super) within: Vec<Pred>,
}

impl State {
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

impl Writer {
    /// The term of type False that opens `of` at a pair, of which `term` is the proof.
    pub fn open(
        &mut self,
        of: ExprId,
        s: Term,
        t: Term,
        term: &str,
        state: &mut State,
        rest: Rest<'_>,
    ) -> Result<String, String> {
        match self.theory.exprs.get(of) {
            Expr::Union(a, b) => self.open_union([a, b], s, t, term, state, rest),
            Expr::Intersection(a, b) => self.open_both([(a, s, t), (b, s, t)], term, state, rest),
            Expr::Product(a, b) => self.open_both([(a, s, s), (b, t, t)], term, state, rest),
            Expr::Difference(a, b) => {
                let (left, right) = (state.name(), state.name());
                let inner = self.open(a, s, t, &left.clone(), state, &mut |w, state, mut all| {
                    all.extend(w.absent(b, s, t, &right)?);
                    rest(w, state, all)
                })?;
                Ok(both(term, [&left, &right], &inner))
            }
            Expr::Sequence(a, b) => match (self.theory.exprs.get(a), self.theory.exprs.get(b)) {
                (Expr::Diagonal(set), _) => self.open_both([(set, s, s), (b, s, t)], term, state, rest),
                (_, Expr::Diagonal(set)) => self.open_both([(a, s, t), (set, t, t)], term, state, rest),
                _ => {
                    let between = Term::event(state.next);
                    state.next += 1;
                    let pair = state.name();
                    let inner = self.open_both([(a, s, between), (b, between, t)], &pair, state, rest)?;
                    Ok(format!("(some {term} (fun {} {pair} => {inner}))", event(between)))
                }
            },
            Expr::Inverse(a) => self.open(a, t, s, term, state, rest),
            Expr::Diagonal(a) => {
                let (same, member) = (state.name(), state.name());
                let equal = self.equality(s, t, &same);
                let inner = self.open(a, s, s, &member.clone(), state, &mut |w, state, all| {
                    rest(w, state, equal.iter().cloned().chain(all).collect())
                })?;
                Ok(both(term, [&same, &member], &inner))
            }
            Expr::Symbol(p) if p != Pred::EQUAL => match treatment(&self.theory, p, &state.within, &state.group) {
                Treatment::Keep => self.keep(of, s, t, term, state, rest),
                Treatment::Replace(body) => self.open_within(p, body, s, t, term, state, rest, Vec::new()),
                Treatment::Within(bound) => {
                    let (claim, _) = self.theory.bounds[&p];
                    let own = vec![(self.theory.form(of, s, t), term.to_owned())];
                    let term = format!("({} {} {} {term})", claim_name(claim), event(s), event(t));
                    self.open_within(p, bound, s, t, &term, state, rest, own)
                }
            },
            Expr::Symbol(_) => {
                let equal = self.equality(s, t, term);
                rest(self, state, equal)
            }
            Expr::Empty | Expr::All => self.keep(of, s, t, term, state, rest),
        }
    }

    fn keep(&mut self, of: ExprId, s: Term, t: Term, term: &str, state: &mut State, rest: Rest<'_>) -> Result<String, String> {
        let form = self.theory.form(of, s, t);
        rest(self, state, pieces(&form, term))
    }

    #[allow(clippy::too_many_arguments)]
    fn open_within(
        &mut self,
        symbol: Pred,
        other: ExprId,
        s: Term,
        t: Term,
        term: &str,
        state: &mut State,
        rest: Rest<'_>,
        own: Pieces,
    ) -> Result<String, String> {
        state.within.push(symbol);
        self.open(other, s, t, term, state, &mut |w, state, all| {
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
        parts: [(ExprId, Term, Term); 2],
        term: &str,
        state: &mut State,
        rest: Rest<'_>,
    ) -> Result<String, String> {
        let (left, right) = (state.name(), state.name());
        let [(a, s, t), (b, u, v)] = parts;
        let inner = self.open(a, s, t, &left.clone(), state, &mut |w, state, first| {
            w.open(b, u, v, &right, state, &mut |w, state, second| rest(w, state, first.iter().cloned().chain(second).collect()))
        })?;
        Ok(both(term, [&left, &right], &inner))
    }

    /// Both members of a union lead to one rest.
    fn open_union(
        &mut self,
        parts: [ExprId; 2],
        s: Term,
        t: Term,
        term: &str,
        state: &mut State,
        rest: Rest<'_>,
    ) -> Result<String, String> {
        let start = state.next;
        let mut end = start;
        let mut forms = Vec::new();
        for part in parts {
            let group = state.group.clone();
            let treat = |theory: &Theory, p: Pred, within: &[Pred]| treatment(theory, p, within, &group);
            let mut opening = Opening { treat: &treat, next: start, within: state.within.clone(), variables: None };
            forms.push(self.theory.open(part, s, t, &mut opening));
            end = end.max(opening.next);
        }
        let form = Form::or(forms.clone());
        let (goal, holds) = (state.name(), state.name());
        let events: Vec<String> = (start..end).map(|e| event(Term::event(e))).collect();
        let mut after = State { next: end, ..state.clone() };
        let then = rest(self, &mut after, pieces(&form, &holds))?;
        state.fresh = after.fresh;
        let binder = if events.is_empty() { String::new() } else { format!("({} : Event) ", events.join(" ")) };
        let typed = self.text.form(&self.theory, &form, &event);
        let mut branches = Vec::new();
        let total = alternatives(&form).len();
        let mut offset = 0;
        for (part, own) in parts.into_iter().zip(&forms) {
            let name = state.name();
            let mut inner = State { next: start, ..state.clone() };
            let count = alternatives(own).len();
            let branch = self.open(part, s, t, &name, &mut inner, &mut |_, inner, all| {
                let pads: Vec<String> = (start..end).map(|e| event(if e < inner.next { Term::event(e) } else { s })).collect();
                let (found, term) = whole(&all);
                if found != *own {
                    return Err("a relation was opened in two ways".to_owned());
                }
                let held = match (&form, own) {
                    (Form::Const(true), _) => "I".to_owned(),
                    (_, Form::Const(false)) => return Ok(term),
                    _ => cases(&term, count, inner.fresh + 100, &mut |i, t| injection(offset + i, total, t)),
                };
                Ok(format!("({goal} {}{held})", pads.iter().map(|p| format!("{p} ")).collect::<String>()))
            })?;
            state.fresh = inner.fresh;
            branches.push((name, branch));
            offset += count;
        }
        state.next = end;
        let [(left, first), (right, second)] = &branches[..] else { return Err("a union has two members".to_owned()) };
        let split = either(term, [left, first], [right, second]);
        Ok(format!("(let {goal} := fun {binder}({holds} : {typed}) => {then} in\n  {split})"))
    }

    /// `s = t`, as it is kept.
    pub fn equality(&mut self, s: Term, t: Term, term: &str) -> Pieces {
        match Form::lit(Lit::yes(Atom::binary(Pred::EQUAL, s, t))) {
            Form::Const(true) => Vec::new(),
            form if t < s => vec![(form, format!("(eq_sym {term})"))],
            form => vec![(form, term.to_owned())],
        }
    }

    /// What follows where a pair is not in a relation.
    fn absent(&mut self, of: ExprId, s: Term, t: Term, term: &str) -> Result<Pieces, String> {
        let form = self.theory.form(of, s, t).negated();
        if form == Form::Const(true) {
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
    fn is_set(&self, of: ExprId) -> bool {
        match self.theory.exprs.get(of) {
            Expr::Symbol(p) => self.theory.symbols.get(p).arity == 1,
            Expr::Union(a, b) | Expr::Intersection(a, b) => self.is_set(a) || self.is_set(b),
            Expr::Difference(a, _) => self.is_set(a),
            _ => false,
        }
    }
}
