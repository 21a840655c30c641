//! The GPUs that kernels are made for.

use std::fmt;
use std::str::FromStr;

/// A compute capability, `sm_90`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GpuTarget(pub u32);

impl GpuTarget {
    /// The smallest one with PTX's scoped memory model.
    pub const SMALLEST: GpuTarget = GpuTarget(70);

    /// Has it clusters, and fences that are acquire or release alone?
    pub fn has_clusters(self) -> bool {
        self.0 >= 90
    }

    /// A version of PTX that knows it (PTX ISA, release notes).
    pub(super) fn version(self) -> &'static str {
        match self.0 {
            107 => "9.4",
            88 | 110 => "9.0",
            103 | 121 => "8.8",
            120 => "8.7",
            100.. => "8.6",
            89 => "7.8",
            87 => "7.4",
            86 => "7.1",
            90.. => "8.0",
            _ => "7.0",
        }
    }
}

impl fmt::Display for GpuTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}", self.0)
    }
}

impl FromStr for GpuTarget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_prefix("sm_").and_then(|n| n.parse().ok());
        match number {
            Some(n @ 70..=121) => Ok(GpuTarget(n)),
            _ => Err(format!("`{text}` is no target; expected sm_70 or later, e.g. sm_90")),
        }
    }
}
