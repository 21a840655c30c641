//! Preferences among instances: the smallest weighted sum, and the lexicographically first vector.
//! What is found depends on the question alone, not on the solver.

use margay_proof::SatLiteral;
use rustsat::encodings::pb::{BoundUpper, BoundUpperIncremental, DynamicPolyWatchdog};
use rustsat::instances::{BasicVarManager, Cnf, ManageVars};
use rustsat::types::{Lit, Var};

use crate::limits::SolverLimits;
use crate::session::{Literal, Session, SessionOutcome};
use crate::solver::{SolverAnswer, SolverFailure};

/// A weighted sum of literals of a session.
pub struct Objective {
    /// What every instance pays.
    least: usize,
    /// SAT literals with their weights, each variable once.
    terms: Vec<(SatLiteral, usize)>,
    watchdog: DynamicPolyWatchdog,
    /// The smallest sum when it was last asked for: clauses that were added since can only make it
    /// larger.
    known: Option<u64>,
}

impl Session {
    /// An instance under the assumptions with the smallest sum of weights of true literals, and the
    /// sum. From then on every instance has at most that sum. Without an answer (none, or a limit
    /// was reached) there is no sum.
    ///
    /// The search descends from the first instance found: each call asks for a smaller sum, by
    /// assumptions on the outputs of a dynamic polynomial watchdog (Paxian, Reimer and Becker, SAT
    /// 2018, by way of rustsat).
    ///
    /// # Errors
    /// The solver failed, or the sum is too large to be encoded.
    ///
    /// # Panics
    /// If a goal is among the objective's literals.
    pub fn minimize(
        &mut self,
        assumptions: &[Literal],
        objective: &[(u32, Literal)],
        limits: &SolverLimits,
    ) -> Result<(SessionOutcome, Option<u64>), SolverFailure> {
        let mut objective = self.objective(objective);
        let best = self.minimum(assumptions, &mut objective, limits)?;
        if let Some(sum) = best.1 {
            self.keep_at_most(&mut objective, sum)?;
        }
        Ok(best)
    }

    /// An instance under the assumptions with the smallest sum, and the sum; other instances stay
    /// possible. Asked again after clauses were added, it begins with the sum that was the smallest
    /// before; the assumptions must then be the same.
    ///
    /// # Errors
    /// As [`Session::minimize`].
    pub fn minimum(
        &mut self,
        assumptions: &[Literal],
        objective: &mut Objective,
        limits: &SolverLimits,
    ) -> Result<(SessionOutcome, Option<u64>), SolverFailure> {
        let mut best = (SessionOutcome::Unsat, None);
        if let Some(known) = objective.known {
            best = self.below((assumptions, 0), objective, Some(known + 1), limits)?;
            if matches!(best.0, SessionOutcome::Sat(_) | SessionOutcome::Unknown) {
                return Ok(best);
            }
        }
        loop {
            match self.below((assumptions, 0), objective, best.1, limits)? {
                (SessionOutcome::Unsat, _) => break,
                (SessionOutcome::Unknown, _) => return Ok((SessionOutcome::Unknown, None)),
                better => best = better,
            }
        }
        objective.known = best.1.or(objective.known);
        Ok(best)
    }

    /// A weighted sum of literals, to ask for its minimum more than once.
    ///
    /// # Panics
    /// If a goal is among the literals.
    pub fn objective(&mut self, objective: &[(u32, Literal)]) -> Objective {
        // What every instance pays, and the rest by SAT literals.
        let mut least = 0;
        let mut terms: Vec<(SatLiteral, usize)> = Vec::new();
        for &(weight, literal) in objective {
            let weight = weight as usize;
            match self.emitter.exact_literal(&self.translator.circuit, literal.both_ways()) {
                _ if weight == 0 => {}
                None => least += if literal.constant() == Some(true) { weight } else { 0 },
                Some(literal) => terms.push((literal, weight)),
            }
        }
        least += normalize(&mut terms);
        let watchdog = terms
            .iter()
            .filter_map(|&(l, w)| Some((Lit::from_ipasir(l.dimacs()).ok()?, w)))
            .collect();
        Objective { least, terms, watchdog, known: None }
    }

    /// An instance under the assumptions, and its sum, which is smaller than the given one; other
    /// instances stay possible. The first assumption is taken apart as deep as that
    /// ([`Session::solve_by_cases`]).
    ///
    /// # Errors
    /// As [`Session::minimize`].
    pub fn below(
        &mut self,
        (assumptions, depth): (&[Literal], usize),
        objective: &mut Objective,
        sum: Option<u64>,
        limits: &SolverLimits,
    ) -> Result<(SessionOutcome, Option<u64>), SolverFailure> {
        self.refuted = None;
        let mut wanted = Vec::new();
        if let Some(sum) = sum {
            let Some(most) =
                usize::try_from(sum).ok().and_then(|sum| sum.checked_sub(objective.least + 1))
            else {
                return Ok((SessionOutcome::Unsat, None));
            };
            if objective.terms.iter().map(|&(_, w)| w).sum::<usize>() > most {
                wanted.extend(self.at_most(&mut objective.watchdog, most)?);
            }
        }
        Ok(match self.decide_by_cases((assumptions, &wanted), depth, limits)? {
            SolverAnswer::Sat => {
                let sum = (objective.least + self.sum(&objective.terms)) as u64;
                (SessionOutcome::Sat(self.instance()), Some(sum))
            }
            SolverAnswer::Unsat => (SessionOutcome::Unsat, None),
            SolverAnswer::Unknown => (SessionOutcome::Unknown, None),
        })
    }

