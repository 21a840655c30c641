//! The GPU of a program that cannot have one: in WebAssembly there is no driver to load.

use margay_litmus::test::Test;

use super::{Counts, Device, DeviceDescription, DeviceFailure, Request};
use crate::sass::Toolkit;

/// A GPU that is never opened.
pub enum NoCuda {}

impl NoCuda {
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

impl Device for NoCuda {
    fn description(&self) -> &DeviceDescription {
        match *self {}
    }

    fn run(&mut self, _: &Test, _: &Request) -> Result<Counts, DeviceFailure> {
        match *self {}
    }
}
