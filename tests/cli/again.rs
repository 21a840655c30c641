//! Playing with a counterexample: `check --next` shows another one, `check --test` asks about one
//! program again.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::program::{err, folder, json, margay, out, said, text, words, write};

const BROKEN: &str = "rc11-to-ptx-no-fence-sc-load";

/// Both programs of a counterexample.
fn programs(c: &Value) -> (String, String) {
    let program = |side: &str| c[side].as_str().unwrap_or_default().to_owned();
    (program("source_litmus"), program("target_litmus"))
}

fn asked(arguments: &[&str]) -> Value {
    json(&margay(&[&["check", BROKEN, "--bound", "4", "--format", "json"], arguments].concat()))
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn the_list_has_each_counterexample_of_the_size_once() {
    let all: Vec<_> = asked(&["--all"])["counterexamples"]
        .as_array()
        .expect("a list")
        .iter()
        .map(programs)
        .collect();
    assert!(all.len() > 3, "{all:?}");
    let smallest = programs(&asked(&[])["counterexamples"][0]);
    let mut seen = Vec::new();
    for n in 0..all.len() {
        let report = asked(&["--next", &n.to_string()]);
        let [one] = report["counterexamples"].as_array().expect("a list").as_slice() else {
            panic!("one: {report}")
        };
        assert_eq!(
            (&report["listed"][0]["of"], &report["listed"][0]["more"]),
            (&all.len().into(), &false.into())
        );
        seen.push(programs(one));
    }
    assert_eq!(seen[0], smallest, "the list begins with what is shown without it");
    assert_eq!(seen.iter().collect::<BTreeSet<_>>(), all.iter().collect::<BTreeSet<_>>());
    assert_eq!(
        programs(&asked(&["--next", "--jobs", "1"])["counterexamples"][0]),
        seen[1],
        "one is the next, whoever solves"
    );
    let end = margay(&["check", BROKEN, "--bound", "4", "--next", &all.len().to_string()]);
    assert_eq!(end.status.code(), Some(1), "{}", err(&end));
    assert!(
        out(&end).starts_with(&format!(
            "no other counterexample (there are {} with 4 events)",
            all.len()
        )),
        "{}",
        out(&end)
    );
    let last =
        out(&margay(&["check", BROKEN, "--bound", "4", "--next", &(all.len() - 1).to_string()]));
    assert!(
        last.contains(&format!("Counterexample {0} of {0}", all.len()))
            && !last.contains("shows another one"),
        "{last}"
    );
    let first = words(&out(&margay(&["check", BROKEN, "--bound", "4"])));
    assert!(first.contains("`--next` shows another one"), "{first}");
    said(&margay(&["check", BROKEN, "--next", "--all"]), 2, "cannot be used with");
}

#[test]
fn a_program_is_compiled_by_the_rows_and_asked_about() {
    let dir = folder("again/test");
    let report = asked(&[]);
    let (source, target) = programs(&report["counterexamples"][0]);
    let file = write(&dir, "sb.litmus", &source);
    let one = |mapping: &str, text: &str| {
        let edited = write(&dir, "edited.litmus", text);
        let output = margay(&["check", mapping, "--test", &edited, "--format", "json"]);
        (output.status.code(), json(&output))
    };
    // The counterexample as it was found: the same instructions come out.
    let (code, same) = one(BROKEN, &source);
    assert_eq!(
        (code, &same["verdict"], &same["target_says"]),
        (Some(1), &"counterexample".into(), &"allowed".into()),
        "{same}"
    );
    let instructions =
        |test: &str| test.lines().filter(|l| l.starts_with(' ')).map(words).collect::<Vec<_>>();
    assert_eq!(instructions(same["target_litmus"].as_str().expect("text")), instructions(&target));
    // With the fence that was forgotten.
    let (code, mended) = one("rc11-to-ptx", &source);
    assert_eq!(
        (code, &mended["source_says"], &mended["target_says"]),
        (Some(0), &"forbidden".into(), &"forbidden".into())
    );
    assert!(
        mended["target_litmus"].as_str().is_some_and(|t| t.matches("fence.sc").count() == 4),
        "{mended}"
    );
    // What if a load were an acquire? Then the source allows it.
    let (code, edited) =
        one(BROKEN, &source.replacen("y, memory_order_seq_cst", "y, memory_order_acquire", 1));
    assert_eq!(
        (code, &edited["source_says"], &edited["verdict"]),
        (Some(0), &"allowed".into(), &"none".into()),
        "{edited}"
    );
    let plain = "C race\n{ [x]=0; }\nP0@wg 0,dev 0 (int* x) { *x = 1; }\nP1@wg 1,dev 0 (int* x) { int r0 = *x; }\nexists (1:r0=1)\n";
    let (code, races) = one(BROKEN, plain);
    assert_eq!((code, &races["source_says"]), (Some(0), &"racy".into()), "{races}");
    let shown = out(&margay(&["check", BROKEN, "--test", &file]));
    assert!(
        shown.starts_with("counterexample (program: a compiler bug)")
            && shown.contains("Why rc11-scoped forbids it"),
        "{shown}"
    );
    assert!(shown.contains("st.release.cta x, 1"), "{shown}");
    // What is said of all programs cannot be said of this one: nothing would come of it.
    for option in [
        "--bound=3",
        "--only=R.SC",
        "--without=R.SC",
        "--axiom=SC",
        "--level=execution",
        "--co=exists",
        "--typed=off",
        "--guards=1",
        "--split=2",
    ] {
        said(&margay(&["check", BROKEN, "--test", &file, option]), 2, "cannot be used with");
    }
    // What cannot be asked.
    let impossible = write(&dir, "never.litmus", source.replace("0:r0=0", "0:r0=7"));
    said(&margay(&["check", BROKEN, "--test", &impossible]), 2, "no execution has the outcome");
    let ptx = write(&dir, "ptx.litmus", &target);
    said(&margay(&["check", BROKEN, "--test", &ptx]), 2, "C tests a C model");
    said(&margay(&["check", BROKEN, "--test", text(&dir.join("none.litmus"))]), 2, "none.litmus");
}

/// What the search finds is found again when its program is compiled alone, by tables that tell
/// types apart, too.
#[test]
fn counterexamples_are_found_again() {
    let dir = folder("again/all");
    let tables = [
        "rc11-to-ptx-relaxed-release-store",
        "mappings/compilers/libcudacxx-2.3-sm60.map",
        "mappings/compilers/cuda-5.5.map",
        BROKEN,
    ];
    let (mut count, mut compared) = (0, 0);
    for mapping in tables {
        let report =
            json(&margay(&["check", mapping, "--bound", "4", "--all", "5", "--format", "json"]));
        for c in report["counterexamples"].as_array().expect("a list") {
            let (source, _) = programs(c);
            let file = write(&dir, "one.litmus", &source);
            let output = margay(&["check", mapping, "--test", &file]);
            compared += usize::from(source.contains("compare_exchange"));
            assert_eq!(
                output.status.code(),
                Some(1),
                "{mapping}: {source}\n{}{}",
                out(&output),
                err(&output)
            );
            count += 1;
        }
    }
    assert!(count >= 4 && compared > 0, "{count}, {compared}");
}
