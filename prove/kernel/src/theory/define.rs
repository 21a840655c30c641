//! What defined symbols mean, as clauses and existences: a closure contains what it is the closure
//! of, and composes.

use super::{ExistenceUse, SentenceReason, Theory};
use rustc_hash::FxHashSet;

use crate::logic::form::MOST_DISTRIBUTED;
use crate::logic::{
    EventAtom, EventTerm, Existence, Lit, Meaning, Pred, TheoryExpr, TheoryExprId, TheoryFormula,
};

/// A definition is taken apart by clauses up to this number, and else by cases.
const MOST_CLAUSES: usize = 8;

const X: EventTerm = EventTerm::variable(0);
const Y: EventTerm = EventTerm::variable(1);
const Z: EventTerm = EventTerm::variable(2);

impl Theory {
    /// The formula "the pair is in the relation", or "the event is in the set" (both terms the
    /// same). Sequences are symbols in it.
    pub fn form(&mut self, id: TheoryExprId, s: EventTerm, t: EventTerm) -> TheoryFormula {
        match self.exprs.get(id) {
            TheoryExpr::Empty => TheoryFormula::Const(false),
            TheoryExpr::All => TheoryFormula::Const(true),
            TheoryExpr::Symbol(p) => TheoryFormula::lit(Lit::yes(self.atom(p, s, t))),
            TheoryExpr::Union(a, b) => {
                self.form_of_two([(a, s, t), (b, s, t)], |[a, b]| TheoryFormula::or([a, b]))
            }
            TheoryExpr::Intersection(a, b) => {
                self.form_of_two([(a, s, t), (b, s, t)], |[a, b]| TheoryFormula::and([a, b]))
            }
            TheoryExpr::Difference(a, b) => self
                .form_of_two([(a, s, t), (b, s, t)], |[a, b]| TheoryFormula::and([a, b.negated()])),
            TheoryExpr::Product(a, b) => {
                self.form_of_two([(a, s, s), (b, t, t)], |[a, b]| TheoryFormula::and([a, b]))
            }
            TheoryExpr::Diagonal(a) => TheoryFormula::and([
                TheoryFormula::lit(Lit::yes(EventAtom::binary(Pred::EQUAL, s, t))),
                self.form(a, s, s),
            ]),
            TheoryExpr::Inverse(a) => self.form(a, t, s),
            TheoryExpr::Sequence(a, b) => {
                match (self.exprs.get(a), self.exprs.get(b)) {
                    (TheoryExpr::Diagonal(set), _) => self
                        .form_of_two([(set, s, s), (b, s, t)], |[a, b]| TheoryFormula::and([a, b])),
                    (_, TheoryExpr::Diagonal(set)) => self
                        .form_of_two([(a, s, t), (set, t, t)], |[a, b]| TheoryFormula::and([a, b])),
                    _ => {
                        let name = self.sequence_name(a, b);
                        TheoryFormula::lit(Lit::yes(EventAtom::binary(name, s, t)))
                    }
                }
            }
        }
    }

    /// The formula made of those of two expressions. If it had more clauses or cases than are made,
    /// the larger one of the two is a symbol in it, defined as that expression, and then the other
    /// one, too.
    fn form_of_two(
        &mut self,
        parts: [(TheoryExprId, EventTerm, EventTerm); 2],
        make: impl Fn([TheoryFormula; 2]) -> TheoryFormula,
    ) -> TheoryFormula {
        let mut forms = parts.map(|(id, s, t)| self.form(id, s, t));
        let [first, second] = forms.each_ref().map(|f| f.size().clauses.max(f.size().cases));
        for at in if first >= second { [0, 1] } else { [1, 0] } {
            if !make(forms.clone()).size().is_large() {
                break;
            }
            let (id, s, t) = parts[at];
            let name = self.part_name(id);
            forms[at] = TheoryFormula::lit(Lit::yes(self.atom(name, s, t)));
        }
        make(forms)
    }

    /// The symbol of a part of a large expression.
    fn part_name(&mut self, id: TheoryExprId) -> Pred {
        if let Some(known) = self.as_symbol(id) {
            return known;
        }
        let arity = if self.is_set(id) { 1 } else { 2 };
        self.named(self.exprs.get(id), false, Meaning::Defined(id), arity, |text| {
            format!("({text})")
        })
    }

    /// Is it a set? What may be either is taken for a relation.
    fn is_set(&self, id: TheoryExprId) -> bool {
        match self.exprs.get(id) {
            TheoryExpr::Symbol(p) => self.symbols.get(p).arity == 1,
            TheoryExpr::Union(a, b)
            | TheoryExpr::Intersection(a, b)
            | TheoryExpr::Difference(a, b) => self.is_set(a) || self.is_set(b),
            _ => false,
        }
    }

