//! `margay extract`: what a compiler emits, as a table.

use std::path::Path;

use margay_answers::extract::compiler;
use margay_answers::extract::{self, functions, interrupt, show};
use margay_console::output::Output;
use margay_models::diagnostic::Diagnostic;
use margay_sweep::{ask as sweep, reproduce};

use crate::CommandOutcome;
use crate::arguments::ExtractArguments;

pub fn run(options: &ExtractArguments, output: &Output) -> CommandOutcome {
    let output = &if options.json { output.as_json() } else { *output };
    if options.list {
        return show::list(output);
    }
    if let Some(file) = &options.ptx {
        return functions::run(file, output);
    }
    interrupt::watch();
    let name = options.front_end.as_deref().unwrap_or_default();
    if options.all {
        match &options.compilers {
            Some(folder) => sweep::run(&options.sweep(folder), output),
            None => {
                let error = Diagnostic::error(
                    "which compilers? The programs of their folder are started, so it has to be named",
                );
                let help = "`--compilers target/compilers`, where .ci/compilers unpacks some, or MARGAY_COMPILERS in the environment";
                output.wrong(&[error.help(help)])
            }
        }
    } else if options.template {
        show::template(name, output)
    } else if options.program {
        show::program(name, &options.table(), output)
    } else if let Some(mapping) = &options.reproduce {
        reproduce::run(&options.reproduced(name, mapping), output)
    } else {
        extract::run(
            name,
            &options.table(),
            options.output.as_deref(),
            options.against.as_deref(),
            output,
        )
    }
}

impl ExtractArguments {
    fn table(&self) -> compiler::CompilerTableOptions {
        compiler::CompilerTableOptions {
            cmd: self.cmd.clone(),
            compiler: self.compiler.clone(),
            architectures: self.arch.clone(),
            types: self.types.clone(),
            operations: self.operations.clone(),
            source: self.from.clone(),
            target: self.to.clone(),
            timeout: self.time.timeout,
            jobs: self.threads.jobs,
        }
    }

    fn sweep(&self, compilers: &Path) -> sweep::SweepOptions {
        sweep::SweepOptions {
            extract: self.table(),
            compilers: compilers.to_owned(),
            only: self.only.clone(),
            front_ends: self.front_ends.clone(),
            bound: self.bound,
            out: self.out.clone(),
        }
    }

    fn reproduced(&self, front_end: &str, mapping: &str) -> reproduce::ReproductionOptions {
        reproduce::ReproductionOptions {
            front_end: front_end.to_owned(),
            compiler: self.table(),
            mapping: mapping.to_owned(),
            source: self.source.clone(),
            scopes: self.scope.clone(),
            without: self.without.clone(),
            only: self.constructs.clone(),
            guards: self.guards,
            bound: self.bound,
            out: self.out.clone(),
        }
    }
}
