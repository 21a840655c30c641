//! Executions that satisfy all that a theorem supposes. Without one the theorem would be empty:
//! sentences that contradict each other prove anything. An inhabitant is a whole execution: of its
//! base sets and relations everything else is computed, closures and recursive relations as the
//! least ones, and then every sentence is looked at, those that claim that something exists
//! included.

use std::collections::BTreeMap;
use std::fmt;

use crate::ground::{Structure, matches, violations};
use crate::logic::clause::{MAX_EVENTS, implication, variable_name};
use crate::logic::{
    EventAtom, EventTerm, Lit, Meaning, Pred, TheoryExpr, TheoryExprId, TheoryFormula,
};
use crate::theory::{StopSignal, Theory};

/// A finite execution, by its base sets and relations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inhabitant {
    /// What it shows to be possible: the name of a role, or of a shape.
    pub shows: String,
    /// The number of events.
    pub events: usize,
    /// What holds: the name of a base set or relation, and two events (twice the same of a set).
    pub atoms: Vec<(String, [usize; 2])>,
}

/// Why an execution satisfies not all that is supposed, or is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InhabitantFlaw {
    /// It has none of what it is to show: which.
    ShowsNothing(String),
    /// A sentence about all events is violated: which.
    Untrue(String),
    /// Something that must exist is not there: the sentence that says so.
    Missing(String),
    /// It has no events, or more than there are numbers for.
    NumberOfEvents(usize),
    /// A name that is no base set or relation, or an event that is not there.
    NothingToHold { name: String, events: [usize; 2] },
}

impl fmt::Display for InhabitantFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ShowsNothing(what) => write!(f, "it does not show `{what}`"),
            Self::Untrue(sentence) => write!(f, "`{sentence}` is not true in it"),
            Self::Missing(sentence) => write!(f, "what must exist by `{sentence}` is not in it"),
            Self::NumberOfEvents(events) => write!(f, "it has {events} events"),
            Self::NothingToHold { name, events: [a, b] } => {
                write!(f, "`{name}` of {a} and {b} is nothing that could hold")
            }
        }
    }
}

impl std::error::Error for InhabitantFlaw {}

/// Events in a row of related pairs: each row is a word of bits; of a set row `e` has the bit `e`.
type InhabitantRows = Vec<u128>;

impl Inhabitant {
    /// Does everything that is supposed hold in it, and a formula about its first events?
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self, theory: &Theory, form: &TheoryFormula) -> Result<(), InhabitantFlaw> {
        let structure = self.structure(theory)?;
        let holds = |l: &Lit, at: &[EventTerm]| structure.holds(l.with(at).atom) == l.positive;
        if form.lits().iter().any(|l| l.atom.args.iter().any(|t| t.index() >= self.events))
            || !is_true(form, &structure)
        {
            return Err(InhabitantFlaw::ShowsNothing(self.shows.clone()));
        }
        // A check that ended early would accept what it had not looked at.
        let never = StopSignal::default();
        for fact in &theory.facts {
            let mut untrue = false;
            violations(&structure, &fact.clause, &never, &mut |_| {
                untrue = true;
                false
            });
            if untrue {
                return Err(InhabitantFlaw::Untrue(implication(
                    &theory.symbols,
                    &fact.clause.lits,
                    &variable_name,
                )));
            }
        }
        for source in &theory.sources {
            let existence = &source.existence;
            let mut missing = false;
            matches(
                &structure,
                existence.variables,
                &existence.guard,
                &never,
                &mut |at: &[EventTerm]| {
                    missing = !lists(self.events, existence.events.into()).iter().any(|more| {
                        let at: Vec<EventTerm> = at.iter().chain(more).copied().collect();
                        existence.cases.iter().any(|case| case.iter().all(|l| holds(l, &at)))
                    });
                    !missing
                },
            );
            if missing {
                let guard: Vec<Lit> = existence.guard.iter().map(|l| !*l).collect();
                return Err(InhabitantFlaw::Missing(implication(
                    &theory.symbols,
                    &guard,
                    &variable_name,
                )));
            }
        }
        Ok(())
    }

    /// All sets and relations of the theory: what is defined is computed.
    ///
    /// # Errors
    /// A name that is no base set or relation, an event that is not there.
    pub fn structure(&self, theory: &Theory) -> Result<Structure, InhabitantFlaw> {
        if self.events == 0 || self.events > MAX_EVENTS {
            return Err(InhabitantFlaw::NumberOfEvents(self.events));
        }
        let mut values = InhabitantValues::new(theory, self.events);
        for (name, [a, b]) in &self.atoms {
            let pred = theory.symbols.shown(name).filter(|&p| {
                let symbol = theory.symbols.get(p);
                p != Pred::EQUAL && symbol.meaning == Meaning::Base && (symbol.arity == 2 || a == b)
            });
            let pred = pred.filter(|_| *a < self.events && *b < self.events);
            let pred = pred.ok_or_else(|| InhabitantFlaw::NothingToHold {
                name: name.clone(),
                events: [*a, *b],
            })?;
            values.known.get_mut(&pred).expect("base symbols have values")[*a] |= 1 << b;
        }
        let mut structure = Structure::new(theory.symbols.len(), self.events);
        for (pred, symbol) in theory.symbols.iter().filter(|(p, _)| *p != Pred::EQUAL) {
            let rows = values.of(pred);
            for (a, row) in rows.iter().enumerate() {
                let row = if symbol.arity == 1 { row & 1 << a } else { *row };
                for b in (0..self.events).filter(|b| row >> b & 1 == 1) {
                    structure.insert(EventAtom {
                        pred,
                        args: [EventTerm::event(a), EventTerm::event(b)],
                    });
                }
            }
        }
        Ok(structure)
    }
}

