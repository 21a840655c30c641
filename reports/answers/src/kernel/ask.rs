//! The question about the kernels of a file: the file is read, and harnesses and options say what
//! is asked.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use margay_console::limits;
use margay_kernel::harness::{Harness, HarnessError, HarnessSection};
use margay_kernel::source_name::kernels_named;
use margay_kernel::{KernelProofs, KernelQuestion, KernelRefusal, UNROLL, ask, hardened, weakened};
use margay_models::diagnostic::{Diagnostic, SourceFile, Span, nearest};
use margay_models::limited;

use super::asked::{AskedKernel, KernelFile};
use super::compile;
use super::options::KernelOptions;
use super::text::{KernelText, texts};

/// The longest text of a harness, in bytes.
const MAX_HARNESS: u64 = 1 << 20;

/// The kernels of a file, and the harness in its comments.
pub fn read_file(path: &Path, options: &KernelOptions) -> Result<KernelFile, Diagnostic> {
    let how = compile::CudaCompilation {
        command: options.command.as_deref(),
        compiler: options.compiler,
        toolkit: options.toolkit.as_deref(),
        target: &options.target,
        kernels: &options.kernels,
    };
    let text = texts(path, &how)?;
    let module = text.module()?;
    let KernelText { ptx, source, compiler, refused } = text;
    if module.kernels().next().is_none() {
        let error = Diagnostic::error(format!("there is no kernel in {}", ptx.name));
        return Err(error
            .help("a kernel is an `.entry` with a body, in CUDA a function that is `__global__`"));
    }
    let harness = Harness::of_comments(&source.text).map_err(|e| no_harness(&source, &e))?;
    Ok(KernelFile {
        path: path.to_owned(),
        ptx,
        module,
        compiler,
        refused,
        comments: (harness, source),
    })
}

fn no_harness(file: &Arc<SourceFile>, error: &HarnessError) -> Diagnostic {
    Diagnostic::error(error.message.clone()).at(file, Span::new(error.start, error.end), "here")
}

/// The harness that is named, or lies beside a file. An error quotes its line: one that nobody
/// named must not have other files of the machine quoted.
pub fn harness(
    file: &KernelFile,
    options: &KernelOptions,
) -> Result<Option<(Harness, Arc<SourceFile>)>, Diagnostic> {
    let beside = file.path.with_extension("harness");
    let folder = file.path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let cannot = |path: &Path, e: std::io::Error| {
        Diagnostic::error(format!("cannot read the harness {}: {e}", limited::name(path)))
    };
    let path = match &options.harness {
        Some(named) => named,
        None if beside != file.path
            && beside.symlink_metadata().is_ok_and(|found| !found.is_dir()) =>
        {
            limited::of_folder(folder, &beside).map_err(|e| cannot(&beside, e))?;
            &beside
        }
        None => return Ok(None),
    };
    let text = limited::text(path, MAX_HARNESS).map_err(|e| cannot(path, e))?;
    let source = SourceFile::new(limited::name(path), text);
    let harness = Harness::read(&source.text).map_err(|e| no_harness(&source, &e))?;
    Ok(Some((harness, source)))
}

