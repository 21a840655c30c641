//! Sparse boolean matrices: the value of an expression as one bit for each tuple that it may have.
//! A tuple is a number in base `n` (the size of the universe); cells are sorted by it, and what is
//! not there is false.

use crate::circuit::{Bit, Circuit};

/// A sparse matrix; its arity is known to whoever holds it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Matrix {
    /// Tuples and their bits, ascending; no bit is constantly false.
    cells: Vec<(u64, Bit)>,
}

impl Matrix {
    /// The empty matrix.
    pub fn new() -> Self {
        Self::default()
    }

    /// From cells in ascending order of tuples; false ones are dropped.
    pub fn from_sorted(cells: impl IntoIterator<Item = (u64, Bit)>) -> Self {
        let cells: Vec<_> = cells.into_iter().filter(|&(_, b)| b != Bit::FALSE).collect();
        debug_assert!(cells.is_sorted_by(|a, b| a.0 < b.0));
        Self { cells }
    }

    /// From cells in any order, where a tuple may come more than once: the bits of one tuple are a
    /// disjunction.
    pub fn collect(mut cells: Vec<(u64, Bit)>, circuit: &mut Circuit) -> Self {
        cells.sort_unstable();
        let mut out: Vec<(u64, Bit)> = Vec::with_capacity(cells.len());
        for group in cells.chunk_by(|a, b| a.0 == b.0) {
            let bit = match group {
                [(_, bit)] => *bit,
                _ => circuit.or_all(group.iter().map(|&(_, b)| b)),
            };
            if bit != Bit::FALSE {
                out.push((group[0].0, bit));
            }
        }
        Self { cells: out }
    }

    /// The cells, ascending.
    pub fn cells(&self) -> &[(u64, Bit)] {
        &self.cells
    }

    /// False for a tuple without a cell.
    pub fn get(&self, tuple: u64) -> Bit {
        match self.cells.binary_search_by_key(&tuple, |&(t, _)| t) {
            Ok(at) => self.cells[at].1,
            Err(_) => Bit::FALSE,
        }
    }

    /// The cells whose tuples lie in a range.
    pub fn range(&self, from: u64, to: u64) -> &[(u64, Bit)] {
        let start = self.cells.partition_point(|&(t, _)| t < from);
        let end = start + self.cells[start..].partition_point(|&(t, _)| t < to);
        &self.cells[start..end]
    }

