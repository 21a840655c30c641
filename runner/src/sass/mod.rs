//! What the assembler makes of a kernel, compared with the test access by access (*optcheck*: Alglave et al., ASPLOS 2015, section
//! 4.4). Needs no GPU, only the vendor's programs ([`Toolkit`]).

mod compare;
mod dependency;
mod effect;
mod expect;
mod listing;
pub(crate) mod specification;
mod toolkit;

use margay_litmus::test::Test;
use rayon::prelude::*;

use crate::emit::{Kernel, Target, directives};

pub use compare::compare;
pub use effect::{Effect, Strength};
pub use expect::{Expected, expected};
pub use listing::{Instruction, Listing};
pub use toolkit::{Assembled, Failure, Toolkit};

/// What came of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The machine code does what the test says.
    Same {
        /// How many accesses, fences and barriers were compared.
        compared: usize,
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

/// Assembles and compares any number of kernels of one target, on all cores; the answers are in their order. One that the
/// assembler refuses keeps no other one from being compared.
pub fn check_all(toolkit: &Toolkit, target: Target, level: u8, kernels: &[(&Test, &Kernel)]) -> Vec<Result<Answer, Failure>> {
    let chunks = kernels.par_chunks(TOGETHER).map(|chunk| match check(toolkit, target, level, chunk) {
        Ok(answers) => answers.into_iter().map(Ok).collect(),
        Err(Failure::Refused(_)) => {
            let alone = |one| check(toolkit, target, level, std::slice::from_ref(one)).map(|mut answers| answers.remove(0));
            chunk.iter().map(alone).collect()
        }
        Err(missing) => vec![Err(missing); chunk.len()],
    });
    chunks.collect::<Vec<Vec<_>>>().into_iter().flatten().collect()
}

/// Assembles kernels of one target at an optimisation level, all in one go, and compares each with its test.
pub fn check(toolkit: &Toolkit, target: Target, level: u8, kernels: &[(&Test, &Kernel)]) -> Result<Vec<Answer>, Failure> {
    let version = kernels.iter().map(|(_, k)| k.module.version).max().unwrap_or("7.0");
    let mut text = directives(version, target);
    text.push_str(kernels.iter().map(|(_, k)| k.module.constants).max().unwrap_or_default());
    for (i, (_, kernel)) in kernels.iter().enumerate() {
        text.push_str(&kernel.module.test.replacen("margay_test(", &format!("margay_test_{i}("), 1));
    }
    let Some(disassembly) = toolkit.assemble(&text, target, level)?.disassembly else {
        return Ok(vec![Answer::Assembled; kernels.len()]);
    };
    let listings = Listing::read(&disassembly);
    Ok(kernels
        .iter()
        .enumerate()
        .map(|(i, (test, _))| match listings.iter().find(|l| l.name == format!("margay_test_{i}")) {
            Some(listing) => compare(test, target, listing),
            None => Answer::Differs(vec!["the disassembly has no such kernel".to_owned()]),
        })
        .collect())
}
