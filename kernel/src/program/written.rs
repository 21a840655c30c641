//! The text of a litmus test for the threads of a launch, or a slice of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use margay_litmus::read::{self, Read};
use margay_models::diagnostic::SourceFile;

use super::Executed;
use crate::layout::Object;
use crate::residue::{CodePiece, Line, MemoryCell, Origin};
use crate::slice::Slice;

/// The most threads that a litmus test may have.
const MAX_THREADS: usize = 4096;

/// The most locations that a test may have.
const MAX_LOCATIONS: usize = 200;

/// A test, and for each line of each thread where it came from.
pub(crate) struct Written {
    pub read: Read,
    pub origins: Vec<Vec<Option<Origin>>>,
    /// For each thread of the test the thread of the launch.
    pub members: Vec<usize>,
}

impl Executed {
    /// The test with a condition, of this code or of code that was made of it. The condition names
    /// threads by their numbers in the launch.
    ///
    /// # Errors
    /// It is larger than a test may be, or the reader of litmus tests refuses it.
    pub fn write(&self, name: &str, slice: &Slice, condition: &str) -> Result<Written, String> {
        // A test has a thread.
        let nobody = Slice { members: vec![0], code: vec![Vec::new()], ..Slice::default() };
        let slice = if slice.members.is_empty() { &nobody } else { slice };
        let threads = &slice.code;
        if threads.len() > MAX_THREADS {
            let count = threads.len();
            return Err(format!(
                "{count} threads access what others do; a litmus test has at most {MAX_THREADS}"
            ));
        }
        let condition = &renumbered(condition, &|thread| slice.number(thread))?;
        let column = |code: &Vec<Line>| {
            // Labels are counted in the order of the text.
            let labels: Vec<u32> = code
                .iter()
                .filter_map(|(p, _)| if let CodePiece::Label(l) = p { Some(*l) } else { None })
                .collect();
            let label =
                |l: u32| format!("L{}", labels.iter().position(|&o| o == l).map_or(0, |n| n + 1));
            code.iter()
                .map(|(p, _)| p.text(&mut |cell| self.bracketed(slice, cell), &label))
                .collect::<Vec<_>>()
        };
        let columns: Vec<Vec<String>> = threads.iter().map(column).collect();
        let block = |t: usize| slice.members[t] as u32 / self.launch.threads.max(1);
        let cluster = |t: usize| match self.launch.cluster {
            1 => String::new(),
            cluster => format!("cluster {},", block(t) / cluster),
        };
        let heads: Vec<String> = (0..columns.len())
            .map(|t| format!("P{t}@cta {},{}gpu 0", block(t), cluster(t)))
            .collect();
        let widths: Vec<usize> = columns
            .iter()
            .zip(&heads)
            .map(|(c, h)| c.iter().map(String::len).max().unwrap_or(0).max(h.len()))
            .collect();
        let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
        let mut text = format!("PTX {}\n{{ ", clean(name));
        let is_used = self.used(slice, condition);
        let used = self.initial.iter().filter(|(location, _)| is_used.contains(location.as_str()));
        let of_slice: BTreeSet<MemoryCell> = threads
            .iter()
            .flatten()
            .flat_map(|(p, _)| p.cells())
            .filter(|cell| slice.named.contains_key(cell))
            .collect();
        // Asynchronous operations and fences of one state space ask where each place is.
        let says_space = threads.iter().flatten().any(|(piece, _)| match piece {
            CodePiece::Issue(_) => true,
            CodePiece::Other(text) => {
                text.starts_with("fence.") && (text.contains("shared") || text.contains("global"))
            }
            _ => false,
        });
        for (location, value) in used.clone() {
            let is_mbarrier = self.mbarriers.contains(location);
            text += &match (is_mbarrier, says_space) {
                (true, _) => {
                    match slice.mbarriers.iter().find(|(cell, _)| self.named(**cell) == location) {
                        Some((_, count)) => format!("mbarrier {location}={count}; "),
                        None => format!("mbarrier {location}; "),
                    }
                }
                (_, false) => format!("{location}={value}; "),
                (_, true) if self.in_shared.contains(location) => {
                    format!("shared {location}={value}; ")
                }
                (_, true) if self.in_tensor.contains(location) => {
                    format!("tensor {location}={value}; ")
                }
                (_, true) => format!("global {location}={value}; "),
            };
        }
        for cell in &of_slice {
            let (location, value) = &slice.named[cell];
            let is_near = matches!(
                cell.object,
                Object::Shared(..) | Object::Validity(..) | Object::Elsewhere(true, _)
            );
            let space = match (says_space, is_near) {
                (false, _) => "",
                (true, _) if matches!(cell.object, Object::Tensor(_)) => "tensor ",
                (true, true) => "shared ",
                (true, false) => "global ",
            };
            text += &format!("{space}{location}={value}; ");
        }
        let count = used.count() + of_slice.len();
        if count > MAX_LOCATIONS {
            return Err(format!(
                "its threads share {count} places in memory; a litmus test may have {MAX_LOCATIONS}"
            ));
        }
        text += "}\n";
        let mut row = |cells: Vec<&str>| {
            let padded: Vec<String> =
                cells.iter().zip(&widths).map(|(c, w)| format!("{c:w$}")).collect();
            text += &format!(" {} ;\n", padded.join(" | "));
        };
        row(heads.iter().map(String::as_str).collect());
        for r in 0..rows {
            row(columns.iter().map(|c| c.get(r).map_or("", String::as_str)).collect());
        }
        // A test without an instruction has one row all the same.
        if rows == 0 {
            row(vec!["mov r0, 0"; columns.len()]);
        }
        text += condition;
        text.push('\n');
        let file: Arc<SourceFile> = SourceFile::new(format!("{}.litmus", clean(name)), text);
        let read = read::test(&file).map_err(|errors| {
            let first = errors.first();
            let line = first.and_then(|e| e.labels.first()).map(|l| file.position(l.span.start).0);
            format!(
                "the litmus test made of it is refused: {}{}",
                first.map_or("no reason is given", |e| e.message.as_str()),
                line.and_then(|line| file.text.lines().nth(line - 1))
                    .map_or(String::new(), |line| format!(" (`{}`)", line.trim()))
            )
        })?;
        let origins =
            threads.iter().map(|code| code.iter().map(|(_, origin)| *origin).collect()).collect();
        Ok(Written { read, origins, members: slice.members.clone() })
    }

