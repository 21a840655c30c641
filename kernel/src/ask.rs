//! The questions about a kernel, launch by launch.

use crate::answer::{FindingKind, KernelAnswer, LaunchAnswer, LaunchVerdict, RepairAnswer, Spot};
use crate::contents::other_contents;
use crate::effort::{Effort, Engines};
use crate::first_rounds::repaired_in;
use crate::inquiry::{Inquiry, unasked};
use crate::launch::{Argument, GivenArgument, Launch, SMALL};
use crate::layout::Layout;
use crate::other_numbers::other_numbers;
use crate::passing::arguments;
use crate::question::{KernelQuestion, KernelRefusal};
use crate::reached::reached;
use crate::repair::repair;
use crate::residue::Origin;
use crate::selection::LaunchSelection;
use crate::small_numbers::{SmallNumbers, accesses, is_empty, small_numbers};
use crate::thread::PreparedModule;

/// Asks about a kernel: smaller launches first, until one goes wrong. Where no thread accesses
/// memory with the numbers that are chosen, it is asked about again with small ones.
///
/// # Errors
/// The question is wrong: what is wrong with it.
pub fn ask(question: &KernelQuestion<'_>) -> Result<KernelAnswer, KernelRefusal> {
    let prepared = PreparedModule::new(question.module);
    let mut answer = ask_with(question, &prepared, &Engines::default())?;
    if question.is_over() || !is_empty(&answer) {
        return Ok(answer);
    }
    match small_numbers(question, &prepared, &answer)? {
        SmallNumbers::NothingChosen => {}
        SmallNumbers::Lead(given) => {
            // What goes wrong with one of them, and not with another, may be what the kernel
            // supposes of its numbers: it is told of, and no finding.
            let mut wrong = None;
            let mut not_taken = Vec::new();
            for given in given {
                let with = KernelQuestion { arguments: &given, ..question.clone() };
                let mut asked = ask_with(&with, &prepared, &Engines::default())?;
                let Some(finding) = asked.wrong().and_then(|launch| launch.findings.first()) else {
                    asked.arguments.append(&mut not_taken);
                    return Ok(asked);
                };
                not_taken.push(SmallNumbers::not_taken(
                    &given[question.arguments.len()..],
                    None,
                    finding.kind,
                ));
                wrong = wrong.or(Some(asked));
            }
            answer = wrong.unwrap_or(answer);
        }
        SmallNumbers::LeadNowhere(names) => {
            for launch in answer.launches.iter_mut().filter(|l| l.asked == LaunchVerdict::Nothing) {
                launch.asked = LaunchVerdict::NotAsked(SmallNumbers::why(&names));
            }
        }
    }
    Ok(answer)
}

