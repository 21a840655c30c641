//! Reads the text of an architecture: one statement a line, words and quoted strings. Comments are
//! `//`, `#` and `(* *)`.
//!
//! ```text
//! architecture "what it is"
//! tag A on R
//! order Q < A
//! scopes wg|workgroup < agent < system
//! dependencies addr data ctrl
//! coherence partial
//! chosen sync_fence on SC
//! read ldar A scoped
//! ```

use std::sync::Arc;

use super::Architecture;
use super::description::Description;
use super::leaked::leaked;
use super::scan::{ScannedLine, ScannedWord, lines};
use crate::diagnostic::{Diagnostic, SourceFile, Span, nearest};
use crate::signature::base::NamedBases;
use crate::signature::{BaseRelation, BaseSet, Operation};

/// The words that statements begin with, and how each goes on.
const STATEMENTS: [(&str, &str); 29] = [
    ("architecture", "architecture \"what it is\""),
    (
        "tag",
        "tag NAME on R, W or F (several are possible), and `apart` where none is weaker for lack of it",
    ),
    ("order", "order WEAKER < STRONGER, by tags"),
    ("halves", "halves TAG = TAG-OF-THE-READ TAG-OF-THE-WRITE"),
    ("dependencies", "dependencies and some of addr, data, ctrl"),
    (
        "scopes",
        "scopes NARROWEST < ... < WIDEST; behind each `= LEVEL` (warp, cta, cluster, gpu, sys), or behind none",
    ),
    ("optional", "optional SCOPE if named; or: optional SCOPE except MODEL ..."),
    ("coherence", "coherence partial; or: coherence total"),
    ("chosen", "chosen sync_fence on TAG, a tag of fences"),
    (
        "barrier",
        "barrier ARRIVAL WAIT, the tags of the operations on barriers: one of read-modify-writes, one of reads",
    ),
    ("sets", "sets and some of NA, WEAK, A, MFENCE, each with further names: NA|PLAIN"),
    (
        "relations",
        "relations and some that every architecture has, each with further names: po|before",
    ),
    ("print", "print RELATION as NAME"),
    (
        "read",
        "read MNEMONIC and its tags; then `scoped` if it takes a scope, `reserve` if it is a load-reserved, `test-only`",
    ),
    (
        "write",
        "write MNEMONIC and its tags; then `scoped` if it takes a scope, `conditional` if it may fail, `test-only`",
    ),
    (
        "rmw",
        "rmw MNEMONIC and the tags of its halves; then `scoped` if it takes a scope, `test-only`",
    ),
    ("fence", "fence MNEMONIC and its tags; then `scoped` if it takes a scope, `test-only`"),
    ("assembly", "assembly and the first words of tests that are written in it"),
    (
        "registers",
        "registers BITS NAMES; then `in NAMES` for parts of other registers, `part` if the rest is left as it is, `zero` if they hold 0; x0..x30 is a range",
    ),
    ("each", "each NAME = WORD WORD/MEANING WORD \"MEANING\" ...; `-` is nothing"),
    ("address", "address \"PATTERN\" = \"TABLE FORM\""),
    (
        "instruction",
        "instruction \"PATTERN\" ... = \"TABLE FORM; ...\", and `size BITS` or `size <SLOT>` if it accesses memory",
    ),
    (
        "compiled",
        "compiled \"PATTERN\" ... = \"TABLE FORM; ...\", as `instruction`, for the output of compilers; or: compiled registers BITS NAMES",
    ),
    ("comments", "comments and in quotes what begins a comment that ends with its line"),
    (
        "parameters",
        "parameters and the registers of a function's parameters; then `stack` and the stack pointer, `return` and the register of the return address, `open`, `even`, `kept` and the registers that are the caller's",
    ),
    ("refuse", "refuse \"why\" and the first words of instructions; `ld1*` is all that begin so"),
    ("front-end", "front-end generic, c or ptx"),
    ("words", "words and the first words of models that mean the architecture"),
    ("well-formed", "well-formed FILE.cat, of models/signatures"),
];

