//! The program as its users meet it: a file for each group of commands.

mod again;
mod axioms;
mod cases;
mod certificates;
mod certificates_run;
mod change;
mod check;
mod checkpoint;
mod ci;
mod cluster;
mod config;
mod confirm;
mod corpus;
mod documents;
mod extract;
mod families;
#[cfg(target_os = "linux")]
mod first_run;
mod gpu;
mod interrupts;
mod litmus;
mod manual;
mod models;
mod pages;
mod program;
mod programs;
mod prove;
mod recipes;
mod report;
mod robustness;
mod runner;
mod untrusted;
mod writing;
