//! Every PTX test of the corpus, assembled for several targets and compared with its machine code.
//! Needs the vendor's programs, which `.ci/toolkit` downloads; without them nothing is tested here,
//! and the reason is printed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use margay_litmus::test::{Dialect, Test};
use margay_litmus::{read, shapes};
use margay_models::diagnostic::SourceFile;
use margay_runner::device::{Image, assemble, by};
use margay_runner::emit::{
    EmissionFault, Environment, GpuTarget, TestKernel, Writing, kernel, kernel_as,
};
use margay_runner::sass::{
    Assembled, AssemblyChoice, CodeComparison, Listing, Toolkit, check, choose_all, listings,
    threads, uses,
};

fn toolkit() -> Option<Toolkit> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/toolkit");
    let found = Toolkit::at(&folder);
    if found.is_none() {
        eprintln!(
            "skipped: there are no ptxas and nvdisasm in {}; .ci/toolkit downloads them",
            folder.display()
        );
    }
    found
}

/// The folders of the tests that are kept, and of the shapes, which are made.
fn roots() -> [PathBuf; 2] {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    shapes::corpora(&repository, Path::new(env!("CARGO_TARGET_TMPDIR"))).unwrap()
}

fn corpus() -> Vec<(String, Test)> {
    fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
        let mut entries: Vec<PathBuf> =
            std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
        entries.sort();
        for entry in entries {
            if entry.is_dir() {
                walk(&entry, out);
            } else if entry.extension().is_some_and(|e| e == "litmus") {
                out.push(entry);
            }
        }
    }
    let mut files = Vec::new();
    for root in roots() {
        walk(&root, &mut files);
    }
    let read = files.into_iter().map(|f| (f.display().to_string(), read::load(&f).unwrap().test));
    read.filter(|(_, t)| matches!(t.dialect, Dialect::Ptx | Dialect::GpuPtx)).collect()
}

/// What kernels do not have; `docs/gpu.md` says so.
const NO_KERNEL: [&str; 30] = [
    "holds an address at the start",
    "tensor maps: the driver makes them for the host",
    "fence.proxy.async::generic: what it becomes in machine code was not looked at",
    "wgmma: the models know what it reads",
    "tcgen05: the models know what it reads",
    "multimem: a multimem address is of memory of several GPUs",
    "would have to be in the shared memory of two ctas",
    "the fence is for shared memory of the own cta",
    "may not be initialised here",
    "may get more arrivals than its phase waits for",
    "may complete its phase by an arrival with .noComplete",
    "may be told of more bytes than it counts",
    "one that is `.shared::cluster` is arrived at without a result",
    "a copy in bulk of 4 bytes",
    "several launches and the host are for `margay run`",
    "so these lanes cannot meet",
    "not all lanes of a warp would come to it",
    "which access it, are in different clusters",
    "PTX has no fence.proxy.",
    "PTX has no atom.mul",
    "a barrier with an instance",
    "a barrier whose number is in a register",
    "an access of 128 bits",
    "an access of a packed type",
    "a vector of 256 bits",
    "kernels here compute with 32 and 64 bits",
    "a third address",
    "for a second address",
    "is no name for what",
    "no generic address",
];

/// Tests whose addition waits for a load that it does not need, however they are assembled: what
/// follows is late, and less is seen.
const NARROWED: [&str; 2] = ["applications/cub-scan-nf", "applications/cub-scan-writer"];

/// Tests for which higher levels have code elsewhere for lanes that are apart, with what follows a
/// meeting in it.
const ELSEWHERE: [&str; 5] = [
    "asynchronous/fence-shared-exit",
    "isa-8-warps/bar-warp-sync-second-round",
    "isa-8-warps/redux-value-unsigned",
    "isa-8-warps/shfl-second-round",
    "isa-8-warps/vote-value",
];

