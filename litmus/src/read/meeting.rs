//! Meetings of the lanes of a warp, and orders of launches.

use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::execution::Scope;
use margay_ptx::effect::Update;
use margay_ptx::exchange::Exchange;
use margay_ptx::{ScalarKind, ScalarType};

use super::instruction::Operands;
use super::qualifier::Mnemonic;
use crate::test::{
    AccessOrder, FenceOrder, HOST, LANES, LaneExchange, LaunchOrder, Operation, TestInstruction,
    TestOperand, Thread, WarpMeeting,
};

/// `bar.warp.sync 0xffffffff`, `vote.sync.any.pred p1, p0, 0x3`, `elect.sync p0, 0x3`. The
/// destination may be `_`.
pub(super) fn warp(
    reader: &mut Operands<'_, '_>,
    m: &Mnemonic<'_>,
) -> Result<Operation, Diagnostic> {
    let words: Vec<&str> =
        std::iter::once(m.name).chain(m.qualifiers.iter().map(|(word, _)| *word)).collect();
    let name = words.join(".");
    let is_known = match m.name {
        "bar" => name == "bar.warp.sync",
        "elect" => name == "elect.sync",
        _ => words.contains(&"sync"),
    };
    if !is_known {
        let error = reader.cursor.error(
            format!("`{name}` is not read"),
            m.span,
            "an instruction of a warp",
        );
        return Err(error.help("with `.sync` it says which lanes take part: `bar.warp.sync`, `elect.sync`, `vote.sync.any.pred`, `shfl.sync.idx.b32`"));
    }
    let given = if name == "bar.warp.sync" { None } else { Some(given(reader, m)?) };
    let start = reader.cursor.span();
    let mask = reader.value()?;
    let span = start.to(reader.cursor.previous());
    let TestOperand::Integer(mask) = mask else {
        let error = reader.cursor.error(
            "the mask of lanes is a number here",
            span,
            "which lanes meet would be open",
        );
        return Err(
            error.help("write e.g. 0xffffffff for all lanes of the warp, 0x3 for the first two threads of it in the test")
        );
    };
    // All lanes are also written as -1.
    let mask = u32::try_from(mask).or_else(|_| i32::try_from(mask).map(|mask| mask as u32));
    let mask =
        mask.map_err(|_| reader.cursor.error("a mask of lanes has 32 bits", span, "too large"))?;
    Ok(Operation::Warp(WarpMeeting { name, given, mask }))
}

/// What stands before the mask: the destination, and what the lane brings.
fn given(reader: &mut Operands<'_, '_>, m: &Mnemonic<'_>) -> Result<LaneExchange, Diagnostic> {
    let qualifiers: Vec<&str> = m.qualifiers.iter().map(|(word, _)| *word).collect();
    let Some(exchange) = Exchange::named(m.name, &qualifiers) else {
        let modes = match m.name {
            "vote" => ".all, .any, .uni or .ballot",
            "shfl" => ".idx, .up, .down or .bfly",
            "match" => ".any or .all",
            _ => ".add, .min, .max, .and, .or or .xor",
        };
        return Err(reader.cursor.error(
            format!("what the lanes make of it is not said by `{}`", m.name),
            m.span,
            format!("write {modes}"),
        ));
    };
    let word = ScalarType { kind: ScalarKind::Unsigned, bits: 32 };
    let ty = match exchange {
        _ if exchange.is_vote() => ScalarType { kind: ScalarKind::Predicate, bits: 1 },
        _ => qualifiers.iter().rev().find_map(|word| ScalarType::from_name(word)).unwrap_or(word),
    };
    // A table has no room for a second destination, `d|p`: a bar is between columns.
    let span = reader.cursor.span();
    let to = if reader.cursor.eat_word("_") { None } else { Some(reader.destination()?) };
    reader.comma()?;
    if to.is_some() && exchange != Exchange::Elect {
        let label = match (exchange, ty) {
            (_, ScalarType { bits: 33.., .. }) => Some("of more than 32 bits"),
            (Exchange::Reduce(_), ScalarType { kind: ScalarKind::Float, .. }) => {
                Some("of floating-point numbers")
            }
            (
                Exchange::Reduce(
                    Update::Increment
                    | Update::Decrement
                    | Update::Exchange
                    | Update::CompareAndSwap,
                ),
                _,
            ) => Some("of this operation"),
            _ => None,
        };
        if let Some(label) = label {
            let error = reader.cursor.error(
                "what these lanes give each other is not modelled",
                span,
                label,
            );
            return Err(error.help("write `_` for the destination: the lanes meet all the same"));
        }
    }
    let mut brought = Vec::new();
    for _ in 0..exchange.brought() {
        brought.push(reader.value()?);
        reader.comma()?;
    }
    Ok(LaneExchange { exchange, ty, to, brought })
}

