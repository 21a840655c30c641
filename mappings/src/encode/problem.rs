//! The whole formula for a mapping, independent of shape and bound.

use margay_models::execution::Scope;
use margay_models::lower::lower;
use margay_models::model::{Check, End, Model, Role as CheckRole};
use margay_models::signature::{BaseRelation, BaseSet, Construct, Operation};
use margay_solver::{Expr, Formula, Logic, TupleSet};

use super::atoms::EventSlots;
use super::back;
use super::classes::ObjectClasses;
use super::fences::{fence_order, ordered_fences};
use super::lemmas::{self, lemmas};
use super::programs::Programs;
use super::races::{FewRaces, few_races};
use super::sets::find;
use super::slot::{SlotRole, roles, unused_half};
use super::source::SourceExpressions;
use super::source_base::SourceBase;
use super::symmetry;
use super::target::{TargetBase, TargetExpressions};
use super::technique::Techniques;
use super::threads;
use super::vocabulary::{Content, MappingVocabulary};
use super::{data, guard};
use crate::language::{Mapping, Row, StepScope};

/// An axiom of the source model whose violation is searched for: an index into its checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AxiomId(pub usize);

/// What the search ranges over.
#[derive(Debug, Clone)]
pub struct ProblemOptions {
    /// The constructs that programs are made of.
    pub constructs: Vec<Construct>,
    /// Is a location either atomic or plain, never both?
    pub typed: bool,
    /// How the question is put.
    pub techniques: Techniques,
    /// Is the question about programs, and which? (What races is then the program, in its
    /// consistent executions: [`crate::check`].)
    pub programs: Option<Programs>,
    /// Must the source execution itself be free of undefined behaviour? Of programs it need not: it
    /// is not consistent.
    pub defined: bool,
    /// Which races the source execution may have, where it need not be free of undefined behaviour;
    /// `None` if any.
    pub few_races: Option<FewRaces>,
    /// The largest number of guards and computed values, if it is limited.
    pub guards: Option<usize>,
    /// Other mappings that [`MappingProblem::legal`] is asked about: the same rows, with other
    /// lowerings.
    pub beside: Vec<Mapping>,
    /// Candidates need not have fewer guards than they can: see [`MappingProblem::narrowed`].
    pub every_read_guards: Option<MindsCycles>,
}

/// Does the target look at dependencies, on cycles of program order and reads-from?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MindsCycles(pub bool);

/// A mapping as formulas over a [`MappingVocabulary`].
#[derive(Debug, Clone)]
pub struct MappingProblem {
    /// All expressions.
    pub logic: Logic,
    /// The relations.
    pub vocabulary: MappingVocabulary,
    /// What every candidate satisfies: both levels are well-formed, the target execution is legal,
    /// the source execution has no undefined behaviour.
    pub hard: Vec<Formula>,
    /// For each question: the source execution violates the axiom.
    pub goals: Vec<(AxiomId, Formula)>,
    /// Where there is a candidate, one with this exists: every read is a guard.
    pub narrowed: Option<Formula>,
    /// What is probably so of no candidate: each says that a lemma is wrong, of one pair of events
    /// or another.
    pub lemmas: Vec<Formula>,
    pub(super) source: SourceExpressions,
}

/// The formula for "the check is satisfied" in the sense of its role, from the formula for its
/// test.
pub(super) fn satisfied(logic: &mut Logic, check: &Check, test: Formula) -> Formula {
    match check.role {
        CheckRole::Axiom | CheckRole::Assert | CheckRole::UndefinedUnless => test,
        // A flag is raised when its test holds.
        CheckRole::Flag | CheckRole::Race => logic.not(test),
    }
}

