//! `diff`: dropped axioms are found, refactorings are equal, and enumeration says the same.

use std::collections::BTreeMap;

use margay_mappings::Backend;
use margay_mappings::check::{Level, Silent};
use margay_mappings::compare::{
    CompareOptions, CompareReport, ComparisonVerdict, Objection, RelationReason, Subjects, compare,
};
use margay_mappings::language::Mapping;
use margay_models::bits::{BitMatrix, Event};
use margay_models::diagnostic::SourceFile;
use margay_models::execution::{Execution, Kind as EventKind, Order};
use margay_models::judge::{Judge, judge};
use margay_models::library;
use margay_models::model::{CheckKind, Model, Role};
use margay_models::signature::{Construct, Signature, constructs};
use margay_models::typing::OnlyBuiltIn;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use crate::brute::{Search, each_execution, each_program, partial_orders};
use crate::invent::{Edit, edit};
use crate::setup::names;

fn shipped(name: &str) -> Model {
    library::load(name, &[]).unwrap_or_else(|e| panic!("{name}: {e:?}")).model
}

fn parsed(name: &str, text: &str) -> Model {
    Model::parse(SourceFile::new(name, text), &OnlyBuiltIn)
        .unwrap_or_else(|e| panic!("{text}\n{e:?}"))
        .model
}

/// Parts of a text and what they become.
type Replacements<'a> = &'a [(&'a str, &'a str)];

/// The shipped model with a part of its text replaced.
fn edited(name: &str, replacements: Replacements<'_>) -> Model {
    let mut text = shipped(name).source.text.clone();
    for (from, to) in replacements {
        assert!(text.contains(from), "{name} has no `{from}`");
        text = text.replace(from, to);
    }
    parsed("edited.cat", &text)
}

fn options(bound: usize) -> CompareOptions {
    let mut options = CompareOptions::new(bound);
    options.jobs = 2;
    options.backend = Backend::batsat();
    options
}

fn ask(old: &Model, new: &Model, options: &CompareOptions) -> CompareReport {
    compare(Subjects::Models(old, new), options, &Silent)
        .unwrap_or_else(|e| panic!("{} {}: {e:?}", old.name, new.name))
}

/// The size of the smallest difference of a kind, if there is one.
fn smallest(report: &CompareReport, kind: Objection, allows: usize) -> Option<usize> {
    let question = report.questions.iter().find(|q| (q.kind, q.allows) == (kind, allows))?;
    match &question.verdict {
        ComparisonVerdict::Different(events) => {
            assert!(
                !question.differences.is_empty()
                    && question.differences.iter().all(|d| d.events == *events)
            );
            Some(*events)
        }
        ComparisonVerdict::Equal => None,
        ComparisonVerdict::Undecided(why) => panic!("{why}"),
    }
}

/// The models, their axioms, and the number of events of the smallest execution that only this
/// axiom forbids.
const AXIOMS: [(&str, &str); 14] = [
    ("sc", "SC 2, Atomicity 3"),
    ("tso", "SC-per-Location 2, Causality 4, Atomicity 3"),
    ("ptx-6.0", PTX),
    ("ptx-6.0-any-fence", PTX),
    ("ptx-6.0-strong-patterns", PTX),
    ("ptx-8", PTX_8),
    (
        "ptx-2015",
        "coherence-is-total 2, sc-per-loc-llh 2, no-thin-air 6, cta-constraint 4, gl-constraint 4, sys-constraint 3, Atomicity 3",
    ),
    ("rmo", "sc-per-loc-llh 2, no-thin-air 6, rmo-constraint 3, Atomicity 3"),
    ("rc11", "Coherence 2, Atomicity 3, SC 4, No-Thin-Air 4"),
    ("rc11-lb", C),
    ("rc11-scoped", C),
    ("rc11-scoped-mo-atomic", C),
    ("c20", C),
    ("c20-scoped", C),
];
const C: &str = "Coherence 2, Atomicity 3, SC 4";
const PTX: &str = "Coherence-Order 2, Fence-SC-Order 2, Coherence 3, Fence-SC 2, Atomicity 3, No-Thin-Air 4, SC-per-Location 2, \
                   Causality 3";
