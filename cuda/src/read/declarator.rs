//! What a declaration names behind its type: functions, variables, and names for types.

use std::rc::Rc;

use super::specifiers::DeclarationSpecifiers;
use super::{DeclaredItem, ProgramReader};
use crate::lex::{CudaRefusal, CudaSpan, Lexeme};
use crate::tree::{
    FunctionRole, FunctionTree, InitialTree, NamePart, NamePath, Storage, TemplateParameter,
    TypeTree, VariableTree,
};

impl ProgramReader {
    /// What is declared behind a type: functions, variables, names of types.
    pub(super) fn declarators(
        &mut self,
        specifiers: DeclarationSpecifiers,
        template: Option<Rc<[TemplateParameter]>>,
    ) -> Result<(), CudaRefusal> {
        if self.eat(";") {
            return Ok(());
        }
        loop {
            let mut specifiers = specifiers.clone();
            let mut ty = self.pointers(specifiers.ty.clone())?;
            // `void __launch_bounds__(128) kernel()`, `int __device__ f()`.
            while let Some(word) = self.token().word().cloned() {
                match &*word {
                    "__launch_bounds__" => {
                        self.advance();
                        specifiers.most_threads = self.arguments()?.into_iter().next();
                        continue;
                    }
                    "__cluster_dims__" => {
                        self.advance();
                        specifiers.cluster = self.arguments()?;
                        continue;
                    }
                    "__device__" => {
                        specifiers.is_device = true;
                        if specifiers.storage == Storage::Automatic {
                            specifiers.storage = Storage::Device;
                        }
                    }
                    "__global__" => (specifiers.is_kernel, specifiers.is_device) = (true, true),
                    "__shared__" => specifiers.storage = Storage::Shared,
                    "__constant__" => specifiers.storage = Storage::Constant,
                    "__host__" | "__forceinline__" | "__noinline__" | "inline" | "__inline__"
                    | "static" => {}
                    _ => break,
                }
                self.advance();
                ty = self.pointers(ty)?;
            }
            let at = self.at();
            if self.is("(") && self.after(1).is_sign("*") {
                // A pointer to a function.
                self.advance();
                self.advance();
                let name = self.name("the name of a pointer to a function")?;
                let mut of = TypeTree::Pointer(Box::new(TypeTree::Function));
                of = self.arrays(of)?;
                self.expect(")", "behind the name of a pointer to a function")?;
                if self.is("(") {
                    self.skip_brackets()?;
                }
                self.variable_or_alias(&specifiers, name, of, None, at)?;
            } else {
                let path = match self.eat_word("operator") {
                    true => {
                        let Some(name) = self.operator_name() else {
                            return Err(self.expected("the sign of an operator"));
                        };
                        NamePath {
                            parts: vec![NamePart { name, arguments: None }],
                            at: self.since(at),
                        }
                    }
                    false => self.path()?,
                };
                // `S::~S`, `S::operator+`, `S::operator int`
                let is_destructor = self.is("::") && self.after(1).is_sign("~");
                let is_operator =
                    self.is("::") && self.after(1).word().is_some_and(|w| &**w == "operator");
                let mut is_conversion = false;
                let path = match is_destructor || is_operator {
                    true => {
                        self.advance();
                        self.advance();
                        let name = match is_destructor {
                            true => self.name("the name of the structure")?,
                            false => match self.operator_name() {
                                Some(name) => name,
                                None => {
                                    ty = self.type_name()?;
                                    is_conversion = true;
                                    "operator T".into()
                                }
                            },
                        };
                        let own = NamePart { name, arguments: None };
                        NamePath {
                            parts: path.parts.into_iter().chain([own]).collect(),
                            at: self.since(at),
                        }
                    }
                    false => path,
                };
                let name = path.last().name.clone();
                if self.is("(")
                    && !specifiers.is_typedef
                    && (specifiers.is_device || specifiers.storage == Storage::Automatic)
                    && self.is_function_ahead()
                {
                    let namespace: Vec<Rc<str>> = self
                        .namespace
                        .iter()
                        .cloned()
                        .chain(path.parts[..path.parts.len() - 1].iter().map(|p| p.name.clone()))
                        .collect();
                    let owner = path.parts.len().checked_sub(2).map(|n| path.parts[n].name.clone());
                    let role = match owner.as_ref() == Some(&name) {
                        _ if is_destructor => FunctionRole::Destructor,
                        _ if is_conversion => FunctionRole::Conversion,
                        true => FunctionRole::Constructor,
                        false => FunctionRole::Plain,
                    };
                    let of_owner = path
                        .parts
                        .len()
                        .checked_sub(2)
                        .and_then(|n| path.parts[n].arguments.clone());
                    // `template <> int f<int>()` is no template itself.
                    let template = template.clone().filter(|all| !all.is_empty());
                    let function =
                        self.function(&specifiers, name.clone(), ty, template.clone(), role)?;
                    let specialises = path.last().arguments.clone();
                    let names_of_owners = self.names_of_owners.clone().into();
                    let function = FunctionTree {
                        namespace: namespace.into(),
                        specialises,
                        of_owner,
                        names_of_owners,
                        ..function
                    };
                    let function = Rc::new(function);
                    if template.is_some() {
                        self.templates.insert(name.clone());
                    }
                    if function.is_kernel && function.body.is_some() {
                        self.kernels.push(Ok(function.clone()));
                    }
                    let outer = std::mem::replace(&mut self.namespace, function.namespace.to_vec());
                    self.declare(name, DeclaredItem::Function(function));
                    self.namespace = outer;
                    return Ok(());
                }
                let of = self.arrays(ty)?;
                if path.parts.len() > 1 {
                    return Err(CudaRefusal::new(
                        path.at,
                        "a member that is defined outside of its structure is not understood",
                        "define it within",
                    ));
                }
                self.variable_or_alias(&specifiers, name, of, template.clone(), at)?;
            }
            if !self.eat(",") {
                return self.expect(";", "behind a declaration");
            }
        }
    }

