//! What is asked about the kernels of a file.

use std::path::PathBuf;
use std::time::Duration;

use margay_kernel::KernelReading;
use margay_kernel::launch::{GivenArgument, Launch};

use super::compile::KernelCompiler;

/// What is asked.
#[derive(Debug, Clone)]
pub struct KernelOptions {
    /// The kernels by name; all where none is named.
    pub kernels: Vec<String>,
    /// The launches; those of the harness, or chosen where none is given.
    pub launches: Vec<Launch>,
    /// What is passed for parameters.
    pub arguments: Vec<GivenArgument>,
    /// What must hold at the end.
    pub finals: Vec<String>,
    /// A harness; the one that lies beside the file where none is named.
    pub harness: Option<PathBuf>,
    /// The model by which it is judged.
    pub reading: KernelReading,
    /// How often each loop is gone round; [`margay_kernel::UNROLL`] where nothing is said.
    pub unroll: Option<usize>,
    /// Are repairs looked for?
    pub repairs: bool,
    /// Is it asked which fences are needed?
    pub harden: bool,
    /// Is it asked what could be weaker?
    pub weaker: bool,
    /// Are final states asked for that only weak memory has?
    pub weak: bool,
    /// Another version of the file, to compare with.
    pub against: Option<PathBuf>,
    /// The folder of the certificate.
    pub certify: Option<PathBuf>,
    /// A folder for the litmus tests.
    pub out: Option<PathBuf>,
    /// The time given.
    pub timeout: Option<Duration>,
    /// A command that compiles the file, whatever its kind.
    pub command: Option<String>,
    /// What compiles CUDA; where none is named nvcc if there is one, and else Margay.
    pub compiler: Option<KernelCompiler>,
    /// The folder of CUDA.
    pub toolkit: Option<PathBuf>,
    /// The target that CUDA is compiled for.
    pub target: String,
}
