//! `--cluster`: cases solved on other machines, with a shared folder. What is asked of a cluster's engine is [`Scheduler`], and no more;
//! whoever adds one implements it beside [`slurm`] and names it in [`Kind`].

mod follow;
mod slurm;

use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use margay_mappings::check::CheckOptions;
use margay_models::diagnostic::Diagnostic;

use margay_console::limits::Limits;

pub use follow::Cluster;

/// The engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Slurm: `sbatch`, `squeue` and `scancel`.
    Slurm,
}

/// Options of a check on a cluster.
#[derive(Debug, Args)]
pub struct Options {
    /// Have cases solved by this cluster; needs --checkpoint with a folder that all its machines share (docs/cluster.md)
    #[arg(long, value_enum, value_name = "ENGINE", requires = "checkpoint")]
    pub cluster: Option<Kind>,
    /// Solve smaller bounds on this machine [default: those that are predicted to take less than 10 s]
    #[arg(long, value_name = "N", requires = "cluster")]
    pub cluster_from: Option<usize>,
    /// How long a cluster may leave a question unanswered, e.g. `10m`
    #[arg(long, value_name = "TIME", requires = "cluster", value_parser = margay_console::limits::parse_time, default_value = "5m")]
    pub cluster_patience: Duration,
    /// Give these arguments to the engine, e.g. `--cluster-args "--partition=long --time=2:00:00"` (sbatch)
    #[arg(long, value_name = "ARGUMENTS", requires = "cluster", allow_hyphen_values = true)]
    pub cluster_args: Option<String>,
}

/// Why a cluster did not do what it was asked.
#[derive(Debug, Clone)]
pub enum Failure {
    /// It does not answer; asking again may help.
    Silent(String),
    /// It refused; asking again does not help.
    Refused(String),
}

/// What is asked of a cluster. Jobs are arrays of tasks with the numbers 0, 1, ..., each of which runs one line of a file.
pub trait Scheduler: Debug + Send + Sync {
    /// The most tasks of one job.
    fn most_tasks(&self) -> usize;

    /// Submits a job of so many tasks: task `i` is `sh SCRIPT i`, its output goes into the folder. The job's id.
    ///
    /// # Errors
    /// The cluster does not answer, or refuses.
    fn submit(&self, script: &Path, tasks: usize, logs: &Path) -> Result<String, Failure>;

    /// The tasks of jobs that wait or run, as (job, task).
    ///
    /// # Errors
    /// The cluster does not answer.
    fn alive(&self, jobs: &[String]) -> Result<Vec<(String, usize)>, Failure>;

    /// Ends all tasks of jobs.
    ///
    /// # Errors
    /// The cluster does not answer.
    fn cancel(&self, jobs: &[String]) -> Result<(), Failure>;
}

/// Has cases solved by the cluster that the options ask for, if they do.
///
/// # Errors
/// The engine is not installed, or its arguments cannot be read.
pub fn attach(options: &Options, asked: &mut CheckOptions, limits: &Limits) -> Result<Option<Arc<Cluster>>, Diagnostic> {
    let Some(kind) = options.cluster else { return Ok(None) };
    let arguments = options.cluster_args.as_deref().unwrap_or_default().split_whitespace().map(str::to_owned).collect();
    let scheduler: Box<dyn Scheduler> = match kind {
        Kind::Slurm => Box::new(slurm::Slurm::new(arguments)?),
    };
    let cluster = Arc::new(Cluster::new(scheduler, options.cluster_from, options.cluster_patience, limits)?);
    asked.engine = Some(cluster.clone());
    Ok(Some(cluster))
}
