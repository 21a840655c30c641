//! Mbarriers and asynchronous operations: what a test may do with them, and what their instructions
//! become.

use margay_models::execution::{Order, Scope, Spaces};
use margay_models::mbarrier::Mbarrier;
use margay_models::signature::Signature;

use super::UnfoldError;
use super::compile_ptx::{PtxCompiler, applied};
use super::program::{AsyncSource, AsyncStep, Attributes, MbarrierStep, Step, TensormapTerm, Term};
use super::symbol::MbarrierFunction;
use crate::test::{
    AccessOrder, Address, AsyncAction, AsyncCompletion, AsyncOperation, AwaitedPhase, Base,
    ConditionOperand, MbarrierAction, MbarrierOperation, Operation, Place, Proposition,
    ProxyFenceKind, Space, TensormapOperation, Test, TestInstruction, ThreadId, Variable, element,
};

pub(super) fn instructions(test: &Test) -> impl Iterator<Item = (ThreadId, &TestInstruction)> {
    (0..test.threads.len()).flat_map(|t| {
        test.instructions(ThreadId(t as u16)).iter().map(move |i| (ThreadId(t as u16), i))
    })
}

/// The first instruction with which a model has to know asynchronous operations or mbarriers.
pub(crate) fn first(test: &Test) -> Option<&TestInstruction> {
    instructions(test).map(|(_, i)| i).find(|i| i.operation.is_asynchronous())
}

/// Refuses tests that have no meaning, or none that is modelled.
pub(super) fn check(test: &Test, signature: Signature) -> Result<(), UnfoldError> {
    let Some(first) = first(test) else {
        in_tensor_memory(test)?;
        return match test.locations.iter().find(|l| l.mbarrier) {
            Some(mbarrier) if accesses(test, &mbarrier.name).next().is_some() => {
                Err(no_data(test, &mbarrier.name))
            }
            _ => Ok(()),
        };
    };
    if signature.is_plain() {
        let message =
            "models without scopes and proxies have no asynchronous operations and no mbarriers";
        return Err(UnfoldError::at(message, first.place));
    }
    for mbarrier in test.locations.iter().filter(|l| l.mbarrier) {
        if accesses(test, &mbarrier.name).chain(copies(test, &mbarrier.name)).next().is_some() {
            return Err(no_data(test, &mbarrier.name));
        }
        uses(test, &mbarrier.name, mbarrier.value.is_some())?;
    }
    in_tensor_memory(test)?;
    let asked = [Some(&test.condition.proposition), test.filter.as_ref()];
    for (a, b) in asked.into_iter().flatten().flat_map(Proposition::comparisons) {
        for operand in [a, b] {
            if let ConditionOperand::Variable(Variable::Location(name)) = operand
                && test.location(name).is_some_and(|l| test.locations[l].mbarrier)
            {
                return Err(UnfoldError::new(format!(
                    "what the mbarrier `{name}` holds is opaque: no condition can ask for it"
                )));
            }
        }
    }
    spaces(test).map(|_| ())
}

/// The loads, stores and atomics of a location by its name.
fn accesses<'t>(test: &'t Test, name: &'t str) -> impl Iterator<Item = &'t TestInstruction> {
    let names = move |a: &Address| matches!(&a.base, Base::Location(n) if n == name);
    let is_of = move |i: &&TestInstruction| match &i.operation {
        Operation::BulkStore { address, .. } => names(address),
        Operation::Tensormap(operation) => operation.addresses().into_iter().any(names),
        Operation::Multimem(operation) => operation.replicas.iter().any(names),
        other => other.memory().is_some_and(|(_, a)| names(a)),
    };
    instructions(test).map(|(_, i)| i).filter(is_of)
}

/// The asynchronous operations that read a location by its name, or write it, as data.
fn copies<'t>(test: &'t Test, name: &'t str) -> impl Iterator<Item = &'t TestInstruction> {
    let names = move |a: &&Address| matches!(&a.base, Base::Location(n) if n == name);
    let is_of = move |i: &&TestInstruction| match &i.operation {
        Operation::Async(operation) => operation.action.addresses().iter().any(names),
        _ => false,
    };
    instructions(test).map(|(_, i)| i).filter(is_of)
}

