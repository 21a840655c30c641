//! Runs of an application on a GPU: as it is, and with stress and randomisation woven in (PLDI 2016, section 4.2).

use std::mem::ManuallyDrop;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use margay_models::limited;
use margay_ptx::{Module, Space};
use margay_runner::device::{self, Cuda, CudaArray, CudaProgram, Device, DeviceFailure, ProgramLaunch};
use margay_runner::emit::{Count, Environment, Stress, scratchpad_bytes};
use margay_runner::sass::{Listing, Toolkit};
use margay_runner::tune::Profile;

use crate::application::{Application, ApplicationLaunch};
use crate::campaign::{ApplicationRunner, RunCounts, RunVerdict};
use crate::environment::{ApplicationEnvironment, GpuSettings};
use crate::weave::{self, STOPPED, WovenLaunch};

/// What ended before its time on a GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GpuEnd {
    /// The application, or its kernels, cannot be run: a sentence.
    Refused(String),
    /// The device is gone.
    Gone(String),
}

impl From<DeviceFailure> for GpuEnd {
    fn from(failure: DeviceFailure) -> Self {
        if failure.is_of_device() { Self::Gone(failure.to_string()) } else { Self::Refused(failure.to_string()) }
    }
}

/// What stress aims to take, in times of the kernel (PLDI 2016, section 4.2).
const STRESS_TIME: f64 = 10.0;

/// Rounds of stress with which its speed is measured.
const FEW_ROUNDS: u32 = 64;
const MANY_ROUNDS: u32 = 1024;

/// A variable of the program in global memory, and what it holds before the first launch.
struct GpuVariable {
    name: String,
    address: u64,
    bytes: usize,
    initial: CudaArray,
}

/// What is woven into the kernels of a program.
#[derive(Debug, Clone)]
struct Weaving {
    /// Do some blocks stress?
    stresses: bool,
    /// Do blocks and warps change places?
    shuffle: bool,
    /// For each launch of the application, how often a stressing thread does what it does.
    rounds: Vec<u32>,
}

/// A text in the driver.
struct GpuProgram {
    program: CudaProgram,
    variables: Vec<GpuVariable>,
    stopped: u64,
}

/// A version of the application's program as it is run; not let go of where the GPU was given up.
pub(crate) struct ProgramVersion {
    program: ManuallyDrop<Rc<GpuProgram>>,
    weaving: Option<Weaving>,
}

impl ProgramVersion {
    fn new(program: Rc<GpuProgram>, weaving: Option<Weaving>) -> Self {
        Self { program: ManuallyDrop::new(program), weaving }
    }
}

impl Drop for ProgramVersion {
    fn drop(&mut self) {
        if !device::abandoned() {
            // SAFETY: nobody uses it after this, and it is dropped here alone.
            unsafe { ManuallyDrop::drop(&mut self.program) };
        }
    }
}

/// An application on a GPU.
pub(crate) struct GpuBench<'a> {
    application: &'a Application,
    /// One that was given up while it worked is not let go of: that would wait for it.
    memory: ManuallyDrop<GpuMemory>,
    systematic: Environment,
    watchdog: Duration,
    /// The stress with which a version was run on the machine of the CPU.
    computed: Vec<Stress>,
    /// The GPU is gone: why.
    gone: Option<String>,
}

struct GpuMemory {
    // What is allocated goes before the device does.
    /// What was made of the text that was loaded last, for all environments: woven texts by themselves, which differ in the kind of stress alone.
    made: Option<MadeOfText>,
    arrays: Vec<(CudaArray, CudaArray)>,
    scratchpad: Option<CudaArray>,
    cuda: Cuda,
}

/// The programs of one text.
struct MadeOfText {
    text: String,
    native: Rc<GpuProgram>,
    woven: Vec<(String, Rc<GpuProgram>)>,
    /// What was not checked of them.
    notes: Vec<String>,
}

impl Drop for GpuBench<'_> {
    fn drop(&mut self) {
        if !device::abandoned() {
            // SAFETY: nobody uses it after this, and it is dropped here alone.
            unsafe { ManuallyDrop::drop(&mut self.memory) };
        }
    }
}

