//! Where the variables of a module are.

use std::sync::Arc;

use margay_ptx::effect::reached;
use margay_ptx::{
    Function, Initial, MemoryVariable, Module, Operand, Parameter, StateSpace, VariableId,
};
use rustc_hash::FxHashMap;

use crate::address::{ArrayRoom, FRAME_WINDOWS, SHARED_WINDOWS};
use crate::memory::GlobalMemory;
use crate::refusal::ModuleRefusal;

/// The most bytes of a thread's own memory in one call.
pub(crate) const MAX_FRAME: u64 = 1 << 20;

/// The most bytes of shared memory of a block, on the GPUs that have the most: 227 KB (CUDA C++
/// Programming Guide, compute capabilities 9.0 and 10.0).
pub(crate) const MAX_SHARED: u64 = 227 << 10;

// What the launch gives lies behind the variables.
const _: () = assert!(2 * MAX_SHARED + 256 <= SHARED_WINDOWS.most_bytes());
const _: () = assert!(MAX_FRAME <= FRAME_WINDOWS.most_bytes());

/// A variable of a call: its address, less that of the call, and where it is in the call's memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FramePlace {
    pub address: u64,
    pub start: u32,
}

/// The variables of shared memory.
#[derive(Debug)]
pub(crate) struct SharedVariables {
    /// For each kernel, by its number in the module: those that it does not use have no bytes.
    rooms: FxHashMap<usize, Vec<ArrayRoom>>,
    /// What the launch gives lies behind all of them.
    pub dynamic: ArrayRoom,
}

impl SharedVariables {
    /// Those of a kernel.
    pub(crate) fn of(&self, kernel: usize) -> Vec<ArrayRoom> {
        self.rooms.get(&kernel).cloned().unwrap_or_default()
    }
}

/// The variables of a call of a function.
#[derive(Debug, Default)]
pub(crate) struct FrameVariables {
    pub rooms: Vec<ArrayRoom>,
    pub bytes: u64,
}

/// Where the variables of a module are.
pub(crate) struct VariablePlaces<'m> {
    pub module: &'m Module,
    /// The functions that have a body.
    pub of: Vec<usize>,
    /// Global and constant memory, and shared memory.
    pub fixed: FxHashMap<VariableId, u64>,
    pub shared: SharedVariables,
    /// Memory of a call.
    pub frames: FxHashMap<VariableId, FramePlace>,
    /// Of each function that has a body.
    pub of_frames: Vec<FrameVariables>,
}

fn name_of(variable: &MemoryVariable) -> Arc<str> {
    variable.source_name().unwrap_or(&variable.name).into()
}

/// The next place at which a variable of shared memory may be.
fn aligned(at: u64, variable: &MemoryVariable) -> u64 {
    at.next_multiple_of(
        variable.align.unwrap_or(u64::from(variable.ty.bits.div_ceil(8))).clamp(1, 256),
    )
}

/// The variables of shared memory that a kernel uses, itself or by what it calls.
fn shared_of(module: &Module, kernel: usize) -> Vec<VariableId> {
    let mut used: Vec<VariableId> = Vec::new();
    for function in reached(module, [kernel]) {
        let operands = module.functions[function].body.iter().flatten().flat_map(|i| &i.operands);
        used.extend(operands.flat_map(Operand::parts).filter_map(|part| match part {
            Operand::Variable(id, _) if module.variable(*id).space == StateSpace::Shared => {
                Some(*id)
            }
            _ => None,
        }));
    }
    used.sort_unstable();
    used.dedup();
    used
}

/// How many bytes of shared memory the variables of a kernel take.
pub(crate) fn shared_bytes(module: &Module, kernel: usize) -> u64 {
    let variables = shared_of(module, kernel).into_iter().map(|id| module.variable(id));
    variables.fold(0, |at, variable| {
        variable.size.map_or(at, |size| aligned(at, variable).saturating_add(size))
    })
}

impl<'m> VariablePlaces<'m> {
    /// Places the variables of a module; those of global and constant memory are put into memory.
    ///
    /// # Errors
    /// One is of another module, or too large.
    pub(crate) fn find(
        module: &'m Module,
        memory: &mut GlobalMemory,
    ) -> Result<Self, ModuleRefusal> {
        if module.address_size != 64 {
            return Err(ModuleRefusal::NarrowAddresses);
        }
        let of: Vec<usize> =
            (0..module.functions.len()).filter(|&f| module.functions[f].body.is_some()).collect();
        let mut fixed = FxHashMap::default();
        for (n, variable) in module.variables.iter().enumerate() {
            if !matches!(variable.space, StateSpace::Global | StateSpace::Constant) {
                continue;
            }
            let size = variable.size.ok_or_else(|| ModuleRefusal::OfAnotherModule {
                variable: variable.name.clone(),
            })?;
            fixed.insert(VariableId(n as u32), memory.allocate(&name_of(variable), size)?);
        }
        let (shared, addresses) = shared_variables(module)?;
        fixed.extend(addresses);
        let mut frames = FxHashMap::default();
        let of_frames = of
            .iter()
            .map(|&f| frame(module, &module.functions[f], &mut frames))
            .collect::<Result<Vec<FrameVariables>, ModuleRefusal>>()?;
        let places = Self { module, of, fixed, shared, frames, of_frames };
        places.initialise(memory)?;
        Ok(places)
    }

