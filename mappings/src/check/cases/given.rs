//! From the options of a check to what it asks, and back.

use margay_models::diagnostic::Diagnostic;
use margay_solver::Backend;

use super::statement::{CODE, CheckStatement, StatementOptions};
use crate::certificate::{ModelText, Text};
use crate::check::options::CheckOptions;
use crate::check::questions::CheckQuestions;
use crate::encode::Techniques;
use crate::language::Mapping;
use crate::level::Level;

impl CheckStatement {
    /// What a check of these options asks.
    ///
    /// # Errors
    /// What a model includes cannot be read any more.
    pub fn new(
        mapping: &Mapping,
        options: &CheckOptions,
        asked: &CheckQuestions,
    ) -> Result<Self, Vec<Diagnostic>> {
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
            baseline: options.baseline.as_deref().map(|beside| Text::of(&beside.baseline.file)),
            options: StatementOptions {
                level: options.level,
                axioms: if program {
                    Vec::new()
                } else {
                    asked.questions.iter().map(axiom).collect()
                },
                constructs: asked
                    .constructs
                    .iter()
                    .map(|c| c.name(mapping.source.signature))
                    .collect(),
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

    /// The mapping, and options of a check that asks this.
    ///
    /// # Errors
    /// Texts or names that are none of a mapping, a model or an option.
    pub fn load(&self) -> Result<(Mapping, CheckOptions), Vec<Diagnostic>> {
        let o = &self.options;
        let mapping =
            Mapping::between(&self.mapping.file(), self.source.read()?, self.target.read()?)?
                .asked(o.known_only);
        let unknown = |name: &str| {
            let error =
                Diagnostic::error(format!("the case file has an unknown technique, `{name}`"));
            let known: Vec<&str> = Techniques::SWITCHES.iter().map(|s| s.name).collect();
            vec![error.help(format!("known: {}", known.join(", ")))]
        };
        let mut options = CheckOptions::new(1);
        (options.level, options.co) = (o.level, o.co);
        options.backend = o
            .solver
            .parse::<Backend>()
            .map_err(|error| vec![Diagnostic::error(error.to_string())])?;
        options.axioms.clone_from(&o.axioms);
        options.only.clone_from(&o.constructs);
        options.typed = o.typed;
        options.guards = o.guards;
        for name in &o.off {
            let switch = Techniques::SWITCHES.iter().find(|s| s.name == name);
            (switch.ok_or_else(|| unknown(name))?.off)(&mut options.techniques);
        }
        options.beside(&mapping, self.baseline.as_ref())?;
        Ok((mapping, options))
    }
}
