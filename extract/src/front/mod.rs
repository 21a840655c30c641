//! Front ends: how a language writes each construct. A front end is a text file; those of
//! `extract/front-ends` are built in.

mod program;
mod template;

pub use program::{FunctionBody, PointProgram, UNUSED, program, write};
pub use template::{AssemblyMachine, FrontEnd, TemplateStatement, Unpacked, fill as filled};

use std::path::Path;

use margay_models::diagnostic::{Diagnostic, SourceFile, nearest};
use margay_models::limited::{self, STANDARD_INPUT};

/// The largest file of a front end that is read, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// The built-in front ends: their names and texts.
const BUILT_IN: &[(&str, &str)] = &[
    ("clang", include_str!("../../front-ends/clang.toml")),
    ("clang-cpu", include_str!("../../front-ends/clang-cpu.toml")),
    ("clang++", include_str!("../../front-ends/clang++.toml")),
    ("cuda-atomic", include_str!("../../front-ends/cuda-atomic.toml")),
    ("cuda-atomic-ref", include_str!("../../front-ends/cuda-atomic-ref.toml")),
    ("cuda-builtins", include_str!("../../front-ends/cuda-builtins.toml")),
    ("cuda-std-atomic", include_str!("../../front-ends/cuda-std-atomic.toml")),
    ("g++", include_str!("../../front-ends/g++.toml")),
    ("gcc", include_str!("../../front-ends/gcc.toml")),
    ("libnvvm", include_str!("../../front-ends/libnvvm.toml")),
    ("llvm-ir", include_str!("../../front-ends/llvm-ir.toml")),
    ("nv-atomic", include_str!("../../front-ends/nv-atomic.toml")),
    ("rustc", include_str!("../../front-ends/rustc.toml")),
    ("triton", include_str!("../../front-ends/triton.toml")),
    ("zig", include_str!("../../front-ends/zig.toml")),
];

/// The names of the built-in front ends.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|(name, _)| *name)
}

/// The text of a built-in front end.
pub fn text(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}

/// The built-in front ends whose command starts this program.
fn starting(program: &str) -> Vec<&'static str> {
    let starts = |text: &str| {
        let front = FrontEnd::read("front end", &SourceFile::new("<built-in>", text));
        front.is_ok_and(|front| crate::compile::program(&front.command) == Some(program))
    };
    BUILT_IN.iter().filter(|(_, text)| starts(text)).map(|(name, _)| *name).collect()
}

/// The front end to ask about an architecture: another one where it says so and that one knows the
/// machine, or what is compiled for is a CPU that no front end knows.
///
/// # Errors
/// As [`find`].
pub fn for_architecture(
    front: FrontEnd,
    architecture: &str,
    of_cpu: bool,
) -> Result<FrontEnd, Vec<Diagnostic>> {
    match &front.of_machines {
        Some(other) => {
            let other = find(other)?;
            Ok(if of_cpu || other.machines.contains_key(architecture) { other } else { front })
        }
        None => Ok(front),
    }
}

/// A front end by its name or by the path of its file.
///
/// # Errors
/// A name that is not known, a file that cannot be read, or that is no front end.
pub fn find(name: &str) -> Result<FrontEnd, Vec<Diagnostic>> {
    if let Some(text) = text(name) {
        return FrontEnd::read(name, &SourceFile::new(format!("<built-in>/{name}.toml"), text));
    }
    let path = Path::new(name);
    if path.extension().is_some_and(|e| e == "toml") || path.exists() || name == STANDARD_INPUT {
        let text = limited::text(path, MAX_FILE).map_err(|e| {
            vec![
                Diagnostic::error(format!(
                    "cannot read the front end `{}`: {e}",
                    limited::name(path)
                ))
                .help("a front end is a TOML file (docs/extract.md)"),
            ]
        })?;
        let name = limited::name(path);
        let stem = path.file_stem().map_or(name.as_str().into(), |s| s.to_string_lossy());
        return FrontEnd::read(&stem, &SourceFile::new(name.clone(), text));
    }
    let error = Diagnostic::error(format!("there is no front end `{name}`"));
    let known: Vec<&str> = names().collect();
    let starting = starting(name);
    Err(vec![match nearest(name, known.iter().copied()) {
        _ if !starting.is_empty() => error.help(format!(
            "it is a compiler, and a front end is a way of writing operations; it is started by `{}` (`margay extract --list`)",
            starting.join("`, `")
        )),
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help(format!("front ends: {}; or give the path of a file of your own (docs/extract.md)", known.join(", "))),
    }])
}
