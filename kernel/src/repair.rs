//! The cheapest repair of a finding, told at the instructions of the kernel and made in all threads
//! that execute them.

use margay_litmus::engine::{Choice, Engine, Runner};
use margay_litmus::explicit::{Error, Options};
use margay_litmus::print;
use margay_litmus::strengthen::{Costs, Limits, Terms, cheapest, joined};
use margay_litmus::test::{
    AccessOrder, Body, Dialect, FenceOrder, Operation, Test, TestInstruction,
};
use margay_models::diagnostic::SourceFile;
use margay_models::execution::Scope;
use margay_models::model::Model;
use margay_ptx::Module;

use crate::answer::{RepairAnswer, RepairChange, RepairSide, Spot};
use crate::effort::{Effort, REPAIR_QUESTIONS};
use crate::program::Written;
use crate::residue::Origin;

/// A change at an instruction of the kernel.
#[derive(Debug, Clone, PartialEq)]
struct OperationChange {
    at: Origin,
    side: RepairSide,
    /// The operation that is added, or the one that is there then.
    operation: Operation,
}

/// What changes cost: as in `margay fence`, but that a weak access becomes a strong one is dearer
/// than all else. It may make a program race-free that loses what it writes, and in CUDA the type
/// of the variable changes.
fn costs() -> Costs {
    const STRONG: u32 = 1_000;
    let scopes = [("cta", 1), ("cluster", 2), ("gpu", 3), ("sys", 4)];
    let orders = [
        ("ld.relaxed", 1),
        ("ld.acquire", 3),
        ("ld.sc", 7),
        ("st.relaxed", 1),
        ("st.release", 3),
        ("st.sc", 7),
    ];
    let line = |(order, base): (&str, u32)| {
        scopes
            .map(|(scope, reach)| format!("\"{order}.{scope}\" = {}\n", STRONG + base * reach))
            .concat()
    };
    let table: String = orders.map(line).concat();
    Costs::parse(&SourceFile::new("costs", table), Dialect::Ptx).unwrap_or_default()
}

/// A test that must have neither its outcome nor a race, and the model that says so.
pub(crate) struct Goal {
    pub written: Written,
    pub model: &'static Model,
    pub options: Options,
}

/// Looks for the cheapest changes of the first goal after which every goal is met; `others` are met
/// as well, or the search goes on with the next one as the first.
pub(crate) fn repair(goals: &[Goal], (module, text): (&Module, &str)) -> RepairAnswer {
    // What cannot be asked about cannot be seen to hold, however long a repair is looked for.
    if let Some(why) = goals.iter().find_map(refused) {
        return RepairAnswer::Open(why);
    }
    let mut last = RepairAnswer::Nothing;
    for goal in goals {
        match changes_for(goal) {
            Err(answer) => last = answer,
            Ok(changes) => match goals.iter().find_map(|g| unmet(g, &changes)) {
                None => {
                    return RepairAnswer::Changes(
                        changes.iter().map(|change| told(change, module, text)).collect(),
                    );
                }
                Some(why) => last = RepairAnswer::Open(why),
            },
        }
    }
    last
}

/// Why no engine takes a test.
fn refused(Goal { written, model, options }: &Goal) -> Option<String> {
    let at_once = Options { steps: Some(1), ..*options };
    match Runner::new(model).run(&written.read.test, &at_once, Choice::Only(Engine::Explicit)) {
        Err(error @ Error::Unfold(_)) => Some(error.to_string()),
        _ => None,
    }
}

/// How each program is asked about.
fn counted(options: &Options) -> Options {
    Options { steps: Some(Effort::REPAIR.steps), conflicts: Effort::REPAIR.conflicts, ..*options }
}

