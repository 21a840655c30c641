//! Expressions.

use std::rc::Rc;

use super::closure::is_function;
use super::lookup::special_variable;
use super::{KernelLowering, LoweringResult, NameBinding, TypedValue, ValueForm, ValuePlace};
use crate::lex::CudaSpan;
use crate::tree::{CudaBinary, CudaExpression, CudaUnary, ExpressionKind, NamePart, NamePath, TemplateArgument, TypeTree};
use crate::types::{CudaType, ReferenceKind, TypeShape};

impl KernelLowering {
    /// Lowers an expression. A name of a variable becomes its place, which [`Self::rvalue`] reads.
    pub(super) fn lower(&mut self, e: &CudaExpression) -> LoweringResult<TypedValue> {
        let found = self.lower_argument(e)?;
        Ok(match found.form {
            ValueForm::Expiring(place) => TypedValue::place(found.ty, place),
            form => TypedValue { ty: found.ty, form },
        })
    }

    /// The same, where it is of interest whether what is at its place goes.
    pub(super) fn lower_argument(&mut self, e: &CudaExpression) -> LoweringResult<TypedValue> {
        self.enter(e.at)?;
        let before = self.position;
        self.set_position(e.at);
        let found = self.lower_within(e)?;
        self.note_temporary(e, &found);
        self.position = before;
        self.depth -= 1;
        Ok(found)
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, e: &CudaExpression) -> LoweringResult<TypedValue> {
        let value = self.lower(e)?;
        self.set_position(e.at);
        self.promoted_value(value)
    }

    /// A value as it is computed with: a member of fewer bits than `int` has is one (C++ [conv.prom]), whatever type it is declared with.
    pub(super) fn promoted_value(&mut self, value: TypedValue) -> LoweringResult<TypedValue> {
        let count = match &value.form {
            ValueForm::Place(ValuePlace::Bits { count, .. }) if value.ty.enumeration.is_none() => Some(*count),
            _ => None,
        };
        let is_signed = value.ty.is_signed();
        let found = self.rvalue(value)?;
        match count {
            Some(count) if count < 32 || count == 32 && is_signed => self.converted(found, &CudaType::INT, self.position),
            Some(32) => self.converted(found, &CudaType::UNSIGNED, self.position),
            _ => Ok(found),
        }
    }

