//! What target instructions cost: a table in TOML, `"fence.sc.gpu" = 4`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile, Span, nearest};
use margay_models::execution::Scope;
use margay_models::limited;
use margay_models::model::Model;
use margay_models::signature::Signature;
use toml::Spanned;

use crate::language::{Lowering, LoweringStep, StepScope, instruction, is_ptx};

/// The table that is used where no other is given: machine instructions on sm_90.
pub const DEFAULT: &str = include_str!("../../costs/sm_90.toml");

/// By instruction without operands, `fence.sc.gpu`; the table says what one unit is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstructionCosts(BTreeMap<String, u64>);

/// The largest table of costs that is read, in bytes.
pub const MAX_COSTS: u64 = 1 << 20;

impl Default for InstructionCosts {
    fn default() -> Self {
        Self(toml::from_str(DEFAULT).unwrap_or_default())
    }
}

impl InstructionCosts {
    /// Reads a table from a file, for targets of a signature.
    ///
    /// # Errors
    /// A file that cannot be read, what is no table of numbers, an instruction that the target does
    /// not have.
    pub fn load(path: &Path, target: Signature) -> Result<Self, Vec<Diagnostic>> {
        let name = limited::name(path);
        let text = limited::text(path, MAX_COSTS).map_err(|e| {
            vec![
                Diagnostic::error(format!("cannot read the costs `{name}`: {e}"))
                    .help("give a TOML file with lines like `\"fence.sc\" = 4`"),
            ]
        })?;
        Self::read(&SourceFile::new(name, text), target)
    }

    /// Reads a table.
    ///
    /// # Errors
    /// As [`InstructionCosts::load`].
    pub fn read(file: &Arc<SourceFile>, target: Signature) -> Result<Self, Vec<Diagnostic>> {
        let table: BTreeMap<Spanned<String>, u64> = toml::from_str(&file.text).map_err(|e| {
            let span = e.span().map_or(Span::default(), |s| Span::new(s.start, s.end));
            let error = Diagnostic::error(format!("the costs are not a table: {}", e.message()));
            vec![
                error
                    .at(file, span, "here")
                    .help("write lines like `\"fence.sc\" = 4`: an instruction, and a whole number of 0 or more"),
            ]
        })?;
        let mut errors = Vec::new();
        let known: Vec<String> = Self::default().0.into_keys().collect();
        for name in table.keys() {
            // An entry without a scope stands for all scopes.
            let is_known = |text: &str| instruction(text, target, None).is_ok();
            let text = name.as_ref();
            if !is_known(text) && !is_known(&format!("{text}.sys")) {
                let span = name.span();
                let error = Diagnostic::error(format!("`{text}` is no instruction of {target}"));
                let help = match nearest(text, known.iter().map(String::as_str)) {
                    Some(near) if is_ptx(target) => format!("did you mean `{near}`?"),
                    _ => "name instructions as the right-hand sides of mappings do (docs/mapping-language.md)".to_owned(),
                };
                errors.push(error.at(file, Span::new(span.start, span.end), "unknown").help(help));
            }
        }
        if errors.is_empty() {
            Ok(Self(table.into_iter().map(|(k, v)| (k.into_inner(), v)).collect()))
        } else {
            Err(errors)
        }
    }

    /// The cost of a lowering: the sum of its instructions. One that has no entry costs 1.
    pub fn of(&self, target: &Model, lowering: &Lowering) -> u64 {
        lowering.steps.iter().map(|s| self.step(target.signature, s)).sum()
    }

    fn step(&self, target: Signature, step: &LoweringStep) -> u64 {
        let widest = match step.scope {
            // The scope of the operation: as much as the widest.
            StepScope::Same => StepScope::Named(Scope::Sys),
            scope => scope,
        };
        let named = LoweringStep { scope: widest, ..*step }.text(target, "s");
        let unscoped = named.rsplit_once('.').map_or(named.as_str(), |(head, _)| head);
        self.0.get(&named).or_else(|| self.0.get(unscoped)).copied().unwrap_or(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{LoadOptions, Mapping, ScopePattern};

    fn published() -> Mapping {
        crate::library::find("rc11-to-ptx", &LoadOptions::default()).expect("it is shipped").mapping
    }

    #[test]
    fn the_shipped_table_has_what_mappings_emit() {
        let costs = InstructionCosts::read(&SourceFile::new("sm_90.toml", DEFAULT), Signature::PTX)
            .expect("a table");
        assert_eq!(costs, InstructionCosts::default());
        let mapping = published();
        let of = |head: &str| {
            let row = mapping
                .rows
                .iter()
                .find(|r| r.head(Signature::C, Default::default()) == head)
                .expect("a row");
            assert!(matches!(row.scope, ScopePattern::Any(_)));
            costs.of(&mapping.target, &row.alternatives[0])
        };
        assert_eq!(
            (of("R.NA"), of("R.RLX.s"), of("R.ACQ.s"), of("R.SC.s"), of("RMW.SC.s")),
            (1, 1, 2, 6, 9)
        );
    }

    #[test]
    fn what_is_wrong_with_a_table_is_said_at_its_place() {
        let read =
            |text: &str| InstructionCosts::read(&SourceFile::new("c.toml", text), Signature::PTX);
        let errors = read("\"fence.sc\" = 4\n\"fence.acqrel\" = 2\n").expect_err("no such fence");
        assert!(
            errors[0].to_string().contains("`fence.acqrel` is no instruction of"),
            "{}",
            errors[0]
        );
        assert_eq!(errors[0].labels.len(), 1);
        assert!(read("\"fence.sc\" = -1").is_err());
        assert!(read("fence = {").is_err());
        assert_eq!(
            read("")
                .expect("an empty table")
                .of(&published().target, &published().rows[3].alternatives[0]),
            2
        );
    }
}
