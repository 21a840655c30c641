//! The bytes of a constant.

use std::rc::Rc;

/// The bytes of a constant that is no number, with what they need where their address is taken.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct KnownBytes {
    pub name: Rc<str>,
    pub bytes: Vec<u8>,
    pub align: u64,
}

/// A number of up to eight bytes.
pub(super) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}

impl KnownBytes {
    /// Its declaration in PTX, under a name.
    pub(super) fn declared(&self, symbol: &str) -> String {
        let all: Vec<String> = self.bytes.iter().map(u8::to_string).collect();
        format!(
            ".const .align {} .b8 {symbol}[{}] = {{{}}};",
            self.align,
            all.len(),
            all.join(", ")
        )
    }

    /// So many bytes as a number.
    pub fn number(&self, offset: i64, bytes: u64) -> Option<u64> {
        let start = usize::try_from(offset).ok()?;
        Some(number(self.bytes.get(start..start.checked_add(bytes as usize)?)?))
    }
}
