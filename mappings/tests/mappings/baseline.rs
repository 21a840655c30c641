//! What is new beside a baseline, held against counterexamples that are compiled by the baseline
//! one by one; and two tables row by row.

use std::sync::Arc;

use margay_mappings::certificate::{
    self, CertifiedLesson, HeldSearchTexts, MappingDocument, MappingSubject, Text,
};
use margay_mappings::change::{CounterexamplePool, OutcomePermission};
use margay_mappings::check::{Baseline, CheckOptions, CheckReport, CheckVerdict, Silent, check};
use margay_mappings::language::{LoadOptions, Mapping, difference, load_text};
use margay_mappings::library;
use margay_models::diagnostic::SourceFile;

use crate::setup::shipped;

fn new_of(mapping: &Mapping, baseline: &Mapping, bound: usize) -> CheckReport {
    let options = CheckOptions {
        baseline: Some(Arc::new(Baseline::new(mapping, baseline))),
        ..CheckOptions::new(bound)
    };
    check(mapping, &options, &Silent).expect("the options fit")
}

fn table(text: &str) -> Mapping {
    named("table.map", text)
}

fn named(name: &str, text: &str) -> Mapping {
    let options = LoadOptions { shipped: Some(library::built_in), ..LoadOptions::default() };
    load_text(&SourceFile::new(name, text), None, &options).expect("it is complete").mapping
}

/// A smallest counterexample is new if and only if the baseline compiles the program of some
/// smallest one to what does not have its outcome.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn a_counterexample_is_new_if_the_baseline_mends_it() {
    let names = [
        "rc11-to-ptx",
        "rc11-to-ptx-no-fence-sc-load",
        "rc11-to-ptx-relaxed-acquire-load",
        "rc11-to-ptx-relaxed-release-store",
        "rc11-to-ptx-cta-release-store",
        "rc11-to-ptx-weak-relaxed-load",
        "rc11-to-ptx-no-acquire-fence",
    ];
    let (mut new, mut old) = (0, 0);
    for name in names {
        let mapping = shipped(name);
        let all =
            check(&mapping, &CheckOptions { all: Some(1000), ..CheckOptions::new(4) }, &Silent)
                .expect("the options fit");
        for other in names {
            let baseline = shipped(other);
            let report = new_of(&mapping, &baseline, 4);
            let mut pool = CounterexamplePool::new(&baseline);
            let standings: Vec<OutcomePermission> = all
                .counterexamples
                .iter()
                .map(|c| {
                    let index = pool.add(&baseline, c.clone()).expect("it has rows");
                    pool.standing(&baseline, index)
                })
                .collect();
            // What is found is new.
            for c in &report.counterexamples {
                let index = pool.add(&baseline, c.clone()).expect("it has rows");
                assert_eq!(
                    pool.standing(&baseline, index),
                    OutcomePermission::Mended,
                    "{name} beside {other}"
                );
            }
            let size = all.counterexamples.first().map_or(5, |c| c.events);
            if standings.contains(&OutcomePermission::Mended) {
                assert_eq!(report.verdict, CheckVerdict::Counterexample, "{name} beside {other}");
                assert_eq!(
                    report.foremost().expect("it is found").events,
                    size,
                    "{name} beside {other}"
                );
                new += 1;
            } else if !all.truncated {
                assert!(
                    report.established >= size.min(4),
                    "{name} beside {other}: {:?}",
                    report.verdict
                );
                old += 1;
            }
        }
        assert_eq!(
            new_of(&mapping, &mapping, 4).verdict,
            CheckVerdict::None,
            "{name} beside itself"
        );
    }
    assert!(new >= 20 && old >= 9, "{new} new, {old} old");
}

/// Where the baseline goes wrong for some types alone, the same program is new for the others,
/// though no row of the mapping tells them apart.
#[test]
fn what_goes_wrong_for_more_types_is_new() {
    const HEADER: &str = "mapping from rc11-scoped to ptx-6.0\nextends rc11-to-ptx\ntypes b8 b32\n";
    let narrow = table(&format!("{HEADER}R.ACQ.s => ld.acquire.s\nR.ACQ.s b8 => ld.relaxed.s\n"));
    let wide = table(&format!("{HEADER}R.ACQ.s => ld.relaxed.s\n"));
    assert_eq!(new_of(&wide, &narrow, 4).verdict, CheckVerdict::Counterexample);
    assert_eq!(new_of(&narrow, &wide, 4).verdict, CheckVerdict::None);
}

