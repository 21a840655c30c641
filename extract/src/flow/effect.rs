//! What an instruction of PTX does to memory, read from its name: qualifiers in any order, with the defaults of the ISA (9.7.9,
//! 9.7.13).

use margay_models::execution::{Order, Scope};

use crate::ptx::{Instruction, Type};

/// The operation of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verb {
    /// `ld`.
    Load,
    /// `st`.
    Store,
    /// `atom` other than `atom.cas`.
    Atomic,
    /// `atom.cas`.
    CompareAndSwap,
    /// `red`.
    Reduction,
}

/// An instruction that accesses memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// The operation.
    pub verb: Verb,
    /// The order that is printed.
    pub order: Option<Order>,
    /// The scope that is printed.
    pub scope: Option<Scope>,
    /// Is it `.volatile`?
    pub volatile: bool,
    /// Is it `.mmio`?
    pub mmio: bool,
    /// The state space that is printed.
    pub space: Option<String>,
    /// The number of bits that are accessed.
    pub bits: u32,
    /// The type of one element.
    pub element: Type,
    /// The number of elements.
    pub elements: u32,
}

/// What an instruction does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// It computes from its operands alone.
    None,
    /// It accesses memory.
    Access(Access),
    /// It is a fence: its order and its scope.
    Fence(Order, Scope),
    /// It has to do with other threads of the block or the warp.
    Threads,
    /// It is known, and has no place in a lowering; why.
    Strange(&'static str),
    /// It is not known: an instruction, or a word behind one of its dots.
    Unknown(String),
}

/// The scope of a word.
pub fn scope(word: &str) -> Option<Scope> {
    Some(match word {
        "cta" => Scope::Cta,
        "cluster" => Scope::Cluster,
        "gpu" => Scope::Gpu,
        "sys" => Scope::Sys,
        _ => return None,
    })
}

/// The state space of a word.
fn space(word: &str) -> bool {
    let head = word.split("::").next().unwrap_or(word);
    ["const", "global", "local", "param", "shared"].contains(&head)
}

/// Instructions that compute from their operands alone (PTX ISA 9.7.1 to 9.7.8, 9.7.9.1 and following, 9.7.19).
const PURE: &[&str] = &[
    "abs",
    "activemask",
    "add",
    "addc",
    "alloca",
    "and",
    "bfe",
    "bfi",
    "bfind",
    "bmsk",
    "brev",
    "clz",
    "cnot",
    "copysign",
    "cos",
    "createpolicy",
    "cvt",
    "cvta",
    "div",
    "dp2a",
    "dp4a",
    "ex2",
    "fma",
    "fns",
    "getctarank",
    "isspacep",
    "istypep",
    "lg2",
    "lop3",
    "mad",
    "mad24",
    "madc",
    "mapa",
    "max",
    "min",
    "mov",
    "mul",
    "mul24",
    "nanosleep",
    "neg",
    "not",
    "or",
    "pmevent",
    "popc",
    "prefetch",
    "prefetchu",
    "prmt",
    "rcp",
    "rem",
    "rsqrt",
    "sad",
    "selp",
    "set",
    "setp",
    "shf",
    "shl",
    "shr",
    "sin",
    "slct",
    "sqrt",
    "stackrestore",
    "stacksave",
    "sub",
    "subc",
    "szext",
    "tanh",
    "testp",
    "xor",
    "brkpt",
    "applypriority",
    "discard",
];

/// Instructions of several threads (PTX ISA 9.7.13.1 and following).
const THREADS: &[&str] = &[
    "bar",
    "barrier",
    "elect",
    "griddepcontrol",
    "match",
    "mbarrier",
    "mma",
    "redux",
    "setmaxnreg",
    "shfl",
    "vote",
    "wgmma",
    "wmma",
    "ldmatrix",
    "stmatrix",
    "movmatrix",
    "tcgen05",
    "clusterlaunchcontrol",
];

/// Instructions of control flow: the machine of `super::paths` knows them.
pub const CONTROL: &[&str] = &["bra", "brx", "call", "ret", "exit", "trap"];

