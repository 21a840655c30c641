//! `margay gpu check`: is the machine code of a test's kernel what the test says, and at which
//! level is it so?

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use margay_answers::refusal::as_kernel;
use margay_console::exit::{CommandOutcome, Exit};
use margay_console::inputs;
use margay_console::output::{Format, Output};
use margay_console::table::number;
use margay_litmus::read::Read;
use margay_litmus::test::Test;
use margay_models::diagnostic::Diagnostic;
use margay_reports::{Verdict as Word, gpu as document};
use margay_runner::emit::{
    EmissionError, EmissionFault, Environment, GpuTarget, TestKernel, Writing, kernel_as,
};
use margay_runner::sass::{
    self, AssemblyChoice, AssemblyWay, CodeComparison, ToolFailure, Toolkit,
};

use crate::explain::{ExplainedCode, explain, level};
use crate::session::{self, environment};

/// The tests whose machine code is compared, and what assembles it.
#[derive(Debug, Clone)]
pub struct CodeCheckOptions {
    /// Litmus tests, or folders of them.
    pub tests: Vec<PathBuf>,
    pub target: Vec<GpuTarget>,
    /// The environment, as `Environment::parse` reads it.
    pub environment: String,
    /// How much the assembler optimises, if that is not to be chosen.
    pub optimize: Option<u8>,
    /// Is each test shown beside its machine code?
    pub explain: bool,
    /// The folder with ptxas and nvdisasm, if not what is at hand.
    pub toolkit: Option<PathBuf>,
}

/// What came of a test on a target.
enum TargetVerdict {
    /// How it was assembled, and what came of comparing.
    Compared(Option<AssemblyWay>, CodeComparison),
    /// The target has not what the test needs.
    NotThere(String),
}

/// A test with its kernel in both writings, and where it stands among the tests.
type CheckedKernel = (usize, TestKernel, TestKernel);

