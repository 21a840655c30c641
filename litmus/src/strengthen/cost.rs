//! What strength costs. The built-in costs are no measurements: they say that a fence is dearer than an order, an order dearer
//! than none, a wider scope dearer than a narrower one. `--costs` replaces them.

use std::collections::BTreeMap;
use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile, Span, nearest};
use margay_models::execution::{Order, Scope};

use toml::Spanned;

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
                              then a point and a scope (cta, cluster, gpu, sys) or nothing: `fence.acq_rel.gpu`; C's are called the same";

/// The largest cost in a file: sums stay far from the limits of numbers.
const MAX: u32 = 1_000_000;

const ORDERS: [Order; 5] = [Order::Rlx, Order::Acq, Order::Rel, Order::AcqRel, Order::Sc];

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
    format!("{}.{}.{}", kind_name(kind), strength.order.name(), strength.scope.name())
}

/// Is there such an operation, in PTX or in C?
fn exists(kind: Kind, order: Order) -> bool {
    !matches!(
        (kind, order),
        (Kind::Load, Order::Rel | Order::AcqRel)
            | (Kind::Store, Order::Acq | Order::AcqRel)
            | (Kind::Reduction, Order::Acq | Order::AcqRel | Order::Sc)
            | (Kind::Fence, Order::Rlx)
    )
}

fn all_names() -> Vec<String> {
    let kinds = [Kind::Load, Kind::Store, Kind::Rmw, Kind::Reduction, Kind::Fence];
    // Nothing becomes weak or volatile, but tables may say what these cost.
    let mut names: Vec<String> = ["ld.weak", "ld.volatile", "st.weak", "st.volatile"].map(str::to_owned).to_vec();
    for kind in kinds {
        for order in ORDERS.into_iter().filter(|&o| exists(kind, o)) {
            names.push(format!("{}.{}", kind_name(kind), order.name()));
            names.extend(Scope::ALL.map(|scope| name(kind, Strength { order, scope })));
        }
    }
    names
}

impl Costs {
    /// Reads a table in TOML, in the form of `margay repair --costs`: `"fence.sc.gpu" = 4`. An operation without a scope stands for
    /// every scope that has no entry of its own; what is not named keeps the built-in cost.
    ///
    /// # Errors
    /// What is no table, operations that do not exist, costs that go down where strength goes up.
    pub fn parse(file: &Arc<SourceFile>) -> Result<Self, CostsError> {
        let table: BTreeMap<Spanned<String>, u32> = toml::from_str(&file.text).map_err(|e| {
            let span = e.span().map_or(Span::default(), |s| Span::new(s.start, s.end));
            let error = Diagnostic::error(format!("the costs are not a table: {}", e.message()));
            vec![error.at(file, span, "here").help("write lines like `\"fence.sc.gpu\" = 4`: an operation, and a whole number")]
        })?;
        let mut errors = Vec::new();
        let mut given: BTreeMap<String, u32> = BTreeMap::new();
        let mut places: BTreeMap<String, Span> = BTreeMap::new();
        let known = all_names();
        for (operation, &cost) in &table {
            let place = Span::new(operation.span().start, operation.span().end);
            let operation = operation.as_ref().as_str();
            if !known.iter().any(|k| k == operation) {
                let near = nearest(operation, known.iter().map(String::as_str));
                let help = near.map_or_else(|| OPERATIONS.to_owned(), |near| format!("did you mean `{near}`?"));
                let error = Diagnostic::error(format!("there is no operation `{operation}`"));
                errors.push(error.at(file, place, "unknown").help(help));
            } else if cost > MAX {
                errors.push(Diagnostic::error(format!("{cost} is too much")).at(file, place, format!("at most {MAX}")));
            } else {
                given.insert(operation.to_owned(), cost);
                places.insert(operation.to_owned(), place);
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
        let named = |k: Kind, s: Strength| {
            let full = name(k, s);
            full == operation || full.rsplit_once('.').is_some_and(|(unscoped, _)| unscoped == operation)
        };
        for &(kind, strength) in all.iter().filter(|(k, s)| named(*k, *s)) {
            let found = all
                .iter()
                .filter(|(k, s)| *k == kind && *s != strength)
                .find_map(|&(_, other)| self.inverted(kind, strength, other));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Do two strengths of a kind cost the wrong way round?
    fn inverted(&self, kind: Kind, a: Strength, b: Strength) -> Option<Diagnostic> {
        let (weak, strong) = match (a.at_most(b), b.at_most(a)) {
            (true, _) => (a, b),
            (_, true) => (b, a),
            _ => return None,
        };
        let (less, more) = (self.of(kind, strong), self.of(kind, weak));
        (less < more).then(|| {
            let (weak, strong) = (name(kind, weak), name(kind, strong));
            Diagnostic::error(format!("`{strong}` costs {less}, less than `{weak}` at {more}, which it includes"))
                .help("what is stronger must not be cheaper; name the other one too")
        })
    }

    /// The cost of an operation; weak accesses cost nothing.
    pub fn of(&self, kind: Kind, strength: Strength) -> u32 {
        if strength.order == Order::Plain {
            return 0;
        }
        let full = name(kind, strength);
        let unscoped = full.rsplit_once('.').map_or(full.as_str(), |(unscoped, _)| unscoped);
        self.given.get(&full).or_else(|| self.given.get(unscoped)).copied().unwrap_or_else(|| {
            let base = match (kind, strength.order) {
                (_, Order::Plain | Order::Tagged(_)) => 0,
                (Kind::Fence | Kind::Slot, Order::Acq | Order::Rel) => 8,
                (Kind::Fence | Kind::Slot, Order::Sc) => 20,
                (Kind::Fence | Kind::Slot, _) => 10,
                (_, Order::Rlx) => 1,
                (_, Order::Acq | Order::Rel) => 3,
                (_, Order::AcqRel) => 5,
                (_, Order::Sc) => 7,
            };
            let reach = match strength.scope {
                Scope::Warp | Scope::Cta => 1,
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
