//! No text makes the reader panic.

use margay_mappings::library;
use margay_models::diagnostic::SourceFile;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::setup::read;

/// Words that mean something in a mapping.
const WORDS: [&str; 30] = [
    "mapping",
    "\"m\"",
    "from",
    "to",
    "or",
    "nothing",
    "=>",
    ";",
    "\n",
    "sc",
    "tso",
    "ptx-6.0",
    "rc11-scoped",
    "R",
    "W.NA",
    "R.ACQ.s",
    "RMW.SC.s",
    "F.SC.gpu",
    "F",
    ".s",
    "ld.weak",
    "ld.acquire.s",
    "atom",
    "fence.sc.cluster",
    "membar.gl",
    "(*",
    "*)",
    "//",
    "#",
    "é",
];

/// Reads the text; whatever is said about it points into it.
fn survives(text: &str) {
    if let Err(errors) = read(text) {
        assert!(!errors.is_empty());
        for error in errors {
            assert!(!error.message.is_empty());
            for label in &error.labels {
                assert!(
                    label.file.text.get(label.span.start..label.span.end).is_some(),
                    "{text:?}: {error:?}"
                );
            }
        }
    }
}

#[test]
fn every_beginning_of_a_mapping() {
    let text = &library::built_in("rc11-to-ptx").expect("shipped").text;
    for end in (0..=text.len()).filter(|&e| text.is_char_boundary(e)) {
        survives(&text[..end]);
    }
}

#[test]
fn long_texts_end() {
    let header = "mapping \"m\" from sc to tso\n";
    survives(&format!("{header}{}", "R => R\n".repeat(2000)));
    survives(&format!("{header}R => {}R", "F ; ".repeat(20_000)));
    survives(&format!("{header}R => {}R", "R or ".repeat(20_000)));
    survives(&format!("{header}R{}", ".x".repeat(20_000)));
    survives(&format!("{header}R => ld{}", ".x".repeat(20_000)));
    survives(&"(*".repeat(20_000));
    survives(&"\"".repeat(20_001));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_mappings(
        which in any::<Index>(),
        edits in proptest::collection::vec((any::<Index>(), 0..6_usize, prop_oneof![select(WORDS.to_vec()).prop_map(str::to_owned), ".{0,3}"]), 1..6),
    ) {
        let names: Vec<&str> = library::names().collect();
        let mut text: Vec<char> = library::built_in(names[which.index(names.len())]).expect("shipped").text.chars().collect();
        for (at, length, new) in edits {
            let from = at.index(text.len() + 1);
            let to = (from + length).min(text.len());
            text.splice(from..to, new.chars());
        }
        survives(&text.into_iter().collect::<String>());
    }

    #[test]
    fn words_in_any_order(words in proptest::collection::vec(select(WORDS.to_vec()), 0..40)) {
        survives(&words.join(" "));
        survives(&format!("mapping \"m\" from rc11-scoped to ptx-6.0\n{}", words.join(" ")));
    }

    #[test]
    fn any_text(text in "\\PC{0,200}") {
        survives(&text);
        survives(&format!("mapping \"m\" from sc to ptx-6.0\n{text}"));
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let text = String::from_utf8_lossy(&bytes);
        let file = SourceFile::new("m.map", text.as_ref());
        survives(&file.text);
    }
}
