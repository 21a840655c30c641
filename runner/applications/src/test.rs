//! `margay app test`: is an application ever wrong, in order and with weak memory (PLDI 2016,
//! section 4)?

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::limits::RunLimits;
use margay_console::output::{Format, Output};
use margay_console::progress::StepBar;
use margay_console::table::{counted, number, table};
use margay_machine::MemoryKind;
use margay_models::diagnostic::Diagnostic;
use margay_reports::Verdict;
use margay_reports::app::{EnvironmentRunsRecord, InstructionRate, Tested};

use crate::application::Application;
use crate::campaign::{CpuRunner, RunCounts, count_within};
use crate::environment::GpuSettings;
use crate::on_gpu;

/// A share of runs from which on an environment is effective (PLDI 2016, section 4.3).
const EFFECTIVE: f64 = 0.05;

/// How an application is found and run.
#[derive(Debug, Clone)]
pub struct ApplicationRuns {
    /// Runs in each environment.
    pub runs: u64,
    /// The seed of the first; those behind it follow.
    pub seed: u64,
    /// The time given.
    pub timeout: Option<Duration>,
    /// The folder of CUDA.
    pub toolkit: Option<PathBuf>,
    /// The target that CUDA is compiled for.
    pub target: String,
    /// The memories of the machine of the CPU in which it is run, behind the one in order.
    pub memories: Vec<MemoryKind>,
    /// How it is run on a GPU; nothing on the machine of the CPU.
    pub gpu: Option<GpuSettings>,
}

/// The environment without weak memory.
pub(crate) const IN_ORDER_NAME: &str = "in order";

/// Runs in order before those on a GPU: what is wrong without weak memory is said first.
pub(crate) const IN_ORDER: u64 = 2;

/// What was counted in one environment.
pub(crate) type NamedCounts = (String, RunCounts);

/// Runs an application, and prints what its runs showed.
///
/// # Errors
/// The output cannot be written.
pub fn run(file: &Path, options: &ApplicationRuns, output: &Output) -> CommandOutcome {
    let limits = RunLimits::start(options.timeout, None);
    let tested = match examine(file, options, &limits, output) {
        Ok(tested) => tested,
        Err(error) => return output.wrong(&[error]),
    };
    let exit = output.settle(exit_of(&tested));
    match output.format {
        Format::Json => output.document(&tested)?,
        Format::Human => human(&tested, output)?,
    }
    Ok(exit)
}

/// The exit code of what runs showed.
pub(crate) fn exit_of(tested: &Tested) -> Exit {
    match tested.verdict {
        Verdict::Counterexample => Exit::Found,
        Verdict::None => Exit::Holds,
        _ => Exit::Undecided,
    }
}

