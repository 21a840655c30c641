//! `margay app`: applications run many times, and the fences that they take.

use crate::document::parts;
use crate::verdict::Verdict;

parts! {
    /// What runs of an application showed.
    pub struct Tested {
        /// The file as named.
        pub file: String,
        /// The first line of the answer.
        pub answer: String,
        /// `counterexample`: a run was wrong or did not end; `none`: no run was, which is no proof;
        /// `undecided`: it was stopped before any was.
        pub verdict: Verdict,
        /// What must hold at the end.
        pub post: Vec<String>,
        /// The GPU that it was run on; without, it was the machine of the CPU.
        pub device: Option<String>,
        /// The environments, in order.
        pub environments: Vec<EnvironmentRunsRecord>,
        /// The seed of the first run of each environment; those behind it follow.
        pub seed: u64,
        /// Was it stopped before all runs were done?
        pub bounded: bool,
        /// What was not looked at, or ended before its time.
        pub notes: Vec<String>,
        /// How fast the machine of the CPU was in each environment, in order; none where no run was
        /// done, nor of a GPU.
        pub rates: Vec<InstructionRate>,
        /// Wall time.
        pub seconds: f64,
    }

    /// How fast the machine of the CPU executed the runs of an environment.
    pub struct InstructionRate {
        /// The environment.
        pub memory: String,
        /// Instructions of all threads that a core executed in a second, with what stands around
        /// them in a run: memory that is laid out, checks at the end.
        pub per_core_second: f64,
    }

    /// What runs in one environment showed.
    #[cfg_attr(feature = "schema", schemars(rename = "Environment"))]
    pub struct EnvironmentRunsRecord {
        /// `in order`: sequentially consistent, on the machine of the CPU; `weak`: its weak memory;
        /// on a GPU one of `no-str`, `sys-str`, `rand-str` and `cache-str`, with `+` where blocks
        /// and warps change places, and else `-`.
        pub memory: String,
        /// Runs that were done.
        pub runs: u64,
        /// Runs that were wrong.
        pub errors: u64,
        /// Runs that did not end.
        pub time_outs: u64,
        /// The lower end of the 95 % interval of the share of runs that are not right (Wilson).
        pub at_least: f64,
        /// Is that share 5 % or more (PLDI 2016, Table 5)?
        pub effective: bool,
        /// The seed of the first run that was not right.
        pub first_seed: Option<u64>,
        /// What went wrong in it.
        pub first: Option<String>,
        /// Instructions of all runs.
        pub instructions: u64,
    }

    /// What runs of many applications showed.
    pub struct ApplicationSuite {
        /// The first line of the answer.
        pub answer: String,
        /// `counterexample`: a run of one was wrong; `none`: no run was, which is no proof;
        /// `undecided`: some were not run, or not to the end.
        pub verdict: Verdict,
        /// The GPU that they were run on; without, it was the machine of the CPU.
        pub device: Option<String>,
        /// The applications that were run, in order.
        pub applications: Vec<Tested>,
        /// What each environment showed of all of them (PLDI 2016, Table 5).
        pub environments: Vec<EnvironmentSum>,
        /// Applications that were not run.
        pub not_run: Vec<UntestedApplication>,
        /// Wall time.
        pub seconds: f64,
    }

    /// An application that was not run.
    pub struct UntestedApplication {
        /// The file as named.
        pub file: String,
        /// Why not.
        pub reason: String,
    }

    /// A cell of Table 5.
    pub struct EnvironmentSum {
        /// The environment, as of one application.
        pub environment: String,
        /// Applications that were run in it.
        pub applications: usize,
        /// Those of which 5 % of the runs or more were not right.
        pub effective: usize,
        /// Those of which a run was not right.
        pub wrong: usize,
    }

    /// Which fences an application takes until no run is wrong.
    pub struct Hardened {
        /// The file as named.
        pub file: String,
        /// The first line of the answer.
        pub answer: String,
        /// `none`: with these fences no run was wrong, which is no proof; `counterexample`: with a
        /// fence behind every access a run was wrong; `undecided`: it was stopped.
        pub verdict: Verdict,
        /// Accesses to global memory: each had a fence at first.
        pub accesses: usize,
        /// The fences that are left.
        pub fences: Vec<PlacedFence>,
        /// Runs of the last check of stability.
        pub stable_runs: u64,
        /// Runs of a reduction at the end: they are doubled each time that the fences were not
        /// stable.
        pub iterations: u64,
        /// All runs.
        pub runs: u64,
        /// The GPU that it was run on; without, it was the machine of the CPU.
        pub device: Option<String>,
        /// The environment on the GPU.
        pub environment: Option<String>,
        /// What fences cost on the GPU: without any, with one behind each access, with those that
        /// are left.
        pub costs: Vec<FenceCost>,
        /// What was not looked at, or ended before its time.
        pub notes: Vec<String>,
        /// What went wrong, where fences do not help.
        pub first: Option<String>,
        /// Wall time.
        pub seconds: f64,
    }

    /// What a version of an application costs (PLDI 2016, Fig. 5), launches alone.
    pub struct FenceCost {
        /// `none`, `all` or `left`.
        pub version: String,
        /// Fences in it.
        pub fences: usize,
        /// Runs that were timed.
        pub runs: usize,
        /// Seconds of a run: a quarter of all runs took less.
        pub lower_quartile: f64,
        /// Half of all runs took less.
        pub median: f64,
        /// Three quarters of all runs took less.
        pub upper_quartile: f64,
        /// Joules of a run, on average, of the whole GPU; nothing where the driver does not say.
        pub joules: Option<f64>,
    }

    /// A fence behind an access.
    pub struct PlacedFence {
        /// The function.
        pub function: String,
        /// The line of the source, where there is line information.
        pub line: Option<u32>,
        /// The access, as PTX.
        pub access: String,
    }
}
