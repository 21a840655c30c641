//! Published tests as a user meets them: written anew by `margay gen --published`, and what others
//! saw beside what is seen here.

use std::path::Path;

use serde_json::{Value, json as value};

use crate::program::{err, folder, json, lines, margay, out, write};

/// Three tests of two shapes: of the first two, one was seen on both devices and one on none, the
/// third on the second device.
const TABLE: &str = "\
devices Ada Hopper
variants two_2w BOTH_FENCE FENCE_0 FENCE_1 | RELAXED RELEASE
seen two_2w 0_1 - - 30 - - -
model two_2w 0_1 - - +- - - -
variants paper_example1 | DISALLOWED RELAXED
seen paper_example1 0_1_2_3 - - - - - 02
model paper_example1 0_1_2_3 - - - - - ++
";

const RELAXED: &str = "two_2w_TB_0_1_SCOPE_BLOCK_NO_FENCE_RELAXED";
const RELEASE: &str = "two_2w_TB_0_1_SCOPE_BLOCK_NO_FENCE_RELEASE";
const DISALLOWED: &str = "paper_example1_TB_0_1_2_3_SCOPE_DEVICE_NO_FENCE_DISALLOWED";

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}

/// A line of results as `gpu run` writes it.
fn result(name: &str, model: Option<&str>, asked: u64, allowed: bool) -> String {
    let verdict = model.map(|_| if allowed { "allowed" } else { "forbidden" });
    let outcome = |asked: bool, count: u64, model: Option<&str>| value!({"outcome": "", "values": {}, "count": count, "seen": count > 0, "asked": asked, "model": model});
    let mut outcomes = vec![outcome(false, 100 - asked, model.map(|_| "allowed"))];
    if allowed || asked > 0 {
        outcomes.push(outcome(true, asked, verdict));
    }
    let line = value!({
        "schema": 1, "margay": "0.1.0", "command": "gpu run", "file": format!("published/{name}.litmus"), "device": "made up",
        "simulated": false, "target": "sm_90", "driver": null, "environment": null, "seed": 1, "asked_instances": 100, "compiled": null,
        "model": model, "name": name, "clocks": null, "kernel": null, "assembler": null, "level": null, "compared": null,
        "narrowed": null, "instances": 100, "interrupted": false, "launches": 1, "stuck": 0, "uncounted": 0, "seconds": 0.5,
        "bounded": false, "violation": model.is_some() && !allowed && asked > 0, "outcomes": outcomes,
    });
    format!("{line}\n")
}

#[test]
fn published_tests_are_written_and_run_under_their_names() {
    let dir = folder("seen-elsewhere/run");
    write(&dir, "table.txt", TABLE);
    let (table, tests, results) = (dir.join("table.txt"), dir.join("tests"), dir.join("r.jsonl"));
    let made = margay(&["gen", "--published", text(&table), "--out", text(&tests)]);
    assert_eq!(made.status.code(), Some(0), "{}", err(&made));
    assert!(out(&made).starts_with("4 tests in "), "{}", out(&made));
    let records = lines(&margay(&[
        "gen",
        "--published",
        text(&table),
        "--out",
        text(&tests),
        "--format",
        "json",
    ]));
    let named: Vec<(&str, &str)> = records
        .iter()
        .map(|r| (r["name"].as_str().expect("a name"), r["shape"].as_str().expect("a shape")))
        .collect();
    assert_eq!(named[..3], [(RELAXED, "2+2W"), (RELEASE, "2+2W"), (DISALLOWED, "first example")]);
    let asked = [
        "gpu",
        "run",
        text(&tests),
        "--soundness",
        "--device",
        "sim",
        "--instances",
        "50",
        "--results",
        text(&results),
    ];
    let ran = margay(&asked);
    assert_eq!(ran.status.code(), Some(0), "{}{}", out(&ran), err(&ran));
    let document = json(&margay(&[
        "gpu",
        "summary",
        text(&results),
        "--seen-elsewhere",
        text(&table),
        "--format",
        "json",
    ]));
    let all = document["seen_elsewhere"]["shapes"]
        .as_array()
        .and_then(|shapes| shapes.last())
        .expect("all")
        .clone();
    assert_eq!(
        (&all["shape"], &all["run_here"], &all["forbidden"]),
        (&"all".into(), &4.into(), &0.into()),
        "{all}"
    );
    assert_eq!(document["seen_elsewhere"]["models"], value!(["ptx-8"]));
}

