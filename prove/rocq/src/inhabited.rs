//! Executions that satisfy all that is supposed, as lemmas: the theorem speaks of something. Events
//! are numbers, what holds of them is given as lists of numbers, and everything else is computed by
//! Rocq (`Module Finite`, finite.v).

use super::failure::{RocqFailure, RocqMismatch};
use std::fmt::Write as _;

use super::comment::comment;
use super::statement::{Definitions, recursion};
use super::text::RocqText;
use margay_theorem::argument::Claim;
use margay_theorem::logic::{Meaning, Pred, TheoryExpr, TheoryExprId};
use margay_theorem::theorem::Inhabitant;
use margay_theorem::theory::Theory;

/// The shapes that are written, where there is an execution of them.
const SHAPES: [&str; 4] = [
    "message passing",
    "two read-modify-writes of which one reads from the other",
    "message passing with fences",
    "store buffering that is weak",
];

/// The lemmas of a theorem.
#[derive(Debug, Default)]
pub struct InhabitedLemmas {
    /// What stands within the section of executions.
    pub within: String,
    /// What stands behind it.
    pub behind: String,
    /// The names of the lemmas behind it, and what they show.
    pub names: Vec<(String, String)>,
}

/// What lemmas are made of.
pub struct LemmaStatement<'a> {
    pub theory: &'a Theory,
    /// What was defined in it.
    pub definitions: &'a Definitions,
    /// The records of what is supposed.
    pub records: Vec<&'a str>,
    pub claims: Vec<Claim>,
    /// The sets of the events of each role, and the roles' names.
    pub roles: Vec<(Pred, String)>,
}

impl LemmaStatement<'_> {
    /// The lemmas that there are executions: of the usual shapes, or of the first one that was
    /// found.
    ///
    /// # Errors
    /// A symbol without a name.
    pub fn lemmas(
        &self,
        inhabitants: &[Inhabitant],
        text: &mut RocqText,
    ) -> Result<InhabitedLemmas, RocqFailure> {
        let mut chosen: Vec<&Inhabitant> = SHAPES
            .iter()
            .filter_map(|shape| inhabitants.iter().find(|i| i.shows == *shape))
            .collect();
        if chosen.is_empty() {
            chosen.extend(inhabitants.first());
        }
        let mut lemmas = InhabitedLemmas::default();
        if chosen.is_empty() {
            return Ok(lemmas);
        }
        let all = text.names.unique("is_an_execution");
        let variables = self.variables(text)?;
        lemmas.within = format!(
            "\n(* What an execution consists of, and that it satisfies all that is supposed. *)\nDefinition {all} : Prop :=\n  let _ := (tt, {}) in\n  {}.\n",
            variables.join(", "),
            self.records.join(" /\\ "),
        );
        for inhabitant in chosen {
            let example = Example { of: self, inhabitant, numbered: text.names.unique("numbered") };
            example.write(&all, text, &mut lemmas)?;
        }
        Ok(lemmas)
    }

    /// The names of all that an execution consists of, in the order of their declarations.
    fn variables(&self, text: &RocqText) -> Result<Vec<String>, RocqFailure> {
        let all = self.definitions.sets.iter().chain(&self.definitions.relations);
        let mut names = all.map(|&p| name(text, p)).collect::<Result<Vec<_>, _>>()?;
        if !self.roles.is_empty() {
            names.push("role_of".to_owned());
        }
        Ok(names)
    }
}

fn name(text: &RocqText, pred: Pred) -> Result<String, RocqFailure> {
    text.names.get(pred).map(str::to_owned).ok_or(RocqFailure::mismatch("a symbol has no name"))
}

/// An execution that is written.
struct Example<'a> {
    of: &'a LemmaStatement<'a>,
    inhabitant: &'a Inhabitant,
    /// The instance that says that events have numbers.
    numbered: String,
}

