//! A proof as one self-contained file for Rocq (docs/unbounded.md, "Rocq").
//!
//! The file says what an execution consists of (`statement`), and proves step by step what the
//! argument claims (`steps`): a claim is opened at its events (`opening`), and the clauses that
//! refute what is left (`given`) are handed to a checker of derivations that Rocq computes
//! (prelude.v). It is made of the proof that was found; nothing is searched for again.

mod comment;
mod earlier;
mod edges;
mod failure;
mod given;
mod induction;
mod inhabited;
mod last_step;
mod letters;
mod names;
mod opening;
mod orders;
mod proven;
mod refutation;
mod rows;
mod statement;
mod steps;
mod subject;
mod text;
mod values;
mod writer;

pub use failure::{RocqFailure, RocqLimitation, RocqMismatch};
pub use subject::RocqSubject;

use comment::comment;
use inhabited::LemmaStatement;
use margay_theorem::argument::{ArgumentProof, Claim};
use margay_theorem::theorem::{Inhabitant, Setting};
use margay_theorem::theory::StopSignal;
use text::RocqText;
use writer::{RocqWriter, claim_name};

/// A theorem that is to be written.
pub struct Theorem<'a> {
    /// What it is about.
    pub subject: RocqSubject<'a>,
    /// What was supposed, and what was asked.
    pub setting: &'a Setting<'a>,
    /// Executions that satisfy what was supposed.
    pub inhabitants: &'a [Inhabitant],
    /// What was shown.
    pub proof: &'a ArgumentProof,
}

