//! Files that are there whole or not at all, whatever happens to the process or to the machine.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use crate::confined::refused;

/// How unfinished files begin; those of a killed process stay until somebody writes into the folder
/// an hour later.
const UNFINISHED: &str = ".unfinished-";

/// Is there no room left: on the disk, of a quota, or of the largest file that the process may
/// write? There may be later, so that this is no reason to give up before there is something to
/// write.
pub fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}

/// Is this the name of an unfinished file?
pub fn is_unfinished(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with(UNFINISHED)
}

/// A file that is not finished; it is gone if it is not given a name.
///
/// # Errors
/// It cannot be made.
pub fn unfinished_in(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    sweep(folder);
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    #[cfg(unix)]
    {
        // As any other file: a folder may be shared.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder).map_err(|error| io::Error::new(error.kind(), why(&error)))
}

/// Why nothing could be made in a folder. What the system's error says of the place is a name that
/// nobody knows.
fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it is not there".to_owned(),
        io::ErrorKind::NotADirectory => "it is no folder".to_owned(),
        io::ErrorKind::PermissionDenied => "it may not be written to".to_owned(),
        kind => kind.to_string(),
    }
}

/// Unfinished files of so long ago are nobody's.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Removes what processes left in a folder that were killed while they wrote; once for each folder.
fn sweep(folder: &Path) {
    static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    if !SWEPT.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned()) {
        return;
    }
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| is_unfinished(&entry.file_name())) {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let written = entry.metadata().and_then(|found| found.modified());
        let old = written
            .is_ok_and(|at| SystemTime::now().duration_since(at).is_ok_and(|age| age > ABANDONED));
        if is_file && old {
            // Who may not remove it may still write.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Writes a file so that it is there whole or not at all.
///
/// # Errors
/// It cannot be written.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = unfinished_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // The new name is on the disk once the folder is.
    File::open(folder)?.sync_all()
}

/// Writes a file that may be there already: the old one stays until the new one is whole. What is
/// no file, a terminal or a pipe, is written to. A link is followed as [`refused`] allows.
///
/// # Errors
/// It cannot be written; the old one is then as it was.
pub fn write_over(path: &Path, bytes: &[u8]) -> io::Result<()> {
    refused(path)?;
    let Ok(there) = std::fs::metadata(path) else { return write_whole(path, bytes) };
    if !there.is_file() {
        return for_writing(path, File::options().write(true))?.write_all(bytes);
    }
    // A link stays one, and leads to the new file.
    let path = path.canonicalize()?;
    match write_whole(&path, bytes) {
        Ok(()) => std::fs::set_permissions(&path, there.permissions()),
        // A file that may be written in a folder that may not.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            std::fs::write(&path, bytes)
        }
        Err(error) => Err(error),
    }
}

/// A new file in the place of what was there. Nothing is written into that: it may have another
/// name elsewhere, by a hard link, and what is written here would be there, too.
///
/// # Errors
/// What was there cannot be taken away, or the new one cannot be made.
pub fn anew(path: &Path) -> io::Result<File> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => File::create_new(path),
    }
}

/// A new folder for a moment that nobody else can look into or replace.
///
/// # Errors
/// It cannot be made, or others could take its place; the error names the system's folder.
pub fn scratch() -> io::Result<tempfile::TempDir> {
    margay_solver::scratch::scratch("margay-").map_err(|error| match error.kind() {
        io::ErrorKind::Other => error,
        kind => {
            let folder = std::env::temp_dir();
            let what = format!(
                "in `{}` nothing can be made: {}; `TMPDIR` names another folder",
                folder.display(),
                why(&error)
            );
            io::Error::new(kind, what)
        }
    })
}

/// A file that lines are added to. A link is followed as [`refused`] allows.
///
/// # Errors
/// It cannot be written.
pub fn added_to(path: &Path) -> io::Result<File> {
    refused(path)?;
    for_writing(path, File::options().create(true).append(true))
}

/// A file that is opened to be written. A pipe that nobody reads from would be waited for without
/// an end, and a signal would not end that.
///
/// # Errors
/// It cannot be opened; it is a pipe without a reader.
#[cfg(unix)]
fn for_writing(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
    use std::time::Instant;
    /// How long a pipe may be without a reader: who starts both at a time may start the writer
    /// first.
    const PATIENCE: Duration = Duration::from_secs(1);
    const PAUSE: Duration = Duration::from_millis(20);
    if !std::fs::metadata(path).is_ok_and(|there| there.file_type().is_fifo()) {
        return options.open(path);
    }
    options.custom_flags(libc::O_NONBLOCK);
    let start = Instant::now();
    let file = loop {
        match options.open(path) {
            Err(error) if error.raw_os_error() == Some(libc::ENXIO) => match start.elapsed()
                < PATIENCE
            {
                true => std::thread::sleep(PAUSE),
                false => return Err(io::Error::other("it is a pipe, and nobody reads from it")),
            },
            opened => break opened?,
        }
    };
    // SAFETY: the descriptor is open; from here on it is written to as any other.
    if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, 0) } == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(file)
}

