//! What a search tries, and what it does not, in words: where nothing is found, this is what the
//! answer is about.

use margay_models::execution::{Order, Scope};
use margay_models::signature::{Construct, Operation as Kind};

use super::space::{Knows, SearchSpace, StrengtheningPlaces};
use super::{Fixed, RawSite, SiteKind, Strength};
use crate::print::{CLanguage, scope_word};
use crate::test::{AccessOrder, Dialect, Operation, Test, ThreadId};

/// What was tried, all at once and in parts, and what was not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TriedChanges {
    /// Each kind of change, with where it was tried.
    pub changes: Vec<String>,
    /// Each kind of change that was left out.
    pub left_out: Vec<String>,
}

pub(super) fn of(
    test: &Test,
    space: &SearchSpace,
    raw: &[RawSite],
    knows: &Knows,
    places: StrengtheningPlaces,
) -> TriedChanges {
    let mut tried = TriedChanges::default();
    let words = Words { test, language: knows.language };
    let count = |is: &dyn Fn(SiteKind) -> bool| space.sites().iter().filter(|s| is(s.kind)).count();
    let fences = count(&|kind| kind == SiteKind::Slot(0));
    let scopes: Vec<String> =
        knows.named_scopes(test).into_iter().map(|s| format!("`{}`", words.scope(s))).collect();
    if fences > 0 {
        let kinds = words.fences(space);
        let scopes = match scopes.len() {
            0 => String::new(),
            1 => format!(" of scope {}", scopes[0]),
            _ => format!(" of the scopes {}", listed(&scopes)),
        };
        let here = match places {
            StrengtheningPlaces::Between => {
                "between two accesses or barriers, loops and both sides of branches included"
            }
            StrengtheningPlaces::All => "of a thread, its beginning and its end included",
        };
        tried.changes.push(format!(
            "{}{scopes} at each of {} {here}",
            listed(&kinds),
            number(fences, "place")
        ));
    }
    for kind in space.proxies() {
        let of_it = count(&|k| k == SiteKind::ProxySlot(*kind)) / 2;
        tried.changes.push(format!(
            "`fence.proxy.{}` at each of {}, before and behind a fence there",
            kind.name(),
            number(of_it, "place")
        ));
    }
    let accesses = count(&|k| {
        matches!(k, SiteKind::Load | SiteKind::Store | SiteKind::Rmw | SiteKind::Reduction)
    });
    let what = if scopes.is_empty() {
        "every stronger order"
    } else {
        "every stronger order and wider scope"
    };
    if accesses > 0 {
        let atomic =
            if test.dialect == Dialect::C { ", plain accesses made atomic included" } else { "" };
        tried
            .changes
            .push(format!("{what} of {} that can have one{atomic}", number(accesses, "access")));
    }
    let there = count(&|k| k == SiteKind::Fence);
    if there > 0 {
        tried.changes.push(format!(
            "{what} of {} that {} there",
            number(there, "fence"),
            if there == 1 { "is" } else { "are" }
        ));
    }
    let arrivals = count(&|k| k == SiteKind::Arrival);
    if arrivals > 0 {
        tried.changes.push(format!(
            "`barrier.cluster.arrive` without `.relaxed`, {}",
            number(arrivals, "time")
        ));
    }
    tried.left_out = words.left_out(raw, knows);
    tried
}

/// `a`, `a and b`, `a, b and c`
fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

fn number(n: usize, of: &str) -> String {
    match (n, of) {
        (1, _) => format!("1 {of}"),
        (_, "access") => format!("{n} accesses"),
        _ => format!("{n} {of}s"),
    }
}

/// The words of a test.
struct Words<'a> {
    test: &'a Test,
    language: CLanguage,
}