    /// Both, cell by cell: `merge` gets the bits of each tuple that is in one of them.
    fn merge(&self, other: &Self, mut merge: impl FnMut(Bit, Bit) -> Bit) -> Self {
        let (mut a, mut b) = (self.cells.iter().peekable(), other.cells.iter().peekable());
        let mut cells = Vec::with_capacity(self.cells.len().max(other.cells.len()));
        loop {
            let (tuple, bit) = match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some(&&(t, x)), None) => (a.next().map_or(t, |c| c.0), merge(x, Bit::FALSE)),
                (None, Some(&&(t, y))) => (b.next().map_or(t, |c| c.0), merge(Bit::FALSE, y)),
                (Some(&&(s, x)), Some(&&(t, y))) => match s.cmp(&t) {
                    std::cmp::Ordering::Less => {
                        a.next();
                        (s, merge(x, Bit::FALSE))
                    }
                    std::cmp::Ordering::Greater => {
                        b.next();
                        (t, merge(Bit::FALSE, y))
                    }
                    std::cmp::Ordering::Equal => {
                        a.next();
                        b.next();
                        (s, merge(x, y))
                    }
                },
            };
            if bit != Bit::FALSE {
                cells.push((tuple, bit));
            }
        }
        Self { cells }
    }

    /// Cell by cell `a or b`.
    pub fn union(&self, other: &Self, circuit: &mut Circuit) -> Self {
        self.merge(other, |a, b| circuit.or(a, b))
    }

    /// Cell by cell `a and b`.
    pub fn intersection(&self, other: &Self, circuit: &mut Circuit) -> Self {
        let (few, many) =
            if self.cells.len() <= other.cells.len() { (self, other) } else { (other, self) };
        Self::from_sorted(few.cells.iter().map(|&(t, a)| (t, circuit.and(a, many.get(t)))))
    }

    /// Cell by cell `a and not b`.
    pub fn difference(&self, other: &Self, circuit: &mut Circuit) -> Self {
        Self::from_sorted(self.cells.iter().map(|&(t, a)| (t, circuit.and(a, !other.get(t)))))
    }

    /// Join over the last column of this and the first of the other: `n` atoms, `tail` is `n` to
    /// the power of the number of the other's columns without the first.
    pub fn join(&self, other: &Self, n: u64, tail: u64, circuit: &mut Circuit) -> Self {
        // Cells with the same head lie together: their products are gathered by tail, in slots if
        // there are few tails.
        const SLOTS: u64 = 4096;
        if tail > SLOTS {
            return self.join_by_sorting(other, n, tail, circuit);
        }
        let mut slots: Vec<Vec<Bit>> = vec![Vec::new(); tail as usize];
        let mut used: Vec<u64> = Vec::new();
        let mut cells = Vec::new();
        for row in self.cells.chunk_by(|x, y| x.0 / n == y.0 / n) {
            for &(t, a) in row {
                let middle = t % n;
                for &(u, b) in other.range(middle * tail, (middle + 1) * tail) {
                    let bit = circuit.and(a, b);
                    let slot = &mut slots[(u % tail) as usize];
                    // A true product settles the cell.
                    if bit != Bit::FALSE && slot.first() != Some(&Bit::TRUE) {
                        if slot.is_empty() {
                            used.push(u % tail);
                        }
                        if bit == Bit::TRUE {
                            slot.clear();
                        }
                        slot.push(bit);
                    }
                }
            }
            used.sort_unstable();
            let head = row[0].0 / n;
            for tuple in used.drain(..) {
                let slot = &mut slots[tuple as usize];
                let bit =
                    if let [bit] = slot[..] { bit } else { circuit.or_all(slot.iter().copied()) };
                cells.push((head * tail + tuple, bit));
                slot.clear();
            }
        }
        Self { cells }
    }

    fn join_by_sorting(&self, other: &Self, n: u64, tail: u64, circuit: &mut Circuit) -> Self {
        let mut cells = Vec::new();
        for &(t, a) in &self.cells {
            let (head, middle) = (t / n, t % n);
            for &(u, b) in other.range(middle * tail, (middle + 1) * tail) {
                let bit = circuit.and(a, b);
                if bit != Bit::FALSE {
                    cells.push((head * tail + u % tail, bit));
                }
            }
        }
        Self::collect(cells, circuit)
    }

    /// Product; `tail` is `n` to the power of the other's arity.
    pub fn product(&self, other: &Self, tail: u64, circuit: &mut Circuit) -> Self {
        let mut cells = Vec::with_capacity(self.cells.len() * other.cells.len());
        for &(t, a) in &self.cells {
            for &(u, b) in &other.cells {
                cells.push((t * tail + u, circuit.and(a, b)));
            }
        }
        Self::from_sorted(cells)
    }

    /// The tuples changed by a function, bits of tuples that coincide disjoined.
    pub fn map(&self, circuit: &mut Circuit, change: impl Fn(u64) -> u64) -> Self {
        Self::collect(self.cells.iter().map(|&(t, b)| (change(t), b)).collect(), circuit)
    }

    /// Each cell's bit changed.
    pub fn each(&self, mut change: impl FnMut(u64, Bit) -> Bit) -> Self {
        Self::from_sorted(self.cells.iter().map(|&(t, b)| (t, change(t, b))))
    }

    /// The disjunction of all cells.
    pub fn some(&self, circuit: &mut Circuit) -> Bit {
        circuit.or_all(self.cells.iter().map(|&(_, b)| b))
    }
}

#[cfg(test)]
mod tests {
    use super::Matrix;
    use crate::circuit::{Bit, Circuit};

    #[test]
    fn both_ways_to_join_agree() {
        let n = 4;
        let mut circuit = Circuit::new(true);
        let inputs: Vec<Bit> = (0..16).map(|_| circuit.input()).collect();
        let bit = |t: u64| match t % 5 {
            0 => Bit::TRUE,
            1 => Bit::FALSE,
            _ => inputs[(t % 16) as usize],
        };
        let a = Matrix::from_sorted((0..n * n).map(|t| (t, bit(t))));
        for tail in [1, n, n * n] {
            let b =
                Matrix::from_sorted((0..n * tail).filter(|t| t % 3 != 0).map(|t| (t, bit(t * 7))));
            let fast = a.join(&b, n, tail, &mut circuit);
            assert_eq!(fast, a.join_by_sorting(&b, n, tail, &mut circuit));
            assert!(fast.cells().is_sorted() && !fast.cells().is_empty());
        }
    }
}
