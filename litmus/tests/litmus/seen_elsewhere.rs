//! What others saw on GPUs (tests/seen-elsewhere): whatever was seen is allowed by `ptx-8` and `ptx-6.0`, and `ptx-6.0` says of each
//! test what its authors' own model of PTX 6.0 says. Both engines are asked.
//!
//! The programs are written from the tests' names. Atomics are libcu++'s, so a sequentially consistent store is `fence.sc` and a relaxed
//! store, and a sequentially consistent load is `fence.sc` and an acquire load (ASPLOS 2019, Fig. 11). Fences have the fence's scope,
//! all else that of the atomics. A variant names the threads with a fence; in the others an order stands in its place.

use std::fmt::Write;
use std::path::Path;

use margay_litmus::engine::{Choice, Engine, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::read;
use margay_litmus::test::Test;
use margay_models::diagnostic::SourceFile;
use margay_models::library;

/// What two scopes a test's atomics and fences have, as PTX writes them.
struct Scopes {
    atomics: &'static str,
    fences: &'static str,
}

/// One published test: its program and outcome as a litmus test, what was seen, and what its authors' model says.
struct PublishedTest {
    name: String,
    text: String,
    seen: bool,
    allowed_by_authors: bool,
}

fn load(scopes: &Scopes, order: &str, register: &str, location: &str) -> Vec<String> {
    let atomics = scopes.atomics;
    match order {
        "sc" => vec![format!("fence.sc.{atomics}"), format!("ld.acquire.{atomics} {register}, {location}")],
        _ => vec![format!("ld.{order}.{atomics} {register}, {location}")],
    }
}

fn store(scopes: &Scopes, order: &str, location: &str, value: u32) -> Vec<String> {
    let atomics = scopes.atomics;
    match order {
        "sc" => vec![format!("fence.sc.{atomics}"), format!("st.relaxed.{atomics} {location}, {value}")],
        _ => vec![format!("st.{order}.{atomics} {location}, {value}")],
    }
}

/// The orders of the shapes whose middle thread loads and stores (`ISA2`, `WRC`, `WRW+2W`): those of that load and store, and that of
/// the last thread. `fenced[thread]` is true where a fence stands.
fn middle<'a>(variant: &str, fenced: &[bool]) -> (&'a str, &'a str) {
    match (fenced[1], variant) {
        (true, _) | (_, "RELAXED") => ("relaxed", "relaxed"),
        (_, v) if v == "ACQUIRE" || v.ends_with("_ACQ") => ("acquire", "relaxed"),
        (_, v) if v == "RELEASE" || v.ends_with("_REL") => ("relaxed", "release"),
        (_, v) => panic!("{v}: no order for the middle thread"),
    }
}

/// Which threads of a variant have a fence.
fn fences(variant: &str, shape: &str) -> [bool; 4] {
    let mut fenced = [false; 4];
    if !variant.contains("FENCE") {
        return fenced;
    }
    match (variant, shape) {
        ("BOTH_FENCE", "iriw") => (fenced[1], fenced[3]) = (true, true),
        ("BOTH_FENCE", "two_2w") => (fenced[0], fenced[1]) = (true, true),
        ("BOTH_FENCE", _) => (fenced[1], fenced[2]) = (true, true),
        ("ALL_FENCE", _) => fenced = [true; 4],
        _ => variant.chars().filter_map(|c| c.to_digit(10)).for_each(|thread| fenced[thread as usize] = true),
    }
    fenced
}

