//! Which parameters of a kernel are addresses: those whose value, or a value made of it, is used as
//! one.

use margay_ptx::effect::{Computation, Effect, Window};
use margay_ptx::{Module, Operand, Parameter, RegisterId, ScalarKind, VariableId};
use rustc_hash::FxHashSet;

use crate::thread::PreparedModule;

/// What a parameter is used as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParameterUse {
    /// It is an address.
    Pointer,
    Number,
    /// It may be either: only a sum with another such parameter is an address, or it is kept in
    /// memory.
    Open,
}

/// What may hold a value: a register of a function, or the memory of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Holder {
    Register(usize, RegisterId),
    Memory(VariableId),
    /// The memory of a parameter from a byte on: a field of a structure.
    Field(VariableId, i64),
}

/// A field of a structure that is passed by value, as far as the kernel reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FieldUse {
    /// Its first byte.
    pub offset: u64,
    /// How many bytes it has.
    pub bytes: u64,
    /// Is it a floating-point number?
    pub is_float: bool,
    /// What it is used as.
    pub how: ParameterUse,
}

/// The fields of a structure that a kernel reads, in order. What is read in two widths is not
/// known.
pub(crate) fn field_uses(
    module: &Module,
    prepared: &PreparedModule<'_>,
    structure: VariableId,
) -> Vec<FieldUse> {
    let mut found: Vec<FieldUse> = Vec::new();
    for effect in prepared.effects.iter().flatten() {
        let Effect::Load { access, to, base: Operand::Variable(id, _), offset } = effect else {
            continue;
        };
        let bytes = u64::from(access.ty.bits.div_ceil(8));
        if access.window != Window::Parameter || *id != structure || bytes > 8 {
            continue;
        }
        for n in 0..to.len() as u64 {
            let Some(offset) = u64::try_from(*offset).ok().map(|at| at + n * bytes) else {
                continue;
            };
            let is_float = access.ty.kind == ScalarKind::Float;
            if !found.iter().any(|f| (f.offset, f.bytes) == (offset, bytes)) {
                found.push(FieldUse { offset, bytes, is_float, how: ParameterUse::Number });
            }
        }
    }
    let overlap =
        |a: &FieldUse, b: &FieldUse| a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
    let alone: Vec<FieldUse> = found
        .iter()
        .copied()
        .filter(|f| found.iter().filter(|other| overlap(f, other)).count() == 1)
        .collect();
    let mut alone: Vec<FieldUse> = alone
        .into_iter()
        .map(|field| match field.bytes {
            8 => {
                let start = Holder::Field(structure, field.offset as i64);
                FieldUse { how: Flow { module, prepared, others: &[] }.from(start).1, ..field }
            }
            _ => field,
        })
        .collect();
    alone.sort_by_key(|f| f.offset);
    alone
}

/// What each parameter of a kernel is used as; `fixed` says it of those that are given.
pub(crate) fn parameter_uses(
    module: &Module,
    prepared: &PreparedModule<'_>,
    kernel: usize,
    fixed: &[Option<ParameterUse>],
) -> Vec<ParameterUse> {
    let parameters = &module.functions[kernel].parameters;
    let candidate = |n: usize| match parameters[n] {
        Parameter::Memory(id) if module.variable(id).ty.bits == 64 => Some(id),
        _ => None,
    };
    let holders: Vec<FxHashSet<Holder>> = (0..parameters.len())
        .map(|n| {
            candidate(n).map_or_else(FxHashSet::default, |id| {
                Flow { module, prepared, others: &[] }.of(id).0
            })
        })
        .collect();
    (0..parameters.len())
        .map(|n| {
            if let Some(given) = fixed[n] {
                return given;
            }
            let Some(id) = candidate(n) else { return ParameterUse::Number };
            if module.variable(id).pointer {
                return ParameterUse::Pointer;
            }
            // In a sum of two of them only one is the address: what the other is used as alone says
            // which.
            let others: Vec<&FxHashSet<Holder>> = (0..holders.len())
                .filter(|&o| o != n && fixed[o] != Some(ParameterUse::Number))
                .map(|o| &holders[o])
                .collect();
            let (_, alone) = Flow { module, prepared, others: &others }.of(id);
            if alone == ParameterUse::Pointer {
                return ParameterUse::Pointer;
            }
            let (_, with) = Flow { module, prepared, others: &[] }.of(id);
            let has_base = (0..holders.len())
                .filter(|&o| o != n && holders[o].iter().any(|h| holders[n].contains(h)))
                .any(|o| {
                    let Some(other) = candidate(o) else { return false };
                    let rest: Vec<&FxHashSet<Holder>> = (0..holders.len())
                        .filter(|&x| x != o && fixed[x] != Some(ParameterUse::Number))
                        .map(|x| &holders[x])
                        .collect();
                    fixed[o] == Some(ParameterUse::Pointer)
                        || module.variable(other).pointer
                        || fixed[o].is_none()
                            && Flow { module, prepared, others: &rest }.of(other).1
                                == ParameterUse::Pointer
                });
            match (with, alone) {
                (ParameterUse::Pointer, ParameterUse::Number) if has_base => ParameterUse::Number,
                (ParameterUse::Pointer, _) | (_, ParameterUse::Open) => ParameterUse::Open,
                _ => ParameterUse::Number,
            }
        })
        .collect()
}

