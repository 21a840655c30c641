//! How a test in assembly is written, and what is known of it while its columns are read.

use std::fmt;
use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile, Span};
use margay_models::signature::architecture::{Assembly, RegisterName};

use super::super::cursor::Cursor;
use super::super::head::bits_of_type;
use super::super::token::{LitmusToken, TokenKind};
use crate::test::{RegisterDeclaration, ThreadId};

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

/// An address at which no element of an array begins.
pub(in crate::read) struct NoElement {
    name: String,
    /// How far behind the start of what has the name.
    bytes: u64,
    /// How many elements the array has, and the bytes of each; `None` if the name is no array's.
    of: Option<(u64, u64)>,
}

impl fmt::Display for NoElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, bytes, of } = self;
        match of {
            None => write!(
                f,
                "`{name}` is no array, and nothing is known to lie {bytes} bytes behind it"
            ),
            Some((elements, each)) => write!(
                f,
                "no element of `{name}` begins {bytes} bytes behind its start: it has {elements} of {each} bytes"
            ),
        }
    }
}

/// How a test is written in assembly: what the text of its architecture says, and how the test
/// spells its registers.
#[derive(Clone)]
pub(in crate::read) struct Spoken {
    pub(super) assembly: &'static Assembly,
    /// A compiler wrote it: instructions and registers count that tests do not have.
    pub(super) compiled: bool,
    /// The registers that initial state and condition name, each as it is first written.
    pub(super) spelled: Vec<(ThreadId, &'static str, String)>,
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
            if let (Some(thread), true, Some(word)) =
                (cursor.thread_at(at), cursor.is_at(at + 1, ':'), cursor.word_at(at + 2))
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
    pub fn element(&self, name: &str, bytes: u64) -> Result<String, NoElement> {
        let Some(array) = self.arrays.iter().find(|array| array.name == name) else {
            return Err(NoElement { name: name.to_owned(), bytes, of: None });
        };
        let (index, rest) = (bytes / array.bytes, bytes % array.bytes);
        match rest == 0 && index < array.elements {
            true => Ok(format!("{name}[{index}]")),
            false => Err(NoElement {
                name: name.to_owned(),
                bytes,
                of: Some((array.elements, array.bytes)),
            }),
        }
    }

    /// What a compiler writes.
    pub(super) fn compiled(assembly: &'static Assembly) -> Self {
        Self { assembly, compiled: true, spelled: Vec::new(), arrays: Vec::new() }
    }

    pub(super) fn named(&self, name: &str) -> Option<RegisterName> {
        if self.compiled {
            self.assembly.compiled_register(name)
        } else {
            self.assembly.register(name)
        }
    }

    /// What a register of a thread is called in the test; another name is itself. In the output of
    /// compilers a register of fewer bits keeps its name: what is read of the whole one, and what
    /// becomes of the rest, is for who carries it out.
    pub fn register(&self, thread: ThreadId, name: &str) -> String {
        let Some(register) = self.named(name) else { return name.to_owned() };
        if self.compiled && register.bits < 64 {
            return register.name.to_owned();
        }
        let is =
            |(t, whole, _): &&(ThreadId, &str, String)| *t == thread && *whole == register.whole;
        self.spelled
            .iter()
            .find(is)
            .map_or_else(|| register.whole.to_owned(), |(.., spelled)| spelled.clone())
    }

    /// What is refused by name in an initial state.
    pub fn refused(&self, cursor: &Cursor<'_>) -> Option<Diagnostic> {
        let mut at = 0;
        while cursor.peek_at(at).is_some() && !cursor.is_at(at, '}') {
            let span = cursor.peek_at(at).map_or_else(|| cursor.span(), |t| t.span);
            let word = cursor.word_at(at).unwrap_or_default();
            if let Some((_, what)) = NOT_MODELLED
                .iter()
                .find(|(known, _)| *known == word)
                .filter(|_| !cursor.is_at(at + 1, '='))
            {
                let error = cursor.error(format!("{what} is not modelled"), span, "named here");
                return Some(
                    error.help("models of Margay speak of user programs: registers, locations, and what they hold at the start"),
                );
            }
            if cursor.is_at(at, '=')
                && cursor.word_at(at + 1).is_some()
                && cursor.is_at(at + 2, ':')
            {
                let label = cursor.thread_at(at + 1).is_some();
                let what = if label {
                    "a label as a value (instruction fetch)"
                } else {
                    "an address with a tag (MTE)"
                };
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

/// How wide the accesses of a location are, where the instructions say it.
pub(super) struct Sized {
    pub(super) location: String,
    pub(super) bits: u8,
    pub(super) place: Span,
}

/// What is known while the columns of a test are read.
pub(in crate::read) struct Reading {
    pub(super) spoken: Spoken,
    /// What registers hold at the start.
    pub(super) initial: Vec<RegisterDeclaration>,
    /// The registers that an instruction read so far writes.
    pub(super) overwritten: Vec<(ThreadId, String)>,
    pub(super) sized: Vec<Sized>,
    /// The widths in bits of the registers and accesses read so far.
    pub(super) widths: std::collections::BTreeSet<u8>,
}

impl Reading {
    /// At the head of the program.
    pub fn new(spoken: Spoken, initial: &[RegisterDeclaration]) -> Self {
        Self {
            spoken,
            initial: initial.to_vec(),
            overwritten: Vec::new(),
            sized: Vec::new(),
            widths: Default::default(),
        }
    }

    pub(super) fn is_compiled(&self) -> bool {
        self.spoken.compiled
    }

    /// A value that is another one in a narrower register or access, if the test has one: nothing
    /// here narrows values or extends them. Numbers in brackets, and before them, are offsets of
    /// addresses.
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
                    let is_offset = tokens
                        .get(at + 1)
                        .is_some_and(|next| next.kind == TokenKind::Punctuation('('));
                    let most = 1_u128 << (narrowest.clamp(8, 64) - 1);
                    // Numbers have 64 bits and a sign.
                    let is_signed = self.widths.len() == 1 && narrowest == 64;
                    let fits = n == 0 || u128::from(n) < most && (!before || is_signed);
                    if !is_offset && !fits {
                        let message = "a value that registers or accesses of different widths hold differently, or that has a sign, is not modelled";
                        let error = Diagnostic::error(message).at(
                            file,
                            token.span,
                            format!("the narrowest here has {narrowest} bits"),
                        );
                        return Some(error.help("values are not narrowed, nor extended with zeros or a sign: take values that all widths hold, such as 1 and 2"));
                    }
                }
                _ => {}
            }
        }
        None
    }
}
