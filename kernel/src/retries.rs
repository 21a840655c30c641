//! Loops that try a compare-and-swap again until it succeeds: `do { assumed = old; old =
//! atomicCAS(p, assumed, f(assumed)); } while (assumed != old);`.
//!
//! Such a loop is a read-modify-write, `f` of what is there, with reads in front of it. A round
//! that fails reads the place and leaves behind what it read. Take all rounds but the last one out
//! of an execution: nobody reads from them, and what is left has the relations to each other that
//! it had, or fewer where they acquired something. So one round is enough, and it is the last one.
//!
//! Where nobody interprets what is compared (floating point), the loop is taken as a relaxed read
//! of the place and an exchange. That has every execution of the loop and no race that the loop has
//! not: a round that fails, of which the read is one, may read anything that the last one need not,
//! and in front of the last one a read of what that reads is always possible. What the exchange
//! writes and returns is not interpreted either, so that nothing may depend on it.
//!
//! A thread does not stand still in such a loop, whatever else its rounds write (a node that is
//! pushed points to the one below it): once nobody writes the place any more, a round that fails
//! has read what the next one compares with. So it is where a loop has several ways round, one for
//! each address that may have been read, and each tries the compare-and-swap of one place again
//! with what the last one returned. Of other memory a round is not left out: whoever reads it may
//! see that.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::residue::{CodePiece, Line, MemoryCell, Origin, successors, tidy, words};
use crate::waiting::{label_before, reaches};

/// A loop that tries a compare-and-swap again: from its label to its jump back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RetryLoop {
    head: usize,
    jump: usize,
    /// Where the compare-and-swap is.
    swap: usize,
    /// Does the last round stand for all? No jump leaves it from within, a round writes nothing
    /// else, and hands on nothing but what the compare-and-swap returned.
    is_one_round: bool,
}

/// What is known of a register in a round.
#[derive(Debug, Clone, PartialEq, Eq)]
enum RoundValue {
    /// What a register held at the head.
    Before(String),
    /// What the compare-and-swap returned.
    Swapped,
    /// What a read of the place returned, by where it stands in the round.
    Fetched(usize),
    /// Two of these are equal, or (`false`) not.
    Compared([Box<RoundValue>; 2], bool),
    /// Both of these are true.
    Both(Box<[RoundValue; 2]>),
    /// A number.
    Constant(i64),
    /// Computed from what no round changes and from what the compare-and-swap returned.
    Computed,
    /// Anything else.
    Other,
}

impl RoundValue {
    /// Is it, as a truth, that the compare-and-swap returned something else than what it compared
    /// with?
    fn is_failure(&self, compared: &Self, is_true: bool) -> bool {
        let Self::Compared(of, is_equal) = self else { return false };
        let has = |value: &Self| of.iter().any(|one| **one == *value);
        *is_equal != is_true && has(&Self::Swapped) && has(compared)
    }
}

/// The bits of the type that a word ends with: `mov.u32`.
fn bits(word: &str) -> u32 {
    let digits = word
        .rsplit('.')
        .next()
        .unwrap_or_default()
        .trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.parse().unwrap_or(64)
}

