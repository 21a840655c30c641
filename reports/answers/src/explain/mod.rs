//! Why a model forbids the outcome of a test, or what would forbid it: the answer of
//! `margay explain`.

mod ask;

pub use ask::{ExplainOptions, run};

use margay_console::exit::Exit;
use margay_console::limits;
use margay_console::output::{Format, Output};
use margay_litmus::explicit::{Error, Forbidden, TestVerdict, Witness};
use margay_litmus::race::{self, Race};
use margay_litmus::strengthen::{Means, RepairsFound, Stopped};
use margay_models::bits::Event;
use margay_models::diagnostic::{SourceFile, SourcePlace};
use margay_models::execution::Execution;
use margay_models::explain::{self, Violation};
use margay_models::model::RaceMeaning;
use margay_models::picture::{Picture, event_name, svg, text};
use margay_reports::{Verdict as Answer, explain as document};

use crate::executions::{ChosenExecutions, ExecutionChoice};
use crate::fence::{self, FenceSubject};
use crate::headline::{Headline, Tone};
use crate::outcome::{headline, of, turns};
use crate::races;
use crate::refusal::by_engine;
use crate::restriction::Restriction;
use crate::run::lost;
use crate::violation;

/// How many ways to forbid an outcome are shown.
const WAYS: usize = 3;

/// No answer: why.
fn failed(subject: &FenceSubject, error: &Error, output: &Output) -> std::io::Result<Exit> {
    let FenceSubject { file, source, model, test } = subject;
    if !error.is_undecided() {
        return output.wrong(&[by_engine(error, file, source, model)]);
    }
    let of = of(test, &model.name);
    let undecided = Headline::new(
        Tone::Unsure,
        "undecided",
        &format!(", {}", limits::gave_up(error)),
        &Restriction::default(),
        &of,
    );
    match output.format {
        Format::Json => output.document(&document::UndecidedExplanation {
            file: file.clone(),
            answer: undecided.text(),
            name: test.name.clone(),
            model: model.name.clone(),
            verdict: Answer::Undecided,
            reason: limits::gave_up(error),
        })?,
        _ => output.headline(&undecided.painted(*output))?,
    }
    Ok(Exit::Undecided)
}

/// The first line of the answer.
fn first_line(subject: &FenceSubject, verdict: &TestVerdict, unroll: usize) -> Headline {
    headline(&subject.test, &subject.model.name, verdict, unroll, &Restriction::default())
}

/// The race of a racy program, with its two accesses, and what it means.
fn tell_race(
    subject: &FenceSubject,
    verdict: &TestVerdict,
    output: &Output,
) -> std::io::Result<()> {
    let Some(witness) = &verdict.race else { return Ok(()) };
    let Some(race) = Race::of(&subject.model, witness) else { return Ok(()) };
    output.prose(&format!("Racy: {}", race.sentence(&subject.source)))?;
    output.prose(race::meaning(race.meaning))?;
    output.prose(match race.meaning {
        RaceMeaning::Undefined => "`margay fence` says what leaves it without one.",
        RaceMeaning::Defined => "`margay fence --races` says what leaves it without one.",
    })?;
    output.print("")?;
    output.print(&output.heading("An execution that has the race"))?;
    let picture = Race::picture(
        &format!("{}: a race under {}", subject.test.name, subject.model.name),
        &subject.model,
        witness,
    );
    output.print(text(&witness.execution, &picture, output.width(), output.colour()).trim_end())
}

/// The same in a document.
fn race(subject: &FenceSubject, verdict: &TestVerdict) -> Option<margay_reports::run::RaceRecord> {
    verdict.race.as_ref().and_then(|witness| lost::race(&subject.model, witness, &subject.source))
}

