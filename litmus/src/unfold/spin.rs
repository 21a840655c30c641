//! Loops that only wait: an iteration that does nothing but read, and leaves no value behind that the next one would see.
//!
//! Going round such a loop once more adds reads to an execution and nothing else. If a model forbids no less when reads are added
//! (see [`crate::explicit`]), every outcome of the longer path is one of the shorter path too, so that paths which come back to
//! the head of a loop unchanged need not be followed, and the loop need not be bounded.

use margay_models::execution::Kind;

use super::path::{Dependent, PathEvent};
use super::program::{Modification, Program, Register, Step, Term};
use super::symbol::Symbols;

/// The heads of the loops of a program.
pub(super) struct Heads {
    /// For each step that a backward jump goes to: which registers may be read from there on before they are written.
    live: Vec<Option<Vec<bool>>>,
}

/// A thread when it came to the head of a loop.
#[derive(Debug, Clone)]
pub(super) struct Arrival {
    /// The step.
    pub head: usize,
    /// The number of events so far.
    pub events: usize,
    pub registers: Vec<Dependent>,
}

impl Heads {
    /// Finds the heads and what is live there.
    pub fn new(program: &Program) -> Self {
        let steps = &program.steps;
        let mut is_head = vec![false; steps.len()];
        for (at, (step, _)) in steps.iter().enumerate() {
            if let Step::Jump(target) | Step::BranchIfZero { target, .. } = step
                && *target <= at
            {
                is_head[*target] = true;
            }
        }
        let mut live = vec![None; steps.len()];
        if is_head.contains(&true) {
            let of_step = liveness(program);
            for at in (0..steps.len()).filter(|&at| is_head[at]) {
                live[at] = Some(of_step[at].clone());
            }
        }
        Self { live }
    }

    /// Is the step the head of a loop?
    pub fn contains(&self, at: usize) -> bool {
        self.live.get(at).is_some_and(Option::is_some)
    }

    /// Did the iteration since `before` only wait?
    pub fn only_waited(&self, before: &Arrival, events: &[PathEvent], registers: &[Dependent], symbols: &Symbols) -> bool {
        let Some(Some(live)) = self.live.get(before.head) else { return false };
        let only_read = events[before.events..].iter().all(|e| e.data.kind == Kind::Read);
        let same = |a: &Dependent, b: &Dependent| {
            let equal = a.symbol == b.symbol
                || symbols.as_constant(a.symbol).is_some() && symbols.as_constant(a.symbol) == symbols.as_constant(b.symbol);
            equal && a.reads == b.reads
        };
        only_read && live.iter().zip(before.registers.iter().zip(registers)).all(|(live, (a, b))| !live || same(a, b))
    }
}

/// For each step the registers that may be read from there on before they are written. At the end all named ones are: the
/// condition may ask for them.
fn liveness(program: &Program) -> Vec<Vec<bool>> {
    let steps = &program.steps;
    let mut live: Vec<Vec<bool>> = vec![vec![false; program.names.len()]; steps.len()];
    live.push(program.names.iter().map(Option::is_some).collect());
    loop {
        let mut changed = false;
        for at in (0..steps.len()).rev() {
            let step = &steps[at].0;
            let mut here = match step {
                Step::Jump(target) => live[*target].clone(),
                _ => live[at + 1].clone(),
            };
            if let Step::BranchIfZero { target, .. } | Step::Fork(target) = step {
                here.iter_mut().zip(&live[*target]).for_each(|(here, there)| *here |= there);
            }
            let (read, written) = accesses(step);
            written.into_iter().for_each(|r| here[usize::from(r.0)] = false);
            read.into_iter().for_each(|r| here[usize::from(r.0)] = true);
            changed |= here != live[at];
            live[at] = here;
        }
        if !changed {
            return live;
        }
    }
}

/// The registers that a step reads, and those that it writes in any case.
fn accesses(step: &Step) -> (Vec<Register>, Vec<Register>) {
    let mut read = Vec::new();
    step.terms().into_iter().for_each(|term| registers(term, &mut read));
    let written = match step {
        Step::Assign(to, _) | Step::Load { to, .. } | Step::StoreConditional { status: to, .. } => vec![*to],
        Step::LoadVector { to, .. } => to.clone(),
        Step::Modify { to, modification, .. } => match modification {
            Modification::CompareAndSwap { success, .. } => to.iter().chain(success).copied().collect(),
            _ => to.iter().copied().collect(),
        },
        _ => Vec::new(),
    };
    (read, written)
}

fn registers(term: &Term, found: &mut Vec<Register>) {
    match term {
        Term::Constant(_) => {}
        Term::Register(r) => found.push(*r),
        Term::Unary(_, a) => registers(a, found),
        Term::Binary(_, a, b) => {
            registers(a, found);
            registers(b, found);
        }
    }
}
