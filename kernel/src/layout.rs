//! Where memory lies: each array has addresses of its own, so that what a kernel computes with addresses is arithmetic on numbers.

use margay_ptx::{Function, Initial, Module, Parameter, Space, Variable, VariableId};
use rustc_hash::FxHashMap;

use crate::launch::Argument;

/// How far arrays of global and constant memory are apart.
const ARRAY: u32 = 40;

/// The generic address of the first byte of shared memory, less its address there.
pub(crate) const SHARED: u64 = 1 << 56;

/// The same of local memory.
pub(crate) const LOCAL: u64 = 2 << 56;

/// The same of parameters.
pub(crate) const PARAMETER: u64 = 3 << 56;

/// The first address within shared and local memory; 0 is no address.
const FIRST: u64 = 0x400;

/// Memory that threads share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// An array of global or constant memory.
    Array(u32),
    /// A variable in the shared memory of a block.
    Shared(u32, VariableId),
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
    /// Its first bytes; the rest is zero.
    pub bytes: Vec<u8>,
}

/// The memory of a launch.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub arrays: Vec<Array>,
    /// For each variable of global, constant, shared and local memory its address in its space.
    addresses: FxHashMap<VariableId, u64>,
    /// Variables of shared memory by their addresses, ascending, with their sizes.
    shared: Vec<(u64, Option<u64>, VariableId)>,
    /// For each parameter of the kernel its variable, and what it holds.
    pub arguments: Vec<(VariableId, u64)>,
}

impl Layout {
    /// The memory of a kernel with these arguments, one for each parameter.
    pub fn new(module: &Module, kernel: &Function, arguments: &[Argument]) -> Self {
        let mut layout = Self { arrays: Vec::new(), addresses: FxHashMap::default(), shared: Vec::new(), arguments: Vec::new() };
        let mut bases: Vec<u64> = Vec::new();
        for (n, argument) in arguments.iter().enumerate() {
            let value = match argument {
                Argument::Number(n) => *n as u64,
                Argument::Array { bytes, content } => {
                    let raw = content.iter().flat_map(|n| (*n as u32).to_le_bytes()).collect();
                    layout.array(format!("arg{n}"), *bytes, raw)
                }
                Argument::SameAs(other) => bases.get(*other).copied().unwrap_or(0),
            };
            bases.push(value);
            if let Some(Parameter::Memory(id)) = kernel.parameters.get(n) {
                layout.arguments.push((*id, value));
            }
        }
        let (mut shared, mut local) = (FIRST, FIRST);
        let all = || module.variables.iter().enumerate().map(|(n, v)| (VariableId(n as u32), v));
        for (id, variable) in all() {
            match variable.space {
                Space::Global | Space::Constant => {
                    let address = layout.array(variable.name.clone(), variable.size, Vec::new());
                    layout.addresses.insert(id, address);
                }
                Space::Local => {
                    local = aligned(local, variable);
                    layout.addresses.insert(id, local);
                    local += variable.size.unwrap_or(0);
                }
                _ => {}
            }
        }
        // Arrays without a size lie behind all others (PTX ISA 5.1.7).
        for sized in [true, false] {
            for (id, variable) in all().filter(|(_, v)| v.space == Space::Shared && v.size.is_some() == sized) {
                shared = aligned(shared, variable);
                layout.addresses.insert(id, shared);
                layout.shared.push((shared, variable.size, id));
                shared += variable.size.unwrap_or(0);
            }
        }
        for (id, variable) in all().filter(|(_, v)| !v.initial.is_empty()) {
            let width = usize::from(variable.ty.bits.div_ceil(8));
            let mut bytes = Vec::with_capacity(variable.initial.len() * width);
            for initial in &variable.initial {
                let value = match initial {
                    Initial::Bits(bits) => *bits,
                    Initial::Address(name, offset) => {
                        let of = all().find(|(_, v)| v.name == *name).and_then(|(id, _)| layout.addresses.get(&id));
                        of.copied().unwrap_or(0).wrapping_add_signed(*offset)
                    }
                };
                bytes.extend_from_slice(&value.to_le_bytes()[..width.min(8)]);
            }
            if let Some((Target::Object(Object::Array(n), _), _)) =
                layout.addresses.get(&id).map(|&a| (layout.generic(a, 0), a)).and_then(|(t, a)| Some((t?, a)))
            {
                layout.arrays[n as usize].bytes = bytes;
            }
        }
        layout
    }

