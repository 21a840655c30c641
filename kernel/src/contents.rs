//! Other contents of arrays than zeros: which way a kernel goes may depend on what it is given.
//!
//! Arrays whose content nobody says hold zeros. Where nothing goes wrong then, data races and
//! barriers are asked about again, with other contents of the arrays that the kernel reads and
//! accesses by weak operations alone: what threads tell each other by (locks, flags, counters)
//! stays zero, as it is at the start of a launch. The elements of an array never fall, so that an
//! array may hold where rows of a matrix begin, or fall all the way. Addresses outside of arrays,
//! traps and endless waits are not asked about: a kernel may suppose something of its data.

use std::collections::{BTreeMap, BTreeSet};

use margay_ptx::Operand;
use margay_ptx::effect::Effect;
use rustc_hash::FxHashSet;

use crate::answer::{
    ContentsAnswer, FindingKind, KernelAnswer, LaunchAnswer, LaunchVerdict, NotLooked,
};
use crate::content::{ArrayContent, ContentRest};
use crate::effort::{Effort, Engines};
use crate::inquiry::{Inquiry, LaunchFindings};
use crate::launch::{Argument, GivenArgument, Launch, SMALL};
use crate::layout::{Layout, Object};
use crate::mark::MarkKind;
use crate::passing::arguments;
use crate::program::{ArrayUse, Executed};
use crate::proofs::{LackOfProof, LaunchProofs};
use crate::question::KernelQuestion;
use crate::reached::reached;
use crate::residue::{CodePiece, Line, MemoryCell, Origin};
use crate::small_numbers::SmallNumbers;
use crate::thread::PreparedModule;

/// The most contents that are tried in each launch.
const CONTENTS: usize = 96;

/// In how many launches other contents are tried: the largest of those that may have them.
const LAUNCHES: usize = 2;

/// The most threads of a launch that was asked about in which other contents are tried.
const MOST_THREADS: u32 = 32;

/// The same where launches were chosen and none of them is small, since the kernel says how large
/// its blocks are.
const MOST_OF_FIXED: u32 = 1024;

/// How many threads are executed for that in each launch, over all contents; of larger launches
/// more, so that several contents are tried.
const EXECUTED: usize = 512;
const EXECUTED_OF_FIXED: usize = 8192;

/// How many of the contents that were not answered are asked about again in each launch, with more
/// steps.
const AGAIN: usize = 4;

/// After how many of these that take too long once more the others are left.
const TOO_LONG_AGAIN: usize = 2;

/// The most numbers of the kernel's own comparisons that arrays may hold.
const COMPARED: usize = 6;

/// What is asked with each, where it is not said what it is.
pub(crate) const ALL_OF_THEM: &str = "data races and barriers";

/// An array whose content is chosen.
#[derive(Clone)]
struct OpenArray {
    parameter: usize,
    field: Option<u64>,
    width: u64,
    is_float: bool,
}

/// A launch with what it is given.
pub(crate) struct ExecutedLaunch {
    pub layout: Layout,
    pub executed: Executed,
    /// The cells whose values reach a branch or an address.
    relevant: BTreeSet<MemoryCell>,
}

