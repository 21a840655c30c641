//! Threads that wait together: one of them asks memory, again and again, and tells the others what
//! it got, through shared memory between two barriers or by an exchange of its warp, or by a
//! barrier that makes something of the predicates of all, and all of them go round until it is what
//! they wait for. Triton compiles each loop around an atomic so.
//!
//! What is left of such a loop: the one that asks goes round by itself, and the others are told
//! once, of its last round. That is an execution of the kernel without the rounds in front of the
//! last one. The others do nothing in a round but to meet and to be told, and all leave the loop
//! after the same round, since each tests the same value in the same way. What orders the rounds
//! that are left out with others is left out with them, so that what races in an execution races in
//! the one that is left of it. (Rounds of the thread that asks stay: whether they only wait is seen
//! as in any other loop.) Its value goes through shared memory only where a barrier is between its
//! being told and its being read, in each round and from one round to the next: nobody reads that
//! of another round.
//!
//! It takes as well that every way through each of the threads comes to the loop, that nobody else
//! has anything to do with the place that the value goes through, in the loop or in another block,
//! and that a round of the thread that asks only waits.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::exchange::fetched;
use crate::launch::Launch;
use crate::layout::Object;
use crate::meeting::is_for_all;
use crate::residue::{CodePiece, Line, MemoryCell, Origin, is_inner, successors, words};
use crate::waiting::{counts, label_before, last_rounds, reaches, round as rounds_that_wait};

/// A loop in which a thread meets others: from its label to its jump back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct MeetingLoop {
    head: usize,
    jump: usize,
    /// Is a barrier of the block in it?
    of_block: bool,
}

/// A round of such a loop of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CollectiveRound {
    /// The number of the thread in the launch.
    thread: usize,
    of: MeetingLoop,
    /// Where it jumps back.
    origin: Option<Origin>,
    /// Where the value goes through.
    cell: MemoryCell,
    /// Does this thread tell it?
    tells: bool,
    /// How many barriers are in front of where it tells it, or is told; and in the whole round.
    barriers: [usize; 2],
    /// What it goes round for, over the value `V`, and whether that is to be true.
    test: (String, bool),
}

/// Loops that are taken together: for each thread the jumps back, and where the value goes through.
pub(crate) type LoopsTogether = BTreeMap<usize, BTreeMap<Origin, MemoryCell>>;

/// Takes loops in which the threads of a block, or of a warp, wait together as their last rounds.
/// Says which.
pub(crate) fn with_last_rounds_together(
    launch: Launch,
    threads: &mut [Vec<Line>],
) -> LoopsTogether {
    let mut changed = LoopsTogether::new();
    let mut tested: Vec<Vec<Line>> = threads.iter().map(|code| tested_at_ends(code)).collect();
    // A block of one thread meets nobody: its loops only wait, where they do so.
    if launch.threads == 1 {
        threads.clone_from_slice(&tested);
        return changed;
    }
    if !tested.iter().any(|code| !meeting_loops(code).is_empty()) {
        with_tests_at_ends(threads, tested);
        return changed;
    }
    let size = launch.threads.max(1) as usize;
    for block in 0..tested.len() / size {
        let of_block = block * size..(block + 1) * size;
        while let Some(found) = next_together(&tested, of_block.clone(), launch) {
            let last = |round: &CollectiveRound| last_round(&tested[round.thread], round);
            let Some(codes) = found.iter().map(last).collect::<Option<Vec<_>>>() else { break };
            for (round, code) in found.into_iter().zip(codes) {
                changed
                    .entry(round.thread)
                    .or_default()
                    .extend(round.origin.map(|origin| (origin, round.cell)));
                tested[round.thread] = code;
            }
        }
    }
    match changed.is_empty() {
        true => with_tests_at_ends(threads, tested),
        false => threads.clone_from_slice(&tested),
    }
    changed
}

/// Takes threads whose loops are tested at their ends where more of them only wait then.
fn with_tests_at_ends(threads: &mut [Vec<Line>], tested: Vec<Vec<Line>>) {
    let others = |code: &[Line]| last_rounds(code).others.len();
    for (code, tested) in threads.iter_mut().zip(tested) {
        let before = others(code);
        if before > 0 && others(&tested) < before {
            *code = tested;
        }
    }
}

