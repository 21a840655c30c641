//! What is no proof: executions that are lost, filters that nothing passes. And what a race and a
//! reason are about.

use crate::shipped::model;
use margay_litmus::corpus::Expected;
use margay_litmus::engine::{Choice, Engine, Runner};
use margay_litmus::explicit::{Options, TestVerdict};
use margay_litmus::race::Race;
use margay_litmus::read;
use margay_litmus::test::Test;
use margay_litmus::unfold::Cause;
use margay_models::diagnostic::SourceFile;

fn test(text: &str) -> Test {
    read::test(&SourceFile::new("t", text)).unwrap_or_else(|e| panic!("{}\n{text}", e[0])).test
}

/// The verdict, on which both engines agree, also on where threads stop and why.
fn verdict(text: &str, model_name: &str) -> TestVerdict {
    let (test, model) = (test(text), model(model_name));
    let by =
        |engine| Runner::new(&model).run(&test, &Options::default(), Choice::Only(engine)).unwrap();
    let (explicit, sat) = (by(Engine::Explicit), by(Engine::Sat));
    assert_eq!(Expected::from(&explicit), Expected::from(&sat), "{text}");
    let stops = |v: &TestVerdict| {
        v.gap
            .as_ref()
            .map(|g| g.standstills().iter().map(|s| (s.thread, s.cause)).collect::<Vec<_>>())
    };
    assert_eq!(stops(&explicit), stops(&sat), "{text}");
    explicit
}

/// The verdict in the words of lists.
fn said(text: &str, model: &str) -> String {
    Expected::from(&verdict(text, model)).to_string()
}

/// The verdict, and for each thread that stops the line and the cause.
fn stops(text: &str, model: &str) -> (String, Vec<(usize, Cause)>) {
    let verdict = verdict(text, model);
    let file = SourceFile::new("t", text);
    let gap = verdict.gap.as_ref().map(|g| g.standstills().to_vec()).unwrap_or_default();
    let stops = gap.iter().map(|s| (file.position(s.place.0.start).0, s.cause)).collect();
    (Expected::from(&verdict).to_string(), stops)
}

#[test]
fn an_address_outside_of_every_location_is_no_proof() {
    let test = |offset: &str, value: &str, end: &str| {
        format!(
            "PTX t\n{{ a[2]={{0,7}}; p={value}; }}\n P0@cta 0,gpu 0 ;\n ld.relaxed.gpu r0, p ;\n ld.relaxed.gpu r1, [r0{offset}] ;\n{end}\n"
        )
    };
    for (offset, value) in [("+8", "a"), ("+2", "a"), ("-4", "a"), ("", "0"), ("", "5")] {
        for end in ["exists (P0:r1 == 7)", "~exists (P0:r1 == 7)", "forall (P0:r1 == 7)"] {
            let text = test(offset, value, end);
            let verdict = stops(&text, "ptx-8");
            assert_eq!(
                verdict,
                ("undecided,endless".to_owned(), vec![(5, Cause::Address)]),
                "{text}"
            );
        }
    }
    assert_eq!(said(&test("+4", "a", "exists (P0:r1 == 7)"), "ptx-8"), "allowed");
    assert_eq!(said(&test("+4", "a", "exists (P0:r1 == 0)"), "ptx-8"), "forbidden");
    // Stores and read-modify-writes leave the memory as well.
    for access in [
        "st.relaxed.gpu [r0+8], 1",
        "atom.relaxed.gpu.add r1, [r0+8], 1",
        "ld.weak.v2 {r1,r2}, [r0+8]",
    ] {
        let text = format!(
            "PTX t\n{{ a[2]={{0,7}}; p=a; }}\n P0@cta 0,gpu 0 ;\n ld.relaxed.gpu r0, p ;\n {access} ;\nexists (P0:r0 == 7)\n"
        );
        assert_eq!(
            stops(&text, "ptx-8"),
            ("undecided,endless".to_owned(), vec![(5, Cause::Address)]),
            "{text}"
        );
    }
}

