//! Which type a tree or a name of one is.

use std::rc::Rc;

use super::{KernelLowering, LoweringResult, MAX_BYTES, NameBinding};
use crate::read::DeclaredItem;
use crate::tree::{NamePart, NamePath, TypeTree};
use crate::types::{CudaType, StructureLayout, TemplateBinding, TypeShape};

impl KernelLowering {
    /// A type in words.
    pub(super) fn type_text(&self, ty: &CudaType) -> String {
        let volatile = if ty.is_volatile { "volatile " } else { "" };
        let constant = if ty.is_constant { "const " } else { "" };
        let text = match &ty.shape {
            TypeShape::Void => "void".to_owned(),
            TypeShape::Bool => "bool".to_owned(),
            TypeShape::Integer { bytes, is_signed, is_second } => {
                let word = match (bytes, is_second) {
                    (1, _) => "char",
                    (2, _) => "short",
                    (4, _) => "int",
                    (_, false) => "long",
                    (_, true) => "long long",
                };
                let sign = match (is_signed, bytes, is_second) {
                    (false, ..) => "unsigned ",
                    (true, 1, true) => "signed ",
                    _ => "",
                };
                format!("{sign}{word}")
            }
            TypeShape::Real(8) => "double".to_owned(),
            TypeShape::Real(_) => "float".to_owned(),
            TypeShape::Pointer(to) => format!("{}*", self.type_text(to)),
            TypeShape::Array(of, Some(n)) => format!("{}[{n}]", self.type_text(of)),
            TypeShape::Array(of, None) => format!("{}[]", self.type_text(of)),
            TypeShape::Structure(n) => self.structures[*n].tree.name.to_string(),
            TypeShape::Function => "a function".to_owned(),
            TypeShape::Null => "nullptr".to_owned(),
        };
        constant.to_owned() + volatile + &text
    }

    /// The type of the values of what a tree of a type says.
    pub(super) fn resolved(&mut self, tree: &TypeTree) -> LoweringResult<CudaType> {
        Ok(match tree {
            TypeTree::Void | TypeTree::Auto | TypeTree::AutoAsIs => CudaType::VOID,
            TypeTree::Bool => CudaType::BOOL,
            TypeTree::Integer(bytes, is_signed, is_second) => CudaType::plain(TypeShape::Integer {
                bytes: *bytes,
                is_signed: *is_signed,
                is_second: *is_second,
            }),
            TypeTree::Real(bytes) => CudaType::plain(TypeShape::Real(*bytes)),
            TypeTree::Constant(_) | TypeTree::Volatile(_) => {
                self.resolved_argument(tree)?.referred()
            }
            TypeTree::Reference(of) | TypeTree::Rvalue(of) => self.resolved(of)?,
            TypeTree::Pointer(of) => CudaType::pointer(self.resolved(of)?),
            TypeTree::Array(of, size) => {
                let of = self.resolved(of)?;
                let size = match size {
                    Some(e) => {
                        let value = self.constant(e, "the size of an array")?;
                        let count = value.known().unwrap_or(0);
                        if !value.ty.is_integer() {
                            let text = format!(
                                "the size of an array is a whole number, not one of type `{}`",
                                self.type_text(&value.ty)
                            );
                            return self.refuse(e.at, text, "write it as a whole number");
                        }
                        // Negative numbers among them.
                        if count >= MAX_BYTES {
                            let text = format!(
                                "the size of an array is a number from 0 to {}",
                                MAX_BYTES - 1
                            );
                            return self.refuse(e.at, text, "give a size that fits into memory");
                        }
                        Some(count)
                    }
                    None => None,
                };
                CudaType::plain(TypeShape::Array(Rc::new(of), size))
            }
            TypeTree::OfExpression(e) => {
                let before = (self.body.len(), self.instructions);
                let made = self.current().temporaries.len();
                let value = self.only_for_type(|this| this.lower(e))?;
                self.frame().temporaries.truncate(made);
                self.body.truncate(before.0);
                self.instructions = before.1;
                value.ty
            }
            TypeTree::Function => CudaType::plain(TypeShape::Function),
            TypeTree::Pack(of) => self.element_type(of)?.referred(),
            TypeTree::Named(path) => self.named_type(path)?.referred(),
        })
    }

