//! Paths that stay in a folder, wherever links in it lead.

use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Why a path leaves a folder; nothing if it stays there. Nothing need be at the path yet; `path`
/// starts in `folder`.
///
/// # Errors
/// The folder is not there, or a part of the path cannot be looked at.
pub fn way_out(folder: &Path, path: &Path) -> io::Result<Option<String>> {
    let root = real(folder)?;
    if path.has_root() {
        return Ok(Some("it starts from the root of the file system".to_owned()));
    }
    let (mut here, mut depth) = (root.clone(), 0_usize);
    for component in path.components() {
        match component {
            Component::CurDir => continue,
            Component::Normal(name) => {
                depth += 1;
                here.push(name);
            }
            Component::ParentDir if depth > 0 => {
                depth -= 1;
                here.pop();
                continue;
            }
            _ => return Ok(Some("it leads out of the folder".to_owned())),
        }
        match std::fs::symlink_metadata(&here) {
            Ok(found) if found.is_symlink() => {
                let Ok(to) = here.canonicalize() else {
                    return Ok(Some(format!(
                        "`{}` is a link to what is not there",
                        here.display()
                    )));
                };
                if !to.starts_with(&root) {
                    return Ok(Some(format!(
                        "`{}` is a link to `{}`",
                        here.display(),
                        to.display()
                    )));
                }
                depth = to.components().count() - root.components().count();
                here = to;
            }
            Ok(_) => {}
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Why something must not be written at a path that a user named: it starts where the user is, and
/// a link in a folder below leads elsewhere. A folder that came from somebody else may have such
/// links. Where a whole path or `..` is written out, it is the user who says where it leads.
///
/// # Errors
/// A part of the path cannot be looked at.
pub fn refused(path: &Path) -> io::Result<()> {
    let named = path.has_root()
        || path.components().any(|c| matches!(c, Component::ParentDir | Component::Prefix(_)));
    if named {
        return Ok(());
    }
    match way_out(Path::new("."), path)? {
        None => Ok(()),
        Some(why) => Err(io::Error::other(format!(
            "{why}, and links are not followed out of this folder: name the place itself"
        ))),
    }
}

/// Makes a folder that something is written into, as [`refused`] allows.
///
/// # Errors
/// It must not be written there, or it cannot be made.
pub fn make_folder(path: &Path) -> io::Result<()> {
    refused(path)?;
    let new: Vec<PathBuf> =
        path.ancestors().take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
    std::fs::create_dir_all(path)?;
    MADE.lock().unwrap_or_else(PoisonError::into_inner).extend(new);
    Ok(())
}

/// The folders that this process made, each before the one that it lies in.
static MADE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Takes away the folders that this process made and nothing was written into: of a question that
/// turned out to be none, nothing stays.
pub fn remove_empty() {
    for folder in MADE.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        // It is not removed unless it is empty.
        let _ = std::fs::remove_dir(folder);
    }
}

/// The path of a file that is to be written into a folder: neither it nor a folder on the way to it
/// is a link that leads out, and there is nothing yet or a file of its own.
///
/// # Errors
/// It is not so, or cannot be looked at.
pub fn place_in(folder: &Path, name: &str) -> io::Result<PathBuf> {
    if let Some(why) = way_out(folder, Path::new(name))? {
        return Err(io::Error::other(format!(
            "`{name}` is not written: {why}; take the link away, or name another folder"
        )));
    }
    let path = folder.join(name);
    let what = match std::fs::symlink_metadata(&path) {
        Ok(found) if found.is_symlink() => "a link",
        Ok(found) if found.is_dir() => "a folder",
        Ok(found) if !found.is_file() => "a device or a pipe",
        _ => return Ok(path),
    };
    Err(io::Error::other(format!(
        "`{}` is {what}, and is not written to: take it away, or name another folder",
        path.display()
    )))
}

/// A folder without links; an empty path is the working directory.
fn real(folder: &Path) -> io::Result<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    folder.canonicalize()
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{create_dir_all, write};
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::way_out;

    #[test]
    fn a_path_stays_in_its_folder_or_does_not() {
        let place = tempfile::tempdir().expect("there is room");
        let (root, outside) = (place.path().join("root"), place.path().join("outside"));
        create_dir_all(root.join("in/deep")).expect("a folder");
        create_dir_all(&outside).expect("a folder");
        write(outside.join("file"), "x").expect("a file");
        symlink(&outside, root.join("out")).expect("a link");
        symlink("in/deep", root.join("within")).expect("a link");
        symlink("../outside/new", root.join("in/dangling")).expect("a link");
        let leaves = |path: &str| way_out(&root, Path::new(path)).expect("it can be looked at");
        for fine in
            ["", ".", "in", "in/deep/new/er", "in/../new", "within", "within/new", "within/../x"]
        {
            assert_eq!(leaves(fine), None, "{fine}");
        }
        for bad in [
            "..",
            "../outside",
            "in/../../x",
            "/etc",
            "out",
            "out/file",
            "out/new",
            "out/../x",
            "in/dangling",
            "within/../../../x",
        ] {
            assert!(leaves(bad).is_some(), "{bad}");
        }
    }
}
