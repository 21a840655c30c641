//! `margay diff` of two mappings: the rows that differ, and the programs that only one of the two
//! gets wrong.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::folder;
use margay_console::limits::RunLimits;
use margay_console::output::{Format, Output};
use margay_console::progress::Bar;
use margay_console::table::number;
use margay_console::wrapped::{indented, wrapped};
use margay_mappings::check::{Baseline, CheckOptions, CheckReport, CheckVerdict, check};
use margay_mappings::language::{
    ChangedRow, DescriptionDifference, Mapping, TableDifference, difference,
};
use margay_models::diagnostic::Diagnostic;
use margay_reports::{Document, diff as report};

use crate::check::{
    CheckSubject, PresentedCounterexample, counterexample_report, print_counterexample,
    write_counterexample,
};
use crate::headline::{Headline, Tone, events};
use crate::restriction::Restriction;

/// Two tables.
pub struct TablePair {
    /// The older one and the newer one, as the command line has them.
    pub names: [String; 2],
    /// Both, each between the models that it names.
    pub tables: [Mapping; 2],
    /// Both between the models of the newer one; or why the older one cannot be read so.
    pub between: Result<[Mapping; 2], Vec<Diagnostic>>,
}

/// One direction: counterexamples of one table that the other one does not have.
struct TableDirection {
    /// Whose counterexamples: 0 of the older table, 1 of the newer one.
    of: usize,
    /// What was found.
    report: CheckReport,
}

impl TableDirection {
    fn word(&self) -> &'static str {
        if self.of == 0 { "old" } else { "new" }
    }

    /// What files are called: `only-new-1-source.litmus`.
    fn stem(&self) -> String {
        format!("only-{}", self.word())
    }
}

/// Everything that is printed.
struct TablesContext<'a> {
    subject: &'a TablePair,
    rows: &'a TableDifference,
    /// The tables that were asked about, without assumed rows.
    asked: Option<[Mapping; 2]>,
    options: &'a CheckOptions,
    directions: Vec<TableDirection>,
    /// Why no programs were asked about.
    unasked: Option<String>,
    stopped: Option<&'static str>,
    seconds: f64,
}