/// The kernels of an application that stress is woven into: those that it launches.
fn launched(application: &Application) -> Vec<&str> {
    application.launches.iter().map(|l| l.kernel.as_str()).collect()
}

impl<'a> GpuBench<'a> {
    /// Opens the first GPU, and puts the arrays of the application there.
    ///
    /// # Errors
    /// There is no GPU, no such profile, or too little memory.
    pub(crate) fn open(application: &'a Application, settings: &GpuSettings, toolkit: Option<Toolkit>) -> Result<Self, GpuEnd> {
        let systematic = match &settings.profile {
            Some(path) => profile(path).map_err(GpuEnd::Refused)?,
            None => Environment::default(),
        };
        let cuda = Cuda::open(toolkit, false)?;
        let mut arrays = Vec::new();
        for array in &application.arrays {
            let bytes = array.bytes();
            arrays.push((cuda.allocate(&bytes)?, cuda.allocate(&bytes)?));
        }
        let memory = ManuallyDrop::new(GpuMemory { made: None, arrays, scratchpad: None, cuda });
        Ok(Self { application, memory, systematic, watchdog: settings.watchdog, computed: Vec::new(), gone: None })
    }

    /// The GPU is gone, so that no other run can be done: why.
    pub(crate) fn gone(&self) -> Option<&str> {
        self.gone.as_deref()
    }

    /// What the GPU is called.
    pub(crate) fn name(&self) -> String {
        self.memory.cuda.description().name.clone()
    }

    /// Where the GPU is on the bus.
    pub(crate) fn bus_address(&self) -> Option<String> {
        self.memory.cuda.bus_address()
    }

    /// Loads a version of the program, with its stress woven in; without stress or randomisation it is as it was, but for `trap`.
    ///
    /// # Errors
    /// A kernel cannot be woven, the assembler refuses it, or its machine code has other accesses than the application's.
    fn load(
        &mut self,
        text: &str,
        environment: &ApplicationEnvironment,
        notes: &mut Vec<String>,
    ) -> Result<ProgramVersion, GpuEnd> {
        if self.memory.made.as_ref().is_none_or(|made| made.text != text) {
            self.memory.made = None;
            let native = self.native(text)?;
            self.memory.made = Some(MadeOfText { text: text.to_owned(), native, woven: Vec::new(), notes: Vec::new() });
        }
        let Some(native) = self.memory.made.as_ref().map(|made| made.native.clone()) else {
            return Err(GpuEnd::Refused("no version is loaded".to_owned()));
        };
        if environment.stress.is_none() && !environment.shuffle {
            return Ok(ProgramVersion::new(native, None));
        }
        let stress = self.stress(environment);
        let woven = weave::woven(text, &launched(self.application), &stress).map_err(GpuEnd::Refused)?;
        let known = self.memory.made.as_ref().and_then(|made| made.woven.iter().find(|(t, _)| *t == woven));
        let program = match known.map(|(_, program)| program.clone()) {
            Some(program) => program,
            None => {
                let (program, open) = self.checked(&woven, &stress, &native)?;
                if let Some(made) = &mut self.memory.made {
                    made.woven.push((woven, program.clone()));
                    made.notes.extend(open);
                }
                program
            }
        };
        if let Some(made) = &self.memory.made {
            notes.extend(made.notes.iter().cloned());
        }
        if let Some((resident, blocks)) = self.too_many_blocks(&native)?
            && environment.shuffle
        {
            notes.push(format!(
                "{blocks} blocks are not there at once ({resident} are): where blocks change places, one that waits for another may have no end."
            ));
        }
        let needed = usize::try_from(scratchpad_bytes(&stress)).unwrap_or(usize::MAX);
        if self.memory.scratchpad.as_ref().is_none_or(|pad| pad.bytes() < needed) {
            self.memory.scratchpad = None;
            self.memory.scratchpad = Some(self.memory.cuda.allocate_zeros(needed)?);
        }
        let rounds = vec![FEW_ROUNDS; self.application.launches.len()];
        let mut version = ProgramVersion::new(
            program,
            Some(Weaving { stresses: environment.stress.is_some(), shuffle: environment.shuffle, rounds }),
        );
        if environment.stress.is_some() {
            let rounds = self.calibrated(&native, &version.program)?;
            if let Some(weaving) = &mut version.weaving {
                weaving.rounds = rounds;
            }
        }
        Ok(version)
    }

