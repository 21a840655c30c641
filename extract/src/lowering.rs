//! From the paths of a function to the rows of a table. A path of a loop is written as its last
//! round; what earlier rounds and other accesses did is noted.

use margay_mappings::language::LoweringForm;
use margay_models::execution::{Order, Scope};
use margay_models::signature::Operation;

use crate::flow::{ActionKind, FlowAccess, FlowPath, PathAction, Paths, Swap, Verb};
use crate::point::{Point, TableSlot, What};

/// What a compiler makes of one place of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceLowering {
    pub slot: TableSlot,
    /// What it is lowered to.
    pub answer: LoweringAnswer,
    /// What is to be known beside that.
    pub notes: Vec<String>,
}

/// What a compiler makes of an operation, as far as a row can say it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoweringAnswer {
    /// One of these.
    Lowered(Vec<InstructionSequence>),
    /// The construct does not exist or does not compile; why.
    Absent(String),
    /// It compiles to something that no row can say; what.
    Other(String),
    /// The compiler failed: it is not known.
    Unknown(String),
}

/// Instructions in order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct InstructionSequence {
    pub steps: Vec<PrintedInstruction>,
    /// The width of the access, where it is not that of the object.
    pub bits: Option<u16>,
    /// Before this instruction stands a branch that depends on what was read (`ctrl`).
    pub control: Option<usize>,
    /// It is of programs that do not use the result: others do not stand for it.
    pub apart: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PrintedInstruction {
    /// What it does: `ld`, `st`, `atom`, `fence` of PTX.
    pub operation: Operation,
    /// The order that is printed; `None` for the default.
    pub order: Option<Order>,
    pub scope: Option<Scope>,
    /// Is it `.volatile`?
    pub volatile: bool,
    /// How it is written, where it is one of an architecture that is a text.
    pub mnemonic: Option<&'static str>,
}

impl PrintedInstruction {
    /// The instruction in a mapping; where its scope is `same`, `s` stands for it.
    pub fn text(&self, same: Option<Scope>) -> String {
        if let Some(mnemonic) = self.mnemonic {
            return mnemonic.to_owned();
        }
        let name = match self.operation {
            Operation::Read => "ld",
            Operation::Write => "st",
            Operation::Rmw => "atom",
            Operation::Fence => "fence",
        };
        let order = match self.order {
            _ if self.volatile => ".volatile",
            Some(Order::Plain) => ".weak",
            Some(Order::Rlx) => ".relaxed",
            Some(Order::Acq) => ".acquire",
            Some(Order::Rel) => ".release",
            Some(Order::AcqRel) => ".acq_rel",
            Some(Order::Sc) => ".sc",
            Some(Order::Tagged(tags)) => tags.name(),
            None if self.operation == Operation::Rmw => "",
            None => ".weak",
        };
        let scope = match self.scope {
            Some(scope) if Some(scope) == same => ".s".to_owned(),
            Some(scope) => format!(".{}", scope.name()),
            None => String::new(),
        };
        format!("{name}{order}{scope}")
    }
}

impl InstructionSequence {
    /// The instructions in a mapping, `nothing` for none.
    pub fn text(&self, same: Option<Scope>) -> String {
        if self.steps.is_empty() {
            return "nothing".to_owned();
        }
        let width = |s: &PrintedInstruction| match self.bits {
            Some(bits) if s.operation != Operation::Fence => format!(".b{bits}"),
            _ => String::new(),
        };
        let mut texts: Vec<String> =
            self.steps.iter().map(|s| format!("{}{}", s.text(same), width(s))).collect();
        if let Some(at) = self.control {
            texts.insert(at, "ctrl".to_owned());
        }
        texts.join(" ; ")
    }

    /// Are the other's instructions these and some fences more?
    pub(crate) fn is_part_of(&self, other: &InstructionSequence) -> bool {
        let mut rest = other.steps.iter();
        self.bits == other.bits
            && (self.control.is_none() || other.control.is_some())
            && self.steps.iter().all(|s| rest.any(|o| o == s))
    }
}

/// The rows of a point, from the paths of the function that was compiled for it.
pub fn rows(point: &Point, paths: &Paths) -> Vec<PlaceLowering> {
    point.slots().into_iter().map(|slot| row(point, slot, paths)).collect()
}

