//! An instruction in an architecture's own assembly: the architecture's text says which patterns
//! there are and what each is in the table form, which is then read as any table is.

use margay_models::diagnostic::{Diagnostic, SourceFile, Span, nearest};
use margay_models::signature::Architecture;
use margay_models::signature::architecture::{Assembly, Piece, RegisterName, SlotKind, Spelling};

use super::super::cursor::Cursor;
use super::super::token::{LitmusToken, TokenKind, tokens};
use super::spoken::{Sized, Spoken};
use super::{Names, table_form};
use crate::test::{
    Base, Dialect, InitialValue, Operation, Place, RegisterDeclaration, TestInstruction, ThreadId,
};

/// What replaces a register that holds 0 whatever is written to it, where it is written.
const NOBODY: &str = "%nobody";

/// What stands in a slot.
struct Filled {
    name: String,
    text: String,
    register: Option<RegisterName>,
}

/// Reads the instructions that a compiler writes, one at a time, by the text of their architecture.
#[derive(Debug, Clone, Copy)]
pub struct CompiledAssembly {
    architecture: Architecture,
    assembly: &'static Assembly,
}

impl CompiledAssembly {
    /// For an architecture whose text says its assembly.
    pub fn of(architecture: Architecture) -> Option<Self> {
        Some(Self { architecture, assembly: architecture.assembly()? })
    }

    /// An instruction in the table form: what it does, one after another, with registers by their
    /// first names. Registers that begin with `%` are those of the text.
    ///
    /// # Errors
    /// The text does not have it.
    pub fn instruction(self, text: &str) -> Result<Vec<Operation>, Diagnostic> {
        let file = SourceFile::new("the assembly", text);
        let tokens = tokens(&file, 0, false)?;
        let mut names =
            Names::of_compiler(Dialect::Text(self.architecture), Spoken::compiled(self.assembly));
        let mut out = Vec::new();
        cell(&mut Cursor::new(&file, &tokens), ThreadId(0), &mut names, &mut out)?;
        Ok(out.into_iter().map(|instruction| instruction.operation).collect())
    }
}

