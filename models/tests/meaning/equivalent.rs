//! Changes of the models that no execution can tell from the original, each with the reason. Not a list of wishes: a change that some litmus
//! test notices may not be on it, and thousands of random executions must agree that it changes nothing.

/// A change without effect.
pub struct Known {
    /// The models that have it.
    pub models: &'static [&'static str],
    /// The change, as [`crate::mutate::Mutant`] describes it.
    pub change: &'static str,
    /// Why no execution can tell.
    #[expect(dead_code, reason = "for people")]
    pub reason: &'static str,
}

/// The changes of a model without effect.
pub fn known(model: &str) -> impl Iterator<Item = &'static Known> {
    KNOWN.iter().filter(move |k| k.models.contains(&model))
}

const KNOWN: &[Known] = &[];
