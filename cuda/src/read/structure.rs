//! Structures, unions and enumerations, with their members.

use std::rc::Rc;

use super::declaration_scope::DeclarationScope;
use super::specifiers::{DeclarationSpecifiers, plain_specifiers};
use super::{DeclaredItem, ProgramReader};
use crate::lex::{CudaRefusal, CudaSpan, CudaToken, Lexeme};
use crate::tree::{
    EnumerationTree, FunctionRole, FunctionTree, NamePart, NamePath, StructureTree,
    TemplateArgument, TemplateParameter, TypeTree, VariableTree,
};

impl ProgramReader {
    fn named_here(&self, name: Rc<str>, at: CudaSpan) -> TypeTree {
        let words = self.namespace.iter().cloned().chain([name]);
        TypeTree::Named(NamePath {
            parts: words.map(|name| NamePart { name, arguments: None }).collect(),
            at,
        })
    }

    pub(super) fn enumeration(&mut self) -> Result<TypeTree, CudaRefusal> {
        self.advance();
        let is_scoped = self.eat_word("class") || self.eat_word("struct");
        self.skip_attributes()?;
        let at = self.at();
        let is_named = self.token().word().is_some();
        let name = if is_named { self.name("the name of an enumeration")? } else { self.fresh() };
        let base = if self.eat(":") { Some(self.type_name()?) } else { None };
        if !self.is("{") {
            if base.is_some() {
                self.declare(name.clone(), DeclaredItem::Declared);
            }
            let path = NamePath { parts: vec![NamePart { name, arguments: None }], at };
            return Ok(TypeTree::Named(path));
        }
        self.advance();
        let mut constants = Vec::new();
        while !self.is("}") {
            let name = self.name("the name of a constant")?;
            let value = if self.eat("=") { Some(self.choice()?) } else { None };
            constants.push((name, value));
            if !self.eat(",") && !self.is("}") {
                return Err(self.expected("`,` or `}` behind a constant"));
            }
        }
        self.advance();
        let tree = Rc::new(EnumerationTree { is_scoped, base, constants });
        self.declare(name.clone(), DeclaredItem::Enumeration(tree.clone()));
        if !is_scoped {
            self.enumerations.push(tree.clone());
        }
        if is_scoped {
            self.namespace.push(name.clone());
        }
        for (n, (constant, _)) in tree.constants.iter().enumerate() {
            self.declare(constant.clone(), DeclaredItem::Enumerator(tree.clone(), n));
        }
        if is_scoped {
            self.namespace.pop();
        }
        Ok(self.named_here(name, at))
    }

    /// A structure, from `struct`.
    pub(super) fn structure(
        &mut self,
        template: Option<Rc<[TemplateParameter]>>,
    ) -> Result<TypeTree, CudaRefusal> {
        let is_union = self.is_word("union");
        self.advance();
        let mut alignment = None;
        loop {
            self.skip_attributes()?;
            if self.is_word("alignas") || self.is_word("__align__") {
                self.advance();
                self.expect("(", "behind an alignment")?;
                alignment = Some(self.choice()?);
                self.expect(")", "behind an alignment")?;
            } else {
                break;
            }
        }
        let at = self.at();
        let is_named = self.token().word().is_some();
        if is_named && self.after(1).is_sign("::") {
            return Ok(TypeTree::Named(self.path()?));
        }
        let name = if is_named { self.name("the name of a structure")? } else { self.fresh() };
        if template.is_some() {
            self.templates.insert(name.clone());
        }
        let mut specialises = None;
        if self.is("<") && self.is_template(&name) {
            let arguments = self.template_arguments()?;
            if template.is_none() || !self.is("{") && !self.is(":") {
                let arguments = Some(arguments);
                return Ok(TypeTree::Named(NamePath {
                    parts: vec![NamePart { name, arguments }],
                    at,
                }));
            }
            specialises = Some(arguments);
        }
        self.eat_word("final");
        if !self.is("{") && !self.is(":") {
            if !self.items.contains_key(&name) {
                self.declare(name.clone(), DeclaredItem::Declared);
            }
            let path = NamePath { parts: vec![NamePart { name, arguments: None }], at };
            return Ok(TypeTree::Named(path));
        }
        self.enter()?;
        // Its own name is one of a type within it.
        self.declare(name.clone(), DeclaredItem::Declared);
        let mut bases = Vec::new();
        if self.eat(":") {
            loop {
                for word in ["public", "private", "protected"] {
                    self.eat_word(word);
                }
                let start = self.next;
                let base = TypeTree::Named(self.path()?);
                bases.push(self.packed(start).map_or(base.clone(), |of| TypeTree::Pack(of(base))));
                if !self.eat(",") {
                    break;
                }
            }
        }
        let constraints = std::mem::take(&mut self.constraints).into();
        let mut tree = StructureTree {
            name: name.clone(),
            namespace: self.namespace.clone().into(),
            template: template.clone(),
            is_union,
            bases,
            fields: Vec::new(),
            constants: Vec::new(),
            methods: Vec::new(),
            aliases: Vec::new(),
            taken: Vec::new(),
            enumerations: Vec::new(),
            alignment,
            virtual_at: None,
            specialises,
            constraints,
            at,
        };
        self.namespace.push(name.clone());
        let before = self.enumerations.len();
        self.expect("{", "in front of members")?;
        while !self.eat("}") {
            if self.token().lexeme == Lexeme::End {
                return Err(self.expected("`}` at the end of a structure"));
            }
            self.member(&mut tree)?;
        }
        self.namespace.pop();
        tree.enumerations = self.enumerations.split_off(before.min(self.enumerations.len()));
        self.leave();
        let structure = Rc::new(tree);
        self.declare(name.clone(), DeclaredItem::Structure(structure));
        Ok(self.named_here(name, at))
    }

