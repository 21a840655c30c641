//! Verdicts of the explicit engine on small tests, with where each is known from.

use margay_litmus::explicit::{Options, TestVerdict, run};
use margay_litmus::read;
use margay_models::diagnostic::SourceFile;

fn verdict(text: &str, model: &str) -> TestVerdict {
    let test =
        read::test(&SourceFile::new("t", text)).unwrap_or_else(|e| panic!("{}\n{text}", e[0])).test;
    let model = crate::shipped::model(model);
    run(&test, &model, &Options::default()).unwrap()
}

fn reachable(text: &str, model: &str) -> bool {
    verdict(text, model).reachable
}

/// Two threads of PTX, in different ctas of one gpu.
fn ptx(left: &[&str], right: &[&str], condition: &str) -> String {
    let rows = left.len().max(right.len());
    let cell =
        |column: &[&str], row: usize| column.get(row).copied().unwrap_or_default().to_string();
    let rows: String =
        (0..rows).map(|r| format!(" {} | {} ;\n", cell(left, r), cell(right, r))).collect();
    format!(
        "PTX t\n{{ x=0; y=0; }}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n{rows}exists ({condition})\n"
    )
}

const MP: &str = "P1:r0 == 1 /\\ P1:r1 == 0";

#[test]
fn message_passing() {
    let writer = ["st.weak x, 1", "st.release.gpu y, 1"];
    let reader = ["ld.acquire.gpu r0, y", "ld.weak r1, x"];
    assert!(!reachable(&ptx(&writer, &reader, MP), "ptx-6.0"), "2019 paper, Fig. 5");
    assert!(reachable(&ptx(&["st.weak x, 1", "st.relaxed.gpu y, 1"], &reader, MP), "ptx-6.0"));
    assert!(
        reachable(&ptx(&["st.weak x, 1", "st.release.cta y, 1"], &reader, MP), "ptx-6.0"),
        "the scope is too narrow"
    );
    // A fence.sc is also a release and an acquire fence (ASPLOS 2019, section 3.4.3).
    let fenced = ["st.weak x, 1", "fence.sc.gpu", "st.relaxed.gpu y, 1"];
    assert!(!reachable(&ptx(&fenced, &reader, MP), "ptx-6.0"));
    let text = ptx(&writer, &reader, MP);
    assert!(!reachable(&text, "sc") && !reachable(&text, "tso"));
}

#[test]
fn store_buffering() {
    let condition = "P0:r0 == 0 /\\ P1:r0 == 0";
    let side = |a: &'static str, f: &'static str, b: &'static str| [a, f, b];
    let sb = |fence: &'static str| {
        ptx(
            &side("st.relaxed.gpu x, 1", fence, "ld.relaxed.gpu r0, y"),
            &side("st.relaxed.gpu y, 1", fence, "ld.relaxed.gpu r0, x"),
            condition,
        )
    };
    assert!(!reachable(&sb("fence.sc.gpu"), "ptx-6.0"), "2019 paper, Fig. 6");
    assert!(reachable(&sb("fence.acq_rel.gpu"), "ptx-6.0"));
    assert!(
        reachable(&sb("fence.sc.cta"), "ptx-6.0"),
        "fences of too narrow scope are not morally strong"
    );
    assert!(!reachable(&sb("fence.sc.gpu"), "tso"));
    assert!(
        reachable(&sb("fence.acq_rel.gpu"), "tso"),
        "only a full fence orders a store before a load"
    );
    assert!(!reachable(&sb("fence.acq_rel.gpu"), "sc"));
}

/// 2019 paper, section 3.5.4: values out of thin air.
#[test]
fn load_buffering() {
    let condition = "P0:r0 == 1 /\\ P1:r0 == 1";
    let plain = ptx(
        &["ld.relaxed.gpu r0, x", "st.relaxed.gpu y, 1"],
        &["ld.relaxed.gpu r0, y", "st.relaxed.gpu x, 1"],
        condition,
    );
    assert!(reachable(&plain, "ptx-6.0"));
    let copies = ptx(
        &["ld.relaxed.gpu r0, x", "st.relaxed.gpu y, r0"],
        &["ld.relaxed.gpu r0, y", "st.relaxed.gpu x, r0"],
        condition,
    );
    assert!(!reachable(&copies, "ptx-6.0"));
    // A dependency through arithmetic that always gives 1, through an address, and through a
    // branch.
    let one = ["ld.relaxed.gpu r0, x", "xor r1, r0, r0", "add r1, r1, 1", "st.relaxed.gpu y, r1"];
    let address = ["ld.relaxed.gpu r0, y", "and r1, r0, 2", "st.relaxed.gpu [x+r1], 1"];
    assert!(!reachable(&ptx(&one, &address, condition), "ptx-6.0"));
    let branch = ["ld.relaxed.gpu r0, y", "bne r0, 1, L", "st.relaxed.gpu x, 1", "L:"];
    assert!(!reachable(&ptx(&one, &branch, condition), "ptx-6.0"));
    let predicate = ["ld.relaxed.gpu r0, y", "setp.eq p, r0, 1", "@p st.relaxed.gpu x, 1"];
    assert!(!reachable(&ptx(&one, &predicate, condition), "ptx-6.0"));
}

