//! What a file of settings may say. The file of a project comes with the project, and whoever wrote
//! that may be anybody: it starts no program, leaves its folder nowhere, and does not change what
//! counts as right. The user's own file may say everything.

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// The user's own, in the folder of the user's configuration.
    User,
    /// Anybody: it lies in a project.
    Project,
}

/// What a setting of a project's file does to an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Nothing: it is about how the answer looks, where it goes, or how long it may take.
    Plain,
    /// It is a part of the question, and named in the answer.
    Named,
    /// It may not stand there, for this reason.
    Refused(&'static str),
}

const RUNS: &str = "it says which programs are started";
const GATE: &str = "it changes what counts as right";
const KEPT: &str = "answers that are kept there are taken as they are";

/// Keys that a project's file may not have, and why. Those of `extract` alone are in
/// [`OF_EXTRACT`].
const REFUSED: &[(&str, &str)] = &[
    ("cmd", RUNS),
    ("compiler", RUNS),
    ("compilers", RUNS),
    ("toolkit", RUNS),
    ("clang", RUNS),
    ("cluster", RUNS),
    ("cluster-from", RUNS),
    ("cluster-patience", RUNS),
    ("cluster-args", RUNS),
    ("device", "it says what hardware is used"),
    ("bless", GATE),
    ("checkpoint", KEPT),
    ("results", KEPT),
];

/// The same for `margay extract`, which starts compilers.
const OF_EXTRACT: &[(&str, &str)] = &[
    ("front_end", RUNS),
    ("front-ends", RUNS),
    ("arch", "it is a part of the command that starts the compiler"),
    ("all", RUNS),
    ("only", RUNS),
    ("reproduce", RUNS),
    ("out", KEPT),
];

/// Keys that say nothing of the question.
const PLAIN: &[&str] = &[
    "as", "certify", "charts", "color", "dump-cnf", "format", "into", "jobs", "json", "junit",
    "memory", "out", "output", "rocq", "timeout", "title", "verbose",
];

/// May a project's file set the option of this key for a command (`check`, `gpu run`; empty: of
/// every command)?
pub fn of(command: &str, key: &str) -> Trust {
    let of_extract = if matches!(command, "extract" | "") { OF_EXTRACT } else { &[] };
    let refused = |keys: &[(&str, &'static str)]| {
        keys.iter().find(|(name, _)| *name == key).map(|&(_, why)| why)
    };
    // Above all tables a key is also for the command for which it may not be set; there it is left
    // out, and said of the others.
    match refused(REFUSED).or_else(|| refused(of_extract).filter(|_| !command.is_empty())) {
        Some(why) => Trust::Refused(why),
        None if PLAIN.contains(&key) => Trust::Plain,
        None => Trust::Named,
    }
}

/// What a project's file said, and the command took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedSetting {
    pub key: String,
    /// The value, as it is written in the file.
    pub value: String,
    /// What it does to the answer.
    pub trust: Trust,
}

/// The settings that a command took from a file: the command line did not say them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenSettings {
    /// The path of the file, as it is shown.
    pub file: String,
    /// What it said, in the order of the file.
    pub settings: Vec<TrustedSetting>,
}

/// Why a file that was found is not read: somebody else may have written it.
///
/// # Errors
/// It is not there.
#[cfg(unix)]
pub fn suspicion(file: &std::path::Path) -> std::io::Result<Option<String>> {
    use std::os::unix::fs::MetadataExt;
    /// May everybody write?
    const EVERYBODY: u32 = 0o002;
    let found = std::fs::symlink_metadata(file)?;
    if found.is_symlink() {
        return Ok(Some("it is a link".to_owned()));
    }
    // SAFETY: takes nothing, and always succeeds.
    let own = unsafe { libc::geteuid() };
    if ![own, 0].contains(&found.uid()) {
        return Ok(Some(format!("it belongs to another user (number {})", found.uid())));
    }
    if found.mode() & EVERYBODY != 0 {
        return Ok(Some("everybody may write to it".to_owned()));
    }
    let folder =
        file.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(std::path::Path::new("."));
    let folder = std::fs::metadata(folder)?;
    // Whose folder it is can put another file there.
    if ![own, 0].contains(&folder.uid()) {
        return Ok(Some(format!("its folder belongs to another user (number {})", folder.uid())));
    }
    Ok((folder.mode() & EVERYBODY != 0).then(|| "everybody may write to its folder".to_owned()))
}

/// Elsewhere nothing is known of who may write.
#[cfg(not(unix))]
pub fn suspicion(file: &std::path::Path) -> std::io::Result<Option<String>> {
    Ok(std::fs::symlink_metadata(file)?.is_symlink().then(|| "it is a link".to_owned()))
}
