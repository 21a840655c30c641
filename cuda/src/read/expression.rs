//! Expressions.

use std::rc::Rc;

use super::{MAX_CHAIN, ProgramReader};
use crate::lex::{CudaRefusal, CudaSpan, Lexeme};
use crate::tree::{
    CudaBinary, CudaExpression, CudaUnary, ExpressionKind, FoldTree, NamePart, NamePath,
    PackPattern, TemplateArgument, TypeTree,
};

fn made(what: ExpressionKind, at: CudaSpan) -> CudaExpression {
    CudaExpression { what, at }
}

/// An operator of two operands and how strongly it binds.
fn operator(sign: &str) -> Option<(CudaBinary, u8)> {
    use CudaBinary as B;
    Some(match sign {
        "||" => (B::OneTrue, 1),
        "&&" => (B::BothTrue, 2),
        "|" => (B::Or, 3),
        "^" => (B::Xor, 4),
        "&" => (B::And, 5),
        "==" => (B::Equal, 6),
        "!=" => (B::NotEqual, 6),
        "<" => (B::Less, 7),
        ">" => (B::Greater, 7),
        "<=" => (B::LessOrEqual, 7),
        ">=" => (B::GreaterOrEqual, 7),
        "<=>" => (B::Order, 8),
        "<<" => (B::Left, 9),
        ">>" => (B::Right, 9),
        "+" => (B::Add, 10),
        "-" => (B::Subtract, 10),
        "*" => (B::Multiply, 11),
        "/" => (B::Divide, 11),
        "%" => (B::Remainder, 11),
        _ => return None,
    })
}

impl ProgramReader {
    /// An expression with its commas.
    pub(super) fn expression(&mut self) -> Result<CudaExpression, CudaRefusal> {
        let start = self.at();
        let mut left = self.assignment()?;
        let mut count = 0;
        // `(f(xs), ...)` is no comma of two operands.
        while self.is(",") && !self.after(1).is_sign("...") {
            self.advance();
            count += 1;
            if count > MAX_CHAIN {
                return Err(self.too_long());
            }
            let right = self.assignment()?;
            left = made(ExpressionKind::Comma(Box::new(left), Box::new(right)), self.since(start));
        }
        Ok(left)
    }

    pub(super) fn assignment(&mut self) -> Result<CudaExpression, CudaRefusal> {
        self.enter()?;
        let start = self.at();
        let left = self.choice()?;
        let of = match self.token().lexeme {
            Lexeme::Sign("=") => None,
            Lexeme::Sign(sign)
                if sign.len() > 1
                    && sign.ends_with('=')
                    && !matches!(sign, "==" | "!=" | "<=" | ">=") =>
            {
                match operator(&sign[..sign.len() - 1]) {
                    Some((of, _)) => Some(of),
                    None => return Err(self.expected("an operator")),
                }
            }
            _ => {
                self.leave();
                return Ok(left);
            }
        };
        self.advance();
        let right = if self.is("{") {
            let at = self.at();
            let all = self.braced()?;
            made(ExpressionKind::List(all), self.since(at))
        } else {
            self.assignment()?
        };
        self.leave();
        Ok(made(ExpressionKind::Assign(of, Box::new(left), Box::new(right)), self.since(start)))
    }

    /// `a ? b : c`, and what binds more strongly.
    pub(super) fn choice(&mut self) -> Result<CudaExpression, CudaRefusal> {
        let start = self.at();
        let condition = self.binary(0)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        self.enter()?;
        let outer = std::mem::replace(&mut self.is_in_arguments, false);
        let then = self.expression()?;
        self.is_in_arguments = outer;
        self.expect(":", "of `a ? b : c`")?;
        let otherwise = self.assignment()?;
        self.leave();
        Ok(made(
            ExpressionKind::Choice(Box::new(condition), Box::new(then), Box::new(otherwise)),
            self.since(start),
        ))
    }

