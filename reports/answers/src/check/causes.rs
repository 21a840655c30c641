//! `--causes`: what is wrong with a mapping, grouped by what is to blame, the worst first.

use std::path::Path;

use margay_console::exit::{Exit, Outcome};
use margay_console::folder;
use margay_console::output::{Format, Output};
use margay_console::progress::Bar;
use margay_console::wrapped::wrapped;
use margay_mappings::causes::{Cause, Causes, causes};
use margay_mappings::check::{CheckOptions, Level};
use margay_mappings::language::Mapping;
use margay_reports::check as report;

use super::{Asked, Presented, files};

/// Looks for the causes, and prints them; with a folder the counterexamples are written into it.
///
/// # Errors
/// The output cannot be written.
pub fn run(subject: &Asked, asked: &CheckOptions, out: Option<&Path>, output: &Output) -> Outcome {
    let Asked { mapping, assumed, .. } = subject;
    if let Some(Err(error)) = out.map(folder::prepare) {
        return output.wrong(&[error]);
    }
    let found = Bar::during(*output, asked.bound, |bar| causes(mapping, asked, bar));
    let found = match found {
        Ok(found) => found,
        Err(errors) => return output.wrong(&errors),
    };
    let shown: Vec<Presented<'_>> = found.causes.iter().map(|c| Presented::new(mapping, &c.counterexample)).collect();
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
        all.into_iter().try_for_each(|(i, one)| files::counterexample(folder, &files::stem(i), mapping, one))
    });
    Ok(exit)
}

fn level(asked: &CheckOptions) -> &'static str {
    if asked.level == Level::Program { "programs" } else { "executions" }
}

fn print(
    mapping: &Mapping,
    asked: &CheckOptions,
    found: &Causes,
    shown: &[Presented<'_>],
    output: &Output,
) -> std::io::Result<()> {
    let count = match found.causes.len() {
        0 => output.good("nothing is wrong"),
        1 => output.bad("1 cause"),
        n => output.bad(&format!("{n} causes, the worst first")),
    };
    output.print(&format!("{count}, {} of up to {} events: {}", level(asked), asked.bound, mapping.title))?;
    for (i, (cause, shown)) in found.causes.iter().zip(shown).enumerate() {
        let c = &cause.counterexample;
        output.print("")?;
        output.print(&output.heading(&format!("{}. {}: {} events, axiom {}", i + 1, cause.setting, c.events, c.axiom)))?;
        let whose = match (cause.single, cause.rows.len()) {
            (true, 1) => "to blame:",
            (true, _) => "to blame, each by itself:",
            (false, _) => "no single row is to blame; it uses:",
        };
        output.print(&format!("  {whose}"))?;
        for (head, body) in &cause.rows {
            output.print(&format!("    {head} => {body}"))?;
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
    for (name, end) in &found.settings {
        output.print(&match end {
            Ok(bound) => format!("{name}: nothing more up to {bound} events"),
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
    shown: &[Presented<'_>],
) -> report::Causes {
    let cause = |(cause, shown): (&Cause, &Presented<'_>)| report::Cause {
        setting: cause.setting.to_owned(),
        events: cause.counterexample.events,
        axiom: cause.counterexample.axiom.clone(),
        status: cause.counterexample.status.into(),
        single: cause.single,
        rows: cause.rows.iter().map(|(head, body)| format!("{head} => {body}")).collect(),
        outcome: shown.outcome.clone(),
        source_litmus: shown.source.clone(),
        target_litmus: shown.target.clone(),
    };
    let setting = |(name, end): &(&str, Result<usize, String>)| report::Setting {
        setting: (*name).to_owned(),
        none_beyond_these_up_to: end.as_ref().ok().copied(),
        undecided: end.as_ref().err().cloned(),
    };
    report::Causes {
        mapping: mapping.title.clone(),
        mapping_file: mapping.file.name.clone(),
        level: asked.level.into(),
        bound: asked.bound,
        causes: found.causes.iter().zip(shown).map(cause).collect(),
        settings: found.settings.iter().map(setting).collect(),
        assumed: assumed.to_vec(),
    }
}
