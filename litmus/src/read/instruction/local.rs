//! What accesses no memory: arithmetic, conversions, comparisons, branches.

use margay_models::diagnostic::{Diagnostic, Span};

use super::super::qualifier::Mnemonic;
use super::Operands;
use crate::test::{LocalFunction, NumberComparison, Operation, Type, TypeKind};

/// The names of what accesses no memory: every architecture has them.
pub(super) const KNOWN_LOCAL: [&str; 28] = [
    "mov", "cvt", "add", "sub", "mul", "div", "rem", "and", "or", "xor", "not", "neg", "shl",
    "shr", "min", "max", "setp", "goto", "bra", "beq", "bne", "blt", "ble", "bgt", "bge", "exit",
    "mad", "selp",
];

impl Operands<'_, '_> {
    pub(super) fn branch(
        &mut self,
        m: &mut Mnemonic<'_>,
        comparison: NumberComparison,
    ) -> Result<Operation, Diagnostic> {
        m.finish(self.cursor, &[])?;
        let left = self.value()?;
        self.comma()?;
        let right = self.value()?;
        self.comma()?;
        let target = self.cursor.word("a label")?.0.to_string();
        Ok(Operation::BranchIf { comparison, left, right, target })
    }

    pub(super) fn local(
        &mut self,
        m: &mut Mnemonic<'_>,
        function: LocalFunction,
    ) -> Result<Operation, Diagnostic> {
        let wide = m.take_word(&["wide"]).is_some();
        m.take_word(&["lo"]);
        let function = match function {
            LocalFunction::Multiply if wide => LocalFunction::MultiplyWide,
            LocalFunction::MultiplyAdd if wide => LocalFunction::MultiplyAddWide,
            other => other,
        };
        let place = m
            .qualifiers
            .iter()
            .find(|(w, _)| Type::from_name(w).is_some())
            .map_or(m.span, |(_, span)| *span);
        let ty = m.take(self.cursor, "type", Type::from_name)?;
        m.finish(self.cursor, &["s32", "u32", "b32", "s64", "u64", "b64", "pred", "lo", "wide"])?;
        if let Some(ty) = ty {
            self.computes(m, function, ty, place)?;
        }
        self.computed(function, ty)
    }

    /// `cvt.u64.u32 r1, r0`
    pub(super) fn conversion(&mut self, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
        let mut types = Vec::new();
        m.qualifiers.retain(|(word, span)| {
            let ty = Type::from_name(word);
            types.extend(ty.map(|ty| (ty, *span)));
            ty.is_none()
        });
        m.finish(self.cursor, &["s32", "u32", "s64", "u64", "s16", "u16", "s8", "u8"])?;
        let [(to, _), (from, place)] = types[..] else {
            let error =
                self.cursor.error("`cvt` needs two types", m.span, format!("{} here", types.len()));
            return Err(error.help("that of the result and that of the operand: `cvt.u64.u32`"));
        };
        self.computes(m, LocalFunction::Convert(from), to, place)?;
        if from != to {
            self.computes(m, LocalFunction::Convert(from), from, place)?;
        }
        self.computed(LocalFunction::Convert(from), Some(to))
    }

    /// An error where the type is none that is computed with.
    pub(super) fn computes(
        &self,
        m: &Mnemonic<'_>,
        function: LocalFunction,
        ty: Type,
        place: Span,
    ) -> Result<(), Diagnostic> {
        let moves =
            matches!(function, LocalFunction::Move | LocalFunction::Select | LocalFunction::Pick);
        let compares = matches!(function, LocalFunction::Compare(_));
        if moves
            || !ty.kind.is_float()
                && !ty.packed
                && ty.bits <= 64
                && (ty.kind != TypeKind::Predicate || !compares)
        {
            return Ok(());
        }
        let what = if ty.packed { "both elements at once" } else { "no integers" };
        let error =
            self.cursor.error(format!("`{}` with `.{ty}` is not modelled", m.name), place, what);
        Err(error.help(
            "values are integers of up to 64 bits; `mov`, `selp`, loads and stores take any type",
        ))
    }

    pub(super) fn computed(
        &mut self,
        function: LocalFunction,
        ty: Option<Type>,
    ) -> Result<Operation, Diagnostic> {
        let destination = self.destination()?;
        let mut operands = Vec::new();
        for _ in 0..function.arity() {
            self.comma()?;
            operands.push(self.value()?);
        }
        Ok(Operation::Local { function, ty, destination, operands })
    }
}
