//! Branches whose conditions an earlier branch decides.
//!
//! `while (!done) { if (take()) { ..; done = true; } }` becomes, in compiled code, a branch over
//! what is done with the lock, and behind that a branch back to the top, on the same condition. The
//! first one leads to the top at once, and the second one never does.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::residue::{CodePiece, Line, words};

/// What a register says: whether two operands are equal, or not; or a register that nothing more is
/// known of.
#[derive(Debug, Clone, PartialEq, Eq)]
struct BranchCondition {
    of: String,
    negated: bool,
}

/// Leads branches on a condition that an earlier branch decides where they go.
pub(crate) fn without_correlated_branches(code: &mut Vec<Line>) {
    // One at a time: places move.
    while without_one(code) {}
}

fn without_one(code: &mut Vec<Line>) -> bool {
    // Loops that are unrolled are thousands of lines with as many jumps.
    let mut jumps: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    let mut labels: FxHashMap<u32, usize> = FxHashMap::default();
    for (at, (piece, _)) in code.iter().enumerate() {
        match piece {
            CodePiece::Jump(_, to) => jumps.entry(*to).or_default().push(at),
            CodePiece::Label(label) => {
                labels.entry(*label).or_insert(at);
            }
            _ => {}
        }
    }
    for at in 0..code.len() {
        let CodePiece::Jump(Some((register, when)), to) = &code[at].0 else { continue };
        if jumps.get(to).map(Vec::len) != Some(1) {
            continue;
        }
        let Some(&label) = labels.get(to).filter(|&&label| label > at) else { continue };
        // What is computed between the label and the branch is for the branch alone.
        let is_computed = |(p, _): &&Line| matches!(p, CodePiece::Other(text) if p.writes().is_some() && !text.starts_with("fence"));
        let branch = label + 1 + code[label + 1..].iter().take_while(is_computed).count();
        let Some((CodePiece::Jump(Some((asked, asked_when)), further), _)) = code.get(branch)
        else {
            continue;
        };
        // Who comes between the first branch and the label on another way went past the first
        // branch.
        let between = at + 1..label;
        let is_entered = |(p, _): &Line| {
            let CodePiece::Label(label) = p else { return false };
            jumps.get(label).is_some_and(|from| from.iter().any(|n| !between.contains(n)))
        };
        if code[between.clone()].iter().any(is_entered) {
            continue;
        }
        let inner: Vec<&str> =
            code[label + 1..branch].iter().filter_map(|(p, _)| p.writes()).collect();
        let is_read_outside = code.iter().enumerate().any(|(n, (p, _))| {
            !(label + 1..=branch).contains(&n) && p.reads().iter().any(|r| inner.contains(r))
        });
        let is_kept = inner.iter().any(|register| !crate::residue::is_inner(register));
        if is_read_outside || is_kept {
            continue;
        }
        let (decided, asked) = (
            condition(code, at, register, at..at),
            condition(code, branch, asked, at + 1..label + 1),
        );
        let (Some((decided, first)), Some((asked, second))) = (decided, asked) else { continue };
        // What both ask is the same on both ways only if nothing changes it, from where the first
        // of them looks at it to the last.
        let changes =
            |(p, _): &Line| p.writes().is_some_and(|to| words(&decided.of).any(|word| word == to));
        if decided.of != asked.of || code[first.min(second)..branch].iter().any(changes) {
            continue;
        }
        // On the way over the label the first condition is as it says, on the other one it is not.
        let is_taken =
            |jumped: bool| (decided.negated != asked.negated) != ((*when == jumped) == *asked_when);
        let further = *further;
        let (over, through) = (is_taken(true), is_taken(false));
        let mut rest = code.split_off(label);
        let behind = branch - label + 1;
        let (label_line, tail) = (rest[0].clone(), rest.split_off(behind));
        if through {
            code.push((CodePiece::Jump(None, further), rest[behind - 1].1));
        }
        if over {
            let CodePiece::Jump(_, target) = &mut code[at].0 else { continue };
            *target = further;
        } else {
            code.push(label_line);
        }
        code.extend(tail);
        return true;
    }
    false
}

