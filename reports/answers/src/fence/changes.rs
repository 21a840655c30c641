//! What a strengthened program has that the program has not, line by line, in the words of the
//! program.

use margay_litmus::print::SourceText;
use margay_litmus::test::{Dialect, Test, ThreadId};
use margay_models::signature::Operation;

/// A line that is new or stronger.
pub struct FenceChange {
    pub thread: ThreadId,
    /// Its line in the strengthened program, from 1; 0 for the head of the thread.
    pub line: usize,
    /// What was there; `None` for an added fence.
    pub before: Option<String>,
    pub after: String,
}

/// The changes, in order of the text.
pub fn of(before: &Test, after: &Test, spelling: &SourceText<'_>) -> Vec<FenceChange> {
    let mut found = Vec::new();
    for t in 0..after.threads.len() {
        let thread = ThreadId(t as u16);
        let [old_head, new_head] = [before, after].map(|test| spelling.head(test, thread));
        if let (Some(old), Some(new)) = (old_head, new_head)
            && old != new
        {
            found.push(FenceChange { thread, line: 0, before: Some(old), after: new });
        }
        let [old, new] = [before, after].map(|test| spelling.thread_lines(test, thread));
        for (line, of) in aligned(&old, &new, after.dialect).into_iter().enumerate() {
            let replaced = of.map(|i| old[i].clone());
            if replaced.as_ref() != Some(&new[line]) {
                found.push(FenceChange {
                    thread,
                    line: line + 1,
                    before: replaced,
                    after: new[line].clone(),
                });
            }
        }
    }
    found
}

/// For each new line the old one that it was, `None` for an added fence: so that as few lines as
/// possible differ.
fn aligned(old: &[String], new: &[String], dialect: Dialect) -> Vec<Option<usize>> {
    let never = usize::MAX / 2;
    // What the rest from there costs.
    let mut cost = vec![vec![never; new.len() + 1]; old.len() + 1];
    cost[old.len()][new.len()] = 0;
    let fences =
        |lines: &[String]| lines.iter().map(|line| is_fence(line, dialect)).collect::<Vec<_>>();
    let (old_fence, new_fence) = (fences(old), fences(new));
    for i in (0..=old.len()).rev() {
        for j in (0..new.len()).rev() {
            let kept = match i < old.len() {
                true if old[i] == new[j] => cost[i + 1][j + 1],
                true if old_fence[i] == new_fence[j] => cost[i + 1][j + 1] + 1,
                _ => never,
            };
            let added = if new_fence[j] { cost[i][j + 1] } else { never };
            cost[i][j] = kept.min(added).min(never);
        }
    }
    let (mut i, mut found) = (0, Vec::with_capacity(new.len()));
    for j in 0..new.len() {
        let added = if new_fence[j] { cost[i][j + 1] } else { never };
        let is_added = i == old.len() || added <= cost[i][j] && added < never && old[i] != new[j];
        found.push((!is_added).then_some(i));
        i += usize::from(!is_added);
    }
    found
}

fn is_fence(line: &str, dialect: Dialect) -> bool {
    match dialect {
        Dialect::C => line.contains("fence(") || line.contains("__threadfence"),
        Dialect::Text(architecture) => {
            let is = |word: &str| {
                architecture.instruction(word).is_some_and(|c| c.operation == Operation::Fence)
            };
            line.split_whitespace().any(|word| {
                is(word) || word.rsplit_once('.').is_some_and(|(mnemonic, _)| is(mnemonic))
            })
        }
        _ => line
            .split_whitespace()
            .any(|word| word.starts_with("fence") || word.starts_with("membar")),
    }
}

/// A line to be shown.
pub struct FenceLine {
    pub text: String,
    /// Is it added, or taken away?
    pub mark: char,
}

/// The threads that change, each line with `+`, `-` or nothing before it.
pub fn shown(before: &Test, after: &Test, spelling: &SourceText<'_>) -> Vec<FenceLine> {
    let changes = of(before, after, spelling);
    let mut lines = Vec::new();
    for t in 0..after.threads.len() {
        let thread = ThreadId(t as u16);
        let of_line = |line: usize| changes.iter().find(|c| c.thread == thread && c.line == line);
        if !changes.iter().any(|c| c.thread == thread) {
            continue;
        }
        match of_line(0) {
            Some(head) => show(&mut lines, Some(head), &head.after),
            None => lines.push(FenceLine { text: format!("{thread}:"), mark: ' ' }),
        }
        for (line, text) in spelling.thread_lines(after, thread).iter().enumerate() {
            show(&mut lines, of_line(line + 1), text);
        }
    }
    lines
}

/// A line, and before it the one that it takes the place of.
fn show(lines: &mut Vec<FenceLine>, change: Option<&FenceChange>, text: &str) {
    if let Some(old) = change.and_then(|c| c.before.as_ref()) {
        lines.push(FenceLine { text: format!("- {old}"), mark: '-' });
    }
    let mark = if change.is_some() { '+' } else { ' ' };
    lines.push(FenceLine { text: format!("{mark} {text}"), mark });
}
