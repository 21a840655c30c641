//! Lemmas of models, as questions of their own, and false ones.

use margay_models::diagnostic::SourceFile;
use margay_models::model::Model;
use margay_models::typing::FilesThenBuiltIn;
use margay_prove::theorem::{Report, prove};
use margay_theorem::logic::TheoryFormula;
use margay_theorem::theorem::Setting;
use margay_theorem::theory::StopSignal;

pub fn read(name: &str, text: &str) -> Model {
    Model::parse(SourceFile::new(name, text), &FilesThenBuiltIn)
        .unwrap_or_else(|e| panic!("{e:?}"))
        .model
}

/// A property of a model.
fn asked(model: &str, property: &str) -> Report {
    let claimed = read(
        "claimed.cat",
        &format!("PTX \"claimed\"\ninclude \"{model}.cat\"\n{property} as Question"),
    );
    let number = claimed.check_named("Question").expect("it is there");
    prove(
        &Setting::of_model(&claimed, &[number]).expect("it is of a form that has a rule"),
        &StopSignal::default(),
    )
}

#[test]
fn lemmas_of_ptx() {
    for property in [
        "irreflexive po; rf",
        "empty obs \\ loc",
        "empty (obs; rmw) \\ loc",
        "empty (cause-base; po) \\ cause-base",
    ] {
        let report = asked("ptx-6.0", property);
        assert!(report.is_theorem(), "{property}: {:?}", report.goals[0].gap);
    }
}

#[test]
fn false_lemmas_are_none() {
    for property in [
        "empty cause-base \\ po",
        "empty obs \\ rf",
        "acyclic po | rf | fr",
        "empty rf \\ morally-strong",
    ] {
        let report = asked("ptx-6.0", property);
        let gap =
            report.goals[0].gap.as_ref().unwrap_or_else(|| panic!("{property} is no theorem"));
        assert!(!gap.what.is_empty());
    }
}

/// A part of a model: neither red, nor other proxies, nor aliases, nor asynchronous operations and
/// mbarriers, nor fences of one state space, nor arrivals at barriers that order no memory, which
/// PTX 6.0 has not.
pub fn generic(model: &str) -> Model {
    let text = format!(
        "PTX \"generic\"\ninclude \"{model}.cat\"\nempty RED as No-RED\nempty M \\ GEN as Generic\n\
         empty SUR | TEX | CON | ALIAS as No-Proxy\nempty F & SHARED as No-Fence-Of-A-Space\nempty ASYNC | MBARRIER as No-Asynchronous-Proxy\nempty TENSORMAP as No-Tensor-Maps\nempty B & RLX as No-Relaxed-Arrivals\n\
         empty async_issue | async_complete as No-Asynchronous-Operation\nempty (loc \\ vloc) | (vloc \\ loc) as One-Address"
    );
    read(&format!("generic-{model}.cat"), &text)
}

