//! The cheapest strengthenings of a program that forbid an outcome: the answer of `margay fence`,
//! and a part of that of `margay explain`.

mod ask;
mod changes;

pub use ask::{FenceOptions, run};

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use margay_console::exit::Exit;
use margay_console::output::{Format, Output};
use margay_console::{inputs, limits};
use margay_litmus::clusters;
use margay_litmus::engine::Choice;
use margay_litmus::explicit::{self, Witness};
use margay_litmus::print::SourceText;
use margay_litmus::race::Race;
use margay_litmus::strengthen::{
    Costs, Limits, Means, RepairsFound, Stopped, Terms, TestRepair, cheapest,
};
use margay_litmus::test::Test;
use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::model::{Model, RaceMeaning};
use margay_reports::{Verdict, fence as document};

use crate::headline::{Headline, Tone};
use crate::outcome::{of, turns};
use crate::races;
use crate::refusal::by_engine;
use crate::run::lost;

/// A test and a model that can be asked about it.
pub struct FenceSubject {
    /// The file as named.
    pub file: String,
    /// Its text.
    pub source: Arc<SourceFile>,
    pub test: Test,
    pub model: Model,
}

impl FenceSubject {
    /// Reads both; with `races` the model is asked for races, too.
    pub fn load(
        test: &Path,
        model: &str,
        races: bool,
        output: &Output,
    ) -> Result<Self, Vec<Diagnostic>> {
        let (model, read) = match (inputs::model(model, output), inputs::test(test, output)) {
            (Ok(model), Ok(read)) => (model, read),
            (model, read) => {
                return Err(model.err().into_iter().chain(read.err()).flatten().collect());
            }
        };
        if let Some(error) = clusters::mismatch(&read.test, &model, &read.file) {
            return Err(vec![error]);
        }
        // Another tool's model is read for the tags of the test.
        let model = model.of_tests(read.test.dialect.signature()).unwrap_or(&model).clone();
        let model = races::of(model, races).map_err(|error| vec![error])?;
        Ok(Self { file: test.display().to_string(), source: read.file, test: read.test, model })
    }

    /// The words of the test's text, for others that differ from it in some operations.
    pub fn spelling(&self) -> SourceText<'_> {
        SourceText::new(&self.test, &self.source.text)
    }
}

/// No answer: why, and what is known.
fn stop(
    subject: &FenceSubject,
    stopped: &Stopped,
    seconds: f64,
    output: &Output,
) -> std::io::Result<Exit> {
    let FenceSubject { file, source, model, test } = subject;
    if !stopped.error.is_undecided() {
        return output.wrong(&[by_engine(&stopped.error, file, source, model)]);
    }
    let why = limits::gave_up(&stopped.error);
    let least = stopped.at_least;
    let of = of(test, &model.name);
    let rest = format!(", {why}: {of}; nothing that costs less than {least} forbids the outcome");
    let undecided = Headline { tone: Tone::Unsure, found: "undecided".to_owned(), rest };
    match output.format {
        Format::Json => output.document(&document::UndecidedFence {
            file: file.clone(),
            answer: undecided.text(),
            name: test.name.clone(),
            model: model.name.clone(),
            verdict: Verdict::Undecided,
            reason: limits::gave_up(&stopped.error),
            cost_at_least: stopped.at_least,
            seconds,
        })?,
        _ => output.headline(&undecided.painted(*output))?,
    }
    Ok(Exit::Undecided)
}

/// The first line: what was found, what was allowed to change, the bound, and what was not asked.
pub fn headline(
    subject: &FenceSubject,
    found: &RepairsFound,
    means: Means,
    unroll: usize,
) -> Headline {
    let of = of(&subject.test, &subject.model.name);
    let bounded = if found.bounded { format!(",{}", turns(unroll)) } else { String::new() };
    let line = |tone, found: &str, rest: String| Headline { tone, found: found.to_owned(), rest };
    if found.already() {
        let race = if found.racy.is_some() { ", and the program has no race" } else { "" };
        return line(
            Tone::Good,
            "nothing to do",
            format!(": {of} is forbidden as it is{race}{bounded}"),
        );
    }
    let to = match (found.reachable, found.racy) {
        (true, Some(true)) if found.is_repairable() => {
            format!("to forbid {of} and be rid of the program's race")
        }
        (true, _) => format!("to forbid {of}"),
        (false, _) => format!("to be rid of the race of {of}, which forbids the outcome"),
    };
    let by = restriction(means);
    let ways = match found.repairs.len() {
        0 => None,
        1 => Some((
            "one cheapest way".to_owned(),
            format!("{by} {to}, at a cost of {}{bounded}", found.cost),
        )),
        n => {
            let ways =
                format!("{n}{} cheapest ways", if found.truncated { " or more" } else { "" });
            Some((ways, format!("{by} {to}, each at a cost of {}{bounded}", found.cost)))
        }
    };
    let no_way = |rest: String| line(Tone::Bad, "no way", rest);
    let mut said = match (ways, found.is_repairable(), found.reachable) {
        (Some((ways, rest)), true, _) => line(Tone::Good, &ways, rest),
        (Some((ways, rest)), false, _) => no_way(format!(
            ": a race remains with all changes that were tried at once. {ways}{rest}"
        )),
        (None, _, true) => no_way(format!(
            "{by}: {of} is still allowed with all changes at once that were tried{bounded}"
        )),
        (None, _, false) => no_way(format!(
            "{by}: {of} still has a race with all changes at once that were tried{bounded}"
        )),
    };
    if found.unasked > 0 {
        said.rest +=
            &format!("; {} programs have too many events and were not asked about", found.unasked);
    }
    said
}

