//! Which tests could be read, what is wrong with the others, and what a model does not speak of.

use margay_console::inputs::{self, InputFile};
use margay_console::output::{Format, Output};
use margay_litmus::premise;
use margay_litmus::read::Read;
use margay_models::diagnostic::Diagnostic;
use margay_models::model::Model;

/// The tests that could be read, and for each whether it was found in a folder.
pub fn read(
    files: &[InputFile],
    errors: &mut Vec<Diagnostic>,
    output: &Output,
) -> std::io::Result<(Vec<Read>, Vec<bool>)> {
    let (mut tests, mut in_folder) = (Vec::new(), Vec::new());
    for input in files {
        match inputs::test(&input.path, output) {
            Ok(read) => {
                tests.push(read);
                in_folder.push(input.in_folder);
            }
            Err(found) => wrong(found, &input.path.display().to_string(), errors, output)?,
        }
    }
    Ok((tests, in_folder))
}

/// In JSON, what is wrong with a file is a line of its own; for people it comes at the end, after
/// the table.
pub fn wrong(
    found: Vec<Diagnostic>,
    file: &str,
    errors: &mut Vec<Diagnostic>,
    output: &Output,
) -> std::io::Result<()> {
    if output.format == Format::Json {
        output.wrong_line(file, &found)?;
    }
    errors.extend(found);
    Ok(())
}

/// Warns of tests with what a model does not speak of: shows the first place, and names the other
/// tests.
pub fn beyond_premise(tests: &[Read], model: &Model, output: &Output) {
    let found: Vec<(&str, Diagnostic)> = tests
        .iter()
        .filter_map(|read| {
            Some((read.file.name.as_str(), premise::beyond(&read.test, model, &read.file)?))
        })
        .collect();
    let Some(((_, first), others)) = found.split_first() else { return };
    let mut warnings = vec![first.clone()];
    if !others.is_empty() {
        let names: Vec<&str> = others.iter().map(|(name, _)| *name).collect();
        warnings
            .push(Diagnostic::warning(format!("nor does it speak of what is in {}", some(&names))));
    }
    output.warn(&warnings);
}

/// The first names of a list, and how many others there are.
pub fn some(names: &[&str]) -> String {
    const SHOWN: usize = 5;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN { format!("{shown} and {} others", names.len() - SHOWN) } else { shown }
}
