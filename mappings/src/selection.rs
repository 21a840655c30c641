//! `--only` and `--without`: which constructs a search makes programs of.

use margay_models::diagnostic::{Diagnostic, nearest};
use margay_models::signature::{self, Construct, Signature};

use crate::check::CheckOptions;
use crate::language::Mapping;

impl CheckOptions {
    /// The names of the constructs that a search makes programs of; none if the options name what there is not.
    pub fn constructs_of(&self, mapping: &Mapping) -> Vec<String> {
        let signature = mapping.source.signature;
        let selected = constructs(&signature::constructs(signature), signature, &self.only, &self.without);
        selected.unwrap_or_default().iter().map(|c| c.name(signature)).collect()
    }
}

/// Those of `all` that are selected: the constructs named by `only` (all of them if it is empty) but those named by `without`. A
/// name is that of a construct, e.g. `R.SC`, or `swap` of an architecture that is a text, or of a whole operation, `RMW`. Upper and lower case count
/// only where names differ in nothing else.
///
/// # Errors
/// Names of nothing, and selections that leave nothing.
pub fn constructs(
    all: &[Construct],
    signature: Signature,
    only: &[String],
    without: &[String],
) -> Result<Vec<Construct>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let mut matching = |wanted: &String| {
        let canonical = wanted.to_uppercase().replace("ACQREL", "ACQ_REL");
        let name = |c: &Construct| c.name(signature);
        let some = |matches: &dyn Fn(&Construct) -> bool| all.iter().copied().filter(matches).collect::<Vec<Construct>>();
        let mut found = some(&|c| name(c) == *wanted);
        if found.is_empty() {
            found = some(&|c| name(c).to_uppercase() == canonical || c.operation.to_string() == canonical);
        }
        if found.is_empty() {
            let names: Vec<String> = all.iter().map(name).collect();
            let error = Diagnostic::error(format!("the source language has no construct `{wanted}`"));
            let near = nearest(&canonical, names.iter().map(String::as_str))
                .or_else(|| nearest(wanted, names.iter().map(String::as_str)));
            errors.push(match near {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error.help(format!("constructs: {}; or a whole operation: R, W, RMW, F", names.join(", "))),
            });
        }
        found
    };
    let left_out: Vec<Construct> = without.iter().flat_map(&mut matching).collect();
    let alone: Vec<Construct> = only.iter().flat_map(&mut matching).collect();
    let selected: Vec<Construct> =
        all.iter().copied().filter(|c| !left_out.contains(c) && (only.is_empty() || alone.contains(c))).collect();
    if selected.is_empty() && errors.is_empty() {
        errors.push(Diagnostic::error("--only and --without leave no construct to make programs of"));
    }
    if errors.is_empty() { Ok(selected) } else { Err(errors) }
}
