//! Folders that commands write their files into. A folder says what is in it: what an earlier run
//! left there and this one does not write is removed, so that no file stands beside a report that
//! knows nothing of it. What somebody changed, or put there, stays.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Component, Path, PathBuf};

use margay_models::confined::{make_folder, place_in};
use margay_models::diagnostic::Diagnostic;
use margay_models::digest::{digest, digest_of_file};
use margay_models::durable::{anew, is_full, unfinished_in};
use margay_models::limited;

/// The list of files that were written, each with its SHA-256, as `sha256sum` writes it.
const LIST: &str = ".margay.sha256";

/// The largest list that is read, in bytes.
const LARGEST: u64 = 1 << 28;

/// Sees to it, before a search, that a folder can be written to: it is made if it is not there. A
/// full disk may have room again when there is something to write, and is no reason not to search.
/// Links lead nowhere from here: a folder may have come from somebody else.
///
/// # Errors
/// It cannot be made or written to.
pub fn prepare(path: &Path) -> Result<(), Diagnostic> {
    if path.exists() && !path.is_dir() {
        let error = Diagnostic::error(format!(
            "cannot write into the folder `{}`: it is no folder",
            path.display()
        ));
        return Err(
            error.help("name a folder, or one that can be made: this command writes several files")
        );
    }
    let tried = make_folder(path).and_then(|()| unfinished_in(path)?.close());
    match tried {
        Err(error) if !is_full(&error) => {
            let error = Diagnostic::error(format!(
                "cannot write into the folder `{}`: {error}",
                path.display()
            ));
            Err(error.help("name a folder that can be written to, or one that can be made"))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// A folder that is written to.
pub struct OutputFolder {
    path: PathBuf,
    list: File,
    written: BTreeSet<String>,
    /// What earlier runs left and somebody has changed since.
    changed: Vec<String>,
}

impl OutputFolder {
    /// Begins: what an earlier run wrote is removed, unless it was changed since.
    pub fn open(path: &Path) -> io::Result<Self> {
        make_folder(path)?;
        let mut changed = Vec::new();
        let list = place_in(path, LIST)?;
        let before = match limited::text(&list, LARGEST) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        for (sha256, name) in before.lines().filter_map(|line| line.split_once("  ")) {
            // A list may be of somebody else: what it names is removed where it lies in this folder
            // itself, behind no link.
            let Some(file) = Some(name)
                .filter(|name| is_within(name))
                .and_then(|name| place_in(path, name).ok())
            else {
                continue;
            };
            if !file.is_file() {
                continue;
            }
            if digest_of_file(&file)? != sha256 {
                changed.push(name.to_owned());
                continue;
            }
            fs::remove_file(&file)?;
            // A folder in it that is empty now was made for this file.
            let within = file.ancestors().skip(1).take_while(|p| *p != path);
            let _ = within.into_iter().try_for_each(fs::remove_dir);
        }
        let list = anew(&list)?;
        Ok(Self { path: path.to_owned(), list, written: BTreeSet::new(), changed })
    }

    /// Writes a file; `name` is its path within the folder. What cannot be written whole is not
    /// there.
    ///
    /// # Errors
    /// It cannot be written, or a link in the folder leads elsewhere.
    pub fn write(&mut self, name: &str, content: impl AsRef<[u8]>) -> io::Result<()> {
        let (file, content) = (place_in(&self.path, name)?, content.as_ref());
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        // First into the list: a file that is not in it would stay for ever.
        writeln!(self.list, "{}  {name}", digest(content))?;
        anew(&file)?.write_all(content).inspect_err(|_| drop(fs::remove_file(&file)))?;
        self.written.insert(name.to_owned());
        Ok(())
    }

    /// Has files written that may be larger than the memory; `names` are theirs within the folder,
    /// `write` is told their paths.
    pub fn write_by<const N: usize, T>(
        &mut self,
        names: [&str; N],
        write: impl FnOnce([PathBuf; N]) -> io::Result<T>,
    ) -> io::Result<T> {
        for name in names {
            anew(&place_in(&self.path, name)?)?;
        }
        let files = names.map(|name| self.path.join(name));
        let remove = |_: &io::Error| files.iter().for_each(|file| drop(fs::remove_file(file)));
        let result = write(files.clone()).inspect_err(remove)?;
        for (name, file) in names.into_iter().zip(&files) {
            writeln!(self.list, "{}  {name}", digest_of_file(file)?)?;
            self.written.insert(name.to_owned());
        }
        Ok(result)
    }

    /// Ends: a warning about files with names like those of this command (`is_like`) that it did
    /// not write.
    pub fn finish(self, is_like: &dyn Fn(&str) -> bool) -> Option<Diagnostic> {
        let entries = fs::read_dir(&self.path).ok()?;
        let names = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned());
        let mut others: BTreeSet<String> = names.filter(|name| is_like(name)).collect();
        others.extend(self.changed);
        let others: Vec<&str> = others
            .iter()
            .filter(|name| !self.written.contains(*name))
            .map(String::as_str)
            .collect();
        let shown = match others.as_slice() {
            [] => return None,
            [first, second, third, rest @ ..] if !rest.is_empty() => {
                format!("`{first}`, `{second}`, `{third}` and {} more", rest.len())
            }
            few => format!("`{}`", few.join("`, `")),
        };
        let what =
            format!("`{}` has files that this run did not write: {shown}", self.path.display());
        Some(Diagnostic::warning(what).help(
            "they are of another run, or were changed since; this answer says nothing of them",
        ))
    }
}

/// Does a path stay in its folder?
fn is_within(name: &str) -> bool {
    !name.is_empty() && Path::new(name).components().all(|c| matches!(c, Component::Normal(_)))
}

/// Says on standard error that something could not be written. The answer was printed, and the exit
/// code is still its.
pub fn unwritten(path: &Path, error: &io::Error, output: crate::output::Output) {
    let error = Diagnostic::error(format!("cannot write into `{}`: {error}", path.display()));
    output.warn(&[error
        .help("the answer above stands, and so does the exit code; not all files were written")]);
}

/// Writes files into a folder, if one was asked for: after the answer was printed, and whatever
/// happens the answer stands. `is_like` tells the names of the command's files. Was all written?
pub fn fill(
    path: Option<&Path>,
    is_like: &dyn Fn(&str) -> bool,
    output: crate::output::Output,
    write: impl FnOnce(&mut OutputFolder) -> io::Result<()>,
) -> bool {
    let Some(path) = path else { return true };
    let done = OutputFolder::open(path).and_then(|mut folder| write(&mut folder).map(|()| folder));
    match done {
        Ok(folder) => {
            output.warn(&folder.finish(is_like).into_iter().collect::<Vec<_>>());
            true
        }
        Err(error) => {
            unwritten(path, &error, output);
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::{LIST, OutputFolder};

    fn folder(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("margay-folder-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn what_an_earlier_run_left_is_removed_unless_somebody_changed_it() {
        let path = folder("earlier");
        let mut first = OutputFolder::open(&path).expect("a folder");
        for name in ["a.txt", "b.txt", "c.txt", "deep/er/d.txt"] {
            first.write(name, name).expect("written");
        }
        assert_eq!(first.finish(&|name| name.ends_with(".txt")), None);
        fs::write(path.join("b.txt"), "mine").expect("changed");
        fs::write(path.join("other.txt"), "not ours").expect("written");
        let mut second = OutputFolder::open(&path).expect("a folder");
        second.write("c.txt", "again").expect("written");
        let warning = second
            .finish(&|name| ["a", "b", "c"].iter().any(|b| name.starts_with(b)))
            .expect("one was changed");
        assert!(
            warning.message.contains("`b.txt`") && !warning.message.contains("other.txt"),
            "{}",
            warning.message
        );
        let mut left: Vec<String> = fs::read_dir(&path)
            .expect("it")
            .flatten()
            .map(|e| e.file_name().to_string_lossy().into_owned())
            .collect();
        left.sort();
        assert_eq!(left, [LIST, "b.txt", "c.txt", "other.txt"]);
        fs::remove_dir_all(&path).expect("removed");
    }

    #[test]
    fn nothing_outside_is_touched_and_old_files_without_a_list_are_told_of() {
        let path = folder("outside");
        fs::create_dir_all(path.join("in")).expect("a folder");
        fs::write(path.join("precious"), "x").expect("written");
        let digest = margay_models::digest::digest(b"x");
        fs::write(
            path.join("in").join(LIST),
            format!(
                "{digest}  ../precious\n{digest}  {}\nrubbish\n",
                path.join("precious").display()
            ),
        )
        .expect("a list");
        fs::write(path.join("in/counterexample-source.litmus"), "old").expect("written");
        let folder = OutputFolder::open(&path.join("in")).expect("a folder");
        let warning =
            folder.finish(&|name| name.starts_with("counterexample")).expect("an old file");
        assert!(warning.message.contains("counterexample-source.litmus"), "{}", warning.message);
        assert!(path.join("precious").is_file());
        fs::remove_dir_all(&path).expect("removed");
    }

    /// A repository that came from somebody else has links in it.
    #[cfg(unix)]
    #[test]
    fn links_are_neither_written_through_nor_removed_through() {
        use std::os::unix::fs::symlink;
        let path = folder("links");
        let (own, precious) = (path.join("in"), path.join("precious"));
        fs::create_dir_all(&own).expect("a folder");
        fs::create_dir_all(&precious).expect("a folder");
        let kept = precious.join("kept.txt");
        fs::write(&kept, "x").expect("written");
        let digest = margay_models::digest::digest(b"x");
        symlink(&precious, own.join("deep")).expect("a link");
        symlink(&kept, own.join("page.txt")).expect("a link");
        fs::write(own.join(LIST), format!("{digest}  deep/kept.txt\n{digest}  page.txt\n"))
            .expect("a list");
        let mut begun = OutputFolder::open(&own).expect("a folder");
        for name in ["deep/new.txt", "deep/kept.txt", "page.txt"] {
            let error = begun.write(name, "y").expect_err(name).to_string();
            assert!(error.contains("link"), "{error}");
        }
        assert_eq!(fs::read_to_string(&kept).expect("it is there"), "x");
        assert_eq!(fs::read_dir(&precious).expect("it is there").count(), 1);
        // The list itself, too.
        fs::remove_file(own.join(LIST)).expect("removed");
        symlink(&kept, own.join(LIST)).expect("a link");
        assert!(
            OutputFolder::open(&own).is_err_and(|error| error.to_string().contains("is a link"))
        );
        assert_eq!(fs::read_to_string(&kept).expect("it is there"), "x");
        fs::remove_dir_all(&path).expect("removed");
    }
}
