//! Comparisons that a structure does not write out: `<=>`, what follows from it, and those that are
//! `= default`, member by member.

use super::{KernelLowering, LoweringResult, TypedValue, ValueForm, ValuePlace};
use crate::lex::CudaSpan;
use crate::tree::{CudaBinary, FunctionRole, NamePart, NamePath};
use crate::types::{CudaType, StructureLayout, TypeShape};

impl KernelLowering {
    /// A comparison of which nothing is written, by what is; nothing where none is meant.
    pub(super) fn by_rewriting(
        &mut self,
        of: CudaBinary,
        a: &TypedValue,
        b: &TypedValue,
        at: CudaSpan,
    ) -> LoweringResult<Option<TypedValue>> {
        use CudaBinary as B;
        let has = |this: &Self, name: &str, value: &TypedValue| {
            let is_one =
                |m: &crate::tree::FunctionTree| &*m.name == name && m.role == FunctionRole::Plain;
            value.ty.structure().is_some_and(|number| !this.methods(number, &is_one).is_empty())
        };
        let is_ordered = has(self, "operator<=>", a) || has(self, "operator<=>", b);
        match of {
            B::Equal if a.ty.structure().is_some() && a.ty.structure() == b.ty.structure() => {
                let is_default = |m: &crate::tree::FunctionTree| {
                    matches!(&*m.name, "operator==" | "operator<=>")
                        && m.role == FunctionRole::Plain
                        && m.is_defaulted
                };
                let number = a.ty.structure().unwrap_or_default();
                match self.methods(number, &is_default).is_empty() {
                    true => Ok(None),
                    false => self.are_equal(a, b, at).map(Some),
                }
            }
            B::NotEqual => match self.by_operator(B::Equal, a, b, at)? {
                Some(equal) => {
                    let equal = self.converted(equal, &CudaType::BOOL, at)?;
                    let zero = TypedValue::constant(CudaType::BOOL, 0);
                    match self.compared(B::Equal, equal, zero, at)? {
                        Ok(value) => {
                            Ok(Some(TypedValue::constant(CudaType::BOOL, u64::from(value))))
                        }
                        Err(predicate) => self.truth(&predicate).map(Some),
                    }
                }
                None => Ok(None),
            },
            B::Less | B::LessOrEqual | B::Greater | B::GreaterOrEqual if is_ordered => {
                let order = self.ordered(a.clone(), b.clone(), at)?;
                match self.compared(of, order, TypedValue::constant(CudaType::INT, 0), at)? {
                    Ok(value) => Ok(Some(TypedValue::constant(CudaType::BOOL, u64::from(value)))),
                    Err(predicate) => self.truth(&predicate).map(Some),
                }
            }
            B::Order => {
                let order = self.ordered(a.clone(), b.clone(), at)?;
                self.ordering(order, at).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// A number as what `<=>` gives.
    fn ordering(&mut self, order: TypedValue, at: CudaSpan) -> LoweringResult<TypedValue> {
        let part = |name: &str| NamePart { name: name.into(), arguments: None };
        let path = NamePath { parts: vec![part("std"), part("strong_ordering")], at };
        let ty = self.named_type(&path)?;
        match ty.structure() {
            Some(number) => self.constructed(number, vec![order], at),
            None => Ok(order),
        }
    }

    /// -1, 0 or 1, as a value is smaller than another one, equal to it, or larger.
    fn ordered(
        &mut self,
        a: TypedValue,
        b: TypedValue,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let Some(number) = a.ty.structure() else {
            let (a, b) = (self.rvalue(a)?, self.rvalue(b)?);
            let (a, b) = (self.plain(a, at)?, self.plain(b, at)?);
            if a.ty.is_real() || b.ty.is_real() {
                return self.refuse(
                    at,
                    "`<=>` of floating-point numbers is not understood",
                    "write the comparison out",
                );
            }
            let of = |value: i64| TypedValue::constant(CudaType::INT, value as u64);
            let more = self.compared(CudaBinary::Greater, a.clone(), b.clone(), at)?;
            let less = self.compared(CudaBinary::Less, a, b, at)?;
            let (more, less) = match (more, less) {
                (Ok(more), Ok(less)) => return Ok(of(i64::from(more) - i64::from(less))),
                (Err(more), Err(less)) => (more, less),
                _ => return self.refuse(at, "this comparison is not understood", "write it out"),
            };
            let (first, result) =
                (self.new_register(&CudaType::INT), self.new_register(&CudaType::INT));
            self.emit(format!("selp.s32 {first}, 1, 0, {more}"))?;
            self.emit(format!("selp.s32 {result}, -1, {first}, {less}"))?;
            return Ok(TypedValue::register(CudaType::INT, result));
        };
        let is_own = |m: &crate::tree::FunctionTree| &*m.name == "operator<=>" && !m.is_defaulted;
        let own = self.methods(number, &is_own);
        if !own.is_empty() {
            let found = self.method_called(a, own, None, vec![b], at)?;
            // What it returns is a number, or a structure that has one.
            let found = match (found.ty.structure(), &found.form) {
                (Some(of), ValueForm::Place(place) | ValueForm::Temporary(place))
                    if !self.structures[of].fields.is_empty() =>
                {
                    let place = place.clone();
                    self.field_at(&CudaType::plain(TypeShape::Structure(of)), of, 0, &place)?
                }
                _ => found,
            };
            return self.converted(found, &CudaType::INT, at);
        }
        let result = ValuePlace::Register(self.new_register(&CudaType::INT));
        self.store(&result, &CudaType::INT, TypedValue::constant(CudaType::INT, 0))?;
        let end = self.label();
        for (a, b) in self.members_of_both(&a, &b, at)? {
            let order = self.ordered(a, b, at)?;
            self.store(&result, &CudaType::INT, order)?;
            let ValuePlace::Register(register) = &result else { continue };
            let predicate = self.predicate();
            self.emit(format!("setp.ne.s32 {predicate}, {register}, 0"))?;
            self.emit(format!("@{predicate} bra $L_{end}"))?;
        }
        self.put_label(end);
        let ValuePlace::Register(register) = result else { return Ok(TypedValue::nothing()) };
        Ok(TypedValue::register(CudaType::INT, register))
    }

    /// Are all members of two structures equal?
    fn are_equal(
        &mut self,
        a: &TypedValue,
        b: &TypedValue,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let result = self.new_register(&CudaType::BOOL);
        let end = self.label();
        self.emit(format!("mov.u32 {result}, 0"))?;
        for (a, b) in self.members_of_both(a, b, at)? {
            let (a, b) = (self.rvalue(a)?, self.rvalue(b)?);
            let equal = match self.by_operator(CudaBinary::Equal, &a, &b, at)? {
                Some(equal) => self.converted(equal, &CudaType::BOOL, at)?,
                None => match self.compared(CudaBinary::Equal, a, b, at)? {
                    Ok(value) => TypedValue::constant(CudaType::BOOL, u64::from(value)),
                    Err(predicate) => self.truth(&predicate)?,
                },
            };
            let equal = self.in_register(equal)?;
            let predicate = self.predicate();
            self.emit(format!("setp.eq.u32 {predicate}, {equal}, 0"))?;
            self.emit(format!("@{predicate} bra $L_{end}"))?;
        }
        self.emit(format!("mov.u32 {result}, 1"))?;
        self.put_label(end);
        Ok(TypedValue::register(CudaType::BOOL, result))
    }

    /// The bases and members of two structures of one type, in pairs; arrays by their elements.
    fn members_of_both(
        &mut self,
        a: &TypedValue,
        b: &TypedValue,
        at: CudaSpan,
    ) -> LoweringResult<Vec<(TypedValue, TypedValue)>> {
        let (
            ValueForm::Place(of_a) | ValueForm::Temporary(of_a),
            ValueForm::Place(of_b) | ValueForm::Temporary(of_b),
        ) = (&a.form, &b.form)
        else {
            return self.refuse(at, "this comparison is not understood", "compare variables");
        };
        let Some(number) = a.ty.structure() else { return Ok(Vec::new()) };
        let StructureLayout { fields, bases, .. } = self.structures[number].clone();
        let inherited: usize =
            bases.iter().map(|(base, _)| self.structures[*base].fields.len()).sum();
        let mut found: Vec<(TypedValue, TypedValue)> = Vec::new();
        for (base, offset) in bases {
            let of = |place| {
                TypedValue::place(
                    CudaType::plain(TypeShape::Structure(base)),
                    Self::behind(place, offset as i64),
                )
            };
            found.push((of(of_a), of(of_b)));
        }
        for field in &fields[inherited..] {
            let mut open = vec![(
                field.ty.clone(),
                Self::field_place(of_a, field),
                Self::field_place(of_b, field),
            )];
            while let Some((ty, a, b)) = open.pop() {
                if found.len() as u64 > super::MAX_PARTS {
                    return self.refuse(
                        at,
                        format!("a comparison of more than {} members", super::MAX_PARTS),
                        "write it out",
                    );
                }
                match &ty.shape {
                    TypeShape::Array(of, count) => {
                        let step = self.size_of(of, at)?.0;
                        let behind =
                            |place: &ValuePlace, n: u64| Self::behind(place, (n * step) as i64);
                        let count = count.unwrap_or(0).min(super::MAX_PARTS + 1);
                        open.extend(
                            (0..count)
                                .rev()
                                .map(|n| ((**of).clone(), behind(&a, n), behind(&b, n))),
                        );
                    }
                    _ => found.push((TypedValue::place(ty.clone(), a), TypedValue::place(ty, b))),
                }
            }
        }
        Ok(found)
    }
}
