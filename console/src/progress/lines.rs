//! Progress as lines on standard error, for a program that shows them itself, as the playground
//! does. Each begins with a carriage return and takes the place of the one before it; other lines
//! there are warnings.

use std::io::{self, Write};

use indicatif::{ProgressDrawTarget, TermLike};

/// How often a second.
const RATE: u8 = 5;

/// Where they go.
pub(super) fn target() -> ProgressDrawTarget {
    ProgressDrawTarget::term_like_with_hz(Box::new(LineTerminal), RATE)
}

/// What indicatif takes for a terminal. The cursor does not move: there is none.
#[derive(Debug)]
struct LineTerminal;

impl TermLike for LineTerminal {
    fn width(&self) -> u16 {
        160
    }

    fn write_line(&self, line: &str) -> io::Result<()> {
        match line.trim() {
            "" => Ok(()),
            line => writeln!(io::stderr(), "\r{line}"),
        }
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.write_line(text)
    }

    fn flush(&self) -> io::Result<()> {
        io::stderr().flush()
    }

    fn clear_line(&self) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
}
