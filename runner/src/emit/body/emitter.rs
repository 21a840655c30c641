//! What is known of a thread while its text is written.

use std::collections::BTreeSet;

use margay_litmus::test::{Space, Test, ThreadId};
use margay_litmus::unfold::Code;

use super::thread_body::ThreadBody;
use crate::emit::layout::EmissionLayout;
use crate::emit::shared::SharedMemory;
use crate::emit::target::GpuTarget;
use crate::emit::writing::Writing;

pub(super) struct Emitter<'a> {
    pub(super) test: &'a Test,
    pub(super) thread: ThreadId,
    pub(super) code: &'a Code,
    pub(super) shared: &'a SharedMemory,
    pub(super) layout: &'a EmissionLayout,
    pub(super) target: GpuTarget,
    pub(super) writing: Writing,
    pub(super) spaces: Vec<Space>,
    /// The labels that were passed.
    pub(super) seen: BTreeSet<String>,
    /// The accesses so far.
    pub(super) accesses: u32,
    pub(super) body: ThreadBody,
}

impl Emitter<'_> {
    pub(super) fn line(&mut self, text: impl Into<String>) {
        self.body.lines.push(text.into());
    }

    /// A register for one instruction: `%q` predicates, `%h` halves, `%w` words, `%d` double words.
    pub(super) fn temporary(&mut self, class: char) -> String {
        self.body.temporaries += 1;
        format!("%{class}{}_{}", self.thread.0, self.body.temporaries)
    }
}
