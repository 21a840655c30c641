//! The reader of PTX: what compilers print, what is wrong and where, and damaged texts.

use margay_ptx::effect::{
    Computation, Effect, Half, MemoryOrder, MemoryScope, NumberComparison, Update, Window, of,
    reached,
};
use margay_ptx::{Initial, Module, Operand, ScalarKind, ScalarType, read};
use proptest::prelude::*;

const KERNELS: [&str; 4] = [
    include_str!("../../tests/kernels/lock.ptx"),
    include_str!("../../tests/kernels/last_block.ptx"),
    include_str!("../../tests/kernels/flag.ptx"),
    include_str!("../../tests/kernels/barrier.ptx"),
];

const HEAD: &str = ".version 8.5\n.target sm_90\n.address_size 64\n";

fn module(text: &str) -> Module {
    read(&format!("{HEAD}{text}")).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The instructions of a kernel with this body.
fn body(code: &str) -> Vec<margay_ptx::Instruction> {
    let registers =
        ".reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;";
    let text = format!(
        ".visible .entry k(.param .u64 a) {{ {registers} .shared .align 4 .b8 tile[64]; {code} }}"
    );
    module(&text).functions.remove(0).body.expect("a body")
}

#[test]
fn what_nvcc_prints_is_read() {
    for text in KERNELS {
        let module = read(text).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(module.address_size, 64);
        assert!(module.kernels().count() >= 2);
        for kernel in module.kernels() {
            for i in module.functions[kernel].body.iter().flatten() {
                let effect = of(i);
                assert!(
                    !matches!(effect, Effect::Unknown(_)),
                    "{}: {effect:?}",
                    &text[i.start..i.end]
                );
            }
        }
        // A line of the kernel's own file, also of what was inlined from a header.
        let lines =
            module.functions.iter().flat_map(|f| f.body.iter().flatten()).filter_map(|i| i.line);
        assert!(
            lines.clone().count() > 10
                && lines.into_iter().any(|l| module.files[&l.file].ends_with(".cu"))
        );
    }
}

#[test]
fn declarations_have_their_sizes_and_values() {
    let text = ".extern .shared .align 16 .b8 dynamic[];\n.const .align 4 .u32 table[4] = {1, 0x2, -1};\n.global .align 8 .u64 where[2] = {table+4, generic(table)};\n\
                .global .f32 one = 0f3F800000;\n.weak .global .v4 .u32 wide[2];\n.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 v);\n\
                .visible .entry k(.param .u64 .ptr .global .align 4 p, .param .align 8 .b8 s[16]) .reqntid 32, 1, 1 { ret; }\n";
    let module = module(text);
    let of = |name: &str| module.variables.iter().find(|v| v.name == name).expect(name);
    assert_eq!((of("dynamic").size, of("dynamic").external), (None, true));
    assert_eq!(
        of("table").initial,
        [Initial::Bits(1), Initial::Bits(2), Initial::Bits(0xffff_ffff)]
    );
    assert_eq!(
        of("where").initial,
        [Initial::Address("table".to_owned(), 4), Initial::Address("table".to_owned(), 0)]
    );
    assert_eq!(of("one").initial, [Initial::Bits(0x3f80_0000)]);
    assert_eq!(
        (of("wide").size, of("s").size, of("p").pointer, of("s").pointer),
        (Some(32), Some(16), true, false)
    );
    let kernel = module.function("k").expect("k");
    assert_eq!(module.functions[kernel].required_threads, Some([32, 1, 1]));
    assert!(module.functions[module.function("vprintf").expect("declared")].body.is_none());
}

#[test]
fn names_are_those_of_their_block() {
    let text = ".visible .entry k() { .reg .b32 %r<3>; .reg .pred p; $L: mov.b32 %r1, 1; { .reg .b32 %r<3>; .reg .pred p; $L: mov.b32 %r1, 2; @p bra $L; } \
                mov.b32 %r2, %r1; @p bra $L; bra END; END: ret; }";
    let module = module(text);
    let body = module.functions[0].body.as_ref().expect("a body");
    let to = |n: usize| {
        if let Effect::Compute { to, .. } = of(&body[n]) { to } else { panic!("{:?}", body[n]) }
    };
    assert_ne!(to(0), to(1));
    assert_eq!(body[3].operands[1], Operand::Register(to(0).expect("a register")));
    assert_eq!(
        [2, 4, 5].map(|n: usize| of(&body[n])),
        [Effect::Jump(1), Effect::Jump(0), Effect::Jump(6)]
    );
    assert_ne!(body[2].guard, body[4].guard);
}

#[test]
fn instructions_do_what_the_isa_says() {
    let says = |code: &str| format!("{:?}", of(&body(code)[0]));
    let code = body(
        "ld.acquire.gpu.global.u32 %r1, [%rd1+-4]; st.volatile.shared.v2.u32 [tile+8], {%r1, 0f3F800000}; atom.global.cas.b32 %r1, [%rd1], 0, 1; \
                     red.release.sys.global.add.u32 [%rd1], 1; fence.acquire.cluster; membar.gl; setp.lo.or.s32 %p1|%p2, %r1, 5, !%p3; ld.global.nc.f32 %f1, [%rd1];",
    );
    let Effect::Load { access, offset, .. } = of(&code[0]) else { panic!("{:?}", code[0]) };
    assert_eq!(
        (access.order, access.scope, access.window, offset),
        (MemoryOrder::Acquire, Some(MemoryScope::Gpu), Window::Global, -4)
    );
    let Effect::Store { access, offset, values, .. } = of(&code[1]) else {
        panic!("{:?}", code[1])
    };
    assert_eq!(
        (access.order, access.window, offset, values.len()),
        (MemoryOrder::Volatile, Window::Shared, 8, 2)
    );
    let Effect::Modify { access, update, to, .. } = of(&code[2]) else { panic!("{:?}", code[2]) };
    assert_eq!(
        (access.order, access.scope, update),
        (MemoryOrder::Relaxed, Some(MemoryScope::Gpu), Update::CompareAndSwap)
    );
    assert!(to.is_some());
    let Effect::Modify { access, to, .. } = of(&code[3]) else { panic!("{:?}", code[3]) };
    assert_eq!(
        (access.order, access.scope, to),
        (MemoryOrder::Release, Some(MemoryScope::Sys), None)
    );
    assert_eq!(of(&code[4]), Effect::Fence(MemoryOrder::Acquire, MemoryScope::Cluster));
    assert_eq!(of(&code[5]), Effect::Fence(MemoryOrder::Sc, MemoryScope::Gpu));
    let Effect::SetPredicate { relation, ty, to, with, .. } = of(&code[6]) else {
        panic!("{:?}", code[6])
    };
    assert_eq!(
        (relation, ty.kind, to.iter().flatten().count()),
        (NumberComparison::Less, ScalarKind::Unsigned, 2)
    );
    assert!(matches!(with, Some((Computation::Or, Operand::Not(_)))));
    assert!(matches!(of(&code[7]), Effect::Load { access, .. } if access.read_only));
    // What is not known is said, and why.
    let unknown = [
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %rd1;",
        "fence.proxy.alias.release.sys;",
        "fence.proxy.generic::fabric.alias.release.sys;",
        "fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster;",
        "frobnicate.u32 %r1, %r2;",
        "alloca.u64 %rd1, 8, 8;",
        "st.async.weak.shared::cluster.u32 [%rd1], %r1;",
        "ld.global.b128 %rd1, [%rd2];",
        "ld.global.v2.u32 {%r1, %r2, %r3}, [%rd2];",
        "ld.global.v4.u32 %r1, [%rd2];",
        "st.global.u32 [%rd2], {%r1, %r2};",
        "st.global.v2.u32 [%rd2], {%r1, %r2, %r3, %r4};",
    ];
    for code in unknown {
        assert!(says(code).starts_with("Unknown"), "{code}: {}", says(code));
    }
    // Mbarriers, asynchronous operations, and clusters.
    for (code, what) in [
        ("mbarrier.arrive.shared.b64 _, [%rd1];", "Async(Mbarrier"),
        (
            "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%rd1], 16;",
            "Async(Mbarrier",
        ),
        (
            "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [%rd1], %r1, 100;",
            "Async(Mbarrier",
        ),
        (
            "cp.async.cg.shared.global.L2::cache_hint [%rd1], [%rd2], 16, %rd3;",
            "Async(Copy { bulk: false",
        ),
        ("cp.async.mbarrier.arrive.noinc.shared.b64 [%rd1];", "Async(Mbarrier"),
        (
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%rd1], [%rd2], 16, [%rd3], %r1;",
            "Async(Copy { bulk: true",
        ),
        (
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%rd2], 16;",
            "Async(Copy { bulk: true",
        ),
        ("cp.async.bulk.wait_group.read 1;", "Async(Group"),
        (
            "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%rd2], 16, %r1;",
            "Async(Copy { bulk: true",
        ),
        (
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%rd1], [%rd2, {%r1, %r2}], [%rd3];",
            "Async(TensorLoad",
        ),
        (
            "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%rd2, {%r1}], [%rd1];",
            "Async(TensorStore",
        ),
        (
            "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%rd1], 0, %r1;",
            "Async(MapReplace",
        ),
        (
            "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%rd2], 128;",
            "Async(MapPublish",
        ),
        ("fence.proxy.tensormap::generic.release.gpu;", "Async(MapRelease(Gpu"),
        ("fence.proxy.tensormap::generic.acquire.sys [%rd1], 128;", "Async(MapAcquire"),
        (
            "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;",
            "Async(ProxyFence(AsyncAcquire",
        ),
        ("fence.release.sync_restrict::shared::cta.cluster;", "Async(SharedFence(false"),
        ("st.bulk.weak.shared::cta [%rd1], 64, 0;", "Async(Zeros"),
        ("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%rd1], 64;", "Tensor(Allocate"),
        (
            "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%rd1], %r1;",
            "Async(Mbarrier",
        ),
        ("tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, %p1;", "Tensor(Multiply"),
        ("tcgen05.fence::before_thread_sync;", "Tensor(Fence(false))"),
        (
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%rd1], {%r1, %r2}, [%rd2];",
            "Async(Store",
        ),
        ("fence.proxy.async.shared::cta;", "Async(ProxyFence(AsyncShared))"),
        ("fence.mbarrier_init.release.cluster;", "Async(MbarrierInitFence)"),
        ("barrier.cluster.arrive.relaxed.aligned;", "Cluster(Arrive(false))"),
        ("mapa.shared::cluster.u32 %r1, %r2, %r3;", "Cluster(MapAddress"),
        ("cp.async.bulk.prefetch.L2.global [%rd1], 16;", "Nothing"),
        ("griddepcontrol.wait;", "OtherLaunches"),
        ("setmaxnreg.inc.sync.aligned.u32 64;", "Nothing"),
        ("add.cc.u32 %r1, %r2, %r3;", "Carry { function: Add"),
        ("subc.u32 %r1, %r2, %r3;", "Carry { function: Subtract"),
        ("madc.hi.cc.u32 %r1, %r2, %r3, %r1;", "Carry { function: MultiplyAdd(High)"),
    ] {
        assert!(says(code).starts_with(what), "{code}: {}", says(code));
    }
    // Floating point is a function that nobody interprets.
    for code in [
        "add.f32 %f1, %f1, %f2;",
        "fma.rn.f32 %f1, %f1, %f1, %f1;",
        "cvt.rn.f32.s32 %f1, %r1;",
        "setp.lt.f32 %p1, %f1, %f2;",
    ] {
        assert!(says(code).starts_with("Opaque"), "{code}: {}", says(code));
    }
}

