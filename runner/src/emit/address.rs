//! Where the locations of an instance are in memory.

use std::fmt::Write as _;

use margay_litmus::test::{
    Address, AsyncAction, AsyncFamily, AsyncOperation, Base, InitialValue, Integer, Operation,
    Test, ThreadId, element,
};
use margay_litmus::unfold::Code;
use margay_models::execution::Proxy;

use super::EmissionPlan;
use super::layout::coprime;

/// How the locations of all instances are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemoryLayout {
    /// Each location has a part of its own, in which the instances are permuted anew; bytes from
    /// instance to instance.
    Far { stride: u32 },
    /// Runs of as many instances as there are words from one location to the next; bytes of a word.
    Near { run: u32, word: u32 },
}

/// Where a location is, relative to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LocationOffset {
    /// The location at whose place it lies: itself, the first element of its array, or the one that
    /// it is another name for.
    pub owner: usize,
    /// Bytes from there.
    pub offset: u32,
    /// Bytes of its value: as far as the next element of the array, or the widest access of the
    /// test.
    pub width: u32,
    /// Bytes that are its own: its value, and as many as a copy in bulk moves.
    pub room: u32,
    /// If it is another name, what that goes through; for the generic proxy its address is in the
    /// second mapping of memory.
    pub alias: Option<Proxy>,
}

/// Every location of a test.
pub(super) fn locations(test: &Test, code: &Code, wide: bool) -> Vec<LocationOffset> {
    let mut all = Vec::with_capacity(test.locations.len());
    for (l, declared) in test.locations.iter().enumerate() {
        let alias = declared.alias.as_ref().map(|alias| alias.proxy);
        let physical = code.physical(l);
        let of = element(&test.locations[physical].name).map(|(array, _)| array);
        let index = |n| {
            test.locations
                .iter()
                .position(|d| of.is_some_and(|array| element(&d.name) == Some((array, n))))
        };
        let owner = index(0).unwrap_or(physical);
        let bytes = |from: usize, to: usize| (code.address(to) - code.address(from)) as u32;
        let width = match index(1) {
            Some(second) => bytes(owner, second),
            None if wide => 8,
            None => 4,
        };
        let width = if declared.mbarrier { MBARRIER } else { width };
        let room = copied(test, &declared.name).max(width);
        all.push(LocationOffset { owner, offset: bytes(owner, physical), width, room, alias });
    }
    all
}

/// Bytes of an mbarrier (PTX ISA, mbarrier).
const MBARRIER: u32 = 8;

/// The bytes that asynchronous copies move from or to a location: multiples of 16 in bulk.
fn copied(test: &Test, name: &str) -> u32 {
    let all = (0..test.threads.len()).flat_map(|t| test.instructions(ThreadId(t as u16)));
    let named = |a: &Address| matches!(&a.base, Base::Location(n) if n == name);
    let moved = all.filter_map(|i| match &i.operation {
        Operation::Async(AsyncOperation { family, action, .. }) => match action {
            AsyncAction::Copy { to, from, bytes } if named(from) || to.iter().any(named) => {
                Some((family, *bytes))
            }
            AsyncAction::ReduceFrom { to, from, bytes, .. } if named(from) || named(to) => {
                Some((family, *bytes))
            }
            AsyncAction::Store { ty, to, values } if named(to) => {
                Some((family, ty.map_or(4, |ty| i64::from(ty.bits) / 8) * values.len() as i64))
            }
            _ => None,
        },
        Operation::BulkStore { address, bytes } if named(address) => {
            Some((&AsyncFamily::Bulk, *bytes))
        }
        _ => None,
    });
    let room = |(family, bytes): (&AsyncFamily, i64)| {
        let bytes = u32::try_from(bytes).unwrap_or(0);
        if *family == AsyncFamily::Bulk { bytes.next_multiple_of(BULK) } else { bytes }
    };
    moved.map(room).max().unwrap_or(0)
}

/// What a copy in bulk moves is a multiple of so many bytes, from and to multiples of it (PTX ISA,
/// cp.async.bulk).
pub(super) const BULK: u32 = 16;

