//! Which specialisation of a template takes its place.

use std::cmp::Ordering;
use std::rc::Rc;

use super::function_value::FoundMethod;
use super::{KernelLowering, LoweringResult};
use crate::lex::CudaSpan;
use crate::read::DeclaredItem;
use crate::tree::{
    ExpressionKind, NamePath, StructureTree, TemplateArgument, TemplateParameter, TypeTree,
};
use crate::types::{CudaType, TemplateBinding, TemplateBindings};

/// Is it a pattern of any number of arguments?
fn is_rest(pattern: &TemplateArgument) -> bool {
    match pattern {
        TemplateArgument::Type(tree) => matches!(tree, TypeTree::Pack(_)),
        TemplateArgument::Value(e) => matches!(e.what, ExpressionKind::Pack(_)),
    }
}

impl KernelLowering {
    /// The structure that takes the place of a template for its arguments, with what its own
    /// parameters are.
    pub(super) fn specialisation(
        &mut self,
        path: &NamePath,
        arguments: &TemplateBindings,
        at: CudaSpan,
    ) -> LoweringResult<Option<(Rc<StructureTree>, TemplateBindings)>> {
        let of = |i: DeclaredItem| match i {
            DeclaredItem::Structure(tree) if tree.specialises.is_some() => Some(tree),
            _ => None,
        };
        let all: Vec<Rc<StructureTree>> = self.entries(path).into_iter().filter_map(of).collect();
        let mut meant: Vec<(Rc<StructureTree>, TemplateBindings)> = Vec::new();
        // Of other templates the last arguments may be those that nobody wrote.
        let is_open = arguments
            .iter()
            .any(|(name, b)| matches!(b, TemplateBinding::Pack(_)) || name.starts_with('('));
        let flat = super::pack::flat(arguments);
        for tree in all {
            let patterns = tree.specialises.clone().unwrap_or_default();
            let parameters = tree.template.clone().unwrap_or_default();
            let has_rest = patterns.iter().any(is_rest);
            if patterns.len() - usize::from(has_rest) > flat.len()
                || !has_rest && flat.len() > patterns.len() && is_open
            {
                continue;
            }
            // What cannot be said of the arguments is not meant (`std::void_t`).
            let matched =
                self.if_possible(|this| this.matched(&parameters, &patterns, &flat, at))?;
            let Some(found) = matched.flatten() else { continue };
            if !self.are_true(&tree.constraints, &tree.namespace, &found)? {
                continue;
            }
            meant.push((tree, found));
        }
        let says_more = |a: usize, b: usize| {
            let of = |n: usize| -> (&[TemplateParameter], &[TemplateArgument]) {
                let tree = &meant[n].0;
                (
                    tree.template.as_deref().unwrap_or_default(),
                    tree.specialises.as_deref().unwrap_or_default(),
                )
            };
            match self.specificity_of_structures(of(a), of(b)) {
                Some(Ordering::Equal) => a < b,
                order => order == Some(Ordering::Less) || of(a).0.is_empty() && !of(b).0.is_empty(),
            }
        };
        match (0..meant.len()).find(|&a| (0..meant.len()).all(|b| a == b || says_more(a, b))) {
            Some(n) => Ok(Some(meant.swap_remove(n))),
            None => match meant.as_slice() {
                [first, second, ..] => {
                    Err(self.ambiguous(&path.last().name, (first.0.at, second.0.at), at).into())
                }
                _ => Ok(None),
            },
        }
    }

