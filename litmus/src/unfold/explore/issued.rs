//! The asynchronous operations that a thread has issued.

use super::super::UnfoldError;
use super::super::path::Positions;
use super::super::program::{AsyncStep, Program, Register, Step, Term};
use crate::test::{AsyncFamily, Place};

/// The asynchronous operations that a thread has issued on a path.
#[derive(Debug, Clone, Default)]
pub(super) struct Issued {
    /// How many there were.
    pub(super) number: u16,
    /// Those that complete in groups, or on an mbarrier by `cp.async.mbarrier.arrive`.
    pub(super) in_groups: Vec<InGroup>,
    /// How many groups were committed, of each family.
    pub(super) groups: [u32; AsyncFamily::NUMBER],
    /// Has a `wgmma.fence` ordered the registers of the thread?
    pub(super) registers_are_fenced: bool,
    /// The `tcgen05.cp` and `.mma` so far: where they write, whether they are `.mma`, and their
    /// events by position.
    pub(super) pipeline: Vec<(u16, bool, Positions)>,
}

impl Issued {
    /// `wgmma.fence`
    pub fn fences_registers(&mut self) {
        self.registers_are_fenced = true;
    }

    /// Refuses a step that accesses a register of an operation that nothing waited for: "undefined
    /// behavior" (PTX ISA, `wgmma.wait_group`).
    pub fn check_registers(
        &self,
        step: &Step,
        program: &Program,
        place: Place,
    ) -> Result<(), UnfoldError> {
        let is_pending = |o: &&InGroup| !o.is_awaited && o.family == AsyncFamily::Warpgroup;
        let mut pending =
            self.in_groups.iter().filter(is_pending).flat_map(|o| &o.registers).peekable();
        if pending.peek().is_none() {
            return Ok(());
        }
        let used: Vec<Register> =
            step.terms().into_iter().flat_map(Term::registers).chain(step.written()).collect();
        let is_multiply =
            matches!(step, Step::Async(AsyncStep { family: AsyncFamily::Warpgroup, .. }));
        let Some(register) =
            pending.find(|register| used.contains(register)).filter(|_| !is_multiply)
        else {
            return Ok(());
        };
        let name = program.names[usize::from(register.0)].as_deref().unwrap_or("a register");
        let message = format!(
            "`{name}` is accessed before a `wgmma.wait_group` that waits for the `wgmma.mma_async` that writes it: that is undefined (PTX \
             ISA, wgmma.wait_group)"
        );
        Err(UnfoldError::at(message, place))
    }
}

#[derive(Debug, Clone)]
pub(super) struct InGroup {
    pub(super) family: AsyncFamily,
    /// The registers that it writes.
    pub(super) registers: Vec<Register>,
    /// Has the thread waited for it?
    pub(super) is_awaited: bool,
    /// The number of its group, once there is one.
    pub(super) group: Option<u32>,
    /// Its events by position, and the reads among them.
    pub(super) events: Positions,
    pub(super) reads: Positions,
}
