//! Constants: sizes of arrays, arguments of templates, initial values.

use std::rc::Rc;

use super::{InlinedCall, KernelLowering, LoweringResult, TypedValue};
use crate::lex::CudaSpan;
use crate::tree::{
    CudaExpression, EnumerationTree, ExpressionKind, InitialTree, TypeTree, VariableTree,
};
use crate::types::{CudaType, EnumerationIdentity, TemplateBindings, TypeShape};

impl KernelLowering {
    /// Does something outside of functions, or in another one's place: names are those of a
    /// namespace and the parameters of a template.
    pub(super) fn outside<T>(
        &mut self,
        namespace: Rc<[Rc<str>]>,
        bindings: Rc<TemplateBindings>,
        owner: Option<usize>,
        act: impl FnOnce(&mut Self) -> LoweringResult<T>,
    ) -> LoweringResult<T> {
        if self.frames.len() > super::MAX_CALLS {
            let text = format!(
                "calls, constants and types are nested more than {} deep",
                super::MAX_CALLS
            );
            return self.refuse(self.position, text, "write it flatter");
        }
        let mut frame = InlinedCall { bindings, owner, ..InlinedCall::outside(namespace) };
        self.enter_lambda(&mut frame);
        self.frames.push(frame);
        let done = act(self);
        self.frames.pop();
        done
    }

    /// Refused where it is not; the message begins with `what`.
    pub(super) fn constant(
        &mut self,
        e: &CudaExpression,
        what: &str,
    ) -> LoweringResult<TypedValue> {
        let (code, value) = self.apart(|this| {
            let value = this.for_value(|this| this.lower(e))?;
            let value = this.plain(value, e.at)?;
            this.rvalue(value)
        })?;
        match self.number_of(&code, &value)? {
            Some(value) => Ok(value),
            None => self.refuse(
                e.at,
                format!("{what} is not constant"),
                "it must be a number that is known when the program is compiled",
            ),
        }
    }

    /// The one that is declared, else `int` of a scoped one, and of another one what its constants
    /// need (C++ [dcl.enum]).
    pub(super) fn type_of_enumeration(
        &mut self,
        tree: &Rc<EnumerationTree>,
    ) -> LoweringResult<CudaType> {
        let ty = match &tree.base {
            Some(base) => self.resolved(base)?,
            None if tree.is_scoped => CudaType::INT,
            None => self.type_for_constants(tree)?,
        };
        let identity =
            EnumerationIdentity { tree: Rc::as_ptr(tree) as usize, is_scoped: tree.is_scoped };
        Ok(CudaType { enumeration: Some(identity), ..ty })
    }

    /// The type of whole numbers that has all constants of an enumeration, as nvcc chooses it: the
    /// first of `int`, `unsigned`, `long`, `unsigned long`.
    fn type_for_constants(&mut self, tree: &Rc<EnumerationTree>) -> LoweringResult<CudaType> {
        let identity = Rc::as_ptr(tree) as usize;
        let is_small = |e: &CudaExpression| match &e.what {
            ExpressionKind::Integer { value, .. } => {
                *value <= i32::MAX as u64 - tree.constants.len() as u64
            }
            _ => false,
        };
        // Within its own braces a constant is of the type of its value.
        if self.open_enumerations.contains(&identity)
            || tree.constants.iter().all(|(_, e)| e.as_ref().is_none_or(is_small))
        {
            return Ok(CudaType::INT);
        }
        self.open_enumerations.push(identity);
        let mut all = Vec::new();
        for number in 0..tree.constants.len() {
            let (value, n) = match &tree.constants[number].1 {
                Some(e) => match self.constant(e, "the value of a constant") {
                    Ok(value) => (value, 0),
                    Err(stop) => {
                        self.open_enumerations.pop();
                        return Err(stop);
                    }
                },
                None => match all.last().cloned() {
                    Some(before) => (before, 1),
                    None => (TypedValue::constant(CudaType::INT, 0), 0),
                },
            };
            let bits = value.known().unwrap_or(0).wrapping_add(n);
            all.push(TypedValue { form: super::ValueForm::Constant(bits), ..value });
        }
        self.open_enumerations.pop();
        let of = |value: &TypedValue| match (value.known().unwrap_or(0), value.ty.is_signed()) {
            (bits, true) => i128::from(bits as i64),
            (bits, false) => i128::from(bits),
        };
        let (least, most) = all
            .iter()
            .map(of)
            .fold((0, 0), |(least, most), value| (value.min(least), value.max(most)));
        let fits = |bytes: u32, is_signed: bool| match is_signed {
            true => least >= -(1i128 << (8 * bytes - 1)) && most < 1i128 << (8 * bytes - 1),
            false => least >= 0 && most < 1i128 << (8 * bytes),
        };
        let types = [(4, true), (4, false), (8, true), (8, false)];
        let (bytes, is_signed) = types
            .into_iter()
            .find(|&(bytes, is_signed)| fits(bytes, is_signed))
            .unwrap_or((8, true));
        Ok(CudaType::integer(bytes as u8, is_signed))
    }