fn row(point: &Point, slot: TableSlot, paths: &Paths) -> PlaceLowering {
    let mut notes = Vec::new();
    if paths.private > 0 {
        notes.push("where the object is in the thread's own memory the accesses are weak: nobody else sees them".to_owned());
    }
    if paths.trapped > 0 {
        notes.push("some paths end in a trap".to_owned());
    }
    let other = |what: String, notes: Vec<String>| PlaceLowering {
        slot,
        answer: LoweringAnswer::Other(what),
        notes,
    };
    if let Some(why) = &paths.incomplete {
        return other(format!("not all paths could be followed: {why}"), notes);
    }
    if let Some(trouble) = paths.paths.iter().flat_map(|p| &p.troubles).next() {
        return other(trouble.clone(), notes);
    }
    let mut found: Vec<(InstructionSequence, Vec<String>)> = Vec::new();
    let mut strange = None;
    // The shortest path shows best what is strange.
    let mut by_length: Vec<&FlowPath> = paths.paths.iter().collect();
    by_length.sort_by_key(|p| p.actions.len());
    for path in by_length {
        match sequence(point, slot.form, path) {
            Ok(None) => {}
            Ok(Some((sequence, said))) => {
                for note in said.into_iter().filter(|n| !notes.contains(n)).collect::<Vec<_>>() {
                    notes.push(note);
                }
                found.push((sequence, path.spaces.clone()));
            }
            Err(what) => strange = strange.or(Some(what)),
        }
    }
    if let Some(what) = strange {
        return other(what, notes);
    }
    let mut sequences: Vec<InstructionSequence> = Vec::new();
    for (sequence, _) in &found {
        // Rounds that fail leave fences behind; a path with more fences than another one is no
        // lowering of its own.
        let weaker = |s: &InstructionSequence| s != sequence && s.is_part_of(sequence);
        if !found.iter().any(|(s, _)| weaker(s)) && !sequences.contains(sequence) {
            sequences.push(sequence.clone());
        }
    }
    if sequences.len() > 1 && found.iter().any(|(_, spaces)| !spaces.is_empty()) {
        notes.push("the lowering depends on the state space of the object".to_owned());
    }
    sequences.sort();
    match (sequences.is_empty(), paths.paths.is_empty()) {
        (false, _) => PlaceLowering { slot, answer: LoweringAnswer::Lowered(sequences), notes },
        (true, true) => other("no path returns".to_owned(), notes),
        (true, false) => other("no path does this".to_owned(), notes),
    }
}

/// The access that does what the operation is for: its index among the actions.
fn main_access(what: What, form: LoweringForm, path: &FlowPath) -> Option<usize> {
    let accesses = path.actions.iter().enumerate().filter_map(|(i, a)| match &a.kind {
        ActionKind::Access(access, swap) => Some((i, access, *swap)),
        ActionKind::Fence(..) => None,
    });
    let writes = |(_, a, s): &(usize, &FlowAccess, Swap)| {
        matches!(a.verb, Verb::Atomic | Verb::Reduction)
            || (a.verb == Verb::CompareAndSwap && *s != Swap::Failed)
    };
    let (mut writing, mut reading, mut last) = (None, None, None);
    for access in accesses {
        if writes(&access) {
            writing = Some(access.0);
        }
        if access.2 != Swap::Done || access.1.verb == Verb::Load {
            reading = Some(access.0);
        }
        last = Some(access.0);
    }
    match (what, form) {
        (What::Swap(_), LoweringForm::FailedCompareExchange) => reading,
        (What::Swap(_) | What::Rmw(_), _) => writing,
        _ => last,
    }
}

/// Is a path of this form of a compare-exchange? A path through a swap that succeeded is of
/// success; without one it is of failure; one that does not say is of both.
fn is_of_form(point: &Point, form: LoweringForm, path: &FlowPath) -> bool {
    let What::Swap(_) = point.what else { return true };
    let swaps = || {
        path.actions.iter().filter_map(|a| match &a.kind {
            ActionKind::Access(access, swap) if access.verb == Verb::CompareAndSwap => Some(*swap),
            _ => None,
        })
    };
    let done = swaps().any(|s| s == Swap::Done);
    let either = swaps().next_back() == Some(Swap::Either);
    if form == LoweringForm::CompareExchange { done || either } else { !done }
}

/// An access beside the one that is its row's: its place in the path, and whether a swap is done.
type OtherAccess<'a> = (usize, &'a PathAction, &'a FlowAccess, Swap);

/// The accesses beside the main one.
fn others(path: &FlowPath, main: usize) -> Vec<OtherAccess<'_>> {
    let all = path.actions.iter().enumerate().filter(|&(i, _)| i != main);
    let accesses = all.filter_map(|(i, a)| match &a.kind {
        ActionKind::Access(access, swap) => Some((i, a, access, *swap)),
        ActionKind::Fence(..) => None,
    });
    accesses.collect()
}