fn ask_with(
    question: &KernelQuestion<'_>,
    prepared: &PreparedModule<'_>,
    engines: &Engines,
) -> Result<KernelAnswer, String> {
    let function = &question.module.functions[question.kernel];
    let selection = LaunchSelection::of(question, prepared);
    let mut launches = selection.launches(question);
    let mut answer = KernelAnswer {
        kernel: function.name.clone(),
        reading: question.reading,
        arguments: Vec::new(),
        has_zeros: false,
        has_values: false,
        chosen_contents: Vec::new(),
        chosen_numbers: Vec::new(),
        selection,
        launches: Vec::new(),
        contents: None,
        numbers: None,
        accesses: 0,
        unreached: Vec::new(),
    };
    let mut next = 0;
    loop {
        // Where smaller blocks read what nobody writes, one is asked about in which it is written:
        // what is there else is seen in no other.
        if next == launches.len() {
            launches.extend(engines.larger_block().filter(|larger| !launches.contains(larger)));
        }
        let Some(&launch) = launches.get(next) else { break };
        next += 1;
        let (arguments, said) = arguments(question, prepared, function, launch)?;
        if answer.arguments.is_empty() || launch == *question.launches.first().unwrap_or(&launch) {
            answer.arguments = said;
            answer.has_zeros = arguments.iter().any(Argument::has_zeros);
            answer.has_values = arguments.iter().any(Argument::has_values);
        }
        let layout = Layout::new(
            question.module,
            function,
            &reached(prepared, question.kernel),
            &arguments,
            launch.cluster,
        )?;
        // Where no launch is small, the large one is what is asked about.
        let has_small = launches.iter().any(|l| l.total() <= SMALL);
        let effort = match (question.launches.is_empty(), launch.total() > SMALL) {
            (true, true) if has_small => Effort::LARGE,
            (true, true) => Effort::ALONE,
            (true, false) => Effort::CHOSEN,
            (false, _) => Effort::ASKED,
        };
        let deadline = question.deadline;
        let inquiry =
            Inquiry { question, prepared, layout: &layout, launch, deadline, effort, engines };
        let asked = inquiry.ask()?;
        answer.launches.push(asked);
        if answer.wrong().is_some() {
            break;
        }
    }
    let mut given = match answer.wrong() {
        Some(_) => None,
        None => other_contents(question, prepared, &launches, &mut answer, engines)?,
    };
    if answer.wrong().is_none() {
        given = other_numbers(question, prepared, &launches, &mut answer, engines)?;
    }
    let beside = |of: fn(&GivenArgument) -> Option<String>| {
        given.iter().flatten().skip(question.arguments.len()).filter_map(of).collect()
    };
    (answer.chosen_contents, answer.chosen_numbers) =
        (beside(GivenArgument::content), beside(GivenArgument::number));
    let with = given.as_ref().map(|given| KernelQuestion { arguments: given, ..question.clone() });
    let question = with.as_ref().unwrap_or(question);
    if let (Some(_), Some(wrong)) = (&given, answer.wrong()) {
        answer.arguments = arguments(question, prepared, function, wrong.launch)?.1;
    }
    if question.repairs
        && let Some(wrong) = answer.launches.iter_mut().find(|l| !l.findings.is_empty())
    {
        mend(question, prepared, &launches, wrong, engines)?;
    }
    let (accesses, visited) = (accesses(prepared, question.kernel), engines.visited.borrow());
    let mut unreached: Vec<Origin> = accesses.difference(&visited).copied().collect();
    unreached.sort();
    answer.accesses = accesses.len();
    answer.unreached = unreached
        .into_iter()
        .map(|origin| Spot::new(question.module, question.text, origin))
        .collect();
    Ok(answer)
}

/// The most threads of the launches that a repair must hold in, beside the one that goes wrong.
const MENDED: u32 = 3;

/// Looks for repairs of what goes wrong in a launch. They must hold in the other small launches as
/// well: what is enough within a block need not be between blocks. Launches of several blocks come
/// first.
fn mend(
    question: &KernelQuestion<'_>,
    prepared: &PreparedModule<'_>,
    launches: &[Launch],
    wrong: &mut LaunchAnswer,
    engines: &Engines,
) -> Result<(), String> {
    let function = &question.module.functions[question.kernel];
    let mut all: Vec<Launch> =
        launches.iter().copied().filter(|l| l.total() <= MENDED || *l == wrong.launch).collect();
    all.sort_by_key(|l| (l.blocks == 1, l.total(), l.blocks));
    for finding in wrong.findings.iter_mut().filter(|finding| finding.repair == unasked()) {
        if !matches!(
            finding.kind,
            FindingKind::Race
                | FindingKind::Trap
                | FindingKind::Outside
                | FindingKind::Misaligned
                | FindingKind::Final
                | FindingKind::Stale
        ) {
            continue;
        }
        let (mut goals, mut is_over) = (Vec::new(), false);
        let (deadline, effort) = (question.deadline, Effort::REPAIR);
        for &launch in &all {
            let (arguments, _) = arguments(question, prepared, function, launch)?;
            let layout = Layout::new(
                question.module,
                function,
                &reached(prepared, question.kernel),
                &arguments,
                launch.cluster,
            )?;
            let inquiry =
                Inquiry { question, prepared, layout: &layout, launch, deadline, effort, engines };
            match inquiry.goals(finding.kind, finding.first_rounds) {
                Ok(more) => goals.extend(more),
                Err(_) if inquiry.is_over() => {}
                Err(why) => return Err(why),
            }
            is_over |= inquiry.is_over();
        }
        finding.repair = match is_over {
            true => RepairAnswer::Open("none was found in the time for it".to_owned()),
            false => repair(&goals, (question.module, question.text)),
        };
        if let (RepairAnswer::Changes(_), Some(rounds)) = (&finding.repair, finding.first_rounds) {
            finding.why.push(repaired_in(rounds));
        }
    }
    Ok(())
}
