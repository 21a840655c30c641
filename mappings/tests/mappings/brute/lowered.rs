//! What the compiler makes of a program, and its executions that read back as a given source
//! execution.

use margay_mappings::language::{Dependency, Lowering, Mapping, Row, ScopePattern, StepScope};
use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::{EventData, Execution, Kind, Order, Scope};
use margay_models::judge::Judge;
use margay_models::signature::{Operation, Signature};

use super::back::{self, Back};
use super::orders::{choices, partial_orders};
use super::program::{Op, Program};
use super::source::{finish, halves};

fn row<'a>(mapping: &'a Mapping, op: &Op) -> &'a Row {
    let fits = |row: &&Row| match row.scope {
        ScopePattern::Any(_) => true,
        ScopePattern::Named(scope) => op.scope == Some(scope),
    };
    mapping
        .rows
        .iter()
        .filter(|row| row.construct == op.construct)
        .find(fits)
        .expect("mappings are complete")
}

/// A compiled program.
struct Compiled {
    execution: Execution,
    /// For each source event its target event.
    image: Vec<Option<usize>>,
    /// For each target event its operation.
    operation: Vec<usize>,
    /// The reads that may read whatever is there.
    unused: Vec<usize>,
    /// The loads that are read-modify-writes, each with what it writes back.
    back: Vec<Back>,
}

fn compile(mapping: &Mapping, program: &Program, chosen: &[&Lowering]) -> Compiled {
    let mut events: Vec<EventData> = Vec::new();
    let mut rmw = Vec::new();
    let mut image = Vec::new();
    let mut operation = Vec::new();
    let (mut unused, mut back) = (Vec::new(), Vec::new());
    for (i, (op, lowering)) in program.ops.iter().zip(chosen).enumerate() {
        let mut access = None;
        for step in &lowering.steps {
            let scope = match step.scope {
                StepScope::None => None,
                StepScope::Named(scope) => Some(scope),
                StepScope::Same => Some(op.scope.unwrap_or(Scope::Sys)),
            };
            let mut push = |kind: Kind, order: Order| {
                let mut data = EventData::new(kind, Some(op.thread as u16), order);
                data.scope = scope;
                data.volatile = step.volatile;
                data.location = if kind == Kind::Fence { None } else { op.location };
                events.push(data);
                events.len() - 1
            };
            match step.operation {
                Operation::Fence => drop(push(Kind::Fence, step.order)),
                Operation::Read if step.unused => unused.push(push(Kind::Read, step.order)),
                Operation::Read => access = Some(push(Kind::Read, step.order)),
                Operation::Write => access = Some(push(Kind::Write, step.order)),
                Operation::Rmw => {
                    let (read, write) = halves(step.order);
                    let first = push(Kind::Read, read);
                    let second = push(Kind::Write, write);
                    rmw.push((first, second));
                    access = Some(if op.construct.operation == Operation::Write {
                        second
                    } else {
                        first
                    });
                    match op.construct.operation {
                        Operation::Write => unused.push(first),
                        Operation::Read => back.push(Back { load: first, write: second }),
                        Operation::Rmw | Operation::Fence => {}
                    }
                }
            }
        }
        operation.resize(events.len(), i);
        image.push(access);
        if op.construct.operation == Operation::Rmw {
            image.push(access.map(|a| a + 1));
        }
    }
    let inits = events.len();
    image.extend((0..usize::from(program.locations)).map(|l| Some(inits + l)));
    Compiled {
        execution: finish(mapping.target.signature, program, events, &rmw),
        image,
        operation,
        unused,
        back,
    }
}

/// A choice of lowerings under which a legal target execution reads back as the source execution.
pub fn legal(
    mapping: &Mapping,
    program: &Program,
    source: &Execution,
    judge: &mut Judge,
) -> Option<Vec<usize>> {
    lowerings(mapping, program)
        .into_iter()
        .find(|choice| has_legal(mapping, program, source, judge, choice))
}

/// All of them.
pub fn all_legal(
    mapping: &Mapping,
    program: &Program,
    source: &Execution,
    judge: &mut Judge,
) -> Vec<Vec<usize>> {
    lowerings(mapping, program)
        .into_iter()
        .filter(|choice| has_legal(mapping, program, source, judge, choice))
        .collect()
}

fn lowerings(mapping: &Mapping, program: &Program) -> Vec<Vec<usize>> {
    let lists: Vec<Vec<usize>> =
        program.ops.iter().map(|op| (0..row(mapping, op).alternatives.len()).collect()).collect();
    choices(&lists)
}

