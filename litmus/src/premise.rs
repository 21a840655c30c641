//! What published models say they do not speak of. Such a model answers for every test, but of these its answers say nothing.

use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::model::Model;

use crate::test::{AccessOrder, Atom, CacheOperator, Instruction, Operation, Place, Test, ThreadId};

/// The model of the 2015 paper.
const PTX_2015: &str = "ptx-2015";

/// The warning of a test with what its model does not speak of: the first place with it.
pub fn beyond(test: &Test, model: &Model, file: &Arc<SourceFile>) -> Option<Diagnostic> {
    if model.name != PTX_2015 {
        return None;
    }
    let (place, what) = first_use(test)?;
    let warning = Diagnostic::warning(format!("{what}, which `{}` does not speak of", model.name)).at(file, place.0, "here");
    Some(warning.help(
        "the model is of loads and stores with `.cg`, and of `membar`: it leaves out atomics and volatile accesses, and assumes that \
         every access uses `.cg` (ASPLOS 2015, sections 2.3 and 5.5). Its answer for this test says nothing; the paper observed \
         what it forbids of `.ca` (Fig. 3 and 4)",
    ))
}

/// The first instruction that the 2015 paper leaves out.
fn first_use(test: &Test) -> Option<(Place, &'static str)> {
    let threads = (0..test.threads.len()).flat_map(|t| test.instructions(ThreadId(t as u8)));
    threads.into_iter().find_map(|i| left_out(i).map(|what| (i.place, what)))
}

fn left_out(instruction: &Instruction) -> Option<&'static str> {
    match &instruction.operation {
        Operation::Atom(Atom { .. }) => return Some("this is an atomic operation"),
        Operation::Barrier { .. } | Operation::ClusterBarrier(_) => return Some("this is a barrier"),
        Operation::Warp(_) => return Some("this is a meeting of the lanes of a warp"),
        Operation::Launches(_) => return Some("this is an order of launches"),
        Operation::ProxyFence(_) => return Some("this is a proxy fence"),
        Operation::Fence { .. } => return Some("this is a fence of later PTX"),
        _ => {}
    }
    let (access, _) = instruction.operation.memory()?;
    match (access.order, access.cache) {
        (Some(AccessOrder::Volatile), _) => Some("this is a volatile access"),
        (Some(order), _) if order != AccessOrder::Weak => Some("this access has an order of later PTX"),
        (_, Some(operator)) if operator != CacheOperator::Cg => Some("this access has another cache operator than `.cg`"),
        _ => None,
    }
}
