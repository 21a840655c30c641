//! The preprocessor: macros, conditions, and the files that a program includes beside it.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::lex::{CudaRefusal, CudaSpan, CudaToken, Lexeme, lexed};
use crate::macros::Macro;

/// The most tokens of a program, with all that macros make.
pub(crate) const MAX_TOKENS: usize = 8 << 20;

/// How deep macros and files may be nested in each other.
pub(crate) const MAX_DEPTH: usize = 64;

/// The most files that are read; two in each of twenty that include each other would be a million.
const MAX_FILES: usize = 1000;

/// A file of a program.
#[derive(Debug, Clone)]
pub(crate) struct CudaFile {
    pub name: String,
    pub text: Rc<str>,
}

/// A condition that is open: is what stands here read, was a branch read before, and where it
/// began.
struct OpenCondition {
    is_read: bool,
    was_read: bool,
    around: bool,
    /// Is this its `#else`?
    is_last: bool,
    at: CudaSpan,
}

/// What a program is after its macros.
pub(crate) struct Preprocessor<'a> {
    pub files: Vec<CudaFile>,
    pub tokens: Vec<CudaToken>,
    pub names: FxHashSet<Rc<str>>,
    /// Headers that were not read, as they are named.
    pub headers: Vec<String>,
    pub(crate) macros: FxHashMap<Rc<str>, Macro>,
    /// What names stood for when `#pragma push_macro` kept them.
    kept_macros: FxHashMap<Rc<str>, Vec<Option<Macro>>>,
    include: &'a FileReader<'a>,
    /// Files that said `#pragma once`, or have begun.
    once: FxHashSet<String>,
    /// How many arguments of macros are being replaced, one within the other.
    pub(crate) around: usize,
    /// How often `__COUNTER__` was there.
    pub(crate) counter: u64,
    /// Where each token is written that a macro put somewhere.
    pub written: Vec<CudaSpan>,
}

impl<'a> Preprocessor<'a> {
    pub fn new(architecture: u32, include: &'a FileReader<'a>) -> Self {
        let mut made = Self {
            files: Vec::new(),
            tokens: Vec::new(),
            names: FxHashSet::default(),
            headers: Vec::new(),
            macros: FxHashMap::default(),
            kept_macros: FxHashMap::default(),
            include,
            once: FxHashSet::default(),
            around: 0,
            counter: 0,
            written: Vec::new(),
        };
        for (name, value) in [
            ("__CUDA_ARCH__", u64::from(architecture) * 10),
            ("__CUDACC__", 1),
            ("__NVCC__", 1),
            ("__cplusplus", 201_703),
            ("__CUDACC_VER_MAJOR__", 13),
            ("__CUDACC_VER_MINOR__", 0),
            ("CUDART_VERSION", 13_000),
            ("CUDA_VERSION", 13_000),
            ("__MARGAY__", 1),
            // What it asks is answered where `#if` is read.
            ("__has_include", 1),
        ] {
            let token = CudaToken {
                lexeme: integer(value),
                at: CudaSpan::default(),
                is_apart: true,
                is_kept: false,
            };
            made.macros.insert(
                name.into(),
                Macro { parameters: None, is_variadic: false, body: [token].into() },
            );
        }
        made
    }

