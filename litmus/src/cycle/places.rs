//! Where the threads of a test run.

use margay_models::execution::{Placement, Scope};

/// Where the threads of a test run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Places {
    /// All in the narrowest scope of this kind: one cta; ctas of one cluster; ctas of one gpu; a
    /// gpu for each.
    Together(Scope),
    /// Every division into gpus and ctas; in the form of 2015 into ctas of one gpu and warps.
    All,
}

pub(super) fn together(scope: Scope, threads: usize) -> Vec<Placement> {
    let place = |t: u16| match scope {
        Scope::Warp | Scope::Cta => Placement::default(),
        Scope::Cluster => Placement { cta: t, ..Placement::default() },
        Scope::Gpu => Placement { cluster: t, cta: t, ..Placement::default() },
        Scope::Sys => Placement { gpu: t, ..Placement::default() },
    };
    (0..threads as u16).map(place).collect()
}

/// All threads in one warp, in warps of one cta, or in ctas of one gpu.
pub(super) fn together_in_2015(scope: Scope, threads: usize) -> Vec<Placement> {
    let place = |t: u16| match scope {
        Scope::Warp => Placement::default(),
        Scope::Cta => Placement { warp: t, ..Placement::default() },
        Scope::Cluster | Scope::Gpu | Scope::Sys => {
            Placement { cluster: t, cta: t, ..Placement::default() }
        }
    };
    (0..threads as u16).map(place).collect()
}
