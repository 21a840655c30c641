//! What fences cost, where there is no GPU.

use margay_reports::app::FenceCost;

use crate::gpu::GpuBench;

/// Says that nothing is measured.
///
/// # Errors
/// Always.
pub(crate) fn measure(_: &mut GpuBench<'_>, _: &[(&str, usize, String)]) -> Result<Vec<FenceCost>, String> {
    Err("there is no GPU in WebAssembly".to_owned())
}
