//! An instruction of an architecture that is a text.

use margay_models::diagnostic::{Diagnostic, Span};
use margay_models::execution::Scope;
use margay_models::signature::{self, Architecture};

use super::super::qualifier::Mnemonic;
use super::Operands;
use super::local::KNOWN_LOCAL;
use crate::test::{
    Access, AccessOrder, AtomFunction, AtomInstruction, FenceOrder, LocalFunction,
    NumberComparison, Operation, Type, TypeKind,
};

impl Operands<'_, '_> {
    /// The scope behind the mnemonic of an architecture that is a text.
    pub(super) fn scope_of_text(
        &self,
        m: &mut Mnemonic<'_>,
        architecture: Architecture,
    ) -> Result<Scope, Diagnostic> {
        let names = architecture.scope_names();
        let Some(&(word, span)) = m.qualifiers.first() else {
            let error =
                self.cursor.error("the instruction needs a scope", m.span, "no scope behind it");
            return Err(error.help(format!(
                "append one, e.g. `.{}`; {architecture} has {names}",
                architecture.scope_name(Scope::Sys)
            )));
        };
        let Some(scope) = architecture.scope_named(word) else {
            let known: Vec<&str> = architecture.levels().map(signature::ScopeLevel::name).collect();
            let error = self.cursor.unknown("scope", word, span, known);
            return Err(if error.help.is_some() {
                error
            } else {
                error.help(format!("{architecture} has {names}"))
            });
        };
        m.qualifiers.remove(0);
        Ok(scope)
    }

    /// An instruction that the architecture's text does not have: the nearest one, or all that it
    /// has.
    fn unknown_to(&self, architecture: Architecture, words: &[&str], span: Span) -> Diagnostic {
        let has: Vec<&str> = architecture
            .constructs()
            .into_iter()
            .filter_map(|c| architecture.mnemonic(c))
            .collect();
        let error = self.cursor.unknown(
            "instruction",
            &words.join("."),
            span,
            has.iter().copied().chain(KNOWN_LOCAL),
        );
        if error.help.is_some() {
            error
        } else {
            error.help(format!("{architecture} has {}", has.join(", ")))
        }
    }

    /// An instruction of an architecture that is a text; `None` for those that access no memory.
    pub(super) fn of_text(
        &mut self,
        m: &mut Mnemonic<'_>,
        architecture: Architecture,
    ) -> Result<Option<Operation>, Diagnostic> {
        let words: Vec<&str> =
            std::iter::once(m.name).chain(m.qualifiers.iter().map(|(w, _)| *w)).collect();
        let named = |n: usize| architecture.instruction(&words[..n].join("."));
        let Some((construct, length)) = (1..=words.len()).rev().find_map(|n| Some((named(n)?, n)))
        else {
            // Which barrier it is that the instruction in front of it meets at.
            let is_barrier = m.name == "bar" && architecture.has_barriers();
            if m.name == LocalFunction::Pick.name() {
                return self.local(m, LocalFunction::Pick).map(Some);
            }
            let is_local = is_barrier
                || KNOWN_LOCAL.contains(&m.name)
                || m.name.strip_prefix('b').and_then(NumberComparison::of_mnemonic).is_some();
            return if is_local {
                Ok(None)
            } else {
                Err(self.unknown_to(architecture, &words, m.span))
            };
        };
        m.qualifiers.drain(..length - 1);
        let tags = architecture.tags_of(construct);
        let scope = match architecture.takes_scope(construct) {
            true => Some(self.scope_of_text(m, architecture)?),
            false => None,
        };
        let access = Access { order: Some(AccessOrder::Text(tags)), scope, ..Access::default() };
        Ok(Some(match construct.operation {
            signature::Operation::Read => {
                m.finish(self.cursor, &[])?;
                let destination = self.destination()?;
                self.comma()?;
                Operation::Load { access, destination, address: self.address()? }
            }
            signature::Operation::Write if architecture.is_half(construct) => {
                m.finish(self.cursor, &[])?;
                let status = self.destination()?;
                self.comma()?;
                let address = self.address()?;
                self.comma()?;
                Operation::StoreConditional { access, status, address, value: self.value()? }
            }
            signature::Operation::Write => {
                m.finish(self.cursor, &[])?;
                let address = self.address()?;
                self.comma()?;
                Operation::Store { access, address, value: self.value()? }
            }
            signature::Operation::Fence => {
                m.finish(self.cursor, &[])?;
                Operation::Fence { order: Some(FenceOrder::Text(tags)), scope }
            }
            signature::Operation::Rmw => {
                let functions = AtomFunction::ALL;
                let function = m.take(self.cursor, "function", |w| {
                    functions.into_iter().find(|f| f.name() == w)
                })?;
                // In the output of compilers a maximum may be one of numbers without a sign.
                let compared = matches!(function, Some(AtomFunction::Min | AtomFunction::Max))
                    && self.names.is_compiled();
                let unsigned = |w: &str| {
                    Some(Type::new(TypeKind::Unsigned, 64))
                        .filter(|ty| compared && ty.to_string() == w)
                };
                let access = Access { ty: m.take(self.cursor, "type", unsigned)?, ..access };
                m.finish(self.cursor, &functions.map(AtomFunction::name))?;
                let function = function.unwrap_or(AtomFunction::Exchange);
                let destination = self.destination()?;
                self.comma()?;
                let address = self.address()?;
                self.comma()?;
                let operand = self.value()?;
                let replacement = match function {
                    AtomFunction::CompareAndSwap => {
                        self.comma()?;
                        Some(self.value()?)
                    }
                    _ => None,
                };
                Operation::Atom(AtomInstruction {
                    access,
                    function,
                    destination: Some(destination),
                    address,
                    operand,
                    replacement,
                })
            }
        }))
    }
}