/// Every test is run at the highest level at which its machine code is the test and waits for
/// nothing that the test does not wait for: at 3, but for a few whose accesses have to be written
/// apart. `MARGAY_SHAPES=all`: with every shape.
fn the_corpus_on(target: GpuTarget) {
    let Some(toolkit) = toolkit() else { return };
    if !toolkit.disassembles(target) {
        eprintln!("skipped: there is no disassembler for {target}; .ci/toolkit downloads it");
        return;
    }
    let mut corpus = corpus();
    if std::env::var_os("MARGAY_SHAPES").is_none() {
        // The shapes are the same instructions 800 times over, and the vendor's programs take
        // minutes for them: some of them say enough.
        let every = if target == GpuTarget(90) { 4 } else { 16 };
        let is_shape = |name: &str| name.contains("shapes-ptx");
        let mut shape = 0;
        corpus.retain(|(name, _)| {
            shape += usize::from(is_shape(name));
            !is_shape(name) || shape % every == 1
        });
    }
    let mut wrong = Vec::new();
    let mut left_out: BTreeMap<String, usize> = BTreeMap::new();
    let mut kernels: Vec<(&str, &Test, TestKernel, TestKernel)> = Vec::new();
    for (name, test) in &corpus {
        let written = |writing| kernel_as(test, target, &Environment::default(), writing);
        match (written(Writing::Plain), written(Writing::Apart)) {
            (Ok(plain), Ok(apart)) => kernels.push((name, test, plain, apart)),
            (Err(error), _) | (_, Err(error)) => {
                // A target has not everything; else only instructions that PTX has not are left
                // out, and what is said to have no kernel.
                if error.fault != EmissionFault::Target
                    && !NO_KERNEL.iter().any(|s| error.message.contains(s))
                {
                    wrong.push(format!("{name}: {error}"));
                }
                *left_out.entry(format!("{:?}: {error}", error.fault)).or_default() += 1;
            }
        }
    }
    let tests: Vec<(&Test, &TestKernel, &TestKernel)> =
        kernels.iter().map(|(_, t, plain, apart)| (*t, plain, apart)).collect();
    let (mut compared, mut ways) = (0, BTreeMap::<String, usize>::new());
    for ((name, _, plain, _), choice) in kernels.iter().zip(choose_all(&toolkit, target, &tests)) {
        match choice {
            Ok(AssemblyChoice { way, answer: CodeComparison::Same { compared: n, narrowed } }) => {
                compared += n;
                *ways.entry(format!("-O{} {:?}", way.level, way.writing)).or_default() += 1;
                // No level keeps the order of accesses through textures and of constants.
                if way.level < 3 || !narrowed.is_empty() {
                    eprintln!("  {name} on {target}: {way:?}, {}", narrowed.join("; "));
                    if plain.proxies.is_empty()
                        && !NARROWED.iter().chain(&ELSEWHERE).any(|known| name.contains(known))
                    {
                        wrong.push(format!("{name}: {way:?}, {}", narrowed.join("; ")));
                    }
                }
            }
            other => wrong.push(format!("{name}: {other:?}")),
        }
    }
    eprintln!(
        "{target}: {} tests, {compared} accesses, fences and barriers compared; {ways:?}",
        kernels.len()
    );
    for (why, count) in left_out {
        eprintln!("  {count} tests have no kernel: {why}");
    }
    assert!(
        kernels.len() > if target == GpuTarget(90) { 400 } else { 250 },
        "most of the corpus has kernels: {}",
        kernels.len()
    );
    assert!(wrong.is_empty(), "{target}: {}", wrong.join("\n"));
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn the_corpus_on_sm_70() {
    the_corpus_on(GpuTarget(70));
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn the_corpus_on_sm_80() {
    the_corpus_on(GpuTarget(80));
}

#[test]
fn the_corpus_on_sm_90() {
    the_corpus_on(GpuTarget(90));
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn the_corpus_on_sm_100() {
    the_corpus_on(GpuTarget(100));
}

fn one(text: &str) -> Test {
    read::test(&SourceFile::new("test", text)).unwrap().test
}

fn answer(toolkit: &Toolkit, kernel_of: &str, compared_with: &str, level: u8) -> CodeComparison {
    let target = GpuTarget(90);
    let kernel = kernel(&one(kernel_of), target, &Environment::default()).unwrap();
    check(toolkit, target, level, &[(&one(compared_with), &kernel)]).unwrap().remove(0)
}

const DEPENDENT: &str = "PTX lb\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, y ;\n \
    xor r1, r0, r0 | st.relaxed.gpu x, r0 ;\n add r1, r1, 1 | ;\n st.relaxed.gpu y, r1 | ;\nexists (P0:r0 == 1 /\\ P1:r0 == 1)\n";

/// Every switch of the environment, on tests with shared memory, clusters, loops, barriers, atoms
/// and final values.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn every_environment() {
    let Some(toolkit) = toolkit() else { return };
    let [kept, shapes] = roots();
    let names = [
        "thesis2013/fig3.5-shared-fence",
        "readings/ticket-lock",
        "readings/bar.arrive",
        "ptx-isa/mp-red",
        "asplos2015/cas-sl",
        "shapes-ptx/3.2W+ra+cluster.cluster",
        "isa-8/vector-torn",
        "isa-8/alias-corr-fence",
        "asynchronous/multicast",
        "asynchronous/bulk-store-then-flag",
        "asynchronous/wait-in-a-loop",
        "asynchronous/fence-shared",
        "isa-8-warps/bar-warp-sync",
    ];
    let environments = [
        "groups=100,warps=3",
        "groups=1,warps=1,stride=1",
        "parallel=off",
        "spin=0,shuffle=off",
        "warm=on",
        "stress-ctas=7,stress-rounds=10,stress-sequence=ld-st-st-ld-ld,stress-patch=3,stress-spread=5",
        "pre-stress=4,bank-warps=2,bank-rounds=9,spin=1",
        "distance=0",
        "distance=37,groups=3",
        "stress-ctas=auto,stress=random,stress-words=1000",
        "stress-ctas=4,stress=cache,stress-words=auto,groups=auto",
        "stress-ctas=4,stress-regions=1,stress-spread=1,stress-first=17",
        "parallel=off,bank=on,stress-idle=on,stress-ctas=5",
        "parallel=off,bank=on,spin=0,shuffle=off",
        "parallel=off,stress-idle=on,stress=random",
        "parallel=off,stress-idle=on,stress=cache,distance=31",
    ];
    let load = |name: &str| {
        let root = if name.starts_with("shapes") { &shapes } else { &kept };
        read::load(&root.join(format!("{name}.litmus"))).unwrap().test
    };
    for text in environments {
        let environment = Environment::parse(text).unwrap();
        assert_eq!(Environment::parse(&environment.to_string()).as_ref(), Ok(&environment));
        let tests: Vec<Test> = names.iter().map(|n| load(n)).collect();
        let mut pairs = Vec::new();
        let kernels: Vec<Option<TestKernel>> =
            tests.iter().map(|t| kernel(t, GpuTarget(90), &environment).ok()).collect();
        for (test, kernel) in tests.iter().zip(&kernels) {
            match kernel {
                Some(kernel) => pairs.push((test, kernel)),
                None => {
                    let barriers = text.starts_with("parallel=off") && test.name == "bar.arrive";
                    let array = (text.contains("distance") || text.contains("bank=on"))
                        && test.name == "vector-torn";
                    let alone = text.contains("distance") || text.contains("bank=on");
                    let asynchronous = [
                        "multicast",
                        "bulk-store-then-flag",
                        "wait-in-a-loop",
                        "fence-shared",
                        "bar-warp-sync",
                    ];
                    let excepted = alone && asynchronous.contains(&test.name.as_str());
                    assert!(barriers || array || excepted, "{text}: {}", test.name);
                }
            }
        }
        for ((test, _), answer) in
            pairs.iter().zip(check(&toolkit, GpuTarget(90), 3, &pairs).unwrap())
        {
            assert!(
                matches!(answer, CodeComparison::Same { .. }),
                "{} with {text}: {answer:?}",
                test.name
            );
        }
        // The other two kernels are assembled as well.
        for (_, kernel) in pairs.iter().step_by(3) {
            toolkit.assemble(&kernel.text(), GpuTarget(90), 0).unwrap();
        }
    }
}

/// A kernel compared with another test than its own: every kind of difference is seen.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn differences_are_seen() {
    let Some(toolkit) = toolkit() else { return };
    assert!(matches!(
        answer(&toolkit, DEPENDENT, DEPENDENT, 0),
        CodeComparison::Same { compared: 4, .. }
    ));
    let changes = [
        ("ld.relaxed.gpu r0, x", "ld.relaxed.cta r0, x", "strong at cta scope"),
        ("ld.relaxed.gpu r0, x", "ld.acquire.gpu r0, x", "CCTL.IVALL"),
        ("st.relaxed.gpu x, r0", "st.release.gpu x, r0", "MEMBAR.ALL.GPU"),
        ("st.relaxed.gpu x, r0", "st.weak x, r0", "weak"),
        ("st.relaxed.gpu x, r0", "st.relaxed.gpu.u64 x, r0", "64 bits"),
        ("add r1, r1, 1 | ;", "fence.sc.sys | ;", "MEMBAR.SC.SYS"),
    ];
    for (from, to, said) in changes {
        let text = DEPENDENT.replace(from, to);
        assert_ne!(text, DEPENDENT, "{from}");
        // The kernel of the original, the test changed; and the other way round.
        for (kernel_of, compared_with) in [(DEPENDENT, text.as_str()), (text.as_str(), DEPENDENT)] {
            match answer(&toolkit, kernel_of, compared_with, 0) {
                CodeComparison::Differs(why) => assert!(why[0].contains(said), "{to}: {why:?}"),
                other => panic!("{to}: {other:?}"),
            }
        }
    }
    // The dependency through `xor` is expected of a kernel that stores a number instead.
    let without = DEPENDENT.replace("xor r1, r0, r0", "mov r1, 0");
    match answer(&toolkit, &without, DEPENDENT, 0) {
        CodeComparison::Differs(why) => assert!(why[0].contains("data dependency"), "{why:?}"),
        other => panic!("{other:?}"),
    }
}

/// Every target from sm_75 that the assembler knows (`ptxas --help`), but sm_107, on which it
/// spills a register without optimisation.
const TARGETS: [u32; 12] = [75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121];

const PROXIES: &str = "PTX proxies\n{ x=0; s @ surface aliases x; t @ texture aliases x; c @ constant aliases x; z=0; }\n P0@cta 0,gpu 0 ;\n \
    sust s, 1 ;\n suld r1, s ;\n tex r2, t ;\n ldc r3, c ;\n and r4, r3, 4 ;\n tex r5, [t+r4] ;\n suld r6, [s+r4] ;\n ldc r7, [c+r4] ;\n sust s, r7 ;\n \
    st.relaxed.gpu z, r2 ;\nexists (P0:r1 == 1 /\\ P0:r3 == 0)\n";

/// Accesses through surfaces, textures and of constants: each is found in the machine code, in its
/// place and with what it depends on; one of another kind, one too many and a lost dependency are
/// said.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn proxies_are_compared() {
    let Some(toolkit) = toolkit() else { return };
    let environment = Environment::default();
    let test = one(PROXIES);
    for target in TARGETS.map(GpuTarget) {
        let made = kernel(&test, target, &environment).unwrap();
        let answer = check(&toolkit, target, 0, &[(&test, &made), (&test, &made)]).unwrap();
        assert!(
            answer.iter().all(|a| matches!(a, CodeComparison::Same { compared: 9, .. })),
            "{target}: {answer:?}"
        );
    }
    for (from, to, said) in [
        ("suld r1, s", "tex r1, t", ["surface load", "texture load"]),
        ("tex r2, t", "ldc r2, c", ["texture load", "constant load"]),
        ("ldc r3, c", "ld.weak r3, x", ["constant load", "global load"]),
        ("sust s, 1", "st.weak x, 1", ["surface store", "global store"]),
        ("ldc r3, c ;", "ldc r3, c ;\n fence.proxy.alias ;", ["texture load", "MEMBAR.SC.GPU"]),
    ] {
        let text = PROXIES.replace(from, to);
        for (kernel_of, compared_with) in [(PROXIES, text.as_str()), (text.as_str(), PROXIES)] {
            match answer(&toolkit, kernel_of, compared_with, 0) {
                CodeComparison::Differs(why) => {
                    assert!(said.iter().all(|s| why[0].contains(s)), "{to}: {why:?}")
                }
                other => panic!("{to}: {other:?}"),
            }
        }
    }
    for (from, to, said) in [
        ("tex r5, [t+r4]", "tex r5, t", "the address dependency"),
        ("suld r6, [s+r4]", "suld r6, s", "the address dependency"),
        ("ldc r7, [c+r4]", "ldc r7, c", "the address dependency"),
        ("sust s, r7", "sust s, 7", "the data dependency"),
        ("st.relaxed.gpu z, r2", "st.relaxed.gpu z, 2", "the data dependency"),
    ] {
        match answer(&toolkit, &PROXIES.replace(from, to), PROXIES, 0) {
            CodeComparison::Differs(why) => {
                assert!(why.iter().any(|w| w.contains(said)), "{to}: {why:?}")
            }
            other => panic!("{to}: {other:?}"),
        }
    }
}