/// Reads a text. Only those of the program itself may name a front end.
pub(super) fn read(
    file: &Arc<SourceFile>,
    word: &'static str,
    architecture: Architecture,
    front_end_allowed: bool,
) -> Result<Description, Vec<Diagnostic>> {
    let mut reader = ArchitectureReader {
        file,
        architecture,
        front_end_allowed,
        description: Description {
            word,
            title: "",
            file: file.clone(),
            tags: Vec::new(),
            instructions: Vec::new(),
            sets: Vec::new(),
            relations: Vec::new(),
            printed: Vec::new(),
            partial_coherence: false,
            ordered_fences: None,
            barrier: None,
            scopes: Vec::new(),
            levels: Vec::new(),
            optional: None,
            front_end: None,
            assembly: None,
        },
        picked_sets: Vec::new(),
        picked_relations: Vec::new(),
        places: Vec::new(),
        tags_at: Vec::new(),
        scopes_at: None,
        coherence_at: None,
        chosen_at: None,
        barrier_at: None,
    };
    let mut errors = Vec::new();
    match lines(file) {
        Ok(lines) => {
            if let Err(error) = reader.header(lines.first()) {
                return Err(vec![error]);
            }
            errors.extend(lines.iter().skip(1).filter_map(|line| reader.statement(line).err()));
        }
        Err(error) => return Err(vec![error]),
    }
    if errors.is_empty() {
        errors.extend(
            reader.lacks().or_else(|| reader.scopes_are_used()).or_else(|| reader.tags_are_used()),
        );
        errors.extend(reader.add_chosen());
        errors.extend(reader.add_barrier());
        reader.add_names();
    }
    if errors.is_empty() { Ok(reader.description) } else { Err(errors) }
}

pub(super) struct ArchitectureReader<'a> {
    pub(super) file: &'a Arc<SourceFile>,
    /// The architecture that the text describes.
    pub(super) architecture: Architecture,
    /// May the text name a front end?
    pub(super) front_end_allowed: bool,
    pub(super) description: Description,
    /// The sets and relations that lines pick, each with its names.
    pub(super) picked_sets: NamedBases<BaseSet>,
    pub(super) picked_relations: NamedBases<BaseRelation>,
    /// Where each instruction stands.
    pub(super) places: Vec<Span>,
    /// Where each tag is declared.
    pub(super) tags_at: Vec<Span>,
    /// Where the line `scopes` begins.
    pub(super) scopes_at: Option<Span>,
    /// Where the line `coherence` begins.
    pub(super) coherence_at: Option<Span>,
    /// The tag of the line `chosen`, where the line begins, and where the tag stands.
    pub(super) chosen_at: Option<(String, Span, Span)>,
    /// The tags of the line `barrier` and where they stand, and where the line begins.
    pub(super) barrier_at: Option<([(String, Span); 2], Span)>,
}

