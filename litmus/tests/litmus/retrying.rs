//! Loops that try again: few rounds show what any number of them does. Held against brute force,
//! which goes round up to three times.

use std::collections::BTreeSet;

use margay_litmus::explicit::{ExplicitRunner, Options};
use margay_litmus::read;
use margay_litmus::test::{Test, Variable};
use margay_litmus::unfold::{RetryRounds, UnfoldingBounds};
use margay_models::diagnostic::SourceFile;
use margay_models::library;
use margay_models::model::Model;
use margay_models::typing::FilesThenBuiltIn;
use proptest::prelude::*;
use proptest::sample::select;

/// Of random programs.
const CASES: u32 = 48;

fn test(text: &str) -> Test {
    read::test(&SourceFile::new("t", text)).unwrap_or_else(|e| panic!("{}\n{text}", e[0])).test
}

fn options(unroll: usize, retries: RetryRounds) -> Options {
    Options {
        bounds: UnfoldingBounds { unroll, retries, ..UnfoldingBounds::default() },
        ..Options::default()
    }
}

/// `ptx-8`, and which executions have a race.
fn races() -> Model {
    let text = include_str!("../../../kernel/races.cat");
    Model::parse(SourceFile::new("races.cat", text), &FilesThenBuiltIn).unwrap().model
}

fn finals(text: &str, unroll: usize, retries: RetryRounds) -> (BTreeSet<Vec<i64>>, bool) {
    let test = test(text);
    let variables: Vec<Variable> =
        test.condition.proposition.variables().into_iter().cloned().collect();
    let model = library::load("ptx-8", &[]).unwrap().model;
    let found = ExplicitRunner::new(&model).outcomes(&test, &variables, &options(unroll, retries));
    let found = found.unwrap_or_else(|e| panic!("{e}\n{text}"));
    (found.values, found.bounded)
}

/// Is there a race, and was a loop cut off?
fn race(text: &str, unroll: usize, retries: RetryRounds) -> (bool, bool) {
    let verdict = ExplicitRunner::new(&races()).run(&test(text), &options(unroll, retries));
    let verdict = verdict.unwrap_or_else(|e| panic!("{e}\n{text}"));
    (verdict.race.is_some(), verdict.bounded)
}

/// A program of threads in blocks of their own.
fn ptx(threads: &[Vec<String>], condition: &str) -> String {
    let rows = threads.iter().map(Vec::len).max().unwrap_or(0);
    let heads: Vec<String> = (0..threads.len()).map(|t| format!("P{t}@cta {t},gpu 0")).collect();
    let row = |r: usize| {
        threads
            .iter()
            .map(|t| t.get(r).cloned().unwrap_or_default())
            .collect::<Vec<_>>()
            .join(" | ")
    };
    let rows: String = (0..rows).map(|r| format!(" {} ;\n", row(r))).collect();
    format!("PTX t\n{{ h=0; a=0; b=0; }}\n {} ;\n{rows}exists ({condition})\n", heads.join(" | "))
}

fn lines(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|&line| line.to_owned()).collect()
}

/// Puts a number on the stack: what was there before is noted in a place of the thread's own.
fn push(place: &str, number: u32, order: &str) -> Vec<String> {
    lines(&[
        "ld.relaxed.gpu.u32 r0, h",
        "L1:",
        &format!("st.weak.u32 {place}, r0"),
        &format!("atom.{order}.gpu.cas.b32 r1, h, r0, {number}"),
        "setp.ne.s32 t1, r1, r0",
        "mov.u32 r0, r1",
        "@t1 bra L1",
    ])
}

/// Takes the number 1 from the stack, if it is there: what was noted by whoever put it there is
/// what is there then.
fn pop(order: &str) -> Vec<String> {
    lines(&[
        &format!("ld.{order}.gpu.u32 r3, h"),
        "L2:",
        "setp.ne.s32 t2, r3, 1",
        "@t2 bra L3",
        "ld.weak.u32 r4, a",
        &format!("atom.{order}.gpu.cas.b32 r5, h, r3, r4"),
        "setp.ne.s32 t3, r5, r3",
        "mov.u32 r3, r5",
        "@t3 bra L2",
        "L3:",
    ])
}

