//! A problem: events, what is asked of them, and the instances that were added so far.

mod instances;
mod values;

use margay_solver::{Backend, Bounds, Encoding, Literal, Outcome, Session, SolverOptions, Universe};
use rustc_hash::{FxHashMap, FxHashSet};

use super::clauses::{Origin, Value};
use super::structure::Structure;
use crate::logic::{Atom, Clause, Form, Lit, Pred, Term};
use crate::theory::{Reason, Theory};

/// An instance of a clause, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Instance {
    /// The literals.
    pub lits: Vec<Lit>,
    /// Where it comes from.
    pub origin: Origin,
}

/// How far a problem may grow.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The most events.
    pub events: usize,
    /// How often a value of a function may be taken of a value.
    pub depth: u8,
    /// The most rounds.
    pub rounds: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { events: 16, depth: 1, rounds: 5000 }
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// There is no such structure, of whatever size.
    Refuted,
    /// This one satisfies everything that was instantiated at its events.
    Model(Structure),
    /// A limit was reached.
    Unknown,
}

/// What it took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Effort {
    /// Assignments that were looked at.
    pub rounds: usize,
    /// Instances that were added.
    pub instances: usize,
}

impl Effort {
    /// Adds another's.
    pub fn add(&mut self, other: Effort) {
        self.rounds += other.rounds;
        self.instances += other.instances;
    }
}

/// A clause of this problem alone: a supposition about its events, or a guess whose guard can be dropped.
#[derive(Debug, Clone)]
struct Local {
    clause: Clause,
    /// It counts where this holds.
    guard: Option<Literal>,
}

/// A fact, with two of the symbols that its premises are about. Most facts have a premise that is true of nothing, which is seen by these
/// without a look at the fact: there are thousands.
#[derive(Debug, Clone, Copy)]
struct Premised {
    fact: usize,
    premises: [Pred; 2],
}

impl Premised {
    fn of(fact: usize, lits: &[Lit]) -> Self {
        let mut premises = lits.iter().filter(|l| !l.positive).map(|l| l.atom.pred);
        // Events are equal to themselves: a premise that is always true of something.
        let first = premises.next().unwrap_or(Pred::EQUAL);
        Self { fact, premises: [first, premises.find(|&p| p != first).unwrap_or(first)] }
    }
}

/// Events, and what is asked of them.
pub struct Problem<'a> {
    theory: &'a Theory,
    session: Session,
    limits: Limits,
    /// For each event, how often a function was applied to get it.
    depths: Vec<u8>,
    literals: FxHashMap<Atom, Literal>,
    /// The same, in order of their making.
    atoms: Vec<(Atom, Literal)>,
    locals: Vec<Local>,
    /// What is assumed in every call.
    assumed: Vec<Literal>,
    seen: FxHashSet<Origin>,
    /// The events that exist by them.
    values: Vec<Value>,
    /// The claims that are known; `None` for all.
    claims: Option<&'a FxHashSet<(usize, usize)>>,
    /// Symbols that a positive literal of the question has.
    possible: FxHashSet<Pred>,
    /// The facts and existences whose premises can be true at all.
    active: (Vec<Premised>, Vec<usize>),
    /// Did the limit on events keep it from adding what exists? Then what it finds may be no structure.
    pub cut: bool,
    /// The instances, in order of their addition.
    pub instances: Vec<Instance>,
    /// What it took so far.
    pub effort: Effort,
}

/// How many violated instances of one clause are added in one round.
const AT_ONCE: usize = 6;

impl<'a> Problem<'a> {
    /// A problem with so many events.
    pub fn new(theory: &'a Theory, events: usize, limits: Limits) -> Self {
        // Atoms are false unless something makes them true.
        let set = [("phase", 0), ("forcephase", 1), ("lucky", 0), ("walk", 0), ("rephase", 0), ("target", 0), ("ilb", 2)];
        let set = set.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let options = SolverOptions { set, preset: margay_solver::Preset::Plain };
        let bounds = Bounds::new(Universe::new(["e"]));
        let session = Session::with_options(bounds, Encoding::default(), &Backend::default(), &options);
        Self {
            theory,
            session,
            limits,
            depths: vec![0; events],
            literals: FxHashMap::default(),
            atoms: Vec::new(),
            locals: Vec::new(),
            assumed: Vec::new(),
            seen: FxHashSet::default(),
            values: Vec::new(),
            claims: None,
            possible: FxHashSet::default(),
            active: (Vec::new(), Vec::new()),
            cut: false,
            instances: Vec::new(),
            effort: Effort::default(),
        }
    }

    /// Of claims that were proved before, these alone are known.
    pub fn know(&mut self, claims: Option<&'a FxHashSet<(usize, usize)>>) {
        self.claims = claims;
    }

    /// The events that exist by functions.
    pub fn values(&self) -> Vec<Value> {
        self.values.clone()
    }

    /// The number of events.
    pub fn events(&self) -> usize {
        self.depths.len()
    }

    /// One more event.
    pub fn event(&mut self) -> Term {
        self.depths.push(0);
        Term::event(self.depths.len() - 1)
    }

    /// A new literal that is assumed.
    pub fn assumption(&mut self) -> Literal {
        let literal = self.session.fresh();
        self.assumed.push(literal);
        literal
    }

    /// Assumes a literal no more.
    pub fn release(&mut self, literal: Literal) {
        self.assumed.retain(|&l| l != literal);
    }

    /// Supposes a clause, for all values of its variables; with a guard, where that holds.
    pub fn suppose(&mut self, clause: Clause, guard: Option<Literal>) {
        self.locals.push(Local { clause, guard });
    }

    /// Asks for a formula about the events.
    pub fn ask(&mut self, form: &Form) {
        let clauses = self.translate(form);
        for clause in clauses {
            self.session.add_clause(&clause);
        }
    }

