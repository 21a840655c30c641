//! From a test to what a GPU loads: the text of the kernel, or, where the vendor's programs are, machine code that was compared with the test.

use std::fmt::Write as _;

use margay_litmus::test::Test;
use sha2::{Digest, Sha256};

use super::Failure;
use crate::emit::{Environment, Kernel, Target, kernel};
use crate::sass::{Answer, Listing, Toolkit, compare};

/// What ran, to see it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// The kernels as PTX.
    pub ptx: String,
    /// The SHA-256 of that text, in hexadecimal.
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

/// The kernel of a test that a GPU can run.
pub fn emit(test: &Test, target: Target, environment: &Environment) -> Result<Kernel, Failure> {
    let kernel = kernel(test, target, environment).map_err(Failure::Kernel)?;
    kernel.can_run(test).map_err(Failure::Kernel)?;
    Ok(kernel)
}

/// What to load for a kernel whose text is `ptx`: assembled without optimisation, as `gpu check` does. With the vendor's programs, machine code that
/// is not what the test says is an error: it would not run the test.
pub fn assemble(test: &Test, kernel: &Kernel, ptx: String, toolkit: Option<&Toolkit>) -> Result<(Image, Artifact), Failure> {
    let mut artifact = Artifact { hash: sha256(&ptx), ptx, sass: None, compared: None };
    let Some(toolkit) = toolkit else { return Ok((Image::Ptx, artifact)) };
    let assembled = toolkit.assemble(&artifact.ptx, kernel.target, 0).map_err(|e| Failure::Refused(e.to_string()))?;
    if let Some(disassembly) = assembled.disassembly {
        let listings = Listing::read(&disassembly);
        let Some(listing) = listings.iter().find(|l| l.name == "margay_test") else {
            return Err(Failure::Differs(vec!["the disassembly has no such kernel".to_owned()]));
        };
        match compare(test, kernel.target, listing) {
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
    Ok((Image::Binary(assembled.binary), artifact))
}

/// In hexadecimal, as `sha256sum` writes it.
fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

#[cfg(test)]
mod tests {
    use margay_litmus::read;
    use margay_models::diagnostic::SourceFile;

    use super::{emit, sha256};
    use crate::device::Failure;
    use crate::emit::{Environment, Target, kernel};

    #[test]
    fn the_hash_is_that_of_fips_180() {
        assert_eq!(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    /// Kernels that are assembled and compared, and that no device here runs: each says why, at the name that is to blame.
    #[test]
    fn what_cannot_run_on_a_gpu() {
        for (proxy, load, said) in
            [("surface", "suld", "CUDA array"), ("texture", "tex", "texture object"), ("constant", "ldc", "read-only")]
        {
            let text =
                format!("PTX t\n{{ x=0; p @ {proxy} aliases x; }}\n P0@cta 0,gpu 0 ;\n {load} r0, p ;\nexists (P0:r0 == 1)\n");
            let test = read::test(&SourceFile::new("test", &text)).unwrap().test;
            assert!(kernel(&test, Target(90), &Environment::default()).is_ok(), "{proxy}");
            match emit(&test, Target(90), &Environment::default()) {
                Err(Failure::Kernel(error)) => {
                    assert!(error.message.contains(said) && error.place.is_some(), "{error:?}");
                }
                other => panic!("{proxy}: {other:?}"),
            }
        }
    }
}
