//! `margay weaken` and `margay repair` as a user meets them.

use crate::program::{err, folder, json, margay, out, words, write};

const ONLY: [&str; 4] = ["--bound", "4", "--only", "R.NA,R.ACQ,W.NA,W.REL"];

#[test]
fn a_broken_row_is_mended() {
    let folder = folder("change/repair");
    let path = folder.to_str().expect("a path of text");
    let asked = ["repair", "rc11-to-ptx-relaxed-acquire-load"];
    let output = margay(&[&asked[..], &ONLY, &["--out", path]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let text = out(&output);
    // Ranked by what instructions cost and by steps together, and that is what is said.
    let first = "2 cheapest repairs at a price of 2, sound up to 4 events";
    assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").starts_with(first), "{text}");
    assert!(
        words(&text).contains("As it is, it has a counterexample with 4 events (axiom Coherence)."),
        "{text}"
    );
    assert!(text.contains("Repair 1 of 2 (2 = 1 in instructions + 1 step)"), "{text}");
    assert!(text.contains("ld.acquire.s") && text.contains("fence.acquire.s"), "{text}");
    // What it writes is a mapping, and it stands.
    for mended in ["repair-1.map", "repair-2.map"] {
        let file = folder.join(mended);
        let checked =
            margay(&[&["check", file.to_str().expect("a path of text")], &ONLY[..]].concat());
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
    let loose = margay(
        &[&["weaken", "rc11-to-ptx"], &ONLY[..], &["--bound", "3", "--format", "json"]].concat(),
    );
    assert_eq!(loose.status.code(), Some(2), "an option that is given twice");
    // Message passing needs four events: with three, nothing is said of the rows that it needs.
    let three = ["weaken", "rc11-to-ptx", "--bound", "3", "--only", ONLY[3]];
    let early = margay(&three);
    assert_eq!(early.status.code(), Some(3), "{}", err(&early));
    let first = words(&out(&early));
    assert!(
        first.starts_with(
            "3 events are too few for 3 of 5 rows, and no other row could be weaker; R.ACQ.s, CAS_FAIL.ACQ.s, W.REL.s need `--bound 4`"
        ),
        "{first}"
    );
    assert!(!first.contains("none up to 3"), "{first}");
    let report = json(&margay(&[&three[..], &["--format", "json"]].concat()));
    let acquire = report["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .find(|r| r["row"] == "R.ACQ.s")
        .expect("a row");
    assert_eq!(
        (&acquire["tight"], &acquire["loose"], &acquire["needs"]),
        (&false.into(), &false.into(), &4.into()),
        "{acquire}"
    );
    assert_eq!(acquire["weaker"][0]["verdict"], "none", "{acquire}");
    let all = margay(&["weaken", "rc11-to-ptx", "--bound", "3", "--only", "W.REL,R.ACQ"]);
    let first = words(&out(&all));
    assert!(
        first.starts_with(
            "3 events are too few; R.ACQ.s, CAS_FAIL.ACQ.s, W.REL.s need `--bound 4` (only"
        ),
        "{first}"
    );
    // Where nothing could be asked, nothing is said to be tight.
    let stopped = margay(&["weaken", "rc11-to-ptx-descoped", "--bound", "5", "--timeout", "0"]);
    assert_eq!(stopped.status.code(), Some(3), "{}", err(&stopped));
    let first = words(&out(&stopped));
    assert!(first.starts_with("undecided, before any row was made weaker: "), "{first}");
    // A fence that is not needed, at a bound that can tell.
    let folder = folder("change/loose");
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/mappings/rc11-to-ptx.map"))
            .expect("the mapping");
    let path = write(
        &folder,
        "loose.map",
        text.replace("=> ld.acquire.s\nR.SC", "=> fence.acq_rel.s ; ld.acquire.s\nR.SC"),
    );
    let loose = margay(&[&["weaken", &path], &ONLY[..]].concat());
    assert_eq!(loose.status.code(), Some(1), "{}", err(&loose));
    assert!(
        out(&loose).starts_with("1 of 5 rows could be weaker up to 4 events (R.ACQ.s)"),
        "{}",
        out(&loose)
    );
    // A construct with two loose lowerings is named once.
    let text = text.replace(
        "=> ld.acquire.s\nR.SC",
        "=> fence.acq_rel.s ; ld.acquire.s or fence.sc.s ; ld.acquire.s\nR.SC",
    );
    let twice = margay(&[&["weaken", &write(&folder, "twice.map", text)], &ONLY[..]].concat());
    assert!(
        out(&twice).starts_with("2 of 6 rows could be weaker up to 4 events (R.ACQ.s)"),
        "{}",
        out(&twice)
    );
    let fallen = margay(&[&["weaken", "rc11-to-ptx-relaxed-acquire-load"], &ONLY[..]].concat());
    assert_eq!(fallen.status.code(), Some(1));
    assert!(out(&fallen).starts_with("wrong as it is"), "{}", out(&fallen));
}

#[test]
fn what_has_no_meaning_is_refused() {
    let folder = folder("change/wrong");
    let costs = write(&folder, "costs.toml", "\"fence.acqrel\" = 3\n");
    let missing = folder.join("none.toml");
    let cases: [(&[&str], &str); 4] = [
        (&["--costs", &costs], "did you mean `fence.acq_rel`?"),
        (&["--costs", missing.to_str().expect("a path of text")], "cannot read the costs"),
        (&["--level", "execution", "--co", "universal"], "ask with `--co exists`"),
        (&["--level", "execution", "--guards", "1"], "leave out `--level execution`"),
    ];
    for (arguments, expected) in cases {
        let output = margay(&[&["repair", "rc11-to-ptx"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(err(&output).contains(expected), "{}", err(&output));
    }
    // Time that does not suffice: what was established is said.
    let output = margay(&[
        "repair",
        "rc11-to-ptx",
        "--bound",
        "9",
        "--timeout",
        "1s",
        "--without",
        "R.SC,W.SC,RMW.SC",
    ]);
    assert_eq!(output.status.code(), Some(3), "{}", out(&output));
    assert!(
        out(&output)
            .starts_with("undecided, asked up to 9 events (no programs with R.SC, W.SC, RMW.SC): "),
        "{}",
        out(&output)
    );
    assert!(
        out(&output).contains("It ended early because: the time given was used up"),
        "{}",
        out(&output)
    );
}