impl Words<'_> {
    fn scope(&self, scope: Scope) -> String {
        match self.test.dialect {
            Dialect::C => scope_word(self.language, scope).to_owned(),
            Dialect::Text(architecture) => architecture.scope_name(scope).to_owned(),
            Dialect::Ptx | Dialect::GpuPtx | Dialect::Generic => scope.name().to_owned(),
        }
    }

    /// The fences that may be added, without scopes.
    fn fences(&self, space: &SearchSpace) -> Vec<String> {
        let slots = space
            .sites()
            .iter()
            .zip(space.options())
            .filter(|(site, _)| matches!(site.kind, SiteKind::Slot(_)));
        let mut found: Vec<String> = Vec::new();
        for s in slots.flat_map(|(_, options)| options) {
            let name = self.fence(*s);
            if !found.contains(&name) {
                found.push(name);
            }
        }
        found
    }

    fn fence(&self, s: Strength) -> String {
        match self.test.dialect {
            Dialect::Ptx => format!("`fence.{}`", s.order.name()),
            Dialect::GpuPtx => "`membar`".to_owned(),
            Dialect::Generic => "`fence`".to_owned(),
            Dialect::Text(architecture) => {
                let name =
                    architecture.mnemonic(Construct { operation: Kind::Fence, order: s.order });
                format!("`{}`", name.unwrap_or_default())
            }
            Dialect::C => {
                let order = match s.order {
                    Order::Acq => "acquire",
                    Order::Rel => "release",
                    Order::AcqRel => "acq_rel",
                    _ => "seq_cst",
                };
                format!("`{order}` fences")
            }
        }
    }

    fn left_out(&self, raw: &[RawSite], knows: &Knows) -> Vec<String> {
        let mut out = Vec::new();
        let means = knows.means;
        for (tried, what) in [
            (means.fences, "fences"),
            (means.orders, "stronger orders"),
            (means.scopes, "wider scopes"),
        ] {
            if !tried && (knows.scoped || what != "wider scopes") {
                out.push(format!("{what} (`--use`)"));
            }
        }
        if self.test.dialect == Dialect::GpuPtx && means.orders {
            out.push("orders of accesses, which the form of 2015 does not have".to_owned());
        }
        if matches!(self.test.dialect, Dialect::Ptx | Dialect::GpuPtx) {
            let accesses = self.instructions().filter_map(|i| i.memory());
            let (mut mapped, mut other) = (0, 0);
            for (access, _) in accesses {
                mapped += usize::from(access.order == Some(AccessOrder::Mmio));
                other += usize::from(access.proxy != margay_models::execution::Proxy::Generic);
            }
            if mapped > 0 {
                out.push(format!(
                    "orders of {} that {} `.mmio`",
                    number(mapped, "access"),
                    if mapped == 1 { "is" } else { "are" }
                ));
            }
            if other > 0 {
                out.push(format!(
                    "orders of {} through other proxies, which have none",
                    number(other, "access")
                ));
            }
            let barrier = |o: &Operation| matches!(o, Operation::Barrier { .. });
            if self.instructions().any(barrier) {
                out.push("orders of the barriers of a cta, which have none".to_owned());
            }
            if self
                .instructions()
                .any(|o| matches!(o, Operation::Mbarrier(_) | Operation::AsyncArrive { .. }))
            {
                out.push("orders and scopes of operations on mbarriers".to_owned());
            }
            if self.instructions().any(Operation::is_asynchronous) {
                out.push("more waits for asynchronous operations".to_owned());
                out.push("`fence.mbarrier_init`, fences with `.sync_restrict`, of tensor maps, and of `tcgen05`".to_owned());
            }
            out.push("more barriers".to_owned());
        }
        if self.test.dialect == Dialect::C {
            if raw.iter().any(|s| s.fixed == Fixed::Order) {
                out.push(
                    "orders of `atomicCAS`, `atomicInc` and `atomicDec`, which are relaxed"
                        .to_owned(),
                );
            }
            if raw.iter().any(|s| s.fixed == Fixed::ExpectedValue) {
                out.push("atomic accesses to the expected value of a compare-exchange".to_owned());
            }
        }
        out.push("dependencies".to_owned());
        out.push("another instruction in place of one that is there".to_owned());
        out
    }

    fn instructions(&self) -> impl Iterator<Item = &Operation> {
        (0..self.test.threads.len())
            .flat_map(|t| self.test.instructions(ThreadId(t as u16)))
            .map(|i| &i.operation)
    }
}
