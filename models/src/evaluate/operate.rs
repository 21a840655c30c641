//! The operators of the .cat language on rows of machine words: row `a` of a relation is the set of
//! the `b` with `a -> b`.
//!
//! A value is a slice of `n` words for a relation, of which a set uses the first.

use crate::model::CheckKind;

/// `r; s`
pub fn sequence(to: &mut [u64], r: &[u64], s: &[u64]) {
    // Most programs have nothing of some base relations: what is made of them costs next to
    // nothing.
    if s.iter().all(|&row| row == 0) {
        return to.fill(0);
    }
    for (out, &row) in to.iter_mut().zip(r) {
        let mut rest = row;
        let mut successors = 0;
        while rest != 0 {
            successors |= s[rest.trailing_zeros() as usize];
            rest &= rest - 1;
        }
        *out = successors;
    }
}

/// `A * B`
pub fn product(to: &mut [u64], a: u64, b: u64) {
    for (i, out) in to.iter_mut().enumerate() {
        *out = if a >> i & 1 == 1 { b } else { 0 };
    }
}

/// `[A]`
pub fn diagonal(to: &mut [u64], a: u64) {
    for (i, out) in to.iter_mut().enumerate() {
        *out = a & 1 << i;
    }
}

/// `r^-1`
pub fn inverse(to: &mut [u64], r: &[u64]) {
    to.fill(0);
    for (i, &row) in r.iter().enumerate() {
        let mut rest = row;
        while rest != 0 {
            to[rest.trailing_zeros() as usize] |= 1 << i;
            rest &= rest - 1;
        }
    }
}

/// The transitive closure in place, by Warshall's algorithm on words.
pub fn close(rows: &mut [u64]) {
    for k in 0..rows.len() {
        let through = rows[k];
        if through != 0 {
            for row in rows.iter_mut() {
                if *row >> k & 1 == 1 {
                    *row |= through;
                }
            }
        }
    }
}

/// `r+`
pub fn closure(to: &mut [u64], r: &[u64]) {
    to.copy_from_slice(r);
    close(to);
}

pub fn add_identity(to: &mut [u64]) {
    for (i, out) in to.iter_mut().enumerate() {
        *out |= 1 << i;
    }
}

/// `domain r`
pub fn domain(r: &[u64]) -> u64 {
    r.iter().enumerate().filter(|(_, row)| **row != 0).fold(0, |set, (i, _)| set | 1 << i)
}

/// `range r`
pub fn range(r: &[u64]) -> u64 {
    r.iter().fold(0, |set, row| set | row)
}

/// Is there no pair of an event with itself?
pub fn irreflexive(r: &[u64]) -> bool {
    r.iter().enumerate().all(|(i, row)| row >> i & 1 == 0)
}

/// Is there no cycle? Events without a successor among the remaining ones are taken away until none
/// is left or none can be.
pub fn acyclic(r: &[u64]) -> bool {
    let mut left = if r.len() == 64 { u64::MAX } else { (1 << r.len()) - 1 };
    loop {
        let before = left;
        let mut rest = left;
        while rest != 0 {
            let i = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if r[i] & left == 0 {
                left &= !(1 << i);
            }
        }
        if left == 0 {
            return true;
        }
        if left == before {
            return false;
        }
    }
}

/// Has a value the property that a check asks for? A set is its first word.
pub fn has(kind: CheckKind, is_set: bool, rows: &[u64]) -> bool {
    match kind {
        CheckKind::Acyclic => acyclic(rows),
        CheckKind::Irreflexive => irreflexive(rows),
        CheckKind::Empty if is_set => rows.first().is_none_or(|&set| set == 0),
        CheckKind::Empty => rows.iter().all(|&row| row == 0),
    }
}
