//! Everything that a forger could change of a document, one thing at a time: each number, word,
//! list and text, taken away, doubled, or put where another one of its kind stood.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use margay_models::certificate::{open, seal};
use margay_models::diagnostic::Diagnostic;
use serde_json::{Value, json};

/// How many places of one kind are changed, spread over the document.
const PLACES: usize = 5;

/// How many other values of one kind take each other's place.
const OTHERS: usize = 3;

/// A document with one thing changed.
pub struct Forgery {
    /// The kind of place, e.g. `/bounds/*/cases/*/shape`.
    pub place: String,
    /// What was done there.
    pub what: String,
    pub document: Value,
}

/// What is changed in a text of a model or a mapping, by the end of its name: a word, and what
/// takes its place everywhere.
pub type Edits<'a> = &'a [(&'a str, &'a str)];

pub fn document(folder: &Path) -> Value {
    open(folder).expect("it was written so").parse().expect("it is JSON")
}

/// The pointers of all values in a value, with the kind of each place.
fn places(value: &Value, pointer: &str, kind: &str, out: &mut BTreeMap<String, Vec<String>>) {
    out.entry(kind.to_owned()).or_default().push(pointer.to_owned());
    match value {
        Value::Object(object) => {
            for (key, inner) in object {
                let key = key.replace('~', "~0").replace('/', "~1");
                places(inner, &format!("{pointer}/{key}"), &format!("{kind}/{key}"), out);
            }
        }
        Value::Array(list) => {
            for (i, inner) in list.iter().enumerate() {
                places(inner, &format!("{pointer}/{i}"), &format!("{kind}/*"), out);
            }
        }
        _ => {}
    }
}

/// All forgeries of a document.
pub fn forgeries(document: &Value, edits: Edits<'_>) -> Vec<Forgery> {
    let mut kinds = BTreeMap::new();
    places(document, "", "", &mut kinds);
    let mut out = Vec::new();
    for (kind, pointers) in &kinds {
        let step = pointers.len().div_ceil(PLACES).max(1);
        let all: BTreeSet<String> = pointers.iter().map(|p| at(document, p).to_string()).collect();
        for pointer in
            pointers.iter().step_by(step).chain(pointers.last().filter(|_| pointers.len() > 1))
        {
            let value = at(document, pointer);
            let mut changed: Vec<(String, Value)> = inside(value, edits);
            let own = value.to_string();
            let others = all.iter().filter(|o| **o != own).take(OTHERS);
            changed.extend(others.map(|o| {
                ("another of its kind".to_owned(), serde_json::from_str(o).expect("it is JSON"))
            }));
            for (what, new) in changed {
                let mut forged = document.clone();
                *forged.pointer_mut(pointer).expect("it is there") = new;
                if forged != *document {
                    out.push(Forgery { place: kind.clone(), what, document: forged });
                }
            }
        }
    }
    out
}

fn at<'a>(document: &'a Value, pointer: &str) -> &'a Value {
    document.pointer(pointer).expect("it is there")
}

/// What can be done to one value.
fn inside(value: &Value, edits: Edits<'_>) -> Vec<(String, Value)> {
    let mut out: Vec<(String, Value)> = Vec::new();
    let mut add = |what: &str, new: Value| out.push((what.to_owned(), new));
    match value {
        Value::Null => {
            add("a number", json!(1));
            add("a word", json!("x"));
        }
        Value::Bool(b) => add("the opposite", json!(!b)),
        Value::Number(n) => {
            let n = n.as_i64().unwrap_or(0);
            for new in [n + 1, n - 1, 0, 1_000_000, -1] {
                add("another number", json!(new));
            }
            add("the largest number", json!(u64::MAX));
            add("nothing", Value::Null);
        }
        Value::String(text) => {
            add("no words", json!(""));
            add("a longer word", json!(format!("{text}x")));
            add("a way out of the folder", json!("../../etc/passwd"));
            for name in [
                "<built-in>/sc.cat",
                "<built-in>/rc11.cat",
                "<built-in>/rc11-to-ptx.map",
                "none",
                "universal",
                "execution",
            ] {
                add(name, json!(name));
            }
            for (from, to) in edits.iter().filter(|(from, _)| text.contains(from)) {
                add(&format!("`{from}` by `{to}`"), json!(text.replace(from, to)));
            }
        }
        Value::Array(list) => {
            add("an empty list", json!([]));
            for place in [0, list.len() / 2, list.len().saturating_sub(1)] {
                if place < list.len() {
                    let mut fewer = list.clone();
                    fewer.remove(place);
                    add("one less", Value::Array(fewer));
                    let mut more = list.clone();
                    more.insert(place, list[place].clone());
                    add("one doubled", Value::Array(more));
                }
                if place + 1 < list.len() {
                    let mut swapped = list.clone();
                    swapped.swap(place, place + 1);
                    add("two exchanged", Value::Array(swapped));
                }
            }
        }
        Value::Object(object) => {
            for key in object.keys() {
                let mut fewer = object.clone();
                fewer.remove(key);
                add(&format!("without `{key}`"), Value::Object(fewer));
            }
            let mut more = object.clone();
            more.insert("trust_me".to_owned(), json!(true));
            add("with another field", Value::Object(more));
        }
    }
    out
}

/// Seals each forgery in the folder; `accepted` says whether it is verified, and sees to it that
/// what is then claimed is true. Returns how many there were, and the kinds of places where
/// something else is accepted, with what that is. The folder is as it was in the end.
pub fn tried(
    folder: &Path,
    edits: Edits<'_>,
    accepted: impl Fn(&Forgery) -> bool,
) -> (usize, BTreeMap<String, BTreeSet<String>>) {
    let whole = document(folder);
    let all = forgeries(&whole, edits);
    let mut places: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for forgery in &all {
        seal(&forgery.document, folder).expect("there is room");
        if accepted(forgery) {
            places.entry(forgery.place.clone()).or_default().insert(forgery.what.clone());
        }
    }
    seal(&whole, folder).expect("there is room");
    (all.len(), places)
}

/// Forges all that there is. What `verify` accepts must be true, as `agrees` sees to, and is in
/// these places and no others: each is known to be of no consequence, or said to be the author's.
pub fn forge<T>(
    name: &str,
    folder: &Path,
    edits: Edits<'_>,
    may_change: &[&str],
    verify: impl Fn(&Path) -> Result<T, Vec<Diagnostic>>,
    agrees: impl Fn(&T),
) {
    let accepted = |_: &Forgery| match verify(folder) {
        Ok(verified) => {
            agrees(&verified);
            true
        }
        Err(errors) => {
            assert!(!errors.is_empty());
            false
        }
    };
    let (tried, places) = tried(folder, edits, accepted);
    assert!(tried > 300, "{name}: {tried} forgeries");
    let expected: BTreeSet<&str> = may_change.iter().copied().collect();
    let found: BTreeSet<&str> = places.keys().map(String::as_str).collect();
    assert!(
        found == expected,
        "{name}: {places:#?}\nunexpected: {:#?}",
        found.symmetric_difference(&expected)
    );
}
