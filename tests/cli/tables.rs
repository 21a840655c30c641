//! Tables as a user meets them: one that extends another, what differs between two, and what is new
//! beside a baseline.

use std::fs;

use crate::program::{err, folder, json, margay, out, words};

#[test]
fn a_table_that_extends_another_is_checked_and_compared() {
    let folder = folder("tables/extends");
    let mine = folder.join("mine.map");
    fs::write(&mine, "mapping \"mine\" from rc11-scoped to ptx-6.0\nextends rc11-to-ptx\nR.SC.s => ld.acquire.s\n")
        .expect("there is room");
    let path = mine.to_str().expect("a path of text");
    let checked = margay(&["check", path, "--bound", "4"]);
    assert_eq!(checked.status.code(), Some(1), "{}", err(&checked));
    assert!(
        out(&checked)
            .starts_with("counterexample with 4 events (program: a compiler bug), axiom SC: mine"),
        "{}",
        out(&checked)
    );

    let differ = margay(&["diff", "rc11-to-ptx", path, "--bound", "4"]);
    assert_eq!(differ.status.code(), Some(1), "{}", err(&differ));
    let text = out(&differ);
    assert!(
        text.starts_with("different, 1 of 20 rows; newly wrong: a program of 4 events; no longer wrong: none up to 4 events: "),
        "{text}"
    );
    assert!(
        text.contains("R.SC.s\n  old: fence.sc.s ; ld.acquire.s\n  new: ld.acquire.s\n"),
        "{text}"
    );
    assert!(text.contains("gets this program wrong, and rc11-to-ptx does"), "{text}");

    let rows = words(&out(&margay(&["diff", "rc11-to-ptx", "llvm-23-sm90", "--bound", "0"])));
    assert!(
        rows.contains("No programs were asked about") && !rows.contains("between the second pair"),
        "{rows}"
    );
    let document =
        json(&margay(&["diff", "rc11-to-ptx", path, "--bound", "4", "--format", "json"]));
    assert_eq!(document["verdict"], "different");
    assert_eq!(document["rows"][0]["row"], "R.SC.s");
    assert_eq!(document["rows"][0]["new"], "ld.acquire.s");
    assert_eq!(document["same"], 19);
    assert_eq!(document["directions"][0]["only"], "new");
    assert_eq!(document["directions"][0]["counterexamples"][0]["events"], 4);
    assert_eq!(document["directions"][1]["verdict"], "none");
    assert_eq!(document["directions"][1]["established"], 4);

    // What a certificate rests on is the whole table.
    let certificate = folder.join("certificate");
    let certificate = certificate.to_str().expect("a path of text");
    let certified = margay(&["check", path, "--bound", "3", "--certify", certificate]);
    assert_eq!(certified.status.code(), Some(0), "{}", err(&certified));
    let verified = margay(&["verify", certificate, "--mapping", path]);
    assert_eq!(verified.status.code(), Some(0), "{}{}", out(&verified), err(&verified));
    fs::write(&mine, "mapping \"mine\" from rc11-scoped to ptx-6.0\nextends rc11-to-ptx\nR.SC.s => ld.relaxed.s\n")
        .expect("there is room");
    assert_eq!(margay(&["verify", certificate, "--mapping", path]).status.code(), Some(2));
}

#[test]
fn equal_tables_are_equal_whatever_they_look_like() {
    let equal = margay(&["diff", "mappings/rc11-to-ptx.map", "rc11-to-ptx"]);
    assert_eq!(equal.status.code(), Some(0), "{}", err(&equal));
    assert!(out(&equal).starts_with("equal, all 20 rows: "), "{}", out(&equal));
}

#[test]
fn what_is_no_question_about_tables_is_said() {
    for (arguments, expected) in [
        (
            &["diff", "rc11-to-ptx", "sc"][..],
            "a mapping is compared with a mapping, and `sc` is none",
        ),
        (&["diff", "rc11-to-ptx"], "a comparison needs two mappings"),
        (&["diff", "rc11-to-ptx", "c11-to-x86"], "the tables have different targets"),
        (&["diff", "rc11-to-ptx", "rc11-to-ptx", "--prove"], "`--prove` is about two models"),
        (
            &["check", "rc11-to-ptx", "--baseline", "c11-to-x86"],
            "the tables have different targets",
        ),
        (&["check", "rc11-to-ptx", "--baseline", "rc11-to-ptq"], "did you mean"),
        (&["check", "rc11-to-ptx", "--baseline", "rc11-to-ptx", "--causes"], "cannot be used with"),
    ] {
        let refused = margay(arguments);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
        assert!(err(&refused).contains(expected), "{arguments:?}: {}", err(&refused));
    }
}

