//! The functions of a module, prepared for threads that execute them.

use margay_ptx::asynchronous::ClusterEffect;
use margay_ptx::effect::{Computation, Effect, Window};
use margay_ptx::tensor::TensorEffect;
use margay_ptx::{Function, Module, Operand, RegisterId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::computed_ways::{ComputedWays, computed_ways};
use crate::liveness::Liveness;

/// In which order the elements of vectors are accessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct VectorOrder {
    pub last_loaded_first: bool,
    pub last_stored_first: bool,
}

/// The functions of a module, prepared.
pub(crate) struct PreparedModule<'m> {
    pub module: &'m Module,
    pub effects: Vec<Vec<Effect<'m>>>,
    pub vectors: VectorOrder,
    pub(super) liveness: Vec<Liveness>,
    /// Does a function have a barrier?
    pub(super) has_barriers: bool,
    /// Do the threads of a warp, or of a block, exchange anything?
    pub(super) has_exchanges: bool,
    /// Does a function have a product of matrices whose accumulator is in registers?
    pub(super) has_accumulators: bool,
    /// For each function the registers that addresses are made of.
    pub(super) addressing: Vec<FxHashSet<RegisterId>>,
    /// For each function the registers that are put into shared memory, and those that they are
    /// made of.
    pub(super) handed_on: Vec<FxHashSet<RegisterId>>,
    /// For each function the registers that are compared with something.
    pub(super) compared: Vec<FxHashSet<RegisterId>>,
    /// For each instruction of each function: is it between a backward jump and where that goes to?
    loops: Vec<Vec<bool>>,
    /// For each function the jumps behind which there is nothing but computation until both ways
    /// come together.
    ways: Vec<FxHashMap<usize, ComputedWays>>,
}

impl<'m> PreparedModule<'m> {
    pub fn new(module: &'m Module) -> Self {
        let effects: Vec<Vec<Effect<'m>>> = module
            .functions
            .iter()
            .map(|f| f.body.as_deref().unwrap_or(&[]).iter().map(margay_ptx::effect::of).collect())
            .collect();
        let liveness =
            module.functions.iter().zip(&effects).map(|(f, e)| Liveness::new(f, e)).collect();
        let has_barriers = effects.iter().flatten().any(|e| {
            matches!(e, Effect::Barrier(..) | Effect::BarrierReduce { .. } | Effect::WarpBarrier(_))
        });
        let has_exchanges = effects
            .iter()
            .flatten()
            .any(|e| matches!(e, Effect::Exchange { .. } | Effect::BarrierReduce { .. }));
        let has_accumulators = effects
            .iter()
            .flatten()
            .any(|e| matches!(e, Effect::Tensor(TensorEffect::Multiply { to: None, .. })));
        let loops = effects.iter().map(|e| in_loops(e)).collect();
        let addressing = effects.iter().map(|e| addressing(e)).collect();
        let handed_on = effects.iter().map(|e| handed_on(e)).collect();
        let compared = effects.iter().map(|e| compared(e)).collect();
        let body = |f: &'m Function| f.body.as_deref().unwrap_or(&[]);
        let ways =
            module.functions.iter().zip(&effects).map(|(f, e)| computed_ways(body(f), e)).collect();
        Self {
            module,
            effects,
            vectors: VectorOrder::default(),
            liveness,
            has_barriers,
            has_exchanges,
            has_accumulators,
            addressing,
            handed_on,
            compared,
            loops,
            ways,
        }
    }

    /// The same with the elements of vectors in another order.
    pub fn with_vectors(self, vectors: VectorOrder) -> Self {
        Self { vectors, ..self }
    }

    /// What stands between a jump and the place where both ways come together, if that is
    /// computation alone.
    pub(super) fn ways_behind(&self, function: usize, at: usize) -> Option<&ComputedWays> {
        self.ways[function].get(&at)
    }

    /// May an instruction be executed twice in one call of its function?
    pub fn is_in_loop(&self, function: usize, at: usize) -> bool {
        self.loops[function].get(at).copied().unwrap_or(true)
    }
}

/// For each instruction whether it is between a backward jump and where that goes to: a way from an
/// instruction to itself goes back over it.
fn in_loops(effects: &[Effect<'_>]) -> Vec<bool> {
    let mut found = vec![false; effects.len()];
    for (at, effect) in effects.iter().enumerate() {
        if let Effect::Jump(to) = effect
            && *to <= at
        {
            found[*to..=at].fill(true);
        }
    }
    found
}

/// The registers of a function that are compared with something.
fn compared(effects: &[Effect<'_>]) -> FxHashSet<RegisterId> {
    let operands = effects.iter().filter_map(|e| {
        if let Effect::SetPredicate { operands, .. } = e { Some(operands) } else { None }
    });
    operands.flatten().filter_map(|o| register(o)).collect()
}

/// The registers of a function that addresses are made of.
fn addressing(effects: &[Effect<'_>]) -> FxHashSet<RegisterId> {
    traced_back(effects, |effect, found| match effect {
        Effect::Load { base, .. }
        | Effect::Store { base, .. }
        | Effect::Modify { base, .. }
        | Effect::Matrix { base, .. } => Some(register(base).into_iter().collect()),
        Effect::Async(effect) => {
            Some(effect.addresses().iter().filter_map(|at| register(at.base)).collect())
        }
        Effect::Tensor(effect) => {
            Some(effect.addresses().into_iter().filter_map(register).collect())
        }
        Effect::Cluster(ClusterEffect::MapAddress { to: Some(to), address, .. })
            if found.contains(to) =>
        {
            Some(register(address).into_iter().collect())
        }
        Effect::IsSpace { address, .. } => Some(register(address).into_iter().collect()),
        Effect::ConvertAddress { to, address, .. } if found.contains(to) => {
            Some(register(address).into_iter().collect())
        }
        _ => None,
    })
}

/// The registers of a function that are put into shared memory, where other threads of the block
/// find them, and those that they are made of.
fn handed_on(effects: &[Effect<'_>]) -> FxHashSet<RegisterId> {
    traced_back(effects, |effect, _| match effect {
        Effect::Store { access, values, .. } if access.window == Window::Shared => {
            Some(values.iter().filter_map(|o| register(o)).collect())
        }
        _ => None,
    })
}

/// The registers that instructions use in some way, and those that these are made of. `used`: those
/// of one instruction, `None` where it is only looked at as a computation; it is given what was
/// found so far.
fn traced_back(
    effects: &[Effect<'_>],
    used: impl Fn(&Effect<'_>, &FxHashSet<RegisterId>) -> Option<Vec<RegisterId>>,
) -> FxHashSet<RegisterId> {
    let mut found: FxHashSet<RegisterId> = FxHashSet::default();
    loop {
        let before = found.len();
        for effect in effects {
            found.extend(used(effect, &found).unwrap_or_else(|| computed_from(effect, &found)));
        }
        if found.len() == before {
            return found;
        }
    }
}

fn register(operand: &Operand) -> Option<RegisterId> {
    if let Operand::Register(register) = operand { Some(*register) } else { None }
}

/// The registers that an instruction computes one of these from, as a number that is made of
/// theirs.
fn computed_from(effect: &Effect<'_>, of: &FxHashSet<RegisterId>) -> Vec<RegisterId> {
    match effect {
        Effect::Compute { function, to: Some(to), operands, .. }
        | Effect::Carry { function, to: Some(to), operands, .. }
            if of.contains(to) && !matches!(function, Computation::Compare(_)) =>
        {
            operands.iter().filter_map(|o| register(o)).collect()
        }
        _ => Vec::new(),
    }
}
