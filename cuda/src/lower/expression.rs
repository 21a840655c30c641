//! Expressions.

use super::closure::is_function;
use super::{KernelLowering, LoweringResult, TypedValue, ValueForm, ValuePlace};
use crate::lex::CudaSpan;
use crate::tree::{CudaBinary, CudaExpression, CudaUnary, ExpressionKind, TypeTree};
use crate::types::{CudaType, TypeShape};

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

    /// Lowered, then promoted (C++ [conv.prom]).
    pub(super) fn value(&mut self, e: &CudaExpression) -> LoweringResult<TypedValue> {
        let value = self.lower(e)?;
        self.set_position(e.at);
        self.promoted_value(value)
    }

    /// A value as it is computed with: a member of fewer bits than `int` has is one (C++
    /// [conv.prom]), whatever type it is declared with.
    pub(super) fn promoted_value(&mut self, value: TypedValue) -> LoweringResult<TypedValue> {
        let count = match &value.form {
            ValueForm::Place(ValuePlace::Bits { count, .. }) if value.ty.enumeration.is_none() => {
                Some(*count)
            }
            _ => None,
        };
        let is_signed = value.ty.is_signed();
        let found = self.rvalue(value)?;
        match count {
            Some(count) if count < 32 || count == 32 && is_signed => {
                self.converted(found, &CudaType::INT, self.position)
            }
            Some(32) => self.converted(found, &CudaType::UNSIGNED, self.position),
            _ => Ok(found),
        }
    }

    fn lower_within(&mut self, e: &CudaExpression) -> LoweringResult<TypedValue> {
        let at = e.at;
        Ok(match &e.what {
            ExpressionKind::Integer { value, bytes, is_signed, is_second } => {
                let shape = TypeShape::Integer {
                    bytes: *bytes,
                    is_signed: *is_signed,
                    is_second: *is_second,
                };
                TypedValue::constant(CudaType::plain(shape), *value)
            }
            ExpressionKind::Real(value, is_single) => {
                let bits =
                    if *is_single { u64::from((*value as f32).to_bits()) } else { value.to_bits() };
                let ty = CudaType::plain(TypeShape::Real(if *is_single { 4 } else { 8 }));
                TypedValue { ty, form: ValueForm::Constant(bits) }
            }
            ExpressionKind::Text(text) => {
                let of = CudaType { is_constant: true, ..CudaType::integer(1, true) };
                TypedValue { ty: CudaType::pointer(of), form: ValueForm::Text(text.clone()) }
            }
            ExpressionKind::Character(c) => {
                TypedValue::constant(CudaType::integer(1, true), u64::from(*c))
            }
            ExpressionKind::Truth(value) => TypedValue::constant(CudaType::BOOL, u64::from(*value)),
            ExpressionKind::Null => {
                TypedValue { ty: CudaType::plain(TypeShape::Null), form: ValueForm::Constant(0) }
            }
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
                self.changed_by(
                    place,
                    old.clone(),
                    if *is_more { CudaBinary::Add } else { CudaBinary::Subtract },
                    at,
                )?;
                old
            }
            ExpressionKind::Binary(of, a, b) => self.binary(*of, a, b, e)?,
            ExpressionKind::Assign(of, to, value) => self.assigned(*of, to, value, at)?,
            ExpressionKind::Choice(condition, then, otherwise) => {
                self.choice(condition, then, otherwise, at)?
            }
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
                    let text =
                        format!("an index of a value of the type {}", self.type_text(&pointer.ty));
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
                        _ => {
                            return self.refuse(
                                at,
                                "several values for what is a number",
                                "give one",
                            );
                        }
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
            ExpressionKind::Requires(tree) => {
                TypedValue::constant(CudaType::BOOL, u64::from(self.are_required(tree)?))
            }
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
    fn changed_by(
        &mut self,
        place: TypedValue,
        old: TypedValue,
        of: CudaBinary,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        let one = TypedValue::constant(CudaType::INT, 1);
        let new = self.computed(of, old, one, at)?;
        self.put(&place, new, at)
    }

    /// Puts a value to the place of a scalar.
    pub(super) fn put(
        &mut self,
        to: &TypedValue,
        value: TypedValue,
        at: CudaSpan,
    ) -> LoweringResult<()> {
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

    fn unary(
        &mut self,
        of: CudaUnary,
        operand: &CudaExpression,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
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
                    && !self
                        .methods(number, &|m| m.name == path.last().name && !m.is_static)
                        .is_empty()
                {
                    // It is asked for its type; nobody calls it.
                    let ty = CudaType::pointer(CudaType::plain(TypeShape::Function));
                    return Ok(TypedValue { ty, form: ValueForm::Nothing });
                }
                let value = self.lower_place(operand)?;
                match value.form {
                    ValueForm::Place(place) | ValueForm::Temporary(place) => {
                        self.address_of(value.ty, place)
                    }
                    form if is_function(&value.ty) => Ok(TypedValue { ty: value.ty, form }),
                    _ => self.refuse(
                        at,
                        "the address of what is no variable",
                        "put it into a variable",
                    ),
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
                self.changed_by(
                    place.clone(),
                    old,
                    if is_more { CudaBinary::Add } else { CudaBinary::Subtract },
                    at,
                )?;
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
                // `+[] { .. }`
                if let (CudaUnary::Plus, true, Some(number)) =
                    (of, self.is_plain_lambda(&value.ty), value.ty.structure())
                {
                    return Ok(self.address_of_lambda(number));
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
    pub(super) fn operands(
        &mut self,
        a: &CudaExpression,
        b: &CudaExpression,
    ) -> LoweringResult<(TypedValue, TypedValue)> {
        let mut first = self.value(a)?;
        if may_change(b) {
            first = self.fixed(first)?;
        }
        let second = self.value(b)?;
        Ok((first, second))
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
        ExpressionKind::Unary(_, a)
        | ExpressionKind::Cast(_, a, _)
        | ExpressionKind::Member(a, ..) => may_change(a),
        ExpressionKind::Binary(_, a, b)
        | ExpressionKind::Index(a, b)
        | ExpressionKind::Comma(a, b) => may_change(a) || may_change(b),
        ExpressionKind::Choice(a, b, c) => may_change(a) || may_change(b) || may_change(c),
        ExpressionKind::Pack(of) => may_change(&of.pattern),
        ExpressionKind::Fold(_) | ExpressionKind::FoldOfEither(_) => true,
        _ => false,
    }
}