#[test]
fn what_is_new_is_said_in_every_first_line() {
    let found = margay(&[
        "check",
        "rc11-to-ptx-no-fence-sc-load",
        "--baseline",
        "rc11-to-ptx",
        "--bound",
        "4",
    ]);
    assert_eq!(found.status.code(), Some(1), "{}", err(&found));
    let text = out(&found);
    assert!(text.starts_with("new counterexample with 4 events (program: a compiler bug), axiom SC (those of <built-in>/rc11-to-ptx.map left out): "), "{text}");
    let none = [
        "check",
        "rc11-to-ptx-no-fence-sc-load",
        "--baseline",
        "rc11-to-ptx-no-fence-sc-load",
        "--bound",
        "4",
    ];
    let same = margay(&none);
    assert_eq!(same.status.code(), Some(0), "{}", err(&same));
    assert!(
        out(&same).starts_with("no new counterexample up to 4 events (those of <built-in>/"),
        "{}",
        out(&same)
    );
    let document = json(&margay(&[&none[..], &["--format", "json"]].concat()));
    assert_eq!(document["verdict"], "none");
    assert_eq!(document["baseline"]["mapping_file"], "<built-in>/rc11-to-ptx-no-fence-sc-load.map");
    assert!(
        document["answer"]
            .as_str()
            .expect("words")
            .starts_with("no new counterexample up to 4 events")
    );
    // The mended table beside the broken one: what both have is met, and left out.
    let mended = margay(&[
        "check",
        "rc11-to-ptx",
        "--baseline",
        "rc11-to-ptx-no-fence-sc-load",
        "--bound",
        "5",
        "--format",
        "json",
    ]);
    let document = json(&mended);
    assert_eq!(document["verdict"], "none", "{document}");
    assert!(document["baseline"]["old"].as_u64().expect("a number") > 0);
}

/// Of programs and of single executions; the certificate is held against the reader's own baseline.
#[test]
fn that_nothing_is_new_is_certified() {
    for level in ["program", "execution"] {
        let folder = folder(&format!("tables/certified-{level}"));
        let certificate = folder.join("certificate");
        let certificate = certificate.to_str().expect("a name");
        let broken = "rc11-to-ptx-no-fence-sc-load";
        let asked = margay(&[
            "check",
            "rc11-to-ptx",
            "--baseline",
            broken,
            "--bound",
            "4",
            "--level",
            level,
            "--certify",
            certificate,
        ]);
        assert_eq!(asked.status.code(), Some(0), "{}", err(&asked));
        // The mapping may have counterexamples, which its baseline has, too.
        let said = out(&asked).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(": none that is new up to 4 events."), "{said}");
        let held =
            margay(&["verify", certificate, "--baseline", broken, "--mapping", "rc11-to-ptx"]);
        assert_eq!(held.status.code(), Some(0), "{}", err(&held));
        let text = out(&held).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            text.starts_with(
                "verified: no new counterexample of 4 events or fewer to <built-in>/rc11-to-ptx.map"
            ),
            "{text}"
        );
        assert!(
            text.contains("those of <built-in>/rc11-to-ptx-no-fence-sc-load.map left out"),
            "{text}"
        );
        assert_eq!(
            json(&margay(&["verify", certificate, "--format", "json"]))["baseline_file"],
            "<built-in>/rc11-to-ptx-no-fence-sc-load.map"
        );
        let other = margay(&["verify", certificate, "--baseline", "rc11-to-ptx-no-acquire-fence"]);
        assert_eq!(other.status.code(), Some(2), "{}", out(&other));
    }
}

#[test]
fn a_table_is_printed_with_what_it_extends() {
    let folder = folder("tables/printed");
    fs::write(
        folder.join("mine.map"),
        "mapping \"mine\" from rc11-scoped to ptx-6.0\nextends rc11-to-ptx\nR.SC.s => ld.acquire.s // mine\n",
    )
    .expect("there is room");
    fs::write(folder.join("other.txt"), "a text\n").expect("there is room");
    let path = |name: &str| folder.join(name).to_str().expect("a path of text").to_owned();
    let printed = margay(&["mappings", &path("mine.map")]);
    assert_eq!(printed.status.code(), Some(0), "{}", err(&printed));
    let text = out(&printed);
    assert!(
        text.contains("R.SC.s => ld.acquire.s\n")
            && text.contains("W.REL.s       => st.release.s\n"),
        "{text}"
    );
    assert!(!text.contains("extends"), "{text}");
    fs::write(folder.join("whole.map"), &text).expect("there is room");
    assert!(
        out(&margay(&["diff", &path("mine.map"), &path("whole.map")]))
            .starts_with("equal, all 20 rows")
    );
    assert_eq!(margay(&["mappings", &path("other.txt")]).status.code(), Some(2));
}
