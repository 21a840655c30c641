//! Arithmetic and conversions.

use std::rc::Rc;

use super::{KernelLowering, LoweringResult, TypedValue, ValueForm, ValuePlace};
use crate::lex::CudaSpan;
use crate::tree::CudaBinary;
use crate::types::{CudaType, TypeShape};

impl KernelLowering {
    /// A value in another type.
    pub(super) fn converted(
        &mut self,
        value: TypedValue,
        to: &CudaType,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let to = to.value();
        if let ValueForm::List(list) = &value.form
            && !to.is_void()
        {
            return self.value_of_list(&list.clone(), &to);
        }
        let value = self.rvalue(value)?;
        if to.is_void() {
            return Ok(TypedValue::nothing());
        }
        if let TypeShape::Structure(number) = to.shape {
            if value.ty.structure() == Some(number) {
                return Ok(value);
            }
            if let Some(offset) = value.ty.structure().and_then(|from| self.base_at(from, number))
                && let ValueForm::Place(place) | ValueForm::Temporary(place) = &value.form
            {
                return Ok(TypedValue::place(to, Self::behind(place, offset as i64)));
            }
            return self.constructed(number, vec![value], at);
        }
        if let Some(number) = value.ty.structure() {
            if super::closure::is_function(&to) && self.is_plain_lambda(&value.ty) {
                return Ok(self.address_of_lambda(number));
            }
            return self.converted_by_method(value, number, &to, at);
        }
        if let (TypeShape::Pointer(of), TypeShape::Pointer(into)) = (&value.ty.shape, &to.shape)
            && (of.is_constant && !into.is_constant || of.is_volatile && !into.is_volatile)
            && !matches!(value.form, ValueForm::Text(_))
        {
            let text = format!(
                "a value of the type {} is no {}",
                self.type_text(&value.ty),
                self.type_text(&to)
            );
            return self.refuse(
                at,
                text,
                "C++ drops no `const` and no `volatile`: make it a pointer to what it leads to, or cast it",
            );
        }
        let is_same = match (&value.ty.shape, &to.shape) {
            (TypeShape::Pointer(_) | TypeShape::Null, TypeShape::Pointer(_) | TypeShape::Null) => {
                true
            }
            (a, b) => a == b,
        };
        // A pointer to a structure as one to its base, which may begin further on.
        if let (Some(a), Some(b)) = (value.ty.element(), to.element())
            && let Some(by) = self.distance_of_bases(a, b).filter(|by| *by != 0)
        {
            let place = match value.form {
                ValueForm::Address(place) => *place,
                form => {
                    let from = self.in_register(TypedValue { ty: value.ty, form })?;
                    // What leads to nothing does so as its base, too.
                    let (predicate, base) = (self.predicate(), self.new_register(&to));
                    self.emit(format!("setp.eq.u64 {predicate}, {from}, 0"))?;
                    self.emit(format!("add.s64 {base}, {from}, {by}"))?;
                    self.emit(format!("selp.b64 {base}, 0, {base}, {predicate}"))?;
                    return Ok(TypedValue::register(to, base));
                }
            };
            return Ok(TypedValue {
                ty: to,
                form: ValueForm::Address(Box::new(Self::behind(&place, by))),
            });
        }
        if is_same {
            return Ok(TypedValue { ty: to, form: value.form });
        }
        if !to.is_scalar() || !value.ty.is_scalar() {
            let text = format!(
                "a value of the type {} is no {}",
                self.type_text(&value.ty),
                self.type_text(&to)
            );
            return self.refuse(at, text, "this conversion is not understood");
        }
        let (from, bits) = (value.ty.clone(), value.known());
        if let Some(bits) = bits {
            let real = |bits: u64| {
                if from.bytes() == 4 {
                    f64::from(f32::from_bits(bits as u32))
                } else {
                    f64::from_bits(bits)
                }
            };
            // A whole number is rounded once.
            if let (false, true, 4) = (from.is_real(), to.is_real(), to.bytes()) {
                let value = if from.is_signed() { bits as i64 as f32 } else { bits as f32 };
                return Ok(TypedValue {
                    ty: to,
                    form: ValueForm::Constant(u64::from(value.to_bits())),
                });
            }
            let value = match (from.is_real(), to.is_real()) {
                (true, true) => Some(real(bits)),
                (false, true) if from.is_signed() => Some(bits as i64 as f64),
                (false, true) => Some(bits as f64),
                _ => None,
            };
            if let Some(value) = value {
                let bits = if to.bytes() == 4 {
                    u64::from((value as f32).to_bits())
                } else {
                    value.to_bits()
                };
                return Ok(TypedValue { ty: to, form: ValueForm::Constant(bits) });
            }
            return Ok(match from.is_real() {
                true if to.shape == TypeShape::Bool => {
                    TypedValue::constant(to, u64::from(real(bits) != 0.0))
                }
                true if to.is_signed() => TypedValue::constant(to, real(bits) as i64 as u64),
                true => TypedValue::constant(to, real(bits) as u64),
                false => TypedValue::constant(to, bits),
            });
        }
        if to.shape == TypeShape::Bool {
            if let ValueForm::Address(_) = value.form {
                return Ok(TypedValue::constant(to, 1));
            }
            let predicate = self.is_not_zero(&value)?;
            return self.truth(&predicate);
        }
        let text = self.operand(&value)?;
        let (a, b) = (from.of_register(), to.of_register());
        let register =
            |this: &mut Self, text: String, ty: &CudaType| -> LoweringResult<TypedValue> {
                let to = this.new_register(ty);
                this.emit(text.replace("{}", &to))?;
                Ok(TypedValue::register(ty.clone(), to))
            };
        match (from.is_real(), to.is_real()) {
            (true, true) if from.bytes() < to.bytes() => {
                register(self, format!("cvt.f64.f32 {{}}, {text}"), &to)
            }
            (true, true) => register(self, format!("cvt.rn.f32.f64 {{}}, {text}"), &to),
            (false, true) => register(self, format!("cvt.rn.{b}.{a} {{}}, {text}"), &to),
            (true, false) => {
                let whole =
                    register(self, format!("cvt.rzi.{b}.{a} {{}}, {text}"), &to.promoted())?;
                self.converted(whole, &to, at)
            }
            _ => {
                let (wide, narrow) = (to.bytes().max(4), from.bytes().max(4));
                let mut found = TypedValue { ty: to.clone(), form: value.form.clone() };
                if wide > narrow {
                    let sign = if from.is_signed() { 's' } else { 'u' };
                    found = register(self, format!("cvt.{sign}64.{sign}32 {{}}, {text}"), &to)?;
                } else if wide < narrow {
                    found = register(self, format!("cvt.u32.u64 {{}}, {text}"), &to)?;
                }
                // A small number is kept as it is in 32 bits.
                let is_kept = from.bytes() < to.bytes()
                    && (!from.is_signed() || to.is_signed() || to.bytes() >= 4)
                    || from.shape == TypeShape::Bool;
                if to.bytes() < 4 && !is_kept {
                    let text = self.operand(&found)?;
                    let (sign, bits) = (if to.is_signed() { 's' } else { 'u' }, 8 * to.bytes());
                    found = register(self, format!("cvt.{sign}32.{sign}{bits} {{}}, {text}"), &to)?;
                }
                Ok(found)
            }
        }
    }

