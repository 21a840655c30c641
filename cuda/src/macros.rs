//! Macros: what is put in the place of their names, and where that is written.

use std::borrow::Cow;
use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::lex::{CudaRefusal, CudaSpan, CudaToken, Lexeme, lexed};
use crate::preprocess::{MAX_DEPTH, MAX_TOKENS, Preprocessor};

#[derive(Debug, Clone)]
pub(crate) struct Macro {
    /// The parameters, of one that is called.
    pub parameters: Option<Vec<Rc<str>>>,
    pub is_variadic: bool,
    pub body: Rc<[CudaToken]>,
}

impl Preprocessor<'_> {
    pub(crate) fn define(
        &mut self,
        rest: &[CudaToken],
        whole: CudaSpan,
    ) -> Result<(), CudaRefusal> {
        let named = rest.first().and_then(CudaToken::word).cloned();
        let named = named.ok_or_else(|| {
            CudaRefusal::new(
                whole,
                "expected a name behind `#define`",
                "write `#define NAME VALUE`",
            )
        })?;
        let mut body = &rest[1..];
        let mut parameters = None;
        let mut is_variadic = false;
        if body.first().is_some_and(|t| t.is_sign("(") && !t.is_apart) {
            let mut all = Vec::new();
            let mut at = 1;
            loop {
                match body.get(at).map(|t| &t.lexeme) {
                    Some(Lexeme::Word(word)) => all.push(word.clone()),
                    Some(Lexeme::Sign("...")) => {
                        is_variadic = true;
                        // `args...` names the rest itself.
                        if body.get(at - 1).is_none_or(|t| t.word().is_none()) {
                            all.push("__VA_ARGS__".into());
                        }
                    }
                    Some(Lexeme::Sign(",")) => {}
                    Some(Lexeme::Sign(")")) => break,
                    _ => {
                        return Err(CudaRefusal::new(
                            whole,
                            "expected names of parameters in parentheses",
                            "write `#define NAME(a, b) ..`",
                        ));
                    }
                }
                at += 1;
            }
            body = &body[at + 1..];
            parameters = Some(all);
        }
        self.macros.insert(named, Macro { parameters, is_variadic, body: body.into() });
        Ok(())
    }

    /// Puts what macros stand for in the place of their names.
    pub(crate) fn expand(
        &mut self,
        tokens: &[CudaToken],
        out: &mut Vec<CudaToken>,
        active: &mut Vec<Rc<str>>,
        place: Option<CudaSpan>,
    ) -> Result<(), CudaRefusal> {
        let mut at = 0;
        // The name of a macro that is called, where what stands in front of its arguments was made
        // by another macro.
        let mut made: Option<CudaToken> = None;
        while at < tokens.len() {
            let token = &made.take().unwrap_or_else(|| tokens[at].clone());
            let at_place = place.unwrap_or(token.at);
            if out.len() > MAX_TOKENS {
                return Err(too_many(at_place));
            }
            let is_open = |w: &&Rc<str>| !token.is_kept && !active.contains(w);
            let found = token
                .word()
                .filter(is_open)
                .and_then(|w| Some((w.clone(), self.macros.get(w)?.clone())));
            let Some((name, of)) = found else {
                at += 1 + self.unreplaced(token, &tokens[at + 1..], out, active, place)?;
                continue;
            };
            if active.len() + self.around >= MAX_DEPTH {
                return Err(CudaRefusal::new(
                    at_place,
                    format!("macros are nested more than {MAX_DEPTH} deep"),
                    "write it flatter",
                ));
            }
            let begin = out.len();
            let Some(parameters) = &of.parameters else {
                active.push(name);
                let body = self.joined(of.body.to_vec(), at_place)?;
                let done = self.expand(&body, out, active, Some(at_place));
                active.pop();
                done?;
                made = self.called_behind(tokens, at + 1, out, begin, active);
                at += usize::from(made.is_none());
                continue;
            };
            if !tokens.get(at + 1).is_some_and(|t| t.is_sign("(")) {
                out.push(self.placed(token, place));
                at += 1;
                continue;
            }
            let call = MacroCall { name: &name, of: &of, parameters, place: at_place };
            let (arguments, length) = call.arguments(&tokens[at + 1..])?;
            let end = at + 1 + length;
            // What macros stand for in an argument is put there first, but where `#` or `##` takes
            // it as it is written.
            let mut expanded: Vec<Vec<CudaToken>> = Vec::with_capacity(arguments.len());
            for argument in &arguments {
                let mut of_argument = Vec::new();
                self.around += 1;
                let done = self.expand(argument, &mut of_argument, active, Some(at_place));
                self.around -= 1;
                done?;
                expanded.push(of_argument);
            }
            let body = self.substituted(&call, &arguments, &expanded)?;
            let body = self.joined(body, at_place)?;
            active.push(name);
            let done = self.expand(&body, out, active, Some(at_place));
            active.pop();
            done?;
            made = self.called_behind(tokens, end + 1, out, begin, active);
            at = if made.is_some() { end } else { end + 1 };
        }
        Ok(())
    }

    /// Takes over a token that is no macro to be replaced; how many tokens behind it belong to it.
    fn unreplaced(
        &mut self,
        token: &CudaToken,
        behind: &[CudaToken],
        out: &mut Vec<CudaToken>,
        active: &[Rc<str>],
        place: Option<CudaSpan>,
    ) -> Result<usize, CudaRefusal> {
        let at_place = place.unwrap_or(token.at);
        if token.word().is_some_and(|w| &**w == "_Pragma")
            && let Some([open, CudaToken { lexeme: Lexeme::Text(text), .. }, close]) =
                behind.get(..3)
            && open.is_sign("(")
            && close.is_sign(")")
        {
            let said = lexed(text, at_place.file, &mut self.names)?;
            self.pragma(&said, at_place)?;
            return Ok(3);
        }
        if let Some(lexeme) = self.predefined(token, at_place) {
            out.push(CudaToken { lexeme, ..self.placed(token, place) });
            return Ok(0);
        }
        let is_kept = token.is_kept || token.word().is_some_and(|w| active.contains(w));
        out.push(CudaToken { is_kept, ..self.placed(token, place) });
        Ok(0)
    }

    /// The body of a macro with its arguments: as they are written next to `#` and `##`, and else
    /// with what macros in them stand for.
    fn substituted(
        &self,
        call: &MacroCall<'_>,
        arguments: &[Vec<CudaToken>],
        expanded: &[Vec<CudaToken>],
    ) -> Result<Vec<CudaToken>, CudaRefusal> {
        let of_body = match call.of.is_variadic {
            true => {
                let has_rest = arguments.last().is_some_and(|rest| !rest.is_empty());
                with_optional(&call.of.body, has_rest)
            }
            false => call.of.body.to_vec(),
        };
        let parameter =
            |t: &CudaToken| t.word().and_then(|w| call.parameters.iter().position(|p| p == w));
        let mut body = Vec::new();
        let mut n = 0;
        while n < of_body.len() {
            let token = &of_body[n];
            if matches!(token.lexeme, Lexeme::Sign("#"))
                && let Some(which) = of_body.get(n + 1).and_then(parameter)
            {
                let text = self.quoted(&arguments[which]);
                body.push(CudaToken {
                    lexeme: Lexeme::Text(text.into()),
                    is_apart: true,
                    ..token.clone()
                });
                n += 2;
                continue;
            }
            match parameter(token) {
                Some(which) => {
                    let is_joined =
                        n.checked_sub(1).is_some_and(|before| of_body[before].is_sign("##"))
                            || of_body.get(n + 1).is_some_and(|next| next.is_sign("##"));
                    let argument = if is_joined { &arguments[which] } else { &expanded[which] };
                    if is_joined && argument.is_empty() {
                        // `##` joins nothing to what is on its other side.
                        body.push(CudaToken { lexeme: Lexeme::Word("".into()), ..token.clone() });
                    }
                    body.extend(argument.iter().enumerate().map(|(n, t)| match n {
                        0 => CudaToken { is_apart: token.is_apart, ..t.clone() },
                        _ => t.clone(),
                    }));
                }
                None => body.push(token.clone()),
            }
            if body.len() > MAX_TOKENS {
                return Err(too_many(call.place));
            }
            n += 1;
        }
        Ok(body)
    }

    /// The last token that a macro made, taken back, where it is the name of a macro whose
    /// arguments stand behind: `#define CALL F`, `CALL(1)`.
    fn called_behind(
        &self,
        tokens: &[CudaToken],
        next: usize,
        out: &mut Vec<CudaToken>,
        begin: usize,
        active: &[Rc<str>],
    ) -> Option<CudaToken> {
        let last = out.get(begin..)?.last().filter(|t| !t.is_kept)?;
        let is_called =
            self.macros.get(last.word()?)?.parameters.is_some() && !active.contains(last.word()?);
        (is_called && tokens.get(next)?.is_sign("(")).then(|| out.pop())?
    }

    /// What `#` makes of an argument: its tokens as they are written, with one space where any are
    /// between two.
    fn quoted(&self, argument: &[CudaToken]) -> String {
        let mut text = String::new();
        for (n, token) in argument.iter().enumerate() {
            if n > 0 && token.is_apart {
                text.push(' ');
            }
            text.push_str(&self.written(token));
        }
        text
    }

    /// `a ## b` is one token.
    fn joined(
        &mut self,
        body: Vec<CudaToken>,
        at: CudaSpan,
    ) -> Result<Vec<CudaToken>, CudaRefusal> {
        if !body.iter().any(|t| t.is_sign("##") || t.word().is_some_and(|w| w.is_empty())) {
            return Ok(body);
        }
        let is_nothing = |t: &CudaToken| t.word().is_some_and(|w| w.is_empty());
        let mut out: Vec<CudaToken> = Vec::with_capacity(body.len());
        let mut rest = body.into_iter().peekable();
        while let Some(token) = rest.next() {
            if !token.is_sign("##") {
                out.push(token);
                continue;
            }
            let (Some(left), Some(right)) = (out.pop(), rest.next()) else {
                return Err(CudaRefusal::new(
                    at,
                    "`##` with nothing in front of it, or behind it",
                    "write a token on both sides",
                ));
            };
            // `, ##__VA_ARGS__`: where there are no arguments the comma goes.
            if left.is_sign(",") {
                if !is_nothing(&right) {
                    out.extend([left, right]);
                }
                continue;
            }
            if is_nothing(&left) || is_nothing(&right) {
                out.push(CudaToken {
                    is_apart: left.is_apart,
                    ..if is_nothing(&left) { right } else { left }
                });
                continue;
            }
            let text = format!("{}{}", self.written(&left), self.written(&right));
            let tokens = lexed(&text, at.file, &mut self.names).unwrap_or_default();
            let [one, CudaToken { lexeme: Lexeme::LineEnd, .. }] = &tokens[..] else {
                let message = format!("`##` makes `{text}`, which is no token");
                return Err(CudaRefusal::new(
                    at,
                    message,
                    "`##` joins what is one word, number or sign together",
                ));
            };
            out.push(CudaToken { lexeme: one.lexeme.clone(), is_kept: false, ..left });
        }
        out.retain(|t| !is_nothing(t));
        Ok(out)
    }

    /// What the names stand for that say where they are.
    fn predefined(&mut self, token: &CudaToken, at: CudaSpan) -> Option<Lexeme> {
        let file = self.files.get(at.file as usize)?;
        match &**token.word()? {
            "__LINE__" => {
                let before = file.text.get(..at.start as usize)?;
                Some(crate::preprocess::integer(
                    before.bytes().filter(|b| *b == b'\n').count() as u64 + 1,
                ))
            }
            "__FILE__" => Some(Lexeme::Text(file.name.as_str().into())),
            "__COUNTER__" => {
                self.counter += 1;
                Some(crate::preprocess::integer(self.counter - 1))
            }
            _ => None,
        }
    }

    /// A token at the place of the macro that puts it there.
    fn placed(&mut self, token: &CudaToken, place: Option<CudaSpan>) -> CudaToken {
        let Some(place) = place else { return token.clone() };
        let written = self.written_at(token.at);
        self.written.push(written);
        CudaToken { at: CudaSpan { written: self.written.len() as u32, ..place }, ..token.clone() }
    }

    /// Where a token is written.
    fn written_at(&self, at: CudaSpan) -> CudaSpan {
        at.written.checked_sub(1).and_then(|n| self.written.get(n as usize)).copied().unwrap_or(at)
    }

    /// As the file spells it, where that is the same token; else its own text.
    fn written(&self, token: &CudaToken) -> Cow<'_, str> {
        let CudaSpan { file, start, end, .. } = self.written_at(token.at);
        let source = self
            .files
            .get(file as usize)
            .and_then(|f| f.text.get(start as usize..end as usize))
            .unwrap_or_default();
        // It may have been joined of two, or say where it is.
        if is_same(source, &token.lexeme) {
            return source.into();
        }
        match &token.lexeme {
            Lexeme::Word(word) => word.to_string().into(),
            Lexeme::Sign(sign) => (*sign).into(),
            Lexeme::Integer { value, bytes, is_unsigned, is_second, .. } => {
                let (unsigned, long) =
                    (if *is_unsigned { "u" } else { "" }, if *is_second { "ll" } else { "l" });
                format!("{value}{unsigned}{}", if *bytes == 8 { long } else { "" }).into()
            }
            Lexeme::Text(text) => format!("{text:?}").into(),
            _ => source.into(),
        }
    }
}

