//! What an instruction does, said once, in a small code: arithmetic on bit-vectors, accesses to
//! memory with order, scope and space, fences, barriers, and jumps. Floating-point arithmetic is a
//! function that nobody interprets: equal operands give equal results.
//!
//! What is not in the code is [`Effect::Unknown`] with its reason; nothing is left out in silence.

mod access;
mod comparison;
mod decode;
mod function;
mod meaning;
mod operand;
mod parts;

pub use access::{MemoryAccess, MemoryOrder, MemoryScope, Window};
pub use comparison::NumberComparison;
pub use function::{Computation, Half, Update};
pub(crate) use meaning::unknown;
pub use meaning::{Effect, Meeting};
pub(crate) use operand::{register, scope, target, update, window};
pub use parts::PartProducts;

use crate::tree::{Instruction, Module};

/// What an instruction does.
pub fn of(i: &Instruction) -> Effect<'_> {
    decode::effect(i)
        .unwrap_or_else(|| Effect::Unknown("its operands are not those that are known".to_owned()))
}

/// The functions that these call by their names, and what those call, themselves first: numbers in
/// the module, each once.
pub fn reached(module: &Module, from: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    let add = |found: &mut Vec<usize>, function: usize| {
        if !found.contains(&function) {
            found.push(function);
        }
    };
    from.into_iter().for_each(|function| add(&mut found, function));
    let mut at = 0;
    while let Some(&function) = found.get(at) {
        for i in module.functions[function].body.iter().flatten() {
            if let Effect::Call { function: Some(name), .. } = of(i)
                && let Some(callee) = module.function(name)
            {
                add(&mut found, callee);
            }
        }
        at += 1;
    }
    found
}
