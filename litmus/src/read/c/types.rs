//! Types: integers of C, CUDA and OpenCL, atomic ones, and the memory that parameters point to.

use margay_models::diagnostic::{Diagnostic, Severity, Span};

use super::CReader;
use crate::test::{CInteger, CParameter, CScope, CSpace, CType};

/// Words before a type that change nothing here.
const QUALIFIERS: [&str; 12] = [
    "volatile",
    "const",
    "static",
    "restrict",
    "__restrict__",
    "register",
    "struct",
    "private",
    "__private",
    "generic",
    "__generic",
    "constexpr",
];

/// The memory that a pointer points to.
const SPACES: [(&str, CSpace); 6] = [
    ("global", CSpace::Global),
    ("__global", CSpace::Global),
    ("local", CSpace::Local),
    ("__local", CSpace::Local),
    ("__device__", CSpace::Device),
    ("__shared__", CSpace::Shared),
];

/// Types of one word. `auto` is as wide as any.
const NAMES: [(&str, CInteger); 26] = [
    ("bool", CInteger::Bool),
    ("_Bool", CInteger::Bool),
    ("int8_t", CInteger::Char),
    ("uint8_t", CInteger::UnsignedChar),
    ("uchar", CInteger::UnsignedChar),
    ("int16_t", CInteger::Short),
    ("uint16_t", CInteger::UnsignedShort),
    ("ushort", CInteger::UnsignedShort),
    ("int32_t", CInteger::Int),
    ("uint32_t", CInteger::Unsigned),
    ("uint", CInteger::Unsigned),
    ("int64_t", CInteger::Long),
    ("uint64_t", CInteger::UnsignedLong),
    ("ulong", CInteger::UnsignedLong),
    ("size_t", CInteger::UnsignedLong),
    ("intptr_t", CInteger::Long),
    ("ptrdiff_t", CInteger::Long),
    ("uintptr_t", CInteger::UnsignedLong),
    ("intmax_t", CInteger::Long),
    ("uintmax_t", CInteger::UnsignedLong),
    ("char8_t", CInteger::UnsignedChar),
    ("char16_t", CInteger::UnsignedShort),
    ("char32_t", CInteger::Unsigned),
    ("llong", CInteger::Long),
    ("ullong", CInteger::UnsignedLong),
    ("auto", CInteger::Long),
];

/// Words that make a type together: `unsigned long int`.
const PARTS: [&str; 6] = ["unsigned", "signed", "int", "long", "short", "char"];

/// Types that are not read, and why.
const REFUSED: [(&str, &str); 6] = [
    ("float", "values are integers"),
    ("double", "values are integers"),
    ("half", "values are integers"),
    ("__half", "values are integers"),
    ("constant", "constant memory is not modelled at source level"),
    ("__constant", "constant memory is not modelled at source level"),
];

/// The integers of the words from `atomic_` on: `int` of `atomic_int`, `uint` of `atomic_uint`.
fn of_atomic(name: &str) -> Option<CInteger> {
    let rest = name.strip_prefix("atomic_")?;
    match rest {
        "flag" => Some(CInteger::Bool),
        // Linux has this one.
        "t" => Some(CInteger::Int),
        "schar" => Some(CInteger::Char),
        "long_long" => Some(CInteger::Long),
        _ => {
            let named = CInteger::ALL.into_iter().find(|i| i.atomic_name() == name);
            named.or_else(|| NAMES.iter().find(|(n, _)| *n == rest).map(|(_, i)| *i))
        }
    }
}

/// Is the word part of a type?
pub(super) fn is_type(word: &str) -> bool {
    QUALIFIERS.contains(&word)
        || PARTS.contains(&word)
        || NAMES.iter().any(|(name, _)| *name == word)
        || SPACES.iter().any(|(name, _)| *name == word)
        || REFUSED.iter().any(|(name, _)| *name == word)
}

/// A type, as far as it has been read.
#[derive(Default)]
struct Parts {
    unsigned: bool,
    signed: bool,
    longs: u8,
    short: bool,
    char: bool,
    int: bool,
    named: Option<CInteger>,
}

