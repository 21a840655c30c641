//! What a run needs of a model, whatever the engine: which checks are axioms, which say that a
//! program races, and how tests are unfolded for it.

use margay_models::model::{CheckKind, Model, RaceMeaning, Role};
use margay_models::signature::{BaseRelation, Signature};

use crate::cells::{self, Split};
use crate::monotone::{allows_no_less_without_rewrites, grows_with_accesses, grows_with_reads};
use crate::refused;
use crate::test::{Quantifier, Test};
use crate::unfold::{ExecutionProgram, RetryRounds, Unfolding, UnfoldingBounds, asynchronous};
use crate::verdict::{Error, Options};

/// Refuses a test in which accesses of two sizes to one location may race in a model. It takes an
/// engine to find out.
type Ordered = fn(&Split, &Model, &Options) -> Result<(), Error>;

/// What an engine is asked about: a program, unfolded, and what its condition is asked of.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    pub unfolding: Unfolding,
    /// The same for the question of races, where that is another one: a read that only waits may
    /// race.
    pub waiting: Option<Unfolding>,
    pub quantifier: Quantifier,
}

/// A model as an engine asks about it.
#[derive(Debug, Clone)]
pub(crate) struct Questions {
    model: Model,
    pub signature: Signature,
    /// The checks that every legal execution passes.
    pub axioms: Vec<usize>,
    /// The same, in the order in which they are blamed for a forbidden outcome: cycles say more
    /// than that an order is not total.
    pub blame: Vec<usize>,
    /// Checks that show a program to race or to be otherwise undefined, with the outcome of the
    /// test that does.
    pub races: Vec<(usize, bool)>,
    /// What that means for the program.
    pub race_meaning: Option<RaceMeaning>,
    /// Does the model forbid no less when reads are added to an execution?
    grows_with_reads: bool,
    /// And when reads and writes are?
    grows_with_accesses: bool,
    /// And when read-modify-writes that write back what they read are taken out?
    allows_no_less_without_rewrites: bool,
    /// May values determine themselves: does no axiom forbid cycles of reads-from, data and
    /// read-modify-writes?
    pub has_thin_air: bool,
    ordered: Ordered,
}

impl Questions {
    pub fn new(model: &Model, ordered: Ordered) -> Self {
        let of_races =
            model.checks.iter().enumerate().filter(|(_, check)| check.race_meaning().is_some());
        let races = of_races.map(|(i, check)| (i, check.role != Role::UndefinedUnless)).collect();
        let mut blame: Vec<usize> = model.axioms().map(|(i, _)| i).collect();
        blame.sort_by_key(|&i| (model.checks[i].kind == CheckKind::Empty, i));
        Self {
            model: model.clone(),
            signature: model.signature,
            blame,
            axioms: model.axioms().map(|(i, _)| i).collect(),
            races,
            race_meaning: model.race_meaning(),
            grows_with_reads: grows_with_reads(model),
            grows_with_accesses: grows_with_accesses(model),
            allows_no_less_without_rewrites: allows_no_less_without_rewrites(model),
            has_thin_air: !model.forbids_cycles_of(&BaseRelation::PASS_VALUES),
            ordered,
        }
    }

    /// What is asked about a test.
    pub fn of_test(&self, test: &Test, options: &Options) -> Result<Subject, Error> {
        let unfolding = self.unfold(test, options)?;
        let waiting = self.unfold_waiting(&unfolding, test, options)?;
        Ok(Subject { unfolding, waiting, quantifier: test.condition.quantifier })
    }

    /// What is asked about the program of an execution: whether it has that outcome. No thread of
    /// it waits.
    pub fn of_program(&self, program: &ExecutionProgram) -> Result<Subject, Error> {
        let unfolding = program.unfolding().clone();
        if unfolding.signature() != self.signature {
            return Err(Error::Signature { test: unfolding.signature(), model: self.signature });
        }
        Ok(Subject { unfolding, waiting: None, quantifier: Quantifier::Exists })
    }

    /// The test's paths, without those that only wait where they can show nothing that others do
    /// not.
    pub fn unfold(&self, test: &Test, options: &Options) -> Result<Unfolding, Error> {
        self.unfold_with(test, options, options.bounds.skip_waiting || self.grows_with_reads)
    }

    /// The test's paths for the question of races: a read that only waits may race. `None` if they
    /// are the same.
    fn unfold_waiting(
        &self,
        unfolding: &Unfolding,
        test: &Test,
        options: &Options,
    ) -> Result<Option<Unfolding>, Error> {
        if !unfolding.waits || self.races.is_empty() || options.bounds.skip_waiting_for_races {
            return Ok(None);
        }
        self.unfold_with(test, options, false).map(Some)
    }

    fn unfold_with(
        &self,
        test: &Test,
        options: &Options,
        skip_waiting: bool,
    ) -> Result<Unfolding, Error> {
        let of_test = test.dialect.signature();
        // Tags would vanish from a test for the machine that the model is for.
        let loses_tags = self.model.machine.is_some() && of_test.tabular().is_some();
        if of_test != self.signature && (loses_tags || !self.signature.is_plain()) {
            return Err(Error::Signature { test: of_test, model: self.signature });
        }
        if let Some(first) = asynchronous::first(test)
            && !self.model.mentions_relation(BaseRelation::AsyncComplete)
        {
            let message = format!(
                "the model `{}` does not speak of asynchronous operations and mbarriers: `ptx-8` does",
                self.model.name
            );
            return Err(refused::UnfoldError::at(message, first.place).into());
        }
        let skip_rewriting = skip_waiting && self.allows_no_less_without_rewrites;
        // An arrival may be relaxed since clusters; older models have every barrier order memory.
        let ends_let_pass = self.model.mentions_relation(BaseRelation::AsyncComplete);
        // A thread whose writes come from thin air would read what was left out.
        let retries = if self.grows_with_accesses && !self.has_thin_air {
            options.bounds.retries
        } else {
            RetryRounds::All
        };
        let bounds = UnfoldingBounds {
            skip_waiting,
            skip_rewriting,
            ends_let_pass,
            retries,
            ..options.bounds
        };
        let is_over = || options.is_over();
        let unfolded = |test: &Test, bounds: UnfoldingBounds| {
            Unfolding::until(test, self.signature, bounds, &is_over)?.ok_or(Error::Time)
        };
        let Some(split) = cells::split(test)? else { return unfolded(test, bounds) };
        (self.ordered)(&split, &self.model, options)?;
        // Its locations are others.
        let retries = if bounds.retries == RetryRounds::All {
            RetryRounds::All
        } else {
            RetryRounds::Racing(None)
        };
        unfolded(&split.test, UnfoldingBounds { retries, ..bounds })
    }
}

#[cfg(test)]
mod tests {
    use margay_models::library;

    use super::Questions;

    #[test]
    fn values_come_from_thin_air_where_no_axiom_forbids_it() {
        for (name, has_thin_air) in [("ptx-8", false), ("c20", true), ("rc11-lb", true)] {
            let model = library::load(name, &[]).unwrap().model;
            assert_eq!(
                Questions::new(&model, |_, _, _| Ok(())).has_thin_air,
                has_thin_air,
                "{name}"
            );
        }
        let model = library::load("ptx-8", &[]).unwrap().model;
        let left_out: Vec<usize> = model.checks_named("No-Thin-Air").collect();
        assert!(Questions::new(&model.choosing(&[], &left_out), |_, _, _| Ok(())).has_thin_air);
    }
}