/// Reads a cell: a label, an instruction, or both.
pub(super) fn cell(
    cursor: &mut Cursor<'_>,
    thread: ThreadId,
    names: &mut Names,
    out: &mut Vec<TestInstruction>,
) -> Result<(), Diagnostic> {
    // Compilers write `.L2:`.
    let dot = usize::from(cursor.is('.'));
    if let (Some(label), true) = (cursor.word_at(dot), cursor.is_at(dot + 1, ':')) {
        let span = cursor.peek_at(dot).map_or_else(|| cursor.span(), |t| t.span);
        out.push(TestInstruction {
            guard: None,
            operation: Operation::Label(label.to_owned()),
            place: Place(span),
        });
        (0..dot + 2).for_each(|_| cursor.advance());
        if cursor.at_end() {
            return Ok(());
        }
    }
    let start = cursor.span();
    let mut written = Vec::new();
    while let Some(token) = cursor.peek() {
        written.push(token);
        cursor.advance();
    }
    let span = start.to(cursor.previous());
    let Some(reading) = &names.assembly else { return Err(cursor.expected("an instruction")) };
    let spoken = reading.spoken.clone();
    let spoken = &spoken;
    let assembly = spoken.assembly;
    let matcher = Matcher { cursor, spoken, thread, names };
    let more = assembly.compiled.iter().filter(|_| spoken.compiled);
    let fits = |s: &'static Spelling| {
        let filled = matcher.fits(&s.pattern, &written, &mut Vec::new())?;
        // Of an address, and of the registers that a test names itself, the width does not matter.
        let is_narrower = |f: &Filled| {
            f.name != "address"
                && f.register.is_some_and(|r| !r.name.is_empty() && Some(r.bits) != s.wide)
        };
        let contradicts = s.wide.is_some() && filled.iter().any(is_narrower);
        (!contradicts).then_some((s, filled))
    };
    let found = more.chain(&assembly.instructions).find_map(fits);
    let Some((spelling, filled)) = found else {
        return Err(not_known(cursor, assembly, &written, span));
    };
    for slot in filled.iter().filter(|slot| slot.register.is_some_and(|r| !r.zero)) {
        names.writes(&slot.text, thread);
    }
    // A name where an address stands is a location, whether or not the test declares it.
    for piece in &spelling.pattern {
        if let Piece::Slot(SlotKind::Location, name) = piece
            && let Some(slot) =
                filled.iter().find(|slot| slot.name == *name).filter(|_| !spoken.compiled)
            && !names.is_location(&slot.text)
        {
            let place =
                written.iter().map(|token| token.span).find(|at| cursor.text(*at) == slot.text);
            names.undeclared.push((slot.text.clone(), place.unwrap_or(span)));
            names.add_locations(vec![slot.text.clone()]);
        }
    }
    if let Some(reading) = &mut names.assembly {
        // A register that the test names itself (`%x0`) holds an address.
        let of_machine = filled.iter().filter(|slot| !slot.text.starts_with('%'));
        reading.widths.extend(of_machine.filter_map(|slot| slot.register).map(|r| r.bits));
        reading.widths.extend(bits_of(spelling, &filled));
    }
    for part in spelling.meaning.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        let named = std::cell::RefCell::new(Vec::new());
        let text = said(part, &filled, &|name, bits| {
            let part =
                bits.and_then(|bits| assembly.part_of(name, bits)).filter(|_| spoken.compiled);
            let register = spoken.register(thread, part.map_or(name, |part| part.name));
            named.borrow_mut().push(register.clone());
            register
        });
        // In an address, too, what the text calls a register is one.
        for register in named.into_inner() {
            names.writes(&register, thread);
        }
        let (undeclared, barriers) = (names.undeclared.len(), names.barriers.len());
        let source = SourceFile::new("the table form", text.as_str());
        let mut made = tokens(&source, 0, false)
            .and_then(|tokens| table_form(&mut Cursor::new(&source, &tokens), thread, names))
            .map_err(|error| {
                let message = format!(
                    "`{}` is `{text}` in the table form: {}",
                    cursor.text(span),
                    error.message
                );
                cursor.error(message, span, "this instruction")
            })?;
        // What the test says of a name is said where the test has it.
        for (name, at) in names.undeclared.iter_mut().skip(undeclared) {
            *at = written
                .iter()
                .map(|token| token.span)
                .find(|at| cursor.text(*at) == name.as_str())
                .unwrap_or(span);
        }
        if let Some(access) = made.access_mut() {
            access.width = crate::test::AssemblyWidth(bits_of(spelling, &filled));
        }
        if let Some(error) = of_two_sizes(cursor, names, thread, &made, spelling, &filled, span) {
            return Err(error);
        }
        if let Some(reading) = &mut names.assembly {
            reading.overwritten.extend(made.written().into_iter().map(|r| (thread, r.to_owned())));
        }
        if let Some(written) = names.barriers.get_mut(barriers) {
            written.is_at(out.len(), span);
        }
        out.push(TestInstruction { guard: None, operation: made, place: Place(span) });
    }
    Ok(())
}

