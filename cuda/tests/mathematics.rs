//! CUDA's mathematics: what the library computes is near what it is to be, on the machine of the
//! CPU, and exactly so where it is of whole numbers.

use margay_cuda::{CudaSource, compile};
use margay_machine::{LaunchSize, MachineModule, MemoryKind, Schedule};

/// How far a result may be from what is expected, for one and for what is smaller, and relative to
/// what is larger.
const NEAR: f64 = 2e-5;

/// The words that a kernel of such statements leaves in `out`.
fn left(statements: &str, ty: &str, count: u64) -> Vec<[u8; 4]> {
    let text = format!("__global__ void k({ty} *out) {{\n{statements}}}\n");
    let include = |_: &str| Ok(None);
    let ptx = compile(&CudaSource {
        name: "a.cu",
        text: &text,
        include: &include,
        target: "sm_90",
        kernels: &[],
    });
    let ptx = ptx.unwrap_or_else(|e| {
        panic!("{} in `{}`", e.message, e.text.get(e.start..e.end).unwrap_or(""))
    });
    let mut module = MachineModule::read(&ptx).unwrap_or_else(|e| panic!("{e}"));
    let address = module.memory.allocate("out", 4 * count).expect("memory");
    let launch = LaunchSize { blocks: [1; 3], threads: [1; 3], dynamic_shared: 0 };
    let schedule =
        Schedule { seed: 0, memory: MemoryKind::SequentiallyConsistent, places: 1, steps: 1 << 20 };
    module
        .launch("k", launch, &[address.to_le_bytes().to_vec()], &schedule)
        .unwrap_or_else(|e| panic!("{e:?}"));
    let bytes = module.memory.read(address, 4 * count).expect("bytes");
    bytes.chunks_exact(4).map(|word| word.try_into().expect("four bytes")).collect()
}

/// The value of each expression.
fn computed(expressions: &[&str], ty: &str) -> Vec<[u8; 4]> {
    let lines: String =
        expressions.iter().enumerate().map(|(n, text)| format!("  out[{n}] = {text};\n")).collect();
    left(&lines, ty, expressions.len() as u64)
}

/// Functions of one number, with what they are of numbers between 0 and 1, and some others.
#[test]
fn functions_of_numbers_are_near_what_they_are() {
    type Function = fn(f64) -> f64;
    let of_one: [(&str, Function); 16] = [
        ("nearbyint", f64::round_ties_even),
        ("exp10", |x| 10f64.powf(x)),
        ("expm1", f64::exp_m1),
        ("log1p", f64::ln_1p),
        ("cbrt", f64::cbrt),
        ("rcbrt", |x| 1.0 / x.cbrt()),
        ("sinh", f64::sinh),
        ("cosh", f64::cosh),
        ("asinh", f64::asinh),
        ("atanh", f64::atanh),
        ("sinpi", |x| (x * std::f64::consts::PI).sin()),
        ("cospi", |x| (x * std::f64::consts::PI).cos()),
        ("acos", f64::acos),
        ("asin", f64::asin),
        ("atan", f64::atan),
        ("rint", f64::round_ties_even),
    ];
    let mut all: Vec<(String, f64)> = Vec::new();
    for (name, of) in of_one {
        for x in [-0.75, -0.25, 0.125, 0.5, 0.875] {
            all.push((format!("{name}f({x}f)"), of(x)));
            all.push((format!("(float){name}({x})"), of(x)));
        }
    }
    // Of these the standard library has none: Abramowitz and Stegun, tables 7.1 and 26.1.
    for (text, expected) in [
        ("erff(0.5f)", 0.520_499_878),
        ("erff(-1.0f)", -0.842_700_793),
        ("(float)erf(1.0)", 0.842_700_793),
        ("erfcf(2.0f)", 0.004_677_735),
        ("normcdff(1.0f)", 0.841_344_746),
        ("acoshf(2.5f)", 2.5f64.acosh()),
        ("atanf(-30.0f)", (-30f64).atan()),
        ("atan2f(1.0f, -2.0f)", 1f64.atan2(-2.0)),
        ("atan2f(-3.0f, -2.0f)", (-3f64).atan2(-2.0)),
        ("(float)atan2(3.0, 2.0)", 3f64.atan2(2.0)),
        ("hypotf(3.0f, 4.0f)", 5.0),
        ("remainderf(7.0f, 4.0f)", -1.0),
        ("fdimf(3.0f, 5.0f) + fdim(5.0f, 3.0f)", 2.0),
        ("norm3df(2.0f, 3.0f, 6.0f)", 7.0),
        ("ldexpf(1.5f, -130) * ldexpf(1.0f, 120) * 1024.0f", 1.5),
        ("scalbnf(3.0f, 4)", 48.0),
        ("powif(3.0f, 4)", 81.0),
        ("(float)(lroundf(-2.5f) + 10 * lrintf(2.5f) + 100 * llrintf(3.5f))", 417.0),
        ("__frsqrt_rn(4.0f)", 0.5),
        (
            "(float)(__float2int_ru(1.25f) + 10 * __float2int_rd(-1.25f) + __float2uint_rn(99.75f))",
            82.0,
        ),
        ("copysignf(3.0f, -0.0f) + (float)copysign(5.0, 1.0)", 2.0),
    ] {
        all.push((text.to_owned(), expected));
    }
    let texts: Vec<&str> = all.iter().map(|(text, _)| text.as_str()).collect();
    let found = computed(&texts, "float");
    for ((text, expected), bytes) in all.iter().zip(found) {
        let value = f64::from(f32::from_le_bytes(bytes));
        assert!(
            (value - expected).abs() <= NEAR * expected.abs().max(1.0),
            "{text}: {value}, and not {expected}"
        );
    }
}

