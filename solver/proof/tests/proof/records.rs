//! The bytes of records.

use margay_proof::{Input, Kind};

use crate::{derived, encoded, given, plain, question, record, tiny};

#[test]
fn records_are_read_as_they_were_written() {
    let records = [
        given(u64::MAX, &[i32::MAX, -i32::MAX, 1]),
        given(0, &[]),
        derived(1 << 63, &[-1], &[u64::MAX, 0, 1, u64::MAX]),
        plain(Kind::Delete, u64::MAX),
        plain(Kind::Weaken, 0),
        record(Kind::Restore, 5, &[2, -3], &[]),
        question(&[-4, 4]),
        plain(Kind::Satisfiable, 0),
        plain(Kind::Unknown, 0),
        plain(Kind::Refuted, 1 << 63),
        plain(Kind::End, 10),
    ];
    let bytes = encoded(&records);
    let mut input = Input::new(bytes.as_slice());
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
