//! What is new: counterexamples of a mapping that another mapping, its baseline, does not have.
//!
//! The source forbids the outcome of a candidate, and its program has no race; that says nothing
//! about mappings. So a candidate is one of the baseline, too, if what the baseline compiles the
//! program to can have the outcome. For the search the rows of the mapping are cut so that each of
//! their lowerings stands for uses of which the baseline says one thing. A solver then looks for
//! orders with which the baseline's execution is legal, and all programs whose execution is legal
//! with these orders are excluded at once; where reads-from and modification order must be others,
//! the engine for litmus tests decides, and the one program is excluded.

use margay_models::diagnostic::Diagnostic;
use margay_models::execution::Scope;
use margay_models::signature::Operation;
use margay_solver::{Atom, Expr, Formula, TupleSet};

use crate::certificate::{CertifiedLesson, Text};
use crate::encode::atoms::Atoms;
use crate::encode::classes::types;
use crate::encode::{MappingProblem, MappingVocabulary};
use crate::language::kind::{ConstructUse, EXCHANGE, KindSet, OPERATIONS, RowUses, TYPES, exists};
use crate::language::{
    Lowering, LoweringForm, Mapping, Row, ScopePattern, StepScope, Used, exact_uses, other_orders,
};
use crate::search::RecordedInstance;

mod refute;

pub use refute::{BaselineRefuter, BaselineStanding};

/// A mapping beside another one.
#[derive(Debug, Clone)]
pub struct Baseline {
    /// The other one: the baseline.
    pub baseline: Mapping,
    /// The mapping that is asked about, cut so that each lowering stands for uses of which the
    /// baseline says one thing.
    pub mapping: Mapping,
    /// For each lowering of each of its rows, what the baseline may emit; nothing where it has no
    /// row, or one without a lowering.
    said: Vec<Vec<Vec<Lowering>>>,
    /// The cut mapping with the baseline's lowerings in the place of its own: the first of each,
    /// the second ...
    variants: Vec<Mapping>,
}

impl Baseline {
    /// Puts a mapping beside the baseline of a text, which is read between the same models, without
    /// its assumed rows.
    ///
    /// # Errors
    /// The text is none of a mapping between these models.
    pub fn read(mapping: &Mapping, text: &Text) -> Result<Self, Vec<Diagnostic>> {
        let baseline =
            Mapping::between(&text.file(), mapping.source.clone(), mapping.target.clone())?;
        let known_only = !baseline.assumed().is_empty();
        Ok(Self::new(mapping, &baseline.asked(known_only)))
    }

    /// Puts a mapping beside a baseline between the same models.
    pub fn new(mapping: &Mapping, baseline: &Mapping) -> Self {
        let universe = DistinctUses {
            types: types(mapping).union(types(baseline)),
            operations: functions(mapping).union(functions(baseline)),
        };
        let (mut cut, mut said) = (mapping.clone(), Vec::new());
        cut.rows.clear();
        for row in &mapping.rows {
            for row in by_scope(mapping, row, baseline) {
                let (row, of_row) = universe.cut(mapping, row, baseline);
                cut.rows.push(row);
                said.push(of_row);
            }
        }
        let count = said.iter().flatten().map(Vec::len).max().unwrap_or(0).max(1);
        let variants = (0..count).map(|number| variant(&cut, &said, number)).collect();
        Self { baseline: baseline.clone(), mapping: cut, said, variants }
    }

    /// The baseline's lowerings, row by row as those of the mapping.
    pub fn variants(&self) -> &[Mapping] {
        &self.variants
    }

    /// Has the lowering of a row the same instructions in the baseline, and no other?
    fn is_same(&self, row: usize, alternative: usize) -> bool {
        let own = &self.mapping.rows[row].alternatives[alternative];
        matches!(&self.said[row][alternative][..], [old] if (&old.steps, old.dependencies) == (&own.steps, own.dependencies))
    }

    /// The formula: some operation has another lowering than in the baseline. Other programs have
    /// the same outcomes under both.
    pub fn has_changed_row(&self, problem: &mut MappingProblem) -> Formula {
        let sets = self.events(problem, |row, alternative| !self.is_same(row, alternative));
        let all = problem.logic.union_all(1, sets);
        problem.logic.some(all)
    }

