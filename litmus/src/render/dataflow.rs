//! How written values are computed from what was read: so that the write has another value whenever
//! a read returns another one.

use margay_models::bits::{Event, EventSet};
use margay_models::execution::{Execution, Kind};

/// What is written instead of constants.
pub(crate) struct Dataflow {
    /// The writes that write what their read returned.
    pub copies: EventSet,
    /// `v + spread * ((r ^ e) + ..)` is `v` if each read `r` returns its `e`, and else no value of
    /// the execution.
    pub spread: Option<i64>,
}

impl Dataflow {
    /// Decides for an execution whose events have the given values.
    pub fn new(x: &Execution, of_event: &[Option<i64>]) -> Self {
        let values = of_event.iter().flatten();
        let largest = values.clone().max().copied().unwrap_or(0);
        // With negative values a difference could be negative, and differences cancel each other.
        let fits =
            values.clone().min().is_none_or(|&least| least >= 0) && largest < i64::from(u16::MAX);
        let spread = fits.then(|| (largest + 1).cast_unsigned().next_power_of_two().cast_signed());
        let copies = (0..x.size()).map(Event::from).filter(|&w| copies(x, w, of_event)).collect();
        Self { copies, spread }
    }
}

/// The reads that the value of a write depends on; of a read-modify-write without its own.
pub(crate) fn inputs(x: &Execution, w: Event) -> EventSet {
    &x.data.column(w) - &x.rmw.column(w)
}

/// May the write copy what it depends on? Yes if that is the value to write, if no read of the
/// location expects another one (which a wrong value could be by chance), and if no value goes
/// round in a circle and so determines itself.
fn copies(x: &Execution, w: Event, of_event: &[Option<i64>]) -> bool {
    let inputs = inputs(x, w);
    let Some(r) = inputs.iter().next().filter(|_| inputs.len() == 1) else { return false };
    let (Some(from), Some(to)) = (x.physical(r), x.physical(w)) else { return false };
    let is_expected = |e: Event| of_event[e.index()] == of_event[w.index()];
    let reads = (0..x.size())
        .map(Event::from)
        .filter(|&e| x.events[e.index()].kind == Kind::Read && x.physical(e) == Some(to));
    is_expected(r) && { reads }.all(is_expected) && !reachable(x, to).contains(&from)
}

/// The locations that a value at a location may be passed on to.
fn reachable(x: &Execution, from: u16) -> Vec<u16> {
    let steps = || {
        x.data
            .pairs()
            .filter(|&(r, w)| !x.rmw.contains(r, w))
            .map(|(r, w)| (x.physical(r), x.physical(w)))
    };
    let mut out = vec![from];
    let mut done = 0;
    while let Some(&here) = out.get(done) {
        done += 1;
        for (a, b) in steps() {
            if let (true, Some(b)) = (a == Some(here), b.filter(|b| !out.contains(b))) {
                out.push(b);
            }
        }
    }
    out
}
