//! Values: what each read returns is one of finitely many, and what is computed follows by the
//! table of its operator.

use margay_solver::{Atom, Literal};

use super::problem::{OneOf, Problem, event, first_number};
use super::walk::{Walk, WalkStep};
use crate::unfold::{MergedValue, ValueId};

impl Problem<'_> {
    pub(super) fn returned(&mut self, read: usize) -> OneOf {
        let first = first_number(self.facts);
        let domain = &self.domains.reads[read];
        let relation = self.translation.vocabulary.returns;
        let mut number = |v: i64| {
            let at = self.numbers.binary_search(&v).unwrap_or(0);
            self.session.tuple(relation, &[event(read), Atom(first + at as u32)])
        };
        domain.iter().map(|&v| (v, number(v))).collect()
    }

    /// Reads return the value of the write that they read from, and only one.
    pub(super) fn values_flow(&mut self) {
        for read in 0..self.domains.sources.len() {
            if self.domains.sources[read].is_empty() {
                continue;
            }
            let returned = self.returned(read);
            let literals: Vec<Literal> = returned.iter().map(|&(_, l)| l).collect();
            self.exactly_one(&literals);
            for &write in &self.domains.sources[read] {
                let from = self.pair(self.translation.vocabulary.searched.rf, write, read);
                let Some(value) = self.facts.merged.events[write].value else { continue };
                for (v, written) in self.result(value) {
                    match returned.binary_search_by_key(&v, |&(v, _)| v) {
                        Ok(at) => self.session.add_clause(&[!from, !written, returned[at].1]),
                        Err(_) => self.session.add_clause(&[!from, !written]),
                    }
                }
            }
        }
    }

    /// What is computed.
    pub(super) fn result(&mut self, id: ValueId) -> OneOf {
        if let Some(known) = &self.results[id.index()] {
            return known.clone();
        }
        let result = match self.facts.merged.values[id.index()] {
            MergedValue::Number(n) => vec![(n, self.truth)],
            MergedValue::Read(read) => self.returned(read),
            MergedValue::Unary(operator, a) => {
                let a = self.result(a);
                let result = self.one_of(&self.domains.values[id.index()].clone());
                for (x, of_x) in a {
                    self.follows(&[of_x], operator.apply(x), &result);
                }
                result
            }
            MergedValue::Binary(operator, a, b) => {
                let (a, b) = (self.result(a), self.result(b));
                let result = self.one_of(&self.domains.values[id.index()].clone());
                for &(x, of_x) in &a {
                    for &(y, of_y) in &b {
                        self.follows(&[of_x, of_y], operator.apply(x, y), &result);
                    }
                }
                result
            }
        };
        self.results[id.index()] = Some(result.clone());
        result
    }

    /// A new value, at most one of the given ones.
    pub(super) fn one_of(&mut self, domain: &[i64]) -> OneOf {
        if let [only] = domain {
            return vec![(*only, self.truth)];
        }
        let result: OneOf = domain.iter().map(|&v| (v, self.session.fresh())).collect();
        let literals: Vec<Literal> = result.iter().map(|&(_, l)| l).collect();
        self.exactly_one(&literals);
        result
    }

    /// If all literals hold, the result is a certain value.
    pub(super) fn follows(&mut self, literals: &[Literal], value: i64, result: &OneOf) {
        let mut clause: Vec<Literal> = literals.iter().map(|&l| !l).collect();
        if let Ok(at) = result.binary_search_by_key(&value, |&(v, _)| v) {
            clause.push(result[at].1);
        }
        self.session.add_clause(&clause);
    }

    /// What the paths suppose of values holds where they are taken.
    pub(super) fn suppositions(&mut self) {
        let supposed =
            self.walks.iter().flat_map(Walk::steps).filter_map(|(step, taken)| match step {
                WalkStep::Supposition(value, holds) => Some((value, holds, taken)),
                _ => None,
            });
        for (value, holds, taken) in supposed.collect::<Vec<_>>() {
            for (v, literal) in self.result(value) {
                if (v != 0) != holds {
                    self.session.add_clause(&[!taken, !literal]);
                }
            }
        }
    }
}
