//! `st.async` and `red.async` (PTX ISA 9.7.9, 9.7.13), and what all asynchronous operations have in
//! common.

use margay_models::diagnostic::Diagnostic;

use super::super::qualifier::{Mnemonic, function_from_name, space_from_name};
use super::Operands;
use crate::test::{
    AsyncAction, AsyncCompletion, AsyncFamily, AsyncOperation, AtomFunction, Operation, Space, Type,
};

/// What an operation completes on.
pub(super) const COMPLETES: &str = "mbarrier::complete_tx::bytes";

/// Qualifiers of asynchronous operations that are refused: the word, and why.
const REFUSED: [(&str, &str); 7] = [
    ("prefetch", "it changes no value and orders nothing: leave it out"),
    (
        "cp_mask",
        "a mask of bytes takes a location apart: write a copy of the bytes that are copied",
    ),
    ("ignore_oob", "bytes outside of the source are not modelled"),
    ("mmio", "asynchronous accesses with memory orders are not modelled"),
    ("release", "asynchronous accesses with memory orders are not modelled"),
    ("noftz", "arithmetic of floating-point numbers is not modelled"),
    ("cta_group::2", "pairs of ctas are not modelled"),
];

impl Operands<'_, '_> {
    /// Refuses what is not modelled of asynchronous operations, by the qualifier that says it.
    pub(super) fn refuse_asynchronous(&self, m: &Mnemonic<'_>) -> Result<(), Diagnostic> {
        let refused = m.qualifiers.iter().find_map(|(word, span)| {
            let (_, why) = REFUSED.iter().find(|(name, _)| name == word)?;
            Some(self.cursor.error(
                format!("a `{}` with `.{word}` is not modelled", m.name),
                *span,
                *why,
            ))
        });
        refused.map_or(Ok(()), Err)
    }

    /// `st.async`
    pub(super) fn store_async(&mut self, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
        self.refuse_asynchronous(m)?;
        let vector = self.vector(m)?;
        m.take_word(&["async"]);
        m.take_word(&["weak"]);
        let ty = self.on_mbarrier(m)?;
        let to = self.address()?;
        self.comma()?;
        let values = match vector {
            Some(count) => self.braced(count, Self::value)?,
            None => vec![self.value()?],
        };
        self.comma()?;
        let completion = AsyncCompletion::Mbarriers(vec![self.address()?]);
        let action = AsyncAction::Store { ty, to, values };
        let (family, to_space) = (AsyncFamily::Element, Space::Shared);
        Ok(Operation::Async(AsyncOperation {
            family,
            to_space,
            from_space: None,
            action,
            completion,
        }))
    }

    /// `red.async`
    pub(super) fn reduce_async(&mut self, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
        self.refuse_asynchronous(m)?;
        m.take_word(&["async"]);
        m.take_word(&["relaxed"]);
        m.take_word(&["cluster"]);
        let function = m.take(self.cursor, "function", function_from_name)?;
        let Some(function) = function
            .filter(|f| !matches!(f, AtomFunction::Exchange | AtomFunction::CompareAndSwap))
        else {
            return Err(self.cursor.error(
                "`red.async` needs a function",
                m.span,
                "write e.g. `.add`",
            ));
        };
        let ty = self.on_mbarrier(m)?;
        let to = self.address()?;
        self.comma()?;
        let value = self.value()?;
        self.comma()?;
        let completion = AsyncCompletion::Mbarriers(vec![self.address()?]);
        let action = AsyncAction::Reduce { function, ty, to, value };
        let (family, to_space) = (AsyncFamily::Element, Space::Shared);
        Ok(Operation::Async(AsyncOperation {
            family,
            to_space,
            from_space: None,
            action,
            completion,
        }))
    }

    /// The qualifiers of what completes on an mbarrier in shared memory of the cluster; gives the
    /// type.
    fn on_mbarrier(&self, m: &mut Mnemonic<'_>) -> Result<Option<Type>, Diagnostic> {
        let completes = m.take_word(&[COMPLETES]).is_some();
        let place = m
            .qualifiers
            .iter()
            .find(|(word, _)| space_from_name(word).is_some())
            .map_or(m.span, |(_, span)| *span);
        let space = m.take(self.cursor, "state space", space_from_name)?;
        let ty = m.take(self.cursor, "type", Type::from_name)?;
        m.finish(
            self.cursor,
            &["async", COMPLETES, "shared::cluster", "b32", "b64", "u32", "s32"],
        )?;
        if !completes {
            return Err(self.cursor.error(
                format!("`{}.async` needs `.{COMPLETES}`", m.name),
                m.span,
                "no completion mechanism",
            ));
        }
        if space == Some(Space::Global) {
            return Err(self.cursor.error(
                "into global memory",
                place,
                "it writes shared memory of the cluster",
            ));
        }
        if ty.is_none() {
            return Err(self.cursor.error(
                format!("`{}.async` needs a type", m.name),
                m.span,
                "the mbarrier counts its bytes: e.g. `.b32`",
            ));
        }
        Ok(ty)
    }
}
