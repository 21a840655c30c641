//! Memory that has two addresses, for tests in which a location has another name (PTX ISA 8.2.2:
//! virtual aliases).

use std::sync::Arc;

use cudarc::driver::CudaContext;
use cudarc::driver::sys::{
    self, CUdeviceptr, CUmemAccessDesc, CUmemAllocationProp, CUmemGenericAllocationHandle,
};

use super::lost;
use crate::device::DeviceFailure;

/// The memory, mapped at both addresses until it is dropped.
pub(super) struct MappedMemory {
    context: Arc<CudaContext>,
    bytes: usize,
    handle: Option<CUmemGenericAllocationHandle>,
    /// Reserved addresses, and whether the memory is mapped there.
    addresses: Vec<(CUdeviceptr, bool)>,
}

impl MappedMemory {
    /// Makes it: at least so many bytes, on a device.
    pub(super) fn new(
        context: &Arc<CudaContext>,
        device: i32,
        bytes: u64,
    ) -> Result<Self, DeviceFailure> {
        context.bind_to_thread().map_err(lost)?;
        let location = sys::CUmemLocation_st {
            type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
            id: device,
        };
        // SAFETY: a structure of integers and a pointer that may be null.
        let mut properties: CUmemAllocationProp = unsafe { std::mem::zeroed() };
        properties.type_ = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location = location;
        let mut granularity = 0;
        let minimum = sys::CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_MINIMUM;
        // SAFETY: writes one integer.
        unsafe { sys::cuMemGetAllocationGranularity(&mut granularity, &properties, minimum) }
            .result()
            .map_err(lost)?;
        let bytes = (bytes as usize).next_multiple_of(granularity.max(1));
        let mut mapping =
            Self { context: context.clone(), bytes, handle: None, addresses: Vec::new() };
        let mut handle = 0;
        // SAFETY: writes the handle; the size is a multiple of the granularity.
        unsafe { sys::cuMemCreate(&mut handle, bytes, &properties, 0) }.result().map_err(lost)?;
        mapping.handle = Some(handle);
        // SAFETY: a structure of integers.
        let mut access: CUmemAccessDesc = unsafe { std::mem::zeroed() };
        access.location = properties.location;
        access.flags = sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        for i in 0..2 {
            let mut address = 0;
            // SAFETY: writes one address.
            unsafe { sys::cuMemAddressReserve(&mut address, bytes, 0, 0, 0) }
                .result()
                .map_err(lost)?;
            mapping.addresses.push((address, false));
            // SAFETY: the whole of the memory at an address that was reserved for so much.
            unsafe { sys::cuMemMap(address, bytes, 0, handle, 0) }.result().map_err(lost)?;
            mapping.addresses[i].1 = true;
            // SAFETY: one description, of memory that was just mapped.
            unsafe { sys::cuMemSetAccess(address, bytes, &access, 1) }.result().map_err(lost)?;
        }
        Ok(mapping)
    }

    /// The two addresses.
    pub(super) fn addresses(&self) -> (CUdeviceptr, CUdeviceptr) {
        (self.addresses[0].0, self.addresses[1].0)
    }
}

impl Drop for MappedMemory {
    fn drop(&mut self) {
        if self.context.bind_to_thread().is_err() {
            return;
        }
        for &(address, mapped) in &self.addresses {
            // SAFETY: reserved, and mapped if so said, by `new`, and let go of once.
            unsafe {
                if mapped {
                    let _ = sys::cuMemUnmap(address, self.bytes);
                }
                let _ = sys::cuMemAddressFree(address, self.bytes);
            }
        }
        if let Some(handle) = self.handle {
            // SAFETY: made by `new`, and let go of once.
            let _ = unsafe { sys::cuMemRelease(handle) };
        }
    }
}
