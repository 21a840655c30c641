//! Tokens to functions (PTX ISA 4, 5.4, 7.1). Variables of the module and debug sections are passed over; of a function's own
//! declarations only registers, locals and parameters are kept. Braces open a scope for registers and labels.

use std::collections::HashMap;

use super::lex::{Place, Token, tokens};
use super::{BadPtx, Function, Instruction, Module, Operand};

/// Reads a PTX file.
///
/// # Errors
/// What is no PTX, with its line.
pub fn read(text: &str) -> Result<Module, BadPtx> {
    let tokens = tokens(text)?;
    let mut reader = Reader { text, tokens, at: 0 };
    let mut module = Module::default();
    let mut is_ptx = false;
    while let Some(place) = reader.peek() {
        match &place.token {
            Token::Directive(word) => match word.as_str() {
                ".version" => {
                    is_ptx = true;
                    reader.at += 1;
                    module.version = reader.word_text();
                }
                ".target" => {
                    reader.at += 1;
                    module.target = reader.word_text();
                    reader.skip_commas();
                }
                ".entry" | ".func" => module.functions.extend(reader.function()?),
                ".visible" | ".weak" | ".extern" | ".common" => reader.at += 1,
                ".address_size" => reader.at += 2,
                ".file" => reader.skip_line(),
                ".section" => reader.skip_section()?,
                ".loc" | ".pragma" | ".alias" | ".global" | ".const" | ".shared" | ".local" | ".tex" | ".reg" | ".attribute" => {
                    reader.skip_statement()?;
                }
                other if is_ptx => return Err(reader.bad(format!("`{other}` is no directive of a module"))),
                _ => return Err(reader.bad("PTX begins with `.version`")),
            },
            _ if !is_ptx => return Err(reader.bad("PTX begins with `.version`")),
            Token::Sign(';') => reader.at += 1,
            _ => return Err(reader.bad("expected a directive of a module, like `.func`")),
        }
    }
    if !is_ptx {
        return Err(BadPtx { line: 1, message: "the file is empty: PTX begins with `.version`".to_owned() });
    }
    Ok(module)
}

struct Reader<'a> {
    text: &'a str,
    tokens: Vec<Place>,
    at: usize,
}

/// The names of a function that are under way: registers and labels of the open braces, innermost last.
#[derive(Default)]
struct Scopes {
    registers: Vec<HashMap<String, String>>,
    /// Numbered registers (`%r<5>`) have a prefix in common.
    prefixes: Vec<Vec<(String, String)>>,
    labels: Vec<usize>,
    opened: usize,
}

/// So many braces may be open in a function: a reader that goes into each has a stack.
const DEEPEST: usize = 256;

impl Scopes {
    fn depth(&self) -> usize {
        self.labels.len()
    }

    fn open(&mut self) {
        self.registers.push(HashMap::new());
        self.prefixes.push(Vec::new());
        self.labels.push(self.opened);
        self.opened += 1;
    }

    fn close(&mut self) {
        self.registers.pop();
        self.prefixes.pop();
        self.labels.pop();
    }

    /// A name as it is unique in the function: those of inner braces get the number of the brace.
    fn unique(&self, name: &str) -> String {
        match self.labels.last() {
            Some(&n) if n > 0 => format!("{name}#{n}"),
            _ => name.to_owned(),
        }
    }

    fn declare(&mut self, name: &str, numbered: bool) {
        let unique = self.unique(name);
        if numbered {
            self.prefixes.last_mut().expect("a scope is open").push((name.to_owned(), unique));
        } else {
            self.registers.last_mut().expect("a scope is open").insert(name.to_owned(), unique);
        }
    }

    /// The register of a name, if it is one.
    fn register(&self, name: &str) -> Option<String> {
        for (names, prefixes) in self.registers.iter().zip(&self.prefixes).rev() {
            if let Some(unique) = names.get(name) {
                return Some(unique.clone());
            }
            for (prefix, unique) in prefixes {
                let number = name.strip_prefix(prefix.as_str());
                if number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())) {
                    return Some(format!("{}{}", unique, &name[prefix.len()..]));
                }
            }
        }
        // Special registers are declared nowhere.
        name.starts_with('%').then(|| name.to_owned())
    }
}

