//! Expressions, by precedence (C11 6.5).

use margay_models::diagnostic::Diagnostic;

use super::CReader;
use super::types::is_type;
use crate::read::cursor::MAX_DEPTH;
use crate::test::{BinaryOperator, Expression, UnaryOperator};

/// The operators, those of two characters first: `<` is where `<<` begins.
fn operators() -> impl Iterator<Item = BinaryOperator> {
    [2, 1].into_iter().flat_map(|characters| {
        BinaryOperator::ALL.into_iter().filter(move |o| o.symbol().len() == characters)
    })
}

impl CReader<'_, '_> {
    /// Reads an expression.
    pub(super) fn expression(&mut self) -> Result<Expression, Diagnostic> {
        let outer = std::mem::take(&mut self.operators);
        let result = self.conditional();
        self.operators = outer;
        result
    }

    /// `c ? a : b`, or what has only operators that bind more.
    fn conditional(&mut self) -> Result<Expression, Diagnostic> {
        let condition = self.binary(1)?;
        if !self.cursor.eat('?') {
            return Ok(condition);
        }
        let then = self.deeper(Self::expression)?;
        self.cursor.expect(':')?;
        let otherwise = self.deeper(Self::conditional)?;
        Ok(Expression::Conditional(Box::new([condition, then, otherwise])))
    }

    /// Reads operators of at least the given precedence.
    fn binary(&mut self, precedence: u8) -> Result<Expression, Diagnostic> {
        let mut left = self.unary()?;
        while let Some((symbol, operator)) =
            self.operator().filter(|(_, o)| o.precedence() >= precedence)
        {
            // A chain of operators is a tree as deep as it is long.
            self.operators += 1;
            if self.operators > MAX_DEPTH {
                return Err(self.cursor.too_deep());
            }
            self.cursor.eat_all(symbol);
            let right = self.nested_binary(operator.precedence() + 1)?;
            left = Expression::Binary(operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn nested_binary(&mut self, precedence: u8) -> Result<Expression, Diagnostic> {
        self.deeper(|reader| reader.binary(precedence))
    }

    /// Runs a reader one level deeper.
    pub(super) fn deeper<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        self.cursor.descend()?;
        let result = read(self);
        self.cursor.ascend();
        result
    }

    /// The binary operator that is next. An assignment is none.
    fn operator(&self) -> Option<(&'static str, BinaryOperator)> {
        let operator = operators().find(|operator| self.cursor.is_all(operator.symbol()))?;
        let symbol = operator.symbol();
        let assigns = symbol.len() == 1
            && !matches!(operator, BinaryOperator::Compare(_))
            && self.cursor.is_all(&format!("{symbol}="));
        let steps = self.cursor.is_all("++") || self.cursor.is_all("--");
        (!assigns && !steps).then_some((symbol, operator))
    }

    /// `*e`, `-e`, `!e`, `~e`, `(e)`, `(int)e`, a number, a name, a call, `a.load(..)`, `x[0]`
    pub(super) fn unary(&mut self) -> Result<Expression, Diagnostic> {
        self.deeper(Self::unary_here)
    }

    fn unary_here(&mut self) -> Result<Expression, Diagnostic> {
        if self.cursor.is_integer() {
            return Ok(Expression::Integer(self.cursor.integer("a number")?));
        }
        for (symbol, operator) in [
            ('-', UnaryOperator::Negate),
            ('!', UnaryOperator::LogicalNot),
            ('~', UnaryOperator::BitwiseNot),
        ] {
            if self.cursor.eat(symbol) {
                return Ok(Expression::Unary(operator, Box::new(self.unary()?)));
            }
        }
        if self.cursor.eat('+') {
            return self.unary();
        }
        if self.cursor.eat('*') {
            return Ok(Expression::Dereference(Box::new(self.unary()?)));
        }
        if self.cursor.eat('&') {
            // `&*e` is `e`; `&x` for a location that is a parameter is `x` in a CUDA test.
            return match self.unary()? {
                Expression::Dereference(e) => Ok(*e),
                e => Ok(e),
            };
        }
        if self.cursor.eat('(') {
            if self.cursor.peek_word().is_some_and(|w| {
                is_type(w) || w == "void" || w == "_Atomic" || w.starts_with("atomic_int")
            }) {
                let void = self.cursor.eat_word("void");
                let to = if void { None } else { Some(self.pointed_type()?.ty.integer) };
                let mut pointer = false;
                while self.cursor.eat('*') {
                    pointer = true;
                }
                self.cursor.expect(')')?;
                let inner = self.unary()?;
                return Ok(match to {
                    Some(to) if !pointer => Expression::Cast(to, Box::new(inner)),
                    _ => inner,
                });
            }
            let inner = self.conditional()?;
            self.cursor.expect(')')?;
            return self.postfix(inner);
        }
        let start = self.cursor.span();
        let (name, span) = self.path("an expression")?;
        if name == "atomic_ref" && self.cursor.is('<') {
            let (_, scope) = self.template_arguments()?;
            let close = if self.cursor.eat('{') {
                '}'
            } else {
                self.cursor.expect('(')?;
                ')'
            };
            let address = self.referenced()?;
            self.cursor.expect(close)?;
            self.cursor.expect('.')?;
            let (method, span) = self.cursor.word("a method")?;
            return self.method(method, span, address, scope);
        }
        if matches!(name, "true" | "false") {
            return Ok(Expression::Integer(i64::from(name == "true")));
        }
        if self.cursor.is('(') {
            if name.starts_with("memory_order") || name == "if" || name == "while" {
                return Err(self.cursor.error("expected an expression", span, "not an expression"));
            }
            return self.atomic_function(name, start.to(span));
        }
        self.postfix(Expression::Name(name.to_string()))
    }

    /// What `atomic_ref` refers to: `*x`, or a name.
    pub(super) fn referenced(&mut self) -> Result<Expression, Diagnostic> {
        match self.unary()? {
            Expression::Dereference(e) => Ok(*e),
            e => Ok(e),
        }
    }

    /// `e[i]`, `e->store(..)`, `e.store(..)`
    fn postfix(&mut self, e: Expression) -> Result<Expression, Diagnostic> {
        if self.cursor.eat('[') {
            let index = self.expression()?;
            self.cursor.expect(']')?;
            let address = match index {
                Expression::Integer(0) => e,
                index => {
                    let operator =
                        if e.accesses() { BinaryOperator::Subscript } else { BinaryOperator::Add };
                    Expression::Binary(operator, Box::new(e), Box::new(index))
                }
            };
            return Ok(Expression::Dereference(Box::new(address)));
        }
        if !self.cursor.eat_all("->") && !self.cursor.eat('.') {
            return Ok(e);
        }
        let (method, span) = self.cursor.word("a method")?;
        let object = match e {
            Expression::Dereference(pointer) => *pointer,
            e => e,
        };
        let (address, scope) = match &object {
            Expression::Name(name) => match self.references.get(name) {
                Some((address, scope)) => (address.clone(), *scope),
                None => (object.clone(), self.scopes.get(name).copied().flatten()),
            },
            _ => (object, None),
        };
        self.method(method, span, address, scope)
    }
}