/// The threads' instructions and the condition.
fn program(shape: &str, variant: &str, scopes: &Scopes) -> (Vec<Vec<String>>, &'static str) {
    let fenced = fences(variant, shape);
    let fence = |thread: usize| match fenced[thread] {
        true => vec![format!("fence.acq_rel.{}", scopes.fences)],
        false => Vec::new(),
    };
    // The order of an access beside which a fence may stand: none is needed then.
    let order = |thread: usize, order: &'static str| if fenced[thread] || variant == "RELAXED" { "relaxed" } else { order };
    let ld = |order: &str, register: &str, location: &str| load(scopes, order, register, location);
    let st = |order: &str, location: &str, value: u32| store(scopes, order, location, value);
    match shape {
        "iriw" => (
            vec![
                st("relaxed", "x", 1),
                [ld(order(1, "acquire"), "r0", "x"), fence(1), ld("relaxed", "r1", "y")].concat(),
                st("relaxed", "y", 1),
                [ld(order(3, "acquire"), "r2", "y"), fence(3), ld("relaxed", "r3", "x")].concat(),
            ],
            "P1:r0 == 1 /\\ P1:r1 == 0 /\\ P3:r2 == 1 /\\ P3:r3 == 0",
        ),
        "isa2" => {
            let (read, write) = middle(variant, &fenced);
            (
                vec![
                    [st("relaxed", "x", 1), fence(0), st(order(0, "release"), "y", 1)].concat(),
                    [ld(read, "r0", "y"), fence(1), st(write, "z", 1)].concat(),
                    [ld(order(2, "acquire"), "r1", "z"), fence(2), ld("relaxed", "r2", "x")].concat(),
                ],
                "P1:r0 == 1 /\\ P2:r1 == 1 /\\ P2:r2 == 0",
            )
        }
        "rwc" => {
            // The fence of the last thread is sequentially consistent: only this orders its store before its load.
            let last = if fenced[2] { vec![format!("fence.sc.{}", scopes.fences)] } else { Vec::new() };
            let sc = |access: &str| if variant.ends_with(access) { "sc" } else { "relaxed" };
            (
                vec![
                    st("relaxed", "x", 1),
                    [ld(order(1, "acquire"), "r0", "x"), fence(1), ld("relaxed", "r1", "y")].concat(),
                    [st(sc("STORE_SC"), "y", 1), last, ld(sc("LOAD_SC"), "r2", "x")].concat(),
                ],
                "P1:r0 == 1 /\\ P1:r1 == 0 /\\ P2:r2 == 0",
            )
        }
        "wrc" => {
            let (read, write) = middle(variant, &fenced);
            (
                vec![
                    st("relaxed", "x", 1),
                    [ld(read, "r0", "x"), fence(1), st(write, "y", 1)].concat(),
                    [ld(order(2, "acquire"), "r1", "y"), fence(2), ld("relaxed", "r2", "x")].concat(),
                ],
                "P1:r0 == 1 /\\ P2:r1 == 1 /\\ P2:r2 == 0",
            )
        }
        "wrw_2w" => {
            let (read, write) = middle(variant, &fenced);
            (
                vec![
                    st("relaxed", "x", 2),
                    [ld(read, "r0", "x"), fence(1), st(write, "y", 1)].concat(),
                    [st("relaxed", "y", 2), fence(2), st(order(2, "release"), "x", 1)].concat(),
                ],
                "P1:r0 == 2 /\\ x == 2 /\\ y == 2",
            )
        }
        "wwc" => {
            // Without fences the two words are the orders of the two threads; with one fence the word is that of the other thread.
            let words: Vec<&str> = variant.split('_').filter(|word| matches!(*word, "ACQ" | "REL")).collect();
            let orders = |thread: usize| match (fenced[thread], words.get(if words.len() == 2 { thread - 1 } else { 0 })) {
                (false, Some(&"ACQ")) => ("acquire", "relaxed"),
                (false, Some(&"REL")) => ("relaxed", "release"),
                _ => ("relaxed", "relaxed"),
            };
            let thread = |t: usize, register: &str, from: &str, to: &str| {
                let (read, write) = orders(t);
                [ld(read, register, from), fence(t), st(write, to, 1)].concat()
            };
            (
                vec![st("relaxed", "x", 2), thread(1, "r0", "x", "y"), thread(2, "r1", "y", "x")],
                "P1:r0 == 2 /\\ P2:r1 == 1 /\\ x == 2",
            )
        }
        "z6_3" => (
            vec![
                [st("relaxed", "x", 1), fence(0), st(order(0, "release"), "y", 1)].concat(),
                [st("relaxed", "y", 2), fence(1), st(order(1, "release"), "z", 1)].concat(),
                [ld(order(2, "acquire"), "r0", "z"), fence(2), ld("relaxed", "r1", "x")].concat(),
            ],
            "y == 2 /\\ P2:r0 == 1 /\\ P2:r1 == 0",
        ),
        "three_2w" | "two_2w" => {
            let locations = if shape == "two_2w" { vec!["x", "y"] } else { vec!["x", "y", "z"] };
            let thread = |t: usize| {
                let (from, to) = (locations[t], locations[(t + 1) % locations.len()]);
                [st("relaxed", from, 2), fence(t), st(order(t, "release"), to, 1)].concat()
            };
            let condition = if shape == "two_2w" { "x == 2 /\\ y == 2" } else { "x == 2 /\\ y == 2 /\\ z == 2" };
            ((0..locations.len()).map(thread).collect(), condition)
        }
        "paper_example1" => (
            vec![
                [st(order(0, "release"), "x", 1), st(order(0, "release"), "y", 1)].concat(),
                [ld(order(1, "acquire"), "r0", "y"), st(order(1, "release"), "z", 1)].concat(),
                [st(order(2, "release"), "z", 2), st(order(2, "release"), "a", 1)].concat(),
                [ld(order(3, "acquire"), "r1", "a"), ld(order(3, "acquire"), "r2", "x")].concat(),
            ],
            "P1:r0 == 1 /\\ z == 2 /\\ P3:r1 == 1 /\\ P3:r2 == 0",
        ),
        "paper_example2" => (
            vec![
                [st(order(0, "release"), "x", 1), st(order(0, "release"), "y", 1)].concat(),
                [ld(order(1, "acquire"), "r0", "y"), ld(order(1, "acquire"), "r1", "z")].concat(),
                [st(order(2, "release"), "z", 1), st(order(2, "release"), "a", 1)].concat(),
                [ld(order(3, "acquire"), "r2", "a"), ld(order(3, "acquire"), "r3", "x")].concat(),
            ],
            "P1:r0 == 1 /\\ P1:r1 == 0 /\\ P3:r2 == 1 /\\ P3:r3 == 0",
        ),
        shape => panic!("{shape}: an unknown shape"),
    }
}

