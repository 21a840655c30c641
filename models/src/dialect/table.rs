//! The dialects, as data. To add an architecture: a text in models/dialects/ that defines its
//! names, and a row here.

use super::{ModelArchitecture, NameDialect, OfTests};
use crate::signature::Signature;

macro_rules! text {
    ($name:literal) => {
        (concat!($name, ".cat"), include_str!(concat!("../../dialects/", $name, ".cat")))
    };
}

/// What every architecture of another tool has as Margay has it.
const PLAIN: &[&str] = &[
    "_", "W", "R", "M", "F", "IW", "RMW", "id", "po", "rf", "co", "fr", "loc", "rmw", "addr",
    "data", "ctrl",
];

/// An architecture without orders and scopes, as another tool has it.
const fn plain(
    name: &'static str,
    words: &'static [&'static str],
    prelude: &'static [(&'static str, &'static str)],
    absent_sets: &'static [&'static str],
) -> ModelArchitecture {
    ModelArchitecture {
        own: Some((name, words)),
        signature: Signature::PLAIN,
        prelude,
        native: Some(PLAIN),
        absent_sets,
        absent_relations: &[],
        identity: None,
        of_tests: None,
    }
}

macro_rules! peers {
    ($name:literal) => {
        (concat!("peers/", $name, ".cat"), include_str!(concat!("../../peers/", $name, ".cat")))
    };
}

/// How models are read for tests whose events carry tags: those of the architecture of this word.
const AARCH64_TESTS: OfTests = OfTests {
    word: "aarch64",
    definitions: peers!("aarch64"),
    native: &["A", "L", "Q", "X", "DMB.ISH", "DMB.ISHLD", "DMB.ISHST", "ISB"],
};
const POWER_TESTS: OfTests = OfTests {
    word: "power",
    definitions: peers!("power"),
    native: &["SYNC", "LWSYNC", "ISYNC", "EIEIO"],
};
const RISCV_TESTS: OfTests =
    OfTests { word: "riscv", definitions: peers!("riscv"), native: &["AMO", "X"] };
const ARM_TESTS: OfTests =
    OfTests { word: "armv7", definitions: peers!("arm"), native: &["DMB", "DMB.ST", "ISB", "X"] };
const X86_TESTS: OfTests =
    OfTests { word: "x86", definitions: peers!("x86"), native: &["MFENCE", "LFENCE", "SFENCE"] };

/// An architecture whose tests carry tags.
const fn tagged(of_tests: OfTests, architecture: ModelArchitecture) -> ModelArchitecture {
    ModelArchitecture { of_tests: Some(of_tests), ..architecture }
}

const MIPS_TESTS: OfTests =
    OfTests { word: "mips", definitions: peers!("mips"), native: &["SYNC", "X"] };
const VULKAN_TESTS: OfTests = OfTests {
    word: "vulkan",
    definitions: peers!("vulkan"),
    native: &[
        "ACQ",
        "REL",
        "SC0",
        "SC1",
        "SEMSC0",
        "SEMSC1",
        "AVDEVICE",
        "VISDEVICE",
        "SG",
        "WG",
        "QF",
        "vloc",
    ],
};

const LISA_TESTS: OfTests = OfTests {
    word: "lisa",
    definitions: peers!("lisa"),
    native: &[
        "Once", "ONCE", "Acquire", "ACQUIRE", "Release", "RELEASE", "Noreturn", "NORETURN", "Rlx",
        "RLX", "Acq", "ACQ", "Rel", "REL", "AcqRel", "ACQ_REL", "Sc", "SC", "Mb", "MB", "Rmb",
        "RMB", "Wmb", "WMB",
    ],
};

const X86: &[&str] = &["X86", "X86_64", "TSO"];
const MIPS: &[&str] = &["MIPS"];
const POWER: &[&str] = &["PPC", "Power", "POWER", "PowerPC"];
const ARM: &[&str] = &["ARM", "ARMv7"];
const AARCH64: &[&str] = &["AArch64", "AARCH64", "ARMv8"];
const RISCV: &[&str] = &["RISCV", "RISC"];
const VULKAN: &[&str] = &["VULKAN", "Vulkan", "SPIRV", "SPIR"];
const GENERIC: &[&str] = &["SC", "Generic", "GENERIC"];