/// Asks about races and barriers with other contents. What goes wrong becomes the last launch of
/// the answer, and its arguments are returned.
///
/// Contents that lead to instructions that were not reached before are where the next ones start
/// from, one array changed at a time.
pub(crate) fn other_contents(
    question: &KernelQuestion<'_>,
    prepared: &PreparedModule<'_>,
    launches: &[Launch],
    answer: &mut KernelAnswer,
    engines: &Engines,
) -> Result<Option<Vec<GivenArgument>>, String> {
    let (mut names, mut told) = (BTreeSet::new(), BTreeSet::new());
    let mut tried =
        ContentsAnswer { arrays: Vec::new(), launches: Vec::new(), tried: 0, settled: 0 };
    for launch in launches_for_variants(question, launches, answer) {
        let Some(base) = of_launch(question, prepared, launch)? else { continue };
        let mut search = ContentSearch {
            question,
            prepared,
            launch,
            engines,
            numbers: numbers(question, prepared, launch),
            covered: base.executed.visited.keys().copied().collect(),
            open: open_arrays(question, &base),
            answered: base.executed.visited.keys().copied().collect(),
            known: vec![base],
            tried: &mut tried,
            guessed: BTreeSet::new(),
            unanswered: Vec::new(),
            has_answers: false,
            told: BTreeSet::new(),
            proofs: LaunchProofs::default(),
        };
        if search.open.is_empty() {
            continue;
        }
        search.tried.launches.push(launch);
        let found = match search.run()? {
            None => search.again()?,
            found => found,
        };
        names.extend(search.open.iter().map(OpenArray::name));
        told.append(&mut search.told);
        let proofs = std::mem::take(&mut search.proofs);
        // Zeros say nothing of a branch that with other numbers depends on what nobody interprets.
        let mut open = std::mem::take(&mut search.guessed);
        // Nor does it of instructions that only contents reach which were not answered, or of ways
        // of which none was.
        open.extend(search.left_open());
        if let Some(of) =
            answer.launches.iter_mut().find(|a| a.launch == launch && !open.is_empty())
        {
            of.asked = LaunchVerdict::Undecided;
            let with = |n: NotLooked| NotLooked {
                why: format!("with other numbers in arrays than zeros, {}", n.why),
                ..n
            };
            of.not_looked.extend(open.into_iter().map(with));
        }
        if let Some(of) = answer.launches.iter_mut().find(|a| a.launch == launch) {
            of.proofs.add(proofs);
        }
        if let Some((found, given)) = found {
            answer.launches.retain(|a| a.launch != launch);
            answer.launches.push(found);
            return Ok(Some(given));
        }
    }
    answer.arguments.extend(told);
    if tried.tried > 0 {
        tried.arrays = names.into_iter().collect();
        answer.contents = Some(tried);
    }
    Ok(None)
}

/// The launches that are asked about again with other contents or numbers, where nothing goes wrong
/// in them.
pub(crate) fn launches_for_variants(
    question: &KernelQuestion<'_>,
    launches: &[Launch],
    answer: &KernelAnswer,
) -> Vec<Launch> {
    let most = match (question.launches.is_empty(), answer.has_small()) {
        (true, true) => SMALL,
        (true, false) => MOST_OF_FIXED,
        (false, _) => MOST_THREADS,
    };
    let is_asked = |l: &&Launch| {
        let fits = (2..=most).contains(&l.total());
        fits && answer.launches.iter().any(|a| a.launch == **l && a.asked == LaunchVerdict::Nothing)
    };
    let mut launches: Vec<Launch> = launches.iter().filter(is_asked).copied().collect();
    launches.sort_by_key(|l| std::cmp::Reverse((l.total(), l.blocks)));
    launches.truncate(LAUNCHES);
    launches
}

struct ContentSearch<'a, 'm> {
    question: &'a KernelQuestion<'a>,
    prepared: &'a PreparedModule<'m>,
    launch: Launch,
    engines: &'a Engines,
    /// What elements may be, ascending.
    numbers: Vec<i64>,
    /// The instructions that were reached.
    covered: FxHashSet<Origin>,
    open: Vec<OpenArray>,
    /// Launches that differ in more than what they write; that with zeros first.
    known: Vec<ExecutedLaunch>,
    tried: &'a mut ContentsAnswer,
    /// What threads do that is not known with contents other than zeros.
    guessed: BTreeSet<NotLooked>,
    /// The contents that took too many steps.
    unanswered: Vec<UnansweredContents>,
    /// The instructions that are reached with zeros, or with a content of which it is known that
    /// nothing goes wrong.
    answered: FxHashSet<Origin>,
    /// Is that known of a content with which threads do other things than with zeros?
    has_answers: bool,
    /// What goes wrong with contents that a kernel may suppose not to be given.
    told: BTreeSet<String>,
    /// What is answered with a proof, and without, where proofs are kept.
    proofs: LaunchProofs,
}