/// The litmus test of a program: each group of `blocks` is a thread block of one GPU.
fn litmus(name: &str, blocks: &str, threads: &[Vec<String>], condition: &str) -> String {
    let cta = |thread: usize| blocks.split('_').position(|block| block.contains(&thread.to_string())).unwrap();
    let places: Vec<String> = (0..threads.len()).map(|t| format!("P{t}@cta {},gpu 0", cta(t))).collect();
    let mut text = format!("PTX {name}\n{{ x=0; y=0; z=0; a=0; }}\n {} ;\n", places.join(" | "));
    for row in 0..threads.iter().map(Vec::len).max().unwrap_or(0) {
        let cells: Vec<&str> = threads.iter().map(|thread| thread.get(row).map_or("", String::as_str)).collect();
        writeln!(text, " {} ;", cells.join(" | ")).unwrap();
    }
    text + "exists (" + condition + ")\n"
}

const SCOPES: [(&str, &str); 2] = [("BLOCK", "cta"), ("DEVICE", "gpu")];

/// All published tests of the file, which says its own form.
fn published() -> Vec<PublishedTest> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/seen-elsewhere/pldi2026.txt");
    let file = std::fs::read_to_string(path).unwrap();
    let mut tests = Vec::new();
    let mut lines = file.lines().filter(|line| !line.starts_with('#'));
    let mut variants = [Vec::new(), Vec::new()];
    while let Some(line) = lines.next() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words[0] == "variants" {
            let bar = words.iter().position(|word| *word == "|").unwrap();
            variants = [words[2..bar].to_vec(), words[bar + 1..].to_vec()];
            continue;
        }
        let [shape, blocks] = [words[1], words[2]];
        let model: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
        assert_eq!((words[0], model[0], &model[1..3]), ("seen", "model", &words[1..3]));
        let groups = SCOPES.iter().flat_map(|atomics| SCOPES.iter().map(Some).chain([None]).map(move |fences| (atomics, fences)));
        for ((atomics, fences), (digits, signs)) in groups.zip(words[3..].iter().zip(&model[3..])) {
            if *digits == "-" {
                continue;
            }
            let variants = &variants[usize::from(fences.is_none())];
            assert_eq!((digits.len(), signs.len()), (variants.len(), variants.len()), "{line}");
            for ((variant, digit), sign) in variants.iter().zip(digits.bytes()).zip(signs.bytes()) {
                let of_fences = fences.map_or("NO_FENCE".to_string(), |f| format!("FENCE_SCOPE_{}", f.0));
                let name = format!("{shape}_TB_{blocks}_SCOPE_{}_{of_fences}_{variant}", atomics.0);
                let scopes = Scopes { atomics: atomics.1, fences: fences.unwrap_or(atomics).1 };
                let (threads, condition) = program(shape, variant, &scopes);
                let text = litmus(&name, blocks, &threads, condition);
                tests.push(PublishedTest { name, text, seen: digit != b'0', allowed_by_authors: sign == b'+' });
            }
        }
    }
    tests
}

fn parse(published: &PublishedTest) -> Test {
    let source = SourceFile::new(&published.name, &published.text);
    read::test(&source).unwrap_or_else(|e| panic!("{}\n{}", e[0], published.text)).test
}

#[test]
fn the_file_holds_what_was_published() {
    let tests = published();
    assert_eq!(tests.len(), 1306);
    assert_eq!(tests.iter().filter(|test| test.seen).count(), 566, "564 of the shapes, and both relaxed examples");
    assert_eq!(tests.iter().filter(|test| !test.allowed_by_authors).count(), 98);
}

#[test]
fn whatever_was_seen_is_allowed() {
    let tests = published();
    for name in ["ptx-8", "ptx-6.0"] {
        let model = library::load(name, &[]).unwrap().model;
        let mut runner = Runner::new(&model);
        let mut wrong = Vec::new();
        for published in &tests {
            let test = parse(published);
            for engine in [Engine::Explicit, Engine::Sat] {
                let verdict = runner.run(&test, &Options::default(), Choice::Only(engine)).unwrap();
                if published.seen && !verdict.reachable {
                    wrong.push(format!("{name} forbids what was seen ({engine}):\n{}", published.text));
                }
                if verdict.reachable != published.allowed_by_authors {
                    wrong.push(format!(
                        "{name} says reachable = {} ({engine}), the authors not:\n{}",
                        verdict.reachable, published.text
                    ));
                }
            }
        }
        assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), 2 * tests.len(), wrong[..wrong.len().min(6)].join("\n"));
    }
}
