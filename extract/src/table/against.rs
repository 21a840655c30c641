//! A table beside a mapping: the rows that differ.

use std::collections::BTreeSet;

use margay_mappings::language::kind::ConstructUse;
use margay_mappings::language::{LoweringForm, Mapping, Row, StepScope};
use margay_models::execution::Scope;
use margay_models::signature::{Construct, Operation, Signature};

use crate::lowering::{InstructionSequence, LoweringAnswer, PrintedInstruction};

use super::{MeasuredRow, Table};

/// A row that differs.
#[derive(Debug, Clone)]
pub struct Difference<'a> {
    /// What was extracted.
    pub measured: &'a MeasuredRow,
    /// What the compiler emits.
    pub emitted: String,
    /// What the mapping says.
    pub expected: String,
}

/// What a comparison found.
#[derive(Debug, Clone, Default)]
pub struct TableComparison<'a> {
    /// Rows that are the same.
    pub same: usize,
    /// Rows that the mapping says nothing about: types, operations and scopes that it does not
    /// have.
    pub unsaid: usize,
    /// Rows that differ.
    pub differ: Vec<Difference<'a>>,
}

/// What a mapping says about a slot.
enum SlotLowering {
    /// One of these instructions.
    Lowered(BTreeSet<String>),
    /// It does not exist, or is something that no row can say: which of them, where a row says so
    /// (does it exist?), and in words.
    Nothing(Option<bool>, String),
    /// It says nothing.
    Unsaid,
}

/// Holds a table against a mapping.
pub fn against<'a>(table: &'a Table, mapping: &Mapping) -> TableComparison<'a> {
    let mut out = TableComparison::default();
    for measured in &table.rows {
        let emitted = match &measured.row.answer {
            LoweringAnswer::Lowered(all) => Some(
                all.iter()
                    .map(|s| canonical(s, measured.row.slot.form, mapping.target.signature))
                    .collect::<BTreeSet<String>>(),
            ),
            LoweringAnswer::Absent(_) | LoweringAnswer::Other(_) | LoweringAnswer::Unknown(_) => {
                None
            }
        };
        let said = said(mapping, measured);
        let texts = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" or ");
        let why = || match &measured.row.answer {
            LoweringAnswer::Absent(why) => without(false, why),
            LoweringAnswer::Other(what) => without(true, what),
            LoweringAnswer::Unknown(why) => format!("not known: {why}"),
            LoweringAnswer::Lowered(_) => String::new(),
        };
        match (emitted, said) {
            (_, SlotLowering::Unsaid) => out.unsaid += 1,
            (None, SlotLowering::Nothing(exists, _))
                if !contradicts(&measured.row.answer, exists) =>
            {
                out.same += 1
            }
            (None, SlotLowering::Nothing(_, expected)) => {
                out.differ.push(Difference { measured, emitted: why(), expected })
            }
            (Some(emitted), SlotLowering::Lowered(expected)) if emitted == expected => {
                out.same += 1
            }
            (Some(emitted), SlotLowering::Lowered(expected)) => {
                out.differ.push(Difference {
                    measured,
                    emitted: texts(&emitted),
                    expected: texts(&expected),
                });
            }
            (Some(emitted), SlotLowering::Nothing(_, expected)) => {
                out.differ.push(Difference { measured, emitted: texts(&emitted), expected });
            }
            (None, SlotLowering::Lowered(expected)) => {
                out.differ.push(Difference {
                    measured,
                    emitted: why(),
                    expected: texts(&expected),
                });
            }
        }
    }
    out
}

/// Why there is no lowering, in words.
fn without(exists: bool, why: &str) -> String {
    let what = if exists { "code that no row can describe" } else { "absent" };
    if why.is_empty() { what.to_owned() } else { format!("{what}: {why}") }
}

/// Does it compile where a mapping says that it does not exist, or the other way round?
fn contradicts(answer: &LoweringAnswer, exists: Option<bool>) -> bool {
    match answer {
        LoweringAnswer::Absent(_) => exists == Some(true),
        LoweringAnswer::Other(_) => exists == Some(false),
        LoweringAnswer::Lowered(_) | LoweringAnswer::Unknown(_) => false,
    }
}

/// What a mapping says of a use that has no lowering there.
fn nothing(mapping: &Mapping, row: &Row, form: LoweringForm, cell: ConstructUse) -> SlotLowering {
    match mapping.about.nothing(row, form, cell) {
        Some(left) => SlotLowering::Nothing(Some(left.exists), without(left.exists, &left.why)),
        // A form that the language of old files cannot speak of for some types.
        None => SlotLowering::Nothing(None, without(false, "")),
    }
}

