//! The statement: what an execution consists of, the definitions of both models, what is supposed,
//! and the theorem.

use super::failure::{RocqFailure, RocqLimitation, RocqMismatch};
use rustc_hash::FxHashSet;

use super::comment::comment;
use super::induction::premises_of;
use super::rows::RowHypotheses;
use super::subject::RocqSubject;
use super::text::{RocqText, event};
use margay_theorem::argument::Claim;
use margay_theorem::logic::{EventTerm, Meaning, Pred, TheoryExpr, TheoryExprId};
use margay_theorem::theorem::Setting;
use margay_theorem::theory::{Sentence, SentenceReason, Theory};

/// Hypotheses with the names of their fields.
pub struct NamedHypotheses {
    /// For each check that is assumed, its proof.
    pub checks: Vec<String>,
    /// What the rows make.
    pub rows: RowHypotheses,
    pub records: String,
    /// What they claim, of sets and relations.
    pub claims: Vec<Claim>,
}

/// The records of what is supposed.
pub fn hypotheses(
    subject: &RocqSubject<'_>,
    setting: &Setting<'_>,
    theory: &Theory,
    text: &mut RocqText,
) -> Result<NamedHypotheses, RocqFailure> {
    let [axioms, what, prefix] = subject.words().supposed;
    let mut fields: [Vec<String>; 3] = [Vec::new(), Vec::new(), Vec::new()];
    let mut checks: Vec<String> = Vec::new();
    let mut said: Vec<(usize, String)> = Vec::new();
    for (number, (sentence, reason)) in theory.sentences.iter().enumerate() {
        let (record, name) = match reason {
            SentenceReason::WellFormed(name) => (0, name),
            SentenceReason::Axiom(name) if !subject.has_rows() || number < setting.of_target => {
                (1, name)
            }
            SentenceReason::Axiom(name) => (2, name),
            _ => {
                return Err(RocqFailure::mismatch(
                    "a check is supposed for a reason that has no name",
                ));
            }
        };
        let hypothesis = ["executions", "axioms", "defined"][record];
        let says = sentence_text(theory, text, sentence);
        // What both levels say is said once; what is about sets that nothing is in says nothing.
        if theory.exprs.get(sentence.expr) == TheoryExpr::Empty {
            checks.push(String::new());
        } else if let Some(known) = said.iter().position(|s| *s == (record, says.clone())) {
            let known: String = checks[known].clone();
            checks.push(known);
        } else {
            let field = text.names.unique(&format!("{}_{name}", ["wf", prefix, "no"][record]));
            fields[record].push(format!("  {field} : {says}"));
            checks.push(format!("({field} {hypothesis})"));
        }
        said.push((record, says));
    }
    let rows = RowHypotheses::of(theory, text);
    let record =
        |name: &str, fields: &str| format!("Record {name} : Prop := {{\n{fields}\n}}.\n\n");
    let levels = if subject.has_rows() { ", at both levels" } else { "" };
    let mut records = format!(
        "(* An execution is well-formed: what the base names mean and how they fit together{levels}. *)\n{}(* {what} *)\n{}",
        record("well_formed", &fields[0].join(";\n")),
        record(axioms, &fields[1].join(";\n")),
    );
    if subject.has_rows() {
        records += &format!(
            "(* The execution consists of what the rows make of source operations: every event has a role, and its role says what it is. *)\n{}\
             (* What the source leaves undefined does not happen: no race. *)\n{}",
            record("made_by_rows", rows.fields.trim_end().trim_end_matches(';')),
            record("no_undefined_behaviour", &fields[2].join(";\n")),
        );
    }
    let claims = theory.sentences.iter().map(|(sentence, _)| claim_of(sentence)).collect();
    Ok(NamedHypotheses { checks, rows, records, claims })
}

fn sentence_text(theory: &Theory, text: &RocqText, sentence: &Sentence) -> String {
    text.claim(theory, &claim_of(sentence))
}

fn claim_of(sentence: &Sentence) -> Claim {
    Claim::of_check(sentence.kind, sentence.expr, sentence.is_set)
}

/// The sets and relations of an execution, and the definitions made of them.
pub struct Definitions {
    pub text: String,
    /// The base sets, in the order of their declaration.
    pub sets: Vec<Pred>,
    /// The base relations.
    pub relations: Vec<Pred>,
    /// What is defined of them, in order.
    pub order: Vec<Pred>,
}

