//! What an instruction of PTX does to memory, read from its name: qualifiers in any order, with the
//! defaults of the ISA (9.7.9, 9.7.13).

use margay_models::execution::{Order, Scope};

use super::known::{CONTROL, PURE, THREADS};
use crate::ptx::{PtxInstruction, PtxType};

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
pub struct FlowAccess {
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
    pub element: PtxType,
    /// The number of elements.
    pub elements: u32,
}

/// What an instruction does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlowEffect {
    /// It computes from its operands alone.
    None,
    /// It accesses memory.
    Access(FlowAccess),
    Fence(Order, Scope),
    /// It has to do with other threads of the block or the warp.
    Threads,
    /// It is known, and has no place in a lowering; why.
    Strange(&'static str),
    /// It is not known: an instruction, or a word behind one of its dots.
    Unknown(String),
}

pub(super) fn scope(word: &str) -> Option<Scope> {
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

/// What an instruction does.
pub fn effect(instruction: &PtxInstruction) -> FlowEffect {
    let opcode = instruction.opcode();
    match opcode {
        "ld" | "ldu" => access(instruction, Verb::Load),
        "st" => access(instruction, Verb::Store),
        "atom" if instruction.has("cas") => access(instruction, Verb::CompareAndSwap),
        "atom" => access(instruction, Verb::Atomic),
        "red" => access(instruction, Verb::Reduction),
        "fence" | "membar" => fence(instruction),
        "cp" | "multimem" | "tensormap" => {
            FlowEffect::Strange("it copies memory, or accesses several addresses")
        }
        "discard" => FlowEffect::Strange("it destroys what memory holds"),
        "tex" | "tld4" | "txq" | "suld" | "sust" | "sured" | "suq" => {
            FlowEffect::Strange("it accesses a texture or a surface")
        }
        _ if THREADS.contains(&opcode) => FlowEffect::Threads,
        _ if PURE.contains(&opcode) || CONTROL.contains(&opcode) => FlowEffect::None,
        _ => FlowEffect::Unknown(format!("the instruction `{instruction}` is not known")),
    }
}

/// Words that say nothing about the order of memory.
fn is_hint(word: &str) -> bool {
    const CACHE: &[&str] =
        &["ca", "cg", "cs", "lu", "cv", "nc", "wb", "wt", "unified", "noftz", "ftz", "sat", "rn"];
    CACHE.contains(&word) || word.contains("::")
}

fn access(instruction: &PtxInstruction, verb: Verb) -> FlowEffect {
    let mut out = FlowAccess {
        verb,
        order: None,
        scope: None,
        volatile: false,
        mmio: false,
        space: None,
        bits: 0,
        element: PtxType { bits: 0, signed: false, float: false },
        elements: 1,
    };
    const OPERATIONS: &[&str] =
        &["cas", "exch", "add", "inc", "dec", "min", "max", "and", "or", "xor"];
    let has_operation = !matches!(verb, Verb::Load | Verb::Store);
    // Each kind of qualifier stands once; of two that contradict each other neither is believed.
    let mut said: Vec<&str> = Vec::new();
    for word in instruction.modifiers() {
        let kind = match word {
            "weak" if !has_operation => {
                out.order = Some(Order::Plain);
                "order"
            }
            "relaxed" => {
                out.order = Some(Order::Rlx);
                "order"
            }
            "acquire" if !matches!(verb, Verb::Store | Verb::Reduction) => {
                out.order = Some(Order::Acq);
                "order"
            }
            "release" if verb != Verb::Load => {
                out.order = Some(Order::Rel);
                "order"
            }
            "acq_rel" if has_operation && verb != Verb::Reduction => {
                out.order = Some(Order::AcqRel);
                "order"
            }
            "volatile" if !has_operation => {
                out.volatile = true;
                "order"
            }
            "mmio" if !has_operation => {
                out.mmio = true;
                "`.mmio`"
            }
            "v2" | "v4" | "v8" => {
                out.elements = u32::from(word.as_bytes()[1] - b'0');
                "number of elements"
            }
            _ if has_operation && OPERATIONS.contains(&word) => "operation",
            _ if scope(word).is_some() => {
                out.scope = scope(word);
                "scope"
            }
            _ if space(word) => {
                out.space = Some(word.split("::").next().unwrap_or(word).to_owned());
                "state space"
            }
            _ if PtxType::read(word).is_some() => {
                out.element = PtxType::read(word).unwrap_or(out.element);
                "type"
            }
            _ if is_hint(word) => continue,
            _ => return FlowEffect::Unknown(format!("`.{word}` of `{instruction}` is not known")),
        };
        if said.contains(&kind) {
            return FlowEffect::Unknown(format!("`{instruction}` says its {kind} twice"));
        }
        said.push(kind);
    }
    if out.element.bits == 0 {
        return FlowEffect::Unknown(format!("`{instruction}` has no type"));
    }
    if has_operation && !said.contains(&"operation") {
        return FlowEffect::Unknown(format!("`{instruction}` has no operation"));
    }
    out.bits = out.element.bits * out.elements;
    let ordered = out.order.is_some_and(|o| o != Order::Plain);
    if ordered && out.scope.is_none() && !has_operation && !out.mmio {
        return FlowEffect::Unknown(format!("`{instruction}` has an order and no scope"));
    }
    if !ordered && out.scope.is_some() && !has_operation {
        return FlowEffect::Unknown(format!("`{instruction}` has a scope and no order"));
    }
    FlowEffect::Access(out)
}

fn fence(instruction: &PtxInstruction) -> FlowEffect {
    if instruction.opcode() == "membar" {
        let words: Vec<&str> = instruction.modifiers().collect();
        return match words[..] {
            ["cta"] => FlowEffect::Fence(Order::Sc, Scope::Cta),
            ["gl"] => FlowEffect::Fence(Order::Sc, Scope::Gpu),
            ["sys"] => FlowEffect::Fence(Order::Sc, Scope::Sys),
            ["proxy", ..] => FlowEffect::Strange("it is a fence between proxies"),
            _ => FlowEffect::Unknown(format!("`{instruction}` is not known")),
        };
    }
    let (mut order, mut at) = (None, None);
    for word in instruction.modifiers() {
        let one = match word {
            "sc" => Order::Sc,
            "acq_rel" => Order::AcqRel,
            "acquire" => Order::Acq,
            "release" => Order::Rel,
            "proxy" => return FlowEffect::Strange("it is a fence between proxies"),
            "mbarrier_init" => return FlowEffect::Strange("it is a fence for barriers in memory"),
            _ if word.starts_with("sync_restrict") => {
                return FlowEffect::Strange("it is a fence for some accesses only");
            }
            _ if scope(word).is_some() => {
                if at.replace(scope(word)).is_some() {
                    return FlowEffect::Unknown(format!("`{instruction}` says its scope twice"));
                }
                continue;
            }
            _ => return FlowEffect::Unknown(format!("`.{word}` of `{instruction}` is not known")),
        };
        if order.replace(one).is_some() {
            return FlowEffect::Unknown(format!("`{instruction}` says its order twice"));
        }
    }
    match at.flatten() {
        Some(scope) => FlowEffect::Fence(order.unwrap_or(Order::AcqRel), scope),
        None => FlowEffect::Unknown(format!("`{instruction}` has no scope")),
    }
}
