//! Values: what is known of them, and the registers that hold what is not.

use margay_ptx::{Operand, RegisterId, ScalarType};

use super::value_range::ValueRange;
use super::{State, Thread};
use crate::launch::{Launch, coordinates};
use crate::layout::{Object, function_address};
use crate::residue::MemoryCell;
use crate::spelling::unsigned;

/// A register of a call, or memory of the thread alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Key {
    Register(u16, RegisterId),
    Cell(u64, u8),
    /// How many bytes the thread has told an mbarrier of that nothing has brought yet.
    Expected(u64),
    /// At which copy of a part of a tensor what an mbarrier was told of began to come: the function and the instruction.
    First(u64),
    /// How many copies by tensor maps have shared what an mbarrier was told of.
    Nth(u64),
    /// How much that was.
    Told(u64),
    /// At which copy of a part of a tensor bytes began to come of which an mbarrier was not told yet.
    Early(u64),
    /// What the last `add.cc` and its kin carried or borrowed.
    Carry,
    /// How many columns of tensor memory the thread has allocated.
    Allocated,
    /// A register that a `wgmma.mma_async` writes which nothing has waited for yet: how many groups were committed behind it, its own among them.
    Pending(u16, RegisterId),
    /// How many exchanges of this mask of its warp the thread has taken part in.
    Met(u32),
    /// How many numbers the thread has drawn from a counter.
    Drawn(MemoryCell),
    /// After how many barriers with a reduction one had a constant result: the rounds behind it are others than those in front.
    Settled,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum KnownValue {
    Bits(u64),
    /// It is in a register of the code that is left.
    Open {
        /// Is it of a function that nobody interprets?
        opaque: bool,
        /// The array that it points into, if it is an address.
        into: Option<Object>,
        /// How far it is from what was read from memory.
        plus: i64,
        /// Is it made of memory that nobody wrote? What it reaches is asked about ([`crate::undefined`]).
        undefined: bool,
        /// What it may be, where that are few numbers.
        range: Option<ValueRange>,
    },
}

pub(crate) const OPEN: KnownValue = KnownValue::Open { opaque: false, into: None, plus: 0, undefined: false, range: None };

pub(crate) const OPAQUE: KnownValue = KnownValue::Open { opaque: true, into: None, plus: 0, undefined: false, range: None };

pub(crate) const UNDEFINED: KnownValue = KnownValue::Open { opaque: true, into: None, plus: 0, undefined: true, range: None };

impl KnownValue {
    /// Is it of a function that nobody interprets, and of no memory that nobody wrote?
    pub fn is_opaque(self) -> bool {
        matches!(self, Self::Open { opaque: true, undefined: false, .. })
    }

    /// Is it made of memory that nobody wrote?
    pub fn is_undefined(self) -> bool {
        matches!(self, Self::Open { undefined: true, .. })
    }
}

/// What is known of a value that a function makes of others which nobody interprets.
pub(crate) fn uninterpreted<'v>(mut of: impl Iterator<Item = &'v Value>) -> KnownValue {
    if of.any(|value| value.known.is_undefined()) { UNDEFINED } else { OPAQUE }
}

/// A value: what is known of it, and the register that holds it where it is open.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub known: KnownValue,
    pub text: String,
}

impl Value {
    pub fn bits(&self) -> Option<u64> {
        if let KnownValue::Bits(bits) = self.known { Some(bits) } else { None }
    }
}

impl Thread<'_, '_> {
    pub(super) fn name(&mut self, key: Key) -> String {
        let next = self.names.len();
        format!("r{}", *self.names.entry(key).or_insert(next))
    }

    pub(crate) fn temporary(&mut self) -> String {
        self.fresh += 1;
        format!("t{}", self.fresh)
    }

    pub(super) fn register(&mut self, state: &State, key: Key) -> Value {
        match state.known.get(&key) {
            Some(&KnownValue::Bits(bits)) => constant(bits),
            Some(&known) => Value { known, text: self.name(key) },
            // It was never written.
            None => Value { known: OPAQUE, text: self.name(key) },
        }
    }

