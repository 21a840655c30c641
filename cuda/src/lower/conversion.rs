//! How a value becomes a parameter, and which of two ways is better (C++ [over.best.ics],
//! [over.ics.rank]); the conversions that structures define.

use std::cmp::Ordering;
use std::rc::Rc;

use super::function_value::FoundMethod;
use super::{KernelLowering, LoweringResult, TypedValue, ValueForm};
use crate::lex::{CudaRefusal, CudaSpan};
use crate::tree::{CudaExpression, FunctionRole, FunctionTree, TemplateArgument};
use crate::types::{CudaType, ReferenceKind, StructureLayout, TypeShape};

/// By what a value becomes a parameter. The later ones are worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SequenceKind {
    Standard,
    /// A constructor, or a conversion that a structure defines.
    ByFunction,
    /// `...`
    Any,
    /// A reference to what it may not refer to: nothing else may be better.
    Unfit,
}

/// What a parameter is to the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReferenceBinding {
    Copy,
    /// `T&`
    Left,
    /// `T&&`
    Right,
}

/// The way of a value to a parameter.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ConversionSequence {
    kind: SequenceKind,
    /// The same, promoted, or converted.
    rank: u8,
    /// Of conversions of one rank: how far it is to a base, to `void*` or to `bool`.
    distance: u32,
    binding: ReferenceBinding,
    is_temporary: bool,
    /// What a reference, or a pointer, says of what it leads to.
    is_constant: bool,
    is_volatile: bool,
    /// The function that converts.
    by: Option<usize>,
}

const SAME: u8 = 0;
const PROMOTED: u8 = 1;
const CONVERTED: u8 = 2;

/// Further than any base is.
const TO_VOID: u32 = 1 << 20;
const TO_BOOL: u32 = 1 << 21;

impl ConversionSequence {
    fn standard(rank: u8, distance: u32) -> Self {
        Self {
            kind: SequenceKind::Standard,
            rank,
            distance,
            binding: ReferenceBinding::Copy,
            is_temporary: false,
            is_constant: false,
            is_volatile: false,
            by: None,
        }
    }

    /// To what takes everything.
    pub fn any() -> Self {
        Self { kind: SequenceKind::Any, ..Self::standard(SAME, 0) }
    }

    /// Would it refer to what it may not refer to?
    pub fn is_unfit(&self) -> bool {
        self.kind == SequenceKind::Unfit
    }

    /// Is it better (less), worse, or neither?
    pub fn ranked(&self, other: &Self) -> Ordering {
        let by_kind = self.kind.cmp(&other.kind);
        if by_kind != Ordering::Equal {
            return by_kind;
        }
        if self.kind == SequenceKind::ByFunction && (self.by != other.by || self.by.is_none()) {
            return Ordering::Equal;
        }
        let by_rank = (self.rank, self.distance).cmp(&(other.rank, other.distance));
        if by_rank != Ordering::Equal {
            return by_rank;
        }
        // `T&&` is for what goes.
        match (self.binding, other.binding) {
            (ReferenceBinding::Right, ReferenceBinding::Left) if self.is_temporary => {
                return Ordering::Less;
            }
            (ReferenceBinding::Left, ReferenceBinding::Right) if self.is_temporary => {
                return Ordering::Greater;
            }
            (ReferenceBinding::Copy, ReferenceBinding::Copy) => {}
            (ReferenceBinding::Copy, _) | (_, ReferenceBinding::Copy) => return Ordering::Equal,
            _ => {}
        }
        let is_within =
            |a: &Self, b: &Self| a.is_constant <= b.is_constant && a.is_volatile <= b.is_volatile;
        match (is_within(self, other), is_within(other, self)) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            _ => Ordering::Equal,
        }
    }
}

