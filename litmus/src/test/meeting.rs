//! Where threads of PTX meet beside the barriers of a cta and a cluster: the lanes of a warp, the launches of kernels, and the host.

/// The number of a launch in the place of a thread of the host ([`margay_models::execution::Placement::kernel`]).
pub const HOST: u16 = u16::MAX;

/// The lanes of a warp.
pub const LANES: usize = 32;

/// An instruction that all named lanes of a warp execute together (PTX ISA 9.7.9, 9.7.13), as it is written, without its values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WarpMeeting {
    /// The instruction with its qualifiers: lanes meet where these are the same, and the mask.
    pub name: String,
    /// What is written between the mnemonic and the mask: operands that are not looked at.
    pub operands: Vec<String>,
    /// The predicate that says whether the thread is elected (`elect`).
    pub elected: Option<String>,
    /// The lanes that take part, one bit for each.
    pub mask: u32,
}

impl WarpMeeting {
    /// Does it order memory? Of `bar.warp.sync` the manual says so, and of no other.
    pub fn orders_memory(&self) -> bool {
        self.name == "bar.warp.sync"
    }
}

/// An order of launches (PTX ISA 8.9.4, API synchronization; `griddepcontrol`). Launches are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LaunchOrder {
    /// Of a kernel, in the places of its threads: it starts when that launch has completed, as the next one of a stream does.
    After(u16),
    /// Of a kernel, in the places of its threads: that launch is a prerequisite that may still run (programmatic dependent launch).
    Overlaps(u16),
    /// `griddepcontrol.wait`: until all prerequisites have completed.
    Prerequisites,
    /// `griddepcontrol.launch_dependents`: orders nothing.
    Dependents,
    /// `launch 1`: a thread of the host launches a kernel.
    Launch(u16),
    /// `synchronize 1`: a thread of the host waits until a launch has completed (`cudaStreamSynchronize`, `cudaEventSynchronize`).
    Synchronize(u16),
}

impl LaunchOrder {
    /// Is it written in the place of a thread, and not among its instructions?
    pub fn is_of_place(self) -> bool {
        matches!(self, Self::After(_) | Self::Overlaps(_))
    }

    /// The text: of an instruction, or a part of a place.
    pub fn text(self) -> String {
        match self {
            Self::After(kernel) => format!("after {kernel}"),
            Self::Overlaps(kernel) => format!("overlaps {kernel}"),
            Self::Prerequisites => "griddepcontrol.wait".to_owned(),
            Self::Dependents => "griddepcontrol.launch_dependents".to_owned(),
            Self::Launch(kernel) => format!("launch {kernel}"),
            Self::Synchronize(kernel) => format!("synchronize {kernel}"),
        }
    }
}
