//! Litmus tests as OpenCL C ([`source()`]), and whether the accesses are found again in what a
//! compiler makes of it ([`compare()`]), as ASPLOS 2015 looked for them in the code of AMD's GPUs
//! (section 4.4). Nothing here runs a kernel.

mod compare;
mod compiler;
mod play;
mod source;

pub use compare::compare;
pub use compiler::{OpenClCompiler, OpenClTarget, UnknownOpenClTarget};
pub use source::{OpenClSource, source};

use margay_litmus::test::Space;

/// What an access or a fence of the source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceAccessKind {
    Load,
    Store,
    /// A read-modify-write.
    Rmw,
    Fence,
    /// `barrier`: where all threads of a work-group meet.
    Barrier,
}

/// A memory order of OpenCL C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceOrder {
    /// `memory_order_relaxed`
    Relaxed,
    /// `memory_order_acquire`
    Acquire,
    /// `memory_order_release`
    Release,
    /// `memory_order_acq_rel`
    AcqRel,
    /// `memory_order_seq_cst`
    SeqCst,
}

impl SourceOrder {
    fn name(self) -> &'static str {
        match self {
            Self::Relaxed => "memory_order_relaxed",
            Self::Acquire => "memory_order_acquire",
            Self::Release => "memory_order_release",
            Self::AcqRel => "memory_order_acq_rel",
            Self::SeqCst => "memory_order_seq_cst",
        }
    }

    fn acquires(self) -> bool {
        matches!(self, Self::Acquire | Self::AcqRel | Self::SeqCst)
    }

    fn releases(self) -> bool {
        matches!(self, Self::Release | Self::AcqRel | Self::SeqCst)
    }
}

/// A memory scope of OpenCL C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceScope {
    /// `memory_scope_work_group`
    WorkGroup,
    /// `memory_scope_device`
    Device,
    /// `memory_scope_all_svm_devices`
    AllDevices,
}

impl SourceScope {
    fn name(self) -> &'static str {
        match self {
            Self::WorkGroup => "memory_scope_work_group",
            Self::Device => "memory_scope_device",
            Self::AllDevices => "memory_scope_all_svm_devices",
        }
    }
}

/// An access or a fence of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceAccess {
    pub kind: SourceAccessKind,
    /// Where its location is; global for fences and barriers.
    pub space: Space,
    /// Order and scope; `None`: it is no atomic operation.
    pub atomic: Option<(SourceOrder, SourceScope)>,
    /// Its statement.
    pub text: String,
}

/// A thread of the test: the kernel `margay_P0` of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceThread {
    /// The name of the kernel.
    pub name: String,
    /// What it does, in order.
    pub accesses: Vec<SourceAccess>,
    /// How many registers it stores after that, to memory of their own.
    pub results: usize,
}