/// Would a pointer to the one type, as a pointer to the other, let change what is constant? `int**`
/// is no `const int**`, and a `const int* const*`.
fn loses_deeper(from: &CudaType, to: &CudaType) -> bool {
    let (mut from, mut to) = (from, to);
    let mut is_constant_above = to.is_constant;
    while let (TypeShape::Pointer(a), TypeShape::Pointer(b)) = (&from.shape, &to.shape) {
        let is_less = a.is_constant && !b.is_constant || a.is_volatile && !b.is_volatile;
        let is_other = a.is_constant != b.is_constant || a.is_volatile != b.is_volatile;
        if is_less || is_other && !is_constant_above {
            return true;
        }
        is_constant_above &= b.is_constant;
        (from, to) = (a, b);
    }
    false
}

impl KernelLowering {
    /// May a value become one of a type, by whatever way that nobody writes?
    pub(super) fn is_convertible(
        &mut self,
        value: &TypedValue,
        to: &CudaType,
    ) -> LoweringResult<bool> {
        Ok(self.sequence(value, to, ReferenceBinding::Copy)?.is_some_and(|way| !way.is_unfit()))
    }

    /// The way of an object to the method that is called for it.
    pub(super) fn sequence_of_object(
        &self,
        method: &FunctionTree,
        (object, is_left): (&CudaType, bool),
    ) -> ConversionSequence {
        let of = method.object;
        let is_unfit = object.is_constant && !of.is_constant
            || object.is_volatile && !of.is_volatile
            || of.is_right && is_left
            || of.is_left && !is_left && !of.is_constant;
        ConversionSequence {
            kind: if is_unfit { SequenceKind::Unfit } else { SequenceKind::Standard },
            binding: if of.is_right { ReferenceBinding::Right } else { ReferenceBinding::Left },
            // Without `&` and `&&` it is of either.
            is_temporary: !is_left && (of.is_left || of.is_right),
            is_constant: of.is_constant,
            is_volatile: of.is_volatile,
            ..ConversionSequence::standard(SAME, 0)
        }
    }

    /// What `std::move` gives, or `std::forward` by the argument of its template.
    pub(super) fn expiring(
        &mut self,
        of: Option<&TemplateArgument>,
        e: &CudaExpression,
    ) -> LoweringResult<TypedValue> {
        let value = self.lower(e)?;
        let ValueForm::Place(place) = &value.form else { return Ok(value) };
        let stays = match of {
            Some(TemplateArgument::Type(tree)) => {
                self.resolved_argument(tree)?.reference == Some(ReferenceKind::Left)
            }
            _ => false,
        };
        let form = if stays {
            ValueForm::Place(place.clone())
        } else {
            ValueForm::Expiring(place.clone())
        };
        Ok(TypedValue { ty: value.ty, form })
    }

    /// The way of a value to a parameter of a type; nothing where there is none.
    pub(super) fn sequence(
        &mut self,
        value: &TypedValue,
        to: &CudaType,
        binding: ReferenceBinding,
    ) -> LoweringResult<Option<ConversionSequence>> {
        if let ValueForm::List(list) = &value.form {
            let list = list.clone();
            return self.sequence_of_list(&list, to);
        }
        if binding == ReferenceBinding::Copy {
            return self.sequence_of_value(value, to, true);
        }
        let from = &value.ty;
        let is_left = is_left(value);
        let is_same = from.is_similar(to)
            || matches!((&from.shape, &to.shape), (TypeShape::Array(a, _), TypeShape::Array(b, None)) if a.is_similar(b));
        let distance = match (from.structure(), to.structure()) {
            _ if is_same => Some(0),
            (Some(a), Some(b)) => self.steps_to_base(a, b),
            _ => None,
        };
        if let Some(distance) = distance {
            let loses = from.is_constant && !to.is_constant || from.is_volatile && !to.is_volatile;
            let is_unfit = match binding {
                ReferenceBinding::Left => loses || !is_left && (!to.is_constant || to.is_volatile),
                _ => loses || is_left,
            };
            return Ok(Some(ConversionSequence {
                kind: if is_unfit { SequenceKind::Unfit } else { SequenceKind::Standard },
                rank: if distance == 0 { SAME } else { CONVERTED },
                distance,
                binding,
                is_temporary: !is_left,
                is_constant: to.is_constant,
                is_volatile: to.is_volatile,
                by: None,
            }));
        }
        // A reference that may change what it is of takes no other type, but what a conversion
        // refers to.
        let is_changing = binding == ReferenceBinding::Left && !to.is_constant;
        if is_changing && from.structure().is_none() {
            return Ok(None);
        }
        let found = self.sequence_of_value(value, &to.value(), true)?;
        Ok(found
            .filter(|found| {
                !is_changing || found.kind == SequenceKind::ByFunction && to.structure().is_none()
            })
            .map(|found| ConversionSequence {
                binding,
                is_temporary: true,
                is_constant: to.is_constant,
                is_volatile: to.is_volatile,
                ..found
            }))
    }

