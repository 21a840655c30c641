//! Functions: their registers, labels, instructions and operands.

use super::{Block, FunctionDraft, MAX_DEPTH, PtxReader, ReadFailure};
use crate::lex::{At, PtxToken};
use crate::tree::{
    DeclaredRegister, Function, Instruction, Operand, RegisterId, ScalarType, StateSpace,
    VariableId, position,
};

impl<'t> PtxReader<'t> {
    /// A function from behind its directive.
    pub(super) fn function(&mut self, entry: bool) -> Result<(), ReadFailure> {
        let start = self.tokens[self.next - 1].start;
        let function = Function {
            name: String::new(),
            entry,
            results: Vec::new(),
            parameters: Vec::new(),
            registers: Vec::new(),
            variables: Vec::new(),
            body: None,
            required_threads: None,
            most_threads: None,
            required_cluster: None,
            at: 0,
            start,
            end: start,
        };
        let mut draft = FunctionDraft {
            function,
            blocks: vec![Block::default()],
            open: 0,
            body: Vec::new(),
            names: Vec::new(),
        };
        self.line = None;
        while let PtxToken::Dot("attribute") = self.token() {
            self.advance();
            self.expect('(')?;
            while !matches!(self.token(), PtxToken::Sign(')') | PtxToken::End) {
                self.advance();
            }
            self.expect(')')?;
        }
        if !entry {
            draft.function.results = self.parameters(&mut draft)?;
        }
        let (name, at) = self.word("the name of a function")?;
        draft.function.name = name.to_owned();
        draft.function.at = at;
        draft.function.parameters = self.parameters(&mut draft)?;
        loop {
            match self.token() {
                PtxToken::Dot("pragma") => self.skip_statement()?,
                PtxToken::Dot("abi_preserve" | "abi_preserve_control") => {
                    self.advance();
                    self.number("a number")?;
                }
                PtxToken::Dot(directive) => {
                    self.advance();
                    let mut numbers = Vec::new();
                    while let PtxToken::Integer(n) = self.token() {
                        numbers.push(n as u32);
                        self.advance();
                        self.eat(',');
                    }
                    let of = |i: usize| numbers.get(i).copied().unwrap_or(1);
                    match directive {
                        "reqntid" => draft.function.required_threads = Some([of(0), of(1), of(2)]),
                        "maxntid" => draft.function.most_threads = Some([of(0), of(1), of(2)]),
                        "reqnctapercluster" => {
                            draft.function.required_cluster = Some([of(0), of(1), of(2)])
                        }
                        _ => {}
                    }
                }
                PtxToken::Sign(';') => {
                    self.advance();
                    self.module.functions.push(draft.function);
                    return Ok(());
                }
                PtxToken::Sign('{') => break,
                // A declaration without `;`, as nvcc prints some.
                _ if !entry && matches!(self.token(), PtxToken::Dot(_)) => {
                    self.module.functions.push(draft.function);
                    return Ok(());
                }
                _ => return Err(self.expected("`{`, `;` or a directive of a function")),
            }
        }
        let opened = self.advance();
        self.body(&mut draft, opened)?;
        draft.function.end = self.tokens[self.next - 1].end;
        self.labels(&mut draft)?;
        draft.function.body = Some(draft.body);
        self.module.functions.push(draft.function);
        Ok(())
    }

