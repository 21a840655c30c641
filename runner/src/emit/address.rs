//! Where the locations of an instance are in memory.

use std::fmt::Write as _;

use super::Plan;
use super::layout::coprime;

/// How the locations of all instances are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Memory {
    /// Each location has a part of its own, in which the instances are permuted anew; bytes from instance to instance.
    Far { stride: u32 },
    /// Runs of as many instances as there are words from one location to the next; bytes of a word.
    Near { run: u32, word: u32 },
}

impl Plan<'_> {
    /// The layout that the environment asks for.
    pub(super) fn memory(&self) -> Memory {
        match self.environment.distance {
            None => Memory::Far { stride: self.environment.stride * 8 },
            Some(distance) => Memory::Near { run: distance + 1, word: if self.is_wide() { 8 } else { 4 } },
        }
    }

    /// Bytes for all locations of all instances.
    pub(super) fn memory_bytes(&self) -> u64 {
        let (instances, locations) = (u64::from(self.layout.instances), (self.test.locations.len() as u64).max(1));
        match self.memory() {
            Memory::Far { stride } => instances * u64::from(stride) * locations,
            Memory::Near { run, word } => instances.next_multiple_of(u64::from(run)) * u64::from(word) * locations,
        }
    }
}

/// `%x{l}`: the address of a location of instance `%n`, of whatever kernel.
pub(super) fn global_address(plan: &Plan<'_>, location: usize, text: &mut String) {
    let n = plan.layout.instances;
    let bytes = match plan.memory() {
        Memory::Far { stride } => {
            let multiplier = if location == 0 { 1 } else { coprime(n, location) };
            if multiplier == 1 {
                text.push_str("    mov.u32 %a, %n;\n");
            } else {
                let _ = writeln!(text, "    mul.lo.u32 %a, %n, {multiplier};");
                modulo("%a", n, text);
            }
            let _ = writeln!(text, "    add.u32 %a, %a, {};", location as u32 * n);
            stride
        }
        Memory::Near { run, word } => {
            // n + (n / run) * run * (locations - 1) + location * run
            divide("%a", "%n", run, text);
            let others = plan.test.locations.len().saturating_sub(1) as u32 * run;
            let _ = write!(
                text,
                "    mul.lo.u32 %a, %a, {others};\n    add.u32 %a, %a, %n;\n    add.u32 %a, %a, {};\n",
                location as u32 * run
            );
            word
        }
    };
    let _ = write!(text, "    mul.wide.u32 %x{location}, %a, {bytes};\n    add.u64 %x{location}, %x{location}, %memory;\n");
}

/// `register := register mod n`; a mask where `n` is a power of two.
pub(super) fn modulo(register: &str, n: u32, text: &mut String) {
    let _ = match n {
        1 => writeln!(text, "    mov.u32 {register}, 0;"),
        _ if n.is_power_of_two() => writeln!(text, "    and.b32 {register}, {register}, {};", n - 1),
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
