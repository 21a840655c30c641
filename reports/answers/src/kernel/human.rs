//! Answers about kernels for people.

use std::io;

use margay_console::output::Output;
use margay_kernel::{
    Finding, FindingKind, LaunchVerdict, NotLooked, RepairAnswer, RepairChange, RepairSide,
};
use margay_reports::Verdict;

use super::against::{KernelComparison, KernelFinding};
use super::asked::{AskedKernel, KernelFile};
use super::changed::{count, print_hardening, print_weaker};
use super::compile::KernelCompiler;
use super::first_line::first_line;
use super::written::INTERLEAVINGS_FILE;
use margay_kernel::KernelReading;

pub fn print_answers(
    file: &KernelFile,
    answers: &[AskedKernel],
    output: &Output,
) -> io::Result<()> {
    // What was not looked at stands in front of what was.
    let (refused, asked): (Vec<_>, Vec<_>) = answers.iter().partition(|a| a.refused.is_some());
    for (n, answer) in refused.into_iter().chain(asked).enumerate() {
        if n > 0 {
            output.print("")?;
        }
        print_kernel(file, answer, output)?;
    }
    Ok(())
}

/// One answer, from its first line to the launches that were left out.
fn print_kernel(file: &KernelFile, asked: &AskedKernel, output: &Output) -> io::Result<()> {
    let answer = &asked.answer;
    let (word, rest) = first_line(file, asked);
    let word = match asked.verdict() {
        Verdict::Counterexample => output.bad(word),
        Verdict::None => output.good(word),
        _ => output.unsure(word),
    };
    output.headline(&format!("{word}{rest}"))?;
    if asked.refused.is_some() {
        return Ok(());
    }
    if file.compiler == Some(KernelCompiler::Margay) {
        output.prose("Nothing is optimised here: of plain accesses nvcc may make fewer, or others (docs/kernels.md). Lines of PTX are those of what Margay made (`--out FOLDER` writes it).")?;
    }
    if let Some(wrong) = answer.wrong() {
        for finding in &wrong.findings {
            print_finding(finding, output)?;
        }
    }
    if let Some((hardening, not_looked)) = &asked.hardening {
        output.print("")?;
        print_hardening(hardening, (asked, not_looked), output)?;
    }
    if let Some((weaker, not_looked)) = &asked.weaker {
        output.print("")?;
        print_weaker(weaker, (asked, not_looked), output)?;
    }
    if asked.unweakened {
        output.prose(
            "What could be weaker was not asked: that is asked of kernels of which it is known that nothing goes wrong.",
        )?;
    }
    if !answer.arguments.is_empty() {
        output.prose(&format!("Arguments: {}.", answer.arguments.join("; ")))?;
    }
    let not_looked = answer.not_looked();
    if !not_looked.is_empty() {
        output.print(&output.heading("Not looked at, or only in part"))?;
        not_looked.iter().try_for_each(|n| output.prose(&format!("  {}", not_looked_at(n))))?;
    }
    for launch in &answer.launches {
        match &launch.asked {
            LaunchVerdict::NotAsked(why) => {
                output.prose(&format!("Launch {} was not asked about: {why}.", launch.launch))?
            }
            LaunchVerdict::NotMeant(why) => {
                output.prose(&format!("Launch {} was left out: {why}.", launch.launch))?
            }
            LaunchVerdict::Nothing | LaunchVerdict::Found | LaunchVerdict::Undecided => {}
        }
    }
    Ok(())
}

