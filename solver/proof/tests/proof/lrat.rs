//! A refutation as other checkers read it.

use margay_proof::{ExportedRefutation, LratRefutation, RecordKind, refuted};

use crate::{derived, ended, given, plain, question, tiny};

/// Both texts of a question.
fn texts(bytes: &[u8], question: u64) -> (String, String, ExportedRefutation) {
    let refutation = LratRefutation::read(bytes, question).expect("it is refuted");
    let (mut cnf, mut lrat) = (Vec::new(), Vec::new());
    refutation.write_cnf(&mut cnf).expect("memory takes all");
    let exported = refutation.write_lrat(bytes, &mut lrat).expect("memory takes all");
    (String::from_utf8(cnf).expect("text"), String::from_utf8(lrat).expect("text"), exported)
}

#[test]
fn an_assumption_is_a_clause() {
    let (cnf, lrat, exported) = texts(&ended(&tiny()), 1);
    assert_eq!(cnf, "p cnf 2 3\n1 2 0\n-1 2 0\n-2 0\n");
    assert_eq!(lrat, "4 2 0 1 2 0\n5 0 3 4 0\n");
    assert_eq!(exported, ExportedRefutation { clauses: 3, steps: 2 });
}

#[test]
fn clauses_that_may_come_back_are_not_deleted() {
    let mut records = tiny();
    records.splice(3..3, [RecordKind::Weaken, RecordKind::Delete].map(|kind| plain(kind, 1)));
    records.insert(5, plain(RecordKind::Delete, 2));
    let (_, lrat, _) = texts(&ended(&records), 1);
    assert_eq!(lrat, "4 2 0 1 2 0\n4 d 2 0\n5 0 3 4 0\n");
}

#[test]
fn a_question_is_chosen_by_its_number() {
    let mut records = vec![given(7, &[1]), question(&[1]), plain(RecordKind::Satisfiable, 0)];
    records.extend([
        given(8, &[-1, 2]),
        given(9, &[-2]),
        derived(10, &[], &[9, 8, 7]),
        question(&[3]),
        plain(RecordKind::Refuted, 10),
    ]);
    let bytes = ended(&records);
    assert_eq!(refuted(bytes.as_slice()).expect("a proof"), [2]);
    let (cnf, lrat, _) = texts(&bytes, 2);
    assert_eq!(cnf, "p cnf 3 4\n1 0\n-1 2 0\n-2 0\n3 0\n");
    assert_eq!(lrat, "5 0 3 2 1 0\n6 0 5 0\n");
    let refused = |question| {
        LratRefutation::read(bytes.as_slice(), question).expect_err("it is not refuted").to_string()
    };
    assert_eq!(refused(1), "question 1 was not answered by a refutation");
    assert_eq!(refused(3), "there are 2 questions, and no number 3");
}
