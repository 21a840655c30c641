//! What defined symbols mean, as clauses and existences: a closure contains what it is the closure of, and composes.

use super::{ExistenceUse, Reason, Theory};
use rustc_hash::FxHashSet;

use crate::logic::form::MOST_DISTRIBUTED;
use crate::logic::{Atom, Existence, Expr, ExprId, Form, Lit, Meaning, Pred, Term};

/// A definition is taken apart by clauses up to this number, and else by cases.
const MOST_CLAUSES: usize = 8;

const X: Term = Term::variable(0);
const Y: Term = Term::variable(1);
const Z: Term = Term::variable(2);

impl Theory {
    /// The formula "the pair is in the relation", or "the event is in the set" (both terms the same). Sequences are symbols in it.
    pub fn form(&mut self, id: ExprId, s: Term, t: Term) -> Form {
        match self.exprs.get(id) {
            Expr::Empty => Form::Const(false),
            Expr::All => Form::Const(true),
            Expr::Symbol(p) => Form::lit(Lit::yes(self.atom(p, s, t))),
            Expr::Union(a, b) => self.form_of_two([(a, s, t), (b, s, t)], |[a, b]| Form::or([a, b])),
            Expr::Intersection(a, b) => self.form_of_two([(a, s, t), (b, s, t)], |[a, b]| Form::and([a, b])),
            Expr::Difference(a, b) => self.form_of_two([(a, s, t), (b, s, t)], |[a, b]| Form::and([a, b.negated()])),
            Expr::Product(a, b) => self.form_of_two([(a, s, s), (b, t, t)], |[a, b]| Form::and([a, b])),
            Expr::Diagonal(a) => Form::and([Form::lit(Lit::yes(Atom::binary(Pred::EQUAL, s, t))), self.form(a, s, s)]),
            Expr::Inverse(a) => self.form(a, t, s),
            Expr::Sequence(a, b) => match (self.exprs.get(a), self.exprs.get(b)) {
                (Expr::Diagonal(set), _) => self.form_of_two([(set, s, s), (b, s, t)], |[a, b]| Form::and([a, b])),
                (_, Expr::Diagonal(set)) => self.form_of_two([(a, s, t), (set, t, t)], |[a, b]| Form::and([a, b])),
                _ => {
                    let name = self.sequence_name(a, b);
                    Form::lit(Lit::yes(Atom::binary(name, s, t)))
                }
            },
        }
    }

    /// The formula made of those of two expressions. If it had more clauses or cases than are made, the larger one of the two is a symbol in
    /// it, defined as that expression, and then the other one, too.
    fn form_of_two(&mut self, parts: [(ExprId, Term, Term); 2], make: impl Fn([Form; 2]) -> Form) -> Form {
        let mut forms = parts.map(|(id, s, t)| self.form(id, s, t));
        let [first, second] = forms.each_ref().map(|f| f.size().clauses.max(f.size().cases));
        for at in if first >= second { [0, 1] } else { [1, 0] } {
            if !make(forms.clone()).size().is_large() {
                break;
            }
            let (id, s, t) = parts[at];
            let name = self.part_name(id);
            forms[at] = Form::lit(Lit::yes(self.atom(name, s, t)));
        }
        make(forms)
    }

    /// The symbol of a part of a large expression.
    fn part_name(&mut self, id: ExprId) -> Pred {
        if let Some(known) = self.as_symbol(id) {
            return known;
        }
        let arity = if self.is_set(id) { 1 } else { 2 };
        self.named(self.exprs.get(id), false, Meaning::Defined(id), arity, |text| format!("({text})"))
    }

    /// Is it a set? What may be either is taken for a relation.
    fn is_set(&self, id: ExprId) -> bool {
        match self.exprs.get(id) {
            Expr::Symbol(p) => self.symbols.get(p).arity == 1,
            Expr::Union(a, b) | Expr::Intersection(a, b) | Expr::Difference(a, b) => self.is_set(a) || self.is_set(b),
            _ => false,
        }
    }