/// Tensor memory is that of one cta, and accessed by `tcgen05` alone.
fn in_tensor_memory(test: &Test) -> Result<(), UnfoldError> {
    for tensor in test.locations.iter().filter(|l| l.space == Some(Space::Tensor)) {
        let name = &tensor.name;
        if let Some(access) = accesses(test, name).next() {
            return Err(UnfoldError::at(
                format!("`{name}` is in tensor memory, which `tcgen05` alone accesses"),
                access.place,
            ));
        }
        let mut home: Option<ThreadId> = None;
        for (thread, i) in instructions(test) {
            if !i
                .operation
                .further_addresses()
                .into_iter()
                .any(|a| matches!(&a.base, Base::Location(n) if n == name))
            {
                continue;
            }
            let home = *home.get_or_insert(thread);
            if !test.placement(home).shares(Scope::Cta, test.placement(thread)) {
                let message = format!(
                    "{home} and {thread} access `{name}`, and are in two ctas: it is in the tensor memory of one"
                );
                return Err(UnfoldError::at(message, i.place));
            }
        }
    }
    Ok(())
}

fn no_data(test: &Test, name: &str) -> UnfoldError {
    let message = format!(
        "an access to the mbarrier `{name}` that is no operation on mbarriers: that is undefined (PTX ISA, mbarrier)"
    );
    match accesses(test, name).chain(copies(test, name)).next() {
        Some(access) => UnfoldError::at(message, access.place),
        None => UnfoldError::new(message),
    }
}

/// Refuses an mbarrier that is initialised twice, in a place where it cannot be, or with which
/// threads of two clusters meet.
fn uses(test: &Test, name: &str, initialised: bool) -> Result<(), UnfoldError> {
    let of_it = |i: &TestInstruction| {
        i.operation
            .further_addresses()
            .into_iter()
            .any(|a| matches!(&a.base, Base::Location(n) if n == name))
    };
    let mut is_valid = initialised.then_some(None);
    let mut home: Option<ThreadId> = None;
    let mut first: Option<ThreadId> = None;
    for (thread, i) in instructions(test).filter(|(_, i)| of_it(i)) {
        let here = test.placement(thread);
        let other = *first.get_or_insert(thread);
        if !test.placement(other).shares(Scope::Cluster, here) {
            let message = format!(
                "{other} and {thread} use the mbarrier `{name}`, and are in two clusters: it is in the shared memory of one"
            );
            return Err(UnfoldError::at(message, i.place));
        }
        let Operation::Mbarrier(MbarrierOperation { action, .. }) = &i.operation else { continue };
        if matches!(
            action,
            MbarrierAction::Initialise { .. }
                | MbarrierAction::Invalidate
                | MbarrierAction::Wait { .. }
        ) {
            let home = *home.get_or_insert(thread);
            if !test.placement(home).shares(Scope::Cta, here) {
                let message = format!(
                    "{home} and {thread} initialise, invalidate or wait at the mbarrier `{name}`, and are in two ctas: only threads of the cta \
                     whose shared memory has it may (PTX ISA, mbarrier)"
                );
                return Err(UnfoldError::at(message, i.place));
            }
        }
        match action {
            MbarrierAction::Initialise { .. } => {
                if is_valid.is_some() {
                    let message = format!(
                        "the mbarrier `{name}` is initialised twice, which is undefined: invalidate it first (`mbarrier.inval`)"
                    );
                    return Err(UnfoldError::at(message, i.place));
                }
                is_valid = Some(Some(thread));
            }
            MbarrierAction::Invalidate => is_valid = None,
            _ => {}
        }
    }
    Ok(())
}