/// A file that is opened to be written.
#[cfg(not(unix))]
fn for_writing(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    options.open(path)
}

/// How much of a file is read to see what it is, in bytes.
const BEGINNING: u64 = 4096;

/// Is there something else where a file is to be written, which would be lost? A file of the kind
/// begins as `is_own` tells; an empty one is nobody's.
///
/// # Errors
/// It is there, and something else.
pub fn not_another(path: &Path, kind: &str, is_own: impl FnOnce(&str) -> bool) -> io::Result<()> {
    if !path.is_file() {
        return Ok(());
    }
    let mut beginning = Vec::new();
    File::open(path)?.take(BEGINNING).read_to_end(&mut beginning)?;
    match beginning.is_empty() || is_own(&String::from_utf8_lossy(&beginning)) {
        true => Ok(()),
        false => Err(io::Error::other(format!(
            "it is there, and is no {kind}: name another file, or take it away"
        ))),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::write_over;

    #[test]
    fn what_is_there_is_replaced_whole() {
        let folder = tempfile::tempdir().expect("there is room");
        let (file, link) = (folder.path().join("page.html"), folder.path().join("link"));
        write_over(&file, b"one").expect("there is room");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640))
            .expect("it is ours");
        std::os::unix::fs::symlink(&file, &link).expect("it can be made");
        write_over(&link, b"two").expect("there is room");
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(&file).expect("it is there"), b"two");
        assert_eq!(
            std::fs::metadata(&file).expect("it is there").permissions().mode() & 0o777,
            0o640
        );
        write_over(std::path::Path::new("/dev/null"), b"x").expect("it takes anything");
        assert!(write_over(std::path::Path::new("/dev/full"), b"x").is_err());
        assert!(write_over(&folder.path().join("no/such/folder"), b"x").is_err());
        assert_eq!(std::fs::read_dir(folder.path()).expect("it is there").count(), 2);
    }

    #[test]
    fn a_pipe_without_a_reader_is_not_waited_for() {
        let folder = tempfile::tempdir().expect("there is room");
        let pipe = folder.path().join("pipe");
        assert!(
            std::process::Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .expect("mkfifo is there")
                .success()
        );
        assert!(write_over(&pipe, b"x").is_err_and(|e| e.to_string().contains("nobody reads")));
        assert!(super::added_to(&pipe).is_err_and(|e| e.to_string().contains("nobody reads")));
        let reader = {
            let pipe = pipe.clone();
            std::thread::spawn(move || std::fs::read(pipe))
        };
        write_over(&pipe, b"late").expect("somebody reads");
        assert_eq!(reader.join().expect("it ends").expect("it is read"), b"late");
    }

    #[test]
    fn what_a_killed_process_left_goes_after_an_hour() {
        let folder = tempfile::tempdir().expect("there is room");
        let left = |name: &str, age: u64| {
            let file = std::fs::File::create(folder.path().join(name)).expect("there is room");
            let then = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
            file.set_modified(then).expect("it is ours");
        };
        left(".unfinished-old", 4000);
        left(".unfinished-new", 1000);
        left("mine", 4000);
        super::write_whole(&folder.path().join("page"), b"x").expect("there is room");
        let names = std::fs::read_dir(folder.path())
            .expect("it is there")
            .flatten()
            .map(|e| e.file_name().into_string());
        let mut names: Vec<String> = names.map(|name| name.expect("a text")).collect();
        names.sort();
        assert_eq!(names, [".unfinished-new", "mine", "page"]);
    }

    #[test]
    fn what_is_something_else_is_not_replaced() {
        let folder = tempfile::tempdir().expect("there is room");
        let file = folder.path().join("mp.litmus");
        let own = |path: &std::path::Path| {
            super::not_another(path, "profile", |text| text.starts_with("# Written by"))
        };
        assert!(own(&file).is_ok(), "nothing is there");
        std::fs::write(&file, "").expect("there is room");
        assert!(own(&file).is_ok());
        std::fs::write(&file, "# Written by `margay gpu tune`\n").expect("there is room");
        assert!(own(&file).is_ok());
        std::fs::write(&file, "PTX mp\n").expect("there is room");
        assert!(own(&file).is_err_and(|e| e.to_string().contains("is no profile")));
    }
}
