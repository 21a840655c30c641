//! The text of a mapping: of a file, or built in.

use std::path::Path;
use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::library;
use margay_models::limited;

/// The text of the built-in mapping of a name.
pub type ShippedTexts = fn(&str) -> Option<Arc<SourceFile>>;

/// The largest mapping file that is read, in bytes.
pub const MAX_FILE: u64 = 1 << 20;

/// The text of a mapping's file.
///
/// # Errors
/// A file that cannot be read.
pub fn read(path: &Path) -> Result<Arc<SourceFile>, Diagnostic> {
    let name = limited::name(path);
    let text = limited::text(path, MAX_FILE).map_err(|e| {
        let error = Diagnostic::error(format!("cannot read the mapping `{name}`: {e}"));
        match e.kind() {
            std::io::ErrorKind::IsADirectory => error.help("name one .map file in it"),
            std::io::ErrorKind::NotFound if library::built_in(&name).is_some() => error.help(format!(
                "`{name}` is a built-in model: `margay run TEST --model {name}` runs a test under it, `margay check MAPPING --target {name}` asks a mapping about it"
            )),
            std::io::ErrorKind::NotFound => {
                error.help("`margay mappings` lists the built-in mappings; give one by its path or by its name without `.map`")
            }
            _ => error,
        }
    })?;
    Ok(SourceFile::new(name, text))
}
