//! Verdicts in a table.

use margay_litmus::corpus::Expected;
use margay_litmus::gap::GapKind;
use margay_litmus::test::{Quantifier, Test};

use margay_console::output::Output;
use margay_console::table::table;

/// The columns that every table of verdicts has.
pub const COLUMNS: [&str; 5] = ["test", "model", "outcome", "condition", "races"];

/// The cells of a verdict in these columns.
pub fn cells(test: &Test, model: &str, verdict: Expected) -> Vec<String> {
    let quantifier = test.condition.quantifier;
    // What a `forall` asks for is no outcome, but one that is another: "forbidden" would be taken
    // for the condition's.
    let always = quantifier == Quantifier::Forall;
    let outcome = match (verdict.reachable, verdict.bounded) {
        _ if verdict.gap == Some(GapKind::Endless) => "no execution ends",
        _ if verdict.gap == Some(GapKind::Lost) => "not found (lost)",
        _ if verdict.gap == Some(GapKind::Filtered) => "none passes the filter",
        (true, _) if always => "not always",
        (true, _) => "allowed",
        (false, true) => "not found (bounded)",
        (false, false) if always => "always",
        (false, false) => "forbidden",
    };
    let open = !verdict.reachable && (verdict.bounded || verdict.gap.is_some());
    let holds = match quantifier.holds(verdict.reachable) {
        _ if open => "undecided",
        true => "yes",
        false => "no",
    };
    let races = verdict.racy.map_or("-", |r| if r { "racy" } else { "race-free" });
    vec![
        test.name.clone(),
        model.to_owned(),
        outcome.to_owned(),
        format!("{}: {holds}", quantifier.keyword()),
        races.to_owned(),
    ]
}

/// Prints verdicts; columns beyond [`COLUMNS`] are numbers.
pub fn print(header: &[&str], rows: &[Vec<String>], output: &Output) -> std::io::Result<()> {
    let kept = fitting(header, rows, output.list_width());
    let pick = |row: &[String]| row[..kept].to_vec();
    let right: Vec<usize> = (COLUMNS.len()..kept).collect();
    output.print(&table(
        &header[..kept],
        &rows.iter().map(|r| pick(r)).collect::<Vec<_>>(),
        &right,
        output.list_width(),
    ))
}

/// How many columns fit without breaking a word; the first three are there in any case, the last
/// ones say least.
fn fitting(header: &[&str], rows: &[Vec<String>], width: usize) -> usize {
    let wide = |column: usize| {
        let cells = rows.iter().map(|r| r[column].as_str()).chain([header[column]]);
        cells.map(|c| c.chars().count()).max().unwrap_or(0) + 2
    };
    let mut kept = header.len();
    while kept > 3 && (0..kept).map(wide).sum::<usize>() > width {
        kept -= 1;
    }
    kept
}
