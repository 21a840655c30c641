//! `margay app harden`: which fences an application takes until no run is wrong (PLDI 2016,
//! Algorithm 1).
//!
//! The listing of the paper runs `A + F1` and then removes `F1` (lines 16 and 17); its text removes
//! the half without which the application is right, and this does the same: `A + (F \ F1)` is run,
//! then `F1` is removed.

use std::io;
use std::path::Path;
use std::time::Instant;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::limits::RunLimits;
use margay_console::output::{Format, Output};
use margay_console::progress::StepBar;
use margay_console::table::{counted, number, table};
use margay_machine::MemoryKind;
use margay_models::diagnostic::Diagnostic;
use margay_ptx::effect::{self, Effect, MemoryAccess, Window};
use margay_reports::Verdict;
use margay_reports::app::{FenceCost, Hardened, PlacedFence};

use crate::application::Application;
use crate::campaign::{ApplicationRunner, CpuRunner, count_within};
use crate::on_gpu;
use crate::test::{ApplicationRuns, IN_ORDER, conditions, not_run};

/// The fence that `__threadfence()` is on every target.
const FENCE: &str = "membar.gl;";

/// How many times the runs of a reduction the check of stability has.
const STABLE: u64 = 10;

/// The most often that runs are doubled.
const DOUBLINGS: u32 = 12;

/// A place for a fence: behind an access to memory that blocks share.
#[derive(Debug, Clone)]
pub(crate) struct FencePlace {
    function: String,
    /// File and line of the source, where `.loc` says them.
    source: Option<(String, u32)>,
    access: String,
    /// Where the fence goes in the text.
    at: usize,
}

/// All places for fences in what launches reach, in the order of the text.
fn places(application: &Application) -> Vec<FencePlace> {
    let text = &application.ptx.text;
    let Ok(module) = margay_ptx::read(text) else { return Vec::new() };
    let code = margay_ptx::blank_comments(text);
    let is_shared = |access: &MemoryAccess| {
        matches!(access.window, Window::Generic | Window::Global) && !access.read_only
    };
    let mut places = Vec::new();
    let kernels = application.launches.iter().filter_map(|launch| module.function(&launch.kernel));
    for function in effect::reached(&module, kernels).into_iter().map(|f| &module.functions[f]) {
        for i in function.body.iter().flatten() {
            let access = match effect::of(i) {
                Effect::Load { access, .. }
                | Effect::Store { access, .. }
                | Effect::Modify { access, .. } => access,
                _ => continue,
            };
            let Some(end) = code[i.end..].find(';').map(|n| i.end + n + 1) else { continue };
            if is_shared(&access) {
                let access = text[i.start..i.end].split_whitespace().collect::<Vec<_>>().join(" ");
                let source = i
                    .line
                    .map(|l| (module.files.get(&l.file).cloned().unwrap_or_default(), l.line));
                places.push(FencePlace {
                    function: function.name.clone(),
                    source,
                    access,
                    at: end,
                });
            }
        }
    }
    places.sort_by_key(|place| place.at);
    places
}

/// The text with fences at these places.
pub(crate) fn fenced(text: &str, places: &[FencePlace], chosen: &[usize]) -> String {
    let mut out = String::with_capacity(text.len() + chosen.len() * 16);
    let mut from = 0;
    for &n in chosen {
        let at = places[n].at;
        out.push_str(&text[from..at]);
        out.push_str("\n\t");
        out.push_str(FENCE);
        from = at;
    }
    out.push_str(&text[from..]);
    out
}

/// What asks whether runs are right.
struct FenceReducer<'a> {
    application: &'a Application,
    runner: &'a mut dyn ApplicationRunner,
    places: &'a [FencePlace],
    limits: &'a RunLimits,
    steps: &'a StepBar,
    /// The seed of the next run: each run is a new one.
    seed: u64,
    runs: u64,
    /// What was wrong last.
    wrong: Option<String>,
}

