//! Files that are read up to a size: a device, a pipe or a link to one of them never ends.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::string::FromUtf8Error;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::text::{in_line, is_obeyed};

/// The path that stands for standard input, where a command takes a file.
pub const STANDARD_INPUT: &str = "-";

/// Was standard input read? It can be read once.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// The bytes of a file.
///
/// # Errors
/// It cannot be read, or has more than `limit` bytes. (Its length is not asked for: pipes and
/// devices have none.) It is a pipe that nobody writes into.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let opened = open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => io::Error::new(io::ErrorKind::NotFound, "there is no such file"),
        _ => error,
    });
    read_from(opened?, limit)
}

/// A file to be read. A pipe that nobody writes into would be waited for without an end.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<impl Read + use<>> {
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
    /// How long a pipe may be without a writer, in milliseconds: who starts both at a time may
    /// start the reader first.
    const PATIENCE: i32 = 1000;
    if !std::fs::metadata(path)?.file_type().is_fifo() {
        return Ok(io::Cursor::new(Vec::new()).chain(File::open(path)?));
    }
    let mut file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let mut asked = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one descriptor, which is open.
    let ready = unsafe { libc::poll(&raw mut asked, 1, PATIENCE) };
    let mut first = [0; 1];
    // Where there is nothing yet, somebody who may still write is waited for; where nobody is, it
    // is the end.
    let came = match file.read(&mut first) {
        Ok(0) if ready == 0 => {
            return Err(io::Error::other("it is a pipe, and nobody writes into it"));
        }
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
        read => read?,
    };
    // SAFETY: the descriptor is open; from here on it is read from as any other.
    if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, 0) } == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(io::Cursor::new(first[..came].to_vec()).chain(file))
}

/// A file to be read.
#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// The bytes of a file that a user named: `-` is standard input.
///
/// # Errors
/// As [`read`]; it is a folder; its name could write lines of its own into an answer; standard
/// input was read before.
pub fn given(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    if path != Path::new(STANDARD_INPUT) {
        of_one_line(&path.to_string_lossy())?;
        return match path.is_dir() {
            true => Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder")),
            false => read(path, limit),
        };
    }
    match TAKEN.swap(true, Ordering::Relaxed) {
        true => Err(io::Error::other("it was read already: `-` can stand for one file only")),
        false => read_from(io::stdin().lock(), limit),
    }
}

/// What messages call a file that a user named.
#[must_use]
pub fn name(path: &Path) -> String {
    match path == Path::new(STANDARD_INPUT) {
        true => "standard input".to_owned(),
        false => in_line(&path.display().to_string()),
    }
}

/// Is this name a text without line breaks and escape sequences? With these it could write lines of
/// its own into an answer.
fn of_one_line(name: &str) -> io::Result<()> {
    match name.chars().any(|c| c.is_control() || is_obeyed(c)) {
        true => Err(io::Error::other(
            "its name has a line break, or something else that a terminal obeys: rename it",
        )),
        false => Ok(()),
    }
}

/// What there is to read, if that is not more than `limit` bytes.
///
/// # Errors
/// It cannot be read, or there is more.
pub fn read_from(from: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::other(format!(
            "it has more than {limit} bytes, which is the most that is read"
        )));
    }
    Ok(bytes)
}

/// The text of a file that a user named.
///
/// # Errors
/// As [`given`]; it is not in UTF-8.
pub fn text(path: &Path, limit: u64) -> io::Result<String> {
    String::from_utf8(given(path, limit)?).map_err(|error| io::Error::other(not_a_text(&error)))
}

/// Why bytes are no text: where the first is that is none, by line and column. Editors and shells
/// of Windows write UTF-16, which begins with a mark.
pub fn not_a_text(error: &FromUtf8Error) -> String {
    if is_utf16(error.as_bytes()) {
        return "it is a text in UTF-16, not in UTF-8: save it as UTF-8".to_owned();
    }
    let before = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("it is not a text in UTF-8 (line {line}, column {column})")
}

/// Do bytes begin with the mark of a text in UTF-16?
pub fn is_utf16(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
}

/// The size of a file that lies there itself: neither a link nor a folder, a pipe or a device. What
/// came from elsewhere as a folder could lead anywhere by a link in it.
///
/// # Errors
/// It is not there, or something else.
pub fn plain(path: &Path) -> io::Result<u64> {
    let found = std::fs::symlink_metadata(path)?;
    if found.is_file() {
        return Ok(found.len());
    }
    let what = match () {
        () if found.is_symlink() => "a link",
        () if found.is_dir() => "a folder",
        () => "a device or a pipe",
    };
    Err(io::Error::other(format!("it is {what}, and no file of its own")))
}

