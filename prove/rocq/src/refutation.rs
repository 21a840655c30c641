//! An obligation as a lemma: of its events, what is asked leads to False, by instances of what is
//! known and a derivation that Rocq computes.
//!
//! The numbers of the derivation are texts (`letters`). What they mean is computed: the formulas
//! that they stand for are compared with the lemma's, and each instance is made from the clause
//! that it is of (prelude.v, `refuted`).

use super::failure::RocqFailure;
use std::collections::BTreeSet;

use margay_proof::SatLiteral;
use rustc_hash::FxHashMap;

use super::given::{Disjunctions, FormulaWalk, event_number};
use super::letters::Letters;
use super::text::event;
use super::writer::RocqWriter;
use margay_theorem::ground::{ClauseOrigin, GroundClauses, Obligation, Refutation, ground_clauses};
use margay_theorem::logic::{EventTerm, Pred, TheoryFormula};

/// What is known of an obligation, in the order in which its instances name it.
#[derive(Default)]
struct KnownFacts {
    terms: Vec<String>,
    /// The numbers of the facts and suppositions that are there.
    numbers: FxHashMap<KnownClauseSource, usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum KnownClauseSource {
    Fact(usize),
    Supposed(usize),
}

impl KnownFacts {
    /// The number of a clause in instances: 1 is for congruences.
    fn add(&mut self, term: String) -> usize {
        self.terms.push(term);
        self.terms.len() + 1
    }
}

impl RocqWriter {
    /// Writes the lemma of an obligation that was refuted.
    pub fn refuted(
        &mut self,
        name: &str,
        obligation: &Obligation,
        refutation: &Refutation,
    ) -> Result<(), RocqFailure> {
        let events: Vec<String> =
            (0..obligation.events).map(|e| event(EventTerm::event(e))).collect();
        let question = self.text.inner(&self.theory, &obligation.question, &event);
        let mut statement = if events.is_empty() {
            String::new()
        } else {
            format!("forall {} : Event, ", events.join(" "))
        };
        statement += &format!("{question} -> ");
        if obligation.conclusion != TheoryFormula::Const(true) {
            statement +=
                &format!("{} -> ", self.text.inner(&self.theory, &obligation.conclusion, &event));
        }
        let used = used_suppositions(refutation);
        for &i in &used {
            let clause = &obligation.suppositions[i].clause;
            statement += &format!(
                "({}) -> ",
                self.text.closed_clause(&self.theory, &clause.lits, clause.variables)
            );
        }
        statement += "False";
        let supposed: Vec<String> = used.iter().map(|i| format!("supposed_{i}")).collect();
        let conclusion =
            if obligation.conclusion == TheoryFormula::Const(true) { "" } else { " conclusion" };
        let intros =
            format!("intros {} question{conclusion} {}.", events.join(" "), supposed.join(" "));
        let proof = if obligation.question == TheoryFormula::Const(false) {
            format!("{intros} exact question.")
        } else if obligation.conclusion == TheoryFormula::Const(false) {
            format!("{intros} exact conclusion.")
        } else {
            format!("{intros}\n{}", self.derivation(obligation, refutation)?)
        };
        self.lemma(name, &statement, &proof);
        Ok(())
    }

