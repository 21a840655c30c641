//! The interface of sessions, by examples.

mod choices;
mod cores;
mod cycles;
mod dimacs;
mod errors;
mod external;
mod large;
mod limits;
mod recursion;
mod relay;
mod sharing;
mod skolem;

use margay_solver::Backend;
use margay_solver::proof::SatLiteral;

/// Literals by their numbers in DIMACS.
fn literals(numbers: &[i32]) -> Vec<SatLiteral> {
    SatLiteral::all_of_dimacs(numbers).expect("literals")
}

/// The solvers of this build, and two that hand over in the middle of most problems.
fn backends() -> Vec<Backend> {
    let second = Backend::available().pop().unwrap_or_default();
    let soon = |name, conflicts| Backend::relay(name, Backend::batsat(), second.clone(), conflicts);
    [Backend::available(), vec![soon("at-once", 0), soon("soon", 3)]].concat()
}
