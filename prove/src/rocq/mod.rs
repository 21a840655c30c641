//! A proof as one self-contained file for Rocq (docs/unbounded.md, "Rocq").
//!
//! The file says what an execution consists of (`statement`), and proves step by step what the argument claims (`steps`): a claim
//! is opened at its events (`opening`), and the clauses that refute what is left (`given`) are handed to a checker of derivations
//! that Rocq computes (prelude.v). It is made of the proof that was found; nothing is searched for again.

mod earlier;
mod edges;
mod given;
mod induction;
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
mod text;
mod values;
mod writer;

use margay_mappings::language::Mapping;

use crate::argument::{Claim, Proof};
use crate::theorem::Setting;
use text::Text;
use writer::{Writer, claim_name};

/// The file of a proof; `part` says which constructs it is about, if those are not all.
///
/// # Errors
/// What of the proof cannot be written.
pub fn write(setting: &Setting<'_>, mapping: &Mapping, part: &str, proof: &Proof) -> Result<String, String> {
    let theory = setting.theory.clone();
    let mut text = Text::of(&theory);
    let hypotheses = statement::hypotheses(setting, &theory, &mut text)?;
    let mut writer = Writer::new(theory, text, hypotheses.checks, hypotheses.rows.proofs.clone());
    let mut proved: Vec<(Claim, String)> = Vec::new();
    for (number, (written, settled)) in proof.steps.iter().zip(&proof.settled).enumerate() {
        let step = written.read(&mut writer.theory)?;
        writer.step(number, &step, settled, &proved)?;
        writer.theory.learn(number, &step);
        proved.extend(step.claims.iter().enumerate().map(|(own, c)| (c.clone(), claim_name((number, own)))));
    }
    let claims: Vec<Claim> = proved.iter().map(|p| p.0.clone()).collect();
    let predicates = writer.predicates();
    let Writer { theory, mut text, lemmas, .. } = writer;
    let (goals, shown) = statement::goals(setting, &theory, &mut text, &claims);
    let definitions = statement::definitions(setting, &theory, &text, &hypotheses.rows)?;
    let of = |claim: &Claim| proved.iter().find(|p| p.0 == *claim).map_or("", |p| p.1.as_str());
    let parts: Vec<&str> = shown.iter().map(of).collect();
    let names: Vec<String> = setting.goals.iter().filter(|g| shown.contains(&g.claim)).map(|g| g.name.clone()).collect();
    Ok(format!(
        "{}{}\nSection Mapping.\n\n(* The events, and the sets and relations that an execution consists of. *)\nVariable Event : Type.\n\n{definitions}\n{}{goals}\
         Section Proof.\nHypothesis executions : well_formed.\nHypothesis axioms : target_axioms.\nHypothesis made : made_by_rows.\nHypothesis defined : no_undefined_behaviour.\n\
         (* Small facts follow from what is put before them alone. *)\nLtac alone := clear executions axioms made defined.\n\
         (* The relations and sets that refutations name by numbers. *)\n{predicates}\
         {lemmas}\nEnd Proof.\n\n\
         Theorem mapping_is_sound : well_formed -> target_axioms -> made_by_rows -> no_undefined_behaviour -> source_axioms.\n\
         Proof. intros executions axioms made defined. constructor; auto using {}. Qed.\n\nEnd Mapping.\n\nPrint Assumptions mapping_is_sound.\n",
        statement::head(mapping, part, &names),
        include_str!("prelude.v"),
        hypotheses.records,
        parts.join(", "),
    ))
}
