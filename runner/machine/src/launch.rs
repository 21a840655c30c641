//! What is run, and what comes of it.

use margay_ptx::SourceLine;
use rustc_hash::FxHashMap;

use crate::code::{self, MachineProgram};
use crate::fault::Fault;
use crate::limits::LaunchRefusal;
use crate::machine::{KernelMachine, ThreadState};
use crate::memory::GlobalMemory;
use crate::order::InOrder;
use crate::order::buffered::Buffered;
use crate::refusal::ModuleRefusal;
use crate::schedule::{Finished, LaunchSize, MAX_BYTES, MemoryKind, Schedule};

/// The most threads that are there at once, and the most bytes that they and their blocks take when
/// they begin.
const MAX_THREADS: u64 = 1 << 20;

/// Why a kernel could not be launched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaunchError {
    /// What the module, the kernel or the launch lacks, and what to do.
    Refused(String),
    /// It was launched and went wrong.
    Fault(Box<Fault>),
}

/// A module in the memory of a device.
#[derive(Debug)]
pub struct MachineModule {
    /// Its memory. What the module declares is there.
    pub memory: GlobalMemory,
    program: MachineProgram,
    /// The files of the source, by number.
    files: FxHashMap<u32, String>,
    /// Where the lines of the text end.
    lines: Vec<usize>,
}

impl MachineModule {
    /// Reads PTX, and puts what it declares into memory.
    ///
    /// # Errors
    /// The text is no PTX; or a variable is of another module, or all are larger than this memory.
    pub fn read(text: &str) -> Result<Self, ModuleRefusal> {
        let module = margay_ptx::read(text).map_err(ModuleRefusal::Unread)?;
        let mut memory = GlobalMemory::default();
        let program = code::decode(&module, &mut memory)?;
        let lines =
            text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at).collect();
        Ok(Self { memory, program, files: module.files, lines })
    }

    /// Where what went wrong stands: in the source, if the text says where, and else in the text
    /// itself.
    pub fn place(&self, fault: &Fault) -> String {
        match fault.line {
            Some(SourceLine { file, line, .. }) => {
                match self.files.get(&file).and_then(|path| path.rsplit(['/', '\\']).next()) {
                    Some(name) => format!("{name}:{line}"),
                    None => format!("line {line}"),
                }
            }
            None => format!("PTX line {}", self.lines.partition_point(|end| *end < fault.at) + 1),
        }
    }

    /// Address and size of a variable of the module.
    pub fn variable(&self, name: &str) -> Option<(u64, u64)> {
        self.program
            .globals
            .iter()
            .find(|(n, ..)| n == name)
            .map(|(_, address, bytes)| (*address, *bytes))
    }

    /// Launches a kernel with these arguments (each its bytes, at most as many as the parameter
    /// has), and waits for its end.
    ///
    /// # Errors
    /// There is no such kernel, the launch is too large or has the wrong arguments, or a thread
    /// goes wrong. Memory then holds what was stored so far.
    pub fn launch(
        &mut self,
        kernel: &str,
        launch: LaunchSize,
        arguments: &[Vec<u8>],
        schedule: &Schedule,
    ) -> Result<Finished, LaunchError> {
        let refuse = |what: String| Err(LaunchError::Refused(what));
        let Some(number) =
            self.program.codes.iter().position(|c| c.name == kernel && c.limits.is_some())
        else {
            return refuse(format!("there is no kernel `{kernel}`"));
        };
        let code = &self.program.codes[number];
        if let Some(LaunchRefusal { why, .. }) =
            code.limits.as_ref().and_then(|limits| limits.refusal(&launch))
        {
            return refuse(format!("`{kernel}`: {why}"));
        }
        let product = |sizes: [u32; 3]| sizes.iter().try_fold(1u32, |all, n| all.checked_mul(*n));
        let (Some(blocks), Some(threads)) = (product(launch.blocks), product(launch.threads))
        else {
            return refuse(format!("`{kernel}`: this machine runs at most 2^32 - 1 blocks"));
        };
        let places = u64::from(blocks.min(schedule.places.max(1)));
        if places * u64::from(threads) > MAX_THREADS {
            return refuse(format!(
                "{places} blocks of {threads} threads at once: at most {MAX_THREADS} threads; fewer places"
            ));
        }
        let of_thread = code.bytes() + size_of::<ThreadState>() as u64;
        let of_block = self.program.dynamic.start
            + u64::from(launch.dynamic_shared)
            + u64::from(threads) * of_thread;
        if places * of_block > MAX_BYTES {
            let all = "bytes of registers, shared and local memory: at most";
            return refuse(format!(
                "{places} blocks at once take {} {all} {MAX_BYTES}; fewer places",
                places * of_block
            ));
        }
        self.start(number, launch, arguments, schedule)
    }

    /// Has one thread call a function that returns nothing, or a kernel, with these arguments, and
    /// waits for its end.
    ///
    /// # Errors
    /// As of [`Self::launch`].
    pub fn call(
        &mut self,
        function: &str,
        arguments: &[Vec<u8>],
        schedule: &Schedule,
    ) -> Result<Finished, LaunchError> {
        let Some(number) = self.program.codes.iter().position(|c| c.name == function) else {
            return Err(LaunchError::Refused(format!("there is no function `{function}`")));
        };
        let launch = LaunchSize { blocks: [1; 3], threads: [1; 3], dynamic_shared: 0 };
        self.start(number, launch, arguments, schedule)
    }

    /// Runs a function whose launch was looked at.
    fn start(
        &mut self,
        number: usize,
        launch: LaunchSize,
        arguments: &[Vec<u8>],
        schedule: &Schedule,
    ) -> Result<Finished, LaunchError> {
        let refuse = |what: String| Err(LaunchError::Refused(what));
        let code = &self.program.codes[number];
        if arguments.len() != code.parameters.len() {
            return refuse(format!(
                "`{}` takes {} arguments, {} are given",
                code.name,
                code.parameters.len(),
                arguments.len()
            ));
        }
        let mut bytes = Vec::new();
        for (n, (argument, &(at, size))) in arguments.iter().zip(&code.parameters).enumerate() {
            if argument.len() > size as usize {
                return refuse(format!(
                    "argument {n} has {} bytes, the parameter {size}",
                    argument.len()
                ));
            }
            bytes.resize((at + size) as usize, 0);
            bytes[at as usize..at as usize + argument.len()].copy_from_slice(argument);
        }
        let Self { memory, program, .. } = self;
        let ended = match schedule.memory {
            MemoryKind::SequentiallyConsistent => {
                KernelMachine::new(program, launch, memory, InOrder, schedule.seed)
                    .run(number, &bytes, schedule)
            }
            MemoryKind::Weak | MemoryKind::Reordering(_) => {
                let only = match schedule.memory {
                    MemoryKind::Reordering(pair) => Some(pair),
                    _ => None,
                };
                let weak = Buffered::new(schedule.seed, schedule.steps, only);
                KernelMachine::new(program, launch, memory, weak, schedule.seed)
                    .run(number, &bytes, schedule)
            }
        };
        ended.map_err(|fault| LaunchError::Fault(Box::new(fault)))
    }
}