#[test]
fn the_last_round_shows_what_all_show_at_the_end() {
    let add = lines(&["atom.relaxed.gpu.add.u32 r7, h, 4"]);
    let programs = [
        vec![push("a", 1, "release"), push("b", 2, "release")],
        vec![push("a", 1, "release"), push("b", 2, "release"), add.clone()],
        vec![push("a", 1, "release"), pop("acquire"), add.clone()],
        vec![push("a", 1, "release"), push("b", 2, "release"), pop("acquire")],
    ];
    for threads in programs {
        let text = ptx(&threads, "h == 0 /\\ a == 0 /\\ b == 0");
        let (last, bounded) = finals(&text, 1, RetryRounds::Last);
        assert!(!bounded, "{text}");
        let (all, is_cut) = finals(&text, 3, RetryRounds::All);
        assert!(is_cut, "a loop of this program has no bound\n{text}");
        assert_eq!(last, all, "{text}");
    }
}

/// Also where a thread reads weakly in a round that fails, as one that takes from a stack does, and
/// nothing later depends on that. Beside a `fence.sc` what others write in their rounds is looked
/// at up to the bound.
#[test]
fn few_rounds_show_each_race() {
    let look = lines(&["ld.relaxed.gpu.u32 r8, h", "ld.weak.u32 r9, a"]);
    let told = lines(&[
        "ld.acquire.gpu.u32 r8, h",
        "setp.ne.s32 t8, r8, 1",
        "@t8 bra L9",
        "ld.weak.u32 r9, a",
        "L9:",
    ]);
    let store = lines(&["st.weak.u32 a, 7", "st.release.gpu.u32 h, 1"]);
    let fence = lines(&["fence.sc.gpu"]);
    let programs = [
        (
            vec![
                push("a", 1, "release"),
                push("b", 2, "release"),
                [pop("acquire"), fence].concat(),
            ],
            false,
            true,
        ),
        (vec![push("a", 1, "release"), push("b", 2, "release")], false, false),
        (vec![push("a", 1, "release"), push("a", 2, "release")], true, false),
        (vec![store.clone(), pop("acquire")], false, false),
        (vec![store, pop("relaxed")], true, false),
        (vec![push("a", 1, "release"), push("b", 2, "release"), pop("acquire")], false, false),
        (vec![push("a", 1, "relaxed"), push("b", 2, "release"), pop("acquire")], true, false),
        (vec![push("a", 1, "release"), look], true, false),
        (vec![push("a", 1, "release"), push("b", 2, "release"), told], false, false),
    ];
    for (threads, is_racy, is_bounded) in programs {
        let text = ptx(&threads, "false");
        assert_eq!(race(&text, 2, RetryRounds::Racing(None)), (is_racy, is_bounded), "{text}");
        assert_eq!(race(&text, 3, RetryRounds::All), (is_racy, true), "{text}");
        let at = |location: u16| {
            let (found, bounded) = race(&text, 2, RetryRounds::Racing(Some(location)));
            assert!(found || is_bounded || !bounded, "{text}");
            found
        };
        assert_eq!((0..3).map(at).fold(false, |any, found| any | found), is_racy, "{text}");
    }
}

/// What a round leaves behind is no loop that tries again: another value, a place that only some
/// rounds write, a value that is not what was compared.
#[test]
fn rounds_that_do_more_are_bounded() {
    let other = push("b", 2, "release");
    let counts = lines(&[
        "ld.relaxed.gpu.u32 r0, h",
        "L1:",
        "add.u32 r6, r6, 1",
        "atom.release.gpu.cas.b32 r1, h, r0, 1",
        "setp.ne.s32 t1, r1, r0",
        "mov.u32 r0, r1",
        "@t1 bra L1",
        "st.weak.u32 a, r6",
    ]);
    let writes_once = lines(&[
        "ld.relaxed.gpu.u32 r0, h",
        "L1:",
        "atom.release.gpu.cas.b32 r1, h, r0, 1",
        "setp.eq.s32 t1, r1, r0",
        "@t1 bra L2",
        "st.weak.u32 a, r0",
        "mov.u32 r0, r1",
        "bra L1",
        "L2:",
    ]);
    let tells = lines(&[
        "ld.relaxed.gpu.u32 r0, h",
        "L1:",
        "st.relaxed.gpu.u32 a, r0",
        "atom.release.gpu.cas.b32 r1, h, r0, 1",
        "setp.ne.s32 t1, r1, r0",
        "mov.u32 r0, r1",
        "@t1 bra L1",
    ]);
    for thread in [counts, writes_once, tells] {
        let text = ptx(&[thread, other.clone()], "h == 0 /\\ a == 0");
        for retries in [RetryRounds::Last, RetryRounds::Racing(None)] {
            assert!(finals(&text, 2, retries).1, "{text}");
        }
    }
}

