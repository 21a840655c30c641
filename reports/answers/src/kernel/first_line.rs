//! The first line of an answer about a kernel: what goes wrong or does not, in which launches, and
//! what was left out.

use std::collections::BTreeSet;

use margay_kernel::{ContentsAnswer, KernelAnswer, LaunchAnswer, LaunchVerdict, NumbersAnswer};
use margay_reports::Verdict;

use super::asked::{AskedKernel, KernelFile};
use super::certify;
use super::compile::KernelCompiler;

/// What is asked, in words: the questions that need no condition are listed in docs/kernels.md, and
/// a line that lists nine of them is not read.
const QUESTIONS: &str = "data race or other finding";

pub fn list(launches: &[String]) -> String {
    launches.join(", ")
}

/// The first line of an answer: its word, and the rest.
pub fn first_line(file: &KernelFile, asked: &AskedKernel) -> (&'static str, String) {
    let compiled = file.compiler.map_or("", KernelCompiler::note);
    let file = &file.ptx.name;
    let AskedKernel { answer, finals, .. } = asked;
    let name = &answer.kernel;
    if let Some(why) = &asked.refused {
        return ("undecided", format!(": `{name}` of {file} was not looked at: {why}"));
    }
    let nothing = launches_that(answer, |l| l.asked == LaunchVerdict::Nothing);
    let model = answer.reading.name();
    let by = match answer.selection.why() {
        Some(why) => format!("({why}) under {model}{compiled}"),
        None => format!("under {model}{compiled}"),
    };
    let (open, not_looked) = (left_open(answer), not_looked_at(answer));
    let conditions = if finals.is_empty() {
        String::new()
    } else {
        format!(", and {} at the end", finals.join(", "))
    };
    let is_weak = asked.weak;
    let verdict = asked.verdict();
    let word = match verdict {
        Verdict::Counterexample => "counterexample",
        Verdict::None => "none",
        _ => "undecided",
    };
    let rest = match (answer.wrong(), verdict) {
        (Some(wrong), of) => {
            let what: Vec<&str> = wrong.findings.iter().map(|f| f.kind.words()).collect();
            let perhaps = if of == Verdict::Counterexample { "" } else { " perhaps" };
            let chosen = chosen_contents(answer);
            let before = match (nothing.as_slice(), chosen.is_empty()) {
                ([], _) => String::new(),
                (some, true) => format!(", and not in {}", list(some)),
                (some, false) if !answer.chosen_numbers.is_empty() => {
                    format!(", and with the number of threads not in {}", list(some))
                }
                (some, false) => format!(", and with zeros not in {}", list(some)),
            };
            format!(
                ": `{name}`{perhaps}, {} in launch {}{chosen} {by}{before}{not_looked}",
                what.join("; "),
                wrong.launch
            )
        }
        (None, Verdict::None) => {
            let without = launches_that(answer, |l| l.asked == LaunchVerdict::Nothing && !l.waits);
            let waits = match without.as_slice() {
                [] => String::new(),
                some if some.len() == nothing.len() => {
                    "; executions with an endless wait were not looked into".to_owned()
                }
                some => {
                    format!(" (executions with an endless wait: not looked into in {})", list(some))
                }
            };
            let plural = if nothing.len() == 1 { "launch" } else { "launches" };
            let weak = if is_weak {
                ", no final state of global memory that only weak memory has"
            } else {
                ""
            };
            let (contents, numbers, unreached) =
                (contents(answer), numbers(answer), unreached(answer));
            format!(
                ": `{name}` has no {QUESTIONS}{weak}{conditions} in {plural} {}{waits} {by}{contents}{numbers}{unreached}{open}{not_looked}",
                list(&nothing)
            )
        }
        _ => {
            let zeros = match (answer.has_zeros, answer.has_values) {
                (false, _) => "",
                (true, false) => " with arrays of zeros",
                (true, true) => " with zeros in arrays that are not given",
            };
            let known = if nothing.is_empty() {
                String::new()
            } else {
                format!("; nothing goes wrong{zeros} in {}", list(&nothing))
            };
            let of = answer.selection.why().map_or(String::new(), |why| format!(", {why}"));
            format!(": `{name}` of {file} under {model}{compiled}{of}{known}{open}{not_looked}")
        }
    };
    (word, rest + &certify::said(asked))
}

/// The launches of which this holds.
fn launches_that(answer: &KernelAnswer, is: impl Fn(&LaunchAnswer) -> bool) -> Vec<String> {
    answer.launches.iter().filter(|l| is(l)).map(|l| l.launch.to_string()).collect()
}

