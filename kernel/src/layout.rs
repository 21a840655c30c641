//! Where memory lies: each array has addresses of its own, so that what a kernel computes with
//! addresses is arithmetic on numbers.

use margay_ptx::{
    Function, Initial, MemoryVariable, Module, Operand, Parameter, StateSpace, VariableId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::content::ArrayContent;
use crate::flow::leaves;
use crate::launch::Argument;

/// How far arrays of global and constant memory are apart.
const ARRAY: u32 = 40;

/// The number of the first of them in its address. That of the last is below twice this, so that
/// the sum of two addresses, and the distance of two, are in no array.
const ARRAYS: u64 = 1 << 14;

/// The most bytes of an array of global or constant memory, and as far as one without a size is
/// followed. What lies behind, up to the next array, is outside of everything: an index below 0 is
/// found.
pub(crate) const MOST_BYTES: u64 = 1 << 39;

/// The most bytes of a window of shared or local memory, and of parameters of one function.
const WINDOW: u64 = 1 << 31;

/// The same of shared memory in a cluster, whose blocks have theirs side by side.
const SHARED_WINDOW: u64 = 1 << 26;

/// How far the shared memory of one block of a cluster is from that of the next one, where another
/// block names it; a block names its own from 0.
pub(crate) const RANK: u64 = 1 << 27;

/// The lowest bits of the addresses of variables of shared memory are those that they have side by
/// side: descriptors of matrices have no others.
const DENSE: u64 = 1 << 18;

/// The most bytes between two variables of shared or local memory: nothing is there, so that an
/// index that leaves one meets no other.
const GAP: u64 = 1 << 24;

/// The most bytes of a parameter.
const PARAMETER_BYTES: u64 = 1 << 20;

/// The generic address of the first byte of shared memory, less its address there.
pub(crate) const SHARED: u64 = 1 << 56;

/// The same of local memory.
pub(crate) const LOCAL: u64 = 2 << 56;

/// The same of parameters.
pub(crate) const PARAMETER: u64 = 3 << 56;

/// The addresses of functions, by their numbers: nothing can be read there.
const FUNCTION: u64 = 4 << 56;

/// Functions are 16 bytes apart. None where the module has none of that name.
pub(crate) fn function_address(module: &Module, name: &str) -> Option<u64> {
    module.function(name).map(|function| FUNCTION | (function as u64) << 4)
}

/// None for an address that is not the start of one.
pub(crate) fn function_at(module: &Module, address: u64) -> Option<&Function> {
    let number = (address ^ FUNCTION) >> 4;
    module.functions.get(usize::try_from(number).ok()?).filter(|_| address & 15 == 0)
}

/// Memory that threads share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// An array of global or constant memory.
    Array(u32),
    /// A variable in the shared memory of a block.
    Shared(u32, VariableId),
    /// Mbarriers in a variable of the shared memory of a block, where its bytes are used as data as
    /// well, or invalidated.
    Mbarrier(u32, VariableId),
    /// Whether bytes of such a variable are an mbarrier: 1 from its initialisation on, 0 once it is
    /// invalidated.
    Validity(u32, VariableId),
    /// What goes from lane to lane of a warp: its number among those of all blocks, and a mask;
    /// without a mask, from thread to thread of a block at a barrier, blocks being numbered from
    /// the other end. No access of the kernel names it.
    Exchange(u32, u32),
    /// Zeros that asynchronous copies read where they are told to, and whatever is brought of a
    /// tensor.
    Zeros,
    /// What an asynchronous operation writes, and nobody knows where: is it in shared memory, and a
    /// number of its own.
    Elsewhere(bool, u32),
    /// A part of a tensor in global memory, which copies by tensor maps alone access: its number.
    Part(u32),
    /// The tensor memory of a block.
    Tensor(u32),
}

/// What an address is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// Memory that threads share, and the distance from its start.
    Object(Object, u64),
    /// Memory of the thread alone, by its generic address.
    Own(u64),
}