    fn lower_within(&mut self, e: &CudaExpression) -> LoweringResult<TypedValue> {
        let at = e.at;
        Ok(match &e.what {
            ExpressionKind::Integer { value, bytes, is_signed, is_second } => {
                let shape = TypeShape::Integer { bytes: *bytes, is_signed: *is_signed, is_second: *is_second };
                TypedValue::constant(CudaType::plain(shape), *value)
            }
            ExpressionKind::Real(value, is_single) => {
                let bits = if *is_single { u64::from((*value as f32).to_bits()) } else { value.to_bits() };
                let ty = CudaType::plain(TypeShape::Real(if *is_single { 4 } else { 8 }));
                TypedValue { ty, form: ValueForm::Constant(bits) }
            }
            ExpressionKind::Text(text) => {
                let of = CudaType { is_constant: true, ..CudaType::integer(1, true) };
                TypedValue { ty: CudaType::pointer(of), form: ValueForm::Text(text.clone()) }
            }
            ExpressionKind::Character(c) => TypedValue::constant(CudaType::integer(1, true), u64::from(*c)),
            ExpressionKind::Truth(value) => TypedValue::constant(CudaType::BOOL, u64::from(*value)),
            ExpressionKind::Null => TypedValue { ty: CudaType::plain(TypeShape::Null), form: ValueForm::Constant(0) },
            ExpressionKind::This => {
                let (owner, this) = (self.current().owner, self.current().this.clone());
                let Some((owner, this)) = owner.zip(this) else {
                    return self.refuse(at, "`this` outside of a member", "name the structure");
                };
                self.address_of(self.type_of_object(owner), this)?
            }
            ExpressionKind::Name(path) => self.named(path)?,
            ExpressionKind::Unary(of, operand) => self.unary(*of, operand, at)?,
            ExpressionKind::Behind(is_more, operand) => {
                let place = self.lower_place(operand)?;
                let name = if *is_more { "operator++" } else { "operator--" };
                if place.ty.structure().is_some() {
                    let zero = TypedValue::constant(CudaType::INT, 0);
                    return self.operator_method(place, name, vec![zero], at);
                }
                let old = self.rvalue(place.clone())?;
                let old = self.copied(old)?;
                self.changed_by(place, old.clone(), if *is_more { CudaBinary::Add } else { CudaBinary::Subtract }, at)?;
                old
            }
            ExpressionKind::Binary(of, a, b) => self.binary(*of, a, b, e)?,
            ExpressionKind::Assign(of, to, value) => self.assigned(*of, to, value, at)?,
            ExpressionKind::Choice(condition, then, otherwise) => self.choice(condition, then, otherwise, at)?,
            ExpressionKind::Comma(first, second) => {
                self.lower(first)?;
                self.lower(second)?
            }
            ExpressionKind::Call(callee, arguments) => self.call(callee, arguments, at)?,
            ExpressionKind::Index(of, index) => {
                let of = self.lower(of)?;
                if of.ty.structure().is_some() {
                    let index = self.lower(index)?;
                    return self.operator_method(of, "operator[]", vec![index], at);
                }
                let mut pointer = self.rvalue(of)?;
                // The pointer is read before the index is computed.
                if may_change(index) {
                    pointer = self.fixed(pointer)?;
                }
                if pointer.ty.element().is_none() {
                    let text = format!("an index of a value of the type {}", self.type_text(&pointer.ty));
                    return self.refuse(at, text, "only arrays and pointers have elements");
                }
                let index = self.value(index)?;
                let index = self.plain(index, at)?;
                self.set_position(at);
                let pointer = self.stepped(pointer, index, false, at)?;
                self.pointed(pointer, at)?
            }
            ExpressionKind::Member(of, part, is_arrow) => self.member(of, part, *is_arrow, at)?,
            ExpressionKind::Cast(ty, of, is_of_bits) => self.cast(ty, of, *is_of_bits, at)?,
            ExpressionKind::Construct(tree, arguments) => {
                if let Some(found) = self.constructed_of_template(tree, arguments, false, at)? {
                    return Ok(found);
                }
                let ty = self.resolved(tree)?;
                match ty.structure() {
                    // `T()` is zeros where nobody wrote how it begins.
                    Some(number) if arguments.is_empty() && self.is_aggregate(number) => {
                        self.constructed_by_list(&ty, &[], at)?
                    }
                    Some(number) => {
                        let values = self.arguments(arguments)?;
                        self.constructed(number, values, at)?
                    }
                    None => match &*self.unpacked(arguments)? {
                        [] => TypedValue::constant(ty, 0),
                        [one] => {
                            let value = self.value(one)?;
                            self.converted(value, &ty, at)?
                        }
                        _ => return self.refuse(at, "several values for what is a number", "give one"),
                    },
                }
            }
            ExpressionKind::ConstructByList(tree, all) => {
                if let Some(found) = self.constructed_of_template(tree, all, true, at)? {
                    return Ok(found);
                }
                let ty = self.resolved(tree)?;
                self.constructed_by_list(&ty, all, at)?
            }
            ExpressionKind::List(all) => self.list_value(all, at)?,
            ExpressionKind::Designated(name, _) => {
                return self.refuse(
                    at,
                    format!("`.{name}` in a list for what is no plain structure"),
                    "write the values in their order",
                );
            }
            ExpressionKind::Lambda(tree) => self.lambda(tree, at)?,
            ExpressionKind::Part(of, number, count) => self.part(of, *number, *count, at)?,
            ExpressionKind::Pack(of) => self.element(of, at)?,
            ExpressionKind::Requires(tree) => TypedValue::constant(CudaType::BOOL, u64::from(self.are_required(tree)?)),
            ExpressionKind::CountOfPack(name) => self.count_of_pack(name, at)?,
            ExpressionKind::Fold(tree) => {
                let folded = self.folded(tree, at)?;
                self.lower(&folded)?
            }
            ExpressionKind::FoldOfEither(both) => {
                let folded = self.folded(self.fold_of_either(both), at)?;
                self.lower(&folded)?
            }
            ExpressionKind::SizeOfType(tree) => {
                let ty = self.resolved(tree)?;
                let size = self.size_of(&ty, at)?.0;
                TypedValue::constant(CudaType::integer(8, false), size)
            }
            ExpressionKind::AlignmentOfType(tree) => {
                let ty = self.resolved(tree)?;
                let alignment = self.size_of(&ty, at)?.1;
                TypedValue::constant(CudaType::integer(8, false), alignment)
            }
            ExpressionKind::CountOfArray(of) => match self.lower(of)?.ty {
                CudaType { shape: TypeShape::Array(_, Some(count)), .. } => {
                    TypedValue::constant(CudaType::integer(8, false), count)
                }
                ty => {
                    let text = format!("a loop over a range of the type {}", self.type_text(&ty));
                    return self.refuse(at, text, "a loop goes over an array whose size is known");
                }
            },
            ExpressionKind::SizeOfValue(of) => {
                let size = match &of.what {
                    // A text is an array, with a zero behind it.
                    ExpressionKind::Text(text) => text.len() as u64 + 1,
                    _ => {
                        let ty = self.resolved(&TypeTree::OfExpression(of.clone()))?;
                        self.size_of(&ty, at)?.0
                    }
                };
                TypedValue::constant(CudaType::integer(8, false), size)
            }
        })
    }

