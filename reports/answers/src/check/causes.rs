//! `--causes`: what is wrong with a mapping, grouped by what is to blame, the worst first.

use std::path::Path;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::folder;
use margay_console::output::{Format, Output};
use margay_console::progress::Bar;
use margay_console::wrapped::{indented, wrapped};
use margay_mappings::causes::{Causes, CounterexampleCause, Weakness, causes};
use margay_mappings::check::{CheckOptions, Level};
use margay_mappings::language::Mapping;
use margay_reports::check as report;

use super::{CheckSubject, PresentedCounterexample, files};
use crate::headline::{Headline, Tone, events};
use crate::restriction::{Restriction, supposes};

/// Looks for the causes, and prints them; with a folder the counterexamples are written into it.
///
/// # Errors
/// The output cannot be written.
pub fn run(
    subject: &CheckSubject,
    asked: &CheckOptions,
    out: Option<&Path>,
    output: &Output,
) -> CommandOutcome {
    let CheckSubject { mapping, assumed, .. } = subject;
    if let Some(Err(error)) = out.map(folder::prepare) {
        return output.wrong(&[error]);
    }
    let found = Bar::during(*output, asked.bound, |bar| causes(mapping, asked, bar));
    let found = match found {
        Ok(found) => found,
        Err(errors) => return output.wrong(&errors),
    };
    let shown: Vec<PresentedCounterexample<'_>> = found
        .causes
        .iter()
        .map(|c| PresentedCounterexample::new(mapping, &c.counterexample))
        .collect();
    let open = found.settings.iter().any(|(_, end)| end.is_err());
    let exit = output.settle(match (found.causes.is_empty(), open) {
        (false, _) => Exit::Found,
        (true, true) => Exit::Undecided,
        (true, false) => Exit::Holds,
    });
    match output.format {
        Format::Json => output.document(&document(mapping, assumed, asked, &found, &shown))?,
        Format::Human => {
            print(mapping, asked, &found, &shown, output)?;
            if !assumed.is_empty() {
                let text = format!(
                    "Not asked about, because nobody looked what the compiler does (assumed rows): {}.",
                    assumed.join(", ")
                );
                output.print(&wrapped(&text, output.width()))?;
            }
        }
    }
    folder::fill(out, &files::is_like, *output, |folder| {
        let all = shown.iter().enumerate();
        all.into_iter()
            .try_for_each(|(i, one)| files::counterexample(folder, &files::stem(i), mapping, one))
    });
    Ok(exit)
}

/// The first line.
fn headline(mapping: &Mapping, asked: &CheckOptions, found: &Causes) -> Headline {
    let not_asked = mapping.not_asked_in_words(Some(&asked.constructs_of(mapping)));
    let open = found.settings.iter().any(|(_, end)| end.is_err());
    let (tone, words) = match (found.causes.len(), open) {
        (0, true) => (Tone::Unsure, "no cause was found, and not all was asked".to_owned()),
        (0, false) if not_asked.is_empty() => (Tone::Good, "nothing is wrong".to_owned()),
        (0, false) => (Tone::Good, "nothing wrong was found".to_owned()),
        (1, _) => (Tone::Bad, "1 cause".to_owned()),
        (n, _) => (Tone::Bad, format!("{n} causes, the worst first")),
    };
    let rest = format!(", {} of up to {}", level(asked), events(asked.bound));
    Headline::new(
        tone,
        words,
        &rest,
        &Restriction::of_check(asked),
        &format!("{}{not_asked}", mapping.title),
    )
}

/// Left-hand sides that are longer together, in characters, are named without their types and
/// operations.
const LONGEST: usize = 160;

/// Rows with the same instructions in one line: `RMW.ACQ, RMW.REL => atom.relaxed.gpu`.
fn alike(rows: &[(String, String)]) -> Vec<String> {
    let mut bodies: Vec<(&str, Vec<&str>)> = Vec::new();
    for (head, body) in rows {
        match bodies.iter_mut().find(|(known, _)| known == body) {
            Some((_, heads)) => heads.push(head),
            None => bodies.push((body, vec![head])),
        }
    }
    let line = |(body, heads): (&str, Vec<&str>)| {
        let all = heads.join(", ");
        if all.len() <= LONGEST {
            return format!("{all} => {body}");
        }
        let mut names: Vec<&str> = Vec::new();
        for name in all.split(", ").filter_map(|head| head.split(' ').next()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        format!(
            "{} (of some types or operations; `--format json` lists them) => {body}",
            names.join(", ")
        )
    };
    bodies.into_iter().map(line).collect()
}

fn level(asked: &CheckOptions) -> &'static str {
    if asked.level == Level::Program { "programs" } else { "executions" }
}

