//! The table: a header with the threads and their places, and rows of instructions.

use margay_models::diagnostic::{Diagnostic, Span, nearest};
use margay_models::execution::{Placement, Scope};
use margay_models::signature::{Architecture, ScopeLevel};

use super::cursor::{Cursor, MAX_COUNT};
use super::instruction::{self, Names};
use super::{barrier, condition, meeting};
use crate::test::{
    Body, Dialect, HOST, LaunchOrder, Operation, Place, TestInstruction, Thread, ThreadId,
};

/// The largest number of instructions in a column.
const MAX_ROWS: usize = 10_000;

/// Reads the header row.
pub(super) fn threads(
    cursor: &mut Cursor<'_>,
    dialect: Dialect,
) -> Result<Vec<Thread>, Diagnostic> {
    let (mut threads, mut orders) = (Vec::new(), Vec::new());
    loop {
        let start = cursor.span();
        let Some(id) = cursor.thread_at(0).filter(|_| cursor.peek_word().is_some()) else {
            return Err(cursor.expected("a thread, e.g. `P0@cta 0,gpu 0`"));
        };
        cursor.advance();
        if id.index() != threads.len() {
            let expected = ThreadId(threads.len() as u16);
            return Err(cursor.error(
                format!("the threads must be {expected} and so on, from left to right"),
                start,
                format!("expected {expected}"),
            ));
        }
        if threads.len() >= MAX_COUNT {
            return Err(cursor.error(format!("more than {MAX_COUNT} threads"), start, "too many"));
        }
        let placement = if cursor.is('@') {
            if !dialect.signature().has_places() {
                let message = match dialect {
                    Dialect::Text(architecture) => {
                        format!("threads of a test for {architecture} have no place")
                    }
                    _ => "threads of a generic test have no place".to_owned(),
                };
                return Err(cursor.error(message, cursor.span(), "a place"));
            }
            Some(match dialect {
                Dialect::Text(architecture) => {
                    let (place, of_place) = placement_of_text(cursor, architecture)?;
                    orders.push((id, of_place));
                    place
                }
                Dialect::Ptx => {
                    let (place, of_place) = placement_of_launch(cursor, &LEVELS_OF_LAUNCHES)?;
                    orders.push((id, of_place));
                    place
                }
                _ => placement(cursor)?,
            })
        } else {
            None
        };
        let place = Place(start.to(cursor.previous()));
        let of_place = orders
            .iter_mut()
            .find(|(of, _)| *of == id)
            .map(|(_, of_place)| std::mem::take(of_place));
        let before = of_place.unwrap_or_default().into_iter();
        let body = before
            .map(|order| TestInstruction {
                guard: None,
                operation: Operation::Launches(order),
                place,
            })
            .collect();
        threads.push(Thread {
            placement,
            parameters: Vec::new(),
            body: Body::Instructions(body),
            place,
        });
        if cursor.eat(';') {
            return Ok(threads);
        }
        if !cursor.eat('|') {
            return Err(cursor.expected("`|` or `;`"));
        }
    }
}

/// `@cta 0,cluster 0,gpu 0`; OpenCL and CUDA call them work-group (`wg`), block, device (`dev`).
pub(super) fn placement(cursor: &mut Cursor<'_>) -> Result<Placement, Diagnostic> {
    let start = cursor.span();
    let (place, orders) = placement_of_launch(cursor, &LEVELS)?;
    if place.kernel == HOST {
        return Err(host(cursor, start));
    }
    if place.kernel != 0 || !orders.is_empty() {
        let span = start.to(cursor.previous());
        return Err(cursor
            .error("only tests of PTX have several launches", span, "a launch")
            .help("write the test in PTX"));
    }
    Ok(Placement { warp: 0, ..place })
}

/// The levels that tests without launches have.
const LEVELS: [&str; 7] = ["cta", "cluster", "gpu", "wg", "block", "dev", "device"];

/// Those of tests with launches.
const LEVELS_OF_LAUNCHES: [&str; 10] =
    ["warp", "cta", "cluster", "gpu", "kernel", "host", "wg", "block", "dev", "device"];

