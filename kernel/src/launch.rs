//! How a kernel is launched: how many blocks of how many threads, and with which arguments.

use std::fmt;
use std::str::FromStr;

/// Blocks and threads of a block, in one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Launch {
    /// How many blocks.
    pub blocks: u32,
    /// How many threads each has.
    pub threads: u32,
}

/// The launches that are looked at where none is named, small before large: threads of one block, blocks, both, more blocks, more threads of
/// one block, and two warps.
pub const CHOSEN: [Launch; 7] = [
    Launch::new(1, 2),
    Launch::new(2, 1),
    Launch::new(2, 2),
    Launch::new(3, 1),
    Launch::new(1, 4),
    Launch::new(1, 33),
    Launch::new(2, 33),
];

/// The most threads of a launch that is looked at: each is executed by itself.
pub const MAX_THREADS: u32 = 4096;

/// As many threads as a chosen launch has that must be answered; of larger ones it is said where they are not.
pub const SMALL: u32 = 4;

impl Launch {
    /// A launch.
    pub const fn new(blocks: u32, threads: u32) -> Self {
        Self { blocks, threads }
    }

    /// All threads.
    pub fn total(self) -> u32 {
        self.blocks.saturating_mul(self.threads)
    }
}

impl fmt::Display for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.blocks, self.threads)
    }
}

impl FromStr for Launch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected blocks and threads of a block, as `2x32`, found `{text}`");
        let (blocks, threads) = text.split_once('x').ok_or_else(wrong)?;
        let number = |n: &str| n.parse().ok().filter(|&n: &u32| n > 0).ok_or_else(wrong);
        let launch = Self { blocks: number(blocks)?, threads: number(threads)? };
        match u64::from(launch.blocks) * u64::from(launch.threads) {
            n if n > u64::from(MAX_THREADS) => {
                Err(format!("{text} are {n} threads; at most {MAX_THREADS} in all can be looked at"))
            }
            _ => Ok(launch),
        }
    }
}

/// What is passed for a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// A number.
    Number(i64),
    /// The start of an array of so many bytes, with these bytes at its start; nothing where its size is not said. Arrays do not overlap.
    Array {
        /// How many bytes.
        bytes: Option<u64>,
        /// What it holds, in numbers of 32 bits; the rest is zero.
        content: Vec<i64>,
    },
    /// The array of another parameter.
    SameAs(usize),
    /// Something that is not known: a structure that is passed by value, or what may be an address or a number.
    Unknown,
}

/// An argument that is given for a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenArgument {
    /// The number of the parameter, from 0.
    pub parameter: usize,
    /// What is passed.
    pub argument: Argument,
}

impl FromStr for GivenArgument {
    type Err = String;

    /// `2=7`, `0=array`, `0=array:8`, `0=array:{1,2,3}`, `1=arg0`.
    fn from_str(text: &str) -> Result<Self, String> {
        let forms = "`2=7`, `0=array:8` (elements of 4 bytes), `0=array:{1,2,3}` or `1=arg0` (the same array as parameter 0)";
        let wrong = || format!("expected the number of a parameter and what is passed for it, as {forms}; found `{text}`");
        let (parameter, value) = text.split_once('=').ok_or_else(wrong)?;
        let parameter = parameter.trim().trim_start_matches("arg").parse().map_err(|_| wrong())?;
        let value = value.trim();
        let argument = if let Ok(n) = value.parse() {
            Argument::Number(n)
        } else if value == "array" {
            Argument::Array { bytes: None, content: Vec::new() }
        } else if let Some(other) = value.strip_prefix("arg") {
            Argument::SameAs(other.parse().map_err(|_| wrong())?)
        } else if let Some(size) = value.strip_prefix("array:") {
            match size.strip_prefix('{').and_then(|list| list.strip_suffix('}')) {
                Some(list) => {
                    let numbers = list.split(',').map(|n| n.trim().parse::<i64>());
                    let content: Vec<i64> = numbers.collect::<Result<_, _>>().map_err(|_| wrong())?;
                    Argument::Array { bytes: Some(content.len() as u64 * 4), content }
                }
                None => {
                    let count: u64 = size.parse().map_err(|_| wrong())?;
                    Argument::Array { bytes: Some(count.saturating_mul(4)), content: Vec::new() }
                }
            }
        } else {
            return Err(wrong());
        };
        Ok(Self { parameter, argument })
    }
}