impl FenceReducer<'_> {
    /// Are so many runs right with these fences?
    fn check(&mut self, chosen: &[usize], runs: u64) -> Result<bool, String> {
        let text = fenced(&self.application.ptx.text, self.places, chosen);
        let seeds = self.seed..self.seed + runs;
        self.seed = seeds.end;
        self.runner.load(&text)?;
        let counts = count_within(self.runner, seeds, true, self.limits, |_| {})?;
        self.runs += counts.runs;
        self.steps.at(
            &format!("{} left", counted(chosen.len() as u64, "fence", "fences")),
            self.places.len() - chosen.len(),
            self.places.len(),
        );
        let is_right = counts.not_right() == 0;
        if let Some((_, what)) = counts.first {
            self.wrong = Some(what);
        }
        // Runs that were not done say nothing.
        Ok(is_right && counts.runs == runs)
    }

    /// Is there no time left, or no machine?
    fn is_over(&self) -> bool {
        self.limits.is_reached() || self.runner.gone().is_some()
    }

    /// Lines 13 to 22: halves, as long as one of them can be left out.
    fn binary_reduction(
        &mut self,
        mut fences: Vec<usize>,
        runs: u64,
    ) -> Result<Vec<usize>, String> {
        while fences.len() > 1 && !self.is_over() {
            let (first, second) = fences.split_at(fences.len() / 2);
            let (first, second) = (first.to_vec(), second.to_vec());
            if self.check(&second, runs)? {
                fences = second;
            } else if self.check(&first, runs)? {
                fences = first;
            } else {
                break;
            }
        }
        Ok(fences)
    }

    /// Lines 8 to 12: one after the other.
    fn linear_reduction(
        &mut self,
        mut fences: Vec<usize>,
        runs: u64,
    ) -> Result<Vec<usize>, String> {
        for fence in fences.clone() {
            if self.is_over() {
                break;
            }
            let without: Vec<usize> = fences.iter().copied().filter(|f| *f != fence).collect();
            if self.check(&without, runs)? {
                fences = without;
            }
        }
        Ok(fences)
    }
}

/// How an application was hardened, and what it came to.
pub(crate) struct HardeningRun {
    pub reduction: Reduction,
    pub runs: u64,
    /// What was wrong last.
    pub wrong: Option<String>,
    /// Where all fences do not mend it: the first run in order that is wrong, too, and what is
    /// wrong in it.
    pub in_order: Option<(u64, String)>,
    /// The GPU and the environment on it.
    pub on: Option<(String, String)>,
    pub costs: Vec<FenceCost>,
    pub notes: Vec<String>,
}

pub(crate) fn harden_with(
    application: &Application,
    places: &[FencePlace],
    options: &ApplicationRuns,
    output: &Output,
    runner: &mut dyn ApplicationRunner,
) -> Result<HardeningRun, String> {
    let limits = RunLimits::start(options.timeout, None);
    let steps = StepBar::new(output.format == Format::Human, places.len(), "fences are out");
    let mut reducer = FenceReducer {
        application,
        runner,
        places,
        limits: &limits,
        steps: &steps,
        seed: options.seed,
        runs: 0,
        wrong: None,
    };
    let found = harden(&mut reducer, options.runs);
    steps.finish();
    let (runs, wrong) = (reducer.runs, reducer.wrong.take());
    let reduction = found?;
    let in_order = match reduction.verdict {
        Verdict::Counterexample => {
            let mut runner = CpuRunner::new(application, MemoryKind::SequentiallyConsistent);
            let most =
                if options.gpu.is_some() { IN_ORDER.min(options.runs) } else { options.runs };
            count_within(&mut runner, options.seed..options.seed + most, true, &limits, |_| {})?
                .first
        }
        _ => None,
    };
    Ok(HardeningRun {
        reduction,
        runs,
        wrong,
        in_order,
        on: None,
        costs: Vec::new(),
        notes: Vec::new(),
    })
}

fn one_at_a_time(example: &str) -> Diagnostic {
    Diagnostic::error("fences are looked for in one environment at a time".to_owned())
        .help(format!("name it, e.g. `--environments {example}`"))
}

