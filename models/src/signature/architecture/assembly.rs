//! How a machine's assembly is written, and what it means: the lines `assembly`, `registers`,
//! `each`, `address`, `instruction`, `compiled`, `comments`, `parameters` and `refuse` of an
//! architecture's text. An instruction is said in the table form of the same text, so that tests in
//! assembly are read as tables are (docs/architectures.md).

use super::Architecture;
use super::leaked::leaked;
use super::scan::{ScannedLine, ScannedWord};
use super::text::{ArchitectureReader, after};
use crate::diagnostic::{Diagnostic, Span};

/// The most patterns of one text, each alternative of a line `each` counted.
const MAX_PATTERNS: usize = 4096;

/// The assembly of an architecture.
#[derive(Debug, Default)]
pub struct Assembly {
    /// The first words of tests that are written in it, and where each stands.
    pub words: Vec<&'static str>,
    /// What begins a comment that ends with its line, in the output of compilers.
    pub comments: Vec<&'static str>,
    registers: Vec<RegisterName>,
    /// The forms of an address, and what each is in the table form.
    pub addresses: Vec<Spelling>,
    /// The instructions; the first that fits is meant.
    pub instructions: Vec<Spelling>,
    /// Instructions that are read in the output of compilers alone: tests have no use for them, or
    /// no meaning.
    pub compiled: Vec<Spelling>,
    /// The registers that hold the parameters of a function, by their first names; further ones lie
    /// at the stack pointer.
    pub parameters: Vec<&'static str>,
    /// The register that points to the stack.
    pub stack: Option<&'static str>,
    /// The register that holds where a function returns to; if it is the one of the stack, that
    /// lies at its top.
    pub returns: Option<&'static str>,
    /// The registers of the caller that a function gives back as they were, beside that of the
    /// stack.
    pub kept: Vec<&'static str>,
    /// Is what a register has above a narrower parameter whatever it is? Else it is the sign.
    pub open: bool,
    /// Does a parameter of two registers begin with an even one, and on the stack at a multiple of
    /// its size? Else none has two registers.
    pub even: bool,
    refused: Vec<Refused>,
    /// The words that lines `each` let stand for several.
    alternatives: Vec<(&'static str, Vec<(String, String)>)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterName {
    /// The name, in small letters.
    pub name: &'static str,
    /// The register that it is, or is a part of, by its first name.
    pub whole: &'static str,
    /// How wide it is in bits.
    pub bits: u8,
    /// Does it hold 0 whatever is written?
    pub zero: bool,
    /// Does what is written to it leave the rest of the whole register as it is? Else the rest
    /// becomes 0.
    pub part: bool,
    /// Is it read in the output of compilers alone?
    pub compiled: bool,
}

/// A way to write something, and what it means.
#[derive(Debug)]
pub struct Spelling {
    /// How it is written.
    pub pattern: Vec<Piece>,
    /// The same in the table form, with `<slot>` for what stands in the pattern's slots.
    pub meaning: &'static str,
    /// The slot whose register is as wide as the access, or the width in bits; `None` where nothing
    /// says it.
    pub size: Option<&'static str>,
    /// How many bits the registers have that stand outside of an address; `None` where it does not
    /// matter.
    pub wide: Option<u8>,
}

/// A part of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// A word or a number, in small letters.
    Word(String),
    /// Any other character.
    Sign(char),
    /// What the test fills in.
    Slot(SlotKind, String),
}

/// What may stand in a slot, by the letter of its name; digits may stand behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotKind {
    /// `<r>`: a register.
    Register,
    /// `<p>`: a register with `%` in front.
    PercentRegister,
    /// `<n>`: a number.
    Number,
    /// `<v>`: a register or a number.
    Value,
    /// `<m>`: an address, in one of the forms of the lines `address`.
    Address,
    /// `<l>`: a label.
    Label,
    /// `<x>`: the name of a location.
    Location,
}

/// What is known and not modelled.
#[derive(Debug)]
struct Refused {
    /// The first words of instructions; one with `*` at its end stands for all that begin so.
    words: Vec<&'static str>,
    why: &'static str,
}

