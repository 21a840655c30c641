//! How fast the engines are: classic tests, IRIW with many writers, thousands of generated tests,
//! and shapes that grow until the explicit engine cannot go through them.
//!
//!     cargo run --release -p margay-litmus --example engine_speed

use std::time::Instant;

use margay_litmus::engine::{Choice, Engine, Runner};
use margay_litmus::explicit::{Error, Options};
use margay_litmus::read;
use margay_litmus::test::Test;
use margay_models::diagnostic::SourceFile;
use margay_models::library;

fn test(text: &str) -> Test {
    match read::test(&SourceFile::new("speed", text)) {
        Ok(read) => read.test,
        Err(errors) => panic!("{}\n{text}", errors[0]),
    }
}

/// A PTX test; each thread in a cta of its own.
fn ptx(threads: &[Vec<String>], condition: &str) -> String {
    let header: Vec<String> = (0..threads.len()).map(|t| format!("P{t}@cta {t},gpu 0")).collect();
    let rows = threads.iter().map(Vec::len).max().unwrap_or(0);
    let row = |r: usize| {
        threads
            .iter()
            .map(|t| t.get(r).cloned().unwrap_or_default())
            .collect::<Vec<_>>()
            .join(" | ")
    };
    let rows: String = (0..rows).map(|r| format!(" {} ;\n", row(r))).collect();
    format!("PTX t\n{{ x=0; y=0; z=0; }}\n {} ;\n{rows}exists ({condition})\n", header.join(" | "))
}

/// Writers of 1, 2, .. to one location, and two readers that see the first two in different orders.
fn iriw(writers: usize, order: &str) -> String {
    let mut threads: Vec<Vec<String>> =
        (1..=writers).map(|v| vec![format!("st.relaxed.gpu x, {v}")]).collect();
    let reads = vec![format!("ld.{order}.gpu r0, x"), format!("ld.{order}.gpu r1, x")];
    threads.extend([reads.clone(), reads]);
    let (a, b) = (writers, writers + 1);
    ptx(&threads, &format!("P{a}:r0 == 1 /\\ P{a}:r1 == 2 /\\ P{b}:r0 == 2 /\\ P{b}:r1 == 1"))
}

/// Random tests of the usual size, the same every time.
fn generated(count: usize) -> Vec<String> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % n
    };
    (0..count)
        .map(|_| {
            let count = 2 + random(3) as usize;
            let mut asked = Vec::new();
            let threads: Vec<Vec<String>> = (0..count)
                .map(|t| {
                    let mut register = 0;
                    (0..2 + random(2))
                        .flat_map(|_| {
                            let l = ["x", "y", "z"][random(3) as usize];
                            let scope = ["cta", "gpu", "sys"][random(3) as usize];
                            let fence = ["fence.sc", "fence.acq_rel"][random(2) as usize];
                            let access = match random(5) {
                                0 | 1 => {
                                    asked.push(format!("P{t}:r{register} == {}", random(2)));
                                    register += 1;
                                    format!(
                                        "ld.{}.{scope} r{}, {l}",
                                        ["relaxed", "acquire"][random(2) as usize],
                                        register - 1
                                    )
                                }
                                2 | 3 => {
                                    format!(
                                        "st.{}.{scope} {l}, {}",
                                        ["relaxed", "release"][random(2) as usize],
                                        1 + random(2)
                                    )
                                }
                                _ => {
                                    asked.push(format!("P{t}:r{register} == {}", random(2)));
                                    register += 1;
                                    format!("atom.acq_rel.{scope}.exch r{}, {l}, 2", register - 1)
                                }
                            };
                            if random(3) == 0 {
                                vec![access, format!("{fence}.{scope}")]
                            } else {
                                vec![access]
                            }
                        })
                        .collect()
                })
                .collect();
            let condition =
                if asked.is_empty() { "x == 1".to_string() } else { asked.join(" /\\ ") };
            ptx(&threads, &condition)
        })
        .collect()
}

/// The same instructions in each of several threads.
fn repeated(threads: usize, instructions: &[&str], condition: &str) -> String {
    let column: Vec<String> = instructions.iter().map(|i| i.to_string()).collect();
    ptx(&vec![column; threads], condition)
}

/// Each thread writes its own location and reads the next one's, with a fence between: can all read
/// 0?
fn ring(threads: usize) -> String {
    let columns: Vec<Vec<String>> = (0..threads)
        .map(|t| {
            let next = (t + 1) % threads;
            vec![
                format!("st.relaxed.gpu v{t}, 1"),
                "fence.sc.gpu".to_string(),
                format!("ld.relaxed.gpu r0, v{next}"),
            ]
        })
        .collect();
    let asked: Vec<String> = (0..threads).map(|t| format!("P{t}:r0 == 0")).collect();
    let declared: String = (0..threads).map(|t| format!("v{t}=0; ")).collect();
    ptx(&columns, &asked.join(" /\\ ")).replace("x=0; y=0; z=0; ", &declared)
}

/// Writers of 1, 2, .. to one location, a reader that sees the last but one after the last, and
/// what is left in the end.
fn observed(writers: usize) -> String {
    let mut threads: Vec<Vec<String>> =
        (1..=writers).map(|v| vec![format!("st.relaxed.gpu x, {v}")]).collect();
    threads.push((0..writers).map(|r| format!("ld.relaxed.gpu r{r}, x")).collect());
    let seen: Vec<String> = (0..writers).map(|r| format!("P{writers}:r{r} == {}", r + 1)).collect();
    ptx(&threads, &format!("{} /\\ x == 1", seen.join(" /\\ ")))
}

