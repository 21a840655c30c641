//! A search that writes a proof, which is read back before its answer counts as proved.

use std::io::{self, BufWriter};
use std::path::Path;

use margay_solver::Backend;
use margay_solver::proof::{ProofLog, Replayed};
use tempfile::NamedTempFile;

use super::Proof;
use crate::durable::unfinished_in;

/// What a search came to.
#[derive(Debug, Clone)]
pub struct Proved<T> {
    pub answer: T,
    /// The proof, as it was read back and accepted.
    pub proof: Option<Proof>,
    /// Why the proof could not be written, if it could not. The answer is then as good as that of a
    /// search without a certificate.
    pub unwritten: Option<String>,
}

/// Searches, writes the proof into a file of the folder, and reads it back. `name` says what the
/// file is called, once the proof is accepted; it is `None` where the answer has nothing to prove,
/// and then there is no file. `replay` translates the question again and compares it with the
/// proof.
///
/// A proof that cannot be written (a full disk) costs the certificate and not the answer.
///
/// # Errors
/// Those of the search, and of a proof that does not show the answer.
pub fn proved<T, E>(
    (folder, backend): (&Path, &Backend),
    search: impl FnOnce(Option<&ProofLog>) -> Result<T, E>,
    name: impl FnOnce(&T) -> Option<String>,
    replay: impl FnOnce(&T, &Path) -> Result<Replayed, E>,
) -> Result<Proved<T>, E> {
    let cannot = |error: &io::Error| {
        format!("a proof cannot be written into `{}`: {error}", folder.display())
    };
    let begun = if backend.proves() {
        begin(folder).map_err(|error| cannot(&error))
    } else {
        Err(format!("the solver `{backend}` writes no proofs"))
    };
    let (log, unfinished) = match begun {
        Ok(begun) => begun,
        Err(why) => return Ok(Proved { answer: search(None)?, proof: None, unwritten: Some(why) }),
    };
    let answer = search(Some(&log))?;
    let written = log.finish();
    let Some(name) = name(&answer) else {
        return Ok(Proved { answer, proof: None, unwritten: None });
    };
    if let Err(error) = written {
        return Ok(Proved { answer, proof: None, unwritten: Some(cannot(&error)) });
    }
    let proof = replay(&answer, unfinished.path())?;
    Ok(match unfinished.persist(folder.join(&name)) {
        Ok(_) => Proved { answer, proof: Some(Proof::of(&proof, name)), unwritten: None },
        Err(error) => Proved { answer, proof: None, unwritten: Some(cannot(&error.error)) },
    })
}

/// A proof in a file that has no name yet.
fn begin(folder: &Path) -> io::Result<(ProofLog, NamedTempFile)> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let unfinished = unfinished_in(folder)?;
    let out = BufWriter::with_capacity(1 << 18, unfinished.reopen()?);
    Ok((ProofLog::to(Box::new(out))?, unfinished))
}

#[cfg(test)]
mod tests {
    use super::proved;
    use margay_solver::Backend;

    /// How many files there are after a search whose answer needs a proof or not, and whose proof
    /// is not accepted.
    fn left(needed: bool) -> (Result<bool, String>, usize) {
        let folder = tempfile::tempdir().expect("there is room");
        let name = needed.then(|| "a.proof".to_owned());
        let backend = Backend::available().into_iter().find(Backend::proves).unwrap_or_default();
        let search = |log: Option<&_>| Ok(log.is_some());
        let found = proved(
            (folder.path(), &backend),
            search,
            |_| name,
            |_, _| Err("it is wrong".to_owned()),
        );
        let files = std::fs::read_dir(folder.path()).expect("it is there").count();
        (found.map(|f| f.answer), files)
    }

    #[test]
    fn what_is_not_needed_or_not_accepted_leaves_no_file() {
        let proves = Backend::available().iter().any(Backend::proves);
        assert_eq!(left(false), (Ok(proves), 0));
        assert_eq!(left(true), (if proves { Err("it is wrong".to_owned()) } else { Ok(false) }, 0));
    }

    #[test]
    fn what_cannot_be_written_costs_no_answer() {
        let folder = tempfile::tempdir().expect("there is room");
        let missing = folder.path().join("missing");
        let search = |log: Option<&_>| Ok::<bool, String>(log.is_some());
        let found = proved(
            (&missing, &Backend::default()),
            search,
            |_| Some("a.proof".to_owned()),
            |_, _| Err(String::new()),
        );
        let found = found.expect("there is an answer");
        assert!(!found.answer && found.proof.is_none());
        assert!(found.unwritten.is_some());
    }
}
