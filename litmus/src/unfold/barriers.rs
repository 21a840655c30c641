//! Barriers of a cta: their numbers, and who takes part. Thread counts that no execution can
//! satisfy in one way only are refused.

use margay_models::execution::Scope;

use super::UnfoldError;
use crate::test::{Body, Operation, Place, Test, TestOperand, ThreadId};

/// How many barriers a cta has (PTX ISA 9.7.13.1).
pub(super) const NUMBER: u16 = 16;

/// How many instances of barriers a test may have.
const MAX_INSTANCES: usize = 15;

/// The number of a barrier in executions: barriers of different instances are different ones.
pub(super) fn number(barrier: u16, instance: u8) -> u16 {
    u16::from(instance.min(MAX_INSTANCES as u8)) * NUMBER + barrier
}

/// Why a number is that of no barrier.
pub(super) fn no_barrier(number: i64) -> String {
    format!("a cta has no barrier {number}: they are 0 to 15 (PTX ISA 9.7.13.1)")
}

/// The instances that a test names, ascending. Barriers without an instance are of number 0, others
/// of their position here and one.
pub(super) fn instances(test: &Test) -> Result<Vec<u32>, UnfoldError> {
    let mut found: Vec<u32> = Vec::new();
    for thread in &test.threads {
        let Body::Instructions(instructions) = &thread.body else { continue };
        for i in instructions {
            let Operation::Barrier { instance: Some(instance), .. } = i.operation else { continue };
            if !found.contains(&instance) {
                found.push(instance);
            }
            if found.len() > MAX_INSTANCES {
                return Err(UnfoldError::at(
                    format!("more than {MAX_INSTANCES} instances of barriers"),
                    i.place,
                ));
            }
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// A barrier of a cta for some of its threads, those that use it: its number in executions, and
/// these threads of the test.
#[derive(Debug, Clone)]
pub(super) struct Counted {
    pub barrier: u16,
    pub threads: Vec<usize>,
    /// Must each of them come, as a barrier with a count needs its number? Else one that has ended
    /// holds nobody up.
    pub needs_all: bool,
}

/// The threads of a test that use one barrier of one cta, with the first count that is written.
struct Users<'a> {
    scope: Scope,
    barrier: &'a TestOperand,
    instance: Option<u32>,
    threads: Vec<ThreadId>,
    count: Option<(u32, Place)>,
}

/// Checks that the counts of a barrier agree, and that no more threads use it than the count has
/// room for: else which of them meet in a round would depend on when they come (PTX ISA 9.7.13.1).
/// Where barriers have instances the count is one of threads of the test, so that with fewer nobody
/// would go on.
pub(super) fn check(test: &Test) -> Result<Vec<Counted>, UnfoldError> {
    let mut known: Vec<Users<'_>> = Vec::new();
    for (t, thread) in test.threads.iter().enumerate() {
        let id = ThreadId(t as u16);
        let Body::Instructions(instructions) = &thread.body else { continue };
        for i in instructions {
            let Operation::Barrier { scope, barrier, instance, count, .. } = &i.operation else {
                continue;
            };
            if matches!(barrier, TestOperand::Register(_)) && count.is_some() {
                let message = "a count of threads for a barrier whose number is in a register: which threads meet there is open";
                return Err(UnfoldError::at(message, i.place));
            }
            let here = test.placement(id);
            let same = |u: &Users<'_>| {
                u.scope == *scope
                    && u.barrier == barrier
                    && u.instance == *instance
                    && u.threads.first().is_some_and(|&o| test.placement(o).shares(*scope, here))
            };
            let users = match known.iter().position(same) {
                Some(at) => &mut known[at],
                None => {
                    known.push(Users {
                        scope: *scope,
                        barrier,
                        instance: *instance,
                        threads: vec![id],
                        count: None,
                    });
                    let last = known.len() - 1;
                    &mut known[last]
                }
            };
            if users.threads.last() != Some(&id) {
                users.threads.push(id);
            }
            match (*count, users.count) {
                (Some(n), Some((before, _))) if n != before => {
                    let name = name(barrier);
                    let message = format!(
                        "barrier {name} is for {n} threads here, and for {before} elsewhere in this cta"
                    );
                    return Err(UnfoldError::at(message, i.place));
                }
                (Some(n), None) => users.count = Some((n, i.place)),
                _ => {}
            }
        }
    }
    let mut counted = Vec::new();
    for users in known {
        let (all, name) = (users.threads.len(), name(users.barrier));
        let Some((count, place)) = users.count else { continue };
        // Instances with a count of 0 are for all that come, and have not ended.
        let needs_all = users.instance.is_none() || count > 0;
        if needs_all && all > count as usize {
            let message = format!(
                "barrier {name} is for {count} threads, and {all} of this cta use it: which meet is open"
            );
            return Err(UnfoldError::at(message, place));
        }
        if users.instance.is_some() && all < count as usize {
            let message = format!(
                "barrier {name} is for {count} threads, and {all} of this cta use it: nobody gets past it"
            );
            return Err(UnfoldError::at(message, place));
        }
        if let (TestOperand::Integer(barrier), Scope::Cta) = (users.barrier, users.scope) {
            let instance = instance_number(&instances(test)?, users.instance);
            let barrier = number(u16::try_from(*barrier).unwrap_or(NUMBER), instance);
            let threads = users.threads.iter().map(|t| t.index()).collect();
            counted.push(Counted { barrier, threads, needs_all });
        }
    }
    Ok(counted)
}

/// The place of an instance among those of a test, counted from 1; 0 where there is none.
pub(super) fn instance_number(instances: &[u32], instance: Option<u32>) -> u8 {
    instance
        .map_or(0, |i| instances.iter().position(|&known| known == i).map_or(0, |at| at as u8 + 1))
}

fn name(barrier: &TestOperand) -> String {
    match barrier {
        TestOperand::Integer(n) => n.to_string(),
        TestOperand::Register(name) | TestOperand::AddressOf(name) => name.clone(),
    }
}
