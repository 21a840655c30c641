//! `margay test` with a part of a corpus, little time, or one failure; and what JUnit is told of
//! it.

use crate::program::{err, folder, json, margay, out, said, text, words, write};

const CORPUS: &str = "tests/corpus/asplos2019";

/// Attributes of the cases of a report: names, and the elements in them.
fn cases(xml: &str) -> Vec<(String, Option<String>)> {
    let report = roxmltree::Document::parse(xml).unwrap_or_else(|e| panic!("{e}: {xml}"));
    let all = report.descendants().filter(|n| n.has_tag_name("testcase"));
    all.map(|case| {
        let seconds: f64 = case
            .attribute("time")
            .and_then(|t| t.parse().ok())
            .unwrap_or_else(|| panic!("a time: {xml}"));
        assert!((0.0..600.0).contains(&seconds), "{xml}");
        let inside = case
            .children()
            .find(roxmltree::Node::is_element)
            .map(|n| n.tag_name().name().to_owned());
        (case.attribute("name").unwrap_or_default().to_owned(), inside)
    })
    .collect()
}

#[test]
fn a_part_of_a_corpus_is_asked_for_by_name_and_model() {
    let names = |arguments: &[&str]| {
        let output = margay(&[&["test", CORPUS, "--format", "junit"], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        cases(&out(&output)).into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    let all = names(&[]);
    let mp = names(&["-k", "mp"]);
    assert!(
        !mp.is_empty() && mp.len() < all.len() && mp.iter().all(|n| n.contains("mp")),
        "{mp:?}"
    );
    assert_eq!(
        mp,
        names(&["--filter", "fig*mp*litmus", "--jobs", "1"]),
        "a star stands for anything"
    );
    let both = names(&["-k", "mp", "-k", "sb"]);
    assert!(both.len() > mp.len() && both.len() < all.len(), "{both:?}");
    let model = names(&["--model", "ptx-6.0"]);
    assert!(!model.is_empty() && model.iter().all(|n| n.ends_with("under ptx-6.0")), "{model:?}");
    said(
        &margay(&["test", CORPUS, "--filter", "no-such-test"]),
        2,
        "there is no test whose path has `no-such-test`",
    );
    said(&margay(&["test", CORPUS, "--model", "ptx-60"]), 2, "did you mean `ptx-6.0`?");
}

#[test]
fn blessing_a_part_leaves_the_rest() {
    // The folder's own path has the text of the filter, too.
    let dir = folder("corpus/bless-one");
    let test = |name: &str, outcome: &str| {
        let text =
            format!("PTX t\n{{ x=0; }}\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\nexists ({outcome})\n");
        write(&dir, name, text);
    };
    test("one.litmus", "x == 1");
    test("two.litmus", "x == 1");
    write(&dir, "expected.txt", "one.litmus ptx-8 unreachable a\ntwo.litmus ptx-8 unreachable b\n");
    assert_eq!(margay(&["test", text(&dir), "--bless", "-k", "one"]).status.code(), Some(0));
    let written = words(&std::fs::read_to_string(dir.join("expected.txt")).expect("it is there"));
    assert!(
        written.contains("one.litmus ptx-8 allowed a two.litmus ptx-8 forbidden b"),
        "{written}"
    );
    said(&margay(&["test", text(&dir), "--bless", "--fail-fast"]), 2, "cannot be used with");
}

#[test]
fn the_sum_comes_first_and_names_that_are_no_words_are_refused() {
    let dir = folder("corpus/sum");
    let test = |name: &str| {
        write(&dir, name, "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\nexists (x == 1)\n")
    };
    (0..30).for_each(|n| drop(test(&format!("{n}.litmus"))));
    // Nothing is expected of any: one sentence says so.
    let output = margay(&["test", text(&dir)]);
    assert_eq!((output.status.code(), out(&output).as_str()), (Some(2), ""));
    assert!(err(&output).contains("no verdict is expected of any test"), "{}", err(&output));
    assert_eq!(
        json(&margay(&["test", text(&dir), "--format", "json"]))["answer"],
        format!("undecided: no verdict could be compared in `{}`", text(&dir))
    );
    write(&dir, "expected.txt", "0.litmus ptx-8 forbidden by hand\n");
    let printed = out(&margay(&["test", text(&dir)]));
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines[0].starts_with("1 difference; 0 verdicts as expected, "), "{printed}");
    assert!(
        lines[1].ends_with("0.litmus under ptx-8: expected forbidden, found allowed (by hand)"),
        "{printed}"
    );
    assert_eq!(
        (lines.len(), lines[22]),
        (23, "and of 9 more tests no verdict is expected (`--format json` names all)"),
        "{printed}"
    );
    // A list that could not be read again is not written.
    for name in ["a b.litmus", "#c.litmus"] {
        test(name);
        let before = std::fs::read_to_string(dir.join("expected.txt")).expect("it is there");
        said(
            &margay(&["test", text(&dir), "--bless", "--model", "ptx-8"]),
            2,
            &format!("{name}` cannot stand in expected.txt"),
        );
        assert_eq!(std::fs::read_to_string(dir.join("expected.txt")).expect("it is there"), before);
        std::fs::remove_file(dir.join(name)).expect("ours");
    }
}

#[test]
fn several_models_are_compared_in_the_first_line() {
    let first = |tests: &str, models: &str| {
        out(&margay(&["run", tests, "--model", models]))
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let broad = first(CORPUS, "sc,ptx-6.0");
    let named = broad.strip_prefix("the models differ about ").unwrap_or_else(|| panic!("{broad}"));
    assert!(named.contains(" tests: "), "{broad}");
    let same = first(CORPUS, "ptx-6.0,ptx-8");
    assert!(
        same.starts_with("the models differ about ")
            || same.starts_with("no difference found between the models in "),
        "{same}"
    );
    let one = "tests/corpus/asplos2019/fig6-sb-narrow.litmus";
    assert_eq!(first(one, "ptx-6.0,ptx-8"), "no difference found between the models in 1 test");
}

#[test]
fn the_first_failure_can_be_the_end() {
    let dir = folder("corpus/fast");
    for name in ["a.litmus", "b.litmus", "c.litmus"] {
        write(&dir, name, "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\nexists (x == 1)\n");
    }
    write(
        &dir,
        "expected.txt",
        "a.litmus ptx-8 reachable x\nb.litmus ptx-8 unreachable x\nc.litmus ptx-8 unreachable x\n",
    );
    let junit = dir.join("new/report.xml");
    let output =
        margay(&["test", text(&dir), "--fail-fast", "--junit", text(&junit), "--color", "never"]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let said = out(&output);
    assert!(
        said.contains(
            "1 difference; 1 verdict not looked for (--fail-fast); 1 verdict as expected"
        ),
        "{said}"
    );
    let written = cases(&std::fs::read_to_string(junit).expect("it is written"));
    let named: Vec<(&str, Option<&str>)> =
        written.iter().map(|(name, inside)| (name.as_str(), inside.as_deref())).collect();
    let expected = [
        ("a.litmus under ptx-8", None),
        ("b.litmus under ptx-8", Some("failure")),
        ("c.litmus under ptx-8", Some("skipped")),
    ];
    assert_eq!(named, expected);
    let report = json(&margay(&["test", text(&dir), "--fail-fast", "--format", "json"]));
    assert_eq!(
        (report["differences"].as_array().map(Vec::len), &report["not_run"]),
        (Some(1), &1.into()),
        "{report}"
    );
    let slowest = out(&margay(&["test", text(&dir), "-v"]));
    assert!(slowest.contains("The slowest:") && slowest.contains("2 differences"), "{slowest}");
}

#[test]
fn a_verdict_without_time_is_undecided() {
    let output = margay(&["test", CORPUS, "-k", "mp", "--timeout", "0"]);
    assert_eq!(output.status.code(), Some(3), "{}{}", out(&output), err(&output));
    assert!(
        out(&output).contains("no answer in the time given")
            && out(&output).contains("no difference so far"),
        "{}",
        out(&output)
    );
    let junit = out(&margay(&["test", CORPUS, "-k", "mp", "--timeout", "0", "--format", "junit"]));
    assert!(cases(&junit).iter().all(|(_, inside)| inside.as_deref() == Some("error")), "{junit}");
    assert!(junit.contains("type=\"timeout\""), "{junit}");
    said(&margay(&["test", CORPUS, "--jobs", "0"]), 2, "give at least 1");
    // A report that cannot be written costs no answer.
    let output = margay(&["test", CORPUS, "-k", "mp", "--junit", "/dev/null/x.xml"]);
    said(&output, 0, "cannot write the report to `/dev/null/x.xml`");
}

/// A folder that is missing or holds no test, and files in another encoding: the message says what
/// it is and what to do.
#[test]
fn what_is_no_corpus_is_said() {
    let empty = folder("corpus/empty");
    let there = empty.display().to_string();
    let output = margay(&["test", &there]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        words(&err(&output)).contains("the names of tests end in `.litmus`"),
        "{}",
        err(&output)
    );
    let output = margay(&["test", &format!("{there}/none")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("/none: there is no such folder"), "{}", err(&output));
    let utf16 = |text: &str| -> Vec<u8> {
        [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    let (test, mapping) =
        (write(&empty, "a.litmus", utf16("PTX a\n")), write(&empty, "a.map", utf16("mapping\n")));
    for arguments in [&["run", &*test, "--model", "ptx-8"][..], &["check", &*mapping]] {
        let output = margay(arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(err(&output).contains("in UTF-16"), "{}", err(&output));
    }
}

/// A test that `expected.txt` names and that is not there: the line of `expected.txt` is what there
/// is to mend.
#[test]
fn a_test_that_is_gone_is_told_of_with_the_line_that_names_it() {
    let dir = folder("corpus/gone");
    write(&dir, "expected.txt", "# test model verdict source\na.litmus ptx-8 allowed x\n");
    let output = margay(&["test", text(&dir)]);
    assert_eq!(output.status.code(), Some(2), "{}", out(&output));
    assert!(
        words(&err(&output)).contains("corpus/gone/expected.txt:2 names it"),
        "{}",
        err(&output)
    );
}

/// A test that cannot be read is counted in the first line and is a case of the report, whose name
/// stays when its lines move; so is an empty folder.
#[test]
fn what_cannot_be_read_is_in_the_sum_and_in_the_report() {
    let dir = folder("corpus/broken");
    write(
        &dir,
        "a.litmus",
        "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\nexists (x == 1)\n",
    );
    write(
        &dir,
        "broken.litmus",
        "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 ;\n st.what x, 1 ;\nexists (x == 1)\n",
    );
    write(&dir, "expected.txt", "a.litmus ptx-8 allowed x\n");
    let output = margay(&["test", text(&dir)]);
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    assert!(
        out(&output).starts_with("no difference so far; 1 error; 1 verdict as expected"),
        "{}",
        out(&output)
    );
    let output = margay(&["test", text(&dir), "--format", "junit"]);
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    let named = cases(&out(&output));
    let broken = named
        .iter()
        .find(|(name, _)| name == "broken.litmus")
        .unwrap_or_else(|| panic!("{named:?}"));
    assert_eq!(broken.1.as_deref(), Some("error"), "{named:?}");
    assert!(
        out(&output).contains("message=\"line 4, column 5: unknown qualifier `what`\""),
        "{}",
        out(&output)
    );
    // A report that is missing looks like a step that was left out.
    let empty = folder("corpus/empty-with-report");
    let junit = folder("corpus/report-of-empty").join("junit.xml");
    for nothing in [text(&empty), "no/such/folder"] {
        assert_eq!(margay(&["test", nothing, "--junit", text(&junit)]).status.code(), Some(2));
        let written = cases(&std::fs::read_to_string(&junit).expect("it is written"));
        assert_eq!(written, [("margay test".to_owned(), Some("error".to_owned()))]);
        let printed = margay(&["test", nothing, "--format", "junit"]);
        assert_eq!((printed.status.code(), cases(&out(&printed))), (Some(2), written));
    }
}
