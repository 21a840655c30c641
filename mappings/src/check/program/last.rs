//! What the last operation of a thread, if nothing reads from it, has to do with the rest of an
//! execution. Where it has little to do with it, the source execution of a smallest counterexample
//! has few races: [`few_races`] says why.
//!
//! The analysis follows through a model's text where an expression may relate the operation's
//! events with the others and with each other, whether that depends on where the operation reads
//! from and where modification order has it, and whether there may be more or fewer pairs among the
//! others without it. What it cannot see to be so is taken to be otherwise.

use margay_models::execution::Order;
use margay_models::judge::Judge;
use margay_models::model::{CheckKind, DefId, ExprId, Model, Node, Role, Sort};
use margay_models::signature::{BaseRelation, BaseSet, Construct, Operation, PairCourse, PairEnd};

use super::{extends, starts_are_consistent};
use crate::encode::{FewRaces, unused_half};
use crate::language::{LoweringForm, Mapping};

/// Which races the source execution of a smallest counterexample may have, among guarded programs
/// of these constructs; `None` if any.
///
/// Let P be a counterexample of fewest events, and x its source execution, which is forbidden. No
/// consistent execution of P has a race. Call an operation *last* if it is last in its thread and
/// nothing reads from it, and let x have one.
///
/// - *Without a last operation e, x is consistent*, with some modification order: P without e is a
///   program of the class. The target allows its compiled form what is left of the outcome, if it
///   allows executions without last operations. Every consistent execution of it is a beginning of
///   one of P, so it has no race. It is no counterexample, as it has fewer events. So some
///   consistent execution has that outcome, and reads as x does.
/// - *Let a race of x have no part of e.* If races neither look at modification order nor at a last
///   operation elsewhere, that execution has the race, too. It is a beginning of an execution of P,
///   and the source goes on ([`extends`]): P races.
/// - *Let e be one side of it.* Execute e behind all the others instead, so that it reads the last
///   write. That is consistent, as the source goes on. If what e races with does not depend on what
///   it reads, the race is there: P races.
///
/// So a race of x has a part of a last operation whose races depend on what it reads (an acquire),
/// or of a compare-exchange, which may fail.
pub fn few_races(mapping: &Mapping, constructs: &[Construct]) -> Option<FewRaces> {
    let (source, target) = (&mapping.source, &mapping.target);
    let races: Vec<ExprId> =
        source.checks.iter().filter(|c| c.is_undefined_behaviour()).map(|c| c.expr).collect();
    let goes_on = || extends(source) && starts_are_consistent(source, &mut Judge::new(source));
    let around = ModelKnowledge::of(source, None);
    let is_fit = !races.is_empty()
        && are_pairs_with_names(source)
        && !looks_at_order(source, &races)
        && races.iter().all(|&race| around.value(race).is_as_without())
        && allows_without(target)
        && !has_unused_reads(mapping)
        && !mapping.writes_back()
        && goes_on();
    let depends = |&construct: &Construct| {
        let analysis = ModelKnowledge::of(source, Some(construct));
        may_fail(mapping, construct) || races.iter().any(|&race| analysis.value(race).depends())
    };
    is_fit.then(|| FewRaces { but_of: constructs.iter().copied().filter(depends).collect() })
}

/// Is every check about undefined behaviour one that flags pairs with a name: `flag ~empty race`?
fn are_pairs_with_names(source: &Model) -> bool {
    source.checks.iter().filter(|check| check.is_undefined_behaviour()).all(|check| {
        let is_name = matches!(source.arena.node(check.expr), Node::Definition(_));
        check.role == Role::Flag
            && check.kind == CheckKind::Empty
            && is_name
            && source.arena.sort(check.expr) == Sort::Relation
    })
}

/// Do the expressions look at modification order?
fn looks_at_order(source: &Model, of: &[ExprId]) -> bool {
    let is_order = |id: ExprId| matches!(source.arena.node(id), Node::Relation(relation) if relation.speaks_of_coherence());
    source.reachable(of.iter().copied()).into_iter().any(is_order)
}

/// Is an execution that a target allows one without a last operation, too?
fn allows_without(target: &Model) -> bool {
    let analysis = ModelKnowledge::of(target, None);
    target.axioms().all(|(_, check)| !check.negated && !analysis.value(check.expr).more)
}

/// May the compiled program read by a store, or have a read whose value nobody uses? (What a load
/// writes back others may read in the target, and in the source nothing reads from the load:
/// [`Mapping::writes_back`] is asked beside this.)
fn has_unused_reads(mapping: &Mapping) -> bool {
    mapping.rows.iter().any(|row| {
        row.alternatives.iter().any(|lowering| {
            unused_half(row, lowering).is_some() || lowering.steps.iter().any(|step| step.unused)
        })
    })
}

