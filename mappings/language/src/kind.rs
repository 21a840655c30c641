//! What an object is and what a read-modify-write does to it: the words behind a construct that say
//! for which of its uses a row is (`RMW.ACQ.s nand b8 b16 => ...`).

use margay_models::execution::Order;

/// The types of objects: so many bits, as an integer (`b`) or a number with a fraction (`f`).
pub const TYPES: [&str; 9] = ["b8", "b16", "b32", "b64", "b128", "f16", "bf16", "f32", "f64"];
/// What a read-modify-write does; `min` and `max` are signed, and of fractions for `f` types.
pub const OPERATIONS: [&str; 13] =
    ["exch", "add", "sub", "and", "or", "xor", "nand", "min", "max", "umin", "umax", "inc", "dec"];
/// The index of the exchange in [`OPERATIONS`].
pub const EXCHANGE: usize = 0;
/// The operations that numbers with a fraction have.
const OF_FRACTIONS: [&str; 5] = ["exch", "add", "sub", "min", "max"];

/// The number of bits of a type of [`TYPES`].
pub fn bits(index: usize) -> u16 {
    TYPES[index].trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().unwrap_or(0)
}

/// Is there such an operation on such a type (both by index)?
pub fn exists(operation: usize, data: usize) -> bool {
    TYPES[data].starts_with('b') && TYPES[data] != "bf16"
        || OF_FRACTIONS.contains(&OPERATIONS[operation])
}

/// A set of types or of operations, by their indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct KindSet(u32);

impl KindSet {
    /// The set of these indices.
    pub fn of(indices: impl IntoIterator<Item = usize>) -> Self {
        Self(indices.into_iter().fold(0, |all, i| all | 1 << i))
    }

    /// The set of these names.
    pub fn named(names: &[&str], all: &[&str]) -> Self {
        Self::of(names.iter().filter_map(|n| all.iter().position(|a| a == n)))
    }

    pub fn has(self, index: usize) -> bool {
        self.0 >> index & 1 == 1
    }

    /// The set with one more.
    pub fn with(self, index: usize) -> Self {
        Self(self.0 | 1 << index)
    }

    /// Is nothing in it?
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many are in it?
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Everything of either set.
    pub fn union(self, other: KindSet) -> KindSet {
        KindSet(self.0 | other.0)
    }

    /// The indices, ascending.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..u32::BITS as usize).filter(move |&i| self.has(i))
    }

    /// The names, separated by spaces.
    pub fn words(self, all: &[&str]) -> String {
        self.iter().map(|i| all[i]).collect::<Vec<_>>().join(" ")
    }
}

/// One use of a construct: everything that a row may depend on, but the scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct ConstructUse {
    /// Of a compare-exchange, the order of its other outcome: for failure of one that succeeds, for
    /// success of one that fails.
    pub partner: Option<Order>,
    /// What a read-modify-write does (an index into [`OPERATIONS`]).
    pub operation: Option<usize>,
    /// The type of the object (an index into [`TYPES`]); fences have none.
    pub data: Option<usize>,
}

/// The uses that a row speaks of: all, where it says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct RowUses {
    /// The order of the other outcome of a compare-exchange.
    pub partner: Option<Order>,
    pub operations: Option<KindSet>,
    /// Types.
    pub data: Option<KindSet>,
}

impl RowUses {
    /// Does it say nothing?
    pub fn is_any(self) -> bool {
        self == Self::default()
    }

    /// How much it says: of two rows for one use the one that says more is meant.
    pub fn rank(self) -> usize {
        usize::from(self.partner.is_some())
            + usize::from(self.operations.is_some())
            + usize::from(self.data.is_some())
    }

    /// Does it speak of this use?
    pub fn covers(self, cell: ConstructUse) -> bool {
        self.partner.is_none_or(|p| Some(p) == cell.partner)
            && self.operations.is_none_or(|o| cell.operation.is_some_and(|i| o.has(i)))
            && self.data.is_none_or(|d| cell.data.is_some_and(|i| d.has(i)))
    }

    /// The words behind the construct: ` nand b8 b16`; the partner stands elsewhere.
    pub fn words(self) -> String {
        let sets = [(self.operations, &OPERATIONS[..]), (self.data, &TYPES[..])];
        sets.iter().filter_map(|(set, all)| set.map(|s| format!(" {}", s.words(all)))).collect()
    }

