//! What is said about kernels: for people, and as a document.

use std::time::Duration;

use margay_console::output::Output;
use margay_kernel::{
    Finding, KernelAnswer, LaunchAnswer, LaunchVerdict, NotLooked, RepairAnswer, RepairChange, RepairSide, Spot, Stands,
};
use margay_reports::{Verdict, kernel as document};

use super::{Options, RACES_FILE, verdict};

/// What is asked of every launch, in words; and of those alone in which waits were looked into.
const QUESTIONS: [&str; 2] =
    ["data race, trap or address outside of arrays", "data race, trap, address outside of arrays or endless wait"];

/// Prints the answers.
pub fn human(file: &str, answers: &[KernelAnswer], chosen: bool, options: &Options, output: &Output) -> std::io::Result<()> {
    for (n, answer) in answers.iter().enumerate() {
        if n > 0 {
            output.print("")?;
        }
        one(file, answer, chosen, options, output)?;
    }
    Ok(())
}

fn list(launches: &[String]) -> String {
    launches.join(", ")
}

fn one(file: &str, answer: &KernelAnswer, chosen: bool, options: &Options, output: &Output) -> std::io::Result<()> {
    let name = &answer.kernel;
    let of = |is: &dyn Fn(&LaunchAnswer) -> bool| -> Vec<String> {
        answer.launches.iter().filter(|l| is(l)).map(|l| l.launch.to_string()).collect()
    };
    let nothing = of(&|l| l.asked == LaunchVerdict::Nothing);
    let open = of(&|l| matches!(l.asked, LaunchVerdict::Undecided | LaunchVerdict::NotAsked(_)));
    let not_looked = answer.not_looked();
    let by = "under ptx-8";
    let open_words = match open.as_slice() {
        [] => String::new(),
        open => format!("; not answered: {}", list(open)),
    };
    let more = match not_looked.len() {
        0 => String::new(),
        1 => "; 1 thing was not looked at (below)".to_owned(),
        n => format!("; {n} things were not looked at (below)"),
    };
    let conditions =
        if options.finals.is_empty() { String::new() } else { format!(", and {} at the end", options.finals.join(", ")) };
    let first = match (answer.wrong(), verdict(answer, chosen)) {
        (Some(wrong), of) => {
            let what: Vec<&str> = wrong.findings.iter().map(|f| f.kind.words()).collect();
            let word = match of {
                Verdict::Counterexample => output.bad("counterexample"),
                _ => output.unsure("undecided"),
            };
            let perhaps = if of == Verdict::Counterexample { "" } else { " perhaps" };
            let before = match nothing.as_slice() {
                [] => String::new(),
                some => format!(", and not in {}", list(some)),
            };
            format!("{word}: `{name}`{perhaps}, {} in launch {} {by}{before}{more}", what.join("; "), wrong.launch)
        }
        (None, Verdict::None) => {
            let word = output.good("none");
            let without = of(&|l| l.asked == LaunchVerdict::Nothing && !l.waits);
            let (asked, waits) = match without.as_slice() {
                [] => (QUESTIONS[1], String::new()),
                some if some.len() == nothing.len() => (QUESTIONS[0], "; endless waits were not looked into".to_owned()),
                some => (QUESTIONS[1], format!(" (endless waits: not looked into in {})", list(some))),
            };
            let plural = if nothing.len() == 1 { "launch" } else { "launches" };
            format!("{word}: `{name}` has no {asked}{conditions} in {plural} {}{waits} {by}{open_words}{more}", list(&nothing))
        }
        _ => {
            let word = output.unsure("undecided");
            let known = if nothing.is_empty() { String::new() } else { format!("; nothing goes wrong in {}", list(&nothing)) };
            format!("{word}: `{name}` of {file} {by}{known}{open_words}{more}")
        }
    };
    output.headline(&first)?;
    if let Some(wrong) = answer.wrong() {
        for finding in &wrong.findings {
            show(finding, output)?;
        }
    }
    if !answer.arguments.is_empty() {
        output.prose(&format!("Arguments: {}.", answer.arguments.join("; ")))?;
    }
    if !not_looked.is_empty() {
        output.print(&output.heading("Not looked at, or only in part"))?;
        not_looked.iter().try_for_each(|n| output.prose(&format!("  {}", not_looked_at(n))))?;
    }
    for launch in &answer.launches {
        if let LaunchVerdict::NotAsked(why) = &launch.asked {
            output.prose(&format!("Launch {} was not asked about: {why}.", launch.launch))?;
        }
    }
    Ok(())
}

fn not_looked_at(n: &NotLooked) -> String {
    match (n.line, &n.text) {
        (Some(line), Some(text)) if line > 0 => format!("PTX line {line}, `{text}`: {}", n.why),
        _ => n.why.clone(),
    }
}

