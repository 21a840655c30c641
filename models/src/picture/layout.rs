//! Where events go: a column for each thread, a row for each step of program order, initial writes
//! on top.

use super::Picture;
use crate::bits::Event;
use crate::execution::{Execution, Placement, Scope};

/// The columns and rows of a picture.
pub(super) struct PictureLayout {
    /// The events of each thread, in program order.
    pub threads: Vec<Vec<Event>>,
    /// The threads in the order of their columns: as numbered, but those of one gpu, cluster or cta
    /// side by side.
    pub columns: Vec<usize>,
    /// The initial writes that an edge touches.
    pub inits: Vec<Event>,
    /// The most events of a thread.
    pub rows: usize,
}

impl PictureLayout {
    /// Places the events.
    pub(super) fn of(execution: &Execution, picture: &Picture) -> Self {
        let all = || (0..execution.size()).map(Event::from);
        let threads: Vec<Vec<Event>> = (0..execution.threads.len())
            .map(|t| {
                let mut events: Vec<Event> = all()
                    .filter(|e| {
                        execution.events[e.index()].thread.is_some_and(|x| usize::from(x) == t)
                    })
                    .collect();
                events.sort_by_key(|&e| (execution.po.column(e).len(), e));
                events
            })
            .collect();
        let touched = |e: Event| picture.edges.iter().any(|x| x.from == e || x.to == e);
        let inits =
            all().filter(|&e| execution.events[e.index()].thread.is_none() && touched(e)).collect();
        let rows = threads.iter().map(Vec::len).max().unwrap_or(0);
        Self { columns: columns(execution), threads, inits, rows }
    }

    /// Column and row of an event of a thread.
    pub(super) fn cell(&self, event: Event) -> Option<(usize, usize)> {
        self.columns.iter().enumerate().find_map(|(c, &t)| {
            self.threads[t].iter().position(|&e| e == event).map(|row| (c, row))
        })
    }
}

/// The threads, groups side by side, in the order in which the groups first occur.
fn columns(execution: &Execution) -> Vec<usize> {
    let places = &execution.threads;
    let first = |same: &dyn Fn(Placement) -> bool| places.iter().position(|&p| same(p));
    let mut columns: Vec<usize> = (0..places.len()).collect();
    columns.sort_by_key(|&t| {
        let Placement { gpu, cluster, .. } = places[t];
        let cta = first(&|p| p.shares(Scope::Cta, places[t]));
        (
            first(&|p| p.gpu == gpu),
            first(&|p| (p.gpu, p.cluster) == (gpu, cluster)),
            cta,
            first(&|p| p == places[t]),
            t,
        )
    });
    columns
}
