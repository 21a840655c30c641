//! Small kernels in the forms that people write, right and wrong: what is said of each, here and,
//! where there is a toolkit, of what nvcc makes of it.

mod verdicts;

use std::path::{Path, PathBuf};
use std::process::Command;

use margay_cuda::{CudaSource, compile};
use margay_kernel::launch::Launch;
use margay_kernel::{KernelQuestion, ask};

use verdicts::{
    ASSERTED, ATOMICS, BLOCKS, BUILTINS, CHOICES, COMPUTED, COPYING, DECLARATIONS, FILES, FORMS,
    FUNCTIONS, GENERIC, GROUPS, HALF, HELPERS, INSTRUCTIONS, LANGUAGE, LIBRARY, LISTS, MACROS,
    OBJECTS, ONCE, OVERLOADS, OwnKernel, PIECES, PLACES, RECENT, REFERENCES, STRUCTURES, SUITE,
    UNDECIDED, VOCABULARY, WRITTEN,
};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels")
}

fn compiled(file: &str) -> String {
    let text = std::fs::read_to_string(folder().join(file)).expect("a text");
    let include = |_: &str| Ok(None);
    let program =
        CudaSource { name: file, text: &text, include: &include, target: "sm_90", kernels: &[] };
    compile(&program).unwrap_or_else(|e| {
        panic!("{file}: {} in `{}`", e.message, e.text.get(e.start..e.end).unwrap_or(""))
    })
}

/// What is found in a launch.
fn found(text: &str, kernel: &str, launch: &str) -> Vec<&'static str> {
    let module = margay_ptx::read(text).unwrap_or_else(|e| panic!("{kernel}: {e}"));
    let launches: Vec<Launch> = vec![launch.parse().expect("a launch")];
    let number = module
        .functions
        .iter()
        .position(|f| f.entry && f.name == kernel)
        .unwrap_or_else(|| panic!("no {kernel}"));
    let answer =
        ask(&KernelQuestion { launches: &launches, ..KernelQuestion::new(text, &module, number) });
    let answer = answer.unwrap_or_else(|why| panic!("{kernel}: {why}"));
    let mut kinds: Vec<&str> =
        answer.wrong().into_iter().flat_map(|l| l.findings.iter().map(|f| f.kind.name())).collect();
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

#[test]
fn lambdas_and_other_forms_are_judged() {
    judged("forms.cu", FORMS);
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn barriers_and_copies_of_the_library_are_judged() {
    judged("library.cu", LIBRARY);
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn kernels_as_suites_have_them_are_judged() {
    judged("suite.cu", SUITE);
}

#[test]
fn numbers_of_16_bits_are_judged() {
    judged("half.cu", HALF);
}

#[test]
fn packs_and_members_of_bits_are_judged() {
    judged("recent.cu", RECENT);
}

#[test]
fn assertions_between_barriers_are_judged() {
    judged("asserted.cu", ASSERTED);
}

#[test]
fn what_is_computed_when_the_program_is_compiled_is_constant() {
    judged("computed.cu", COMPUTED);
}

#[test]
fn lists_in_braces_get_their_types() {
    judged("lists.cu", LISTS);
}

#[test]
fn static_variables_and_those_of_macros_are_judged() {
    judged("once.cu", ONCE);
}

#[test]
fn templates_of_libraries_are_judged() {
    judged("generic.cu", GENERIC);
}

#[test]
fn tuples_spans_and_optional_values_are_judged() {
    judged("vocabulary.cu", VOCABULARY);
}

#[test]
fn instructions_as_functions_are_judged() {
    judged("instructions.cu", INSTRUCTIONS);
}

#[test]
fn descriptors_and_ranges_are_judged() {
    judged("pieces.cu", PIECES);
}

#[test]
fn the_function_that_a_call_means_is_chosen() {
    judged("overloads.cu", OVERLOADS);
}

#[test]
fn objects_and_what_is_forwarded_are_judged() {
    judged("objects.cu", OBJECTS);
}

#[test]
fn functions_that_types_choose_are_judged() {
    judged("choices.cu", CHOICES);
}

#[test]
fn variables_and_copies_are_judged() {
    judged("places.cu", PLACES);
}

#[test]
fn copies_of_what_says_how_are_judged() {
    judged("copying.cu", COPYING);
}

#[test]
fn references_by_other_names_are_judged() {
    judged("references.cu", REFERENCES);
}

#[test]
fn declarations_that_look_like_others_are_judged() {
    judged("declarations.cu", DECLARATIONS);
}

#[test]
fn what_the_preprocessor_makes_is_judged() {
    judged("written.cu", WRITTEN);
}

#[test]
fn functions_and_vectors_of_cuda_are_judged() {
    judged("helpers.cu", HELPERS);
}

#[test]
fn functions_as_values_are_judged() {
    judged("functions.cu", FUNCTIONS);
}

/// The kernels of a file of which nvcc's PTX has other verdicts, in words.
fn wrong_by_nvcc(toolkit: &Path, file: &str, kernels: &[OwnKernel]) -> Vec<String> {
    let mut wrong = Vec::new();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file).with_extension("ptx");
    let mut command = Command::new(toolkit.join("bin/nvcc"));
    command
        .args(["-std=c++20", "--expt-relaxed-constexpr", "-arch=sm_90", "-ptx", "-lineinfo", "-o"])
        .arg(&target);
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
        // The library waits with pauses that grow, and finds the word of a barrier of the grid
        // by a register of which nothing is known. A pipeline of a block asks who is active
        // with it when it ends, and memory that it only keeps in registers is none.
        let open = [
            "waited",
            "waited_relaxed",
            "grid_sync",
            "pipe_shared",
            "pipe_shared_bad",
            "aref",
            "sem_bad",
            "ptr_array",
        ];
        let is_open = open.contains(&kernel) && kinds == UNDECIDED
            || kernel == "same_value_sh" && kinds.is_empty();
        if kinds != expected && !is_open {
            wrong.push(format!("{file}: {kernel} in {launch}: {kinds:?}, and not {expected:?}"));
        }
    }
    wrong
}

/// nvcc's PTX of the same files has the same verdicts, where there is nvcc.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn nvcc_says_the_same() {
    let toolkit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/toolkit/nvidia/cu13");
    if !toolkit.join("bin/nvcc").is_file() {
        eprintln!("skipped: there is no nvcc in {}; .ci/toolkit downloads it", toolkit.display());
        return;
    }
    // nvcc is a program of one thread: every other file has a thread of its own.
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let halves = [0, 1].map(|first| {
            let toolkit = &toolkit;
            scope.spawn(move || {
                let half = FILES.iter().skip(first).step_by(2);
                half.flat_map(|&(file, kernels)| wrong_by_nvcc(toolkit, file, kernels))
                    .collect::<Vec<_>>()
            })
        });
        halves.into_iter().flat_map(|half| half.join().expect("no verdict panics")).collect()
    });
    assert!(wrong.is_empty(), "as nvcc compiles them: {wrong:#?}");
}
