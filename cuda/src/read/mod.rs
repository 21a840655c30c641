//! The reader of programs. Declarations are read first; what functions do is read when a kernel calls them, since by then all types are known, and
//! since what no kernel calls need not be understood. Code for the host is skipped.

mod declaration;
mod expression;
mod function;
mod local;
mod scope;
mod statement;
mod structure;
mod template;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use self::scope::{DeclarationScope, ScopedName};
use crate::lex::{CudaRefusal, CudaSpan, CudaToken, Lexeme};
use crate::preprocess::CudaFile;
use crate::tree::{
    CudaExpression, CudaStatement, EnumerationTree, FunctionTree, InitialTree, NamePart, NamePath, StructureTree,
    TemplateArgument, TemplateParameter, TypeTree, VariableTree,
};

/// How deep what stands in brackets may be nested.
const MAX_DEPTH: usize = 160;

/// The most links of a chain, as operands of one sum.
const MAX_CHAIN: usize = 256;

/// Something that a program declares.
#[derive(Debug, Clone)]
pub(crate) enum DeclaredItem {
    Function(Rc<FunctionTree>),
    Structure(Rc<StructureTree>),
    /// A structure that is declared and not defined.
    Declared,
    Enumeration(Rc<EnumerationTree>),
    /// A constant of an enumeration, by its number there.
    Enumerator(Rc<EnumerationTree>, usize),
    Variable(Rc<VariableTree>),
    Alias(Option<Rc<[TemplateParameter]>>, Rc<TypeTree>),
    /// What is asked of types, by a name.
    Concept(Rc<[TemplateParameter]>, Rc<CudaExpression>),
    /// `S(T) -> S<T>`: which structure of a template is made of such values.
    Guide(Rc<FunctionTree>),
    /// It is not understood, which is said where it is used.
    Broken(CudaRefusal),
    /// A function or a variable of the host.
    OfHost,
}

#[derive(Debug, Clone)]
pub(crate) struct ItemEntry {
    pub namespace: Rc<[Rc<str>]>,
    pub item: DeclaredItem,
    /// Is it the library's, and not the program's own?
    is_of_library: bool,
}

/// A kernel, or its name and why it is not understood.
pub(crate) type DeclaredKernel = Result<Rc<FunctionTree>, (Rc<str>, CudaRefusal)>;

/// Names that a namespace, the first, takes from elsewhere.
type NamesTaken = (Rc<[Rc<str>]>, Vec<Rc<str>>);

/// Another name of a namespace: the namespace that has it, the name, and what it is.
type NamespaceAlias = (Vec<Rc<str>>, Rc<str>, Vec<Rc<str>>);

/// A variable of the module with its namespace.
type NamespacedVariable = (Rc<[Rc<str>]>, Rc<VariableTree>);

/// What initialises a member: its name, the values, and where it stands.
type MemberInitialiser = (Rc<str>, InitialTree, CudaSpan);

/// A kernel that is launched, with the arguments of its template.
type LaunchedTemplate = (Rc<str>, Result<Vec<TemplateArgument>, CudaRefusal>);

/// A program: its tokens and what it declares.
pub(crate) struct ProgramReader {
    pub files: Vec<CudaFile>,
    pub headers: Vec<String>,
    tokens: Rc<[CudaToken]>,
    next: usize,
    /// Was the first half of `>>` taken?
    is_half: bool,
    depth: usize,
    /// Is `>` the end of the arguments of a template?
    is_in_arguments: bool,
    pub items: FxHashMap<Rc<str>, Vec<ItemEntry>>,
    /// Names of templates.
    templates: FxHashSet<Rc<str>>,
    concepts: FxHashSet<Rc<str>>,
    /// What must be true of the arguments of the template that is being read.
    constraints: Vec<CudaExpression>,
    pub aliases_of_namespaces: Vec<NamespaceAlias>,
    pub known_namespaces: FxHashSet<Vec<Rc<str>>>,
    namespace: Vec<Rc<str>>,
    scopes: Vec<DeclarationScope>,
    /// Functions of the GPU in their order.
    pub kernels: Vec<DeclaredKernel>,
    pub variables: Vec<NamespacedVariable>,
    /// Pieces of code of the host.
    host: Vec<(usize, usize)>,
    /// Arguments with which kernels that are templates are launched.
    pub instances: Vec<LaunchedTemplate>,
    /// The names of the parameters of the templates around a member that is a template itself, and is defined outside.
    names_of_owners: Vec<Rc<str>>,
    bodies: FxHashMap<usize, Rc<CudaStatement>>,
    /// What is defined a second time.
    redefined: Option<CudaRefusal>,
    unnamed: usize,
    /// Those without a scope of their own, as far as they were read.
    /// `using namespace a::b` and `using a::b::f`: in which namespace, and the names.
    pub namespaces_taken: Vec<NamesTaken>,
    pub names_taken: Vec<NamesTaken>,
    enumerations: Vec<Rc<EnumerationTree>>,
}

