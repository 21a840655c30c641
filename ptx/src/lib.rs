//! PTX as compilers print it: [`read`] makes a [`Module`] of a text, and [`effect::of`] says what
//! an instruction does.
//!
//! The grammar is that of NVIDIA's PTX ISA 8 and 9 (sections 4, 5 and 10 there): it reads what
//! nvcc, NVRTC, clang and Triton print. Names are resolved: registers, variables and labels are
//! numbers, each in its own block.

pub mod asynchronous;
pub mod effect;
pub mod exchange;
pub mod float;
mod lex;
mod read;
pub mod tensor;
mod tree;

pub use lex::blank_comments;
pub use read::read;
pub use tree::{
    DeclaredRegister, Function, Initial, Instruction, MemoryVariable, Module, Operand, Parameter,
    ReadError, RegisterId, ScalarKind, ScalarType, SourceLine, StateSpace, VariableId, position,
};
