//! What CaDiCaL tells of its work becomes a proof (`upstream/src/tracer.hpp` says what each call means).

use std::ffi::{c_int, c_void};

use margay_solver::proof::Log;

use crate::ffi::event;

/// Where the proof goes, and what must be known to write it.
pub struct Tracer {
    log: Log,
    /// The clauses that say of the last question which assumptions fail together: there for its answer alone.
    of_question: Vec<u64>,
}

impl Tracer {
    pub fn new(log: Log) -> Self {
        Self { log, of_question: Vec::new() }
    }

    fn event(&mut self, event: c_int, id: i64, clause: &[i32], hints: &[i64]) {
        // CaDiCaL numbers clauses from 1; a hint below 0 begins a RAT check.
        let id = id.unsigned_abs();
        let hints: Vec<u64> = if hints.iter().all(|&h| h > 0) {
            hints.iter().map(|h| h.unsigned_abs()).collect()
        } else {
            return self.log.fail("a step of the solver is more than unit propagation");
        };
        match event {
            event::ORIGINAL => self.log.original(id, clause),
            event::RESTORED => self.log.restore(id, clause),
            event::DERIVED => self.log.derived(id, clause, &hints),
            event::ASSUMPTION_CLAUSE => {
                self.of_question.push(id);
                self.log.derived(id, clause, &hints);
            }
            event::DELETED => self.log.delete(id),
            event::WEAKENED => self.log.weaken(id),
            event::REFUTED => self.refuted(id),
            event::DERIVED_BY_RAT => self.log.fail("a step of the solver changes what assignments there are (RAT)"),
            event::CONSTRAINT => self.log.fail("constraints have no record"),
            event::REFUTED_BY_SEVERAL => self.log.fail("the solver's conclusion does not rest on one clause"),
            _ => self.log.fail("the solver did something that is unknown"),
        }
    }

    fn refuted(&mut self, id: u64) {
        self.log.refuted(id);
        for id in self.of_question.drain(..) {
            self.log.delete(id);
        }
    }
}

/// The function that CaDiCaL calls; its state is a [`Tracer`].
pub extern "C" fn listen(
    state: *mut c_void,
    event: c_int,
    id: i64,
    clause: *const c_int,
    literals: usize,
    hints: *const i64,
    count: usize,
) {
    // SAFETY: `Cadical` connects this function with a pointer to a `Tracer` that it owns for as long as the solver, and touches only
    // while no call of the solver runs; the solver calls from the thread of the call.
    let tracer = unsafe { &mut *state.cast::<Tracer>() };
    // SAFETY: bridge.cpp hands over the data and sizes of vectors that live until this function returns.
    let (clause, hints) = unsafe { (slice(clause, literals), slice(hints, count)) };
    tracer.event(event, id, clause, hints);
}

/// The elements at a pointer, which may be null where there are none.
///
/// # Safety
/// If there are elements, the pointer is to so many, and nothing writes to them while the slice is in use.
unsafe fn slice<'a, T>(data: *const T, length: usize) -> &'a [T] {
    if length == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(data, length) }
}
