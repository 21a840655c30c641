//! `margay schema`: what other programs are to know of the JSON of each command.

use std::path::PathBuf;

use clap::Args;
use margay_console::output::Output;

use crate::CommandOutcome;

/// Options of `schema`.
#[derive(Debug, Args)]
pub struct SchemaArguments {
    /// Print the JSON Schema of this command: `check`, `gpu run` [default: a list of all]
    #[arg(value_name = "COMMAND")]
    pub name: Vec<String>,
    /// Write the schemas of all commands into this folder, as `check.json`, `gpu-run.json`
    #[arg(long, value_name = "DIR", conflicts_with = "name")]
    pub out: Option<PathBuf>,
}

pub fn run(options: &SchemaArguments, output: &Output) -> CommandOutcome {
    let SchemaArguments { name, out } = options;
    match (name.as_slice(), out) {
        ([], None) => margay_answers::schema::list(output),
        ([], Some(folder)) => margay_answers::schema::write(folder, output),
        (words, _) => margay_answers::schema::show(&words.join(" "), output),
    }
}