impl ProgramReader {
    /// Reads the declarations of a program.
    pub fn new(files: Vec<CudaFile>, headers: Vec<String>, tokens: Vec<CudaToken>) -> Result<Self, CudaRefusal> {
        let last = files.len().max(2) as u16 - 1;
        let length = files.get(1).or(files.first()).map_or(0, |f| f.text.len() as u32);
        let end = CudaSpan { file: 1.min(last), start: length, end: length, written: 0 };
        let mut tokens = with_names_of_types(tokens);
        tokens.push(CudaToken { lexeme: Lexeme::End, at: end, is_apart: true, is_kept: false });
        let mut reader = Self {
            files,
            headers,
            tokens: tokens.into(),
            next: 0,
            is_half: false,
            depth: 0,
            is_in_arguments: false,
            items: FxHashMap::default(),
            templates: FxHashSet::default(),
            concepts: FxHashSet::default(),
            constraints: Vec::new(),
            aliases_of_namespaces: Vec::new(),
            known_namespaces: FxHashSet::default(),
            namespace: Vec::new(),
            scopes: Vec::new(),
            kernels: Vec::new(),
            variables: Vec::new(),
            host: Vec::new(),
            instances: Vec::new(),
            names_of_owners: Vec::new(),
            bodies: FxHashMap::default(),
            redefined: None,
            unnamed: 0,
            namespaces_taken: Vec::new(),
            names_taken: Vec::new(),
            enumerations: Vec::new(),
        };
        reader.program()?;
        reader.launched();
        Ok(reader)
    }

