//! References: which types are one by another name, and what a reference may refer to.

use std::rc::Rc;

use super::conversion::ReferenceBinding;
use super::variable::is_auto;
use super::{KernelLowering, LoweringResult, TypedValue, ValueForm};
use crate::lex::CudaSpan;
use crate::tree::{CudaExpression, ExpressionKind, PackPattern, TypeTree, VariableTree};
use crate::types::{CudaType, ReferenceKind};

impl KernelLowering {
    /// Is a type a reference, also where its name does not say so: `T` that was found from a
    /// variable passed for `T&&`, or a name for `U&`?
    pub(super) fn is_reference_type(&mut self, tree: &TypeTree) -> LoweringResult<bool> {
        Ok(match tree {
            TypeTree::Reference(_) => true,
            TypeTree::Auto
            | TypeTree::AutoAsIs
            | TypeTree::Pack(PackPattern { number: None, .. }) => false,
            // A template whose arguments the value says.
            TypeTree::Named(_) if self.template_of_class(tree).is_some() => false,
            _ => self.resolved_argument(tree)?.reference.is_some(),
        })
    }

    /// The type that a tree of one is, with what says that it is a reference. References to
    /// references are one (C++ [dcl.ref]).
    pub(super) fn resolved_argument(&mut self, tree: &TypeTree) -> LoweringResult<CudaType> {
        Ok(match tree {
            TypeTree::Reference(of) => {
                let (of, kind) = match &**of {
                    TypeTree::Rvalue(of) => (of, ReferenceKind::Right),
                    _ => (of, ReferenceKind::Left),
                };
                let ty = self.resolved_argument(of)?;
                let kind = if ty.reference == Some(ReferenceKind::Left) {
                    ReferenceKind::Left
                } else {
                    kind
                };
                CudaType { reference: Some(kind), ..ty }
            }
            // What a reference leads to is not made constant by its name.
            TypeTree::Constant(of) | TypeTree::Volatile(of) => match self.resolved_argument(of)? {
                ty if ty.reference.is_some() => ty,
                ty if matches!(tree, TypeTree::Constant(_)) => CudaType { is_constant: true, ..ty },
                ty => CudaType { is_volatile: true, ..ty },
            },
            TypeTree::Rvalue(of) => self.resolved_argument(of)?,
            TypeTree::Named(path) => self.named_type(path)?,
            TypeTree::Pack(of) => self.element_type(of)?,
            TypeTree::OfExpression(e) => {
                let value = self.apart(|this| this.only_for_type(|this| this.lower_argument(e)))?.1;
                let reference = match value.form {
                    ValueForm::Expiring(_) => Some(ReferenceKind::Right),
                    ValueForm::Place(_) if self.is_reference_as_it_is(e, &value)? => {
                        Some(self.kind_of_declared(e))
                    }
                    _ => None,
                };
                CudaType { reference, ..value.ty }
            }
            _ => self.resolved(tree)?,
        })
    }

    /// As which reference an expression is declared: `T&`, unless it names a `T&&`.
    fn kind_of_declared(&self, e: &CudaExpression) -> ReferenceKind {
        match &e.what {
            ExpressionKind::Name(path) if path.parts.len() == 1 && !self.is_in_parentheses(e) => {
                self.declared_reference(&path.last().name).unwrap_or(ReferenceKind::Left)
            }
            _ => ReferenceKind::Left,
        }
    }

    /// Does an expression stand in parentheses of its own?
    pub(super) fn is_in_parentheses(&self, e: &CudaExpression) -> bool {
        let text = self.program.text(e.at);
        text.starts_with('(') && text.ends_with(')')
    }

    /// As which reference a name that is seen here was declared, if as one.
    pub(super) fn declared_reference(&self, name: &Rc<str>) -> Option<ReferenceKind> {
        let scope = self.current().scopes.iter().rev().find(|s| s.names.contains_key(name))?;
        scope.references.get(name).copied()
    }

    /// As which reference an element of a pack was declared, if as one.
    pub(super) fn kind_of_element(&self, name: &Rc<str>, number: usize) -> Option<ReferenceKind> {
        let scope = self.current().scopes.iter().rev().find(|s| s.names.contains_key(name))?;
        *scope.references_of_packs.get(name)?.get(number)?
    }

    /// Notes that a name of the innermost scope is one of a reference.
    pub(super) fn refers(&mut self, name: Rc<str>, kind: ReferenceKind) {
        if let Some(scope) = self.frame().scopes.last_mut() {
            scope.references.insert(name, kind);
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
        let binding = super::conversion::binding_of(ty);
        let is_any =
            is_auto(&tree.ty) && (binding == ReferenceBinding::Right || tree.name.starts_with('('));
        if is_any
            || matches!(value.form, ValueForm::List(_))
            || super::closure::is_function(&value.ty)
        {
            return Ok(());
        }
        match self.sequence(value, &ty.referred(), binding)? {
            Some(way) if !way.is_unfit() => Ok(()),
            _ => {
                let text = format!(
                    "`{}` may not refer to this value of the type {}",
                    tree.name,
                    self.type_text(&value.ty)
                );
                let help = "C++ binds `T&` to variables of its type only, and drops no `const`: name a variable, or make it `const T&`";
                self.refuse(at, text, help)
            }
        }
    }
}
