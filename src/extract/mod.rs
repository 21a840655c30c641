//! `margay extract`: what a compiler emits, as a table.

pub mod arguments;
mod read;
mod reproduce;
mod sweep;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use margay_answers::extract::{difference, json};
use margay_console::exit::Exit;
use margay_console::limits::Limits;
use margay_console::output::{Format, Output};
use margay_console::progress::Count;
use margay_extract::compile::{self, Command};
use margay_extract::front::{self, FrontEnd};
use margay_extract::lowering::Answer;
use margay_extract::point::Point;
use margay_extract::table::{Models, Table, map};
use margay_mappings::language::LoadOptions;
use margay_mappings::language::kind::{OPERATIONS, TYPES};
use margay_mappings::library;
use margay_models::diagnostic::{Diagnostic, nearest};
use margay_reports::extract as report;

use crate::Outcome;
use arguments::Extract;
use margay_console::limits::jobs;

/// Ctrl-C: it ends the compilers that run.
static LIMITS: OnceLock<Limits> = OnceLock::new();

/// Watches for Ctrl-C.
fn watch() {
    let limits = LIMITS.get_or_init(|| Limits::start(None, None));
    std::thread::spawn(|| {
        while limits.reason().is_none() {
            std::thread::sleep(Duration::from_millis(50));
        }
        compile::stop();
    });
}

/// The flag that is raised by Ctrl-C.
fn stop() -> Arc<AtomicBool> {
    LIMITS.get().map_or_else(Arc::default, |l| l.stop.clone())
}

/// Was there a Ctrl-C?
fn interrupted() -> bool {
    LIMITS.get().is_some_and(|l| l.reason().is_some())
}

/// Runs the command.
pub fn run(options: &Extract, output: &Output) -> Outcome {
    let output = &if options.json { output.as_json() } else { *output };
    if options.list {
        return list(output);
    }
    if let Some(file) = &options.ptx {
        return read::run(file, output);
    }
    watch();
    if options.all {
        return sweep::run(options, output);
    }
    let name = options.front_end.as_deref().unwrap_or_default();
    let front = match front::find(name) {
        Ok(front) => front,
        Err(errors) => return output.wrong(&errors),
    };
    if options.template {
        let text = front::text(name).map_or_else(|| std::fs::read_to_string(name), |text| Ok(text.to_owned()))?;
        output.print(text.trim_end())?;
        return Ok(Exit::Holds);
    }
    let points = match chosen(&front, options) {
        Ok(points) => points,
        Err(error) => return output.wrong(&[error]),
    };
    if options.program {
        let numbered: Vec<(usize, Point)> = points.into_iter().enumerate().collect();
        output.print(front::write(&front, &numbered).text.trim_end())?;
        return Ok(Exit::Holds);
    }
    if options.reproduce.is_some() {
        let architecture = options.arch.first().or(front.architectures.last()).cloned().unwrap_or_default();
        let asked = Asked { front: &front, points: &points, architecture: &architecture, options };
        return match command(&asked) {
            Ok((command, _)) => reproduce::run(options, &front, &command, output),
            Err(error) => output.wrong(&[error]),
        };
    }
    let against = match options.against.as_deref().map(|file| library::find(file, &LoadOptions::default())).transpose() {
        Ok(against) => against.map(|loaded| loaded.mapping),
        Err(errors) => return output.wrong(&errors),
    };
    let mut exit = Exit::Holds;
    let mut documents = Vec::new();
    let architectures = if options.arch.is_empty() { front.architectures.clone() } else { options.arch.clone() };
    let several = architectures.len() > 1;
    for architecture in &architectures {
        let asked = Asked { front: &front, points: &points, architecture, options };
        let table = match table(&asked, output) {
            Ok(table) => table,
            Err(_) if interrupted() => {
                eprintln!("interrupted: nothing is written");
                return Ok(Exit::Undecided);
            }
            Err(error) => return output.wrong(&[error]),
        };
        if let Some(error) = nothing(&table) {
            return output.wrong(&[error]);
        }
        if let Some(target) = &table.written_for {
            let warning = Diagnostic::warning(format!("the compiler was asked for {architecture}, and wrote PTX for {target}"));
            output.warn(&[warning
                .help(format!("the table is of {target}; does the command use `{{arch}}`, and does the compiler know it?"))]);
        }
        let text = map(&table, &Models { source: options.from.clone(), target: options.to.clone() });
        if let Some(file) = &options.output {
            let file = if several { with_architecture(file, architecture) } else { file.clone() };
            if let Err(error) = std::fs::write(&file, &text) {
                return output.wrong(&[Diagnostic::error(format!("cannot write `{}`: {error}", file.display()))]);
            }
        }
        let mut document = json::document(&table);
        let unknown = table.counts()[3];
        exit = worse(exit, if unknown > 0 { Exit::Undecided } else { Exit::Holds });
        if let Some(mapping) = &against {
            let compared = margay_extract::table::against(&table, mapping);
            exit = worse(exit, if compared.differ.is_empty() { Exit::Holds } else { Exit::Found });
            if output.format == Format::Json {
                document.against = Some(difference::report(&compared));
            } else {
                difference::print(&table, &compared, mapping, output)?;
            }
        } else if output.format != Format::Json {
            match &options.output {
                Some(_) => output.print(&summary(&table))?,
                None => {
                    output.print(text.trim_end())?;
                    eprintln!("{}", summary(&table));
                }
            }
        }
        documents.push(document);
    }
    if output.format == Format::Json {
        match <[_; 1]>::try_from(documents) {
            Ok([one]) => output.document(&one)?,
            Err(tables) => output.document(&report::Tables { tables })?,
        }
    }
    Ok(exit)
}

