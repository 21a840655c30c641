//! Scope tree and memory map of the 2015 paper's form (its Fig. 12), and herd's scope tree, which
//! differs in its head.

use margay_models::diagnostic::{Diagnostic, Span};
use margay_models::execution::Placement;

use super::condition::scopes_start_here;
use super::cursor::Cursor;
use super::qualifier::space_from_name;
use super::table::host;
use crate::test::{Space, Thread};

/// The numbers that the nodes of a scope tree give to what is below them.
#[derive(Default)]
struct Numbering {
    gpus: u16,
    clusters: u16,
    ctas: u16,
    /// Those of the cta that is read.
    warps: u16,
}

/// Reads `ScopeTree(grid(cta(warp T0) (warp T1)))` or
/// `scopes: (device (work_group P0) (work_group P1))`, if there is one, and places the threads.
pub(super) fn scope_tree(
    cursor: &mut Cursor<'_>,
    threads: &mut [Thread],
) -> Result<(), Diagnostic> {
    let start = cursor.span();
    if scopes_start_here(cursor) {
        cursor.advance();
        cursor.advance();
    } else if !cursor.eat_word("ScopeTree") {
        return Ok(());
    }
    cursor.expect('(')?;
    let mut numbering = Numbering::default();
    node(cursor, threads, Placement::default(), false, &mut numbering)?;
    while cursor.eat('(') {
        node(cursor, threads, Placement::default(), false, &mut numbering)?;
        cursor.expect(')')?;
    }
    cursor.expect(')')?;
    cursor.eat(';');
    let missing = threads.iter().position(|t| t.placement.is_none());
    match missing {
        Some(t) => Err(cursor.error(
            format!("the scope tree does not place thread {t}"),
            start,
            "the scope tree",
        )),
        None => Ok(()),
    }
}

/// `cta(warp T0) (warp T1)`: a level, and what is below it.
fn node(
    cursor: &mut Cursor<'_>,
    threads: &mut [Thread],
    mut at: Placement,
    mut in_cluster: bool,
    numbering: &mut Numbering,
) -> Result<(), Diagnostic> {
    cursor.nested(|cursor| {
        let (level, span) = cursor.word("a level: system, grid, cluster, cta or warp")?;
        let count = |n: &mut u16| {
            let number = *n;
            *n = n.checked_add(1).ok_or_else(|| {
                cursor.error("too many nodes in the scope tree", span, "give up here")
            })?;
            Ok(number)
        };
        match level {
            "host" | "cpu" => return Err(host(cursor, span)),
            "system" | "sys" | "work_item" => {}
            "warp" | "sub_group" => at.warp = count(&mut numbering.warps)?,
            "grid" | "kernel" | "device" | "dev" | "gpu" => at.gpu = count(&mut numbering.gpus)?,
            "cluster" => {
                at.cluster = count(&mut numbering.clusters)?;
                in_cluster = true;
            }
            "cta" | "work_group" | "wg" | "block" => {
                at.cta = count(&mut numbering.ctas)?;
                numbering.warps = 0;
                at.cluster = if in_cluster { at.cluster } else { at.cta };
            }
            _ => {
                return Err(cursor.unknown(
                    "level",
                    level,
                    span,
                    ["system", "grid", "device", "cluster", "cta", "warp", "work_group"],
                ));
            }
        }
        loop {
            if cursor.eat('(') {
                node(cursor, threads, at, in_cluster, numbering)?;
                cursor.expect(')')?;
            } else if let Some(id) = cursor.thread_at(0).filter(|_| cursor.peek_word().is_some()) {
                let here = cursor.span();
                cursor.advance();
                let Some(thread) = threads.get_mut(id.index()) else {
                    return Err(cursor.error(
                        format!("there is no thread T{}", id.0),
                        here,
                        "not in the header",
                    ));
                };
                if thread.placement.replace(at).is_some() {
                    return Err(cursor.error(
                        format!("T{} is placed twice", id.0),
                        here,
                        "the second place",
                    ));
                }
            } else {
                return Ok(());
            }
        }
    })
}

/// Reads `x: shared, y: global`, if it is there.
pub(super) fn memory_map(
    cursor: &mut Cursor<'_>,
) -> Result<Vec<(String, Space, Span)>, Diagnostic> {
    let mut map = Vec::new();
    while cursor.peek_word().is_some() && cursor.is_at(1, ':') && cursor.word_at(2).is_some() {
        let (name, span) = cursor.word("a location")?;
        cursor.advance();
        let (word, at) = cursor.word("`global` or `shared`")?;
        let space = space_from_name(word)
            .ok_or_else(|| cursor.unknown("state space", word, at, ["global", "shared"]))?;
        map.push((name.to_string(), space, span));
        if !cursor.eat(',') {
            break;
        }
    }
    cursor.eat(';');
    Ok(map)
}

/// The names in the memory map ahead: instructions before it may use them.
pub(super) fn mapped_names(cursor: &Cursor<'_>) -> Vec<String> {
    let mut ahead = cursor.clone();
    let mut names = Vec::new();
    while !ahead.at_end() {
        if let (Some(name), true, Some(space)) =
            (ahead.peek_word(), ahead.is_at(1, ':'), ahead.word_at(2))
            && space_from_name(space).is_some()
        {
            names.push(name.to_string());
        }
        ahead.advance();
    }
    names
}
