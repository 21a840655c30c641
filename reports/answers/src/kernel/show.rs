//! What is said about kernels: for people, and as a document.

use std::collections::BTreeSet;
use std::time::Duration;

use margay_console::output::Output;
use margay_kernel::{
    ContentsAnswer, Finding, HardeningAnswer, HardeningFence, KernelAnswer, LaunchAnswer, LaunchVerdict, NotLooked, RepairAnswer,
    RepairChange, RepairSide, Spot, Stands, UNROLL, WeakerAnswer, WeakerChange,
};
use margay_reports::{Verdict, kernel as document};

use super::against::{ComparedFinding, KernelComparison};
use super::{AskedKernel, INTERLEAVINGS_FILE, KernelCompiler, KernelFile, KernelReading, Options};

/// What is asked of every launch, in words; and of those alone in which waits were looked into.
const QUESTIONS: [&str; 2] =
    ["data race, trap or address outside of arrays", "data race, trap, address outside of arrays or endless wait"];

/// Prints the answers.
pub fn human(file: &KernelFile, answers: &[AskedKernel], output: &Output) -> std::io::Result<()> {
    // What was not looked at stands in front of what was.
    let (refused, asked): (Vec<_>, Vec<_>) = answers.iter().partition(|a| a.refused.is_some());
    for (n, answer) in refused.into_iter().chain(asked).enumerate() {
        if n > 0 {
            output.print("")?;
        }
        one(file, answer, output)?;
    }
    Ok(())
}

fn list(launches: &[String]) -> String {
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
    let of = |is: &dyn Fn(&LaunchAnswer) -> bool| -> Vec<String> {
        answer.launches.iter().filter(|l| is(l)).map(|l| l.launch.to_string()).collect()
    };
    let nothing = of(&|l| l.asked == LaunchVerdict::Nothing);
    let open = of(&|l| matches!(l.asked, LaunchVerdict::Undecided | LaunchVerdict::NotAsked(_)));
    let model = answer.reading.name();
    let by = match answer.selection.why() {
        Some(why) => format!("({why}) under {model}{compiled}"),
        None => format!("under {model}{compiled}"),
    };
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
        open => format!("; not answered: {}{}", list(open), reason.map_or(String::new(), |why| format!(" ({why})"))),
    };
    let others = of(&|l| matches!(l.asked, LaunchVerdict::NotMeant(_)));
    if !others.is_empty() {
        open_words += &format!("; left out, as it seems to be written for smaller blocks: {}", list(&others));
    }
    let more = match answer.not_looked().len() {
        0 => String::new(),
        1 => "; 1 thing was not looked at (below)".to_owned(),
        n => format!("; {n} things were not looked at (below)"),
    };
    let conditions = if finals.is_empty() { String::new() } else { format!(", and {} at the end", finals.join(", ")) };
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
                (some, false) => format!(", and with zeros not in {}", list(some)),
            };
            format!(": `{name}`{perhaps}, {} in launch {}{chosen} {by}{before}{more}", what.join("; "), wrong.launch)
        }
        (None, Verdict::None) => {
            let without = of(&|l| l.asked == LaunchVerdict::Nothing && !l.waits);
            let (asked, waits) = match without.as_slice() {
                [] => (QUESTIONS[1], String::new()),
                some if some.len() == nothing.len() => {
                    (QUESTIONS[0], "; executions with an endless wait were not looked into".to_owned())
                }
                some => (QUESTIONS[1], format!(" (executions with an endless wait: not looked into in {})", list(some))),
            };
            let plural = if nothing.len() == 1 { "launch" } else { "launches" };
            let weak = if is_weak { ", no final state of global memory that only weak memory has" } else { "" };
            let contents = contents(answer);
            format!(
                ": `{name}` has no {asked}{weak}{conditions} in {plural} {}{waits} {by}{contents}{open_words}{more}",
                list(&nothing)
            )
        }
        _ => {
            let zeros = if answer.has_zeros { " with arrays of zeros" } else { "" };
            let known =
                if nothing.is_empty() { String::new() } else { format!("; nothing goes wrong{zeros} in {}", list(&nothing)) };
            let of = answer.selection.why().map_or(String::new(), |why| format!(", {why}"));
            format!(": `{name}` of {file} under {model}{compiled}{of}{known}{open_words}{more}")
        }
    };
    (word, rest)
}

