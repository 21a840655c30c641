//! What is kept of a table of a sweep: its rows, how it falls, and the key that says what it was
//! made from.

use std::path::Path;
use std::time::UNIX_EPOCH;

use margay_extract::compile::CompileCommand;
use margay_extract::front::{self, FrontEnd};
use margay_extract::lowering::LoweringAnswer;
use margay_extract::strength::at_least;
use margay_extract::table::{Table, hash};
use margay_mappings::causes::severity;
use margay_reports::extract::{Fall, TableFault};
use serde::{Deserialize, Serialize};

/// The version of these files.
pub(crate) const VERSION: u32 = 1;

/// What is kept of a table.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record {
    pub(crate) key: String,
    /// The name of the compiler's folder.
    pub version: String,
    /// What the compiler says about itself.
    pub compiler: String,
    pub front_end: String,
    pub architecture: String,
    /// The table, relative to the folder of the sweep.
    pub table: String,
    /// How many rows are lowered, absent, something that no row can say, and unknown.
    pub counts: [usize; 4],
    /// Why there are no rows, if there are none.
    pub empty: Option<String>,
    /// The rows, one for each scope: name and instructions.
    pub rows: Vec<(String, String)>,
    /// Why the compiler could not be asked. Never kept.
    #[serde(skip)]
    pub failure: Option<String>,
    /// Its counterexamples, if it was asked for. Kept on its own.
    #[serde(skip)]
    pub check: Option<TableFault>,
}

/// What it is, whatever the operations and types: programs, axiom, the instructions that are to
/// blame.
pub fn what(fall: &Fall) -> String {
    let mut bodies: Vec<&str> = fall.rows.iter().map(|(_, body)| body.as_str()).collect();
    bodies.sort_unstable();
    bodies.dedup();
    format!("{}: {}, `{}`", fall.setting, fall.axiom, bodies.join("`, `"))
}

/// What says whether a kept table is the one that is asked for: Margay, the front end, the command,
/// the compiler's files, the architecture, and what else was asked, in words.
pub fn key(
    front: &FrontEnd,
    folder: &Path,
    command: &CompileCommand,
    architecture: &str,
    asked: &str,
) -> String {
    let text = front::text(&front.name).map_or_else(|| format!("{front:?}"), str::to_owned);
    // How often a compiler is started makes no difference to what it emits.
    let text = text.replace(", worker = true", "");
    let files = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|e| std::fs::metadata(e.path()).ok());
    let newest = files.filter_map(|m| m.modified().ok()).max();
    let newest = newest.and_then(|t| t.duration_since(UNIX_EPOCH).ok()).map_or(0, |t| t.as_nanos());
    let parts = [
        format!("{VERSION} {} {}", env!("CARGO_PKG_VERSION"), newest),
        text,
        command.template.clone(),
        architecture.to_owned(),
        asked.to_owned(),
    ];
    hash(parts.iter().map(String::as_str))
}

impl Record {
    /// Nothing yet.
    pub fn new(key: &str, version: &str, front: &FrontEnd, architecture: &str) -> Self {
        Self {
            key: key.to_owned(),
            version: version.to_owned(),
            compiler: version.to_owned(),
            front_end: front.name.clone(),
            architecture: architecture.to_owned(),
            table: String::new(),
            counts: [0; 4],
            empty: None,
            rows: Vec::new(),
            failure: None,
            check: None,
        }
    }

    /// Nothing compiles, for a reason that is known or that the rows say.
    pub fn nothing(&mut self, table: &Table, reason: Option<String>) {
        self.counts = table.counts();
        self.compiler.clone_from(&table.version);
        let why = || {
            table.rows.iter().find_map(|m| match &m.row.answer {
                LoweringAnswer::Absent(why) | LoweringAnswer::Unknown(why) => Some(why.clone()),
                LoweringAnswer::Lowered(_) | LoweringAnswer::Other(_) => None,
            })
        };
        self.empty = Some(reason.or_else(why).unwrap_or_default());
    }

    /// What the versions of one compiler have in common: `llvm`.
    pub fn of(&self) -> &str {
        self.version.split_once('-').map_or(&self.version, |(of, _)| of)
    }

    /// In a few words.
    pub fn summary(&self) -> String {
        if let Some(why) = &self.failure {
            return format!("it cannot be asked: {why}");
        }
        if let Some(why) = &self.empty {
            return format!("nothing compiles: {why}");
        }
        let falls = match &self.check {
            None => String::new(),
            Some(check) if check.falls.is_empty() => ", no counterexample".to_owned(),
            Some(check) => format!(
                ", {} wrong",
                if check.falls.len() == 1 {
                    "1 thing is".to_owned()
                } else {
                    format!("{} things are", check.falls.len())
                }
            ),
        };
        format!("{} rows{falls}", self.counts[0])
    }

    /// Its counterexamples.
    pub fn falls(&self) -> &[Fall] {
        self.check.as_ref().map_or(&[], |c| &c.falls)
    }

    /// Was a question about it not decided?
    pub fn is_open(&self) -> bool {
        self.check.as_ref().is_some_and(|c| !c.open.is_empty())
    }

    /// Was one of the rows that are to blame stronger before, and not to blame for anything as bad?
    pub fn weakened(&self, before: &Record, fall: &Fall) -> bool {
        let is_of = |name: &str, head: &str| {
            let scoped = |scope: &str| head.replacen(".s", &format!(".{scope}"), 1);
            name == head || ["cta", "cluster", "gpu", "sys"].iter().any(|s| name == scoped(s))
        };
        let lowered = |text: &str| ![ABSENT, OTHER, UNKNOWN].contains(&text);
        let scope = |name: &str| {
            name.split(' ')
                .next()
                .and_then(|head| head.rsplit('.').next())
                .unwrap_or_default()
                .to_owned()
        };
        // Construct and type; which operation stands for a row depends on the row.
        let place = |head: &str| {
            let mut words = head.split(' ');
            (words.next().map(str::to_owned), words.next_back().map(str::to_owned))
        };
        let as_bad = |f: &&Fall| severity(&f.setting) <= severity(&fall.setting);
        let was_wrong = |head: &str| {
            before
                .falls()
                .iter()
                .filter(as_bad)
                .flat_map(|f| &f.rows)
                .any(|(h, _)| place(h) == place(head))
        };
        fall.rows.iter().filter(|(head, _)| !was_wrong(head)).any(|(head, _)| {
            let old = |name: &str| {
                before.rows.iter().find(|(n, t)| n == name && lowered(t)).map(|(_, text)| text)
            };
            let mine = self.rows.iter().filter(|(name, text)| is_of(name, head) && lowered(text));
            mine.into_iter()
                .any(|(name, text)| old(name).is_some_and(|old| !at_least(text, old, &scope(name))))
        })
    }
}

/// Texts of rows that have no instructions.
pub const ABSENT: &str = "absent";
/// The same.
pub const OTHER: &str = "something that no row can say";
/// The same.
pub const UNKNOWN: &str = "not known";
