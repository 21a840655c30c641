//! The question about programs by enumeration: every program, everything that its operations may
//! depend on, every outcome, and for each every execution of the program.

use std::collections::BTreeMap;

use margay_models::bits::Event;
use margay_models::execution::{Execution, Kind};
use margay_models::judge::Judge;
use margay_models::signature::{BaseRelation, Operation};

use super::program::{self, Op, Program};
use super::{Search, axioms, is_undefined, lowered, source};

/// What the operations of a program depend on, by their indices.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Dependencies {
    /// `(r, o)`: `o` is executed only if `r` was, and returned what it does in the outcome.
    conditions: Vec<(usize, usize)>,
    /// `(r, w)`: `w` writes its value only then, and else one that nothing else has.
    data: Vec<(usize, usize)>,
}

impl Dependencies {
    /// Reads with something under a condition on them, and computed values once for each read.
    fn count(&self) -> usize {
        let guards = |&(i, (r, _)): &(usize, (usize, usize))| {
            self.conditions[..i].iter().all(|&(s, _)| s != r)
        };
        self.conditions.iter().copied().enumerate().filter(guards).count() + self.data.len()
    }

    /// Are the reads that something depends on executed whenever it is?
    fn are_read(&self) -> bool {
        let all = || self.conditions.iter().chain(&self.data);
        self.conditions.iter().all(|&(r, s)| {
            all().filter(|(t, _)| *t == s).all(|&(_, o)| self.conditions.contains(&(r, o)))
        })
    }

    /// The same among the kept operations, by their new indices.
    fn among(&self, kept: &[usize]) -> Self {
        let at = |i: usize| kept.iter().position(|&k| k == i);
        let of = |pairs: &[(usize, usize)]| {
            pairs.iter().filter_map(|&(a, b)| Some((at(a)?, at(b)?))).collect()
        };
        Self { conditions: of(&self.conditions), data: of(&self.data) }
    }
}

/// The operations of a program with the events that they are.
struct Numbered<'a> {
    program: &'a Program,
    /// The first event of each operation.
    first: Vec<usize>,
}

fn size(op: &Op) -> usize {
    if op.construct.operation == Operation::Rmw { 2 } else { 1 }
}

fn subsets<T: Copy>(things: &[T]) -> impl Iterator<Item = Vec<T>> + '_ {
    (0..1_usize << things.len())
        .map(|bits| (0..things.len()).filter(|i| bits >> i & 1 == 1).map(|i| things[i]).collect())
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

    fn reads(&self, i: usize) -> bool {
        matches!(self.program.ops[i].construct.operation, Operation::Read | Operation::Rmw)
    }

    /// The event of an operation that writes.
    fn write(&self, i: usize) -> Option<usize> {
        let operation = self.program.ops[i].construct.operation;
        matches!(operation, Operation::Write | Operation::Rmw)
            .then(|| self.first[i] + size(&self.program.ops[i]) - 1)
    }

    /// Everything that the operations may depend on.
    fn dependencies(&self) -> Vec<Dependencies> {
        let ops = &self.program.ops;
        let later = |r: usize| {
            (r + 1..ops.len()).filter(move |&o| ops[o].thread == ops[r].thread).map(move |o| (r, o))
        };
        let pairs: Vec<(usize, usize)> =
            (0..ops.len()).filter(|&r| self.reads(r)).flat_map(later).collect();
        let to_writes: Vec<(usize, usize)> =
            pairs.iter().copied().filter(|&(_, o)| self.write(o).is_some()).collect();
        let mut out = Vec::new();
        for conditions in subsets(&pairs) {
            for data in subsets(&to_writes) {
                out.push(Dependencies { conditions: conditions.clone(), data });
            }
        }
        out.retain(Dependencies::are_read);
        out
    }

    /// Enters the dependencies.
    fn depend(&self, execution: &mut Execution, on: &Dependencies) {
        for &(r, o) in &on.conditions {
            for e in self.first[o]..self.first[o] + size(&self.program.ops[o]) {
                execution.ctrl.insert(Event::from(self.first[r]), Event::from(e));
            }
        }
        for &(r, w) in &on.data {
            let write = self.write(w).expect("values are written");
            execution.data.insert(Event::from(self.first[r]), Event::from(write));
        }
    }
}

/// Where a read reads from: an event, or `None` for the initial write.
fn read_from(execution: &Execution, read: usize) -> Option<usize> {
    let write = execution.rf.column(Event::from(read)).iter().next().expect("reads have a source");
    (execution.events[write.index()].kind != Kind::Init).then(|| write.index())
}

/// The outcome: for each operation that reads the operation that it reads from.
type Wanted = BTreeMap<usize, Option<usize>>;

/// What a part of the operations of a program could do.
struct Part<'a> {
    whole: &'a Numbered<'a>,
    /// What the whole depends on.
    on: &'a Dependencies,
    /// The operations that are executed.
    kept: &'a [usize],
    new: Numbered<'a>,
}

