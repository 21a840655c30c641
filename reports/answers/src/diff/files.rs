//! `--out`: each difference as files that other tools and browsers read.

use std::io;

use margay_console::folder::OutputFolder;
use margay_reports::Document;

use super::json;
use super::present::{DiffContext, PresentedDifference, stem};

/// Is it a name that the files of a difference have?
pub fn is_like(name: &str) -> bool {
    name.starts_with("newly-")
}

/// Writes report.json and, for each difference, its litmus tests, its picture and the explanation.
pub fn write(
    folder: &mut OutputFolder,
    context: &DiffContext<'_>,
    presented: &[PresentedDifference<'_>],
) -> io::Result<()> {
    folder.write("report.json", json::document(context, presented).text()? + "\n")?;
    let mut number = 0;
    for (i, shown) in presented.iter().enumerate() {
        number = if i > 0 && presented[i - 1].question == shown.question { number + 1 } else { 1 };
        let name = format!("{}-{number}", stem(shown.question, context));
        difference(folder, &name, context, shown)?;
    }
    Ok(())
}

/// Writes the files of one difference: its litmus tests, its picture and the explanation.
pub fn difference(
    folder: &mut OutputFolder,
    name: &str,
    context: &DiffContext<'_>,
    shown: &PresentedDifference<'_>,
) -> io::Result<()> {
    let suffixes: &[&str] =
        if shown.litmus.len() > 1 { &["-source.litmus", "-target.litmus"] } else { &[".litmus"] };
    for (test, suffix) in shown.litmus.iter().zip(suffixes) {
        folder.write(&format!("{name}{suffix}"), format!("{test}\n"))?;
    }
    folder.write(&format!("{name}.svg"), shown.svg())?;
    folder.write(&format!("{name}.dot"), shown.dot())?;
    let title = context.report.title(shown.question);
    let words = [
        format!("{title}: {}", shown.difference.violated.join(", ")),
        format!("outcome: {}", shown.outcome),
        shown.reasons.join("\n"),
        shown.explanation.join("\n"),
    ];
    folder.write(&format!("{name}.txt"), words.join("\n\n") + "\n")
}