    fn body(&mut self, draft: &mut FunctionDraft<'t>, opened: At<'t>) -> Result<(), ReadFailure> {
        loop {
            match self.token() {
                PtxToken::End => {
                    let (line, _) = position(self.text, opened.start);
                    let message = format!(
                        "the text ends within `{}`: expected `}}` for the `{{` in line {line}",
                        draft.function.name
                    );
                    return Err((message, self.text.len(), self.text.len()));
                }
                PtxToken::Sign('{') => {
                    self.advance();
                    let around = draft.open;
                    draft.open = draft.blocks.len();
                    draft.blocks.push(Block { around, ..Block::default() });
                }
                PtxToken::Sign('}') => {
                    self.advance();
                    if draft.open == 0 {
                        return Ok(());
                    }
                    draft.open = draft.blocks[draft.open].around;
                }
                PtxToken::Sign(';') => {
                    self.advance();
                }
                PtxToken::Dot("reg") => {
                    self.advance();
                    self.registers(draft)?;
                    self.expect(';')?;
                }
                PtxToken::Dot(word @ ("local" | "shared" | "param" | "global" | "const")) => {
                    self.advance();
                    let space = match word {
                        "local" => StateSpace::Local,
                        "shared" => StateSpace::Shared,
                        "param" => StateSpace::Parameter,
                        "global" => StateSpace::Global,
                        _ => StateSpace::Constant,
                    };
                    for (name, id) in self.variables(space, false)? {
                        draft.blocks[draft.open].variables.insert(name, id);
                        draft.function.variables.push(id);
                    }
                    self.expect(';')?;
                }
                PtxToken::Dot("loc") => self.loc()?,
                PtxToken::Dot("file") => self.file()?,
                PtxToken::Dot("pragma" | "branchtargets" | "callprototype" | "calltargets") => {
                    self.skip_statement()?
                }
                PtxToken::Dot("section") => self.top()?,
                PtxToken::Word(word) if self.after(1) == PtxToken::Sign(':') => {
                    let at = self.advance();
                    self.advance();
                    if draft.blocks[draft.open].labels.insert(word, draft.body.len()).is_some() {
                        return Err((
                            format!("a second label `{word}` in one block"),
                            at.start,
                            at.end,
                        ));
                    }
                }
                PtxToken::Sign('@') | PtxToken::Word(_) => self.instruction(draft)?,
                _ => return Err(self.expected("an instruction, a label, a declaration or `}`")),
            }
        }
    }

    pub(super) fn registers(&mut self, draft: &mut FunctionDraft<'t>) -> Result<(), ReadFailure> {
        let mut ty = None;
        while let PtxToken::Dot(word) = self.token() {
            match ScalarType::from_name(word) {
                Some(found) => ty = Some(found),
                None if matches!(word, "v2" | "v4") => {}
                None => return Err(self.expected("a type of registers, as `.b32`")),
            }
            self.advance();
        }
        let Some(ty) = ty else { return Err(self.expected("a type of registers, as `.b32`")) };
        loop {
            let (name, at) = self.word("the name of a register")?;
            let first = draft.function.registers.len();
            let mut count = 1;
            let family = self.eat('<');
            if family {
                count = self.number("how many registers")?;
                self.expect('>')?;
            }
            if count > (MAX_REGISTERS - first) as u64 {
                return Err((
                    format!("more than {MAX_REGISTERS} registers in one function"),
                    at,
                    at + name.len(),
                ));
            }
            for n in 0..count {
                let name = if family { format!("{name}{n}") } else { name.to_owned() };
                draft.function.registers.push(DeclaredRegister { name, ty });
            }
            let block = &mut draft.blocks[draft.open];
            match family {
                true => block.families.push((name, first as u32, count as u32, ty)),
                false => {
                    block.registers.insert(name, RegisterId(first as u32));
                }
            }
            // In a list of parameters a comma is before the next `.reg`.
            if self.token() == PtxToken::Sign(',') && matches!(self.after(1), PtxToken::Word(_)) {
                self.advance();
            } else {
                return Ok(());
            }
        }
    }

    fn instruction(&mut self, draft: &mut FunctionDraft<'t>) -> Result<(), ReadFailure> {
        let start = self.at().start;
        let mut guard = None;
        if self.eat('@') {
            let negated = self.eat('!');
            let (name, at) = self.word("a predicate")?;
            let register = register(draft, name).ok_or_else(|| {
                (format!("the register `{name}` is not declared"), at, at + name.len())
            })?;
            guard = Some((register, negated));
        }
        let (opcode, at) = self.word("an instruction")?;
        if opcode.starts_with('%') {
            return Err((
                format!("expected an instruction, found `{opcode}`"),
                at,
                at + opcode.len(),
            ));
        }
        let mut qualifiers = Vec::new();
        while let PtxToken::Dot(word) = self.token() {
            qualifiers.push(word.to_owned());
            self.advance();
        }
        let mut operands = Vec::new();
        let number = draft.body.len();
        while self.token() != PtxToken::Sign(';') {
            let operand = self.operand(draft, 0)?;
            if let Operand::Name(_) = operand {
                draft.names.push((number, operands.len(), draft.open));
            }
            operands.push(operand);
            if !self.eat(',') && self.token() != PtxToken::Sign(';') {
                return Err(self.expected("`,` or `;` behind an operand"));
            }
        }
        let end = self.tokens[self.next - 1].end;
        self.advance();
        let line = self.line;
        draft.body.push(Instruction {
            guard,
            opcode: opcode.to_owned(),
            qualifiers,
            operands,
            start,
            end,
            line,
        });
        Ok(())
    }

