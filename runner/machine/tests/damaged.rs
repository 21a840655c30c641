//! No program ends the machine: kernels of tests/kernels in which words are exchanged, run for some
//! steps.

use std::path::{Path, PathBuf};

use fastrand::Rng;
use margay_machine::{LaunchSize, MachineModule, MemoryKind, Schedule};

/// Words that stand in the place of others.
const WORDS: [&str; 40] = [
    "u8", "s8", "b16", "u16", "s16", "u32", "s32", "b64", "u64", "s64", "b128", "f16", "f32",
    "f64", "bf16", "pred", "v2", "v4", "wide", "hi", "lo", "cta", "gpu", "sys", "relaxed",
    "acq_rel", "release", "shared", "global", "local", "param", "add", "exch", "cas", "inc", "min",
    "sat", "ftz", "rn", "sync",
];

fn files() -> Vec<PathBuf> {
    let mut all = Vec::new();
    for folder in [
        "tests/kernels",
        "tests/kernels/papers",
        "tests/kernels/papers/full",
        "tests/kernels/triton",
        "tests/kernels/orders",
    ] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
        let found = std::fs::read_dir(folder).into_iter().flatten().map(|e| e.unwrap().path());
        all.extend(found.filter(|p| p.extension().is_some_and(|e| e == "ptx")));
    }
    all.sort();
    assert!(all.len() > 20, "{all:?}");
    all
}

/// Where words that begin with a point, registers, numbers and operation names are.
fn words(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        match (c.is_ascii_alphanumeric() || c == '_' || c == '%', start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                found.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    found
}

fn damaged(rng: &mut Rng, text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..1 + rng.usize(..3) {
        let body = text.find('{').unwrap_or(0);
        let all: Vec<_> = words(&text).into_iter().filter(|r| r.start > body).collect();
        if all.is_empty() {
            break;
        }
        let place = all[rng.usize(..all.len())].clone();
        let other = all[rng.usize(..all.len())].clone();
        let number =
            [0, 1, 31, 32, 63, 64, 255, 4_294_967_295, u64::MAX][rng.usize(..9)].to_string();
        let by = match rng.usize(..4) {
            0 => number,
            1 => text[other].to_owned(),
            _ => WORDS[rng.usize(..WORDS.len())].to_owned(),
        };
        text.replace_range(place, &by);
    }
    text
}

#[test]
fn no_program_ends_the_machine() {
    let cases = std::env::var("MARGAY_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(12u64);
    let mut rng = Rng::with_seed(9);
    let (mut read, mut ran) = (0, 0);
    for file in files() {
        let text = std::fs::read_to_string(&file).unwrap();
        let module = margay_ptx::read(&text).unwrap();
        for case in 0..cases {
            let text = if case == 0 { text.clone() } else { damaged(&mut rng, &text) };
            let Ok(mut device) = MachineModule::read(&text) else { continue };
            read += 1;
            let arrays: Vec<u64> = (0..4)
                .map(|n| device.memory.allocate("given", 1 << (4 + 4 * n)).unwrap())
                .collect();
            for kernel in module.kernels().map(|k| &module.functions[k]) {
                let arguments: Vec<Vec<u8>> = kernel
                    .parameters
                    .iter()
                    .enumerate()
                    .map(|(n, parameter)| match parameter {
                        margay_ptx::Parameter::Memory(id)
                            if module.variable(*id).size == Some(8) =>
                        {
                            arrays[3 - n % 4].to_le_bytes().to_vec()
                        }
                        margay_ptx::Parameter::Memory(id) => {
                            vec![1; module.variable(*id).size.unwrap_or(4).min(4) as usize]
                        }
                        margay_ptx::Parameter::Register(_) => vec![1; 4],
                    })
                    .collect();
                let memory =
                    if rng.bool() { MemoryKind::Weak } else { MemoryKind::SequentiallyConsistent };
                let launch = LaunchSize {
                    blocks: [2, 1, 1],
                    threads: [1 + rng.u32(..40), 1, 1],
                    dynamic_shared: 64,
                };
                let schedule = Schedule { seed: case, memory, places: 2, steps: 3_000 };
                ran +=
                    u32::from(device.launch(&kernel.name, launch, &arguments, &schedule).is_ok());
            }
        }
    }
    assert!(read > 20 && ran > 20, "{read} were read, and {ran} kernels ran to their end");
}
