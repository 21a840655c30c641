//! What a theorem supposes is said, and what supposes too much is no theorem.

use crate::program::{err, folder, json, margay, out, words};

/// A target that allows no event of a thread: nothing is proved, whatever lemmas say.
#[test]
fn a_target_that_allows_nothing() {
    let folder = folder("premises/nothing");
    std::fs::create_dir_all(&folder).expect("made");
    let path = |name: &str| folder.join(name).to_str().expect("a path of text").to_owned();
    let none = "X86 \"no thread has an event\"\nlet n2 = rf & (W * W)\n\
                empty ((_ \\ IW) \\ range(po)) \\ domain(po) as First-is-not-last\nempty range(po) \\ domain(n2) as Behind\n";
    std::fs::write(path("none.cat"), none).expect("written");
    std::fs::write(
        path("lemmas.cat"),
        "X86 \"lemmas\"\ninclude \"none.cat\"\nempty range(po) as Nothing-behind\n",
    )
    .expect("written");
    std::fs::write(
        path("to.map"),
        "mapping \"to nothing\" from sc to none.cat\nR => R\nW => W\nRMW => RMW\nF => F\n",
    )
    .expect("written");
    let (certificate, file) = (path("certificate"), path("theorem.v"));
    let asked = [
        "prove",
        &path("to.map"),
        "--without",
        "RMW",
        "--lemmas",
        &path("lemmas.cat"),
        "--bound",
        "3",
    ];
    let output = margay(&[&asked[..], &["--certify", &certificate]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    let text = words(&out(&output));
    assert!(text.starts_with("empty: no execution satisfies the premises and has a `R"), "{text}");
    assert!(text.contains("nothing was proved"), "{text}");
    assert!(!std::path::Path::new(&certificate).join("certificate.json").exists());
    let output = margay(&[&asked[..], &["--rocq", &file, "--format", "json"]].concat());
    let report = json(&output);
    assert_eq!(
        (&report["verdict"], report["empty"].is_string()),
        (&"open".into(), true),
        "{report}"
    );
    assert!(
        report["rocq"]["written"] == false && !std::path::Path::new(&file).exists(),
        "{report}"
    );
}

/// A model whose axioms contradict each other, in a property and in a comparison.
#[test]
fn a_model_that_allows_nothing() {
    let folder = folder("premises/model");
    std::fs::create_dir_all(&folder).expect("made");
    let path = folder.join("nothing.cat").to_str().expect("a path of text").to_owned();
    std::fs::write(&path, "Generic \"nothing\"\ninclude \"sc.cat\"\nempty _ as Nothing\n")
        .expect("written");
    let output = margay(&["prove", "--model", &path, "empty rf", "--bound", "2"]);
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    let text = words(&out(&output));
    assert!(
        text.starts_with("empty: no execution satisfies the premises and has an event of a thread: nothing was proved"),
        "{text}"
    );
    let output = margay(&["diff", "--prove", &path, "sc", "--bound", "2", "--format", "json"]);
    let report = json(&output);
    assert!(
        report["empty"][0].as_str().is_some_and(|what| what.contains("nothing was proved")),
        "{report}"
    );
    assert_ne!(report["equal_for_every_size"], true, "{report}");
}

/// The first line of a theorem, its JSON and `verify` say what is supposed: types, races, what was
/// left out, which axioms.
#[test]
fn hypotheses_are_in_the_sentence() {
    let certificate = folder("premises/said").join("certificate");
    let path = certificate.to_str().expect("a path of text");
    let asked =
        ["prove", "rc11-to-x86", "--axiom", "Atomicity", "--without", "RMW.SC", "--bound", "3"];
    let output = margay(&[&asked[..], &["--certify", path]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let said = |text: String, first: &str| {
        let text = words(&text);
        for part in [
            first,
            ", of Atomicity alone",
            ", without RMW.SC",
            ", if no location is accessed by both plain and atomic operations",
            ", and if the source execution has no undefined behaviour",
            "single executions, not programs",
            "leaves undefined (Race)",
        ] {
            assert!(text.contains(part), "`{part}` is missing in\n{text}");
        }
    };
    said(out(&output), "theorem for executions of every size");
    said(out(&margay(&["verify", path])), "verified: Atomicity for executions of every size");
    let report = json(&margay(&[&asked[..], &["--format", "json"]].concat()));
    assert!(
        report["answer"].as_str().is_some_and(|a| a.contains("both plain and atomic")),
        "{report}"
    );
    assert!(report["supposes"].as_array().is_some_and(|all| all.len() > 3), "{report}");
    // Without that supposition it is not said.
    let untyped = out(&margay(&[&asked[..], &["--typed", "off"]].concat()));
    let untyped = words(&untyped);
    assert!(
        untyped.starts_with("theorem") && !untyped.contains("if no location is accessed"),
        "{untyped}"
    );
    assert!(
        untyped.contains("may be accessed by both plain and atomic operations (`--typed off`)"),
        "{untyped}"
    );
}

/// Without its time the search beside a proof does not reach its bound, and nothing is called a
/// theorem, whichever is faster.
#[test]
fn the_search_runs_to_its_bound() {
    for _ in 0..2 {
        let report = json(&margay(&[
            "prove",
            "rc11-to-x86",
            "--axiom",
            "Atomicity",
            "--bound",
            "4",
            "--format",
            "json",
        ]));
        assert_eq!(
            (&report["verdict"], &report["bound"]),
            (&"theorem".into(), &4.into()),
            "{report}"
        );
    }
    let output = margay(&[
        "prove",
        "rc11-to-x86",
        "--axiom",
        "Atomicity",
        "--bound",
        "20",
        "--timeout",
        "3s",
        "--format",
        "json",
    ]);
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    let report = json(&output);
    assert_eq!(report["verdict"], "open", "{report}");
    assert!(
        report["answer"]
            .as_str()
            .is_some_and(|a| a.contains("proved, and the search beside the proof ended at")),
        "{report}"
    );
}
