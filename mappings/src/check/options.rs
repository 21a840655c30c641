//! What a check is asked to do.

use std::path::PathBuf;
use std::sync::Arc;

use margay_models::diagnostic::Diagnostic;

use super::baseline::Baseline;
use super::cases::CaseEngine;
use crate::certificate::Text;
use crate::encode::Techniques;
use crate::language::Mapping;
use crate::level::{CoReading, Level};
use crate::search::{SearchOptions, contains_search_options};

/// The largest bound that is accepted: an execution has at most 64 events on the target side,
/// initial writes included.
pub const MAX_BOUND: usize = 20;

/// Options of [`super::check`].
#[derive(Debug, Clone)]
pub struct CheckOptions {
    /// What every search is asked; the bound is of source events.
    pub search: SearchOptions,
    /// The axioms of the source model to ask about, by name; empty for all that it does not make
    /// optional.
    pub axioms: Vec<String>,
    /// Find every smallest counterexample up to isomorphism, and at most so many for each axiom.
    pub all: Option<usize>,
    /// Report not the counterexample that is preferred among the smallest, but the one so many
    /// places behind it in the list of all of that size up to isomorphism ([`super::Listed`]).
    pub next: Option<usize>,
    /// Look for what is new: counterexamples that another mapping, between the same models, does
    /// not have.
    pub baseline: Option<Arc<Baseline>>,
    /// Go on with the other axioms, up to the bound, after the first counterexample.
    pub keep_going: bool,
    /// Executions or programs.
    pub level: Level,
    /// At program level, the largest number of guards and computed values; `None` for as many as
    /// useful.
    pub guards: Option<usize>,
    /// The reading of modification order; at program level there is no choice.
    pub co: CoReading,
    pub techniques: Techniques,
    /// A folder for the CNF of every case.
    pub dump_cnf: Option<PathBuf>,
    /// An empty folder for a certificate of what has no counterexample.
    pub certify: Option<PathBuf>,
    /// A folder to keep answers of cases in, and to take those of runs before from.
    pub checkpoint: Option<PathBuf>,
    /// Split cases that are predicted to take more than the share of one of so many workers.
    /// Answers do not depend on it.
    pub split: Option<usize>,
    /// Who solves cases elsewhere; needs a checkpoint.
    pub engine: Option<Arc<dyn CaseEngine>>,
}

impl CheckOptions {
    /// The names of the constructs that a search makes programs of; none if the options name what
    /// there is not.
    pub fn constructs_of(&self, mapping: &Mapping) -> Vec<String> {
        let signature = mapping.source.signature;
        let selected = self.constructs(signature).unwrap_or_default();
        selected.iter().map(|c| c.name(signature)).collect()
    }

    /// Asks what is new beside the baseline of a text, if there is one.
    ///
    /// # Errors
    /// Those of [`Baseline::read`].
    pub(crate) fn beside(
        &mut self,
        mapping: &Mapping,
        text: Option<&Text>,
    ) -> Result<(), Vec<Diagnostic>> {
        self.baseline = text.map(|text| Baseline::read(mapping, text).map(Arc::new)).transpose()?;
        Ok(())
    }

    /// The mapping as it is searched: cut for what its baseline tells apart, if there is one.
    pub(crate) fn searched<'a>(&'a self, mapping: &'a Mapping) -> &'a Mapping {
        self.baseline.as_deref().map_or(mapping, |beside| &beside.mapping)
    }

    /// The usual options for a bound: is there a program that goes wrong?
    pub fn new(bound: usize) -> Self {
        Self { level: Level::Program, co: CoReading::Exists, ..Self::published(bound) }
    }

    /// The question of the 2019 paper (section 5.2): single executions, some modification order of
    /// which breaks an axiom.
    pub fn published(bound: usize) -> Self {
        Self {
            search: SearchOptions { typed: true, ..SearchOptions::new(bound) },
            axioms: Vec::new(),
            all: None,
            next: None,
            baseline: None,
            keep_going: false,
            level: Level::Execution,
            guards: None,
            co: CoReading::Universal,
            techniques: Techniques::default(),
            dump_cnf: None,
            certify: None,
            checkpoint: None,
            split: None,
            engine: None,
        }
    }
}

contains_search_options!(CheckOptions);
