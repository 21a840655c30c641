//! Verifies the certificate of tests, without a solver.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use margay_models::certificate::{Extent, not_accepted, wrong};
use margay_models::diagnostic::Diagnostic;
use margay_models::library;
use margay_models::model::Model;

use super::bases::{Bases, Held};
use super::document::{
    CertifiedSession, SessionAnswer, TestClaim, TestDocument, TestQuestion, TestSubject,
};
use super::proofs;
use crate::clusters;
use crate::corpus::Expected;
use crate::explicit;
use crate::parallel;
use crate::read::{self, Read};
use crate::sat::{SatRunner, ShownSession, Unaccepted};

/// Verifies all that a certificate says of tests: reads them and the models from the certificate,
/// translates each test again and compares it with the proofs clause by clause, checks each proof,
/// and judges each execution that is shown. `done` is told of each claim, in order.
///
/// # Errors
/// What is wrong, with the file and the place in it; what is not about what the reader holds.
pub fn verify(
    document: &TestDocument,
    folder: &Path,
    held: &Held,
    (jobs, mut done): (usize, impl FnMut(&TestClaim)),
) -> Result<(Extent, Bases), Vec<Diagnostic>> {
    let (tests, models) = (document.subject.tests(), document.subject.models());
    well_formed(document, folder).map_err(|error| vec![error])?;
    let bases = Bases::of(tests, models, held)?;
    let mut errors = Vec::new();
    let mut kept = |found: Vec<Diagnostic>| errors.extend(found);
    let tests: Vec<Read> =
        tests.iter().filter_map(|t| read::test(&t.file()).map_err(&mut kept).ok()).collect();
    let mut models: Vec<Model> =
        models.iter().filter_map(|m| m.read().map_err(&mut kept).ok()).collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    library::tell_apart(&mut models);
    let runners: Vec<SatRunner> = models.iter().map(SatRunner::new).collect();
    let prepare = || runners.clone();
    let work = |runners: &mut Vec<SatRunner>, i: usize| {
        let claim = &document.claims[i];
        let (test, model) = (&tests[claim.test], &models[claim.model]);
        let given = document.subject.given()[claim.given];
        one((document, folder), claim, test, (model, &mut runners[claim.model]), given)
    };
    let finished = |i: usize, result: Result<(), Diagnostic>| {
        errors.extend(result.err());
        done(&document.claims[i]);
        Ok::<(), std::convert::Infallible>(())
    };
    let Ok(()) = parallel::in_order(jobs, document.claims.len(), prepare, work, finished);
    if errors.is_empty() { Ok((Extent::of(proofs(document)), bases)) } else { Err(errors) }
}

/// Verifies one claim.
fn one(
    (document, folder): (&TestDocument, &Path),
    claim: &TestClaim,
    test: &Read,
    (model, runner): (&Model, &mut SatRunner),
    given: TestQuestion,
) -> Result<(), Diagnostic> {
    if let Some(error) = clusters::mismatch(&test.test, model, &test.file) {
        return Err(error);
    }
    let of = |what: String| {
        wrong(folder, &format!("`{}` under `{}`: {what}", test.file.name, model.name))
    };
    if let Some(why) = given.leaves_open(claim, &test.test) {
        return Err(of(format!("an answer is claimed, and {why}")));
    }
    let options = given.options();
    for proof in claim.sessions.iter().filter_map(|s| s.proof.as_ref()) {
        proof.file_in(folder, &document.margay)?;
    }
    let shown: Vec<ShownSession<PathBuf>> =
        claim.sessions.iter().map(|session| of_session(session, folder)).collect();
    let accepted = runner.verify(&test.test, &options, &shown);
    let (verdict, found) =
        accepted.map_err(|error| match (&error, shown.get(error.session())) {
            (Unaccepted::Proof(_, what), Some(ShownSession { proof: Some(file), .. })) => {
                not_accepted(file, &document.margay, what)
            }
            _ => of(error.to_string()),
        })?;
    for (session, found) in claim.sessions.iter().zip(&found) {
        if let (Some(proof), Some(found)) = (&session.proof, found) {
            proof.is(found, folder, &document.margay)?;
        }
    }
    let found = Expected::from(&verdict);
    if found != claim.verdict() {
        return Err(of(format!("what it shows is `{found}`, and it claims `{}`", claim.verdict())));
    }
    // That something is lost is no matter of a proof: the explicit engine, which has no part in it,
    // looks for that.
    let gap = explicit::ExplicitRunner::new(model)
        .gap(&test.test, verdict.reachable, &options)
        .map_err(|error| of(error.to_string()))?;
    if let Some(gap) = gap.filter(|gap| gap.is_beyond(verdict.bounded)) {
        return Err(of(format!(
            "an answer is claimed, and nothing follows where executions are {}",
            gap.name()
        )));
    }
    Ok(())
}

