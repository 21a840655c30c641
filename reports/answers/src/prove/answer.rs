//! What a proof and a search together say.

use std::io;

use margay_console::exit::Exit;
use margay_console::folder::OutputFolder;
use margay_console::table::counted;
use margay_mappings::check::{AxiomReport, CheckOptions, CheckReport, CheckVerdict as Searched};
use margay_mappings::language::Mapping;
use margay_prove::theorem::{GoalReport, ProofGap, Report};
use margay_reports::Verdict;
use margay_theorem::theorem::Hypotheses;

use super::lemmas::LemmaOfFile;
use super::rocq::File;
use super::written::ProofCertificate;
use crate::check::{PresentedCounterexample, stem, write_counterexample};
use crate::headline::{Headline, Tone};
use crate::restriction::Restriction;

/// Everything that is said of one mapping.
pub struct MappingAnswer<'a> {
    pub mapping: &'a Mapping,
    /// What was asked.
    pub options: &'a CheckOptions,
    /// What came of the proof.
    pub report: &'a Report,
    /// What came of the search.
    pub search: &'a CheckReport,
    /// What came of the lemmas of a file.
    pub lemmas: &'a [LemmaOfFile<'a>],
    /// Why it ended before its time.
    pub stopped: Option<&'static str>,
    /// What is supposed.
    pub hypotheses: &'a Hypotheses,
    /// The certificate that was written.
    pub certified: Option<&'a ProofCertificate>,
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
    /// Nothing is proved, since no execution satisfies what is supposed, or none was found; in
    /// words.
    Empty(&'a str),
    /// Neither is known; none up to so many events, and what is missing.
    Open(usize, Option<&'a ProofGap>),
    /// There is a proof, and the search beside it, which must reach its bound, ended at so many
    /// events.
    Unsearched(usize),
    /// What is proved has a counterexample with so many events: one of the two is wrong.
    Contradiction(usize),
}

impl Said<'_> {
    /// In a word.
    pub fn verdict(&self) -> Verdict {
        match self {
            Said::Theorem => Verdict::Theorem,
            Said::Counterexample(_) => Verdict::Counterexample,
            Said::Empty(_) | Said::Open(..) | Said::Unsearched(_) | Said::Contradiction(_) => {
                Verdict::Open
            }
        }
    }
}

impl<'a> MappingAnswer<'a> {
    /// Of each axiom its name and what is said of it.
    pub fn axioms(&self) -> Vec<(&'a str, Said<'a>)> {
        let said = |(goal, searched): (&'a GoalReport, &AxiomReport)| {
            let said = match (&goal.gap, &searched.verdict) {
                (None, Searched::Counterexample) => Said::Contradiction(searched.bound),
                (None, Searched::None) if searched.bound >= self.options.bound => Said::Theorem,
                (None, _) => Said::Unsearched(searched.bound),
                (Some(_), Searched::Counterexample) => Said::Counterexample(searched.bound),
                (Some(gap), _) => Said::Open(searched.bound, Some(gap)),
            };
            (goal.name.as_str(), said)
        };
        // Where the source chooses an order of its fences, the search asks one question about all
        // axioms.
        if let [searched] = &self.search.axioms[..]
            && self.report.goals.len() > 1
        {
            return self.together(searched);
        }
        self.report.goals.iter().zip(&self.search.axioms).map(said).collect()
    }

