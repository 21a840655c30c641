//! An operational machine for litmus tests: the weak and the strong model of Sorensen, *Towards
//! shared memory consistency models for GPUs* (thesis, 2013), chapter 4.
//!
//! Each thread has a queue of issued operations for each location, and a pool of loads that are
//! executed in any order. In the weak model (4.2) each thread has a view of memory of its own, and
//! a load may *borrow* a value from a thread that has not shared it yet; in the strong model (4.3)
//! the threads of a cta have one view, there is no pool and no borrowing. What is not in the thesis
//! (read-modify-writes, barriers, dependencies, orders) and which steps are taken at once:
//! docs/gpu.md, "The machine on the CPU".

mod code;
mod exhaustive;
mod machine;
mod random;
mod state;

pub use exhaustive::{ExplorationLimits, ExploredStates};
pub use machine::{MachineModel, SimulatedMachine};
pub use margay_litmus::unfold::UnfoldError;
pub use random::{Runs, STEPS};