/// So it is with scopes, although the mapping passes them on.
#[test]
fn what_goes_wrong_at_more_scopes_is_new() {
    const HEADER: &str = "mapping from rc11-scoped to ptx-6.0\nextends rc11-to-ptx\n";
    let block = table(&format!("{HEADER}R.ACQ.cta => ld.relaxed.cta\n"));
    let all = table(&format!("{HEADER}R.ACQ.s => ld.relaxed.s\n"));
    assert_eq!(new_of(&all, &block, 4).verdict, CheckVerdict::Counterexample);
    assert_eq!(new_of(&block, &all, 4).verdict, CheckVerdict::None);
}

/// A compare-exchange that fails and reads as a load does is searched as that load, but for
/// baselines where it does not.
#[test]
fn a_failing_compare_exchange_is_told_from_a_load() {
    const HEADER: &str = "mapping from rc11-scoped to ptx-6.0\nextends rc11-to-ptx\nCAS_FAIL.RLX.s => atom.relaxed.s\nCAS_FAIL.SC.s => fence.sc.s ; atom.acquire.s\n";
    let load = "R.ACQ.s => ld.relaxed.s\n";
    let old = table(&format!("{HEADER}{load}CAS_FAIL.ACQ.s => atom.acquire.s\n"));
    let new = table(&format!("{HEADER}{load}CAS_FAIL.ACQ.s => atom.relaxed.s\n"));
    let report = new_of(&new, &old, 4);
    assert_eq!(report.verdict, CheckVerdict::Counterexample);
    assert!(report.foremost().expect("it is found").source.events.iter().any(|e| e.compare));
    assert_eq!(new_of(&old, &new, 4).verdict, CheckVerdict::None);
}

/// A row that the baseline does not have says nothing, and what goes wrong with it is new.
#[test]
fn what_the_baseline_does_not_know_is_new() {
    const HEADER: &str = "mapping from rc11-scoped to ptx-6.0\nextends rc11-to-ptx\n";
    let unknown = table(&format!("{HEADER}R.ACQ.s => other \"a lock\"\n"));
    let wrong = table(&format!("{HEADER}R.ACQ.s => ld.relaxed.s\n"));
    assert_eq!(new_of(&wrong, &unknown, 4).verdict, CheckVerdict::Counterexample);
}