    fn binary(&mut self, level: u8) -> Result<CudaExpression, CudaRefusal> {
        let start = self.at();
        let mut left = self.unary()?;
        let mut count = 0;
        while let Lexeme::Sign(sign) = self.token().lexeme {
            if self.is_in_arguments && matches!(sign, ">" | ">>") {
                break;
            }
            let is_fold = self.after(1).is_sign("...");
            let Some((of, strength)) =
                operator(sign).filter(|(_, strength)| *strength > level && !is_fold)
            else {
                break;
            };
            count += 1;
            if count > MAX_CHAIN {
                return Err(self.too_long());
            }
            // `k<<<1, 32>>>(..)` is no shift of what is less than something.
            if sign == "<<" && self.after(1).is_sign("<") {
                return Err(CudaRefusal::new(
                    self.since(start),
                    "a kernel starts another one here",
                    "kernels that start kernels are not looked at: ask about each of them alone",
                ));
            }
            self.advance();
            // `unknown<int>` is no comparison.
            if sign == "<"
                && let ExpressionKind::Name(path) = &left.what
                && self.is_at_type()
                && !self.after(1).is_sign("(")
                && !self.after(1).is_sign("::")
            {
                let at = path.at;
                let refusal = self.broken_item(&path.last().name);
                return Err(refusal.unwrap_or_else(|| self.unknown_name(at, "template")));
            }
            let right = self.binary(strength)?;
            left = made(
                ExpressionKind::Binary(of, Box::new(left), Box::new(right)),
                self.since(start),
            );
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<CudaExpression, CudaRefusal> {
        self.enter()?;
        let found = self.unary_within();
        self.leave();
        found
    }

    fn unary_within(&mut self) -> Result<CudaExpression, CudaRefusal> {
        let start = self.at();
        let of = match self.token().lexeme {
            Lexeme::Sign("-") => CudaUnary::Minus,
            Lexeme::Sign("+") => CudaUnary::Plus,
            Lexeme::Sign("!") => CudaUnary::Not,
            Lexeme::Sign("~") => CudaUnary::Complement,
            Lexeme::Sign("*") => CudaUnary::Content,
            Lexeme::Sign("&") => CudaUnary::Address,
            Lexeme::Sign("++") => CudaUnary::Increment,
            Lexeme::Sign("--") => CudaUnary::Decrement,
            Lexeme::Sign("(") => {
                // A cast, or an expression.
                self.next += 1;
                let is_cast = self.is_at_type() && self.is_cast();
                self.next -= 1;
                if !is_cast {
                    return self.postfix();
                }
                self.advance();
                let outer = std::mem::replace(&mut self.is_in_arguments, false);
                let ty = self.type_name()?;
                self.is_in_arguments = outer;
                self.expect(")", "behind the type of a cast")?;
                let of = self.unary()?;
                return Ok(made(ExpressionKind::Cast(ty, Box::new(of), false), self.since(start)));
            }
            _ if self.is_word("sizeof") || self.is_word("alignof") => {
                let is_size = self.is_word("sizeof");
                self.advance();
                if is_size && self.eat("...") {
                    self.expect("(", "behind `sizeof...`")?;
                    let name = self.name("a name of any number of types or values")?;
                    self.expect(")", "behind the name of `sizeof...`")?;
                    return Ok(made(ExpressionKind::CountOfPack(name), self.since(start)));
                }
                if !is_size {
                    self.expect("(", "behind `alignof`")?;
                    let outer = std::mem::replace(&mut self.is_in_arguments, false);
                    let ty = self.type_name()?;
                    self.is_in_arguments = outer;
                    self.expect(")", "behind the type of `alignof`")?;
                    return Ok(made(ExpressionKind::AlignmentOfType(ty), self.since(start)));
                }
                if self.is("(") {
                    self.next += 1;
                    let is_type = self.is_at_type();
                    self.next -= 1;
                    if is_type {
                        self.advance();
                        let ty = self.type_name()?;
                        self.expect(")", "behind the type of `sizeof`")?;
                        return Ok(made(ExpressionKind::SizeOfType(ty), self.since(start)));
                    }
                }
                let of = self.unary()?;
                return Ok(made(ExpressionKind::SizeOfValue(Box::new(of)), self.since(start)));
            }
            _ => return self.postfix(),
        };
        self.advance();
        let operand = self.unary()?;
        Ok(made(ExpressionKind::Unary(of, Box::new(operand)), self.since(start)))
    }

    /// Behind `(` and in front of a type: is it a cast? `T(x)` in parentheses is none, nor is
    /// `T{}`, nor `T::f()`.
    fn is_cast(&self) -> bool {
        match self.path_ahead() {
            Some((_, behind)) => {
                !self.tokens[behind].is_sign("(") && !self.tokens[behind].is_sign("{")
                    || self.tokens[behind].is_sign("(")
                        && self.tokens.get(behind + 1).is_some_and(|t| t.is_sign("*"))
                        && self.tokens.get(behind + 2).is_some_and(|t| t.is_sign(")"))
            }
            // A type of the language's own: `(int)x`, but `(int(x))` is none.
            None => {
                let mut n = self.next;
                while self.tokens[n].word().is_some() {
                    n += 1;
                }
                !self.tokens[n].is_sign("(") && !self.tokens[n].is_sign("{")
                    || self.tokens.get(n + 1).is_some_and(|t| t.is_sign("*"))
                        && self.tokens.get(n + 2).is_some_and(|t| t.is_sign(")"))
            }
        }
    }

    /// The arguments of a call, from `(`.
    pub(super) fn arguments(&mut self) -> Result<Vec<CudaExpression>, CudaRefusal> {
        self.expect("(", "in front of arguments")?;
        self.listed(")")
    }

    /// A list in braces, from `{`.
    pub(super) fn braced(&mut self) -> Result<Vec<CudaExpression>, CudaRefusal> {
        self.expect("{", "in front of a list")?;
        self.listed("}")
    }

    fn listed(&mut self, close: &str) -> Result<Vec<CudaExpression>, CudaRefusal> {
        let outer = std::mem::replace(&mut self.is_in_arguments, false);
        let mut all = Vec::new();
        while !self.is(close) {
            if self.is("{") {
                self.enter()?;
                let at = self.at();
                let inner = self.braced()?;
                self.leave();
                all.push(made(ExpressionKind::List(inner), self.since(at)));
            } else {
                let (start, at) = (self.next, self.at());
                if self.eat(".") {
                    let name = self.name("the name of a member")?;
                    self.eat("=");
                    let value = if self.is("{") {
                        let at = self.at();
                        let inner = self.braced()?;
                        made(ExpressionKind::List(inner), self.since(at))
                    } else {
                        self.assignment()?
                    };
                    all.push(made(
                        ExpressionKind::Designated(name, Box::new(value)),
                        self.since(at),
                    ));
                    if !self.eat(",") && !self.is(close) {
                        return Err(self.expected(&format!("`,` or `{close}`")));
                    }
                    continue;
                }
                let one = self.assignment()?;
                all.push(match self.packed(start) {
                    Some(of) => made(ExpressionKind::Pack(of(one)), self.since(at)),
                    None => one,
                });
            }
            if !self.eat(",") && !self.is(close) {
                return Err(self.expected(&format!("`,` or `{close}`")));
            }
        }
        self.is_in_arguments = outer;
        self.advance();
        Ok(all)
    }

    /// Takes `...`: what stands in front of it, from a token on, is a pattern.
    pub(super) fn packed<T>(
        &mut self,
        start: usize,
    ) -> Option<impl FnOnce(T) -> PackPattern<T> + use<T>> {
        let end = self.next;
        let words: Rc<[Rc<str>]> = match self.eat("...") {
            true => self.words(start, end),
            false => return None,
        };
        Some(|pattern| PackPattern { pattern: Rc::new(pattern), words, number: None })
    }

    /// The names between two tokens, each once.
    fn words(&self, start: usize, end: usize) -> Rc<[Rc<str>]> {
        let mut found: Vec<Rc<str>> =
            self.tokens[start..end].iter().filter_map(|t| t.word().cloned()).collect();
        found.sort_unstable();
        found.dedup();
        found.into()
    }

    /// An argument of a template that is a value, or any number of them.
    pub(super) fn choice_or_pack(&mut self, start: usize) -> Result<CudaExpression, CudaRefusal> {
        let at = self.at();
        let one = self.choice()?;
        Ok(match self.packed(start) {
            Some(of) => made(ExpressionKind::Pack(of(one)), self.since(at)),
            None => one,
        })
    }

    /// What stands in parentheses: an expression, or one operator between any number of operands.
    fn parenthesised(&mut self) -> Result<CudaExpression, CudaRefusal> {
        let (start, at) = (self.next, self.at());
        let pattern = |this: &Self, pattern: CudaExpression, start: usize| PackPattern {
            pattern: Rc::new(pattern),
            words: this.words(start, this.next),
            number: None,
        };
        if self.eat("...") {
            let operator = self.operator_of_fold()?;
            let start = self.next;
            let operand = self.unary()?;
            let pack = pattern(self, operand, start);
            let tree = FoldTree { pack, operator, first: None, is_from_right: false };
            return Ok(made(ExpressionKind::Fold(tree), self.since(at)));
        }
        let left = self.expression()?;
        if !self.after(1).is_sign("...") || self.is(")") {
            return Ok(left);
        }
        let of_left = pattern(self, left.clone(), start);
        let operator = self.operator_of_fold()?;
        self.expect("...", "behind the operator")?;
        if self.is(")") {
            let tree = FoldTree { pack: of_left, operator, first: None, is_from_right: true };
            return Ok(made(ExpressionKind::Fold(tree), self.since(at)));
        }
        if self.operator_of_fold()? != operator {
            return Err(CudaRefusal::new(
                at,
                "two operators of one fold",
                "write the same one on both sides of `...`",
            ));
        }
        let start = self.next;
        let right = self.unary()?;
        let of_right = pattern(self, right.clone(), start);
        // Which of the two names what there is any number of is known when it is.
        let tree = FoldTree {
            pack: of_right,
            operator,
            first: Some(Box::new(left)),
            is_from_right: false,
        };
        let other =
            FoldTree { pack: of_left, operator, first: Some(Box::new(right)), is_from_right: true };
        Ok(made(ExpressionKind::FoldOfEither(Box::new([tree, other])), self.since(at)))
    }

    fn operator_of_fold(&mut self) -> Result<Option<CudaBinary>, CudaRefusal> {
        let found = match self.token().lexeme {
            Lexeme::Sign(",") => None,
            Lexeme::Sign(sign) => match operator(sign) {
                Some((of, _)) => Some(of),
                None => return Err(self.expected("an operator of two operands beside `...`")),
            },
            _ => return Err(self.expected("an operator of two operands beside `...`")),
        };
        self.advance();
        Ok(found)
    }

    fn postfix(&mut self) -> Result<CudaExpression, CudaRefusal> {
        let start = self.at();
        let mut found = self.primary()?;
        let mut count = 0;
        loop {
            count += 1;
            if count > MAX_CHAIN {
                return Err(self.too_long());
            }
            let what = match self.token().lexeme {
                Lexeme::Sign("(") => {
                    let arguments = self.arguments()?;
                    ExpressionKind::Call(Box::new(found), arguments)
                }
                Lexeme::Sign("[") => {
                    self.advance();
                    let outer = std::mem::replace(&mut self.is_in_arguments, false);
                    let index = self.expression()?;
                    self.is_in_arguments = outer;
                    self.expect("]", "behind an index")?;
                    ExpressionKind::Index(Box::new(found), Box::new(index))
                }
                Lexeme::Sign(sign @ ("." | "->")) => {
                    self.advance();
                    self.eat_word("template");
                    if self.is_word("operator") {
                        return Err(CudaRefusal::new(
                            self.at(),
                            "a call of an operator by its name is not understood",
                            "write the operator",
                        ));
                    }
                    if self.is("~") {
                        return Err(CudaRefusal::new(
                            self.at(),
                            "a call of a destructor is not understood",
                            "let the scope end",
                        ));
                    }
                    // `d.Base::k` is that of a base.
                    if self.after(1).is_sign("::") {
                        let mut path = self.path()?;
                        let Some(part) = path.parts.pop() else {
                            return Err(self.expected("the name of a member"));
                        };
                        let base = TypeTree::Reference(Box::new(TypeTree::Named(path)));
                        let of = match sign {
                            "->" => made(
                                ExpressionKind::Unary(CudaUnary::Content, Box::new(found)),
                                self.since(start),
                            ),
                            _ => found,
                        };
                        let of = made(
                            ExpressionKind::Cast(base, Box::new(of), false),
                            self.since(start),
                        );
                        found = made(
                            ExpressionKind::Member(Box::new(of), part, false),
                            self.since(start),
                        );
                        continue;
                    }
                    let name = self.name("the name of a member")?;
                    let is_template = self.is("<") && self.is_template(&name);
                    let is_called = is_template
                        && self
                            .behind_arguments(self.next)
                            .is_some_and(|n| self.tokens[n].is_sign("("));
                    let arguments = if is_called { Some(self.template_arguments()?) } else { None };
                    ExpressionKind::Member(
                        Box::new(found),
                        NamePart { name, arguments },
                        sign == "->",
                    )
                }
                Lexeme::Sign(sign @ ("++" | "--")) => {
                    self.advance();
                    ExpressionKind::Behind(sign == "++", Box::new(found))
                }
                _ => return Ok(found),
            };
            found = made(what, self.since(start));
        }
    }

    fn primary(&mut self) -> Result<CudaExpression, CudaRefusal> {
        let start = self.at();
        let lexeme = self.token().lexeme.clone();
        let what = match &lexeme {
            Lexeme::Integer { value, bytes, is_unsigned, is_decimal, is_second } => {
                let (bytes, is_signed) = integer_type(*value, *bytes, *is_unsigned, *is_decimal);
                ExpressionKind::Integer { value: *value, bytes, is_signed, is_second: *is_second }
            }
            Lexeme::Real(value, is_single) => ExpressionKind::Real(*value, *is_single),
            Lexeme::Character(c) => ExpressionKind::Character(*c),
            Lexeme::Text(text) => {
                let mut whole: Rc<str> = text.clone();
                self.advance();
                while let Lexeme::Text(more) = self.token().lexeme.clone() {
                    self.advance();
                    whole = format!("{whole}{more}").into();
                }
                return Ok(made(ExpressionKind::Text(whole), self.since(start)));
            }
            Lexeme::Sign("(") => {
                self.advance();
                let outer = std::mem::replace(&mut self.is_in_arguments, false);
                let inner =
                    if self.is("{") { self.statements_as_value()? } else { self.parenthesised()? };
                self.is_in_arguments = outer;
                self.expect(")", "behind what stands in parentheses")?;
                return Ok(CudaExpression { at: self.since(start), ..inner });
            }
            Lexeme::Sign("[") => return self.lambda(),
            Lexeme::Sign("{") => {
                let all = self.braced()?;
                return Ok(made(ExpressionKind::List(all), self.since(start)));
            }
            Lexeme::Word(word) => match &**word {
                "true" => ExpressionKind::Truth(true),
                "false" => ExpressionKind::Truth(false),
                "nullptr" => ExpressionKind::Null,
                "this" => ExpressionKind::This,
                "__builtin_bit_cast" => {
                    self.advance();
                    self.expect("(", "behind `__builtin_bit_cast`")?;
                    let outer = std::mem::replace(&mut self.is_in_arguments, false);
                    let ty = self.type_name()?;
                    self.expect(",", "behind a type")?;
                    let of = self.assignment()?;
                    self.is_in_arguments = outer;
                    self.expect(")", "behind what is cast")?;
                    let part = NamePart {
                        name: "bit_cast".into(),
                        arguments: Some(vec![TemplateArgument::Type(ty)]),
                    };
                    let callee = made(
                        ExpressionKind::Name(NamePath { parts: vec![part], at: start }),
                        start,
                    );
                    return Ok(made(
                        ExpressionKind::Call(Box::new(callee), vec![of]),
                        self.since(start),
                    ));
                }
                "static_cast" | "reinterpret_cast" | "const_cast" => {
                    let is_of_bits = &**word == "reinterpret_cast";
                    self.advance();
                    self.expect("<", "in front of the type of a cast")?;
                    let outer = std::mem::replace(&mut self.is_in_arguments, true);
                    let ty = self.type_name()?;
                    self.is_in_arguments = outer;
                    if !self.is(">") && !self.is(">>") {
                        return Err(self.expected("`>` behind the type of a cast"));
                    }
                    self.close_arguments();
                    self.expect("(", "behind a cast")?;
                    let outer = std::mem::replace(&mut self.is_in_arguments, false);
                    let of = self.expression()?;
                    self.is_in_arguments = outer;
                    self.expect(")", "behind what is cast")?;
                    return Ok(made(
                        ExpressionKind::Cast(ty, Box::new(of), is_of_bits),
                        self.since(start),
                    ));
                }
                "requires" => return self.requirements(),
                // What verifiers of kernels are told to prove, or are helped by, in a language of
                // its own.
                "__invariant"
                | "__global_invariant"
                | "__ensures"
                | "__global_ensures"
                | "__barrier_invariant"
                | "__candidate_invariant"
                | "__function_wide_invariant"
                    if self.after(1).is_sign("(") =>
                {
                    self.advance();
                    self.skip_brackets()?;
                    let holds = ExpressionKind::Integer {
                        value: 1,
                        bytes: 4,
                        is_signed: true,
                        is_second: false,
                    };
                    return Ok(made(holds, self.since(start)));
                }
                // The name of the function, which only what is printed has.
                "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__" => {
                    ExpressionKind::Text(word.clone())
                }
                "new" | "delete" | "throw" | "typeid" | "dynamic_cast" | "co_await"
                | "noexcept" => {
                    let help = "a kernel that is looked at here gets its memory by its arguments and `__shared__`";
                    return Err(CudaRefusal::new(
                        start,
                        format!("`{word}` is not understood"),
                        help,
                    ));
                }
                _ if self.is_at_type() => {
                    // `T(x)`, `T{x}`.
                    let specifiers = self.specifiers(false)?;
                    let at = self.at();
                    let ty = specifiers.ty;
                    let what = match self.token().lexeme {
                        Lexeme::Sign("(") => ExpressionKind::Construct(ty, self.arguments()?),
                        Lexeme::Sign("{") => ExpressionKind::ConstructByList(ty, self.braced()?),
                        _ => {
                            return Err(CudaRefusal {
                                at,
                                ..self.expected("`(` or `{` behind a type")
                            });
                        }
                    };
                    return Ok(made(what, self.since(start)));
                }
                _ => {
                    let path = self.path()?;
                    return Ok(made(ExpressionKind::Name(path), self.since(start)));
                }
            },
            Lexeme::Sign("::") => {
                if self.is_at_type() {
                    let path = self.path()?;
                    let ty = TypeTree::Named(path);
                    let what = match self.is("{") {
                        true => ExpressionKind::ConstructByList(ty, self.braced()?),
                        false => ExpressionKind::Construct(ty, self.arguments()?),
                    };
                    return Ok(made(what, self.since(start)));
                }
                let path = self.path()?;
                return Ok(made(ExpressionKind::Name(path), self.since(start)));
            }
            _ => return Err(self.expected("an expression")),
        };
        self.advance();
        Ok(made(what, start))
    }
}

/// The type of a number (C++ [lex.icon]).
fn integer_type(value: u64, bytes: u8, is_unsigned: bool, is_decimal: bool) -> (u8, bool) {
    let fits = |bytes: u8, is_signed: bool| {
        value >> (u32::from(bytes) * 8 - u32::from(is_signed)).min(63)
            <= u64::from(bytes == 8 && !is_signed)
    };
    for bytes in [4, 8].into_iter().filter(|&b| b >= bytes) {
        if !is_unsigned && fits(bytes, true) {
            return (bytes, true);
        }
        if (is_unsigned || !is_decimal) && fits(bytes, false) {
            return (bytes, false);
        }
    }
    (8, false)
}
