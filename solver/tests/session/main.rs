//! The interface of sessions, by examples.

mod choices;
mod dimacs;
mod errors;
mod limits;
mod recursion;
mod sharing;

use margay_solver::Backend;

/// The solvers of this build, CaDiCaL among them.
fn backends() -> Vec<Backend> {
    margay_cadical::backend().register();
    Backend::available()
}