const NO_X86: &[&str] = &["LFENCE", "SFENCE", "NT", "CLFLUSH"];
const NO_POWER: &[&str] = &["LWSYNC", "EIEIO", "ISYNC"];
const NO_ARM: &[&str] = &["DMB.ST", "DSB", "DSB.ST", "ISB"];
const NO_AARCH64: &[&str] = &[
    "A",
    "L",
    "Q",
    "X",
    "EX",
    "NoRet",
    "T",
    "ISB",
    "DMB.LD",
    "DMB.ST",
    "DMB.ISH",
    "DMB.ISHLD",
    "DMB.ISHST",
    "DMB.OSH",
    "DMB.OSHLD",
    "DMB.OSHST",
    "DMB.NSH",
    "DMB.NSHLD",
    "DMB.NSHST",
    "DSB.SY",
    "DSB.LD",
    "DSB.ST",
    "DSB.ISH",
    "DSB.ISHLD",
    "DSB.ISHST",
    "DSB.OSH",
    "DSB.OSHLD",
    "DSB.OSHST",
    "DSB.NSH",
    "DSB.NSHLD",
    "DSB.NSHST",
    "TLBI",
    "FAULT",
    "PTE",
    "DC.CVAU",
    "IC.IVAU",
];
const NO_RISCV: &[&str] = &[
    "Fence.r.r",
    "Fence.r.w",
    "Fence.r.rw",
    "Fence.w.r",
    "Fence.w.w",
    "Fence.w.rw",
    "Fence.rw.r",
    "Fence.rw.w",
    "Fence.tso",
    "Fence.i",
    "Acq",
    "Rel",
    "AcqRel",
    "Sc",
    "EX",
];

/// All but accesses: its models are about tests that carry tags.
const NO_VULKAN: &[&str] = &[
    "F",
    "ATOM",
    "NONPRIV",
    "ACQ",
    "REL",
    "SC0",
    "SC1",
    "SEMSC0",
    "SEMSC1",
    "SEMAV",
    "SEMVIS",
    "AV",
    "VIS",
    "AVDEVICE",
    "VISDEVICE",
    "CBAR",
    "SG",
    "WG",
    "QF",
    "DV",
];

const NO_LISA: &[&str] =
    &["Once", "Acquire", "Release", "Noreturn", "Rlx", "Acq", "Rel", "AcqRel", "Sc", "Rmb", "Wmb"];

/// Mutexes and consume operations: the tests of C that Margay reads have neither.
const NO_C: &[&str] = &["CON", "LS", "UL", "LK", "LU", "LF", "RL", "RU"];

/// The models that Margay ships, and those written for it: every base name of the signature.
pub static MARGAY: NameDialect = NameDialect {
    name: "margay",
    tool: "Margay",
    architectures: &[
        // What they are called, and by which words, their texts say.
        margay(Signature::PTX),
        margay(Signature::C),
        margay(Signature::PLAIN),
    ],
    includes: &[],
    foreign: &[],
};

pub(super) const fn margay(signature: Signature) -> ModelArchitecture {
    ModelArchitecture {
        own: None,
        signature,
        prelude: &[text!("margay")],
        native: None,
        absent_sets: &[],
        absent_relations: &[],
        identity: None,
        of_tests: None,
    }
}

/// herd7 (herdtools7, herd/libdir).
pub static HERD7: NameDialect = NameDialect {
    name: "herd7",
    tool: "herd7",
    architectures: &[
        plain("a model of no architecture", GENERIC, &[text!("generic"), text!("herd7")], &[]),
        tagged(
            X86_TESTS,
            ModelArchitecture {
                native: Some(X86_NAMES),
                ..plain("X86", X86, &[text!("x86"), text!("herd7")], NO_X86)
            },
        ),
        tagged(MIPS_TESTS, plain("MIPS", MIPS, &[text!("mips"), text!("herd7")], &[])),
        tagged(
            AARCH64_TESTS,
            plain("AArch64", AARCH64, &[text!("aarch64"), text!("herd7")], NO_AARCH64),
        ),
        tagged(ARM_TESTS, plain("ARM", ARM, &[text!("arm"), text!("herd7")], NO_ARM)),
        tagged(POWER_TESTS, plain("Power", POWER, &[text!("power"), text!("herd7")], NO_POWER)),
        tagged(RISCV_TESTS, plain("RISC-V", RISCV, &[text!("riscv"), text!("herd7")], NO_RISCV)),
        ModelArchitecture {
            own: Some(("C", &["C", "C11", "RC11"])),
            signature: Signature::C,
            prelude: &[text!("herd7-c"), text!("herd7")],
            native: Some(&["_", "M", "F", "IW", "RMW", "SC", "loc"]),
            absent_sets: NO_C,
            absent_relations: &["lo"],
            identity: Some("one-event"),
            of_tests: None,
        },
        tagged(LISA_TESTS, plain("LISA", &["LISA"], &[text!("lisa"), text!("herd7")], NO_LISA)),
        // As the paper of 2015 extended the tool: no release of it has PTX.
        ModelArchitecture {
            own: Some(("PTX of 2015", &["GPU_PTX", "PTX"])),
            signature: Signature::PTX,
            prelude: &[text!("herd7-gpu-ptx"), text!("herd7")],
            native: Some(PLAIN),
            absent_sets: &[],
            absent_relations: &[],
            identity: None,
            of_tests: None,
        },
    ],
    includes: &HERD7_FILES,
    foreign: &["BPF", "ASL", "AArch32", "AARCH32", "JAVA", "Java", "Linux", "OpenCL"],
};

