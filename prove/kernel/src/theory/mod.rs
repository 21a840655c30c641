//! A theory: symbols with their meaning, and what is assumed of all events of an execution.
//!
//! Every sentence is true of the execution that a proof is about, so any instance of it may be
//! used. A closure or fixpoint is a symbol of which two things are said: it is closed under its
//! rules, and (where that is asked for) each pair of it comes from one.

mod architecture;
mod base;
mod define;
pub mod mapping;
mod model;
mod open;
mod stop;
mod triggers;
mod vocabulary;

pub use base::facts;
pub use model::{BaseMeaning, Translated};
pub use open::{MOST_OPENED, MOST_SYMBOLS, Opening, Treatment};
pub use stop::StopSignal;
pub use triggers::Triggers;
pub use vocabulary::TheoryVocabulary;

use margay_models::model::CheckKind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::logic::form::{MOST_DISTRIBUTED, normalised};
use crate::logic::{
    Clause, EventTerm, Existence, Exprs, Lit, Pred, TheoryExpr, TheoryExprId, TheoryFormula,
    TheorySymbols,
};

/// Why a sentence is assumed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SentenceReason {
    /// A condition on all executions, or the meaning of a base name; its name.
    WellFormed(String),
    /// What a row of the mapping makes.
    Row(String),
    /// An axiom of a model; its name.
    Axiom(String),
    /// What a symbol means.
    Definition(Pred),
    /// A claim that was proved before: the number of its step, and its own in the step.
    Lemma(usize, usize),
    /// What an induction or a question supposes of its events.
    Supposed(String),
}

/// A clause and why it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TheoryFact {
    pub clause: Clause,
    /// Why it holds.
    pub reason: SentenceReason,
}

/// When an existence is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ExistenceUse {
    /// As soon as a structure lacks what exists. The value is so many steps away from the events
    /// that it exists for: none for the other half of an operation, one for its fences and for what
    /// a read reads, two for what is of use now and then only.
    Steps(u8),
    /// Where an obligation asks for it.
    OnRequest,
}

/// An existence and why it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExistenceReason {
    pub existence: Existence,
    /// Why.
    pub reason: SentenceReason,
    /// When it is used.
    pub when: ExistenceUse,
}

/// A check that is assumed, as its model says it; its clauses are among the facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sentence {
    /// The form of the check.
    pub kind: CheckKind,
    /// What it is about.
    pub expr: TheoryExprId,
    /// Is `expr` a set? Else it is a relation.
    pub is_set: bool,
    /// Is it known to be transitive? Then `acyclic` says no more than `irreflexive`.
    pub transitive: bool,
}

/// Symbols, expressions, and what is assumed.
#[derive(Debug, Clone)]
pub struct Theory {
    pub symbols: TheorySymbols,
    pub exprs: Exprs,
    /// The clauses.
    pub facts: Vec<TheoryFact>,
    /// The same by the symbols of their premises.
    pub triggers: Triggers,
    pub sources: Vec<ExistenceReason>,
    /// The checks that are assumed, and why.
    pub sentences: Vec<(Sentence, SentenceReason)>,
    /// The symbol of each sequence and closure that has one.
    names: FxHashMap<(TheoryExpr, bool), Pred>,
    /// The symbols that stand for each name of a definition.
    defined: FxHashMap<String, Vec<Pred>>,
    /// Of a mapping: modification order of the source, if that is not the target's coherence order,
    /// and from-reads by it.
    pub of_source: Vec<Pred>,
    /// Symbols whose meaning is among the facts.
    explained: FxHashSet<Pred>,
    /// The number of each clause that is there.
    known: FxHashMap<Clause, usize>,
    /// What was proved to contain a closure, by which claim of which step: it is opened with it.
    pub bounds: FxHashMap<Pred, ((usize, usize), TheoryExprId)>,
    /// Bounds of this step and later ones are not known.
    pub before: usize,
    /// What ends every search in it.
    pub stop: StopSignal,
}