    /// What is said of axioms that are taken together: what one execution satisfies with one order
    /// of its fences and another one with another order is no theorem of either.
    fn together(&self, searched: &AxiomReport) -> Vec<(&'a str, Said<'a>)> {
        let proved = self.report.is_theorem();
        let said = |goal: &'a GoalReport| {
            let said = match (&searched.verdict, proved) {
                (Searched::Counterexample, true) => Said::Contradiction(searched.bound),
                (Searched::Counterexample, false) => Said::Counterexample(searched.bound),
                (Searched::None, true) if searched.bound >= self.options.bound => Said::Theorem,
                (_, true) => Said::Unsearched(searched.bound),
                (_, false) => Said::Open(searched.bound, goal.gap.as_ref()),
            };
            (goal.name.as_str(), said)
        };
        self.report.goals.iter().map(said).collect()
    }

    pub fn whole(&self) -> Said<'a> {
        let axioms = self.axioms();
        let least = |of: &dyn Fn(&Said<'_>) -> Option<usize>| {
            axioms.iter().filter_map(|(_, said)| of(said)).min()
        };
        let contradiction =
            least(&|s| if let Said::Contradiction(n) = s { Some(*n) } else { None });
        let counterexample =
            least(&|s| if let Said::Counterexample(n) = s { Some(*n) } else { None });
        let unsearched = least(&|s| if let Said::Unsearched(n) = s { Some(*n) } else { None });
        match (contradiction, counterexample, unsearched) {
            (Some(events), ..) => Said::Contradiction(events),
            (_, Some(events), _) => Said::Counterexample(events),
            _ if self.report.premises.empty.is_some() => {
                Said::Empty(self.report.premises.empty.as_deref().unwrap_or_default())
            }
            (.., Some(events)) if self.report.is_theorem() => Said::Unsearched(events),
            _ if self.report.is_theorem() => Said::Theorem,
            _ => Said::Open(self.search.established, None),
        }
    }

    /// The names of the axioms that are theorems.
    pub fn theorems(&self) -> Vec<String> {
        let theorems = self.axioms().into_iter().filter(|(_, said)| matches!(said, Said::Theorem));
        theorems.map(|(name, _)| name.to_owned()).collect()
    }

    /// The first line. A theorem says itself what it supposes and leaves out; what a search did not
    /// find is said with what it did not look at.
    pub fn headline(&self) -> Headline {
        let title = &self.mapping.title;
        let stopped = self.stopped.map_or(String::new(), |why| format!(" ({why})"));
        let bound = self.options.bound;
        let restriction = Restriction::of_check(self.options);
        // A theorem, too, is about what the table says.
        let subject = format!("{title}{}", self.hypotheses.rows_left_out);
        let open = |rest: &str| {
            Headline::new(
                Tone::Unsure,
                "open",
                &format!("{stopped}: {rest}"),
                &restriction,
                &subject,
            )
        };
        match self.whole() {
            Said::Theorem => {
                let rest = format!(" for executions of every size{}", self.hypotheses.behind());
                Headline::new(Tone::Good, "theorem", &rest, &Restriction::default(), &subject)
            }
            Said::Counterexample(events) => {
                let rest = format!(" with {}", counted(events as u64, "event", "events"));
                Headline::new(Tone::Bad, "counterexample", &rest, &restriction, title)
            }
            Said::Empty(what) => {
                let rest = format!("{stopped}: {what}: nothing was proved");
                Headline::new(Tone::Unsure, "empty", &rest, &restriction, title)
            }
            Said::Open(0, _) => open("not proved, and no size was searched to its end"),
            Said::Open(bound, _) => open(&format!(
                "not proved, and no counterexample up to {}",
                counted(bound as u64, "event", "events")
            )),
            Said::Unsearched(events) => open(&format!(
                "proved, and the search beside the proof ended at {events} of {}",
                counted(bound as u64, "event", "events")
            )),
            Said::Contradiction(events) => {
                let rest = format!(
                    ": the proof says that there is no counterexample of any size, and the search has one with {}, which the judge \
                     confirmed. One of the two is wrong, which is a bug in Margay; please report it",
                    counted(events as u64, "event", "events")
                );
                Headline::new(Tone::Bad, "contradiction", &rest, &restriction, title)
            }
        }
    }

    pub fn exit(&self) -> Exit {
        match self.whole() {
            Said::Theorem => Exit::Holds,
            Said::Counterexample(_) => Exit::Found,
            Said::Empty(_) | Said::Open(..) | Said::Unsearched(_) | Said::Contradiction(_) => {
                Exit::Undecided
            }
        }
    }

    /// The counterexamples, made presentable.
    pub fn presented(&self) -> Vec<PresentedCounterexample<'a>> {
        self.search
            .counterexamples
            .iter()
            .map(|c| PresentedCounterexample::new(self.mapping, c))
            .collect()
    }

    /// Writes the counterexamples.
    pub fn write(&self, folder: &mut OutputFolder) -> io::Result<()> {
        let presented = self.presented();
        presented
            .iter()
            .enumerate()
            .try_for_each(|(i, shown)| write_counterexample(folder, &stem(i), self.mapping, shown))
    }
}