/// Assembles the tests, and says where the machine code is another.
pub fn run(options: &CodeCheckOptions, output: &Output) -> CommandOutcome {
    let environment = match environment(&options.environment) {
        Ok(environment) => environment,
        Err(error) => return output.wrong(&[error]),
    };
    let toolkit = match session::toolkit(options.toolkit.as_deref()) {
        Ok(Some(toolkit)) => toolkit,
        Ok(None) => return output.wrong(&[session::no_toolkit("on this machine")]),
        Err(error) => return output.wrong(&[error]),
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
    let names: inputs::TestNames = tests.iter().map(|(_, read)| read).collect();
    let start = Instant::now();
    let mut counted = ComparisonCounts::default();
    for &target in &options.target {
        let mut answers: Vec<(usize, TargetVerdict)> = Vec::new();
        let mut kernels: Vec<CheckedKernel> = Vec::new();
        for (i, (file, read)) in tests.iter().enumerate() {
            match written(&read.test, target, &environment) {
                Ok((plain, apart)) => kernels.push((i, plain, apart)),
                Err(error) if error.fault == EmissionFault::Target => {
                    answers.push((i, TargetVerdict::NotThere(error.message)))
                }
                Err(error) => errors.push(as_kernel(&error, &file.display().to_string(), read)),
            }
        }
        for (i, answer) in compared(&toolkit, target, options.optimize, &tests, &kernels) {
            match answer {
                Ok(verdict) => answers.push((i, verdict)),
                Err(ToolFailure::Missing(why)) => return output.wrong(&[Diagnostic::error(why)]),
                Err(error) => errors.push(Diagnostic::error(format!(
                    "`{}` on {target}: {error}",
                    tests[i].0.display()
                ))),
            }
        }
        answers.sort_by_key(|(i, _)| *i);
        for (i, verdict) in &answers {
            counted.count(verdict);
            if counted.differs > 0 {
                output.settle(Exit::Found);
            }
            let test = &tests[*i];
            let explained = match (options.explain, verdict) {
                (true, TargetVerdict::Compared(..)) => {
                    match explain(&toolkit, &test.1.test, target, &environment, options.optimize) {
                        Ok(explained) => Some(explained),
                        Err(why) => {
                            errors.push(Diagnostic::error(format!(
                                "`{}` on {target}: {why}",
                                test.0.display()
                            )));
                            None
                        }
                    }
                }
                _ => None,
            };
            let name = names.of(&test.1.test.name, &test.1.file.name);
            show(test, &name, target, verdict, explained.as_ref(), output)?;
        }
    }
    if output.format == Format::Human {
        counted.print(start.elapsed().as_secs_f64(), output)?;
    }
    if !errors.is_empty() {
        return output.wrong(&errors);
    }
    Ok(if counted.differs > 0 { Exit::Found } else { Exit::Holds })
}

fn written(
    test: &Test,
    target: GpuTarget,
    environment: &Environment,
) -> Result<(TestKernel, TestKernel), EmissionError> {
    Ok((
        kernel_as(test, target, environment, Writing::Plain)?,
        kernel_as(test, target, environment, Writing::Apart)?,
    ))
}

/// Assembles and compares: at a level, or each at the highest one at which it is its test.
fn compared(
    toolkit: &Toolkit,
    target: GpuTarget,
    optimize: Option<u8>,
    tests: &[(PathBuf, Read)],
    kernels: &[CheckedKernel],
) -> Vec<(usize, Result<TargetVerdict, ToolFailure>)> {
    let numbers = kernels.iter().map(|(i, ..)| *i);
    let Some(level) = optimize else {
        let all: Vec<_> =
            kernels.iter().map(|(i, plain, apart)| (&tests[*i].1.test, plain, apart)).collect();
        let chosen =
            sass::choose_all(toolkit, target, &all).into_iter().map(|choice| match choice {
                Ok(AssemblyChoice { way, answer }) => {
                    Ok(TargetVerdict::Compared(Some(way), answer))
                }
                // No level is the test.
                Err(Ok(answer)) => Ok(TargetVerdict::Compared(None, answer)),
                Err(Err(failure)) => Err(failure),
            });
        return numbers.zip(chosen).collect();
    };
    let pairs: Vec<(&Test, &TestKernel)> =
        kernels.iter().map(|(i, plain, _)| (&tests[*i].1.test, plain)).collect();
    let way = AssemblyWay { level, writing: Writing::Plain };
    let answers = sass::check_all(toolkit, target, level, &pairs);
    numbers
        .zip(
            answers
                .into_iter()
                .map(|answer| answer.map(|answer| TargetVerdict::Compared(Some(way), answer))),
        )
        .collect()
}

/// How many of what.
#[derive(Default)]
struct ComparisonCounts {
    same: BTreeMap<String, usize>,
    narrowed: usize,
    differs: usize,
    others: usize,
}

impl ComparisonCounts {
    fn count(&mut self, verdict: &TargetVerdict) {
        match verdict {
            TargetVerdict::Compared(way, CodeComparison::Same { narrowed, .. }) => {
                *self.same.entry(way.map_or_else(String::new, level)).or_default() += 1;
                self.narrowed += usize::from(!narrowed.is_empty());
            }
            TargetVerdict::Compared(_, CodeComparison::Differs(_)) => self.differs += 1,
            _ => self.others += 1,
        }
    }

    fn print(&self, seconds: f64, output: &Output) -> std::io::Result<()> {
        let answer = match self.differs {
            0 => output.good("no difference"),
            n => output.bad(&format!("{} differ from their tests", number(n as u64))),
        };
        let all = number(self.same.values().sum::<usize>() as u64);
        let levels: Vec<String> = self
            .same
            .iter()
            .rev()
            .map(|(level, n)| format!("{} at {level}", number(*n as u64)))
            .collect();
        let levels =
            if levels.is_empty() { String::new() } else { format!(" ({})", levels.join("; ")) };
        let others = number(self.others as u64);
        output
            .print(&format!("{answer}; {all} kernels do what their tests say{levels}, {others} not compared, {seconds:.1} s"))?;
        match self.narrowed {
            0 => Ok(()),
            n => output.print(&format!(
                "{} of them wait where their tests do not; --explain shows where.",
                number(n as u64)
            )),
        }
    }
}

fn show(
    (file, read): &(PathBuf, Read),
    name: &str,
    target: GpuTarget,
    verdict: &TargetVerdict,
    explained: Option<&ExplainedCode>,
    output: &Output,
) -> std::io::Result<()> {
    let none = [].as_slice();
    let (word, compared, differences, narrowed, reason) = match verdict {
        TargetVerdict::Compared(_, CodeComparison::Same { compared, narrowed }) => {
            (Word::Equal, Some(*compared), none, narrowed.as_slice(), None)
        }
        TargetVerdict::Compared(_, CodeComparison::Differs(why)) => {
            (Word::Different, None, why.as_slice(), none, None)
        }
        TargetVerdict::Compared(_, CodeComparison::Assembled) => (
            Word::Assembled,
            None,
            none,
            none,
            Some(format!("there is no disassembler for {target}")),
        ),
        TargetVerdict::NotThere(why) => (Word::Unsupported, None, none, none, Some(why.clone())),
    };
    let file = file.display().to_string();
    let way = if let TargetVerdict::Compared(way, _) = verdict { *way } else { None };
    if output.format == Format::Json {
        return output.line(&document::TargetCheck {
            file,
            name: read.test.name.clone(),
            target: target.to_string(),
            verdict: word,
            compared,
            level: way.map(|w| w.level),
            apart: way.map(|w| w.writing == Writing::Apart),
            narrowed: narrowed.to_vec(),
            differences: differences.to_vec(),
            reason,
            explained: explained.map(ExplainedCode::report),
        });
    }
    if let Some(explained) = explained {
        explained.print(name, target, output)?;
        return output.print("");
    }
    for difference in differences {
        output.print(&format!("{} {file} on {target}: {difference}", output.bad("differs")))?;
    }
    if let Some(reason) = reason {
        output.print(&format!("{} {file} on {target}: {reason}", output.unsure(word.word())))?;
    }
    Ok(())
}
