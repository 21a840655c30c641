//! The files that are written about kernels: litmus tests, their pictures, models, and the PTX.

use std::path::Path;

use margay_console::folder;
use margay_console::output::Output;
use margay_kernel::{Finding, INTERLEAVINGS, KernelReading};
use margay_litmus::engine::{Choice, Runner};
use margay_litmus::{explicit, read};
use margay_models::diagnostic::SourceFile;
use margay_models::picture::{Picture, svg};

use super::asked::{AskedKernel, KernelFile};

/// How long is looked for an execution to draw, in steps of the explicit engine and conflicts of
/// the SAT solver.
const DRAWN: (u64, u64) = (300_000, 30_000);

/// The file of the PTX that CUDA was compiled to.
pub const COMPILED_FILE: &str = "compiled.ptx";

/// The file of the model of interleavings.
pub const INTERLEAVINGS_FILE: &str = "interleavings.cat";

/// An execution of a finding's test in which it goes wrong, drawn; nothing where none is found
/// again in so many steps, or there is none to draw, as where no execution ends.
fn picture(finding: &Finding) -> Option<String> {
    let file = SourceFile::new("found.litmus", finding.litmus.clone());
    let test = read::test(&file).ok()?.test;
    let model = finding.model()?;
    let (steps, conflicts) = DRAWN;
    let options = explicit::Options {
        steps: Some(steps),
        conflicts: Some(conflicts),
        ..explicit::Options::default()
    };
    let verdict = Runner::new(model).run(&test, &options, Choice::Auto).ok()?;
    let witness = if finding.with_races { verdict.race } else { verdict.witness }?;
    let title = format!("{}: {}", test.name, finding.kind.words());
    Some(svg(&witness.execution, &Picture::of(&title, &witness.execution, None)))
}

/// Writes the litmus tests of what goes wrong with a picture of each, the model with races, and the
/// PTX that CUDA was compiled to.
pub fn write(
    path: &Path,
    file: &KernelFile,
    answers: &[AskedKernel],
    reading: KernelReading,
    output: &Output,
) {
    let clean = |name: &str| -> String {
        name.chars()
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '.') { c } else { '_' })
            .collect()
    };
    let mut files: Vec<(String, String)> = vec![(reading.races_file(), reading.races_text())];
    if file.compiler.is_some() {
        files.push((COMPILED_FILE.to_owned(), file.ptx.text.clone()));
    }
    if answers.iter().any(|asked| asked.weak) {
        files.push((INTERLEAVINGS_FILE.to_owned(), INTERLEAVINGS.to_owned()));
    }
    let mut findings =
        answers.iter().flat_map(|asked| &asked.answer.launches).flat_map(|launch| &launch.findings);
    if findings.any(|finding| finding.kind == margay_kernel::FindingKind::Stale) {
        files.push((reading.stale_file(), reading.stale_text()));
    }
    for AskedKernel { answer, .. } in answers {
        for launch in &answer.launches {
            if !launch.litmus.is_empty() {
                files.push((
                    clean(&format!("{}-{}.litmus", answer.kernel, launch.launch)),
                    launch.litmus.clone(),
                ));
            }
            for (n, finding) in launch.findings.iter().enumerate() {
                let name = clean(&format!(
                    "{}-{}-{}-{}",
                    answer.kernel,
                    launch.launch,
                    n + 1,
                    finding.kind.name()
                ));
                files.push((format!("{name}.litmus"), finding.litmus.clone()));
                files.extend(picture(finding).map(|drawn| (format!("{name}.svg"), drawn)));
            }
        }
    }
    let written = folder::OutputFolder::open(path).and_then(|mut folder| {
        files.iter().try_for_each(|(name, text)| folder.write(name, text).map(|_| ()))?;
        Ok(folder.finish(&|name| name.ends_with(".litmus") || name.ends_with(".svg")))
    });
    match written {
        Ok(warning) => output.warn(&warning.into_iter().collect::<Vec<_>>()),
        Err(error) => folder::unwritten(path, &error, *output),
    }
}