#[test]
fn tables_differ_in_rows() {
    const HEADER: &str = "mapping from rc11-scoped to ptx-6.0\nextends rc11-to-ptx\n";
    let base = table(HEADER);
    let said = |text: &str| {
        let found = difference(&base, &table(&format!("{HEADER}{text}"))).expect("of one language");
        let rows = found.rows.iter().map(|r| format!("{}: {} -> {}", r.head, r.old, r.new));
        rows.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(said(""), "");
    // A change of every scope is said once, whether the scope is passed on or not.
    assert_eq!(said("R.ACQ.s => ld.relaxed.s\n"), "R.ACQ.s: ld.acquire.s -> ld.relaxed.s");
    assert_eq!(
        said("R.ACQ.t => ld.acquire.sys\n"),
        "R.ACQ.cta, R.ACQ.gpu: ld.acquire.s -> ld.acquire.sys"
    );
    let each =
        "R.ACQ.cta => ld.relaxed.cta\nR.ACQ.gpu => ld.relaxed.gpu\nR.ACQ.sys => ld.relaxed.sys\n";
    assert_eq!(said(each), "R.ACQ.s: ld.acquire.s -> ld.relaxed.s");
    // Rows for each scope that say what the row for all says are no difference.
    assert_eq!(said("R.ACQ.cta => ld.acquire.cta\n"), "");
    assert_eq!(
        said("R.ACQ.gpu => ld.relaxed.gpu\n"),
        "R.ACQ.gpu: ld.acquire.gpu -> ld.relaxed.gpu"
    );
    assert_eq!(
        said("RMW.ACQ.s b8 => absent \"why\"\nRMW.ACQ.s => atom.acquire.s\n"),
        "RMW.ACQ.s b8: atom.acquire.s -> absent \"why\""
    );
    // Programs have no other types and operations than rows name and those that there always are.
    assert_eq!(
        said("RMW.ACQ.s add max b8 b16 => other \"a loop\"\nRMW.ACQ.s => atom.acquire.s\n"),
        "RMW.ACQ.s add max b8 b16: atom.acquire.s -> other \"a loop\""
    );
    let nand = said("RMW.ACQ.s nand => other \"a loop\"\nRMW.ACQ.s => atom.acquire.s\n");
    assert!(
        nand.contains("RMW.ACQ.s nand: no row -> other \"a loop\"")
            && !nand.contains("RMW.ACQ.s add"),
        "{nand}"
    );
    // The order of alternatives says nothing.
    assert_eq!(
        said("W.SC.s => fence.sc.s ; st.release.s or st.release.s\n"),
        "W.SC.s: fence.sc.s ; st.release.s -> fence.sc.s ; st.release.s or st.release.s"
    );
}

/// Every pair of tables that differ in two rows: what is new is what some counterexample of the
/// whole list is that the baseline mends, and it has the size of the smallest such.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn pairs_of_tables_agree_with_the_list_of_all() {
    let acquire = [
        "ld.acquire.s",
        "ld.relaxed.s",
        "ld.relaxed.s ; fence.acquire.s",
        "ld.relaxed.s or ld.acquire.s",
    ];
    let release = [
        "st.release.s",
        "st.relaxed.s",
        "st.relaxed.s or fence.release.s ; st.relaxed.s",
        "fence.release.s ; st.relaxed.s",
    ];
    // Those that fail are in no list of a table that makes loads of them.
    let failing =
        ["RLX", "ACQ", "SC"].map(|order| format!("CAS_FAIL.{order}.s => absent\n")).concat();
    let mut tables = Vec::new();
    for acquire in acquire {
        for release in release {
            tables.push(table(&format!(
                "mapping from rc11-scoped to ptx-6.0\nextends rc11-to-ptx\nscopes gpu\n{failing}R.ACQ.s => {acquire}\nW.REL.s => {release}\n"
            )));
        }
    }
    let only = ["R.NA", "W.NA", "R.ACQ", "W.REL"].map(str::to_owned).to_vec();
    let asked = |baseline: Option<&Mapping>, mapping: &Mapping, all: Option<usize>| {
        let baseline = baseline.map(|baseline| Arc::new(Baseline::new(mapping, baseline)));
        let options =
            CheckOptions { baseline, all, ..CheckOptions::new(4) }.with(|o| o.only = only.clone());
        check(mapping, &options, &Silent).expect("the options fit")
    };
    let (mut new, mut old) = (0, 0);
    for (i, mapping) in tables.iter().enumerate() {
        let all = asked(None, mapping, Some(10_000));
        assert!(!all.truncated, "the list is whole");
        for (j, baseline) in tables.iter().enumerate().filter(|(j, _)| (i + j) % 2 == 0) {
            let mut pool = CounterexamplePool::new(baseline);
            let mends = all.counterexamples.iter().any(|c| {
                let index = pool.add(baseline, c.clone()).expect("it has rows");
                pool.standing(baseline, index) == OutcomePermission::Mended
            });
            let report = asked(Some(baseline), mapping, None);
            let what = format!(
                "{} of {} ({}) beside {}: {mends}",
                i,
                mapping.title,
                all.counterexamples.len(),
                j
            );
            match mends {
                true => assert_eq!(report.verdict, CheckVerdict::Counterexample, "{what}"),
                // The list has those of the smallest size.
                false => {
                    assert!(
                        report.verdict == CheckVerdict::None || all.counterexamples[0].events < 4,
                        "{what}: {:?}",
                        report.verdict
                    )
                }
            }
            new += usize::from(mends);
            old += usize::from(!mends);
        }
    }
    assert!(new >= 15 && old >= 15, "{new} new, {old} old");
}

/// Two tables of one scope that go wrong with an acquire load that is relaxed, with this row
/// besides; what they make of stores has other numbers of events.
fn two_that_go_wrong(row: &str) -> [Mapping; 2] {
    let header = format!(
        "mapping from rc11-scoped to ptx-6.0\nextends rc11-to-ptx\nscopes gpu\nR.ACQ.s => ld.relaxed.s\n{row}"
    );
    [
        named("new.map", &format!("{header}W.REL.s => fence.acq_rel.s ; st.relaxed.s\n")),
        named("old.map", &header),
    ]
}