/// May an operation of this kind do less than it does in the execution that is searched for, if it
/// reads another value?
fn may_fail(mapping: &Mapping, construct: Construct) -> bool {
    let rows = mapping.rows.iter().filter(|row| row.construct == construct);
    rows.flat_map(|row| &row.alternatives).any(|lowering| lowering.form != LoweringForm::Usual)
}

/// The other events, and those of the operation.
const OTHERS: usize = 0;
const LAST: usize = 1;
const BOTH: [usize; 2] = [OTHERS, LAST];

/// Where there may be pairs, by whether their events are of the operation.
type PairPlaces = [[bool; 2]; 2];

const NOWHERE: PairPlaces = [[false; 2]; 2];
const ANYWHERE: PairPlaces = [[true; 2]; 2];

fn each(cell: impl Fn(usize, usize) -> bool) -> PairPlaces {
    BOTH.map(|i| BOTH.map(|j| cell(i, j)))
}

/// What is known of the value of an expression. Sets are diagonals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RelationKnowledge {
    /// Where there may be pairs; among the others always.
    pairs: PairPlaces,
    /// Where there may be other pairs if the operation reads from elsewhere, or is elsewhere in
    /// modification order.
    depends: PairPlaces,
    /// There may be fewer among the others without the operation.
    fewer: bool,
    /// There may be more among the others without the operation.
    more: bool,
}

impl RelationKnowledge {
    const NOTHING: RelationKnowledge = RelationKnowledge {
        pairs: [[true, false], [false, false]],
        depends: NOWHERE,
        fewer: false,
        more: false,
    };
    const IDENTITY: RelationKnowledge =
        RelationKnowledge { pairs: [[true, false], [false, true]], ..Self::NOTHING };

    fn with(pairs: PairPlaces) -> RelationKnowledge {
        RelationKnowledge { pairs, ..Self::NOTHING }
    }

    /// The same, but that all pairs with the operation depend on where it reads from, or is in
    /// modification order.
    fn dependent(self) -> RelationKnowledge {
        RelationKnowledge {
            depends: each(|i, j| self.pairs[i][j] && (i, j) != (OTHERS, OTHERS)),
            ..self
        }
    }

    fn is_as_without(self) -> bool {
        !self.fewer && !self.more
    }

    fn depends(self) -> bool {
        self.depends != NOWHERE
    }

    fn union(self, b: RelationKnowledge) -> RelationKnowledge {
        RelationKnowledge {
            pairs: each(|i, j| self.pairs[i][j] || b.pairs[i][j]),
            depends: each(|i, j| self.depends[i][j] || b.depends[i][j]),
            fewer: self.fewer || b.fewer,
            more: self.more || b.more,
        }
    }

    fn intersection(self, b: RelationKnowledge) -> RelationKnowledge {
        RelationKnowledge {
            pairs: each(|i, j| self.pairs[i][j] && b.pairs[i][j]),
            depends: each(|i, j| {
                self.depends[i][j] && b.pairs[i][j] || self.pairs[i][j] && b.depends[i][j]
            }),
            ..self.union(b)
        }
    }

    fn complement(self) -> RelationKnowledge {
        RelationKnowledge {
            pairs: ANYWHERE,
            depends: self.depends,
            fewer: self.more,
            more: self.fewer,
        }
    }

    fn then(self, b: RelationKnowledge) -> RelationKnowledge {
        let through =
            |a: &PairPlaces, b: &PairPlaces| each(|i, j| BOTH.iter().any(|&k| a[i][k] && b[k][j]));
        let (by_a, by_b) = (through(&self.depends, &b.pairs), through(&self.pairs, &b.depends));
        let leads_back = self.pairs[OTHERS][LAST] && b.pairs[LAST][OTHERS];
        RelationKnowledge {
            pairs: through(&self.pairs, &b.pairs),
            depends: each(|i, j| by_a[i][j] || by_b[i][j]),
            fewer: self.fewer || b.fewer || leads_back,
            more: self.more || b.more,
        }
    }

    fn closure(self) -> RelationKnowledge {
        let mut all = self;
        loop {
            let longer = all.union(all.then(self));
            if longer == all {
                return all;
            }
            all = longer;
        }
    }

    fn inverse(self) -> RelationKnowledge {
        let back = |of: PairPlaces| each(|i, j| of[j][i]);
        RelationKnowledge { pairs: back(self.pairs), depends: back(self.depends), ..self }
    }

