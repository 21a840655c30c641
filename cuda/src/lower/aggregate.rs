//! What a declaration says of a place: a value, arguments, or a list in braces. Lists of members
//! may stand in each other without braces of their own (C++ [dcl.init.aggr]), and a list that is an
//! argument gets its type from the parameter.

use std::rc::Rc;

use super::braced_list::BracedList;
use super::{KernelLowering, LoweringResult, TypedValue, ValueForm, ValuePlace};
use crate::lex::CudaSpan;
use crate::tree::{CudaExpression, ExpressionKind, FunctionRole, InitialTree};
use crate::types::{CudaType, FieldLayout, StructureLayout, TypeShape};

/// A part of a structure or an array that a value of a list is for.
struct AggregateElement {
    place: ValuePlace,
    ty: CudaType,
    /// The member, where it is one, and of which structure.
    field: Option<(FieldLayout, usize)>,
}

/// The values of a list that are not taken yet. The next one may have been lowered to see which
/// part it is for.
struct ListReader<'l> {
    all: &'l [CudaExpression],
    next: usize,
    lowered: Option<TypedValue>,
    /// Values that are lowered already, the last one first, in place of expressions.
    values: Vec<TypedValue>,
}

impl ListReader<'_> {
    /// Are all taken?
    fn is_done(&self) -> bool {
        self.next >= self.all.len() && self.values.is_empty() && self.lowered.is_none()
    }
}

impl KernelLowering {
    /// A list in braces as a value.
    pub(super) fn list_value(
        &self,
        all: &[CudaExpression],
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let all = self.unpacked(all)?.into_owned().into();
        let form = ValueForm::List(BracedList { all, frame: self.frames.len() - 1, at });
        Ok(TypedValue { ty: CudaType::VOID, form })
    }

    /// `T{..}`.
    pub(super) fn constructed_by_list(
        &mut self,
        ty: &CudaType,
        all: &[CudaExpression],
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        match self.list_value(all, at)?.form {
            ValueForm::List(list) => self.value_of_list(&list, ty),
            _ => Ok(TypedValue::nothing()),
        }
    }

    /// An array without a size gets as many elements as the list has.
    pub(super) fn value_of_list(
        &mut self,
        list: &BracedList,
        ty: &CudaType,
    ) -> LoweringResult<TypedValue> {
        let at = list.at;
        if let TypeShape::Array(of, None) = &ty.shape {
            let ty = CudaType::plain(TypeShape::Array(of.clone(), Some(list.all.len() as u64)));
            return self.value_of_list(list, &ty);
        }
        if ty.is_scalar() {
            return match &*list.all {
                [] => Ok(TypedValue { ty: ty.value(), form: ValueForm::Constant(0) }),
                [one] => {
                    let value = self.in_frame(list.frame, |this| this.lower(one))?;
                    self.converted(value, ty, at)
                }
                _ => self.refuse(at, "several values for what is a number", "give one"),
            };
        }
        let (bytes, align) = self.size_of(ty, at)?;
        let place = self.local("list", bytes, align, at)?;
        let initial = InitialTree::List(list.all.to_vec());
        self.in_frame(list.frame, |this| this.initialise(&place, ty, &initial, at))?;
        Ok(TypedValue { ty: ty.value(), form: ValueForm::Temporary(place) })
    }

    /// Does something where names are those of an outer frame.
    fn in_frame<T>(
        &mut self,
        number: usize,
        act: impl FnOnce(&mut Self) -> LoweringResult<T>,
    ) -> LoweringResult<T> {
        let later = self.frames.split_off((number + 1).min(self.frames.len()));
        let done = act(self);
        self.frames.truncate(number + 1);
        self.frames.extend(later);
        done
    }

