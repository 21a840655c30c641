//! The certificate of a theorem.

use std::path::Path;
use std::time::Instant;

use margay_models::certificate::Sealed;
use margay_prove::certificate::{Document, Extent, Subject};
use serde_json::{Value, json};

use crate::Outcome;
use crate::arguments::Format;
use crate::exit::Exit;
use crate::output::{Output, SCHEMA};
use crate::table::number;
use crate::wrapped::wrapped;

/// Verifies it, and says what it says.
pub fn run(sealed: &Sealed, folder: &Path, output: &Output) -> Outcome {
    let start = Instant::now();
    let document: Document = match sealed.parse() {
        Ok(document) => document,
        Err(error) => return output.wrong(&[error]),
    };
    let found = match document.verify(folder) {
        Ok(found) => found,
        Err(errors) => return output.wrong(&errors),
    };
    let seconds = start.elapsed().as_secs_f64();
    match output.format {
        Format::Human | Format::Junit => print(&document, &found, seconds, output)?,
        Format::Json => output.json(&object(&document, &found, seconds))?,
    }
    Ok(Exit::Holds)
}

/// What the theorem is about, in lines.
fn about(subject: &Subject) -> Vec<String> {
    match subject {
        Subject::Theorem { mapping, source, target, given } => {
            let mut lines = vec![format!("of {}", mapping.name), format!("{} -> {}", source.model.name, target.model.name)];
            let list = |what: &str, names: &[String]| (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")));
            lines.extend(list("without", &given.without).into_iter().chain(list("only", &given.only)));
            lines.push(if given.typed { "typed" } else { "untyped" }.to_owned());
            lines
        }
        Subject::ModelTheorem { model } => {
            vec![format!("of {}", model.includes.first().map_or(&model.model.name, |i| &i.file.name))]
        }
        Subject::DiffTheorem { names, .. } => vec![format!("of {}: its executions are executions of {}", names[0], names[1])],
    }
}

fn print(document: &Document, found: &Extent, seconds: f64, output: &Output) -> std::io::Result<()> {
    let what = format!("{}: {} for executions of every size", output.good("verified"), document.theorems.join(", "));
    output.print(&wrapped(&what, output.width()))?;
    for line in about(&document.subject) {
        output.print(&wrapped(&line, output.width()))?;
    }
    output.print("")?;
    output.print(&format!(
        "{} steps, {} obligations, {} instances, {} clauses derived",
        number(found.steps as u64),
        number(found.obligations as u64),
        number(found.instances as u64),
        number(found.derived as u64)
    ))?;
    output.print(&format!("{seconds:.2} s, without a solver"))?;
    output.print("")?;
    let meaning = format!(
        "What may be supposed was made again from the texts in the certificate, the obligations of each step from its claims and its rule, \
         and the instances from what their refutations name; each derivation was followed. Written by Margay {}. What must still be \
         trusted: docs/unbounded.md.",
        document.margay
    );
    output.print(&wrapped(&meaning, output.width()))
}

/// The same as JSON.
pub fn extent(found: &Extent) -> Value {
    json!({ "steps": found.steps, "obligations": found.obligations, "instances": found.instances, "derived": found.derived })
}

fn object(document: &Document, found: &Extent, seconds: f64) -> Value {
    let (kind, files) = match &document.subject {
        Subject::Theorem { mapping, source, target, .. } => {
            ("theorem", vec![&mapping.name, &source.model.name, &target.model.name])
        }
        Subject::ModelTheorem { model } => ("model-theorem", vec![&model.model.name]),
        Subject::DiffTheorem { supposed, claimed, .. } => ("diff-theorem", vec![&supposed.model.name, &claimed.model.name]),
    };
    json!({
        "schema": SCHEMA,
        "margay": env!("CARGO_PKG_VERSION"),
        "verified": true,
        "kind": kind,
        "files": files,
        "written_by": document.margay,
        "theorems": document.theorems,
        "extent": extent(found),
        "seconds": seconds,
        "peak_memory_bytes": crate::limits::peak(),
    })
}