/// Coherence of one location is partial: each of two racing weak writes may be the last one, or
/// neither be before the other.
#[test]
fn final_values() {
    let text = |c: &str| ptx(&["st.weak x, 1"], &["st.weak x, 2"], c);
    assert!(reachable(&text("x == 1"), "ptx-6.0") && reachable(&text("x == 2"), "ptx-6.0"));
    assert!(!reachable(&text("x == 0"), "ptx-6.0"));
    let ordered = ptx(&["st.relaxed.gpu x, 1", "st.relaxed.gpu x, 2"], &[], "x == 1");
    assert!(!reachable(&ordered, "ptx-6.0"));
}

/// PTX ISA 8.10.3, litmus tests 1 and 2.
#[test]
fn atomicity() {
    let increments = |a: &str, b: &str, c: &str| {
        ptx(
            &[&format!("atom.relaxed.{a}.inc r0, x, 9")],
            &[&format!("atom.relaxed.{b}.inc r0, x, 9")],
            c,
        )
    };
    assert!(!reachable(&increments("sys", "sys", "x == 1"), "ptx-6.0"));
    assert!(reachable(&increments("sys", "sys", "x == 2"), "ptx-6.0"));
    assert!(reachable(&increments("cta", "gpu", "x == 1"), "ptx-6.0"));
    assert!(reachable(&increments("cta", "gpu", "x == 2"), "ptx-6.0"));
}

#[test]
fn quantifiers_and_filters() {
    let text = |tail: &str| {
        ptx(&["st.weak x, 1"], &["ld.weak r0, x"], "true").replace("exists (true)", tail)
    };
    let holds = |tail: &str| verdict(&text(tail), "ptx-6.0").holds;
    assert!(holds("exists (P1:r0 == 0)") && !holds("~exists (P1:r0 == 0)"));
    assert!(holds("forall (P1:r0 == 0 \\/ P1:r0 == 1)") && !holds("forall (P1:r0 == 0)"));
    assert!(holds("filter (P1:r0 != 1)\nforall (P1:r0 == 0)"));
    assert!(holds("~exists (P1:r0 == 2)") && holds("forall (x == 1)"));
    assert!(
        holds("forall (true => x=1)")
            && !holds("forall (true=>P1:r0=0)")
            && holds("forall (false => P1:r0=0)")
    );
}

#[test]
fn barriers() {
    let text = |other: &str, reader: &str| {
        format!(
            "PTX b\n{{ x=0; }}\n P0@cta 0,gpu 0 | P1@cta {other},gpu 0 ;\n st.weak x, 1 | {reader} ;\n bar.cta.sync 0 | ld.weak r0, x ;\nexists (P1:r0 == 0)\n"
        )
    };
    assert!(!reachable(&text("0", "bar.cta.sync 0"), "ptx-6.0"));
    assert!(reachable(&text("0", "bar.cta.sync 1"), "ptx-6.0"), "another barrier");
    assert!(reachable(&text("1", "bar.cta.sync 0"), "ptx-6.0"), "another cta");
    assert!(reachable(&text("0", "bar.cta.arrive 0, 64"), "ptx-6.0"), "does not wait");
}

/// PTX ISA 8.9.4, item 3: barriers of clusters, between ctas.
#[test]
fn cluster_barriers() {
    let text = |arrive: &str, cluster: u8| {
        format!(
            "PTX b\n{{ x=0; }}\n P0@cta 0,cluster 0,gpu 0 | P1@cta 1,cluster {cluster},gpu 0 ;\n st.weak x, 1 | barrier.cluster.arrive ;\n {arrive} | barrier.cluster.wait ;\n barrier.cluster.wait | ld.weak r0, x ;\nexists (P1:r0 == 0)\n"
        )
    };
    assert!(!reachable(&text("barrier.cluster.arrive", 0), "ptx-8"));
    assert!(reachable(&text("barrier.cluster.arrive", 1), "ptx-8"), "another cluster");
    assert!(
        reachable(&text("barrier.cluster.arrive.relaxed", 0), "ptx-8"),
        "PTX ISA 9.7.13.4: relaxed gives no ordering"
    );
    let used = |t: &str| read::test(&SourceFile::new("t", t)).unwrap().test.uses_clusters();
    assert!(used(&text("barrier.cluster.arrive", 0)));
    assert!(!used(&ptx(&["st.weak x, 1"], &["ld.weak r0, x"], "x == 1")));
    assert!(used(&ptx(&["st.relaxed.cluster x, 1"], &["ld.weak r0, x"], "x == 1")));
    let witness = verdict(&text("barrier.cluster.arrive", 0).replace("== 0)", "== 1)"), "ptx-8")
        .witness
        .unwrap();
    assert_eq!(margay_models::wellformed::violations(&witness.execution), Vec::<String>::new());
}

