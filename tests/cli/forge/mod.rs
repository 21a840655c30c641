//! Forged certificates: whoever seals a certificate again can write there what he likes, and none
//! of it may make a false claim pass.

mod forgery;
mod relabelled;
mod runs;
pub mod searches;
mod theorems;