#[test]
fn what_others_saw_stands_beside_what_was_seen_here() {
    let dir = folder("seen-elsewhere/summary");
    write(&dir, "table.txt", TABLE);
    let (table, results) = (dir.join("table.txt"), dir.join("r.jsonl"));
    let summary = |lines: &[String], more: &[&str]| {
        std::fs::write(&results, lines.concat()).expect("written");
        margay(
            &[&["gpu", "summary", text(&results), "--seen-elsewhere", text(&table)], more].concat(),
        )
    };
    let ptx = Some("ptx-8");
    let some = [
        result(RELAXED, ptx, 0, true),
        result(RELAXED, ptx, 7, true),
        result(RELEASE, ptx, 0, false),
    ];
    let said = summary(&some, &["--all"]);
    assert_eq!(said.status.code(), Some(0), "{}", err(&said));
    insta::assert_snapshot!(out(&said).replace(text(&dir), "DIR"), @r"
    nothing that the model forbids; 1 of 2 tests show the outcome that they ask about; 300 instances

     test                                                         seen  instances     rate       a
                                                                                            second
     published/two_2w_TB_0_1_SCOPE_BLOCK_NO_FENCE_RELAXED.litmus     7        200  3.50e-2  2.00e2
     published/two_2w_TB_0_1_SCOPE_BLOCK_NO_FENCE_RELEASE.litmus     0        100   0.00e0  2.00e2

    4 published tests: 2 seen by others (Ada 1, Hopper 2), 1 by both; 2 were run here, and 2 not.
    Forbidden: by ptx-8, of those that were run here.

     shape          tests  run here  seen by others  seen here  by both  forbidden
     2+2W               2         2               1          1        1          1
     first example      2         0               1          0        0          -
     all                4         2               2          1        1          1

     published test                                              seen        seen  instances
                                                                 by          here
                                                                 others
                                                                 on
     two_2w_TB_0_1_SCOPE_BLOCK_NO_FENCE_RELAXED                  Ada            7        200
                                                                 Hopper
     two_2w_TB_0_1_SCOPE_BLOCK_NO_FENCE_RELEASE                                 0        100  forbidden
     paper_example1_TB_0_1_2_3_SCOPE_DEVICE_NO_FENCE_DISALLOWED           not run          0
     paper_example1_TB_0_1_2_3_SCOPE_DEVICE_NO_FENCE_RELAXED     Hopper   not run          0
    ");
    let narrow = summary(&some, &[]);
    assert!(!out(&narrow).contains(RELAXED), "without --all the shapes alone: {}", out(&narrow));

    // What the model forbids and was seen is said first, with the test.
    let wrong = summary(&[result(RELEASE, ptx, 1, false)], &[]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(
        out(&wrong).starts_with("1 tests show what the model forbids")
            && out(&wrong).contains(RELEASE),
        "{}",
        out(&wrong)
    );

    // Without a model nothing is said to be allowed or forbidden; tests of another name are counted
    // apart.
    let document = json(&summary(
        &[result(RELEASE, None, 3, true), result("mp", None, 3, true)],
        &["--format", "json"],
    ));
    let elsewhere = &document["seen_elsewhere"];
    assert_eq!(elsewhere["unpublished"], value!(["published/mp.litmus"]));
    let numbers = |of: &Value| {
        ["tests", "run_here", "seen_by_others", "seen_here", "seen_by_both", "forbidden"]
            .map(|key| of[key].clone())
    };
    let shapes: Vec<[Value; 6]> =
        elsewhere["shapes"].as_array().expect("shapes").iter().map(numbers).collect();
    let expected = value!([[2, 1, 1, 1, 0, null], [2, 0, 1, 0, 0, null], [4, 1, 2, 1, 0, null]]);
    assert_eq!(value!(shapes), expected);

    let none = summary(&[result("mp", None, 3, true)], &[]);
    assert_eq!(none.status.code(), Some(2));
    assert!(
        err(&none).contains("no test of the results is one of")
            && err(&none).contains("gen --published"),
        "{}",
        err(&none)
    );
}

#[test]
fn a_wrong_table_is_named() {
    let dir = folder("seen-elsewhere/wrong");
    write(&dir, "table.txt", TABLE.replace("two_2w 0_1 - - 30", "two_2w 0_1 - - 3"));
    write(&dir, "empty.txt", "");
    for (file, said) in [
        ("table.txt", "table.txt:3:21"),
        ("empty.txt", "there is no published test"),
        ("none.txt", "cannot read"),
    ] {
        let output = margay(&[
            "gen",
            "--published",
            text(&dir.join(file)),
            "--out",
            text(&dir.join("tests")),
        ]);
        assert_eq!(output.status.code(), Some(2), "{file}");
        assert!(err(&output).contains(said), "{file}: {}", err(&output));
    }
    let output = margay(&["gen", "--published", text(&dir.join("table.txt"))]);
    assert!(output.status.code() == Some(2) && err(&output).contains("--out"), "{}", err(&output));
}