    /// The events that have these lowerings of the mapping.
    fn events(
        &self,
        problem: &mut MappingProblem,
        wanted: impl Fn(usize, usize) -> bool,
    ) -> Vec<Expr> {
        let MappingProblem { logic, vocabulary, .. } = problem;
        let mut out = Vec::new();
        for (r, row) in self.mapping.rows.iter().enumerate() {
            let Some(&(_, relation)) =
                vocabulary.construct.iter().find(|(c, _)| *c == row.construct)
            else {
                continue;
            };
            let set = logic.rel(relation);
            let set = match row.scope {
                ScopePattern::Any(_) => set,
                ScopePattern::Named(scope) => {
                    match vocabulary.scope.iter().find(|(s, _)| *s == scope) {
                        Some(&(_, relation)) => {
                            let scope = logic.rel(relation);
                            logic.intersection(set, scope)
                        }
                        None => continue,
                    }
                }
            };
            let count = row.asked().len();
            for k in (0..count).filter(|&k| wanted(r, k)) {
                out.push(match vocabulary.choice.get(k) {
                    Some(&choice) if count > 1 => {
                        let choice = logic.rel(choice);
                        logic.intersection(set, choice)
                    }
                    _ => set,
                });
            }
        }
        out
    }

    /// The formula: with the outcome of the execution and its modification order, what the baseline
    /// emits is a legal execution. The order of fences and, where coherence is partial, which
    /// writes are related are the search's own, or those that are given.
    fn legal(
        &self,
        problem: &mut MappingProblem,
        variant: usize,
        orders: Option<&OldOrders>,
    ) -> Formula {
        let missing =
            self.events(problem, |row, alternative| self.said[row][alternative].is_empty());
        let legal = problem.legal(
            &self.variants[variant],
            orders.map(|orders| (orders.related.clone(), orders.fences.clone())),
        );
        let missing = problem.logic.union_all(1, missing);
        let none = problem.logic.no(missing);
        problem.logic.and([legal, none])
    }

    /// The left-hand side of a row for some use of which the baseline may emit one of several;
    /// `None` if there is no such row.
    pub fn with_alternatives(&self) -> Option<String> {
        let rows = self.mapping.rows.iter().zip(&self.said);
        let mut several =
            rows.flat_map(|(row, said)| row.alternatives.iter().zip(said).map(move |of| (row, of)));
        let (row, (own, _)) = several.find(|(_, (_, said))| said.len() > 1)?;
        Some(row.head(self.mapping.source.signature, own.form))
    }

    /// Can a solver look for the orders of the baseline's execution? Reads whose value nobody uses
    /// and what loads write back have others.
    pub fn is_searchable(&self, vocabulary: &MappingVocabulary) -> bool {
        vocabulary.copies.is_empty() && vocabulary.unused_rf.is_none() && vocabulary.back.is_none()
    }
}

/// The lowerings of the baseline for some uses, by their places in its row, and the place of what
/// says so in the own lowering.
type CutKey = (Vec<usize>, Option<usize>);

/// What rows tell apart.
struct DistinctUses {
    types: KindSet,
    operations: KindSet,
}

/// The operations of read-modify-writes that the rows of a mapping tell apart.
fn functions(mapping: &Mapping) -> KindSet {
    let named = mapping
        .rows
        .iter()
        .flat_map(|r| &r.alternatives)
        .flat_map(|l| &l.uses)
        .filter_map(|u| u.when.operations);
    named.fold(mapping.about.operations.unwrap_or_default(), KindSet::union)
}

/// A row, or one for each scope where the baseline tells scopes apart.
fn by_scope(mapping: &Mapping, row: &Row, baseline: &Mapping) -> Vec<Row> {
    let named = |r: &Row| r.construct == row.construct && matches!(r.scope, ScopePattern::Named(_));
    let scopes = mapping.scopes();
    let apart = matches!(row.scope, ScopePattern::Any(_))
        && !scopes.is_empty()
        && baseline.rows.iter().any(named);
    if !apart || !row.construct.has_scope(mapping.source.signature) {
        return vec![row.clone()];
    }
    let at = |scope: &Scope| {
        let alternatives = row.alternatives.iter().map(|l| at_scope(l, Some(*scope))).collect();
        Row { scope: ScopePattern::Named(*scope), alternatives, ..row.clone() }
    };
    scopes.iter().map(at).collect()
}

/// A lowering in the row of one scope: that scope in the place of the one that is passed on.
fn at_scope(lowering: &Lowering, scope: Option<Scope>) -> Lowering {
    let mut lowering = lowering.clone();
    if let Some(scope) = scope {
        lowering
            .steps
            .iter_mut()
            .filter(|s| s.scope == StepScope::Same)
            .for_each(|s| s.scope = StepScope::Named(scope));
    }
    lowering
}

