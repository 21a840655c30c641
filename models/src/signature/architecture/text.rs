//! Reads the text of an architecture: one statement a line, words and quoted strings. Comments are `//`, `#` and `(* *)`.
//!
//! ```text
//! architecture "what it is"
//! tag A on R
//! order Q < A
//! scopes wg < agent < system
//! dependencies addr data ctrl
//! read ldar A scoped
//! ```

use std::sync::Arc;

use super::scan::{Item, Line, lines};
use super::scopes::SCOPED;
use super::{Description, Instruction, MAX_INSTRUCTIONS, MAX_TAGS, On, TagDescription, leaked};
use crate::diagnostic::{Diagnostic, SourceFile, Span, nearest};
use crate::signature::{BaseRelation, BaseSet, Operation, Signature};

/// The words of mapping rows, and the instructions of litmus tests that access no memory.
const RESERVED: [&str; 37] = [
    "or", "nothing", "absent", "other", "addr", "data", "ctrl", "mov", "cvt", "add", "sub", "mul", "div", "rem", "and", "xor",
    "not", "neg", "shl", "shr", "min", "max", "setp", "goto", "bra", "beq", "bne", "blt", "ble", "bgt", "bge", "exit", "ret",
    "mad", "selp", "bar", "barrier",
];

/// The words that statements begin with, and how each goes on.
const STATEMENTS: [(&str, &str); 9] = [
    ("architecture", "architecture \"what it is\""),
    ("tag", "tag NAME on R, W or F (several are possible), and `apart` where none is weaker for lack of it"),
    ("order", "order WEAKER < STRONGER, by tags"),
    ("dependencies", "dependencies and some of addr, data, ctrl"),
    ("scopes", "scopes NARROWEST < ... < WIDEST; behind each `= LEVEL` (warp, cta, cluster, gpu, sys), or behind none"),
    ("read", "read MNEMONIC and its tags, and `scoped` if it takes a scope"),
    ("write", "write MNEMONIC and its tags, and `scoped` if it takes a scope"),
    ("rmw", "rmw MNEMONIC and the tags of its halves, and `scoped` if it takes a scope"),
    ("fence", "fence MNEMONIC and its tags, and `scoped` if it takes a scope"),
];

/// Reads a text.
pub(super) fn read(file: &Arc<SourceFile>, word: &'static str, number: usize) -> Result<Description, Vec<Diagnostic>> {
    let mut reader = Reader {
        file,
        description: Description {
            number,
            word,
            title: "",
            file: file.clone(),
            tags: Vec::new(),
            instructions: Vec::new(),
            dependencies: Vec::new(),
            scopes: Vec::new(),
            levels: Vec::new(),
        },
        places: Vec::new(),
        tags_at: Vec::new(),
        scopes_at: None,
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
        errors.extend(reader.lacks().or_else(|| reader.scopes_are_used()).or_else(|| reader.tags_are_used()));
    }
    if errors.is_empty() { Ok(reader.description) } else { Err(errors) }
}

pub(super) struct Reader<'a> {
    pub(super) file: &'a Arc<SourceFile>,
    pub(super) description: Description,
    /// Where each instruction stands.
    pub(super) places: Vec<Span>,
    /// Where each tag is declared.
    pub(super) tags_at: Vec<Span>,
    /// Where the line `scopes` begins.
    pub(super) scopes_at: Option<Span>,
}