    /// Lowers something whose type is all that is asked for, or does so no longer.
    fn asking<T>(
        &mut self,
        for_type: bool,
        act: impl FnOnce(&mut Self) -> LoweringResult<T>,
    ) -> LoweringResult<T> {
        let before = std::mem::replace(&mut self.is_type_asked, for_type);
        let done = act(self);
        self.is_type_asked = before;
        done
    }

    /// Lowers something of which nothing but the type is of interest.
    pub(super) fn only_for_type<T>(
        &mut self,
        act: impl FnOnce(&mut Self) -> LoweringResult<T>,
    ) -> LoweringResult<T> {
        self.asking(true, act)
    }

    /// Lowers something of which the value is of interest, also within what is lowered for its
    /// type.
    pub(super) fn for_value<T>(
        &mut self,
        act: impl FnOnce(&mut Self) -> LoweringResult<T>,
    ) -> LoweringResult<T> {
        self.asking(false, act)
    }

    pub(super) fn named_type(&mut self, path: &NamePath) -> LoweringResult<CudaType> {
        match self.find_type(path)? {
            Some(ty) => Ok(ty),
            None => {
                let entries = self.entries(path);
                if let Some(DeclaredItem::Broken(refusal)) =
                    entries.iter().find(|i| matches!(i, DeclaredItem::Broken(_)))
                {
                    return Err(refusal.clone().into());
                }
                if entries.iter().any(|i| matches!(i, DeclaredItem::Declared)) {
                    let text =
                        format!("`{}` is declared, and not defined in what was read", path.words());
                    return self.refuse(
                        path.at,
                        text,
                        "define it, or include the file that does with #include \"..\"",
                    );
                }
                Err(self.undeclared(path, "type").into())
            }
        }
    }

