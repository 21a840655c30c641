//! The given clauses of a refutation, each with its proof term: parts of the question, of events that exist, and instances.

use super::proven::{cases, injection, pieces};
use super::text::event;
use super::writer::Writer;
use crate::ground::{Clauses, Obligation, Origin, Value};
use crate::logic::{Atom, Form, Lit, Pred, Term};
use rustc_hash::FxHashMap;

/// A clause in numbered atoms, and its proof.
#[derive(Debug, Clone)]
pub struct Given {
    /// The atoms that it supposes.
    pub premises: Vec<i32>,
    /// The atoms of which one holds.
    pub conclusions: Vec<i32>,
    /// The proof term.
    pub term: String,
}

/// The proof of a clause in one of the cases: the number of its literal, and a term for what holds.
pub type Pick<'a> = &'a dyn Fn(usize, &str) -> String;

/// Walks through ground clauses in the order in which they were made.
pub struct Walk {
    numbers: FxHashMap<Atom, i32>,
    named: std::vec::IntoIter<(i32, Form)>,
    fresh: usize,
}

impl Walk {
    /// Through these clauses.
    pub fn of(clauses: &Clauses) -> Self {
        let numbers = clauses.atoms().into_iter().map(|(n, a)| (a, n)).collect();
        Self { numbers, named: clauses.named.clone().into_iter(), fresh: 0 }
    }

    pub fn number(&self, lit: Lit) -> Result<i32, String> {
        let number = *self.numbers.get(&lit.atom).ok_or("an atom has no number")?;
        Ok(if lit.positive { number } else { -number })
    }

    fn name(&mut self) -> String {
        self.fresh += 1;
        format!("p{}", self.fresh)
    }

    /// The clauses that a formula with a proof gives.
    pub fn formula(&mut self, form: &Form, term: &str, out: &mut Vec<Given>) -> Result<(), String> {
        match form {
            Form::Const(true) => {}
            Form::Const(false) => out.push(Given { premises: Vec::new(), conclusions: Vec::new(), term: term.to_owned() }),
            Form::Lit(lit) => {
                let number = self.number(*lit)?;
                out.push(self.choice(&[number], &mut |pick| Ok(pick(0, term)))?);
            }
            Form::And(_) => {
                for (part, term) in pieces(form, term) {
                    self.formula(&part, &term, out)?;
                }
            }
            Form::Or(parts) => {
                let numbers = parts.iter().map(|p| self.implied(p, out)).collect::<Result<Vec<_>, _>>()?;
                out.push(self.choice(&numbers, &mut |pick| Ok(cases(term, parts.len(), 0, &mut |i, t| pick(i, t))))?);
            }
        }
        Ok(())
    }

    /// The number of a formula; what it implies is put among the clauses.
    pub fn implied(&mut self, form: &Form, out: &mut Vec<Given>) -> Result<i32, String> {
        if let Form::Lit(lit) = form {
            return self.number(*lit);
        }
        let (number, named) = self.named.next().ok_or("a formula has no number")?;
        if named != *form {
            return Err("formulas are numbered in two orders".to_owned());
        }
        let holds = self.name();
        let mut own = Vec::new();
        self.formula(form, &holds, &mut own)?;
        out.extend(own.into_iter().map(|mut c| {
            c.premises.insert(0, number);
            c.term = format!("(fun {holds} => {})", c.term);
            c
        }));
        Ok(number)
    }

    /// The clause "one of these numbered literals", by a proof that is given what to do in each case.
    pub fn choice(
        &mut self,
        numbers: &[i32],
        proof: &mut dyn FnMut(Pick<'_>) -> Result<String, String>,
    ) -> Result<Given, String> {
        let mut premises: Vec<i32> = Vec::new();
        let mut conclusions: Vec<i32> = Vec::new();
        for &n in numbers {
            let list = if n < 0 { &mut premises } else { &mut conclusions };
            if !list.contains(&n.abs()) {
                list.push(n.abs());
            }
        }
        let names: Vec<String> = premises.iter().map(|_| self.name()).collect();
        let pick = |i: usize, term: &str| -> String {
            let n = numbers[i];
            if n < 0 {
                let at = premises.iter().position(|&p| p == -n).unwrap_or(0);
                format!("(False_ind _ ({term} {}))", names[at])
            } else {
                let at = conclusions.iter().position(|&p| p == n).unwrap_or(0);
                injection(at, conclusions.len(), term)
            }
        };
        let body = proof(&pick)?;
        let term = if names.is_empty() { body } else { format!("(fun {} => {body})", names.join(" ")) };
        Ok(Given { premises, conclusions, term })
    }
}

/// The raw literals of a clause at some events: as they stand, with what they become when they are kept.
pub fn kept(lit: Lit, values: &[Term]) -> (Lit, Option<bool>, bool) {
    let own = lit.with(values);
    let raw = lit.atom.args.map(|t| t.with(values));
    let swapped = own.atom.args != raw;
    (own, own.constant(), swapped)
}

impl Writer {
    /// The given clauses of an obligation's refutation, in their order.
    pub fn given(&mut self, obligation: &Obligation, clauses: &Clauses, values: &[Value]) -> Result<Vec<Given>, String> {
        let mut walk = Walk::of(clauses);
        let mut given = Vec::new();
        walk.formula(&obligation.question, "question", &mut given)?;
        walk.formula(&obligation.conclusion, "conclusion", &mut given)?;
        for at in 0..values.len() {
            self.value(&mut walk, values, at, &mut given)?;
        }
        for (_, origin) in clauses.list.iter().skip(given.len()) {
            let one = match origin {
                Origin::Fact(fact, at) => {
                    let lits = self.theory.facts[*fact].clause.lits.clone();
                    let name = self.fact(*fact)?;
                    self.instance(&mut walk, &lits, at, &name)?
                }
                Origin::Supposed(supposed, at) => {
                    let lits = obligation.suppositions[*supposed].clause.lits.clone();
                    self.instance(&mut walk, &lits, at, &format!("supposed_{supposed}"))?
                }
                Origin::Congruence(equality, atoms) => self.congruence(&mut walk, *equality, *atoms)?,
                Origin::Question(_) | Origin::Value(..) => return Err("clauses come in two orders".to_owned()),
            };
            given.push(one);
        }
        for (own, (lits, _)) in given.iter().zip(&clauses.list) {
            let mut there: Vec<i32> = own.premises.iter().map(|p| -p).chain(own.conclusions.iter().copied()).collect();
            let mut wanted = lits.clone();
            there.sort_unstable();
            there.dedup();
            wanted.sort_unstable();
            wanted.dedup();
            if there != wanted {
                return Err("a clause is not the one that was refuted".to_owned());
            }
        }
        if given.len() == clauses.list.len() { Ok(given) } else { Err("there are more clauses than were refuted".to_owned()) }
    }