    fn array(&mut self, name: String, size: Option<u64>, bytes: Vec<u8>) -> u64 {
        self.arrays.push(Array { name, size, bytes });
        (self.arrays.len() as u64) << ARRAY
    }

    /// The address of a variable in its space; parameters of a function at a depth of calls have one for each depth.
    pub fn address(&self, id: VariableId, depth: usize) -> u64 {
        match self.addresses.get(&id) {
            Some(&address) => address,
            None => PARAMETER | (depth as u64) << 44 | u64::from(id.0) << 20,
        }
    }

    /// What a generic address is of, for a thread of a block; nothing where it is outside of everything.
    pub fn generic(&self, address: u64, block: u32) -> Option<Target> {
        match address >> 56 {
            0 => {
                let n = (address >> ARRAY).checked_sub(1)?;
                let array = self.arrays.get(usize::try_from(n).ok()?)?;
                let offset = address & ((1 << ARRAY) - 1);
                array.size.is_none_or(|size| offset < size).then_some(Target::Object(Object::Array(n as u32), offset))
            }
            1 => self.shared(address - SHARED, block),
            2 | 3 => Some(Target::Own(address)),
            _ => None,
        }
    }

    /// What an address of shared memory is of.
    pub fn shared(&self, address: u64, block: u32) -> Option<Target> {
        let &(start, size, id) = self.shared.iter().rev().find(|(start, ..)| *start <= address)?;
        let offset = address - start;
        size.is_none_or(|size| offset < size).then_some(Target::Object(Object::Shared(block, id), offset))
    }

    /// The array that a number is an address of, if it is that of a generic one.
    pub fn array_of(&self, value: u64) -> Option<Object> {
        match self.generic(value, 0)? {
            Target::Object(object @ Object::Array(_), _) => Some(object),
            _ => None,
        }
    }

    /// The first address of an object, in generic memory (arrays) or in shared memory, and its size.
    pub fn extent(&self, object: Object) -> (u64, Option<u64>) {
        match object {
            Object::Array(n) => ((u64::from(n) + 1) << ARRAY, self.arrays[n as usize].size),
            Object::Shared(_, id) => {
                let found = self.shared.iter().find(|(.., of)| *of == id);
                found.map_or((FIRST, None), |&(start, size, _)| (start, size))
            }
        }
    }

    /// What memory holds at the start; nothing where that is not defined.
    pub fn initial(&self, object: Object, offset: u64, bytes: u64) -> Option<u64> {
        let Object::Array(n) = object else { return None };
        let of = |at: u64| usize::try_from(at).ok().and_then(|at| self.arrays[n as usize].bytes.get(at)).copied().unwrap_or(0);
        Some((0..bytes).map(|i| u64::from(of(offset + i)) << (8 * i)).fold(0, |all, byte| all | byte))
    }

    /// The name of an object.
    pub fn name(&self, module: &Module, object: Object) -> String {
        match object {
            Object::Array(n) => self.arrays[n as usize].name.clone(),
            Object::Shared(block, id) => format!("{}_b{block}", module.variable(id).name),
        }
    }
}

fn aligned(at: u64, variable: &Variable) -> u64 {
    let to = variable.align.unwrap_or(u64::from(variable.ty.bits.div_ceil(8))).clamp(1, 1 << 20);
    at.div_ceil(to) * to
}
