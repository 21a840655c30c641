//! The mapping language: one row for each source construct, as readable as a paper's table
//! (docs/mapping-language.md).
//!
//! ```text
//! mapping "scoped C++ to PTX (ASPLOS 2019, Fig. 11)" from rc11-scoped to ptx-6.0
//! R.SC.s   => fence.sc.s ; ld.acquire.s
//! RMW.SC.s => fence.sc.s ; atom.acq_rel.s
//! ```

mod about;
mod assemble;
mod coverage;
mod dependency;
mod difference;
mod event;
mod extension;
mod failures;
mod instruction;
pub mod kind;
mod known;
mod lowering;
mod mbarrier;
mod parse;
mod resolve;
mod row;
pub mod selection;
mod text;
mod tokens;
mod write;

pub use about::{Knowledge, Left, MappingDescription, RowEvidence, RowHead, Stated};
pub use assemble::{exact as exact_uses, partners as other_orders};
pub use coverage::Coverage;
pub use dependency::{Dependency, LoweringDependencies};
pub use difference::{ChangedRow, DescriptionDifference, TableDifference, difference, of_one_kind};
pub use event::EventHalf;
pub use extension::extends;
pub use instruction::{BadInstruction, is_c, is_ptx, parse as instruction};
pub use resolve::{LoadOptions, LoadedMapping, load, load_between, load_text};
pub use text::{ShippedTexts, read};

use std::sync::Arc;

use margay_models::diagnostic::{SourceFile, Span};
use margay_models::execution::{Order, Scope};
use margay_models::model::Model;
use margay_models::signature::{Construct, Operation};

/// A mapping whose rows are complete for its source model and whose two models are loaded.
#[derive(Debug, Clone)]
pub struct Mapping {
    /// The quoted title, or the file's name.
    pub title: String,
    /// The text that it was read from.
    pub file: Arc<SourceFile>,
    /// The model of the source language.
    pub source: Model,
    /// The model of the target language.
    pub target: Model,
    /// The rows, in the order of the text.
    pub rows: Vec<Row>,
    /// What it says about itself.
    pub about: MappingDescription,
}

/// One row: a source construct and what the compiler may emit for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The source construct.
    pub construct: Construct,
    /// Which scopes of the construct the row speaks of.
    pub scope: ScopePattern,
    /// The lowerings. With more than one, every operation may have any of them: by the choice of
    /// the compiler or, where the forms differ, of the program.
    pub alternatives: Vec<Lowering>,
    /// The left-hand side in the text.
    pub span: Span,
    /// Is a compare-exchange that fails told from a load, although it becomes the same? A question
    /// may say so, a text cannot.
    pub failures_apart: bool,
}

/// The scope of a row's construct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScopePattern {
    /// Every scope, under a name that the right-hand side can use; also a construct that has no
    /// scope.
    Any(Option<String>),
    /// One scope alone.
    Named(Scope),
}

/// Which form of a source operation a lowering is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum LoweringForm {
    /// A load, a store, a fence; a read-modify-write of any kind, unless compare-exchange has rows
    /// of its own.
    #[default]
    Usual,
    /// A compare-exchange that succeeds (`CAS.ACQ.s`): a read-modify-write.
    CompareExchange,
    /// A compare-exchange that fails (`CAS_FAIL.ACQ.s`): a load with the order for failure.
    FailedCompareExchange,
}

impl LoweringForm {
    /// The operation as the mapping language names it, where it is not that of the construct.
    pub fn name(self) -> Option<&'static str> {
        match self {
            LoweringForm::Usual => None,
            LoweringForm::CompareExchange => Some("CAS"),
            LoweringForm::FailedCompareExchange => Some("CAS_FAIL"),
        }
    }

    /// The operation that such a form is one of.
    pub fn operation(self) -> Option<Operation> {
        match self {
            LoweringForm::Usual => None,
            LoweringForm::CompareExchange => Some(Operation::Rmw),
            LoweringForm::FailedCompareExchange => Some(Operation::Read),
        }
    }
}

/// One right-hand side: target instructions in program order. One of them is the access, the others
/// are fences and loads that nobody looks at. A row of a fence may be empty (`nothing`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lowering {
    /// The form of the source operation that it is for.
    pub form: LoweringForm,
    /// The instructions.
    pub steps: Vec<LoweringStep>,
    /// How what comes later in its thread depends on what its access reads.
    pub dependencies: LoweringDependencies,
    /// The width of its access in bits, where it is not that of the object.
    pub bits: Option<u16>,
    /// The uses of the construct that it is for; empty for all of them, by a row that does not say
    /// where it comes from.
    pub uses: Vec<Used>,
    /// The place in the text.
    pub span: Span,
}

