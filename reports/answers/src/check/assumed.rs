//! What the assumed rows of a mapping would add to an answer. A counterexample that uses one is no
//! finding: it is said, and the headline is about the other rows.

use crate::headline::events;
use std::sync::Arc;

use margay_mappings::check::{Baseline, CheckOptions, CheckReport, CheckVerdict, Silent, check};
use margay_mappings::language::Mapping;
use margay_reports::check as report;

/// The assumed rows, and what they do.
pub struct AssumedRows {
    /// Their left-hand sides.
    rows: Vec<String>,
    /// The size and the rows of a counterexample that uses them, smaller than any without them.
    falls: Option<(usize, Vec<String>)>,
    /// No counterexample that uses them has this many events or fewer.
    established: usize,
}

impl AssumedRows {
    /// Asks about the whole mapping, below the counterexample that the other rows have. `None` if
    /// no row is assumed.
    pub fn ask(
        mapping: &Mapping,
        rows: Vec<String>,
        options: &CheckOptions,
        report: &CheckReport,
    ) -> Option<Self> {
        if rows.is_empty() {
            return None;
        }
        let bound = report.established;
        let mut asked = options.clone().with(|options| options.bound = bound.max(1));
        // Files and certificates are of the main question.
        (asked.certify, asked.checkpoint, asked.dump_cnf, asked.engine, asked.all, asked.next) =
            (None, None, None, None, None, None);
        asked.baseline =
            asked.baseline.map(|beside| Arc::new(Baseline::new(mapping, &beside.baseline)));
        if bound == 0 {
            return Some(Self { rows, falls: None, established: 0 });
        }
        let Ok(found) = check(mapping, &asked, &Silent) else {
            return Some(Self { rows, falls: None, established: 0 });
        };
        let falls = (found.verdict == CheckVerdict::Counterexample).then(|| {
            let first = found.counterexamples.iter().min_by_key(|c| c.events);
            let used = first.and_then(|c| {
                let named =
                    margay_mappings::naming::name(mapping, &c.source, &c.target, &c.origin)?;
                Some(named.operations.iter().map(|o| o.text(mapping)).collect())
            });
            (first.map_or(0, |c| c.events), used.unwrap_or_default())
        });
        Some(Self { rows, falls, established: found.established })
    }

    pub fn words(&self) -> String {
        let rows = self.rows.iter().take(6).cloned().collect::<Vec<_>>().join(", ");
        let more = if self.rows.len() > 6 {
            format!(" and {} more", self.rows.len() - 6)
        } else {
            String::new()
        };
        let what = match &self.falls {
            Some((events, used)) => format!(
                "With them there is a counterexample of {events} events (it uses {}), which is no finding about the compiler.",
                used.join(", ")
            ),
            None => format!(
                "With them there is no counterexample up to {} either.",
                events(self.established)
            ),
        };
        format!(
            "Not asked about, because nobody looked what the compiler does (rows marked as assumed): {rows}{more}. {what}"
        )
    }

    /// As a part of a document.
    pub fn report(&self) -> report::AssumedRowsRecord {
        let falls =
            |(events, rows): (usize, Vec<String>)| report::AssumedCounterexample { events, rows };
        report::AssumedRowsRecord {
            rows: self.rows.clone(),
            counterexample: self.falls.clone().map(falls),
            established: self.established,
        }
    }
}
