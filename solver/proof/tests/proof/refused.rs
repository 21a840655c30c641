//! What is refused, and why.

use margay_proof::{ProofRecord, RecordKind};

use crate::{checked, derived, encoded, ended, given, plain, question, record, tiny};

/// The tiny proof with other records from a place on is refused for this reason.
fn refused(keep: usize, then: &[ProofRecord], why: &str) {
    let records = [&tiny()[..keep], then].concat();
    let flaw = checked(&ended(&records)).expect_err(why);
    assert!(flaw.what.contains(why), "{flaw}, and not: {why}");
}

#[test]
fn a_clause_that_does_not_follow() {
    refused(2, &[derived(3, &[2], &[])], "does not follow from its hints");
    refused(2, &[derived(3, &[2], &[1])], "does not follow from its hints");
    refused(2, &[derived(3, &[], &[1, 2])], "its hint 1 is not unit");
    refused(2, &[derived(3, &[2], &[1, 4])], "hint 4, which is not in use");
    refused(2, &[derived(3, &[2], &[3])], "hint 3, which is not in use");
    refused(
        2,
        &[plain(RecordKind::Delete, 1), derived(3, &[2], &[1, 2])],
        "hint 1, which is not in use",
    );
    refused(2, &[derived(3, &[2, 3], &[1, 2])], "variable 3 is in no original clause");
}

#[test]
fn a_clause_that_is_not_there_or_is_already() {
    refused(2, &[given(2, &[1])], "there is a clause 2 already");
    refused(3, &[derived(1, &[2], &[3])], "there is a clause 1 already");
    refused(2, &[plain(RecordKind::Delete, 3)], "clause 3 is named, and is not in use");
    refused(2, &[plain(RecordKind::Weaken, 3)], "clause 3 is named, and is not in use");
    let gone = [plain(RecordKind::Weaken, 1), plain(RecordKind::Delete, 1)];
    refused(
        2,
        &[&gone[..], &[plain(RecordKind::Delete, 1)]].concat(),
        "clause 1 is named, and is not in use",
    );
    refused(2, &[&gone[..], &[given(1, &[1, 2])]].concat(), "there is a clause 1 already");
    let with = |literals| record(RecordKind::Restore, 1, literals, &[]);
    refused(2, &[&gone[..], &[with(&[1])]].concat(), "did not go with these literals");
    refused(2, &[plain(RecordKind::Delete, 1), with(&[1, 2])], "did not go with these literals");
}

#[test]
fn an_answer_that_was_not_asked_for() {
    refused(3, &[plain(RecordKind::Satisfiable, 0)], "an answer without a question");
    refused(3, &[plain(RecordKind::Unknown, 0)], "an answer without a question");
    refused(3, &[given(4, &[]), plain(RecordKind::Refuted, 4)], "an answer without a question");
    refused(
        4,
        &[plain(RecordKind::Refuted, 1)],
        "the answer rests on clause 1, and -1 is not assumed",
    );
    refused(
        4,
        &[plain(RecordKind::Refuted, 4)],
        "the answer rests on clause 4, which is not in use",
    );
    refused(3, &[question(&[2]), plain(RecordKind::Refuted, 3)], "and -2 is not assumed");
    refused(4, &[question(&[])], "a question was asked before the answer");
    refused(4, &[given(4, &[1])], "a clause was given before the answer");
    refused(4, &[], "the last question has no answer");
}

#[test]
fn an_end_that_is_none() {
    let records = tiny();
    let with = |end: u64| encoded(&[&records[..], &[plain(RecordKind::End, end)]].concat());
    assert!(checked(&with(6)).is_err_and(|flaw| flaw.what == "the proof had 6 records, and has 5"));
    let whole = with(5);
    assert!(
        checked(&[&whole[..], b"x"].concat())
            .is_err_and(|flaw| flaw.what.contains("something follows"))
    );
    for cut in 0..whole.len() {
        assert!(
            checked(&whole[..cut]).is_err_and(|flaw| flaw.what.contains("cut off")),
            "{cut} bytes"
        );
    }
}

#[test]
fn bytes_that_are_no_record() {
    let refused = |bytes: &[u8], why: &str| {
        let flaw = checked(bytes).expect_err(why);
        assert!(flaw.what.contains(why) && flaw.record == 1, "{flaw}");
    };
    refused(&[0], "there is no record of kind 0");
    refused(&[11], "there is no record of kind 11");
    refused(&[[3].as_slice(), &[0xff; 10]].concat(), "more than 64 bits");
    // Codes 0 and 1 would be the literals of a variable 0; that of the last has too large a one.
    refused(&[1, 2, 1, 0], "0 is not the code of a literal");
    refused(&[1, 2, 1, 2], "1 is not the code of a literal");
    refused(&[1, 2, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 1], "is not the code of a literal");
    refused(&ended(&[given(1, &[1 << 27])]), "variable 134217728 is out of range");
}

/// Compressed, a record of more literals than any memory holds is a file of a few megabytes: its
/// number is refused before any of them is read.
#[test]
fn a_record_that_no_memory_holds() {
    let many = |bytes: &[u8], kept: usize| {
        // 2^60: eight bytes of seven bits each, and the sixteenth of the ninth.
        let number = [[0x80; 8].as_slice(), &[0x10]].concat();
        checked(&[&bytes[..kept], &number].concat()).expect_err("it is too large").what
    };
    let clause = encoded(&[given(1, &[1, 2])]);
    assert!(
        many(&clause, 2).contains("literals, and no record has more than"),
        "{}",
        many(&clause, 2)
    );
    let step = encoded(&[given(1, &[1]), derived(2, &[], &[])]);
    let hints = many(&step, step.len() - 1);
    assert!(hints.contains("hints, and no record has more than"), "{hints}");
}
