//! Optional axioms in `margay run`: taken in, left out, and said where they decide an answer.

use serde_json::{Value, json};

use crate::program::{err, lines, margay, out};

const LB: &str = "tests/corpus/readings/c-lb-copies.litmus";
const GUARDED: &str = "tests/corpus/readings/c-lb-guarded-race.litmus";
const MP: &str = "tests/corpus/readings/c-mp-guarded.litmus";

/// For each answer the model, is it reachable, is it racy, and what it depends on.
fn answers(arguments: &[&str]) -> Vec<(String, bool, bool, Value)> {
    let output = margay(&[&["run"], arguments, &["--format", "json", "--engine", "both"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let of = |a: Value| {
        let named = |k: &str| a[k].as_bool().expect("a boolean");
        (
            a["model"].as_str().expect("a name").to_owned(),
            named("reachable"),
            named("racy"),
            a["depends_on"].clone(),
        )
    };
    lines(&output).into_iter().map(of).collect()
}

#[test]
fn rc11_is_the_published_one() {
    let found = answers(&[LB, "--model", "rc11,rc11-lb,c20,rc11-scoped"]);
    let reachable: Vec<(&str, bool)> = found.iter().map(|(m, r, ..)| (m.as_str(), *r)).collect();
    assert_eq!(
        reachable,
        [("rc11", false), ("rc11-lb", true), ("c20", true), ("rc11-scoped", true)]
    );
}

#[test]
fn answers_say_on_which_optional_axioms_they_depend() {
    let on = |counts: bool, reachable: Value, racy: Value| json!([{ "axiom": "No-Thin-Air", "counts": counts, "otherwise": { "reachable": reachable, "racy": racy } }]);
    let none = json!([]);
    let is = |arguments: &[&str], reachable: bool, racy: bool, depends: Value| {
        let found = answers(arguments);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].1, found[0].2, &found[0].3),
            (reachable, racy, &depends),
            "{arguments:?}"
        );
    };
    is(&[LB, "--model", "rc11-lb"], true, false, on(false, json!(false), Value::Null));
    is(&[GUARDED, "--model", "rc11-lb"], true, true, on(false, json!(false), json!(false)));
    is(&[MP, "--model", "rc11-lb"], false, false, none.clone());
    is(&[LB, "--model", "rc11"], false, false, none.clone());
    // Taken in; the name as people write it.
    is(
        &[LB, "--model", "rc11-lb", "--axiom", "no_thin_air"],
        false,
        false,
        on(true, json!(true), Value::Null),
    );
    is(
        &[GUARDED, "--model", "rc11-lb", "--axiom", "No-Thin-Air"],
        false,
        false,
        on(true, json!(true), json!(true)),
    );
    // Left out.
    is(
        &[LB, "--model", "rc11", "--without-axiom", "no-thin-air"],
        true,
        false,
        on(false, json!(false), Value::Null),
    );
    // An axiom of emptiness can be left out as well; here nothing depends on it.
    is(&[MP, "--model", "rc11", "--without-axiom", "atomicity"], false, false, none);
    // What already is as it was asked for is no error.
    is(&[LB, "--model", "rc11", "--axiom", "no-thin-air"], false, false, json!([]));
}

#[test]
fn people_read_it_in_the_answer() {
    let shown = |arguments: &[&str]| out(&margay(&[&["run"], arguments].concat()));
    let both = shown(&[LB, GUARDED, "--model", "rc11-lb,c20"]);
    let row = |all: &str, test: &str, model: &str| {
        let row =
            all.lines().find(|l| l.split_whitespace().take(2).eq([test, model])).expect("a row");
        row.split_whitespace().skip(2).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        row(&both, "c-lb-copies", "rc11-lb")[..4],
        ["allowed*", "exists:", "yes", "race-free"]
    );
    assert_eq!(
        row(&both, "c-lb-guarded-race", "c20")[..4],
        ["allowed*", "exists:", "yes", "racy*"]
    );
    let said = "* Only without No-Thin-Air, an optional axiom of rc11-lb, c20 that `--axiom No-Thin-Air` takes in.";
    assert!(both.contains(said), "{both}");
    let taken = shown(&[LB, "--model", "rc11-lb", "--axiom", "no-thin-air"]);
    assert!(taken.contains("rc11-lb with No-Thin-Air  forbidden*"), "{taken}");
    assert!(
        taken.contains(
            "* Only with No-Thin-Air, an optional axiom of rc11-lb that `--axiom` took in."
        ),
        "{taken}"
    );
    let left_out = shown(&[LB, "--model", "rc11", "--without-axiom", "no-thin-air"]);
    assert!(left_out.contains("rc11 without No-Thin-Air  allowed*"), "{left_out}");
    assert!(
        left_out.contains("* Only without No-Thin-Air, an axiom of rc11 that was left out."),
        "{left_out}"
    );
    let independent = shown(&[MP, "--model", "rc11-lb"]);
    assert!(
        !independent.contains("forbidden*") && !independent.contains("No-Thin-Air"),
        "{independent}"
    );
}

#[test]
fn axioms_that_no_model_has_are_refused() {
    for (arguments, said) in [
        (["--axiom", "no-thin-hair"], "did you mean `No-Thin-Air`?"),
        (["--axiom", "Race"], "has an optional axiom of that name"),
        (["--without-axiom", "coherense"], "did you mean `Coherence`?"),
    ] {
        let wrong = margay(&[&["run", LB, "--model", "rc11-lb"], &arguments[..]].concat());
        assert_eq!(wrong.status.code(), Some(2), "{arguments:?}");
        assert!(err(&wrong).contains(said), "{}", err(&wrong));
    }
    let both = margay(&[
        "run",
        LB,
        "--model",
        "rc11-lb",
        "--axiom",
        "no-thin-air",
        "--without-axiom",
        "NoThinAir",
    ]);
    assert_eq!(both.status.code(), Some(2));
    let certified = margay(&[
        "run",
        LB,
        "--model",
        "rc11-lb",
        "--axiom",
        "no-thin-air",
        "--certify",
        "target/none",
    ]);
    assert_eq!(certified.status.code(), Some(2), "a certificate is of the models as they stand");
}

/// A mapping asked about an optional axiom of its source: the axiom counts for the program of the
/// counterexample, too.
#[test]
fn a_mapping_is_asked_about_an_optional_axiom() {
    let found = margay(&[
        "check",
        "rc11-to-ptx",
        "--level",
        "execution",
        "--axiom",
        "No-Thin-Air",
        "--bound",
        "4",
    ]);
    assert_eq!(found.status.code(), Some(1), "{}{}", out(&found), err(&found));
    assert!(
        out(&found).starts_with(
            "counterexample with 4 events (program: a compiler bug), axiom No-Thin-Air"
        ),
        "{}",
        out(&found)
    );
}
