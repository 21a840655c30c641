//! A test as a SAT problem: which path each thread takes, where each read reads from, how writes
//! and fences are ordered. What is computed of values is in values.rs, what is asked of final
//! states in condition.rs.

use margay_models::execution::Kind;
use margay_models::signature::BaseRelation;
use margay_solver::{Atom, Bounds, Literal, Relation, Session, TupleSet, Universe};

use super::base::Facts;
use super::vocabulary::Translation;
use super::walk::{Walk, WalkGraph, WalkStep};
use crate::unfold::{self, Domains, Unfolding};
use crate::verdict::{MAX_EVENTS, Options};

/// A value that is one of several, each with the literal that says so; ascending.
pub(super) type OneOf = Vec<(i64, Literal)>;

/// A test under a model, ready to be asked.
pub struct Problem<'a> {
    pub translation: &'a Translation,
    pub facts: Facts<'a>,
    pub domains: &'a Domains,
    pub session: Session,
    /// Always true.
    pub truth: Literal,
    /// For each event: it is there.
    pub present: Vec<Literal>,
    /// The path that each thread takes.
    pub(super) walks: Vec<Walk>,
    /// All values that reads may return, ascending.
    pub numbers: Vec<i64>,
    /// For each intermediate result, once it is needed: the values that it may have.
    pub(super) results: Vec<Option<OneOf>>,
}

