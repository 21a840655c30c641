//! `--out`: each counterexample as files that other tools and browsers read.

use std::fs;
use std::io;
use std::path::Path;

use margay_mappings::language::Mapping;

use super::json;
use super::present::{Context, Presented};

/// Writes report.json and the files of each counterexample.
pub fn write(folder: &Path, context: &Context<'_>, presented: &[Presented<'_>]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let report = serde_json::to_string_pretty(&json::object(context, presented))?;
    fs::write(folder.join("report.json"), report + "\n")?;
    for (i, shown) in presented.iter().enumerate() {
        let stem = if presented.len() == 1 { "counterexample".to_owned() } else { format!("counterexample-{}", i + 1) };
        counterexample(folder, &stem, context.mapping, shown)?;
    }
    Ok(())
}

/// Writes the files of one counterexample: litmus tests, the source as CUDA C++, pictures and the explanation.
pub fn counterexample(folder: &Path, stem: &str, mapping: &Mapping, shown: &Presented<'_>) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let file = |suffix: &str| folder.join(format!("{stem}{suffix}"));
    let (source, target) = shown.svgs();
    fs::write(file("-source.litmus"), format!("{}\n", shown.source))?;
    fs::write(file("-target.litmus"), format!("{}\n", shown.target))?;
    if let Some(cuda) = &shown.cuda {
        fs::write(file("-source.cu"), cuda)?;
    }
    fs::write(file("-source.svg"), source)?;
    fs::write(file("-target.svg"), target)?;
    let words = format!(
        "{}: axiom {} of {} fails with {} events.\n\noutcome: {}\n\n{}\n",
        mapping.title,
        shown.counterexample.axiom,
        mapping.source.name,
        shown.counterexample.events,
        shown.outcome,
        shown.explanation.join("\n")
    );
    fs::write(file(".txt"), words)
}
