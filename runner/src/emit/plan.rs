//! What the texts of a test's kernels are made from.

use margay_litmus::test::{Space, Test, ThreadId};
use margay_models::execution::Proxy;

use super::address;
use super::body::ThreadBody;
use super::compiled::CompiledProgram;
use super::environment::Environment;
use super::layout::EmissionLayout;
use super::shared::SharedMemory;
use super::target::GpuTarget;
use crate::outcome::Observed;

/// Where the value of an observed variable is when `margay_collect` runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ObservedSource {
    /// A row of the results, one double word for each instance.
    Row(u32),
    /// A location in global memory.
    Memory(usize),
    /// A register that the thread never names holds 0.
    Nothing,
}

/// Everything that the texts of the kernels are made from.
pub(super) struct EmissionPlan<'a> {
    pub(super) test: &'a Test,
    pub(super) compiled: Option<&'a CompiledProgram>,
    pub(super) target: GpuTarget,
    pub(super) environment: &'a Environment,
    pub(super) layout: &'a EmissionLayout,
    pub(super) spaces: &'a [Space],
    pub(super) shared: &'a SharedMemory,
    pub(super) locations: &'a [address::LocationOffset],
    /// What other names go through, but for second generic addresses.
    pub(super) proxies: &'a [Proxy],
    pub(super) bodies: &'a [ThreadBody],
    pub(super) observed: &'a Observed,
    pub(super) sources: Vec<ObservedSource>,
    pub(super) bits: u32,
}

impl EmissionPlan<'_> {
    /// Has the test accesses of 64 bits?
    pub(super) fn is_wide(&self) -> bool {
        is_wide(self.test)
    }

    /// The rows of the results that are read: not the last one.
    pub(super) fn rows(&self) -> u32 {
        1 + self.sources.iter().filter(|s| matches!(s, ObservedSource::Row(_))).count() as u32
    }
}

pub(super) fn is_wide(test: &Test) -> bool {
    let mut all = (0..test.threads.len()).flat_map(|t| test.instructions(ThreadId(t as u16)));
    all.any(|i| {
        i.operation.memory().is_some_and(|(access, _)| access.ty.is_some_and(|t| t.bits == 64))
    })
}
