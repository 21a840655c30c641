//! The certificate of a run: whether there can be one, and what is said of it.

use std::path::Path;

use crate::certificate::{extent as document, proofs};
use margay_console::output::{Format, Output};
use margay_console::wrapped::wrapped;
use margay_litmus::ask::RunRequest;
use margay_litmus::certificate::{self, TestClaim, TestQuestion};
use margay_litmus::engine::{Choice, Engine};
use margay_models::certificate::{Extent, folder, without_proofs};
use margay_models::diagnostic::Diagnostic;
use margay_reports::run::CertifiedLine;
use margay_reports::verify::RunCertificate;

use super::options::RunOptions;

/// Why these options give no certificate, if they do not; else its folder is made.
pub fn begin(options: &RunOptions) -> Result<(), Diagnostic> {
    let Some(path) = &options.certify else { return Ok(()) };
    if matches!(options.engine, Choice::Only(Engine::Explicit)) {
        let error = Diagnostic::error(
            "the explicit engine writes no proofs, which a certificate is made of",
        );
        return Err(error.help("leave `--engine` out, or use `--engine sat` or `--engine both`"));
    }
    if let Some(error) = without_proofs(&margay_solver::Backend::default()) {
        return Err(error);
    }
    folder(path, false)
}

/// Writes the certificate of what was answered.
pub fn end(
    asked: &RunRequest<'_>,
    claims: Vec<TestClaim>,
    path: &Path,
) -> Result<Extent, Vec<Diagnostic>> {
    let tests: Vec<_> = asked.tests.iter().map(|t| &t.file).collect();
    let models: Vec<_> = asked.models.iter().map(|chosen| chosen.model.clone()).collect();
    certificate::write(&tests, &models, TestQuestion::of(&asked.unlimited), claims, path)
}

/// Says what was written.
pub fn print(answers: usize, extent: &Extent, path: &Path, output: &Output) -> std::io::Result<()> {
    match output.format {
        Format::Human => {
            let said = format!(
                "Certificate in {}: {answers} answers. {} All were checked.",
                path.display(),
                proofs(extent)
            );
            output.print(&format!("\n{}", wrapped(&said, output.width())))
        }
        Format::Json => {
            let folder = path.display().to_string();
            output.line(&CertifiedLine {
                certificate: RunCertificate { folder, answers, extent: document(extent) },
            })
        }
    }
}
