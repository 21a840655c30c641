//! Comments of a file for Rocq.

/// A text from outside as part of a comment: whatever stands in it, the comment does not end there.
/// No parenthesis touches a star, and none does at the ends either; a quote would begin a string.
pub fn comment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match (out.chars().next_back(), c) {
            (Some('('), '*') | (Some('*'), ')') | (None, '*' | ')') => {
                out.push(' ');
                out.push(c);
            }
            (_, '"') => out.push('\''),
            (_, '\n' | '\t') => out.push(c),
            (_, c) if c.is_control() => out.push(' '),
            _ => out.push(c),
        }
    }
    if out.ends_with(['(', '*']) {
        out.push(' ');
    }
    out
}
