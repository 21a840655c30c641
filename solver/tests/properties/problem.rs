//! Small problems with all of their instances.

use std::collections::BTreeMap;

use margay_solver::{
    Atom, Backend, Bounds, Encoding, Formula, Instance, Logic, Relation, TupleSet,
};

/// A problem small enough to go through all of its instances.
#[derive(Debug)]
pub struct Problem {
    pub logic: Logic,
    pub bounds: Bounds,
    pub relations: Vec<Relation>,
}

impl Problem {
    /// The tuples that an instance may have or not, relation by relation.
    pub fn uncertain(&self) -> Vec<(Relation, Vec<Atom>)> {
        let mut out = Vec::new();
        for &relation in &self.relations {
            let (lower, upper) = self.bounds.get(relation).expect("bound");
            out.extend(upper.iter().filter(|t| !lower.contains(t)).map(|t| (relation, t.to_vec())));
        }
        out
    }

    /// Every instance within the bounds.
    pub fn instances(&self) -> Vec<Instance> {
        let uncertain = self.uncertain();
        assert!(uncertain.len() < 16, "too many instances");
        (0u32..1 << uncertain.len())
            .map(|mask| {
                let mut tuples: BTreeMap<Relation, TupleSet> = self
                    .relations
                    .iter()
                    .map(|&r| (r, self.bounds.get(r).expect("bound").0.clone()))
                    .collect();
                for (i, (relation, tuple)) in uncertain.iter().enumerate() {
                    if mask >> i & 1 == 1 {
                        tuples.get_mut(relation).expect("bound").insert(tuple);
                    }
                }
                Instance::new(self.bounds.universe().clone(), tuples)
            })
            .collect()
    }

    /// The instances in which a formula holds.
    pub fn solutions(&self, formula: Formula) -> Vec<Instance> {
        self.instances().into_iter().filter(|i| i.holds(&self.logic, formula)).collect()
    }
}

/// An instance as something to sort by.
pub fn key(instance: &Instance) -> Vec<(Relation, TupleSet)> {
    instance.relations().map(|(r, t)| (r, t.clone())).collect()
}

/// Instances as a sorted list.
pub fn keys(instances: &[Instance]) -> Vec<Vec<(Relation, TupleSet)>> {
    let mut keys: Vec<_> = instances.iter().map(key).collect();
    keys.sort();
    keys
}

/// Every setting of the switches, the default first.
pub fn encodings() -> Vec<Encoding> {
    (0..64)
        .map(|i| {
            let off = |bit: u32| i >> bit & 1 == 1;
            Encoding {
                closures_by_polarity: !off(0),
                cycles_by_witness: !off(1),
                cnf_by_polarity: !off(2),
                right_linear_closures: off(3),
                inline_gates: !off(4),
                share_gates: !off(5),
                choices: true,
            }
        })
        .collect()
}

/// The default, each switch alone the other way, and all of them.
pub fn main_encodings() -> Vec<Encoding> {
    let all = encodings();
    [0, 1, 2, 4, 8, 16, 32, 63].into_iter().map(|i| all[i]).collect()
}

/// The solvers of this build, and two that hand over in the middle of most problems.
pub fn backends() -> Vec<Backend> {
    let second = Backend::available().pop().unwrap_or_default();
    let soon = |name, conflicts| Backend::relay(name, Backend::batsat(), second.clone(), conflicts);
    [Backend::available(), vec![soon("at-once", 0), soon("soon", 3)]].concat()
}

/// The solver for a case: all of them come up.
pub fn backend(case: usize) -> Backend {
    let available = backends();
    available[case % available.len()].clone()
}
