//! A model as formulas over relations that the bounds of a test give a meaning to: made once, used
//! for every test.
//!
//! A base set or relation of the model is a relation that says what would hold if every event were
//! there (a constant of the test), restricted to the events that are there. Only reads-from,
//! coherence order and fence order are searched for.

use margay_models::lower::{BaseInterpretation, Interpretation, lower};
use margay_models::model::Model;
use margay_models::signature::{BaseRelation, BaseSet, ChosenRelations, RelationKind};
use margay_solver::{Expr, Formula, Logic, Relation};

use crate::prepare::Questions;

/// The relations of the problems of a model.
#[derive(Debug, Clone)]
pub struct Vocabulary {
    /// The events that are there. Initial writes always are.
    pub present: Relation,
    /// From each read to what it returns.
    pub returns: Relation,
    /// The base sets that the model mentions, over all events.
    pub sets: Vec<(BaseSet, Relation)>,
    /// The base relations that the model mentions; what is searched for is always among them.
    pub relations: Vec<(BaseRelation, Relation)>,
    /// Those of them that are searched for.
    pub searched: ChosenRelations<Relation>,
}

impl Vocabulary {
    fn new(logic: &mut Logic, model: &Model) -> Self {
        let mut declare = |name: &str, arity: usize| logic.relation(name, arity);
        // Those left out follow from others (models/src/lower.rs), which must then be there.
        let derived_from =
            |set: BaseSet| matches!(set, BaseSet::R | BaseSet::W) && model.mentions_set(BaseSet::M);
        let own = BaseSet::all(model.signature)
            .filter(|s| matches!(s, BaseSet::Tag(_) | BaseSet::Level(_)));
        let sets = BaseSet::ALL
            .iter()
            .copied()
            .chain(own)
            .filter(|&s| !matches!(s, BaseSet::Universe | BaseSet::M | BaseSet::Rmw));
        let sets = sets.filter(|&s| model.mentions_set(s) || derived_from(s));
        let own = BaseRelation::all(model.signature).filter(|r| matches!(r, BaseRelation::Same(_)));
        let relations = BaseRelation::ALL.iter().copied().chain(own);
        let relations = relations.filter(|r| !matches!(r.kind(), RelationKind::Derived(_)));
        let relations = relations.filter(|&r| {
            let derives = BaseRelation::ALL
                .iter()
                .any(|d| d.parts().contains(&r) && model.mentions_relation(*d));
            let has_ends =
                BaseSet::ALL.iter().any(|s| s.ends_of() == Some(r) && model.mentions_set(*s));
            model.mentions_relation(r) || derives || has_ends || BaseRelation::CHOSEN.contains(&r)
        });
        let (present, returns) = (declare("present", 1), declare("returns", 2));
        let sets = sets.map(|s| (s, declare(s.name(), 1))).collect();
        let relations: Vec<(BaseRelation, Relation)> =
            relations.map(|r| (r, declare(r.name(), 2))).collect();
        let searched = ChosenRelations::of(|chosen| {
            relations
                .iter()
                .find(|(r, _)| *r == chosen)
                .expect("what is searched for is always declared")
                .1
        });
        Self { present, returns, sets, relations, searched }
    }
}

/// A model in relational logic.
#[derive(Debug, Clone)]
pub struct Translation {
    /// All expressions.
    pub logic: Logic,
    /// The relations.
    pub vocabulary: Vocabulary,
    /// For each check: the test holds, as written.
    pub checks: Vec<Formula>,
    /// For each of [`Questions::races`]: the program is shown to race.
    pub races: Vec<Formula>,
    /// What always holds.
    pub truth: Formula,
}

impl Translation {
    /// Translates a model.
    pub fn new(model: &Model, questions: &Questions) -> Self {
        let mut logic = Logic::new();
        let vocabulary = Vocabulary::new(&mut logic, model);
        let base = Events::new(&mut logic, &vocabulary);
        let checks = lower(model, &mut logic, &base).checks;
        let races = questions
            .races
            .iter()
            .map(|&(c, wanted)| if wanted { checks[c] } else { logic.not(checks[c]) })
            .collect();
        let truth = logic.truth(true);
        Self { logic, vocabulary, checks, races, truth }
    }
}

/// The events that are there, and what holds between them.
struct Events {
    present: Expr,
    sets: Vec<(BaseSet, Expr)>,
    relations: Vec<(BaseRelation, Expr)>,
    halves: Expr,
}

impl Events {
    fn new(logic: &mut Logic, vocabulary: &Vocabulary) -> Self {
        let present = logic.rel(vocabulary.present);
        let sets = vocabulary.sets.iter().map(|&(set, relation)| {
            let all = logic.rel(relation);
            (set, logic.intersection(all, present))
        });
        let sets: Vec<(BaseSet, Expr)> = sets.collect();
        let relations = vocabulary.relations.iter().map(|&(name, relation)| {
            let all = logic.rel(relation);
            let restricted = match name {
                // Its own conditions say that it relates events that are there.
                name if BaseRelation::CHOSEN.contains(&name) => all,
                // The earlier event is there if the later one is.
                name if name.comes_from_earlier() => logic.restrict_range(all, present),
                _ => {
                    let from = logic.restrict_domain(present, all);
                    logic.restrict_range(from, present)
                }
            };
            (name, restricted)
        });
        let relations: Vec<(BaseRelation, Expr)> = relations.collect();
        // The read of a compare-and-swap that failed is no half of anything.
        let halves = match relations.iter().find(|(r, _)| BaseSet::Rmw.ends_of() == Some(*r)) {
            Some(&(_, rmw)) => {
                let (reads, writes) = (logic.domain(rmw), logic.range(rmw));
                logic.union(reads, writes)
            }
            None => logic.empty(1),
        };
        Self { present, sets, relations, halves }
    }
}

/// Why a name has no relation of its own: definitions that no check needs may use it.
const UNUSED: &str = "no check depends on it";

impl BaseInterpretation for Events {
    fn set(&self, set: BaseSet) -> Interpretation {
        let known = self.sets.iter().find(|(s, _)| *s == set).map(|&(_, e)| e);
        match set {
            BaseSet::Rmw => Interpretation::Is(self.halves),
            BaseSet::M => Interpretation::Follows,
            _ => Interpretation::of(known, UNUSED),
        }
    }

    fn relation(&self, relation: BaseRelation) -> Interpretation {
        let known = self.relations.iter().find(|(r, _)| *r == relation).map(|&(_, e)| e);
        match relation.kind() {
            RelationKind::Derived(_) => Interpretation::Follows,
            _ => Interpretation::of(known, UNUSED),
        }
    }

    fn universe(&self) -> Expr {
        self.present
    }
}