fn is_true(form: &TheoryFormula, structure: &Structure) -> bool {
    match form {
        TheoryFormula::Const(value) => *value,
        TheoryFormula::Lit(lit) => structure.holds(lit.atom) == lit.positive,
        TheoryFormula::And(parts) => parts.iter().all(|p| is_true(p, structure)),
        TheoryFormula::Or(parts) => parts.iter().any(|p| is_true(p, structure)),
    }
}

/// All lists of so many of the events.
fn lists(events: usize, of: usize) -> Vec<Vec<EventTerm>> {
    (0..of).fold(vec![Vec::new()], |all: Vec<Vec<EventTerm>>, _| {
        all.iter()
            .flat_map(|l| {
                (0..events).map(move |e| l.iter().copied().chain([EventTerm::event(e)]).collect())
            })
            .collect()
    })
}

/// The values of symbols in an execution.
struct InhabitantValues<'a> {
    theory: &'a Theory,
    events: usize,
    known: BTreeMap<Pred, InhabitantRows>,
}

impl<'a> InhabitantValues<'a> {
    /// Base symbols are empty, and events are equal to themselves.
    fn new(theory: &'a Theory, events: usize) -> Self {
        let mut new = Self { theory, events, known: BTreeMap::new() };
        let base = theory.symbols.iter().filter(|(_, s)| s.meaning == Meaning::Base);
        new.known = base
            .map(|(p, _)| {
                (p, if p == Pred::EQUAL { new.diagonal(u128::MAX) } else { vec![0; events] })
            })
            .collect();
        new.known.insert(Pred::EQUAL, new.diagonal(u128::MAX));
        new
    }

    fn diagonal(&self, members: u128) -> InhabitantRows {
        (0..self.events).map(|e| members & 1 << e).collect()
    }

    fn all(&self) -> u128 {
        if self.events == 128 { u128::MAX } else { (1 << self.events) - 1 }
    }

    fn of(&mut self, pred: Pred) -> InhabitantRows {
        if let Some(known) = self.known.get(&pred) {
            return known.clone();
        }
        let value = match self.theory.symbols.get(pred).meaning {
            Meaning::Base => vec![0; self.events],
            Meaning::Defined(body) => self.expr(body),
            Meaning::Sequence(a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                joined(&a, &b)
            }
            Meaning::Closure(r) => {
                let mut whole = self.expr(r);
                for k in 0..self.events {
                    let through = whole[k];
                    whole
                        .iter_mut()
                        .filter(|row| **row >> k & 1 == 1)
                        .for_each(|row| *row |= through);
                }
                whole
            }
            Meaning::Domain(r) => {
                let r = self.expr(r);
                (0..self.events).map(|e| u128::from(r[e] != 0) << e).collect()
            }
            Meaning::Range(r) => {
                let all = self.expr(r).into_iter().fold(0, |all, row| all | row);
                self.diagonal(all)
            }
            Meaning::Fixpoint(_, group) => return self.recursive(pred, group),
        };
        self.known.insert(pred, value.clone());
        value
    }

    /// The value of a member of a recursive definition: all members of it grow together.
    fn recursive(&mut self, pred: Pred, group: u16) -> InhabitantRows {
        let members = members(self.theory, pred, group);
        let mut values = vec![vec![0; self.events]; members.len()];
        let before = self.known.clone();
        loop {
            self.known.extend(members.iter().map(|m| m.0).zip(values.clone()));
            let next: Vec<InhabitantRows> =
                members.iter().map(|&(_, body)| self.expr(body)).collect();
            self.known.clone_from(&before);
            if next == values {
                break;
            }
            values = next;
        }
        self.known.extend(members.iter().map(|m| m.0).zip(values));
        self.known[&pred].clone()
    }

