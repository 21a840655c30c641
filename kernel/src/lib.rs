//! From a kernel in PTX to an answer by PTX's own memory model.
//!
//! A [`launch::Launch`] says how many blocks of how many threads run. Each thread is executed as
//! far as it is constant (`thread.rs`); what is left, accesses to memory that threads share and
//! what depends on them, is a litmus test (`program.rs`), about which the engines of
//! `margay-litmus` are asked ([`ask`]): data races, addresses outside of arrays, traps, conditions,
//! waits that never end.

mod access;
mod alternatives;
mod answer;
mod ask;
mod brought;
mod cached;
mod collective;
mod condition;
mod content;
mod contents;
mod correlated;
mod counted;
mod divergence;
mod effort;
mod ended;
mod ends;
mod exchange;
mod first_rounds;
mod flow;
mod harden;
pub mod harness;
mod idle;
mod in_step;
mod initial;
mod inquiry;
mod keep;
pub mod launch;
mod layout;
mod left_open;
mod limits;
mod liveness;
mod mark;
mod meeting;
mod narrow;
mod obligation;
mod omission;
mod other_numbers;
mod parameter;
mod passing;
mod phase;
mod program;
mod proofs;
mod question;
mod race;
mod reached;
mod reading;
mod relevance;
mod repair;
mod residue;
mod retries;
mod selection;
mod slice;
mod small_numbers;
pub mod source_name;
mod spelling;
mod stale;
mod standstill;
mod stopped;
mod thread;
mod twins;
mod undefined;
mod vectors;
mod waiting;
mod weak;
mod weaker;
mod widths;

pub use answer::{
    ContentsAnswer, Finding, FindingKind, HardeningAnswer, HardeningFence, KernelAnswer,
    LaunchAnswer, LaunchVerdict, NotLooked, NumbersAnswer, RepairAnswer, RepairChange, RepairSide,
    Spot, Stands, WeakerAnswer, WeakerChange,
};
pub use ask::ask;
pub use content::{ArrayContent, ContentRest};
pub use layout::Object;
pub use mark::MarkKind;
pub use obligation::{hardened, weakened};
pub use omission::{Omission, OmissionReason};
pub use proofs::{KernelProofs, LackOfProof, LaunchProofs, ProvedQuestion, known_models};
pub use question::{KernelQuestion, KernelRefusal, UNROLL};
pub use reading::{KernelReading, UnreadableModel};
pub use residue::{MemoryCell, Origin};
pub use selection::{IdentityUse, LaunchSelection};

pub use weak::INTERLEAVINGS;
