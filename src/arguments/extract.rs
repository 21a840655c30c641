//! The options of `margay extract`.

use std::path::PathBuf;

use clap::Args;

use super::limits::{CompilerTimeArguments, JobArguments};

/// The headings over the options that go with one other alone; the long help has them.
const OF_ALL: &str = "With --all, every compiler of a folder";
const OF_REPRODUCE: &str = "With --reproduce, a counterexample as a program";

/// Options of `extract`.
#[derive(Debug, Clone, Args)]
pub struct ExtractArguments {
    /// The front end: its name (`--list`), or the path of a TOML file of your own (docs/extract.md)
    #[arg(value_name = "FRONT-END", required_unless_present_any = ["list", "all", "ptx"])]
    pub front_end: Option<String>,
    /// How to compile a program: a command of the shell in which {in}, {out}, {arch} and others are
    /// replaced, e.g. 'llc -mcpu={arch} {in} -o {out}'
    #[arg(long, value_name = "TEMPLATE")]
    pub cmd: Option<String>,
    /// The folder that the compiler is unpacked in, as `.ci/compilers` does it [default: what is on
    /// the PATH]
    #[arg(long, value_name = "DIR")]
    pub compiler: Option<PathBuf>,
    /// The architectures to compile for, e.g. `sm_90`, `sm_90-ptx86` with a version of PTX, or
    /// `aarch64-lse` [default: those of the front end]
    #[arg(long, value_name = "ARCH", value_delimiter = ',', value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub arch: Vec<String>,
    /// Ask about these types alone, e.g. `b32,b64`
    #[arg(long, value_name = "TYPE", value_delimiter = ',')]
    pub types: Vec<String>,
    /// Ask about these operations of read-modify-writes alone, e.g. `exch,add`
    #[arg(long, value_name = "OPERATION", value_delimiter = ',')]
    pub operations: Vec<String>,
    /// The model of the language, in the table that is written [default: rc11-scoped, of CPUs
    /// rc11-lb]
    #[arg(long, value_name = "MODEL")]
    pub from: Option<String>,
    /// The model of the machine, in the table that is written; of CPUs its architecture's text
    /// reads the assembly [default: ptx-8, of CPUs that of the front end]
    #[arg(long, value_name = "MODEL")]
    pub to: Option<String>,
    /// Write the table here; with several architectures the name gets the architecture
    #[arg(short, long, value_name = "FILE.map")]
    pub output: Option<PathBuf>,
    /// Print the table as JSON, with the PTX of every row; the same as `--format json`
    #[arg(long)]
    pub json: bool,
    /// Compare what is extracted with this table: exit code 1 if a row differs
    #[arg(long, value_name = "FILE.map")]
    pub against: Option<String>,
    /// How long a compiler may take
    #[command(flatten)]
    pub time: CompilerTimeArguments,
    /// How many compilers run
    #[command(flatten)]
    pub threads: JobArguments,
    /// Extract from every compiler in a folder of unpacked ones, look for counterexamples, and
    /// write a page of which rows and counterexamples are there since when and until when; goes on
    /// where it stopped. Exit code 1 if a compiler got worse
    #[arg(long, conflicts_with_all = ["front_end", "cmd", "against", "output"])]
    pub all: bool,
    /// The folder of unpacked compilers, which are started, e.g. target/compilers, where
    /// .ci/compilers unpacks some [default: MARGAY_COMPILERS]
    #[arg(long, help_heading = OF_ALL, hide_short_help = true, value_name = "DIR", env = "MARGAY_COMPILERS", hide_env = true)]
    pub compilers: Option<PathBuf>,
    /// The folder for tables and the page
    #[arg(long, help_heading = OF_ALL, hide_short_help = true, value_name = "DIR", default_value = "extracted")]
    pub out: PathBuf,
    /// Only compilers whose name begins so, e.g. `nvrtc-`
    #[arg(long, help_heading = OF_ALL, hide_short_help = true, value_name = "PREFIX")]
    pub only: Option<String>,
    /// Only these front ends
    #[arg(long, help_heading = OF_ALL, hide_short_help = true, value_name = "NAME", value_delimiter = ',')]
    pub front_ends: Vec<String>,
    /// Also with --all: look for counterexamples up to so many events (with --all 0: do not)
    #[arg(long, help_heading = OF_REPRODUCE, hide_short_help = true, value_name = "N", default_value_t = 4)]
    pub bound: usize,
    /// Write the smallest counterexample of this table (at program level, up to --bound) as a
    /// program of the front end into --out, compile it, and find the litmus test in its PTX
    #[arg(long, value_name = "MAPPING", conflicts_with_all = ["all", "against", "output"])]
    pub reproduce: Option<String>,
    /// Another model of the language
    #[arg(long, help_heading = OF_REPRODUCE, hide_short_help = true, value_name = "MODEL")]
    pub source: Option<String>,
    /// Operations of these scopes alone
    #[arg(long, help_heading = OF_REPRODUCE, hide_short_help = true, value_name = "SCOPE", value_delimiter = ',')]
    pub scope: Vec<String>,
    /// Leave these constructs out
    #[arg(long, help_heading = OF_REPRODUCE, hide_short_help = true, value_name = "CONSTRUCT", value_delimiter = ',')]
    pub without: Vec<String>,
    /// These constructs alone
    #[arg(long, help_heading = OF_REPRODUCE, hide_short_help = true, value_name = "CONSTRUCT", value_delimiter = ',')]
    pub constructs: Vec<String>,
    /// At most so many guards
    #[arg(long, help_heading = OF_REPRODUCE, hide_short_help = true, value_name = "N")]
    pub guards: Option<usize>,
    /// List the front ends
    #[arg(long)]
    pub list: bool,
    /// Print the file of the front end, to begin one of your own
    #[arg(long)]
    pub template: bool,
    /// Print the program that is compiled
    #[arg(long)]
    pub program: bool,
    /// Only read a PTX file: what each of its functions does, path by path; its first parameter
    /// points to the object
    #[arg(long, value_name = "FILE.ptx", conflicts_with_all = ["front_end", "all"])]
    pub ptx: Option<PathBuf>,
}
