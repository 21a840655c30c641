//! Operators that structures define, within them or outside, and assignment.

use std::rc::Rc;

use super::copying::CopyKind;
use super::expression::may_change;
use super::function_value::FoundMethod;
use super::{KernelLowering, LoweringResult, TypedValue, ValueForm};
use crate::lex::CudaSpan;
use crate::read::DeclaredItem;
use crate::tree::{CudaBinary, CudaExpression, FunctionTree, NamePart, NamePath};

impl KernelLowering {
    /// Has an expression's structure an `operator!`?
    pub(super) fn is_negated_by_operator(&mut self, e: &CudaExpression) -> LoweringResult<bool> {
        let is_one = |m: &Rc<FunctionTree>| &*m.name == "operator!";
        if !self.structures.iter().any(|s| s.tree.methods.iter().any(is_one)) {
            return Ok(false);
        }
        let number = self
            .if_possible(|this| this.only_for_type(|this| this.lower(e)))?
            .and_then(|value| value.ty.structure());
        Ok(number.is_some_and(|number| self.has_operator(number, "operator!", 0)))
    }

    /// An operator that a structure defines.
    pub(super) fn by_operator(
        &mut self,
        of: CudaBinary,
        a: &TypedValue,
        b: &TypedValue,
        at: CudaSpan,
    ) -> LoweringResult<Option<TypedValue>> {
        let name = format!("operator{}", of.sign());
        match a.ty.structure().filter(|&number| self.has_operator(number, &name, 1)) {
            Some(_) => self.operator_method(a.clone(), &name, vec![b.clone()], at).map(Some),
            None => match self.free_operator(&name, &[a.clone(), b.clone()], at)? {
                Some(found) => Ok(Some(found)),
                None if of == CudaBinary::Order
                    || a.ty.structure().or(b.ty.structure()).is_some() =>
                {
                    self.by_rewriting(of, a, b, at)
                }
                None => Ok(None),
            },
        }
    }

    /// An operator that is a function outside of structures; nothing where none takes these values.
    pub(super) fn free_operator(
        &mut self,
        name: &str,
        values: &[TypedValue],
        at: CudaSpan,
    ) -> LoweringResult<Option<TypedValue>> {
        if !values.iter().any(|v| v.ty.structure().is_some()) {
            return Ok(None);
        }
        let path = NamePath { parts: vec![NamePart { name: name.into(), arguments: None }], at };
        self.free_function(&path, values.to_vec(), at)
    }

    /// A function outside of structures by its name; nothing where none takes these values.
    pub(super) fn free_function(
        &mut self,
        path: &NamePath,
        values: Vec<TypedValue>,
        at: CudaSpan,
    ) -> LoweringResult<Option<TypedValue>> {
        let of = |i| match i {
            DeclaredItem::Function(f) => Some((f, usize::MAX, 0)),
            _ => None,
        };
        let functions: Vec<FoundMethod> = self.entries(path).into_iter().filter_map(of).collect();
        let name = path.last().name.clone();
        let functions = self.with_associated(functions, &name, &values);
        if functions.is_empty() {
            return Ok(None);
        }
        let Some((index, bindings)) = self.chosen_if_any(&functions, &values, None, (&name, at))?
        else {
            return Ok(None);
        };
        let function = functions[index].0.clone();
        self.invoked(&function, None, None, bindings, values, at).map(Some)
    }

    pub(super) fn assigned(
        &mut self,
        of: Option<CudaBinary>,
        to: &CudaExpression,
        value: &CudaExpression,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        // What is assigned is computed before where it goes.
        let value = self.lower_argument(value)?;
        let value = match value.ty.structure() {
            Some(_) => value,
            None if matches!(value.form, ValueForm::List(_)) => value,
            None => self.rvalue(value)?,
        };
        let value = if may_change(to) && value.ty.is_scalar() { self.fixed(value)? } else { value };
        let to = self.lower_place(to)?;
        self.set_position(at);
        if to.ty.structure().is_some() {
            return match of {
                Some(of) => {
                    let name = format!("operator{}=", of.sign());
                    let is_own =
                        to.ty.structure().is_some_and(|number| self.has_method(number, &name));
                    let values = [to.clone(), value.clone()];
                    match if is_own { None } else { self.free_operator(&name, &values, at)? } {
                        Some(found) => Ok(found),
                        None => self.operator_method(to, &name, vec![value], at),
                    }
                }
                None => self.assigned_structure(to, value, at),
            };
        }
        let value = match of {
            None => value,
            Some(of) => {
                let old = self.promoted_value(to.clone())?;
                let value = self.plain(value, at)?;
                self.computed(of, old, value, at)?
            }
        };
        self.put(&to, value, at)?;
        Ok(to)
    }

    pub(super) fn assigned_structure(
        &mut self,
        to: TypedValue,
        value: TypedValue,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let Some(number) = to.ty.structure() else { return Ok(to) };
        let is_same = value.ty.structure() == Some(number);
        if !is_same || self.has_own_assignment(number) {
            // The one that nobody writes takes what can be made one of it.
            let all = self.methods(number, &|m| &*m.name == "operator=" && !m.is_defaulted);
            let object = Some((&to.ty, true));
            if !all.is_empty()
                && self
                    .chosen_if_any(&all, std::slice::from_ref(&value), object, ("operator=", at))?
                    .is_some()
            {
                return self.method_called(to, all, None, vec![value], at);
            }
        }
        self.may_be_changed(&to, at)?;
        let is_expiring = matches!(value.form, ValueForm::Expiring(_) | ValueForm::Temporary(_));
        let value = self.converted(value, &to.ty, at)?;
        let (
            ValueForm::Place(from) | ValueForm::Temporary(from),
            ValueForm::Place(_) | ValueForm::Temporary(_),
        ) = (&value.form, &to.form)
        else {
            return self.refuse(at, "this structure is not assigned", "assign its members");
        };
        let (from_ty, from) = (value.ty.clone(), from.clone());
        // A reference leads to what it led to before.
        let number = to.ty.structure().unwrap_or(number);
        if self.structures[number].fields.iter().any(|f| f.is_reference) {
            let text = format!(
                "a value of the type {} is assigned, and has a reference",
                self.type_text(&to.ty)
            );
            return self.refuse(
                at,
                text,
                "C++ does not assign it; write an `operator=`, or use pointers",
            );
        }
        self.copied_by_parts((&from, is_expiring), &from_ty, &to, CopyKind::Assigned, at)?;
        Ok(to)
    }
}
