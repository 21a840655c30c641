//! The certificate of the tests that were made of kernels, and what is said of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use margay_console::table::{counted, number};
use margay_kernel::{KernelProofs, LackOfProof, LaunchAnswer, LaunchVerdict};
use margay_models::certificate::{Extent, folder, without_proofs};
use margay_models::diagnostic::Diagnostic;
use margay_reports::kernel as document;
use margay_reports::verify::KernelCertificate;
use margay_solver::Backend;

use super::asked::{AskedKernel, KernelFile};
use crate::certificate::{extent, proofs};

/// A certificate that was written.
pub struct WrittenTests {
    folder: PathBuf,
    tests: usize,
    answers: usize,
    extent: Extent,
}

/// Makes the folder, and what proofs are kept in.
pub fn begin(path: Option<&Path>) -> Result<Option<KernelProofs>, Diagnostic> {
    let Some(path) = path else { return Ok(None) };
    if let Some(error) = without_proofs(&Backend::default()) {
        return Err(error);
    }
    folder(path, false).map(|()| Some(KernelProofs::new(path)))
}

/// Writes what has a proof, of kernels in which nothing goes wrong.
pub fn end(
    kept: &KernelProofs,
    file: &KernelFile,
    answers: &[AskedKernel],
    path: &Path,
) -> Result<WrittenTests, Vec<Diagnostic>> {
    let questions = answers.iter().flat_map(|asked| {
        let kernel = asked.answer.kernel.as_str();
        certified(asked).flat_map(move |launch| {
            let of = move |question| (kernel, launch.launch.to_string(), question);
            launch.proofs.proved.iter().map(of)
        })
    });
    let (tests, answers, extent) = kept.write(&file.ptx.name, questions)?;
    Ok(WrittenTests { folder: path.to_owned(), tests, answers, extent })
}

/// The launches whose answers go into a certificate: none, where something goes wrong in one.
fn certified(asked: &AskedKernel) -> impl Iterator<Item = &LaunchAnswer> {
    let is_right = asked.answer.wrong().is_none();
    let is_asked = |launch: &&LaunchAnswer| {
        matches!(launch.asked, LaunchVerdict::Nothing | LaunchVerdict::Undecided)
    };
    asked.answer.launches.iter().filter(move |_| is_right).filter(is_asked)
}

/// What of an answer has a proof, behind its first line.
pub fn said(asked: &AskedKernel) -> String {
    if !asked.certified {
        return String::new();
    }
    if asked.answer.wrong().is_some() {
        return "; nothing is certified, since something goes wrong".to_owned();
    }
    let of = record(asked);
    let mut why: BTreeMap<&str, u64> = BTreeMap::new();
    for unproved in &of.unproved {
        *why.entry(&unproved.why).or_default() += unproved.count as u64;
    }
    let without: u64 = why.values().sum();
    let why: Vec<String> =
        why.iter().map(|(why, count)| format!("{}: {why}", number(*count))).collect();
    let none = match without {
        _ if of.proved == 0 && without > 0 => format!(" ({})", why.join("; ")),
        0 => String::new(),
        1 => format!(", 1 has none ({})", why.join("; ")),
        n => format!(", {} have none ({})", number(n), why.join("; ")),
    };
    if of.proved == 0 {
        return format!("; no answer has a proof{none}");
    }
    let have = if of.proved == 1 { "has" } else { "have" };
    format!(
        "; {} about {} {have} a proof (of {}){none}, and the way from the kernel to its tests is not certified",
        counted(of.proved as u64, "question", "questions"),
        counted(of.launches.len() as u64, "launch", "launches"),
        counted(of.tests as u64, "test", "tests"),
    )
}

/// The same as a part of a document.
pub fn record(asked: &AskedKernel) -> document::KernelProofsRecord {
    let mut tests = BTreeSet::new();
    let (mut proved, mut launches, mut unproved) = (0, Vec::new(), Vec::new());
    for launch in certified(asked) {
        let of = &launch.proofs;
        proved += of.proved.len();
        tests.extend(of.proved.iter().map(|question| question.place.0));
        if !of.proved.is_empty() {
            launches.push(launch.launch.to_string());
        }
        let record =
            |((question, with, why), count): (&(String, Vec<String>, LackOfProof), &usize)| {
                document::UnprovedRecord {
                    launch: launch.launch.to_string(),
                    question: question.clone(),
                    with: with.clone(),
                    count: *count,
                    why: why.words(),
                }
            };
        unproved.extend(of.unproved.iter().map(record));
    }
    document::KernelProofsRecord { proved, launches, tests: tests.len(), unproved }
}

impl WrittenTests {
    /// Where it is and how large, in a sentence.
    pub fn sentence(&self) -> String {
        format!(
            "Certificate in {}: {} about {}. {} All were checked.",
            self.folder.display(),
            counted(self.answers as u64, "answer", "answers"),
            counted(self.tests as u64, "litmus test", "litmus tests"),
            proofs(&self.extent)
        )
    }

    /// The same as a part of a document.
    pub fn document(&self) -> KernelCertificate {
        KernelCertificate {
            folder: self.folder.display().to_string(),
            tests: self.tests,
            answers: self.answers,
            extent: extent(&self.extent),
        }
    }
}
