//! What leaves an array is found, in whichever space, and whatever lies beside it; what may be
//! launched.

use margay_machine::{
    FaultKind, LaunchError, LaunchSize, MachineModule, MemoryKind, ModuleRefusal, Schedule,
};

const HEADER: &str = ".version 8.6\n.target sm_90\n.address_size 64\n";

/// Arrays that lie beside each other in each space, and a device function that gives away the
/// address of a variable of its own.
const KERNEL: &str = ".visible .global .align 4 .b8 g[64];\n.visible .global .align 4 .b8 h[64];\n.extern .shared .align 4 .b8 d[];\n\
    .shared .align 4 .b8 s[64];\n.shared .align 4 .b8 t[64];\n\
    .func (.param .b64 r) given()\n{\n.local .align 4 .b8 gone[16];\n.reg .b64 %a;\nmov.u64 %a, gone;\ncvta.local.u64 %a, %a;\n\
    st.param.b64 [r], %a;\nret;\n}\n\
    .visible .entry test(.param .u64 a, .param .u64 b)\n{\n.local .align 8 .b8 l[64];\n.local .align 4 .b8 m[64];\n.param .b64 back;\n\
    .reg .b64 %a, %b, %c, %d;\n.reg .b32 %r, %q;\nmov.u32 %r, 7;\nld.param.u64 %a, [a];\nld.param.u64 %b, [b];\nBODY\nret;\n}\n";

/// What threads do, and what is said of it; nothing where all of it is inside.
const ACCESSES: [(&str, &str); 29] = [
    ("st.global.u32 [%a+60], %r;\nst.global.u32 [%b], %r;", ""),
    ("st.global.u32 [%a+64], %r;", "64 bytes behind the start of `a`, which has 64 bytes"),
    ("st.global.u32 [%b+-4], %r;", "4 bytes in front of the start of `b`"),
    // As far as from one array to the next when they lie side by side, or with a gap.
    ("st.global.u32 [%a+256], %r;", "256 bytes behind the start of `a`"),
    ("st.global.u32 [%a+512], %r;", "512 bytes behind the start of `a`"),
    (
        "mov.u64 %c, 0x800000000;\nadd.s64 %c, %a, %c;\nst.global.u32 [%c], %r;",
        "of `a`, which has 64 bytes",
    ),
    ("st.u32 [g+60], %r;\nst.u32 [h], %r;", ""),
    ("st.global.u32 [g+64], %r;", "64 bytes behind the start of `g`"),
    ("mov.u64 %c, h;\nld.u32 %r, [%c+-64];", "64 bytes in front of the start of `h`"),
    ("add.s64 %c, %a, %b;\nld.global.u32 %r, [%c];", "which is in no array"),
    ("mov.u64 %c, 16;\nld.u32 %r, [%c];", "an access to 0x10, which is in no array"),
    ("ld.global.v2.u32 {%r, %q}, [%a+56];", ""),
    ("ld.global.v2.u32 {%r, %q}, [%a+60];", "no multiple of its size"),
    ("atom.global.add.u32 %r, [%a+64], 1;", "64 bytes behind the start of `a`"),
    ("st.shared.u32 [s+60], %r;\nst.shared.u32 [t], %r;\nst.shared.u32 [d+12], %r;", ""),
    ("st.shared.u32 [s+64], %r;", "64 bytes behind the start of `s`, which has 64 bytes"),
    (
        "mov.u32 %q, t;\nadd.s32 %q, %q, -64;\nst.shared.u32 [%q], %r;",
        "64 bytes in front of the start of `t`",
    ),
    // As far as from one window to the next.
    (
        "mov.u32 %q, s;\nadd.s32 %q, %q, 1048576;\nst.shared.u32 [%q], %r;",
        "of `t`, which has 0 bytes",
    ),
    (
        "mov.u32 %q, s;\nadd.s32 %q, %q, 1048576;\nst.shared.u32 [t], %r;\nst.shared.u32 [%q], %r;",
        "64 bytes in front of the start of `t`",
    ),
    ("mov.u32 %q, s;\nadd.s32 %q, %q, 16777216;\nst.shared.u32 [%q], %r;", "which is in no array"),
    (
        "mov.u64 %c, s;\ncvta.shared.u64 %c, %c;\nst.u32 [%c+60], %r;\nst.u32 [%c+128], %r;",
        "128 bytes behind the start of `s`",
    ),
    ("st.shared.u32 [d+16], %r;", "16 bytes behind the start of `d`, which has 16 bytes"),
    ("st.local.u32 [l+60], %r;\nst.local.u32 [m], %r;", ""),
    ("st.local.u32 [l+64], %r;", "64 bytes behind the start of `l`"),
    ("mov.u64 %c, m;\nst.local.u32 [%c+-4], %r;", "4 bytes in front of the start of `m`"),
    (
        "mov.u64 %c, l;\ncvta.local.u64 %c, %c;\nst.u32 [%c+64], %r;",
        "64 bytes behind the start of `l`",
    ),
    ("ld.param.u64 %c, [a+8];", "8 bytes behind the start of `a`, which has 8 bytes"),
    (
        "call.uni (back), given, ();\nld.param.b64 %c, [back];\nst.u32 [%c], %r;",
        "which is in no array",
    ),
    ("mov.u64 %c, l;\nst.local.u64 [%c+60], %d;", "no multiple of its size"),
];

