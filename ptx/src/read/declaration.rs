//! Variables, their initial values, and parameters.

use super::{FunctionDraft, MAX_DEPTH, PtxReader, ReadFailure};
use crate::lex::PtxToken;
use crate::tree::{
    Initial, MemoryVariable, Parameter, RegisterId, ScalarKind, ScalarType, StateSpace, VariableId,
};

/// The most bytes of a variable.
const MAX_BYTES: u64 = 1 << 39;

impl<'t> PtxReader<'t> {
    pub(super) fn declaration(&mut self) -> Result<(), ReadFailure> {
        let mut external = false;
        while let PtxToken::Dot(word @ ("visible" | "extern" | "weak" | "common")) = self.token() {
            external |= word == "extern";
            self.advance();
        }
        match self.token() {
            PtxToken::Dot("func") => {
                self.advance();
                self.function(false)
            }
            PtxToken::Dot("entry") => {
                self.advance();
                self.function(true)
            }
            PtxToken::Dot(word) => {
                let space = match word {
                    "global" | "tex" => StateSpace::Global,
                    "const" => StateSpace::Constant,
                    "shared" => StateSpace::Shared,
                    _ => {
                        return Err(
                            self.expected("`.func`, `.entry`, `.global`, `.const` or `.shared`")
                        );
                    }
                };
                self.advance();
                for (name, id) in self.variables(space, external)? {
                    self.globals.insert(name, id);
                }
                self.expect(';')
            }
            _ => Err(self.expected("`.func`, `.entry`, `.global`, `.const` or `.shared`")),
        }
    }

    /// The variables of a declaration, from behind the state space up to what ends it.
    pub(super) fn variables(
        &mut self,
        space: StateSpace,
        external: bool,
    ) -> Result<Vec<(&'t str, VariableId)>, ReadFailure> {
        let (mut align, mut vector, mut ty, mut pointer) = (None, 1, None, false);
        while let PtxToken::Dot(word) = self.token() {
            match word {
                "align" => {
                    self.advance();
                    align = Some(self.number("an alignment")?);
                    continue;
                }
                "v2" => vector = 2,
                "v4" => vector = 4,
                "v8" => vector = 8,
                "ptr" => pointer = true,
                "attribute" => {
                    self.advance();
                    self.expect('(')?;
                    while !matches!(self.token(), PtxToken::Sign(')') | PtxToken::End) {
                        self.advance();
                    }
                    self.expect(')')?;
                    continue;
                }
                "texref" | "samplerref" | "surfref" => {
                    ty = Some(ScalarType { kind: ScalarKind::Bits, bits: 64 })
                }
                "global" | "const" | "shared" | "local" | "param" if pointer => {}
                _ => match ScalarType::from_name(word) {
                    Some(found) => ty = Some(found),
                    None => return Err(self.expected("a type, as `.u32`")),
                },
            }
            self.advance();
        }
        let Some(ty) = ty else { return Err(self.expected("a type, as `.u32`")) };
        let mut found = Vec::new();
        loop {
            let (name, at) = self.word("a name")?;
            let element = u64::from(ty.bits.div_ceil(8)) * vector;
            let mut size = Some(element);
            while self.eat('[') {
                let count = if self.token() == PtxToken::Sign(']') {
                    None
                } else {
                    Some(self.number("a size")?)
                };
                self.expect(']')?;
                size = size.zip(count).map(|(size, count)| size.saturating_mul(count));
            }
            let mut initial = Vec::new();
            if self.eat('=') {
                self.initial(&mut initial, ty)?;
                if size.is_none() {
                    size = Some(element * initial.len() as u64);
                }
            }
            if let Some(size) = size.filter(|&size| size > MAX_BYTES) {
                let many = if size == u64::MAX { "too many".to_owned() } else { size.to_string() };
                return Err((
                    format!("`{name}` has {many} bytes; a variable may have {MAX_BYTES}"),
                    at,
                    at + name.len(),
                ));
            }
            let id = VariableId(self.module.variables.len() as u32);
            self.module.variables.push(MemoryVariable {
                name: name.to_owned(),
                space,
                ty,
                size,
                align,
                initial,
                external,
                pointer,
                at,
            });
            found.push((name, id));
            if self.token() == PtxToken::Sign(',') && matches!(self.after(1), PtxToken::Word(_)) {
                self.advance();
            } else {
                return Ok(found);
            }
        }
    }

    /// A value or a list in braces; nested ones one after the other.
    fn initial(&mut self, initial: &mut Vec<Initial>, ty: ScalarType) -> Result<(), ReadFailure> {
        let mut depth = 0usize;
        loop {
            match self.token() {
                PtxToken::Sign('{') => {
                    depth += 1;
                    if depth > MAX_DEPTH {
                        return Err(self.expected("a value"));
                    }
                    self.advance();
                }
                PtxToken::Sign('}') if depth > 0 => {
                    depth -= 1;
                    self.advance();
                }
                PtxToken::Sign(',') if depth > 0 => {
                    self.advance();
                }
                PtxToken::Sign('-') | PtxToken::Integer(_) => {
                    let n = self.signed("a number")?;
                    initial.push(Initial::Bits(ty.cut(n as u64)));
                }
                PtxToken::Float(bits, of) => {
                    self.advance();
                    initial.push(Initial::Bits(if of == 64 && ty.bits == 32 {
                        u64::from((f64::from_bits(bits) as f32).to_bits())
                    } else {
                        bits
                    }));
                }
                PtxToken::Word(word) => {
                    self.advance();
                    // `generic(x)`, and `0xFF(x)`, a byte of an address, which is skipped as a
                    // name.
                    let name = if self.eat('(') {
                        let (name, _) = self.word("a variable")?;
                        name
                    } else {
                        word
                    };
                    let offset = if self.eat('+') { self.signed("a number")? } else { 0 };
                    if word != name {
                        self.expect(')')?;
                    }
                    let offset =
                        if self.eat('+') { offset + self.signed("a number")? } else { offset };
                    initial.push(Initial::Address(name.to_owned(), offset));
                }
                _ => return Err(self.expected("a value")),
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    pub(super) fn parameters(
        &mut self,
        draft: &mut FunctionDraft<'t>,
    ) -> Result<Vec<Parameter>, ReadFailure> {
        let mut found = Vec::new();
        if !self.eat('(') {
            return Ok(found);
        }
        while !self.eat(')') {
            match self.token() {
                PtxToken::Dot("param") => {
                    self.advance();
                    for (name, id) in self.variables(StateSpace::Parameter, false)? {
                        draft.blocks[0].variables.insert(name, id);
                        draft.function.variables.push(id);
                        found.push(Parameter::Memory(id));
                    }
                }
                PtxToken::Dot("reg") => {
                    self.advance();
                    let before = draft.function.registers.len();
                    self.registers(draft)?;
                    found.extend(
                        (before..draft.function.registers.len())
                            .map(|r| Parameter::Register(RegisterId(r as u32))),
                    );
                }
                _ => return Err(self.expected("`.param` or `)`")),
            }
            if !self.eat(',') && self.token() != PtxToken::Sign(')') {
                return Err(self.expected("`,` or `)`"));
            }
        }
        Ok(found)
    }
}
