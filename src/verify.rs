//! `margay verify`: a certificate, seen to be right without a solver.

use std::path::PathBuf;

use clap::Args;
use margay_answers::verify;
use margay_console::limits::RunLimits;
use margay_console::output::Output;

use crate::CommandOutcome;
use crate::arguments::VerifyArguments;

/// Files and names, by what they are in the certificate.
#[derive(Debug, Clone, Args)]
pub struct SubjectArguments {
    /// The certificate must be about this mapping: a .map file, or the name of a built-in one
    #[arg(long, value_name = "MAPPING")]
    mapping: Option<String>,
    /// Of `check --baseline`: about what is new beside this mapping
    #[arg(long, value_name = "MAPPING")]
    baseline: Option<String>,
    /// The certificate must be about this source model: a .cat file, or the name of a built-in one
    #[arg(long, value_name = "MODEL")]
    source: Option<String>,
    /// ... about this target model
    #[arg(long, value_name = "MODEL")]
    target: Option<String>,
    /// Of `diff`: about this older model
    #[arg(long, value_name = "MODEL")]
    old: Option<String>,
    /// Of `diff`: about this newer model
    #[arg(long, value_name = "MODEL")]
    new: Option<String>,
    /// Of `run` and `kernel`: these tests, or folders of them, must be among those that it is about
    /// (repeat)
    #[arg(long, value_name = "TEST")]
    test: Vec<PathBuf>,
    /// Of `run` and `kernel`: these models must be among those that it is about; of `prove
    /// --model`: it must be about this one
    #[arg(long, value_name = "MODEL", value_delimiter = ',')]
    model: Vec<String>,
}

pub fn run(options: &VerifyArguments, output: &Output) -> CommandOutcome {
    let VerifyArguments { certificate, about, lrat, time, threads } = options;
    let limits = RunLimits::start(time.timeout, None);
    let SubjectArguments { mapping, baseline, source, target, old, new, test, model } =
        about.clone();
    let about =
        verify::CertificateSubject { mapping, baseline, source, target, old, new, test, model };
    let options = verify::VerificationOptions {
        certificate: certificate.clone(),
        about,
        lrat: lrat.clone(),
        jobs: threads.jobs,
    };
    verify::run(&options, &limits, output)
}
