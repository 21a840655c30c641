//! What a text of PTX says.

use std::fmt;

use rustc_hash::FxHashMap;

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// What was found, and what was expected.
    pub message: String,
    /// First byte of the place.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// Its line, from 1.
    pub line: usize,
    /// Its column, from 1, in characters.
    pub column: usize,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ReadError {}

/// Line and column of a byte, both from 1; columns are characters.
pub fn position(text: &str, mut at: usize) -> (usize, usize) {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    (before.bytes().filter(|&b| b == b'\n').count() + 1, before[start..].chars().count() + 1)
}

/// What the bits of a type are (PTX ISA 5.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScalarKind {
    /// `.b32`
    Bits,
    /// `.s32`
    Signed,
    /// `.u32`
    Unsigned,
    /// `.f32`, `.bf16`, `.e4m3` and whatever else is no integer.
    Float,
    /// `.pred`
    Predicate,
}

/// A type of a register, a variable or an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScalarType {
    /// What its bits are.
    pub kind: ScalarKind,
    /// How many there are; 1 for a predicate.
    pub bits: u16,
}

impl ScalarType {
    /// The type of a name without its point, `s32`.
    pub fn from_name(name: &str) -> Option<Self> {
        let of = |kind, bits| Some(Self { kind, bits });
        match name {
            "pred" => return of(ScalarKind::Predicate, 1),
            "bf16" => return of(ScalarKind::Float, 16),
            "f16x2" | "bf16x2" | "tf32" => return of(ScalarKind::Float, 32),
            "f32x2" => return of(ScalarKind::Float, 64),
            "s16x2" | "u16x2" => return of(ScalarKind::Bits, 32),
            "b128" => return of(ScalarKind::Bits, 128),
            _ => {}
        }
        let kind = match name.as_bytes().first()? {
            b'b' => ScalarKind::Bits,
            b's' => ScalarKind::Signed,
            b'u' => ScalarKind::Unsigned,
            b'f' => ScalarKind::Float,
            _ => return None,
        };
        match (&name[1..], kind) {
            ("8", ScalarKind::Bits | ScalarKind::Signed | ScalarKind::Unsigned) => of(kind, 8),
            ("16", _) => of(kind, 16),
            ("32", _) => of(kind, 32),
            ("64", _) => of(kind, 64),
            _ => None,
        }
    }

    /// The lowest bits of a number, as many as the type has.
    pub fn cut(self, value: u64) -> u64 {
        if self.bits >= 64 { value } else { value & ((1 << self.bits) - 1) }
    }

    /// The number that bits of the type stand for.
    pub fn signed(self, value: u64) -> i64 {
        if self.bits >= 64 {
            return value as i64;
        }
        let empty = 64 - u32::from(self.bits);
        ((value << empty) as i64) >> empty
    }
}

/// A state space (PTX ISA 5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StateSpace {
    /// `.reg`
    Register,
    /// `.param`
    Parameter,
    /// `.shared`
    Shared,
    /// `.global`
    Global,
    /// `.const`
    Constant,
    /// `.local`
    Local,
}

/// A register, by its number in its function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegisterId(pub u32);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredRegister {
    pub name: String,
    pub ty: ScalarType,
}

/// A variable, by its number in the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(pub u32);

/// What a variable holds at the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Initial {
    /// The bits of an element.
    Bits(u64),
    /// The address of another variable and a distance from it.
    Address(String, i64),
}

/// What `.global`, `.shared`, `.const`, `.local` or `.param` declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryVariable {
    pub name: String,
    /// Where it is.
    pub space: StateSpace,
    /// The type of an element.
    pub ty: ScalarType,
    /// How many bytes; nothing for an array without a size.
    pub size: Option<u64>,
    /// The alignment that is written.
    pub align: Option<u64>,
    /// The elements given, in order; the rest is zero.
    pub initial: Vec<Initial>,
    /// Is it of another module?
    pub external: bool,
    /// Is a parameter said to be a pointer (`.ptr`)?
    pub pointer: bool,
    /// Where its name stands.
    pub at: usize,
}

impl MemoryVariable {
    /// The name in the source of a variable of a function, of its mangled one: `tile` of
    /// `_ZZ1kvE4tile` (Itanium C++ ABI, local names).
    pub fn source_name(&self) -> Option<&str> {
        let rest = self.name.strip_prefix("_ZZ")?;
        let is_name = |name: &str| {
            name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !name.ends_with('_')
        };
        rest.match_indices('E').find_map(|(at, _)| {
            let behind = &rest[at + 1..];
            let digits = behind.find(|c: char| !c.is_ascii_digit())?;
            let length: usize = behind[..digits].parse().ok()?;
            let name = behind[digits..].get(..length)?;
            // Behind the name stands nothing, or which of several of the same name it is.
            let last = &behind[digits + length..];
            let is_last = last.is_empty()
                || last
                    .strip_prefix('_')
                    .is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit() || b == b'_'));
            (is_last && is_name(name)).then_some(name)
        })
    }
}

