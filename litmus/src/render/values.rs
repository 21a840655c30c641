//! Names and values for the events of an execution.

use margay_models::bits::{Event, EventSet};
use margay_models::execution::{Execution, Kind};

use super::RenderError;
use super::dataflow::Dataflow;

/// What no write of a rendered test writes: they count from the initial value upward.
pub(super) const NEVER_WRITTEN: i64 = -1;

/// Names and values.
pub(crate) struct Values {
    /// For each location its name.
    pub location: Vec<String>,
    /// For each location its initial value.
    pub initial: Vec<i64>,
    /// For each physical location the write whose value is the final one.
    pub last: Vec<Option<Event>>,
    /// For each event the value that it reads or writes.
    pub of_event: Vec<Option<i64>>,
    /// For each event the register that takes the value read; `None` for reductions and for what
    /// does not read.
    pub register: Vec<Option<String>>,
    /// For each thread the number of its first register without a read.
    pub next_register: Vec<usize>,
    /// How values are computed.
    pub dataflow: Dataflow,
}

impl Values {
    /// Numbers the writes of each location along coherence order, and passes the values on to the
    /// reads.
    pub fn new(x: &Execution, finals: &[Option<Event>]) -> Result<Self, RenderError> {
        let n = x.size();
        let mut v = Values {
            location: names(x),
            initial: vec![0; x.locations.len()],
            last: vec![None; x.locations.len()],
            of_event: vec![None; n],
            register: vec![None; n],
            next_register: vec![0; x.threads.len()],
            dataflow: Dataflow { copies: EventSet::EMPTY, spread: None },
        };
        for l in 0..x.locations.len() {
            v.number_writes(x, l, finals.get(l).copied().flatten());
        }
        // Reads whose value is not used come last, so that the others have the registers that they
        // have without them.
        let reads = (0..n).map(Event::from).filter(|r| x.events[r.index()].kind == Kind::Read);
        let (unused, used): (Vec<Event>, Vec<Event>) =
            reads.partition(|r| x.events[r.index()].unused);
        for r in used.into_iter().chain(unused) {
            let data = &x.events[r.index()];
            match origin(x, r) {
                Some(source) => v.of_event[r.index()] = v.of_event[source.index()],
                None if data.unused => {}
                None => return Err(RenderError::NoSource(r)),
            }
            for w in x.rmw.row(r).iter().filter(|w| x.events[w.index()].writes_back) {
                v.of_event[w.index()] = v.of_event[r.index()];
            }
            // A wait at an mbarrier that returns says 1; what an arrival returns is no number that
            // a program can ask for.
            let arrives = data.mbarrier && !x.rmw.row(r).is_empty();
            if data.mbarrier && !arrives {
                v.of_event[r.index()] = Some(1);
            }
            if let (Some(t), false) = (data.thread, data.reduction || arrives) {
                let next = &mut v.next_register[usize::from(t)];
                v.register[r.index()] = Some(format!("r{next}"));
                *next += 1;
            }
        }
        v.dataflow = Dataflow::new(x, &v.of_event);
        Ok(v)
    }

    /// Gives the writes to physical location `l` their values: 1, 2, .. in the order of a linear
    /// extension of coherence order, and the initial write its own value (0 if it has none). What a
    /// read-modify-write writes back is numbered by nobody.
    fn number_writes(&mut self, x: &Execution, l: usize, last: Option<Event>) {
        let here = |e: Event| x.physical(e).map(usize::from) == Some(l);
        let writes: EventSet = (0..x.size())
            .map(Event::from)
            .filter(|&e| here(e) && matches!(x.events[e.index()].kind, Kind::Init | Kind::Write))
            .collect();
        for init in writes.iter().filter(|e| x.events[e.index()].kind == Kind::Init) {
            self.initial[l] = x.events[init.index()].value.unwrap_or(0);
            self.of_event[init.index()] = Some(self.initial[l]);
        }
        let own =
            |e: &Event| x.events[e.index()].kind == Kind::Write && !x.events[e.index()].writes_back;
        let mut rest: EventSet = writes.iter().filter(own).collect();
        let given = last.filter(|&e| rest.contains(e));
        let mut value = self.initial[l];
        while !rest.is_empty() {
            // The first one without a predecessor that is still to come; the write that shall be
            // the last one, last.
            let free =
                |e: &Event| !rest.iter().any(|other| other != *e && x.co.contains(other, *e));
            let next = rest
                .iter()
                .filter(free)
                .find(|e| Some(*e) != given)
                .or_else(|| rest.iter().find(free));
            // A cyclic order has no first write: any will do, the execution is broken anyway.
            let Some(next) = next.or_else(|| rest.iter().next()) else { break };
            value += 1;
            self.of_event[next.index()] = Some(value);
            rest.remove(next);
            self.last[l] = Some(next);
        }
        if given.is_some() {
            self.last[l] = given;
        }
    }
}

/// The write that a read has its value from: what a read-modify-write writes back is what it read
/// itself.
fn origin(x: &Execution, read: Event) -> Option<Event> {
    let mut at = read;
    // One that reads what it wrote itself, round in a circle, has no value.
    for _ in 0..x.size() {
        let sources = x.rf.column(at);
        let source = sources.iter().next().filter(|_| sources.len() == 1)?;
        if !x.events[source.index()].writes_back {
            return Some(source);
        }
        at = x.rmw.column(source).iter().next()?;
    }
    None
}

/// The names of the locations: those of the execution where they are all different words, else x y
/// z w v u and then a b c ..
fn names(x: &Execution) -> Vec<String> {
    let given: Vec<&str> = x.locations.iter().map(|l| l.name.as_str()).collect();
    let word = |n: &str| {
        n.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && n.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !(n.starts_with(['r', 'p', 't', 'P', 'T'])
                && n[1..].chars().all(|c| c.is_ascii_digit()))
    };
    let distinct = given.iter().enumerate().all(|(i, n)| !given[..i].contains(n));
    if distinct && given.iter().all(|n| word(n)) {
        return given.into_iter().map(str::to_string).collect();
    }
    let letters = ["x", "y", "z", "w", "v", "u", "a", "b", "c", "d", "e", "f"];
    (0..x.locations.len())
        .map(|l| match letters.get(l) {
            Some(letter) => letter.to_string(),
            None => format!("x{l}"),
        })
        .collect()
}