/// The sets and relations of an execution, and the definitions made of them, of every symbol that
/// was named.
pub fn definitions(
    setting: &Setting<'_>,
    theory: &Theory,
    text: &RocqText,
    rows: &RowHypotheses,
) -> Result<Definitions, RocqFailure> {
    // Roles are defined by themselves.
    let done: FxHashSet<Pred> = rows.sets.iter().copied().collect();
    let own = Definitions {
        text: String::new(),
        sets: Vec::new(),
        relations: Vec::new(),
        order: Vec::new(),
    };
    let mut writer = DefinitionWriter { setting, theory, text, done, own };
    // Writing a definition may name further symbols.
    loop {
        let open: Vec<Pred> =
            text.used().into_iter().filter(|p| !writer.done.contains(p)).collect();
        if open.is_empty() {
            break;
        }
        for pred in open {
            writer.define(pred)?;
        }
    }
    let names = |all: &[Pred]| -> Vec<String> {
        all.iter().filter_map(|p| text.names.get(*p).map(str::to_owned)).collect()
    };
    let mut own = writer.own;
    own.sets.sort_unstable();
    own.relations.sort_unstable();
    let (set_names, relation_names) = (names(&own.sets), names(&own.relations));
    let wrapped = |names: &[String]| -> String {
        let lines: Vec<String> = names.chunks(12).map(|c| c.join(" ")).collect();
        lines.join("\n  ")
    };
    own.text = format!(
        "Variables\n  {}\n  : Event -> Prop.\n\nVariables\n  {}\n  : Event -> Event -> Prop.\n\n{}{}\n",
        wrapped(&set_names),
        wrapped(&relation_names),
        rows.roles,
        own.text
    );
    Ok(own)
}

/// Writes definitions, those that one is made of before it.
struct DefinitionWriter<'a> {
    setting: &'a Setting<'a>,
    theory: &'a Theory,
    text: &'a RocqText,
    /// What is written, or defined by itself.
    done: FxHashSet<Pred>,
    /// What was found so far; its text is that of definitions alone.
    own: Definitions,
}

impl DefinitionWriter<'_> {
    fn define(&mut self, pred: Pred) -> Result<(), RocqFailure> {
        let (theory, text) = (self.theory, self.text);
        if !self.done.insert(pred) {
            return Ok(());
        }
        let symbol = theory.symbols.get(pred);
        let name =
            text.names.get(pred).ok_or(RocqFailure::mismatch("a symbol has no name"))?.to_owned();
        let body = match symbol.meaning {
            Meaning::Base => {
                if symbol.arity == 1 {
                    self.own.sets.push(pred)
                } else {
                    self.own.relations.push(pred)
                }
                return Ok(());
            }
            Meaning::Defined(body) | Meaning::Fixpoint(body, _) | Meaning::Closure(body) => body,
            Meaning::Sequence(..) | Meaning::Domain(_) | Meaning::Range(_) => {
                return Err(RocqMismatch::NoDefinition(name).into());
            }
        };
        for inner in symbols(theory, body) {
            if text.names.get(inner).is_some() {
                self.define(inner)?;
            }
        }
        self.own.order.push(pred);
        if let Some((_, place)) = self.setting.written.iter().find(|w| w.0 == pred) {
            self.own.text += &format!("(* {} *)\n", comment(&format!("{place}: {}", place.text())));
        }
        let arity = if matches!(symbol.meaning, Meaning::Closure(_)) { 2 } else { symbol.arity };
        let sort = if arity == 1 { "Event -> Prop" } else { "Event -> Event -> Prop" };
        self.own.text += &match symbol.meaning {
            Meaning::Closure(r) => {
                format!("Definition {name} : {sort} := {}⁺.\n", text.within(theory, r, 2))
            }
            Meaning::Fixpoint(body, _) => recursive(theory, text, pred, &name, body, arity)?,
            _ => format!("Definition {name} : {sort} := {}.\n", text.expr(theory, body, arity)),
        };
        Ok(())
    }
}

/// A rule of a recursive relation: of these events the premises make a pair of the first two.
pub struct RecursionRule {
    pub name: String,
    /// Its events.
    pub variables: Vec<String>,
    pub premises: Vec<String>,
}

/// A recursive relation, as an inductive one.
fn recursive(
    theory: &Theory,
    text: &RocqText,
    pred: Pred,
    name: &str,
    body: TheoryExprId,
    arity: u8,
) -> Result<String, RocqFailure> {
    if arity == 1 {
        return Err(RocqLimitation::RecursiveSet(theory.symbols.name(pred).to_owned()).into());
    }
    let rule = |r: RecursionRule| {
        format!(
            "\n| {} : forall {}, {} -> {name} x0 x1",
            r.name,
            r.variables.join(" "),
            r.premises.join(" -> ")
        )
    };
    let rules: String = recursion(theory, text, pred, name, body)?.into_iter().map(rule).collect();
    Ok(format!("Inductive {name} : Event -> Event -> Prop :={rules}.\n"))
}

