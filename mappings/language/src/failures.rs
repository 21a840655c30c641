//! What a mapping does not say of compare-exchanges that fail. A row of a read-modify-write is for
//! every kind of it, but one that fails only reads, and what a compiler emits there no other row
//! tells. So without a row nobody has asked about programs in which one fails.

use margay_models::execution::Order;
use margay_models::signature::{Construct, Operation};

use super::instruction::is_c;
use super::kind::KindSet;
use super::{Lowering, LoweringForm, LoweringStep, Mapping, Row, Used};

impl Row {
    /// The lowerings that a search tells apart, in the order of the text: all but a
    /// compare-exchange that fails where it becomes what a load of its order becomes, for every
    /// type that it is for. `atom` that fails reads as `ld` of the order of its read half does, so
    /// it is in no execution that the load is not in.
    pub fn asked(&self) -> Vec<&Lowering> {
        let is_a_load = |failed: &&Lowering| {
            let loads = self.alternatives.iter().filter(|l| l.form == LoweringForm::Usual);
            !self.failures_apart
                && failed.form == LoweringForm::FailedCompareExchange
                && loads.into_iter().any(|load| failed.reads_as(load))
        };
        self.alternatives.iter().filter(|lowering| !is_a_load(lowering)).collect()
    }
}

impl Lowering {
    /// Is this, of a compare-exchange that fails, the same as the lowering of a load, for every
    /// type that it is for?
    fn reads_as(&self, load: &Lowering) -> bool {
        let reads = |step: &LoweringStep| LoweringStep { failed: false, ..*step };
        let types = load.uses.iter().map(|used| used.when.data);
        let typed = |used: &Used| {
            let of = types
                .clone()
                .try_fold(KindSet::default(), |all, data| data.map(|data| all.union(data)));
            of.is_none_or(|of| used.when.data.is_some_and(|data| of.union(data) == of))
        };
        self.steps.iter().map(reads).eq(load.steps.iter().copied())
            && self.dependencies == load.dependencies
            && self.bits == load.bits
            && (load.uses.is_empty() || (!self.uses.is_empty() && self.uses.iter().all(typed)))
    }
}

impl Mapping {
    /// The left-hand sides that a compare-exchange of C++ may have where it fails, and for which
    /// the mapping neither has a row nor says that there is none. Of the constructs with these
    /// names, if programs are made of no others.
    pub fn unknown_failures(&self, constructs: Option<&[String]>) -> Vec<String> {
        let signature = self.source.signature;
        let is_asked =
            |c: Construct| constructs.is_none_or(|names| names.contains(&c.name(signature)));
        let modifies = |row: &&super::Row| {
            row.construct.operation == Operation::Rmw && !row.alternatives.is_empty()
        };
        if !is_c(signature) || !self.rows.iter().filter(modifies).any(|row| is_asked(row.construct))
        {
            return Vec::new();
        }
        let mut heads: Vec<String> = Vec::new();
        for order in [Order::Rlx, Order::Acq, Order::Sc] {
            let construct = Construct { operation: Operation::Read, order };
            let of =
                self.rows.iter().filter(|row| row.construct == construct && is_asked(construct));
            for row in of.filter(|row| {
                row.alternatives.iter().all(|l| l.form != LoweringForm::FailedCompareExchange)
            }) {
                let head = row.head(signature, LoweringForm::FailedCompareExchange);
                // What is assumed is counted with the rows that were not asked about.
                if !self.about.is_left(row, LoweringForm::FailedCompareExchange)
                    && !heads.contains(&head)
                {
                    heads.push(head);
                }
            }
        }
        heads
    }

    /// The same as a part of the end of a first line: empty, or
    /// `; compare-exchanges that fail were not asked about ...`.
    pub(super) fn unknown_failures_in_words(&self, constructs: Option<&[String]>) -> String {
        let heads = self.unknown_failures(constructs);
        let some = self
            .rows
            .iter()
            .flat_map(|row| &row.alternatives)
            .any(|l| l.form == LoweringForm::FailedCompareExchange);
        match (heads.is_empty(), some) {
            (true, _) => String::new(),
            (false, false) => {
                "; compare-exchanges that fail were not asked about: the table has no row for them"
                    .to_owned()
            }
            (false, true) => {
                format!(
                    "; some compare-exchanges that fail were not asked about: the table has no row for {}",
                    heads.join(", ")
                )
            }
        }
    }
}
