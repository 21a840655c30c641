//! The page of a sweep: what became worse, and for every compiler which rows and counterexamples
//! are there since when and until when.

use std::fmt::Write as _;
use std::path::Path;

use margay_console::output::Output;
use margay_extract::history::{History, brief};
use margay_reports::extract as document;

use crate::entries::{CompilerEntry, worse, wrong};
use crate::record::Record;
use crate::series::VersionSeries;

/// At most so many names of rows in a cell.
const NAMES: usize = 6;

/// The page, in Markdown.
pub fn markdown(all: &[VersionSeries], bound: usize, missing: usize) -> String {
    let mut out = String::from(
        "# What compilers emit, version by version\n\nWritten by `margay extract --all` (docs/extract.md). ",
    );
    out.push_str(&match bound {
        0 => "No counterexamples were looked for.\n".to_owned(),
        n => format!("Counterexamples are programs without races, of up to {n} events, the most ordinary programs first.\n"),
    });
    if missing > 0 {
        let _ = writeln!(
            out,
            "\n**It was interrupted: {}.** The same command goes on.",
            tables_missing(missing)
        );
    }
    for (title, none, entries) in [
        (
            "What became worse",
            "Nothing: no version lowers a row less strongly than the one before it and goes wrong by it.",
            worse(all),
        ),
        ("What is wrong, the worst first", "Nothing.", wrong(all)),
    ] {
        let _ = writeln!(out, "\n## {title}\n");
        if entries.is_empty() {
            let _ = writeln!(out, "{}", if bound == 0 { "Not asked." } else { none });
        }
        for (i, one) in entries.iter().enumerate() {
            entry(&mut out, i + 1, one);
        }
    }
    out.push_str("\n## Version by version\n");
    for series in all {
        section(&mut out, series);
    }
    out
}

fn tables_missing(missing: usize) -> String {
    if missing == 1 {
        "1 table is missing".to_owned()
    } else {
        format!("{missing} tables are missing")
    }
}

/// At most so many rows of an entry.
const ROWS: usize = 4;

/// One thing that is wrong.
fn entry(out: &mut String, number: usize, entry: &CompilerEntry<'_>) {
    let _ = writeln!(out, "{number}. **{}**", entry.title());
    let _ = writeln!(out, "    - in {}", entry.places());
    let rows = entry
        .rows
        .iter()
        .take(ROWS)
        .map(|(head, body)| format!("`{head} => {body}`"))
        .collect::<Vec<_>>()
        .join(", ");
    let more = entry.rows.len().saturating_sub(ROWS);
    let more = if more > 0 { format!(", and {more} other lowerings") } else { String::new() };
    let _ = writeln!(out, "    - to blame: {rows}{more}");
    let _ = writeln!(
        out,
        "    - the smallest, outcome `{}`:\n\n      ```",
        entry.fall.outcome.replace('\n', " ")
    );
    for line in entry.fall.target.lines().filter(|l| !l.trim().is_empty()) {
        let _ = writeln!(out, "      {}", line.trim_end());
    }
    out.push_str("      ```\n");
}

fn section(out: &mut String, series: &VersionSeries) {
    let _ = writeln!(
        out,
        "\n### {}\n\n| version | says | rows | counterexamples |\n| --- | --- | --- | --- |",
        series.title
    );
    for r in &series.records {
        let _ =
            writeln!(out, "| {} | {} | {} | {} |", r.version, cell(&r.compiler), rows(r), falls(r));
    }
    let falls = series.falls();
    if !falls.is_empty() {
        out.push_str("\n| counterexample | events | to blame, among others | in |\n| --- | --- | --- | --- |\n");
    }
    for history in &falls {
        for what in &history.names {
            let Some(fall) = series.fall(what) else { continue };
            let blamed = fall
                .rows
                .first()
                .map_or(String::new(), |(head, body)| format!("`{head} => {body}`"));
            let there = history
                .spans
                .iter()
                .filter(|s| s.text.is_some())
                .map(|s| series.range(s.from, s.to));
            let there = there.collect::<Vec<_>>().join(", ");
            let _ = writeln!(
                out,
                "| {}, {} | {} | {} | {there} |",
                fall.setting,
                fall.axiom,
                fall.events,
                cell(&blamed)
            );
        }
    }
    let histories = series.rows();
    let changed: Vec<&History> = histories.iter().filter(|h| h.changed()).collect();
    let same: usize = histories.iter().filter(|h| !h.changed()).map(|h| h.names.len()).sum();
    let _ = writeln!(
        out,
        "\n{same} rows never changed{}",
        if changed.is_empty() { "." } else { "; the others:" }
    );
    if !changed.is_empty() {
        out.push_str("\n| rows | since when, until when |\n| --- | --- |\n");
    }
    for history in changed {
        let spans: Vec<String> = history
            .spans
            .iter()
            .map(|s| format!("{}: {}", series.range(s.from, s.to), text(s.text.as_deref())))
            .collect();
        let names = brief(&history.names);
        let shown =
            names.iter().take(NAMES).map(|n| format!("`{n}`")).collect::<Vec<_>>().join("<br>");
        let more = if names.len() > NAMES {
            format!("<br>and {} more", names.len() - NAMES)
        } else {
            String::new()
        };
        let _ = writeln!(out, "| {shown}{more} | {} |", cell(&spans.join("<br>")));
    }
}

