//! What a proof assumes of every execution is true of those that the search finds:
//! prove/kernel/facts, line by line, by the judge.

use margay_mappings::check::{CheckOptions, Silent, check};
use margay_models::diagnostic::SourceFile;
use margay_models::judge::Judge;
use margay_models::model::Model;
use margay_models::signature::Signature;
use margay_models::signature::architecture::{Architecture, built_in_words};
use margay_models::typing::FilesThenBuiltIn;
use margay_theorem::theorem::Setting;
use margay_theorem::theory::facts;
use std::collections::BTreeSet;

use super::{follows, mapping, no_sc, options};

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
            for (k, execution) in
                [&counterexample.source, &counterexample.target].into_iter().enumerate()
            {
                let model = facts(execution.signature);
                let mut judge = Judge::new(model);
                for (i, check) in model.checks.iter().enumerate() {
                    assert!(
                        judge.check_holds(execution, i),
                        "{name}: {} fails",
                        check.display_name()
                    );
                }
                seen[k] += 1;
            }
        }
    }
    assert!(seen[0] >= 4 && seen[1] >= 4, "{seen:?}");
}

/// Of libcu++'s table a row is written again for each type and pair of orders; what emits the same
/// is one role.
#[test]
fn rows_that_emit_the_same_are_one_role() {
    let mapping = mapping("libcudacxx-3.5", Some("c20"));
    let setting = super::setting(&mapping, &[]);
    let (mut written, mut roles) = (0, 0);
    for row in &mapping.rows {
        let name = row.construct.name(mapping.source.signature);
        let of_row =
            |role: &str| role.strip_prefix(&name).is_some_and(|rest| !rest.starts_with('_'));
        // Each operation is one event, or two halves; what is beside it has roles of its own.
        let own =
            setting.roles.iter().map(|&r| setting.theory.symbols.name(r)).filter(|n| of_row(n));
        let whole = own
            .filter(|n| !n.contains(":fence") && !n.contains(":read:") && !n.ends_with(":write"))
            .count();
        let emitted: Vec<String> = row
            .alternatives
            .iter()
            .map(|l| format!("{:?} {:?}", l.steps, l.dependencies))
            .collect();
        assert_eq!(whole, emitted.iter().collect::<BTreeSet<_>>().len(), "{name}");
        written += emitted.len();
        roles += whole;
    }
    assert!(roles < written, "{roles} roles of {written} lowerings");
}

#[test]
fn facts_of_every_signature_are_read() {
    let texts = built_in_words().into_iter().filter_map(|w| Architecture::built_in(&w));
    for signature in [Signature::PLAIN, Signature::C, Signature::PTX].into_iter().chain(texts) {
        assert!(facts(signature).checks.len() > 10);
    }
}

/// Does a property of a model that is a text follow, without any lemma?
fn holds(model: &str, property: &str) -> bool {
    let text = format!("{model} \"a property\"\ninclude \"{model}.cat\"\n{property} as Property");
    let model = Model::parse(SourceFile::new("property.cat", text), &FilesThenBuiltIn)
        .expect("it is a model")
        .model;
    let number = model.check_named("Property").expect("it is there");
    let setting = Setting::of_model(&model, &[number]).expect("it has a rule");
    follows(&setting, &setting.theory, setting.goals[0].claim.clone())
}

/// Does a property follow of all executions of a text of one's own?
fn holds_of_text(architecture: &str, property: &str) -> bool {
    let folder = tempfile::tempdir().expect("there is room");
    std::fs::write(folder.path().join("own.arch"), architecture).expect("there is room");
    let path = folder.path().join("own.cat");
    std::fs::write(&path, format!("own \"a property\"\n{property} as Property"))
        .expect("there is room");
    let model = Model::load(&path).unwrap_or_else(|e| panic!("{e:?}")).model;
    let setting = Setting::of_model(&model, &[0]).expect("it has a rule");
    follows(&setting, &setting.theory, setting.goals[0].claim.clone())
}

#[test]
fn what_the_chosen_orders_and_picked_sets_of_a_text_mean() {
    let text = "architecture \"of one's own\"\ntag ACQ on R\ntag SC on F\nCHOSEN\nsets WEAK A MFENCE\n\
                read ld\nread ld.acq ACQ\nwrite st\nfence full SC\nfence light\n";
    let partial = text.replace("CHOSEN", "coherence partial\nchosen sync_fence on SC");
    for (property, expected) in [
        ("empty ((W * W) & loc) \\ (co | co^-1 | id)", false),
        ("empty ((IW * (W \\ IW)) & loc) \\ co", true),
        ("empty sync_fence \\ (SC * SC)", true),
        ("empty ((F & SC) * (F & SC)) \\ (sync_fence | sync_fence^-1 | id)", false),
        ("empty sync_fence & sync_fence^-1", true),
        ("empty WEAK & ACQ", true),
        ("empty IW \\ WEAK", true),
        ("empty (M \\ WEAK) \\ ACQ", true),
        ("empty A & WEAK", true),
        ("empty F \\ A", false),
        ("empty F \\ MFENCE", true),
    ] {
        assert_eq!(holds_of_text(&partial, property), expected, "{property}");
    }
    let total = text.replace("CHOSEN", "coherence total");
    assert!(holds_of_text(&total, "empty ((W * W) & loc) \\ (co | co^-1 | id)"));
}

#[test]
fn what_the_tags_and_scopes_of_a_text_mean() {
    for (model, property, expected) in [
        // Fences are called as the text calls them.
        ("x86", "empty F", false),
        ("x86", "empty MFENCE", false),
        ("x86", "empty LOCK", false),
        ("x86", "empty MFENCE & M", true),
        ("x86", "empty LOCK & (F | IW)", true),
        ("x86", "empty (LOCK & R) \\ RMW", false),
        ("power", "empty (SYNC | LWSYNC | ISYNC) \\ F", true),
        ("power", "empty F \\ (SYNC | LWSYNC | ISYNC)", false),
        // Levels, in Vulkan's words.
        ("vulkan", "empty (same-wg; same-wg) \\ same-wg", true),
        ("vulkan", "empty same-wg \\ same-qf", true),
        ("vulkan", "empty same-qf \\ same-wg", false),
        ("vulkan", "empty WG & QF", true),
        ("vulkan", "empty ((WG * WG) & incl) \\ same-wg", true),
        ("vulkan", "empty ((QF * QF) & incl) \\ same-wg", false),
    ] {
        assert_eq!(holds(model, property), expected, "{model}: {property}");
    }
}