/// The loop that a jump goes round, if it tries a compare-and-swap again.
pub(crate) fn retry_loop(code: &[Line], jump: usize) -> Option<RetryLoop> {
    let CodePiece::Jump(Some((test, is_true)), to) = &code.get(jump)?.0 else { return None };
    let head = label_before(code, jump, *to)?;
    let body = &code[head + 1..jump];
    let is_swap = |(piece, _): &Line| matches!(piece, CodePiece::Write { operation, .. } if operation.contains(".cas."));
    let mut swaps = body.iter().enumerate().filter(|(_, line)| is_swap(line));
    let (Some((at, (CodePiece::Write { operation, cell, operands, .. }, _))), None) =
        (swaps.next(), swaps.next())
    else {
        return None;
    };
    let is_fence =
        |piece: &CodePiece| matches!(piece, CodePiece::Other(text) if text.starts_with("fence"));
    let reads = body.iter().filter(|(piece, _)| matches!(piece, CodePiece::Read { .. })).count();
    let (mut is_left, mut writes_more) = (false, false);
    for (position, (piece, _)) in body.iter().enumerate() {
        match piece {
            CodePiece::Read { .. } | CodePiece::Other(_) | CodePiece::Passed => {}
            CodePiece::Write { .. } if position == at => {}
            CodePiece::Write { cell: other, .. } if !other.overlaps(cell) => writes_more = true,
            CodePiece::Jump(Some(_), out)
                if label_before(code, jump, *out).is_none_or(|out| out < head) =>
            {
                is_left = true
            }
            _ => return None,
        }
    }
    let (expected, _) = operands.split_once(", ")?;
    if !reaches(code, head, jump) {
        return None;
    }
    let changed: BTreeSet<&str> = body.iter().filter_map(|(piece, _)| piece.writes()).collect();
    let round =
        RoundOfRetry { cell: *cell, bits: bits(operation.split(' ').next()?), changed: &changed };
    let before = round.values((&body[..at], 0), FxHashMap::default());
    let compared = round.of(&before, expected);
    let after = round.values((&body[at..], at), before);
    // It goes round only if what was there is not what was expected.
    let is_failure = match round.of(&after, test) {
        RoundValue::Both(of) => {
            is_left = true;
            *is_true && of.iter().any(|value| value.is_failure(&compared, true))
        }
        value => value.is_failure(&compared, *is_true),
    };
    // What the next round reads of this one.
    let mut written: BTreeSet<&str> = BTreeSet::new();
    let mut carried: BTreeSet<&str> = BTreeSet::new();
    for (piece, _) in body.iter().chain(std::iter::once(&code[jump])) {
        carried.extend(
            piece.reads().into_iter().filter(|of| changed.contains(of) && !written.contains(of)),
        );
        written.extend(piece.writes());
    }
    let is_of_the_swap = |of: &&str| {
        matches!(
            round.of(&after, of),
            RoundValue::Swapped | RoundValue::Constant(_) | RoundValue::Computed
        )
    };
    let expects_the_last = match &compared {
        RoundValue::Before(of) => {
            carried.contains(of.as_str()) && round.of(&after, of) == RoundValue::Swapped
        }
        RoundValue::Fetched(_) => true,
        _ => false,
    };
    // A read of the next round may see less where one of this round has acquired something.
    let stands_for_all =
        carried.is_empty() || reads == 0 && !body.iter().any(|(piece, _)| is_fence(piece));
    let is_one_round =
        !is_left && !writes_more && stands_for_all && carried.iter().all(is_of_the_swap);
    (is_failure && expects_the_last).then_some(RetryLoop {
        head,
        jump,
        swap: head + 1 + at,
        is_one_round,
    })
}

/// Does a thread never stand still in the loop with a head, since each way round it compares what
/// is at one place with what the way before has read there, and goes round only if that is
/// something else?
pub(crate) fn tries_again(code: &[Line], head: usize) -> bool {
    let CodePiece::Label(label) = code[head].0 else { return false };
    let next = successors(code);
    let jumps = (head..code.len())
        .filter(|&at| matches!(code[at].0, CodePiece::Jump(_, to) if to == label));
    let mut tried: Option<(MemoryCell, String)> = None;
    for jump in jumps.filter(|&at| reaches(code, head, at)) {
        let of = way_round(&next, (head, jump)).and_then(|way| tried_by(code, &way));
        if of.is_none() || tried.is_some() && tried != of {
            return false;
        }
        tried = of;
    }
    tried.is_some()
}

/// The only way from a head to a jump back, if there is only one.
pub(crate) fn way_round(next: &[Vec<usize>], (head, jump): (usize, usize)) -> Option<Vec<usize>> {
    let mut leads = vec![false; next.len()];
    leads[jump] = true;
    // What leads to the jump without the head: in a round nothing else does than go on, but for
    // what leaves it.
    while (0..next.len()).rev().fold(false, |found, at| {
        let leads_now =
            !leads[at] && next[at].iter().any(|&to| to != head && leads.get(to) == Some(&true));
        leads[at] |= leads_now;
        found | leads_now
    }) {}
    let mut way = vec![head];
    loop {
        let at = way[way.len() - 1];
        if at == jump {
            return Some(way);
        }
        let mut behind = next[at].iter().filter(|&&to| to != head && leads.get(to) == Some(&true));
        match (behind.next(), behind.next()) {
            (Some(&to), None) if way.len() <= next.len() => way.push(to),
            _ => return None,
        }
    }
}

