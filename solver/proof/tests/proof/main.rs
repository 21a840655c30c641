//! Proofs written by hand: what is accepted, what is refused, and what others get to read. Proofs
//! of a solver, whole and damaged, are tested in `solver/tests/properties`.

mod alone;
mod lrat;
mod records;
mod refused;
mod steps;

use margay_proof::{
    Encoder, ProofChecker, ProofFlaw, ProofRecord, ProofStep, RecordKind, SatLiteral,
};

fn record(kind: RecordKind, id: u64, literals: &[i32], hints: &[u64]) -> ProofRecord {
    let literals = SatLiteral::all_of_dimacs(literals).expect("literals");
    ProofRecord { kind, id, literals, hints: hints.to_vec() }
}

fn given(id: u64, literals: &[i32]) -> ProofRecord {
    record(RecordKind::Original, id, literals, &[])
}

fn derived(id: u64, literals: &[i32], hints: &[u64]) -> ProofRecord {
    record(RecordKind::Derived, id, literals, hints)
}

fn question(assumptions: &[i32]) -> ProofRecord {
    record(RecordKind::Question, 0, assumptions, &[])
}

/// A record that has nothing but an id, or nothing.
fn plain(kind: RecordKind, id: u64) -> ProofRecord {
    record(kind, id, &[], &[])
}

/// "1 or 2" and "not 1 or 2" refute "not 2".
fn tiny() -> Vec<ProofRecord> {
    vec![
        given(1, &[1, 2]),
        given(2, &[-1, 2]),
        derived(3, &[2], &[1, 2]),
        question(&[-2]),
        plain(RecordKind::Refuted, 3),
    ]
}

fn encoded(records: &[ProofRecord]) -> Vec<u8> {
    let (mut encoder, mut bytes) = (Encoder::default(), Vec::new());
    records.iter().for_each(|r| encoder.put(r, &mut bytes));
    bytes
}

/// With the record that ends a proof.
fn ended(records: &[ProofRecord]) -> Vec<u8> {
    let end = plain(RecordKind::End, records.len() as u64);
    encoded(&[records, &[end]].concat())
}

/// The steps up to the end.
fn checked(bytes: &[u8]) -> Result<Vec<ProofStep>, ProofFlaw> {
    let mut checker = ProofChecker::of_records(bytes);
    let mut steps = Vec::new();
    while steps.last() != Some(&ProofStep::End) {
        steps.push(checker.step()?);
    }
    Ok(steps)
}
