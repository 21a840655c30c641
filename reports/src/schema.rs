//! The JSON Schema of each command, made from the types of its documents and their comments.

use schemars::r#gen::SchemaSettings;
use serde_json::{Value, json};

use crate::error::{DiagnosticRecord, Errors};
use crate::head::Settings;
use crate::register::CommandRecord;

/// The schema of a command as a text of several lines, the last of which ends, too: the same bytes
/// for the same types.
pub fn schema_text(command: &CommandRecord) -> String {
    format!("{:#}\n", schema(command))
}

/// The JSON Schema (draft 2019-09) of all that a command prints: one of its documents, or errors.
pub fn schema(command: &CommandRecord) -> Value {
    let settings = SchemaSettings::draft2019_09()
        .with(|settings| settings.definitions_path = "#/$defs/".to_owned());
    let mut generator = settings.into_generator();
    let mut documents = (command.schemas)(&mut generator);
    documents.push(generator.subschema_for::<Errors>());
    let (settings, warning) =
        (generator.subschema_for::<Settings>(), generator.subschema_for::<DiagnosticRecord>());
    let definitions = generator.take_definitions();
    json!({
        "$schema": "https://json-schema.org/draft/2019-09/schema",
        "title": format!("margay {}", command.name),
        "description": format!("What `margay {} --format json` prints.", command.name),
        "type": "object",
        "required": ["schema", "command", "margay"],
        "properties": {
            "schema": { "const": command.schema, "description": "The version of this command's documents." },
            "command": { "const": command.name, "description": "The command." },
            "margay": { "type": "string", "description": "The release of Margay." },
            "margay_toml": { "allOf": [settings], "description": "What the file of the project said; absent where it said nothing of this." },
            "warnings": {
                "type": "array",
                "items": warning,
                "description": "What is probably not meant; absent where there is nothing. Of several documents each has its own.",
            },
        },
        "anyOf": documents,
        "$defs": definitions,
    })
}
