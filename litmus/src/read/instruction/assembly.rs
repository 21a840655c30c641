//! An instruction in an architecture's own assembly: the architecture's text says which patterns there are and what each is in the table
//! form, which is then read as any table is.

use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile, Span, nearest};
use margay_models::signature::Architecture;
use margay_models::signature::architecture::{Assembly, Piece, RegisterName, SlotKind, Spelling};

use super::super::cursor::Cursor;
use super::super::head::bits_of_type;
use super::super::token::{LitmusToken, TokenKind, tokens};
use super::{Names, table_form};
use crate::test::{Base, Dialect, InitialValue, Instruction, Operation, Place, RegisterDeclaration, ThreadId};

/// What replaces a register that holds 0 whatever is written to it, where it is written.
const NOBODY: &str = "%nobody";

/// The words for what tests of peers say and no model here speaks of, in initial states.
const NOT_MODELLED: [(&str, &str); 9] = [
    ("PTE", "a page table entry"),
    ("TTD", "a translation table descriptor"),
    ("PA", "a physical address"),
    ("TLB", "a translation that is cached"),
    ("tag", "a memory tag (MTE)"),
    ("instr", "an instruction in memory"),
    ("NOP", "an instruction in memory"),
    ("valref", "an address of a virtual machine"),
    ("TTHM", "hardware management of page tables"),
];