/// An array of global or constant memory.
#[derive(Debug, Clone)]
pub(crate) struct Array {
    pub name: String,
    /// How many bytes; nothing where that is not known.
    pub size: Option<u64>,
    /// Of what its address is a multiple, as far as a variable says it.
    pub alignment: Option<u64>,
    /// Its first bytes, where it is a variable of the module; the rest is zero.
    pub bytes: Vec<u8>,
    /// What it holds, where it is passed.
    pub content: Option<ArrayContent>,
}

/// The memory of a launch.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub arrays: Vec<Array>,
    /// For each variable of global, constant, shared and local memory its address in its space.
    addresses: FxHashMap<VariableId, u64>,
    /// Variables of shared memory by their addresses, ascending, with their sizes.
    shared: Vec<(u64, Option<u64>, VariableId)>,
    /// The same of local memory.
    local: Vec<(u64, Option<u64>, VariableId)>,
    /// How large the parts of tensors are, by where their maps are: a range of addresses, and
    /// bytes.
    parts: Vec<(std::ops::Range<u64>, u64)>,
    /// For each variable how many bytes it has, if it is a parameter.
    parameters: FxHashMap<VariableId, Option<u64>>,
    /// What is known of parameters of the kernel: the variable, the first byte, how many bytes, and
    /// what they hold.
    pub arguments: Vec<(VariableId, u64, u64, u64)>,
    /// The parameters of which numbers were chosen, or of fields of which.
    pub chosen: Vec<VariableId>,
    /// Those of them that are as wide as an address.
    pub wide: Vec<VariableId>,
    /// How many blocks are in a cluster.
    pub cluster: u32,
    /// Where the barrier of the grid counts, in a launch that is cooperative: the driver says it in
    /// two registers.
    grid_workspace: Option<u64>,
}

/// The registers in which the driver says where the barrier of the grid counts: the upper and the
/// lower half of an address, as the headers of CUDA put them together (`get_grid_workspace`).
const OF_GRID: [&str; 2] = ["envreg1", "envreg2"];