    /// What variables hold at the start.
    fn initialise(&self, memory: &mut GlobalMemory) -> Result<(), ModuleRefusal> {
        let module = self.module;
        for (n, variable) in module.variables.iter().enumerate() {
            let Some(&address) = self.fixed.get(&VariableId(n as u32)) else { continue };
            if !matches!(variable.space, StateSpace::Global | StateSpace::Constant) {
                continue;
            }
            let bytes = usize::from(variable.ty.bits.div_ceil(8));
            for (element, initial) in variable.initial.iter().enumerate() {
                let value = match initial {
                    Initial::Bits(bits) => *bits,
                    Initial::Address(name, distance) => {
                        let other = module
                            .variables
                            .iter()
                            .position(|v| v.name == *name)
                            .map(|n| VariableId(n as u32));
                        let other = other
                            .and_then(|id| self.fixed.get(&id))
                            .ok_or_else(|| ModuleRefusal::NoAddress { of: name.clone() })?;
                        other.wrapping_add_signed(*distance)
                    }
                };
                memory.write(
                    address + (element * bytes) as u64,
                    &value.to_le_bytes()[..bytes.min(8)],
                )?;
            }
        }
        Ok(())
    }
}

/// The variables of shared memory, with their addresses: side by side for each kernel, as if it had
/// no others than its own.
fn shared_variables(
    module: &Module,
) -> Result<(SharedVariables, Vec<(VariableId, u64)>), ModuleRefusal> {
    let used: Vec<(usize, Vec<VariableId>)> =
        module.kernels().map(|kernel| (kernel, shared_of(module, kernel))).collect();
    let mut ends = vec![0; used.len()];
    let (mut rooms, mut ids, mut addresses, mut open) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (n, variable) in
        module.variables.iter().enumerate().filter(|(_, v)| v.space == StateSpace::Shared)
    {
        let id = VariableId(n as u32);
        let Some(bytes) = variable.size else {
            open.push(id);
            continue;
        };
        let users = || (0..used.len()).filter(|n| used[*n].1.binary_search(&id).is_ok());
        let start = aligned(users().map(|n| ends[n]).max().unwrap_or(0), variable);
        let end = start.checked_add(bytes).filter(|end| *end <= MAX_SHARED).ok_or_else(|| {
            ModuleRefusal::Shared { variable: name_of(variable).to_string(), bytes }
        })?;
        users().for_each(|n| ends[n] = end);
        // One more is for what the launch gives.
        if rooms.len() + 1 >= SHARED_WINDOWS.most() {
            return Err(ModuleRefusal::TooManyShared);
        }
        addresses.push((id, SHARED_WINDOWS.address(rooms.len(), start)));
        ids.push(id);
        rooms.push(ArrayRoom { name: name_of(variable), start, bytes });
    }
    // An array without a size lies behind the others.
    let last = rooms
        .iter()
        .map(|room: &ArrayRoom| room.start + room.bytes)
        .max()
        .unwrap_or(0)
        .next_multiple_of(256);
    let name = open
        .first()
        .map_or_else(|| "shared memory of the launch".into(), |id| name_of(module.variable(*id)));
    addresses.extend(open.into_iter().map(|id| (id, SHARED_WINDOWS.address(rooms.len(), last))));
    let of = |used: &[VariableId]| {
        let is_used = |id: &VariableId| used.binary_search(id).is_ok();
        let all = rooms.iter().zip(&ids);
        all.map(|(room, id)| ArrayRoom {
            bytes: if is_used(id) { room.bytes } else { 0 },
            ..room.clone()
        })
        .collect()
    };
    let rooms = used.iter().map(|(kernel, used)| (*kernel, of(used))).collect();
    Ok((SharedVariables { rooms, dynamic: ArrayRoom { name, start: last, bytes: 0 } }, addresses))
}

/// The variables of a call.
fn frame(
    module: &Module,
    function: &Function,
    frames: &mut FxHashMap<VariableId, FramePlace>,
) -> Result<FrameVariables, ModuleRefusal> {
    let of_parameters =
        function.parameters.iter().chain(&function.results).filter_map(|p| match p {
            Parameter::Memory(id) => Some(*id),
            Parameter::Register(_) => None,
        });
    let mut found = FrameVariables::default();
    for id in of_parameters.chain(function.variables.iter().copied()) {
        let variable = module.variable(id);
        if !matches!(variable.space, StateSpace::Local | StateSpace::Parameter)
            || frames.contains_key(&id)
        {
            continue;
        }
        let bytes = variable.size.unwrap_or(8);
        let start = found.bytes.next_multiple_of(variable.align.unwrap_or(8).clamp(8, 256));
        found.bytes = start
            .checked_add(bytes)
            .filter(|end| *end <= MAX_FRAME)
            .ok_or_else(|| ModuleRefusal::Frame { function: function.name.clone() })?;
        frames.insert(
            id,
            FramePlace {
                address: FRAME_WINDOWS.address(found.rooms.len(), start),
                start: start as u32,
            },
        );
        found.rooms.push(ArrayRoom { name: name_of(variable), start, bytes });
    }
    found.bytes = found.bytes.next_multiple_of(256);
    Ok(found)
}