    /// The locations that code or a condition names, by the first name of each place.
    fn used(&self, slice: &Slice, condition: &str) -> BTreeSet<&str> {
        let first = |name: &str| name.split('+').next().unwrap_or_default().to_owned();
        let mut named: BTreeSet<String> = BTreeSet::new();
        for (piece, _) in slice.code.iter().flatten() {
            let cells = piece.cells().into_iter().filter(|cell| !slice.named.contains_key(cell));
            named.extend(cells.map(|cell| first(self.named(cell))));
        }
        let of_name = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        named.extend(condition.split(of_name).filter(|word| !word.is_empty()).map(str::to_owned));
        self.initial
            .iter()
            .map(|(location, _)| location.as_str())
            .filter(|location| named.contains(*location))
            .collect()
    }

    /// A text that is the same for slices that differ in the names of places and in the order of
    /// threads alone. (Not all of these are found to be the same.) The place that is asked about is
    /// the same, if one is said.
    pub fn shape(&self, slice: &Slice, asked: Option<MemoryCell>) -> String {
        let mark = |cell: MemoryCell| if Some(cell) == asked { "?" } else { "" };
        let block = |t: usize| slice.members[t] / self.launch.threads.max(1) as usize;
        let mut next_place = 0;
        let mut places: BTreeMap<MemoryCell, usize> = BTreeMap::new();
        let labels = |code: &[Line]| -> Vec<u32> {
            code.iter()
                .filter_map(|(p, _)| if let CodePiece::Label(l) = p { Some(*l) } else { None })
                .collect()
        };
        let text_of = |code: &[Line], place: &mut dyn FnMut(MemoryCell) -> String| -> String {
            let labels = labels(code);
            let label =
                |l: u32| format!("L{}", labels.iter().position(|&o| o == l).map_or(0, |n| n + 1));
            let mut text = String::new();
            for (piece, _) in code {
                text += &piece.text(place, &label);
                text.push(';');
            }
            text
        };
        let mut blocks: BTreeMap<usize, Vec<(String, usize)>> = BTreeMap::new();
        for t in 0..slice.code.len() {
            let shape =
                text_of(&slice.code[t], &mut |cell| format!("@{}{}", cell.bytes, mark(cell)));
            blocks.entry(block(t)).or_default().push((shape, t));
        }
        let mut sorted: Vec<Vec<(String, usize)>> = blocks.into_values().collect();
        sorted.iter_mut().for_each(|block| block.sort());
        sorted.sort();
        let mut text = String::new();
        // Which blocks are of one cluster.
        let mut clusters: Vec<usize> = Vec::new();
        for of_block in &sorted {
            let cluster = of_block
                .first()
                .map_or(0, |(_, t)| block(*t) / self.launch.cluster.max(1) as usize);
            let number = clusters.iter().position(|of| *of == cluster).unwrap_or_else(|| {
                clusters.push(cluster);
                clusters.len() - 1
            });
            text += &if self.launch.cluster > 1 { format!("|{number}:") } else { "|".to_owned() };
            for (_, t) in of_block {
                text += &text_of(&slice.code[*t], &mut |cell| {
                    let mark = mark(cell);
                    let number = *places.entry(cell).or_insert_with(|| {
                        next_place += 1;
                        next_place
                    });
                    if let Some((_, value)) = slice.named.get(&cell) {
                        return format!("@{number}{mark}={value}/{}", cell.bytes);
                    }
                    if let Some(count) = slice.mbarriers.get(&cell) {
                        return format!("@{number}{mark} of {count}");
                    }
                    let name = self.named(cell);
                    let inside = name.split_once('+').map_or("", |(_, at)| at);
                    let first = name.split('+').next().unwrap_or_default();
                    let value = self
                        .initial
                        .iter()
                        .find(|(l, _)| l == first)
                        .map_or(0, |(_, value)| *value);
                    format!("@{number}{mark}+{inside}={value}/{}", cell.bytes)
                });
                text.push('/');
            }
        }
        text
    }

