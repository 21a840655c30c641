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
        /// `counterexample`: a run was wrong or did not end; `none`: no run was, which is no proof; `undecided`: it was stopped before any was.
        pub verdict: Verdict,
        /// What must hold at the end.
        pub post: Vec<String>,
        /// The environments, in order.
        pub environments: Vec<Environment>,
        /// The seed of the first run of each environment; those behind it follow.
        pub seed: u64,
        /// Was it stopped before all runs were done?
        pub bounded: bool,
        /// Wall time.
        pub seconds: f64,
    }

    /// What runs in one environment showed.
    pub struct Environment {
        /// `in order`: sequentially consistent; `weak`.
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

    /// Which fences an application takes until no run is wrong.
    pub struct Hardened {
        /// The file as named.
        pub file: String,
        /// The first line of the answer.
        pub answer: String,
        /// `none`: with these fences no run was wrong, which is no proof; `counterexample`: with a fence behind every access a run was wrong;
        /// `undecided`: it was stopped.
        pub verdict: Verdict,
        /// Accesses to global memory: each had a fence at first.
        pub accesses: usize,
        /// The fences that are left.
        pub fences: Vec<PlacedFence>,
        /// Runs of the last check of stability.
        pub stable_runs: u64,
        /// Runs of a reduction at the end: they are doubled each time that the fences were not stable.
        pub iterations: u64,
        /// All runs.
        pub runs: u64,
        /// What went wrong, where fences do not help.
        pub first: Option<String>,
        /// Wall time.
        pub seconds: f64,
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