    /// Reads a file and what it includes.
    pub fn file(&mut self, name: &str, text: &str, depth: usize) -> Result<(), CudaRefusal> {
        let number = self.files.len() as u16;
        self.files.push(CudaFile { name: name.to_owned(), text: text.into() });
        let tokens = lexed(text, number, &mut self.names)?;
        let mut conditions: Vec<OpenCondition> = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            if tokens[at].lexeme == Lexeme::Hash {
                let end = tokens[at..]
                    .iter()
                    .position(|t| t.lexeme == Lexeme::LineEnd)
                    .map_or(tokens.len(), |n| at + n);
                self.directive(&tokens[at..end], &mut conditions, name, depth)?;
                at = end;
                continue;
            }
            // Up to the next directive: a macro's arguments may stand in several lines.
            let end = tokens[at..]
                .iter()
                .position(|t| t.lexeme == Lexeme::Hash)
                .map_or(tokens.len(), |n| at + n);
            if conditions.last().is_none_or(|c| c.is_read) {
                let piece: Vec<CudaToken> = tokens[at..end]
                    .iter()
                    .filter(|t| t.lexeme != Lexeme::LineEnd)
                    .cloned()
                    .collect();
                let mut out = std::mem::take(&mut self.tokens);
                let done = self.expand(&piece, &mut out, &mut Vec::new(), None);
                self.tokens = out;
                done?;
            }
            at = end;
        }
        match conditions.last() {
            Some(open) => Err(CudaRefusal::new(
                open.at,
                "this `#if` is never closed",
                "close it with `#endif`",
            )),
            None => Ok(()),
        }
    }

    fn directive(
        &mut self,
        line: &[CudaToken],
        conditions: &mut Vec<OpenCondition>,
        name: &str,
        depth: usize,
    ) -> Result<(), CudaRefusal> {
        let is_read = conditions.last().is_none_or(|c| c.is_read);
        let hash = line[0].at;
        let Some(word) = line.get(1).and_then(CudaToken::word).cloned() else { return Ok(()) };
        let rest = &line[2..];
        let whole = CudaSpan { end: line.last().map_or(hash.end, |t| t.at.end), ..hash };
        let is_defined = |this: &Self| -> Result<bool, CudaRefusal> {
            let named = rest.first().and_then(CudaToken::word);
            let named = named.ok_or_else(|| {
                CudaRefusal::new(whole, format!("expected a name behind `#{word}`"), "name a macro")
            })?;
            Ok(this.macros.contains_key(named))
        };
        match &*word {
            "if" | "ifdef" | "ifndef" => {
                let value = is_read
                    && match &*word {
                        "ifdef" => is_defined(self)?,
                        "ifndef" => !is_defined(self)?,
                        _ => self.condition(rest, whole)?,
                    };
                if conditions.len() >= 1000 {
                    return Err(CudaRefusal::new(
                        whole,
                        "more than 1000 `#if` in each other",
                        "write it flatter",
                    ));
                }
                conditions.push(OpenCondition {
                    is_read: value,
                    was_read: value,
                    around: is_read,
                    is_last: false,
                    at: whole,
                });
            }
            "elif" | "else" => {
                let wrong = || {
                    CudaRefusal::new(
                        whole,
                        format!("`#{word}` without `#if`, or behind its `#else`"),
                        "take it out",
                    )
                };
                let open = conditions.last_mut().filter(|c| !c.is_last).ok_or_else(wrong)?;
                open.is_last = &*word == "else";
                let (was_read, around) = (open.was_read, open.around);
                let value =
                    around && !was_read && (&*word == "else" || self.condition(rest, whole)?);
                if let Some(open) = conditions.last_mut() {
                    open.is_read = value;
                    open.was_read |= value;
                }
            }
            "endif" => {
                conditions.pop().ok_or_else(|| {
                    CudaRefusal::new(whole, "`#endif` without `#if`", "take it out")
                })?;
            }
            // Which branch is read depends on the version of C++.
            "elifdef" | "elifndef" if conditions.last().is_some_and(|c| c.around) => {
                let not = if &*word == "elifdef" { "" } else { "!" };
                return Err(CudaRefusal::new(
                    whole,
                    format!("`#{word}` is of C++23, and other compilers pass over it"),
                    format!("write `#elif {not}defined(NAME)`"),
                ));
            }
            _ if !is_read => {}
            "define" => self.define(rest, whole)?,
            "undef" => {
                if let Some(named) = rest.first().and_then(CudaToken::word) {
                    self.macros.remove(named);
                }
            }
            "include" => self.included(rest, whole, name, depth)?,
            "pragma" if rest.first().and_then(CudaToken::word).is_some_and(|w| &**w == "once") => {
                self.once.insert(name.to_owned());
            }
            "pragma" => self.pragma(rest, whole)?,
            "error" => {
                let said =
                    &self.files[hash.file as usize].text[whole.start as usize..whole.end as usize];
                return Err(CudaRefusal::new(
                    whole,
                    format!("the program says {said}"),
                    "what it asks for was not given",
                ));
            }
            "line" | "warning" | "ident" => {}
            other => {
                return Err(CudaRefusal::new(
                    whole,
                    format!("`#{other}` is not known"),
                    "known are #define, #undef, #include, #if, #ifdef, #ifndef, #elif, #else, #endif, #pragma, #error and #line",
                ));
            }
        }
        Ok(())
    }

    /// What a pragma does to macros; all others say how to compile.
    pub(crate) fn pragma(
        &mut self,
        said: &[CudaToken],
        whole: CudaSpan,
    ) -> Result<(), CudaRefusal> {
        let Some(word) = said
            .first()
            .and_then(CudaToken::word)
            .filter(|w| matches!(&***w, "push_macro" | "pop_macro"))
        else {
            return Ok(());
        };
        let named = match said.get(1..4) {
            Some([open, CudaToken { lexeme: Lexeme::Text(name), .. }, close])
                if open.is_sign("(") && close.is_sign(")") =>
            {
                Some(name)
            }
            _ => None,
        };
        let Some(name) = named else {
            return Err(CudaRefusal::new(
                whole,
                format!("`{word}` of no name"),
                format!("write `#pragma {word}(\"NAME\")`"),
            ));
        };
        if &**word == "push_macro" {
            let of = self.macros.get(name).cloned();
            self.kept_macros.entry(name.clone()).or_default().push(of);
        } else if let Some(of) = self.kept_macros.get_mut(name).and_then(Vec::pop) {
            match of {
                Some(of) => self.macros.insert(name.clone(), of),
                None => self.macros.remove(name),
            };
        }
        Ok(())
    }

    /// `assert` is nothing where `NDEBUG` is defined when a header is named that has it, itself or
    /// by others.
    fn header(&mut self, name: String, whole: CudaSpan) {
        let first = name.split('/').next().unwrap_or(&name);
        if matches!(
            first,
            "cassert" | "assert.h" | "cuda" | "cooperative_groups.h" | "cooperative_groups"
        ) {
            self.macros.remove("assert");
            if self.macros.contains_key("NDEBUG") {
                let sign = |sign| CudaToken {
                    lexeme: Lexeme::Sign(sign),
                    at: whole,
                    is_apart: false,
                    is_kept: false,
                };
                let number = CudaToken { lexeme: integer(0), ..sign("(") };
                let void = CudaToken { lexeme: Lexeme::Word("void".into()), ..sign("(") };
                let body = [sign("("), sign("("), void, sign(")"), number, sign(")")].into();
                let parameters = Some(vec!["__VA_ARGS__".into()]);
                self.macros.insert("assert".into(), Macro { parameters, is_variadic: true, body });
            }
        }
        self.headers.push(name);
    }

    fn included(
        &mut self,
        rest: &[CudaToken],
        whole: CudaSpan,
        name: &str,
        depth: usize,
    ) -> Result<(), CudaRefusal> {
        match rest.first().map(|t| &t.lexeme) {
            Some(Lexeme::Sign("<")) => {
                let header =
                    self.written_between(&rest[0], rest.last().unwrap_or(&rest[0])).to_owned();
                self.header(header, whole);
                Ok(())
            }
            Some(Lexeme::Text(path)) => {
                let path = beside(name, path);
                if self.once.contains(&path) {
                    return Ok(());
                }
                if depth >= MAX_DEPTH || self.files.len() >= MAX_FILES {
                    let text = if depth >= MAX_DEPTH {
                        format!(
                            "files include each other more than {MAX_DEPTH} deep, or without end, `{path}` among them"
                        )
                    } else {
                        format!(
                            "`{path}` is one file more than {MAX_FILES}; a file counts as often as it is included"
                        )
                    };
                    return Err(CudaRefusal::new(
                        whole,
                        text,
                        "guard the file with `#pragma once`",
                    ));
                }
                let help = "files in quotation marks are read from there alone, wherever links lead; those in `<..>` are not read";
                match (self.include)(&path) {
                    Ok(Some(text)) => self.file(&path, &text, depth + 1),
                    // Those of CUDA and of the language may be named in quotation marks.
                    Ok(None) if is_of_toolkit(&path) || OF_C.contains(&&*path) => {
                        self.header(path, whole);
                        Ok(())
                    }
                    Ok(None) => {
                        let text = format!(
                            "there is no file `{path}` in the folder of the program, or below"
                        );
                        Err(CudaRefusal::new(whole, text, help))
                    }
                    Err(why) => {
                        let text = format!(
                            "`{path}` is not read from the folder of the program, or below: {why}"
                        );
                        Err(CudaRefusal::new(whole, text, help))
                    }
                }
            }
            _ => Err(CudaRefusal::new(
                whole,
                "expected a file behind `#include`",
                "write `#include \"lock.cuh\"` or `#include <cuda/atomic>`",
            )),
        }
    }

    /// The text between two tokens of one line.
    fn written_between(&self, first: &CudaToken, last: &CudaToken) -> &str {
        let file = &self.files[first.at.file as usize].text;
        file.get(first.at.end as usize..last.at.start as usize).unwrap_or_default()
    }

    /// Is there what stands within the parentheses of `__has_include`? `None` where that is not
    /// known.
    fn has_header(&self, asked: &[CudaToken], name: &str) -> Option<bool> {
        match asked {
            [CudaToken { lexeme: Lexeme::Text(path), .. }] => {
                let path = beside(name, path);
                if is_of_toolkit(&path) || OF_C.contains(&&*path) {
                    return Some(true);
                }
                // A file that is not read, since it lies outside of the folder, may be there.
                (self.include)(&path).ok().map(|text| text.is_some())
            }
            [first, .., last] if first.is_sign("<") && last.is_sign(">") => {
                let header = self.written_between(first, last);
                (is_known_header(header) || is_of_toolkit(header) || OF_C.contains(&header))
                    .then_some(true)
            }
            _ => None,
        }
    }

    /// The value of what stands behind `#if`.
    fn condition(&mut self, rest: &[CudaToken], whole: CudaSpan) -> Result<bool, CudaRefusal> {
        // `defined` is asked before macros are.
        let mut asked = Vec::new();
        let mut at = 0;
        while at < rest.len() {
            let is = |word: &str| rest[at].word().is_some_and(|w| &**w == word);
            if is("defined") {
                let (name, taken) = match &rest[at + 1..] {
                    [open, name, close, ..] if open.is_sign("(") && close.is_sign(")") => {
                        (name.word(), 3)
                    }
                    [name, ..] => (name.word(), 1),
                    [] => (None, 0),
                };
                let Some(name) = name else {
                    let text = "expected the name of a macro behind `defined`";
                    return Err(CudaRefusal::new(
                        rest[at].at,
                        text,
                        "write `defined(NAME)` or `defined NAME`",
                    ));
                };
                let value = integer(u64::from(self.macros.contains_key(name)));
                asked.push(CudaToken { lexeme: value, ..rest[at].clone() });
                at += 1 + taken;
                continue;
            }
            if is("__has_include") {
                let end =
                    rest[at..].iter().position(|t| t.is_sign(")")).map_or(rest.len(), |n| at + n);
                let within =
                    rest.get(at + 2..end).filter(|_| rest[at + 1].is_sign("(")).unwrap_or_default();
                let name = self.files[whole.file as usize].name.clone();
                let Some(is_there) = self.has_header(within, &name) else {
                    let text = "whether there is this header is not known: `<..>` is not searched for, and of `\"..\"` no other folder than the program's";
                    return Err(CudaRefusal::new(rest[at].at, text, "write 1 or 0 in its place"));
                };
                asked.push(CudaToken { lexeme: integer(u64::from(is_there)), ..rest[at].clone() });
                at = end + 1;
                continue;
            }
            asked.push(rest[at].clone());
            at += 1;
        }
        let mut out = Vec::new();
        self.expand(&asked, &mut out, &mut Vec::new(), None)?;
        let mut sum = ConditionReader { tokens: &out, next: 0, depth: 0, passed: 0 };
        let value = sum.choice().filter(|_| sum.next == out.len());
        value.map(|v| v.bits != 0).ok_or_else(|| {
            CudaRefusal::new(
                whole,
                "expected a condition of whole numbers behind `#if`",
                "write it of numbers, names, `defined(NAME)` and operators",
            )
        })
    }
}

