//! The frame of a proof file: its first bytes, and the compression of what follows.

use std::io::Read;

use lz4_flex::frame::FrameDecoder;
use margay_proof::ProofFlaw;

/// The first bytes of a proof file; the last of them is the version of the format.
pub(super) const MAGIC: [u8; 8] = *b"MGPROOF1";

/// The records of a proof file, decompressed: for a [`ProofChecker`](super::ProofChecker) or a [`ProofInput`](super::ProofInput).
///
/// # Errors
/// It does not begin like a proof file of this version.
pub fn records<R: Read>(mut file: R) -> Result<FrameDecoder<R>, ProofFlaw> {
    let foreign = |what: String| ProofFlaw { record: 0, byte: 0, what };
    let mut magic = [0; MAGIC.len()];
    file.read_exact(&mut magic).map_err(|e| foreign(format!("it has no head of a proof file: {e}")))?;
    if magic != MAGIC {
        return Err(foreign("it does not begin as a proof file of this version of Margay does".to_owned()));
    }
    Ok(FrameDecoder::new(file))
}