    /// A predicate as a value of `bool`.
    pub(super) fn truth(&mut self, predicate: &str) -> LoweringResult<TypedValue> {
        let to = self.new_register(&CudaType::BOOL);
        self.emit(format!("selp.u32 {to}, 1, 0, {predicate}"))?;
        self.truths.insert(to.clone(), predicate.into());
        Ok(TypedValue::register(CudaType::BOOL, to))
    }

    /// A predicate: is a scalar not zero?
    pub(super) fn is_not_zero(&mut self, value: &TypedValue) -> LoweringResult<Rc<str>> {
        let text = self.operand(value)?;
        // Where it was made of a predicate, that says it.
        if let Some(predicate) = self.truths.get(&text) {
            return Ok(predicate.clone());
        }
        let predicate = self.predicate();
        match value.ty.shape {
            TypeShape::Real(8) => {
                self.emit(format!("setp.neu.f64 {predicate}, {text}, 0d0000000000000000"))?
            }
            TypeShape::Real(_) => {
                self.emit(format!("setp.neu.f32 {predicate}, {text}, 0f00000000"))?
            }
            _ => self.emit(format!("setp.ne.{} {predicate}, {text}, 0", value.ty.of_register()))?,
        }
        Ok(predicate)
    }

    /// How many bytes the elements of a pointer are apart.
    pub(super) fn step_of(&mut self, pointer: &CudaType, at: CudaSpan) -> LoweringResult<u64> {
        match pointer.element().map(|t| (**t).clone()) {
            Some(of) if of.is_void() => Ok(1),
            Some(of) => Ok(self.size_of(&of, at)?.0),
            None => Ok(1),
        }
    }

