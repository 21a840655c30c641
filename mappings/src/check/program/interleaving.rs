//! Races that interleavings show: the executions of a program in which every read returns the last
//! write before it, or, where these show none, any write before it. They are few, quickly gone
//! through, and the shortest racing one says most about other programs.

use std::collections::HashSet;

use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::{Execution, Kind};
use margay_models::judge::Judge;

use crate::encode::{Prefix, ReadSources};

/// A program with the execution that its conditions refer to. Events are numbered thread by thread,
/// initial writes last.
pub struct InterleavedProgram<'a> {
    /// The execution in which every condition holds.
    pub execution: &'a Execution,
    /// The events of each thread.
    threads: Vec<Vec<usize>>,
}

/// What reads may return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// The last write to the location before the read.
    Latest,
    /// Any write to the location before the read, as far as the model allows it.
    Any,
}

/// What the source model says of a beginning of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows {
    /// It is inconsistent.
    Inconsistency,
    /// It is consistent, and its program is undefined.
    Race,
    /// It is consistent and nothing more.
    Nothing,
}

/// How far an interleaving has come.
#[derive(Debug, Clone)]
struct InterleavingState {
    order: Vec<usize>,
    /// The next operation of each thread.
    next: Vec<usize>,
    sources: Vec<(usize, Option<usize>)>,
    /// The events that were executed with the value that they have in the execution that is
    /// searched for.
    right: u64,
}

impl<'a> InterleavedProgram<'a> {
    /// The program of an execution whose control dependencies are its conditions, and whose data
    /// dependencies its computed values.
    pub fn new(execution: &'a Execution) -> Self {
        let of = |t: usize| {
            (0..execution.size())
                .filter(|&e| execution.events[e].thread == Some(t as u16))
                .collect()
        };
        Self { execution, threads: (0..execution.threads.len()).map(of).collect() }
    }

    /// The events of a thread.
    pub fn thread(&self, t: usize) -> &[usize] {
        &self.threads[t]
    }

    fn is(&self, e: usize, kind: Kind) -> bool {
        self.execution.events[e].kind == kind
    }

    /// The write half of the read-modify-write that begins with a read.
    pub fn write_half(&self, read: usize) -> Option<usize> {
        self.execution.rmw.row(Event::from(read)).iter().next().map(Event::index)
    }

    /// The source of a read in the execution that is searched for; `None` for the initial write.
    pub fn source(&self, read: usize) -> Option<usize> {
        let write = self.execution.rf.column(Event::from(read)).iter().next()?;
        (!self.is(write.index(), Kind::Init)).then(|| write.index())
    }

    /// Is an event executed if so many events have the value that they have in the execution that
    /// is searched for, among them all those before it in its thread that do?
    pub fn is_executed(&self, e: usize, right: u64) -> bool {
        let x = self.execution;
        let own_read = x.rmw.column(Event::from(e)).iter().next();
        let compared =
            own_read.filter(|r| x.events[r.index()].compare).map_or(0, |r| 1 << r.index());
        (x.ctrl.column_word(Event::from(e)) | compared) & !right == 0
    }

    /// Has a write that is executed then the value that it has in the execution that is searched
    /// for?
    fn writes_right(&self, write: usize, right: u64) -> bool {
        self.execution.data.column_word(Event::from(write)) & !right == 0
    }

    /// The last write to the location of a read among what comes before it.
    pub fn latest(&self, before: &[usize], read: usize) -> Option<usize> {
        let location = |e: usize| self.execution.events[e].location;
        before
            .iter()
            .rev()
            .copied()
            .find(|&w| self.is(w, Kind::Write) && location(w) == location(read))
    }

    /// The events of a prefix as an execution. `None` if a read has no source in it.
    pub fn part(&self, prefix: &Prefix) -> Option<Execution> {
        let x = self.execution;
        let mut kept: Vec<usize> = prefix.order.clone();
        kept.sort_unstable();
        let inits = (0..x.size()).filter(|&e| self.is(e, Kind::Init));
        let all: Vec<usize> = kept.iter().copied().chain(inits).collect();
        let at = |e: usize| all.iter().position(|&k| k == e).map(Event::from);
        let events = all.iter().map(|&e| x.events[e].clone()).collect();
        let mut part = Execution::new(x.signature, events, x.threads.clone(), x.locations.clone());
        let restricted = |relation: &BitMatrix| {
            let pairs =
                relation.pairs().filter_map(|(a, b)| Some((at(a.index())?, at(b.index())?)));
            BitMatrix::from_pairs(all.len(), pairs)
        };
        (part.rmw, part.addr, part.data, part.ctrl) =
            (restricted(&x.rmw), restricted(&x.addr), restricted(&x.data), restricted(&x.ctrl));
        let location = |e: usize| x.events[e].location;
        let init = |e: usize| {
            (0..x.size())
                .find(|&i| self.is(i, Kind::Init) && location(i) == location(e))
                .and_then(at)
        };
        let writes: Vec<usize> =
            prefix.order.iter().copied().filter(|&e| self.is(e, Kind::Write)).collect();
        for (i, &w) in writes.iter().enumerate() {
            part.co.insert(init(w)?, at(w)?);
            for &later in writes[i + 1..].iter().filter(|&&v| location(v) == location(w)) {
                part.co.insert(at(w)?, at(later)?);
            }
        }
        // Fences are ordered as they are executed, where their order is chosen.
        let is_ordered = |&e: &usize| x.signature.is_ordered_fence(&x.events[e]);
        let fences: Vec<usize> = prefix.order.iter().copied().filter(is_ordered).collect();
        for (i, &f) in fences.iter().enumerate() {
            for &later in &fences[i + 1..] {
                part.sync_fence.insert(at(f)?, at(later)?);
            }
        }
        for (i, &r) in prefix.order.iter().enumerate().filter(|&(_, &e)| self.is(e, Kind::Read)) {
            let given = match &prefix.sources {
                ReadSources::Latest => None,
                ReadSources::Given(given) => given.iter().find(|(read, _)| *read == r),
            };
            let source =
                given.map_or_else(|| self.latest(&prefix.order[..i], r), |&(_, source)| source);
            let from = match source {
                Some(w) => at(w)?,
                None => init(r)?,
            };
            part.rf.insert(from, at(r)?);
        }
        Some(part)
    }

