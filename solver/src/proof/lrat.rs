//! Refutations of a proof file, written as files for other checkers.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read};
use std::path::Path;

use margay_proof::{ExportedRefutation, LratRefutation};

/// Writes the refutation of a question, the first of the proof having the number 1, as LRAT
/// (Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp, CADE 2017), with the clauses and
/// assumptions that it refutes in DIMACS. Nothing is checked: that is for whoever reads the two
/// files.
///
/// # Errors
/// The proof cannot be read, or has no such question, or does not refute it; the files cannot be
/// written; `stop` said that it is to end.
pub fn export(
    proof: &Path,
    question: u64,
    cnf: &Path,
    lrat: &Path,
    stop: &dyn Fn() -> bool,
) -> io::Result<ExportedRefutation> {
    let refutation = LratRefutation::read(open(proof, stop)?, question)?;
    refutation.write_cnf(BufWriter::new(File::create(cnf)?))?;
    refutation.write_lrat(open(proof, stop)?, BufWriter::new(File::create(lrat)?))
}

/// The numbers of the questions of a proof that were answered by a refutation: those that
/// [`export`] can write.
///
/// # Errors
/// The proof cannot be read; `stop` said that it is to end.
pub fn refuted(proof: &Path, stop: &dyn Fn() -> bool) -> io::Result<Vec<u64>> {
    margay_proof::refuted(open(proof, stop)?)
}

/// The records of a proof file, as long as nobody stops it.
fn open(proof: &Path, stop: &dyn Fn() -> bool) -> io::Result<impl Read> {
    let watched = Watched { file: File::open(proof)?, stop };
    super::records(BufReader::new(watched)).map_err(io::Error::other)
}

/// A file that is read until somebody stops it: whether it may go on is asked before each part.
struct Watched<'a> {
    file: File,
    stop: &'a dyn Fn() -> bool,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if (self.stop)() {
            return Err(io::Error::other("it was stopped"));
        }
        self.file.read(buffer)
    }
}
