//! The tests of the runner in one program, which is built faster than eight, and whose long tests
//! run beside one another.

mod assembled;
mod asynchronous;
mod compiled;
mod emulator;
mod harness;
mod models;
mod permutation;
mod table4_2;
mod transcription;
mod tune;