/// A parameter of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// In memory of the call.
    Memory(VariableId),
    Register(RegisterId),
}

/// A line of the source, from `.loc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceLine {
    /// The number of the file.
    pub file: u32,
    pub line: u32,
    pub column: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    Register(RegisterId),
    /// `%tid.x`, without the sign.
    Special(String),
    /// A number; negative ones as two's complement.
    Integer(u64),
    /// The bits of a floating-point number, and how many: `0f3F800000`.
    Float(u64, u16),
    /// The address of a variable and a distance.
    Variable(VariableId, i64),
    /// A label: the number of the instruction behind it.
    Label(usize),
    /// A function, or what else has a name (a prototype of a call).
    Name(String),
    /// `[a+4]`: the base and the distance.
    Address(Box<Operand>, i64),
    /// `{a, b}`
    Vector(Vec<Operand>),
    /// `(a, b)`
    List(Vec<Operand>),
    /// `!p`
    Not(RegisterId),
    /// `p|q`
    Pair(Box<Operand>, Box<Operand>),
    /// `_`
    Sink,
}

impl Operand {
    /// What it is made of: itself, or what stands in its brackets.
    pub fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Vector(all) | Self::List(all) => all.iter().flat_map(Self::parts).collect(),
            Self::Address(base, _) => base.parts(),
            Self::Pair(a, b) => [a.parts(), b.parts()].concat(),
            _ => vec![self],
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// The predicate, and whether it is negated.
    pub guard: Option<(RegisterId, bool)>,
    /// The first word.
    pub opcode: String,
    /// The words behind points, in order.
    pub qualifiers: Vec<String>,
    pub operands: Vec<Operand>,
    /// Where it stands in the text, from its first byte to the end of its last operand.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// From the last `.loc` before it; `None` where there is none.
    pub line: Option<SourceLine>,
}

impl Instruction {
    /// Does it have this qualifier?
    pub fn has(&self, qualifier: &str) -> bool {
        self.qualifiers.iter().any(|q| q == qualifier)
    }

    /// The last type among its qualifiers.
    pub fn ty(&self) -> Option<ScalarType> {
        self.qualifiers.iter().rev().find_map(|q| ScalarType::from_name(q))
    }
}

/// A kernel or a device function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    /// Is it a kernel?
    pub entry: bool,
    /// What it returns.
    pub results: Vec<Parameter>,
    /// What it takes.
    pub parameters: Vec<Parameter>,
    pub registers: Vec<DeclaredRegister>,
    /// Its variables, parameters among them.
    pub variables: Vec<VariableId>,
    /// Its instructions; nothing where it is only declared.
    pub body: Option<Vec<Instruction>>,
    /// The threads of a block in x, y and z where `.reqntid` says them.
    pub required_threads: Option<[u32; 3]>,
    /// The most threads of a block in x, y and z where `.maxntid` says them.
    pub most_threads: Option<[u32; 3]>,
    /// The blocks of a cluster in x, y and z where `.reqnctapercluster` says them.
    pub required_cluster: Option<[u32; 3]>,
    /// Where its name stands.
    pub at: usize,
    /// Where it stands in the text, from `.func` or `.entry`.
    pub start: usize,
    /// One past the brace that closes its body; the same as `start` where it has none.
    pub end: usize,
}

/// A text of PTX.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Module {
    /// `.version`, as it is written.
    pub version: String,
    /// `.target`
    pub target: Vec<String>,
    /// `.address_size`; 32 where nothing is said.
    pub address_size: u16,
    /// The files of `.file`, by number.
    pub files: FxHashMap<u32, String>,
    /// All variables, also those of functions.
    pub variables: Vec<MemoryVariable>,
    pub functions: Vec<Function>,
}

impl Module {
    pub fn variable(&self, id: VariableId) -> &MemoryVariable {
        &self.variables[id.0 as usize]
    }

    /// The function of a name that has a body; else the one that is declared.
    pub fn function(&self, name: &str) -> Option<usize> {
        let of = |with: bool| {
            self.functions.iter().position(|f| f.name == name && f.body.is_some() == with)
        };
        of(true).or_else(|| of(false))
    }

    /// The kernels that have a body.
    pub fn kernels(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.functions.len())
            .filter(|&f| self.functions[f].entry && self.functions[f].body.is_some())
    }
}
