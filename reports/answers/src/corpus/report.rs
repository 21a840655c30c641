//! What is printed of a corpus: how many verdicts differ and how many are as expected, then each
//! difference.

use margay_console::limits::RunLimits;
use margay_console::output::{Format, FormatOption, Output};
use margay_console::table::{counted, number};
use margay_litmus::corpus;
use margay_reports::corpus as document;

use super::{CheckedVerdict, CorpusOptions, CorpusReport, junit};
use crate::headline::{Headline, Tone};
use crate::restriction::Restriction;

/// How many of the slowest are named with `-v`.
const SLOWEST: usize = 5;

/// How many tests are named of which nothing is expected; of the others it is said how many they
/// are.
const UNMENTIONED: usize = 20;

impl CorpusReport {
    /// Prints the report in the form asked for.
    pub fn print(
        &self,
        options: &CorpusOptions,
        limits: &RunLimits,
        output: &Output,
    ) -> std::io::Result<()> {
        if output.asked == FormatOption::Junit {
            return output.print(&junit::text(self, options));
        }
        match output.format {
            Format::Json => output.document(&self.document(options, limits)),
            Format::Human => self.human(options, limits, output),
        }
    }

    /// Verdicts as expected.
    fn passed(&self) -> usize {
        self.checked.iter().filter(|c| !c.differs() && !c.is_undecided()).count()
    }

    fn document(&self, options: &CorpusOptions, limits: &RunLimits) -> document::CorpusDocument {
        let one = |c: &CheckedVerdict| document::CorpusTest {
            test: c.test.clone(),
            model: c.model.clone(),
            expected: c.expected.to_string(),
            found: c.found.to_string(),
            source: c.source.clone(),
            remarks: c.remarks.clone(),
            disagreement: c.is_disagreement(),
            seconds: c.seconds,
        };
        document::CorpusDocument {
            answer: self.answer(options, limits).text(),
            passed: self.passed(),
            differences: self.checked.iter().filter(|c| c.differs()).map(one).collect(),
            undecided: self.checked.iter().filter(|c| c.is_undecided()).map(one).collect(),
            not_run: self.not_run.len(),
            without_verdict: self.unmentioned.clone(),
            require_verdicts: options.require_verdicts,
            blessed: options.bless,
            first: self.first,
            errors: self.errors.iter().map(Into::into).collect(),
            seconds: self.seconds,
        }
    }

    /// Was no expected verdict looked for?
    fn is_unasked(&self) -> bool {
        self.checked.is_empty() && self.not_run.is_empty()
    }

    /// The answer in a sentence. What is left out is said: only so many of the verdicts were looked
    /// for.
    fn answer(&self, options: &CorpusOptions, limits: &RunLimits) -> Headline {
        if self.is_unasked() && self.first == 0 && !self.errors.is_empty() {
            let rest =
                format!(": no verdict could be compared in `{}`", options.filter.folder.display());
            return Headline { tone: Tone::Unsure, found: "undecided".to_owned(), rest };
        }
        let differ = self.checked.iter().filter(|c| c.differs()).count();
        let count = differ + if options.require_verdicts { self.unmentioned.len() } else { 0 };
        let undecided = self.checked.iter().filter(|c| c.is_undecided()).count();
        let (tone, found) = match (count, undecided + self.not_run.len() + self.errors.len()) {
            (0, 0) => (Tone::Good, "no difference".to_owned()),
            (0, _) => (Tone::Unsure, "no difference so far".to_owned()),
            (1, _) => (Tone::Bad, "1 difference".to_owned()),
            (n, _) => (Tone::Bad, format!("{} differences", number(n as u64))),
        };
        let mut rest =
            if options.bless && count > 0 { ", written down".to_owned() } else { String::new() };
        if !self.errors.is_empty() {
            rest.push_str(&format!("; {}", counted(self.errors.len() as u64, "error", "errors")));
        }
        if undecided > 0 {
            rest.push_str(&format!("; {} undecided in the time given", verdicts(undecided)));
        }
        if let Some(not_run) = Some(self.not_run.len()).filter(|&n| n > 0) {
            let why = limits.reason().map_or("--fail-fast", |reason| reason.words());
            rest.push_str(&format!("; {} not looked for ({why})", verdicts(not_run)));
        }
        let restriction = Restriction::of_corpus(&options.filter.paths, &options.filter.models);
        Headline {
            tone,
            found,
            rest: format!("{rest}; {} as expected{restriction}", verdicts(self.passed())),
        }
    }

    fn human(
        &self,
        options: &CorpusOptions,
        limits: &RunLimits,
        output: &Output,
    ) -> std::io::Result<()> {
        if self.first > 0 {
            let count = verdicts(self.first);
            output.print(&format!("{count} written down of tests of which none was expected"))?;
        }
        if !self.is_unasked() {
            output.print(&format!(
                "{}, {:.2} s",
                self.answer(options, limits).painted(*output),
                self.seconds
            ))?;
        }
        for c in self.checked.iter().filter(|c| c.differs() || c.is_undecided()) {
            output.print(&format!(
                "{} under {}: expected {}, found {} ({})",
                c.test, c.model, c.expected, c.found, c.source
            ))?;
            for remark in &c.remarks {
                output.prose(&format!("  {remark}"))?;
            }
        }
        // Where nothing is expected of any, one sentence says it of all.
        if self.is_unasked() && self.first == 0 {
            return Ok(());
        }
        for test in self.unmentioned.iter().take(UNMENTIONED) {
            output.print(&format!(
                "{test}: no verdict is expected of it; add a line to {}",
                corpus::EXPECTED
            ))?;
        }
        if let Some(more) = self.unmentioned.len().checked_sub(UNMENTIONED).filter(|&more| more > 0)
        {
            output.print(&format!(
                "and of {} more tests no verdict is expected (`--format json` names all)",
                number(more as u64)
            ))?;
        }
        if self.is_unasked() {
            return Ok(());
        }
        if output.verbose {
            let mut slowest: Vec<&CheckedVerdict> = self.checked.iter().collect();
            slowest.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
            output.print("\nThe slowest:")?;
            for c in slowest.iter().take(SLOWEST) {
                output.print(&format!("  {:.3} s  {} under {}", c.seconds, c.test, c.model))?;
            }
        }
        Ok(())
    }
}

/// `1 verdict`, `1 234 verdicts`.
fn verdicts(count: usize) -> String {
    counted(count as u64, "verdict", "verdicts")
}
