//! `margay weaken` and `margay repair`: a mapping with other rows.

use std::collections::BTreeMap;

use crate::check::CoverageRecord;
use crate::document::parts;
use crate::verdict::{LevelRecord, StatusRecord, Verdict};

parts! {
    /// What is said of every change of rows: what was asked, and what it took.
    pub struct RowSearchRecord {
        /// The mapping's title.
        pub mapping: String,
        /// The answer in words, as in the first line of the output for people.
        pub answer: String,
        /// The source model.
        pub source: String,
        /// The target model.
        pub target: String,
        /// What a counterexample is.
        pub level: LevelRecord,
        /// The bound.
        pub bound: usize,
        /// What the answer supposes of every program, in words; null if nothing.
        pub supposes: Option<String>,
        /// Left-hand sides of rows for compare-exchanges that fail which the mapping has not:
        /// programs in which one fails were not asked about.
        pub not_asked: Vec<String>,
        /// How many rows of the mapping the answer is about.
        pub coverage: CoverageRecord,
        /// If the mapping has a counterexample as it is: `counterexample at 4 (Coherence)`.
        pub falls: Option<String>,
        /// Why the answer is not complete.
        pub reason: Option<String>,
        /// How many searches were made.
        pub searches: usize,
        /// Wall time.
        pub seconds: f64,
    }

    /// `margay weaken`.
    #[cfg_attr(feature = "schema", schemars(rename = "Weakened"))]
    pub struct WeakenDocument {
        /// What was asked, and what it took.
        #[serde(flatten)]
        pub search: RowSearchRecord,
        /// The rows.
        pub rows: Vec<WeakenedRowRecord>,
        /// For each axiom the number of counterexamples of each number of events.
        pub sizes: BTreeMap<String, BTreeMap<usize, usize>>,
    }

    /// A row, and what is weaker.
    #[cfg_attr(feature = "schema", schemars(rename = "Row"))]
    pub struct WeakenedRowRecord {
        /// Its left-hand side.
        pub row: String,
        /// Its lowering.
        pub lowering: String,
        /// Has every weaker lowering a counterexample?
        pub tight: bool,
        /// Has a weaker lowering none, up to a bound at which that means something?
        pub loose: bool,
        /// The bound from which on `none` means something; null where it is not known.
        pub needs: Option<usize>,
        /// It is larger than this.
        pub needs_more_than: Option<usize>,
        /// The weaker lowerings.
        pub weaker: Vec<WeakerLoweringRecord>,
    }

    /// A weaker lowering.
    #[cfg_attr(feature = "schema", schemars(rename = "Weaker"))]
    pub struct WeakerLoweringRecord {
        /// What is emitted.
        pub lowering: String,
        /// `none`, `counterexample` or `undecided`.
        pub verdict: Verdict,
        /// Why it is undecided.
        pub reason: Option<String>,
        /// The source events of a counterexample.
        pub events: Option<usize>,
        /// The axiom that fails.
        pub axiom: Option<String>,
        /// What follows from the counterexample.
        pub status: Option<StatusRecord>,
        /// How the files of the counterexample begin with `--out`.
        pub files: Option<String>,
    }

    /// `margay repair`.
    pub struct Repaired {
        /// What was asked, and what it took.
        #[serde(flatten)]
        pub search: RowSearchRecord,
        /// How the files of that counterexample begin with `--out`.
        pub files: Option<String>,
        /// The cheapest repairs; of the same price those of rows that are plainly too weak come
        /// first.
        pub repairs: Vec<RepairRecord>,
        /// Are there perhaps more of that price?
        pub more: bool,
        /// How many mappings were asked about.
        pub candidates: usize,
    }

    /// A repair.
    #[cfg_attr(feature = "schema", schemars(rename = "Repair"))]
    pub struct RepairRecord {
        /// What repairs are ranked by: `cost` and `steps` together.
        pub price: u64,
        /// The parts of the price, in the order in which they count.
        pub price_by_use: PriceByUse,
        /// What instructions cost more than in the mapping as it is.
        pub cost: u64,
        /// Steps of order, scope or fence.
        pub steps: u32,
        /// The changed rows.
        pub changes: Vec<RowChangeRecord>,
        /// The whole text of the mended mapping.
        pub mapping: String,
    }

    /// The price of changes by how widely the changed rows are used.
    pub struct PriceByUse {
        /// Of plain loads and stores.
        pub plain: u64,
        /// Of relaxed operations.
        pub relaxed: u64,
        /// Of operations with a stronger order, and of fences.
        pub ordered: u64,
    }

    /// A changed row.
    #[cfg_attr(feature = "schema", schemars(rename = "Change"))]
    pub struct RowChangeRecord {
        /// Its left-hand side.
        pub row: String,
        /// What it emits now.
        pub before: String,
        /// What it is to emit.
        pub after: String,
    }
}
