//! `margay models`, `margay mappings`, `margay schema`, `margay completions`, `margay man`: what is
//! built in, and what programs, shells and manuals know of it.

use crate::document::parts;

parts! {
    /// `margay models`.
    pub struct BuiltinModels {
        /// The models.
        pub models: Vec<BuiltinModel>,
    }

    /// A built-in model.
    pub struct BuiltinModel {
        /// Its name.
        pub name: String,
        /// What its executions are of.
        pub executions: String,
        /// Its title.
        pub title: String,
    }

    /// `margay models NAME`.
    pub struct ModelTextDocument {
        /// Its name.
        pub name: String,
        /// Its text.
        pub text: String,
    }

    /// `margay mappings`.
    pub struct Mappings {
        /// The mappings.
        pub mappings: Vec<BuiltinMapping>,
    }

    /// A built-in mapping.
    pub struct BuiltinMapping {
        /// Its name.
        pub name: String,
        /// Its models, `source -> target`.
        pub models: String,
        /// Its title.
        pub title: String,
    }

    /// `margay mappings NAME`.
    pub struct MappingText {
        /// Its name.
        pub name: String,
        /// Its text.
        pub text: String,
    }

    /// `margay schema`.
    pub struct SchemaList {
        /// The schemas, one for each command that prints JSON.
        pub schemas: Vec<SchemaRecord>,
    }

    /// The JSON Schema of a command's objects, without its text.
    pub struct SchemaRecord {
        /// The command, without `margay`: `check`, `gpu run`.
        pub name: String,
        /// The version of the command's objects: what they have as `schema`.
        pub version: u32,
        /// The SHA-256 of the text that `margay schema NAME` prints.
        pub sha256: String,
    }

    /// `margay schema NAME`.
    pub struct SchemaText {
        /// The command, without `margay`.
        pub name: String,
        /// The version of its objects.
        pub version: u32,
        /// The JSON Schema (draft 2019-09).
        pub json_schema: serde_json::Value,
    }

    /// `margay completions`.
    pub struct CompletionsDocument {
        /// The shell.
        pub shell: String,
        /// What it is to be told.
        pub text: String,
    }

    /// `margay man`.
    pub struct Pages {
        /// The folder.
        pub folder: String,
        /// The pages.
        pub files: Vec<String>,
    }
}
