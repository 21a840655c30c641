//! Words of a litmus test of PTX: orders, scopes, relations, and types of numbers, of bits and of
//! accesses.

use margay_ptx::effect::{MemoryOrder, MemoryScope, NumberComparison, Update};
use margay_ptx::{ScalarKind, ScalarType};

pub(crate) fn order_name(order: MemoryOrder) -> &'static str {
    match order {
        MemoryOrder::Weak => "weak",
        MemoryOrder::Relaxed => "relaxed",
        MemoryOrder::Acquire => "acquire",
        MemoryOrder::Release => "release",
        MemoryOrder::AcqRel => "acq_rel",
        MemoryOrder::Sc => "sc",
        MemoryOrder::Volatile => "volatile",
        MemoryOrder::Mmio => "mmio.relaxed",
    }
}

pub(crate) fn scope_name(scope: MemoryScope) -> &'static str {
    match scope {
        MemoryScope::Cta => "cta",
        MemoryScope::Cluster => "cluster",
        MemoryScope::Gpu => "gpu",
        MemoryScope::Sys => "sys",
    }
}

pub(crate) fn qualified(order: MemoryOrder, scope: Option<MemoryScope>) -> String {
    match (order, scope) {
        (MemoryOrder::Weak | MemoryOrder::Volatile, _) | (_, None) => order_name(order).to_owned(),
        (_, Some(scope)) => format!("{}.{}", order_name(order), scope_name(scope)),
    }
}

pub(crate) fn relation_name(relation: NumberComparison) -> &'static str {
    match relation {
        NumberComparison::Equal => "eq",
        NumberComparison::NotEqual => "ne",
        NumberComparison::Less => "lt",
        NumberComparison::LessOrEqual => "le",
        NumberComparison::Greater => "gt",
        NumberComparison::GreaterOrEqual => "ge",
    }
}

/// What a read-modify-write computes.
pub(crate) fn update_name(update: Update) -> &'static str {
    match update {
        Update::Exchange => "exch",
        Update::CompareAndSwap => "cas",
        Update::Add => "add",
        Update::And => "and",
        Update::Or => "or",
        Update::Xor => "xor",
        Update::Increment => "inc",
        Update::Decrement => "dec",
        Update::Min => "min",
        Update::Max => "max",
    }
}

/// The type of an operation on numbers.
pub(crate) fn typed(ty: ScalarType) -> String {
    format!("{}{}", if ty.kind == ScalarKind::Signed { 's' } else { 'u' }, ty.bits.max(8))
}

pub(crate) fn unsigned(ty: ScalarType) -> String {
    format!("u{}", ty.bits.max(16))
}

pub(crate) fn bits_name(ty: ScalarType) -> String {
    format!("b{}", ty.bits.max(16))
}

/// The type of an access: floating-point numbers are bits.
pub(crate) fn data(ty: ScalarType) -> String {
    format!("{}{}", if ty.kind == ScalarKind::Signed { 's' } else { 'u' }, ty.bits)
}
