//! The mapping language and the bounded soundness check of compilation mappings.
//!
//! A [`language::Mapping`] says what a compiler emits for each operation of a source language, and
//! names the memory models of both sides. [`check::check`] asks the question of section 5.2 of
//! Lustig, Sahasrabuddhe, Giroux: A formal analysis of the NVIDIA PTX memory consistency model
//! (ASPLOS 2019): can a legal execution of the target be read back as an illegal execution of the
//! source? Bounds are searched from one event upward, so the first counterexample is a smallest
//! one.
//!
//! - [`language`], a crate of its own: the text of a mapping, read, resolved and printed
//!   (docs/mapping-language.md)
//! - [`library`]: the mappings that Margay ships, sound and broken
//! - [`encode`]: the question as relational formulas over `margay-solver` (docs/encoding.md)
//! - [`change`]: rows that could be weaker, and what mends a mapping that falls
//! - [`compare`]: the smallest executions that one of two models allows and the other forbids
//!   (docs/diff.md)
//! - [`check`]: bounds, thread shapes, the choice among smallest counterexamples, and the judge's
//!   confirmation
//! - [`synthesis`]: the minimal tests of a model
//! - [`witness`]: from an instance of the formulas to two executions, and the judge's confirmation
//! - [`status`]: what follows from a counterexample: a compiler bug, or less
//!
//! # Example
//!
//! Fig. 11 of the paper, with its acquire load weakened:
//!
//! ```
//! use margay_mappings::check::{CheckOptions, Silent, CheckVerdict, check};
//! use margay_mappings::language::{LoadOptions, load_text};
//! use margay_mappings::library;
//! use margay_mappings::status::Status;
//! use margay_models::diagnostic::SourceFile;
//!
//! let published = library::built_in("rc11-to-ptx").expect("it is shipped");
//! let broken = published.text.replace("ld.acquire.s", "ld.relaxed.s");
//! let mapping = load_text(&SourceFile::new("broken.map", broken), None, &LoadOptions::default())
//!     .expect("the rows are complete")
//!     .mapping;
//!
//! let mut options = CheckOptions::new(4);
//! options.only = ["R.ACQ", "R.NA", "W.REL", "W.NA"].map(str::to_owned).to_vec();
//! let report = check(&mapping, &options, &Silent).expect("the options fit the mapping");
//!
//! assert_eq!(report.verdict, CheckVerdict::Counterexample);
//! assert_eq!(report.established, 3); // nothing has three events or fewer
//! assert_eq!(report.counterexamples[0].source.threads.len(), 2); // message passing
//! assert_eq!(report.counterexamples[0].status, Status::Program); // a compiler bug
//! ```

pub mod causes;
pub mod certificate;
pub mod change;
pub mod check;
pub mod compare;
pub mod encode;
pub mod level;
pub mod library;
pub mod naming;
pub mod one;
mod pool;
mod search;
pub mod status;
pub mod synthesis;
mod verify;
pub mod witness;

pub use margay_language as language;
pub use margay_solver::Backend;
pub use search::SearchOptions;
pub use verify::{not_asked, verify};
