//! Executions of more events than a word has bits, and tests of more threads: the SAT engine
//! decides them, the judge confirms what it finds, and the explicit engine says what it takes.

use std::fmt::Write as _;

use margay_litmus::engine::{Choice, Engine, Runner};
use margay_litmus::explicit::{Error, Options};
use margay_litmus::render::render;
use margay_litmus::unfold::ExecutionProgram;
use margay_models::judge::judge;

use super::{model, test};

/// A test of threads that are each in a block of their own, all locations 0 at first.
fn threads(threads: &[Vec<String>], locations: &[String], condition: &str) -> String {
    let header: Vec<String> = (0..threads.len()).map(|t| format!("P{t}@cta {t},gpu 0")).collect();
    let declared: Vec<String> = locations.iter().map(|l| format!("{l}=0;")).collect();
    let mut text = format!("PTX t\n{{ {} }}\n {} ;\n", declared.join(" "), header.join(" | "));
    for row in 0..threads.iter().map(Vec::len).max().unwrap_or(0) {
        let cells: Vec<&str> =
            threads.iter().map(|thread| thread.get(row).map_or("", String::as_str)).collect();
        let _ = writeln!(text, " {} ;", cells.join(" | "));
    }
    text + &format!("exists ({condition})\n")
}

/// Message passing from the first thread to the last, with threads between them that write and read
/// places of their own.
fn among(padding: usize, order: &str) -> String {
    let mut all = vec![vec!["st.weak x, 1".to_owned(), format!("st.{order}.gpu f, 1")]];
    for t in 0..padding {
        all.push(vec![
            format!("st.relaxed.gpu p{t}, 1"),
            format!("ld.relaxed.gpu r0, p{}", (t + 1) % padding),
        ]);
    }
    all.push(vec!["ld.acquire.gpu r0, f".to_owned(), "ld.weak r1, x".to_owned()]);
    let locations: Vec<String> = ["x", "f"]
        .map(str::to_owned)
        .into_iter()
        .chain((0..padding).map(|t| format!("p{t}")))
        .collect();
    threads(&all, &locations, &format!("P{0}:r0 == 1 /\\ P{0}:r1 == 0", padding + 1))
}

/// A message that goes through so many threads, each of which acquires it from the one before and
/// releases it to the next.
fn chain(length: usize, relaxed: Option<usize>) -> String {
    let mut all = vec![vec!["st.weak x, 1".to_owned(), "st.release.gpu f0, 1".to_owned()]];
    for t in 1..length - 1 {
        let order = if relaxed == Some(t) { "relaxed" } else { "release" };
        all.push(vec![
            format!("ld.acquire.gpu r0, f{}", t - 1),
            format!("st.{order}.gpu f{t}, r0"),
        ]);
    }
    all.push(vec![format!("ld.acquire.gpu r0, f{}", length - 2), "ld.weak r1, x".to_owned()]);
    let locations: Vec<String> =
        std::iter::once("x".to_owned()).chain((0..length - 1).map(|t| format!("f{t}"))).collect();
    threads(&all, &locations, &format!("P{0}:r0 == 1 /\\ P{0}:r1 == 0", length - 1))
}

#[test]
fn hundred_threads_are_judged_in_both_directions() {
    let mut runner = Runner::new(&model("ptx-8"));
    for (text, reachable) in [
        (among(98, "release"), false),
        (among(98, "relaxed"), true),
        (chain(100, None), false),
        (chain(100, Some(50)), true),
        // More than 256 threads and locations.
        (among(300, "relaxed"), true),
    ] {
        let verdict = runner.run(&test(&text), &Options::default(), Choice::Auto).unwrap();
        assert_eq!(
            (verdict.engine, verdict.reachable),
            (Engine::Sat, reachable),
            "{}",
            &text[..200]
        );
        if let Some(witness) = &verdict.witness {
            assert!(
                witness.execution.size() > 128
                    && judge(&model("ptx-8"), &witness.execution).consistent
            );
        }
    }
}

/// One thread of more events than a word has bits, and than a byte: the events of a path are a set,
/// too.
#[test]
fn long_threads() {
    let mut runner = Runner::new(&model("ptx-8"));
    for (order, reachable) in [("release", false), ("relaxed", true)] {
        let mut first = vec!["st.weak x, 1".to_owned()];
        first.extend((0..90).map(|n| format!("ld.relaxed.gpu r{n}, p")));
        first.push(format!("st.{order}.gpu f, 1"));
        let last = vec!["ld.acquire.gpu r0, f".to_owned(), "ld.weak r1, x".to_owned()];
        let text = threads(
            &[first, last],
            &["x", "f", "p"].map(str::to_owned),
            "P1:r0 == 1 /\\ P1:r1 == 0",
        );
        let verdict = runner.run(&test(&text), &Options::default(), Choice::Auto).unwrap();
        assert_eq!((verdict.engine, verdict.reachable), (Engine::Sat, reachable));
    }
    let many = vec!["st.weak x, 1".to_owned(); 257];
    let error = runner
        .run(
            &test(&threads(&[many], &["x".to_owned()], "x == 1")),
            &Options::default(),
            Choice::Auto,
        )
        .unwrap_err();
    assert_eq!(error.to_string(), "a thread of more than 256 events");
}

/// The explicit engine takes 64 events, and says so; where both are asked the SAT engine answers
/// alone.
#[test]
fn the_explicit_engine_takes_a_word() {
    let mut runner = Runner::new(&model("ptx-8"));
    // Two accesses in each thread, and a place for each thread and two more: 63 and 66 events.
    for (padding, events) in [(19, 63), (20, 66)] {
        let test = test(&among(padding, "relaxed"));
        let explicit = runner.run(&test, &Options::default(), Choice::Only(Engine::Explicit));
        let both = runner.run(&test, &Options::default(), Choice::Both).unwrap();
        match explicit {
            Ok(verdict) => {
                assert!(events <= 64 && verdict.reachable && both.engine == Engine::Explicit)
            }
            Err(error) => {
                assert!(
                    events > 64 && error == Error::Large(events) && both.engine == Engine::Sat,
                    "{error}"
                );
                let text = error.to_string();
                assert!(
                    text.contains(&format!("{events} events")) && text.contains("takes 64"),
                    "{text}"
                );
            }
        }
        assert!(both.reachable);
    }
}

/// What was found in a large test is a test again, as text and as a program.
#[test]
fn large_executions_are_programs() {
    let mut runner = Runner::new(&model("ptx-8"));
    let verdict =
        runner.run(&test(&among(90, "relaxed")), &Options::default(), Choice::Auto).unwrap();
    let witness = verdict.witness.unwrap();
    let program = ExecutionProgram::of(&witness.execution, &witness.finals).unwrap();
    assert!(runner.run_program(&program, &Options::default()).unwrap().reachable);
    let rendered = render(&witness.execution, "t", None, &witness.finals).unwrap();
    assert!(
        runner
            .run(&test(&rendered.test.to_string()), &Options::default(), Choice::Auto)
            .unwrap()
            .reachable
    );
}