/// Runs an application.
///
/// # Errors
/// The file, the program or the machine lacks something.
pub(crate) fn examine(
    file: &Path,
    options: &ApplicationRuns,
    limits: &RunLimits,
    output: &Output,
) -> Result<Tested, Diagnostic> {
    let start = Instant::now();
    let application = Application::read(file, options.toolkit.as_deref(), &options.target)?;
    let ApplicationCampaign { counts, answer, device, notes, missing } = match &options.gpu {
        None => on_cpu(&application, options, limits, output),
        Some(settings) => on_gpu::test(&application, options, settings, limits, output),
    }?;
    let asked = |name: &str| {
        if options.gpu.is_some() && name == IN_ORDER_NAME {
            IN_ORDER.min(options.runs)
        } else {
            options.runs
        }
    };
    let bounded = missing > 0 || counts.iter().any(|(name, c)| c.runs < asked(name));
    let is_wrong = counts.iter().any(|(_, c)| c.not_right() > 0);
    let verdict = match (is_wrong, bounded) {
        (true, _) => Verdict::Counterexample,
        (false, true) => Verdict::Undecided,
        (false, false) => Verdict::None,
    };
    Ok(Tested {
        file: application.file.name.clone(),
        answer,
        verdict,
        post: conditions(&application),
        device,
        environments: counts.iter().map(|(name, counts)| environment(name, counts)).collect(),
        seed: options.seed,
        bounded,
        notes,
        rates: counts.iter().filter_map(|(name, counts)| rate(name, counts)).collect(),
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// What runs of an application came to.
pub(crate) struct ApplicationCampaign {
    pub counts: Vec<NamedCounts>,
    pub answer: String,
    /// The GPU.
    pub device: Option<String>,
    /// What was not looked at, or ended before its time.
    pub notes: Vec<String>,
    /// Environments that were not run.
    pub missing: usize,
}

fn on_cpu(
    application: &Application,
    options: &ApplicationRuns,
    limits: &RunLimits,
    output: &Output,
) -> Result<ApplicationCampaign, Diagnostic> {
    let memories = [&[MemoryKind::SequentiallyConsistent], &options.memories[..]].concat();
    let all = options.runs as usize * memories.len();
    let steps = StepBar::new(output.format == Format::Human, all, "runs");
    let mut counts: Vec<NamedCounts> = Vec::new();
    for memory in memories {
        let name = memory.name();
        let before = counts.len() as u64 * options.runs;
        let mut runner = CpuRunner::new(application, memory);
        let seeds = options.seed..options.seed + options.runs;
        let counted = count_within(&mut runner, seeds, false, limits, |done| {
            steps.at(name, (before + done) as usize, all)
        });
        counts.push((name.to_owned(), counted.map_err(|why| not_run(application, &why))?));
    }
    steps.finish();
    let answer = headline(application, &counts, options.runs);
    let endless = counts.iter().filter(|(_, c)| c.is_endless() && c.runs < options.runs);
    let note = |(name, c): &NamedCounts| {
        format!(
            "{name}: none of the first {} has an end, and the others were not run.",
            counted(c.runs, "run", "runs")
        )
    };
    let notes = endless.map(note).collect();
    Ok(ApplicationCampaign { counts, answer, device: None, notes, missing: 0 })
}

/// Why an application cannot be run here.
pub(crate) fn not_run(application: &Application, why: &str) -> Diagnostic {
    let error = Diagnostic::error(format!(
        "{} cannot be run on the machine of the CPU: {why}",
        application.ptx.name
    ));
    error.help("docs/applications.md says what this machine has")
}

/// What must hold at the end, in words.
pub(crate) fn conditions(application: &Application) -> Vec<String> {
    let checks =
        application.checks.iter().map(|check| format!("`{}` runs to its end", check.kernel));
    application.post.iter().map(|condition| format!("`{condition}`")).chain(checks).collect()
}

/// Are 5 % of the runs and more not right?
pub(crate) fn is_effective(counts: &RunCounts) -> bool {
    counts.not_right() as f64 / counts.runs.max(1) as f64 >= EFFECTIVE
}

fn environment(name: &str, counts: &RunCounts) -> EnvironmentRunsRecord {
    EnvironmentRunsRecord {
        memory: name.to_owned(),
        runs: counts.runs,
        errors: counts.errors,
        time_outs: counts.time_outs,
        at_least: counts.at_least(),
        effective: is_effective(counts),
        first_seed: counts.first.as_ref().map(|(seed, _)| *seed),
        first: counts.first.as_ref().map(|(_, what)| what.clone()),
        instructions: counts.instructions,
    }
}

/// How fast the machine of the CPU was; on a GPU instructions are not counted.
fn rate(name: &str, counts: &RunCounts) -> Option<InstructionRate> {
    let seconds = counts.busy.as_secs_f64();
    let per_core_second = counts.instructions as f64 / seconds;
    (counts.instructions > 0 && seconds > 0.0)
        .then(|| InstructionRate { memory: name.to_owned(), per_core_second })
}

/// The answer in a sentence, of the environment in order and those behind it.
fn headline(application: &Application, counts: &[NamedCounts], asked: u64) -> String {
    let name = application.name();
    let Some(((_, in_order), weak)) = counts.split_first() else {
        return format!("undecided: {name}, not run");
    };
    let part = |counts: &RunCounts| match counts.runs < asked {
        true => format!("{} of {} runs", number(counts.runs), number(asked)),
        false => counted(counts.runs, "run", "runs"),
    };
    let wrong = |counts: &RunCounts| {
        let errors = (counts.errors > 0).then(|| format!("{} wrong", number(counts.errors)));
        let time_outs =
            (counts.time_outs > 0).then(|| format!("{} not at an end", number(counts.time_outs)));
        errors.into_iter().chain(time_outs).collect::<Vec<_>>().join(" and ")
    };
    let memory = |name: &str| match name == MemoryKind::Weak.name() {
        true => "with weak memory".to_owned(),
        false => format!("with {name} pairs reordered"),
    };
    // Runs of one memory and in order, or of many.
    let in_one = weak.len() == 1;
    let all: Vec<String> = counts
        .iter()
        .map(|(name, c)| match (in_one, name == IN_ORDER_NAME) {
            (true, false) => format!("{} {}", part(c), memory(name)),
            (true, true) => format!("{} in order", part(c)),
            (false, true) => format!("{} in order", part(c)),
            (false, false) => format!("{} in {name}", part(c)),
        })
        .collect();
    let found: Vec<&NamedCounts> =
        weak.iter().filter(|(_, counts)| counts.not_right() > 0).collect();
    match (in_order.not_right(), &found[..]) {
        (0, []) if counts.iter().any(|(_, c)| c.runs < asked) => {
            format!(
                "undecided: {name}, stopped; none was wrong of {} on the machine of the CPU",
                all.join(", ")
            )
        }
        (0, []) => format!(
            "no run was wrong, which is no proof: {name}, {} on the machine of the CPU",
            all.join(", ")
        ),
        // Weak memory is all that was left to try; of the machines that reorder one kind of pairs
        // others are.
        (0, [(found, weak)]) if in_one => format!(
            "wrong {}{}: {name}, {} in {} on the machine of the CPU, none in {} in order",
            memory(found),
            if found == MemoryKind::Weak.name() { " only" } else { ", and not in order" },
            wrong(weak),
            part(weak),
            part(in_order)
        ),
        (0, found) => {
            let said: Vec<String> = found
                .iter()
                .map(|(name, c)| format!("{} in {name} ({})", wrong(c), part(c)))
                .collect();
            let none = counts.iter().filter(|(_, c)| c.not_right() == 0);
            let none: Vec<String> = none
                .map(|(name, c)| {
                    format!("{} ({})", name.strip_prefix("in ").unwrap_or(name), part(c))
                })
                .collect();
            format!(
                "wrong, and not in order: {name}, {} on the machine of the CPU; none in {}",
                said.join(", "),
                none.join(", ")
            )
        }
        _ => format!(
            "wrong without weak memory: {name}, {} in {} in order, so that the program or its post-condition is wrong",
            wrong(in_order),
            part(in_order)
        ),
    }
}

fn human(tested: &Tested, output: &Output) -> std::io::Result<()> {
    let environments = &tested.environments;
    output.headline(&tested.answer)?;
    output.prose(&format!("What must hold at the end: {}.", tested.post.join(", ")))?;
    output.print("")?;
    let header = ["environment", "runs", "wrong", "no end", "at least", "effective"];
    let rows: Vec<Vec<String>> = environments
        .iter()
        .map(|e| {
            let share = format!("{:.1} %", 100.0 * e.at_least);
            let effective = if e.effective { "yes" } else { "no" };
            vec![
                e.memory.clone(),
                number(e.runs),
                number(e.errors),
                number(e.time_outs),
                share,
                effective.to_owned(),
            ]
        })
        .collect();
    output.print(&table(&header, &rows, &[1, 2, 3, 4], output.width()))?;
    for environment in environments {
        if let (Some(seed), Some(first)) = (environment.first_seed, &environment.first) {
            output.prose(&format!("{}, seed {seed}: {first}.", environment.memory))?;
        }
    }
    for note in &tested.notes {
        output.prose(note)?;
    }
    // Times differ from run to run: they are said to who asks for more.
    for rate in tested.rates.iter().filter(|_| output.verbose) {
        let of =
            environments.iter().find(|e| e.memory == rate.memory).map_or(0, |e| e.instructions);
        let millions = rate.per_core_second / 1e6;
        output.prose(&format!(
            "{}: {} instructions, {millions:.1} million a second and core.",
            rate.memory,
            number(of)
        ))?;
    }
    output.prose(
        "`at least` is the lower end of the 95 % interval of the share of runs that are not right; 5 % and more are effective.",
    )
}
