//! `margay gpu check`: is the machine code of a test's kernel what the test says?

use std::path::PathBuf;
use std::time::Instant;

use margay_litmus::read::Read;
use margay_litmus::test::Test;
use margay_models::diagnostic::Diagnostic;
use margay_runner::emit::{Fault, Kernel, Target, kernel};
use margay_runner::sass::{self, Answer, Failure, Toolkit};
use serde_json::json;

use super::arguments::GpuCheck;
use super::{diagnostic, environment};
use crate::Outcome;
use crate::arguments::Format;
use crate::exit::Exit;
use crate::inputs;
use crate::output::{Output, SCHEMA};
use crate::table::number;

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
    let files = match inputs::files(&options.tests) {
        Ok(files) => files,
        Err(error) => return output.wrong(&[error]),
    };
    let mut errors = Vec::new();
    let mut tests: Vec<(PathBuf, Read)> = Vec::new();
    for file in files {
        match inputs::test(&file, output) {
            Ok(read) => tests.push((file, read)),
            Err(found) => errors.extend(found),
        }
    }
    let start = Instant::now();
    let (mut same, mut differs, mut others) = (0, 0, 0);
    for &target in &options.target {
        let mut answers: Vec<(usize, Verdict)> = Vec::new();
        let mut kernels: Vec<(usize, Kernel)> = Vec::new();
        for (i, (file, read)) in tests.iter().enumerate() {
            match kernel(&read.test, target, &environment) {
                Ok(kernel) => kernels.push((i, kernel)),
                Err(error) if error.fault == Fault::Target => answers.push((i, Verdict::NotThere(error.message))),
                Err(error) => errors.push(diagnostic(&error, &file.display().to_string(), read)),
            }
        }
        let pairs: Vec<(&Test, &Kernel)> = kernels.iter().map(|(i, k)| (&tests[*i].1.test, k)).collect();
        for ((i, _), answer) in kernels.iter().zip(sass::check_all(&toolkit, target, options.optimize, &pairs)) {
            match answer {
                Ok(answer) => answers.push((*i, Verdict::Compared(answer))),
                Err(Failure::Missing(why)) => return output.wrong(&[Diagnostic::error(why)]),
                Err(error) => errors.push(Diagnostic::error(format!("`{}` on {target}: {error}", tests[*i].0.display()))),
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

fn show((file, read): &(PathBuf, Read), target: Target, verdict: &Verdict, output: &Output) -> std::io::Result<()> {
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
            "schema": SCHEMA, "file": file, "name": read.test.name, "target": target.to_string(), "verdict": word, "compared": compared,
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