/// A single execution is new if what the baseline makes of it is no legal execution; so each is new
/// whose outcome the baseline does not have.
#[test]
fn single_executions_are_new_if_the_baseline_forbids_them() {
    let asked = |mapping: &Mapping, baseline: Option<&Mapping>, all: Option<usize>| {
        let baseline = baseline.map(|baseline| Arc::new(Baseline::new(mapping, baseline)));
        let options = CheckOptions { baseline, all, ..CheckOptions::published(4) };
        check(
            mapping,
            &options
                .with(|o| o.only = ["R.NA", "W.NA", "R.ACQ", "W.REL"].map(str::to_owned).to_vec()),
            &Silent,
        )
    };
    let [fenced, plain] = two_that_go_wrong("");
    let of_one_scope = |row: &str| {
        table(&format!(
            "mapping from rc11-scoped to ptx-6.0\nextends rc11-to-ptx\nscopes gpu\n{row}"
        ))
    };
    let (fig11, stores) = (of_one_scope(""), of_one_scope("W.REL.s => st.relaxed.s\n"));
    let (mut new, mut old) = (0, 0);
    for mapping in [&fenced, &plain, &stores] {
        let all = asked(mapping, None, Some(1000)).expect("the options fit");
        assert!(!all.truncated && !all.counterexamples.is_empty(), "{}", mapping.title);
        for baseline in [&fenced, &plain, &stores, &fig11] {
            let report = asked(mapping, Some(baseline), None).expect("the options fit");
            let mut pool = CounterexamplePool::new(baseline);
            let mended = all.counterexamples.iter().any(|c| {
                let index = pool.add(baseline, c.clone()).expect("it has rows");
                pool.standing(baseline, index) == OutcomePermission::Mended
            });
            let what = format!("{} beside {}", mapping.title, baseline.title);
            if mended {
                assert_eq!(report.verdict, CheckVerdict::Counterexample, "{what}");
            }
            new += usize::from(mended);
            old += usize::from(report.verdict == CheckVerdict::None);
        }
        assert_eq!(
            asked(mapping, Some(mapping), None).expect("the options fit").verdict,
            CheckVerdict::None
        );
    }
    assert_eq!(
        asked(&fenced, Some(&plain), None).expect("the options fit").verdict,
        CheckVerdict::None
    );
    assert!(
        asked(&fenced, Some(&plain), None).expect("the options fit").old > 0,
        "some are met that both have"
    );
    assert!(new >= 5 && old >= 4, "{new} new, {old} old");

    // Where the baseline may emit one of several, or a load writes back, the source's execution
    // alone does not say which of its executions it is.
    for row in ["R.ACQ.s => ld.relaxed.s or ld.acquire.s\n", "R.ACQ.s => atom.relaxed.s\n"] {
        let baseline = of_one_scope(row);
        let refused = asked(&plain, Some(&baseline), None).expect_err("it cannot be said");
        assert!(
            refused[0].message.contains("which single executions are new")
                && refused[0].help.is_some(),
            "{refused:?}"
        );
    }
}