impl Example<'_> {
    fn pairs(&self, pred: Pred) -> Vec<[usize; 2]> {
        let name = self.of.theory.symbols.name(pred);
        self.inhabitant.atoms.iter().filter(|(own, _)| own == name).map(|a| a.1).collect()
    }

    /// A set or relation of numbers, as a term.
    fn table(&self, pred: Pred) -> String {
        let (pairs, n) = (self.pairs(pred), self.inhabitant.events);
        if self.of.theory.symbols.get(pred).arity == 1 {
            let members: Vec<String> = pairs.iter().map(|p| p[0].to_string()).collect();
            format!("Finite.of_list {n} [{}]", members.join("; "))
        } else {
            let pairs: Vec<String> = pairs.iter().map(|[a, b]| format!("({a}, {b})")).collect();
            format!("Finite.of_pairs {n} [{}]", pairs.join("; "))
        }
    }

    /// The role of each event, in order.
    fn roles(&self) -> Result<Vec<&str>, RocqFailure> {
        let of = |event: usize| {
            let mut own = self
                .of
                .roles
                .iter()
                .filter(|(pred, _)| self.pairs(*pred).contains(&[event, event]));
            own.next()
                .map(|(_, role)| role.as_str())
                .ok_or(RocqFailure::mismatch("an event of an execution has no role"))
        };
        (0..self.inhabitant.events).map(of).collect()
    }

    fn write(
        &self,
        all: &str,
        text: &mut RocqText,
        lemmas: &mut InhabitedLemmas,
    ) -> Result<(), RocqFailure> {
        let n = self.inhabitant.events;
        let out = &mut lemmas.within;
        let mut unique = |what: &str| text.names.unique(what);
        let [section, number, below, of_one, apart] =
            ["Example", "number", "number_below", "number_of_one", "number_apart"].map(&mut unique);
        let numbered = &self.numbered;
        let _ = write!(
            out,
            "\n(* An execution with {}: {n} events. *)\nSection {section}.\nVariable {number} : Event -> nat.\n\
             Hypothesis {below} : forall x, {number} x < {n}.\n\
             Hypothesis {of_one} : forall k, k < {n} -> exists x, {number} x = k.\n\
             Hypothesis {apart} : forall x y, {number} x = {number} y -> x = y.\n\
             Definition {numbered} : Finite.Numbered Event := {{| Finite.size := {n}; Finite.number := {number};\n  \
             Finite.number_below := {below}; Finite.number_of_one := {of_one}; Finite.number_apart := {apart} |}}.\n\
             Existing Instance {numbered}.\n",
            comment(&self.inhabitant.shows)
        );
        self.base(&number, &below, text, out)?;
        let mut closures: Vec<TheoryExprId> = Vec::new();
        for &pred in &self.of.definitions.order {
            self.defined(pred, &mut closures, text, out)?;
        }
        for claim in &self.of.claims {
            let (Claim::Empty(e, _) | Claim::Irreflexive(e) | Claim::Acyclic(e)) = claim else {
                continue;
            };
            self.closures(*e, &mut closures, text, out);
            if matches!(claim, Claim::Acyclic(_)) {
                self.closure(*e, &mut closures, text, out);
            }
        }
        let lemma = text.names.unique("example_is_an_execution");
        let theorem =
            text.names.unique(&format!("there_is_an_execution with {}", self.inhabitant.shows));
        let parts = self
            .of
            .records
            .iter()
            .skip(1)
            .fold("_".to_owned(), |rest, _| format!("(conj _ {rest})"));
        let _ = write!(
            out,
            "Lemma {lemma} : {all}.\nProof. refine {parts}; constructor; Finite.computes. Qed.\nEnd {section}.\n"
        );
        let number = format!("Finite.number (E := Finite.below {n})");
        let mut arguments = Vec::new();
        for &pred in &self.of.definitions.sets {
            arguments
                .push(format!("(fun x => Finite.has ({}) ({number} x) = true)", self.table(pred)));
        }
        for &pred in &self.of.definitions.relations {
            arguments.push(format!(
                "(fun x y => Finite.get ({}) ({number} x) ({number} y) = true)",
                self.table(pred)
            ));
        }
        if !self.of.roles.is_empty() {
            let roles = self.roles()?;
            arguments.push(format!(
                "(fun x => List.nth ({number} x) [{}] {})",
                roles.join("; "),
                roles[0]
            ));
        }
        let _ = write!(
            lemmas.behind,
            "\n(* An execution with {}. *)\nTheorem {theorem} : {all} (Finite.below {n})\n  {}.\n\
             Proof.\n  apply {lemma} with (1 := Finite.number_below (E := Finite.below {n})) (2 := Finite.number_of_one (E := Finite.below {n}))\n    \
             (3 := Finite.number_apart (E := Finite.below {n})); intros; reflexivity.\nQed.\n",
            comment(&self.inhabitant.shows),
            arguments.join("\n  "),
        );
        lemmas.names.push((theorem, self.inhabitant.shows.clone()));
        Ok(())
    }

    /// Base sets and relations hold of the numbers that are listed.
    fn base(
        &self,
        number: &str,
        below: &str,
        text: &mut RocqText,
        out: &mut String,
    ) -> Result<(), RocqFailure> {
        let n = self.inhabitant.events;
        for &pred in self.of.definitions.sets.iter().chain(&self.of.definitions.relations) {
            let (own, table) = (name(text, pred)?, self.table(pred));
            let (holds, known) = (
                text.names.unique(&format!("{own}_holds")),
                text.names.unique(&format!("{own}_known")),
            );
            let _ = if self.of.theory.symbols.get(pred).arity == 1 {
                write!(
                    out,
                    "Hypothesis {holds} : forall x, {own} x <-> Finite.has ({table}) ({number} x) = true.\n\
                     Instance {known} : Finite.Members {own} := {{| Finite.is_member := {holds} |}}.\n"
                )
            } else {
                write!(
                    out,
                    "Hypothesis {holds} : forall x y, {own} x y <-> Finite.get ({table}) ({number} x) ({number} y) = true.\n\
                     Instance {known} : Finite.Rows {own} := {{| Finite.is_pair := {holds} |}}.\n"
                )
            };
        }
        if self.of.roles.is_empty() {
            return Ok(());
        }
        let roles = self.roles()?;
        let hypothesis = text.names.unique("roles_hold");
        let _ = writeln!(
            out,
            "Hypothesis {hypothesis} : forall x, role_of x = List.nth ({number} x) [{}] {}.",
            roles.join("; "),
            roles[0]
        );
        for (pred, _) in &self.of.roles {
            let (own, table) = (name(text, *pred)?, self.table(*pred));
            let (holds, known) = (
                text.names.unique(&format!("{own}_holds")),
                text.names.unique(&format!("{own}_known")),
            );
            let _ = write!(
                out,
                "Lemma {holds} : forall x, {own} x <-> Finite.has ({table}) ({number} x) = true.\n\
                 Proof.\n  intros x. unfold {own}. rewrite {hypothesis}. generalize ({below} x). generalize ({number} x). clear. intros k b.\n  \
                 do {n} (destruct k as [|k]; [split; intros h; (reflexivity || discriminate h)|]).\n  \
                 exfalso. do {n} apply Nat.succ_lt_mono in b. inversion b.\nQed.\n\
                 Instance {known} : Finite.Members {own} := {{| Finite.is_member := {holds} |}}.\nTypeclasses Opaque {own}.\n"
            );
        }
        Ok(())
    }

    /// The table of a definition is computed once.
    fn defined(
        &self,
        pred: Pred,
        closures: &mut Vec<TheoryExprId>,
        text: &mut RocqText,
        out: &mut String,
    ) -> Result<(), RocqFailure> {
        let theory = self.of.theory;
        let own = name(text, pred)?;
        let symbol = theory.symbols.get(pred);
        let body = match symbol.meaning {
            Meaning::Defined(body) => body,
            // A closure with a name of its own.
            Meaning::Closure(r) => {
                self.closures(r, closures, text, out);
                self.closure(r, closures, text, out);
                return self.computed(&own, 2, text, out);
            }
            Meaning::Fixpoint(body, _) => {
                self.closures(body, closures, text, out);
                return self.least(pred, &own, body, text, out);
            }
            Meaning::Base | Meaning::Sequence(..) | Meaning::Domain(_) | Meaning::Range(_) => {
                return Err(RocqMismatch::NoDefinition(own).into());
            }
        };
        self.closures(body, closures, text, out);
        self.computed(&own, symbol.arity, text, out)
    }

    fn computed(
        &self,
        own: &str,
        arity: u8,
        text: &mut RocqText,
        out: &mut String,
    ) -> Result<(), RocqFailure> {
        let [found, table, known] =
            ["found", "table", "known"].map(|what| text.names.unique(&format!("{own}_{what}")));
        let (class, field) = if arity == 1 { ("Members", "members") } else { ("Rows", "rows") };
        let _ = write!(
            out,
            "Definition {found} : Finite.{class} {own}. Proof. unfold {own}. typeclasses eauto. Defined.\n\
             Definition {table} := Eval vm_compute in Finite.{field} ({class} := {found}).\n\
             Instance {known} : Finite.{class} {own} := Finite.same_{field} {found} {table} ltac:(vm_compute; reflexivity).\n\
             Typeclasses Opaque {own}.\n"
        );
        Ok(())
    }

    /// The closures within an expression, inner ones first.
    fn closures(
        &self,
        of: TheoryExprId,
        known: &mut Vec<TheoryExprId>,
        text: &mut RocqText,
        out: &mut String,
    ) {
        match self.of.theory.exprs.get(of) {
            TheoryExpr::Empty | TheoryExpr::All => {}
            TheoryExpr::Symbol(p) => match self.of.theory.symbols.get(p).meaning {
                Meaning::Closure(r) if text.names.get(p).is_none() => {
                    self.closures(r, known, text, out);
                    self.closure(r, known, text, out);
                }
                Meaning::Sequence(a, b) => {
                    [a, b].into_iter().for_each(|e| self.closures(e, known, text, out))
                }
                Meaning::Domain(r) | Meaning::Range(r) => self.closures(r, known, text, out),
                Meaning::Base
                | Meaning::Defined(_)
                | Meaning::Fixpoint(..)
                | Meaning::Closure(_) => {}
            },
            TheoryExpr::Union(a, b)
            | TheoryExpr::Intersection(a, b)
            | TheoryExpr::Difference(a, b)
            | TheoryExpr::Sequence(a, b)
            | TheoryExpr::Product(a, b) => {
                [a, b].into_iter().for_each(|e| self.closures(e, known, text, out));
            }
            TheoryExpr::Diagonal(a) | TheoryExpr::Inverse(a) => self.closures(a, known, text, out),
        }
    }

    fn closure(
        &self,
        r: TheoryExprId,
        known: &mut Vec<TheoryExprId>,
        text: &mut RocqText,
        out: &mut String,
    ) {
        if known.contains(&r) {
            return;
        }
        known.push(r);
        let (theory, n) = (self.of.theory, self.inhabitant.events);
        let [of, table, own] =
            ["closure_of", "closure_table", "closure_known"].map(|what| text.names.unique(what));
        let r = text.within(theory, r, 2);
        let _ = write!(
            out,
            "Definition {of} : Finite.Rows {r}. Proof. typeclasses eauto. Defined.\n\
             Definition {table} := Eval vm_compute in Finite.closed_by {n} 6 (Finite.rows (Rows := {of})).\n\
             Instance {own} : Finite.Rows (closure {r}) :=\n  \
             Finite.rows_closure {of} {table} ltac:(vm_compute; reflexivity) ltac:(vm_compute; reflexivity).\n"
        );
    }

    /// A recursive relation is the least table that its rules do not enlarge.
    fn least(
        &self,
        pred: Pred,
        own: &str,
        body: TheoryExprId,
        text: &mut RocqText,
        out: &mut String,
    ) -> Result<(), RocqFailure> {
        let theory = self.of.theory;
        let [step, found, table, known] = ["step", "found", "table", "known"]
            .map(|what| text.names.unique(&format!("{own}_{what}")));
        let rules = recursion(theory, text, pred, own, body)?;
        let names: Vec<&str> = rules.iter().map(|r| r.name.as_str()).collect();
        let closed: Vec<String> = rules
            .iter()
            .enumerate()
            .map(|(k, rule)| {
                let (all, premises) = (rule.variables.join(" "), rule.premises.join(" -> "));
                format!(
                    "    assert (c{k} : (fun {own} : Event -> Event -> Prop => forall {all} : Event, {premises} -> {own} x0 x1) \
                     (Finite.in_table {table})) by (cbv beta; Finite.computes); cbv beta in c{k}.\n"
                )
            })
            .collect();
        let cases: Vec<String> = (0..rules.len()).map(|k| format!("c{k}")).collect();
        let _ = write!(
            out,
            "Definition {step} ({own} : Event -> Event -> Prop) : Event -> Event -> Prop := {}.\n\
             Definition {found} : forall t, Finite.Rows ({step} (Finite.in_table t)). Proof. intros t. unfold {step}. typeclasses eauto. Defined.\n\
             Definition {table} := Eval vm_compute in\n  \
             Finite.repeated (Finite.size * Finite.size) (fun t => Finite.rows (Rows := {found} t)) Finite.none.\n\
             Instance {known} : Finite.Rows {own}.\nProof.\n  \
             refine (Finite.rows_least {own} {step} {found} {table} _ _ _).\n  - \n{}    \
             intros x y h. induction h; eauto using {}.\n  - \
             intros s h x y p. unfold {step} in p. Finite.apart p. all: eauto 12 using {}.\n  - \
             vm_compute. reflexivity.\nDefined.\n",
            text.expr(theory, body, 2),
            closed.concat(),
            cases.join(", "),
            names.join(", "),
        );
        Ok(())
    }
}
