//! Every PTX test of the corpus, assembled for several targets and compared with its machine code. Needs the vendor's programs,
//! which `.ci/toolkit` downloads; without them nothing is tested here, and the reason is printed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use margay_litmus::read;
use margay_litmus::test::{Dialect, Test};
use margay_models::diagnostic::SourceFile;
use margay_runner::emit::{Environment, Fault, Kernel, Target, kernel};
use margay_runner::sass::{Answer, Toolkit, check, check_all};

fn toolkit() -> Option<Toolkit> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/toolkit");
    let found = Toolkit::at(&folder);
    if found.is_none() {
        eprintln!("skipped: there are no ptxas and nvdisasm in {}; .ci/toolkit downloads them", folder.display());
    }
    found
}

fn corpus() -> Vec<(String, Test)> {
    fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
        let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
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
    walk(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus"), &mut files);
    let read = files.into_iter().map(|f| (f.display().to_string(), read::load(&f).unwrap().test));
    read.filter(|(_, t)| matches!(t.dialect, Dialect::Ptx | Dialect::GpuPtx)).collect()
}

fn the_corpus_on(target: Target) {
    let Some(toolkit) = toolkit() else { return };
    if !toolkit.disassembles(target) {
        eprintln!("skipped: there is no disassembler for {target}; .ci/toolkit downloads it");
        return;
    }
    let corpus = corpus();
    let mut wrong = Vec::new();
    let mut left_out: BTreeMap<String, usize> = BTreeMap::new();
    let mut kernels: Vec<(&str, &Test, Kernel)> = Vec::new();
    for (name, test) in &corpus {
        match kernel(test, target, &Environment::default()) {
            Ok(kernel) => kernels.push((name, test, kernel)),
            Err(error) => {
                // A target has not everything; else only instructions that PTX has not and addresses that kernels have not are left out.
                let none = [
                    "PTX has no fence.proxy.",
                    "a third address",
                    "for a second address",
                    "is no name for what",
                    "no generic address",
                ];
                if error.fault != Fault::Target && !none.iter().any(|none| error.message.contains(none)) {
                    wrong.push(format!("{name}: {error}"));
                }
                *left_out.entry(format!("{:?}: {error}", error.fault)).or_default() += 1;
            }
        }
    }
    let pairs: Vec<(&Test, &Kernel)> = kernels.iter().map(|(_, t, k)| (*t, k)).collect();
    let answers = check_all(&toolkit, target, 0, &pairs);
    let mut compared = 0;
    for ((name, ..), answer) in kernels.iter().zip(answers) {
        match answer {
            Ok(Answer::Same { compared: n }) => compared += n,
            Ok(Answer::Assembled) => wrong.push(format!("{name}: not disassembled")),
            Ok(Answer::Differs(why)) => wrong.push(format!("{name}: {}", why.join("; "))),
            Err(failure) => wrong.push(format!("{name}: {failure}")),
        }
    }
    eprintln!("{target}: {} tests, {compared} accesses, fences and barriers compared", kernels.len());
    for (why, count) in left_out {
        eprintln!("  {count} tests have no kernel: {why}");
    }
    assert!(kernels.len() > 600, "most of the corpus has kernels");
    assert!(wrong.is_empty(), "{target}: {}", wrong.join("\n"));
}

#[test]
fn the_corpus_on_sm_70() {
    the_corpus_on(Target(70));
}

#[test]
fn the_corpus_on_sm_80() {
    the_corpus_on(Target(80));
}

#[test]
fn the_corpus_on_sm_90() {
    the_corpus_on(Target(90));
}

#[test]
fn the_corpus_on_sm_100() {
    the_corpus_on(Target(100));
}

fn one(text: &str) -> Test {
    read::test(&SourceFile::new("test", text)).unwrap().test
}

fn answer(toolkit: &Toolkit, kernel_of: &str, compared_with: &str, level: u8) -> Answer {
    let target = Target(90);
    let kernel = kernel(&one(kernel_of), target, &Environment::default()).unwrap();
    check(toolkit, target, level, &[(&one(compared_with), &kernel)]).unwrap().remove(0)
}

const DEPENDENT: &str = "PTX lb\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, y ;\n \
    xor r1, r0, r0 | st.relaxed.gpu x, r0 ;\n add r1, r1, 1 | ;\n st.relaxed.gpu y, r1 | ;\nexists (P0:r0 == 1 /\\ P1:r0 == 1)\n";

/// Every switch of the environment, on tests with shared memory, clusters, loops, barriers, atoms and final values.
#[test]
fn every_environment() {
    let Some(toolkit) = toolkit() else { return };
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus");
    let names = [
        "thesis2013/fig3.5-shared-fence",
        "readings/ticket-lock",
        "readings/bar.arrive",
        "ptx-isa/mp-red",
        "asplos2015/cas-sl",
        "shapes-ptx/3.2W+ra+cluster.cluster",
        "isa-8/vector-torn",
        "isa-8/alias-corr-fence",
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
    for text in environments {
        let environment = Environment::parse(text).unwrap();
        assert_eq!(Environment::parse(&environment.to_string()).as_ref(), Ok(&environment));
        let tests: Vec<Test> = names.iter().map(|n| read::load(&root.join(format!("{n}.litmus"))).unwrap().test).collect();
        let mut pairs = Vec::new();
        let kernels: Vec<Option<Kernel>> = tests.iter().map(|t| kernel(t, Target(90), &environment).ok()).collect();
        for (test, kernel) in tests.iter().zip(&kernels) {
            match kernel {
                Some(kernel) => pairs.push((test, kernel)),
                None => {
                    let barriers = text.starts_with("parallel=off") && test.name == "bar.arrive";
                    let array = (text.contains("distance") || text.contains("bank=on")) && test.name == "vector-torn";
                    assert!(barriers || array, "{text}: {}", test.name);
                }
            }
        }
        for ((test, _), answer) in pairs.iter().zip(check(&toolkit, Target(90), 0, &pairs).unwrap()) {
            assert!(matches!(answer, Answer::Same { .. }), "{} with {text}: {answer:?}", test.name);
        }
        // The other two kernels are assembled as well.
        for (_, kernel) in pairs.iter().step_by(3) {
            toolkit.assemble(&kernel.text(), Target(90), 0).unwrap();
        }
    }
}

/// A kernel compared with another test than its own: every kind of difference is seen.
#[test]
fn differences_are_seen() {
    let Some(toolkit) = toolkit() else { return };
    assert!(matches!(answer(&toolkit, DEPENDENT, DEPENDENT, 0), Answer::Same { compared: 4 }));
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
                Answer::Differs(why) => assert!(why[0].contains(said), "{to}: {why:?}"),
                other => panic!("{to}: {other:?}"),
            }
        }
    }
    // The dependency through `xor` is expected of a kernel that stores a number instead.
    let without = DEPENDENT.replace("xor r1, r0, r0", "mov r1, 0");
    match answer(&toolkit, &without, DEPENDENT, 0) {
        Answer::Differs(why) => assert!(why[0].contains("data dependency"), "{why:?}"),
        other => panic!("{other:?}"),
    }
}