/// The same code with loops that are left from within (`while (wait()) ask();`) tested at their
/// ends: what stands in front of such a loop and at its end stands at its head, once.
fn tested_at_ends(code: &[Line]) -> Vec<Line> {
    let targets: BTreeSet<u32> = code
        .iter()
        .filter_map(|(p, _)| if let CodePiece::Jump(_, to) = p { Some(*to) } else { None })
        .collect();
    let is_needed = |p: &CodePiece| {
        if let CodePiece::Label(label) = p { targets.contains(label) } else { true }
    };
    let mut found: Vec<Line> = code.iter().filter(|(p, _)| is_needed(p)).cloned().collect();
    let jumps_to = |code: &[Line], label: u32| {
        code.iter().filter(|(p, _)| matches!(p, CodePiece::Jump(_, to) if *to == label)).count()
    };
    let mut jump = 0;
    while jump < found.len() {
        let CodePiece::Jump(None, label) = found[jump].0 else {
            jump += 1;
            continue;
        };
        let head = found[..jump].iter().position(|(p, _)| *p == CodePiece::Label(label));
        let Some(mut head) = head.filter(|_| jumps_to(&found, label) == 1) else {
            jump += 1;
            continue;
        };
        let before = |code: &[Line], at: usize| {
            code[..at].iter().rposition(|(p, _)| *p != CodePiece::Passed)
        };
        while let (Some(in_front), Some(last)) = (before(&found, head), before(&found, jump)) {
            let is_plain = matches!(
                found[last].0,
                CodePiece::Read { .. } | CodePiece::Write { .. } | CodePiece::Other(_)
            );
            if last <= head || !is_plain || found[in_front].0 != found[last].0 {
                break;
            }
            found.drain(last..jump);
            jump = last;
            let line = found.remove(head);
            found.insert(in_front, line);
            head = in_front;
        }
        if let Some(test) = before(&found, jump).filter(|test| *test > head)
            && let (CodePiece::Jump(Some((register, is)), out), origin) = found[test].clone()
        {
            let back = found[jump].1;
            found[test] = (CodePiece::Jump(Some((register, !is)), label), back);
            found[jump] = (CodePiece::Jump(None, out), origin);
            // What is passed between them is passed on the way back.
            let passed: Vec<Line> = found.drain(test + 1..jump).collect();
            found.splice(head + 1..head + 1, passed);
        }
        jump += 1;
    }
    found
}

/// The first loop that the threads of a block, or of a warp, go round together, with the round of
/// each. Nothing goes through places that other blocks access, as those of a cluster may.
fn next_together(
    threads: &[Vec<Line>],
    of_block: Range<usize>,
    launch: Launch,
) -> Option<Vec<CollectiveRound>> {
    let (block, first) = (&threads[of_block.clone()], of_block.start);
    let is_of_others = |cell: &MemoryCell| {
        let others = threads[..of_block.start].iter().chain(&threads[of_block.end..]).flatten();
        others.flat_map(|(piece, _)| piece.cells()).any(|of| of.overlaps(cell))
    };
    let are_one = |all: &[CollectiveRound]| are_one(all) && !is_of_others(&all[0].cell);
    let loops: Vec<Vec<MeetingLoop>> = block.iter().map(|code| meeting_loops(code)).collect();
    // Where a barrier of the block is in them, each is the same one of every thread.
    let of_block = |t: usize| loops[t].iter().copied().filter(|l| l.of_block).collect::<Vec<_>>();
    let count = of_block(0).len();
    if (0..block.len()).all(|t| of_block(t).len() == count) {
        for n in 0..count {
            let all: Option<Vec<_>> = (0..block.len())
                .map(|t| collective_round(&block[t], first + t, of_block(t)[n]))
                .collect();
            if let Some(all) = all.filter(|all| are_one(all)) {
                return Some(all);
            }
        }
    }
    // Else by what goes from lane to lane.
    let mut by_cell: BTreeMap<MemoryCell, Vec<CollectiveRound>> = BTreeMap::new();
    for (t, of_thread) in loops.iter().enumerate() {
        for of in of_thread.iter().filter(|l| !l.of_block) {
            if let Some(round) = collective_round(&block[t], first + t, *of) {
                by_cell.entry(round.cell).or_default().push(round);
            }
        }
    }
    by_cell.into_iter().find_map(|(cell, all)| {
        let Object::Exchange(warp, mask) = cell.object else { return None };
        let of_warp = launch.threads.div_ceil(32);
        let lanes: BTreeSet<usize> = (0..32)
            .filter(|lane| mask >> lane & 1 == 1)
            .map(|lane| (warp / of_warp * launch.threads + warp % of_warp * 32 + lane) as usize)
            .collect();
        let come: BTreeSet<usize> = all.iter().map(|round| round.thread).collect();
        (come == lanes && come.len() == all.len() && are_one(&all)).then_some(all)
    })
}

