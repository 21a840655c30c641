//! The bytes of records.

use margay_proof::{ProofInput, RecordKind};

use crate::{derived, encoded, given, plain, question, record, tiny};

#[test]
fn records_are_read_as_they_were_written() {
    let records = [
        given(u64::MAX, &[i32::MAX, -i32::MAX, 1]),
        given(0, &[]),
        derived(1 << 63, &[-1], &[u64::MAX, 0, 1, u64::MAX]),
        plain(RecordKind::Delete, u64::MAX),
        plain(RecordKind::Weaken, 0),
        record(RecordKind::Restore, 5, &[2, -3], &[]),
        question(&[-4, 4]),
        plain(RecordKind::Satisfiable, 0),
        plain(RecordKind::Unknown, 0),
        plain(RecordKind::Refuted, 1 << 63),
        plain(RecordKind::End, 10),
    ];
    let bytes = encoded(&records);
    let mut input = ProofInput::new(bytes.as_slice());
    for record in &records {
        assert_eq!(input.record().expect("it was written so"), record);
    }
}

/// The files that were written stay proofs.
#[test]
fn the_format_is_what_it_was() {
    let bytes = [1, 2, 2, 4, 4, 1, 2, 2, 6, 2, 2, 2, 1, 8, 2, 3, 2, 6, 1, 10, 9, 6];
    assert_eq!(encoded(&tiny()), bytes);
}