impl Reader<'_> {
    pub(super) fn error(&self, span: Span, message: impl Into<String>, label: &str, help: impl Into<String>) -> Diagnostic {
        Diagnostic::error(message).at(self.file, span, label).help(help)
    }

    fn header(&mut self, line: Option<&Line>) -> Result<(), Diagnostic> {
        const SHAPE: &str = "the first line is: architecture \"what it is\"";
        let Some(line) = line else {
            return Err(self.error(Span::default(), "the text of the architecture is empty", "nothing here", SHAPE));
        };
        match &line[..] {
            [(Item::Word(w), _), (Item::Quoted(title), _)] if w == "architecture" => self.description.title = leaked(title),
            [(Item::Word(w), _), (Item::Quoted(_), _), (_, span), ..] if w == "architecture" => {
                return Err(self.error(*span, "unexpected text after the title", "not expected here", SHAPE));
            }
            [(Item::Word(w), span)] if w == "architecture" => {
                let end = Span::new(span.end, span.end);
                return Err(self.error(end, "expected the title of the architecture in quotes", "expected a title", SHAPE));
            }
            [(Item::Word(w), _), (_, span), ..] if w == "architecture" => {
                return Err(self.error(*span, "expected the title of the architecture in quotes", "no title", SHAPE));
            }
            _ => return Err(self.error(line[0].1, "expected `architecture`", "expected `architecture`", SHAPE)),
        }
        Ok(())
    }

    fn statement(&mut self, line: &Line) -> Result<(), Diagnostic> {
        let mut words = Vec::new();
        for (item, span) in line {
            match item {
                Item::Word(word) => words.push((word.as_str(), *span)),
                Item::Quoted(_) => {
                    return Err(self.error(*span, "only the first line has a text in quotes", "not expected here", "drop it"));
                }
            }
        }
        let Some((&(keyword, span), rest)) = words.split_first() else { return Ok(()) };
        match keyword {
            "tag" => self.tag(span, rest),
            "order" => self.order(span, rest),
            "dependencies" => self.dependencies(span, rest),
            "scopes" => self.scopes(span, rest),
            "read" => self.instruction(Operation::Read, span, rest),
            "write" => self.instruction(Operation::Write, span, rest),
            "rmw" => self.instruction(Operation::Rmw, span, rest),
            "fence" => self.instruction(Operation::Fence, span, rest),
            "architecture" => {
                Err(self.error(span, "a second line `architecture`", "not expected here", "one file describes one architecture"))
            }
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
        let of = STATEMENTS.iter().find(|(word, _)| *word == keyword).map_or("", |(_, shape)| *shape);
        format!("the line is: {of}")
    }

    fn tag(&mut self, keyword: Span, rest: &[(&str, Span)]) -> Result<(), Diagnostic> {
        let shape = Self::shape("tag");
        let [(name, span), rest @ ..] = rest else {
            return Err(self.error(after(keyword), "expected the name of a tag", "expected a name", shape));
        };
        let is_base = |b: &&BaseSet| b.names().contains(name) && b.is_in(Signature::Plain) && **b != BaseSet::Mfence;
        if BaseSet::ALL.iter().any(|b| is_base(&b)) || BaseRelation::ALL.iter().any(|b| b.names().contains(name)) {
            let help = "every architecture has this name; choose another one";
            return Err(self.error(*span, format!("`{name}` is no name for a tag"), "taken", help));
        }
        if !is_name(name) {
            let help = "a tag is a name of .cat: letters, digits, `_`, `.` and `-`, and a letter first";
            return Err(self.error(*span, format!("`{name}` is no name for a tag"), "not a name", help));
        }
        if *name == SCOPED || self.is_scope(name) {
            let help = "`scoped` says that an instruction takes a scope, and each scope is a set of its name in capitals; choose another name";
            return Err(self.error(*span, format!("`{name}` is no name for a tag"), "taken", help));
        }
        if self.tag_index(name).is_some() {
            return Err(self.error(*span, format!("two tags `{name}`"), "the second one", "drop one"));
        }
        if self.description.tags.len() == MAX_TAGS {
            return Err(self.error(*span, format!("more than {MAX_TAGS} tags"), "one too many", "drop tags that no model names"));
        }
        let rest = match rest {
            [("on", _), rest @ ..] if !rest.is_empty() => rest,
            [("on", place)] => return Err(self.error(after(*place), "expected R, W or F", "expected R, W or F", shape)),
            [(_, place), ..] => return Err(self.error(*place, "expected `on`", "expected `on`", shape)),
            [] => return Err(self.error(after(*span), "expected `on`", "expected `on`", shape)),
        };
        let (mut on, mut apart) = (On::default(), false);
        for (i, (word, place)) in rest.iter().enumerate() {
            match *word {
                "R" => on.read = true,
                "W" => on.write = true,
                "F" => on.fence = true,
                "apart" if i > 0 && i + 1 == rest.len() => apart = true,
                other => {
                    return Err(self.error(*place, format!("expected R, W or F, not `{other}`"), "expected R, W or F", shape));
                }
            }
        }
        self.description.tags.push(TagDescription { name: leaked(name), on, apart, weaker: 0 });
        self.tags_at.push(*span);
        Ok(())
    }

    /// A tag that no instruction carries would be an empty set in every model, which so would not say what its author reads in it.
    fn tags_are_used(&self) -> Option<Diagnostic> {
        let carried = self.description.instructions.iter().fold(0, |bits, i| bits | i.bits);
        let unused = (0..self.description.tags.len()).find(|i| carried & (1 << i) == 0)?;
        let name = self.description.tags[unused].name;
        Some(self.error(
            self.tags_at[unused],
            format!("no instruction carries the tag `{name}`"),
            "declared here",
            format!("write it behind the mnemonic of an instruction, e.g. `fence MNEMONIC {name}`, or drop the line"),
        ))
    }

    pub(super) fn tag_index(&self, name: &str) -> Option<usize> {
        self.description.tags.iter().position(|t| t.name == name)
    }

    fn known_tag(&self, name: &str, span: Span) -> Result<usize, Diagnostic> {
        self.tag_index(name).ok_or_else(|| {
            let names: Vec<&str> = self.description.tags.iter().map(|t| t.name).collect();
            let help = match nearest(name, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if names.is_empty() => format!("declare it above: tag {name} on R"),
                None => format!("the tags above are {}; declare it there: tag {name} on R", names.join(", ")),
            };
            self.error(span, format!("unknown tag `{name}`"), "not a tag", help)
        })
    }

    fn order(&mut self, keyword: Span, rest: &[(&str, Span)]) -> Result<(), Diagnostic> {
        let shape = Self::shape("order");
        let [(weaker, at), ("<", _), (stronger, place)] = rest else {
            let span = rest.get(3).or(rest.get(1)).map_or(after(keyword), |(_, s)| *s);
            return Err(self.error(span, "expected two tags with `<` between them", "expected WEAKER < STRONGER", shape));
        };
        let (weaker, stronger) = (self.known_tag(weaker, *at)?, self.known_tag(stronger, *place)?);
        let tags = &mut self.description.tags;
        let below = tags[weaker].weaker | 1 << weaker;
        if below & (1 << stronger) != 0 {
            let help = "an order has no cycle: drop one of its lines";
            return Err(self.error(at.to(*place), "the second tag is weaker than the first already", "this order", help));
        }
        for (i, tag) in tags.iter_mut().enumerate() {
            if i == stronger || tag.weaker & (1 << stronger) != 0 {
                tag.weaker |= below;
            }
        }
        Ok(())
    }

    fn dependencies(&mut self, keyword: Span, rest: &[(&str, Span)]) -> Result<(), Diagnostic> {
        let shape = Self::shape("dependencies");
        if rest.is_empty() {
            return Err(self.error(after(keyword), "expected addr, data or ctrl", "expected addr, data or ctrl", shape));
        }
        for (word, span) in rest {
            let found = [BaseRelation::Addr, BaseRelation::Data, BaseRelation::Ctrl].into_iter().find(|r| r.name() == *word);
            let Some(relation) = found else {
                return Err(self.error(*span, format!("unknown dependency `{word}`"), "expected addr, data or ctrl", shape));
            };
            if !self.description.dependencies.contains(&relation) {
                self.description.dependencies.push(relation);
            }
        }
        Ok(())
    }

    fn instruction(&mut self, operation: Operation, keyword: Span, rest: &[(&str, Span)]) -> Result<(), Diagnostic> {
        let word = match operation {
            Operation::Read => "read",
            Operation::Write => "write",
            Operation::Rmw => "rmw",
            Operation::Fence => "fence",
        };
        let [(mnemonic, span), tags @ ..] = rest else {
            return Err(self.error(after(keyword), "expected a mnemonic", "expected a mnemonic", Self::shape(word)));
        };
        let starts = mnemonic.starts_with(|c: char| c.is_ascii_alphabetic());
        let reserved = RESERVED.contains(mnemonic);
        if !starts
            || reserved
            || mnemonic.contains(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.')))
            || mnemonic.ends_with('.')
        {
            let help = "a mnemonic is a word of ASCII letters, digits, `_` and `.` that begins with a letter, and none of the words \
                        that mapping rows and litmus tests have for other things (or, nothing, ctrl, mov, add, ...)";
            return Err(self.error(*span, format!("`{mnemonic}` is no mnemonic"), "not a mnemonic", help));
        }
        let (scoped, tags) = match tags {
            [tags @ .., (SCOPED, place)] => (Some(*place), tags),
            _ => (None, tags),
        };
        if let Some(place) = scoped.filter(|_| self.description.scopes.is_empty()) {
            let help = "say above which there are, narrowest first: scopes wg < agent < system";
            return Err(self.error(place, "the architecture has no scopes", "takes a scope", help));
        }
        let mut bits = 0;
        for (name, place) in tags {
            let index = self.known_tag(name, *place)?;
            let on = self.description.tags[index].on;
            let carries = match operation {
                Operation::Read => on.read,
                Operation::Write => on.write,
                Operation::Rmw => on.read || on.write,
                Operation::Fence => on.fence,
            };
            if !carries {
                let message = format!("the events of a {word} do not carry the tag `{name}`");
                let help = "the line of the tag says `on` which events it is: R, W, F";
                return Err(self.error(*place, message, "not of this operation", help));
            }
            bits |= 1 << index;
        }
        let same = |i: &Instruction| i.mnemonic == *mnemonic || (i.operation == operation && i.bits == bits);
        if let Some(first) = self.description.instructions.iter().position(same) {
            let message = match self.description.instructions[first].mnemonic == *mnemonic {
                true => format!("two instructions `{mnemonic}`"),
                false => format!("`{mnemonic}` has the operation and the tags of another instruction"),
            };
            let help = "models tell instructions apart by operation and tags, people by mnemonics: drop one, or give it a tag or name of its own";
            let error = self.error(*span, message, "the second one", help);
            return Err(error.at(self.file, self.places[first], "the first one"));
        }
        if self.description.instructions.len() == MAX_INSTRUCTIONS {
            let help = "leave out those that no mapping needs";
            return Err(self.error(*span, format!("more than {MAX_INSTRUCTIONS} instructions"), "one too many", help));
        }
        let names = self.names(operation, bits);
        let scoped = scoped.is_some();
        self.description.instructions.push(Instruction { mnemonic: leaked(mnemonic), operation, bits, scoped, names });
        self.places.push(*span);
        Ok(())
    }

    /// The names of an instruction's tags, and of those of its halves.
    fn names(&self, operation: Operation, bits: u32) -> [(u32, &'static str); 3] {
        let tags = &self.description.tags;
        let named = |keep: &dyn Fn(On) -> bool| {
            let kept = (0..tags.len()).filter(|&i| bits & (1 << i) != 0 && keep(tags[i].on));
            let (bits, names) = kept.fold((0, Vec::new()), |(bits, mut names), i| {
                names.push(tags[i].name);
                (bits | 1 << i, names)
            });
            (bits, leaked(&names.join(".")))
        };
        let whole = named(&|_| true);
        if operation == Operation::Rmw { [whole, named(&|on| on.read), named(&|on| on.write)] } else { [whole; 3] }
    }

    /// What every architecture needs and this one lacks.
    fn lacks(&self) -> Option<Diagnostic> {
        let has = |operation: Operation| self.description.instructions.iter().any(|i| i.operation == operation);
        let end = Span::new(self.file.text.len(), self.file.text.len());
        let (operation, word) = [(Operation::Read, "read"), (Operation::Write, "write")].into_iter().find(|&(o, _)| !has(o))?;
        let message = format!("the architecture has no instruction of the operation {operation}");
        Some(self.error(end, message, "the text ends here", format!("add a line: {word} MNEMONIC")))
    }
}

/// Is it a name of .cat, and no word of the language?
pub(super) fn is_name(word: &str) -> bool {
    let letter = word.starts_with(|c: char| c.is_ascii_alphabetic());
    let rest = word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
    letter && rest && !word.ends_with('-') && !crate::cat::keywords().any(|k| k == word) && !["domain", "range"].contains(&word)
}

/// The place behind a word.
pub(super) fn after(span: Span) -> Span {
    Span::new(span.end, span.end)
}