fn too_many(at: CudaSpan) -> CudaRefusal {
    CudaRefusal::new(
        at,
        format!("more than {MAX_TOKENS} tokens once macros are expanded"),
        "make it smaller",
    )
}

/// A macro that is called with arguments, and where.
struct MacroCall<'a> {
    name: &'a str,
    of: &'a Macro,
    parameters: &'a [Rc<str>],
    place: CudaSpan,
}

impl MacroCall<'_> {
    /// What is given for each parameter, from `(` on, and the place of the `)` that closes it.
    fn arguments(&self, tokens: &[CudaToken]) -> Result<(Vec<Vec<CudaToken>>, usize), CudaRefusal> {
        let Self { name, of, parameters, place } = *self;
        let mut arguments: Vec<Vec<CudaToken>> = vec![Vec::new()];
        let mut depth = 0usize;
        let mut end = 0;
        loop {
            let Some(t) = tokens.get(end) else {
                return Err(CudaRefusal::new(
                    place,
                    format!("the arguments of the macro `{name}` are never closed"),
                    "close them with `)`",
                ));
            };
            // Braces hold no argument together.
            match &t.lexeme {
                Lexeme::Sign("(") => depth += 1,
                Lexeme::Sign(")") => depth -= 1,
                _ => {}
            }
            let is_full = of.is_variadic && arguments.len() >= parameters.len();
            if depth == 0 {
                break;
            } else if depth == 1 && t.is_sign(",") && !is_full {
                arguments.push(Vec::new());
            } else if end > 0
                && let Some(last) = arguments.last_mut()
            {
                last.push(t.clone());
            }
            end += 1;
        }
        if parameters.is_empty() && arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        if of.is_variadic && arguments.len() + 1 == parameters.len() {
            arguments.push(Vec::new());
        }
        if arguments.len() != parameters.len() {
            return Err(CudaRefusal::new(
                place,
                format!(
                    "the macro `{name}` takes {} arguments, and gets {}",
                    parameters.len(),
                    arguments.len()
                ),
                "give as many as it takes",
            ));
        }
        Ok((arguments, end))
    }
}

/// Is a text one token, and which?
fn is_same(text: &str, lexeme: &Lexeme) -> bool {
    let found = lexed(text, 0, &mut FxHashSet::default());
    found.is_ok_and(|tokens| tokens.len() == 2 && tokens[0].lexeme == *lexeme)
}

/// What a macro stands for with what is in `__VA_OPT__(..)`, or without it.
fn with_optional(body: &[CudaToken], has_rest: bool) -> Vec<CudaToken> {
    let mut found = Vec::with_capacity(body.len());
    let mut rest = body.iter().peekable();
    while let Some(token) = rest.next() {
        let is_optional = token.word().is_some_and(|w| &**w == "__VA_OPT__")
            && rest.peek().is_some_and(|t| t.is_sign("("));
        if !is_optional {
            found.push(token.clone());
            continue;
        }
        let mut depth = 0usize;
        for token in rest.by_ref() {
            let before = depth;
            match token.lexeme {
                Lexeme::Sign("(") => depth += 1,
                Lexeme::Sign(")") => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            if before > 0 && has_rest {
                found.push(token.clone());
            }
        }
    }
    found
}
