//! Memory of the device for a run.

use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr};

use super::mapping::MappedMemory;
use super::{Cuda, refused};
use crate::device::DeviceFailure;
use crate::emit::{OUTCOMES, TestKernel};

/// The memory of one run.
pub(super) struct DeviceMemory {
    locations: Option<CudaSlice<u8>>,
    mapping: Option<MappedMemory>,
    pub results: CudaSlice<u8>,
    pub scratchpad: CudaSlice<u8>,
    pub arrived: CudaSlice<u32>,
    pub keys: CudaSlice<u64>,
    pub counts: CudaSlice<u64>,
}

impl DeviceMemory {
    /// Allocates it; too little memory is no lost device.
    pub(super) fn new(device: &Cuda, kernel: &TestKernel) -> Result<Self, DeviceFailure> {
        let stream = &device.stream;
        let places = OUTCOMES as usize;
        let (mut locations, mut mapping) = (None, None);
        if kernel.aliased {
            mapping = Some(MappedMemory::new(
                &device.context,
                device.context.cu_device(),
                kernel.memory,
            )?);
        } else {
            locations =
                Some(stream.alloc_zeros::<u8>(kernel.memory.max(8) as usize).map_err(refused)?);
        }
        Ok(Self {
            locations,
            mapping,
            results: stream.alloc_zeros::<u8>(kernel.results as usize).map_err(refused)?,
            scratchpad: stream
                .alloc_zeros::<u8>(kernel.scratchpad.max(8) as usize)
                .map_err(refused)?,
            arrived: stream.alloc_zeros::<u32>(1).map_err(refused)?,
            keys: stream.clone_htod(&vec![TestKernel::EMPTY; places]).map_err(refused)?,
            counts: stream.alloc_zeros::<u64>(places + 3).map_err(refused)?,
        })
    }

    /// Where the locations are, and where they are under their other names.
    pub(super) fn addresses(&self, stream: &CudaStream) -> (CUdeviceptr, CUdeviceptr) {
        match (&self.mapping, &self.locations) {
            (Some(mapping), _) => mapping.addresses(),
            (None, Some(slice)) => {
                let (address, _) = slice.device_ptr(stream);
                (address, address)
            }
            (None, None) => (0, 0),
        }
    }
}
