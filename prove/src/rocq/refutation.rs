//! An obligation as a lemma: of its events, what is asked leads to False, by a list of clauses and a derivation that Rocq computes.

use super::given::{Given, all_events};
use super::text::event;
use super::writer::Writer;
use crate::ground::{Obligation, Refutation, Value, ground_clauses};
use crate::logic::{Form, Lit, Term};

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

    /// Brings an event that exists among the hypotheses, when its first existence comes.
    fn introduced(&mut self, values: &[Value], at: usize) -> Result<String, String> {
        let source = &self.theory.sources[values[at].source].existence;
        if source.events == 0 || !values[at].unless.is_empty() {
            return Ok(String::new());
        }
        let new: Vec<String> =
            (0..usize::from(source.events)).map(|k| event(Term::event(values[at].event.index() + k))).collect();
        let same: Vec<usize> = (at + 1..values.len())
            .filter(|&v| values[v].event == values[at].event && self.theory.sources[values[v].source].existence.events > 0)
            .collect();
        let name = self.source(values[at].source)?;
        let first = format!("{name}{}", arguments(&values[at]));
        if same.is_empty() {
            return Ok(format!("destruct ({first}) as ({} & value_{at}).\n", new.join(" & ")));
        }
        // Later existences yield to earlier ones.
        let e = &new[0];
        let mut so_far = self.says(&values[at]);
        let mut proof = format!("pose proof ({first}) as shared_{at}_0.\n");
        let mut pattern = format!("value_{at}");
        for (k, &v) in same.iter().enumerate() {
            let earlier: Vec<Form> = values[v].unless.iter().map(|&u| self.guard(&values[u])).collect();
            let texts: Vec<String> = earlier.iter().map(|f| self.text.inner(&self.theory, f, &event)).collect();
            let before = texts.join(" \\/ ");
            let own = self.says(&values[v]);
            let name = self.source(values[v].source)?;
            proof += &format!(
                "pose proof (share ({before}) (fun {e} => {so_far}) (fun {e} => {own}) shared_{at}_{k} ({name}{}) ltac:(let no := fresh in let y := fresh in intros no y; cbv beta; alone; idle no)) as shared_{at}_{}.\n",
                arguments(&values[v]),
                k + 1
            );
            so_far = format!("({so_far}) /\\ (({before}) \\/ ({own}))");
            pattern = format!("({pattern} & value_{v})");
        }
        Ok(proof + &format!("destruct shared_{at}_{} as ({e} & {pattern}).\n", same.len()))
    }

    /// What an existence says of its new event.
    fn says(&self, value: &Value) -> String {
        let existence = &self.theory.sources[value.source].existence;
        let all = all_events(value, existence);
        let called = |t: Term| event(t.with(&all));
        let guards: String =
            existence.guard.iter().map(|l: &Lit| format!("{} -> ", self.text.lit(&self.theory, *l, &called))).collect();
        format!("{guards}{}", self.cases(&existence.cases, &called))
    }
}

fn arguments(value: &Value) -> String {
    value.of.iter().map(|t| format!(" {}", event(*t))).collect()
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
