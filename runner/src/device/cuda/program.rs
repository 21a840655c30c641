//! Compiled programs on a GPU: their kernels, their variables, and arrays that they are given.

use std::ffi::{CString, c_void};
use std::sync::Arc;
use std::time::Duration;

use cudarc::driver::sys::{self, CUdeviceptr, CUevent, CUfunction};
use cudarc::driver::{CudaContext, DriverError, result};

use super::module::DriverModule;
use super::{Cuda, lost, refused};
use crate::device::{DeviceFailure, Image, abandon};
use crate::sass::ToolFailure;

/// A launch of a kernel of a program.
#[derive(Debug, Clone, Copy)]
pub struct ProgramLaunch<'a> {
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

/// A program in the driver.
pub struct CudaProgram {
    module: DriverModule,
    /// The machine code as the disassembler writes it, where it was assembled here and there is
    /// one.
    pub disassembly: Option<String>,
}

/// Memory of the GPU, let go of with its owner.
#[derive(Debug)]
pub struct CudaArray {
    address: CUdeviceptr,
    bytes: usize,
    context: Arc<CudaContext>,
}

impl CudaArray {
    /// Where it is.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// How many bytes it has.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for CudaArray {
    fn drop(&mut self) {
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: allocated by `allocate`, and freed once; what was queued has ended, or the
            // array was forgotten.
            let _ = unsafe { result::free_sync(self.address) };
        }
    }
}

/// A moment in what a GPU does.
struct GpuEvent(CUevent);

impl GpuEvent {
    fn new() -> Result<Self, DeviceFailure> {
        result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT).map(Self).map_err(lost)
    }
}

impl Drop for GpuEvent {
    fn drop(&mut self) {
        // SAFETY: created by `new`, and destroyed once.
        let _ = unsafe { result::event::destroy(self.0) };
    }
}

impl Cuda {
    /// Loads a program: assembled by the vendor's programs, or by the driver where there are none.
    ///
    /// # Errors
    /// The assembler or the driver refuses it: its log.
    pub fn load_program(&self, ptx: &str) -> Result<CudaProgram, DeviceFailure> {
        let (image, disassembly) = match &self.toolkit {
            Some((toolkit, _)) => {
                let assembled = toolkit.assemble(ptx, self.target, 3).map_err(|e| match e {
                    ToolFailure::Refused(log) | ToolFailure::Missing(log) => {
                        DeviceFailure::Refused(log)
                    }
                })?;
                (Image::Binary(assembled.binary), assembled.disassembly)
            }
            None => (Image::Ptx(3), None),
        };
        let module = DriverModule::load(&self.context, &image, ptx)?;
        Ok(CudaProgram { module, disassembly })
    }

    /// Where the GPU is on the bus, as the driver's tools write it: `00000000:3B:00.0`.
    pub fn bus_address(&self) -> Option<String> {
        let part = |which| self.context.attribute(which).ok();
        let domain = part(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)?;
        let bus = part(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)?;
        let device = part(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)?;
        Some(format!("{domain:08X}:{bus:02X}:{device:02X}.0"))
    }

    /// Memory with these bytes.
    ///
    /// # Errors
    /// There is too little of it.
    pub fn allocate(&self, bytes: &[u8]) -> Result<CudaArray, DeviceFailure> {
        let mut array = self.allocate_zeros(bytes.len())?;
        self.write(&mut array, bytes)?;
        Ok(array)
    }

    /// So many bytes of zeros, and at least one.
    ///
    /// # Errors
    /// There is too little memory.
    pub fn allocate_zeros(&self, bytes: usize) -> Result<CudaArray, DeviceFailure> {
        self.context.bind_to_thread().map_err(lost)?;
        let size = bytes.max(1);
        // SAFETY: freed by its owner.
        let address = unsafe { result::malloc_sync(size) }.map_err(refused)?;
        let array = CudaArray { address, bytes, context: self.context.clone() };
        // SAFETY: as many bytes as were allocated.
        unsafe { result::memset_d8_sync(address, 0, size) }.map_err(lost)?;
        Ok(array)
    }

    /// Puts bytes into an array.
    ///
    /// # Errors
    /// The device is lost.
    pub fn write(&self, array: &mut CudaArray, bytes: &[u8]) -> Result<(), DeviceFailure> {
        let bytes = &bytes[..bytes.len().min(array.bytes)];
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: no more bytes than the array has; the copy has ended when it returns.
        unsafe { result::memcpy_htod_sync(array.address, bytes) }.map_err(lost)
    }