    /// A value in a register of its own.
    fn copied(&mut self, value: TypedValue) -> LoweringResult<TypedValue> {
        self.fixed(value)
    }

    /// Puts one more, or one less, to a place.
    fn changed_by(&mut self, place: TypedValue, old: TypedValue, of: CudaBinary, at: CudaSpan) -> LoweringResult<()> {
        let one = TypedValue::constant(CudaType::INT, 1);
        let new = self.computed(of, old, one, at)?;
        self.put(&place, new, at)
    }

    /// Puts a value to the place of a scalar.
    pub(super) fn put(&mut self, to: &TypedValue, value: TypedValue, at: CudaSpan) -> LoweringResult<()> {
        let (ValueForm::Place(place) | ValueForm::Temporary(place)) = &to.form else {
            return self.refuse(at, "what is changed here is no variable", "change a variable");
        };
        if let TypeShape::Array(..) = to.ty.shape {
            return self.refuse(at, "an array is not assigned", "assign its elements");
        }
        self.may_be_changed(to, at)?;
        let value = self.converted(value, &to.ty, at)?;
        self.set_position(at);
        self.store(&place.clone(), &to.ty, value)
    }

    /// An error where something that is constant would change.
    pub(super) fn may_be_changed(&self, to: &TypedValue, at: CudaSpan) -> LoweringResult<()> {
        match to.ty.is_constant {
            true => self.refuse(
                at,
                format!("a value of the type {} is changed", self.type_text(&to.ty)),
                "it is `const`: change another one, or take `const` away",
            ),
            false => Ok(()),
        }
    }

    /// What a structure stands for as a number, if it has a conversion; else the value.
    pub(super) fn plain(&mut self, value: TypedValue, at: CudaSpan) -> LoweringResult<TypedValue> {
        match value.ty.structure() {
            Some(number) => match self.conversion_type(&value.ty, at)? {
                Some(to) => self.converted_by_method(value, number, &to, at),
                None => Ok(value),
            },
            None => Ok(value),
        }
    }

