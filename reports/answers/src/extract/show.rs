//! What is known of front ends: the list of them, the file of one, and the program that it
//! compiles.

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::output::{Format, Output};
use margay_extract::front::{self, FrontEnd};
use margay_extract::point::Point;
use margay_reports::extract as report;

use super::compiler::{CompilerTableOptions, chosen};

/// Lists the front ends.
///
/// # Errors
/// The output cannot be written.
pub fn list(output: &Output) -> CommandOutcome {
    let fronts: Vec<FrontEnd> = front::names().filter_map(|n| front::find(n).ok()).collect();
    if output.format == Format::Json {
        let front_end = |f: &FrontEnd| report::FrontEndRecord {
            name: f.name.clone(),
            title: f.title.clone(),
            command: f.command.clone(),
            architectures: f.architectures.clone(),
        };
        output
            .document(&report::FrontEnds { front_ends: fronts.iter().map(front_end).collect() })?;
        return Ok(Exit::Holds);
    }
    let width = fronts.iter().map(|f| f.name.len()).max().unwrap_or(0);
    for front in &fronts {
        output.print(&format!(
            "{:width$}  {}, {}",
            front.name,
            front.title,
            front.architectures.join(", ")
        ))?;
    }
    Ok(Exit::Holds)
}

/// Prints the file of a front end.
///
/// # Errors
/// The output cannot be written.
pub fn template(name: &str, output: &Output) -> CommandOutcome {
    let front_end = match front::find(name) {
        Ok(front) => front.name,
        Err(errors) => return output.wrong(&errors),
    };
    let template = front::text(name)
        .map_or_else(|| std::fs::read_to_string(name), |text| Ok(text.to_owned()))?;
    match output.format {
        Format::Human => output.print(template.trim_end())?,
        Format::Json => output.document(&report::Template { front_end, template })?,
    }
    Ok(Exit::Holds)
}

/// Prints the program that a front end compiles.
///
/// # Errors
/// The output cannot be written.
pub fn program(name: &str, options: &CompilerTableOptions, output: &Output) -> CommandOutcome {
    let read = front::find(name)
        .and_then(|front| Ok((chosen(&front, options).map_err(|e| vec![e])?, front)));
    let (points, front) = match read {
        Ok(read) => read,
        Err(errors) => return output.wrong(&errors),
    };
    let numbered: Vec<(usize, Point)> = points.into_iter().enumerate().collect();
    let program = front::write(&front, &numbered).text;
    match output.format {
        Format::Human => output.print(program.trim_end())?,
        Format::Json => {
            output.document(&report::ProgramRecord { front_end: front.name.clone(), program })?
        }
    }
    Ok(Exit::Holds)
}
