//! Which line of a source an instruction is of: `.file` and `.loc`.

use super::{PtxReader, ReadFailure};
use crate::lex::PtxToken;
use crate::tree::SourceLine;

impl PtxReader<'_> {
    pub(super) fn file(&mut self) -> Result<(), ReadFailure> {
        self.advance();
        let number = self.number("the number of a file")? as u32;
        let PtxToken::Text(name) = self.token() else {
            return Err(self.expected("the name of a file in quotation marks"));
        };
        self.advance();
        while self.eat(',') {
            self.number("a number")?;
        }
        self.module.files.insert(number, name.to_owned());
        Ok(())
    }

    pub(super) fn loc(&mut self) -> Result<(), ReadFailure> {
        self.advance();
        let mut three = || -> Result<SourceLine, ReadFailure> {
            let mut n = || {
                self.number("a number of `.loc FILE LINE COLUMN`")
                    .map(|n| n.min(u64::from(u32::MAX)) as u32)
            };
            Ok(SourceLine { file: n()?, line: n()?, column: n()? })
        };
        let mut line = three()?;
        while self.eat(',') {
            match self.word("`function_name` or `inlined_at`")? {
                ("function_name", _) => {
                    self.word("a label")?;
                    if self.eat('+') {
                        self.number("a number")?;
                    }
                }
                _ => {
                    let mut n = || {
                        self.number("a number of `inlined_at`")
                            .map(|n| n.min(u64::from(u32::MAX)) as u32)
                    };
                    let around = SourceLine { file: n()?, line: n()?, column: n()? };
                    self.inlined.insert(line, around);
                    line = self.own_line(line);
                }
            }
        }
        // A line 0 is of no line.
        if line.line == 0 {
            line = self.line.unwrap_or(line);
        }
        self.line = Some(line).filter(|l| l.line > 0);
        Ok(())
    }

    /// The line of the kernel's own file that a line is of: itself, or, of what was inlined from
    /// headers, the innermost line of the file in which the outermost call stands.
    fn own_line(&self, line: SourceLine) -> SourceLine {
        // Calls are not as deep as this; a text may name lines that are inlined in each other.
        const DEEPEST: usize = 64;
        let calls: Vec<SourceLine> = std::iter::successors(Some(line), |l| {
            self.inlined.get(l).copied().filter(|next| next != l)
        })
        .take(DEEPEST)
        .collect();
        let own = calls.last().map_or(line.file, |last| last.file);
        calls.into_iter().find(|l| l.file == own).unwrap_or(line)
    }
}
