//! Bounded relational model finding: given relations over a finite universe, bounds on each, and a
//! formula of relational logic, find a meaning of the relations that satisfies the formula, or show
//! that there is none. The logic is that of Alloy and Kodkod with least fixpoints added; the search
//! is a SAT solver's.
//!
//! # An example: ceilings and floors
//!
//! "One man's ceiling is another man's floor", as a song has it (and Jackson's *Software
//! Abstractions* after it). If every man's ceiling is someone's floor, is every man's floor
//! someone's ceiling?
//!
//! ```
//! use margay_solver::{Atom, Backend, Bounds, Encoding, SolverLimits, Logic, SessionOutcome, Session, TupleSet, Universe};
//!
//! // Relations and formulas are made in an arena; their handles are `Copy`.
//! let mut logic = Logic::new();
//! let man = logic.relation("Man", 1);
//! let platform = logic.relation("Platform", 1);
//! let ceiling = logic.relation("ceiling", 2);
//! let floor = logic.relation("floor", 2);
//! let [m, p, c, f] = [man, platform, ceiling, floor].map(|r| logic.rel(r));
//!
//! // Every man has one ceiling and one floor.
//! let ceilings = logic.function(c, m, p);
//! let floors = logic.function(f, m, p);
//! // all x: Man | some y: Man | x.ceiling = y.floor, and the other way round.
//! let (x, y) = (logic.variable("x"), logic.variable("y"));
//! let [at_x, at_y] = [x, y].map(|v| logic.var(v));
//! let mut each_is_some = |a, b| {
//!     let (left, right) = (logic.join(at_x, a), logic.join(at_y, b));
//!     let same = logic.equal(left, right);
//!     let some = logic.exists(&[(y, m)], same);
//!     logic.for_all(&[(x, m)], some)
//! };
//! let premise = each_is_some(c, f);
//! let conclusion = each_is_some(f, c);
//! let refuted = logic.not(conclusion);
//!
//! // Two men, and three platforms of which some may not be there.
//! let universe = Universe::new(["Paul", "Art", "p1", "p2", "p3"]);
//! let men = TupleSet::from_tuples(1, [[Atom(0)], [Atom(1)]]);
//! let platforms = TupleSet::from_tuples(1, (2..5).map(|p| [Atom(p)]));
//! let pairs = TupleSet::from_tuples(2, (0..2).flat_map(|m| (2..5).map(move |p| [Atom(m), Atom(p)])));
//! let mut bounds = Bounds::new(universe);
//! bounds.exactly(man, men);
//! bounds.between(platform, TupleSet::new(1), platforms);
//! bounds.between(ceiling, TupleSet::new(2), pairs.clone());
//! bounds.between(floor, TupleSet::new(2), pairs);
//!
//! let mut session = Session::new(bounds, Encoding::default(), &Backend::default());
//! session.assert(&logic, ceilings);
//! session.assert(&logic, floors);
//! session.assert(&logic, premise);
//! // A goal is asked for in one call; what is asserted holds in all.
//! let goal = session.goal(&logic, refuted);
//! let SessionOutcome::Sat(counterexample) = session.solve(&[goal], &SolverLimits::default())? else { panic!("it does not follow") };
//! // The answer comes back as relations, and can be judged without the solver.
//! assert_eq!(counterexample.evaluate(&logic, c).len(), 2);
//! assert!(counterexample.holds(&logic, premise) && !counterexample.holds(&logic, conclusion));
//!
//! // If no two men share a ceiling, it follows (as far as two men can tell).
//! let back = logic.transpose(c);
//! let sharing = logic.join(c, back);
//! let identity = logic.identity();
//! let unshared = logic.subset(sharing, identity);
//! session.assert(&logic, unshared);
//! assert_eq!(session.solve(&[goal], &SolverLimits::default())?, SessionOutcome::Unsat);
//! # Ok::<(), margay_solver::SolverFailure>(())
//! ```
//!
//! # The pipeline
//!
//! Each arrow is a module, and data goes one way:
//!
//! 1. [`Logic`] is an arena of expressions and formulas. Equal ones are one node; constructors
//!    simplify what algebra decides. [`Logic::listing`] prints what came out.
//! 2. [`Bounds`] say of each relation which tuples it must have, and which it may have.
//!    [`Logic::skolemize`] makes relations of what quantifiers say to exist, so that instances show
//!    it.
//! 3. The translator turns an expression into a sparse matrix of bits, one for each tuple that it
//!    may have, and a formula into a bit of a circuit. What bounds decide is a constant and never
//!    reaches the solver. The translation knows the *polarity* of every occurrence: where a larger
//!    closure or fixpoint could only make the formula harder to satisfy, it is a fresh relation
//!    under Horn clauses, which is small; elsewhere it is computed exactly, by repeated squaring or
//!    iteration.
//! 4. The circuit becomes clauses, again only those that polarity asks for ([`Encoding`] has a
//!    switch for each technique).
//! 5. A [`Solver`] searches. The one of the library is BatSat, in Rust; features add CaDiCaL and
//!    Varisat, and anyone can bring one ([`solver`]).
//! 6. A [`Session`] keeps all of this between calls. Formulas, goals and clauses may be added at
//!    any time; calls may assume literals, minimise weighted sums or lexicographic vectors, and
//!    enumerate up to [`Symmetry`]. Where assumptions cannot hold together, [`Session::core`] says
//!    which, and [`Session::minimal_core`] leaves out what is not needed.
//! 7. An [`Instance`] gives the relations of a solution, and evaluates any expression or formula on
//!    them, by an evaluator that shares no code with the translator.

#![warn(missing_docs)]

/// The example of the page is run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod bounds;
mod choices;
mod circuit;
mod clause_list;
mod clause_text;
mod cnf;
mod cores;
mod dimacs;
mod display;
mod encoding;
mod enumerate;
mod evaluate;
mod instance;
mod limits;
mod logic;
mod matrix;
pub mod notation;
mod objective;
mod options;
pub mod proof;
#[doc(hidden)]
pub mod scratch;
mod session;
mod skolem;
pub mod solver;
mod symmetry;
mod translate;
mod tuples;
mod universe;

pub use bounds::Bounds;
pub use cores::Core;
pub use display::{NamedInstance, NamedTuples};
pub use encoding::Encoding;
pub use enumerate::EnumerationEnd;
pub use instance::Instance;
pub use limits::SolverLimits;

pub use logic::{
    CardinalityComparison, Expr, ExprNode, Formula, FormulaNode, Logic, NotMonotone,
    QuantifiedVariable, Recursion, Relation,
};
pub use notation::{ExprNotation, FormulaNotation, Notation};
pub use objective::Objective;
pub use options::{Preset, SolverOptions};
pub use session::{Literal, Session, SessionOutcome, Statistics};
pub use skolem::Skolem;
pub use solver::{Backend, Factory, Solver, SolverAnswer, SolverFailure};
pub use symmetry::{Permutation, Symmetry};
pub use tuples::TupleSet;
pub use universe::{Atom, Universe};
