//! The certificate of a theorem.

use std::time::Instant;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::limits::RunLimits;
use margay_console::output::{Format, Output};
use margay_console::table::number;
use margay_console::wrapped::wrapped;
use margay_mappings::library;
use margay_models::certificate::{Basis, Sealed};
use margay_reports::verify as report;
use margay_theorem::certificate::{FollowedTheorem, TheoremDocument, TheoremSubject};
use margay_theorem::theorem::once;

use super::{VerificationOptions, undecided};
use crate::certificate::bases::{self, named};
use crate::certificate::theorem_extent;

/// Verifies it, and says what it says.
pub fn run(
    sealed: &Sealed,
    options: &VerificationOptions,
    limits: &RunLimits,
    output: &Output,
) -> CommandOutcome {
    let start = Instant::now();
    let read = sealed.parse().map_err(|error| vec![error]);
    let read = read.and_then(|document: TheoremDocument| {
        let shipped: Vec<_> = library::texts().collect();
        let bases =
            document.subject.bases(&options.about.theorem(&document.subject, output)?, &shipped)?;
        Ok((document, bases))
    });
    let (document, bases) = match read {
        Ok(read) => read,
        Err(errors) => return output.wrong(&errors),
    };
    let folder = options.certificate.clone();
    let (found, document) = match limits.within(move || (document.verify(&folder), document)) {
        Some((Ok(found), document)) => (found, document),
        Some((Err(errors), _)) => return output.wrong(&errors),
        None => return undecided(&options.certificate, limits, output),
    };
    let exit = output.settle(Exit::Holds);
    let seconds = start.elapsed().as_secs_f64();
    match output.format {
        Format::Human => print(&document, &bases, &found, seconds, output)?,
        Format::Json => output.document(&whole(&document, &bases, &found, seconds))?,
    }
    Ok(exit)
}

/// What the theorem is about, in lines.
fn about(subject: &TheoremSubject, bases: &[Basis]) -> Vec<String> {
    let of =
        |role: &str| bases.iter().find(|b| b.role.starts_with(role)).map_or(String::new(), named);
    match subject {
        TheoremSubject::Theorem { given, .. } => {
            let mut lines = vec![
                format!("of {}", of("mapping")),
                format!("{} -> {}", of("source"), of("target")),
            ];
            let list = |what: &str, names: &[String]| {
                (!names.is_empty()).then(|| format!("{what} {}", once(names).join(", ")))
            };
            lines.extend(
                list("without", &given.without).into_iter().chain(list("only", &given.only)),
            );
            lines
        }
        TheoremSubject::ModelTheorem { model } if model.includes.is_empty() => {
            vec![format!("of {}", of("model"))]
        }
        // Whatever else it says is supposed.
        TheoremSubject::ModelTheorem { model } => {
            std::iter::once(format!("of {}, in", of("model")))
                .chain(model.model.text.lines().map(str::to_owned))
                .collect()
        }
        TheoremSubject::DiffTheorem { older, .. } => {
            let [supposed, claimed] = older.roles().map(of);
            vec![format!("of {supposed}: its executions satisfy these axioms of {claimed}")]
        }
    }
}

fn print(
    document: &TheoremDocument,
    bases: &[Basis],
    found: &FollowedTheorem,
    seconds: f64,
    output: &Output,
) -> std::io::Result<()> {
    let FollowedTheorem { axioms, hypotheses, extent } = found;
    let what = format!(
        "{}: {} for executions of every size{}{}",
        output.good("verified"),
        axioms.join(", "),
        hypotheses.behind(),
        hypotheses.rows_left_out
    );
    output.print(&wrapped(&what, output.width()))?;
    for line in about(&document.subject, bases) {
        output.print(&wrapped(&line, output.width()))?;
    }
    output.print("")?;
    bases::print(&bases.iter().collect::<Vec<_>>(), output)?;
    output.print("")?;
    output.print(&format!(
        "{} steps, {} obligations, {} instances, {} clauses derived",
        number(extent.steps as u64),
        number(extent.obligations as u64),
        number(extent.instances as u64),
        number(extent.derived as u64)
    ))?;
    output.print(&format!("{seconds:.2} s, without a solver"))?;
    output.print("")?;
    let meaning = format!(
        "What may be supposed was made again from the texts in the certificate, the obligations of each step from its claims and its rule, \
         and the instances from what their refutations name; each derivation was followed. All that is supposed holds in each of the {} \
         executions that the certificate has. Written by Margay {}. What must still be trusted: docs/unbounded.md. {}",
        document.inhabitants.len(),
        document.margay,
        hypotheses.sentences.join(" ")
    );
    output.print(&wrapped(&meaning, output.width()))
}

fn whole(
    document: &TheoremDocument,
    bases: &[Basis],
    found: &FollowedTheorem,
    seconds: f64,
) -> report::VerifiedTheorem {
    let (kind, files) = match &document.subject {
        TheoremSubject::Theorem { mapping, source, target, .. } => (
            report::TheoremKind::Theorem,
            vec![&mapping.name, &source.model.name, &target.model.name],
        ),
        TheoremSubject::ModelTheorem { model } => {
            (report::TheoremKind::ModelTheorem, vec![&model.model.name])
        }
        TheoremSubject::DiffTheorem { supposed, claimed, .. } => {
            (report::TheoremKind::DiffTheorem, vec![&supposed.model.name, &claimed.model.name])
        }
    };
    report::VerifiedTheorem {
        verified: true,
        kind,
        files: files.into_iter().cloned().collect(),
        written_by: document.margay.clone(),
        theorems: found.axioms.clone(),
        supposes: found.hypotheses.sentences.clone(),
        texts: bases::report(bases),
        compared: bases.iter().all(Basis::is_known),
        extent: theorem_extent(&found.extent),
        seconds,
        peak_memory_bytes: margay_console::limits::peak(),
    }
}
