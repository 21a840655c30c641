//! The program as its users meet it: a file for each group of commands.

mod axioms;
mod cases;
mod certificates;
mod certificates_run;
mod change;
mod check;
mod checkpoint;
mod cluster;
mod confirm;
mod families;
mod gpu;
mod litmus;
mod models;
mod program;
mod programs;
mod recipes;
mod report;
mod runner;
mod writing;