/// Compares, and prints the answer; with a folder the counterexamples are written into it. A bound
/// of 0 compares rows alone.
///
/// # Errors
/// The output cannot be written.
pub fn run(
    subject: &TablePair,
    options: &CheckOptions,
    out: Option<&Path>,
    limits: &RunLimits,
    output: &Output,
) -> CommandOutcome {
    if let Some(Err(error)) = out.map(folder::prepare) {
        return output.wrong(&[error]);
    }
    let start = Instant::now();
    let rows = match difference(&subject.tables[0], &subject.tables[1]) {
        Ok(rows) => rows,
        Err(errors) => return output.wrong(&errors),
    };
    let (mut directions, mut unasked, mut asked) = (Vec::new(), None, None);
    match &subject.between {
        _ if rows.rows.is_empty() => {}
        _ if options.bound == 0 => unasked = Some("`--bound 0` asks about rows alone".to_owned()),
        Err(errors) => {
            let why = errors.first().map_or_else(String::new, ToString::to_string);
            unasked = Some(format!(
                "{} cannot be read between the models of {}: {why}",
                subject.names[0], subject.names[1]
            ));
        }
        Ok(both) => {
            let both =
                [0, 1].map(|i| CheckSubject::new(&subject.names[i], both[i].clone()).mapping);
            for of in [1, 0] {
                let beside = CheckOptions {
                    baseline: Some(Arc::new(Baseline::new(&both[of], &both[1 - of]))),
                    ..options.clone()
                };
                match Bar::during(*output, options.bound, |bar| check(&both[of], &beside, bar)) {
                    Ok(report) => directions.push(TableDirection { of, report }),
                    Err(errors) => return output.wrong(&errors),
                }
            }
            asked = Some(both);
        }
    }
    let stopped = limits.reason().map(|reason| reason.words());
    let seconds = start.elapsed().as_secs_f64();
    let context = TablesContext {
        subject,
        rows: &rows,
        asked,
        options,
        directions,
        unasked,
        stopped,
        seconds,
    };
    let presented: Vec<(usize, PresentedCounterexample<'_>)> = context
        .directions
        .iter()
        .flat_map(|d| d.report.counterexamples.iter().map(move |c| (d, c)))
        .filter_map(|(d, c)| {
            Some((d.of, PresentedCounterexample::new(&context.asked.as_ref()?[d.of], c)))
        })
        .collect();
    let exit = output.settle(if rows.rows.is_empty() { Exit::Holds } else { Exit::Found });
    let document = context.document(&presented);
    let printed = match output.format {
        Format::Human => context.print(&presented, output),
        Format::Json => output.document(&document),
    };
    folder::fill(out, &is_like, *output, |folder| {
        folder.write("report.json", document.text()? + "\n")?;
        let Some(asked) = &context.asked else { return Ok(()) };
        for direction in &context.directions {
            let own = presented.iter().filter(|(of, _)| *of == direction.of);
            for (i, (of, shown)) in own.enumerate() {
                write_counterexample(
                    folder,
                    &format!("{}-{}", direction.stem(), i + 1),
                    &asked[*of],
                    shown,
                )?;
            }
        }
        Ok(())
    });
    printed.map(|()| exit)
}

/// Is it a name that these files have?
fn is_like(name: &str) -> bool {
    name.starts_with("only-")
}

/// Rows that differ in the same way.
fn alike(rows: &[ChangedRow]) -> Vec<(Vec<&str>, &ChangedRow)> {
    let mut out: Vec<(Vec<&str>, &ChangedRow)> = Vec::new();
    for row in rows {
        match out.iter_mut().find(|(_, first)| (&first.old, &first.new) == (&row.old, &row.new)) {
            Some((heads, _)) => heads.push(&row.head),
            None => out.push((vec![&row.head], row)),
        }
    }
    out
}

impl TablesContext<'_> {
    /// The first line.
    fn answer(&self) -> Headline {
        let [old, new] = &self.subject.names;
        // What is not asked about is gone wrong in neither.
        let left = |i: usize| {
            let words = self
                .asked
                .as_ref()
                .map_or_else(String::new, |asked| asked[i].not_asked_in_words(None));
            let words = words.trim_start_matches("; ");
            if words.is_empty() { String::new() } else { format!(" ({words})") }
        };
        let subject = format!("{old}{} and {new}{}", left(0), left(1));
        let (changed, all) = (self.rows.rows.len(), self.rows.rows.len() + self.rows.same);
        if changed == 0 {
            let rest = format!(", all {} rows", number(all as u64));
            return Headline::new(Tone::Good, "equal", &rest, &Restriction::default(), &subject);
        }
        let mut rest = format!(", {} of {} rows", number(changed as u64), number(all as u64));
        for direction in &self.directions {
            let what = if direction.of == 1 { "newly wrong" } else { "no longer wrong" };
            let report = &direction.report;
            let found = match (&report.verdict, report.foremost()) {
                (CheckVerdict::Counterexample, Some(first)) => {
                    format!("a program of {}", events(first.events))
                }
                (CheckVerdict::Undecided(_), _) if report.established == 0 => {
                    "undecided".to_owned()
                }
                (CheckVerdict::Undecided(_), _) => {
                    format!("undecided above {}", events(report.established))
                }
                _ => format!("none up to {}", events(report.established)),
            };
            rest.push_str(&format!("; {what}: {found}"));
        }
        if self.unasked.is_some() {
            rest.push_str("; no programs were asked about");
        }
        Headline::new(Tone::Bad, "different", &rest, &Restriction::of_check(self.options), &subject)
    }

    fn print(
        &self,
        presented: &[(usize, PresentedCounterexample<'_>)],
        output: &Output,
    ) -> std::io::Result<()> {
        output.headline(&self.answer().painted(*output))?;
        let [old, new] = &self.subject.tables;
        let models = |m: &Mapping| format!("{} -> {}", m.source.name, m.target.name);
        let line = match models(old) == models(new) {
            true => format!("both {}", models(new)),
            false if self.directions.is_empty() => format!("{} and {}", models(old), models(new)),
            false => format!(
                "{} and {}; programs were asked about between the second pair",
                models(old),
                models(new)
            ),
        };
        output.print(&wrapped(&line, output.width()))?;
        if let Some(why) = &self.unasked {
            output.print(&wrapped(
                &format!("No programs were asked about: {why}."),
                output.width(),
            ))?;
        }
        for direction in &self.directions {
            if let CheckVerdict::Undecided(why) = &direction.report.verdict {
                let why = self.stopped.map_or(why.clone(), |stopped| format!("{stopped}; {why}"));
                output.print(&wrapped(&format!("Undecided because: {why}."), output.width()))?;
            }
        }
        for DescriptionDifference { what, old, new } in &self.rows.descriptions {
            let said = |of: &Option<String>| of.clone().unwrap_or_else(|| "not said".to_owned());
            output.print(&wrapped(
                &format!("{what}: {}; in the newer table {}", said(old), said(new)),
                output.width(),
            ))?;
        }
        for (heads, row) in alike(&self.rows.rows) {
            output.print("")?;
            output.print(&wrapped(&output.heading(&heads.join(", ")), output.width()))?;
            output.print(&indented(&format!("  old: {}", row.old), output.width()))?;
            output.print(&indented(&format!("  new: {}", row.new), output.width()))?;
        }
        if let Some(asked) = &self.asked {
            for (of, shown) in presented {
                output.print("")?;
                let [own, other] = [*of, 1 - *of].map(|i| &self.subject.names[i]);
                output.print(&wrapped(
                    &output
                        .heading(&format!("{own} gets this program wrong, and {other} does not")),
                    output.width(),
                ))?;
                print_counterexample(&asked[*of], shown, output)?;
            }
        }
        output.print("")?;
        output.print(&wrapped(&format!("{:.1} s.", self.seconds), output.width()))
    }

    fn document(
        &self,
        presented: &[(usize, PresentedCounterexample<'_>)],
    ) -> report::TablesDocument {
        let [old, new] = &self.subject.tables;
        let direction = |direction: &TableDirection| report::TablesDirection {
            only: direction.word().to_owned(),
            mapping: self.subject.names[direction.of].clone(),
            verdict: (&direction.report.verdict).into(),
            reason: match &direction.report.verdict {
                CheckVerdict::Undecided(why) => {
                    Some(self.stopped.map_or(why.clone(), |stopped| format!("{stopped}; {why}")))
                }
                CheckVerdict::None | CheckVerdict::Counterexample => None,
            },
            established: direction.report.established,
            of_both: direction.report.old,
            counterexamples: presented
                .iter()
                .filter(|(of, _)| *of == direction.of)
                .map(|(_, shown)| counterexample_report(shown))
                .collect(),
        };
        let row = |row: &ChangedRow| report::ChangedRowRecord {
            row: row.head.clone(),
            old: row.old.clone(),
            new: row.new.clone(),
        };
        let said = |d: &DescriptionDifference| report::DescriptionRecord {
            what: d.what.to_owned(),
            old: d.old.clone(),
            new: d.new.clone(),
        };
        report::TablesDocument {
            old: old.title.clone(),
            old_file: old.file.name.clone(),
            new: new.title.clone(),
            new_file: new.file.name.clone(),
            answer: self.answer().text(),
            verdict: if self.rows.rows.is_empty() {
                margay_reports::Verdict::Equal
            } else {
                margay_reports::Verdict::Different
            },
            source: new.source.name.clone(),
            target: new.target.name.clone(),
            same: self.rows.same,
            rows: self.rows.rows.iter().map(row).collect(),
            descriptions: self.rows.descriptions.iter().map(said).collect(),
            bound: self.options.bound,
            typed: self.options.typed,
            directions: self.directions.iter().map(direction).collect(),
            unasked: self.unasked.clone(),
            seconds: self.seconds,
        }
    }
}
