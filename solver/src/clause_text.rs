//! Clauses in DIMACS format, which any SAT solver takes.

use std::io::{self, Write};

use margay_proof::SatLiteral;

/// Writes so many clauses over so many variables.
pub(crate) fn write_clauses<'c>(
    out: &mut impl Write,
    variables: usize,
    count: usize,
    clauses: impl Iterator<Item = &'c [SatLiteral]>,
) -> io::Result<()> {
    writeln!(out, "p cnf {variables} {count}")?;
    for clause in clauses {
        for literal in clause {
            write!(out, "{literal} ")?;
        }
        writeln!(out, "0")?;
    }
    Ok(())
}