    /// What the parameters of a specialisation are for arguments; nothing where it is not meant.
    fn matched(
        &mut self,
        parameters: &[TemplateParameter],
        patterns: &[TemplateArgument],
        arguments: &[TemplateBinding],
        at: CudaSpan,
    ) -> LoweringResult<Option<TemplateBindings>> {
        let mut found: TemplateBindings = Vec::new();
        // The last pattern may be of all that are left.
        let is_last = |n: usize| patterns.get(n).is_some_and(is_rest);
        if let Some((TemplateArgument::Type(TypeTree::Pack(of)), start)) =
            patterns.last().zip(patterns.len().checked_sub(1))
        {
            let rest = arguments.get(start..).unwrap_or_default();
            let types: Vec<CudaType> = rest
                .iter()
                .filter_map(
                    |b| if let TemplateBinding::Type(ty) = b { Some(ty.clone()) } else { None },
                )
                .collect();
            if types.len() != rest.len() {
                return Ok(None);
            }
            self.deduce_pack(
                &super::pack::each(&of.pattern, &types),
                &of.pattern,
                parameters,
                &mut found,
            );
        } else if let Some((TemplateArgument::Value(e), start)) =
            patterns.last().zip(patterns.len().checked_sub(1))
            && let ExpressionKind::Pack(of) = &e.what
            && let Some(parameter) =
                parameters.iter().find(|p| p.is_pack() && of.words.contains(p.name()))
        {
            let rest = arguments.get(start..).unwrap_or_default();
            found.push((parameter.name().clone(), TemplateBinding::Pack(rest.to_vec())));
        }
        for (n, (pattern, argument)) in patterns.iter().zip(arguments).enumerate() {
            if is_last(n) {
                continue;
            }
            match (pattern, argument) {
                (TemplateArgument::Type(tree), TemplateBinding::Type(ty)) => {
                    self.deduce(tree, ty, parameters, &mut found)
                }
                (
                    TemplateArgument::Value(e),
                    TemplateBinding::Value(..) | TemplateBinding::Bytes(..),
                ) => {
                    if let ExpressionKind::Name(path) = &e.what
                        && let Some(parameter) =
                            parameters.iter().find(|p| *p.name() == path.last().name)
                    {
                        found.push((parameter.name().clone(), argument.clone()));
                    }
                }
                (TemplateArgument::Type(TypeTree::Named(path)), TemplateBinding::Template(_)) => {
                    if let Some(parameter) =
                        parameters.iter().find(|p| *p.name() == path.last().name)
                    {
                        found.push((parameter.name().clone(), argument.clone()));
                    }
                }
                _ => return Ok(None),
            }
        }
        let sorted = parameters
            .iter()
            .map(|p| found.iter().find(|(name, _)| name == p.name()).cloned())
            .collect::<Option<Vec<_>>>();
        let Some(sorted) = sorted else { return Ok(None) };
        // With these the patterns are the arguments.
        let namespace = self.current().namespace.clone();
        let bindings = Rc::new(sorted.clone());
        let is_same = self.outside(namespace, bindings, None, |this| {
            let patterns = this.unpacked_arguments(patterns, at)?;
            for (pattern, argument) in patterns.iter().zip(arguments) {
                let is_same = match (pattern, argument) {
                    (TemplateArgument::Type(tree), TemplateBinding::Type(ty)) => {
                        this.resolved_argument(tree)? == *ty
                    }
                    (TemplateArgument::Value(e), TemplateBinding::Value(ty, value)) => {
                        let given = this.constant(e, "an argument of a template")?;
                        let given =
                            if ty.is_void() { given } else { this.converted(given, ty, at)? };
                        given.known() == Some(*value)
                    }
                    (TemplateArgument::Value(e), TemplateBinding::Bytes(ty, _)) => {
                        this.number_binding(ty, e)? == *argument
                    }
                    (
                        TemplateArgument::Type(TypeTree::Named(path)),
                        TemplateBinding::Template(_),
                    ) => this.template_named(path)? == *argument,
                    _ => false,
                };
                if !is_same {
                    return Ok(false);
                }
            }
            Ok(true)
        })?;
        Ok(is_same.then_some(sorted))
    }

    /// What the arguments of a template are whose parameters nobody says: it is declared, and only
    /// its specialisations are defined.
    pub(super) fn plain_arguments(
        &mut self,
        arguments: &[TemplateArgument],
    ) -> LoweringResult<TemplateBindings> {
        let mut found = TemplateBindings::new();
        for (n, argument) in self.unpacked_arguments(arguments, self.position)?.iter().enumerate() {
            let binding = match argument {
                TemplateArgument::Type(tree) => {
                    TemplateBinding::Type(self.resolved_argument(tree)?)
                }
                TemplateArgument::Value(e) => self.number_binding(&CudaType::VOID, e)?,
            };
            found.push((format!("({n})").into(), binding));
        }
        Ok(found)
    }

    /// The function that takes the place of a template for what its parameters are.
    pub(super) fn special_function(
        &mut self,
        all: &[FoundMethod],
        template: usize,
        bindings: &TemplateBindings,
        at: CudaSpan,
    ) -> LoweringResult<Option<usize>> {
        let Some(parameters) = all[template].0.template.clone() else { return Ok(None) };
        let own = &bindings[bindings.len() - parameters.len()..];
        for (n, (function, ..)) in all.iter().enumerate() {
            let Some(arguments) = function.specialises.clone().filter(|_| function.body.is_some())
            else {
                continue;
            };
            let takes_all = parameters.last().is_some_and(TemplateParameter::is_pack);
            if arguments.len() != parameters.len() && !takes_all {
                continue;
            }
            let namespace = function.namespace.clone();
            let given = self.outside(namespace, Rc::default(), None, |this| {
                this.bound(&parameters, Some(&arguments), at)
            })?;
            if given == own {
                return Ok(Some(n));
            }
        }
        Ok(None)
    }
}
