//! Statements.

use super::declaration_scope::DeclarationScope;
use super::{MAX_CHAIN, ProgramReader};
use crate::lex::{CudaRefusal, CudaSpan, Lexeme};
use crate::tree::{
    AssemblyTree, CudaExpression, CudaStatement, CudaStatementKind, ExpressionKind, NamePart,
    NamePath, Storage, VariableTree,
};

fn plain_variable(name: std::rc::Rc<str>, at: CudaSpan) -> CudaExpression {
    CudaExpression {
        what: ExpressionKind::Name(NamePath {
            parts: vec![NamePart { name, arguments: None }],
            at,
        }),
        at,
    }
}

impl ProgramReader {
    pub(super) fn statement(&mut self) -> Result<CudaStatement, CudaRefusal> {
        self.enter()?;
        let start = self.at();
        let what = self.statement_within()?;
        self.leave();
        Ok(CudaStatement { what, at: self.since(start) })
    }

    fn statement_within(&mut self) -> Result<CudaStatementKind, CudaRefusal> {
        self.skip_attributes()?;
        let start = self.at();
        if self.eat(";") {
            return Ok(CudaStatementKind::Empty);
        }
        if self.eat("{") {
            self.scopes.push(DeclarationScope::default());
            let mut all = Vec::new();
            while !self.eat("}") {
                if self.token().lexeme == Lexeme::End {
                    return Err(CudaRefusal::new(
                        start,
                        "this `{` is never closed",
                        "close it, or the file was cut off",
                    ));
                }
                all.push(self.statement()?);
            }
            self.scopes.pop();
            return Ok(CudaStatementKind::Block(all));
        }
        let Some(word) = self.token().word().cloned() else {
            let value = self.expression()?;
            self.expect(";", "behind an expression")?;
            return Ok(CudaStatementKind::Expression(value));
        };
        match &*word {
            "if" => self.if_statement(),
            "while" => {
                self.advance();
                self.expect("(", "behind `while`")?;
                if self.is_at_declaration(true) {
                    return self.loop_while_declared(start);
                }
                let condition = self.expression()?;
                self.expect(")", "behind the condition of `while`")?;
                let body = self.statement()?;
                Ok(CudaStatementKind::While(condition, Box::new(body)))
            }
            "do" => {
                self.advance();
                let body = self.statement()?;
                if !self.eat_word("while") {
                    return Err(self.expected("`while` behind the body of `do`"));
                }
                self.expect("(", "behind `while`")?;
                let condition = self.expression()?;
                self.expect(")", "behind the condition of `while`")?;
                self.expect(";", "behind `do .. while (..)`")?;
                Ok(CudaStatementKind::DoWhile(Box::new(body), condition))
            }
            "for" => self.for_statement(),
            "switch" => self.switch_statement(start),
            "case" => {
                self.advance();
                let value = self.choice()?;
                if self.is("...") {
                    return Err(CudaRefusal::new(
                        self.at(),
                        "a range of cases is not understood",
                        "write each case",
                    ));
                }
                self.expect(":", "behind a case")?;
                Ok(CudaStatementKind::Case(value))
            }
            "default" => {
                self.advance();
                self.expect(":", "behind `default`")?;
                Ok(CudaStatementKind::Default)
            }
            "break" | "continue" => {
                self.advance();
                self.expect(";", "behind `break` or `continue`")?;
                Ok(if &*word == "break" {
                    CudaStatementKind::Break
                } else {
                    CudaStatementKind::Continue
                })
            }
            "return" => self.return_statement(),
            "goto" => {
                self.advance();
                let name = self.name("the label behind `goto`")?;
                self.expect(";", "behind `goto`")?;
                Ok(CudaStatementKind::Goto(name))
            }
            "try" | "catch" => Err(CudaRefusal::new(
                start,
                format!("`{word}` is not understood"),
                "a kernel has no exceptions",
            )),
            "asm" | "__asm__" | "__asm" => {
                self.advance();
                self.assembly()
            }
            "static_assert" => {
                self.advance();
                self.expect("(", "behind `static_assert`")?;
                let condition = self.assignment()?;
                if self.eat(",") {
                    self.assignment()?;
                }
                self.expect(")", "behind what `static_assert` says")?;
                self.expect(";", "behind `static_assert`")?;
                Ok(CudaStatementKind::Asserted(condition))
            }
            "using" => self.using_statement(),
            "namespace" => {
                self.advance();
                let name = self.name("a name")?;
                self.expect("=", "behind the name of a namespace")?;
                let path = self.path()?;
                self.expect(";", "behind a namespace")?;
                Ok(CudaStatementKind::NamespaceNamed(
                    name,
                    path.parts.into_iter().map(|part| part.name).collect(),
                ))
            }
            _ if self.after(1).is_sign(":") && !self.is_word("public") => {
                let name = self.name("a label")?;
                self.advance();
                Ok(CudaStatementKind::Label(name))
            }
            "struct" | "class" | "union" | "enum" if self.is_type_defined_here() => {
                self.local_type()
            }
            _ if self.is_at_declaration(false) && self.is_word("typedef") => self.local_typedef(),
            _ if self.is_at_declaration(false) => {
                let variables = self.local_variables()?;
                if !self.is(";") {
                    return Err(CudaRefusal {
                        at: self.at(),
                        ..self.expected("`;` behind a declaration")
                    });
                }
                self.advance();
                Ok(CudaStatementKind::Variables(variables))
            }
            _ => {
                let value = self.expression()?;
                if let (ExpressionKind::Name(path), Some(_)) = (&value.what, self.token().word()) {
                    let at = path.at;
                    let refusal = self.broken_item(&path.last().name);
                    return Err(refusal.unwrap_or_else(|| self.unknown_name(at, "type")));
                }
                self.expect(";", "behind an expression")?;
                Ok(CudaStatementKind::Expression(value))
            }
        }
    }

