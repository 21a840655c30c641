//! From an execution to its litmus test: the program and outcome that a person would write down for
//! it.
//!
//! The k-th write to a location in coherence order writes k (initial writes what they say, or 0),
//! so that values pin down reads-from; the condition asks for every value read and for the final
//! value of each location with several writes, which pins down coherence as far as tests can see
//! it. Registers are r0, r1, .. of each thread in order of its reads, so that a source program and
//! what it was compiled to can be shown side by side.

mod c;
mod dataflow;
mod instructions;
mod values;

use std::fmt;

use margay_models::bits::{Event, EventSet};
use margay_models::execution::{EventData, Execution, Kind, Placement, Proxy, Scope};

use crate::test::{
    Alias, Condition, Dialect, InitialValue, LocationDeclaration, Place, Proposition, Quantifier,
    RegisterDeclaration, Test, Thread, ThreadId, Variable,
};
pub(crate) use dataflow::inputs;
pub(crate) use values::Values;

/// Why an execution has no litmus test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RenderError {
    /// The read reads from no write, or from several.
    NoSource(Event),
    /// A dependency does not start at a read and end later in the same thread.
    Dependency(Event, Event),
    /// The read is not directly followed by the write of its read-modify-write, or they do not fit
    /// together.
    BrokenRmw(Event),
    /// A wait at a barrier without an arrival right before it.
    LoneWait(Event),
    /// The event has an order or kind that its signature has no instruction for.
    NoInstruction(Event),
    /// A thread of its program has more ways through it than this.
    Paths(usize),
}

impl fmt::Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSource(e) => write!(f, "event {} does not read from exactly one write", e.0),
            Self::Dependency(a, b) => {
                write!(f, "no program has a dependency from event {} to event {}", a.0, b.0)
            }
            Self::BrokenRmw(e) => {
                write!(f, "event {} is not right before the write of its read-modify-write", e.0)
            }
            Self::LoneWait(e) => {
                write!(f, "event {} waits at a barrier without an arrival right before it", e.0)
            }
            Self::NoInstruction(e) => write!(f, "no instruction has an event like event {}", e.0),
            Self::Paths(most) => write!(f, "a thread has more than {most} paths"),
        }
    }
}

impl std::error::Error for RenderError {}

/// Where an event is in the text of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventLine {
    pub thread: ThreadId,
    /// An index into [`Test::thread_lines`].
    pub line: usize,
}

/// A test made from an execution.
#[derive(Debug, Clone)]
pub struct Rendered {
    pub test: Test,
    /// For each event its line; `None` for initial writes.
    pub lines: Vec<Option<EventLine>>,
    /// For each event the value that it reads or writes in the test; `None` for fences and
    /// barriers.
    pub values: Vec<Option<i64>>,
    /// For each read the register that takes its value.
    pub registers: Vec<Option<String>>,
}

/// The program and outcome of an execution as a litmus test, with `exists`. Coherence order may be
/// partial (PTX): the last write of a location is then the one with the highest number among those
/// without a successor; see [`render`] to choose.
pub fn from_execution(
    execution: &Execution,
    name: &str,
    description: Option<&str>,
) -> Result<Test, RenderError> {
    Ok(render(execution, name, description, &[])?.test)
}

