//! `margay kernel` of CUDA text without nvcc: what the answer says of that, and what is said of
//! text that is not understood.

use crate::program::{err, folder, margay, out, write};

const LOCK: &str = "tests/kernels/lock.cu";

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first line says it in words, in JSON and in SARIF.
#[test]
fn the_first_line_names_the_compiler() {
    let asked = [
        "kernel",
        LOCK,
        "--compiler",
        "margay",
        "--kernel",
        "ticket_lock_without_release",
        "--launch",
        "2x1",
    ];
    let output = margay(&asked);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let said = flat(&out(&output));
    let first = "data race in launch 2x1 under ptx-8, compiled by Margay, without nvcc";
    assert!(
        said.starts_with(&format!("counterexample: `ticket_lock_without_release`, {first}")),
        "{said}"
    );
    for part in [
        "nvcc may make fewer, or others",
        "lock.cu:42",
        "lock.cu:43",
        "`st.release.sys.u32`",
        "cuda::memory_order_release",
    ] {
        assert!(said.contains(part), "no {part} in {said}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&out(&margay(&[&asked[..], &["--format", "json"]].concat())))
            .expect("JSON");
    assert_eq!(json["compiler"], "margay");
    assert!(json["kernels"][0]["answer"].as_str().is_some_and(|a| a.contains(first)), "{json}");
    let sarif: serde_json::Value =
        serde_json::from_str(&out(&margay(&[&asked[..], &["--format", "sarif"]].concat())))
            .expect("JSON");
    let run = &sarif["runs"][0];
    assert!(
        run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
            .as_str()
            .is_some_and(|t| t.contains(first))
    );
    let place = &run["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(
        (&place["artifactLocation"]["uri"], &place["region"]["startLine"]),
        (&LOCK.into(), &42.into()),
        "{place}"
    );
    let out_folder = folder("kernel-cuda-out");
    let to = out_folder.to_string_lossy().into_owned();
    margay(&[&asked[..], &["--out", &to]].concat());
    let ptx = std::fs::read_to_string(out_folder.join("compiled.ptx")).expect("the PTX");
    assert!(
        ptx.contains(".entry ticket_lock_without_release(") && ptx.contains(".loc\t1 42"),
        "{ptx}"
    );
    // Of PTX nothing compiled anything.
    let ptx = out(&margay(&[
        "kernel",
        "tests/kernels/lock.ptx",
        "--kernel",
        "ticket_lock",
        "--launch",
        "2x1",
        "--format",
        "json",
    ]));
    let json: serde_json::Value = serde_json::from_str(&ptx).expect("JSON");
    assert!(json["compiler"].is_null());
}

/// Comments of a harness are read, and text of CUDA in a file of another name.
#[test]
fn comments_of_a_harness_are_read() {
    let files = folder("kernel-cuda-harness");
    let text = "// margay: launch 2x1\n// margay: arg 0=array:{5}\n// margay: final arg0[0] == 7\n\
                __global__ void add(int *a) { atomicAdd(a, 1); }\n";
    for name in ["add.cu", "pasted.ptx"] {
        let path = write(&files, name, text);
        let said = flat(&out(&margay(&["kernel", &path, "--compiler", "margay"])));
        assert!(
            said.contains(
                "and arg0[0] == 7 at the end in launch 2x1 under ptx-8, compiled by Margay"
            ),
            "{said}"
        );
        assert!(said.starts_with("none:"), "{said}");
    }
}

/// A version is compared with an older one; which fences are needed and what could be weaker is
/// asked in the words of CUDA.
#[test]
fn other_questions_are_asked() {
    let files = folder("kernel-cuda-questions");
    let of = |fence: &str| {
        format!(
            "__device__ int data, flag;\n__global__ void k(int *out) {{\n  if (blockIdx.x == 0) {{\n    data = 1;\n    {fence}\n    \
             *(volatile int *)&flag = 1;\n  }} else {{\n    while (*(volatile int *)&flag == 0) {{}}\n    __threadfence();\n    \
             out[blockIdx.x] = data;\n  }}\n}}\n"
        )
    };
    let (old, new) =
        (write(&files, "old.cu", of("__threadfence();")), write(&files, "new.cu", of("")));
    let output =
        margay(&["kernel", &new, "--compiler", "margay", "--launch", "2x1", "--against", &old]);
    let said = flat(&out(&output));
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.starts_with("different: 1 finding is new")
            && said.contains("compiled by Margay, without nvcc"),
        "{said}"
    );
    let hardened = flat(&out(&margay(&[
        "kernel",
        &new,
        "--compiler",
        "margay",
        "--launch",
        "2x1",
        "--harden",
        "--without-repair",
    ])));
    assert!(
        hardened.contains("to add: `fence.sc.gpu` (in CUDA: __threadfence()) behind new.cu:4"),
        "{hardened}"
    );
}

/// Fences and orders are no barrier: where two threads of one block race, and one was forgotten,
/// the answer says that none was tried.
#[test]
fn a_barrier_that_may_be_missing_is_named() {
    let files = folder("kernel-cuda-barrier");
    let array = |name: &str, place: &str, index: &str| {
        let text = format!(
            "__device__ int all[64];\n__global__ void k(int *out) {{\n  {place}\n  cell[{index}] = 1;\n  out[{index}] = cell[{index} ^ 1];\n}}\n"
        );
        write(&files, name, text)
    };
    for (file, launch, missing) in [
        (array("one_block.cu", "__shared__ int cell[64];", "threadIdx.x"), "1x2", true),
        (array("two_blocks.cu", "int *cell = all;", "blockIdx.x"), "2x1", false),
    ] {
        for repairs in [&[][..], &["--without-repair"]] {
            let said = flat(&out(&margay(
                &[&["kernel", &file, "--compiler", "margay", "--launch", launch], repairs].concat(),
            )));
            assert!(said.starts_with("counterexample: `k`, data race"), "{said}");
            assert_eq!(said.contains("perhaps `__syncthreads()`"), missing, "{said}");
        }
    }
}

/// A command makes PTX of a file of any kind: the answer says so, and what the command says against
/// it is shown.
#[test]
fn a_command_compiles() {
    let files = folder("kernel-cmd");
    let text = std::fs::read_to_string("tests/kernels/lock.ptx").expect("a kernel");
    let other = write(&files, "lock.other", text.replace("ticket_lock", "LOCK"));
    let ask = |cmd: &str, more: &[&str]| {
        let asked = [
            "kernel",
            &other,
            "--kernel",
            "ticket_lock_without_release",
            "--launch",
            "2x1",
            "--cmd",
            cmd,
        ];
        margay(&[&asked[..], more].concat())
    };
    for cmd in [
        "sed s/LOCK/ticket_lock/ {in}",
        "echo made for {arch} >&2; sed s/LOCK/ticket_lock/ {in} > {out}",
    ] {
        let output = ask(cmd, &[]);
        assert_eq!(output.status.code(), Some(1), "{}", err(&output));
        let said = flat(&out(&output));
        assert!(
            said.contains("data race in launch 2x1 under ptx-8, compiled by the command of --cmd"),
            "{said}"
        );
        let json: serde_json::Value =
            serde_json::from_str(&out(&ask(cmd, &["--format", "json"]))).expect("JSON");
        assert_eq!(json["compiler"], "cmd");
    }
    for (cmd, parts) in [
        ("cat x", &["`cat x` does not say where the file goes", "write `{in}` in it"][..]),
        ("echo {in}: wrong {arch} >&2; false", &["makes no PTX of", "lock.other: wrong sm_90"]),
        (
            "no-such-compiler {in}",
            &["makes no PTX of", "cannot start the compiler", "no-such-compiler"],
        ),
        ("true {in} {out}", &["ends well and writes nothing"]),
        ("echo nonsense {in}", &["what the command of --cmd made of", "nonsense"]),
        ("echo .version 8.0; : {in}", &["there is no kernel in"]),
        ("kill -9 $$ {in}", &["makes no PTX of", "crashes"]),
    ] {
        let output = ask(cmd, &[]);
        assert_eq!(output.status.code(), Some(2), "{cmd}: {}", out(&output));
        let said = flat(&err(&output));
        for part in parts {
            assert!(said.contains(part), "no {part} in {said}");
        }
    }
    let both = ask("cat {in}", &["--compiler", "margay"]);
    assert_eq!(both.status.code(), Some(2));
}

/// What is not understood is named with its place, its text, and what to do; what is no compiler as
/// well.
#[test]
fn what_is_not_understood_is_named() {
    let files = folder("kernel-cuda-errors");
    let two = write(
        &files,
        "two.cu",
        "__global__ void odd(int *a) {\n  try { a[0] = 1; } catch (...) {}\n}\n__global__ void more(int *a) { a[0] = f(); }\n",
    );
    let empty = write(&files, "empty.cu", "");
    let host = write(&files, "host.cu", "int main() { return 0; }\n");
    let cut = write(&files, "cut.cu", &std::fs::read_to_string(LOCK).expect("a kernel")[..420]);
    let included = write(&files, "included.cu", "#include \"none.cuh\"\n__global__ void k() {}\n");
    let inline =
        write(&files, "inline.cu", "__global__ void k() { asm volatile(\"bra nowhere;\"); }\n");
    for (file, parts) in [
        (&two, &["`try` is not understood", "two.cu:2:3", "a kernel has no exceptions"][..]),
        (&empty, &["there is no kernel"]),
        (&host, &["there is no kernel", "`__global__`"]),
        (&cut, &["cut.cu:", "the file ends within the declaration"]),
        (&included, &["there is no file `none.cuh`", "included.cu:1:1"]),
        (&inline, &["what margay made of", "there is no label `nowhere`", "asm"]),
    ] {
        let output = margay(&["kernel", file, "--compiler", "margay"]);
        assert_eq!(output.status.code(), Some(2), "{file}: {}", out(&output));
        let said = flat(&err(&output));
        for part in parts {
            assert!(said.contains(part), "no {part} in {said}");
        }
    }
    // Beside a kernel that is understood the others are named first, and the answer as a whole is
    // undecided, or worse.
    let fine = "__global__ void odd(int *a) {\n  try { a[0] = 1; } catch (...) {}\n}\n__global__ void fine(int *a) { atomicAdd(a, 1); }\n";
    let mixed = write(&files, "mixed.cu", fine);
    let output = margay(&["kernel", &mixed, "--compiler", "margay", "--launch", "2x1"]);
    let said = flat(&out(&output));
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(
        said.starts_with("undecided: `odd` of ")
            && said.contains("was not looked at: `try` is not understood ("),
        "{said}"
    );
    assert!(
        said.contains("mixed.cu:2:3): a kernel has no exceptions")
            && said.contains("none: `fine` has no data race"),
        "{said}"
    );
    let output =
        margay(&["kernel", &mixed, "--compiler", "margay", "--kernel", "fine", "--launch", "2x1"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let output = margay(&["kernel", &mixed, "--compiler", "margay", "--kernel", "odd"]);
    assert_eq!(output.status.code(), Some(2), "{}", out(&output));
    let racy = write(&files, "racy.cu", fine.replace("atomicAdd(a, 1)", "*a = 1"));
    assert_eq!(
        margay(&["kernel", &racy, "--compiler", "margay", "--launch", "2x1"]).status.code(),
        Some(1)
    );
    let output = margay(&["kernel", LOCK, "--compiler", "gcc"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(flat(&err(&output)).contains("possible values: margay, nvcc"), "{}", err(&output));
}

/// What goes wrong with contents that were chosen, and not with zeros, says so in its first line,
/// and so does SARIF.
#[test]
fn chosen_contents_stand_in_the_first_line() {
    let dir = folder("kernel/contents");
    let text = "__global__ void k(const int *sel, int *out) { if (sel[threadIdx.x] == 7) out[0] = threadIdx.x; }\n";
    let file = write(&dir, "k.cu", text);
    let ask = |more: &[&str]| {
        margay(&[&["kernel", &file, "--compiler", "margay", "--without-repair"], more].concat())
    };
    let found = ask(&[]);
    let first =
        "counterexample: `k`, data race in launch 1x4 with arg0 = {7*}, chosen in place of zeros, ";
    assert!(out(&found).starts_with(first), "{}", out(&found));
    assert!(
        out(&found).lines().next().is_some_and(|line| line.contains(", and with zeros not in 1x2")),
        "{}",
        out(&found)
    );
    assert_eq!(found.status.code(), Some(1));
    let sarif = out(&ask(&["--format", "sarif"]));
    assert!(
        sarif.contains("\"text\": \"Data race in kernel `k` in launch 1x4 with arg0 = {{7*}}, chosen in place of zeros"),
        "{sarif}"
    );
    // Zeros that are given are what is asked about, and with them no thread comes to the store.
    let zeros = ask(&["--arg", "0=array"]);
    assert!(
        out(&zeros).starts_with("none: ")
            && out(&zeros).contains("; arrays hold zeros; no thread comes to 1 of its 2 accesses "),
        "{}",
        out(&zeros)
    );
}

/// The smallest number of 64 bits has no opposite: neither where it is added, nor where a
/// comparison with a constant is as far down as that.
#[test]
fn numbers_at_the_end_of_64_bits() {
    let folder = folder("kernel-cuda-numbers");
    for (name, body) in [
        (
            "added",
            "long long got = atomicAdd(a, 1); if (got >= 0) a[got & 1] += 9223372036854775808;",
        ),
        ("compared", "if (*(double *)(a + 2) < -1e300) a[0] = 1;"),
    ] {
        let file = write(
            &folder,
            &format!("{name}.cu"),
            format!("__global__ void k(int *a) {{ {body} }}\n"),
        );
        let output = margay(&[
            "kernel",
            &file,
            "--compiler",
            "margay",
            "--launch",
            "2x1",
            "--timeout",
            "60s",
        ]);
        assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{name}: {}", err(&output));
    }
}
