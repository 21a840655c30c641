//! What the parameters of templates are.

use std::rc::Rc;

use super::{KernelLowering, LocalNames, LoweringResult, LoweringStop, TypedValue, ValueForm};
use crate::lex::CudaSpan;
use crate::read::DeclaredItem;
use crate::tree::{
    CudaBinary, CudaExpression, ExpressionKind, InitialTree, NamePath, RequirementTree,
    RequirementsTree, TemplateArgument, TemplateParameter, TypeTree,
};
use crate::types::{CudaType, TemplateBinding, TemplateBindings, TypeShape};

impl KernelLowering {
    /// The parameters of a template with its arguments, and what they are where none is given.
    pub(super) fn bound(
        &mut self,
        parameters: &[TemplateParameter],
        arguments: Option<&[TemplateArgument]>,
        at: CudaSpan,
    ) -> LoweringResult<TemplateBindings> {
        let arguments = &self.unpacked_arguments(arguments.unwrap_or(&[]), at)?;
        let takes_all = parameters.last().is_some_and(TemplateParameter::is_pack);
        if arguments.len() > parameters.len() && !takes_all {
            return self.refuse(
                at,
                "more arguments than the template has parameters",
                "give fewer",
            );
        }
        let mut found: TemplateBindings = Vec::new();
        for (n, parameter) in parameters.iter().enumerate() {
            if parameter.is_pack() {
                let binding = self.pack_binding(
                    parameter,
                    arguments.get(n..).unwrap_or_default(),
                    &found,
                    at,
                )?;
                found.push((parameter.name().clone(), binding));
                continue;
            }
            let binding = match arguments.get(n) {
                Some(argument) => self.template_binding(parameter, argument, &found, at)?,
                None => {
                    let Some(binding) = self.default_binding(parameter, &found)? else {
                        let text = format!(
                            "the parameter `{}` of the template has no argument",
                            parameter.name()
                        );
                        return self.refuse(at, text, "write it in `<..>`");
                    };
                    binding
                }
            };
            found.push((parameter.name().clone(), binding));
        }
        Ok(found)
    }

    /// What a parameter of a template is where no argument is given.
    pub(super) fn default_binding(
        &mut self,
        parameter: &TemplateParameter,
        found: &TemplateBindings,
    ) -> LoweringResult<Option<TemplateBinding>> {
        let (namespace, bindings) = (self.current().namespace.clone(), Rc::new(found.clone()));
        Ok(match parameter {
            TemplateParameter::Type(_, Some(default)) => Some(TemplateBinding::Type(
                self.outside(namespace, bindings, None, |this| this.resolved_argument(default))?,
            )),
            TemplateParameter::Value(_, ty, Some(default)) => {
                Some(self.outside(namespace, bindings, None, |this| {
                    let ty = this.resolved(ty)?;
                    this.number_binding(&ty, default)
                })?)
            }
            TemplateParameter::Template(_, Some(default)) => {
                Some(self.outside(namespace, bindings, None, |this| this.template_named(default))?)
            }
            _ => None,
        })
    }

    /// What a parameter of any number of types or numbers is.
    pub(super) fn pack_binding(
        &mut self,
        parameter: &TemplateParameter,
        arguments: &[TemplateArgument],
        found: &TemplateBindings,
        at: CudaSpan,
    ) -> LoweringResult<TemplateBinding> {
        let element = parameter.element();
        let all =
            arguments.iter().map(|argument| self.template_binding(&element, argument, found, at));
        Ok(TemplateBinding::Pack(all.collect::<LoweringResult<_>>()?))
    }

