//! Barriers of ctas and clusters. Their operands are PTX's (barrier, count of threads) or
//! Dartagnan's (instance, barrier, count of the test's threads); which of the two a test is written
//! in is said by what can be neither else, never guessed. One with instances may have PTX's
//! barriers with a count beside them.

use margay_models::diagnostic::{Diagnostic, SourceFile, Span};
use margay_models::execution::Scope;

use std::sync::Arc;

use super::instruction::Operands;
use super::qualifier::Mnemonic;
use crate::test::{
    BarrierMode, ClusterBarrier, Dialect, Operation, TestInstruction, TestOperand, ThreadId, Type,
};

/// The largest number of a barrier (PTX ISA 9.7.13.1).
const LAST: i64 = 15;

/// The threads of a warp, of which a count of PTX is a multiple.
const WARP: i64 = 32;

/// The operands of a barrier, as written.
#[derive(Debug, Clone)]
pub(super) struct BarrierOperands {
    thread: ThreadId,
    /// The instruction's position in its column.
    pub position: usize,
    operands: Vec<TestOperand>,
    span: Span,
}

impl BarrierOperands {
    /// Where the instruction stands that was read in another form: its position in its column, and
    /// its place in the test.
    pub fn is_at(&mut self, position: usize, span: Span) {
        (self.position, self.span) = (position, span);
    }
}

/// Reads a barrier; that of a cta is put right by [`settle`].
pub(super) fn read(
    reader: &mut Operands<'_, '_>,
    m: &mut Mnemonic<'_>,
) -> Result<Operation, Diagnostic> {
    // The barriers of a text may be those of its narrowest groups.
    let of_text = matches!(reader.names.dialect(), Dialect::Text(_));
    let scope = if of_text && m.take_word(&["warp"]).is_some() { Scope::Warp } else { Scope::Cta };
    if let Some((_, span)) = m.qualifiers.iter().find(|(w, _)| *w == "warp") {
        let error =
            reader.cursor.error("the barrier of a warp is written in another way", *span, "a warp");
        return Err(error.help("write `bar.warp.sync 0xffffffff` (PTX ISA 9.7.13.2)"));
    }
    m.take_word(&["aligned"]);
    if m.name == "barrier" && m.take_word(&["cluster"]).is_some() {
        return cluster(reader, m);
    }
    m.take_word(&["cta"]);
    let modes = [BarrierMode::Sync, BarrierMode::Arrive, BarrierMode::Reduce];
    let mode = m.take(reader.cursor, "mode", |w| modes.into_iter().find(|k| k.name() == w))?;
    m.take_word(&["popc", "and", "or"]);
    m.take(reader.cursor, "type", Type::from_name)?;
    m.finish(reader.cursor, &["cta", "cluster", "sync", "arrive", "red", "aligned"])?;
    let mode = mode.ok_or_else(|| {
        reader.cursor.error(
            format!("`{}` needs a mode", m.name),
            m.span,
            "write `.sync`, `.arrive` or `.red`",
        )
    })?;
    if mode == BarrierMode::Reduce
        && let Some(register) = reader.cursor.peek_word()
    {
        let error =
            format!("the result of a reduction is not modelled, `{register}` would take it");
        let help = "write `bar.cta.red` and the number of the barrier: it synchronises as `bar.cta.sync` does (PTX ISA 8.9.4)";
        return Err(reader.cursor.error(error, reader.cursor.span(), "a register here").help(help));
    }
    let mut operands = Vec::new();
    if !reader.cursor.at_end() {
        operands.push(reader.value()?);
        while reader.cursor.eat(',') {
            operands.push(reader.value()?);
        }
    }
    let span = m.span.to(reader.cursor.previous());
    if operands.len() > 3 {
        return Err(reader.cursor.error(
            format!("{} operands", operands.len()),
            span,
            "a barrier has three at most",
        ));
    }
    if let Some(TestOperand::AddressOf(name)) =
        operands.iter().find(|o| matches!(o, TestOperand::AddressOf(_)))
    {
        return Err(reader.cursor.error(
            format!("`{name}` is a location"),
            span,
            "barriers have numbers",
        ));
    }
    let barrier = operands.first().cloned().unwrap_or(TestOperand::Integer(0));
    reader.names.barriers.push(BarrierOperands {
        thread: reader.thread,
        position: 0,
        operands,
        span,
    });
    Ok(Operation::Barrier { mode, scope, instance: None, barrier, count: None })
}

