//! PTX instructions as text.

use margay_models::execution::{Proxy, Scope};
use margay_models::signature::Operation::{Fence, Read, Rmw, Write};
use margay_models::signature::{self, Tags};

use crate::test::{
    Access, AccessOrder, Address, AtomInstruction, Base, ClusterBarrier, Dialect, FenceOrder,
    LocalFunction, MultimemAction, MultimemOperation, Operation, TestInstruction, TestOperand,
    Type,
};

pub fn instruction(instruction: &TestInstruction, dialect: Dialect) -> String {
    let text = operation(&instruction.operation, dialect);
    match &instruction.guard {
        Some(guard) => {
            format!("@{}{} {text}", if guard.negated { "!" } else { "" }, guard.register)
        }
        None => text,
    }
}

fn operation(operation: &Operation, dialect: Dialect) -> String {
    let address = |a: &Address| address(a, dialect);
    match operation {
        Operation::Load {
            access: Access { order: Some(AccessOrder::Text(tags)), scope, .. },
            destination,
            address: a,
        } => {
            format!("{} {destination}, {}", mnemonic(*tags, Read, *scope), address(a))
        }
        Operation::Store {
            access: Access { order: Some(AccessOrder::Text(tags)), scope, .. },
            address: a,
            value: v,
        } => {
            format!("{} {}, {}", mnemonic(*tags, Write, *scope), address(a), value(v))
        }
        Operation::StoreConditional { access, status, address: a, value: v } => {
            let name = match access.order {
                Some(AccessOrder::Text(tags)) => mnemonic(tags, Write, access.scope),
                _ => "st".to_owned(),
            };
            format!("{name} {status}, {}, {}", address(a), value(v))
        }
        Operation::Fence { order: Some(FenceOrder::Text(tags)), scope } => {
            mnemonic(*tags, Fence, *scope)
        }
        Operation::Load { access, destination, address: a } => {
            let name = match access.proxy {
                Proxy::Generic | Proxy::Alias | Proxy::Async | Proxy::Tensormap => "ld",
                Proxy::Surface => "suld",
                Proxy::Texture => "tld",
                Proxy::Constant => "cld",
            };
            format!("{name}{} {destination}, {}", qualifiers(access, ""), address(a))
        }
        Operation::Store { access, address: a, value: v } => {
            let name = if access.proxy == Proxy::Surface { "sust" } else { "st" };
            format!("{name}{} {}, {}", qualifiers(access, ""), address(a), value(v))
        }
        Operation::VectorLoad { access, destinations, address: a } => {
            let vector = format!("v{}", destinations.len());
            format!(
                "ld{} {{{}}}, {}",
                qualifiers(access, &vector),
                destinations.join(", "),
                address(a)
            )
        }
        Operation::VectorStore { access, address: a, values } => {
            let vector = format!("v{}", values.len());
            let values: Vec<String> = values.iter().map(value).collect();
            format!("st{} {}, {{{}}}", qualifiers(access, &vector), address(a), values.join(", "))
        }
        Operation::Atom(AtomInstruction {
            access,
            function,
            destination,
            address: a,
            operand,
            replacement,
        }) => {
            let surface = if access.proxy == Proxy::Surface { "su" } else { "" };
            let name = match access.order {
                Some(AccessOrder::Text(tags)) => mnemonic(tags, Rmw, access.scope),
                _ => format!("{surface}{}", if destination.is_some() { "atom" } else { "red" }),
            };
            let mut operands: Vec<String> = destination.iter().cloned().collect();
            operands.push(address(a));
            operands.push(value(operand));
            operands.extend(replacement.iter().map(value));
            format!("{name}{} {}", qualifiers(access, function.name()), operands.join(", "))
        }
        Operation::Fence { order, scope } => {
            let order = order.map_or(String::new(), |o| format!(".{}", o.name()));
            let scope = scope.map_or(String::new(), |s| format!(".{}", s.name()));
            format!("fence{order}{scope}")
        }
        Operation::Membar(level) => format!("membar.{}", level.name()),
        Operation::ProxyFence(kind) => format!("fence.proxy.{}", kind.name()),
        Operation::Barrier { mode, scope, instance, barrier, count } => {
            let instance = instance.map_or(String::new(), |n| format!("{n}, "));
            let count = count.map_or(String::new(), |n| format!(", {n}"));
            format!("bar.{}.{} {instance}{}{count}", scope.name(), mode.name(), value(barrier))
        }
        Operation::ClusterBarrier(ClusterBarrier::Arrive { relaxed: false }) => {
            "barrier.cluster.arrive".to_string()
        }
        Operation::ClusterBarrier(ClusterBarrier::Arrive { relaxed: true }) => {
            "barrier.cluster.arrive.relaxed".to_string()
        }
        Operation::ClusterBarrier(ClusterBarrier::Wait) => "barrier.cluster.wait".to_string(),
        Operation::Mbarrier(_)
        | Operation::PendingCount { .. }
        | Operation::MbarrierInitFence
        | Operation::Async(_)
        | Operation::AsyncGroup { .. }
        | Operation::WarpgroupFence
        | Operation::SharedFence { .. }
        | Operation::Tensormap(_)
        | Operation::TensorFence { .. }
        | Operation::AsyncArrive { .. } => super::asynchronous::operation(operation, dialect),
        Operation::BulkStore { address: a, bytes } => {
            format!("st.bulk.weak.shared::cta {}, {bytes}, 0", address(a))
        }
        Operation::Multimem(MultimemOperation { access, replicas, action }) => {
            let at = format!("{{{}}}", replicas.iter().map(address).collect::<Vec<_>>().join(", "));
            match action {
                MultimemAction::LoadReduce { function, destination } => {
                    format!(
                        "multimem.ld_reduce{} {destination}, {at}",
                        qualifiers(access, function.name())
                    )
                }
                MultimemAction::Store { value: v } => {
                    format!("multimem.st{} {at}, {}", qualifiers(access, ""), value(v))
                }
                MultimemAction::Reduce { function, operand } => {
                    format!(
                        "multimem.red{} {at}, {}",
                        qualifiers(access, function.name()),
                        value(operand)
                    )
                }
            }
        }
        Operation::Warp(meeting) => {
            let destination =
                meeting.given.as_ref().map(|given| given.to.as_deref().unwrap_or("_").to_owned());
            let operands = destination.into_iter().chain(meeting.brought().iter().map(value));
            format!(
                "{} {}{:#x}",
                meeting.name,
                operands.map(|o| format!("{o}, ")).collect::<String>(),
                meeting.mask
            )
        }
        Operation::Launches(order) => order.text(),
        Operation::Local { function, ty, destination, operands } => {
            let operands: Vec<String> = operands.iter().map(value).collect();
            let ty = match function {
                LocalFunction::Convert(from) => format!("{}.{from}", type_suffix(*ty)),
                _ => type_suffix(*ty),
            };
            format!("{}{ty} {destination}, {}", function.name(), operands.join(", "))
        }
        Operation::BranchIf { comparison, left, right, target } => {
            format!("b{} {}, {}, {target}", comparison.mnemonic(), value(left), value(right))
        }
        Operation::Goto(target) if dialect == Dialect::GpuPtx => format!("bra {target}"),
        Operation::Goto(target) => format!("goto {target}"),
        Operation::Exit => "exit".to_string(),
        Operation::Label(name) => format!("{name}:"),
    }
}

