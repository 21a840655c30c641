//! A comparison of two models, from the question to what is printed and written.

use std::path::PathBuf;
use std::time::Instant;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::folder;
use margay_console::limits::RunLimits;
use margay_console::output::{Format, Output};
use margay_console::progress::Bar;
use margay_mappings::certificate;
use margay_mappings::compare::{CompareOptions, Subjects, compare};

use super::present::DiffContext;
use super::proof::{self, DiffProof, ProofToKeep};
use super::{files, human, json};
use crate::prove::{beside, rocq};

/// What is asked.
#[derive(Debug, Clone)]
pub struct DiffOptions {
    /// The search for differences.
    pub compare: CompareOptions,
    /// Is a proof tried beside it that there are none? What is kept of it.
    pub prove: Option<ProofToKeep>,
    /// The folder for differences.
    pub out: Option<PathBuf>,
}

/// Compares, and prints the answer; with a folder the differences are written into it.
///
/// # Errors
/// The output cannot be written.
pub fn run(
    subjects: Subjects<'_>,
    options: &DiffOptions,
    limits: &RunLimits,
    output: &Output,
) -> CommandOutcome {
    let DiffOptions { compare: asked, prove, .. } = options;
    let kept = prove.as_ref().and_then(|kept| kept.certify.as_deref());
    let (out, certify) = (options.out.as_deref(), asked.certify.as_deref().or(kept));
    let prepared = out.map_or(Ok(()), folder::prepare);
    if let Err(error) =
        prepared.and_then(|()| certify.map_or(Ok(()), |folder| certificate::folder(folder, false)))
    {
        return output.wrong(&[error]);
    }
    let settings = match if prove.is_some() { proof::settings(subjects) } else { Ok(Vec::new()) } {
        Ok(settings) => settings,
        Err(errors) => return output.wrong(&errors),
    };
    let start = Instant::now();
    let search = |stop| {
        let asked = asked.clone().with(|asked| asked.stop = stop);
        Bar::during(*output, asked.bound, |bar| compare(subjects, &asked, bar))
    };
    let (reports, result) = if prove.is_some() {
        beside(limits, &settings, search, |_| false)
    } else {
        (Vec::new(), search(limits.stop.clone()))
    };
    let report = match result {
        Ok(report) => report,
        Err(errors) => return output.wrong(&errors),
    };
    let all = settings.into_iter().zip(reports).enumerate();
    let mut proofs: Vec<DiffProof> = all
        .map(|(allows, (setting, report))| DiffProof { allows, setting, report, certified: None })
        .collect();
    let mut uncertified = report.uncertified.clone();
    if let Some(folder) = kept {
        for proof in &mut proofs {
            // A proof that the search contradicts, or beside which it did not reach its bound, is
            // not kept.
            if proof::against(proof, &report).is_none() {
                uncertified.extend(proof.certify(subjects, folder).err().into_iter().flatten());
            }
        }
    }
    let rocq = prove.as_ref().and_then(|kept| kept.rocq.as_deref());
    let rocq = rocq
        .map(|path| rocq::File::write(path, proof::theorems(subjects, &proofs, &report), limits));
    let context = DiffContext {
        subjects,
        options: asked,
        report: &report,
        stopped: limits.reason().filter(|_| report.undecided().is_some()).map(|r| r.words()),
        seconds: start.elapsed().as_secs_f64(),
        proofs: &proofs,
        rocq: rocq.as_ref(),
    };
    let presented = context.presented();
    let exit = output.settle(if context.contradiction().is_some() {
        Exit::Undecided
    } else if report.differ() || context.differs_beyond().is_some() {
        Exit::Found
    } else if context.is_proved() {
        Exit::Holds
    } else if report.undecided().is_some() || prove.is_some() {
        Exit::Undecided
    } else {
        Exit::Holds
    });
    let printed = match output.format {
        Format::Human => human::print(&context, &presented, output),
        Format::Json => output.document(&json::document(&context, &presented)),
    };
    folder::fill(out, &files::is_like, *output, |folder| {
        files::write(folder, &context, &presented)
    });
    output.warn(&uncertified);
    printed?;
    Ok(rocq.map_or(exit, |file| file.report(exit, output)))
}
