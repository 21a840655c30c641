//! The answer as JSON (docs/json.md).

use margay_reports::prove as report;

use super::answer::{MappingAnswer, Said};
use super::argument::record::{gap, inhabitant, step};
use super::lemmas::LemmaOfFile;
use super::rocq::File;
use super::written::ProofCertificate;
use crate::check::counterexample_report;

fn axiom(name: &str, claim: &str, said: &Said<'_>) -> report::AxiomProofRecord {
    report::AxiomProofRecord {
        axiom: name.to_owned(),
        claim: claim.to_owned(),
        verdict: said.verdict(),
        events: if let Said::Counterexample(n) | Said::Contradiction(n) = said {
            Some(*n)
        } else {
            None
        },
        none_up_to: if let Said::Open(n, _) | Said::Unsearched(n) = said { Some(*n) } else { None },
        missing: if let Said::Open(_, Some(g)) = said { Some(gap(g)) } else { None },
    }
}

fn tried((of, all): &(String, Vec<(String, bool)>)) -> report::GuessRecord {
    let guess = |(text, kept): &(String, bool)| report::Guess { guess: text.clone(), kept: *kept };
    report::GuessRecord { of: of.clone(), guesses: all.iter().map(guess).collect() }
}

/// The whole answer; with what was guessed, if that is asked for.
pub fn document(answer: &MappingAnswer<'_>, with_guesses: bool) -> report::MappingProofDocument {
    let MappingAnswer { mapping, options, .. } = answer;
    let whole = answer.whole();
    let goals = &answer.report.goals;
    let none_up_to = match whole {
        Said::Open(n, _) | Said::Unsearched(n) => Some(n),
        Said::Empty(_) => Some(answer.search.established),
        Said::Theorem | Said::Counterexample(_) | Said::Contradiction(_) => None,
    };
    report::MappingProofDocument {
        mapping: mapping.title.clone(),
        mapping_file: mapping.file.name.clone(),
        source: mapping.source.name.clone(),
        source_file: mapping.source.source.name.clone(),
        target: mapping.target.name.clone(),
        target_file: mapping.target.source.name.clone(),
        level: options.level.into(),
        co: options.co.into(),
        typed: options.typed,
        constructs: answer.search.constructs.clone(),
        not_asked: mapping.unknown_failures(Some(&answer.search.constructs)),
        coverage: mapping.coverage(Some(&answer.search.constructs)).into(),
        solver: options.backend.version(),
        verdict: whole.verdict(),
        answer: answer.headline().text(),
        supposes: answer.hypotheses.sentences.clone(),
        empty: answer.report.premises.empty.clone(),
        inhabitants: answer.report.premises.inhabitants.iter().map(inhabitant).collect(),
        absent: answer.report.premises.refuted().into_iter().map(str::to_owned).collect(),
        contradiction: matches!(whole, Said::Contradiction(_)),
        reason: answer.stopped.map(str::to_owned),
        bound: options.bound,
        none_up_to,
        axioms: answer
            .axioms()
            .iter()
            .zip(goals)
            .map(|((name, said), g)| axiom(name, &g.claim, said))
            .collect(),
        steps: answer.report.steps.iter().map(step).collect(),
        lemmas: answer.lemmas.iter().map(LemmaOfFile::report).collect(),
        tried: with_guesses.then(|| answer.report.tried.iter().map(tried).collect()),
        counterexamples: answer.presented().iter().map(counterexample_report).collect(),
        certificate: answer.certified.map(ProofCertificate::report),
        rocq: answer.rocq.map(File::document),
        seconds: answer.seconds,
        search_seconds: answer.report.times.search.as_secs_f64(),
        proof_seconds: answer.report.times.proof.as_secs_f64(),
        check_seconds: answer.report.times.check.as_secs_f64(),
        peak_memory_bytes: margay_console::limits::peak(),
    }
}
