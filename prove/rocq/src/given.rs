//! What a refutation starts from, in numbered atoms: formulas as conjunctions of disjunctions, and
//! the clauses of events that exist, with proof terms.

use super::failure::RocqFailure;
use super::letters::Letters;
use super::proven::injection;
use super::writer::RocqWriter;
use margay_proof::SatLiteral;
use margay_theorem::ground::GroundClauses;
use margay_theorem::logic::{EventAtom, EventTerm, Lit, Pred, TheoryFormula};
use rustc_hash::FxHashMap;

/// A clause in numbered atoms, and its proof.
#[derive(Debug, Clone)]
pub struct NumberedClause {
    /// The variables of the atoms that it supposes.
    pub premises: Vec<u32>,
    /// The variables of the atoms of which one holds.
    pub conclusions: Vec<u32>,
    /// The proof term.
    pub term: String,
}

/// A formula as the literals of each of its disjunctions.
pub type Disjunctions = Vec<Vec<SatLiteral>>;

/// The proof of a clause in one of the cases: the number of its literal, and a term for what holds.
pub type Pick<'a> = &'a dyn Fn(usize, &str) -> String;

/// What a variable stands for.
#[derive(Debug, Clone)]
enum NumberMeaning {
    Atom(EventAtom),
    /// A formula: its place among the named ones, and itself.
    Formula(usize, TheoryFormula),
}

/// A formula that has a variable.
#[derive(Debug, Clone)]
pub struct NumberedFormula {
    pub number: SatLiteral,
    /// What it says; it names earlier formulas alone.
    pub says: Disjunctions,
    /// The variables of the formulas that it is part of.
    pub within: Vec<SatLiteral>,
}

/// Walks through formulas in the order in which they got their numbers.
pub struct FormulaWalk {
    numbers: FxHashMap<EventAtom, SatLiteral>,
    /// By the variable's number.
    meanings: FxHashMap<u32, NumberMeaning>,
    waiting: std::vec::IntoIter<(SatLiteral, TheoryFormula)>,
    /// The formulas that have a number, parts before the whole.
    pub named: Vec<NumberedFormula>,
    within: Vec<SatLiteral>,
    fresh: usize,
}

impl FormulaWalk {
    /// Through these clauses.
    pub fn of(clauses: &GroundClauses) -> Self {
        let numbers: FxHashMap<EventAtom, SatLiteral> =
            clauses.atoms().into_iter().map(|(n, a)| (a, n)).collect();
        let meanings =
            numbers.iter().map(|(&a, &n)| (n.variable(), NumberMeaning::Atom(a))).collect();
        Self {
            numbers,
            meanings,
            waiting: clauses.named.clone().into_iter(),
            named: Vec::new(),
            within: Vec::new(),
            fresh: 0,
        }
    }

    pub fn number(&self, lit: Lit) -> Result<SatLiteral, RocqFailure> {
        let number =
            *self.numbers.get(&lit.atom).ok_or(RocqFailure::mismatch("an atom has no number"))?;
        Ok(if lit.positive { number } else { !number })
    }

    fn name(&mut self) -> String {
        self.fresh += 1;
        format!("p{}", self.fresh)
    }

    /// What must all hold. Fails where nothing can, or a part has no number.
    pub fn formula(&mut self, form: &TheoryFormula) -> Result<Disjunctions, RocqFailure> {
        Ok(match form {
            TheoryFormula::Const(true) => Vec::new(),
            TheoryFormula::Const(false) => {
                return Err(RocqFailure::mismatch("what cannot be needs no refutation"));
            }
            TheoryFormula::Lit(lit) => vec![vec![self.number(*lit)?]],
            TheoryFormula::And(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.formula(part)?);
                }
                all
            }
            TheoryFormula::Or(parts) => {
                vec![parts.iter().map(|p| self.implied(p)).collect::<Result<Vec<_>, _>>()?]
            }
        })
    }

    /// The variable of a formula.
    pub fn implied(&mut self, form: &TheoryFormula) -> Result<SatLiteral, RocqFailure> {
        if let TheoryFormula::Lit(lit) = form {
            return self.number(*lit);
        }
        let (number, named) =
            self.waiting.next().ok_or(RocqFailure::mismatch("a formula has no number"))?;
        if named != *form {
            return Err(RocqFailure::mismatch("formulas are numbered in two orders"));
        }
        self.within.push(number);
        let says = self.formula(form)?;
        self.within.pop();
        self.meanings.insert(number.variable(), NumberMeaning::Formula(self.named.len(), named));
        self.named.push(NumberedFormula { number, says, within: self.within.clone() });
        Ok(number)
    }

    /// The clause "one of these numbered literals", by a proof that is given what to do in each
    /// case.
    pub fn choice(
        &mut self,
        numbers: &[SatLiteral],
        proof: &mut dyn FnMut(Pick<'_>) -> Result<String, RocqFailure>,
    ) -> Result<NumberedClause, RocqFailure> {
        let [premises, conclusions] = sides(numbers);
        let names: Vec<String> = premises.iter().map(|_| self.name()).collect();
        let pick = |i: usize, term: &str| -> String {
            let n = numbers[i];
            if n.is_negated() {
                let at = premises.iter().position(|&p| p == n.variable()).unwrap_or(0);
                format!("(False_ind _ ({term} {}))", names[at])
            } else {
                let at = conclusions.iter().position(|&p| p == n.variable()).unwrap_or(0);
                injection(at, conclusions.len(), term)
            }
        };
        let body = proof(&pick)?;
        let term =
            if names.is_empty() { body } else { format!("(fun {} => {body})", names.join(" ")) };
        Ok(NumberedClause { premises, conclusions, term })
    }
}