/// As program order on one address is causality, SC-per-Location forbids by itself only cycles
/// through scopes that exclude. An alias is another address: only its dependency forbids a load to
/// read what is stored there because of it.
const PTX_8: &str = "Coherence-Order 2, Fence-SC-Order 2, Coherence 3, Fence-SC 2, Atomicity 3, No-Thin-Air 2, \
                     SC-per-Location 7, Causality 3";

/// Without an axiom a model allows more, and nothing less; the differences say that the axiom is
/// gone.
#[test]
fn every_axiom_is_missed() {
    // Models of architectures that are texts have their cases beside them (models/architectures).
    // Other readings of a text are held against the model that they differ from (models/readings,
    // litmus/tests/asynchronous.rs).
    let models = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let is_elsewhere = |name: &str| {
        ["architectures/{}.cat", "readings/{}.patch"]
            .iter()
            .any(|f| models.join(f.replace("{}", name)).exists())
    };
    let others = library::built_in_names().filter(|name| !is_elsewhere(name));
    assert_eq!(others.count(), AXIOMS.len());
    for (name, expected) in AXIOMS {
        let model = shipped(name);
        let mut found = Vec::new();
        for (index, check) in model.axioms() {
            let axiom = check.display_name();
            let mut without = model.clone();
            without.checks.remove(index);
            let mut options = options(7);
            options.first = true;
            if name == "ptx-8" && axiom == "SC-per-Location" {
                options.only = names("R.RLX,W.WEAK,W.RLX");
            }
            let report = ask(&model, &without, &options);
            let backward = report
                .questions
                .iter()
                .find(|q| (q.kind, q.allows) == (Objection::Forbidden, 0))
                .expect("it is asked");
            assert!(backward.by_text, "{name} without {axiom} forbids no more");
            let question = report
                .questions
                .iter()
                .find(|q| (q.kind, q.allows) == (Objection::Forbidden, 1))
                .expect("it is asked");
            let events = smallest(&report, Objection::Forbidden, 1)
                .unwrap_or_else(|| panic!("{name} needs no {axiom}"));
            for difference in &question.differences {
                assert_eq!(difference.violated, std::slice::from_ref(&axiom));
                let place = check.place.clone();
                assert_eq!(
                    difference.reasons,
                    [RelationReason::NoAxiom { name: axiom.clone(), forbids: place }]
                );
            }
            found.push(format!("{axiom} {events}"));
        }
        assert_eq!(found.join(", "), expected, "{name}");
    }
}

