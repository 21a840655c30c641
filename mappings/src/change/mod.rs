//! Changes of a mapping: which rows could be weaker ([`weaken`]), and what mends a mapping that
//! falls ([`repair`]).

mod blame;
mod compile;
mod cost;
mod family;
mod need;
mod pool;
mod price;
mod repair;
mod step;
mod weaken;

pub(crate) use blame::lacks;
pub(crate) use compile::{OperationUse, compile, depend, uses};
pub use cost::{InstructionCosts, MAX_COSTS};
pub use need::Need;
pub use pool::{CounterexamplePool, OutcomePermission, PoolEvidence};
pub use price::Price;
pub use repair::{Changed, MOST_REPAIRS, MappingRepair, RepairReport, hint, repair};
pub use step::Steps;
pub use weaken::{Fate, RowReport, WeakenReport, WeakerLowering, weaken};

use margay_models::diagnostic::Diagnostic;

use crate::check::{CheckOptions, CheckReport, CheckVerdict, CoReading, Level, Progress, check};
use crate::language::{Lowering, Mapping};

/// A lowering of a mapping: the row, and which of its alternatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoweringSlot {
    /// The index of the row.
    pub row: usize,
    /// The index of the lowering among its alternatives.
    pub alternative: usize,
}

impl LoweringSlot {
    /// The slots of a mapping, row by row.
    pub fn all(mapping: &Mapping) -> Vec<LoweringSlot> {
        let of = |row: usize| {
            (0..mapping.rows[row].alternatives.len())
                .map(move |alternative| LoweringSlot { row, alternative })
        };
        (0..mapping.rows.len()).flat_map(of).collect()
    }

    pub fn lowering(self, mapping: &Mapping) -> &Lowering {
        &mapping.rows[self.row].alternatives[self.alternative]
    }

    /// Changes the lowering.
    pub fn set(self, mapping: &mut Mapping, lowering: Lowering) {
        mapping.rows[self.row].alternatives[self.alternative] = lowering;
    }

    /// The row as it would be written with this lowering alone: head and body. Where the lowering
    /// is for some uses of its construct only, the head says which (`CAS_FAIL.REL/ACQ.s b32 b64`),
    /// several heads separated by commas.
    pub fn text(self, mapping: &Mapping, lowering: &Lowering) -> (String, String) {
        let row = &mapping.rows[self.row];
        // Which uses the row is for does not change with what it emits.
        let own = self.lowering(mapping);
        (
            row.head_of(mapping.source.signature, own),
            row.lowering_text(mapping.target.signature, lowering),
        )
    }
}

/// What became of one mapping that was asked about.
enum ChangeAnswer {
    /// No counterexample up to the bound.
    Sound,
    /// The counterexample of this number in the pool.
    Falls(usize),
    /// A limit was reached.
    Undecided(String),
}

/// Asks about mappings, one after the other.
struct ChangeAsker<'a> {
    options: &'a CheckOptions,
    progress: &'a dyn Progress,
    /// What was found.
    pool: CounterexamplePool,
    /// How many searches there were.
    searches: usize,
    /// The constructs that programs are made of.
    constructs: Vec<String>,
}

impl<'a> ChangeAsker<'a> {
    /// # Errors
    /// The paper's reading of modification order: a pool speaks of outcomes.
    fn new(
        mapping: &Mapping,
        options: &'a CheckOptions,
        progress: &'a dyn Progress,
    ) -> Result<Self, Vec<Diagnostic>> {
        if options.level == Level::Execution && options.co == CoReading::Universal {
            let error = Diagnostic::error(
                "rows are changed by what programs can observe: `--co universal` is about modification orders",
            );
            return Err(vec![error.help("ask with `--co exists`")]);
        }
        Ok(Self {
            options,
            progress,
            pool: CounterexamplePool::new(mapping).limited(options.limits(), None),
            searches: 0,
            constructs: Vec::new(),
        })
    }

    /// Is this mapping sound up to the bound? The pool is asked first, then there is a search.
    fn ask(&mut self, mapping: &Mapping) -> Result<ChangeAnswer, Vec<Diagnostic>> {
        match self.pool.refutes(mapping) {
            Some(known) => Ok(ChangeAnswer::Falls(known)),
            None => self.search(mapping, self.options.bound),
        }
    }

    /// As [`ChangeAsker::ask`], with a counterexample as small as there is.
    fn ask_for_the_smallest(&mut self, mapping: &Mapping) -> Result<ChangeAnswer, Vec<Diagnostic>> {
        let Some(known) = self.pool.refutes(mapping) else {
            return self.search(mapping, self.options.bound);
        };
        match self.pool.get(known).counterexample.events - 1 {
            0 => Ok(ChangeAnswer::Falls(known)),
            smaller => Ok(match self.search(mapping, smaller)? {
                ChangeAnswer::Sound => ChangeAnswer::Falls(known),
                found => found,
            }),
        }
    }

    fn search(&mut self, mapping: &Mapping, bound: usize) -> Result<ChangeAnswer, Vec<Diagnostic>> {
        self.searches += 1;
        let options = self.options.clone().with(|options| options.bound = bound);
        let CheckReport { verdict, counterexamples, constructs, .. } =
            check(mapping, &options, self.progress)?;
        self.constructs = constructs;
        Ok(match (verdict, counterexamples.into_iter().next()) {
            (CheckVerdict::Counterexample, Some(found)) => {
                let bug = || {
                    ChangeAnswer::Undecided(
                        "the engine for litmus tests does not confirm a counterexample: a bug in Margay".to_owned(),
                    )
                };
                match self.pool.add(mapping, found) {
                    // Whoever changes rows relies on this: the search and the engine for litmus
                    // tests agree on what is compiled.
                    Some(index)
                        if self.pool.standing(mapping, index) != OutcomePermission::Mended =>
                    {
                        ChangeAnswer::Falls(index)
                    }
                    Some(_) | None => bug(),
                }
            }
            (CheckVerdict::Undecided(why), _) => ChangeAnswer::Undecided(why),
            (CheckVerdict::None | CheckVerdict::Counterexample, _) => ChangeAnswer::Sound,
        })
    }
}