    fn member(&mut self, tree: &mut StructureTree) -> Result<(), CudaRefusal> {
        self.constraints.clear();
        if self.eat(";") {
            return Ok(());
        }
        if self.token().word().is_some_and(|w| matches!(&**w, "public" | "private" | "protected")) {
            self.advance();
            return self.expect(":", "behind `public`");
        }
        let start = self.next;
        let end = self.end_of_declaration(start)?;
        if self.is_word("static_assert") {
            self.next = end;
            return Ok(());
        }
        let head = self.tokens[start..end].iter().take_while(|t| t.word().is_some());
        if head.filter_map(CudaToken::word).any(|w| &**w == "friend") {
            // One that is defined here is a function of the namespace around.
            let is_defined = self.tokens[start..end].iter().any(|t| t.is_sign("{"));
            let done = if is_defined { self.friend(tree) } else { Ok(()) };
            self.next = end;
            return done;
        }
        if self.eat_word("using") {
            if self.after(1).is_sign("=") {
                let name = self.name("a name")?;
                self.advance();
                let ty = self.type_name()?;
                tree.aliases.push((name.clone(), ty));
                self.alias_of_scope(name);
            } else {
                self.eat_word("typename");
                tree.taken.push(self.path()?);
            }
            self.next = end;
            return Ok(());
        }
        let mut template = None;
        let scopes = self.scopes.len();
        if self.eat_word("template") {
            let parameters = self.template_parameters()?;
            self.scopes.push(DeclarationScope::of_template(&parameters));
            template = Some(Rc::<[TemplateParameter]>::from(parameters));
            if self.is_word("requires") {
                self.requirement()?;
            }
            // A structure within it that is a template of its own.
            let is_structure = ["struct", "class", "union"].iter().any(|word| self.is_word(word));
            if is_structure && self.structure_ahead() {
                self.structure(template)?;
                self.scopes.truncate(scopes);
                self.next = end;
                return Ok(());
            }
            // A name for types that is a template.
            if self.eat_word("using") {
                let name = self.name("a name")?;
                self.expect("=", "behind the name of a type")?;
                let ty = self.type_name()?;
                self.templates.insert(name.clone());
                self.declare(name, DeclaredItem::Alias(template, Rc::new(ty)));
                self.scopes.truncate(scopes);
                self.next = end;
                return Ok(());
            }
        }
        // Methods of the host are skipped: their parameters may be of types that are not known
        // here.
        let tokens = self.tokens.clone();
        let head = self.next;
        let words = || tokens[head..end].iter().filter_map(|t| t.word());
        let open = self.behind_member_name(head, end);
        if let Some(token) =
            tokens[head..end].iter().find(|t| t.word().is_some_and(|w| &**w == "virtual"))
        {
            tree.virtual_at.get_or_insert(token.at);
        }
        // `(*f)(int)` is a member.
        let is_pointer =
            open.is_some_and(|n| tokens[n + 1].is_sign("*") || tokens[n + 1].is_sign("&"));
        let is_method = open.is_some_and(|n| tokens[n].is_sign("(") && !is_pointer)
            && !tokens[head..end].first().is_some_and(|t| {
                t.word()
                    .is_some_and(|w| matches!(&**w, "alignas" | "__align__" | "struct" | "union"))
            });
        let is_device = words().any(|w| matches!(&**w, "__device__" | "constexpr"))
            || words().any(|w| &**w == "default");
        if is_method && !is_device {
            // The name of a constructor stays that of the structure: others behind it name their
            // parameter's type.
            if let Some(name) =
                open.and_then(|n| tokens[n - 1].word().cloned()).filter(|name| **name != *tree.name)
            {
                // So that a call says that it is of the host.
                let outer = self.namespace.clone();
                self.declare(name, DeclaredItem::OfHost);
                self.namespace = outer;
            }
            self.scopes.truncate(scopes);
            self.next = end;
            return Ok(());
        }
        let specifiers = if self.is("~") {
            plain_specifiers()
        } else {
            self.member_specifiers(&tree.name.clone())?
        };
        if self.eat(";") {
            self.scopes.truncate(scopes);
            // A structure without a name: its members are those of this one.
            if let TypeTree::Named(path) = &specifiers.ty
                && path.last().name.starts_with('(')
            {
                let at = path.at;
                let variable = self.variable_of(&specifiers, "".into(), specifiers.ty.clone(), at);
                tree.fields.push(variable);
            }
            return Ok(());
        }
        loop {
            let ty = self.pointers(specifiers.ty.clone())?;
            let at = self.at();
            if self.is("(") && (self.after(1).is_sign("*") || self.after(1).is_sign("&")) {
                let (name, ty) = self.behind_parenthesis(ty)?;
                if specifiers.is_typedef {
                    tree.aliases.push((name.clone(), ty));
                    self.alias_of_scope(name);
                } else {
                    tree.fields.push(self.variable(&specifiers, name, ty, at)?);
                }
                if !self.eat(",") {
                    self.scopes.truncate(scopes);
                    return self.expect(";", "behind a member");
                }
                continue;
            }
            let role_of = |this: &Self| -> Option<FunctionRole> {
                if this.is("~") {
                    return Some(FunctionRole::Destructor);
                }
                (!specifiers.has_type && this.is_word(&tree.name))
                    .then_some(FunctionRole::Constructor)
            };
            let (name, role): (Rc<str>, FunctionRole) = match role_of(self) {
                Some(role) => {
                    self.eat("~");
                    (self.name("the name of the structure")?, role)
                }
                None if self.eat_word("operator") => {
                    if let Some(name) = self.operator_name() {
                        (name, FunctionRole::Plain)
                    } else {
                        let to = self.type_name()?;
                        let mut function = self.function(
                            &specifiers,
                            "operator T".into(),
                            to,
                            template.clone(),
                            FunctionRole::Conversion,
                        )?;
                        function.is_device = true;
                        tree.methods.push(Rc::new(function));
                        self.scopes.truncate(scopes);
                        return Ok(());
                    }
                }
                // Bits that nobody uses.
                None if self.is(":") => (self.fresh(), FunctionRole::Plain),
                None => (self.name("the name of a member")?, FunctionRole::Plain),
            };
            if self.is("(") {
                if template.is_some() {
                    self.templates.insert(name.clone());
                }
                let mut function = self.function(&specifiers, name, ty, template.clone(), role)?;
                function.is_device = true;
                tree.methods.push(Rc::new(function));
                self.scopes.truncate(scopes);
                return Ok(());
            }
            let ty = self.arrays(ty)?;
            let bits = if self.eat(":") { Some(Box::new(self.choice()?)) } else { None };
            if specifiers.is_typedef {
                tree.aliases.push((name.clone(), ty));
                self.alias_of_scope(name);
            } else {
                let variable = VariableTree { bits, ..self.variable(&specifiers, name, ty, at)? };
                match specifiers.is_static {
                    true => tree.constants.push(variable),
                    false => tree.fields.push(variable),
                }
            }
            if !self.eat(",") {
                self.scopes.truncate(scopes);
                return self.expect(";", "behind a member");
            }
        }
    }