#[test]
fn where_only_some_executions_are_lost_both_are_said() {
    let text = |condition: &str| {
        format!(
            "C t\n{{ a[2]={{0,7}}; i=0; }}\nP0 (int* a, atomic_int* i) {{\n  int k = atomic_load_explicit(i, memory_order_relaxed);\n  \
             int r0 = a[k];\n}}\nP1 (int* a, atomic_int* i) {{ atomic_store_explicit(i, 2, memory_order_relaxed); }}\n{condition}\n"
        )
    };
    let lost = ("undecided,lost,racy".to_owned(), vec![(5, Cause::Address)]);
    assert_eq!(stops(&text("exists (0:r0=7)"), "c20"), lost);
    assert_eq!(stops(&text("forall (0:r0=0)"), "c20"), lost);
    // It is found, and the program is undefined all the same.
    assert_eq!(stops(&text("exists (0:r0=0)"), "c20"), ("allowed,racy".to_owned(), lost.1));
    // What is never read is not lost.
    let in_range = text("exists (0:r0=9)").replace("(i, 2,", "(i, 1,");
    assert_eq!(said(&in_range, "c20"), "forbidden,race-free");
}

#[test]
fn null_pointers_and_pointers_that_nobody_set() {
    let text = |guard: &str| {
        format!(
            "C t\n{{ x=0; p=0; }}\nP0 (atomic_int* p, int* x) {{ atomic_store_explicit(p, x, memory_order_release); }}\n\
             P1 (atomic_int* p, int* x) {{\n  int* q = atomic_load_explicit(p, memory_order_acquire);\n  {guard} int r0 = *q;\n}}\n\
             exists (1:r0=1)\n"
        )
    };
    assert_eq!(
        stops(&text(""), "c20"),
        ("undecided,lost,racy".to_owned(), vec![(6, Cause::Address)])
    );
    assert_eq!(said(&text("if (q)"), "c20"), "forbidden,race-free");
}

#[test]
fn a_division_by_zero_is_no_proof() {
    let text = |condition: &str| {
        format!(
            "C t\n{{ i=0; }}\nP0 (atomic_int* i) {{\n  int k = atomic_load_explicit(i, memory_order_relaxed);\n  int r0 = 0;\n  \
             if ({condition}) {{ r0 = 2; }}\n}}\nP1 (atomic_int* i) {{ atomic_store_explicit(i, 2, memory_order_relaxed); }}\n\
             exists (0:r0=9)\n"
        )
    };
    let lost = ("undecided,lost,racy".to_owned(), vec![(6, Cause::Division)]);
    assert_eq!(stops(&text("4 / k == 2"), "c20"), lost);
    assert_eq!(stops(&text("4 % k == 0"), "c20"), lost);
    assert_eq!(stops(&text("k == 0 && 4 / k == 2"), "c20"), lost);
    assert_eq!(said(&text("k != 0 && 4 / k == 2"), "c20"), "forbidden,race-free");
    assert_eq!(said(&text("k == 0 || 4 / k == 2"), "c20"), "forbidden,race-free");
    assert_eq!(said(&text("k / 2 == 2"), "c20"), "forbidden,race-free");
}