    pub(super) fn template_binding(
        &mut self,
        parameter: &TemplateParameter,
        argument: &TemplateArgument,
        found: &TemplateBindings,
        at: CudaSpan,
    ) -> LoweringResult<TemplateBinding> {
        match (parameter, argument) {
            (TemplateParameter::Type(..), TemplateArgument::Type(tree)) => {
                Ok(TemplateBinding::Type(self.resolved_argument(tree)?))
            }
            // A name that may be of either.
            (
                TemplateParameter::Type(..),
                TemplateArgument::Value(CudaExpression {
                    what: ExpressionKind::Name(path), ..
                }),
            ) => Ok(TemplateBinding::Type(self.named_type(path)?)),
            (TemplateParameter::Value(_, ty, _), TemplateArgument::Value(e)) => {
                let namespace = self.current().namespace.clone();
                let ty = self
                    .outside(namespace, Rc::new(found.clone()), None, |this| this.resolved(ty))?;
                self.number_binding(&ty, e)
            }
            (
                TemplateParameter::Template(..),
                TemplateArgument::Type(TypeTree::Named(path))
                | TemplateArgument::Value(CudaExpression {
                    what: ExpressionKind::Name(path), ..
                }),
            ) => self.template_named(path),
            (TemplateParameter::Template(name, _), _) => self.refuse(
                at,
                format!("the parameter `{name}` of the template is a template, and gets none"),
                "give a template",
            ),
            (TemplateParameter::Type(name, _), _) => self.refuse(
                at,
                format!("the parameter `{name}` of the template is a type, and gets a value"),
                "give a type",
            ),
            // The element of a pack, which may be a type.
            (TemplateParameter::Types(_) | TemplateParameter::Values(..), _) => {
                self.pack_binding(parameter, std::slice::from_ref(argument), found, at)
            }
            (TemplateParameter::Value(name, ..), _) => self.refuse(
                at,
                format!("the parameter `{name}` of the template is a number, and gets a type"),
                "give a number",
            ),
        }
    }

    /// The value of an expression as the argument of a template, of a type or (`auto`) of its own.
    pub(super) fn number_binding(
        &mut self,
        ty: &CudaType,
        e: &CudaExpression,
    ) -> LoweringResult<TemplateBinding> {
        let of_own = match ty.is_void() {
            true => self.apart(|this| this.lower(e))?.1.ty.value(),
            false => ty.clone(),
        };
        if of_own.structure().is_some() {
            let initial = InitialTree::Value(e.clone());
            return match self.evaluated_initial(&of_own, &initial, e.at)? {
                Some(bytes) => Ok(TemplateBinding::Bytes(of_own, bytes.into())),
                None => self.refuse(
                    e.at,
                    "an argument of a template is not constant",
                    "make it of constants",
                ),
            };
        }
        let value = self.constant(e, "an argument of a template")?;
        let value = if ty.is_void() { value } else { self.converted(value, ty, e.at)? };
        Ok(TemplateBinding::Value(value.ty.clone(), value.known().unwrap_or(0)))
    }