impl Parts {
    /// The type of the words; `None` if there are none.
    fn integer(&self) -> Option<CInteger> {
        use CInteger::{
            Char, Int, Long, Short, Unsigned, UnsignedChar, UnsignedLong, UnsignedShort,
        };
        let any =
            self.unsigned || self.signed || self.longs > 0 || self.short || self.char || self.int;
        let of = |signed, unsigned| Some(if self.unsigned { unsigned } else { signed });
        match (self.named, self.char, self.short, self.longs) {
            (Some(named), ..) => Some(named),
            (None, true, ..) => of(Char, UnsignedChar),
            (None, _, true, _) => of(Short, UnsignedShort),
            (None, .., 1..) => of(Long, UnsignedLong),
            _ if any => of(Int, Unsigned),
            _ => None,
        }
    }
}

/// What a type says.
pub(super) struct TypeWords {
    pub ty: CType,
    pub space: Option<CSpace>,
    pub scope: Option<CScope>,
}

impl CReader<'_, '_> {
    /// `(atomic_int* x, global int* y)`
    pub(super) fn parameters(&mut self) -> Result<Vec<(CParameter, Span)>, Diagnostic> {
        let mut parameters: Vec<(CParameter, Span)> = Vec::new();
        self.cursor.expect('(')?;
        if self.cursor.eat_word("void") {
            self.cursor.expect(')')?;
            return Ok(parameters);
        }
        while !self.cursor.eat(')') {
            let TypeWords { mut ty, space, scope } = self.pointed_type()?;
            if !self.cursor.eat('*') && !self.cursor.eat('&') {
                return Err(self.cursor.expected("`*`: parameters are pointers to locations"));
            }
            while self.cursor.peek_word().is_some_and(|w| QUALIFIERS.contains(&w)) {
                self.cursor.advance();
            }
            if self.cursor.eat('*') {
                // What it points to is a pointer itself.
                ty = CType { integer: CInteger::Pointer, atomic: false };
            }
            let (name, span) = self.cursor.word("the name of a location")?;
            if parameters.iter().any(|(p, _)| p.name == name) {
                return Err(self.cursor.error(
                    format!("parameter `{name}` is declared twice"),
                    span,
                    "the second one",
                ));
            }
            self.scopes.insert(name.to_string(), scope);
            parameters.push((CParameter { ty, space, name: name.to_string() }, span));
            if !self.cursor.eat(',') && !self.cursor.is(')') {
                return Err(self.cursor.expected("`,` or `)`"));
            }
        }
        Ok(parameters)
    }

    /// `int`, `atomic_int`, `_Atomic int`, `std::atomic<int>`,
    /// `cuda::atomic<int, cuda::thread_scope_block>`
    pub(super) fn pointed_type(&mut self) -> Result<TypeWords, Diagnostic> {
        let mut parts = Parts::default();
        let (mut atomic, mut scope, mut space) = (None, None, None);
        let mut is_atomic = false;
        while let Some(word) = self.cursor.peek_word() {
            let span = self.cursor.span();
            if let Some((_, found)) = SPACES.iter().find(|(name, _)| *name == word) {
                if space.replace(*found).is_some_and(|before| before != *found) {
                    return Err(self.cursor.error("a second state space", span, "one is enough"));
                }
                self.cursor.advance();
            } else if word == "_Atomic" {
                is_atomic = true;
                self.cursor.advance();
                if self.cursor.eat('(') {
                    atomic = Some(self.pointed_type()?.ty.integer);
                    self.cursor.expect(')')?;
                }
            } else if self.part(&mut parts)? {
            } else if word.starts_with("atomic_") {
                is_atomic = true;
                let integer = of_atomic(word);
                atomic = Some(integer.ok_or_else(|| self.unknown_atomic(word, span))?);
                self.cursor.advance();
            } else if is_atomic && atomic.is_some() || parts.integer().is_some() {
                break;
            } else {
                let (name, span) = self.path("a type")?;
                is_atomic = true;
                if name == "atomic" {
                    let (integer, found) = self.template_arguments()?;
                    (atomic, scope) = (integer, found);
                } else if name.starts_with("atomic_") {
                    let integer = of_atomic(name);
                    atomic = Some(integer.ok_or_else(|| self.unknown_atomic(name, span))?);
                } else {
                    return Err(self.cursor.unknown(
                        "type",
                        name,
                        span,
                        ["int", "atomic_int", "atomic"],
                    ));
                }
            }
        }
        let integer = atomic.or(parts.integer()).or(is_atomic.then_some(CInteger::Int));
        match integer {
            Some(integer) => {
                Ok(TypeWords { ty: CType { integer, atomic: is_atomic }, space, scope })
            }
            None => Err(self.cursor.expected("a type")),
        }
    }

