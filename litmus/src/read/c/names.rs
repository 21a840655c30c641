//! The names of memory orders and scopes, in every spelling.

use margay_models::diagnostic::{Diagnostic, Span};
use margay_models::execution::Scope;

use super::CReader;
use crate::test::{CMemoryOrder, CScope};

/// C11, C++ (`memory_order::`), CUDA.
const ORDERS: [(&str, CMemoryOrder); 6] = [
    ("relaxed", CMemoryOrder::Relaxed),
    ("acquire", CMemoryOrder::Acquire),
    ("consume", CMemoryOrder::Acquire),
    ("release", CMemoryOrder::Release),
    ("acq_rel", CMemoryOrder::AcqRel),
    ("seq_cst", CMemoryOrder::SeqCst),
];

/// OpenCL's scopes, CUDA's, and PTX's names for them.
const SCOPES: [(&str, Scope); 14] = [
    ("work_group", Scope::Cta),
    ("wg", Scope::Cta),
    ("block", Scope::Cta),
    ("cta", Scope::Cta),
    ("cluster", Scope::Cluster),
    ("device", Scope::Gpu),
    ("dev", Scope::Gpu),
    ("gpu", Scope::Gpu),
    ("all_svm_devices", Scope::Sys),
    ("all_devices", Scope::Sys),
    ("system", Scope::Sys),
    ("sys", Scope::Sys),
    ("systemwide", Scope::Sys),
    ("svm", Scope::Sys),
];

impl CReader<'_, '_> {
    /// An argument that is a memory order or a scope, if the next one is.
    pub(super) fn order_or_scope(&mut self) -> Result<Option<OrderOrScope>, Diagnostic> {
        let mut ahead = 0;
        // `cuda::std::memory_order_relaxed`, `memory_order::relaxed`
        while self.cursor.word_at(ahead).is_some()
            && self.cursor.is_at(ahead + 1, ':')
            && self.cursor.is_at(ahead + 2, ':')
        {
            if matches!(
                self.cursor.word_at(ahead),
                Some("memory_order" | "thread_scope" | "memory_scope")
            ) {
                break;
            }
            ahead += 3;
        }
        let Some(word) = self.cursor.word_at(ahead) else { return Ok(None) };
        let is_order =
            word == "memory_order" || word.starts_with("memory_order_") || word.starts_with("mo_");
        let is_scope = word == "thread_scope"
            || ["memory_scope_", "thread_scope_", "memory_scope"]
                .iter()
                .any(|p| word.starts_with(p));
        if !is_order && !is_scope {
            return Ok(None);
        }
        let (name, span) = self.path("a memory order or scope")?;
        Ok(Some(if is_order {
            OrderOrScope::Order(self.order(name, span)?)
        } else {
            OrderOrScope::Scope(self.scope(name, span)?)
        }))
    }

    fn order(&self, name: &str, span: Span) -> Result<CMemoryOrder, Diagnostic> {
        let short =
            name.strip_prefix("memory_order_").or_else(|| name.strip_prefix("mo_")).unwrap_or(name);
        let found = ORDERS.iter().find(|(n, _)| *n == short).map(|(_, order)| *order);
        found.ok_or_else(|| {
            self.cursor.unknown("memory order", short, span, ORDERS.iter().map(|(n, _)| *n))
        })
    }

    /// The scope of a name such as `memory_scope_device` or `thread_scope_block`.
    pub(super) fn scope(&self, name: &str, span: Span) -> Result<CScope, Diagnostic> {
        let short = name
            .strip_prefix("memory_scope_")
            .or_else(|| name.strip_prefix("thread_scope_"))
            .unwrap_or(name);
        if matches!(short, "work_item" | "thread") {
            return Ok(CScope::WorkItem);
        }
        if matches!(short, "sub_group" | "warp") {
            let error = self.cursor.error(
                format!("scope `{name}` is not modelled"),
                span,
                "narrower than a work-group",
            );
            return Err(error.help("sub-groups are no scope of PTX (PTX ISA 8.5) nor of any model here: take a work-group"));
        }
        let found =
            SCOPES.iter().find(|(n, _)| *n == short).map(|(_, scope)| CScope::Threads(*scope));
        found.ok_or_else(|| {
            self.cursor.unknown("scope", short, span, SCOPES.iter().map(|(n, _)| *n))
        })
    }
}

/// An argument after the values of an atomic call.
pub(super) enum OrderOrScope {
    Order(CMemoryOrder),
    Scope(CScope),
}