    /// The program as it is, but for `trap`.
    fn native(&self, text: &str) -> Result<Rc<GpuProgram>, GpuEnd> {
        self.loaded(&weave::without_traps(text).map_err(GpuEnd::Refused)?).map(Rc::new)
    }

    /// A woven text in the driver, after what it computes and accesses was compared with the application; and what could not be.
    fn checked(
        &mut self,
        woven: &str,
        stress: &Environment,
        native: &GpuProgram,
    ) -> Result<(Rc<GpuProgram>, Vec<String>), GpuEnd> {
        let mut open = Vec::new();
        // Versions differ in their fences, and what is woven into them does not.
        let computed =
            if self.computed.contains(&stress.stress) { Ok(None) } else { self.application.run_woven(woven, stress, 1) };
        match computed {
            Ok(None) if !self.computed.contains(&stress.stress) => self.computed.push(stress.stress),
            Ok(None) => {}
            Ok(Some(what)) => {
                let what = format!("with stress woven in it is wrong in order on the machine of the CPU: {what}");
                return Err(GpuEnd::Refused(what));
            }
            Err(why) => open.push(format!("That woven code computes the same was not checked on the machine of the CPU: {why}.")),
        }
        let program = self.loaded(woven)?;
        match (&native.program.disassembly, &program.program.disassembly) {
            (Some(plain), Some(code)) => {
                let kernels = launched(self.application);
                weave::same_accesses(&Listing::read(plain), &Listing::read(code), &kernels).map_err(GpuEnd::Refused)?;
            }
            _ => open.push(
                "That machine code with stress woven in has the application's accesses was not checked: there are no ptxas and nvdisasm."
                    .to_owned(),
            ),
        }
        Ok((Rc::new(program), open))
    }

    /// What stressing blocks do.
    fn stress(&self, environment: &ApplicationEnvironment) -> Environment {
        let l2 = self.memory.cuda.description().shape.map_or(1 << 20, |shape| (shape.l2_bytes / 4).clamp(1, 1 << 26) as u32);
        let stress_words = match self.systematic.stress_words {
            Count::Auto { .. } => Count::Auto { or: l2 },
            fixed => fixed,
        };
        Environment { stress: environment.stress.unwrap_or(Stress::Sequence), stress_words, ..self.systematic.clone() }
    }

    fn loaded(&self, text: &str) -> Result<GpuProgram, GpuEnd> {
        let cuda = &self.memory.cuda;
        let program = cuda.load_program(text)?;
        let module: Module = margay_ptx::read(text).map_err(|e| GpuEnd::Refused(e.to_string()))?;
        let mut variables = Vec::new();
        for variable in module.variables.iter().filter(|v| v.space == Space::Global && v.size.is_some_and(|n| n > 0)) {
            let Ok((address, bytes)) = program.variable(&variable.name) else { continue };
            let mut initial = vec![0; bytes];
            cuda.read(address, &mut initial)?;
            variables.push(GpuVariable { name: variable.name.clone(), address, bytes, initial: cuda.allocate(&initial)? });
        }
        let (stopped, _) = program.variable(STOPPED)?;
        Ok(GpuProgram { program, variables, stopped })
    }

