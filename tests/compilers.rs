//! What the real compiler makes of the programs that are reported: nvcc and libcu++ from `.ci/toolkit`, if they are there.
//!
//! The mapping `libcudacxx-3.5` claims to say what libcu++ emits. So each of its counterexamples, as CUDA C++, compiled by nvcc, must
//! have the accesses and fences of the reported PTX program, thread by thread.

use std::path::{Path, PathBuf};
use std::process::Command;

use margay_litmus::print::cuda_program;
use margay_litmus::read;
use margay_litmus::render::render;
use margay_mappings::check::{CheckOptions, CheckReport, Silent, check};
use margay_mappings::language::Mapping;
use margay_mappings::library;
use margay_models::diagnostic::SourceFile;

/// The folder of the toolkit, or the reason why the test cannot ask it.
fn toolkit() -> Result<PathBuf, &'static str> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/toolkit/nvidia/cu13");
    if folder.join("bin/nvcc").exists() { Ok(folder) } else { Err("skipped: no CUDA compiler; `.ci/toolkit` fetches one") }
}

/// Compiles a program to PTX.
fn compile(toolkit: &Path, program: &str, name: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compilers");
    std::fs::create_dir_all(&folder).expect("a folder");
    let (source, target) = (folder.join(format!("{name}.cu")), folder.join(format!("{name}.ptx")));
    std::fs::write(&source, program).expect("a file");
    let output = Command::new(toolkit.join("bin/nvcc"))
        .args(["-arch=sm_90", "-ptx", "-o"])
        .arg(&target)
        .arg(&source)
        .arg("-I")
        .arg(toolkit.join("include/cccl"))
        .arg("-I")
        .arg(toolkit.join("include"))
        .output()
        .expect("nvcc starts");
    assert!(output.status.success(), "{program}\n{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read_to_string(target).expect("nvcc writes PTX")
}

/// The accesses and fences of one PTX program, without types, registers and state spaces, weak accesses left out (nvcc's own are
/// among them): `atom.exch.acquire.gpu` and `atom.acquire.gpu.exch` are both `atom acquire gpu exch`, in a fixed order.
fn instructions(ptx: &str) -> Vec<String> {
    let words = ["relaxed", "acquire", "release", "acq_rel", "sc", "cta", "gpu", "sys", "exch", "cas"];
    ptx.lines()
        .flat_map(|line| line.split(['|', ';']))
        .filter_map(|cell| {
            let name = cell.split_whitespace().next()?;
            let parts: Vec<&str> = name.split('.').collect();
            if !["ld", "st", "atom", "fence"].contains(&parts[0]) {
                return None;
            }
            let told: Vec<&str> = words.into_iter().filter(|w| parts.contains(w)).collect();
            (!told.is_empty()).then(|| format!("{} {}", parts[0], told.join(" ")))
        })
        .collect()
}

/// All counterexamples of the smallest size.
fn smallest(mapping: &Mapping, bound: usize, most: usize) -> CheckReport {
    let mut options = CheckOptions::published(bound);
    options.all = Some(most);
    options.without = vec!["R.SC".to_owned()];
    check(mapping, &options, &Silent).unwrap_or_else(|e| panic!("{e:?}"))
}

#[test]
fn libcudacxx_emits_what_its_mapping_says() {
    let toolkit = match toolkit() {
        Ok(toolkit) => toolkit,
        Err(reason) => return println!("{reason}"),
    };
    let mapping = library::find("libcudacxx-3.5", &Default::default()).unwrap_or_else(|e| panic!("{e:?}")).mapping;
    let report = smallest(&mapping, 4, 6);
    assert!(!report.counterexamples.is_empty());
    for (i, counterexample) in report.counterexamples.iter().enumerate() {
        let source = render(&counterexample.source, "source", None, &counterexample.finals).expect("a litmus test");
        let target = render(&counterexample.target, "target", None, &counterexample.target_finals).expect("a litmus test");
        let program = cuda_program(&source.test).unwrap_or_else(|e| panic!("{e}"));
        let compiled = compile(&toolkit, &program, &format!("libcudacxx-{i}"));
        // Thread by thread, as the compiler writes them one after the other.
        let mut wanted: Vec<String> = Vec::new();
        for t in 0..target.test.threads.len() {
            let mut alone = target.test.clone();
            alone.threads = vec![alone.threads.swap_remove(t)];
            let lines: Vec<String> = alone.thread_lines(margay_litmus::test::ThreadId(0));
            wanted.extend(instructions(&lines.join("\n")));
        }
        let mut found = instructions(&compiled);
        found.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(found, wanted, "{program}\n{}\n{compiled}", target.test);
    }
}

/// The constructs of CUDA C++ that a test may have: the program compiles, and has as many accesses.
#[test]
fn every_construct_compiles() {
    let toolkit = match toolkit() {
        Ok(toolkit) => toolkit,
        Err(reason) => return println!("{reason}"),
    };
    let text = r"C constructs
{ [x]=0; [y]=5; }
P0@wg 0,dev 0 (atomic_int* x, int* y) {
  int r0 = atomic_load_explicit(x, memory_order_acquire, memory_scope_device);
  if (r0 == 1) {
    *y = r0 + 2;
    int r1 = *y;
  } else {
    return;
  }
  int r2 = 7;
  atomic_compare_exchange_weak_explicit(x, &r2, 3, memory_order_acq_rel, memory_order_acquire, memory_scope_work_group);
  for (int i = 0; i < 2; i = i + 1) {
    atomic_fetch_add_explicit(x, i, memory_order_relaxed, memory_scope_all_svm_devices);
  }
}
P1@wg 0,dev 0 (atomic_int* x) {
  int r0 = 0;
  while (r0 == 0) {
    r0 = atomic_exchange(x, 1);
    atomic_thread_fence(memory_order_seq_cst, memory_scope_device);
  }
  do {
    r0 = atomic_fetch_sub_explicit(x, 1, memory_order_release, memory_scope_device);
  } while (r0 > 0);
  atomic_store_explicit(x, -1, memory_order_release, memory_scope_device);
}
exists (0:r0=1)
";
    let test = read::test(&SourceFile::new("constructs.litmus", text)).unwrap_or_else(|e| panic!("{e:?}")).test;
    let program = cuda_program(&test).unwrap_or_else(|e| panic!("{e}"));
    let ptx = compile(&toolkit, &program, "constructs");
    let atomics = instructions(&ptx);
    for wanted in
        ["ld acquire gpu", "atom acq_rel cta cas", "atom relaxed sys", "fence sc gpu", "atom release gpu", "st release gpu"]
    {
        assert!(atomics.iter().any(|a| a == wanted), "no `{wanted}` in {atomics:?}\n{program}");
    }
}