    /// The atom of a symbol.
    pub fn atom(&self, pred: Pred, s: Term, t: Term) -> Atom {
        if self.symbols.get(pred).arity == 1 { Atom::unary(pred, s) } else { Atom::binary(pred, s, t) }
    }

    /// The symbol of a sequence.
    pub fn sequence_name(&mut self, a: ExprId, b: ExprId) -> Pred {
        self.named(Expr::Sequence(a, b), false, Meaning::Sequence(a, b), 2, |text| text)
    }

    /// The symbol of a closure.
    pub fn closure_name(&mut self, r: ExprId) -> Pred {
        let Expr::Symbol(p) = self.exprs.get(r) else {
            return self.named(self.exprs.get(r), true, Meaning::Closure(r), 2, |text| format!("({text})+"));
        };
        self.named(Expr::Symbol(p), true, Meaning::Closure(r), 2, |text| format!("{text}+"))
    }

    /// The symbol of the domain or the range of a relation.
    pub fn end_name(&mut self, r: ExprId, range: bool) -> Pred {
        let (meaning, word) = if range { (Meaning::Range(r), "range") } else { (Meaning::Domain(r), "domain") };
        let all = self.exprs.make(Expr::All);
        let key = if range { Expr::Product(all, r) } else { Expr::Product(r, all) };
        self.named(key, true, meaning, 1, |text| format!("{word}({text})"))
    }

    fn named(&mut self, key: Expr, other: bool, meaning: Meaning, arity: u8, name: impl Fn(String) -> String) -> Pred {
        if let Some(&known) = self.names.get(&(key, other)) {
            return known;
        }
        let text = match meaning {
            Meaning::Sequence(..) => {
                let id = self.exprs.make(key);
                self.text(id)
            }
            Meaning::Closure(r) | Meaning::Domain(r) | Meaning::Range(r) | Meaning::Defined(r) => self.text(r),
            _ => String::new(),
        };
        let pred = self.symbols.declare(&name(text), arity, meaning);
        self.names.insert((key, other), pred);
        pred
    }

    /// How far the other end of a relation is away.
    fn end_use(&self, r: ExprId) -> ExistenceUse {
        match self.as_symbol(r) {
            Some(p) if self.symbols.named("rmw") == Some(p) => ExistenceUse::Steps(0),
            Some(_) => ExistenceUse::Steps(1),
            None => ExistenceUse::Steps(2),
        }
    }

    /// Is membership decided by the sets and base relations that its events are in, without looking at others?
    pub fn is_local(&self, pred: Pred) -> bool {
        let (mut seen, mut open) = (FxHashSet::default(), vec![Expr::Symbol(pred)]);
        while let Some(expr) = open.pop() {
            match expr {
                Expr::Empty | Expr::All => {}
                Expr::Symbol(p) => match self.symbols.get(p).meaning {
                    Meaning::Base => {}
                    // A definition that is used often is looked at once.
                    Meaning::Defined(body) if seen.insert(p) => open.push(self.exprs.get(body)),
                    Meaning::Defined(_) => {}
                    _ => return false,
                },
                Expr::Union(a, b) | Expr::Intersection(a, b) | Expr::Difference(a, b) | Expr::Product(a, b) => {
                    open.extend([a, b].map(|e| self.exprs.get(e)));
                }
                Expr::Diagonal(a) | Expr::Inverse(a) => open.push(self.exprs.get(a)),
                Expr::Sequence(a, b) => {
                    let parts = [a, b].map(|e| self.exprs.get(e));
                    if !parts.iter().any(|e| matches!(e, Expr::Diagonal(_))) {
                        return false;
                    }
                    open.extend(parts);
                }
            }
        }
        true
    }