impl Part<'_> {
    /// The operation of the whole that an event is of.
    fn operation(&self, event: usize) -> usize {
        self.kept
            [self.new.first.iter().rposition(|&f| f <= event).expect("events are of operations")]
    }

    /// Is it an execution of the whole program: are the operations that it has, and no others,
    /// those whose conditions hold?
    fn is_of_whole(&self, execution: &Execution, wanted: &Wanted) -> bool {
        let at = |i: usize| self.kept.iter().position(|&k| k == i);
        let sources: BTreeMap<usize, Option<usize>> = (0..self.kept.len())
            .filter(|&i| self.new.reads(i))
            .map(|i| {
                (self.kept[i], read_from(execution, self.new.first[i]).map(|w| self.operation(w)))
            })
            .collect();
        // Operations that read or write wrong values; what nothing makes wrong is right, also on a
        // cycle of values.
        let (mut read, mut written): (Vec<usize>, Vec<usize>) = Default::default();
        loop {
            let is_wrong = |r: &usize| {
                sources.get(r).is_none_or(|from| {
                    *from != wanted[r] || from.is_some_and(|w| written.contains(&w))
                })
            };
            let reads: Vec<usize> = sources.keys().copied().filter(is_wrong).collect();
            let inputs = |w: usize| self.on.data.iter().filter(move |&&(_, o)| o == w);
            let has_wrong =
                |w: &usize| inputs(*w).any(|(r, _)| at(*r).is_none() || reads.contains(r));
            let writes: Vec<usize> = self.kept.iter().copied().filter(has_wrong).collect();
            if (&reads, &writes) == (&read, &written) {
                break;
            }
            (read, written) = (reads, writes);
        }
        // No wrong value is computed from itself: it would be greater than itself.
        let step = |w: usize| -> Vec<usize> {
            let inputs = self.on.data.iter().filter(|&&(r, o)| o == w && read.contains(&r));
            inputs.filter_map(|(r, _)| sources[r]).filter(|s| written.contains(s)).collect()
        };
        let circular = written.iter().any(|&w| {
            let mut seen = step(w);
            let mut i = 0;
            while let Some(&v) = seen.get(i) {
                seen.extend(step(v).into_iter().filter(|u| !seen.contains(u)).collect::<Vec<_>>());
                i += 1;
            }
            seen.contains(&w)
        });
        let holds = |o: usize| {
            let mut conditions = self.on.conditions.iter().filter(|&&(_, p)| p == o);
            conditions.all(|&(r, _)| at(r).is_some() && !read.contains(&r))
        };
        !circular && (0..self.whole.program.ops.len()).all(|o| holds(o) == self.kept.contains(&o))
    }
}

/// Has the program with these dependencies a consistent execution that is undefined?
fn races(search: &Search<'_>, whole: &Numbered<'_>, on: &Dependencies, wanted: &Wanted) -> bool {
    let model = &search.mapping.source;
    let ops = &whole.program.ops;
    let conditional: Vec<usize> =
        (0..ops.len()).filter(|&o| on.conditions.iter().any(|&(_, p)| p == o)).collect();
    subsets(&conditional).any(|left_out| {
        let kept: Vec<usize> = (0..ops.len()).filter(|o| !left_out.contains(o)).collect();
        let program =
            Program { ops: kept.iter().map(|&i| ops[i]).collect(), ..whole.program.clone() };
        let part = Part { whole, on, kept: &kept, new: Numbered::new(&program) };
        let here = on.among(&kept);
        let mut judge = Judge::new(model);
        !source::each(model.signature, &program, &mut |execution| {
            if !part.is_of_whole(execution, wanted) {
                return true;
            }
            let mut execution = execution.clone();
            part.new.depend(&mut execution, &here);
            let judgement = judge.judge(&execution);
            !(judgement.consistent && is_undefined(model, &judgement))
        })
    })
}

impl Search<'_> {
    /// Is there a program of this many events without races, with an outcome that only its compiled
    /// form has? At most so many guards and computed values are used.
    pub fn program(&self, events: usize, most: usize) -> bool {
        let model = &self.mapping.source;
        let asked = axioms(model);
        let mut judge = Judge::new(model);
        let mut target = Judge::new(&self.mapping.target);
        let mut explains = |execution: &Execution| {
            let judgement = judge.judge(execution);
            asked.iter().all(|&a| judgement.holds[a])
        };
        let mut is_explained = |execution: &Execution| {
            explains(execution) || source::other_orders(execution).iter().any(&mut explains)
        };
        let looks =
            [BaseRelation::Data, BaseRelation::Ctrl].iter().any(|&r| model.mentions_relation(r));
        let mut found = false;
        program::each(self, events, &mut |program| {
            let whole = Numbered::new(program);
            let mut all = whole.dependencies();
            all.retain(|on| on.count() <= most);
            all.sort_by_key(Dependencies::count);
            let mut racy: Vec<(usize, Wanted, bool)> = Vec::new();
            source::each(model.signature, program, &mut |plain| {
                if !looks && is_explained(plain) {
                    return true;
                }
                let reads = (0..program.ops.len()).filter(|&i| whole.reads(i));
                let operation = |e: usize| {
                    whole.first.iter().rposition(|&f| f <= e).expect("events are of operations")
                };
                let wanted: Wanted =
                    reads.map(|i| (i, read_from(plain, whole.first[i]).map(operation))).collect();
                for (k, on) in all.iter().enumerate() {
                    let mut execution = plain.clone();
                    whole.depend(&mut execution, on);
                    if (looks && is_explained(&execution))
                        || lowered::legal(self.mapping, program, &execution, &mut target).is_none()
                    {
                        continue;
                    }
                    let known = racy
                        .iter()
                        .find(|(j, w, _)| *j == k && *w == wanted)
                        .map(|&(_, _, races)| races);
                    let races = known.unwrap_or_else(|| races(self, &whole, on, &wanted));
                    if known.is_none() {
                        racy.push((k, wanted.clone(), races));
                    }
                    found |= !races;
                    if found {
                        return false;
                    }
                }
                true
            });
            !found
        });
        found
    }
}