impl EmissionPlan<'_> {
    /// The layout that the environment asks for.
    pub(super) fn memory(&self) -> MemoryLayout {
        match self.environment.distance {
            None => MemoryLayout::Far { stride: self.cell() },
            Some(distance) => {
                MemoryLayout::Near { run: distance + 1, word: if self.is_wide() { 8 } else { 4 } }
            }
        }
    }

    /// Bytes from instance to instance: room for the largest array, and a multiple of its size, so
    /// that vectors are aligned (PTX ISA 6.4.1).
    pub(super) fn cell(&self) -> u32 {
        let largest = self.locations.iter().map(|l| l.offset + l.room).max().unwrap_or(8);
        (self.environment.stride * 8).next_multiple_of(largest.next_power_of_two())
    }

    /// Bytes for all locations of all instances.
    pub(super) fn memory_bytes(&self) -> u64 {
        let (instances, locations) =
            (u64::from(self.layout.instances), (self.test.locations.len() as u64).max(1));
        match self.memory() {
            MemoryLayout::Far { stride } => instances * u64::from(stride) * locations,
            MemoryLayout::Near { run, word } => {
                instances.next_multiple_of(u64::from(run)) * u64::from(word) * locations
            }
        }
    }

    /// The initial value of a location: as its type holds it, for a store of the type that the
    /// location has here.
    pub(super) fn initial(&self, location: usize) -> i64 {
        let Some(InitialValue::Integer(n)) = self.test.locations[location].value else { return 0 };
        let held = self.test.location_integers()[location].map_or(n, |integer| integer.wrap(n));
        Integer { bits: (self.locations[location].width * 8).min(64) as u8, signed: true }
            .wrap(held)
    }

    /// The type of the initial and final value of a location.
    pub(super) fn type_of(&self, location: usize) -> &'static str {
        match self.locations[location].width {
            1 => "s8",
            2 => "s16",
            4 => "s32",
            _ => "s64",
        }
    }
}

/// `%x{l}`: the address of a location of instance `%n`, of whatever kernel.
pub(super) fn global_address(plan: &EmissionPlan<'_>, location: usize, text: &mut String) {
    let n = plan.layout.instances;
    let LocationOffset { owner, offset, alias, .. } = plan.locations[location];
    let bytes = match plan.memory() {
        MemoryLayout::Far { stride } => {
            let multiplier = if owner == 0 { 1 } else { coprime(n, owner) };
            if multiplier == 1 {
                text.push_str("    mov.u32 %a, %n;\n");
            } else {
                let _ = writeln!(text, "    mul.lo.u32 %a, %n, {multiplier};");
                modulo("%a", n, text);
            }
            let _ = writeln!(text, "    add.u32 %a, %a, {};", owner as u32 * n);
            stride
        }
        MemoryLayout::Near { run, word } => {
            // n + (n / run) * run * (locations - 1) + owner * run
            divide("%a", "%n", run, text);
            let others = plan.test.locations.len().saturating_sub(1) as u32 * run;
            let _ = write!(
                text,
                "    mul.lo.u32 %a, %a, {others};\n    add.u32 %a, %a, %n;\n    add.u32 %a, %a, {};\n",
                owner as u32 * run
            );
            word
        }
    };
    let _ = writeln!(text, "    mul.wide.u32 %x{location}, %a, {bytes};");
    let base = match alias {
        None => Some("%memory"),
        // No name is one of the async or the tensormap proxy.
        Some(Proxy::Generic | Proxy::Alias | Proxy::Async | Proxy::Tensormap) => Some("%alias"),
        Some(Proxy::Constant) => Some("%constants"),
        // Places in these count from their start.
        Some(Proxy::Surface | Proxy::Texture) => None,
    };
    if let Some(base) = base {
        let _ = writeln!(text, "    add.u64 %x{location}, %x{location}, {base};");
    }
    if offset > 0 {
        let _ = writeln!(text, "    add.u64 %x{location}, %x{location}, {offset};");
    }
}

/// `register := register mod n`; a mask where `n` is a power of two.
pub(super) fn modulo(register: &str, n: u32, text: &mut String) {
    let _ = match n {
        1 => writeln!(text, "    mov.u32 {register}, 0;"),
        _ if n.is_power_of_two() => {
            writeln!(text, "    and.b32 {register}, {register}, {};", n - 1)
        }
        _ => writeln!(text, "    rem.u32 {register}, {register}, {n};"),
    };
}

/// `to := from / n`; a shift where `n` is a power of two.
pub(super) fn divide(to: &str, from: &str, n: u32, text: &mut String) {
    let _ = if n.is_power_of_two() {
        writeln!(text, "    shr.u32 {to}, {from}, {};", n.trailing_zeros())
    } else {
        writeln!(text, "    div.u32 {to}, {from}, {n};")
    };
}
