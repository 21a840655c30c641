//! What is accepted, step by step.

use margay_proof::{ProofChecker, ProofStep, RecordKind};

use crate::{checked, derived, ended, given, plain, question, record, tiny};

#[test]
fn a_proof_is_followed() {
    let bytes = ended(&tiny());
    assert_eq!(
        checked(&bytes),
        Ok(vec![
            ProofStep::Original,
            ProofStep::Original,
            ProofStep::Question,
            ProofStep::Refuted,
            ProofStep::End
        ])
    );
    let mut checker = ProofChecker::of_records(bytes.as_slice());
    while checker.step().expect("it is right") != ProofStep::End {}
    assert_eq!((checker.derived(), checker.records(), checker.bytes()), (1, 6, bytes.len() as u64));
    assert!(checker.step().expect_err("it is over").what.contains("has ended"));
}

/// After the last hint that is needed, others are not looked at; a clause with a literal and its
/// negation needs none.
#[test]
fn hints_that_are_not_needed_do_no_harm() {
    let records = [given(1, &[1]), derived(2, &[1, 3], &[1, 99]), derived(3, &[3, -3], &[])];
    assert!(checked(&ended(&records)).is_err_and(|flaw| flaw.what.contains("variable 3")));
    let records = [
        given(1, &[1, 3]),
        given(2, &[1, 1, -3]),
        derived(3, &[1], &[1, 2, 99]),
        derived(4, &[3, -3], &[]),
    ];
    assert!(checked(&ended(&records)).is_ok());
}

#[test]
fn a_weakened_clause_comes_back() {
    let mut records = tiny();
    let back = record(RecordKind::Restore, 1, &[2, 1], &[]);
    records.splice(2..2, [plain(RecordKind::Weaken, 1), plain(RecordKind::Delete, 1), back]);
    assert!(checked(&ended(&records)).is_ok());
    records.remove(4);
    assert!(
        checked(&ended(&records))
            .is_err_and(|flaw| flaw.what.contains("hint 1, which is not in use"))
    );
}

#[test]
fn several_questions_have_one_proof() {
    let mut records = tiny();
    records.extend([
        question(&[2]),
        plain(RecordKind::Satisfiable, 0),
        question(&[]),
        plain(RecordKind::Unknown, 0),
    ]);
    records.extend([
        given(4, &[-2]),
        derived(5, &[], &[4, 3]),
        question(&[]),
        plain(RecordKind::Refuted, 5),
    ]);
    let steps = checked(&ended(&records)).expect("it is right");
    assert_eq!(steps.iter().filter(|&&step| step == ProofStep::Refuted).count(), 2);
}

/// So many clauses go that the others are moved.
#[test]
fn clauses_keep_their_literals_when_others_go() {
    let mut records = Vec::new();
    for id in 0..30_000 {
        records.push(given(2 * id, &[1, 2, 3, 4, 5]));
        // Ids far apart, too.
        records.push(given(u64::MAX - id, &[id as i32 + 1]));
    }
    records.extend((0..30_000).map(|id| plain(RecordKind::Delete, 2 * id)));
    records
        .extend([given(1, &[-29_999, -7]), derived(3, &[], &[u64::MAX - 29_998, u64::MAX - 6, 1])]);
    records.extend([question(&[]), plain(RecordKind::Refuted, 3)]);
    assert!(checked(&ended(&records)).is_ok());
}
