//! The schemas in docs/schema are those of the types: `INSTA_UPDATE=always cargo test -p margay-reports` writes them anew.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use margay_reports::{COMMANDS, CommandRecord, schema};
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema")
}

fn file(command: &CommandRecord) -> String {
    format!("{}.json", command.name.replace(' ', "-"))
}

#[test]
fn shipped_schemas_are_those_of_the_types() {
    let write = std::env::var("INSTA_UPDATE").is_ok_and(|how| how == "always");
    for command in COMMANDS {
        let text = serde_json::to_string_pretty(&schema(command)).expect("a schema is JSON") + "\n";
        let path = folder().join(file(command));
        if write {
            std::fs::write(&path, &text).expect("docs/schema can be written");
        }
        let shipped = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(shipped == text, "{} is not what is generated: INSTA_UPDATE=always writes it anew", path.display());
    }
    // None is left of a command that is no more.
    let known: BTreeSet<String> = COMMANDS.iter().map(file).collect();
    let there =
        std::fs::read_dir(folder()).expect("docs/schema").map(|e| e.expect("a file").file_name().into_string().expect("a name"));
    assert_eq!(there.collect::<BTreeSet<_>>(), known);
}

/// Every field says what it is: comments of the types become descriptions.
#[test]
fn every_field_has_a_description() {
    fn fields(schema: &Value, place: &str, without: &mut Vec<String>) {
        for (name, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if field.get("description").is_none() {
                without.push(format!("{place}.{name}"));
            }
        }
    }
    let mut without = Vec::new();
    for command in COMMANDS {
        let schema = schema(command);
        fields(&schema, command.name, &mut without);
        for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
            fields(definition, &format!("{}: {name}", command.name), &mut without);
        }
    }
    assert_eq!(without, Vec::<String>::new());
}