/// With what chosen contents of arrays something goes wrong; nothing where it does with zeros, or with what is given.
pub fn chosen_contents(answer: &KernelAnswer) -> String {
    match answer.chosen_contents.as_slice() {
        [] => String::new(),
        some => format!(" with {}, chosen in place of zeros,", list(some)),
    }
}

/// What arrays hold in launches in which nothing goes wrong.
fn contents(answer: &KernelAnswer) -> String {
    let Some(ContentsAnswer { arrays, tried, settled, .. }) = &answer.contents else {
        return if answer.has_zeros { "; arrays hold zeros".to_owned() } else { String::new() };
    };
    let known = if settled == tried { String::new() } else { format!(" ({settled} answered)") };
    format!("; arrays hold zeros, and for races {tried} other contents of {}{known}", list(arrays))
}

fn one(file: &KernelFile, asked: &AskedKernel, output: &Output) -> std::io::Result<()> {
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
            show(finding, output)?;
        }
    }
    if let Some((hardening, not_looked)) = &asked.hardening {
        output.print("")?;
        hardened(hardening, (asked, not_looked), output)?;
    }
    if let Some((weaker, not_looked)) = &asked.weaker {
        output.print("")?;
        weakened(weaker, (asked, not_looked), output)?;
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
            LaunchVerdict::NotAsked(why) => output.prose(&format!("Launch {} was not asked about: {why}.", launch.launch))?,
            LaunchVerdict::NotMeant(why) => output.prose(&format!("Launch {} was left out: {why}.", launch.launch))?,
            LaunchVerdict::Nothing | LaunchVerdict::Found | LaunchVerdict::Undecided => {}
        }
    }
    Ok(())
}

/// The launches that an answer is of.
fn launches(of: &[margay_kernel::launch::Launch]) -> String {
    let all: Vec<String> = of.iter().map(ToString::to_string).collect();
    match all.len() {
        0 => "in no launch".to_owned(),
        1 => format!("in launch {}", all[0]),
        _ => format!("in launches {}", list(&all)),
    }
}

fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// What limits an answer about a changed kernel.
fn limits((unroll, bounded): (usize, bool), not_looked: &[NotLooked]) -> String {
    let rounds = if bounded { format!("; loops were gone round at most {unroll} times") } else { String::new() };
    let open = match not_looked.len() {
        0 => String::new(),
        1 => "; 1 thing was not looked at".to_owned(),
        n => format!("; {n} things were not looked at"),
    };
    rounds + &open
}

/// Which fences a kernel needs.
fn hardened(
    answer: &HardeningAnswer,
    (asked_kernel, not_looked): (&AskedKernel, &[NotLooked]),
    output: &Output,
) -> std::io::Result<()> {
    let HardeningAnswer { own, accesses, least, smallest, superfluous, asked, bounded, open, .. } = answer;
    let (unroll, model) = (asked_kernel.unroll, asked_kernel.answer.reading.name());
    let which = format!("{} under {model}{}", launches(&answer.launches), limits((unroll, *bounded), not_looked));
    let from = format!(
        "out of {} and one behind each of {}",
        count(*own, "fence of its own", "fences of its own"),
        count(*accesses, "access", "accesses")
    );
    output.print(&output.heading("Which fences it needs"))?;
    match (smallest, open) {
        (Some(fences), _) => {
            let (own, added): (Vec<_>, Vec<_>) = fences.iter().partition(|f| f.own);
            let minimal = match (open, least) {
                (None, Some(least)) if *least > fences.len() => {
                    format!("No fewer are enough. Taking away one by one ended at {least}")
                }
                (None, _) => "No fewer are enough".to_owned(),
                (Some(why), _) => format!("None of them can go; whether fewer are enough is not known: {why}"),
            };
            let are = if fences.len() == 1 { "is" } else { "are" };
            output.prose(&format!("  {} {are} enough {which}, {from}. {minimal}. {asked} sets were asked about.", count(fences.len(), "fence", "fences")))?;
            for fence in added {
                let line = format!("    to add: `fence.sc.gpu` (in CUDA: __threadfence()) behind {}", fence.spot.sentence());
                output.prose(&output.good(&line))?;
            }
            own.iter().try_for_each(|f| output.prose(&format!("    needed: {}", f.spot.sentence())))?;
            superfluous.iter().try_for_each(|f| output.prose(&format!("    not needed here: {}", f.spot.sentence())))
        }
        (None, Some(why)) => {
            let which = if answer.launches.is_empty() { String::new() } else { format!(" {which}") };
            output.prose(&format!("  Not known{which}: {why}. {asked} sets were asked about."))
        }
        (None, None) => output.prose(&format!(
            "  All are not enough {which}, {from}: what goes wrong is not mended by fences alone. A race needs strong accesses (volatile or atomic) or \
             a barrier; threads of a warp need __syncwarp()."
        )),
    }
}

