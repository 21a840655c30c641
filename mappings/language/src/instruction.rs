//! Target instructions by name: `ld.acquire.s`, `atom.acq_rel.gpu`, `fence.sc.sys`, `membar.gl`
//! (PTX ISA 9.7.9, 9.7.13), and construct names (`W.REL.s`) for targets other than PTX.

use margay_models::diagnostic::nearest;
use margay_models::execution::{Order, Scope};
use margay_models::signature::{Architecture, Construct, Operation, Signature, constructs};

use super::{Dependency, LoweringStep, StepScope};

/// Why an instruction's name was not understood.
pub struct BadInstruction {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl BadInstruction {
    pub fn new(message: String, help: &str) -> Self {
        Self { message, help: help.to_owned() }
    }
}

/// What a read-modify-write instruction does when it compares and fails: it reads, with the order
/// of its read half (PTX ISA 9.7.13.5, `atom.cas`).
pub fn failed(step: LoweringStep) -> LoweringStep {
    if step.operation != Operation::Rmw {
        return step;
    }
    let order = Construct { operation: Operation::Rmw, order: step.order }.read_order();
    LoweringStep { operation: Operation::Read, order, failed: true, ..step }
}

/// The width of the access at the end of an instruction, where it is not that of the object:
/// `atom.acquire.s.b32`.
pub fn width(text: &str, target: Signature) -> (&str, Option<u16>) {
    let split = text.rsplit_once(".b").filter(|_| is_ptx(target));
    match split.and_then(|(head, bits)| {
        Some((head, bits.parse().ok().filter(|b| [8, 16, 32, 64, 128].contains(b))?))
    }) {
        Some((head, bits)) => (head, Some(bits)),
        None => (text, None),
    }
}

/// The scope that a word names in PTX, CUDA or OpenCL; `None` for anything else, which is then a
/// variable.
pub fn scope_name(word: &str) -> Option<Scope> {
    Signature::PTX.scope_named(word)
}

/// Do rows write the operations of the signature as instructions of PTX?
pub fn is_ptx(signature: Signature) -> bool {
    signature.front_end() == Some("ptx")
}

/// Do rows tell the forms of a compare-exchange apart, as C++ does?
pub fn is_c(signature: Signature) -> bool {
    signature.front_end() == Some("c")
}

/// Reads one instruction of the target's signature. `variable` is the scope variable of the row, if
/// it has one.
pub fn parse(
    text: &str,
    target: Signature,
    variable: Option<&str>,
) -> Result<LoweringStep, BadInstruction> {
    let parts: Vec<&str> = text.split('.').collect();
    match target.tabular() {
        Some(architecture) => of_text(text, architecture, variable),
        None if is_ptx(target) => ptx(text, &parts, variable),
        None => construct(text, &parts, target, variable),
    }
}

/// A scope suffix: a name, or the row's variable.
fn scope(
    word: &str,
    variable: Option<&str>,
    target: Signature,
) -> Result<StepScope, BadInstruction> {
    if variable == Some(word) {
        return Ok(StepScope::Same);
    }
    target.scope_named(word).map(StepScope::Named).ok_or_else(|| BadInstruction {
        message: format!("`{word}` is neither a scope nor the scope variable of this row"),
        help: match variable {
            Some(v) => format!(
                "write `{v}` for the scope of the source operation, or one of {}",
                target.scope_names()
            ),
            None => format!(
                "the left-hand side names no scope variable; write one of {}",
                target.scope_names()
            ),
        },
    })
}

const PTX_NAMES: [&str; 5] = ["ld", "st", "atom", "fence", "membar"];

/// Is an instruction of PTX one of mbarriers, of asynchronous operations, or of their fences?
fn is_asynchronous(parts: &[&str]) -> bool {
    let is_word = |word: &&str| ["async", "bulk", "proxy", "mbarrier_init"].contains(word);
    ["mbarrier", "cp", "wgmma", "tcgen05", "tensormap"].contains(&parts[0])
        || ["st", "red", "fence"].contains(&parts[0]) && parts[1..].iter().any(is_word)
}

fn ptx(text: &str, parts: &[&str], variable: Option<&str>) -> Result<LoweringStep, BadInstruction> {
    let bad = BadInstruction::new;
    if is_asynchronous(parts) {
        if let Some(result) = super::mbarrier::parse(text, parts, variable) {
            return result;
        }
        let message = format!(
            "rows do not emit `{text}`: no source model has asynchronous operations or proxies"
        );
        return Err(bad(
            message,
            "what a compiler made of them is asked about in the kernel: `margay kernel FILE.ptx`",
        ));
    }
    let operation = match parts[0] {
        "ld" => Operation::Read,
        "st" => Operation::Write,
        "atom" => Operation::Rmw,
        "fence" | "membar" => Operation::Fence,
        other => {
            let message = format!("unknown PTX instruction `{other}`");
            return Err(match nearest(other, PTX_NAMES) {
                Some(near) => bad(message, &format!("did you mean `{near}`?")),
                None => bad(
                    message,
                    "a mapping emits ld, st, atom, fence or membar; `nothing` emits no instruction",
                ),
            });
        }
    };
    let mut rest = &parts[1..];
    if parts[0] == "membar" {
        let [level] = rest else {
            return Err(bad(
                format!("`{text}` needs exactly one level"),
                "write membar.cta, membar.gl or membar.sys",
            ));
        };
        return Ok(LoweringStep {
            operation,
            order: Order::Sc,
            scope: scope(level, variable, Signature::PTX)?,
            volatile: false,
            failed: false,
            unused: false,
            mbarrier: false,
        });
    }
    let orders: &[(&str, Order)] = match operation {
        Operation::Read => &[
            ("weak", Order::Plain),
            ("relaxed", Order::Rlx),
            ("acquire", Order::Acq),
            ("volatile", Order::Rlx),
        ],
        Operation::Write => &[
            ("weak", Order::Plain),
            ("relaxed", Order::Rlx),
            ("release", Order::Rel),
            ("volatile", Order::Rlx),
        ],
        Operation::Rmw => &[
            ("relaxed", Order::Rlx),
            ("acquire", Order::Acq),
            ("release", Order::Rel),
            ("acq_rel", Order::AcqRel),
        ],
        Operation::Fence => &[
            ("sc", Order::Sc),
            ("acq_rel", Order::AcqRel),
            ("acquire", Order::Acq),
            ("release", Order::Rel),
        ],
    };
    let named = rest.first().and_then(|word| orders.iter().find(|(name, _)| name == word));
    let volatile = named.is_some_and(|(name, _)| *name == "volatile");
    let order = match named {
        Some(&(_, order)) => {
            rest = &rest[1..];
            order
        }
        // The defaults of the ISA: ld and st are weak, atom is relaxed, fence is acq_rel.
        None => match operation {
            Operation::Read | Operation::Write => Order::Plain,
            Operation::Rmw => Order::Rlx,
            Operation::Fence => Order::AcqRel,
        },
    };
    if named.is_none()
        && let Some(word) = rest.first()
        && scope_name(word).is_none()
        && variable != Some(*word)
    {
        let known = orders.iter().map(|(name, _)| *name);
        let list: Vec<&str> = known.clone().collect();
        let message = format!("`{word}` is neither an order of `{}` nor a scope", parts[0]);
        return Err(match nearest(word, known) {
            Some(near) => bad(message, &format!("did you mean `{near}`?")),
            None => bad(
                message,
                &format!(
                    "orders of `{}`: {}; scopes: cta, cluster, gpu, sys",
                    parts[0],
                    list.join(", ")
                ),
            ),
        });
    }
    let scope = match rest {
        [] => None,
        [word] => Some(scope(word, variable, Signature::PTX)?),
        [_, extra, ..] => {
            return Err(bad(
                format!("unexpected `.{extra}` after the scope"),
                "write instruction.order.scope",
            ));
        }
    };
    let scope = match (operation, order, scope) {
        (_, Order::Plain, None) => StepScope::None,
        (_, Order::Plain, Some(_)) => {
            return Err(bad(
                format!("`{text}` is weak, and weak operations have no scope"),
                "name an order, or drop the scope",
            ));
        }
        (_, _, None) if volatile => StepScope::Named(Scope::Sys),
        (_, _, Some(_)) if volatile => {
            return Err(bad(
                format!("`{text}`: volatile operations have no scope suffix"),
                "volatile is relaxed at sys scope (PTX ISA 8.4.2)",
            ));
        }
        // `atom` without a scope is .gpu (PTX ISA 9.7.13.5).
        (Operation::Rmw, _, None) => StepScope::Named(Scope::Gpu),
        (_, _, None) => {
            return Err(bad(
                format!("`{text}` needs a scope"),
                "append .cta, .cluster, .gpu, .sys or the row's scope variable",
            ));
        }
        (_, _, Some(scope)) => scope,
    };
    Ok(LoweringStep {
        operation,
        order,
        scope,
        volatile,
        failed: false,
        unused: false,
        mbarrier: false,
    })
}

/// `ldar`, `ld.acquire.wg`: an instruction of an architecture that is a text, and its scope if it
/// takes one.
fn of_text(
    text: &str,
    architecture: Architecture,
    variable: Option<&str>,
) -> Result<LoweringStep, BadInstruction> {
    let target = architecture;
    let scoped = text.rsplit_once('.').and_then(|(mnemonic, word)| {
        let construct = architecture.instruction(mnemonic).filter(|c| c.has_scope(target))?;
        Some((construct, word))
    });
    let step = |Construct { operation, order }: Construct, scope: StepScope| LoweringStep {
        operation,
        order,
        scope,
        volatile: false,
        failed: false,
        unused: false,
        mbarrier: false,
    };
    if let Some((construct, word)) = scoped {
        return Ok(step(construct, scope(word, variable, target)?));
    }
    let Some(construct) = architecture.instruction(text) else {
        let all = architecture.constructs();
        let names: Vec<&str> = all.iter().filter_map(|&c| architecture.mnemonic(c)).collect();
        let words: Vec<&str> = Dependency::ALL
            .into_iter()
            .filter(|d| d.relation().is_in(target))
            .map(Dependency::word)
            .collect();
        return Err(BadInstruction {
            message: format!("unknown {architecture} instruction `{text}`"),
            help: match nearest(text, names.iter().chain(&words).copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if words.is_empty() => format!("instructions: {}", names.join(", ")),
                None => format!(
                    "instructions: {}; dependencies: {}",
                    names.join(", "),
                    words.join(", ")
                ),
            },
        });
    };
    if construct.has_scope(target) {
        let variable = if variable.is_some() { " or the row's scope variable" } else { "" };
        let help = format!(
            "append one of {}{variable}: `{text}.{}`",
            target.scope_names(),
            target.scope_name(Scope::Sys)
        );
        return Err(BadInstruction { message: format!("`{text}` needs a scope"), help });
    }
    Ok(step(construct, StepScope::None))
}

/// `R.ACQ.s`: a construct of the target's own signature.
fn construct(
    text: &str,
    parts: &[&str],
    target: Signature,
    variable: Option<&str>,
) -> Result<LoweringStep, BadInstruction> {
    let all = constructs(target);
    let names: Vec<String> = all.iter().map(|c| c.name(target)).collect();
    let found = (1..=parts.len()).rev().find_map(|k| {
        let name = parts[..k].join(".");
        names.iter().position(|n| *n == name).map(|i| (all[i], &parts[k..]))
    });
    let Some((construct, rest)) = found else {
        return Err(BadInstruction {
            message: format!("unknown {target} operation `{text}`"),
            help: match nearest(text, names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("operations: {}", names.join(", ")),
            },
        });
    };
    let scope = match rest {
        [] if construct.has_scope(target) => StepScope::Named(Scope::Sys),
        [] => StepScope::None,
        [word] if construct.has_scope(target) => scope(word, variable, target)?,
        _ => {
            let help = "write the operation, its order and, if it is atomic, its scope".to_owned();
            return Err(BadInstruction { message: format!("unexpected suffix in `{text}`"), help });
        }
    };
    Ok(LoweringStep {
        operation: construct.operation,
        order: construct.order,
        scope,
        volatile: false,
        failed: false,
        unused: false,
        mbarrier: false,
    })
}