    /// The bytes at an address of the GPU: of an array or a variable, which have as many.
    ///
    /// # Errors
    /// The device is lost.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), DeviceFailure> {
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the copy has ended when it returns; an address that is none is an error of the
        // driver.
        unsafe { result::memcpy_dtoh_sync(bytes, address) }.map_err(lost)
    }

    /// Queues a copy within the GPU.
    ///
    /// # Errors
    /// The device is lost.
    pub fn copy(&self, from: u64, to: u64, bytes: usize) -> Result<(), DeviceFailure> {
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: queued in the stream of this device; an address that is none is an error of the
        // driver.
        unsafe { result::memcpy_dtod_async(to, from, bytes, self.stream.cu_stream()) }.map_err(lost)
    }

    /// Queues a launch.
    ///
    /// # Errors
    /// The driver refuses it, or the device is lost.
    pub fn queue(
        &self,
        program: &CudaProgram,
        launch: &ProgramLaunch<'_>,
    ) -> Result<(), DeviceFailure> {
        let function = program.module.function(launch.kernel)?;
        if launch.dynamic_shared > 48 * 1024 {
            let attribute =
                sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function is of a module that lives.
            unsafe {
                result::function::set_function_attribute(
                    function,
                    attribute,
                    launch.dynamic_shared as i32,
                )
            }
            .map_err(refused)?;
        }
        // Each in words of eight bytes, so that its address is aligned as the parameter's.
        let mut words: Vec<Vec<u64>> = launch
            .arguments
            .iter()
            .map(|bytes| {
                let word = |piece: &[u8]| {
                    piece.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
                };
                bytes.chunks(8).map(word).chain(bytes.is_empty().then_some(0)).collect()
            })
            .collect();
        let mut addresses: Vec<*mut c_void> =
            words.iter_mut().map(|w| w.as_mut_ptr().cast()).collect();
        let [x, y, z] = launch.blocks;
        let [tx, ty, tz] = launch.threads;
        // SAFETY: the caller gives the arguments that the kernel declares, in order and of their
        // sizes; the driver copies them.
        unsafe {
            result::launch_kernel(
                function,
                (x, y, z),
                (tx, ty, tz),
                launch.dynamic_shared,
                self.stream.cu_stream(),
                &mut addresses,
            )
        }
        .map_err(refused)
    }

    /// How many blocks of a launch run at once (CUDA driver API, "Occupancy").
    ///
    /// # Errors
    /// There is no such kernel.
    pub fn resident(
        &self,
        program: &CudaProgram,
        launch: &ProgramLaunch<'_>,
    ) -> Result<u32, DeviceFailure> {
        let function: CUfunction = program.module.function(launch.kernel)?;
        let threads: u32 = launch.threads.iter().product();
        let mut each = 0;
        // SAFETY: writes one integer; the function is of a module that lives.
        unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &mut each,
                function,
                threads as i32,
                launch.dynamic_shared as usize,
            )
        }
        .result()
        .map_err(refused)?;
        Ok(u32::try_from(each).unwrap_or(0) * self.shape.multiprocessors)
    }

    /// Waits for what was queued. A device that does not end in time is given up: whoever called
    /// has to forget what it may use.
    ///
    /// # Errors
    /// It did not end in time, or the device is lost.
    pub fn finish(&self, limit: Duration) -> Result<(), DeviceFailure> {
        self.wait(limit).inspect_err(|failure| {
            if failure.is_of_device() {
                abandon();
            }
        })
    }

    /// Queues, waits, and says how many seconds the GPU took (CUDA driver API, "Event Management").
    ///
    /// # Errors
    /// Those of what is queued; it did not end in time; the device is lost.
    pub fn timed(
        &self,
        limit: Duration,
        queue: impl FnOnce(&Self) -> Result<(), DeviceFailure>,
    ) -> Result<f64, DeviceFailure> {
        self.context.bind_to_thread().map_err(lost)?;
        let (begin, end) = (GpuEvent::new()?, GpuEvent::new()?);
        let record = |moment: &GpuEvent| {
            // SAFETY: event and stream live.
            unsafe { result::event::record(moment.0, self.stream.cu_stream()) }.map_err(lost)
        };
        record(&begin)?;
        queue(self)?;
        record(&end)?;
        self.finish(limit)?;
        // SAFETY: both have been recorded, and have ended.
        let milliseconds = unsafe { result::event::elapsed(begin.0, end.0) }.map_err(lost)?;
        Ok(f64::from(milliseconds) / 1e3)
    }
}

impl CudaProgram {
    /// Address and bytes of a variable in global memory.
    ///
    /// # Errors
    /// There is no such variable.
    pub fn variable(&self, name: &str) -> Result<(u64, usize), DeviceFailure> {
        let wanted = CString::new(name)
            .map_err(|_| DeviceFailure::Refused("a name with a zero byte".to_owned()))?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: writes an address and a size; the module lives, and the name ends with a zero.
        unsafe {
            sys::cuModuleGetGlobal_v2(&mut address, &mut bytes, self.module.raw(), wanted.as_ptr())
        }
        .result()
        .map_err(|e: DriverError| {
            DeviceFailure::Refused(format!("`{name}`: {}", super::words(e)))
        })?;
        Ok((address, bytes))
    }
}
