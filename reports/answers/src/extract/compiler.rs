//! What is asked of one compiler, and its table.

use std::path::{Path, PathBuf};
use std::time::Duration;

use margay_console::limits::jobs;
use margay_console::output::Output;
use margay_console::progress::CountProgress;
use margay_extract::assembly;
use margay_extract::compile::{self, CompileCommand};
use margay_extract::front::FrontEnd;
use margay_extract::lowering::LoweringAnswer;
use margay_extract::point::Point;
use margay_extract::table::{Models, Table};
use margay_mappings::language::kind::{OPERATIONS, TYPES};
use margay_models::diagnostic::{Diagnostic, nearest};
use margay_models::signature::Architecture;

/// What is extracted, and how.
#[derive(Debug, Clone)]
pub struct CompilerTableOptions {
    /// How to compile a program, if not as the front end says.
    pub cmd: Option<String>,
    /// The folder of the compiler, if it is not on the PATH.
    pub compiler: Option<PathBuf>,
    /// The architectures to compile for; none for those of the front end.
    pub architectures: Vec<String>,
    /// The types that are asked about; none for all.
    pub types: Vec<String>,
    /// The operations of read-modify-writes that are asked about; none for all.
    pub operations: Vec<String>,
    /// The model of the language in the table that is written, if not the usual one.
    pub source: Option<String>,
    /// The model of the machine in it, if not that of the front end.
    pub target: Option<String>,
    /// How long a program of many functions may be compiled.
    pub timeout: Duration,
    /// The number of compilers that run at the same time.
    pub jobs: Option<usize>,
}

/// The points that are asked about.
///
/// # Errors
/// There is no such type or operation, or nothing of what is asked for.
pub fn chosen(front: &FrontEnd, options: &CompilerTableOptions) -> Result<Vec<Point>, Diagnostic> {
    let unknown = |names: &[String], all: &[&str], what: &str| {
        names.iter().find(|n| !all.contains(&n.as_str())).map(|name| {
            let error = Diagnostic::error(format!("there is no {what} `{name}`"));
            match nearest(name, all.iter().copied()) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error.help(format!("{what}s: {}", all.join(", "))),
            }
        })
    };
    if let Some(error) = unknown(&options.types, &TYPES, "type")
        .or_else(|| unknown(&options.operations, &OPERATIONS, "operation"))
    {
        return Err(error);
    }
    let is_of = |names: &[String], all: &[&str], index: Option<usize>| {
        names.is_empty() || index.is_none_or(|i| names.iter().any(|n| n == all[i]))
    };
    let points: Vec<Point> = front
        .points()
        .into_iter()
        .filter(|p| {
            is_of(&options.types, &TYPES, p.data)
                && is_of(&options.operations, &OPERATIONS, p.operation())
        })
        .collect();
    if points.is_empty() {
        return Err(Diagnostic::error(format!(
            "`{}` has nothing of what is asked for",
            front.name
        )));
    }
    Ok(points)
}

/// Does the model that is asked for have an architecture whose text reads assembly? One that cannot
/// be read is taken for such a model: no PTX is read by it.
pub fn is_of_cpu(options: &CompilerTableOptions) -> bool {
    let load = |target: &String| {
        margay_models::library::load(target, &[std::path::PathBuf::from("models")])
    };
    options.target.as_ref().is_some_and(|target| {
        load(target).map_or(true, |loaded| {
            loaded.model.signature.tabular().is_some_and(|of| of.assembly().is_some())
        })
    })
}

/// What is asked of one compiler.
pub struct CompilerQuestion<'a> {
    pub front: &'a FrontEnd,
    /// What is asked about.
    pub points: &'a [Point],
    /// What is compiled for.
    pub architecture: &'a str,
    pub options: &'a CompilerTableOptions,
}

impl CompilerQuestion<'_> {
    /// The models of the table that is written.
    pub fn models(&self) -> Models {
        let CompilerQuestion { front, architecture, options, .. } = self;
        let [source, target] = match front.machines.get(*architecture) {
            Some(machine) => ["rc11-lb", machine.model.as_str()],
            None if front.prints_assembly() => ["rc11-lb", *architecture],
            None => ["rc11-scoped", "ptx-8"],
        };
        Models {
            source: options.source.clone().unwrap_or_else(|| source.to_owned()),
            target: options.target.clone().unwrap_or_else(|| target.to_owned()),
        }
    }

    /// That one architecture can be asked about alone, where nobody chose one and what this one
    /// needs is not there.
    fn alone(&self) -> String {
        let all = &self.front.architectures;
        match all.first() {
            Some(first) if self.options.architectures.is_empty() && all.len() > 1 => format!(
                "; this was for {}, since without `--arch` all are asked about ({}): `--arch {first}` asks about one",
                self.architecture,
                all.join(", ")
            ),
            _ => String::new(),
        }
    }

    /// The architecture whose text reads the assembly that comes out; none where that is PTX.
    ///
    /// # Errors
    /// The model of the machine cannot be read, or its architecture's text does not say its
    /// assembly.
    fn assembly(&self) -> Result<Option<Architecture>, Diagnostic> {
        let CompilerQuestion { front, architecture, options, .. } = self;
        if !front.prints_assembly() {
            return Ok(None);
        }
        let target = self.models().target;
        let folder = std::path::PathBuf::from("models");
        let first = |mut errors: Vec<Diagnostic>| {
            if errors.is_empty() { Diagnostic::error("no model") } else { errors.remove(0) }
        };
        let loaded = margay_models::library::load(&target, &[folder]).map_err(|errors| {
            let known: Vec<&str> = front.machines.keys().map(String::as_str).collect();
            match options.target.is_some() || front.machines.contains_key(*architecture) {
                true => first(errors),
                false => {
                    let error = Diagnostic::error(format!("`{}` knows no machine `{architecture}`", front.name));
                    match nearest(architecture, known.iter().copied()) {
                        Some(near) => error.help(format!("did you mean `{near}`?")),
                        None => error.help(format!(
                            "machines: {}; of another one `--to MODEL.cat` says the model, whose architecture's text reads the assembly",
                            known.join(", ")
                        )),
                    }
                }
            }
        })?;
        let read = loaded.model.signature.tabular();
        let wrong = |what: &str| {
            let error = Diagnostic::error(format!(
                "the assembly for `{target}` cannot be read: its architecture {what}"
            ));
            error.help("docs/architectures.md, Assembly, says how an architecture's text says it")
        };
        match read {
            None => Err(wrong("is not a text")),
            Some(read) => match assembly::lacks(read) {
                Some(why) => Err(wrong(&why)),
                None => Ok(Some(read)),
            },
        }
    }
}