impl DistinctUses {
    /// A row with its lowerings cut, and what the baseline may emit for each.
    fn cut(
        &self,
        mapping: &Mapping,
        mut row: Row,
        baseline: &Mapping,
    ) -> (Row, Vec<Vec<Lowering>>) {
        let scope = match row.scope {
            ScopePattern::Named(scope) => Some(scope),
            ScopePattern::Any(_) => None,
        };
        // A row for all scopes is the one for each.
        let asked = scope.or_else(|| {
            mapping
                .scopes()
                .first()
                .copied()
                .filter(|_| row.construct.has_scope(mapping.source.signature))
        });
        let old = baseline.row(row.construct, asked).or_else(|| baseline.row(row.construct, None));
        let old: Vec<Lowering> =
            old.into_iter().flat_map(|old| &old.alternatives).map(|l| at_scope(l, scope)).collect();
        let has_form = |form: LoweringForm| old.iter().any(|l| l.form == form);
        let (mut alternatives, mut said) = (Vec::new(), Vec::new());
        for own in &row.alternatives {
            // A row of a read-modify-write is for every kind of it.
            let form = if own.form == LoweringForm::CompareExchange && !has_form(own.form) {
                LoweringForm::Usual
            } else {
                own.form
            };
            let of_form = || old.iter().filter(move |l| l.form == form);
            if own.uses.is_empty() && of_form().all(|l| l.uses.is_empty()) {
                said.push(of_form().cloned().collect());
                alternatives.push(own.clone());
                continue;
            }
            // What the baseline may emit, and which use of the row says where it comes from.
            let mut groups: Vec<(CutKey, Vec<ConstructUse>)> = Vec::new();
            for (cell, used) in self.cells(mapping, &row, own) {
                let as_old = match form == own.form {
                    true => cell,
                    false => ConstructUse { partner: None, operation: Some(EXCHANGE), ..cell },
                };
                let covers = |l: &Lowering| {
                    l.form == form
                        && (l.uses.is_empty() || l.uses.iter().any(|u| u.when.covers(as_old)))
                };
                let choice: Vec<usize> = (0..old.len()).filter(|&k| covers(&old[k])).collect();
                match groups.iter_mut().find(|(key, _)| *key == (choice.clone(), used)) {
                    Some((_, cells)) => cells.push(cell),
                    None => groups.push(((choice, used), vec![cell])),
                }
            }
            for ((choice, used), cells) in groups {
                let from = used.and_then(|used| own.uses[used].from.clone());
                let uses = exact_uses(&cells)
                    .into_iter()
                    .map(|when| Used { when, from: from.clone() })
                    .collect();
                alternatives.push(Lowering { uses, ..own.clone() });
                said.push(choice.into_iter().map(|k| old[k].clone()).collect());
            }
        }
        row.alternatives = alternatives;
        // Failing compare-exchanges are told from loads where the baseline may tell them.
        row.failures_apart = true;
        (row, said)
    }

    /// The uses that a lowering is for, each with the one of [`Lowering::uses`] that says so.
    fn cells(
        &self,
        mapping: &Mapping,
        row: &Row,
        own: &Lowering,
    ) -> Vec<(ConstructUse, Option<usize>)> {
        let all = |set: KindSet| -> Vec<Option<usize>> {
            if set.is_empty() { vec![None] } else { set.iter().map(Some).collect() }
        };
        let types = match row.construct.operation {
            Operation::Fence => vec![None],
            _ => all(mapping.about.types.unwrap_or(self.types)),
        };
        let operations =
            match row.construct.operation == Operation::Rmw && own.form == LoweringForm::Usual {
                true => all(mapping.about.operations.unwrap_or(self.operations)),
                false => vec![None],
            };
        let whens: Vec<(RowUses, Option<usize>)> = match own.uses.is_empty() {
            true => vec![(RowUses::default(), None)],
            false => own.uses.iter().enumerate().map(|(i, used)| (used.when, Some(i))).collect(),
        };
        let mut out: Vec<(ConstructUse, Option<usize>)> = Vec::new();
        for (when, used) in whens {
            let operations = when.operations.map_or(operations.clone(), all);
            let types = when.data.map_or(types.clone(), all);
            let partners = match when.partner {
                Some(partner) => vec![Some(partner)],
                None => other_orders(own.form, mapping.source.signature),
            };
            for &partner in &partners {
                for &operation in &operations {
                    for &data in &types {
                        let is_there = operation.zip(data).is_none_or(|(o, d)| {
                            o < OPERATIONS.len() && d < TYPES.len() && exists(o, d)
                        });
                        let cell = ConstructUse { partner, operation, data };
                        if is_there && !out.iter().any(|(known, _)| *known == cell) {
                            out.push((cell, used));
                        }
                    }
                }
            }
        }
        out
    }
}

