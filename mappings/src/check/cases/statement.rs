//! What a case is about, in full: the texts of the mapping and of its models, the options that can change an answer, and the code that
//! decides. Its digest is the key under which answers are kept; it also goes into case files, which so need nothing else.

use margay_models::diagnostic::Diagnostic;
use margay_solver::Backend;
use serde::{Deserialize, Serialize};

use crate::certificate::{ModelText, Text};
use crate::check::options::CheckOptions;
use crate::check::questions::CheckQuestions;
use crate::encode::Techniques;
use crate::language::Mapping;
use crate::level::{CoReading, Level};
use margay_models::digest::{digest, digest_of};

/// The release and the fingerprint of the code (build.rs).
pub const CODE: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("MARGAY_CODE"));

/// The parts of a statement that are texts.
const TEXTS: [&str; 3] = ["mapping", "source model", "target model"];

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
    pub options: StatementOptions,
}

impl CheckStatement {
    /// What a check of these options asks.
    ///
    /// # Errors
    /// What a model includes cannot be read any more.
    pub fn new(mapping: &Mapping, options: &CheckOptions, asked: &CheckQuestions) -> Result<Self, Vec<Diagnostic>> {
        let program = options.level == Level::Program;
        let axiom = |q: &crate::encode::AxiomId| mapping.source.checks[q.0].display_name();
        let off = Techniques::SWITCHES.iter().filter(|switch| {
            let mut without = options.techniques;
            (switch.off)(&mut without);
            without == options.techniques
        });
        Ok(Self {
            margay: CODE.to_owned(),
            mapping: Text::of(&mapping.file),
            source: ModelText::of(&mapping.source)?,
            target: ModelText::of(&mapping.target)?,
            options: StatementOptions {
                level: options.level,
                axioms: if program { Vec::new() } else { asked.questions.iter().map(axiom).collect() },
                constructs: asked.constructs.iter().map(|c| c.name(mapping.source.signature)).collect(),
                typed: options.typed,
                guards: options.guards,
                co: options.co,
                solver: options.backend.name().to_owned(),
                solver_version: options.backend.version().to_owned(),
                off: off.map(|switch| switch.name.to_owned()).collect(),
                known_only: mapping.is_known_only(),
            },
        })
    }

    /// The parts that must agree, with their digests. The names of files mean nothing.
    pub fn parts(&self) -> [(String, String); 5] {
        let part = |name: &str, digest: String| (name.to_owned(), digest);
        let model =
            |m: &ModelText| digest_of(&(&m.model.text, m.includes.iter().map(|i| (&i.path, &i.file.text)).collect::<Vec<_>>()));
        [
            part("version of Margay", digest(self.margay.as_bytes())),
            part(TEXTS[0], digest(self.mapping.text.as_bytes())),
            part(TEXTS[1], model(&self.source)),
            part(TEXTS[2], model(&self.target)),
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
        let texts = |of: &Self| of.parts().into_iter().filter(|(part, _)| TEXTS.contains(&part.as_str())).collect::<Vec<_>>();
        texts(self) == texts(other) && options(self) == options(other)
    }

    /// The key of its answers.
    pub fn key(&self) -> String {
        digest_of(&self.parts())
    }

    /// The mapping, and options of a check that asks this.
    ///
    /// # Errors
    /// Texts or names that are none of a mapping, a model or an option.
    pub fn load(&self) -> Result<(Mapping, CheckOptions), Vec<Diagnostic>> {
        let o = &self.options;
        let mapping = Mapping::between(&self.mapping.file(), self.source.read()?, self.target.read()?)?.asked(o.known_only);
        let unknown = |name: &str| {
            let error = Diagnostic::error(format!("the case file has an unknown technique, `{name}`"));
            let known: Vec<&str> = Techniques::SWITCHES.iter().map(|s| s.name).collect();
            vec![error.help(format!("known: {}", known.join(", ")))]
        };
        let mut options = CheckOptions::new(1);
        (options.level, options.co) = (o.level, o.co);
        options.backend = o.solver.parse::<Backend>().map_err(|error| vec![Diagnostic::error(error.to_string())])?;
        options.axioms.clone_from(&o.axioms);
        options.only.clone_from(&o.constructs);
        options.typed = o.typed;
        options.guards = o.guards;
        for name in &o.off {
            let switch = Techniques::SWITCHES.iter().find(|s| s.name == name);
            (switch.ok_or_else(|| unknown(name))?.off)(&mut options.techniques);
        }
        Ok((mapping, options))
    }
}
