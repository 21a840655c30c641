//! The cases of a check one by one, for machines and schedulers of any kind: listed, solved from
//! their files, and how long they take on many machines.

pub mod list;
pub mod run;
pub mod simulate;
