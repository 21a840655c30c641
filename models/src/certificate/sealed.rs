//! `certificate.json`: how a document is sealed, and read again.

use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::diagnostic::Diagnostic;
use crate::digest::digest;
use crate::durable::write_whole;
use crate::limited;

/// The name of the document in its folder.
pub const FILE: &str = "certificate.json";

/// What the document calls itself.
pub const FORMAT: &str = "margay certificate";

/// The version of the format that this Margay reads and writes.
pub const VERSION: u32 = 2;

/// The largest document that is read, in bytes.
const MAX_DOCUMENT: u64 = 1 << 28;

/// What a certificate is, for whoever named something else.
const CERTIFICATE: &str =
    "a certificate is the folder that `--certify` names, with `certificate.json` in it";

/// The end of the document: the digest of all of it, with zeros in the place of the digest.
const BEFORE_DIGEST: &str = ",\n  \"sha256\": \"";
const AFTER_DIGEST: &str = "\"\n}\n";
const DIGEST: usize = 64;

/// Writes a document into its folder. It says itself that it is of [`FORMAT`] and [`VERSION`], and
/// what kind of subject it has.
///
/// # Errors
/// Those of the file.
pub fn seal(document: &impl Serialize, folder: &Path) -> io::Result<()> {
    let text = serde_json::to_string_pretty(document)?;
    let body = text.trim_end().strip_suffix('}').unwrap_or(&text).trim_end();
    let whole = |digest: &str| format!("{body}{BEFORE_DIGEST}{digest}{AFTER_DIGEST}");
    let digest = digest(whole(&"0".repeat(DIGEST)).as_bytes());
    write_whole(&folder.join(FILE), whole(&digest).as_bytes())
}

/// A document whose seal is whole.
pub struct Sealed {
    path: PathBuf,
    body: Vec<u8>,
    kind: String,
}

/// The folders in a folder that are certificates.
fn within(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let certificates = entries.map(|entry| entry.path()).filter(|path| path.join(FILE).is_file());
    let mut all: Vec<String> = certificates.map(|path| format!("`{}`", path.display())).collect();
    all.sort();
    all
}

/// Reads the document of a folder.
///
/// # Errors
/// It is not there, is damaged, or is none of this version.
pub fn open(folder: &Path) -> Result<Sealed, Diagnostic> {
    let path = folder.join(FILE);
    let shown = path.display().to_string();
    let fail =
        |what: String| Diagnostic::error(format!("cannot read the certificate `{shown}`: {what}"));
    // What is not there at all is said of the folder, for that is what was named.
    if !folder.exists() {
        let error = Diagnostic::error(format!(
            "cannot read the certificate `{}`: there is no such folder",
            folder.display()
        ));
        return Err(error.help(CERTIFICATE));
    }
    if !folder.is_dir() {
        let error = Diagnostic::error(format!(
            "cannot read the certificate `{}`: it is not a folder",
            folder.display()
        ));
        return Err(error.help(CERTIFICATE));
    }
    limited::plain(&path).map_err(|e| {
        let help = match within(folder).as_slice() {
            [] => CERTIFICATE.to_owned(),
            all => format!(
                "there are certificates in folders in it: {}; verify each of them",
                all.join(", ")
            ),
        };
        let what = match e.kind() {
            std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
            _ => e.to_string(),
        };
        fail(what).help(help)
    })?;
    let mut bytes = limited::read(&path, MAX_DOCUMENT).map_err(|e| fail(e.to_string()))?;
    let damaged = || {
        fail("it is damaged: its text is not the one that its `sha256` was taken of".to_owned())
            .help("get it again from where it was made, or make it again")
    };
    let head: SealedHead = match serde_json::from_slice(&bytes) {
        Ok(head) => head,
        Err(e) => {
            return Err(fail(e.to_string()).help("the file is damaged, or no certificate"));
        }
    };
    if head.format != FORMAT {
        return Err(fail(format!("its format is `{}`, and not `{FORMAT}`", head.format)));
    }
    if head.version != VERSION {
        return Err(fail(format!(
            "it has version {} of the format, and this Margay reads version {VERSION}",
            head.version
        ))
        .help(format!("it was written by Margay {}", head.margay)));
    }
    let start = bytes.len().checked_sub(DIGEST + AFTER_DIGEST.len()).ok_or_else(damaged)?;
    let end = start + DIGEST;
    if !bytes[..start].ends_with(BEFORE_DIGEST.as_bytes())
        || &bytes[end..] != AFTER_DIGEST.as_bytes()
    {
        return Err(damaged());
    }
    let found = bytes[start..end].to_vec();
    bytes[start..end].fill(b'0');
    if digest(&bytes).as_bytes() != found {
        return Err(damaged());
    }
    // Without the digest, the text is the document's alone.
    bytes.truncate(start - BEFORE_DIGEST.len());
    bytes.extend_from_slice(b"\n}");
    let mut sealed = Sealed { path, body: bytes, kind: String::new() };
    let Kinds { subject: SealedKind { kind } } = sealed.parse()?;
    sealed.kind = kind;
    Ok(sealed)
}

impl Sealed {
    /// What kind of subject it has: `check`, `diff`, `run`.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The document, if it is of that form.
    ///
    /// # Errors
    /// It is of another one.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, Diagnostic> {
        serde_json::from_slice(&self.body).map_err(|e| {
            let shown = self.path.display();
            Diagnostic::error(format!("cannot read the certificate `{shown}`: {e}"))
        })
    }
}

/// What tells what a file is.
#[derive(Deserialize)]
struct SealedHead {
    format: String,
    version: u32,
    #[serde(default)]
    margay: String,
}

/// What tells what a document is about.
#[derive(Deserialize)]
struct Kinds {
    subject: SealedKind,
}

#[derive(Deserialize)]
struct SealedKind {
    kind: String,
}
