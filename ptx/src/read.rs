//! The reader. It goes through the tokens once and keeps its own stack of blocks, so that no text makes it overflow.

use rustc_hash::FxHashMap;

use crate::lex::{At, Token, tokens};
use crate::tree::{
    Function, Initial, Instruction, Kind, Line, Module, Operand, Parameter, ReadError, Register, RegisterId, ScalarType, Space,
    Variable, VariableId, position,
};

/// The most registers that a function may declare.
const MAX_REGISTERS: usize = 1 << 20;

/// The most bytes of a variable.
const MAX_BYTES: u64 = 1 << 39;

/// How deep operands and initialisers may be nested; PTX needs two.
const MAX_DEPTH: usize = 8;

/// Reads a text of PTX.
///
/// # Errors
/// The first place at which the text is no PTX.
pub fn read(text: &str) -> Result<Module, ReadError> {
    let at = |(message, start, end): (String, usize, usize)| {
        let (line, column) = position(text, start);
        ReadError { message, start, end, line, column }
    };
    let tokens = tokens(text).map_err(at)?;
    let mut reader = Reader {
        text,
        tokens: &tokens,
        next: 0,
        module: Module { address_size: 32, ..Module::default() },
        globals: FxHashMap::default(),
        line: None,
        inlined: FxHashMap::default(),
    };
    reader.module().map_err(at)?;
    Ok(reader.module)
}

type Wrong = (String, usize, usize);

struct Reader<'t> {
    text: &'t str,
    tokens: &'t [At<'t>],
    next: usize,
    module: Module,
    globals: FxHashMap<&'t str, VariableId>,
    line: Option<Line>,
    /// Where what stands in a line was inlined.
    inlined: FxHashMap<Line, Line>,
}

/// A block of a function: what is declared in it.
#[derive(Default)]
struct Block<'t> {
    /// The block around it.
    around: usize,
    registers: FxHashMap<&'t str, RegisterId>,
    /// `%r<10>`: prefix, the first register, how many.
    families: Vec<(&'t str, u32, u32, ScalarType)>,
    variables: FxHashMap<&'t str, VariableId>,
    labels: FxHashMap<&'t str, usize>,
}

/// A function while it is read.
struct FunctionDraft<'t> {
    function: Function,
    blocks: Vec<Block<'t>>,
    open: usize,
    body: Vec<Instruction>,
    /// Names that may be labels: instruction, operand, the block they stand in.
    names: Vec<(usize, usize, usize)>,
}