    /// The token behind the name of a member, if it is the first of the parameters of a function or
    /// of what it begins with. Brackets of sizes, of arguments of templates and of `decltype` stand
    /// elsewhere.
    fn behind_member_name(&self, head: usize, end: usize) -> Option<usize> {
        let mut n = head;
        while n < end {
            let token = &self.tokens[n];
            let is_inner = |word: &Rc<str>| {
                matches!(
                    &**word,
                    "decltype" | "alignas" | "__align__" | "__attribute__" | "__declspec"
                )
            };
            n = if token.word().is_some_and(is_inner) && self.tokens[n + 1].is_sign("(") {
                self.closing(n + 1)? + 1
            } else if token.word().is_some_and(|word| self.is_template(word))
                && self.tokens[n + 1].is_sign("<")
            {
                self.behind_arguments(n + 1).unwrap_or(n + 2)
            } else if token.is_sign("[") {
                self.closing(n)? + 1
            } else if [":", ",", ";"].iter().any(|sign| token.is_sign(sign)) {
                return None;
            } else if ["(", "{", "="].iter().any(|sign| token.is_sign(sign)) {
                return Some(n);
            } else {
                n + 1
            };
        }
        None
    }

    /// A function that a structure defines for the namespace around it. Of a template it is one,
    /// too.
    fn friend(&mut self, tree: &StructureTree) -> Result<(), CudaRefusal> {
        let specifiers = self.specifiers(true)?;
        let ty = self.pointers(specifiers.ty.clone())?;
        let name = match self.eat_word("operator") {
            true => self.operator_name().ok_or_else(|| self.expected("the sign of an operator"))?,
            false => self.name("the name of a function")?,
        };
        if !specifiers.is_device {
            self.declare(name, DeclaredItem::OfHost);
            return Ok(());
        }
        let function = self.function(
            &specifiers,
            name.clone(),
            ty,
            tree.template.clone(),
            FunctionRole::Plain,
        )?;
        let mut function = FunctionTree { namespace: tree.namespace.clone(), ..function };
        // The structure's own name is the one of these arguments.
        if let Some(parameters) = &tree.template {
            let arguments: Vec<TemplateArgument> =
                parameters.iter().map(|p| p.as_argument(tree.at)).collect();
            with_arguments(&mut function.result, &tree.name, &arguments);
            function
                .parameters
                .iter_mut()
                .for_each(|p| with_arguments(&mut p.ty, &tree.name, &arguments));
        }
        let outer = std::mem::replace(&mut self.namespace, tree.namespace.to_vec());
        self.declare(name, DeclaredItem::Function(Rc::new(function)));
        self.namespace = outer;
        Ok(())
    }

