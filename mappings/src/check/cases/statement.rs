//! What a case is about, in full: the texts of the mapping and of its models, the options that can
//! change an answer, and the code that decides. Its digest is the key under which answers are kept;
//! it also goes into case files, which so need nothing else.

use serde::{Deserialize, Serialize};

use crate::certificate::{ModelText, Text};
use crate::level::{CoReading, Level};
use margay_models::digest::{digest, digest_of};

/// The release and the fingerprint of the code (build.rs).
pub const CODE: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("MARGAY_CODE"));

/// The parts of a statement that are texts.
const TEXTS: [&str; 4] = ["mapping", "source model", "target model", "baseline"];

/// Options that can change an answer or what it took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatementOptions {
    /// Executions or programs.
    pub level: Level,
    /// The axioms that are asked about; at program level none are named.
    pub axioms: Vec<String>,
    /// The constructs that programs are made of.
    pub constructs: Vec<String>,
    /// Is a location either atomic or plain?
    pub typed: bool,
    /// The limit on guards and computed values.
    pub guards: Option<usize>,
    /// The reading of modification order.
    pub co: CoReading,
    /// The SAT solver.
    pub solver: String,
    /// Its version: another one takes other ways to the same answer.
    pub solver_version: String,
    /// Techniques that are switched off.
    pub off: Vec<String>,
    /// Were the assumed rows of the mapping left out?
    pub known_only: bool,
}

/// What a check asks, whatever the bound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckStatement {
    /// The release and the fingerprint of the code.
    pub margay: String,
    /// The mapping's text.
    pub mapping: Text,
    pub source: ModelText,
    pub target: ModelText,
    /// The mapping whose counterexamples are left out, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Text>,
    pub options: StatementOptions,
}

impl CheckStatement {
    /// The parts that must agree, with their digests. The names of files mean nothing.
    pub fn parts(&self) -> [(String, String); 6] {
        let part = |name: &str, digest: String| (name.to_owned(), digest);
        let model = |m: &ModelText| {
            digest_of(&(
                &m.model.text,
                m.includes.iter().map(|i| (&i.path, &i.file.text)).collect::<Vec<_>>(),
            ))
        };
        [
            part("version of Margay", digest(self.margay.as_bytes())),
            part(TEXTS[0], digest(self.mapping.text.as_bytes())),
            part(TEXTS[1], model(&self.source)),
            part(TEXTS[2], model(&self.target)),
            part(TEXTS[3], digest_of(&self.baseline.as_ref().map(|baseline| &baseline.text))),
            part("options", digest_of(&self.options)),
        ]
    }

    /// Does it ask what the other one asks, whoever answers?
    pub fn asks_as(&self, other: &Self) -> bool {
        let options = |of: &Self| {
            // Without `..`: whoever adds an option says here whether it is a part of the question.
            let StatementOptions {
                level,
                axioms,
                constructs,
                typed,
                guards,
                co,
                solver: _,
                solver_version: _,
                off: _,
                known_only,
            } = &of.options;
            let co = if *level == Level::Program { CoReading::Exists } else { *co };
            (*level, axioms.clone(), constructs.clone(), *typed, *guards, co, *known_only)
        };
        let texts = |of: &Self| {
            of.parts()
                .into_iter()
                .filter(|(part, _)| TEXTS.contains(&part.as_str()))
                .collect::<Vec<_>>()
        };
        texts(self) == texts(other) && options(self) == options(other)
    }

    /// The key of its answers.
    pub fn key(&self) -> String {
        digest_of(&self.parts())
    }
}
