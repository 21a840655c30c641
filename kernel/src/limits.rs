//! Numbers with which a kernel compares the place of a thread in its block, or by which it divides it: from which thread on others do something else. A
//! launch with fewer threads shows one side of such a comparison alone.

use std::collections::BTreeSet;

use margay_ptx::{Instruction, Module, Operand, RegisterId};
use rustc_hash::FxHashMap;

/// The most threads of a block that is chosen to have threads on both sides.
const WIDEST: u32 = 256;

/// A launch has whole warps.
const WARP: u32 = 32;

/// What the instructions of a kernel say of places of threads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PlaceLimits {
    /// The places from which on a comparison with a constant says something else.
    ends: BTreeSet<u32>,
    /// How many threads have some on both sides of it.
    sides: BTreeSet<u32>,
    /// How many threads a group has, where places are divided.
    groups: BTreeSet<u32>,
}

/// A register that holds the place of a thread, or how many groups of so many threads are in front of it.
#[derive(Debug, Clone, Copy)]
struct PlaceValue {
    group: u32,
}

impl PlaceLimits {
    /// What these functions of a module say.
    pub fn of(module: &Module, functions: &[usize]) -> Self {
        let mut limits = Self::default();
        functions.iter().for_each(|&function| limits.read(module.functions[function].body.as_deref().unwrap_or(&[])));
        limits
    }

    fn read(&mut self, body: &[Instruction]) {
        let mut places: FxHashMap<RegisterId, PlaceValue> = FxHashMap::default();
        for i in body {
            let place = |o: &Operand| match o {
                Operand::Special(name) if name == "tid.x" || name == "tid" => Some(PlaceValue { group: 1 }),
                Operand::Register(register) => places.get(register).copied(),
                _ => None,
            };
            let number = |o: &Operand| if let Operand::Integer(n) = o { u32::try_from(*n).ok() } else { None };
            let made = match (i.opcode.as_str(), i.operands.as_slice()) {
                ("mov" | "cvt", [Operand::Register(to), from]) => place(from).map(|of| (*to, of)),
                ("shr", [Operand::Register(to), from, by]) => {
                    place(from).zip(number(by)).map(|(of, by)| (*to, of, 1u32.checked_shl(by))).map(|(to, of, by)| {
                        let group = of.group.saturating_mul(by.unwrap_or(u32::MAX));
                        self.groups.insert(group);
                        (to, PlaceValue { group })
                    })
                }
                ("div", [Operand::Register(to), from, by]) => place(from).zip(number(by)).map(|(of, by)| {
                    let group = of.group.saturating_mul(by);
                    self.groups.insert(group);
                    (*to, PlaceValue { group })
                }),
                ("rem", [_, from, by]) => {
                    self.groups.extend(place(from).zip(number(by)).map(|(of, by)| of.group.saturating_mul(by)));
                    None
                }
                ("and", [_, from, by]) => {
                    let size = number(by).and_then(|mask| mask.checked_add(1)).filter(|size| size.is_power_of_two());
                    self.groups.extend(place(from).zip(size).map(|(of, size)| of.group.saturating_mul(size)));
                    None
                }
                // The place and its sign, as compilers divide what has one.
                ("add", [Operand::Register(to), a, b]) => {
                    place(a).zip(place(b)).map(|(a, b)| (*to, PlaceValue { group: a.group.min(b.group) }))
                }
                ("setp", [_, a, b]) => {
                    if let Some((of, n)) = place(a).zip(number(b)) {
                        let (first, next) = (n.saturating_mul(of.group), n.saturating_add(1).saturating_mul(of.group));
                        let (ends, side) = match (i.has("le") || i.has("gt"), i.has("eq") || i.has("ne")) {
                            (true, _) => (vec![next], next.saturating_add(of.group)),
                            (_, true) => (vec![first, next], next),
                            _ => (vec![first], next),
                        };
                        self.ends.extend(ends);
                        self.sides.insert(side);
                    }
                    None
                }
                _ => None,
            };
            let written = i.operands.first().and_then(|o| if let Operand::Register(to) = o { Some(*to) } else { None });
            if let Some(to) = written {
                places.remove(&to);
            }
            places.extend(made);
        }
    }

    /// A block with threads on both sides of all of these, in whole warps, and with two groups of each size; nothing where one of `threads` has them.
    pub fn block(&self, threads: u32) -> Option<u32> {
        let sides = self.sides.iter().filter(|side| **side > threads).map(|side| side.div_ceil(WARP).saturating_mul(WARP));
        let groups = self.groups.iter().filter(|group| **group >= threads).map(|group| group.saturating_mul(2));
        sides.chain(groups).filter(|least| *least <= WIDEST).max()
    }

    /// Does a comparison say that no thread from this place on comes there?
    pub fn ends_at(&self, place: u32) -> bool {
        self.ends.contains(&place)
    }
}
