//! What is printed of a corpus: differences first, then how many verdicts are as expected.

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

impl CorpusReport {
    /// Prints the report in the form asked for.
    pub fn print(&self, options: &CorpusOptions, limits: &RunLimits, output: &Output) -> std::io::Result<()> {
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

    /// The answer in a sentence. What is left out is said: only so many of the verdicts were looked for.
    fn answer(&self, options: &CorpusOptions, limits: &RunLimits) -> Headline {
        let differ = self.checked.iter().filter(|c| c.differs()).count();
        let count = differ + if options.require_verdicts { self.unmentioned.len() } else { 0 };
        let undecided = self.checked.iter().filter(|c| c.is_undecided()).count();
        let (tone, found) = match (count, undecided + self.not_run.len()) {
            (0, 0) => (Tone::Good, "no difference".to_owned()),
            (0, _) => (Tone::Unsure, "no difference so far".to_owned()),
            (1, _) => (Tone::Bad, "1 difference".to_owned()),
            (n, _) => (Tone::Bad, format!("{} differences", number(n as u64))),
        };
        let mut rest = if options.bless && count > 0 { ", written down".to_owned() } else { String::new() };
        if undecided > 0 {
            rest.push_str(&format!("; {} undecided in the time given", verdicts(undecided)));
        }
        if let Some(not_run) = Some(self.not_run.len()).filter(|&n| n > 0) {
            let why = limits.reason().map_or("--fail-fast", |reason| reason.words());
            rest.push_str(&format!("; {} not looked for ({why})", verdicts(not_run)));
        }
        let restriction = Restriction::of_corpus(&options.filter.paths, &options.filter.models);
        Headline { tone, found, rest: format!("{rest}; {} as expected{restriction}", verdicts(self.passed())) }
    }

    fn human(&self, options: &CorpusOptions, limits: &RunLimits, output: &Output) -> std::io::Result<()> {
        for c in self.checked.iter().filter(|c| c.differs() || c.is_undecided()) {
            output.print(&format!("{} under {}: expected {}, found {} ({})", c.test, c.model, c.expected, c.found, c.source))?;
            for remark in &c.remarks {
                output.prose(&format!("  {remark}"))?;
            }
        }
        for test in &self.unmentioned {
            output.print(&format!("{test}: no verdict is expected of it; add a line to {}", corpus::EXPECTED))?;
        }
        if self.first > 0 {
            let count = verdicts(self.first);
            output.print(&format!("{count} written down of tests of which none was expected"))?;
        }
        if self.checked.is_empty() && self.not_run.is_empty() {
            return Ok(());
        }
        output.print(&format!("{}, {:.2} s", self.answer(options, limits).painted(*output), self.seconds))?;
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