/// The base names of x86: `MFENCE` besides.
const X86_NAMES: &[&str] = &[
    "_", "W", "R", "M", "F", "MFENCE", "IW", "RMW", "id", "po", "rf", "co", "fr", "loc", "rmw",
    "addr", "data", "ctrl",
];

/// The relation of each fence that the architecture has, and nothing for the others.
const FENCES: &str = "
    let mfence = try fencerel(MFENCE) with 0  let sfence = try fencerel(SFENCE) with 0  let lfence = try fencerel(LFENCE) with 0
    let sync = try fencerel(SYNC) with 0      let lwsync = try fencerel(LWSYNC) with 0  let eieio = try fencerel(EIEIO) with 0
    let isync = try fencerel(ISYNC) with 0    let ctrlisync = try ctrlcfence(ISYNC) with 0
    let dmb = try fencerel(DMB) with 0        let dmb.st = try fencerel(DMB.ST) with 0
    let dsb = try fencerel(DSB) with 0        let dsb.st = try fencerel(DSB.ST) with 0
    let isb = try fencerel(ISB) with 0        let ctrlisb = try ctrlcfence(ISB) with 0";

/// The relation of each fence of AArch64, and the sets of fences by what they order. All are as
/// strong as in one shareability domain.
const AARCH64_FENCES: &str = "
    let dmb.sy = fencerel(DMB.SY) | fencerel(DMB.ISH)  let dsb.sy = fencerel(DSB.SY)  let isb = fencerel(ISB)
    let dsb.full = DSB.ISH | DSB.OSH | DSB.SY                let dmb.full = DMB.ISH | DMB.OSH | DMB.SY | dsb.full
    let dsb.ld = DSB.ISHLD | DSB.OSHLD | DSB.LD              let dmb.ld = DMB.ISHLD | DMB.OSHLD | DMB.LD | dsb.ld
    let dsb.st = DSB.ISHST | DSB.OSHST | DSB.ST              let dmb.st = DMB.ISHST | DMB.OSHST | DMB.ST | dsb.st";

/// Restrictions of a relation to kinds of accesses; `A` are the halves of read-modify-writes, `P`
/// the others.
const FILTERS: &str = "
    let A = (try X with {}) | (try A with {})  let P = M \\ A
    let RR(r) = r & (R * R) let RW(r) = r & (R * W) let RM(r) = r & (R * M)
    let WR(r) = r & (W * R) let WW(r) = r & (W * W) let WM(r) = r & (W * M)
    let MR(r) = r & (M * R) let MW(r) = r & (M * W) let MM(r) = r & (M * M)
    let AA(r) = r & (A * A) let AP(r) = r & (A * P) let PA(r) = r & (P * A) let PP(r) = r & (P * P)
    let AM(r) = r & (A * M) let MA(r) = r & (M * A)
    let noid(r) = r \\ id
    let atom = [A]";

/// Coherence order of C: of the atomic writes and the initial ones.
const C11_COS: &str = "
    let mobase = co0
    with mo from generate_orders(W & (A | IW), mobase)
    let moi = mo & int let moe = mo & ext
    let co = mo let coe = moe let coi = moi
    let fr = (rf^-1; mo) \\ id let fri = fr & int let fre = fr & ext";

const HERD7_FILES: [(&str, &str); 16] = [
    ("stdlib.cat", ""),
    ("cos.cat", ""),
    ("cos-opt.cat", ""),
    ("cos-no-opt.cat", ""),
    ("cos-ok-opt.cat", ""),
    ("cross.cat", ""),
    ("fences.cat", FENCES),
    ("x86fences.cat", FENCES),
    ("mipsfences.cat", FENCES),
    ("ppcfences.cat", FENCES),
    ("armfences.cat", FENCES),
    ("aarch64fences.cat", AARCH64_FENCES),
    ("filters.cat", FILTERS),
    ("c11_cos.cat", C11_COS),
    ("c11_los.cat", ""),
    ("basic.cat", ""),
];