/// The launches without an answer, and why; and those that were left out.
fn left_open(answer: &KernelAnswer) -> String {
    let open = launches_that(answer, |l| {
        matches!(l.asked, LaunchVerdict::Undecided | LaunchVerdict::NotAsked(_))
    });
    // The reason, where it is one for all.
    let reasons: Option<BTreeSet<&str>> = (answer.launches.iter())
        .filter_map(|l| match &l.asked {
            LaunchVerdict::NotAsked(why) => Some(Some(why.as_str())),
            LaunchVerdict::Undecided => Some(None),
            _ => None,
        })
        .collect();
    let reason = reasons.filter(|all| all.len() == 1).and_then(|mut all| all.pop_first());
    let mut open_words = match open.as_slice() {
        [] => String::new(),
        open => format!(
            "; not answered: {}{}",
            list(open),
            reason.map_or(String::new(), |why| format!(" ({why})"))
        ),
    };
    let meant = answer.launches.iter().filter(|l| l.is_meant());
    let largest = meant.map(|l| l.launch.threads).max().unwrap_or(0);
    for (size, is_too_small) in [("larger", true), ("smaller", false)] {
        let others = launches_that(answer, |l| {
            !l.is_meant() && (l.launch.threads < largest) == is_too_small
        });
        if !others.is_empty() {
            open_words += &format!(
                "; left out, as it seems to be written for {size} blocks: {}",
                list(&others)
            );
        }
    }
    open_words
}

/// How much of the kernel was not looked at.
fn not_looked_at(answer: &KernelAnswer) -> String {
    match answer.not_looked().len() {
        0 => String::new(),
        1 => "; 1 thing was not looked at (below)".to_owned(),
        n => format!("; {n} things were not looked at (below)"),
    }
}

/// The accesses that say nothing of the kernel, since no thread comes to them with the numbers and
/// contents that are passed.
fn unreached(answer: &KernelAnswer) -> String {
    const NAMED: usize = 4;
    let lines: BTreeSet<usize> = answer.unreached.iter().map(|spot| spot.line).collect();
    let mut named = list(&lines.iter().take(NAMED).map(ToString::to_string).collect::<Vec<_>>());
    if lines.len() > NAMED {
        named += ", ..";
    }
    match (answer.unreached.len(), answer.accesses) {
        (0, _) => String::new(),
        _ if answer.accesses_nothing() && answer.arguments.is_empty() => {
            "; no thread accesses memory that others see".to_owned()
        }
        _ if answer.accesses_nothing() => {
            "; no thread accesses memory that others see with what was given".to_owned()
        }
        (1, all) => {
            format!("; no thread comes to 1 of its {all} accesses of memory (PTX line {named})")
        }
        (some, all) => format!(
            "; no thread comes to {some} of its {all} accesses of memory (PTX lines {named})"
        ),
    }
}

/// With what chosen contents of arrays something goes wrong; nothing where it does with zeros, or
/// with what is given.
pub fn chosen_contents(answer: &KernelAnswer) -> String {
    match (answer.chosen_contents.as_slice(), answer.chosen_numbers.as_slice()) {
        ([], []) => String::new(),
        ([], some) => format!(" with {}, chosen in place of the number of threads,", list(some)),
        (some, _) => format!(" with {}, chosen in place of zeros,", list(some)),
    }
}

/// With which numbers it was asked about beside those that were chosen first.
fn numbers(answer: &KernelAnswer) -> String {
    let Some(NumbersAnswer { numbers, tried, settled, .. }) = &answer.numbers else {
        return String::new();
    };
    let known =
        if settled == tried { String::new() } else { format!(" ({settled} of {tried} answered)") };
    let all: Vec<String> = numbers.iter().cloned().collect();
    format!("; also asked about races and barriers with {}{known}", list(&all))
}

/// What arrays hold in launches in which nothing goes wrong.
fn contents(answer: &KernelAnswer) -> String {
    let which = if answer.has_values { "arrays that are not given hold" } else { "arrays hold" };
    let Some(ContentsAnswer { arrays, tried, settled, .. }) = &answer.contents else {
        return if answer.has_zeros { format!("; {which} zeros") } else { String::new() };
    };
    let known = if settled == tried { String::new() } else { format!(" ({settled} answered)") };
    format!("; {which} zeros, and for races {tried} other contents of {}{known}", list(arrays))
}