/// What an instruction does.
pub fn effect(instruction: &Instruction) -> Effect {
    let opcode = instruction.opcode();
    match opcode {
        "ld" | "ldu" => access(instruction, Verb::Load),
        "st" => access(instruction, Verb::Store),
        "atom" if instruction.has("cas") => access(instruction, Verb::CompareAndSwap),
        "atom" => access(instruction, Verb::Atomic),
        "red" => access(instruction, Verb::Reduction),
        "fence" | "membar" => fence(instruction),
        "cp" | "multimem" | "tensormap" => Effect::Strange("it copies memory, or accesses several addresses"),
        "tex" | "tld4" | "txq" | "suld" | "sust" | "sured" | "suq" => Effect::Strange("it accesses a texture or a surface"),
        _ if THREADS.contains(&opcode) => Effect::Threads,
        _ if PURE.contains(&opcode) || CONTROL.contains(&opcode) => Effect::None,
        _ => Effect::Unknown(format!("the instruction `{instruction}` is not known")),
    }
}

/// Words that say nothing about the order of memory.
fn is_hint(word: &str) -> bool {
    const CACHE: &[&str] = &["ca", "cg", "cs", "lu", "cv", "nc", "wb", "wt", "unified", "noftz", "ftz", "sat", "rn"];
    CACHE.contains(&word) || word.contains("::")
}

fn access(instruction: &Instruction, verb: Verb) -> Effect {
    let mut out = Access {
        verb,
        order: None,
        scope: None,
        volatile: false,
        mmio: false,
        space: None,
        bits: 0,
        element: Type { bits: 0, signed: false, float: false },
        elements: 1,
    };
    const OPERATIONS: &[&str] = &["cas", "exch", "add", "inc", "dec", "min", "max", "and", "or", "xor"];
    let has_operation = !matches!(verb, Verb::Load | Verb::Store);
    for word in instruction.modifiers() {
        match word {
            "weak" => out.order = Some(Order::Plain),
            "relaxed" => out.order = Some(Order::Rlx),
            "acquire" if verb != Verb::Store => out.order = Some(Order::Acq),
            "release" if verb != Verb::Load => out.order = Some(Order::Rel),
            "acq_rel" if has_operation => out.order = Some(Order::AcqRel),
            "volatile" => out.volatile = true,
            "mmio" => out.mmio = true,
            "v2" => out.elements = 2,
            "v4" => out.elements = 4,
            "v8" => out.elements = 8,
            _ if has_operation && OPERATIONS.contains(&word) => {}
            _ if scope(word).is_some() => out.scope = scope(word),
            _ if space(word) => out.space = Some(word.split("::").next().unwrap_or(word).to_owned()),
            _ if Type::read(word).is_some() => out.element = Type::read(word).unwrap_or(out.element),
            _ if is_hint(word) => {}
            _ => return Effect::Unknown(format!("`.{word}` of `{instruction}` is not known")),
        }
    }
    if out.element.bits == 0 {
        return Effect::Unknown(format!("`{instruction}` has no type"));
    }
    out.bits = out.element.bits * out.elements;
    let ordered = out.order.is_some_and(|o| o != Order::Plain);
    if ordered && out.scope.is_none() && !has_operation && !out.mmio {
        return Effect::Unknown(format!("`{instruction}` has an order and no scope"));
    }
    Effect::Access(out)
}

fn fence(instruction: &Instruction) -> Effect {
    if instruction.opcode() == "membar" {
        let words: Vec<&str> = instruction.modifiers().collect();
        return match words[..] {
            ["cta"] => Effect::Fence(Order::Sc, Scope::Cta),
            ["gl"] => Effect::Fence(Order::Sc, Scope::Gpu),
            ["sys"] => Effect::Fence(Order::Sc, Scope::Sys),
            ["proxy", ..] => Effect::Strange("it is a fence between proxies"),
            _ => Effect::Unknown(format!("`{instruction}` is not known")),
        };
    }
    let (mut order, mut at) = (Order::AcqRel, None);
    for word in instruction.modifiers() {
        match word {
            "sc" => order = Order::Sc,
            "acq_rel" => order = Order::AcqRel,
            "acquire" => order = Order::Acq,
            "release" => order = Order::Rel,
            "proxy" => return Effect::Strange("it is a fence between proxies"),
            "mbarrier_init" => return Effect::Strange("it is a fence for barriers in memory"),
            _ if word.starts_with("sync_restrict") => return Effect::Strange("it is a fence for some accesses only"),
            _ if scope(word).is_some() => at = scope(word),
            _ => return Effect::Unknown(format!("`.{word}` of `{instruction}` is not known")),
        }
    }
    match at {
        Some(scope) => Effect::Fence(order, scope),
        None => Effect::Unknown(format!("`{instruction}` has no scope")),
    }
}
