//! Histograms of outcomes beside what a model says of each.

use std::collections::BTreeSet;

use margay_reports::{Verdict, sim};
use margay_runner::outcome::{Histogram, Observed, ObservedOutcome};

use margay_console::output::Output;
use margay_console::table::{number, table};

/// What a model says of an outcome, and whether it was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutcomeStanding {
    /// There is no model to ask.
    Unknown,
    Allowed,
    /// Forbidden. Seen, this is a difference.
    Forbidden,
}

/// One line of a histogram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistogramRow {
    /// The values.
    pub outcome: ObservedOutcome,
    /// How often it was seen; for an exploration 1 or 0.
    pub count: u64,
    /// What the model says.
    pub standing: OutcomeStanding,
    /// Does the test ask about it?
    pub asked: bool,
}

/// The outcomes that were seen, and those that a model allows and that were not, in the order of
/// their values.
pub fn rows(
    histogram: &Histogram,
    allowed: Option<&BTreeSet<ObservedOutcome>>,
    observed: &Observed,
) -> Vec<HistogramRow> {
    let mut all: BTreeSet<&ObservedOutcome> = histogram.keys().collect();
    all.extend(allowed.into_iter().flatten());
    let standing = |o: &ObservedOutcome| match allowed {
        None => OutcomeStanding::Unknown,
        Some(allowed) if allowed.contains(o) => OutcomeStanding::Allowed,
        Some(_) => OutcomeStanding::Forbidden,
    };
    all.into_iter()
        .map(|o| HistogramRow {
            outcome: o.clone(),
            count: histogram.get(o).copied().unwrap_or(0),
            standing: standing(o),
            asked: observed.asked(o),
        })
        .collect()
}

/// Was something seen that the model forbids?
pub fn differs(rows: &[HistogramRow]) -> bool {
    rows.iter().any(|r| r.standing == OutcomeStanding::Forbidden && r.count > 0)
}

/// The rows as a part of a document.
pub fn report(rows: &[HistogramRow], observed: &Observed) -> Vec<sim::SimulatedOutcome> {
    let one = |r: &HistogramRow| sim::SimulatedOutcome {
        outcome: observed.describe(&r.outcome),
        values: observed
            .variables
            .iter()
            .zip(&r.outcome)
            .map(|(v, n)| (observed.name(v), *n))
            .collect(),
        count: r.count,
        seen: r.count > 0,
        asked: r.asked,
        model: match r.standing {
            OutcomeStanding::Unknown => None,
            OutcomeStanding::Allowed => Some(Verdict::Allowed),
            OutcomeStanding::Forbidden => Some(Verdict::Forbidden),
        },
    };
    rows.iter().map(one).collect()
}

/// The rows as a table.
pub fn print(
    rows: &[HistogramRow],
    observed: &Observed,
    counts: bool,
    output: &Output,
) -> std::io::Result<()> {
    let lines: Vec<Vec<String>> = rows
        .iter()
        .map(|r| {
            let seen = if r.count > 0 { "seen" } else { "not seen" };
            let standing = match r.standing {
                OutcomeStanding::Unknown => seen.to_owned(),
                OutcomeStanding::Allowed => format!("allowed, {seen}"),
                OutcomeStanding::Forbidden => output.bad(&format!("forbidden, {seen}")),
            };
            let count = match (counts, r.count > 0) {
                (true, _) => number(r.count),
                (false, true) => "reached".to_owned(),
                (false, false) => "-".to_owned(),
            };
            vec![
                observed.describe(&r.outcome),
                count,
                standing,
                if r.asked { "*" } else { "" }.to_owned(),
            ]
        })
        .collect();
    output.print(&table(&["outcome", "runs", "standing", "asked"], &lines, &[1], output.width()))
}
