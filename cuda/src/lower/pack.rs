//! Any number of types, values or parameters: a pattern in front of `...` is put there once for
//! each of them.

use std::borrow::Cow;
use std::rc::Rc;

use super::{KernelLowering, LocalNames, LoweringResult, NameBinding, TypedValue};
use crate::lex::CudaSpan;
use crate::tree::{
    CudaBinary, CudaExpression, ExpressionKind, FoldTree, NamePart, NamePath, PackPattern,
    TemplateArgument, TypeTree,
};
use crate::types::{CudaType, ReferenceKind, TemplateBinding, TemplateBindings, TypeShape};

/// The most elements of a pack.
const MAX_ELEMENTS: usize = 256;

/// The bindings of one element of the packs that are named.
pub(super) fn element_of(
    bindings: &TemplateBindings,
    words: &[Rc<str>],
    number: usize,
) -> TemplateBindings {
    let of = |(name, binding): &(Rc<str>, TemplateBinding)| match binding {
        TemplateBinding::Pack(all) if words.contains(name) => {
            (name.clone(), all.get(number).cloned().unwrap_or_else(|| binding.clone()))
        }
        _ => (name.clone(), binding.clone()),
    };
    bindings.iter().map(of).collect()
}

/// Arguments of templates one by one.
pub(super) fn flat(bindings: &TemplateBindings) -> Vec<TemplateBinding> {
    let of = |(_, binding): &(Rc<str>, TemplateBinding)| match binding {
        TemplateBinding::Pack(all) => all.clone(),
        one => vec![one.clone()],
    };
    bindings.iter().flat_map(of).collect()
}

/// A pattern beside each of several types.
pub(super) fn each(pattern: &TypeTree, types: &[CudaType]) -> Vec<(TypeTree, CudaType)> {
    types.iter().map(|ty| (pattern.clone(), ty.clone())).collect()
}

/// The names in a type.
pub(super) fn words_of(tree: &TypeTree) -> Vec<Rc<str>> {
    match tree {
        TypeTree::Constant(of)
        | TypeTree::Volatile(of)
        | TypeTree::Pointer(of)
        | TypeTree::Reference(of)
        | TypeTree::Rvalue(of)
        | TypeTree::Array(of, _) => words_of(of),
        TypeTree::Named(path) => {
            let mut found = Vec::new();
            for part in &path.parts {
                found.push(part.name.clone());
                for argument in part.arguments.iter().flatten() {
                    match argument {
                        TemplateArgument::Type(tree) => found.extend(words_of(tree)),
                        TemplateArgument::Value(CudaExpression {
                            what: ExpressionKind::Name(path),
                            ..
                        }) => {
                            found.extend(path.parts.iter().map(|p| p.name.clone()));
                        }
                        TemplateArgument::Value(_) => {}
                    }
                }
            }
            found
        }
        TypeTree::Pack(of) => of.words.to_vec(),
        _ => Vec::new(),
    }
}

impl KernelLowering {
    /// Binds a name to any number of values.
    pub(super) fn bind_pack(
        &mut self,
        name: Rc<str>,
        all: Vec<TypedValue>,
        kinds: Vec<Option<ReferenceKind>>,
    ) {
        if let Some(scope) = self.frame().scopes.last_mut() {
            if kinds.iter().any(Option::is_some) {
                scope.references_of_packs.insert(name.clone(), kinds);
            }
            scope.names.insert(name, NameBinding::Pack(all));
        }
    }

    /// How many elements a name of a pack has here.
    fn pack_length(&self, name: &str) -> Option<usize> {
        for scope in self.current().scopes.iter().rev() {
            match scope.names.get(name) {
                Some(NameBinding::Pack(all)) => return Some(all.len()),
                Some(_) => return None,
                None => {}
            }
        }
        match self.binding_of(name) {
            Some(TemplateBinding::Pack(all)) => Some(all.len()),
            _ => None,
        }
    }

    /// How often a pattern is put.
    pub(super) fn count_of(&self, words: &[Rc<str>], at: CudaSpan) -> LoweringResult<usize> {
        let mut found = None;
        for length in words.iter().filter_map(|word| self.pack_length(word)) {
            if found.is_some_and(|n| n != length) {
                let text = format!(
                    "{} and {length} values or types are gone through at once",
                    found.unwrap_or(0)
                );
                return self.refuse(at, text, "give as many of one as of the other");
            }
            found = Some(length);
        }
        match found {
            Some(count) if count > MAX_ELEMENTS => self.refuse(
                at,
                format!("more than {MAX_ELEMENTS} values or types by one `...`"),
                "give fewer",
            ),
            Some(count) => Ok(count),
            None => self.refuse(
                at,
                "`...` behind what names no types or values of any number",
                "name one: `f(xs...)`",
            ),
        }
    }