/// Does a kernel use a parameter of 32 bits as an address?
pub(crate) fn has_short_pointer(
    module: &Module,
    prepared: &PreparedModule<'_>,
    kernel: usize,
) -> bool {
    let is_pointer =
        |id: VariableId| Flow { module, prepared, others: &[] }.of(id).1 == ParameterUse::Pointer;
    module.functions[kernel].parameters.iter().any(|parameter| match parameter {
        Parameter::Memory(id) => module.variable(*id).ty.bits == 32 && is_pointer(*id),
        Parameter::Register(_) => false,
    })
}

/// The registers, each with its function, that may hold what is made of operands (a parameter that
/// is loaded, a register that is asked) in whatever way, also through memory and calls.
pub(crate) fn made_of(
    prepared: &PreparedModule<'_>,
    is_source: &dyn Fn(&Operand) -> bool,
) -> FxHashSet<(usize, RegisterId)> {
    let mut found: FxHashSet<(usize, RegisterId)> = FxHashSet::default();
    let mut is_in_memory = false;
    loop {
        let before = (found.len(), is_in_memory);
        for (function, effects) in prepared.effects.iter().enumerate() {
            for effect in effects {
                let holds = |o: &Operand| {
                    is_source(o)
                        || matches!(o, Operand::Register(r) if found.contains(&(function, *r)))
                };
                let mut made: Vec<RegisterId> = Vec::new();
                match effect {
                    Effect::Load { base, to, .. } if is_source(base) => {
                        made.extend(to.iter().flatten());
                    }
                    Effect::Load { to, .. } if is_in_memory => made.extend(to.iter().flatten()),
                    Effect::Modify { to: Some(Some(to)), .. } if is_in_memory => made.push(*to),
                    Effect::Compute { to: Some(to), operands, .. }
                    | Effect::Carry { to: Some(to), operands, .. }
                        if operands.iter().any(|o| holds(o)) =>
                    {
                        made.push(*to)
                    }
                    Effect::Pack { parts, to } if parts.iter().any(|o| holds(o)) => made.push(*to),
                    Effect::Unpack { parts, from } if holds(from) => {
                        made.extend(parts.iter().flatten())
                    }
                    Effect::ConvertAddress { address, to, .. } if holds(address) => made.push(*to),
                    Effect::Store { values, .. } => is_in_memory |= values.iter().any(|o| holds(o)),
                    Effect::Modify { operands, .. } => {
                        is_in_memory |= operands.iter().any(|o| holds(o))
                    }
                    Effect::Call { results, arguments, .. }
                        if is_in_memory || arguments.iter().any(holds) =>
                    {
                        is_in_memory = true;
                        made.extend(results.iter().filter_map(|o| {
                            if let Operand::Register(r) = o { Some(*r) } else { None }
                        }));
                    }
                    _ => {}
                }
                found.extend(made.into_iter().map(|register| (function, register)));
            }
        }
        if (found.len(), is_in_memory) == before {
            return found;
        }
    }
}

struct Flow<'a, 'm> {
    module: &'a Module,
    prepared: &'a PreparedModule<'m>,
    /// What the other candidates reach: a sum with one of these says nothing.
    others: &'a [&'a FxHashSet<Holder>],
}

impl Flow<'_, '_> {
    /// What may hold a parameter, or a value made of it by sums, and what that is used as.
    fn of(&self, id: VariableId) -> (FxHashSet<Holder>, ParameterUse) {
        self.from(Holder::Memory(id))
    }

    /// The same of what holds the value at first.
    fn from(&self, start: Holder) -> (FxHashSet<Holder>, ParameterUse) {
        let mut holds: FxHashSet<Holder> = [start].into_iter().collect();
        let mut found = ParameterUse::Number;
        loop {
            let before = holds.len();
            for (function, effects) in self.prepared.effects.iter().enumerate() {
                for effect in effects {
                    self.step(function, effect, &mut holds, &mut found);
                }
            }
            if holds.len() == before {
                return (holds, found);
            }
        }
    }