/// The place whose compare-and-swap a way round a loop tries again, and the register in which it
/// hands on what it read there.
fn tried_by(code: &[Line], way: &[usize]) -> Option<(MemoryCell, String)> {
    let is_swap = |at: &&usize| matches!(&code[**at].0, CodePiece::Write { operation, .. } if operation.contains(".cas."));
    let mut swaps = way.iter().filter(is_swap);
    let (Some(&swap), None) = (swaps.next(), swaps.next()) else { return None };
    let CodePiece::Write { operation, cell, operands, .. } = &code[swap].0 else { return None };
    let (expected, _) = operands.split_once(", ")?;
    let changed: BTreeSet<&str> = way.iter().filter_map(|&at| code[at].0.writes()).collect();
    let round =
        RoundOfRetry { cell: *cell, bits: bits(operation.split(' ').next()?), changed: &changed };
    let mut values = FxHashMap::default();
    let (mut compared, mut is_failure) = (None, false);
    let mut known: Vec<(String, i64)> = Vec::new();
    for (n, &at) in way.iter().enumerate() {
        match &code[at].0 {
            CodePiece::Jump(_, to) if matches!(code.get(at + 1), Some((CodePiece::Label(label), _)) if label == to) =>
                {}
            CodePiece::Jump(Some((test, if_true)), _) => {
                let is_taken = way.get(n + 1) != Some(&(at + 1));
                let (value, is_true) = (round.of(&values, test), *if_true == is_taken);
                let both = match &value {
                    RoundValue::Both(both) if is_true => both.as_slice(),
                    one => std::slice::from_ref(one),
                };
                is_failure |= compared.as_ref().is_some_and(|compared| {
                    both.iter().any(|one| one.is_failure(compared, is_true))
                });
                if let RoundValue::Compared(of, is_equal) = &value
                    && *is_equal == is_true
                    && let [RoundValue::Before(register), RoundValue::Constant(n)] =
                        [&*of[0], &*of[1]]
                {
                    known.push((register.clone(), *n));
                }
            }
            CodePiece::Write { cell: other, .. } if at != swap && other.overlaps(cell) => {
                return None;
            }
            CodePiece::Label(_)
            | CodePiece::Jump(None, _)
            | CodePiece::Read { .. }
            | CodePiece::Write { .. }
            | CodePiece::Other(_)
            | CodePiece::Passed => {}
            _ => return None,
        }
        if at == swap {
            compared = Some(round.of(&values, expected));
        }
        values = round.values((std::slice::from_ref(&code[at]), at), values);
    }
    let handed_on = match compared? {
        RoundValue::Before(register) => register,
        RoundValue::Constant(n) => known.into_iter().find(|(_, known)| *known == n)?.0,
        _ => return None,
    };
    (is_failure && round.of(&values, &handed_on) == RoundValue::Swapped)
        .then_some((*cell, handed_on))
}

/// What a round of such a loop is looked at with.
struct RoundOfRetry<'a> {
    /// What is swapped.
    cell: MemoryCell,
    bits: u32,
    /// The registers that a round writes.
    changed: &'a BTreeSet<&'a str>,
}