/// Executions are lost: nothing follows, for the reasons given.
fn without_end(
    subject: &FenceSubject,
    verdict: &TestVerdict,
    why: &[String],
    unroll: usize,
    output: &Output,
) -> std::io::Result<Exit> {
    let FenceSubject { file, model, test, .. } = subject;
    let first = first_line(subject, verdict, unroll);
    if output.format == Format::Json {
        output.document(&document::UndecidedExplanation {
            file: file.clone(),
            answer: first.text(),
            name: test.name.clone(),
            model: model.name.clone(),
            verdict: Answer::Undecided,
            reason: why.join(" "),
        })?;
    } else {
        output.headline(&first.painted(*output))?;
        tell_race(subject, verdict, output)?;
        why.iter().try_for_each(|line| output.prose(line))?;
    }
    Ok(Exit::Undecided)
}

/// The outcome is allowed: how, and what would forbid it.
fn allowed(
    subject: &FenceSubject,
    (verdict, witness): (&TestVerdict, &Witness),
    found: &Result<RepairsFound, Stopped>,
    (unroll, shown): (usize, &ExplainedExecutions<'_>),
    output: &Output,
) -> std::io::Result<Exit> {
    let first = first_line(subject, verdict, unroll);
    let x = &witness.execution;
    let title = format!("{}: allowed by {}", subject.test.name, subject.model.name);
    let picture = Picture::of(&title, x, None);
    if output.format == Format::Json {
        output.document(&document::Allowed {
            file: subject.file.clone(),
            answer: first.text(),
            name: subject.test.name.clone(),
            model: subject.model.name.clone(),
            verdict: Answer::Allowed,
            litmus: subject.test.to_string(),
            events: violation::events(x),
            svg: svg(x, &picture),
            racy: verdict.racy,
            race: race(subject, verdict),
            listed: shown.document(subject),
            cost: found
                .as_ref()
                .ok()
                .map(|found| (!found.repairs.is_empty()).then_some(found.cost)),
            repairs: found.as_ref().ok().map(|found| fence::repairs(subject, found)),
            tried: found.as_ref().ok().map(|found| found.tried.changes.clone()),
            not_tried: found.as_ref().ok().map(|found| found.tried.left_out.clone()),
            reason: found.as_ref().err().map(|stopped| limits::gave_up(&stopped.error)),
        })?;
    } else {
        output.headline(&first.painted(*output))?;
        tell_race(subject, verdict, output)?;
        if let Some(listed) = shown.listed {
            listed.print(&subject.test, &subject.model, shown.choice, output)?;
        } else {
            output.print("")?;
            output.print(&output.heading(&format!(
                "An execution that {}",
                subject.test.condition.quantifier.asks_for()
            )))?;
            output.print(text(x, &picture, output.width(), output.colour()).trim_end())?;
        }
        output.print("")?;
        output.print(&output.heading("What would forbid it"))?;
        match found {
            Ok(found) => {
                output
                    .prose(&fence::headline(subject, found, Means::ALL, unroll).painted(*output))?;
                fence::print_races(subject, found, None, output)?;
                fence::print(subject, found, WAYS, output)?;
            }
            Err(stopped) => {
                let why = limits::gave_up(&stopped.error);
                output.prose(&format!(
                    "Not found: {why}; nothing that costs less than {} does.",
                    stopped.at_least
                ))?
            }
        }
    }
    shown.draw(subject, (x, &picture), output);
    Ok(if found.is_err() { Exit::Undecided } else { Exit::Holds })
}

/// Why no execution has what is asked about.
fn absent(
    subject: &FenceSubject,
    verdict: &TestVerdict,
    unroll: usize,
    output: &Output,
) -> std::io::Result<Exit> {
    let asked = subject.test.condition.quantifier.asks_for();
    let bounded = verdict.bounded;
    let (why, first) = if bounded {
        let why = format!("No execution{} {asked}; try a larger --unroll.", turns(unroll));
        (why, first_line(subject, verdict, unroll))
    } else {
        let of = of(&subject.test, &subject.model.name);
        let races = match verdict.race_meaning {
            Some(RaceMeaning::Defined) => races::words(verdict),
            _ if verdict.racy == Some(true) => ", and the program is undefined",
            _ => "",
        };
        let first = Headline::new(Tone::Good, "impossible", races, &Restriction::default(), &of);
        (format!("No execution of the program {asked}, whatever the model says."), first)
    };
    if output.format == Format::Json {
        output.document(&document::AbsentExplanation {
            file: subject.file.clone(),
            answer: first.text(),
            name: subject.test.name.clone(),
            model: subject.model.name.clone(),
            verdict: if bounded { Answer::Undecided } else { Answer::Impossible },
            litmus: subject.test.to_string(),
            racy: verdict.racy,
            race: race(subject, verdict),
            reason: why,
        })?;
    } else {
        output.headline(&first.painted(*output))?;
        output.prose(&why)?;
        tell_race(subject, verdict, output)?;
    }
    Ok(if bounded { Exit::Undecided } else { Exit::Holds })
}

/// The outcome is not allowed: why, or that nothing has it.
fn not_allowed(
    subject: &FenceSubject,
    verdict: &TestVerdict,
    forbidden: Option<&Forbidden>,
    (unroll, shown): (usize, &ExplainedExecutions<'_>),
    output: &Output,
) -> std::io::Result<Exit> {
    let Some(forbidden) = forbidden else {
        shown.choice.tell_nothing(output);
        return absent(subject, verdict, unroll, output);
    };
    let first = first_line(subject, verdict, unroll);
    let mut reasons = forbidden
        .checks
        .iter()
        .map(|&check| ForbiddingReason::of(subject, &forbidden.witness.execution, check));
    if output.format == Format::Json {
        output.document(&document::ForbiddenExplanation {
            file: subject.file.clone(),
            answer: first.text(),
            name: subject.test.name.clone(),
            model: subject.model.name.clone(),
            verdict: Answer::Forbidden,
            litmus: subject.test.to_string(),
            bounded: verdict.bounded,
            racy: verdict.racy,
            race: race(subject, verdict),
            listed: shown.document(subject),
            events: violation::events(&forbidden.witness.execution),
            axioms: reasons.by_ref().map(|reason| reason.document()).collect(),
        })?;
    } else {
        output.headline(&first.painted(*output))?;
        tell_race(subject, verdict, output)?;
        if let Some(listed) = shown.listed {
            listed.print(&subject.test, &subject.model, shown.choice, output)?;
        } else {
            reasons.by_ref().try_for_each(|reason| reason.print(output))?;
        }
    }
    if let Some(&check) = forbidden.checks.first() {
        let x = &forbidden.witness.execution;
        shown.draw(subject, (x, &ForbiddingReason::of(subject, x, check).picture), output);
    }
    Ok(if verdict.bounded { Exit::Undecided } else { Exit::Holds })
}

/// Which executions are shown, and those that were listed for it.
struct ExplainedExecutions<'a> {
    choice: &'a ExecutionChoice,
    listed: Option<&'a ChosenExecutions>,
}

impl ExplainedExecutions<'_> {
    fn document(&self, subject: &FenceSubject) -> Option<margay_reports::run::ExecutionListRecord> {
        self.listed.map(|listed| listed.document(&subject.test, &subject.model))
    }

    /// Draws the first one that is shown: of the list, or else the one given.
    fn draw(&self, subject: &FenceSubject, (x, picture): (&Execution, &Picture), output: &Output) {
        match self.listed.and_then(|listed| listed.first(&subject.test, &subject.model)) {
            Some((x, picture)) => self.choice.draw(x, &picture, output),
            None => self.choice.draw(x, picture, output),
        }
    }
}

