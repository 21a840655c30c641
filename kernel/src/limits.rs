//! Numbers with which a kernel compares the place of a thread in its block, or how many threads the
//! block has, or by which it divides these: from which thread on others do something else. A launch
//! with fewer threads shows one side of such a comparison alone.

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
    /// The same where the number of threads of the block is divided: how many groups it has. Of one
    /// group alone a thread tells nothing to another.
    parts: BTreeSet<u32>,
}

/// A register that holds the place of a thread or how many threads the block has, or how many
/// groups of so many threads are in front of it, or in the block.
#[derive(Debug, Clone, Copy)]
struct PlaceValue {
    group: u32,
    is_size: bool,
    /// By what it is multiplied: how many bytes an element has.
    times: u32,
}

impl PlaceLimits {
    /// What these functions of a module say.
    pub fn of(module: &Module, functions: &[usize]) -> Self {
        let mut limits = Self::default();
        functions.iter().for_each(|&function| {
            limits.read(module.functions[function].body.as_deref().unwrap_or(&[]))
        });
        limits
    }

    fn read(&mut self, body: &[Instruction]) {
        let mut places: FxHashMap<RegisterId, PlaceValue> = FxHashMap::default();
        for i in body {
            let whole = |is_size: bool| Some(PlaceValue { group: 1, is_size, times: 1 });
            let any = |o: &Operand| match o {
                Operand::Special(name) if name == "tid.x" || name == "tid" => whole(false),
                Operand::Special(name) if name == "ntid.x" || name == "ntid" => whole(true),
                Operand::Register(register) => places.get(register).copied(),
                _ => None,
            };
            let counted = |o: &Operand| any(o).filter(|of| of.times == 1);
            let place = |o: &Operand| counted(o).filter(|of| !of.is_size);
            let number = |o: &Operand| {
                if let Operand::Integer(n) = o { u32::try_from(*n).ok() } else { None }
            };
            let power = |o: &Operand| number(o).and_then(|by| 1u32.checked_shl(by));
            let multiplied = |from: &Operand, by: Option<u32>| {
                any(from)
                    .zip(by)
                    .map(|(of, by)| PlaceValue { times: of.times.saturating_mul(by), ..of })
            };
            let made = match (i.opcode.as_str(), i.operands.as_slice()) {
                ("mov" | "cvt", [Operand::Register(to), from]) => any(from).map(|of| (*to, of)),
                ("shl", [Operand::Register(to), from, by]) => {
                    multiplied(from, power(by)).map(|of| (*to, of))
                }
                ("mul", [Operand::Register(to), from, by]) if !i.has("hi") => {
                    multiplied(from, number(by)).map(|of| (*to, of))
                }
                ("shr", [Operand::Register(to), from, by]) => counted(from)
                    .zip(number(by))
                    .map(|(of, _)| (*to, self.divided(of, power(by).unwrap_or(u32::MAX)))),
                ("div", [Operand::Register(to), from, by]) => {
                    counted(from).zip(number(by)).map(|(of, by)| (*to, self.divided(of, by)))
                }
                ("rem", [_, from, by]) => {
                    self.groups.extend(
                        place(from).zip(number(by)).map(|(of, by)| of.group.saturating_mul(by)),
                    );
                    None
                }
                // Of a place in bytes the mask leaves out what is less than an element.
                ("and", [_, from, by]) => {
                    let place = any(from).filter(|of| !of.is_size && of.times > 0);
                    self.groups.extend(place.zip(number(by)).and_then(|(of, mask)| {
                        let size = mask
                            .checked_add(of.times)
                            .filter(|size| size.is_power_of_two() && of.times.is_power_of_two())?;
                        Some(of.group.saturating_mul(size / of.times))
                    }));
                    None
                }
                // The place and its sign, as compilers divide what has one.
                ("add", [Operand::Register(to), a, b]) => {
                    let both = counted(a).zip(counted(b)).filter(|(a, b)| a.is_size == b.is_size);
                    both.map(|(a, b)| (*to, PlaceValue { group: a.group.min(b.group), ..a }))
                }
                ("setp", [_, a, b]) => {
                    if let Some((of, n)) = place(a).zip(number(b)) {
                        let (first, next) = (
                            n.saturating_mul(of.group),
                            n.saturating_add(1).saturating_mul(of.group),
                        );
                        let (ends, side) =
                            match (i.has("le") || i.has("gt"), i.has("eq") || i.has("ne")) {
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
            let written = i
                .operands
                .first()
                .and_then(|o| if let Operand::Register(to) = o { Some(*to) } else { None });
            if let Some(to) = written {
                places.remove(&to);
            }
            places.extend(made);
        }
    }

    /// What is left of a place, or of the number of threads, that is divided.
    fn divided(&mut self, of: PlaceValue, by: u32) -> PlaceValue {
        let group = of.group.saturating_mul(by);
        if of.is_size { &mut self.parts } else { &mut self.groups }.insert(group);
        PlaceValue { group, ..of }
    }

    /// A block with threads on both sides of all of these, in whole warps, and with two groups of
    /// each size; nothing where one of `threads` has them.
    pub fn block(&self, threads: u32) -> Option<u32> {
        let sides = self
            .sides
            .iter()
            .filter(|side| **side > threads)
            .map(|side| side.div_ceil(WARP).saturating_mul(WARP));
        let groups = self
            .groups
            .iter()
            .filter(|group| **group >= threads)
            .map(|group| group.saturating_mul(2));
        let parts =
            self.parts.iter().map(|part| part.saturating_mul(2)).filter(|least| *least > threads);
        sides.chain(groups).chain(parts).filter(|least| *least <= WIDEST).max()
    }

    /// Does a comparison say that no thread from this place on comes there?
    pub fn ends_at(&self, place: u32) -> bool {
        self.ends.contains(&place)
    }
}
