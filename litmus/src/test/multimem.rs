//! Accesses by multimem addresses of PTX (ISA 8.2.3, 9.7.9.14): one instruction, a memory operation
//! at each of several locations.

use super::{Access, Address, AtomFunction, TestOperand};

/// What is done at each location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MultimemAction {
    /// `multimem.ld_reduce`: reads each, and gives what the function makes of the values.
    LoadReduce {
        /// What is computed.
        function: AtomFunction,
        /// The register that takes the result.
        destination: String,
    },
    /// `multimem.st`: writes the value to each.
    Store { value: TestOperand },
    /// `multimem.red`: a reduction at each.
    Reduce {
        /// What is computed.
        function: AtomFunction,
        operand: TestOperand,
    },
}

/// An instruction with a multimem address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MultimemOperation {
    /// The qualifiers.
    pub access: Access,
    /// The locations that the address points to, by names that are aliases: a multimem address is
    /// another address of their memory.
    pub replicas: Vec<Address>,
    /// What is done.
    pub action: MultimemAction,
}

impl MultimemOperation {
    /// The most replicas that an instruction may have here: they are accessed in every order.
    pub const MOST_REPLICAS: usize = 4;
}
