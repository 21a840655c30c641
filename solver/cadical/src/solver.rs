//! One CaDiCaL.

use std::ffi::{CString, c_void};
use std::ptr::NonNull;

use margay_solver::proof::Log;
use margay_solver::{Answer, Failure, Limits, Preset, Solver, SolverOptions};

use crate::{NAME, ffi, tracer};

/// CaDiCaL, and what was assumed and answered in the last call.
pub struct Cadical {
    handle: NonNull<ffi::Handle>,
    assumptions: Vec<i32>,
    answer: Answer,
    /// What the solver asks whether to stop: at every tenth of its own checks (its option `terminateint`), so that the clock may be
    /// read each time. Owned: from `Box::into_raw`, since the solver has the pointer too.
    limits: NonNull<Limits>,
    /// Where the proof goes, if one is wanted, and what the solver tells of its steps, owned likewise.
    log: Option<(Log, NonNull<tracer::Tracer>)>,
}

// SAFETY: the handle is owned by this value alone and used through it only; CaDiCaL keeps no state in thread-locals or globals that
// a solver's calls depend on; and the callbacks' states are `Send` (checked below).
unsafe impl Send for Cadical {}

const _: () = {
    const fn is_send<T: Send>() {}
    is_send::<Limits>();
    is_send::<tracer::Tracer>();
};

extern "C" fn stop(limits: *mut c_void) -> bool {
    // SAFETY: `solve` connects this function with a pointer to the `Limits` of its `Cadical`, which stay until the call is over.
    unsafe { &*limits.cast::<Limits>() }.reached()
}

fn failure(what: impl Into<String>) -> Failure {
    Failure::new(NAME, what)
}

fn owned<T>(value: T) -> NonNull<T> {
    NonNull::from(Box::leak(Box::new(value)))
}

fn text(text: &str) -> Result<CString, Failure> {
    CString::new(text).map_err(|_| failure(format!("it has no option `{}`", text.escape_debug())))
}

impl Cadical {
    /// A new solver.
    ///
    /// # Errors
    /// CaDiCaL has no such option, or not with this value.
    pub fn new(options: &SolverOptions) -> Result<Self, Failure> {
        // SAFETY: the function makes a solver, or ends the program where memory does not suffice.
        let handle = NonNull::new(unsafe { ffi::margay_cadical_new() }).ok_or_else(|| failure("it cannot be started"))?;
        let limits = owned(Limits::default());
        let new = Self { handle, assumptions: Vec::new(), answer: Answer::Unknown, limits, log: None };
        let preset = match options.preset {
            Preset::Default => "default",
            Preset::Sat => "sat",
            Preset::Unsat => "unsat",
            Preset::Plain => "plain",
        };
        let name = text(preset)?;
        // SAFETY: the handle is a solver, the name ends in 0.
        if !unsafe { ffi::margay_cadical_configure(handle.as_ptr(), name.as_ptr()) } {
            return Err(failure(format!("it has no preset `{preset}`")));
        }
        for (name, value) in &options.set {
            new.set(name, *value)?;
        }
        // Bounded variable addition wants variables to be declared beforehand; it gains nothing on our problems.
        new.set("factor", 0)?;
        Ok(new)
    }

    fn set(&self, name: &str, value: i32) -> Result<(), Failure> {
        let given = text(name)?;
        // SAFETY: the handle is a solver, the name ends in 0.
        if unsafe { ffi::margay_cadical_set(self.handle.as_ptr(), given.as_ptr(), value) } {
            Ok(())
        } else {
            Err(failure(format!("it has no option `{name}`, or not with the value {value}")))
        }
    }

    /// A new solver that writes a proof.
    ///
    /// # Errors
    /// As [`Cadical::new`].
    pub fn logged(options: &SolverOptions, log: &Log) -> Result<Self, Failure> {
        let mut new = Self::new(options)?;
        let tracer = owned(tracer::Tracer::new(log.clone()));
        new.log = Some((log.clone(), tracer));
        // SAFETY: the handle is a solver without clauses; this value keeps the tracer until the solver is released.
        unsafe { ffi::margay_cadical_trace(new.handle.as_ptr(), tracer::listen, tracer.as_ptr().cast()) };
        Ok(new)
    }

