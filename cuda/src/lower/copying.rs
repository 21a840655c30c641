//! How structures are copied: byte by byte, or member by member where one of these says itself how
//! it is copied.

use std::rc::Rc;

use super::{KernelLowering, LoweringResult, TypedValue, ValueForm, ValuePlace};
use crate::lex::CudaSpan;
use crate::tree::{FunctionRole, FunctionTree};
use crate::types::{CudaType, TypeShape};

/// Is a new structure made of another one, or one that is there assigned?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CopyKind {
    Made,
    Assigned,
}

/// The structures that a type is made of: an array is of its elements, one by one.
pub(super) fn element_structure(ty: &CudaType) -> Option<(usize, u64)> {
    match &ty.shape {
        TypeShape::Structure(number) => Some((*number, 1)),
        TypeShape::Array(of, count) => element_structure(of)
            .map(|(number, inner)| (number, inner.saturating_mul(count.unwrap_or(0)))),
        _ => None,
    }
}

impl KernelLowering {
    /// Does a structure say itself how it is copied?
    pub(super) fn copies_itself(&self, number: usize, kind: CopyKind) -> bool {
        let tree = self.structures[number].tree.clone();
        let is_own = |m: &Rc<FunctionTree>| {
            m.role == FunctionRole::Constructor
                && m.parameters.len() == 1
                && self.has_body(m, number)
                && self.takes_own(m, &tree.name)
        };
        match kind {
            CopyKind::Made => tree.methods.iter().any(is_own),
            CopyKind::Assigned => self.has_own_assignment(number),
        }
    }

    /// Does anything in a structure say itself how it is copied?
    pub(super) fn has_copying_parts(&self, number: usize, kind: CopyKind) -> bool {
        let layout = &self.structures[number];
        let of_fields = layout
            .fields
            .iter()
            .filter(|f| !f.is_reference)
            .filter_map(|f| element_structure(&f.ty));
        let mut all =
            layout.bases.iter().map(|(base, _)| *base).chain(of_fields.map(|(number, _)| number));
        all.any(|part| self.copies_itself(part, kind) || self.has_copying_parts(part, kind))
    }

    /// A copy of a structure that does not say itself how it is made, by its bases and members; of
    /// what goes they go.
    pub(super) fn copied_by_parts(
        &mut self,
        (from, is_expiring): (&ValuePlace, bool),
        from_ty: &CudaType,
        to: &TypedValue,
        kind: CopyKind,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        let (Some(number), ValueForm::Place(place) | ValueForm::Temporary(place)) =
            (to.ty.structure(), &to.form)
        else {
            return Ok(());
        };
        let place = place.clone();
        if !self.has_copying_parts(number, kind) || self.structures[number].tree.is_union {
            return self.copy(from, from_ty, &place, &to.ty, at);
        }
        let layout = self.structures[number].clone();
        let inherited: usize =
            layout.bases.iter().map(|(base, _)| self.structures[*base].fields.len()).sum();
        let bases = layout
            .bases
            .iter()
            .map(|&(base, offset)| (CudaType::plain(TypeShape::Structure(base)), offset, None));
        let own = layout.fields[inherited..]
            .iter()
            .map(|field| (field.ty.clone(), field.offset, Some(field.clone())));
        for (ty, offset, field) in bases.chain(own).collect::<Vec<_>>() {
            let is_reference = field.as_ref().is_some_and(|f| f.is_reference);
            let Some((part, count)) = element_structure(&ty).filter(|_| !is_reference) else {
                let ty = if is_reference { CudaType::pointer(ty) } else { ty };
                let (source, target) = match &field {
                    Some(field) => {
                        (Self::field_place(from, field), Self::field_place(&place, field))
                    }
                    None => {
                        (Self::behind(from, offset as i64), Self::behind(&place, offset as i64))
                    }
                };
                match ty.is_scalar() {
                    true => {
                        let value =
                            self.rvalue(TypedValue::place(ty.clone().within(from_ty), source))?;
                        self.store(&target, &ty.value(), value)?;
                    }
                    false => self.copy(&source, &ty.clone().within(from_ty), &target, &ty, at)?,
                }
                continue;
            };
            let step = self.structures[part].size;
            for n in 0..count.min(super::MAX_PARTS) {
                let by = (offset + n * step) as i64;
                let (source, target) = (Self::behind(from, by), Self::behind(&place, by));
                let of = CudaType::plain(TypeShape::Structure(part));
                let form = if is_expiring {
                    ValueForm::Expiring(source)
                } else {
                    ValueForm::Place(source)
                };
                let value = TypedValue { ty: of.clone().within(from_ty), form };
                match kind {
                    CopyKind::Made => self.construct_at(&target, part, vec![value], at)?,
                    CopyKind::Assigned => {
                        _ = self.assigned_structure(TypedValue::place(of, target), value, at)?
                    }
                }
            }
        }
        Ok(())
    }
}