/// A thread with a loop that may try again, or do more than that: what it reads in front, what each
/// round does, what it compares with, what it hands on, and what stands behind the loop.
fn looping() -> impl Strategy<Value = Vec<String>> {
    let round = select(vec![
        "st.weak.u32 a, r0",
        "st.weak.u32 b, r0",
        "st.weak.u32 a, 3",
        "ld.weak.u32 r4, a",
        "fence.acq_rel.gpu",
        "",
    ]);
    let after = select(vec!["ld.weak.u32 r6, a", "st.weak.u32 b, 2", "st.weak.u32 a, r0", "", ""]);
    let order = select(vec!["relaxed", "acquire", "release", "acq_rel"]);
    let compared = select(vec!["r0", "r0", "r0", "0", "1"]);
    let written = select(vec!["1", "2", "r4", "r0"]);
    let handed_on = select(vec!["mov.u32 r0, r1", "mov.u32 r0, r1", "", "add.u32 r0, r1, 1"]);
    let front =
        select(vec!["ld.relaxed.gpu.u32 r0, h", "ld.acquire.gpu.u32 r0, h", "mov.u32 r0, 0"]);
    let rounds = proptest::collection::vec(round, 0..=2);
    (front, rounds, order, compared, written, handed_on, after).prop_map(
        |(front, rounds, order, compared, written, handed_on, after)| {
            let cas = format!("atom.{order}.gpu.cas.b32 r1, h, {compared}, {written}");
            let set = format!("setp.ne.s32 t1, r1, {compared}");
            let mut all = vec![front, "L1:"];
            all.extend(rounds);
            all.extend([cas.as_str(), set.as_str(), handed_on, "@t1 bra L1", after]);
            all.retain(|line| !line.is_empty());
            lines(&all)
        },
    )
}

/// A thread that takes from the stack, and reads what others wrote in rounds that failed; what it
/// does with it, if anything, is behind the loop.
fn taking() -> impl Strategy<Value = Vec<String>> {
    let after = select(vec![
        "st.weak.u32 b, r4",
        "st.release.gpu.u32 h, 2",
        "ld.weak.u32 r6, b",
        "st.weak.u32 b, 2",
        "",
    ]);
    (select(vec!["relaxed", "acquire"]), after).prop_map(|(order, after)| {
        let mut all = pop(order);
        all.extend((!after.is_empty()).then(|| after.to_owned()));
        all
    })
}

fn straight() -> impl Strategy<Value = Vec<String>> {
    let access = select(vec![
        "st.weak.u32 a, 7",
        "st.weak.u32 b, 7",
        "ld.weak.u32 r8, a",
        "ld.weak.u32 r9, b",
        "st.release.gpu.u32 h, 1",
        "st.relaxed.gpu.u32 h, 2",
        "ld.acquire.gpu.u32 r7, h",
        "ld.relaxed.gpu.u32 r7, h",
        "atom.acq_rel.gpu.exch.b32 r7, h, 1",
        "fence.acq_rel.gpu",
        "fence.sc.gpu",
    ]);
    proptest::collection::vec(access, 1..=3).prop_map(|accesses| lines(&accesses))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    /// Where few rounds are said to show all, going round three times shows nothing else.
    #[test]
    fn random_loops_show_no_more_when_they_go_round(
        first in prop_oneof![4 => looping(), 1 => taking()],
        second in prop_oneof![looping(), straight(), taking()],
        third in proptest::option::of(straight()),
    ) {
        let threads: Vec<Vec<String>> = [first, second].into_iter().chain(third).collect();
        let text = ptx(&threads, "h == 0 /\\ a == 0 /\\ b == 0");
        let (is_racy, _) = race(&text, 3, RetryRounds::All);
        let (found, bounded) = race(&text, 2, RetryRounds::Racing(None));
        prop_assert!(found || bounded || !is_racy, "a race is lost\n{text}");
        prop_assert!(is_racy || !found, "a race is made\n{text}");
        // Place by place fewer rounds are looked at, and some place has the first race.
        let at = |location| race(&text, 2, RetryRounds::Racing(Some(location)));
        let by_place = [0, 1, 2].map(at);
        let is_told = by_place.iter().any(|(found, bounded)| *found || *bounded);
        prop_assert!(is_told || !is_racy, "a race is lost, place by place\n{text}");
        prop_assert!(is_racy || by_place.iter().all(|(found, _)| !found), "a race is made at a place\n{text}");
        if !is_racy {
            let (last, bounded) = finals(&text, 2, RetryRounds::Last);
            let (all, _) = finals(&text, 3, RetryRounds::All);
            prop_assert!(bounded || last.is_superset(&all), "an outcome is lost\n{text}{last:?}\n{all:?}");
            prop_assert!(last.is_subset(&all), "an outcome is made\n{text}{last:?}\n{all:?}");
        }
    }
}
