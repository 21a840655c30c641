//! The folder that answers are kept in: one file for each, written beside its place, synced and
//! renamed, so that a file is there whole or not at all whatever happens to the process or to the
//! machine; a checksum tells what happens to the disk, and a seal whether the user wrote it
//! ([`margay_models::seal`]): an answer that somebody else put there is not believed. Several
//! processes may use one folder: at worst both solve a case, and the later file takes the place of
//! the same earlier one.

use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::statement::CheckStatement;
use margay_models::confined::{make_folder, way_out};
use margay_models::digest::digest;
use margay_models::durable::{is_full, write_whole};
use margay_models::limited;
use margay_models::seal::SealKey;

/// The version of the files.
const FORMAT: u32 = 1;

/// The largest file that is read, in bytes: an answer with all that was learned takes some hundred
/// kilobytes.
const MAX_FILE: u64 = 1 << 26;

/// How the files of answers end.
pub const SUFFIX: &str = ".answer";

/// The folder of one statement's answers.
#[derive(Debug)]
pub struct AnswerStore {
    folder: PathBuf,
    key: String,
}

/// The first line of a file; the second is its checksum.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredBody<T> {
    format: u32,
    /// The key of the statement, and what else the answer depends on.
    key: String,
    case: String,
    answer: T,
}

/// The second line of a file.
#[derive(Debug, Serialize, Deserialize)]
struct Checksum {
    sha256: String,
    /// The seal, made with the key of the user; nothing where there was no key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seal: Option<String>,
}

/// What a folder of answers is about.
#[derive(Debug, Serialize, Deserialize)]
struct FolderSubject {
    mapping: String,
    /// Names and digests of what must agree.
    parts: Vec<(String, String)>,
}

pub enum StoredCase<T> {
    CaseAnswer(T),
    Nothing,
    /// Something that is not its answer, for this reason.
    Wrong(String),
}

impl AnswerStore {
    /// The folder of a statement's answers within `folder`, made if it is not there, with a remark
    /// if it has answers to other questions.
    ///
    /// # Errors
    /// The folder cannot be made or read.
    pub fn open(folder: &Path, statement: &CheckStatement) -> io::Result<(Self, Option<String>)> {
        let key = statement.key();
        let own = folder.join(&key[..16]);
        let parts = statement.parts();
        let made = make_folder(folder)
            .and_then(|()| way_out(folder, Path::new(&key[..16])))
            .and_then(|why| match why {
                Some(why) => Err(io::Error::other(why)),
                None => std::fs::create_dir_all(&own),
            });
        match made {
            Ok(()) => {}
            // What cannot be kept is told of when there is something to keep.
            Err(error) if is_full(&error) => return Ok((Self { folder: own, key }, None)),
            Err(error) => return Err(error),
        }
        let remark = match SealKey::of_user() {
            Ok(_) => remark(folder, &own, &parts)?,
            Err(why) => Some(format!(
                "answers in `{}` are of no use, for nobody can tell who wrote them: {why}; every case is solved again, and what is kept now cannot be used later",
                folder.display()
            )),
        };
        let about =
            FolderSubject { mapping: statement.mapping.name.clone(), parts: parts.to_vec() };
        let text = serde_json::to_vec_pretty(&about)?;
        if limited::read(&own.join("about.json"), MAX_FILE).ok().as_deref() != Some(&text) {
            // It is for remarks alone: without it (on a full disk) everything else works.
            let _ = write_whole(&own.join("about.json"), &text);
        }
        Ok((Self { folder: own, key }, remark))
    }

    /// A folder of answers to one question each, as it is: what a file answers its key says.
    pub fn of(folder: &Path, key: String) -> Self {
        Self { folder: folder.to_owned(), key }
    }

