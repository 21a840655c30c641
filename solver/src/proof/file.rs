//! The frame of a proof file: its first bytes, and the compression of what follows.

use std::io::{self, Read};

use lz4_flex::frame::FrameDecoder;
use margay_proof::ProofFlaw;

/// The first bytes of a proof file; the last of them is the version of the format.
pub(super) const MAGIC: [u8; 8] = *b"MGPROOF1";

/// The records of a proof file, decompressed. What is wrong with the compression is said in words.
pub struct DecompressedRecords<R: Read>(FrameDecoder<R>);

impl<R: Read> Read for DecompressedRecords<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match in_words(&error) {
            Some(what) => io::Error::new(error.kind(), what),
            None => error,
        })
    }
}

/// What the decompressor found, for whoever has a proof file and does not know what it is made of.
/// None of what the system says.
fn in_words(error: &io::Error) -> Option<&'static str> {
    use lz4_flex::frame::Error::{
        BlockChecksumError, BlockTooBig, ContentChecksumError, ContentLengthError,
        DecompressionError, DictionaryNotSupported, HeaderChecksumError, InvalidBlockInfo,
        ReservedBitsSet, SkippableFrame, UnsupportedBlocksize, UnsupportedVersion,
        WrongMagicNumber,
    };
    if error.kind() == io::ErrorKind::UnexpectedEof {
        return Some("the file is cut off");
    }
    Some(match error.get_ref()?.downcast_ref::<lz4_flex::frame::Error>()? {
        WrongMagicNumber => "something stands here that is not compressed as proofs are",
        BlockChecksumError
        | ContentChecksumError
        | HeaderChecksumError
        | ContentLengthError { .. } => {
            "the file is damaged: a checksum or a length in it does not fit"
        }
        SkippableFrame(_) => "the file has a part that is to be skipped, and a proof has none",
        DictionaryNotSupported
        | UnsupportedBlocksize(_)
        | UnsupportedVersion(_)
        | ReservedBitsSet => "the file is compressed in a way in which no proof is",
        DecompressionError(_) | InvalidBlockInfo | BlockTooBig => {
            "the file is damaged: what is compressed in it makes no sense"
        }
        _ => return None,
    })
}

/// The records of a proof file, decompressed: for a [`ProofChecker`](super::ProofChecker) or a
/// [`ProofInput`](super::ProofInput).
///
/// # Errors
/// It does not begin like a proof file of this version.
pub fn records<R: Read>(mut file: R) -> Result<DecompressedRecords<R>, ProofFlaw> {
    let foreign = |what: String| ProofFlaw { record: 0, byte: 0, what };
    let mut magic = [0; MAGIC.len()];
    file.read_exact(&mut magic).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => foreign("it is too short to be a proof file".to_owned()),
        _ => foreign(format!("it cannot be read: {error}")),
    })?;
    if magic != MAGIC {
        return Err(foreign(
            "it does not begin as a proof file of this version of Margay does".to_owned(),
        ));
    }
    Ok(DecompressedRecords(FrameDecoder::new(file)))
}