    /// The value of a constant of an enumeration.
    pub(super) fn enumerator(
        &mut self,
        tree: &Rc<EnumerationTree>,
        number: usize,
    ) -> LoweringResult<TypedValue> {
        let ty = self.type_of_enumeration(tree)?;
        // From the last one whose value is written.
        let written = (0..=number).rev().find_map(|n| Some((n, tree.constants[n].1.as_ref()?)));
        let value = match written {
            Some((n, e)) => {
                let value = self.constant(e, "the value of a constant")?;
                value.known().unwrap_or(0).wrapping_add((number - n) as u64)
            }
            None => number as u64,
        };
        Ok(TypedValue::constant(ty, value))
    }

    /// The value of a constant variable: nothing where it is not known when the program is
    /// compiled.
    pub(super) fn constant_variable(
        &mut self,
        tree: &VariableTree,
    ) -> LoweringResult<Option<TypedValue>> {
        let Some(initial) = &tree.initial else { return Ok(None) };
        self.enter(tree.at)?;
        let ty = self.type_of_variable(tree)?;
        let found = self.constant_of_type(tree, ty, initial)?;
        self.depth -= 1;
        Ok(found)
    }

    /// The same where the type is known.
    pub(super) fn constant_of_type(
        &mut self,
        tree: &VariableTree,
        ty: CudaType,
        initial: &InitialTree,
    ) -> LoweringResult<Option<TypedValue>> {
        if ty.is_volatile {
            return Ok(None);
        }
        if ty.is_void() {
            // `auto`
            let InitialTree::Value(e) = initial else { return Ok(None) };
            let ty = self.resolved(&TypeTree::OfExpression(Box::new(e.clone())))?;
            return if ty.is_void() {
                Ok(None)
            } else {
                self.constant_of_type(tree, ty.value(), initial)
            };
        }
        if ty.is_scalar() {
            let e = match initial {
                InitialTree::Value(e) => e,
                InitialTree::Arguments(all) | InitialTree::List(all) => match all.as_slice() {
                    [one] => one,
                    _ => return Ok(None),
                },
            };
            let value = self.constant(e, &format!("`{}`", tree.name))?;
            return self.converted(value, &ty, tree.at).map(Some);
        }
        match self.evaluated_initial(&ty, initial, tree.at)? {
            Some(bytes) => self.known_place(&tree.name, ty, bytes, tree.at).map(Some),
            None => Ok(None),
        }
    }

    /// The type that a variable is declared with, and the size of an array whose values say it.
    pub(super) fn type_of_variable(&mut self, tree: &VariableTree) -> LoweringResult<CudaType> {
        let ty = self.resolved(&tree.ty)?;
        let ty =
            CudaType { is_constant: ty.is_constant || tree.is_computed && !ty.is_void(), ..ty };
        let TypeShape::Array(of, None) = &ty.shape else { return Ok(ty) };
        let count = match &tree.initial {
            Some(InitialTree::List(all)) => self.unpacked(all)?.len() as u64,
            // A text is an array, with a zero behind it.
            Some(InitialTree::Value(CudaExpression {
                what: ExpressionKind::Text(text), ..
            })) => text.len() as u64 + 1,
            _ => return Ok(ty),
        };
        Ok(CudaType { shape: TypeShape::Array(of.clone(), Some(count)), ..ty })
    }

    /// The bytes that a variable of the module begins with.
    pub(super) fn initial_bytes(
        &mut self,
        tree: &VariableTree,
        ty: &CudaType,
    ) -> LoweringResult<Option<Vec<u8>>> {
        if let Some(initial) = &tree.initial {
            return match self.evaluated_initial(ty, initial, tree.at)? {
                Some(bytes) => Ok(Some(bytes)),
                None => self.refuse(
                    tree.at,
                    "what a variable begins with is not constant",
                    "set it in the kernel, or by the host",
                ),
            };
        }
        match &ty.shape {
            // One element is as the other.
            TypeShape::Array(of, Some(count)) => {
                let element = self.default_bytes(&of.clone(), tree.at)?;
                Ok(element
                    .filter(|bytes| bytes.len() as u64 * count <= 1 << 20)
                    .map(|bytes| bytes.repeat(*count as usize)))
            }
            _ => self.default_bytes(ty, tree.at),
        }
    }

    /// The bytes that a structure begins with of which nothing else is said.
    fn default_bytes(&mut self, ty: &CudaType, at: CudaSpan) -> LoweringResult<Option<Vec<u8>>> {
        let Some(number) = ty.structure() else { return Ok(None) };
        self.evaluated(ty, at, |this, place| this.construct_at(place, number, Vec::new(), at))
    }
}
