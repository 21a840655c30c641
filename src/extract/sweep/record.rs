//! What is kept of a table of a sweep: its rows, how it falls, and the key that says what it was made from. One JSON file each, written
//! under another name first, so that what is there is whole.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use margay_answers::check::Presented;
use margay_extract::compile::Command;
use margay_extract::front::{self, FrontEnd};
use margay_extract::lowering::Answer;
use margay_extract::strength::at_least;
use margay_extract::table::{Models, Table, hash, map};
use margay_mappings::causes::{Cause, causes, severity};
use margay_mappings::check::{CheckOptions, Level, Silent};
use margay_mappings::language::{LoadOptions, Mapping, load_text};
use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_reports::extract::{Check, Fall};
use serde::{Deserialize, Serialize};

use super::super::Asked;
use super::super::arguments::Extract;

/// The version of these files.
const VERSION: u32 = 1;

/// What is kept of a table.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record {
    key: String,
    /// The name of the compiler's folder.
    pub version: String,
    /// What the compiler says about itself.
    pub compiler: String,
    /// The front end.
    pub front_end: String,
    /// The architecture.
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
    pub check: Option<Check>,
}

/// What it is, whatever the operations and types: programs, axiom, the instructions that are to blame.
pub fn what(fall: &Fall) -> String {
    let mut bodies: Vec<&str> = fall.rows.iter().map(|(_, body)| body.as_str()).collect();
    bodies.sort_unstable();
    bodies.dedup();
    format!("{}: {}, `{}`", fall.setting, fall.axiom, bodies.join("`, `"))
}

/// What says whether a kept table is the one that is asked for: Margay, the front end, the command, the compiler's files, the question.
pub fn key(asked: &Asked<'_>, folder: &Path, command: &Command) -> String {
    let (front, options) = (asked.front, asked.options);
    let text = front::text(&front.name).map_or_else(|| format!("{front:?}"), str::to_owned);
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|e| std::fs::metadata(e.path()).ok());
    let newest = files.filter_map(|m| m.modified().ok()).max();
    let newest = newest.and_then(|t| t.duration_since(UNIX_EPOCH).ok()).map_or(0, |t| t.as_nanos());
    let parts = [
        format!("{VERSION} {} {}", env!("CARGO_PKG_VERSION"), newest),
        text,
        command.template.clone(),
        asked.architecture.to_owned(),
        format!("{:?} {:?} {} {} {:?}", options.types, options.operations, options.from, options.to, options.timeout),
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
                Answer::Absent(why) | Answer::Unknown(why) => Some(why.clone()),
                Answer::Lowered(_) | Answer::Other(_) => None,
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
                if check.falls.len() == 1 { "1 thing is".to_owned() } else { format!("{} things are", check.falls.len()) }
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
        let scope = |name: &str| name.split(' ').next().and_then(|head| head.rsplit('.').next()).unwrap_or_default().to_owned();
        // Construct and type; which operation stands for a row depends on the row.
        let place = |head: &str| {
            let mut words = head.split(' ');
            (words.next().map(str::to_owned), words.next_back().map(str::to_owned))
        };
        let as_bad = |f: &&Fall| severity(&f.setting) <= severity(&fall.setting);
        let was_wrong =
            |head: &str| before.falls().iter().filter(as_bad).flat_map(|f| &f.rows).any(|(h, _)| place(h) == place(head));
        fall.rows.iter().filter(|(head, _)| !was_wrong(head)).any(|(head, _)| {
            let old = |name: &str| before.rows.iter().find(|(n, t)| n == name && lowered(t)).map(|(_, text)| text);
            let mine = self.rows.iter().filter(|(name, text)| is_of(name, head) && lowered(text));
            mine.into_iter().any(|(name, text)| old(name).is_some_and(|old| !at_least(text, old, &scope(name))))
        })
    }
}

/// Texts of rows that have no instructions.
pub const ABSENT: &str = "absent";
const OTHER: &str = "something that no row can say";
const UNKNOWN: &str = "not known";

/// The folder of a sweep.
pub struct Store {
    folder: PathBuf,
}

fn cannot(what: &str, path: &Path, error: &dyn std::fmt::Display) -> Diagnostic {
    Diagnostic::error(format!("cannot {what} `{}`: {error}", path.display()))
}

impl Store {
    /// Makes the folder.
    pub fn open(folder: &Path) -> Result<Self, Diagnostic> {
        for of in ["tables", "checks"] {
            let path = folder.join(of);
            std::fs::create_dir_all(&path).map_err(|e| cannot("make the folder", &path, &e))?;
        }
        Ok(Self { folder: folder.to_path_buf() })
    }