/// `.const` memory is small: groups that nobody asked for become fewer, and more than fit are an
/// error.
#[test]
fn constants_fit_into_their_memory() {
    let test = one(PROXIES);
    let made = kernel(&test, GpuTarget(90), &Environment::default()).unwrap();
    assert!(made.memory <= 65536 && made.layout.instances >= 128, "{}", made.memory);
    let error =
        kernel(&test, GpuTarget(90), &Environment::parse("groups=100").unwrap()).unwrap_err();
    assert!(error.message.contains("constant memory has 65536"), "{error}");
    // A surface has no such bound.
    let surface = one(&PROXIES
        .replace("c @ constant aliases x; ", "")
        .replace("ldc r3, c", "mov r3, 4")
        .replace("ldc r7, [c+r4]", "mov r7, 1"));
    kernel(&surface, GpuTarget(90), &Environment::parse("groups=100").unwrap()).unwrap();
}

/// Two loads of one address are two loads at every level, and so are two stores: the assembler is
/// not told that the addresses are equal. Where it is (here by putting the plain address back), it
/// makes one of them, and that is said.
#[test]
fn accesses_of_one_address_stay() {
    let Some(toolkit) = toolkit() else { return };
    let test = one(
        "PTX co\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | ld.weak r0, x ;\n st.weak x, 2 | ld.weak r1, x ;\n\
        exists (P1:r0 == 1 /\\ P1:r1 == 0)\n",
    );
    let target = GpuTarget(90);
    let made = kernel(&test, target, &Environment::default()).unwrap();
    let mut known = made.clone();
    known.module.test = made.module.test.replace("mov.u32 %zero, %ctaid.y;", "mov.u32 %zero, 0;");
    assert_ne!(known.module.test, made.module.test);
    for level in 1..=3 {
        let answers = check(&toolkit, target, level, &[(&test, &made), (&test, &known)]).unwrap();
        assert_eq!(
            answers[0],
            CodeComparison::Same { compared: 4, narrowed: Vec::new() },
            "-O{level}"
        );
        assert!(
            matches!(&answers[1], CodeComparison::Differs(why) if why.len() >= 2),
            "-O{level}: {:?}",
            answers[1]
        );
    }
}