    fn expr(&mut self, id: TheoryExprId) -> InhabitantRows {
        let all = self.all();
        match self.theory.exprs.get(id) {
            TheoryExpr::Empty => vec![0; self.events],
            TheoryExpr::All => vec![all; self.events],
            TheoryExpr::Symbol(p) => self.of(p),
            TheoryExpr::Union(a, b) => self.both(a, b, |a, b| a | b),
            TheoryExpr::Intersection(a, b) => self.both(a, b, |a, b| a & b),
            TheoryExpr::Difference(a, b) => self.both(a, b, |a, b| a & !b),
            TheoryExpr::Sequence(a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                joined(&a, &b)
            }
            TheoryExpr::Product(a, b) => {
                let (a, b) = (self.members(a), self.members(b));
                (0..self.events).map(|x| if a >> x & 1 == 1 { b } else { 0 }).collect()
            }
            TheoryExpr::Diagonal(a) => {
                let members = self.members(a);
                self.diagonal(members)
            }
            TheoryExpr::Inverse(a) => {
                let a = self.expr(a);
                (0..self.events)
                    .map(|x| (0..self.events).fold(0, |row, y| row | (a[y] >> x & 1) << y))
                    .collect()
            }
        }
    }

    /// Bit `e` stands for event `e`.
    fn members(&mut self, set: TheoryExprId) -> u128 {
        self.expr(set).iter().enumerate().fold(0, |all, (e, row)| all | row & 1 << e)
    }

    fn both(
        &mut self,
        a: TheoryExprId,
        b: TheoryExprId,
        of: impl Fn(u128, u128) -> u128,
    ) -> InhabitantRows {
        let (a, b) = (self.expr(a), self.expr(b));
        a.into_iter().zip(b).map(|(a, b)| of(a, b)).collect()
    }
}

/// The members of a recursive definition with their bodies. Models have groups of the same number:
/// those that refer to each other count.
fn members(theory: &Theory, pred: Pred, group: u16) -> Vec<(Pred, TheoryExprId)> {
    let bodies: Vec<(Pred, TheoryExprId)> = theory
        .symbols
        .iter()
        .filter_map(|(p, s)| match s.meaning {
            Meaning::Fixpoint(body, g) if g == group => Some((p, body)),
            _ => None,
        })
        .collect();
    let body = |p: Pred| bodies.iter().find(|b| b.0 == p).map(|b| b.1);
    let mut found = vec![pred];
    let mut next = 0;
    while next < found.len() {
        let of = body(found[next]).map_or_else(Vec::new, |body| symbols(theory, body));
        found.extend(of.into_iter().filter(|p| body(*p).is_some()).fold(
            Vec::new(),
            |mut new: Vec<Pred>, p| {
                if !found.contains(&p) && !new.contains(&p) {
                    new.push(p);
                }
                new
            },
        ));
        next += 1;
    }
    found.into_iter().filter_map(|p| Some((p, body(p)?))).collect()
}

/// All symbols that an expression depends on through anything but recursion.
fn symbols(theory: &Theory, id: TheoryExprId) -> Vec<Pred> {
    let (mut found, mut open) = (Vec::new(), vec![id]);
    while let Some(id) = open.pop() {
        match theory.exprs.get(id) {
            TheoryExpr::Empty | TheoryExpr::All => {}
            TheoryExpr::Symbol(p) if found.contains(&p) => {}
            TheoryExpr::Symbol(p) => {
                found.push(p);
                match theory.symbols.get(p).meaning {
                    Meaning::Base | Meaning::Fixpoint(..) => {}
                    Meaning::Defined(e)
                    | Meaning::Closure(e)
                    | Meaning::Domain(e)
                    | Meaning::Range(e) => open.push(e),
                    Meaning::Sequence(a, b) => open.extend([a, b]),
                }
            }
            TheoryExpr::Union(a, b)
            | TheoryExpr::Intersection(a, b)
            | TheoryExpr::Difference(a, b)
            | TheoryExpr::Sequence(a, b)
            | TheoryExpr::Product(a, b) => {
                open.extend([a, b]);
            }
            TheoryExpr::Diagonal(a) | TheoryExpr::Inverse(a) => open.push(a),
        }
    }
    found
}

fn joined(a: &InhabitantRows, b: &InhabitantRows) -> InhabitantRows {
    let through =
        |row: u128| (0..b.len()).filter(|z| row >> z & 1 == 1).fold(0, |all, z| all | b[z]);
    a.iter().map(|&row| through(row)).collect()
}
