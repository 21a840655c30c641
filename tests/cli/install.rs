//! What a release is made of (.ci/package), and the script that installs it (.ci/install.sh), from
//! a folder in place of a code host.

use std::path::{Path, PathBuf};

use crate::program::{err, folder, out, shell, write};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/.ci/install.sh");
const PACKAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/.ci/package");

/// A folder with the archive of a release for this machine, of the program that tests run; `None`
/// where releases have none.
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
    let Some(release) = release("install/good") else {
        return println!("skipped: no release is made for this machine");
    };
    let to = release.join("bin");
    let output = install(&release, &to);
    assert!(output.status.success(), "{}{}", out(&output), err(&output));
    assert!(
        out(&output).starts_with(&format!("margay {}", env!("CARGO_PKG_VERSION"))),
        "{}",
        out(&output)
    );
    assert!(out(&output).contains("to your PATH"), "{}", out(&output));
    // Again, over the one that is there.
    assert!(install(&release, &to).status.success());
    let names: Vec<_> = std::fs::read_dir(&to)
        .expect("a folder")
        .map(|e| e.expect("an entry").file_name())
        .collect();
    assert_eq!(names, ["margay"]);
}

#[test]
fn an_archive_that_was_changed_is_not_installed() {
    let Some(release) = release("install/changed") else {
        return println!("skipped: no release is made for this machine");
    };
    let entries =
        std::fs::read_dir(&release).expect("a folder").map(|e| e.expect("an entry").path());
    let mut archives = entries.filter(|p| p.extension().is_some_and(|e| e == "gz"));
    let archive = archives.next().expect("an archive");
    let mut bytes = std::fs::read(&archive).expect("bytes");
    *bytes.last_mut().expect("a byte") ^= 1;
    write(&release, &archive.file_name().expect("a name").to_string_lossy(), bytes);
    let to = release.join("bin");
    let output = install(&release, &to);
    assert_eq!(output.status.code(), Some(1), "{}", out(&output));
    assert!(
        err(&output).contains("is not what was released")
            && err(&output).contains("Nothing was installed"),
        "{}",
        err(&output)
    );
    assert!(!to.join("margay").exists());
}

/// The archive has what the page says, the licences of other people's crates among it, and the same
/// program gives the same archive.
#[test]
fn an_archive_has_licences_pages_and_completions() {
    let root = folder("install/packaged");
    let package = |to: &str, more: &str| {
        let line =
            format!("bash {PACKAGE} --program {} --to {to} {more}", env!("CARGO_BIN_EXE_margay"));
        shell(&root, &line, &[])
    };
    let (one, two) = (package("one", ""), package("two", ""));
    assert!(one.status.success() && two.status.success(), "{}{}", err(&one), err(&two));
    let archive = out(&one).trim().to_owned();
    let name = Path::new(&archive).file_name().expect("a name").to_string_lossy().into_owned();
    let unpacked = shell(
        &root,
        &format!("cmp one/{name} two/{name} && cat one/{name}.sha256 && tar -xzf one/{name}"),
        &[],
    );
    assert!(unpacked.status.success(), "{}{}", out(&unpacked), err(&unpacked));
    assert!(out(&unpacked).ends_with(&format!("  {name}\n")), "{}", out(&unpacked));
    let inside = root.join(name.strip_suffix(".tar.gz").expect("an archive"));
    for file in [
        "margay",
        "README.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "schemas/check.json",
        "man/margay.1",
        "man/margay-gpu-run.1",
        "completions/margay.bash",
        "completions/margay.fish",
    ] {
        assert!(inside.join(file).metadata().is_ok_and(|found| found.len() > 100), "{file}");
    }
    let licences = std::fs::read_to_string(inside.join("LICENSES-OF-CRATES.txt")).expect("a text");
    for part in [
        "\nbatsat 0.6.0: MIT\n",
        "\n======== serde_json ",
        "Permission is hereby granted, free of charge",
    ] {
        assert!(licences.contains(part), "{part}");
    }
    assert!(!licences.contains("margay-solver"), "of others alone");
}

/// A program that asks for a loader is not packed as a static one.
#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn a_program_with_a_loader_is_no_release_for_musl() {
    let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    let root = folder("install/not-static");
    let output = shell(
        &root,
        &format!("bash {PACKAGE} --program {} --to . {target}", env!("CARGO_BIN_EXE_margay")),
        &[],
    );
    assert_eq!(output.status.code(), Some(1), "{}", out(&output));
    assert!(err(&output).contains("is not static"), "{}", err(&output));
    assert_eq!(std::fs::read_dir(&root).expect("a folder").count(), 0);
}
