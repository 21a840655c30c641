//! Cases of a check solved on other machines, with a shared folder. What is asked of a cluster's
//! engine is [`Scheduler`], and no more; whoever adds one implements it beside [`slurm`].

#![warn(unreachable_pub)]

pub mod cases;
mod follow;
pub mod slurm;

use std::fmt::Debug;
use std::path::Path;

pub use follow::Cluster;

/// Why a cluster did not do what it was asked.
#[derive(Debug, Clone)]
pub enum ClusterFailure {
    /// It does not answer; asking again may help.
    Silent(String),
    /// It refused; asking again does not help.
    Refused(String),
}

/// What is asked of a cluster. Jobs are arrays of tasks with the numbers 0, 1, ..., each of which
/// runs one line of a file.
pub trait Scheduler: Debug + Send + Sync {
    /// The most tasks of one job.
    fn most_tasks(&self) -> usize;

    /// Submits a job of so many tasks: task `i` is `sh SCRIPT i`, its output goes into the folder.
    /// The job's id.
    ///
    /// # Errors
    /// The cluster does not answer, or refuses.
    fn submit(&self, script: &Path, tasks: usize, logs: &Path) -> Result<String, ClusterFailure>;

    /// The tasks of jobs that wait or run, as (job, task).
    ///
    /// # Errors
    /// The cluster does not answer.
    fn alive(&self, jobs: &[String]) -> Result<Vec<(String, usize)>, ClusterFailure>;

    /// Ends all tasks of jobs.
    ///
    /// # Errors
    /// The cluster does not answer.
    fn cancel(&self, jobs: &[String]) -> Result<(), ClusterFailure>;
}