    /// Behind a name and in front of `(`: do parameters follow, and not what a variable begins
    /// with?
    pub(super) fn is_function_ahead(&mut self) -> bool {
        if self.after(1).is_sign(")")
            || self.after(1).is_sign("...")
            || self.after(1).is_sign("[") && self.after(2).is_sign("[")
        {
            return true;
        }
        let before = self.next;
        self.next += 1;
        let is_concept = self.path_ahead().is_some_and(|(name, _)| self.concepts.contains(&name));
        let is_type = is_concept || self.is_at_type() || self.is_word("__grid_constant__");
        self.next = before;
        is_type
    }

    pub(super) fn variable_or_alias(
        &mut self,
        specifiers: &DeclarationSpecifiers,
        name: Rc<str>,
        ty: TypeTree,
        template: Option<Rc<[TemplateParameter]>>,
        at: CudaSpan,
    ) -> Result<(), CudaRefusal> {
        if specifiers.is_typedef {
            self.declare(name, DeclaredItem::Alias(None, Rc::new(ty)));
            return Ok(());
        }
        if template.is_some() {
            self.templates.insert(name.clone());
        }
        let variable =
            VariableTree { template, ..self.variable(specifiers, name.clone(), ty, at)? };
        let variable = Rc::new(variable);
        let is_known =
            matches!(variable.storage, Storage::Device | Storage::Constant | Storage::Shared)
                || variable.is_constant;
        match is_known {
            true => {
                if variable.storage != Storage::Automatic {
                    self.variables.push((self.namespace.clone().into(), variable.clone()));
                }
                self.declare(name, DeclaredItem::Variable(variable));
            }
            false => self.declare(name, DeclaredItem::OfHost),
        }
        Ok(())
    }

    /// A variable from behind its type and name.
    pub(super) fn variable(
        &mut self,
        specifiers: &DeclarationSpecifiers,
        name: Rc<str>,
        ty: TypeTree,
        at: CudaSpan,
    ) -> Result<VariableTree, CudaRefusal> {
        self.skip_attributes()?;
        let initial = match self.token().lexeme {
            Lexeme::Sign("=") => {
                self.advance();
                Some(match self.is("{") {
                    true => InitialTree::List(self.braced()?),
                    false => InitialTree::Value(self.assignment()?),
                })
            }
            Lexeme::Sign("{") => Some(InitialTree::List(self.braced()?)),
            Lexeme::Sign("(") => Some(InitialTree::Arguments(self.arguments()?)),
            _ => None,
        };
        Ok(VariableTree {
            name,
            ty,
            initial,
            storage: specifiers.storage,
            is_extern: specifiers.is_extern,
            is_constant: specifiers.is_constant,
            is_mutable: specifiers.is_mutable,
            is_computed: specifiers.is_computed,
            alignment: specifiers.alignment.clone().map(Box::new),
            bits: None,
            template: None,
            at: self.since(at),
        })
    }

    pub(super) fn variable_of(
        &self,
        specifiers: &DeclarationSpecifiers,
        name: Rc<str>,
        ty: TypeTree,
        at: CudaSpan,
    ) -> VariableTree {
        VariableTree {
            name,
            ty,
            initial: None,
            storage: Storage::Automatic,
            is_extern: false,
            is_constant: specifiers.is_constant,
            is_mutable: specifiers.is_mutable,
            is_computed: specifiers.is_computed,
            alignment: None,
            bits: None,
            template: None,
            at,
        }
    }
}
