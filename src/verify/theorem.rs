//! The certificate of a theorem.

use std::time::Instant;

use margay_mappings::library;
use margay_models::certificate::{Basis, ModelText, Sealed, one_text_for_each_name};
use margay_models::diagnostic::Diagnostic;
use margay_prove::certificate::{Document, Extent, Subject};
use serde_json::{Value, json};

use super::bases::{self, named};
use crate::Outcome;
use crate::arguments::{Format, Verify};
use crate::exit::Exit;
use crate::output::{Output, SCHEMA};
use crate::table::number;
use crate::wrapped::wrapped;

/// Verifies it, and says what it says.
pub fn run(sealed: &Sealed, options: &Verify, output: &Output) -> Outcome {
    let start = Instant::now();
    let read = sealed.parse().map_err(|error| vec![error]);
    let seen = read.and_then(|document: Document| {
        let bases = texts(&document.subject, options, output)?;
        Ok((document.verify(&options.certificate)?, bases, document))
    });
    let (found, bases, document) = match seen {
        Ok(seen) => seen,
        Err(errors) => return output.wrong(&errors),
    };
    let seconds = start.elapsed().as_secs_f64();
    match output.format {
        Format::Human | Format::Junit => print(&document, &bases, &found, seconds, output)?,
        Format::Json => output.json(&object(&document, &bases, &found, seconds))?,
    }
    Ok(Exit::Holds)
}

/// The texts that it rests on: a built-in name is accepted for that text only, and the reader's files are those of the certificate.
fn texts(subject: &Subject, options: &Verify, output: &Output) -> Result<Vec<Basis>, Vec<Diagnostic>> {
    let (held, models_held) = options.about.theorem(subject, output)?;
    let model_held = |i: usize| models_held.get(i).and_then(Option::as_ref);
    let of = |role: &str, model: &ModelText, i: usize| Basis::of_model(role, model, model_held(i));
    let all = match subject {
        Subject::Theorem { mapping, source, target, .. } => {
            let held = held.as_ref().map(|file| (file.name.as_str(), file.text.as_str()));
            let built_in = library::names().filter_map(library::built_in);
            let mapping = Basis::of("mapping", mapping, held, built_in).map(|basis| vec![basis]);
            vec![mapping, of("source", source, 0), of("target", target, 1)]
        }
        Subject::ModelTheorem { model } => match included(model) {
            // The property's own text is shown whole.
            Some(inner) => {
                let property = Basis::of("property", &model.model, None, library::names().filter_map(library::built_in));
                vec![property.map(|basis| vec![basis]), of("model", &inner, 0)]
            }
            None => vec![of("model", model, 0)],
        },
        Subject::DiffTheorem { supposed, claimed, .. } => vec![of("supposed", supposed, 0), of("claimed", claimed, 1)],
    };
    let bases = all.into_iter().collect::<Result<Vec<_>, _>>().map_err(|error| vec![error])?.concat();
    one_text_for_each_name(&bases).map_err(|what| vec![Diagnostic::error(format!("the certificate is wrong: {what}"))])?;
    Ok(bases)
}

/// The model that the text of a property includes first.
fn included(model: &ModelText) -> Option<ModelText> {
    let (first, rest) = model.includes.split_first()?;
    Some(ModelText { model: first.file.clone(), includes: rest.to_vec() })
}

/// What the theorem is about, in lines.
fn about(subject: &Subject, bases: &[Basis]) -> Vec<String> {
    let of = |role: &str| bases.iter().find(|b| b.role.starts_with(role)).map_or(String::new(), named);
    match subject {
        Subject::Theorem { given, .. } => {
            let mut lines = vec![format!("of {}", of("mapping")), format!("{} -> {}", of("source"), of("target"))];
            let list = |what: &str, names: &[String]| (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")));
            lines.extend(list("without", &given.without).into_iter().chain(list("only", &given.only)));
            lines.push(if given.typed { "typed" } else { "untyped" }.to_owned());
            lines
        }
        Subject::ModelTheorem { model } if model.includes.is_empty() => vec![format!("of {}", of("model"))],
        // Whatever else it says is supposed.
        Subject::ModelTheorem { model } => {
            std::iter::once(format!("of {}, in", of("model"))).chain(model.model.text.lines().map(str::to_owned)).collect()
        }
        Subject::DiffTheorem { .. } => {
            vec![format!("of {}: its executions are executions of {}", of("supposed"), of("claimed"))]
        }
    }
}

fn print(document: &Document, bases: &[Basis], found: &Extent, seconds: f64, output: &Output) -> std::io::Result<()> {
    let what = format!("{}: {} for executions of every size", output.good("verified"), document.theorems.join(", "));
    output.print(&wrapped(&what, output.width()))?;
    for line in about(&document.subject, bases) {
        output.print(&wrapped(&line, output.width()))?;
    }
    output.print("")?;
    bases::print(&bases.iter().collect::<Vec<_>>(), output)?;
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

fn object(document: &Document, bases: &[Basis], found: &Extent, seconds: f64) -> Value {
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
        "texts": bases::json(bases),
        "compared": bases.iter().all(Basis::is_known),
        "extent": extent(found),
        "seconds": seconds,
        "peak_memory_bytes": crate::limits::peak(),
    })
}
