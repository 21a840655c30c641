//! Guards and data flow of programs: conditions `if (r == v)`, `v` being what the read returns in
//! the execution that is searched for, and written values that are computed from what was read.
//! Both remove executions from the source and cost dependencies in the target.

use margay_models::signature::Operation;
use margay_solver::{CardinalityComparison, Expr, Formula, Logic};

use super::programs::Programs;
use super::source::SourceExpressions;
use super::vocabulary::MappingVocabulary;
use crate::language::{LoweringForm, Mapping};

/// What comes after each event in its thread and may depend on it. (A read-modify-write is one
/// instruction: its write comes before the test of its read.)
fn later(logic: &mut Logic, v: &MappingVocabulary, source: &SourceExpressions) -> Expr {
    let po = logic.rel(v.po);
    logic.difference(po, source.rmw)
}

/// What conditions and computed values mean for the dependencies; nothing else depends on anything.
pub fn dependencies(
    logic: &mut Logic,
    v: &MappingVocabulary,
    source: &SourceExpressions,
    programs: Programs,
) -> Vec<Formula> {
    let [_, data, ctrl] = v.dependencies.map(|r| logic.rel(r));
    let guard = logic.rel(v.guard);
    let later = later(logic, v, source);
    let rest = logic.restrict_domain(guard, later);
    let guarding = logic.domain(rest);
    let mut out = vec![logic.subset(guard, source.reads), logic.subset(guard, guarding)];
    let Programs::Dependent { only_cyclic } = programs else {
        out.push(logic.equal(ctrl, rest));
        return out;
    };
    let conditions = logic.domain(ctrl);
    out.extend([
        logic.equal(guard, conditions),
        logic.subset(ctrl, later),
        logic.subset(data, later),
    ]);
    // A read-modify-write is executed as a whole.
    let next = logic.rel(v.next);
    let to_reads = logic.restrict_range(ctrl, source.read_halves);
    let carried = logic.join(to_reads, next);
    let to_writes = logic.restrict_range(ctrl, source.write_halves);
    out.push(logic.equal(carried, to_writes));
    // What a condition or a value looks at has been read.
    for dependent in [ctrl, data] {
        let through = logic.join(ctrl, dependent);
        out.push(logic.subset(through, ctrl));
    }
    // Not one of the guarded programs.
    let spared = logic.difference(rest, ctrl);
    let different = logic.union(spared, data);
    out.push(logic.some(different));
    if only_cyclic {
        out.push(is_cyclic(logic, v));
    }
    out
}

/// Every read guards all that comes after it in its thread; but where program order and reads-from
/// have a cycle, and `minds_cycles` says that the target looks at dependencies on them, what guards
/// is left open. A program without races stays one with more guards ([`beyond_guarded`] says
/// where), so candidates need no fewer.
pub fn every_read_guards(
    logic: &mut Logic,
    v: &MappingVocabulary,
    source: &SourceExpressions,
    minds_cycles: bool,
) -> Formula {
    let later = later(logic, v, source);
    let guarding = logic.restrict_domain(source.reads, later);
    let guarding = logic.domain(guarding);
    let guard = logic.rel(v.guard);
    let all = logic.subset(guarding, guard);
    if !minds_cycles {
        return all;
    }
    let cyclic = is_cyclic(logic, v);
    logic.or([all, cyclic])
}

/// Program order and reads-from have a cycle.
fn is_cyclic(logic: &mut Logic, v: &MappingVocabulary) -> Formula {
    let (po, rf) = (logic.rel(v.po), logic.rel(v.rf));
    let both = logic.union(po, rf);
    let acyclic = logic.acyclic(both);
    logic.not(acyclic)
}

/// At most so many guards and values that are computed from a read.
pub fn at_most(logic: &mut Logic, v: &MappingVocabulary, most: usize) -> Formula {
    let [_, data, _] = v.dependencies.map(|r| logic.rel(r));
    let guard = logic.rel(v.guard);
    let guards = logic.diagonal(guard);
    let all = logic.union(guards, data);
    logic.cardinality(all, CardinalityComparison::AtMost, most)
}

/// The read halves of compare-exchanges: they write only if they read what they expect.
pub fn compare_exchanges(
    logic: &mut Logic,
    mapping: &Mapping,
    v: &MappingVocabulary,
    source: &SourceExpressions,
) -> Expr {
    let mut sets = Vec::new();
    for &(construct, relation) in v.construct.iter().filter(|(c, _)| c.operation == Operation::Rmw)
    {
        for row in mapping.rows.iter().filter(|row| row.construct == construct) {
            let set = logic.rel(relation);
            let Some(set) = source.events_of_row(logic, row, set) else { continue };
            let asked = row.asked();
            for (k, _) in
                asked.iter().enumerate().filter(|(_, l)| l.form == LoweringForm::CompareExchange)
            {
                sets.push(v.taking(logic, set, k, asked.len()));
            }
        }
    }
    logic.union_all(1, sets)
}
