//! The same as parts of a document.

use margay_models::picture::{event_name, svg, text};
use margay_prove::theorem::{Drawing, ProofGap, StepReport};
use margay_reports::prove as report;
use margay_reports::violation::EdgeRecord;
use margay_theorem::theorem::Inhabitant;

pub fn gap(gap: &ProofGap) -> report::MissingRecord {
    let drawing = gap.drawing.as_ref();
    let edges = |d: &Drawing| {
        let edge = |e: &margay_models::picture::PictureEdge| EdgeRecord {
            from: event_name(&d.execution, e.from),
            to: event_name(&d.execution, e.to),
            relation: e.label.clone(),
        };
        d.picture.edges.iter().map(edge).collect()
    };
    report::MissingRecord {
        what: gap.what.clone(),
        obligation: gap.obligation.clone(),
        events: drawing.map(|d| d.picture.events.clone()),
        edges: drawing.map(edges),
        text: drawing.map(|d| text(&d.execution, &d.picture, 100, false).trim().to_owned()),
        svg: drawing.map(|d| svg(&d.execution, &d.picture)),
    }
}

/// An execution that satisfies what is supposed.
pub fn inhabitant(inhabitant: &Inhabitant) -> report::InhabitantRecord {
    report::InhabitantRecord { shows: inhabitant.shows.clone(), events: inhabitant.events }
}

pub fn step(step: &StepReport) -> report::ArgumentStep {
    report::ArgumentStep {
        claims: step.claims.clone(),
        rule: step.rule.to_owned(),
        obligations: step.obligations,
        witnesses: step.witnesses,
        values: step.values,
        instances: step.instances,
        derived: step.derived,
        empty: step.empty.clone(),
    }
}