impl MappingProblem {
    /// Translates a mapping.
    pub fn new(mapping: &Mapping, options: &ProblemOptions, questions: &[AxiomId]) -> Self {
        let mut logic = Logic::new();
        let content = content(mapping, options);
        let v = MappingVocabulary::new(&mut logic, content, options.techniques);
        let source = SourceExpressions::new(&mut logic, &v);
        let mut hard = source.wellformed(&mut logic, &v, options.typed);
        if !options.techniques.thread_shapes {
            hard.extend(threads::chosen(&mut logic, &v));
        }
        if let Some(shared) = mapping.about.together.and_then(|scope| find(&source.together, scope))
        {
            let threads = logic.range(source.thread);
            let all = logic.product(threads, threads);
            hard.push(logic.subset(all, shared));
        }
        if let Some(programs) = options.programs {
            hard.extend(guard::dependencies(&mut logic, &v, &source, programs));
            hard.extend(options.guards.map(|most| guard::at_most(&mut logic, &v, most)));
        }
        let target = TargetExpressions::new(&mut logic, mapping, &v, &source, &mut hard);
        hard.extend(data::formulas(&mut logic, mapping, &v, &source));

        let closed_forms = options.techniques.closed_forms;
        let target_base = TargetBase::new(&mut logic, &target, closed_forms);
        let at_target = lower(&mapping.target, &mut logic, &target_base);
        for (check, &test) in mapping.target.checks.iter().zip(&at_target.checks) {
            if check.role == CheckRole::Axiom {
                hard.push(test);
            }
        }

        let base = SourceBase::new(&mut logic, &source, closed_forms);
        let lowered = lower(&mapping.source, &mut logic, &base);
        for (check, &test) in mapping.source.checks.iter().zip(&lowered.checks) {
            if check.is_undefined_behaviour() && options.defined {
                hard.push(satisfied(&mut logic, check, test));
            }
        }
        if let Some(few) = &options.few_races {
            hard.extend(few_races(
                &mut logic,
                (&v, &source),
                few,
                (&mapping.source, &lowered.definitions),
            ));
        }
        let goals = questions
            .iter()
            .map(|&question| {
                let fine = satisfied(
                    &mut logic,
                    &mapping.source.checks[question.0],
                    lowered.checks[question.0],
                );
                (question, logic.not(fine))
            })
            .collect();
        if options.techniques.narrow_scopes && Self::may_narrow_scopes(mapping) {
            hard.extend(symmetry::narrow_scopes(&mut logic, &source));
        }
        let narrowed = options.every_read_guards.map(|MindsCycles(minds_cycles)| {
            guard::every_read_guards(&mut logic, &v, &source, minds_cycles)
        });
        let lemmas = if options.techniques.lemmas {
            let from = lemmas::LemmaLevel {
                model: &mapping.source,
                base: &base,
                definitions: &lowered.definitions,
            };
            let to = lemmas::LemmaLevel {
                model: &mapping.target,
                base: &target_base,
                definitions: &at_target.definitions,
            };
            lemmas(&mut logic, &source, &from, &to)
        } else {
            Vec::new()
        };
        Self { logic, vocabulary: v, hard, goals, narrowed, lemmas, source }
    }

    /// Do both models see scopes through inclusion alone, and do all rows pass them on unchanged?
    pub fn may_narrow_scopes(mapping: &Mapping) -> bool {
        let passes_scopes = mapping.rows.iter().all(|row| {
            !matches!(row.scope, crate::language::ScopePattern::Named(_))
                && row
                    .alternatives
                    .iter()
                    .flat_map(|l| &l.steps)
                    .all(|s| !matches!(s.scope, StepScope::Named(_)))
        });
        passes_scopes
            && [&mapping.source, &mapping.target].iter().all(|m| sees_scopes_by_inclusion(m))
    }

    /// The formula: with modification order by a total order of events, and fences in the other
    /// order, the source satisfies all questions' axioms and every location ends with the same
    /// write. An outcome that some orders explain is no counterexample. What is `None` is as it is
    /// in the candidate.
    fn explained_by(
        &mut self,
        mapping: &Mapping,
        (order, fence_order): (Option<Expr>, Option<Expr>),
    ) -> Formula {
        let logic = &mut self.logic;
        let base = SourceBase::new(logic, &self.source, true);
        let mo = order.map_or(self.source.mo, |order| {
            let mut to_writes = |from: Expr| {
                let pairs = logic.restrict_domain(from, self.source.loc);
                logic.restrict_range(pairs, self.source.writes)
            };
            let (among_writes, from_inits) =
                (to_writes(self.source.writes), to_writes(self.source.inits));
            let events = logic.intersection(among_writes, order);
            logic.union(events, from_inits)
        });
        let lowered = lower(
            &mapping.source,
            logic,
            &base.with_orders(mo, fence_order.or(self.source.fence_order)),
        );
        let mut parts = Vec::new();
        for &(question, _) in &self.goals {
            let check = &mapping.source.checks[question.0];
            parts.push(satisfied(logic, check, lowered.checks[question.0]));
        }
        if order.is_some() {
            let mut last = |order: Expr| {
                let overwritten = logic.domain(order);
                logic.difference(self.source.writes, overwritten)
            };
            let (finals, finals_here) = (last(self.source.mo), last(mo));
            parts.push(logic.equal(finals, finals_here));
        }
        logic.and(parts)
    }

