//! What the shipped models mean: verdicts from the papers, and for each definition and axiom a
//! litmus test that would come out otherwise without it.

mod architectures;
mod c;
mod c_sc;
mod case;
mod dialect_names;
mod dialects;
mod documentation;
mod equivalent;
mod mutate;
mod order;
mod plain;
mod program;
mod ptx;
mod ptx_2015;
mod ptx_8;
mod ptx_8_proxies;
mod ptx_coherence;
mod random;
mod readings;
mod rmo;
mod shipped;
mod text_of_2015;
mod wide;

use std::collections::BTreeSet;

use margay_models::cat;
use margay_models::judge::Judge;
use margay_models::{Execution, Model, Role, Signature};

use case::{TABLES, Verdict, cases};
use mutate::{is_of_programs, mutants};
use program::Program;

/// What a model says about each candidate: is it consistent, and which flags does it raise?
type Opinion = (bool, Vec<usize>);

fn opinion(judge: &mut Judge, execution: &Execution) -> Opinion {
    let judgement = judge.judge(execution);
    let raised = [judgement.flagged, judgement.undefined].concat();
    (judgement.consistent, if judgement.consistent { raised } else { Vec::new() })
}

/// The flags of a model that stand for undefined behaviour.
fn race_flags(model: &Model) -> Vec<usize> {
    let undefined = |c: &margay_models::Check| {
        c.role == if c.negated { Role::Flag } else { Role::UndefinedUnless }
    };
    let race = |c: &margay_models::Check| c.kind == margay_models::CheckKind::Empty && undefined(c);
    (0..model.checks.len()).filter(|&i| race(&model.checks[i])).collect()
}

/// What a model says about a litmus test.
fn verdict(model: &Model, judge: &mut Judge, text: &str) -> Verdict {
    let races = race_flags(model);
    let candidates = Program::parse(model.signature, text).candidates();
    let opinions: Vec<Opinion> =
        candidates.iter().map(|e| opinion(judge, e)).filter(|o| o.0).collect();
    match opinions.as_slice() {
        [] => Verdict::Forbidden,
        some if some.iter().any(|o| o.1.iter().any(|f| races.contains(f))) => Verdict::Racy,
        _ => Verdict::Allowed,
    }
}

