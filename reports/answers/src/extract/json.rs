//! A table as JSON, with all evidence (docs/json.md).

use margay_extract::lowering::LoweringAnswer;
use margay_extract::table::{MeasuredRow, Table, hash};
use margay_reports::extract as document;

fn row(measured: &MeasuredRow) -> document::TableRowRecord {
    let mut row = document::TableRowRecord {
        row: measured.row.slot.to_string(),
        asked: measured.point.to_string(),
        lowered: None,
        absent: None,
        other: None,
        unknown: None,
        notes: measured.row.notes.clone(),
        paths: measured.paths.clone(),
        ptx: measured.ptx.clone(),
        hash: measured.ptx.as_deref().map(|text| hash([text])),
    };
    match &measured.row.answer {
        LoweringAnswer::Lowered(all) => {
            row.lowered = Some(all.iter().map(|s| s.text(None)).collect())
        }
        LoweringAnswer::Absent(why) => row.absent = Some(why.clone()),
        LoweringAnswer::Other(what) => row.other = Some(what.clone()),
        LoweringAnswer::Unknown(why) => row.unknown = Some(why.clone()),
    }
    row
}

pub fn document(table: &Table) -> document::TableRecord {
    let [lowered, absent, other, unknown] = table.counts();
    document::TableRecord {
        front_end: table.front.clone(),
        title: table.title.clone(),
        compiler: table.version.clone(),
        compile: table.command.clone(),
        architecture: table.of_architecture().to_owned(),
        asked_architecture: table.architecture.clone(),
        ptx_sha256: table.hash.clone(),
        runs: table.runs,
        lowered,
        not_run: table.not_run(),
        absent,
        other,
        unknown,
        rows: table.rows.iter().map(row).collect(),
        against: None,
    }
}