    /// The formula: what another mapping emits, with rows and alternatives as this one has them, is
    /// a legal execution; with the same reads-from and modification order. Which writes coherence
    /// order relates, where it is partial, and the order of fences are given, or those of the
    /// search.
    pub fn legal(&mut self, other: &Mapping, orders: Option<(TupleSet, TupleSet)>) -> Formula {
        let logic = &mut self.logic;
        let mut source = self.source.clone();
        let fences = orders.map(|(related, fences)| {
            let up = logic.constant(related);
            let down = logic.transpose(up);
            let related = logic.union(up, down);
            let (among, from_inits) = (
                logic.intersection(source.mo, related),
                logic.restrict_domain(source.inits, source.mo),
            );
            source.partial_co = logic.union(among, from_inits);
            logic.constant(fences)
        });
        let mut formulas = Vec::new();
        let target = TargetExpressions::with_fences(
            logic,
            other,
            (&self.vocabulary, &source),
            fences,
            &mut formulas,
        );
        let base = TargetBase::new(logic, &target, true);
        let lowered = lower(&other.target, logic, &base);
        let axioms = other
            .target
            .checks
            .iter()
            .zip(&lowered.checks)
            .filter(|(check, _)| check.role == CheckRole::Axiom);
        formulas.extend(axioms.map(|(_, &test)| test));
        logic.and(formulas)
    }

    /// The formula: reads-from has no cycle with program order.
    pub fn reads_follow_program_order(&mut self) -> Formula {
        let logic = &mut self.logic;
        let (po, rf) = (logic.rel(self.vocabulary.po), logic.rel(self.vocabulary.rf));
        let both = logic.union(po, rf);
        logic.acyclic(both)
    }

    /// The formula: the orders that the question leaves open explain the outcome, modification
    /// order by the relation `other_order` (if it is left open), the order of fences by
    /// `other_fences` (if the source chooses one).
    pub fn explainable(&mut self, mapping: &Mapping, any_modification_order: bool) -> Formula {
        let mut parts = Vec::new();
        let order = any_modification_order.then(|| {
            let other = self.logic.rel(self.vocabulary.other_order);
            parts.push(self.logic.total_order(other, self.source.events));
            other
        });
        let fence_order = self.vocabulary.other_fences.map(|relation| {
            let other = self.logic.rel(relation);
            let ordered = self.chosen_fences();
            fence_order(&mut self.logic, other, ordered, &mut parts);
            other
        });
        parts.push(self.explained_by(mapping, (order, fence_order)));
        self.logic.and(parts)
    }

    /// The fences of the source whose order is chosen.
    pub fn chosen_fences(&mut self) -> Expr {
        let signature = self.vocabulary.content.signature;
        ordered_fences(&mut self.logic, signature, self.source.fences, &self.source.orders)
    }

    /// The formula: constant orders do not explain the outcome, a total one of all events for
    /// modification order, and a strict partial one of which the fences take what is among them.
    pub fn not_explained_by(
        &mut self,
        mapping: &Mapping,
        order: Option<TupleSet>,
        fences: Option<TupleSet>,
    ) -> Formula {
        let order = order.map(|order| self.logic.constant(order));
        let fence_order = fences.map(|fences| {
            let (ordered, logic) = (self.chosen_fences(), &mut self.logic);
            let fences = logic.constant(fences);
            let among = logic.restrict_domain(ordered, fences);
            logic.restrict_range(among, ordered)
        });
        let explained = self.explained_by(mapping, (order, fence_order));
        self.logic.not(explained)
    }
}

/// Does the model look at scopes and placement through `sr` alone?
pub(super) fn sees_scopes_by_inclusion(model: &Model) -> bool {
    !model.names_scopes() && !Scope::LEVELS.into_iter().any(|scope| model.mentions_level(scope))
}

