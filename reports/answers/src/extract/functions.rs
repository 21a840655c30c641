//! What the functions of a PTX file do, path by path.

use std::path::Path;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::output::{Format, Output};
use margay_extract::flow::explore;
use margay_extract::ptx;
use margay_extract::table::path_text;
use margay_models::diagnostic::{Diagnostic, SourceFile, Span};
use margay_models::limited;
use margay_reports::extract as document;

/// The largest file of PTX that is read, in bytes.
const MAX_PTX: u64 = 1 << 28;

/// Reads a file, and prints what its functions do.
///
/// # Errors
/// The output cannot be written.
pub fn run(file: &Path, output: &Output) -> CommandOutcome {
    let name = limited::name(file);
    let text = match limited::given(file, MAX_PTX) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => {
            return output.wrong(&[Diagnostic::error(format!("cannot read `{name}`: {error}"))]);
        }
    };
    let module = match ptx::read(&text) {
        Ok(module) => module,
        Err(wrong) => {
            let start: usize =
                text.split_inclusive('\n').take(wrong.line.saturating_sub(1)).map(str::len).sum();
            let end = text[start..].find('\n').map_or(text.len(), |n| start + n);
            let source = SourceFile::new(name, text);
            let error = Diagnostic::error(wrong.message).at(&source, Span::new(start, end), "here");
            return output.wrong(&[error
                .help("PTX as compilers print it is expected: `.version`, `.target`, functions")]);
        }
    };
    let mut functions = Vec::new();
    let mut exit = Exit::Holds;
    for function in &module.functions {
        let paths = explore(&module, function, 1);
        let mut troubles: Vec<String> =
            paths.paths.iter().flat_map(|p| p.troubles.clone()).collect();
        troubles.extend(paths.incomplete.clone());
        troubles.sort();
        troubles.dedup();
        if !troubles.is_empty() {
            exit = Exit::Undecided;
        }
        if output.format == Format::Json {
            functions.push(document::FunctionRecord {
                name: function.name.clone(),
                paths: path_text(&paths),
                private: paths.private,
                trapped: paths.trapped,
                troubles,
            });
            continue;
        }
        output.print(&output.heading(&function.name))?;
        for path in path_text(&paths) {
            output.print(&format!(
                "  {}",
                if path.is_empty() { "no access of the object, no fence" } else { &path }
            ))?;
        }
        if paths.private > 0 {
            output.print("  where the object is in the thread's own memory: not shown")?;
        }
        for trouble in troubles {
            output.print(&format!("  {}: {trouble}", output.unsure("not one row")))?;
        }
    }
    if output.format == Format::Json {
        let (version, target) = (module.version.clone(), module.target.clone());
        output.document(&document::Functions { file: name, version, target, functions })?;
    }
    Ok(exit)
}