/// Contents with which the engines gave up.
struct UnansweredContents {
    contents: Contents,
    /// The instructions that are reached with them.
    visited: FxHashSet<Origin>,
    why: Vec<NotLooked>,
}

/// What an array that is open holds, by its name.
type Contents = BTreeMap<String, ArrayContent>;

impl ContentSearch<'_, '_> {
    fn run(&mut self) -> Result<Option<(LaunchAnswer, Vec<GivenArgument>)>, String> {
        let mut starts = vec![Contents::new()];
        let mut seen: Vec<Contents> = vec![Contents::new()];
        let mut tries = 0;
        let executed =
            if self.launch.total() > MOST_THREADS { EXECUTED_OF_FIXED } else { EXECUTED };
        let most = CONTENTS.min(executed / self.launch.total() as usize);
        let mut next = 0;
        while let Some(start) = starts.get(next).cloned() {
            next += 1;
            // What was found to be read last is what a new start is about.
            let arrays: Vec<OpenArray> = self.open.iter().rev().cloned().collect();
            for array in arrays {
                let reaches_branches = self.known[0].reaches_branches(&array);
                for content in options(&self.numbers, (array.width, array.is_float)) {
                    let mut contents = start.clone();
                    contents.insert(array.name(), content);
                    if seen.contains(&contents) {
                        continue;
                    }
                    if tries == most || self.question.is_over() {
                        return Ok(None);
                    }
                    seen.push(contents.clone());
                    tries += 1;
                    let given = self.given(&contents);
                    let asked = KernelQuestion { arguments: &given, ..self.question.clone() };
                    let Some(with) = of_launch(&asked, self.prepared, self.launch)? else {
                        return Ok(None);
                    };
                    self.tried.tried += 1;
                    let is_new = with.executed.visited.keys().any(|at| !self.covered.contains(at));
                    if is_new {
                        self.engines
                            .visited
                            .borrow_mut()
                            .extend(with.executed.visited.keys().copied());
                        self.covered.extend(with.executed.visited.keys().copied());
                        starts.push(contents.clone());
                    }
                    for array in open_arrays(self.question, &with) {
                        if !self.open.iter().any(|known| known.name() == array.name()) {
                            self.open.push(array);
                        }
                    }
                    if !reaches_branches && self.known.iter().any(|known| known.is_like(&with)) {
                        self.tried.settled += 1;
                        self.alike(&given);
                        continue;
                    }
                    let found = self.ask(&asked, &with, Effort::CONTENTS)?;
                    if self.question.is_over() {
                        return Ok(None);
                    }
                    let is_certain = found.not_looked.iter().all(|n| !n.guessed);
                    if !is_certain {
                        self.guessed.extend(found.not_looked.into_iter().filter(|n| n.guessed));
                    } else if !found.findings.is_empty() {
                        if !self.tells(&found, &contents) {
                            return Ok(Some((found, given)));
                        }
                        self.tried.settled += 1;
                    } else if found.asked == LaunchVerdict::Nothing {
                        self.settle(&with, (&given, found.proofs));
                        self.known.push(with);
                    } else {
                        let visited = with.executed.visited.into_keys().collect();
                        self.unanswered.push(UnansweredContents {
                            contents,
                            visited,
                            why: found.not_looked,
                        });
                    }
                }
            }
        }
        Ok(None)
    }

