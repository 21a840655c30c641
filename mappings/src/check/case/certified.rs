//! A case with a proof of what it found to be unsatisfiable, and such a proof in the place of the
//! solver.

use std::path::Path;

use margay_solver::proof::{ProofFlaw, Replay, Replayed};

use super::{
    CaseAnswer, CaseDecision, CaseExtent, CheckSetting, Cube, Learned, SearchFault, Start,
    ThreadShape, case, decide, goals,
};
use crate::certificate::{Proved, prove};

/// Decides the questions with the given indices, and writes the proof into the folder; `name` says
/// what it is called, given how many questions are answered.
///
/// # Errors
/// The engines disagree about a candidate, or solver and checker about a proof.
pub fn decide_certified(
    setting: &CheckSetting<'_>,
    (shape, cube): (&ThreadShape, &Cube),
    questions: &[usize],
    (folder, name): (&Path, impl Fn(usize) -> String),
) -> Result<Proved<Vec<CaseDecision>>, SearchFault> {
    // All techniques are on, the shared solver among them: there is one case.
    let search = |start: Start<'_>| decide(setting, extent(shape, cube), questions, start);
    let again = |decisions: &Vec<CaseDecision>, file: &Path| {
        let answers: Vec<(usize, CaseAnswer, &Learned)> =
            decisions.iter().map(|d| (d.question, d.answer, &d.learned)).collect();
        let (refuted, proof) = replay(setting, (shape, cube), &answers, file)?;
        Ok((
            decisions.iter().zip(&refuted).all(|(d, &r)| (d.answer == CaseAnswer::None) == r),
            proof,
        ))
    };
    // Of several questions, what is learned for one is a part of the proof of the next. Where a
    // limit was reached before any was answered, there is nothing to prove.
    let name = |decisions: &Vec<CaseDecision>| match answered(decisions.iter().map(|d| d.answer)) {
        0 => None,
        answered => Some(name(answered)),
    };
    prove(shape, (folder, &setting.options.backend), search, name, again)
}

/// How many questions were answered before a limit was reached; where one ended the search, nothing
/// that came later counts.
fn answered(answers: impl Iterator<Item = CaseAnswer>) -> usize {
    answers.take_while(|&answer| answer != CaseAnswer::Unknown).count()
}

/// Translates a case, a shape or a leaf of it, again and compares it with its proof, clause by
/// clause; for each question, given with its answer and with what is to be learned on the way,
/// whether it was refuted. What is learned is true of every program whatever it was learned from:
/// it is a formula about all programs that this translation makes.
///
/// # Errors
/// The proof is of another case, or wrong.
pub fn replay(
    setting: &CheckSetting<'_>,
    (shape, cube): (&ThreadShape, &Cube),
    questions: &[(usize, CaseAnswer, &Learned)],
    file: &Path,
) -> Result<(Vec<bool>, Replayed), ProofFlaw> {
    let replay = Replay::open(file)?;
    let mut of = case(setting, extent(shape, cube), Start::Replayed(&replay));
    let mut refuted = vec![false; questions.len()];
    let answered = answered(questions.iter().map(|q| q.1));
    for (&(question, _, learned), refuted) in questions[..answered].iter().zip(&mut refuted) {
        let goals = goals(&mut of, setting, question);
        let mut lessons = learned.0.iter();
        *refuted = of.is_refuted(&goals, &mut lessons) && lessons.next().is_none();
    }
    Ok((refuted, replay.finish(answered == questions.len())?))
}

/// The executions of a leaf; of the whole shape without facts.
fn extent<'a>(shape: &'a ThreadShape, cube: &'a Cube) -> CaseExtent<'a> {
    if cube.is_empty() { CaseExtent::Shape(shape) } else { CaseExtent::Leaf(shape, cube) }
}
