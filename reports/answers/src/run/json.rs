//! The lines of JSON about tests.

use margay_litmus::ask::axioms::Dependence;
use margay_litmus::corpus::Expected;
use margay_litmus::read::Read;
use margay_litmus::test::Test;
use margay_models::model::Model;
use margay_reports::run as document;

use super::answer::TestAnswer;
use super::lost;

/// One line of JSON.
pub fn line(answer: &TestAnswer<'_>, read: &Read, unroll: usize) -> document::TestUnderModel {
    let v = &answer.verdict;
    let known = Expected::from(v).gap.is_none();
    document::TestUnderModel {
        file: answer.file.to_owned(),
        answer: answer.first_line(unroll).text(),
        name: answer.test.name.clone(),
        model: answer.model.model.name.clone(),
        with_axioms: answer.model.taken.clone(),
        without_axioms: answer.model.left_out.clone(),
        depends_on: answer.dependences.iter().map(depends).collect(),
        quantifier: v.quantifier.keyword().to_owned(),
        holds: known.then_some(v.holds),
        reachable: known.then_some(v.reachable),
        bounded: v.bounded,
        racy: v.racy,
        race: v.race.as_ref().and_then(|w| lost::race(&answer.model.model, w, &read.file)),
        gap: v.gap.as_ref().map(|gap| lost::gap(gap, v, unroll, &read.file)),
        engine: v.engine.to_string(),
        executions: v.executions,
        milliseconds: answer.milliseconds,
        listed: answer
            .listed
            .as_ref()
            .map(|listed| listed.document(answer.test, &answer.model.model)),
    }
}

/// An optional axiom that decides an answer, and the answer with that axiom the other way.
fn depends(on: &Dependence) -> document::AxiomDependence {
    let otherwise = on.otherwise.as_ref();
    let otherwise =
        otherwise.map(|o| document::OtherwiseRecord { reachable: o.reachable, racy: o.racy });
    document::AxiomDependence { axiom: on.axiom.clone(), counts: on.counts, otherwise }
}

/// The line of a test that was not answered.
pub fn without_answer(
    file: &str,
    test: &Test,
    model: &Model,
    reason: String,
    milliseconds: f64,
) -> document::Unanswered {
    document::Unanswered {
        file: file.to_owned(),
        name: test.name.clone(),
        model: model.name.clone(),
        quantifier: test.condition.quantifier.keyword().to_owned(),
        holds: None,
        reachable: None,
        bounded: false,
        racy: None,
        engine: None,
        executions: None,
        answer: format!("undecided, {reason}: {}", crate::outcome::of(test, &model.name)),
        reason,
        milliseconds,
    }
}