    fn unary(&mut self, of: CudaUnary, operand: &CudaExpression, at: CudaSpan) -> LoweringResult<TypedValue> {
        match of {
            CudaUnary::Content => {
                let pointer = self.lower(operand)?;
                if pointer.ty.structure().is_some() {
                    return self.operator_method(pointer, "operator*", Vec::new(), at);
                }
                // What is at the address of a function is called by its address.
                if is_function(&pointer.ty) {
                    return Ok(pointer);
                }
                self.pointed(pointer, at)
            }
            CudaUnary::Address => {
                if let ExpressionKind::Name(path) = &operand.what
                    && let Some(number) = self.qualifying_structure(path)?
                    && !self.methods(number, &|m| m.name == path.last().name && !m.is_static).is_empty()
                {
                    // It is asked for its type; nobody calls it.
                    let ty = CudaType::pointer(CudaType::plain(TypeShape::Function));
                    return Ok(TypedValue { ty, form: ValueForm::Nothing });
                }
                let value = self.lower_place(operand)?;
                match value.form {
                    ValueForm::Place(place) | ValueForm::Temporary(place) => self.address_of(value.ty, place),
                    form if is_function(&value.ty) => Ok(TypedValue { ty: value.ty, form }),
                    _ => self.refuse(at, "the address of what is no variable", "put it into a variable"),
                }
            }
            CudaUnary::Increment | CudaUnary::Decrement => {
                let place = self.lower_place(operand)?;
                let is_more = of == CudaUnary::Increment;
                if place.ty.structure().is_some() {
                    let name = if is_more { "operator++" } else { "operator--" };
                    return self.operator_method(place, name, Vec::new(), at);
                }
                let old = self.rvalue(place.clone())?;
                self.changed_by(place.clone(), old, if is_more { CudaBinary::Add } else { CudaBinary::Subtract }, at)?;
                Ok(place)
            }
            CudaUnary::Not if self.is_negated_by_operator(operand)? => {
                let value = self.lower(operand)?;
                self.operator_method(value, "operator!", Vec::new(), at)
            }
            CudaUnary::Not => match self.predicate_of(operand)? {
                Ok(value) => Ok(TypedValue::constant(CudaType::BOOL, u64::from(!value))),
                Err(predicate) => {
                    let to = self.new_register(&CudaType::BOOL);
                    self.emit(format!("selp.u32 {to}, 0, 1, {predicate}"))?;
                    Ok(TypedValue::register(CudaType::BOOL, to))
                }
            },
            CudaUnary::Minus | CudaUnary::Plus | CudaUnary::Complement => {
                let value = self.value(operand)?;
                let name = match of {
                    CudaUnary::Minus => "operator-",
                    CudaUnary::Plus => "operator+",
                    _ => "operator~",
                };
                if let Some(number) = value.ty.structure()
                    && self.has_operator(number, name, 0)
                {
                    return self.operator_method(value, name, Vec::new(), at);
                }
                if let Some(found) = self.free_operator(name, std::slice::from_ref(&value), at)? {
                    return Ok(found);
                }
                let value = self.plain(value, at)?;
                match of {
                    CudaUnary::Plus => {
                        let ty = value.ty.promoted();
                        self.converted(value, &ty, at)
                    }
                    _ => self.negated(value, of == CudaUnary::Complement, at),
                }
            }
        }
    }

    fn binary(
        &mut self,
        of: CudaBinary,
        a: &CudaExpression,
        b: &CudaExpression,
        e: &CudaExpression,
    ) -> LoweringResult<TypedValue> {
        use CudaBinary as B;
        let at = e.at;
        match of {
            B::BothTrue | B::OneTrue => {
                let (otherwise, end) = (self.label(), self.label());
                if let Some(value) = self.condition(e, otherwise, false)? {
                    return Ok(TypedValue::constant(CudaType::BOOL, u64::from(value)));
                }
                let to = self.new_register(&CudaType::BOOL);
                self.emit(format!("mov.u32 {to}, 1"))?;
                self.jump(end)?;
                self.put_label(otherwise);
                self.emit(format!("mov.u32 {to}, 0"))?;
                self.put_label(end);
                Ok(TypedValue::register(CudaType::BOOL, to))
            }
            B::Equal | B::NotEqual | B::Less | B::LessOrEqual | B::Greater | B::GreaterOrEqual => {
                let (a, b) = self.operands(a, b)?;
                if let Some(found) = self.by_operator(of, &a, &b, at)? {
                    return Ok(found);
                }
                let (a, b) = (self.plain(a, at)?, self.plain(b, at)?);
                match self.compared(of, a, b, at)? {
                    Ok(value) => Ok(TypedValue::constant(CudaType::BOOL, u64::from(value))),
                    Err(predicate) => self.truth(&predicate),
                }
            }
            _ => {
                let (a, b) = self.operands(a, b)?;
                if let Some(found) = self.by_operator(of, &a, &b, at)? {
                    return Ok(found);
                }
                let (a, b) = (self.plain(a, at)?, self.plain(b, at)?);
                self.computed(of, a, b, at)
            }
        }
    }

