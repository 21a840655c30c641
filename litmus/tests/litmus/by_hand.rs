//! Tests for CPUs in herd7's syntax, written by hand with the verdict that the architecture's
//! manual and model give, in the forms that such tests take: initial registers with addresses,
//! types, arrays, `forall`, `filter`, `locations`, comments, labels on lines of their own,
//! hexadecimal values. Those that are `refused` are named.

use margay_litmus::engine::{Choice, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::read;
use margay_models::diagnostic::SourceFile;
use margay_models::library;

const TESTS: &str = include_str!("by_hand.txt");

/// What is said of a test: `allowed`, `forbidden`, `forall` where all final states satisfy the
/// condition; or why it is not read.
fn said(text: &str, model: &str) -> Result<&'static str, String> {
    let first = |errors: Vec<margay_models::diagnostic::Diagnostic>| errors[0].to_string();
    let test = read::test(&SourceFile::new("by-hand.litmus", text)).map_err(first)?.test;
    let model = library::load(model, &[]).map_err(first)?.model;
    let verdict = Runner::new(&model)
        .run(&test, &Options::default(), Choice::Both)
        .map_err(|e| e.to_string())?;
    Ok(match (text.contains("\nforall"), verdict.holds, verdict.reachable) {
        (true, true, _) => "forall",
        (_, _, true) => "allowed",
        (_, _, false) => "forbidden",
    })
}

#[test]
fn verdicts_are_those_of_the_architectures() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for test in TESTS.split("=== ").skip(1) {
        let (head, text) = test.split_once('\n').expect("a test");
        let (expected, model) = head.split_once(' ').expect("a verdict and a model");
        let name = text.lines().next().unwrap_or_default();
        count += 1;
        match said(text, model) {
            Ok(found) if found == expected => {}
            Err(why) if expected == "refused" && why.contains('`') | why.contains("widths") => {}
            other => wrong.push(format!("{name}: {other:?}, expected {expected}")),
        }
    }
    assert!(count > 150 && wrong.is_empty(), "{count} tests\n{}", wrong.join("\n"));
}

#[test]
fn kinds_that_are_not_read_are_named() {
    for (kind, what) in [("Bell", ".bell file"), ("BPF", "no model here"), ("ASL", "pseudocode")] {
        let text = format!("{kind} MP\n{{ x=0; }}\n P0 ;\n w[] x 1 ;\nexists (x=1)\n");
        let errors = read::test(&SourceFile::new("t", text)).expect_err("it is not read");
        assert!(errors[0].message.contains(what), "{}", errors[0]);
    }
}

/// Damaged tests are read or refused, soon, and none ends the program.
#[test]
fn damaged_tests_are_read_or_refused() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n.max(1) as u64) as usize
    };
    let models: std::collections::BTreeMap<&str, _> =
        ["aarch64", "armv7", "riscv", "power", "x86", "sc", "tso"]
            .into_iter()
            .map(|name| (name, crate::shipped::model(name)))
            .collect();
    let (mut read, mut refused) = (0, 0);
    for test in TESTS.split("=== ").skip(1) {
        let (head, text) = test.split_once('\n').expect("a test");
        let model = &models[head.split_once(' ').expect("a model").1];
        for _ in 0..6 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..1 + below(2) {
                let at = below(bytes.len());
                let end = (at + 1 + below(3)).min(bytes.len());
                match below(5) {
                    0 => drop(bytes.drain(at..end)),
                    1 => {
                        let piece = bytes[at..end].to_vec();
                        let to = below(bytes.len());
                        bytes.splice(to..to, piece);
                    }
                    2 => bytes[at] = b"{}[]();|~/\\=,.:x01W%# \n"[below(23)],
                    3 => bytes.truncate(end),
                    _ => {
                        bytes.splice(at..at, *b"18446744073709551616");
                    }
                }
            }
            let text = String::from_utf8(bytes).expect("it is ASCII");
            let start = std::time::Instant::now();
            match read::test(&SourceFile::new("damaged.litmus", text.clone())) {
                Err(errors) => {
                    refused += 1;
                    assert!(!errors.is_empty(), "{text}");
                }
                Ok(found) => {
                    read += 1;
                    let deadline = Some(start + std::time::Duration::from_secs(2));
                    let _ = Runner::new(model).run(
                        &found.test,
                        &Options { deadline, ..Options::default() },
                        Choice::Auto,
                    );
                }
            }
            assert!(
                start.elapsed() < std::time::Duration::from_secs(600),
                "{:?}:\n{text}",
                start.elapsed()
            );
        }
    }
    assert!(read > 60 && refused > 100, "{read} read, {refused} refused");
}
