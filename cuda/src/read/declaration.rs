//! Declarations: what stands outside of functions.

use std::rc::Rc;

use super::scope::DeclarationScope;
use super::{DeclaredItem, MAX_CHAIN, ProgramReader, is_reserved};
use crate::lex::{CudaRefusal, CudaSpan, CudaToken, Lexeme};
use crate::tree::{
    CudaExpression, FunctionRole, FunctionTree, InitialTree, NamePart, NamePath, Storage, TemplateParameter, TypeTree,
    VariableTree,
};

/// What stands in front of a name: its type, and what else is said.
#[derive(Debug, Clone)]
pub(super) struct DeclarationSpecifiers {
    pub ty: TypeTree,
    pub is_constant: bool,
    /// `constexpr`.
    pub is_computed: bool,
    pub is_typedef: bool,
    pub is_static: bool,
    pub is_explicit: bool,
    pub is_mutable: bool,
    pub is_extern: bool,
    pub is_kernel: bool,
    pub is_device: bool,
    pub storage: Storage,
    pub alignment: Option<CudaExpression>,
    pub most_threads: Option<CudaExpression>,
    pub cluster: Vec<CudaExpression>,
    /// Was a type written?
    pub has_type: bool,
}

impl ProgramReader {
    /// The declarations of a program, or of a namespace up to its `}`.
    pub(super) fn program(&mut self) -> Result<(), CudaRefusal> {
        // The depth of namespaces and of `extern "C"`: how many parts of the name each has.
        let mut open: Vec<usize> = Vec::new();
        loop {
            self.depth = 0;
            self.is_in_arguments = false;
            self.scopes.clear();
            if self.token().lexeme == Lexeme::End {
                return match open.is_empty() {
                    true => Ok(()),
                    false => Err(self.expected("`}` at the end of a namespace")),
                };
            }
            if self.eat(";") {
                continue;
            }
            if self.is("}") {
                let Some(parts) = open.pop() else {
                    return Err(CudaRefusal::new(self.at(), "a `}` that closes nothing", "take it out, or open what it closes"));
                };
                self.advance();
                self.namespace.truncate(self.namespace.len() - parts);
                continue;
            }
            if self.is_word("inline") && self.after(1).word().is_some_and(|w| &**w == "namespace") {
                self.advance();
            }
            if self.eat_word("namespace") {
                let before = self.namespace.len();
                let mut parts = Vec::new();
                self.skip_attributes()?;
                while let Some(word) = self.token().word().cloned() {
                    self.advance();
                    parts.push(word);
                    self.eat("::");
                }
                if self.eat("=") {
                    let path = self.path()?;
                    if let Some(name) = parts.pop() {
                        let names: Vec<Rc<str>> = path.parts.iter().map(|p| p.name.clone()).collect();
                        let within = [&self.namespace[..], &parts].concat();
                        let of = self.namespace_named(&names, &within).unwrap_or(names);
                        self.aliases_of_namespaces.push((within, name, of));
                    }
                    self.expect(";", "behind a namespace")?;
                    continue;
                }
                self.expect("{", "behind the name of a namespace")?;
                for part in parts {
                    self.namespace.push(part);
                    self.known_namespaces.insert(self.namespace.clone());
                }
                open.push(self.namespace.len() - before);
                if open.len() > MAX_CHAIN {
                    return Err(CudaRefusal::new(self.at(), "namespaces are nested too deep", "write it flatter"));
                }
                continue;
            }
            if self.is_word("extern") && matches!(self.after(1).lexeme, Lexeme::Text(_)) {
                self.advance();
                self.advance();
                if self.eat("{") {
                    open.push(0);
                    if open.len() > MAX_CHAIN {
                        return Err(CudaRefusal::new(self.at(), "`extern` is nested too deep", "write it flatter"));
                    }
                }
                continue;
            }
            self.declaration()?;
        }
    }

    /// A declaration. What is not understood is kept with its reason, and said where it is used.
    fn declaration(&mut self) -> Result<(), CudaRefusal> {
        let start = self.next;
        let end = self.end_of_declaration(start)?;
        match self.declared(start, end) {
            Ok(()) => {}
            Err(refusal) => {
                self.next = start;
                self.is_half = false;
                self.broken(start, end, refusal);
            }
        }
        self.next = end.max(start + 1).min(self.tokens.len() - 1);
        self.is_half = false;
        self.redefined.take().map_or(Ok(()), Err)
    }

