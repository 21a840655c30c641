//! What strength costs. The built-in costs are no measurements: they say that a fence is dearer
//! than an order, an order dearer than none, a wider scope dearer than a narrower one. `--costs`
//! replaces them.

use std::collections::BTreeMap;
use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile, Span, nearest};
use margay_models::execution::{Order, Scope};

use margay_models::signature::{Architecture, Construct};

use toml::Spanned;

use super::{Site, SiteKind, Strength, text};
use crate::test::{Dialect, ProxyFenceKind};

/// The cost of each operation.
#[derive(Debug, Clone, Default)]
pub struct Costs {
    given: BTreeMap<String, u32>,
    /// Whose instructions the names are; `None` for those of PTX and C.
    architecture: Option<Architecture>,
}

/// What is wrong with a file of costs.
pub type CostsError = Vec<Diagnostic>;

/// The form of the names of operations.
pub const OPERATIONS: &str = "operations are ld, st, atom, red or fence, then a point and an order (relaxed, acquire, release, acq_rel, sc), \
                              then a point and a scope (cta, cluster, gpu, sys) or nothing: `fence.acq_rel.gpu`; C's are called the same; also \
                              fence.proxy.constant and its kin, barrier.cluster.arrive and barrier.cluster.arrive.relaxed";

/// The largest cost in a file: sums stay far from the limits of numbers.
const MAX: u32 = 1_000_000;

const ORDERS: [Order; 5] = [Order::Rlx, Order::Acq, Order::Rel, Order::AcqRel, Order::Sc];

fn kind_name(kind: SiteKind) -> &'static str {
    match kind {
        SiteKind::Load => "ld",
        SiteKind::Store => "st",
        SiteKind::Rmw => "atom",
        SiteKind::Reduction => "red",
        SiteKind::Fence | SiteKind::Slot(_) | SiteKind::ProxySlot(_) => "fence",
        SiteKind::Arrival => "barrier.cluster.arrive",
    }
}

/// The names of an operation, with its scope and without: `ld.acquire.gpu`, `ld.acquire`; of an
/// architecture that is a text `dmb.ish`.
fn names(kind: SiteKind, strength: Strength, architecture: Option<Architecture>) -> [String; 2] {
    let Some(architecture) = architecture else {
        let unscoped = match kind {
            SiteKind::ProxySlot(kind) => Some(format!("fence.proxy.{}", kind.name())),
            SiteKind::Arrival if strength.order == Order::Rlx => {
                Some("barrier.cluster.arrive.relaxed".to_owned())
            }
            SiteKind::Arrival => Some("barrier.cluster.arrive".to_owned()),
            _ => None,
        };
        if let Some(name) = unscoped {
            return [name.clone(), name];
        }
        let unscoped = format!("{}.{}", kind_name(kind), strength.order.name());
        return [format!("{unscoped}.{}", strength.scope.name()), unscoped];
    };
    let construct =
        text::operation(kind).map(|operation| Construct { operation, order: strength.order });
    let unscoped = construct.and_then(|c| architecture.mnemonic(c)).unwrap_or_default().to_owned();
    match construct.is_some_and(|c| c.has_scope(architecture)) {
        true => [format!("{unscoped}.{}", architecture.scope_name(strength.scope)), unscoped],
        false => [unscoped.clone(), unscoped],
    }
}

/// Every operation.
fn all(architecture: Option<Architecture>) -> Vec<(SiteKind, Strength)> {
    let kinds =
        [SiteKind::Load, SiteKind::Store, SiteKind::Rmw, SiteKind::Reduction, SiteKind::Fence];
    let of = |kind: SiteKind| match architecture {
        Some(architecture) => text::strengths(architecture, kind, architecture.scopes(true)),
        None => {
            let orders = ORDERS.into_iter().filter(|&order| exists(kind, order));
            orders.flat_map(|order| Scope::ALL.map(|scope| Strength { order, scope })).collect()
        }
    };
    let mut all: Vec<(SiteKind, Strength)> = kinds
        .into_iter()
        .flat_map(|kind| of(kind).into_iter().map(move |strength| (kind, strength)))
        .collect();
    if architecture.is_none() {
        let at = |order| Strength { order, scope: Scope::Cluster };
        all.extend(ProxyFenceKind::ALL.map(|kind| (SiteKind::ProxySlot(kind), at(Order::Plain))));
        all.extend([Order::Rlx, Order::Rel].map(|order| (SiteKind::Arrival, at(order))));
    }
    all
}

