//! The .cat language: syntax, typing, the judge, lowering and explanations, each against something
//! that was written apart.

mod architectures;
mod diagnostics;
mod dialects;
mod ends;
mod explain;
mod generate;
mod judge;
mod lowering;
mod naive;
mod readings;
mod robustness;
mod roundtrip;
mod sets;
mod shipped;
mod syntax;
mod wellformed;
