//! Ground clauses as numbers, and where each comes from. Whoever checks a refutation makes the same
//! clauses again from their origins.

use margay_proof::SatLiteral;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::logic::{Clause, EventAtom, EventTerm, Existence, Lit, Pred, TheoryFormula};
use crate::theory::Theory;

/// Where a ground clause comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ClauseOrigin {
    /// A part of what was asked: its number among them.
    Question(usize),
    /// A fact of the theory, at these events.
    Fact(usize, Vec<EventTerm>),
    /// A supposition, at these events.
    Supposed(usize, Vec<EventTerm>),
    /// A part of a value: the number of the value, and of the clause among those that it makes.
    Value(usize, usize),
    /// Equal events have the same atoms: the equality, and two atoms that differ in it.
    Congruence(EventAtom, [EventAtom; 2]),
}

/// An event that exists: what an existence says of some events, unless one of earlier guards holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExistenceValue {
    /// The number of the existence in the theory.
    pub source: usize,
    /// What the variables of the existence stand for, in their order.
    pub of: Vec<EventTerm>,
    /// The first new event; further ones have the next numbers.
    pub event: EventTerm,
    /// The numbers of earlier values of the same event, which come first.
    pub unless: Vec<usize>,
}

/// What is asked: is there a structure, of whatever size, in which the theory holds, some events
/// are as the question says, and the suppositions hold of them?
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obligation {
    /// In words: what would follow.
    pub what: String,
    /// The claim of the step that it is for.
    pub claim: usize,
    /// What is there; events are numbered from 0.
    pub question: TheoryFormula,
    /// How many events the question speaks of.
    pub events: usize,
    /// What is supposed of them, for all values of variables.
    pub suppositions: Vec<SupposedClause>,
    /// The negated conclusion, where it is no supposition.
    pub conclusion: TheoryFormula,
}

/// A clause that is supposed of the events of an obligation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupposedClause {
    pub clause: Clause,
    /// The claim of the step that an induction supposes; `None` for the negated conclusion.
    pub claim: Option<usize>,
}

/// Ground clauses over numbered atoms.
#[derive(Debug, Clone, Default)]
pub struct GroundClauses {
    /// The variable of each atom, as it is.
    numbers: FxHashMap<EventAtom, SatLiteral>,
    /// How many variables there are.
    pub variables: usize,
    /// The clauses, in literals of numbered variables, and where they come from.
    pub list: Vec<(Vec<SatLiteral>, ClauseOrigin)>,
    /// The formulas that have a variable, in the order in which they got it.
    pub named: Vec<(SatLiteral, TheoryFormula)>,
}

impl GroundClauses {
    /// A literal, in numbered variables.
    pub fn number(&mut self, lit: Lit) -> SatLiteral {
        let variables = &mut self.variables;
        let number = *self.numbers.entry(lit.atom).or_insert_with(|| next_variable(variables));
        if lit.positive { number } else { !number }
    }

    /// The atoms that have a number, in order of these.
    pub fn atoms(&self) -> Vec<(SatLiteral, EventAtom)> {
        let mut all: Vec<(SatLiteral, EventAtom)> =
            self.numbers.iter().map(|(&atom, &number)| (number, atom)).collect();
        all.sort_unstable_by_key(|a| a.0);
        all
    }