/// Does a smallest counterexample have no thread that begins or ends with a fence? Without such a
/// fence the source execution is judged the same, in all modification orders and with all other
/// reads-from, and the target execution stays legal, so that there is a counterexample with an
/// event less.
fn may_keep_fences_inside(mapping: &Mapping, constructs: &[Construct]) -> bool {
    let of_fences = |row: &&Row| row.construct.operation == Operation::Fence;
    let become_fences = |row: &Row| {
        row.alternatives.iter().flat_map(|l| &l.steps).all(|s| s.operation == Operation::Fence)
    };
    // Where an order of the fences is chosen, a fence at an end is one of those that are ordered.
    chosen_fences(&mapping.source, constructs).is_empty()
        && mapping.rows.iter().filter(of_fences).all(become_fences)
        && End::BOTH.iter().all(|&end| {
            mapping.source.ignores_fences_at(end) && mapping.target.allows_without_fences_at(end)
        })
}

/// The fences among the constructs whose order an execution of the model chooses, if the model
/// looks at that order.
pub fn chosen_fences(model: &Model, constructs: &[Construct]) -> Vec<Construct> {
    let ordered = |c: &&Construct| {
        c.operation == Operation::Fence && model.signature.is_order_of_ordered_fence(c.order)
    };
    if !model.orders_fences() {
        return Vec::new();
    }
    constructs.iter().filter(ordered).copied().collect()
}

/// What the relations must be able to express.
pub(super) fn content(mapping: &Mapping, options: &ProblemOptions) -> Content {
    let scopes = mapping.scopes();
    let mut slots = EventSlots::default();
    let (mut sc_fences, mut unused_reads) = (Vec::new(), Vec::new());
    let mut writes_back = false;
    let mut alternatives = 1;
    // Where threads run matters to scopes that the source or a row names, and to models that speak
    // of it themselves.
    let mut placements = scopes.clone();
    let mentioned =
        |scope: &Scope| [&mapping.source, &mapping.target].iter().any(|m| m.mentions_level(*scope));
    placements.extend(Scope::LEVELS.into_iter().filter(mentioned));
    let rows = std::iter::once(mapping).chain(&options.beside).flat_map(|m| &m.rows);
    for row in rows.filter(|row| options.constructs.contains(&row.construct)) {
        let asked = row.asked();
        alternatives = alternatives.max(asked.len());
        for lowering in asked {
            let mut takes = |role: SlotRole| match role {
                SlotRole::Before(k) => slots.before = slots.before.max(k + 1),
                SlotRole::After(k) => slots.after = slots.after.max(k + 1),
                SlotRole::Access => {}
            };
            if let Some(role) = unused_half(row, lowering) {
                takes(role);
                unused_reads.push(role);
            }
            if lowering.writes_back(row.construct.operation) {
                takes(back::SLOT);
                writes_back = true;
            }
            for (step, role) in lowering.steps.iter().zip(roles(lowering, row.construct.operation))
            {
                takes(role);
                if step.unused {
                    unused_reads.push(role);
                }
                if step.operation == Operation::Fence
                    && mapping.target.signature.is_order_of_ordered_fence(step.order)
                {
                    sc_fences.push(role);
                }
                match step.scope {
                    StepScope::Named(scope) => placements.push(scope),
                    StepScope::Same if scopes.is_empty() => placements.push(Scope::Sys),
                    StepScope::Same | StepScope::None => {}
                }
            }
        }
    }
    sc_fences.sort_unstable();
    sc_fences.dedup();
    unused_reads.sort_unstable();
    unused_reads.dedup();
    placements.sort_unstable();
    placements.dedup();
    let dependencies = BaseRelation::DEPENDENCIES;
    Content {
        signature: mapping.source.signature,
        constructs: options.constructs.clone(),
        specials: Vec::new(),
        scopes,
        placements,
        slots,
        alternatives,
        classes: ObjectClasses::of(mapping, &options.constructs),
        programs: options.programs,
        dependencies: dependencies.iter().any(|&d| mapping.source.mentions_relation(d)),
        partial_coherence: !mapping.target.signature.total_coherence(),
        fences_at_ends: !(options.techniques.inner_fences
            && may_keep_fences_inside(mapping, &options.constructs)),
        sc_fences: if mapping.target.orders_fences() { sc_fences } else { Vec::new() },
        unused_reads,
        writes_back,
        exchanges: [&mapping.source, &mapping.target].iter().any(|m| m.mentions_set(BaseSet::Xchg)),
        chosen_fences: !chosen_fences(&mapping.source, &options.constructs).is_empty(),
    }
}
