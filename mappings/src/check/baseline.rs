//! What is new: counterexamples of a mapping that another mapping, its baseline, does not have.
//!
//! The source forbids the outcome of a candidate, and its program has no race; that says nothing about mappings. So a candidate is one of the
//! baseline, too, if what the baseline compiles the program to can have the outcome, which the engine for litmus tests decides. A candidate of which no
//! operation has another row than in the baseline is none that is new: such programs are not searched.

use std::collections::BTreeMap;

use margay_litmus::engine::Runner;
use margay_litmus::explicit;
use margay_litmus::unfold::Program;
use margay_models::bits::Event;
use margay_models::execution::{Execution, Order, Scope};
use margay_models::signature::{Construct, Operation};
use margay_solver::{Formula, Relation, TupleSet};

use super::options::CheckOptions;
use crate::change::{OperationUse, compile, uses};
use crate::encode::Problem;
use crate::encode::classes::{Key, keys, types};
use crate::language::kind::{Cell, EXCHANGE, Set};
use crate::language::{Form, Lowering, Mapping, Row, StepScope};
use crate::naming;
use crate::witness::Witness;

/// At most so many ways to say of a candidate which types its objects have and what its read-modify-writes do, and so many mixtures of alternatives.
const MOST_WAYS: usize = 4096;
/// At most so many candidates of one case may be counterexamples of the baseline; with more the case is undecided.
pub const MOST_OLD: usize = 2000;

/// The part of a candidate that makes its program and its outcome: what these relations have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldCandidate(pub Vec<(Relation, TupleSet)>);

impl OldCandidate {
    /// The formula: an execution is not of this program with this outcome.
    pub fn excluded(&self, problem: &mut Problem) -> Formula {
        let logic = &mut problem.logic;
        let same = self.0.iter().map(|(relation, tuples)| {
            let (own, constant) = (logic.rel(*relation), logic.constant(tuples.clone()));
            logic.equal(own, constant)
        });
        let same: Vec<Formula> = same.collect();
        let all = logic.and(same);
        logic.not(all)
    }
}

/// Whose a counterexample is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaselineStanding {
    /// The baseline does not have it, whatever the types of its objects: it is new. Or the baseline has no row for one of its operations.
    New,
    /// The baseline has it, too.
    Old,
    /// It is not known.
    Unknown,
}

/// Decides whether the baseline has a counterexample.
pub struct BaselineRefuter<'a> {
    baseline: &'a Mapping,
    runner: Runner,
}

/// The lowerings that the baseline may choose for an operation, by their places in its row.
type Choice = Vec<usize>;

impl<'a> BaselineRefuter<'a> {
    /// Prepares a baseline.
    pub fn new(baseline: &'a Mapping) -> Self {
        Self { baseline, runner: Runner::new(&baseline.target) }
    }

    /// Does the baseline have this counterexample of a mapping?
    pub fn standing(&mut self, mapping: &Mapping, witness: &Witness, options: &CheckOptions) -> BaselineStanding {
        let Witness { source, target, origin, finals, .. } = witness;
        let Some(named) = naming::name(mapping, source, target, origin) else { return BaselineStanding::Unknown };
        let Some(own) = uses(mapping, source) else { return BaselineStanding::Unknown };
        let Some(old) = uses(self.baseline, source) else { return BaselineStanding::New };
        let own: Vec<NewOperation<'_>> = own
            .iter()
            .zip(&named.operations)
            .map(|(used, named)| NewOperation::new(mapping, used, named.lowering(mapping)))
            .collect();
        let Some(ways) = self.ways(mapping, source, &own, &old) else { return BaselineStanding::Unknown };
        let mut known: BTreeMap<Vec<usize>, bool> = BTreeMap::new();
        for way in ways {
            let count = way.iter().try_fold(1_usize, |n, c| n.checked_mul(c.len())).filter(|&n| n <= MOST_WAYS);
            let Some(count) = count else { return BaselineStanding::Unknown };
            let mut has = false;
            for mut number in 0..count {
                let chosen: Vec<usize> = way
                    .iter()
                    .map(|of| {
                        let one = of[number % of.len()];
                        number /= of.len();
                        one
                    })
                    .collect();
                let outcome = match known.get(&chosen) {
                    Some(&known) => known,
                    None => {
                        let Some(outcome) = self.has_outcome((source, finals), &old, &chosen, options) else {
                            return BaselineStanding::Unknown;
                        };
                        known.insert(chosen, outcome);
                        outcome
                    }
                };
                has |= outcome;
                if has {
                    break;
                }
            }
            if !has {
                return BaselineStanding::New;
            }
        }
        BaselineStanding::Old
    }

