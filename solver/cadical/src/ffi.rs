//! The functions of `bridge.cpp`. None of them keeps a pointer that it is given, but for the state of a callback.

use std::ffi::{c_char, c_int, c_void};

/// A solver, with what is connected to it.
#[repr(C)]
pub struct Handle {
    _opaque: [u8; 0],
}

/// Says whether to stop, given its state.
pub type Stop = extern "C" fn(*mut c_void) -> bool;

/// Is told of an event, given its state: the event, the id of a clause, its literals, the ids that it follows from.
pub type Listener = extern "C" fn(*mut c_void, c_int, i64, *const c_int, usize, *const i64, usize);

/// What a listener is told.
pub mod event {
    use std::ffi::c_int;

    pub const ORIGINAL: c_int = 0;
    pub const RESTORED: c_int = 1;
    pub const DERIVED: c_int = 2;
    pub const DERIVED_BY_RAT: c_int = 3;
    pub const DELETED: c_int = 4;
    pub const WEAKENED: c_int = 5;
    pub const ASSUMPTION_CLAUSE: c_int = 6;
    pub const CONSTRAINT: c_int = 7;
    pub const REFUTED: c_int = 8;
    pub const REFUTED_BY_SEVERAL: c_int = 9;
}

unsafe extern "C" {
    pub fn margay_cadical_new() -> *mut Handle;
    pub fn margay_cadical_free(solver: *mut Handle);
    pub fn margay_cadical_configure(solver: *mut Handle, preset: *const c_char) -> bool;
    pub fn margay_cadical_set(solver: *mut Handle, name: *const c_char, value: c_int) -> bool;
    pub fn margay_cadical_add(solver: *mut Handle, clause: *const c_int, length: usize);
    pub fn margay_cadical_solve(solver: *mut Handle, assumptions: *const c_int, length: usize) -> c_int;
    pub fn margay_cadical_values(solver: *mut Handle, values: *mut bool, variables: usize);
    pub fn margay_cadical_failed(solver: *mut Handle, assumption: c_int) -> bool;
    pub fn margay_cadical_stop_when(solver: *mut Handle, stop: Option<Stop>, state: *mut c_void);
    pub fn margay_cadical_limit_conflicts(solver: *mut Handle, conflicts: c_int);
    pub fn margay_cadical_conflicts(solver: *const Handle) -> i64;
    pub fn margay_cadical_trace(solver: *mut Handle, listener: Listener, state: *mut c_void);
    pub fn margay_cadical_conclude(solver: *mut Handle);
}
