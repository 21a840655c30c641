//! The JSON Schemas that `margay schema` prints are made from the types of documents, and are in no
//! file. What is kept is each one's version and digest, so that a change of the types is seen where
//! it may need a new version: `INSTA_UPDATE=always cargo test -p margay-reports` takes it.

use margay_models::digest::digest;
use margay_reports::{COMMANDS, schema, schema_text};
use serde_json::Value;

/// If this fails, the objects of a command have other fields than before, or say other things of
/// them. A field that goes or changes its meaning needs a new version in `register.rs`, and a line
/// in docs/json.md; a new field does not.
#[test]
fn a_schema_that_changes_is_seen() {
    let line = |command: &margay_reports::CommandRecord| {
        let digest = digest(schema_text(command).as_bytes());
        format!("{} version {} {}", command.name, command.schema, &digest[..16])
    };
    let lines: Vec<String> = COMMANDS.iter().map(line).collect();
    insta::assert_snapshot!("versions_and_digests", lines.join("\n"));
}

/// What a program that checks JSON by a schema needs of it: the dialect, and nothing that it would
/// have to get from elsewhere.
#[test]
fn a_schema_stands_by_itself() {
    fn references(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
                fields.values().for_each(|field| references(field, found));
            }
            Value::Array(elements) => {
                elements.iter().for_each(|element| references(element, found))
            }
            _ => {}
        }
    }
    for command in COMMANDS {
        let schema = schema(command);
        assert_eq!(
            schema["$schema"], "https://json-schema.org/draft/2019-09/schema",
            "{}",
            command.name
        );
        assert_eq!(schema["properties"]["schema"]["const"], command.schema, "{}", command.name);
        let mut found = Vec::new();
        references(&schema, &mut found);
        assert!(!found.is_empty(), "{}", command.name);
        for reference in found {
            let name = reference
                .strip_prefix("#/$defs/")
                .unwrap_or_else(|| panic!("{}: {reference}", command.name));
            assert!(schema["$defs"].get(name).is_some(), "{}: {reference}", command.name);
        }
    }
}

/// Every field says what it is: comments of the types become descriptions.
#[test]
fn every_field_has_a_description() {
    fn fields(schema: &Value, place: &str, without: &mut Vec<String>) {
        for (name, field) in
            schema.get("properties").and_then(Value::as_object).into_iter().flatten()
        {
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
