//! Reading a document strictly: what is of another version, of no command, or has other fields is
//! refused.

use margay_reports::fence::UndecidedFence;
use margay_reports::{Document, StatusRecord, Verdict, read};
use serde_json::{Value, json};

fn document() -> Value {
    let document = UndecidedFence {
        answer: "undecided, for lack of time: t under ptx-8".to_owned(),
        file: "sb.litmus".to_owned(),
        name: "SB".to_owned(),
        model: "sc".to_owned(),
        verdict: Verdict::Undecided,
        reason: "time limit".to_owned(),
        cost_at_least: 3,
        seconds: 0.5,
    };
    document.value().expect("a document")
}

fn with(field: &str, value: Value) -> Value {
    let mut changed = document();
    changed[field] = value;
    changed
}

#[test]
fn what_is_written_is_read() {
    assert_eq!(document()["command"], "fence");
    assert_eq!(read(&document()).map(|command| command.map(|c| c.name)), Ok(Some("fence")));
    let errors = json!({ "schema": 1, "command": null, "margay": "0", "errors": [] });
    assert_eq!(read(&errors).map(|command| command.map(|c| c.name)), Ok(None));
}

#[test]
fn what_is_no_document_is_refused() {
    for (changed, why) in [
        (with("schema", 99.into()), "`schema` is 99"),
        (with("command", "fences".into()), "no command `fences`"),
        (with("command", "weaken".into()), "`schema` is 2"),
        (with("margay", Value::Null), "no `margay`"),
        (with("verdict", "no verdict".into()), "unknown variant"),
        (with("surprise", 1.into()), "`surprise`"),
        (with("seconds", "soon".into()), "invalid type"),
    ] {
        let refused = read(&changed).err().unwrap_or_else(|| panic!("{changed} is read"));
        let refused = refused.to_string();
        assert!(refused.contains(why), "{refused}");
    }
    let mut without = document();
    without.as_object_mut().expect("an object").remove("reason");
    assert!(read(&without).is_err());
}

#[test]
fn a_word_is_what_json_has() {
    for verdict in Verdict::ALL {
        assert_eq!(serde_json::to_value(verdict).expect("a word"), verdict.word());
        assert_eq!(Verdict::of(verdict.word()), Some(verdict));
    }
    for status in
        [StatusRecord::Program, StatusRecord::Unknown, StatusRecord::Explained, StatusRecord::Racy]
    {
        let word = serde_json::to_value(status).expect("a word");
        assert_eq!(StatusRecord::of(word.as_str().expect("a text")), Some(status));
    }
}