/// The cheapest changes of the threads of a test.
fn changes_for(
    Goal { written, model, options }: &Goal,
) -> Result<Vec<OperationChange>, RepairAnswer> {
    let costs = costs();
    let test = &written.read.test;
    let limits =
        Limits { deadline: options.deadline, repairs: Some(1), questions: Some(REPAIR_QUESTIONS) };
    let counted = counted(options);
    let found = cheapest(test, model, &Terms::all(&costs), &counted, Choice::Auto, limits);
    let found = found.map_err(|s| {
        let why = match s.error {
            Error::Time => "none was found in the time for it".to_owned(),
            Error::Steps => "none was found in the steps for it".to_owned(),
            error => error.to_string(),
        };
        RepairAnswer::Open(why)
    })?;
    if found.already() {
        return Ok(Vec::new());
    }
    let best = found.repairs.iter().find(|r| r.racy != Some(true)).ok_or(RepairAnswer::Nothing)?;
    let none = || {
        RepairAnswer::Open("a change is not one of a single instruction of the kernel".to_owned())
    };
    changes(test, &best.test, &written.origins).ok_or_else(none)
}

/// Why a goal is not met with changes that all threads have which execute their instructions.
fn unmet(Goal { written, model, options }: &Goal, changes: &[OperationChange]) -> Option<String> {
    let everywhere = apply(&written.read.test, &written.origins, changes);
    match Runner::new(model).run(&everywhere, &counted(options), Choice::Auto) {
        Ok(verdict) if !verdict.reachable && verdict.racy != Some(true) => verdict.bounded.then(|| {
            let name = &written.read.test.name;
            format!("with the cheapest changes nothing goes wrong in `{name}` in the rounds of loops that were looked at, and of more it is not known")
        }),
        Ok(_) => Some(format!("the cheapest changes are not enough in `{}`", written.read.test.name)),
        Err(error) => Some(format!("`{}` with the changes could not be asked about: {error}", written.read.test.name)),
    }
}

fn instructions(test: &Test, thread: usize) -> &[TestInstruction] {
    match test.threads.get(thread).map(|t| &t.body) {
        Some(Body::Instructions(instructions)) => instructions,
        _ => &[],
    }
}

pub(crate) fn is_fence(operation: &Operation) -> bool {
    matches!(operation, Operation::Fence { .. } | Operation::Membar(_) | Operation::ProxyFence(_))
}

/// What is new or stronger, each once; `None` where it belongs to no instruction of the kernel.
fn changes(
    before: &Test,
    after: &Test,
    origins: &[Vec<Option<Origin>>],
) -> Option<Vec<OperationChange>> {
    let mut found: Vec<OperationChange> = Vec::new();
    for (thread, origins) in origins.iter().enumerate() {
        let (old, new) = (instructions(before, thread), instructions(after, thread));
        let (mut i, mut j) = (0, 0);
        while j < new.len() {
            let added = new.len() - j > old.len() - i
                && is_fence(&new[j].operation)
                && old.get(i).is_none_or(|o| {
                    !is_fence(&o.operation)
                        || new.get(j + 1).is_some_and(|n| n.operation == o.operation)
                });
            let operation = new[j].operation.clone();
            if added {
                let next = (i..old.len()).find_map(|k| origins.get(k).copied().flatten());
                let (at, side) = match next {
                    Some(at) => (at, RepairSide::Before),
                    None => (
                        (0..i).rev().find_map(|k| origins.get(k).copied().flatten())?,
                        RepairSide::Behind,
                    ),
                };
                found.push(OperationChange { at, side, operation });
                j += 1;
                continue;
            }
            let there = old.get(i)?;
            if there.operation != operation {
                found.push(OperationChange {
                    at: origins.get(i).copied().flatten()?,
                    side: RepairSide::Instead,
                    operation,
                });
            }
            i += 1;
            j += 1;
        }
    }
    let mut once: Vec<OperationChange> = Vec::new();
    for change in found {
        let same = |c: &OperationChange| {
            c.at == change.at
                && c.side == change.side
                && strength(&c.operation) == strength(&change.operation)
        };
        if once.iter().any(same) {
            continue;
        }
        // Two threads may execute one instruction, and one needs it to release, the other one to
        // acquire.
        let of_one = |c: &&mut OperationChange| {
            c.at == change.at && change.side == RepairSide::Instead && c.side == change.side
        };
        let both = once
            .iter_mut()
            .find(of_one)
            .and_then(|c| Some((joined(&c.operation, &change.operation)?, c)));
        match both {
            Some((operation, c)) => c.operation = operation,
            None => once.push(change),
        }
    }
    Some(once)
}

