//! Names with their namespaces and the arguments of their templates, and which of them are of
//! types.

use std::rc::Rc;

use super::declaration_scope::ScopedName;
use super::{DeclaredItem, ItemEntry, MAX_CHAIN, ProgramReader};
use crate::lex::{CudaRefusal, CudaSpan, Lexeme};
use crate::tree::{NamePart, NamePath, TemplateArgument, TypeTree};

impl ProgramReader {
    /// Is a name one of a type here?
    pub(super) fn is_type_name(&self, name: &str, qualifier: Option<&str>) -> bool {
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
                DeclaredItem::Structure(_)
                    | DeclaredItem::Declared
                    | DeclaredItem::Enumeration(_)
                    | DeclaredItem::Alias(..)
            )
        };
        let Some(all) = self.items.get(name) else { return false };
        // Of `colour::red` those of `colour` count, if it has any.
        let within = |e: &&ItemEntry| {
            qualifier.is_some_and(|q| e.namespace.last().is_some_and(|n| **n == *q))
        };
        if all.iter().any(|e| within(&e)) {
            return all.iter().filter(within).any(is);
        }
        // What the program itself declares hides types of the library.
        let is_own = |e: &ItemEntry| !e.is_of_library && !is(e);
        let is_hidden = !is_qualified
            && all.iter().any(is_own)
            && all.iter().all(|e| e.is_of_library || !is(e));
        !is_hidden && all.iter().any(is)
    }

    /// What the last name of a path that begins here is qualified by; empty where that is the
    /// outermost namespace.
    pub(super) fn qualifier_ahead(&self) -> Option<&str> {
        let (_, behind) = self.path_ahead()?;
        let is_separator = |n: usize| self.tokens[n].is_sign("::");
        let last = (self.next..behind).rev().find(|&n| is_separator(n))?;
        let name =
            last.checked_sub(1).filter(|&n| n >= self.next).and_then(|n| self.tokens[n].word());
        Some(name.map_or("", |n| n))
    }

    /// The number of the token behind the arguments of a template that begin at a token with `<`.
    pub(super) fn behind_arguments(&self, open: usize) -> Option<usize> {
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
                Lexeme::Sign("{")
                    if n > open
                        && (self.tokens[n - 1].word().is_some()
                            || self.tokens[n - 1].is_sign(">")) =>
                {
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
    pub(super) fn path_ahead(&self) -> Option<(Rc<str>, usize)> {
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
                all.find(|(within, name, _)| *name == names[n] && within[..] == names[..n])
                    .map(|(.., of)| (n, of))
            };
            let Some((n, of)) = (0..names.len()).find_map(of) else { break };
            names.splice(..=n, of.iter().cloned());
        }
        names
    }

    /// The error where a type is expected: the name that stands here is of none, or of one that is
    /// not understood.
    pub(super) fn unknown_type(&self) -> CudaRefusal {
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
    pub(super) fn broken_item(&self, name: &str) -> Option<CudaRefusal> {
        self.items.get(name)?.iter().find_map(|e| {
            if let DeclaredItem::Broken(refusal) = &e.item { Some(refusal.clone()) } else { None }
        })
    }

    pub(super) fn unknown_name(&self, at: CudaSpan, what: &str) -> CudaRefusal {
        let help = "what kernels may use without nvcc is in docs/kernels.md; include the file that defines it with #include \"..\"";
        CudaRefusal::new(at, format!("the {what} `{}` is not known here", self.text(at)), help)
    }

    /// Does a type begin here?
    pub(super) fn is_at_type(&self) -> bool {
        match &self.token().lexeme {
            Lexeme::Word(word) => match &**word {
                "void" | "bool" | "char" | "short" | "int" | "long" | "float" | "double"
                | "signed" | "unsigned" | "auto" | "const" | "volatile" | "struct" | "class"
                | "enum" | "union" | "typename" | "decltype" | "__int128" => true,
                _ => self
                    .path_ahead()
                    .is_some_and(|(name, _)| self.is_type_name(&name, self.qualifier_ahead())),
            },
            Lexeme::Sign("::") => self
                .path_ahead()
                .is_some_and(|(name, _)| self.is_type_name(&name, self.qualifier_ahead())),
            _ => false,
        }
    }

    /// A name with what qualifies it.
    pub(super) fn path(&mut self) -> Result<NamePath, CudaRefusal> {
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
            let arguments =
                if self.is("<") && is_template && self.behind_arguments(self.next).is_some() {
                    Some(self.template_arguments()?)
                } else {
                    None
                };
            parts.push(NamePart { name, arguments });
            if parts.len() > MAX_CHAIN {
                return Err(self.too_long());
            }
            if self.is("::")
                && self.after(1).word().is_some_and(|w| !is_reserved(w) || &**w == "template")
            {
                self.advance();
            } else {
                return Ok(NamePath { parts, at: self.since(start) });
            }
        }
    }

    /// The arguments of a template, from `<`.
    pub(super) fn template_arguments(&mut self) -> Result<Vec<TemplateArgument>, CudaRefusal> {
        self.enter()?;
        self.expect("<", "in front of the arguments of a template")?;
        let outer = std::mem::replace(&mut self.is_in_arguments, true);
        let mut all = Vec::new();
        while !self.is(">") && !self.is(">>") {
            let start = self.next;
            let is_value =
                self.path_ahead().is_some_and(|(_, behind)| self.tokens[behind].is_sign("{"));
            all.push(match self.is_at_type() && !is_value {
                true => {
                    let ty = self.type_name()?;
                    TemplateArgument::Type(
                        self.packed(start).map_or(ty.clone(), |of| TypeTree::Pack(of(ty))),
                    )
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
    pub(super) fn close_arguments(&mut self) {
        if self.is(">>") && !self.is_half {
            self.is_half = true;
        } else {
            self.advance();
        }
    }
}

/// Words that are no names.
pub(super) fn is_reserved(word: &str) -> bool {
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