#[test]
fn threads_that_wait_for_each_other_are_no_proof() {
    let dead = "PTX t\n{ a=0; b=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n L: | L: ;\n ld.acquire.gpu r0, a | ld.acquire.gpu r0, b ;\n \
                beq r0, 0, L | beq r0, 0, L ;\n st.release.gpu b, 1 | st.release.gpu a, 1 ;\nexists (P0:r0 == 1)\n";
    let waiting = vec![(5, Cause::Waiting), (5, Cause::Waiting)];
    assert_eq!(stops(dead, "ptx-8"), ("undecided,endless".to_owned(), waiting.clone()));
    assert_eq!(
        stops(&dead.replace("exists", "~exists"), "ptx-8"),
        ("undecided,endless".to_owned(), waiting.clone())
    );
    assert_eq!(
        stops(&dead.replace("exists", "forall"), "ptx-8"),
        ("undecided,endless".to_owned(), waiting)
    );
    // Where one of them starts, the other comes out.
    let alive = dead.replace("{ a=0;", "{ a=1;");
    assert_eq!(said(&alive, "ptx-8"), "allowed");
    // One that waits for what nobody writes.
    let alone = "PTX t\n{ a=0; }\n P0@cta 0,gpu 0 ;\n L: ;\n ld.acquire.gpu r0, a ;\n beq r0, 0, L ;\nforall (P0:r0 == 1)\n";
    assert_eq!(stops(alone, "ptx-8"), ("undecided,endless".to_owned(), vec![(5, Cause::Waiting)]));
    // A loop that goes on is one that is cut off, and the verdict says that it is bounded.
    let goes_on = "C t\n{ x=0; }\nP0 (atomic_int* x) {\n  int n = 1;\n  while (n) { n++; }\n}\n~exists (0:n=9)\n";
    let verdict = verdict(goes_on, "c20");
    assert!(verdict.bounded && verdict.is_open() && verdict.gap.is_some(), "{verdict:?}");
}

#[test]
fn a_barrier_that_is_never_complete_is_no_proof() {
    let two = |left: &str, right: &str| {
        format!(
            "PTX t\n{{ a=0; b=0; }}\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n {left} | {right} ;\n ld.weak r0, a | st.weak a, 1 ;\n\
             exists (P0:r0 == 2)\n"
        )
    };
    // A barrier without a count is for all threads of the cta. An outcome that is found where the
    // test need not have all of them is one.
    let both = vec![(4, Cause::Barrier), (4, Cause::Barrier)];
    let apart = two("bar.sync 0", "bar.sync 1");
    assert_eq!(stops(&apart, "ptx-8"), ("undecided,endless".to_owned(), both));
    assert_eq!(said(&apart.replace("r0 == 2", "r0 == 1"), "ptx-8"), "allowed");
    assert_eq!(said(&two("bar.sync 0, 32", "bar.sync 1, 32"), "ptx-8"), "forbidden");
    assert_eq!(said(&two("bar.sync 0", "bar.sync 0"), "ptx-8"), "forbidden");
    // A thread that has exited holds up nobody.
    assert_eq!(said(&two("bar.sync 0", "st.weak b, 1"), "ptx-8"), "forbidden");
    // With a count it does: on the way on which P1 does not come, P0 waits for ever.
    let counted = "PTX t\n{ a=0; b=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 1,gpu 0 ;\n bar.sync 0, 64 | ld.relaxed.gpu r1, b | st.relaxed.gpu b, 1 ;\n \
                   ld.weak r0, a | bne r1, 1, END | ;\n | bar.sync 0, 64 | ;\n | END: | ;\n";
    assert_eq!(said(&format!("{counted}exists (P1:r1 == 0)\n"), "ptx-8"), "forbidden");
    assert_eq!(said(&format!("{counted}exists (P1:r1 == 1)\n"), "ptx-8"), "allowed");
    // A barrier behind a loop that waits for what comes behind the barrier.
    let crossed = "PTX t\n{ a=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n bar.sync 0 | L: ;\n st.relaxed.gpu a, 1 | ld.relaxed.gpu r0, a ;\n \
                   | beq r0, 0, L ;\n | bar.sync 0 ;\nexists (P1:r0 == 1)\n";
    assert_eq!(
        stops(crossed, "ptx-8"),
        ("undecided,endless".to_owned(), vec![(4, Cause::Barrier), (5, Cause::Waiting)])
    );
}

#[test]
fn a_filter_that_nothing_passes_is_no_proof() {
    let text = |filter: &str, condition: &str| {
        format!(
            "C t\n{{ x=0; }}\nP0 (atomic_int* x) {{ int r0 = atomic_load(x); }}\nfilter (0:r0={filter})\n{condition}\n"
        )
    };
    for condition in ["exists (0:r0=7)", "~exists (0:r0=7)", "forall (0:r0=7)"] {
        assert_eq!(said(&text("1", condition), "c20"), "undecided,filtered", "{condition}");
    }
    assert_eq!(said(&text("0", "exists (0:r0=7)"), "c20"), "forbidden,race-free");
    assert_eq!(said(&text("0", "forall (0:r0=0)"), "c20"), "forbidden,race-free");
}