    /// The proof of an obligation's lemma.
    fn derivation(
        &mut self,
        obligation: &Obligation,
        refutation: &Refutation,
    ) -> Result<String, RocqFailure> {
        let clauses =
            ground_clauses(&self.theory, obligation, &refutation.values, &refutation.instances);
        let mut walk = FormulaWalk::of(&clauses);
        let mut asked = vec![("question", walk.formula(&obligation.question)?)];
        if obligation.conclusion != TheoryFormula::Const(true) {
            asked.push(("conclusion", walk.formula(&obligation.conclusion)?));
        }
        let mut proof = String::new();
        for at in 0..refutation.values.len() {
            proof += &self.introduced(&refutation.values, at)?;
        }
        let values = self.values(&mut walk, &refutation.values)?;
        let (mut named, mut asserted) = (Letters::default(), Letters::default());
        for own in &walk.named {
            self.disjunctions(&walk, &own.says, &mut named)?;
        }
        for (_, own) in &asked {
            self.disjunctions(&walk, own, &mut asserted)?;
        }
        let first =
            (0..obligation.events).chain(refutation.values.iter().map(|v| v.event.index())).next();
        let first = event(EventTerm::event(
            first.ok_or(RocqFailure::mismatch("an obligation speaks of no event"))?,
        ));
        let all: BTreeSet<usize> = (0..obligation.events)
            .chain(refutation.values.iter().flat_map(|v| {
                let new = usize::from(self.theory.sources[v.source].existence.events);
                (0..new).map(|k| v.event.index() + k)
            }))
            .collect();
        // Events are found by their numbers, of which none is left out.
        let last = all.iter().next_back().map_or(0, |l| l + 1);
        let listed: Vec<String> = (0..last)
            .map(|e| if all.contains(&e) { event(EventTerm::event(e)) } else { first.clone() })
            .collect();
        proof += &format!(
            "pose (here := Refutation.listed {first} [{}]).\npose (said := Refutation.formulas [] (Refutation.read_lines {})).\n\
             pose (w := Refutation.World predicates here said).\n",
            listed.join("; "),
            named.written()
        );
        let mut known = KnownFacts::default();
        let mut instances = Letters::default();
        for (at, given) in values.iter().enumerate() {
            let (letters, text) = self.of_these_events(&walk, given)?;
            proof += &format!(
                "assert (value_says_{at} : {text}) by exact {}.\n{}",
                given.term,
                said(&format!("there_{at}"), &letters, &format!("value_says_{at}"))
            );
            let number = known.add(format!("Refutation.Known w _ there_{at}"));
            instances.line([number]);
        }
        proof += &self.instances(obligation, &clauses, &mut known, &mut instances)?;
        let steps = self.steps(&walk, &clauses, refutation, &asked, values.len())?;
        let holds = asked
            .iter()
            .rev()
            .fold("I".to_owned(), |rest, (name, _)| format!("(conj {name} {rest})"));
        Ok(proof
            + &format!(
                "refine (Refutation.refuted w (Refutation.formulas [] (Refutation.read_lines {})) [{}]\n(Refutation.read_lines {})\n\
                 (Refutation.read_lines {}) _ _);\n[vm_cast_no_check (eq_refl true) | vm_cast_no_check {holds}].",
                asserted.written(),
                known.terms.join("; "),
                instances.written(),
                steps.written(),
            ))
    }

    /// The instances of facts and suppositions, and the congruences, in their order; tactics that
    /// say what is supposed.
    fn instances(
        &mut self,
        obligation: &Obligation,
        clauses: &GroundClauses,
        known: &mut KnownFacts,
        out: &mut Letters,
    ) -> Result<String, RocqFailure> {
        let mut proof = String::new();
        for (_, origin) in &clauses.list {
            let (source, at) = match origin {
                ClauseOrigin::Fact(fact, at) => (KnownClauseSource::Fact(*fact), at),
                ClauseOrigin::Supposed(supposed, at) => {
                    (KnownClauseSource::Supposed(*supposed), at)
                }
                ClauseOrigin::Congruence(equality, [has, lacks]) => {
                    let [_, x, y] = self.atom_numbers(*equality);
                    let ([p, a, b], [_, c, d]) =
                        (self.atom_numbers(*has), self.atom_numbers(*lacks));
                    out.line([1, x, y, p, a, b, c, d]);
                    continue;
                }
                ClauseOrigin::Question(_) | ClauseOrigin::Value(..) => continue,
            };
            let number = match (known.numbers.get(&source), source) {
                (Some(number), _) => *number,
                (None, KnownClauseSource::Fact(fact)) => {
                    known.add(format!("{} here said", self.known_fact(fact)?))
                }
                (None, KnownClauseSource::Supposed(i)) => {
                    let clause = &obligation.suppositions[i].clause;
                    let letters = self.general(&clause.lits, clause.variables);
                    proof += &said(&format!("says_{i}"), &letters, &format!("supposed_{i}"));
                    known.add(format!("Refutation.Known w _ says_{i}"))
                }
            };
            known.numbers.insert(source, number);
            out.line(std::iter::once(number).chain(at.iter().map(|e| event_number(*e))));
        }
        Ok(proof)
    }