    /// An instance of a clause that is proved for all values of its variables.
    fn instance(&mut self, walk: &mut Walk, lits: &[Lit], at: &[Term], name: &str) -> Result<Given, String> {
        let args: String = at.iter().map(|t| format!(" {}", event(*t))).collect();
        let mut numbers = Vec::new();
        let mut all = Vec::new();
        for lit in lits {
            let (own, constant, swapped) = kept(*lit, at);
            match constant {
                Some(true) => return Err("an instance that is always true was used".to_owned()),
                Some(false) => all.push((*lit, None, swapped)),
                None => {
                    numbers.push(walk.number(own)?);
                    all.push((*lit, Some(numbers.len() - 1), swapped));
                }
            }
        }
        let premises: Vec<_> = all.iter().filter(|a| !a.0.positive).cloned().collect();
        let conclusions: Vec<_> = all.iter().filter(|a| a.0.positive).cloned().collect();
        let plain = all.iter().all(|a| !a.2 && a.1.is_some()) && {
            let distinct: std::collections::BTreeSet<i32> = numbers.iter().copied().collect();
            distinct.len() == numbers.len()
        };
        if plain {
            let mut given = walk.choice(&numbers, &mut |_| Ok(String::new()))?;
            given.term = format!("({name}{args})");
            return Ok(given);
        }
        let conclusions_of = conclusions.len();
        // Premises get names, and their proofs are handed to the clause.
        let mut given = walk.choice(&numbers, &mut |_| Ok(String::new()))?;
        let named: Vec<String> = given.premises.iter().map(|_| walk.name()).collect();
        let mut term = format!("{name}{args}");
        for (_, number, swapped) in &premises {
            let own = match number {
                Some(n) => {
                    let at = given.premises.iter().position(|&p| p == -numbers[*n]).ok_or("a premise is missing")?;
                    named[at].clone()
                }
                None => "eq_refl".to_owned(),
            };
            term += &if *swapped { format!(" (eq_sym {own})") } else { format!(" {own}") };
        }
        let positives = given.conclusions.clone();
        let body = cases(&format!("({term})"), conclusions_of, 0, &mut |i, t| {
            let (_, number, swapped) = &conclusions[i];
            let t = if *swapped { format!("(eq_sym {t})") } else { t.to_owned() };
            let at = number.and_then(|n| positives.iter().position(|&p| p == numbers[n])).unwrap_or(0);
            injection(at, positives.len(), &t)
        });
        let body = if conclusions_of == 0 { format!("({term})") } else { body };
        given.term = if named.is_empty() { body } else { format!("(fun {} => {body})", named.join(" ")) };
        Ok(given)
    }

    /// Equal events have the same atoms.
    fn congruence(&mut self, walk: &mut Walk, equality: Atom, [has, lacks]: [Atom; 2]) -> Result<Given, String> {
        let numbers = [walk.number(Lit::no(equality))?, walk.number(Lit::no(has))?, walk.number(Lit::yes(lacks))?];
        let mut given = walk.choice(&numbers, &mut |_| Ok(String::new()))?;
        let text = |atom: Atom| self.text.raw_atom(&self.theory, atom, &event);
        let premises: Vec<String> = if equality == has { vec![text(has)] } else { vec![text(equality), text(has)] };
        let binders: String = premises.iter().enumerate().map(|(i, p)| format!("(q{i} : {p}) ")).collect();
        let last = premises.len() - 1;
        let term = if has.pred == Pred::EQUAL {
            let used: Vec<String> = (0..=last).map(|q| format!("q{q}")).collect();
            format!("(ltac:(clear - {}; congruence) : {})", used.join(" "), text(lacks))
        } else {
            let [a, b] = equality.args;
            let proof = |s: Term, t: Term| {
                if s == t {
                    "eq_refl".to_owned()
                } else if [s, t] == [a, b] {
                    "q0".to_owned()
                } else {
                    "(eq_sym q0)".to_owned()
                }
            };
            let symbol = self.text.symbol(&self.theory, has.pred);
            let [s, t] = has.args;
            let [u, v] = lacks.args;
            if self.theory.symbols.get(has.pred).arity == 1 {
                format!("equal_one {symbol} {} {} {} q{last}", event(s), event(u), proof(s, u))
            } else {
                let events: Vec<String> = [s, t, u, v].iter().map(|e| event(*e)).collect();
                format!("equal_two {symbol} {} {} {} q{last}", events.join(" "), proof(s, u), proof(t, v))
            }
        };
        given.term = format!("(fun {binders}=> {term})");
        Ok(given)
    }
}
