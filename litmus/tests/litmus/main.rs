//! The tests of the crate in one program, which is built in a fraction of the time that one for each file takes.

mod addresses;
mod architectures;
mod both_engines;
mod corpora;
mod corpus;
mod cycles;
mod diagnostics;
mod exhaustive;
mod forms;
mod generate;
mod identity;
mod instructions;
mod isa_8;
mod loops;
mod lost;
mod mixed;
mod mutations;
mod of_execution;
mod one_change;
mod render;
mod round_trip;
mod sequencing;
mod strengthen;
mod vectors;
mod verdicts;
mod widths;
