//! How a kernel is launched: how many blocks of how many threads, and with which arguments.

use std::fmt;
use std::str::FromStr;

use crate::content::{ArrayContent, ContentRest};
use crate::layout::MOST_BYTES;

/// Blocks and threads of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Launch {
    /// How many blocks.
    pub blocks: u32,
    /// How many threads each has.
    pub threads: u32,
    /// The blocks in x, y and z.
    pub grid: [u32; 3],
    /// The threads of a block in x, y and z.
    pub block: [u32; 3],
    /// How many blocks are in a cluster.
    pub cluster: u32,
}

/// The launches that are looked at where none is named, small before large: threads of one block,
/// blocks, both, more blocks, more threads of one block, and two warps.
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

/// The most blocks of a cluster (PTX ISA, cluster dimension; 8 where nothing more is asked of the
/// GPU).
pub const MAX_CLUSTER: u32 = 16;

/// As many threads as a chosen launch has that must be answered; of larger ones it is said where
/// they are not.
pub const SMALL: u32 = 4;

impl Launch {
    /// A launch in one dimension, without clusters.
    pub const fn new(blocks: u32, threads: u32) -> Self {
        Self { blocks, threads, grid: [blocks, 1, 1], block: [threads, 1, 1], cluster: 1 }
    }

    /// A launch of a grid of blocks of these shapes.
    pub const fn shaped(grid: [u32; 3], block: [u32; 3]) -> Self {
        let [gx, gy, gz] = grid;
        let [bx, by, bz] = block;
        let blocks = gx.saturating_mul(gy).saturating_mul(gz);
        Self { blocks, threads: bx.saturating_mul(by).saturating_mul(bz), grid, block, cluster: 1 }
    }

    /// The same with so many blocks in a cluster.
    #[must_use]
    pub const fn in_clusters(self, cluster: u32) -> Self {
        Self { cluster, ..self }
    }

    /// All threads.
    pub fn total(self) -> u32 {
        self.blocks.saturating_mul(self.threads)
    }

    /// Where no clusters are asked for, a block is its own.
    pub fn first_of_cluster(self, block: u32) -> u32 {
        block - block % self.cluster.max(1)
    }
}

/// The x, y and z of a number, x counted first.
pub(crate) fn coordinates(number: u32, shape: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = shape.map(|n| n.max(1));
    [number % x, number / x % y, number / x / y]
}

fn shape_name(shape: [u32; 3]) -> String {
    match shape {
        [x, 1, 1] => x.to_string(),
        [x, y, 1] => format!("({x}x{y})"),
        [x, y, z] => format!("({x}x{y}x{z})"),
    }
}

impl fmt::Display for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", shape_name(self.grid), shape_name(self.block))?;
        if self.cluster == 1 { Ok(()) } else { write!(f, "@cluster={}", self.cluster) }
    }
}

impl FromStr for Launch {
    type Err = String;

