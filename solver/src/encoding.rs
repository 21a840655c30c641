//! The switches of the translation. The default is the fastest; each switch is there so that a
//! benchmark can say what a technique is worth (docs/encoding.md).

/// Which techniques are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding {
    /// Closures and fixpoints that occur only where larger is harder become Horn clauses over a
    /// fresh relation; otherwise all are computed exactly.
    pub closures_by_polarity: bool,
    /// A cycle that must exist is a non-empty set in which every member has a successor; otherwise
    /// it is a true diagonal cell of the exact closure.
    pub cycles_by_witness: bool,
    /// Only the implications between gates that polarity asks for become clauses.
    pub cnf_by_polarity: bool,
    /// The Horn clauses of a closure `R` of `r`: `R;r` in `R` instead of `R;R` in `R`. Fewer
    /// clauses where `r` is sparse. Off by default: in memory models `r` may have most of the
    /// tuples that `R` may have, and then it only propagates less (50,400 conflicts for 47,500; the
    /// scoped mapping, coherence, 6 events).
    pub right_linear_closures: bool,
    /// A gate that one other gate uses becomes part of that one's clauses, without a variable of
    /// its own (half of the variables and a quarter of the clauses of the scoped mapping).
    pub inline_gates: bool,
    /// Equal gates of the circuit are one gate.
    pub share_gates: bool,
    /// What depends on literals alone of which exactly one holds
    /// ([`Session::add_choice`](crate::Session::add_choice)) is one gate however it is written, and
    /// false if it is impossible (a fifth of the conflicts of Fig. 12 at program level, a tenth of
    /// those of `rc11-to-ptx` among executions).
    pub choices: bool,
}

impl Default for Encoding {
    fn default() -> Self {
        Self {
            closures_by_polarity: true,
            cycles_by_witness: true,
            cnf_by_polarity: true,
            right_linear_closures: false,
            inline_gates: true,
            share_gates: true,
            choices: true,
        }
    }
}
