//! A row of the tables: a litmus test with its verdict under each model that it speaks of, and where the verdict comes from.

use margay_models::Signature;

/// What a model says about the outcome of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// No candidate execution is consistent.
    Forbidden,
    /// A consistent candidate shows it, and none of the consistent ones raises the flag for races.
    Allowed,
    /// A consistent candidate shows it and has a race.
    Racy,
}

/// A litmus test and its verdicts.
pub struct Case {
    /// The field's name for the shape, and what is particular.
    pub name: &'static str,
    /// Where the verdicts come from.
    pub source: &'static str,
    /// The program and the outcome, as [`crate::program::Program::parse`] reads it.
    pub text: &'static str,
    /// The models with this verdict.
    pub verdicts: &'static [(Verdict, &'static [&'static str])],
}

/// A row.
pub const fn case(
    name: &'static str,
    source: &'static str,
    text: &'static str,
    verdicts: &'static [(Verdict, &'static [&'static str])],
) -> Case {
    Case { name, source, text, verdicts }
}

/// The tables for a signature.
pub fn cases(signature: Signature) -> Vec<&'static Case> {
    let tables: &[&'static [Case]] = match signature {
        Signature::Plain => &[crate::plain::CASES],
        Signature::C => &[crate::c::CASES, crate::c_sc::CASES],
        Signature::Ptx => &[crate::ptx::CASES, crate::ptx_coherence::CASES],
    };
    tables.iter().flat_map(|t| t.iter()).collect()
}