    /// The literals of a clause; `None` if it is true.
    fn literals(&mut self, lits: impl IntoIterator<Item = Lit>) -> Option<Vec<SatLiteral>> {
        let mut numbers: Vec<SatLiteral> = Vec::new();
        for lit in lits {
            match lit.constant() {
                Some(true) => return None,
                Some(false) => continue,
                None => {}
            }
            let number = self.number(lit);
            if numbers.contains(&!number) {
                return None;
            }
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        Some(numbers)
    }

    /// The clauses of a formula; a conjunction within a disjunction gets a number of its own, which
    /// implies it.
    fn formula(&mut self, form: &TheoryFormula, out: &mut Vec<Vec<SatLiteral>>) {
        match form {
            TheoryFormula::Const(true) => {}
            TheoryFormula::Const(false) => out.push(Vec::new()),
            TheoryFormula::Lit(lit) => {
                let number = self.number(*lit);
                out.push(vec![number]);
            }
            TheoryFormula::And(parts) => parts.iter().for_each(|p| self.formula(p, out)),
            TheoryFormula::Or(parts) => {
                let clause = parts.iter().map(|p| self.implied(p, out)).collect();
                out.push(distinct(clause));
            }
        }
    }

    /// A variable that implies a formula.
    fn implied(&mut self, form: &TheoryFormula, out: &mut Vec<Vec<SatLiteral>>) -> SatLiteral {
        if let TheoryFormula::Lit(lit) = form {
            return self.number(*lit);
        }
        let number = next_variable(&mut self.variables);
        self.named.push((number, form.clone()));
        let mut clauses = Vec::new();
        self.formula(form, &mut clauses);
        out.extend(clauses.into_iter().map(|mut c| {
            c.push(!number);
            c
        }));
        number
    }

    /// Adds the clauses of what is asked.
    pub fn question(&mut self, obligation: &Obligation) {
        let mut clauses = Vec::new();
        self.formula(&obligation.question, &mut clauses);
        self.formula(&obligation.conclusion, &mut clauses);
        self.list
            .extend(clauses.into_iter().enumerate().map(|(i, c)| (c, ClauseOrigin::Question(i))));
    }

    /// Adds the clauses of values.
    pub fn values(&mut self, theory: &Theory, values: &[ExistenceValue]) {
        for (at, value) in values.iter().enumerate() {
            let mut clauses = Vec::new();
            let existence = &theory.sources[value.source].existence;
            let mut clause: Vec<SatLiteral> = Vec::new();
            for lit in &existence.guard {
                clause.push(self.number(!lit.with(&value.of)));
            }
            for &earlier in &value.unless {
                let earlier = &values[earlier];
                let guard = &theory.sources[earlier.source].existence.guard;
                let holds = TheoryFormula::and(
                    guard.iter().map(|l| TheoryFormula::lit(l.with(&earlier.of))),
                );
                clause.push(self.implied(&holds, &mut clauses));
            }
            for case in &existence.cases {
                let form = TheoryFormula::and(
                    case.iter().map(|l| TheoryFormula::lit(l.with(&value.all(existence)))),
                );
                if form != TheoryFormula::Const(false) {
                    clause.push(self.implied(&form, &mut clauses));
                }
            }
            clauses.push(distinct(clause));
            self.list.extend(
                clauses.into_iter().enumerate().map(|(i, c)| (c, ClauseOrigin::Value(at, i))),
            );
        }
    }

    /// Adds an instance of a clause.
    pub fn instance(&mut self, clause: &Clause, values: &[EventTerm], origin: ClauseOrigin) {
        if let Some(literals) = self.literals(clause.lits.iter().map(|l| l.with(values))) {
            self.list.push((literals, origin));
        }
    }

    /// Adds that equal events have the same atoms.
    pub fn congruence(&mut self, equality: EventAtom, atoms: [EventAtom; 2]) {
        let [has, lacks] = atoms;
        if let Some(literals) = self.literals([Lit::no(equality), Lit::no(has), Lit::yes(lacks)]) {
            self.list.push((literals, ClauseOrigin::Congruence(equality, atoms)));
        }
    }
}

/// One more variable.
fn next_variable(variables: &mut usize) -> SatLiteral {
    *variables += 1;
    SatLiteral::of_variable(*variables, false).expect("memory ends before the numbers do")
}

/// The literals without repetitions. (A function of two events may have a value at one event and
/// itself.)
fn distinct(clause: Vec<SatLiteral>) -> Vec<SatLiteral> {
    let mut found: Vec<SatLiteral> = Vec::with_capacity(clause.len());
    for lit in clause {
        if !found.contains(&lit) {
            found.push(lit);
        }
    }
    found
}

impl ExistenceValue {
    /// The events of the guard, and the new ones.
    fn all(&self, existence: &Existence) -> Vec<EventTerm> {
        let first = self.event.index();
        self.of
            .iter()
            .copied()
            .chain((0..usize::from(existence.events)).map(|k| EventTerm::event(first + k)))
            .collect()
    }
}

/// Is a congruence what it says: an equality, and two atoms of one relation that are the same but
/// for the equal events?
pub fn is_congruence(equality: EventAtom, [has, lacks]: [EventAtom; 2]) -> bool {
    let [a, b] = equality.args;
    let other = |t: EventTerm, u: EventTerm| t == u || t == a && u == b || t == b && u == a;
    let same = |[s, t]: [EventTerm; 2], [u, v]: [EventTerm; 2]| other(s, u) && other(t, v);
    let [from, to] = lacks.args;
    // Equality is symmetric, and kept with the smaller event first.
    let either_way =
        same(has.args, lacks.args) || has.pred == Pred::EQUAL && same(has.args, [to, from]);
    equality.pred == Pred::EQUAL && has.pred == lacks.pred && either_way
}

/// How far new events may be away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reach {
    /// The most events.
    pub events: usize,
    /// The steps from the events that were asked about.
    pub steps: u8,
    /// The most assignments that are looked at for a question, before its halves are looked at by
    /// themselves.
    pub rounds: usize,
}
