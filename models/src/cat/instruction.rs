//! Instructions: definitions, checks, includes, procedures, variants.

use super::ast::{CatExpr, CatInstruction, Ident, InstructionKind};
use super::parser::{Parse, Parser, starts_instruction};
use super::token::{CatToken, Keyword};
use crate::diagnostic::{Diagnostic, nearest};
use crate::model::{CheckKind, Role};

impl Parser<'_> {
    /// Instructions up to `end` or `else`.
    pub(super) fn block(&mut self, opening: &str) -> Parse<Vec<CatInstruction>> {
        let start = self.last_span();
        let mut instructions = Vec::new();
        while !matches!(self.peek(), CatToken::Keyword(Keyword::End | Keyword::Else)) {
            if self.peek() == CatToken::End {
                let error = Diagnostic::error(format!("the {opening} is not closed"));
                return self.fail(error.at(self.source, self.span(), "expected `end`").at(
                    self.source,
                    start,
                    "opened here",
                ));
            }
            instructions.push(self.nested(Self::instruction)?);
        }
        Ok(instructions)
    }

    pub(super) fn instruction(&mut self) -> Parse<CatInstruction> {
        let start = self.span();
        if self.peek() == CatToken::Tilde {
            let kind = self.check(Role::Axiom)?;
            return Ok(CatInstruction { kind, span: self.since(start) });
        }
        let CatToken::Keyword(keyword) = self.peek() else {
            let mut error = self.unexpected_word();
            error =
                error.at(self.source, start, "expected an instruction, e.g. `let` or `acyclic`");
            if self.peek() == CatToken::Name {
                let near = nearest(self.text(start), Keyword::ALL.iter().map(|(_, text)| *text));
                error.help = Some(near.map_or_else(
                    || "an expression stands behind `let name =` or a check; the first line may name an architecture".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                ));
            }
            return self.fail(error);
        };
        let kind = match keyword {
            Keyword::Let => self.top_let()?,
            Keyword::Flag | Keyword::UndefinedUnless | Keyword::Assert => {
                self.advance();
                let role = match keyword {
                    Keyword::Flag => Role::Flag,
                    Keyword::UndefinedUnless => Role::UndefinedUnless,
                    _ => Role::Assert,
                };
                self.check(role)?
            }
            Keyword::Acyclic | Keyword::Irreflexive | Keyword::Empty => self.check(Role::Axiom)?,
            Keyword::Include => self.include()?,
            Keyword::Show | Keyword::ShowAs | Keyword::Unshow | Keyword::Debug => {
                self.show(keyword)?
            }
            Keyword::Procedure => self.procedure()?,
            Keyword::Call => self.call()?,
            Keyword::If => self.if_variant()?,
            Keyword::ForAll => self.for_all()?,
            Keyword::Enum => self.enumeration()?,
            Keyword::With => self.with_from()?,
            Keyword::Match => self.match_instruction()?,
            Keyword::Instructions | Keyword::Default => return self.bell(keyword),
            _ => {
                const EXPECTED: &str = "an instruction, e.g. `let` or `acyclic`";
                let Some((span, meant)) = self.mistyped_check() else {
                    return self.unexpected(EXPECTED);
                };
                let error = Diagnostic::error(format!("unexpected `{}`", self.text(span)));
                return self.fail(
                    error
                        .at(self.source, span, format!("expected {EXPECTED}"))
                        .help(format!("did you mean `{meant}`?")),
                );
            }
        };
        Ok(CatInstruction { kind, span: self.since(start) })
    }

    /// `let a = e`, also with an `in` behind it: the names are there for what follows.
    fn top_let(&mut self) -> Parse<InstructionKind> {
        self.advance();
        let bindings = self.bindings()?;
        if self.take_keyword(Keyword::In) && !starts_instruction(self.peek()) {
            let error = Diagnostic::error("`let .. in` is an expression").at(
                self.source,
                self.span(),
                "expected an instruction",
            );
            return self
                .fail(error.help("leave `in` out to define the name for the rest of the file"));
        }
        Ok(InstructionKind::Let(bindings))
    }

    /// A check, behind `flag`, `undefined_unless` or `assert`; `~` may come first.
    fn check(&mut self, role: Role) -> Parse<InstructionKind> {
        let negated = self.take(CatToken::Tilde);
        let kind = match self.peek() {
            CatToken::Keyword(Keyword::Acyclic) => CheckKind::Acyclic,
            CatToken::Keyword(Keyword::Irreflexive) => CheckKind::Irreflexive,
            CatToken::Keyword(Keyword::Empty) => CheckKind::Empty,
            _ => return self.unexpected("`acyclic`, `irreflexive` or `empty`"),
        };
        self.advance();
        let expr = self.expression()?;
        let name = self.optional_name()?;
        Ok(InstructionKind::Check { role, negated, kind, expr, name })
    }

    /// `[as name]`
    fn optional_name(&mut self) -> Parse<Option<Ident>> {
        if self.take_keyword(Keyword::As) { self.name("a name").map(Some) } else { Ok(None) }
    }

    fn include(&mut self) -> Parse<InstructionKind> {
        self.advance();
        if self.peek() == CatToken::String {
            Ok(InstructionKind::Include(self.string()))
        } else {
            self.unexpected("the name of a file, in quotes")
        }
    }

    fn show(&mut self, keyword: Keyword) -> Parse<InstructionKind> {
        self.advance();
        let mut shown: Vec<(CatExpr, Option<Ident>)> = Vec::new();
        loop {
            let expr = self.expression()?;
            shown.push((expr, self.optional_name()?));
            if !self.take(CatToken::Comma) {
                break;
            }
        }
        Ok(match keyword {
            Keyword::Unshow => InstructionKind::Unshow(shown.into_iter().map(|(e, _)| e).collect()),
            _ => InstructionKind::Show(shown),
        })
    }

    fn procedure(&mut self) -> Parse<InstructionKind> {
        self.advance();
        let recursive = self.take_keyword(Keyword::Rec);
        let name = self.name("the name of the procedure")?;
        let parameters = if self.peek() == CatToken::Open {
            self.parameters()?
        } else {
            vec![self.parameter()?]
        };
        self.expect(CatToken::Equal, "before the body of a procedure")?;
        let body = self.block("procedure")?;
        self.expect(CatToken::Keyword(Keyword::End), "behind a procedure")?;
        Ok(InstructionKind::Procedure { recursive, name, parameters, body })
    }

    fn call(&mut self) -> Parse<InstructionKind> {
        self.advance();
        let name = self.name("the name of a procedure")?;
        let arguments = if self.peek() == CatToken::Open {
            self.arguments()?
        } else {
            vec![self.expression()?]
        };
        self.optional_name()?;
        Ok(InstructionKind::Call { name, arguments })
    }

    fn if_variant(&mut self) -> Parse<InstructionKind> {
        self.advance();
        let condition = self.condition()?;
        self.take_keyword(Keyword::Then);
        let then = self.block("`if`")?;
        let otherwise =
            if self.take_keyword(Keyword::Else) { self.block("`else`")? } else { Vec::new() };
        self.expect(CatToken::Keyword(Keyword::End), "behind an `if`")?;
        Ok(InstructionKind::If { condition, then, otherwise })
    }
}
