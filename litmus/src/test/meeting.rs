//! Where threads of PTX meet beside the barriers of a cta and a cluster: the lanes of a warp, the
//! launches of kernels, and the host.

use margay_ptx::ScalarType;
use margay_ptx::exchange::Exchange;

use super::{Integer, TestOperand, ThreadId};

/// The number of a launch in the place of a thread of the host
/// ([`margay_models::execution::Placement::kernel`]).
pub const HOST: u16 = u16::MAX;

/// The lanes of a warp.
pub const LANES: usize = 32;

/// An instruction that all named lanes of a warp execute together (PTX ISA 9.7.9, 9.7.13).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarpMeeting {
    /// The instruction with its qualifiers: lanes meet where these are the same, and the mask.
    pub name: String,
    /// What they give each other; `None` for `bar.warp.sync`.
    pub given: Option<LaneExchange>,
    /// The lanes that take part, one bit for each.
    pub mask: u32,
}

/// What the lanes of a meeting give each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneExchange {
    /// What they make of what each of them brings.
    pub exchange: Exchange,
    /// The type of what they bring.
    pub ty: ScalarType,
    /// The register that takes what they make of it, of `elect` whether it is this thread; `None`
    /// for `_`.
    pub to: Option<String>,
    /// What the lane brings; of `shfl` then the two operands that say which lane it reads.
    pub brought: Vec<TestOperand>,
}

impl WarpMeeting {
    /// The register that takes what lanes give each other.
    pub fn destination(&self) -> Option<&str> {
        self.given.as_ref()?.to.as_deref()
    }

    /// The values that the lane brings.
    pub fn brought(&self) -> &[TestOperand] {
        self.given.as_ref().map_or(&[], |given| &given.brought)
    }

    /// The integers that the register takes; `None` of a predicate.
    pub fn integer(&self) -> Option<Integer> {
        let given = self.given.as_ref()?;
        match given.exchange {
            Exchange::Ballot | Exchange::MatchAny | Exchange::MatchAll => {
                Some(Integer { bits: 32, signed: false })
            }
            Exchange::Shuffle(_) | Exchange::Reduce(_) => Integer::of(given.ty),
            Exchange::All | Exchange::Any | Exchange::Uniform | Exchange::Elect => None,
        }
    }

    /// Is it `elect`?
    pub fn elects(&self) -> bool {
        self.given.as_ref().is_some_and(|given| given.exchange == Exchange::Elect)
    }

    /// Does it order memory? Of `bar.warp.sync` the manual says so, and of no other.
    pub fn orders_memory(&self) -> bool {
        self.name == "bar.warp.sync"
    }
}

/// An order of launches (PTX ISA 8.9.4, API synchronization; `griddepcontrol`). Launches are
/// numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LaunchOrder {
    /// Of a kernel, in the places of its threads: it starts when that launch has completed, as the
    /// next one of a stream does.
    After(u16),
    /// Of a kernel, in the places of its threads: that launch is a prerequisite that may still run
    /// (programmatic dependent launch).
    Overlaps(u16),
    /// Of a thread, in its place: the system synchronises its start with the end of that thread
    /// (Vulkan: system-synchronizes-with).
    AfterThread(ThreadId),
    /// `griddepcontrol.wait`: until all prerequisites have completed.
    Prerequisites,
    /// `griddepcontrol.launch_dependents`: orders nothing.
    Dependents,
    /// `launch 1`: a thread of the host launches a kernel.
    Launch(u16),
    /// `synchronize 1`: a thread of the host waits until a launch has completed
    /// (`cudaStreamSynchronize`, `cudaEventSynchronize`).
    Synchronize(u16),
}

impl LaunchOrder {
    /// Is it written in the place of a thread, and not among its instructions?
    pub fn is_of_place(self) -> bool {
        matches!(self, Self::After(_) | Self::Overlaps(_) | Self::AfterThread(_))
    }

    /// The text: of an instruction, or a part of a place.
    pub fn text(self) -> String {
        match self {
            Self::After(kernel) => format!("after {kernel}"),
            Self::Overlaps(kernel) => format!("overlaps {kernel}"),
            Self::AfterThread(thread) => format!("after {thread}"),
            Self::Prerequisites => "griddepcontrol.wait".to_owned(),
            Self::Dependents => "griddepcontrol.launch_dependents".to_owned(),
            Self::Launch(kernel) => format!("launch {kernel}"),
            Self::Synchronize(kernel) => format!("synchronize {kernel}"),
        }
    }
}