    fn operand(
        &mut self,
        draft: &mut FunctionDraft<'t>,
        depth: usize,
    ) -> Result<Operand, ReadFailure> {
        if depth > MAX_DEPTH {
            return Err(self.expected("an operand that is nested less"));
        }
        let found = match self.token() {
            PtxToken::Sign('[') => return self.address_operand(draft, depth),
            PtxToken::Sign(open @ ('{' | '(')) => return self.listed_operands(draft, open, depth),
            PtxToken::Sign('!') => {
                self.advance();
                let (name, at) = self.word("a predicate")?;
                let not = register(draft, name).map(Operand::Not);
                return not.ok_or_else(|| {
                    (format!("the register `{name}` is not declared"), at, at + name.len())
                });
            }
            PtxToken::Sign('-') => {
                self.advance();
                match self.token() {
                    PtxToken::Integer(n) => {
                        self.advance();
                        Operand::Integer((n as i64).wrapping_neg() as u64)
                    }
                    PtxToken::Float(bits, of) => {
                        self.advance();
                        Operand::Float(bits ^ 1 << (of - 1), of)
                    }
                    _ => return Err(self.expected("a number")),
                }
            }
            PtxToken::Integer(n) => {
                self.advance();
                Operand::Integer(n)
            }
            PtxToken::Float(bits, of) => {
                self.advance();
                Operand::Float(bits, of)
            }
            PtxToken::Word("_") => {
                self.advance();
                Operand::Sink
            }
            PtxToken::Word(word) => self.named_operand(draft, word, depth)?,
            _ => return Err(self.expected("an operand")),
        };
        if self.eat('|') {
            let other = self.operand(draft, depth + 1)?;
            return Ok(Operand::Pair(Box::new(found), Box::new(other)));
        }
        Ok(found)
    }

    /// `[base+offset]`, or `[base, operands]` of a tensor.
    fn address_operand(
        &mut self,
        draft: &mut FunctionDraft<'t>,
        depth: usize,
    ) -> Result<Operand, ReadFailure> {
        self.advance();
        let base = self.operand(draft, depth + 1)?;
        let mut offset = 0i64;
        loop {
            match self.token() {
                PtxToken::Sign('+') => {
                    self.advance();
                }
                PtxToken::Sign('-') => {}
                _ => break,
            }
            offset = offset.wrapping_add(self.signed("a number")?);
        }
        let (base, offset) = match base {
            Operand::Variable(id, n) => (Operand::Variable(id, 0), offset.wrapping_add(n)),
            base => (base, offset),
        };
        if self.token() == PtxToken::Sign(',') {
            let mut all = vec![base];
            while self.eat(',') {
                all.push(self.operand(draft, depth + 1)?);
            }
            self.expect(']')?;
            return Ok(Operand::Address(Box::new(Operand::List(all)), offset));
        }
        self.expect(']')?;
        Ok(Operand::Address(Box::new(base), offset))
    }

    /// `{a, b}`, or `(a, b)` of a call.
    fn listed_operands(
        &mut self,
        draft: &mut FunctionDraft<'t>,
        open: char,
        depth: usize,
    ) -> Result<Operand, ReadFailure> {
        self.advance();
        let close = if open == '{' { '}' } else { ')' };
        let mut all = Vec::new();
        while !self.eat(close) {
            all.push(self.operand(draft, depth + 1)?);
            if !self.eat(',') && self.token() != PtxToken::Sign(close) {
                return Err(self.expected(&format!("`,` or `{close}`")));
            }
        }
        Ok(if open == '{' { Operand::Vector(all) } else { Operand::List(all) })
    }

