//! The mappings that Margay ships (mappings/*.map).

use std::path::Path;
use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile, nearest};

use crate::language::{LoadOptions, Loaded, load, load_text};

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        /// Name and text of every shipped mapping.
        const SHIPPED: &[(&str, &str)] = &[$(($name, include_str!(concat!("../", $name, ".map")))),*];
    };
}

shipped![
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

/// The names of the built-in mappings.
pub fn names() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|&(name, _)| name)
}

/// The text of a built-in mapping.
pub fn built_in(name: &str) -> Option<Arc<SourceFile>> {
    SHIPPED.iter().find(|(n, _)| *n == name).map(|&(n, text)| SourceFile::new(format!("<built-in>/{n}.map"), text))
}

/// The mapping for what a user wrote: a path to a file or, if there is none, the name of a built-in mapping.
///
/// # Errors
/// As [`load`]; a name that is neither.
pub fn find(name: &str, options: &LoadOptions) -> Result<Loaded, Vec<Diagnostic>> {
    let path = Path::new(name);
    if !path.exists()
        && let Some(file) = built_in(name.strip_suffix(".map").unwrap_or(name))
    {
        return load_text(&file, None, options);
    }
    load(path, options).map_err(|errors| {
        let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or(name);
        match nearest(stem, names()) {
            Some(near) if !path.exists() => {
                errors.into_iter().map(|e| e.help(format!("did you mean the built-in mapping `{near}`?"))).collect()
            }
            _ => errors,
        }
    })
}
