//! Lowering and the solver against the judge, on random models over random executions.

use margay_models::bits::{BitMatrix, Event};
use margay_models::judge::Judge;
use margay_models::lower::{BaseInterpretation, Interpretation, lower};
use margay_models::signature::{BaseRelation, BaseSet};
use margay_models::typing::OnlyBuiltIn;
use margay_models::{Execution, Model, SourceFile};
use margay_solver::{
    Atom, Backend, Bounds, Encoding, Expr, Logic, Relation, Session, SessionOutcome, SolverLimits,
    TupleSet, Universe,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use std::collections::BTreeMap;

use crate::generate;

/// Every base of an execution as a relation of the logic; `fr` is left to follow from `rf` and
/// `co`.
struct Level {
    sets: BTreeMap<BaseSet, Expr>,
    relations: BTreeMap<BaseRelation, Expr>,
    universe: Expr,
}

impl BaseInterpretation for Level {
    fn set(&self, set: BaseSet) -> Interpretation {
        self.sets.get(&set).map_or(Interpretation::Follows, |&set| Interpretation::Is(set))
    }

    fn relation(&self, relation: BaseRelation) -> Interpretation {
        self.relations
            .get(&relation)
            .map_or(Interpretation::Follows, |&relation| Interpretation::Is(relation))
    }

    fn universe(&self) -> Expr {
        self.universe
    }
}

/// The atoms of events; before and behind them are atoms of "the other level", which must not show.
fn atom(event: Event) -> Atom {
    Atom(event.0.into()).shifted()
}

trait Shifted {
    fn shifted(self) -> Self;
}

impl Shifted for Atom {
    fn shifted(self) -> Self {
        Atom(self.0 + 1)
    }
}

fn pairs(matrix: &BitMatrix) -> TupleSet {
    TupleSet::from_tuples(2, matrix.pairs().map(|(a, b)| [atom(a), atom(b)]))
}

/// An execution as bounds, with `rf` somewhere below `rf_upper`.
fn problem(execution: &Execution, rf_upper: &BitMatrix) -> (Logic, Bounds, Level, Relation) {
    let n = execution.size();
    let mut logic = Logic::new();
    let mut bounds = Bounds::new(Universe::new((0..n + 2).map(|i| format!("e{i}"))));
    let events = logic.relation("events", 1);
    bounds.exactly(events, TupleSet::from_tuples(1, (0..n).map(|e| [atom(Event::from(e))])));
    let mut level =
        Level { sets: BTreeMap::new(), relations: BTreeMap::new(), universe: logic.rel(events) };
    for &set in BaseSet::ALL.iter().filter(|&&s| !matches!(s, BaseSet::Universe | BaseSet::M)) {
        let relation = logic.relation(set.name(), 1);
        bounds.exactly(
            relation,
            TupleSet::from_tuples(1, execution.base_set(set).iter().map(|e| [atom(e)])),
        );
        level.sets.insert(set, logic.rel(relation));
    }
    let mut rf = None;
    for &base in BaseRelation::ALL {
        if matches!(base, BaseRelation::Fr | BaseRelation::Id | BaseRelation::Ext) {
            continue;
        }
        let relation = logic.relation(base.name(), 2);
        if base == BaseRelation::Rf {
            bounds.between(relation, TupleSet::new(2), pairs(rf_upper));
            rf = Some(relation);
        } else {
            bounds.exactly(relation, pairs(&execution.base_relation(base)));
        }
        level.relations.insert(base, logic.rel(relation));
    }
    (logic, bounds, level, rf.expect("rf is a base relation"))
}

/// The execution with what the closed forms of communication rely on
/// (models/src/lower/communication.rs): reads-from goes from writes to reads, each read reads at
/// most one write, and coherence is a transitive relation between writes.
fn regular(mut execution: Execution) -> Execution {
    let (writes, reads) = (execution.base_set(BaseSet::W), execution.base_set(BaseSet::R));
    let n = execution.size();
    let mut rf = BitMatrix::new(n);
    for (w, r) in execution.rf.pairs() {
        if writes.contains(w) && reads.contains(r) && rf.column(r).is_empty() {
            rf.insert(w, r);
        }
    }
    let mut co = BitMatrix::from_pairs(
        n,
        execution.co.pairs().filter(|&(a, b)| writes.contains(a) && writes.contains(b)),
    );
    for middle in (0..n).map(Event::from) {
        for before in co.column(middle).iter() {
            let behind = co.row(middle).to_set();
            co.insert_all(before, behind.as_row());
        }
    }
    execution.rf = rf;
    execution.co = co;
    execution
}

/// Every relation below `upper`.
fn subsets(upper: &BitMatrix) -> Vec<BitMatrix> {
    let all: Vec<(Event, Event)> = upper.pairs().collect();
    (0..1u32 << all.len())
        .map(|chosen| {
            let pairs =
                all.iter().enumerate().filter(|(i, _)| chosen >> i & 1 == 1).map(|(_, p)| *p);
            BitMatrix::from_pairs(upper.size(), pairs)
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// For each check, and its negation: is there a reads-from for which it holds? Both engines
    /// must say the same, and what the solver finds must pass the judge.
    #[test]
    fn the_solver_finds_what_the_judge_finds(file in generate::model(), execution in generate::execution()) {
        let source = SourceFile::new("m.cat", file.to_string());
        let model = Model::parse(source, &OnlyBuiltIn).expect("well-typed").model;
        let execution = regular(execution);
        let upper = execution.rf.clone();
        let mut judge = Judge::new(&model);
        let candidates: Vec<(BitMatrix, Vec<bool>)> = subsets(&upper)
            .into_iter()
            .map(|rf| {
                let holds = judge.judge(&Execution { rf: rf.clone(), ..execution.clone() }).holds;
                (rf, holds)
            })
            .collect();
        let (mut logic, bounds, level, rf) = problem(&execution, &upper);
        let lowered = lower(&model, &mut logic, &level);
        prop_assert_eq!(lowered.checks.len(), model.checks.len());
        for (check, &formula) in lowered.checks.iter().enumerate() {
            for wanted in [true, false] {
                let formula = if wanted { formula } else { logic.not(formula) };
                let mut session = Session::new(bounds.clone(), Encoding::default(), &Backend::batsat());
                session.assert(&logic, formula);
                let exists = candidates.iter().any(|(_, holds)| holds[check] == wanted);
                match session.solve(&[], &SolverLimits::default()).unwrap() {
                    SessionOutcome::Sat(instance) => {
                        prop_assert!(exists, "check {} of\n{}", check, file);
                        let found = instance.tuples(rf).expect("rf is bound");
                        let (_, holds) = candidates.iter().find(|(c, _)| pairs(c) == *found).expect("within the bounds");
                        prop_assert_eq!(holds[check], wanted, "check {} of\n{}", check, file);
                    }
                    SessionOutcome::Unsat => prop_assert!(!exists, "check {} of\n{}", check, file),
                    SessionOutcome::Unknown => prop_assert!(false, "no limit was set"),
                }
            }
        }
    }
}

#[test]
fn definitions_are_lowered_within_the_level() {
    let text = "Generic let all = ~0 let self = po? let rec step = po | (step; po) let not-po = ~step empty not-po as c";
    let model =
        Model::parse(SourceFile::new("m.cat", text), &OnlyBuiltIn).expect("well-typed").model;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let execution = generate::execution().new_tree(&mut runner).expect("an execution").current();
    let (mut logic, bounds, level, _) = problem(&execution, &BitMatrix::new(execution.size()));
    let lowered = lower(&model, &mut logic, &level);
    assert_eq!(lowered.definitions.len(), model.definitions.len());
    let mut session = Session::new(bounds, Encoding::default(), &Backend::batsat());
    let SessionOutcome::Sat(instance) = session.solve(&[], &SolverLimits::default()).unwrap()
    else {
        panic!("nothing is asserted")
    };
    let value = |name: &str| {
        let definition = model.definition_named(name).expect("defined");
        instance.evaluate(&logic, lowered.definitions[definition.index()])
    };
    let n = execution.size();
    assert_eq!(value("self").len(), execution.po.len() + n);
    assert_eq!(value("step"), pairs(&execution.po));
    assert_eq!(value("not-po").len(), n * n - execution.po.len());
}