    /// Asks again, with more steps, about contents that took too many: of each form one, that which
    /// falls first, since it is the one that a sort moves.
    fn again(&mut self) -> Result<Option<(LaunchAnswer, Vec<GivenArgument>)>, String> {
        let form = |contents: &Contents| {
            let of = |content: &ArrayContent| match content.rest {
                ContentRest::Fall(_) => 0,
                ContentRest::Count(_) => 1,
                ContentRest::Repeat(_) if !content.first.is_empty() => 2,
                ContentRest::Repeat(_) => 3,
                ContentRest::Zeros => 4,
            };
            contents.values().map(of).collect::<Vec<usize>>()
        };
        let mut some: BTreeMap<Vec<usize>, Contents> = BTreeMap::new();
        for UnansweredContents { contents, .. } in &self.unanswered {
            some.entry(form(contents)).or_insert_with(|| contents.clone());
        }
        let mut too_long = 0;
        for contents in some.into_values().take(AGAIN) {
            let given = self.given(&contents);
            let asked = KernelQuestion { arguments: &given, ..self.question.clone() };
            let Some(with) = of_launch(&asked, self.prepared, self.launch)? else {
                return Ok(None);
            };
            let found = self.ask(&asked, &with, Effort::LARGE)?;
            if self.question.is_over() {
                return Ok(None);
            }
            let is_certain = found.not_looked.iter().all(|n| !n.guessed);
            match found.asked {
                LaunchVerdict::Found if is_certain && self.tells(&found, &contents) => {
                    self.tried.settled += 1;
                    self.unanswered.retain(|other| other.contents != contents);
                }
                LaunchVerdict::Found if is_certain => return Ok(Some((found, given))),
                LaunchVerdict::Nothing => {
                    self.settle(&with, (&given, found.proofs));
                    self.unanswered.retain(|other| other.contents != contents);
                }
                _ => too_long += 1,
            }
            if too_long == TOO_LONG_AGAIN {
                break;
            }
        }
        Ok(None)
    }

    /// Is it no finding, but told of? Where one array falls and another one does not, a kernel that
    /// merges or searches them supposes that they are sorted; one that sorts goes wrong with one
    /// that falls, whatever others hold.
    fn tells(&mut self, found: &LaunchAnswer, contents: &Contents) -> bool {
        let falls = contents
            .values()
            .filter(|content| matches!(content.rest, ContentRest::Fall(_)))
            .count();
        let is_told = falls > 0
            && falls < contents.len()
            && found.findings.iter().all(|f| f.kind == FindingKind::Race);
        if is_told {
            let given = self.given(contents);
            let chosen = &given[self.question.arguments.len()..];
            self.told.extend(
                found
                    .findings
                    .first()
                    .map(|f| SmallNumbers::not_taken(chosen, Some(self.launch), f.kind)),
            );
        }
        is_told
    }

    fn settle(&mut self, with: &ExecutedLaunch, (given, proofs): (&[GivenArgument], LaunchProofs)) {
        let beside = GivenArgument::beside(&given[self.question.arguments.len()..]);
        self.proofs.add_with(proofs, &beside);
        self.tried.settled += 1;
        self.has_answers = true;
        self.answered.extend(with.executed.visited.keys().copied());
    }

    /// Notes that there is no proof of contents with which threads do what they do with others.
    fn alike(&mut self, given: &[GivenArgument]) {
        if self.question.proofs.is_some() {
            let beside = GivenArgument::beside(&given[self.question.arguments.len()..]);
            self.proofs.lacks(ALL_OF_THEM, &beside, LackOfProof::Alike);
        }
    }

    /// What is not known of contents that were not answered, where those that were say nothing of
    /// it: an instruction that only these reach, or all ways.
    fn left_open(&self) -> Vec<NotLooked> {
        let is_open =
            |of: &UnansweredContents| !self.has_answers || !of.visited.is_subset(&self.answered);
        let open = self.unanswered.iter().find(|of| is_open(of));
        open.map_or(Vec::new(), |of| of.why.clone())
    }

    /// What is passed with these contents.
    fn given(&self, contents: &Contents) -> Vec<GivenArgument> {
        let of = |array: &OpenArray| {
            let content = contents.get(&array.name())?.clone();
            let argument = Argument::Array { bytes: None, content };
            Some(GivenArgument { parameter: array.parameter, field: array.field, argument })
        };
        self.question.arguments.iter().cloned().chain(self.open.iter().filter_map(of)).collect()
    }