impl Default for Theory {
    fn default() -> Self {
        Self {
            symbols: TheorySymbols::default(),
            exprs: Exprs::default(),
            facts: Vec::new(),
            triggers: Triggers::default(),
            sources: Vec::new(),
            sentences: Vec::new(),
            names: FxHashMap::default(),
            defined: FxHashMap::default(),
            of_source: Vec::new(),
            explained: FxHashSet::default(),
            known: FxHashMap::default(),
            bounds: FxHashMap::default(),
            before: usize::MAX,
            stop: StopSignal::default(),
        }
    }
}

impl Theory {
    /// What contains a closure, if that is known.
    pub fn bound(&self, pred: Pred) -> Option<TheoryExprId> {
        self.bounds.get(&pred).filter(|((step, _), _)| *step < self.before).map(|(_, e)| *e)
    }

    /// The same with the names and expressions of a theory that grew out of it.
    #[must_use]
    pub fn with_names(&self, grown: &Theory) -> Self {
        Self {
            symbols: grown.symbols.clone(),
            exprs: grown.exprs.clone(),
            names: grown.names.clone(),
            defined: grown.defined.clone(),
            ..self.clone()
        }
    }

    /// Assumes a formula for all values of its variables. Where it would be too many clauses it is
    /// a choice among cases.
    pub fn assume(&mut self, form: &TheoryFormula, reason: &SentenceReason) {
        if form.size().clauses > MOST_DISTRIBUTED {
            return self.assume_choice(form, reason);
        }
        for lits in form.clauses() {
            self.assume_clause(lits, reason);
        }
    }

    /// Assumes that one of the cases of a formula holds, where the literals do not hold that are
    /// members of it.
    fn assume_choice(&mut self, form: &TheoryFormula, reason: &SentenceReason) {
        let parts = match form {
            TheoryFormula::Or(parts) => parts.clone(),
            other => vec![other.clone()],
        };
        let (guard, cases): (Vec<TheoryFormula>, Vec<TheoryFormula>) =
            parts.into_iter().partition(|p| matches!(p, TheoryFormula::Lit(lit) if !lit.positive));
        let variables = form
            .lits()
            .iter()
            .flat_map(|l| l.atom.args)
            .filter_map(EventTerm::as_variable)
            .max()
            .map_or(0, |v| v + 1);
        let guard = guard.iter().flat_map(TheoryFormula::lits).map(|lit| !lit).collect();
        let existence =
            Existence { guard, variables, events: 0, cases: TheoryFormula::or(cases).cases() };
        self.assume_existence(existence, reason, ExistenceUse::Steps(0));
    }

    /// Assumes a clause for all values of its variables.
    pub fn assume_clause(&mut self, lits: Vec<Lit>, reason: &SentenceReason) {
        let Some((lits, variables)) = normalised(lits) else { return };
        for lit in &lits {
            self.explain(lit.atom.pred);
        }
        let clause = Clause { lits, variables };
        if !self.known.contains_key(&clause) {
            self.known.insert(clause.clone(), self.facts.len());
            self.triggers.add(self.facts.len(), &clause.lits);
            self.facts.push(TheoryFact { clause, reason: reason.clone() });
        }
    }

    /// The number of a fact, if its clause is one.
    pub fn fact(&self, clause: &Clause) -> Option<usize> {
        self.known.get(clause).copied()
    }

    /// Assumes that something exists.
    pub fn assume_existence(
        &mut self,
        existence: Existence,
        reason: &SentenceReason,
        when: ExistenceUse,
    ) {
        for lit in existence.guard.iter().chain(existence.cases.iter().flatten()) {
            self.explain(lit.atom.pred);
        }
        if !self.sources.iter().any(|s| s.existence == existence) {
            self.sources.push(ExistenceReason { existence, reason: reason.clone(), when });
        }
    }

    /// The expression's text.
    pub fn text(&self, id: TheoryExprId) -> String {
        self.exprs.text(&self.symbols, id)
    }
}
