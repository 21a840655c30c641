//! `margay models`, `margay mappings`, `margay completions`, `margay man`: what is built in, and what shells and manuals know of it.

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