/// The axioms of one model that are theorems about what another one allows, and those that are not.
fn compared(supposed: &Model, claimed: &Model) -> (Vec<String>, Vec<String>) {
    let axioms: Vec<usize> = (0..claimed.checks.len()).collect();
    let setting = Setting::of_models(supposed, claimed, &axioms)
        .expect("its axioms are of forms that have rules");
    let report = prove(&setting, &StopSignal::default());
    let (proved, open): (Vec<_>, Vec<_>) = report.goals.iter().partition(|g| g.is_theorem());
    let names = |goals: Vec<&margay_prove::theorem::GoalReport>| {
        goals.iter().map(|g| g.name.clone()).collect()
    };
    (names(proved), names(open))
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn rewritten_definitions_change_nothing() {
    let text = include_str!("../../../models/ptx-6.0.cat");
    let own = read("ptx-6.0.cat", text);
    let changes = [
        (
            "let rec obs = (morally-strong & rf) | (obs; rmw; obs)",
            &[
                "let rec obs = (morally-strong & rf) | (obs; rmw; (morally-strong & rf))",
                "let rec obs = (morally-strong & rf) | ((morally-strong & rf); rmw; obs)",
                "let obs = (morally-strong & rf; rmw)*; (morally-strong & rf)",
                "let obs = (morally-strong & rf); (rmw; (morally-strong & rf))*",
            ][..],
        ),
        (
            "let cause-base = (po?; sw; po?)+",
            &[
                "let cause-base = (po?; sw)+; po?",
                "let rec cause-base = (po?; sw; po?) | (cause-base; (po?; sw; po?))",
            ],
        ),
        (
            "let pattern-rel = [W & release]; po-loc?; [W] | [F & release]; po; [W]",
            &["let pattern-rel = ([W & release]; (po & loc)? | [F & release]; po); [W]"],
        ),
    ];
    for (from, texts) in changes {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        for to in texts {
            let new = read("rewritten.cat", &text.replace(from, to));
            for (supposed, claimed) in [(&own, &new), (&new, &own)] {
                let (_, open) = compared(supposed, claimed);
                assert!(open.is_empty(), "{to}: {open:?}");
            }
        }
    }
}

#[test]
fn what_ptx_6_allows_today_s_isa_allows() {
    // Its axioms about cycles are within closures of axioms, which have no name.
    let (proved, open) = compared(&generic("ptx-6.0"), &generic("ptx-8"));
    assert!(open.is_empty(), "{open:?}");
    assert!(proved.len() >= 10 && proved.iter().any(|p| p == "SC-per-Location"), "{proved:?}");
    // With red it does not follow: a red forms no acquire pattern today.
    let (_, open) = compared(
        &read("red.cat", "PTX \"red\"\ninclude \"ptx-8.cat\""),
        &read("all.cat", "PTX \"all\"\ninclude \"ptx-6.0.cat\""),
    );
    assert!(open.iter().any(|o| o == "Coherence"), "{open:?}");
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn what_today_s_isa_allows_ptx_6_allows() {
    // The figure of the 2019 paper lets weak accesses observe and be observed in patterns; the
    // prose and the ISA do not.
    let whole = |model: &str| read("whole.cat", &format!("PTX \"whole\"\ninclude \"{model}.cat\""));
    let both = [
        (generic("ptx-8"), generic("ptx-6.0")),
        (whole("ptx-6.0-strong-patterns"), whole("ptx-6.0")),
    ];
    for (supposed, claimed) in &both {
        let (proved, open) = compared(supposed, claimed);
        assert!(open.is_empty(), "{open:?}");
        assert!(
            proved.iter().any(|p| p == "Coherence")
                && proved.iter().any(|p| p == "SC-per-Location"),
            "{proved:?}"
        );
    }
}

/// With red, other proxies and aliases as well: what it does not speak of are operations that PTX
/// 6.0 has not.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn without_asynchronous_operations_today_s_isa_allows_more() {
    let none = [
        "empty MBARRIER as No-Mbarriers",
        "empty async_issue | async_complete as No-Asynchronous-Operations",
    ];
    let without = |model: &str, none: &[&str]| {
        read(
            "synchronous.cat",
            &format!("PTX \"synchronous\"\ninclude \"{model}.cat\"\n{}", none.join("\n")),
        )
    };
    let (proved, open) = compared(&without("ptx-6.0", &none), &without("ptx-8", &[]));
    assert!(open.is_empty(), "{open:?}");
    assert!(
        ["Coherence-Order", "SC-per-Location", "Coherence", "Causality"]
            .iter()
            .all(|a| proved.iter().any(|p| p == a)),
        "{proved:?}"
    );
    // The reverse is false.
    let (_, open) = compared(&without("ptx-8", &none), &without("ptx-6.0", &[]));
    assert!(open.iter().any(|o| o == "Coherence"), "{open:?}");
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn an_axiom_less_is_no_theorem() {
    // Each axiom about cycles that is left out of what is supposed is not proved of the other
    // model.
    for (supposed, claimed) in [("ptx-6.0", "ptx-8"), ("ptx-8", "ptx-6.0")] {
        for axiom in ["No-Thin-Air", "SC-per-Location", "Coherence", "Causality"] {
            let mut supposed = generic(supposed);
            supposed.checks.retain(|c| c.display_name() != axiom);
            let (_, open) = compared(&supposed, &generic(claimed));
            assert!(open.iter().any(|o| o == axiom), "{axiom} of {claimed}: {open:?}");
        }
    }
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn a_pattern_less_is_no_theorem() {
    // Each form of a pattern of today's ISA that is taken away orders less than PTX 6.0 does.
    let isa = include_str!("../../../models/ptx-8.cat");
    let forms = [
        "=\n    [release-operation]\n  |",
        "| [release-operation]; (po & overlap); [W & strong]",
        "| [release-fence]; po; [W & strong]",
        "=\n    [acquire-operation]\n  |",
        "| [read-operation & strong]; (po & overlap); [acquire-operation]",
        "| [read-operation & strong]; po; [acquire-fence]",
    ];
    for form in forms {
        assert_eq!(isa.matches(form).count(), 1, "{form}");
        let only = "\nempty RED as No-RED\nempty M \\ GEN as Generic\nempty SUR | TEX | CON | ALIAS as No-Proxy\nempty F & SHARED as No-Fence-Of-A-Space\n\
                    empty (loc \\ vloc) | (vloc \\ loc) as One-Address";
        let (_, open) = compared(
            &read(
                "less.cat",
                &(isa.replace(form, if form.starts_with('=') { "=" } else { "" }) + only),
            ),
            &generic("ptx-6.0"),
        );
        assert!(open.iter().any(|o| o == "Coherence" || o == "Causality"), "{form}: {open:?}");
    }
}

/// Mbarriers are what the search of `diff` does not make, and PTX 6.0 has not: both models allow
/// executions that the other one forbids. Each is computed from its base sets and relations, and
/// has what is supposed and no more events than it needs.
#[test]
fn executions_with_what_no_search_makes_tell_models_apart() {
    let [old, new] = ["ptx-6.0", "ptx-8"]
        .map(|model| read("whole.cat", &format!("PTX \"whole\"\ninclude \"{model}.cat\"")));
    let all = |model: &Model| -> Vec<usize> { (0..model.checks.len()).collect() };
    for (supposed, claimed, has) in [(&old, &new, "MBARRIER"), (&new, &old, "ALIAS")] {
        let setting =
            Setting::of_models(supposed, claimed, &all(claimed)).expect("its axioms have rules");
        let report = prove(&setting, &StopSignal::default());
        let order =
            report.goals.iter().find(|g| g.name == "Coherence-Order").expect("both have it");
        let gap = order.gap.as_ref().expect("it is no theorem");
        let execution = gap.violated.as_ref().unwrap_or_else(|| panic!("{has}: {}", gap.what));
        assert!(
            gap.what.starts_with("a whole execution (3 events) satisfies all that is supposed"),
            "{}",
            gap.what
        );
        assert_eq!((execution.events, report.violated()), (3, Some(3)));
        execution
            .check(&setting.theory, &TheoryFormula::Const(true))
            .expect("all that is supposed is true of it");
        let pairs = |name: &str| {
            execution.atoms.iter().filter(|a| a.0 == name).map(|a| a.1).collect::<Vec<_>>()
        };
        let writes: Vec<usize> = pairs("W")
            .into_iter()
            .map(|e| e[0])
            .filter(|e| !pairs("IW").contains(&[*e, *e]))
            .collect();
        let [a, b] = writes[..] else { panic!("two writes of threads: {execution:?}") };
        assert!(
            pairs("loc").contains(&[a, b])
                && !pairs("co").iter().any(|c| c.contains(&a) && c.contains(&b)),
            "{execution:?}"
        );
        // Of the one pair today's ISA asks for an order though no scope includes the other thread,
        // of the other one PTX 6.0 does though the addresses differ.
        match has {
            "MBARRIER" => assert!(
                [a, b].iter().all(|&e| pairs(has).contains(&[e, e]))
                    && !pairs("po").contains(&[a, b])
            ),
            _ => assert!(
                !pairs("vloc").contains(&[a, b])
                    && (pairs("po").contains(&[a, b]) || pairs("po").contains(&[b, a]))
            ),
        }
    }
}

/// Barriers that synchronise in a circle are within every condition on executions, and no machine
/// makes them: they refute nothing.
#[test]
fn barriers_in_a_circle_are_no_execution() {
    let report = asked("ptx-6.0", "irreflexive cause-base");
    assert!(!report.is_theorem() && report.violated().is_none(), "{:?}", report.goals[0].gap);
    // What the search would find is found here, too, without events that are not needed.
    for property in ["empty rf \\ morally-strong", "acyclic po | rf | fr"] {
        let violated = asked("ptx-6.0", property).violated();
        assert!(
            violated.is_some_and(|events| (2..=4).contains(&events)),
            "{property}: {violated:?}"
        );
    }
}

/// Chains are as long as they need to be, and a recursive relation is as short: each of these has
/// an execution of two to four events, with what these need besides (initial writes, other halves).
#[test]
fn executions_without_a_property_are_found_by_chains_of_each_length() {
    let properties = [
        "empty cause-base \\ po",
        "empty cause-base \\ (po | rf)",
        "empty cause \\ cause-base",
        "acyclic po | rf",
        "acyclic co | po",
    ];
    let found = properties.map(|property| (property, asked("ptx-6.0", property).violated()));
    assert!(
        found.iter().all(|(_, violated)| violated.is_some_and(|events| (2..=8).contains(&events))),
        "{found:?}"
    );
}