const ONE: LaunchSize = LaunchSize { blocks: [1, 1, 1], threads: [1, 1, 1], dynamic_shared: 16 };

fn launch(text: &str, size: LaunchSize, memory: MemoryKind) -> Result<(), LaunchError> {
    let mut device = MachineModule::read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let of = |name: &str| device.memory.allocate(name, 64).unwrap().to_le_bytes().to_vec();
    let arguments = ["a", "b"].map(of);
    let schedule = Schedule { seed: 1, memory, places: 8, steps: 10_000 };
    device.launch("test", size, &arguments, &schedule).map(|_| ())
}

#[test]
fn what_leaves_an_array_is_found_in_each_space() {
    for (body, expected) in ACCESSES {
        let text = format!("{HEADER}{}", KERNEL.replace("BODY", body));
        for memory in [MemoryKind::SequentiallyConsistent, MemoryKind::Weak] {
            match launch(&text, ONE, memory) {
                Ok(()) => assert!(expected.is_empty(), "{body}: nothing was found"),
                Err(LaunchError::Fault(fault)) => {
                    let said = fault.kind.to_string();
                    assert!(!expected.is_empty() && said.contains(expected), "{body}: {said}");
                    assert!(
                        matches!(fault.kind, FaultKind::Outside { .. } | FaultKind::Misaligned(_)),
                        "{body}: {said}"
                    );
                }
                Err(other) => panic!("{body}: {other:?}"),
            }
        }
    }
}

