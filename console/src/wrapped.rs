//! Paragraphs in lines that fit.

/// A line with its indentation, in lines of at most so many columns; what follows the first one is indented by two more.
pub fn indented(line: &str, width: usize) -> String {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let within = width.saturating_sub(indent + 2).max(20);
    let lines: Vec<String> = wrapped(text, within).lines().map(str::to_owned).collect();
    let inner = format!("\n{}", " ".repeat(indent + 2));
    format!("{}{}", " ".repeat(indent), lines.join(&inner))
}

/// Longer lines of prose lose their reader on the way back, however wide the window is.
const WIDEST: usize = 100;

/// A paragraph in lines of at most so many columns, and of at most `WIDEST`.
pub fn wrapped(text: &str, width: usize) -> String {
    let width = width.min(WIDEST);
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let size = word.chars().count();
        if column > 0 && column + 1 + size > width {
            out.push('\n');
            column = 0;
        }
        if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += size;
    }
    out
}