    /// An address so many elements further on, or back.
    pub(super) fn stepped(
        &mut self,
        pointer: TypedValue,
        by: TypedValue,
        is_back: bool,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let pointer = self.rvalue(pointer)?;
        let by = self.rvalue(by)?;
        if !by.ty.is_integer() {
            let text = format!(
                "expected a whole number, found a value of the type {}",
                self.type_text(&by.ty)
            );
            return self.refuse(at, text, "an index is a whole number");
        }
        let step = self.step_of(&pointer.ty, at)?;
        let place = match &pointer.form {
            ValueForm::Address(place) => (**place).clone(),
            _ => {
                let base = self.in_register(pointer.clone())?;
                ValuePlace::Memory { base, offset: 0, space: super::KnownSpace::Any }
            }
        };
        let form = |place: ValuePlace| ValueForm::Address(Box::new(place));
        if let Some(by) = by.known() {
            let by = (by as i64).wrapping_mul(step as i64);
            let place = Self::behind(&place, if is_back { by.wrapping_neg() } else { by });
            return Ok(TypedValue { ty: pointer.ty, form: form(place) });
        }
        let distance = self.new_register_of(3);
        let promoted = self.converted(by.clone(), &by.ty.promoted(), at)?;
        let text = self.operand(&promoted)?;
        match promoted.ty.bytes() {
            8 => self.emit(format!("mul.lo.s64 {distance}, {text}, {step}"))?,
            _ if promoted.ty.is_signed() => {
                self.emit(format!("mul.wide.s32 {distance}, {text}, {step}"))?
            }
            _ => self.emit(format!("mul.wide.u32 {distance}, {text}, {step}"))?,
        }
        let distance = match is_back {
            true => {
                let to = self.new_register_of(3);
                self.emit(format!("neg.s64 {to}, {distance}"))?;
                to
            }
            false => distance,
        };
        let place = self.moved(&place, &distance)?;
        Ok(TypedValue { ty: pointer.ty, form: form(place) })
    }

    /// A predicate of a comparison, or its value where that is known.
    pub(super) fn compared(
        &mut self,
        of: CudaBinary,
        a: TypedValue,
        b: TypedValue,
        at: CudaSpan,
    ) -> LoweringResult<Result<bool, Rc<str>>> {
        let (a, b) = (self.rvalue(a)?, self.rvalue(b)?);
        let ty = match (a.ty.is_pointer(), b.ty.is_pointer()) {
            (false, false) => a.ty.common(&b.ty),
            _ => CudaType::pointer(CudaType {
                is_constant: true,
                is_volatile: true,
                ..CudaType::VOID
            }),
        };
        if !ty.is_scalar() || !a.ty.is_scalar() || !b.ty.is_scalar() {
            let text = format!(
                "`{}` of {} and {} is not understood",
                of.sign(),
                self.type_text(&a.ty),
                self.type_text(&b.ty)
            );
            return self.refuse(at, text, "compare numbers or addresses");
        }
        let (a, b) = (self.converted(a, &ty, at)?, self.converted(b, &ty, at)?);
        if let (Some(x), Some(y)) = (a.known(), b.known())
            && !ty.is_real()
        {
            let order = if ty.is_signed() { (x as i64).cmp(&(y as i64)) } else { x.cmp(&y) };
            return Ok(Ok(match of {
                CudaBinary::Equal => order.is_eq(),
                CudaBinary::NotEqual => order.is_ne(),
                CudaBinary::Less => order.is_lt(),
                CudaBinary::LessOrEqual => order.is_le(),
                CudaBinary::Greater => order.is_gt(),
                _ => order.is_ge(),
            }));
        }
        let (x, y) = (self.in_register(a)?, self.operand(&b)?);
        let name = match of {
            CudaBinary::Equal => "eq",
            CudaBinary::NotEqual if ty.is_real() => "neu",
            CudaBinary::NotEqual => "ne",
            CudaBinary::Less => "lt",
            CudaBinary::LessOrEqual => "le",
            CudaBinary::Greater => "gt",
            _ => "ge",
        };
        let predicate = self.predicate();
        self.emit(format!("setp.{name}.{} {predicate}, {x}, {y}", ty.of_register()))?;
        Ok(Err(predicate))
    }