/// How a test is written in assembly: what the text of its architecture says, and how the test spells its registers.
#[derive(Clone)]
pub(in crate::read) struct Spoken {
    assembly: &'static Assembly,
    /// A compiler wrote it: instructions and registers count that tests do not have.
    compiled: bool,
    /// The registers that initial state and condition name, each as it is first written.
    spelled: Vec<(ThreadId, &'static str, String)>,
    arrays: Vec<DeclaredArray>,
}

/// An array of the initial state.
#[derive(Clone)]
struct DeclaredArray {
    name: String,
    /// How many bytes an element has: those of its type, or as many as where nothing says it.
    bytes: u64,
    elements: u64,
}

impl Spoken {
    /// Looks through a test for the registers that initial state and condition name.
    pub fn new(assembly: &'static Assembly, cursor: &Cursor<'_>) -> Self {
        let mut spelled: Vec<(ThreadId, &'static str, String)> = Vec::new();
        let mut at = 0;
        while cursor.peek_at(at).is_some() {
            if let (Some(thread), true, Some(word)) = (cursor.thread_at(at), cursor.is_at(at + 1, ':'), cursor.word_at(at + 2))
                && let Some(register) = assembly.register(word)
                && !spelled.iter().any(|(t, whole, _)| *t == thread && *whole == register.whole)
            {
                spelled.push((thread, register.whole, word.to_owned()));
            }
            at += 1;
        }
        Self { assembly, compiled: false, spelled, arrays: arrays(cursor) }
    }

    /// The element of an array that lies so many bytes behind its start.
    ///
    /// # Errors
    /// What is wrong with the address.
    pub fn element(&self, name: &str, bytes: u64) -> Result<String, String> {
        let Some(array) = self.arrays.iter().find(|array| array.name == name) else {
            return Err(format!("`{name}` is no array, and nothing is known to lie {bytes} bytes behind it"));
        };
        let (index, rest) = (bytes / array.bytes, bytes % array.bytes);
        match rest == 0 && index < array.elements {
            true => Ok(format!("{name}[{index}]")),
            false => Err(format!(
                "no element of `{name}` begins {bytes} bytes behind its start: it has {} of {} bytes",
                array.elements, array.bytes
            )),
        }
    }

    /// What a compiler writes.
    fn compiled(assembly: &'static Assembly) -> Self {
        Self { assembly, compiled: true, spelled: Vec::new(), arrays: Vec::new() }
    }

    fn named(&self, name: &str) -> Option<RegisterName> {
        if self.compiled { self.assembly.compiled_register(name) } else { self.assembly.register(name) }
    }

    /// What a register of a thread is called in the test; another name is itself. In the output of compilers a register of fewer bits keeps its name:
    /// what is read of the whole one, and what becomes of the rest, is for who carries it out.
    pub fn register(&self, thread: ThreadId, name: &str) -> String {
        let Some(register) = self.named(name) else { return name.to_owned() };
        if self.compiled && register.bits < 64 {
            return register.name.to_owned();
        }
        let is = |(t, whole, _): &&(ThreadId, &str, String)| *t == thread && *whole == register.whole;
        self.spelled.iter().find(is).map_or_else(|| register.whole.to_owned(), |(.., spelled)| spelled.clone())
    }

    /// What is refused by name in an initial state.
    pub fn refused(&self, cursor: &Cursor<'_>) -> Option<Diagnostic> {
        let mut at = 0;
        while cursor.peek_at(at).is_some() && !cursor.is_at(at, '}') {
            let span = cursor.peek_at(at).map_or_else(|| cursor.span(), |t| t.span);
            let word = cursor.word_at(at).unwrap_or_default();
            if let Some((_, what)) = NOT_MODELLED.iter().find(|(known, _)| *known == word).filter(|_| !cursor.is_at(at + 1, '='))
            {
                let error = cursor.error(format!("{what} is not modelled"), span, "named here");
                return Some(
                    error.help("models of Margay speak of user programs: registers, locations, and what they hold at the start"),
                );
            }
            if cursor.is_at(at, '=') && cursor.word_at(at + 1).is_some() && cursor.is_at(at + 2, ':') {
                let label = cursor.thread_at(at + 1).is_some();
                let what = if label { "a label as a value (instruction fetch)" } else { "an address with a tag (MTE)" };
                let span = cursor.peek_at(at + 1).map_or(span, |t| t.span);
                return Some(cursor.error(format!("{what} is not modelled"), span, "this value"));
            }
            at += 1;
        }
        None
    }
}

/// The arrays that an initial state declares.
fn arrays(cursor: &Cursor<'_>) -> Vec<DeclaredArray> {
    let mut found = Vec::new();
    let (mut at, mut depth) = (0, 0_usize);
    while cursor.peek_at(at).is_some() {
        depth += usize::from(cursor.is_at(at, '{'));
        if cursor.is_at(at, '}') {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                break;
            }
        }
        // `0:X1=a[1]` and `&a[1]` name an element of what is declared elsewhere.
        let is_value = at > 0 && ['=', '&'].iter().any(|&sign| cursor.is_at(at - 1, sign));
        if let (1, Some(name), true, Some(TokenKind::Integer(elements)), true) = (
            depth,
            cursor.word_at(at),
            cursor.is_at(at + 1, '['),
            cursor.peek_at(at + 2).map(|t| t.kind),
            cursor.is_at(at + 3, ']'),
        ) && !is_value
        {
            let ty = at.checked_sub(1).and_then(|before| cursor.word_at(before));
            let bytes = ty.and_then(bits_of_type).map_or(4, |bits| u64::from(bits) / 8);
            // Elements that are declared one after the other, `a[0]=1; a[1]=2`, are one array.
            let is_one = cursor.is_at(at + 4, '=') && !cursor.is_at(at + 5, '{');
            let elements = if is_one { elements.saturating_add(1) } else { elements };
            found.retain(|array: &DeclaredArray| array.name != name);
            found.push(DeclaredArray { name: name.to_owned(), bytes, elements });
        }
        at += 1;
    }
    found
}

/// What stands in a slot.
struct Filled {
    name: String,
    text: String,
    register: Option<RegisterName>,
}

/// How wide the accesses of a location are, where the instructions say it.
pub(super) struct Sized {
    location: String,
    bits: u8,
    place: Span,
}

/// What is known while the columns of a test are read.
pub(in crate::read) struct Reading {
    spoken: Spoken,
    /// What registers hold at the start.
    initial: Vec<RegisterDeclaration>,
    /// The registers that an instruction read so far writes.
    overwritten: Vec<(ThreadId, String)>,
    sized: Vec<Sized>,
    /// The widths in bits of the registers and accesses read so far.
    widths: std::collections::BTreeSet<u8>,
}

impl Reading {
    /// At the head of the program.
    pub fn new(spoken: Spoken, initial: &[RegisterDeclaration]) -> Self {
        Self { spoken, initial: initial.to_vec(), overwritten: Vec::new(), sized: Vec::new(), widths: Default::default() }
    }

    pub(super) fn is_compiled(&self) -> bool {
        self.spoken.compiled
    }

