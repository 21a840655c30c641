//! Structures of templates: one for each of their arguments.

use std::rc::Rc;

use super::{KernelLowering, LoweringResult};
use crate::lex::CudaSpan;
use crate::read::DeclaredItem;
use crate::tree::{NamePart, NamePath, StructureTree, TemplateArgument};
use crate::types::{CudaType, StructureLayout, TemplateBindings, TypeShape};

impl KernelLowering {
    /// The structure that a tree of one is with these arguments.
    pub(super) fn instance(
        &mut self,
        tree: &Rc<StructureTree>,
        arguments: Option<&[TemplateArgument]>,
        owner: Option<usize>,
        at: CudaSpan,
    ) -> LoweringResult<usize> {
        let bindings = match &tree.template {
            Some(parameters) => {
                // Its own name within it is itself.
                let is_own =
                    |of: &StructureTree| of.name == tree.name && of.namespace == tree.namespace;
                if let Some(owner) = self.current().owner.filter(|_| arguments.is_none()) {
                    let of = &self.structures[owner];
                    if is_own(&of.tree) {
                        return Ok(owner);
                    }
                    // Within a structure within it it is the one around.
                    let own = of.tree.template.as_ref().map_or(0, |parameters| parameters.len());
                    let known = &of.bindings[..of.bindings.len().saturating_sub(own)];
                    let is_around =
                        |s: &StructureLayout| Rc::ptr_eq(&s.tree, tree) && **s.bindings == *known;
                    let path = of.tree.namespace.split_last();
                    if path.is_some_and(|(last, front)| {
                        *last == tree.name && *front == *tree.namespace
                    }) && let Some(around) = self.structures.iter().position(is_around)
                    {
                        return Ok(around);
                    }
                }
                // In a friend that it defines it is the one of the friend's arguments.
                let of_friend = self.current().function.as_ref().and_then(|f| f.template.as_ref());
                let is_in_friend =
                    arguments.is_none() && of_friend.is_some_and(|of| Rc::ptr_eq(of, parameters));
                let own: TemplateBindings = match is_in_friend {
                    true => self.current().bindings.to_vec(),
                    false => TemplateBindings::new(),
                };
                let bindings = match own.len() == parameters.len() {
                    true => own,
                    false => self.bound(&parameters.clone(), arguments, at)?,
                };
                if !self.are_true(&tree.constraints, &tree.namespace, &bindings)? {
                    let text = format!("the arguments of `{}` are not what it requires", tree.name);
                    return self.refuse(
                        at,
                        text,
                        "give arguments for which its conditions are true",
                    );
                }
                bindings
            }
            None => TemplateBindings::new(),
        };
        if tree.template.is_some() {
            let parts = tree
                .namespace
                .iter()
                .chain([&tree.name])
                .map(|n| NamePart { name: n.clone(), arguments: None });
            let path = NamePath { parts: parts.collect(), at };
            if let Some((special, own)) = self.specialisation(&path, &bindings, at)? {
                let all = [self.bindings_around(&special, owner), own].concat();
                return self.laid_out(special, all, bindings, at);
            }
        }
        let all = [self.bindings_around(tree, owner), bindings.clone()].concat();
        self.laid_out(tree.clone(), all, bindings, at)
    }

    /// The structure of a template for what its parameters are.
    pub(super) fn structure_of_bindings(
        &mut self,
        path: &NamePath,
        bindings: TemplateBindings,
        at: CudaSpan,
    ) -> LoweringResult<CudaType> {
        let found = self.entries(path).into_iter().find_map(|item| match item {
            DeclaredItem::Structure(tree) if tree.specialises.is_none() => Some(tree),
            _ => None,
        });
        match found {
            Some(tree) => Ok(CudaType::plain(TypeShape::Structure(self.laid_out(
                tree,
                bindings.clone(),
                bindings,
                at,
            )?))),
            None => Err(self.undeclared(path, "type").into()),
        }
    }

    /// What the parameters of the templates are within which a structure is defined, seen from a
    /// structure around it or beside it.
    pub(super) fn bindings_around(
        &self,
        tree: &StructureTree,
        owner: Option<usize>,
    ) -> TemplateBindings {
        let Some(of) = owner.map(|owner| &self.structures[owner]) else {
            return TemplateBindings::new();
        };
        let own = of.tree.template.as_ref().map_or(0, |parameters| parameters.len());
        let is_within = tree
            .namespace
            .split_last()
            .is_some_and(|(last, front)| *last == of.tree.name && *front == *of.tree.namespace);
        let known = if is_within {
            of.bindings.len()
        } else if tree.namespace == of.tree.namespace {
            of.bindings.len().saturating_sub(own)
        } else {
            0
        };
        of.bindings[..known].to_vec()
    }

    /// The structure that a tree of one is where its parameters are known, with the arguments of
    /// its template.
    pub(super) fn laid_out(
        &mut self,
        tree: Rc<StructureTree>,
        bindings: TemplateBindings,
        arguments: TemplateBindings,
        at: CudaSpan,
    ) -> LoweringResult<usize> {
        let same = |s: &StructureLayout| Rc::ptr_eq(&s.tree, &tree) && *s.bindings == bindings;
        if let Some(found) = self.structures.iter().position(same) {
            return Ok(found);
        }
        let bindings = Rc::new(bindings);
        let number = self.new_structure(tree.clone(), bindings.clone(), at)?;
        self.structures[number].arguments = Rc::new(arguments);
        self.enter(at)?;
        let namespace: Rc<[Rc<str>]> =
            tree.namespace.iter().cloned().chain([tree.name.clone()]).collect();
        let frames = self.frames.len();
        if let Err(stop) =
            self.outside(namespace, bindings, Some(number), |this| this.lay_out(number))
        {
            // It is looked at again where it is used.
            self.structures.truncate(number);
            self.lambdas.retain(|&of, _| of < number);
            self.frames.truncate(frames);
            return Err(stop);
        }
        self.depth -= 1;
        Ok(number)
    }
}