/// Functions of parts of words, by the words of the ISA (9.7.1): what each makes of its operands.
#[test]
fn parts_of_words_are_taken_as_the_isa_says() {
    let all: [(&str, &[u64], u64); 29] = [
        // A register takes the sign up to its width.
        ("cvt.s8.s32 %rs1, %r2;", &[0x1285], 0xffff_ffff_ffff_ff85),
        ("cvt.s16.s8 %rs1, %rs2;", &[0x85], 0xffff_ffff_ffff_ff85),
        ("cvt.s16.u8 %rs1, %rs2;", &[0x1285], 0x85),
        ("cvt.u8.u32 %rs1, %r2;", &[0x1285], 0x85),
        ("cvt.s32.s64 %r1, %rd2;", &[0x1_8000_0000], 0x8000_0000),
        ("mul24.lo.u32 %r1, %r2, %r3;", &[0xff00_0003, 5], 15),
        ("mul24.lo.s32 %r1, %r2, %r3;", &[0x00ff_ffff, 5], 0xffff_fffb),
        ("mul24.hi.u32 %r1, %r2, %r3;", &[0x0003_0000, 0x0001_0000], 0x0003_0000),
        ("mul24.hi.s32 %r1, %r2, %r3;", &[0x00ff_ffff, 1], 0xffff_ffff),
        ("mad24.lo.u32 %r1, %r2, %r3, %r4;", &[3, 5, 7], 22),
        ("sad.u32 %r1, %r2, %r3, %r4;", &[3, 0xffff_fffe, 1], 0xffff_fffc),
        ("sad.s32 %r1, %r2, %r3, %r4;", &[3, 0xffff_fffe, 1], 6),
        ("slct.u32.s32 %r1, %r2, %r3, %r4;", &[4, 5, 0], 4),
        ("slct.u32.s32 %r1, %r2, %r3, %r4;", &[4, 5, 0xffff_ffff], 5),
        (
            "dp4a.u32.u32 %r1, %r2, %r3, %r4;",
            &[0x0102_03ff, 0x0101_0102, 1],
            1 + 1 + 2 + 3 + 2 * 255,
        ),
        ("dp4a.s32.u32 %r1, %r2, %r3, %r4;", &[0xff, 2, 1], 0xffff_ffff),
        ("dp2a.lo.u32.u32 %r1, %r2, %r3, %r4;", &[0x0003_0005, 0x0707_0201, 0], 5 + 3 * 2),
        ("dp2a.hi.u32.u32 %r1, %r2, %r3, %r4;", &[0x0003_0005, 0x0201_0707, 0], 5 + 3 * 2),
        ("bmsk.clamp.b32 %r1, %r2, %r3;", &[4, 8], 0xff0),
        ("bmsk.clamp.b32 %r1, %r2, %r3;", &[28, 40], 0xf000_0000),
        ("bmsk.clamp.b32 %r1, %r2, %r3;", &[32, 1], 0),
        ("bmsk.wrap.b32 %r1, %r2, %r3;", &[33, 34], 6),
        ("szext.wrap.s32 %r1, %r2, %r3;", &[0x8, 4], 0xffff_fff8),
        ("szext.wrap.u32 %r1, %r2, %r3;", &[0xf8, 4], 8),
        ("szext.clamp.s32 %r1, %r2, %r3;", &[0xf8, 32], 0xf8),
        ("szext.wrap.s32 %r1, %r2, %r3;", &[0xff, 32], 0),
        ("fns.b32 %r1, %r2, %r3, %r4;", &[0b1101, 0, 2], 2),
        ("fns.b32 %r1, %r2, %r3, %r4;", &[0b1101, 1, 0xffff_ffff], 0),
        ("fns.b32 %r1, %r2, %r3, %r4;", &[0b1101, 1, 0], 0xffff_ffff),
    ];
    for (code, operands, expected) in all {
        let code = body(code);
        let Effect::Compute { function, ty, operands: named, .. } = of(&code[0]) else {
            panic!("{:?}", code[0])
        };
        // What a text leaves out is 0.
        let rest = vec![0; named.len() - operands.len()];
        assert_eq!(
            function.value(ty, &[operands, &rest].concat()),
            Some(expected),
            "{:?}",
            code[0]
        );
    }
}

