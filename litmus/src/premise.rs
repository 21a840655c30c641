//! What published models say they do not speak of: such a model answers for every test, but of
//! these its answers say nothing. And where a text has two readings, of which the model follows
//! one.

use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::model::Model;

use crate::test::{
    AccessOrder, AsyncCompletion, AsyncFamily, AtomInstruction, Base, CacheOperator,
    MbarrierAction, Operation, Place, ProxyFenceKind, Test, TestInstruction, ThreadId,
};

/// The model of the 2015 paper.
const PTX_2015: &str = "ptx-2015";

/// The model of today's ISA, and the one in which complete-tx goes through the async proxy.
const PTX_8: &str = "ptx-8";
const PTX_8_MBARRIER_ASYNC: &str = "ptx-8-mbarrier-async";

/// The warning of a test with what its model does not speak of, or of which its text has another
/// reading: the first place with it.
pub fn beyond(test: &Test, model: &Model, file: &Arc<SourceFile>) -> Option<Diagnostic> {
    match model.name.as_str() {
        PTX_2015 => beyond_2015(test, model, file),
        PTX_8 => unfenced_initialisation(test, file),
        _ => None,
    }
}

/// A bulk operation completes on an mbarrier that the program initialises, and no fence of the
/// program can be between the two.
fn unfenced_initialisation(test: &Test, file: &Arc<SourceFile>) -> Option<Diagnostic> {
    let instructions =
        || (0..test.threads.len()).flat_map(|t| test.instructions(ThreadId(t as u16)));
    let initialised = |base: &Base| {
        instructions().any(|i| match &i.operation {
            Operation::Mbarrier(of) => {
                of.address.base == *base && matches!(of.action, MbarrierAction::Initialise { .. })
            }
            _ => false,
        })
    };
    let is_fence = |i: &TestInstruction| {
        matches!(
            i.operation,
            Operation::MbarrierInitFence
                | Operation::ProxyFence(ProxyFenceKind::Async | ProxyFenceKind::AsyncShared)
        )
    };
    if instructions().any(is_fence) {
        return None;
    }
    let (place, mbarrier) = instructions().find_map(|i| match &i.operation {
        Operation::Async(operation) if operation.family == AsyncFamily::Bulk => {
            match &operation.completion {
                AsyncCompletion::Mbarriers(all) => {
                    all.iter().find(|m| initialised(&m.base)).map(|m| (i.place, &m.base))
                }
                AsyncCompletion::Group => None,
            }
        }
        _ => None,
    })?;
    let (Base::Location(name) | Base::Register(name)) = mbarrier;
    let message = format!(
        "`{name}` is initialised by the program without a fence for what completes on it here"
    );
    Some(Diagnostic::warning(message).at(file, place.0, "a bulk operation that completes on it").help(format!(
        "by the ISA's newer editions, which `{PTX_8}` follows, none is needed (\"accesses its mbarrier operand using generic-proxy\"). Older \
         ones are silent, and NVIDIA's guides put `fence.proxy.async` or `fence.mbarrier_init` behind `mbarrier.init`: `--model \
         {PTX_8_MBARRIER_ASYNC}` asks by that reading"
    )))
}

fn beyond_2015(test: &Test, model: &Model, file: &Arc<SourceFile>) -> Option<Diagnostic> {
    let (place, what) = first_use(test)?;
    let warning = Diagnostic::warning(format!("{what}, which `{}` does not speak of", model.name))
        .at(file, place.0, "here");
    Some(warning.help(
        "the model is of loads and stores with `.cg`, and of `membar`: it leaves out atomics and volatile accesses, and assumes that \
         every access uses `.cg` (ASPLOS 2015, sections 2.3 and 5.5). Its answer for this test says nothing; the paper observed \
         what it forbids of `.ca` (Fig. 3 and 4)",
    ))
}

/// The first instruction that the 2015 paper leaves out.
fn first_use(test: &Test) -> Option<(Place, &'static str)> {
    let threads = (0..test.threads.len()).flat_map(|t| test.instructions(ThreadId(t as u16)));
    threads.into_iter().find_map(|i| left_out(i).map(|what| (i.place, what)))
}

fn left_out(instruction: &TestInstruction) -> Option<&'static str> {
    match &instruction.operation {
        Operation::Atom(AtomInstruction { .. }) => return Some("this is an atomic operation"),
        Operation::Barrier { .. } | Operation::ClusterBarrier(_) => {
            return Some("this is a barrier");
        }
        Operation::Warp(_) => return Some("this is a meeting of the lanes of a warp"),
        Operation::Launches(_) => return Some("this is an order of launches"),
        Operation::ProxyFence(_) => return Some("this is a proxy fence"),
        Operation::Fence { .. } => return Some("this is a fence of later PTX"),
        _ => {}
    }
    let (access, _) = instruction.operation.memory()?;
    match (access.order, access.cache) {
        (Some(AccessOrder::Volatile), _) => Some("this is a volatile access"),
        (Some(order), _) if order != AccessOrder::Weak => {
            Some("this access has an order of later PTX")
        }
        (_, Some(operator)) if operator != CacheOperator::Cg => {
            Some("this access has another cache operator than `.cg`")
        }
        _ => None,
    }
}
