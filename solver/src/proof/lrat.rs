//! Refutations of a proof file, written as files for other checkers.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read};
use std::path::Path;

use margay_proof::{ExportedRefutation, LratRefutation};

/// Writes the refutation of a question, the first of the proof having the number 1, as LRAT (Cruz-Filipe, Heule, Hunt, Kaufmann and
/// Schneider-Kamp, CADE 2017), with the clauses and assumptions that it refutes in DIMACS. Nothing is checked: that is for whoever reads
/// the two files.
///
/// # Errors
/// The proof cannot be read, or has no such question, or does not refute it; the files cannot be written.
pub fn export(proof: &Path, question: u64, cnf: &Path, lrat: &Path) -> io::Result<ExportedRefutation> {
    let refutation = LratRefutation::read(open(proof)?, question)?;
    refutation.write_cnf(BufWriter::new(File::create(cnf)?))?;
    refutation.write_lrat(open(proof)?, BufWriter::new(File::create(lrat)?))
}

/// The numbers of the questions of a proof that were answered by a refutation: those that [`export`] can write.
///
/// # Errors
/// The proof cannot be read.
pub fn refuted(proof: &Path) -> io::Result<Vec<u64>> {
    margay_proof::refuted(open(proof)?)
}

/// The records of a proof file.
fn open(proof: &Path) -> io::Result<impl Read + use<>> {
    super::records(BufReader::new(File::open(proof)?)).map_err(io::Error::other)
}
