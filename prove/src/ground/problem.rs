//! A problem: events, what is asked of them, and the instances that were added so far.

use margay_solver::{Backend, Bounds, Encoding, Literal, Outcome, Session, SolverOptions, Universe};
use rustc_hash::{FxHashMap, FxHashSet};

use super::clauses::{Origin, Value};
use super::search::{matches, violations};
use super::structure::Structure;
use crate::logic::{Atom, Clause, Existence, Form, Lit, Pred, Term};
use crate::theory::{Reason, Theory, Use};

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
        Self { events: 16, depth: 1, rounds: 2000 }
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
    active: (Vec<usize>, Vec<usize>),
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
        let set = [("phase", 0), ("forcephase", 1), ("lucky", 0), ("walk", 0), ("rephase", 0), ("target", 0)];
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
                let clause = parts
                    .iter()
                    .map(|part| match part {
                        Form::Lit(lit) => self.literal(*lit),
                        other => self.switch(other),
                    })
                    .collect();
                vec![clause]
            }
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
        self.active = (chosen(facts), chosen(sources));
        // Those nearby first; what a read reads is of use less often than fences, which come later in the theory.
        self.active.1.sort_by_key(|&i| (theory.sources[i].when, std::cmp::Reverse(i)));
    }

    /// Looks for a structure.
    pub fn solve(&mut self) -> Answer {
        self.activate();
        loop {
            self.effort.rounds += 1;
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

    fn structure(&self) -> Structure {
        let mut structure = Structure::new(self.theory.symbols.len(), self.events());
        for &(atom, literal) in &self.atoms {
            if self.session.holds(literal) {
                structure.insert(atom);
            }
        }
        structure
    }

    /// Adds instances of clauses that the structure violates.
    fn add_violated(&mut self, structure: &Structure) -> bool {
        let theory = self.theory;
        let mut found: Vec<(Vec<Lit>, Origin, Option<Literal>)> = Vec::new();
        let mut collect = |clause: &Clause, guard: Option<Literal>, origin: &dyn Fn(Vec<Term>) -> Origin| {
            let mut left = AT_ONCE;
            violations(structure, clause, &mut |values| {
                let lits = clause.lits.iter().map(|l| l.with(values)).collect();
                found.push((lits, origin(values.to_vec()), guard));
                left -= 1;
                left > 0
            });
        };
        for &i in &self.active.0 {
            collect(&theory.facts[i].clause, None, &|values| Origin::Fact(i, values));
        }
        for (i, local) in self.locals.iter().enumerate() {
            if local.guard.is_none_or(|g| self.session.holds(g)) {
                collect(&local.clause, local.guard, &|values| Origin::Supposed(i, values));
            }
        }
        let any = !found.is_empty();
        for (lits, origin, guard) in found {
            self.instance(lits, origin, guard);
        }
        any
    }

    /// Adds what equal events must have in common.
    fn add_congruence(&mut self, structure: &Structure) -> bool {
        let mut found = Vec::new();
        for a in 0..structure.events() {
            let equal = structure.row(Pred::EQUAL, a) & !(1 << a);
            for b in (0..structure.events()).filter(|b| equal >> b & 1 == 1) {
                let same = Atom::binary(Pred::EQUAL, Term::event(a), Term::event(b));
                for (pred, symbol) in self.theory.symbols.iter() {
                    let mut add = |has: Atom, lacks: Atom| {
                        found.push((vec![Lit::no(same), Lit::no(has), Lit::yes(lacks)], Origin::Congruence(same, [has, lacks])));
                    };
                    let (ta, tb) = (Term::event(a), Term::event(b));
                    if symbol.arity == 1 {
                        if structure.holds(Atom::unary(pred, ta)) && !structure.holds(Atom::unary(pred, tb)) {
                            add(Atom::unary(pred, ta), Atom::unary(pred, tb));
                        }
                        continue;
                    }
                    let rows = structure.row(pred, a) & !structure.row(pred, b);
                    let columns = structure.column(pred, a) & !structure.column(pred, b);
                    for c in (0..structure.events()).map(Term::event) {
                        if rows >> c.index() & 1 == 1 {
                            add(Atom::binary(pred, ta, c), Atom::binary(pred, tb, c));
                        }
                        if columns >> c.index() & 1 == 1 {
                            add(Atom::binary(pred, c, ta), Atom::binary(pred, c, tb));
                        }
                    }
                }
            }
        }
        let any = !found.is_empty();
        for (lits, origin) in found {
            self.instance(lits, origin, None);
        }
        any
    }

    /// Adds the value of a function where the structure has none.
    fn add_values(&mut self, structure: &Structure) -> bool {
        let theory = self.theory;
        for &i in &self.active.1 {
            let source = &theory.sources[i];
            let step = match source.when {
                Use::Steps(steps) => steps,
                Use::OnRequest => continue,
            };
            let existence = &source.existence;
            let mut missing = None;
            matches(structure, existence.variables, &existence.guard, &mut |values| {
                let depth = values.iter().map(|t| self.depths[t.index()]).max().unwrap_or(0);
                if existence.events > 0 && (depth + step > self.limits.depth || self.events() >= self.limits.events) {
                    return true;
                }
                let all = existence.variables + existence.events;
                let there = existence.cases.iter().any(|case| {
                    let mut any = false;
                    let fixed: Vec<Lit> = case.iter().map(|l| partly(*l, values)).collect();
                    matches(structure, all - existence.variables, &fixed, &mut |_| {
                        any = true;
                        false
                    });
                    any
                });
                if there {
                    return true;
                }
                missing = Some((values.to_vec(), depth));
                false
            });
            if let Some((values, depth)) = missing {
                self.take(structure, i, values, depth + step);
                return true;
            }
        }
        false
    }

    /// Uses an existence of the theory at some events. An event that is there for a function whose guard does not hold, in the structure
    /// at hand, may be its value where the guard does not hold.
    fn take(&mut self, structure: &Structure, source: usize, values: Vec<Term>, depth: u8) {
        let theory = self.theory;
        let existence = &theory.sources[source].existence;
        let idle = |event: Term| {
            let mut same = self.values.iter().filter(|v| v.event == event && theory.sources[v.source].existence.events > 0);
            event.index() < self.depths.len()
                && self.depths[event.index()] == depth
                && values.iter().all(|x| *x < event)
                && same.all(|v| {
                    let guard = &theory.sources[v.source].existence.guard;
                    (v.source != source || v.of != values)
                        && theory.sources[v.source].existence.events == 1
                        && guard.iter().map(|l| l.with(&v.of)).any(|l| structure.holds(l.atom) != l.positive)
                })
        };
        let reused = if existence.events == 1 { self.values.iter().map(|v| v.event).find(|&e| idle(e)) } else { None };
        let Some(event) = reused else {
            let event = Term::event(self.events());
            self.exists(existence, &values, None, depth);
            self.values.push(Value { source, of: values, event, unless: Vec::new() });
            return;
        };
        // Where none of the earlier guards holds: a clause for each way to choose a literal of each that does not.
        let makes = |v: &Value| v.event == event && theory.sources[v.source].existence.events > 0;
        let unless: Vec<usize> = (0..self.values.len()).filter(|&v| makes(&self.values[v])).collect();
        let mut all = values.clone();
        all.push(event);
        let mut clause: Vec<Literal> = existence.guard.iter().map(|l| self.literal(!l.with(&all))).collect();
        for &earlier in &unless {
            let Value { source, of, .. } = &self.values[earlier];
            let guard = &theory.sources[*source].existence.guard;
            let holds = Form::and(guard.iter().map(|l| Form::lit(l.with(of))));
            let literal = match holds {
                Form::Lit(lit) => self.literal(lit),
                other => self.switch(&other),
            };
            clause.push(literal);
        }
        for case in &existence.cases {
            let form = Form::and(case.iter().map(|l| Form::lit(l.with(&all))));
            let literal = match form {
                Form::Lit(lit) => self.literal(lit),
                Form::Const(false) => continue,
                other => self.switch(&other),
            };
            clause.push(literal);
        }
        self.session.add_clause(&clause);
        self.values.push(Value { source, of: values, event, unless });
    }

    /// Supposes an existence at some events; with a guard, where that holds.
    pub fn exists(&mut self, existence: &Existence, values: &[Term], guard: Option<Literal>, depth: u8) {
        let mut all = values.to_vec();
        for _ in 0..existence.events {
            self.depths.push(depth);
            all.push(Term::event(self.events() - 1));
        }
        let mut clause: Vec<Literal> = existence.guard.iter().map(|l| self.literal(!l.with(&all))).collect();
        clause.extend(guard.map(|g| !g));
        for case in &existence.cases {
            let form = Form::and(case.iter().map(|l| Form::lit(l.with(&all))));
            let literal = match form {
                Form::Lit(lit) => self.literal(lit),
                Form::Const(false) => continue,
                other => self.switch(&other),
            };
            clause.push(literal);
        }
        self.session.add_clause(&clause);
    }
}

/// Puts values in the place of the first variables, and numbers the others from 0.
fn partly(lit: Lit, values: &[Term]) -> Lit {
    let shift = |t: Term| match t.as_variable() {
        Some(v) if usize::from(v) < values.len() => values[usize::from(v)],
        Some(v) => Term::variable(v - values.len() as u8),
        None => t,
    };
    let [a, b] = lit.atom.args.map(shift);
    Lit { atom: Atom::binary(lit.atom.pred, a, b), ..lit }
}
