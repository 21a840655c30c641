//! Files that are read up to a size: a device, a pipe or a link to one of them never ends.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// The path that stands for standard input, where a command takes a file.
pub const STANDARD_INPUT: &str = "-";

/// Was standard input read? It can be read once.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// The bytes of a file.
///
/// # Errors
/// It cannot be read, or has more than `limit` bytes. (Its length is not asked for: pipes and devices have none.)
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_from(File::open(path)?, limit)
}

/// The bytes of a file that a user named: `-` is standard input.
///
/// # Errors
/// As [`read`]; it is a folder; standard input was read before.
pub fn given(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    if path != Path::new(STANDARD_INPUT) {
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
        false => path.display().to_string(),
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
        return Err(io::Error::other(format!("it has more than {limit} bytes, which is the most that is read")));
    }
    Ok(bytes)
}

/// The text of a file that a user named.
///
/// # Errors
/// As [`given`]; it is not in UTF-8.
pub fn text(path: &Path, limit: u64) -> io::Result<String> {
    String::from_utf8(given(path, limit)?)
        .map_err(|error| io::Error::other(format!("it is not a text in UTF-8 (byte {})", error.utf8_error().valid_up_to() + 1)))
}

/// The size of a file that lies there itself: neither a link nor a folder, a pipe or a device. What came from elsewhere as a folder
/// could lead anywhere by a link in it.
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
        assert!(super::text(&path, 8).is_err_and(|e| e.to_string().contains("byte 3")));
        assert!(super::plain(folder.path()).is_err_and(|e| e.to_string().contains("a folder")));
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
}