    /// How often stressing threads do what they do, so that it takes ten times as long as the kernel: for each launch.
    fn calibrated(&self, native: &GpuProgram, program: &GpuProgram) -> Result<Vec<u32>, GpuEnd> {
        let mut all = Vec::new();
        for (n, launch) in self.application.launches.iter().enumerate() {
            // The first ones warm up; what comes before a launch may decide what it does.
            let mut kernel = Vec::new();
            for _ in 0..5 {
                self.reset(native)?;
                for before in &self.application.launches[..n] {
                    self.queue(native, before, None)?;
                }
                self.finish()?;
                kernel.push(self.timed(|bench| bench.queue(native, launch, None))?);
            }
            kernel.sort_by(f64::total_cmp);
            let stress = |rounds: u32| -> Result<f64, GpuEnd> {
                let mut woven = self.woven(launch, 1, rounds);
                woven.blocks = [0, 1, 1];
                woven.shuffle = false;
                let mut seconds = Vec::new();
                for _ in 0..3 {
                    seconds.push(self.timed(|bench| bench.queue(program, launch, Some(woven)))?);
                }
                seconds.sort_by(f64::total_cmp);
                Ok(seconds[1])
            };
            let (few, many) = (stress(FEW_ROUNDS)?, stress(MANY_ROUNDS)?);
            let each = ((many - few) / f64::from(MANY_ROUNDS - FEW_ROUNDS)).max(1e-9);
            all.push((kernel[2] * STRESS_TIME / each).clamp(1.0, f64::from(1 << 22)) as u32);
        }
        self.reset(native)?;
        self.finish()?;
        Ok(all)
    }

    /// What a launch of a woven kernel is given: 15 to 50 % more blocks stress (section 4.2), as the seed has it.
    fn woven(&self, launch: &ApplicationLaunch, seed: u64, rounds: u32) -> WovenLaunch {
        let mut rng = fastrand::Rng::with_seed(seed);
        let blocks = launch.block_count().unwrap_or(1);
        let least = (f64::from(blocks) * 0.15).ceil().max(1.0) as u32;
        let stressing = rng.u32(least..=(blocks / 2).max(least));
        WovenLaunch {
            scratchpad: self.memory.scratchpad.as_ref().map_or(0, CudaArray::address),
            seed: rng.u32(..),
            first: self.systematic.stress_first,
            rounds: rounds.max(1),
            stressing,
            blocks: launch.launch.blocks,
            shuffle: true,
        }
    }

    fn reset(&self, program: &GpuProgram) -> Result<(), DeviceFailure> {
        let GpuMemory { arrays, cuda, .. } = &*self.memory;
        for (array, initial) in arrays {
            cuda.copy(initial.address(), array.address(), array.bytes())?;
        }
        for variable in &program.variables {
            cuda.copy(variable.initial.address(), variable.address, variable.bytes)?;
        }
        Ok(())
    }

    fn queue(&self, program: &GpuProgram, launch: &ApplicationLaunch, woven: Option<WovenLaunch>) -> Result<(), DeviceFailure> {
        let addresses: Vec<u64> = self.memory.arrays.iter().map(|(array, _)| array.address()).collect();
        let mut arguments = launch.bytes(&addresses);
        let mut blocks = launch.launch.blocks;
        if let Some(woven) = woven {
            let grid = woven.grid().ok_or_else(|| DeviceFailure::Refused("a grid has at most 2^31 - 1 blocks".to_owned()))?;
            blocks = [grid, 1, 1];
            arguments.extend(woven.arguments());
        }
        let launch = ProgramLaunch {
            kernel: &launch.kernel,
            blocks,
            threads: launch.launch.threads,
            dynamic_shared: launch.launch.dynamic_shared,
            arguments: &arguments,
        };
        self.memory.cuda.queue(&program.program, &launch)
    }

    fn finish(&self) -> Result<(), DeviceFailure> {
        self.memory.cuda.finish(self.watchdog)
    }

    fn timed(&self, queue: impl FnOnce(&Self) -> Result<(), DeviceFailure>) -> Result<f64, GpuEnd> {
        Ok(self.memory.cuda.timed(self.watchdog, |_| queue(self))?)
    }

