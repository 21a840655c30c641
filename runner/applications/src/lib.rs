//! Applications under test, as in Sorensen and Donaldson, *Exposing errors related to weak memory in GPU applications* (PLDI 2016): compiled kernels, launches in
//! order, inputs and a post-condition, run many times ([`mod@test`]); and which fences it takes until no run is wrong ([`harden`]).

#![warn(unreachable_pub)]

mod application;
mod campaign;
mod cost;
pub mod gpu;
pub mod harden;
mod post;
pub mod suite;
pub mod test;
mod weave;
mod woven;
