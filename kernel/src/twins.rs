//! Threads that do nothing but meet others at mbarriers and barriers, exactly as another thread of
//! their block does, are taken out, and the mbarriers wait for so many arrivals less.
//!
//! Every execution without such a thread is one with it: each of its operations stands beside the
//! same one of its twin. It acquires what that acquires and releases what that releases, so that
//! nothing else becomes ordered; and each phase of an mbarrier has one arrival more. The other way
//! round its operations are left out of an execution in the same manner. That takes that it arrives
//! once in each phase: it waits for the mbarrier between two arrivals, or all that arrive there are
//! twins. And no phase may be complete without it: where more arrive than an mbarrier waits for,
//! phases begin that it does not arrive in, and what is left would complete those, too.

use std::collections::{BTreeMap, BTreeSet};

use crate::meeting::instance;
use crate::residue::{CodePiece, Line, MbarrierUse, MemoryCell, is_inner, words};

/// What a thread does at barriers and mbarriers: each step, and the fences with how many steps are
/// in front of them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct BarrierSkeleton {
    steps: Vec<String>,
    /// The barriers of its warp that it comes to, which the steps do not tell from those of another
    /// warp.
    meetings: Vec<String>,
    fences: Vec<(usize, String)>,
    /// Does it do nothing else?
    is_pure: bool,
}

impl BarrierSkeleton {
    /// Nothing where the code goes more ways than round loops that wait.
    fn of(code: &[Line]) -> Option<Self> {
        let mut skeleton =
            Self { steps: Vec::new(), meetings: Vec::new(), fences: Vec::new(), is_pure: true };
        // What registers hold, made of what waits and arrivals gave.
        let mut known: BTreeMap<&str, String> = BTreeMap::new();
        let mut labels: Vec<u32> = Vec::new();
        let mut number = |label: u32| {
            labels.iter().position(|l| *l == label).unwrap_or_else(|| {
                labels.push(label);
                labels.len() - 1
            })
        };
        for (piece, _) in code {
            match piece {
                CodePiece::Issue(_) | CodePiece::Group(_) => skeleton.is_pure = false,
                CodePiece::Mbarrier(of) => {
                    let operands = with_values(&of.operands, &known)?;
                    if let Some(to) = piece.writes() {
                        // Counted without initialisations, which one of several that do the same
                        // may make.
                        let step = skeleton
                            .steps
                            .iter()
                            .filter(|step| !step.starts_with("mbarrier.init"))
                            .count();
                        known.insert(to, format!("#{step}"));
                    }
                    // Who tells of bytes, or arrives for the last time, is one of a kind.
                    skeleton.is_pure &= !["_tx", "drop", "noComplete"]
                        .iter()
                        .any(|word| of.operation.contains(word));
                    skeleton.steps.push(format!("{} {:?} {operands}", of.operation, of.cell));
                }
                CodePiece::Barrier(text) => match instance(text) {
                    Some((of, count)) => {
                        skeleton.meetings.push(of.to_owned());
                        skeleton.steps.push(format!("meets {count}"));
                    }
                    None => skeleton.steps.push(text.clone()),
                },
                CodePiece::ClusterBarrier(text) => skeleton.steps.push(text.clone()),
                CodePiece::Jump(guard, to) => {
                    let guard = match guard {
                        Some((register, is)) => format!("{} {is}", known.get(register.as_str())?),
                        None => String::new(),
                    };
                    let to = number(*to);
                    skeleton.steps.push(format!("{guard} L{to}"));
                }
                CodePiece::Label(of) => {
                    let of = number(*of);
                    skeleton.steps.push(format!("L{of}:"));
                }
                CodePiece::End => skeleton.steps.push("exit".to_owned()),
                CodePiece::Read { .. } | CodePiece::Write { .. } => {
                    skeleton.is_pure = false;
                    piece.writes().map(|to| known.remove(to));
                }
                CodePiece::Other(text) if text.starts_with("fence") => {
                    skeleton.fences.push((skeleton.steps.len(), text.clone()))
                }
                CodePiece::Other(text) => {
                    skeleton.is_pure &= piece.writes().is_none_or(is_inner);
                    let Some(to) = piece.writes() else { continue };
                    let operands = text.split_once(',').map_or("", |(_, operands)| operands);
                    match with_values(operands, &known) {
                        Some(value) => known.insert(
                            to,
                            format!("({} {value})", text.split(' ').next().unwrap_or_default()),
                        ),
                        None => known.remove(to),
                    };
                }
                CodePiece::Passed => {}
            }
        }
        Some(skeleton)
    }

