//! What a strengthened program has that the program has not, line by line.

use margay_litmus::test::{Dialect, Test, ThreadId};
use margay_models::signature::Operation;

/// A line that is new or stronger.
pub struct Change {
    /// The thread.
    pub thread: ThreadId,
    /// Its line in the strengthened program, from 0.
    pub line: usize,
    /// What was there; `None` for an added fence.
    pub before: Option<String>,
    /// What is there.
    pub after: String,
}

/// The changes, in order of the text.
pub fn of(before: &Test, after: &Test) -> Vec<Change> {
    let mut found = Vec::new();
    for t in 0..after.threads.len() {
        let thread = ThreadId(t as u8);
        let (old, new) = (before.thread_lines(thread), after.thread_lines(thread));
        let mut i = 0;
        for (line, text) in new.iter().enumerate() {
            if old.get(i) == Some(text) {
                i += 1;
                continue;
            }
            // An added fence stands where there was another line; a changed one stays what it was.
            let added = is_fence(text, after.dialect) && !old.get(i).is_some_and(|o| is_fence(o, before.dialect));
            let replaced = if added { None } else { old.get(i).cloned() };
            i += usize::from(!added);
            found.push(Change { thread, line, before: replaced, after: text.clone() });
        }
    }
    found
}

fn is_fence(line: &str, dialect: Dialect) -> bool {
    match dialect {
        Dialect::C => line.contains("_fence("),
        Dialect::Text(architecture) => {
            let is = |word: &str| architecture.instruction(word).is_some_and(|c| c.operation == Operation::Fence);
            line.split_whitespace().any(|word| is(word) || word.rsplit_once('.').is_some_and(|(mnemonic, _)| is(mnemonic)))
        }
        _ => line.split_whitespace().any(|word| word.starts_with("fence") || word.starts_with("membar")),
    }
}

/// A line to be shown.
pub struct Shown {
    /// The text.
    pub text: String,
    /// Is it added, or taken away?
    pub mark: char,
}

/// The threads that change, each line with `+`, `-` or nothing before it.
pub fn shown(before: &Test, after: &Test) -> Vec<Shown> {
    let changes = of(before, after);
    let mut lines = Vec::new();
    for t in 0..after.threads.len() {
        let thread = ThreadId(t as u8);
        if !changes.iter().any(|c| c.thread == thread) {
            continue;
        }
        lines.push(Shown { text: format!("{thread}:"), mark: ' ' });
        for (line, text) in after.thread_lines(thread).iter().enumerate() {
            let change = changes.iter().find(|c| c.thread == thread && c.line == line);
            if let Some(old) = change.and_then(|c| c.before.as_ref()) {
                lines.push(Shown { text: format!("- {old}"), mark: '-' });
            }
            let mark = if change.is_some() { '+' } else { ' ' };
            lines.push(Shown { text: format!("{mark} {text}"), mark });
        }
    }
    lines
}