    /// The key of the statement.
    pub fn key(&self) -> &str {
        &self.key
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file of a case.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}{SUFFIX}"))
    }

    /// The answer of a case; `depends` is what it depends on beyond the statement.
    pub fn read<T: DeserializeOwned>(&self, name: &str, depends: &str) -> StoredCase<T> {
        let wrong = |why: &str| StoredCase::Wrong(why.to_owned());
        match body::<T>(&self.path(name), Seal::Needed) {
            Err(StoredCase::CaseAnswer(never)) => match never {},
            Err(StoredCase::Nothing) => StoredCase::Nothing,
            Err(StoredCase::Wrong(why)) => StoredCase::Wrong(why),
            Ok(body) if body.key != self.key => wrong("it answers another question"),
            Ok(body) if body.case != depends => {
                wrong("it answers another case, or builds on other lessons")
            }
            Ok(body) => StoredCase::CaseAnswer(body.answer),
        }
    }

    /// Keeps the answer of a case.
    ///
    /// # Errors
    /// It cannot be written; there may be an older file then.
    pub fn write<T: Serialize>(&self, name: &str, depends: &str, answer: &T) -> io::Result<()> {
        let body =
            StoredBody { format: FORMAT, key: self.key.clone(), case: depends.to_owned(), answer };
        let mut line = serde_json::to_vec(&body)?;
        line.push(b'\n');
        let seal = SealKey::of_user().ok().map(|key| key.seal(&line));
        let mut checksum = serde_json::to_vec(&Checksum { sha256: digest(&line), seal })?;
        checksum.push(b'\n');
        write_whole(&self.path(name), &[line, checksum].concat())
    }
}

/// Does a file need the user's seal?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seal {
    /// It does: what it says becomes an answer.
    Needed,
    /// It does not: what it says is counted, and believed of nothing.
    Spared,
}

/// What a file says, whatever it answers.
fn body<T: DeserializeOwned>(
    path: &Path,
    seal: Seal,
) -> Result<StoredBody<T>, StoredCase<std::convert::Infallible>> {
    // A link or a pipe would be somebody else's, or without an end.
    let bytes = match limited::plain(path).and_then(|_| limited::read(path, MAX_FILE)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(StoredCase::Nothing),
        Err(error) => return Err(StoredCase::Wrong(error.to_string())),
    };
    let wrong = |why: &str| Err(StoredCase::Wrong(why.to_owned()));
    let mut lines = bytes.split_inclusive(|&b| b == b'\n');
    let (Some(line), Some(checksum), None) = (lines.next(), lines.next(), lines.next()) else {
        return wrong("it is cut off, or is no file of answers");
    };
    let Ok(Checksum { sha256, seal: sealed }) = serde_json::from_slice(checksum) else {
        return wrong("it is cut off");
    };
    if sha256 != digest(line) {
        return wrong("its checksum is wrong");
    }
    if seal == Seal::Needed {
        match (SealKey::of_user(), sealed) {
            (Ok(key), Some(sealed)) if key.fits(line, &sealed) => {}
            (Ok(_), Some(_)) => {
                return wrong(
                    "it was sealed with another key, so that somebody else may have written it",
                );
            }
            (Ok(_), None) => {
                return wrong("it is not sealed, so that somebody else may have written it");
            }
            // That is said once, where the folder is opened.
            (Err(_), _) => return Err(StoredCase::Nothing),
        }
    }
    match serde_json::from_slice::<StoredBody<T>>(line) {
        Ok(body) if body.format != FORMAT => wrong("another version of Margay wrote it"),
        Ok(body) => Ok(body),
        Err(error) => Err(StoredCase::Wrong(format!("it is no answer: {error}"))),
    }
}

/// The answer in a file, whatever question it is to; `None` if it is none of this form.
pub fn any_answer<T: DeserializeOwned>(path: &Path) -> Option<T> {
    Some(body(path, Seal::Spared).ok()?.answer)
}

/// What to say about answers to other questions in the same folder.
fn remark(folder: &Path, own: &Path, parts: &[(String, String)]) -> io::Result<Option<String>> {
    let mut others: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(folder)?.flatten() {
        let path = entry.path();
        let about =
            (path != own).then(|| limited::read(&path.join("about.json"), MAX_FILE).ok()).flatten();
        let Some(about) =
            about.and_then(|bytes| serde_json::from_slice::<FolderSubject>(&bytes).ok())
        else {
            continue;
        };
        let differs = |(name, digest): &&(String, String)| {
            !about.parts.iter().any(|(n, d)| n == name && d == digest)
        };
        let another = |name: &str| {
            format!("{} {name}", if name.ends_with('s') { "other" } else { "another" })
        };
        let differing: Vec<String> =
            parts.iter().filter(differs).map(|(name, _)| another(name)).collect();
        others.push(format!("of {} ({})", about.mapping, differing.join(", ")));
    }
    // Answers to this very question make the others unremarkable.
    let has_own =
        std::fs::read_dir(own)?.flatten().any(|e| e.path().to_string_lossy().ends_with(SUFFIX));
    others.sort();
    Ok((!has_own && !others.is_empty()).then(|| {
        format!(
            "`{}` has answers to other questions, which are not used: {}",
            folder.display(),
            others.join("; ")
        )
    }))
}
