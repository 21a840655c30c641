//! A problem: events, what is asked of them, and the instances that were added so far.

mod instances;
mod seen;
mod triggers;
mod values;

use seen::SeenInstances;
use triggers::ClauseTurns;
pub use triggers::{Claims, ProvedClaims};

use rustc_hash::FxHashMap;

use super::solver::{ClauseIndex, GroundLiteral, GroundSolver};
use margay_theorem::ground::{ClauseOrigin, ExistenceValue, Structure};
use margay_theorem::logic::{Clause, EventAtom, EventTerm, Lit, Pred, TheoryFormula};
use margay_theorem::theory::Theory;

/// How far a problem may grow.
#[derive(Debug, Clone, Copy)]
pub struct GroundLimits {
    /// The most events.
    pub events: usize,
    /// How often a value of a function may be taken of a value.
    pub depth: u8,
    /// The most assignments that are given up or looked at whole.
    pub rounds: usize,
}

impl Default for GroundLimits {
    fn default() -> Self {
        Self { events: 16, depth: 1, rounds: 5000 }
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroundAnswer {
    /// There is no such structure, of whatever size.
    Refuted,
    /// This one satisfies everything that was instantiated at its events.
    Model(Structure),
    /// A limit was reached.
    Unknown,
}

/// What it took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GroundEffort {
    /// Assignments that were given up because of a conflict, or looked at whole.
    pub rounds: usize,
    /// Instances that were added.
    pub instances: usize,
}

impl GroundEffort {
    /// Adds another's.
    pub fn add(&mut self, other: GroundEffort) {
        self.rounds += other.rounds;
        self.instances += other.instances;
    }
}

/// A clause of this problem alone: a supposition about its events, or a guess whose guard can be
/// dropped.
#[derive(Debug, Clone)]
struct Local {
    clause: Clause,
    /// It counts where this holds.
    guard: Option<GroundLiteral>,
}

/// Events, and what is asked of them.
pub struct GroundProblem<'a> {
    theory: &'a Theory,
    solver: GroundSolver,
    /// What is true so far.
    structure: Structure,
    /// The literals of the trail that the structure has, in order.
    mirrored: Vec<GroundLiteral>,
    /// How many of these were asked what they violate.
    asked: usize,
    /// Is everything to be asked what it violates?
    all_asked: bool,
    limits: GroundLimits,
    /// For each event, how often a function was applied to get it.
    depths: Vec<u8>,
    literals: FxHashMap<EventAtom, GroundLiteral>,
    /// The symbols of the theory, and whether they are of one event or two.
    symbols: Vec<(Pred, u8)>,
    /// The literals of an instance that is being added.
    grounded: Vec<GroundLiteral>,
    /// The atom of each variable; switches have none.
    atoms: Vec<Option<EventAtom>>,
    locals: Vec<Local>,
    /// What is assumed in every call.
    assumed: Vec<GroundLiteral>,
    seen: SeenInstances,
    /// The events that exist by them.
    values: Vec<ExistenceValue>,
    known: ProvedClaims<'a>,
    /// What becomes of the clauses.
    clauses: ClauseTurns,
    /// The existences that are used, in turn.
    sources: Vec<usize>,
    /// Did the limit on events keep it from adding what exists? Then what it finds may be no
    /// structure.
    pub cut: bool,
    /// The instances, in order of their addition, each with the number of its clause; `None` if it
    /// is true anyway.
    instances: Vec<(ClauseOrigin, Option<ClauseIndex>)>,
    /// What it took so far.
    pub effort: GroundEffort,
}

impl<'a> GroundProblem<'a> {
    /// A problem with so many events.
    pub fn new(theory: &'a Theory, events: usize, limits: GroundLimits) -> Self {
        Self {
            theory,
            solver: GroundSolver::new(),
            structure: Structure::new(theory.symbols.len(), events),
            mirrored: Vec::new(),
            asked: 0,
            all_asked: false,
            limits,
            depths: vec![0; events],
            literals: FxHashMap::default(),
            symbols: theory.symbols.iter().map(|(pred, symbol)| (pred, symbol.arity)).collect(),
            grounded: Vec::new(),
            atoms: vec![None],
            locals: Vec::new(),
            assumed: Vec::new(),
            seen: SeenInstances::default(),
            values: Vec::new(),
            known: ProvedClaims::default(),
            clauses: ClauseTurns::default(),
            sources: Vec::new(),
            cut: false,
            instances: Vec::new(),
            effort: GroundEffort::default(),
        }
    }

    /// What is known of claims that were proved before.
    pub fn know(&mut self, known: ProvedClaims<'a>) {
        self.known = known;
    }

    /// The events that exist by functions.
    pub fn values(&self) -> Vec<ExistenceValue> {
        self.values.clone()
    }

    /// The number of events.
    pub fn events(&self) -> usize {
        self.depths.len()
    }

    /// One more event.
    pub fn event(&mut self) -> EventTerm {
        self.depths.push(0);
        EventTerm::event(self.depths.len() - 1)
    }

    /// A new literal that is assumed.
    pub fn assumption(&mut self) -> GroundLiteral {
        let literal = self.fresh();
        self.assumed.push(literal);
        literal
    }

    /// Assumes a literal no more.
    pub fn release(&mut self, literal: GroundLiteral) {
        self.assumed.retain(|&l| l != literal);
        self.drop_guarded(literal);
    }

    /// Supposes a clause, for all values of its variables; with a guard, where that holds.
    pub fn suppose(&mut self, clause: Clause, guard: Option<GroundLiteral>) {
        self.locals.push(Local { clause, guard });
    }

    /// Asks for a formula about the events.
    pub fn ask(&mut self, form: &TheoryFormula) {
        let clauses = self.translate(form);
        for clause in clauses {
            self.solver.add(&clause);
        }
    }