    /// The atom of a symbol.
    pub fn atom(&self, pred: Pred, s: EventTerm, t: EventTerm) -> EventAtom {
        if self.symbols.get(pred).arity == 1 {
            EventAtom::unary(pred, s)
        } else {
            EventAtom::binary(pred, s, t)
        }
    }

    /// The symbol of a sequence.
    pub fn sequence_name(&mut self, a: TheoryExprId, b: TheoryExprId) -> Pred {
        self.named(TheoryExpr::Sequence(a, b), false, Meaning::Sequence(a, b), 2, |text| text)
    }

    /// The symbol of a closure.
    pub fn closure_name(&mut self, r: TheoryExprId) -> Pred {
        let TheoryExpr::Symbol(p) = self.exprs.get(r) else {
            return self.named(self.exprs.get(r), true, Meaning::Closure(r), 2, |text| {
                format!("({text})+")
            });
        };
        self.named(TheoryExpr::Symbol(p), true, Meaning::Closure(r), 2, |text| format!("{text}+"))
    }

    /// The symbol of the domain or the range of a relation.
    pub fn end_name(&mut self, r: TheoryExprId, range: bool) -> Pred {
        let (meaning, word) =
            if range { (Meaning::Range(r), "range") } else { (Meaning::Domain(r), "domain") };
        let all = self.exprs.make(TheoryExpr::All);
        let key = if range { TheoryExpr::Product(all, r) } else { TheoryExpr::Product(r, all) };
        self.named(key, true, meaning, 1, |text| format!("{word}({text})"))
    }

    fn named(
        &mut self,
        key: TheoryExpr,
        other: bool,
        meaning: Meaning,
        arity: u8,
        name: impl Fn(String) -> String,
    ) -> Pred {
        if let Some(&known) = self.names.get(&(key, other)) {
            return known;
        }
        let text = match meaning {
            Meaning::Sequence(..) => {
                let id = self.exprs.make(key);
                self.text(id)
            }
            Meaning::Closure(r) | Meaning::Domain(r) | Meaning::Range(r) | Meaning::Defined(r) => {
                self.text(r)
            }
            _ => String::new(),
        };
        let pred = self.symbols.declare(&name(text), arity, meaning);
        self.names.insert((key, other), pred);
        pred
    }

    /// How far the other end of a relation is away.
    fn end_use(&self, r: TheoryExprId) -> ExistenceUse {
        match self.as_symbol(r) {
            Some(p) if self.symbols.rmw() == Some(p) => ExistenceUse::Steps(0),
            Some(_) => ExistenceUse::Steps(1),
            None => ExistenceUse::Steps(2),
        }
    }

    /// Is membership decided by the sets and base relations that its events are in, without looking
    /// at others?
    pub fn is_local(&self, pred: Pred) -> bool {
        let (mut seen, mut open) = (FxHashSet::default(), vec![TheoryExpr::Symbol(pred)]);
        while let Some(expr) = open.pop() {
            match expr {
                TheoryExpr::Empty | TheoryExpr::All => {}
                TheoryExpr::Symbol(p) => match self.symbols.get(p).meaning {
                    Meaning::Base => {}
                    // A definition that is used often is looked at once.
                    Meaning::Defined(body) if seen.insert(p) => open.push(self.exprs.get(body)),
                    Meaning::Defined(_) => {}
                    _ => return false,
                },
                TheoryExpr::Union(a, b)
                | TheoryExpr::Intersection(a, b)
                | TheoryExpr::Difference(a, b)
                | TheoryExpr::Product(a, b) => {
                    open.extend([a, b].map(|e| self.exprs.get(e)));
                }
                TheoryExpr::Diagonal(a) | TheoryExpr::Inverse(a) => open.push(self.exprs.get(a)),
                TheoryExpr::Sequence(a, b) => {
                    let parts = [a, b].map(|e| self.exprs.get(e));
                    if !parts.iter().any(|e| matches!(e, TheoryExpr::Diagonal(_))) {
                        return false;
                    }
                    open.extend(parts);
                }
            }
        }
        true
    }

    /// Is it program order: that of all events, or what a definition makes of it for the events of
    /// a source (`po & source * source`)?
    pub fn is_program_order(&self, pred: Pred) -> bool {
        if self.symbols.po() == Some(pred) {
            return true;
        }
        let Meaning::Defined(body) = self.symbols.get(pred).meaning else { return false };
        let is_one = |e: TheoryExprId| matches!(self.exprs.get(e), TheoryExpr::Symbol(p) if self.is_program_order(p));
        match self.exprs.get(body) {
            TheoryExpr::Intersection(a, b) => is_one(a) || is_one(b),
            _ => is_one(body),
        }
    }

