//! Events that exist: how they come among the hypotheses of a refutation, and the clauses that they
//! give.

use super::failure::{RocqFailure, RocqLimitation};
use super::given::{FormulaWalk, NumberedClause, kept, last_ones};
use super::proven::{behind, cases, conjunction, pieces};
use super::text::event;
use super::writer::RocqWriter;
use margay_theorem::ground::ExistenceValue;
use margay_theorem::logic::{EventTerm, Existence, Lit, Pred, TheoryFormula};

impl RocqWriter {
    /// The clauses of events that exist, and of choices among cases.
    pub fn values(
        &mut self,
        walk: &mut FormulaWalk,
        values: &[ExistenceValue],
    ) -> Result<Vec<NumberedClause>, RocqFailure> {
        (0..values.len()).map(|at| self.value(walk, values, at)).collect()
    }

    fn value(
        &mut self,
        walk: &mut FormulaWalk,
        values: &[ExistenceValue],
        at: usize,
    ) -> Result<NumberedClause, RocqFailure> {
        let value = &values[at];
        let existence = self.theory.sources[value.source].existence.clone();
        let all = all_events(value, &existence);
        let mut numbers = Vec::new();
        for lit in &existence.guard {
            if lit.atom.pred == Pred::EQUAL {
                return Err(RocqLimitation::GuardOfEquality.into());
            }
            numbers.push(walk.number(!lit.with(&value.of))?);
        }
        for &earlier in &value.unless {
            numbers.push(walk.implied(&self.guard(&values[earlier]))?);
        }
        let mut kept_cases = Vec::new();
        for case in &existence.cases {
            let form = TheoryFormula::and(case.iter().map(|l| TheoryFormula::lit(l.with(&all))));
            if form == TheoryFormula::Const(false) {
                kept_cases.push(None);
            } else {
                numbers.push(walk.implied(&form)?);
                kept_cases.push(Some(numbers.len() - 1));
            }
        }
        let guards = existence.guard.len();
        let unless = value.unless.len();
        let base = self.value_name(values, at)?;
        // Cases that are kept as they stand, one behind the other, are not gone through: `coqc`
        // takes seconds for twenty.
        let stands = existence
            .cases
            .iter()
            .flatten()
            .all(|lit| matches!(kept(*lit, &all), (_, None, false)));
        let as_they_stand =
            last_ones(&numbers, guards + unless).filter(|_| stands && !existence.cases.is_empty());
        walk.choice(&numbers, &mut |pick| {
            // Where a guard does not hold, the clause does.
            let guarded: Vec<String> = (0..guards).map(|g| format!("g{g}")).collect();
            let chosen = |from: &str| {
                let from = if guards == 0 { from.to_owned() } else { format!("({from} {})", guarded.join(" ")) };
                if let Some(place) = as_they_stand {
                    return behind(place, &from);
                }
                cases(&from, existence.cases.len(), 50, &mut |i, t| match kept_cases[i] {
                    Some(number) => pick(number, &simplified(&existence.cases[i], &all, t)),
                    None => refuted(&existence.cases[i], &all, t),
                })
            };
            let inner = if unless == 0 {
                chosen(&base)
            } else {
                let first = cases("g_before", unless, 20, &mut |i, t| pick(guards + i, t));
                format!("match {base} with or_introl g_before => {first} | or_intror g_own => {} end", chosen("g_own"))
            };
            let mut body = inner;
            for (g, lit) in existence.guard.iter().enumerate().rev() {
                let text = self.text.lit(&self.theory, lit.with(&value.of), &event);
                let no = pick(g, &format!("n{g}"));
                // The negation of a negative literal is positive.
                let no = if lit.positive { no } else { pick(g, &format!("(NNPP _ n{g})")) };
                body = format!("match classic ({text}) with or_introl g{g} => {body} | or_intror n{g} => {no} end");
            }
            Ok(format!("({body})"))
        })
    }

