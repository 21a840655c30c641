//! What the parameters of templates are, found from the types of values.

use super::KernelLowering;
use crate::read::DeclaredItem;
use crate::tree::{
    CudaExpression, ExpressionKind, NamePath, TemplateArgument, TemplateParameter, TypeTree,
};
use crate::types::{CudaType, StructureLayout, TemplateBinding, TemplateBindings, TypeShape};

impl KernelLowering {
    /// What an alias that is a template stands for with its arguments.
    fn of_alias(&self, path: &NamePath) -> Option<TypeTree> {
        let arguments = path.last().arguments.as_deref()?;
        self.entries(path).into_iter().find_map(|item| match item {
            DeclaredItem::Alias(Some(parameters), tree) => {
                Some(substituted(&tree, &parameters, arguments))
            }
            _ => None,
        })
    }

    /// Finds what parameters of a template are from a value's type.
    pub(super) fn deduce(
        &mut self,
        tree: &TypeTree,
        ty: &CudaType,
        parameters: &[TemplateParameter],
        found: &mut TemplateBindings,
    ) {
        let of_path = tree;
        match tree {
            TypeTree::Named(path) => {
                let last = path.last();
                let is_parameter = path.parts.len() == 1
                    && last.arguments.is_none()
                    && parameters.iter().any(
                        |p| matches!(p, TemplateParameter::Type(name, _) if *name == last.name),
                    );
                if is_parameter {
                    if !found.iter().any(|(name, _)| *name == last.name) {
                        found.push((last.name.clone(), TemplateBinding::Type(ty.clone())));
                    }
                    return;
                }
                let (Some(arguments), Some(number)) = (&last.arguments, ty.structure()) else {
                    return;
                };
                let StructureLayout { tree, arguments: given, bases, .. } =
                    self.structures[number].clone();
                let of_template = parameters.iter().any(
                    |p| matches!(p, TemplateParameter::Template(name, _) if *name == last.name),
                );
                if of_template && path.parts.len() == 1 && tree.template.is_some() {
                    if !found.iter().any(|(name, _)| *name == last.name) {
                        let names = tree.namespace.iter().cloned().chain([tree.name.clone()]);
                        found.push((last.name.clone(), TemplateBinding::Template(names.collect())));
                    }
                } else if tree.name != last.name {
                    // An alias of a template is what it stands for.
                    if let Some(of) = self.of_alias(path) {
                        return self.deduce(&of, ty, parameters, found);
                    }
                    // A structure that is made from one.
                    for (base, _) in bases {
                        self.deduce(
                            of_path,
                            &CudaType::plain(TypeShape::Structure(base)),
                            parameters,
                            found,
                        );
                    }
                    return;
                }
                let given = super::pack::flat(&given);
                for (n, (argument, binding)) in arguments.iter().zip(&given).enumerate() {
                    match (argument, binding) {
                        // The rest of them.
                        (TemplateArgument::Type(TypeTree::Pack(of)), _) => {
                            let rest = given[n..].iter().filter_map(|b| {
                                if let TemplateBinding::Type(ty) = b { Some(ty) } else { None }
                            });
                            let rest: Vec<CudaType> = rest.cloned().collect();
                            self.deduce_pack(
                                &super::pack::each(&of.pattern, &rest),
                                &of.pattern,
                                parameters,
                                found,
                            );
                            break;
                        }
                        (
                            TemplateArgument::Value(CudaExpression {
                                what: ExpressionKind::Pack(of),
                                ..
                            }),
                            _,
                        ) => {
                            let pack = parameters
                                .iter()
                                .find(|p| p.is_pack() && of.words.contains(p.name()));
                            if let Some(pack) =
                                pack.filter(|p| !found.iter().any(|(name, _)| name == p.name()))
                            {
                                found.push((
                                    pack.name().clone(),
                                    TemplateBinding::Pack(given[n..].to_vec()),
                                ));
                            }
                            break;
                        }
                        (TemplateArgument::Type(tree), TemplateBinding::Type(ty)) => {
                            self.deduce(tree, ty, parameters, found)
                        }
                        (
                            TemplateArgument::Value(CudaExpression {
                                what: ExpressionKind::Name(path),
                                ..
                            }),
                            TemplateBinding::Value(..) | TemplateBinding::Bytes(..),
                        ) => {
                            let name = &path.last().name;
                            let is_parameter = parameters.iter().any(|p| p.name() == name);
                            if is_parameter && !found.iter().any(|(n, _)| n == name) {
                                found.push((name.clone(), binding.clone()));
                            }
                        }
                        _ => {}
                    }
                }
            }
            TypeTree::Reference(of) => self.deduce(of, &ty.referred(), parameters, found),
            TypeTree::Rvalue(of) => self.deduce(of, ty, parameters, found),
            // A reference is never constant itself.
            TypeTree::Constant(_) | TypeTree::Volatile(_) if ty.reference.is_some() => {}
            TypeTree::Constant(of) => {
                self.deduce(of, &CudaType { is_constant: false, ..ty.clone() }, parameters, found)
            }
            TypeTree::Volatile(of) => {
                self.deduce(of, &CudaType { is_volatile: false, ..ty.clone() }, parameters, found)
            }
            TypeTree::Pointer(of) => {
                if let Some(element) = ty.element().cloned() {
                    self.deduce(of, &element, parameters, found);
                }
            }
            TypeTree::Array(of, size) => {
                let Some(element) = ty.element().cloned() else { return };
                if let (Some(size), TypeShape::Array(_, Some(count))) = (size, &ty.shape)
                    && let ExpressionKind::Name(path) = &size.what
                {
                    let name = path.last().name.clone();
                    let is_parameter = parameters.iter().any(|p| *p.name() == name);
                    if is_parameter && !found.iter().any(|(n, _)| *n == name) {
                        found.push((
                            name,
                            TemplateBinding::Value(CudaType::integer(8, false), *count),
                        ));
                    }
                }
                self.deduce(of, &element, parameters, found);
            }
            _ => {}
        }
    }