    /// May a list be a value of a type?
    pub(super) fn takes_list(&self, list: &BracedList, to: &CudaType) -> bool {
        match &to.shape {
            TypeShape::Structure(number) => {
                let tree = &self.structures[*number].tree;
                let mut constructors = tree
                    .methods
                    .iter()
                    .filter(|m| m.role == FunctionRole::Constructor && !m.is_defaulted);
                match self.is_aggregate(*number) {
                    true => list.len() <= self.most_values(to),
                    false => constructors.any(|m| m.takes(list.len())) || list.len() == 0,
                }
            }
            TypeShape::Array(_, count) => count.is_none_or(|count| list.len() as u64 <= count),
            _ => to.is_scalar() && list.len() <= 1,
        }
    }

    /// The value of a list of one; nothing where there is none, or more.
    pub(super) fn only_of_list(&mut self, list: &BracedList) -> LoweringResult<Option<TypedValue>> {
        match &*list.all {
            [one] => self.in_frame(list.frame, |this| this.lower(one)).map(Some),
            _ => Ok(None),
        }
    }

    /// The most values that a list for a type has, with those of lists in it whose braces are left
    /// out.
    fn most_values(&self, ty: &CudaType) -> usize {
        match &ty.shape {
            TypeShape::Array(of, count) => usize::try_from(count.unwrap_or(0))
                .unwrap_or(usize::MAX)
                .saturating_mul(self.most_values(of).max(1)),
            TypeShape::Structure(number) if self.is_aggregate(*number) => {
                let StructureLayout { fields, bases, .. } = &self.structures[*number];
                let of_fields = fields
                    .iter()
                    .map(|f| if f.is_reference { 1 } else { self.most_values(&f.ty).max(1) });
                of_fields.fold(bases.len(), usize::saturating_add)
            }
            _ => 1,
        }
    }

    /// Is a structure made of its members one by one? One with constructors is not.
    pub(super) fn is_aggregate(&self, number: usize) -> bool {
        let is_own = |m: &Rc<crate::tree::FunctionTree>| {
            m.role == FunctionRole::Constructor
                && !m.is_defaulted
                && (self.has_body(m, number) || self.is_unknown(m, number))
        };
        !self.structures[number].tree.methods.iter().any(is_own)
            && self.base_whose_constructors_are(number).is_none()
    }

    /// Gives a place what its declaration says.
    pub(super) fn initialise(
        &mut self,
        place: &ValuePlace,
        ty: &CudaType,
        initial: &InitialTree,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        match initial {
            InitialTree::Value(e) => match (&e.what, &ty.shape) {
                (ExpressionKind::List(all), _) => {
                    self.initialise(place, ty, &InitialTree::List(all.clone()), at)
                }
                (ExpressionKind::Text(text), TypeShape::Array(of, count))
                    if of.is_integer() && of.bytes() == 1 =>
                {
                    let text = text.clone();
                    self.initialise_text(place, of, count.unwrap_or(0), &text, at)
                }
                _ => {
                    let value = self.lower_argument(e)?;
                    self.initialise_value(place, ty, value, e.at)
                }
            },
            InitialTree::Arguments(all) => match ty.structure() {
                Some(number) if all.is_empty() && self.is_aggregate(number) => {
                    self.initialise_list(place, ty, &[], at)
                }
                Some(number) => {
                    let values = self.arguments(all)?;
                    self.construct_at(place, number, values, at)
                }
                None => match &*self.unpacked(all)?.into_owned() {
                    [one] => self.initialise(place, ty, &InitialTree::Value(one.clone()), at),
                    [] => self.clear(place, ty, at),
                    // An array in parentheses (C++20) is as one in braces.
                    all if matches!(ty.shape, TypeShape::Array(..)) => {
                        self.initialise(place, ty, &InitialTree::List(all.to_vec()), at)
                    }
                    _ => self.refuse(at, "several values for what is a number", "give one"),
                },
            },
            InitialTree::List(all) => {
                let all = self.unpacked(all)?.into_owned();
                self.initialise_list(place, ty, &all, at)
            }
        }
    }