/// The instruction of an architecture that is a text.
fn mnemonic(tags: Tags, operation: signature::Operation, scope: Option<Scope>) -> String {
    tags.written(operation, scope).unwrap_or_default()
}

/// `.acquire.gpu.global.cg.add.s32`: order, scope, space, cache operator, function (of `atom`),
/// type.
fn qualifiers(access: &Access, function: &str) -> String {
    let mut out = String::new();
    let mut add = |part: &str| {
        if !part.is_empty() {
            out.push('.');
            out.push_str(part);
        }
    };
    // An architecture that is a text has a mnemonic for each, which its scope belongs to.
    let order = access.order.filter(|o| !matches!(o, AccessOrder::Text(_)));
    let scope = access.scope.filter(|_| order == access.order);
    add(order.map_or("", AccessOrder::name));
    add(scope.map_or("", |s| s.name()));
    add(access.space.map_or("", |s| s.name()));
    add(access.cache.map_or("", |c| c.name()));
    add(function);
    out + &type_suffix(access.ty)
}

/// `.s32`
pub(super) fn type_suffix(ty: Option<Type>) -> String {
    ty.map_or(String::new(), |ty| format!(".{ty}"))
}

/// A bare location without offset stays bare in the tabular forms; everything else is in brackets.
pub(super) fn address(address: &Address, dialect: Dialect) -> String {
    let base = match &address.base {
        Base::Location(name) | Base::Register(name) => name,
    };
    match (&address.base, &address.offset) {
        (Base::Location(_), None) if dialect != Dialect::GpuPtx => base.clone(),
        (_, None) => format!("[{base}]"),
        (_, Some(offset)) => format!("[{base}+{}]", value(offset)),
    }
}

pub(super) fn value(value: &TestOperand) -> String {
    match value {
        TestOperand::Register(name) => name.clone(),
        TestOperand::Integer(n) => n.to_string(),
        TestOperand::AddressOf(location) => location.clone(),
    }
}