impl Layout {
    /// The memory of a kernel with these arguments, one for each parameter. `reached` are the
    /// functions that it may call, itself among them: what others declare is not there.
    ///
    /// # Errors
    /// It is larger than addresses go: what is, and how large it may be.
    pub fn new(
        module: &Module,
        kernel: &Function,
        reached: &[usize],
        arguments: &[Argument],
        cluster: u32,
    ) -> Result<Self, String> {
        let mut layout = Self {
            arrays: Vec::new(),
            addresses: FxHashMap::default(),
            shared: Vec::new(),
            local: Vec::new(),
            parts: Vec::new(),
            parameters: FxHashMap::default(),
            arguments: Vec::new(),
            chosen: Vec::new(),
            wide: Vec::new(),
            cluster: cluster.max(1),
            grid_workspace: None,
        };
        let mut bases: Vec<u64> = Vec::new();
        for (n, argument) in arguments.iter().enumerate() {
            let value = layout.passed(format!("arg{n}"), argument, &bases)?;
            bases.push(value.unwrap_or(0));
            let Some(Parameter::Memory(id)) = kernel.parameters.get(n) else { continue };
            let widest = match argument {
                Argument::Chosen(_) => Some(u64::from(module.variable(*id).ty.bits / 8)),
                Argument::Structure(fields) => fields
                    .iter()
                    .filter(|(.., of)| matches!(of, Argument::Chosen(_)))
                    .map(|(_, bytes, _)| *bytes)
                    .max(),
                _ => None,
            };
            layout.chosen.extend(widest.map(|_| *id));
            layout.wide.extend((widest == Some(8)).then_some(*id));
            if let Argument::Tensor { bytes } = argument {
                let size = module.variable(*id).size.unwrap_or(8);
                // A map that is passed by value, or those of an array that is pointed to.
                let (start, end) = match value.filter(|_| size <= 8) {
                    Some(array) => (array, array + MOST_BYTES),
                    None => (layout.address(*id, 0), layout.address(*id, 0) + size),
                };
                layout.parts.push((start..end, *bytes));
                if size > 8 {
                    continue;
                }
            }
            if let Some(value) = value {
                let bytes = module.variable(*id).size.unwrap_or(8).min(8);
                layout.arguments.push((*id, 0, bytes, value));
            }
            if let Argument::Structure(fields) = argument {
                for (offset, bytes, field) in fields {
                    if let Some(value) = layout.passed(format!("arg{n}_{offset}"), field, &bases)? {
                        layout.arguments.push((*id, *offset, *bytes, value));
                    }
                }
            }
        }
        let all = || module.variables.iter().enumerate().map(|(n, v)| (VariableId(n as u32), v));
        let of_functions: FxHashSet<VariableId> =
            module.functions.iter().flat_map(|f| f.variables.iter().copied()).collect();
        let of_reached: FxHashSet<VariableId> =
            reached.iter().flat_map(|&f| module.functions[f].variables.iter().copied()).collect();
        let is_there = |id: &VariableId| !of_functions.contains(id) || of_reached.contains(id);
        for (id, variable) in all() {
            match variable.space {
                StateSpace::Global | StateSpace::Constant => {
                    let address = layout.array(variable.name.clone(), variable.size, None)?;
                    if let Some(array) = layout.arrays.last_mut() {
                        array.alignment = Some(alignment(variable));
                    }
                    layout.addresses.insert(id, address);
                }
                StateSpace::Parameter => {
                    layout.parameters.insert(id, variable.size);
                }
                _ => {}
            }
        }
        let is_of_grid =
            |o: &&Operand| matches!(o, Operand::Special(name) if OF_GRID.contains(&name.as_str()));
        let bodies = reached.iter().filter_map(|&f| module.functions[f].body.as_deref());
        if bodies.flatten().any(|i| leaves(&i.operands).iter().any(&is_of_grid)) {
            layout.grid_workspace = Some(layout.array("grid_workspace".to_owned(), None, None)?);
        }
        let of = |space: StateSpace| {
            all().filter(|(id, v)| v.space == space && is_there(id)).collect::<Vec<_>>()
        };
        let most = if cluster > 1 { SHARED_WINDOW } else { WINDOW };
        layout.shared = window("shared", &of(StateSpace::Shared), most)?;
        layout.local = window("local", &of(StateSpace::Local), WINDOW)?;
        layout
            .addresses
            .extend(layout.shared.iter().chain(&layout.local).map(|&(at, _, id)| (id, at)));
        for (id, variable) in all().filter(|(_, v)| !v.initial.is_empty()) {
            let width = usize::from(variable.ty.bits.div_ceil(8));
            let mut bytes = Vec::with_capacity(variable.initial.len() * width);
            for initial in &variable.initial {
                let value = match initial {
                    Initial::Bits(bits) => *bits,
                    Initial::Address(name, offset) => {
                        let of = all()
                            .find(|(_, v)| v.name == *name)
                            .and_then(|(id, _)| layout.addresses.get(&id));
                        let of = of.copied().or_else(|| function_address(module, name));
                        of.unwrap_or(0).wrapping_add_signed(*offset)
                    }
                };
                bytes.extend_from_slice(&value.to_le_bytes()[..width.min(8)]);
            }
            if let Some((Target::Object(Object::Array(n), _), _)) = layout
                .addresses
                .get(&id)
                .map(|&a| (layout.generic(a, 0), a))
                .and_then(|(t, a)| Some((t?, a)))
            {
                layout.arrays[n as usize].bytes = bytes;
            }
        }
        Ok(layout)
    }