/// The same of PTX, with warps, launches and the host: `@warp 0,cta 0,gpu 0`,
/// `@kernel 1 after 0,cta 0`, `@host`.
fn placement_of_launch(
    cursor: &mut Cursor<'_>,
    suggested: &[&str],
) -> Result<(Placement, Vec<LaunchOrder>), Diagnostic> {
    let start = cursor.span();
    cursor.expect('@')?;
    let (mut warp, mut cta, mut cluster, mut gpu, mut kernel) = (None, None, None, None, None);
    let mut orders = Vec::new();
    if cursor.eat_word("host") || cursor.eat_word("cpu") {
        // Some tests number the computer.
        if cursor.is_integer() {
            cursor.small("the number of the host")?;
        }
        return Ok((
            Placement { gpu: HOST, cluster: HOST, cta: HOST, warp: 0, kernel: HOST },
            orders,
        ));
    }
    loop {
        let (word, span) = cursor.word("`cta`, `cluster` or `gpu` with a number")?;
        let slot = match word {
            // Warps are no scope (PTX ISA 8.5); their lanes meet.
            "warp" | "sg" | "sub_group" => &mut warp,
            "cta" | "wg" | "block" | "work_group" => &mut cta,
            "cluster" => &mut cluster,
            "gpu" | "dev" | "device" => &mut gpu,
            "kernel" => &mut kernel,
            _ => return Err(cursor.unknown("level", word, span, suggested.iter().copied())),
        };
        if slot.is_some() {
            return Err(cursor.error(
                format!("a second `{word}`"),
                span,
                "the thread has one already",
            ));
        }
        *slot = Some(cursor.small("the number")?);
        while word == "kernel"
            && (cursor.peek_word() == Some("after") || cursor.peek_word() == Some("overlaps"))
        {
            let after = cursor.eat_word("after");
            if !after {
                cursor.advance();
            }
            let other = cursor.small("the number of the other launch")?;
            orders.push(if after {
                LaunchOrder::After(other)
            } else {
                LaunchOrder::Overlaps(other)
            });
        }
        if !cursor.eat(',') {
            break;
        }
    }
    let span = start.to(cursor.previous());
    if kernel == Some(HOST) {
        return Err(cursor.error(
            format!("launches are numbered from 0 to {}", HOST - 1),
            span,
            "a launch",
        ));
    }
    let cta = cta.ok_or_else(|| {
        cursor.error("the place of the thread names no cta", span, "add `cta` and its number")
    })?;
    let (gpu, cluster, warp, kernel) =
        (gpu.unwrap_or(0), cluster.unwrap_or(cta), warp.unwrap_or(0), kernel.unwrap_or(0));
    Ok((Placement { gpu, cluster, cta, warp, kernel }, orders))
}

/// `@wave 0,wg 1,agent 0`: the groups of a thread under the names that the text of the architecture
/// gives them. The narrowest is to be named; of the wider ones those that are not are number 0.
/// That of all threads has no number. `after P0` behind them: the system synchronises the start of
/// the thread with the end of that one.
fn placement_of_text(
    cursor: &mut Cursor<'_>,
    architecture: Architecture,
) -> Result<(Placement, Vec<LaunchOrder>), Diagnostic> {
    let start = cursor.span();
    cursor.expect('@')?;
    let levels: Vec<ScopeLevel> =
        architecture.levels().filter(|level| level.scope() != Scope::Sys).collect();
    let names: Vec<&str> = levels.iter().map(|level| level.name()).collect();
    let Some(narrowest) = levels.first() else {
        let message = format!("the only scope of {architecture} is that of all threads");
        return Err(cursor
            .error(message, start, "a place")
            .help("drop it: all threads are in one place"));
    };
    let (mut place, mut named) = (Placement::default(), Vec::new());
    loop {
        let (word, span) = cursor.word(&format!("{} with a number", names.join(", ")))?;
        let Some(level) = levels.iter().find(|level| level.name() == word) else {
            let error = cursor.unknown("level", word, span, names.iter().copied());
            let help = || format!("{architecture} has {}", names.join(", "));
            return Err(if error.help.is_some() { error } else { error.help(help()) });
        };
        if named.contains(level) {
            return Err(cursor.error(
                format!("a second `{word}`"),
                span,
                "the thread has one already",
            ));
        }
        named.push(*level);
        place = place.with_number(level.scope(), cursor.small("the number")?);
        if !cursor.eat(',') {
            break;
        }
    }
    let mut orders = Vec::new();
    while architecture.has_barriers() && cursor.eat_word("after") {
        orders.push(LaunchOrder::AfterThread(thread(cursor)?));
    }
    if named.contains(narrowest) {
        return Ok((place, orders));
    }
    let (span, name) = (start.to(cursor.previous()), narrowest.name());
    Err(cursor.error(
        format!("the place of the thread names no {name}"),
        span,
        format!("add `{name}` and its number"),
    ))
}