    /// Gives a closure that has no name but its text the name of a definition.
    pub fn name_closure(&mut self, pred: Pred, name: &str) {
        let symbol = self.symbols.get(pred);
        if matches!(symbol.meaning, Meaning::Closure(_)) && symbol.is_text {
            self.symbols.rename(pred, name);
        }
    }

    /// Puts what a symbol means among the facts, once.
    pub fn explain(&mut self, pred: Pred) {
        if !self.explained.insert(pred) {
            return;
        }
        let reason = SentenceReason::Definition(pred);
        let arity = self.symbols.get(pred).arity;
        let own = |s: EventTerm, t: EventTerm| {
            if arity == 1 { EventAtom::unary(pred, s) } else { EventAtom::binary(pred, s, t) }
        };
        match self.symbols.get(pred).meaning {
            Meaning::Base => {}
            Meaning::Defined(body) | Meaning::Fixpoint(body, _) => {
                let t = if arity == 1 { X } else { Y };
                let (own, body) = (TheoryFormula::Lit(Lit::yes(own(X, t))), self.form(body, X, t));
                self.assume(&TheoryFormula::or([body.negated(), own.clone()]), &reason);
                let apart = TheoryFormula::or([own.negated(), body.clone()]);
                // Clauses of which others are a part are left out, so there may be many more
                // before.
                let apart = if apart.size().clauses > MOST_DISTRIBUTED {
                    None
                } else {
                    Some(minimal(apart.clauses()))
                };
                if let Some(apart) = apart.filter(|apart| apart.len() <= MOST_CLAUSES) {
                    apart.into_iter().for_each(|lits| self.assume_clause(lits, &reason));
                } else {
                    let existence = Existence {
                        guard: own.lits(),
                        variables: arity,
                        events: 0,
                        cases: body.cases(),
                    };
                    self.assume_existence(existence, &reason, ExistenceUse::Steps(0));
                }
            }
            Meaning::Sequence(a, b) => {
                let parts =
                    self.form_of_two([(a, X, Z), (b, Z, Y)], |[a, b]| TheoryFormula::and([a, b]));
                self.assume(
                    &TheoryFormula::or([parts.negated(), TheoryFormula::Lit(Lit::yes(own(X, Y)))]),
                    &reason,
                );
                let existence = Existence {
                    guard: vec![Lit::yes(own(X, Y))],
                    variables: 2,
                    events: 1,
                    cases: parts.cases(),
                };
                self.assume_existence(existence, &reason, ExistenceUse::OnRequest);
            }
            Meaning::Closure(r) => {
                let base = self.form(r, X, Y);
                let whole = |s, t| TheoryFormula::Lit(Lit::yes(own(s, t)));
                self.assume(&TheoryFormula::or([base.negated(), whole(X, Y)]), &reason);
                self.assume(
                    &TheoryFormula::or([whole(X, Z).negated(), whole(Z, Y).negated(), whole(X, Y)]),
                    &reason,
                );
            }
            Meaning::Domain(r) => {
                let there = self.form(r, X, Y);
                self.assume(
                    &TheoryFormula::or([there.negated(), TheoryFormula::Lit(Lit::yes(own(X, X)))]),
                    &reason,
                );
                let existence = Existence {
                    guard: vec![Lit::yes(own(X, X))],
                    variables: 1,
                    events: 1,
                    cases: there.cases(),
                };
                self.assume_existence(existence, &reason, self.end_use(r));
            }
            Meaning::Range(r) => {
                let there = self.form(r, Y, X);
                self.assume(
                    &TheoryFormula::or([there.negated(), TheoryFormula::Lit(Lit::yes(own(X, X)))]),
                    &reason,
                );
                let existence = Existence {
                    guard: vec![Lit::yes(own(X, X))],
                    variables: 1,
                    events: 1,
                    cases: there.cases(),
                };
                self.assume_existence(existence, &reason, self.end_use(r));
            }
        }
    }
}

/// Clauses without those that others imply.
fn minimal(clauses: Vec<Vec<Lit>>) -> Vec<Vec<Lit>> {
    let within = |a: &[Lit], b: &[Lit]| a.iter().all(|l| b.contains(l));
    let implied = |i: usize| {
        clauses.iter().enumerate().any(|(j, other)| {
            j != i && within(other, &clauses[i]) && (j < i || !within(&clauses[i], other))
        })
    };
    (0..clauses.len()).filter(|&i| !implied(i)).map(|i| clauses[i].clone()).collect()
}