/// An instruction that fits no pattern: known and refused, with other operands, or not known at
/// all.
fn not_known(
    cursor: &Cursor<'_>,
    assembly: &Assembly,
    written: &[LitmusToken],
    span: Span,
) -> Diagnostic {
    let text = cursor.text(span);
    let Some(first) = written.first() else { return cursor.expected("an instruction") };
    // A mnemonic may have points: `b.eq`, `lwarx.`.
    let mnemonic = text.split(char::is_whitespace).next().unwrap_or(text);
    let word = cursor.text(first.span);
    let lower = word.to_ascii_lowercase();
    // What the text refuses may begin like what it has: `fence.i`, and `fence rw,rw`.
    let has = assembly.first_words().any(|first| first == lower);
    let refusal = assembly.refusal(mnemonic).or_else(|| assembly.refusal(word));
    if let Some(why) = refusal.filter(|_| !has || !mnemonic.eq_ignore_ascii_case(word)) {
        return cursor.error(
            format!("`{mnemonic}` is not modelled: {why}"),
            span,
            "this instruction",
        );
    }
    if let Some(error) = other_word(cursor, assembly, written) {
        return error;
    }
    let begins_so =
        |s: &&Spelling| matches!(s.pattern.first(), Some(Piece::Word(first)) if *first == lower);
    let similar: Vec<&Spelling> = assembly.instructions.iter().filter(begins_so).take(4).collect();
    if !similar.is_empty() {
        let error = cursor.error(
            format!("`{text}` is not read"),
            span,
            "these operands fit no form of the instruction",
        );
        let shapes: Vec<String> = similar.iter().map(|s| shape(&s.pattern)).collect();
        let has_address = |s: &&Spelling| {
            s.pattern.iter().any(|piece| matches!(piece, Piece::Slot(SlotKind::Address, _)))
        };
        // `<m>` says nothing to whoever has not read the text.
        let addresses = match similar.iter().any(has_address) {
            true => format!(
                "; an address <m> is {}",
                some_of(assembly.addresses.iter().map(|s| shape(&s.pattern)))
            ),
            false => String::new(),
        };
        return error.help(format!("the architecture's text has {}{addresses}", shapes.join(", ")));
    }
    let error = cursor.error(
        format!("unknown instruction `{mnemonic}`"),
        span,
        "not in the architecture's text",
    );
    match nearest(&lower, assembly.first_words()) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error
            .help("docs/architectures.md says how an architecture's text learns an instruction"),
    }
}

/// An instruction that the text has up to a word in which all its forms have others: an annotation,
/// an order, a scope.
fn other_word(
    cursor: &Cursor<'_>,
    assembly: &Assembly,
    written: &[LitmusToken],
) -> Option<Diagnostic> {
    /// How many words the message names.
    const MOST: usize = 24;
    let is = |piece: &Piece, token: &LitmusToken| match piece {
        Piece::Word(word) => cursor.text(token.span).eq_ignore_ascii_case(word),
        Piece::Sign(sign) => token.kind == TokenKind::Punctuation(*sign),
        Piece::Slot(..) => false,
    };
    let alike = |s: &&Spelling| {
        s.pattern.iter().zip(written).take_while(|(piece, token)| is(piece, token)).count()
    };
    let most = assembly.instructions.iter().map(|s| alike(&s)).max().filter(|&most| most > 0)?;
    let wrong = written.get(most).filter(|token| token.kind == TokenKind::Word)?;
    let next = assembly
        .instructions
        .iter()
        .filter(|s| alike(s) == most)
        .filter_map(|s| s.pattern.get(most));
    let mut words: Vec<&str> = Vec::new();
    for piece in next {
        match piece {
            Piece::Word(word) if !words.contains(&word.as_str()) => words.push(word),
            Piece::Word(_) | Piece::Sign(_) => {}
            // What may stand there is no matter of words.
            Piece::Slot(..) => return None,
        }
    }
    let [first, _, ..] = words[..] else { return None };
    let word = cursor.text(wrong.span);
    // A letter for a size may stand behind a word (`cmpxchgb`): then it is the operands that do not
    // fit it.
    let sized = |known: &&str| {
        word.len() == known.len() + 1
            && word.to_ascii_lowercase().starts_with(&known.to_ascii_lowercase())
    };
    if words.iter().any(sized) {
        return None;
    }
    let before = cursor.text(written[0].span.to(written[most - 1].span));
    let error = cursor.error(
        format!("`{word}` is not known behind `{before}`"),
        wrong.span,
        format!("such as `{first}`"),
    );
    let others = words.len().saturating_sub(MOST);
    words.truncate(MOST);
    let more = if others == 0 { String::new() } else { format!(" and {others} others") };
    Some(error.help(format!("the architecture's text has {}{more} there", words.join(", "))))
}