/// What forbids an outcome: the one axiom that an execution with it violates.
#[test]
fn forbidden_outcomes_have_a_reason() {
    let writer = ["st.weak x, 1", "st.release.gpu y, 1"];
    let text = ptx(&writer, &["ld.acquire.gpu r0, y", "ld.weak r1, x"], MP);
    let test = read::test(&SourceFile::new("t", text)).unwrap().test;
    let model = crate::shipped::model("ptx-6.0");
    let mut runner = margay_litmus::explicit::ExplicitRunner::new(&model);
    let forbidden = runner.forbidden(&test, &Options::default(), None).unwrap().unwrap();
    let names: Vec<String> =
        forbidden.checks.iter().map(|&c| model.checks[c].display_name()).collect();
    assert_eq!(names, ["Causality"]);
    assert!(
        margay_models::explain::violation(
            &model,
            &forbidden.witness.execution,
            forbidden.checks[0]
        )
        .is_some()
    );
    // No program writes 7.
    let never = ptx(&["st.weak x, 1"], &["ld.weak r0, x"], "P1:r0 == 7");
    let never = read::test(&SourceFile::new("t", never)).unwrap().test;
    assert!(runner.forbidden(&never, &Options::default(), None).unwrap().is_none());
}

#[test]
fn a_deadline_ends_a_search() {
    // No two threads are alike.
    let row =
        (1..10).map(|n| format!("atom.relaxed.gpu.add r0, x, {n}")).collect::<Vec<_>>().join(" | ");
    let header: Vec<String> = (0..9).map(|t| format!("P{t}@cta {t},gpu 0")).collect();
    let text = format!("PTX t\n{{ x=0; }}\n {} ;\n {row} ;\nexists (x == 8)\n", header.join(" | "));
    let test = read::test(&SourceFile::new("t", text)).unwrap().test;
    let model = crate::shipped::model("ptx-6.0");
    let start = std::time::Instant::now();
    let options = Options {
        deadline: Some(start + std::time::Duration::from_millis(50)),
        ..Options::default()
    };
    assert_eq!(run(&test, &model, &options).unwrap_err(), margay_litmus::explicit::Error::Time);
    // Without its end the search takes hours.
    assert!(start.elapsed().as_secs() < 600);
}

/// Loops are unrolled, and a verdict that a longer unrolling might change is marked.
#[test]
fn loops() {
    let reader = ["L:", "ld.acquire.gpu r0, y", "bne r0, 1, L", "ld.weak r1, x"];
    let text = ptx(&["st.weak x, 1", "st.release.gpu y, 1"], &reader, "P1:r1 == 0");
    let answer = verdict(&text, "ptx-6.0");
    assert!(!answer.reachable && !answer.bounded, "a loop that only waits is not cut off");
    let text = ptx(&["st.weak x, 1", "st.relaxed.gpu y, 1"], &reader, "P1:r1 == 0");
    let answer = verdict(&text, "ptx-6.0");
    assert!(answer.reachable && !answer.bounded, "found is found");
    let count = ptx(&["L:", "add r0, r0, 1", "bne r0, 5, L"], &[], "P0:r0 == 5");
    assert!(verdict(&count, "ptx-6.0").bounded);
}