    /// Can the program have its outcome if the baseline lowers its operations so?
    fn has_outcome(
        &mut self,
        (source, finals): (&Execution, &[Option<Event>]),
        old: &[OperationUse],
        chosen: &[usize],
        options: &CheckOptions,
    ) -> Option<bool> {
        let lowerings: Vec<&Lowering> =
            old.iter().zip(chosen).map(|(used, &k)| &self.baseline.rows[used.row].alternatives[k]).collect();
        let (target, finals) = compile(self.baseline, source, old, &lowerings, finals)?;
        let program = Program::of(&target, &finals).ok()?;
        let limits = explicit::Options { deadline: options.deadline, ..explicit::Options::default() };
        self.runner.run_program(&program, &limits).ok().map(|verdict| verdict.reachable)
    }

    /// The ways to say which types the objects of a candidate have and what its read-modify-writes do, as far as the baseline tells them apart: for
    /// each operation the lowerings that the baseline may choose. `None` if there are too many.
    fn ways(&self, mapping: &Mapping, source: &Execution, own: &[NewOperation<'_>], old: &[OperationUse]) -> Option<Vec<Vec<Choice>>> {
        let all = types(mapping).union(types(self.baseline));
        let functions = functions(mapping).union(functions(self.baseline));
        let location = |used: &OperationUse| source.events[used.head.index()].location;
        let mut ways: Vec<Vec<(usize, Choice)>> = vec![Vec::new()];
        let mut places: Vec<Option<u8>> = old.iter().map(location).collect();
        places.sort_unstable();
        places.dedup();
        for place in places {
            let here: Vec<usize> = (0..old.len()).filter(|&i| location(&old[i]) == place).collect();
            let data: Vec<Option<usize>> = match place {
                Some(_) if !all.is_empty() => {
                    let of: Vec<Vec<Key>> = here.iter().map(|&i| own[i].keys(all)).collect();
                    let mut common: Vec<usize> =
                        of[0].iter().filter(|key| of.iter().all(|keys| keys.contains(key))).map(|key| key.0).collect();
                    common.sort_unstable();
                    common.dedup();
                    common.into_iter().map(Some).collect()
                }
                _ => vec![None],
            };
            let mut of_place: Vec<Vec<(usize, Choice)>> = Vec::new();
            for data in data {
                let mut mixtures: Vec<Vec<(usize, Choice)>> = vec![Vec::new()];
                for &i in &here {
                    let choices = self.choices(&own[i], &old[i], source, (data, functions));
                    let longer = mixtures
                        .iter()
                        .flat_map(|m| choices.iter().map(move |c| [m.as_slice(), &[(i, c.clone())]].concat()));
                    mixtures = longer.collect();
                    if mixtures.len() > MOST_WAYS {
                        return None;
                    }
                }
                of_place.extend(mixtures.into_iter().filter(|m| !of_place.contains(m)).collect::<Vec<_>>());
            }
            ways = ways.iter().flat_map(|way| of_place.iter().map(move |more| [way.as_slice(), more].concat())).collect();
            if ways.len() > MOST_WAYS {
                return None;
            }
        }
        let ordered = |mut way: Vec<(usize, Choice)>| {
            way.sort_by_key(|&(i, _)| i);
            way.into_iter().map(|(_, choice)| choice).collect()
        };
        Some(ways.into_iter().map(ordered).collect())
    }

    /// What the baseline may lower an operation to, each set of lowerings once: for objects of a type, whatever it does as a read-modify-write and
    /// whatever its other order.
    fn choices(&self, own: &NewOperation<'_>, old: &OperationUse, source: &Execution, (data, functions): (Option<usize>, Set)) -> Vec<Choice> {
        let row = &self.baseline.rows[old.row];
        let of_form = |form: Form| row.alternatives.iter().any(|l| l.form == form);
        let modifies = row.construct.operation == Operation::Rmw;
        // A row of a read-modify-write is for every kind of it.
        let form = if old.form == Form::CompareExchange && !of_form(old.form) { Form::Usual } else { old.form };
        let event = &source.events[old.write_half.unwrap_or(old.head).index()];
        let may_do = |function: &Option<usize>| match function {
            Some(function) => (!event.exchange || *function == EXCHANGE) && (!event.computes || *function != EXCHANGE),
            None => true,
        };
        let done: Vec<Option<usize>> = match modifies && form == Form::Usual && !functions.is_empty() {
            true if old.form == Form::CompareExchange => vec![Some(EXCHANGE)],
            true => functions.iter().map(Some).filter(may_do).collect(),
            false => vec![None],
        };
        let mut out: Vec<Choice> = Vec::new();
        for partner in own.partners(old) {
            for &operation in &done {
                let own_cell = Cell { partner, operation: operation.filter(|_| old.form == Form::Usual), data };
                if !own.covers(own_cell) {
                    continue;
                }
                let cell = Cell { partner: partner.filter(|_| form != Form::Usual), operation, data };
                let is_for = |l: &Lowering| l.form == form && (l.uses.is_empty() || l.uses.iter().any(|u| u.when.covers(cell)));
                let choice: Choice = (0..row.alternatives.len()).filter(|&k| is_for(&row.alternatives[k])).collect();
                if !out.contains(&choice) {
                    out.push(choice);
                }
            }
        }
        out
    }
}

/// The operations of read-modify-writes that the rows of a mapping tell apart.
fn functions(mapping: &Mapping) -> Set {
    let named = mapping.rows.iter().flat_map(|r| &r.alternatives).flat_map(|l| &l.uses).filter_map(|u| u.when.operations);
    named.fold(mapping.about.operations.unwrap_or_default(), Set::union)
}

/// An operation of a candidate, and all lowerings of its row that emit what it was compiled to.
struct NewOperation<'a> {
    lowerings: Vec<&'a Lowering>,
}