    /// A value that is another one in a narrower register or access, if the test has one: nothing here narrows values or extends them. Numbers in
    /// brackets, and before them, are offsets of addresses.
    pub fn too_wide(&self, tokens: &[LitmusToken], file: &Arc<SourceFile>) -> Option<Diagnostic> {
        let narrowest = *self.widths.first()?;
        let mut depth = 0_usize;
        let mut is_negative = false;
        for (at, token) in tokens.iter().enumerate() {
            let before = std::mem::replace(&mut is_negative, false);
            match token.kind {
                TokenKind::Punctuation('[') => depth += 1,
                TokenKind::Punctuation(']') => depth = depth.saturating_sub(1),
                TokenKind::Punctuation('-') => is_negative = true,
                TokenKind::Integer(n) if depth == 0 => {
                    let is_offset = tokens.get(at + 1).is_some_and(|next| next.kind == TokenKind::Punctuation('('));
                    let most = 1_u128 << (narrowest.clamp(8, 64) - 1);
                    // Numbers have 64 bits and a sign.
                    let is_signed = self.widths.len() == 1 && narrowest == 64;
                    let fits = n == 0 || u128::from(n) < most && (!before || is_signed);
                    if !is_offset && !fits {
                        let message = "a value that registers or accesses of different widths hold differently, or that has a sign, is not modelled";
                        let error =
                            Diagnostic::error(message).at(file, token.span, format!("the narrowest here has {narrowest} bits"));
                        return Some(error.help("values are not narrowed, nor extended with zeros or a sign: take values that all widths hold, such as 1 and 2"));
                    }
                }
                _ => {}
            }
        }
        None
    }
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

    /// An instruction in the table form: what it does, one after another, with registers by their first names. Registers that begin with `%`
    /// are those of the text.
    ///
    /// # Errors
    /// The text does not have it.
    pub fn instruction(self, text: &str) -> Result<Vec<Operation>, Diagnostic> {
        let file = SourceFile::new("the assembly", text);
        let tokens = tokens(&file, 0, false)?;
        let mut names = Names::of_compiler(Dialect::Text(self.architecture), Spoken::compiled(self.assembly));
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
    out: &mut Vec<Instruction>,
) -> Result<(), Diagnostic> {
    // Compilers write `.L2:`.
    let dot = usize::from(cursor.is('.'));
    if let (Some(label), true) = (cursor.word_at(dot), cursor.is_at(dot + 1, ':')) {
        let span = cursor.peek_at(dot).map_or_else(|| cursor.span(), |t| t.span);
        out.push(Instruction { guard: None, operation: Operation::Label(label.to_owned()), place: Place(span) });
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
        let is_narrower =
            |f: &Filled| f.name != "address" && f.register.is_some_and(|r| !r.name.is_empty() && Some(r.bits) != s.wide);
        let contradicts = s.wide.is_some() && filled.iter().any(is_narrower);
        (!contradicts).then_some((s, filled))
    };
    let found = more.chain(&assembly.instructions).find_map(fits);
    let Some((spelling, filled)) = found else { return Err(not_known(cursor, assembly, &written, span)) };
    for slot in filled.iter().filter(|slot| slot.register.is_some_and(|r| !r.zero)) {
        names.writes(&slot.text, thread);
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
            let part = bits.and_then(|bits| assembly.part_of(name, bits)).filter(|_| spoken.compiled);
            let register = spoken.register(thread, part.map_or(name, |part| part.name));
            named.borrow_mut().push(register.clone());
            register
        });
        // In an address, too, what the text calls a register is one.
        for register in named.into_inner() {
            names.writes(&register, thread);
        }
        let undeclared = names.undeclared.len();
        let source = SourceFile::new("the table form", text.as_str());
        let mut made = tokens(&source, 0, false)
            .and_then(|tokens| table_form(&mut Cursor::new(&source, &tokens), thread, names))
            .map_err(|error| {
                let message = format!("`{}` is `{text}` in the table form: {}", cursor.text(span), error.message);
                cursor.error(message, span, "this instruction")
            })?;
        // What the test says of a name is said where the test has it.
        for (name, at) in names.undeclared.iter_mut().skip(undeclared) {
            *at = written.iter().map(|token| token.span).find(|at| cursor.text(*at) == name.as_str()).unwrap_or(span);
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
        out.push(Instruction { guard: None, operation: made, place: Place(span) });
    }
    Ok(())
}

/// An instruction that fits no pattern: known and refused, with other operands, or not known at all.
fn not_known(cursor: &Cursor<'_>, assembly: &Assembly, written: &[LitmusToken], span: Span) -> Diagnostic {
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
        return cursor.error(format!("`{mnemonic}` is not modelled: {why}"), span, "this instruction");
    }
    let similar: Vec<String> = assembly
        .instructions
        .iter()
        .filter(|s| matches!(s.pattern.first(), Some(Piece::Word(first)) if *first == lower))
        .map(|s| shape(&s.pattern))
        .take(4)
        .collect();
    if !similar.is_empty() {
        let error = cursor.error(format!("`{text}` is not read"), span, "these operands fit no form of the instruction");
        return error.help(format!("the architecture's text has {}", similar.join(", ")));
    }
    let error = cursor.error(format!("unknown instruction `{mnemonic}`"), span, "not in the architecture's text");
    match nearest(&lower, assembly.first_words()) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help("docs/architectures.md says how an architecture's text learns an instruction"),
    }
}