    /// The number of the token behind a declaration.
    pub(super) fn end_of_declaration(&self, start: usize) -> Result<usize, CudaRefusal> {
        let mut n = start;
        // What parameters of a template are by default is no initial value.
        while self.tokens[n].word().is_some_and(|w| &**w == "template") && self.tokens[n + 1].is_sign("<") {
            let Some(behind) = self.behind_arguments(n + 1) else { break };
            n = behind;
        }
        let mut is_initialised = false;
        loop {
            if let Some(close) = self.end_of_requirements(n) {
                n = close + 1;
            }
            let token = &self.tokens[n];
            match token.lexeme {
                Lexeme::Sign(";") => return Ok(n + 1),
                Lexeme::Sign("=") => {
                    is_initialised |= n == start || self.tokens[n - 1].word().is_none_or(|w| &**w != "operator");
                }
                Lexeme::Sign("(" | "[" | "{") => {
                    let close = self.closing(n).ok_or_else(|| {
                        let text = format!("this `{}` is never closed", self.text(token.at));
                        CudaRefusal::new(token.at, text, "close it, or the file was cut off")
                    })?;
                    if token.is_sign("{") && !is_initialised {
                        let next = &self.tokens[(close + 1).min(self.tokens.len() - 1)];
                        // A structure ends with `;`, and initialisers of members go on.
                        if next.is_sign(";") {
                            return Ok(close + 2);
                        }
                        let has_type = self.tokens[start..n]
                            .iter()
                            .any(|t| t.word().is_some_and(|w| matches!(&**w, "struct" | "class" | "union" | "enum" | "typedef")));
                        let is_function = self.tokens[start..n].iter().any(|t| t.is_sign("("));
                        if !next.is_sign(",") && !next.is_sign("{") && (!has_type || is_function) {
                            return Ok(close + 1);
                        }
                    }
                    n = close;
                }
                // A namespace ends.
                Lexeme::Sign("}") => return Ok(n),
                Lexeme::Sign(")" | "]") => {
                    let text = format!("this `{}` closes nothing", self.text(token.at));
                    return Err(CudaRefusal::new(token.at, text, "take it out, or open what it closes"));
                }
                Lexeme::End => {
                    let at = self.tokens[start].at;
                    let text = self.text(at).chars().take(40).collect::<String>();
                    return Err(CudaRefusal::new(
                        token.at,
                        format!("the file ends within the declaration that begins with `{text}`: expected `;` or `{{`"),
                        "something is not closed, or the file was cut off",
                    ));
                }
                _ => {}
            }
            n += 1;
        }
    }

    /// Keeps what is not understood under its name.
    fn broken(&mut self, start: usize, end: usize, refusal: CudaRefusal) {
        let tokens = self.tokens.clone();
        let tokens = &tokens[start..end];
        let is = |word: &str| tokens.iter().any(|t| t.word().is_some_and(|w| &**w == word));
        let word = |n: usize| tokens.get(n).and_then(CudaToken::word).filter(|w| !is_reserved(w)).cloned();
        let structure =
            tokens.iter().position(|t| t.word().is_some_and(|w| matches!(&**w, "struct" | "class" | "union" | "enum")));
        let body = tokens.iter().position(|t| t.is_sign("{")).unwrap_or(tokens.len());
        let name = match structure.filter(|&n| n < body && !tokens[n..body].iter().any(|t| t.is_sign("("))) {
            Some(n) => (n + 1..body).find_map(word),
            // A function's name stands in front of its parameters, those of attributes left out.
            None => tokens.iter().enumerate().filter(|(_, t)| t.is_sign("(")).find_map(|(n, _)| {
                word(n.checked_sub(1)?)
                    .filter(|w| !matches!(&**w, "__launch_bounds__" | "__attribute__" | "__align__" | "__cluster_dims__"))
            }),
        };
        let is_alias = tokens[0].word().is_some_and(|w| &**w == "using");
        let name = if is_alias { word(1) } else { name.or_else(|| (0..tokens.len()).rev().find_map(word)) };
        if let Some(name) = name {
            if is("__global__") {
                self.kernels.push(Err((name.clone(), refusal.clone())));
            }
            self.declare(name, DeclaredItem::Broken(refusal));
        }
    }

