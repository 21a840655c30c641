//! Proofs written by hand: what is accepted, what is refused, and what others get to read. Proofs of a solver, whole and damaged, are tested in
//! `solver/tests/properties`.

mod alone;
mod lrat;
mod records;
mod refused;
mod steps;

use margay_proof::{Checker, Encoder, Flaw, Kind, Record, Step};

fn record(kind: Kind, id: u64, literals: &[i32], hints: &[u64]) -> Record {
    Record { kind, id, literals: literals.to_vec(), hints: hints.to_vec() }
}

fn given(id: u64, literals: &[i32]) -> Record {
    record(Kind::Original, id, literals, &[])
}

fn derived(id: u64, literals: &[i32], hints: &[u64]) -> Record {
    record(Kind::Derived, id, literals, hints)
}

fn question(assumptions: &[i32]) -> Record {
    record(Kind::Question, 0, assumptions, &[])
}

/// A record that has nothing but an id, or nothing.
fn plain(kind: Kind, id: u64) -> Record {
    record(kind, id, &[], &[])
}

/// "1 or 2" and "not 1 or 2" refute "not 2".
fn tiny() -> Vec<Record> {
    vec![given(1, &[1, 2]), given(2, &[-1, 2]), derived(3, &[2], &[1, 2]), question(&[-2]), plain(Kind::Refuted, 3)]
}

fn encoded(records: &[Record]) -> Vec<u8> {
    let (mut encoder, mut bytes) = (Encoder::default(), Vec::new());
    records.iter().for_each(|r| encoder.put(r, &mut bytes));
    bytes
}

/// With the record that ends a proof.
fn ended(records: &[Record]) -> Vec<u8> {
    let end = plain(Kind::End, records.len() as u64);
    encoded(&[records, &[end]].concat())
}

/// The steps up to the end.
fn checked(bytes: &[u8]) -> Result<Vec<Step>, Flaw> {
    let mut checker = Checker::of_records(bytes);
    let mut steps = Vec::new();
    while steps.last() != Some(&Step::End) {
        steps.push(checker.step()?);
    }
    Ok(steps)
}
