//! The smallest bound at which each shipped mapping falls, and the axioms by which it does.
//!
//! With every construct the published mapping itself falls at 5 events (seq_cst accesses whose scopes do not include one
//! another), so two columns: all constructs, and only those seq_cst accesses that the broken row is about: without the others
//! the published mapping stands.

use std::fmt::Write;

use margay_mappings::check::CheckOptions;
use margay_mappings::library;

use crate::setup::{ask, falls, options, shipped};

/// The seq_cst accesses that have nothing to do with what is broken: what the comment of the mapping says.
fn unrelated(name: &str) -> Vec<String> {
    let text = &library::built_in(name).expect("a shipped mapping").text;
    let is_broken = |row: &&str| text.contains(&format!("the row {row}:")) || text.contains(&format!("row {row} has lost"));
    ["R.SC", "W.SC", "RMW.SC"].iter().filter(|row| !is_broken(row)).map(|row| (*row).to_owned()).collect()
}

/// One line for each shipped mapping.
fn table(ask_for: impl Fn(&str) -> CheckOptions) -> String {
    let mut out = String::new();
    for name in library::names() {
        let report = ask(&shipped(name), &ask_for(name));
        writeln!(out, "{name:44} {}", falls(&report)).expect("to a string");
    }
    out
}

#[test]
fn with_all_constructs() {
    insta::assert_snapshot!(table(|_| options(4)));
}

#[test]
fn without_unrelated_seq_cst_accesses() {
    insta::assert_snapshot!(table(|name| {
        let mut options = options(5);
        options.without = unrelated(name);
        options
    }));
}

/// The statement that the paper did not check: with seq_cst accesses of mixed scopes the published mapping does not stand.
#[test]
fn the_published_mapping_with_seq_cst_accesses() {
    let mut options = options(5);
    options.axioms = vec!["SC".to_owned()];
    options.only = ["W.SC", "R.SC", "W.RLX", "F.SC"].map(str::to_owned).to_vec();
    assert_eq!(falls(&ask(&shipped("rc11-to-ptx"), &options)), "SC at 5");
    assert_eq!(falls(&ask(&shipped("rc11-to-ptx-descoped"), &options)), "none up to 5");
}

#[test]
fn broken_variants_say_which_row() {
    let broken: Vec<&str> = library::names().filter(|n| n.strip_prefix("rc11-to-ptx-").is_some_and(|r| r != "descoped")).collect();
    assert!(broken.len() > 10);
    let (published, plain) = (shipped("rc11-to-ptx"), shipped("rc11-to-ptx-descoped"));
    for name in broken {
        let variant = shipped(name);
        let original = if name.contains("descoped") { &plain } else { &published };
        let bodies = |m: &margay_mappings::language::Mapping| -> Vec<String> {
            m.rows.iter().map(|r| format!("{} {}", r.head(m.source.signature), r.body(m.target.signature))).collect()
        };
        let (a, b) = (bodies(original), bodies(&variant));
        assert_eq!(a.len(), b.len(), "{name}");
        let changed: Vec<usize> = (0..a.len()).filter(|&i| a[i] != b[i]).collect();
        assert_eq!(changed.len(), 1, "{name}: one row is broken");
        let row = variant.rows[changed[0]].construct.name(variant.source.signature);
        assert!(variant.file.text.contains(&format!("row {row}")), "{name}: the comment does not name {row}");
    }
}
