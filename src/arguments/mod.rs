//! Commands and options.

mod extract;
pub mod gpu;
pub mod help;
mod limits;
mod litmus;
mod mapping;
mod model;
mod question;
mod rocq;
mod toolkit;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use margay_console::output::{Colour, FormatOption};

pub use extract::ExtractArguments;
use gpu::GpuArguments;
pub use limits::{LimitArguments, TimeArguments};
pub use litmus::{
    CorpusArguments, EngineArguments, RunArguments, ShownArguments, SimArguments, SimMachine,
};
pub use mapping::{
    CheckArguments, ConfirmArguments, ProveArguments, RepairArguments, VerifyArguments,
    WeakenArguments,
};
pub use model::{DiffArguments, SynthArguments};
pub use question::{
    Co, LevelChoice, QuestionArguments, SearchArguments, StatementArguments, Switch,
};
pub use toolkit::ToolkitArguments;

/// The heading over the options of every command, which come behind those of the command at hand.
const GENERAL: &str = "Options of every command";

/// Bounded model finding for memory models: is a compilation mapping sound, and what is the
/// smallest program that goes wrong?
#[derive(Debug, Parser)]
#[command(name = "margay", version, propagate_version = true, after_help = EXIT_CODES)]
pub struct Arguments {
    /// Output for people, JSON (docs/json.md), or what one command has: JUnit XML (`test`), herd7's
    /// list of final states (`run`), SARIF (`kernel`)
    #[arg(long, global = true, help_heading = GENERAL, value_enum, default_value_t = FormatOption::Human)]
    pub format: FormatOption,
    /// Colours; `auto` is on a terminal only
    #[arg(long, global = true, help_heading = GENERAL, value_enum, default_value_t = Colour::Auto)]
    pub color: Colour,
    /// Say more than the answer: the reasons line by line, statistics, and what is not established
    #[arg(short, long, global = true, help_heading = GENERAL, overrides_with = "verbose")]
    pub verbose: bool,
    /// The file with the defaults of options [default: margay.toml, here or in the nearest folder
    /// above] (docs/ci.md)
    #[arg(long, global = true, help_heading = GENERAL, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Do without margay.toml
    #[arg(long, global = true, help_heading = GENERAL, conflicts_with = "config")]
    pub no_config: bool,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 holds, 1 counterexample found, 2 wrong input or command, 3 undecided (limit or interrupt)";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Can a compiled program do what the source language forbids?
    ///
    /// Checks a compilation mapping: searches all programs up to a size, and shows the smallest
    /// that goes wrong
    Check(Box<CheckArguments>),
    /// Prove a mapping, or a property of a model, for every size
    Prove(Box<ProveArguments>),
    /// Verify a certificate, without a solver
    Verify(VerifyArguments),
    /// Solve the cases of a check one by one, for many machines
    ///
    /// Lists them, writes them, and predicts what they cost
    Case(Box<crate::case::CaseArguments>),
    /// Run the smallest counterexamples of a mapping on a device
    Confirm(Box<ConfirmArguments>),
    /// Which rows of a mapping could be weaker?
    ///
    /// Says what goes wrong where they could not
    Weaken(Box<WeakenArguments>),
    /// Find the cheapest changes of rows that mend a mapping
    Repair(Box<RepairArguments>),
    /// Where do two models, or two mappings, differ?
    ///
    /// Shows the smallest executions or programs about which they differ
    Diff(Box<DiffArguments>),
    /// Find every minimal test of a model
    ///
    /// Its outcome is forbidden, and allowed as soon as any one instruction is weaker
    Synth(Box<SynthArguments>),
    /// Is the outcome of a litmus test allowed, and what shows it?
    ///
    /// What shows that it is allowed is an execution; what forbids it is an axiom, and for each
    /// candidate a cycle
    Run(RunArguments),
    /// Are the verdicts of a folder of tests as expected?
    Test(CorpusArguments),
    /// Run litmus tests on an operational machine
    ///
    /// Random schedules, or all of them
    Sim(SimArguments),
    /// Run litmus tests on a GPU, and look at their kernels
    Gpu(Box<GpuArguments>),
    /// What are tests called, and which are the same?
    ///
    /// Tests are the same if they are so up to renaming
    Classify(crate::classify::ClassifyArguments),
    /// Why does a model forbid an outcome, or what would forbid it?
    ///
    /// Says so edge by edge, with the line of the model that makes each
    Explain(crate::explain::ExplainArguments),
    /// Find out what a compiler emits for atomics, as a mapping
    ///
    /// Compiles every atomic operation, and writes the mapping with the evidence for each row
    Extract(Box<ExtractArguments>),
    /// Find the cheapest fences that forbid the outcome of a test
    ///
    /// Stronger orders and wider scopes count, too
    Fence(crate::fence::FenceArguments),
    /// Ask about a kernel in CUDA or PTX: is a fence missing?
    ///
    /// Data races, traps, addresses outside of arrays, waits that never end: in small launches,
    /// without a GPU
    Kernel(Box<crate::kernel::KernelArguments>),
    /// Run applications many times under stress, and fence them
    ///
    /// Applications of compiled kernels, in order and with weak memory: is the post-condition ever
    /// false, and which fences mend it?
    App(crate::app::AppArguments),
    /// Write litmus tests from cycles of candidate relaxations
    ///
    /// Each once up to renaming
    Gen(crate::r#gen::GenArguments),
    /// Make one HTML page of what commands print as JSON
    Report(crate::report::ReportArguments),
    /// List the built-in memory models, or show one
    Models(BuiltinArguments),
    /// List the built-in mappings, or show one
    Mappings(BuiltinArguments),
    /// List or write the JSON Schemas of `--format json`
    ///
    /// Lists them, shows one, or writes all into a folder
    Schema(crate::schema::SchemaArguments),
    /// Write what a shell completes: `margay completions bash`
    Completions(crate::manual::CompletionsArguments),
    /// Write the manual pages of all commands into a folder
    Man(crate::manual::ManArguments),
}

impl Command {
    /// The argument that is missing, if one is: of those that margay.toml may say, the parser does
    /// not know that they are needed.
    pub fn missing(&self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Check(check) if check.mapping.is_none() && !check.all_mappings => {
                Some(("check", "<MAPPING>"))
            }
            Self::Prove(prove) if prove.mapping.is_none() && !prove.all_mappings => {
                Some(("prove", "<MAPPING>"))
            }
            _ => None,
        }
    }

