//! What the assembler makes of a kernel, compared with the test access by access (*optcheck*: Alglave et al., ASPLOS 2015, section
//! 4.4). Needs no GPU, only the vendor's programs ([`Toolkit`]).

mod compare;
mod dependency;
mod expect;
mod listing;
mod toolkit;

use margay_litmus::test::Test;

use crate::emit::{Kernel, Target, directives};

pub use compare::compare;
pub use expect::{Effect, Expected, Strength, expected};
pub use listing::{Instruction, Listing};
pub use toolkit::{Failure, Toolkit};

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

/// Assembles kernels of one target at an optimisation level, all in one go, and compares each with its test.
pub fn check(toolkit: &Toolkit, target: Target, level: u8, kernels: &[(&Test, &Kernel)]) -> Result<Vec<Answer>, Failure> {
    let version = kernels.iter().map(|(_, k)| k.module.version).max().unwrap_or("7.0");
    let mut text = directives(version, target);
    for (i, (_, kernel)) in kernels.iter().enumerate() {
        text.push_str(&kernel.module.test.replacen("margay_test(", &format!("margay_test_{i}("), 1));
    }
    let Some(disassembly) = toolkit.machine_code(&text, target, level)? else {
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