    /// Races, and barriers that not all come to.
    fn ask(
        &self,
        question: &KernelQuestion<'_>,
        of: &ExecutedLaunch,
        effort: Effort,
    ) -> Result<LaunchAnswer, String> {
        let (launch, deadline) = (self.launch, question.deadline);
        let (prepared, layout, engines) = (self.prepared, &of.layout, self.engines);
        let inquiry = Inquiry { question, prepared, layout, launch, deadline, effort, engines };
        let mut found = LaunchFindings::default();
        for omission in &of.executed.omissions {
            found.undecided = true;
            found.not_looked.push(inquiry.not_looked(omission));
        }
        inquiry.barriers(&of.executed, &mut found);
        inquiry.race(&of.executed, &mut found)?;
        inquiry.stops(&of.executed, MarkKind::Cut, None, &mut found)?;
        Ok(inquiry.settled(found, Some(&of.executed)))
    }
}

impl ExecutedLaunch {
    /// Do threads do the same in another one, and come to the same instructions?
    pub fn does_the_same(&self, other: &Self) -> bool {
        let (a, b) = (&self.executed, &other.executed);
        let visits = |of: &Executed| of.visited.keys().copied().collect::<BTreeSet<Origin>>();
        let is_marked = |of: &Executed| of.marks.iter().any(|marks| !marks.is_empty());
        !is_marked(a)
            && a.waiting == b.waiting
            && a.barriers == b.barriers
            && a.written == b.written
            && visits(a) == visits(b)
    }

    /// Does what an array holds reach a branch or an address of the code that is left?
    fn reaches_branches(&self, open: &OpenArray) -> bool {
        let number = self.layout.arrays.iter().position(|of| of.name == open.name());
        let is_open = |cell: &MemoryCell| matches!(cell.object, Object::Array(n) if Some(n as usize) == number);
        self.relevant.iter().any(is_open)
    }

    /// Do threads do the same in another one, but for values that reach no branch?
    fn is_like(&self, other: &Self) -> bool {
        let same = |(a, b): (&Line, &Line)| match (&a.0, &b.0) {
            (
                CodePiece::Write { operation, cell, idle, .. },
                CodePiece::Write {
                    operation: other_operation,
                    cell: other_cell,
                    idle: other_idle,
                    ..
                },
            ) if !self.relevant.contains(cell) => {
                operation.starts_with("st.")
                    && operation == other_operation
                    && cell == other_cell
                    && idle == other_idle
            }
            (a, b) => a == b,
        };
        let alike =
            |(a, b): (&Vec<Line>, &Vec<Line>)| a.len() == b.len() && a.iter().zip(b).all(same);
        let (here, there) = (&self.executed.threads, &other.executed.threads);
        here.len() == there.len() && here.iter().zip(there).all(alike)
    }
}

pub(crate) fn of_launch(
    question: &KernelQuestion<'_>,
    prepared: &PreparedModule<'_>,
    launch: Launch,
) -> Result<Option<ExecutedLaunch>, String> {
    let function = &question.module.functions[question.kernel];
    let (arguments, _) = arguments(question, prepared, function, launch)?;
    let layout = Layout::new(
        question.module,
        function,
        &reached(prepared, question.kernel),
        &arguments,
        launch.cluster,
    )?;
    let is_over = || question.is_over();
    let executed = Executed::new(prepared, &layout, question.kernel, launch, &[], &is_over);
    Ok(executed.ok().filter(|_| !is_over()).map(|executed| {
        let relevant = executed.slicer(&|_| false).relevant();
        ExecutedLaunch { layout, executed, relevant }
    }))
}