impl<'a> NewOperation<'a> {
    fn new(mapping: &'a Mapping, used: &OperationUse, lowering: &Lowering) -> Self {
        let same = |l: &&Lowering| used.allows(l) && (&l.steps, l.dependencies) == (&lowering.steps, lowering.dependencies);
        Self { lowerings: mapping.rows[used.row].alternatives.iter().filter(same).collect() }
    }

    /// The types and widths of its object.
    fn keys(&self, all: Set) -> Vec<Key> {
        self.lowerings.iter().flat_map(|l| keys(l, all)).collect()
    }

    /// The orders that its other outcome may have.
    fn partners(&self, used: &OperationUse) -> Vec<Option<Order>> {
        if used.other_order.is_some() || used.form == Form::Usual {
            return vec![used.other_order];
        }
        let mut all: Vec<_> = self.lowerings.iter().flat_map(|l| &l.uses).map(|u| u.when.partner).collect();
        all.sort_unstable();
        all.dedup();
        if all.is_empty() { vec![None] } else { all }
    }

    fn covers(&self, cell: Cell) -> bool {
        let says = |l: &&Lowering| {
            let covers = |u: &crate::language::Used| {
                let when = u.when;
                when.partner.is_none_or(|p| cell.partner.is_none_or(|c| c == p))
                    && when.operations.is_none_or(|o| cell.operation.is_none_or(|c| o.has(c)))
                    && when.data.is_none_or(|d| cell.data.is_none_or(|c| d.has(c)))
            };
            l.uses.is_empty() || l.uses.iter().any(covers)
        };
        self.lowerings.iter().any(|l| says(&l))
    }
}

/// What a row says at a scope, so that equal rows are equal: the form, the instructions, and the uses.
fn said(row: Option<&Row>, scope: Option<Scope>) -> Vec<Lowering> {
    let plain = |lowering: &Lowering| {
        let mut lowering = lowering.clone();
        lowering.span = Default::default();
        for step in lowering.steps.iter_mut().filter(|s| s.scope == StepScope::Same) {
            step.scope = scope.map_or(StepScope::Same, StepScope::Named);
        }
        lowering.uses.iter_mut().for_each(|used| used.from = None);
        lowering
    };
    row.into_iter().flat_map(|row| &row.alternatives).map(plain).collect()
}

/// Do two mappings say the same of a construct at a scope?
fn is_same(new: &Mapping, old: &Mapping, construct: Construct, scope: Option<Scope>) -> bool {
    let [new, old] = [new, old].map(|m| m.row(construct, scope));
    old.is_some() && said(new, scope) == said(old, scope)
}

/// The mapping as it is searched beside a baseline: a compare-exchange that fails is told from a load that becomes the same, where the baseline has
/// other rows for the construct.
pub fn beside(mapping: &Mapping, baseline: &Mapping) -> Mapping {
    let mut out = mapping.clone();
    let scopes: Vec<Option<Scope>> = std::iter::once(None).chain(mapping.scopes().into_iter().map(Some)).collect();
    for row in &mut out.rows {
        let construct = row.construct;
        let has_scope = construct.has_scope(mapping.source.signature) && scopes.len() > 1;
        row.failures_apart = scopes.iter().filter(|s| s.is_some() == has_scope).any(|&s| !is_same(mapping, baseline, construct, s));
    }
    out
}

/// The formula: some operation has another row than in the baseline.
pub fn has_changed_row(problem: &mut Problem, mapping: &Mapping, baseline: &Mapping) -> Formula {
    let vocabulary = problem.vocabulary.clone();
    let logic = &mut problem.logic;
    let mut sets = Vec::new();
    for &(construct, relation) in &vocabulary.construct {
        let set = logic.rel(relation);
        if !construct.has_scope(mapping.source.signature) || vocabulary.scope.is_empty() {
            if !is_same(mapping, baseline, construct, None) {
                sets.push(set);
            }
            continue;
        }
        for &(scope, relation) in &vocabulary.scope {
            if !is_same(mapping, baseline, construct, Some(scope)) {
                let scope = logic.rel(relation);
                sets.push(logic.intersection(set, scope));
            }
        }
    }
    let all = logic.union_all(1, sets);
    logic.some(all)
}
