//! What is said of tests that were made of kernels: what was proved is about the tests.

use std::collections::BTreeMap;

use margay_console::output::Output;
use margay_console::table::{counted, number};
use margay_console::wrapped::{indented, wrapped};
use margay_litmus::certificate::{KernelLabel, TestClaim, TestDocument, TestQuestion};
use margay_litmus::read;
use margay_litmus::unfold::RetryRounds;
use margay_reports::verify as report;

use super::run::{SeenTests, said};

/// How many launches are listed.
const SHOWN: usize = 20;

/// Prints what was seen to be so, and what is only said.
pub fn print(
    seen: &SeenTests<'_>,
    (given, labels): (&[TestQuestion], &[KernelLabel]),
    output: &Output,
) -> std::io::Result<()> {
    let SeenTests { document, .. } = *seen;
    let tests = counted(document.subject.tests().len() as u64, "litmus test", "litmus tests");
    let rounds =
        if labels.is_empty() { "" } else { ", of the rounds of loops that are told below" };
    let first = format!("{}: {} about {tests}{rounds}", output.good("verified"), said(document));
    output.print(&wrapped(&first, output.width()))?;
    output.print("")?;
    if !labels.is_empty() {
        let what = format!(
            "What was proved is about these tests. That they were made of a kernel, and which kernel, launch and question each was asked for, is what \
             the author of the certificate says, and nothing here shows it: {}",
            counted(labels.len() as u64, "question", "questions")
        );
        output.print(&wrapped(&what, output.width()))?;
        let mut launches: BTreeMap<(&str, &str, &str), BTreeMap<&str, u64>> = BTreeMap::new();
        for label in labels {
            let of = launches.entry((&label.file, &label.kernel, &label.launch)).or_default();
            *of.entry(&label.question).or_default() += 1;
        }
        for ((file, kernel, launch), questions) in launches.iter().take(SHOWN) {
            let each: Vec<String> = questions
                .iter()
                .map(|(what, count)| format!("{what} {}", number(*count)))
                .collect();
            let line = format!("  `{kernel}` of {file} in launch {launch}: {}", each.join(", "));
            output.print(&indented(&line, output.width()))?;
        }
        if launches.len() > SHOWN {
            let more = launches.len() - SHOWN;
            output.print(&format!("  and {more} more launches, which `--format json` lists"))?;
        }
        output.print("")?;
    }
    // Ways that differ in the location that is asked about are one, in words.
    let mut ways: Vec<(String, u64)> = Vec::new();
    for (way, question) in given.iter().enumerate() {
        let count = document.claims.iter().filter(|claim| claim.given == way).count() as u64;
        let words = asked(*question);
        match ways.iter_mut().find(|(known, _)| *known == words) {
            Some((_, known)) => *known += count,
            None => ways.push((words, count)),
        }
    }
    for (words, count) in &ways {
        let of = counted(*count, "answer", "answers");
        output.print(&wrapped(&format!("{of}: {words}."), output.width()))?;
    }
    if !given.is_empty() {
        output.print("")?;
    }
    seen.print_grounds(output)
}

/// How tests were asked about, in words.
fn asked(question: TestQuestion) -> String {
    let TestQuestion { unroll, rounds, skips_waiting } = question;
    let rounds = match rounds {
        RetryRounds::All => "",
        RetryRounds::Last => {
            ", of a loop that tries again the last round alone, which says nothing of executions with a race"
        }
        RetryRounds::Racing(None) => {
            ", of a loop that tries again the rounds that may have a race, which says nothing of anything else"
        }
        RetryRounds::Racing(Some(_)) => {
            ", of a loop that tries again the rounds that may have a race at one location (`--format json` says which), which says nothing of anything else"
        }
    };
    let waiting =
        if skips_waiting { "; races are not looked for in rounds that only wait" } else { "" };
    format!("each loop is gone round at most {unroll} times{rounds}{waiting}")
}

/// What was seen to be so, and what is only said, as a document.
pub fn report(
    seen: &SeenTests<'_>,
    given: &[TestQuestion],
    labels: &[KernelLabel],
) -> report::VerifiedKernel {
    let claim = |claim: &TestClaim| report::KernelClaim {
        given: way(seen.document, claim, given[claim.given]),
        claim: seen.claim(claim),
    };
    let label = |label: &KernelLabel| {
        let KernelLabel { file, kernel, launch, with, question, claim } = label.clone();
        report::KernelLabelRecord { file, kernel, launch, with, question, claim }
    };
    report::VerifiedKernel {
        kind: report::KernelCertificateKind::Kernel,
        claims: seen.document.claims.iter().map(claim).collect(),
        asked_for: labels.iter().map(label).collect(),
        tests: seen.tests(),
    }
}

fn way(document: &TestDocument, claim: &TestClaim, question: TestQuestion) -> report::KernelGiven {
    let TestQuestion { unroll, rounds, skips_waiting } = question;
    let (rounds, at) = match rounds {
        RetryRounds::All => ("all", None),
        RetryRounds::Last => ("last", None),
        RetryRounds::Racing(at) => ("racing", at),
    };
    // It was read when it was verified.
    let name = |at: u16| {
        let read = read::test(&document.subject.tests()[claim.test].file()).ok()?;
        Some(read.test.locations.get(usize::from(at))?.name.clone())
    };
    report::KernelGiven {
        unroll,
        rounds: rounds.to_owned(),
        location: at.and_then(name),
        skips_waiting,
    }
}