/// The first few of some forms, each once.
fn some_of(forms: impl Iterator<Item = String>) -> String {
    const MOST: usize = 6;
    let mut found: Vec<String> = Vec::new();
    for form in forms {
        if !found.contains(&form) {
            found.push(form);
        }
    }
    let more = if found.len() > MOST { " and others" } else { "" };
    found.truncate(MOST);
    format!("{}{more}", found.join(", "))
}

/// A pattern as it is written.
fn shape(pattern: &[Piece]) -> String {
    let mut out = String::new();
    for (i, piece) in pattern.iter().enumerate() {
        let (text, spaced) = match piece {
            Piece::Word(word) => {
                (word.clone(), matches!(pattern.get(i.wrapping_sub(1)), Some(Piece::Word(_))))
            }
            Piece::Sign(sign) => (sign.to_string(), false),
            Piece::Slot(_, name) => (
                format!("<{name}>"),
                matches!(pattern.get(i.wrapping_sub(1)), Some(Piece::Word(_) | Piece::Sign(','))),
            ),
        };
        if spaced {
            out.push(' ');
        }
        out += &text;
    }
    format!("`{out}`")
}

/// A part of a meaning with its slots filled. `register` is what a register is called, or the part
/// of it that has so many bits.
fn said(part: &str, filled: &[Filled], register: &dyn Fn(&str, Option<u8>) -> String) -> String {
    let mnemonic = part.split(|c: char| c.is_whitespace() || c == '<').next().unwrap_or_default();
    let branches = ["beq", "bne", "blt", "ble", "bgt", "bge"].contains(&mnemonic);
    let mut out = String::new();
    let mut rest = part;
    let mut operands = 0;
    while let Some((before, (slot, after))) =
        rest.split_once('<').and_then(|(b, r)| Some((b, r.split_once('>')?)))
    {
        operands += before.matches(',').count();
        out += before;
        let is = |name: &str| filled.iter().find(|f| f.name == name);
        let bits = |name: &str| is(name).and_then(|f| f.register).map(|r| r.bits);
        if let Some(name) = slot.strip_prefix('=') {
            out += &match name.split_once(':') {
                Some((name, as_wide_as)) => register(name, bits(as_wide_as)),
                None => register(name, None),
            };
            rest = after;
            continue;
        }
        if let Some(name) = slot.strip_prefix("u:") {
            out += &bits(name).map_or(String::new(), |bits| format!(".u{bits}"));
            rest = after;
            continue;
        }
        if let Some(name) = slot.strip_prefix("b:") {
            out += &bits(name).map_or(String::new(), |bits| (bits / 8).to_string());
            rest = after;
            continue;
        }
        match slot.strip_prefix(':') {
            Some(name) => {
                if let Some(bits) = bits(name).filter(|&bits| bits < 64) {
                    out += &format!(".s{bits}");
                }
            }
            None => match is(slot) {
                // A register that is always 0 is a number where it is read, and nobody's where it
                // is written.
                Some(Filled { register: Some(RegisterName { zero: true, .. }), .. }) => {
                    out += if operands == 0 && !branches { NOBODY } else { "0" };
                }
                Some(f) => out += &f.text,
                None => {}
            },
        }
        rest = after;
    }
    out + rest
}

/// How wide the accesses of an instruction are.
fn bits_of(spelling: &Spelling, filled: &[Filled]) -> Option<u8> {
    let size = spelling.size?;
    let of_slot =
        || filled.iter().find(|f| f.name == size).and_then(|f| f.register).map(|r| r.bits);
    size.parse::<u8>().ok().or_else(of_slot)
}