    /// A list in braces: of one value as that value, else by what makes a structure or an array of
    /// it.
    fn sequence_of_list(
        &mut self,
        list: &super::braced_list::BracedList,
        to: &CudaType,
    ) -> LoweringResult<Option<ConversionSequence>> {
        if !self.takes_list(list, to) {
            return Ok(None);
        }
        if let Some(number) = to.structure() {
            let by = Some(number);
            return Ok(Some(ConversionSequence {
                kind: SequenceKind::ByFunction,
                by,
                ..ConversionSequence::standard(CONVERTED, 0)
            }));
        }
        match self.if_possible(|this| this.only_of_list(list))?.flatten() {
            Some(value) if to.is_scalar() => self.sequence_of_value(&value, to, false),
            _ => Ok(Some(ConversionSequence::standard(SAME, 0))),
        }
    }

    /// How many structures up a base is.
    fn steps_to_base(&self, number: usize, base: usize) -> Option<u32> {
        let bases = &self.structures[number].bases;
        let steps = bases
            .iter()
            .filter_map(|&(of, _)| if of == base { Some(0) } else { self.steps_to_base(of, base) });
        steps.min().map(|steps| steps + 1)
    }

    fn sequence_of_value(
        &mut self,
        value: &TypedValue,
        to: &CudaType,
        may_call: bool,
    ) -> LoweringResult<Option<ConversionSequence>> {
        let standard = self.standard_sequence(&value.ty, value.known() == Some(0), to);
        if standard.is_some() || !may_call {
            return Ok(standard);
        }
        self.sequence_by_function(value, to)
    }

    /// The way between two types that are no structures, or one of which is the other's base.
    fn standard_sequence(
        &self,
        from: &CudaType,
        is_zero: bool,
        to: &CudaType,
    ) -> Option<ConversionSequence> {
        use TypeShape as T;
        let standard = ConversionSequence::standard;
        let is_number = |shape: &T| matches!(shape, T::Integer { .. } | T::Bool | T::Real(_));
        Some(match (&from.shape, &to.shape) {
            (T::Array(of, _) | T::Pointer(of), T::Pointer(to)) => {
                let of = match from.shape {
                    T::Array(..) => (**of).clone().within(from),
                    _ => (**of).clone(),
                };
                let found = if of.value().is_similar(&to.value()) {
                    standard(SAME, 0)
                } else if to.is_void() {
                    standard(CONVERTED, TO_VOID)
                } else if let (Some(a), Some(b)) = (of.structure(), to.structure()) {
                    standard(CONVERTED, self.steps_to_base(a, b)?)
                } else {
                    return None;
                };
                let loses = of.is_constant && !to.is_constant
                    || of.is_volatile && !to.is_volatile
                    || loses_deeper(&of, to);
                ConversionSequence {
                    kind: if loses { SequenceKind::Unfit } else { SequenceKind::Standard },
                    is_constant: to.is_constant,
                    is_volatile: to.is_volatile,
                    ..found
                }
            }
            // A number is no constant of an enumeration, and one of `enum class` no number.
            _ if from.enumeration != to.enumeration
                && (to.enumeration.is_some() || from.is_scoped()) =>
            {
                return None;
            }
            (a, b) if a == b && from.enumeration == to.enumeration => standard(SAME, 0),
            (a, b) if a == b && from.promoted().shape == *b => standard(PROMOTED, 0),
            (T::Array(a, _), T::Array(b, _)) if a.is_similar(b) => standard(SAME, 0),
            (T::Integer { .. } | T::Bool, T::Integer { .. })
                if from.promoted().shape == to.shape =>
            {
                standard(PROMOTED, 0)
            }
            (T::Real(4), T::Real(8)) => standard(PROMOTED, 0),
            (a, b) if is_number(a) && is_number(b) => standard(CONVERTED, 0),
            (T::Null, T::Pointer(_)) => standard(CONVERTED, 0),
            (T::Integer { .. }, T::Pointer(_)) if is_zero => standard(CONVERTED, 0),
            (T::Pointer(_) | T::Null | T::Array(..), T::Bool) => standard(CONVERTED, TO_BOOL),
            (T::Structure(a), T::Structure(b)) => standard(CONVERTED, self.steps_to_base(*a, *b)?),
            _ => return None,
        })
    }

