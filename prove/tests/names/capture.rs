//! A name that a model gives to a definition is its own, whatever else is called so.

use super::{mapping_of, question, searched, theorems};

const LANGUAGE: &str = "architecture \"a language with two scopes\"\n\
    tag REL on W F\nscopes wg < all\ndependencies addr data ctrl\nsets NA A\n\
    tag ACQ on R\nread ld ACQ scoped\nread plain\nwrite st REL scoped\nwrite store\nrmw swap scoped\nfence full REL\n";

const ROWS: &str = "ld.s => R\nplain => R\nst.s => F ; W\nstore => W\nswap.s => RMW\nfull => F\n";

/// Each axiom but the last one is false, and about a name that the source has and the target has
/// not, or has in another way.
const SOURCE: &str = "empty (rf & ext) & same-wg as Level\nempty (rf & ext) & incl as Inclusion\nempty (rf & ext & (WG * ALL)) as Scope\n\
    empty (fr & ext) as From-reads\nempty ctrl as Control\nempty co & ext as Coherence\nempty [REL & F]; po; [A] as Fences\nacyclic po as Order\n";

const FALSE: [&str; 7] =
    ["Level", "Inclusion", "Scope", "From-reads", "Control", "Coherence", "Fences"];

/// Names that the program gives to what it makes, names of files that it ships, and names of other
/// architectures.
const NAMES: [&str; 28] = [
    "LANG.same-wg",
    "LANG.same-cta",
    "LANG.wg",
    "LANG.cta",
    "LANG.sys",
    "LANG.sr",
    "LANG.includes",
    "LANG.rb",
    "LANG.F",
    "LANG.ctrl",
    "LANG.addr",
    "LANG.A",
    "LANG.NA",
    "LANG.REL",
    "source",
    "added",
    "emitted",
    "mo",
    "fence-before",
    "read-behind",
    "full",
    "plain",
    "threads",
    "includes",
    "chain1",
    "sync_fence",
    "sr",
    "scta",
];

fn answers(word: &str, name: &str, in_target: bool) -> Vec<String> {
    let name = name.replace("LANG", &format!("{word}source"));
    let captures = format!("let {name} = rf & co\nempty {name} as Of-no-use\n");
    let (of_source, of_target) =
        if in_target { ("", captures.as_str()) } else { (captures.as_str(), "") };
    let source = format!("{word} \"a source\"\n{SOURCE}{of_source}");
    let target = format!("Generic \"a target\"\nacyclic po as Order\n{of_target}");
    let map = format!("mapping \"m\" from {word}source.cat to target.cat\n{ROWS}");
    let (arch, cat) = (format!("{word}.arch"), format!("{word}source.cat"));
    let mapping =
        mapping_of(&[(&arch, LANGUAGE), (&cat, &source), ("target.cat", &target), ("m.map", &map)]);
    theorems(&mapping, &[], 20)
}

#[test]
fn a_definition_captures_nothing() {
    for (number, name) in NAMES.into_iter().enumerate() {
        let word = format!("capture{number}");
        assert_eq!(answers(&word, name, true), ["Order"], "`{name}` in the target");
    }
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn a_definition_of_the_source_captures_nothing() {
    for (number, name) in NAMES.into_iter().enumerate() {
        let word = format!("owncapture{number}");
        assert_eq!(answers(&word, name, false), ["Order", "Of-no-use"], "`{name}` in the source");
    }
}

/// What is called false above is so: the search finds a counterexample to each, and the judge
/// confirms it.
#[test]
fn what_could_be_captured_is_false() {
    let source = format!("falsehoods \"a source\"\n{SOURCE}");
    let target = "Generic \"a target\"\nacyclic po as Order\n";
    let map = format!("mapping \"m\" from source.cat to target.cat\n{ROWS}");
    let files = [
        ("falsehoods.arch", LANGUAGE),
        ("source.cat", &source),
        ("target.cat", target),
        ("m.map", map.as_str()),
    ];
    let report = searched(&mapping_of(&files), &question(4, &FALSE));
    let mut fallen: Vec<&str> = report.counterexamples.iter().map(|c| c.axiom.as_str()).collect();
    fallen.sort_unstable();
    fallen.dedup();
    let mut expected = FALSE.to_vec();
    expected.sort_unstable();
    assert_eq!(fallen, expected);
}