/// Has the file the kernels that options and harnesses name?
fn kernels_are_there(
    file: &KernelFile,
    named: &[&str],
    harnesses: &[(Harness, &Arc<SourceFile>)],
    options: &KernelOptions,
) -> Result<(), Diagnostic> {
    let unknown = |name: &str| {
        let error = Diagnostic::error(format!("there is no kernel `{name}` in {}", file.ptx.name));
        let near =
            nearest(name, named.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        error.help(near.unwrap_or_else(|| format!("its kernels: {}", named.join(", "))))
    };
    if let Some(name) = options.kernels.iter().find(|name| kernels_named(name, named).is_empty()) {
        return Err(unknown(name));
    }
    for (harness, source) in harnesses {
        let mut all = harness.sections.iter().flat_map(|s| &s.kernels);
        if let Some((name, start)) = all.find(|(name, _)| !named.contains(&name.as_str())) {
            return Err(unknown(name).at(
                source,
                Span::new(*start, start + name.len()),
                "the harness names it",
            ));
        }
    }
    Ok(())
}

/// What is asked of a kernel by its harnesses and by the options: launches and rounds of the latter
/// are in place of the others, arguments and conditions are added.
fn said_of(
    kernel: &str,
    harnesses: &[(Harness, &Arc<SourceFile>)],
    options: &KernelOptions,
) -> HarnessSection {
    let mut said = HarnessSection::default();
    for (harness, _) in harnesses {
        let section = harness.of(kernel);
        if !section.launches.is_empty() {
            said.launches = section.launches;
        }
        said.arguments.extend(section.arguments);
        said.finals.extend(section.finals);
        said.unroll = section.unroll.or(said.unroll);
    }
    if !options.launches.is_empty() {
        said.launches.clone_from(&options.launches);
    }
    said.arguments.extend(options.arguments.iter().cloned());
    said.finals.extend(options.finals.iter().cloned());
    said.unroll = options.unroll.or(said.unroll);
    said
}

/// Asks about the kernels of a file.
pub fn ask_all(
    file: &KernelFile,
    beside: Option<&(Harness, Arc<SourceFile>)>,
    options: &KernelOptions,
    (deadline, proofs): (Option<Instant>, Option<&KernelProofs>),
) -> Result<Vec<AskedKernel>, Diagnostic> {
    let KernelFile { ptx, module, comments, .. } = file;
    let named: Vec<&str> = module.kernels().map(|k| module.functions[k].name.as_str()).collect();
    let harnesses: Vec<(Harness, &Arc<SourceFile>)> = [comments]
        .into_iter()
        .chain(beside)
        .map(|(harness, source)| (harness.named(&named), source))
        .collect();
    // Of an older version some kernels may be missing.
    if options.against.as_deref().is_none_or(|old| old != file.path) {
        kernels_are_there(file, &named, &harnesses, options)?;
    }
    let asked: Vec<&str> =
        options.kernels.iter().flat_map(|name| kernels_named(name, &named)).collect();
    let mut answers = Vec::new();
    for kernel in module.kernels() {
        let name = &module.functions[kernel].name;
        if !options.kernels.is_empty() && !asked.contains(&name.as_str()) {
            continue;
        }
        if let Some((_, why)) = file.refused.iter().find(|(of, _)| of == name) {
            answers.push(AskedKernel::refused(name, why));
            continue;
        }
        let HarnessSection { launches, arguments, finals, unroll, .. } =
            said_of(name, &harnesses, options);
        let unroll = unroll.unwrap_or(UNROLL);
        let question = KernelQuestion {
            text: &ptx.text,
            module,
            kernel,
            launches: &launches,
            arguments: &arguments,
            finals: &finals,
            reading: options.reading,
            unroll,
            deadline,
            stop: limits::stop(),
            repairs: options.repairs,
            weak: options.weak,
            proofs,
        };
        let wrong = |why: KernelRefusal| {
            let why = why.to_string();
            let error = Diagnostic::error(format!("{why} (of the kernel `{name}`)"));
            // A condition that cannot be read is quoted, and a wrong parameter named; where a
            // harness says it, its line is shown.
            let quoted = harnesses.iter().find_map(|(harness, source)| {
                let section = harness.of(name);
                let condition =
                    section.finals.iter().position(|text| why.contains(&format!("`{text}`")));
                let (start, end) = match condition {
                    Some(at) => (section.places[at], section.places[at] + section.finals[at].len()),
                    None => {
                        let is_named = |number: usize| {
                            let mut behind = why.split("parameter ").skip(1);
                            behind.any(|text| {
                                text.split(|c: char| !c.is_ascii_digit()).next()
                                    == Some(number.to_string().as_str())
                            })
                        };
                        let argument = section
                            .arguments
                            .iter()
                            .rposition(|given| is_named(given.parameter))?;
                        section.argument_places[argument]
                    }
                };
                Some((*source, Span::new(start, end)))
            });
            let error = match quoted {
                Some((source, span)) => error.at(source, span, "the harness asks for it"),
                None => error,
            };
            // Who has named one kernel is not told to name one.
            error.help(match options.kernels.len() {
                1 => "docs/kernels.md, What is passed, says how arguments and conditions are written",
                _ => "`--kernel NAME` asks about one kernel; a harness says things of one (docs/kernels.md)",
            })
        };
        let answer = ask(&question).map_err(wrong)?;
        let hardening = options.harden.then(|| hardened(&question)).transpose().map_err(wrong)?;
        // Of what goes wrong, or may, nothing is asked to be weaker.
        let is_right = answer.wrong().is_none() && answer.is_settled(launches.is_empty());
        let unweakened = options.weaker && !is_right;
        let weaker =
            (options.weaker && is_right).then(|| weakened(&question)).transpose().map_err(wrong)?;
        answers.push(AskedKernel {
            answer,
            chosen: launches.is_empty(),
            finals,
            unroll,
            hardening,
            weaker,
            unweakened,
            weak: options.weak,
            certified: proofs.is_some(),
            refused: None,
        });
    }
    Ok(answers)
}