    /// Does the exit code answer a question? The other commands show or write something.
    pub fn is_a_question(&self) -> bool {
        if let Self::Gpu(options) = self
            && let Some(gpu::GpuCommand::Emit(_)) = options.command
        {
            return false;
        }
        !matches!(
            self,
            Self::Explain(_)
                | Self::Gen(_)
                | Self::Report(_)
                | Self::Models(_)
                | Self::Mappings(_)
                | Self::Schema(_)
                | Self::Completions(_)
                | Self::Man(_)
        )
    }
}

/// Options of `models` and `mappings`.
#[derive(Debug, Args)]
pub struct BuiltinArguments {
    /// Print the text of this one
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// The same, as an option
    #[arg(long, value_name = "NAME", conflicts_with = "name")]
    pub show: Option<String>,
}

impl BuiltinArguments {
    /// The one to print, if not all are to be listed.
    pub fn asked(&self) -> Option<&str> {
        self.name.as_deref().or(self.show.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use clap::{Command, CommandFactory, Parser};
    use margay_console::config::trust::{Author, Trust, of};
    use margay_console::config::{defaults, key_of};
    use margay_models::diagnostic::{Diagnostic, SourceFile};

    use super::Arguments;

    /// Every option and argument of every command can have a default without the parser going
    /// wrong.
    #[test]
    fn every_option_can_be_set() {
        fn each(command: &Command, names: &[&str], count: &mut usize) {
            for argument in command.get_arguments() {
                let Some(key) = key_of(argument) else { continue };
                let possible = argument.get_possible_values();
                let value = match argument.get_action() {
                    clap::ArgAction::SetTrue => "true".to_owned(),
                    _ => match possible.first() {
                        Some(first) => format!("'{}'", first.get_name()),
                        None => [
                            "3",
                            "'x'",
                            "'3s'",
                            "'3MiB'",
                            "'batsat'",
                            "'sm_90'",
                            "'1x1'",
                            "'0=1'",
                            "'no-str'",
                            "'no-str-'",
                            "'gfx90a'",
                            "''",
                        ]
                        .into_iter()
                        .find(|text| read(names, key, text).is_ok())
                        .unwrap_or("nothing fits")
                        .to_owned(),
                    },
                };
                let command = read(names, key, &value)
                    .unwrap_or_else(|e| panic!("{names:?} {key} = {value}: {e:?}"));
                command.debug_assert();
                *count += 1;
            }
            for below in command.get_subcommands() {
                each(below, &[names, &[below.get_name()]].concat(), count);
            }
        }
        fn read(names: &[&str], key: &str, value: &str) -> Result<Command, Vec<Diagnostic>> {
            let table =
                if names.is_empty() { String::new() } else { format!("[{}]\n", names.join(".")) };
            let file = SourceFile::new("margay.toml", format!("{table}{key} = {value}\n"));
            defaults(Arguments::command(), &file, Path::new(""), Author::User)
                .map(|(command, _)| command)
        }
        let mut count = 0;
        each(&Arguments::command(), &[], &mut count);
        assert!(count > 150, "{count}");
    }
    /// An option that many commands have is one structure, so that it is explained in the same
    /// words. `--timeout` means three things: the whole command, the answer about one test, and one
    /// compiler.
    #[test]
    fn an_option_of_many_commands_is_explained_once() {
        fn each(command: &Command, name: &str, uses: &mut usize, helps: &mut BTreeSet<String>) {
            for argument in command.get_arguments().filter(|a| a.get_long() == Some(name)) {
                *uses += 1;
                helps.insert(argument.get_help().map_or_else(String::new, ToString::to_string));
            }
            command.get_subcommands().for_each(|below| each(below, name, uses, helps));
        }
        for (name, most) in
            [("timeout", 3), ("budget", 1), ("jobs", 1), ("memory", 1), ("toolkit", 1)]
        {
            let (mut uses, mut helps) = (0, BTreeSet::new());
            each(&Arguments::command(), name, &mut uses, &mut helps);
            assert!(uses > helps.len(), "--{name}: {uses}");
            assert_eq!(
                helps.len(),
                most,
                "--{name} is explained in {} ways: {helps:#?}",
                helps.len()
            );
        }
    }

    /// A time without a unit is seconds, whichever command takes it.
    #[test]
    fn a_number_alone_is_seconds() {
        let commands: [&[&str]; 4] = [
            &["check", "rc11-to-ptx", "--timeout"],
            &["run", "x.litmus", "--model", "sc", "--timeout"],
            &["extract", "clang-ptx", "--timeout"],
            &["gpu", "table6", "page.html", "--budget"],
        ];
        for command in commands {
            let said = [&["margay"], command, &["90"]].concat();
            assert!(Arguments::try_parse_from(&said).is_ok(), "{said:?}");
        }
    }

    /// What the file of a project may not say: programs and places, and what counts as right.
    /// Whoever adds an option decides here whether it is one.
    #[test]
    fn what_a_project_may_not_say() {
        fn each(
            command: &Command,
            names: &[&str],
            refused: &mut Vec<String>,
            others: &mut Vec<String>,
        ) {
            for key in command.get_arguments().filter_map(key_of) {
                let name = names.join(" ");
                match of(&name, key) {
                    Trust::Refused(_) => refused.push(format!("{name} {key}")),
                    Trust::Plain | Trust::Named => others.push(key.to_owned()),
                }
            }
            for below in command.get_subcommands() {
                each(below, &[names, &[below.get_name()]].concat(), refused, others);
            }
        }
        let (mut refused, mut others) = (Vec::new(), Vec::new());
        each(&Arguments::command(), &[], &mut refused, &mut others);
        insta::assert_snapshot!("refused", refused.join("\n"));
        others.sort();
        others.dedup();
        insta::assert_snapshot!("others", others.join("\n"));
    }
}
