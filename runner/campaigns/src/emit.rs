//! `margay gpu emit`: the kernel of a test.

use std::path::PathBuf;

use margay_answers::refusal::as_kernel;
use margay_console::exit::{CommandOutcome, Exit};
use margay_console::inputs;
use margay_console::output::{Format, Output};
use margay_reports::gpu::EmittedKernel;
use margay_runner::emit::{GpuTarget, Writing, kernel_as};

use crate::session::environment;

/// The test whose kernel is printed, and the environment that it is made for.
#[derive(Debug, Clone)]
pub struct EmissionOptions {
    /// A litmus test.
    pub test: PathBuf,
    pub target: GpuTarget,
    /// The environment, as `Environment::parse` reads it.
    pub environment: String,
    /// Are the accesses written apart?
    pub apart: bool,
}

/// Prints the kernel of a test.
pub fn run(options: &EmissionOptions, output: &Output) -> CommandOutcome {
    let environment = match environment(&options.environment) {
        Ok(environment) => environment,
        Err(error) => return output.wrong(&[error]),
    };
    let read = match inputs::test(&options.test, output) {
        Ok(read) => read,
        Err(errors) => return output.wrong(&errors),
    };
    let writing = if options.apart { Writing::Apart } else { Writing::Plain };
    let kernel = match kernel_as(&read.test, options.target, &environment, writing) {
        Ok(kernel) => kernel,
        Err(error) => {
            return output.wrong(&[as_kernel(&error, &options.test.display().to_string(), &read)]);
        }
    };
    if output.format == Format::Human {
        output.print(kernel.text().trim_end())?;
    } else {
        output.document(&EmittedKernel {
            file: options.test.display().to_string(),
            name: read.test.name.clone(),
            target: options.target.to_string(),
            environment: environment.to_string(),
            apart: options.apart,
            ptx: kernel.text(),
            grid: kernel.layout.grid,
            block: kernel.layout.block,
            cluster: kernel.layout.cluster,
            instances: kernel.counted,
            memory_bytes: kernel.memory,
            results_bytes: kernel.results,
        })?;
    }
    Ok(Exit::Holds)
}
