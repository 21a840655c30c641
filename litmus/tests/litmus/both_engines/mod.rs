//! The SAT engine against the explicit one: every verdict of the corpus, random tests, and tests
//! made for one feature. The two share the unfolding of threads and the judge that confirms what
//! they find; the search, values, conditions and the evaluation of models are apart.

mod c;
mod corpus;
mod cycles;
mod large;
mod many_events;
mod proxies;
mod ptx;
mod renamed;

use crate::shipped::model;
use margay_litmus::engine::{Choice, Engine, Runner};
use margay_litmus::explicit::{Options, TestVerdict};
use margay_litmus::read;
use margay_litmus::test::Test;
use margay_models::diagnostic::SourceFile;
use margay_models::model::Model;
use margay_models::wellformed;
use proptest::prelude::*;

/// How many random tests; `MARGAY_CASES` for more.
fn cases() -> u32 {
    std::env::var("MARGAY_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(150)
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() }
}

fn test(text: &str) -> Test {
    read::test(&SourceFile::new("t", text)).unwrap_or_else(|e| panic!("{}\n{text}", e[0])).test
}

fn answer(text: &str, model: &Model, engine: Engine) -> TestVerdict {
    Runner::new(model)
        .run(&test(text), &Options::default(), Choice::Only(engine))
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Both engines say the same of a test, and what they show is a well-formed execution.
fn agree(text: &str, models: &[Model]) -> Result<(), TestCaseError> {
    let test = test(text);
    for model in models {
        let mut runner = Runner::new(model);
        let options = Options::default();
        let mut ask = |engine: Engine| {
            runner.run(&test, &options, Choice::Only(engine)).map_err(|e| format!("{engine}: {e}"))
        };
        let (explicit, sat) = (ask(Engine::Explicit), ask(Engine::Sat));
        prop_assert!(
            explicit.is_ok() && sat.is_ok(),
            "{}\n{text}\n{:?}\n{:?}",
            model.name,
            explicit.err(),
            sat.err()
        );
        let (explicit, sat) = (explicit.unwrap(), sat.unwrap());
        let said = |v: &TestVerdict| {
            (
                v.quantifier,
                v.holds,
                v.reachable,
                v.bounded,
                v.racy,
                v.gap.as_ref().map(|gap| gap.kind()),
            )
        };
        prop_assert_eq!(said(&explicit), said(&sat), "{}\n{}", model.name, text);
        for witness in sat.witness.iter().chain(&sat.race) {
            prop_assert_eq!(wellformed::violations(&witness.execution), Vec::<String>::new());
        }
        if !sat.reachable {
            let mut ask =
                |engine: Engine| runner.forbidden(&test, &options, Choice::Only(engine)).unwrap();
            let (explicit, sat) = (ask(Engine::Explicit), ask(Engine::Sat));
            // One axiom is to blame, or several are, or the program cannot do it.
            let blamed = |f: &Option<margay_litmus::explicit::Forbidden>| {
                f.as_ref().map(|f| f.checks.len() == 1)
            };
            prop_assert_eq!(blamed(&explicit), blamed(&sat), "{}\n{}", model.name, text);
        }
    }
    Ok(())
}
