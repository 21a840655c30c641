//! `memcpy` of so many bytes as are known, element by element of what is written, as the library's
//! loop does it: variables of a thread stay in registers.

use super::{KernelLowering, LoweringResult, TypedValue, ValueForm};
use crate::lex::CudaSpan;
use crate::tree::CudaExpression;
use crate::types::{CudaType, TypeShape};

/// The most bytes that are copied without a loop.
const MAX_BYTES: u64 = 256;

impl KernelLowering {
    /// Copies as many bytes as a constant says; nothing where they are no constant, or many.
    pub(super) fn copied_memory(
        &mut self,
        arguments: &[CudaExpression],
        at: CudaSpan,
    ) -> LoweringResult<Option<TypedValue>> {
        let [to, from, size] = arguments else { return Ok(None) };
        let size = self
            .if_possible(|this| this.constant(size, "how many bytes are copied"))?
            .and_then(|size| size.known());
        let Some(size) = size.filter(|size| *size <= MAX_BYTES) else { return Ok(None) };
        let to = self.value(to)?;
        let from = self.value(from)?;
        let is_whole = |ty: &CudaType| {
            !ty.is_void() && !matches!(ty.shape, TypeShape::Array(_, None) | TypeShape::Function)
        };
        let (Some(of_to), Some(of_from)) = (to.ty.element().cloned(), from.ty.element().cloned())
        else {
            return self.refuse(
                at,
                "`memcpy` is of two addresses",
                "give where it goes, where it comes from, and how many bytes",
            );
        };
        let element = match [of_to, of_from].into_iter().find(|ty| is_whole(ty)) {
            Some(ty) => (*ty).clone(),
            None => CudaType::integer(1, false),
        };
        let step = self.size_of(&element, at)?.0.max(1);
        self.set_position(at);
        let pointer = |value: &TypedValue, ty: &CudaType| TypedValue {
            ty: CudaType::pointer(ty.clone()),
            form: value.form.clone(),
        };
        let byte = CudaType::integer(1, false);
        let (whole, rest) = (size / step, size % step);
        let pieces = (0..whole)
            .map(|n| (n * step, &element))
            .chain((0..rest).map(|n| (whole * step + n, &byte)));
        for (offset, ty) in pieces {
            let (source, target) =
                (self.pointed(pointer(&from, ty), at)?, self.pointed(pointer(&to, ty), at)?);
            let (ValueForm::Place(source_place), ValueForm::Place(target_place)) =
                (source.form, target.form)
            else {
                continue;
            };
            let (source_place, target_place) = (
                Self::behind(&source_place, offset as i64),
                Self::behind(&target_place, offset as i64),
            );
            self.copy(&source_place, &ty.value(), &target_place, &ty.value(), at)?;
        }
        Ok(Some(to))
    }
}
