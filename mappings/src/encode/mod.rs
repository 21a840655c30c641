//! The question "can a legal target execution be read back as an illegal source execution?" as a
//! relational problem: one formula for a mapping, and bounds for each thread shape
//! (docs/encoding.md).

pub mod atoms;
pub mod back;
pub mod classes;
mod comparison;
mod data;
mod fences;
mod guard;
mod lemmas;
mod level;
pub mod preference;
mod prefix;
mod problem;
mod programs;
mod races;
mod relaxed;
mod scopes;
mod sets;
pub mod shape;
pub mod slot;
mod source;
mod source_base;
mod special;
mod specials;
mod suite;
pub mod symmetry;
mod target;
mod technique;
mod threads;
pub mod vocabulary;
mod wellformed;

pub use comparison::{ComparisonExtent, ComparisonSide, ModelComparison};
pub use prefix::{Prefix, ReadSources, Reasons};
pub use problem::{AxiomId, MappingProblem, MindsCycles, ProblemOptions, chosen_fences};
pub use programs::{Programs, beyond_guarded};
pub use races::FewRaces;
pub use relaxed::Relaxation;
pub use slot::{roles, unused_half};
pub use special::SpecialRelation;
pub use suite::SuiteSearch;
pub use technique::{TechniqueSwitch, Techniques};
pub use vocabulary::MappingVocabulary;
