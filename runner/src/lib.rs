//! Runs litmus tests, instead of reasoning about them: on an operational machine on the CPU
//! ([`sim`]), and as PTX kernels ([`emit`]), whose machine code is compared with the test
//! ([`sass`]). [`device`] is both behind one face.

#![warn(unreachable_pub)]

pub mod device;
pub mod emit;
pub mod opencl;
pub mod outcome;
pub mod sass;
pub mod sim;
pub mod tune;
