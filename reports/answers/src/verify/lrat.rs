//! The refutations of a certificate's proofs, written for checkers that others wrote.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use margay_console::folder::{Folder, fill};
use margay_console::output::Output;
use margay_console::table::counted;
use margay_solver::proof::{export, refuted};

/// The list of what was written.
const INDEX: &str = "index.tsv";

/// Writes them: for each question of each proof that was answered by a refutation its clauses and assumptions (`NAME-q1.cnf`, DIMACS) and the
/// steps from them to the empty clause (`NAME-q1.lrat`; Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp, CADE 2017), and a list of all.
/// Was all written?
pub fn write(certificate: &Path, to: &Path, output: &Output) -> bool {
    let is_like = |name: &str| name == INDEX || [".cnf", ".lrat"].iter().any(|end| name.ends_with(end));
    let mut refutations = 0;
    let written = fill(Some(to), &is_like, *output, |folder| {
        refutations = all(certificate, folder)?;
        Ok(())
    });
    if written {
        let shown = counted(refutations, "refutation", "refutations");
        output.aside(&format!("{shown} written into {}, listed in {INDEX}", to.display()));
    }
    written
}

/// Writes the refutations of all proofs of a certificate, and says how many there are.
fn all(certificate: &Path, folder: &mut Folder) -> io::Result<u64> {
    let (mut index, mut count) = ("problem\tsteps\tclauses\tderived\n".to_owned(), 0);
    for proof in proofs(certificate)? {
        let name = proof.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for question in refuted(&proof)? {
            let (cnf, lrat) = (format!("{name}-q{question}.cnf"), format!("{name}-q{question}.lrat"));
            let exported = folder.write_by([&cnf, &lrat], |[problem, steps]| export(&proof, question, &problem, &steps))?;
            let _ = writeln!(index, "{cnf}\t{lrat}\t{}\t{}", exported.clauses, exported.steps);
            count += 1;
        }
    }
    folder.write(INDEX, index)?;
    Ok(count)
}

/// The proof files of a certificate, by name.
fn proofs(certificate: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(certificate)?.map(|entry| entry.map(|entry| entry.path()));
    let mut proofs = entries.collect::<io::Result<Vec<_>>>()?;
    proofs.retain(|path| path.extension().is_some_and(|extension| extension == "proof"));
    proofs.sort();
    Ok(proofs)
}
