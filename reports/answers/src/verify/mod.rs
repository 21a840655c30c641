//! A certificate, seen to be right without a solver.

mod held;
mod kernel;
mod lrat;
mod run;
mod theorem;

pub use held::CertificateSubject;

use std::path::{Path, PathBuf};

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::limits::{RunLimits, StopReason, jobs};
use margay_console::output::{Format, Output};
use margay_console::progress::Bar;
use margay_console::wrapped::{indented, wrapped};
use margay_mappings::certificate::{
    Basis, BoundedClaim, MappingDocument, MappingSubject, Verified,
};
use margay_models::certificate::{open, wrong};
use margay_reports::verify as document;

use crate::certificate::{author, bases, claims, extent, said, size, subject};
use crate::restriction::Restriction;

/// What is asked.
#[derive(Debug, Clone)]
pub struct VerificationOptions {
    /// The folder of the certificate.
    pub certificate: PathBuf,
    /// What it must be about.
    pub about: CertificateSubject,
    /// A folder for the refutations of its proofs.
    pub lrat: Option<PathBuf>,
    /// The number of threads that verify.
    pub jobs: Option<usize>,
}

/// Verifies, and prints the answer; with a folder the refutations are written into it.
///
/// # Errors
/// The output cannot be written.
pub fn run(options: &VerificationOptions, limits: &RunLimits, output: &Output) -> CommandOutcome {
    let exit = verified(options, limits, output)?;
    // The answer was printed: what cannot be written changes nothing about it. That a limit ended
    // it the exit code says.
    match (exit, &options.lrat) {
        (Exit::Holds, Some(folder))
            if !lrat::write(&options.certificate, folder, limits, output) =>
        {
            Ok(Exit::Undecided)
        }
        _ => Ok(exit),
    }
}

/// Verifies, and prints the answer.
fn verified(options: &VerificationOptions, limits: &RunLimits, output: &Output) -> CommandOutcome {
    let read = jobs(options.jobs).and_then(|jobs| Ok((jobs, open(&options.certificate)?)));
    let (jobs, sealed) = match read {
        Ok(read) => read,
        Err(error) => return output.wrong(&[error]),
    };
    match sealed.kind() {
        kind if margay_litmus::certificate::KINDS.contains(&kind) => {
            return run::run(&sealed, options, (jobs, limits), output);
        }
        kind if margay_theorem::certificate::KINDS.contains(&kind) && options.lrat.is_some() => {
            let error = wrong(
                &options.certificate,
                "`--lrat` is of the proofs of a search, and this is a theorem's",
            );
            return output.wrong(&[error.help(
                "a theorem for another checker is a file for Rocq: `margay prove --rocq FILE.v`",
            )]);
        }
        kind if margay_theorem::certificate::KINDS.contains(&kind) => {
            return theorem::run(&sealed, options, limits, output);
        }
        "check" | "diff" => {}
        other => {
            let error = wrong(
                &options.certificate,
                &format!("it is about a `{other}`, which this Margay does not know"),
            );
            return output.wrong(&[
                error.help("it knows those of `check`, `diff`, `run`, `kernel` and `prove`")
            ]);
        }
    }
    let read = sealed.parse().map_err(|error| vec![error]);
    let read = read.and_then(|document: MappingDocument| {
        Ok((options.about.search(&document.subject, output)?, document))
    });
    let (held, document) = match read {
        Ok(read) => read,
        Err(errors) => return output.wrong(&errors),
    };
    let start = std::time::Instant::now();
    let (folder, shown) = (options.certificate.clone(), *output);
    let followed = limits.within(move || {
        let bar = Bar::new(shown);
        let result = margay_mappings::verify(&document, &folder, &held, (jobs, &bar));
        let result = result
            .and_then(|verified| Ok((verified, margay_mappings::not_asked(&document.subject)?)));
        bar.finish();
        (result, document)
    });
    let ((verified, not_asked), document) = match followed {
        Some((Ok(verified), document)) => (verified, document),
        Some((Err(errors), _)) => return output.wrong(&errors),
        None => return undecided(&options.certificate, limits, output),
    };
    let exit = output.settle(Exit::Holds);
    let seen = Seen {
        document: &document,
        verified,
        not_asked,
        seconds: start.elapsed().as_secs_f64(),
        jobs,
    };
    match output.format {
        Format::Human => seen.print(output)?,
        Format::Json => match &document.subject {
            MappingSubject::Check { mapping, source, target, baseline, given } => {
                output.document(&document::VerifiedCheck {
                    kind: document::CertificateKind::Check,
                    mapping_file: mapping.name.clone(),
                    baseline_file: baseline.as_ref().map(|baseline| baseline.name.clone()),
                    source_file: source.model.name.clone(),
                    target_file: target.model.name.clone(),
                    given: subject::check_given(given),
                    search: seen.report(),
                })?
            }
            MappingSubject::Diff { mapping, old, new, given } => {
                output.document(&document::VerifiedDiff {
                    kind: document::DiffKind::Diff,
                    mapping_file: mapping.as_ref().map(|m| m.name.clone()),
                    old_file: old.model.name.clone(),
                    new_file: new.model.name.clone(),
                    given: subject::diff_given(given),
                    search: seen.report(),
                })?
            }
        },
    }
    Ok(exit)
}