/// A certificate that there is nothing new names the baseline; it is accepted, and not for another
/// baseline, nor with what the baseline does not allow.
#[test]
fn that_nothing_is_new_is_certified() {
    let folder = std::env::temp_dir().join(format!("margay-baseline-{}", std::process::id()));
    let seen = |change: &dyn Fn(&mut MappingDocument)| {
        let document = certificate::read(&folder).expect("it was written");
        let mut other = document.clone();
        change(&mut other);
        certificate::seal(&other, &folder).expect("there is room");
        let said =
            margay_mappings::verify(&other, &folder, &HeldSearchTexts::default(), (1, &Silent));
        certificate::seal(&document, &folder).expect("there is room");
        said.map(|_| other != document)
            .map_err(|errors| errors.iter().map(|e| e.message.clone()).collect::<String>())
    };
    let lessons = |document: &MappingDocument| -> Vec<CertifiedLesson> {
        let cases = document.bounds.iter().flat_map(|entry| &entry.cases);
        cases.flat_map(|case| &case.answers).flat_map(|answer| answer.learned.clone()).collect()
    };
    let back = two_that_go_wrong("R.RLX.s => atom.relaxed.s\n");
    let few = ["R.RLX", "R.ACQ", "W.REL", "W.NA"].map(str::to_owned).to_vec();
    for ([mapping, baseline], only, bound) in
        [(two_that_go_wrong(""), Vec::new(), 4), (back, few, 4)]
    {
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("there is room");
        let beside = Some(Arc::new(Baseline::new(&mapping, &baseline)));
        let options = CheckOptions {
            baseline: beside,
            certify: Some(folder.clone()),
            ..CheckOptions::new(bound)
        }
        .with(|o| o.only = only.clone());
        let report = check(&mapping, &options, &Silent).expect("the options fit");
        assert_eq!(report.verdict, CheckVerdict::None);
        assert_eq!(report.certified.expect("it is written").claims[0].none_up_to, bound);
        let learned = lessons(&certificate::read(&folder).expect("it was written"));
        let of_baseline = |l: &&CertifiedLesson| {
            matches!(l, CertifiedLesson::Old { .. } | CertifiedLesson::Outcome(_))
        };
        assert_eq!(
            learned.iter().filter(of_baseline).count(),
            report.old,
            "each that both have is in it"
        );
        assert!(report.old > 0);
        assert_eq!(seen(&|_| {}), Ok(false));
        // Figure 11 has no counterexample: beside it each is new.
        let fig11 = Text::of(&shipped("rc11-to-ptx").file);
        let of = |text: Option<Text>| {
            move |document: &mut MappingDocument| {
                let MappingSubject::Check { baseline, .. } = &mut document.subject else {
                    panic!("it is of a check")
                };
                baseline.clone_from(&text);
            }
        };
        assert!(seen(&of(Some(fig11))).is_err());
        assert!(seen(&of(None)).is_err());
        let first = |to: &dyn Fn(&CertifiedLesson) -> CertifiedLesson| {
            seen(&|document| {
                let answers = document
                    .bounds
                    .iter_mut()
                    .flat_map(|e| &mut e.cases)
                    .flat_map(|c| &mut c.answers);
                let mut learned =
                    answers.flat_map(|a| &mut a.learned).filter(|l| of_baseline(&&**l));
                let lesson = learned.next().expect("something was met");
                *lesson = to(lesson);
            })
        };
        // Another alternative than there is, atoms that the case has not, and orders of nothing.
        for (variant, related, fences) in
            [(99, vec![], vec![]), (0, vec![(900, 901)], vec![]), (0, vec![], vec![(7, 7)])]
        {
            let said = first(&|_| CertifiedLesson::Old {
                variant,
                related: related.clone(),
                fences: fences.clone(),
            });
            assert!(said.is_err(), "{variant} {related:?} {fences:?}");
        }
        // An execution in which nothing reads: the baseline has no such outcome.
        let unread = |lesson: &CertifiedLesson| {
            let mut text = serde_json::to_value(lesson).expect("it has a JSON form");
            for relation in text["outcome"]
                .as_array_mut()
                .into_iter()
                .flatten()
                .filter(|relation| relation[0] == "rf")
            {
                relation[2] = serde_json::Value::Array(Vec::new());
            }
            serde_json::from_value(text).expect("a lesson")
        };
        let has_outcomes = learned.iter().any(|l| matches!(l, CertifiedLesson::Outcome(_)));
        assert_eq!(
            has_outcomes,
            !only.is_empty(),
            "what loads write back is asked of the engine for litmus tests"
        );
        assert!(!has_outcomes || first(&unread).is_err());
    }
    let _ = std::fs::remove_dir_all(&folder);
}

/// What was answered is kept, and is not taken for an answer beside another baseline.
#[test]
fn what_is_new_is_kept() {
    let folder = std::env::temp_dir().join(format!("margay-baseline-kept-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let [fenced, plain] = two_that_go_wrong("");
    let asked = |baseline: &Mapping| {
        let beside = Some(Arc::new(Baseline::new(&fenced, baseline)));
        let options = CheckOptions {
            baseline: beside,
            checkpoint: Some(folder.clone()),
            ..CheckOptions::new(4)
        };
        check(&fenced, &options, &Silent).expect("the options fit")
    };
    let first = asked(&plain);
    let files = || walk(&folder);
    let (kept, times) = (files().len(), files());
    let second = asked(&plain);
    assert!(kept > 0 && times == files(), "nothing is solved again");
    let said = |report: &CheckReport| (report.verdict.clone(), report.established, report.old);
    assert_eq!(said(&first), said(&second));
    assert_eq!(first.verdict, CheckVerdict::None);
    assert_eq!(asked(&shipped("rc11-to-ptx")).verdict, CheckVerdict::Counterexample);
    assert!(files().len() > kept, "another baseline is another question");
    let _ = std::fs::remove_dir_all(&folder);
}

/// The files of a folder, each with the time of its last change.
fn walk(folder: &std::path::Path) -> Vec<(std::path::PathBuf, std::time::SystemTime)> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).expect("it is there").flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => out.extend(walk(&path)),
            false => out
                .push((path, entry.metadata().and_then(|m| m.modified()).expect("it has a time"))),
        }
    }
    out.sort();
    out
}
