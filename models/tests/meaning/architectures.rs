//! The models of models/architectures, by the cases that lie beside them as texts: what the
//! published model says of a litmus test, and for each definition and axiom a case that would come
//! out otherwise without it. A new architecture brings its own.
//!
//! A file of cases has for each of them a line `allowed NAME`, `forbidden NAME` or `racy NAME`, and
//! the test in the lines below it (see [`Program`]). `cases OTHER` in the first line takes those of
//! another model; a case of the same name then replaces its own. An axiom or a branch of a union is
//! missed by some case when it is dropped; `survives CHANGE` is for one that makes no difference
//! beside the others, or none that so small a test can show.

use std::collections::BTreeSet;
use std::path::PathBuf;

use margay_models::judge::Judge;
use margay_models::signature::Architecture;
use margay_models::wellformed::violations;
use margay_models::{Execution, Model, cat, library};

use crate::case::Verdict;
use crate::mutate::mutants;
use crate::program::Program;
use crate::{Opinion, opinion, shipped, verdict};

/// The cases of a model.
#[derive(Default)]
struct Cases {
    tests: Vec<(Verdict, String, String)>,
    survivors: BTreeSet<String>,
}

impl Cases {
    /// A case of this name, whose test follows, in the place of an earlier one.
    fn begin(&mut self, verdict: Verdict, name: &str) {
        self.tests.retain(|(_, other, _)| other != name);
        self.tests.push((verdict, name.to_owned(), String::new()));
    }
}

fn folder() -> PathBuf {
    shipped::folder().join("architectures")
}

fn cases(name: &str) -> Cases {
    let path = folder().join(format!("{name}.cases"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut cases = Cases::default();
    for line in text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with("//")) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "allowed" => cases.begin(Verdict::Allowed, rest),
            "racy" => cases.begin(Verdict::Racy, rest),
            "forbidden" => cases.begin(Verdict::Forbidden, rest),
            "cases" => cases = self::cases(rest),
            "survives" => drop(cases.survivors.insert(rest.to_owned())),
            "" => {
                let (.., test) = cases.tests.last_mut().expect("a test has its verdict above it");
                *test += line;
                test.push('\n');
            }
            other => panic!("{}: no case begins with `{other}`", path.display()),
        }
    }
    cases
}

/// Is it an axiom that is dropped or weakened, or a branch of a union that is dropped?
fn is_dropped(change: &str) -> bool {
    if change.ends_with(": drop the check") || change.ends_with(": irreflexive for acyclic") {
        return true;
    }
    let Some((dropped, whole)) =
        change.split_once(": drop `").and_then(|(_, rest)| rest.split_once("` from `"))
    else {
        return false;
    };
    let whole = whole.rsplit_once('`').map_or(whole, |(whole, _)| whole);
    let mut depth = 0;
    let branches = whole.split(|c: char| {
        depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        depth == 0 && c == '|'
    });
    let branches: Vec<&str> = branches.map(str::trim).collect();
    branches.len() > 1 && branches.contains(&dropped)
}

fn models() -> Vec<Model> {
    let files = std::fs::read_dir(folder()).expect("the folder").map(|f| f.expect("a file").path());
    let mut files: Vec<PathBuf> =
        files.filter(|p| p.extension().is_some_and(|e| e == "cat")).collect();
    files.sort();
    files
        .iter()
        .map(|f| {
            shipped::from_text(
                &f.file_stem().expect("a name").to_string_lossy(),
                &std::fs::read_to_string(f).expect("a text"),
            )
        })
        .collect()
}

#[test]
fn the_published_verdicts() {
    let mut wrong = Vec::new();
    for model in models() {
        let mut judge = Judge::new(&model);
        for (expected, name, text) in cases(&model.name).tests {
            let found = verdict(&model, &mut judge, &text);
            if found != expected {
                wrong.push(format!(
                    "{}: {name} is {found:?}, but {expected:?} by the paper",
                    model.name
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_definition_and_axiom_of_an_architecture_matters() {
    let mut wrong = Vec::new();
    for model in models() {
        let cases = cases(&model.name);
        let of = |(.., text): &(Verdict, String, String)| {
            Program::parse(model.signature, text).candidates()
        };
        let pool: Vec<Execution> = cases.tests.iter().flat_map(of).collect();
        let mut judge = Judge::new(&model);
        let opinions: Vec<Opinion> = pool.iter().map(|e| opinion(&mut judge, e)).collect();
        let mut survivors = BTreeSet::new();
        for mutant in
            mutants(&cat::parse(&model.source).file).into_iter().filter(|m| is_dropped(&m.change))
        {
            let mut judge = Judge::new(&shipped::from_text(&model.name, &mutant.file.to_string()));
            // A check that is gone has no number to compare flags by.
            let told = pool.iter().zip(&opinions).any(|(e, before)| {
                let now = opinion(&mut judge, e);
                (now.0, now.1.len()) != (before.0, before.1.len())
            });
            if !told {
                survivors.insert(mutant.change);
            }
        }
        wrong.extend(
            survivors
                .difference(&cases.survivors)
                .map(|s| format!("{}: no case notices: {s}", model.name)),
        );
        wrong.extend(
            cases
                .survivors
                .difference(&survivors)
                .map(|s| format!("{}: noticed, or no mutant: {s}", model.name)),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What the line `barrier` says of executions, whatever a model says.
#[test]
fn a_barrier_has_one_phase() {
    let signature =
        library::load("cuda-barrier", &[]).unwrap_or_else(|e| panic!("{e:?}")).model.signature;
    for (text, wrong) in [
        ("@0.0.0 B.ARRIVE.cta b=0->1\n@0.0.0 B.ARRIVE.cta b=1->2; B.WAIT.cta b=2\nfinal b=2", None),
        (
            "@0.0.0 B.ARRIVE.cta b=0->1\n@0.0.0 B.ARRIVE.cta b=1->2; B.WAIT.cta b=1\nfinal b=2",
            Some("a wait returns behind the last arrival"),
        ),
        ("@0.0.0 B.WAIT.cta b=0", Some("a phase has an arrival")),
        ("@0.0.0 B.ARRIVE.cta b=0->1\n@0.0.0 R.NA b=1", Some("barriers are no data")),
        (
            "@0.0.0 B.ARRIVE.cta b=0->1\n@0.0.0 B.WAIT.gpu b=1",
            Some("a barrier of cta has no other scope"),
        ),
    ] {
        for execution in Program::parse(signature, text).candidates() {
            let found = violations(&execution);
            assert_eq!(found.is_empty(), wrong.is_none(), "{text}: {found:?}");
            assert!(
                wrong.is_none_or(|wrong| found.iter().any(|f| f.contains(wrong))),
                "{text}: {found:?}"
            );
        }
    }
}

#[test]
fn every_architecture_reads_and_has_a_model() {
    let with_front_end = Architecture::FRONT_ENDS.map(|a| a.file().name.clone());
    for file in library::architectures().filter(|file| !with_front_end.contains(&file.name)) {
        let architecture = Architecture::read(&file).unwrap_or_else(|errors| panic!("{errors:?}"));
        // LISA and MIPS have the models that their users write.
        if ["lisa", "mips"].contains(&architecture.word()) {
            assert!(library::load(architecture.word(), &[]).is_err());
            continue;
        }
        let model = library::load(architecture.word(), &[])
            .unwrap_or_else(|errors| panic!("{errors:?}"))
            .model;
        assert_eq!(model.signature, architecture);
        assert_eq!(model.name, architecture.word());
    }
}
