//! `margay report`: one page that loads nothing, in which nothing is markup that was not.

use crate::program::{err, folder, json, margay, out, write};

/// Everything that a browser would fetch.
const LOADS: [&str; 7] = ["http://", "https://", "<link", "url(", "<iframe", "@import", "src=\"/"];

#[test]
fn a_page_of_every_command() {
    let folder = folder("report/all");
    let mut files = Vec::new();
    let commands: [&[&str]; 9] = [
        &["check", "rc11-to-ptx-no-release-rmw", "--bound", "4", "--level", "execution"],
        &["check", "mappings/rc11-to-ptx-no-fence-sc-load.map", "--bound", "4"],
        &["run", "tests/corpus/asplos2015", "--model", "ptx-2015,ptx-6.0"],
        &["test", "tests/corpus/asplos2015"],
        &["sim", "tests/corpus/pldi2016/SB.litmus", "--runs", "1000", "--model", "ptx-6.0"],
        &["explain", "tests/corpus/asplos2019/fig5-mp.litmus", "--model", "ptx-6.0"],
        &["fence", "tests/corpus/asplos2015/dlb-mp.litmus", "--model", "ptx-6.0"],
        &[
            "diff",
            "models/ptx-6.0.cat",
            "models/ptx-6.0-any-fence.cat",
            "--bound",
            "5",
            "--only",
            "R,W,F",
            "--first",
        ],
        &["classify", "tests/corpus/asplos2015"],
    ];
    for (i, command) in commands.iter().enumerate() {
        let answer = out(&margay(&[command, &["--format", "json"][..]].concat()));
        files.push(write(&folder, &format!("{i}.json"), answer));
    }
    let page = folder.join("report.html");
    let mut arguments: Vec<&str> = vec!["report", "--out", page.to_str().expect("a path of text")];
    arguments.extend(files.iter().map(String::as_str));
    let output = margay(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let html = std::fs::read_to_string(page).expect("a page");
    // In texts there may be addresses, and a picture names its namespace; elsewhere there is none.
    let without = |html: &str, start: &str, end: &str| -> String {
        let mut parts = html.split(start);
        let first = parts.next().unwrap_or_default().to_owned();
        first
            + &parts
                .map(|part| part.split_once(end).map_or("", |(_, rest)| rest))
                .collect::<String>()
    };
    let outside =
        without(&without(&html, "<pre>", "</pre>"), "<img src=\"data:image/svg+xml,", "\"");
    for loads in LOADS {
        assert!(!outside.contains(loads), "{loads}");
    }
    for command in commands {
        assert!(html.contains(&format!("<h2>margay {} <small>", command[0])), "{}", command[0]);
    }
    // Both sides of the counterexample, with pictures.
    assert!(html.contains("<div class=\"pair\"><figure><figcaption>source litmus</figcaption>"));
    assert!(html.matches("<img src=\"data:image/svg+xml,").count() >= 3);
    for tag in ["table", "tbody", "details", "figure", "section", "dl"] {
        let (open, close) =
            (html.matches(&format!("<{tag}")).count(), html.matches(&format!("</{tag}>")).count());
        assert_eq!(open, close, "{tag}");
    }
    let summary = out(&margay(
        &[
            &["report", "--as", "markdown"],
            &files.iter().map(String::as_str).collect::<Vec<_>>()[..],
        ]
        .concat(),
    ));
    // What follows from the counterexample, on the page and in the summary.
    let first = "counterexample with 4 events (program: a compiler bug), axiom SC: ";
    // It is the first thing of its section, in the colour of what follows from it.
    assert!(
        html.contains(&format!("</h2>\n<div class=\"finding\"><p class=\"answer bad\">{first}")),
        "{html}"
    );
    assert!(
        html.contains("<p class=\"answer unsure\">counterexample with 4 events (racy"),
        "{html}"
    );
    assert!(
        html.contains("<dt>status</dt><dd class=\"bad\">program</dd>")
            && html.contains("<dd class=\"unsure\">racy</dd>")
    );
    assert!(summary.contains(&format!("### `margay check`\n\n**{first}")), "{summary}");
    assert!(
        summary.contains("**counterexample with 4 events (racy: its program is undefined, so no compiler bug follows), "),
        "{summary}"
    );
    assert!(summary.contains("**no difference; "), "{summary}");
    // A difference with its program, and the definition that makes it.
    assert!(
        summary.contains("### `margay diff`\n\n**different, smallest difference of "),
        "{summary}"
    );
    assert!(
        summary.contains("\nPTX newly-forbidden-1\n")
            && summary.contains("\nnewly forbidden because models/ptx-6.0-any-fence.cat:"),
        "{summary}"
    );
    assert!(summary.len() < 20_000, "{}", summary.len());
}

#[test]
fn what_is_in_the_answers_is_no_markup() {
    let folder = folder("report/escaped");
    let nasty = "</pre></table><script>alert(1)</script><img src=x onerror=alert(2)>\"'&";
    let answer = serde_json::json!({
        "schema": 1, "verdict": nasty, nasty: nasty, "litmus": format!("{nasty}\n{nasty}"), "source_svg": format!("<svg>{nasty}</svg>"),
        "list": [{ nasty: nasty, "deep": { nasty: [nasty, [nasty]] } }], "errors": [{ "message": nasty }],
    });
    let file = write(&folder, "nasty.json", answer.to_string());
    let html = out(&margay(&["report", &file, "--title", nasty]));
    for markup in ["<script>alert", "<img src=x", "</pre></table>"] {
        assert!(!html.contains(markup), "{markup}");
    }
    assert_eq!(html.matches("<script>").count(), 1, "its own");
    let markdown = out(&margay(&["report", &file, "--as", "markdown", "--title", nasty]));
    assert!(!markdown.contains("<script>"), "{markdown}");
}

/// Without `--out` the page is printed; a program that asks for JSON gets it in a document.
#[test]
fn a_page_in_json() {
    let folder = folder("report/json");
    let file = write(&folder, "answer.json", "{ \"schema\": 1, \"verdict\": \"none\" }");
    for form in ["html", "markdown"] {
        let page = out(&margay(&["report", &file, "--as", form]));
        let document: serde_json::Value = serde_json::from_str(&out(&margay(&[
            "report", &file, "--as", form, "--format", "json",
        ])))
        .expect("JSON");
        assert_eq!(document["text"].as_str().expect("the page").trim_end(), page.trim_end());
        assert_eq!(
            (&document["file"], &document["documents"]),
            (&serde_json::Value::Null, &serde_json::Value::from(1))
        );
    }
}

#[test]
fn what_is_no_answer_is_refused() {
    let folder = folder("report/wrong");
    for (text, part) in [
        ("{ \"schema\": 1,\n  \"x\": ]", "is not JSON"),
        ("[1, 2]", "no object"),
        ("{\"a\": 1}", "without `schema`"),
        ("{\"schema\": 99}", "schema 99"),
        ("", "is empty"),
    ] {
        let file = write(&folder, "wrong.json", text);
        let output = margay(&["report", &file]);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(err(&output).contains(part), "{text}: {}", err(&output));
    }
    assert_eq!(margay(&["report", "nowhere.json"]).status.code(), Some(2));
}

/// A command that was stopped leaves an empty file: the page has the other answers, says which file
/// it lacks, and the exit code says so, too.
#[test]
fn one_file_that_cannot_be_read_does_not_take_the_others_away() {
    let folder = folder("report/one-empty");
    let good = write(
        &folder,
        "good.json",
        "{ \"schema\": 1, \"verdict\": \"no counterexample up to 4 events\" }",
    );
    let empty = write(&folder, "empty.json", "");
    let page = folder.join("page.html").display().to_string();
    for form in ["html", "markdown"] {
        for (to_file, output) in [
            (false, margay(&["report", &empty, &good, "--as", form])),
            (true, margay(&["report", &empty, &good, "--as", form, "--out", &page])),
        ] {
            assert_eq!(output.status.code(), Some(2), "{form}");
            assert!(err(&output).contains("empty.json` is empty"), "{}", err(&output));
            let text = if to_file {
                std::fs::read_to_string(&page).expect("a page")
            } else {
                out(&output)
            };
            assert!(text.contains("no counterexample up to 4 events"), "{text}");
            assert!(
                text.contains("Not on this page: `") || text.contains("Not in this summary: \\`"),
                "{text}"
            );
        }
    }
    let json = margay(&["report", &empty, &good, "--format", "json"]);
    assert_eq!(json.status.code(), Some(2));
    let document: serde_json::Value = serde_json::from_str(&out(&json)).expect("one document");
    assert_eq!(document["documents"], 1);
    assert!(
        document["warnings"][0]["message"]
            .as_str()
            .is_some_and(|m| m.contains("empty.json` is empty")),
        "{document:#}"
    );
}

/// What a question leaves out stands in the first line of its answer, in each of its forms: text,
/// JSON, the summary, the page. So does its bound.
#[test]
fn every_form_of_an_answer_has_its_bound_and_its_restriction() {
    let folder = folder("report/restricted");
    let old = concat!(env!("CARGO_MANIFEST_DIR"), "/models/ptx-8.cat");
    let text = std::fs::read_to_string(old).expect("a model");
    let new = text.replace(
        "let acquire-fence = (F & (ACQ | ACQ_REL | SC))",
        "let acquire-fence = (F & (ACQ_REL | SC))",
    );
    assert_ne!(new, text);
    let new = write(&folder, "new.cat", new);
    let only = ["--only", "R.NA,W.NA,R.ACQ,W.REL"];
    let rows = " (only programs of R.NA, W.NA, R.ACQ, W.REL)";
    let asked: [(Vec<&str>, String); 9] = [
        (vec!["diff", old, &new, "--bound", "4"], "equal up to 4 events (ASYNC not compared): ptx-8 and new".to_owned()),
        (
            vec!["diff", old, &new, "--only", "R,W,F", "--bound", "3"],
            "equal up to 3 events (only executions of R, W, F; B, RED, ALIAS, SUR, TEX, CON, ASYNC not compared): ptx-8 and new".to_owned(),
        ),
        (vec!["diff", old, &new], "different, smallest difference of 5 events (ASYNC not compared): ptx-8 and new".to_owned()),
        (
            vec!["check", "rc11-to-ptx", "--without", "RMW,F", "--guards", "1", "--bound", "3"],
            "no counterexample up to 3 events (no programs with RMW, F; at most 1 guard or computed value): ".to_owned(),
        ),
        (
            vec!["check", "rc11-to-ptx", "--level", "execution", "--axiom", "SC", "--typed", "off", "--bound", "2"],
            "no counterexample up to 2 events among single executions (the published question) (only axiom SC; a location may be both \
             plain and atomic): "
                .to_owned(),
        ),
        (
            [&["check", "rc11-to-ptx", "--causes", "--bound", "3"][..], &only].concat(),
            format!("nothing is wrong, programs of up to 3 events{rows}: "),
        ),
        ([&["weaken", "rc11-to-ptx", "--bound", "4"][..], &only].concat(), format!("tight up to 4 events{rows}: ")),
        ([&["repair", "rc11-to-ptx", "--bound", "3"][..], &only].concat(), format!("nothing to mend up to 3 events{rows}: ")),
        (vec!["synth", "tso", "--bound", "3", "--without", "F"], "1 minimal test".to_owned()),
    ];
    for (arguments, first) in asked {
        let human = out(&margay(&arguments)).split_whitespace().collect::<Vec<_>>().join(" ");
        let printed = margay(&[&arguments[..], &["--format", "json"]].concat());
        let answer = json(&printed)["answer"].as_str().expect("an answer in words").to_owned();
        if arguments[0] != "synth" {
            assert!(human.starts_with(first.trim_end()), "{arguments:?}: {human}");
            assert!(answer.starts_with(&first), "{arguments:?}: {answer}");
        }
        assert!(human.starts_with(&answer), "{arguments:?}: {answer}\n{human}");
        assert!(
            answer.contains(" up to ") || answer.contains("smallest difference of 5 events"),
            "{answer}"
        );
        let file = write(&folder, "answer.json", out(&printed));
        let summary = out(&margay(&["report", "--as", "markdown", &file]));
        let plain = summary.replace('\\', "");
        assert!(plain.contains(&format!("**{answer}**")), "{arguments:?}: {summary}");
        let page = out(&margay(&["report", &file]));
        assert!(page.contains(&format!("\">{answer}</p>")), "{arguments:?}: {answer}");
    }
}

/// The summary of a pull request says which kernel goes wrong and where; an error has its line.
#[test]
fn a_summary_names_kernels_and_places() {
    let folder = folder("report/kernels");
    let answer = |name: &str, arguments: &[&str]| {
        let said = out(&margay(&[arguments, &["--format", "json"][..]].concat()));
        write(&folder, name, said)
    };
    let found = answer(
        "found.json",
        &["kernel", "tests/kernels/lock.ptx", "--launch", "2x1", "--without-repair"],
    );
    let broken = write(&folder, "broken.ptx", ".version 8.7\n.target sm_90\n(\n");
    let wrong = answer("wrong.json", &["kernel", &broken]);
    let summary = out(&margay(&["report", "--as", "markdown", &found]));
    for said in [
        "\nOf tests/kernels/lock.ptx:\n\n- counterexample: \\`lock\\_without\\_fences\\`, data race in launch 2x1 under ptx-8\n  - Data race: lock.cu:9, st.global.u32 ",
        "\n- none: \\`ticket\\_lock\\` has no data race",
    ] {
        assert!(summary.contains(said), "{said}\n{summary}");
    }
    let summary = out(&margay(&["report", "--as", "markdown", &wrong]));
    assert!(summary.contains("broken.ptx:3:1: expected "), "{summary}");
}