    /// Queues all launches and checks of a run, from memory as it is before the first.
    fn queue_run(&self, version: &ProgramVersion, seed: u64) -> Result<(), DeviceFailure> {
        let program = &version.program;
        self.reset(program)?;
        let is_woven = |kernel: &str| self.application.launches.iter().any(|l| l.kernel == kernel);
        for (n, launch) in self.application.launches.iter().enumerate() {
            let woven = version.weaving.as_ref().map(|weaving| {
                let woven = self.woven(launch, seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ n as u64, weaving.rounds[n]);
                let stressing = if weaving.stresses { woven.stressing } else { 0 };
                WovenLaunch { stressing, shuffle: weaving.shuffle, ..woven }
            });
            self.queue(program, launch, woven)?;
        }
        for check in &self.application.checks {
            // What looks at memory is not what is tested.
            let woven = (version.weaving.is_some() && is_woven(&check.kernel)).then(|| WovenLaunch {
                stressing: 0,
                shuffle: false,
                ..self.woven(check, seed, 1)
            });
            self.queue(program, check, woven)?;
        }
        Ok(())
    }

    /// One run.
    fn run(&self, version: &ProgramVersion, seed: u64) -> Result<RunVerdict, DeviceFailure> {
        self.queue_run(version, seed)?;
        let program = &version.program;
        self.finish()?;
        let cuda = &self.memory.cuda;
        let mut stopped = [0; 4];
        cuda.read(program.stopped, &mut stopped)?;
        if stopped != [0; 4] {
            return Ok(RunVerdict::Wrong("a thread stopped with an error (`trap`, or an assertion that fails)".to_owned()));
        }
        let words = |name: &str| {
            let of_file = self.application.arrays.iter().position(|a| a.name == name);
            let (address, bytes) = match of_file {
                Some(n) => (self.memory.arrays[n].0.address(), self.memory.arrays[n].0.bytes()),
                None => program.variables.iter().find(|v| v.name == name).map_or((0, 0), |v| (v.address, v.bytes)),
            };
            let mut all = vec![0; bytes / 4 * 4];
            cuda.read(address, &mut all)?;
            Ok(all.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
        };
        Ok(self.application.violation(words)?.map_or(RunVerdict::Right, RunVerdict::Wrong))
    }

    /// Many runs. A run without an end, and one with an access outside of memory, are counted and end the device.
    ///
    /// # Errors
    /// A launch is refused.
    fn count(
        &mut self,
        version: &ProgramVersion,
        seeds: Range<u64>,
        until_first: bool,
        stop: &dyn Fn() -> bool,
    ) -> Result<RunCounts, GpuEnd> {
        let mut counts = RunCounts::default();
        for seed in seeds {
            if stop() || self.gone.is_some() || (until_first && counts.not_right() > 0) {
                break;
            }
            match self.run(version, seed) {
                Ok(verdict) => counts.count(seed, verdict),
                Err(DeviceFailure::Hung(limit)) => {
                    counts.count(seed, RunVerdict::TimeOut(format!("it had not ended after {limit:?}")));
                    self.gone = Some("a run had no end, and the GPU is given up".to_owned());
                }
                Err(failure) if failure.is_of_device() => {
                    counts.count(seed, RunVerdict::Wrong(failure.to_string()));
                    self.gone = Some(failure.to_string());
                    device::abandon();
                }
                Err(failure) => return Err(failure.into()),
            }
        }
        Ok(counts)
    }

    /// A version of the program as it is, but for `trap`.
    ///
    /// # Errors
    /// It cannot be run, in a sentence.
    pub(crate) fn load_as_it_is(&mut self, text: &str) -> Result<ProgramVersion, String> {
        self.native(text).map(|program| ProgramVersion::new(program, None)).map_err(|end| self.ended(end))
    }

    /// Why something was not done; a GPU that is gone is given up.
    fn ended(&mut self, end: GpuEnd) -> String {
        match end {
            GpuEnd::Refused(why) => why,
            GpuEnd::Gone(why) => {
                self.gone = Some(why.clone());
                device::abandon();
                why
            }
        }
    }

    /// The seconds that the GPU takes for the launches of a run.
    ///
    /// # Errors
    /// It cannot be run, in a sentence.
    pub(crate) fn seconds(&mut self, program: &ProgramVersion) -> Result<f64, String> {
        let run = || -> Result<f64, GpuEnd> {
            self.reset(&program.program)?;
            self.finish()?;
            self.timed(|bench| {
                bench.application.launches.iter().try_for_each(|launch| bench.queue(&program.program, launch, None))
            })
        };
        run().map_err(|end| self.ended(end))
    }

    /// Does so many runs, and waits for their end.
    ///
    /// # Errors
    /// It cannot be run, in a sentence.
    pub(crate) fn repeat(&mut self, program: &ProgramVersion, times: u32) -> Result<(), String> {
        let run = || -> Result<(), GpuEnd> {
            for _ in 0..times {
                self.reset(&program.program)?;
                for launch in &self.application.launches {
                    self.queue(&program.program, launch, None)?;
                }
            }
            Ok(self.finish()?)
        };
        run().map_err(|end| self.ended(end))
    }

    /// How many blocks of a launch run at once, and how many it has, where those are fewer.
    fn too_many_blocks(&self, program: &GpuProgram) -> Result<Option<(u32, u32)>, GpuEnd> {
        for launch in &self.application.launches {
            let asked = ProgramLaunch {
                kernel: &launch.kernel,
                blocks: launch.launch.blocks,
                threads: launch.launch.threads,
                dynamic_shared: launch.launch.dynamic_shared,
                arguments: &[],
            };
            let resident = self.memory.cuda.resident(&program.program, &asked)?;
            match launch.block_count() {
                Some(blocks) if blocks <= resident => {}
                blocks => return Ok(Some((resident, blocks.unwrap_or(u32::MAX)))),
            }
        }
        Ok(None)
    }
}

/// Runs of an application on a GPU in one environment.
pub(crate) struct GpuRunner<'b, 'a> {
    bench: &'b mut GpuBench<'a>,
    environment: &'b ApplicationEnvironment,
    program: Option<ProgramVersion>,
    notes: Vec<String>,
}

impl<'b, 'a> GpuRunner<'b, 'a> {
    pub(crate) fn new(bench: &'b mut GpuBench<'a>, environment: &'b ApplicationEnvironment) -> Self {
        Self { bench, environment, program: None, notes: Vec::new() }
    }

