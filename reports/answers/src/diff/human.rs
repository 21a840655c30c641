//! The report for people: the answer first, then what shows it.

use std::io;

use margay_console::output::Output;
use margay_console::side_by_side::side_by_side;
use margay_console::wrapped::{indented, wrapped};
use margay_mappings::check::Level;
use margay_mappings::compare::{ComparisonVerdict, Objection, Subjects};
use margay_mappings::status::Status;
use margay_models::picture::text;

use super::present::{DiffContext, PresentedDifference};
use super::proof::against;
use crate::headline::{Headline, Tone, events};
use crate::prove::written::ProofCertificate;
use crate::prove::{gaps, inhabitants, steps};
use crate::restriction::Restriction;

/// Prints the report.
pub fn print(
    context: &DiffContext<'_>,
    presented: &[PresentedDifference<'_>],
    output: &Output,
) -> io::Result<()> {
    output.print(&wrapped(&answer(context).painted(*output), output.width()))?;
    if let Some(words) = under(context) {
        output.print(&wrapped(&words, output.width()))?;
    }
    for q in 0..context.report.questions.len() {
        output.print(&wrapped(
            &format!("{}: {}", context.report.title(q), line(context, q)),
            output.width(),
        ))?;
    }
    differences(context, presented, output)?;
    for proof in context.proofs {
        let [allows, other] =
            [proof.allows, 1 - proof.allows].map(|i| context.report.models[i].as_str());
        if context.report.questions.iter().any(|q| q.by_text && q.allows == proof.allows)
            || context.report.differ()
        {
            continue;
        }
        output.print("")?;
        if proof.report.is_theorem() && against(proof, context.report).is_none() {
            output.print(
                &output.heading(&format!("{other} allows what {allows} allows: a theorem")),
            )?;
            steps(&proof.report, output)?;
            let what = inhabitants(&proof.report.premises);
            output.print(&wrapped(
                &format!("{what} It is about single executions, not programs."),
                output.width(),
            ))?;
        } else if proof.report.is_theorem() {
            let why = "proved, and not called a theorem: the search beside the proof contradicts it, or did not reach its bound";
            output
                .print(&output.heading(&format!("{other} allows what {allows} allows: {why}")))?;
        } else {
            let what = if proof.report.violated().is_some() { "not so" } else { "not proved" };
            output
                .print(&output.heading(&format!("{other} allows what {allows} allows: {what}")))?;
            gaps(&proof.report, output)?;
        }
    }
    let certified: Vec<&ProofCertificate> =
        context.proofs.iter().filter_map(|proof| proof.certified.as_ref()).collect();
    if !certified.is_empty() {
        output.print("")?;
        certified
            .iter()
            .try_for_each(|written| output.print(&wrapped(&written.words(), output.width())))?;
    }
    if let (Some(written), Some(folder)) = (&context.report.certified, &context.options.certify) {
        output.print("")?;
        output.print(&wrapped(
            &crate::certificate::written(written, "none", folder),
            output.width(),
        ))?;
    }
    output.print("")?;
    output.print(&wrapped(&meaning(context), output.width()))
}

/// Prints the differences.
pub fn differences(
    context: &DiffContext<'_>,
    presented: &[PresentedDifference<'_>],
    output: &Output,
) -> io::Result<()> {
    let mut number = 0;
    for (i, shown) in presented.iter().enumerate() {
        number = if i > 0 && presented[i - 1].question == shown.question { number + 1 } else { 1 };
        difference(context, shown, number, output)?;
    }
    Ok(())
}

/// The first line.
pub fn answer(context: &DiffContext<'_>) -> Headline {
    let report = context.report;
    let [old, new] = &report.models;
    // What is equal is so as far as the two were compared.
    let restriction = Restriction::of_comparison(context.options, &report.blind);
    // Models of two languages are compared as far as the rows between them say.
    let rows = match context.subjects {
        Subjects::Mapping(mapping) => mapping.rows_not_asked_in_words(Some(&report.constructs)),
        Subjects::Models(..) => String::new(),
    };
    let line = |tone, found: &str, rest: &str| {
        Headline::new(tone, found, rest, &restriction, &format!("{old} and {new}{rows}"))
    };
    let smallest = report.questions.iter().filter_map(|q| match q.verdict {
        ComparisonVerdict::Different(events) => Some(events),
        ComparisonVerdict::Equal | ComparisonVerdict::Undecided(_) => None,
    });
    if let Some(events) = context.contradiction() {
        let rest = format!(
            ": a proof says that there is no difference of any size, and the search has one with {events} events. One of the two is wrong, \
             which is a bug in Margay; please report it"
        );
        return line(Tone::Bad, "contradiction", &rest);
    }
    let empty = context.empty();
    if !empty.is_empty() && !report.differ() {
        return line(Tone::Unsure, "empty", &format!(": {}", empty.join("; ")));
    }
    if context.is_proved() {
        return Headline::new(
            Tone::Good,
            "equal",
            " for executions of every size",
            &Restriction::default(),
            &format!("{old} and {new}"),
        );
    }
    match (smallest.min(), report.undecided(), report.equal_up_to()) {
        (None, undecided, bound) if context.differs_beyond().is_some() => {
            let found = events(context.differs_beyond().unwrap_or_default());
            let searched = match bound.filter(|_| undecided.is_none()) {
                Some(bound) => {
                    format!("; of those that the search makes, none up to {}", events(bound))
                }
                None => String::new(),
            };
            line(
                Tone::Bad,
                "different",
                &format!(", by an execution of {found} that the search did not find{searched}"),
            )
        }
        (Some(size), ..) => {
            line(Tone::Bad, "different", &format!(", smallest difference of {}", events(size)))
        }
        (None, Some(_), _) => {
            let established = report
                .questions
                .iter()
                .filter(|q| !q.by_text)
                .map(|q| q.established)
                .min()
                .unwrap_or(0);
            line(
                Tone::Unsure,
                "undecided",
                &match established {
                    0 => "; no size was searched to its end".to_owned(),
                    n => format!(", but equal up to {n}", n = events(n)),
                },
            )
        }
        (None, None, Some(bound)) => {
            line(Tone::Good, "equal", &format!(" up to {bound}", bound = events(bound)))
        }
        (None, None, None) => {
            let [older, newer] = context.subjects.models();
            let same = older.source.text == newer.source.text;
            line(
                Tone::Good,
                "equal",
                if same {
                    ", because the texts are the same"
                } else {
                    " for executions of every size, because the axioms are the same"
                },
            )
        }
    }
}

/// What follows the first line: why there is no answer, or what it is to be taken with.
fn under(context: &DiffContext<'_>) -> Option<String> {
    match context.report.undecided().filter(|_| !context.report.differ() && !context.is_proved()) {
        Some(_) if context.differs_beyond().is_some() => None,
        Some(why) => {
            let why = context.stopped.map_or(why.to_owned(), |s| format!("{s}; {why}"));
            Some(format!("Undecided because: {why}."))
        }
        None => shown(context).map(str::to_owned),
    }
}

/// What is to be said of the differences that are shown, if no program shows one.
fn shown(context: &DiffContext<'_>) -> Option<&'static str> {
    let all = context.report.questions.iter().flat_map(|q| &q.differences);
    let mut statuses: Vec<Option<Status>> = all.map(|d| d.status).collect();
    statuses.sort_unstable();
    statuses.dedup();
    match statuses.as_slice() {
        [Some(Status::Racy)] => Some(
            "No program tells the models apart here: those that are shown race. They differ in single executions.",
        ),
        [Some(Status::Explained)] => Some(
            "No program tells the models apart here: both allow the outcomes that are shown. They differ in single executions.",
        ),
        [Some(Status::Explained), Some(Status::Racy)] => Some(
            "No program tells the models apart here: of those that are shown both models allow the outcome, or they race. They differ in single \
             executions.",
        ),
        _ => None,
    }
}

/// What follows from a difference for programs.
fn standing(status: Status, other: &str) -> String {
    match status {
        Status::Program => {
            format!("program: a program without races tells the models apart; {other} does not allow its outcome at all")
        }
        Status::Explained => {
            format!("explained: no program tells the models apart here; {other} allows the outcome by another execution")
        }
        Status::Racy => "racy: no program tells the models apart here; this one has a race, so it may do anything".to_owned(),
        Status::Unknown => "unknown: its program was not decided".to_owned(),
    }
}

/// What is known about one question.
fn line(context: &DiffContext<'_>, q: usize) -> String {
    let question = &context.report.questions[q];
    match &question.verdict {
        _ if question.by_text => "none, of any size".to_owned(),
        ComparisonVerdict::Equal | ComparisonVerdict::Undecided(_) if context.proves(q) => {
            "none, of any size (theorem)".to_owned()
        }
        ComparisonVerdict::Equal if context.beyond(q).is_some() => format!(
            "an execution of {} (below); of those that the search makes, none up to {}",
            events(context.beyond(q).unwrap_or_default()),
            events(question.established)
        ),
        ComparisonVerdict::Equal => format!("none up to {}", events(question.established)),
        ComparisonVerdict::Different(size) if question.more => {
            format!(
                "{} smallest of {} shown; there are more (`--all N`)",
                question.differences.len(),
                events(*size)
            )
        }
        ComparisonVerdict::Different(size) => {
            format!("{} smallest, of {}", question.differences.len(), events(*size))
        }
        ComparisonVerdict::Undecided(why) => {
            format!("undecided above {}: {why}", events(question.established))
        }
    }
}

fn difference(
    context: &DiffContext<'_>,
    shown: &PresentedDifference<'_>,
    number: usize,
    output: &Output,
) -> io::Result<()> {
    let d = shown.difference;
    let question = &context.report.questions[shown.question];
    let title = context.report.title(shown.question);
    let of = question.differences.len();
    output.print("")?;
    let heading =
        format!("{title} ({}), {}, {number} of {of}", d.violated.join(", "), events(d.events));
    output.print(&output.heading(&wrapped(&heading, output.width())))?;
    if let Some(status) = d.status {
        output.print(&wrapped(
            &standing(status, &context.report.models[1 - question.allows]),
            output.width(),
        ))?;
    }
    output.print("")?;
    match (context.subjects, shown.litmus.as_slice()) {
        (Subjects::Mapping(_), [source, target]) => {
            output.print(&side_by_side(
                ("source", source),
                ("compiled", target),
                output.width(),
            ))?;
        }
        (_, tests) => tests.iter().try_for_each(|t| output.print(t))?,
    }
    output.print("")?;
    for reason in &shown.reasons {
        output.print(&wrapped(reason, output.width()))?;
    }
    let other = &context.report.models[1 - question.allows];
    let why = match question.kind {
        Objection::Forbidden => format!(
            "Why {other} forbids it (axiom {})",
            d.violated.first().map_or("", String::as_str)
        ),
        Objection::Undefined => format!(
            "Why {other} calls it undefined ({})",
            d.violated.first().map_or("", String::as_str)
        ),
    };
    output.print(&output.heading(&why))?;
    for line in &shown.explanation {
        output.print(&indented(&format!("  {line}"), output.width()))?;
    }
    if d.undefined {
        output.print(&wrapped(
            &format!(
                "{} allows it and calls its program undefined all the same.",
                context.report.models[question.allows]
            ),
            output.width(),
        ))?;
    }
    output.print("")?;
    output.print(
        text(&d.executions[shown.shown], &shown.picture, output.width(), output.colour())
            .trim_end(),
    )
}

/// What the answer means, and what it does not establish.
fn meaning(context: &DiffContext<'_>) -> String {
    let report = context.report;
    let mut out = String::from(
        "Events are operations; a read-modify-write is two, initial writes are none. ",
    );
    out.push_str(match context.options.level {
        Level::Execution => {
            "Compared were single executions with their coherence order (and Fence-SC order); `--program` asks for outcomes that one \
             model has and the other has not. "
        }
        Level::Program => {
            "Compared were outcomes of programs: what every read returns and which write each location ends with, by whatever \
             coherence order. Executions that a model calls undefined were left out; whether the program has another undefined \
             execution is said of each difference. "
        }
    });
    if let Subjects::Mapping(mapping) = context.subjects
        && [&mapping.source, &mapping.target]
            .into_iter()
            .flat_map(|model| &model.checks)
            .any(margay_models::Check::is_undefined_behaviour)
    {
        out.push_str("Executions that a model calls undefined were left out. ");
    }
    if !report.blind.is_empty() {
        let names = report.blind.join(", ");
        out.push_str(&format!(
            "Executions had nothing of {names}, so what the models say of that was not compared. "
        ));
    }
    if !context.options.without.is_empty() || !context.options.only.is_empty() {
        out.push_str(&format!("Programs were made of {}. ", report.constructs.join(", ")));
    }
    if context.differs_beyond().is_some() {
        out.push_str(
            "An execution that the search did not find is one that satisfies every condition on executions; whether a program has it was \
             not asked. ",
        );
    }
    let mut questions = report.questions.iter().enumerate();
    let by_solver = questions.any(|(n, q)| {
        matches!(q.verdict, ComparisonVerdict::Equal) && !q.by_text && !context.proves(n)
    });
    if report.certified.is_none() && by_solver {
        out.push_str("That there is none was established by the SAT solver alone. ");
    }
    out.push_str(&format!(
        "{:.2} s on {} threads, {}.",
        context.seconds,
        context.options.jobs,
        context.options.backend.version()
    ));
    out
}