/// `griddepcontrol.wait`, `launch 1`, `synchronize 1`.
pub(super) fn launch(
    reader: &mut Operands<'_, '_>,
    m: &mut Mnemonic<'_>,
) -> Result<Operation, Diagnostic> {
    if m.name == "griddepcontrol" {
        let action = m.take_word(&["wait", "launch_dependents"]);
        m.finish(reader.cursor, &["wait", "launch_dependents"])?;
        return match action {
            Some("wait") => Ok(Operation::Launches(LaunchOrder::Prerequisites)),
            Some(_) => Ok(Operation::Launches(LaunchOrder::Dependents)),
            None => Err(reader.cursor.error(
                "`griddepcontrol` needs an action",
                m.span,
                "write `.wait` or `.launch_dependents`",
            )),
        };
    }
    m.finish(reader.cursor, &[])?;
    let kernel = reader.cursor.small("the number of the launch")?;
    Ok(Operation::Launches(if m.name == "launch" {
        LaunchOrder::Launch(kernel)
    } else {
        LaunchOrder::Synchronize(kernel)
    }))
}

/// What cannot be where it stands: meetings of a warp in a place that names none, or of lanes that
/// the thread is not among; what the host does in a kernel, and what a kernel does on the host.
pub(super) fn check(
    threads: &[Thread],
    columns: &[Vec<TestInstruction>],
    file: &Arc<SourceFile>,
    errors: &mut Vec<Diagnostic>,
) {
    for (t, (thread, column)) in threads.iter().zip(columns).enumerate() {
        let place = thread.placement.unwrap_or_default();
        let header = file.text.get(thread.place.0.start..thread.place.0.end).unwrap_or_default();
        let names_warp = ["warp", "sg", "sub_group"].iter().any(|word| header.contains(word));
        let host = thread.placement.is_some() && place.kernel == HOST;
        let before = |s: &Thread| s.placement.is_some_and(|other| place.shares(Scope::Warp, other));
        let lane = threads[..t].iter().filter(|s| before(s)).count();
        let mut wrong = |i: &TestInstruction, message: String, help: &str| {
            errors.push(
                Diagnostic::error(message).at(file, i.place.0, "this instruction").help(help),
            );
        };
        for i in column {
            match &i.operation {
                Operation::Warp(_) if !names_warp => {
                    let message = format!(
                        "P{t} is in no warp that is named, and lanes of one warp meet here"
                    );
                    wrong(
                        i,
                        message,
                        "name it in the place of each thread, e.g. `P0@warp 0,cta 0,gpu 0`",
                    );
                }
                Operation::Warp(meeting) if lane >= LANES || meeting.mask >> lane & 1 == 0 => {
                    let message = format!(
                        "P{t} is lane {lane} of its warp, and the mask {:#x} does not name it",
                        meeting.mask
                    );
                    wrong(
                        i,
                        message,
                        "the behaviour is then undefined (PTX ISA 9.7.13.2); the threads of a warp are its lanes from left to right",
                    );
                }
                Operation::Launches(LaunchOrder::Launch(_) | LaunchOrder::Synchronize(_))
                    if !host =>
                {
                    wrong(
                        i,
                        "only threads of the host launch kernels and wait for them".to_owned(),
                        "write `P0@host` at the head of its column",
                    );
                }
                _ if !host => {}
                Operation::Barrier { .. }
                | Operation::ClusterBarrier(_)
                | Operation::Warp(_)
                | Operation::ProxyFence(_)
                | Operation::Membar(_) => {
                    wrong(
                        i,
                        "a thread of the host has no such instruction".to_owned(),
                        "it loads, stores and fences at scope `sys`",
                    );
                }
                Operation::Launches(LaunchOrder::Prerequisites | LaunchOrder::Dependents) => {
                    wrong(
                        i,
                        "a thread of the host is in no grid".to_owned(),
                        "write it into a kernel",
                    );
                }
                Operation::Fence { scope, order }
                    if *scope != Some(Scope::Sys)
                        && !matches!(order, Some(FenceOrder::Text(_))) =>
                {
                    wrong(
                        i,
                        "a fence of the host has the scope `sys`".to_owned(),
                        "no narrower scope includes other threads of it (PTX ISA 8.5)",
                    );
                }
                other => {
                    if let Some((access, _)) = other.memory() {
                        let weak = matches!(
                            access.order,
                            None | Some(
                                AccessOrder::Weak | AccessOrder::Volatile | AccessOrder::Mmio
                            )
                        );
                        let atomic = matches!(other, Operation::Atom(_));
                        if (!weak || atomic) && access.scope != Some(Scope::Sys) {
                            let message =
                                "a strong access of the host has the scope `sys`".to_owned();
                            wrong(i, message, "no narrower scope includes it (PTX ISA 8.5)");
                        }
                    }
                }
            }
        }
    }
}
