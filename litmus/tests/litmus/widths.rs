//! Arithmetic has the width and the sign of its type: what instructions, read-modify-writes and C
//! compute is compared, in both engines, with what numbers of that width are in Rust.

use margay_litmus::engine::{Choice, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::read;
use margay_litmus::test::{AtomFunction, CInteger, Integer, LocalFunction, Type, TypeKind};
use margay_models::diagnostic::SourceFile;
use margay_models::library;
use proptest::prelude::*;
use proptest::sample::select;

/// How many random tests; `MARGAY_CASES` for more.
fn cases() -> u32 {
    std::env::var("MARGAY_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(150)
}

/// Does `forall` hold, by both engines?
fn always(text: &str, model: &str) -> bool {
    let read = read::test(&SourceFile::new("t", text)).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let loaded = library::load(model, &[]).unwrap_or_else(|e| panic!("{e:?}"));
    let mut runner = Runner::new(&loaded.model);
    let verdict = runner
        .run(&read.test, &Options::default(), Choice::Both)
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    verdict.holds
}

/// `$f` with the number type of that width and sign.
macro_rules! with_native {
    ($integer:expr, $f:ident ( $($argument:expr),* )) => {
        match ($integer.bits, $integer.signed) {
            (8, true) => $f!(i8, i16, $($argument),*),
            (8, false) => $f!(u8, u16, $($argument),*),
            (16, true) => $f!(i16, i32, $($argument),*),
            (16, false) => $f!(u16, u32, $($argument),*),
            (32, true) => $f!(i32, i64, $($argument),*),
            (32, false) => $f!(u32, u64, $($argument),*),
            (64, true) => $f!(i64, i64, $($argument),*),
            _ => $f!(u64, u64, $($argument),*),
        }
    };
}

/// What an instruction leaves in a register; addition and its kin wrap around, by zero is zero,
/// shifts are clamped.
macro_rules! computed {
    ($t:ty, $wide:ty, $function:expr, $a:expr, $b:expr) => {{
        let (a, b) = ($a as $t, $b as $t);
        let shift = u32::try_from($b as u32).unwrap_or(u32::MAX);
        match $function {
            LocalFunction::Move => a as i64,
            LocalFunction::Not => !a as i64,
            LocalFunction::Negate => (0 as $t).wrapping_sub(a) as i64,
            LocalFunction::Add => a.wrapping_add(b) as i64,
            LocalFunction::Subtract => a.wrapping_sub(b) as i64,
            LocalFunction::Multiply => a.wrapping_mul(b) as i64,
            LocalFunction::MultiplyWide => (a as $wide).wrapping_mul(b as $wide) as i64,
            LocalFunction::Divide => {
                if b == 0 {
                    0
                } else {
                    a.wrapping_div(b) as i64
                }
            }
            LocalFunction::Remainder => {
                if b == 0 {
                    0
                } else {
                    a.wrapping_rem(b) as i64
                }
            }
            LocalFunction::And => (a & b) as i64,
            LocalFunction::Or => (a | b) as i64,
            LocalFunction::Xor => (a ^ b) as i64,
            LocalFunction::Min => a.min(b) as i64,
            LocalFunction::Max => a.max(b) as i64,
            LocalFunction::ShiftLeft => {
                if shift < <$t>::BITS {
                    (a << shift) as i64
                } else {
                    0
                }
            }
            // Two steps, since a shift by the whole width is none in Rust.
            LocalFunction::ShiftRight => {
                let by = shift.min(<$t>::BITS);
                (a >> (by / 2) >> ((by - by / 2).min(<$t>::BITS - 1))) as i64
            }
            LocalFunction::Compare(comparison) => {
                use margay_litmus::test::NumberComparison::*;
                i64::from(match comparison {
                    Equal => a == b,
                    NotEqual => a != b,
                    Less => a < b,
                    LessOrEqual => a <= b,
                    Greater => a > b,
                    GreaterOrEqual => a >= b,
                })
            }
            other => panic!("{other:?} is not asked for"),
        }
    }};
}

/// What a read-modify-write leaves in memory.
macro_rules! modified {
    ($t:ty, $wide:ty, $function:expr, $a:expr, $b:expr, $c:expr) => {{
        let (a, b, c) = ($a as $t, $b as $t, $c as $t);
        // `inc` and `dec` compare without signs.
        let (ua, ub) = (a as u64 & unsigned(<$t>::BITS), b as u64 & unsigned(<$t>::BITS));
        match $function {
            AtomFunction::Exchange => b,
            AtomFunction::CompareAndSwap => {
                if a == b {
                    c
                } else {
                    a
                }
            }
            AtomFunction::Add => a.wrapping_add(b),
            AtomFunction::Subtract => a.wrapping_sub(b),
            AtomFunction::Multiply => a.wrapping_mul(b),
            AtomFunction::Divide => {
                if b == 0 {
                    0
                } else {
                    a.wrapping_div(b)
                }
            }
            AtomFunction::And => a & b,
            AtomFunction::Or => a | b,
            AtomFunction::Xor => a ^ b,
            AtomFunction::Increment => {
                if ua >= ub {
                    0
                } else {
                    a.wrapping_add(1)
                }
            }
            AtomFunction::Decrement => {
                if ua == 0 || ua > ub {
                    b
                } else {
                    a.wrapping_sub(1)
                }
            }
            AtomFunction::Min => a.min(b),
            AtomFunction::Max => a.max(b),
        }
    }};
}

/// The number with all of so many lowest bits.
fn unsigned(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

macro_rules! modified_number {
    ($t:ty, $wide:ty, $function:expr, $a:expr, $b:expr, $c:expr) => {
        modified!($t, $wide, $function, $a, $b, $c) as i64
    };
}

/// The type of an instruction, and what its values are.
fn types() -> impl Strategy<Value = (Type, Integer)> {
    let kinds = select(&[TypeKind::Signed, TypeKind::Unsigned][..]);
    (kinds, select(&[8u8, 16, 32, 64][..])).prop_map(|(kind, bits)| {
        (Type::new(kind, bits), Integer { bits, signed: kind == TypeKind::Signed })
    })
}

/// Numbers, mostly near the ends of types.
fn number() -> impl Strategy<Value = i64> {
    let ends = select(&[0u32, 7, 8, 15, 16, 31, 32, 62][..]);
    prop_oneof![
        (ends, -2i64..3, any::<bool>()).prop_map(|(bits, near, negative)| {
            let end = (1i64 << bits).wrapping_add(near);
            if negative { end.wrapping_neg() } else { end }
        }),
        -3i64..40,
        any::<i64>(),
    ]
}

fn functions() -> impl Strategy<Value = LocalFunction> {
    let skipped =
        [LocalFunction::MultiplyAdd, LocalFunction::MultiplyAddWide, LocalFunction::Select];
    let arithmetic: Vec<LocalFunction> =
        LocalFunction::ARITHMETIC.into_iter().filter(|f| !skipped.contains(f)).collect();
    let comparisons = margay_litmus::test::NumberComparison::ALL.map(LocalFunction::Compare);
    select([arithmetic, comparisons.to_vec()].concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn instructions_compute_in_their_type((ty, integer) in types(), function in functions(), a in number(), b in number()) {
        let operands = if function.arity() == 1 { "r0" } else { "r0, r1" };
        // A shift amount has 32 bits whatever the type is.
        let shifts = matches!(function, LocalFunction::ShiftLeft | LocalFunction::ShiftRight);
        let second = if shifts { "u32".to_owned() } else { ty.to_string() };
        let expected = with_native!(integer, computed(function, a, b));
        let stored = integer.wrap(expected);
        let text = format!(
            "PTX t\n{{ x={a}; y={b}; z=0; }}\n P0@cta 0,gpu 0 ;\n ld.weak.{ty} r0, x ;\n ld.weak.{second} r1, y ;\n \
             {}.{ty} r2, {operands} ;\n st.weak.{ty} z, r2 ;\nforall (P0:r2 == {expected} /\\ z == {stored})\n",
            function.name()
        );
        prop_assert!(always(&text, "ptx-8"), "{}", text);
    }

    #[test]
    fn read_modify_writes_compute_in_their_type(
        (ty, integer) in types(), function in select(&AtomFunction::ALL[..]), a in number(), b in number(), c in number(),
    ) {
        let operands = if function == AtomFunction::CompareAndSwap { format!("{b}, {c}") } else { b.to_string() };
        let (before, after) = (integer.wrap(a), with_native!(integer, modified_number(function, a, b, c)));
        let text = format!(
            "PTX t\n{{ x={a}; }}\n P0@cta 0,gpu 0 ;\n atom.relaxed.gpu.{}.{ty} r0, x, {operands} ;\n \
             ld.weak.{ty} r1, x ;\nforall (P0:r0 == {before} /\\ P0:r1 == {after} /\\ x == {after})\n",
            function.name()
        );
        prop_assert!(always(&text, "ptx-8"), "{}", text);
    }

    /// A value that is written with one sign and read with the other.
    #[test]
    fn loads_extend_as_their_type_says(bits in select(&[8u8, 16, 32][..]), writes in any::<bool>(), a in number()) {
        let ty = |signed: bool| Type::new(if signed { TypeKind::Signed } else { TypeKind::Unsigned }, bits);
        let of = |signed: bool| Integer { bits, signed }.wrap(a);
        let text = format!(
            "PTX t\n{{ x=0; }}\n P0@cta 0,gpu 0 ;\n st.weak.{} x, {a} ;\n ld.weak.s{bits} r0, x ;\n ld.weak.u{bits} r1, x ;\n \
             ld.weak.b{bits} r2, x ;\n ld.weak r3, x ;\nforall (P0:r0 == {} /\\ P0:r1 == {} /\\ P0:r2 == {} /\\ P0:r3 == {})\n",
            ty(writes), of(true), of(false), of(false), of(writes)
        );
        prop_assert!(always(&text, "ptx-8"), "{}", text);
    }

    /// C's conversions (C11 6.3.1): of operands to a common type, of results to the type of a
    /// variable and of a location.
    #[test]
    fn c_computes_in_the_common_type(
        s in select(&CInteger::ALL[..]), t in select(&CInteger::ALL[..]), u in select(&CInteger::ALL[..]),
        symbol in select(&["+", "-", "*", "/", "%", "&", "|", "^", "<", "<=", "==", "!="][..]), a in number(), b in number(),
    ) {
        let (x, y) = (converted(a, s), converted(b, t));
        let common = s.common(t);
        let (p, q) = (converted(x, common), converted(y, common));
        // In 128 bits nothing overflows.
        let exact = |n: i64| if common == CInteger::UnsignedLong { i128::from(n as u64) } else { i128::from(n) };
        let (m, n) = (exact(p), exact(q));
        let result = match symbol {
            "+" => m + n,
            "-" => m - n,
            "*" => m.wrapping_mul(n),
            "/" => if n == 0 { 0 } else { m / n },
            "%" => if n == 0 { 0 } else { m % n },
            "&" => m & n,
            "|" => m | n,
            "^" => m ^ n,
            "<" => i128::from(m < n),
            "<=" => i128::from(m <= n),
            "==" => i128::from(m == n),
            _ => i128::from(m != n),
        };
        let comparison = matches!(symbol, "<" | "<=" | "==" | "!=");
        let result = if comparison { result as i64 } else { converted(result as i64, common) };
        let expected = converted(result, u);
        let text = format!(
            "C t\n{{ x={x}; y={y}; z=0; }}\nP0 ({}* x, {}* y, {}* z) {{\n  {} r0 = *x;\n  {} r1 = *y;\n  {} r2 = r0 {symbol} r1;\n  \
             *z = r0 {symbol} r1;\n}}\nforall (0:r2 == {expected} /\\ [z] == {expected})\n",
            s.name(), t.name(), u.name(), s.name(), t.name(), u.name()
        );
        prop_assert!(always(&text, "rc11"), "{}", text);
    }
}

/// C11 6.3.1.2 and 6.3.1.3.
fn converted(n: i64, to: CInteger) -> i64 {
    match to {
        CInteger::Bool => i64::from(n != 0),
        CInteger::Char => i64::from(n as i8),
        CInteger::UnsignedChar => i64::from(n as u8),
        CInteger::Short => i64::from(n as i16),
        CInteger::UnsignedShort => i64::from(n as u16),
        CInteger::Int => i64::from(n as i32),
        CInteger::Unsigned => i64::from(n as u32),
        CInteger::Long | CInteger::UnsignedLong | CInteger::Pointer => n,
    }
}

/// `-1` of a type without a sign is its largest number, in conditions as well.
#[test]
fn conditions_compare_values_of_the_type() {
    let test = |condition: &str| {
        format!(
            "PTX t\n{{ x=-1; }}\n P0@cta 0,gpu 0 ;\n ld.weak.u32 r0, x ;\n atom.relaxed.gpu.add.u32 r1, x, 2 ;\nforall ({condition})\n"
        )
    };
    for holds in
        ["P0:r0 == -1", "P0:r0 == 4294967295", "P0:r1 == -1 /\\ x == 1", "x != -1", "P0:r0 > 5"]
    {
        assert!(always(&test(holds), "ptx-8"), "{holds}");
    }
    for fails in ["P0:r0 == 1", "x == 4294967297", "P0:r0 < 0"] {
        assert!(!always(&test(fails), "ptx-8"), "{fails}");
    }
}

/// The sum of two addresses' offsets is no number: an address is kept whole in any type.
#[test]
fn addresses_are_not_cut_off() {
    let text = "PTX t\n{ x=0; y=7; p=y; }\n P0@cta 0,gpu 0 ;\n ld.weak.b32 r0, p ;\n ld.weak.b32 r1, [r0] ;\nforall (P0:r1 == 7)\n";
    assert!(always(text, "ptx-8"));
    let c = "C t\n{ y=7; p=&y; }\nP0 (int* p, int* y) {\n  int r0 = *p;\n  int r1 = *r0;\n}\nforall (0:r1 == 7)\n";
    assert!(always(c, "rc11"));
}
