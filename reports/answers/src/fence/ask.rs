//! The cheapest ways to forbid an outcome, from the question to what is printed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::limits;
use margay_console::output::{Format, Output};
use margay_litmus::engine::{Choice, Runner};
use margay_litmus::explicit;
use margay_litmus::race::Race;
use margay_litmus::strengthen::{Costs, Limits, Means, Terms, cheapest};
use margay_litmus::test::Dialect;
use margay_litmus::unfold::UnfoldingBounds;
use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::limited;

use super::{FenceSubject, document, headline, print, print_races, stop};

/// What is asked.
#[derive(Debug, Clone)]
pub struct FenceOptions {
    /// What may be made stronger.
    pub means: Means,
    /// A table of what operations cost.
    pub costs: Option<PathBuf>,
    /// The most of the cheapest ways that are looked for.
    pub most: usize,
    /// How often each loop is gone round.
    pub unroll: usize,
    /// Who answers whether an outcome is allowed.
    pub engine: Choice,
    /// Is the aim a program without races, too, where the model leaves racy programs their meaning?
    pub races: bool,
    /// The time given.
    pub timeout: Option<Duration>,
}

/// Reads a test and a model, looks for the ways, and prints them.
///
/// # Errors
/// The output cannot be written.
pub fn run(test: &Path, model: &str, options: &FenceOptions, output: &Output) -> CommandOutcome {
    let read = FenceSubject::load(test, model, options.races, output).and_then(|subject| {
        let costs = costs(options.costs.as_deref(), subject.test.dialect)?;
        Ok((subject, costs))
    });
    let (subject, costs) = match read {
        Ok(read) => read,
        Err(errors) => return output.wrong(&errors),
    };
    let bounds = UnfoldingBounds { unroll: options.unroll, ..Default::default() };
    let limits = Limits {
        deadline: limits::RunLimits::start(options.timeout, None).deadline,
        repairs: Some(options.most),
        questions: None,
    };
    let start = Instant::now();
    let run = explicit::Options { bounds, stop: limits::stop(), ..explicit::Options::default() };
    let terms =
        Terms { means: options.means, costs: &costs, language: subject.spelling().language() };
    let found = cheapest(&subject.test, &subject.model, &terms, &run, options.engine, limits);
    let seconds = start.elapsed().as_secs_f64();
    let found = match found {
        Ok(found) => found,
        Err(stopped) => return stop(&subject, &stopped, seconds, output),
    };
    // The search asks only whether there is a race; which one, people want to know.
    let race = (found.racy == Some(true))
        .then(|| {
            Runner::new(&subject.model).run(
                &subject.test,
                &explicit::Options { deadline: limits.deadline, ..run },
                options.engine,
            )
        })
        .and_then(|verdict| verdict.ok()?.race);
    let forbidden = found.already() || found.is_repairable();
    let exit = output.settle(match (forbidden, found.bounded) {
        (true, true) => Exit::Undecided,
        (true, false) => Exit::Holds,
        (false, _) => Exit::Found,
    });
    let answer = headline(&subject, &found, options.means, options.unroll);
    match output.format {
        Format::Json => {
            output.document(&document(&subject, &found, (&answer, race.as_ref()), seconds))?;
        }
        _ => {
            let race = race.as_ref().and_then(|witness| Race::of(&subject.model, witness));
            output.headline(&answer.painted(*output))?;
            print_races(&subject, &found, race.as_ref(), output)?;
            print(&subject, &found, usize::MAX, output)?;
        }
    }
    Ok(exit)
}

fn costs(path: Option<&Path>, dialect: Dialect) -> Result<Costs, Vec<Diagnostic>> {
    let Some(path) = path else { return Ok(Costs::default()) };
    let name = limited::name(path);
    let text = limited::text(path, margay_mappings::change::MAX_COSTS)
        .map_err(|e| vec![Diagnostic::error(format!("cannot read the costs `{name}`: {e}"))])?;
    Costs::parse(&SourceFile::new(name, text), dialect)
}
