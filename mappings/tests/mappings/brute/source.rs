//! Every execution of a program as its source language has it: reads-from and modification order.

use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::{EventData, Execution, Kind, Location, Order};
use margay_models::signature::{Operation, Signature};

use super::orders::{choices, permutations};
use super::program::Program;

/// The events of the program, initial writes last; operations in order, an RMW as two events.
fn skeleton(signature: Signature, program: &Program) -> Execution {
    let mut events = Vec::new();
    let mut rmw = Vec::new();
    for op in &program.ops {
        let mut push = |kind: Kind, order: Order| {
            let mut data = EventData::new(kind, Some(op.thread as u16), order);
            data.scope = op.scope;
            data.location = op.location;
            events.push(data);
        };
        let order = op.construct.order;
        match op.construct.operation {
            Operation::Read => push(Kind::Read, order),
            Operation::Write => push(Kind::Write, order),
            Operation::Fence => push(Kind::Fence, order),
            Operation::Rmw => {
                let (read, write) = halves(order);
                push(Kind::Read, read);
                push(Kind::Write, write);
                rmw.push((events.len() - 2, events.len() - 1));
            }
        }
    }
    finish(signature, program, events, &rmw)
}

/// The acquire part of an RMW is its read's, the release part its write's.
pub fn halves(order: Order) -> (Order, Order) {
    match order {
        Order::Plain => (Order::Plain, Order::Plain),
        Order::Rlx => (Order::Rlx, Order::Rlx),
        Order::Acq => (Order::Acq, Order::Rlx),
        Order::Rel => (Order::Rlx, Order::Rel),
        Order::AcqRel => (Order::Acq, Order::Rel),
        Order::Sc => (Order::Sc, Order::Sc),
        Order::Tagged(tags) => (tags.of_read(), tags.of_write()),
    }
}

/// An execution without rf and co: adds initial writes and RMW pairs.
pub fn finish(
    signature: Signature,
    program: &Program,
    mut events: Vec<EventData>,
    rmw: &[(usize, usize)],
) -> Execution {
    for l in 0..program.locations {
        let mut init = EventData::new(Kind::Init, None, Order::Plain);
        init.location = Some(l);
        events.push(init);
    }
    let locations = (0..program.locations)
        .map(|l| Location { name: format!("x{l}"), physical: l, atomic: true })
        .collect();
    let mut execution = Execution::new(signature, events, program.placements.clone(), locations);
    for &(r, w) in rmw {
        execution.rmw.insert(Event::from(r), Event::from(w));
    }
    execution
}

/// The writes of threads to each location.
fn writes(execution: &Execution) -> Vec<Vec<usize>> {
    (0..execution.locations.len() as u16)
        .map(|l| indices(execution, |e| e.kind == Kind::Write && e.location == Some(l)))
        .collect()
}

fn indices(execution: &Execution, keep: impl Fn(&EventData) -> bool) -> Vec<usize> {
    (0..execution.events.len()).filter(|&i| keep(&execution.events[i])).collect()
}

/// Modification order from one order for each location, initial writes first.
fn order(execution: &Execution, each: &[Vec<usize>]) -> BitMatrix {
    let mut co = BitMatrix::new(execution.size());
    for (l, sequence) in each.iter().enumerate() {
        let init = indices(execution, |e| e.kind == Kind::Init && e.location == Some(l as u16));
        let all = [init, sequence.clone()].concat();
        for (i, &a) in all.iter().enumerate() {
            all[i + 1..].iter().for_each(|&b| co.insert(Event::from(a), Event::from(b)));
        }
    }
    co
}

/// Every modification order of an execution.
fn all_orders(execution: &Execution) -> Vec<BitMatrix> {
    let lists: Vec<Vec<Vec<usize>>> = writes(execution).iter().map(|w| permutations(w)).collect();
    choices(&lists).iter().map(|each| order(execution, each)).collect()
}

/// The execution with every modification order that has the same last writes.
pub fn other_orders(execution: &Execution) -> Vec<Execution> {
    let last = |co: &BitMatrix| -> Vec<bool> {
        (0..execution.size()).map(|e| co.row(Event::from(e)).is_empty()).collect()
    };
    let wanted = last(&execution.co);
    let same = all_orders(execution).into_iter().filter(|co| last(co) == wanted);
    same.map(|co| Execution { co, ..execution.clone() }).collect()
}

/// Visits every execution of the program until `visit` returns false; says whether it never did.
pub fn each(
    signature: Signature,
    program: &Program,
    visit: &mut dyn FnMut(&Execution) -> bool,
) -> bool {
    let mut execution = skeleton(signature, program);
    let reads = indices(&execution, |e| e.kind == Kind::Read);
    let sources: Vec<Vec<usize>> = reads
        .iter()
        .map(|&r| {
            let location = execution.events[r].location;
            indices(&execution, |e| {
                matches!(e.kind, Kind::Init | Kind::Write) && e.location == location
            })
        })
        .collect();
    let orders = all_orders(&execution);
    for from in choices(&sources) {
        let pairs = from.iter().zip(&reads).map(|(&w, &r)| (Event::from(w), Event::from(r)));
        execution.rf = BitMatrix::from_pairs(execution.size(), pairs);
        for co in &orders {
            execution.co = co.clone();
            if !visit(&execution) {
                return false;
            }
        }
    }
    true
}
