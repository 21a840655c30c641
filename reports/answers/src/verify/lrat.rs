//! The refutations of a certificate's proofs, written for checkers that others wrote.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use margay_console::folder::{OutputFolder, fill};
use margay_console::limits::RunLimits;
use margay_console::output::Output;
use margay_console::table::counted;
use margay_models::diagnostic::Diagnostic;
use margay_solver::proof::{export, refuted};

/// The list of what was written.
const INDEX: &str = "index.tsv";

/// Writes them: for each question of each proof that was answered by a refutation its clauses and
/// assumptions (`NAME-q1.cnf`, DIMACS) and the steps from them to the empty clause (`NAME-q1.lrat`;
/// Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp, CADE 2017), and a list of all. If a limit
/// ends it, the refutations so far stay, without a list, and that is said on standard error. Did
/// none end it?
pub fn write(certificate: &Path, to: &Path, limits: &RunLimits, output: &Output) -> bool {
    let is_like =
        |name: &str| name == INDEX || [".cnf", ".lrat"].iter().any(|end| name.ends_with(end));
    let mut refutations = 0;
    let mut ended = None;
    let written = fill(Some(to), &is_like, *output, |folder| {
        match all(certificate, folder, &|| limits.is_reached()) {
            Ok(count) => refutations = count,
            Err(error) => match limits.reason() {
                Some(reason) => ended = Some(reason),
                None => return Err(error),
            },
        }
        Ok(())
    });
    if let Some(reason) = ended {
        let what =
            format!("not all refutations were written into `{}`: {}", to.display(), reason.words());
        output.warn(&[Diagnostic::warning(what)
            .help("the answer above stands; allow more time with `--timeout`")]);
        return false;
    }
    if written {
        let shown = counted(refutations, "refutation", "refutations");
        output.aside(&format!("{shown} written into {}, listed in {INDEX}", to.display()));
    }
    true
}

/// Writes the refutations of all proofs of a certificate, and says how many there are.
fn all(certificate: &Path, folder: &mut OutputFolder, stop: &dyn Fn() -> bool) -> io::Result<u64> {
    let (mut index, mut count) = ("problem\tsteps\tclauses\tderived\n".to_owned(), 0);
    for proof in proofs(certificate)? {
        let name = proof.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for question in refuted(&proof, stop)? {
            let (cnf, lrat) =
                (format!("{name}-q{question}.cnf"), format!("{name}-q{question}.lrat"));
            let exported = folder.write_by([&cnf, &lrat], |[problem, steps]| {
                export(&proof, question, &problem, &steps, stop)
            })?;
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
