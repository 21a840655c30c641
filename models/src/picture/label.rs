//! Names and labels of events and threads, in the notation of each signature.

use crate::bits::Event;
use crate::execution::{EventData, Execution, Kind, Order, Proxy, Scope, Spaces};
use crate::mbarrier::Mbarrier;
use crate::signature::{Architecture, BaseSet, Construct, Operation};

/// `a`, `b`, ... for events of threads; `ix` for the initial write of `x`.
pub fn event_name(execution: &Execution, event: Event) -> String {
    let data = &execution.events[event.index()];
    if data.thread.is_none() {
        return format!("i{}", location(execution, data));
    }
    letters(event.index())
}

/// `a` to `z`, then `a1` and so on.
fn letters(index: usize) -> String {
    let letter = char::from(b'a' + (index % 26) as u8);
    if index < 26 { letter.to_string() } else { format!("{letter}{}", index / 26) }
}

fn location<'a>(execution: &'a Execution, data: &EventData) -> &'a str {
    data.location
        .and_then(|l| execution.locations.get(usize::from(l)))
        .map_or("?", |l| l.name.as_str())
}

/// What the event does: `W.REL.gpu x=1`, `fence.sc.gpu`, `ld.acquire.gpu x=0`.
pub fn event_label(execution: &Execution, event: Event) -> String {
    let data = &execution.events[event.index()];
    let access = match (data.location, data.value) {
        (None, _) => String::new(),
        (Some(_), Some(value)) if data.mbarrier => {
            format!(" {} {}", location(execution, data), Mbarrier(value))
        }
        (Some(_), Some(value)) => format!(" {}={value}", location(execution, data)),
        (Some(_), None) => format!(" {}", location(execution, data)),
    };
    if data.kind == Kind::Init {
        return format!("init{access}");
    }
    let rmw = half_of(execution, event).is_some();
    let head = match execution.signature.front_end() {
        None => instruction(execution, event, execution.signature),
        Some("ptx") => ptx(data, rmw),
        Some(_) => {
            let kind = match data.kind {
                Kind::Read => "R",
                Kind::Write | Kind::Init => "W",
                Kind::Fence | Kind::ProxyFence => "F",
                Kind::BarrierArrive | Kind::BarrierWait => "B",
                Kind::AsyncWait => "wait",
            };
            let plain_set = BaseSet::Na.is_in(execution.signature).then_some(BaseSet::Na);
            let order = match (plain_set, data.order, data.kind) {
                (Some(set), Order::Plain, Kind::Read | Kind::Write) => format!(".{}", set.name()),
                (_, Order::Plain, _) => String::new(),
                (_, order, _) => format!(".{}", order.tag()),
            };
            format!("{kind}{order}{}", scope(data))
        }
    };
    format!("{head}{access}")
}

fn scope(data: &EventData) -> String {
    data.scope.map_or_else(String::new, |s| format!(".{}", Scope::name(s)))
}

/// The read-modify-write that an event is a half of.
fn half_of(execution: &Execution, event: Event) -> Option<(Event, Event)> {
    let write = execution.rmw.row(event).iter().next().map(|write| (event, write));
    let reads = || (0..execution.size()).map(Event::from);
    write.or_else(|| {
        reads().find(|&read| execution.rmw.contains(read, event)).map(|read| (read, event))
    })
}

/// The mnemonic of the instruction that makes the event; its halves have `-R` and `-W` behind it.
fn instruction(execution: &Execution, event: Event, architecture: Architecture) -> String {
    let order = |e: Event| execution.events[e.index()].order;
    let scope = execution.events[event.index()].scope;
    let single = |operation: Operation| {
        architecture.written(Construct { operation, order: order(event) }, scope)
    };
    let half = |read: Event, write: Event, half: &str| {
        let whole = architecture.whole(order(read), order(write))?;
        Some(format!("{}-{half}", architecture.written(whole, scope)?))
    };
    let pair = half_of(execution, event);
    let of = |operation: Operation| single(operation).unwrap_or_else(|| operation.to_string());
    match (pair, execution.events[event.index()].kind) {
        (Some((r, w)), Kind::Read) => half(r, w, "R").unwrap_or_else(|| of(Operation::Read)),
        (Some((r, w)), _) => half(r, w, "W").unwrap_or_else(|| of(Operation::Write)),
        (None, Kind::Read) => of(Operation::Read),
        (None, Kind::Write | Kind::Init) => of(Operation::Write),
        (None, _) => of(Operation::Fence),
    }
}

