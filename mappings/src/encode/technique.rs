//! The techniques of docs/encoding.md that a benchmark can switch off, one at a time. Answers do
//! not depend on them.

use margay_solver::Encoding;

/// Which techniques are used. The default is all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Techniques {
    /// Those of the translation.
    pub encoding: Encoding,
    /// One problem for each thread shape, in which program order is constant (docs/encoding.md).
    /// Without it there is one problem for each number of events, and the solver chooses the thread
    /// of each event; events are numbered in an order that extends program order, and a thread is
    /// named by its first event.
    pub thread_shapes: bool,
    /// Both levels use the same relations (docs/encoding.md). Without it the target has its own
    /// reads-from, coherence order, locations, RMW pairs and placement, tied to the source's by
    /// equality.
    pub shared_relations: bool,
    /// A location is named by its first event (docs/encoding.md). Without it by any one of its
    /// events.
    pub first_use: bool,
    /// One variable for each unordered pair of writes says which comes first (docs/encoding.md).
    /// Without it modification order is a relation of its own, constrained to be total.
    pub coherence_by_pairs: bool,
    /// Closures of communication relations by their closed form.
    pub closed_forms: bool,
    /// Threads of equal length are ordered (docs/encoding.md).
    pub equal_threads: bool,
    /// Scopes that include no thread more are left out.
    pub narrow_scopes: bool,
    /// Threads neither begin nor end with a fence where that loses nothing (docs/encoding.md).
    pub inner_fences: bool,
    /// Where an axiom is violated is asked one place after the other, in one solver
    /// (docs/encoding.md).
    pub goals_by_cases: bool,
    /// The solver is asked about lemmas before the question (docs/encoding.md).
    pub lemmas: bool,
    /// One solver for all axioms of a shape, so that what it learns is used again.
    pub shared_solver: bool,
    /// At program level, candidates have as many guards as they can where guards cost nothing.
    pub every_read_guards: bool,
    /// At program level, candidates race themselves only as a smallest counterexample may.
    pub few_races: bool,
}

impl Default for Techniques {
    fn default() -> Self {
        Self {
            encoding: Encoding::default(),
            thread_shapes: true,
            shared_relations: true,
            first_use: true,
            coherence_by_pairs: true,
            closed_forms: true,
            equal_threads: true,
            narrow_scopes: true,
            inner_fences: true,
            goals_by_cases: true,
            lemmas: true,
            shared_solver: true,
            every_read_guards: true,
            few_races: true,
        }
    }
}

/// One technique that can be switched off.
#[derive(Debug, Clone, Copy)]
pub struct TechniqueSwitch {
    /// A short name, for options.
    pub name: &'static str,
    /// What it is, for tables.
    pub title: &'static str,
    pub off: fn(&mut Techniques),
}

impl Techniques {
    /// Every technique that can be switched off.
    pub const SWITCHES: [TechniqueSwitch; 19] = [
        TechniqueSwitch {
            name: "shapes",
            title: "one problem for each thread shape",
            off: |t| t.thread_shapes = false,
        },
        TechniqueSwitch {
            name: "threads",
            title: "order among threads of equal length",
            off: |t| t.equal_threads = false,
        },
        TechniqueSwitch {
            name: "shared",
            title: "relations shared by both levels",
            off: |t| t.shared_relations = false,
        },
        TechniqueSwitch {
            name: "closures",
            title: "closures by polarity",
            off: |t| t.encoding.closures_by_polarity = false,
        },
        TechniqueSwitch {
            name: "first-use",
            title: "locations in order of first use",
            off: |t| t.first_use = false,
        },
        TechniqueSwitch {
            name: "pairs",
            title: "one variable for each pair of writes",
            off: |t| t.coherence_by_pairs = false,
        },
        TechniqueSwitch {
            name: "cycles",
            title: "cycles by a witness set",
            off: |t| t.encoding.cycles_by_witness = false,
        },
        TechniqueSwitch {
            name: "cnf",
            title: "clauses by polarity",
            off: |t| t.encoding.cnf_by_polarity = false,
        },
        TechniqueSwitch {
            name: "inline",
            title: "gates with one use have no variable",
            off: |t| t.encoding.inline_gates = false,
        },
        TechniqueSwitch {
            name: "gates",
            title: "equal gates are one",
            off: |t| t.encoding.share_gates = false,
        },
        TechniqueSwitch {
            name: "closed-forms",
            title: "closed form of communication closures",
            off: |t| t.closed_forms = false,
        },
        TechniqueSwitch {
            name: "scopes",
            title: "narrowest scope",
            off: |t| t.narrow_scopes = false,
        },
        TechniqueSwitch {
            name: "fences",
            title: "no fences at ends of threads",
            off: |t| t.inner_fences = false,
        },
        TechniqueSwitch {
            name: "guards",
            title: "every read a guard (programs)",
            off: |t| t.every_read_guards = false,
        },
        TechniqueSwitch {
            name: "races",
            title: "races of candidates themselves (programs)",
            off: |t| t.few_races = false,
        },
        TechniqueSwitch {
            name: "choices",
            title: "sets of kinds of events are told apart",
            off: |t| t.encoding.choices = false,
        },
        TechniqueSwitch {
            name: "cases",
            title: "one place of the violation after the other",
            off: |t| t.goals_by_cases = false,
        },
        TechniqueSwitch {
            name: "lemmas",
            title: "lemmas before the question",
            off: |t| t.lemmas = false,
        },
        TechniqueSwitch {
            name: "solver",
            title: "one solver for all axioms of a shape",
            off: |t| t.shared_solver = false,
        },
    ];
}
