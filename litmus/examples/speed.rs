//! How fast the explicit engine is: classic tests, IRIW with many writers, and thousands of generated tests.
//!
//!     cargo run --release -p margay-litmus --example speed

use std::time::Instant;

use margay_litmus::explicit::{Options, Runner};
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
    let row = |r: usize| threads.iter().map(|t| t.get(r).cloned().unwrap_or_default()).collect::<Vec<_>>().join(" | ");
    let rows: String = (0..rows).map(|r| format!(" {} ;\n", row(r))).collect();
    format!("PTX t\n{{ x=0; y=0; z=0; }}\n {} ;\n{rows}exists ({condition})\n", header.join(" | "))
}

/// Writers of 1, 2, .. to one location, and two readers that see the first two in different orders.
fn iriw(writers: usize, order: &str) -> String {
    let mut threads: Vec<Vec<String>> = (1..=writers).map(|v| vec![format!("st.relaxed.gpu x, {v}")]).collect();
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
                                    format!("ld.{}.{scope} r{}, {l}", ["relaxed", "acquire"][random(2) as usize], register - 1)
                                }
                                2 | 3 => {
                                    format!("st.{}.{scope} {l}, {}", ["relaxed", "release"][random(2) as usize], 1 + random(2))
                                }
                                _ => {
                                    asked.push(format!("P{t}:r{register} == {}", random(2)));
                                    register += 1;
                                    format!("atom.acq_rel.{scope}.exch r{}, {l}, 2", register - 1)
                                }
                            };
                            if random(3) == 0 { vec![access, format!("{fence}.{scope}")] } else { vec![access] }
                        })
                        .collect()
                })
                .collect();
            let condition = if asked.is_empty() { "x == 1".to_string() } else { asked.join(" /\\ ") };
            ptx(&threads, &condition)
        })
        .collect()
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
                match runner.run(test, &Options::default()) {
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
            let writer = vec!["st.weak x, 1".to_string(), f.to_string(), "st.relaxed.gpu y, 1".to_string()];
            let reader = vec!["ld.relaxed.gpu r0, y".to_string(), f.to_string(), "ld.weak r1, x".to_string()];
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
    let start = Instant::now();
    let texts = generated(10_000);
    let written = start.elapsed();
    let tests: Vec<Test> = texts.iter().map(|t| test(t)).collect();
    println!("reading 10,000 tests: {:.1} ms", (start.elapsed() - written).as_secs_f64() * 1e3);
    drop(tests);
}
