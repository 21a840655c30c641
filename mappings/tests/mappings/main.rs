//! Mappings: what the check says of those that are shipped and of broken ones, against an enumeration that was written apart;
//! the mapping language, read, printed and misread.

mod against_judge;
mod all;
mod architectures;
mod brute;
mod causes;
mod certificates;
mod change;
mod compare;
mod dependencies;
mod deterministic;
mod diagnostics;
mod forms;
mod invent;
mod programs;
mod robustness;
mod roundtrip;
mod row_dependencies;
mod rows;
mod setup;
mod special;
mod split;
mod status;
mod synthesis;
mod techniques;
mod uses;
mod variants;