/// What could be weaker.
fn weakened(
    answer: &WeakerAnswer,
    (asked_kernel, not_looked): (&AskedKernel, &[NotLooked]),
    output: &Output,
) -> std::io::Result<()> {
    let WeakerAnswer { changes, asked, open, .. } = answer;
    let (unroll, model) = (asked_kernel.unroll, asked_kernel.answer.reading.name());
    let which = format!("{} under {model}{}", launches(&answer.launches), limits((unroll, false), not_looked));
    let unfinished = open.as_ref().map_or(String::new(), |why| format!(" Not all was asked: {why}."));
    output.print(&output.heading("What could be weaker"))?;
    if changes.is_empty() {
        return output.prose(&format!("  Nothing that was tried, {which}. {asked} changes were asked about.{unfinished}"));
    }
    output.prose(&format!(
        "  All of this together leaves nothing that goes wrong {which}. {asked} changes were asked about.{unfinished} Other launches may need it."
    ))?;
    changes.iter().try_for_each(|c| {
        output.prose(&match &c.to {
            Some(to) => {
                let cuda = c.cuda.as_ref().map_or(String::new(), |cuda| format!(" (in CUDA: {cuda})"));
                format!("    `{}` could be `{to}`{cuda}: {}", c.from, c.spot.sentence())
            }
            None => format!("    `{}` could go: {}", c.from, c.spot.sentence()),
        })
    })
}

/// What is new since an older version.
pub fn differences(
    file: &KernelFile,
    answers: &[AskedKernel],
    (against, reading): (&KernelComparison, KernelReading),
    output: &Output,
) -> std::io::Result<()> {
    let (fresh, gone) = (against.new.len(), against.gone.len());
    let word = match against.verdict {
        Verdict::Different => output.bad("different"),
        Verdict::None => output.good("none"),
        _ => output.unsure("undecided"),
    };
    let new = if fresh == 0 { "no finding is new".to_owned() } else { count(fresh, "finding is new", "findings are new") };
    let what = format!("{new}, {gone} gone, {} in both", against.unchanged.len());
    output.headline(&format!(
        "{word}: {what}, from {} to {} under {}{}",
        against.old,
        file.ptx.name,
        reading.name(),
        file.compiler.map_or("", KernelCompiler::note)
    ))?;
    let line = |f: &ComparedFinding| {
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
            one(file, asked, output)?;
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
        margay_kernel::FindingKind::Weak => format!(", and `--model {INTERLEAVINGS_FILE}` forbids"),
        _ => String::new(),
    };
    output.prose(&format!(
        "  The test, which `margay run FILE --model {model}` confirms{forbidden} (`--out FOLDER` writes both):"
    ))?;
    finding.litmus.lines().try_for_each(|line| output.print(format!("  {line}").trim_end()))
}

/// Is it a race of two threads of a block that no fence and no order mends? Then a barrier may be what was forgotten, and repairs have none. What is
/// copied asynchronously waits for other things.
fn lacks_barrier(finding: &Finding) -> bool {
    let [one, two] = finding.stands.as_slice() else { return false };
    let is_access = |text: &str| {
        let name = text.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default();
        ["ld.", "st.", "atom.", "red."].iter().any(|kind| name.starts_with(kind)) && !name.contains(".async")
    };
    let mended = match &finding.repair {
        RepairAnswer::Changes(changes) => !changes.iter().any(is_of_weak),
        RepairAnswer::Nothing | RepairAnswer::Open(_) => false,
    };
    let within = one.block == two.block && one.thread != two.thread && is_access(&one.spot.text) && is_access(&two.spot.text);
    finding.kind == margay_kernel::FindingKind::Race && within && !mended
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
    change.side == RepairSide::Instead && is_access && !strong.iter().any(|word| change.spot.text.contains(word))
}

