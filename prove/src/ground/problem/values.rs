//! Events that exist by functions: the other half of an operation, a fence beside it, what a read
//! reads.

use super::GroundProblem;
use crate::ground::solver::GroundLiteral;
use margay_theorem::ground::{ExistenceValue, matches};
use margay_theorem::logic::{EventAtom, EventTerm, Existence, Lit, TheoryFormula};
use margay_theorem::theory::ExistenceUse;

impl GroundProblem<'_> {
    /// Adds the value of a function where the structure has none.
    pub(super) fn add_values(&mut self) -> bool {
        let theory = self.theory;
        let mut any_cut = false;
        let mut missing = None;
        for &i in &self.sources {
            let source = &theory.sources[i];
            let step = match source.when {
                ExistenceUse::Steps(steps) => steps,
                ExistenceUse::OnRequest => continue,
            };
            let existence = &source.existence;
            let (structure, mut cut) = (&self.structure, false);
            matches(
                structure,
                existence.variables,
                &existence.guard,
                &theory.stop,
                &mut |values| {
                    let depth = values.iter().map(|t| self.depths[t.index()]).max().unwrap_or(0);
                    if existence.events > 0 && depth + step > self.limits.depth {
                        return true;
                    }
                    let all = existence.variables + existence.events;
                    let there = existence.cases.iter().any(|case| {
                        let mut any = false;
                        let fixed: Vec<Lit> = case.iter().map(|l| partly(*l, values)).collect();
                        matches(
                            structure,
                            all - existence.variables,
                            &fixed,
                            &theory.stop,
                            &mut |_| {
                                any = true;
                                false
                            },
                        );
                        any
                    });
                    if there {
                        return true;
                    }
                    if existence.events > 0 && self.events() >= self.limits.events {
                        cut = true;
                        return true;
                    }
                    missing = Some((i, values.to_vec(), depth + step));
                    false
                },
            );
            any_cut |= cut;
            if missing.is_some() {
                break;
            }
        }
        self.cut |= any_cut;
        let Some((source, values, depth)) = missing else { return false };
        self.take(source, values, depth);
        true
    }

    /// Uses an existence of the theory at some events. An event that is there for a function whose
    /// guard does not hold, in the structure at hand, may be its value where the guard does not
    /// hold.
    fn take(&mut self, source: usize, values: Vec<EventTerm>, depth: u8) {
        let theory = self.theory;
        let existence = &theory.sources[source].existence;
        let idle = |event: EventTerm| {
            let mut same = self
                .values
                .iter()
                .filter(|v| v.event == event && theory.sources[v.source].existence.events > 0);
            event.index() < self.depths.len()
                && self.depths[event.index()] == depth
                && values.iter().all(|x| *x < event)
                && same.all(|v| {
                    let guard = &theory.sources[v.source].existence.guard;
                    (v.source != source || v.of != values)
                        && theory.sources[v.source].existence.events == 1
                        && guard
                            .iter()
                            .map(|l| l.with(&v.of))
                            .any(|l| self.structure.holds(l.atom) != l.positive)
                })
        };
        let reused = if existence.events == 1 {
            self.values.iter().map(|v| v.event).find(|&e| idle(e))
        } else {
            None
        };
        let Some(event) = reused else {
            let event = EventTerm::event(self.events());
            self.exists(existence, &values, None, depth);
            self.values.push(ExistenceValue { source, of: values, event, unless: Vec::new() });
            return;
        };
        // Where none of the earlier guards holds: a clause for each way to choose a literal of each
        // that does not.
        let makes =
            |v: &ExistenceValue| v.event == event && theory.sources[v.source].existence.events > 0;
        let unless: Vec<usize> =
            (0..self.values.len()).filter(|&v| makes(&self.values[v])).collect();
        let mut all = values.clone();
        all.push(event);
        let mut clause: Vec<GroundLiteral> =
            existence.guard.iter().map(|l| self.literal(!l.with(&all))).collect();
        for &earlier in &unless {
            let ExistenceValue { source, of, .. } = &self.values[earlier];
            let guard = &theory.sources[*source].existence.guard;
            let holds = TheoryFormula::and(guard.iter().map(|l| TheoryFormula::lit(l.with(of))));
            clause.push(self.implied(&holds));
        }
        self.add_cases(existence, &all, &mut clause);
        self.solver.add(&clause);
        self.values.push(ExistenceValue { source, of: values, event, unless });
    }

    /// Adds to a clause a literal for each case of an existence that can hold at some events.
    fn add_cases(
        &mut self,
        existence: &Existence,
        all: &[EventTerm],
        clause: &mut Vec<GroundLiteral>,
    ) {
        for case in &existence.cases {
            let form = TheoryFormula::and(case.iter().map(|l| TheoryFormula::lit(l.with(all))));
            if form != TheoryFormula::Const(false) {
                clause.push(self.implied(&form));
            }
        }
    }

    /// Supposes an existence at some events; with a guard, where that holds.
    pub fn exists(
        &mut self,
        existence: &Existence,
        values: &[EventTerm],
        guard: Option<GroundLiteral>,
        depth: u8,
    ) {
        let mut all = values.to_vec();
        for _ in 0..existence.events {
            self.depths.push(depth);
            all.push(EventTerm::event(self.events() - 1));
        }
        let mut clause: Vec<GroundLiteral> =
            existence.guard.iter().map(|l| self.literal(!l.with(&all))).collect();
        clause.extend(guard.map(|guard| !guard));
        self.add_cases(existence, &all, &mut clause);
        self.solver.add(&clause);
    }
}

/// Puts values in the place of the first variables, and numbers the others from 0.
fn partly(lit: Lit, values: &[EventTerm]) -> Lit {
    let shift = |t: EventTerm| match t.as_variable() {
        Some(v) if usize::from(v) < values.len() => values[usize::from(v)],
        Some(v) => EventTerm::variable(v - values.len() as u8),
        None => t,
    };
    let [a, b] = lit.atom.args.map(shift);
    Lit { atom: EventAtom::binary(lit.atom.pred, a, b), ..lit }
}
