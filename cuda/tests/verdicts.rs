//! The kernels of tests/kernels, compiled here and by nvcc: what is said of them must be the same.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use margay_cuda::{CudaSource, compile};
use margay_kernel::harness::Harness;
use margay_kernel::{KernelQuestion, ask};
use margay_ptx::Module;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The PTX of a file; kernels that are not understood have no code.
fn compiled(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("a text");
    let name = path.file_name().expect("a name").to_string_lossy();
    let include = |_: &str| Ok(None);
    let kernels = ["none of them".to_owned()];
    let program = CudaSource {
        name: &name,
        text: &text,
        include: &include,
        target: "sm_90",
        kernels: &kernels,
    };
    compile(&program).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()))
}

/// What goes wrong in a kernel, and whether that is known, in the launches of its harness or those
/// that are chosen.
fn verdict(
    text: &str,
    module: &Module,
    kernel: &str,
    (harness, launch): (Option<&Harness>, Option<&str>),
) -> (Vec<String>, bool) {
    let mut section = harness.map(|h| h.of(kernel)).unwrap_or_default();
    if let Some(launch) = launch {
        section.launches = vec![launch.parse().expect("a launch")];
    }
    let question = KernelQuestion::new(text, module, module.function(kernel).expect(kernel));
    let question = KernelQuestion {
        launches: &section.launches,
        arguments: &section.arguments,
        finals: &section.finals,
        unroll: section.unroll.unwrap_or(question.unroll),
        ..question
    };
    let answer = ask(&question).unwrap_or_else(|why| panic!("{kernel}: {why}"));
    let kinds = answer
        .wrong()
        .into_iter()
        .flat_map(|l| l.findings.iter().map(|f| f.kind.words().to_owned()));
    let mut kinds: Vec<String> = kinds.collect();
    kinds.sort();
    kinds.dedup();
    let is_known = if kinds.is_empty() {
        answer.is_settled(section.launches.is_empty())
    } else {
        answer.is_certain()
    };
    (kinds, is_known)
}

/// Kernels whose verdict differs, with both; `left_out` are those that are not compiled here, with
/// the reason.
fn differing(
    file: &str,
    launch: Option<&str>,
    left_out: &[&str],
) -> BTreeMap<String, [(Vec<String>, bool); 2]> {
    let path = root().join("tests/kernels").join(file);
    let theirs = std::fs::read_to_string(path.with_extension("ptx")).expect("nvcc's PTX");
    let ours = compiled(&path);
    let read = |text: &str| margay_ptx::read(text).unwrap_or_else(|e| panic!("{file}: {e}"));
    let (old, new) = (read(&theirs), read(&ours));
    let harness = std::fs::read_to_string(path.with_extension("harness")).ok();
    let harness = harness.map(|text| Harness::read(&text).expect("a harness"));
    let mut found = BTreeMap::new();
    let mut count = 0;
    for kernel in old.kernels() {
        let name = &old.functions[kernel].name;
        // Ten seconds each.
        if name.starts_with("treiber") {
            continue;
        }
        if left_out.contains(&name.as_str()) {
            let is_left_out = ours.contains(&format!("not asked about\n.visible .entry {name}()"));
            let is_recursive = name == "recursive" && !verdict(&ours, &new, name, (None, None)).1;
            assert!(is_left_out || is_recursive, "{name} is compiled: take it from the list");
            continue;
        }
        let is_stub = ours.contains(&format!("not asked about\n.visible .entry {name}()"));
        assert!(!is_stub, "{file}: {name} is not compiled");
        count += 1;
        let both = [
            verdict(&theirs, &old, name, (harness.as_ref(), launch)),
            verdict(&ours, &new, name, (harness.as_ref(), launch)),
        ];
        if both[0] != both[1] {
            found.insert(name.clone(), both);
        }
    }
    assert!(count > 0, "{file}");
    found
}

fn same(files: &[(&str, Option<&str>)]) {
    let all: Vec<_> =
        files.iter().flat_map(|(file, launch)| differing(file, *launch, &[])).collect();
    assert!(all.is_empty(), "{all:#?}");
}

#[test]
fn the_worked_kernels_have_the_same_verdicts() {
    same(
        &["lock.cu", "last_block.cu", "flag.cu", "barrier.cu", "queue_lock.cu"]
            .map(|file| (file, None)),
    );
}

#[test]
fn locks_and_structures_without_locks_have_the_same_verdicts() {
    let files = [
        ("locks.cu", "2x1"),
        ("queue_locks.cu", "2x1"),
        ("lockless.cu", "2x1"),
        ("grid.cu", "2x2"),
        ("warps.cu", "1x4"),
    ];
    same(&files.map(|(file, launch)| (file, Some(launch))));
}

#[test]
fn the_programs_of_papers_have_the_same_verdicts() {
    let files = [
        "papers/barnes_hut.cu",
        "papers/cuda_by_example.cu",
        "papers/look_back.cu",
        "papers/reduction.cu",
        "papers/task_queue.cu",
        "papers/transactions.cu",
        "papers/within_a_warp.cu",
        "papers/work_stealing.cu",
    ];
    same(&files.map(|file| (file, None)));
}

#[test]
fn ordinary_kernels_have_the_same_verdicts() {
    // Memory that a kernel allocates; nvcc makes a loop of what calls itself.
    let all = differing("ordinary.cu", None, &["allocates", "recursive"]);
    assert!(all.is_empty(), "{all:#?}");
}

#[test]
fn asynchronous_kernels_have_the_same_verdicts() {
    same(&[("bulk.cu", Some("1x2")), ("stages.cu", Some("1x2")), ("copies.cu", Some("1x2"))]);
}

/// With tensor maps, whose type cuda.h has.
#[test]
fn kernels_with_tensor_maps_have_the_same_verdicts() {
    same(&[("tensors.cu", Some("1x96"))]);
}
