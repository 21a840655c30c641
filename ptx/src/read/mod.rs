//! The reader. It goes through the tokens once and keeps its own stack of blocks, so that no text
//! makes it overflow.

mod body;
mod declaration;
mod lines;

use rustc_hash::FxHashMap;

use crate::lex::{At, PtxToken, ReadFailure, tokens};
use crate::tree::{
    Function, Instruction, Module, Operand, ReadError, RegisterId, ScalarType, SourceLine,
    VariableId, position,
};

/// How deep operands and initialisers may be nested; PTX needs two.
const MAX_DEPTH: usize = 8;

/// Reads a text of PTX.
///
/// # Errors
/// The first place at which the text is no PTX.
pub fn read(text: &str) -> Result<Module, ReadError> {
    let at = |(message, start, end): ReadFailure| {
        let (line, column) = position(text, start);
        ReadError { message, start, end, line, column }
    };
    let tokens = tokens(text).map_err(at)?;
    let mut reader = PtxReader {
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

struct PtxReader<'t> {
    text: &'t str,
    tokens: &'t [At<'t>],
    next: usize,
    module: Module,
    globals: FxHashMap<&'t str, VariableId>,
    line: Option<SourceLine>,
    /// Where what stands in a line was inlined.
    inlined: FxHashMap<SourceLine, SourceLine>,
}

/// A block of a function: what is declared in it.
#[derive(Default)]
struct Block<'t> {
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

impl<'t> PtxReader<'t> {
    fn at(&self) -> At<'t> {
        self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    fn token(&self) -> PtxToken<'t> {
        self.at().token
    }

    fn after(&self, n: usize) -> PtxToken<'t> {
        self.tokens[(self.next + n).min(self.tokens.len() - 1)].token
    }

    fn advance(&mut self) -> At<'t> {
        let at = self.at();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        at
    }

    fn expected(&self, what: &str) -> ReadFailure {
        let At { token, start, end } = self.at();
        let found = match token {
            PtxToken::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.text[start..end].chars().take(40).collect::<String>()),
        };
        (format!("expected {what}, found {found}"), start, end)
    }

    fn eat(&mut self, sign: char) -> bool {
        let there = self.token() == PtxToken::Sign(sign);
        if there {
            self.advance();
        }
        there
    }

    fn expect(&mut self, sign: char) -> Result<(), ReadFailure> {
        if self.eat(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}`"))) }
    }

    fn word(&mut self, what: &str) -> Result<(&'t str, usize), ReadFailure> {
        match self.token() {
            PtxToken::Word(word) => Ok((word, self.advance().start)),
            _ => Err(self.expected(what)),
        }
    }

    fn number(&mut self, what: &str) -> Result<u64, ReadFailure> {
        match self.token() {
            PtxToken::Integer(n) => {
                self.advance();
                Ok(n)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// A number with a sign.
    fn signed(&mut self, what: &str) -> Result<i64, ReadFailure> {
        let negative = self.eat('-');
        let n = self.number(what)? as i64;
        Ok(if negative { n.wrapping_neg() } else { n })
    }

    fn module(&mut self) -> Result<(), ReadFailure> {
        if self.token() == PtxToken::End {
            return Err((
                format!(
                    "expected `.version`, found {}",
                    if self.text.trim().is_empty() {
                        "an empty text"
                    } else {
                        "nothing but comments"
                    }
                ),
                0,
                0,
            ));
        }
        if self.token() != PtxToken::Dot("version") {
            return Err(self.expected("`.version` at the start of PTX"));
        }
        while self.token() != PtxToken::End {
            self.top()?;
        }
        // What is called must be a function of the text.
        let functions: rustc_hash::FxHashSet<&str> =
            self.module.functions.iter().map(|f| f.name.as_str()).collect();
        for function in &self.module.functions {
            for i in function.body.iter().flatten() {
                let all = i
                    .operands
                    .iter()
                    .filter_map(|o| if let Operand::Name(name) = o { Some(name) } else { None });
                for name in all {
                    if i.opcode != "call" && !functions.contains(name.as_str()) {
                        return Err((
                            format!(
                                "`{name}` is not declared: expected a register, a variable, a label or a function"
                            ),
                            i.start,
                            i.end,
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    fn top(&mut self) -> Result<(), ReadFailure> {
        let PtxToken::Dot(directive) = self.token() else {
            return Err(self.expected("a directive, as `.visible`"));
        };
        match directive {
            "version" => {
                self.advance();
                let At { token, start, end } = self.advance();
                if !matches!(token, PtxToken::Float(..) | PtxToken::Integer(_)) {
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
                while !matches!(self.token(), PtxToken::Sign('{') | PtxToken::End) {
                    self.advance();
                }
                self.skip_block()?;
            }
            "pragma" | "alias" => self.skip_statement()?,
            "visible" | "extern" | "weak" | "common" | "func" | "entry" | "global" | "const"
            | "shared" | "tex" => self.declaration()?,
            _ => {
                return Err(self.expected(
                    "a directive of a module, as `.visible`, `.func`, `.entry` or `.global`",
                ));
            }
        }
        Ok(())
    }

    fn skip_statement(&mut self) -> Result<(), ReadFailure> {
        while self.token() != PtxToken::Sign(';') {
            if self.token() == PtxToken::End {
                return Err(self.expected("`;`"));
            }
            self.advance();
        }
        self.advance();
        Ok(())
    }

    fn skip_block(&mut self) -> Result<(), ReadFailure> {
        let mut depth = 0usize;
        loop {
            match self.token() {
                PtxToken::Sign('{') => depth += 1,
                PtxToken::Sign('}') => depth -= 1,
                PtxToken::End => return Err(self.expected("`}`")),
                _ if depth == 0 => return Err(self.expected("`{`")),
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return Ok(());
            }
        }
    }
}
