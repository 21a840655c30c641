//! What cases, their answers and their proofs are called.

use crate::certificate::PROOF;
use crate::check::case::CheckSetting;
use crate::encode::Programs;
use crate::encode::shape::ThreadShape;
use crate::search::Cube;

/// The name of the proof of a case.
pub fn proof_file(case: &str) -> String {
    format!("{case}{PROOF}")
}

/// The kind of programs of a setting, as files name it.
pub fn kind(setting: &CheckSetting<'_>) -> &'static str {
    match setting.problem.vocabulary.content.programs {
        None => "executions",
        Some(Programs::Guarded) => "guarded",
        Some(Programs::Dependent { only_cyclic: true }) => "cyclic",
        Some(Programs::Dependent { only_cyclic: false }) => "dependent",
    }
}

/// `1,2` as files name it.
fn numbers(questions: &[usize]) -> String {
    questions.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// The name of a case: bound, kind, shape, questions, and for a leaf the way to it.
pub fn name(
    setting: &CheckSetting<'_>,
    shape: &ThreadShape,
    questions: &[usize],
    cube: &Cube,
) -> String {
    let way: String = cube.iter().map(|&(_, holds)| if holds { '1' } else { '0' }).collect();
    let leaf = if way.is_empty() { way } else { format!("-leaf{way}") };
    format!("{:02}-{}-{shape}-q{}{leaf}", shape.events(), kind(setting), numbers(questions))
}