/// The rules of a recursive relation, one for each part of its body.
///
/// # Errors
/// A relation that refers to itself within an expression.
pub fn recursion(
    theory: &Theory,
    text: &RocqText,
    pred: Pred,
    name: &str,
    body: TheoryExprId,
) -> Result<Vec<RecursionRule>, RocqFailure> {
    let mut rules = Vec::new();
    for (k, part) in theory.exprs.union_parts(body).into_iter().enumerate() {
        let mut open = vec![(part, EventTerm::variable(0), EventTerm::variable(1))];
        let mut next = 2;
        let mut premises = Vec::new();
        while !open.is_empty() {
            let (first, s, t) = open.remove(0);
            if let Some((parts, between)) =
                premises_of(theory, first, s, t, EventTerm::variable(next))
            {
                next += u8::from(between);
                open = parts.into_iter().chain(open).collect();
                continue;
            }
            if theory.as_symbol(first) != Some(pred)
                && symbols_within(theory, first).contains(&pred)
            {
                let own = theory.symbols.name(pred).to_owned();
                return Err(RocqLimitation::RecursionWithin(own).into());
            }
            let is_set = s == t
                && !matches!(theory.exprs.get(first), TheoryExpr::Symbol(p) if theory.symbols.get(p).arity == 2);
            let args = if is_set { event(s) } else { format!("{} {}", event(s), event(t)) };
            premises
                .push(format!("{} {args}", text.within(theory, first, if is_set { 1 } else { 2 })));
        }
        let variables = (0..next).map(|v| format!("x{v}")).collect();
        rules.push(RecursionRule { name: format!("{name}_by_{}", k + 1), variables, premises });
    }
    Ok(rules)
}

/// The symbols of an expression, and of those that have no name of their own.
fn symbols(theory: &Theory, id: TheoryExprId) -> Vec<Pred> {
    match theory.exprs.get(id) {
        TheoryExpr::Empty | TheoryExpr::All => Vec::new(),
        TheoryExpr::Symbol(Pred::EQUAL) => Vec::new(),
        TheoryExpr::Symbol(p) => match theory.symbols.get(p).meaning {
            Meaning::Sequence(a, b) => [symbols(theory, a), symbols(theory, b)].concat(),
            Meaning::Closure(r) => [vec![p], symbols(theory, r)].concat(),
            Meaning::Domain(r) | Meaning::Range(r) => symbols(theory, r),
            _ => vec![p],
        },
        TheoryExpr::Union(a, b)
        | TheoryExpr::Intersection(a, b)
        | TheoryExpr::Difference(a, b)
        | TheoryExpr::Sequence(a, b)
        | TheoryExpr::Product(a, b) => [symbols(theory, a), symbols(theory, b)].concat(),
        TheoryExpr::Diagonal(a) | TheoryExpr::Inverse(a) => symbols(theory, a),
    }
}

/// The symbols that an expression depends on, through definitions as well.
fn symbols_within(theory: &Theory, id: TheoryExprId) -> FxHashSet<Pred> {
    let mut all = FxHashSet::default();
    let mut open = symbols(theory, id);
    while let Some(p) = open.pop() {
        if all.insert(p) {
            match theory.symbols.get(p).meaning {
                Meaning::Defined(body) | Meaning::Fixpoint(body, _) | Meaning::Closure(body) => {
                    open.extend(symbols(theory, body))
                }
                _ => {}
            }
        }
    }
    all
}

/// The record of what is shown.
pub fn goals(
    subject: &RocqSubject<'_>,
    setting: &Setting<'_>,
    theory: &Theory,
    text: &mut RocqText,
    proved: &[Claim],
) -> (String, Vec<Claim>) {
    let [axioms, what, prefix] = subject.words().claimed;
    let goals: Vec<_> = setting.goals.iter().filter(|g| proved.contains(&g.claim)).collect();
    let fields: Vec<String> = goals
        .iter()
        .map(|g| {
            format!(
                "  {} : {}",
                text.names.unique(&format!("{prefix} {}", g.name)),
                text.claim(theory, &g.claim)
            )
        })
        .collect();
    let record =
        format!("(* {what} *)\nRecord {axioms} : Prop := {{\n{}\n}}.\n\n", fields.join(";\n"));
    (record, goals.into_iter().map(|g| g.claim.clone()).collect())
}
