//! Where the programs of CUDA are.

use std::path::PathBuf;

use clap::Args;

/// The folder of CUDA.
#[derive(Debug, Args)]
pub struct ToolkitArguments {
    /// The folder of CUDA, an installation such as /usr/local/cuda or what .ci/toolkit makes: its
    /// nvcc is for .cu files; where it has ptxas and nvdisasm, the machine code of a test is
    /// compared with the test, also before a run [default: MARGAY_TOOLKIT, `toolkit` beside this
    /// program, CUDA_HOME, /usr/local/cuda, or on the PATH]
    #[arg(long, value_name = "FOLDER", env = "MARGAY_TOOLKIT", hide_env = true)]
    pub toolkit: Option<PathBuf>,
}
