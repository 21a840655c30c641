//! What a search need not do twice, and where it has to end. Efforts are counted in assignments,
//! which are the same on every machine.

use margay_mappings::check::asked;
use margay_mappings::language::LoadOptions;
use margay_mappings::library;
use margay_models::library as models;
use margay_prove::ground::Carrier;
use margay_prove::theorem::prove;
use margay_theorem::argument::obligations;
use margay_theorem::theorem::Setting;
use margay_theorem::theory::StopSignal;
use margay_theorem::theory::mapping::ExecutionSelection;

use super::{mapping, no_sc, options, proved, setting};

/// What refutes an obligation in one theory does so in another one that has all of it, under the
/// names of both levels: without that, each obligation of a proof is searched for a second time
/// when the proof is completed.
#[test]
fn a_refutation_is_carried_to_another_theory() {
    let mapping = mapping("rc11-to-ptx", None);
    let setting = setting(&mapping, &no_sc());
    let report = prove(&setting, &StopSignal::default());
    let proof = report.proof.as_ref().expect("it is a theorem");
    let mut theory = setting.theory.clone();
    let mut carried = 0;
    for (number, (step, settled)) in proof.steps.iter().zip(&proof.settled).enumerate() {
        let step = step.read(&mut theory).expect("it was written for this theory");
        let asked = obligations(&mut theory, &step);
        let other = theory.clone();
        let carrier = Carrier::new(&theory, None, &other);
        for (obligation, settled) in asked.iter().zip(settled).filter(|(_, s)| !s.apart) {
            let supposed = [&obligation.suppositions[..]; 2];
            let found = carrier
                .carried(&settled.refutation, supposed)
                .and_then(|all| all.whole_refutation(&other, obligation));
            let found = found
                .unwrap_or_else(|| panic!("the other theory has all of `{}`", obligation.what));
            assert_eq!(found.check(&other, obligation), Ok(()), "{}", obligation.what);
            carried += 1;
        }
        theory.learn(number, &step);
    }
    assert!(carried > 40, "{carried}");
}

/// Fig. 11 onto PTX without an axiom that it needs. The order of seq_cst fences then leads nowhere,
/// and so do the others: that must be seen soon, and not after all pairs of the dozens of edges of
/// sequential consistency.
#[test]
fn a_proof_that_fails_ends_soon() {
    let whole = proved(&mapping("rc11-to-ptx", None), &no_sc()).effort;
    let text = models::built_in("ptx-6.0").expect("it is shipped").text.clone();
    let line = "empty ((W * W) & morally-strong) \\ (co | co^-1 | id) as Coherence-Order";
    assert!(text.contains(line));
    let file = std::env::temp_dir().join(format!("margay-prove-effort-{}.cat", std::process::id()));
    std::fs::write(&file, text.replacen(line, "", 1)).expect("it can be written");
    let target = Some(file.display().to_string());
    let weaker = library::find(
        "rc11-to-ptx",
        &LoadOptions { source: None, target, ..LoadOptions::default() },
    )
    .expect("it is a model")
    .mapping;
    std::fs::remove_file(&file).expect("it is there");
    let (axioms, constructs) = asked(&weaker, &options(&no_sc())).expect("the options fit");
    let setting =
        Setting::of_mapping(&weaker, &axioms, &ExecutionSelection { constructs, typed: true })
            .expect("it has rules");
    let report = prove(&setting, &StopSignal::default());
    assert!(!report.is_theorem());
    let [failed, whole] = [report.effort.rounds, whole.rounds];
    assert!(failed < 3 * whole, "{failed} assignments, and {whole} where there is a proof");
}