fn ptx(data: &EventData, rmw: bool) -> String {
    let order = data.order.name();
    let order = if data.mmio { "mmio.relaxed" } else { order };
    match data.kind {
        Kind::Read | Kind::Write if data.mbarrier => {
            let name = match (data.kind, data.operation, rmw) {
                (Kind::Read, None, false) => "mbarrier.wait",
                (Kind::Read, None, true) => "mbarrier.arrive-R",
                (Kind::Read, Some(_), _) => "complete-R",
                (_, None, true) => "mbarrier.arrive-W",
                (_, None, false) => "mbarrier.init",
                (_, Some(_), _) => "complete-W",
            };
            format!("{name}.{order}{}", scope(data))
        }
        Kind::Read | Kind::Write if data.reduction => {
            format!(
                "red-{}.{order}{}",
                if data.kind == Kind::Read { 'R' } else { 'W' },
                scope(data)
            )
        }
        Kind::Read if rmw || data.compare => format!("atom-R.{order}{}", scope(data)),
        Kind::Write if rmw => format!("atom-W.{order}{}", scope(data)),
        Kind::Read | Kind::Write if data.volatile => {
            format!("{}.volatile", if data.kind == Kind::Read { "ld" } else { "st" })
        }
        Kind::Read => {
            let name = match data.proxy {
                Proxy::Generic | Proxy::Alias => "ld",
                Proxy::Surface => "suld",
                Proxy::Texture => "tld",
                Proxy::Constant => "cld",
                Proxy::Async => "async-ld",
                Proxy::Tensormap => "tensormap-ld",
            };
            format!("{name}.{order}{}", scope(data))
        }
        Kind::Write | Kind::Init => {
            let name = match data.proxy {
                Proxy::Surface => "sust",
                Proxy::Async => "async-st",
                _ => "st",
            };
            format!("{name}.{order}{}", scope(data))
        }
        Kind::AsyncWait => "wait for asynchronous operations".to_owned(),
        Kind::ProxyFence if data.mbarrier => "fence.mbarrier_init.release.cluster".to_owned(),
        Kind::Fence if data.proxy == Proxy::Tensormap => {
            format!("fence.proxy.tensormap::generic.{order}{}", scope(data))
        }
        // The two that there are: one releases what is in the shared memory of the cta, one
        // acquires what is in that of the cluster.
        Kind::Fence if data.spaces.contains(Spaces::SHARED) => {
            let proxy = if data.proxy == Proxy::Async { "proxy.async::generic." } else { "" };
            let space = if data.order == Order::Rel { "cta" } else { "cluster" };
            format!("fence.{proxy}{order}.sync_restrict::shared::{space}{}", scope(data))
        }
        Kind::Fence if data.proxy == Proxy::Async => {
            format!(
                "tcgen05.fence::{}_thread_sync",
                if data.order == Order::Rel { "before" } else { "after" }
            )
        }
        Kind::Fence => format!("fence.{order}{}", scope(data)),
        Kind::ProxyFence => {
            let proxy = match data.proxy {
                Proxy::Generic | Proxy::Alias => "alias",
                Proxy::Surface => "surface",
                Proxy::Texture => "texture",
                Proxy::Constant => "constant",
                Proxy::Async if !data.spaces.contains(Spaces::GLOBAL) => "async.shared::cta",
                Proxy::Async if !data.spaces.contains(Spaces::SHARED) => "async.global",
                Proxy::Async => "async",
                Proxy::Tensormap => "tensormap::generic",
            };
            format!("fence.proxy.{proxy}")
        }
        Kind::BarrierArrive if data.is_exit() => match data.scope {
            Some(Scope::Cluster) => "end, lets pass barrier.cluster".to_owned(),
            _ => format!("end, lets pass bar {}", data.barrier.unwrap_or(0)),
        },
        Kind::BarrierArrive | Kind::BarrierWait if data.scope == Some(Scope::Sys) => {
            let number = data.barrier.unwrap_or(0);
            let what = if number.is_multiple_of(2) { "start" } else { "end" };
            let verb = if data.kind == Kind::BarrierArrive { "" } else { "after the " };
            format!("{verb}{what} of kernel {}", number / 2)
        }
        Kind::BarrierArrive if data.scope == Some(Scope::Warp) => {
            format!("lanes arrive {}", data.barrier.unwrap_or(0))
        }
        Kind::BarrierWait if data.scope == Some(Scope::Warp) => {
            format!("lanes meet {}", data.barrier.unwrap_or(0))
        }
        Kind::BarrierArrive => format!("bar.arrive {}", data.barrier.unwrap_or(0)),
        Kind::BarrierWait => format!("bar.wait {}", data.barrier.unwrap_or(0)),
    }
}

/// Do scopes or barriers play a part, so that it matters where threads run? To operations of a
/// language that all are of every thread's scope, as those of C that name none, it does not.
fn placed(execution: &Execution) -> bool {
    let is_of_all = |scope| scope == Scope::Sys && execution.signature.front_end() == Some("c");
    execution
        .events
        .iter()
        .any(|e| e.scope.is_some_and(|scope| !is_of_all(scope)) || e.barrier.is_some())
}

/// Does a scope play a part: do operations have it, and are threads in several of its groups?
fn plays_a_part(execution: &Execution, scope: Scope) -> bool {
    execution.events.iter().any(|e| e.scope == Some(scope))
        && execution.threads.windows(2).any(|p| p[0].number(scope) != p[1].number(scope))
}

/// The levels that are drawn and named, narrowest first, but for that of all threads: those of the
/// architecture. One that not every model knows (clusters of PTX and C++) only where it plays a
/// part.
pub(super) fn levels(execution: &Execution) -> Vec<(Scope, &'static str)> {
    let signature = execution.signature;
    let optional = signature.optional_scope().is_none_or(|scope| plays_a_part(execution, scope));
    let drawn =
        signature.scopes(optional).iter().filter(|&&s| s != Scope::Sys && placed(execution));
    drawn.map(|&s| (s, signature.scope_name(s))).collect()
}

/// Where a thread runs: `gpu 0, cta 1`, with the cluster where threads are in several; empty where
/// placement plays no part.
pub fn placement_label(execution: &Execution, thread: usize) -> String {
    let Some(p) = execution.threads.get(thread) else { return String::new() };
    const HOST: u16 = u16::MAX;
    if p.kernel == HOST && p.gpu == HOST {
        return "host".to_owned();
    }
    let kernel = execution
        .threads
        .iter()
        .any(|q| q.kernel != p.kernel)
        .then(|| format!("kernel {}", p.kernel));
    let levels = levels(execution);
    let levels = kernel
        .into_iter()
        .chain(levels.iter().rev().map(|(scope, name)| format!("{name} {}", p.number(*scope))));
    levels.collect::<Vec<_>>().join(", ")
}
