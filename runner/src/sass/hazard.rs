//! Does code wait for what it uses? Whatever the control words mean in detail, correct code must
//! not use a register before the load that fills it has done so: what is found here holds for all
//! that an assembler makes, or the words are read wrongly.

use std::collections::BTreeSet;

use super::flow::{reach, successors};
use super::listing::{Listing, SassInstruction};
use super::operands::{reads, writes};

/// The uses of results that are waited for by scoreboard, in the code of a kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScoreboardUses {
    /// So many instructions wait for a scoreboard whose result they use or overwrite.
    pub waited: usize,
    /// Those that do not wait, one sentence each.
    pub unwaited: Vec<String>,
}

/// Loads and read-modify-writes: how long they take is not known before.
const LOADS: [&str; 7] = ["LDG", "LDS", "LD", "LDL", "ATOM", "ATOMG", "ATOMS"];

/// A result that is under way: its register, the scoreboard that says when it is there (none:
/// nothing says it), and the instruction that brings it.
type PendingResult = (String, Option<u8>, usize);

/// Looks through a kernel.
pub fn uses(listing: &Listing) -> ScoreboardUses {
    let code = &listing.instructions;
    let before =
        reach(&successors(code), |n, state: &mut BTreeSet<PendingResult>| step(code, n, state));
    let mut found = ScoreboardUses::default();
    for (i, mut state) in code.iter().zip(before) {
        let Some(control) = i.control else { continue };
        let (read, written) = (reads(i), writes(i));
        // Loads of one kind come back in order: the later one may overwrite what the earlier one
        // brings.
        let uses = |(register, _, by): &PendingResult| {
            read.contains(register) || written.contains(register) && code[*by].base() != i.base()
        };
        let all = state.iter().filter(|p| uses(p)).count();
        state.retain(|(_, scoreboard, _)| scoreboard.is_none_or(|s| !control.waits_for(s)));
        let still: Vec<&str> =
            state.iter().filter(|p| uses(p)).map(|(_, _, by)| code[*by].text()).collect();
        found.waited += usize::from(all > still.len());
        found.unwaited.extend(still.iter().map(|by| {
            format!(
                "{}: `{}` uses the result of `{by}` and does not wait for it",
                listing.name,
                i.text()
            )
        }));
    }
    found
}

/// The results that are under way after an instruction.
fn step(code: &[SassInstruction], n: usize, state: &mut BTreeSet<PendingResult>) {
    let i = &code[n];
    let Some(control) = i.control else { return };
    state.retain(|(_, scoreboard, _)| scoreboard.is_none_or(|s| !control.waits_for(s)));
    for register in writes(i) {
        state.retain(|(pending, ..)| *pending != register);
        if control.write.is_some() || LOADS.contains(&i.base()) {
            state.insert((register, control.write, n));
        }
    }
    if control.drains() {
        state.clear();
    }
}