    /// `if (..) .. else ..`, from its word on.
    fn if_statement(&mut self) -> Result<CudaStatementKind, CudaRefusal> {
        self.advance();
        let is_computed = self.eat_word("constexpr");
        self.expect("(", "behind `if`")?;
        self.scopes.push(DeclarationScope::default());
        let mut first = None;
        let condition = if self.is_at_declaration(true) {
            let at = self.at();
            let variables = self.local_variables()?;
            let named = variables.last().map(|v| v.name.clone());
            first = Some(Box::new(CudaStatement {
                what: CudaStatementKind::Variables(variables),
                at: self.since(at),
            }));
            match named {
                // `if (T x = ..)` asks for x.
                Some(name) if !self.eat(";") => plain_variable(name, at),
                _ => self.expression()?,
            }
        } else {
            self.expression()?
        };
        self.expect(")", "behind the condition of `if`")?;
        let then = Box::new(self.statement()?);
        let otherwise =
            if self.eat_word("else") { Some(Box::new(self.statement()?)) } else { None };
        self.scopes.pop();
        Ok(CudaStatementKind::If { is_computed, first, condition, then, otherwise })
    }

    /// `for (..) ..`, from its word on.
    fn for_statement(&mut self) -> Result<CudaStatementKind, CudaRefusal> {
        self.advance();
        self.expect("(", "behind `for`")?;
        self.scopes.push(DeclarationScope::default());
        let at = self.at();
        let first = if self.eat(";") {
            None
        } else if self.is_at_declaration(false) {
            let variables = self.local_variables()?;
            if self.eat(":") {
                return self.loop_over_range(variables, at);
            }
            self.expect(";", "behind the first part of `for`")?;
            Some(Box::new(CudaStatement {
                what: CudaStatementKind::Variables(variables),
                at: self.since(at),
            }))
        } else {
            let value = self.expression()?;
            self.expect(";", "behind the first part of `for`")?;
            Some(Box::new(CudaStatement {
                what: CudaStatementKind::Expression(value),
                at: self.since(at),
            }))
        };
        let condition = if self.is(";") { None } else { Some(self.expression()?) };
        self.expect(";", "behind the condition of `for`")?;
        let step = if self.is(")") { None } else { Some(self.expression()?) };
        self.expect(")", "behind the parts of `for`")?;
        let body = Box::new(self.statement()?);
        self.scopes.pop();
        Ok(CudaStatementKind::For { first, condition, step, body })
    }

    /// `switch (..) ..`, from its word on.
    fn switch_statement(&mut self, start: CudaSpan) -> Result<CudaStatementKind, CudaRefusal> {
        self.advance();
        self.expect("(", "behind `switch`")?;
        self.scopes.push(DeclarationScope::default());
        let at = self.at();
        let first = if self.is_at_declaration(true) { Some(self.local_variables()?) } else { None };
        let value = match first.as_ref().and_then(|all| all.last()).map(|v| v.name.clone()) {
            Some(name) if !self.eat(";") => plain_variable(name, at),
            _ => self.expression()?,
        };
        self.expect(")", "behind what `switch` looks at")?;
        let body = self.statement()?;
        self.scopes.pop();
        let switch = CudaStatementKind::Switch(value, Box::new(body));
        Ok(match first {
            Some(variables) => CudaStatementKind::Block(vec![
                CudaStatement { what: CudaStatementKind::Variables(variables), at },
                CudaStatement { what: switch, at: start },
            ]),
            None => switch,
        })
    }

