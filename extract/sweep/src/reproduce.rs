//! The smallest counterexamples of a table as programs of the front end, compiled, and found again
//! in the PTX.

use std::path::{Path, PathBuf};

use margay_answers::check::{
    PresentedCounterexample, without_counterexample, write_counterexample,
};
use margay_answers::extract;
use margay_answers::extract::compiler::{CompilerQuestion, chosen, command, is_of_cpu};
use margay_answers::headline::{Headline, Tone};
use margay_answers::restriction::Restriction;
use margay_console::exit::{CommandOutcome, Exit};
use margay_console::folder::OutputFolder;
use margay_console::output::Output;
use margay_console::wrapped::wrapped;
use margay_extract::assembly::{self, AssemblyReader};
use margay_extract::compile::{CompileCommand, drivers, ran};
use margay_extract::finding::{ReproducedFinding, program};
use margay_extract::front::{self, FrontEnd};
use margay_extract::ptx;
use margay_mappings::check::{CheckOptions, CheckVerdict, Counterexample, Level, Silent, check};
use margay_mappings::language::{LoadOptions, Mapping};
use margay_mappings::{library, naming};
use margay_models::diagnostic::Diagnostic;
use margay_models::execution::Scope;

/// The table whose counterexample is reproduced, and the compiler that made it.
#[derive(Debug, Clone)]
pub struct ReproductionOptions {
    pub front_end: String,
    /// How it compiles; the first architecture counts.
    pub compiler: extract::CompilerTableOptions,
    /// The table.
    pub mapping: String,
    /// Another model of the language.
    pub source: Option<String>,
    /// The scopes of operations; none for all.
    pub scopes: Vec<String>,
    /// Constructs to leave out.
    pub without: Vec<String>,
    /// Constructs to use alone; none for all.
    pub only: Vec<String>,
    /// The most guards.
    pub guards: Option<usize>,
    /// The largest counterexample.
    pub bound: usize,
    /// The folder for the program and what came of it.
    pub out: PathBuf,
}

/// The front end, and how its compiler is called.
fn compiler(options: &ReproductionOptions) -> Result<(FrontEnd, CompileCommand), Vec<Diagnostic>> {
    let front = front::find(&options.front_end)?;
    let front = match options.compiler.architectures.first() {
        Some(architecture) => {
            front::for_architecture(front, architecture, is_of_cpu(&options.compiler))?
        }
        None => front,
    };
    let points = chosen(&front, &options.compiler).map_err(|e| vec![e])?;
    let architecture = options
        .compiler
        .architectures
        .first()
        .or(front.architectures.last())
        .cloned()
        .unwrap_or_default();
    let asked = CompilerQuestion {
        front: &front,
        points: &points,
        architecture: &architecture,
        options: &options.compiler,
    };
    let (command, _) = command(&asked).map_err(|e| vec![e])?;
    Ok((front, command))
}

/// The table without its assumed rows, for operations of the scopes that are asked about: what is
/// assumed is no finding.
fn mapping(options: &ReproductionOptions) -> Result<Mapping, Vec<Diagnostic>> {
    let models =
        LoadOptions { source: options.source.clone(), target: None, ..LoadOptions::default() };
    let mut mapping = library::find(&options.mapping, &models)?.mapping.known_only();
    if !options.scopes.is_empty() {
        let named = options
            .scopes
            .iter()
            .map(|name| Scope::ALL.into_iter().find(|scope| scope.name() == name));
        let scopes: Option<Vec<Scope>> = named.collect();
        let wrong =
            || vec![Diagnostic::error("not a scope").help("scopes: cta, cluster, gpu, sys")];
        mapping.about.scopes = Some(scopes.ok_or_else(wrong)?);
    }
    Ok(mapping)
}