    /// Gives a place a value.
    fn initialise_value(
        &mut self,
        place: &ValuePlace,
        ty: &CudaType,
        value: TypedValue,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        match (ty.structure(), &ty.shape, &value.form) {
            (_, _, ValueForm::List(list)) => {
                let list = list.clone();
                let initial = InitialTree::List(list.all.to_vec());
                self.in_frame(list.frame, |this| this.initialise(place, ty, &initial, list.at))
            }
            (Some(number), ..) => self.construct_at(place, number, vec![value], at),
            // An array that is a member is copied with its structure.
            (_, TypeShape::Array(..), ValueForm::Place(from) | ValueForm::Temporary(from))
                if value.ty.is_similar(ty) =>
            {
                let from = from.clone();
                self.copy(&from, &value.ty, place, ty, at)
            }
            _ => self.put(&TypedValue::place(ty.value(), place.clone()), value, at),
        }
    }

    /// An array of characters that begins with a text.
    fn initialise_text(
        &mut self,
        place: &ValuePlace,
        of: &CudaType,
        count: u64,
        text: &str,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        let bytes: Vec<u8> = text.bytes().chain([0]).collect();
        if bytes.len() as u64 > count.saturating_add(1)
            || bytes.len() as u64 == count + 1 && count > 0
        {
            let what = format!(
                "a text of {} characters and a zero for an array of {count}",
                bytes.len() - 1
            );
            return self.refuse(at, what, "make the array larger");
        }
        for n in 0..count {
            let byte = bytes.get(n as usize).copied().unwrap_or(0);
            self.store(
                &Self::behind(place, n as i64),
                of,
                TypedValue::constant(of.value(), u64::from(byte)),
            )?;
        }
        Ok(())
    }

    fn initialise_list(
        &mut self,
        place: &ValuePlace,
        ty: &CudaType,
        all: &[CudaExpression],
        at: CudaSpan,
    ) -> LoweringResult<()> {
        match &ty.shape {
            TypeShape::Array(of, _) => match all {
                [CudaExpression { what: ExpressionKind::Text(_), .. }]
                    if of.is_integer() && of.bytes() == 1 =>
                {
                    self.initialise(place, ty, &InitialTree::Value(all[0].clone()), at)
                }
                _ => self.initialise_aggregate(place, ty, all, at),
            },
            TypeShape::Structure(number) => {
                let number = *number;
                self.clear_bits(place, number)?;
                if !self.is_aggregate(number) {
                    let values = self.arguments(all)?;
                    return self.construct_at(place, number, values, at);
                }
                if all.iter().any(|e| matches!(e.what, ExpressionKind::Designated(..))) {
                    return self.initialise_by_name(place, number, all, at);
                }
                // A copy of another one, or of one that is made from it.
                if let [one] = all
                    && !matches!(one.what, ExpressionKind::List(_))
                    && !self.is_text_for_first(number, one)
                {
                    let value = self.lower_argument(one)?;
                    let of = value.ty.structure();
                    if of.is_some_and(|of| of == number || self.base_at(of, number).is_some()) {
                        return self.construct_at(place, number, vec![value], at);
                    }
                    return self.initialise_rest(
                        place,
                        ty,
                        &mut ListReader { all, next: 0, lowered: Some(value), values: Vec::new() },
                        at,
                    );
                }
                self.initialise_aggregate(place, ty, all, at)
            }
            _ => match all {
                [] => self.clear(place, ty, at),
                [one] => self.initialise(place, ty, &InitialTree::Value(one.clone()), at),
                _ => self.refuse(at, "several values for what is a number", "give one"),
            },
        }
    }

    /// Is the only value a text, and the first member an array of characters?
    fn is_text_for_first(&self, number: usize, one: &CudaExpression) -> bool {
        matches!(one.what, ExpressionKind::Text(_))
            && self.structures[number]
                .fields
                .first()
                .is_some_and(|f| matches!(f.ty.shape, TypeShape::Array(..)))
    }

    /// Parts that get the values of a list in their order.
    fn initialise_aggregate(
        &mut self,
        place: &ValuePlace,
        ty: &CudaType,
        all: &[CudaExpression],
        at: CudaSpan,
    ) -> LoweringResult<()> {
        self.initialise_rest(
            place,
            ty,
            &mut ListReader { all, next: 0, lowered: None, values: Vec::new() },
            at,
        )
    }

