//! `certificate.json`, whatever it is about: what it says of itself, what was asked, what is
//! certified and what shows it.

use serde::{Deserialize, Serialize};

use super::sealed::{FORMAT, VERSION};

/// What a certificate says of a subject `S`, in claims `C`; where one claim is shown by cases
/// together, bound by bound in entries `E`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertificateDocument<S, C, E> {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The Margay that wrote it, as it says.
    pub margay: String,
    /// The solver that was asked, as it says.
    pub solver: String,
    /// What the question was about.
    pub subject: S,
    /// What is certified.
    pub claims: Vec<C>,
    /// The cases that show it, bound by bound.
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<E>,
}

/// The entries of a certificate in which each claim has with it what shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoEntries {}

impl<S, C, E> CertificateDocument<S, C, E> {
    /// What this Margay says, having asked this solver.
    pub fn new(solver: &str, subject: S, claims: Vec<C>, bounds: Vec<E>) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            margay: env!("CARGO_PKG_VERSION").to_owned(),
            solver: solver.to_owned(),
            subject,
            claims,
            bounds,
        }
    }
}