    /// Each `xs...` becomes its elements; where there is none, nothing is copied.
    pub(super) fn unpacked<'t>(
        &self,
        all: &'t [CudaExpression],
    ) -> LoweringResult<Cow<'t, [CudaExpression]>> {
        if !all
            .iter()
            .any(|e| matches!(e.what, ExpressionKind::Pack(PackPattern { number: None, .. })))
        {
            return Ok(Cow::Borrowed(all));
        }
        let mut found = Vec::with_capacity(all.len());
        for e in all {
            match &e.what {
                ExpressionKind::Pack(of) if of.number.is_none() => {
                    found.extend(self.elements(of, e.at)?)
                }
                _ => found.push(e.clone()),
            }
        }
        Ok(Cow::Owned(found))
    }

    fn elements(
        &self,
        of: &PackPattern<CudaExpression>,
        at: CudaSpan,
    ) -> LoweringResult<Vec<CudaExpression>> {
        let one = |n| CudaExpression {
            what: ExpressionKind::Pack(PackPattern { number: Some(n), ..of.clone() }),
            at,
        };
        Ok((0..self.count_of(&of.words, at)?).map(one).collect())
    }

    /// Each `Ts...` becomes its elements.
    pub(super) fn unpacked_arguments(
        &self,
        all: &[TemplateArgument],
        at: CudaSpan,
    ) -> LoweringResult<Vec<TemplateArgument>> {
        let mut found = Vec::with_capacity(all.len());
        for argument in all {
            match argument {
                TemplateArgument::Type(TypeTree::Pack(of)) if of.number.is_none() => {
                    let one = |n| {
                        TemplateArgument::Type(TypeTree::Pack(PackPattern {
                            number: Some(n),
                            ..of.clone()
                        }))
                    };
                    found.extend((0..self.count_of(&of.words, at)?).map(one));
                }
                TemplateArgument::Value(e) => {
                    let all = self.unpacked(std::slice::from_ref(e))?;
                    found.extend(all.iter().cloned().map(TemplateArgument::Value));
                }
                TemplateArgument::Type(_) => found.push(argument.clone()),
            }
        }
        Ok(found)
    }

    /// Does something where names of packs are those of one element.
    pub(super) fn with_element<T>(
        &mut self,
        words: &[Rc<str>],
        number: usize,
        act: impl FnOnce(&mut Self) -> LoweringResult<T>,
    ) -> LoweringResult<T> {
        let mut names = LocalNames::default();
        for word in words {
            let found = self.current().scopes.iter().rev().find_map(|s| s.names.get(word));
            if let Some(NameBinding::Pack(all)) = found
                && let Some(value) = all.get(number)
            {
                names.names.insert(word.clone(), NameBinding::Value(value.clone()));
                if let Some(kind) = self.kind_of_element(word, number) {
                    names.references.insert(word.clone(), kind);
                }
            }
        }
        let bindings = Rc::new(element_of(&self.current().bindings, words, number));
        let outer = std::mem::replace(&mut self.frame().bindings, bindings);
        self.frame().scopes.push(names);
        let done = act(self);
        // What refuses may have left the frames as they were.
        if done.is_ok() {
            self.frame().scopes.pop();
            self.frame().bindings = outer;
        }
        done
    }

    /// The one whose number `of` says. Refused where it says none, as for `...` where no list is.
    pub(super) fn element(
        &mut self,
        of: &PackPattern<CudaExpression>,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let Some(number) = of.number else {
            return self.refuse(
                at,
                "`...` does not stand here",
                "it stands behind an argument, or in `(xs + ...)`",
            );
        };
        self.with_element(&of.words, number, |this| this.lower(&of.pattern))
    }

    /// The type of one element, as an argument.
    pub(super) fn element_type(&mut self, of: &PackPattern<TypeTree>) -> LoweringResult<CudaType> {
        let Some(number) = of.number else {
            return self.refuse(
                self.position,
                "`...` does not stand here",
                "it stands behind an argument of a template",
            );
        };
        self.with_element(&of.words, number, |this| this.resolved_argument(&of.pattern))
    }

    /// What compilers have built in: one type of several, and the numbers up to another one.
    pub(super) fn type_of_pack(
        &mut self,
        name: &str,
        arguments: &[TemplateArgument],
        at: CudaSpan,
    ) -> LoweringResult<Option<CudaType>> {
        if !matches!(
            name,
            "__type_pack_element" | "__margay_sequence" | "__margay_kind" | "__margay_underlying"
        ) {
            return Ok(None);
        }
        let arguments = self.plain_arguments(arguments)?;
        match (name, arguments.as_slice()) {
            ("__type_pack_element", [(_, TemplateBinding::Value(_, number)), types @ ..]) => {
                match usize::try_from(*number).ok().and_then(|n| types.get(n)) {
                    Some((_, TemplateBinding::Type(ty))) => Ok(Some(ty.clone())),
                    _ => self.refuse(
                        at,
                        format!("there is no type {number} among {}", types.len()),
                        "types are counted from 0",
                    ),
                }
            }
            ("__margay_kind", [(_, TemplateBinding::Type(ty))]) => {
                let kind = match ty.structure().map(|number| &self.structures[number]) {
                    _ if ty.reference.is_some() => 1,
                    None if ty.enumeration.is_some() => 2,
                    None => 1,
                    Some(of) if of.tree.is_union => 4,
                    Some(of) if of.fields.is_empty() => 5,
                    Some(_) => 3,
                };
                Ok(Some(CudaType::plain(TypeShape::Array(
                    Rc::new(CudaType::integer(1, true)),
                    Some(kind),
                ))))
            }
            ("__margay_underlying", [(_, TemplateBinding::Type(ty))])
                if ty.enumeration.is_some() =>
            {
                Ok(Some(CudaType::plain(ty.shape.clone())))
            }
            ("__margay_kind" | "__margay_underlying", _) => {
                self.refuse(at, "this is asked of an enumeration only", "give one")
            }
            (_, [(_, TemplateBinding::Type(ty)), (_, TemplateBinding::Value(_, count))])
                if *count <= MAX_ELEMENTS as u64 =>
            {
                let part = |name: &str| NamePart { name: name.into(), arguments: None };
                let path = NamePath {
                    parts: vec![part("cuda"), part("std"), part("integer_sequence")],
                    at,
                };
                let numbers = (0..*count).map(|n| TemplateBinding::Value(ty.value(), n)).collect();
                let bindings = vec![
                    ("T".into(), TemplateBinding::Type(ty.clone())),
                    ("I".into(), TemplateBinding::Pack(numbers)),
                ];
                self.structure_of_bindings(&path, bindings, at).map(Some)
            }
            _ => self.refuse(
                at,
                format!("more than {MAX_ELEMENTS} numbers in a sequence"),
                "make it shorter",
            ),
        }
    }

    /// `sizeof...(xs)`.
    pub(super) fn count_of_pack(&self, name: &Rc<str>, at: CudaSpan) -> LoweringResult<TypedValue> {
        let count = self.count_of(std::slice::from_ref(name), at)?;
        Ok(TypedValue::constant(CudaType::integer(8, false), count as u64))
    }

    /// Which of two readings of a fold with a first operand is meant.
    pub(super) fn fold_of_either<'t>(&self, [left, right]: &'t [FoldTree; 2]) -> &'t FoldTree {
        let is_pack = left.pack.words.iter().any(|word| self.pack_length(word).is_some());
        if is_pack { left } else { right }
    }

    /// A fold as the expression that it stands for.
    pub(super) fn folded(&self, tree: &FoldTree, at: CudaSpan) -> LoweringResult<CudaExpression> {
        let mut all = self.elements(&tree.pack, at)?;
        let first = tree.first.as_deref().cloned();
        match tree.is_from_right {
            true => all.extend(first),
            false => all.splice(..0, first).for_each(drop),
        }
        let made = |a: CudaExpression, b: CudaExpression| {
            let (a, b) = (Box::new(a), Box::new(b));
            let what = match tree.operator {
                Some(of) => ExpressionKind::Binary(of, a, b),
                None => ExpressionKind::Comma(a, b),
            };
            CudaExpression { what, at }
        };
        let found = match tree.is_from_right {
            true => all.into_iter().rev().reduce(|right, left| made(left, right)),
            false => all.into_iter().reduce(made),
        };
        let of_none = match tree.operator {
            Some(CudaBinary::BothTrue) => Some(ExpressionKind::Truth(true)),
            Some(CudaBinary::OneTrue) => Some(ExpressionKind::Truth(false)),
            None => {
                let zero = ExpressionKind::Integer {
                    value: 0,
                    bytes: 4,
                    is_signed: true,
                    is_second: false,
                };
                Some(ExpressionKind::Cast(
                    TypeTree::Void,
                    Box::new(CudaExpression { what: zero, at }),
                    false,
                ))
            }
            Some(_) => None,
        };
        match found.or(of_none.map(|what| CudaExpression { what, at })) {
            Some(e) => Ok(e),
            None => {
                self.refuse(at, "an operator of no operands", "give a first one: `(0 + ... + xs)`")
            }
        }
    }
}