/// Is it one loop: one thread tells the others, who are told behind that, and all test the same?
fn are_one(all: &[CollectiveRound]) -> bool {
    let mut tellers = all.iter().filter(|round| round.tells);
    let (Some(teller), None) = (tellers.next(), tellers.next()) else { return false };
    let is_shared = !matches!(teller.cell.object, Object::Exchange(..));
    let [told, _] = teller.barriers;
    (!is_shared || told > 0)
        && all.len() > 1
        && all.iter().all(|round| {
            let is_behind = round.tells || !is_shared || round.barriers[0] > told;
            round.cell == teller.cell
                && round.test == teller.test
                && round.barriers[1] == teller.barriers[1]
                && is_behind
        })
}

/// The loops in which a thread meets others. The wait for a value that a lane brings is none of
/// them.
fn meeting_loops(code: &[Line]) -> Vec<MeetingLoop> {
    let mut found = Vec::new();
    for (jump, (piece, _)) in code.iter().enumerate() {
        let CodePiece::Jump(Some(_), to) = piece else { continue };
        let Some(head) = label_before(code, jump, *to).filter(|&head| reaches(code, head, jump))
        else {
            continue;
        };
        let body = &code[head + 1..jump];
        let of_block = body.iter().any(|(p, _)| is_of_block(p));
        let meets = |(p, _): &Line| {
            p.cells().iter().any(|cell| matches!(cell.object, Object::Exchange(..)))
        };
        if of_block || fetched(code, jump).is_none() && body.iter().any(meets) {
            found.push(MeetingLoop { head, jump, of_block });
        }
    }
    found
}

/// A barrier at which all threads of a block meet.
fn is_of_block(piece: &CodePiece) -> bool {
    matches!(piece, CodePiece::Barrier(text) if is_for_all(text))
}

/// A round, if its thread only asks and tells, or is told.
fn collective_round(code: &[Line], thread: usize, of: MeetingLoop) -> Option<CollectiveRound> {
    let body = &code[of.head + 1..of.jump];
    let CodePiece::Jump(Some((register, is)), label) = &code[of.jump].0 else { return None };
    let jumps =
        code.iter().filter(|(p, _)| matches!(p, CodePiece::Jump(_, to) if to == label)).count();
    if jumps != 1 || counts(body) || goes_past(code, of.head) {
        return None;
    }
    let mut used_before: Vec<MemoryCell> = Vec::new();
    // The last write tells.
    let told_at = body.iter().rposition(|(p, _)| matches!(p, CodePiece::Write { .. }));
    let mut values: BTreeMap<&str, String> = BTreeMap::new();
    let (mut cell, mut barriers, mut told, mut acts) = (None, 0, 0, false);
    let mut is_told = told_at.is_none();
    let mut at = 0;
    while let Some((piece, _)) = body.get(at) {
        match piece {
            CodePiece::Barrier(_) if !is_of_block(piece) || acts && !is_told => return None,
            CodePiece::Barrier(_) => barriers += 1,
            CodePiece::Passed => {}
            CodePiece::Other(text) if text.starts_with("fence") => {
                if is_told {
                    return None;
                }
                acts = true;
            }
            CodePiece::Other(text) => {
                let to = piece.writes().filter(|to| is_inner(to))?;
                match computed(text, &values) {
                    Some(value) => values.insert(to, value),
                    None => values.remove(to),
                };
            }
            CodePiece::Label(_) => {
                // What a lane brought.
                let to = fetched(body, at + 3)?;
                if told_at.is_some() || cell.is_some() {
                    return None;
                }
                cell = body[at + 1].0.cells().first().copied();
                told = barriers;
                values.insert(to, VALUE.to_owned());
                at += 3;
            }
            CodePiece::Read { operation, to, cell: from } if is_told => {
                let is_the_one = match told_at {
                    Some(_) => cell == Some(*from) && barriers > told,
                    None => cell.is_none(),
                };
                let is_word =
                    matches!(operation.as_str(), "ld.weak.u32" | "ld.weak.b32") && from.bytes == 4;
                if !is_the_one || !is_word || !matches!(from.object, Object::Shared(..)) {
                    return None;
                }
                if told_at.is_none() {
                    cell = Some(*from);
                    told = barriers;
                }
                values.insert(to, VALUE.to_owned());
            }
            CodePiece::Read { cell, .. } => {
                acts = true;
                used_before.push(*cell);
                piece.writes().map(|to| values.remove(to));
            }
            CodePiece::Write { operation, cell: to, operands, .. } if told_at == Some(at) => {
                let is_exchange = matches!(to.object, Object::Exchange(..));
                let is_word =
                    matches!(operation.as_str(), "st.weak.u32" | "st.weak.b32") && to.bytes == 4;
                let is_shared = matches!(to.object, Object::Shared(..)) && is_word;
                if !acts || !is_exchange && !is_shared {
                    return None;
                }
                if is_exchange {
                    values.insert(brought(&body[..at], operands)?, VALUE.to_owned());
                }
                (cell, told, is_told) = (Some(*to), barriers, true);
            }
            CodePiece::Write { cell, .. } => {
                acts = true;
                used_before.push(*cell);
                piece.writes().map(|to| values.remove(to));
            }
            _ => return None,
        }
        at += 1;
    }
    let test = values.get(register.as_str()).filter(|test| test.contains(VALUE))?.clone();
    let cell = cell.filter(|cell| !used_before.iter().any(|of| of.overlaps(cell)))?;
    let origin = code[of.jump].1;
    Some(CollectiveRound {
        thread,
        of,
        origin,
        cell,
        tells: told_at.is_some(),
        barriers: [told, barriers],
        test: (test, *is),
    })
}

