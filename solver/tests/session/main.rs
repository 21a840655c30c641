//! The interface of sessions, by examples.

mod choices;
mod cores;
mod dimacs;
mod errors;
mod external;
mod limits;
mod recursion;
mod sharing;
mod skolem;

use margay_solver::Backend;

/// The solvers of this build, CaDiCaL among them, and two that hand over in the middle of most problems.
fn backends() -> Vec<Backend> {
    margay_cadical::register();
    let soon = |name, conflicts| Backend::relay(name, Backend::batsat(), margay_cadical::backend(), conflicts);
    [Backend::available(), vec![soon("at-once", 0), soon("soon", 3)]].concat()
}
