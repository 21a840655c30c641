//! Expressions, by herd7's precedence, loosest first: `|`, `++`, `;`, `\`, `&`, then one level of `+ ? *`, `~` and the
//! product, then `^-1`, then application.
//!
//! Dartagnan's grammar (Cat.g4) binds the product tighter than `^-1`, `+`, `?`, `*` and `~`. Where herd7 would read a text
//! differently or not at all, Margay asks for parentheses instead of choosing.

use rustc_hash::FxHashMap;

use super::MAX_HEIGHT;
use super::ast::{Binding, Bindings, Expr, ExprKind, Ident};
use super::parser::{Parse, Parser};
use super::token::{Keyword, Token};
use crate::diagnostic::{Diagnostic, Span};

/// The levels of infix operators, loosest first.
const LEVELS: usize = 5;

impl Parser<'_> {
    /// Any expression.
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        self.nested(|p| match p.peek() {
            Token::Keyword(Keyword::Let) => p.let_in(),
            Token::Keyword(Keyword::Fun) => p.function(),
            Token::Keyword(Keyword::If) => p.if_then_else(),
            Token::Keyword(Keyword::Try) => p.try_with(),
            Token::Keyword(Keyword::Match) => p.match_expression(),
            _ => p.operators(),
        })
    }

    /// Infix operators. `open[l]` holds the operands of level `l` that wait for their last one.
    pub(super) fn operators(&mut self) -> Parse<Expr> {
        let mut open: [Vec<Expr>; LEVELS] = Default::default();
        loop {
            let mut operand = self.tight()?;
            let next = match self.peek() {
                Token::Bar => Some(0),
                Token::PlusPlus => Some(1),
                Token::Semicolon => Some(2),
                Token::Backslash => Some(3),
                Token::And => Some(4),
                _ => None,
            };
            for level in (next.map_or(0, |l| l + 1)..LEVELS).rev() {
                operand = self.close(level, std::mem::take(&mut open[level]), operand)?;
            }
            match next {
                None => return Ok(operand),
                Some(level) => {
                    self.advance();
                    open[level].push(operand);
                }
            }
        }
    }

    /// Ends a list of operands of one level, if one is open.
    fn close(&mut self, level: usize, mut operands: Vec<Expr>, last: Expr) -> Parse<Expr> {
        let Some(first) = operands.first() else { return Ok(last) };
        let start = first.span;
        operands.push(last);
        let kind = match level {
            0 => ExprKind::Union(operands),
            1 => ExprKind::Add(operands),
            2 => ExprKind::Sequence(operands),
            3 => ExprKind::Difference(operands),
            _ => ExprKind::Intersection(operands),
        };
        self.node(kind, start)
    }

    /// `~`, `+`, `?`, `*`, `^-1` and the product.
    fn tight(&mut self) -> Parse<Expr> {
        let start = self.span();
        if self.peek() == Token::Tilde {
            let complement = self.complement()?;
            return match self.peek() {
                Token::Plus | Token::Question | Token::Star => self.ambiguous_complement(start),
                _ => Ok(complement),
            };
        }
        let mut expr = self.applied()?;
        loop {
            let wrap: fn(Box<Expr>) -> ExprKind = match self.peek() {
                Token::Plus => ExprKind::Closure,
                Token::Question => ExprKind::Optional,
                Token::Inverse => ExprKind::Inverse,
                Token::Star if self.star_is_product() => {
                    self.advance();
                    return self.product(expr);
                }
                Token::Star => ExprKind::ReflexiveClosure,
                _ => return Ok(expr),
            };
            self.advance();
            expr = self.node(wrap(Box::new(expr)), start)?;
        }
    }

    /// Does an operand follow the `*` that comes next? (`~acyclic` is the next check, and not an operand.)
    fn star_is_product(&self) -> bool {
        match self.peek_at(1) {
            Token::Tilde => starts_operand(self.peek_at(2)),
            next => starts_operand(next),
        }
    }

    /// The right side of a product, behind its `*`.
    fn product(&mut self, left: Expr) -> Parse<Expr> {
        let start = left.span;
        let right = if self.peek() == Token::Tilde { self.complement()? } else { self.inverses()? };
        if matches!(self.peek(), Token::Star | Token::Plus | Token::Question) {
            let span = self.since(start).to(self.span());
            let operator = self.text(self.span()).to_owned();
            return self.fail(
                Diagnostic::error(format!("`{operator}` behind a product `A * B` is ambiguous"))
                    .at(self.source, span, "herd7 rejects this; Dartagnan reads the product first")
                    .help("write parentheses: `(A * B)+`, `A * (B*)`, `(A * B) * C`"),
            );
        }
        self.node(ExprKind::Product(Box::new(left), Box::new(right)), start)
    }

    /// `~~a`, with what binds tighter than `~`.
    fn complement(&mut self) -> Parse<Expr> {
        let mut starts = Vec::new();
        while self.peek() == Token::Tilde {
            starts.push(self.advance());
        }
        let mut expr = self.inverses()?;
        for start in starts.into_iter().rev() {
            expr = self.node(ExprKind::Complement(Box::new(expr)), start)?;
        }
        Ok(expr)
    }

    fn ambiguous_complement<T>(&mut self, start: Span) -> Parse<T> {
        let product = self.peek() == Token::Star && self.star_is_product();
        let span = self.since(start).to(self.span());
        let (what, help) = if product {
            ("a product `*`", "write `~(A * B)`, which is how Dartagnan reads it, or `(~A) * B`")
        } else {
            ("a closure", "write `~(r+)` or `(~r)+`")
        };
        self.fail(
            Diagnostic::error(format!("`~` in front of {what} is ambiguous"))
                .at(self.source, span, "herd7 rejects this")
                .help(help),
        )
    }

    /// An expression from `start` to the last word, within the limit of height.
    pub(super) fn node(&mut self, kind: ExprKind, start: Span) -> Parse<Expr> {
        let expr = Expr::new(kind, self.since(start));
        if expr.height() <= MAX_HEIGHT {
            return Ok(expr);
        }
        let error = Diagnostic::error(format!("more than {MAX_HEIGHT} operators within each other"));
        self.fail(error.at(self.source, self.last_span(), "too deep").help("name parts of the expression with `let`"))
    }

    /// An application with `^-1` behind it.
    fn inverses(&mut self) -> Parse<Expr> {
        let start = self.span();
        let mut expr = self.applied()?;
        while self.peek() == Token::Inverse {
            self.advance();
            expr = self.node(ExprKind::Inverse(Box::new(expr)), start)?;
        }
        Ok(expr)
    }

    /// `f`, `f x`, `f(x, y)`
    fn applied(&mut self) -> Parse<Expr> {
        let start = self.span();
        let mut expr = self.atom()?;
        while starts_argument(self.peek()) {
            let arguments = if self.peek() == Token::Open { self.arguments()? } else { vec![self.atom()?] };
            expr = self.node(ExprKind::Apply(Box::new(expr), arguments), start)?;
        }
        Ok(expr)
    }

    /// `(e, f)`
    pub(super) fn arguments(&mut self) -> Parse<Vec<Expr>> {
        self.expect(Token::Open, "before the arguments")?;
        let mut arguments = Vec::new();
        if !self.take(Token::Close) {
            loop {
                arguments.push(self.expression()?);
                if !self.take(Token::Comma) {
                    break;
                }
            }
            self.expect(Token::Close, "behind the arguments")?;
        }
        Ok(arguments)
    }

    /// A name, `0`, `_`, or something in brackets.
    fn atom(&mut self) -> Parse<Expr> {
        let start = self.span();
        let kind = match self.peek() {
            Token::Name => {
                let text = self.text(start).to_owned();
                self.advance();
                ExprKind::Name(text)
            }
            Token::Zero => {
                self.advance();
                ExprKind::Empty
            }
            Token::Underscore => {
                self.advance();
                ExprKind::Universe
            }
            Token::Open => return self.parenthesis(),
            Token::Keyword(Keyword::Begin) => {
                self.advance();
                let inner = self.expression()?;
                self.expect(Token::Keyword(Keyword::End), "for this `begin`")?;
                return Ok(inner);
            }
            Token::OpenBracket => {
                self.advance();
                let inner = self.expression()?;
                self.close_bracket(Token::CloseBracket, start)?;
                ExprKind::Diagonal(Box::new(inner))
            }
            Token::OpenBrace => return self.listed(),
            Token::Tag => ExprKind::Tag(self.tag()?.text),
            _ => return self.unexpected("an expression"),
        };
        self.node(kind, start)
    }

    /// `(e)`
    fn parenthesis(&mut self) -> Parse<Expr> {
        let start = self.advance();
        if self.peek() == Token::Close {
            return self.unexpected("an expression");
        }
        let inner = self.expression()?;
        if self.peek() == Token::Comma {
            return self.tuple(inner, start);
        }
        self.close_bracket(Token::Close, start)?;
        Ok(inner)
    }

    /// `let [rec] a = e and b = f in g`
    fn let_in(&mut self) -> Parse<Expr> {
        let start = self.advance();
        let bindings = self.bindings()?;
        self.expect(Token::Keyword(Keyword::In), "behind the definitions of a `let` within an expression")?;
        let body = self.expression()?;
        self.node(ExprKind::LetIn(bindings, Box::new(body)), start)
    }

    /// `[rec] a = e and f(x) = g`, behind `let`.
    pub(super) fn bindings(&mut self) -> Parse<Bindings> {
        let recursive = self.take_keyword(Keyword::Rec);
        let mut bindings = vec![self.binding()?];
        while self.take_keyword(Keyword::And) {
            bindings.push(self.binding()?);
        }
        Ok(Bindings { recursive, bindings })
    }

    fn binding(&mut self) -> Parse<Binding> {
        let start = self.span();
        if self.peek() == Token::Open {
            return self.unsupported(start, "definitions of tuples are", "define each name by a `let` of its own");
        }
        let name = self.name("the name to define")?;
        let parameters = match self.peek() {
            Token::Open => Some(self.parameters()?),
            Token::Name | Token::Underscore => Some(vec![self.parameter()?]),
            _ => None,
        };
        if parameters.is_some() && matches!(self.peek(), Token::Name | Token::Open) {
            let error = Diagnostic::error("a function takes its parameters in one list");
            return self.fail(error.at(self.source, self.span(), "expected `=`").help("write `let f(x, y) = ..`"));
        }
        self.expect(Token::Equal, "behind the name that is defined")?;
        let body = self.expression()?;
        Ok(Binding { name, parameters, body, span: self.since(start) })
    }

    /// `(x, y)`
    pub(super) fn parameters(&mut self) -> Parse<Vec<Ident>> {
        self.expect(Token::Open, "before the parameters")?;
        let mut parameters: Vec<Ident> = Vec::new();
        let mut known: FxHashMap<String, Span> = FxHashMap::default();
        if self.take(Token::Close) {
            return Ok(parameters);
        }
        loop {
            let parameter = self.parameter()?;
            let before = known.insert(parameter.text.clone(), parameter.span).filter(|_| parameter.text != "_");
            if let Some(first) = before {
                let error = Diagnostic::error(format!("the parameter `{}` occurs twice", parameter.text));
                return self.fail(error.at(self.source, parameter.span, "again").at(self.source, first, "first"));
            }
            parameters.push(parameter);
            if !self.take(Token::Comma) {
                break;
            }
        }
        self.expect(Token::Close, "behind the parameters")?;
        Ok(parameters)
    }

    /// `x`, or `_` for an argument that is not needed.
    pub(super) fn parameter(&mut self) -> Parse<Ident> {
        if self.peek() == Token::Underscore {
            return Ok(Ident { text: "_".to_owned(), span: self.advance() });
        }
        self.name("a parameter")
    }

    /// `fun x -> e`
    fn function(&mut self) -> Parse<Expr> {
        let start = self.advance();
        let parameters = if self.peek() == Token::Open { self.parameters()? } else { vec![self.parameter()?] };
        self.expect(Token::Arrow, "behind the parameters of `fun`")?;
        let body = self.expression()?;
        self.node(ExprKind::Function(parameters, Box::new(body)), start)
    }

    /// `if "variant" then e else f`
    fn if_then_else(&mut self) -> Parse<Expr> {
        let start = self.advance();
        let condition = self.condition()?;
        self.expect(Token::Keyword(Keyword::Then), "behind the condition")?;
        let then = self.expression()?;
        self.expect(Token::Keyword(Keyword::Else), "in an `if` within an expression")?;
        let otherwise = self.expression()?;
        self.node(ExprKind::If(condition, Box::new(then), Box::new(otherwise)), start)
    }

    /// `try e with f`
    fn try_with(&mut self) -> Parse<Expr> {
        let start = self.advance();
        let first = self.expression()?;
        self.expect(Token::Keyword(Keyword::With), "behind the expression to `try`")?;
        let second = self.expression()?;
        self.node(ExprKind::Try(Box::new(first), Box::new(second)), start)
    }
}

/// Can an argument start with this word?
pub(super) fn starts_argument(token: Token) -> bool {
    matches!(
        token,
        Token::Name
            | Token::Open
            | Token::OpenBracket
            | Token::OpenBrace
            | Token::Zero
            | Token::Underscore
            | Token::Tag
            | Token::Keyword(Keyword::Begin)
    )
}

/// Can an operand start with this word?
fn starts_operand(token: Token) -> bool {
    starts_argument(token) || token == Token::Tilde
}