/// What a register says at a place, by what computes it in front, as far as no label stands
/// between, and the first place from which on that is so. What is between, on one way and not on
/// the other, is passed over; nothing where it is computed there.
fn condition(
    code: &[Line],
    at: usize,
    register: &str,
    between: Range<usize>,
) -> Option<(BranchCondition, usize)> {
    let mut of = register.to_owned();
    let mut negated = false;
    let (mut n, mut first) = (at, at);
    while n > 0 {
        n -= 1;
        let (piece, _) = &code[n];
        if between.contains(&n) {
            if piece.writes() == Some(of.as_str()) {
                return None;
            }
            continue;
        }
        if matches!(piece, CodePiece::Label(_) | CodePiece::Jump(None, _) | CodePiece::End) {
            break;
        }
        if piece.writes() != Some(of.as_str()) {
            continue;
        }
        let CodePiece::Other(text) = piece else { break };
        let all: Vec<&str> = words(text).collect();
        match all.as_slice() {
            [operation, _, source] if operation.starts_with("mov.") || *operation == "mov" => {
                (of, first) = ((*source).to_owned(), n)
            }
            [operation, _, source] if operation.starts_with("not.pred") => {
                (of, first) = ((*source).to_owned(), n);
                negated = !negated;
            }
            [operation, _, source, "1"] if operation.starts_with("xor.") => {
                (of, first) = ((*source).to_owned(), n);
                negated = !negated;
            }
            // Of floats that are no numbers neither holds.
            [operation, _, a, b]
                if (operation.starts_with("setp.eq.") || operation.starts_with("setp.ne."))
                    && !operation.contains(".f") =>
            {
                let width: String =
                    operation.chars().rev().take_while(char::is_ascii_digit).collect();
                let is_not = operation.starts_with("setp.ne.");
                return Some((
                    BranchCondition { of: format!("{a} {b} {width}"), negated: negated != is_not },
                    n,
                ));
            }
            _ => break,
        }
    }
    Some((BranchCondition { of, negated }, first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::residue::lines::{jump, other};

    fn code(asked: &str, when: bool) -> Vec<Line> {
        vec![
            (CodePiece::Label(1), None),
            other("add.u32 r0, r8, 1"),
            other("setp.eq.s32 t1, r0, 0"),
            other("setp.ne.s32 t2, r0, 0"),
            jump("t2", true, 2),
            other("add.u32 r9, r0, 3"),
            (CodePiece::Label(2), None),
            other(asked),
            jump("r6", when, 1),
            other("add.u32 r7, r9, 3"),
        ]
    }

    #[test]
    fn a_branch_that_an_earlier_one_decides_is_taken_there() {
        let mut back = code("xor.u32 r6, t1, 1", true);
        without_correlated_branches(&mut back);
        assert_eq!(back[4], jump("t2", true, 1));
        assert_eq!(back.len(), 7, "{back:?}");
        // The other way round: who goes through goes back, and who jumps over goes on.
        let mut through = code("xor.u32 r6, t1, 1", false);
        without_correlated_branches(&mut through);
        assert_eq!(through[4], jump("t2", true, 2));
        assert_eq!(
            (&through[6].0, &through[7].0),
            (&CodePiece::Jump(None, 1), &CodePiece::Label(2)),
            "{through:?}"
        );
    }

    #[test]
    fn what_is_another_condition_stays() {
        for asked in [
            "xor.u32 r6, r9, 1",
            "setp.eq.s32 r6, r0, 1",
            "setp.eq.s64 r6, r0, 0",
            "setp.eq.f32 r6, r0, 0",
            "add.u32 r6, t1, 1",
        ] {
            let before = code(asked, true);
            let mut after = before.clone();
            without_correlated_branches(&mut after);
            assert_eq!(before, after, "{asked}");
        }
        // What is compared is another one behind the label.
        let mut before = code("setp.eq.s32 r6, r0, 0", true);
        before[5] = other("add.u32 r0, r0, 3");
        let mut after = before.clone();
        without_correlated_branches(&mut after);
        assert_eq!(before, after);
    }

    #[test]
    fn what_others_come_to_between_the_branches_stays() {
        let entered = |from: usize| {
            let mut code = code("xor.u32 r6, t1, 1", true);
            code.insert(6, (CodePiece::Label(3), None));
            code.insert(from, jump("t1", true, 3));
            code
        };
        // From in front of the first branch, and from behind the second one, but not from between.
        for (from, is_left) in [(4, true), (11, true), (6, false)] {
            let before = entered(from);
            let mut after = before.clone();
            without_correlated_branches(&mut after);
            assert_eq!(before == after, is_left, "{from}");
        }
    }

    #[test]
    fn what_changes_in_front_of_the_first_branch_or_on_one_way_stays() {
        // The number that was compared is another one at the first branch already.
        let mut moved = code("setp.eq.s32 r6, r0, 0", true);
        moved.insert(4, other("add.u32 r0, r0, 3"));
        // What the second branch asks is computed on one way alone.
        let mut one_way = code("mov.u32 r7, 0", true);
        one_way.insert(0, other("mov.u32 r6, 1"));
        one_way.insert(7, other("setp.eq.s32 r6, r0, 0"));
        for before in [moved, one_way] {
            let mut after = before.clone();
            without_correlated_branches(&mut after);
            assert_eq!(before, after);
        }
    }
}