    /// By a constructor of the one, or a conversion of the other structure.
    fn sequence_by_function(
        &mut self,
        value: &TypedValue,
        to: &CudaType,
    ) -> LoweringResult<Option<ConversionSequence>> {
        if super::closure::is_function(to) && self.is_plain_lambda(&value.ty) {
            let standard = ConversionSequence::standard(SAME, 0);
            return Ok(Some(ConversionSequence { kind: SequenceKind::ByFunction, ..standard }));
        }
        let mut found: Vec<(ConversionSequence, usize)> = Vec::new();
        if let Some(number) = to.structure() {
            let StructureLayout { tree, bindings, .. } = self.structures[number].clone();
            let takes = |m: &&Rc<FunctionTree>| {
                m.role == FunctionRole::Constructor
                    && !m.is_explicit
                    && m.takes(1)
                    && !m.parameters.is_empty()
            };
            for method in tree.methods.iter().filter(takes) {
                let parameter = method.parameters[0].clone();
                let key = Rc::as_ptr(method) as usize;
                // What a template takes is seen when it is called.
                if method.template.is_some() {
                    found.push((ConversionSequence::standard(CONVERTED, u32::MAX), key));
                    continue;
                }
                let namespace: Rc<[Rc<str>]> =
                    tree.namespace.iter().cloned().chain([tree.name.clone()]).collect();
                let ty = self.outside(namespace, bindings.clone(), Some(number), |this| {
                    this.resolved(&parameter.ty)
                })?;
                if ty.structure() == Some(number) {
                    continue;
                }
                if let Some(way) = self.sequence_of_value(value, &ty.value(), false)? {
                    found.push((way, key));
                }
            }
        }
        if let Some(number) = value.ty.structure() {
            for (method, ty, _) in self.conversions(number, false)? {
                if let Some(way) = self.standard_sequence(&ty, false, to) {
                    found.push((way, Rc::as_ptr(&method.0) as usize));
                }
            }
        }
        let is_best = |n: usize| {
            (0..found.len()).all(|m| m == n || found[n].0.ranked(&found[m].0) == Ordering::Less)
        };
        let best = (0..found.len()).find(|&n| is_best(n));
        Ok(found.first().map(|(first, _)| {
            let (way, by) = best.map_or((first, None), |n| (&found[n].0, Some(found[n].1)));
            ConversionSequence { kind: SequenceKind::ByFunction, by, ..way.clone() }
        }))
    }

    /// The conversions of a structure with the types that they give, and whether each gives a
    /// reference.
    fn conversions(
        &mut self,
        number: usize,
        with_explicit: bool,
    ) -> LoweringResult<Vec<(FoundMethod, CudaType, bool)>> {
        let is_one = |m: &FunctionTree| {
            m.role == FunctionRole::Conversion && (with_explicit || !m.is_explicit)
        };
        let mut found = Vec::new();
        let all = self.methods(number, &is_one);
        for method in self.all_defined(all)? {
            let StructureLayout { tree, bindings, .. } = self.structures[method.1].clone();
            let namespace: Rc<[Rc<str>]> =
                tree.namespace.iter().cloned().chain([tree.name.clone()]).collect();
            let ty = self.outside(namespace, bindings, Some(method.1), |this| {
                this.resolved(&method.0.result)
            })?;
            let is_reference = super::typename::is_reference(&method.0.result);
            found.push((method, ty.value(), is_reference));
        }
        Ok(found)
    }

