//! The answer about a GPU kernel, from the file to what is printed.

mod against;
mod ask;
mod asked;
mod certify;
mod changed;
mod compile;
mod first_line;
mod human;
mod json;
mod options;
mod sarif;
mod text;
mod written;

use std::path::Path;
use std::time::Instant;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::folder;
use margay_console::limits;
use margay_console::output::{Format, FormatOption, Output};
use margay_models::diagnostic::Diagnostic;
use margay_reports::Verdict;

use ask::{ask_all, harness, read_file};
use asked::AskedKernel;

pub use self::compile::KernelCompiler;
pub use self::options::KernelOptions;
pub use self::text::{ProgramText, program};
pub use self::written::{COMPILED_FILE, INTERLEAVINGS_FILE};
pub use margay_kernel::KernelReading;
pub use margay_kernel::launch::{GivenArgument, Launch};

/// Says what is wrong with the input. Whoever uploads a log of findings gets one that says it, too,
/// in place of an empty file.
fn refused(file: &Path, error: &Diagnostic, output: &Output) -> CommandOutcome {
    if output.asked == FormatOption::Sarif {
        output.print(&sarif::refusal(file, error)?)?;
    }
    output.wrong(std::slice::from_ref(error))
}

/// Reads a file, asks about its kernels, and prints the answers.
///
/// # Errors
/// The output cannot be written.
pub fn run(file: &Path, options: &KernelOptions, output: &Output) -> CommandOutcome {
    let start = Instant::now();
    if let Some(Err(error)) = options.out.as_deref().map(folder::prepare) {
        return output.wrong(&[error]);
    }
    let deadline = limits::RunLimits::start(options.timeout, None).deadline;
    let asked = read_file(file, options).and_then(|new| {
        let beside = harness(&new, options)?;
        let proofs = certify::begin(options.certify.as_deref())?;
        let asked = ask_all(&new, beside.as_ref(), options, (deadline, proofs.as_ref()))?;
        let Some(old) = &options.against else { return Ok((new, (asked, proofs), None)) };
        let old = read_file(old, options)?;
        let before =
            KernelOptions { harden: false, weaker: false, repairs: false, ..options.clone() };
        let answers = ask_all(&old, beside.as_ref(), &before, (deadline, None))?;
        let found = against::compare((&old, &answers), (&new, &asked));
        Ok((new, (asked, proofs), Some(found)))
    });
    let (file, (mut answers, proofs), against) = match asked {
        Ok(asked) => asked,
        Err(error) => return refused(file, &error, output),
    };
    let certificate = proofs.zip(options.certify.as_ref()).map(|(proofs, path)| {
        certify::end(&proofs, &file, &answers, path).inspect_err(|_| {
            // What is not written is not claimed.
            answers.iter_mut().for_each(|asked| asked.certified = false);
        })
    });
    let all: Vec<Verdict> = answers.iter().map(AskedKernel::verdict).collect();
    let worst = [Verdict::Counterexample, Verdict::Undecided]
        .into_iter()
        .find(|v| all.contains(v))
        .unwrap_or(Verdict::None);
    let verdict = against.as_ref().map_or(worst, |a| a.verdict);
    let exit = output.settle(match verdict {
        Verdict::Counterexample | Verdict::Different => Exit::Found,
        Verdict::Undecided => Exit::Undecided,
        _ => Exit::Holds,
    });
    let written = certificate.as_ref().and_then(|written| written.as_ref().ok());
    match output.format {
        Format::Json => {
            output.document(&json::document(
                &file,
                &answers,
                against.as_ref(),
                verdict,
                (options, written),
                start.elapsed(),
            ))?;
        }
        Format::Human if output.asked == FormatOption::Sarif => {
            output.print(&sarif::log(&file, &answers, against.as_ref(), written)?)?;
        }
        Format::Human => match &against {
            Some(against) => {
                human::print_differences(&file, &answers, (against, options.reading), output)?
            }
            None => human::print_answers(&file, &answers, output)?,
        },
    }
    match &certificate {
        Some(Ok(written)) if output.asked == FormatOption::Human => {
            output.print("")?;
            output.prose(&written.sentence())?;
        }
        // The answers are printed, and stand without it.
        Some(Err(errors)) => output.warn(errors),
        _ => {}
    }
    if let Some(out) = &options.out {
        written::write(out, &file, &answers, options.reading, output);
    }
    Ok(exit)
}