/// Instructions with all defaults written out, so that equal ones are equal texts. What compares
/// and fails has the order of its read half.
fn canonical(sequence: &InstructionSequence, form: LoweringForm, target: Signature) -> String {
    // Instructions of a text have no defaults.
    if let Some(architecture) =
        target.tabular().filter(|_| sequence.steps.iter().any(|step| step.mnemonic.is_some()))
    {
        let mut sequence = sequence.clone();
        let fails = |step: &&mut PrintedInstruction| {
            step.operation == Operation::Rmw && form == LoweringForm::FailedCompareExchange
        };
        for step in sequence.steps.iter_mut().filter(fails) {
            let whole = step.order.map(|order| Construct { operation: Operation::Rmw, order });
            let read = whole.and_then(|whole| architecture.failed(whole.read_order()));
            step.mnemonic = read.and_then(|read| architecture.mnemonic(read)).or(step.mnemonic);
        }
        return sequence.text(None);
    }
    let steps = sequence.steps.iter().map(|step| {
        let mut step = *step;
        if step.operation == Operation::Rmw {
            step.order = step.order.or(Some(margay_models::execution::Order::Rlx));
            step.scope = step.scope.or(Some(Scope::Gpu));
            if form == LoweringForm::FailedCompareExchange {
                step.order = step
                    .order
                    .map(|order| Construct { operation: Operation::Rmw, order }.read_order());
            }
        }
        InstructionSequence {
            steps: vec![step],
            bits: sequence.bits,
            ..InstructionSequence::default()
        }
        .text(None)
    });
    let text = steps.collect::<Vec<_>>().join(" ; ");
    if text.is_empty() { "nothing".to_owned() } else { text }
}

/// What a mapping says about a measured row, with its scope put in.
fn said(mapping: &Mapping, measured: &MeasuredRow) -> SlotLowering {
    let slot = &measured.row.slot;
    // Scopes that a table has it has rows for, whether its models know them (a cluster) or not.
    if let Some(scope) = slot.scope
        && !mapping.about.scopes.clone().unwrap_or_else(|| mapping.scopes()).contains(&scope)
    {
        return SlotLowering::Unsaid;
    }
    let outside = |all: Option<margay_mappings::language::kind::KindSet>, index: Option<usize>| {
        all.is_some_and(|all| index.is_some_and(|i| !all.has(i)))
    };
    if outside(mapping.about.types, slot.cell.data)
        || outside(mapping.about.operations, slot.cell.operation)
    {
        return SlotLowering::Unsaid;
    }
    let Some(row) = mapping.row(slot.construct, slot.scope) else { return SlotLowering::Unsaid };
    let has_form = |form: LoweringForm| row.alternatives.iter().any(|l| l.form == form);
    let any_form = |form: LoweringForm| {
        mapping.rows.iter().flat_map(|r| &r.alternatives).any(|l| l.form == form)
    };
    // Without rows of its own a compare-exchange is one of the read-modify-writes, and nothing is
    // said of its failure.
    let form = match slot.form {
        LoweringForm::CompareExchange if !has_form(slot.form) && !any_form(slot.form) => {
            LoweringForm::Usual
        }
        LoweringForm::FailedCompareExchange if !any_form(slot.form) => return SlotLowering::Unsaid,
        form => form,
    };
    let here = row.alternatives.iter().filter(|l| {
        let covers = || l.uses.iter().any(|u| u.when.covers(slot.cell));
        l.form == form && (l.uses.is_empty() || covers())
    });
    let texts: BTreeSet<String> = here
        .map(|lowering| {
            if mapping.target.signature.tabular().is_some() {
                return lowering.text(mapping.target.signature, "s");
            }
            let steps = lowering.steps.iter().map(|step| {
                let mut step = *step;
                if step.scope == StepScope::Same {
                    step.scope = StepScope::Named(slot.scope.unwrap_or(Scope::Sys));
                }
                let one =
                    margay_mappings::language::Lowering { steps: vec![step], ..lowering.clone() };
                one.text(Signature::PTX, "s")
            });
            let text = steps.collect::<Vec<_>>().join(" ; ");
            if text.is_empty() { "nothing".to_owned() } else { text }
        })
        .collect();
    if texts.is_empty() {
        nothing(mapping, row, form, slot.cell)
    } else {
        SlotLowering::Lowered(texts)
    }
}