/// A text that begins with a capital letter.
pub fn capitalised(text: &str) -> String {
    let mut all = text.chars();
    all.next().map_or(String::new(), |first| first.to_uppercase().chain(all).collect())
}

/// The answers as a document.
pub fn document(
    file: &KernelFile,
    answers: &[AskedKernel],
    against: Option<&KernelComparison>,
    of_all: Verdict,
    options: &Options,
    time: Duration,
) -> document::Kernels {
    document::Kernels {
        file: file.ptx.name.clone(),
        compiler: file.compiler.map(|by| by.name().to_owned()),
        model: options.reading.name().to_owned(),
        verdict: of_all,
        unroll: options.unroll.unwrap_or(UNROLL),
        against: against.map(comparison),
        kernels: answers.iter().map(|asked| kernel(file, asked)).collect(),
        seconds: time.as_secs_f64(),
    }
}

fn comparison(of: &KernelComparison) -> document::Comparison {
    let all = |findings: &[ComparedFinding]| {
        let one = |f: &ComparedFinding| document::ComparedFinding {
            kernel: f.kernel.clone(),
            kind: f.finding.kind.name().to_owned(),
            at: f.finding.stands.iter().map(|s| spot(&s.spot)).collect(),
        };
        findings.iter().map(one).collect()
    };
    document::Comparison {
        file: of.old.clone(),
        new: all(&of.new),
        unchanged: all(&of.unchanged),
        gone: all(&of.gone),
        unknown: of.unknown.clone(),
    }
}

fn kernel(file: &KernelFile, asked: &AskedKernel) -> document::Kernel {
    let answer = &asked.answer;
    let (word, rest) = first_line(file, asked);
    let not_looked = |n: NotLooked| document::NotLooked { ptx_line: n.line, instruction: n.text, why: n.why };
    document::Kernel {
        name: answer.kernel.clone(),
        answer: format!("{word}{rest}"),
        verdict: asked.verdict(),
        arguments: answer.arguments.clone(),
        finals: asked.finals.clone(),
        unroll: asked.unroll,
        launches: answer.launches.iter().map(launch).collect(),
        contents: answer.contents.as_ref().map(|of| document::ContentsRecord {
            arrays: of.arrays.clone(),
            launches: of.launches.iter().map(ToString::to_string).collect(),
            tried: of.tried,
            settled: of.settled,
        }),
        not_looked: answer
            .not_looked()
            .into_iter()
            .map(not_looked)
            .chain(asked.refused.iter().map(|why| document::NotLooked { ptx_line: None, instruction: None, why: why.clone() }))
            .collect(),
        hardening: asked.hardening.as_ref().map(|(of, _)| hardening(of)),
        weaker: asked.weaker.as_ref().map(|(of, _)| weaker(of)),
    }
}

fn hardening(of: &HardeningAnswer) -> document::Hardening {
    let fence = |f: &HardeningFence| document::HardeningFence { own: f.own, at: spot(&f.spot) };
    document::Hardening {
        launches: of.launches.iter().map(ToString::to_string).collect(),
        accesses: of.accesses,
        own: of.own,
        asked: of.asked,
        least: of.least,
        fences: of.smallest.as_ref().map(|all| all.iter().map(fence).collect()),
        superfluous: of.superfluous.iter().map(|f| spot(&f.spot)).collect(),
        bounded: of.bounded,
        reason: of.open.clone(),
    }
}

fn weaker(of: &WeakerAnswer) -> document::Weaker {
    let change = |c: &WeakerChange| document::WeakerChange {
        at: spot(&c.spot),
        from: c.from.clone(),
        to: c.to.clone(),
        cuda: c.cuda.clone(),
    };
    document::Weaker {
        launches: of.launches.iter().map(ToString::to_string).collect(),
        changes: of.changes.iter().map(change).collect(),
        asked: of.asked,
        reason: of.open.clone(),
    }
}

fn launch(of: &LaunchAnswer) -> document::Launch {
    let (verdict, reason) = match &of.asked {
        LaunchVerdict::Nothing => (Some(Verdict::None), None),
        LaunchVerdict::Found => (Some(Verdict::Counterexample), None),
        LaunchVerdict::Undecided => (Some(Verdict::Undecided), None),
        LaunchVerdict::NotAsked(why) | LaunchVerdict::NotMeant(why) => (None, Some(why.clone())),
    };
    document::Launch {
        launch: of.launch.to_string(),
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
        model: of.model_name(),
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
