//! Bounded relational model finding: relational logic, circuit, CNF, SAT, and back.

mod backend;
mod bounds;
mod circuit;
mod cnf;
mod dimacs;
mod encoding;
mod enumerate;
mod instance;
mod limits;
mod logic;
mod matrix;
mod objective;
mod options;
mod session;
mod symmetry;
mod translate;
mod tuples;
mod universe;

pub use backend::Backend;
pub use bounds::Bounds;
pub use encoding::Encoding;
pub use enumerate::Ended;
pub use instance::Instance;
pub use limits::Limits;
pub use logic::{Comparison, Expr, ExprNode, Formula, FormulaNode, Logic, NotMonotone, Recursion, Relation, Variable};
pub use options::{Preset, SolverOptions};
pub use session::{Literal, Outcome, Session, Statistics};
pub use symmetry::{Permutation, Symmetry};
pub use tuples::TupleSet;
pub use universe::{Atom, Universe};