/// What the code of each thread lets overlap: nothing without optimisation; with it whatever the
/// test leaves free, and no more.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn what_overlaps() {
    let Some(toolkit) = toolkit() else { return };
    // The two accesses of P0 and of P1: do they overlap?
    let cases = [
        (
            "lb",
            "ld.relaxed.gpu r0, x ;\n st.relaxed.gpu y, 1",
            true,
            "nothing between them waits for scoreboard",
        ),
        (
            "reader of mp",
            "ld.weak r0, y ;\n ld.weak r1, x",
            true,
            "nothing between them waits for scoreboard",
        ),
        (
            "coRR",
            "ld.relaxed.gpu r0, x ;\n ld.relaxed.gpu r1, x",
            true,
            "nothing between them waits for scoreboard",
        ),
        ("2+2W", "st.relaxed.gpu x, 1 ;\n st.relaxed.gpu y, 2", true, "nothing waits for a store"),
        ("sb", "st.relaxed.gpu x, 1 ;\n ld.relaxed.gpu r0, y", true, "nothing waits for a store"),
        ("acquire", "ld.acquire.gpu r0, y ;\n ld.weak r1, x", false, "`CCTL.IVALL`"),
        ("acquire.cta", "ld.acquire.cta r0, y ;\n ld.weak r1, x", false, "waits for scoreboard"),
        (
            "fence",
            "st.relaxed.gpu x, 1 ;\n fence.sc.gpu ;\n ld.relaxed.gpu r0, y",
            false,
            "is a fence",
        ),
        ("data", "ld.relaxed.gpu r0, x ;\n st.relaxed.gpu y, r0", false, "needs its value"),
        (
            "address",
            "ld.relaxed.gpu r0, x ;\n and r1, r0, 4 ;\n ld.relaxed.gpu r2, [y+r1]",
            false,
            "needs its value",
        ),
        (
            "control",
            "ld.relaxed.gpu r0, x ;\n bne r0, 1, END ;\n st.relaxed.gpu y, 1 ;\n END:",
            false,
            "needs its value",
        ),
    ];
    let text = |thread: &str| {
        format!("PTX t\n{{ x=0; y=0; }}\n P0@cta 0,gpu 0 ;\n {thread} ;\nexists (x == 0)\n")
    };
    let tests = cases.map(|(_, thread, ..)| one(&text(thread)));
    for (target, level) in [(80, 0), (80, 3), (90, 0), (90, 3), (120, 3)]
        .map(|(target, level)| (GpuTarget(target), level))
    {
        let kernels: Vec<TestKernel> =
            tests.iter().map(|t| kernel(t, target, &Environment::default()).unwrap()).collect();
        let listings = listings(&toolkit, target, level, &kernels.iter().collect::<Vec<_>>())
            .unwrap()
            .unwrap();
        for (((name, _, overlaps, why), test), listing) in
            cases.into_iter().zip(&tests).zip(listings)
        {
            let thread = threads(test, target, &listing.unwrap()).remove(0);
            assert_eq!(thread.differences, [""; 0], "{name} on {target} at -O{level}");
            let pair = thread.pairs.first().unwrap_or_else(|| panic!("{name} has two accesses"));
            // What nothing waits for goes on even where every instruction waits.
            let expected = overlaps && (level == 3 || why.contains("store"));
            assert_eq!(pair.overlap, expected, "{name} on {target} at -O{level}: {}", pair.why);
            assert_eq!(pair.ordered, !overlaps, "{name}");
            if level == 3 {
                assert!(pair.why.contains(why), "{name} on {target}: {}", pair.why);
            } else if !expected {
                assert!(
                    pair.why.contains("stall 0") || pair.why.contains("fence"),
                    "{name} on {target}: {}",
                    pair.why
                );
            }
        }
    }
}