    /// What a parameter, or a field of one, holds: the array that is passed gets a place.
    fn passed(
        &mut self,
        name: String,
        argument: &Argument,
        bases: &[u64],
    ) -> Result<Option<u64>, String> {
        Ok(match argument {
            Argument::Number(n) | Argument::Chosen(n) => Some(*n as u64),
            Argument::Tensor { .. } => Some(self.array(name, None, Some(ArrayContent::zeros()))?),
            Argument::Array { bytes, content } => {
                Some(self.array(name, *bytes, Some(content.clone()))?)
            }
            Argument::SameAs(other) => bases.get(*other).copied(),
            Argument::Structure(_) | Argument::Unknown => None,
        })
    }

    fn array(
        &mut self,
        name: String,
        size: Option<u64>,
        content: Option<ArrayContent>,
    ) -> Result<u64, String> {
        if let Some(size) = size.filter(|&size| size > MOST_BYTES) {
            return Err(format!("`{name}` has {size} bytes; an array may have {MOST_BYTES}"));
        }
        let number = self.arrays.len() as u64;
        if number >= ARRAYS {
            return Err(format!(
                "there are more than {ARRAYS} arrays of global and constant memory"
            ));
        }
        self.arrays.push(Array { name, size, alignment: None, bytes: Vec::new(), content });
        Ok((ARRAYS + number) << ARRAY)
    }

    /// What a register holds that the driver sets for the barrier of the grid.
    pub fn of_grid(&self, name: &str) -> Option<u64> {
        let [upper, lower] = OF_GRID.map(|of| of == name);
        self.grid_workspace
            .filter(|_| upper || lower)
            .map(|address| if upper { address >> 32 } else { address & 0xffff_ffff })
    }

    /// The address of a variable in its space; parameters of a function at a depth of calls have
    /// one for each depth.
    pub fn address(&self, id: VariableId, depth: usize) -> u64 {
        match self.addresses.get(&id) {
            Some(&address) => address,
            None => PARAMETER | (depth as u64) << 44 | u64::from(id.0) << 20,
        }
    }

    /// What a generic address is of, for a thread of a block; nothing where it is outside of
    /// everything.
    pub fn generic(&self, address: u64, block: u32) -> Option<Target> {
        match address >> 56 {
            0 => {
                let n = (address >> ARRAY).checked_sub(ARRAYS)?;
                let array = self.arrays.get(usize::try_from(n).ok()?)?;
                let offset = address & ((1 << ARRAY) - 1);
                (offset < array.size.unwrap_or(MOST_BYTES))
                    .then_some(Target::Object(Object::Array(n as u32), offset))
            }
            1 => self.shared(address - SHARED, block),
            2 | 3 => self.is_own(address, 1).then_some(Target::Own(address)),
            _ => None,
        }
    }

    /// Is a generic address one of no array's room, so that it was not made from the address of
    /// one?
    pub fn is_in_no_room(&self, address: u64) -> bool {
        address >> 56 == 0
            && (address >> ARRAY).checked_sub(ARRAYS).is_none_or(|n| n >= self.arrays.len() as u64)
    }

    /// The rank of the block whose shared memory an address of shared memory is in, if it is that
    /// of another one of the cluster.
    pub fn rank(&self, address: u64) -> Option<u32> {
        (address / RANK).checked_sub(1).filter(|_| self.cluster > 1).map(|rank| rank as u32)
    }

    /// What an address of shared memory is of.
    pub fn shared(&self, address: u64, block: u32) -> Option<Target> {
        let (block, address) = match self.rank(address) {
            Some(rank) if rank < self.cluster => {
                (block - block % self.cluster + rank, address % RANK)
            }
            Some(_) => return None,
            None => (block, address),
        };
        let (id, offset) = within(&self.shared, address, 1)?;
        Some(Target::Object(Object::Shared(block, id), offset))
    }

    /// How many bytes a part of a tensor has, by the address of its map, where that is passed.
    pub fn part_bytes(&self, map: u64) -> Option<u64> {
        self.parts.iter().find(|(range, _)| range.contains(&map)).map(|(_, bytes)| *bytes)
    }

