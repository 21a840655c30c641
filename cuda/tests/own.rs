//! Small kernels in the forms that people write, right and wrong: what is said of each, here and, where there is a toolkit, of what nvcc makes of it.

use std::path::{Path, PathBuf};
use std::process::Command;

use margay_cuda::{CudaSource, compile};
use margay_kernel::launch::Launch;
use margay_kernel::{KernelQuestion, ask};

/// A kernel, the launch, and what is found: nothing, or the kinds of findings.
type OwnKernel = (&'static str, &'static str, &'static [&'static str]);

const RACE: &[&str] = &["data-race"];
const RACE_AND_TRAP: &[&str] = &["data-race", "trap"];
const UNDECIDED: &[&str] = &["undecided"];

const STRUCTURES: &[OwnKernel] = &[
    ("class_lock", "2x1", &[]),
    ("class_lock_without_fence", "2x1", RACE),
    ("guarded", "2x1", &[]),
    ("guarded_too_little", "2x1", RACE),
    ("tried", "2x1", &[]),
    ("ticket_class", "2x1", &[]),
    ("ticket_class_relaxed", "2x1", RACE),
    ("flag_of_library", "2x1", &[]),
    ("derived", "2x1", &[]),
    ("derived_wrong", "2x1", RACE),
    ("initialised", "2x1", &[]),
    ("handed_on", "2x1", &[]),
    ("packed", "2x1", &[]),
];

const ATOMICS: &[OwnKernel] = &[
    ("message", "2x1", &[]),
    ("message_relaxed", "2x1", RACE_AND_TRAP),
    ("message_by_operators", "2x1", &[]),
    ("waited", "2x1", &[]),
    ("waited_relaxed", "2x1", RACE_AND_TRAP),
    ("message_of_block", "2x1", RACE_AND_TRAP),
    ("message_by_reference", "2x1", &[]),
    ("message_by_reference_without_fence", "2x1", RACE_AND_TRAP),
    ("buffering", "2x1", &[]),
    ("buffering_relaxed", "2x1", &[]),
    // Whether a loop ends that does more than wait is not looked into.
    ("maximum", "2x1", UNDECIDED),
    ("maximum_wrong", "2x1", RACE),
    ("counted", "2x1", &[]),
    ("bits", "2x1", &[]),
    ("of_block_between_blocks", "2x1", RACE),
    ("boolean", "2x1", &[]),
];

const BLOCKS: &[OwnKernel] = &[
    ("shifted", "1x4", &[]),
    ("shifted_wrong", "1x4", RACE),
    ("own_elements", "1x4", &[]),
    ("neighbour", "1x4", RACE),
    ("divergent", "1x4", &["different-barriers"]),
    // Whether threads of a warp may end in front of a barrier the ISA says in two ways.
    ("early_end", "1x4", UNDECIDED),
    ("two_dimensions", "1x(2x2)", &[]),
    ("two_dimensions_wrong", "1x(2x2)", RACE),
    ("dynamic", "1x4", &[]),
    ("dynamic_wrong", "1x4", RACE),
    ("cases", "1x4", &[]),
    ("cases_wrong", "1x2", RACE),
    ("swapped", "1x2", &[]),
    ("loops", "1x2", &[]),
    ("types", "1x2", &[]),
    ("pointers", "1x2", &[]),
    ("printed", "1x2", &[]),
];

const GROUPS: &[OwnKernel] = &[
    ("group_sync", "2x2", &[]),
    ("group_without_sync", "1x2", RACE),
    ("tile_sum", "1x32", &[]),
    ("tile_sync", "1x4", &[]),
    ("tile_sync_too_small", "1x4", RACE),
    ("grid_sync", "2x1", &[]),
    ("grid_without_sync", "2x1", RACE),
    ("voted", "1x32", &[]),
    ("synced_warp", "1x2", &[]),
    ("inline_message", "2x1", &[]),
    ("inline_message_relaxed", "2x1", RACE),
    ("inline_message_fenced", "2x1", &[]),
    ("inline_computes", "1x2", &[]),
    ("tile_reduce", "1x4", &[]),
    ("own_atomics", "2x1", &[]),
    ("own_atomics_relaxed", "2x1", RACE),
];

const MACROS: &[OwnKernel] = &[
    ("process_int_2_5", "2x2", &[]),
    ("process_int_8_6", "2x2", RACE),
    ("constants", "1x2", &[]),
    ("spans", "1x2", &[]),
    ("spans_wrong", "1x2", RACE),
    ("matrices", "1x(2x2)", &[]),
    ("changed_parameter", "1x2", &[]),
];

const LANGUAGE: &[OwnKernel] = &[
    ("ns", "1x1", &[]),
    ("shadow", "1x1", &[]),
    ("pr", "1x1", &[]),
    ("fns", "1x1", &[]),
    ("ops", "1x1", &[]),
    ("sw", "1x1", &[]),
    ("dev", "1x1", &[]),
];

