//! Statements.

use margay_models::diagnostic::{Diagnostic, Span};

use super::CReader;
use super::types::is_type;
use crate::test::{
    BinaryOperator, CInteger, Evaluations, Expression, Place, Sequencing, Statement, StatementKind,
};

/// The largest number of statements of a thread.
const MAX_STATEMENTS: usize = 10_000;

/// Statements that are not read, and what to write instead.
const NOT_READ: [(&str, &str); 4] = [
    ("goto", "write a loop or an `if`"),
    ("switch", "write `if` and `else`"),
    ("case", "write `if` and `else`"),
    ("asm", "write the operation in C"),
];

impl CReader<'_, '_> {
    /// Reads `{ .. }`.
    pub(super) fn block(&mut self) -> Result<Vec<Statement>, Diagnostic> {
        let open = self.cursor.span();
        self.cursor.expect('{')?;
        let mut statements = Vec::new();
        while !self.cursor.eat('}') {
            if self.cursor.at_end() {
                return Err(self.cursor.error("this brace is not closed", open, "it opens here"));
            }
            self.statement(&mut statements)?;
            if statements.len() > MAX_STATEMENTS {
                return Err(self.cursor.error(
                    format!("more than {MAX_STATEMENTS} statements"),
                    open,
                    "too many",
                ));
            }
        }
        Ok(statements)
    }

    /// A block, or one statement.
    fn body(&mut self) -> Result<Vec<Statement>, Diagnostic> {
        self.deeper(|reader| {
            if reader.cursor.is('{') {
                return reader.block();
            }
            let mut statements = Vec::new();
            reader.statement(&mut statements)?;
            Ok(statements)
        })
    }

    fn statement(&mut self, out: &mut Vec<Statement>) -> Result<(), Diagnostic> {
        let start = self.cursor.span();
        let mut add = |reader: &Self, kind: StatementKind| {
            out.push(Statement { kind, place: Place(start.to(reader.cursor.previous())) })
        };
        if self.cursor.eat(';') {
            return Ok(());
        }
        if self.cursor.is('{') {
            out.extend(self.body()?);
            return Ok(());
        }
        match self.cursor.peek_word() {
            Some("if") => {
                self.cursor.advance();
                let condition = self.condition()?;
                let then = self.body()?;
                let otherwise =
                    if self.cursor.eat_word("else") { self.body()? } else { Vec::new() };
                add(self, StatementKind::If { condition, then, otherwise });
                return Ok(());
            }
            Some("while") => {
                self.cursor.advance();
                let condition = self.condition()?;
                let body = self.loop_body()?;
                add(self, StatementKind::While { condition, body });
                return Ok(());
            }
            Some("for") => {
                self.cursor.advance();
                let kind = self.for_loop()?;
                add(self, kind);
                return Ok(());
            }
            Some(jump @ ("break" | "continue" | "return")) => {
                self.cursor.advance();
                if jump != "return" && self.loops == 0 {
                    return Err(self.cursor.error(
                        format!("`{jump}` outside of a loop"),
                        start,
                        "there is no loop around it",
                    ));
                }
                if jump == "return" && !self.cursor.is(';') {
                    return Err(self.cursor.error(
                        "a thread returns nothing",
                        self.cursor.span(),
                        "expected `;`",
                    ));
                }
                self.cursor.expect(';')?;
                add(
                    self,
                    match jump {
                        "break" => StatementKind::Break,
                        "continue" => StatementKind::Continue,
                        _ => StatementKind::Return,
                    },
                );
                return Ok(());
            }
            Some("do") => {
                self.cursor.advance();
                let body = self.loop_body()?;
                if !self.cursor.eat_word("while") {
                    return Err(self.cursor.expected("`while`"));
                }
                let condition = self.condition()?;
                self.cursor.expect(';')?;
                add(self, StatementKind::DoWhile { body, condition });
                return Ok(());
            }
            Some(label) if self.cursor.is_at(1, ':') && !self.cursor.is_at(2, ':') => {
                // OpenCL's barriers have names in Dartagnan's tests, `B0: barrier(..)`. There is no
                // `goto`: a label does nothing.
                if is_type(label) {
                    return Err(self.cursor.error(
                        format!("`{label}` cannot be a label"),
                        start,
                        "a type",
                    ));
                }
                self.cursor.advance();
                self.cursor.advance();
                return self.deeper(|reader| reader.statement(out));
            }
            Some(word) => {
                if let Some((_, help)) = NOT_READ.iter().find(|(w, _)| *w == word) {
                    return Err(self
                        .cursor
                        .error(format!("`{word}` is not supported"), start, "this statement")
                        .help(*help));
                }
            }
            None => {}
        }
        if self.declaration(start, out)? {
            return Ok(());
        }
        let kind = self.simple()?;
        self.cursor.expect(';')?;
        out.push(Statement { kind, place: Place(start.to(self.cursor.previous())) });
        Ok(())
    }

    fn loop_body(&mut self) -> Result<Vec<Statement>, Diagnostic> {
        self.loops += 1;
        let body = self.body();
        self.loops -= 1;
        body
    }

    /// `(int i = 0; i < 2; i++) { .. }`
    fn for_loop(&mut self) -> Result<StatementKind, Diagnostic> {
        self.cursor.expect('(')?;
        let mut before = Vec::new();
        let start = self.cursor.span();
        if !self.cursor.eat(';') && !self.declaration(start, &mut before)? {
            self.simples(&mut before)?;
            self.cursor.expect(';')?;
        }
        let condition = if self.cursor.is(';') { None } else { Some(self.expression()?) };
        self.cursor.expect(';')?;
        let mut after = Vec::new();
        if !self.cursor.is(')') {
            self.simples(&mut after)?;
        }
        self.cursor.expect(')')?;
        Ok(StatementKind::For { before, condition, after, body: self.loop_body()? })
    }