    /// Is it program order: that of all events, or what a definition makes of it for the events of a source (`po & source * source`)?
    pub fn is_program_order(&self, pred: Pred) -> bool {
        if self.symbols.named("po") == Some(pred) {
            return true;
        }
        let Meaning::Defined(body) = self.symbols.get(pred).meaning else { return false };
        let is_one = |e: ExprId| matches!(self.exprs.get(e), Expr::Symbol(p) if self.is_program_order(p));
        match self.exprs.get(body) {
            Expr::Intersection(a, b) => is_one(a) || is_one(b),
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
        let reason = Reason::Definition(pred);
        let arity = self.symbols.get(pred).arity;
        let own = |s: Term, t: Term| if arity == 1 { Atom::unary(pred, s) } else { Atom::binary(pred, s, t) };
        match self.symbols.get(pred).meaning {
            Meaning::Base => {}
            Meaning::Defined(body) | Meaning::Fixpoint(body, _) => {
                let t = if arity == 1 { X } else { Y };
                let (own, body) = (Form::Lit(Lit::yes(own(X, t))), self.form(body, X, t));
                self.assume(&Form::or([body.negated(), own.clone()]), &reason);
                let apart = Form::or([own.negated(), body.clone()]);
                // Clauses of which others are a part are left out, so there may be many more before.
                let apart = if apart.size().clauses > MOST_DISTRIBUTED { None } else { Some(minimal(apart.clauses())) };
                if let Some(apart) = apart.filter(|apart| apart.len() <= MOST_CLAUSES) {
                    apart.into_iter().for_each(|lits| self.assume_clause(lits, &reason));
                } else {
                    let existence = Existence { guard: own.lits(), variables: arity, events: 0, cases: body.cases() };
                    self.assume_existence(existence, &reason, ExistenceUse::Steps(0));
                }
            }
            Meaning::Sequence(a, b) => {
                let parts = self.form_of_two([(a, X, Z), (b, Z, Y)], |[a, b]| Form::and([a, b]));
                self.assume(&Form::or([parts.negated(), Form::Lit(Lit::yes(own(X, Y)))]), &reason);
                let existence = Existence { guard: vec![Lit::yes(own(X, Y))], variables: 2, events: 1, cases: parts.cases() };
                self.assume_existence(existence, &reason, ExistenceUse::OnRequest);
            }
            Meaning::Closure(r) => {
                let base = self.form(r, X, Y);
                let whole = |s, t| Form::Lit(Lit::yes(own(s, t)));
                self.assume(&Form::or([base.negated(), whole(X, Y)]), &reason);
                self.assume(&Form::or([whole(X, Z).negated(), whole(Z, Y).negated(), whole(X, Y)]), &reason);
            }
            Meaning::Domain(r) => {
                let there = self.form(r, X, Y);
                self.assume(&Form::or([there.negated(), Form::Lit(Lit::yes(own(X, X)))]), &reason);
                let existence = Existence { guard: vec![Lit::yes(own(X, X))], variables: 1, events: 1, cases: there.cases() };
                self.assume_existence(existence, &reason, self.end_use(r));
            }
            Meaning::Range(r) => {
                let there = self.form(r, Y, X);
                self.assume(&Form::or([there.negated(), Form::Lit(Lit::yes(own(X, X)))]), &reason);
                let existence = Existence { guard: vec![Lit::yes(own(X, X))], variables: 1, events: 1, cases: there.cases() };
                self.assume_existence(existence, &reason, self.end_use(r));
            }
        }
    }
}

/// Clauses without those that others imply.
fn minimal(clauses: Vec<Vec<Lit>>) -> Vec<Vec<Lit>> {
    let within = |a: &[Lit], b: &[Lit]| a.iter().all(|l| b.contains(l));
    let implied = |i: usize| {
        clauses
            .iter()
            .enumerate()
            .any(|(j, other)| j != i && within(other, &clauses[i]) && (j < i || !within(&clauses[i], other)))
    };
    (0..clauses.len()).filter(|&i| !implied(i)).map(|i| clauses[i].clone()).collect()
}
