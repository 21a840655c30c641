//! Small numbers for parameters: where with the count of threads, which is what is chosen, no
//! thread comes to an access of memory that others see.
//!
//! A kernel may leave with it at once (`if (x >= size - 1 - t) return`): then nothing was looked
//! at, and that nothing goes wrong says nothing of the kernel.

use margay_ptx::effect::{Effect, Window};
use rustc_hash::FxHashSet;

use crate::answer::{FindingKind, KernelAnswer, LaunchVerdict};
use crate::launch::{Argument, GivenArgument, Launch};
use crate::layout::Layout;
use crate::passing::arguments;
use crate::program::Executed;
use crate::question::KernelQuestion;
use crate::reached::reached;
use crate::residue::Origin;
use crate::thread::PreparedModule;

/// What is passed in place of the count of threads.
const SMALL_NUMBERS: [i64; 3] = [0, 1, 2];

/// How many choices are tried: all for one of eight numbers, and for two of them.
const CHOICES: usize = 276;

/// How many choices are asked about that lead as far as another one.
const ALIKE: usize = 4;

/// Did no launch come to any of the accesses that a kernel has?
pub(crate) fn is_empty(answer: &KernelAnswer) -> bool {
    let is_nothing = |verdict: &LaunchVerdict| *verdict == LaunchVerdict::Nothing;
    let is_open = |verdict: &LaunchVerdict| {
        matches!(verdict, LaunchVerdict::Found | LaunchVerdict::Undecided)
    };
    let mut verdicts = answer.launches.iter().map(|l| &l.asked);
    !verdicts.clone().any(is_open) && verdicts.any(is_nothing) && answer.accesses_nothing()
}

/// The accesses of memory that several threads see.
pub(crate) fn accesses(prepared: &PreparedModule<'_>, kernel: usize) -> FxHashSet<Origin> {
    let is_seen =
        |window: Window| matches!(window, Window::Generic | Window::Global | Window::Shared);
    let is_access = |effect: &Effect<'_>| match effect {
        Effect::Load { access, .. }
        | Effect::Store { access, .. }
        | Effect::Modify { access, .. } => is_seen(access.window),
        Effect::Matrix { .. } | Effect::Async(_) | Effect::Tensor(_) | Effect::Unseen { .. } => {
            true
        }
        _ => false,
    };
    let of = |function: usize| {
        let all = prepared.effects[function].iter().enumerate();
        all.filter(|(_, effect)| is_access(effect))
            .map(move |(instruction, _)| Origin { function, instruction })
    };
    reached(prepared, kernel).into_iter().flat_map(of).collect()
}

/// Small numbers with which threads of the smallest launch come to the most accesses: for as few
/// parameters as lead to any. All others stay the count of threads. Nothing where none leads to
/// one, and no number was chosen for any parameter.
///
/// # Errors
/// What is passed is wrong.
pub(crate) fn small_numbers(
    question: &KernelQuestion<'_>,
    prepared: &PreparedModule<'_>,
    answer: &KernelAnswer,
) -> Result<SmallNumbers, String> {
    let asked =
        answer.launches.iter().filter(|l| l.asked == LaunchVerdict::Nothing).map(|l| l.launch);
    let Some(launch) = asked.min_by_key(|l| l.total()) else {
        return Ok(SmallNumbers::NothingChosen);
    };
    let function = &question.module.functions[question.kernel];
    let (passed, _) = arguments(question, prepared, function, launch)?;
    let open: Vec<(usize, Option<u64>)> =
        open_numbers(&passed).into_iter().map(|(parameter, field, _)| (parameter, field)).collect();
    if open.is_empty() {
        return Ok(SmallNumbers::NothingChosen);
    }
    let accesses = accesses(prepared, question.kernel);
    let number = |&(parameter, field): &(usize, Option<u64>), number| GivenArgument {
        parameter,
        field,
        argument: Argument::Chosen(number),
    };
    let ones: Vec<Vec<GivenArgument>> =
        open.iter().flat_map(|of| SMALL_NUMBERS.map(|small| vec![number(of, small)])).collect();
    let is_before =
        |a: &GivenArgument, b: &GivenArgument| (a.parameter, a.field) < (b.parameter, b.field);
    let twos = ones.iter().flat_map(|a| {
        let behind = ones.iter().filter(|b| is_before(&a[0], &b[0]));
        behind.map(|b| a.iter().chain(b).cloned().collect::<Vec<_>>())
    });
    let mut tries = 0;
    for choices in [ones.clone(), twos.collect()] {
        let (mut most, mut best) = (0, Vec::new());
        for choice in choices {
            if tries == CHOICES || question.is_over() {
                break;
            }
            tries += 1;
            let given: Vec<GivenArgument> =
                question.arguments.iter().cloned().chain(choice).collect();
            let asked = KernelQuestion { arguments: &given, ..question.clone() };
            let count = visited(&asked, prepared, launch)?.intersection(&accesses).count();
            if count > most {
                (most, best) = (count, Vec::new());
            }
            if count == most && count > 0 && best.len() < ALIKE {
                best.push(given);
            }
        }
        if !best.is_empty() {
            return Ok(SmallNumbers::Lead(best));
        }
    }
    Ok(SmallNumbers::LeadNowhere(
        open.iter().map(|&(parameter, field)| name(parameter, field)).collect(),
    ))
}

