//! From a test to what a GPU loads: the text of the kernel, or, where the vendor's programs are, machine code that was compared with the test.

use std::fmt::Write as _;
use std::hash::Hasher;

use margay_litmus::test::Test;
use rustc_hash::FxHasher;

use super::Failure;
use crate::emit::{Environment, Kernel, Target, kernel};
use crate::sass::{Answer, Listing, Toolkit, compare};

/// What ran, to see it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// The kernels as PTX.
    pub ptx: String,
    /// A hash of that text.
    pub hash: String,
    /// The machine code, where it could be read.
    pub sass: Option<String>,
    /// Accesses, fences and barriers of the machine code that were compared with the test; `None` if it was not compared.
    pub compared: Option<usize>,
}

/// What a device loads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Image {
    /// A text that the driver assembles.
    Ptx,
    /// Machine code.
    Binary(Vec<u8>),
}

/// A kernel with its image.
#[derive(Debug, Clone)]
pub struct Built {
    /// The kernel.
    pub kernel: Kernel,
    /// What to load.
    pub image: Image,
    /// What it was made from and into.
    pub artifact: Artifact,
}

/// Makes it, without optimisation, as `gpu check` does. With the vendor's programs, machine code that is not what the test says is an error: it
/// would not run the test.
pub fn build(test: &Test, target: Target, environment: &Environment, toolkit: Option<&Toolkit>) -> Result<Built, Failure> {
    let kernel = kernel(test, target, environment).map_err(Failure::Kernel)?;
    let ptx = kernel.text();
    let mut hasher = FxHasher::default();
    hasher.write(ptx.as_bytes());
    let mut artifact = Artifact { ptx, hash: format!("{:016x}", hasher.finish()), sass: None, compared: None };
    let Some(toolkit) = toolkit else { return Ok(Built { kernel, image: Image::Ptx, artifact }) };
    let assembled = toolkit.assemble(&artifact.ptx, target, 0).map_err(|e| Failure::Refused(e.to_string()))?;
    if let Some(disassembly) = assembled.disassembly {
        let listings = Listing::read(&disassembly);
        let Some(listing) = listings.iter().find(|l| l.name == "margay_test") else {
            return Err(Failure::Differs(vec!["the disassembly has no such kernel".to_owned()]));
        };
        match compare(test, target, listing) {
            Answer::Same { compared } => artifact.compared = Some(compared),
            Answer::Differs(why) => return Err(Failure::Differs(why)),
            Answer::Assembled => {}
        }
        let mut sass = String::new();
        for i in &listing.instructions {
            let _ = writeln!(sass, "{}", i.text());
        }
        artifact.sass = Some(sass);
    }
    Ok(Built { kernel, image: Image::Binary(assembled.binary), artifact })
}
