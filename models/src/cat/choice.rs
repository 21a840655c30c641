//! Tags, sets that list their elements, and what chooses by them: `match`, `enum`, `forall` and conditions.

use super::ast::{Comparison, Condition, Expr, ExprKind, Ident, Instruction, InstructionKind, Pattern};
use super::expression::starts_argument;
use super::parser::{Parse, Parser};
use super::token::{Keyword, Token};
use crate::diagnostic::{Diagnostic, Span};

impl Parser<'_> {
    /// `'x`, without its quote.
    pub(super) fn tag(&mut self) -> Parse<Ident> {
        if self.peek() != Token::Tag {
            return self.unexpected("a tag, e.g. `'x`");
        }
        let span = self.advance();
        Ok(Ident { text: self.text(span).trim_start_matches('\'').to_owned(), span })
    }

    /// `{}` or `{a, b}`
    pub(super) fn listed(&mut self) -> Parse<Expr> {
        let start = self.advance();
        if self.take(Token::CloseBrace) {
            return self.node(ExprKind::Empty, start);
        }
        let mut elements = vec![self.expression()?];
        while self.take(Token::Comma) {
            elements.push(self.expression()?);
        }
        self.close_bracket(Token::CloseBrace, start)?;
        self.node(ExprKind::List(elements), start)
    }

    /// `(a, b)`, behind `(a`.
    pub(super) fn tuple(&mut self, first: Expr, start: Span) -> Parse<Expr> {
        let mut members = vec![first];
        while self.take(Token::Comma) {
            members.push(self.expression()?);
        }
        self.close_bracket(Token::Close, start)?;
        self.node(ExprKind::Tuple(members), start)
    }

    /// `match e with || 'tag -> e end`
    pub(super) fn match_expression(&mut self) -> Parse<Expr> {
        let start = self.span();
        let (expr, arms) = self.arms(Self::expression)?;
        self.node(ExprKind::Match(Box::new(expr), arms), start)
    }

    /// `match e with || 'tag -> instructions end`
    pub(super) fn match_instruction(&mut self) -> Parse<InstructionKind> {
        let (expr, arms) = self.arms(|p| {
            let mut body = Vec::new();
            while !matches!(p.peek(), Token::BarBar | Token::Keyword(Keyword::End) | Token::End) {
                body.push(p.nested(Self::instruction)?);
            }
            Ok(body)
        })?;
        Ok(InstructionKind::Match { expr, arms })
    }

    /// A `match` with whatever its arms have on their right.
    fn arms<T>(&mut self, body: impl Fn(&mut Self) -> Parse<T>) -> Parse<(Expr, Vec<(Pattern, T)>)> {
        self.advance();
        let expr = self.expression()?;
        self.expect(Token::Keyword(Keyword::With), "behind the expression to `match`")?;
        self.take(Token::BarBar);
        let mut arms = Vec::new();
        loop {
            let pattern = self.pattern()?;
            self.expect(Token::Arrow, "behind what an arm of a `match` is for")?;
            arms.push((pattern, body(self)?));
            if !self.take(Token::BarBar) {
                break;
            }
        }
        self.expect(Token::Keyword(Keyword::End), "behind a `match`")?;
        Ok((expr, arms))
    }

    fn pattern(&mut self) -> Parse<Pattern> {
        match self.peek() {
            Token::Tag => self.tag().map(Pattern::Tag),
            Token::Underscore if self.peek_at(1) != Token::PlusPlus => {
                self.advance();
                Ok(Pattern::Any)
            }
            Token::OpenBrace => {
                self.advance();
                self.expect(Token::CloseBrace, "of the empty set")?;
                Ok(Pattern::Empty)
            }
            Token::Name | Token::Underscore => {
                let element = self.parameter()?;
                self.expect(Token::PlusPlus, "between an element and the others")?;
                Ok(Pattern::Split(element, self.parameter()?))
            }
            _ => self.unexpected("what an arm is for: a tag, `_`, `{}` or `e ++ S`"),
        }
    }

    /// `enum t = 'a || 'b`
    pub(super) fn enumeration(&mut self) -> Parse<InstructionKind> {
        self.advance();
        let name = self.name("the name of the tags")?;
        self.expect(Token::Equal, "before the tags")?;
        self.take(Token::BarBar);
        let mut tags = vec![self.tag()?];
        while self.take(Token::BarBar) {
            tags.push(self.tag()?);
        }
        Ok(InstructionKind::Enum { name, tags })
    }

    /// `forall x in S do .. end`
    pub(super) fn for_all(&mut self) -> Parse<InstructionKind> {
        self.advance();
        let name = self.parameter()?;
        self.expect(Token::Keyword(Keyword::In), "behind the name of the element")?;
        let set = self.expression()?;
        self.expect(Token::Keyword(Keyword::Do), "before what counts for each element")?;
        let body = self.block("`forall`")?;
        self.expect(Token::Keyword(Keyword::End), "behind a `forall`")?;
        Ok(InstructionKind::ForAll { name, set, body })
    }

    /// `with x from e`
    pub(super) fn with_from(&mut self) -> Parse<InstructionKind> {
        self.advance();
        let name = self.name("the name to choose for")?;
        self.expect(Token::Keyword(Keyword::From), "behind the name")?;
        Ok(InstructionKind::With { name, from: self.expression()? })
    }

    /// A condition: `||` binds looser than `&&`.
    pub(super) fn condition(&mut self) -> Parse<Condition> {
        let mut alternatives = vec![self.conjunction()?];
        while self.take(Token::BarBar) {
            alternatives.push(self.conjunction()?);
        }
        Ok(single_or(alternatives, Condition::Or))
    }

    fn conjunction(&mut self) -> Parse<Condition> {
        let mut conditions = vec![self.single_condition()?];
        while self.take(Token::AndAnd) {
            conditions.push(self.single_condition()?);
        }
        Ok(single_or(conditions, Condition::And))
    }

    fn single_condition(&mut self) -> Parse<Condition> {
        self.nested(|p| match p.peek() {
            Token::String => Ok(Condition::Variant(p.string())),
            Token::Tilde => p.negation(),
            Token::Name if p.text(p.span()) == "not" => p.negation(),
            Token::Open if !p.compares_behind_parenthesis() => {
                p.advance();
                let inner = p.condition()?;
                p.expect(Token::Close, "behind the condition")?;
                Ok(inner)
            }
            Token::Name | Token::Underscore | Token::Zero | Token::OpenBracket | Token::Open | Token::OpenBrace | Token::Tag => {
                p.comparison()
            }
            _ => p.unexpected("the name of a variant, in quotes"),
        })
    }

    /// `a = b`, `a subset b`, `a in b`
    fn comparison(&mut self) -> Parse<Condition> {
        let left = self.operators()?;
        let comparison = match self.peek() {
            Token::Equal => Comparison::Equal,
            Token::Keyword(Keyword::Subset) => Comparison::Subset,
            Token::Keyword(Keyword::In) => Comparison::In,
            _ => return self.unexpected("`=`, `subset` or `in`, or the name of a variant, in quotes"),
        };
        self.advance();
        Ok(Condition::Compare(comparison, Box::new(left), Box::new(self.operators()?)))
    }

    /// Does the parenthesis that comes next belong to an expression, and not to a condition? It does if no condition can go on
    /// behind it.
    fn compares_behind_parenthesis(&self) -> bool {
        let mut depth = 0usize;
        for ahead in 0.. {
            match self.peek_at(ahead) {
                Token::Open => depth += 1,
                Token::Close if depth == 1 => {
                    use Keyword::{In, Subset};
                    use Token::{And, Backslash, Bar, Equal, Inverse, Plus, PlusPlus, Question, Semicolon, Star};
                    let next = self.peek_at(ahead + 1);
                    let operator =
                        matches!(next, Bar | And | Backslash | Semicolon | Star | Plus | PlusPlus | Question | Inverse);
                    return operator || matches!(next, Equal | Token::Keyword(In | Subset)) || starts_argument(next);
                }
                Token::Close => depth -= 1,
                Token::End => return false,
                _ => {}
            }
        }
        false
    }

    fn negation(&mut self) -> Parse<Condition> {
        self.advance();
        Ok(Condition::Not(Box::new(self.single_condition()?)))
    }

    /// The error for what makes sense in a file for Bell only.
    pub(super) fn bell(&mut self, keyword: Keyword) -> Parse<Instruction> {
        let word = Token::Keyword(keyword).describe();
        self.missing(format!("`{word}` (Bell)"));
        let error = Diagnostic::error(format!("`{word}` belongs to Bell files, which are not supported"));
        self.fail(
            error
                .at(self.source, self.span(), "Margay cannot read this")
                .help("the events of a model are those of its architecture"),
        )
    }
}

/// The only member, or the list.
fn single_or(mut conditions: Vec<Condition>, list: fn(Vec<Condition>) -> Condition) -> Condition {
    if conditions.len() == 1 { conditions.remove(0) } else { list(conditions) }
}
