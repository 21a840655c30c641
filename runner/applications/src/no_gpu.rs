//! `margay app test` and `harden` on a GPU, in a program that cannot have one: in WebAssembly there
//! is no driver to load.

use margay_console::limits::RunLimits;
use margay_console::output::Output;
use margay_models::diagnostic::Diagnostic;

use crate::application::Application;
use crate::environment::{ApplicationEnvironment, GpuSettings};
use crate::harden::{FencePlace, HardeningRun};
use crate::test::{ApplicationCampaign, ApplicationRuns};

const ABSENT: &str = "there is no GPU in WebAssembly";

pub(crate) fn test(
    _: &Application,
    _: &ApplicationRuns,
    _: &GpuSettings,
    _: &RunLimits,
    _: &Output,
) -> Result<ApplicationCampaign, Diagnostic> {
    Err(Diagnostic::error(ABSENT.to_owned())
        .help("without `--device cuda` it is run on the machine of the CPU"))
}

pub(crate) fn harden(
    _: &Application,
    _: &[FencePlace],
    _: &ApplicationRuns,
    _: &GpuSettings,
    _: &ApplicationEnvironment,
    _: &Output,
) -> Result<HardeningRun, String> {
    Err(ABSENT.to_owned())
}
