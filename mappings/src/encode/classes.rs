//! Types of objects, where rows differ by them. Types that no row tells apart are one class, and a
//! class that allows nothing that another one does not is left out.

use margay_models::signature::{Construct, Operation};

use crate::language::kind::{KindSet, bits};
use crate::language::{Lowering, Mapping, Row};

/// A type of object and the width of its accesses in the target.
pub type ObjectWidth = (usize, u16);

/// The classes of a mapping.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ObjectClasses(pub Vec<Vec<ObjectWidth>>);

/// The keys that a lowering allows, of the types that there are.
pub fn keys(lowering: &Lowering, types: KindSet) -> Vec<ObjectWidth> {
    let data =
        lowering.uses.iter().filter_map(|u| u.when.data).fold(KindSet::default(), KindSet::union);
    let of = if lowering.uses.is_empty() { types } else { data };
    of.iter().map(|d| (d, lowering.bits.unwrap_or_else(|| bits(d)))).collect()
}

/// The types that the rows of a mapping speak of.
pub fn types(mapping: &Mapping) -> KindSet {
    let named = mapping
        .rows
        .iter()
        .flat_map(|r| &r.alternatives)
        .flat_map(|l| &l.uses)
        .filter_map(|u| u.when.data);
    named.fold(mapping.about.types.unwrap_or_default(), KindSet::union)
}

/// Do the rows of this construct have objects?
fn has_object(row: &Row) -> bool {
    row.construct.operation != Operation::Fence
}

impl ObjectClasses {
    /// The classes that programs of some constructs need; none where types make no difference.
    pub fn of(mapping: &Mapping, constructs: &[Construct]) -> Self {
        let rows: Vec<&Row> = mapping
            .rows
            .iter()
            .filter(|r| has_object(r) && constructs.contains(&r.construct))
            .collect();
        let all: Vec<&Lowering> = rows.iter().flat_map(|r| r.asked()).collect();
        if all.iter().all(|l| l.uses.is_empty() && l.bits.is_none()) {
            return Self::default();
        }
        let types = types(mapping);
        let allowed: Vec<Vec<ObjectWidth>> = all.iter().map(|l| keys(l, types)).collect();
        let mut every: Vec<ObjectWidth> = allowed.iter().flatten().copied().collect();
        every.sort_unstable();
        every.dedup();
        let signature =
            |key: &ObjectWidth| -> Vec<bool> { allowed.iter().map(|a| a.contains(key)).collect() };
        let mut classes: Vec<(Vec<bool>, Vec<ObjectWidth>)> = Vec::new();
        for key in every {
            let of = signature(&key);
            match classes.iter_mut().find(|(s, _)| *s == of) {
                Some((_, keys)) => keys.push(key),
                None => classes.push((of, vec![key])),
            }
        }
        let within = |a: &[bool], b: &[bool]| a.iter().zip(b).all(|(a, b)| !a || *b);
        let kept: Vec<Vec<ObjectWidth>> = classes
            .iter()
            .filter(|(s, _)| !classes.iter().any(|(other, _)| other != s && within(s, other)))
            .map(|(_, keys)| keys.clone())
            .collect();
        // One class that allows everything is none.
        if let [_] = kept[..] { Self::default() } else { Self(kept) }
    }
}