    /// `return ..;`, from its word on.
    fn return_statement(&mut self) -> Result<CudaStatementKind, CudaRefusal> {
        self.advance();
        let value = if self.is(";") {
            None
        } else if self.is("{") {
            let at = self.at();
            let all = self.braced()?;
            Some(crate::tree::CudaExpression {
                what: ExpressionKind::List(all),
                at: self.since(at),
            })
        } else {
            Some(self.expression()?)
        };
        self.expect(";", "behind `return`")?;
        Ok(CudaStatementKind::Return(value))
    }

    /// `using ..;`, from its word on: a type by another name, or names of a namespace.
    fn using_statement(&mut self) -> Result<CudaStatementKind, CudaRefusal> {
        self.advance();
        if self.after(1).is_sign("=") {
            let name = self.name("a name")?;
            self.advance();
            let ty = self.type_name()?;
            self.expect(";", "behind the name of a type")?;
            self.scoped_type(name.clone());
            return Ok(CudaStatementKind::Alias(name, ty));
        }
        if self.eat_word("namespace") {
            let names = self.path()?.parts.into_iter().map(|part| part.name).collect();
            self.expect(";", "behind the name of a namespace")?;
            return Ok(CudaStatementKind::NamespaceTaken(names));
        }
        self.eat_word("typename");
        let path = self.path()?;
        self.expect(";", "behind a name")?;
        Ok(CudaStatementKind::Taken(path))
    }

    /// `typedef ..;` in a function.
    fn local_typedef(&mut self) -> Result<CudaStatementKind, CudaRefusal> {
        let specifiers = self.specifiers(true)?;
        if !specifiers.has_type {
            return Err(self.unknown_type());
        }
        let ty = self.pointers(specifiers.ty)?;
        let (name, ty) = match self.is("(") {
            true => self.behind_parenthesis(ty)?,
            false => {
                let name = self.name("a name")?;
                (name, self.arrays(ty)?)
            }
        };
        self.expect(";", "behind the name of a type")?;
        self.scoped_type(name.clone());
        Ok(CudaStatementKind::Alias(name, ty))
    }

    /// `while (T x = ..) ..`, from its variable on: a loop that makes it each time, and ends where
    /// it is zero.
    fn loop_while_declared(&mut self, start: CudaSpan) -> Result<CudaStatementKind, CudaRefusal> {
        self.scopes.push(DeclarationScope::default());
        let at = self.at();
        let variables = self.local_variables()?;
        let Some(name) = variables.last().map(|v| v.name.clone()) else {
            return Err(self.expected("a variable"));
        };
        self.expect(")", "behind the condition of `while`")?;
        let body = self.statement()?;
        self.scopes.pop();
        let made = |what| CudaStatement { what, at };
        let ends = CudaStatementKind::If {
            is_computed: false,
            first: None,
            condition: plain_variable(name, at),
            then: Box::new(made(CudaStatementKind::Empty)),
            otherwise: Some(Box::new(made(CudaStatementKind::Break))),
        };
        let all = vec![made(CudaStatementKind::Variables(variables)), made(ends), body];
        let body = Box::new(CudaStatement { what: CudaStatementKind::Block(all), at: start });
        Ok(CudaStatementKind::For { first: None, condition: None, step: None, body })
    }

    /// Does a declaration begin here, and no expression? Where it is a condition it has a value.
    fn is_at_declaration(&self, is_condition: bool) -> bool {
        let Some(word) = self.token().word() else {
            return self.is("::")
                && self
                    .path_ahead()
                    .is_some_and(|(_, n)| self.is_at_type() && !self.tokens[n].is_sign("("));
        };
        match &**word {
            "static" | "extern" | "constexpr" | "constinit" | "typedef" | "register"
            | "__shared__" | "__constant__" | "__device__" | "alignas" | "__align__"
            | "thread_local" | "inline" => true,
            "const" | "volatile" | "auto" | "struct" | "class" | "enum" | "union" | "typename"
            | "decltype" => true,
            // `int(x)` is an expression.
            "void" | "bool" | "char" | "short" | "int" | "long" | "float" | "double" | "signed"
            | "unsigned" => {
                let mut n = self.next;
                while self.tokens[n].word().is_some() {
                    n += 1;
                }
                n - self.next > 1
                    || !self.tokens[n].is_sign("(")
                    || self.is_pointer_named(n)
                    || self.is_named_in_parentheses(n, is_condition)
            }
            _ => match self.path_ahead() {
                Some((name, behind)) if self.is_type_name(&name, self.qualifier_ahead()) => {
                    match self.tokens[behind].lexeme {
                        Lexeme::Sign("(") => {
                            self.is_pointer_named(behind)
                                || self.is_named_in_parentheses(behind, is_condition)
                        }
                        Lexeme::Sign("{" | "::" | "." | ";" | ")" | ",") => false,
                        _ => true,
                    }
                }
                _ => false,
            },
        }
    }

