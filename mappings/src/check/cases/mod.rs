//! Cases whose answers are kept. A case is what is solved at once: for a bound and a kind of
//! programs, one thread shape. Its answer follows from what is asked ([`statement`]), from the
//! case, and from the lessons that smaller bounds taught; a run that was interrupted therefore ends
//! as one that was not. Only answers are kept, never that a limit was reached.

mod cost;
mod decider;
mod elsewhere;
mod engine;
mod file;
mod given;
mod keeping;
mod makespan;
mod mapping_answer;
mod name;
mod part;
mod record;
mod recorded;
mod statement;
mod store;

pub use crate::search::{Cube, CubeFact, covers};
pub use cost::{CaseCost, CaseCosts};
pub use decider::{CaseSearch, Decider};
pub use elsewhere::Elsewhere;
pub use engine::{CaseEngine, CaseWork};
pub use file::{CaseFile, SolvedCaseFile};
pub use keeping::{CheckpointedAnswers, Keeping};
pub use makespan::makespan;
pub use mapping_answer::MappingAnswerFile;
pub use part::{CasePart, PartAnswer, join, parts};
pub use recorded::{RecordedCase, recorded};
pub use statement::CheckStatement;