/// How the compiler is called, and how it is asked for its version.
///
/// # Errors
/// The command has no place for the program.
pub fn command(
    asked: &CompilerQuestion<'_>,
) -> Result<(CompileCommand, Option<String>), Diagnostic> {
    let CompilerQuestion { front, architecture, options, .. } = asked;
    let compiler = options
        .compiler
        .as_ref()
        .map(|c| std::fs::canonicalize(c).unwrap_or_else(|_| c.clone()).display().to_string());
    let unpacked = compiler.as_deref().and_then(|folder| {
        let name = Path::new(folder)
            .file_name()
            .map_or(String::new(), |n| n.to_string_lossy().into_owned());
        front.unpacked_as(&name).or(front.unpacked.first())
    });
    if let Some(cmd) = &options.cmd
        && !cmd.contains("{in}")
    {
        return Err(Diagnostic::error("the command does not say where the program goes")
            .help("write `{in}` in it"));
    }
    // It is put into a command of the shell as it is.
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-.+".contains(c);
    if !architecture.chars().all(is_name) {
        let error = Diagnostic::error(format!("`{architecture}` is no name of an architecture"));
        return Err(error.help("write e.g. `sm_90`, or `sm_90-ptx86` with a version of PTX"));
    }
    let template = options
        .cmd
        .clone()
        .or(unpacked.map(|u| u.command.clone()))
        .unwrap_or_else(|| front.command.clone());
    let worker = options.cmd.is_none() && unpacked.is_some_and(|u| u.worker);
    let architecture = (*architecture).to_owned();
    let words = front
        .machines
        .get(&architecture)
        .map_or(Vec::new(), |m| m.with.clone().into_iter().collect());
    let assembly = asked.assembly()?;
    let command = CompileCommand {
        template,
        worker,
        compiler: compiler.clone(),
        architecture,
        assembly,
        words,
        limit: options.timeout,
    };
    let asks_version = match (&options.cmd, unpacked) {
        // A command of the user's own: ask the program that it starts.
        (Some(cmd), _) => compile::program(cmd).map(|program| format!("{program} --version")),
        (None, Some(unpacked)) => Some(unpacked.version.clone()),
        (None, None) => front.version.clone(),
    };
    Ok((command, asks_version))
}

/// Compiles and reads.
///
/// # Errors
/// The compiler cannot be started, or its command is wrong.
pub fn table(asked: &CompilerQuestion<'_>, output: &Output) -> Result<Table, Diagnostic> {
    let CompilerQuestion { front, points, architecture, options } = asked;
    let (command, asks_version) = command(asked)?;
    let jobs = jobs(options.jobs)?;
    let version = asks_version
        .and_then(|v| compile::version(&v, command.compiler.as_deref(), architecture).ok());
    let bar = CountProgress::new(*output, "functions");
    let outcome = compile::compile(front, &command, points, jobs, &bar);
    bar.finish();
    let outcome = outcome.map_err(|why| {
        let help = "`--cmd` says how to compile, `--compiler DIR` where an unpacked compiler is (.ci/compilers fetches some)";
        Diagnostic::error(why.to_string()).help(format!("{help}{}", asked.alone()))
    })?;
    let version = version
        .filter(|v| !v.is_empty())
        .unwrap_or_else(|| "a compiler that does not say its version".to_owned());
    Ok(Table::new(front, &command, version, &outcome))
}

/// The error where nothing at all compiles: then it is the command that is wrong.
pub fn nothing(asked: &CompilerQuestion<'_>, table: &Table) -> Option<Diagnostic> {
    let whys: Vec<&str> = table
        .rows
        .iter()
        .map(|m| match &m.row.answer {
            LoweringAnswer::Absent(why) | LoweringAnswer::Unknown(why) => Some(why.as_str()),
            LoweringAnswer::Lowered(_) | LoweringAnswer::Other(_) => None,
        })
        .collect::<Option<_>>()?;
    let most = whys.iter().max_by_key(|why| whys.iter().filter(|w| w == why).count())?;
    let version = table.version.lines().next().unwrap_or_default().trim();
    let error = Diagnostic::error(format!(
        "nothing compiles for {} with {version}: {most}",
        table.architecture
    ));
    let help = "is this the compiler that you mean? `--compiler DIR` names another one; `--program` prints what is compiled: try the command by hand \
                (docs/extract.md)";
    Some(error.help(format!("{help}{}", asked.alone())))
}