/// The path of a file that another one names, from the folder of the program.
fn beside(name: &str, path: &str) -> String {
    match name.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{path}"),
        None => path.to_owned(),
    }
}

pub(crate) fn integer(value: u64) -> Lexeme {
    Lexeme::Integer { value, bytes: 4, is_unsigned: false, is_decimal: true, is_second: false }
}

/// Headers whose names are known without their being read, as far as kernels use them.
pub(crate) fn is_known_header(name: &str) -> bool {
    let parts: Vec<&str> = name.trim_end_matches(".h").split('/').collect();
    let is_of_host = matches!(
        parts[0],
        "iostream"
            | "cstdio"
            | "stdio"
            | "cstdlib"
            | "stdlib"
            | "cassert"
            | "assert"
            | "cstdint"
            | "stdint"
            | "vector"
            | "string"
            | "cstring"
            | "memory"
            | "algorithm"
            | "chrono"
            | "cuda_runtime"
            | "cuda"
            | "cuda_runtime_api"
            | "cudaTypedefs"
            | "cooperative_groups"
            | "device_launch_parameters"
            | "cstddef"
            | "stddef"
            | "limits"
            | "climits"
            | "iomanip"
            | "utility"
            | "type_traits"
            | "functional"
            | "random"
            | "thread"
            | "array"
            | "map"
            | "numeric"
            | "sys"
            | "unistd"
            | "time"
            | "ctime"
            | "math"
            | "cmath"
            | "fstream"
            | "sstream"
    );
    is_of_host && (parts.len() == 1 || matches!(parts[1], "atomic" | "std" | "sys"))
}

