//! What stands beside a verdict: executions that are lost, and the race of a racy program.

use margay_litmus::explicit::{TestVerdict, Witness};
use margay_litmus::gap::Gap;
use margay_litmus::race::{self, Race};
use margay_litmus::read::Read;
use margay_litmus::unfold::Standstill;
use margay_models::diagnostic::SourceFile;
use margay_models::model::{Model, RaceMeaning};
use margay_models::picture::svg;
use margay_reports::run as document;

use margay_console::output::Output;

use super::answer::TestAnswer;
use crate::violation::events;

/// How many tests of a table are spoken of without `-v`.
const SHOWN: usize = 10;

pub fn race(model: &Model, witness: &Witness, test: &SourceFile) -> Option<document::RaceRecord> {
    let race = Race::of(model, witness)?;
    let access = |a: &margay_litmus::race::RacingAccess| {
        let (line, column) = test.position(a.place.0.start);
        let thread = a.thread.index();
        document::RaceAccess {
            name: a.name.clone(),
            event: a.event.clone(),
            thread,
            line,
            column,
            text: a.place.text(test),
        }
    };
    Some(document::RaceRecord {
        events: events(&witness.execution),
        svg: svg(
            &witness.execution,
            &Race::picture(&format!("a race under {}", model.name), model, witness),
        ),
        accesses: race.accesses.iter().map(access).collect(),
        sentence: race.sentence(test),
        meaning: race::meaning(race.meaning).to_owned(),
        undefined: race.meaning == RaceMeaning::Undefined,
        check: race.check,
        explanation: race.why,
    })
}

/// What is missing from an answer, in a document.
pub fn gap(
    gap: &Gap,
    verdict: &TestVerdict,
    unroll: usize,
    test: &SourceFile,
) -> document::AnswerGap {
    let stop = |s: &Standstill| {
        let (line, column) = test.position(s.place.0.start);
        let (text, cause) = (s.place.text(test), s.cause.name().to_owned());
        document::StoppedThread {
            thread: s.thread.index(),
            line,
            column,
            text,
            cause,
            why: s.why.clone(),
        }
    };
    document::AnswerGap {
        kind: gap.name().to_owned(),
        sentences: gap.sentences(test, verdict.quantifier, verdict.bounded.then_some(unroll)),
        stops: gap.standstills().iter().map(stop).collect(),
    }
}

/// Says below a table what the verdicts of racy programs, and of those with lost executions, do not
/// say themselves.
pub fn print(
    answers: &[TestAnswer<'_>],
    tests: &[Read],
    unroll: usize,
    output: &Output,
) -> std::io::Result<()> {
    let spoken: Vec<(&TestAnswer<'_>, Vec<String>)> = answers
        .iter()
        .filter_map(|answer| {
            let read = tests.iter().find(|read| std::ptr::eq(&raw const read.test, answer.test))?;
            let said = said(answer, read, unroll, output.verbose);
            (!said.is_empty()).then_some((answer, said))
        })
        .collect();
    let shown = if output.verbose { spoken.len() } else { spoken.len().min(SHOWN) };
    for (answer, said) in &spoken[..shown] {
        output.print("")?;
        if answers.len() > 1 {
            output.prose(&output.heading(&format!(
                "{} under {}",
                answer.test.name,
                answer.model.label()
            )))?;
        }
        for line in said {
            output.prose(line)?;
        }
    }
    if spoken.len() > shown {
        let left = spoken.len() - shown;
        output.print("")?;
        output.prose(&format!(
            "There is more to be said of {left} others, racy or with lost executions: -v prints it."
        ))?;
    }
    Ok(())
}

fn said(answer: &TestAnswer<'_>, read: &Read, unroll: usize, verbose: bool) -> Vec<String> {
    let verdict = &answer.verdict;
    let mut lines = Vec::new();
    if let Some(gap) = &verdict.gap {
        let unroll = verdict.bounded.then_some(unroll);
        if !verdict.reachable {
            lines.extend(gap.sentences(&read.file, verdict.quantifier, unroll));
        } else {
            lines.push("Other executions are lost on the way.".to_owned());
            lines.extend(gap.standstills().iter().map(|s| s.sentence(&read.file)));
        }
        if verdict.racy == Some(true) && verdict.race.is_none() {
            lines.push("The language leaves undefined what such a program does.".to_owned());
        }
    }
    if let Some(race) =
        verdict.race.as_ref().and_then(|witness| Race::of(&answer.model.model, witness))
    {
        lines.push(format!("Racy: {}", race.sentence(&read.file)));
        lines.push(race::meaning(race.meaning).to_owned());
        if verbose {
            lines.extend(race.why.iter().map(|line| format!("  {line}")));
        }
    }
    lines
}
