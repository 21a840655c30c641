//! Applications under test, as in Sorensen and Donaldson, *Exposing errors related to weak memory
//! in GPU applications* (PLDI 2016): compiled kernels, launches in order, inputs and a
//! post-condition, run many times ([`mod@test`]); and which fences it takes until no run is wrong
//! ([`harden`]).

#![warn(unreachable_pub)]
// In WebAssembly there is no GPU to be woven for.
#![cfg_attr(target_family = "wasm", allow(dead_code))]

mod application;
mod campaign;
#[cfg(not(target_family = "wasm"))]
mod cost;
pub mod environment;
#[cfg(not(target_family = "wasm"))]
mod gpu;
pub mod harden;
#[cfg_attr(target_family = "wasm", path = "no_gpu.rs")]
mod on_gpu;
mod post;
pub mod suite;
pub mod test;
#[cfg(not(target_family = "wasm"))]
mod weave;
#[cfg(not(target_family = "wasm"))]
mod woven;