/// What a kernel says of its launches, the launch, and what is said where it is refused.
#[test]
fn what_no_gpu_launches_is_refused() {
    let sizes = |blocks, threads, dynamic_shared| LaunchSize { blocks, threads, dynamic_shared };
    let cases = [
        ("", "", sizes([2, 3, 4], [4, 8, 2], 232_448), ""),
        ("", "", sizes([0, 1, 1], [1, 1, 1], 0), "0 x 1 x 1 blocks: there are at least one"),
        ("", "", sizes([1, 65_536, 1], [1, 1, 1], 0), "65,535 in y and z"),
        ("", "", sizes([1, 1, 1], [33, 32, 1], 0), "at most 1,024 in all"),
        ("", "", sizes([1, 1, 1], [1, 1, 65], 0), "64 in z"),
        ("", "", sizes([1, 1, 1], [1, 1, 1], 232_449), "at most 232448 (227 KB)"),
        (
            "",
            "st.shared.u32 [s], 1;",
            sizes([1, 1, 1], [1, 1, 1], 232_448),
            "64 bytes of shared memory in its variables",
        ),
        ("", "st.shared.u32 [s], 1;", sizes([1, 1, 1], [1, 1, 1], 232_384), ""),
        (".reqntid 4, 8, 1", "", sizes([1, 1, 1], [4, 8, 1], 0), ""),
        (".reqntid 4, 8, 1", "", sizes([1, 1, 1], [8, 4, 1], 0), "its `.reqntid` says 4 x 8 x 1"),
        (".maxntid 32, 1, 1", "", sizes([1, 1, 1], [4, 8, 1], 0), ""),
        (
            ".maxntid 32, 1, 1",
            "",
            sizes([1, 1, 1], [33, 1, 1], 0),
            "its `.maxntid` says at most 32",
        ),
        (".reqnctapercluster 1, 1, 1", "", sizes([2, 1, 1], [1, 1, 1], 0), ""),
        (".reqnctapercluster 2, 1, 1", "", sizes([2, 1, 1], [1, 1, 1], 0), "clusters"),
    ];
    for (directive, body, size, expected) in cases {
        let text = format!(
            "{HEADER}.shared .align 4 .b8 s[64];\n.visible .entry test(.param .u64 a, .param .u64 b) {directive}\n{{\n{body}\nret;\n}}\n"
        );
        match launch(&text, size, MemoryKind::Weak) {
            Ok(()) => assert!(expected.is_empty(), "{directive} {size:?}"),
            Err(LaunchError::Refused(why)) => {
                assert!(
                    !expected.is_empty() && why.contains(expected),
                    "{directive} {size:?}: {why}"
                )
            }
            Err(other) => panic!("{directive} {size:?}: {other:?}"),
        }
    }
    // A million blocks with all of shared memory, at once.
    let text =
        format!("{HEADER}.visible .entry test(.param .u64 a, .param .u64 b)\n{{\nret;\n}}\n");
    let mut device = MachineModule::read(&text).unwrap();
    let schedule = Schedule { seed: 1, memory: MemoryKind::Weak, places: 1_000_000, steps: 10_000 };
    match device.launch(
        "test",
        sizes([1_000_000, 1, 1], [1, 1, 1], 232_448),
        &[vec![0; 8], vec![0; 8]],
        &schedule,
    ) {
        Err(LaunchError::Refused(why)) => {
            assert!(why.contains("1000000 blocks at once") && why.contains("fewer places"), "{why}")
        }
        other => panic!("{other:?}"),
    }
    let narrow = HEADER.replace("64", "32");
    for head in [narrow.as_str(), ".version 8.6\n.target sm_90\n"] {
        let refused =
            MachineModule::read(&format!("{head}.visible .entry test()\n{{\nret;\n}}\n")).err();
        assert!(matches!(refused, Some(ModuleRefusal::NarrowAddresses)), "{refused:?}");
    }
}

/// The variables of one kernel take nothing from the others: they are together larger than a
/// block's memory.
#[test]
fn each_kernel_has_all_of_shared_memory() {
    let kernel = |n: u32| {
        format!(
            ".visible .entry k{n}(.param .u64 a)\n{{\n.shared .align 4 .b8 own{n}[200000];\n.reg .b64 %a;\n.reg .b32 %r;\nld.param.u64 %a, [a];\n\
             mov.u32 %r, {n};\nst.shared.u32 [own{n}+199996], %r;\nst.shared.u32 [all], 5;\nld.shared.u32 %r, [own{n}+199996];\n\
             st.global.u32 [%a], %r;\nret;\n}}\n"
        )
    };
    let text: String = [HEADER.to_owned(), ".shared .u32 all;\n".to_owned()]
        .into_iter()
        .chain((0..4).map(kernel))
        .collect();
    let mut device = MachineModule::read(&text).unwrap();
    let address = device.memory.allocate("a", 4).unwrap();
    let one = LaunchSize { dynamic_shared: 0, ..ONE };
    for n in 0..4u32 {
        let schedule = Schedule { seed: 1, memory: MemoryKind::Weak, places: 1, steps: 1000 };
        device.launch(&format!("k{n}"), one, &[address.to_le_bytes().to_vec()], &schedule).unwrap();
        assert_eq!(device.memory.read(address, 4).unwrap(), n.to_le_bytes());
    }
    let large = text.replace("200000", "300000");
    assert!(MachineModule::read(&large).err().is_some_and(|why| {
        why.to_string().contains("more than 232448 bytes, with `own0` of 300000")
    }));
}
