//! The program as its users meet it: a file for each group of commands.

mod change;
mod check;
mod litmus;
mod program;
mod programs;
mod runner;