#[test]
fn errors_say_where_and_what_was_expected() {
    let cases = [
        ("", (1, 1), "expected `.version`, found an empty text"),
        ("int main() {}", (1, 1), "expected `.version` at the start of PTX, found `int`"),
        (
            ".version 8.0\n.target sm_90\n.visible .entry k() {\n  mov.u32 %r1, 0;\n}",
            (4, 11),
            "the register `%r1` is not declared",
        ),
        (
            ".version 8.0\n.visible .entry k() {\n  bra nowhere;\n}",
            (3, 3),
            "there is no label `nowhere` in `k`",
        ),
        (".version 8.0\n.visible .entry k() {\n  ret\n}", (4, 1), "expected an operand, found `}`"),
        (
            ".version 8.0\n.visible .entry k() {\n  ret;\n",
            (4, 1),
            "expected `}` for the `{` in line 2",
        ),
        (".version 8.0\n/* open", (2, 1), "never closed"),
        (".version 8.0\n.file 1 \"a\n", (2, 9), "never closed"),
        (".version 8.0\n.global .u99 x;", (2, 9), "expected a type"),
        (
            ".version 8.0\n.visible .entry k() { .reg .b32 r; mov.b32 r, 0f12; }",
            (2, 47),
            "expected 8 hexadecimal digits",
        ),
        (
            ".version 8.0\n.visible .entry k() { .reg .b32 %r<9999999>; }",
            (2, 33),
            "registers in one function",
        ),
    ];
    for (text, at, message) in cases {
        let error = read(text).expect_err(text);
        assert!(error.message.contains(message), "{text:?}: {error}");
        assert_eq!((error.line, error.column), at, "{text:?}: {error}");
    }
}

