//! Runs litmus tests, instead of reasoning about them: on an operational machine on the CPU ([`sim`]), and as PTX kernels ([`emit`]),
//! whose machine code is compared with the test ([`sass`]). [`device`] is both behind one face.

pub mod device;
pub mod emit;
pub mod outcome;
pub mod sass;
pub mod sim;
pub mod tune;
