//! Why a model forbids the outcome of a test, or what would forbid it: the answer of `margay explain`.

mod ask;

pub use ask::{Options, run};

use margay_console::exit::Exit;
use margay_console::limits;
use margay_console::output::{Format, Output};
use margay_litmus::explicit::{Error, Forbidden, Verdict, Witness};
use margay_litmus::strengthen::{Found, Means, Stopped};
use margay_litmus::test::{Quantifier, Test};
use margay_models::bits::Event;
use margay_models::diagnostic::{Place, SourceFile};
use margay_models::execution::Execution;
use margay_models::explain::{self, Violation};
use margay_models::picture::{Picture, event_name, svg, text};
use margay_reports::{Verdict as Answer, explain as document};

use crate::fence::{self, Subject};
use crate::refusal::by_engine;
use crate::violation;

/// How many ways to forbid an outcome are shown.
const WAYS: usize = 3;

/// No answer: why.
fn failed(subject: &Subject, error: &Error, output: &Output) -> std::io::Result<Exit> {
    let Subject { file, source, model, test } = subject;
    if !error.is_undecided() {
        return output.wrong(&[by_engine(error, file, source, model)]);
    }
    match output.format {
        Format::Json => output.document(&document::Undecided {
            file: file.clone(),
            name: test.name.clone(),
            model: model.name.clone(),
            verdict: Answer::Undecided,
            reason: limits::gave_up(error),
        })?,
        _ => output.prose(&format!("{}: {}", output.unsure("undecided"), limits::gave_up(error)))?,
    }
    Ok(Exit::Undecided)
}

/// Executions are lost: nothing follows, for the reasons given.
fn lost(subject: &Subject, why: &[String], output: &Output) -> std::io::Result<Exit> {
    let Subject { file, model, test, .. } = subject;
    if output.format == Format::Json {
        output.document(&document::Undecided {
            file: file.clone(),
            name: test.name.clone(),
            model: model.name.clone(),
            verdict: Answer::Undecided,
            reason: why.join(" "),
        })?;
    } else {
        output.prose(&format!("{}: {}", output.unsure("undecided"), why.join(" ")))?;
    }
    Ok(Exit::Undecided)
}

/// The outcome is allowed: how, and what would forbid it.
fn allowed(
    subject: &Subject,
    (verdict, witness): (&Verdict, &Witness),
    found: &Result<Found, Stopped>,
    output: &Output,
) -> std::io::Result<Exit> {
    let x = &witness.execution;
    let title = format!("{}: allowed by {}", subject.test.name, subject.model.name);
    let picture = Picture::of(&title, x, None);
    if output.format == Format::Json {
        output.document(&document::Allowed {
            file: subject.file.clone(),
            name: subject.test.name.clone(),
            model: subject.model.name.clone(),
            verdict: Answer::Allowed,
            litmus: subject.test.to_string(),
            events: violation::events(x),
            svg: svg(x, &picture),
            racy: verdict.racy,
            cost: found.as_ref().ok().map(|found| (!found.repairs.is_empty()).then_some(found.cost)),
            repairs: found.as_ref().ok().map(|found| fence::repairs(subject, found)),
            tried: found.as_ref().ok().map(|found| found.tried.changes.clone()),
            not_tried: found.as_ref().ok().map(|found| found.tried.left_out.clone()),
            reason: found.as_ref().err().map(|stopped| limits::gave_up(&stopped.error)),
        })?;
    } else {
        output.prose(&format!("{}: {} under {}", output.bad("allowed"), asked(&subject.test), subject.model.name))?;
        output.print("")?;
        output.print(&output.heading(&format!("An execution that {}", subject.test.condition.quantifier.asks_for())))?;
        output.print(text(x, &picture, output.width(), output.colour()).trim_end())?;
        output.print("")?;
        output.print(&output.heading("What would forbid it"))?;
        match found {
            Ok(found) => {
                output.prose(&fence::answer(subject, found, Means::ALL, output))?;
                fence::print(subject, found, WAYS, output)?;
            }
            Err(stopped) => {
                let why = limits::gave_up(&stopped.error);
                output.prose(&format!("Not found: {why}; nothing that costs less than {} does.", stopped.at_least))?
            }
        }
    }
    Ok(if found.is_err() { Exit::Undecided } else { Exit::Holds })
}

/// What is allowed or forbidden: the outcome that a test is about, or for a `forall` what violates it.
fn asked(test: &Test) -> String {
    match test.condition.quantifier {
        Quantifier::Exists | Quantifier::NotExists => test.name.clone(),
        Quantifier::Forall => format!("what violates the condition of {}", test.name),
    }
}

