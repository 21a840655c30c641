//! Members of structures that are defined outside of them, and those that take the place of a
//! member of a template (`template <> int S<int>::f()`).

use std::rc::Rc;

use super::function_value::FoundMethod;
use super::{KernelLowering, LoweringResult};
use crate::read::DeclaredItem;
use crate::tree::{FunctionRole, FunctionTree, TemplateArgument, TypeTree};

impl KernelLowering {
    /// The definitions of a name that stand outside of a structure, of functions with its role.
    fn outer_definitions(&self, method: &FunctionTree, owner: usize) -> Vec<Rc<FunctionTree>> {
        let tree = &self.structures[owner].tree;
        let Some(all) = self.program.items.get(&method.name) else { return Vec::new() };
        let is_within = |of: &[Rc<str>]| {
            of.split_last()
                .is_some_and(|(last, front)| *last == tree.name && *front == *tree.namespace)
        };
        let of = |item: &DeclaredItem| match item {
            DeclaredItem::Function(f) if f.role == method.role && is_within(&f.namespace) => {
                Some(f.clone())
            }
            _ => None,
        };
        all.iter().filter_map(|entry| of(&entry.item)).collect()
    }

    /// Is it defined, here or outside of its structure?
    pub(super) fn has_body(&self, method: &FunctionTree, owner: usize) -> bool {
        method.body.is_some()
            || self.outer_definitions(method, owner).iter().any(|f| f.body.is_some())
    }

    /// Is it a constructor of which no file that was read says what it does? One of its own kind is
    /// no part of that: it is mostly deleted.
    pub(super) fn is_unknown(&self, method: &FunctionTree, owner: usize) -> bool {
        let is_declared = method.role == FunctionRole::Constructor
            && !method.is_defaulted
            && !self.has_body(method, owner);
        is_declared
            && !(method.parameters.len() == 1
                && self.takes_own(method, &self.structures[owner].tree.name))
    }

    pub(super) fn all_defined(
        &mut self,
        found: Vec<FoundMethod>,
    ) -> LoweringResult<Vec<FoundMethod>> {
        found
            .into_iter()
            .map(|(method, owner, offset)| Ok((self.defined(method, owner)?, owner, offset)))
            .collect()
    }

    /// The definition of a method: one for the arguments of its structure's template comes first.
    pub(super) fn defined(
        &mut self,
        method: Rc<FunctionTree>,
        owner: usize,
    ) -> LoweringResult<Rc<FunctionTree>> {
        let is_one = |f: &Rc<FunctionTree>| {
            f.parameters.len() == method.parameters.len() && f.object == method.object
        };
        let all: Vec<Rc<FunctionTree>> =
            self.outer_definitions(&method, owner).into_iter().filter(is_one).collect();
        let (mut special, mut general) = (Vec::new(), Vec::new());
        for function in all {
            match (&function.of_owner, &function.template) {
                (Some(arguments), None) => {
                    if self.are_arguments_of(&arguments.clone(), owner)? {
                        special.push(function);
                    }
                }
                (Some(arguments), Some(_)) => {
                    if self.are_parameters_of(arguments, &function, owner) {
                        general.push(function);
                    }
                }
                (None, _) => general.push(function),
            }
        }
        if method.body.is_some() {
            general.clear();
        }
        let is_alike = |f: &&Rc<FunctionTree>| {
            f.parameters
                .iter()
                .zip(&method.parameters)
                .all(|(p, q)| super::specificity::is_same_type(&p.ty, &q.ty))
        };
        // Of several the one whose parameters are written as they are within.
        let of_several = |all: &[Rc<FunctionTree>]| match all {
            [one] => Some(one.clone()),
            several => several.iter().find(is_alike).cloned(),
        };
        let Some(found) = of_several(&special).or_else(|| of_several(&general)) else {
            return Ok(method);
        };
        self.has_names_of_structure(&found, owner)?;
        // The parameters of the structure's template stand in front of it once more.
        let template = if method.template.is_some() { found.template.clone() } else { None };
        Ok(Rc::new(FunctionTree {
            template,
            is_static: method.is_static,
            is_explicit: method.is_explicit,
            ..(*found).clone()
        }))
    }

    /// Its body names the parameters of the structure's template, which are those of the structure
    /// where they have the same names.
    fn has_names_of_structure(&self, function: &FunctionTree, owner: usize) -> LoweringResult<()> {
        let tree = &self.structures[owner].tree;
        let (Some(arguments), Some(_), Some(own), None) =
            (&function.of_owner, &function.template, &tree.template, &tree.specialises)
        else {
            return Ok(());
        };
        let is_other =
            |(argument, parameter): (&TemplateArgument, &crate::tree::TemplateParameter)| {
                super::specificity::name_of(argument).is_some_and(|name| name != parameter.name())
            };
        match arguments.iter().zip(own.iter()).any(is_other) {
            true => self.refuse(
                function.at,
                format!("the parameters of the template of `{}` have other names here, or stand in another order", tree.name),
                "name them as the structure does",
            ),
            false => Ok(()),
        }
    }

    /// Are these the arguments of the template that a structure is made of?
    fn are_arguments_of(
        &mut self,
        arguments: &[TemplateArgument],
        owner: usize,
    ) -> LoweringResult<bool> {
        let namespace = self.structures[owner].tree.namespace.clone();
        let given =
            self.outside(namespace, Rc::default(), None, |this| this.plain_arguments(arguments))?;
        let (given, known) =
            (super::pack::flat(&given), super::pack::flat(&self.structures[owner].arguments));
        // Those that nobody wrote are what they are by default.
        let is_one = |(a, b): (&crate::types::TemplateBinding, &crate::types::TemplateBinding)| {
            super::overload::is_one(a, b)
        };
        Ok(given.len() <= known.len() && given.iter().zip(&known).all(is_one))
    }

    /// Are these the parameters of the structure's own template, or the patterns of its
    /// specialisation?
    fn are_parameters_of(
        &self,
        arguments: &[TemplateArgument],
        function: &FunctionTree,
        owner: usize,
    ) -> bool {
        let own = function.template.iter().flat_map(|all| all.iter()).map(|p| p.name().clone());
        let names: Vec<Rc<str>> = own.chain(function.names_of_owners.iter().cloned()).collect();
        let is_plain = |argument: &TemplateArgument| match argument {
            TemplateArgument::Type(TypeTree::Pack(_)) => true,
            argument => {
                super::specificity::name_of(argument).is_some_and(|name| names.contains(name))
            }
        };
        match &self.structures[owner].tree.specialises {
            Some(patterns) => {
                patterns.len() == arguments.len()
                    && patterns
                        .iter()
                        .zip(arguments)
                        .all(|(a, b)| super::specificity::is_same_argument(a, b))
            }
            None => arguments.iter().all(is_plain),
        }
    }
}
