//! `margay gpu check`: is the machine code of a test's kernel what the test says?

use std::path::PathBuf;
use std::time::Instant;

use margay_litmus::test::Test;
use margay_models::diagnostic::Diagnostic;
use margay_runner::emit::{Fault, Kernel, Target, kernel};
use margay_runner::sass::{self, Answer, Failure, Toolkit};
use serde_json::json;

use super::{diagnostic, environment, load};
use crate::Outcome;
use crate::arguments::{Format, GpuCheck};
use crate::exit::Exit;
use crate::output::{Output, SCHEMA};
use crate::table::number;

/// Tests that are assembled together: the disassembler takes a third of a second to start.
const TOGETHER: usize = 40;

/// What came of a test on a target.
enum Verdict {
    Compared(Answer),
    /// The target has not what the test needs.
    NotThere(String),
}

/// Runs the command.
pub fn run(options: &GpuCheck, output: &Output) -> Outcome {
    let environment = match environment(&options.environment) {
        Ok(environment) => environment,
        Err(error) => return output.wrong(&[error]),
    };
    let Some(toolkit) = Toolkit::at(&options.toolkit) else {
        let folder = options.toolkit.display();
        let error = Diagnostic::error(format!("there are no ptxas and nvdisasm in `{folder}`"))
            .help("run .ci/toolkit, which downloads them, or name another folder with --toolkit");
        return output.wrong(&[error]);
    };
    let files = match crate::run::expand(&options.tests) {
        Ok(files) => files,
        Err(error) => return output.wrong(&[error]),
    };
    let mut errors = Vec::new();
    let mut tests: Vec<(PathBuf, Test)> = Vec::new();
    for file in files {
        match load(&file, output) {
            Ok(test) => tests.push((file, test)),
            Err(found) => errors.extend(found),
        }
    }
    let start = Instant::now();
    let (mut same, mut differs, mut others) = (0, 0, 0);
    for &target in &options.target {
        let mut answers: Vec<(usize, Verdict)> = Vec::new();
        let mut kernels: Vec<(usize, Kernel)> = Vec::new();
        for (i, (file, test)) in tests.iter().enumerate() {
            match kernel(test, target, &environment) {
                Ok(kernel) => kernels.push((i, kernel)),
                Err(error) if error.fault == Fault::Target => answers.push((i, Verdict::NotThere(error.message))),
                Err(error) => errors.push(diagnostic(&error, file)),
            }
        }
        for chunk in kernels.chunks(TOGETHER) {
            match together(&toolkit, target, options.optimize, chunk, &tests) {
                Ok(found) => answers.extend(chunk.iter().map(|(i, _)| *i).zip(found.into_iter().map(Verdict::Compared))),
                Err(Failure::Missing(why)) => return output.wrong(&[Diagnostic::error(why)]),
                // One of them is refused: which?
                Err(Failure::Refused(_)) => {
                    for one in chunk {
                        match together(&toolkit, target, options.optimize, std::slice::from_ref(one), &tests) {
                            Ok(found) => answers.extend(found.into_iter().map(|a| (one.0, Verdict::Compared(a)))),
                            Err(error) => {
                                errors.push(Diagnostic::error(format!("`{}` on {target}: {error}", tests[one.0].0.display())));
                            }
                        }
                    }
                }
            }
        }
        answers.sort_by_key(|(i, _)| *i);
        for (i, verdict) in &answers {
            match verdict {
                Verdict::Compared(Answer::Same { .. }) => same += 1,
                Verdict::Compared(Answer::Differs(_)) => differs += 1,
                _ => others += 1,
            }
            show(&tests[*i], target, verdict, output)?;
        }
    }
    if output.format == Format::Human {
        let answer = match differs {
            0 => output.good("no difference"),
            n => output.bad(&format!("{} differ from their tests", number(n))),
        };
        let (same, others, seconds) = (number(same), number(others), start.elapsed().as_secs_f64());
        output.print(&format!("{answer}; {same} kernels do what their tests say, {others} not compared, {seconds:.1} s"))?;
    }
    if !errors.is_empty() {
        return output.wrong(&errors);
    }
    Ok(if differs > 0 { Exit::Found } else { Exit::Holds })
}

fn together(
    toolkit: &Toolkit,
    target: Target,
    level: u8,
    chunk: &[(usize, Kernel)],
    tests: &[(PathBuf, Test)],
) -> Result<Vec<Answer>, Failure> {
    let pairs: Vec<(&Test, &Kernel)> = chunk.iter().map(|(i, k)| (&tests[*i].1, k)).collect();
    sass::check(toolkit, target, level, &pairs)
}

fn show((file, test): &(PathBuf, Test), target: Target, verdict: &Verdict, output: &Output) -> std::io::Result<()> {
    let (word, compared, differences, reason) = match verdict {
        Verdict::Compared(Answer::Same { compared }) => ("same", Some(*compared), [].as_slice(), None),
        Verdict::Compared(Answer::Differs(why)) => ("differs", None, why.as_slice(), None),
        Verdict::Compared(Answer::Assembled) => {
            ("assembled", None, [].as_slice(), Some(format!("there is no disassembler for {target}")))
        }
        Verdict::NotThere(why) => ("unsupported", None, [].as_slice(), Some(why.clone())),
    };
    let file = file.display().to_string();
    if output.format == Format::Json {
        let line = json!({
            "schema": SCHEMA, "file": file, "name": test.name, "target": target.to_string(), "verdict": word, "compared": compared,
            "differences": differences, "reason": reason,
        });
        return output.print(&line.to_string());
    }
    for difference in differences {
        output.print(&format!("{} {file} on {target}: {difference}", output.bad("differs")))?;
    }
    if let Some(reason) = reason {
        output.print(&format!("{} {file} on {target}: {reason}", output.unsure(word)))?;
    }
    Ok(())
}
