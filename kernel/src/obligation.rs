//! All that must hold of a kernel in its launches, as tests of which none may go wrong, asked about
//! again for a changed kernel.

use std::cell::{Cell, RefCell};

use margay_litmus::engine::{Choice, Runner};
use margay_litmus::test::{Body, Dialect, Test, TestInstruction};
use margay_litmus::{explicit, print};

use crate::answer::{FindingKind, HardeningAnswer, NotLooked, WeakerAnswer};
use crate::effort::{Effort, Engines};
use crate::harden::harden;
use crate::inquiry::Inquiry;
use crate::launch::{Launch, SMALL};
use crate::layout::Layout;
use crate::passing::arguments;
use crate::program::Executed;
use crate::question::{KernelQuestion, KernelRefusal};
use crate::reached::reached;
use crate::repair::Goal;
use crate::residue::Origin;
use crate::selection::LaunchSelection;
use crate::thread::PreparedModule;
use crate::weaker::weaker;

/// The tests of a kernel: of each launch the races, and what its traps, addresses and conditions
/// say.
pub(crate) struct Obligations {
    pub goals: Vec<Goal>,
    pub launches: Vec<Launch>,
    /// What was not looked at when they were made.
    pub not_looked: Vec<NotLooked>,
    /// In which order they are asked about: what went wrong last comes first.
    order: RefCell<Vec<usize>>,
    /// Changes that were asked about.
    asked: Cell<usize>,
    /// Was the time up before all of them were made?
    is_stopped: bool,
}

/// How many changes are asked about: counted, so that the answer is the same on every machine.
const MOST_CHANGES: usize = 1_000;

/// Conflicts of the SAT solver for each test of a change.
const CONFLICTS: u64 = 10_000;

/// A change of the instructions that a piece of a kernel's code is: what stands in place of one,
/// and where it came from.
pub(crate) type Rewriting<'a> =
    &'a dyn Fn(Option<Origin>, &TestInstruction, &mut Vec<TestInstruction>);

impl Obligations {
    pub fn new(goals: Vec<Goal>, launches: Vec<Launch>, not_looked: Vec<NotLooked>) -> Self {
        let order = RefCell::new((0..goals.len()).collect());
        Self { goals, launches, not_looked, order, asked: Cell::new(0), is_stopped: false }
    }