    /// The variable of shared memory that has an address of which the lowest 18 bits alone are
    /// known, the distance from its start, and how much of it is left from there. The variables of
    /// a kernel lie so that no two have the same.
    pub fn shared_at_low_bits(
        &self,
        address: u64,
        block: u32,
    ) -> Option<(Object, u64, Option<u64>)> {
        self.shared.iter().find_map(|&(start, size, id)| {
            let offset = address.wrapping_sub(start) & (DENSE - 1);
            let is_inside = size.is_none_or(|size| offset < size);
            is_inside.then(|| (Object::Shared(block, id), offset, size.map(|size| size - offset)))
        })
    }

    /// Are bytes at a generic address those of one variable of local memory, or of one parameter?
    pub fn is_own(&self, address: u64, bytes: u64) -> bool {
        if address >> 56 == LOCAL >> 56 {
            return within(&self.local, address - LOCAL, bytes).is_some();
        }
        let (id, offset) =
            (VariableId((address >> 20) as u32 & 0xff_ffff), address & (PARAMETER_BYTES - 1));
        let size = self.parameters.get(&id).map(|size| size.unwrap_or(PARAMETER_BYTES));
        size.is_some_and(|size| offset + bytes <= size)
    }

    /// How far a place is from the start of its variable, and of what that is a multiple, as far as
    /// it is known. Variables without a size lie where the launch has its shared memory.
    pub fn distance(&self, module: &Module, target: Target) -> (u64, Option<u64>) {
        let declared = |id: VariableId| {
            Some(alignment(module.variable(id))).filter(|_| module.variable(id).size.is_some())
        };
        match target {
            Target::Object(Object::Shared(_, id), offset) => (offset, declared(id)),
            Target::Object(Object::Array(n), offset) => (offset, self.arrays[n as usize].alignment),
            Target::Object(_, offset) => (offset, None),
            Target::Own(address) if address >> 56 == LOCAL >> 56 => {
                match within(&self.local, address - LOCAL, 1) {
                    Some((id, offset)) => (offset, declared(id)),
                    None => (0, None),
                }
            }
            Target::Own(address) => (address & (PARAMETER_BYTES - 1), None),
        }
    }

    /// Has the thread variables of local memory?
    pub fn has_local(&self) -> bool {
        !self.local.is_empty()
    }

    /// The array that a number is an address of, if it is that of a generic one.
    pub fn array_of(&self, value: u64) -> Option<Object> {
        match self.generic(value, 0)? {
            Target::Object(object @ Object::Array(_), _) => Some(object),
            _ => None,
        }
    }

    /// The first address of an object, in generic memory (arrays) or in shared memory, and its
    /// size.
    pub fn extent(&self, object: Object) -> (u64, Option<u64>) {
        match object {
            Object::Array(n) => ((u64::from(n) + ARRAYS) << ARRAY, self.arrays[n as usize].size),
            Object::Shared(_, id) | Object::Mbarrier(_, id) | Object::Validity(_, id) => {
                let found = self.shared.iter().find(|(.., of)| *of == id);
                found.map_or((GAP, None), |&(start, size, _)| (start, size))
            }
            Object::Exchange(..)
            | Object::Zeros
            | Object::Elsewhere(..)
            | Object::Part(_)
            | Object::Tensor(_) => (0, None),
        }
    }

    /// What memory holds at the start; nothing where that is not defined.
    pub fn initial(&self, object: Object, offset: u64, bytes: u64) -> Option<u64> {
        let n = match object {
            Object::Array(n) => n,
            Object::Exchange(..)
            | Object::Zeros
            | Object::Elsewhere(..)
            | Object::Part(_)
            | Object::Tensor(_)
            | Object::Mbarrier(..)
            | Object::Validity(..) => return Some(0),
            Object::Shared(..) => return None,
        };
        let array = &self.arrays[n as usize];
        let of = |at: u64| match &array.content {
            Some(content) => content.byte(at),
            None => {
                usize::try_from(at).ok().and_then(|at| array.bytes.get(at)).copied().unwrap_or(0)
            }
        };
        Some(
            (0..bytes)
                .map(|i| u64::from(of(offset + i)) << (8 * i))
                .fold(0, |all, byte| all | byte),
        )
    }