#[test]
fn the_papers_verdicts() {
    let mut wrong = Vec::new();
    let mut asked = 0;
    for model in shipped::models() {
        let mut judge = Judge::new(&model);
        for case in cases(&model.name) {
            let Some(&(expected, _)) =
                case.verdicts.iter().find(|(_, models)| models.contains(&model.name.as_str()))
            else {
                continue;
            };
            asked += 1;
            let verdict = verdict(&model, &mut judge, case.text);
            if verdict != expected {
                wrong.push(format!(
                    "{}: {} is {verdict:?}, but {expected:?} by {}",
                    model.name, case.name, case.source
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(asked > 250, "only {asked} verdicts were compared");
}

#[test]
fn every_case_is_about_every_model_of_its_table() {
    for table in TABLES {
        for case in table.cases {
            let mut about: Vec<&str> = case.verdicts.iter().flat_map(|v| v.1).copied().collect();
            about.sort_unstable();
            let mut models = table.models.to_vec();
            models.sort_unstable();
            assert_eq!(about, models, "{}", case.name);
        }
    }
    let tested: BTreeSet<&str> = TABLES.iter().flat_map(|t| t.models).copied().collect();
    let shipped: BTreeSet<String> = shipped::models().into_iter().map(|m| m.name).collect();
    assert!(tested.iter().eq(shipped.iter()), "{tested:?} {shipped:?}");
}

#[test]
fn every_definition_and_axiom_matters() {
    let mut wrong = Vec::new();
    for model in shipped::models() {
        let pool: Vec<Execution> = cases(&model.name)
            .iter()
            .flat_map(|c| Program::parse(model.signature, c.text).candidates())
            .collect();
        let mut judge = Judge::new(&model);
        let opinions: Vec<Opinion> = pool.iter().map(|e| opinion(&mut judge, e)).collect();
        let parsed = cat::parse(&model.source);
        let mut survivors = BTreeSet::new();
        for mutant in mutants(&parsed.file).into_iter().filter(|m| !is_of_programs(&m.change)) {
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
        let known: BTreeSet<String> = equivalent::known(&model.name).map(str::to_owned).collect();
        wrong.extend(
            survivors
                .difference(&known)
                .map(|s| format!("{}: no litmus test notices: {s}", model.name)),
        );
        wrong.extend(
            known
                .difference(&survivors)
                .map(|s| format!("{}: not equivalent, or no mutant: {s}", model.name)),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn random_executions_agree_that_equivalent_changes_are() {
    let tries: usize =
        std::env::var("TRIES").map_or(1_500, |t| t.parse().expect("TRIES is a number"));
    for model in shipped::models() {
        let mut random = random::Random::new(11);
        let executions: Vec<Execution> =
            (0..tries).map(|_| random::execution(&mut random, model.signature)).collect();
        let mut judge = Judge::new(&model);
        let opinions: Vec<Opinion> = executions.iter().map(|e| opinion(&mut judge, e)).collect();
        for mutant in mutants(&cat::parse(&model.source).file) {
            if !equivalent::known(&model.name).any(|k| k == mutant.change) {
                continue;
            }
            let changed = shipped::from_text(&model.name, &mutant.file.to_string());
            let mut judge = Judge::new(&changed);
            for (execution, expected) in executions.iter().zip(&opinions) {
                let shown = || random::describe(execution);
                assert_eq!(
                    opinion(&mut judge, execution),
                    *expected,
                    "{}, {}: {}",
                    model.name,
                    mutant.change,
                    shown()
                );
            }
        }
    }
}

#[test]
fn the_executions_are_well_formed() {
    for signature in [Signature::PLAIN, Signature::C, Signature::PTX] {
        let mut random = random::Random::new(3);
        let models = shipped::models().into_iter().filter(|m| m.signature == signature);
        let written = models
            .flat_map(|m| cases(&m.name))
            .flat_map(|c| Program::parse(signature, c.text).candidates());
        for e in written.chain((0..2_000).map(|_| random::execution(&mut random, signature))) {
            let violations = margay_models::wellformed::violations(&e);
            assert!(violations.is_empty(), "{violations:?}: {}", random::describe(&e));
        }
    }
}

#[test]
fn every_reason_is_for_a_shipped_model() {
    let models: BTreeSet<String> = shipped::models().into_iter().map(|m| m.name).collect();
    for known in equivalent::KNOWN {
        assert!(
            known.models.iter().all(|m| models.contains(*m)) && !known.reason.is_empty(),
            "{:?}",
            known.changes
        );
    }
}

/// For each check of the changed model the index of the same check in the original one.
fn renumbering(original: &Model, changed: &Model) -> Vec<usize> {
    let index = |c: &margay_models::Check| original.checks.iter().position(|o| o.name == c.name);
    changed.checks.iter().map(|c| index(c).expect("checks keep their names")).collect()
}

/// Changes that no litmus test notices: do random executions? Prints the smallest that does.
#[test]
#[ignore = "a tool for whoever extends the tables"]
fn hunt() {
    for model in shipped::models() {
        let wanted = std::env::var("MODEL").unwrap_or_default();
        if !wanted.is_empty() && wanted != model.name {
            continue;
        }
        let tries: usize = std::env::var("TRIES").map_or(100_000, |t| t.parse().unwrap());
        let pool: Vec<Execution> = cases(&model.name)
            .iter()
            .flat_map(|c| Program::parse(model.signature, c.text).candidates())
            .collect();
        let parsed = cat::parse(&model.source);
        let mut judge = Judge::new(&model);
        let opinions: Vec<Opinion> = pool.iter().map(|e| opinion(&mut judge, e)).collect();
        let mut random = random::Random::new(7);
        let executions: Vec<Execution> =
            (0..tries).map(|_| random::execution(&mut random, model.signature)).collect();
        let expected: Vec<Opinion> = executions.iter().map(|e| opinion(&mut judge, e)).collect();
        println!(
            "== {}: {} of {tries} consistent",
            model.name,
            expected.iter().filter(|o| o.0).count()
        );
        for mutant in mutants(&parsed.file) {
            let changed = shipped::from_text(&model.name, &mutant.file.to_string());
            let renumber = renumbering(&model, &changed);
            let mut judge = Judge::new(&changed);
            let mut told = |e: &Execution, o: &Opinion| {
                let (c, f) = opinion(&mut judge, e);
                c != o.0 || f.iter().map(|&i| renumber[i]).collect::<Vec<_>>() != o.1
            };
            if pool.iter().zip(&opinions).any(|(e, o)| told(e, o)) {
                continue;
            }
            match executions
                .iter()
                .zip(&expected)
                .filter(|(e, o)| told(e, o))
                .min_by_key(|(e, _)| e.size())
            {
                Some((e, o)) => println!("{}\n    {}: {}", mutant.change, o.0, random::describe(e)),
                None => println!("{}\n    ---", mutant.change),
            }
        }
    }
}
