//! What every document has: its version, its command and the release of Margay that wrote it.

use std::io;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// The release of Margay that writes documents.
pub const RELEASE: &str = env!("CARGO_PKG_VERSION");

/// The fields that a document has besides its own: three that every one has, and two that it has
/// where there is something to say ([`crate::head`]).
pub const HEAD: [&str; 5] = ["schema", "command", "margay", "margay_toml", "warnings"];

/// Defines types of documents and of their parts: they are written and read as JSON, and with the
/// feature `schema` their comments become a JSON Schema.
macro_rules! parts {
    ($($item:item)*) => {
        $(
            #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
            #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
            $item
        )*
    };
}
pub(crate) use parts;

/// Reads a field that may be absent, null or there, where null is not the same as absent.
pub(crate) fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(from).map(Some)
}

/// Which command a document is of, and its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head<'a> {
    /// The command, without `margay`: `check`, `gpu run`. Nothing where the command line could not
    /// be read.
    pub command: Option<&'a str>,
    /// The version of the document: a field that goes or changes its meaning makes a new one.
    pub schema: u32,
}

impl Head<'_> {
    /// A document with this head, as JSON; fields are in alphabetical order.
    ///
    /// # Errors
    /// The body is no JSON object.
    pub fn value(&self, body: &impl Serialize) -> io::Result<Value> {
        let mut value = serde_json::to_value(body)?;
        let Value::Object(fields) = &mut value else {
            return Err(io::Error::other("a document is an object"));
        };
        fields.insert("schema".to_owned(), self.schema.into());
        fields.insert("command".to_owned(), self.command.into());
        fields.insert("margay".to_owned(), RELEASE.into());
        Ok(value)
    }
}

/// What a command prints.
pub trait Document: Serialize + DeserializeOwned {
    /// The command, without `margay`: `check`, `gpu run`.
    const COMMAND: &'static str;

    /// The document as JSON, with its version, its command and the release of Margay.
    ///
    /// # Errors
    /// The document is no JSON object.
    fn value(&self) -> io::Result<Value> {
        let schema = crate::command(Self::COMMAND).map_or(0, |command| command.schema);
        Head { command: Some(Self::COMMAND), schema }.value(self)
    }

    /// The same as a text of several lines.
    ///
    /// # Errors
    /// The document is no JSON object.
    fn text(&self) -> io::Result<String> {
        Ok(serde_json::to_string_pretty(&self.value()?)?)
    }

    /// The same in one line.
    ///
    /// # Errors
    /// The document is no JSON object.
    fn line(&self) -> io::Result<String> {
        Ok(self.value()?.to_string())
    }
}

/// The fields of an object that are not of a document's head.
pub fn body(document: &Value) -> Value {
    let own =
        document.as_object().into_iter().flatten().filter(|(key, _)| !HEAD.contains(&key.as_str()));
    Value::Object(
        own.map(|(key, value)| (key.clone(), value.clone())).collect::<Map<String, Value>>(),
    )
}
