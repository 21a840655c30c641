//! The mappings that Margay ships: those of the 2019 paper and broken variants of them
//! (mappings/*.map), what real compilers emit (mappings/compilers/*.map), and those to
//! architectures that are texts (mappings/architectures/*.map).

use std::path::Path;
use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile, nearest};
use margay_models::model::Model;

use crate::language::{
    LoadOptions, LoadedMapping, Mapping, extends, load, load_between, load_text, read,
};

macro_rules! texts {
    ($folder:literal, $($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../", $folder, $name, ".map")))),*]
    };
}

/// Name and text of the mappings of the 2019 paper, and of their variants with a broken row.
const PUBLISHED: &[(&str, &str)] = texts![
    "",
    "rc11-to-ptx",
    "rc11-to-ptx-descoped",
    "rc11-to-ptx-no-release-rmw",
    "rc11-to-ptx-descoped-no-release-rmw",
    "rc11-to-ptx-weak-relaxed-load",
    "rc11-to-ptx-weak-relaxed-store",
    "rc11-to-ptx-relaxed-acquire-load",
    "rc11-to-ptx-relaxed-release-store",
    "rc11-to-ptx-cta-release-store",
    "rc11-to-ptx-gpu-relaxed-load",
    "rc11-to-ptx-cta-relaxed-rmw",
    "rc11-to-ptx-relaxed-acquire-rmw",
    "rc11-to-ptx-relaxed-release-rmw",
    "rc11-to-ptx-no-acquire-acq_rel-rmw",
    "rc11-to-ptx-no-release-acq_rel-rmw",
    "rc11-to-ptx-no-fence-sc-load",
    "rc11-to-ptx-no-acquire-sc-load",
    "rc11-to-ptx-no-fence-sc-store",
    "rc11-to-ptx-no-release-sc-store",
    "rc11-to-ptx-no-fence-sc-rmw",
    "rc11-to-ptx-no-acquire-sc-rmw",
    "rc11-to-ptx-no-acquire-fence",
    "rc11-to-ptx-no-release-fence",
    "rc11-to-ptx-no-acquire-acq_rel-fence",
    "rc11-to-ptx-no-release-acq_rel-fence",
    "rc11-to-ptx-acq_rel-sc-fence",
    "rc11-to-ptx-cta-sc-fence",
];

/// Name and text of what compilers and libraries emit: first those that were run
/// (`margay extract`), then those that were read. Not built in are `llvm-19-sm90`, an older
/// version, and `clang-22`, whose backend is that of `llvm-22.1-sm90`: `--all-mappings` asks about
/// each table here, and what is wrong with LLVM 22 would be counted three times.
const COMPILERS: &[(&str, &str)] = texts![
    "compilers/",
    "libcudacxx-3.5",
    "libcudacxx-3.5-atomic-ref",
    "libcudacxx-2.3-sm60",
    "nv-atomic-13.5",
    "cuda-builtins",
    "llvm-22.1-sm70",
    "llvm-22.1-sm90",
    "llvm-23-sm90",
    "zig-0.17",
    "nvidia-abi-12.8.1",
    "nvidia-abi-middle",
    "nvidia-abi-newest",
    "cuda-oxide",
    "dpcpp",
    "desul-new",
    "desul-old",
    "libclc-old",
    "kernelintrinsics",
    "cuda-5.5",
];

include!(concat!(env!("OUT_DIR"), "/architectures.rs"));

/// The names of the built-in mappings.
pub fn names() -> impl Iterator<Item = &'static str> {
    published().chain(compilers()).chain(architectures())
}

/// The names of the mappings to architectures that are texts (mappings/architectures/*.map).
pub fn architectures() -> impl Iterator<Item = &'static str> {
    ARCHITECTURES.iter().map(|&(name, _)| name)
}

/// The names of the mappings of the 2019 paper and of their broken variants.
pub fn published() -> impl Iterator<Item = &'static str> {
    PUBLISHED.iter().map(|&(name, _)| name)
}

/// The names of the mappings that compilers and libraries use.
pub fn compilers() -> impl Iterator<Item = &'static str> {
    COMPILERS.iter().map(|&(name, _)| name)
}

/// The texts of the built-in mappings.
pub fn texts() -> impl Iterator<Item = Arc<SourceFile>> {
    names().filter_map(built_in)
}

/// The text of a built-in mapping.
pub fn built_in(name: &str) -> Option<Arc<SourceFile>> {
    PUBLISHED
        .iter()
        .chain(COMPILERS)
        .chain(ARCHITECTURES)
        .find(|(n, _)| *n == name)
        .map(|&(n, text)| SourceFile::new(format!("<built-in>/{n}.map"), text))
}

/// The built-in mapping that a user's words mean: a name, or the name of a file that is not there.
/// A file that bears the very name, as `rc11-to-ptx`, is not asked in its place: `./rc11-to-ptx`
/// names it.
fn meant(name: &str) -> Option<Arc<SourceFile>> {
    built_in(name).or_else(|| {
        name.strip_suffix(".map").filter(|_| !Path::new(name).exists()).and_then(built_in)
    })
}

/// The text for what a user wrote: the name of a built-in mapping, or a path to a file. A mapping
/// that extends another one has what it takes from that in its text.
///
/// # Errors
/// A file that cannot be read; a name that is neither; a mapping that extends another one, and
/// cannot be loaded.
pub fn text(name: &str) -> Result<Arc<SourceFile>, Diagnostic> {
    let file = match meant(name) {
        Some(file) => file,
        None => read(Path::new(name))?,
    };
    if !extends(&file) {
        return Ok(file);
    }
    let first = |errors: Vec<Diagnostic>| {
        errors.into_iter().next().unwrap_or_else(|| Diagnostic::error("it cannot be loaded"))
    };
    find(name, &LoadOptions::default()).map(|loaded| loaded.mapping.file).map_err(first)
}

/// The mapping for what a user wrote: the name of a built-in mapping, or a path to a file.
///
/// # Errors
/// As [`load`]; a name that is neither.
pub fn find(name: &str, options: &LoadOptions) -> Result<LoadedMapping, Vec<Diagnostic>> {
    let path = Path::new(name);
    let options = &LoadOptions { shipped: Some(built_in), ..options.clone() };
    if let Some(file) = meant(name) {
        return load_text(&file, None, options);
    }
    load(path, options).map_err(|errors| {
        let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or(name);
        match nearest(stem, names()) {
            Some(near) if !path.exists() => errors
                .into_iter()
                .map(|e| e.help(format!("did you mean the built-in mapping `{near}`?")))
                .collect(),
            _ => errors,
        }
    })
}

/// The mapping for what a user wrote, between these models whatever its header names: to be asked
/// beside another mapping.
///
/// # Errors
/// A file that cannot be read; a name that is neither a file nor built in; rows that are missing or
/// wrong between these models.
pub fn find_between(
    name: &str,
    source: &Model,
    target: &Model,
) -> Result<Mapping, Vec<Diagnostic>> {
    let path = Path::new(name);
    let (file, folder) = match meant(name) {
        Some(file) => (file, None),
        None => match read(path) {
            Ok(file) => (file, path.parent()),
            // The same words as without other models.
            Err(_) => return find(name, &LoadOptions::default()).map(|loaded| loaded.mapping),
        },
    };
    load_between(&file, folder, Some(built_in), source.clone(), target.clone())
}
