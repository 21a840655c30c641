//! No text is a mapping that the reader fails on other than by a diagnostic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use margay_mappings::language::{LoadOptions, load_text};
use margay_models::diagnostic::SourceFile;

fuzz_target!(|text: &str| {
    if let Ok(loaded) = load_text(&SourceFile::new("fuzz.map", text), None, &LoadOptions::default()) {
        let printed = loaded.mapping.to_string();
        let again = load_text(&SourceFile::new("again.map", printed.as_str()), None, &LoadOptions::default());
        assert_eq!(again.map(|l| l.mapping.rows.len()).ok(), Some(loaded.mapping.rows.len()), "{printed}");
    }
});
