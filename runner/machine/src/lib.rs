//! A machine for compiled PTX on the CPU: blocks, warps, shared and global memory, barriers,
//! atomics, integer and floating-point arithmetic.
//!
//! A [`MachineModule`] is a module in memory; [`MachineModule::launch`] runs one of its kernels to
//! its end, sequentially consistent or weak ([`MemoryKind`]), by a random schedule whose seed is
//! given: the same seed gives the same run. What an instruction does is that of the crate `ptx`.

mod address;
mod code;
mod fault;
mod late_load;
mod launch;
mod limits;
mod machine;
mod memory;
mod order;
mod refusal;
mod registers;
mod schedule;
mod variables;

pub use fault::{Fault, FaultKind};
pub use launch::{LaunchError, MachineModule};
pub use limits::{KernelLimits, LaunchPart, LaunchRefusal};
pub use memory::{GlobalMemory, MemoryRefusal};
pub use refusal::ModuleRefusal;
pub use schedule::{Finished, LaunchSize, MemoryKind, ReorderedPair, Schedule};