/// Shapes of growing size, by each engine and by the one that is chosen; at most 20 s each.
fn growing() {
    type Family = (&'static str, fn(usize) -> String, &'static [usize]);
    let families: [Family; 7] = [
        ("IRIW, n writers", |n| iriw(n, "acquire"), &[4, 8, 12, 16]),
        (
            "n additions, all there",
            |n| repeated(n, &["atom.relaxed.gpu.add r0, x, 1"], &format!("x == {n}")),
            &[4, 6, 8, 12, 16],
        ),
        (
            "n additions, one lost",
            |n| repeated(n, &["atom.relaxed.gpu.add r0, x, 1"], &format!("x == {}", n - 1)),
            &[4, 6, 8, 10],
        ),
        (
            "n exchanges, two see 0",
            |n| repeated(n, &["atom.acq_rel.gpu.exch r0, x, 1"], "P0:r0 == 0 /\\ P1:r0 == 0"),
            &[4, 6, 8, 12, 16],
        ),
        (
            "n locks, two taken",
            |n| repeated(n, &["atom.acquire.gpu.cas r0, x, 0, 1"], "P0:r0 == 0 /\\ P1:r0 == 0"),
            &[4, 8, 12, 16, 24],
        ),
        ("n writers, order seen", observed, &[3, 4, 6, 8, 10]),
        ("ring of n, fence.sc", ring, &[3, 4, 6, 8, 10]),
    ];
    let model = match library::load("ptx-6.0", &[]) {
        Ok(loaded) => loaded.model,
        Err(errors) => panic!("{}", errors[0]),
    };
    let mut runner = Runner::new(&model);
    // The translation of the model is made once for all tests.
    let _ = runner.run(&test(&iriw(2, "acquire")), &Options::default(), Choice::Only(Engine::Sat));
    println!("{:28} {:>4} {:>14} {:>14} {:>14}", "ptx-6.0", "n", "explicit", "sat", "auto");
    for (name, text, sizes) in families {
        for &n in sizes {
            let test = test(&text(n));
            let mut answers = Vec::new();
            let mut ask = |choice: Choice| {
                let start = Instant::now();
                let deadline = start.checked_add(std::time::Duration::from_secs(20));
                let found = runner.run(&test, &Options { deadline, ..Options::default() }, choice);
                let time = start.elapsed().as_secs_f64() * 1e3;
                match found {
                    Ok(verdict) => {
                        answers.push(verdict.reachable);
                        let by = if choice == Choice::Auto {
                            format!(" {}", verdict.engine)
                        } else {
                            String::new()
                        };
                        format!("{time:.2} ms{by}")
                    }
                    Err(Error::Time) => "> 20 s".to_string(),
                    Err(e) => e.to_string(),
                }
            };
            let row = [Choice::Only(Engine::Explicit), Choice::Only(Engine::Sat), Choice::Auto]
                .map(&mut ask);
            assert!(answers.windows(2).all(|w| w[0] == w[1]), "the engines agree");
            let answer = if answers.first() == Some(&true) { "allowed" } else { "forbidden" };
            println!("{name:28} {n:4} {:>14} {:>14} {:>14} {answer}", row[0], row[1], row[2]);
        }
    }
}

fn main() {
    for name in ["ptx-6.0", "ptx-8"] {
        let Ok(loaded) = library::load(name, &[]) else { continue };
        let mut runner = Runner::new(&loaded.model);
        let mut time = |label: &str, tests: &[Test]| {
            let start = Instant::now();
            let (mut reachable, mut executions) = (0, 0);
            let mut slowest = 0.0f64;
            for test in tests {
                let start = Instant::now();
                match runner.run(test, &Options::default(), Choice::Only(Engine::Explicit)) {
                    Ok(verdict) => {
                        reachable += usize::from(verdict.reachable);
                        executions += verdict.executions;
                    }
                    Err(e) => println!("{label}: {e}"),
                }
                slowest = slowest.max(start.elapsed().as_secs_f64());
            }
            let seconds = start.elapsed().as_secs_f64();
            println!(
                "{name:8} {label:24} {:6} tests {:9.3} ms, {:8.4} ms each, slowest {:8.3} ms, {reachable} reachable, {executions} executions",
                tests.len(),
                seconds * 1e3,
                seconds * 1e3 / tests.len() as f64,
                slowest * 1e3
            );
        };
        let mp = |f: &str| {
            let writer =
                vec!["st.weak x, 1".to_string(), f.to_string(), "st.relaxed.gpu y, 1".to_string()];
            let reader = vec![
                "ld.relaxed.gpu r0, y".to_string(),
                f.to_string(),
                "ld.weak r1, x".to_string(),
            ];
            test(&ptx(&[writer, reader], "P1:r0 == 1 /\\ P1:r1 == 0"))
        };
        time("mp+fences", &vec![mp("fence.acq_rel.gpu"); 1000]);
        time("mp+narrow fences", &vec![mp("fence.acq_rel.cta"); 1000]);
        for writers in [2, 4, 6, 8, 10, 12] {
            time(&format!("IRIW {writers} writers"), &[test(&iriw(writers, "acquire"))]);
        }
        let tests: Vec<Test> = generated(10_000).iter().map(|t| test(t)).collect();
        time("generated", &tests);
    }
    println!();
    growing();
    println!();
    let start = Instant::now();
    let texts = generated(10_000);
    let written = start.elapsed();
    let tests: Vec<Test> = texts.iter().map(|t| test(t)).collect();
    println!("reading 10,000 tests: {:.1} ms", (start.elapsed() - written).as_secs_f64() * 1e3);
    drop(tests);
}
