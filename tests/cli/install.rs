//! The script that installs a release (.ci/install.sh), from a folder in place of a code host.

use std::path::{Path, PathBuf};

use crate::program::{err, folder, out, shell, write};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/.ci/install.sh");

/// A folder with the archive of a release for this machine, of the program that tests run; `None` where releases have none.
fn release(name: &str) -> Option<PathBuf> {
    let target = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "x86_64-unknown-linux-musl",
        ("linux", "aarch64") => "aarch64-unknown-linux-musl",
        ("macos", "aarch64") => "aarch64-apple-darwin",
        ("macos", "x86_64") => "x86_64-apple-darwin",
        _ => return None,
    };
    let root = folder(name);
    let inside = root.join(format!("margay-{target}"));
    std::fs::create_dir_all(&inside).expect("a folder");
    std::fs::copy(env!("CARGO_BIN_EXE_margay"), inside.join("margay")).expect("a copy");
    let archive = format!("margay-{target}.tar.gz");
    let pack = format!(
        "tar -cf - margay-{target} | gzip -1 > {archive} && (sha256sum {archive} || shasum -a 256 {archive}) > {archive}.sha256"
    );
    let output = shell(&root, &pack, &[]);
    assert!(output.status.success(), "{}", err(&output));
    Some(root)
}

fn install(release: &Path, to: &Path) -> std::process::Output {
    let (from, to) = (release.display().to_string(), to.display().to_string());
    shell(release, &format!("sh {SCRIPT}"), &[("FROM", &from), ("TO", &to)])
}

#[test]
fn a_release_is_installed() {
    let Some(release) = release("install/good") else { return println!("skipped: no release is made for this machine") };
    let to = release.join("bin");
    let output = install(&release, &to);
    assert!(output.status.success(), "{}{}", out(&output), err(&output));
    assert!(out(&output).starts_with(&format!("margay {}", env!("CARGO_PKG_VERSION"))), "{}", out(&output));
    assert!(out(&output).contains("to your PATH"), "{}", out(&output));
    // Again, over the one that is there.
    assert!(install(&release, &to).status.success());
    let names: Vec<_> = std::fs::read_dir(&to).expect("a folder").map(|e| e.expect("an entry").file_name()).collect();
    assert_eq!(names, ["margay"]);
}

#[test]
fn an_archive_that_was_changed_is_not_installed() {
    let Some(release) = release("install/changed") else { return println!("skipped: no release is made for this machine") };
    let entries = std::fs::read_dir(&release).expect("a folder").map(|e| e.expect("an entry").path());
    let mut archives = entries.filter(|p| p.extension().is_some_and(|e| e == "gz"));
    let archive = archives.next().expect("an archive");
    let mut bytes = std::fs::read(&archive).expect("bytes");
    *bytes.last_mut().expect("a byte") ^= 1;
    write(&release, &archive.file_name().expect("a name").to_string_lossy(), bytes);
    let to = release.join("bin");
    let output = install(&release, &to);
    assert_eq!(output.status.code(), Some(1), "{}", out(&output));
    assert!(
        err(&output).contains("is not what was released") && err(&output).contains("Nothing was installed"),
        "{}",
        err(&output)
    );
    assert!(!to.join("margay").exists());
}