    /// Does nothing go wrong in the kernel with a change, made in all its threads?
    ///
    /// # Errors
    /// A test was not answered.
    pub fn hold(&self, rewriting: Rewriting<'_>) -> Result<bool, String> {
        if self.is_stopped {
            return Err("it was stopped by a limit or by Ctrl-C".to_owned());
        }
        if self.asked.get() >= MOST_CHANGES {
            return Err(format!("{MOST_CHANGES} changes were tried, and no more are"));
        }
        self.asked.set(self.asked.get() + 1);
        let order = self.order.borrow().clone();
        for (at, &n) in order.iter().enumerate() {
            let goal = &self.goals[n];
            let changed = rewritten(goal, rewriting);
            let options = explicit::Options { conflicts: Some(CONFLICTS), ..goal.options };
            let verdict =
                Runner::new(goal.model).run(&changed, &options, Choice::Auto).map_err(|error| {
                    match error {
                        explicit::Error::Time => {
                            "it was stopped by a limit or by Ctrl-C".to_owned()
                        }
                        other => other.to_string(),
                    }
                })?;
            if verdict.reachable || verdict.racy == Some(true) {
                let mut order = self.order.borrow_mut();
                order.remove(at);
                order.insert(0, n);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Are loops cut off in some test of the kernel with a change? Then what holds of it holds of
    /// so many rounds.
    pub fn are_bounded(&self, rewriting: Rewriting<'_>) -> bool {
        let bounded = |goal: &Goal| {
            let verdict = Runner::new(goal.model).run(
                &rewritten(goal, rewriting),
                &goal.options,
                Choice::Auto,
            );
            verdict.is_ok_and(|v| v.bounded)
        };
        self.goals.iter().any(bounded)
    }

    /// Every instruction of every thread, with where it came from.
    pub fn instructions(&self) -> impl Iterator<Item = (Origin, &TestInstruction)> {
        self.goals.iter().flat_map(|goal| {
            let threads = goal.written.read.test.threads.iter().zip(&goal.written.origins);
            threads.flat_map(|(thread, origins)| {
                let code: &[TestInstruction] = match &thread.body {
                    Body::Instructions(code) => code,
                    _ => &[],
                };
                code.iter().zip(origins).filter_map(|(i, origin)| Some(((*origin)?, i)))
            })
        })
    }
}

fn rewritten(goal: &Goal, rewriting: Rewriting<'_>) -> Test {
    let mut test = goal.written.read.test.clone();
    for (thread, origins) in test.threads.iter_mut().zip(&goal.written.origins) {
        let Body::Instructions(code) = &thread.body else { continue };
        let mut new = Vec::with_capacity(code.len());
        for (n, instruction) in code.iter().enumerate() {
            rewriting(origins.get(n).copied().flatten(), instruction, &mut new);
        }
        thread.body = Body::Instructions(new);
    }
    test
}

/// An instruction as it stands in PTX.
pub(crate) fn text(instruction: &TestInstruction) -> String {
    print::instruction(instruction, Dialect::Ptx)
}

/// All that must hold of a kernel: in the launches that are given, or the small ones of those that
/// are chosen. Those that were not made into tests are not among them.
pub(crate) fn obligations(question: &KernelQuestion<'_>) -> Result<Obligations, String> {
    let prepared = PreparedModule::new(question.module);
    let function = &question.module.functions[question.kernel];
    let mut launches = LaunchSelection::of(question, &prepared).launches(question);
    launches.retain(|l| !question.launches.is_empty() || l.total() <= SMALL);
    let (mut goals, mut of, mut not_looked, mut is_stopped) =
        (Vec::new(), Vec::new(), Vec::new(), false);
    let engines = Engines::default();
    for &launch in &launches {
        let (arguments, _) = arguments(question, &prepared, function, launch)?;
        let layout = Layout::new(
            question.module,
            function,
            &reached(&prepared, question.kernel),
            &arguments,
            launch.cluster,
        )?;
        let inquiry = Inquiry {
            question,
            prepared: &prepared,
            layout: &layout,
            launch,
            deadline: question.deadline,
            effort: Effort::ASKED,
            engines: &engines,
        };
        let executed =
            match Executed::new(&prepared, &layout, question.kernel, launch, &[], &|| {
                inquiry.is_over()
            }) {
                Ok(executed) => executed,
                Err(why) => {
                    let why = format!("launch {launch}, {why}");
                    not_looked.push(NotLooked { line: None, text: None, why, guessed: true });
                    continue;
                }
            };
        // With other fences threads may come to more than those of the kernel do.
        let beyond = executed.beyond();
        not_looked.extend(
            executed.omissions.iter().chain(&beyond).map(|omission| inquiry.not_looked(omission)),
        );
        not_looked.extend(inquiry.stale_left_out(&executed));
        not_looked.extend(inquiry.in_step_left_out(&executed));
        not_looked.extend(inquiry.vectors_left_out());
        for kind in [
            FindingKind::Race,
            FindingKind::Trap,
            FindingKind::Outside,
            FindingKind::Misaligned,
            FindingKind::Mbarrier,
            FindingKind::Final,
            FindingKind::Stale,
        ] {
            match inquiry.goals(kind, None) {
                Ok(more) => goals.extend(more),
                Err(_) if inquiry.is_over() => {}
                Err(why) => return Err(why),
            }
        }
        is_stopped |= inquiry.is_over();
        of.push(launch);
    }
    not_looked.sort();
    not_looked.dedup();
    Ok(Obligations { is_stopped, ..Obligations::new(goals, of, not_looked) })
}

/// Which fences a kernel needs so that nothing goes wrong in its launches, and what was not looked
/// at.
///
/// # Errors
/// The question is wrong: what is wrong with it.
pub fn hardened(
    question: &KernelQuestion<'_>,
) -> Result<(HardeningAnswer, Vec<NotLooked>), KernelRefusal> {
    let obligations = obligations(question)?;
    let answer = harden(&obligations, (question.module, question.text), question.deadline);
    Ok((answer, obligations.not_looked))
}

/// What of a kernel could be weaker, if nothing goes wrong in its launches, and what was not looked
/// at.
///
/// # Errors
/// The question is wrong: what is wrong with it.
pub fn weakened(
    question: &KernelQuestion<'_>,
) -> Result<(WeakerAnswer, Vec<NotLooked>), KernelRefusal> {
    let obligations = obligations(question)?;
    let answer = weaker(&obligations, (question.module, question.text), question.deadline);
    Ok((answer, obligations.not_looked))
}
