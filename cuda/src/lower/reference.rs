//! References: which types are one by another name, and what a reference may refer to.

use std::rc::Rc;

use super::conversion::{ReferenceBinding, binding_of_parameter, is_left};
use super::variable::is_auto;
use super::{KernelLowering, LoweringResult, TypedValue, ValueForm};
use crate::lex::CudaSpan;
use crate::read::DeclaredItem;
use crate::tree::{FunctionTree, NamePath, TemplateArgument, TypeTree, VariableTree};
use crate::types::{CudaType, StructureLayout};

impl KernelLowering {
    /// Is a type a reference, also where its name does not say so: `T` that was found from a variable passed for `T&&`, or a name for `U&`?
    pub(super) fn is_reference_type(&mut self, tree: &TypeTree) -> LoweringResult<bool> {
        match tree {
            TypeTree::Reference(_) => Ok(true),
            TypeTree::Constant(of) | TypeTree::Volatile(of) | TypeTree::Rvalue(of) => self.is_reference_type(of),
            TypeTree::Named(path) => self.is_reference_name(path),
            TypeTree::OfExpression(e) => {
                let value = self.apart(|this| this.lower_argument(e))?.1;
                match value.form {
                    ValueForm::Place(_) => self.is_reference_as_it_is(e, &value),
                    _ => Ok(false),
                }
            }
            _ => Ok(false),
        }
    }

    fn is_reference_name(&mut self, path: &NamePath) -> LoweringResult<bool> {
        let last = path.last();
        if path.parts.len() == 1 && last.arguments.is_none() {
            if self.current().scopes.iter().any(|s| s.names.contains_key(&last.name)) {
                return Ok(self.is_declared_reference(&last.name));
            }
            if self.current().bindings.iter().any(|(name, _)| *name == last.name) {
                return Ok(self.current().references.contains(&last.name));
            }
        }
        let owner = match path.parts.len() {
            1 => self.current().owner,
            _ => self.qualifying_structure(path)?,
        };
        // What an alias stands for is of where it is declared.
        if let Some(owner) = owner {
            let StructureLayout { tree, bindings, .. } = self.structures[owner].clone();
            if let Some((_, of)) = tree.aliases.iter().find(|(name, _)| *name == last.name) {
                return self.outside(tree.namespace.clone(), bindings, Some(owner), |this| this.is_reference_type(of));
            }
        }
        let alias = self.entries(path).into_iter().find_map(|item| match item {
            DeclaredItem::Alias(template, of) => Some((template, of)),
            _ => None,
        });
        let Some((template, of)) = alias else { return Ok(false) };
        let (namespace, owner) = (self.current().namespace.clone(), self.current().owner);
        let bindings = match template {
            Some(parameters) => Rc::new(self.bound(&parameters, last.arguments.as_deref(), path.at)?),
            None => self.current().bindings.clone(),
        };
        self.outside(namespace, bindings, owner, |this| this.is_reference_type(&of))
    }

    /// An error where an argument of the program's own template is a reference: its variables of that type would be copies.
    pub(super) fn are_no_references(&mut self, arguments: &[TemplateArgument], at: CudaSpan) -> LoweringResult<()> {
        for argument in arguments {
            if let TemplateArgument::Type(tree) = argument
                && self.is_reference_type(tree)?
            {
                let help = "pass the type without `&`, and a pointer where the variable itself is needed";
                return self.refuse(at, "a reference as the argument of a template is not understood", help);
            }
        }
        Ok(())
    }

    /// Notes that a name of the innermost scope is one of a reference.
    pub(super) fn refers(&mut self, name: Rc<str>) {
        if let Some(scope) = self.frame().scopes.last_mut() {
            scope.references.insert(name);
        }
    }

    /// Notes which parameters of a function's template are references: those of `T&&` for which variables are passed.
    pub(super) fn note_references(&mut self, function: &FunctionTree, values: &[TypedValue]) {
        let names: Vec<_> = function.template.iter().flat_map(|all| all.iter()).map(|p| p.name().clone()).collect();
        for (parameter, value) in function.parameters.iter().zip(values).filter(|(p, _)| !p.is_pack) {
            if let TypeTree::Reference(of) = &parameter.ty
                && let TypeTree::Rvalue(of) = &**of
                && let TypeTree::Named(path) = &**of
                && is_left(value)
                && binding_of_parameter(&parameter.ty, &names) == ReferenceBinding::Forwarding
            {
                self.frame().references.insert(path.last().name.clone());
            }
        }
    }

    /// An error where C++ lets a variable that is a reference not refer to a value.
    pub(super) fn may_be_referred(
        &mut self,
        tree: &VariableTree,
        value: &TypedValue,
        ty: &CudaType,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        let binding = match super::lookup::strip(&tree.ty) {
            TypeTree::Reference(_) => binding_of_parameter(super::lookup::strip(&tree.ty), &[]),
            _ => ReferenceBinding::Left,
        };
        let is_any = is_auto(&tree.ty) && (binding == ReferenceBinding::Right || tree.name.starts_with('('));
        if is_any || matches!(value.form, ValueForm::List(_)) || super::closure::is_function(&value.ty) {
            return Ok(());
        }
        match self.sequence(value, ty, binding)? {
            Some(way) if !way.is_unfit() => Ok(()),
            _ => {
                let text = format!("`{}` may not refer to this value of the type {}", tree.name, self.type_text(&value.ty));
                let help =
                    "C++ binds `T&` to variables of its type only, and drops no `const`: name a variable, or make it `const T&`";
                self.refuse(at, text, help)
            }
        }
    }
}