    /// A parameter of a template as a value, if it is one.
    pub(super) fn value_of_binding(
        &mut self,
        name: &Rc<str>,
        binding: &TemplateBinding,
        at: CudaSpan,
    ) -> LoweringResult<Option<TypedValue>> {
        match binding {
            TemplateBinding::Value(ty, value) => {
                Ok(Some(TypedValue { ty: ty.clone(), form: ValueForm::Constant(*value) }))
            }
            TemplateBinding::Bytes(ty, bytes) => {
                self.known_place(name, ty.clone(), bytes.to_vec(), at).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The template that a name means, as an argument of another one.
    pub(super) fn template_named(&mut self, path: &NamePath) -> LoweringResult<TemplateBinding> {
        if let Some(binding @ TemplateBinding::Template(_)) =
            self.binding_of(&path.last().name).filter(|_| path.parts.len() == 1)
        {
            return Ok(binding.clone());
        }
        let is_template = |item: &DeclaredItem| match item {
            DeclaredItem::Structure(tree) => tree.template.is_some(),
            DeclaredItem::Alias(parameters, _) => parameters.is_some(),
            _ => false,
        };
        match self.placed_entries(path).into_iter().find(|entry| is_template(&entry.item)) {
            Some(entry) => {
                let names = entry.namespace.iter().cloned().chain([path.last().name.clone()]);
                Ok(TemplateBinding::Template(names.collect()))
            }
            None => self.refuse(
                path.at,
                format!("`{}` is no template of types", path.words()),
                "name a template",
            ),
        }
    }

    /// Is a concept true of the arguments that are written?
    pub(super) fn is_concept_true(
        &mut self,
        parameters: &[TemplateParameter],
        condition: &CudaExpression,
        path: &NamePath,
    ) -> LoweringResult<bool> {
        let namespace: Rc<[Rc<str>]> = self
            .placed_entries(path)
            .first()
            .map_or_else(Rc::default, |entry| entry.namespace.clone());
        let bindings = self.bound(parameters, path.last().arguments.as_deref(), path.at)?;
        self.are_true(std::slice::from_ref(condition), &namespace, &bindings)
    }

    /// Are conditions true of the arguments of a template?
    pub(super) fn are_true(
        &mut self,
        conditions: &[CudaExpression],
        namespace: &Rc<[Rc<str>]>,
        bindings: &TemplateBindings,
    ) -> LoweringResult<bool> {
        if conditions.is_empty() {
            return Ok(true);
        }
        let bindings = Rc::new(bindings.clone());
        self.outside(namespace.clone(), bindings, None, |this| {
            for condition in conditions {
                if !this.is_true(condition)? {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }

    /// Is a condition true? What cannot be computed is not (C++ [temp.constr.atomic]).
    fn is_true(&mut self, condition: &CudaExpression) -> LoweringResult<bool> {
        match &condition.what {
            ExpressionKind::Binary(CudaBinary::BothTrue, a, b) => {
                Ok(self.is_true(a)? && self.is_true(b)?)
            }
            ExpressionKind::Binary(CudaBinary::OneTrue, a, b) => {
                Ok(self.is_true(a)? || self.is_true(b)?)
            }
            ExpressionKind::Fold(tree) => {
                let folded = self.folded(tree, condition.at)?;
                self.is_true(&folded)
            }
            _ => Ok(self
                .if_possible(|this| this.constant(condition, "a condition"))?
                .is_some_and(|value| value.known() != Some(0))),
        }
    }

    /// Does something whose code is thrown away; nothing where that is not possible.
    pub(super) fn if_possible<T>(
        &mut self,
        act: impl FnMut(&mut Self) -> LoweringResult<T>,
    ) -> LoweringResult<Option<T>> {
        let (depth, frames, instructions) = (self.depth, self.frames.len(), self.instructions);
        let scopes = self.current().scopes.len();
        let done = self.apart(act);
        self.instructions = instructions;
        match done {
            Ok((_, value)) => Ok(Some(value)),
            Err(LoweringStop::Refused(_)) => {
                self.depth = depth;
                self.frames.truncate(frames);
                self.frame().scopes.truncate(scopes);
                Ok(None)
            }
            Err(again) => Err(again),
        }
    }

    /// Is all so that `requires` asks for?
    pub(super) fn are_required(&mut self, tree: &RequirementsTree) -> LoweringResult<bool> {
        self.frame().scopes.push(LocalNames::default());
        let found = self.are_required_within(tree);
        self.frame().scopes.pop();
        found
    }

    fn are_required_within(&mut self, tree: &RequirementsTree) -> LoweringResult<bool> {
        for parameter in &tree.parameters {
            let Some(ty) = self.if_possible(|this| this.resolved(&parameter.ty))? else {
                return Ok(false);
            };
            let (bytes, align) = match ty.shape {
                TypeShape::Array(_, None) | TypeShape::Function => (8, 8),
                _ => self.size_of(&ty, parameter.at)?,
            };
            let (_, place) =
                self.apart(|this| this.local("required", bytes, align, parameter.at))?;
            self.bind(parameter.name.clone(), TypedValue::place(ty, place));
        }
        for one in &tree.all {
            let is_so = match one {
                RequirementTree::Expression(e) => {
                    self.if_possible(|this| this.only_for_type(|this| this.lower(e)))?.is_some()
                }
                RequirementTree::Type(tree) => {
                    self.if_possible(|this| this.resolved(tree))?.is_some()
                }
                RequirementTree::Condition(e) => self.is_true(e)?,
                RequirementTree::Typed(e, concept) => {
                    let mut path = concept.clone();
                    if let Some(last) = path.parts.last_mut() {
                        let of =
                            TemplateArgument::Type(TypeTree::OfExpression(Box::new(e.clone())));
                        last.arguments.get_or_insert_default().insert(0, of);
                    }
                    self.is_true(&CudaExpression { what: ExpressionKind::Name(path), at: e.at })?
                }
            };
            if !is_so {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
