//! The problem as text: CNF in DIMACS format, which any SAT solver takes.

use std::io::{self, Write};

use margay_proof::SatLiteral;

use crate::clause_text::write_clauses;
use crate::logic::Logic;
use crate::session::{Literal, Session};

impl Session {
    /// Writes the clauses so far in DIMACS format, with the assumptions as unit clauses and each
    /// line of the comments as a comment line before them.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_dimacs(
        &mut self,
        out: &mut impl Write,
        assumptions: &[Literal],
        comments: &[&str],
    ) -> io::Result<()> {
        // A false assumption is an empty clause, which no assignment satisfies.
        let units: Vec<Vec<SatLiteral>> = match self.assumptions(assumptions) {
            Some(literals) => literals.into_iter().map(|l| vec![l]).collect(),
            None => vec![Vec::new()],
        };
        for line in comments.iter().flat_map(|comment| comment.lines()) {
            writeln!(out, "c {line}")?;
        }
        let clauses = &self.emitter.clauses;
        let all = clauses.since(0).chain(units.iter().map(Vec::as_slice));
        write_clauses(out, clauses.variables(), clauses.len() + units.len(), all)
    }

    /// Which SAT variable says what of which relation, a line for each: `7 edge(a, b)`. Tuples that
    /// no clause mentions have no variable. Useful as a comment of [`Session::write_dimacs`].
    pub fn variable_names(&mut self, logic: &Logic) -> String {
        let mut lines = Vec::new();
        let relations: Vec<_> = self.bounds().relations().collect();
        for relation in relations {
            let Some((lower, upper)) =
                self.bounds().get(relation).map(|(l, u)| (l.clone(), u.clone()))
            else {
                continue;
            };
            for tuple in upper.iter().filter(|t| !lower.contains(t)) {
                let bit = self.tuple(relation, tuple).bit;
                if let Some(variable) = self.emitter.known(bit) {
                    let atoms: Vec<&str> =
                        tuple.iter().map(|&a| self.bounds().universe().name(a)).collect();
                    lines.push((
                        variable,
                        format!(
                            "{variable} {}({})",
                            logic.relation_name(relation),
                            atoms.join(", ")
                        ),
                    ));
                }
            }
        }
        lines.sort_unstable();
        lines.into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("\n")
    }
}