    /// The type under a name, if there is one.
    pub(super) fn find_type(&mut self, path: &NamePath) -> LoweringResult<Option<CudaType>> {
        let last = path.last().clone();
        if path.parts.len() == 1 && last.arguments.is_none() {
            for scope in self.current().scopes.iter().rev() {
                match scope.names.get(&last.name) {
                    Some(NameBinding::Type(ty)) => return Ok(Some(ty.clone())),
                    Some(NameBinding::Value(_) | NameBinding::Pack(_)) => return Ok(None),
                    Some(NameBinding::Taken(_)) => break,
                    None => {}
                }
            }
            if let Some(TemplateBinding::Type(ty)) = self.binding_of(&last.name) {
                return Ok(Some(ty.clone()));
            }
        }
        // A template that is a parameter of a template.
        if path.parts.len() == 1
            && let Some(TemplateBinding::Template(names)) = self.binding_of(&last.name).cloned()
        {
            let mut parts: Vec<NamePart> =
                names.iter().map(|name| NamePart { name: name.clone(), arguments: None }).collect();
            if let Some(of) = parts.last_mut() {
                of.arguments.clone_from(&last.arguments);
            }
            return self.find_type(&NamePath { parts, at: path.at });
        }
        if path.parts.len() == 1
            && let Some(arguments) = &last.arguments
            && let Some(ty) = self.type_of_pack(&last.name, arguments, path.at)?
        {
            return Ok(Some(ty));
        }
        // A type of a structure.
        let owner = match path.parts.len() {
            1 => self.current().owner,
            _ => self.qualifying_structure(path)?,
        };
        if let Some(owner) = owner {
            let StructureLayout { tree, bindings, .. } = self.structures[owner].clone();
            if path.parts.len() == 1 && last.arguments.is_none() && tree.name == last.name {
                return Ok(Some(CudaType::plain(TypeShape::Structure(owner))));
            }
            if let Some((_, alias)) = tree.aliases.iter().find(|(name, _)| *name == last.name) {
                self.enter(path.at)?;
                let found = self.outside(tree.namespace.clone(), bindings, Some(owner), |this| {
                    this.resolved_argument(alias)
                });
                self.depth -= 1;
                return found.map(Some);
            }
            if let Some((_, TemplateBinding::Type(ty))) =
                bindings.iter().find(|(n, _)| *n == last.name)
            {
                return Ok(Some(ty.clone()));
            }
            // One of a structure that it is made from.
            if path.parts.len() > 1
                && let Some(base) = self.base_with_type(owner, &last.name)
            {
                let tree = &self.structures[base].tree;
                let (namespace, bindings) =
                    (tree.namespace.clone(), self.structures[base].bindings.clone());
                let front = tree
                    .namespace
                    .iter()
                    .chain([&tree.name])
                    .map(|n| NamePart { name: n.clone(), arguments: None });
                let alias = tree
                    .aliases
                    .iter()
                    .find(|(name, _)| *name == last.name)
                    .map(|(_, alias)| alias.clone());
                let within = NamePath { parts: front.chain([last.clone()]).collect(), at: path.at };
                self.enter(path.at)?;
                let found = self.outside(namespace, bindings, Some(base), |this| match &alias {
                    Some(alias) => this.resolved_argument(alias),
                    None => this.named_type(&within),
                });
                self.depth -= 1;
                return found.map(Some);
            }
        }
        // What an alias stands for has a path of its own.
        let of_owner = owner.filter(|_| path.parts.len() > 1).map(|owner| {
            let tree = &self.structures[owner].tree;
            let front = tree
                .namespace
                .iter()
                .chain([&tree.name])
                .map(|n| NamePart { name: n.clone(), arguments: None });
            self.entries(&NamePath { parts: front.chain([last.clone()]).collect(), at: path.at })
        });
        let entries =
            of_owner.filter(|found| !found.is_empty()).unwrap_or_else(|| self.entries(path));
        for item in entries {
            match item {
                DeclaredItem::Structure(tree) if tree.specialises.is_none() => {
                    let number = self.instance(&tree, last.arguments.as_deref(), owner, path.at)?;
                    return Ok(Some(CudaType::plain(TypeShape::Structure(number))));
                }
                DeclaredItem::Enumeration(tree) => {
                    return self.type_of_enumeration(&tree).map(Some);
                }
                DeclaredItem::Alias(template, tree) => {
                    self.enter(path.at)?;
                    let namespace = self.current().namespace.clone();
                    // One of a structure sees the arguments of its template.
                    let (owner, around) = match owner.filter(|_| path.parts.len() > 1) {
                        Some(owner) => (Some(owner), self.structures[owner].bindings.clone()),
                        None => (self.current().owner, self.current().bindings.clone()),
                    };
                    let bindings = match template {
                        Some(parameters) => {
                            let own =
                                self.bound(&parameters, last.arguments.as_deref(), path.at)?;
                            Rc::new([own, around.to_vec()].concat())
                        }
                        None => around,
                    };
                    let found = self
                        .outside(namespace, bindings, owner, |this| this.resolved_argument(&tree));
                    self.depth -= 1;
                    return found.map(Some);
                }
                _ => {}
            }
        }
        // A template that is declared, and whose specialisations are defined.
        if let Some(arguments) = &last.arguments {
            let arguments = self.plain_arguments(arguments)?;
            if let Some((tree, bindings)) = self.specialisation(path, &arguments, path.at)? {
                let number = self.laid_out(tree, bindings, arguments, path.at)?;
                return Ok(Some(CudaType::plain(TypeShape::Structure(number))));
            }
        }
        Ok(None)
    }
}

/// A type without what says that it does not change.
pub(super) fn strip(tree: &TypeTree) -> &TypeTree {
    match tree {
        TypeTree::Constant(of) | TypeTree::Rvalue(of) => strip(of),
        other => other,
    }
}

pub(super) fn is_reference(tree: &TypeTree) -> bool {
    matches!(strip(tree), TypeTree::Reference(_))
}
