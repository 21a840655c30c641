//! A kernel with its answer, and the file that it is of.

use std::path::PathBuf;
use std::sync::Arc;

use margay_kernel::harness::Harness;
use margay_kernel::{HardeningAnswer, KernelAnswer, NotLooked, UNROLL, WeakerAnswer};
use margay_models::diagnostic::SourceFile;
use margay_ptx::Module;
use margay_reports::Verdict;

use super::compile::KernelCompiler;

/// A file that was read.
pub struct KernelFile {
    pub path: PathBuf,
    pub ptx: Arc<SourceFile>,
    pub module: Module,
    /// What compiled it, if it is CUDA.
    pub compiler: Option<KernelCompiler>,
    /// Kernels that Margay did not understand, which have no code in the PTX, and why.
    pub refused: Vec<(String, String)>,
    /// The harness in its comments, and the text that has them.
    pub comments: (Harness, Arc<SourceFile>),
}

/// A kernel, what was asked of it, and the answer.
pub struct AskedKernel {
    pub answer: KernelAnswer,
    /// Were launches chosen?
    pub chosen: bool,
    /// What must hold at the end.
    pub finals: Vec<String>,
    pub unroll: usize,
    pub hardening: Option<(HardeningAnswer, Vec<NotLooked>)>,
    pub weaker: Option<(WeakerAnswer, Vec<NotLooked>)>,
    /// Was it wished to know what could be weaker, and not asked, since something goes wrong or
    /// may?
    pub unweakened: bool,
    /// Was it asked for final states that only weak memory has?
    pub weak: bool,
    /// Are proofs of its answers kept?
    pub certified: bool,
    /// Why it is not understood; then nothing was asked.
    pub refused: Option<String>,
}

impl AskedKernel {
    /// One that is not understood.
    pub fn refused(name: &str, why: &str) -> Self {
        let answer = KernelAnswer::unasked(name);
        Self {
            answer,
            chosen: true,
            finals: Vec::new(),
            unroll: UNROLL,
            hardening: None,
            weaker: None,
            unweakened: false,
            weak: false,
            certified: false,
            refused: Some(why.to_owned()),
        }
    }

    /// What is known of it.
    pub fn verdict(&self) -> Verdict {
        let answer = &self.answer;
        match (answer.wrong().is_some(), answer.is_certain(), answer.is_settled(self.chosen)) {
            (true, true, _) => Verdict::Counterexample,
            (false, _, true) => Verdict::None,
            _ => Verdict::Undecided,
        }
    }
}
