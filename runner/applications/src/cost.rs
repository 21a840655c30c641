//! What fences cost on a GPU: seconds and joules of a run without any, with one behind each access,
//! and with those that are left (PLDI 2016, Fig. 5).

use std::time::{Duration, Instant};

use margay_reports::app::FenceCost;
use nvml_wrapper::Nvml;

use crate::gpu::{GpuBench, ProgramVersion};

/// Runs that are timed of each version (section 5.3).
const RUNS: usize = 100;

/// The energy counter of the driver changes every few milliseconds: it is read around so many
/// seconds of runs.
const ENERGY_TIME: Duration = Duration::from_millis(400);

/// So many pieces of runs are queued between two readings.
const PIECES: f64 = 16.0;

/// The most runs of a piece.
const MOST_RUNS: f64 = 1e5;

/// Millijoules that the GPU at this place on the bus has taken since the driver was loaded; nothing
/// where the driver does not count them (before Volta). The first GPU of CUDA need not be the first
/// one of NVML.
fn millijoules(nvml: &Nvml, bus_address: Option<&str>) -> Option<u64> {
    let device = match bus_address {
        _ if nvml.device_count().ok()? == 1 => nvml.device_by_index(0),
        Some(address) => nvml.device_by_pci_bus_id(address),
        None => return None,
    };
    device.ok()?.total_energy_consumption().ok()
}

/// The part of sorted numbers below which a share of them lies.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = ((sorted.len() - 1) as f64 * share).round() as usize;
    sorted[at]
}

/// Times versions of an application, run by run in turn, so that a clock that changes changes all
/// of them: each a name, how many fences it has, and its text.
///
/// # Errors
/// A version cannot be run, in a sentence.
pub(crate) fn measure(
    bench: &mut GpuBench<'_>,
    versions: &[(&str, usize, String)],
) -> Result<Vec<FenceCost>, String> {
    let programs = versions
        .iter()
        .map(|(.., text)| bench.load_as_it_is(text))
        .collect::<Result<Vec<ProgramVersion>, _>>()?;
    let mut seconds = vec![Vec::with_capacity(RUNS); programs.len()];
    for n in 0..RUNS + 5 {
        for (program, seconds) in programs.iter().zip(&mut seconds) {
            let took = bench.seconds(program)?;
            // The first ones warm up.
            if n >= 5 {
                seconds.push(took);
            }
        }
    }
    let nvml = Nvml::builder().lib_path(std::ffi::OsStr::new("libnvidia-ml.so.1")).init().ok();
    let bus_address = bench.bus_address();
    let mut costs = Vec::new();
    for (((name, fences, _), program), mut seconds) in versions.iter().zip(&programs).zip(seconds) {
        seconds.sort_by(f64::total_cmp);
        let median = quantile(&seconds, 0.5);
        let piece =
            (ENERGY_TIME.as_secs_f64() / PIECES / median.max(1e-6)).clamp(1.0, MOST_RUNS) as u32;
        let mut joules = None;
        if let Some(nvml) = &nvml
            && let Some(before) = millijoules(nvml, bus_address.as_deref())
        {
            let start = Instant::now();
            let mut done = 0u64;
            while start.elapsed() < ENERGY_TIME {
                bench.repeat(program, piece)?;
                done += u64::from(piece);
            }
            joules = millijoules(nvml, bus_address.as_deref())
                .map(|after| after.saturating_sub(before) as f64 / 1e3 / done as f64);
        }
        costs.push(FenceCost {
            version: (*name).to_owned(),
            fences: *fences,
            runs: seconds.len(),
            lower_quartile: quantile(&seconds, 0.25),
            median,
            upper_quartile: quantile(&seconds, 0.75),
            joules,
        });
    }
    Ok(costs)
}

#[cfg(test)]
mod tests {
    use super::quantile;

    #[test]
    fn quantiles_are_of_what_was_measured() {
        let sorted: Vec<f64> = (1..=101).map(f64::from).collect();
        assert_eq!(
            [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| quantile(&sorted, share)),
            [1.0, 26.0, 51.0, 76.0, 101.0]
        );
        assert_eq!(quantile(&[3.0], 0.75), 3.0);
    }
}