fn print(
    mapping: &Mapping,
    asked: &CheckOptions,
    found: &Causes,
    shown: &[PresentedCounterexample<'_>],
    output: &Output,
) -> std::io::Result<()> {
    output.print(&wrapped(&headline(mapping, asked, found).painted(*output), output.width()))?;
    if let Some(words) = supposes(mapping, &asked.constructs_of(mapping), asked.typed) {
        output.print(&wrapped(&format!("It supposes that {words}."), output.width()))?;
    }
    for (i, (cause, shown)) in found.causes.iter().zip(shown).enumerate() {
        let c = &cause.counterexample;
        output.print("")?;
        output.print(&output.heading(&format!(
            "{}. {}: {} events, axiom {}",
            i + 1,
            cause.setting,
            c.events,
            c.axiom
        )))?;
        let remedy = cause.weakness.remedy();
        let whose = match (cause.single, cause.rows.len()) {
            (true, 1) => format!("{remedy} in this row mends it:"),
            (true, n) => {
                format!("{remedy} in any one of these {n} rows that a program uses mends it:")
            }
            (false, _) => "no change of one row mends it; it uses:".to_owned(),
        };
        output.print(&indented(&format!("  {whose}"), output.width()))?;
        for line in alike(&cause.rows) {
            output.print(&indented(&format!("    {line}"), output.width()))?;
        }
        if !c.status.is_bug() {
            output.print(&format!("  {}", shown.standing()))?;
        }
        output.print(&format!("  outcome: {}", shown.outcome))?;
        for line in shown.target.lines().filter(|l| l.contains(';')) {
            output.print(&format!("  {line}"))?;
        }
    }
    output.print("")?;
    let more = match found.causes.is_empty() {
        true if mapping.not_asked_in_words(Some(&asked.constructs_of(mapping))).is_empty() => {
            "nothing is wrong"
        }
        true => "nothing wrong was found",
        false => "nothing more, once these rows are strong enough,",
    };
    for (name, end) in &found.settings {
        output.print(&match end {
            Ok(bound) => format!("{name}: {more} up to {bound}", bound = events(*bound)),
            Err(why) => format!("{name}: {}: {why}", output.unsure("undecided")),
        })?;
    }
    Ok(())
}

fn document(
    mapping: &Mapping,
    assumed: &[String],
    asked: &CheckOptions,
    found: &Causes,
    shown: &[PresentedCounterexample<'_>],
) -> report::CausesDocument {
    let cause = |(cause, shown): (&CounterexampleCause, &PresentedCounterexample<'_>)| {
        report::CauseRecord {
            setting: cause.setting.to_owned(),
            events: cause.counterexample.events,
            axiom: cause.counterexample.axiom.clone(),
            status: cause.counterexample.status.into(),
            single: cause.single,
            weakness: match cause.weakness {
                Weakness::Scope => report::WeaknessRecord::Scope,
                Weakness::Order => report::WeaknessRecord::Order,
                Weakness::Both => report::WeaknessRecord::Both,
            },
            rows: cause.rows.iter().map(|(head, body)| format!("{head} => {body}")).collect(),
            outcome: shown.outcome.clone(),
            source_litmus: shown.source.clone(),
            target_litmus: shown.target.clone(),
        }
    };
    let setting = |(name, end): &(&str, Result<usize, String>)| report::CauseSettingRecord {
        setting: (*name).to_owned(),
        none_beyond_these_up_to: end.as_ref().ok().copied(),
        undecided: end.as_ref().err().cloned(),
    };
    report::CausesDocument {
        mapping: mapping.title.clone(),
        mapping_file: mapping.file.name.clone(),
        answer: headline(mapping, asked, found).text(),
        level: asked.level.into(),
        bound: asked.bound,
        causes: found.causes.iter().zip(shown).map(cause).collect(),
        settings: found.settings.iter().map(setting).collect(),
        assumed: assumed.to_vec(),
    }
}