impl SlotKind {
    fn of(name: &str) -> Option<Self> {
        let mut letters = name.chars();
        let first = letters.next().filter(|_| letters.all(|c| c.is_ascii_digit()))?;
        Some(match first {
            'r' => Self::Register,
            'p' => Self::PercentRegister,
            'n' => Self::Number,
            'v' => Self::Value,
            'm' => Self::Address,
            'l' => Self::Label,
            'x' => Self::Location,
            _ => return None,
        })
    }
}

impl Assembly {
    /// The register of a name; capital letters and a `%` in front make no difference.
    pub fn register(&self, name: &str) -> Option<RegisterName> {
        self.compiled_register(name).filter(|r| !r.compiled)
    }

    /// The same among all registers, those that tests do not name included.
    pub fn compiled_register(&self, name: &str) -> Option<RegisterName> {
        let name = name.trim_start_matches('%').to_ascii_lowercase();
        self.registers.iter().copied().find(|r| r.name == name)
    }

    /// The registers that do not have all the bits of a number, those that tests do not name
    /// included.
    pub fn narrow_registers(&self) -> impl Iterator<Item = RegisterName> {
        self.registers.iter().copied().filter(|r| r.bits < 64)
    }

    /// The register of so many bits that is another one, or a part of it.
    pub fn part_of(&self, name: &str, bits: u8) -> Option<RegisterName> {
        let whole = self.compiled_register(name)?.whole;
        self.registers.iter().copied().find(|r| r.whole == whole && r.bits == bits)
    }

    /// Why an instruction is not read that begins with a word, if the text says it.
    pub fn refusal(&self, word: &str) -> Option<&'static str> {
        let word = word.to_ascii_lowercase();
        let is = |known: &&str| {
            known.strip_suffix('*').map_or(**known == word, |start| word.starts_with(start))
        };
        self.refused.iter().find(|refused| refused.words.iter().any(&is)).map(|refused| refused.why)
    }

    /// The first words of its instructions, for the nearest one to a wrong one.
    pub fn first_words(&self) -> impl Iterator<Item = &str> {
        self.instructions.iter().filter_map(|spelling| match spelling.pattern.first() {
            Some(Piece::Word(word)) => Some(word.as_str()),
            _ => None,
        })
    }
}

impl Architecture {
    /// How its assembly is written, if its text says it.
    pub fn assembly(self) -> Option<&'static Assembly> {
        self.description().assembly.as_ref()
    }
}

/// The quoted strings and words of a line, behind the keyword.
type Rest<'a> = &'a [(ScannedWord, Span)];