impl RoundOfRetry<'_> {
    fn of(&self, values: &FxHashMap<String, RoundValue>, register: &str) -> RoundValue {
        match values.get(register) {
            Some(value) => value.clone(),
            None if let Ok(n) = register.parse() => RoundValue::Constant(n),
            None if self.changed.contains(register) => RoundValue::Before(register.to_owned()),
            None => RoundValue::Computed,
        }
    }

    /// The values of registers behind pieces of a round.
    fn values(
        &self,
        (pieces, first): (&[Line], usize),
        mut values: FxHashMap<String, RoundValue>,
    ) -> FxHashMap<String, RoundValue> {
        for (position, (piece, _)) in pieces.iter().enumerate() {
            let Some(to) = piece.writes().map(str::to_owned) else { continue };
            let value = match piece {
                CodePiece::Write { cell, .. } if *cell == self.cell => RoundValue::Swapped,
                CodePiece::Read { cell, .. } if *cell == self.cell => {
                    RoundValue::Fetched(first + position)
                }
                CodePiece::Other(text) => self.computed(text, &values),
                _ => RoundValue::Other,
            };
            values.insert(to, value);
        }
        values
    }

    fn computed(&self, text: &str, values: &FxHashMap<String, RoundValue>) -> RoundValue {
        let all: Vec<&str> = words(text).collect();
        let (word, operands) =
            (all.first().copied().unwrap_or_default(), all.get(2..).unwrap_or_default());
        let of: Vec<RoundValue> =
            operands.iter().map(|register| self.of(values, register)).collect();
        let is_whole = word.split('.').skip(1).all(|ty| bits(ty) >= self.bits);
        match (word.split('.').next().unwrap_or_default(), of.as_slice()) {
            ("mov" | "cvt", [value]) if is_whole && !word.contains(".f") => return value.clone(),
            ("setp", [a, b]) if bits(word) >= self.bits && !word.contains(".f") => {
                let both = [Box::new(a.clone()), Box::new(b.clone())];
                match word.split('.').nth(1) {
                    Some("eq") => return RoundValue::Compared(both, true),
                    Some("ne") => return RoundValue::Compared(both, false),
                    _ => {}
                }
            }
            ("and", [a, b])
                if [a, b].iter().any(|value| matches!(value, RoundValue::Compared(..))) =>
            {
                return RoundValue::Both(Box::new([a.clone(), b.clone()]));
            }
            ("xor", [RoundValue::Compared(both, is_equal), _]) if operands[1] == "1" => {
                return RoundValue::Compared(both.clone(), !is_equal);
            }
            _ => {}
        }
        let is_plain = |value: &RoundValue| {
            matches!(value, RoundValue::Swapped | RoundValue::Constant(_) | RoundValue::Computed)
        };
        let is_computed = |value: &RoundValue| match value {
            RoundValue::Compared(of, _) => of.iter().all(|value| is_plain(value)),
            value => is_plain(value),
        };
        if of.iter().all(is_computed) { RoundValue::Computed } else { RoundValue::Other }
    }
}

/// Takes loops that try a compare-and-swap again as a read and an exchange where that of this
/// instruction is asked for. Gives the compare-and-swaps and the jumps back of which none is left.
pub(crate) fn without_retries(
    code: &mut Vec<Line>,
    is_asked: &dyn Fn(Origin) -> bool,
) -> BTreeSet<Origin> {
    let mut settled: BTreeMap<Origin, MemoryCell> = BTreeMap::new();
    let numbers = code
        .iter()
        .filter_map(|(piece, _)| piece.writes()?.strip_prefix('t')?.parse::<usize>().ok());
    let first = numbers.max().unwrap_or(0) + 1;
    let (mut at, mut count) = (0, 0);
    while at < code.len() {
        let asked = retry_loop(code, at)
            .filter(|of| of.is_one_round && code[of.swap].1.is_some_and(is_asked))
            .filter(|of| !is_entered(code, of));
        let Some(of) = asked else {
            at += 1;
            continue;
        };
        let (jump, origin) = (code.remove(of.jump).1, code[of.swap].1);
        let CodePiece::Write { operation, cell, operands, idle } = &mut code[of.swap].0 else {
            continue;
        };
        let (cell, scope) = (*cell, operation.split('.').nth(2).unwrap_or("gpu").to_owned());
        let ty = format!("u{}", 8 * cell.bytes);
        *operation = operation.replace(".cas.", ".exch.");
        *operands = operands.split_once(", ").map_or("0", |(_, new)| new).to_owned();
        *idle = None;
        let read = CodePiece::Read {
            operation: format!("ld.relaxed.{scope}.{ty}"),
            to: format!("t{}", first + count),
            cell,
        };
        count += 1;
        code.insert(of.swap, (read, origin));
        settled.extend([jump, origin].into_iter().flatten().map(|origin| (origin, cell)));
        at = of.head;
    }
    if count > 0 {
        *code = tidy(std::mem::take(code));
    }
    // The same instructions may stand in the code again, in a loop that stays.
    for (piece, origin) in code.iter() {
        let is_left = match piece {
            CodePiece::Write { operation, .. } => operation.contains(".cas."),
            CodePiece::Jump(Some(_), _) => true,
            _ => false,
        };
        if let (true, Some(origin)) = (is_left, origin) {
            settled.remove(origin);
        }
    }
    settled.into_keys().collect()
}

/// Does another jump lead to the head, from within the loop or from behind it?
fn is_entered(code: &[Line], of: &RetryLoop) -> bool {
    let CodePiece::Label(label) = code[of.head].0 else { return true };
    code.iter().enumerate().skip(of.head).any(|(at, (piece, _))| {
        at != of.jump && matches!(piece, CodePiece::Jump(_, to) if *to == label)
    })
}
