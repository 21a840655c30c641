//! Expressions, literals, formulas and claims as terms of Rocq.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::names::SymbolNames;
use margay_theorem::argument::Claim;
use margay_theorem::argument::Property;
use margay_theorem::logic::{
    EventAtom, EventTerm, Lit, Meaning, Pred, TheoryExpr, TheoryExprId, TheoryFormula,
};
use margay_theorem::theory::Theory;

/// Writes terms, and keeps which symbols they name.
#[derive(Debug, Default)]
pub struct RocqText {
    pub names: SymbolNames,
    used: RefCell<BTreeSet<Pred>>,
}

pub type Called<'a> = &'a dyn Fn(EventTerm) -> String;

/// The name of an event in a proof: `x0`, `x1` for variables, `e0`, `e1` for events.
pub fn event(term: EventTerm) -> String {
    match term.as_variable() {
        Some(v) => format!("x{v}"),
        None => format!("e{}", term.index()),
    }
}

impl RocqText {
    /// Of a theory's symbols.
    pub fn of(theory: &Theory) -> Self {
        Self { names: SymbolNames::of(theory), used: RefCell::default() }
    }

    /// The symbols that were named so far.
    pub fn used(&self) -> BTreeSet<Pred> {
        self.used.borrow().clone()
    }

    /// A symbol, as a term that needs no parentheses.
    pub fn symbol(&self, theory: &Theory, pred: Pred) -> String {
        if let Some(name) = self.names.get(pred) {
            self.used.borrow_mut().insert(pred);
            return name.to_owned();
        }
        match theory.symbols.get(pred).meaning {
            Meaning::Sequence(a, b) => {
                format!("({} ⨾ {})", self.within(theory, a, 2), self.within(theory, b, 2))
            }
            Meaning::Closure(r) => format!("({}⁺)", self.within(theory, r, 2)),
            Meaning::Domain(r) => format!("(domain {})", self.within(theory, r, 2)),
            Meaning::Range(r) => format!("(range {})", self.within(theory, r, 2)),
            Meaning::Base | Meaning::Defined(_) | Meaning::Fixpoint(..) => "(@eq Event)".to_owned(),
        }
    }

    /// An expression as a term that needs no parentheses; `arity` is 1 for a set.
    pub fn within(&self, theory: &Theory, id: TheoryExprId, arity: u8) -> String {
        let text = self.expr(theory, id, arity);
        match theory.exprs.get(id) {
            TheoryExpr::Empty
            | TheoryExpr::All
            | TheoryExpr::Symbol(_)
            | TheoryExpr::Diagonal(_) => text,
            _ => format!("({text})"),
        }
    }

    /// `arity` is 1 for a set, 2 for a relation.
    pub fn expr(&self, theory: &Theory, id: TheoryExprId, arity: u8) -> String {
        let sub = |e: TheoryExprId, arity: u8| self.within(theory, e, arity);
        let sets = if arity == 1 { "₁" } else { "" };
        match theory.exprs.get(id) {
            TheoryExpr::Empty => if arity == 1 { "no_events" } else { "no_pairs" }.to_owned(),
            TheoryExpr::All => if arity == 1 { "all_events" } else { "all_pairs" }.to_owned(),
            TheoryExpr::Symbol(p) => self.symbol(theory, p),
            TheoryExpr::Union(a, b) => {
                // Unions to the left need no parentheses.
                let left = if matches!(theory.exprs.get(a), TheoryExpr::Union(..)) {
                    self.expr(theory, a, arity)
                } else {
                    sub(a, arity)
                };
                format!("{left} ∪{sets} {}", sub(b, arity))
            }
            TheoryExpr::Intersection(a, b) => {
                format!("{} ∩{sets} {}", sub(a, arity), sub(b, arity))
            }
            TheoryExpr::Difference(a, b) => format!("{} \\{sets} {}", sub(a, arity), sub(b, arity)),
            TheoryExpr::Sequence(a, b) => match (theory.exprs.get(a), theory.exprs.get(b)) {
                (TheoryExpr::Diagonal(set), _) => format!("{} ◁ {}", sub(set, 1), sub(b, 2)),
                (_, TheoryExpr::Diagonal(set)) => format!("{} ▷ {}", sub(a, 2), sub(set, 1)),
                _ => format!("{} ⨾ {}", sub(a, 2), sub(b, 2)),
            },
            TheoryExpr::Product(a, b) => format!("{} × {}", sub(a, 1), sub(b, 1)),
            TheoryExpr::Diagonal(a) => format!("⦗{}⦘", self.expr(theory, a, 1)),
            TheoryExpr::Inverse(a) => format!("{}⁻¹", sub(a, 2)),
        }
    }