    fn bracketed(&self, slice: &Slice, cell: MemoryCell) -> String {
        let name = slice.named.get(&cell).map_or_else(|| self.named(cell), |(name, _)| name);
        if name.contains('+') { format!("[{name}]") } else { name.to_owned() }
    }
}

/// A condition with the threads renumbered.
///
/// # Errors
/// It names one that is not there.
fn renumbered(condition: &str, number: &dyn Fn(usize) -> Option<usize>) -> Result<String, String> {
    let mut text = String::with_capacity(condition.len());
    let mut rest = condition;
    while let Some(at) = rest.find('P') {
        let (before, from) = rest.split_at(at);
        text += before;
        let is_word = before.chars().last().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
        let digits = from[1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len() - 1);
        let thread = from[1..=digits]
            .parse()
            .ok()
            .filter(|_| !is_word && from[1 + digits..].starts_with(':'));
        match thread {
            Some(thread) => {
                let number = number(thread).ok_or_else(|| {
                    format!("the condition names P{thread}, which the test does not have")
                })?;
                text += &format!("P{number}");
            }
            None => text += &from[..=digits],
        }
        rest = &from[1 + digits..];
    }
    Ok(text + rest)
}

/// A word that litmus tests take for a name.
pub(crate) fn clean(name: &str) -> String {
    let text: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let text = text.trim_matches('_').to_owned();
    // A name that is a register of the code, or no name.
    let register = |t: &str| matches!(t.as_bytes(), [b'r' | b't' | b'P' | b'p', rest @ ..] if rest.iter().all(u8::is_ascii_digit));
    match text.chars().next() {
        Some(c) if c.is_ascii_alphabetic() && !register(&text) => text,
        _ => format!("x_{text}"),
    }
}