/// Hardens an application, and prints which fences are left.
///
/// # Errors
/// The output cannot be written.
pub fn run(file: &Path, options: &ApplicationRuns, output: &Output) -> CommandOutcome {
    let start = Instant::now();
    let application = match Application::read(file, options.toolkit.as_deref(), &options.target) {
        Ok(application) => application,
        Err(error) => return output.wrong(&[error]),
    };
    let places = places(&application);
    let hardening = match harden_on_device(&application, &places, options, output) {
        Ok(hardening) => hardening,
        Err(error) => return output.wrong(&[error]),
    };
    let answer = first_line(&application, &places, options, &hardening);
    let HardeningRun { reduction, runs, wrong, in_order, on, costs, notes } = hardening;
    let Reduction { fences, verdict, stable_runs, iterations } = reduction;
    let exit = output.settle(match verdict {
        Verdict::None => Exit::Holds,
        Verdict::Counterexample => Exit::Found,
        _ => Exit::Undecided,
    });
    // What is wrong without weak memory needs no fences.
    let fences = if in_order.is_some() { Vec::new() } else { fences };
    let left: Vec<PlacedFence> = fences
        .iter()
        .map(|&n| &places[n])
        .map(|place| PlacedFence {
            function: place.function.clone(),
            line: place.source.as_ref().map(|(_, line)| *line),
            access: place.access.clone(),
        })
        .collect();
    let first = wrong.filter(|_| verdict == Verdict::Counterexample);
    let first = in_order.map(|(seed, what)| format!("in order, seed {seed}: {what}")).or(first);
    let (device, environment) = on.unzip();
    let hardened = Hardened {
        file: application.file.name.clone(),
        answer,
        verdict,
        accesses: places.len(),
        fences: left,
        stable_runs,
        iterations,
        runs,
        device,
        environment,
        costs,
        notes,
        first,
        seconds: start.elapsed().as_secs_f64(),
    };
    match output.format {
        Format::Json => output.document(&hardened)?,
        Format::Human => {
            print_hardened(&application, &hardened, fences.iter().map(|&n| &places[n]), output)?
        }
    }
    Ok(exit)
}

/// Takes fences away until a run without one of those that are left is wrong, on the machine that
/// is asked for.
fn harden_on_device(
    application: &Application,
    places: &[FencePlace],
    options: &ApplicationRuns,
    output: &Output,
) -> Result<HardeningRun, Diagnostic> {
    match &options.gpu {
        None => match options.memories.as_slice() {
            [memory] => {
                let mut runner = CpuRunner::new(application, *memory);
                harden_with(application, places, options, output, &mut runner)
                    .map_err(|why| not_run(application, &why))
            }
            _ => Err(one_at_a_time(MemoryKind::Weak.name())),
        },
        Some(settings) => match settings.environments.as_slice() {
            [environment] => {
                on_gpu::harden(application, places, options, settings, environment, output).map_err(
                    |why| {
                        Diagnostic::error(format!(
                            "{} cannot be run on a GPU: {why}",
                            application.ptx.name
                        ))
                        .help("without `--device cuda` it is run on the machine of the CPU")
                    },
                )
            }
            _ => Err(one_at_a_time("sys-str+")),
        },
    }
}

/// What is said first: how many fences are left, and what that is worth.
fn first_line(
    application: &Application,
    places: &[FencePlace],
    options: &ApplicationRuns,
    hardening: &HardeningRun,
) -> String {
    let HardeningRun {
        reduction: Reduction { fences, verdict, stable_runs, .. },
        in_order,
        on,
        ..
    } = hardening;
    let place = match on {
        None => match options.memories.first() {
            Some(MemoryKind::Reordering(_)) => {
                let pairs = options.memories[0].name();
                format!("with {pairs} pairs reordered on the machine of the CPU")
            }
            _ => "with weak memory on the machine of the CPU".to_owned(),
        },
        Some((device, environment)) => format!("on {device} in {environment}"),
    };
    let name = if on.is_some() { application.file.name.clone() } else { application.name() };
    match verdict {
        Verdict::Counterexample if in_order.is_some() => {
            format!(
                "wrong without weak memory: {name}, and no fence mends it: the program or its post-condition is wrong in order"
            )
        }
        Verdict::None => format!(
            "{} of {} fences {} left: {name}, {} no run of {} was wrong {place}, which is no proof",
            number(fences.len() as u64),
            number(places.len() as u64),
            if fences.len() == 1 { "is" } else { "are" },
            match fences.len() {
                0 => "without any",
                1 => "with it",
                _ => "with them",
            },
            number(*stable_runs)
        ),
        Verdict::Counterexample => format!(
            "fences do not mend it: {name} is wrong with a fence behind each of its {} accesses, {place}",
            number(places.len() as u64)
        ),
        _ => format!(
            "undecided: {name}, stopped with {} of {} fences left, without which it was not known to be right, {place}",
            number(fences.len() as u64),
            number(places.len() as u64)
        ),
    }
}

