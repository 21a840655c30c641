//! What was measured so far, kept in a file, so that an interrupted search goes on where it
//! stopped.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use margay_models::durable::added_to;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StressMeasurement {
    /// Weak outcomes.
    pub weak: u64,
    /// Instances that were run.
    pub instances: u64,
    pub seconds: f64,
}

/// The measurements by name, and the file that they are added to.
#[derive(Debug, Default)]
pub struct Journal {
    known: BTreeMap<String, StressMeasurement>,
    file: Option<File>,
}

/// Why a file is no journal to go on with.
#[derive(Debug)]
pub enum JournalError {
    /// It cannot be read or written.
    Io(io::Error),
    /// It is of another search: the line that says which.
    Other(String),
}

impl From<io::Error> for JournalError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Journal {
    /// Opens or makes the file. Its first line says of what search it is, and must be `title`. A
    /// line that was cut off when the program was stopped is left out.
    pub fn open(path: &Path, title: &str) -> Result<Self, JournalError> {
        // What is no file (a terminal, /dev/full) has nothing to go on with, and perhaps no end.
        let text = if path.is_file() { std::fs::read_to_string(path)? } else { String::new() };
        let mut known = BTreeMap::new();
        if let Some(first) = text.lines().next() {
            if first != title {
                return Err(JournalError::Other(first.to_owned()));
            }
            for line in text.lines().skip(1) {
                if let Some((name, measured)) = read(line) {
                    known.insert(name, measured);
                }
            }
        }
        let mut file = added_to(path)?;
        if text.is_empty() {
            writeln!(file, "{title}")?;
        } else if !text.ends_with('\n') {
            writeln!(file)?;
        }
        Ok(Self { known, file: Some(file) })
    }

    /// What was measured under a name.
    pub fn get(&self, name: &str) -> Option<StressMeasurement> {
        self.known.get(name).copied()
    }

    /// Adds a measurement.
    pub fn put(&mut self, name: &str, measured: StressMeasurement) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            let StressMeasurement { weak, instances, seconds } = measured;
            // One write for a line: a full disk leaves no half of it but the last.
            file.write_all(format!("{name}\t{weak}\t{instances}\t{seconds:e}\n").as_bytes())?;
        }
        self.known.insert(name.to_owned(), measured);
        Ok(())
    }
}

fn read(line: &str) -> Option<(String, StressMeasurement)> {
    let mut parts = line.split('\t');
    let name = parts.next()?.to_owned();
    let (weak, instances, seconds) =
        (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?);
    // A number that was cut off is still a number: only a whole one ends with its exponent.
    let measured = StressMeasurement {
        weak,
        instances,
        seconds: seconds.contains('e').then(|| seconds.parse().ok())??,
    };
    parts.next().is_none().then_some((name, measured))
}
