//! The key of a user, and seals made with it: who can write into a folder may change what lies
//! there, but without the key no seal fits.
//!
//! The key is a file of 32 random bytes that only its owner can read: the one that MARGAY_KEY
//! names, or `margay/key` in the folder of the user's state (`$XDG_STATE_HOME`, `~/.local/state`).
//! It is made when it is needed first.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::digest::hexadecimal;

/// The environment variable that names the file of the key.
pub const VARIABLE: &str = "MARGAY_KEY";

/// The length of a key, in bytes.
const LENGTH: usize = 32;

/// Why a user has no key.
#[derive(Debug)]
pub enum NoSealKey {
    /// There is no folder to make one in, and none is named.
    NoPlace,
    /// What lies there cannot be used, or nothing can be made there.
    Unusable(PathBuf, io::Error),
}

impl fmt::Display for NoSealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPlace => {
                write!(f, "there is no home folder for a key; {VARIABLE} names a file for one")
            }
            Self::Unusable(file, error) => {
                write!(f, "the key `{}` cannot be used: {error}", file.display())
            }
        }
    }
}

impl std::error::Error for NoSealKey {}

pub struct SealKey([u8; LENGTH]);

impl SealKey {
    /// The key of the user who runs the program, or why there is none.
    ///
    /// # Errors
    /// There is no place for it, it cannot be made, or others can read it.
    pub fn of_user() -> Result<&'static Self, &'static NoSealKey> {
        static KEY: OnceLock<Result<SealKey, NoSealKey>> = OnceLock::new();
        let key = KEY.get_or_init(|| {
            let file = place().ok_or(NoSealKey::NoPlace)?;
            SealKey::at(&file).map_err(|error| NoSealKey::Unusable(file, error))
        });
        key.as_ref()
    }

    /// The key in a file, which is made if it is not there.
    ///
    /// # Errors
    /// It cannot be made or read, is no key, or others can read it.
    pub fn at(file: &Path) -> io::Result<Self> {
        match Self::read(file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            read => return read,
        }
        make(file)?;
        Self::read(file)
    }

    fn read(file: &Path) -> io::Result<Self> {
        let mut bytes = [0; LENGTH];
        let mut opened = File::open(file)?;
        private(&opened)?;
        opened
            .read_exact(&mut bytes)
            .map_err(|_| io::Error::other(format!("it has fewer than {LENGTH} bytes")))?;
        Ok(Self(bytes))
    }

    /// The seal of a text: HMAC-SHA-256 (RFC 2104), in hexadecimal digits.
    pub fn seal(&self, bytes: &[u8]) -> String {
        hexadecimal(&self.mac(bytes).finalize().into_bytes())
    }

    /// Is this the seal of a text? It takes as long whatever differs.
    pub fn fits(&self, bytes: &[u8], seal: &str) -> bool {
        let digits =
            |at: usize| seal.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
        let given: Option<Vec<u8>> = (0..seal.len()).step_by(2).map(digits).collect();
        given.is_some_and(|given| self.mac(bytes).verify_slice(&given).is_ok())
    }

    fn mac(&self, bytes: &[u8]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key of any length will do");
        mac.update(bytes);
        mac
    }
}

/// The file of the user's key.
fn place() -> Option<PathBuf> {
    let of =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let named = std::env::var_os(VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
    let own = || {
        of("XDG_STATE_HOME")
            .or_else(|| Some(of("HOME")?.join(".local/state")))
            .map(|state| state.join("margay/key"))
    };
    named.or_else(own)
}

/// Makes a key that nobody else can read. Of several processes that do so at a time one does.
#[cfg(unix)]
fn make(file: &Path) -> io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
    let folder =
        file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mut bytes = [0; LENGTH];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    // Whole or not at all, and never in the place of another's.
    let permissions = std::fs::Permissions::from_mode(0o600);
    let mut made =
        tempfile::Builder::new().prefix(".key-").permissions(permissions).tempfile_in(folder)?;
    made.write_all(&bytes)?;
    made.as_file().sync_all()?;
    match made.persist_noclobber(file) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error.error),
    }
}

#[cfg(not(unix))]
fn make(_file: &Path) -> io::Result<()> {
    Err(io::Error::other("nothing random is known here"))
}

/// Is it the user's alone?
#[cfg(unix)]
fn private(file: &File) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let found = file.metadata()?;
    // SAFETY: takes nothing, and always succeeds.
    let own = unsafe { libc::geteuid() };
    match () {
        () if !found.is_file() => Err(io::Error::other("it is no file")),
        () if found.uid() != own => Err(io::Error::other("it belongs to another user")),
        () if found.mode() & 0o077 != 0 => {
            Err(io::Error::other("others can read it: `chmod 600` it, or take it away"))
        }
        () => Ok(()),
    }
}

#[cfg(not(unix))]
fn private(_file: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::SealKey;

    #[test]
    fn a_seal_fits_one_text_and_one_key() {
        let folder = tempfile::tempdir().expect("there is room");
        let file = folder.path().join("state/margay/key");
        let key = SealKey::at(&file).expect("it is made");
        assert_eq!(
            std::fs::metadata(&file).expect("it is there").permissions().mode() & 0o777,
            0o600
        );
        let seal = key.seal(b"an answer");
        assert!(
            key.fits(b"an answer", &seal)
                && SealKey::at(&file).expect("it is there").fits(b"an answer", &seal)
        );
        let other = SealKey::at(&folder.path().join("other")).expect("it is made");
        for (key, text, seal) in [
            (&key, "another", seal.as_str()),
            (&other, "an answer", &seal),
            (&key, "an answer", ""),
            (&key, "an answer", &seal[1..]),
            (&key, "an answer", &seal[..62]),
            (&key, "an answer", "zz"),
        ] {
            assert!(!key.fits(text.as_bytes(), seal), "{text} {seal}");
        }
        // RFC 4231, test case 2, with the key filled up to its length.
        let known = SealKey(*b"Jefe\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
        assert_eq!(
            known.seal(b"what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644))
            .expect("it is ours");
        assert!(SealKey::at(&file).is_err_and(|e| e.to_string().contains("chmod 600")));
    }
}