    /// In litmus tests: the shared memory `s` of block 0 is `s_b0`.
    pub fn name(&self, module: &Module, object: Object) -> String {
        match object {
            Object::Array(n) => self.arrays[n as usize].name.clone(),
            Object::Shared(block, id) => {
                let whole = &module.variable(id).name;
                let short = module.variable(id).source_name().filter(|short| {
                    let same = |&&(.., of): &&(u64, Option<u64>, VariableId)| {
                        module.variable(of).source_name() == Some(short)
                    };
                    self.shared.iter().filter(same).count() == 1
                });
                format!("{}_b{block}", short.unwrap_or(whole))
            }
            Object::Mbarrier(block, id) => {
                format!("{}_mbarrier", self.name(module, Object::Shared(block, id)))
            }
            Object::Validity(block, id) => {
                format!("{}_is_mbarrier", self.name(module, Object::Shared(block, id)))
            }
            Object::Zeros => "zeros".to_owned(),
            Object::Elsewhere(_, n) => format!("elsewhere{n}"),
            Object::Part(n) => format!("part{n}"),
            Object::Tensor(block) => format!("tensor_memory_b{block}"),
            Object::Exchange(block, 0) => format!("brought_b{}", u32::MAX - block),
            Object::Exchange(warp, mask) => format!("lanes_{mask:x}_w{warp}"),
        }
    }
}

/// Addresses for the variables of shared or local memory, ascending, with gaps between them. Arrays
/// without a size lie behind all others, all at one place (PTX ISA 5.1.7).
fn window(
    name: &str,
    variables: &[(VariableId, &MemoryVariable)],
    most: u64,
) -> Result<Vec<(u64, Option<u64>, VariableId)>, String> {
    let gap = (most / (variables.len() as u64 + 1)).min(GAP);
    let mut found = Vec::with_capacity(variables.len());
    let mut next = gap;
    // Where they would lie without gaps.
    let mut dense = 0;
    let place = |next: u64, dense: u64| {
        if gap >= 4 * DENSE { next.div_ceil(DENSE) * DENSE + dense % DENSE } else { next }
    };
    for (id, variable) in variables.iter().filter(|(_, v)| v.size.is_some()) {
        dense = aligned(dense, variable);
        let start = aligned(place(next, dense), variable);
        let size = variable.size.unwrap_or(0);
        dense += size;
        next = start.checked_add(size).and_then(|end| end.checked_add(gap)).filter(|&end| end <= 2 * most).ok_or_else(|| {
            format!("the {name} memory of the kernel has more than {most} bytes, with `{}` of {size} bytes", variable.name)
        })?;
        found.push((start, Some(size), *id));
    }
    let open = || variables.iter().filter(|(_, v)| v.size.is_none());
    let start =
        open().map(|(_, v)| aligned(place(next, aligned(dense, v)), v)).max().unwrap_or(next);
    found.extend(open().map(|(id, _)| (start, None, *id)));
    Ok(found)
}

/// The variable that holds all bytes at an address, and the distance from its start.
fn within(
    variables: &[(u64, Option<u64>, VariableId)],
    address: u64,
    bytes: u64,
) -> Option<(VariableId, u64)> {
    let &(start, size, id) = variables.iter().rev().find(|(start, ..)| *start <= address)?;
    let offset = address - start;
    (offset.checked_add(bytes)? <= size.unwrap_or(GAP)).then_some((id, offset))
}

fn aligned(at: u64, variable: &MemoryVariable) -> u64 {
    at.next_multiple_of(alignment(variable))
}

/// Of what the address of a variable is a multiple.
fn alignment(variable: &MemoryVariable) -> u64 {
    variable.align.unwrap_or(u64::from(variable.ty.bits.div_ceil(8))).clamp(1, 1 << 20)
}
