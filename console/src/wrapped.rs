//! Paragraphs in lines that fit.

/// A line with its indentation, in lines of at most so many columns; what follows the first one is
/// indented by two more.
pub fn indented(line: &str, width: usize) -> String {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let within = width.saturating_sub(indent + 2).max(20);
    let lines: Vec<String> = wrapped(text, within).lines().map(str::to_owned).collect();
    let inner = format!("\n{}", " ".repeat(indent + 2));
    format!("{}{}", " ".repeat(indent), lines.join(&inner))
}

/// Every line of a text that is too long as [`indented`] lays it out; the others stay as they are,
/// with their columns.
pub fn fitted(text: &str, width: usize) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| if shown(line) <= width { line.to_owned() } else { indented(line, width) })
        .collect();
    lines.join("\n")
}

/// How many columns a text takes; colours take none.
fn shown(text: &str) -> usize {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().map_or(0, |plain| plain.chars().count());
    first
        + parts
            .map(|part| part.split_once('m').map_or(0, |(_, plain)| plain.chars().count()))
            .sum::<usize>()
}

/// Longer lines of prose lose their reader on the way back, however wide the window is.
const WIDEST: usize = 100;

/// A paragraph in lines of at most so many columns, and of at most `WIDEST`.
pub fn wrapped(text: &str, width: usize) -> String {
    let width = width.min(WIDEST);
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let size = shown(word);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_and_colours_take_no_room() {
        let text = "\u{1b}[1mforbidden\u{1b}[0m: a test under a model, for at most two jumps\n\n    a happens before b, because of what is said";
        for width in 30..=200 {
            let fitted = fitted(text, width);
            let plain = fitted.replace("\u{1b}[1m", "").replace("\u{1b}[0m", "");
            assert!(plain.lines().all(|line| line.chars().count() <= width), "{width}: {plain}");
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&fitted), words(text), "{width}");
            assert!(fitted.contains("\n\n    a happens"), "{width}: {fitted}");
        }
        let longest = "\u{1b}[1mforbidden\u{1b}[0m: a test under a model,";
        assert_eq!(fitted(longest, 34), longest, "as many columns as it has without its colours");
        assert_eq!(
            fitted("  a -rf-> b    line 7", 60),
            "  a -rf-> b    line 7",
            "what fits keeps its columns"
        );
    }
}