    /// Finds what the packs of a template are from several types.
    pub(super) fn deduce_pack(
        &mut self,
        types: &[(TypeTree, CudaType)],
        tree: &TypeTree,
        parameters: &[TemplateParameter],
        found: &mut TemplateBindings,
    ) {
        let words = super::pack::words_of(tree);
        let packs: Vec<&TemplateParameter> =
            parameters.iter().filter(|p| p.is_pack() && words.contains(p.name())).collect();
        // What is written in `<..>` counts.
        let packs: Vec<&TemplateParameter> = packs
            .into_iter()
            .filter(|p| {
                !found.iter().any(|(name, b)| name == p.name() && pack_length(b) >= types.len())
            })
            .collect();
        let elements: Vec<TemplateParameter> = packs.iter().map(|p| p.element()).collect();
        let mut all: Vec<Vec<TemplateBinding>> = vec![Vec::new(); packs.len()];
        for (tree, ty) in types {
            let mut one = TemplateBindings::new();
            self.deduce(tree, ty, &elements, &mut one);
            for (pack, element) in all.iter_mut().zip(&elements) {
                pack.extend(
                    one.iter().find(|(name, _)| name == element.name()).map(|(_, b)| b.clone()),
                );
            }
        }
        for (parameter, all) in packs.into_iter().zip(all) {
            if all.len() == types.len() {
                found.retain(|(name, _)| name != parameter.name());
                found.push((parameter.name().clone(), TemplateBinding::Pack(all)));
            }
        }
    }
}

/// A type with arguments in the place of the parameters of an alias.
fn substituted(
    tree: &TypeTree,
    parameters: &[TemplateParameter],
    arguments: &[TemplateArgument],
) -> TypeTree {
    let again = |of: &TypeTree| Box::new(substituted(of, parameters, arguments));
    let place = |name: &str| parameters.iter().position(|p| &**p.name() == name);
    match tree {
        TypeTree::Constant(of) => TypeTree::Constant(again(of)),
        TypeTree::Volatile(of) => TypeTree::Volatile(again(of)),
        TypeTree::Pointer(of) => TypeTree::Pointer(again(of)),
        TypeTree::Reference(of) => TypeTree::Reference(again(of)),
        TypeTree::Rvalue(of) => TypeTree::Rvalue(again(of)),
        TypeTree::Named(path) => {
            if let ([only], Some(n)) = (path.parts.as_slice(), place(&path.last().name))
                && only.arguments.is_none()
                && let Some(TemplateArgument::Type(of)) = arguments.get(n)
            {
                return of.clone();
            }
            let mut path = path.clone();
            for part in &mut path.parts {
                let Some(all) = &mut part.arguments else { continue };
                *all = all
                    .iter()
                    .flat_map(|argument| substituted_argument(argument, parameters, arguments))
                    .collect();
            }
            TypeTree::Named(path)
        }
        other => other.clone(),
    }
}

/// An argument of what an alias stands for; in the place of a pack all that are left.
fn substituted_argument(
    argument: &TemplateArgument,
    parameters: &[TemplateParameter],
    arguments: &[TemplateArgument],
) -> Vec<TemplateArgument> {
    let place = |name: &str| parameters.iter().position(|p| &**p.name() == name);
    match argument {
        TemplateArgument::Type(TypeTree::Pack(of)) => match &*of.pattern {
            TypeTree::Named(path)
                if place(&path.last().name).is_some_and(|n| parameters[n].is_pack()) =>
            {
                arguments[place(&path.last().name).unwrap_or(0).min(arguments.len())..].to_vec()
            }
            _ => vec![argument.clone()],
        },
        TemplateArgument::Type(tree) => {
            vec![TemplateArgument::Type(substituted(tree, parameters, arguments))]
        }
        TemplateArgument::Value(e) => {
            let (name, is_pack) = match &e.what {
                ExpressionKind::Name(path) => (Some(path.last().name.clone()), false),
                ExpressionKind::Pack(of) => match &of.pattern.what {
                    ExpressionKind::Name(path) => (Some(path.last().name.clone()), true),
                    _ => (None, true),
                },
                _ => (None, false),
            };
            match name.and_then(|name| place(&name)) {
                Some(n) if is_pack => arguments[n.min(arguments.len())..].to_vec(),
                Some(n) => arguments.get(n).cloned().into_iter().collect(),
                None => vec![argument.clone()],
            }
        }
    }
}

fn pack_length(binding: &TemplateBinding) -> usize {
    if let TemplateBinding::Pack(all) = binding { all.len() } else { 0 }
}
