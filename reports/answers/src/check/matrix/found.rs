//! Counterexamples of the matrix: the same program falls between several pairs of models, and is
//! written down once.

use std::io;

use margay_console::folder::OutputFolder;
use margay_mappings::check::Counterexample;
use margay_mappings::language::Mapping;
use margay_mappings::status::Status;

use super::CheckMatrixCell;
use crate::check::{PresentedCounterexample, files};

/// A counterexample, with what is written of it.
pub struct MatrixCounterexample {
    pub axiom: String,
    /// The number of source events.
    pub events: usize,
    /// What follows from it.
    pub status: Status,
    /// The source program and outcome, as a litmus test.
    pub source: String,
    /// The target program and outcome.
    pub target: String,
    /// The source program as CUDA C++.
    pub cuda: Option<String>,
    pub outcome: String,
    /// The folder of its files, below that of the page.
    pub folder: Option<String>,
    mapping: Mapping,
    counterexample: Counterexample,
}

impl MatrixCounterexample {
    /// Keeps what is needed of a counterexample.
    pub fn new(
        mapping: &Mapping,
        counterexample: &Counterexample,
        shown: &PresentedCounterexample<'_>,
    ) -> Self {
        Self {
            axiom: counterexample.axiom.clone(),
            events: counterexample.events,
            status: counterexample.status,
            source: shown.source.clone(),
            target: shown.target.clone(),
            cuda: shown.cuda.clone(),
            outcome: shown.outcome.clone(),
            folder: None,
            mapping: mapping.clone(),
            counterexample: counterexample.clone(),
        }
    }

    /// The programs and the outcome, without what says between which models they were found.
    fn programs(&self) -> (String, String) {
        let body = |test: &str| {
            let lines = test.lines().filter(|l| !l.starts_with('"'));
            lines.collect::<Vec<_>>().join("\n")
        };
        (body(&self.source), body(&self.target))
    }
}

/// Writes each counterexample into a folder of its mapping, the same programs once, and says which
/// folder each has.
pub fn write(cells: &mut [CheckMatrixCell], out: &mut OutputFolder) -> io::Result<()> {
    let mut written: Vec<(&'static str, (String, String), String)> = Vec::new();
    for cell in cells {
        let Some(found) = &mut cell.found else { continue };
        let mapping = cell.of.mapping;
        let programs = found.programs();
        if let Some((.., folder)) = written.iter().find(|(m, p, _)| *m == mapping && *p == programs)
        {
            found.folder = Some(folder.clone());
            continue;
        }
        let number = written.iter().filter(|(m, ..)| *m == mapping).count() + 1;
        let folder = format!("{mapping}/{number}");
        let shown = PresentedCounterexample::new(&found.mapping, &found.counterexample);
        files::counterexample(out, &format!("{folder}/counterexample"), &found.mapping, &shown)?;
        written.push((mapping, programs, folder.clone()));
        found.folder = Some(folder);
    }
    Ok(())
}