    /// `2x32`, `2x(4x8)`, `(2x2)x(4x4)`, `4x32@cluster=2`
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "expected blocks and threads of a block, as `2x32`, `2x(4x8)` for blocks of 4 by 8 threads, or `4x32@cluster=2` for two blocks \
                 in a cluster; found `{text}`"
            )
        };
        let (shapes, cluster) = match text.split_once('@') {
            Some((shapes, cluster)) => {
                (shapes, cluster.strip_prefix("cluster=").ok_or_else(wrong)?)
            }
            None => (text, "1"),
        };
        let number = |n: &str| n.parse().ok().filter(|&n: &u32| n > 0).ok_or_else(wrong);
        let shape = |text: &str| -> Result<[u32; 3], String> {
            let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else {
                return Ok([number(text)?, 1, 1]);
            };
            let all = inner.split('x').map(|n| number(n.trim())).collect::<Result<Vec<_>, _>>()?;
            let of = |at: usize| all.get(at).copied().unwrap_or(1);
            if all.len() > 3 { Err(wrong()) } else { Ok([of(0), of(1), of(2)]) }
        };
        let at = match shapes.strip_prefix('(') {
            Some(_) => {
                shapes.find(')').map(|end| end + 1).filter(|&end| shapes[end..].starts_with('x'))
            }
            None => shapes.find('x'),
        };
        let at = at.ok_or_else(wrong)?;
        let (grid, block, cluster) =
            (shape(&shapes[..at])?, shape(&shapes[at + 1..])?, number(cluster)?);
        let total = grid
            .iter()
            .chain(&block)
            .try_fold(1u64, |all, &n| all.checked_mul(u64::from(n)))
            .unwrap_or(u64::MAX);
        if total > u64::from(MAX_THREADS) {
            return Err(format!(
                "{text} are {total} threads; at most {MAX_THREADS} in all can be looked at"
            ));
        }
        let launch = Self::shaped(grid, block);
        if !launch.blocks.is_multiple_of(cluster) || cluster > MAX_CLUSTER {
            return Err(format!(
                "{text} has {} blocks and {cluster} in a cluster: clusters have up to {MAX_CLUSTER} blocks, and all as many",
                launch.blocks
            ));
        }
        if cluster > 1 && grid[1..] != [1, 1] {
            return Err(format!(
                "{text} has clusters in a grid of several dimensions: clusters have one dimension here"
            ));
        }
        Ok(launch.in_clusters(cluster))
    }
}

/// What is passed for a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    Number(i64),
    /// A number that nobody gave: the kernel seems to use the parameter as one.
    Chosen(i64),
    /// The start of an array of so many bytes; nothing where its size is not said. Arrays do not
    /// overlap.
    Array {
        /// How many bytes.
        bytes: Option<u64>,
        /// What it holds at the start.
        content: ArrayContent,
    },
    /// The array of another parameter.
    SameAs(usize),
    /// A tensor map, or an address of some: how many bytes a part of its tensor has.
    Tensor {
        /// How many.
        bytes: u64,
    },
    /// A structure that is passed by value: what is known of its fields, each with its first byte
    /// and how many it has. Of the rest nothing is.
    Structure(Vec<(u64, u64, Argument)>),
    /// Something that is not known: a structure that is passed by value, or what may be an address
    /// or a number.
    Unknown,
}

impl Argument {
    /// Is an array passed that holds zeros?
    pub fn has_zeros(&self) -> bool {
        self.has_array(&ArrayContent::is_zeros)
    }

    /// Is one passed that holds anything else?
    pub fn has_values(&self) -> bool {
        self.has_array(&|content| !content.is_zeros())
    }

    fn has_array(&self, is: &dyn Fn(&ArrayContent) -> bool) -> bool {
        match self {
            Self::Array { content, .. } => is(content),
            Self::Structure(fields) => fields.iter().any(|(_, _, field)| field.has_array(is)),
            Self::Number(_)
            | Self::Chosen(_)
            | Self::SameAs(_)
            | Self::Tensor { .. }
            | Self::Unknown => false,
        }
    }
}

/// An argument that is given for a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenArgument {
    /// The number of the parameter, from 0.
    pub parameter: usize,
    /// The first byte of the field that is meant, where the parameter is a structure.
    pub field: Option<u64>,
    /// What is passed.
    pub argument: Argument,
}

impl GivenArgument {
    /// What was chosen beside what is usual, in words.
    pub(crate) fn beside(given: &[Self]) -> Vec<String> {
        given.iter().filter_map(|of| of.content().or_else(|| of.number())).collect()
    }

    /// What an array holds, in words: `arg0 = {7*}`.
    pub(crate) fn content(&self) -> Option<String> {
        let Argument::Array { content, .. } = &self.argument else { return None };
        let field = self.field.map_or(String::new(), |field| format!("_{field}"));
        Some(format!("arg{}{field} = {content}", self.parameter))
    }

    /// A number that was chosen, in words: `arg1 = 5`.
    pub(crate) fn number(&self) -> Option<String> {
        let Argument::Chosen(number) = &self.argument else { return None };
        let field = self.field.map_or(String::new(), |field| format!("+{field}"));
        Some(format!("arg{}{field} = {number}", self.parameter))
    }
}

