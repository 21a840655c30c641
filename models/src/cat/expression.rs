//! Expressions, by herd7's precedence, loosest first: `|`, `++`, `;`, `\`, `&`, then one level of
//! `+ ? *`, `~` and the product, then `^-1`, then application.
//!
//! Dartagnan's grammar (Cat.g4) binds the product tighter than `^-1`, `+`, `?`, `*` and `~`. Where
//! herd7 would read a text differently or not at all, Margay asks for parentheses instead of
//! choosing.

use rustc_hash::FxHashMap;

use super::MAX_HEIGHT;
use super::ast::{Binding, Bindings, CatExpr, ExprKind, Ident};
use super::parser::{Parse, Parser};
use super::token::{CatToken, Keyword};
use crate::diagnostic::{Diagnostic, Span};

/// The levels of infix operators, loosest first.
const LEVELS: usize = 5;

impl Parser<'_> {
    /// Any expression.
    pub(super) fn expression(&mut self) -> Parse<CatExpr> {
        self.nested(|p| match p.peek() {
            CatToken::Keyword(Keyword::Let) => p.let_in(),
            CatToken::Keyword(Keyword::Fun) => p.function(),
            CatToken::Keyword(Keyword::If) => p.if_then_else(),
            CatToken::Keyword(Keyword::Try) => p.try_with(),
            CatToken::Keyword(Keyword::Match) => p.match_expression(),
            _ => p.operators(),
        })
    }

    /// Infix operators. `open[l]` holds the operands of level `l` that wait for their last one.
    pub(super) fn operators(&mut self) -> Parse<CatExpr> {
        let mut open: [Vec<CatExpr>; LEVELS] = Default::default();
        loop {
            let mut operand = self.tight()?;
            let next = match self.peek() {
                CatToken::Bar => Some(0),
                CatToken::PlusPlus => Some(1),
                CatToken::Semicolon => Some(2),
                CatToken::Backslash => Some(3),
                CatToken::And => Some(4),
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
    fn close(&mut self, level: usize, mut operands: Vec<CatExpr>, last: CatExpr) -> Parse<CatExpr> {
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
    fn tight(&mut self) -> Parse<CatExpr> {
        let start = self.span();
        if self.peek() == CatToken::Tilde {
            let complement = self.complement()?;
            return match self.peek() {
                CatToken::Plus | CatToken::Question | CatToken::Star => {
                    self.ambiguous_complement(start)
                }
                _ => Ok(complement),
            };
        }
        let mut expr = self.applied()?;
        loop {
            let wrap: fn(Box<CatExpr>) -> ExprKind = match self.peek() {
                CatToken::Plus => ExprKind::Closure,
                CatToken::Question => ExprKind::Optional,
                CatToken::Inverse => ExprKind::Inverse,
                CatToken::Star if self.star_is_product() => {
                    self.advance();
                    return self.product(expr);
                }
                CatToken::Star => ExprKind::ReflexiveClosure,
                _ => return Ok(expr),
            };
            self.advance();
            expr = self.node(wrap(Box::new(expr)), start)?;
        }
    }

    /// Does an operand follow the `*` that comes next? (`~acyclic` is the next check, and not an
    /// operand.)
    fn star_is_product(&self) -> bool {
        match self.peek_at(1) {
            CatToken::Tilde => starts_operand(self.peek_at(2)),
            next => starts_operand(next),
        }
    }

    /// The right side of a product, behind its `*`.
    fn product(&mut self, left: CatExpr) -> Parse<CatExpr> {
        let start = left.span;
        let right =
            if self.peek() == CatToken::Tilde { self.complement()? } else { self.inverses()? };
        if matches!(self.peek(), CatToken::Star | CatToken::Plus | CatToken::Question) {
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
    fn complement(&mut self) -> Parse<CatExpr> {
        let mut starts = Vec::new();
        while self.peek() == CatToken::Tilde {
            starts.push(self.advance());
        }
        let mut expr = self.inverses()?;
        for start in starts.into_iter().rev() {
            expr = self.node(ExprKind::Complement(Box::new(expr)), start)?;
        }
        Ok(expr)
    }

    fn ambiguous_complement<T>(&mut self, start: Span) -> Parse<T> {
        let product = self.peek() == CatToken::Star && self.star_is_product();
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
    pub(super) fn node(&mut self, kind: ExprKind, start: Span) -> Parse<CatExpr> {
        let expr = CatExpr::new(kind, self.since(start));
        if expr.height() <= MAX_HEIGHT {
            return Ok(expr);
        }
        let error =
            Diagnostic::error(format!("more than {MAX_HEIGHT} operators within each other"));
        self.fail(
            error
                .at(self.source, self.last_span(), "too deep")
                .help("name parts of the expression with `let`"),
        )
    }

    /// An application with `^-1` behind it.
    fn inverses(&mut self) -> Parse<CatExpr> {
        let start = self.span();
        let mut expr = self.applied()?;
        while self.peek() == CatToken::Inverse {
            self.advance();
            expr = self.node(ExprKind::Inverse(Box::new(expr)), start)?;
        }
        Ok(expr)
    }

    /// `f`, `f x`, `f(x, y)`
    fn applied(&mut self) -> Parse<CatExpr> {
        let start = self.span();
        let mut expr = self.atom()?;
        while starts_argument(self.peek()) {
            let arguments =
                if self.peek() == CatToken::Open { self.arguments()? } else { vec![self.atom()?] };
            expr = self.node(ExprKind::Apply(Box::new(expr), arguments), start)?;
        }
        Ok(expr)
    }

    /// `(e, f)`
    pub(super) fn arguments(&mut self) -> Parse<Vec<CatExpr>> {
        self.expect(CatToken::Open, "before the arguments")?;
        let mut arguments = Vec::new();
        if !self.take(CatToken::Close) {
            loop {
                arguments.push(self.expression()?);
                if !self.take(CatToken::Comma) {
                    break;
                }
            }
            self.expect(CatToken::Close, "behind the arguments")?;
        }
        Ok(arguments)
    }

    /// A name, `0`, `_`, or something in brackets.
    fn atom(&mut self) -> Parse<CatExpr> {
        let start = self.span();
        let kind = match self.peek() {
            CatToken::Name => {
                let text = self.text(start).to_owned();
                self.advance();
                ExprKind::Name(text)
            }
            CatToken::Zero => {
                self.advance();
                ExprKind::Empty
            }
            CatToken::Underscore => {
                self.advance();
                ExprKind::Universe
            }
            CatToken::Open => return self.parenthesis(),
            CatToken::Keyword(Keyword::Begin) => {
                self.advance();
                let inner = self.expression()?;
                self.expect(CatToken::Keyword(Keyword::End), "for this `begin`")?;
                return Ok(inner);
            }
            CatToken::OpenBracket => {
                self.advance();
                let inner = self.expression()?;
                self.close_bracket(CatToken::CloseBracket, start)?;
                ExprKind::Diagonal(Box::new(inner))
            }
            CatToken::OpenBrace => return self.listed(),
            CatToken::Tag => ExprKind::Tag(self.tag()?.text),
            _ => return self.unexpected("an expression"),
        };
        self.node(kind, start)
    }

    /// `(e)`
    fn parenthesis(&mut self) -> Parse<CatExpr> {
        let start = self.advance();
        if self.peek() == CatToken::Close {
            return self.unexpected("an expression");
        }
        let inner = self.expression()?;
        if self.peek() == CatToken::Comma {
            return self.tuple(inner, start);
        }
        self.close_bracket(CatToken::Close, start)?;
        Ok(inner)
    }

    /// `let [rec] a = e and b = f in g`
    fn let_in(&mut self) -> Parse<CatExpr> {
        let start = self.advance();
        let bindings = self.bindings()?;
        self.expect(
            CatToken::Keyword(Keyword::In),
            "behind the definitions of a `let` within an expression",
        )?;
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
        if self.peek() == CatToken::Open {
            return self.unsupported(
                start,
                "definitions of tuples are",
                "define each name by a `let` of its own",
            );
        }
        let name = self.name("the name to define")?;
        let parameters = match self.peek() {
            CatToken::Open => Some(self.parameters()?),
            CatToken::Name | CatToken::Underscore => Some(vec![self.parameter()?]),
            _ => None,
        };
        if parameters.is_some() && matches!(self.peek(), CatToken::Name | CatToken::Open) {
            let error = Diagnostic::error("a function takes its parameters in one list");
            return self.fail(
                error.at(self.source, self.span(), "expected `=`").help("write `let f(x, y) = ..`"),
            );
        }
        self.expect(CatToken::Equal, "behind the name that is defined")?;
        let body = self.expression()?;
        Ok(Binding { name, parameters, body, span: self.since(start) })
    }

    /// `(x, y)`
    pub(super) fn parameters(&mut self) -> Parse<Vec<Ident>> {
        self.expect(CatToken::Open, "before the parameters")?;
        let mut parameters: Vec<Ident> = Vec::new();
        let mut known: FxHashMap<String, Span> = FxHashMap::default();
        if self.take(CatToken::Close) {
            return Ok(parameters);
        }
        loop {
            let parameter = self.parameter()?;
            let before = known
                .insert(parameter.text.clone(), parameter.span)
                .filter(|_| parameter.text != "_");
            if let Some(first) = before {
                let error =
                    Diagnostic::error(format!("the parameter `{}` occurs twice", parameter.text));
                return self.fail(error.at(self.source, parameter.span, "again").at(
                    self.source,
                    first,
                    "first",
                ));
            }
            parameters.push(parameter);
            if !self.take(CatToken::Comma) {
                break;
            }
        }
        self.expect(CatToken::Close, "behind the parameters")?;
        Ok(parameters)
    }

    /// `x`, or `_` for an argument that is not needed.
    pub(super) fn parameter(&mut self) -> Parse<Ident> {
        if self.peek() == CatToken::Underscore {
            return Ok(Ident { text: "_".to_owned(), span: self.advance() });
        }
        self.name("a parameter")
    }

    /// `fun x -> e`
    fn function(&mut self) -> Parse<CatExpr> {
        let start = self.advance();
        let parameters = if self.peek() == CatToken::Open {
            self.parameters()?
        } else {
            vec![self.parameter()?]
        };
        self.expect(CatToken::Arrow, "behind the parameters of `fun`")?;
        let body = self.expression()?;
        self.node(ExprKind::Function(parameters, Box::new(body)), start)
    }

    /// `if "variant" then e else f`
    fn if_then_else(&mut self) -> Parse<CatExpr> {
        let start = self.advance();
        let condition = self.condition()?;
        self.expect(CatToken::Keyword(Keyword::Then), "behind the condition")?;
        let then = self.expression()?;
        self.expect(CatToken::Keyword(Keyword::Else), "in an `if` within an expression")?;
        let otherwise = self.expression()?;
        self.node(ExprKind::If(condition, Box::new(then), Box::new(otherwise)), start)
    }

    /// `try e with f`
    fn try_with(&mut self) -> Parse<CatExpr> {
        let start = self.advance();
        let first = self.expression()?;
        self.expect(CatToken::Keyword(Keyword::With), "behind the expression to `try`")?;
        let second = self.expression()?;
        self.node(ExprKind::Try(Box::new(first), Box::new(second)), start)
    }
}

/// Can an argument start with this word?
pub(super) fn starts_argument(token: CatToken) -> bool {
    matches!(
        token,
        CatToken::Name
            | CatToken::Open
            | CatToken::OpenBracket
            | CatToken::OpenBrace
            | CatToken::Zero
            | CatToken::Underscore
            | CatToken::Tag
            | CatToken::Keyword(Keyword::Begin)
    )
}

/// Can an operand start with this word?
fn starts_operand(token: CatToken) -> bool {
    starts_argument(token) || token == CatToken::Tilde
}