    pub(crate) fn value(&mut self, state: &State, operand: &Operand) -> Option<Value> {
        let depth = state.calls.len();
        Some(match operand {
            Operand::Register(register) => self.register(state, Key::Register(depth as u16, *register)),
            Operand::Integer(n) => constant(*n),
            Operand::Float(bits, _) => constant(*bits),
            Operand::Variable(id, offset) => constant(self.layout.address(*id, depth).wrapping_add_signed(*offset)),
            Operand::Name(name) => constant(function_address(self.prepared.module, name)?),
            Operand::Special(name) => match self.special(name) {
                Some(n) => constant(n),
                None => Value { known: OPAQUE, text: "0".to_owned() },
            },
            Operand::Not(register) => {
                let value = self.register(state, Key::Register(depth as u16, *register));
                match value.known {
                    KnownValue::Bits(bits) => constant(bits & 1 ^ 1),
                    known => {
                        let to = self.temporary();
                        self.emit(state, format!("xor.u32 {to}, {}, 1", value.text));
                        Value { known, text: to }
                    }
                }
            }
            _ => return None,
        })
    }

    pub(super) fn special(&self, name: &str) -> Option<u64> {
        let (base, dimension) = name.split_once('.').unwrap_or((name, "x"));
        let Launch { blocks, grid, block, cluster, .. } = self.launch;
        let lane = self.thread % 32;
        let of = |shape: [u32; 3]| {
            let at = match dimension {
                "x" => 0,
                "y" => 1,
                "z" => 2,
                _ => return None,
            };
            Some(u64::from(shape[at]))
        };
        Some(match base {
            "tid" => of(coordinates(self.thread, block))?,
            "ntid" => of(block)?,
            "ctaid" => of(coordinates(self.block, grid))?,
            "nctaid" => of(grid)?,
            // Clusters have one dimension where they have several blocks.
            "clusterid" if cluster > 1 => of([self.block / cluster, 0, 0])?,
            "clusterid" => of(coordinates(self.block, grid))?,
            "nclusterid" if cluster > 1 => of([blocks / cluster, 1, 1])?,
            "nclusterid" => of(grid)?,
            "cluster_ctaid" => of([self.block % cluster, 0, 0])?,
            "cluster_nctaid" => of([cluster, 1, 1])?,
            "cluster_ctarank" => u64::from(self.block % cluster),
            "cluster_nctarank" => u64::from(cluster),
            "is_explicit_cluster" => u64::from(cluster > 1),
            "gridid" => 0,
            "laneid" => u64::from(lane),
            "lanemask_eq" => 1 << lane,
            "lanemask_lt" => (1 << lane) - 1,
            "lanemask_le" => (2 << lane) - 1,
            "lanemask_gt" => 0xffff_ffff & !((2 << lane) - 1),
            "lanemask_ge" => 0xffff_ffff & !((1 << lane) - 1),
            // The time, for instance, and how much shared memory a launch has, which nobody says.
            _ => return None,
        })
    }

    pub(super) fn set(&mut self, state: &mut State, register: Option<RegisterId>, known: KnownValue) -> String {
        let Some(register) = register else { return self.temporary() };
        let key = Key::Register(state.calls.len() as u16, register);
        state.known.insert(key, known);
        match known {
            KnownValue::Bits(_) => String::new(),
            _ => self.name(key),
        }
    }

    /// Puts a value into a register.
    pub(crate) fn copy(&mut self, state: &mut State, register: Option<RegisterId>, value: &Value, ty: ScalarType) {
        match value.known {
            KnownValue::Bits(bits) => {
                self.set(state, register, KnownValue::Bits(ty.cut(bits)));
            }
            known => {
                if register.is_none() {
                    return;
                }
                let to = self.set(state, register, known);
                if to != value.text {
                    self.emit(state, format!("mov.{} {to}, {}", unsigned(ty), value.text));
                }
            }
        }
    }

    pub(super) fn register_type(&self, state: &State, register: RegisterId) -> ScalarType {
        self.prepared.module.functions[state.function].registers[register.0 as usize].ty
    }
}

pub(crate) fn constant(bits: u64) -> Value {
    Value { known: KnownValue::Bits(bits), text: number(bits).to_string() }
}

/// The number of a litmus test for bits.
pub(super) fn number(bits: u64) -> i64 {
    bits as i64
}