    /// An operator of two operands that is no comparison and not `&&`.
    pub(super) fn computed(
        &mut self,
        of: CudaBinary,
        a: TypedValue,
        b: TypedValue,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        use CudaBinary as B;
        let (a, b) = (self.rvalue(a)?, self.rvalue(b)?);
        match (of, a.ty.is_pointer(), b.ty.is_pointer()) {
            (B::Add, true, false) => return self.stepped(a, b, false, at),
            (B::Add, false, true) => return self.stepped(b, a, false, at),
            (B::Subtract, true, false) => return self.stepped(a, b, true, at),
            (B::Subtract, true, true) => {
                let step = self.step_of(&a.ty, at)?.max(1);
                let (x, y) = (self.operand(&a)?, self.operand(&b)?);
                let (difference, count) = (self.new_register_of(3), self.new_register_of(3));
                self.emit(format!("sub.s64 {difference}, {x}, {y}"))?;
                self.emit(format!("div.s64 {count}, {difference}, {step}"))?;
                return Ok(TypedValue::register(CudaType::integer(8, true), count));
            }
            _ => {}
        }
        if !a.ty.is_arithmetic() || !b.ty.is_arithmetic() {
            let text = format!(
                "`{}` of {} and {} is not understood",
                of.sign(),
                self.type_text(&a.ty),
                self.type_text(&b.ty)
            );
            return self.refuse(at, text, "compute with numbers");
        }
        let is_shift = matches!(of, B::Left | B::Right);
        let ty = if is_shift { a.ty.promoted() } else { a.ty.common(&b.ty) };
        let right = if is_shift { CudaType::UNSIGNED } else { ty.clone() };
        let (a, b) = (self.converted(a, &ty, at)?, self.converted(b, &right, at)?);
        let is_bits = matches!(of, B::Remainder | B::And | B::Or | B::Xor | B::Left | B::Right);
        if ty.is_real() && is_bits {
            return self.refuse(
                at,
                format!("`{}` of floating-point numbers", of.sign()),
                "it is of whole numbers",
            );
        }
        if let (Some(x), Some(y)) = (a.known(), b.known())
            && !ty.is_real()
        {
            let (i, j) = (i128::from(x as i64), i128::from(y as i64));
            let (i, j) = if ty.is_signed() { (i, j) } else { (i128::from(x), i128::from(y)) };
            let bits = 8 * ty.bytes();
            let value = match of {
                B::Add => Some(i + j),
                B::Subtract => Some(i - j),
                B::Multiply => Some(i.wrapping_mul(j)),
                B::Divide => i.checked_div(j),
                B::Remainder => i.checked_rem(j),
                B::And => Some(i & j),
                B::Or => Some(i | j),
                B::Xor => Some(i ^ j),
                B::Left => (y < bits).then(|| i << y),
                _ => (y < bits).then(|| i >> y),
            };
            if let Some(value) = value {
                return Ok(TypedValue::constant(ty, value as u64));
            }
        }
        let is_signed = ty.is_signed();
        let bits = 8 * ty.bytes();
        let name = match (of, ty.of_register()) {
            (B::Add, t @ ("f32" | "f64")) => format!("add.{t}"),
            (B::Subtract, t @ ("f32" | "f64")) => format!("sub.{t}"),
            (B::Multiply, t @ ("f32" | "f64")) => format!("mul.{t}"),
            (B::Divide, t @ ("f32" | "f64")) => format!("div.rn.{t}"),
            (B::Add, _) => format!("add.s{bits}"),
            (B::Subtract, _) => format!("sub.s{bits}"),
            (B::Multiply, _) => format!("mul.lo.s{bits}"),
            (B::Divide, t) => format!("div.{t}"),
            (B::Remainder, t) => format!("rem.{t}"),
            (B::And, _) => format!("and.b{bits}"),
            (B::Or, _) => format!("or.b{bits}"),
            (B::Xor, _) => format!("xor.b{bits}"),
            (B::Left, _) => format!("shl.b{bits}"),
            (B::Right, _) if is_signed => format!("shr.s{bits}"),
            (_, _) => format!("shr.u{bits}"),
        };
        let (x, y) = (self.in_register(a)?, self.operand(&b)?);
        let to = self.new_register(&ty);
        self.emit(format!("{name} {to}, {x}, {y}"))?;
        Ok(TypedValue::register(ty, to))
    }

    /// `-x` and `~x`.
    pub(super) fn negated(
        &mut self,
        value: TypedValue,
        is_complement: bool,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let value = self.rvalue(value)?;
        if !value.ty.is_arithmetic() || is_complement && value.ty.is_real() {
            let sign = if is_complement { "~" } else { "-" };
            let text = format!("`{sign}` of a value of the type {}", self.type_text(&value.ty));
            return self.refuse(at, text, "it is of numbers");
        }
        let ty = value.ty.promoted();
        let value = self.converted(value, &ty, at)?;
        if let Some(bits) = value.known() {
            return Ok(match &ty.shape {
                TypeShape::Real(4) => TypedValue { ty, form: ValueForm::Constant(bits ^ 1 << 31) },
                TypeShape::Real(_) => TypedValue { ty, form: ValueForm::Constant(bits ^ 1 << 63) },
                _ if is_complement => TypedValue::constant(ty, !bits),
                _ => TypedValue::constant(ty, bits.wrapping_neg()),
            });
        }
        let text = self.operand(&value)?;
        let to = self.new_register(&ty);
        match (is_complement, ty.is_real()) {
            (true, _) => self.emit(format!("not.b{} {to}, {text}", 8 * ty.bytes()))?,
            (_, true) => self.emit(format!("neg.{} {to}, {text}", ty.of_register()))?,
            _ => self.emit(format!("neg.s{} {to}, {text}", 8 * ty.bytes()))?,
        }
        Ok(TypedValue::register(ty, to))
    }
}
