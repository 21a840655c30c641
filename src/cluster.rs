//! `--cluster`: cases solved on other machines, with a shared folder.

use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use margay_cluster::{Cluster, Scheduler, slurm};
use margay_console::limits::RunLimits;
use margay_mappings::check::CheckOptions;
use margay_models::diagnostic::Diagnostic;

/// The engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ClusterEngine {
    /// Slurm: `sbatch`, `squeue` and `scancel`.
    Slurm,
}

/// Options of a check on a cluster.
#[derive(Debug, Args)]
pub struct ClusterArguments {
    /// Have cases solved by this cluster; needs --checkpoint with a folder that all its machines
    /// share (docs/cluster.md)
    #[arg(long, value_enum, value_name = "ENGINE", requires = "checkpoint")]
    pub cluster: Option<ClusterEngine>,
    /// Solve smaller bounds on this machine [default: those that are predicted to take less than 10
    /// s]
    #[arg(long, value_name = "N", requires = "cluster")]
    pub cluster_from: Option<usize>,
    /// How long a cluster may leave a question unanswered, e.g. `10m`
    #[arg(long, value_name = "TIME", requires = "cluster", value_parser = margay_console::limits::parse_time, default_value = "5m")]
    pub cluster_patience: Duration,
    /// Give these arguments to the engine, e.g. `--cluster-args "--partition=long --time=2:00:00"`
    /// (sbatch)
    #[arg(long, value_name = "ARGUMENTS", requires = "cluster", allow_hyphen_values = true)]
    pub cluster_args: Option<String>,
}

/// Has cases solved by the cluster that the options ask for, if they do.
///
/// # Errors
/// The engine is not installed, or its arguments cannot be read.
pub fn attach(
    options: &ClusterArguments,
    asked: &mut CheckOptions,
    limits: &RunLimits,
) -> Result<(), Diagnostic> {
    let Some(kind) = options.cluster else { return Ok(()) };
    let arguments = options
        .cluster_args
        .as_deref()
        .unwrap_or_default()
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    let scheduler: Box<dyn Scheduler> = match kind {
        ClusterEngine::Slurm => Box::new(slurm::Slurm::new(arguments)?),
    };
    asked.engine = Some(Arc::new(Cluster::new(
        scheduler,
        options.cluster_from,
        options.cluster_patience,
        limits,
    )?));
    Ok(())
}
