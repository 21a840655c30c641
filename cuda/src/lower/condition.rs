//! Conditions: as predicates, and as jumps.

use std::rc::Rc;

use super::{KernelLowering, LoweringResult, TypedValue, ValueForm};
use crate::lex::CudaSpan;
use crate::tree::{CudaBinary, CudaExpression, CudaUnary, ExpressionKind};
use crate::types::CudaType;

impl KernelLowering {
    /// A condition as a predicate, or its value where that is known.
    pub(super) fn predicate_of(
        &mut self,
        e: &CudaExpression,
    ) -> LoweringResult<Result<bool, Rc<str>>> {
        use CudaBinary as B;
        if let ExpressionKind::Binary(
            of @ (B::Equal
            | B::NotEqual
            | B::Less
            | B::LessOrEqual
            | B::Greater
            | B::GreaterOrEqual),
            a,
            b,
        ) = &e.what
        {
            self.enter(e.at)?;
            self.set_position(e.at);
            let (a, b) = self.operands(a, b)?;
            let found = match self.by_operator(*of, &a, &b, e.at)? {
                Some(value) => self.predicate_of_value(value, e.at)?,
                None => {
                    let (a, b) = (self.plain(a, e.at)?, self.plain(b, e.at)?);
                    self.compared(*of, a, b, e.at)?
                }
            };
            self.depth -= 1;
            return Ok(found);
        }
        let value = self.value(e)?;
        self.predicate_of_value(value, e.at)
    }

    pub(super) fn predicate_of_value(
        &mut self,
        value: TypedValue,
        at: CudaSpan,
    ) -> LoweringResult<Result<bool, Rc<str>>> {
        let value = match value.ty.structure() {
            Some(number) => self.converted_by_method(value, number, &CudaType::BOOL, at)?,
            None => value,
        };
        if !value.ty.is_scalar() {
            let text = format!("a value of the type {} is no condition", self.type_text(&value.ty));
            return self.refuse(at, text, "a condition is a number, an address or a `bool`");
        }
        match &value.form {
            ValueForm::Constant(bits) if !value.ty.is_real() => Ok(Ok(*bits != 0)),
            ValueForm::Address(_) | ValueForm::Text(_) => Ok(Ok(true)),
            _ => Ok(Err(self.is_not_zero(&value)?)),
        }
    }

    /// Goes to a label if a condition is `when`. What is returned is the condition where it is
    /// known; then nothing was jumped.
    pub(super) fn condition(
        &mut self,
        e: &CudaExpression,
        target: u32,
        when: bool,
    ) -> LoweringResult<Option<bool>> {
        use CudaBinary as B;
        match &e.what {
            ExpressionKind::Unary(CudaUnary::Not, inner)
                if !self.is_negated_by_operator(inner)? =>
            {
                self.enter(e.at)?;
                let found = self.condition(inner, target, !when)?;
                self.depth -= 1;
                Ok(found.map(|value| !value))
            }
            ExpressionKind::Binary(of @ (B::BothTrue | B::OneTrue), a, b) => {
                self.enter(e.at)?;
                // What the first operand must be for the second one not to be looked at.
                let decides = *of == B::OneTrue;
                let made = self.current().temporaries.len();
                let found = if when == decides {
                    match self.condition(a, target, when)? {
                        Some(value) if value == decides => Some(value),
                        Some(_) => self.condition(b, target, when)?,
                        None => {
                            if self.condition(b, target, when)? == Some(when) {
                                self.jump(target)?;
                            }
                            None
                        }
                    }
                } else {
                    let skip = self.label();
                    match self.condition(a, skip, decides)? {
                        Some(value) if value == decides => Some(value),
                        Some(_) => self.condition(b, target, when)?,
                        None => {
                            if self.condition(b, target, when)? == Some(when) {
                                self.jump(target)?;
                            }
                            self.put_label(skip);
                            None
                        }
                    }
                };
                self.has_no_temporaries(made, e.at)?;
                self.depth -= 1;
                Ok(found)
            }
            _ => match self.predicate_of(e)? {
                Ok(value) => Ok(Some(value)),
                Err(predicate) => {
                    let not = if when { "" } else { "!" };
                    self.emit(format!("@{not}{predicate} bra $L_{target}"))?;
                    Ok(None)
                }
            },
        }
    }
}
