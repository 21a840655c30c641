//! What the assembler makes of a kernel, compared with the test access by access (*optcheck*:
//! Alglave et al., ASPLOS 2015, section 4.4). Needs no GPU, only the vendor's programs
//! ([`Toolkit`]).

mod compare;
mod control;
mod dependency;
mod effect;
mod expect;
mod flow;
mod hazard;
mod level;
mod listing;
mod operands;
mod overlap;
pub(crate) mod specification;
mod toolkit;

use margay_litmus::test::Test;
use rayon::prelude::*;

use crate::emit::{GpuTarget, TestKernel, directives};

pub use compare::{ComparedThread, compare, compare_compiled, compiled_threads, threads};
pub use control::ControlWord;
pub use effect::{SassEffect, SassStrength};
pub use expect::{ExpectationRefusal, ExpectedEffect, expected};
pub use hazard::{ScoreboardUses, uses};
pub use level::{AssemblyChoice, AssemblyWay, LevelSearch, WAYS, choose_all};
pub use listing::{Listing, SassInstruction};
pub use overlap::AccessPair;
pub use toolkit::{Assembled, ToolFailure, Toolkit};

/// What came of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeComparison {
    /// The machine code does what the test says.
    Same {
        /// How many accesses, fences and barriers were compared.
        compared: usize,
        /// Accesses that the code makes wait for earlier ones though the test does not, one
        /// sentence each: outcomes can be rarer for it.
        narrowed: Vec<String>,
    },
    /// It was assembled; there is no disassembler for the target.
    Assembled,
    /// It does something else: one sentence for each difference.
    Differs(Vec<String>),
}

/// The largest number of threads whose code can be told apart by its markers.
pub const THREADS: usize = 8;

/// Kernels that are assembled together: the disassembler takes a third of a second to start.
const TOGETHER: usize = 40;

/// Assembles and compares any number of kernels of one target, on all cores; the answers are in
/// their order. One that the assembler refuses keeps no other one from being compared.
pub fn check_all(
    toolkit: &Toolkit,
    target: GpuTarget,
    level: u8,
    kernels: &[(&Test, &TestKernel)],
) -> Vec<Result<CodeComparison, ToolFailure>> {
    let chunks =
        kernels.par_chunks(TOGETHER).map(|chunk| match check(toolkit, target, level, chunk) {
            Ok(answers) => answers.into_iter().map(Ok).collect(),
            Err(ToolFailure::Refused(_)) => {
                let alone = |one| {
                    check(toolkit, target, level, std::slice::from_ref(one))
                        .map(|mut answers| answers.remove(0))
                };
                chunk.iter().map(alone).collect()
            }
            Err(missing) => vec![Err(missing); chunk.len()],
        });
    chunks.collect::<Vec<Vec<_>>>().into_iter().flatten().collect()
}

/// Assembles kernels of one target at an optimisation level, all in one go, and compares each with
/// its test.
pub fn check(
    toolkit: &Toolkit,
    target: GpuTarget,
    level: u8,
    kernels: &[(&Test, &TestKernel)],
) -> Result<Vec<CodeComparison>, ToolFailure> {
    let plain: Vec<&TestKernel> = kernels.iter().map(|(_, kernel)| *kernel).collect();
    let Some(listings) = listings(toolkit, target, level, &plain)? else {
        return Ok(vec![CodeComparison::Assembled; kernels.len()]);
    };
    let compared = kernels.iter().zip(listings).map(|((test, _), listing)| match listing {
        Some(listing) => compare(test, target, &listing),
        None => CodeComparison::Differs(vec!["the disassembly has no such kernel".to_owned()]),
    });
    Ok(compared.collect())
}

/// The machine code of the tests of kernels, assembled all in one go. `None`: there is no
/// disassembler for the target.
pub fn listings(
    toolkit: &Toolkit,
    target: GpuTarget,
    level: u8,
    kernels: &[&TestKernel],
) -> Result<Option<Vec<Option<Listing>>>, ToolFailure> {
    let version = kernels.iter().map(|k| k.module.version).max().unwrap_or("7.0");
    let mut text = directives(version, target);
    text.push_str(kernels.iter().map(|k| k.module.constants).max().unwrap_or_default());
    for (i, kernel) in kernels.iter().enumerate() {
        text.push_str(&kernel.module.test.replacen(
            "margay_test(",
            &format!("margay_test_{i}("),
            1,
        ));
    }
    let Some(disassembly) = toolkit.assemble(&text, target, level)?.disassembly else {
        return Ok(None);
    };
    let mut listings = Listing::read(&disassembly);
    let named = |i: usize| {
        let at = listings.iter().position(|l| l.name == format!("margay_test_{i}"))?;
        Some(listings.swap_remove(at))
    };
    Ok(Some((0..kernels.len()).map(named).collect()))
}