    fn domain(self) -> RelationKnowledge {
        let from = |of: PairPlaces| each(|i, j| i == j && of[i].contains(&true));
        let fewer = self.fewer || self.pairs[OTHERS][LAST];
        RelationKnowledge {
            pairs: from(self.pairs),
            depends: from(self.depends),
            fewer,
            more: self.more,
        }
    }

    fn product(self, b: RelationKnowledge) -> RelationKnowledge {
        RelationKnowledge {
            pairs: each(|i, j| self.pairs[i][i] && b.pairs[j][j]),
            depends: each(|i, j| {
                self.depends[i][i] && b.pairs[j][j] || self.pairs[i][i] && b.depends[j][j]
            }),
            ..self.union(b)
        }
    }
}

/// A model with what is known of its definitions.
struct ModelKnowledge<'a> {
    model: &'a Model,
    /// What the operation is; `None` if it may be anything.
    construct: Option<Construct>,
    definitions: Vec<RelationKnowledge>,
}

impl<'a> ModelKnowledge<'a> {
    fn of(model: &'a Model, construct: Option<Construct>) -> Self {
        let mut analysis = Self {
            model,
            construct,
            definitions: vec![RelationKnowledge::NOTHING; model.definitions.len()],
        };
        // What is known only grows; as often as it takes for the recursive ones.
        loop {
            let before = analysis.definitions.clone();
            for d in 0..model.definitions.len() {
                let value = analysis.value(model.definition(DefId::from(d)).body);
                analysis.definitions[d] = analysis.definitions[d].union(value);
            }
            if analysis.definitions == before {
                return analysis;
            }
        }
    }

    fn value(&self, root: ExprId) -> RelationKnowledge {
        // Operands have smaller numbers than what is made of them; a definition is known by its
        // name.
        let arena = &self.model.arena;
        let mut needed = vec![false; root.index() + 1];
        needed[root.index()] = true;
        for i in (0..=root.index()).rev() {
            if needed[i] {
                arena.node(ExprId::from(i)).children().for_each(|c| needed[c.index()] = true);
            }
        }
        let mut values = vec![RelationKnowledge::NOTHING; root.index() + 1];
        for i in (0..=root.index()).filter(|&i| needed[i]) {
            values[i] = self.build(ExprId::from(i), &values);
        }
        values[root.index()]
    }

    fn build(&self, id: ExprId, values: &[RelationKnowledge]) -> RelationKnowledge {
        let of = |e: ExprId| values[e.index()];
        let everything = if self.model.arena.sort(id) == Sort::Set {
            RelationKnowledge::IDENTITY
        } else {
            RelationKnowledge::with(ANYWHERE)
        };
        match self.model.arena.node(id) {
            Node::Set(set) if self.may_be(set) => RelationKnowledge::IDENTITY,
            Node::Set(_) | Node::Empty(_) => RelationKnowledge::NOTHING,
            Node::Relation(relation) => self.base(relation),
            Node::Definition(d) => self.definitions[d.index()],
            Node::Union(a, b) => of(a).union(of(b)),
            Node::Intersection(a, b) => of(a).intersection(of(b)),
            Node::Difference(a, b) => of(a).intersection(of(b).complement()),
            Node::Complement(a) => of(a).complement().intersection(everything),
            Node::Sequence(a, b) => of(a).then(of(b)),
            Node::Product(a, b) => of(a).product(of(b)),
            Node::Diagonal(a) => of(a),
            Node::Inverse(a) => of(a).inverse(),
            Node::Closure(a) => of(a).closure(),
            Node::ReflexiveClosure(a) => of(a).closure().union(RelationKnowledge::IDENTITY),
            Node::Optional(a) => of(a).union(RelationKnowledge::IDENTITY),
            Node::Domain(a) => of(a).domain(),
            Node::Range(a) => of(a).inverse().domain(),
        }
    }

    /// May an event of the operation be in the set?
    fn may_be(&self, set: BaseSet) -> bool {
        let Some(construct) = self.construct else { return set != BaseSet::Iw };
        let (reads, writes) = match construct.operation {
            Operation::Read => (true, false),
            Operation::Write => (false, true),
            Operation::Rmw => (true, true),
            Operation::Fence => (false, false),
        };
        let has = |order: Order| match construct.operation {
            Operation::Rmw => construct.read_order() == order || construct.write_order() == order,
            _ => construct.order == order,
        };
        match set {
            BaseSet::R => reads,
            BaseSet::W => writes,
            BaseSet::M => reads || writes,
            BaseSet::F => !reads && !writes,
            BaseSet::Rmw => reads && writes,
            BaseSet::Iw => false,
            BaseSet::Rlx => has(Order::Rlx),
            BaseSet::Acq => has(Order::Acq),
            BaseSet::Rel => has(Order::Rel),
            BaseSet::AcqRel => has(Order::AcqRel),
            BaseSet::Sc => has(Order::Sc),
            _ => true,
        }
    }

