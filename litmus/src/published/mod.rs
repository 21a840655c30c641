//! Tests that others published with what they saw on GPUs: a table of outcomes is read, and each
//! test of it is written anew from its name.
//!
//! The table is a text, of which `tests/seen-elsewhere/pldi2026.txt` is one. After `#` stand
//! comments. `devices` names the devices. `variants SHAPE NAME.. | NAME..` names the variants of
//! the shape, with fences and without. `seen SHAPE BLOCKS DIGITS..` has a digit for each test: the
//! sum of 1 (seen on the first device), 2 (on the second), 4 .. `BLOCKS` are the blocks of threads:
//! in `01_2` the threads 0 and 1 are in one, 2 is in another. There are six groups of digits, or
//! `-` for a group that does not exist: atomics of block scope with fences of block scope, with
//! fences of device scope, without fences; then atomics of device scope with the same three. The
//! line after it is `model SHAPE BLOCKS SIGNS..`: `+` where the authors' own model has an execution
//! with the outcome, `-` where it has none.

mod program;

pub use program::{PublishedShape, SHAPES};

use std::path::Path;
use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile, Span, nearest};
use margay_models::execution::Scope;
use margay_models::limited;

use crate::test::Test;
use program::AtomicsAndFences;

#[derive(Debug)]
pub struct PublishedTest {
    /// What its name begins with, and what it is.
    pub shape: &'static PublishedShape,
    /// The test, written anew; its name is the published one.
    pub test: Test,
    /// On which of [`PublishedOutcomes::devices`] its outcome was seen, by position.
    pub seen: Vec<bool>,
    /// Does its authors' model have an execution with the outcome?
    pub allowed_by_authors: bool,
}

impl PublishedTest {
    /// Was its outcome seen on any device?
    pub fn seen_anywhere(&self) -> bool {
        self.seen.contains(&true)
    }
}

/// A table of published outcomes.
#[derive(Debug)]
pub struct PublishedOutcomes {
    /// The devices that the tests ran on.
    pub devices: Vec<String>,
    /// The tests, in the order of the table.
    pub tests: Vec<PublishedTest>,
}

/// The scopes as published names and PTX call them.
const SCOPES: [(&str, Scope); 2] = [("BLOCK", Scope::Cta), ("DEVICE", Scope::Gpu)];

/// The most devices: a digit is one of 0 to 7.
const MOST_DEVICES: usize = 3;

/// A word of a line, and where it stands.
#[derive(Clone, Copy)]
struct TableWord<'a> {
    text: &'a str,
    span: Span,
}

/// The lines that say something, each as its words.
fn lines(file: &SourceFile) -> Vec<Vec<TableWord<'_>>> {
    let offset = |part: &str| part.as_ptr() as usize - file.text.as_ptr() as usize;
    let word =
        |text| TableWord { text, span: Span::new(offset(text), offset(text) + str::len(text)) };
    let said = file.text.lines().filter(|line| !line.trim_start().starts_with('#'));
    said.map(|line| line.split_whitespace().map(word).collect::<Vec<_>>())
        .filter(|words| !words.is_empty())
        .collect()
}

struct TableReader<'a> {
    file: &'a Arc<SourceFile>,
    devices: Vec<String>,
    /// The variants of the shape that is read, with fences and without.
    variants: Option<(&'static PublishedShape, [Vec<&'a str>; 2])>,
    tests: Vec<PublishedTest>,
}

/// The largest table that is read, in bytes.
const LARGEST: u64 = 1 << 24;

/// Reads a file with a table of published outcomes, and writes its tests anew.
///
/// # Errors
/// As [`read`]; the file cannot be read.
pub fn load(path: &Path) -> Result<PublishedOutcomes, Diagnostic> {
    let text = limited::text(path, LARGEST).map_err(|error| {
        let error = Diagnostic::error(format!("cannot read `{}`: {error}", path.display()));
        error.help("name a table of published outcomes, e.g. tests/seen-elsewhere/pldi2026.txt")
    })?;
    read(&SourceFile::new(path.display().to_string(), text))
}

