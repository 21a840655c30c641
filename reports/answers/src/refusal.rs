//! Why a test was not run: by an engine, on the machine on the CPU, or as a kernel.

use std::sync::Arc;

use margay_litmus::explicit;
use margay_litmus::read::Read;
use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::model::Model;
use margay_runner::emit::{self, EmissionFault};
use margay_runner::sim;

/// Why a test could not be run.
pub fn by_engine(
    error: &explicit::Error,
    file: &str,
    source: &Arc<SourceFile>,
    model: &Model,
) -> Diagnostic {
    match error {
        explicit::Error::Unfold(e) => {
            let diagnostic = Diagnostic::error(format!("`{file}` under `{}`: {}", model.name, e.message));
            match e.place {
                Some(span) => diagnostic.at(source, span, "here"),
                None => diagnostic,
            }
        }
        explicit::Error::Signature { .. } => Diagnostic::error(format!("`{file}` cannot be run under `{}`: {error}", model.name))
            .help("PTX tests need a PTX model, C tests a C model, tests of an architecture a model of it; models of plain executions (sc, tso) take all"),
        explicit::Error::Large(_) => Diagnostic::error(format!("`{file}` under `{}`: {error}", model.name))
            .help("leave `--engine` out, or use `--engine sat`; lists of executions and of outcomes are the explicit engine's alone"),
        undecided => Diagnostic::error(format!("`{file}` under `{}`: {undecided}", model.name)),
    }
}

/// Why the machine cannot run a test.
pub fn by_machine(error: &sim::UnfoldError, file: &str, read: &Read) -> Diagnostic {
    let diagnostic = Diagnostic::error(format!("`{file}` cannot be run on the machine: {error}"));
    match error.place {
        Some(span) => diagnostic.at(&read.file, span, "here"),
        None => diagnostic,
    }
}

/// Why there is no kernel for a test.
pub fn as_kernel(error: &emit::EmissionError, name: &str, read: &Read) -> Diagnostic {
    let diagnostic = Diagnostic::error(format!("there is no kernel for `{name}`: {error}"));
    let diagnostic = match error.place {
        Some(span) => diagnostic.at(&read.file, span, "here"),
        None => diagnostic,
    };
    match error.fault {
        EmissionFault::Test => diagnostic,
        EmissionFault::Target => diagnostic.help("name another --target"),
        EmissionFault::Environment => diagnostic.help("change --environment"),
    }
}
