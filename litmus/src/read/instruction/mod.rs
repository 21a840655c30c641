//! A cell of the table: a label, or one instruction.

pub(super) mod assembly;
mod asynchronous;
mod copy;
mod fence;
mod local;
mod mbarrier;
mod memory;
mod multimem;
mod names;
mod operands;
pub(super) mod spoken;
mod tensor;
mod tensormap;
mod text;
mod warpgroup;

use margay_models::diagnostic::Diagnostic;
use margay_models::execution::Proxy;

use super::cursor::Cursor;
use super::qualifier::{Mnemonic, mnemonic};
use super::{barrier, meeting, refused};
use crate::test::{
    Dialect, Guard, LocalFunction, NumberComparison, Operation, Place, TestInstruction, ThreadId,
};
use local::KNOWN_LOCAL;
pub(super) use names::Names;
pub(super) use operands::Operands;

/// The names of what accesses memory or waits, for the nearest one to a wrong one.
const KNOWN: [&str; 25] = [
    "ld", "st", "atom", "red", "fence", "membar", "bar", "barrier", "suld", "sust", "sld", "sst",
    "tld", "tex", "cld", "cold", "ldc", "suatom", "sured", "mfence", "mbarrier", "cp", "wgmma",
    "tcgen05", "multimem",
];

/// Reads a cell, which may be a label and an instruction.
pub(super) fn cell(
    cursor: &mut Cursor<'_>,
    thread: ThreadId,
    names: &mut Names,
    out: &mut Vec<TestInstruction>,
) -> Result<(), Diagnostic> {
    if names.assembly.is_some() {
        return assembly::cell(cursor, thread, names, out);
    }
    let start = cursor.span();
    if cursor.peek_word().is_some() && cursor.is_at(1, ':') {
        let (label, span) = cursor.word("a label")?;
        cursor.advance();
        out.push(TestInstruction {
            guard: None,
            operation: Operation::Label(label.to_string()),
            place: Place(span),
        });
        if cursor.at_end() {
            return Ok(());
        }
    }
    let guard = if cursor.eat('@') {
        let negated = cursor.eat('!');
        Some(Guard { negated, register: cursor.word("a predicate register")?.0.to_string() })
    } else {
        None
    };
    let barriers = names.barriers.len();
    let operation = operation(cursor, thread, names)?;
    if let Some(written) = names.barriers.get_mut(barriers) {
        written.position = out.len();
    }
    out.push(TestInstruction { guard, operation, place: Place(start.to(cursor.previous())) });
    Ok(())
}

/// An instruction in the table form, and nothing behind it.
fn table_form(
    cursor: &mut Cursor<'_>,
    thread: ThreadId,
    names: &mut Names,
) -> Result<Operation, Diagnostic> {
    let operation = operation(cursor, thread, names)?;
    if cursor.at_end() { Ok(operation) } else { Err(cursor.expected("the end of the instruction")) }
}

/// `st.async`, `red.async`
fn is_async(m: &Mnemonic<'_>) -> bool {
    m.qualifiers.iter().any(|(word, _)| *word == "async")
}

fn operation(
    cursor: &mut Cursor<'_>,
    thread: ThreadId,
    names: &mut Names,
) -> Result<Operation, Diagnostic> {
    let mut m = mnemonic(cursor)?;
    let m = &mut m;
    let mut reader = Operands { cursor, thread, names };
    if let Dialect::Text(architecture) = reader.names.dialect
        && let Some(operation) = reader.of_text(m, architecture)?
    {
        return Ok(operation);
    }
    let of_text = matches!(reader.names.dialect, Dialect::Text(_));
    match m.name {
        "ld" => reader.load(m, Proxy::Generic),
        "suld" | "sld" => reader.load(m, Proxy::Surface),
        "tld" | "tex" => reader.load(m, Proxy::Texture),
        // `cold` is Dartagnan's name.
        "cld" | "ldc" | "cold" => reader.load(m, Proxy::Constant),
        "st" if is_async(m) => reader.store_async(m),
        "st" if m.qualifiers.iter().any(|(word, _)| *word == "bulk")
            && reader.names.dialect == Dialect::Ptx =>
        {
            reader.store_bulk(m)
        }
        "multimem" if reader.names.dialect == Dialect::Ptx => reader.multimem(m),
        "tcgen05" if reader.names.dialect == Dialect::Ptx => reader.tensor(m),
        "wgmma" if reader.names.dialect == Dialect::Ptx => reader.warpgroup(m),
        "st" => reader.store(m, Proxy::Generic),
        "sust" | "sst" => reader.store(m, Proxy::Surface),
        "atom" => reader.atom(m, true, Proxy::Generic),
        "red" if is_async(m) => reader.reduce_async(m),
        "red" => reader.atom(m, false, Proxy::Generic),
        "mbarrier" if reader.names.dialect == Dialect::Ptx => reader.mbarrier(m),
        "tensormap" if reader.names.dialect == Dialect::Ptx => reader.tensormap(m),
        "cp" if reader.names.dialect == Dialect::Ptx => reader.copy(m),
        // `suatom` is Dartagnan's name: the surface atomics of PTX return nothing.
        "suatom" => reader.atom(m, true, Proxy::Surface),
        "sured" => reader.atom(m, false, Proxy::Surface),
        "fence" | "mfence" => reader.fence(m),
        "membar" => reader.membar(m),
        "bar" if m.qualifiers.first().is_some_and(|(word, _)| *word == "warp") && !of_text => {
            meeting::warp(&mut reader, m)
        }
        "shfl" | "vote" | "match" | "redux" | "elect" if reader.names.dialect == Dialect::Ptx => {
            meeting::warp(&mut reader, m)
        }
        "griddepcontrol" | "launch" | "synchronize" if reader.names.dialect == Dialect::Ptx => {
            meeting::launch(&mut reader, m)
        }
        "bar" | "barrier" => barrier::read(&mut reader, m),
        "goto" | "bra" => {
            m.take_word(&["uni"]);
            m.finish(reader.cursor, &["uni"])?;
            Ok(Operation::Goto(reader.cursor.word("a label")?.0.to_string()))
        }
        "exit" | "ret" => {
            m.take_word(&["uni"]);
            m.finish(reader.cursor, &["uni"])?;
            Ok(Operation::Exit)
        }
        "setp" => {
            let comparison = m.take(reader.cursor, "comparison", NumberComparison::of_mnemonic)?;
            let comparison = comparison.ok_or_else(|| {
                reader.cursor.error(
                    "`setp` needs a comparison",
                    m.span,
                    "write `setp.eq`, `.ne`, `.lt`, `.le`, `.gt` or `.ge`",
                )
            })?;
            reader.local(m, LocalFunction::Compare(comparison))
        }
        "cvt" => reader.conversion(m),
        name => {
            if let Some(comparison) = name.strip_prefix('b').and_then(NumberComparison::of_mnemonic)
            {
                return reader.branch(m, comparison);
            }
            if let Some(function) = LocalFunction::ARITHMETIC.into_iter().find(|f| f.name() == name)
            {
                return reader.local(m, function);
            }
            if let Some(error) = refused::instruction(cursor, m) {
                return Err(error);
            }
            Err(cursor.unknown("instruction", name, m.span, KNOWN.into_iter().chain(KNOWN_LOCAL)))
        }
    }
}