/// What a model that knows of races says: which race the program has, before and after the changes.
pub fn print_races(
    subject: &FenceSubject,
    found: &RepairsFound,
    before: Option<&Race>,
    output: &Output,
) -> std::io::Result<()> {
    // The first line of what needs nothing says it.
    if let Some(race) = race(subject, found).filter(|_| !found.already()) {
        output.prose(&race)?;
    }
    before.map_or(Ok(()), |race| output.prose(&format!("Racy: {}", race.sentence(&subject.source))))
}

/// What the search is limited to.
fn restriction(means: Means) -> String {
    let all = [(means.fences, "fences"), (means.orders, "orders"), (means.scopes, "scopes")];
    let used: Vec<&str> = all.iter().filter(|(used, _)| *used).map(|(_, name)| *name).collect();
    if used.len() == all.len() {
        String::new()
    } else {
        format!(" by {} alone", used.join(" and "))
    }
}

/// What a model that knows of races says of the program, before and after.
fn race(subject: &FenceSubject, found: &RepairsFound) -> Option<String> {
    let undefined = subject.model.race_meaning() != Some(RaceMeaning::Defined);
    let repaired = !found.repairs.is_empty();
    let after = match (repaired, found.is_repairable()) {
        (false, _) => "",
        (true, true) => "; after the change it has none",
        (true, false) if undefined => {
            "; after the change it still has one, so that a compiler may do anything"
        }
        (true, false) => "; after the change it still has one",
    };
    Some(match found.racy? {
        true if undefined => {
            format!("As it is, the program has a race, so that its behaviour is undefined{after}.")
        }
        true => {
            format!("As it is, the program has a data race, which leaves it its meaning{after}.")
        }
        false if repaired => "The program has no race, before and after the change.".to_owned(),
        false => "The program has no race.".to_owned(),
    })
}

/// The repairs: the threads that change, with `+` at what is added and `-` at what is taken away.
/// Where there is none, what was tried.
pub fn print(
    subject: &FenceSubject,
    found: &RepairsFound,
    most: usize,
    output: &Output,
) -> std::io::Result<()> {
    let spelling = subject.spelling();
    for (i, repair) in found.repairs.iter().take(most).enumerate() {
        output.print("")?;
        if found.repairs.len() > 1 {
            output.print(&output.heading(&format!("{}.", i + 1)))?;
        }
        for line in changes::shown(&subject.test, &repair.test, &spelling) {
            let text = format!("  {}", line.text);
            output.print(&match line.mark {
                '+' => output.good(&text),
                '-' => output.bad(&text),
                _ => text,
            })?;
        }
    }
    if found.repairs.len() > most {
        output.prose(&format!("\n{} more ways: `margay fence`", found.repairs.len() - most))?;
    }
    if !found.already() && !found.is_repairable() {
        output.print("")?;
        list("Tried", &found.tried.changes, output)?;
        list("Not tried", &found.tried.left_out, output)?;
    }
    Ok(())
}

fn list(heading: &str, of: &[String], output: &Output) -> std::io::Result<()> {
    output.print(&output.heading(heading))?;
    if of.is_empty() {
        output.print("  nothing")?;
    }
    of.iter().try_for_each(|line| output.prose(&format!("  {line}")))
}

/// The repairs as a part of a document.
pub fn repairs(subject: &FenceSubject, found: &RepairsFound) -> Vec<document::StrengtheningRecord> {
    let spelling = subject.spelling();
    let change = |c: &changes::FenceChange| document::InstructionChange {
        thread: c.thread.to_string(),
        line: c.line,
        before: c.before.clone(),
        after: c.after.clone(),
    };
    let repair = |r: &TestRepair| document::StrengtheningRecord {
        changes: changes::of(&subject.test, &r.test, &spelling).iter().map(change).collect(),
        litmus: spelling.test(&r.test),
        bounded: r.bounded,
        racy: r.racy,
    };
    found.repairs.iter().map(repair).collect()
}

/// The answer as a document.
fn document(
    subject: &FenceSubject,
    found: &RepairsFound,
    (answer, race): (&Headline, Option<&Witness>),
    seconds: f64,
) -> document::FenceDocument {
    let verdict = match (found.already(), found.is_repairable()) {
        (true, _) => Verdict::Forbidden,
        (false, false) => Verdict::Irreparable,
        (false, true) => Verdict::Repairable,
    };
    document::FenceDocument {
        file: subject.file.clone(),
        answer: answer.text(),
        name: subject.test.name.clone(),
        model: subject.model.name.clone(),
        verdict,
        racy: found.racy,
        race: race.and_then(|witness| lost::race(&subject.model, witness, &subject.source)),
        cost: (!found.repairs.is_empty()).then_some(found.cost),
        repairs: repairs(subject, found),
        tried: found.tried.changes.clone(),
        not_tried: found.tried.left_out.clone(),
        unasked: found.unasked,
        truncated: found.truncated,
        bounded: found.bounded,
        asked: found.asked,
        litmus: subject.spelling().test(&subject.test),
        seconds,
    }
}

/// What would forbid an allowed outcome, by the built-in costs.
pub fn what_would_forbid(
    subject: &FenceSubject,
    run: &explicit::Options,
    engine: Choice,
    deadline: Option<Instant>,
) -> Result<RepairsFound, Stopped> {
    let limits = Limits { deadline, repairs: Some(1000), questions: None };
    let terms = Terms {
        means: Means::ALL,
        costs: &Costs::default(),
        language: subject.spelling().language(),
    };
    cheapest(&subject.test, &subject.model, &terms, run, engine, limits)
}