/// The answer for people: the fences with their places, what was counted, and what they cost.
fn print_hardened<'p>(
    application: &Application,
    hardened: &Hardened,
    fences: impl Iterator<Item = &'p FencePlace>,
    output: &Output,
) -> io::Result<()> {
    output.headline(&hardened.answer)?;
    output.prose(&format!("What must hold at the end: {}.", conditions(application).join(", ")))?;
    output.print("")?;
    for place in fences {
        let file = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
        let line = place
            .source
            .as_ref()
            .map_or(String::new(), |(path, line)| format!("{}:{line}, ", file(path)));
        output
            .prose(&format!("  {line}`{}`: a fence behind `{}`", place.function, place.access))?;
    }
    if let Some(first) = &hardened.first {
        output.prose(&format!("{first}."))?;
    }
    output.prose(&format!(
        "{} runs in all, {} for each fence at the end.",
        number(hardened.runs),
        number(hardened.iterations)
    ))?;
    if !hardened.costs.is_empty() {
        output.print("")?;
        output.print(&cost_table(&hardened.costs, output.width()))?;
    }
    for note in &hardened.notes {
        output.prose(note)?;
    }
    Ok(())
}

/// What fences cost, for people.
fn cost_table(costs: &[FenceCost], width: usize) -> String {
    let header = ["fences", "", "microseconds of a run", "quartiles", "millijoules"];
    let micro = |seconds: f64| format!("{:.1}", seconds * 1e6);
    let rows: Vec<Vec<String>> = costs
        .iter()
        .map(|c| {
            let quartiles = format!("{} to {}", micro(c.lower_quartile), micro(c.upper_quartile));
            let joules =
                c.joules.map_or_else(|| "not measured".to_owned(), |j| format!("{:.2}", j * 1e3));
            vec![c.version.clone(), number(c.fences as u64), micro(c.median), quartiles, joules]
        })
        .collect();
    table(&header, &rows, &[1, 2, 3, 4], width)
}

/// What came of the algorithm.
pub(crate) struct Reduction {
    pub fences: Vec<usize>,
    verdict: Verdict,
    stable_runs: u64,
    iterations: u64,
}

/// Lines 1 to 7.
fn harden(reducer: &mut FenceReducer<'_>, runs: u64) -> Result<Reduction, String> {
    let all: Vec<usize> = (0..reducer.places.len()).collect();
    let mut iterations = runs;
    let stable_runs = |iterations: u64| iterations.saturating_mul(STABLE);
    if !reducer.check(&all, stable_runs(runs))? {
        if reducer.wrong.is_none() || reducer.runner.gone().is_some() {
            return Ok(Reduction {
                fences: all,
                verdict: Verdict::Undecided,
                stable_runs: 0,
                iterations,
            });
        }
        return Ok(Reduction {
            fences: all,
            verdict: Verdict::Counterexample,
            stable_runs: stable_runs(runs),
            iterations,
        });
    }
    let mut fences = all.clone();
    for _ in 0..DOUBLINGS {
        let halves = reducer.binary_reduction(all.clone(), iterations)?;
        fences = reducer.linear_reduction(halves, iterations)?;
        if reducer.is_over() {
            break;
        }
        if reducer.check(&fences, stable_runs(iterations))? && !reducer.limits.is_reached() {
            return Ok(Reduction {
                fences,
                verdict: Verdict::None,
                stable_runs: stable_runs(iterations),
                iterations,
            });
        }
        iterations = iterations.saturating_mul(2);
    }
    Ok(Reduction { fences, verdict: Verdict::Undecided, stable_runs: 0, iterations })
}