fn text(text: Option<&str>) -> String {
    text.map_or_else(|| "no such row".to_owned(), |t| format!("`{t}`"))
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn rows(r: &Record) -> String {
    if let Some(why) = &r.failure {
        return format!("it cannot be asked: {}", cell(why));
    }
    if let Some(why) = &r.empty {
        return format!("nothing compiles: {}", cell(why));
    }
    let [lowered, absent, other, unknown] = r.counts;
    let mut out = format!("[{lowered}]({})", r.table);
    for (n, what) in
        [(absent, "do not compile"), (other, "no row can describe"), (unknown, "not known")]
    {
        if n > 0 {
            let _ = write!(out, ", {n} {what}");
        }
    }
    out
}

fn falls(r: &Record) -> String {
    let Some(check) = &r.check else { return "not asked".to_owned() };
    let mut out = match check.falls.first() {
        None => "none".to_owned(),
        Some(worst) => format!("{}; the worst: {}", check.falls.len(), worst.setting),
    };
    if let Some((setting, why)) = check.open.first() {
        let _ = write!(out, "; undecided: {setting}: {}", cell(why));
    }
    out
}

/// The answer, for people.
pub fn print(
    all: &[VersionSeries],
    folder: &Path,
    missing: usize,
    output: &Output,
) -> std::io::Result<()> {
    let tables: usize = all.iter().map(|s| s.records.len()).sum();
    let worse = worse(all);
    let answer = match worse.len() {
        0 => output.good("no compiler became worse"),
        1 => output.bad("1 counterexample is new in a version"),
        n => output.bad(&format!("{n} counterexamples are new in a version")),
    };
    output.print(&format!("{answer}: {tables} tables, {}", folder.join("index.md").display()))?;
    if missing > 0 {
        let what = tables_missing(missing);
        output.print(&format!(
            "{}: {what}; the same command goes on",
            output.unsure("interrupted")
        ))?;
    }
    for entry in &worse {
        output.print("")?;
        output.print(&output.heading(&entry.title()))?;
        let rows = entry
            .rows
            .iter()
            .take(ROWS)
            .map(|(head, body)| format!("{head} => {body}"))
            .collect::<Vec<_>>()
            .join(", ");
        for text in [entry.places(), format!("to blame: {rows}")] {
            output.print(&margay_console::wrapped::wrapped(&text, output.width()))?;
        }
    }
    for record in all.iter().flat_map(|s| &s.records) {
        if let Some(why) = &record.failure {
            output.print(&format!("{} cannot be asked: {why}", record.version))?;
        }
    }
    Ok(())
}

/// The same as a document.
pub fn document(all: &[VersionSeries], bound: usize, missing: usize) -> document::Sweep {
    let version = |r: &Record| document::VersionRecord {
        version: r.version.clone(),
        compiler: r.compiler.clone(),
        table: r.table.clone(),
        lowered: r.counts[0],
        absent: r.counts[1],
        other: r.counts[2],
        unknown: r.counts[3],
        empty: r.empty.clone(),
        failure: r.failure.clone(),
        check: r.check.clone(),
    };
    let history = |h: &History| document::HistoryRecord {
        rows: h.names.clone(),
        spans: h
            .spans
            .iter()
            .map(|s| document::VersionSpan { from: s.from, to: s.to, text: s.text.clone() })
            .collect(),
    };
    let series = |s: &VersionSeries| document::SeriesRecord {
        title: s.title.clone(),
        versions: s.records.iter().map(version).collect(),
        changed: s.rows().iter().filter(|h| h.changed()).map(history).collect(),
        counterexamples: s.falls().iter().map(history).collect(),
        regressions: s
            .regressions()
            .iter()
            .map(|r| document::RegressionRecord {
                version: r.version.version.clone(),
                before: r.before.version.clone(),
                counterexample: r.fall.clone(),
            })
            .collect(),
    };
    document::Sweep {
        all: true,
        bound,
        missing,
        series: all.iter().map(series).collect(),
        worse: worse(all).iter().map(CompilerEntry::report).collect(),
        wrong: wrong(all).iter().map(CompilerEntry::report).collect(),
    }
}