pub(crate) fn name(parameter: usize, field: Option<u64>) -> String {
    field.map_or(format!("arg{parameter}"), |field| format!("arg{parameter}+{field}"))
}

/// What small numbers lead to.
pub(crate) enum SmallNumbers {
    /// What is passed with those that lead to accesses, each as good as the first.
    Lead(Vec<Vec<GivenArgument>>),
    /// For which parameters numbers were chosen, none of which leads to an access.
    LeadNowhere(Vec<String>),
    NothingChosen,
}

impl SmallNumbers {
    /// What goes wrong with numbers that lead as far as others with which nothing does.
    pub(crate) fn not_taken(
        chosen: &[GivenArgument],
        launch: Option<Launch>,
        kind: FindingKind,
    ) -> String {
        let number = |given: &GivenArgument| match given.argument {
            Argument::Chosen(number) => {
                format!("{} = {number}", name(given.parameter, given.field))
            }
            Argument::Array { ref content, .. } => {
                format!("{} = {content}", name(given.parameter, given.field))
            }
            _ => name(given.parameter, given.field),
        };
        let all: Vec<String> = chosen.iter().map(number).collect();
        let place = launch.map_or(String::new(), |launch| format!(" in launch {launch}"));
        format!(
            "with {} something goes wrong{place} ({}); `--arg` asks about it",
            all.join(", "),
            kind.name()
        )
    }

    /// Why launches in which nothing is accessed are no answer.
    pub(crate) fn why(names: &[String]) -> String {
        let first = names.first().map_or("N", |name| name.trim_start_matches("arg"));
        format!(
            "no thread accesses memory that others see with the numbers that were chosen for {}, nor with 0, 1 or 2; give them with `--arg {first}=NUMBER`",
            names.join(", ")
        )
    }
}

/// The instructions that threads come to; none where it is no litmus test.
fn visited(
    question: &KernelQuestion<'_>,
    prepared: &PreparedModule<'_>,
    launch: Launch,
) -> Result<FxHashSet<Origin>, String> {
    let function = &question.module.functions[question.kernel];
    let (passed, _) = arguments(question, prepared, function, launch)?;
    let layout = Layout::new(
        question.module,
        function,
        &reached(prepared, question.kernel),
        &passed,
        launch.cluster,
    )?;
    let executed =
        Executed::new(prepared, &layout, question.kernel, launch, &[], &|| question.is_over());
    Ok(executed
        .map_or_else(|_| FxHashSet::default(), |executed| executed.visited.into_keys().collect()))
}

/// The parameters, and fields, for which whole numbers were chosen, and which. Of floats zero is.
pub(crate) fn open_numbers(passed: &[Argument]) -> Vec<(usize, Option<u64>, i64)> {
    let number = |argument: &Argument| match argument {
        Argument::Chosen(number) if *number != 0 => Some(*number),
        _ => None,
    };
    let of = |(n, argument): (usize, &Argument)| match argument {
        Argument::Structure(fields) => {
            let field =
                |(offset, _, of): &(u64, u64, Argument)| Some((n, Some(*offset), number(of)?));
            fields.iter().filter_map(field).collect::<Vec<_>>()
        }
        argument => number(argument).map(|number| (n, None, number)).into_iter().collect(),
    };
    passed.iter().enumerate().flat_map(of).collect()
}
