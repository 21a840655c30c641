//! A condition of the user's over what memory holds at the end.

use crate::layout::{Layout, Object};
use crate::program::Executed;
use crate::residue::MemoryCell;

/// The bytes of an element, as a condition counts them.
pub(crate) const ELEMENT: u64 = 4;

/// A condition of the user's, with the names of litmus tests.
pub(crate) struct FinalCondition {
    /// As it is written.
    pub text: String,
    /// For each piece of text whether it is a location, and then which byte of which array.
    pub parts: Vec<Result<String, (Object, u64, String)>>,
}

impl FinalCondition {
    /// The condition with the names of a test.
    pub fn named(&self, executed: &Executed) -> Result<String, String> {
        let name = |part: &Result<String, (Object, u64, String)>| match part {
            Ok(other) => Ok(other.clone()),
            Err((object, offset, name)) => {
                let location = executed.location(*object, *offset).map(str::to_owned);
                location.ok_or_else(|| {
                    format!("`{name}` is not the start of a value that the kernel reads or writes")
                })
            }
        };
        self.parts.iter().map(name).collect()
    }

    /// An element of which no location of the test has the value: it is accessed in parts.
    pub fn in_parts(
        &self,
        executed: &Executed,
        initial: &dyn Fn(Object, u64, u64) -> u64,
    ) -> Option<&str> {
        let is_in_parts = |(object, offset, _): &&(Object, u64, String)| {
            let element = MemoryCell { object: *object, offset: *offset, bytes: ELEMENT };
            let cells: Vec<MemoryCell> =
                executed.cells().filter(|cell| cell.overlaps(&element)).collect();
            match cells.as_slice() {
                // A narrower one has the value where nobody accesses the rest, and that is 0.
                [cell] if cell.offset == *offset && cell.bytes < ELEMENT => {
                    initial(*object, offset + cell.bytes, ELEMENT - cell.bytes) != 0
                }
                [cell] => cell.offset != *offset,
                several => !several.contains(&element),
            }
        };
        self.parts
            .iter()
            .filter_map(|p| p.as_ref().err())
            .find(is_in_parts)
            .map(|(.., name)| name.as_str())
    }

    /// Does it name a byte of a cell?
    pub fn is_of(&self, cell: MemoryCell) -> bool {
        let of = |(object, offset, _): &(Object, u64, String)| {
            *object == cell.object
                && *offset < cell.offset + cell.bytes
                && cell.offset < offset + ELEMENT
        };
        self.parts.iter().filter_map(|p| p.as_ref().err()).any(of)
    }

    /// The names of a condition as places in memory.
    ///
    /// # Errors
    /// It is none: what is wrong with it.
    pub fn read(text: &str, layout: &Layout) -> Result<Self, String> {
        let mut open = 0usize;
        for c in text.chars() {
            open = match c {
                '(' => open + 1,
                ')' => open
                    .checked_sub(1)
                    .ok_or_else(|| format!("`)` closes nothing in the condition `{text}`"))?,
                _ => open,
            };
        }
        if open > 0 {
            return Err(format!("`(` is never closed in the condition `{text}`; expected `)`"));
        }
        if text.trim().is_empty() {
            return Err("the condition is empty; expected one as `arg0[0] == 2`".to_owned());
        }
        let mut parts: Vec<Result<String, (Object, u64, String)>> = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
            if !(first.is_ascii_alphabetic() || matches!(first, '_' | '$')) {
                // A number is read whole, so that `0x10` holds no name.
                let length = match first.is_ascii_digit() {
                    true => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
                    false => first.len_utf8(),
                };
                parts.push(Ok(rest[..length].to_owned()));
                rest = &rest[length..];
                continue;
            }
            let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            let name = &rest[..length];
            rest = &rest[length..];
            if matches!(name, "true" | "false") {
                parts.push(Ok(name.to_owned()));
                continue;
            }
            let mut index = 0;
            let mut whole = name.to_owned();
            if let Some((inside, behind)) = rest.strip_prefix('[').and_then(|r| r.split_once(']')) {
                index = inside.trim().parse::<u64>().map_err(|_| {
                    format!("expected the number of an element, found `{inside}` in `{text}`")
                })?;
                whole = format!("{name}[{index}]");
                rest = behind;
            }
            let array = layout.arrays.iter().position(|a| a.name == name);
            let array = array.ok_or_else(|| {
                let known: Vec<&str> = layout
                    .arrays
                    .iter()
                    .map(|a| a.name.as_str())
                    .filter(|n| !n.starts_with('$') && !n.starts_with("__unnamed_"))
                    .collect();
                format!(
                    "there is no array `{name}` in the condition `{text}`; there are: {}",
                    known.join(", ")
                )
            })?;
            parts.push(Err((Object::Array(array as u32), index * ELEMENT, whole)));
        }
        Ok(FinalCondition { text: text.to_owned(), parts })
    }
}

/// The bytes that conditions name.
pub(crate) fn asked_bytes(finals: &[FinalCondition]) -> Vec<(Object, u64)> {
    let places = finals.iter().flat_map(|f| f.parts.iter().filter_map(|p| p.as_ref().err()));
    places
        .flat_map(|(object, offset, _)| (0..ELEMENT).map(move |byte| (*object, offset + byte)))
        .collect()
}