/// Looks for the counterexample, compiles its program, and says whether the litmus test is found in
/// the PTX.
pub fn run(options: &ReproductionOptions, output: &Output) -> CommandOutcome {
    let mut asked = CheckOptions::new(options.bound);
    (asked.level, asked.without, asked.only) =
        (Level::Program, options.without.clone(), options.only.clone());
    asked.guards = options.guards;
    let found = compiler(options).and_then(|compiler| {
        let mapping = mapping(options)?;
        let report = check(&mapping, &asked, &Silent)?;
        Ok((compiler, mapping, report))
    });
    let ((front, command), mapping, report) = match found {
        Ok(found) => found,
        Err(errors) => return output.wrong(&errors),
    };
    let within = if options.scopes.is_empty() {
        String::new()
    } else {
        format!(", of scope {}", options.scopes.join(", "))
    };
    let c = match (
        report.counterexamples.first(),
        without_counterexample(&mapping, &report, &asked, &within),
    ) {
        (Some(c), None) => c,
        (_, line) => {
            if let Some(line) = line {
                output.headline(&line.painted(*output))?;
            }
            if let CheckVerdict::Undecided(why) = &report.verdict {
                output.print(&wrapped(&format!("Undecided because: {why}."), output.width()))?;
                return Ok(Exit::Undecided);
            }
            return Ok(Exit::Holds);
        }
    };
    match reproduce(options, &front, &command, (&mapping, c), output) {
        Ok(paths) => {
            let line = Headline::new(
                Tone::Bad,
                "reproduced",
                &format!(
                    ", a counterexample with {} events{within}, in {}",
                    c.events,
                    options.out.display()
                ),
                &Restriction::of_rows(&asked),
                &mapping.title,
            );
            output.headline(&line.painted(*output))?;
            for path in paths {
                output.print(&format!("  {path}"))?;
            }
            Ok(Exit::Found)
        }
        Err(why) => output.wrong(&[Diagnostic::error(format!(
            "the counterexample of {} events is not reproduced: {why}",
            c.events
        ))]),
    }
}

/// Writes, compiles and reads.
fn reproduce(
    options: &ReproductionOptions,
    front: &FrontEnd,
    command: &CompileCommand,
    (mapping, c): (&Mapping, &Counterexample),
    output: &Output,
) -> Result<Vec<String>, String> {
    let folder = &options.out;
    let failed = |what: &str, e: &dyn std::fmt::Display| format!("cannot {what}: {e}");
    let mut files = OutputFolder::open(folder).map_err(|e| failed("write into the folder", &e))?;
    let named =
        naming::name(mapping, &c.source, &c.target, &c.origin).ok_or("its rows cannot be told")?;
    let (text, threads) = program(front, mapping, c, &named).map_err(|why| why.to_string())?;
    let file = format!("program{}", front.suffix);
    files.write(&file, &text).map_err(|e| failed("write the program", &e))?;
    let shown = PresentedCounterexample::new(mapping, c);
    write_counterexample(&mut files, "counterexample", mapping, &shown)
        .map_err(|e| failed("write the counterexample", &e))?;
    let compiler = options
        .compiler
        .compiler
        .as_ref()
        .and_then(|p| p.file_name())
        .map_or(String::new(), |n| n.to_string_lossy().into_owned());
    let finding = ReproducedFinding {
        front_end: front.name.clone(),
        compiler,
        command: options.compiler.cmd.clone(),
        architecture: command.architecture.clone(),
        program: file.clone(),
        locations: c.source.locations.iter().map(|l| l.name.clone()).collect(),
        threads,
        also: Vec::new(),
        upstream: None,
    };
    let json = serde_json::to_string_pretty(&finding).map_err(|e| e.to_string())?;
    files.write("finding.json", json + "\n").map_err(|e| failed("write finding.json", &e))?;
    let rows = format!("{}\n", shown.rows.join("\n"));
    files.write("rows.txt", rows).map_err(|e| failed("write the rows", &e))?;
    let work = margay_models::durable::scratch().map_err(|e| failed("make a folder", &e))?;
    drivers(work.path()).map_err(|e| failed("write helper programs", &e))?;
    let ptx_file = work.path().join("program.ptx");
    let absolute =
        |p: &Path| std::path::absolute(p).unwrap_or_else(|_| p.to_path_buf()).display().to_string();
    let line = command.text(
        &absolute(&folder.join(&file)),
        &absolute(&ptx_file),
        &work.path().display().to_string(),
    );
    let run =
        ran(&line, work.path(), command.limit).map_err(|e| format!("it does not compile: {e}"))?;
    let ptx_text = match command.template.contains("{out}") {
        true => std::fs::read_to_string(&ptx_file).map_err(|e| failed("read the PTX", &e))?,
        false => run.output,
    };
    let written = if command.assembly.is_some() { "program.s" } else { "program.ptx" };
    files.write(written, &ptx_text).map_err(|e| failed("write what came out", &e))?;
    if let Some(warning) =
        files.finish(&|name| name.starts_with("counterexample") || name.starts_with("program"))
    {
        output.warn(&[warning]);
    }
    if let Some(mut reader) = command.assembly.and_then(AssemblyReader::of) {
        let module = assembly::module(&ptx_text, reader.architecture())
            .map_err(|e| format!("what came out is no assembly: {e}"))?;
        return finding.verify_assembly(&mut reader, &module).map_err(|why| why.to_string());
    }
    let module = ptx::read(&ptx_text).map_err(|e| format!("what came out is no PTX: {e}"))?;
    finding.verify(&module).map_err(|why| why.to_string())
}
