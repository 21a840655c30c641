//! What is asked of a mapping: `--axiom`, and `--only` and `--without`, the constructs that
//! programs are made of.

use margay_models::diagnostic::{Diagnostic, nearest};
use margay_models::signature::{Construct, Signature, constructs as all_constructs};

use super::Mapping;
use super::instruction::is_c;

/// Axioms of a mapping's source, asked about programs of some constructs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappingQuestion {
    /// The axioms, by the indices of their checks, in the order of the model.
    pub axioms: Vec<usize>,
    /// The constructs, in the order of the language.
    pub constructs: Vec<Construct>,
}

impl Mapping {
    /// The question about the axioms with these names (all of them if there is no name), and about
    /// programs of these constructs.
    ///
    /// # Errors
    /// A source whose coherence is partial, names of nothing, and selections that leave nothing:
    /// all of them at once.
    pub fn question(
        &self,
        axioms: &[String],
        only: &[String],
        without: &[String],
    ) -> Result<MappingQuestion, Vec<Diagnostic>> {
        let source = &self.source;
        let mut errors = Vec::new();
        if !source.signature.total_coherence() {
            errors.push(
                Diagnostic::error(format!(
                    "`{}` cannot be a source model: its coherence order is partial",
                    source.name
                ))
                .help("source models are of C++ (`C`) or plain (`X86`, `SC`) executions"),
            );
        }
        match (source.asked_axioms(axioms), constructs(source.signature, only, without)) {
            (Ok(axioms), Ok(constructs)) if errors.is_empty() => {
                return Ok(MappingQuestion { axioms, constructs });
            }
            (axioms, constructs) => {
                errors.extend(axioms.err().into_iter().chain(constructs.err()).flatten())
            }
        }
        Err(errors)
    }
}

/// The construct of C++ that a left-hand side of a table is of, as answers print them: `RMW.REL` of
/// `CAS.REL/ACQ.gpu b32`, `R.ACQ` of `CAS_FAIL.REL/ACQ.s`, `R.ACQ` of `R.ACQ.s`. What is no such
/// left-hand side stays as it is.
#[must_use]
pub fn construct_of(head: &str) -> String {
    const ORDERS: [&str; 6] = ["NA", "RLX", "ACQ", "REL", "ACQ_REL", "SC"];
    let name = head.trim().split(' ').next().unwrap_or_default();
    let mut parts = name.split('.');
    let (Some(operation), Some(orders)) = (parts.next(), parts.next()) else {
        return head.to_owned();
    };
    // A scope, or a word that stands for all.
    if parts.next().is_some_and(|scope| scope.chars().any(|c| c.is_ascii_uppercase()))
        || parts.next().is_some()
    {
        return head.to_owned();
    }
    let (success, failure) = orders.split_once('/').unwrap_or((orders, orders));
    let (operation, order) = match operation {
        "CAS" => ("RMW", success),
        "CAS_FAIL" => ("R", failure),
        "R" | "W" | "RMW" | "F" if success == failure => (operation, orders),
        _ => return head.to_owned(),
    };
    if ORDERS.contains(&success) && ORDERS.contains(&failure) {
        format!("{operation}.{order}")
    } else {
        head.to_owned()
    }
}

/// The constructs of a language that are selected: those named by `only` (all of them if it is
/// empty) but those named by `without`. A name is that of a construct, e.g. `R.SC`, or `swap` of an
/// architecture that is a text, or of a whole operation, `RMW`; or a left-hand side of a table,
/// which stands for its construct ([`construct_of`]). Upper and lower case count only where names
/// differ in nothing else.
///
/// # Errors
/// Names of nothing, and selections that leave nothing.
pub fn constructs(
    signature: Signature,
    only: &[String],
    without: &[String],
) -> Result<Vec<Construct>, Vec<Diagnostic>> {
    let all = all_constructs(signature);
    let mut errors = Vec::new();
    let mut matching = |wanted: &String| {
        let canonical = wanted.to_uppercase().replace("ACQREL", "ACQ_REL");
        let name = |c: &Construct| c.name(signature);
        let some = |matches: &dyn Fn(&Construct) -> bool| {
            all.iter().copied().filter(matches).collect::<Vec<Construct>>()
        };
        let mut found = some(&|c| name(c) == *wanted);
        if found.is_empty() {
            found = some(&|c| {
                name(c).to_uppercase() == canonical || c.operation.to_string() == canonical
            });
        }
        if found.is_empty() && is_c(signature) {
            found = some(&|c| name(c) == construct_of(wanted));
        }
        if found.is_empty() {
            let names: Vec<String> = all.iter().map(name).collect();
            let error =
                Diagnostic::error(format!("the source language has no construct `{wanted}`"));
            let near = nearest(&canonical, names.iter().map(String::as_str))
                .or_else(|| nearest(wanted, names.iter().map(String::as_str)));
            errors.push(match near {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error.help(format!(
                    "constructs: {}; or a whole operation: R, W, RMW, F",
                    names.join(", ")
                )),
            });
        }
        found
    };
    let left_out: Vec<Construct> = without.iter().flat_map(&mut matching).collect();
    let alone: Vec<Construct> = only.iter().flat_map(&mut matching).collect();
    let selected: Vec<Construct> = all
        .iter()
        .copied()
        .filter(|c| !left_out.contains(c) && (only.is_empty() || alone.contains(c)))
        .collect();
    if selected.is_empty() && errors.is_empty() {
        errors
            .push(Diagnostic::error("--only and --without leave no construct to make programs of"));
    }
    if errors.is_empty() { Ok(selected) } else { Err(errors) }
}

#[cfg(test)]
mod tests {
    use super::construct_of;

    #[test]
    fn left_hand_sides_stand_for_constructs() {
        for (head, construct) in [
            ("R.ACQ", "R.ACQ"),
            ("R.ACQ.s", "R.ACQ"),
            ("RMW.ACQ_REL.gpu nand b8", "RMW.ACQ_REL"),
            ("CAS.REL/ACQ.s b32", "RMW.REL"),
            ("CAS.SC.s", "RMW.SC"),
            ("CAS_FAIL.REL/ACQ.s", "R.ACQ"),
            ("CAS_FAIL.SC", "R.SC"),
            // Names of other languages, and what is mistyped.
            ("RMW", "RMW"),
            ("amoadd.w.aq", "amoadd.w.aq"),
            ("R.ACQ.RLX", "R.ACQ.RLX"),
            ("R.ACK.s", "R.ACK.s"),
            ("R.REL/ACQ", "R.REL/ACQ"),
            ("CAS.REL/ACK.s", "CAS.REL/ACK.s"),
        ] {
            assert_eq!(construct_of(head), construct, "{head}");
        }
    }
}