    /// Is it a thread whose presence adds nothing to that of the other one?
    fn is_twin_of(&self, other: &Self) -> bool {
        self.is_pure
            && self.steps == other.steps
            && self.fences.iter().all(|fence| other.fences.contains(fence))
    }
}

/// Operands with what registers hold in their place; nothing where that is not known.
fn with_values(operands: &str, known: &BTreeMap<&str, String>) -> Option<String> {
    let value =
        |word: &str| if is_inner(word) { known.get(word).cloned() } else { Some(word.to_owned()) };
    Some(words(operands).map(value).collect::<Option<Vec<_>>>()?.join(", "))
}

/// How many arrivals a piece is, at which mbarrier; nothing where that is not certain.
fn arrivals(piece: &CodePiece) -> Option<Option<(MemoryCell, u64)>> {
    let CodePiece::Mbarrier(piece) = piece else { return Some(None) };
    if piece.operation.starts_with("cp.async.mbarrier.arrive") {
        return Some(Some((piece.cell, u64::from(piece.operation.ends_with(".noinc")))));
    }
    if piece.operation.starts_with("tcgen05.commit") {
        return Some(Some((piece.cell, 1)));
    }
    if piece.how != MbarrierUse::Change {
        return Some(None);
    }
    match piece.operation.split('.').nth(1)? {
        "arrive" if piece.operation.contains(".expect_tx") => Some(Some((piece.cell, 1))),
        "arrive" => Some(Some((piece.cell, piece.operands.parse().ok()?))),
        "expect_tx" | "complete_tx" => Some(None),
        _ => None,
    }
}

/// The arrivals of a thread at an mbarrier, by their counts; nothing where that is not certain.
fn arrivals_of(code: &[Line], cell: MemoryCell) -> Option<Vec<u64>> {
    let of_piece = |(piece, _): &Line| match arrivals(piece) {
        Some(Some((of, count))) if of == cell => Some(Some(count)),
        Some(_) => Some(None),
        // What is not certain is of no account where it is of another mbarrier.
        None => match piece {
            CodePiece::Mbarrier(piece) if piece.cell != cell => Some(None),
            _ => None,
        },
    };
    let all: Option<Vec<Option<u64>>> = code.iter().map(of_piece).collect();
    Some(all?.into_iter().flatten().collect())
}

/// For each mbarrier how many arrivals a thread is in each phase, if it waits for it in between;
/// nothing where that is not certain. Jumps back are those of loops that wait.
fn each_phase(code: &[Line]) -> Option<BTreeMap<MemoryCell, (u64, bool)>> {
    let mut found: BTreeMap<MemoryCell, (u64, bool)> = BTreeMap::new();
    let mut has_arrived: BTreeMap<MemoryCell, bool> = BTreeMap::new();
    for (at, (piece, _)) in code.iter().enumerate() {
        if let CodePiece::Jump(_, to) = piece
            && let Some(head) = code[..at].iter().position(|(p, _)| *p == CodePiece::Label(*to))
        {
            let waits = |p: &CodePiece| match p {
                CodePiece::Mbarrier(piece) => piece.how == MbarrierUse::Wait,
                CodePiece::Barrier(_)
                | CodePiece::ClusterBarrier(_)
                | CodePiece::Issue(_)
                | CodePiece::Group(_) => false,
                _ => true,
            };
            if !code[head..at].iter().all(|(p, _)| waits(p)) {
                return None;
            }
        }
        match piece {
            CodePiece::Mbarrier(piece) if piece.how == MbarrierUse::Wait => {
                has_arrived.insert(piece.cell, false);
            }
            _ => {}
        }
        let Some((cell, count)) = arrivals(piece)? else { continue };
        let of = found.entry(cell).or_insert((count, true));
        of.1 &= of.0 == count && !has_arrived.insert(cell, true).unwrap_or(false);
    }
    Some(found)
}