    /// The name of an operator's function, from behind `operator`.
    pub(super) fn operator_name(&mut self) -> Option<Rc<str>> {
        let Lexeme::Sign(sign) = self.token().lexeme else { return None };
        self.advance();
        let mut name = format!("operator{sign}");
        if matches!(sign, "(" | "[") {
            name.push(if sign == "(" { ')' } else { ']' });
            self.advance();
        }
        Some(name.into())
    }

    /// The specifiers of a member; a constructor's name is no type.
    fn member_specifiers(&mut self, structure: &str) -> Result<DeclarationSpecifiers, CudaRefusal> {
        let mut n = self.next;
        let mut is_explicit = false;
        while self.tokens[n].word().is_some_and(|w| {
            is_explicit |= &**w == "explicit";
            matches!(
                &**w,
                "__device__"
                    | "__host__"
                    | "constexpr"
                    | "explicit"
                    | "inline"
                    | "__forceinline__"
                    | "__noinline__"
                    | "virtual"
            )
        }) {
            n += 1;
        }
        let is_constructor = self.tokens[n].word().is_some_and(|w| &**w == structure)
            && self.tokens[n + 1].is_sign("(");
        let is_nameless = is_constructor
            || self.tokens[n].is_sign("~")
            || self.tokens[n].word().is_some_and(|w| &**w == "operator");
        if is_nameless {
            let mut found = plain_specifiers();
            found.is_device = true;
            found.is_explicit = is_explicit;
            self.next = n;
            return Ok(found);
        }
        self.specifiers(true)
    }
}

/// Puts arguments behind a name of a template that has none.
fn with_arguments(tree: &mut TypeTree, name: &Rc<str>, arguments: &[TemplateArgument]) {
    match tree {
        TypeTree::Constant(of)
        | TypeTree::Volatile(of)
        | TypeTree::Pointer(of)
        | TypeTree::Reference(of)
        | TypeTree::Rvalue(of)
        | TypeTree::Array(of, _) => with_arguments(of, name, arguments),
        TypeTree::Named(path) => {
            if let [only] = path.parts.as_mut_slice()
                && only.name == *name
                && only.arguments.is_none()
            {
                only.arguments = Some(arguments.to_vec());
            }
        }
        _ => {}
    }
}
