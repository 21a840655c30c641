//! The functions that a kernel may call.

use margay_ptx::effect::Effect;
use margay_ptx::{Initial, Operand};

use crate::thread::PreparedModule;

/// The functions that a kernel may call, itself first: those that it names, whether it calls them
/// or takes their addresses, and where it calls what is at an address those whose addresses stand
/// in memory.
pub(crate) fn reached(prepared: &PreparedModule<'_>, kernel: usize) -> Vec<usize> {
    let module = prepared.module;
    let mut found = vec![kernel];
    let name = |found: &mut Vec<usize>, name: &str| {
        if let Some(callee) = module.function(name).filter(|callee| !found.contains(callee)) {
            found.push(callee);
        }
    };
    let mut at = 0;
    while let Some(&function) = found.get(at) {
        for effect in &prepared.effects[function] {
            match effect {
                Effect::Call { function: Some(of), .. } => name(&mut found, of),
                Effect::Call { function: None, .. } => {
                    for initial in module.variables.iter().flat_map(|variable| &variable.initial) {
                        if let Initial::Address(of, _) = initial {
                            name(&mut found, of);
                        }
                    }
                }
                Effect::Compute { operands, .. } => {
                    for operand in operands {
                        if let Operand::Name(of) = operand {
                            name(&mut found, of);
                        }
                    }
                }
                _ => {}
            }
        }
        at += 1;
    }
    found
}
