//! The environments in which applications run on a GPU (PLDI 2016, section 4.2).

use std::path::PathBuf;
use std::time::Duration;

use margay_runner::emit::Stress;

/// One of the eight environments of the paper: `sys-str+`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplicationEnvironment {
    /// `no-str-`
    pub name: String,
    /// What the stressing blocks do; nothing where there are none.
    pub(crate) stress: Option<Stress>,
    /// Do blocks and warps change places?
    pub(crate) shuffle: bool,
}

/// The kinds of stress, as the paper calls them.
const KINDS: [(&str, Option<Stress>); 4] = [
    ("no-str", None),
    ("sys-str", Some(Stress::Sequence)),
    ("rand-str", Some(Stress::Random)),
    ("cache-str", Some(Stress::Cache)),
];

/// All environments, in the order of the paper.
pub fn environments() -> Vec<ApplicationEnvironment> {
    let of = |(name, stress): &(&str, Option<Stress>)| {
        [("-", false), ("+", true)].map(|(sign, shuffle)| ApplicationEnvironment {
            name: format!("{name}{sign}"),
            stress: *stress,
            shuffle,
        })
    };
    KINDS.iter().flat_map(of).collect()
}

/// A GPU, and how applications run on it.
#[derive(Debug, Clone)]
pub struct GpuSettings {
    /// A file that `gpu tune` wrote, whose stress `sys-str` takes.
    pub profile: Option<PathBuf>,
    /// A run that takes longer has no end (the paper: 30 s).
    pub watchdog: Duration,
    /// The environments.
    pub environments: Vec<ApplicationEnvironment>,
}