    fn step(
        &self,
        function: usize,
        effect: &Effect<'_>,
        holds: &mut FxHashSet<Holder>,
        found: &mut ParameterUse,
    ) {
        let holder = |o: &Operand| match o {
            Operand::Register(r) => Some(Holder::Register(function, *r)),
            Operand::Variable(v, _) => Some(Holder::Memory(*v)),
            _ => None,
        };
        let register = |o: &Operand| {
            if let Operand::Register(r) = o { Some(Holder::Register(function, *r)) } else { None }
        };
        let parameter = |p: Parameter, of: usize| match p {
            Parameter::Memory(v) => Holder::Memory(v),
            Parameter::Register(r) => Holder::Register(of, r),
        };
        match effect {
            Effect::Load { access, base: base @ Operand::Variable(..), to, .. }
                if access.window == Window::Parameter
                    && holder(base).is_some_and(|h| holds.contains(&h)) =>
            {
                holds.extend(to.iter().flatten().map(|r| Holder::Register(function, *r)));
            }
            Effect::Load { access, base: Operand::Variable(id, _), offset, to }
                if access.window == Window::Parameter
                    && holds.iter().any(|h| matches!(h, Holder::Field(of, _) if of == id)) =>
            {
                let bytes = i64::from(access.ty.bits.div_ceil(8));
                for (n, register) in to.iter().enumerate() {
                    if let Some(register) = register
                        && holds.contains(&Holder::Field(*id, offset + bytes * n as i64))
                    {
                        holds.insert(Holder::Register(function, *register));
                    }
                }
            }
            Effect::Store { access, base: base @ Operand::Variable(..), values, .. }
                if access.window == Window::Parameter
                    && values.iter().filter_map(|o| register(o)).any(|h| holds.contains(&h)) =>
            {
                holds.extend(holder(base));
            }
            Effect::Compute { function: computed, to: Some(to), operands, .. }
            | Effect::Carry { function: computed, to: Some(to), operands, .. } => {
                let addends: &[&Operand] = match computed {
                    Computation::Move | Computation::Add => operands,
                    Computation::Select => operands.get(..2).unwrap_or(&[]),
                    Computation::Subtract => operands.get(..1).unwrap_or(&[]),
                    Computation::MultiplyAdd(_) => operands.get(2..).unwrap_or(&[]),
                    _ => &[],
                };
                let is_of = |o: &Operand| register(o).is_some_and(|h| holds.contains(&h));
                let is_sum = *computed == Computation::Add;
                let of_another = |o: &Operand| {
                    !is_of(o)
                        && register(o)
                            .is_some_and(|h| self.others.iter().any(|all| all.contains(&h)))
                };
                if addends.iter().any(|o| is_of(o))
                    && !(is_sum && addends.iter().any(|o| of_another(o)))
                {
                    holds.insert(Holder::Register(function, *to));
                }
            }
            Effect::Call { function: called, results, arguments, .. } => {
                // What is at an address may be each function that takes so many arguments.
                let all = self.module.functions.iter().enumerate();
                let may_be_called = |f: &margay_ptx::Function| match called {
                    Some(name) => f.name == **name,
                    None => !f.entry && f.body.is_some() && f.parameters.len() == arguments.len(),
                };
                for (callee, called) in all.filter(|(_, f)| may_be_called(f)) {
                    for (argument, to) in arguments.iter().zip(&called.parameters) {
                        if holder(argument).is_some_and(|h| holds.contains(&h)) {
                            holds.insert(parameter(*to, callee));
                        }
                    }
                    for (result, from) in results.iter().zip(&called.results) {
                        if holds.contains(&parameter(*from, callee)) {
                            holds.extend(holder(result));
                        }
                    }
                }
            }
            Effect::ConvertAddress { address: base, to, .. }
                if register(base).is_some_and(|h| holds.contains(&h)) =>
            {
                holds.insert(Holder::Register(function, *to));
                *found = ParameterUse::Pointer;
            }
            Effect::IsSpace { address: base, .. }
            | Effect::Load { base, .. }
            | Effect::Store { base, .. }
            | Effect::Modify { base, .. }
            | Effect::Matrix { base, .. }
                if register(base).is_some_and(|h| holds.contains(&h)) =>
            {
                *found = ParameterUse::Pointer;
            }
            Effect::Async(effect)
                if effect
                    .addresses()
                    .iter()
                    .filter_map(|at| register(at.base))
                    .any(|h| holds.contains(&h)) =>
            {
                *found = ParameterUse::Pointer;
            }
            Effect::Store { values, .. } => {
                let is_kept = values.iter().filter_map(|o| register(o)).any(|h| holds.contains(&h));
                if is_kept && *found == ParameterUse::Number {
                    *found = ParameterUse::Open;
                }
            }
            _ => {}
        }
    }
}
