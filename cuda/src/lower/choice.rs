//! `c ? a : b`: one of two values, or one of two variables where the place is of interest.

use super::{KernelLowering, LoweringResult, TypedValue, ValueForm, ValuePlace};
use crate::lex::CudaSpan;
use crate::tree::{CudaExpression, ExpressionKind};
use crate::types::{CudaType, TypeShape};

impl KernelLowering {
    /// Runs something whose code is put elsewhere.
    pub(super) fn captured<T>(
        &mut self,
        act: impl FnOnce(&mut Self) -> LoweringResult<T>,
    ) -> LoweringResult<(String, T)> {
        let outer = std::mem::take(&mut self.body);
        let line = std::mem::take(&mut self.line);
        let done = act(self);
        let code = std::mem::replace(&mut self.body, outer);
        self.line = line;
        Ok((code, done?))
    }

    /// An expression whose place is of interest: what `c ? a : b` chooses is then one of the two,
    /// and no copy.
    pub(super) fn lower_place(&mut self, e: &CudaExpression) -> LoweringResult<TypedValue> {
        self.asks_for_place(e);
        self.lower(e)
    }

    pub(super) fn asks_for_place(&mut self, e: &CudaExpression) {
        match &e.what {
            ExpressionKind::Choice(_, then, otherwise) => {
                self.places_chosen.insert(e.at);
                self.asks_for_place(then);
                self.asks_for_place(otherwise);
            }
            ExpressionKind::Member(of, _, false)
            | ExpressionKind::Index(of, _)
            | ExpressionKind::Comma(_, of) => {
                self.asks_for_place(of);
            }
            _ => {}
        }
    }

    /// `c ? a : b` of two variables of one type, as the one that is chosen; nothing where they are
    /// none.
    pub(super) fn choice_of_places(
        &mut self,
        predicate: &str,
        then: &CudaExpression,
        otherwise: &CudaExpression,
        at: CudaSpan,
    ) -> LoweringResult<Option<TypedValue>> {
        let (first, a) = self.captured(|this| this.lower(then))?;
        let (second, b) = self.captured(|this| this.lower(otherwise))?;
        let (ValueForm::Place(x), ValueForm::Place(y)) = (&a.form, &b.form) else {
            return Ok(None);
        };
        if !a.ty.is_similar(&b.ty) {
            return Ok(None);
        }
        let ty = a.ty.clone().within(&b.ty);
        let pointer = CudaType::pointer(ty);
        let register = self.new_register(&pointer);
        let (other, end) = (self.label(), self.label());
        self.emit(format!("@!{predicate} bra $L_{other}"))?;
        for (n, (code, of, place)) in [(first, &a, x), (second, &b, y)].into_iter().enumerate() {
            self.body.push_str(&code);
            self.line = (0, 0);
            let address = self.address_of(of.ty.clone(), place.clone())?;
            self.store(&ValuePlace::Register(register.clone()), &pointer.value(), address)?;
            if n == 0 {
                self.jump(end)?;
                self.put_label(other);
            } else {
                self.put_label(end);
            }
        }
        self.pointed(TypedValue::register(pointer, register), at).map(Some)
    }

    /// The pointer that two of them become (C++ [expr.type]): to the base, or to `void`, with what
    /// either says of what it leads to.
    pub(super) fn common_pointer(&self, a: &CudaType, b: &CudaType) -> Option<CudaType> {
        let (TypeShape::Pointer(of_a), TypeShape::Pointer(of_b)) = (&a.shape, &b.shape) else {
            return None;
        };
        let is_base = |base: &CudaType, of: &CudaType| {
            base.structure()
                .zip(of.structure())
                .is_some_and(|(base, of)| base != of && self.base_at(of, base).is_some())
        };
        let of = if of_b.is_void() || is_base(of_b, of_a) { of_b } else { of_a };
        Some(CudaType::pointer((**of).clone().within(of_a).within(of_b)))
    }

