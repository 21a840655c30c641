//! Whatever the weak machine shows, `ptx-8` allows: random programs of a few threads in a few blocks, each both a kernel that the machine runs under
//! many seeds and a litmus test whose outcomes the model is asked about.

use std::collections::BTreeMap;

use fastrand::Rng;
use margay_litmus::explicit::{ExplicitRunner, Options};
use margay_litmus::read;
use margay_machine::{LaunchSize, MachineModule, MemoryKind, Schedule};
use margay_models::diagnostic::SourceFile;
use margay_models::library;

/// How many random programs; `MARGAY_CASES` for more.
fn cases() -> u64 {
    std::env::var("MARGAY_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(120)
}

/// How many runs of each.
const RUNS: u64 = 300;

const LOCATIONS: [&str; 3] = ["x", "y", "z"];

/// Threads in blocks, and for each its instructions, in which locations are names and results `r0`, `r1`, ..
struct SmallProgram {
    blocks: u32,
    threads: u32,
    /// `[thread]`
    code: Vec<Vec<String>>,
    /// `[thread]`: how many results it has.
    results: Vec<usize>,
}

impl SmallProgram {
    fn random(rng: &mut Rng) -> Self {
        let (blocks, threads) = [(2, 1), (1, 2), (2, 2), (3, 1)][rng.usize(..4)];
        let count = (blocks * threads) as usize;
        let locations = 2 + rng.usize(..2);
        let has_barrier = threads > 1 && rng.usize(..3) == 0;
        let mut next = 1;
        let (mut code, mut results) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let mut lines = Vec::new();
            let mut reads = 0;
            let length = 2 + rng.usize(..3);
            let barrier_at = rng.usize(..=length);
            for n in 0..=length {
                if has_barrier && n == barrier_at {
                    lines.push("bar".to_owned());
                }
                if n == length {
                    break;
                }
                let scope = ["cta", "gpu", "gpu", "sys"][rng.usize(..4)];
                let location = LOCATIONS[rng.usize(..locations)];
                lines.push(match rng.usize(..10) {
                    0..3 => {
                        let order =
                            ["weak".to_owned(), format!("relaxed.{scope}"), format!("release.{scope}"), "volatile".to_owned()];
                        next += 1;
                        format!("st.{}.u32 {location}, {}", order[rng.usize(..4)], next - 1)
                    }
                    3..6 => {
                        let order =
                            ["weak".to_owned(), format!("relaxed.{scope}"), format!("acquire.{scope}"), "volatile".to_owned()];
                        reads += 1;
                        format!("ld.{}.u32 r{}, {location}", order[rng.usize(..4)], reads - 1)
                    }
                    6..8 => {
                        let order = ["relaxed", "acquire", "release", "acq_rel"][rng.usize(..4)];
                        let change = ["exch.b32", "add.u32"][rng.usize(..2)];
                        next += 1;
                        reads += 1;
                        format!("atom.{order}.{scope}.{change} r{}, {location}, {}", reads - 1, next - 1)
                    }
                    _ => format!("fence.{}.{scope}", ["sc", "acq_rel", "acquire", "release"][rng.usize(..4)]),
                });
            }
            code.push(lines);
            results.push(reads);
        }
        Self { blocks, threads, code, results }
    }

    /// A kernel: each thread does its part and stores its results.
    fn kernel(&self) -> String {
        let mut text = String::from(
            ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry test(.param .u64 px, .param .u64 py, .param .u64 pz, .param .u64 po)\n{\n\
             .reg .b32 %r<40>;\n.reg .b64 %x, %y, %z, %o;\n.reg .pred %p;\n\
             ld.param.u64 %x, [px];\nld.param.u64 %y, [py];\nld.param.u64 %z, [pz];\nld.param.u64 %o, [po];\n\
             mov.u32 %r30, %ctaid.x;\nmov.u32 %r31, %ntid.x;\nmov.u32 %r32, %tid.x;\nmad.lo.s32 %r33, %r30, %r31, %r32;\n",
        );
        for (t, lines) in self.code.iter().enumerate() {
            text += &format!("setp.ne.u32 %p, %r33, {t};\n@%p bra L{t};\n");
            for line in lines {
                let line = match line.split_once(' ') {
                    _ if line == "bar" => "bar.sync 0".to_owned(),
                    Some((operation, operands)) => {
                        let operands = operands.split(", ").map(|o| match o.as_bytes()[0] {
                            b'r' => format!("%{o}"),
                            b'x' | b'y' | b'z' => format!("[%{o}]"),
                            _ => o.to_owned(),
                        });
                        format!("{operation} {}", operands.collect::<Vec<_>>().join(", "))
                    }
                    None => line.clone(),
                };
                text += &format!("{line};\n");
            }
            for r in 0..self.results[t] {
                text += &format!("st.u32 [%o+{}], %r{r};\n", (t * 8 + r) * 4);
            }
            text += &format!("ret;\nL{t}:\n");
        }
        text + "ret;\n}\n"
    }

    /// The litmus test that asks about an outcome.
    fn litmus(&self, condition: &str) -> String {
        let threads: Vec<String> =
            (0..self.code.len()).map(|t| format!("P{t}@cta {},gpu 0", t / self.threads as usize)).collect();
        let mut text = format!("PTX t\n{{ uint32_t x=0; uint32_t y=0; uint32_t z=0; }}\n {} ;\n", threads.join(" | "));
        for row in 0..self.code.iter().map(Vec::len).max().unwrap_or(0) {
            let cells = self.code.iter().map(|lines| match lines.get(row).map_or("", String::as_str) {
                "bar" => "bar.cta.sync 0",
                other => other,
            });
            text += &format!(" {} ;\n", cells.collect::<Vec<_>>().join(" | "));
        }
        text + "exists (" + condition + ")\n"
    }

    /// An outcome of a run: the results, and what is in memory at the end.
    fn run(&self, memory: MemoryKind, seed: u64) -> String {
        let mut device = MachineModule::read(&self.kernel()).unwrap_or_else(|e| panic!("{e}\n{}", self.kernel()));
        let arrays: Vec<u64> = (0..3).map(|_| device.memory.allocate("given", 4).unwrap()).collect();
        let out = device.memory.allocate("given", 4 * 8 * self.code.len() as u64).unwrap();
        let arguments: Vec<Vec<u8>> = arrays.iter().chain([&out]).map(|a| a.to_le_bytes().to_vec()).collect();
        let launch = LaunchSize { blocks: [self.blocks, 1, 1], threads: [self.threads, 1, 1], dynamic_shared: 0 };
        let schedule = Schedule { seed, memory, places: 8, steps: 100_000 };
        device.launch("test", launch, &arguments, &schedule).unwrap_or_else(|e| panic!("{e:?}\n{}", self.kernel()));
        let word = |address: u64| u32::from_le_bytes(device.memory.read(address, 4).unwrap().try_into().unwrap());
        let mut parts: Vec<String> = (0..3).map(|n| format!("{} == {}", LOCATIONS[n], word(arrays[n]))).collect();
        for (t, &results) in self.results.iter().enumerate() {
            parts.extend((0..results).map(|r| format!("P{t}:r{r} == {}", word(out + ((t * 8 + r) * 4) as u64))));
        }
        parts.join(" /\\ ")
    }
}

#[test]
fn whatever_the_weak_machine_shows_the_model_allows() {
    let model = library::load("ptx-8", &[]).unwrap().model;
    let consistent = library::load("sc", &[]).unwrap().model;
    let mut runner = ExplicitRunner::new(&model);
    let mut strong = ExplicitRunner::new(&consistent);
    let mut rng = Rng::with_seed(0x6d61_7267_6179);
    let mut weak_ones = 0;
    for case in 0..cases() {
        let program = SmallProgram::random(&mut rng);
        let mut outcomes = BTreeMap::new();
        for seed in 0..RUNS {
            outcomes.entry(program.run(MemoryKind::Weak, seed)).or_insert(seed);
        }
        for (outcome, seed) in outcomes {
            let text = program.litmus(&outcome);
            let test = read::test(&SourceFile::new("t", &text)).unwrap_or_else(|e| panic!("{}\n{text}", e[0])).test;
            let verdict = runner.run(&test, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
            assert!(verdict.reachable, "program {case}, seed {seed}: the machine shows what ptx-8 forbids\n{text}");
            weak_ones += u32::from(!strong.run(&test, &Options::default()).unwrap().reachable);
        }
    }
    assert!(u64::from(weak_ones) > cases() / 2, "only {weak_ones} outcomes that sequential consistency does not have");
}

#[test]
fn the_other_machine_is_sequentially_consistent() {
    let model = library::load("sc", &[]).unwrap().model;
    let mut runner = ExplicitRunner::new(&model);
    let mut rng = Rng::with_seed(7);
    for case in 0..cases() / 4 {
        let program = SmallProgram::random(&mut rng);
        let outcomes: BTreeMap<String, u64> =
            (0..RUNS / 4).map(|seed| (program.run(MemoryKind::SequentiallyConsistent, seed), seed)).collect();
        for (outcome, seed) in outcomes {
            let text = program.litmus(&outcome);
            let test = read::test(&SourceFile::new("t", &text)).unwrap_or_else(|e| panic!("{}\n{text}", e[0])).test;
            let verdict = runner.run(&test, &Options::default()).unwrap();
            assert!(verdict.reachable, "program {case}, seed {seed}: not sequentially consistent\n{text}");
        }
    }
}