/// `{ ssw P0 P1; }` behind the initial state: the system synchronises the start of the second
/// thread with the end of the first. For each the second one, and the order.
pub(super) fn system_orders(
    cursor: &mut Cursor<'_>,
) -> Result<Vec<(ThreadId, TestInstruction)>, Diagnostic> {
    let mut orders = Vec::new();
    if !cursor.eat('{') {
        return Ok(orders);
    }
    while !cursor.eat('}') {
        let start = cursor.span();
        if cursor.eat(';') {
            continue;
        }
        if !cursor.eat_word("ssw") {
            return Err(cursor.expected("`ssw` and two threads, or `}`"));
        }
        let (before, after) = (thread(cursor)?, thread(cursor)?);
        let place = Place(start.to(cursor.previous()));
        let operation = Operation::Launches(LaunchOrder::AfterThread(before));
        orders.push((after, TestInstruction { guard: None, operation, place }));
        if !cursor.eat(';') && !cursor.is('}') {
            return Err(cursor.expected("`;` or `}`"));
        }
    }
    cursor.eat(';');
    Ok(orders)
}

/// `P0`
fn thread(cursor: &mut Cursor<'_>) -> Result<ThreadId, Diagnostic> {
    let Some(id) = cursor.thread_at(0) else { return Err(cursor.expected("a thread, e.g. `P0`")) };
    cursor.advance();
    Ok(id)
}

/// The error of a thread that runs on the host.
pub(super) fn host(cursor: &Cursor<'_>, span: Span) -> Diagnostic {
    let error =
        cursor.error("threads of the host are not read here", span, "a thread of the host program");
    error.help("tests in the form `PTX` have them: `P0@host`")
}

/// Reads the rows up to the tail. A wrong cell is reported, and reading goes on with the next one.
pub(super) fn rows(
    cursor: &mut Cursor<'_>,
    mut threads: Vec<Thread>,
    names: &mut Names,
    errors: &mut Vec<Diagnostic>,
) -> Result<Vec<Thread>, Diagnostic> {
    let of_places = |thread: &Thread| match &thread.body {
        Body::Instructions(of_place) => of_place.clone(),
        Body::Statements(_) => Vec::new(),
    };
    let mut columns: Vec<Vec<TestInstruction>> = threads.iter().map(of_places).collect();
    while !condition::starts_here(cursor) && !cursor.at_end() {
        let row = cursor.span();
        let mut column = 0;
        loop {
            let from = cursor.position();
            while !cursor.at_end()
                && !cursor.is('|')
                && !cursor.is(';')
                && !ends_without_semicolon(cursor, from)
            {
                cursor.advance();
            }
            // The last row may lack its semicolon.
            let tail = ends_without_semicolon(cursor, from);
            if !cursor.is('|') && !cursor.is(';') && !tail {
                let error = cursor.error("the row has no `;` at its end", row, "it starts here");
                return Err(
                    match nearest(cursor.text(row), ["exists", "forall", "locations", "filter"]) {
                        Some(near) => error.help(format!("did you mean `{near}`?")),
                        None => error,
                    },
                );
            }
            let to = cursor.position();
            if from < to {
                let mut cell = cursor.part(from, to);
                let Some(instructions) = columns.get_mut(column) else {
                    return Err(cursor.error(
                        format!("the row has more than {} columns", threads.len()),
                        cell.span(),
                        "no thread for this column",
                    ));
                };
                match instruction::cell(&mut cell, ThreadId(column as u16), names, instructions) {
                    Ok(()) if !cell.at_end() => errors.push(cell.expected("`|` or `;`")),
                    Ok(()) => {}
                    Err(e) => errors.push(e),
                }
                if instructions.len() > MAX_ROWS {
                    return Err(cursor.error(
                        format!("more than {MAX_ROWS} instructions"),
                        row,
                        "too many",
                    ));
                }
            }
            column += 1;
            let ends = cursor.is(';');
            if !tail {
                cursor.advance();
            }
            if ends || tail {
                break;
            }
        }
    }
    barrier::settle(&mut columns, &names.barriers, names.dialect(), cursor.file, errors);
    meeting::check(&threads, &columns, cursor.file, errors);
    errors.append(&mut names.warnings);
    for (thread, column) in threads.iter_mut().zip(columns) {
        thread.body = Body::Instructions(column);
    }
    Ok(threads)
}

/// The tail begins in the middle of a row: the semicolon is missing.
fn ends_without_semicolon(cursor: &Cursor<'_>, from: usize) -> bool {
    cursor.position() > from
        && cursor.peek_word().is_some_and(|w| {
            matches!(w, "exists" | "forall" | "locations" | "filter" | "ScopeTree")
        })
        && !cursor.is_at(1, ':')
        || cursor.position() > from && cursor.is('~') && matches!(cursor.word_at(1), Some("exists"))
}
