//! Values that nobody named and that have a destructor: each is destroyed where its expression
//! ends, unless a variable takes it over.

use super::{KernelLowering, LoweringResult, TypedValue, ValueForm, ValuePlace};
use crate::lex::CudaSpan;
use crate::tree::{CudaExpression, ExpressionKind};

impl KernelLowering {
    /// Notes what an expression made, if it is to be destroyed.
    pub(super) fn note_temporary(&mut self, e: &CudaExpression, value: &TypedValue) {
        let is_made = matches!(
            e.what,
            ExpressionKind::Construct(..)
                | ExpressionKind::ConstructByList(..)
                | ExpressionKind::Call(..)
        );
        if let (true, ValueForm::Temporary(place), Some(number)) =
            (is_made, &value.form, value.ty.structure())
            && self.has_destructor(number)
            && !self.current().temporaries.iter().any(|(known, _)| known == place)
        {
            let place = place.clone();
            self.frame().temporaries.push((place, number));
        }
    }

    /// A variable, a member or a result is from now on what was made; was it to be destroyed?
    pub(super) fn taken_over(&mut self, place: &ValuePlace) -> bool {
        let all = &mut self.frame().temporaries;
        let before = all.len();
        all.retain(|(known, _)| known != place);
        all.len() < before
    }

    /// Destroys what expressions made since there were so many, the last one first.
    pub(super) fn destroy_temporaries(&mut self, from: usize, at: CudaSpan) -> LoweringResult<()> {
        let from = from.min(self.current().temporaries.len());
        let made = self.frame().temporaries.split_off(from);
        made.into_iter().rev().try_for_each(|(place, number)| self.destroy(&place, number, at))
    }

    /// An error where something was made, since there were so many, that is destroyed on some ways
    /// only.
    pub(super) fn has_no_temporaries(&self, from: usize, at: CudaSpan) -> LoweringResult<()> {
        match self.current().temporaries.len() > from {
            true => self.refuse(
                at,
                "a structure with a destructor is made within a condition, or where a condition leads to",
                "put it into a variable in front of the statement",
            ),
            false => Ok(()),
        }
    }
}
