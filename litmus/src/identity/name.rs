//! Names: that of the shape, then for each thread what its accesses are annotated with and what
//! stands between them, then where the threads run.
//! `MP+rlx.gpu-fence.sc.gpu-rlx.gpu+rlx.gpu-addr-weak@P0,P1` is message passing with a fence in the
//! writer and an address dependency in the reader, in two ctas of one gpu.

use margay_models::execution::{EventData, Kind, Order, Placement, Proxy, Scope};
use margay_models::signature::Signature;

use super::condition::ConditionQuestion;
use super::order;
use super::thread::ThreadSubject;
use super::{Detail, IdentityForm, classic, shape};
use crate::test::{Test, ThreadId};
use crate::unfold::{Path, UnfoldError, Unfolding, UnfoldingBounds};

/// What a test is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The classic name of its shape; `None` if it has none.
    pub classic: Option<&'static str>,
    /// The accesses of each thread, `WW-RR`.
    pub accesses: String,
    /// What each thread does to the shape, and where it runs, in the order of the classic shape;
    /// else in canonical order.
    pub suffix: String,
    /// The threads of the test in that order.
    pub threads: Vec<ThreadId>,
}

impl Name {
    /// The name of a test: the same for isomorphic ones.
    ///
    /// # Errors
    /// If the test cannot be unfolded.
    pub fn of(test: &Test) -> Result<Self, UnfoldError> {
        let signature = test.dialect.signature();
        let unfolding = Unfolding::new(test, signature, UnfoldingBounds::default())?;
        let question = ConditionQuestion::of(test, &unfolding);
        let segments: Vec<String> =
            (0..test.threads.len()).map(|t| segment(&unfolding, &question, t)).collect();
        let subject = ThreadSubject::new(&unfolding, question.clone(), Detail::Shape);
        let (text, order) = order::smallest(&subject);
        let known = classic::name(&IdentityForm { signature: String::new(), text: text.clone() });
        let suffix = |order: &[usize]| {
            // Thread `order[i]` plays the part that the shape's i-th thread has in the table.
            let mut placed: Vec<(usize, usize)> = match known {
                Some((_, positions)) => {
                    positions.iter().copied().zip(order.iter().copied()).collect()
                }
                None => order.iter().copied().enumerate().collect(),
            };
            placed.sort_unstable();
            let threads: Vec<usize> = placed.into_iter().map(|(_, t)| t).collect();
            let parts: Vec<&str> =
                threads.iter().map(|&t| segments[t].as_str()).filter(|s| !s.is_empty()).collect();
            // Nothing but program order is not said.
            let plain = known.is_some() && parts.iter().all(|s| *s == "po");
            let parts = if plain { String::new() } else { parts.join("+") };
            let accesses: Vec<String> =
                threads.iter().map(|&t| accesses(&unfolding, &question, t)).collect();
            (format!("{parts}{}", places(&unfolding, &threads)), accesses.join("-"), threads)
        };
        // Of the orders that make the same shape, that of the smallest suffix.
        let (suffix, accesses, threads) = order::equal(&subject, &text, &order)
            .iter()
            .map(|order| suffix(order))
            .min()
            .unwrap_or_default();
        let threads = threads.into_iter().map(|t| ThreadId(t as u16)).collect();
        Ok(Self { classic: known.map(|(name, _)| name), accesses, suffix, threads })
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.classic.unwrap_or(&self.accesses);
        if self.suffix.is_empty() || self.suffix.starts_with('@') {
            write!(f, "{name}{}", self.suffix)
        } else {
            write!(f, "{name}+{}", self.suffix)
        }
    }
}

/// Reads and writes of a thread.
fn accesses(unfolding: &Unfolding, question: &ConditionQuestion, thread: usize) -> String {
    let (paths, symbols) = unfolding.thread(thread);
    let Some(path) = shape::path(paths, symbols, question, thread) else { return String::new() };
    let counts = shape::events(path, symbols, question, thread);
    let counted = path.events.iter().zip(counts).filter(|(_, counts)| *counts);
    counted.map(|(e, _)| if e.data.kind == Kind::Read { 'R' } else { 'W' }).collect()
}

/// What a thread adds to the shape.
fn segment(unfolding: &Unfolding, question: &ConditionQuestion, thread: usize) -> String {
    let (paths, symbols) = unfolding.thread(thread);
    let Some(path) = shape::path(paths, symbols, question, thread) else { return String::new() };
    let counts = shape::events(path, symbols, question, thread);
    let mut parts: Vec<String> = Vec::new();
    let mut before: Option<usize> = None;
    let mut between: Vec<String> = Vec::new();
    for (at, e) in path.events.iter().enumerate() {
        if !counts[at] {
            // The half of a read-modify-write that does not count annotates the other one.
            if !matches!(e.data.kind, Kind::Read | Kind::Write) {
                between.extend(fence(&e.data, unfolding.signature()));
            }
            continue;
        }
        if let Some(before) = before {
            between.extend(dependencies(path, before, at));
            parts.push(if between.is_empty() { "po".to_owned() } else { between.join("-") });
        } else if !between.is_empty() {
            parts.push(between.join("-"));
        }
        between.clear();
        let read_half = e.modifies.map(|read| &path.events[usize::from(read)].data);
        parts.extend(annotation(&e.data, read_half, unfolding.signature()));
        before = Some(at);
    }
    if !between.is_empty() {
        parts.push(between.join("-"));
    }
    parts.join("-")
}