/// A pattern as it is written.
fn shape(pattern: &[Piece]) -> String {
    let mut out = String::new();
    for (i, piece) in pattern.iter().enumerate() {
        let (text, spaced) = match piece {
            Piece::Word(word) => (word.clone(), matches!(pattern.get(i.wrapping_sub(1)), Some(Piece::Word(_)))),
            Piece::Sign(sign) => (sign.to_string(), false),
            Piece::Slot(_, name) => {
                (format!("<{name}>"), matches!(pattern.get(i.wrapping_sub(1)), Some(Piece::Word(_) | Piece::Sign(','))))
            }
        };
        if spaced {
            out.push(' ');
        }
        out += &text;
    }
    format!("`{out}`")
}

/// A part of a meaning with its slots filled. `register` is what a register is called, or the part of it that has so many bits.
fn said(part: &str, filled: &[Filled], register: &dyn Fn(&str, Option<u8>) -> String) -> String {
    let mnemonic = part.split(|c: char| c.is_whitespace() || c == '<').next().unwrap_or_default();
    let branches = ["beq", "bne", "blt", "ble", "bgt", "bge"].contains(&mnemonic);
    let mut out = String::new();
    let mut rest = part;
    let mut operands = 0;
    while let Some((before, (slot, after))) = rest.split_once('<').and_then(|(b, r)| Some((b, r.split_once('>')?))) {
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
        match slot.strip_prefix(':') {
            Some(name) => {
                if let Some(bits) = bits(name).filter(|&bits| bits < 64) {
                    out += &format!(".s{bits}");
                }
            }
            None => match is(slot) {
                // A register that is always 0 is a number where it is read, and nobody's where it is written.
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
    let of_slot = || filled.iter().find(|f| f.name == size).and_then(|f| f.register).map(|r| r.bits);
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
    let message = format!("accesses of {} and of {bits} bits to `{location}` (mixed sizes) are not modelled", before.bits);
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
    fn fits(&self, pieces: &[Piece], tokens: &[LitmusToken], filled: &mut Vec<Filled>) -> Option<Vec<Filled>> {
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
                if first.kind == TokenKind::Punctuation(*sign) { self.fits(others, rest, filled) } else { None }
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
                    let (own, mut kept): (Vec<Filled>, Vec<Filled>) =
                        std::mem::take(found).into_iter().partition(|f| f.name.starts_with("address "));
                    let own: Vec<Filled> = own
                        .into_iter()
                        .map(|f| {
                            // The registers of an address are read.
                            kept.push(Filled { name: "address".to_owned(), text: f.text.clone(), register: f.register });
                            Filled { name: f.name["address ".len()..].to_owned(), ..f }
                        })
                        .collect();
                    kept.push(Filled {
                        name: name.clone(),
                        text: said(&format!(" ,{}", form.meaning), &own, &|name, _| name.to_owned())[2..].to_owned(),
                        register: None,
                    });
                    Some(kept)
                })
            }
            Piece::Slot(kind, name) => {
                let (text, register, length) = self.slot(*kind, tokens)?;
                let known = filled.len();
                // A slot that stands twice is filled twice with the same.
                let is_other = |f: &Filled| f.name == *name && (f.text != text || f.register != register);
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
    fn slot(&self, kind: SlotKind, tokens: &[LitmusToken]) -> Option<(String, Option<RegisterName>, usize)> {
        match kind {
            SlotKind::Register => self.register(tokens),
            SlotKind::PercentRegister => {
                let word = tokens.first()?;
                if self.cursor.text(word.span).starts_with('%') { self.register(tokens) } else { None }
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
        let is_name =
            |t: &&LitmusToken| t.kind == TokenKind::Word || self.spoken.compiled && matches!(t.kind, TokenKind::Integer(_));
        let word = tokens.first().filter(is_name)?;
        let name = self.cursor.text(word.span);
        if let Some(register) = self.spoken.named(name) {
            return Some((self.spoken.register(self.thread, name), Some(register), 1));
        }
        // herd7 lets tests name registers that any will do for: `%x0`.
        let symbolic = name.len() > 1 && name.starts_with('%') && !self.spoken.compiled;
        let any = RegisterName { name: "", whole: "", bits: 64, zero: false, part: false, compiled: false };
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