    fn check(literals: &[i32]) -> Result<(), Failure> {
        match literals.iter().find(|&&l| l == 0 || l == i32::MIN) {
            None => Ok(()),
            Some(literal) => Err(failure(format!("{literal} is no literal"))),
        }
    }
}

impl Drop for Cadical {
    fn drop(&mut self) {
        // SAFETY: the handle is a solver, and nothing uses it after this.
        unsafe { ffi::margay_cadical_free(self.handle.as_ptr()) };
        // SAFETY: `owned` leaked these boxes, and the solver, which alone had the pointers too, is gone.
        unsafe {
            drop(Box::from_raw(self.limits.as_ptr()));
            if let Some((_, tracer)) = self.log.take() {
                drop(Box::from_raw(tracer.as_ptr()));
            }
        }
    }
}

impl Solver for Cadical {
    fn add(&mut self, clause: &[i32]) -> Result<(), Failure> {
        self.answer = Answer::Unknown;
        Self::check(clause)?;
        // SAFETY: the handle is a solver, the slice has so many literals.
        unsafe { ffi::margay_cadical_add(self.handle.as_ptr(), clause.as_ptr(), clause.len()) };
        Ok(())
    }

    fn solve(&mut self, assumptions: &[i32], limits: &Limits) -> Result<Answer, Failure> {
        self.answer = Answer::Unknown;
        Self::check(assumptions)?;
        if limits.reached() {
            return Ok(Answer::Unknown);
        }
        let handle = self.handle.as_ptr();
        let limited = limits.deadline.is_some() || limits.stop.is_some();
        // SAFETY: the handle is a solver, in no call now; the limits are this value's, which touches them here only.
        unsafe {
            *self.limits.as_mut() = limits.clone();
            ffi::margay_cadical_stop_when(handle, limited.then_some(stop as ffi::Stop), self.limits.as_ptr().cast());
        }
        if let Some(conflicts) = limits.conflicts {
            // SAFETY: the handle is a solver.
            unsafe { ffi::margay_cadical_limit_conflicts(handle, i32::try_from(conflicts).unwrap_or(i32::MAX)) };
        }
        self.assumptions.clear();
        self.assumptions.extend_from_slice(assumptions);
        if let Some((log, _)) = &self.log {
            log.question(assumptions);
        }
        // SAFETY: the handle is a solver, the slice has so many literals.
        self.answer = match unsafe { ffi::margay_cadical_solve(handle, assumptions.as_ptr(), assumptions.len()) } {
            10 => Answer::Sat,
            20 => Answer::Unsat,
            _ => Answer::Unknown,
        };
        if let Some((log, _)) = &self.log {
            match self.answer {
                Answer::Sat => log.satisfiable(),
                Answer::Unknown => log.unknown(),
                // The answer comes through the tracer, with the clause that it rests on.
                // SAFETY: the handle is a solver whose last answer is "unsatisfiable".
                Answer::Unsat => unsafe { ffi::margay_cadical_conclude(handle) },
            }
        }
        Ok(self.answer)
    }

    fn model(&mut self, variables: usize) -> Result<Vec<bool>, Failure> {
        if self.answer != Answer::Sat {
            return Err(failure("its last answer was not an assignment"));
        }
        let mut values = vec![false; variables];
        // SAFETY: the handle is a solver whose last answer is "satisfiable", and there is space for so many.
        unsafe { ffi::margay_cadical_values(self.handle.as_ptr(), values.as_mut_ptr(), variables) };
        Ok(values)
    }

    fn core(&mut self) -> Result<Vec<i32>, Failure> {
        if self.answer != Answer::Unsat {
            return Err(failure("its last answer was not that there is no assignment"));
        }
        let handle = self.handle.as_ptr();
        // SAFETY: the handle is a solver whose last answer is "unsatisfiable", under these assumptions.
        Ok(self.assumptions.iter().copied().filter(|&l| unsafe { ffi::margay_cadical_failed(handle, l) }).collect())
    }

    fn conflicts(&self) -> u64 {
        // SAFETY: the handle is a solver.
        u64::try_from(unsafe { ffi::margay_cadical_conflicts(self.handle.as_ptr()) }).unwrap_or(0)
    }
}
