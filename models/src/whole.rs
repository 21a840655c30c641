//! Files that are there whole or not at all, whatever happens to the process or to the machine.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// How unfinished files begin; those of a killed process stay.
const UNFINISHED: &str = ".unfinished-";

/// Is there no room left: on the disk, of a quota, or of the largest file that the process may write? There may be later, so that this is no
/// reason to give up before there is something to write.
pub fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge)
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
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    #[cfg(unix)]
    {
        // As any other file: a folder may be shared.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Writes a file so that it is there whole or not at all.
///
/// # Errors
/// It cannot be written.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = unfinished_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // The new name is on the disk once the folder is.
    File::open(folder)?.sync_all()
}
