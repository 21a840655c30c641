//! Types of objects, where rows differ by them: all accesses of a location are of one type, and of
//! one width in the target. Types that no row tells apart are one class, and a class that allows
//! nothing that another one does not is left out.

use margay_models::signature::Operation;
use margay_solver::{Expr, Formula, Logic};

use super::classes::{keys, types};
use super::sets::partition;
use super::source::SourceExpressions;
use super::vocabulary::MappingVocabulary;
use crate::language::Mapping;

/// Every location has one class, and every operation a lowering that its class allows.
pub fn formulas(
    logic: &mut Logic,
    mapping: &Mapping,
    v: &MappingVocabulary,
    source: &SourceExpressions,
) -> Vec<Formula> {
    let classes = &v.content.classes.0;
    let mut out = Vec::new();
    if classes.is_empty() {
        return out;
    }
    let memory = logic.union(source.reads, source.writes);
    let sets: Vec<Expr> = v.data.iter().map(|&r| logic.rel(r)).collect();
    partition(logic, &mut out, &sets, memory);
    for &set in &sets {
        let there = logic.join(set, source.loc);
        let there = logic.intersection(there, memory);
        out.push(logic.subset(there, set));
    }
    let types = types(mapping);
    for &(construct, relation) in
        v.construct.iter().filter(|(c, _)| c.operation != Operation::Fence)
    {
        for row in mapping.rows.iter().filter(|row| row.construct == construct) {
            let set = logic.rel(relation);
            let Some(set) = source.events_of_row(logic, row, set) else { continue };
            let asked = row.asked();
            for (k, &lowering) in asked.iter().enumerate() {
                let allowed = keys(lowering, types);
                let inside: Vec<Expr> = classes
                    .iter()
                    .zip(&sets)
                    .filter(|(c, _)| c.iter().any(|k| allowed.contains(k)))
                    .map(|(_, &s)| s)
                    .collect();
                if inside.len() == classes.len() {
                    continue;
                }
                let taken = v.taking(logic, set, k, asked.len());
                let inside = logic.union_all(1, inside);
                out.push(logic.subset(taken, inside));
            }
        }
    }
    out
}