    /// Writes a file whole or not at all.
    fn write(&self, name: &str, text: &str) -> Result<(), Diagnostic> {
        let path = self.folder.join(name);
        let whole = || {
            let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(&self.folder))?;
            std::io::Write::write_all(&mut file, text.as_bytes())?;
            file.persist(&path).map_err(|e| e.error)
        };
        whole().map(drop).map_err(|e: std::io::Error| cannot("write", &path, &e))
    }

    fn stem(version: &str, front: &FrontEnd, architecture: &str) -> String {
        format!("tables/{}-{version}-{architecture}", front.name)
    }

    /// What is kept of a table, if it was made from the same.
    pub fn load(&self, key: &str, version: &str, front: &FrontEnd, architecture: &str) -> Option<Record> {
        let path = self.folder.join(Self::stem(version, front, architecture) + ".json");
        let record: Record = serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()?;
        let has_table = record.table.is_empty() || self.folder.join(&record.table).exists();
        (record.key == key && has_table).then_some(record)
    }

    /// Keeps a table.
    pub fn save(&self, record: &Record) -> Result<(), Diagnostic> {
        let name = format!("tables/{}-{}-{}.json", record.front_end, record.version, record.architecture);
        self.write(&name, &(serde_json::to_string(record).map_err(|e| Diagnostic::error(e.to_string()))? + "\n"))
    }

    /// Puts what was extracted into a record, and writes the table.
    pub fn table(&self, record: &mut Record, table: &Table, options: &Extract) -> Result<(), Diagnostic> {
        record.table = format!("tables/{}-{}-{}.map", record.front_end, record.version, record.architecture);
        record.compiler.clone_from(&table.version);
        record.counts = table.counts();
        record.rows = table
            .rows
            .iter()
            .map(|m| {
                let text = match &m.row.answer {
                    Answer::Lowered(all) => all.iter().map(|s| s.text(m.row.slot.scope)).collect::<Vec<_>>().join(" or "),
                    Answer::Absent(_) => ABSENT.to_owned(),
                    Answer::Other(_) => OTHER.to_owned(),
                    Answer::Unknown(_) => UNKNOWN.to_owned(),
                };
                (m.row.slot.to_string(), text)
            })
            .collect();
        self.write(&record.table, &map(table, &Models { source: options.from.clone(), target: options.to.clone() }))
    }

    /// Looks for the counterexamples of a table, if that was not done for one of the same rows. Was it?
    pub fn check(&self, record: &mut Record, bound: usize) -> Result<bool, Diagnostic> {
        let path = self.folder.join(&record.table);
        let text = std::fs::read_to_string(&path).map_err(|e| cannot("read", &path, &e))?;
        // The models, scopes, types and rows; not where they come from.
        let without = |line: &str| line.split(" [ptx").next().unwrap_or_default().trim_end().to_owned();
        let is_meant = |l: &&str| !["//", "evidence", "architecture"].iter().any(|s| l.starts_with(s));
        let mut rows: Vec<String> = text.lines().filter(is_meant).map(without).collect();
        if let Some(title) = rows.iter_mut().find(|l| l.starts_with("mapping ")) {
            *title = title.rsplit('"').next().unwrap_or_default().to_owned();
        }
        rows.push(format!("{VERSION} {} {bound}", env!("CARGO_PKG_VERSION")));
        let name = format!("checks/{}.json", &hash(rows.iter().map(String::as_str))[..24]);
        let known = std::fs::read_to_string(self.folder.join(&name)).ok().and_then(|t| serde_json::from_str(&t).ok());
        if let Some(known) = known {
            record.check = Some(known);
            return Ok(true);
        }
        let file = SourceFile::new(record.table.clone(), &text);
        let first = |errors: Vec<Diagnostic>| {
            errors.into_iter().next().unwrap_or_else(|| Diagnostic::error(format!("cannot read `{}`", path.display())))
        };
        let mapping = load_text(&file, None, &LoadOptions::default()).map_err(first)?.mapping;
        let mut asked = CheckOptions::new(bound);
        asked.level = Level::Program;
        asked.stop = crate::extract::stop();
        let found = causes(&mapping, &asked, &Silent).map_err(first)?;
        let mut check = Check { falls: Vec::new(), open: Vec::new() };
        for cause in &found.causes {
            let fall = fall(&mapping, cause);
            if check.falls.iter().all(|f| what(f) != what(&fall)) {
                check.falls.push(fall);
            }
        }
        check.open = found.settings.iter().filter_map(|(s, end)| Some(((*s).to_owned(), end.clone().err()?))).collect();
        if !crate::extract::interrupted() {
            self.write(&name, &(serde_json::to_string(&check).map_err(|e| Diagnostic::error(e.to_string()))? + "\n"))?;
        }
        record.check = Some(check);
        Ok(false)
    }
}

fn fall(mapping: &Mapping, cause: &Cause) -> Fall {
    let shown = Presented::new(mapping, &cause.counterexample);
    Fall {
        setting: cause.setting.to_owned(),
        axiom: cause.counterexample.axiom.clone(),
        events: cause.counterexample.events,
        rows: cause.rows.clone(),
        outcome: shown.outcome.clone(),
        target: shown.target.clone(),
    }
}