fn cluster(reader: &Operands<'_, '_>, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
    let arrive = m.take_word(&["arrive", "wait"]).map(|w| w == "arrive");
    let order = m.take_word(&["release", "relaxed", "acquire"]);
    m.finish(reader.cursor, &["arrive", "wait", "release", "relaxed", "acquire", "aligned"])?;
    match (arrive, order) {
        (Some(true), None | Some("release")) => {
            Ok(Operation::ClusterBarrier(ClusterBarrier::Arrive { relaxed: false }))
        }
        (Some(true), Some("relaxed")) => {
            Ok(Operation::ClusterBarrier(ClusterBarrier::Arrive { relaxed: true }))
        }
        (Some(false), None | Some("acquire")) => {
            Ok(Operation::ClusterBarrier(ClusterBarrier::Wait))
        }
        (Some(_), Some(order)) => {
            let message = format!("a cluster barrier cannot be `.{order}` here");
            Err(reader.cursor.error(message, m.span, "arrive releases, wait acquires"))
        }
        (None, _) => Err(reader.cursor.error(
            "`barrier.cluster` needs `.arrive` or `.wait`",
            m.span,
            "neither of them",
        )),
    }
}

/// Is it Dartagnan's spelling? Three operands are; two are if the second cannot be PTX's count of
/// threads, but is a barrier's number.
fn has_instances(operands: &[TestOperand]) -> bool {
    match operands {
        [_, _, _] => true,
        [TestOperand::Integer(_), TestOperand::Integer(second)] => {
            !is_count(*second) && (0..=LAST).contains(second)
        }
        _ => false,
    }
}

fn is_count(n: i64) -> bool {
    n > 0 && n % WARP == 0
}

/// Says of all barriers of a test what their operands are.
pub(super) fn settle(
    columns: &mut [Vec<TestInstruction>],
    written: &[BarrierOperands],
    dialect: Dialect,
    file: &Arc<SourceFile>,
    errors: &mut Vec<Diagnostic>,
) {
    // Where barriers are those of a text they have instances.
    let of_text = matches!(dialect, Dialect::Text(_));
    let other = written.iter().find(|w| of_text || has_instances(&w.operands));
    if let Some(first) = other.filter(|_| !of_text) {
        let text = file.text[first.span.start..first.span.end].trim();
        let warning = Diagnostic::warning(format!(
            "`{text}` is Dartagnan's spelling: instance, barrier, count of the test's threads"
        ));
        errors.push(warning.at(
            file,
            first.span,
            "PTX writes the barrier, and a count of threads in warps of 32",
        ));
    }
    for w in written {
        let Some(instruction) =
            columns.get_mut(w.thread.index()).and_then(|c| c.get_mut(w.position))
        else {
            continue;
        };
        let Operation::Barrier { instance, barrier, count, .. } = &mut instruction.operation else {
            continue;
        };
        let error =
            |message: String, label: &str| Diagnostic::error(message).at(file, w.span, label);
        let settled = match (other.is_some(), w.operands.as_slice()) {
            (false, []) => Ok((None, TestOperand::Integer(0), None)),
            (false, [barrier]) => Ok((None, barrier.clone(), None)),
            (false, [barrier, TestOperand::Integer(n)]) if is_count(*n) => {
                Ok((None, barrier.clone(), Some(*n)))
            }
            (false, _) => {
                let help = "write `bar.cta.sync 0` or `bar.cta.sync 0, 64`; Dartagnan's `bar.cta.sync 1, 0, 2` is read, too";
                let label = "PTX: barrier, count of threads, a multiple of 32; Dartagnan: instance, barrier, count";
                Err(error("these operands are neither PTX's nor Dartagnan's".to_owned(), label)
                    .help(help))
            }
            (true, []) => {
                Err(error("a barrier without a number".to_owned(), "the others have instances"))
            }
            // No barrier has such a number: it is a count of PTX's, beside barriers with instances.
            (true, [barrier, TestOperand::Integer(n)]) if is_count(*n) && !of_text => {
                Ok((None, barrier.clone(), Some(*n)))
            }
            (true, [TestOperand::Integer(i)]) => Ok((Some(*i), TestOperand::Integer(0), None)),
            (true, [TestOperand::Integer(i), barrier]) => Ok((Some(*i), barrier.clone(), None)),
            (true, [TestOperand::Integer(i), barrier, TestOperand::Integer(n)]) => {
                Ok((Some(*i), barrier.clone(), Some(*n)))
            }
            (true, _) => Err(error(
                "the instance and the count of a barrier are numbers".to_owned(),
                "a register",
            )),
        };
        let fits = settled.and_then(|(i, b, n)| {
            if let TestOperand::Integer(number) = b
                && !(0..=LAST).contains(&number)
            {
                return Err(error(
                    format!("a cta has no barrier {number}"),
                    "the barriers are 0 to 15 (PTX ISA 9.7.13.1)",
                ));
            }
            let small = |n: Option<i64>| {
                n.map(|n| u32::try_from(n).ok()).map_or(Ok(None), |n| n.map(Some).ok_or(()))
            };
            match (small(i), small(n)) {
                (Ok(i), Ok(n)) => Ok((i, b, n)),
                _ => Err(error(
                    "an operand is not between 0 and 4294967295".to_owned(),
                    "this barrier",
                )),
            }
        });
        match fits {
            Ok(fits) => (*instance, *barrier, *count) = fits,
            Err(error) => errors.push(error),
        }
    }
}
