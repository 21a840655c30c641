//! Writes lemmas in the order in which they are proved: small ones that a tactic proves, facts of
//! the theory, and what exists.

use super::failure::{RocqFailure, RocqMismatch};
use rustc_hash::{FxHashMap, FxHashSet};

use super::opening::{Opened, OpenedBy};
use super::text::{RocqText, event};
use margay_theorem::logic::form::normalised;
use margay_theorem::logic::{Clause, EventTerm, Lit, Meaning, Pred, TheoryFormula};
use margay_theorem::theory::{ExistenceReason, SentenceReason, Theory, TheoryFact};

/// Writes the proof.
pub struct RocqWriter {
    /// What is known so far; it grows as it does for whoever checks the proof.
    pub theory: Theory,
    /// Terms.
    pub text: RocqText,
    /// The lemmas so far.
    pub lemmas: String,
    /// For each check that is assumed, its proof.
    pub sentences: Vec<String>,
    /// For each clause of a check that is assumed, a proof of the check.
    checks: FxHashMap<Clause, String>,
    /// For each clause that a row makes, a tactic that proves it.
    rows: FxHashMap<Clause, String>,
    facts: FxHashMap<usize, String>,
    /// The facts that instances may name.
    pub(super) known: FxHashSet<usize>,
    /// The numbers of predicates in the texts of refutations.
    pub(super) predicates: FxHashMap<Pred, usize>,
    /// The lemmas that open symbols.
    pub(super) opened: FxHashMap<OpenedBy, Opened>,
    /// How many of them there are.
    pub(super) ways: usize,
    /// How many names pairs of edges have in this step.
    pub(super) fresh: usize,
    sources: FxHashMap<usize, String>,
    small: FxHashMap<String, String>,
    rules: FxHashMap<Pred, [String; 2]>,
}

/// The lemma of a claim: the number of its step, and of the claim in it.
pub fn claim_name((step, claim): (usize, usize)) -> String {
    format!("step_{}_{}", step + 1, claim + 1)
}

impl RocqWriter {
    /// Nothing is written yet; the checks have the given proofs, and tactics prove the rows'
    /// clauses.
    pub fn new(
        theory: Theory,
        text: RocqText,
        checks: Vec<String>,
        rows: FxHashMap<Clause, String>,
    ) -> Self {
        let mut writer = Self {
            theory,
            text,
            lemmas: String::new(),
            sentences: checks,
            checks: FxHashMap::default(),
            rows,
            facts: FxHashMap::default(),
            known: FxHashSet::default(),
            opened: FxHashMap::default(),
            ways: 0,
            fresh: 0,
            predicates: FxHashMap::default(),
            sources: FxHashMap::default(),
            small: FxHashMap::default(),
            rules: FxHashMap::default(),
        };
        for (number, proof) in writer.sentences.clone().into_iter().enumerate() {
            let sentence = writer.theory.sentences[number].0;
            let proof = if sentence.transitive {
                format!("(acyclic_irreflexive _ {proof})")
            } else {
                proof
            };
            for lits in writer.theory.violation(sentence).negated().clauses() {
                if let Some((lits, variables)) = normalised(lits) {
                    writer
                        .checks
                        .entry(Clause { lits, variables })
                        .or_insert_with(|| proof.clone());
                }
            }
        }
        writer
    }

    /// Puts a lemma behind those that are there.
    pub fn lemma(&mut self, name: &str, statement: &str, proof: &str) {
        self.lemmas += &format!("Lemma {name} : {statement}.\nProof. {proof} Qed.\n");
    }

    /// A small lemma: of some events, one thing follows from another by taking both apart.
    pub fn entails(&mut self, events: &[EventTerm], given: &str, wanted: &str) -> String {
        self.entails_by(events, given, wanted, "alone. crush.")
    }