/// What stands for the value in what is computed of it.
const VALUE: &str = "V";

/// The lowest 32 bits.
const LOW: &str = "4294967295";

/// What is computed of the value and of numbers alone.
fn computed(text: &str, values: &BTreeMap<&str, String>) -> Option<String> {
    let mut all = words(text);
    let operation = all.next()?;
    let operands: Option<Vec<String>> = all
        .skip(1)
        .map(|word| if is_inner(word) { values.get(word).cloned() } else { Some(word.to_owned()) })
        .collect();
    let operands = operands?;
    // A value is brought as its lowest bits.
    match (operation, operands.as_slice()) {
        ("mov", [value]) => Some(value.clone()),
        ("and.b64", [value, low]) if value == VALUE && low == LOW => Some(value.clone()),
        _ => Some(format!("({operation} {})", operands.join(", "))),
    }
}

/// The register whose value a lane brings: what is written is its lowest bits, with a mark that
/// says that they are there.
fn brought<'a>(before: &'a [Line], whole: &str) -> Option<&'a str> {
    let operand = |of: &str, operation: &str| {
        before.iter().rev().find_map(|(p, _)| match p {
            CodePiece::Other(text) if p.writes() == Some(of) => {
                let mut all = words(text);
                (all.next() == Some(operation)).then(|| all.nth(1)).flatten()
            }
            _ => None,
        })
    };
    operand(operand(whole, "or.b64")?, "and.b64").filter(|register| is_inner(register))
}

/// Does some way through a thread come to its end without a place?
fn goes_past(code: &[Line], place: usize) -> bool {
    let next = successors(code);
    let mut seen = vec![false; code.len()];
    let mut todo = vec![0];
    while let Some(at) = todo.pop() {
        if at == place {
            continue;
        }
        if at >= code.len() || matches!(code[at].0, CodePiece::End) {
            return true;
        }
        if !std::mem::replace(&mut seen[at], true) {
            todo.extend(&next[at]);
        }
    }
    false
}

/// A thread with the last round of a loop in place of the loop: who asks goes round by itself
/// before it tells. Nothing where it does more than wait, or what it computes behind that cannot be
/// computed once more.
fn last_round(code: &[Line], round: &CollectiveRound) -> Option<Vec<Line>> {
    let of = round.of;
    let body = &code[of.head + 1..of.jump];
    let mut found = code[..of.head].to_vec();
    if round.tells {
        let told_at = body.iter().rposition(|(p, _)| matches!(p, CodePiece::Write { .. }))?;
        let (before, behind) = (&body[..told_at], &body[told_at..]);
        for (n, (piece, _)) in behind.iter().enumerate().filter(|(n, _)| *n > 0) {
            let is_read = |register: &str| {
                before.iter().chain(&behind[..=n]).any(|(p, _)| p.reads().contains(&register))
            };
            if piece.writes().is_some_and(is_read) {
                return None;
            }
        }
        let is_barrier = |(p, _): &&Line| matches!(p, CodePiece::Barrier(_));
        // What it tells, and tests, without the way through shared memory.
        let CodePiece::Write { operands, .. } = &body[told_at].0 else { return None };
        let mut alone: Vec<Line> =
            before.iter().filter(|line| !is_barrier(line)).cloned().collect();
        for (piece, origin) in &behind[1..] {
            match piece {
                CodePiece::Read { to, .. } => alone
                    .push((CodePiece::Other(format!("and.b64 {to}, {operands}, {LOW}")), *origin)),
                CodePiece::Other(_) => alone.push((piece.clone(), *origin)),
                _ => {}
            }
        }
        rounds_that_wait(&alone)?;
        found.extend(before.iter().filter(is_barrier).cloned());
        found.push(code[of.head].clone());
        found.extend(alone);
        found.push(code[of.jump].clone());
        found.extend(behind.iter().cloned());
    } else {
        found.extend(body.iter().cloned());
    }
    found.extend(code[of.jump + 1..].iter().cloned());
    Some(found)
}
