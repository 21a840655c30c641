//! `margay verify`: a certificate, seen to be right without a solver.

mod run;
mod subject;
mod theorem;

pub use theorem::extent as theorem_extent;

use std::path::Path;

use margay_mappings::certificate::{Claim, Document, Extent, Subject, Written};
use margay_mappings::{check, compare};
use margay_models::certificate::{open, wrong};
use serde_json::{Value, json};

use crate::Outcome;
use crate::arguments::{Format, Verify};
use crate::exit::Exit;
use crate::output::{Output, SCHEMA};
use crate::progress::Bar;
use crate::question::jobs;
use crate::table::number;
use crate::wrapped::wrapped;

/// Runs the command.
pub fn run(options: &Verify, output: &Output) -> Outcome {
    let usual = std::thread::available_parallelism().map_or(1, usize::from);
    let read = jobs(options.jobs, usual).and_then(|jobs| Ok((jobs, open(&options.certificate)?)));
    let (jobs, sealed) = match read {
        Ok(read) => read,
        Err(error) => return output.wrong(&[error]),
    };
    match sealed.kind() {
        margay_litmus::certificate::KIND => return run::run(&sealed, &options.certificate, jobs, output),
        kind if margay_prove::certificate::KINDS.contains(&kind) => return theorem::run(&sealed, &options.certificate, output),
        "check" | "diff" => {}
        other => {
            let error = wrong(&options.certificate, &format!("it is about a `{other}`, which this Margay does not know"));
            return output.wrong(&[error.help("it knows those of `check`, `diff`, `run` and `prove`")]);
        }
    }
    let document: Document = match sealed.parse() {
        Ok(document) => document,
        Err(error) => return output.wrong(&[error]),
    };
    let bar = Bar::new(*output);
    let start = std::time::Instant::now();
    let folder = &options.certificate;
    let result = match &document.subject {
        Subject::Check { .. } => check::verify(&document, folder, jobs, &bar),
        Subject::Diff { .. } => compare::verify(&document, folder, jobs, &bar),
    };
    bar.finish();
    let extent = match result {
        Ok(verified) => verified,
        Err(errors) => return output.wrong(&errors),
    };
    let verified = Verified { document: &document, extent, seconds: start.elapsed().as_secs_f64(), jobs };
    match output.format {
        Format::Human | Format::Junit => verified.print(output)?,
        Format::Json => output.json(&verified.json())?,
    }
    Ok(Exit::Holds)
}

/// What was verified.
struct Verified<'a> {
    document: &'a Document,
    extent: Extent,
    seconds: f64,
    jobs: usize,
}

impl Verified<'_> {
    fn print(&self, output: &Output) -> std::io::Result<()> {
        let subject = &self.document.subject;
        output.print(&wrapped(&format!("{}: {}", output.good("verified"), said(&self.document.claims)), output.width()))?;
        for line in subject::lines(subject) {
            output.print(&wrapped(&line, output.width()))?;
        }
        output.print("")?;
        output.print(&wrapped(&subject::asked(subject), output.width()))?;
        output.print("")?;
        output.print(&wrapped(&size(&self.extent), output.width()))?;
        output.print(&format!("{:.2} s on {} threads, without a solver", self.seconds, self.jobs))?;
        output.print("")?;
        let meaning = format!(
            "Each case was translated again from the texts in the certificate and compared with its proof, clause by clause; each step of each \
             proof was checked; all ways to put events into threads are among the cases. Written by Margay {} with {}. What must still \
             be trusted: docs/certificates.md. {}",
            self.document.margay,
            self.document.solver,
            self.beyond()
        );
        output.print(&wrapped(meaning.trim_end(), output.width()))
    }

    /// What the certificate says nothing about.
    fn beyond(&self) -> String {
        let bound = subject::bound(&self.document.subject);
        let fewer: Vec<String> = self
            .document
            .claims
            .iter()
            .filter(|c| c.none_up_to < bound)
            .map(|c| format!("{} ({})", c.axiom, c.none_up_to))
            .collect();
        if fewer.is_empty() {
            return String::new();
        }
        format!(
            "Up to {bound} events were asked for, and fewer are certified of {}: beyond that something was found, or there was no answer.",
            fewer.join(", ")
        )
    }

    fn json(&self) -> Value {
        let mut object = json!({
            "schema": SCHEMA,
            "margay": env!("CARGO_PKG_VERSION"),
            "verified": true,
            "written_by": self.document.margay,
            "solver": self.document.solver,
            "claims": claims(&self.document.claims),
            "extent": extent(&self.extent),
            "seconds": self.seconds,
            "peak_memory_bytes": crate::limits::peak(),
        });
        if let (Value::Object(all), Value::Object(subject)) = (&mut object, subject::json(&self.document.subject)) {
            all.extend(subject);
        }
        object
    }
}

/// The claims in words.
fn said(claims: &[Claim]) -> String {
    let none = |n: usize| match n {
        0 => "nothing".to_owned(),
        n => format!("none up to {n} events"),
    };
    match claims {
        [] => "the texts alone say that there is none".to_owned(),
        [first, rest @ ..] if rest.iter().all(|c| c.none_up_to == first.none_up_to) => none(first.none_up_to),
        claims => claims.iter().map(|c| format!("{}: {}", c.axiom, none(c.none_up_to))).collect::<Vec<_>>().join("; "),
    }
}

fn size(extent: &Extent) -> String {
    sized("cases", extent)
}

/// How much was proved of litmus tests.
pub fn proofs(extent: &Extent) -> String {
    sized("proofs", extent)
}

fn sized(of: &str, extent: &Extent) -> String {
    format!(
        "{} {of}, {} clauses, {} derived, {:.1} MB of proofs ({:.1} MB uncompressed).",
        number(extent.cases as u64),
        number(extent.clauses),
        number(extent.derived),
        extent.bytes as f64 / 1e6,
        extent.uncompressed as f64 / 1e6
    )
}

/// What a search that wrote a certificate says of it.
pub fn written(written: &Written, folder: &Path) -> String {
    format!("Certificate in {}: {}. {} All were checked.", folder.display(), said(&written.claims), size(&written.extent))
}

/// The same as JSON (docs/json.md); null without a certificate.
pub fn certificate(written: Option<&Written>, folder: Option<&Path>) -> Value {
    let (Some(written), Some(folder)) = (written, folder) else { return Value::Null };
    json!({ "folder": folder.display().to_string(), "claims": claims(&written.claims), "extent": extent(&written.extent) })
}

fn claims(claims: &[Claim]) -> Value {
    claims.iter().map(|c| json!({ "axiom": c.axiom, "none_up_to": c.none_up_to })).collect()
}

/// The same as JSON.
pub fn extent(extent: &Extent) -> Value {
    json!({
        "cases": extent.cases,
        "clauses": extent.clauses,
        "derived": extent.derived,
        "bytes": extent.bytes,
        "uncompressed_bytes": extent.uncompressed,
    })
}
