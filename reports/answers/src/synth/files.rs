//! A suite as a folder of tests, with their verdicts as `margay test` reads them, and an index.

use std::io;

use margay_litmus::corpus::{EXPECTED, ExpectationLine, write as expected};
use margay_litmus::test::Test;
use margay_mappings::synthesis::SynthesisReport;

use margay_console::folder::OutputFolder;

/// Writes the tests, expected.txt and index.md.
///
/// # Errors
/// A file cannot be written.
pub fn write(folder: &mut OutputFolder, model: &str, report: &SynthesisReport) -> io::Result<()> {
    let mut lines = Vec::new();
    let mut index = format!(
        "# Minimal tests of {model}\n\n| test | name | events | threads | forbidden by | outcome |\n| --- | --- | --- | --- | --- | --- |\n"
    );
    for test in &report.tests {
        let file = format!("{}.litmus", test.test.name);
        folder.write(&file, test.test.to_string())?;
        let (threads, violated) = (test.test.threads.len(), test.violated.join(", "));
        let outcome = asked(&test.test).replace('|', "\\|");
        index.push_str(&format!(
            "| [{}]({file}) | {} | {} | {threads} | {violated} | `{outcome}` |\n",
            test.test.name, test.name, test.events
        ));
        let source = "margay synth: both engines".to_owned();
        lines.push(ExpectationLine {
            file,
            model: model.to_owned(),
            expected: test.verdict,
            source,
            place: None,
        });
    }
    folder.write("index.md", index)?;
    folder.write(EXPECTED, expected(&lines))
}

/// What a test asks for: its last lines behind `exists`.
pub fn asked(test: &Test) -> String {
    crate::check::outcome_of(&test.to_string())
}
