//! What a synthesis is asked to do.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use margay_models::diagnostic::{Diagnostic, nearest};
use margay_models::model::Model;
use margay_models::signature::constructs;
use margay_solver::{Backend, Limits};

use crate::compare::options::scopes;
use crate::encode::Extent;
use crate::selection;

/// The largest bound that is accepted.
pub const MAX_BOUND: usize = 10;

/// Options of [`super::synthesize`].
#[derive(Debug, Clone)]
pub struct SynthesisOptions {
    /// The largest number of events; a read-modify-write is two.
    pub bound: usize,
    /// Only tests that violate this axiom; any if there is none.
    pub axiom: Option<String>,
    /// Constructs to leave out, e.g. `R.SC`, or a whole operation, `RMW`.
    pub without: Vec<String>,
    /// Constructs to use alone, likewise; empty for all.
    pub only: Vec<String>,
    /// A location is accessed by plain or by other operations, never by both.
    pub typed: bool,
    /// The number of threads that solve.
    pub jobs: usize,
    /// The moment to stop at.
    pub deadline: Option<Instant>,
    /// Stop when it becomes true.
    pub stop: Arc<AtomicBool>,
    /// The SAT solver.
    pub backend: Backend,
}

impl SynthesisOptions {
    /// The usual options for a bound.
    pub fn new(bound: usize) -> Self {
        Self {
            bound,
            axiom: None,
            without: Vec::new(),
            only: Vec::new(),
            typed: false,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            deadline: None,
            stop: Arc::new(AtomicBool::new(false)),
            backend: Backend::default(),
        }
    }

    /// The limits of every solver call.
    pub(super) fn limits(&self) -> Limits {
        Limits { deadline: self.deadline, stop: Some(self.stop.clone()), conflicts: None }
    }
}

/// The executions to search, and the axioms of which one must be violated.
pub(super) fn resolve(model: &Model, options: &SynthesisOptions) -> Result<(Extent, Vec<usize>), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    if options.bound == 0 {
        errors.push(Diagnostic::error("a bound of 0 events leaves no test").help("give a bound of at least 1"));
    }
    if options.bound > MAX_BOUND {
        let error = Diagnostic::error(format!("a bound of {} events is out of reach; the largest is {MAX_BOUND}", options.bound));
        errors.push(error.help("each event more takes about ten times as long"));
    }
    let all: Vec<usize> = model.axioms().map(|(i, _)| i).collect();
    let axioms = match options.axiom.as_deref().map(|wanted| (wanted, model.check_named(wanted))) {
        None => all,
        Some((_, Some(i))) if all.contains(&i) => vec![i],
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
        errors.push(Diagnostic::error(format!("`{}` has no axiom, so it forbids nothing", model.name)));
    }
    match selection::constructs(&constructs(model.signature), model.signature, &options.only, &options.without) {
        Ok(constructs) if errors.is_empty() => {
            Ok((Extent { constructs, specials: Vec::new(), scopes: scopes([model, model]), typed: options.typed }, axioms))
        }
        Ok(_) => Err(errors),
        Err(more) => Err(errors.into_iter().chain(more).collect()),
    }
}
