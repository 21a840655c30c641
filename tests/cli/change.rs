//! `margay weaken` and `margay repair` as a user meets them.

use crate::program::{err, folder, json, margay, out, write};

const ONLY: [&str; 4] = ["--bound", "4", "--only", "R.NA,R.ACQ,W.NA,W.REL"];

#[test]
fn a_broken_row_is_mended() {
    let folder = folder("change/repair");
    let path = folder.to_str().expect("a path of text");
    let asked = ["repair", "rc11-to-ptx-relaxed-acquire-load"];
    let output = margay(&[&asked[..], &ONLY, &["--out", path]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let text = out(&output);
    assert!(text.starts_with("2 cheapest repairs at a cost of 1, sound up to 4 events"), "{text}");
    assert!(text.contains("ld.acquire.s") && text.contains("fence.acquire.s"), "{text}");
    // What it writes is a mapping, and it stands.
    for mended in ["repair-1.map", "repair-2.map"] {
        let file = folder.join(mended);
        let checked = margay(&[&["check", file.to_str().expect("a path of text")], &ONLY[..]].concat());
        assert_eq!(checked.status.code(), Some(0), "{}{}", out(&checked), err(&checked));
    }
    assert!(folder.join("counterexample-1-source.litmus").exists());
    let again = margay(&[&["repair", "rc11-to-ptx"], &ONLY[..]].concat());
    assert_eq!(again.status.code(), Some(0), "{}", out(&again));
    assert!(out(&again).starts_with("nothing to mend up to 4 events"), "{}", out(&again));
}

#[test]
fn a_tight_mapping_and_a_loose_one() {
    let tight = margay(&[&["weaken", "rc11-to-ptx"], &ONLY[..]].concat());
    assert_eq!(tight.status.code(), Some(0), "{}{}", out(&tight), err(&tight));
    assert!(out(&tight).starts_with("tight up to 4 events"), "{}", out(&tight));
    let loose = margay(&[&["weaken", "rc11-to-ptx"], &ONLY[..], &["--bound", "3", "--format", "json"]].concat());
    assert_eq!(loose.status.code(), Some(2), "an option that is given twice");
    let loose = margay(&["weaken", "rc11-to-ptx", "--bound", "3", "--only", ONLY[3], "--format", "json"]);
    assert_eq!(loose.status.code(), Some(1), "{}", err(&loose));
    let report = json(&loose);
    let acquire = report["rows"].as_array().expect("rows").iter().find(|r| r["row"] == "R.ACQ.s").expect("a row");
    assert_eq!(acquire["tight"], false, "{acquire}");
    assert_eq!(acquire["weaker"][0]["verdict"], "none", "message passing needs four events: {acquire}");
    let fallen = margay(&[&["weaken", "rc11-to-ptx-relaxed-acquire-load"], &ONLY[..]].concat());
    assert_eq!(fallen.status.code(), Some(1));
    assert!(out(&fallen).starts_with("it falls as it is"), "{}", out(&fallen));
}

#[test]
fn what_has_no_meaning_is_refused() {
    let folder = folder("change/wrong");
    let costs = write(&folder, "costs.toml", "\"fence.acqrel\" = 3\n");
    let missing = folder.join("none.toml");
    let cases: [(&[&str], &str); 4] = [
        (&["--costs", &costs], "did you mean `fence.acq_rel`?"),
        (&["--costs", missing.to_str().expect("a path of text")], "cannot read the costs"),
        (&["--co", "universal"], "ask with `--co exists`"),
        (&["--guards", "1"], "add `--level program`"),
    ];
    for (arguments, expected) in cases {
        let output = margay(&[&["repair", "rc11-to-ptx"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(err(&output).contains(expected), "{}", err(&output));
    }
    // Time that does not suffice: what was established is said.
    let output = margay(&["repair", "rc11-to-ptx", "--bound", "9", "--timeout", "1s", "--without", "R.SC,W.SC,RMW.SC"]);
    assert_eq!(output.status.code(), Some(3), "{}", out(&output));
    assert!(out(&output).starts_with("undecided: the time given was used up"), "{}", out(&output));
}