/// Of two ends that of which more is to be said: a difference before what is not known.
fn worse(a: Exit, b: Exit) -> Exit {
    let rank = |e: Exit| match e {
        Exit::Holds => 0,
        Exit::Undecided => 1,
        Exit::Found => 2,
        Exit::Wrong => 3,
    };
    if rank(b) > rank(a) { b } else { a }
}

/// `x.map` as `x-sm_90.map`.
fn with_architecture(file: &Path, architecture: &str) -> PathBuf {
    let stem = file.file_stem().map_or(String::new(), |s| s.to_string_lossy().into_owned());
    let ending = file.extension().map_or(String::new(), |e| format!(".{}", e.to_string_lossy()));
    file.with_file_name(format!("{stem}-{architecture}{ending}"))
}

/// `--list`.
fn list(output: &Output) -> Outcome {
    let fronts: Vec<FrontEnd> = front::names().filter_map(|n| front::find(n).ok()).collect();
    if output.format == Format::Json {
        let front_end = |f: &FrontEnd| report::FrontEnd {
            name: f.name.clone(),
            title: f.title.clone(),
            command: f.command.clone(),
            architectures: f.architectures.clone(),
        };
        output.document(&report::FrontEnds { front_ends: fronts.iter().map(front_end).collect() })?;
        return Ok(Exit::Holds);
    }
    let width = fronts.iter().map(|f| f.name.len()).max().unwrap_or(0);
    for front in &fronts {
        output.print(&format!("{:width$}  {}, {}", front.name, front.title, front.architectures.join(", ")))?;
    }
    Ok(Exit::Holds)
}

/// The points that are asked about.
fn chosen(front: &FrontEnd, options: &Extract) -> Result<Vec<Point>, Diagnostic> {
    let unknown = |names: &[String], all: &[&str], what: &str| {
        names.iter().find(|n| !all.contains(&n.as_str())).map(|name| {
            let error = Diagnostic::error(format!("there is no {what} `{name}`"));
            match nearest(name, all.iter().copied()) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error.help(format!("{what}s: {}", all.join(", "))),
            }
        })
    };
    if let Some(error) =
        unknown(&options.types, &TYPES, "type").or_else(|| unknown(&options.operations, &OPERATIONS, "operation"))
    {
        return Err(error);
    }
    let is_of = |names: &[String], all: &[&str], index: Option<usize>| {
        names.is_empty() || index.is_none_or(|i| names.iter().any(|n| n == all[i]))
    };
    let points: Vec<Point> = front
        .points()
        .into_iter()
        .filter(|p| is_of(&options.types, &TYPES, p.data) && is_of(&options.operations, &OPERATIONS, p.operation()))
        .collect();
    if points.is_empty() {
        return Err(Diagnostic::error(format!("`{}` has nothing of what is asked for", front.name)));
    }
    Ok(points)
}