    fn declared(&mut self, start: usize, end: usize) -> Result<(), CudaRefusal> {
        self.constraints.clear();
        self.names_of_owners.clear();
        if self.eat_word("using") {
            return self.using(None);
        }
        if self.is_word("static_assert") || self.is_word("asm") || self.is_word("__asm__") {
            return Ok(());
        }
        let mut template = None;
        if self.is_word("template") {
            if !self.after(1).is_sign("<") {
                // What is made of a template, by name.
                self.host.push((start, end));
                return Ok(());
            }
            self.advance();
            let mut parameters = self.template_parameters()?;
            if self.eat_word("concept") {
                return self.concept(parameters);
            }
            if self.is_word("requires") {
                self.requirement()?;
            }
            self.scopes.push(DeclarationScope::of_template(&parameters));
            // A member that is a template itself; those in front are the parameters of what it is a member of.
            if self.eat_word("template") {
                self.names_of_owners.extend(parameters.iter().map(|p| p.name().clone()));
                parameters = self.template_parameters()?;
                if self.is_word("requires") {
                    self.requirement()?;
                }
                self.scopes.push(DeclarationScope::of_template(&parameters));
            }
            if self.eat_word("using") {
                return self.using(Some(parameters.into()));
            }
            template = Some(Rc::<[TemplateParameter]>::from(parameters));
        }
        if self.is_guide_ahead() {
            return self.guide(template);
        }
        // What is of the host alone is skipped.
        let tokens = self.tokens.clone();
        // Parentheses among the parameters of a template are none of a function.
        let head = self.next;
        let words = || tokens[head..end].iter().filter_map(|t| t.word());
        let is_of_gpu = words().any(|w| {
            matches!(
                &**w,
                "__global__" | "__device__" | "__constant__" | "__shared__" | "__managed__" | "constexpr" | "consteval"
            )
        });
        let body = tokens[head..end].iter().position(|t| t.is_sign("{") || t.is_sign("(")).map_or(end, |n| head + n);
        let is_of_type = tokens[head..body]
            .iter()
            .filter_map(|t| t.word())
            .any(|w| matches!(&**w, "struct" | "class" | "union" | "enum" | "typedef"));
        let is_constant = tokens[head..body].iter().any(|t| t.word().is_some_and(|w| &**w == "const"))
            && tokens[head..body].iter().any(|t| t.is_sign("="));
        if !is_of_gpu && !is_of_type && !is_constant {
            self.host.push((start, end));
            let named = (start..end)
                .find(|&n| tokens[n].is_sign("(") || tokens[n].is_sign("=") || tokens[n].is_sign(";") || tokens[n].is_sign("["));
            let name = named.and_then(|n| tokens[n.checked_sub(1)?].word().cloned()).filter(|w| !is_reserved(w));
            if let Some(name) = name {
                self.declare(name, DeclaredItem::OfHost);
            }
            return Ok(());
        }
        if is_of_type && self.structure_ahead() {
            let specifiers = self.specifiers_of(template.clone())?;
            return self.declarators(specifiers, template);
        }
        let specifiers = self.specifiers(true)?;
        self.declarators(specifiers, template)
    }

    /// Does the definition of a structure begin here, behind words that say more?
    pub(super) fn structure_ahead(&self) -> bool {
        let mut n = self.next;
        while self.tokens[n].word().is_some_and(|w| {
            matches!(&**w, "typedef" | "static" | "const" | "__device__" | "__constant__" | "constexpr" | "__host__" | "volatile")
        }) {
            n += 1;
        }
        self.tokens[n].word().is_some_and(|w| matches!(&**w, "struct" | "class" | "union" | "enum"))
    }

    fn specifiers_of(&mut self, template: Option<Rc<[TemplateParameter]>>) -> Result<DeclarationSpecifiers, CudaRefusal> {
        if template.is_some() && !self.is_word("enum") {
            // A template of a structure: nothing stands in front of it, and it has no variables.
            let ty = self.structure(template)?;
            return Ok(DeclarationSpecifiers { ty, ..plain_specifiers() });
        }
        self.specifiers(true)
    }

    fn using(&mut self, template: Option<Rc<[TemplateParameter]>>) -> Result<(), CudaRefusal> {
        if self.eat_word("namespace") {
            let path = self.path()?;
            let names = path.parts.into_iter().map(|part| part.name).filter(|name| !name.is_empty()).collect();
            self.namespaces_taken.push((self.namespace.clone().into(), names));
            return Ok(());
        }
        if self.after(1).is_sign("=") || self.after(1).is_sign("[") {
            let name = self.name("a name")?;
            self.skip_attributes()?;
            self.expect("=", "behind the name of a type")?;
            let ty = self.type_name()?;
            if template.is_some() {
                self.templates.insert(name.clone());
            }
            self.declare(name, DeclaredItem::Alias(template, Rc::new(ty)));
            return Ok(());
        }
        let path = self.path()?;
        let names = path.parts.into_iter().map(|part| part.name).filter(|name| !name.is_empty()).collect();
        self.names_taken.push((self.namespace.clone().into(), names));
        Ok(())
    }

    pub(super) fn fresh(&mut self) -> Rc<str> {
        self.unnamed += 1;
        format!("(unnamed {})", self.unnamed).into()
    }