    fn unknown_atomic(&self, name: &str, span: Span) -> Diagnostic {
        self.cursor.unknown("type", name, span, CInteger::ALL.map(CInteger::atomic_name))
    }

    /// Takes a word of an integer type or before one, if the next one is.
    fn part(&mut self, parts: &mut Parts) -> Result<bool, Diagnostic> {
        let Some(word) = self.cursor.peek_word() else { return Ok(false) };
        let span = self.cursor.span();
        if let Some((_, why)) = REFUSED.iter().find(|(name, _)| *name == word) {
            return Err(self.cursor.error(format!("`{word}` is not modelled"), span, *why));
        }
        match word {
            "unsigned" => parts.unsigned = true,
            "signed" => parts.signed = true,
            "int" => parts.int = true,
            "long" => parts.longs += 1,
            "short" => parts.short = true,
            "char" => parts.char = true,
            "volatile" => self.volatile(span),
            _ if QUALIFIERS.contains(&word) => {}
            _ => match NAMES.iter().find(|(name, _)| *name == word) {
                Some((_, integer)) => parts.named = Some(*integer),
                None => return Ok(false),
            },
        }
        let contradicts = parts.unsigned && parts.signed
            || parts.longs > 2
            || u8::from(parts.short) + u8::from(parts.char) + parts.longs.min(1) > 1
            || parts.named.is_some() && Parts { named: None, ..*parts }.integer().is_some();
        if contradicts {
            return Err(self.cursor.error(
                format!("no type has `{word}` here"),
                span,
                "it contradicts the words before",
            ));
        }
        self.cursor.advance();
        Ok(true)
    }

    /// Says that `volatile` is read as nothing, once for each thread.
    fn volatile(&mut self, span: Span) {
        const MESSAGE: &str = "`volatile` is read as nothing: accesses through it are plain";
        if self.warnings.iter().any(|w| w.message == MESSAGE) {
            return;
        }
        let warning = self.cursor.error(MESSAGE, span, "plain accesses, which race");
        self.warnings.push(Diagnostic { severity: Severity::Warning, ..warning }.help(
            "CUDA's compiler makes strong accesses of system scope of it (`ld.volatile`, PTX ISA 8.4.2), and C++ gives it no meaning \
             between threads: write a relaxed atomic access of system scope where that is meant",
        ));
    }

    /// The type of a local variable, if one is next: an integer, or a pointer, which is as wide as
    /// `long`.
    pub(super) fn variable_type(&mut self) -> Result<Option<CInteger>, Diagnostic> {
        let (mut parts, mut any) = (Parts::default(), false);
        while let Some(word) = self.cursor.peek_word() {
            if SPACES.iter().any(|(name, _)| *name == word) {
                let error = self.cursor.error(
                    format!("`{word}` memory in a thread"),
                    self.cursor.span(),
                    "declared here",
                );
                return Err(error.help(
                    "declare the location in the initial state, and name it as a parameter",
                ));
            }
            if !self.part(&mut parts)? {
                break;
            }
            any = true;
        }
        // `const x = 1;` is an int.
        Ok(any.then(|| parts.integer().unwrap_or(CInteger::Int)))
    }

    /// `<int, cuda::thread_scope_device>`; gives the type and the scope.
    pub(super) fn template_arguments(
        &mut self,
    ) -> Result<(Option<CInteger>, Option<CScope>), Diagnostic> {
        self.cursor.expect('<')?;
        let (mut parts, mut scope) = (Parts::default(), None);
        while !self.cursor.eat('>') {
            if self.part(&mut parts)? || self.cursor.eat(',') {
                continue;
            }
            let (name, span) = self.path("a type or a thread scope")?;
            match NAMES.iter().find(|(known, _)| *known == name) {
                Some((_, integer)) => parts.named = Some(*integer),
                None => scope = Some(self.scope(name, span)?),
            }
        }
        Ok((parts.integer(), scope))
    }
}
