//! `--out`: each counterexample as files that other tools and browsers read.

use std::io;

use margay_console::folder::OutputFolder;
use margay_mappings::language::Mapping;
use margay_reports::Document;

use super::json;
use super::present::{CheckContext, PresentedCounterexample};

/// Is it a name that the files of a counterexample have, or had in older versions?
pub fn is_like(name: &str) -> bool {
    name.starts_with("counterexample")
}

/// What the files of the counterexample with this number, from 0, are called: always with it,
/// however many there are.
pub fn stem(index: usize) -> String {
    format!("counterexample-{}", index + 1)
}

/// Writes report.json and the files of each counterexample.
pub fn write(
    folder: &mut OutputFolder,
    context: &CheckContext<'_>,
    presented: &[PresentedCounterexample<'_>],
) -> io::Result<()> {
    folder.write("report.json", json::document(context, presented).text()? + "\n")?;
    for (i, shown) in presented.iter().enumerate() {
        counterexample(folder, &stem(i), context.mapping, shown)?;
    }
    Ok(())
}

/// Writes the files of one counterexample: litmus tests, the source as CUDA C++, pictures for
/// browsers and for Graphviz, and the explanation.
pub fn counterexample(
    folder: &mut OutputFolder,
    stem: &str,
    mapping: &Mapping,
    shown: &PresentedCounterexample<'_>,
) -> io::Result<()> {
    let mut file = |suffix: &str, content: &str| folder.write(&format!("{stem}{suffix}"), content);
    let (source, target) = shown.svgs();
    file("-source.litmus", &format!("{}\n", shown.source))?;
    file("-target.litmus", &format!("{}\n", shown.target))?;
    if let Some(cuda) = &shown.cuda {
        file("-source.cu", cuda)?;
    }
    file("-source.svg", &source)?;
    file("-target.svg", &target)?;
    let (source, target) = shown.dots();
    file("-source.dot", &source)?;
    file("-target.dot", &target)?;
    let words = format!(
        "{}: axiom {} of {} fails with {} events.\n{}\n\noutcome: {}\n\n{}\n",
        mapping.title,
        shown.counterexample.axiom,
        mapping.source.name,
        shown.counterexample.events,
        shown.standing(),
        shown.outcome,
        shown.explanation.join("\n")
    );
    file(".txt", &words)
}
