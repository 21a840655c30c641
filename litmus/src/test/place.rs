//! Where in the text a part of the tree stood.

use margay_models::diagnostic::{SourceFile, Span};

/// Where in the text a part of the tree stood. All places are equal, so that trees compare by what
/// they say.
#[derive(Debug, Clone, Copy, Default)]
pub struct Place(pub Span);

impl Place {
    /// The text there; the whole line where a place has no end.
    pub fn text(self, file: &SourceFile) -> String {
        let Span { start, end } = self.0;
        let line = || {
            let from = file
                .text
                .get(..start)
                .map_or(0, |before| before.rfind('\n').map_or(0, |at| at + 1));
            file.text.get(from..).and_then(|rest| rest.lines().next()).unwrap_or_default()
        };
        let text =
            file.text.get(start..end).filter(|text| !text.trim().is_empty()).unwrap_or_else(line);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

impl PartialEq for Place {
    fn eq(&self, _: &Place) -> bool {
        true
    }
}

impl Eq for Place {}
