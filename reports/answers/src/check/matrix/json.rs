//! The matrix as JSON (docs/json.md).

use margay_mappings::change::MappingRepair;
use margay_mappings::check::CheckVerdict;
use margay_reports::check as report;

use super::{CheckMatrixAnswers, CheckMatrixCell, Mended};

fn answer(cell: &CheckMatrixCell) -> report::CheckMatrixAnswer {
    let found = cell.found.as_ref();
    report::CheckMatrixAnswer {
        mapping: cell.of.mapping.to_owned(),
        source: cell.of.source.to_owned(),
        target: cell.of.target.to_owned(),
        level: cell.level.into(),
        verdict: (&cell.verdict).into(),
        reason: if let CheckVerdict::Undecided(why) = &cell.verdict {
            Some(why.clone())
        } else {
            None
        },
        bound: cell.established,
        status: found.map(|f| f.status.into()),
        seconds: cell.seconds,
        axiom: found.map(|f| f.axiom.clone()),
        events: found.map(|f| f.events),
        source_litmus: found.map(|f| f.source.clone()),
        target_litmus: found.map(|f| f.target.clone()),
        source_cuda: found.and_then(|f| f.cuda.clone()),
        outcome: found.map(|f| f.outcome.clone()),
    }
}

fn mended(mended: &Mended) -> report::MendedRecord {
    let by = |r: &MappingRepair| report::MendedBy {
        price: r.cost + u64::from(r.steps),
        cost: r.cost,
        steps: r.steps,
        rows: super::page::changes(mended, r),
    };
    report::MendedRecord {
        mapping: mended.of.mapping.to_owned(),
        source: mended.of.source.to_owned(),
        target: mended.of.target.to_owned(),
        bound: mended.bound,
        repairs: mended.report.repairs.iter().map(by).collect(),
        reason: mended.report.stopped.clone(),
    }
}

/// The whole report.
pub fn document(
    answers: &CheckMatrixAnswers,
    answer_in_words: String,
) -> report::CheckMatrixDocument {
    report::CheckMatrixDocument {
        answer: answer_in_words,
        complete: answers.stopped.is_none(),
        answers: answers.cells.iter().map(answer).collect(),
        repairs: answers.mended.iter().map(mended).collect(),
    }
}
