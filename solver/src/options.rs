//! Options of the SAT solvers: how they search, never what they find.

/// CaDiCaL's own bundles of options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Preset {
    /// A mixture for both answers.
    #[default]
    Default,
    /// Tuned to find assignments.
    Sat,
    /// Tuned to refute.
    Unsat,
    /// Without preprocessing and inprocessing.
    Plain,
}

/// Options for CaDiCaL; the other solvers ignore them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SolverOptions {
    /// The bundle to start from.
    pub preset: Preset,
    /// Options by CaDiCaL's names, set in this order after the bundle.
    pub set: Vec<(String, i32)>,
}