    /// What stands in front of a name.
    pub(super) fn specifiers(&mut self, is_declaration: bool) -> Result<DeclarationSpecifiers, CudaRefusal> {
        let mut found = plain_specifiers();
        let (mut bytes, mut sign, mut base): (Option<u8>, Option<bool>, Option<TypeTree>) = (None, None, None);
        let (mut is_const, mut is_volatile, mut longs) = (false, false, 0);
        let start = self.at();
        loop {
            self.skip_attributes()?;
            let Some(word) = self.token().word().cloned() else {
                if self.is("::") && base.is_none() && bytes.is_none() && sign.is_none() && self.is_at_type() {
                    base = Some(TypeTree::Named(self.path()?));
                    continue;
                }
                break;
            };
            match &*word {
                "const" => is_const = true,
                "volatile" => is_volatile = true,
                "constexpr" | "consteval" if is_declaration => {
                    found.is_computed = true;
                    found.is_constant = true;
                    found.is_device = true;
                }
                "typedef" if is_declaration => found.is_typedef = true,
                "static" if is_declaration => found.is_static = true,
                "extern" if is_declaration => {
                    found.is_extern = true;
                    if matches!(self.after(1).lexeme, Lexeme::Text(_)) {
                        found.is_extern = false;
                        self.advance();
                    }
                }
                "explicit" if is_declaration => found.is_explicit = true,
                "mutable" if is_declaration => found.is_mutable = true,
                "inline" | "__inline__" | "__forceinline__" | "__noinline__" | "__host__" | "register" | "virtual" | "friend"
                | "thread_local" | "constinit"
                    if is_declaration => {}
                "typename" | "__restrict__" | "__grid_constant__" | "__extension__" => {}
                "__global__" if is_declaration => {
                    found.is_kernel = true;
                    found.is_device = true;
                }
                "__device__" if is_declaration => {
                    found.is_device = true;
                    if found.storage == Storage::Automatic {
                        found.storage = Storage::Device;
                    }
                }
                "__managed__" if is_declaration => found.storage = Storage::Device,
                "__shared__" if is_declaration => found.storage = Storage::Shared,
                "__constant__" if is_declaration => found.storage = Storage::Constant,
                "alignas" | "__align__" => {
                    self.advance();
                    self.expect("(", "behind an alignment")?;
                    found.alignment = Some(match self.is_at_type() {
                        true => {
                            let at = self.at();
                            CudaExpression { what: crate::tree::ExpressionKind::SizeOfType(self.type_name()?), at }
                        }
                        false => self.choice()?,
                    });
                    if !self.is(")") {
                        return Err(self.expected("`)` behind an alignment"));
                    }
                }
                "__launch_bounds__" if is_declaration => {
                    self.advance();
                    found.most_threads = self.arguments()?.into_iter().next();
                    continue;
                }
                "__cluster_dims__" if is_declaration => {
                    self.advance();
                    found.cluster = self.arguments()?;
                    continue;
                }
                "void" => base = Some(TypeTree::Void),
                "bool" => base = Some(TypeTree::Bool),
                "float" => base = Some(TypeTree::Real(4)),
                "double" => base = Some(TypeTree::Real(8)),
                "auto" => base = Some(TypeTree::Auto),
                "char" => bytes = Some(1),
                "short" => bytes = Some(2),
                "int" => bytes = bytes.or(Some(4)),
                "long" => {
                    longs += 1;
                    bytes = Some(8);
                }
                "unsigned" => sign = Some(false),
                "signed" => sign = Some(true),
                "__int128" => {
                    return Err(CudaRefusal::new(self.at(), "numbers of 128 bits are not understood", "use two of 64 bits"));
                }
                "decltype" => {
                    self.advance();
                    self.expect("(", "behind `decltype`")?;
                    let outer = std::mem::replace(&mut self.is_in_arguments, false);
                    base = Some(match self.eat_word("auto") {
                        true => TypeTree::AutoAsIs,
                        false => TypeTree::OfExpression(Box::new(self.expression()?)),
                    });
                    self.is_in_arguments = outer;
                    if !self.is(")") {
                        return Err(self.expected("`)` behind `decltype`"));
                    }
                }
                "struct" | "class" | "union" | "enum" if base.is_none() => {
                    base = Some(match &*word {
                        "enum" => self.enumeration()?,
                        _ => self.structure(None)?,
                    });
                    continue;
                }
                _ if is_declaration
                    && base.is_none()
                    && bytes.is_none()
                    && sign.is_none()
                    && self.is_member_without_type_ahead() =>
                {
                    break;
                }
                _ if base.is_none() && bytes.is_none() && sign.is_none() && self.is_at_type() => {
                    base = Some(TypeTree::Named(self.path()?));
                    continue;
                }
                _ => break,
            }
            self.advance();
        }
        if longs == 2 && matches!(base, Some(TypeTree::Real(_))) || longs > 2 {
            return Err(CudaRefusal::new(self.since(start), "this is no type", "write a type as `unsigned long long`"));
        }
        found.has_type = base.is_some() || bytes.is_some() || sign.is_some();
        let mut ty = match (base, bytes) {
            (Some(base), _) => base,
            (None, Some(bytes)) => {
                TypeTree::Integer(bytes, sign.unwrap_or(true), bytes == 8 && longs > 1 || bytes == 1 && sign == Some(true))
            }
            (None, None) if sign.is_some() => TypeTree::Integer(4, sign.unwrap_or(true), false),
            // A constructor has none.
            (None, None) if is_declaration => TypeTree::Void,
            (None, None) => return Err(self.unknown_type()),
        };
        if is_volatile {
            ty = TypeTree::Volatile(Box::new(ty));
        }
        if is_const {
            found.is_constant = true;
            ty = TypeTree::Constant(Box::new(ty));
        }
        found.ty = ty;
        Ok(found)
    }