/// Why an axiom forbids an execution.
struct ForbiddingReason<'a> {
    axiom: String,
    place: &'a SourcePlace,
    execution: &'a Execution,
    violation: Option<Violation>,
    picture: Picture,
}

impl<'a> ForbiddingReason<'a> {
    fn of(subject: &'a FenceSubject, execution: &'a Execution, check: usize) -> Self {
        let check_of = &subject.model.checks[check];
        let axiom = check_of.display_name();
        let violation = explain::violation(&subject.model, execution, check);
        let title = format!("{}: forbidden by {axiom}", subject.test.name);
        let picture = Picture::of(&title, execution, violation.as_ref());
        Self { axiom, place: &check_of.place, execution, violation, picture }
    }

    fn name(&self, event: Event) -> String {
        event_name(self.execution, event)
    }

    fn words(&self) -> Vec<String> {
        self.violation.as_ref().map(|v| v.words(&|e| self.name(e))).unwrap_or_default()
    }

    /// The edges that are there, and where in the model each comes from.
    fn edges(&self) -> Vec<(explain::ExplainedEdge, SourcePlace)> {
        self.violation.as_ref().map(Violation::edges_with_places).unwrap_or_default()
    }

    fn is_cycle(&self) -> bool {
        self.violation.as_ref().is_some_and(Violation::is_cycle)
    }

