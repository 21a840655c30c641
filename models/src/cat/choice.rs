//! Tags, sets that list their elements, and what chooses by them: `match`, `enum`, `forall` and
//! conditions.

use super::ast::{
    CatComparison, CatCondition, CatExpr, CatInstruction, ExprKind, Ident, InstructionKind, Pattern,
};
use super::expression::starts_argument;
use super::parser::{Parse, Parser};
use super::token::{CatToken, Keyword};
use crate::diagnostic::{Diagnostic, Span};

/// What stands in the place of a file for Bell.
pub(crate) const BELL_INSTEAD: &str = "write the annotations as tags (`tag NAME on R W`) and orders into a `lisa.arch` of your own beside the test, and what the \
                                        file defines by `let` into the model (docs/litmus.md#assembly)";

impl Parser<'_> {
    /// `'x`, without its quote.
    pub(super) fn tag(&mut self) -> Parse<Ident> {
        if self.peek() != CatToken::Tag {
            return self.unexpected("a tag, e.g. `'x`");
        }
        let span = self.advance();
        Ok(Ident { text: self.text(span).trim_start_matches('\'').to_owned(), span })
    }

    /// `{}` or `{a, b}`
    pub(super) fn listed(&mut self) -> Parse<CatExpr> {
        let start = self.advance();
        if self.take(CatToken::CloseBrace) {
            return self.node(ExprKind::Empty, start);
        }
        let mut elements = vec![self.expression()?];
        while self.take(CatToken::Comma) {
            elements.push(self.expression()?);
        }
        self.close_bracket(CatToken::CloseBrace, start)?;
        self.node(ExprKind::List(elements), start)
    }

    /// `(a, b)`, behind `(a`.
    pub(super) fn tuple(&mut self, first: CatExpr, start: Span) -> Parse<CatExpr> {
        let mut members = vec![first];
        while self.take(CatToken::Comma) {
            members.push(self.expression()?);
        }
        self.close_bracket(CatToken::Close, start)?;
        self.node(ExprKind::Tuple(members), start)
    }

    /// `match e with || 'tag -> e end`
    pub(super) fn match_expression(&mut self) -> Parse<CatExpr> {
        let start = self.span();
        let (expr, arms) = self.arms(Self::expression)?;
        self.node(ExprKind::Match(Box::new(expr), arms), start)
    }

    /// `match e with || 'tag -> instructions end`
    pub(super) fn match_instruction(&mut self) -> Parse<InstructionKind> {
        let (expr, arms) = self.arms(|p| {
            let mut body = Vec::new();
            while !matches!(
                p.peek(),
                CatToken::BarBar | CatToken::Keyword(Keyword::End) | CatToken::End
            ) {
                body.push(p.nested(Self::instruction)?);
            }
            Ok(body)
        })?;
        Ok(InstructionKind::Match { expr, arms })
    }

    /// A `match` with whatever its arms have on their right.
    fn arms<T>(
        &mut self,
        body: impl Fn(&mut Self) -> Parse<T>,
    ) -> Parse<(CatExpr, Vec<(Pattern, T)>)> {
        self.advance();
        let expr = self.expression()?;
        self.expect(CatToken::Keyword(Keyword::With), "behind the expression to `match`")?;
        self.take(CatToken::BarBar);
        let mut arms = Vec::new();
        loop {
            let pattern = self.pattern()?;
            self.expect(CatToken::Arrow, "behind what an arm of a `match` is for")?;
            arms.push((pattern, body(self)?));
            if !self.take(CatToken::BarBar) {
                break;
            }
        }
        self.expect(CatToken::Keyword(Keyword::End), "behind a `match`")?;
        Ok((expr, arms))
    }

    fn pattern(&mut self) -> Parse<Pattern> {
        match self.peek() {
            CatToken::Tag => self.tag().map(Pattern::Tag),
            CatToken::Underscore if self.peek_at(1) != CatToken::PlusPlus => {
                self.advance();
                Ok(Pattern::Any)
            }
            CatToken::OpenBrace => {
                self.advance();
                self.expect(CatToken::CloseBrace, "of the empty set")?;
                Ok(Pattern::Empty)
            }
            CatToken::Name | CatToken::Underscore => {
                let element = self.parameter()?;
                self.expect(CatToken::PlusPlus, "between an element and the others")?;
                Ok(Pattern::Split(element, self.parameter()?))
            }
            _ => self.unexpected("what an arm is for: a tag, `_`, `{}` or `e ++ S`"),
        }
    }

    /// `enum t = 'a || 'b`
    pub(super) fn enumeration(&mut self) -> Parse<InstructionKind> {
        self.advance();
        let name = self.name("the name of the tags")?;
        self.expect(CatToken::Equal, "before the tags")?;
        self.take(CatToken::BarBar);
        let mut tags = vec![self.tag()?];
        while self.take(CatToken::BarBar) {
            tags.push(self.tag()?);
        }
        Ok(InstructionKind::Enum { name, tags })
    }

    /// `forall x in S do .. end`
    pub(super) fn for_all(&mut self) -> Parse<InstructionKind> {
        self.advance();
        let name = self.parameter()?;
        self.expect(CatToken::Keyword(Keyword::In), "behind the name of the element")?;
        let set = self.expression()?;
        self.expect(CatToken::Keyword(Keyword::Do), "before what counts for each element")?;
        let body = self.block("`forall`")?;
        self.expect(CatToken::Keyword(Keyword::End), "behind a `forall`")?;
        Ok(InstructionKind::ForAll { name, set, body })
    }

    /// `with x from e`
    pub(super) fn with_from(&mut self) -> Parse<InstructionKind> {
        self.advance();
        let name = self.name("the name to choose for")?;
        self.expect(CatToken::Keyword(Keyword::From), "behind the name")?;
        Ok(InstructionKind::With { name, from: self.expression()? })
    }

    /// A condition: `||` binds looser than `&&`.
    pub(super) fn condition(&mut self) -> Parse<CatCondition> {
        let mut alternatives = vec![self.conjunction()?];
        while self.take(CatToken::BarBar) {
            alternatives.push(self.conjunction()?);
        }
        Ok(single_or(alternatives, CatCondition::Or))
    }

    fn conjunction(&mut self) -> Parse<CatCondition> {
        let mut conditions = vec![self.single_condition()?];
        while self.take(CatToken::AndAnd) {
            conditions.push(self.single_condition()?);
        }
        Ok(single_or(conditions, CatCondition::And))
    }

    fn single_condition(&mut self) -> Parse<CatCondition> {
        self.nested(|p| match p.peek() {
            CatToken::String => Ok(CatCondition::Variant(p.string())),
            CatToken::Tilde => p.negation(),
            CatToken::Name if p.text(p.span()) == "not" => p.negation(),
            CatToken::Open if !p.compares_behind_parenthesis() => {
                p.advance();
                let inner = p.condition()?;
                p.expect(CatToken::Close, "behind the condition")?;
                Ok(inner)
            }
            CatToken::Name
            | CatToken::Underscore
            | CatToken::Zero
            | CatToken::OpenBracket
            | CatToken::Open
            | CatToken::OpenBrace
            | CatToken::Tag => p.comparison(),
            _ => p.unexpected("the name of a variant, in quotes"),
        })
    }

    /// `a = b`, `a subset b`, `a in b`
    fn comparison(&mut self) -> Parse<CatCondition> {
        let left = self.operators()?;
        let comparison = match self.peek() {
            CatToken::Equal => CatComparison::Equal,
            CatToken::Keyword(Keyword::Subset) => CatComparison::Subset,
            CatToken::Keyword(Keyword::In) => CatComparison::In,
            _ => {
                return self
                    .unexpected("`=`, `subset` or `in`, or the name of a variant, in quotes");
            }
        };
        self.advance();
        Ok(CatCondition::Compare(comparison, Box::new(left), Box::new(self.operators()?)))
    }

    /// Does the parenthesis that comes next belong to an expression, and not to a condition? It
    /// does if no condition can go on behind it.
    fn compares_behind_parenthesis(&self) -> bool {
        let mut depth = 0usize;
        for ahead in 0.. {
            match self.peek_at(ahead) {
                CatToken::Open => depth += 1,
                CatToken::Close if depth == 1 => {
                    use CatToken::{
                        And, Backslash, Bar, Equal, Inverse, Plus, PlusPlus, Question, Semicolon,
                        Star,
                    };
                    use Keyword::{In, Subset};
                    let next = self.peek_at(ahead + 1);
                    let operator = matches!(
                        next,
                        Bar | And
                            | Backslash
                            | Semicolon
                            | Star
                            | Plus
                            | PlusPlus
                            | Question
                            | Inverse
                    );
                    return operator
                        || matches!(next, Equal | CatToken::Keyword(In | Subset))
                        || starts_argument(next);
                }
                CatToken::Close => depth -= 1,
                CatToken::End => return false,
                _ => {}
            }
        }
        false
    }

    fn negation(&mut self) -> Parse<CatCondition> {
        self.advance();
        Ok(CatCondition::Not(Box::new(self.single_condition()?)))
    }

    /// The error for what makes sense in a file for Bell only.
    pub(super) fn bell(&mut self, keyword: Keyword) -> Parse<CatInstruction> {
        let word = CatToken::Keyword(keyword).describe();
        self.missing(format!("`{word}` (Bell)"));
        let error =
            Diagnostic::error(format!("`{word}` belongs to Bell files, which are not supported"));
        self.fail(error.at(self.source, self.span(), "Margay cannot read this").help(BELL_INSTEAD))
    }
}

/// The only member, or the list.
fn single_or(
    mut conditions: Vec<CatCondition>,
    list: fn(Vec<CatCondition>) -> CatCondition,
) -> CatCondition {
    if conditions.len() == 1 { conditions.remove(0) } else { list(conditions) }
}