    /// The type that a structure turns into where a number or an address is expected.
    pub(super) fn conversion_type(
        &mut self,
        object: &CudaType,
        at: CudaSpan,
    ) -> LoweringResult<Option<CudaType>> {
        let Some(number) = object.structure() else { return Ok(None) };
        let mut all = self.conversions(number, false)?;
        if all.is_empty() {
            all = self.conversions(number, true)?;
        }
        let mut types: Vec<CudaType> = Vec::new();
        for (_, ty, _) in &all {
            if ty.is_scalar() && !types.contains(ty) {
                types.push(ty.clone());
            }
        }
        match types.as_slice() {
            [] => Ok(all.into_iter().next().map(|(_, ty, _)| ty)),
            [one] => Ok(Some(one.clone())),
            _ => {
                let (first, second) = (&all[0].0.0, &all[1].0.0);
                Err(self.ambiguous("operator T", (first.at, second.at), at).into())
            }
        }
    }

    /// A structure as a value of another type, by its conversion.
    pub(super) fn converted_by_method(
        &mut self,
        value: TypedValue,
        number: usize,
        to: &CudaType,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let mut ways: Vec<(FoundMethod, ConversionSequence, ConversionSequence)> = Vec::new();
        for (method, ty, _) in self.conversions(number, true)? {
            if let Some(way) = self.standard_sequence(&ty, false, to) {
                let object = self.sequence_of_object(&method.0, (&value.ty, is_left(&value)));
                ways.push((method, way, object));
            }
        }
        let better = |a: usize, b: usize| match ways[a].2.ranked(&ways[b].2) {
            Ordering::Equal => ways[a].1.ranked(&ways[b].1) == Ordering::Less,
            // The object comes first, whatever they give ([over.match.best]).
            by_object => by_object == Ordering::Less,
        };
        let best = (0..ways.len()).find(|&a| (0..ways.len()).all(|b| a == b || better(a, b)));
        let (method, owner, offset) = match (best, ways.as_slice()) {
            (Some(n), _) => ways[n].0.clone(),
            (None, [first, second, ..]) => {
                return Err(self.ambiguous("operator T", (first.0.0.at, second.0.0.at), at).into());
            }
            _ => {
                let text = format!(
                    "a value of the type {} is no {}",
                    self.type_text(&value.ty),
                    self.type_text(to)
                );
                return self.refuse(at, text, "use its members");
            }
        };
        let (ValueForm::Place(place) | ValueForm::Temporary(place)) = value.form else {
            return self.refuse(
                at,
                "a conversion of what is no variable",
                "put it into a variable",
            );
        };
        let this = Self::behind(&place, offset as i64);
        let bindings = self.structures[owner].bindings.clone();
        let found = self.invoked(&method, Some(owner), Some(this), bindings, Vec::new(), at)?;
        self.converted(found, to, at)
    }

    /// The error of a call that two functions take alike.
    pub(super) fn ambiguous(
        &self,
        name: &str,
        (first, second): (CudaSpan, CudaSpan),
        at: CudaSpan,
    ) -> CudaRefusal {
        let line = |of: CudaSpan| match of.file {
            0 => "of the library".to_owned(),
            _ => format!("in line {}", self.line_of(of).0),
        };
        let text = format!(
            "which `{name}` is meant is not known here: the one {} and the one {} take this alike",
            line(first),
            line(second)
        );
        CudaRefusal::new(
            at,
            text,
            "cast what is given to the type of a parameter, or name one of them otherwise",
        )
        .beside(first, "here one of them is declared")
    }
}

/// Is it a variable, or what a reference leads to, and does it stay?
pub(super) fn is_left(value: &TypedValue) -> bool {
    matches!(value.form, ValueForm::Place(_) | ValueForm::Text(_))
}

/// What a parameter is to a value, by its type.
pub(super) fn binding_of(ty: &CudaType) -> ReferenceBinding {
    match ty.reference {
        None => ReferenceBinding::Copy,
        Some(ReferenceKind::Left) => ReferenceBinding::Left,
        Some(ReferenceKind::Right) => ReferenceBinding::Right,
    }
}
