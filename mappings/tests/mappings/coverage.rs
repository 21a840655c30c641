//! How many rows of a table an answer is about: counted in the text of every table that ships.

use margay_mappings::language::{Coverage, LoadOptions, load_text};
use margay_mappings::library;
use margay_models::execution::Scope;

use crate::setup::{names, read, shipped};

/// Rows that no operation has are no rows that an answer is about, whatever hides them.
#[test]
fn rows_for_nothing_that_there_is_are_counted_apart() {
    let text = shipped("rc11-to-ptx").file.text.clone();
    for (line, row) in [
        ("", "R.ACQ.cluster b8 => ld.relaxed.cluster"),
        ("types b32", "R.ACQ.s b8 => ld.relaxed.s"),
        ("operations exch add", "RMW.ACQ.s nand => atom.relaxed.s"),
        ("types b32", "R.ACQ.s b32 => ld.acquire.s"),
        ("scopes cta gpu sys", "R.ACQ.cta b8 => ld.acquire.cta"),
    ] {
        let header = text.lines().position(|line| line.starts_with("mapping ")).expect("a header");
        let mut lines: Vec<&str> = text.lines().collect();
        lines.insert(header + 1, line);
        lines.push(row);
        let mapping = read(&lines.join("\n")).unwrap_or_else(|e| panic!("{row}: {e:?}"));
        // Of the last but one the row for all types has none left.
        let idle = usize::from(!row.starts_with("R.ACQ.cta"));
        assert_eq!(mapping.coverage(None).idle, idle, "{line}; {row}");
        let words = mapping.coverage(None).words();
        assert_eq!(
            words.contains("1 of 21 rows was not asked about (1 for nothing that there is)"),
            idle == 1,
            "{words}"
        );
        assert_eq!(mapping.coverage(Some(&names("W.RLX"))).idle, 0, "{row}");
    }
}

/// The lines with a row, each with its left-hand side and what is behind the arrow.
fn lines(text: &str) -> Vec<(&str, &str)> {
    let bare = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    bare.filter_map(|line| line.split_once("=>"))
        .map(|(head, body)| (head.trim(), body.trim()))
        .collect()
}

#[test]
fn every_row_of_every_table_is_counted() {
    let mut left = 0;
    for name in library::names() {
        let file = library::built_in(name).expect("it is shipped");
        let mapping =
            load_text(&file, None, &LoadOptions::default()).expect("it is a mapping").mapping;
        let rows = lines(&file.text);
        let starts = |word: &str| rows.iter().filter(|(_, body)| body.starts_with(word)).count();
        let assumed: Vec<&str> = mapping
            .about
            .evidence
            .iter()
            .filter(|e| e.known.word() == "assumed")
            .map(|e| e.name.as_str())
            .collect();
        let is_assumed =
            |body: &str| assumed.iter().any(|name| body.ends_with(&format!("[{name}]")));
        let taken = rows.iter().filter(|(_, body)| is_assumed(body)).count();
        // Rows for a scope that one of the models does not know.
        let of_clusters =
            |head: &str| head.split(' ').next().is_some_and(|name| name.ends_with(".cluster"));
        let says = |body: &str| !body.starts_with("absent") && !body.starts_with("other");
        let has_clusters = mapping.scopes().contains(&Scope::Cluster);
        let idle = rows
            .iter()
            .filter(|(head, body)| !has_clusters && of_clusters(head) && says(body))
            .count();
        let expected = Coverage {
            rows: rows.len(),
            other: starts("other"),
            absent: starts("absent"),
            idle,
            assumed: 0,
            taken,
        };
        assert_eq!(mapping.coverage(None), expected, "{name}");
        let known = mapping.known_only();
        assert_eq!(
            known.coverage(None),
            Coverage { assumed: taken, taken: 0, ..expected },
            "{name}, without what is assumed"
        );
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
    assert_eq!(assumed.coverage(None).words(), "; 8 of 38 rows are assumed");
    assert_eq!(
        assumed.known_only().coverage(None).words(),
        "; 8 of 38 rows were not asked about (8 assumed)"
    );
}
