//! The machine beside the axiomatic models, over every PTX test of the corpus that it can run.

use std::path::{Path, PathBuf};

use margay_litmus::explicit::{ExplicitRunner, Options};
use margay_litmus::test::Dialect;
use margay_litmus::{read, shapes};
use margay_models::library;
use margay_runner::sim::{ExplorationLimits, MachineModel, SimulatedMachine};

/// All that the strong machine does, PTX allows; and the other way round, the search for all
/// outcomes and the search for the one that a test asks about agree.
#[test]
fn the_strong_machine_is_within_ptx() {
    let model = library::load("ptx-6.0", &[]).unwrap().model;
    let mut runner = ExplicitRunner::new(&model);
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let [kept, shapes] =
        shapes::corpora(&repository, Path::new(env!("CARGO_TARGET_TMPDIR"))).unwrap();
    let (mut tests, mut reached, mut weak_differs) = (0, 0, 0);
    for folder in
        ["asplos2015", "asplos2019", "pldi2016", "ptx-isa", "readings", "shapes-ptx", "thesis2013"]
    {
        let root = if folder.starts_with("shapes") { &shapes } else { &kept };
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(root.join(folder)).unwrap().map(|e| e.unwrap().path()).collect();
        files.retain(|f| f.extension().is_some_and(|e| e == "litmus"));
        files.sort();
        for file in files {
            let test = read::load(&file).unwrap().test;
            if !matches!(test.dialect, Dialect::Ptx | Dialect::GpuPtx)
                || test.locations.iter().any(|l| l.alias.is_some())
            {
                continue;
            }
            let machine = SimulatedMachine::new(&test, MachineModel::Strong).unwrap();
            let explored = machine.explore(&ExplorationLimits::default()).unwrap();
            let observed = machine.observed();
            let allowed = runner.outcomes(&test, &observed.variables, &Options::default()).unwrap();
            tests += 1;
            reached += explored.outcomes.len();
            if !allowed.bounded {
                let beyond: Vec<_> = explored.outcomes.difference(&allowed.values).collect();
                assert!(beyond.is_empty(), "{}: {beyond:?}", file.display());
            }
            let verdict = runner.run(&test, &Options::default()).unwrap();
            assert_eq!(
                allowed.values.iter().any(|o| observed.asked(o)),
                verdict.reachable,
                "{}",
                file.display()
            );
            let weak = SimulatedMachine::new(&test, MachineModel::Weak)
                .unwrap()
                .explore(&ExplorationLimits::default())
                .unwrap();
            weak_differs += usize::from(!weak.outcomes.is_subset(&allowed.values));
        }
    }
    assert!(tests > 800 && reached > 4 * tests, "{tests} tests, {reached} outcomes");
    assert!(
        weak_differs > 50,
        "the weak machine is one of 2013: CoRR and IRIW differ; {weak_differs} tests"
    );
}

/// Values wrap around and are extended in the machine as in the models: what both can run of the
/// corpus's tests of values and forms.
#[test]
fn values_and_forms_of_the_corpus() {
    let model = library::load("ptx-8", &[]).unwrap().model;
    let mut runner = ExplicitRunner::new(&model);
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus");
    let (mut tests, mut refused) = (0, Vec::new());
    for folder in ["values", "syntax", "other-dialects"] {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(corpus.join(folder)).unwrap().map(|e| e.unwrap().path()).collect();
        files.retain(|f| f.extension().is_some_and(|e| e == "litmus"));
        files.sort();
        for file in files {
            let test = read::load(&file).unwrap().test;
            if !matches!(test.dialect, Dialect::Ptx | Dialect::GpuPtx) {
                continue;
            }
            let machine = match SimulatedMachine::new(&test, MachineModel::Strong) {
                Ok(machine) => machine,
                Err(error) => {
                    refused.push(format!("{}: {error}", file.file_stem().unwrap().display()));
                    continue;
                }
            };
            let explored = machine.explore(&ExplorationLimits::default()).unwrap();
            let allowed =
                runner.outcomes(&test, &machine.observed().variables, &Options::default()).unwrap();
            tests += 1;
            assert!(
                !explored.outcomes.is_empty() || allowed.values.is_empty(),
                "{}",
                file.display()
            );
            if !allowed.bounded {
                let beyond: Vec<_> = explored.outcomes.difference(&allowed.values).collect();
                assert!(beyond.is_empty(), "{}: {beyond:?}", file.display());
            }
        }
    }
    refused.sort();
    assert!(tests >= 20, "{tests} tests; {refused:#?}");
    assert!(refused.iter().all(|r| r.contains("; the machine has no")), "{refused:#?}");
}