    fn initialise_rest(
        &mut self,
        place: &ValuePlace,
        ty: &CudaType,
        list: &mut ListReader<'_>,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        self.fill(place, ty, list, at)?;
        if !list.is_done() {
            let what = match ty.shape {
                TypeShape::Array(..) => "more values than the array has elements",
                _ => "more values than the structure has members",
            };
            return self.refuse(at, what, "give fewer");
        }
        Ok(())
    }

    /// The parts of a structure or an array at a place, in their order.
    fn elements_at(
        &mut self,
        place: &ValuePlace,
        ty: &CudaType,
        at: CudaSpan,
    ) -> LoweringResult<Vec<AggregateElement>> {
        match &ty.shape {
            TypeShape::Array(of, count) => {
                let step = self.size_of(of, at)?.0;
                let element = |n: u64| AggregateElement {
                    place: Self::behind(place, (n * step) as i64),
                    ty: (**of).clone(),
                    field: None,
                };
                Ok((0..count.unwrap_or(0)).map(element).collect())
            }
            TypeShape::Structure(number) => {
                let StructureLayout { tree, fields, bases, .. } = self.structures[*number].clone();
                let of_base = |&(base, offset): &(usize, u64)| AggregateElement {
                    place: Self::behind(place, offset as i64),
                    ty: CudaType::plain(TypeShape::Structure(base)),
                    field: None,
                };
                let inherited: usize =
                    bases.iter().map(|(base, _)| self.structures[*base].fields.len()).sum();
                let of_field = |field: &FieldLayout| AggregateElement {
                    place: Self::field_place(place, field),
                    ty: field.ty.clone(),
                    field: Some((field.clone(), *number)),
                };
                // Of a union the first member has the value.
                let most = if tree.is_union { 1 } else { usize::MAX };
                Ok(bases
                    .iter()
                    .map(of_base)
                    .chain(fields[inherited..].iter().take(most).map(of_field))
                    .collect())
            }
            _ => Ok(Vec::new()),
        }
    }

    fn fill(
        &mut self,
        place: &ValuePlace,
        ty: &CudaType,
        list: &mut ListReader<'_>,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        // What lies where a member lies that has a value is another name for it.
        let mut filled: Vec<(u64, u64)> = Vec::new();
        for element in self.elements_at(place, ty, at)? {
            if let Some((field, _)) = &element.field {
                let bits = self.bits_of_member(field, at)?;
                if filled.iter().any(|(start, end)| bits.0 < *end && *start < bits.1) {
                    continue;
                }
                filled.push(bits);
            }
            match list.is_done() {
                false => self.fill_one(&element, list, at)?,
                true => self.fill_by_default(&element, at)?,
            }
        }
        Ok(())
    }

    /// Members that get values in their order, and are as they are by default where there is none.
    pub(super) fn initialise_by_values(
        &mut self,
        place: &ValuePlace,
        number: usize,
        values: Vec<TypedValue>,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        let mut list = ListReader {
            all: &[],
            next: 0,
            lowered: None,
            values: values.into_iter().rev().collect(),
        };
        self.initialise_rest(place, &CudaType::plain(TypeShape::Structure(number)), &mut list, at)
    }

    /// Where the bits of a member begin and end in its structure.
    fn bits_of_member(&mut self, field: &FieldLayout, at: CudaSpan) -> LoweringResult<(u64, u64)> {
        let start = 8 * field.offset;
        Ok(match field.bits {
            Some(bits) => {
                (start + u64::from(bits.first), start + u64::from(bits.first + bits.count))
            }
            None if field.is_reference => (start, start + 64),
            None => (start, start + 8 * self.size_of(&field.ty, at)?.0),
        })
    }

