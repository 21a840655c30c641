//! Generated litmus tests, as texts, as lines of JSON or as files with an index.

pub mod shapes;

use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::folder::{self, OutputFolder};
use margay_console::limits::RunLimits;
use margay_console::output::{Format, Output};
use margay_console::table::number;
use margay_litmus::cycle::{CycleSelection, Generated, Language};
use margay_models::diagnostic::Diagnostic;
use margay_reports::Document;
use margay_reports::r#gen as document;

/// The file in the folder that lists the tests.
const INDEX: &str = "index.tsv";

/// Where tests go, and how many.
#[derive(Debug, Clone)]
pub struct GenerationOptions {
    /// The folder; without one, they are printed.
    pub out: Option<PathBuf>,
    /// The most tests.
    pub count: Option<usize>,
    /// The seed of cycles drawn at random; without one, all are gone through.
    pub seed: Option<u64>,
}

/// Generates the tests that are selected, and prints or writes them.
///
/// # Errors
/// The output cannot be written.
pub fn run(
    selection: &CycleSelection,
    options: &GenerationOptions,
    output: &Output,
) -> CommandOutcome {
    let plan = match selection.plan() {
        Ok(plan) => plan,
        Err(errors) => return output.wrong(&errors),
    };
    let mut sink = match Sink::new(options, selection.variations.language, output) {
        Ok(sink) => sink,
        Err(error) => return output.wrong(&[error]),
    };
    let start = Instant::now();
    let limits = RunLimits::start(None, None);
    let mut kept = 0;
    let mut failed: Option<io::Error> = None;
    let limit = options.count.unwrap_or(usize::MAX);
    let mut found = |generated: Generated| {
        if limits.reason().is_some() {
            return ControlFlow::Break(());
        }
        if !plan.keeps(generated.shape) {
            return ControlFlow::Continue(());
        }
        if let Err(error) = sink.write(&generated) {
            failed = Some(error);
            return ControlFlow::Break(());
        }
        kept += 1;
        if kept < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    if limit > 0 {
        plan.generate(options.seed, &|| limits.reason().is_some(), &mut found);
    }
    let done = failed.map_or(Ok(()), Err).and_then(|()| sink.finish());
    match (done, &options.out) {
        (Ok(warning), _) => output.warn(&warning.into_iter().collect::<Vec<_>>()),
        // The files are what was asked for.
        (Err(error), Some(folder)) => {
            return output.wrong(&[Diagnostic::error(format!(
                "cannot write to `{}`: {error}",
                folder.display()
            ))]);
        }
        (Err(error), None) => return Err(error),
    }
    let stopped = limits.reason();
    if kept == 0 && stopped.is_none() {
        let error = Diagnostic::error("no test fits the options");
        let help = "try another --size or --threads, more --edges, or fewer filters";
        return output.wrong(&[error.help(help)]);
    }
    if let Some(folder) = &options.out {
        let seconds = start.elapsed().as_secs_f64();
        match output.format {
            Format::Json => {}
            _ => output.print(&format!(
                "{} tests in {} ({INDEX} lists them), {seconds:.2} s",
                output.good(&number(kept as u64)),
                folder.display()
            ))?,
        }
    }
    let Some(reason) = stopped else { return Ok(Exit::Holds) };
    let tests = number(kept as u64);
    output.warn(&[Diagnostic::warning(format!(
        "{}: there may be more than these {tests} tests",
        reason.words()
    ))]);
    Ok(Exit::Undecided)
}

/// Where tests go.
struct Sink<'a> {
    options: &'a GenerationOptions,
    language: Language,
    json: bool,
    folder: Option<OutputFolder>,
    index: String,
    out: BufWriter<io::Stdout>,
    any: bool,
}

impl<'a> Sink<'a> {
    fn new(
        options: &'a GenerationOptions,
        language: Language,
        output: &Output,
    ) -> Result<Self, Diagnostic> {
        options.out.as_deref().map_or(Ok(()), folder::prepare)?;
        let folder =
            options.out.as_deref().map(OutputFolder::open).transpose().map_err(|error| {
                let folder =
                    options.out.as_ref().map(|f| f.display().to_string()).unwrap_or_default();
                Diagnostic::error(format!("cannot write to the folder `{folder}`: {error}"))
            })?;
        let out = BufWriter::new(io::stdout());
        let index = "file\tshape\tcycle\n".to_owned();
        Ok(Self {
            options,
            language,
            json: output.format == Format::Json,
            folder,
            index,
            out,
            any: false,
        })
    }

    fn write(&mut self, generated: &Generated) -> io::Result<()> {
        let text = generated.test.to_string();
        let name = &generated.test.name;
        let file = format!("{name}.litmus");
        let cycle = generated.from.cycle.written(self.language);
        if let Some(folder) = &mut self.folder {
            folder.write(&file, &text)?;
            self.index.push_str(&format!("{file}\t{}\t{cycle}\n", generated.shape.unwrap_or("-")));
        }
        if self.json {
            let path =
                self.options.out.as_ref().map(|folder| folder.join(&file).display().to_string());
            let line = document::GeneratedTestRecord {
                name: name.clone(),
                shape: generated.shape.map(str::to_owned),
                cycle: Some(cycle),
                file: path,
                digest: Some(format!("{:016x}", generated.form.digest())),
                litmus: text,
            };
            writeln!(self.out, "{}", line.line()?)?;
        } else if self.folder.is_none() {
            if self.any {
                writeln!(self.out)?;
            }
            writeln!(self.out, "{}", text.trim_end())?;
        }
        self.any = true;
        Ok(())
    }

    /// Ends; a warning about other tests in the folder.
    fn finish(mut self) -> io::Result<Option<Diagnostic>> {
        self.out.flush()?;
        let Some(mut folder) = self.folder else { return Ok(None) };
        folder.write(INDEX, &self.index)?;
        Ok(folder.finish(&|name| name.ends_with(".litmus")))
    }
}