/// As [`from_execution`], with the association of events and lines. `finals` names the last write
/// of each location (by index), where the caller has chosen one.
pub fn render(
    execution: &Execution,
    name: &str,
    description: Option<&str>,
    finals: &[Option<Event>],
) -> Result<Rendered, RenderError> {
    check(execution)?;
    let values = Values::new(execution, finals)?;
    let dialect = Dialect::of(execution.signature);
    let mut lines = vec![None; execution.size()];
    let mut threads = Vec::new();
    for t in 0..execution.threads.len() {
        let id = ThreadId(t as u16);
        let events: Vec<Event> = (0..execution.size())
            .map(Event::from)
            .filter(|e| execution.events[e.index()].thread == Some(id.0))
            .collect();
        let (body, parameters, places) = if dialect == Dialect::C {
            c::thread(execution, &events, &values)?
        } else {
            let (body, places) = instructions::thread(execution, &events, &values)?;
            (body, Vec::new(), places)
        };
        for (event, line) in places {
            lines[event.index()] = Some(EventLine { thread: id, line });
        }
        let placement = (execution.signature.has_places() && has_scopes(execution))
            .then(|| placement(execution, t));
        threads.push(Thread { placement, parameters, body, place: Place::default() });
    }
    let test = Test {
        dialect,
        sequencing: Default::default(),
        name: word(name),
        description: description.map(|d| d.replace('"', "'")),
        locations: locations(execution, &values),
        registers: registers(execution, &values),
        threads,
        observed: Vec::new(),
        filter: None,
        condition: condition(execution, &values),
    };
    Ok(Rendered { test, lines, values: values.of_event, registers: values.register })
}

/// The name of a test is one word.
fn word(name: &str) -> String {
    let word: String = name
        .chars()
        .map(|c| if c.is_whitespace() || "\"{}".contains(c) { '-' } else { c })
        .collect();
    if word.is_empty() { "test".to_string() } else { word }
}

/// Dependencies must be realisable, and RMWs pairs of neighbours.
pub(crate) fn check(x: &Execution) -> Result<(), RenderError> {
    let kind = |e: Event| x.events[e.index()].kind;
    for (a, b) in x.addr.pairs().chain(x.data.pairs()).chain(x.ctrl.pairs()) {
        if kind(a) != Kind::Read || !x.po.contains(a, b) {
            return Err(RenderError::Dependency(a, b));
        }
    }
    for (a, b) in x.addr.pairs() {
        if !matches!(kind(b), Kind::Read | Kind::Write) {
            return Err(RenderError::Dependency(a, b));
        }
    }
    for (a, b) in x.data.pairs() {
        if kind(b) != Kind::Write {
            return Err(RenderError::Dependency(a, b));
        }
    }
    for (r, w) in x.rmw.pairs() {
        let neighbours = x.po.contains(r, w)
            && !(0..x.size()).map(Event::from).any(|e| x.po.contains(r, e) && x.po.contains(e, w));
        let pair = kind(r) == Kind::Read
            && kind(w) == Kind::Write
            && x.events[r.index()].location == x.events[w.index()].location;
        if !neighbours || !pair || x.rmw.row(r).len() != 1 || x.rmw.column(w).len() != 1 {
            return Err(RenderError::BrokenRmw(r));
        }
        // One instruction is executed or not as a whole.
        let mut of_write = x.ctrl.column(w);
        of_write.remove(r);
        if of_write != x.ctrl.column(r) {
            return Err(RenderError::Dependency(r, w));
        }
    }
    Ok(())
}

/// Does the execution say anything with scopes? Without, the placement of threads means nothing
/// (unscoped C11).
fn has_scopes(x: &Execution) -> bool {
    !x.signature.can_be_unscoped() || x.events.iter().any(|e| e.scope.is_some())
}

/// Where a thread runs; in a cluster of its own cta's name where nothing is of cluster scope.
fn placement(x: &Execution, thread: usize) -> Placement {
    let p = x.threads[thread];
    if let Some(architecture) = x.signature.tabular() {
        // The levels that the architecture has, and no others.
        return architecture
            .scopes(true)
            .iter()
            .fold(Placement::default(), |place, &s| place.with_number(s, p.number(s)));
    }
    // Warps are no scope here: the threads of one cta are in one place.
    let in_cta = |p: Placement| Placement { warp: 0, ..p };
    let p = in_cta(p);
    let clusters = x.events.iter().any(|e| e.scope == Some(Scope::Cluster));
    if clusters {
        return p;
    }
    // Ctas of different clusters may have the same number: number them anew, by first appearance on
    // the gpu.
    let mut seen: Vec<Placement> = Vec::new();
    for q in x.threads.iter().map(|&q| in_cta(q)).filter(|q| q.gpu == p.gpu) {
        if !seen.contains(&q) {
            seen.push(q);
        }
    }
    let same_number = seen.iter().any(|q| seen.iter().any(|r| q != r && q.cta == r.cta));
    let cta = if same_number {
        seen.iter().position(|q| *q == p).unwrap_or_default() as u16
    } else {
        p.cta
    };
    Placement { gpu: p.gpu, cluster: cta, cta, ..Placement::default() }
}