impl<'t> Reader<'t> {
    fn at(&self) -> At<'t> {
        self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    fn token(&self) -> Token<'t> {
        self.at().token
    }

    fn after(&self, n: usize) -> Token<'t> {
        self.tokens[(self.next + n).min(self.tokens.len() - 1)].token
    }

    fn advance(&mut self) -> At<'t> {
        let at = self.at();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        at
    }

    fn expected(&self, what: &str) -> Wrong {
        let At { token, start, end } = self.at();
        let found = match token {
            Token::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.text[start..end].chars().take(40).collect::<String>()),
        };
        (format!("expected {what}, found {found}"), start, end)
    }

    fn eat(&mut self, sign: char) -> bool {
        let there = self.token() == Token::Sign(sign);
        if there {
            self.advance();
        }
        there
    }

    fn expect(&mut self, sign: char) -> Result<(), Wrong> {
        if self.eat(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}`"))) }
    }

    fn word(&mut self, what: &str) -> Result<(&'t str, usize), Wrong> {
        match self.token() {
            Token::Word(word) => Ok((word, self.advance().start)),
            _ => Err(self.expected(what)),
        }
    }

    fn number(&mut self, what: &str) -> Result<u64, Wrong> {
        match self.token() {
            Token::Integer(n) => {
                self.advance();
                Ok(n)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// A number with a sign.
    fn signed(&mut self, what: &str) -> Result<i64, Wrong> {
        let negative = self.eat('-');
        let n = self.number(what)? as i64;
        Ok(if negative { n.wrapping_neg() } else { n })
    }

    fn module(&mut self) -> Result<(), Wrong> {
        if self.token() == Token::End {
            return Err((
                format!(
                    "expected `.version`, found {}",
                    if self.text.trim().is_empty() { "an empty text" } else { "nothing but comments" }
                ),
                0,
                0,
            ));
        }
        if self.token() != Token::Dot("version") {
            return Err(self.expected("`.version` at the start of PTX"));
        }
        while self.token() != Token::End {
            self.top()?;
        }
        // What is called must be a function of the text.
        let functions: rustc_hash::FxHashSet<&str> = self.module.functions.iter().map(|f| f.name.as_str()).collect();
        for function in &self.module.functions {
            for i in function.body.iter().flatten() {
                let all = i.operands.iter().filter_map(|o| if let Operand::Name(name) = o { Some(name) } else { None });
                for name in all {
                    if i.opcode != "call" && !functions.contains(name.as_str()) {
                        return Err((
                            format!("`{name}` is not declared: expected a register, a variable, a label or a function"),
                            i.start,
                            i.end,
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    fn top(&mut self) -> Result<(), Wrong> {
        let Token::Dot(directive) = self.token() else { return Err(self.expected("a directive, as `.visible`")) };
        match directive {
            "version" => {
                self.advance();
                let At { token, start, end } = self.advance();
                if !matches!(token, Token::Float(..) | Token::Integer(_)) {
                    return Err(("expected a version, as `8.5`".to_owned(), start, end));
                }
                self.module.version = self.text[start..end].to_owned();
            }
            "target" => {
                self.advance();
                loop {
                    let (word, _) = self.word("a target, as `sm_90`")?;
                    self.module.target.push(word.to_owned());
                    if !self.eat(',') {
                        break;
                    }
                }
            }
            "address_size" => {
                self.advance();
                self.module.address_size = if self.number("32 or 64")? == 64 { 64 } else { 32 };
            }
            "file" => self.file()?,
            "loc" => self.loc()?,
            "section" => {
                self.advance();
                while !matches!(self.token(), Token::Sign('{') | Token::End) {
                    self.advance();
                }
                self.skip_block()?;
            }
            "pragma" | "alias" => self.skip_statement()?,
            "visible" | "extern" | "weak" | "common" | "func" | "entry" | "global" | "const" | "shared" | "tex" => {
                self.declaration()?
            }
            _ => return Err(self.expected("a directive of a module, as `.visible`, `.func`, `.entry` or `.global`")),
        }
        Ok(())
    }

    fn skip_statement(&mut self) -> Result<(), Wrong> {
        while self.token() != Token::Sign(';') {
            if self.token() == Token::End {
                return Err(self.expected("`;`"));
            }
            self.advance();
        }
        self.advance();
        Ok(())
    }

    fn skip_block(&mut self) -> Result<(), Wrong> {
        let mut depth = 0usize;
        loop {
            match self.token() {
                Token::Sign('{') => depth += 1,
                Token::Sign('}') => depth -= 1,
                Token::End => return Err(self.expected("`}`")),
                _ if depth == 0 => return Err(self.expected("`{`")),
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn file(&mut self) -> Result<(), Wrong> {
        self.advance();
        let number = self.number("the number of a file")? as u32;
        let Token::Text(name) = self.token() else { return Err(self.expected("the name of a file in quotation marks")) };
        self.advance();
        while self.eat(',') {
            self.number("a number")?;
        }
        self.module.files.insert(number, name.to_owned());
        Ok(())
    }

    fn loc(&mut self) -> Result<(), Wrong> {
        self.advance();
        let mut three = || -> Result<Line, Wrong> {
            let mut n = || self.number("a number of `.loc FILE LINE COLUMN`").map(|n| n.min(u64::from(u32::MAX)) as u32);
            Ok(Line { file: n()?, line: n()?, column: n()? })
        };
        let mut line = three()?;
        while self.eat(',') {
            match self.word("`function_name` or `inlined_at`")? {
                ("function_name", _) => {
                    self.word("a label")?;
                    if self.eat('+') {
                        self.number("a number")?;
                    }
                }
                _ => {
                    let mut n = || self.number("a number of `inlined_at`").map(|n| n.min(u64::from(u32::MAX)) as u32);
                    let around = Line { file: n()?, line: n()?, column: n()? };
                    self.inlined.insert(line, around);
                    line = self.own_line(line);
                }
            }
        }
        // A line 0 is of no line.
        if line.line == 0 {
            line = self.line.unwrap_or(line);
        }
        self.line = Some(line).filter(|l| l.line > 0);
        Ok(())
    }

    /// The line of the kernel's own file that a line is of: itself, or, of what was inlined from headers, the innermost line of the file in which
    /// the outermost call stands.
    fn own_line(&self, line: Line) -> Line {
        // Calls are not as deep as this; a text may name lines that are inlined in each other.
        const DEEPEST: usize = 64;
        let calls: Vec<Line> =
            std::iter::successors(Some(line), |l| self.inlined.get(l).copied().filter(|next| next != l)).take(DEEPEST).collect();
        let own = calls.last().map_or(line.file, |last| last.file);
        calls.into_iter().find(|l| l.file == own).unwrap_or(line)
    }

    fn declaration(&mut self) -> Result<(), Wrong> {
        let mut external = false;
        while let Token::Dot(word @ ("visible" | "extern" | "weak" | "common")) = self.token() {
            external |= word == "extern";
            self.advance();
        }
        match self.token() {
            Token::Dot("func") => {
                self.advance();
                self.function(false)
            }
            Token::Dot("entry") => {
                self.advance();
                self.function(true)
            }
            Token::Dot(word) => {
                let space = match word {
                    "global" | "tex" => Space::Global,
                    "const" => Space::Constant,
                    "shared" => Space::Shared,
                    _ => return Err(self.expected("`.func`, `.entry`, `.global`, `.const` or `.shared`")),
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
    fn variables(&mut self, space: Space, external: bool) -> Result<Vec<(&'t str, VariableId)>, Wrong> {
        let (mut align, mut vector, mut ty, mut pointer) = (None, 1, None, false);
        while let Token::Dot(word) = self.token() {
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
                    while !matches!(self.token(), Token::Sign(')') | Token::End) {
                        self.advance();
                    }
                    self.expect(')')?;
                    continue;
                }
                "texref" | "samplerref" | "surfref" => ty = Some(ScalarType { kind: Kind::Bits, bits: 64 }),
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
                let count = if self.token() == Token::Sign(']') { None } else { Some(self.number("a size")?) };
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
                return Err((format!("`{name}` has {many} bytes; a variable may have {MAX_BYTES}"), at, at + name.len()));
            }
            let id = VariableId(self.module.variables.len() as u32);
            self.module.variables.push(Variable {
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
            if self.token() == Token::Sign(',') && matches!(self.after(1), Token::Word(_)) {
                self.advance();
            } else {
                return Ok(found);
            }
        }
    }

    /// A value or a list in braces; nested ones one after the other.
    fn initial(&mut self, initial: &mut Vec<Initial>, ty: ScalarType) -> Result<(), Wrong> {
        let mut depth = 0usize;
        loop {
            match self.token() {
                Token::Sign('{') => {
                    depth += 1;
                    if depth > MAX_DEPTH {
                        return Err(self.expected("a value"));
                    }
                    self.advance();
                }
                Token::Sign('}') if depth > 0 => {
                    depth -= 1;
                    self.advance();
                }
                Token::Sign(',') if depth > 0 => {
                    self.advance();
                }
                Token::Sign('-') | Token::Integer(_) => {
                    let n = self.signed("a number")?;
                    initial.push(Initial::Bits(ty.cut(n as u64)));
                }
                Token::Float(bits, of) => {
                    self.advance();
                    initial.push(Initial::Bits(if of == 64 && ty.bits == 32 {
                        u64::from((f64::from_bits(bits) as f32).to_bits())
                    } else {
                        bits
                    }));
                }
                Token::Word(word) => {
                    self.advance();
                    // `generic(x)`, and `0xFF(x)`, a byte of an address, which is skipped as a name.
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
                    let offset = if self.eat('+') { offset + self.signed("a number")? } else { offset };
                    initial.push(Initial::Address(name.to_owned(), offset));
                }
                _ => return Err(self.expected("a value")),
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn parameters(&mut self, draft: &mut FunctionDraft<'t>) -> Result<Vec<Parameter>, Wrong> {
        let mut found = Vec::new();
        if !self.eat('(') {
            return Ok(found);
        }
        while !self.eat(')') {
            match self.token() {
                Token::Dot("param") => {
                    self.advance();
                    for (name, id) in self.variables(Space::Parameter, false)? {
                        draft.blocks[0].variables.insert(name, id);
                        draft.function.variables.push(id);
                        found.push(Parameter::Memory(id));
                    }
                }
                Token::Dot("reg") => {
                    self.advance();
                    let before = draft.function.registers.len();
                    self.registers(draft)?;
                    found.extend((before..draft.function.registers.len()).map(|r| Parameter::Register(RegisterId(r as u32))));
                }
                _ => return Err(self.expected("`.param` or `)`")),
            }
            if !self.eat(',') && self.token() != Token::Sign(')') {
                return Err(self.expected("`,` or `)`"));
            }
        }
        Ok(found)
    }

    /// A function from behind its directive.
    fn function(&mut self, entry: bool) -> Result<(), Wrong> {
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
        let mut draft = FunctionDraft { function, blocks: vec![Block::default()], open: 0, body: Vec::new(), names: Vec::new() };
        self.line = None;
        while let Token::Dot("attribute") = self.token() {
            self.advance();
            self.expect('(')?;
            while !matches!(self.token(), Token::Sign(')') | Token::End) {
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
                Token::Dot("pragma") => self.skip_statement()?,
                Token::Dot("abi_preserve" | "abi_preserve_control") => {
                    self.advance();
                    self.number("a number")?;
                }
                Token::Dot(directive) => {
                    self.advance();
                    let mut numbers = Vec::new();
                    while let Token::Integer(n) = self.token() {
                        numbers.push(n as u32);
                        self.advance();
                        self.eat(',');
                    }
                    let of = |i: usize| numbers.get(i).copied().unwrap_or(1);
                    match directive {
                        "reqntid" => draft.function.required_threads = Some([of(0), of(1), of(2)]),
                        "maxntid" => draft.function.most_threads = Some([of(0), of(1), of(2)]),
                        "reqnctapercluster" => draft.function.required_cluster = Some([of(0), of(1), of(2)]),
                        _ => {}
                    }
                }
                Token::Sign(';') => {
                    self.advance();
                    self.module.functions.push(draft.function);
                    return Ok(());
                }
                Token::Sign('{') => break,
                // A declaration without `;`, as nvcc prints some.
                _ if !entry && matches!(self.token(), Token::Dot(_)) => {
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

    fn body(&mut self, draft: &mut FunctionDraft<'t>, opened: At<'t>) -> Result<(), Wrong> {
        loop {
            match self.token() {
                Token::End => {
                    let (line, _) = position(self.text, opened.start);
                    let message =
                        format!("the text ends within `{}`: expected `}}` for the `{{` in line {line}", draft.function.name);
                    return Err((message, self.text.len(), self.text.len()));
                }
                Token::Sign('{') => {
                    self.advance();
                    let around = draft.open;
                    draft.open = draft.blocks.len();
                    draft.blocks.push(Block { around, ..Block::default() });
                }
                Token::Sign('}') => {
                    self.advance();
                    if draft.open == 0 {
                        return Ok(());
                    }
                    draft.open = draft.blocks[draft.open].around;
                }
                Token::Sign(';') => {
                    self.advance();
                }
                Token::Dot("reg") => {
                    self.advance();
                    self.registers(draft)?;
                    self.expect(';')?;
                }
                Token::Dot(word @ ("local" | "shared" | "param" | "global" | "const")) => {
                    self.advance();
                    let space = match word {
                        "local" => Space::Local,
                        "shared" => Space::Shared,
                        "param" => Space::Parameter,
                        "global" => Space::Global,
                        _ => Space::Constant,
                    };
                    for (name, id) in self.variables(space, false)? {
                        draft.blocks[draft.open].variables.insert(name, id);
                        draft.function.variables.push(id);
                    }
                    self.expect(';')?;
                }
                Token::Dot("loc") => self.loc()?,
                Token::Dot("file") => self.file()?,
                Token::Dot("pragma" | "branchtargets" | "callprototype" | "calltargets") => self.skip_statement()?,
                Token::Dot("section") => self.top()?,
                Token::Word(word) if self.after(1) == Token::Sign(':') => {
                    let at = self.advance();
                    self.advance();
                    if draft.blocks[draft.open].labels.insert(word, draft.body.len()).is_some() {
                        return Err((format!("a second label `{word}` in one block"), at.start, at.end));
                    }
                }
                Token::Sign('@') | Token::Word(_) => self.instruction(draft)?,
                _ => return Err(self.expected("an instruction, a label, a declaration or `}`")),
            }
        }
    }

    fn registers(&mut self, draft: &mut FunctionDraft<'t>) -> Result<(), Wrong> {
        let mut ty = None;
        while let Token::Dot(word) = self.token() {
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
                return Err((format!("more than {MAX_REGISTERS} registers in one function"), at, at + name.len()));
            }
            for n in 0..count {
                let name = if family { format!("{name}{n}") } else { name.to_owned() };
                draft.function.registers.push(Register { name, ty });
            }
            let block = &mut draft.blocks[draft.open];
            match family {
                true => block.families.push((name, first as u32, count as u32, ty)),
                false => {
                    block.registers.insert(name, RegisterId(first as u32));
                }
            }
            // In a list of parameters a comma is before the next `.reg`.
            if self.token() == Token::Sign(',') && matches!(self.after(1), Token::Word(_)) {
                self.advance();
            } else {
                return Ok(());
            }
        }
    }

    fn instruction(&mut self, draft: &mut FunctionDraft<'t>) -> Result<(), Wrong> {
        let start = self.at().start;
        let mut guard = None;
        if self.eat('@') {
            let negated = self.eat('!');
            let (name, at) = self.word("a predicate")?;
            let register =
                register(draft, name).ok_or_else(|| (format!("the register `{name}` is not declared"), at, at + name.len()))?;
            guard = Some((register, negated));
        }
        let (opcode, at) = self.word("an instruction")?;
        if opcode.starts_with('%') {
            return Err((format!("expected an instruction, found `{opcode}`"), at, at + opcode.len()));
        }
        let mut qualifiers = Vec::new();
        while let Token::Dot(word) = self.token() {
            qualifiers.push(word.to_owned());
            self.advance();
        }
        let mut operands = Vec::new();
        let number = draft.body.len();
        while self.token() != Token::Sign(';') {
            let operand = self.operand(draft, 0)?;
            if let Operand::Name(_) = operand {
                draft.names.push((number, operands.len(), draft.open));
            }
            operands.push(operand);
            if !self.eat(',') && self.token() != Token::Sign(';') {
                return Err(self.expected("`,` or `;` behind an operand"));
            }
        }
        let end = self.tokens[self.next - 1].end;
        self.advance();
        let line = self.line;
        draft.body.push(Instruction { guard, opcode: opcode.to_owned(), qualifiers, operands, start, end, line });
        Ok(())
    }

    fn operand(&mut self, draft: &mut FunctionDraft<'t>, depth: usize) -> Result<Operand, Wrong> {
        if depth > MAX_DEPTH {
            return Err(self.expected("an operand that is nested less"));
        }
        let found = match self.token() {
            Token::Sign('[') => {
                self.advance();
                let base = self.operand(draft, depth + 1)?;
                let mut offset = 0i64;
                loop {
                    match self.token() {
                        Token::Sign('+') => {
                            self.advance();
                        }
                        Token::Sign('-') => {}
                        _ => break,
                    }
                    offset = offset.wrapping_add(self.signed("a number")?);
                }
                let (base, offset) = match base {
                    Operand::Variable(id, n) => (Operand::Variable(id, 0), offset.wrapping_add(n)),
                    base => (base, offset),
                };
                if self.token() == Token::Sign(',') {
                    let mut all = vec![base];
                    while self.eat(',') {
                        all.push(self.operand(draft, depth + 1)?);
                    }
                    self.expect(']')?;
                    return Ok(Operand::Address(Box::new(Operand::List(all)), offset));
                }
                self.expect(']')?;
                return Ok(Operand::Address(Box::new(base), offset));
            }
            Token::Sign(open @ ('{' | '(')) => {
                self.advance();
                let close = if open == '{' { '}' } else { ')' };
                let mut all = Vec::new();
                while !self.eat(close) {
                    all.push(self.operand(draft, depth + 1)?);
                    if !self.eat(',') && self.token() != Token::Sign(close) {
                        return Err(self.expected(&format!("`,` or `{close}`")));
                    }
                }
                return Ok(if open == '{' { Operand::Vector(all) } else { Operand::List(all) });
            }
            Token::Sign('!') => {
                self.advance();
                let (name, at) = self.word("a predicate")?;
                let not = register(draft, name).map(Operand::Not);
                return not.ok_or_else(|| (format!("the register `{name}` is not declared"), at, at + name.len()));
            }
            Token::Sign('-') => {
                self.advance();
                match self.token() {
                    Token::Integer(n) => {
                        self.advance();
                        Operand::Integer((n as i64).wrapping_neg() as u64)
                    }
                    Token::Float(bits, of) => {
                        self.advance();
                        Operand::Float(bits ^ 1 << (of - 1), of)
                    }
                    _ => return Err(self.expected("a number")),
                }
            }
            Token::Integer(n) => {
                self.advance();
                Operand::Integer(n)
            }
            Token::Float(bits, of) => {
                self.advance();
                Operand::Float(bits, of)
            }
            Token::Word("_") => {
                self.advance();
                Operand::Sink
            }
            Token::Word(word) => {
                let at = self.advance();
                if let Some(register) = register(draft, word) {
                    // An element of a vector register, `%v.x`.
                    if let Token::Dot("x" | "y" | "z" | "w") = self.token() {
                        self.advance();
                    }
                    Operand::Register(register)
                } else if let Some(special) = word.strip_prefix('%') {
                    if !is_special(special) {
                        return Err((format!("the register `{word}` is not declared"), at.start, at.end));
                    }
                    let mut name = special.to_owned();
                    while let Token::Dot(part) = self.token() {
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
                }
            }
            _ => return Err(self.expected("an operand")),
        };
        if self.eat('|') {
            let other = self.operand(draft, depth + 1)?;
            return Ok(Operand::Pair(Box::new(found), Box::new(other)));
        }
        Ok(found)
    }

    /// Makes numbers of labels.
    fn labels(&self, draft: &mut FunctionDraft<'t>) -> Result<(), Wrong> {
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
                    return Err((format!("there is no label `{name}` in `{}`", draft.function.name), i.start, i.end));
                }
                None => {}
            }
        }
        Ok(())
    }
}

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
            let family = block.families.iter().rev().find(|(of, _, count, _)| *of == prefix && number < *count);
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