    pub fn guard(&self, value: &ExistenceValue) -> TheoryFormula {
        let guard = &self.theory.sources[value.source].existence.guard;
        TheoryFormula::and(guard.iter().map(|l| TheoryFormula::lit(l.with(&value.of))))
    }

    /// What is known of a value: a hypothesis, or an instance of a choice.
    fn value_name(&mut self, values: &[ExistenceValue], at: usize) -> Result<String, RocqFailure> {
        let value = &values[at];
        if self.theory.sources[value.source].existence.events > 0 {
            return Ok(format!("value_{at}"));
        }
        let name = self.source(value.source)?;
        let args: String = value.of.iter().map(|t| format!(" {}", event(*t))).collect();
        Ok(format!("({name}{args})"))
    }

    /// Brings an event that exists among the hypotheses, when its first existence comes.
    pub fn introduced(
        &mut self,
        values: &[ExistenceValue],
        at: usize,
    ) -> Result<String, RocqFailure> {
        let source = &self.theory.sources[values[at].source].existence;
        if source.events == 0 || !values[at].unless.is_empty() {
            return Ok(String::new());
        }
        let new: Vec<String> = (0..usize::from(source.events))
            .map(|k| event(EventTerm::event(values[at].event.index() + k)))
            .collect();
        let same: Vec<usize> = (at + 1..values.len())
            .filter(|&v| {
                values[v].event == values[at].event
                    && self.theory.sources[values[v].source].existence.events > 0
            })
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
            let earlier: Vec<TheoryFormula> =
                values[v].unless.iter().map(|&u| self.guard(&values[u])).collect();
            let texts: Vec<String> =
                earlier.iter().map(|f| self.text.inner(&self.theory, f, &event)).collect();
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
    fn says(&self, value: &ExistenceValue) -> String {
        let existence = &self.theory.sources[value.source].existence;
        let all = all_events(value, existence);
        let called = |t: EventTerm| event(t.with(&all));
        let guards: String = existence
            .guard
            .iter()
            .map(|l: &Lit| format!("{} -> ", self.text.lit(&self.theory, *l, &called)))
            .collect();
        format!("{guards}{}", self.cases(&existence.cases, &called))
    }
}

/// The events that an existence speaks of, and the new ones.
pub fn all_events(value: &ExistenceValue, existence: &Existence) -> Vec<EventTerm> {
    let first = value.event.index();
    value
        .of
        .iter()
        .copied()
        .chain((0..usize::from(existence.events)).map(|k| EventTerm::event(first + k)))
        .collect()
}

/// The literals of a case with the terms that prove them.
fn literals(case: &[Lit], term: &str) -> Vec<(Lit, String)> {
    let form = TheoryFormula::And(case.iter().map(|l| TheoryFormula::Lit(*l)).collect());
    case.iter().copied().zip(pieces(&form, term).into_iter().map(|p| p.1)).collect()
}

/// The proof of a case as it is kept, from the case as it stands.
fn simplified(case: &[Lit], values: &[EventTerm], term: &str) -> String {
    let mut all = Vec::new();
    for (lit, proof) in literals(case, term) {
        let (_, constant, swapped) = kept(lit, values);
        match (constant, swapped) {
            (Some(_), _) => {}
            (None, false) => all.push(proof),
            (None, true) if lit.positive => all.push(format!("(eq_sym {proof})")),
            (None, true) => all.push(format!("(fun same => {proof} (eq_sym same))")),
        }
    }
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    conjunction(&all)
}

/// A contradiction, from a case that cannot be.
fn refuted(case: &[Lit], values: &[EventTerm], term: &str) -> String {
    let found =
        literals(case, term).into_iter().find(|(lit, _)| kept(*lit, values).1 == Some(false));
    found.map_or_else(|| term.to_owned(), |(_, proof)| format!("(False_ind _ ({proof} eq_refl))"))
}

fn arguments(value: &ExistenceValue) -> String {
    value.of.iter().map(|t| format!(" {}", event(*t))).collect()
}
