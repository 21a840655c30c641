//! Calls of which it is not known which function they mean: they are refused, and both functions
//! are named. None is chosen silently.

use margay_cuda::{CudaSource, compile};

/// Programs, the name, and the lines of the two functions. In each of them nvcc chooses one, or
/// refuses the call as well.
const CALLS: &[(&str, &str, [u32; 2])] = &[
    // Neither is the type of the value, and `int` becomes both alike.
    (
        "__device__ int f(long) { return 1; }\n__device__ int f(long long) { return 2; }\nCALL(f(1))",
        "f",
        [1, 2],
    ),
    (
        "__device__ int f(char) { return 1; }\n__device__ int f(signed char) { return 2; }\nCALL(f(1))",
        "f",
        [1, 2],
    ),
    // Conversions of one rank.
    (
        "__device__ int f(float) { return 1; }\n__device__ int f(double) { return 2; }\nCALL(f(1))",
        "f",
        [1, 2],
    ),
    (
        "__device__ int f(int, float) { return 1; }\n__device__ int f(float, int) { return 2; }\nCALL(f(1, 1))",
        "f",
        [1, 2],
    ),
    (
        "struct A {\n  __device__ A(int) {} };\nstruct B {\n  __device__ B(int) {} };\n__device__ int f(A) { return 1; }\n__device__ int f(B) { return 2; }\nCALL(f(1))",
        "f",
        [5, 6],
    ),
    // By value and by reference.
    (
        "__device__ int f(int) { return 1; }\n__device__ int f(const int &) { return 2; }\nCALL(f(1))",
        "f",
        [1, 2],
    ),
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
        let error = match compile(&CudaSource {
            name: "a.cu",
            text: &text,
            include: &include,
            target: "sm_90",
            kernels: &[],
        }) {
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

/// Programs that C++ forbids, or that are not understood, and what is said of the last statement of
/// a kernel.
const STATEMENTS: &[(&str, &str)] = &[
    ("int &r = 5;", "`r` may not refer to this value of the type int"),
    ("const int c = 1; int &r = c;", "`r` may not refer to this value of the type const int"),
    ("float f = 1; int &r = f;", "`r` may not refer to this value of the type float"),
    ("int x = 1; int &&r = x;", "`r` may not refer to this value of the type int"),
    ("auto &r = 5;", "`r` may not refer to this value of the type int"),
    (
        "take(5);",
        "the `take` in line 2 does not take (int): it would refer to what is constant, volatile or no variable",
    ),
    (
        "const int c = 1; take(c);",
        "the `take` in line 2 does not take (const int): it would refer to what is constant, volatile or no variable",
    ),
    (
        "volatile int v; take(v);",
        "the `take` in line 2 does not take (volatile int): it would refer to what is constant, volatile or no variable",
    ),
    (
        "int x = 1; goes(x);",
        "the `goes` in line 3 does not take (int): it would refer to what is constant, volatile or no variable",
    ),
    (
        "const S s{}; s.change();",
        "the `change` in line 1 does not take (): it would refer to what is constant, volatile or no variable",
    ),
    ("int x = 1; S s{}; const S t{}; (x ? t : t) = s;", "a value of the type const S is changed"),
    ("const int c = 1; c = 2;", "a value of the type const int is changed"),
    ("const int c = 1; ++c;", "a value of the type const int is changed"),
    ("const int *p = o; *p += 1;", "a value of the type const int is changed"),
    ("const S s{}; s.v = 2;", "a value of the type const int is changed"),
    (
        "const S s{}, t{}; const_cast<S &>(t) = s; const S &r = t; r = s;",
        "a value of the type const S is changed",
    ),
    ("int x = 1; auto f = [x] { x = 2; }; f();", "a value of the type const int is changed"),
    ("const int a[2] = {1, 2}; a[0] = 3;", "a value of the type const int is changed"),
    ("const int *p = o; int *q = p;", "a value of the type const int* is no int*"),
    ("const int *p = o; o = p;", "a value of the type const int* is no int*"),
    ("volatile int *p = o; int *q = p;", "a value of the type volatile int* is no int*"),
    ("const int a[2] = {1, 2}; int *p = a;", "a value of the type const int* is no int*"),
    // C++ reads a declaration wherever it can: `x` is a reference without a value.
    ("int x = 1; { D(&x); }", "a reference is of one variable"),
    (
        "int x = 1; bumped<int &>(3);",
        "the `bumped` in line 4 does not take (int): it would refer to what is constant, volatile or no variable",
    ),
    (
        "while (D{o}.get()) {}",
        "a structure with a destructor is made within a condition, or where a condition leads to",
    ),
    ("U u{3};", "a constructor of `U` is declared, and no file that was read says what it does"),
    (
        "G g{3}; U u(g.x);",
        "a constructor of `U` is declared, and no file that was read says what it does",
    ),
    (
        "long long x; asm(\"mov.u32 %0, 1;\" : \"=r\"(x)); *o = x;",
        "an operand `=r` of `asm` is a whole number of 4 bytes, and this is of the type long long",
    ),
    (
        "short x = 1; asm volatile(\"// %0\" :: \"r\"(x));",
        "an operand `r` of `asm` is a whole number of 4 bytes, and this is of the type short",
    ),
    (
        "int x = 1; asm volatile(\"// %0\" : \"+f\"(x));",
        "an operand `+f` of `asm` is a floating-point number of 4 bytes, and this is of the type int",
    ),
    (
        "D d{o}; auto f = [d] { return d.get(); };",
        "a lambda with a copy of what has a destructor is not understood",
    ),
];

/// What the statements above use.
const DECLARATIONS: &str = "struct S { int v; __device__ void change() { v = 2; } };
__device__ void take(int &x) { x = 1; }
__device__ void goes(int &&x) {}
template <class T> __device__ T bumped(T v) { T y = v; y++; return y; }

struct U { __device__ U(int v); U(const U &) = delete; int x; }; struct G { int x; G(const G &) = delete; }; struct D { int *p; __device__ D(int *q) : p(q) {} __device__ ~D() { *p = 2; } __device__ int get() const { return *p; } };
";

#[test]
fn what_cxx_forbids_is_an_error_with_its_line() {
    let mut wrong = Vec::new();
    for (statement, expected) in STATEMENTS {
        let text =
            format!("{DECLARATIONS}extern \"C\" __global__ void k(int *o) {{\n{statement}\n}}\n");
        let include = |_: &str| Ok(None);
        match compile(&CudaSource {
            name: "a.cu",
            text: &text,
            include: &include,
            target: "sm_90",
            kernels: &[],
        }) {
            Ok(_) => wrong.push(format!("{statement}: is compiled")),
            Err(error) if error.message != *expected => {
                wrong.push(format!("{statement}: {}", error.message))
            }
            // The line of the statement, and no other.
            Err(error) => match text[..error.start].matches('\n').count() {
                7 => {}
                line => wrong.push(format!("{statement}: in line {}", line + 1)),
            },
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Declarations and directives that are not read as they stand, and what is said of each.
const DECLARED: &[(&str, &str)] = &[
    ("#ifdef A\n#elifdef B\n#endif", "`#elifdef` is of C++23, and other compilers pass over it"),
    ("#if 1\n#elifndef B\n#endif", "`#elifndef` is of C++23, and other compilers pass over it"),
    ("#if 1\n#else\n#else\n#endif", "`#else` without `#if`, or behind its `#else`"),
    ("#if 1\n#else\n#elif 1\n#endif", "`#elif` without `#if`, or behind its `#else`"),
    ("#if 1 / 0\n#endif", "expected a condition of whole numbers behind `#if`"),
    ("#pragma push_macro(A)", "`push_macro` of no name"),
    ("#define J(a, b) a##b\nint x = J(+, 1);", "`##` makes `+1`, which is no token"),
    (
        "namespace cg = cooperative_groups;\n__global__ void t(int *p) { cg::tiled_partition<64>(cg::this_thread_block()).sync(); }",
        "what `static_assert` says is not so",
    ),
    (
        "template <class A, class B> struct S { __device__ int f(); };\ntemplate <class B, class A> __device__ int S<B, A>::f() { return sizeof(A); }\n__global__ void t(int *p) { S<int, char> s; *p = s.f(); }",
        "the parameters of the template of `S` have other names here, or stand in another order",
    ),
    (
        "__global__ void t(int *p) { int a = 1; int (*f)(int) = [&](int x) { return x + a; }; *p = f(1); }",
        "a value of the type (lambda) is no a function*",
    ),
    ("#define J(a) a##\nint x = J(1);", "`##` with nothing in front of it, or behind it"),
];

#[test]
fn declarations_and_directives_that_are_not_read_are_errors() {
    let mut wrong = Vec::new();
    for (directive, expected) in DECLARED {
        let text = format!("{directive}\n__global__ void k(int *p) {{ *p = 1; }}\n");
        let include = |_: &str| Ok(None);
        match compile(&CudaSource {
            name: "a.cu",
            text: &text,
            include: &include,
            target: "sm_90",
            kernels: &[],
        }) {
            Ok(_) => wrong.push(format!("{directive}: is compiled")),
            Err(error) if error.message == *expected => {}
            Err(error) => wrong.push(format!("{directive}: {}", error.message)),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Statements in parentheses are a value. What would lead out of them is named.
#[test]
fn a_way_out_of_statements_in_parentheses_is_refused() {
    let refused = |statements: &str| {
        let text = format!(
            "__global__ void k(int *o) {{ for (int i = 0; i < 2; i++) o[({{ {statements} i; }})] = 1; }}"
        );
        let include = |_: &str| Ok(None);
        compile(&CudaSource {
            name: "t.cu",
            text: &text,
            include: &include,
            target: "sm_90",
            kernels: &["k".to_owned()],
        })
        .err()
        .map(|e| e.message)
    };
    assert_eq!(refused("int x = i; while (x > 0) { if (x == 1) break; x--; continue; }"), None);
    for out in ["return;", "break;", "if (i) continue;", "while (i) return;", "goto end; end:"] {
        let message = refused(out).unwrap_or_else(|| panic!("{out} is understood"));
        assert!(message.contains("out of statements in parentheses"), "{out}: {message}");
    }
}
