//! A sweep, from the question to what is printed and written: every compiler in a folder of
//! unpacked ones, every front end that it has, and what changed from version to version. What was
//! done is kept: a sweep that was interrupted goes on.

use std::path::PathBuf;
use std::time::Instant;

use margay_answers::extract;
use margay_answers::extract::compiler::{CompilerQuestion, chosen, command, nothing, table};
use margay_answers::extract::interrupt::{interrupted, stop};
use margay_console::exit::{CommandOutcome, Exit};
use margay_console::output::{Format, Output};
use margay_extract::compile;
use margay_extract::front::{self, FrontEnd};
use margay_models::diagnostic::Diagnostic;
use margay_models::durable::write_over;
use margay_reports::Document;

use crate::record::{Record, key};
use crate::store::Store;
use crate::{page, series};

/// The front ends and compilers that are asked, and where the answers are kept.
#[derive(Debug, Clone)]
pub struct SweepOptions {
    /// How each table is extracted.
    pub extract: extract::CompilerTableOptions,
    /// The folder of unpacked compilers.
    pub compilers: PathBuf,
    /// Only compilers whose name begins so.
    pub only: Option<String>,
    /// Only these front ends; none for all.
    pub front_ends: Vec<String>,
    /// The largest counterexample; 0 to look for none.
    pub bound: usize,
    /// The folder for tables and the page.
    pub out: PathBuf,
}

/// A compiler that is unpacked in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
struct UnpackedCompiler {
    /// `llvm` of `llvm-22`.
    of: String,
    /// `22`.
    version: String,
    folder: PathBuf,
}

impl UnpackedCompiler {
    fn name(&self) -> String {
        format!("{}-{}", self.of, self.version)
    }

    /// What versions are ordered by: their numbers.
    fn numbers(&self) -> Vec<u64> {
        self.version.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect()
    }
}

/// One table of the sweep.
struct Task<'a> {
    compiler: &'a UnpackedCompiler,
    front: &'a FrontEnd,
    architecture: String,
}

/// Extracts and checks what is not kept, and prints what changed; the page is written into the
/// folder.
pub fn run(options: &SweepOptions, output: &Output) -> CommandOutcome {
    let (fronts, compilers) = match (fronts(options), compilers(options)) {
        (Ok(fronts), Ok(compilers)) => (fronts, compilers),
        (Err(errors), _) => return output.wrong(&errors),
        (_, Err(error)) => return output.wrong(&[error]),
    };
    let tasks = tasks(&fronts, &compilers, options);
    if tasks.is_empty() {
        let error = Diagnostic::error("no compiler there has one of these front ends");
        return output
            .wrong(&[error.help("`margay extract --list` has the front ends, docs/extract.md which compilers they are for")]);
    }
    let store = match Store::open(&options.out) {
        Ok(store) => store,
        Err(error) => return output.wrong(&[error]),
    };
    let mut records = Vec::new();
    for (i, task) in tasks.iter().enumerate() {
        let start = Instant::now();
        let (record, kept) = match one(task, options, &store, output) {
            Ok(Some(done)) => done,
            // What is there behind it is in the page all the same.
            Ok(None) => continue,
            Err(error) => return output.wrong(&[error]),
        };
        if output.format == Format::Human && !kept {
            let what = format!("{} {} {}", record.compiler, record.front_end, record.architecture);
            let (done, seconds) =
                (format!("[{}/{}]", i + 1, tasks.len()), start.elapsed().as_secs_f64());
            output.aside(&format!("{done} {what}: {}, {seconds:.0} s", record.summary()));
        }
        records.push(record);
    }
    let missing = tasks.len() - records.len();
    let all = series::series(records);
    let text = page::markdown(&all, options.bound, missing);
    let document = page::document(&all, options.bound, missing);
    for (name, text) in [("index.md", text), ("sweep.json", document.text()? + "\n")] {
        let path = options.out.join(name);
        if let Err(error) = write_over(&path, text.as_bytes()) {
            return output.wrong(&[Diagnostic::error(format!(
                "cannot write `{}`: {error}",
                path.display()
            ))]);
        }
    }
    let unknown = all
        .iter()
        .flat_map(|s| &s.records)
        .any(|r| r.failure.is_some() || r.counts[3] > 0 || r.is_open());
    let worse = all.iter().any(|s| !s.regressions().is_empty());
    let exit = output.settle(match (worse, missing > 0 || unknown) {
        (true, _) => Exit::Found,
        (false, true) => Exit::Undecided,
        (false, false) => Exit::Holds,
    });
    match output.format {
        Format::Json => output.document(&document)?,
        Format::Human => page::print(&all, &options.out, missing, output)?,
    }
    Ok(exit)
}

