//! Base sets and relations of executions whose sets are a word, as rows: the same as [`Execution::base_set`] and [`Execution::base_relation`] say,
//! but without allocation for what is asked for most.

use crate::bits::{Event, EventWord};
use crate::execution::Execution;
use crate::signature::{BaseRelation, BaseSet};

pub fn set(execution: &Execution, set: BaseSet) -> u64 {
    execution.base_set_as::<EventWord>(set).0
}

pub fn relation(to: &mut [u64], execution: &Execution, relation: BaseRelation) {
    match relation {
        BaseRelation::Id => super::operate::diagonal(to, u64::MAX),
        BaseRelation::Fr => {
            to.fill(0);
            for w in (0..to.len()).map(Event::from) {
                let later = execution.co.row(w).word();
                if later != 0 {
                    execution.rf.row(w).iter().for_each(|r| to[r.index()] |= later);
                }
            }
        }
        BaseRelation::Loc => classes(to, |a| execution.physical(a).map(u64::from)),
        BaseRelation::Vloc => classes(to, |a| execution.address(a).map(u64::from)),
        BaseRelation::Int => int(to, execution),
        BaseRelation::Ext => {
            int(to, execution);
            let all = EventWord::first(to.len()).0;
            to.iter_mut().for_each(|row| *row = all & !*row);
        }
        _ => to.copy_from_slice(execution.relation(relation).words()),
    }
}

/// Events with equal keys; those without one are related to nothing.
fn classes(to: &mut [u64], key: impl Fn(Event) -> Option<u64>) {
    to.fill(0);
    for a in 0..to.len() {
        let Some(of_a) = key(Event::from(a)) else { continue };
        to[a] |= 1 << a;
        for b in 0..a {
            if key(Event::from(b)) == Some(of_a) {
                to[a] |= 1 << b;
                to[b] |= 1 << a;
            }
        }
    }
}

/// The same thread, or the same asynchronous operation of one; an initial write is alone.
fn int(to: &mut [u64], execution: &Execution) {
    // Behind the numbers of threads each initial write has one of its own, and behind those each asynchronous operation.
    let number = |(thread, operation): (u16, Option<u16>)| u64::from(thread) + operation.map_or(0, |o| (u64::from(o) + 1) << 32);
    classes(to, |a| Some(execution.events[a.index()].agent().map_or((1 << 16) + a.index() as u64, number)));
}
