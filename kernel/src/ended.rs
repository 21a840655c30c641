//! Blocks of a cluster that may have ended when another one accesses their shared memory.

use crate::inquiry::{Inquiry, LaunchFindings};
use crate::layout::Object;
use crate::omission::Omission;
use crate::program::Executed;
use crate::residue::{CodePiece, Line, MemoryCell};

fn is_cluster_wait((piece, _): &Line) -> bool {
    matches!(piece, CodePiece::ClusterBarrier(operation) if operation == "barrier.cluster.wait")
}

/// Is it in the shared memory of another block than this one?
fn is_elsewhere(cell: &MemoryCell, own: u32) -> bool {
    match cell.object {
        Object::Shared(block, _) | Object::Mbarrier(block, _) | Object::Validity(block, _) => {
            block != own
        }
        _ => false,
    }
}

impl Inquiry<'_, '_> {
    /// Shared memory of a block is there as long as the block has not ended (CUDA C++ Programming
    /// Guide, "Distributed Shared Memory"). Nothing here says when a block ends: it is so for sure
    /// where all threads of a cluster come to as many barriers of it, and access each other's
    /// memory in front of the last one. Else what may happen is not looked at, and the answer says
    /// so.
    pub fn ended(&self, executed: &Executed, found: &mut LaunchFindings) {
        if self.launch.cluster <= 1 {
            return;
        }
        let waits = |code: &Vec<Line>| code.iter().filter(|line| is_cluster_wait(line)).count();
        let all_come = executed.threads.windows(2).all(|pair| waits(&pair[0]) == waits(&pair[1]));
        let behind_the_last = executed.threads.iter().enumerate().find_map(|(t, code)| {
            let own = t as u32 / self.launch.threads;
            let kept = code.iter().rposition(is_cluster_wait).filter(|_| all_come);
            let behind = &code[kept.map_or(0, |last| last + 1)..];
            behind.iter().find(|(piece, _)| piece.cells().iter().any(|c| is_elsewhere(c, own)))
        });
        if let Some((_, origin)) = behind_the_last {
            let why = "the shared memory of another block of the cluster, which may have ended by then: that is not looked at (a barrier of the cluster behind the last such access keeps blocks there)";
            found.not_looked.push(self.not_looked(&Omission::in_part(*origin, why)));
        }
    }
}