fn of_session(session: &CertifiedSession, folder: &Path) -> ShownSession<PathBuf> {
    let answer = |answer: &SessionAnswer| match answer {
        SessionAnswer::None => None,
        SessionAnswer::Execution(candidate) => Some(candidate.clone()),
    };
    ShownSession {
        answers: session.answers.iter().map(answer).collect(),
        proof: session.proof.as_ref().map(|p| folder.join(&p.file)),
    }
}

/// Claims ascend and are of tests and models that are there, files are of the folder, and labels
/// are of claims: of tests that were made of kernels each claim has one.
fn well_formed(document: &TestDocument, folder: &Path) -> Result<(), Diagnostic> {
    if let Some(what) = flaw_of_claims(document).or_else(|| flaw_of_subject(document)) {
        return Err(wrong(folder, what));
    }
    let mut files = BTreeSet::new();
    proofs(document).try_for_each(|proof| proof.place(folder, &mut files))
}

/// What is wrong with the order of the claims, or with what they say they are about.
fn flaw_of_claims(document: &TestDocument) -> Option<&'static str> {
    let (subject, claims) = (&document.subject, &document.claims);
    let place = |c: &TestClaim| (c.test, c.model, c.given);
    if !claims.is_sorted_by(|a, b| place(a) < place(b)) {
        return Some("its claims do not ascend");
    }
    let (tests, models) = (subject.tests().len(), subject.models().len());
    if claims.iter().any(|c| c.test >= tests || c.model >= models) {
        return Some("it has claims about tests or models that it has not");
    }
    claims
        .iter()
        .any(|c| c.given >= subject.given().len())
        .then_some("it has claims that were asked about in a way that it does not say")
}

/// What is wrong with how its tests were asked about, and with the labels of those that were made
/// of kernels.
fn flaw_of_subject(document: &TestDocument) -> Option<&'static str> {
    let (subject, claims) = (&document.subject, &document.claims);
    match subject {
        TestSubject::Run { given, .. } => (*given
            != TestQuestion { unroll: given.unroll, ..TestQuestion::default() })
        .then_some("a run looks at all rounds of loops"),
        TestSubject::Kernel { given, asked, .. } => {
            let labelled: BTreeSet<usize> = asked.iter().map(|label| label.claim).collect();
            if labelled != (0..claims.len()).collect() {
                return Some(
                    "it does not say of each of its claims, and of no others, what it was asked for",
                );
            }
            if !asked.is_sorted_by(|a, b| a < b) {
                return Some("what its claims were asked for does not ascend");
            }
            let used = |all: BTreeSet<usize>, count: usize| all == (0..count).collect();
            let all_used = used(claims.iter().map(|c| c.test).collect(), subject.tests().len())
                && used(claims.iter().map(|c| c.model).collect(), subject.models().len())
                && used(claims.iter().map(|c| c.given).collect(), given.len());
            (!all_used).then_some("it has tests, models or ways to ask that no claim is about")
        }
    }
}
