//! Asking for races: of models that have a word for them, on request.

use margay_litmus::explicit::TestVerdict;
use margay_models::diagnostic::Diagnostic;
use margay_models::model::{DATA_RACE, Model, RaceMeaning};

/// The model, asking for races if that is wanted.
///
/// # Errors
/// Races are wanted, and the model does not say what they are.
pub fn of(model: Model, wanted: bool) -> Result<Model, Diagnostic> {
    if !wanted {
        return Ok(model);
    }
    model.asking_for_races().ok_or_else(|| {
        let error = Diagnostic::error(format!("`{}` does not say what a race is", model.name));
        error.help(format!(
            "leave out `--races`, or define it: `let {DATA_RACE} = ..` for a model that gives racy programs a meaning, `flag ~empty race as Race` \
             for one that does not (docs/cat.md)"
        ))
    })
}

/// What a first line says of races, behind whether the outcome is allowed; nothing of a program
/// that has none.
pub fn words(verdict: &TestVerdict) -> &'static str {
    match (verdict.racy, verdict.race_meaning, &verdict.race) {
        (Some(true), Some(RaceMeaning::Defined), _) => ", and the program has a data race",
        (Some(true), _, Some(_)) => ", and the program is undefined (it has a race)",
        (Some(true), _, None) => ", and the program is undefined",
        (Some(false), Some(RaceMeaning::Defined), _) => ", and the program has no data race",
        _ => "",
    }
}
