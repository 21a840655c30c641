//! Runs litmus tests, instead of reasoning about them: on an operational machine on the CPU ([`sim`]), and as PTX kernels ([`emit`]),
//! whose machine code is compared with the test ([`sass`]). [`device`] is both behind one face.

#![warn(unreachable_pub)]

pub mod device;
pub mod emit;
pub mod opencl;
pub mod outcome;
pub mod sass;
pub mod sim;
pub mod tune;

/// In hexadecimal, as `sha256sum` writes it.
fn sha256(text: &str) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_hash_is_that_of_fips_180() {
        assert_eq!(super::sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
