//! Text within markup.

/// Text as content of XML and HTML, also within attributes. What XML 1.0 (section 2.2) does not
/// allow is replaced.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            // Of control characters those of text alone, and neither of these two.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                out.push(char::REPLACEMENT_CHARACTER)
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn markup_and_control_characters_are_text() {
        assert_eq!(
            escape("<a href=\"x\" b='&'>\u{1b}\n"),
            "&lt;a href=&quot;x&quot; b=&#39;&amp;&#39;&gt;\u{fffd}\n"
        );
    }
}