    /// A base relation: nothing comes behind the operation in its thread, and nothing reads from
    /// it.
    fn base(&self, relation: BaseRelation) -> RelationKnowledge {
        let within = self.construct.is_none_or(|c| c.operation == Operation::Rmw);
        match (relation.course(), relation.ends()) {
            (PairCourse::Onward, _) => RelationKnowledge::with([[true, true], [false, within]]),
            (PairCourse::Communication, [_, PairEnd::Read]) => {
                RelationKnowledge::with([[true, true], [false, false]]).dependent()
            }
            (PairCourse::WithinOperation, _) => {
                RelationKnowledge::with([[true, false], [false, within]])
            }
            (PairCourse::Itself, _) => RelationKnowledge::IDENTITY,
            (PairCourse::Anywhere, _) if relation.follows_from_two_events() => {
                RelationKnowledge::with(ANYWHERE)
            }
            (PairCourse::Anywhere | PairCourse::Communication, _) => {
                RelationKnowledge::with(ANYWHERE).dependent()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use margay_models::diagnostic::SourceFile;
    use margay_models::model::Model;
    use margay_models::signature::constructs;
    use margay_models::typing::FilesThenBuiltIn;

    use super::{ModelKnowledge, allows_without, few_races};
    use crate::language::{LoadOptions, load_text};
    use crate::library;

    fn exempt(name: &str) -> Option<Vec<String>> {
        let file = library::built_in(name).expect("it is shipped");
        let mapping =
            load_text(&file, None, &LoadOptions::default()).expect("it is complete").mapping;
        let signature = mapping.source.signature;
        let few = few_races(&mapping, &constructs(signature))?;
        Some(few.but_of.iter().map(|c| c.name(signature)).collect())
    }

    #[test]
    fn what_acquires_may_race() {
        // A relaxed load may be a compare-exchange that failed, which is another instruction there.
        let acquires = ["R.RLX", "R.ACQ", "R.SC", "RMW.ACQ", "RMW.ACQ_REL", "RMW.SC"]
            .map(str::to_owned)
            .to_vec();
        for name in ["rc11-to-ptx", "rc11-to-ptx-no-release-rmw", "rc11-to-ptx-descoped"] {
            assert_eq!(exempt(name).as_ref(), Some(&acquires), "{name}");
        }
    }

    /// In the target others may read what such a load writes back: without the load they have
    /// nothing to read.
    #[test]
    fn loads_that_write_back_are_read() {
        assert!(exempt("rc11-to-x86").is_some());
        assert_eq!(exempt("rc11-to-x86-locked-loads"), None);
    }

    fn model(text: &str) -> Model {
        let source = SourceFile::new("m.cat", format!("C \"m\"\n{text}\n"));
        Model::parse(source, &FilesThenBuiltIn).expect("a model").model
    }

    #[test]
    fn targets_that_may_need_a_last_operation() {
        assert!(allows_without(&model("acyclic po | rf | co | fr")));
        assert!(allows_without(&model("empty (rf; po) \\ (co | po)")));
        assert!(allows_without(&model("acyclic (rf | co | fr)+ \\ rmw")));
        // A write that must be read; a pair that a path through the operation excuses.
        assert!(!allows_without(&model("empty [W \\ (IW | domain(rf))]")));
        assert!(!allows_without(&model("empty loc \\ ((co; co) | id)")));
        assert!(!allows_without(&model("~empty rf")));
    }

    #[test]
    fn races_that_look_elsewhere() {
        let is_as_without = |text: &str| {
            let model = model(text);
            let race = model.checks.first().expect("a check").expr;
            ModelKnowledge::of(&model, None).value(race).is_as_without()
        };
        assert!(is_as_without("flag ~empty (loc & ext) \\ (po | rf)+ as Race"));
        assert!(!is_as_without("flag ~empty (loc & ext) \\ (po | rf | co)+ as Race"));
        assert!(!is_as_without("flag ~empty (loc & ext) \\ (loc; po^-1; loc) as Race"));
        assert!(!is_as_without("flag ~empty (loc & ext) \\ (po; po^-1) as Race"));
    }
}
