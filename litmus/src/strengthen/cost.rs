//! What strength costs. The built-in costs are no measurements: they say that a fence is dearer than an order, an order dearer
//! than none, a wider scope dearer than a narrower one. `--costs` replaces them.

use std::collections::BTreeMap;
use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile, Span, nearest};
use margay_models::execution::{Order, Scope};

use super::{Kind, Site, Strength};

/// The cost of each operation.
#[derive(Debug, Clone, Default)]
pub struct Costs {
    given: BTreeMap<String, u32>,
}

/// What is wrong with a file of costs.
pub type CostsError = Vec<Diagnostic>;

/// The form of the names of operations.
pub const OPERATIONS: &str = "operations are ld, st, atom, red or fence, then a point and an order (relaxed, acquire, release, acq_rel, sc), \
                              then a point and a scope (cta, cluster, gpu, sys): `fence.acq_rel.gpu`; C's are called the same";

/// The largest cost in a file: sums stay far from the limits of numbers.
const MAX: u32 = 1_000_000;

const ORDERS: [Order; 5] = [Order::Rlx, Order::Acq, Order::Rel, Order::AcqRel, Order::Sc];

fn order_name(order: Order) -> &'static str {
    match order {
        Order::Plain => "weak",
        Order::Rlx => "relaxed",
        Order::Acq => "acquire",
        Order::Rel => "release",
        Order::AcqRel => "acq_rel",
        Order::Sc => "sc",
    }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Load => "ld",
        Kind::Store => "st",
        Kind::Rmw => "atom",
        Kind::Reduction => "red",
        Kind::Fence | Kind::Slot => "fence",
    }
}

/// The name of an operation, `ld.acquire.gpu`.
pub fn name(kind: Kind, strength: Strength) -> String {
    format!("{}.{}.{}", kind_name(kind), order_name(strength.order), strength.scope.name())
}

/// Is there such an operation, in PTX or in C?
fn exists(kind: Kind, order: Order) -> bool {
    match (kind, order) {
        (Kind::Load, Order::Rel | Order::AcqRel) | (Kind::Store, Order::Acq | Order::AcqRel) => false,
        (Kind::Reduction, Order::Acq | Order::AcqRel | Order::Sc) => false,
        (Kind::Fence, Order::Rlx) => false,
        _ => true,
    }
}

fn all_names() -> Vec<String> {
    let kinds = [Kind::Load, Kind::Store, Kind::Rmw, Kind::Reduction, Kind::Fence];
    let mut names = Vec::new();
    for kind in kinds {
        for order in ORDERS.into_iter().filter(|&o| exists(kind, o)) {
            names.extend(Scope::ALL.map(|scope| name(kind, Strength { order, scope })));
        }
    }
    names
}

impl Costs {
    /// Reads a file: in each line an operation and its cost, a whole number from 0; `#` starts a comment. What it does not
    /// name keeps the built-in cost.
    ///
    /// # Errors
    /// Operations that do not exist, numbers that are none, an operation twice.
    pub fn parse(file: &Arc<SourceFile>) -> Result<Self, CostsError> {
        let mut errors = Vec::new();
        let mut given: BTreeMap<String, u32> = BTreeMap::new();
        let mut places: BTreeMap<String, Span> = BTreeMap::new();
        let known = all_names();
        let mut start = 0;
        for line in file.text.split_inclusive('\n') {
            let text = line.split('#').next().unwrap_or_default();
            let line_start = start;
            let mut words = text.split_whitespace().map(|word| {
                let at = line_start + (word.as_ptr() as usize - line.as_ptr() as usize);
                (word, Span::new(at, at + word.len()))
            });
            start += line.len();
            let Some((operation, place)) = words.next() else { continue };
            if !known.iter().any(|k| k == operation) {
                let near = nearest(operation, known.iter().map(String::as_str));
                let help = near.map_or_else(|| OPERATIONS.to_owned(), |near| format!("did you mean `{near}`?"));
                let error = Diagnostic::error(format!("there is no operation `{operation}`"));
                errors.push(error.at(file, place, "unknown").help(help));
                continue;
            }
            let cost = words.next();
            let Some((word, at)) = cost else {
                errors.push(Diagnostic::error(format!("`{operation}` has no cost")).at(file, place, "a number must follow"));
                continue;
            };
            match word.parse::<u32>() {
                Ok(cost) if cost <= MAX => {
                    places.insert(operation.to_owned(), place);
                    if given.insert(operation.to_owned(), cost).is_some() {
                        errors.push(Diagnostic::error(format!("`{operation}` has two costs")).at(file, place, "the second one"));
                    }
                }
                _ => errors.push(Diagnostic::error(format!("`{word}` is no cost")).at(
                    file,
                    at,
                    format!("expected a whole number from 0 to {MAX}"),
                )),
            }
            if let Some((word, at)) = words.next() {
                errors.push(Diagnostic::error(format!("`{word}` is too much")).at(file, at, "expected the end of the line"));
            }
        }
        let costs = Self { given };
        for (operation, place) in &places {
            if let Some(error) = costs.cheaper_than_weaker(operation) {
                errors.push(error.at(file, *place, "this cost"));
            }
        }
        if errors.is_empty() { Ok(costs) } else { Err(errors) }
    }

