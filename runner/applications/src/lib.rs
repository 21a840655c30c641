//! Applications under test, as in Sorensen and Donaldson, *Exposing errors related to weak memory in GPU applications* (PLDI 2016): compiled kernels, launches in
//! order, inputs and a post-condition, run many times ([`mod@test`]); and which fences it takes until no run is wrong ([`harden`]).

#![warn(unreachable_pub)]

mod application;
mod campaign;
#[cfg(not(target_family = "wasm"))]
mod cost;
#[cfg(target_family = "wasm")]
#[path = "no_cost.rs"]
mod cost;
#[cfg_attr(target_family = "wasm", allow(dead_code, reason = "for GPUs, of which there are none"))]
pub mod gpu;
pub mod harden;
mod post;
pub mod suite;
pub mod test;
mod weave;
mod woven;
