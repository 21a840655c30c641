//! What operands are worth, and the registers that hold what is not known.

use margay_ptx::{Operand, RegisterId, ScalarType};

use super::state::{FollowedThread, State};
use super::value::{Key, KnownValue, OPAQUE, Value, constant};
use crate::launch::{Launch, coordinates};
use crate::layout::function_address;
use crate::spelling::unsigned;

impl FollowedThread<'_, '_> {
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
            Operand::Register(register) => {
                self.register(state, Key::Register(depth as u16, *register))
            }
            Operand::Integer(n) => constant(*n),
            Operand::Float(bits, _) => constant(*bits),
            Operand::Variable(id, offset) => {
                constant(self.layout.address(*id, depth).wrapping_add_signed(*offset))
            }
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
            // The time, for instance, and how much shared memory a launch has, nobody says.
            _ => return self.layout.of_grid(base),
        })
    }

    pub(super) fn set(
        &mut self,
        state: &mut State,
        register: Option<RegisterId>,
        known: KnownValue,
    ) -> String {
        let Some(register) = register else { return self.temporary() };
        let key = Key::Register(state.calls.len() as u16, register);
        state.known.insert(key, known);
        match known {
            KnownValue::Bits(_) => String::new(),
            _ => self.name(key),
        }
    }

    /// Puts a value into a register.
    pub(crate) fn copy(
        &mut self,
        state: &mut State,
        register: Option<RegisterId>,
        value: &Value,
        ty: ScalarType,
    ) {
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