/// Reads a table of published outcomes, and writes its tests anew.
///
/// # Errors
/// The text is no such table, or a name in it says nothing here.
pub fn read(file: &Arc<SourceFile>) -> Result<PublishedOutcomes, Diagnostic> {
    let mut reader = TableReader { file, devices: Vec::new(), variants: None, tests: Vec::new() };
    let mut lines = lines(file).into_iter();
    while let Some(line) = lines.next() {
        match line[0].text {
            "devices" => reader.devices(&line)?,
            "variants" => reader.variants(&line)?,
            "seen" => reader.outcomes(&line, lines.next().as_deref().unwrap_or_default())?,
            _ => return Err(reader.wrong(line[0], "expected `devices`, `variants` or `seen`")),
        }
    }
    if reader.tests.is_empty() {
        let end = Span::new(file.end(), file.end());
        let error = Diagnostic::error("there is no published test").at(
            file,
            end,
            "expected a line that begins with `seen`",
        );
        return Err(error
            .help("give a table of published outcomes, e.g. tests/seen-elsewhere/pldi2026.txt"));
    }
    Ok(PublishedOutcomes { devices: reader.devices, tests: reader.tests })
}

impl<'a> TableReader<'a> {
    fn wrong(&self, word: TableWord<'_>, expected: &str) -> Diagnostic {
        let error = Diagnostic::error(format!(
            "`{}` is not expected in a table of published outcomes",
            word.text
        ));
        error.at(self.file, word.span, expected)
    }

