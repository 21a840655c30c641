//! Two texts beside each other, or one below the other where the terminal is too narrow.

/// Lays out two titled texts for so many columns.
pub fn side_by_side(left: (&str, &str), right: (&str, &str), width: usize) -> String {
    let lines = |(title, text): (&str, &str)| -> Vec<String> {
        std::iter::once(title.to_owned())
            .chain(text.lines().map(|l| l.trim_end().to_owned()))
            .collect()
    };
    let (left, right) = (lines(left), lines(right));
    let size = |lines: &[String]| lines.iter().map(|l| l.chars().count()).max().unwrap_or(0);
    let gap = 4;
    if size(&left) + gap + size(&right) > width {
        return [left, vec![String::new()], right].concat().join("\n");
    }
    let column = size(&left) + gap;
    let mut out = String::new();
    for i in 0..left.len().max(right.len()) {
        let l = left.get(i).map_or("", String::as_str);
        let r = right.get(i).map_or("", String::as_str);
        let line = format!("{l}{:pad$}{r}", "", pad = column - l.chars().count());
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out.pop();
    out
}

#[cfg(test)]
mod tests {
    use super::side_by_side;

    #[test]
    fn beside_if_it_fits_below_if_not() {
        assert_eq!(side_by_side(("A", "a\nbb"), ("B", "c"), 80), "A     B\na     c\nbb");
        assert_eq!(side_by_side(("A", "a\nbb"), ("B", "c"), 5), "A\na\nbb\n\nB\nc");
    }
}