/// For each location the state spaces that it may be in, where something depends on them: where a
/// test has fences of the async proxy that are for one of them. Elsewhere none is told from
/// another.
pub(super) fn spaces(test: &Test) -> Result<Vec<Spaces>, UnfoldError> {
    let stores_bulk = |i: &TestInstruction| matches!(i.operation, Operation::BulkStore { .. });
    if first(test).is_none() && !instructions(test).any(|(_, i)| stores_bulk(i)) {
        return Ok(vec![Spaces::NONE; test.locations.len()]);
    }
    let mut known: Vec<Option<Space>> = test
        .locations
        .iter()
        .map(|l| if l.mbarrier { Some(Space::Shared) } else { l.space })
        .collect();
    let mut say = |base: &Base,
                   space: Option<Space>,
                   i: &TestInstruction|
     -> Result<(), UnfoldError> {
        let (Base::Location(name), Some(space)) = (base, space) else { return Ok(()) };
        if space == Space::Tensor
            && test.location(name).is_none_or(|l| test.locations[l].space != Some(Space::Tensor))
        {
            let message = format!(
                "`{name}` is not in tensor memory: declare it as `tensor {name}` in the initial state"
            );
            return Err(UnfoldError::at(message, i.place));
        }
        let array = element(name).map_or(name.as_str(), |(array, _)| array);
        for (l, declared) in test.locations.iter().enumerate() {
            if declared.name != *name && element(&declared.name).is_none_or(|(of, _)| of != array) {
                continue;
            }
            if known[l].is_some_and(|before| before != space) {
                let message = format!(
                    "`{name}` is in {} memory here, and in another state space elsewhere",
                    space.name()
                );
                return Err(UnfoldError::at(message, i.place));
            }
            known[l] = Some(space);
        }
        Ok(())
    };
    for (_, i) in instructions(test) {
        if let Some((access, address)) = i.operation.memory() {
            say(&address.base, access.space, i)?;
        }
        if let Operation::BulkStore { address, .. } = &i.operation {
            say(&address.base, Some(Space::Shared), i)?;
        }
        match &i.operation {
            Operation::Tensormap(TensormapOperation::Publish { to, from, .. }) => {
                say(&to.base, Some(Space::Global), i)?;
                say(&from.base, Some(Space::Shared), i)?;
            }
            Operation::Tensormap(TensormapOperation::Acquire { address, .. }) => {
                say(&address.base, Some(Space::Global), i)?
            }
            _ => {}
        }
        let Operation::Async(operation) = &i.operation else { continue };
        match &operation.action {
            AsyncAction::Copy { to, from, .. } => {
                to.iter().try_for_each(|to| say(&to.base, Some(operation.to_space), i))?;
                say(&from.base, operation.from_space, i)?;
            }
            AsyncAction::ReduceFrom { to, from, .. } => {
                say(&to.base, Some(operation.to_space), i)?;
                say(&from.base, operation.from_space, i)?;
            }
            AsyncAction::Tile { map, shared, global, .. } => {
                shared.iter().try_for_each(|shared| say(&shared.base, Some(Space::Shared), i))?;
                map.iter()
                    .chain(global)
                    .try_for_each(|global| say(&global.base, Some(Space::Global), i))?;
            }
            AsyncAction::Store { to, .. } | AsyncAction::Reduce { to, .. } => {
                say(&to.base, Some(operation.to_space), i)?
            }
            AsyncAction::Multiply { from, .. } => {
                from.iter().try_for_each(|from| say(&from.base, operation.from_space, i))?;
            }
            AsyncAction::TensorLoad { from, .. } => say(&from.base, Some(Space::Tensor), i)?,
            AsyncAction::TensorStore { to, .. } | AsyncAction::TensorFree { to } => {
                say(&to.base, Some(Space::Tensor), i)?
            }
            AsyncAction::TensorCompute { to, from, .. } => {
                say(&to.base, Some(Space::Tensor), i)?;
                // The matrices of a product may be in tensor memory.
                let declared = |base: &Base| match base {
                    Base::Location(name) => {
                        test.location(name).and_then(|l| test.locations[l].space)
                    }
                    _ => None,
                };
                let matrices = from.len() > 1;
                for from in from {
                    let in_tensor = matrices && declared(&from.base) == Some(Space::Tensor);
                    say(
                        &from.base,
                        Some(if in_tensor { Space::Tensor } else { Space::Shared }),
                        i,
                    )?;
                }
            }
        }
    }
    let is_restricted = |i: &TestInstruction| {
        matches!(
            i.operation,
            Operation::ProxyFence(ProxyFenceKind::AsyncGlobal | ProxyFenceKind::AsyncShared)
                | Operation::SharedFence { .. }
        )
    };
    let restricted = instructions(test).find(|(_, i)| is_restricted(i));
    let of = |(l, known): (usize, Option<Space>)| match (known, restricted) {
        (Some(Space::Shared), _) => Ok(Spaces::SHARED),
        (Some(Space::Global), _) => Ok(Spaces::GLOBAL),
        (Some(Space::Tensor), _) => Ok(Spaces::NONE),
        (None, None) => Ok(Spaces::ALL),
        (None, Some((_, fence))) => {
            let name = &test.locations[l].name;
            let message = format!(
                "this fence is for one state space, and nothing says in which `{name}` is: declare it as `shared {name}` or `global {name}`"
            );
            Err(UnfoldError::at(message, fence.place))
        }
    };
    known.into_iter().enumerate().map(of).collect()
}