    /// The uses that one row has, given all uses that there are, as few rows as show what differs:
    /// `bodies` has for each use the number of its right-hand side; of those in `absent` none is
    /// for all that is left, if there is another. The first result is for all uses that no other
    /// one speaks of.
    pub fn rows(cells: &[(ConstructUse, usize)], absent: &[usize]) -> Vec<(RowUses, usize)> {
        let Some(default) = most(cells, absent) else { return Vec::new() };
        let mut out = vec![(RowUses::default(), default)];
        let mut rest: Vec<usize> =
            cells.iter().map(|&(_, b)| b).filter(|&b| b != default).collect();
        rest.sort_unstable();
        rest.dedup();
        let partners = distinct(cells.iter().map(|(c, _)| c.partner));
        for body in rest {
            let of: Vec<(Option<Order>, Vec<RowUses>)> = partners
                .iter()
                .map(|&p| (p, rectangles(cells, body, p)))
                .filter(|(_, r)| !r.is_empty())
                .collect();
            let everywhere = of.len() == partners.len() && of.iter().all(|(_, r)| *r == of[0].1);
            if everywhere {
                out.extend(of[0].1.iter().map(|&u| (u, body)));
            } else {
                out.extend(of.iter().flat_map(|(p, r)| {
                    r.iter().map(move |&u| (RowUses { partner: *p, ..u }, body))
                }));
            }
        }
        // A row that says nothing of its own would be the default.
        out.retain(|&(u, b)| b == default || !u.is_any());
        out
    }
}

/// The right-hand side of the most uses; the first of several.
fn most(cells: &[(ConstructUse, usize)], absent: &[usize]) -> Option<usize> {
    let count =
        |body: usize| (!absent.contains(&body), cells.iter().filter(|&&(_, b)| b == body).count());
    let mut best: Option<usize> = None;
    for &(_, body) in cells {
        if best.is_none_or(|b| count(body) > count(b)) {
            best = Some(body);
        }
    }
    best
}

fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut out = Vec::new();
    for item in items {
        if !out.contains(&item) {
            out.push(item);
        }
    }
    out
}

/// The uses with a right-hand side and a partner, as sets of operations with the same types.
fn rectangles(
    cells: &[(ConstructUse, usize)],
    body: usize,
    partner: Option<Order>,
) -> Vec<RowUses> {
    let here: Vec<(ConstructUse, bool)> =
        cells.iter().filter(|(c, _)| c.partner == partner).map(|&(c, b)| (c, b == body)).collect();
    let mut by_types: Vec<(Option<KindSet>, Vec<Option<usize>>)> = Vec::new();
    for operation in distinct(here.iter().map(|(c, _)| c.operation)) {
        let of = || here.iter().filter(|(c, _)| c.operation == operation);
        let types = KindSet::of(of().filter(|&&(_, is)| is).filter_map(|(c, _)| c.data));
        let any = of().any(|&(_, is)| is);
        if !any {
            continue;
        }
        let all = of().all(|&(_, is)| is);
        let types = if all { None } else { Some(types) };
        match by_types.iter_mut().find(|(t, _)| *t == types) {
            Some((_, operations)) => operations.push(operation),
            None => by_types.push((types, vec![operation])),
        }
    }
    let all_operations = distinct(here.iter().map(|(c, _)| c.operation));
    by_types
        .into_iter()
        .map(|(data, operations)| RowUses {
            partner: None,
            operations: (operations != all_operations && operations.iter().all(Option::is_some))
                .then(|| KindSet::of(operations.iter().flatten().copied())),
            data,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `rows` says is what it was given: every use finds its right-hand side in the row that
    /// says most about it.
    fn reads_back(cells: &[(ConstructUse, usize)]) {
        let rows = RowUses::rows(cells, &[]);
        for &(cell, body) in cells {
            let best = rows
                .iter()
                .filter(|(u, _)| u.covers(cell))
                .map(|(u, _)| u.rank())
                .max()
                .expect("a row");
            let found: Vec<usize> = rows
                .iter()
                .filter(|(u, _)| u.covers(cell) && u.rank() == best)
                .map(|&(_, b)| b)
                .collect();
            assert_eq!(found, [body], "{cell:?} in {rows:?}");
        }
    }

    #[test]
    fn few_rows_say_what_differs() {
        let cell = |operation, data| ConstructUse {
            partner: None,
            operation: Some(operation),
            data: Some(data),
        };
        let all = |f: &dyn Fn(usize, usize) -> usize| -> Vec<(ConstructUse, usize)> {
            (0..4)
                .flat_map(|o| (0..5).map(move |d| (o, d)))
                .map(|(o, d)| (cell(o, d), f(o, d)))
                .collect()
        };
        let uniform = all(&|_, _| 7);
        assert_eq!(RowUses::rows(&uniform, &[]), [(RowUses::default(), 7)]);
        let narrow = all(&|_, d| usize::from(d < 2));
        assert_eq!(RowUses::rows(&narrow, &[]).len(), 2);
        assert_eq!(RowUses::rows(&narrow, &[0])[0], (RowUses::default(), 1));
        for cells in [
            uniform,
            narrow,
            all(&|o, d| o * 10 + d),
            all(&|o, d| usize::from(o == 1 && d > 2) + 2 * usize::from(d == 0)),
        ] {
            reads_back(&cells);
        }
        let pairs: Vec<(ConstructUse, usize)> = [Order::Rlx, Order::Acq, Order::Sc]
            .into_iter()
            .flat_map(|p| (0..4).map(move |d| (p, d)))
            .map(|(p, d)| {
                (
                    ConstructUse { partner: Some(p), operation: None, data: Some(d) },
                    usize::from(p == Order::Sc) + usize::from(d == 0),
                )
            })
            .collect();
        reads_back(&pairs);
    }
}
