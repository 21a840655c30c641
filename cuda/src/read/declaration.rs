//! Declarations: what stands outside of functions.

use std::rc::Rc;

use super::declaration_scope::DeclarationScope;
use super::{DeclaredItem, MAX_CHAIN, ProgramReader, is_reserved};
use crate::lex::{CudaRefusal, CudaToken, Lexeme};
use crate::tree::TemplateParameter;

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
                    return Err(CudaRefusal::new(
                        self.at(),
                        "a `}` that closes nothing",
                        "take it out, or open what it closes",
                    ));
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
                        let names: Vec<Rc<str>> =
                            path.parts.iter().map(|p| p.name.clone()).collect();
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
                    return Err(CudaRefusal::new(
                        self.at(),
                        "namespaces are nested too deep",
                        "write it flatter",
                    ));
                }
                continue;
            }
            if self.is_word("extern") && matches!(self.after(1).lexeme, Lexeme::Text(_)) {
                self.advance();
                self.advance();
                if self.eat("{") {
                    open.push(0);
                    if open.len() > MAX_CHAIN {
                        return Err(CudaRefusal::new(
                            self.at(),
                            "`extern` is nested too deep",
                            "write it flatter",
                        ));
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
        while self.tokens[n].word().is_some_and(|w| &**w == "template")
            && self.tokens[n + 1].is_sign("<")
        {
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
                    is_initialised |=
                        n == start || self.tokens[n - 1].word().is_none_or(|w| &**w != "operator");
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
                        let has_type = self.tokens[start..n].iter().any(|t| {
                            t.word().is_some_and(|w| {
                                matches!(&**w, "struct" | "class" | "union" | "enum" | "typedef")
                            })
                        });
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
                    return Err(CudaRefusal::new(
                        token.at,
                        text,
                        "take it out, or open what it closes",
                    ));
                }
                Lexeme::End => {
                    let at = self.tokens[start].at;
                    let text = self.text(at).chars().take(40).collect::<String>();
                    return Err(CudaRefusal::new(
                        token.at,
                        format!(
                            "the file ends within the declaration that begins with `{text}`: expected `;` or `{{`"
                        ),
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
        let word =
            |n: usize| tokens.get(n).and_then(CudaToken::word).filter(|w| !is_reserved(w)).cloned();
        let structure = tokens.iter().position(|t| {
            t.word().is_some_and(|w| matches!(&**w, "struct" | "class" | "union" | "enum"))
        });
        let body = tokens.iter().position(|t| t.is_sign("{")).unwrap_or(tokens.len());
        let name = match structure
            .filter(|&n| n < body && !tokens[n..body].iter().any(|t| t.is_sign("(")))
        {
            Some(n) => (n + 1..body).find_map(word),
            // A function's name stands in front of its parameters, those of attributes left out.
            None => tokens.iter().enumerate().filter(|(_, t)| t.is_sign("(")).find_map(|(n, _)| {
                word(n.checked_sub(1)?).filter(|w| {
                    !matches!(
                        &**w,
                        "__launch_bounds__" | "__attribute__" | "__align__" | "__cluster_dims__"
                    )
                })
            }),
        };
        let is_alias = tokens[0].word().is_some_and(|w| &**w == "using");
        let name = if is_alias {
            word(1)
        } else {
            name.or_else(|| (0..tokens.len()).rev().find_map(word))
        };
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
            // A member that is a template itself; those in front are the parameters of what it is a
            // member of.
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
                "__global__"
                    | "__device__"
                    | "__constant__"
                    | "__shared__"
                    | "__managed__"
                    | "constexpr"
                    | "consteval"
            )
        });
        let body = tokens[head..end]
            .iter()
            .position(|t| t.is_sign("{") || t.is_sign("("))
            .map_or(end, |n| head + n);
        let is_of_type = tokens[head..body]
            .iter()
            .filter_map(|t| t.word())
            .any(|w| matches!(&**w, "struct" | "class" | "union" | "enum" | "typedef"));
        let is_constant =
            tokens[head..body].iter().any(|t| t.word().is_some_and(|w| &**w == "const"))
                && tokens[head..body].iter().any(|t| t.is_sign("="));
        if !is_of_gpu && !is_of_type && !is_constant {
            self.host.push((start, end));
            let named = (start..end).find(|&n| {
                tokens[n].is_sign("(")
                    || tokens[n].is_sign("=")
                    || tokens[n].is_sign(";")
                    || tokens[n].is_sign("[")
            });
            let name = named
                .and_then(|n| tokens[n.checked_sub(1)?].word().cloned())
                .filter(|w| !is_reserved(w));
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
            matches!(
                &**w,
                "typedef"
                    | "static"
                    | "const"
                    | "__device__"
                    | "__constant__"
                    | "constexpr"
                    | "__host__"
                    | "volatile"
            )
        }) {
            n += 1;
        }
        self.tokens[n].word().is_some_and(|w| matches!(&**w, "struct" | "class" | "union" | "enum"))
    }

    fn using(&mut self, template: Option<Rc<[TemplateParameter]>>) -> Result<(), CudaRefusal> {
        if self.eat_word("namespace") {
            let path = self.path()?;
            let names = path
                .parts
                .into_iter()
                .map(|part| part.name)
                .filter(|name| !name.is_empty())
                .collect();
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
        let names =
            path.parts.into_iter().map(|part| part.name).filter(|name| !name.is_empty()).collect();
        self.names_taken.push((self.namespace.clone().into(), names));
        Ok(())
    }

    pub(super) fn fresh(&mut self) -> Rc<str> {
        self.unnamed += 1;
        format!("(unnamed {})", self.unnamed).into()
    }

    pub(super) fn alias_of_scope(&mut self, name: Rc<str>) {
        // Aliases of members are found by their structure; the reader has to know that they are
        // types.
        self.declare(name, DeclaredItem::Declared);
    }
}