/// Is there such an operation, in PTX or in C?
fn exists(kind: SiteKind, order: Order) -> bool {
    !matches!(
        (kind, order),
        (SiteKind::Load, Order::Rel | Order::AcqRel)
            | (SiteKind::Store, Order::Acq | Order::AcqRel)
            | (SiteKind::Reduction, Order::Acq | Order::AcqRel | Order::Sc)
            | (SiteKind::Fence, Order::Rlx)
    )
}

fn all_names(architecture: Option<Architecture>) -> Vec<String> {
    // Nothing becomes weak or volatile, but tables may say what these cost.
    let others = ["ld.weak", "ld.volatile", "st.weak", "st.volatile"]
        .into_iter()
        .filter(|_| architecture.is_none());
    let all = all(architecture)
        .into_iter()
        .flat_map(|(kind, strength)| names(kind, strength, architecture));
    others.map(str::to_owned).chain(all).collect()
}

impl Costs {
    /// Reads a table in TOML, in the form of `margay repair --costs`: `"fence.sc.gpu" = 4`. An
    /// operation without a scope stands for every scope that has no entry of its own; what is not
    /// named keeps the built-in cost. Operations are those of tests of a dialect.
    ///
    /// # Errors
    /// What is no table, operations that do not exist, costs that go down where strength goes up.
    pub fn parse(file: &Arc<SourceFile>, dialect: Dialect) -> Result<Self, CostsError> {
        let architecture =
            if let Dialect::Text(architecture) = dialect { Some(architecture) } else { None };
        let table: BTreeMap<Spanned<String>, u32> = toml::from_str(&file.text).map_err(|e| {
            let span = e.span().map_or(Span::default(), |s| Span::new(s.start, s.end));
            let error = Diagnostic::error(format!("the costs are not a table: {}", e.message()));
            vec![
                error.at(file, span, "here").help(
                    "write lines like `\"fence.sc.gpu\" = 4`: an operation, and a whole number",
                ),
            ]
        })?;
        let mut errors = Vec::new();
        let mut given: BTreeMap<String, u32> = BTreeMap::new();
        let mut places: BTreeMap<String, Span> = BTreeMap::new();
        let known = all_names(architecture);
        for (operation, &cost) in &table {
            let place = Span::new(operation.span().start, operation.span().end);
            let operation = operation.as_ref().as_str();
            if !known.iter().any(|k| k == operation) {
                let near = nearest(operation, known.iter().map(String::as_str));
                let operations = architecture.map_or_else(
                    || OPERATIONS.to_owned(),
                    |a| format!("operations of {a}: {}", known.join(", ")),
                );
                let help = near.map_or(operations, |near| format!("did you mean `{near}`?"));
                let error = Diagnostic::error(format!("there is no operation `{operation}`"));
                errors.push(error.at(file, place, "unknown").help(help));
            } else if cost > MAX {
                errors.push(Diagnostic::error(format!("{cost} is too much")).at(
                    file,
                    place,
                    format!("at most {MAX}"),
                ));
            } else {
                given.insert(operation.to_owned(), cost);
                places.insert(operation.to_owned(), place);
            }
        }
        let costs = Self { given, architecture };
        for (operation, place) in &places {
            if let Some(error) = costs.cheaper_than_weaker(operation) {
                errors.push(error.at(file, *place, "this cost"));
            }
        }
        if errors.is_empty() { Ok(costs) } else { Err(errors) }
    }

