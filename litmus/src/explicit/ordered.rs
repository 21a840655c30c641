//! Accesses of two sizes to one location must not race ([`crate::cells`]): do they?

use margay_models::model::Model;

use super::{Error, ExplicitRunner, Options};
use crate::cells::Split;
use crate::unfold;

/// After so many steps the search for a race is given up: a few seconds.
const MOST_STEPS: u64 = 1_000_000;

/// An error where accesses of different threads to a location of two sizes may race.
pub(crate) fn ordered(split: &Split, model: &Model, options: &Options) -> Result<(), Error> {
    let Some((sizes, second)) = split.shared() else { return Ok(()) };
    let refused = |why: String| {
        Err(Error::Unfold(unfold::UnfoldError::at(format!("{sizes}, {why}"), second)))
    };
    let Some(flagging) = model.flagging_unordered() else {
        return refused(format!(
            "by two threads: whether they race is for the causality order of a model to say, and `{}` defines neither `causality` nor \
             `cause` (PTX ISA 8.7.2)",
            model.name
        ));
    };
    let mut options = *options;
    // A read that only waits may race.
    options.bounds.skip_waiting = false;
    // Whoever verifies a certificate asks this of a test that somebody else wrote.
    let all = options.steps.is_none_or(|given| given >= MOST_STEPS);
    options.steps = Some(options.steps.map_or(MOST_STEPS, |given| given.min(MOST_STEPS)));
    let race = match ExplicitRunner::new(&flagging).run(&split.test, &options) {
        Err(Error::Steps) if all => {
            return refused(format!(
                "by two threads: whether they race (PTX ISA 8.7.2) was not found in {MOST_STEPS} steps of the search"
            ));
        }
        found => found?.race,
    };
    match race {
        None => Ok(()),
        Some(_) => refused(
            "and causality order leaves weak accesses of this test unordered: the axioms do not apply to races of accesses that overlap \
             in part (PTX ISA 8.7.2). Order every weak access with a fence, a barrier, or a branch on what was acquired"
                .to_owned(),
        ),
    }
}
