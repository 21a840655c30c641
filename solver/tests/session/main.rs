//! The interface of sessions, by examples.

mod dimacs;
mod errors;
mod limits;
mod recursion;
mod sharing;
