//! Races of PTX (8.7.1), on request: they are a verdict of their own, and take nothing from what is
//! said of the outcome.

use serde_json::Value;

use crate::program::{folder, json, margay, out, write};

const TEST: &str = "PTX mp\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | ld.acquire.gpu r0, y ;\n \
                    st.release.gpu y, 1 | ld.weak r1, x ;\nexists (1:r0 == 1 /\\ 1:r1 == 0)\n";

#[test]
fn a_race_is_said_with_its_accesses_and_the_outcome_stands() {
    let folder = folder("ptx-races");
    let test = write(&folder, "mp.litmus", TEST);
    let silent = json(&margay(&["run", &test, "-m", "ptx-8", "--format", "json"]));
    assert_eq!((&silent["racy"], &silent["race"]), (&Value::Null, &Value::Null), "nobody asked");
    for model in ["ptx-8", "ptx-6.0"] {
        let asked = json(&margay(&[
            "run", &test, "-m", model, "--races", "--format", "json", "--engine", "both",
        ]));
        assert_eq!((&asked["racy"], &asked["reachable"]), (&true.into(), &false.into()), "{model}");
        assert_eq!(
            asked["answer"],
            format!("forbidden, and the program has a data race: mp under {model}")
        );
        assert_eq!(asked["race"]["undefined"], false);
        let lines: Vec<&Value> =
            asked["race"]["accesses"].as_array().expect("two").iter().map(|a| &a["line"]).collect();
        assert_eq!(lines, [&Value::from(4), &Value::from(5)]);
        assert!(asked["race"]["svg"].as_str().is_some_and(|svg| svg.starts_with("<svg")));
    }
    let text = out(&margay(&["explain", &test, "-m", "ptx-8", "--races"]));
    for words in [
        "has a data race",
        "not morally strong",
        "leaves a program of PTX its meaning",
        "An execution that has the race",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn fence_aims_at_no_race_on_request() {
    let folder = folder("ptx-races-fence");
    let test = write(&folder, "mp.litmus", TEST);
    let without = json(&margay(&["fence", &test, "-m", "ptx-8", "--format", "json"]));
    assert_eq!((&without["verdict"], &without["racy"]), (&"forbidden".into(), &Value::Null));
    let with = json(&margay(&["fence", &test, "-m", "ptx-8", "--races", "--format", "json"]));
    assert_eq!((&with["verdict"], &with["racy"]), (&"repairable".into(), &true.into()));
    let repaired = with["repairs"][0]["litmus"].as_str().expect("a test");
    let repaired = write(&folder, "repaired.litmus", repaired);
    let again = json(&margay(&["run", &repaired, "-m", "ptx-8", "--races", "--format", "json"]));
    assert_eq!((&again["racy"], &again["reachable"]), (&false.into(), &false.into()));
    assert!(
        again["answer"]
            .as_str()
            .is_some_and(|a| a.starts_with("forbidden, and the program has no data race"))
    );
}

#[test]
fn a_model_without_a_word_for_races_is_not_asked() {
    let folder = folder("ptx-races-unknown");
    let test = write(&folder, "mp.litmus", TEST);
    let output = margay(&["run", &test, "-m", "ptx-2015", "--races"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("`ptx-2015` does not say what a race is") && said.contains("let data-race"),
        "{said}"
    );
}
