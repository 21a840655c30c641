//! What may be launched: the limits of every GPU, and those of a kernel.

use margay_ptx::Module;

use crate::schedule::LaunchSize;
use crate::variables::{MAX_SHARED, shared_bytes};

/// The most blocks in x, y and z, and the most threads of a block (CUDA C++ Programming Guide,
/// technical specifications per compute capability).
const MAX_BLOCKS: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];
const MAX_THREADS: [u32; 3] = [1024, 1024, 64];
const MAX_BLOCK: u32 = 1024;

/// What a kernel says of its launches, and needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelLimits {
    /// How many bytes of shared memory its variables take.
    shared: u64,
    /// `.reqntid`
    required_threads: Option<[u32; 3]>,
    /// `.maxntid`
    most_threads: Option<[u32; 3]>,
    /// `.reqnctapercluster`, where that is more than one block.
    cluster: Option<[u32; 3]>,
}

/// What of a launch is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaunchPart {
    /// The kernel, whatever the launch is.
    Kernel,
    Blocks,
    /// The threads of a block.
    Threads,
    /// The bytes of shared memory.
    Shared,
}

/// Why no GPU, or this machine, takes a launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchRefusal {
    pub part: LaunchPart,
    /// In a sentence: what there is, and what there may be.
    pub why: String,
}

impl KernelLimits {
    /// Those of a kernel.
    pub fn of(module: &Module, kernel: usize) -> Self {
        let function = &module.functions[kernel];
        Self {
            shared: shared_bytes(module, kernel),
            required_threads: function.required_threads,
            most_threads: function.most_threads,
            cluster: function.required_cluster.filter(|cluster| *cluster != [1; 3]),
        }
    }

    /// Why a launch is refused, if it is.
    pub fn refusal(&self, launch: &LaunchSize) -> Option<LaunchRefusal> {
        let refuse = |part, why: String| Some(LaunchRefusal { part, why });
        let sizes = |[x, y, z]: [u32; 3]| format!("{x} x {y} x {z}");
        let product = |all: [u32; 3]| all.iter().map(|n| u64::from(*n)).product::<u64>();
        let is_within = |all: [u32; 3], most: [u32; 3]| {
            all.iter().zip(most).all(|(n, most)| (1..=most).contains(n))
        };
        let LaunchSize { blocks, threads, dynamic_shared } = *launch;
        if self.cluster.is_some() {
            return refuse(
                LaunchPart::Kernel,
                "its blocks are launched in clusters, which this machine does not have".to_owned(),
            );
        }
        if !is_within(blocks, MAX_BLOCKS) {
            let most = "at least one in each dimension, and at most 2,147,483,647 in x and 65,535 in y and z";
            return refuse(
                LaunchPart::Blocks,
                format!("{} blocks: there are {most}", sizes(blocks)),
            );
        }
        if !is_within(threads, MAX_THREADS) || product(threads) > u64::from(MAX_BLOCK) {
            let most = "at least one in each dimension, and at most 1,024 in all and 64 in z";
            return refuse(
                LaunchPart::Threads,
                format!("{} threads in a block: there are {most}", sizes(threads)),
            );
        }
        if let Some(required) = self.required_threads.filter(|required| *required != threads) {
            let why = format!(
                "{} threads in a block: its `.reqntid` says {}",
                sizes(threads),
                sizes(required)
            );
            return refuse(LaunchPart::Threads, why);
        }
        if let Some(most) = self.most_threads.filter(|most| product(threads) > product(*most)) {
            let why = format!(
                "{} threads in a block: its `.maxntid` says at most {}",
                product(threads),
                product(most)
            );
            return refuse(LaunchPart::Threads, why);
        }
        if self.shared.saturating_add(u64::from(dynamic_shared)) > MAX_SHARED {
            let why = format!(
                "{} bytes of shared memory in its variables and {dynamic_shared} of the launch: a block has at most {MAX_SHARED} (227 KB) in all, on the GPUs that have the most",
                self.shared
            );
            return refuse(LaunchPart::Shared, why);
        }
        None
    }
}
