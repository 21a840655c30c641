//! Some of the threads of a launch, with some of their code: what a test is written of.

use std::collections::{BTreeMap, BTreeSet};

use crate::counted::COUNTED;
use crate::layout::Object;
use crate::meeting::instance;
use crate::residue::{CodePiece, Line, MemoryCell};

/// The number of the first instance of a barrier in a test: smaller ones are the barriers of a
/// block (PTX ISA 9.7.13.1).
const FIRST_INSTANCE: usize = 16;
/// Some of the threads of a launch, with some of their code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Slice {
    /// The threads of the launch that are in it, ascending.
    pub members: Vec<usize>,
    /// The code of each.
    pub code: Vec<Vec<Line>>,
    /// Mbarriers that are there at the start, and how many arrivals they wait for.
    pub mbarriers: BTreeMap<MemoryCell, u64>,
    /// Places that have a name of their own in its test, and hold a value of their own at the
    /// start.
    pub named: BTreeMap<MemoryCell, (String, i64)>,
}

impl Slice {
    /// All threads with all their code.
    pub fn whole(code: &[Vec<Line>]) -> Self {
        let mut slice =
            Self { members: (0..code.len()).collect(), code: code.to_vec(), ..Self::default() };
        slice.count_warps(code);
        slice
    }

    /// A barrier of a warp waits for those of its threads that are there, and come to it; `code` is
    /// that of all threads. One at which as many threads meet as it counts says how many of them
    /// are there. Instances are numbered anew.
    pub(super) fn count_warps(&mut self, code: &[Vec<Line>]) {
        let users = |all: &[Vec<Line>]| {
            let mut users: BTreeMap<String, usize> = BTreeMap::new();
            for code in all {
                let of: BTreeSet<&str> = code
                    .iter()
                    .filter_map(|(p, _)| {
                        if let CodePiece::Barrier(text) = p {
                            Some(instance(text)?.0)
                        } else {
                            None
                        }
                    })
                    .collect();
                of.into_iter().for_each(|i| *users.entry(i.to_owned()).or_default() += 1);
            }
            users
        };
        let (before, now) = (users(code), users(&self.code));
        for code in &mut self.code {
            code.retain_mut(|(piece, _)| {
                let CodePiece::Barrier(text) = piece else { return true };
                let Some((of, count)) = instance(text) else { return true };
                let users = now.get(of).copied().unwrap_or(0);
                let count = count.saturating_sub(before.get(of).copied().unwrap_or(0) - users);
                let number = FIRST_INSTANCE + now.keys().position(|known| known == of).unwrap_or(0);
                let is_counted = of.parse().is_ok_and(|of: u64| of >= COUNTED);
                *text = format!("bar.cta.sync {number}, 0, {}", if is_counted { count } else { 0 });
                if is_counted { count > 1 } else { users > 1 }
            });
        }
    }

    /// Do lanes exchange values beside fences? A test has an exchange as a strong write and reads
    /// of it, so that with fences around it is a pattern that synchronises, as the instruction is
    /// not (PTX ISA 9.7.9.6 and 9.7.13 say of none that it orders memory).
    pub fn orders_by_exchanges(&self) -> bool {
        let exchanges = |p: &CodePiece, writes: bool| match p {
            CodePiece::Read { cell, .. } => !writes && matches!(cell.object, Object::Exchange(..)),
            CodePiece::Write { cell, .. } => writes && matches!(cell.object, Object::Exchange(..)),
            _ => false,
        };
        let fenced = |code: &Vec<Line>| code.iter().any(|(p, _)| is_fence(p));
        let some = |writes| {
            self.code
                .iter()
                .any(|code| fenced(code) && code.iter().any(|(p, _)| exchanges(p, writes)))
        };
        some(true) && some(false)
    }

    /// The same without fences where lanes exchange values: less is ordered in it.
    pub fn without_fences(&self) -> Self {
        let mut less = self.clone();
        less.code.iter_mut().for_each(|code| code.retain(|(p, _)| !is_fence(p)));
        less
    }

    /// The number that a thread of the launch has in it.
    pub fn number(&self, thread: usize) -> Option<usize> {
        self.members.binary_search(&thread).ok()
    }
}

fn is_fence(piece: &CodePiece) -> bool {
    matches!(piece, CodePiece::Other(text) if text.starts_with("fence"))
}
