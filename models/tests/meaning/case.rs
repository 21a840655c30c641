//! A row of the tables: a litmus test with its verdict under each model that it speaks of, and
//! where the verdict comes from.

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

/// Some cases, each with a verdict for each of some models.
pub struct Table {
    pub models: &'static [&'static str],
    pub cases: &'static [Case],
}

/// Every table.
pub const TABLES: &[Table] = &[
    Table { models: &["sc", "tso"], cases: crate::plain::CASES },
    Table { models: &["rmo"], cases: crate::rmo::CASES },
    Table { models: crate::c::ALL, cases: crate::c::CASES },
    Table { models: crate::c::ALL, cases: crate::c_sc::CASES },
    Table { models: crate::ptx::ALL, cases: crate::ptx::CASES },
    Table { models: crate::ptx::ALL, cases: crate::ptx_coherence::CASES },
    Table { models: &["ptx-8"], cases: crate::ptx_8::CASES },
    Table { models: &["ptx-8"], cases: crate::ptx_8_proxies::CASES },
    Table { models: &["ptx-2015"], cases: crate::ptx_2015::CASES },
];

pub fn cases(model: &str) -> Vec<&'static Case> {
    TABLES.iter().filter(|t| t.models.contains(&model)).flat_map(|t| t.cases).collect()
}
