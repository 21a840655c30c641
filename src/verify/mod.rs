//! `margay verify`: a certificate, seen to be right without a solver.

use std::path::Path;

use margay_mappings::certificate::{self, Claim, Document, Extent, Given, Subject};
use margay_mappings::check::{self, Certified};
use margay_mappings::language::Mapping;
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
    let read = jobs(options.jobs, usual).and_then(|jobs| Ok((jobs, certificate::read(&options.certificate)?)));
    let (jobs, document) = match read {
        Ok(read) => read,
        Err(error) => return output.wrong(&[error]),
    };
    let bar = Bar::new(*output);
    let start = std::time::Instant::now();
    let result = check::verify(&document, &options.certificate, jobs, &bar);
    bar.finish();
    let (mapping, found) = match result {
        Ok(verified) => verified,
        Err(errors) => return output.wrong(&errors),
    };
    let verified =
        Verified { document: &document, mapping: &mapping, extent: found, seconds: start.elapsed().as_secs_f64(), jobs };
    match output.format {
        Format::Human | Format::Junit => verified.print(output)?,
        Format::Json => output.json(&verified.json())?,
    }
    Ok(Exit::Holds)
}

/// What was verified.
struct Verified<'a> {
    document: &'a Document,
    mapping: &'a Mapping,
    extent: Extent,
    seconds: f64,
    jobs: usize,
}

impl Verified<'_> {
    fn given(&self) -> &Given {
        let Subject::Check { given, .. } = &self.document.subject;
        given
    }

    fn print(&self, output: &Output) -> std::io::Result<()> {
        output.print(&format!("{}: {}", output.good("verified"), said(&self.document.claims)))?;
        output.print(&wrapped(&self.mapping.title, output.width()))?;
        output.print(&format!(
            "{} ({}) -> {} ({})",
            self.mapping.source.name, self.mapping.source.source.name, self.mapping.target.name, self.mapping.target.source.name
        ))?;
        output.print("")?;
        output.print(&wrapped(&self.asked(), output.width()))?;
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

    /// What was asked.
    fn asked(&self) -> String {
        let given = self.given();
        let mut out = format!("Asked up to {} events, {} level, modification order {}", given.bound, given.level, given.co);
        let list = |out: &mut String, what: &str, names: &[String]| {
            if !names.is_empty() {
                out.push_str(&format!(", {what} {}", names.join(", ")));
            }
        };
        list(&mut out, "axioms", &given.axioms);
        list(&mut out, "without", &given.without);
        list(&mut out, "only", &given.only);
        if let Some(guards) = given.guards {
            out.push_str(&format!(", at most {guards} guards and computed values"));
        }
        out.push_str(if given.typed { ", typed." } else { ", untyped." });
        out
    }

    /// What the certificate says nothing about.
    fn beyond(&self) -> String {
        let fewer: Vec<&str> =
            self.document.claims.iter().filter(|c| c.none_up_to < self.given().bound).map(|c| c.axiom.as_str()).collect();
        if fewer.is_empty() {
            return String::new();
        }
        let (names, bound) = (fewer.join(", "), self.given().bound);
        format!(
            "Of {names} it says nothing beyond that, up to the {bound} events that were asked for: there a counterexample was found, or no answer."
        )
    }

    fn json(&self) -> Value {
        let given = self.given();
        json!({
            "schema": SCHEMA,
            "margay": env!("CARGO_PKG_VERSION"),
            "verified": true,
            "kind": "check",
            "mapping": self.mapping.title,
            "source": self.mapping.source.name,
            "target": self.mapping.target.name,
            "given": given,
            "written_by": self.document.margay,
            "solver": self.document.solver,
            "claims": claims(&self.document.claims),
            "extent": extent(&self.extent),
            "seconds": self.seconds,
            "peak_memory_bytes": crate::limits::peak(),
        })
    }
}

/// The claims in words.
fn said(claims: &[Claim]) -> String {
    let one = |c: &Claim| match c.none_up_to {
        0 => format!("nothing of {}", c.axiom),
        n => format!("no counterexample to {} up to {n} events", c.axiom),
    };
    let same = claims.windows(2).all(|w| w[0].none_up_to == w[1].none_up_to);
    match (same, claims.first()) {
        (true, Some(first)) if first.none_up_to > 0 => format!("no counterexample up to {} events", first.none_up_to),
        (true, _) => "nothing".to_owned(),
        (false, _) => claims.iter().map(one).collect::<Vec<_>>().join("; "),
    }
}

fn size(extent: &Extent) -> String {
    format!(
        "{} cases, {} clauses, {} derived, {:.1} MB of proofs ({:.1} MB uncompressed).",
        number(extent.cases as u64),
        number(extent.clauses),
        number(extent.derived),
        extent.bytes as f64 / 1e6,
        extent.uncompressed as f64 / 1e6
    )
}

/// What a search that wrote a certificate says of it.
pub fn written(certified: &Certified, folder: &Path) -> String {
    format!("Certificate in {}: {}. {} All were checked.", folder.display(), said(&certified.claims), size(&certified.extent))
}

/// The claims as JSON (docs/json.md).
pub fn claims(claims: &[Claim]) -> Value {
    claims.iter().map(|c| json!({ "axiom": c.axiom, "none_up_to": c.none_up_to })).collect()
}

/// The size as JSON (docs/json.md).
pub fn extent(extent: &Extent) -> Value {
    json!({
        "cases": extent.cases,
        "clauses": extent.clauses,
        "derived": extent.derived,
        "bytes": extent.bytes,
        "uncompressed_bytes": extent.uncompressed,
    })
}