    /// The same with a proof of its own.
    pub fn entails_by(
        &mut self,
        events: &[EventTerm],
        given: &str,
        wanted: &str,
        proof: &str,
    ) -> String {
        let names: Vec<String> = events.iter().map(|e| event(*e)).collect();
        let all = if names.is_empty() {
            String::new()
        } else {
            format!("forall {} : Event, ", names.join(" "))
        };
        let statement = format!("{all}({given}) -> {wanted}");
        if let Some(known) = self.small.get(&statement) {
            return known.clone();
        }
        let name = format!("small_{}", self.small.len() + 1);
        self.lemma(&name, &statement, proof);
        self.small.insert(statement, name.clone());
        name
    }

    /// The proof of a fact of the theory, for all events in the place of its variables.
    pub fn fact(&mut self, number: usize) -> Result<String, RocqFailure> {
        if let Some(known) = self.facts.get(&number) {
            return Ok(known.clone());
        }
        let TheoryFact { clause, reason } = self.theory.facts[number].clone();
        let by_row = match &reason {
            SentenceReason::Row(_) => self.rows.get(&clause).cloned(),
            _ => None,
        };
        let given = match &reason {
            _ if by_row.is_some() => String::new(),
            SentenceReason::WellFormed(name) | SentenceReason::Axiom(name) => {
                let proof = self
                    .checks
                    .get(&clause)
                    .ok_or_else(|| RocqMismatch::UnsaidCheck(name.clone()))?;
                format!("pose proof {proof} as given.")
            }
            SentenceReason::Definition(pred) => self.meaning(*pred),
            SentenceReason::Lemma(step, claim) => {
                format!("pose proof {} as given.", claim_name((*step, *claim)))
            }
            SentenceReason::Row(what) | SentenceReason::Supposed(what) => {
                return Err(RocqMismatch::UnsaidFact(what.clone()).into());
            }
        };
        let name = format!("fact_{number}");
        let statement = self.text.closed_clause(&self.theory, &clause.lits, clause.variables);
        let is_chain = |l: &Lit| {
            !l.positive
                && matches!(self.theory.symbols.get(l.atom.pred).meaning, Meaning::Sequence(..))
        };
        let is_defined =
            |p: Pred| matches!(self.theory.symbols.get(p).meaning, Meaning::Defined(_));
        let tactic = match &reason {
            SentenceReason::Definition(p) if is_defined(*p) && clause.lits.iter().any(is_chain) => {
                "first [solve [folded] | crush]"
            }
            _ => "crush",
        };
        let proof = by_row.unwrap_or_else(|| format!("{given} alone. {tactic}."));
        self.lemma(&name, &statement, &proof);
        self.facts.insert(number, name.clone());
        Ok(name)
    }

    /// Tactics that put what a symbol means among the hypotheses.
    fn meaning(&mut self, pred: Pred) -> String {
        match self.theory.symbols.get(pred).meaning {
            Meaning::Defined(_) => format!("unfold {}.", self.text.symbol(&self.theory, pred)),
            Meaning::Closure(r) => {
                let r = self.text.within(&self.theory, r, 2);
                let unfolded = match self.text.names.get(pred) {
                    Some(name) => format!("unfold {name}. "),
                    None => String::new(),
                };
                format!(
                    "{unfolded}pose proof (closure_one {r}) as one. pose proof (closure_trans {r}) as trans."
                )
            }
            Meaning::Fixpoint(..) => {
                let [into, out] = self.rules_of(pred);
                format!("pose proof {into} as into_it. pose proof {out} as out_of_it.")
            }
            Meaning::Base | Meaning::Sequence(..) | Meaning::Domain(_) | Meaning::Range(_) => {
                String::new()
            }
        }
    }

