//! The choice of a solver: what makes solvers, and the list of those that can be chosen by name.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Factory, Solver, SolverFailure, batsat, external, relay};
use crate::options::SolverOptions;
use crate::proof::ProofLog;

/// A SAT solver to choose: a shared [`Factory`]. Backends of one name are the same.
#[derive(Clone)]
pub struct Backend(Arc<dyn Factory>);

/// The name of BatSat.
const BATSAT: &str = "batsat";

/// Solvers that are in a build with a feature, and what to do in one without it.
const BY_FEATURE: [(&str, &str); 2] = [
    (
        "cadical",
        "CaDiCaL is not in this build: build with `--features cadical`, which needs a C++ compiler, or name a program that is \
         installed, `--solver \"dimacs:cadical -q\"`",
    ),
    ("varisat", "Varisat is not in this build: build with `--features varisat`"),
];

/// The name of what is taken where none is named.
const AUTO: &str = "auto";

/// The conflicts after which [`Backend::auto`] hands a problem to CaDiCaL.
#[cfg(feature = "cadical")]
const EASY: u64 = 100_000;

/// What was registered, in that order.
static REGISTERED: Mutex<Vec<Backend>> = Mutex::new(Vec::new());

impl Backend {
    /// Wraps a solver of your own; [`Backend::register`] lets `--solver` name it.
    pub fn new(factory: impl Factory + 'static) -> Self {
        Self(Arc::new(factory))
    }

    /// BatSat, a MiniSat in Rust.
    pub fn batsat() -> Self {
        Self::new(batsat::BatsatFactory(BATSAT))
    }

    /// CaDiCaL, in C++: better than BatSat where a problem takes hundreds of thousands of
    /// conflicts.
    #[cfg(feature = "cadical")]
    pub fn cadical() -> Self {
        Self::new(super::cadical::CadicalFactory)
    }

    /// The solver that is taken where none is named: BatSat, and in a build with CaDiCaL that one
    /// for what turns out to be hard. Most problems take some thousand conflicts, and BatSat half
    /// the time of CaDiCaL for them (results/2026-11-25/check-speed.txt). Conflicts are counted,
    /// and not seconds, so that a problem is handed over on each machine or on none. Proofs are
    /// CaDiCaL's from the start where it is in the build: long ones cost less
    /// (results/2026-11-25/solvers.txt).
    pub fn auto() -> Self {
        #[cfg(feature = "cadical")]
        return Self::relay(AUTO, Self::batsat(), Self::cadical(), EASY);
        #[cfg(not(feature = "cadical"))]
        Self::new(batsat::BatsatFactory(AUTO))
    }

    /// Two solvers in turn, under a name of their own: the second one takes over once the first has
    /// had so many conflicts with a problem. Proofs are of one alone from the start: the second
    /// one, if it writes them. The first one must stop after
    /// [`SolverLimits::conflicts`](crate::SolverLimits::conflicts), or it never hands over.
    pub fn relay(name: &'static str, first: Self, then: Self, conflicts: u64) -> Self {
        Self::new(relay::RelayFactory { name, first, then, conflicts })
    }

    /// How the names of programs begin ([`Backend::dimacs`]).
    pub const PROGRAM: &str = external::PREFIX;

    /// Is it a program that a command starts?
    pub fn is_program(&self) -> bool {
        self.name().starts_with(Self::PROGRAM)
    }

    /// A SAT solver that is a program: `command`, its words separated by blanks, with two arguments
    /// more, a problem in DIMACS format and the file for a DRAT proof. It prints `s SATISFIABLE`
    /// and an assignment (`v ..`), or `s UNSATISFIABLE`, as in the SAT competitions. Its name is
    /// `dimacs:` and the command. It is not among those that [`str::parse`] knows: whoever reads a
    /// name from a file must not start what is written there.
    pub fn dimacs(command: &str) -> Self {
        Self::new(external::ProgramFactory::new(command))
    }

    /// Varisat (Rust). It offers no way to stop a call: limits are looked at between calls only.
    #[cfg(feature = "varisat")]
    pub fn varisat() -> Self {
        Self::new(super::varisat::VarisatFactory)
    }

    /// From now on, in the whole process, it can be chosen by its name, and [`Backend::default`] is
    /// it. A program does this once, when it starts.
    pub fn register(self) {
        let mut registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
        registered.retain(|b| *b != self);
        registered.push(self);
    }

    /// What can be chosen by name: the registered ones, the last one first, and those of this
    /// build.
    pub fn available() -> Vec<Self> {
        let registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<Self> = registered.iter().rev().cloned().collect();
        drop(registered);
        let own = [
            Self::auto(),
            Self::batsat(),
            #[cfg(feature = "cadical")]
            Self::cadical(),
            #[cfg(feature = "varisat")]
            Self::varisat(),
        ];
        for own in own {
            if !all.contains(&own) {
                all.push(own);
            }
        }
        all
    }

    /// Of a solver that Margay knows and this build does not have: how to have it, in a sentence.
    pub fn left_out(name: &str) -> Option<String> {
        let (_, sentence) =
            BY_FEATURE.iter().find(|(known, _)| name.eq_ignore_ascii_case(known))?;
        let available = Self::available().iter().any(|b| b.name().eq_ignore_ascii_case(name));
        (!available).then(|| (*sentence).to_owned())
    }

    /// The name to choose it by.
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// The name and version, for reports.
    pub fn version(&self) -> String {
        self.0.version()
    }

    /// Does a call stop while it runs once its limits are reached?
    pub fn interruptible(&self) -> bool {
        self.0.interruptible()
    }

    /// Does a call stop after [`SolverLimits::conflicts`](crate::SolverLimits::conflicts)?
    pub fn limits_conflicts(&self) -> bool {
        self.0.limits_conflicts()
    }

    /// Can it write a proof of what it finds to be unsatisfiable?
    pub fn proves(&self) -> bool {
        self.0.proves()
    }

    /// A new solver without clauses.
    ///
    /// # Errors
    /// It cannot be started, or has no such option.
    pub fn start(&self, options: &SolverOptions) -> Result<Box<dyn Solver>, SolverFailure> {
        self.0.start(options)
    }

    /// The same with a proof of all that it finds to be unsatisfiable.
    ///
    /// # Errors
    /// As [`Backend::start`], or it writes no proofs ([`Backend::proves`]).
    pub fn start_logged(
        &self,
        options: &SolverOptions,
        log: &ProofLog,
    ) -> Result<Box<dyn Solver>, SolverFailure> {
        self.0.start_logged(options, log)
    }
}

impl Default for Backend {
    /// The one that was registered last; [`Backend::auto`] if none was.
    fn default() -> Self {
        let registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
        registered.last().cloned().unwrap_or_else(Self::auto)
    }
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Backend").field(&self.name()).finish()
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl PartialEq for Backend {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Backend {}

impl Hash for Backend {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl FromStr for Backend {
    type Err = String;

    /// The available backend of this name.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = Self::available();
        known.iter().find(|b| b.name() == name.to_lowercase()).cloned().ok_or_else(|| {
            Self::left_out(name).unwrap_or_else(|| {
                let names: Vec<&str> = known.iter().map(Backend::name).collect();
                format!("unknown solver `{name}`; this build has {}", names.join(", "))
            })
        })
    }
}