    /// Costs must go up with strength: does the named operation cost less than one that it
    /// includes, or more than one that includes it?
    fn cheaper_than_weaker(&self, operation: &str) -> Option<Diagnostic> {
        let all = all(self.architecture);
        let named = |k: SiteKind, s: Strength| {
            names(k, s, self.architecture).iter().any(|name| name == operation)
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
    fn inverted(&self, kind: SiteKind, a: Strength, b: Strength) -> Option<Diagnostic> {
        let (weak, strong) = match (a.at_most(b), b.at_most(a)) {
            (true, _) => (a, b),
            (_, true) => (b, a),
            _ => return None,
        };
        let (less, more) = (self.of(kind, strong, true), self.of(kind, weak, true));
        (less < more).then(|| {
            let [weak, strong] =
                [weak, strong].map(|s| names(kind, s, self.architecture)[0].clone());
            Diagnostic::error(format!(
                "`{strong}` costs {less}, less than `{weak}` at {more}, which it includes"
            ))
            .help("what is stronger must not be cheaper; name the other one too")
        })
    }

    /// The cost of an operation. Weak accesses cost nothing, unless a table says so. `scoped`: are
    /// there scopes, in the model and in the program's language? If not, no cost depends on one.
    pub fn of(&self, kind: SiteKind, strength: Strength, scoped: bool) -> u32 {
        let is_fence = matches!(kind, SiteKind::Fence | SiteKind::Slot(_) | SiteKind::ProxySlot(_));
        if strength.order == Order::Plain && !is_fence && self.architecture.is_none() {
            return self.given.get(&format!("{}.weak", kind_name(kind))).copied().unwrap_or(0);
        }
        let [full, unscoped] = names(kind, strength, self.architecture);
        let given = self.given.get(&full).filter(|_| scoped).or_else(|| self.given.get(&unscoped));
        given.copied().unwrap_or_else(|| {
            let base = match (kind, strength.order) {
                (SiteKind::ProxySlot(_), _) => return PROXY_FENCE,
                // Of a machine that is a text: for each tag, and each that is weaker.
                (SiteKind::Fence | SiteKind::Slot(_), Order::Plain | Order::Tagged(_)) => {
                    8 + 2 * strength.order.rank()
                }
                (_, Order::Plain | Order::Tagged(_)) => 2 * strength.order.rank(),
                (SiteKind::Fence | SiteKind::Slot(_), Order::Acq | Order::Rel) => 8,
                (SiteKind::Fence | SiteKind::Slot(_), Order::Sc) => 20,
                (SiteKind::Fence | SiteKind::Slot(_), Order::AcqRel) => 10,
                // A relaxed fence of C does nothing.
                (SiteKind::Fence | SiteKind::Slot(_), Order::Rlx) => 0,
                (_, Order::Rlx) => 1,
                (_, Order::Acq | Order::Rel) => 3,
                (_, Order::AcqRel) => 5,
                (_, Order::Sc) => 7,
            };
            let reach = match strength.scope {
                _ if !scoped => 1,
                Scope::Warp | Scope::Cta => 1,
                Scope::Cluster => 2,
                Scope::Gpu => 3,
                Scope::Sys => 4,
            };
            base * reach
        })
    }

    /// What it costs more to make a site so strong; at least 1, so that nothing is made stronger
    /// without need. A fence that is added where the thread can come back to it costs 1 more:
    /// beside the loop it is executed once.
    pub fn extra(&self, site: &Site, strength: Strength, scoped: bool) -> u32 {
        let before = site.now.map_or(0, |now| self.of(site.kind, now, scoped));
        let repeated = if site.repeats { REPEATED } else { 0 };
        self.of(site.kind, strength, scoped).saturating_sub(before).max(1) + repeated
    }
}

/// What a proxy fence costs; it has no scope.
const PROXY_FENCE: u32 = 10;

/// What a fence in a loop costs more than one beside it.
const REPEATED: u32 = 1;