impl ArchitectureReader<'_> {
    pub(super) fn error(
        &self,
        span: Span,
        message: impl Into<String>,
        label: &str,
        help: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::error(message).at(self.file, span, label).help(help)
    }

    fn header(&mut self, line: Option<&ScannedLine>) -> Result<(), Diagnostic> {
        const SHAPE: &str = "the first line is: architecture \"what it is\"";
        let Some(line) = line else {
            return Err(self.error(
                Span::default(),
                "the text of the architecture is empty",
                "nothing here",
                SHAPE,
            ));
        };
        match &line[..] {
            [(ScannedWord::Word(w), _), (ScannedWord::Quoted(title), _)] if w == "architecture" => {
                self.description.title = leaked(title)
            }
            [(ScannedWord::Word(w), _), (ScannedWord::Quoted(_), _), (_, span), ..]
                if w == "architecture" =>
            {
                return Err(self.error(
                    *span,
                    "unexpected text after the title",
                    "not expected here",
                    SHAPE,
                ));
            }
            [(ScannedWord::Word(w), span)] if w == "architecture" => {
                let end = Span::new(span.end, span.end);
                return Err(self.error(
                    end,
                    "expected the title of the architecture in quotes",
                    "expected a title",
                    SHAPE,
                ));
            }
            [(ScannedWord::Word(w), _), (_, span), ..] if w == "architecture" => {
                return Err(self.error(
                    *span,
                    "expected the title of the architecture in quotes",
                    "no title",
                    SHAPE,
                ));
            }
            _ => {
                return Err(self.error(
                    line[0].1,
                    "expected `architecture`",
                    "expected `architecture`",
                    SHAPE,
                ));
            }
        }
        Ok(())
    }

    fn statement(&mut self, line: &ScannedLine) -> Result<(), Diagnostic> {
        if let Some(result) = self.assembly_line(line) {
            return result;
        }
        let mut words = Vec::new();
        for (item, span) in line {
            match item {
                ScannedWord::Word(word) => words.push((word.as_str(), *span)),
                ScannedWord::Quoted(_) => {
                    return Err(self.error(
                        *span,
                        "this line has no text in quotes",
                        "not expected here",
                        "drop it",
                    ));
                }
            }
        }
        let Some((&(keyword, span), rest)) = words.split_first() else { return Ok(()) };
        match keyword {
            "tag" => self.tag(span, rest),
            "order" => self.order(span, rest),
            "halves" => self.halves(span, rest),
            "optional" => self.optional(span, rest),
            "coherence" => self.coherence(span, rest),
            "chosen" => self.chosen(span, rest),
            "barrier" => self.barrier(span, rest),
            "sets" => self.sets(span, rest),
            "relations" => self.relations(span, rest),
            "print" => self.print(span, rest),
            "front-end" => self.front_end(span, rest),
            "words" => self.words(span, rest),
            "well-formed" => self.well_formed(span, rest),
            "dependencies" => self.dependencies(span, rest),
            "scopes" => self.scopes(span, rest),
            "read" => self.instruction(Operation::Read, span, rest),
            "write" => self.instruction(Operation::Write, span, rest),
            "rmw" => self.instruction(Operation::Rmw, span, rest),
            "fence" => self.instruction(Operation::Fence, span, rest),
            "architecture" => Err(self.error(
                span,
                "a second line `architecture`",
                "not expected here",
                "one file describes one architecture",
            )),
            other => {
                let known = STATEMENTS.iter().map(|(word, _)| *word);
                let help = match nearest(other, known.clone()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("lines begin with {}", known.collect::<Vec<_>>().join(", ")),
                };
                Err(self.error(span, format!("unknown statement `{other}`"), "not known", help))
            }
        }
    }

    /// How a statement goes on.
    pub(super) fn shape(keyword: &str) -> String {
        let of =
            STATEMENTS.iter().find(|(word, _)| *word == keyword).map_or("", |(_, shape)| *shape);
        format!("the line is: {of}")
    }

    /// What every architecture needs and this one lacks.
    fn lacks(&self) -> Option<Diagnostic> {
        let has = |operation: Operation| {
            self.description.instructions.iter().any(|i| i.operation == operation)
        };
        let end = Span::new(self.file.text.len(), self.file.text.len());
        let (operation, word) = [(Operation::Read, "read"), (Operation::Write, "write")]
            .into_iter()
            .find(|&(o, _)| !has(o))?;
        let message = format!("the architecture has no instruction of the operation {operation}");
        Some(self.error(end, message, "the text ends here", format!("add a line: {word} MNEMONIC")))
    }
}

/// Is it a name of .cat, and no word of the language?
pub(super) fn is_name(word: &str) -> bool {
    let letter = word.starts_with(|c: char| c.is_ascii_alphabetic());
    let rest = word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
    letter
        && rest
        && !word.ends_with('-')
        && !crate::cat::keywords().any(|k| k == word)
        && !["domain", "range"].contains(&word)
}

/// The place behind a word.
pub(super) fn after(span: Span) -> Span {
    Span::new(span.end, span.end)
}
