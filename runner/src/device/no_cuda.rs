//! The GPU of a program that cannot have one: in WebAssembly there is no driver to load.

use margay_litmus::test::Test;

use super::{Counts, Device, DeviceDescription, DeviceFailure, Request};
use crate::sass::Toolkit;

/// A GPU that is never opened.
pub enum Cuda {}

impl Cuda {
    /// Says that there is none.
    ///
    /// # Errors
    /// Always.
    pub fn open(_: Option<Toolkit>, _: bool) -> Result<Self, DeviceFailure> {
        Err(DeviceFailure::Absent(
            "there is no GPU in WebAssembly; `margay` on a machine with a CUDA driver runs tests on one".to_owned(),
        ))
    }
}

impl Device for Cuda {
    fn description(&self) -> &DeviceDescription {
        match *self {}
    }

    fn run(&mut self, _: &Test, _: &Request) -> Result<Counts, DeviceFailure> {
        match *self {}
    }
}

/// A launch of a program that is never made.
#[derive(Debug, Clone, Copy)]
pub struct ProgramLaunch<'a> {
    /// The kernel.
    pub kernel: &'a str,
    /// Blocks of the grid in x, y and z.
    pub blocks: [u32; 3],
    /// Threads of a block in x, y and z.
    pub threads: [u32; 3],
    /// Bytes of shared memory that the launch gives to each block.
    pub dynamic_shared: u32,
    /// The bytes of its arguments, in order.
    pub arguments: &'a [Vec<u8>],
}

/// A program that is never loaded.
pub struct CudaProgram {
    /// Its machine code.
    pub disassembly: Option<String>,
    never: std::convert::Infallible,
}

/// Memory that is never allocated.
#[derive(Debug)]
pub struct CudaArray(std::convert::Infallible);

#[allow(missing_docs, clippy::missing_errors_doc, reason = "as of the GPU that there is")]
impl CudaArray {
    pub fn address(&self) -> u64 {
        match self.0 {}
    }

    pub fn bytes(&self) -> usize {
        match self.0 {}
    }
}

#[allow(missing_docs, clippy::missing_errors_doc, reason = "as of the GPU that there is")]
impl CudaProgram {
    pub fn variable(&self, _: &str) -> Result<(u64, usize), DeviceFailure> {
        match self.never {}
    }
}

#[allow(missing_docs, clippy::missing_errors_doc, reason = "as of the GPU that there is")]
impl Cuda {
    pub fn load_program(&self, _: &str) -> Result<CudaProgram, DeviceFailure> {
        match *self {}
    }

    pub fn bus_address(&self) -> Option<String> {
        match *self {}
    }

    pub fn allocate(&self, _: &[u8]) -> Result<CudaArray, DeviceFailure> {
        match *self {}
    }

    pub fn allocate_zeros(&self, _: usize) -> Result<CudaArray, DeviceFailure> {
        match *self {}
    }

    pub fn read(&self, _: u64, _: &mut [u8]) -> Result<(), DeviceFailure> {
        match *self {}
    }

    pub fn copy(&self, _: u64, _: u64, _: usize) -> Result<(), DeviceFailure> {
        match *self {}
    }

    pub fn queue(&self, _: &CudaProgram, _: &ProgramLaunch<'_>) -> Result<(), DeviceFailure> {
        match *self {}
    }

    pub fn resident(&self, _: &CudaProgram, _: &ProgramLaunch<'_>) -> Result<u32, DeviceFailure> {
        match *self {}
    }

    pub fn finish(&self, _: std::time::Duration) -> Result<(), DeviceFailure> {
        match *self {}
    }

    pub fn timed(
        &self,
        _: std::time::Duration,
        _: impl FnOnce(&Self) -> Result<(), DeviceFailure>,
    ) -> Result<f64, DeviceFailure> {
        match *self {}
    }
}