    /// A literal that implies a formula about the events.
    pub fn switch(&mut self, form: &Form) -> Literal {
        let switch = self.session.fresh();
        for mut clause in self.translate(form) {
            clause.push(!switch);
            self.session.add_clause(&clause);
        }
        switch
    }

    /// Did a literal hold in the structure that was found last?
    pub fn holds(&self, literal: Literal) -> bool {
        self.session.holds(literal)
    }

    /// Adds a clause of literals and switches.
    pub fn add(&mut self, clause: &[Literal]) {
        self.session.add_clause(clause);
    }

    /// Clauses for a formula; nested conjunctions in disjunctions get a literal of their own.
    fn translate(&mut self, form: &Form) -> Vec<Vec<Literal>> {
        match form {
            Form::Const(true) => Vec::new(),
            Form::Const(false) => vec![Vec::new()],
            Form::Lit(lit) => vec![vec![self.literal(*lit)]],
            Form::And(parts) => parts.iter().flat_map(|p| self.translate(p)).collect(),
            Form::Or(parts) => {
                vec![parts.iter().map(|part| self.implied(part)).collect()]
            }
        }
    }

    /// A literal that implies a formula: its own, or a switch.
    fn implied(&mut self, form: &Form) -> Literal {
        match form {
            Form::Lit(lit) => self.literal(*lit),
            other => self.switch(other),
        }
    }

    fn literal(&mut self, lit: Lit) -> Literal {
        if lit.positive {
            self.possible.insert(lit.atom.pred);
        }
        let (session, atoms) = (&mut self.session, &mut self.atoms);
        let positive = *self.literals.entry(lit.atom).or_insert_with(|| {
            let literal = session.fresh();
            atoms.push((lit.atom, literal));
            literal
        });
        if lit.positive { positive } else { !positive }
    }

    fn instance(&mut self, lits: Vec<Lit>, origin: Origin, guard: Option<Literal>) {
        if !self.seen.insert(origin.clone()) {
            return;
        }
        let mut clause: Vec<Literal> = Vec::with_capacity(lits.len() + 1);
        for &lit in &lits {
            match lit.constant() {
                Some(true) => return,
                Some(false) => {}
                None => clause.push(self.literal(lit)),
            }
        }
        if let Some(guard) = guard {
            clause.push(!guard);
        }
        self.session.add_clause(&clause);
        self.instances.push(Instance { lits, origin });
        self.effort.instances += 1;
    }

    /// Finds the facts and existences that can matter: a premise that nothing makes true is false.
    fn activate(&mut self) {
        let mut possible = self.possible.clone();
        possible.insert(Pred::EQUAL);
        let theory = self.theory;
        let (mut facts, mut sources) = (vec![false; theory.facts.len()], vec![false; theory.sources.len()]);
        let mut locals = vec![false; self.locals.len()];
        let claims = self.claims;
        let known = |reason: &Reason| match (reason, claims) {
            (Reason::Lemma(step, claim), Some(claims)) => claims.contains(&(*step, *claim)),
            _ => true,
        };
        loop {
            let before = possible.len();
            let clause = |lits: &[Lit], active: &mut bool, possible: &mut FxHashSet<Pred>| {
                if !*active && lits.iter().all(|l| l.positive || possible.contains(&l.atom.pred)) {
                    *active = true;
                    possible.extend(lits.iter().filter(|l| l.positive).map(|l| l.atom.pred));
                }
            };
            for (fact, active) in theory.facts.iter().zip(&mut facts).filter(|(f, _)| known(&f.reason)) {
                clause(&fact.clause.lits, active, &mut possible);
            }
            for (local, active) in self.locals.iter().zip(&mut locals) {
                clause(&local.clause.lits, active, &mut possible);
            }
            for (source, active) in theory.sources.iter().zip(&mut sources).filter(|(s, _)| known(&s.reason)) {
                let guard = &source.existence.guard;
                if !*active && guard.iter().all(|l| !l.positive || possible.contains(&l.atom.pred)) {
                    *active = true;
                    let cases = source.existence.cases.iter().flatten();
                    possible.extend(cases.filter(|l| l.positive).map(|l| l.atom.pred));
                }
            }
            if possible.len() == before {
                break;
            }
        }
        let chosen = |all: Vec<bool>| all.iter().enumerate().filter(|(_, a)| **a).map(|(i, _)| i).collect();
        let facts: Vec<usize> = chosen(facts);
        let facts = facts.into_iter().map(|i| Premised::of(i, &theory.facts[i].clause.lits)).collect();
        self.active = (facts, chosen(sources));
        // Those nearby first; what a read reads is of use less often than fences, which come later in the theory.
        self.active.1.sort_by_key(|&i| (theory.sources[i].when, std::cmp::Reverse(i)));
    }

    /// Looks for a structure.
    pub fn solve(&mut self) -> Answer {
        self.activate();
        loop {
            self.effort.rounds += 1;
            self.cut = false;
            if self.effort.rounds > self.limits.rounds || self.theory.stop.is_raised() {
                return Answer::Unknown;
            }
            match self.session.solve(&self.assumed, &margay_solver::Limits::default()) {
                Ok(Outcome::Unsat) => return Answer::Refuted,
                Ok(Outcome::Unknown) => return Answer::Unknown,
                Ok(Outcome::Sat(_)) => {}
                // No theorem is lost that was proved, and none is proved.
                Err(failure) => {
                    tracing::error!("{failure}");
                    return Answer::Unknown;
                }
            }
            let structure = self.structure();
            if self.add_violated(&structure) || self.add_congruence(&structure) || self.add_values(&structure) {
                continue;
            }
            return Answer::Model(structure);
        }
    }
}