/// What is to be said of the accesses beside the main one, or why no row can say them.
fn beside(
    point: &Point,
    others: &[OtherAccess<'_>],
    main: usize,
    texts: &str,
) -> Result<Vec<String>, String> {
    let mut notes = Vec::new();
    for &(i, action, other, swap) in others {
        let reads = other.verb == Verb::Load || swap != Swap::Done;
        if matches!(point.what, What::Load | What::Store) {
            return Err(format!("several accesses: `{}`", texts));
        }
        if !reads && i < main && matches!(point.what, What::Swap(_)) && other.verb == Verb::Atomic {
            // Part of a round before: it changes what does not belong to the object.
            notes.push(format!("before it, in some rounds: `{}`", action.text));
        } else if !reads {
            return Err(format!("it writes more than once: `{}`", texts));
        } else if i > main {
            return Err(format!("it reads again behind the access: `{}`", texts));
        } else if other.verb == Verb::Load {
            let weak = other.order.is_none_or(|o| o == Order::Plain) && !other.volatile;
            let hint = if weak { " (weak)" } else { "" };
            notes.push(format!("it reads first{hint}: `{}`", action.text));
        }
    }
    Ok(notes)
}

/// One path as a row: `None` if the path is of another row, an error if no row can say it.
#[allow(clippy::type_complexity, reason = "a sequence and what is to be said of it")]
fn sequence(
    point: &Point,
    form: LoweringForm,
    path: &FlowPath,
) -> Result<Option<(InstructionSequence, Vec<String>)>, String> {
    if !is_of_form(point, form, path) {
        return Ok(None);
    }
    let fences = |actions: &[PathAction]| -> Vec<PrintedInstruction> {
        let all = actions.iter().filter_map(|a| match a.kind {
            ActionKind::Fence(order, scope) => Some(PrintedInstruction {
                operation: Operation::Fence,
                order: Some(order),
                scope: Some(scope),
                volatile: false,
                mnemonic: None,
            }),
            ActionKind::Access(..) => None,
        });
        all.collect()
    };
    if point.what == What::Fence {
        if let Some(access) = path.actions.iter().find(|a| matches!(a.kind, ActionKind::Access(..)))
        {
            return Err(format!("a fence accesses memory: `{}`", access.text));
        }
        return Ok(Some((
            InstructionSequence { steps: fences(&path.actions), ..InstructionSequence::default() },
            Vec::new(),
        )));
    }
    let Some(main) = main_access(point.what, form, path) else {
        let texts: Vec<&str> = path.actions.iter().map(|a| a.text.as_str()).collect();
        return Err(match texts[..] {
            [] => "a path does not access the object".to_owned(),
            _ => format!("it does it with `{}`", texts.join(" ; ")),
        });
    };
    let ActionKind::Access(access, _) = &path.actions[main].kind else { return Ok(None) };
    let last_swap = path.actions.iter().rev().find_map(|a| match &a.kind {
        ActionKind::Access(access, swap) if access.verb == Verb::CompareAndSwap => {
            Some((*swap, &a.text))
        }
        _ => None,
    });
    if let (What::Rmw(_), Some((Swap::Failed | Swap::Either, text))) = (point.what, last_swap) {
        return Err(format!("it ends although `{text}` may not have written"));
    }
    let texts = || path.actions.iter().map(|a| a.text.as_str()).collect::<Vec<_>>().join(" ; ");
    let fails = form == LoweringForm::FailedCompareExchange;
    let operation = match (access.verb, point.what) {
        (Verb::Load, What::Load) => Operation::Read,
        (Verb::Load, What::Swap(_)) if fails => Operation::Read,
        (Verb::Store, What::Store) => Operation::Write,
        (Verb::CompareAndSwap, What::Swap(_)) => Operation::Rmw,
        (Verb::Atomic | Verb::CompareAndSwap, What::Rmw(_)) => Operation::Rmw,
        _ => return Err(format!("it does it with `{}`", texts())),
    };
    if access.mmio {
        return Err(format!("`{}`: no mapping has .mmio", path.actions[main].text));
    }
    let others = others(path, main);
    let mut notes = beside(point, &others, main, &texts())?;
    if others.iter().any(|(_, _, a, _)| a.verb == Verb::CompareAndSwap) {
        notes.push("a loop: the round that decides".to_owned());
    }
    let mut steps: Vec<PrintedInstruction> = Vec::new();
    // Each round has its fences; what stands before the last access is what one round has.
    for fence in fences(&path.actions[..main]) {
        if others.is_empty() || !steps.contains(&fence) {
            steps.push(fence);
        }
    }
    steps.push(PrintedInstruction {
        operation,
        order: access.order,
        scope: access.scope,
        volatile: access.volatile,
        mnemonic: None,
    });
    steps.extend(fences(&path.actions[main + 1..]));
    let object = point.bits();
    let accessed = u16::try_from(access.bits).ok();
    let bits = if accessed == object { None } else { accessed };
    if access.elements > 1 {
        notes.push("a vector access: PTX says nothing about the order of its parts".to_owned());
    }
    if bits.is_some() {
        notes.push("the access is not as wide as the object".to_owned());
    }
    notes.dedup();
    Ok(Some((InstructionSequence { steps, bits, ..InstructionSequence::default() }, notes)))
}
