//! `margay gpu emit` and `gpu check` with `--language opencl`: the test in OpenCL C, and what clang
//! makes of it.

use std::path::{Path, PathBuf};
use std::time::Instant;

use margay_answers::refusal::as_kernel;
use margay_console::exit::{CommandOutcome, Exit};
use margay_console::inputs;
use margay_console::output::{Format, Output};
use margay_console::table::{counted, number};
use margay_models::diagnostic::Diagnostic;
use margay_reports::Verdict as Word;
use margay_reports::gpu::{EmittedSource, TargetCheck};
use margay_runner::opencl::{OpenClCompiler, OpenClTarget, compare, source};
use margay_runner::sass::ToolFailure;

/// Prints a test in OpenCL C.
///
/// # Errors
/// The output cannot be written.
pub fn emit(test: &Path, output: &Output) -> CommandOutcome {
    let read = match inputs::test(test, output) {
        Ok(read) => read,
        Err(errors) => return output.wrong(&errors),
    };
    let file = test.display().to_string();
    let source = match source(&read.test) {
        Ok(source) => source,
        Err(error) => return output.wrong(&[as_kernel(&error, &file, &read)]),
    };
    if output.format == Format::Human {
        output.print(source.text.trim_end())?;
    } else {
        output.document(&EmittedSource {
            file,
            name: read.test.name.clone(),
            language: "opencl".to_owned(),
            source: source.text,
        })?;
    }
    Ok(Exit::Holds)
}

/// Compiles tests, and says where the accesses are not found again.
///
/// # Errors
/// The output cannot be written.
pub fn check(
    tests: &[PathBuf],
    targets: &[OpenClTarget],
    clang: &Path,
    output: &Output,
) -> CommandOutcome {
    let missing = |why: String| {
        Diagnostic::error(why).help("name one with --clang; .ci/compilers fetches some")
    };
    let found = OpenClCompiler::new(clang.to_owned())
        .and_then(|compiler| Ok((compiler.version()?, compiler)));
    let (version, compiler) = match found {
        Ok(found) => found,
        Err(failure) => return output.wrong(&[missing(failure.to_string())]),
    };
    let files = match inputs::files(tests) {
        Ok(files) => files,
        Err(error) => return output.wrong(&[error]),
    };
    let start = Instant::now();
    let (mut errors, mut same, mut differing) = (Vec::new(), 0, 0);
    for file in files {
        let read = match inputs::test(&file, output) {
            Ok(read) => read,
            Err(found) => {
                errors.extend(found);
                continue;
            }
        };
        let name = file.display().to_string();
        let source = match source(&read.test) {
            Ok(source) => source,
            Err(error) => {
                errors.push(as_kernel(&error, &name, &read));
                continue;
            }
        };
        for target in targets {
            let answer = match compiler.compile(&source.text, target) {
                Ok(assembly) => compare(&source, target, &assembly),
                Err(ToolFailure::Missing(why)) => return output.wrong(&[missing(why)]),
                Err(ToolFailure::Refused(log)) => {
                    errors.push(Diagnostic::error(format!(
                        "`{name}` for {target}: the compiler refuses it: {log}"
                    )));
                    continue;
                }
            };
            let (compared, differences) = match answer {
                Ok(compared) => {
                    same += 1;
                    (Some(compared), Vec::new())
                }
                Err(differences) => {
                    differing += 1;
                    output.settle(Exit::Found);
                    (None, differences)
                }
            };
            if output.format == Format::Json {
                output.line(&TargetCheck {
                    file: name.clone(),
                    name: read.test.name.clone(),
                    target: target.to_string(),
                    verdict: if compared.is_some() { Word::Equal } else { Word::Different },
                    compared,
                    level: Some(2),
                    apart: None,
                    narrowed: Vec::new(),
                    differences,
                    reason: None,
                    explained: None,
                })?;
                continue;
            }
            for difference in differences {
                output.print(&format!(
                    "{} {name} for {target}: {difference}",
                    output.bad("differs")
                ))?;
            }
        }
    }
    if output.format == Format::Human {
        let answer = match (differing, same, errors.len()) {
            (0, 0, _) => output.unsure("nothing was compared"),
            (0, ..) => output.good("no difference"),
            (n, ..) => output
                .bad(&format!("{} from the test", counted(n, "kernel differs", "kernels differ"))),
        };
        let left = if errors.is_empty() {
            String::new()
        } else {
            format!(", {} not compared", number(errors.len() as u64))
        };
        let of_groups = targets.iter().any(|target| matches!(target, OpenClTarget::Amd(_)));
        let open = if of_groups {
            "dependencies, and in AMD's code what orders a work-group, "
        } else {
            "dependencies "
        };
        let seconds = start.elapsed().as_secs_f64();
        let same = counted(same, "kernel", "kernels");
        output.print(&format!(
            "{answer}; in {same} of {version} at -O2 the accesses are found again, {open}not looked for{left}; {seconds:.1} s"
        ))?;
    }
    if !errors.is_empty() {
        return output.wrong(&errors);
    }
    Ok(if differing > 0 { Exit::Found } else { Exit::Holds })
}
