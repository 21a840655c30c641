//! Where control can go in machine code.

use std::collections::HashMap;

use super::listing::SassInstruction;

/// For each instruction those that may come next, by position. Jumps out of the code end it; so do
/// `EXIT` and `RET`.
pub(super) fn successors(code: &[SassInstruction]) -> Vec<Vec<usize>> {
    let labels: HashMap<&str, usize> = code
        .iter()
        .enumerate()
        .flat_map(|(n, i)| i.labels.iter().map(move |l| (l.as_str(), n)))
        .collect();
    let next = |n: usize| (n + 1 < code.len()).then_some(n + 1);
    let of = |(n, i): (usize, &SassInstruction)| {
        // A jump may have its condition as an operand: `BRA.U !UP0, label`.
        let certain = i.guard.is_none() && i.operands.len() <= 1;
        let (jumps, falls) = match i.base() {
            "BRA" | "JMP" => (true, !certain || i.has("DIV") || i.has("CONV")),
            "EXIT" | "RET" | "KILL" => (false, i.guard.is_some()),
            // Lanes of a warp that meet somewhere else, and subroutines that come back.
            "WARPSYNC" | "CALL" => (true, true),
            _ => (false, true),
        };
        let to = i.label().filter(|_| jumps).and_then(|label| labels.get(label).copied());
        to.into_iter().chain(next(n).filter(|_| falls)).collect()
    };
    code.iter().enumerate().map(of).collect()
}

/// What holds before each instruction on some way to it: the smallest sets that contain what `step`
/// makes of those before. `step` gets the position and what holds before the instruction, and makes
/// it what holds behind.
pub(super) fn reach<T: Ord + Clone>(
    successors: &[Vec<usize>],
    mut step: impl FnMut(usize, &mut std::collections::BTreeSet<T>),
) -> Vec<std::collections::BTreeSet<T>> {
    let mut before = vec![std::collections::BTreeSet::new(); successors.len()];
    let mut seen = vec![false; successors.len()];
    // Every instruction once, as code that is jumped to from elsewhere counts as well.
    let mut waiting: Vec<usize> = (0..successors.len()).rev().collect();
    while let Some(n) = waiting.pop() {
        seen[n] = true;
        let mut state = before[n].clone();
        step(n, &mut state);
        for &to in &successors[n] {
            let size = before[to].len();
            before[to].extend(state.iter().cloned());
            if before[to].len() > size && seen[to] {
                waiting.push(to);
            }
        }
    }
    before
}

#[cfg(test)]
mod tests {
    use super::super::listing::Listing;
    use super::{reach, successors};

    const LOOP: &str = ".text.k:\n/*00*/ MOV R1, R2 ;\n.L_x_0:\n/*10*/ BSSY B0, `(.L_x_1) ;\n/*20*/ @!P0 EXIT ;\n/*30*/ @P1 BRA `(.L_x_0) ;\n\
        .L_x_1:\n/*40*/ BRA.U !UP0, `(.L_x_2) ;\n/*50*/ NOP ;\n.L_x_2:\n/*60*/ EXIT ;\n.L_x_3:\n/*70*/ BRA `(.L_x_3);\n";

    #[test]
    fn where_control_goes() {
        let code = Listing::read(LOOP).remove(0).instructions;
        assert_eq!(
            successors(&code),
            [vec![1], vec![2], vec![3], vec![1, 4], vec![6, 5], vec![6], vec![], vec![7]]
        );
    }

    #[test]
    fn what_holds_on_some_way() {
        let code = Listing::read(LOOP).remove(0).instructions;
        // Each instruction adds its number; that behind the loop forgets those below 3.
        let before = reach(&successors(&code), |n, state| {
            if n == 4 {
                state.retain(|&m| m >= 3);
            }
            state.insert(n);
        });
        let at = |n: usize| before[n].iter().copied().collect::<Vec<_>>();
        assert_eq!(at(1), [0, 1, 2, 3], "round the loop");
        assert_eq!(at(6), [3, 4, 5]);
        assert_eq!(at(7), [7], "a loop that nothing leads to");
    }
}