impl Reader<'_> {
    fn peek(&self) -> Option<&Place> {
        self.tokens.get(self.at)
    }

    fn token(&self) -> Option<&Token> {
        self.peek().map(|p| &p.token)
    }

    fn line(&self) -> usize {
        self.peek().or(self.tokens.last()).map_or(1, |p| p.line)
    }

    fn bad(&self, message: impl Into<String>) -> BadPtx {
        let mut message = message.into();
        if let Some(place) = self.peek() {
            message = format!("{message}, found `{}`", &self.text[place.start..place.end.min(place.start + 40)]);
        }
        BadPtx { line: self.line(), message }
    }

    fn is(&self, sign: char) -> bool {
        self.token() == Some(&Token::Sign(sign))
    }

    fn eat(&mut self, sign: char) -> bool {
        let here = self.is(sign);
        self.at += usize::from(here);
        here
    }

    fn expect(&mut self, sign: char) -> Result<(), BadPtx> {
        if self.eat(sign) { Ok(()) } else { Err(self.bad(format!("expected `{sign}`"))) }
    }

    /// The text of a token that is no sign, passed over.
    fn word_text(&mut self) -> String {
        let text = self.peek().map_or("", |p| &self.text[p.start..p.end]).to_owned();
        self.at += 1;
        text
    }

    fn skip_commas(&mut self) {
        while self.eat(',') {
            self.at += 1;
        }
    }

    fn skip_line(&mut self) {
        let line = self.line();
        while self.peek().is_some_and(|p| p.line == line) {
            self.at += 1;
        }
    }

    /// To behind the `;`, braces included.
    fn skip_statement(&mut self) -> Result<(), BadPtx> {
        let mut depth = 0_usize;
        while let Some(token) = self.token() {
            match token {
                Token::Sign('{') => depth += 1,
                Token::Sign('}') => depth = depth.saturating_sub(1),
                Token::Sign(';') if depth == 0 => {
                    self.at += 1;
                    return Ok(());
                }
                _ => {}
            }
            self.at += 1;
        }
        Err(self.bad("expected `;`"))
    }

    fn skip_section(&mut self) -> Result<(), BadPtx> {
        while !self.is('{') {
            if self.peek().is_none() {
                return Err(self.bad("expected `{` of a section"));
            }
            self.at += 1;
        }
        while !self.is('}') {
            if self.peek().is_none() {
                return Err(self.bad("this section is never closed"));
            }
            self.at += 1;
        }
        self.at += 1;
        Ok(())
    }

    /// `.func (results) name (parameters) directives { body }`; `None` for a declaration without a body.
    fn function(&mut self) -> Result<Option<Function>, BadPtx> {
        let start = self.tokens[self.at].start;
        let kernel = self.token() == Some(&Token::Directive(".entry".to_owned()));
        self.at += 1;
        while matches!(self.token(), Some(Token::Directive(_))) {
            self.at += 1; // .attribute(...), .noreturn and their like
            if self.is('(') {
                self.parameters()?;
            }
        }
        let results = if self.is('(') { self.parameters()? } else { Vec::new() };
        let Some(Token::Word(name)) = self.token().cloned() else { return Err(self.bad("expected the name of a function")) };
        self.at += 1;
        let parameters = if self.is('(') { self.parameters()? } else { Vec::new() };
        // Directives about performance and linking, up to the body.
        while !self.is('{') && !self.is(';') {
            if self.peek().is_none() {
                return Err(self.bad(format!("expected the body of `{name}`")));
            }
            self.at += 1;
        }
        if self.eat(';') {
            return Ok(None);
        }
        let mut function = Function {
            name,
            kernel,
            parameters,
            results,
            locals: Vec::new(),
            body: Vec::new(),
            labels: Vec::new(),
            text: String::new(),
        };
        let mut scopes = Scopes::default();
        self.block(&mut function, &mut scopes)?;
        let end = self.tokens[self.at - 1].end;
        function.text = self.text[start..end].to_owned();
        let known: Vec<&str> = function.labels.iter().map(|(l, _)| l.as_str()).collect();
        // A label of an outer brace is meant where the inner one has none of that name.
        let outer = |name: &str| {
            let mut name = name;
            while !known.contains(&name) {
                name = &name[..name.rfind('#')?];
            }
            Some(name.to_owned())
        };
        for instruction in &mut function.body {
            if ["bra", "brx"].contains(&instruction.opcode())
                && let Some(Operand::Name(label)) = instruction.operands.first_mut()
            {
                let message = format!("there is no label `{}`", label.split('#').next().unwrap_or_default());
                *label = outer(label).ok_or(BadPtx { line: instruction.line, message })?;
            }
        }
        Ok(Some(function))
    }

    /// The names in `(.param .b64 name, ...)`, also of an attribute's arguments.
    fn parameters(&mut self) -> Result<Vec<String>, BadPtx> {
        self.expect('(')?;
        let mut names = Vec::new();
        let mut last = None;
        loop {
            match self.token() {
                None => return Err(self.bad("expected `)`")),
                Some(Token::Sign(c @ (',' | ')'))) => {
                    let end = *c == ')';
                    names.extend(last.take());
                    self.at += 1;
                    if end {
                        return Ok(names);
                    }
                }
                Some(Token::Sign('[')) => {
                    while self.peek().is_some() && !self.is(']') {
                        self.at += 1;
                    }
                }
                Some(Token::Word(word)) => {
                    last = Some(word.clone());
                    self.at += 1;
                }
                Some(_) => self.at += 1,
            }
        }
    }

    /// `{ ... }`: declarations, labels, instructions, inner blocks.
    fn block(&mut self, function: &mut Function, scopes: &mut Scopes) -> Result<(), BadPtx> {
        let opened = self.line();
        self.expect('{')?;
        if scopes.depth() == DEEPEST {
            return Err(BadPtx { line: opened, message: format!("more than {DEEPEST} braces are open here") });
        }
        scopes.open();
        loop {
            match self.token() {
                None => return Err(BadPtx { line: opened, message: "this `{` is never closed".to_owned() }),
                Some(Token::Sign('}')) => {
                    self.at += 1;
                    scopes.close();
                    return Ok(());
                }
                Some(Token::Sign('{')) => self.block(function, scopes)?,
                Some(Token::Sign(';')) => self.at += 1,
                Some(Token::Directive(word)) => {
                    let word = word.clone();
                    self.declaration(&word, function, scopes)?;
                }
                Some(Token::Word(word)) if self.tokens.get(self.at + 1).map(|p| &p.token) == Some(&Token::Sign(':')) => {
                    function.labels.push((scopes.unique(word), function.body.len()));
                    self.at += 2;
                    // A table of targets or a prototype of calls has a label of its own.
                    if matches!(self.token(), Some(Token::Directive(d)) if [".branchtargets", ".callprototype", ".calltargets"].contains(&d.as_str()))
                    {
                        self.skip_statement()?;
                    }
                }
                Some(_) => {
                    let instruction = self.instruction(scopes)?;
                    function.body.push(instruction);
                }
            }
        }
    }

    fn declaration(&mut self, word: &str, function: &mut Function, scopes: &mut Scopes) -> Result<(), BadPtx> {
        match word {
            ".loc" => {
                self.skip_line();
                return Ok(());
            }
            ".reg" => {
                while !self.eat(';') {
                    match self.token().cloned() {
                        None => return Err(self.bad("expected `;`")),
                        Some(Token::Word(name)) => {
                            self.at += 1;
                            let numbered = self.is('<');
                            scopes.declare(&name, numbered);
                            if numbered {
                                while self.peek().is_some() && !self.eat('>') {
                                    self.at += 1;
                                }
                            }
                        }
                        Some(_) => self.at += 1,
                    }
                }
                return Ok(());
            }
            ".local" | ".param" | ".shared" => {
                let from = self.at;
                self.skip_statement()?;
                if word == ".local" {
                    let names = self.tokens[from..self.at].iter().filter_map(|p| match &p.token {
                        Token::Word(name) => Some(name.clone()),
                        _ => None,
                    });
                    function.locals.extend(names.take(1));
                }
                return Ok(());
            }
            _ => {}
        }
        self.skip_statement()
    }

    fn instruction(&mut self, scopes: &Scopes) -> Result<Instruction, BadPtx> {
        let line = self.line();
        let mut predicate = None;
        if self.eat('@') {
            let negated = self.eat('!');
            let Some(Token::Word(name)) = self.token().cloned() else { return Err(self.bad("expected a predicate register")) };
            self.at += 1;
            predicate = Some((scopes.register(&name).unwrap_or(name), negated));
        }
        let Some(Token::Word(mut word)) = self.token().cloned() else { return Err(self.bad("expected an instruction")) };
        self.at += 1;
        // The assembler takes blanks in front of a modifier: `ld .relaxed .gpu .b32`.
        while let Some(Token::Directive(modifier)) = self.token() {
            word.push_str(modifier);
            self.at += 1;
        }
        let name: Vec<String> = word.split('.').map(str::to_owned).collect();
        let mut operands = Vec::new();
        while !self.eat(';') {
            if self.peek().is_none() || self.is('}') {
                return Err(self.bad(format!("expected `;` after `{word}`")));
            }
            operands.push(self.operand(scopes)?);
            if !self.eat(',') && !self.is(';') {
                return Err(self.bad(format!("expected `,` or `;` in `{word}`")));
            }
        }
        if ["bra", "brx"].contains(&name[0].as_str())
            && let Some(Operand::Name(label)) = operands.first_mut()
        {
            *label = scopes.unique(label);
        }
        Ok(Instruction { predicate, name, operands, line })
    }

    fn operand(&mut self, scopes: &Scopes) -> Result<Operand, BadPtx> {
        let first = self.simple(scopes)?;
        if self.eat('|') {
            let second = self.simple(scopes)?;
            return Ok(Operand::Pair(Box::new(first), Box::new(second)));
        }
        // `name[3]` and `name+3` without brackets: an address of a variable.
        if self.is('[') && matches!(first, Operand::Name(_)) {
            self.at += 1;
            while self.peek().is_some() && !self.eat(']') {
                self.at += 1;
            }
        } else if matches!(first, Operand::Name(_)) && (self.is('+') || self.is('-')) {
            let negative = self.is('-');
            self.at += 1;
            if let Some(&Token::Number(n)) = self.token() {
                self.at += 1;
                let n = n as i64;
                return Ok(Operand::Address(Box::new(first), if negative { -n } else { n }));
            }
            return Err(self.bad("expected an offset"));
        }
        Ok(first)
    }

    fn simple(&mut self, scopes: &Scopes) -> Result<Operand, BadPtx> {
        let Some(token) = self.token().cloned() else { return Err(self.bad("expected an operand")) };
        self.at += 1;
        let list = |reader: &mut Self, close: char| -> Result<Vec<Operand>, BadPtx> {
            let mut items = Vec::new();
            while !reader.eat(close) {
                items.push(reader.operand(scopes)?);
                if !reader.eat(',') && !reader.is(close) {
                    return Err(reader.bad(format!("expected `,` or `{close}`")));
                }
            }
            Ok(items)
        };
        Ok(match token {
            Token::Word(word) if word == "_" => Operand::Nothing,
            Token::Word(word) => match scopes.register(&word) {
                Some(register) => Operand::Register(register),
                // Elements of a vector register, `%v.x`, are as good as registers of their own.
                None => match word.split_once('.').and_then(|(head, tail)| Some((scopes.register(head)?, tail))) {
                    Some((register, element)) => Operand::Register(format!("{register}.{element}")),
                    None => Operand::Name(word),
                },
            },
            Token::Number(n) => Operand::Number(n),
            Token::Float(bits, size) => Operand::Float(bits, size),
            Token::Sign('-') => Operand::Minus(Box::new(self.simple(scopes)?)),
            Token::Sign('!') => Operand::Not(Box::new(self.simple(scopes)?)),
            Token::Sign('{') => Operand::Vector(list(self, '}')?),
            Token::Sign('(') => Operand::List(list(self, ')')?),
            Token::Sign('[') => self.address(scopes)?,
            Token::Text | Token::Directive(_) | Token::Sign(_) => {
                self.at -= 1;
                return Err(self.bad("expected an operand"));
            }
        })
    }

    /// Behind the `[`: `base`, `base+4`, `base+-4`, `base-4`; textures have more, separated by commas.
    fn address(&mut self, scopes: &Scopes) -> Result<Operand, BadPtx> {
        let base = self.simple(scopes)?;
        let mut offset = 0_i64;
        while self.is('+') || self.is('-') {
            let mut negative = self.is('-');
            self.at += 1;
            if self.eat('-') {
                negative = !negative;
            }
            let Some(&Token::Number(n)) = self.token() else { return Err(self.bad("expected an offset")) };
            self.at += 1;
            offset = if negative { offset.wrapping_sub(n as i64) } else { offset.wrapping_add(n as i64) };
        }
        while self.eat(',') {
            self.simple(scopes)?;
        }
        self.expect(']')?;
        Ok(Operand::Address(Box::new(base), offset))
    }
}