const BUILTINS: &[OwnKernel] = &[
    ("mp", "2x1", &[]),
    ("mp_bad", "2x1", RACE),
    ("lock", "2x1", &[]),
    ("sum", "2x2", &[]),
    ("copies", "1x4", &[]),
    ("copies_bad", "1x2", RACE),
];

const FILES: &[(&str, &[OwnKernel])] = &[
    ("structures.cu", STRUCTURES),
    ("atomics.cu", ATOMICS),
    ("blocks.cu", BLOCKS),
    ("groups.cu", GROUPS),
    ("macros.cu", MACROS),
    ("language.cu", LANGUAGE),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels")
}

fn compiled(file: &str) -> String {
    let text = std::fs::read_to_string(folder().join(file)).expect("a text");
    let include = |_: &str| None;
    let program = CudaSource { name: file, text: &text, include: &include, target: "sm_90", kernels: &[] };
    compile(&program).unwrap_or_else(|e| panic!("{file}: {} in `{}`", e.message, e.text.get(e.start..e.end).unwrap_or("")))
}

/// What is found in a launch.
fn found(text: &str, kernel: &str, launch: &str) -> Vec<&'static str> {
    let module = margay_ptx::read(text).unwrap_or_else(|e| panic!("{kernel}: {e}"));
    let launches: Vec<Launch> = vec![launch.parse().expect("a launch")];
    let number = module.functions.iter().position(|f| f.entry && f.name == kernel).unwrap_or_else(|| panic!("no {kernel}"));
    let answer = ask(&KernelQuestion { launches: &launches, ..KernelQuestion::new(text, &module, number) });
    let answer = answer.unwrap_or_else(|why| panic!("{kernel}: {why}"));
    let mut kinds: Vec<&str> = answer.wrong().into_iter().flat_map(|l| l.findings.iter().map(|f| f.kind.name())).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let is_known = if kinds.is_empty() { answer.is_settled(false) } else { answer.is_certain() };
    if is_known { kinds } else { vec!["undecided"] }
}

fn judged(file: &str, kernels: &[OwnKernel]) {
    let text = compiled(file);
    let mut wrong = Vec::new();
    for &(kernel, launch, expected) in kernels {
        let kinds = found(&text, kernel, launch);
        if kinds != expected {
            wrong.push(format!("{kernel} in {launch}: {kinds:?}, and not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{file}: {wrong:#?}");
}

#[test]
fn structures_are_judged() {
    judged("structures.cu", STRUCTURES);
}

#[test]
fn atomics_are_judged() {
    judged("atomics.cu", ATOMICS);
}

#[test]
fn kernels_of_one_block_are_judged() {
    judged("blocks.cu", BLOCKS);
}

#[test]
fn groups_and_inline_ptx_are_judged() {
    judged("groups.cu", GROUPS);
}

#[test]
fn templates_and_constants_are_judged() {
    judged("macros.cu", MACROS);
}

/// nvcc has none of the atomics of GCC and clang, and so is not asked about these.
#[test]
fn builtins_of_other_compilers_are_judged() {
    judged("builtins.cu", BUILTINS);
}

#[test]
fn the_language_computes_what_it_says() {
    judged("language.cu", LANGUAGE);
}

/// nvcc's PTX of the same files has the same verdicts, where there is nvcc.
#[test]
fn nvcc_says_the_same() {
    let toolkit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/toolkit/nvidia/cu13");
    if !toolkit.join("bin/nvcc").is_file() {
        eprintln!("skipped: there is no nvcc in {}; .ci/toolkit downloads it", toolkit.display());
        return;
    }
    let out = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut wrong = Vec::new();
    for &(file, kernels) in FILES {
        let target = out.join(file).with_extension("ptx");
        let mut command = Command::new(toolkit.join("bin/nvcc"));
        command.args(["-std=c++17", "-arch=sm_90", "-ptx", "-lineinfo", "-o"]).arg(&target);
        for include in ["include/cccl", "include"] {
            command.arg("-I").arg(toolkit.join(include));
        }
        let done = command.arg(folder().join(file)).output().expect("nvcc starts");
        assert!(done.status.success(), "{file}: {}", String::from_utf8_lossy(&done.stderr));
        let text = std::fs::read_to_string(&target).expect("PTX");
        for &(kernel, launch, expected) in kernels {
            // nvcc's names have types in them where the kernel is not `extern "C"`.
            if !text.contains(&format!(".entry {kernel}(")) {
                continue;
            }
            let kinds = found(&text, kernel, launch);
            // The library waits with pauses that grow, and finds the word of a barrier of the grid by a register of which nothing is known.
            let is_open = ["waited", "waited_relaxed", "grid_sync"].contains(&kernel) && kinds == UNDECIDED;
            if kinds != expected && !is_open {
                wrong.push(format!("{file}: {kernel} in {launch}: {kinds:?}, and not {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "as nvcc compiles them: {wrong:#?}");
}