/// Why no execution has what is asked about.
fn absent(subject: &Subject, verdict: &Verdict, unroll: usize, output: &Output) -> std::io::Result<Exit> {
    let asked = subject.test.condition.quantifier.asks_for();
    let bounded = verdict.bounded;
    let mut why = if bounded {
        format!("no execution with at most {unroll} backward jumps in each loop {asked}")
    } else {
        format!("no execution of the program {asked}, whatever the model says")
    };
    if verdict.racy == Some(true) {
        why += "; but the program has a race, so that its behaviour is undefined";
    }
    if output.format == Format::Json {
        output.document(&document::Absent {
            file: subject.file.clone(),
            name: subject.test.name.clone(),
            model: subject.model.name.clone(),
            verdict: if bounded { Answer::Undecided } else { Answer::Impossible },
            litmus: subject.test.to_string(),
            reason: why,
        })?;
    } else {
        let word = if bounded { output.unsure("undecided") } else { output.good("impossible") };
        output.prose(&format!("{word}: {why}"))?;
    }
    Ok(if bounded { Exit::Undecided } else { Exit::Holds })
}

/// The outcome is not allowed: why, or that nothing has it.
fn not_allowed(
    subject: &Subject,
    verdict: &Verdict,
    forbidden: Option<&Forbidden>,
    unroll: usize,
    output: &Output,
) -> std::io::Result<Exit> {
    let Some(forbidden) = forbidden else { return absent(subject, verdict, unroll, output) };
    let reasons = forbidden.checks.iter().map(|&check| Reason::of(subject, &forbidden.witness.execution, check));
    if output.format == Format::Json {
        output.document(&document::Forbidden {
            file: subject.file.clone(),
            name: subject.test.name.clone(),
            model: subject.model.name.clone(),
            verdict: Answer::Forbidden,
            litmus: subject.test.to_string(),
            bounded: verdict.bounded,
            racy: verdict.racy,
            events: violation::events(&forbidden.witness.execution),
            axioms: reasons.map(|reason| reason.document()).collect(),
        })?;
    } else {
        let bounded = if verdict.bounded { format!(", for at most {unroll} backward jumps in each loop") } else { String::new() };
        let answer = output.good("forbidden");
        output.prose(&format!("{answer}: {} under {}{bounded}", asked(&subject.test), subject.model.name))?;
        if verdict.racy == Some(true) {
            let race = "the program has a race, so that its behaviour is undefined: what follows is about its executions, and no promise";
            output.prose(&format!("{}: {race}. `margay fence` says what leaves it without one.", output.bad("but")))?;
        }
        for reason in reasons {
            reason.print(output)?;
        }
    }
    Ok(if verdict.bounded { Exit::Undecided } else { Exit::Holds })
}

/// Why an axiom forbids an execution.
struct Reason<'a> {
    axiom: String,
    place: &'a Place,
    execution: &'a Execution,
    violation: Option<Violation>,
    picture: Picture,
}

impl<'a> Reason<'a> {
    fn of(subject: &'a Subject, execution: &'a Execution, check: usize) -> Self {
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
    fn edges(&self) -> Vec<(explain::Edge, Place)> {
        self.violation.as_ref().map(Violation::edges_with_places).unwrap_or_default()
    }

    fn is_cycle(&self) -> bool {
        self.violation.as_ref().is_some_and(Violation::is_cycle)
    }

    fn document(&self) -> document::Axiom {
        let edge = |(e, place): &(explain::Edge, Place)| document::SourcedEdge {
            from: self.name(e.from),
            to: self.name(e.to),
            relation: e.link.name(),
            file: place.file.name.clone(),
            line: place.line(),
            text: line_of(place),
        };
        let edges: Vec<document::SourcedEdge> = self.edges().iter().map(edge).collect();
        let (cycle, there) = if self.is_cycle() { (edges, Vec::new()) } else { (Vec::new(), edges) };
        document::Axiom {
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
        output.prose(&output.heading(&format!("Axiom {} ({}, line {})", self.axiom, self.place.file.name, self.place.line())))?;
        output.prose(&format!("  {}", line_of(self.place)))?;
        output.print("")?;
        for line in &self.words() {
            output.prose(&format!("  {line}"))?;
        }
        let edges = self.edges();
        if !edges.is_empty() {
            output.print("")?;
            let what = if self.is_cycle() { "The cycle, edge by edge" } else { "What is there, edge by edge" };
            output.prose(&output.heading(&format!("{what}, and the line that each comes from")))?;
            for (e, place) in &edges {
                let edge = format!("{} -{}-> {}", self.name(e.from), e.link.name(), self.name(e.to));
                let line = format!("  {edge:<22} line {:<4}", place.line());
                let text = line_of(place);
                // In a narrow window the line of the model stands below.
                let fits = line.chars().count() + 1 + text.chars().count() <= output.width();
                output.prose(&if fits { format!("{line} {text}") } else { format!("{}\n    {text}", line.trim_end()) })?;
            }
        }
        for e in &self.violation.as_ref().map(Violation::missing).unwrap_or_default() {
            output.prose(&format!("  missing: {} -{}-> {}", self.name(e.from), e.link.name(), self.name(e.to)))?;
        }
        output.print("")?;
        output.print(text(self.execution, &self.picture, output.width(), output.colour()).trim_end())
    }
}

/// The line of the model at a place.
fn line_of(place: &Place) -> String {
    let SourceFile { text, .. } = &*place.file;
    text.lines().nth(place.line().saturating_sub(1)).unwrap_or_default().trim().to_owned()
}