    /// A line that ends too early.
    fn short(&self, line: &[TableWord<'_>], expected: &str) -> Diagnostic {
        let end = line.last().map_or(self.file.end(), |word| word.span.end);
        Diagnostic::error("a line of published outcomes ends too early").at(
            self.file,
            Span::new(end, end),
            expected,
        )
    }

    fn devices(&mut self, line: &[TableWord<'a>]) -> Result<(), Diagnostic> {
        match (line.get(1), line.get(MOST_DEVICES + 1)) {
            (None, _) => Err(self.short(line, "expected the names of the devices")),
            (_, Some(more)) => Err(self.wrong(*more, "expected at most three devices")),
            _ if !self.tests.is_empty() => {
                Err(self.wrong(line[0], "expected this line before the first outcomes"))
            }
            _ => {
                self.devices = line[1..].iter().map(|word| word.text.to_owned()).collect();
                Ok(())
            }
        }
    }

    fn shape(&self, line: &[TableWord<'_>]) -> Result<&'static PublishedShape, Diagnostic> {
        let word = line.get(1).ok_or_else(|| self.short(line, "expected a shape"))?;
        SHAPES.iter().find(|shape| shape.word == word.text).ok_or_else(|| {
            let near = nearest(word.text, SHAPES.iter().map(|shape| shape.word));
            let error = Diagnostic::error(format!("no published shape is called `{}`", word.text));
            let known: Vec<&str> = SHAPES.iter().map(|shape| shape.word).collect();
            let expected = near.map_or_else(
                || "not known here".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            error
                .at(self.file, word.span, expected)
                .help(format!("the shapes are {}", known.join(", ")))
        })
    }

    fn variants(&mut self, line: &[TableWord<'a>]) -> Result<(), Diagnostic> {
        let shape = self.shape(line)?;
        let names = &line[2..];
        let Some(bar) = names.iter().position(|word| word.text == "|") else {
            return Err(
                self.short(line, "expected `|` between the variants with fences and those without")
            );
        };
        for (names, known) in [(&names[..bar], shape.fenced), (&names[bar + 1..], shape.unfenced)] {
            if let Some(word) = names.iter().find(|word| !known.contains(&word.text)) {
                let error = Diagnostic::error(format!(
                    "`{}` has no variant `{}` here",
                    shape.word, word.text
                ));
                let known =
                    if known.is_empty() { "there are none".to_owned() } else { known.join(", ") };
                return Err(error.at(self.file, word.span, format!("expected: {known}")));
            }
        }
        let texts = |words: &[TableWord<'a>]| words.iter().map(|word| word.text).collect();
        self.variants = Some((shape, [texts(&names[..bar]), texts(&names[bar + 1..])]));
        Ok(())
    }

    /// The block of each thread: `01_2` is 0, 0, 1.
    fn blocks(&self, word: TableWord<'_>, threads: usize) -> Result<Vec<u16>, Diagnostic> {
        let mut block: Vec<Option<u16>> = vec![None; threads];
        let mut whole = true;
        for (number, members) in word.text.split('_').enumerate() {
            whole &= !members.is_empty();
            for member in members.chars() {
                let place = member.to_digit(10).and_then(|thread| block.get_mut(thread as usize));
                whole &= place.is_some_and(|place| place.replace(number as u16).is_none());
            }
        }
        let all: Option<Vec<u16>> = block.into_iter().collect();
        all.filter(|_| whole).ok_or_else(|| {
            self.wrong(
                word,
                &format!("expected each of the threads 0 to {} in one block", threads - 1),
            )
        })
    }

    /// The tests of a line `seen` and of the line `model` behind it.
    fn outcomes(
        &mut self,
        seen: &[TableWord<'a>],
        model: &[TableWord<'a>],
    ) -> Result<(), Diagnostic> {
        if self.devices.is_empty() {
            return Err(self.wrong(seen[0], "expected a line `devices` first"));
        }
        let shape = self.shape(seen)?;
        let Some((_, variants)) = self.variants.clone().filter(|(of, _)| of.word == shape.word)
        else {
            return Err(self.wrong(seen[1], "expected a line `variants` of this shape first"));
        };
        let blocks =
            *seen.get(2).ok_or_else(|| self.short(seen, "expected the blocks of threads"))?;
        let block = self.blocks(blocks, shape.threads)?;
        for (word, expected) in model.iter().zip(["model", shape.word, blocks.text]) {
            if word.text != expected {
                return Err(self.wrong(
                    *word,
                    &format!(
                        "expected `{expected}`: what the authors' model says of the line before"
                    ),
                ));
            }
        }
        let groups = SCOPES.iter().flat_map(|atomics| {
            SCOPES.iter().map(Some).chain([None]).map(move |fences| (atomics, fences))
        });
        for (group, (atomics, fences)) in groups.enumerate() {
            let of = |line: &[TableWord<'a>]| {
                line.get(group + 3).copied().ok_or_else(|| self.short(line, "expected six groups"))
            };
            let (digits, signs) = (of(seen)?, of(model)?);
            if digits.text == "-" && signs.text == "-" {
                continue;
            }
            let variants = &variants[usize::from(fences.is_none())];
            let most = (1 << self.devices.len()) - 1;
            let is_digit = |c: char| c.to_digit(8).is_some_and(|digit| digit <= most);
            if digits.text.len() != variants.len() || !digits.text.chars().all(is_digit) {
                return Err(self.wrong(
                    digits,
                    &format!(
                        "expected {} digits from 0 to {most}, or `-` in both lines",
                        variants.len()
                    ),
                ));
            }
            if signs.text.len() != variants.len()
                || !signs.text.chars().all(|c| matches!(c, '+' | '-'))
            {
                return Err(
                    self.wrong(signs, &format!("expected {} signs `+` or `-`", variants.len()))
                );
            }
            for ((variant, digit), sign) in
                variants.iter().zip(digits.text.bytes()).zip(signs.text.bytes())
            {
                let of_fences =
                    fences.map_or("NO_FENCE".to_owned(), |f| format!("FENCE_SCOPE_{}", f.0));
                let name = format!(
                    "{}_TB_{}_SCOPE_{}_{of_fences}_{variant}",
                    shape.word, blocks.text, atomics.0
                );
                let scopes =
                    AtomicsAndFences { atomics: atomics.1, fences: fences.unwrap_or(atomics).1 };
                let test = program::test(&name, shape.word, variant, scopes, &block)
                    .ok_or_else(|| self.wrong(seen[1], "no program is known of this shape"))?;
                let seen = (0..self.devices.len())
                    .map(|device| (digit - b'0') >> device & 1 == 1)
                    .collect();
                self.tests.push(PublishedTest {
                    shape,
                    test,
                    seen,
                    allowed_by_authors: sign == b'+',
                });
            }
        }
        match (seen.get(9), model.get(9)) {
            (Some(word), _) | (_, Some(word)) => {
                Err(self.wrong(*word, "expected the end of the line: there are six groups"))
            }
            (None, None) => Ok(()),
        }
    }
}