/// Dartagnan (Dat3M, cat/).
pub static DARTAGNAN: NameDialect = NameDialect {
    name: "dartagnan",
    tool: "Dartagnan",
    architectures: &[
        plain("a model of no architecture", GENERIC, &[text!("generic"), text!("dartagnan")], &[]),
        tagged(
            X86_TESTS,
            ModelArchitecture {
                native: Some(DARTAGNAN_X86),
                ..plain("X86", X86, &[text!("x86"), text!("dartagnan")], NO_X86)
            },
        ),
        tagged(
            AARCH64_TESTS,
            plain("AArch64", AARCH64, &[text!("aarch64"), text!("dartagnan")], NO_AARCH64),
        ),
        tagged(ARM_TESTS, plain("ARM", ARM, &[text!("arm"), text!("dartagnan")], NO_ARM)),
        tagged(POWER_TESTS, plain("Power", POWER, &[text!("power"), text!("dartagnan")], NO_POWER)),
        tagged(
            RISCV_TESTS,
            plain("RISC-V", RISCV, &[text!("riscv"), text!("dartagnan")], NO_RISCV),
        ),
        tagged(
            VULKAN_TESTS,
            ModelArchitecture {
                native: Some(DARTAGNAN_VULKAN),
                absent_relations: &["ssw", "syncbar", "vloc", "ssg", "swg", "sqf"],
                ..plain("Vulkan", VULKAN, &[text!("generic"), text!("dartagnan")], NO_VULKAN)
            },
        ),
        ModelArchitecture {
            own: Some(("C", &["C", "C11", "RC11"])),
            signature: Signature::C,
            prelude: &[text!("dartagnan-c"), text!("dartagnan")],
            native: Some(DARTAGNAN_C),
            absent_sets: &["ALLOC", "FREE", "CON"],
            absent_relations: &["allocptr", "allocmem"],
            identity: None,
            of_tests: None,
        },
        ModelArchitecture {
            own: Some(("PTX", &["PTX", "GPU_PTX"])),
            signature: Signature::PTX,
            prelude: &[text!("dartagnan-ptx"), text!("dartagnan")],
            native: Some(DARTAGNAN_PTX),
            absent_sets: &[],
            absent_relations: &[],
            identity: None,
            of_tests: None,
        },
    ],
    includes: &DARTAGNAN_FILES,
    foreign: &["LISA", "BPF", "Linux", "IMM", "OpenCL", "OPENCL", "LKMM", "PowerPC64", "SVCOMP"],
};

const DARTAGNAN_X86: &[&str] = &[
    "_", "W", "R", "M", "F", "MFENCE", "IW", "RMW", "id", "po", "rf", "co", "fr", "loc", "rmw",
    "addr", "data", "ctrl", "int", "ext",
];
const DARTAGNAN_VULKAN: &[&str] = &[
    "_", "W", "R", "M", "IW", "RMW", "id", "po", "rf", "co", "fr", "loc", "rmw", "addr", "data",
    "ctrl", "int", "ext",
];
const DARTAGNAN_C: &[&str] = &[
    "_", "W", "R", "M", "F", "IW", "RMW", "A", "NA", "RLX", "ACQ", "REL", "ACQ_REL", "SC", "id",
    "po", "rf", "co", "fr", "loc", "rmw", "addr", "data", "ctrl", "int", "ext",
];
const DARTAGNAN_PTX: &[&str] = &[
    "_",
    "W",
    "R",
    "M",
    "IW",
    "RMW",
    "WEAK",
    "RLX",
    "ACQ",
    "REL",
    "ACQ_REL",
    "SC",
    "CTA",
    "GPU",
    "SYS",
    "ALIAS",
    "SUR",
    "TEX",
    "CON",
    "id",
    "po",
    "rf",
    "co",
    "fr",
    "loc",
    "vloc",
    "rmw",
    "addr",
    "ctrl",
    "int",
    "ext",
    "sr",
    "scta",
    "sync_fence",
];

const DARTAGNAN_FILES: [(&str, &str); 10] = [
    ("stdlib.cat", ""),
    ("basic.cat", ""),
    ("cos.cat", ""),
    ("cos-opt.cat", ""),
    ("c11_cos.cat", ""),
    ("c11_los.cat", ""),
    ("fences.cat", FENCES),
    ("x86fences.cat", FENCES),
    ("ppcfences.cat", FENCES),
    ("filters.cat", FILTERS),
];