/// What of an operation a change may change, in words: its mnemonic.
fn strength(operation: &Operation) -> String {
    let text = print::instruction(&TestInstruction::from(operation.clone()), Dialect::Ptx);
    text.split_whitespace().next().unwrap_or_default().to_owned()
}

/// The test with the changes in every thread.
fn apply(test: &Test, origins: &[Vec<Option<Origin>>], changes: &[OperationChange]) -> Test {
    let mut changed = test.clone();
    for (thread, origins) in origins.iter().enumerate() {
        let old = instructions(test, thread);
        let mut new = Vec::with_capacity(old.len() + changes.len());
        for (i, instruction) in old.iter().enumerate() {
            let origin = origins.get(i).copied().flatten();
            let is_first = i == 0 || origins.get(i - 1).copied().flatten() != origin;
            let is_last = origins.get(i + 1).copied().flatten() != origin;
            let here = |side: RepairSide| {
                changes.iter().filter(move |c| Some(c.at) == origin && c.side == side)
            };
            if is_first {
                new.extend(
                    here(RepairSide::Before).map(|c| TestInstruction::from(c.operation.clone())),
                );
            }
            let mut kept = instruction.clone();
            for change in here(RepairSide::Instead) {
                strengthen(&mut kept.operation, &change.operation);
            }
            new.push(kept);
            if is_last {
                new.extend(
                    here(RepairSide::Behind).map(|c| TestInstruction::from(c.operation.clone())),
                );
            }
        }
        if let Some(thread) = changed.threads.get_mut(thread) {
            thread.body = Body::Instructions(new);
        }
    }
    changed
}

/// Gives an operation the order and scope of another one of its kind.
fn strengthen(operation: &mut Operation, as_in: &Operation) {
    if is_fence(operation) && is_fence(as_in) {
        operation.clone_from(as_in);
    } else if std::mem::discriminant(operation) == std::mem::discriminant(as_in)
        && let Some((other, _)) = as_in.memory()
        && let Some(access) = operation.access_mut()
    {
        (access.order, access.scope) = (other.order, other.scope);
    }
}

fn told(change: &OperationChange, module: &Module, text: &str) -> RepairChange {
    let spot = Spot::new(module, text, change.at);
    let after = print::instruction(&TestInstruction::from(change.operation.clone()), Dialect::Ptx);
    let after = match change.side {
        RepairSide::Instead => {
            let mnemonic = after.split_whitespace().next().unwrap_or_default();
            // An exchange in a loop that waits is a compare-and-swap in the test.
            if spot.text.contains(".exch.") {
                mnemonic.replace(".cas.", ".exch.")
            } else {
                mnemonic.to_owned()
            }
        }
        _ => after,
    };
    let by_fence = match change.operation.memory() {
        Some((access, _)) if change.side == RepairSide::Instead => {
            access.order.zip(access.scope).and_then(|asked| by_fence(asked, &spot.text))
        }
        _ => None,
    };
    let cuda = in_cuda(&change.operation).map(|words| {
        by_fence.into_iter().fold(words, |words, fence| format!("{words}, or {fence}"))
    });
    RepairChange { spot, side: change.side, text: after, cuda }
}

/// The fence that orders as much as an order and a scope in place of an instruction's: in CUDA the
/// functions of old (`atomicCAS`) and `volatile` accesses have no order that could be said. Nothing
/// where the instruction has one, or where its scope would have to be wider.
fn by_fence((order, scope): (AccessOrder, Scope), instruction: &str) -> Option<String> {
    let mnemonic = instruction.split_whitespace().find(|word| word.contains('.'))?;
    let parts: Vec<&str> = mnemonic.split('.').collect();
    let has = |part: &str| parts.contains(&part);
    let of_old = match parts.first().copied() {
        Some("atom" | "red") => !["relaxed", "acquire", "release", "acq_rel"].into_iter().any(has),
        _ => has("volatile"),
    };
    let reaches_all = has("volatile") || has("sys");
    let (suffix, is_in_reach) = match scope {
        Scope::Cta => ("_block", true),
        Scope::Gpu => ("", reaches_all || !has("cta")),
        Scope::Sys => ("_system", reaches_all),
        _ => return None,
    };
    let side = match order {
        AccessOrder::Acquire => "behind it",
        AccessOrder::Release => "in front of it",
        AccessOrder::AcqRel => "in front of it and behind it",
        _ => return None,
    };
    (of_old && is_in_reach && !has("cluster")).then(|| format!("__threadfence{suffix}() {side}"))
}

