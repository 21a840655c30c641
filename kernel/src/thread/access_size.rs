//! How many bytes an instruction accesses, and of what their address must be a multiple.

/// How many bytes are accessed, of what their address must be a multiple, and what says so.
#[derive(Debug, Clone, Copy)]
pub(super) struct AccessSize {
    pub bytes: u64,
    pub alignment: u64,
    pub source: &'static str,
}

/// Where alignment is said of all accesses.
const OF_ALL: &str = "PTX ISA 6.4.1";

impl AccessSize {
    /// Of an access of so many bytes, a vector as a whole: "addresses must be naturally aligned to
    /// a multiple of the access size" (PTX ISA 6.4.1).
    pub fn natural(bytes: u64) -> Self {
        Self { bytes, alignment: bytes, source: OF_ALL }
    }

    /// Of bytes that may begin anywhere, or of which nothing is said.
    pub fn anywhere(bytes: u64) -> Self {
        Self { bytes, alignment: 1, source: OF_ALL }
    }

    /// Of a copy in bulk, also of a part of a tensor, of which CUDA's programming guide asks more.
    pub fn in_bulk(bytes: u64) -> Self {
        Self { bytes, alignment: 16, source: "PTX ISA, cp.async.bulk" }
    }

    /// Of zeros in bulk.
    pub fn of_zeros(bytes: u64) -> Self {
        Self { bytes, alignment: 8, source: "PTX ISA, st.bulk" }
    }

    /// Of a tensor map: what makes one asks for a multiple of 64 (CUDA driver API,
    /// cuTensorMapEncodeTiled).
    pub fn of_tensor_map(bytes: u64) -> Self {
        Self { bytes, alignment: 64, source: "CUDA driver API, cuTensorMapEncodeTiled" }
    }

    /// What goes wrong at an address that is no such multiple.
    pub fn misaligned(self, what: &str) -> String {
        let Self { bytes, alignment, source } = self;
        format!(
            "{what} of {bytes} bytes at an address that is no multiple of {alignment}: what it does is undefined ({source})"
        )
    }

    /// How many bytes these are must be such a multiple, too.
    pub fn odd_size(self, what: &str) -> Option<String> {
        let Self { bytes, alignment, source } = self;
        let is_odd = !bytes.is_multiple_of(alignment);
        is_odd.then(|| {
            format!("{what} of {bytes} bytes, which are no multiple of {alignment}: what it does is undefined ({source})")
        })
    }
}
