//! How many ctas of a kernel run at once, by the registers and the shared memory that it takes.

use cudarc::driver::sys;

use super::lost;
use super::module::LoadedModule;
use crate::device::DeviceFailure;
use crate::emit::EmissionLayout;

impl LoadedModule {
    /// The ctas of `margay_test` that each of so many multiprocessors runs at once; 0 if there is
    /// no room for one (CUDA driver API, "Occupancy").
    pub(super) fn resident(
        &self,
        layout: &EmissionLayout,
        multiprocessors: u32,
    ) -> Result<u32, DeviceFailure> {
        let mut each = 0;
        // SAFETY: writes one integer; the function is of a module that lives. The kernels have no
        // dynamic shared memory.
        unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &mut each,
                self.test,
                layout.block as i32,
                0,
            )
        }
        .result()
        .map_err(lost)?;
        let each = u32::try_from(each).unwrap_or(0);
        if layout.cluster == 1 || each == 0 {
            return Ok(each);
        }
        // A cluster is in one part of the GPU (GPC), in which some multiprocessors may be left
        // over. SAFETY: structures of integers and pointers that may be null.
        let (mut attribute, mut config): (sys::CUlaunchAttribute, sys::CUlaunchConfig) =
            unsafe { std::mem::zeroed() };
        attribute.id = sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        attribute.value.clusterDim.x = layout.cluster;
        attribute.value.clusterDim.y = 1;
        attribute.value.clusterDim.z = 1;
        (config.gridDimX, config.gridDimY, config.gridDimZ) = (layout.cluster, 1, 1);
        (config.blockDimX, config.blockDimY, config.blockDimZ) = (layout.block, 1, 1);
        (config.attrs, config.numAttrs) = (&mut attribute, 1);
        let mut clusters = 0;
        // SAFETY: writes one integer; the description and its only attribute live.
        unsafe { sys::cuOccupancyMaxActiveClusters(&mut clusters, self.test, &config) }
            .result()
            .map_err(lost)?;
        let all = u32::try_from(clusters).unwrap_or(0) * layout.cluster;
        Ok(match all {
            0 => 0,
            // Fewer than one for each multiprocessor: some stay empty, and one each is too many by
            // those.
            all => each.min((all / multiprocessors.max(1)).max(1)),
        })
    }
}
