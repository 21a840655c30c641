//! What executions may have of which a theorem speaks: each role that rows make, and the usual
//! shapes of programs.

use margay_models::signature::BaseSet;

use super::Setting;
use crate::logic::{EventAtom, EventTerm, Lit, TheoryExprId, TheoryFormula};
use crate::theory::Theory;

/// Something that an execution may have.
#[derive(Debug, Clone)]
pub struct InhabitantShape {
    /// Its name: a role, or words.
    pub name: String,
    /// What holds of its events.
    pub form: TheoryFormula,
    /// The number of its events.
    pub events: usize,
    /// Is a theorem empty without it?
    pub needed: bool,
    /// Does a theorem without it say so little that its first line says that?
    pub telling: bool,
}

/// What executions are looked for: each role, or an event of a thread; communication, message
/// passing, read-modify-writes, fences, store buffering.
pub fn shapes(setting: &Setting<'_>) -> Vec<InhabitantShape> {
    let mut theory = setting.theory.clone();
    let of_role = |&role: &crate::logic::Pred| InhabitantShape {
        name: format!("a `{}`", setting.theory.symbols.name(role)),
        form: TheoryFormula::lit(Lit::yes(EventAtom::unary(role, EventTerm::event(0)))),
        events: 1,
        needed: true,
        telling: false,
    };
    let mut all: Vec<InhabitantShape> = setting.roles.iter().map(of_role).collect();
    let mut builder = ShapeBuilder { setting, theory: &mut theory };
    if all.is_empty() {
        let thread = builder.is(BaseSet::Iw, 0).negated();
        all.push(InhabitantShape {
            name: "an event of a thread".to_owned(),
            form: thread,
            events: 1,
            needed: true,
            telling: false,
        });
        for (name, set) in
            [("reads", BaseSet::R), ("writes of threads", BaseSet::W), ("fences", BaseSet::F)]
        {
            let form =
                TheoryFormula::and([builder.is(set, 0), builder.is(BaseSet::Iw, 0).negated()]);
            all.push(InhabitantShape {
                name: name.to_owned(),
                form,
                events: 1,
                needed: false,
                telling: true,
            });
        }
    }
    all.extend(builder.communication());
    all
}

struct ShapeBuilder<'a> {
    setting: &'a Setting<'a>,
    theory: &'a mut Theory,
}

impl ShapeBuilder<'_> {
    /// An event is in a base set; if there is no such set it is not.
    fn is(&mut self, set: BaseSet, event: usize) -> TheoryFormula {
        let value = self.setting.base.sets.get(&set).copied();
        value.map_or(TheoryFormula::Const(false), |value| {
            self.theory.form(value, EventTerm::event(event), EventTerm::event(event))
        })
    }

    fn related(&mut self, relation: TheoryExprId, a: usize, b: usize) -> TheoryFormula {
        self.theory.form(relation, EventTerm::event(a), EventTerm::event(b))
    }

    /// Shapes in which threads communicate.
    fn communication(&mut self) -> Vec<InhabitantShape> {
        let relations = &self.setting.base.relations;
        let (po, rf, co, rmw) = (relations.po(), relations.rf(), relations.co(), relations.rmw());
        let (int, loc) = (relations.int(), relations.loc());
        use BaseSet::{F, Iw};
        let new = |name: &str, events: usize, parts: Vec<TheoryFormula>| InhabitantShape {
            name: name.to_owned(),
            form: TheoryFormula::and(parts),
            events,
            needed: false,
            telling: events == 2,
        };
        let reads = vec![
            self.related(rf, 0, 1),
            self.related(int, 0, 1).negated(),
            self.is(Iw, 0).negated(),
        ];
        let mut passing = vec![
            self.related(po, 0, 1),
            self.related(po, 2, 3),
            self.related(rf, 1, 2),
            self.related(rf, 0, 3),
            self.related(loc, 0, 1).negated(),
            self.related(int, 1, 2).negated(),
        ];
        let halves = vec![
            self.related(rmw, 0, 1),
            self.related(rmw, 2, 3),
            self.related(rf, 1, 2),
            self.related(int, 1, 2).negated(),
        ];
        let mut fences = vec![
            self.related(po, 0, 1),
            self.related(po, 1, 2),
            self.related(po, 3, 4),
            self.related(po, 4, 5),
            self.is(F, 1),
            self.is(F, 4),
            self.related(rf, 2, 3),
            self.related(rf, 0, 5),
            self.related(loc, 0, 2).negated(),
            self.related(int, 2, 3).negated(),
        ];
        for event in 0..6 {
            let whole = self.is(BaseSet::Rmw, event).negated();
            if event < 4 {
                passing.push(whole.clone());
            }
            fences.push(whole);
        }
        let mut buffering = vec![
            self.related(po, 0, 1),
            self.related(po, 2, 3),
            self.related(loc, 0, 3),
            self.related(loc, 1, 2),
            self.related(loc, 0, 1).negated(),
            self.related(int, 1, 2).negated(),
            self.related(rf, 4, 1),
            self.related(rf, 5, 3),
        ];
        for (event, set) in
            [(0, BaseSet::W), (1, BaseSet::R), (2, BaseSet::W), (3, BaseSet::R), (4, Iw), (5, Iw)]
        {
            buffering.push(self.is(set, event));
        }
        for event in 0..4 {
            buffering.push(self.is(BaseSet::Rmw, event).negated());
            buffering.push(self.is(Iw, event).negated());
        }
        buffering.extend([self.related(co, 4, 2), self.related(co, 5, 0)]);
        vec![
            new("a read of what another thread wrote", 2, reads),
            new("message passing", 4, passing),
            new("two read-modify-writes of which one reads from the other", 4, halves),
            new("message passing with fences", 6, fences),
            new("store buffering that is weak", 6, buffering),
        ]
    }
}