    /// A predicate of some events, as the arguments are given.
    pub fn raw_atom(&self, theory: &Theory, atom: EventAtom, called: Called<'_>) -> String {
        let [a, b] = atom.args;
        if atom.pred == Pred::EQUAL {
            return format!("{} = {}", called(a), called(b));
        }
        let name = self.symbol(theory, atom.pred);
        if theory.symbols.get(atom.pred).arity == 1 {
            format!("{name} {}", called(a))
        } else {
            format!("{name} {} {}", called(a), called(b))
        }
    }

    /// A literal.
    pub fn lit(&self, theory: &Theory, lit: Lit, called: Called<'_>) -> String {
        let atom = self.raw_atom(theory, lit.atom, called);
        if lit.positive { atom } else { format!("~ {atom}") }
    }

    /// Without parentheses around the whole.
    pub fn form(&self, theory: &Theory, form: &TheoryFormula, called: Called<'_>) -> String {
        let chain = |parts: &[TheoryFormula], sign: &str| {
            let texts: Vec<String> = parts.iter().map(|p| self.inner(theory, p, called)).collect();
            texts.join(sign)
        };
        match form {
            TheoryFormula::Const(true) => "True".to_owned(),
            TheoryFormula::Const(false) => "False".to_owned(),
            TheoryFormula::Lit(lit) => self.lit(theory, *lit, called),
            // Both associate to the right.
            TheoryFormula::And(parts) => chain(parts, " /\\ "),
            TheoryFormula::Or(parts) => chain(parts, " \\/ "),
        }
    }

    /// A formula in parentheses, if it needs them.
    pub fn inner(&self, theory: &Theory, form: &TheoryFormula, called: Called<'_>) -> String {
        let text = self.form(theory, form, called);
        if matches!(form, TheoryFormula::And(_) | TheoryFormula::Or(_)) {
            format!("({text})")
        } else {
            text
        }
    }

    /// A clause as an implication: the negated literals are premises.
    pub fn clause(&self, theory: &Theory, lits: &[Lit], called: Called<'_>) -> String {
        let premises = lits
            .iter()
            .filter(|l| !l.positive)
            .map(|l| format!("{} -> ", self.raw_atom(theory, l.atom, called)));
        let conclusions: Vec<String> = lits
            .iter()
            .filter(|l| l.positive)
            .map(|l| self.raw_atom(theory, l.atom, called))
            .collect();
        let then =
            if conclusions.is_empty() { "False".to_owned() } else { conclusions.join(" \\/ ") };
        premises.collect::<String>() + &then
    }

    /// A clause of all events.
    pub fn closed_clause(&self, theory: &Theory, lits: &[Lit], variables: u8) -> String {
        let text = self.clause(theory, lits, &event);
        if variables == 0 {
            return text;
        }
        let all: Vec<String> = (0..variables).map(|v| format!("x{v}")).collect();
        format!("forall {} : Event, {text}", all.join(" "))
    }

    pub fn claim(&self, theory: &Theory, claim: &Claim) -> String {
        match claim {
            Claim::Pairs { of, property } => {
                let property = self.property(theory, property, "x0", "x1");
                format!("forall x0 x1, {} x0 x1 -> {property}", self.symbol(theory, *of))
            }
            Claim::Within(a, b) => {
                format!(
                    "forall x0 x1, {} x0 x1 -> {} x0 x1",
                    self.within(theory, *a, 2),
                    self.within(theory, *b, 2)
                )
            }
            Claim::Irreflexive(e) => format!("irreflexive {}", self.within(theory, *e, 2)),
            Claim::Empty(e, true) => format!("no_event {}", self.within(theory, *e, 1)),
            Claim::Empty(e, false) => format!("empty {}", self.within(theory, *e, 2)),
            Claim::Acyclic(e) => format!("acyclic {}", self.within(theory, *e, 2)),
        }
    }

    /// A property of a pair.
    pub fn property(&self, theory: &Theory, property: &Property, x: &str, y: &str) -> String {
        match property {
            Property::Clause(lits) => {
                let more = more_variables(lits);
                let called = |t: EventTerm| match t.as_variable() {
                    Some(0) => x.to_owned(),
                    Some(1) => y.to_owned(),
                    Some(v) => format!("z{v}"),
                    None => event(t),
                };
                let text = self.clause(theory, lits, &called);
                let bound: Vec<String> = (2..2 + more).map(|v| format!("z{v}")).collect();
                if more == 0 {
                    format!("({text})")
                } else {
                    format!("(forall {} : Event, {text})", bound.join(" "))
                }
            }
            Property::Within(bound) => format!("{} {x} {y}", self.within(theory, *bound, 2)),
        }
    }
}

/// How many variables a property has besides the ends of the pair.
pub fn more_variables(lits: &[Lit]) -> usize {
    let most = lits.iter().flat_map(|l| l.atom.args).filter_map(EventTerm::as_variable).max();
    most.map_or(0, |v| usize::from(v) + 1).saturating_sub(2)
}