/// Functions that give two results.
#[test]
fn parts_and_pairs_are_near_what_they_are() {
    let statements = "  float s, c, w;\n  double t, d;\n  sincosf(0.5f, &s, &c);\n  sincos(1.0, &t, &d);\n  out[0] = s;\n  out[1] = c;\n  out[2] = (float)(t + d);\n  \
                      out[3] = modff(-2.75f, &w);\n  out[4] = w;\n";
    let found = left(statements, "float", 5);
    let expected = [0.5f64.sin(), 0.5f64.cos(), 1f64.sin() + 1f64.cos(), -0.75, -2.0];
    for (expected, bytes) in expected.iter().zip(found) {
        let value = f64::from(f32::from_le_bytes(bytes));
        assert!((value - expected).abs() <= NEAR, "{value}, and not {expected}");
    }
}

#[test]
fn whole_numbers_are_what_they_are() {
    let all: [(&str, u32); 22] = [
        ("__hadd(-3, 2)", u32::MAX),
        ("__rhadd(2147483647, 2147483646)", 2_147_483_647),
        ("__uhadd(4294967295u, 1u)", 2_147_483_648),
        ("__urhadd(4u, 5u)", 5),
        ("__sad(-7, 5, 1u)", 13),
        ("__usad(5u, 7u, 1u)", 3),
        ("(unsigned)__mul64hi(-1ll, 2ll)", u32::MAX),
        ("(unsigned)__umul64hi(~0ull, 4ull)", 3),
        ("__funnelshift_lc(1u, 2u, 40u)", 1),
        ("__funnelshift_rc(1u, 2u, 40u)", 2),
        ("__vadd4(0x01ff7f80u, 0x01010180u)", 0x0200_8000),
        ("__vsub4(0x00010203u, 0x01010101u)", 0xff00_0102),
        ("__vsubss4(0x807f0001u, 0x01ff0002u)", 0x807f_00ff),
        ("__vaddus4(0xf0010203u, 0x20010101u)", 0xff02_0304),
        ("__vmaxu4(0x01ff0280u, 0x02010380u)", 0x02ff_0380),
        ("__vmins4(0x01ff0280u, 0x02010380u)", 0x01ff_0280),
        ("__vabsdiffu4(0x01050a00u, 0x050108ffu)", 0x0404_02ff),
        ("__vcmpeq4(0x01020304u, 0x01000300u)", 0xff00_ff00),
        ("__vcmpgtu4(0x01020304u, 0x01000305u)", 0x00ff_0000),
        ("__vadd2(0xffff0001u, 0x00010002u)", 3),
        ("__vmaxs2(0xffff0001u, 0x00010002u)", 0x0001_0002),
        ("(unsigned)isunordered(1.0f, 2.0f)", 0),
    ];
    let found = computed(&all.map(|(text, _)| text), "unsigned");
    for ((text, expected), bytes) in all.iter().zip(found) {
        let value = u32::from_le_bytes(bytes);
        assert_eq!(value, *expected, "{text}: {value:#x}, and not {expected:#x}");
    }
}

/// What is approximated is a value that nobody interprets, and no branch of the kernel's own: such
/// kernels are decided.
#[test]
fn what_is_approximated_leaves_kernels_decided() {
    use margay_kernel::{KernelQuestion, ask};
    let kernel = |index: &str| {
        format!(
            "__global__ void k(const float *x, float *o) {{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  float s, c;\n  sincosf(x[i], &s, &c);\n  \
             o[{index}] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f)) + atan2f(s, c) + hypotf(s, c) + log1pf(expf(x[i])) + cbrtf(x[i]) + fdimf(s, c) + __fadd_rz(s, __fmul_ru(c, s)) + __fmaf_rd(s, c, __frcp_rz(s));\n}}\n"
        )
    };
    for (index, is_wrong) in [("i", false), ("i / 2", true)] {
        let text = kernel(index);
        let include = |_: &str| Ok(None);
        let ptx = compile(&CudaSource {
            name: "a.cu",
            text: &text,
            include: &include,
            target: "sm_90",
            kernels: &[],
        });
        let ptx = ptx.unwrap_or_else(|e| panic!("{}", e.message));
        let module = margay_ptx::read(&ptx).unwrap_or_else(|e| panic!("{e}"));
        let answer = ask(&KernelQuestion::new(&ptx, &module, 0)).expect("an answer");
        let is_known = if is_wrong { answer.is_certain() } else { answer.is_settled(true) };
        assert_eq!(
            (answer.wrong().is_some(), is_known),
            (is_wrong, true),
            "{:#?}",
            answer.not_looked()
        );
    }
}
