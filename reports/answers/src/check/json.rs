//! The report as JSON (docs/json.md).

use margay_mappings::check::{AxiomEffort, AxiomReport, CheckVerdict, Listed};
use margay_models::picture::event_name;
use margay_reports::check as report;

use super::human::answer;
use super::present::{CheckContext, PresentedCounterexample};
use crate::restriction::supposes;
use crate::violation;

fn row(row: &AxiomEffort) -> report::BoundRecord {
    report::BoundRecord {
        bound: row.bound,
        verdict: (&row.verdict).into(),
        seconds: row.seconds,
        shapes: row.shapes,
        variables: row.variables,
        clauses: row.clauses,
        conflicts: row.conflicts,
        racy: row.racy,
        explained: row.explained,
    }
}

fn axiom(axiom: &AxiomReport) -> report::AxiomRecord {
    let last = axiom.rows.last();
    report::AxiomRecord {
        axiom: axiom.axiom.clone(),
        verdict: (&axiom.verdict).into(),
        bound: axiom.bound,
        seconds: axiom.rows.iter().map(|r| r.seconds).sum(),
        shapes: axiom.rows.iter().map(|r| r.shapes).sum(),
        variables: last.map_or(0, |r| r.variables),
        clauses: last.map_or(0, |r| r.clauses),
        conflicts: axiom.rows.iter().map(|r| r.conflicts).sum(),
        rows: axiom.rows.iter().map(row).collect(),
    }
}

pub fn counterexample(shown: &PresentedCounterexample<'_>) -> report::CounterexampleRecord {
    let c = shown.counterexample;
    let name = |e| event_name(&c.source, e);
    let (source_svg, target_svg) = shown.svgs();
    let violation = violation::report(c.violation.as_ref(), &name);
    report::CounterexampleRecord {
        axiom: c.axiom.clone(),
        events: c.events,
        status: c.status.into(),
        race: c.race.map(|pair| pair.map(name)),
        guards: c.guards,
        computed: c.computed,
        threads: c.source.threads.len(),
        locations: c.source.locations.len(),
        source_litmus: shown.source.clone(),
        source_cuda: shown.cuda.clone(),
        target_litmus: shown.target.clone(),
        outcome: shown.outcome.clone(),
        source_events: violation::events(&c.source),
        summary: shown.summary.clone(),
        cycle_in_words: shown.around.clone(),
        explanation: shown.explanation.clone(),
        rows: shown.rows.clone(),
        source_svg,
        target_svg,
        cycle: violation.cycle,
        there: violation.there,
        missing: violation.missing,
    }
}

/// How many counterexamples `--next` has to show.
fn listed(listed: &Listed) -> report::ListedRecord {
    report::ListedRecord {
        axiom: listed.axiom.clone(),
        events: listed.events,
        of: listed.of,
        more: listed.more,
    }
}

/// The whole report.
pub fn document(
    context: &CheckContext<'_>,
    presented: &[PresentedCounterexample<'_>],
) -> report::CheckDocument {
    let CheckContext { mapping, options, report, seconds, assumed, .. } = context;
    let reason = match &report.verdict {
        CheckVerdict::Undecided(why) => Some(why.clone()),
        CheckVerdict::None | CheckVerdict::Counterexample => None,
    };
    report::CheckDocument {
        mapping: mapping.title.clone(),
        mapping_file: mapping.file.name.clone(),
        source: mapping.source.name.clone(),
        source_file: mapping.source.source.name.clone(),
        target: mapping.target.name.clone(),
        target_file: mapping.target.source.name.clone(),
        level: options.level.into(),
        guards: options.guards,
        co: options.co.into(),
        typed: options.typed,
        supposes: supposes(mapping, &report.constructs, options.typed).map(str::to_owned),
        constructs: report.constructs.clone(),
        not_asked: mapping.unknown_failures(Some(&report.constructs)),
        coverage: mapping.coverage(Some(&report.constructs)).into(),
        solver: options.backend.version(),
        answer: answer(context).text(),
        verdict: (&report.verdict).into(),
        status: report.foremost().map(|c| c.status.into()),
        reason,
        bound: options.bound,
        established: report.established,
        seconds: *seconds,
        peak_memory_bytes: margay_console::limits::peak(),
        axioms: report.axioms.iter().map(axiom).collect(),
        counterexamples: presented.iter().map(counterexample).collect(),
        next: options.next,
        listed: report.listed.iter().map(listed).collect(),
        candidates: report.candidates.clone(),
        truncated: report.truncated,
        baseline: options.baseline.as_ref().map(|baseline| report::BaselineRecord {
            mapping: baseline.baseline.title.clone(),
            mapping_file: baseline.baseline.file.name.clone(),
            old: report.old,
        }),
        assumed: assumed.as_ref().map(super::assumed::AssumedRows::report),
        mended_by: context.mended_by(),
        certificate: crate::certificate::certificate(
            report.certified.as_ref(),
            options.certify.as_deref(),
        ),
    }
}
