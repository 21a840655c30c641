//! The classic shapes with every annotation, a folder for each language.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use margay_console::exit::{Exit, Outcome};
use margay_console::folder::{self, Folder};
use margay_console::output::{Format, Output};
use margay_console::table::number;
use margay_litmus::shapes::{SETS, file_name};
use margay_models::diagnostic::Diagnostic;
use margay_reports::Document;
use margay_reports::r#gen::GeneratedTestRecord;

/// Writes them into `folder`.
///
/// # Errors
/// The output cannot be written.
pub fn run(folder: &Path, output: &Output) -> Outcome {
    if let Err(error) = folder::prepare(folder) {
        return output.wrong(&[error]);
    }
    let start = Instant::now();
    let (count, warning) = match write(folder, output.format == Format::Json) {
        Ok(done) => done,
        Err(error) => return output.wrong(&[Diagnostic::error(format!("cannot write to `{}`: {error}", folder.display()))]),
    };
    output.warn(&warning.into_iter().collect::<Vec<_>>());
    if output.format != Format::Json {
        let (count, seconds) = (output.good(&number(count)), start.elapsed().as_secs_f64());
        let folders = SETS.map(|set| folder.join(set.name).display().to_string()).join(" and ");
        output.print(&format!("{count} tests in {folders}, {seconds:.2} s"))?;
    }
    Ok(Exit::Holds)
}

fn write(path: &Path, json: bool) -> io::Result<(u64, Option<Diagnostic>)> {
    let (mut folder, mut count) = (Folder::open(path)?, 0);
    let mut out = BufWriter::new(io::stdout());
    for set in &SETS {
        for (shape, test) in set.tests() {
            let (file, text) = (format!("{}/{}", set.name, file_name(&test)), test.to_string());
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
    }
    out.flush()?;
    Ok((count, folder.finish(&|name| name.ends_with(".litmus"))))
}
