//! `margay gpu`: litmus tests as kernels.

use margay_campaigns::{check, emit, opencl, run, session, summary, table6, tune};
use margay_console::output::Output;
use margay_models::diagnostic::Diagnostic;

use crate::CommandOutcome;
use crate::arguments::gpu::{
    Emit, GpuArguments, GpuCheck, GpuCommand, GpuRun, KernelLanguage, On, RunDevice, Summary,
    Table6, Tune,
};

pub fn run(options: &GpuArguments, output: &Output) -> CommandOutcome {
    match &options.command {
        Some(GpuCommand::Emit(options)) if options.language == KernelLanguage::OpenCl => {
            let of_ptx =
                [("--environment", !options.environment.is_empty()), ("--apart", options.apart)];
            without(&of_ptx, output).unwrap_or_else(|| opencl::emit(&options.test, output))
        }
        Some(GpuCommand::Check(options)) if options.language == KernelLanguage::OpenCl => {
            let GpuCheck { tests, opencl_target, clang, environment, .. } = options;
            let of_ptx = [("--environment", !environment.is_empty())];
            without(&of_ptx, output)
                .unwrap_or_else(|| opencl::check(tests, opencl_target, clang, output))
        }
        Some(GpuCommand::Emit(options)) => emit::run(&options.asked(), output),
        Some(GpuCommand::Check(options)) => check::run(&options.asked(), output),
        Some(GpuCommand::Run(options)) => run::run(&options.asked(), output),
        Some(GpuCommand::Tune(options)) => tune::run(&options.asked(), output),
        Some(GpuCommand::Table6(options)) => table6::run::run(&options.asked(), output),
        Some(GpuCommand::Summary(options)) => summary::run(&options.asked(), output),
        None => run::run(&options.run.asked(), output),
    }
}

/// With `--language opencl`, an error for the options that are for PTX.
fn without(of_ptx: &[(&str, bool)], output: &Output) -> Option<CommandOutcome> {
    let (option, _) = of_ptx.iter().find(|(_, given)| *given)?;
    let error = Diagnostic::error(format!(
        "{option} is for kernels in PTX: the one in OpenCL C plays the test once"
    ));
    Some(output.wrong(&[error.help(format!("leave out {option}, or --language opencl"))]))
}

impl On {
    /// What runs the tests, as the library names it.
    pub fn asked(&self) -> session::CampaignDevice {
        let device = match self.device {
            RunDevice::Sim => session::DeviceName::Sim(self.machine.kind()),
            RunDevice::Titan => session::DeviceName::Titan,
            RunDevice::Hangs => session::DeviceName::Hangs,
            RunDevice::Lost => session::DeviceName::Lost,
            RunDevice::Cuda => session::DeviceName::Cuda,
        };
        session::CampaignDevice {
            device,
            seed: self.seed,
            environment: self.environment.clone(),
            profile: self.profile.clone(),
            toolkit: self.cuda.toolkit.clone(),
            require_comparison: self.require_comparison,
            watchdog: self.watchdog,
        }
    }
}

impl Emit {
    fn asked(&self) -> emit::EmissionOptions {
        let Self { test, target, environment, apart, .. } = self;
        emit::EmissionOptions {
            test: test.clone(),
            target: *target,
            environment: environment.clone(),
            apart: *apart,
        }
    }
}

impl GpuCheck {
    fn asked(&self) -> check::CodeCheckOptions {
        check::CodeCheckOptions {
            tests: self.tests.clone(),
            target: self.target.clone(),
            environment: self.environment.clone(),
            optimize: self.optimize,
            explain: self.explain,
            toolkit: self.cuda.toolkit.clone(),
        }
    }
}

impl GpuRun {
    fn asked(&self) -> run::DeviceRunOptions {
        run::DeviceRunOptions {
            tests: self.tests.clone(),
            soundness: self.soundness,
            on: self.on.asked(),
            instances: self.instances,
            model: self.model.clone(),
            compiled: self.compiled.clone(),
            accesses: self.accesses.clone(),
            results: self.results.clone(),
            charts: self.charts.clone(),
            timeout: self.time.timeout,
        }
    }
}

impl Tune {
    fn asked(&self) -> tune::TuningOptions {
        tune::TuningOptions {
            profile_to: self.profile_to.clone(),
            on: self.on.asked(),
            budget: self.time.budget,
            instances: self.instances,
            distances: self.distances.clone(),
            locations: self.locations,
            step: self.step,
            noise: self.noise,
            longest: self.longest,
            spread: self.spread,
            random: self.random,
            as_in_2016: self.as_in_2016,
        }
    }
}

impl Table6 {
    fn asked(&self) -> table6::run::Table6Options {
        let Self { page, on, instances, results, time } = self;
        let (page, results) = (page.clone(), results.clone());
        table6::run::Table6Options {
            page,
            on: on.asked(),
            instances: *instances,
            results,
            budget: time.budget,
        }
    }
}

impl Summary {
    fn asked(&self) -> summary::SummaryOptions {
        let Self { files, all, seen_elsewhere } = self;
        summary::SummaryOptions {
            files: files.clone(),
            all: *all,
            seen_elsewhere: seen_elsewhere.clone(),
        }
    }
}
