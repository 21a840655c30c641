//! Members of structures, and parts that are named by their numbers.

use super::lookup::special_variable;
use super::{KernelLowering, KnownSpace, LoweringResult, TypedValue, ValueForm, ValuePlace};
use crate::lex::CudaSpan;
use crate::tree::{CudaExpression, ExpressionKind, NamePart, NamePath, TemplateArgument, TypeTree};
use crate::types::{BitsLayout, CudaType, FieldLayout, TypeShape};

impl KernelLowering {
    pub(super) fn member(
        &mut self,
        of: &CudaExpression,
        part: &NamePart,
        is_arrow: bool,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        if let ExpressionKind::Name(path) = &of.what
            && !is_arrow
            && path.parts.len() == 1
            && let Some(register) =
                special_variable(&path.last().name).filter(|r| r.starts_with('%'))
            && !self.current().scopes.iter().any(|s| s.names.contains_key(&path.last().name))
            && matches!(&*part.name, "x" | "y" | "z")
        {
            return self.special(register, &part.name);
        }
        let base = self.object(of, is_arrow, at)?;
        let Some(number) = base.ty.structure() else {
            let text =
                format!("`{}` of a value of the type {}", part.name, self.type_text(&base.ty));
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
    pub(super) fn part(
        &mut self,
        of: &CudaExpression,
        number: usize,
        count: usize,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
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
                Some(has) => format!(
                    "{count} names for the {has} parts of a value of the type {}",
                    self.type_text(&base.ty)
                ),
                None => {
                    format!("a value of the type {} has no parts to name", self.type_text(&base.ty))
                }
            };
            return self.refuse(
                at,
                text,
                "give a name for each member of a structure, or each element of an array",
            );
        }
        let (ValueForm::Place(place) | ValueForm::Temporary(place)) = &base.form else {
            return self.refuse(at, "a member of what is no variable", "put it into a variable");
        };
        match &base.ty.shape {
            TypeShape::Structure(n) => self.field_at(&base.ty, *n, number, &place.clone()),
            _ => {
                let Some(element) = base.ty.element().map(|of| (**of).clone()) else {
                    return Ok(base);
                };
                let step = self.size_of(&element, at)?.0;
                let ty = element.within(&base.ty);
                Ok(TypedValue::place(ty, Self::behind(place, (number as u64 * step) as i64)))
            }
        }
    }

    /// A part of what `std::tuple_size` knows, by `get`; nothing where it does not.
    pub(super) fn part_of_tuple(
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
        let parts =
            vec![part("std", None), part("tuple_size", Some(vec![ty])), part("value", None)];
        let size = made(ExpressionKind::Name(NamePath { parts, at }));
        let Some(size) = self
            .if_possible(|this| this.constant(&size, "the size of a tuple"))?
            .and_then(|size| size.known())
        else {
            return Ok(None);
        };
        if size != count as u64 {
            let text = format!(
                "{count} names for the {size} parts of a value of the type {}",
                self.type_text(&base.ty)
            );
            return self.refuse(at, text, "give a name for each");
        }
        let number = made(ExpressionKind::Integer {
            value: number as u64,
            bytes: 8,
            is_signed: false,
            is_second: false,
        });
        let name = part("get", Some(vec![TemplateArgument::Value(number)]));
        let has_own = base.ty.structure().is_some_and(|n| self.has_method(n, "get"));
        let call = match has_own {
            true => ExpressionKind::Call(
                Box::new(made(ExpressionKind::Member(Box::new(of.clone()), name, false))),
                Vec::new(),
            ),
            false => {
                let callee = made(ExpressionKind::Name(NamePath { parts: vec![name], at }));
                ExpressionKind::Call(Box::new(callee), vec![of.clone()])
            }
        };
        self.lower(&made(call)).map(Some)
    }

    /// The structure in front of `.` or `->`.
    pub(super) fn object(
        &mut self,
        of: &CudaExpression,
        is_arrow: bool,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
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

    /// The type of the object that a method is called for.
    pub(super) fn type_of_object(&self, owner: usize) -> CudaType {
        CudaType::plain(TypeShape::Structure(owner)).within(&self.current().object)
    }

    /// A member of a structure at a place.
    pub(super) fn member_of(
        &mut self,
        of: &CudaType,
        place: &ValuePlace,
        name: &str,
    ) -> LoweringResult<Option<TypedValue>> {
        let Some(owner) = of.structure() else { return Ok(None) };
        let found = self.structures[owner].fields.iter().rposition(|f| &*f.name == name);
        found.map(|number| self.field_at(of, owner, number, place)).transpose()
    }

    /// A member by its number.
    pub(super) fn field_at(
        &mut self,
        of: &CudaType,
        owner: usize,
        number: usize,
        place: &ValuePlace,
    ) -> LoweringResult<TypedValue> {
        let field = self.structures[owner].fields[number].clone();
        let place = Self::field_place(place, &field);
        if field.is_reference {
            let pointer = self.load(&place, &CudaType::pointer(field.ty.clone()))?;
            return self.pointed(pointer, self.position);
        }
        let is_constant = of.is_constant && !field.is_mutable;
        let ty = field.ty.within(&CudaType { is_constant, ..of.clone() });
        Ok(TypedValue::place(ty, place))
    }

    /// Where a member of a structure at a place is.
    pub(super) fn field_place(place: &ValuePlace, field: &FieldLayout) -> ValuePlace {
        let word = Self::behind(place, field.offset as i64);
        match (field.bits, place) {
            (
                Some(BitsLayout { first, count, least: (further, bytes) }),
                ValuePlace::Memory { space: KnownSpace::Local, .. },
            ) => {
                let word = Box::new(Self::behind(&word, further as i64));
                ValuePlace::Bits {
                    word,
                    bytes: bytes as u8,
                    first: first - 8 * further as u32,
                    count,
                }
            }
            (Some(BitsLayout { first, count, .. }), _) => ValuePlace::Bits {
                word: Box::new(word),
                bytes: field.ty.bytes() as u8,
                first,
                count,
            },
            (None, _) => word,
        }
    }
}
