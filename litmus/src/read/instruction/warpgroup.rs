//! `wgmma`: what a warpgroup computes of matrices in shared memory (PTX ISA 9.7.15).

use margay_models::diagnostic::Diagnostic;

use super::super::qualifier::Mnemonic;
use super::Operands;
use crate::test::{
    AsyncAction, AsyncCompletion, AsyncFamily, AsyncGroupAction, AsyncOperation, Operation, Space,
};

impl Operands<'_, '_> {
    /// `wgmma.fence`, `wgmma.mma_async`, `wgmma.commit_group`, `wgmma.wait_group`
    pub(super) fn warpgroup(&mut self, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
        const NAMES: [&str; 4] = ["fence", "mma_async", "commit_group", "wait_group"];
        let Some((name, place)) = m.qualifiers.first().copied() else {
            let label = format!("write one of .{}", NAMES.join(", ."));
            return Err(self.cursor.error("`wgmma` needs an operation", m.span, label));
        };
        if !NAMES.contains(&name) {
            return Err(self.cursor.unknown("operation of a warpgroup", name, place, NAMES));
        }
        m.qualifiers.remove(0);
        m.take_word(&["sync"]);
        m.take_word(&["aligned"]);
        let family = AsyncFamily::Warpgroup;
        if name == "mma_async" {
            // Shape and types: what is computed is not looked at.
            m.qualifiers.clear();
            return self.multiply();
        }
        m.finish(self.cursor, &["sync", "aligned"])?;
        Ok(match name {
            "fence" => Operation::WarpgroupFence,
            "commit_group" => Operation::AsyncGroup { family, action: AsyncGroupAction::Commit },
            _ => {
                let left = self.count("the number of groups", 0, 64)? as u32;
                Operation::AsyncGroup {
                    family,
                    action: AsyncGroupAction::Wait { left, reads: false },
                }
            }
        })
    }

    /// `{r0, r1}, x, y`: as many matrices in shared memory as registers, each of which takes what
    /// is read of one; then numbers, which say how it is computed.
    fn multiply(&mut self) -> Result<Operation, Diagnostic> {
        let start = self.cursor.span();
        let mut to = Vec::new();
        let braces = self.cursor.eat('{');
        to.push(self.destination()?);
        while braces && self.cursor.eat(',') {
            to.push(self.destination()?);
        }
        if braces {
            self.cursor.expect('}')?;
        }
        let registers = start.to(self.cursor.previous());
        let mut from = Vec::new();
        while from.len() < to.len() && self.cursor.eat(',') {
            from.push(self.address()?);
        }
        while self.cursor.eat(',') {
            self.value()?;
        }
        if from.len() != to.len() {
            let error = self.cursor.error(
                format!("{} registers for {} matrices", to.len(), from.len()),
                registers,
                "each takes what is read of one matrix",
            );
            return Err(error.help(
                "what a `wgmma.mma_async` computes is not looked at: write the matrices in shared memory, and before them as many registers, \
                 e.g. `wgmma.mma_async.sync.aligned {r0, r1}, x, y`",
            ));
        }
        let (space, completion) = (Space::Shared, AsyncCompletion::Group);
        let (family, action) = (AsyncFamily::Warpgroup, AsyncAction::Multiply { to, from });
        Ok(Operation::Async(AsyncOperation {
            family,
            to_space: space,
            from_space: Some(space),
            action,
            completion,
        }))
    }
}