fn dependencies(path: &Path, from: usize, to: usize) -> Vec<String> {
    let event = &path.events[to];
    let of =
        [("addr", event.address_reads), ("data", event.data_reads), ("ctrl", event.control_reads)];
    of.into_iter()
        .filter(|(_, reads)| reads.contains(from))
        .map(|(name, _)| name.to_owned())
        .collect()
}

fn order_name(order: Order) -> &'static str {
    match order {
        Order::Plain => "weak",
        Order::Rlx => "rlx",
        Order::Acq => "acq",
        Order::Rel => "rel",
        Order::AcqRel => "acq_rel",
        Order::Sc => "sc",
        Order::Tagged(tags) => tags.name(),
    }
}

fn scoped(name: &str, scope: Option<Scope>, signature: Signature) -> String {
    scope.map_or_else(|| name.to_owned(), |scope| format!("{name}.{}", signature.scope_name(scope)))
}

/// An access; `None` for plain ones.
fn annotation(
    data: &EventData,
    read_half: Option<&EventData>,
    signature: Signature,
) -> Option<String> {
    let order = match (read_half.map(|r| r.order), data.order) {
        (Some(Order::Acq), Order::Rel) => Order::AcqRel,
        (Some(Order::Acq), Order::Rlx) => Order::Acq,
        (_, order) => order,
    };
    if order == Order::Plain && read_half.is_none() && data.scope.is_none() {
        return None;
    }
    let rmw = if read_half.is_some() { "rmw." } else { "" };
    let name = if data.volatile {
        "vol"
    } else if data.mmio {
        "mmio"
    } else {
        order_name(order)
    };
    Some(scoped(&format!("{rmw}{name}"), data.scope, signature))
}

fn fence(data: &EventData, signature: Signature) -> Option<String> {
    match data.kind {
        Kind::Fence if data.order == Order::Plain => Some("fence".to_owned()),
        Kind::Fence if data.proxy == Proxy::Tensormap => Some(scoped(
            &format!("fence.tensormap.{}", order_name(data.order)),
            data.scope,
            signature,
        )),
        Kind::Fence => {
            Some(scoped(&format!("fence.{}", order_name(data.order)), data.scope, signature))
        }
        Kind::ProxyFence => Some(format!("fence.{:?}", data.proxy).to_lowercase()),
        Kind::BarrierArrive => Some("arrive".to_owned()),
        Kind::BarrierWait => Some("wait".to_owned()),
        Kind::AsyncWait => Some("async-wait".to_owned()),
        Kind::Init | Kind::Read | Kind::Write => None,
    }
}

/// Where the threads run: those of one cta stand together, `,` is between ctas, `-` between
/// clusters, `.` between gpus (`+` between warps, where they are scopes).
fn places(unfolding: &Unfolding, threads: &[usize]) -> String {
    let all = unfolding.threads();
    let scopes = |t: usize| {
        let (paths, _) = unfolding.thread(t);
        paths.iter().flat_map(|p| &p.events).any(|e| e.data.scope.is_some())
    };
    let unscoped = unfolding.signature().can_be_unscoped() && !threads.iter().any(|&t| scopes(t));
    if !unfolding.signature().has_places() || unscoped || threads.len() < 2 {
        return String::new();
    }
    let own = unfolding.signature().tabular().is_some();
    let clusters = own || threads.iter().any(|&t| all[t].cluster != all[t].cta);
    let mut groups: Vec<(Placement, Vec<usize>)> = Vec::new();
    let meets = |t: usize| {
        unfolding
            .thread(t)
            .0
            .iter()
            .flat_map(|p| &p.events)
            .any(|e| e.data.scope == Some(Scope::Warp))
    };
    let warps = own || threads.iter().any(|&t| meets(t));
    for (position, &t) in threads.iter().enumerate() {
        let at = if warps { all[t] } else { Placement { warp: 0, ..all[t] } };
        match groups.iter_mut().find(|(place, _)| *place == at) {
            Some((_, group)) => group.push(position),
            None => groups.push((at, vec![position])),
        }
    }
    // Ctas of one cluster, and clusters of one gpu, next to each other, by their first thread.
    let first = |keep: &dyn Fn(&Placement) -> bool| {
        groups.iter().filter(|(p, _)| keep(p)).map(|(_, g)| g[0]).min().unwrap_or(usize::MAX)
    };
    let mut ordered: Vec<&(Placement, Vec<usize>)> = groups.iter().collect();
    ordered.sort_by_cached_key(|(p, group)| {
        (
            first(&|q| p.shares(Scope::Gpu, *q)),
            first(&|q| p.shares(Scope::Cluster, *q)),
            first(&|q| p.shares(Scope::Cta, *q)),
            group[0],
        )
    });
    let mut out = String::from("@");
    let mut last: Option<&Placement> = None;
    for (place, group) in ordered {
        if let Some(last) = last {
            out.push(match () {
                () if !last.shares(Scope::Gpu, *place) => '.',
                () if clusters && !last.shares(Scope::Cluster, *place) => '-',
                () if !last.shares(Scope::Cta, *place) => ',',
                () => '+',
            });
        }
        out.extend(group.iter().map(|t| format!("P{t}")));
        last = Some(place);
    }
    out
}