/// Takes out threads that are twins of others. `block` is that of a thread of the slice,
/// `is_uniform` says of a block whether all its threads come to the same barriers.
pub(crate) fn without_twins(
    members: &mut Vec<usize>,
    code: &mut Vec<Vec<Line>>,
    block: &dyn Fn(usize) -> usize,
    is_uniform: &[bool],
) {
    let has_mbarriers = code.iter().flatten().any(|(p, _)| matches!(p, CodePiece::Mbarrier(_)));
    if !has_mbarriers {
        return;
    }
    let skeletons: Vec<Option<BarrierSkeleton>> =
        code.iter().map(|code| BarrierSkeleton::of(code)).collect();
    let phases: Vec<Option<BTreeMap<MemoryCell, (u64, bool)>>> =
        code.iter().map(|code| each_phase(code)).collect();
    let mut kept: Vec<bool> = vec![true; code.len()];
    for thread in (0..code.len()).rev() {
        let here = block(members[thread]);
        let (Some(own), Some(_), true) =
            (&skeletons[thread], &phases[thread], is_uniform.get(here) == Some(&true))
        else {
            continue;
        };
        let is_twin = |other: usize| {
            other != thread
                && kept[other]
                && block(members[other]) == here
                && skeletons[other]
                    .as_ref()
                    .is_some_and(|other| own.is_twin_of(other) && own.meetings == other.meetings)
        };
        if own.is_pure && (0..code.len()).any(is_twin) {
            kept[thread] = false;
        }
    }
    // The same of whole warps: each thread of one has a twin in the other.
    let warps = warps(&skeletons, &kept, &|t| block(members[t]));
    let mut gone = vec![false; warps.len()];
    for (w, warp) in warps.iter().enumerate().rev() {
        let has_twin = |thread: usize, other: &[usize]| {
            let Some(own) = &skeletons[thread] else { return false };
            phases[thread].is_some()
                && is_uniform.get(block(members[thread])) == Some(&true)
                && other.iter().any(|&t| {
                    block(members[t]) == block(members[thread])
                        && skeletons[t].as_ref().is_some_and(|s| own.is_twin_of(s))
                })
        };
        let is_twin = |v: usize| v != w && !gone[v] && warp.iter().all(|&t| has_twin(t, &warps[v]));
        if (0..warps.len()).any(is_twin) {
            gone[w] = true;
            warp.iter().for_each(|&t| kept[t] = false);
        }
    }
    // Which mbarriers of those that are left out have one arrival of each in each phase.
    let mut fewer: BTreeMap<MemoryCell, u64> = BTreeMap::new();
    let mut blocked: Vec<MemoryCell> = Vec::new();
    for thread in (0..code.len()).filter(|&t| !kept[t]) {
        for (&cell, &(count, is_once)) in phases[thread].iter().flatten() {
            let arriving = |t: usize| phases[t].as_ref().is_none_or(|p| p.contains_key(&cell));
            // Who initialises mbarriers may be one of them.
            let steps = |t: usize| {
                let is_step = |step: &&String| !step.starts_with("mbarrier.init");
                skeletons[t].as_ref().map(|s| s.steps.iter().filter(is_step).collect::<Vec<_>>())
            };
            let same =
                |t: usize| steps(t) == steps(thread) && block(members[t]) == block(members[thread]);
            let all: Vec<usize> = (0..code.len()).filter(|&t| arriving(t)).collect();
            let together = all.iter().all(|&t| same(t))
                && initial(code, cell) == Some(count * all.len() as u64);
            if !is_once && !together {
                blocked.push(cell);
            }
            *fewer.entry(cell).or_default() += count;
        }
    }
    let has_room = |cell: &MemoryCell, by: u64| initial(code, *cell).is_some_and(|n| n > by);
    // How often the thread that is left out arrives least of all, and how often what is left over
    // is as many arrivals as a phase then waits for.
    let is_in_each = |cell: &MemoryCell, by: u64| {
        let is_one = |count: &&u64| **count > 0;
        let times =
            |t: usize| Some(arrivals_of(&code[t], *cell)?.iter().filter(is_one).count() as u64);
        let of_kept = |t: usize| arrivals_of(&code[t], *cell).map(|all| all.iter().sum::<u64>());
        let gone = (0..code.len()).filter(|&t| !kept[t]).filter(|&t| times(t) != Some(0));
        let fewest =
            gone.map(times).collect::<Option<Vec<u64>>>().and_then(|all| all.into_iter().min());
        let left: Option<u64> = (0..code.len()).filter(|&t| kept[t]).map(of_kept).sum();
        let (Some(fewest), Some(left), Some(count)) = (fewest, left, initial(code, *cell)) else {
            return false;
        };
        left / (count - by) <= fewest
    };
    if !blocked.is_empty()
        || fewer.iter().any(|(cell, by)| !has_room(cell, *by) || !is_in_each(cell, *by))
    {
        return;
    }
    for (piece, _) in code.iter_mut().flatten() {
        if let CodePiece::Mbarrier(piece) = piece
            && piece.operation == "mbarrier.init"
            && let Some(by) = fewer.get(&piece.cell)
            && let Ok(n) = piece.operands.parse::<u64>()
        {
            piece.operands = (n - by).to_string();
        }
    }
    let mut at = 0;
    members.retain(|_| {
        at += 1;
        kept[at - 1]
    });
    at = 0;
    code.retain(|_| {
        at += 1;
        kept[at - 1]
    });
}

