//! Who takes part in the barriers of a cta: thread counts that no execution can satisfy in one way only are refused.

use super::Error;
use crate::test::{Body, Operation, Place, Test, ThreadId};

/// The threads of a test that use one barrier of one cta, with the first count that is written.
struct Users {
    barrier: u8,
    threads: Vec<ThreadId>,
    count: Option<(u32, Place)>,
}

/// Checks that the counts of a barrier agree, and that no more threads use it than the count has room for: else which of them
/// meet in a round would depend on when they come (PTX ISA 9.7.13.1).
pub(super) fn check(test: &Test) -> Result<(), Error> {
    let mut known: Vec<Users> = Vec::new();
    for (t, thread) in test.threads.iter().enumerate() {
        let id = ThreadId(t as u8);
        let Body::Instructions(instructions) = &thread.body else { continue };
        for i in instructions {
            let Operation::Barrier { barrier, count, .. } = i.operation else { continue };
            let here = test.placement(id);
            let same = |u: &Users| u.barrier == barrier && u.threads.first().is_some_and(|&o| test.placement(o) == here);
            let users = match known.iter().position(same) {
                Some(at) => &mut known[at],
                None => {
                    known.push(Users { barrier, threads: vec![id], count: None });
                    let last = known.len() - 1;
                    &mut known[last]
                }
            };
            if users.threads.last() != Some(&id) {
                users.threads.push(id);
            }
            match (count, users.count) {
                (Some(n), Some((before, _))) if n != before => {
                    let message = format!("barrier {barrier} is for {n} threads here, and for {before} elsewhere in this cta");
                    return Err(Error::at(message, i.place));
                }
                (Some(n), None) => users.count = Some((n, i.place)),
                _ => {}
            }
        }
    }
    for users in known {
        if let Some((count, place)) = users.count
            && users.threads.len() > count as usize
        {
            let all = users.threads.len();
            let message =
                format!("barrier {} is for {count} threads, and {all} of this cta use it: which meet is open", users.barrier);
            return Err(Error::at(message, place));
        }
    }
    Ok(())
}