impl ArchitectureReader<'_> {
    /// One of the lines that say how assembly is written; `None` for any other line.
    pub(super) fn assembly_line(&mut self, line: &ScannedLine) -> Option<Result<(), Diagnostic>> {
        let [(ScannedWord::Word(keyword), span), rest @ ..] = &line[..] else { return None };
        Some(match keyword.as_str() {
            "assembly" => self.assembly(*span, rest),
            "registers" => self.registers(*span, rest, false),
            "compiled" => match rest {
                [(ScannedWord::Word(word), _), rest @ ..] if word == "registers" => {
                    self.registers(*span, rest, true)
                }
                _ => self.spelling(*span, rest, "compiled"),
            },
            "comments" => self.comments(*span, rest),
            "parameters" => self.parameters(*span, rest),
            "each" => self.each(*span, rest),
            "address" => self.spelling(*span, rest, "address"),
            "instruction" => self.spelling(*span, rest, "instruction"),
            "refuse" => self.refuse(*span, rest),
            _ => return None,
        })
    }

    /// `assembly AArch64 AARCH64`.
    fn assembly(&mut self, keyword: Span, rest: Rest<'_>) -> Result<(), Diagnostic> {
        if self.description.assembly.is_some() {
            return Err(self.error(
                keyword,
                "a second line `assembly`",
                "the second one",
                "write all first words in one line",
            ));
        }
        let words = self.plain_words(rest, "assembly")?;
        if words.is_empty() {
            let message = "expected the first words of tests that are written in it";
            return Err(self.error(
                after(keyword),
                message,
                "expected a word",
                Self::shape("assembly"),
            ));
        }
        let words = words.into_iter().map(|(word, _)| leaked(word)).collect();
        self.description.assembly = Some(Assembly { words, ..Assembly::default() });
        Ok(())
    }

    fn the_assembly(&mut self, keyword: Span, word: &str) -> Result<&mut Assembly, Diagnostic> {
        if self.description.assembly.is_none() {
            let help = "write above it which tests are in assembly, by their first words: assembly AArch64";
            return Err(self.error(
                keyword,
                format!("`{word}` stands below a line `assembly`"),
                "too early",
                help,
            ));
        }
        Ok(self.description.assembly.as_mut().expect("it is there"))
    }

    fn plain_words<'l>(
        &self,
        rest: Rest<'l>,
        keyword: &str,
    ) -> Result<Vec<(&'l str, Span)>, Diagnostic> {
        let words = rest.iter().map(|(item, span)| match item {
            ScannedWord::Word(word) => Ok((word.as_str(), *span)),
            ScannedWord::Quoted(_) => {
                Err(self.error(*span, "expected a word", "no word", Self::shape(keyword)))
            }
        });
        words.collect()
    }

    /// `registers 32 w0..w30 in x0..x30`, `registers 64 xzr zero`, `registers 8 al in rax part`.
    fn registers(
        &mut self,
        keyword: Span,
        rest: Rest<'_>,
        compiled: bool,
    ) -> Result<(), Diagnostic> {
        self.the_assembly(keyword, "registers")?;
        let shape = Self::shape("registers");
        let words = self.plain_words(rest, "registers")?;
        let Some((bits, words)) =
            words.split_first().and_then(|((n, _), words)| Some((n.parse::<u8>().ok()?, words)))
        else {
            return Err(self.error(
                after(keyword),
                "expected how wide the registers are, in bits",
                "expected a number",
                shape,
            ));
        };
        let (words, zero, part) = match words {
            [words @ .., ("zero", _)] => (words, true, false),
            [words @ .., ("part", _)] => (words, false, true),
            _ => (words, false, false),
        };
        let split = words.iter().position(|(word, _)| *word == "in").unwrap_or(words.len());
        let names = self.ranges(&words[..split])?;
        let wholes = self.ranges(words.get(split + 1..).unwrap_or_default())?;
        if part && wholes.is_empty() {
            let help = "name the whole registers: registers 8 al bl in rax rbx part";
            return Err(self.error(
                after(keyword),
                "`part` says of which registers they are parts",
                "expected `in`",
                help,
            ));
        }
        let Some((_, first)) = names.first() else {
            return Err(self.error(
                after(keyword),
                "expected names of registers",
                "expected a name",
                shape,
            ));
        };
        if !wholes.is_empty() && wholes.len() != names.len() {
            let message = format!("{} names for {} registers", names.len(), wholes.len());
            return Err(self.error(*first, message, "as many as behind `in`", shape));
        }
        for (i, (name, span)) in names.iter().enumerate() {
            let assembly = self.the_assembly(keyword, "registers")?;
            if assembly.compiled_register(name).is_some() {
                return Err(self.error(
                    *span,
                    format!("two registers `{name}`"),
                    "the second one",
                    "drop one",
                ));
            }
            let whole = match wholes.get(i) {
                Some((whole, place)) => match assembly.register(whole) {
                    Some(known) => known.whole,
                    None => {
                        let help = "name the whole registers first, in a line above";
                        return Err(self.error(
                            *place,
                            format!("there is no register `{whole}`"),
                            "not known",
                            help,
                        ));
                    }
                },
                None => leaked(name),
            };
            assembly.registers.push(RegisterName {
                name: leaked(name),
                whole,
                bits,
                zero,
                part,
                compiled,
            });
        }
        Ok(())
    }

    /// `comments "#" "//"`.
    fn comments(&mut self, keyword: Span, rest: Rest<'_>) -> Result<(), Diagnostic> {
        self.the_assembly(keyword, "comments")?;
        let shape = Self::shape("comments");
        if rest.is_empty() {
            return Err(self.error(
                after(keyword),
                "expected what begins a comment, in quotes",
                "expected a text in quotes",
                shape,
            ));
        }
        for (item, span) in rest {
            let ScannedWord::Quoted(comment) = item else {
                return Err(self.error(
                    *span,
                    "expected what begins a comment, in quotes",
                    "no text in quotes",
                    shape,
                ));
            };
            if comment.trim().is_empty() {
                return Err(self.error(*span, "nothing begins no comment", "write a sign", shape));
            }
            let comment = leaked(comment);
            self.the_assembly(keyword, "comments")?.comments.push(comment);
        }
        Ok(())
    }

    /// `parameters x0..x7 stack sp return x30 open kept x19..x29`.
    fn parameters(&mut self, keyword: Span, rest: Rest<'_>) -> Result<(), Diagnostic> {
        self.the_assembly(keyword, "parameters")?;
        let words = self.plain_words(rest, "parameters")?;
        let is_keyword = |word: &str| ["stack", "return", "open", "even", "kept"].contains(&word);
        let registers = |words: &[(&str, Span)]| {
            words.iter().position(|(word, _)| is_keyword(word)).unwrap_or(words.len())
        };
        let end = registers(&words);
        let names = self.ranges(&words[..end])?;
        if names.is_empty() {
            let message = "expected the registers of a function's parameters";
            return Err(self.error(
                after(keyword),
                message,
                "expected a register",
                Self::shape("parameters"),
            ));
        }
        let known = self.wholes(keyword, &names)?;
        let (mut stack, mut returns, mut open, mut even, mut kept) =
            (None, None, false, false, Vec::new());
        let mut rest = &words[end..];
        loop {
            rest = match rest {
                [] => break,
                [("open", _), rest @ ..] => {
                    open = true;
                    rest
                }
                [("even", _), rest @ ..] => {
                    even = true;
                    rest
                }
                [("kept", span), rest @ ..] => {
                    let end = registers(rest);
                    if end == 0 {
                        let message =
                            "expected the registers that a function gives back as they were";
                        return Err(self.error(
                            after(*span),
                            message,
                            "expected a register",
                            Self::shape("parameters"),
                        ));
                    }
                    kept.extend(self.wholes(keyword, &self.ranges(&rest[..end])?)?);
                    &rest[end..]
                }
                [(word @ ("stack" | "return"), _), (name, span), rest @ ..] => {
                    let whole = Some(self.whole(keyword, &name.to_ascii_lowercase(), *span)?);
                    *(if *word == "stack" { &mut stack } else { &mut returns }) = whole;
                    rest
                }
                [(word, span), ..] => {
                    let message = format!("`{word}` does not say anything here");
                    return Err(self.error(
                        *span,
                        message,
                        "not expected",
                        Self::shape("parameters"),
                    ));
                }
            };
        }
        // A register that is kept holds any number at the start, and the stack pointer the stack.
        if let Some(stack) = stack.filter(|stack| kept.contains(stack)) {
            let message = format!(
                "`{stack}` is the stack pointer, and has to be as it was without being named behind `kept`"
            );
            return Err(self.error(keyword, message, "this line", "drop it behind `kept`"));
        }
        let assembly = self.the_assembly(keyword, "parameters")?;
        (assembly.parameters, assembly.stack) = (known, stack);
        (assembly.returns, assembly.open, assembly.even, assembly.kept) =
            (returns, open, even, kept);
        Ok(())
    }

    /// The registers that names mean.
    fn wholes(
        &mut self,
        keyword: Span,
        names: &[(String, Span)],
    ) -> Result<Vec<&'static str>, Diagnostic> {
        names.iter().map(|(name, span)| self.whole(keyword, name, *span)).collect()
    }

    /// The register that a name means, or is a part of.
    fn whole(&mut self, keyword: Span, name: &str, span: Span) -> Result<&'static str, Diagnostic> {
        let register =
            self.the_assembly(keyword, "parameters")?.register(name).map(|register| register.whole);
        let help = "name the registers in a line `registers` above";
        register.ok_or_else(|| {
            self.error(span, format!("there is no register `{name}`"), "not known", help)
        })
    }

    /// Names, `x0..x30` written out, in small letters.
    fn ranges(&self, words: &[(&str, Span)]) -> Result<Vec<(String, Span)>, Diagnostic> {
        let mut found = Vec::new();
        for (word, span) in words {
            let Some((first, last)) = word.split_once("..") else {
                found.push((word.to_ascii_lowercase(), *span));
                continue;
            };
            let number = |name: &str| {
                let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
                Some((letters.to_ascii_lowercase(), name[letters.len()..].parse::<u16>().ok()?))
            };
            match (number(first), number(last)) {
                (Some((a, from)), Some((b, to))) if a == b && from <= to => {
                    found.extend((from..=to).map(|n| (format!("{a}{n}"), *span)));
                }
                _ => {
                    let help = "a range has one name with two numbers: x0..x30";
                    return Err(self.error(
                        *span,
                        format!("`{word}` is no range of registers"),
                        "not a range",
                        help,
                    ));
                }
            }
        }
        Ok(found)
    }

    /// `each fn = add eor/xor -/exch`: the word in patterns, and behind `/` that in meanings; `-`
    /// is nothing. A text in quotes behind a word is its meaning, in which names of lines above may
    /// stand that have one meaning.
    fn each(&mut self, keyword: Span, rest: Rest<'_>) -> Result<(), Diagnostic> {
        let known = &self.the_assembly(keyword, "each")?.alternatives;
        let single: Vec<(String, String)> = known
            .iter()
            .filter(|(_, of)| of.len() == 1)
            .map(|(name, of)| (format!("<{name}>"), of[0].1.clone()))
            .collect();
        let equals = ScannedWord::Word("=".to_owned());
        let [(ScannedWord::Word(name), _), (sign, _), alternatives @ ..] = rest else {
            let message = "expected a name and what it stands for";
            return Err(self.error(
                after(keyword),
                message,
                "expected a name",
                Self::shape("each"),
            ));
        };
        if SlotKind::of(name).is_some() {
            let help = "choose another name, of two letters, say: it would stand in place of the slot in every line below";
            return Err(self.error(
                rest[0].1,
                format!("`<{name}>` is a slot of patterns"),
                "the name of a slot",
                help,
            ));
        }
        if *sign != equals {
            return Err(self.error(rest[1].1, "expected `=`", "no `=`", Self::shape("each")));
        }
        let text = |word: &str| if word == "-" { String::new() } else { word.to_owned() };
        let mut all: Vec<(String, String)> = Vec::new();
        let mut is_said = true;
        for (item, span) in alternatives {
            match item {
                ScannedWord::Word(word) => {
                    let (written, meant) = word.split_once('/').unwrap_or((word, word));
                    all.push((text(written), text(meant)));
                    is_said = false;
                }
                ScannedWord::Quoted(meaning) => {
                    let Some((_, meant)) = all.last_mut().filter(|_| !is_said) else {
                        return Err(self.error(
                            *span,
                            "expected the word that has this meaning",
                            "no word",
                            Self::shape("each"),
                        ));
                    };
                    *meant = single
                        .iter()
                        .fold(meaning.clone(), |meaning, (name, of)| meaning.replace(name, of));
                    is_said = true;
                }
            }
        }
        let (name, alternatives) = (leaked(name), all);
        let assembly = self.the_assembly(keyword, "each")?;
        match assembly.alternatives.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = alternatives,
            None => assembly.alternatives.push((name, alternatives)),
        }
        Ok(())
    }

    /// `instruction "PATTERN" "PATTERN" = "TABLE FORM" size <r>`.
    fn spelling(&mut self, keyword: Span, rest: Rest<'_>, word: &str) -> Result<(), Diagnostic> {
        self.the_assembly(keyword, word)?;
        let shape = Self::shape(word);
        let equals = rest.iter().position(|(item, _)| *item == ScannedWord::Word("=".to_owned()));
        let Some((patterns, meaning)) = equals.map(|at| (&rest[..at], &rest[at + 1..])) else {
            return Err(self.error(
                after(keyword),
                "expected patterns, `=`, and the meaning",
                "expected `=`",
                shape,
            ));
        };
        let [(ScannedWord::Quoted(meaning), place), more @ ..] = meaning else {
            return Err(self.error(
                after(keyword),
                "expected the meaning in quotes",
                "expected a text in quotes",
                shape,
            ));
        };
        let place = *place;
        let [mut size, mut wide] = [""; 2];
        for pair in more.chunks(2) {
            match pair {
                [(ScannedWord::Word(s), _), (ScannedWord::Word(of), _)]
                    if s == "size" && size.is_empty() =>
                {
                    size = of
                }
                [(ScannedWord::Word(s), _), (ScannedWord::Word(of), _)]
                    if s == "wide" && wide.is_empty() =>
                {
                    wide = of
                }
                _ => {
                    return Err(self.error(
                        pair[0].1,
                        "expected `size` or `wide` and a width, each once",
                        "not expected",
                        shape,
                    ));
                }
            }
        }
        let names_width = |(item, _): &(ScannedWord, Span)| matches!(item, ScannedWord::Quoted(pattern) if pattern.contains(wide));
        if wide.starts_with('<') && !patterns.iter().any(names_width) {
            let message = format!("no pattern of the line has `{wide}`");
            return Err(self.error(
                place,
                message,
                "behind this",
                "name the words of a line `each` that the pattern has",
            ));
        }
        for (item, span) in patterns {
            let ScannedWord::Quoted(pattern) = item else {
                return Err(self.error(*span, "expected a pattern in quotes", "no pattern", shape));
            };
            // Of a pattern beside it that has no such word nothing says it.
            let wide = if pattern.contains(wide) || !wide.starts_with('<') { wide } else { "" };
            for [pattern, meaning, size, wide] in self.written_out([pattern, meaning, size, wide]) {
                let bits = wide.parse().ok();
                if bits.is_none() && !wide.is_empty() {
                    let message = format!("`{wide}` is no number of bits");
                    return Err(self.error(
                        place,
                        message,
                        "behind this",
                        "of a line `each` with widths, or a number",
                    ));
                }
                let size =
                    Some(leaked(size.trim_matches(['<', '>']))).filter(|size| !size.is_empty());
                let pieces = self.pieces(&pattern, *span)?;
                self.slots_are_filled(&pieces, &meaning, size, place)?;
                if word != "address" {
                    self.means_something(&meaning, place)?;
                }
                let spelling =
                    Spelling { pattern: pieces, meaning: leaked(&meaning), size, wide: bits };
                let assembly = self.the_assembly(keyword, word)?;
                let all = match word {
                    "address" => &mut assembly.addresses,
                    "compiled" => &mut assembly.compiled,
                    _ => &mut assembly.instructions,
                };
                all.push(spelling);
                if all.len() > MAX_PATTERNS {
                    return Err(self.error(
                        *span,
                        format!("more than {MAX_PATTERNS} patterns"),
                        "too many",
                        "drop some",
                    ));
                }
            }
        }
        Ok(())
    }

    /// A pattern, its meaning, its size and the width of its registers for each choice of the words
    /// of lines `each` that they name. What has one meaning may stand in the meaning alone.
    fn written_out(&self, line: [&str; 4]) -> Vec<[String; 4]> {
        let mut all = vec![line.map(str::to_owned)];
        // The last ones first: a meaning may name what stands above it.
        for (name, alternatives) in
            self.description.assembly.iter().flat_map(|assembly| assembly.alternatives.iter().rev())
        {
            let slot = format!("<{name}>");
            if line[0].contains(&slot) || alternatives.len() == 1 && line[1].contains(&slot) {
                let chosen = |[pattern, rest @ ..]: &[String; 4]| {
                    let choose = |(written, meant): &(String, String)| {
                        let [meaning, size, wide] =
                            rest.each_ref().map(|text| text.replace(&slot, meant));
                        [pattern.replace(&slot, written), meaning, size, wide]
                    };
                    alternatives.iter().map(choose).collect::<Vec<_>>()
                };
                all = all.iter().flat_map(chosen).collect();
            }
        }
        all
    }

    fn pieces(&self, pattern: &str, span: Span) -> Result<Vec<Piece>, Diagnostic> {
        let mut pieces = Vec::new();
        let mut rest = pattern.trim_start();
        while let Some(c) = rest.chars().next() {
            let word = rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '%' | '$')))
                .unwrap_or(rest.len());
            let length = if c == '<' {
                let slot = rest.find('>').map(|end| &rest[1..end]);
                let Some((kind, name)) = slot.and_then(|name| Some((SlotKind::of(name)?, name)))
                else {
                    let help = "a slot is <r> for a register, <p> for one with a % in front, <n> for a number, <v> for either, <m> for an address, <l> for a label, <x> for a \
                                location, with a number behind it where there are several: <r1>; other names are those of lines `each` above";
                    return Err(self.error(
                        span,
                        format!("no slot is called so in `{pattern}`"),
                        "this pattern",
                        help,
                    ));
                };
                pieces.push(Piece::Slot(kind, name.to_owned()));
                name.len() + 2
            } else if word > 0 {
                pieces.push(Piece::Word(rest[..word].to_ascii_lowercase()));
                word
            } else {
                pieces.push(Piece::Sign(c));
                c.len_utf8()
            };
            rest = rest[length..].trim_start();
        }
        if pieces.is_empty() {
            return Err(self.error(
                span,
                "an empty pattern",
                "nothing to write",
                "write how it looks: \"ldr <r>, <m>\"",
            ));
        }
        Ok(pieces)
    }

    /// Is each slot of a meaning one of the pattern?
    fn slots_are_filled(
        &self,
        pattern: &[Piece],
        meaning: &str,
        size: Option<&str>,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let has = |wanted: &str| {
            pattern.iter().any(|piece| matches!(piece, Piece::Slot(_, name) if name == wanted))
        };
        let named = meaning
            .split('<')
            .skip(1)
            .filter_map(|rest| rest.split_once('>'))
            .map(|(name, _)| name);
        let sized = size.filter(|size| size.parse::<u8>().is_err());
        let unknown = named
            .filter_map(|name| match name.strip_prefix('=') {
                Some(register) => register.split_once(':').map(|(_, slot)| slot),
                None => Some(
                    ["u:", "b:", ":"].iter().find_map(|p| name.strip_prefix(p)).unwrap_or(name),
                ),
            })
            .chain(sized)
            .find(|name| !has(name));
        match unknown {
            None => Ok(()),
            Some(name) => {
                let help = "each slot of the meaning is one of the pattern";
                Err(self.error(
                    span,
                    format!("the pattern has no slot `<{name}>`"),
                    "not filled",
                    help,
                ))
            }
        }
    }

    /// Does each part of a meaning begin with an instruction of the table form?
    fn means_something(&self, meaning: &str, span: Span) -> Result<(), Diagnostic> {
        for part in meaning.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            let word =
                part.split(|c: char| c.is_whitespace() || c == '<').next().unwrap_or_default();
            let begins = |known: &str| {
                word == known || word.strip_prefix(known).is_some_and(|rest| rest.starts_with('.'))
            };
            let is_known = self.description.instructions.iter().any(|i| begins(i.mnemonic))
                || super::instruction::is_local(word);
            if !is_known {
                let help = "the meaning is an instruction of this text, declared above (read, write, rmw, fence), arithmetic (mov, add, xor, ...) \
                            or a branch (beq, goto, ...), several with `;` between them";
                return Err(self.error(
                    span,
                    format!("there is no instruction `{word}` in the table form"),
                    "not known",
                    help,
                ));
            }
        }
        Ok(())
    }

    /// `refuse "why" ldp st1*`.
    fn refuse(&mut self, keyword: Span, rest: Rest<'_>) -> Result<(), Diagnostic> {
        self.the_assembly(keyword, "refuse")?;
        let [(ScannedWord::Quoted(why), _), words @ ..] = rest else {
            let message = "expected what the instructions are, in quotes";
            return Err(self.error(
                after(keyword),
                message,
                "expected a text in quotes",
                Self::shape("refuse"),
            ));
        };
        let words = self
            .plain_words(words, "refuse")?
            .into_iter()
            .map(|(w, _)| leaked(&w.to_ascii_lowercase()))
            .collect();
        let why = leaked(why);
        self.the_assembly(keyword, "refuse")?.refused.push(Refused { words, why });
        Ok(())
    }
}