/// Accesses of two sizes to one location: bytes of both overlap, and no model here speaks of bytes.
fn of_two_sizes(
    cursor: &Cursor<'_>,
    names: &mut Names,
    thread: ThreadId,
    made: &Operation,
    spelling: &Spelling,
    filled: &[Filled],
    span: Span,
) -> Option<Diagnostic> {
    let bits = bits_of(spelling, filled)?;
    let reading = names.assembly.as_mut()?;
    let location = match &made.memory()?.1.base {
        Base::Location(name) => name.clone(),
        Base::Register(register) => {
            let is = |r: &&RegisterDeclaration| r.thread == thread && r.name == *register;
            let kept = !reading.overwritten.iter().any(|(t, r)| *t == thread && r == register);
            match &reading.initial.iter().find(is).filter(|_| kept)?.value {
                Some(InitialValue::AddressOf(name)) => name.clone(),
                _ => return None,
            }
        }
    };
    let Some(before) = reading.sized.iter().find(|s| s.location == location) else {
        reading.sized.push(Sized { location, bits, place: span });
        return None;
    };
    if before.bits == bits {
        return None;
    }
    let message = format!(
        "accesses of {} and of {bits} bits to `{location}` (mixed sizes) are not modelled",
        before.bits
    );
    let error = cursor.error(message, span, format!("{bits} bits"));
    Some(
        error
            .at(cursor.file, before.place, format!("{} bits", before.bits))
            .help("the models speak of whole locations, not of bytes"),
    )
}

/// Holds an instruction against patterns.
struct Matcher<'m, 'a> {
    cursor: &'m Cursor<'a>,
    spoken: &'m Spoken,
    thread: ThreadId,
    names: &'m Names,
}

impl Matcher<'_, '_> {
    /// What fills the slots, if all of the tokens fit all of the pieces.
    fn fits(
        &self,
        pieces: &[Piece],
        tokens: &[LitmusToken],
        filled: &mut Vec<Filled>,
    ) -> Option<Vec<Filled>> {
        let Some((piece, others)) = pieces.split_first() else {
            return tokens.is_empty().then(|| std::mem::take(filled));
        };
        let text = |token: &LitmusToken| self.cursor.text(token.span);
        match piece {
            Piece::Word(word) => {
                let (first, rest) = tokens.split_first()?;
                let same = first.kind != TokenKind::Text && text(first).eq_ignore_ascii_case(word);
                if same { self.fits(others, rest, filled) } else { None }
            }
            Piece::Sign(sign) => {
                let (first, rest) = tokens.split_first()?;
                if first.kind == TokenKind::Punctuation(*sign) {
                    self.fits(others, rest, filled)
                } else {
                    None
                }
            }
            Piece::Slot(SlotKind::Address, name) => {
                let known = filled.len();
                self.spoken.assembly.addresses.iter().find_map(|form| {
                    filled.truncate(known);
                    let mut all: Vec<Piece> = form.pattern.clone();
                    // What fills the form's own slots is told from the instruction's by a mark.
                    for piece in &mut all {
                        if let Piece::Slot(_, slot) = piece {
                            slot.insert_str(0, "address ");
                        }
                    }
                    all.extend_from_slice(others);
                    let mut inner = Vec::new();
                    std::mem::swap(&mut inner, filled);
                    let mut found = self.fits(&all, tokens, &mut inner);
                    if found.is_none() {
                        inner.truncate(known);
                        *filled = inner;
                    }
                    let found = found.as_mut()?;
                    let (own, mut kept): (Vec<Filled>, Vec<Filled>) = std::mem::take(found)
                        .into_iter()
                        .partition(|f| f.name.starts_with("address "));
                    let own: Vec<Filled> = own
                        .into_iter()
                        .map(|f| {
                            // The registers of an address are read.
                            kept.push(Filled {
                                name: "address".to_owned(),
                                text: f.text.clone(),
                                register: f.register,
                            });
                            Filled { name: f.name["address ".len()..].to_owned(), ..f }
                        })
                        .collect();
                    kept.push(Filled {
                        name: name.clone(),
                        text: said(&format!(" ,{}", form.meaning), &own, &|name, _| {
                            name.to_owned()
                        })[2..]
                            .to_owned(),
                        register: None,
                    });
                    Some(kept)
                })
            }
            Piece::Slot(kind, name) => {
                let (text, register, length) = self.slot(*kind, tokens)?;
                let known = filled.len();
                // A slot that stands twice is filled twice with the same.
                let is_other =
                    |f: &Filled| f.name == *name && (f.text != text || f.register != register);
                if filled.iter().any(is_other) {
                    return None;
                }
                filled.push(Filled { name: name.clone(), text, register });
                let found = self.fits(others, &tokens[length..], filled);
                if found.is_none() {
                    filled.truncate(known);
                }
                found
            }
        }
    }