    /// Does `S::S(`, `S::~S(` or `S::operator` begin here: a member without a type in front of it, defined outside of its structure?
    fn is_member_without_type_ahead(&self) -> bool {
        let mut n = self.next;
        loop {
            let Some(owner) = self.tokens[n].word() else { return false };
            n += 1;
            if self.tokens[n].is_sign("<") && self.is_template(owner) {
                let Some(behind) = self.behind_arguments(n) else { return false };
                n = behind;
            }
            if !self.tokens[n].is_sign("::") {
                return false;
            }
            n += 1;
            let next = &self.tokens[n];
            let is_own = next.word().is_some_and(|w| w == owner) && self.tokens[n + 1].is_sign("(");
            if is_own || next.is_sign("~") || next.word().is_some_and(|w| &**w == "operator") {
                return true;
            }
        }
    }

    /// What is declared behind a type: functions, variables, names of types.
    fn declarators(
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
                    "__host__" | "__forceinline__" | "__noinline__" | "inline" | "__inline__" | "static" => {}
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
                        NamePath { parts: vec![NamePart { name, arguments: None }], at: self.since(at) }
                    }
                    false => self.path()?,
                };
                // `S::~S`, `S::operator+`, `S::operator int`
                let is_destructor = self.is("::") && self.after(1).is_sign("~");
                let is_operator = self.is("::") && self.after(1).word().is_some_and(|w| &**w == "operator");
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
                        NamePath { parts: path.parts.into_iter().chain([own]).collect(), at: self.since(at) }
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
                    let of_owner = path.parts.len().checked_sub(2).and_then(|n| path.parts[n].arguments.clone());
                    // `template <> int f<int>()` is no template itself.
                    let template = template.clone().filter(|all| !all.is_empty());
                    let function = self.function(&specifiers, name.clone(), ty, template.clone(), role)?;
                    let specialises = path.last().arguments.clone();
                    let names_of_owners = self.names_of_owners.clone().into();
                    let function =
                        FunctionTree { namespace: namespace.into(), specialises, of_owner, names_of_owners, ..function };
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

    /// Behind a name and in front of `(`: do parameters follow, and not what a variable begins with?
    fn is_function_ahead(&mut self) -> bool {
        if self.after(1).is_sign(")") || self.after(1).is_sign("...") || self.after(1).is_sign("[") && self.after(2).is_sign("[")
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

    fn variable_or_alias(
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
        let variable = VariableTree { template, ..self.variable(specifiers, name.clone(), ty, at)? };
        let variable = Rc::new(variable);
        let is_known = matches!(variable.storage, Storage::Device | Storage::Constant | Storage::Shared) || variable.is_constant;
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

    pub(super) fn alias_of_scope(&mut self, name: Rc<str>) {
        // Aliases of members are found by their structure; the reader has to know that they are types.
        self.declare(name, DeclaredItem::Declared);
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

pub(super) fn plain_specifiers() -> DeclarationSpecifiers {
    DeclarationSpecifiers {
        ty: TypeTree::Void,
        is_constant: false,
        is_computed: false,
        is_typedef: false,
        is_static: false,
        is_explicit: false,
        is_mutable: false,
        is_extern: false,
        is_kernel: false,
        is_device: false,
        storage: Storage::Automatic,
        alignment: None,
        most_threads: None,
        cluster: Vec::new(),
        has_type: false,
    }
}
