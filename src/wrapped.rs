//! Paragraphs in lines that fit.

/// A paragraph in lines of at most so many columns.
pub fn wrapped(text: &str, width: usize) -> String {
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
