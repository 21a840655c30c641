//! What the shipped models mean: verdicts from the papers, and for each definition and axiom a litmus test that would come out
//! otherwise without it.

mod c;
mod c_sc;
mod case;
mod equivalent;
mod mutate;
mod order;
mod plain;
mod program;
mod ptx;
mod ptx_coherence;
mod random;
mod readings;
mod shipped;

use std::collections::BTreeSet;

use margay_models::cat;
use margay_models::judge::Judge;
use margay_models::{Execution, Model, Role};

use case::{Verdict, cases};
use mutate::mutants;
use program::Program;

/// What a model says about each candidate: is it consistent, and which flags does it raise?
type Opinion = (bool, Vec<usize>);

fn opinion(judge: &mut Judge, execution: &Execution) -> Opinion {
    let judgement = judge.judge(execution);
    (judgement.consistent, if judgement.consistent { judgement.flagged } else { Vec::new() })
}

/// The flags of a model that stand for undefined behaviour.
fn race_flags(model: &Model) -> Vec<usize> {
    let race = |c: &margay_models::Check| c.role == Role::Flag && c.negated && c.kind == margay_models::CheckKind::Empty;
    (0..model.checks.len()).filter(|&i| race(&model.checks[i])).collect()
}

#[test]
fn the_papers_verdicts() {
    let mut wrong = Vec::new();
    let mut asked = 0;
    for model in shipped::models() {
        let races = race_flags(&model);
        let mut judge = Judge::new(&model);
        for case in cases(model.signature) {
            let Some(&(expected, _)) = case.verdicts.iter().find(|(_, models)| models.contains(&model.name.as_str())) else {
                continue;
            };
            asked += 1;
            let candidates = Program::parse(model.signature, case.text).candidates();
            let opinions: Vec<Opinion> = candidates.iter().map(|e| opinion(&mut judge, e)).filter(|o| o.0).collect();
            let verdict = match opinions.as_slice() {
                [] => Verdict::Forbidden,
                some if some.iter().any(|o| o.1.iter().any(|f| races.contains(f))) => Verdict::Racy,
                _ => Verdict::Allowed,
            };
            if verdict != expected {
                wrong.push(format!("{}: {} is {verdict:?}, but {expected:?} by {}", model.name, case.name, case.source));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(asked > 250, "only {asked} verdicts were compared");
}

#[test]
fn every_case_is_about_every_model_of_its_signature() {
    for model in shipped::models() {
        let missing =
            cases(model.signature).into_iter().filter(|c| !c.verdicts.iter().any(|v| v.1.contains(&model.name.as_str())));
        let missing: Vec<_> = missing.map(|c| c.name).collect();
        assert!(missing.is_empty(), "{}: no verdict for {missing:?}", model.name);
    }
}

#[test]
fn every_definition_and_axiom_matters() {
    let mut wrong = Vec::new();
    for model in shipped::models() {
        let pool: Vec<Execution> =
            cases(model.signature).iter().flat_map(|c| Program::parse(model.signature, c.text).candidates()).collect();
        let mut judge = Judge::new(&model);
        let opinions: Vec<Opinion> = pool.iter().map(|e| opinion(&mut judge, e)).collect();
        let parsed = cat::parse(&model.source);
        let mut survivors = BTreeSet::new();
        for mutant in mutants(&parsed.file) {
            let changed = shipped::from_text(&model.name, &mutant.file.to_string());
            let renumber = renumbering(&model, &changed);
            let mut judge = Judge::new(&changed);
            let told = pool.iter().zip(&opinions).any(|(e, (consistent, flags))| {
                let (c, f) = opinion(&mut judge, e);
                c != *consistent || f.iter().map(|&i| renumber[i]).collect::<Vec<_>>() != *flags
            });
            if !told {
                survivors.insert(mutant.change);
            }
        }
        let known: BTreeSet<String> = equivalent::known(&model.name).map(|k| k.change.to_owned()).collect();
        wrong.extend(survivors.difference(&known).map(|s| format!("{}: no litmus test notices: {s}", model.name)));
        wrong.extend(known.difference(&survivors).map(|s| format!("{}: not equivalent, or no mutant: {s}", model.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// For each check of the changed model the index of the same check in the original one.
fn renumbering(original: &Model, changed: &Model) -> Vec<usize> {
    let index = |c: &margay_models::Check| original.checks.iter().position(|o| o.name == c.name);
    changed.checks.iter().map(|c| index(c).expect("checks keep their names")).collect()
}