    /// From now on every instance has at most this sum.
    ///
    /// # Errors
    /// The sum is too large to be encoded.
    pub fn keep_at_most(
        &mut self,
        objective: &mut Objective,
        sum: u64,
    ) -> Result<(), SolverFailure> {
        let Some(sum) = (sum as usize).checked_sub(objective.least) else {
            self.add_clause(&[]);
            return Ok(());
        };
        if objective.terms.iter().map(|&(_, w)| w).sum::<usize>() > sum {
            for literal in self.at_most(&mut objective.watchdog, sum)? {
                self.emitter.literals([literal]);
            }
        }
        Ok(())
    }

    /// The sum of the weights of literals that are true in the assignment found last.
    fn sum(&self, terms: &[(SatLiteral, usize)]) -> usize {
        terms
            .iter()
            .filter(|&&(literal, _)| self.literal_value(literal))
            .map(|&(_, weight)| weight)
            .sum()
    }

    /// Literals that, if true, keep the sum within a bound.
    fn at_most(
        &mut self,
        watchdog: &mut DynamicPolyWatchdog,
        bound: usize,
    ) -> Result<Vec<SatLiteral>, SolverFailure> {
        let failure = |why: String| SolverFailure::of_sum(format!("at most {bound}: {why}"));
        let taken =
            u32::try_from(self.emitter.clauses.variables()).map_err(|e| failure(e.to_string()))?;
        let mut variables = BasicVarManager::from_next_free(Var::new(taken));
        let mut clauses = Cnf::new();
        let encoded = watchdog.encode_ub_change(bound..=bound, &mut clauses, &mut variables);
        self.emitter.reserve(variables.n_used() as usize);
        for clause in &clauses {
            self.emitter
                .literals(clause.iter().filter_map(|l| SatLiteral::of_dimacs(l.to_ipasir())));
        }
        encoded.map_err(|e| failure(e.to_string()))?;
        let literals = watchdog.enforce_ub(bound).map_err(|e| failure(e.to_string()))?;
        Ok(literals.into_iter().filter_map(|l| SatLiteral::of_dimacs(l.to_ipasir())).collect())
    }

    /// An instance under the assumptions in which the vector of literals is lexicographically
    /// smallest (false before true).
    ///
    /// The solver is asked for a literal only if the instance in hand has it true.
    ///
    /// # Errors
    /// The solver failed.
    ///
    /// # Panics
    /// If a goal is among the literals to order by.
    pub fn lexicographic_minimum(
        &mut self,
        assumptions: &[Literal],
        order: &[Literal],
        limits: &SolverLimits,
    ) -> Result<SessionOutcome, SolverFailure> {
        let Some(mut fixed) = self.assumptions(assumptions) else {
            return Ok(SessionOutcome::Unsat);
        };
        // Both directions: values are read, and falsity is assumed.
        let order: Vec<SatLiteral> = order
            .iter()
            .filter_map(|l| self.emitter.exact_literal(&self.translator.circuit, l.both_ways()))
            .collect();
        match self.decide_literals(&fixed, limits)? {
            SolverAnswer::Sat => {}
            SolverAnswer::Unsat => return Ok(SessionOutcome::Unsat),
            SolverAnswer::Unknown => return Ok(SessionOutcome::Unknown),
        }
        for literal in order {
            if self.literal_value(literal) {
                fixed.push(!literal);
                match self.decide_literals(&fixed, limits)? {
                    SolverAnswer::Sat => continue,
                    SolverAnswer::Unsat => {
                        fixed.pop();
                        fixed.push(literal);
                    }
                    SolverAnswer::Unknown => return Ok(SessionOutcome::Unknown),
                }
            } else {
                fixed.push(!literal);
            }
        }
        // The assignment kept is the last one found, which all later literals agreed with.
        Ok(SessionOutcome::Sat(self.instance()))
    }
}

/// Gives each variable at most one term, of positive weight; returns what every assignment pays.
fn normalize(terms: &mut Vec<(SatLiteral, usize)>) -> usize {
    terms.sort_unstable_by_key(|&(literal, _)| (literal.variable(), literal));
    let mut always = 0;
    let mut out: Vec<(SatLiteral, usize)> = Vec::with_capacity(terms.len());
    for &(literal, weight) in terms.iter() {
        match out.last_mut() {
            Some((last, sum)) if *last == literal => *sum += weight,
            Some((last, sum)) if *last == !literal => {
                // One of the two is true: both pay the smaller weight.
                let both = (*sum).min(weight);
                always += both;
                (*last, *sum) =
                    if *sum > weight { (*last, *sum - both) } else { (literal, weight - both) };
            }
            _ => out.push((literal, weight)),
        }
    }
    out.retain(|&(_, weight)| weight > 0);
    *terms = out;
    always
}

#[cfg(test)]
mod tests {
    use super::{SatLiteral, normalize};

    #[test]
    fn terms_of_one_variable_are_put_together() {
        let of = |(number, weight): (i32, usize)| {
            (SatLiteral::of_dimacs(number).expect("a literal"), weight)
        };
        let mut terms = [(3, 5), (-2, 1), (2, 4), (3, 2), (4, 7), (-4, 7)].map(of).to_vec();
        assert_eq!(normalize(&mut terms), 1 + 7);
        assert_eq!(terms, [(2, 3), (3, 7)].map(of));
    }
}