/// The mapping with the baseline's lowerings of this number in the place of its own; where there
/// are fewer, with the last.
fn variant(cut: &Mapping, said: &[Vec<Vec<Lowering>>], number: usize) -> Mapping {
    let mut out = cut.clone();
    for (row, said) in out.rows.iter_mut().zip(said) {
        for (own, old) in row.alternatives.iter_mut().zip(said) {
            if let Some(old) = old.get(number).or(old.last()) {
                (own.steps, own.dependencies, own.bits) =
                    (old.steps.clone(), old.dependencies, old.bits);
            }
        }
    }
    out
}

/// Why a candidate is none that is new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OldCandidate {
    /// With these orders the baseline's execution of it is legal.
    Legal(OldOrders),
    /// The baseline's program has the outcome of this execution.
    Outcome(RecordedInstance),
}

/// Orders of an execution of the baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldOrders {
    /// Which of the baseline's alternatives it takes.
    variant: usize,
    /// Where coherence is partial, the writes that are related, by their numbering.
    related: TupleSet,
    fences: TupleSet,
}

impl OldCandidate {
    /// The formula: it is not true of an execution. `None` if it is about none of these atoms.
    pub fn excluded(
        &self,
        baseline: &Baseline,
        problem: &mut MappingProblem,
        atoms: &Atoms,
    ) -> Option<Formula> {
        let all = match self {
            Self::Legal(orders) => {
                let bounds = problem.vocabulary.bounds(atoms);
                let may = |relation, tuples: &TupleSet| {
                    bounds.get(relation).is_some_and(|(_, upper)| tuples.is_subset(upper))
                };
                let v = &problem.vocabulary;
                let fits = orders.variant < baseline.variants.len()
                    && (orders.related.is_empty() || may(v.related, &orders.related))
                    && (orders.fences.is_empty() || may(v.fence_order, &orders.fences));
                if !fits {
                    return None;
                }
                baseline.legal(problem, orders.variant, Some(orders))
            }
            Self::Outcome(recorded) => {
                let instance = recorded.instance(&problem.logic, &problem.vocabulary, atoms)?;
                let (told, logic) = (problem.vocabulary.told(), &mut problem.logic);
                let same = |relation| {
                    let (found, said) =
                        (logic.rel(relation), logic.constant(instance.tuples(relation)?.clone()));
                    Some(logic.equal(found, said))
                };
                let same: Vec<Formula> = told.into_iter().filter_map(same).collect();
                problem.logic.and(same)
            }
        };
        Some(problem.logic.not(all))
    }
}

impl From<&OldCandidate> for CertifiedLesson {
    fn from(old: &OldCandidate) -> Self {
        let pairs = |order: &TupleSet| order.iter().map(|pair| (pair[0].0, pair[1].0)).collect();
        match old {
            OldCandidate::Legal(OldOrders { variant, related, fences }) => CertifiedLesson::Old {
                variant: *variant,
                related: pairs(related),
                fences: pairs(fences),
            },
            OldCandidate::Outcome(recorded) => CertifiedLesson::Outcome(recorded.clone()),
        }
    }
}

impl OldCandidate {
    /// What such a lesson says; `None` if it is one about something else.
    pub fn of(lesson: &CertifiedLesson) -> Option<Self> {
        let order = |pairs: &[(u32, u32)]| {
            TupleSet::from_tuples(2, pairs.iter().map(|&(a, b)| [Atom(a), Atom(b)]))
        };
        match lesson {
            CertifiedLesson::Old { variant, related, fences } => Some(Self::Legal(OldOrders {
                variant: *variant,
                related: order(related),
                fences: order(fences),
            })),
            CertifiedLesson::Outcome(recorded) => Some(Self::Outcome(recorded.clone())),
            CertifiedLesson::Order(_)
            | CertifiedLesson::Race { .. }
            | CertifiedLesson::Orders { .. } => None,
        }
    }
}