    /// What was not looked at.
    pub(crate) fn notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }
}

impl ApplicationRunner for GpuRunner<'_, '_> {
    fn load(&mut self, text: &str) -> Result<(), String> {
        self.program = None;
        if let Some(why) = self.bench.gone() {
            return Err(why.to_owned());
        }
        let loaded = self.bench.load(text, self.environment, &mut self.notes);
        self.program = Some(loaded.map_err(|end| self.bench.ended(end))?);
        Ok(())
    }

    fn count(&mut self, seeds: Range<u64>, until_first: bool, stop: &(dyn Fn() -> bool + Sync)) -> Result<RunCounts, String> {
        let Some(program) = &self.program else { return Err("no version is loaded".to_owned()) };
        self.bench.count(program, seeds, until_first, stop).map_err(|end| match end {
            GpuEnd::Refused(why) | GpuEnd::Gone(why) => why,
        })
    }

    fn gone(&self) -> Option<&str> {
        self.bench.gone()
    }
}

/// The vendor's programs: those of the folder named and of no other, or what is at hand.
pub(crate) fn toolkit(named: Option<&Path>) -> Option<Toolkit> {
    named.map_or_else(Toolkit::find, Toolkit::at)
}

/// The environment of a profile.
fn profile(path: &Path) -> Result<Environment, String> {
    let name = limited::name(path);
    let text = limited::text(path, 1 << 20).map_err(|e| format!("cannot read {name}: {e}"))?;
    let profile = Profile::read(&text).map_err(|why| format!("{name} is no profile as `margay gpu tune` writes it: {why}"))?;
    // How a litmus test is laid out says nothing of an application.
    Environment::parse(&profile.environment)
}
