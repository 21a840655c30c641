//! The program as its users meet it: a file for each group of commands, and for its pages and its
//! pictures; with it what compilers and forgers do. One program has all of them, which is built
//! faster than five, and whose long tests run beside one another.

mod again;
mod app;
mod axioms;
mod cases;
mod certificates;
mod certificates_kernel;
mod certificates_run;
mod change;
mod check;
mod checkpoint;
mod chosen_fences;
mod ci;
mod cluster;
mod commands_of_pages;
mod compilers;
mod config;
mod confirm;
mod corpus;
mod documents;
mod executions;
mod extract;
mod families;
mod fence;
#[cfg(target_os = "linux")]
mod first_lines;
mod first_run;
mod forge;
mod gpu;
mod install;
mod interrupts;
mod kernel;
mod kernel_cuda;
mod kernel_questions;
mod litmus;
mod litmus_page;
#[cfg(unix)]
mod lost;
mod manual;
mod models;
mod opencl;
mod own_architecture;
mod pages;
mod papers_applications;
mod pictures;
mod premises;
mod program;
mod programs;
mod prove;
mod ptx_races;
mod recipes;
mod report;
mod robustness;
mod runner;
mod schema;
#[cfg(unix)]
mod security;
mod seen_elsewhere;
mod small_applications;
mod solvers;
mod tables;
mod unknown_failures;
mod untrusted;
mod widths;
mod writing;