    fn fill_one(
        &mut self,
        element: &AggregateElement,
        list: &mut ListReader<'_>,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        let AggregateElement { place, ty, field } = element;
        let e = list.all.get(list.next);
        if let Some(e) = e
            && list.lowered.is_none()
        {
            let is_list = matches!(e.what, ExpressionKind::List(_));
            let is_text = matches!((&e.what, &ty.shape), (ExpressionKind::Text(_), TypeShape::Array(of, _)) if of.bytes() == 1);
            if is_list || is_text {
                list.next += 1;
                return self.initialise(place, ty, &InitialTree::Value(e.clone()), at);
            }
        }
        let value = match (list.lowered.take().or_else(|| list.values.pop()), e) {
            (Some(value), _) => value,
            (None, Some(e)) => self.lower_argument(e)?,
            (None, None) => return Ok(()),
        };
        let at = e.map_or(at, |e| e.at);
        let is_referred = field.as_ref().is_some_and(|(field, _)| field.is_reference);
        let is_whole = match &ty.shape {
            _ if is_referred || matches!(value.form, ValueForm::List(_)) => true,
            TypeShape::Array(..) => value.ty.is_similar(ty),
            TypeShape::Structure(_) => self.is_convertible(&value, ty)?,
            _ => true,
        };
        if !is_whole && (ty.structure().is_none_or(|number| self.is_aggregate(number))) {
            // The braces around the values of its own parts are left out.
            list.lowered = Some(value);
            return self.fill(place, ty, list, at);
        }
        list.next += 1;
        match is_referred {
            true => {
                self.initialised_by(&TypedValue::place(ty.clone(), place.clone()), true, value, at)
            }
            false => self.initialise_value(place, ty, value, at),
        }
    }

    /// A part for which a list has no value.
    fn fill_by_default(&mut self, element: &AggregateElement, at: CudaSpan) -> LoweringResult<()> {
        let AggregateElement { place, ty, field } = element;
        match field {
            Some((field, number)) if field.initial.is_some() => {
                let bindings = self.structures[*number].bindings.clone();
                self.default_field(place, *number, field, bindings, at)
            }
            Some((field, _)) if field.is_reference => self.refuse(
                at,
                format!(
                    "the member `{}` is a reference, and the list has no value for it",
                    field.name
                ),
                "give one",
            ),
            _ => self.initialise_list(place, ty, &[], at),
        }
    }

    /// `{.x = 1, .y = 2}`: members that are not named are as they are by default.
    fn initialise_by_name(
        &mut self,
        place: &ValuePlace,
        number: usize,
        all: &[CudaExpression],
        at: CudaSpan,
    ) -> LoweringResult<()> {
        let StructureLayout { tree, fields, bindings, .. } = self.structures[number].clone();
        let mut given: Vec<(&Rc<str>, &CudaExpression)> = Vec::new();
        for e in all {
            let ExpressionKind::Designated(name, value) = &e.what else {
                return self.refuse(
                    e.at,
                    "a value without the name of its member among others with theirs",
                    "name all of them",
                );
            };
            if !fields.iter().any(|f| f.name == *name) {
                return self.refuse(
                    e.at,
                    format!("`{}` has no member `{name}`", tree.name),
                    "name a member",
                );
            }
            given.push((name, &**value));
        }
        let mut filled: Vec<(u64, u64)> = Vec::new();
        for field in fields.iter().filter(|f| given.iter().any(|(name, _)| **name == f.name)) {
            filled.push(self.bits_of_member(field, at)?);
        }
        for field in &fields {
            let target = Self::field_place(place, field);
            match given.iter().find(|(name, _)| **name == field.name) {
                Some((_, value)) if field.is_reference => {
                    let value = self.lower(value)?;
                    self.initialised_by(
                        &TypedValue::place(field.ty.clone(), target),
                        true,
                        value,
                        at,
                    )?;
                }
                Some((_, value)) => {
                    self.initialise(&target, &field.ty, &InitialTree::Value((*value).clone()), at)?
                }
                None if tree.is_union => {}
                None => {
                    let bits = self.bits_of_member(field, at)?;
                    if filled.iter().any(|(start, end)| bits.0 < *end && *start < bits.1) {
                        continue;
                    }
                    match field.initial.is_some() {
                        true => self.default_field(&target, number, field, bindings.clone(), at)?,
                        false => self.initialise_list(&target, &field.ty, &[], at)?,
                    }
                }
            }
        }
        Ok(())
    }
}
