//! Casts, and the way between a structure and its bases.

use super::{KernelLowering, LoweringResult, TypedValue, ValueForm};
use crate::lex::CudaSpan;
use crate::tree::{CudaExpression, TypeTree};
use crate::types::{CudaType, ReferenceKind, TypeShape};

impl KernelLowering {
    pub(super) fn cast(
        &mut self,
        tree: &TypeTree,
        of: &CudaExpression,
        is_of_bits: bool,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let ty = self.resolved_argument(tree)?;
        let (ty, kind) = (ty.referred(), ty.reference);
        let is_reference = kind.is_some();
        let value = self.lower(of)?;
        if is_reference {
            if let Some(found) = self.cast_along_bases(&value, &ty).filter(|_| !is_of_bits) {
                return Ok(found);
            }
            return match value.form {
                // `static_cast<T&&>(x)` says that it goes.
                ValueForm::Place(place)
                    if value.ty.shape == ty.shape
                        && kind == Some(ReferenceKind::Right)
                        && !ty.is_volatile =>
                {
                    Ok(TypedValue { ty: value.ty, form: ValueForm::Expiring(place) })
                }
                // What is said of it counts, also that it changes after all.
                ValueForm::Place(place) if value.ty.is_similar(&ty) && !ty.is_volatile => {
                    Ok(TypedValue::place(ty, place))
                }
                // What is said to be something else is in memory.
                ValueForm::Place(place) if value.ty.shape != ty.shape || ty.is_volatile => {
                    let address = self.address_of(value.ty, place)?;
                    self.pointed(TypedValue { ty: CudaType::pointer(ty), form: address.form }, at)
                }
                _ => Ok(value),
            };
        }
        if ty.is_void() {
            // A value that is thrown away is read only if it is volatile.
            if value.ty.is_volatile {
                self.rvalue(value)?;
            }
            return Ok(TypedValue::nothing());
        }
        let value = self.rvalue(value)?;
        // Whoever casts an address may say that what it leads to changes, and of bits that they are
        // of another type.
        let value = match (&value.ty.shape, &ty.shape) {
            (TypeShape::Pointer(_), TypeShape::Pointer(to)) if is_of_bits => {
                TypedValue { ty: CudaType::pointer((**to).clone()), form: value.form }
            }
            (TypeShape::Pointer(of), TypeShape::Pointer(to)) => {
                let of = CudaType {
                    is_constant: to.is_constant,
                    is_volatile: to.is_volatile,
                    ..(**of).clone()
                };
                TypedValue { ty: CudaType::pointer(of), form: value.form }
            }
            _ => value,
        };
        self.converted(value, &ty, at)
    }

    /// A structure as one of its bases, or as one that it is a base of.
    pub(super) fn cast_along_bases(&self, value: &TypedValue, to: &CudaType) -> Option<TypedValue> {
        let (ValueForm::Place(place) | ValueForm::Temporary(place)) = &value.form else {
            return None;
        };
        let by = self.distance_of_bases(&value.ty, to)?;
        let ty = to.clone().within(&value.ty);
        Some(TypedValue::place(ty, Self::behind(place, by)))
    }

    /// How far a base begins behind a structure, or, the other way round, in front of what it is.
    pub(super) fn distance_of_bases(&self, from: &CudaType, to: &CudaType) -> Option<i64> {
        let (from, to) = from.structure().zip(to.structure()).filter(|(from, to)| from != to)?;
        let forward = self.base_at(from, to).map(|offset| offset as i64);
        forward.or_else(|| self.base_at(to, from).map(|offset| -(offset as i64)))
    }
}