    fn token(&self) -> &CudaToken {
        &self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    fn after(&self, n: usize) -> &CudaToken {
        &self.tokens[(self.next + n).min(self.tokens.len() - 1)]
    }

    fn at(&self) -> CudaSpan {
        self.token().at
    }

    /// From where something began up to the token that was read last.
    fn since(&self, start: CudaSpan) -> CudaSpan {
        let last = self.tokens[self.next.saturating_sub(1)].at;
        if last.file == start.file && last.end >= start.end { CudaSpan { end: last.end, ..start } } else { start }
    }

    fn advance(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        self.is_half = false;
    }

    pub fn text(&self, at: CudaSpan) -> &str {
        self.files.get(at.file as usize).and_then(|f| f.text.get(at.start as usize..at.end as usize)).unwrap_or_default()
    }

    fn expected(&self, what: &str) -> CudaRefusal {
        let token = self.token();
        let found = match token.lexeme {
            Lexeme::End => "the end of the file".to_owned(),
            _ => format!("`{}`", self.text(token.at).chars().take(40).collect::<String>()),
        };
        let help = match token.lexeme {
            Lexeme::End => "something is not closed, or the file was cut off",
            _ => "what kernels are read from is in docs/kernels.md; nvcc reads all of CUDA C++",
        };
        CudaRefusal::new(token.at, format!("expected {what}, found {found}"), help)
    }

    fn is(&self, sign: &str) -> bool {
        self.token().is_sign(sign)
    }

    fn is_word(&self, word: &str) -> bool {
        self.token().word().is_some_and(|w| &**w == word)
    }

    fn eat(&mut self, sign: &str) -> bool {
        let there = self.is(sign);
        if there {
            self.advance();
        }
        there
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let there = self.is_word(word);
        if there {
            self.advance();
        }
        there
    }

    fn expect(&mut self, sign: &str, of: &str) -> Result<(), CudaRefusal> {
        if self.eat(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}` {of}"))) }
    }

    fn name(&mut self, what: &str) -> Result<Rc<str>, CudaRefusal> {
        match self.token().word().cloned() {
            Some(word) if !is_reserved(&word) => {
                self.advance();
                Ok(word)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// One level deeper; [`Self::leave`] goes back.
    fn enter(&mut self) -> Result<(), CudaRefusal> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.depth = 0;
            return Err(CudaRefusal::new(self.at(), format!("nested more than {MAX_DEPTH} deep"), "write it flatter"));
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn too_long(&self) -> CudaRefusal {
        CudaRefusal::new(
            self.at(),
            format!("more than {MAX_CHAIN} operands in one expression"),
            "take it apart into several statements",
        )
    }

    /// The closing bracket of the opening one at a token, by its number.
    fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        for (n, token) in self.tokens.iter().enumerate().skip(open) {
            match token.lexeme {
                Lexeme::Sign("(" | "{" | "[") => depth += 1,
                Lexeme::Sign(")" | "}" | "]") => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return Some(n);
                    }
                }
                Lexeme::End => return None,
                _ => {}
            }
        }
        None
    }

    /// Skips what stands in brackets.
    fn skip_brackets(&mut self) -> Result<(), CudaRefusal> {
        let open = self.next;
        match self.closing(open) {
            Some(end) => {
                self.next = end;
                self.advance();
                Ok(())
            }
            None => {
                let at = self.tokens[open].at;
                Err(CudaRefusal::new(
                    at,
                    format!("this `{}` is never closed", self.text(at)),
                    "close it, or the file was cut off",
                ))
            }
        }
    }

    /// Attributes, which say nothing of what a program does.
    fn skip_attributes(&mut self) -> Result<(), CudaRefusal> {
        loop {
            if self.is("[") && self.after(1).is_sign("[") {
                self.skip_brackets()?;
            } else if self.is_word("__attribute__") || self.is_word("__declspec") {
                self.advance();
                self.skip_brackets()?;
            } else {
                return Ok(());
            }
        }
    }

    /// Is a name one of a type here?
    fn is_type_name(&self, name: &str, qualifier: Option<&str>) -> bool {
        let is_qualified = qualifier.is_some();
        for scope in self.scopes.iter().rev() {
            match scope.kind(name) {
                Some(ScopedName::Type | ScopedName::Template) => return true,
                Some(ScopedName::Value) => return false,
                None => {}
            }
        }
        let is = |entry: &ItemEntry| {
            matches!(
                entry.item,
                DeclaredItem::Structure(_) | DeclaredItem::Declared | DeclaredItem::Enumeration(_) | DeclaredItem::Alias(..)
            )
        };
        let Some(all) = self.items.get(name) else { return false };
        // Of `colour::red` those of `colour` count, if it has any.
        let within = |e: &&ItemEntry| qualifier.is_some_and(|q| e.namespace.last().is_some_and(|n| **n == *q));
        if all.iter().any(|e| within(&e)) {
            return all.iter().filter(within).any(is);
        }
        // What the program itself declares hides types of the library.
        let is_own = |e: &ItemEntry| !e.is_of_library && !is(e);
        let is_hidden = !is_qualified && all.iter().any(is_own) && all.iter().all(|e| e.is_of_library || !is(e));
        !is_hidden && all.iter().any(is)
    }

    /// What the last name of a path that begins here is qualified by; empty where that is the outermost namespace.
    fn qualifier_ahead(&self) -> Option<&str> {
        let (_, behind) = self.path_ahead()?;
        let is_separator = |n: usize| self.tokens[n].is_sign("::");
        let last = (self.next..behind).rev().find(|&n| is_separator(n))?;
        let name = last.checked_sub(1).filter(|&n| n >= self.next).and_then(|n| self.tokens[n].word());
        Some(name.map_or("", |n| n))
    }

    /// The number of the token behind the arguments of a template that begin at a token with `<`.
    fn behind_arguments(&self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        let mut n = open;
        loop {
            match &self.tokens.get(n)?.lexeme {
                Lexeme::Sign("<") => depth += 1,
                Lexeme::Sign("(" | "[") => n = self.closing(n)?,
                Lexeme::Sign(">") => depth -= 1,
                // The half of one may be the end.
                Lexeme::Sign(">>") if depth == 1 => return Some(n),
                Lexeme::Sign(">>") => depth = depth.saturating_sub(2),
                // `S<T{1, 2}>`, and not `if (a < b) {`.
                Lexeme::Sign("{") if n > open && (self.tokens[n - 1].word().is_some() || self.tokens[n - 1].is_sign(">")) => {
                    n = self.closing(n)?;
                }
                Lexeme::Sign(";" | "{" | "}" | ")" | "]") | Lexeme::End => return None,
                _ => {}
            }
            if depth == 0 {
                return Some(n + 1);
            }
            n += 1;
        }
    }

    /// The name that a path which begins here ends with, and the token behind it. Nothing is taken.
    fn path_ahead(&self) -> Option<(Rc<str>, usize)> {
        let mut n = self.next;
        if self.tokens[n].is_sign("::") {
            n += 1;
        }
        loop {
            let name = self.tokens.get(n)?.word().filter(|w| !is_reserved(w))?.clone();
            n += 1;
            if self.tokens.get(n)?.is_sign("<") && self.is_template(&name) {
                n = self.behind_arguments(n)?;
            }
            if self.tokens.get(n)?.is_sign("::") && self.tokens.get(n + 1)?.word().is_some() {
                n += 1;
            } else {
                return Some((name, n));
            }
        }
    }

    /// A namespace by its own names, from within another one; nothing where there is none.
    pub fn namespace_named(&self, names: &[Rc<str>], around: &[Rc<str>]) -> Option<Vec<Rc<str>>> {
        let (names, around) = match names {
            [first, rest @ ..] if first.is_empty() => (rest, &[][..]),
            _ => (names, around),
        };
        let of = |k: usize| self.without_aliases([&around[..k], names].concat());
        (0..=around.len()).rev().map(of).find(|whole| self.known_namespaces.contains(whole))
    }

    /// The names of a namespace with what other names of namespaces stand for.
    pub fn without_aliases(&self, mut names: Vec<Rc<str>>) -> Vec<Rc<str>> {
        for _ in 0..8 {
            let of = |n: usize| {
                let mut all = self.aliases_of_namespaces.iter();
                all.find(|(within, name, _)| *name == names[n] && within[..] == names[..n]).map(|(.., of)| (n, of))
            };
            let Some((n, of)) = (0..names.len()).find_map(of) else { break };
            names.splice(..=n, of.iter().cloned());
        }
        names
    }

    /// The error where a type is expected: the name that stands here is of none, or of one that is not understood.
    fn unknown_type(&self) -> CudaRefusal {
        let start = self.at();
        let mut n = self.next;
        let mut name = None;
        while let Some(word) = self.tokens[n].word().filter(|w| !is_reserved(w)) {
            name = Some(word.clone());
            if !self.tokens[n + 1].is_sign("::") {
                break;
            }
            n += 2;
        }
        let Some(name) = name else { return self.expected("a type") };
        if let Some(refusal) = self.broken_item(&name) {
            return refusal;
        }
        let at = CudaSpan { end: self.tokens[n].at.end.max(start.end), ..start };
        let at = if self.tokens[n].at.file == start.file { at } else { start };
        self.unknown_name(at, "type")
    }

    /// Why something that is declared under a name is not understood.
    fn broken_item(&self, name: &str) -> Option<CudaRefusal> {
        self.items
            .get(name)?
            .iter()
            .find_map(|e| if let DeclaredItem::Broken(refusal) = &e.item { Some(refusal.clone()) } else { None })
    }

    fn unknown_name(&self, at: CudaSpan, what: &str) -> CudaRefusal {
        let help =
            "what kernels may use without nvcc is in docs/kernels.md; include the file that defines it with #include \"..\"";
        CudaRefusal::new(at, format!("the {what} `{}` is not known here", self.text(at)), help)
    }

    /// Does a type begin here?
    fn is_at_type(&self) -> bool {
        match &self.token().lexeme {
            Lexeme::Word(word) => match &**word {
                "void" | "bool" | "char" | "short" | "int" | "long" | "float" | "double" | "signed" | "unsigned" | "auto"
                | "const" | "volatile" | "struct" | "class" | "enum" | "union" | "typename" | "decltype" | "__int128" => true,
                _ => self.path_ahead().is_some_and(|(name, _)| self.is_type_name(&name, self.qualifier_ahead())),
            },
            Lexeme::Sign("::") => self.path_ahead().is_some_and(|(name, _)| self.is_type_name(&name, self.qualifier_ahead())),
            _ => false,
        }
    }

    /// A name with what qualifies it.
    fn path(&mut self) -> Result<NamePath, CudaRefusal> {
        let start = self.at();
        let mut parts = Vec::new();
        // Of the namespace around all, which has no name.
        if self.eat("::") {
            parts.push(NamePart { name: "".into(), arguments: None });
        }
        loop {
            self.eat_word("template");
            let name = self.name("a name")?;
            let is_template = self.is_template(&name);
            let arguments = if self.is("<") && is_template && self.behind_arguments(self.next).is_some() {
                Some(self.template_arguments()?)
            } else {
                None
            };
            parts.push(NamePart { name, arguments });
            if parts.len() > MAX_CHAIN {
                return Err(self.too_long());
            }
            if self.is("::") && self.after(1).word().is_some_and(|w| !is_reserved(w) || &**w == "template") {
                self.advance();
            } else {
                return Ok(NamePath { parts, at: self.since(start) });
            }
        }
    }

    /// The arguments of a template, from `<`.
    fn template_arguments(&mut self) -> Result<Vec<TemplateArgument>, CudaRefusal> {
        self.enter()?;
        self.expect("<", "in front of the arguments of a template")?;
        let outer = std::mem::replace(&mut self.is_in_arguments, true);
        let mut all = Vec::new();
        while !self.is(">") && !self.is(">>") {
            let start = self.next;
            let is_value = self.path_ahead().is_some_and(|(_, behind)| self.tokens[behind].is_sign("{"));
            all.push(match self.is_at_type() && !is_value {
                true => {
                    let ty = self.type_name()?;
                    TemplateArgument::Type(self.packed(start).map_or(ty.clone(), |of| TypeTree::Pack(of(ty))))
                }
                false => TemplateArgument::Value(self.choice_or_pack(start)?),
            });
            if !self.eat(",") && !self.is(">") && !self.is(">>") {
                return Err(self.expected("`,` or `>` behind an argument of a template"));
            }
        }
        self.is_in_arguments = outer;
        self.close_arguments();
        self.leave();
        Ok(all)
    }

    /// Takes `>`, which may be half of `>>`.
    fn close_arguments(&mut self) {
        if self.is(">>") && !self.is_half {
            self.is_half = true;
        } else {
            self.advance();
        }
    }

    /// A type with its pointers and arrays, without a name.
    fn type_name(&mut self) -> Result<TypeTree, CudaRefusal> {
        let specifiers = self.specifiers(false)?;
        let ty = self.pointers(specifiers.ty)?;
        // A pointer to a function or to an array, or a reference to one.
        if self.is("(") && (self.after(1).is_sign("*") || self.after(1).is_sign("&")) {
            let is_reference = self.after(1).is_sign("&");
            self.skip_brackets()?;
            let of = match self.is("[") {
                true => self.arrays(ty)?,
                false => TypeTree::Function,
            };
            if self.is("(") {
                self.skip_brackets()?;
            }
            return Ok(match is_reference {
                true => TypeTree::Reference(Box::new(of)),
                false => TypeTree::Pointer(Box::new(of)),
            });
        }
        self.arrays(ty)
    }

    /// `*`, `&` and what stands between them.
    fn pointers(&mut self, mut ty: TypeTree) -> Result<TypeTree, CudaRefusal> {
        let mut count = 0;
        loop {
            count += 1;
            if count > MAX_CHAIN / 4 {
                return Err(self.too_long());
            }
            ty = match &self.token().lexeme {
                Lexeme::Sign("*") => TypeTree::Pointer(Box::new(ty)),
                Lexeme::Sign("&") => TypeTree::Reference(Box::new(ty)),
                Lexeme::Sign("&&") => TypeTree::Reference(Box::new(TypeTree::Rvalue(Box::new(ty)))),
                Lexeme::Word(word) => match &**word {
                    "const" => TypeTree::Constant(Box::new(ty)),
                    "volatile" => TypeTree::Volatile(Box::new(ty)),
                    "__restrict__" | "__restrict" | "restrict" | "__grid_constant__" => ty,
                    _ => return Ok(ty),
                },
                _ => return Ok(ty),
            };
            self.advance();
        }
    }

    /// The sizes of an array behind a name.
    fn arrays(&mut self, ty: TypeTree) -> Result<TypeTree, CudaRefusal> {
        let mut sizes = Vec::new();
        while self.is("[") && !self.after(1).is_sign("[") {
            self.advance();
            let outer = std::mem::replace(&mut self.is_in_arguments, false);
            let size = if self.is("]") { None } else { Some(Box::new(self.choice()?)) };
            self.is_in_arguments = outer;
            self.expect("]", "behind the size of an array")?;
            sizes.push(size);
            if sizes.len() > 16 {
                return Err(self.too_long());
            }
        }
        Ok(sizes.into_iter().rev().fold(ty, |ty, size| TypeTree::Array(Box::new(ty), size)))
    }

    /// What a function does, and in front of it what initialises its members. It is read once.
    pub fn body(&mut self, function: &FunctionTree, owner: Option<&StructureTree>) -> Result<Rc<CudaStatement>, CudaRefusal> {
        let Some((start, _)) = function.body else {
            let text = format!("`{}` is declared here, and not defined in what was read", function.name);
            return Err(CudaRefusal::new(function.at, text, "include the file that defines it with #include \"..\""));
        };
        if let Some(found) = self.bodies.get(&start) {
            return Ok(found.clone());
        }
        self.scopes.clear();
        self.enter_function(function, owner);
        (self.next, self.is_half, self.depth, self.is_in_arguments) = (start, false, 0, false);
        let body = Rc::new(self.statement()?);
        self.bodies.insert(start, body.clone());
        Ok(body)
    }

    /// What the members of a structure are initialised with by a constructor.
    pub fn initialisers(
        &mut self,
        function: &FunctionTree,
        owner: Option<&StructureTree>,
    ) -> Result<Vec<MemberInitialiser>, CudaRefusal> {
        let Some((start, end)) = function.initialisers else { return Ok(Vec::new()) };
        self.scopes.clear();
        self.enter_function(function, owner);
        (self.next, self.is_half, self.depth, self.is_in_arguments) = (start, false, 0, false);
        let mut found = Vec::new();
        while self.next < end {
            let at = self.at();
            let path = self.path()?;
            let values = match self.is("{") {
                true => InitialTree::List(self.braced()?),
                false => InitialTree::Arguments(self.arguments()?),
            };
            found.push((path.last().name.clone(), values, self.since(at)));
            if !self.eat(",") {
                break;
            }
        }
        Ok(found)
    }

    fn declare(&mut self, name: Rc<str>, item: DeclaredItem) {
        let namespace: Rc<[Rc<str>]> = self.namespace.clone().into();
        let is_of_library = self.at().file == 0;
        if !is_of_library && self.scopes.is_empty() && self.redefined.is_none() {
            self.redefined = self.is_defined_once(&name, &item).err();
        }
        self.items.entry(name).or_default().push(ItemEntry { namespace, item, is_of_library });
    }
}

/// Words that are no names.
fn is_reserved(word: &str) -> bool {
    const WORDS: [&str; 61] = [
        "alignas",
        "asm",
        "auto",
        "bool",
        "break",
        "case",
        "catch",
        "char",
        "class",
        "const",
        "constexpr",
        "continue",
        "decltype",
        "default",
        "delete",
        "do",
        "double",
        "else",
        "enum",
        "explicit",
        "extern",
        "false",
        "float",
        "for",
        "friend",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "mutable",
        "namespace",
        "new",
        "nullptr",
        "operator",
        "private",
        "protected",
        "public",
        "register",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "static_cast",
        "struct",
        "switch",
        "template",
        "this",
        "throw",
        "true",
        "try",
        "typedef",
        "typename",
        "union",
        "unsigned",
        "using",
        "virtual",
        "void",
        "volatile",
        "while",
    ];
    WORDS.binary_search(&word).is_ok()
}

/// `decltype(e)::name` with a name in front of the `::`, as other paths have it: `__margay_type<decltype(e)>::name`.
fn with_names_of_types(tokens: Vec<CudaToken>) -> Vec<CudaToken> {
    let is_named = |t: &CudaToken| t.word().is_some_and(|w| &**w == "decltype");
    let mut openings = Vec::new();
    let mut ends = FxHashMap::default();
    for (n, token) in tokens.iter().enumerate() {
        if token.is_sign("(") {
            openings.push(n);
        } else if token.is_sign(")") {
            let before = openings.pop().and_then(|open| open.checked_sub(1)).filter(|&n| is_named(&tokens[n]));
            if let Some(start) = before.filter(|_| tokens.get(n + 1).is_some_and(|t| t.is_sign("::"))) {
                ends.insert(start, n);
            }
        }
    }
    if ends.is_empty() {
        return tokens;
    }
    let last: FxHashSet<usize> = ends.values().copied().collect();
    let mut found = Vec::with_capacity(tokens.len() + 3 * ends.len());
    for (n, token) in tokens.into_iter().enumerate() {
        let sign = |sign| CudaToken { lexeme: Lexeme::Sign(sign), ..token.clone() };
        let close = last.contains(&n).then(|| sign(">"));
        if ends.contains_key(&n) {
            found.push(CudaToken { lexeme: Lexeme::Word("__margay_type".into()), ..token.clone() });
            found.push(sign("<"));
        }
        found.push(token);
        found.extend(close);
    }
    found
}