/// What a device loads was compared, whoever assembled it: here a driver that merges loads until it
/// is told not to optimise.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn what_another_assembler_makes_is_compared() {
    let Some(toolkit) = toolkit() else { return };
    let test = one(
        "PTX co\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | ld.weak r0, x ;\n | ld.weak r1, x ;\n\
        exists (P1:r0 == 1 /\\ P1:r1 == 0)\n",
    );
    let (target, environment) = (GpuTarget(90), Environment::default());
    let driver = |text: &str, level: u8| {
        let text = text
            .replace("mov.u32 %zero, %ctaid.y;", "mov.u32 %zero, 0;")
            .replace("pmevent.mask 0xffff;", "");
        let binary = toolkit.assemble(&text, target, level)?.binary;
        let disassembly = toolkit.disassemble(&binary, target)?;
        Ok(Assembled { binary, disassembly })
    };
    let (image, artifact) = assemble(&test, target, &environment, ("driver", &driver)).unwrap();
    assert_eq!(
        (artifact.assembler.as_str(), artifact.level, artifact.compared),
        ("driver -O0", 0, Some(3))
    );
    assert!(artifact.narrowed[0].contains("has stall 0"), "{:?}", artifact.narrowed);
    assert!(matches!(image, Image::Binary(code) if code.starts_with(b"\x7fELF")));
    let (_, artifact) =
        assemble(&test, target, &environment, ("ptxas", &by(&toolkit, target))).unwrap();
    assert_eq!(
        (artifact.assembler.as_str(), artifact.compared, artifact.narrowed.len()),
        ("ptxas -O3", Some(3), 0)
    );
    assert!(
        artifact.sass.is_some_and(|sass| sass.contains(":W5:-:S04  LDG.E R")),
        "machine code with its control words"
    );
}

