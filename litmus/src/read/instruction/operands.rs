//! What follows a mnemonic: registers, values, addresses, vectors.

use margay_models::diagnostic::Diagnostic;

use super::super::cursor::Cursor;
use super::super::qualifier::Mnemonic;
use super::Names;
use crate::test::{Address, Base, TestOperand, ThreadId, Type};

/// Reads what follows the mnemonic.
pub(in crate::read) struct Operands<'c, 'a> {
    pub cursor: &'c mut Cursor<'a>,
    pub thread: ThreadId,
    pub names: &'c mut Names,
}

impl Operands<'_, '_> {
    pub(in crate::read) fn comma(&mut self) -> Result<(), Diagnostic> {
        self.cursor.expect(',')
    }

    pub(in crate::read) fn destination(&mut self) -> Result<String, Diagnostic> {
        let (name, span) = self.cursor.word("a register")?;
        if self.names.is_location(name) {
            return Err(self.cursor.error(
                format!("`{name}` is a location, not a register"),
                span,
                "expected a register",
            ));
        }
        self.names.writes(name, self.thread);
        Ok(name.to_string())
    }

    /// `r0`, `1`, `-1`, `0f3F800000`, `x`
    pub fn value(&mut self) -> Result<TestOperand, Diagnostic> {
        if self.cursor.is_integer() {
            return Ok(TestOperand::Integer(self.cursor.integer("a number")?));
        }
        self.cursor.eat('&');
        let (name, _) = self.cursor.word("a register or a number")?;
        if let Some(bits) = float_bits(name) {
            return Ok(TestOperand::Integer(bits));
        }
        if !self.names.is_location(name) {
            return Ok(TestOperand::Register(name.to_string()));
        }
        let location = match self.index()? {
            Some(index) => format!("{name}[{index}]"),
            None => self.names.location(name),
        };
        Ok(TestOperand::AddressOf(location))
    }

    /// `[1]` after the name of an array.
    pub(super) fn index(&mut self) -> Result<Option<i64>, Diagnostic> {
        if !(self.cursor.is('[') && self.cursor.is_integer_at(1)) {
            return Ok(None);
        }
        self.cursor.advance();
        let index = self.cursor.integer("the number of an element")?;
        self.cursor.expect(']')?;
        Ok(Some(index))
    }

    /// `.v2`, `.v4`, `.v8`: the number of elements. A vector has 256 bits at most (PTX ISA
    /// 9.7.9.8).
    pub(super) fn vector(&self, m: &mut Mnemonic<'_>) -> Result<Option<usize>, Diagnostic> {
        let Some((word, span)) =
            m.qualifiers.iter().copied().find(|(w, _)| matches!(*w, "v2" | "v4" | "v8"))
        else {
            return Ok(None);
        };
        m.take_word(&[word]);
        let count = match word {
            "v2" => 2,
            "v4" => 4,
            _ => 8,
        };
        let ty = m.qualifiers.iter().find_map(|(w, _)| Type::from_name(w));
        match ty.map(|ty| ty.width() * count as u32) {
            Some(bits @ 257..) => {
                Err(self.cursor.error(format!("a vector of {bits} bits"), span, "256 are the most"))
            }
            _ => Ok(Some(count)),
        }
    }

    /// `{a, b}`, with as many elements as the instruction says.
    pub(super) fn braced<T>(
        &mut self,
        count: usize,
        read: impl Fn(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<Vec<T>, Diagnostic> {
        let open = self.cursor.span();
        if !self.cursor.eat('{') {
            return Err(self
                .cursor
                .expected("`{`")
                .help(format!("`.v{count}` takes {count} elements in braces, e.g. `{{r0, r1}}`")));
        }
        let mut elements = vec![read(self)?];
        while self.cursor.eat(',') {
            elements.push(read(self)?);
        }
        self.cursor.expect('}')?;
        if elements.len() != count {
            let message = format!("{} elements where `.v{count}` has {count}", elements.len());
            return Err(self.cursor.error(
                message,
                open.to(self.cursor.previous()),
                format!("expected {count}"),
            ));
        }
        Ok(elements)
    }

    /// `x`, `[x]`, `x[1]`, `[r0]`, `[x+r1]`, `[r0+4]`
    pub(super) fn address(&mut self) -> Result<Address, Diagnostic> {
        let bracket = self.cursor.eat('[');
        let (name, span) = self.cursor.word("an address")?;
        let base = if let Some(index) = self.index()? {
            let element = format!("{name}[{index}]");
            if !self.names.is_location(&element) {
                let near = self.names.locations.iter().map(String::as_str);
                return Err(self.cursor.unknown(
                    "location",
                    &element,
                    span.to(self.cursor.previous()),
                    near,
                ));
            }
            Base::Location(element)
        } else if self.names.is_location(name) {
            Base::Location(self.names.location(name))
        } else if self.names.is_register(name, self.thread) {
            Base::Register(name.to_string())
        } else {
            if !self.names.undeclared.iter().any(|(n, _)| n == name) {
                self.names.undeclared.push((name.to_string(), span));
            }
            Base::Location(name.to_string())
        };
        let mut offset = None;
        if bracket {
            if self.cursor.eat('+') {
                offset = Some(self.value()?);
            } else if self.cursor.is('-') {
                offset = Some(TestOperand::Integer(self.cursor.integer("an offset")?));
            }
            self.cursor.expect(']')?;
        }
        Ok(Address { base, offset })
    }
}

/// The bits of a floating-point number in hexadecimal, `0f3F800000` or `0d3FF0000000000000` (PTX
/// ISA 4.5.2).
fn float_bits(word: &str) -> Option<i64> {
    let digits = word.strip_prefix("0f").or(word.strip_prefix("0F")).filter(|d| d.len() == 8);
    let digits =
        digits.or(word.strip_prefix("0d").or(word.strip_prefix("0D")).filter(|d| d.len() == 16))?;
    u64::from_str_radix(digits, 16).ok().map(|bits| bits as i64)
}