fn has_legal(
    mapping: &Mapping,
    program: &Program,
    source: &Execution,
    judge: &mut Judge,
    choice: &[usize],
) -> bool {
    let chosen: Vec<&Lowering> =
        program.ops.iter().zip(choice).map(|(op, &k)| &row(mapping, op).alternatives[k]).collect();
    let Compiled { execution: mut target, image, operation, unused, back } =
        compile(mapping, program, &chosen);
    let at = |e: Event| Event::from(image[e.index()].expect("accesses stay accesses"));
    for (w, r) in source.rf.pairs() {
        target.rf.insert(at(w), at(r));
    }
    // What is control-dependent on a read is so with all that its lowering adds; data goes to the
    // write.
    let size = |op: &Op| if op.construct.operation == Operation::Rmw { 2 } else { 1 };
    let operations: Vec<usize> = program
        .ops
        .iter()
        .enumerate()
        .flat_map(|(i, op)| std::iter::repeat_n(i, size(op)))
        .collect();
    for (r, o) in source.ctrl.pairs() {
        let dependent = operations[o.index()];
        for (e, &i) in operation.iter().enumerate() {
            if i == dependent {
                target.ctrl.insert(at(r), Event::from(e));
            }
        }
    }
    // A row with `addr`, `data` or `ctrl` makes what comes behind it in the thread dependent on
    // what it read: accesses, writes, everything.
    for (i, lowering) in chosen.iter().enumerate() {
        if lowering.dependencies.iter().next().is_none() {
            continue;
        }
        let head = operations.iter().position(|&o| o == i).expect("an operation has events");
        let read = at(Event::from(head));
        let access =
            operations.iter().rposition(|&o| o == i).map_or(read, |last| at(Event::from(last)));
        let thread = target.events[read.index()].thread;
        for (dependency, behind) in lowering.dependencies.iter() {
            let own = |e: &usize| operation[*e] == i && back.iter().all(|b| b.write != *e);
            let fences = (access.index() + 1..operation.len()).filter(own).skip(behind);
            let later = (access.index() + 1..operation.len())
                .filter(|&e| operation[e] > i && target.events[e].thread == thread);
            for e in fences.chain(later).collect::<Vec<_>>() {
                let kind = target.events[e].kind;
                match dependency {
                    Dependency::Addr if kind != Kind::Fence => {
                        target.addr.insert(read, Event::from(e))
                    }
                    Dependency::Data if kind == Kind::Write => {
                        target.data.insert(read, Event::from(e))
                    }
                    Dependency::Ctrl => target.ctrl.insert(read, Event::from(e)),
                    Dependency::Addr | Dependency::Data => {}
                }
            }
        }
    }
    source.data.pairs().for_each(|(r, w)| target.data.insert(at(r), at(w)));
    let is_init = |e: Event| source.events[e.index()].kind == Kind::Init;
    let mut least = BitMatrix::new(target.size());
    source.co.pairs().filter(|&(w, _)| is_init(w)).for_each(|(w, x)| least.insert(at(w), at(x)));
    let free: Vec<(usize, usize)> = source
        .co
        .pairs()
        .filter(|&(w, _)| !is_init(w))
        .map(|(w, x)| (at(w).index(), at(x).index()))
        .collect();
    let partial = mapping.target.signature == Signature::PTX;
    let coherence = if partial { partial_orders(&free) } else { vec![free.clone()] };
    let fences: Vec<usize> = (0..target.size())
        .filter(|&e| mapping.target.signature.is_ordered_fence(&target.events[e]))
        .collect();
    let between: Vec<(usize, usize)> = fences
        .iter()
        .flat_map(|&a| fences.iter().filter(move |&&b| a != b).map(move |&b| (a, b)))
        .collect();
    let fence_orders = partial_orders(&between);
    // What nobody looks at is read from any write of its location.
    let sources: Vec<Vec<usize>> = unused
        .iter()
        .map(|&r| {
            let here = |w: &usize| {
                let data = &target.events[*w];
                matches!(data.kind, Kind::Write | Kind::Init)
                    && data.location == target.events[r].location
            };
            (0..target.size()).filter(here).collect()
        })
        .collect();
    if !back.is_empty() {
        assert!(
            unused.is_empty(),
            "loads that nobody uses are not enumerated beside loads that write back"
        );
        for &Back { load, write } in &back {
            let initial = (0..target.size()).filter(|&e| {
                target.events[e].kind == Kind::Init
                    && target.events[e].location == target.events[load].location
            });
            initial.for_each(|e| least.insert(Event::from(e), Event::from(write)));
        }
        let wanted = target.rf.clone();
        let orders = back::coherence(back::orders(&target, &back, &wanted, &free), partial);
        return back::reads(&target, &back, &wanted).into_iter().any(|rf| {
            target.rf = rf;
            has_legal_order(&mut target, judge, &least, &orders, &fence_orders)
        });
    }
    let rf = target.rf.clone();
    for read in choices(&sources) {
        target.rf = rf.clone();
        unused
            .iter()
            .zip(&read)
            .for_each(|(&r, &w)| target.rf.insert(Event::from(w), Event::from(r)));
        if has_legal_order(&mut target, judge, &least, &coherence, &fence_orders) {
            return true;
        }
    }
    false
}

/// Is it legal with one of these coherence and Fence-SC orders?
fn has_legal_order(
    target: &mut Execution,
    judge: &mut Judge,
    least: &BitMatrix,
    coherence: &[Vec<(usize, usize)>],
    fence_orders: &[Vec<(usize, usize)>],
) -> bool {
    let mut first = true;
    for co in coherence {
        target.co = least.clone();
        co.iter().for_each(|&(a, b)| target.co.insert(Event::from(a), Event::from(b)));
        for order in fence_orders {
            target.sync_fence = BitMatrix::from_pairs(
                target.size(),
                order.iter().map(|&(a, b)| (Event::from(a), Event::from(b))),
            );
            let judgement = if first { judge.judge(target) } else { judge.judge_again(target) };
            first = false;
            if judgement.consistent {
                return true;
            }
        }
    }
    false
}
