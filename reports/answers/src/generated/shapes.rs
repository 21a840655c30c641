//! Tests that are not made from cycles: the classic shapes with every annotation, a folder for each
//! language, and the tests that others published.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::folder::{self, OutputFolder};
use margay_console::output::{Format, Output};
use margay_console::table::number;
use margay_litmus::published;
use margay_litmus::shapes::{SETS, file_name};
use margay_litmus::test::Test;
use margay_models::diagnostic::Diagnostic;
use margay_reports::Document;
use margay_reports::r#gen::GeneratedTestRecord;

/// Writes the classic shapes into `folder`.
///
/// # Errors
/// The output cannot be written.
pub fn run(folder: &Path, output: &Output) -> CommandOutcome {
    let folders = SETS.map(|set| folder.join(set.name).display().to_string()).join(" and ");
    let tests = SETS
        .iter()
        .flat_map(|set| set.tests().map(move |(shape, test)| (Some(set.name), shape, test)));
    write(folder, &folders, tests, output)
}

/// Writes the tests of a table of published outcomes into `folder`.
///
/// # Errors
/// The output cannot be written.
pub fn published(table: &Path, folder: &Path, output: &Output) -> CommandOutcome {
    let published = match published::load(table) {
        Ok(published) => published,
        Err(error) => return output.wrong(&[error]),
    };
    let tests =
        published.tests.into_iter().map(|published| (None, published.shape.title, published.test));
    write(folder, &folder.display().to_string(), tests, output)
}

/// Writes tests into `folder`, each with the name of its folder in it and of its shape; `places`
/// says where they are.
fn write(
    folder: &Path,
    places: &str,
    tests: impl Iterator<Item = (Option<&'static str>, &'static str, Test)>,
    output: &Output,
) -> CommandOutcome {
    if let Err(error) = folder::prepare(folder) {
        return output.wrong(&[error]);
    }
    let start = Instant::now();
    let (count, warning) = match write_files(folder, tests, output.format == Format::Json) {
        Ok(done) => done,
        Err(error) => {
            return output.wrong(&[Diagnostic::error(format!(
                "cannot write to `{}`: {error}",
                folder.display()
            ))]);
        }
    };
    output.warn(&warning.into_iter().collect::<Vec<_>>());
    if output.format != Format::Json {
        let (count, seconds) = (output.good(&number(count)), start.elapsed().as_secs_f64());
        output.print(&format!("{count} tests in {places}, {seconds:.2} s"))?;
    }
    Ok(Exit::Holds)
}

fn write_files(
    path: &Path,
    tests: impl Iterator<Item = (Option<&'static str>, &'static str, Test)>,
    json: bool,
) -> io::Result<(u64, Option<Diagnostic>)> {
    let (mut folder, mut count) = (OutputFolder::open(path)?, 0);
    let mut out = BufWriter::new(io::stdout());
    for (within, shape, test) in tests {
        let (name, text) = (file_name(&test), test.to_string());
        let file = within.map_or_else(|| name.clone(), |within| format!("{within}/{name}"));
        folder.write(&file, &text)?;
        count += 1;
        if json {
            let line = GeneratedTestRecord {
                name: test.name.clone(),
                shape: Some(shape.to_owned()),
                cycle: None,
                file: Some(path.join(file).display().to_string()),
                digest: None,
                litmus: text,
            };
            writeln!(out, "{}", line.line()?)?;
        }
    }
    out.flush()?;
    Ok((count, folder.finish(&|name| name.ends_with(".litmus"))))
}
