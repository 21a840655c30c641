//! What a proof and a search together say.

use std::io;

use margay_console::exit::Exit;
use margay_console::folder::Folder;
use margay_mappings::check::{CheckOptions, CheckReport, Verdict as Searched};
use margay_mappings::language::Mapping;
use margay_prove::theorem::{Gap, Report};
use margay_reports::Verdict;

use super::lemmas::Lemma;
use super::rocq::File;
use super::written::Written;
use crate::check::{Presented, stem, write_counterexample};

/// Everything that is said of one mapping.
pub struct MappingAnswer<'a> {
    /// The mapping.
    pub mapping: &'a Mapping,
    /// What was asked.
    pub options: &'a CheckOptions,
    /// What came of the proof.
    pub report: &'a Report,
    /// What came of the search.
    pub search: &'a CheckReport,
    /// What came of the lemmas of a file.
    pub lemmas: &'a [Lemma<'a>],
    /// Why it ended before its time.
    pub stopped: Option<&'static str>,
    /// The certificate that was written.
    pub certified: Option<&'a Written>,
    /// The file for Rocq.
    pub rocq: Option<&'a File>,
    /// Seconds since the start.
    pub seconds: f64,
}

/// What is said of an axiom, or of all.
pub enum Said<'a> {
    /// It holds in executions of every size.
    Theorem,
    /// It fails with so many events.
    Counterexample(usize),
    /// Neither is known; none up to so many events, and what is missing.
    Open(usize, Option<&'a Gap>),
    /// The proof and the search contradict each other.
    Bug,
}

impl Said<'_> {
    /// In a word.
    pub fn verdict(&self) -> Verdict {
        match self {
            Said::Theorem => Verdict::Theorem,
            Said::Counterexample(_) => Verdict::Counterexample,
            Said::Open(..) | Said::Bug => Verdict::Open,
        }
    }
}

impl<'a> MappingAnswer<'a> {
    /// Of each axiom its name and what is said of it.
    pub fn axioms(&self) -> Vec<(&'a str, Said<'a>)> {
        let said = |(goal, searched): (&'a margay_prove::theorem::GoalReport, &margay_mappings::check::AxiomReport)| {
            let said = match (&goal.gap, &searched.verdict) {
                (None, Searched::Counterexample) => Said::Bug,
                (None, _) => Said::Theorem,
                (Some(_), Searched::Counterexample) => Said::Counterexample(searched.bound),
                (Some(gap), _) => Said::Open(searched.bound, Some(gap)),
            };
            (goal.name.as_str(), said)
        };
        self.report.goals.iter().zip(&self.search.axioms).map(said).collect()
    }

    /// What is said of the whole.
    pub fn whole(&self) -> Said<'a> {
        let axioms = self.axioms();
        let smallest = axioms.iter().filter_map(|(_, s)| if let Said::Counterexample(n) = s { Some(*n) } else { None }).min();
        if axioms.iter().any(|(_, s)| matches!(s, Said::Bug)) {
            return Said::Bug;
        }
        match smallest {
            Some(events) => Said::Counterexample(events),
            None if self.report.is_theorem() => Said::Theorem,
            None => Said::Open(self.search.established, None),
        }
    }

    /// How to exit.
    pub fn exit(&self) -> Exit {
        match self.whole() {
            Said::Theorem => Exit::Holds,
            Said::Counterexample(_) => Exit::Found,
            Said::Open(..) | Said::Bug => Exit::Undecided,
        }
    }

    /// The counterexamples, made presentable.
    pub fn presented(&self) -> Vec<Presented<'a>> {
        self.search.counterexamples.iter().map(|c| Presented::new(self.mapping, c)).collect()
    }

    /// Writes the counterexamples.
    pub fn write(&self, folder: &mut Folder) -> io::Result<()> {
        let presented = self.presented();
        presented.iter().enumerate().try_for_each(|(i, shown)| write_counterexample(folder, &stem(i), self.mapping, shown))
    }
}
