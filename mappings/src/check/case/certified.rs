//! A case with a proof of what it found to be unsatisfiable, and such a proof in the place of the solver.

use std::io::BufWriter;
use std::path::Path;

use margay_models::whole::unfinished_in;
use margay_solver::proof::{Flaw, Log, Replay, Replayed};

use super::{Answer, Cube, Decision, Extent, Fault, Learned, Setting, Shape, Start, case, decide, goals};

/// The answers of a case, and what was written of it.
pub struct Certified {
    /// The answers.
    pub decisions: Vec<Decision>,
    /// The proof, as it was read back and accepted.
    pub proof: Option<Replayed>,
    /// Why the proof could not be written, if it could not. The answers are then as good as those of a search without a certificate.
    pub unwritten: Option<String>,
}

/// Decides the questions with the given indices, writes the proof into a file and reads it back: an answer whose proof is not accepted
/// is none. The file is there once the proof is accepted; until then it has another name. A proof that cannot be written (a full disk)
/// costs the certificate and not the answer.
///
/// # Errors
/// The engines disagree about a candidate, or solver and checker about a proof.
pub fn decide_certified(
    setting: &Setting<'_>,
    shape: &Shape,
    cube: &Cube,
    questions: &[usize],
    file: &Path,
) -> Result<Certified, Fault> {
    let extent = extent(shape, cube);
    if !setting.options.backend.proves() {
        let what = format!("the solver `{}` writes no proofs", setting.options.backend);
        return Ok(Certified {
            decisions: decide(setting, extent, questions, Start::Solver)?,
            proof: None,
            unwritten: Some(what),
        });
    }
    let unfinished = file.parent().map_or_else(|| unfinished_in(Path::new(".")), unfinished_in);
    let open = unfinished.and_then(|unfinished| {
        let out = BufWriter::with_capacity(1 << 18, unfinished.reopen()?);
        Ok((Log::to(Box::new(out))?, unfinished))
    });
    let (log, unfinished) = match open {
        Ok(open) => open,
        Err(error) => {
            let decisions = decide(setting, extent, questions, Start::Solver)?;
            return Ok(Certified { decisions, proof: None, unwritten: Some(cannot(file, &error)) });
        }
    };
    // All techniques are on, the shared solver among them: there is one case.
    let decisions = decide(setting, extent, questions, Start::Logged(&log))?;
    if let Err(error) = log.finish() {
        return Ok(Certified { decisions, proof: None, unwritten: Some(cannot(file, &error)) });
    }
    let answers: Vec<(usize, Answer, &Learned)> = decisions.iter().map(|d| (d.question, d.answer, &d.learned)).collect();
    let proof = match replay(setting, (shape, cube), &answers, unfinished.path()) {
        Ok((refuted, proof)) if decisions.iter().zip(&refuted).all(|(d, &r)| (d.answer == Answer::None) == r) => proof,
        Ok(_) => return Err(Fault::Disagreement(format!("the proof of {shape} does not have the solver's answers"))),
        Err(flaw) => return Err(Fault::Disagreement(format!("the proof of {shape} is not accepted: {flaw}"))),
    };
    if let Err(error) = unfinished.persist(file) {
        return Ok(Certified { decisions, proof: None, unwritten: Some(cannot(file, &error.error)) });
    }
    Ok(Certified { decisions, proof: Some(proof), unwritten: None })
}

fn cannot(file: &Path, error: &std::io::Error) -> String {
    format!("the proof `{}` cannot be written: {error}", file.display())
}

/// Translates a case, a shape or a leaf of it, again and compares it with its proof, clause by clause; for each question, given with its answer and with what is
/// to be learned on the way, whether it was refuted. What is learned is true of every program whatever it was learned from: it is a
/// formula about all programs that this translation makes.
///
/// # Errors
/// The proof is of another case, or wrong.
pub fn replay(
    setting: &Setting<'_>,
    (shape, cube): (&Shape, &Cube),
    questions: &[(usize, Answer, &Learned)],
    file: &Path,
) -> Result<(Vec<bool>, Replayed), Flaw> {
    let replay = Replay::open(file)?;
    let mut of = case(setting, extent(shape, cube), Start::Replayed(&replay));
    let mut refuted = vec![false; questions.len()];
    // Where a limit ended the search, nothing that came later counts.
    let answered = questions.iter().take_while(|q| q.1 != Answer::Unknown).count();
    for (&(question, _, learned), refuted) in questions[..answered].iter().zip(&mut refuted) {
        let goals = goals(&mut of, setting, question);
        let mut lessons = learned.0.iter();
        *refuted = of.is_refuted(&goals, &mut lessons) && lessons.next().is_none();
    }
    Ok((refuted, replay.finish(answered == questions.len())?))
}

/// The executions of a leaf; of the whole shape without facts.
fn extent<'a>(shape: &'a Shape, cube: &'a Cube) -> Extent<'a> {
    if cube.is_empty() { Extent::Shape(shape) } else { Extent::Leaf(shape, cube) }
}