    /// The lemmas that a recursive relation contains its body, and nothing else.
    pub fn rules_of(&mut self, pred: Pred) -> [String; 2] {
        if let Some(known) = self.rules.get(&pred) {
            return known.clone();
        }
        let Meaning::Fixpoint(body, _) = self.theory.symbols.get(pred).meaning else {
            return [String::new(), String::new()];
        };
        let name = self.text.symbol(&self.theory, pred);
        let body = self.text.within(&self.theory, body, 2);
        let (into, out) = (format!("{name}_is_closed"), format!("{name}_is_least"));
        let constructors =
            self.theory.exprs.union_parts(match self.theory.symbols.get(pred).meaning {
                Meaning::Fixpoint(body, _) => body,
                _ => unreachable!("it is a fixpoint"),
            });
        let using: Vec<String> =
            (1..=constructors.len()).map(|k| format!("{name}_by_{k}")).collect();
        let posed: Vec<String> = using.iter().map(|c| format!("pose proof {c}.")).collect();
        self.lemma(
            &into,
            &format!("forall x0 x1, {body} x0 x1 -> {name} x0 x1"),
            &format!("{} alone. crush.", posed.join(" ")),
        );
        self.lemma(
            &out,
            &format!("forall x0 x1, {name} x0 x1 -> {body} x0 x1"),
            "intros x0 x1 []; alone; crush.",
        );
        let both = [into, out];
        self.rules.insert(pred, both.clone());
        both
    }

    /// The lemma "for these events there are others such that, where the guard holds, one of the
    /// cases does".
    pub fn source(&mut self, number: usize) -> Result<String, RocqFailure> {
        if let Some(known) = self.sources.get(&number) {
            return Ok(known.clone());
        }
        let ExistenceReason { existence, reason, .. } = self.theory.sources[number].clone();
        let all: Vec<String> = (0..existence.variables).map(|v| format!("x{v}")).collect();
        let new: Vec<String> =
            (0..existence.events).map(|v| format!("x{}", existence.variables + v)).collect();
        let called: &dyn Fn(EventTerm) -> String = &event;
        let cases = self.cases(&existence.cases, called);
        let guards: String = existence
            .guard
            .iter()
            .map(|l| format!("{} -> ", self.text.lit(&self.theory, *l, called)))
            .collect();
        let together =
            TheoryFormula::And(existence.guard.iter().map(|l| TheoryFormula::Lit(*l)).collect());
        let together = self.text.form(&self.theory, &together, called);
        let given = match &reason {
            SentenceReason::Definition(pred) => self.meaning(*pred),
            SentenceReason::Lemma(step, claim) => {
                format!("pose proof {} as given.", claim_name((*step, *claim)))
            }
            _ => {
                return Err(RocqFailure::mismatch(
                    "an existence comes from no definition and no claim",
                ));
            }
        };
        let name = format!("exists_{number}");
        let over = all.join(" ");
        if new.is_empty() {
            self.lemma(
                &name,
                &format!("forall {over} : Event, {guards}{cases}"),
                &format!("{given} alone. crush."),
            );
        } else {
            let exists = format!("exists {}, ", new.join(" "));
            let plain = format!("{name}_guarded");
            self.lemma(
                &plain,
                &format!("forall {over} : Event, {together} -> {exists}{cases}"),
                &format!("{given} alone. crush."),
            );
            let any: String = new.iter().map(|_| "exists x0. ").collect();
            let proof = format!(
                "intros {over}. destruct (classic ({together})) as [yes|no]. - destruct ({plain} {over} yes) as ({} & found). {} intros; exact found. - {any}intros; exfalso; apply no; alone; tauto.",
                new.join(" & "),
                new.iter().map(|n| format!("exists {n}.")).collect::<Vec<_>>().join(" "),
            );
            self.lemma(&name, &format!("forall {over} : Event, {exists}{guards}{cases}"), &proof);
        }
        self.sources.insert(number, name.clone());
        Ok(name)
    }

    /// A disjunction of conjunctions, as the literals are given.
    pub fn cases(&self, cases: &[Vec<Lit>], called: &dyn Fn(EventTerm) -> String) -> String {
        let one = |case: &Vec<Lit>| {
            let parts: Vec<String> =
                case.iter().map(|l| self.text.lit(&self.theory, *l, called)).collect();
            if parts.is_empty() { "True".to_owned() } else { format!("({})", parts.join(" /\\ ")) }
        };
        let all: Vec<String> = cases.iter().map(one).collect();
        if all.is_empty() { "False".to_owned() } else { format!("({})", all.join(" \\/ ")) }
    }
}