impl<'a> Problem<'a> {
    /// States what an execution of the test is; nothing of the model yet. `start` begins the
    /// session of the solver.
    pub fn new(
        translation: &'a Translation,
        facts: Facts<'a>,
        (domains, unfolding): (&'a Domains, &Unfolding),
        options: &Options,
        start: impl FnOnce(Bounds) -> Session,
    ) -> Result<Self, unfold::UnfoldError> {
        let (events, most) =
            (facts.merged.events.len(), options.events.unwrap_or(MAX_EVENTS).min(MAX_EVENTS));
        if events > most {
            return Err(unfold::UnfoldError::new(format!(
                "all paths together have {events} events; the SAT engine takes {most}"
            )));
        }
        let mut numbers: Vec<i64> = domains.reads.iter().flatten().copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut session = start(bounds(translation, facts, domains, &numbers));
        session.set_limits(options.limits());
        let truth = session.exact(&translation.logic, translation.truth);
        let vocabulary = &translation.vocabulary;
        let present = (0..events).map(|e| session.tuple(vocabulary.present, &[event(e)])).collect();
        let graphs =
            (0..facts.merged.paths.len()).map(|t| WalkGraph::of(facts.merged, t, unfolding));
        let walks = graphs.map(|graph| Walk::new(graph, &mut session, truth)).collect();
        let results = vec![None; facts.merged.values.len()];
        let mut problem =
            Self { translation, facts, domains, session, truth, present, walks, numbers, results };
        problem.paths();
        problem.barriers_are_met();
        problem.reads_from();
        problem.values_flow();
        problem.suppositions();
        for (order, _, is_total) in facts.signature.chosen_orders() {
            problem.order(order, is_total);
        }
        Ok(problem)
    }

    /// The events on the path that a thread takes are there, and no others.
    fn paths(&mut self) {
        let mut through: Vec<Vec<Literal>> = vec![Vec::new(); self.present.len()];
        for (step, literal) in self.walks.iter().flat_map(Walk::steps) {
            if let WalkStep::Event(event) = step {
                through[event].push(literal);
            }
        }
        for (event, mut literals) in
            through.into_iter().enumerate().filter(|(_, literals)| !literals.is_empty())
        {
            let present = self.present[event];
            for &literal in &literals {
                self.session.add_clause(&[!literal, present]);
            }
            literals.push(!present);
            self.session.add_clause(&literals);
        }
    }

    /// No thread waits at a barrier for another that never comes.
    fn barriers_are_met(&mut self) {
        let ends: Vec<Vec<Vec<Literal>>> = self.walks.iter().map(Walk::ends).collect();
        for combination in 0..self.facts.merged.unmet.len() {
            let mut clause = Vec::with_capacity(ends.len());
            for (walk, ends) in self.walks.iter().zip(&ends) {
                let among = self.session.fresh();
                for (end, literals) in walk.graph.ends.iter().zip(ends) {
                    if end.unmet.contains(&combination) {
                        literals
                            .iter()
                            .for_each(|&literal| self.session.add_clause(&[!literal, among]));
                    }
                }
                clause.push(!among);
            }
            self.session.add_clause(&clause);
        }
    }

    /// Each read that is there reads from one write that is there.
    fn reads_from(&mut self) {
        for read in 0..self.domains.sources.len() {
            let sources = &self.domains.sources[read];
            if sources.is_empty() {
                continue;
            }
            let mut from = Vec::with_capacity(sources.len() + 1);
            for &write in sources {
                let literal = self.pair(self.translation.vocabulary.searched.rf, write, read);
                self.session.add_clause(&[!literal, self.present[write]]);
                self.session.add_clause(&[!literal, self.present[read]]);
                from.push(literal);
            }
            self.at_most_one(&from);
            from.push(!self.present[read]);
            self.session.add_clause(&from);
        }
    }

    /// A strict order over events that are there, after the initial writes; total or partial.
    fn order(&mut self, name: BaseRelation, total: bool) {
        let Some(&relation) = self.translation.vocabulary.searched.get(name) else { return };
        let n = self.present.len();
        let facts = self.facts;
        let related = |a: usize, b: usize| facts.relates(a, b, name);
        let ordered: Vec<usize> = (0..n)
            .filter(|&e| {
                facts.merged.events[e].data.kind != Kind::Init
                    && (0..n).any(|o| related(e, o) || related(o, e))
            })
            .collect();
        let mut literal = |a: usize, b: usize| self.session.tuple(relation, &[event(a), event(b)]);
        let mut clauses: Vec<Vec<Literal>> = Vec::new();
        for &b in &ordered {
            for init in
                (0..n).filter(|&i| facts.merged.events[i].data.kind == Kind::Init && related(i, b))
            {
                let pair = literal(init, b);
                clauses.push(vec![!pair, self.present[b]]);
                clauses.push(vec![pair, !self.present[b]]);
            }
            for &a in ordered.iter().filter(|&&a| related(a, b)) {
                let pair = literal(a, b);
                clauses.push(vec![!pair, self.present[a]]);
                clauses.push(vec![!pair, self.present[b]]);
                if a < b {
                    let back = literal(b, a);
                    clauses.push(vec![!pair, !back]);
                    if total {
                        clauses.push(vec![pair, back, !self.present[a], !self.present[b]]);
                    }
                }
                for &c in ordered.iter().filter(|&&c| c != a && related(b, c) && related(a, c)) {
                    let (next, both) = (literal(b, c), literal(a, c));
                    clauses.push(vec![!pair, !next, both]);
                }
            }
        }
        for clause in clauses {
            self.session.add_clause(&clause);
        }
    }

    /// The literal of a pair in a relation that is searched for.
    pub fn pair(&mut self, relation: Relation, a: usize, b: usize) -> Literal {
        self.session.tuple(relation, &[event(a), event(b)])
    }

    /// One of them holds, and no other.
    pub fn exactly_one(&mut self, literals: &[Literal]) {
        self.session.add_clause(literals);
        self.at_most_one(literals);
    }

    /// At most one of them holds: pair by pair, or for many by a ladder (Sinz, CP 2005), which
    /// needs a variable and three clauses for each.
    pub fn at_most_one(&mut self, literals: &[Literal]) {
        if literals.len() <= 8 {
            for (i, &a) in literals.iter().enumerate() {
                for &b in &literals[i + 1..] {
                    self.session.add_clause(&[!a, !b]);
                }
            }
            return;
        }
        // `before`: one so far holds.
        let mut before: Option<Literal> = None;
        for &literal in literals {
            let now = self.session.fresh();
            self.session.add_clause(&[!literal, now]);
            if let Some(before) = before {
                self.session.add_clause(&[!before, now]);
                self.session.add_clause(&[!before, !literal]);
            }
            before = Some(now);
        }
    }
}

pub fn event(e: usize) -> Atom {
    Atom(e as u32)
}

/// The atom of the first value; the others follow.
pub fn first_number(facts: Facts<'_>) -> u32 {
    facts.merged.events.len() as u32
}

/// What each relation is or may be in this test.
fn bounds(
    translation: &Translation,
    facts: Facts<'_>,
    domains: &Domains,
    numbers: &[i64],
) -> Bounds {
    let vocabulary = &translation.vocabulary;
    let merged = facts.merged;
    let n = merged.events.len();
    let names = (0..n).map(|e| format!("e{e}"));
    let mut bounds = Bounds::new(Universe::new(names.chain(numbers.iter().map(i64::to_string))));
    let set = |keep: &dyn Fn(usize) -> bool| {
        TupleSet::from_tuples(1, (0..n).filter(|&e| keep(e)).map(|e| [event(e)]))
    };
    bounds.between(vocabulary.present, set(&|e| merged.events[e].always), set(&|_| true));
    let number = |v: i64| Atom(first_number(facts) + numbers.binary_search(&v).unwrap_or(0) as u32);
    let returns = |keep: &dyn Fn(usize) -> bool| {
        let reads = (0..n).filter(|&r| keep(domains.reads[r].len()));
        TupleSet::from_tuples(
            2,
            reads.flat_map(|r| domains.reads[r].iter().map(move |&v| [event(r), number(v)])),
        )
    };
    bounds.between(vocabulary.returns, returns(&|values| values == 1), returns(&|_| true));
    for &(name, relation) in &vocabulary.sets {
        bounds.exactly(relation, set(&|e| facts.is_in(e, name)));
    }
    for &(name, relation) in &vocabulary.relations {
        let pairs = (0..n)
            .flat_map(|a| (0..n).map(move |b| (a, b)))
            .filter(|&(a, b)| facts.relates(a, b, name));
        let tuples = TupleSet::from_tuples(2, pairs.map(|(a, b)| [event(a), event(b)]));
        if BaseRelation::CHOSEN.contains(&name) {
            let certain = tuples.iter().filter(|pair| {
                let [a, b] = [pair[0].0 as usize, pair[1].0 as usize];
                name.is_order()
                    && merged.events[a].data.kind == Kind::Init
                    && merged.events[b].always
            });
            bounds.between(relation, TupleSet::from_tuples(2, certain), tuples.clone());
        } else {
            bounds.exactly(relation, tuples);
        }
    }
    bounds
}