impl FromStr for GivenArgument {
    type Err = String;

    /// `2=7`, `0=array`, `0=array:8`, `0=array:{1,2,3}`, `0=array:{-1,4*}`, `0=array:{0+}.b64`,
    /// `1=arg0`, `0+16=7`.
    fn from_str(text: &str) -> Result<Self, String> {
        let forms = "`2=7`, `0=array:8` (elements of 4 bytes), `0=array:{1,2,3}`, `0=array:{1,4*}` (all others are 4), `0=array:{0+}` (they count up; `{9-}`: down to 0), \
                     `1=arg0` (the same array as parameter 0), `0=tensor:4096` (a tensor map, of whose tensor 4096 bytes are copied at once) or `0+16=7` \
                     (the field of a structure at byte 16)";
        let wrong = || {
            format!(
                "expected the number of a parameter and what is passed for it, as {forms}; found `{text}`"
            )
        };
        let (parameter, value) = text.split_once('=').ok_or_else(wrong)?;
        let (parameter, field) = match parameter.split_once('+') {
            Some((parameter, field)) => {
                (parameter, Some(field.trim().parse().map_err(|_| wrong())?))
            }
            None => (parameter, None),
        };
        let parameter = parameter.trim().trim_start_matches("arg").parse().map_err(|_| wrong())?;
        let value = value.trim();
        let argument = if let Ok(n) = value.parse() {
            Argument::Number(n)
        } else if value == "array" {
            Argument::Array { bytes: None, content: ArrayContent::zeros() }
        } else if let Some(other) = value.strip_prefix("arg") {
            Argument::SameAs(other.parse().map_err(|_| wrong())?)
        } else if let Some(bytes) = value.strip_prefix("tensor:") {
            let bytes =
                bytes.trim().parse().ok().filter(|&bytes: &u64| bytes > 0 && bytes % 16 == 0);
            let Some(bytes) = bytes else {
                return Err(format!(
                    "a part of a tensor has a number of bytes that is a multiple of 16, found `{text}`"
                ));
            };
            Argument::Tensor { bytes }
        } else if let Some(array) = value.strip_prefix("array:") {
            let array = given_array(array).ok_or_else(wrong)?;
            if let Argument::Array { bytes: Some(bytes), .. } = array
                && bytes > MOST_BYTES
            {
                return Err(format!(
                    "an array has {MOST_BYTES} bytes at most, found one of {bytes}: `{text}`"
                ));
            }
            array
        } else {
            return Err(wrong());
        };
        if field.is_some() && matches!(argument, Argument::SameAs(_) | Argument::Tensor { .. }) {
            return Err(format!(
                "a field of a structure has no array of another parameter, and no tensor map: expected a number or an array, found `{text}`"
            ));
        }
        Ok(Self { parameter, field, argument })
    }
}

/// An array as `--arg` has it: `8`, `{1,2,3}`, `{-1,4*}`, and with a width of its elements
/// `{0+}.b64`. Where the last number goes on, its size is not said.
fn given_array(text: &str) -> Option<Argument> {
    let (text, width, is_float) = match text.rsplit_once('.') {
        Some((text, "f32")) => (text, 4, true),
        Some((text, "f64")) => (text, 8, true),
        Some((text, bits)) => (
            text,
            ["b8", "b16", "b32", "b64"].iter().position(|&b| b == bits).map(|n| 1u64 << n)?,
            false,
        ),
        None => (text, 4, false),
    };
    let Some(list) = text.strip_prefix('{').and_then(|list| list.strip_suffix('}')) else {
        let count: u64 = text.parse().ok()?;
        return Some(Argument::Array {
            bytes: Some(count.saturating_mul(width)),
            content: ArrayContent::zeros(),
        });
    };
    let content = ArrayContent::parse(list, (width, is_float))?;
    let bytes =
        matches!(content.rest, ContentRest::Zeros).then_some(content.first.len() as u64 * width);
    Some(Argument::Array { bytes, content })
}