    /// Costs must go up with strength: does the named operation cost less than one that it includes, or more than one that
    /// includes it?
    fn cheaper_than_weaker(&self, operation: &str) -> Option<Diagnostic> {
        let kinds = [Kind::Load, Kind::Store, Kind::Rmw, Kind::Reduction, Kind::Fence];
        let all: Vec<(Kind, Strength)> = kinds
            .into_iter()
            .flat_map(|k| ORDERS.into_iter().flat_map(move |order| Scope::ALL.map(|scope| (k, Strength { order, scope }))))
            .filter(|&(k, s)| exists(k, s.order))
            .collect();
        let (kind, strength) = *all.iter().find(|(k, s)| name(*k, *s) == operation)?;
        let same = all.iter().filter(|(k, s)| *k == kind && *s != strength);
        for &(_, other) in same {
            let (weak, strong) = match (strength.at_most(other), other.at_most(strength)) {
                (true, _) => (strength, other),
                (_, true) => (other, strength),
                _ => continue,
            };
            if self.of(kind, strong) < self.of(kind, weak) {
                let (weak_name, strong_name) = (name(kind, weak), name(kind, strong));
                let (less, more) = (self.of(kind, strong), self.of(kind, weak));
                let message = format!("`{strong_name}` costs {less}, less than `{weak_name}` at {more}, which it includes");
                return Some(Diagnostic::error(message).help("what is stronger must not be cheaper; name the other one too"));
            }
        }
        None
    }

    /// The cost of an operation; weak accesses cost nothing.
    pub fn of(&self, kind: Kind, strength: Strength) -> u32 {
        if strength.order == Order::Plain {
            return 0;
        }
        self.given.get(&name(kind, strength)).copied().unwrap_or_else(|| {
            let base = match (kind, strength.order) {
                (_, Order::Plain) => 0,
                (Kind::Fence | Kind::Slot, Order::Acq | Order::Rel) => 8,
                (Kind::Fence | Kind::Slot, Order::Sc) => 20,
                (Kind::Fence | Kind::Slot, _) => 10,
                (_, Order::Rlx) => 1,
                (_, Order::Acq | Order::Rel) => 3,
                (_, Order::AcqRel) => 5,
                (_, Order::Sc) => 7,
            };
            let reach = match strength.scope {
                Scope::Cta => 1,
                Scope::Cluster => 2,
                Scope::Gpu => 3,
                Scope::Sys => 4,
            };
            base * reach
        })
    }

    /// What it costs more to make a site so strong; at least 1, so that nothing is made stronger without need.
    pub fn extra(&self, site: &Site, strength: Strength) -> u32 {
        let before = site.now.map_or(0, |now| self.of(site.kind, now));
        self.of(site.kind, strength).saturating_sub(before).max(1)
    }
}
