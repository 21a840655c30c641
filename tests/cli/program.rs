//! Starting the program and reading what it prints.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// The program with arguments, in the root of the repository, as in a pipe to a terminal of 100
/// columns.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_margay"));
    command
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("NO_COLOR")
        .env("COLUMNS", "100");
    own(&mut command);
    command
}

/// The key that answers of the tests are sealed with.
pub fn key() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("key")
}

/// The environment of the tests: no settings of whoever runs them, and the programs that
/// `.ci/toolkit` and `.ci/compilers` have fetched, which a user names in the same way.
fn own(command: &mut Command) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    command.env("XDG_CONFIG_HOME", here.join("target/no-such-configuration"));
    command.env("MARGAY_KEY", key());
    for (name, folder, there) in [
        ("MARGAY_TOOLKIT", "target/toolkit", "complete"),
        ("MARGAY_COMPILERS", "target/compilers", ""),
    ] {
        let folder = here.join(folder);
        match folder.join(there).exists() {
            true => command.env(name, folder),
            false => command.env_remove(name),
        };
    }
}

/// Runs the program.
pub fn margay(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the program starts")
}

pub fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// An answer that is one document: one of those that its command has, and of nothing else
/// (`margay schema`).
pub fn json(output: &Output) -> Value {
    document(&out(output))
}

/// Answers that are a document a line.
pub fn lines(output: &Output) -> Vec<Value> {
    out(output).lines().map(document).collect()
}

fn document(text: &str) -> Value {
    let value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"));
    if let Err(why) = margay_reports::read(&value) {
        panic!("{why}: {text}");
    }
    value
}

/// An empty folder for one test. `name` is the test's path: `check/explained`.
pub fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

/// Writes a file of a test's folder; its path as text.
pub fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("written");
    path.to_str().expect("a path of text").to_owned()
}

/// A text in one line: where lines end depends on how long paths are.
pub fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub fn text(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}

/// It ends with this code, and says this on standard error.
pub fn said(output: &Output, code: i32, what: &str) {
    assert_eq!(output.status.code(), Some(code), "{}{}", out(output), err(output));
    assert!(words(&err(output)).contains(what), "`{what}` is missing in\n{}", err(output));
}

/// Runs a command of a shell in a folder, with `margay` on the path.
pub fn shell(folder: &Path, line: &str, variables: &[(&str, &str)]) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_margay")).parent().expect("a folder").to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([program].into_iter().chain(std::env::split_paths(&path)))
        .expect("a path");
    let mut command = Command::new("sh");
    own(&mut command);
    command
        .args(["-c", line])
        .current_dir(folder)
        .env("PATH", path)
        .envs(variables.iter().copied());
    command.output().expect("a shell")
}