/// Prints what is new since an older version.
pub fn print_differences(
    file: &KernelFile,
    answers: &[AskedKernel],
    (against, reading): (&KernelComparison, KernelReading),
    output: &Output,
) -> io::Result<()> {
    let (fresh, gone) = (against.new.len(), against.gone.len());
    let word = match against.verdict {
        Verdict::Different => output.bad("different"),
        Verdict::None => output.good("none"),
        _ => output.unsure("undecided"),
    };
    let new = if fresh == 0 {
        "no finding is new".to_owned()
    } else {
        count(fresh, "finding is new", "findings are new")
    };
    let what = format!("{new}, {gone} gone, {} in both", against.unchanged.len());
    output.headline(&format!(
        "{word}: {what}, from {} to {} under {}{}",
        against.old,
        file.ptx.name,
        reading.name(),
        file.compiler.map_or("", KernelCompiler::note)
    ))?;
    let line = |f: &KernelFinding| {
        let at: Vec<String> = f.finding.stands.iter().map(|s| s.spot.sentence()).collect();
        let at = if at.is_empty() { String::new() } else { format!(" at {}", at.join(", and ")) };
        format!("`{}`, {}{at}", f.kernel, f.finding.kind.words())
    };
    for (heading, all) in [("Gone", &against.gone), ("In both", &against.unchanged)] {
        if !all.is_empty() {
            output.print(&output.heading(heading))?;
            all.iter().try_for_each(|f| output.prose(&format!("  {}", line(f))))?;
        }
    }
    if !against.unknown.is_empty() {
        output.print(&output.heading("Not compared, or only in part"))?;
        against.unknown.iter().try_for_each(|why| output.prose(&format!("  {why}")))?;
    }
    for asked in answers {
        let is_new = against.new.iter().any(|f| f.kernel == asked.answer.kernel);
        if is_new || asked.verdict() == Verdict::Undecided {
            output.print("")?;
            print_kernel(file, asked, output)?;
        } else {
            let (word, rest) = first_line(file, asked);
            output.headline(&format!("{word}{rest}"))?;
        }
    }
    Ok(())
}

/// Something that was not looked at, in a line.
pub fn not_looked_at(n: &NotLooked) -> String {
    match (n.line, &n.text) {
        (Some(line), Some(text)) if line > 0 => format!("PTX line {line}, `{text}`: {}", n.why),
        _ => n.why.clone(),
    }
}

/// What goes wrong, where, how it is mended, and the test that shows it.
fn print_finding(finding: &Finding, output: &Output) -> io::Result<()> {
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
                output.prose(&output.good(&format!("    {}", change(c))))?;
            }
        }
        RepairAnswer::Nothing => output.prose("  No repair: nothing that was tried is enough.")?,
        RepairAnswer::Open(why) => output.prose(&format!("  No repair: {why}."))?,
    }
    if lacks_barrier(finding) {
        output.prose(
            "  Both threads are of one block. Barriers are not tried: perhaps `__syncthreads()`, or within a warp `__syncwarp()`, is what is missing between \
             the two.",
        )?;
    }
    let model = finding.model_name();
    let forbidden = match finding.kind {
        FindingKind::Weak => format!(", and `--model {INTERLEAVINGS_FILE}` forbids"),
        _ => String::new(),
    };
    output.prose(&format!(
        "  The test, which `margay run FILE --model {model}` confirms{forbidden} (`--out FOLDER` writes both):"
    ))?;
    finding.litmus.lines().try_for_each(|line| output.print(format!("  {line}").trim_end()))
}

/// Is it a race of two threads of a block that no fence and no order mends? Then a barrier may be
/// what was forgotten, and repairs have none. What is copied asynchronously waits for other things.
fn lacks_barrier(finding: &Finding) -> bool {
    let [one, two] = finding.stands.as_slice() else { return false };
    let is_access = |text: &str| {
        let name = text.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default();
        ["ld.", "st.", "atom.", "red."].iter().any(|kind| name.starts_with(kind))
            && !name.contains(".async")
    };
    let mended = match &finding.repair {
        RepairAnswer::Changes(changes) => !changes.iter().any(is_of_weak),
        RepairAnswer::Nothing | RepairAnswer::Open(_) => false,
    };
    let within = one.block == two.block
        && one.thread != two.thread
        && is_access(&one.spot.text)
        && is_access(&two.spot.text);
    finding.kind == FindingKind::Race && within && !mended
}

/// A change, in a line.
pub fn change(c: &RepairChange) -> String {
    let side = match c.side {
        RepairSide::Before => "in front of",
        RepairSide::Behind => "behind",
        RepairSide::Instead => "in place of the order and scope at",
    };
    let cuda = c.cuda.as_ref().map_or(String::new(), |cuda| format!(" (in CUDA: {cuda})"));
    format!("`{}`{cuda} {side} {}", c.text, c.spot.sentence())
}

/// Does a change make a strong access of a weak one?
fn is_of_weak(change: &RepairChange) -> bool {
    let strong = [".relaxed", ".acquire", ".release", ".volatile", ".mmio"];
    let is_access = change.spot.text.contains("ld.") || change.spot.text.contains("st.");
    change.side == RepairSide::Instead
        && is_access
        && !strong.iter().any(|word| change.spot.text.contains(word))
}

/// A text that begins with a capital letter.
pub fn capitalised(text: &str) -> String {
    let mut all = text.chars();
    all.next().map_or(String::new(), |first| first.to_uppercase().chain(all).collect())
}
