//! What the rows of a mapping make, as hypotheses: each event has one role, and for each role there
//! is a sentence that says what its events are.

use rustc_hash::FxHashMap;

use super::comment::comment;
use super::earlier::projected;
use super::text::{RocqText, event};
use margay_theorem::logic::{Clause, EventAtom, EventTerm, Lit, Pred};
use margay_theorem::theory::mapping::{EVERY_EVENT_HAS_A_ROLE, ONE_ROLE};
use margay_theorem::theory::{SentenceReason, Theory};

const X: EventTerm = EventTerm::variable(0);

/// The hypotheses about rows.
pub struct RowHypotheses {
    /// The type of roles, and the sets of events that have them.
    pub roles: String,
    /// The sets that are defined there.
    pub sets: Vec<Pred>,
    /// The role of each of them.
    pub constructors: Vec<String>,
    /// The fields of `made_by_rows`.
    pub fields: String,
    /// For each clause, a tactic that proves it, given `made : made_by_rows`.
    pub proofs: FxHashMap<Clause, String>,
}

/// What is said of the events of a role.
#[derive(Default)]
struct RoleStatement {
    parts: Vec<String>,
    clauses: Vec<(Clause, usize)>,
}

impl RowHypotheses {
    /// Of a theory that learned what the rows make.
    pub fn of(theory: &Theory, text: &mut RocqText) -> Self {
        let facts = || {
            theory.facts.iter().filter_map(|f| match &f.reason {
                SentenceReason::Row(what) => Some((&f.clause, what.as_str())),
                _ => None,
            })
        };
        let all = facts().find(|f| f.1 == EVERY_EVENT_HAS_A_ROLE);
        let sets: Vec<Pred> = all
            .map_or_else(Vec::new, |(clause, _)| clause.lits.iter().map(|l| l.atom.pred).collect());
        let names: Vec<String> = sets.iter().map(|&p| text.symbol(theory, p)).collect();
        let constructors: Vec<String> =
            names.iter().map(|n| text.names.unique(&format!("is {n}"))).collect();
        let (of, fields, proofs) =
            (roles(&names, &constructors), String::new(), FxHashMap::default());
        let mut rows = Self { roles: of, sets, constructors, fields, proofs };
        let mut order: Vec<Pred> = Vec::new();
        let mut said: FxHashMap<Pred, RoleStatement> = FxHashMap::default();
        let mut others: Vec<(&Clause, &str)> = Vec::new();
        for (clause, what) in facts() {
            if what == EVERY_EVENT_HAS_A_ROLE {
                let proof = format!(
                    "intros x0. unfold {}. destruct (role_of x0); repeat first [left; reflexivity | right]; reflexivity.",
                    names.join(", ")
                );
                rows.proofs.insert(clause.clone(), proof);
            } else if what == ONE_ROLE {
                let two: Vec<String> =
                    clause.lits.iter().map(|l| text.symbol(theory, l.atom.pred)).collect();
                rows.proofs.insert(
                    clause.clone(),
                    format!("unfold {}. intros x0 a b. congruence.", two.join(", ")),
                );
            } else if let Some(role) = rows.role_of(clause) {
                let own = said.entry(role).or_default();
                if own.parts.is_empty() {
                    order.push(role);
                }
                own.clauses.push((clause.clone(), own.parts.len()));
                own.parts.push(part(theory, text, clause, role));
            } else {
                others.push((clause, what));
            }
        }
        for role in order {
            rows.say(theory, text, role, &said[&role]);
        }
        let mut of = "";
        for (number, (clause, what)) in others.into_iter().enumerate() {
            if what != of {
                rows.fields += &format!("  (* {} *)\n", comment(what));
                of = what;
            }
            let field = text.names.unique(&format!("row {}", number + 1));
            rows.fields += &format!(
                "  {field} : {};\n",
                text.closed_clause(theory, &clause.lits, clause.variables)
            );
            rows.proofs.insert(clause.clone(), format!("exact ({field} made)."));
        }
        rows
    }

    /// The role that a clause supposes its first event to have.
    fn role_of(&self, clause: &Clause) -> Option<Pred> {
        let is_role = |l: &&Lit| {
            !l.positive
                && self.sets.contains(&l.atom.pred)
                && l.atom == EventAtom::unary(l.atom.pred, X)
        };
        clause.lits.iter().find(is_role).map(|l| l.atom.pred)
    }

    /// One sentence for all that is said of a role.
    fn say(&mut self, theory: &Theory, text: &mut RocqText, role: Pred, said: &RoleStatement) {
        let name = text.symbol(theory, role);
        let field = text.names.unique(&format!("row {name}"));
        self.fields += &format!(
            "  {field} : forall x0 : Event, {name} x0 ->\n    {};\n",
            wrapped(&said.parts)
        );
        for (clause, at) in &said.clauses {
            let (mut own, mut others) = (String::new(), String::new());
            let mut bound = String::new();
            for v in 1..clause.variables {
                bound += &format!(" x{v}");
                others += &format!(" x{v}");
            }
            for (i, lit) in clause.lits.iter().filter(|l| !l.positive).enumerate() {
                bound += &format!(" p{i}");
                if lit.atom == EventAtom::unary(role, X) {
                    own = format!("p{i}");
                } else {
                    others += &format!(" p{i}");
                }
            }
            let part = projected(&format!("({field} made x0 {own})"), *at, said.parts.len());
            self.proofs.insert(clause.clone(), format!("exact (fun x0{bound} => {part}{others})."));
        }
    }
}

/// What a clause says of an event that has a role.
fn part(theory: &Theory, text: &RocqText, clause: &Clause, role: Pred) -> String {
    let rest: Vec<Lit> = clause
        .lits
        .iter()
        .copied()
        .filter(|l| l.positive || l.atom != EventAtom::unary(role, X))
        .collect();
    if let ([lit], 1) = (&rest[..], clause.variables) {
        return text.lit(theory, *lit, &event);
    }
    let own = text.clause(theory, &rest, &event);
    let all: Vec<String> = (1..clause.variables).map(|v| format!("x{v}")).collect();
    if all.is_empty() {
        format!("({own})")
    } else {
        format!("(forall {} : Event, {own})", all.join(" "))
    }
}

/// A conjunction on lines that can be read.
fn wrapped(parts: &[String]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.len() + part.len() < 110 => *line += &format!(" /\\ {part}"),
            _ => lines.push(part.clone()),
        }
    }
    lines.join(" /\\\n    ")
}

fn roles(names: &[String], constructors: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let sets: String = names
        .iter()
        .zip(constructors)
        .map(|(name, is)| format!("Definition {name} (x : Event) : Prop := role_of x = {is}.\n"))
        .collect();
    let lines: Vec<String> = constructors.chunks(8).map(|c| c.join(" | ")).collect();
    format!(
        "(* The role of an event: what a row makes of an operation, half of it, a fence or read that a row adds, or an initial write. *)\n\
         Inductive role := {}.\nVariable role_of : Event -> role.\n{sets}\n",
        lines.join("\n  | ")
    )
}