    /// Executes the next operation of a thread that is executed, in each way that a read in it may
    /// read.
    fn steps(&self, state: &InterleavingState, t: usize, reads: Reads) -> Vec<InterleavingState> {
        let mut after = state.clone();
        let first = loop {
            let Some(&e) = self.threads[t].get(after.next[t]) else { return Vec::new() };
            after.next[t] += 1;
            if self.is_executed(e, after.right) {
                break e;
            }
        };
        after.order.push(first);
        if !self.is(first, Kind::Read) {
            return vec![self.written(after, t, first)];
        }
        let location = self.execution.events[first].location;
        let writes = state.order.iter().rev().copied().filter(|&w| self.is(w, Kind::Write));
        let of_location = writes.filter(|&w| self.execution.events[w].location == location);
        let mut sources: Vec<Option<usize>> = of_location.map(Some).chain([None]).collect();
        // The write of a read-modify-write is the last in the order, so it reads the last but it.
        if reads == Reads::Latest || self.write_half(first).is_some() {
            sources.truncate(1);
        }
        let read = |source: Option<usize>| {
            let mut after = after.clone();
            after.sources.push((first, source));
            let is_right =
                source == self.source(first) && source.is_none_or(|w| state.right >> w & 1 == 1);
            after.right |= u64::from(is_right) << first;
            self.written(after, t, first)
        };
        sources.into_iter().map(read).collect()
    }

    /// Executes the write of the operation that begins with an event, if it has one.
    fn written(&self, mut state: InterleavingState, t: usize, first: usize) -> InterleavingState {
        let written =
            if self.is(first, Kind::Write) { Some(first) } else { self.write_half(first) };
        if let Some(write) = written {
            if write != first {
                state.next[t] += 1;
                if !self.is_executed(write, state.right) {
                    return state;
                }
                state.order.push(write);
            }
            state.right |= u64::from(self.writes_right(write, state.right)) << write;
        }
        state
    }

    /// What an execution is, whatever the interleaving that made it.
    fn key(&self, state: &InterleavingState) -> Vec<u8> {
        let mut sources = state.sources.clone();
        sources.sort_unstable();
        let mut writes: Vec<usize> =
            state.order.iter().copied().filter(|&e| self.is(e, Kind::Write)).collect();
        writes.sort_by_key(|&w| self.execution.events[w].location);
        let from = sources.iter().flat_map(|&(r, w)| [r as u8, w.map_or(u8::MAX, |w| w as u8)]);
        let executed = state.order.iter().fold(0_u64, |set, &e| set | 1 << e).to_le_bytes();
        executed.into_iter().chain(from).chain(writes.iter().map(|&w| w as u8)).collect()
    }

    /// Where reads read from, without naming what the order says already.
    pub fn named(&self, order: &[usize], sources: &[(usize, Option<usize>)]) -> ReadSources {
        let is_stale = |&(read, source): &(usize, Option<usize>)| {
            let before = order.iter().take_while(|&&e| e != read).copied().collect::<Vec<_>>();
            self.latest(&before, read) != source
        };
        ReadSources::Given(sources.iter().copied().filter(is_stale).collect())
    }

    /// The shortest beginning of an execution that is found to race; with `complete` only of whole
    /// executions.
    pub fn race(
        &self,
        complete: bool,
        reads: Reads,
        judge: &mut dyn FnMut(&Execution) -> Shows,
    ) -> Option<Prefix> {
        let threads = self.threads.len();
        let start = InterleavingState {
            order: Vec::new(),
            next: vec![0; threads],
            sources: Vec::new(),
            right: 0,
        };
        let (mut now, mut seen) = (vec![start], HashSet::new());
        while !now.is_empty() {
            let mut then = Vec::new();
            for state in &now {
                let next: Vec<InterleavingState> =
                    (0..threads).flat_map(|t| self.steps(state, t, reads)).collect();
                let last = state.order.last().copied().filter(|&e| !self.is(e, Kind::Fence));
                if if complete { next.is_empty() } else { last.is_some() } {
                    let sources = match reads {
                        Reads::Latest => ReadSources::Latest,
                        Reads::Any => self.named(&state.order, &state.sources),
                    };
                    let prefix = Prefix { order: state.order.clone(), sources };
                    match self.part(&prefix).map(|part| judge(&part)) {
                        Some(Shows::Race) => return Some(prefix),
                        Some(Shows::Inconsistency) => continue,
                        _ => {}
                    }
                }
                then.extend(next.into_iter().filter(|after| seen.insert(self.key(after))));
            }
            now = then;
        }
        None
    }
}

/// What a beginning of an execution shows.
pub fn shows(judge: &mut Judge, undefined: &[(usize, bool)], part: &Execution) -> Shows {
    let judgement = judge.judge(part);
    match judgement.consistent {
        false => Shows::Inconsistency,
        true if undefined.iter().any(|&(check, raised)| judgement.holds[check] == raised) => {
            Shows::Race
        }
        true => Shows::Nothing,
    }
}
