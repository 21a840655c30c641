//! Versions of an application's program in the driver: as it is, and with stress and randomisation
//! woven in, after they were compared.

use std::mem::ManuallyDrop;
use std::rc::Rc;

use margay_ptx::{Module, StateSpace};
use margay_runner::device::{self, CudaArray, CudaProgram, Device, ProgramLaunch};
use margay_runner::emit::{Count, Environment, Stress, scratchpad_bytes};
use margay_runner::sass::Listing;

use super::{GpuBench, GpuEnd};
use crate::application::Application;
use crate::environment::ApplicationEnvironment;
use crate::weave::{self, STOPPED};

/// What stress aims to take, in times of the kernel (PLDI 2016, section 4.2).
const STRESS_TIME: f64 = 10.0;

/// Rounds of stress with which its speed is measured.
const FEW_ROUNDS: u32 = 64;
const MANY_ROUNDS: u32 = 1024;

/// A variable of the program in global memory, and what it holds before the first launch.
pub(super) struct GpuVariable {
    pub(super) name: String,
    pub(super) address: u64,
    pub(super) bytes: usize,
    pub(super) initial: CudaArray,
}

/// What is woven into the kernels of a program.
#[derive(Debug, Clone)]
pub(super) struct Weaving {
    /// Do some blocks stress?
    pub(super) stresses: bool,
    /// Do blocks and warps change places?
    pub(super) shuffle: bool,
    /// For each launch of the application, how often a stressing thread does what it does.
    pub(super) rounds: Vec<u32>,
}

/// A text in the driver.
pub(super) struct GpuProgram {
    pub(super) program: CudaProgram,
    pub(super) variables: Vec<GpuVariable>,
    /// Where it says that a thread stopped with an error.
    pub(super) stopped: u64,
}

/// A version of the application's program as it is run; not let go of where the GPU was given up.
pub(crate) struct ProgramVersion {
    pub(super) program: ManuallyDrop<Rc<GpuProgram>>,
    pub(super) weaving: Option<Weaving>,
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

/// The programs of one text.
pub(super) struct MadeOfText {
    text: String,
    native: Rc<GpuProgram>,
    woven: Vec<(String, Rc<GpuProgram>)>,
    /// What was not checked of them.
    notes: Vec<String>,
}

/// The kernels of an application that stress is woven into: those that it launches.
fn launched(application: &Application) -> Vec<&str> {
    application.launches.iter().map(|l| l.kernel.as_str()).collect()
}

impl GpuBench<'_> {
    /// Loads a version of the program, with its stress woven in; without stress or randomisation it
    /// is as it was, but for `trap`.
    ///
    /// # Errors
    /// A kernel cannot be woven, the assembler refuses it, or its machine code has other accesses
    /// than the application's.
    pub(super) fn load(
        &mut self,
        text: &str,
        environment: &ApplicationEnvironment,
        notes: &mut Vec<String>,
    ) -> Result<ProgramVersion, GpuEnd> {
        if self.memory.made.as_ref().is_none_or(|made| made.text != text) {
            self.memory.made = None;
            let native = self.native(text)?;
            self.memory.made = Some(MadeOfText {
                text: text.to_owned(),
                native,
                woven: Vec::new(),
                notes: Vec::new(),
            });
        }
        let Some(native) = self.memory.made.as_ref().map(|made| made.native.clone()) else {
            return Err(GpuEnd::Refused("no version is loaded".to_owned()));
        };
        if environment.stress.is_none() && !environment.shuffle {
            return Ok(ProgramVersion::new(native, None));
        }
        let stress = self.stress(environment);
        let woven =
            weave::woven(text, &launched(self.application), &stress).map_err(GpuEnd::Refused)?;
        let known =
            self.memory.made.as_ref().and_then(|made| made.woven.iter().find(|(t, _)| *t == woven));
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
            Some(Weaving {
                stresses: environment.stress.is_some(),
                shuffle: environment.shuffle,
                rounds,
            }),
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

    /// A woven text in the driver, after what it computes and accesses was compared with the
    /// application; and what could not be.
    fn checked(
        &mut self,
        woven: &str,
        stress: &Environment,
        native: &GpuProgram,
    ) -> Result<(Rc<GpuProgram>, Vec<String>), GpuEnd> {
        let mut open = Vec::new();
        // Versions differ in their fences, and what is woven into them does not.
        let computed = if self.computed.contains(&stress.stress) {
            Ok(None)
        } else {
            self.application.run_woven(woven, stress, 1)
        };
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
        let l2 = self
            .memory
            .cuda
            .description()
            .shape
            .map_or(1 << 20, |shape| (shape.l2_bytes / 4).clamp(1, 1 << 26) as u32);
        let stress_words = match self.systematic.stress_words {
            Count::Auto { .. } => Count::Auto { or: l2 },
            fixed => fixed,
        };
        Environment {
            stress: environment.stress.unwrap_or(Stress::Sequence),
            stress_words,
            ..self.systematic.clone()
        }
    }

    fn loaded(&self, text: &str) -> Result<GpuProgram, GpuEnd> {
        let cuda = &self.memory.cuda;
        let program = cuda.load_program(text)?;
        let module: Module = margay_ptx::read(text).map_err(|e| GpuEnd::Refused(e.to_string()))?;
        let mut variables = Vec::new();
        for variable in module
            .variables
            .iter()
            .filter(|v| v.space == StateSpace::Global && v.size.is_some_and(|n| n > 0))
        {
            let Ok((address, bytes)) = program.variable(&variable.name) else { continue };
            let mut initial = vec![0; bytes];
            cuda.read(address, &mut initial)?;
            variables.push(GpuVariable {
                name: variable.name.clone(),
                address,
                bytes,
                initial: cuda.allocate(&initial)?,
            });
        }
        let (stopped, _) = program.variable(STOPPED)?;
        Ok(GpuProgram { program, variables, stopped })
    }

    /// How often stressing threads do what they do, so that it takes ten times as long as the
    /// kernel: for each launch.
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

    /// A version of the program as it is, but for `trap`.
    ///
    /// # Errors
    /// It cannot be run, in a sentence.
    pub(crate) fn load_as_it_is(&mut self, text: &str) -> Result<ProgramVersion, String> {
        self.native(text)
            .map(|program| ProgramVersion::new(program, None))
            .map_err(|end| self.ended(end))
    }
}
