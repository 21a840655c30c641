//! Texts that are cut off, damaged, empty or huge: an error with its place, or PTX, and never a
//! panic.

use std::path::Path;

use margay_cuda::{CudaError, CudaSource, compile};
use proptest::prelude::*;

fn read(text: &str) -> Result<String, CudaError> {
    let include = |_: &str| Ok(None);
    compile(&CudaSource { name: "a.cu", text, include: &include, target: "sm_90", kernels: &[] })
}

/// What comes of a text is PTX, or an error within a text.
fn is_whole(text: &str) -> bool {
    match read(text) {
        Ok(ptx) => margay_ptx::read(&ptx).is_ok() || text.contains("asm"),
        Err(e) => {
            !e.message.is_empty() && !e.help.is_empty() && e.start <= e.end && e.end <= e.text.len()
        }
    }
}

fn file(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).expect("a text")
}

/// Three files, cut at every byte.
#[test]
fn cut_files_are_no_panic() {
    for name in
        ["../tests/kernels/lock.cu", "../tests/kernels/queue_lock.cu", "../tests/kernels/flag.cu"]
    {
        let text = file(name);
        for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
            assert!(is_whole(&text[..end]), "{name}, cut at {end}");
        }
    }
}

#[test]
fn nothing_and_too_much_end_soon() {
    let braces = "{".repeat(200_000);
    let nested = format!(
        "__global__ void k(int *a) {{ a[0] = {}1{}; }}",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    let blocks = format!(
        "__global__ void k(int *a) {{ {} a[0] = 1; {} }}",
        "{".repeat(50_000),
        "}".repeat(50_000)
    );
    let sum = format!("__global__ void k(int *a) {{ a[0] = {}1; }}", "1 + ".repeat(100_000));
    let laughs: String = (0..64).map(|n| format!("#define M{} M{n} M{n}\n", n + 1)).collect();
    let laughs = format!("#define M0 x\n{laughs}__global__ void k(int *a) {{ M64; }}");
    let calls: String = (0..40)
        .map(|n| format!("__device__ void f{}(int *a) {{ f{n}(a); f{n}(a); }}\n", n + 1))
        .collect();
    let calls = format!(
        "__device__ void f0(int *a) {{ atomicAdd(a, 1); }}\n{calls}__global__ void k(int *a) {{ f40(a); }}"
    );
    let templates = "template <int N> __device__ int f() { return f<N + 1>(); } __global__ void k(int *a) { a[0] = f<0>(); }";
    let structure = "struct S { S s; }; __global__ void k(int *a) { S s; a[0] = 1; }";
    let types = format!(
        "template <class T> struct S {{ T t; }}; __global__ void k(int *a) {{ {}int{} s; }}",
        "S<".repeat(5_000),
        ">".repeat(5_000)
    );
    let arguments = format!(
        "#define F(x) x\n__global__ void k(int *a) {{ a[0] = {}1{}; }}",
        "F(".repeat(20_000),
        ")".repeat(20_000)
    );
    let includes = "#include \"a.cu\"\n";
    // Each of a thousand constants is computed by many steps, and one by too many.
    let endless = "constexpr int f(int n) { while (n > 0) n |= 1; return n; } __global__ void k(int *a) { int s[f(1)]; a[0] = s[0]; }";
    let constants: String = (0..1000).map(|n| format!("a[{n}] = x<{n}>;\n")).collect();
    let constants = format!(
        "constexpr int f(int n) {{ for (int i = 0; i < 200000; ++i) n += i; return n; }}\ntemplate <int N> constexpr int x = f(N);\n__global__ void k(int *a) {{ {constants} }}"
    );
    let huge = "__device__ char big[1u << 31]; constexpr int f() { int n = 0; while (n < 4) ++n; return n; } __global__ void k(int *a) { int s[f() - 5]; }";
    for text in [
        "",
        "   \n",
        "// nothing\n",
        "\0",
        &braces,
        &nested,
        &blocks,
        &sum,
        &laughs,
        &calls,
        templates,
        structure,
        &types,
        &arguments,
        includes,
        endless,
        &constants,
        huge,
    ] {
        assert!(is_whole(text), "{}", text.chars().take(60).collect::<String>());
        let is_error = read(text).is_err() || text.trim().is_empty() || text.starts_with("//");
        assert!(is_error, "{}", text.chars().take(60).collect::<String>());
    }
}

/// Ten MB of functions that no kernel calls.
#[test]
fn ten_megabytes_are_read() {
    let one = |n: usize| {
        format!(
            "__device__ int f{n}(int x) {{ return x * 2 + 1; }}\nint host(int y) {{ return y; }}\n"
        )
    };
    let all: String = (0..10_000_000 / one(100_000).len()).map(one).collect();
    let text = format!("{all}__global__ void k(int *a) {{ a[threadIdx.x] = 1; }}\n");
    let ptx = read(&text).expect("it is compiled");
    assert!(ptx.contains(".entry k("));
}

/// Errors say what is not understood, where, and what to do.
#[test]
fn what_is_not_understood_is_named() {
    for (body, at, part) in [
        ("goto end; a[0] = 1;", "goto end;", "there is no label `end` for this `goto`"),
        ("auto [x, y] = a[0]; a[0] = x;", "x", "a value of the type int has no parts to name"),
        (
            "pair_t p; auto [x] = p; a[0] = x;",
            "x",
            "1 names for the 2 parts of a value of the type pair_t",
        ),
        ("bits_t b; int *p = &b.few; a[0] = *p;", "&b.few", "a member of some bits has no address"),
        ("a[0] = sum();", "(xs + ...)", "an operator of no operands"),
        ("a[0] = pass(1, 2);", "xs", "`xs` is any number of values"),
        ("wide_t w; a[0] = w.many;", "many", "a member of 40 bits of a type of 32"),
        ("int *p = new int[4]; a[0] = p[0];", "new", "`new` is not understood"),
        ("k<<<1, 32>>>(a);", "k", "a kernel starts another one here"),
        ("a[0] = surf2Dread(a, 0, 0);", "surf2Dread", "`surf2Dread` is not modelled"),
        ("a[0] = (int)malloc(4);", "malloc", "`malloc` is not modelled"),
        ("for (int x : a) {}", "a", "a loop over a range of the type int*"),
        ("virtual_t v; a[0] = v.size();", "virtual", "virtual functions are not understood"),
        ("try { a[0] = 1; } catch (...) {}", "try", "`try` is not understood"),
        ("a[0] = unknown(1);", "unknown", "the function `unknown` is not known here"),
        ("a[0] = unknown;", "unknown", "the name `unknown` is not known here"),
        ("a[0] = helper(1);", "helper", "`helper` is a function of the host"),
        ("unknown_t x; a[0] = 1;", "unknown_t", "the type `unknown_t` is not known here"),
        ("a[0] = unknown<int>(1);", "unknown", "the template `unknown` is not known here"),
        ("a[0] = 1", "}", "expected `;` behind an expression, found `}`"),
        (
            "__shared__ unknown_t s; a[0] = 1;",
            "unknown_t",
            "the type `unknown_t` is not known here",
        ),
        (
            "typedef cub::BlockReduce<int, 128> R; a[0] = 1;",
            "cub::BlockReduce",
            "the type `cub::BlockReduce` is not known here",
        ),
        ("bar_t bar; a[0] = 1;", "cub::WarpScan", "the type `cub::WarpScan` is not known here"),
        ("int (*f)(int) = nullptr; a[0] = f(1);", "f(1)", "which function this calls is not known"),
        ("a.x = 1;", "a.x", "`x` of a value of the type int*"),
        ("int s[table[0]]; a[0] = s[0];", "table[0]", "the size of an array is not constant"),
        ("int s[a[0]]; a[0] = s[0];", "a[0]", "the size of an array is not constant"),
        (
            "const int n = threadIdx.x; int s[n]; a[0] = s[0];",
            "n",
            "the size of an array is not constant",
        ),
        ("int s[-1]; a[0] = s[0];", "-1", "the size of an array is a number from 0 to"),
        (
            "int s[1.5]; a[0] = s[0];",
            "1.5",
            "the size of an array is a whole number, not one of type `double`",
        ),
        (
            "char s[1 << 20][1 << 20]; a[0] = s[0][0];",
            "s[1 << 20]",
            "an array of 1099511627776 bytes or more",
        ),
        ("a[{1, 2}] = 1;", "{1, 2}", "a list in braces where its type is not known"),
        (
            "pair_t p = {1, 2, 3}; a[0] = p.x;",
            "p = {1, 2, 3}",
            "more values than the structure has members",
        ),
        (
            "char s[3] = \"abc\"; a[0] = s[0];",
            "s[3]",
            "a text of 3 characters and a zero for an array of 3",
        ),
        ("cuda::stream_ref s; a[0] = 1;", "cuda::stream_ref", "`cuda::stream_ref`"),
        ("asm(\"mov.u32 %0, %5;\" : \"=r\"(a[0]));", "asm", "`asm` has no operand %5"),
        (
            "cuda::atomic_ref<char> r(*(char *)a); a[0] = 1;",
            "r",
            "an `atomic_ref` of the type char",
        ),
        (
            "int n = a[0]; cuda::atomic_ref<int> r(*a); r.store(1, (cuda::memory_order)n);",
            "r.store",
            "the memory order is not known",
        ),
    ] {
        let text = format!(
            "#include <cuda/atomic>\nusing bar_t = cub::WarpScan<int>;\nstruct pair_t {{ int x, y; }};\nstruct bits_t {{ int few : 3; }};\nstruct wide_t {{ int many : 40; }};\nstruct virtual_t {{ __device__ virtual int size() const {{ return 1; }} }};\ntemplate <class... T> __device__ int sum(T... xs) {{ return (xs + ...); }}\ntemplate <class... T> __device__ int pass(T... xs) {{ return xs; }}\nint helper(int x) {{ return x; }}\n__constant__ int table[2] = {{1, 2}};\n__global__ void k(int *a) {{\n  {body}\n}}\n"
        );
        let error = read(&text).expect_err(body);
        assert!(error.message.contains(part), "{body}: {}", error.message);
        let found = &error.text[error.start..error.end];
        assert!(found.starts_with(at) || at.starts_with(found), "{body}: at `{found}`");
        assert!(!error.help.is_empty() && error.file == "a.cu", "{error:?}");
    }
    // What no kernel calls need not be understood, and a kernel that is not asked about neither.
    let text = "__device__ void f() { try { } catch (...) { } }\n__global__ void k(int *a) { a[0] = 1; }\n__global__ void l() { f(); }\n";
    let include = |_: &str| Ok(None);
    let program = CudaSource {
        name: "a.cu",
        text,
        include: &include,
        target: "sm_90",
        kernels: &["k".to_owned()],
    };
    assert!(compile(&program).is_ok_and(|ptx| ptx.contains("st.global") || ptx.contains("st.u32")));
    assert!(read(text).is_err_and(|e| e.message.contains("try")));
}

/// Two names that are alike in one scope, and what a macro puts somewhere: an error shows both
/// places.
#[test]
fn errors_show_both_places() {
    for (text, at, beside) in [
        ("__global__ void k(int *a) { int x = 1; int x = 2; a[0] = x; }", "x = 2", "x = 1"),
        ("__global__ void k(int *a) { int a = 1; }", "a = 1", "int *a"),
        ("__global__ void k(int *a, int b, float b) { a[0] = b; }", "float b", "int b"),
        (
            "__global__ void k(int *a) { auto f = [](int x) { int x = 2; return x; }; a[0] = f(1); }",
            "x = 2",
            "int x",
        ),
        (
            "__device__ int g;\n__device__ float g;\n__global__ void k(int *a) { a[0] = g; }",
            "g",
            "g",
        ),
        (
            "__device__ int g(int x) { return x; }\n__device__ int g(int y) { return y + 1; }\n__global__ void k(int *a) { a[0] = g(1); }",
            "g",
            "g",
        ),
        ("#define PUT(p) p->none = 1\n__global__ void k(int *a) { PUT(a); }", "PUT", "a"),
        (
            "#define NONE unknown\n#define PUT(p) p = NONE\n__global__ void k(int *a) { PUT(a[0]); }",
            "PUT",
            "unknown",
        ),
    ] {
        let error = read(text).expect_err(text);
        let found = &error.text[error.start..error.end];
        assert!(found.starts_with(at) || at.starts_with(found), "{text}: at `{found}`");
        let [other] = &*error.beside else { panic!("{text}: {:?}", error.beside) };
        let found = &other.text[other.start..other.end];
        assert!(found.starts_with(beside) || beside.starts_with(found), "{text}: beside `{found}`");
        assert!(
            other.start != error.start && other.file == "a.cu" && !other.what.is_empty(),
            "{text}: {other:?}"
        );
    }
    // In blocks of their own, of other parameters, and where one is only declared, they are not
    // alike.
    let text = "extern __device__ int g;\n__device__ int g = 1;\n__device__ int f(int x);\n__device__ int f(int x) { return x; }\n\
        __device__ int f(float x) { return 1; }\ntemplate <class T> __device__ int h(T x) { return 1; }\n\
        template <class T> __device__ int h(T *x) { return 2; }\n__global__ void k(int *a) { int x = 1; { int x = f(2); a[x] = g; }\n\
        for (int x = 0; x < 2; ++x) a[x] = h(a) + f(1.0f); struct x { int y; }; }";
    assert!(read(text).is_ok(), "{:?}", read(text));
}

/// Files beside the program are read, and an error is of the file that it is in.
#[test]
fn included_files_are_read() {
    let include = |path: &str| {
        match path {
        "locks/lock.cuh" => {
            Ok(Some("#pragma once\n#include \"word.cuh\"\n__device__ void lock() { atomicExch(&word, 1); }\n".to_owned()))
        }
        "locks/word.cuh" => Ok(Some("__device__ int word;\n".to_owned())),
        "broken.cuh" => Ok(Some("\n__device__ void f() { try { } catch (...) { } }\n".to_owned())),
        "circle.cuh" => Ok(Some("#include \"circle.cuh\"\n".to_owned())),
        "pipe.cuh" => Err("it is a device or a pipe".to_owned()),
        _ => Ok(None),
    }
    };
    let of = |text: &str| {
        compile(&CudaSource {
            name: "a.cu",
            text,
            include: &include,
            target: "sm_90",
            kernels: &[],
        })
    };
    let ptx = of("#include \"locks/lock.cuh\"\n#include \"locks/lock.cuh\"\n__global__ void k() { lock(); }\n")
        .expect("it is compiled");
    assert!(
        ptx.contains(".file\t2 \"locks/lock.cuh\"") && ptx.contains("atom.global.exch.b32"),
        "{ptx}"
    );
    let error = of("#include \"broken.cuh\"\n__global__ void k() { f(); }\n").expect_err("try");
    assert_eq!((error.file.as_str(), &error.text[error.start..error.end]), ("broken.cuh", "try"));
    // Headers of CUDA and of C may be named in quotation marks.
    assert!(of("#include \"cuda.h\"\n#include \"stdio.h\"\n#include \"assert.h\"\n__global__ void k() {}\n").is_ok());
    let error = of("#include \"none.cuh\"\n__global__ void k() {}\n").expect_err("it is not there");
    assert!(error.message.contains("there is no file `none.cuh`"), "{}", error.message);
    let error = of("#include \"pipe.cuh\"\n__global__ void k() {}\n").expect_err("it is not read");
    assert!(
        error.message.contains("`pipe.cuh`") && error.message.contains("a device or a pipe"),
        "{}",
        error.message
    );
    let error = of("#include \"circle.cuh\"\n__global__ void k() {}\n").expect_err("it has no end");
    assert!(error.message.contains("64 deep, or without end, `circle.cuh`"), "{}", error.message);
    // Not without end, but too many: 2^20 files.
    let twice = |path: &str| {
        let n: u32 =
            path.strip_prefix('h').and_then(|n| n.parse().ok()).ok_or("it is another file")?;
        Ok(Some(if n < 20 {
            format!("#include \"h{0}\"\n#include \"h{0}\"\n", n + 1)
        } else {
            String::new()
        }))
    };
    let source = CudaSource {
        name: "a.cu",
        text: "#include \"h0\"\n__global__ void k() {}\n",
        include: &twice,
        target: "sm_90",
        kernels: &[],
    };
    let error = compile(&source).expect_err("too many");
    assert!(error.message.contains("one file more than 1000"), "{}", error.message);
}

/// What `#if` asks of files and macros is answered, or refused: a branch is not left out because a
/// question was not understood.
#[test]
fn what_a_condition_asks_is_answered_or_refused() {
    let include = |path: &str| match path {
        "there.cuh" | "sub/beside.cuh" => Ok(Some(String::new())),
        "sub/asks.cuh" => {
            Ok(Some("#if __has_include(\"beside.cuh\")\n#define BESIDE 1\n#endif\n".to_owned()))
        }
        "/etc/passwd" => Err("it starts from the root of the file system".to_owned()),
        _ => Ok(None),
    };
    let of = |text: &str| {
        compile(&CudaSource {
            name: "a.cu",
            text,
            include: &include,
            target: "sm_90",
            kernels: &[],
        })
    };
    for (condition, is_so) in [
        ("__has_include(<cuda/atomic>)", true),
        ("__has_include(<cooperative_groups.h>)", true),
        ("__has_include(\"there.cuh\")", true),
        ("__has_include(\"none.cuh\")", false),
        ("defined(__has_include) && __has_include(<cstdint>)", true),
        ("defined(__CUDA_ARCH__) && !defined NONE", true),
        ("defined (NONE) || (defined(__NVCC__) && 1)", true),
        ("BESIDE", true),
    ] {
        let text = format!(
            "#include \"sub/asks.cuh\"\n#if {condition}\n__global__ void yes() {{}}\n#else\n__global__ void no() {{}}\n#endif\n"
        );
        let ptx = of(&text).expect(condition);
        assert_eq!(ptx.contains(".entry yes("), is_so, "{condition}");
    }
    for (condition, part) in [
        ("defined", "expected the name of a macro behind `defined`"),
        ("defined(", "expected the name of a macro behind `defined`"),
        ("defined(A && B)", "expected the name of a macro behind `defined`"),
        ("defined(A", "expected the name of a macro behind `defined`"),
        ("defined 1", "expected the name of a macro behind `defined`"),
        ("__has_include(<other/library.h>)", "whether there is this header is not known"),
        ("__has_include(\"/etc/passwd\")", "whether there is this header is not known"),
        ("__has_include", "whether there is this header is not known"),
        ("__has_include(", "whether there is this header is not known"),
        ("1 / 0", "expected a condition of whole numbers"),
    ] {
        let error = of(&format!("#if {condition}\n#endif\n__global__ void k() {{}}\n"))
            .expect_err(condition);
        assert!(
            error.message.contains(part) && error.start < error.end,
            "{condition}: {}",
            error.message
        );
    }
}

/// A variable whose first value is not understood is not declared, however often it is asked for.
#[test]
fn variables_without_a_value_are_not_declared() {
    let text = file("tests/kernels/macros.cu").replace("table[4] =", "table[4] = e[4] =");
    assert!(text.contains("e[4]") && is_whole(&text));
    let error = read(&text).expect_err("no value");
    assert_eq!(error.message, "the name `e` is not known here");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// A byte that is another one, a piece that is missing, or there twice.
    #[test]
    fn damaged_files_are_no_panic(which in 0usize..4, at in 0usize..4000, length in 0usize..40, kind in 0u8..3, sign in "[-+*/<>(){}\\[\\];:,.#\"'a0 \n]") {
        let name = ["structures.cu", "atomics.cu", "groups.cu", "macros.cu"][which];
        let text = file(&format!("tests/kernels/{name}"));
        let at = at % text.len();
        let end = (at + length).min(text.len());
        prop_assume!(text.is_char_boundary(at) && text.is_char_boundary(end));
        let damaged = match kind {
            0 => format!("{}{}", &text[..at], &text[end..]),
            1 => format!("{}{sign}{}", &text[..at], &text[end..]),
            _ => format!("{}{}", &text[..end], &text[at..]),
        };
        prop_assert!(is_whole(&damaged));
    }
}
