//! Calls of which it is not known which function they mean: they are refused, and both functions are named. None is chosen silently.

use margay_cuda::{CudaSource, compile};

/// Programs, the name, and the lines of the two functions. In each of them nvcc chooses one, or refuses the call as well.
const CALLS: &[(&str, &str, [u32; 2])] = &[
    // `long` and `long long` are one type here, and so are `char` and `signed char`.
    ("__device__ int f(long) { return 1; }\n__device__ int f(long long) { return 2; }\nCALL(f(1l))", "f", [1, 2]),
    ("__device__ int f(char) { return 1; }\n__device__ int f(signed char) { return 2; }\nCALL(f('a'))", "f", [1, 2]),
    // Conversions of one rank.
    ("__device__ int f(float) { return 1; }\n__device__ int f(double) { return 2; }\nCALL(f(1))", "f", [1, 2]),
    ("__device__ int f(int, float) { return 1; }\n__device__ int f(float, int) { return 2; }\nCALL(f(1, 1))", "f", [1, 2]),
    (
        "struct A {\n  __device__ A(int) {} };\nstruct B {\n  __device__ B(int) {} };\n__device__ int f(A) { return 1; }\n__device__ int f(B) { return 2; }\nCALL(f(1))",
        "f",
        [5, 6],
    ),
    // By value and by reference.
    ("__device__ int f(int) { return 1; }\n__device__ int f(const int &) { return 2; }\nCALL(f(1))", "f", [1, 2]),
    // Neither template says more.
    (
        "template <class T> __device__ int f(T, int) { return 1; }\ntemplate <class T> __device__ int f(int, T) { return 2; }\nCALL(f(1, 1))",
        "f",
        [1, 2],
    ),
    // The same for objects: `volatile` and `const` are both more than nothing.
    (
        "struct S {\n  __device__ int f() const { return 1; }\n  __device__ int f() volatile { return 2; }\n};\nCALL(S{}.f())",
        "f",
        [2, 3],
    ),
    // Which one the type of a pointer asks for is not kept.
    (
        "__device__ int f(int) { return 1; }\n__device__ int f(float) { return 2; }\nCALL([] { int (*p)(float) = f; return p(1); }())",
        "f",
        [1, 2],
    ),
    // Two conversions for a number.
    (
        "struct S {\n  __device__ operator int() const { return 1; }\n  __device__ operator float() const { return 2; }\n};\nCALL(S{} + 1)",
        "operator T",
        [2, 3],
    ),
    // Specialisations of which neither says more.
    (
        "template <class A, class B> struct S { static constexpr int v = 0; };\ntemplate <class A> struct S<A, int> { static constexpr int v = 1; };\ntemplate <class B> struct S<int, B> { static constexpr int v = 2; };\nCALL((S<int, int>::v))",
        "S",
        [2, 3],
    ),
    // An operator that is a function: the built-in one is not taken in its place.
    (
        "struct S { int v; __device__ operator int() const { return v; } };\n__device__ int operator+(S, float) { return 1; }\n__device__ int operator+(S, double) { return 2; }\nCALL((S{} + 1))",
        "operator+",
        [2, 3],
    ),
];

#[test]
fn a_call_that_may_mean_two_functions_is_refused_by_both() {
    let mut wrong = Vec::new();
    for (program, name, lines) in CALLS {
        let (front, call) = program.split_once("CALL(").expect("a call");
        let call = call.strip_suffix(')').expect("a call");
        let text = format!("{front}__global__ void k(int *o) {{ *o = {call}; }}\n");
        let include = |_: &str| Ok(None);
        let error = match compile(&CudaSource { name: "a.cu", text: &text, include: &include, target: "sm_90", kernels: &[] }) {
            Ok(_) => {
                wrong.push(format!("{call}: one is chosen in\n{text}"));
                continue;
            }
            Err(error) => error,
        };
        let expected = format!(
            "which `{name}` is meant is not known here: the one in line {} and the one in line {} take this alike",
            lines[0], lines[1]
        );
        if error.message != expected {
            wrong.push(format!("{call}: {}", error.message));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