#[test]
fn nothing_overflows() {
    for (open, close) in [("{", "}"), ("[", "]"), ("(", ")")] {
        let deep = format!(
            "{HEAD}.visible .entry k() {{ mov.u32 {}0{}; }}",
            open.repeat(100_000),
            close.repeat(100_000)
        );
        assert!(read(&deep).is_err());
    }
    let blocks = format!(
        "{HEAD}.visible .entry k() {{ {} ret; {} }}",
        "{".repeat(100_000),
        "}".repeat(100_000)
    );
    assert!(read(&blocks).is_ok());
    let values =
        format!("{HEAD}.global .u32 x[2] = {}1{};", "{".repeat(100_000), "}".repeat(100_000));
    assert!(read(&values).is_err());
}

#[test]
fn a_text_that_is_cut_off_is_an_error_at_its_end() {
    let text = KERNELS[0];
    let start = text.find(".visible").expect("a kernel");
    for cut in (start..text.len()).step_by(61) {
        if let Err(error) = read(&text[..cut]) {
            assert!(error.end <= cut && error.line >= 1, "{cut}: {error}");
        }
    }
}

/// What 16 bits make of two numbers, by arithmetic that is wide enough.
fn expected(function: Computation, signed: bool, a: u16, b: u16) -> Option<u64> {
    let (x, y) = if signed {
        (i64::from(a as i16), i64::from(b as i16))
    } else {
        (i64::from(a), i64::from(b))
    };
    Some(match function {
        Computation::Add => (x + y) as u16 as u64,
        Computation::Subtract => (x - y) as u16 as u64,
        Computation::Multiply(Half::Low) => (x * y) as u16 as u64,
        Computation::Multiply(Half::High) => ((x * y) >> 16) as u16 as u64,
        Computation::Multiply(Half::Wide) => (x * y) as u32 as u64,
        Computation::Divide => (x.checked_div(y)?) as u16 as u64,
        Computation::Remainder => (x.checked_rem(y)?) as u16 as u64,
        Computation::Min => x.min(y) as u16 as u64,
        Computation::Max => x.max(y) as u16 as u64,
        Computation::And => u64::from(a & b),
        Computation::Or => u64::from(a | b),
        Computation::Xor => u64::from(a ^ b),
        Computation::ShiftLeft => {
            if b < 16 {
                u64::from(a << b)
            } else {
                0
            }
        }
        Computation::ShiftRight => (x >> b.min(63)) as u16 as u64,
        Computation::Compare(NumberComparison::Less) => u64::from(x < y),
        Computation::Compare(NumberComparison::GreaterOrEqual) => u64::from(x >= y),
        _ => return None,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn arithmetic_is_that_of_wide_numbers(a: u16, b: u16, small in 0u16..20, signed: bool, above: u64) {
        let functions = [Computation::Add, Computation::Subtract, Computation::Multiply(Half::Low), Computation::Multiply(Half::High), Computation::Multiply(Half::Wide),
            Computation::Divide, Computation::Remainder, Computation::Min, Computation::Max, Computation::And, Computation::Or, Computation::Xor,
            Computation::ShiftLeft, Computation::ShiftRight, Computation::Compare(NumberComparison::Less), Computation::Compare(NumberComparison::GreaterOrEqual)];
        let ty = ScalarType { kind: if signed { ScalarKind::Signed } else { ScalarKind::Unsigned }, bits: 16 };
        for function in functions {
            let is_shift = matches!(function, Computation::ShiftLeft | Computation::ShiftRight);
            for b in [b, small, 0] {
                // Bits above the type say nothing, but those of an amount do.
                let more = if is_shift { 0 } else { above << 16 };
                let value = function.value(ty, &[u64::from(a) | above << 16, u64::from(b) | more]);
                prop_assert_eq!(value, expected(function, signed, a, b), "{:?} {} {} {}", function, signed, a, b);
            }
        }
    }

    #[test]
    fn fields_and_bytes_are_taken_bit_by_bit(a: u32, b: u32, c: u32, at in 0u64..40, length in 0u64..40, table: u8) {
        let ty = ScalarType { kind: ScalarKind::Unsigned, bits: 32 };
        let (x, y, z) = (u64::from(a), u64::from(b), u64::from(c));
        let taken = if at >= 32 { 0 } else { (x >> at) & ((1u64 << length.min(32)) - 1) };
        prop_assert_eq!(Computation::Extract.value(ty, &[x, at, length]), Some(taken));
        let mask = if at >= 32 { 0 } else { (((1u64 << length.min(32)) - 1) << at) & 0xffff_ffff };
        prop_assert_eq!(Computation::Insert.value(ty, &[x, y, at, length]), Some(y & !mask | x.checked_shl(at as u32).unwrap_or(0) & mask));
        prop_assert_eq!(Computation::Permute.value(ty, &[x, y, 0x3210]), Some(x));
        prop_assert_eq!(Computation::Permute.value(ty, &[x, y, 0x7654]), Some(y));
        prop_assert_eq!(Computation::Logic(0xf0 & 0xcc & 0xaa).value(ty, &[x, y, z]), Some(x & y & z));
        prop_assert_eq!(Computation::Logic(table).value(ty, &[x, y, z]).map(|v| v ^ 0xffff_ffff), Computation::Logic(!table).value(ty, &[x, y, z]));
        prop_assert_eq!(Computation::Funnel(true, true).value(ty, &[x, y, at]), Some((x | y << 32) << (at & 31) >> 32));
        prop_assert_eq!(Computation::Funnel(false, false).value(ty, &[x, y, at]), Some(((x | y << 32) >> at.min(32)) & 0xffff_ffff));
    }

    #[test]
    fn damaged_texts_are_read_or_refused(which in 0usize..4, at: prop::sample::Index, with in "[ -~\n]{0,3}", length in 0usize..9) {
        let text = KERNELS[which];
        let from = at.index(text.len());
        let to = (from + length).min(text.len());
        let damaged = format!("{}{with}{}", &text[..from], &text[to..]);
        if let Ok(module) = read(&damaged) {
            for function in &module.functions {
                function.body.iter().flatten().for_each(|i| { of(i); });
            }
        }
    }
}

/// Values have 64 bits: a half of 128 bits that is shifted out of them is not known, and no crash.
#[test]
fn wide_values_are_not_known() {
    let wide = ScalarType { bits: 128, kind: ScalarKind::Bits };
    for (n, value) in [(0, None), (63, None), (64, None), (127, None), (128, Some(0))] {
        assert_eq!(Computation::ShiftLeft.value(wide, &[3, n]), value, "{n}");
    }
    assert_eq!(Computation::ShiftRight.value(wide, &[3, 64]), Some(0));
}

#[test]
fn names_of_variables_of_functions_are_those_of_the_source() {
    for (mangled, name) in [
        ("_ZZ12with_barrierE4tile", Some("tile")),
        ("_ZZ7doubledIL7Mistake1EEvPKiPiE4tile", Some("tile")),
        ("_ZZ1kvE1s_0", Some("s")),
        ("tile", None),
        ("_ZZ", None),
        ("_ZZ1kvE99tile", None),
        ("_Z4tilev", None),
    ] {
        let text =
            format!(".version 8.0\n.target sm_90\n.address_size 64\n.shared .u32 {mangled};\n");
        assert_eq!(read(&text).unwrap().variables[0].source_name(), name, "{mangled}");
    }
}

#[test]
fn what_is_called_by_its_name_is_reached() {
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.func a() { ret; }\n.func b() { call.uni a, (); call.uni b, (); ret; }\n\
                .func c() { ret; }\n.entry k() { call.uni b, (); call.uni a, (); ret; }\n";
    let module = read(text).unwrap();
    let names = |from: &str| -> Vec<&str> {
        let reached: Vec<usize> = reached(&module, module.function(from));
        reached.into_iter().map(|f| module.functions[f].name.as_str()).collect()
    };
    assert_eq!(
        (names("k"), names("b"), names("c")),
        (vec!["k", "b", "a"], vec!["b", "a"], vec!["c"])
    );
}
