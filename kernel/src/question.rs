//! What is asked about a kernel.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use margay_ptx::Module;

use crate::launch::{GivenArgument, Launch};
use crate::proofs::KernelProofs;
use crate::reading::KernelReading;

/// What is asked about a kernel.
#[derive(Debug, Clone)]
pub struct KernelQuestion<'a> {
    /// The text of PTX.
    pub text: &'a str,
    /// What it says.
    pub module: &'a Module,
    /// The kernel, by its number among the functions.
    pub kernel: usize,
    /// The launches; those that [`LaunchSelection`](crate::LaunchSelection) says where none is
    /// named.
    pub launches: &'a [Launch],
    pub arguments: &'a [GivenArgument],
    /// What must hold at the end, as in a litmus test, over elements of arrays: `arg0[0] == 2`.
    pub finals: &'a [String],
    /// The model by which it is judged.
    pub reading: KernelReading,
    /// How often each loop is gone round.
    pub unroll: usize,
    /// When no more is asked.
    pub deadline: Option<Instant>,
    /// Raised when no answer is wanted any more.
    pub stop: Option<&'static Arc<AtomicBool>>,
    /// Is a repair of each finding looked for?
    pub repairs: bool,
    /// Are final states asked for that only weak memory has?
    pub weak: bool,
    /// Where proofs of what is answered are kept; nothing where none are wanted.
    pub proofs: Option<&'a KernelProofs>,
}

/// How often each loop is gone round where nothing is said.
pub const UNROLL: usize = 2;

impl<'a> KernelQuestion<'a> {
    /// What is asked of a kernel where nothing else is said: launches and arguments are chosen,
    /// nothing must hold at the end, nothing ends the question, and no repair is looked for.
    pub fn new(text: &'a str, module: &'a Module, kernel: usize) -> Self {
        let (launches, arguments, finals) = (&[], &[], &[]);
        Self {
            text,
            module,
            kernel,
            launches,
            arguments,
            finals,
            reading: KernelReading::default(),
            unroll: UNROLL,
            deadline: None,
            stop: None,
            repairs: false,
            weak: false,
            proofs: None,
        }
    }

    /// Is the time up, or was the question stopped?
    pub(crate) fn is_over(&self) -> bool {
        self.is_over_by(self.deadline)
    }

    /// The same for a part of the question that has a time of its own.
    pub(crate) fn is_over_by(&self, deadline: Option<Instant>) -> bool {
        deadline.is_some_and(|d| Instant::now() >= d)
            || self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// Why a question about a kernel is not answered at all: it is wrong. A sentence that says what is
/// wrong with it, and what was expected; whoever asks only shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelRefusal(String);

impl From<String> for KernelRefusal {
    fn from(why: String) -> Self {
        Self(why)
    }
}

impl fmt::Display for KernelRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for KernelRefusal {}