    /// What a name stands for: a register, a special register, a variable, or what is declared
    /// elsewhere.
    fn named_operand(
        &mut self,
        draft: &FunctionDraft<'t>,
        word: &str,
        depth: usize,
    ) -> Result<Operand, ReadFailure> {
        let at = self.advance();
        Ok(if let Some(register) = register(draft, word) {
            // An element of a vector register, `%v.x`.
            if let PtxToken::Dot("x" | "y" | "z" | "w") = self.token() {
                self.advance();
            }
            Operand::Register(register)
        } else if let Some(special) = word.strip_prefix('%') {
            if !is_special(special) {
                return Err((format!("the register `{word}` is not declared"), at.start, at.end));
            }
            let mut name = special.to_owned();
            while let PtxToken::Dot(part) = self.token() {
                name = format!("{name}.{part}");
                self.advance();
            }
            Operand::Special(name)
        } else if word == "WARP_SZ" {
            Operand::Integer(32)
        } else if let Some(id) = variable(draft, word).or_else(|| self.globals.get(word).copied()) {
            let mut offset = 0;
            if depth == 0 && self.eat('+') {
                offset = self.signed("a number")?;
            }
            Operand::Variable(id, offset)
        } else {
            Operand::Name(word.to_owned())
        })
    }

    /// Makes numbers of labels.
    fn labels(&self, draft: &mut FunctionDraft<'t>) -> Result<(), ReadFailure> {
        for &(instruction, operand, block) in &draft.names {
            let i = &mut draft.body[instruction];
            let Operand::Name(name) = &i.operands[operand] else { continue };
            let mut at = block;
            let found = loop {
                match draft.blocks[at].labels.get(name.as_str()) {
                    Some(&label) => break Some(label),
                    None if at == 0 => break None,
                    None => at = draft.blocks[at].around,
                }
            };
            match found {
                Some(label) => i.operands[operand] = Operand::Label(label),
                None if i.opcode == "bra" => {
                    return Err((
                        format!("there is no label `{name}` in `{}`", draft.function.name),
                        i.start,
                        i.end,
                    ));
                }
                None => {}
            }
        }
        Ok(())
    }
}

/// The most registers that a function may declare.
const MAX_REGISTERS: usize = 1 << 20;

/// The names of special registers (PTX ISA 10).
fn is_special(name: &str) -> bool {
    const NAMES: [&str; 36] = [
        "tid",
        "ntid",
        "laneid",
        "warpid",
        "nwarpid",
        "ctaid",
        "nctaid",
        "smid",
        "nsmid",
        "gridid",
        "is_explicit_cluster",
        "clusterid",
        "nclusterid",
        "cluster_ctaid",
        "cluster_nctaid",
        "cluster_ctarank",
        "cluster_nctarank",
        "lanemask_eq",
        "lanemask_le",
        "lanemask_lt",
        "lanemask_ge",
        "lanemask_gt",
        "clock",
        "clock_hi",
        "clock64",
        "globaltimer",
        "globaltimer_lo",
        "globaltimer_hi",
        "total_smem_size",
        "aggr_smem_size",
        "dynamic_smem_size",
        "current_graph_exec",
        "reserved_smem_offset_begin",
        "reserved_smem_offset_end",
        "reserved_smem_offset_cap",
        "can_elect",
    ];
    NAMES.contains(&name) || name.starts_with("envreg") || name.starts_with("pm")
}

fn register(draft: &FunctionDraft<'_>, name: &str) -> Option<RegisterId> {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (prefix, number) = name.split_at(name.len() - digits);
    let canonical = digits == 1 || digits > 1 && !number.starts_with('0');
    let mut at = draft.open;
    loop {
        let block = &draft.blocks[at];
        if let Some(&found) = block.registers.get(name) {
            return Some(found);
        }
        if canonical && let Ok(number) = number.parse::<u32>() {
            let family = block
                .families
                .iter()
                .rev()
                .find(|(of, _, count, _)| *of == prefix && number < *count);
            if let Some((_, first, ..)) = family {
                return Some(RegisterId(first + number));
            }
        }
        if at == 0 {
            return None;
        }
        at = block.around;
    }
}

fn variable(draft: &FunctionDraft<'_>, name: &str) -> Option<VariableId> {
    let mut at = draft.open;
    loop {
        match draft.blocks[at].variables.get(name) {
            Some(&found) => return Some(found),
            None if at == 0 => return None,
            None => at = draft.blocks[at].around,
        }
    }
}
