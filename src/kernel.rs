//! `margay kernel`: is a GPU kernel right by PTX's own memory model?

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use margay_answers::kernel::{self, GivenArgument, KernelCompiler, KernelReading, Launch};
use margay_console::output::Output;

use crate::CommandOutcome;
use crate::arguments::{TimeArguments, ToolkitArguments};

/// Options of `kernel`.
#[derive(Debug, Args)]
pub struct KernelArguments {
    /// A text of PTX, or a .cu file, which nvcc compiles if it is there, and else Margay
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Ask about this kernel only
    #[arg(long, value_name = "NAME")]
    pub kernel: Vec<String>,
    /// Blocks and threads of a block; without it those of 1x2, 2x1, 2x2, 3x1, 1x4, 1x33 and 2x33
    /// that fit what the kernel reads, until one goes wrong (`2x(4x8)`: blocks of 4 by 8 threads;
    /// `4x32@cluster=2`: two blocks in a cluster)
    #[arg(long, value_name = "BLOCKSxTHREADS")]
    pub launch: Vec<Launch>,
    /// What is passed for a parameter: `2=7`, `0=array:8`, `0=array:{1,2,3}`, `1=arg0`
    /// (docs/kernels.md)
    #[arg(long = "arg", value_name = "N=VALUE")]
    pub arguments: Vec<GivenArgument>,
    /// What must hold when all threads have ended: `arg0[0] == 2`, `counter != 0`; `[2]` is the
    /// third element of 4 bytes, whatever the type
    #[arg(long = "final", value_name = "CONDITION")]
    pub finals: Vec<String>,
    /// What is asked of each kernel, in lines `launch 2x1`, `arg 0=array:8`, `final x == 1`
    /// [default: FILE.harness beside it, and comments `// margay: ..`]
    #[arg(long, value_name = "FILE")]
    pub harness: Option<PathBuf>,
    /// The model by which it is judged: `ptx-8`, or a reading of it that allows no more
    #[arg(long, value_name = "MODEL", default_value = KernelReading::Letter.name(), value_parser = PossibleValuesParser::new(KernelReading::ALL.map(KernelReading::name)).try_map(|name| KernelReading::named(&name).ok_or("no such model")))]
    pub model: KernelReading,
    /// How often each loop is gone round, of loops that do more than wait [default: 2]
    #[arg(long, value_name = "N", value_parser = margay_console::limits::at_least_one::<usize>)]
    pub unroll: Option<usize>,
    /// Look for no repair
    #[arg(long)]
    pub without_repair: bool,
    /// Which fences does it need? From one behind every access down to as few as are enough (PLDI
    /// 2016, Algorithm 1)
    #[arg(long)]
    pub harden: bool,
    /// Where nothing goes wrong: may global memory end in a way that no interleaving of the threads
    /// leaves it? That may be meant
    #[arg(long)]
    pub weak: bool,
    /// What could be weaker, where nothing goes wrong: fences, orders, scopes
    #[arg(long)]
    pub weaker: bool,
    /// An older version of the file: exit code 1 only for what goes wrong since then
    #[arg(long, value_name = "OLD")]
    pub against: Option<PathBuf>,
    /// Write proofs of the litmus tests in which nothing was found into this new folder; the way
    /// from the kernel to the tests has none (docs/certificates.md)
    #[arg(long, value_name = "DIR")]
    pub certify: Option<PathBuf>,
    /// Write the litmus tests and the model with races into this folder
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// How long it may take
    #[command(flatten)]
    pub time: TimeArguments,
    /// A command that compiles FILE to PTX, whatever it is: `clang++ -x cuda --cuda-gpu-arch={arch}
    /// --cuda-device-only -O2 -S {in} -o {out}`; without `{out}` it prints the PTX
    #[arg(long, value_name = "TEMPLATE", conflicts_with_all = ["compiler"])]
    pub cmd: Option<String>,
    /// What compiles .cu files [default: nvcc if there is one, else Margay, which optimises
    /// nothing]
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(["margay", "nvcc"]).try_map(|name| KernelCompiler::named(&name).ok_or("no such compiler")))]
    pub compiler: Option<KernelCompiler>,
    /// Where the programs of CUDA are
    #[command(flatten)]
    pub cuda: ToolkitArguments,
    /// The target that .cu files are compiled for
    #[arg(long, value_name = "SM", default_value = "sm_90")]
    pub target: String,
}

pub fn run(options: &KernelArguments, output: &Output) -> CommandOutcome {
    let KernelArguments {
        file,
        kernel,
        launch,
        arguments,
        finals,
        harness,
        model,
        unroll,
        without_repair,
        harden,
        weak,
        weaker,
        against,
        certify,
        out,
        time,
        cmd,
        compiler,
        cuda,
        target,
    } = options;
    let asked = kernel::KernelOptions {
        kernels: kernel.clone(),
        launches: launch.clone(),
        arguments: arguments.clone(),
        finals: finals.clone(),
        harness: harness.clone(),
        reading: *model,
        unroll: *unroll,
        repairs: !*without_repair,
        harden: *harden,
        weak: *weak,
        weaker: *weaker,
        against: against.clone(),
        certify: certify.clone(),
        out: out.clone(),
        timeout: time.timeout,
        command: cmd.clone(),
        compiler: *compiler,
        toolkit: cuda.toolkit.clone(),
        target: target.clone(),
    };
    kernel::run(file, &asked, output)
}
