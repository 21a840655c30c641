//! Is an execution one of its signature at all? The conditions are written in .cat (models/signatures/*.cat).

use crate::execution::Execution;

/// What is wrong with the execution, one sentence each; empty if it is well-formed.
pub fn violations(_execution: &Execution) -> Vec<String> {
    todo!()
}
