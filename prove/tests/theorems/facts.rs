//! What a proof assumes of every execution is true of those that the search finds: prove/facts, line by line, by the judge.

use margay_mappings::check::{CheckOptions, Silent, check};
use margay_models::judge::Judge;
use margay_models::signature::Signature;
use margay_prove::theory::facts;

use super::{mapping, no_sc, options};

#[test]
#[ignore = "takes long; --ignored runs it"]
fn facts_are_true_of_executions_that_a_search_finds() {
    let mut seen = [0, 0];
    for name in [
        "rc11-to-ptx-no-release-fence",
        "rc11-to-ptx-relaxed-release-rmw",
        "rc11-to-ptx-cta-relaxed-rmw",
        "rc11-to-ptx-cta-sc-fence",
    ] {
        let mapping = mapping(name, None);
        let asked = CheckOptions { all: Some(40), ..options(&no_sc()) }.with(|o| o.bound = 5);
        let report = check(&mapping, &asked, &Silent).expect("it is a mapping");
        for counterexample in &report.counterexamples {
            for (k, execution) in [&counterexample.source, &counterexample.target].into_iter().enumerate() {
                let model = facts(execution.signature);
                let mut judge = Judge::new(model);
                for (i, check) in model.checks.iter().enumerate() {
                    assert!(judge.check_holds(execution, i), "{name}: {} fails", check.display_name());
                }
                seen[k] += 1;
            }
        }
    }
    assert!(seen[0] >= 4 && seen[1] >= 4, "{seen:?}");
}

#[test]
fn facts_of_every_signature_are_read() {
    for signature in [Signature::Plain, Signature::C, Signature::Ptx] {
        assert!(facts(signature).checks.len() > 10);
    }
}