/// The decoder against what must be so: no instruction of correct code uses a result that is not
/// there yet. Where words are read otherwise (the waits left out, the scoreboards numbered
/// otherwise, one bit further), most kernels would be wrong.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn every_use_of_a_result_waits_for_it() {
    let Some(toolkit) = toolkit() else { return };
    let corpus = corpus();
    let (mut waited, mut kernels) = (0, 0);
    let mut misread = [0; 3];
    let environment =
        Environment::parse("stress-ctas=4,bank-warps=1,pre-stress=1,warm=on").unwrap();
    for target in
        [70, 75, 80, 90, 100, 120].map(GpuTarget).into_iter().filter(|t| toolkit.disassembles(*t))
    {
        for (n, (_, test)) in corpus.iter().enumerate().filter(|(n, _)| n % 149 == 0) {
            let Ok(made) = kernel(test, target, &environment) else { continue };
            let level = (n / 149 % 4) as u8;
            let text = toolkit.assemble(&made.text(), target, level).unwrap().disassembly.unwrap();
            for listing in Listing::read(&text) {
                let found = uses(&listing);
                assert!(
                    found.unwaited.is_empty(),
                    "{target} -O{level}: {}",
                    found.unwaited.join("\n")
                );
                (waited, kernels) = (waited + found.waited, kernels + 1);
            }
            let changes: [fn(u64) -> u64; 3] = [
                |high| high & !(0x3f << 52),
                |high| high ^ (1 << 46),
                |high| (high & !(0x1f_ffff << 41)) | (high << 1 & (0x1f_ffff << 41)),
            ];
            for (count, change) in misread.iter_mut().zip(changes) {
                *count += Listing::read(&with_words(&text, change))
                    .iter()
                    .filter(|l| !uses(l).unwaited.is_empty())
                    .count();
            }
        }
    }
    eprintln!(
        "{kernels} kernels, {waited} instructions wait for what they use; misread: {misread:?} kernels would be wrong"
    );
    assert!(waited > 4 * kernels && kernels > 100, "{waited} in {kernels}");
    assert!(misread.iter().all(|n| n * 2 > kernels), "{misread:?} of {kernels}");
}

