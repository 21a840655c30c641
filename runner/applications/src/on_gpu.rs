//! `margay app test` and `harden` on a GPU.

use margay_console::limits::RunLimits;
use margay_console::output::{Format, Output};
use margay_console::progress::StepBar;
use margay_console::table::counted;
use margay_machine::MemoryKind;
use margay_models::diagnostic::Diagnostic;

use crate::application::Application;
use crate::campaign::{ApplicationRunner, CpuRunner, count_within};
use crate::cost;
use crate::environment::{ApplicationEnvironment, GpuSettings};
use crate::gpu::{self, GpuBench, GpuEnd, GpuRunner};
use crate::harden::{FencePlace, HardeningRun, fenced, harden_with};
use crate::test::{
    ApplicationCampaign, ApplicationRuns, IN_ORDER, IN_ORDER_NAME, NamedCounts, is_effective,
};

/// In order on the CPU first; then in each environment on the GPU (PLDI 2016, section 4.2).
pub(crate) fn test(
    application: &Application,
    options: &ApplicationRuns,
    settings: &GpuSettings,
    limits: &RunLimits,
    output: &Output,
) -> Result<ApplicationCampaign, Diagnostic> {
    let mut notes = Vec::new();
    let mut counts: Vec<NamedCounts> = Vec::new();
    let seeds = options.seed..options.seed + options.runs.min(IN_ORDER);
    match count_within(&mut CpuRunner::new(application, MemoryKind::SequentiallyConsistent), seeds, true, limits, |_| {}) {
        Ok(counted) => counts.push((IN_ORDER_NAME.to_owned(), counted)),
        Err(why) => {
            notes.push(format!("It was not run in order, where weak memory could not be the reason of what is wrong: {why}."))
        }
    }
    if let Some((_, in_order)) = counts.first()
        && in_order.not_right() > 0
    {
        let answer = format!(
            "wrong without weak memory: {}, in order on the machine of the CPU, so that the program or its post-condition is wrong; it was not run on a GPU",
            application.name()
        );
        return Ok(ApplicationCampaign {
            counts,
            answer,
            device: None,
            notes,
            missing: settings.environments.len(),
        });
    }
    let absent = |why: String| {
        Diagnostic::error(why).help("without `--device cuda` it is run on the machine of the CPU")
    };
    let refused = |end: GpuEnd| match end {
        GpuEnd::Refused(why) | GpuEnd::Gone(why) => absent(why),
    };
    let toolkit = gpu::toolkit(options.toolkit.as_deref());
    let mut bench = GpuBench::open(application, settings, toolkit).map_err(refused)?;
    let device = bench.name();
    let all = options.runs as usize * settings.environments.len();
    let steps = StepBar::new(output.format == Format::Human, all, "runs");
    for (n, environment) in settings.environments.iter().enumerate() {
        if bench.gone().is_some() || limits.is_reached() {
            break;
        }
        let mut runner = GpuRunner::new(&mut bench, environment);
        let counted = runner.load(&application.ptx.text).and_then(|()| {
            let seeds = options.seed..options.seed + options.runs;
            let done =
                |done| steps.at(&environment.name, n * options.runs as usize + done as usize, all);
            count_within(&mut runner, seeds, false, limits, done)
        });
        notes.extend(runner.notes());
        match counted {
            Ok(counted) => counts.push((environment.name.clone(), counted)),
            Err(why) => notes.push(format!("{} was not run: {why}.", environment.name)),
        }
    }
    steps.finish();
    if let Some(why) = bench.gone() {
        notes.push(format!("Later runs are missing: {why}."));
    }
    notes.sort();
    notes.dedup();
    let answer =
        headline_of_gpu(application, &counts, &device, settings.environments.len(), options.runs);
    let missing = settings.environments.len()
        - counts.iter().filter(|(name, _)| name != IN_ORDER_NAME).count();
    Ok(ApplicationCampaign { counts, answer, device: Some(device), notes, missing })
}

/// The answer about a GPU in a sentence.
fn headline_of_gpu(
    application: &Application,
    counts: &[NamedCounts],
    device: &str,
    environments: usize,
    runs: u64,
) -> String {
    let name = &application.file.name;
    let on_gpu: Vec<&NamedCounts> =
        counts.iter().filter(|(name, _)| name != IN_ORDER_NAME).collect();
    let wrong = on_gpu.iter().filter(|(_, c)| c.not_right() > 0).count();
    let effective = on_gpu.iter().filter(|(_, c)| is_effective(c)).count();
    let whole = on_gpu.iter().filter(|(_, c)| c.runs == runs).count();
    let each = counted(runs, "run", "runs");
    let of = counted(environments as u64, "environment", "environments");
    let part =
        if whole < environments { format!(", {whole} of them to the end") } else { String::new() };
    match wrong {
        0 if whole < environments => {
            format!(
                "undecided: {name}, stopped; no run was wrong on {device} in {whole} of {of}, {each} each"
            )
        }
        0 => format!(
            "no run was wrong, which is no proof: {name}, {each} in each of {of} on {device}"
        ),
        _ => format!(
            "wrong on {device}: {name}, in {wrong} of {of}{part}, effective in {effective}, {each} each"
        ),
    }
}

/// On a GPU, with what fences cost there.
pub(crate) fn harden(
    application: &Application,
    places: &[FencePlace],
    options: &ApplicationRuns,
    settings: &GpuSettings,
    environment: &ApplicationEnvironment,
    output: &Output,
) -> Result<HardeningRun, String> {
    let refused = |end: GpuEnd| match end {
        GpuEnd::Refused(why) | GpuEnd::Gone(why) => why,
    };
    let mut bench = GpuBench::open(application, settings, gpu::toolkit(options.toolkit.as_deref()))
        .map_err(refused)?;
    let mut runner = GpuRunner::new(&mut bench, environment);
    let mut run = harden_with(application, places, options, output, &mut runner)?;
    run.notes = runner.notes();
    run.notes.sort();
    run.notes.dedup();
    drop(runner);
    run.on = Some((bench.name(), environment.name.clone()));
    if let Some(why) = bench.gone() {
        run.notes.push(format!("What fences cost was not measured: {why}."));
        return Ok(run);
    }
    let text = &application.ptx.text;
    let all: Vec<usize> = (0..places.len()).collect();
    let left = &run.reduction.fences;
    let versions = [
        ("none", 0, text.clone()),
        ("all", all.len(), fenced(text, places, &all)),
        ("left", left.len(), fenced(text, places, left)),
    ];
    match cost::measure(&mut bench, &versions) {
        Ok(costs) => run.costs = costs,
        Err(why) => run.notes.push(format!("What fences cost was not measured: {why}.")),
    }
    Ok(run)
}