/// Headers of C, whose names no file of a program has.
const OF_C: [&str; 10] = [
    "stdio.h",
    "stdlib.h",
    "assert.h",
    "stdint.h",
    "stdbool.h",
    "stddef.h",
    "string.h",
    "math.h",
    "limits.h",
    "float.h",
];

fn is_of_toolkit(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    [
        "cuda",
        "cooperative_groups",
        "device_",
        "helper_",
        "math_constants",
        "curand",
        "vector_",
        "sm_",
        "driver_types",
        "nv/",
        "host_",
    ]
    .iter()
    .any(|start| name.starts_with(start) || path.starts_with(start))
}

/// A number of the preprocessor, which has 64 bits.
#[derive(Clone, Copy)]
struct ConditionValue {
    bits: u64,
    is_unsigned: bool,
}

impl ConditionValue {
    fn signed(value: i64) -> Self {
        Self { bits: value as u64, is_unsigned: false }
    }

    fn truth(value: bool) -> Self {
        Self::signed(i64::from(value))
    }
}

/// Reads the condition of an `#if`.
struct ConditionReader<'t> {
    tokens: &'t [CudaToken],
    next: usize,
    depth: usize,
    /// In how many operands it is that are not computed (`0 && 1 / 0`).
    passed: usize,
}

