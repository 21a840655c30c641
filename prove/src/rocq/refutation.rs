//! An obligation as a lemma: of its events, what is asked leads to False, by a list of clauses and a derivation that Rocq computes.

use super::given::Given;
use super::text::event;
use super::writer::Writer;
use crate::ground::{Obligation, Refutation, ground_clauses};
use crate::logic::{Form, Term};

impl Writer {
    /// Writes the lemma of an obligation that was refuted.
    pub fn refuted(&mut self, name: &str, obligation: &Obligation, refutation: &Refutation) -> Result<(), String> {
        let clauses = ground_clauses(&self.theory, obligation, &refutation.values, &refutation.instances);
        let given = self.given(obligation, &clauses, &refutation.values)?;
        let mut atoms: Vec<(i32, String)> = Vec::new();
        for (number, atom) in clauses.atoms() {
            atoms.push((number, self.text.raw_atom(&self.theory, atom, &event)));
        }
        for (number, form) in &clauses.named {
            atoms.push((*number, self.text.form(&self.theory, form, &event)));
        }
        let events: Vec<String> = (0..obligation.events).map(|e| event(Term::event(e))).collect();
        let question = self.text.inner(&self.theory, &obligation.question, &event);
        let mut statement = if events.is_empty() { String::new() } else { format!("forall {} : Event, ", events.join(" ")) };
        statement += &format!("{question} -> ");
        if obligation.conclusion != Form::Const(true) {
            statement += &format!("{} -> ", self.text.inner(&self.theory, &obligation.conclusion, &event));
        }
        let mut supposed = Vec::new();
        for (i, supposition) in obligation.suppositions.iter().enumerate() {
            let clause = &supposition.clause;
            statement += &format!("({}) -> ", self.text.closed_clause(&self.theory, &clause.lits, clause.variables));
            supposed.push(format!("supposed_{i}"));
        }
        statement += "False";
        let conclusion = if obligation.conclusion == Form::Const(true) { "" } else { " conclusion" };
        let mut proof = format!("intros {} question{conclusion} {}.\n", events.join(" "), supposed.join(" "));
        for at in 0..refutation.values.len() {
            proof += &self.introduced(&refutation.values, at)?;
        }
        let terms: Vec<&str> = given.iter().map(|g| g.term.as_str()).collect();
        let steps: Vec<String> = refutation.steps.iter().map(|s| step(&s.clause, &s.hints)).collect();
        let listed: Vec<String> = given.iter().map(listed).collect();
        let proven = terms.iter().rev().fold("I".to_owned(), |rest, term| format!("(conj {term}\n{rest})"));
        proof += &format!(
            "refine (Refutation.sound (Refutation.atom {}) [{}]%positive\n [{}]%positive _ _);\n [vm_cast_no_check (eq_refl true) | exact\n{proven}].\n",
            tree(&atoms),
            listed.join("; "),
            steps.join("; "),
        );
        self.lemma(name, &statement, &proof);
        Ok(())
    }
}

fn numbers(all: &[i32]) -> String {
    let all: Vec<String> = all.iter().map(ToString::to_string).collect();
    format!("[{}]", all.join(";"))
}

fn listed(given: &Given) -> String {
    format!("({},{})", numbers(&given.premises), numbers(&given.conclusions))
}

/// A derived clause with the numbers, from 1, of those that it follows from.
fn step(clause: &[i32], hints: &[usize]) -> String {
    let premises: Vec<i32> = clause.iter().filter(|l| **l < 0).map(|l| -l).collect();
    let conclusions: Vec<i32> = clause.iter().filter(|l| **l > 0).copied().collect();
    let hints: Vec<String> = hints.iter().map(|h| (h + 1).to_string()).collect();
    format!("(({},{}),[{}])", numbers(&premises), numbers(&conclusions), hints.join(";"))
}

/// Numbered propositions as a tree: the bits of a number, lowest first, lead to it.
fn tree(atoms: &[(i32, String)]) -> String {
    if atoms.is_empty() {
        return "Refutation.none".to_owned();
    }
    let own = atoms.iter().find(|a| a.0 == 1).map_or("True", |a| a.1.as_str());
    let half = |odd: i32| -> Vec<(i32, String)> {
        atoms.iter().filter(|a| a.0 > 1 && a.0 % 2 == odd).map(|a| (a.0 / 2, a.1.clone())).collect()
    };
    format!("(Refutation.node {} ({own}) {})", tree(&half(0)), tree(&half(1)))
}