    pub(super) fn choice(
        &mut self,
        condition: &CudaExpression,
        then: &CudaExpression,
        otherwise: &CudaExpression,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let is_place = self.places_chosen.contains(&at);
        let predicate = match self.predicate_of(condition)? {
            Ok(taken) if is_place => return self.lower(if taken { then } else { otherwise }),
            Ok(taken) => {
                let (taken, other) = if taken { (then, otherwise) } else { (otherwise, then) };
                let value = self.lower(taken)?;
                // What is not taken says the type as well.
                let other = self
                    .if_possible(|this| this.only_for_type(|this| this.lower(other)))?
                    .map(|other| other.ty.value());
                return match other {
                    Some(other)
                        if value.ty.is_arithmetic()
                            && other.is_arithmetic()
                            && value.ty.shape != other.shape =>
                    {
                        let ty = value.ty.common(&other);
                        self.converted(value, &ty, at)
                    }
                    Some(other) if value.ty.shape == TypeShape::Null && other.is_pointer() => {
                        self.converted(value, &other, at)
                    }
                    _ => Ok(value),
                };
            }
            Err(predicate) => predicate,
        };
        if is_place && let Some(found) = self.choice_of_places(&predicate, then, otherwise, at)? {
            return Ok(found);
        }
        let made = self.current().temporaries.len();
        let (first, a) = self.captured(|this| this.value(then))?;
        let (second, b) = self.captured(|this| this.value(otherwise))?;
        self.has_no_temporaries(made, at)?;
        let ty = match (&a.ty, &b.ty) {
            (a, b) if a.is_void() || b.is_void() => CudaType::VOID,
            (a, b) if a.structure().is_some() && a.structure() == b.structure() => a.value(),
            (a, b) if a.is_arithmetic() && b.is_arithmetic() && a.shape != b.shape => a.common(b),
            (a, b) if a.is_arithmetic() && b.is_arithmetic() || b.shape == TypeShape::Null => {
                a.value()
            }
            (a, b) if a.shape == TypeShape::Null || a.structure().is_some() => b.value(),
            (a, b) => self.common_pointer(a, b).unwrap_or_else(|| a.value()),
        };
        if first.is_empty() && second.is_empty() && ty.is_scalar() {
            let (a, b) = (self.converted(a, &ty, at)?, self.converted(b, &ty, at)?);
            let (a, b) = (self.operand(&a)?, self.operand(&b)?);
            let to = self.new_register(&ty);
            let of = ty.of_register().replace('s', "u");
            self.emit(format!("selp.{of} {to}, {a}, {b}, {predicate}"))?;
            return Ok(TypedValue::register(ty, to));
        }
        let result = match ty.structure() {
            Some(_) => {
                let (bytes, align) = self.size_of(&ty, at)?;
                Some(TypedValue::place(ty.clone(), self.local("chosen", bytes, align, at)?))
            }
            None if ty.is_void() => None,
            None => {
                let register = self.new_register(&ty);
                Some(TypedValue::place(ty.clone(), ValuePlace::Register(register)))
            }
        };
        let (other, end) = (self.label(), self.label());
        self.emit(format!("@!{predicate} bra $L_{other}"))?;
        for (n, (code, value)) in [(first, a), (second, b)].into_iter().enumerate() {
            self.body.push_str(&code);
            self.line = (0, 0);
            if let Some(result) = &result {
                match ty.structure() {
                    Some(number) => {
                        let (ValueForm::Place(to) | ValueForm::Temporary(to)) = result.form.clone()
                        else {
                            continue;
                        };
                        self.construct_at(&to, number, vec![value], at)?;
                    }
                    None => self.put(result, value, at)?,
                }
            }
            if n == 0 {
                self.jump(end)?;
                self.put_label(other);
            } else {
                self.put_label(end);
            }
        }
        let Some(result) = result else { return Ok(TypedValue::nothing()) };
        Ok(match result.form {
            ValueForm::Place(ValuePlace::Register(register)) => TypedValue::register(ty, register),
            ValueForm::Place(place) => TypedValue { ty, form: ValueForm::Temporary(place) },
            form => TypedValue { ty, form },
        })
    }
}
