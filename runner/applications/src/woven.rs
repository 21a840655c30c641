//! Woven code on the machine of the CPU: it has to compute what the application does.

use margay_machine::{FaultKind, LaunchError, MemoryKind, Schedule};
use margay_runner::emit::{Environment, scratchpad_bytes};

use crate::application::Application;
use crate::weave::{STOPPED, WovenLaunch};

impl Application {
    /// One run in order of a version with stress woven in, with stressing blocks and with blocks and warps that change places: what is wrong, in a
    /// sentence; nothing where all holds at the end. The scratchpad is what the environment stresses.
    ///
    /// # Errors
    /// What this machine lacks, or that the run had not ended after the steps that it has.
    pub(crate) fn run_woven(&self, text: &str, environment: &Environment, seed: u64) -> Result<Option<String>, String> {
        let mut loaded = self.load(text)?;
        let scratchpad = loaded.device.memory.allocate("scratchpad", scratchpad_bytes(environment))?;
        let launched = |kernel: &str| self.launches.iter().any(|l| l.kernel == kernel);
        for (launch, checks) in self.launches.iter().map(|l| (l, false)).chain(self.checks.iter().map(|l| (l, true))) {
            let mut arguments = launch.bytes(&loaded.addresses);
            let mut shape = launch.launch;
            if launched(&launch.kernel) {
                let stressing = if checks { 0 } else { launch.block_count().unwrap_or(1).div_ceil(4) };
                let woven = WovenLaunch {
                    scratchpad,
                    seed: seed as u32,
                    first: environment.stress_first,
                    rounds: 3,
                    stressing,
                    blocks: shape.blocks,
                    shuffle: !checks,
                };
                shape.blocks = [woven.grid().ok_or("a grid has at most 2^31 - 1 blocks")?, 1, 1];
                arguments.extend(woven.arguments());
            }
            // Blocks that stress come first, and end whatever the others do. What is woven in takes steps, too.
            let steps = self.steps.saturating_mul(2);
            let schedule = Schedule { seed, memory: MemoryKind::SequentiallyConsistent, places: self.places, steps };
            match loaded.device.launch(&launch.kernel, shape, &arguments, &schedule) {
                Ok(_) => {}
                Err(LaunchError::Refused(why)) => return Err(why),
                // What this machine lacks, or has too little time for, is no error of the woven code.
                Err(LaunchError::Fault(fault)) if matches!(fault.kind, FaultKind::Unknown(_) | FaultKind::NoEnd(_)) => {
                    return Err(format!("{} in `{}`", fault.kind, fault.function));
                }
                Err(LaunchError::Fault(fault)) => return Ok(Some(format!("{} in `{}`", fault.kind, fault.function))),
            }
        }
        if self.words(&loaded, &loaded.device.memory, STOPPED) != [0] {
            return Ok(Some("a thread stopped with an error".to_owned()));
        }
        self.violation(|name| Ok::<_, String>(self.words(&loaded, &loaded.device.memory, name)))
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use margay_runner::emit::{Environment, GpuTarget};
    use margay_runner::sass::{Listing, Toolkit};

    use crate::application::Application;
    use crate::environment::environments;
    use crate::weave::{same_accesses, without_traps, woven};

    fn applications() -> Vec<PathBuf> {
        let mut all = Vec::new();
        for folder in ["tests/kernels", "tests/kernels/papers", "tests/kernels/papers/full"] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
            let files = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
            all.extend(files.filter(|p| p.extension().is_some_and(|e| e == "toml")));
        }
        all.sort();
        assert!(all.len() >= 22, "{all:?}");
        all
    }

    fn kinds() -> Vec<Environment> {
        let few = |text: &str| Environment::parse(&format!("stress-ctas=1,stress-words=1024,{text}")).unwrap();
        vec![few("stress=sequence"), few("stress=random"), few("stress=cache")]
    }

    /// With stress, with blocks and warps in other places, and nothing of weak memory, what must hold at the end holds.
    #[test]
    fn woven_applications_compute_the_same() {
        assert_eq!(environments().len(), 8);
        for file in applications() {
            let application = Application::read(&file, None, "sm_90").unwrap();
            let kernels: Vec<&str> = application.launches.iter().map(|l| l.kernel.as_str()).collect();
            // At full size one run takes seconds.
            let (kinds, seeds) = match file.parent().is_some_and(|folder| folder.ends_with("full")) {
                true => (vec![kinds().remove(0)], 1),
                false => (kinds(), 4),
            };
            for kind in kinds {
                let text = woven(&application.ptx.text, &kernels, &kind).unwrap();
                for seed in 0..seeds {
                    assert_eq!(application.run_woven(&text, &kind, seed), Ok(None), "{}, {kind}, {seed}", file.display());
                }
            }
        }
    }

    /// The assembler takes woven kernels, and their machine code has the accesses of the application and those of the stress.
    #[test]
    fn woven_machine_code_has_the_accesses_of_the_application() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/toolkit");
        let Some(toolkit) = Toolkit::at(&folder) else {
            eprintln!("skipped: there are no ptxas and nvdisasm in {}; .ci/toolkit downloads them", folder.display());
            return;
        };
        for file in applications() {
            let application = Application::read(&file, None, "sm_90").unwrap();
            let kernels: Vec<&str> = application.launches.iter().map(|l| l.kernel.as_str()).collect();
            let listing = |text: &str| {
                let assembled = toolkit.assemble(text, GpuTarget(90), 3).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
                Listing::read(&assembled.disassembly.expect("there is a disassembler"))
            };
            let plain = listing(&without_traps(&application.ptx.text).unwrap());
            for kind in kinds() {
                let code = listing(&woven(&application.ptx.text, &kernels, &kind).unwrap());
                assert_eq!(same_accesses(&plain, &code, &kernels), Ok(()), "{}, {kind}", file.display());
            }
        }
    }
}