    /// Two operands, the first of which is not changed by the second.
    fn operands(&mut self, a: &CudaExpression, b: &CudaExpression) -> LoweringResult<(TypedValue, TypedValue)> {
        let mut first = self.value(a)?;
        if may_change(b) {
            first = self.fixed(first)?;
        }
        let second = self.value(b)?;
        Ok((first, second))
    }

    /// Runs something whose code is put elsewhere.
    fn captured<T>(&mut self, act: impl FnOnce(&mut Self) -> LoweringResult<T>) -> LoweringResult<(String, T)> {
        let outer = std::mem::take(&mut self.body);
        let line = std::mem::take(&mut self.line);
        let done = act(self);
        let code = std::mem::replace(&mut self.body, outer);
        self.line = line;
        Ok((code, done?))
    }

    /// An expression whose place is of interest: what `c ? a : b` chooses is then one of the two, and no copy.
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
            ExpressionKind::Member(of, _, false) | ExpressionKind::Index(of, _) | ExpressionKind::Comma(_, of) => {
                self.asks_for_place(of);
            }
            _ => {}
        }
    }

    /// `c ? a : b` of two variables of one type, as the one that is chosen; nothing where they are none.
    fn choice_of_places(
        &mut self,
        predicate: &str,
        then: &CudaExpression,
        otherwise: &CudaExpression,
        at: CudaSpan,
    ) -> LoweringResult<Option<TypedValue>> {
        let (first, a) = self.captured(|this| this.lower(then))?;
        let (second, b) = self.captured(|this| this.lower(otherwise))?;
        let (ValueForm::Place(x), ValueForm::Place(y)) = (&a.form, &b.form) else { return Ok(None) };
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

    /// The pointer that two of them become (C++ [expr.type]): to the base, or to `void`, with what either says of what it leads to.
    fn common_pointer(&self, a: &CudaType, b: &CudaType) -> Option<CudaType> {
        let (TypeShape::Pointer(of_a), TypeShape::Pointer(of_b)) = (&a.shape, &b.shape) else { return None };
        let is_base = |base: &CudaType, of: &CudaType| {
            base.structure().zip(of.structure()).is_some_and(|(base, of)| base != of && self.base_at(of, base).is_some())
        };
        let of = if of_b.is_void() || is_base(of_b, of_a) { of_b } else { of_a };
        Some(CudaType::pointer((**of).clone().within(of_a).within(of_b)))
    }

    fn choice(
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
                let other = self.if_possible(|this| this.lower(other))?.map(|other| other.ty.value());
                return match other {
                    Some(other) if value.ty.is_arithmetic() && other.is_arithmetic() && value.ty.shape != other.shape => {
                        let ty = value.ty.common(&other);
                        self.converted(value, &ty, at)
                    }
                    Some(other) if value.ty.shape == TypeShape::Null && other.is_pointer() => self.converted(value, &other, at),
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
            (a, b) if a.is_arithmetic() && b.is_arithmetic() || b.shape == TypeShape::Null => a.value(),
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
                        let (ValueForm::Place(to) | ValueForm::Temporary(to)) = result.form.clone() else { continue };
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

    /// A condition as a predicate, or its value where that is known.
    pub(super) fn predicate_of(&mut self, e: &CudaExpression) -> LoweringResult<Result<bool, Rc<str>>> {
        use CudaBinary as B;
        if let ExpressionKind::Binary(
            of @ (B::Equal | B::NotEqual | B::Less | B::LessOrEqual | B::Greater | B::GreaterOrEqual),
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

    fn predicate_of_value(&mut self, value: TypedValue, at: CudaSpan) -> LoweringResult<Result<bool, Rc<str>>> {
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

    /// Goes to a label if a condition is `when`. What is returned is the condition where it is known; then nothing was jumped.
    pub(super) fn condition(&mut self, e: &CudaExpression, target: u32, when: bool) -> LoweringResult<Option<bool>> {
        use CudaBinary as B;
        match &e.what {
            ExpressionKind::Unary(CudaUnary::Not, inner) if !self.is_negated_by_operator(inner)? => {
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

    fn member(&mut self, of: &CudaExpression, part: &NamePart, is_arrow: bool, at: CudaSpan) -> LoweringResult<TypedValue> {
        if let ExpressionKind::Name(path) = &of.what
            && !is_arrow
            && path.parts.len() == 1
            && let Some(register) = special_variable(&path.last().name).filter(|r| r.starts_with('%'))
            && !self.current().scopes.iter().any(|s| s.names.contains_key(&path.last().name))
            && matches!(&*part.name, "x" | "y" | "z")
        {
            return self.special(register, &part.name);
        }
        let base = self.object(of, is_arrow, at)?;
        let Some(number) = base.ty.structure() else {
            let text = format!("`{}` of a value of the type {}", part.name, self.type_text(&base.ty));
            return self.refuse(at, text, "only structures have members");
        };
        let (ValueForm::Place(place) | ValueForm::Temporary(place)) = &base.form else {
            return self.refuse(at, "a member of what is no variable", "put it into a variable");
        };
        if let Some(found) = self.member_of(&base.ty, &place.clone(), &part.name)? {
            return Ok(found);
        }
        if let Some(found) = self.constant_of(number, &part.name)? {
            return Ok(found);
        }
        let name = self.structures[number].tree.name.clone();
        let text = match self.has_method(number, &part.name) {
            true => format!("`{}` of `{name}` is not called here", part.name),
            false => format!("`{name}` has no member `{}` that is known here", part.name),
        };
        self.refuse(at, text, "what is known of the library is in docs/kernels.md")
    }

    /// A member, or an element, by its number among so many.
    fn part(&mut self, of: &CudaExpression, number: usize, count: usize, at: CudaSpan) -> LoweringResult<TypedValue> {
        let base = self.lower(of)?;
        if let Some(found) = self.part_of_tuple(of, &base, number, count, at)? {
            return Ok(found);
        }
        let has = match &base.ty.shape {
            TypeShape::Structure(n) => Some(self.structures[*n].fields.len() as u64),
            TypeShape::Array(_, Some(elements)) => Some(*elements),
            _ => None,
        };
        if has != Some(count as u64) {
            let text = match has {
                Some(has) => format!("{count} names for the {has} parts of a value of the type {}", self.type_text(&base.ty)),
                None => format!("a value of the type {} has no parts to name", self.type_text(&base.ty)),
            };
            return self.refuse(at, text, "give a name for each member of a structure, or each element of an array");
        }
        let (ValueForm::Place(place) | ValueForm::Temporary(place)) = &base.form else {
            return self.refuse(at, "a member of what is no variable", "put it into a variable");
        };
        match &base.ty.shape {
            TypeShape::Structure(n) => self.field_at(&base.ty, *n, number, &place.clone()),
            _ => {
                let Some(element) = base.ty.element().map(|of| (**of).clone()) else { return Ok(base) };
                let step = self.size_of(&element, at)?.0;
                let ty = element.within(&base.ty);
                Ok(TypedValue::place(ty, Self::behind(place, (number as u64 * step) as i64)))
            }
        }
    }

    /// A part of what `std::tuple_size` knows, by `get`; nothing where it does not.
    fn part_of_tuple(
        &mut self,
        of: &CudaExpression,
        base: &TypedValue,
        number: usize,
        count: usize,
        at: CudaSpan,
    ) -> LoweringResult<Option<TypedValue>> {
        if base.ty.structure().is_none() {
            return Ok(None);
        }
        let made = |what| CudaExpression { what, at };
        let part = |name: &str, arguments| NamePart { name: name.into(), arguments };
        let ty = TemplateArgument::Type(TypeTree::OfExpression(Box::new(of.clone())));
        let parts = vec![part("std", None), part("tuple_size", Some(vec![ty])), part("value", None)];
        let size = made(ExpressionKind::Name(NamePath { parts, at }));
        let Some(size) = self.if_possible(|this| this.constant(&size, "the size of a tuple"))?.and_then(|size| size.known())
        else {
            return Ok(None);
        };
        if size != count as u64 {
            let text = format!("{count} names for the {size} parts of a value of the type {}", self.type_text(&base.ty));
            return self.refuse(at, text, "give a name for each");
        }
        let number = made(ExpressionKind::Integer { value: number as u64, bytes: 8, is_signed: false, is_second: false });
        let name = part("get", Some(vec![TemplateArgument::Value(number)]));
        let has_own = base.ty.structure().is_some_and(|n| self.has_method(n, "get"));
        let call = match has_own {
            true => ExpressionKind::Call(Box::new(made(ExpressionKind::Member(Box::new(of.clone()), name, false))), Vec::new()),
            false => {
                let callee = made(ExpressionKind::Name(NamePath { parts: vec![name], at }));
                ExpressionKind::Call(Box::new(callee), vec![of.clone()])
            }
        };
        self.lower(&made(call)).map(Some)
    }

    /// The structure in front of `.` or `->`.
    pub(super) fn object(&mut self, of: &CudaExpression, is_arrow: bool, at: CudaSpan) -> LoweringResult<TypedValue> {
        let value = self.lower(of)?;
        match is_arrow {
            true if value.ty.structure().is_some() => {
                let pointer = self.operator_method(value, "operator->", Vec::new(), at)?;
                self.pointed(pointer, at)
            }
            true => self.pointed(value, at),
            false => Ok(value),
        }
    }

    fn cast(&mut self, tree: &TypeTree, of: &CudaExpression, is_of_bits: bool, at: CudaSpan) -> LoweringResult<TypedValue> {
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
                    if value.ty.shape == ty.shape && kind == Some(ReferenceKind::Right) && !ty.is_volatile =>
                {
                    Ok(TypedValue { ty: value.ty, form: ValueForm::Expiring(place) })
                }
                // What is said of it counts, also that it changes after all.
                ValueForm::Place(place) if value.ty.is_similar(&ty) && !ty.is_volatile => Ok(TypedValue::place(ty, place)),
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
        // Whoever casts an address may say that what it leads to changes, and of bits that they are of another type.
        let value = match (&value.ty.shape, &ty.shape) {
            (TypeShape::Pointer(_), TypeShape::Pointer(to)) if is_of_bits => {
                TypedValue { ty: CudaType::pointer((**to).clone()), form: value.form }
            }
            (TypeShape::Pointer(of), TypeShape::Pointer(to)) => {
                let of = CudaType { is_constant: to.is_constant, is_volatile: to.is_volatile, ..(**of).clone() };
                TypedValue { ty: CudaType::pointer(of), form: value.form }
            }
            _ => value,
        };
        self.converted(value, &ty, at)
    }

    /// A structure as one of its bases, or as one that it is a base of.
    fn cast_along_bases(&self, value: &TypedValue, to: &CudaType) -> Option<TypedValue> {
        let (ValueForm::Place(place) | ValueForm::Temporary(place)) = &value.form else { return None };
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

    pub(super) fn bind(&mut self, name: Rc<str>, value: TypedValue) {
        let frame = self.frame();
        if let Some(scope) = frame.scopes.last_mut() {
            scope.names.insert(name, NameBinding::Value(value));
        }
    }

    /// Binds a name to any number of values.
    pub(super) fn bind_pack(&mut self, name: Rc<str>, all: Vec<TypedValue>, kinds: Vec<Option<ReferenceKind>>) {
        if let Some(scope) = self.frame().scopes.last_mut() {
            if kinds.iter().any(Option::is_some) {
                scope.references_of_packs.insert(name.clone(), kinds);
            }
            scope.names.insert(name, NameBinding::Pack(all));
        }
    }
}

/// May what an expression does change a variable?
pub(super) fn may_change(e: &CudaExpression) -> bool {
    match &e.what {
        ExpressionKind::Assign(..)
        | ExpressionKind::Behind(..)
        | ExpressionKind::Call(..)
        | ExpressionKind::Construct(..)
        | ExpressionKind::ConstructByList(..) => true,
        ExpressionKind::Unary(CudaUnary::Increment | CudaUnary::Decrement, _) => true,
        ExpressionKind::Unary(_, a) | ExpressionKind::Cast(_, a, _) | ExpressionKind::Member(a, ..) => may_change(a),
        ExpressionKind::Binary(_, a, b) | ExpressionKind::Index(a, b) | ExpressionKind::Comma(a, b) => {
            may_change(a) || may_change(b)
        }
        ExpressionKind::Choice(a, b, c) => may_change(a) || may_change(b) || may_change(c),
        ExpressionKind::Pack(of) => may_change(&of.pattern),
        ExpressionKind::Fold(_) | ExpressionKind::FoldOfEither(_) => true,
        _ => false,
    }
}