fn locations(x: &Execution, values: &Values) -> Vec<LocationDeclaration> {
    (0..x.locations.len())
        .map(|l| {
            let (physical, generic) =
                (usize::from(x.locations[l].physical), usize::from(x.generic[l]));
            let mbarrier =
                x.events.iter().any(|e| e.mbarrier && e.location.map(usize::from) == Some(l));
            let arrives =
                |w: &&EventData| w.kind == Kind::Write && w.location.map(usize::from) == Some(l);
            // Its phase waits for all arrivals that there are.
            let value = if mbarrier {
                x.events.iter().filter(arrives).count().max(1) as i64
            } else {
                values.initial[l]
            };
            let alias = (physical != l).then(|| match generic == l {
                true => Alias { proxy: Proxy::Generic, of: values.location[physical].clone() },
                false => Alias { proxy: handle(x, l), of: values.location[generic].clone() },
            });
            LocationDeclaration {
                width: crate::test::AssemblyWidth::default(),
                name: values.location[l].clone(),
                value: alias.is_none().then_some(InitialValue::Integer(value)),
                alias,
                space: None,
                mbarrier,
                place: Place::default(),
            }
        })
        .collect()
}

/// What a name without a generic address of its own is the name of: what it is accessed through.
fn handle(x: &Execution, location: usize) -> Proxy {
    let here = x.events.iter().filter(|e| e.location.map(usize::from) == Some(location));
    here.map(|e| e.proxy).find(|p| *p != Proxy::Generic).unwrap_or(Proxy::Surface)
}

/// In the tabular forms the registers that are asked about start at 0; C declares them in the
/// program.
fn registers(x: &Execution, values: &Values) -> Vec<RegisterDeclaration> {
    if Dialect::of(x.signature) == Dialect::C {
        return Vec::new();
    }
    let declared = |e: usize| {
        let (thread, name) = (
            ThreadId(x.events[e].thread?),
            values.register[e].clone().filter(|_| !x.events[e].unused)?,
        );
        Some(RegisterDeclaration {
            thread,
            name,
            ty: None,
            value: Some(InitialValue::Integer(0)),
            place: Place::default(),
        })
    };
    (0..x.size()).filter_map(declared).collect()
}

/// Every value that was read into a register and is used, and the last value of each location with
/// several writes.
pub(crate) fn condition(x: &Execution, values: &Values) -> Condition {
    let mut parts = Vec::new();
    for (e, data) in x.events.iter().enumerate().filter(|(_, data)| !data.unused) {
        if let (Some(thread), Some(name), Some(value)) =
            (data.thread, values.register[e].clone(), values.of_event[e])
        {
            parts.push(Proposition::equals(
                Variable::Register { thread: ThreadId(thread), name },
                value,
            ));
        }
    }
    for l in 0..x.locations.len() {
        let written: EventSet = x.events_where(|e| {
            e.kind == Kind::Write
                && !e.writes_back
                && !e.mbarrier
                && e.location.map(|v| usize::from(x.locations[usize::from(v)].physical)) == Some(l)
        });
        let last = values.last[l].filter(|_| written.len() > 1);
        if let Some(value) = last.and_then(|last| values.of_event[last.index()]) {
            parts.push(Proposition::equals(Variable::Location(values.location[l].clone()), value));
        }
    }
    Condition { quantifier: Quantifier::Exists, proposition: Proposition::all(parts) }
}