    /// The steps of a derivation, whose hints are numbers of clauses: those of named formulas come
    /// first, then those of what is asked, of events that exist, of instances, and of earlier
    /// steps.
    fn steps(
        &mut self,
        walk: &FormulaWalk,
        clauses: &GroundClauses,
        refutation: &Refutation,
        asked: &[(&str, Disjunctions)],
        values: usize,
    ) -> Result<Letters, RocqFailure> {
        let mut places: FxHashMap<BTreeSet<SatLiteral>, usize> = FxHashMap::default();
        let mut next = 0;
        let mut place = |lits: BTreeSet<SatLiteral>| {
            next += 1;
            places.entry(lits).or_insert(next);
        };
        // The clauses that were refuted also suppose the formulas that a formula is part of.
        for own in &walk.named {
            let supposed = || own.within.iter().chain([&own.number]).map(|&n| !n);
            own.says.iter().for_each(|d| place(d.iter().copied().chain(supposed()).collect()));
        }
        asked.iter().flat_map(|a| &a.1).for_each(|d| place(d.iter().copied().collect()));
        let mut own: Vec<usize> = Vec::new();
        let (mut next_value, mut next_instance) = (next, next + values);
        for (at, (lits, origin)) in clauses.list.iter().enumerate() {
            // The last clause of a value is the choice among its cases; those before it are of
            // named formulas.
            let ends_value = matches!(origin, ClauseOrigin::Value(value, _)
                if !matches!(clauses.list.get(at + 1), Some((_, ClauseOrigin::Value(other, _))) if other == value));
            let number = match origin {
                _ if ends_value => {
                    next_value += 1;
                    next_value
                }
                ClauseOrigin::Question(_) | ClauseOrigin::Value(..) => {
                    let lits: BTreeSet<SatLiteral> = lits.iter().copied().collect();
                    *places
                        .get(&lits)
                        .ok_or(RocqFailure::mismatch("a clause is not the one that was refuted"))?
                }
                ClauseOrigin::Fact(..)
                | ClauseOrigin::Supposed(..)
                | ClauseOrigin::Congruence(..) => {
                    next_instance += 1;
                    next_instance
                }
            };
            own.push(number);
        }
        let given = own.len();
        let mut letters = Letters::default();
        for step in &refutation.steps {
            self.literals(walk, &step.clause, &mut letters)?;
            letters.line(
                step.hints
                    .iter()
                    .map(|&h| if h < given { own[h] } else { next_instance + 1 + h - given }),
            );
        }
        Ok(letters)
    }

    /// A fact as a clause that instances may name.
    fn known_fact(&mut self, number: usize) -> Result<String, RocqFailure> {
        let name = format!("known_{number}");
        if self.known.insert(number) {
            let fact = self.fact(number)?;
            let clause = self.theory.facts[number].clause.clone();
            let letters = self.general(&clause.lits, clause.variables);
            self.lemmas += &format!(
                "Definition {name} events named : Refutation.known (Refutation.World predicates events named).\n\
                 Proof. refine (Refutation.Known _ (Refutation.general_of {letters}) _). vm_cast_no_check {fact}. Defined.\n"
            );
        }
        Ok(name)
    }

    /// The table of the predicates that numbers stand for.
    pub fn predicates(&mut self) -> String {
        let mut all: Vec<(usize, Pred)> = self.predicates.iter().map(|(p, n)| (*n, *p)).collect();
        all.sort_unstable();
        let texts: Vec<(usize, String)> = all
            .into_iter()
            .map(|(number, pred)| {
                let symbol = self.text.symbol(&self.theory, pred);
                (
                    number,
                    if self.theory.symbols.get(pred).arity == 1 {
                        format!("fun x _ => {symbol} x")
                    } else {
                        symbol
                    },
                )
            })
            .collect();
        format!(
            "Definition predicates : positive -> Event -> Event -> Prop := Refutation.find {}.\n",
            table(&texts)
        )
    }
}

/// The suppositions that a refutation uses: the lemma supposes no others.
pub fn used_suppositions(refutation: &Refutation) -> BTreeSet<usize> {
    let number = |origin: &ClauseOrigin| match origin {
        ClauseOrigin::Supposed(number, _) => Some(*number),
        _ => None,
    };
    refutation.instances.iter().filter_map(number).collect()
}

/// Tactics that state what a clause says in numbers.
fn said(name: &str, letters: &str, proof: &str) -> String {
    format!(
        "assert ({name} : Refutation.generally w (Refutation.general_of {letters})) by vm_cast_no_check {proof}.\n"
    )
}

/// Numbered relations as a tree: the bits of a number, lowest first, lead to it.
fn table(all: &[(usize, String)]) -> String {
    if all.is_empty() {
        return "Refutation.leaf".to_owned();
    }
    let own = all.iter().find(|a| a.0 == 1).map_or("no_pairs", |a| a.1.as_str());
    let half = |odd: usize| -> Vec<(usize, String)> {
        all.iter().filter(|a| a.0 > 1 && a.0 % 2 == odd).map(|a| (a.0 / 2, a.1.clone())).collect()
    };
    format!("(Refutation.node {}\n({own}) {})", table(&half(0)), table(&half(1)))
}
