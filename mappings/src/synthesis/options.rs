//! What a synthesis is asked to do.

use margay_models::diagnostic::{Diagnostic, nearest};
use margay_models::model::Model;

use crate::compare::options::scopes;
use crate::encode::ComparisonExtent;
use crate::search::{SearchOptions, contains_search_options};

/// The largest bound that is accepted.
pub const MAX_BOUND: usize = 10;

/// Options of [`super::synthesize`].
#[derive(Debug, Clone)]
pub struct SynthesisOptions {
    /// What every search is asked.
    pub search: SearchOptions,
    /// Only tests that violate this axiom; any if there is none.
    pub axiom: Option<String>,
}

impl SynthesisOptions {
    /// The usual options for a bound.
    pub fn new(bound: usize) -> Self {
        Self { search: SearchOptions::new(bound), axiom: None }
    }
}

contains_search_options!(SynthesisOptions);

/// The executions to search, and the axioms of which one must be violated.
pub(super) fn resolve(
    model: &Model,
    options: &SynthesisOptions,
) -> Result<(ComparisonExtent, Vec<usize>), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    if options.bound == 0 {
        errors.push(
            Diagnostic::error("a bound of 0 events leaves no test")
                .help("give a bound of at least 1"),
        );
    }
    if options.bound > MAX_BOUND {
        let error = Diagnostic::error(format!(
            "a bound of {} events is out of reach; the largest is {MAX_BOUND}",
            options.bound
        ));
        errors.push(error.help("each event more takes about ten times as long"));
    }
    let all: Vec<usize> = model.axioms().map(|(i, _)| i).collect();
    let named =
        |wanted| -> Vec<usize> { model.checks_named(wanted).filter(|i| all.contains(i)).collect() };
    let axioms = match options.axiom.as_deref().map(|wanted| (wanted, named(wanted))) {
        None => all,
        Some((_, own)) if !own.is_empty() => own,
        Some((wanted, _)) => {
            let names: Vec<String> = model.axioms().map(|(_, c)| c.display_name()).collect();
            let error = Diagnostic::error(format!("`{}` has no axiom `{wanted}`", model.name));
            errors.push(match nearest(wanted, names.iter().map(String::as_str)) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error.help(format!("its axioms: {}", names.join(", "))),
            });
            Vec::new()
        }
    };
    if axioms.is_empty() && errors.is_empty() {
        errors.push(Diagnostic::error(format!(
            "`{}` has no axiom, so it forbids nothing",
            model.name
        )));
    }
    match options.constructs(model.signature) {
        Ok(constructs) if errors.is_empty() => Ok((
            ComparisonExtent {
                constructs,
                specials: Vec::new(),
                scopes: scopes([model, model]),
                typed: options.typed,
            },
            axioms,
        )),
        Ok(_) => Err(errors),
        Err(more) => Err(errors.into_iter().chain(more).collect()),
    }
}