    /// What fills a slot, and how many tokens it has.
    fn slot(
        &self,
        kind: SlotKind,
        tokens: &[LitmusToken],
    ) -> Option<(String, Option<RegisterName>, usize)> {
        match kind {
            SlotKind::Register => self.register(tokens),
            SlotKind::PercentRegister => {
                let word = tokens.first()?;
                if self.cursor.text(word.span).starts_with('%') {
                    self.register(tokens)
                } else {
                    None
                }
            }
            SlotKind::Number => self.number(tokens),
            SlotKind::Value => self.number(tokens).or_else(|| self.register(tokens)),
            SlotKind::Label => {
                let dot = usize::from(tokens.first()?.kind == TokenKind::Punctuation('.'));
                let label = tokens.get(dot).filter(|t| t.kind == TokenKind::Word)?;
                Some((self.cursor.text(label.span).to_owned(), None, dot + 1))
            }
            SlotKind::Location => {
                let word = tokens.first().filter(|t| t.kind == TokenKind::Word)?;
                let name = self.cursor.text(word.span);
                let is_free = !name.starts_with(['%', '$']) && self.spoken.named(name).is_none();
                (self.names.is_location(name) || is_free).then(|| (name.to_owned(), None, 1))
            }
            SlotKind::Address => None,
        }
    }

    fn register(&self, tokens: &[LitmusToken]) -> Option<(String, Option<RegisterName>, usize)> {
        // Compilers for Power write registers as numbers.
        let is_name = |t: &&LitmusToken| {
            t.kind == TokenKind::Word
                || self.spoken.compiled && matches!(t.kind, TokenKind::Integer(_))
        };
        let word = tokens.first().filter(is_name)?;
        let name = self.cursor.text(word.span);
        if let Some(register) = self.spoken.named(name) {
            return Some((self.spoken.register(self.thread, name), Some(register), 1));
        }
        // herd7 lets tests name registers that any will do for: `%x0`.
        let symbolic = name.len() > 1 && name.starts_with('%') && !self.spoken.compiled;
        let any = RegisterName {
            name: "",
            whole: "",
            bits: 64,
            zero: false,
            part: false,
            compiled: false,
        };
        symbolic.then(|| (name.to_owned(), Some(any), 1))
    }

    /// `1`, `#1`, `$1`, `-1`.
    fn number(&self, tokens: &[LitmusToken]) -> Option<(String, Option<RegisterName>, usize)> {
        let mut at = usize::from(tokens.first()?.kind == TokenKind::Punctuation('#'));
        let negative = tokens.get(at)?.kind == TokenKind::Punctuation('-');
        at += usize::from(negative);
        let token = tokens.get(at)?;
        let text = self.cursor.text(token.span);
        let number = match token.kind {
            TokenKind::Integer(n) => n,
            // `$1` is a number of x86, and a register where the text has one of that name (Alpha,
            // MIPS).
            TokenKind::Word if self.spoken.named(text).is_some() => return None,
            TokenKind::Word => {
                let digits = text.strip_prefix('$')?;
                match digits.strip_prefix("0x") {
                    Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16).ok()?,
                    None => digits.parse().ok()?,
                }
            }
            _ => return None,
        };
        // Numbers of all 64 bits are those with a sign that have the same bits.
        let number = if negative { (number as i64).wrapping_neg() } else { number as i64 };
        Some((number.to_string(), None, at + 1))
    }
}