fn show(finding: &Finding, output: &Output) -> std::io::Result<()> {
    output.print("")?;
    output.print(&output.heading(&capitalised(finding.kind.words())))?;
    for s in &finding.stands {
        let event = s.event.as_ref().map_or(String::new(), |e| format!(": {e}"));
        output.prose(&format!(
            "  thread {} of block {} (P{}) at {}{event}",
            s.thread,
            s.block,
            s.test_thread,
            s.spot.sentence()
        ))?;
    }
    finding.why.iter().try_for_each(|why| output.prose(&format!("  {why}")))?;
    match &finding.repair {
        RepairAnswer::Changes(changes) => {
            output.prose("  The cheapest repair, made in every thread and asked about again:")?;
            if changes.iter().any(is_of_weak) {
                let caution = "  A weak access is made strong: that ends the race, and whether the kernel is what you mean then is yours to say (in CUDA \
                               the variable becomes volatile or atomic).";
                output.prose(caution)?;
            }
            for c in changes {
                let side = match c.side {
                    RepairSide::Before => "in front of",
                    RepairSide::Behind => "behind",
                    RepairSide::Instead => "in place of the order and scope at",
                };
                let cuda = c.cuda.as_ref().map_or(String::new(), |cuda| format!(" (in CUDA: {cuda})"));
                let line = format!("    `{}`{cuda} {side} {}", c.text, c.spot.sentence());
                output.prose(&output.good(&line))?;
            }
        }
        RepairAnswer::Nothing => output.prose("  No repair: nothing that was tried is enough.")?,
        RepairAnswer::Open(why) => output.prose(&format!("  No repair: {why}."))?,
    }
    let model = if finding.with_races { RACES_FILE } else { "ptx-8" };
    output.prose(&format!("  The test, which `margay run FILE --model {model}` confirms (`--out FOLDER` writes both):"))?;
    finding.litmus.lines().try_for_each(|line| output.print(format!("  {line}").trim_end()))
}

/// Does a change make a strong access of a weak one?
fn is_of_weak(change: &RepairChange) -> bool {
    let strong = [".relaxed", ".acquire", ".release", ".volatile", ".mmio"];
    let is_access = change.spot.text.contains("ld.") || change.spot.text.contains("st.");
    change.side == RepairSide::Instead && is_access && !strong.iter().any(|word| change.spot.text.contains(word))
}

fn capitalised(text: &str) -> String {
    let mut all = text.chars();
    all.next().map_or(String::new(), |first| first.to_uppercase().chain(all).collect())
}

/// The answers as a document.
pub fn document(
    file: &str,
    answers: &[KernelAnswer],
    chosen: bool,
    of_all: Verdict,
    options: &Options,
    time: Duration,
) -> document::Kernels {
    document::Kernels {
        file: file.to_owned(),
        model: "ptx-8".to_owned(),
        verdict: of_all,
        unroll: options.unroll,
        kernels: answers.iter().map(|a| kernel(a, chosen)).collect(),
        seconds: time.as_secs_f64(),
    }
}

fn kernel(answer: &KernelAnswer, chosen: bool) -> document::Kernel {
    let not_looked = |n: NotLooked| document::NotLooked { ptx_line: n.line, instruction: n.text, why: n.why };
    document::Kernel {
        name: answer.kernel.clone(),
        verdict: verdict(answer, chosen),
        arguments: answer.arguments.clone(),
        launches: answer.launches.iter().map(launch).collect(),
        not_looked: answer.not_looked().into_iter().map(not_looked).collect(),
    }
}

fn launch(of: &LaunchAnswer) -> document::Launch {
    let (verdict, reason) = match &of.asked {
        LaunchVerdict::Nothing => (Some(Verdict::None), None),
        LaunchVerdict::Found => (Some(Verdict::Counterexample), None),
        LaunchVerdict::Undecided => (Some(Verdict::Undecided), None),
        LaunchVerdict::NotAsked(why) => (None, Some(why.clone())),
    };
    document::Launch {
        blocks: of.launch.blocks,
        threads: of.launch.threads,
        verdict,
        reason,
        size: of.size,
        waits: of.waits,
        litmus: Some(of.litmus.clone()).filter(|text| !text.is_empty()),
        findings: of.findings.iter().map(finding).collect(),
    }
}

fn finding(of: &Finding) -> document::Finding {
    let change = |c: &RepairChange| document::Change {
        at: spot(&c.spot),
        side: match c.side {
            RepairSide::Before => "before",
            RepairSide::Behind => "behind",
            RepairSide::Instead => "instead",
        }
        .to_owned(),
        ptx: c.text.clone(),
        cuda: c.cuda.clone(),
    };
    let (repair, no_repair) = match &of.repair {
        RepairAnswer::Changes(changes) => (Some(changes.iter().map(change).collect()), None),
        RepairAnswer::Nothing => (None, Some("nothing that was tried is enough".to_owned())),
        RepairAnswer::Open(why) => (None, Some(why.clone())),
    };
    let stands = |s: &Stands| document::Stands {
        test_thread: s.test_thread,
        block: s.block,
        thread: s.thread,
        at: spot(&s.spot),
        event: s.event.clone(),
    };
    document::Finding {
        kind: of.kind.name().to_owned(),
        threads: of.stands.iter().map(stands).collect(),
        why: of.why.clone(),
        litmus: of.litmus.clone(),
        model: if of.with_races { RACES_FILE } else { "ptx-8" }.to_owned(),
        repair,
        no_repair,
    }
}

fn spot(of: &Spot) -> document::Spot {
    document::Spot {
        ptx_line: of.line,
        instruction: of.text.clone(),
        file: of.source.as_ref().map(|(file, _)| file.clone()),
        line: of.source.as_ref().map(|(_, line)| *line),
    }
}
