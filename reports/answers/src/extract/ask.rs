//! What a compiler emits as a table, from the question to what is printed and written.

use std::path::{Path, PathBuf};

use margay_console::diagnostics;
use margay_console::exit::{CommandOutcome, Exit};
use margay_console::output::{Format, Output};
use margay_extract::front;
use margay_extract::table::{Table, map};
use margay_mappings::language::LoadOptions;
use margay_mappings::library;
use margay_models::diagnostic::Diagnostic;
use margay_models::durable::write_over;
use margay_reports::extract as report;

use super::compiler::{CompilerQuestion, CompilerTableOptions, chosen, is_of_cpu, nothing, table};
use super::interrupt::interrupted;
use super::{difference, json};

/// Extracts, and prints the table, or what differs from the table `against`; with a file the table
/// is written into it.
///
/// # Errors
/// The output cannot be written.
pub fn run(
    name: &str,
    options: &CompilerTableOptions,
    file: Option<&Path>,
    against: Option<&str>,
    output: &Output,
) -> CommandOutcome {
    let read = front::find(name).and_then(|front| {
        let points = chosen(&front, options).map_err(|e| vec![e])?;
        let against =
            against.map(|file| library::find(file, &LoadOptions::default())).transpose()?;
        Ok((front, points, against.map(|loaded| loaded.mapping)))
    });
    let (front, points, against) = match read {
        Ok(read) => read,
        Err(errors) => return output.wrong(&errors),
    };
    let mut exit = Exit::Holds;
    let mut documents = Vec::new();
    let architectures = if options.architectures.is_empty() {
        front.architectures.clone()
    } else {
        options.architectures.clone()
    };
    let several = architectures.len() > 1;
    for architecture in &architectures {
        let other = match front::for_architecture(front.clone(), architecture, is_of_cpu(options)) {
            Ok(other) => other,
            Err(errors) => return stopped(documents, &errors, output),
        };
        let points = match other.name == front.name {
            true => points.clone(),
            false => match chosen(&other, options) {
                Ok(points) => points,
                Err(error) => return stopped(documents, &[error], output),
            },
        };
        let asked = CompilerQuestion { front: &other, points: &points, architecture, options };
        let table = match table(&asked, output) {
            Ok(table) => table,
            Err(_) if interrupted() => {
                output.aside("interrupted: nothing is written");
                return Ok(Exit::Undecided);
            }
            Err(error) => return stopped(documents, &[error], output),
        };
        if let Some(error) = nothing(&asked, &table) {
            return stopped(documents, &[error], output);
        }
        if let Some(target) = &table.written_for {
            let warning = Diagnostic::warning(format!(
                "the compiler was asked for {architecture}, and wrote PTX for {target}"
            ));
            output.warn(&[warning
                .help(format!("the table is of {target}; does the command use `{{arch}}`, and does the compiler know it?"))]);
        }
        let text = map(&table, &asked.models());
        let file = file.map(|file| {
            if several { with_architecture(file, architecture) } else { file.to_path_buf() }
        });
        if let Some(file) = &file
            && let Err(error) = write_over(file, text.as_bytes())
        {
            let error = Diagnostic::error(format!("cannot write `{}`: {error}", file.display()));
            return stopped(documents, &[error], output);
        }
        let mut document = json::document(&table);
        let unknown = table.counts()[3];
        exit = worse(exit, if unknown > 0 { Exit::Undecided } else { Exit::Holds });
        if let Some(mapping) = &against {
            let compared = margay_extract::table::against(&table, mapping);
            exit = worse(exit, if compared.differ.is_empty() { Exit::Holds } else { Exit::Found });
            if output.format == Format::Json {
                document.against = Some(difference::report(&compared));
            } else {
                difference::print(&table, &compared, mapping, output)?;
            }
        } else if output.format != Format::Json {
            match file {
                Some(file) if several => {
                    output.print(&format!("{}: {}", summary(&table), file.display()))?
                }
                Some(_) => output.print(&summary(&table))?,
                None => {
                    output.print(text.trim_end())?;
                    output.aside(&summary(&table));
                }
            }
        }
        documents.push(document);
    }
    if output.format == Format::Json {
        match <[_; 1]>::try_from(documents) {
            Ok([one]) => output.document(&one)?,
            Err(tables) => output.document(&report::Tables { tables, errors: Vec::new() })?,
        }
    }
    Ok(exit)
}

/// What was measured of other machines before something went wrong is not lost.
fn stopped(
    tables: Vec<report::TableRecord>,
    errors: &[Diagnostic],
    output: &Output,
) -> CommandOutcome {
    if output.format != Format::Json || tables.is_empty() {
        return output.wrong(errors);
    }
    output.settle(Exit::Wrong);
    output.document(&report::Tables {
        tables,
        errors: diagnostics::shown(errors).iter().map(Into::into).collect(),
    })?;
    Ok(Exit::Wrong)
}

/// Of two ends that of which more is to be said: a difference before what is not known.
fn worse(a: Exit, b: Exit) -> Exit {
    let rank = |e: Exit| match e {
        Exit::Holds => 0,
        Exit::Undecided => 1,
        Exit::Found => 2,
        Exit::Wrong => 3,
    };
    if rank(b) > rank(a) { b } else { a }
}

/// `x.map` as `x-sm_90.map`.
fn with_architecture(file: &Path, architecture: &str) -> PathBuf {
    let stem = file.file_stem().map_or(String::new(), |s| s.to_string_lossy().into_owned());
    let ending = file.extension().map_or(String::new(), |e| format!(".{}", e.to_string_lossy()));
    file.with_file_name(format!("{stem}-{architecture}{ending}"))
}

/// What was extracted, in a sentence.
fn summary(table: &Table) -> String {
    let [lowered, absent, other, unknown] = table.counts();
    let mut out = format!(
        "{}, {}, {}: {lowered} of {} rows are lowered",
        table.version,
        table.title,
        table.of_architecture(),
        table.rows.len()
    );
    if table.not_run() > 0 {
        out.push_str(&format!(
            " ({} of them read from paths alone, and not run on numbers)",
            table.not_run()
        ));
    }
    if absent > 0 {
        out.push_str(&format!(", {absent} do not compile"));
    }
    if other > 0 {
        out.push_str(&format!(", {other} cannot be written as rows"));
    }
    if unknown > 0 {
        out.push_str(&format!(", of {unknown} it is not known"));
    }
    if let Some(threads) = &table.threads {
        out.push_str(&format!("; {threads}"));
    }
    out
}
