//! When two executions are one: up to names of threads and locations.

use margay_models::execution::Execution;

use crate::witness::canonical::{one_side, permutations};

/// The smallest description of an execution (and of what it is compiled to), under all renamings of
/// threads.
pub fn key(executions: [&Execution; 2]) -> Vec<u8> {
    let describe = |order: &Vec<usize>| {
        let mut out = Vec::new();
        executions.iter().for_each(|x| one_side(x, order, true, &mut out));
        out
    };
    permutations(executions[0].threads.len()).iter().map(describe).min().unwrap_or_default()
}