#[test]
fn scoped_c() {
    let text = |store: &str, load: &str, cta: u8| {
        format!(
            "C mp\n{{ }}\nP0@wg 0,dev 0 (int* x, atomic_int* y) {{ *x = 1; {store} }}\nP1@wg {cta},dev 0 (int* x, atomic_int* y) {{ int r0 = {load}; int r1 = 0; if (r0 == 1) {{ r1 = *x; }} }}\nexists (1:r0=1 /\\ 1:r1=0)\n"
        )
    };
    let store = |scope: &str| {
        format!("atomic_store_explicit(y, 1, memory_order_release, memory_scope_{scope});")
    };
    let load = |scope: &str| {
        format!("atomic_load_explicit(y, memory_order_acquire, memory_scope_{scope})")
    };
    let good = verdict(&text(&store("device"), &load("device"), 1), "rc11-scoped");
    assert!(!good.reachable && good.racy == Some(false));
    let narrow = verdict(&text(&store("work_group"), &load("device"), 1), "rc11-scoped");
    assert_eq!(narrow.racy, Some(true));
    let same = verdict(&text(&store("work_group"), &load("work_group"), 0), "rc11-scoped");
    assert_eq!((same.reachable, same.racy), (false, Some(false)));
}

#[test]
fn compare_and_swap_and_arithmetic() {
    let both = |op: &str| ptx(&[op], &[op], "P0:r0 == 0 /\\ P1:r0 == 0");
    assert!(!reachable(&both("atom.relaxed.gpu.cas r0, x, 0, 1"), "ptx-6.0"), "only one succeeds");
    assert!(reachable(&both("atom.relaxed.cta.cas r0, x, 0, 1"), "ptx-6.0"));
    let sum = ptx(&["atom.relaxed.gpu.add r0, x, 3"], &["atom.relaxed.gpu.add r0, x, 4"], "x == 7");
    assert!(reachable(&sum, "ptx-6.0"));
    assert!(!reachable(&sum.replace("x == 7)", "x == 3)"), "ptx-6.0"));
}

/// Addresses that are read: every location that may be meant.
#[test]
fn pointers() {
    let text = "PTX p\n{ x=5; y=6; p=&x; P0:r2=&y; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n ld.weak r0, p | st.weak p, y ;\n ld.weak r1, [r0] | ;\n ld.weak r3, [r2] | ;\nexists (";
    assert!(reachable(&format!("{text}P0:r1 == 5 /\\ P0:r3 == 6)"), "ptx-6.0"));
    assert!(reachable(&format!("{text}P0:r1 == 6 /\\ P0:r0 == &y)"), "ptx-6.0"));
    assert!(!reachable(&format!("{text}P0:r1 == 5 /\\ P0:r0 == &y)"), "ptx-6.0"));
}

/// More paths than anyone wants to look at are an error, not an overflow.
#[test]
fn too_many_paths() {
    let column: Vec<String> = (0..9).map(|r| format!("ld.relaxed.gpu r{r}, x | ")).collect();
    let branches: Vec<String> = (0..9).map(|r| format!("beq r{r}, 1, L{r} ; L{r}:")).collect();
    let rows: String = column
        .iter()
        .zip(&branches)
        .map(|(l, b)| format!(" {} ;\n {} ;\n", l.trim_end_matches(" | "), b))
        .collect();
    let text = format!("PTX t\n{{ x=0; }}\n P0@cta 0,gpu 0 ;\n{rows}exists (x == 1)\n");
    let test = read::test(&SourceFile::new("t", text)).unwrap().test;
    let model = crate::shipped::model("sc");
    let options = Options {
        bounds: margay_litmus::unfold::UnfoldingBounds { paths: 100, ..Default::default() },
        ..Options::default()
    };
    let error = run(&test, &model, &options).unwrap_err();
    assert_eq!(error.to_string(), "a thread has more than 100 paths");
}

/// A question that is over is given up before its threads are executed along every way: what is
/// said is that, and not that there are too many.
#[test]
fn what_is_over_is_not_unfolded() {
    let ways: Vec<String> = (0..14)
        .flat_map(|n| {
            ["ld.relaxed.gpu r0, x".to_owned(), format!("beq r0, {n}, L{n}"), format!("L{n}:")]
        })
        .collect();
    let ways: Vec<&str> = ways.iter().map(String::as_str).collect();
    let test =
        read::test(&SourceFile::new("t", ptx(&ways, &["st.relaxed.gpu x, 1"], "P0:r0 == 1")))
            .unwrap()
            .test;
    let model = crate::shipped::model("ptx-8");
    let message = run(&test, &model, &Options::default()).unwrap_err().to_string();
    assert!(message.contains("more than 4096 paths"), "{message}");
    let stop: &'static std::sync::Arc<std::sync::atomic::AtomicBool> = Box::leak(Box::default());
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    for options in [
        Options { deadline: Some(std::time::Instant::now()), ..Options::default() },
        Options { stop: Some(stop), ..Options::default() },
    ] {
        for answer in
            [run(&test, &model, &options), margay_litmus::sat::run(&test, &model, &options)]
        {
            assert_eq!(answer.unwrap_err(), margay_litmus::explicit::Error::Time);
        }
    }
}
