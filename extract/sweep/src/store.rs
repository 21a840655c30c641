//! The folder of a sweep: a table and what is wrong with it, one JSON file each, written under
//! another name first, so that what is there is whole.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use margay_answers::check::PresentedCounterexample;
use margay_extract::front::FrontEnd;
use margay_extract::lowering::LoweringAnswer;
use margay_extract::table::{Models, Table, hash, map};
use margay_mappings::causes::{CounterexampleCause, causes};
use margay_mappings::check::{CheckOptions, Level, Silent};
use margay_mappings::language::{LoadOptions, Mapping, load_text};
use margay_models::confined::{make_folder, way_out};
use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::durable::write_whole;
use margay_reports::extract::{Fall, TableFault};

use crate::record::{ABSENT, OTHER, Record, UNKNOWN, VERSION, what};

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
            let made =
                make_folder(folder).and_then(|()| way_out(folder, Path::new(of))).and_then(|why| {
                    match why {
                        Some(why) => Err(std::io::Error::other(why)),
                        None => std::fs::create_dir_all(&path),
                    }
                });
            made.map_err(|e| cannot("make the folder", &path, &e))?;
        }
        Ok(Self { folder: folder.to_path_buf() })
    }

    /// Writes a file whole or not at all.
    fn write(&self, name: &str, text: &str) -> Result<(), Diagnostic> {
        let path = self.folder.join(name);
        write_whole(&path, text.as_bytes()).map_err(|e| cannot("write", &path, &e))
    }

    fn stem(version: &str, front: &FrontEnd, architecture: &str) -> String {
        format!("tables/{}-{version}-{architecture}", front.name)
    }

    /// What is kept of a table, if it was made from the same.
    pub fn load(
        &self,
        key: &str,
        version: &str,
        front: &FrontEnd,
        architecture: &str,
    ) -> Option<Record> {
        let path = self.folder.join(Self::stem(version, front, architecture) + ".json");
        let record: Record = serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()?;
        let has_table = record.table.is_empty() || self.folder.join(&record.table).exists();
        (record.key == key && has_table).then_some(record)
    }

    /// Keeps a table.
    pub fn save(&self, record: &Record) -> Result<(), Diagnostic> {
        let name =
            format!("tables/{}-{}-{}.json", record.front_end, record.version, record.architecture);
        self.write(
            &name,
            &(serde_json::to_string(record).map_err(|e| Diagnostic::error(e.to_string()))? + "\n"),
        )
    }

    /// Puts what was extracted into a record, and writes the table.
    pub fn table(
        &self,
        record: &mut Record,
        table: &Table,
        models: &Models,
    ) -> Result<(), Diagnostic> {
        record.table =
            format!("tables/{}-{}-{}.map", record.front_end, record.version, record.architecture);
        record.compiler.clone_from(&table.version);
        record.counts = table.counts();
        record.rows = table
            .rows
            .iter()
            .map(|m| {
                let text = match &m.row.answer {
                    LoweringAnswer::Lowered(all) => all
                        .iter()
                        .map(|s| s.text(m.row.slot.scope))
                        .collect::<Vec<_>>()
                        .join(" or "),
                    LoweringAnswer::Absent(_) => ABSENT.to_owned(),
                    LoweringAnswer::Other(_) => OTHER.to_owned(),
                    LoweringAnswer::Unknown(_) => UNKNOWN.to_owned(),
                };
                (m.row.slot.to_string(), text)
            })
            .collect();
        self.write(&record.table, &map(table, models))
    }

    /// Looks for the counterexamples of a table, if that was not done for one of the same rows. Was
    /// it? Ctrl-C raises `stop`.
    pub fn check(
        &self,
        record: &mut Record,
        bound: usize,
        stop: &Arc<AtomicBool>,
    ) -> Result<bool, Diagnostic> {
        let path = self.folder.join(&record.table);
        let text = std::fs::read_to_string(&path).map_err(|e| cannot("read", &path, &e))?;
        // The models, scopes, types and rows; not where they come from.
        let without =
            |line: &str| line.split(" [ptx").next().unwrap_or_default().trim_end().to_owned();
        let is_meant =
            |l: &&str| !["//", "evidence", "architecture"].iter().any(|s| l.starts_with(s));
        let mut rows: Vec<String> = text.lines().filter(is_meant).map(without).collect();
        if let Some(title) = rows.iter_mut().find(|l| l.starts_with("mapping ")) {
            *title = title.rsplit('"').next().unwrap_or_default().to_owned();
        }
        rows.push(format!("{VERSION} {} {bound}", env!("CARGO_PKG_VERSION")));
        let name = format!("checks/{}.json", &hash(rows.iter().map(String::as_str))[..24]);
        let known = std::fs::read_to_string(self.folder.join(&name))
            .ok()
            .and_then(|t| serde_json::from_str(&t).ok());
        if let Some(known) = known {
            record.check = Some(known);
            return Ok(true);
        }
        let file = SourceFile::new(record.table.clone(), &text);
        let first = |errors: Vec<Diagnostic>| {
            errors
                .into_iter()
                .next()
                .unwrap_or_else(|| Diagnostic::error(format!("cannot read `{}`", path.display())))
        };
        let mapping = load_text(&file, None, &LoadOptions::default()).map_err(first)?.mapping;
        let mut asked = CheckOptions::new(bound);
        asked.level = Level::Program;
        asked.stop = stop.clone();
        let found = causes(&mapping, &asked, &Silent).map_err(first)?;
        let mut check = TableFault { falls: Vec::new(), open: Vec::new() };
        for cause in &found.causes {
            let fall = fall(&mapping, cause);
            if check.falls.iter().all(|f| what(f) != what(&fall)) {
                check.falls.push(fall);
            }
        }
        check.open = found
            .settings
            .iter()
            .filter_map(|(s, end)| Some(((*s).to_owned(), end.clone().err()?)))
            .collect();
        if !stop.load(Ordering::Relaxed) {
            self.write(
                &name,
                &(serde_json::to_string(&check).map_err(|e| Diagnostic::error(e.to_string()))?
                    + "\n"),
            )?;
        }
        record.check = Some(check);
        Ok(false)
    }
}

fn fall(mapping: &Mapping, cause: &CounterexampleCause) -> Fall {
    let shown = PresentedCounterexample::new(mapping, &cause.counterexample);
    Fall {
        setting: cause.setting.to_owned(),
        axiom: cause.counterexample.axiom.clone(),
        events: cause.counterexample.events,
        rows: cause.rows.clone(),
        outcome: shown.outcome.clone(),
        target: shown.target.clone(),
    }
}