/// What an mbarrier holds at the start, by its declaration.
pub(super) fn initial_contents(count: Option<i64>) -> i64 {
    count.map_or(Mbarrier::INVALID, Mbarrier::new).0
}

impl PtxCompiler<'_> {
    /// An instruction on an mbarrier.
    pub(super) fn mbarrier(
        &mut self,
        MbarrierOperation { address, action, .. }: &MbarrierOperation,
    ) -> Result<Step, UnfoldError> {
        let address = self.address(address)?;
        let ordered = |order: AccessOrder| match order {
            AccessOrder::Release => Order::Rel,
            AccessOrder::Acquire => Order::Acq,
            _ => Order::Rlx,
        };
        let relaxed = |function, bytes: &i64, scope: &Scope| MbarrierStep::Change {
            functions: vec![(function, *bytes)],
            arrivals: 0,
            incomplete: false,
            to: None,
            order: Order::Rlx,
            scope: *scope,
        };
        let step = match action {
            MbarrierAction::Initialise { count } => MbarrierStep::Set(Mbarrier::new(*count)),
            MbarrierAction::Invalidate => MbarrierStep::Set(Mbarrier::INVALID),
            MbarrierAction::Expect { scope, bytes } => {
                relaxed(MbarrierFunction::Expect, bytes, scope)
            }
            MbarrierAction::Transfer { scope, bytes } => {
                relaxed(MbarrierFunction::Transfer, bytes, scope)
            }
            MbarrierAction::Arrive { token, order, scope, count, bytes, drops, incomplete } => {
                let arrive = if *drops { MbarrierFunction::Drop } else { MbarrierFunction::Arrive };
                let expects = bytes.iter().map(|bytes| (MbarrierFunction::Expect, *bytes));
                MbarrierStep::Change {
                    functions: expects.chain([(arrive, *count)]).collect(),
                    arrivals: *count,
                    incomplete: *incomplete,
                    to: token.as_deref().map(|name| self.program.register(name)),
                    order: ordered(*order),
                    scope: *scope,
                }
            }
            MbarrierAction::Wait { destination, order, scope, phase, .. } => {
                let phase = match phase {
                    AwaitedPhase::Token(token) => {
                        (self.value(token)?, MbarrierFunction::PhasePassed)
                    }
                    AwaitedPhase::Parity(parity) => {
                        (self.value(parity)?, MbarrierFunction::ParityPassed)
                    }
                };
                MbarrierStep::Wait {
                    to: self.program.register(destination),
                    phase,
                    order: ordered(*order),
                    scope: *scope,
                }
            }
        };
        Ok(Step::Mbarrier { address, step })
    }

    /// An instruction that issues an asynchronous operation.
    pub(super) fn asynchronous(
        &mut self,
        AsyncOperation { family, action, completion, .. }: &AsyncOperation,
    ) -> Result<Step, UnfoldError> {
        let mbarriers = match completion {
            AsyncCompletion::Group => Vec::new(),
            AsyncCompletion::Mbarriers(all) => {
                all.iter().map(|a| self.address(a)).collect::<Result<_, _>>()?
            }
        };
        let mut map = None;
        let (to, source, reduces, ty, bytes) = match action {
            AsyncAction::Copy { to, from, bytes } => {
                let to = to.iter().map(|a| self.address(a)).collect::<Result<_, _>>()?;
                (to, AsyncSource::Memory(self.address(from)?), None, None, *bytes)
            }
            AsyncAction::Tile { function, map: at, into_shared, shared, global, bytes } => {
                let places = at.iter().map(|a| self.address(a)).collect::<Result<_, _>>()?;
                map =
                    Some(TensormapTerm { places, gives: global.is_none().then_some(*into_shared) });
                let shared =
                    shared.iter().map(|a| self.address(a)).collect::<Result<Vec<_>, _>>()?;
                // Where the map gives the address, nothing is there yet.
                let global = global.as_ref().map_or(Ok(Term::Constant(0)), |a| self.address(a))?;
                match (*into_shared, shared.as_slice()) {
                    (false, [from]) => {
                        let reduces =
                            function.and_then(applied).map(|operator| (operator, Scope::Gpu));
                        (vec![global], AsyncSource::Memory(from.clone()), reduces, None, *bytes)
                    }
                    _ => (shared, AsyncSource::Memory(global), None, None, *bytes),
                }
            }
            // "each reduction operation has .relaxed semantics at the .gpu scope"
            AsyncAction::ReduceFrom { function, ty, to, from, bytes } => {
                let reduces = applied(*function).map(|operator| (operator, Scope::Gpu));
                (
                    vec![self.address(to)?],
                    AsyncSource::Memory(self.address(from)?),
                    reduces,
                    *ty,
                    *bytes,
                )
            }
            AsyncAction::Store { ty, to, values } => {
                let bytes = ty.map_or(4, |ty| i64::from(ty.bits) / 8) * values.len() as i64;
                let values = values.iter().map(|v| self.value(v)).collect::<Result<_, _>>()?;
                (vec![self.address(to)?], AsyncSource::Values(values), None, *ty, bytes)
            }
            AsyncAction::Reduce { function, ty, to, value } => {
                let bytes = ty.map_or(4, |ty| i64::from(ty.bits) / 8);
                let reduces = applied(*function).map(|operator| (operator, Scope::Cluster));
                (
                    vec![self.address(to)?],
                    AsyncSource::Values(vec![self.value(value)?]),
                    reduces,
                    *ty,
                    bytes,
                )
            }
            AsyncAction::Multiply { to, from } => {
                let pair = |(to, from): (&String, &Address)| {
                    Ok((self.program.register(to), self.address(from)?))
                };
                let read = to.iter().zip(from).map(pair).collect::<Result<_, UnfoldError>>()?;
                (Vec::new(), AsyncSource::Registers(read), None, None, 0)
            }
            AsyncAction::TensorLoad { to, from } => {
                let read = vec![(self.program.register(to), self.address(from)?)];
                (Vec::new(), AsyncSource::Registers(read), None, None, 0)
            }
            AsyncAction::TensorStore { to, value } => (
                vec![self.address(to)?],
                AsyncSource::Values(vec![self.value(value)?]),
                None,
                None,
                4,
            ),
            AsyncAction::TensorFree { to } => (
                vec![self.address(to)?],
                AsyncSource::Values(vec![Term::Constant(0)]),
                None,
                None,
                4,
            ),
            AsyncAction::TensorCompute { to, from, accumulates } => {
                let from = from.iter().map(|a| self.address(a)).collect::<Result<_, _>>()?;
                (
                    vec![self.address(to)?],
                    AsyncSource::Sum { from, accumulates: *accumulates },
                    None,
                    None,
                    0,
                )
            }
        };
        Ok(Step::Async(AsyncStep {
            family: *family,
            map,
            to,
            source,
            reduces,
            ty,
            bytes,
            mbarriers,
        }))
    }

    /// A change of a tensor map, or a fence of its proxy.
    pub(super) fn tensormap(
        &mut self,
        operation: &TensormapOperation,
        place: Place,
    ) -> Result<(), UnfoldError> {
        let weak = Attributes::new(Order::Plain, None);
        let fence =
            |address, order, scope: &Scope| Step::TensormapFence { address, order, scope: *scope };
        let step = match operation {
            TensormapOperation::Replace { address, value: Some(value) } => Step::Store {
                address: self.address(address)?,
                value: self.value(value)?,
                attributes: weak,
            },
            TensormapOperation::Replace { address, value: None } => {
                let (address, to) = (self.address(address)?, self.program.fresh());
                self.program
                    .push(Step::Load { to, address: address.clone(), attributes: weak }, place);
                Step::Store { address, value: Term::Register(to), attributes: weak }
            }
            TensormapOperation::Publish { to, from, scope } => {
                let (to, from, copied) =
                    (self.address(to)?, self.address(from)?, self.program.fresh());
                self.program
                    .push(Step::Load { to: copied, address: from, attributes: weak }, place);
                let store = Step::Store {
                    address: to.clone(),
                    value: Term::Register(copied),
                    attributes: weak,
                };
                self.program.push(store, place);
                fence(Some(to), Order::Rel, scope)
            }
            TensormapOperation::Release { scope } => fence(None, Order::Rel, scope),
            TensormapOperation::Acquire { address, scope } => {
                fence(Some(self.address(address)?), Order::Acq, scope)
            }
        };
        self.program.push(step, place);
        Ok(())
    }
}