/// Other words for the same: renamed, reordered, split, inlined, closed forms.
#[test]
fn refactorings_are_equal() {
    let obs = (
        "let rec obs = (morally-strong & rf) | (obs; rmw; obs)",
        "let seen = morally-strong & rf let obs = seen; (rmw; seen)*",
    );
    let base = (
        "let cause-base = (po?; sw; po?)+",
        "let step = sw | po; sw | sw; po | po; sw; po let cause-base = step | step; step+",
    );
    let causality = (
        "irreflexive (rf | fr); cause as Causality",
        "irreflexive cause; rf as First irreflexive cause; rf^-1; co as Second",
    );
    let eco = ("let eco = (rf | mo | rb)+", "let eco = rf | mo | rb | mo; rf | rb; rf");
    let fence = (
        "let fence = po; [F]; po | [RMW]; po | po; [RMW]",
        "let fence = (po; [F | RMW]; po?) | (po?; [F | RMW]; po)",
    );
    let cases: [(&str, Replacements<'_>, usize); 5] = [
        ("ptx-6.0", &[obs, base, causality], 4),
        ("ptx-6.0", &[obs], 4),
        (
            "rc11-scoped",
            &[eco, ("let hb = (sb | (incl & sw))+", "let hb = sb | sb*; ((incl & sw); sb*)+")],
            4,
        ),
        (
            "ptx-8",
            &[(
                "let base-causality = (po | synchronizes | commits)+",
                "let rec base-causality = po | synchronizes | commits | base-causality; base-causality",
            )],
            3,
        ),
        // Not equal by definition alone: `[F]; po` and `po; [F]` are more, and no edge of the axiom
        // leads on from a fence.
        ("tso", &[fence], 5),
    ];
    for (name, replacements, bound) in cases {
        let report = ask(&shipped(name), &edited(name, replacements), &options(bound));
        assert!(!report.differ() && report.undecided().is_none(), "{name}: {replacements:?}");
        assert_eq!(report.equal_up_to(), Some(bound), "{name}: {replacements:?}");
    }
}

/// What differs in names alone is equal by its text, at every size; fixpoints too.
#[test]
fn renaming_is_equal_by_text() {
    for (name, from, to) in [
        ("ptx-6.0", "obs", "seen"),
        ("ptx-8", "observation", "o"),
        ("rc11-scoped", "eco", "e-c-o"),
        ("sc", "com", "c"),
    ] {
        let report = ask(&shipped(name), &edited(name, &[(from, to)]), &options(12));
        assert_eq!(report.equal_up_to(), None, "{name}");
        assert!(report.questions.iter().all(|q| q.by_text));
    }
}

/// The definition that an edit changed is named, with its line in both files.
#[test]
fn the_changed_definition_is_named() {
    let cases = [
        (
            "ptx-6.0",
            "[F & release]; po; [W]",
            "[F & release & SC]; po; [W]",
            "pattern-rel",
            "F.ACQ_REL;po;W.RLX",
        ),
        (
            "ptx-6.0",
            "let release = REL | ACQ_REL | SC",
            "let release = REL | SC",
            "release",
            "F.ACQ_REL",
        ),
        (
            "rc11-scoped",
            "[W & A]; ((incl & rf); rmw)*",
            "[W & A]",
            "rs",
            "W.REL;rf;R.RLX;rmw;W.RLX",
        ),
        ("tso", "po; [F]; po |", "", "fence", "W;po;F;po;R"),
    ];
    for (name, from, to, definition, relates) in cases {
        let mut options = options(6);
        options.first = true;
        options.most = 100;
        if name == "rc11-scoped" {
            options.without = names("F,R.SC,W.SC,RMW.SC");
        }
        if name.starts_with("ptx") {
            options.only = names("W.WEAK,W.RLX,R.WEAK,R.ACQ,R.RLX,F.ACQ_REL");
        }
        let report = ask(&shipped(name), &edited(name, &[(from, to)]), &options);
        let said: Vec<(&str, &str)> = report
            .questions
            .iter()
            .flat_map(|q| &q.differences)
            .flat_map(|d| &d.reasons)
            .filter_map(|r| match r {
                RelationReason::Definition { name, relates, forbids, allows, .. } => {
                    assert_eq!(forbids.line(), allows.line());
                    Some((name.as_str(), relates.as_str()))
                }
                _ => None,
            })
            .collect();
        assert!(said.contains(&(definition, relates)), "{name}: {said:?}");
        assert!(said.iter().all(|(name, _)| *name == definition), "{name}: {said:?}");
    }
}

/// A difference that no outcome shows is none for programs; one that outcomes show is.
#[test]
fn differences_of_programs() {
    // Fence-SC order that relates no fences forbids nothing by itself: each execution with an order
    // has one without.
    let order = (
        "empty ((SC * SC) & morally-strong) \\ (sync_fence | sync_fence^-1 | id) as Fence-SC-Order",
        "empty sync_fence as None",
    );
    let none = edited("ptx-6.0", &[order]);
    let all = edited(
        "ptx-6.0",
        &[(
            "empty ((SC * SC) & morally-strong) \\ (sync_fence | sync_fence^-1 | id) as Fence-SC-Order",
            "",
        )],
    );
    let mut options = options(4);
    options.only = names("R.WEAK,R.RLX,W.WEAK,W.RLX,F.SC");
    let executions = ask(&none, &all, &options);
    assert_eq!(smallest(&executions, Objection::Forbidden, 1), Some(2));
    options.level = Level::Program;
    let programs = ask(&none, &all, &options);
    assert!(!programs.differ() && programs.undecided().is_none(), "{:?}", programs.questions);
    // What Fence-SC is for: store buffering, of six events.
    let shipped = shipped("ptx-6.0");
    options.bound = 6;
    options.only = names("R.WEAK,W.WEAK,F.SC");
    options.first = true;
    let programs = ask(&shipped, &all, &options);
    assert_eq!(smallest(&programs, Objection::Forbidden, 1), Some(6));
    assert_eq!(smallest(&programs, Objection::Forbidden, 0), None);
}

/// The compiled form of a construct against its source: what the mapping loses, and what it gives
/// away.
#[test]
fn across_signatures() {
    let mapping = crate::setup::shipped("rc11-to-ptx-relaxed-acquire-load");
    let mut options = options(4);
    options.only = names("R.ACQ,R.NA,W.REL,W.NA");
    options.typed = true;
    let report =
        compare(Subjects::Mapping(&mapping), &options, &Silent).expect("it can be compared");
    // As `check` says (Fig. 11 with a relaxed load); and the published PTX allows less than RC11
    // does.
    assert_eq!(smallest(&report, Objection::Forbidden, 1), Some(4));
    assert!(
        report
            .questions
            .iter()
            .all(|q| q.differences.iter().all(|d| d.executions[0].signature == Signature::C))
    );
}

#[test]
fn what_cannot_be_compared() {
    let said = |old: &str, new: &str, options: &CompareOptions| -> Vec<String> {
        let (old, new) = (shipped(old), shipped(new));
        let errors = compare(Subjects::Models(&old, &new), options, &Silent)
            .expect_err("it cannot be compared");
        errors.iter().map(|e| e.message.clone()).collect()
    };
    assert_eq!(
        said("rc11-lb", "ptx-6.0", &options(3)),
        [
            "`rc11-lb` is a model of C executions and `ptx-6.0` one of PTX executions: they have none in common"
        ]
    );
    assert_eq!(said("sc", "tso", &options(0)), ["a bound of 0 events compares nothing"]);
    assert_eq!(
        said("sc", "tso", &options(99)),
        ["a bound of 99 events is out of reach; the largest is 12"]
    );
    let mut contradictory = options(3);
    contradictory.only = names("R,W");
    contradictory.without = names("R,W");
    assert_eq!(
        said("sc", "tso", &contradictory),
        ["--only and --without leave no construct to make programs of"]
    );
    contradictory.only = names("R.ACQ");
    contradictory.without = Vec::new();
    assert_eq!(said("sc", "tso", &contradictory), ["the source language has no construct `R.ACQ`"]);
}

/// The listed differences are the same for any number of jobs.
#[test]
fn jobs_do_not_matter() {
    let (old, new) = (shipped("ptx-2015"), shipped("ptx-6.0"));
    let report = |jobs: usize| {
        let mut options = options(4);
        options.jobs = jobs;
        options.most = 20;
        format!("{:?}", ask(&old, &new, &options).questions)
    };
    assert_eq!(report(1), report(2));
}

/// Each listed difference is weakest: the judge finds none among the executions one step weaker
/// (orders, dependencies, edges).
#[test]
fn listed_differences_are_weakest() {
    let old = shipped("ptx-6.0");
    let new = edited(
        "ptx-6.0",
        &[("irreflexive (rf | fr); cause as Causality", "irreflexive rf; cause as Causality")],
    );
    let mut options = options(4);
    options.most = 100;
    let report = ask(&old, &new, &options);
    let question = report
        .questions
        .iter()
        .find(|q| (q.kind, q.allows) == (Objection::Forbidden, 1))
        .expect("it is asked");
    assert!(!question.more && !question.differences.is_empty());
    let differs = |x: &Execution| judge(&new, x).consistent && !judge(&old, x).consistent;
    for difference in &question.differences {
        let x = &difference.executions[0];
        assert!(differs(x));
        for e in 0..x.size() {
            for order in [Order::Plain, Order::Rlx, Order::Acq, Order::Rel, Order::AcqRel] {
                let mut weaker = x.clone();
                let data = &mut weaker.events[e];
                let fence = data.kind == EventKind::Fence;
                if data.thread.is_none()
                    || order == data.order
                    || !order.is_at_most(data.order)
                    || (fence && order <= Order::Rlx)
                {
                    continue;
                }
                data.order = order;
                data.scope = data.scope.filter(|_| order != Order::Plain);
                let in_rmw = x.rmw.pairs().any(|(r, w)| [r.index(), w.index()].contains(&e));
                let no_such_write = data.kind == EventKind::Write && order == Order::Acq;
                assert!(
                    in_rmw || no_such_write || !differs(&weaker),
                    "event {e} of {x:?} may be {order:?}"
                );
            }
        }
    }
}

/// By enumeration: the smallest number of events of an execution that each of the models allows and
/// the other forbids (or calls undefined), newly allowed first.
fn enumerated(models: [&Model; 2], only: &[Construct], bound: usize) -> Vec<Option<usize>> {
    let [old, new] = models;
    let mapping = Mapping {
        title: String::new(),
        file: SourceFile::new("none", ""),
        // Programs have scopes if one of the models looks at them.
        source: if new.is_scoped() { new.clone() } else { old.clone() },
        target: new.clone(),
        rows: Vec::new(),
        about: Default::default(),
    };
    let search = Search { mapping: &mapping, constructs: only, typed: false };
    let mut judges = models.map(Judge::new);
    let undefined = |model: &Model, holds: &[bool]| {
        model.checks.iter().zip(holds).any(|(check, &holds)| match check.role {
            Role::UndefinedUnless => !holds,
            Role::Flag => check.negated && check.kind == CheckKind::Empty && holds,
            Role::Axiom | Role::Assert | Role::Race => false,
        })
    };
    let mut found = vec![None; 4];
    for events in 1..=bound {
        each_program(&search, events, &mut |program| {
            each_execution(old.signature, program, &mut |execution| {
                for execution in variants(execution) {
                    let [a, b] = [0, 1].map(|i| judges[i].judge(&execution));
                    let [x, y] = [(old, &a), (new, &b)].map(|(m, j)| undefined(m, &j.holds));
                    let both = a.consistent && b.consistent;
                    let answers = [
                        b.consistent && !a.consistent,
                        a.consistent && !b.consistent,
                        both && x && !y,
                        both && y && !x,
                    ];
                    for (slot, _) in
                        found.iter_mut().zip(answers).filter(|(slot, yes)| *yes && slot.is_none())
                    {
                        *slot = Some(events);
                    }
                }
                true
            })
        });
    }
    found
}

/// The same for outcomes: what every read reads and which write each location ends with, of
/// executions that neither model calls undefined. Coherence order is total.
fn enumerated_outcomes(
    models: [&Model; 2],
    only: &[Construct],
    bound: usize,
) -> Vec<Option<usize>> {
    let mapping = Mapping {
        title: String::new(),
        file: SourceFile::new("none", ""),
        source: models[usize::from(models[1].is_scoped())].clone(),
        target: models[1].clone(),
        rows: Vec::new(),
        about: Default::default(),
    };
    let search = Search { mapping: &mapping, constructs: only, typed: false };
    let mut judges = models.map(Judge::new);
    let mut found = vec![None; 2];
    for events in 1..=bound {
        each_program(&search, events, &mut |program| {
            // Of each outcome: is it allowed, and by an execution that is defined in both?
            let mut outcomes: BTreeMap<Vec<(Event, Event)>, [[bool; 2]; 2]> = BTreeMap::new();
            each_execution(models[0].signature, program, &mut |execution| {
                let judgements = [0, 1].map(|i| judges[i].judge(execution));
                let defined = (0..2).all(|i| {
                    let mut checks = models[i].checks.iter().zip(&judgements[i].holds);
                    !checks.any(|(c, &h)| {
                        c.role == Role::Flag && c.negated && c.kind == CheckKind::Empty && h
                    })
                });
                let last = |e: &Event| {
                    execution.events[e.index()].kind == EventKind::Write
                        && execution.co.row(*e).is_empty()
                };
                let finals = (0..execution.size()).map(Event::from).filter(last).map(|e| (e, e));
                let seen =
                    outcomes.entry(execution.rf.pairs().chain(finals).collect()).or_default();
                for i in 0..2 {
                    seen[i][0] |= judgements[i].consistent;
                    seen[i][1] |= judgements[i].consistent && defined;
                }
                true
            });
            for [old, new] in outcomes.values() {
                for (slot, yes) in found.iter_mut().zip([new[1] && !old[0], old[1] && !new[0]]) {
                    if yes && slot.is_none() {
                        *slot = Some(events);
                    }
                }
            }
            true
        });
    }
    found
}

/// The execution with every coherence order and Fence-SC order that its signature has.
pub fn variants(execution: &Execution) -> Vec<Execution> {
    if execution.signature != Signature::PTX {
        return vec![execution.clone()];
    }
    let n = execution.size();
    let is_init = |e: Event| execution.events[e.index()].kind == EventKind::Init;
    let fixed: Vec<(Event, Event)> = execution.co.pairs().filter(|&(a, _)| is_init(a)).collect();
    let free: Vec<(usize, usize)> = execution
        .co
        .pairs()
        .filter(|&(a, _)| !is_init(a))
        .map(|(a, b)| (a.index(), b.index()))
        .collect();
    let fences: Vec<usize> = (0..n)
        .filter(|&e| {
            execution.events[e].kind == EventKind::Fence && execution.events[e].order == Order::Sc
        })
        .collect();
    let between: Vec<(usize, usize)> = fences
        .iter()
        .flat_map(|&a| fences.iter().filter(move |&&b| a != b).map(move |&b| (a, b)))
        .collect();
    let events = |pairs: &[(usize, usize)]| {
        pairs.iter().map(|&(a, b)| (Event::from(a), Event::from(b))).collect::<Vec<_>>()
    };
    let mut out = Vec::new();
    for co in partial_orders(&free) {
        for order in partial_orders(&between) {
            let mut changed = execution.clone();
            changed.co = BitMatrix::from_pairs(n, fixed.iter().copied().chain(events(&co)));
            changed.sync_fence = BitMatrix::from_pairs(n, events(&order));
            out.push(changed);
        }
    }
    out
}

/// Two edits of a shipped model, and few constructs. Enumeration makes no dependencies, so the
/// axioms about them go.
fn pair() -> impl Strategy<Value = (&'static str, Edit, Edit, Vec<Construct>)> {
    let names = vec!["sc", "tso", "rc11-lb", "rc11-scoped", "c20-scoped", "ptx-6.0", "ptx-6.0"];
    select(names).prop_flat_map(|name| {
        let signature = shipped(name).signature;
        (
            Just(name),
            edit(signature, false),
            edit(signature, false),
            subsequence(constructs(signature), 1..=3),
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn enumeration_finds_the_same((name, old, new, only) in pair()) {
        let mut models = [old, new].map(|edit| edit.apply(&shipped(name)));
        for model in &mut models {
            model.checks.retain(|c| c.display_name() != "No-Thin-Air");
        }
        let scopes = if models.iter().any(Model::is_scoped) { 3 } else { 1 };
        let operations: usize = only.iter().map(|c| if c.has_scope(models[0].signature) { scopes } else { 1 }).sum();
        let bound = if operations <= 3 { 3 } else { 2 };
        let mut options = options(bound);
        options.only = only.iter().map(|c| c.name(models[0].signature)).collect();
        options.most = 2;
        let report = ask(&models[0], &models[1], &options);
        let found: Vec<Option<usize>> = [(Objection::Forbidden, 1), (Objection::Forbidden, 0), (Objection::Undefined, 1), (Objection::Undefined, 0)]
            .into_iter()
            .map(|(kind, allows)| smallest(&report, kind, allows))
            .collect();
        prop_assert_eq!(found, enumerated([&models[0], &models[1]], &only, bound));

        // Outcomes are the same question with coherence order forgotten.
        if models[0].signature.total_coherence() {
            options.level = Level::Program;
            let report = ask(&models[0], &models[1], &options);
            let found: Vec<Option<usize>> = [1, 0].map(|allows| smallest(&report, Objection::Forbidden, allows)).to_vec();
            prop_assert_eq!(found, enumerated_outcomes([&models[0], &models[1]], &only, bound));
        }
    }
}
