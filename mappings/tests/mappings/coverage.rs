//! How many rows of a table an answer is about: counted in the text of every table that ships.

use margay_mappings::language::{Coverage, LoadOptions, load_text};
use margay_mappings::library;

use crate::setup::{names, read, shipped};

/// The lines with a row, each with its left-hand side and what is behind the arrow.
fn lines(text: &str) -> Vec<(&str, &str)> {
    let bare = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    bare.filter_map(|line| line.split_once("=>")).map(|(head, body)| (head.trim(), body.trim())).collect()
}

#[test]
fn every_row_of_every_table_is_counted() {
    let mut left = 0;
    for name in library::names() {
        let file = library::built_in(name).expect("it is shipped");
        let mapping = load_text(&file, None, &LoadOptions::default()).expect("it is a mapping").mapping;
        let rows = lines(&file.text);
        let starts = |word: &str| rows.iter().filter(|(_, body)| body.starts_with(word)).count();
        let assumed: Vec<&str> =
            mapping.about.evidence.iter().filter(|e| e.known.word() == "assumed").map(|e| e.name.as_str()).collect();
        let is_assumed = |body: &str| assumed.iter().any(|name| body.ends_with(&format!("[{name}]")));
        let taken = rows.iter().filter(|(_, body)| is_assumed(body)).count();
        let expected = Coverage { rows: rows.len(), other: starts("other"), absent: starts("absent"), assumed: 0, taken };
        assert_eq!(mapping.coverage(None), expected, "{name}");
        let known = mapping.known_only();
        assert_eq!(known.coverage(None), Coverage { assumed: taken, taken: 0, ..expected }, "{name}, without what is assumed");
        left += expected.not_asked();
    }
    assert!(left > 50, "{left} rows of all tables are not asked about");
}

#[test]
fn only_rows_of_the_constructs_that_are_asked_about_count() {
    let mapping = shipped("kernelintrinsics");
    let of = |constructs: &str| mapping.coverage(Some(&names(constructs)));
    assert_eq!(of("R.NA,R.RLX,R.SC").words(), "; 1 of 3 rows was not asked about (1 absent)");
    assert_eq!(of("R.NA,R.RLX").words(), "");
    assert_eq!(mapping.coverage(None).words(), "; 7 of 17 rows were not asked about (7 absent)");
    // A compare-exchange is a read-modify-write where it succeeds, and a load where it fails.
    let mut text = mapping.file.text.clone();
    text.push_str("CAS_FAIL.ACQ.s => absent\nCAS.RLX.s => absent\n");
    let mapping = read(&text).expect("it is a mapping");
    let of = |constructs: &str| mapping.coverage(Some(&names(constructs))).absent;
    assert_eq!((of("R.ACQ"), of("R.RLX"), of("RMW.RLX")), (1, 0, 2));
    let assumed = shipped("cuda-oxide");
    assert_eq!(assumed.coverage(None).words(), "; 8 of 17 rows are assumed");
    assert_eq!(assumed.known_only().coverage(None).words(), "; 8 of 17 rows were not asked about (8 assumed)");
}