impl ConditionReader<'_> {
    /// `a ? b : c`, and all that binds more strongly.
    fn choice(&mut self) -> Option<ConditionValue> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let condition = self.value(0)?;
        let mut found = condition;
        if self.is_next("?") {
            let taken = condition.bits != 0;
            let one = self.computed_if(taken, Self::choice)?;
            if !self.is_next(":") {
                return None;
            }
            let other = self.computed_if(!taken, Self::choice)?;
            let bits = if taken { one.bits } else { other.bits };
            found = ConditionValue { bits, is_unsigned: one.is_unsigned || other.is_unsigned };
        }
        self.depth -= 1;
        Some(found)
    }

    /// Goes past a sign, if it is the next one.
    fn is_next(&mut self, sign: &str) -> bool {
        let is = self.tokens.get(self.next).is_some_and(|t| t.is_sign(sign));
        self.next += usize::from(is);
        is
    }

    fn computed_if(
        &mut self,
        is_computed: bool,
        of: impl FnOnce(&mut Self) -> Option<ConditionValue>,
    ) -> Option<ConditionValue> {
        self.passed += usize::from(!is_computed);
        let found = of(self);
        self.passed -= usize::from(!is_computed);
        found
    }

    fn value(&mut self, level: u8) -> Option<ConditionValue> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut left = self.one()?;
        while let Some(Lexeme::Sign(sign)) = self.tokens.get(self.next).map(|t| &t.lexeme) {
            let of = match *sign {
                "||" => 1,
                "&&" => 2,
                "|" => 3,
                "^" => 4,
                "&" => 5,
                "==" | "!=" => 6,
                "<" | ">" | "<=" | ">=" => 7,
                "<<" | ">>" => 8,
                "+" | "-" => 9,
                "*" | "/" | "%" => 10,
                _ => break,
            };
            if of <= level {
                break;
            }
            self.next += 1;
            let truth = left.bits != 0;
            let is_computed = match *sign {
                "||" => !truth,
                "&&" => truth,
                _ => true,
            };
            let right = self.computed_if(is_computed, |reader| reader.value(of))?;
            left = match *sign {
                "||" => ConditionValue::truth(truth || right.bits != 0),
                "&&" => ConditionValue::truth(truth && right.bits != 0),
                sign => self.operated(sign, left, right)?,
            };
        }
        self.depth -= 1;
        Some(left)
    }

    fn operated(
        &self,
        sign: &str,
        left: ConditionValue,
        right: ConditionValue,
    ) -> Option<ConditionValue> {
        let (a, b) = (left.bits, right.bits);
        if matches!(sign, "<<" | ">>") {
            let by = u32::try_from(b).ok()?;
            let bits = match (sign, left.is_unsigned) {
                ("<<", _) => a.checked_shl(by)?,
                (_, true) => a.checked_shr(by)?,
                (_, false) => (a as i64).checked_shr(by)? as u64,
            };
            return Some(ConditionValue { bits, ..left });
        }
        let is_unsigned = left.is_unsigned || right.is_unsigned;
        let order = if is_unsigned { a.cmp(&b) } else { (a as i64).cmp(&(b as i64)) };
        let bits = match sign {
            "==" => return Some(ConditionValue::truth(order.is_eq())),
            "!=" => return Some(ConditionValue::truth(order.is_ne())),
            "<" => return Some(ConditionValue::truth(order.is_lt())),
            ">" => return Some(ConditionValue::truth(order.is_gt())),
            "<=" => return Some(ConditionValue::truth(order.is_le())),
            ">=" => return Some(ConditionValue::truth(order.is_ge())),
            "|" => a | b,
            "^" => a ^ b,
            "&" => a & b,
            "+" => a.wrapping_add(b),
            "-" => a.wrapping_sub(b),
            "*" => a.wrapping_mul(b),
            // What is not computed may be anything.
            "/" | "%" if b == 0 && self.passed > 0 => 0,
            "/" if is_unsigned => a.checked_div(b)?,
            "/" => (a as i64).checked_div(b as i64)? as u64,
            _ if is_unsigned => a.checked_rem(b)?,
            _ => (a as i64).checked_rem(b as i64)? as u64,
        };
        Some(ConditionValue { bits, is_unsigned })
    }

    fn one(&mut self) -> Option<ConditionValue> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let token = self.tokens.get(self.next)?;
        self.next += 1;
        let value = match &token.lexeme {
            Lexeme::Integer { value, is_unsigned, is_decimal, .. } => {
                let is_large = !is_decimal && i64::try_from(*value).is_err();
                Some(ConditionValue { bits: *value, is_unsigned: *is_unsigned || is_large })
            }
            Lexeme::Character(c) => Some(ConditionValue::signed(i64::from(*c as i8))),
            Lexeme::Word(word) => {
                // A name that is no macro is 0; what is called is none of this language.
                let is_called = self.tokens.get(self.next).is_some_and(|t| t.is_sign("("));
                if is_called { None } else { Some(ConditionValue::truth(&**word == "true")) }
            }
            Lexeme::Sign("!") => Some(ConditionValue::truth(self.one()?.bits == 0)),
            Lexeme::Sign("-") => {
                self.one().map(|v| ConditionValue { bits: v.bits.wrapping_neg(), ..v })
            }
            Lexeme::Sign("+") => self.one(),
            Lexeme::Sign("~") => self.one().map(|v| ConditionValue { bits: !v.bits, ..v }),
            Lexeme::Sign("(") => {
                let value = self.choice()?;
                let close = self.tokens.get(self.next)?.is_sign(")");
                self.next += 1;
                close.then_some(value)
            }
            _ => None,
        };
        self.depth -= 1;
        value
    }
}

/// Reads a file that a program includes: nothing where there is none; an error is why it is not
/// read, as a sentence about `it`.
pub type FileReader<'a> = dyn Fn(&str) -> Result<Option<String>, String> + 'a;