/// The place of number `first` in the clause "one of these numbered literals", if it and those
/// behind it are the clause's last ones, in this order.
pub fn last_ones(numbers: &[SatLiteral], first: usize) -> Option<usize> {
    let own = &numbers[first..];
    let variables: Vec<u32> = own.iter().map(|n| n.variable()).collect();
    let [_, conclusions] = sides(numbers);
    (own.iter().all(|n| !n.is_negated()) && conclusions.ends_with(&variables))
        .then(|| conclusions.len() - own.len())
}

/// The variables of a clause's negative literals, and of its positive ones, each once.
fn sides(numbers: &[SatLiteral]) -> [Vec<u32>; 2] {
    let mut sides = [Vec::new(), Vec::new()];
    for n in numbers {
        let side: &mut Vec<u32> = &mut sides[usize::from(!n.is_negated())];
        if !side.contains(&n.variable()) {
            side.push(n.variable());
        }
    }
    sides
}

/// The raw literals of a clause at some events: as they stand, with what they become when they are
/// kept.
pub fn kept(lit: Lit, values: &[EventTerm]) -> (Lit, Option<bool>, bool) {
    let own = lit.with(values);
    let raw = lit.atom.args.map(|t| t.with(values));
    let swapped = own.atom.args != raw;
    (own, own.constant(), swapped)
}

/// The number of an event in an instance, and among the terms of a clause of all events.
pub fn event_number(event: EventTerm) -> usize {
    event.index() + 1
}

fn term_number(term: EventTerm) -> usize {
    term.as_variable().map_or_else(|| 2 * event_number(term), |v| 2 * (usize::from(v) + 1) + 1)
}

/// The place of a formula in an atom that stands for it.
fn name_of(place: usize) -> [usize; 3] {
    [1, place + 1, 1]
}

impl RocqWriter {
    /// The number of a predicate: 1 is for formulas, 2 is equality, the others are in a table.
    fn predicate(&mut self, pred: Pred) -> usize {
        if pred == Pred::EQUAL {
            return 2;
        }
        let next = self.predicates.len() + 3;
        *self.predicates.entry(pred).or_insert(next)
    }

    /// An atom of an obligation's events.
    pub fn atom_numbers(&mut self, atom: EventAtom) -> [usize; 3] {
        let [x, y] = atom.args.map(event_number);
        [self.predicate(atom.pred), x, y]
    }

    /// What a variable stands for, as an atom.
    fn meant(&mut self, walk: &FormulaWalk, variable: u32) -> Result<[usize; 3], RocqFailure> {
        match walk.meanings.get(&variable) {
            Some(NumberMeaning::Atom(atom)) => Ok(self.atom_numbers(*atom)),
            Some(NumberMeaning::Formula(place, _)) => Ok(name_of(*place)),
            None => Err(RocqFailure::mismatch("a number stands for nothing")),
        }
    }

    /// A disjunction of numbered literals: the predicate's number is doubled, and odd where the
    /// literal is negative.
    pub fn literals(
        &mut self,
        walk: &FormulaWalk,
        numbers: &[SatLiteral],
        out: &mut Letters,
    ) -> Result<(), RocqFailure> {
        let mut line = Vec::with_capacity(3 * numbers.len());
        for n in numbers {
            let [p, x, y] = self.meant(walk, n.variable())?;
            line.extend([2 * p + usize::from(n.is_negated()), x, y]);
        }
        out.line(line);
        Ok(())
    }

    /// A formula: a line for each disjunction, and an empty one.
    pub fn disjunctions(
        &mut self,
        walk: &FormulaWalk,
        all: &Disjunctions,
        out: &mut Letters,
    ) -> Result<(), RocqFailure> {
        for numbers in all {
            self.literals(walk, numbers, out)?;
        }
        out.line([]);
        Ok(())
    }

    /// A clause of all events.
    pub fn general(&mut self, lits: &[Lit], variables: u8) -> String {
        let mut letters = Letters::default();
        letters.line([usize::from(variables) + 1]);
        for positive in [false, true] {
            let mut line = Vec::new();
            for lit in lits.iter().filter(|l| l.positive == positive) {
                let [x, y] = lit.atom.args.map(term_number);
                line.extend([self.predicate(lit.atom.pred), x, y]);
            }
            letters.line(line);
        }
        letters.written()
    }

    /// A clause that holds of an obligation's events, as one of all events without variables; and
    /// as a term.
    pub fn of_these_events(
        &mut self,
        walk: &FormulaWalk,
        given: &NumberedClause,
    ) -> Result<(String, String), RocqFailure> {
        let mut letters = Letters::default();
        letters.line([1]);
        let mut sides = Vec::new();
        for side in [&given.premises, &given.conclusions] {
            let (mut line, mut texts) = (Vec::new(), Vec::new());
            for &variable in side {
                let is_formula =
                    matches!(walk.meanings.get(&variable), Some(NumberMeaning::Formula(..)));
                let [p, x, y] = self.meant(walk, variable)?;
                line.extend(if is_formula { [p, x, y] } else { [p, 2 * x, 2 * y] });
                texts.push(match &walk.meanings[&variable] {
                    NumberMeaning::Atom(atom) => {
                        self.text.raw_atom(&self.theory, *atom, &super::text::event)
                    }
                    NumberMeaning::Formula(_, form) => {
                        self.text.inner(&self.theory, form, &super::text::event)
                    }
                });
            }
            letters.line(line);
            sides.push(texts);
        }
        let premises: String = sides[0].iter().map(|p| format!("{p} -> ")).collect();
        let then = if sides[1].is_empty() { "False".to_owned() } else { sides[1].join(" \\/ ") };
        Ok((letters.written(), premises + &then))
    }
}
