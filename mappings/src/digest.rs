//! Digests of what is written and read again.

use serde::Serialize;
use sha2::{Digest, Sha256};

/// The SHA-256 of bytes, in hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The digest of what has a JSON form.
pub fn digest_of(value: &impl Serialize) -> String {
    digest(&serde_json::to_vec(value).unwrap_or_default())
}