/// Uses of a construct that a lowering is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Used {
    pub when: kind::RowUses,
    /// Where the row comes from.
    pub from: Option<RowSource>,
}

/// Where a row comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowSource {
    /// The index in [`MappingDescription::evidence`].
    pub evidence: usize,
    /// The hash of what was compiled for this row.
    pub hash: Option<String>,
}

impl Lowering {
    /// The index of the step that reads what the operation reads, or writes what it writes; `None`
    /// for fences.
    pub fn access(&self) -> Option<usize> {
        self.steps.iter().position(LoweringStep::carries)
    }

    /// Does it store by a read-modify-write? Then its access reads as well, and nobody uses what.
    pub fn stores_by_exchange(&self, operation: Operation) -> bool {
        operation == Operation::Write && self.is_by_rmw()
    }

    /// Does it load by a read-modify-write? Then its access writes back what it reads, and the
    /// source has no such write.
    pub fn writes_back(&self, operation: Operation) -> bool {
        operation == Operation::Read && self.is_by_rmw()
    }

    /// Is it for read-modify-writes that do one of these (of [`kind::OPERATIONS`])?
    pub fn is_for_function(&self, operations: kind::KindSet) -> bool {
        let does = |used: &Used| {
            used.when.operations.is_none_or(|of| of.iter().any(|o| operations.has(o)))
        };
        self.uses.is_empty() || self.uses.iter().any(does)
    }

    /// Is it for compare-exchanges whose other outcome has this order (`None`: an order that
    /// nothing says)?
    pub fn is_for_pair(&self, other_order: Option<Order>) -> bool {
        let says =
            |used: &Used| used.when.partner.is_none_or(|partner| Some(partner) == other_order);
        other_order.is_none() || self.uses.is_empty() || self.uses.iter().any(says)
    }

    fn is_by_rmw(&self) -> bool {
        self.access().is_some_and(|access| self.steps[access].operation == Operation::Rmw)
    }

    /// Of a read-modify-write: can it be an exchange, which writes what it is given whatever it
    /// reads?
    pub fn may_exchange(&self) -> bool {
        self.is_for(|operation| operation == kind::EXCHANGE)
    }

    /// Of a read-modify-write: can it be one that computes what it writes from what it reads, or
    /// compares?
    pub fn may_compute(&self) -> bool {
        self.form != LoweringForm::Usual || self.is_for(|operation| operation != kind::EXCHANGE)
    }

    /// Is it for a use in which the operation, by its index in [`kind::OPERATIONS`], is one of
    /// these?
    fn is_for(&self, wanted: impl Fn(usize) -> bool) -> bool {
        let any = |used: &Used| used.when.operations.is_none_or(|all| all.iter().any(&wanted));
        self.form == LoweringForm::Usual && (self.uses.is_empty() || self.uses.iter().any(any))
    }

    /// The number of instructions behind the access.
    pub fn after(&self) -> usize {
        self.steps.len().saturating_sub(self.access().unwrap_or(0) + 1)
    }

    /// The lowering without one of its fences or unused loads.
    pub fn without(&self, step: usize) -> Lowering {
        let mut lowering = self.clone();
        lowering.steps.remove(step);
        let before = step.checked_sub(self.access().unwrap_or(0) + 1);
        lowering.dependencies =
            self.dependencies.moved(|n| if before.is_some_and(|b| b < n) { n - 1 } else { n });
        lowering
    }
}

/// One target instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoweringStep {
    /// Read, write, read-modify-write or fence.
    pub operation: Operation,
    /// The order; of an RMW the order of the whole (the halves follow from it).
    pub order: Order,
    pub scope: StepScope,
    /// Is it a `.volatile` instruction?
    pub volatile: bool,
    /// Is it an `atom` that compares and fails? Then it is a read.
    pub failed: bool,
    /// Is it a load of the operation's location beside its access, whose value nobody uses?
    pub unused: bool,
    /// Is it an operation on an mbarrier: an arrival, or a wait that returns?
    pub mbarrier: bool,
}

impl LoweringStep {
    /// Is it the access of its row: neither a fence nor a load whose value nobody uses?
    pub fn carries(&self) -> bool {
        self.operation != Operation::Fence && !self.unused
    }
}

/// The scope of a target instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepScope {
    /// It has none (weak accesses, and targets without scopes).
    None,
    /// That of the source operation.
    Same,
    /// This one, whatever the source says.
    Named(Scope),
}