    /// Does `(*name)` begin at a token, and then brackets: a pointer to a function or to an array,
    /// or a reference?
    fn is_pointer_named(&self, open: usize) -> bool {
        let is_sign = self.tokens[open + 1].is_sign("*") || self.tokens[open + 1].is_sign("&");
        let behind = self.closing(open).map(|close| &self.tokens[close + 1]);
        is_sign && behind.is_some_and(|t| t.is_sign("(") || t.is_sign("["))
    }

    /// Does `(name)` begin at a token, and then what a variable may have behind it? Then it is one
    /// (C++ [stmt.ambig]), also where a function of that look is meant: `guard(lock);` declares
    /// `lock`.
    fn is_named_in_parentheses(&self, open: usize, is_condition: bool) -> bool {
        let mut n = open + 1;
        while self.tokens[n].is_sign("*")
            || self.tokens[n].is_sign("&")
            || self.tokens[n].is_sign("&&")
            || self.tokens[n].word().is_some_and(|word| &**word == "const")
        {
            n += 1;
        }
        let is_name = self.tokens[n].word().is_some_and(|word| !super::is_reserved(word))
            && self.tokens[n + 1].is_sign(")");
        let ends: &[&str] = if is_condition { &["=", "{"] } else { &[";", "=", ",", "{", "["] };
        is_name && ends.iter().any(|sign| self.tokens[n + 2].is_sign(sign))
    }

    /// Variables of a function, up to what ends them.
    fn local_variables(&mut self) -> Result<Vec<VariableTree>, CudaRefusal> {
        let at = self.at();
        let mut specifiers = self.specifiers(true)?;
        let mut found = Vec::new();
        // `static` within a function is one variable for all threads.
        if specifiers.is_static && specifiers.storage == Storage::Automatic {
            specifiers.storage = Storage::Device;
        }
        if !specifiers.has_type {
            return Err(self.unknown_type());
        }
        if self.is(";") {
            return Err(CudaRefusal::new(
                self.since(at),
                "a type without a variable",
                "name a variable",
            ));
        }
        loop {
            let ty = self.pointers(specifiers.ty.clone())?;
            let start = self.at();
            if self.is("(") {
                let (name, of) = self.behind_parenthesis(ty)?;
                self.scoped_value(name.clone(), start, specifiers.is_extern)?;
                found.push(self.variable(&specifiers, name, of, start)?);
                if self.eat(",") {
                    continue;
                }
                return Ok(found);
            }
            if self.is("[") {
                return self.named_parts(&specifiers, ty);
            }
            let name = self.name("the name of a variable")?;
            let ty = self.arrays(ty)?;
            // Its name is known from here on.
            self.scoped_value(name.clone(), start, specifiers.is_extern)?;
            found.push(self.variable(&specifiers, name, ty, start)?);
            if found.len() > MAX_CHAIN {
                return Err(self.too_long());
            }
            if !self.eat(",") {
                return Ok(found);
            }
        }
    }

    /// Inline PTX, from behind `asm`.
    fn assembly(&mut self) -> Result<CudaStatementKind, CudaRefusal> {
        while self.eat_word("volatile") || self.eat_word("__volatile__") || self.eat_word("inline")
        {
        }
        self.expect("(", "behind `asm`")?;
        let mut text = String::new();
        while let Lexeme::Text(piece) = self.token().lexeme.clone() {
            text.push_str(&piece);
            self.advance();
        }
        let mut sides: Vec<Vec<(std::rc::Rc<str>, crate::tree::CudaExpression)>> = Vec::new();
        loop {
            // `::` is two colons.
            if self.eat("::") {
                sides.push(Vec::new());
                sides.push(Vec::new());
            } else if self.eat(":") {
                sides.push(Vec::new());
            } else {
                break;
            }
            while let Lexeme::Text(mut constraint) = self.token().lexeme.clone() {
                let at: CudaSpan = self.at();
                self.advance();
                while let Lexeme::Text(more) = self.token().lexeme.clone() {
                    constraint = format!("{constraint}{more}").into();
                    self.advance();
                }
                let Some(side) = sides.len().checked_sub(1) else { break };
                if self.eat("(") {
                    let value = self.expression()?;
                    self.expect(")", "behind an operand of `asm`")?;
                    if side > 1 {
                        return Err(CudaRefusal::new(
                            at,
                            "an operand where what is overwritten is named",
                            "put it in front of the third `:`",
                        ));
                    }
                    sides[side].push((constraint, value));
                }
                if !self.eat(",") {
                    break;
                }
            }
        }
        self.expect(")", "at the end of `asm`")?;
        self.expect(";", "behind `asm(..)`")?;
        let mut sides = sides.into_iter();
        let (outputs, inputs) =
            (sides.next().unwrap_or_default(), sides.next().unwrap_or_default());
        Ok(CudaStatementKind::Assembly(AssemblyTree { text, outputs, inputs }))
    }
}