    fn document(&self) -> document::ForbiddingAxiom {
        let edge = |(e, place): &(explain::ExplainedEdge, SourcePlace)| document::SourcedEdge {
            from: self.name(e.from),
            to: self.name(e.to),
            relation: e.link.name(),
            file: place.file.name.clone(),
            line: place.line(),
            text: line_of(place),
        };
        let edges: Vec<document::SourcedEdge> = self.edges().iter().map(edge).collect();
        let (cycle, there) =
            if self.is_cycle() { (edges, Vec::new()) } else { (Vec::new(), edges) };
        document::ForbiddingAxiom {
            axiom: self.axiom.clone(),
            file: self.place.file.name.clone(),
            line: self.place.line(),
            text: line_of(self.place),
            summary: self.violation.as_ref().map(|v| v.summary(&|e| self.name(e))),
            explanation: self.words(),
            svg: svg(self.execution, &self.picture),
            cycle,
            there,
            missing: violation::report(self.violation.as_ref(), &|e| self.name(e)).missing,
        }
    }

    fn print(&self, output: &Output) -> std::io::Result<()> {
        output.print("")?;
        output.prose(&output.heading(&format!(
            "Axiom {} ({}, line {})",
            self.axiom,
            self.place.file.name,
            self.place.line()
        )))?;
        output.prose(&format!("  {}", line_of(self.place)))?;
        output.print("")?;
        for line in &self.words() {
            output.prose(&format!("  {line}"))?;
        }
        let edges = self.edges();
        if !edges.is_empty() {
            output.print("")?;
            let what = if self.is_cycle() {
                "The cycle, edge by edge"
            } else {
                "What is there, edge by edge"
            };
            output.prose(&output.heading(&format!("{what}, and the line that each comes from")))?;
            for (e, place) in &edges {
                let edge =
                    format!("{} -{}-> {}", self.name(e.from), e.link.name(), self.name(e.to));
                // A line of another file than the model's, which it includes, is named with the
                // file.
                let line = match place.file.name == self.place.file.name {
                    true => format!("  {edge:<22} line {:<4}", place.line()),
                    false => format!("  {edge:<22} {}:{:<4}", place.file.name, place.line()),
                };
                let text = line_of(place);
                // In a narrow window the line of the model stands below.
                let fits = line.chars().count() + 1 + text.chars().count() <= output.width();
                output.prose(&if fits {
                    format!("{line} {text}")
                } else {
                    format!("{}\n    {text}", line.trim_end())
                })?;
            }
        }
        for e in &self.violation.as_ref().map(Violation::missing).unwrap_or_default() {
            output.prose(&format!("  missing: {}", e.in_words(&|event| self.name(event))))?;
        }
        output.print("")?;
        output
            .print(text(self.execution, &self.picture, output.width(), output.colour()).trim_end())
    }
}

/// The line of the model at a place.
fn line_of(place: &SourcePlace) -> String {
    let SourceFile { text, .. } = &*place.file;
    text.lines().nth(place.line().saturating_sub(1)).unwrap_or_default().trim().to_owned()
}
