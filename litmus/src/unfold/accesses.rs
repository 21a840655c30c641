//! Who accesses each location, and what is written there: found from the code of all threads before
//! any of them is executed.
//!
//! A read-modify-write of a loop that writes back what it read ([`super::spin`]) is left out only
//! where its location is shared strongly ([`Accesses::are_strong_beside`]); and whether it writes
//! back what it read may depend on which values the location can hold ([`Accesses::values`]).

use margay_models::execution::{Order, Placement, Proxy, Scope};

use super::program::{Attributes, Modification, Program, Step, Term};
use super::shared::Shared;
use super::symbol::Binary;
use crate::test::Dialect;

/// The accesses of a test by the memory that they may be to.
#[derive(Debug, Clone)]
pub(super) struct Accesses {
    /// For each physical location.
    locations: Vec<AccessesOfLocation>,
}

#[derive(Debug, Clone, Default)]
struct AccessesOfLocation {
    /// The threads that may access it, and how.
    by: Vec<(usize, Attributes)>,
    /// All values that it can hold; `None`: that is not known without executing the threads.
    values: Option<Vec<i64>>,
    /// Does it have one name only?
    is_unaliased: bool,
}

impl Accesses {
    /// Of the code of all threads.
    pub fn new(programs: &[Program], shared: &Shared) -> Self {
        let aliases = |l: usize| {
            shared.locations.iter().filter(|other| usize::from(other.physical) == l).count()
        };
        let locations = (0..shared.locations.len()).map(|l| AccessesOfLocation {
            by: Vec::new(),
            values: Some(vec![shared.initial[l]]),
            is_unaliased: aliases(l) == 1,
        });
        let mut found = Self { locations: locations.collect() };
        for (thread, program) in programs.iter().enumerate() {
            for (step, _) in &program.steps {
                found.add(thread, step, program, shared);
            }
        }
        found
    }

    fn add(&mut self, thread: usize, step: &Step, program: &Program, shared: &Shared) {
        let constant = |term: &Term| constant(term, program);
        let (address, accesses, written): (_, Vec<Attributes>, Option<&Term>) = match step {
            Step::Load { address, attributes, .. } => (constant(address), vec![*attributes], None),
            Step::Store { address, value, attributes }
            | Step::StoreConditional { address, value, attributes, .. } => {
                (constant(address), vec![*attributes], Some(value))
            }
            Step::LoadVector { attributes, .. } => (None, vec![*attributes], None),
            Step::StoreVector { attributes, .. } => {
                self.locations.iter_mut().for_each(|l| l.values = None);
                (None, vec![*attributes], None)
            }
            Step::Modify { address, modification, read, write, .. } => {
                let written = match modification {
                    Modification::Apply(operator, operand)
                        if changes_nothing(*operator, constant(operand)) =>
                    {
                        None
                    }
                    Modification::Apply(_, operand) => {
                        self.at(constant(address), shared).for_each(|l| l.values = None);
                        Some(operand)
                    }
                    Modification::Exchange(new) | Modification::CompareAndSwap { new, .. } => {
                        Some(new)
                    }
                };
                let failure = match modification {
                    Modification::CompareAndSwap { failure, .. } => Some(*failure),
                    _ => None,
                };
                (constant(address), [*read, *write].into_iter().chain(failure).collect(), written)
            }
            // Which elements they access, and what they write, is not looked at: any location, and
            // any value.
            Step::Async(_) | Step::BulkStore { .. } => {
                self.locations.iter_mut().for_each(|l| l.values = None);
                (None, vec![Attributes::new(Order::Plain, None)], None)
            }
            _ => return,
        };
        let integers = shared.integers.clone();
        for location in self.at(address, shared) {
            location.by.extend(accesses.iter().map(|&a| (thread, a)));
        }
        if let Some(value) = written {
            let value = constant(value);
            let physical = address.and_then(|a| shared.location_at(a)).map(usize::from);
            let of_access = accesses.last().and_then(|a| a.integer);
            let held = |v: i64| {
                let v = of_access.map_or(v, |i| super::Unary::Convert(i).apply(v));
                physical.and_then(|l| integers[l]).map_or(v, |i| super::Unary::Convert(i).apply(v))
            };
            // What is written through an address that is not known may be of any type.
            let value = value.filter(|_| physical.is_some()).map(held);
            for location in self.at(address, shared) {
                match (value, &mut location.values) {
                    (Some(value), Some(values)) if !values.contains(&value) => values.push(value),
                    (Some(_), _) => {}
                    (None, values) => *values = None,
                }
            }
        }
    }

    /// The locations that an access may be to: all of them where its address is not known.
    fn at(
        &mut self,
        address: Option<i64>,
        shared: &Shared,
    ) -> impl Iterator<Item = &mut AccessesOfLocation> {
        let physical = address
            .and_then(|a| shared.location_at(a))
            .map(|l| usize::from(shared.locations[usize::from(l)].physical));
        let is_meant = move |l: usize| physical.is_none_or(|p| p == l);
        self.locations
            .iter_mut()
            .enumerate()
            .filter(move |(l, _)| is_meant(*l))
            .map(|(_, location)| location)
    }

    /// All values that a location can hold, if that is known.
    pub fn values(&self, physical: u16) -> Option<&[i64]> {
        self.locations.get(usize::from(physical))?.values.as_deref()
    }

    /// Is a location shared strongly: does every access of another thread to it have an order and a
    /// scope that includes this thread, as the scope given includes that one; by one name, and
    /// through no proxy? Where executions have no scopes, it always is.
    pub fn are_strong_beside(
        &self,
        thread: usize,
        physical: u16,
        scope: Option<Scope>,
        shared: &Shared,
    ) -> bool {
        if shared.signature.is_plain()
            || !matches!(Dialect::of(shared.signature), Dialect::C | Dialect::Ptx | Dialect::GpuPtx)
        {
            return true;
        }
        let Some((location, scope)) = self.locations.get(usize::from(physical)).zip(scope) else {
            return false;
        };
        let place = |t: usize| -> Placement { shared.threads[t] };
        let is_strong = |&(t, access): &(usize, Attributes)| {
            let is_plain_memory = access.proxy == Proxy::Generic && !access.mmio;
            let includes = |scope: Scope, a: usize, b: usize| place(a).shares(scope, place(b));
            let is_inclusive =
                access.scope.is_some_and(|s| includes(s, t, thread)) && includes(scope, thread, t);
            is_plain_memory && (t == thread || access.order != Order::Plain && is_inclusive)
        };
        location.is_unaliased && location.by.iter().all(is_strong)
    }
}

/// Is the result the left operand, whatever that is?
fn changes_nothing(operator: Binary, operand: Option<i64>) -> bool {
    match operator {
        Binary::Add | Binary::Subtract | Binary::Or | Binary::Xor => operand == Some(0),
        Binary::And => operand == Some(-1),
        _ => false,
    }
}

/// The number that a value is in every execution, if it is computed from numbers and registers that
/// are never written.
fn constant(term: &Term, program: &Program) -> Option<i64> {
    match term {
        Term::Constant(n) => Some(*n),
        Term::Register(register) => {
            let is_written =
                program.steps.iter().any(|(step, _)| step.written().contains(register));
            let initial =
                program.initial.iter().find(|(r, _)| r == register).map_or(0, |(_, n)| *n);
            (!is_written).then_some(initial)
        }
        Term::Unary(operator, a) => Some(operator.apply(constant(a, program)?)),
        Term::Binary(operator, a, b) => {
            Some(operator.apply(constant(a, program)?, constant(b, program)?))
        }
    }
}
