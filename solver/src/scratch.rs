//! Folders for a moment.

use std::io;

/// A new folder in the system's for such ones, which is everybody's: its name cannot be guessed,
/// nobody else can look into it, and nobody else can put another one into its place. It is gone
/// when what is returned is dropped.
///
/// # Errors
/// It cannot be made, or others could take its place; then the kind is `Other`, and the message
/// names the system's folder.
pub fn scratch(prefix: &str) -> io::Result<tempfile::TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        /// Everybody may write to it.
        const BY_ALL: u32 = 0o002;
        /// Who may write to it may rename and remove their own files alone.
        const STICKY: u32 = 0o1000;
        let folder = std::env::temp_dir();
        if std::fs::metadata(&folder)
            .is_ok_and(|found| found.permissions().mode() & (BY_ALL | STICKY) == BY_ALL)
        {
            return Err(io::Error::other(format!(
                "in `{}` everybody may put another folder into the place of one that was made there (it has no sticky bit: `chmod +t`); \
                 `TMPDIR` names another folder",
                folder.display()
            )));
        }
        builder.permissions(std::fs::Permissions::from_mode(0o700));
    }
    builder.tempdir()
}
