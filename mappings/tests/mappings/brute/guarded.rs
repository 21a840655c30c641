//! The question about programs by enumeration: every program, every set of guards, every outcome, and for each every execution of
//! the guarded program.

use std::collections::BTreeMap;

use margay_models::bits::Event;
use margay_models::execution::{Execution, Kind};
use margay_models::judge::Judge;
use margay_models::signature::Operation;

use super::program::{self, Op, Program};
use super::{Search, axioms, is_undefined, lowered, source};

/// The operations of a program with the events that they are.
struct Numbered<'a> {
    program: &'a Program,
    /// The first event of each operation.
    first: Vec<usize>,
}

fn size(op: &Op) -> usize {
    if op.construct.operation == Operation::Rmw { 2 } else { 1 }
}

impl<'a> Numbered<'a> {
    fn new(program: &'a Program) -> Self {
        let mut next = 0;
        let mut first = Vec::new();
        for op in &program.ops {
            first.push(next);
            next += size(op);
        }
        Self { program, first }
    }

    /// Operations that read and have another operation of their thread behind them.
    fn may_guard(&self) -> Vec<usize> {
        let ops = &self.program.ops;
        let reads = |i: usize| matches!(ops[i].construct.operation, Operation::Read | Operation::Rmw);
        (0..ops.len()).filter(|&i| reads(i) && ops.get(i + 1).is_some_and(|next| next.thread == ops[i].thread)).collect()
    }

    /// Makes everything behind a guard depend on its read.
    fn depend(&self, execution: &mut Execution, guards: &[usize]) {
        let ops = &self.program.ops;
        for &g in guards {
            for later in (g + 1..ops.len()).filter(|&j| ops[j].thread == ops[g].thread) {
                for e in self.first[later]..self.first[later] + size(&ops[later]) {
                    execution.ctrl.insert(Event::from(self.first[g]), Event::from(e));
                }
            }
        }
    }
}

/// Where a read reads from: an event, or `None` for the initial write.
fn read_from(execution: &Execution, read: usize) -> Option<usize> {
    let write = execution.rf.column(Event::from(read)).iter().next().expect("reads have a source");
    (execution.events[write.index()].kind != Kind::Init).then(|| write.index())
}

/// Has the program with these guards a consistent execution that is undefined? `wanted` says for each guard what it must read.
fn races(search: &Search<'_>, numbered: &Numbered<'_>, wanted: &BTreeMap<usize, Option<usize>>) -> bool {
    let model = &search.mapping.source;
    let ops = &numbered.program.ops;
    // How many operations of each thread are executed: all, or up to a guard that fails.
    let mut cuts: Vec<Vec<usize>> = vec![Vec::new()];
    let threads = numbered.program.placements.len();
    for t in 0..threads {
        let of_thread: Vec<usize> = (0..ops.len()).filter(|&i| ops[i].thread == t).collect();
        let ends = (1..=of_thread.len()).filter(|&n| n == of_thread.len() || wanted.contains_key(&of_thread[n - 1]));
        let ends: Vec<usize> = ends.collect();
        cuts = cuts.into_iter().flat_map(|c| ends.iter().map(move |&n| [c.clone(), vec![n]].concat())).collect();
    }
    cuts.into_iter().any(|cut| {
        let position = |i: usize| (0..i).filter(|&j| ops[j].thread == ops[i].thread).count();
        let kept: Vec<usize> = (0..ops.len()).filter(|&i| position(i) < cut[ops[i].thread]).collect();
        let part = Program { ops: kept.iter().map(|&i| ops[i]).collect(), ..numbered.program.clone() };
        let new = Numbered::new(&part);
        // Events of the part by those of the whole.
        let original: Vec<usize> = kept.iter().flat_map(|&i| numbered.first[i]..numbered.first[i] + size(&ops[i])).collect();
        let guards: Vec<usize> = (0..kept.len()).filter(|&k| wanted.contains_key(&kept[k])).collect();
        let behind: Vec<usize> =
            guards.iter().copied().filter(|&k| part.ops.get(k + 1).is_some_and(|n| n.thread == part.ops[k].thread)).collect();
        let mut judge = Judge::new(model);
        !source::each(model.signature, &part, &mut |execution| {
            let passes = |k: &usize| {
                let from = read_from(execution, new.first[*k]).map(|w| original[w]);
                from == wanted[&kept[*k]]
            };
            if guards.iter().any(|k| passes(k) != behind.contains(k)) {
                return true;
            }
            let mut execution = execution.clone();
            new.depend(&mut execution, &behind);
            let judgement = judge.judge(&execution);
            !(judgement.consistent && is_undefined(model, &judgement))
        })
    })
}

impl Search<'_> {
    /// Is there a program of this many events without races, with an outcome that only its compiled form has?
    pub fn program(&self, events: usize, most_guards: usize) -> bool {
        let model = &self.mapping.source;
        let asked = axioms(model);
        let mut judge = Judge::new(model);
        let mut target = Judge::new(&self.mapping.target);
        let mut found = false;
        program::each(self, events, &mut |program| {
            let numbered = Numbered::new(program);
            let may_guard = numbered.may_guard();
            for bits in 0..1_usize << may_guard.len() {
                let guards: Vec<usize> = (0..may_guard.len()).filter(|i| bits >> i & 1 == 1).map(|i| may_guard[i]).collect();
                if guards.len() > most_guards {
                    continue;
                }
                let mut racy: BTreeMap<Vec<Option<usize>>, bool> = BTreeMap::new();
                let explains = |judge: &mut Judge, execution: &Execution| {
                    let judgement = judge.judge(execution);
                    asked.iter().all(|&a| judgement.holds[a])
                };
                source::each(model.signature, program, &mut |execution| {
                    let mut execution = execution.clone();
                    numbered.depend(&mut execution, &guards);
                    if explains(&mut judge, &execution)
                        || source::other_orders(&execution).iter().any(|other| explains(&mut judge, other))
                        || lowered::legal(self.mapping, program, &execution, &mut target).is_none()
                    {
                        return true;
                    }
                    let sources: Vec<Option<usize>> = guards.iter().map(|&g| read_from(&execution, numbered.first[g])).collect();
                    let wanted = guards.iter().copied().zip(sources.iter().copied()).collect();
                    let races = *racy.entry(sources).or_insert_with(|| races(self, &numbered, &wanted));
                    found |= !races;
                    !found
                });
                if found {
                    return false;
                }
            }
            true
        });
        found
    }
}
