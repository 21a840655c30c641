//! Functions of instructions by their names. `margay-ptx` reads the text; what an instruction does
//! on a path is said in [`crate::flow`].

mod read;

pub use read::read;

use std::collections::BTreeMap;
use std::fmt;

/// A PTX file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PtxModule {
    /// What `.version` says: `8.6`.
    pub version: String,
    /// What `.target` says, without the words behind a comma: `sm_90`.
    pub target: String,
    /// The functions and kernels that have a body, in the order of the text.
    pub functions: Vec<PtxFunction>,
}

impl PtxModule {
    pub fn function(&self, name: &str) -> Option<&PtxFunction> {
        self.functions.iter().find(|f| f.name == name)
    }
}

/// A function or kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PtxFunction {
    /// As the module declares it.
    pub name: String,
    /// Is it a kernel (`.entry`)?
    pub kernel: bool,
    /// The names of the parameters.
    pub parameters: Vec<String>,
    /// The names of the return parameters.
    pub results: Vec<String>,
    /// Names declared in `.local` space: the stack.
    pub locals: Vec<String>,
    pub body: Vec<PtxInstruction>,
    /// The labels, with the index of the instruction behind them.
    pub labels: BTreeMap<String, usize>,
    /// The text, from the directive to the closing brace.
    pub text: String,
}

impl PtxFunction {
    /// The index of the instruction behind a label.
    pub fn label(&self, name: &str) -> Option<usize> {
        self.labels.get(name).copied()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PtxInstruction {
    /// The predicate register, and whether it is negated: `@!%p1`.
    pub predicate: Option<(String, bool)>,
    /// The name and what stands behind its dots: `atom`, `acquire`, `gpu`, `cas`, `b32`.
    pub name: Vec<String>,
    pub operands: Vec<PtxOperand>,
    /// The line of the text, from 1.
    pub line: usize,
}

impl PtxInstruction {
    /// The word before the first dot.
    pub fn opcode(&self) -> &str {
        self.name.first().map_or("", String::as_str)
    }

    /// The words behind the dots.
    pub fn modifiers(&self) -> impl Iterator<Item = &str> {
        self.name.iter().skip(1).map(String::as_str)
    }

    /// Is the word among the modifiers?
    pub fn has(&self, modifier: &str) -> bool {
        self.modifiers().any(|m| m == modifier)
    }

    /// The type: the last modifier that is one (`cvt.u16.u32` converts *to* its first and *from*
    /// its last).
    pub fn kind(&self) -> Option<PtxType> {
        self.modifiers().filter_map(PtxType::read).last()
    }
}

impl fmt::Display for PtxInstruction {
    /// The instruction without its operands: `atom.acquire.gpu.cas.b32`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name.join("."))
    }
}

/// The type of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PtxType {
    /// The number of bits; of a predicate 1.
    pub bits: u32,
    pub signed: bool,
    /// Is it a number with a fraction?
    pub float: bool,
}

impl PtxType {
    /// Reads `b32`, `s8`, `f16x2`, `pred`; `None` for other words.
    pub fn read(word: &str) -> Option<Self> {
        let of = |bits, signed, float| Some(Self { bits, signed, float });
        Some(match word {
            "pred" => return of(1, false, false),
            "f16x2" | "bf16x2" | "u16x2" | "s16x2" => return of(32, false, word.contains('f')),
            "bf16" => return of(16, true, true),
            "tf32" => return of(32, true, true),
            _ => {
                let (kind, bits) = word.split_at_checked(1)?;
                let bits: u32 = bits.parse().ok().filter(|b| [8, 16, 32, 64, 128].contains(b))?;
                match kind {
                    "b" | "u" => Self { bits, signed: false, float: false },
                    "s" => Self { bits, signed: true, float: false },
                    "f" => Self { bits, signed: true, float: true },
                    _ => return None,
                }
            }
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PtxOperand {
    /// A register: `%rd1`, or what a `.reg` names.
    Register(String),
    Number(u64),
    /// A number with a fraction, as its bits and their count.
    Float(u64, u32),
    /// The name of a variable, a parameter, a function or a label.
    Name(String),
    /// `[base + offset]`.
    Address(Box<PtxOperand>, i64),
    /// `{a, b}`.
    Vector(Vec<PtxOperand>),
    /// `(a, b)` of a call.
    List(Vec<PtxOperand>),
    /// `p|q`.
    Pair(Box<PtxOperand>, Box<PtxOperand>),
    /// `!p`.
    Not(Box<PtxOperand>),
    /// `_`.
    Nothing,
}

/// Why a text is no PTX that could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadPtx {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for BadPtx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for BadPtx {}