/// The file of theorems.
///
/// # Errors
/// What of a proof cannot be written, or [`RocqFailure::Ended`] where `stop` ended the writer.
pub fn write(theorems: &[Theorem<'_>], stop: &StopSignal) -> Result<String, RocqFailure> {
    let (mut claims, mut more, mut bodies) = (Vec::new(), String::new(), String::new());
    for theorem in theorems {
        let (goals, shapes, body) = theorem.body(stop)?;
        let there = if shapes.is_empty() {
            "This file does not show that some execution satisfies what is supposed.".to_owned()
        } else {
            format!(
                "That executions satisfy all that is supposed is proved in this file, too: with {}.",
                shapes.join("; with ")
            )
        };
        claims.push(format!("{}\n\n{}", theorem.subject.claim(&goals), comment(&there)));
        more += &theorem.subject.more();
        bodies += &body;
    }
    let empty: Vec<String> =
        theorems.iter().flat_map(|t| &t.setting.empty).map(|line| comment(line)).collect();
    let differences = if empty.is_empty() {
        "with two differences: `r?; s` is written as `s ∪ r ⨾ s`; and [A]; r as `A ◁ r`, r; [A] as `r ▷ A`.".to_owned()
    } else {
        format!(
            "with three differences: `r?; s` is written as `s ∪ r ⨾ s`; [A]; r as `A ◁ r`, r; [A] as `r ▷ A`; and sets and relations that\n\
             nothing is in are left out. These are all of them, and why they are empty:\n  {}",
            empty.join("\n  ")
        )
    };
    // What is supposed of an order that is chosen is true of some, which is shown beside it.
    let is_chosen = theorems.iter().any(|t| t.setting.kept.is_some());
    let (extension, assumed) = if is_chosen {
        (include_str!("extension.v"), "Print Assumptions Extension.there_is_an_order.\n")
    } else {
        ("", "")
    };
    Ok(format!(
        "(* {}\n\n\
         Written by margay {}; `coqc FILE.v` of Coq 8.16 checks it. The definitions are those of the .cat files, whose lines are quoted\n\
         above them, {differences}{more} *)\n\n{}{extension}{bodies}{assumed}",
        claims.join("\n\n"),
        env!("CARGO_PKG_VERSION"),
        concat!(include_str!("prelude.v"), include_str!("finite.v")),
    ))
}

impl Theorem<'_> {
    /// The names of the axioms that are shown, the shapes that executions are shown of, and the
    /// definitions, the statement and the proof.
    fn body(&self, stop: &StopSignal) -> Result<(Vec<String>, Vec<String>, String), RocqFailure> {
        let Self { subject, setting, inhabitants, proof } = self;
        let mut theory = setting.theory.clone();
        theory.stop = stop.clone();
        let mut text = RocqText::of(&theory);
        let hypotheses = statement::hypotheses(subject, setting, &theory, &mut text)?;
        let mut writer =
            RocqWriter::new(theory, text, hypotheses.checks, hypotheses.rows.proofs.clone());
        let mut proved: Vec<(Claim, String)> = Vec::new();
        for (number, (written, settled)) in proof.steps.iter().zip(&proof.settled).enumerate() {
            let step = written.read(&mut writer.theory)?;
            writer.step(number, &step, settled, &proved)?;
            writer.theory.learn(number, &step);
            proved.extend(
                step.claims
                    .iter()
                    .enumerate()
                    .map(|(own, c)| (c.clone(), claim_name((number, own)))),
            );
        }
        let claims: Vec<Claim> = proved.iter().map(|p| p.0.clone()).collect();
        let predicates = writer.predicates();
        let RocqWriter { theory, mut text, lemmas, .. } = writer;
        let (goals, shown) = statement::goals(subject, setting, &theory, &mut text, &claims);
        let definitions = statement::definitions(setting, &theory, &text, &hypotheses.rows)?;
        let of = |claim: &Claim| proved.iter().find(|p| p.0 == *claim).map_or("", |p| p.1.as_str());
        let parts: Vec<&str> = shown.iter().map(of).collect();
        let names: Vec<String> = setting
            .goals
            .iter()
            .filter(|g| shown.contains(&g.claim))
            .map(|g| g.name.clone())
            .collect();
        let words = subject.words();
        let mut supposed = vec![("executions", "well_formed"), ("axioms", words.supposed[0])];
        if subject.has_rows() {
            supposed.extend([("made", "made_by_rows"), ("defined", "no_undefined_behaviour")]);
        }
        let hypothesis = |(name, what): &(&str, &str)| format!("Hypothesis {name} : {what}.\n");
        let given: Vec<&str> = supposed.iter().map(|s| s.0).collect();
        let records: Vec<&str> = supposed.iter().map(|s| s.1).collect();
        let roles = hypotheses
            .rows
            .sets
            .iter()
            .copied()
            .zip(hypotheses.rows.constructors.iter().cloned())
            .collect();
        let statement = LemmaStatement {
            theory: &theory,
            definitions: &definitions,
            records: records.clone(),
            claims: hypotheses.claims,
            roles,
        };
        let examples = statement.lemmas(inhabitants, &mut text)?;
        let (begin, end, within) = words.module.map_or_else(Default::default, |module| {
            (format!("\nModule {module}.\n"), format!("End {module}.\n\n"), format!("{module}."))
        });
        let body = format!(
            "{begin}\nSection Executions.\n\n(* The events, and the sets and relations that an execution consists of. *)\nVariable Event : Type.\n\n\
             {}\n{}{goals}\
             Section Proof.\n{}\
             (* Small facts follow from what is put before them alone. *)\nLtac alone := clear {}.\n\
             (* The relations and sets that refutations name by numbers. *)\n{predicates}\
             {lemmas}\nEnd Proof.\n\n\
             Theorem {} : {} -> {}.\n\
             Proof. intros {}. constructor; auto using {}. Qed.\n{}\n\
             End Executions.\n{}\n{end}Print Assumptions {within}{}.\n{}",
            definitions.text,
            hypotheses.records,
            supposed.iter().map(hypothesis).collect::<String>(),
            given.join(" "),
            words.theorem,
            records.join(" -> "),
            words.claimed[0],
            given.join(" "),
            parts.join(", "),
            examples.within,
            examples.behind,
            words.theorem,
            examples
                .names
                .iter()
                .map(|(name, _)| format!("Print Assumptions {within}{name}.\n"))
                .collect::<String>(),
        );
        Ok((names, examples.names.into_iter().map(|(_, shape)| shape).collect(), body))
    }
}