    /// Assignments and calls, separated by commas.
    fn simples(&mut self, out: &mut Vec<Statement>) -> Result<(), Diagnostic> {
        loop {
            let start = self.cursor.span();
            let kind = self.simple()?;
            out.push(Statement { kind, place: Place(start.to(self.cursor.previous())) });
            if !self.cursor.eat(',') {
                return Ok(());
            }
        }
    }

    fn condition(&mut self) -> Result<Expression, Diagnostic> {
        self.cursor.expect('(')?;
        let condition = self.expression()?;
        self.cursor.expect(')')?;
        Ok(condition)
    }

    /// `int r0;`, `int r0 = e, r1;`, `cuda::atomic_ref<int, cuda::thread_scope_device> a(*x);`
    fn declaration(&mut self, start: Span, out: &mut Vec<Statement>) -> Result<bool, Diagnostic> {
        let here = self.cursor.position();
        if !self.cursor.peek_word().is_some_and(is_type) {
            let Ok((name, _)) = self.path("a name") else {
                self.cursor.go_to(here);
                return Ok(false);
            };
            if name == "atomic_ref" && self.cursor.is('<') {
                let (_, scope) = self.template_arguments()?;
                if let Some(alias) = self.cursor.peek_word() {
                    self.cursor.advance();
                    let close = if self.cursor.eat('(') {
                        ')'
                    } else {
                        self.cursor.expect('{')?;
                        '}'
                    };
                    let address = self.referenced()?;
                    self.cursor.expect(close)?;
                    self.cursor.expect(';')?;
                    self.references.insert(alias.to_string(), (address, scope));
                    return Ok(true);
                }
            }
            self.cursor.go_to(here);
            return Ok(false);
        }
        let ty = self.variable_type()?.unwrap_or(CInteger::Int);
        loop {
            let mut declares = Some(ty);
            while self.cursor.eat('*') {
                declares = Some(CInteger::Pointer);
                while self.cursor.peek_word().is_some_and(|w| {
                    matches!(w, "const" | "volatile" | "restrict" | "__restrict__")
                }) {
                    self.cursor.advance();
                }
            }
            let name = self.cursor.word("the name of a variable")?.0.to_string();
            if declares == Some(CInteger::Pointer) {
                self.pointers.push(name.clone());
            }
            let value = if self.cursor.eat('=') { Some(self.expression()?) } else { None };
            let kind = StatementKind::Assign { declares, name, value };
            out.push(Statement { kind, place: Place(start.to(self.cursor.previous())) });
            if self.cursor.eat(';') {
                return Ok(true);
            }
            if !self.cursor.eat(',') {
                return Err(self.cursor.expected("`;` or `,`"));
            }
        }
    }

    /// An assignment, a fence, or an expression.
    fn simple(&mut self) -> Result<StatementKind, Diagnostic> {
        let here = self.cursor.position();
        if let Ok((name, span)) = self.path("a name") {
            if self.cursor.is('(')
                && let Some(fence) = self.fence(name, span)?
            {
                return Ok(fence);
            }
            self.cursor.go_to(here);
        } else {
            self.cursor.go_to(here);
        }
        let target_span = self.cursor.span();
        // `++i` is `i++` here: a statement has no value.
        let before = [("++", BinaryOperator::Add), ("--", BinaryOperator::Subtract)]
            .into_iter()
            .find(|(symbol, _)| self.cursor.eat_all(symbol));
        let left = if before.is_some() { self.unary()? } else { self.expression()? };
        let step = if let Some((_, operator)) = before {
            Some((operator, Expression::Integer(1)))
        } else if self.cursor.eat_all("++") {
            Some((BinaryOperator::Add, Expression::Integer(1)))
        } else if self.cursor.eat_all("--") {
            Some((BinaryOperator::Subtract, Expression::Integer(1)))
        } else {
            let operators = [
                ("+=", BinaryOperator::Add),
                ("-=", BinaryOperator::Subtract),
                ("*=", BinaryOperator::Multiply),
                ("&=", BinaryOperator::And),
                ("|=", BinaryOperator::Or),
                ("^=", BinaryOperator::Xor),
            ];
            match operators.into_iter().find(|(symbol, _)| self.cursor.eat_all(symbol)) {
                Some((_, operator)) => Some((operator, self.expression()?)),
                None => None,
            }
        };
        let value = match step {
            Some((operator, value)) if is_update(&left, &value) => {
                return Ok(StatementKind::Update { target: left, operator, value });
            }
            Some((operator, right)) => {
                Expression::Binary(operator, Box::new(left.clone()), Box::new(right))
            }
            None if self.cursor.is('=') && !self.cursor.is_all("==") => {
                self.cursor.advance();
                self.expression()?
            }
            None => return Ok(StatementKind::Evaluate(left)),
        };
        match left {
            Expression::Name(name) => {
                Ok(StatementKind::Assign { declares: None, name, value: Some(value) })
            }
            Expression::Dereference(address) => {
                Ok(StatementKind::Store { address: *address, value })
            }
            _ => Err(self.cursor.error(
                "this cannot be assigned to",
                target_span,
                "neither a variable nor `*x`",
            )),
        }
    }
}

/// Is `left += value` more than a store of a sum: does its pointer access memory, or its operand in
/// an order that matters?
fn is_update(left: &Expression, value: &Expression) -> bool {
    let Expression::Dereference(pointer) = left else { return false };
    let operand = Evaluations::of_expression(Sequencing::C11, value);
    pointer.accesses()
        || operand.all().iter().any(|evaluation| matches!(evaluation.part, Expression::Atomic(_)))
}