#[test]
fn a_filter_restricts_races() {
    let text = |filter: &str| {
        format!(
            "C t\n{{ x=0; y=0; }}\nP0 (int* x, atomic_int* y) {{ *x = 1; atomic_store_explicit(y, 1, memory_order_release); }}\n\
             P1 (int* x, atomic_int* y) {{ int r0 = atomic_load_explicit(y, memory_order_acquire); int r1 = *x; }}\n{filter}\
             exists (1:r1=1)\n"
        )
    };
    assert_eq!(said(&text("filter (1:r0=1)\n"), "c20"), "allowed,race-free");
    assert_eq!(said(&text("filter (1:r0=0)\n"), "c20"), "allowed,racy");
    assert_eq!(said(&text(""), "c20"), "allowed,racy");
}

#[test]
fn a_race_has_two_accesses_with_their_places() {
    let text = "C t\n{ x=0; }\nP0 (int* x) {\n  *x = 1;\n}\nP1 (int* x) {\n  int r0 = *x;\n}\nexists (1:r0=2)\n";
    let file = SourceFile::new("t", text);
    let verdict = verdict(text, "rc11");
    let race = Race::of(&model("rc11"), verdict.race.as_ref().unwrap()).unwrap();
    let places: Vec<(usize, String)> = race
        .accesses
        .iter()
        .map(|a| (file.position(a.place.0.start).0, a.place.text(&file)))
        .collect();
    assert_eq!(places, [(4, "*x = 1;".to_owned()), (7, "int r0 = *x".to_owned())]);
    let sentence = race.sentence(&file);
    assert!(
        sentence.contains("(P0, line 4")
            && sentence.contains("(P1, line 7")
            && !race.why.is_empty(),
        "{sentence}"
    );
}

#[test]
fn the_reason_is_about_a_coherent_execution() {
    let text = "C t\n{ x=0; y=0; z=0; }\nP0 (atomic_int* x, atomic_int* y, atomic_int* z) {\n  atomic_store_explicit(y, 1, memory_order_relaxed);\n  \
                atomic_thread_fence(memory_order_release);\n  atomic_fetch_add_explicit(x, 0, memory_order_relaxed);\n  \
                atomic_thread_fence(memory_order_acquire);\n  int r0 = atomic_load_explicit(z, memory_order_relaxed);\n}\n\
                P1 (atomic_int* x, atomic_int* y, atomic_int* z) {\n  atomic_store_explicit(z, 1, memory_order_relaxed);\n  \
                atomic_thread_fence(memory_order_release);\n  atomic_fetch_add_explicit(x, 0, memory_order_relaxed);\n  \
                atomic_thread_fence(memory_order_acquire);\n  int r0 = atomic_load_explicit(y, memory_order_relaxed);\n}\n\
                exists (0:r0=0 /\\ 1:r0=0)\n";
    let test = test(text);
    for engine in [Engine::Explicit, Engine::Sat] {
        let mut runner = Runner::new(&model("c20"));
        let found =
            runner.forbidden(&test, &Options::default(), Choice::Only(engine)).unwrap().unwrap();
        let x = &found.witness.execution;
        for (read, write) in x.rmw.pairs() {
            assert!(!x.rf.contains(write, read), "a read-modify-write reads its own write\n{x:?}");
        }
        assert_eq!(found.checks.len(), 1);
    }
    // Where coherence itself is what forbids it, there is none, and the reason stays.
    let corr = "C t\n{ x=0; }\nP0 (atomic_int* x) { atomic_store(x, 1); }\nP1 (atomic_int* x) { int r0 = atomic_load(x); int r1 = atomic_load(x); }\n\
                exists (1:r0=1 /\\ 1:r1=0)\n";
    let test = self::test(corr);
    assert!(
        Runner::new(&model("c20"))
            .forbidden(&test, &Options::default(), Choice::Auto)
            .unwrap()
            .is_some()
    );
}