/// A disassembly with other second halves of its instructions.
fn with_words(text: &str, change: fn(u64) -> u64) -> String {
    let line = |line: &str| {
        let high = line
            .trim()
            .strip_prefix("/* 0x")
            .and_then(|l| l.strip_suffix(" */"))
            .and_then(|h| u64::from_str_radix(h, 16).ok());
        high.map_or_else(|| line.to_owned(), |high| format!("/* {:#018x} */", change(high)))
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Kernels whose accesses are as the test says, but not as their own specification does.
#[test]
fn specifications_are_compared() {
    let Some(toolkit) = toolkit() else { return };
    let test = one(DEPENDENT);
    let target = GpuTarget(90);
    let made = kernel(&test, target, &Environment::default()).unwrap();
    // P0 loads, then stores: 0x07f3 0 00 0 and 0x07f3 0 01 1.
    for (from, to, said) in [
        ("0x7f30000;", "0x7f30001;", "another kind of access 1"),
        ("0x7f30011;", "0x7f30010;", "another kind of access 2"),
        ("0x7f30011;", "0x7f30021;", "an access 3 that the code has not"),
        ("0x7f30000;", "0x1234;", "access 1 0 times"),
        ("%t0_r0_1, 0x7f30000;", "%self, 0x7f30000;", "has not the value of access 1"),
    ] {
        let mut kernel = made.clone();
        kernel.module.test = made.module.test.replacen(from, to, 1);
        assert_ne!(kernel.module.test, made.module.test, "{from}");
        match check(&toolkit, target, 0, &[(&test, &kernel)]).unwrap().remove(0) {
            CodeComparison::Differs(why) => {
                assert!(why.iter().any(|w| w.contains(said)), "{to}: {why:?}")
            }
            other => panic!("{to}: {other:?}"),
        }
    }
}

/// The comparison tells mbarriers and asynchronous operations apart: a kernel is the test that it
/// was made of, and no other one.
#[test]
fn asynchronous_operations_are_told_apart() {
    let Some(toolkit) = toolkit() else { return };
    let test = |first: &str, second: &str| {
        format!(
            "PTX t\n{{ global x=1; shared y=0; shared z=0; mbarrier bar=2; }}\n P0@cta 0,cluster 0,gpu 0 | P1@cta 0,cluster 0,gpu 0 ;\n \
             {first} | {second} ;\n ld.weak r0, y | ld.weak r0, z ;\nexists (P0:r0 == 1)\n"
        )
    };
    let arrive = "mbarrier.arrive.release.cta _, bar";
    let wait = "mbarrier.test_wait.parity.acquire.cta p0, bar, 0";
    let bulk = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes y, x, 16, bar";
    let group = "cp.async.bulk.global.shared::cta.bulk_group x, y, 16";
    let store = "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 y, 1, bar";
    let element = "cp.async.ca.shared.global y, x, 4";
    let pairs = [
        (arrive, "mbarrier.arrive.release.cluster _, bar"),
        (arrive, "mbarrier.arrive.release.cta.shared::cluster _, bar"),
        (arrive, "mbarrier.arrive.release.cta _, bar, 2"),
        (arrive, "mbarrier.arrive_drop.release.cta _, bar"),
        (arrive, "mbarrier.arrive.expect_tx.release.cta _, bar, 16"),
        ("mbarrier.expect_tx.relaxed.cta bar, 16", "mbarrier.complete_tx.relaxed.cta bar, 16"),
        (arrive, wait),
        (wait, "mbarrier.try_wait.parity.acquire.cta p0, bar, 0"),
        (wait, "mbarrier.test_wait.parity.acquire.cluster p0, bar, 0"),
        ("mbarrier.inval bar", arrive),
        (bulk, group),
        (bulk, store),
        (group, "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 x, y, 16"),
        (
            store,
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 y, 1, bar",
        ),
        (store, "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 y, 1, bar"),
        (element, "cp.async.ca.shared.global y, x, 8"),
        ("cp.async.mbarrier.arrive bar", "cp.async.mbarrier.arrive.noinc bar"),
        ("cp.async.commit_group", "cp.async.bulk.commit_group"),
        ("cp.async.wait_group 0", "cp.async.wait_group 1"),
        ("cp.async.wait_group 0", "cp.async.wait_all"),
        ("cp.async.bulk.wait_group 0", "cp.async.bulk.wait_group.read 0"),
        ("fence.proxy.async", "fence.proxy.async.shared::cta"),
        ("fence.proxy.async.global", "fence.proxy.async.shared::cta"),
        ("fence.proxy.async", "fence.acq_rel.gpu"),
        ("st.weak y, 2", element),
    ];
    // Written apart, so that the assembler moves nothing.
    let target = GpuTarget(90);
    let made_of = |text: &str| {
        kernel_as(
            &one(&test(text, "ld.weak r1, z")),
            target,
            &Environment::default(),
            Writing::Apart,
        )
    };
    let compared_with = |text: &str| one(&test(text, "ld.weak r1, z"));
    let both = pairs.into_iter().flat_map(|(a, b)| [(a, a), (a, b), (b, b), (b, a)]);
    let all: Vec<_> = both
        .map(|(made, compared)| (made, compared, made_of(made).unwrap(), compared_with(compared)))
        .collect();
    let asked: Vec<(&Test, &TestKernel)> =
        all.iter().map(|(_, _, kernel, test)| (test, kernel)).collect();
    for ((made, compared, ..), answer) in
        all.iter().zip(check(&toolkit, target, 3, &asked).unwrap())
    {
        let is_same = matches!(answer, CodeComparison::Same { .. });
        assert_eq!(is_same, made == compared, "`{made}` compared with `{compared}`: {answer:?}");
    }
}