/// Is this what is read of a folder that was named? A file that was found in it is a file, and if
/// it is a link, it leads to one in the same folder: what came from elsewhere could otherwise have
/// any file of the machine quoted. Its name is a text of one line. What is not there is said where
/// it is read.
///
/// # Errors
/// It is something else, or lies elsewhere.
pub fn of_folder(folder: &Path, path: &Path) -> io::Result<()> {
    match path.strip_prefix(folder).unwrap_or(path).to_str() {
        None => return Err(io::Error::other("its name is not a text in UTF-8: rename it")),
        Some(name) => of_one_line(name)?,
    }
    let found = match std::fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if !found.is_symlink() {
        return match found.is_dir() {
            true => Ok(()),
            false => plain(path).map(drop),
        };
    }
    let real =
        path.canonicalize().map_err(|_| io::Error::other("it is a link to what is not there"))?;
    if !real.starts_with(folder.canonicalize()?) {
        return Err(io::Error::other(
            "it is a link that leads out of the folder, and is not followed: name the file itself",
        ));
    }
    // Links to folders could go round in circles, and what they lead to is found without them.
    plain(&real).map(drop)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    #[test]
    fn no_more_than_the_limit_is_read() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("file");
        std::fs::write(&path, "12345678").expect("there is room");
        assert_eq!(super::read(&path, 8).expect("it is small enough"), b"12345678");
        assert!(super::read(&path, 7).is_err_and(|e| e.to_string().contains("more than 7 bytes")));
        assert_eq!(super::plain(&path).expect("a file"), 8);
        assert!(super::text(&path, u64::MAX).is_ok());
        std::fs::write(&path, b"ab\xff").expect("there is room");
        assert!(super::text(&path, 8).is_err_and(|e| e.to_string().contains("line 1, column 3")));
        std::fs::write(&path, b"\xff\xfea\0").expect("there is room");
        assert!(
            super::text(&path, 8).is_err_and(|e| e.to_string().contains("in UTF-16, not in UTF-8"))
        );
        assert!(super::plain(folder.path()).is_err_and(|e| e.to_string().contains("a folder")));
        assert_eq!(
            super::text(&folder.path().join("none"), 8).expect_err("nothing").to_string(),
            "there is no such file"
        );
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_links_are_told_apart() {
        let zero = Path::new("/dev/zero");
        assert!(super::read(zero, 1000).is_err());
        assert!(super::plain(zero).is_err_and(|e| e.to_string().contains("a device")));
        let folder = tempfile::tempdir().expect("there is room");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(zero, &link).expect("it can be made");
        assert!(super::plain(&link).is_err_and(|e| e.to_string().contains("a link")));
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_without_a_writer_is_not_waited_for() {
        let folder = tempfile::tempdir().expect("there is room");
        let pipe = folder.path().join("pipe");
        let made =
            std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is there");
        assert!(made.success());
        assert!(super::read(&pipe, 8).is_err_and(|e| e.to_string().contains("nobody writes")));
        let writer = {
            let pipe = pipe.clone();
            std::thread::spawn(move || std::fs::write(pipe, "late"))
        };
        assert_eq!(super::read(&pipe, 8).expect("somebody writes"), b"late");
        writer.join().expect("it ends").expect("it is read");
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_nowhere_out_of_a_folder() {
        use std::os::unix::fs::symlink;
        let place = tempfile::tempdir().expect("there is room");
        let folder = place.path().join("tests");
        std::fs::create_dir(&folder).expect("there is room");
        std::fs::write(place.path().join("secret"), "x").expect("there is room");
        std::fs::write(folder.join("a.litmus"), "x").expect("there is room");
        symlink("a.litmus", folder.join("b.litmus")).expect("it can be made");
        symlink("../secret", folder.join("c.litmus")).expect("it can be made");
        symlink("nowhere", folder.join("d.litmus")).expect("it can be made");
        symlink("..", folder.join("e")).expect("it can be made");
        let read = |name: &str| super::of_folder(&folder, &folder.join(name));
        for fine in ["a.litmus", "b.litmus", "none.litmus"] {
            assert!(read(fine).is_ok(), "{fine}");
        }
        for bad in ["c.litmus", "d.litmus", "e"] {
            assert!(read(bad).is_err_and(|e| e.to_string().contains("link")), "{bad}");
        }
        for bad in ["a\nnone.litmus", "a\u{1b}[2J.litmus", "a\u{202e}b/c.litmus"] {
            assert!(read(bad).is_err_and(|e| e.to_string().contains("its name has")), "{bad:?}");
        }
    }
}