/// The front ends that are asked for.
fn fronts(options: &SweepOptions) -> Result<Vec<FrontEnd>, Vec<Diagnostic>> {
    match &options.front_ends[..] {
        [] => front::names().map(front::find).collect(),
        names => names.iter().map(|name| front::find(name)).collect(),
    }
}

/// The compilers in the folder, by name and version.
fn compilers(options: &SweepOptions) -> Result<Vec<UnpackedCompiler>, Diagnostic> {
    let folder = &options.compilers;
    let help = "`.ci/compilers --all` fetches compilers; each has a folder `NAME-VERSION`, and `--compilers DIR` says where they are";
    let cannot = |e| {
        Diagnostic::error(format!("cannot read the folder `{}`: {e}", folder.display())).help(help)
    };
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        let name = path.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
        // `.ci/compilers` unpacks into a folder of this name first.
        if !path.is_dir()
            || name.ends_with(".part")
            || options.only.as_ref().is_some_and(|only| !name.starts_with(only.as_str()))
        {
            continue;
        }
        if let Some((of, version)) =
            name.split_once('-').filter(|(_, v)| v.starts_with(|c: char| c.is_ascii_digit()))
        {
            out.push(UnpackedCompiler {
                of: of.to_owned(),
                version: version.to_owned(),
                folder: path,
            });
        }
    }
    if out.is_empty() {
        let only = options
            .only
            .as_ref()
            .map_or(String::new(), |only| format!(" whose name begins with `{only}`"));
        return Err(Diagnostic::error(format!(
            "there is no compiler in `{}`{only}",
            folder.display()
        ))
        .help(help));
    }
    out.sort_by_key(|c| (c.of.clone(), c.numbers(), c.version.clone()));
    Ok(out)
}

/// The tables, those of one page section one after the other.
fn tasks<'a>(
    fronts: &'a [FrontEnd],
    compilers: &'a [UnpackedCompiler],
    options: &SweepOptions,
) -> Vec<Task<'a>> {
    let mut out = Vec::new();
    for front in fronts {
        let architectures = if options.extract.architectures.is_empty() {
            &front.architectures
        } else {
            &options.extract.architectures
        };
        // A machine is asked about by the front ends that know it, any other architecture by those
        // of PTX.
        let is_machine = |a: &String| fronts.iter().any(|f| f.machines.contains_key(a));
        let is_mine = |a: &&String| {
            front.machines.contains_key(*a) || !front.prints_assembly() && !is_machine(a)
        };
        for architecture in architectures.iter().filter(is_mine) {
            let has = |c: &&UnpackedCompiler| front.unpacked_as(&c.name()).is_some();
            let of = compilers.iter().filter(has);
            out.extend(of.map(|compiler| Task {
                compiler,
                front,
                architecture: architecture.clone(),
            }));
        }
    }
    out
}

/// One table: what is kept of it, or extracted and checked now. Was it kept? `None` behind Ctrl-C,
/// if it is not there whole.
fn one(
    task: &Task<'_>,
    options: &SweepOptions,
    store: &Store,
    output: &Output,
) -> Result<Option<(Record, bool)>, Diagnostic> {
    let mut here = options.extract.clone();
    here.compiler = Some(task.compiler.folder.clone());
    let points = chosen(task.front, &here)?;
    let asked = CompilerQuestion {
        front: task.front,
        points: &points,
        architecture: &task.architecture,
        options: &here,
    };
    let models = asked.models();
    let question = format!(
        "{:?} {:?} {} {} {:?}",
        here.types, here.operations, models.source, models.target, here.timeout
    );
    let key =
        key(task.front, &task.compiler.folder, &command(&asked)?.0, &task.architecture, &question);
    let (mut record, mut kept) =
        match store.load(&key, &task.compiler.name(), task.front, &task.architecture) {
            Some(record) => (record, true),
            None if interrupted() => return Ok(None),
            None => {
                let mut record =
                    Record::new(&key, &task.compiler.name(), task.front, &task.architecture);
                match table(&asked, output) {
                    Ok(table) => match (&table.written_for, nothing(&asked, &table)) {
                        (Some(target), _) => {
                            record.nothing(&table, Some(format!("it writes PTX for {target}")))
                        }
                        (None, Some(_)) => record.nothing(&table, None),
                        (None, None) => store.table(&mut record, &table, &models)?,
                    },
                    Err(error) => record.failure = Some(error.message),
                }
                if interrupted() || compile::is_stopped() {
                    return Ok(None);
                }
                // What could not be started is tried again the next time.
                if record.failure.is_none() {
                    store.save(&record)?;
                }
                (record, false)
            }
        };
    if options.bound > 0 && !record.rows.is_empty() {
        let known = store.check(&mut record, options.bound, &stop())?;
        if !known && interrupted() {
            return Ok(None);
        }
        kept &= known;
    }
    Ok(Some((record, kept)))
}