/// The end of a check that a limit ended: nothing is said of the certificate.
fn undecided(certificate: &Path, limits: &RunLimits, output: &Output) -> CommandOutcome {
    let exit = output.settle(Exit::Undecided);
    let reason = limits.reason().unwrap_or(StopReason::Interrupted).words();
    match output.format {
        Format::Human => {
            let (found, name) = (output.unsure("undecided"), certificate.display());
            let line = format!(
                "{found} ({reason}): the certificate was not followed to its end, so nothing is said of it: {name}"
            );
            output.print(&wrapped(&line, output.width()))?;
        }
        Format::Json => output.document(&document::UndecidedVerification {
            verified: None,
            certificate: certificate.display().to_string(),
            reason: reason.to_owned(),
        })?,
    }
    Ok(exit)
}

/// What was seen to be so.
struct Seen<'a> {
    document: &'a MappingDocument,
    verified: Verified,
    /// What of its mapping it is not about, as the end of the first line.
    not_asked: String,
    seconds: f64,
    jobs: usize,
}

impl Seen<'_> {
    fn print(&self, output: &Output) -> std::io::Result<()> {
        let (subject, bases) = (&self.document.subject, &self.verified.bases);
        let about = format!(
            "{}{}{}",
            subject::about(subject, bases),
            Restriction::of_certificate(subject),
            self.not_asked
        );
        let said = said(&self.document.claims, subject::nothing(subject), &about);
        output.print(&wrapped(
            &format!("{}: {}", output.good("verified"), said[0]),
            output.width(),
        ))?;
        for line in &said[1..] {
            output.print(&indented(line, output.width()))?;
        }
        output.print("")?;
        output.print(&wrapped(
            &format!("{} {}", subject::asked(subject), self.beyond()),
            output.width(),
        ))?;
        output.print("")?;
        bases::print(&bases.iter().collect::<Vec<_>>(), output)?;
        output.print("")?;
        output.print(&wrapped(&size(&self.verified.extent), output.width()))?;
        output
            .print(&format!("{:.2} s on {} threads, without a solver", self.seconds, self.jobs))?;
        output.print("")?;
        let meaning = format!(
            "Each case was translated again from these texts and compared with its proof, clause by clause; each step of each proof was \
             checked; all ways to put events into threads are among the cases. {}",
            author(&self.document.margay, &self.document.solver)
        );
        output.print(&wrapped(&meaning, output.width()))
    }

    /// What the certificate says nothing about.
    fn beyond(&self) -> String {
        let bound = subject::bound(&self.document.subject);
        let claims = &self.document.claims;
        let fewer: Vec<&BoundedClaim> = claims.iter().filter(|c| c.none_up_to < bound).collect();
        let of = match fewer.as_slice() {
            [] => return String::new(),
            [first, rest @ ..]
                if fewer.len() == claims.len()
                    && rest.iter().all(|c| c.none_up_to == first.none_up_to) =>
            {
                format!("{} are certified", first.none_up_to)
            }
            fewer => {
                let each =
                    fewer.iter().map(|c| format!("{} are certified of {}", c.none_up_to, c.axiom));
                each.collect::<Vec<_>>().join(", and ")
            }
        };
        format!("No more than {of}: beyond that something was found, or there was no answer.")
    }

    /// What is said of any search.
    fn report(&self) -> document::VerifiedSearch {
        document::VerifiedSearch {
            verified: true,
            written_by: self.document.margay.clone(),
            solver: self.document.solver.clone(),
            claims: claims(&self.document.claims),
            texts: bases::report(&self.verified.bases),
            compared: self.verified.bases.iter().all(Basis::is_known),
            extent: extent(&self.verified.extent),
            seconds: self.seconds,
            peak_memory_bytes: margay_console::limits::peak(),
        }
    }
}