/// What is asked of one compiler.
struct Asked<'a> {
    front: &'a FrontEnd,
    points: &'a [Point],
    architecture: &'a str,
    options: &'a Extract,
}

/// How the compiler is called, and how it is asked for its version.
fn command(asked: &Asked<'_>) -> Result<(Command, Option<String>), Diagnostic> {
    let Asked { front, architecture, options, .. } = asked;
    let compiler =
        options.compiler.as_ref().map(|c| std::fs::canonicalize(c).unwrap_or_else(|_| c.clone()).display().to_string());
    let unpacked = compiler.as_deref().and_then(|folder| {
        let name = Path::new(folder).file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
        front.unpacked_as(&name).or(front.unpacked.first())
    });
    if let Some(cmd) = &options.cmd
        && !cmd.contains("{in}")
    {
        return Err(Diagnostic::error("the command does not say where the program goes").help("write `{in}` in it"));
    }
    let template = options.cmd.clone().or(unpacked.map(|u| u.command.clone())).unwrap_or_else(|| front.command.clone());
    let worker = options.cmd.is_none() && unpacked.is_some_and(|u| u.worker);
    let architecture = (*architecture).to_owned();
    let command = Command { template, worker, compiler: compiler.clone(), architecture, limit: options.timeout };
    let asks_version = match (&options.cmd, unpacked) {
        // A command of the user's own: ask the program that it starts.
        (Some(cmd), _) => compile::program(cmd).map(|program| format!("{program} --version")),
        (None, Some(unpacked)) => Some(unpacked.version.clone()),
        (None, None) => front.version.clone(),
    };
    Ok((command, asks_version))
}

/// Compiles and reads.
fn table(asked: &Asked<'_>, output: &Output) -> Result<Table, Diagnostic> {
    let Asked { front, points, architecture, options } = asked;
    let (command, asks_version) = command(asked)?;
    let jobs = jobs(options.jobs, std::thread::available_parallelism().map_or(1, usize::from))?;
    let version = asks_version.and_then(|v| compile::version(&v, command.compiler.as_deref(), architecture).ok());
    let bar = Count::new(*output, "functions");
    let outcome = compile::compile(front, &command, points, jobs, &bar);
    bar.finish();
    let outcome = outcome.map_err(|why| {
        Diagnostic::error(why)
            .help("`--cmd` says how to compile, `--compiler DIR` where an unpacked compiler is (.ci/compilers fetches some)")
    })?;
    let version = version.filter(|v| !v.is_empty()).unwrap_or_else(|| "a compiler that does not say its version".to_owned());
    Ok(Table::new(front, &command, version, &outcome))
}

/// The error where nothing at all compiles: then it is the command that is wrong.
fn nothing(table: &Table) -> Option<Diagnostic> {
    let whys: Vec<&str> = table
        .rows
        .iter()
        .map(|m| match &m.row.answer {
            Answer::Absent(why) | Answer::Unknown(why) => Some(why.as_str()),
            Answer::Lowered(_) | Answer::Other(_) => None,
        })
        .collect::<Option<_>>()?;
    let most = whys.iter().max_by_key(|why| whys.iter().filter(|w| w == why).count())?;
    let error = Diagnostic::error(format!("nothing compiles for {}: {most}", table.architecture));
    Some(error.help("`--program` prints what is compiled; try the command by hand (docs/extract.md)"))
}

/// What was extracted, in a sentence.
fn summary(table: &Table) -> String {
    let [lowered, absent, other, unknown] = table.counts();
    let mut out = format!(
        "{}, {}, {}: {lowered} of {} rows are lowered",
        table.version,
        table.title,
        table.of_architecture(),
        table.rows.len()
    );
    if absent > 0 {
        out.push_str(&format!(", {absent} do not compile"));
    }
    if other > 0 {
        out.push_str(&format!(", {other} are something that no row can say"));
    }
    if unknown > 0 {
        out.push_str(&format!(", of {unknown} it is not known"));
    }
    if let Some(threads) = &table.threads {
        out.push_str(&format!("; {threads}"));
    }
    out
}