/// The arrays that the kernel reads and accesses by weak operations alone, and whose content nobody
/// gives.
fn open_arrays(question: &KernelQuestion<'_>, of: &ExecutedLaunch) -> Vec<OpenArray> {
    let is_open = |(_, use_): &(&u32, &ArrayUse)| use_.is_read && !use_.is_strong;
    let named = of.executed.arrays.iter().filter(is_open).filter_map(|(n, use_)| {
        let array = of.layout.arrays.get(*n as usize)?;
        let name = array.name.strip_prefix("arg").filter(|_| array.content.is_some())?;
        let (parameter, field) = match name.split_once('_') {
            Some((parameter, field)) => (parameter, Some(field.parse().ok()?)),
            None => (name, None),
        };
        Some(OpenArray {
            parameter: parameter.parse().ok()?,
            field,
            width: use_.width,
            is_float: use_.is_float,
        })
    });
    let is_given = |a: &OpenArray| {
        let same = |g: &GivenArgument| g.parameter == a.parameter && g.field == a.field;
        let shared =
            |g: &GivenArgument| matches!(g.argument, Argument::SameAs(of) if of == a.parameter);
        question.arguments.iter().any(|g| same(g) || shared(g))
    };
    named.filter(|a| !is_given(a) && matches!(a.width, 1 | 2 | 4 | 8)).collect()
}

impl OpenArray {
    fn name(&self) -> String {
        match self.field {
            Some(field) => format!("arg{}_{field}", self.parameter),
            None => format!("arg{}", self.parameter),
        }
    }
}

/// What elements of arrays may be: 0, 1, the number of threads, which is what is passed for numbers
/// that nobody gives, and what the kernel compares with.
fn numbers(
    question: &KernelQuestion<'_>,
    prepared: &PreparedModule<'_>,
    launch: Launch,
) -> Vec<i64> {
    let mut numbers = BTreeSet::from([0, 1, i64::from(launch.total())]);
    numbers.extend(compared(question, prepared));
    numbers.into_iter().collect()
}

/// Contents whose elements never fall: counted, all the same, or one smaller number in front of a
/// larger one; and one that falls all the way.
fn options(numbers: &[i64], (width, is_float): (u64, bool)) -> Vec<ArrayContent> {
    // Elements of one or two bytes are often read without a sign.
    let numbers: Vec<i64> =
        numbers.iter().copied().filter(|v| width >= 4 || (0..128).contains(v)).collect();
    let content = |first: Vec<i64>, rest| ArrayContent { width, is_float, first, rest };
    let mut all = vec![content(Vec::new(), ContentRest::Count(0))];
    for (n, &high) in numbers.iter().enumerate().rev() {
        all.push(content(Vec::new(), ContentRest::Repeat(high)));
        all.extend(numbers[..n].iter().map(|&low| content(vec![low], ContentRest::Repeat(high))));
    }
    // What is sorted moves only where it falls; where rows of a matrix begin that leaves all of
    // them empty.
    all.extend(
        numbers
            .last()
            .filter(|high| **high > 0)
            .map(|&high| content(Vec::new(), ContentRest::Fall(high))),
    );
    all.retain(|content| !content.is_zeros());
    all
}

/// Small numbers that the kernel compares with; of floats the whole ones near by.
fn compared(question: &KernelQuestion<'_>, prepared: &PreparedModule<'_>) -> Vec<i64> {
    let mut found = BTreeSet::new();
    for function in reached(prepared, question.kernel) {
        for effect in &prepared.effects[function] {
            let operands: &[&Operand] = match effect {
                Effect::SetPredicate { operands, .. } => operands,
                Effect::Opaque { operands, .. } => operands,
                _ => continue,
            };
            for operand in operands {
                match operand {
                    Operand::Integer(n) => {
                        found.insert(*n as i32 as i64);
                    }
                    Operand::Float(bits, width) => {
                        let value = if *width == 32 {
                            f64::from(f32::from_bits(*bits as u32))
                        } else {
                            f64::from_bits(*bits)
                        };
                        found.extend([
                            (value - 1.0).ceil() as i64,
                            (value + 1.0).floor() as i64,
                            value as i64,
                        ]);
                    }
                    _ => {}
                }
            }
        }
    }
    found.into_iter().filter(|n| n.unsigned_abs() <= 1 << 20).take(COMPARED).collect()
}