/// Every target from sm_75 that the assembler knows (`ptxas --help`), but sm_107, on which it spills a register without optimisation.
const TARGETS: [u32; 12] = [75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121];

const PROXIES: &str = "PTX proxies\n{ x=0; s @ surface aliases x; t @ texture aliases x; c @ constant aliases x; z=0; }\n P0@cta 0,gpu 0 ;\n \
    sust s, 1 ;\n suld r1, s ;\n tex r2, t ;\n ldc r3, c ;\n and r4, r3, 4 ;\n tex r5, [t+r4] ;\n suld r6, [s+r4] ;\n ldc r7, [c+r4] ;\n sust s, r7 ;\n \
    st.relaxed.gpu z, r2 ;\nexists (P0:r1 == 1 /\\ P0:r3 == 0)\n";

/// Accesses through surfaces, textures and of constants: each is found in the machine code, in its place and with what it depends on; one of
/// another kind, one too many and a lost dependency are said.
#[test]
fn proxies_are_compared() {
    let Some(toolkit) = toolkit() else { return };
    let environment = Environment::default();
    let test = one(PROXIES);
    for target in TARGETS.map(Target) {
        let made = kernel(&test, target, &environment).unwrap();
        let answer = check(&toolkit, target, 0, &[(&test, &made), (&test, &made)]).unwrap();
        assert_eq!(answer, [Answer::Same { compared: 9 }, Answer::Same { compared: 9 }], "{target}");
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
                Answer::Differs(why) => assert!(said.iter().all(|s| why[0].contains(s)), "{to}: {why:?}"),
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
            Answer::Differs(why) => assert!(why.iter().any(|w| w.contains(said)), "{to}: {why:?}"),
            other => panic!("{to}: {other:?}"),
        }
    }
}

/// `.const` memory is small: groups that nobody asked for become fewer, and more than fit are an error.
#[test]
fn constants_fit_into_their_memory() {
    let test = one(PROXIES);
    let made = kernel(&test, Target(90), &Environment::default()).unwrap();
    assert!(made.memory <= 65536 && made.layout.instances >= 128, "{}", made.memory);
    let error = kernel(&test, Target(90), &Environment::parse("groups=100").unwrap()).unwrap_err();
    assert!(error.message.contains("constant memory has 65536"), "{error}");
    // A surface has no such bound.
    let surface = one(&PROXIES
        .replace("c @ constant aliases x; ", "")
        .replace("ldc r3, c", "mov r3, 4")
        .replace("ldc r7, [c+r4]", "mov r7, 1"));
    kernel(&surface, Target(90), &Environment::parse("groups=100").unwrap()).unwrap();
}

/// What the assembler is known to do to weak loads when it optimises (two loads of one address become one) is reported.
#[test]
fn merged_loads_are_seen() {
    let Some(toolkit) = toolkit() else { return };
    let text = "PTX corr\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | ld.weak r0, x ;\n | ld.weak r1, x ;\n\
        exists (P1:r0 == 1 /\\ P1:r1 == 0)\n";
    assert!(matches!(answer(&toolkit, text, text, 0), Answer::Same { compared: 3 }));
    assert!(matches!(answer(&toolkit, text, text, 3), Answer::Differs(_)));
}

/// Kernels whose accesses are as the test says, but not as their own specification does.
#[test]
fn specifications_are_compared() {
    let Some(toolkit) = toolkit() else { return };
    let test = one(DEPENDENT);
    let target = Target(90);
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
            Answer::Differs(why) => assert!(why.iter().any(|w| w.contains(said)), "{to}: {why:?}"),
            other => panic!("{to}: {other:?}"),
        }
    }
}
