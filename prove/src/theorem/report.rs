//! What came of a search for theorems.

use std::time::Duration;

use super::{ClaimFamily, Drawing, Premises};
use crate::ground::GroundEffort;
use margay_theorem::argument::ArgumentProof;
use margay_theorem::theorem::{Inhabitant, TheoremEvidence, once};

/// Why something is no theorem.
#[derive(Debug, Clone, Default)]
pub struct ProofGap {
    /// In words.
    pub what: String,
    /// The claim that was not shown.
    pub obligation: Option<String>,
    /// A few events that make it fail, as far as they alone tell.
    pub drawing: Option<Drawing>,
    /// A whole execution that satisfies all that is supposed, and not the claim: that is no
    /// theorem.
    pub violated: Option<Inhabitant>,
}

/// What came of one goal.
#[derive(Debug, Clone)]
pub struct GoalReport {
    /// The name of the axiom.
    pub name: String,
    /// What it says, in the names of the theory.
    pub claim: String,
    /// What is missing; without it the goal is a theorem, checked.
    pub gap: Option<ProofGap>,
}

impl GoalReport {
    /// Is it proved, and the proof checked?
    pub fn is_theorem(&self) -> bool {
        self.gap.is_none()
    }
}

/// A step of a proof.
#[derive(Debug, Clone)]
pub struct StepReport {
    pub claims: Vec<String>,
    /// The claims for people, in the short [`names`](Report::names).
    pub shown: Vec<ClaimFamily>,
    /// The rule: `direct`, `induction`, `orders` or `through`.
    pub rule: &'static str,
    /// How many obligations it left.
    pub obligations: usize,
    /// The most events that one of them speaks of.
    pub witnesses: usize,
    /// The most values of functions (the other half of an operation, its fences, what a read reads)
    /// that a refutation needs.
    pub values: usize,
    /// The instances of what is known, of all refutations.
    pub instances: usize,
    /// The clauses that were derived.
    pub derived: usize,
    /// Obligations whose premises were not seen to be satisfiable.
    pub empty: Vec<String>,
}

/// What came of a lemma that a file suggests.
#[derive(Debug, Clone)]
pub struct LemmaReport {
    /// The number of the check in the file's model.
    pub check: usize,
    pub name: String,
    /// The line of the file.
    pub line: usize,
    /// What it says, in the names of the theory.
    pub claim: String,
    /// Why it is not used; without it the lemma is proved.
    pub gap: Option<ProofGap>,
}

/// How long each part took.
#[derive(Debug, Clone, Copy, Default)]
pub struct Times {
    /// The search for lemmas, invariants and orders.
    pub search: Duration,
    /// Leaving out what is not needed, and the refutations.
    pub proof: Duration,
    pub check: Duration,
}

/// What came of all goals.
#[derive(Debug, Clone)]
pub struct Report {
    /// The goals, in the order of the setting.
    pub goals: Vec<GoalReport>,
    /// The steps of the proof.
    pub steps: Vec<StepReport>,
    /// Short names of long closures in what is shown of the steps, and what they stand for.
    pub names: Vec<(String, String)>,
    /// For each relation, what was guessed of it, and whether it was kept.
    pub tried: Vec<(String, Vec<(String, bool)>)>,
    /// What came of the lemmas that a file suggests.
    pub lemmas: Vec<LemmaReport>,
    /// The proof, if there is anything to prove.
    pub proof: Option<ArgumentProof>,
    /// Executions that satisfy all that is supposed.
    pub premises: Premises,
    /// How long it took.
    pub times: Times,
    /// What it took.
    pub effort: GroundEffort,
    /// Was the search ended from outside before everything was proved?
    pub stopped: bool,
}

impl Report {
    /// Are all goals theorems?
    pub fn is_theorem(&self) -> bool {
        self.goals.iter().all(GoalReport::is_theorem)
    }

    /// The events of the smallest whole execution that was found in which a goal does not hold.
    pub fn violated(&self) -> Option<usize> {
        self.goals.iter().filter_map(|g| Some(g.gap.as_ref()?.violated.as_ref()?.events)).min()
    }

    /// What shows the axioms that are theorems: this proof, and the executions that satisfy the
    /// premises.
    pub fn evidence<'a>(&'a self, proof: &'a ArgumentProof) -> TheoremEvidence<'a> {
        TheoremEvidence { axioms: self.theorems(), inhabitants: &self.premises.inhabitants, proof }
    }

    /// The names of what is proved.
    pub fn theorems(&self) -> Vec<String> {
        once(
            &self
                .goals
                .iter()
                .filter(|g| g.is_theorem())
                .map(|g| g.name.clone())
                .collect::<Vec<_>>(),
        )
    }
}