    /// A literal that implies a formula about the events.
    pub fn switch(&mut self, form: &TheoryFormula) -> GroundLiteral {
        let switch = self.fresh();
        for mut clause in self.translate(form) {
            clause.push(!switch);
            self.solver.add(&clause);
        }
        switch
    }

    /// Did a literal hold in the structure that was found last?
    pub fn holds(&self, literal: GroundLiteral) -> bool {
        self.solver.value(literal) == 1
    }

    /// Adds a clause of literals and switches.
    pub fn add(&mut self, clause: &[GroundLiteral]) {
        self.solver.add(clause);
    }

    /// Clauses for a formula; nested conjunctions in disjunctions get a literal of their own.
    fn translate(&mut self, form: &TheoryFormula) -> Vec<Vec<GroundLiteral>> {
        match form {
            TheoryFormula::Const(true) => Vec::new(),
            TheoryFormula::Const(false) => vec![Vec::new()],
            TheoryFormula::Lit(lit) => vec![vec![self.literal(*lit)]],
            TheoryFormula::And(parts) => parts.iter().flat_map(|p| self.translate(p)).collect(),
            TheoryFormula::Or(parts) => {
                vec![parts.iter().map(|part| self.implied(part)).collect()]
            }
        }
    }

    /// A literal that implies a formula: its own, or a switch.
    fn implied(&mut self, form: &TheoryFormula) -> GroundLiteral {
        match form {
            TheoryFormula::Lit(lit) => self.literal(*lit),
            other => self.switch(other),
        }
    }

    fn fresh(&mut self) -> GroundLiteral {
        self.atoms.push(None);
        self.solver.fresh()
    }

    fn literal(&mut self, lit: Lit) -> GroundLiteral {
        let (solver, atoms) = (&mut self.solver, &mut self.atoms);
        let positive = *self.literals.entry(lit.atom).or_insert_with(|| {
            atoms.push(Some(lit.atom));
            solver.fresh()
        });
        if lit.positive { positive } else { !positive }
    }

    /// Adds an instance that was not added before. `lits`: its literals.
    fn instance(
        &mut self,
        lits: impl IntoIterator<Item = Lit>,
        origin: impl FnOnce() -> ClauseOrigin,
        guard: Option<GroundLiteral>,
    ) {
        let mut clause = std::mem::take(&mut self.grounded);
        clause.clear();
        let is_always_true = lits.into_iter().any(|lit| match lit.constant() {
            Some(value) => value,
            None => {
                clause.push(self.literal(lit));
                false
            }
        });
        if !is_always_true {
            clause.extend(guard.map(|guard| !guard));
            let index = self.solver.add(&clause);
            self.instances.push((origin(), index));
            self.effort.instances += 1;
        }
        self.grounded = clause;
    }

    /// The instances that were added.
    pub fn instances(&self) -> Vec<ClauseOrigin> {
        self.instances.iter().map(|i| i.0.clone()).collect()
    }

    /// Those that contradict each other, if some do whatever is assumed.
    pub fn contradictory(&self) -> Option<Vec<ClauseOrigin>> {
        let needed = self.solver.needed()?;
        Some(
            self.instances
                .iter()
                .filter(|(_, i)| i.is_some_and(|i| needed[i.at()]))
                .map(|(o, _)| o.clone())
                .collect(),
        )
    }

    /// Looks for a structure.
    pub fn solve(&mut self) -> GroundAnswer {
        let is_new = self.activate();
        self.solver.back(0);
        // What was asked before is asked again only where the search takes it back.
        self.all_asked |= is_new;
        loop {
            // Also between instances: there may be many.
            if self.theory.stop.is_raised() {
                return GroundAnswer::Unknown;
            }
            let before = self.solver.conflicts;
            let holds = self.solver.propagate();
            self.effort.rounds += self.solver.conflicts - before;
            if !holds {
                return GroundAnswer::Refuted;
            }
            self.mirror();
            if self.add_violated() {
                continue;
            }
            if self.effort.rounds > self.limits.rounds || self.theory.stop.is_raised() {
                return GroundAnswer::Unknown;
            }
            if self.add_congruence() {
                continue;
            }
            if let Some(&assumed) = self.assumed.get(self.solver.depth()) {
                if self.solver.value(assumed) == -1 {
                    return GroundAnswer::Refuted;
                }
                self.solver.decide(assumed);
                continue;
            }
            if let Some(choice) = self.solver.choice() {
                self.solver.decide(choice);
                continue;
            }
            self.effort.rounds += 1;
            if self.add_last() {
                continue;
            }
            self.cut = false;
            if self.add_values() {
                continue;
            }
            // A search for what is violated that ended early is none.
            if self.theory.stop.is_raised() {
                return GroundAnswer::Unknown;
            }
            debug_assert!(self.violates_nothing(), "everything was asked what it violates");
            return GroundAnswer::Model(self.structure.clone());
        }
    }

    /// Makes the structure what the solver has on its trail.
    fn mirror(&mut self) {
        if self.structure.events() < self.events() {
            self.structure = self.structure.with_events(self.events());
            self.all_asked = true;
        }
        let unchanged = self.solver.unchanged().min(self.mirrored.len());
        for lit in self.mirrored.drain(unchanged..) {
            if let (true, Some(atom)) = (lit.is_positive(), self.atoms[lit.variable()]) {
                self.structure.remove(atom);
            }
        }
        self.asked = self.asked.min(unchanged);
        for &lit in &self.solver.trail()[unchanged..] {
            if let (true, Some(atom)) = (lit.is_positive(), self.atoms[lit.variable()]) {
                self.structure.insert(atom);
            }
            self.mirrored.push(lit);
        }
    }
}