/// A fence, or the order and scope of an access, in the words of CUDA C++.
pub(crate) fn in_cuda(operation: &Operation) -> Option<String> {
    let scope = |scope: &Scope| match scope {
        Scope::Cta => Some(("block", "_block")),
        Scope::Gpu => Some(("device", "")),
        Scope::Sys => Some(("system", "_system")),
        _ => None,
    };
    match operation {
        Operation::Fence { order, scope: Some(of) } => scope(of).map(|(word, suffix)| match order {
            Some(FenceOrder::Sc) => format!("__threadfence{suffix}()"),
            Some(FenceOrder::Acquire) => {
                format!(
                    "cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_{word}), or __threadfence{suffix}()"
                )
            }
            Some(FenceOrder::Release) => {
                format!(
                    "cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_{word}), or __threadfence{suffix}()"
                )
            }
            _ => format!(
                "cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_{word}), or __threadfence{suffix}()"
            ),
        }),
        operation => {
            let (access, _) = operation.memory()?;
            let order = match access.order? {
                AccessOrder::Relaxed => "relaxed",
                AccessOrder::Acquire => "acquire",
                AccessOrder::Release => "release",
                AccessOrder::AcqRel => "acq_rel",
                _ => return None,
            };
            let (word, _) = scope(&access.scope?)?;
            Some(format!("cuda::memory_order_{order}, cuda::thread_scope_{word}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use margay_litmus::strengthen::{SiteKind, Strength};
    use margay_models::execution::{Order, Scope};

    use super::{AccessOrder, by_fence, costs};

    #[test]
    fn what_has_no_order_in_cuda_gets_it_from_a_fence() {
        let of = |order, scope, text| by_fence((order, scope), text);
        let cas = "@%p1 atom.global.cas.b32 %r3, [%rd1], %r2, 1";
        let fence = |words: &str| Some(words.to_owned());
        assert_eq!(of(AccessOrder::Acquire, Scope::Gpu, cas), fence("__threadfence() behind it"));
        let exch = "atom.global.sys.exch.b32 %r3, [%rd1], 0";
        assert_eq!(
            of(AccessOrder::Release, Scope::Sys, exch),
            fence("__threadfence_system() in front of it")
        );
        let flag = "st.volatile.global.u32 [%rd2], %r4";
        assert_eq!(
            of(AccessOrder::Release, Scope::Gpu, flag),
            fence("__threadfence() in front of it")
        );
        // A fence makes no scope wider, and nothing strong; and what says its order can say
        // another one.
        for text in [
            "atom.global.cta.add.u32 %r3, [%rd1], 1",
            "st.global.u32 [%rd2], %r4",
            "atom.relaxed.gpu.global.add.u32 %r3, [%rd1], 1",
            "ld.relaxed.gpu.global.u32 %r3, [%rd1]",
        ] {
            assert_eq!(of(AccessOrder::Release, Scope::Gpu, text), None, "{text}");
        }
        assert_eq!(of(AccessOrder::Acquire, Scope::Sys, cas), None);
    }

    #[test]
    fn a_weak_access_that_becomes_strong_is_dearer_than_a_fence() {
        let costs = costs();
        let of = |kind, order| costs.of(kind, Strength { order, scope: Scope::Gpu }, true);
        assert!(of(SiteKind::Load, Order::Rlx) > 10 * of(SiteKind::Slot(0), Order::Sc));
        assert!(
            of(SiteKind::Load, Order::Acq) - of(SiteKind::Load, Order::Rlx)
                < of(SiteKind::Slot(0), Order::AcqRel)
        );
    }
}
