//! From how many events on a row means anything. That a weaker lowering of a row has no
//! counterexample says something only at a bound at which the source model tells the row's
//! operation from weaker ones: below it, any lowering that is good enough for those passes. So the
//! source is compiled to itself, every operation to itself but one, which becomes weaker by a step.
//! What is then wrong is what the operation is there for, and its smallest program has so many
//! events.

use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::model::Model;
use margay_models::signature::{Construct, constructs};

use super::{LoweringSlot, Steps};
use crate::check::{CheckOptions, CheckVerdict, Progress, check};
use crate::language::{Lowering, Mapping};

/// The bound that a row needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need {
    /// With so many events the source tells the operation from everything that is weaker by a step.
    Events(usize),
    /// More than so many: with these it does not.
    MoreThan(usize),
    /// A limit was reached; the reason in words.
    Unknown(String),
}

impl Need {
    /// Is this bound large enough?
    pub fn is_met(&self, bound: usize) -> bool {
        matches!(self, Self::Events(n) if *n <= bound)
    }
}

/// At most so many events are looked at, or one more than were asked for. For each operation of
/// scoped RC11 there is a program of 4 to 7 (mappings/tests/mappings/change.rs), and each event
/// more takes about five times as long.
const FAR_ENOUGH: usize = 7;

/// The bound that an operation of the source needs, and how many searches it took to find out.
///
/// # Errors
/// As [`check`].
pub fn need(
    source: &Model,
    construct: Construct,
    options: &CheckOptions,
    progress: &dyn Progress,
) -> Result<(Need, usize), Vec<Diagnostic>> {
    let identity = identity(source)?;
    let steps = Steps::new(&identity);
    let bound = FAR_ENOUGH.max(options.bound + 1);
    let options = CheckOptions { all: None, next: None, keep_going: false, ..options.clone() }
        .with(|o| o.bound = bound);
    let (mut most, mut searches) = (0, 0);
    for slot in LoweringSlot::all(&identity)
        .into_iter()
        .filter(|s| identity.rows[s.row].construct == construct)
    {
        let whole = slot.lowering(&identity);
        for weaker in steps.weaker(&identity.rows[slot.row], whole) {
            // Where the language has no scopes a narrower one is no step.
            if !source.is_scoped() && same_but_for_scopes(whole, &weaker) {
                continue;
            }
            let mut changed = identity.clone();
            slot.set(&mut changed, weaker);
            searches += 1;
            let report = check(&changed, &options, progress)?;
            match report.verdict {
                CheckVerdict::Counterexample => most = most.max(report.established + 1),
                CheckVerdict::None => return Ok((Need::MoreThan(bound), searches)),
                CheckVerdict::Undecided(why) => return Ok((Need::Unknown(why), searches)),
            }
        }
    }
    Ok((Need::Events(most), searches))
}

fn same_but_for_scopes(a: &Lowering, b: &Lowering) -> bool {
    let orders = |l: &Lowering| l.steps.iter().map(|s| (s.operation, s.order)).collect::<Vec<_>>();
    orders(a) == orders(b)
}

/// A language compiled to itself.
fn identity(model: &Model) -> Result<Mapping, Vec<Diagnostic>> {
    let row = |construct: Construct| {
        let speaks = model.is_scoped() || model.signature.tabular().is_some();
        let scope = if speaks && construct.has_scope(model.signature) { ".s" } else { "" };
        let operation = format!("{}{scope}", construct.name(model.signature));
        format!("{operation} => {operation}\n")
    };
    let rows: String = constructs(model.signature).into_iter().map(row).collect();
    let text = format!("mapping \"a language compiled to itself\" from source to source\n{rows}");
    Mapping::between(&SourceFile::new("itself.map", text), model.clone(), model.clone())
}