/// The threads that meet at barriers of warps, by warps.
fn warps(
    skeletons: &[Option<BarrierSkeleton>],
    kept: &[bool],
    block: &dyn Fn(usize) -> usize,
) -> Vec<Vec<usize>> {
    let mut found: Vec<(usize, BTreeSet<&str>, Vec<usize>)> = Vec::new();
    for (thread, skeleton) in skeletons.iter().enumerate().filter(|(t, _)| kept[*t]) {
        let Some(skeleton) = skeleton.as_ref().filter(|s| !s.meetings.is_empty()) else { continue };
        let own: BTreeSet<&str> = skeleton.meetings.iter().map(String::as_str).collect();
        // Who meets at one of its barriers is of its warp.
        let (same, others): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|(b, of, _)| *b == block(thread) && !of.is_disjoint(&own));
        let mut warp = (block(thread), own, vec![thread]);
        for (_, of, threads) in same {
            warp.1.extend(of);
            warp.2.extend(threads);
        }
        found = others;
        found.push(warp);
    }
    let mut warps: Vec<Vec<usize>> = found.into_iter().map(|(.., threads)| threads).collect();
    warps.iter_mut().for_each(|warp| warp.sort_unstable());
    warps.sort();
    warps
}

/// How many arrivals an mbarrier waits for, if it is initialised once.
fn initial(code: &[Vec<Line>], cell: MemoryCell) -> Option<u64> {
    let mut found = code.iter().flatten().filter_map(|(p, _)| match p {
        CodePiece::Mbarrier(piece)
            if piece.how == MbarrierUse::Initialise && piece.cell == cell =>
        {
            Some(piece)
        }
        _ => None,
    });
    let first = found.next().filter(|_| found.next().is_none())?;
    first.operands.parse().ok()
}
