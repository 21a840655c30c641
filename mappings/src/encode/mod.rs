//! The question "can a legal target execution be read back as an illegal source execution?" as a relational problem: one
//! formula for a mapping, and bounds for each thread shape (docs/encoding.md).

pub mod atoms;
mod comparison;
pub mod data;
mod guard;
pub mod preference;
mod prefix;
mod problem;
mod relaxed;
pub mod shape;
mod source;
mod special;
mod suite;
pub mod symmetry;
mod target;
mod technique;
mod threads;
pub mod vocabulary;

pub use comparison::{Comparison, Extent, Side};
pub use guard::{Programs, beyond_guarded};
pub use prefix::{Prefix, Reasons, Sources};
pub use problem::{MindsCycles, Problem, ProblemOptions, Question, is_axiom, is_default_axiom, is_undefined_behaviour};
pub use relaxed::Change;
pub use special::Special;
pub use suite::Suite;
pub use target::roles;
pub use technique::{Switch, Techniques};
