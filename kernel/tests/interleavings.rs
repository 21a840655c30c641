//! Random small kernels against an interpreter that goes through all interleavings of their
//! threads: every outcome of one is an outcome under the model, so a condition that denies it must
//! not hold; and no outcome has a value that nobody computes.

use std::collections::BTreeSet;

use std::path::{Path, PathBuf};

use margay_kernel::launch::Launch;
use margay_kernel::{FindingKind, KernelProofs, KernelQuestion, LaunchAnswer, ask, known_models};
use margay_litmus::certificate::{self, Held, TestClaim, TestDocument};
use margay_litmus::corpus::Expected;
use margay_litmus::engine::{Choice, Engine, Runner};
use margay_litmus::read;
use margay_models::certificate::{open, seal};

/// Numbers that look random, the same every time (xorshift, Marsaglia 2003).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// What a thread does with registers 0 to 2 and the variables x and y, which are the elements of an
/// array.
#[derive(Debug, Clone, Copy)]
enum Operation {
    Store(usize, u32),
    StoreRegister(usize, usize),
    Load(usize, usize),
    Add(usize, u32, usize),
    Swap(usize, u32, u32, usize),
    Compute(usize, usize, u32),
    /// The larger one by `selp`.
    Larger(usize, usize, usize),
    /// Through memory of the thread alone, a byte of it.
    Byte(usize, usize),
}

/// An operation, and the register that must be 0 for it, if any.
type Step = (Option<usize>, Operation);

/// Elements of one array, side by side.
const VARIABLES: [&str; 2] = ["w", "w+4"];

fn step(numbers: &mut Numbers) -> Step {
    let (v, r, n) = (numbers.below(2) as usize, numbers.below(3) as usize, numbers.below(3) as u32);
    let operation = match numbers.below(9) {
        0 => Operation::Store(v, n + 1),
        1 => Operation::StoreRegister(v, r),
        2 | 3 => Operation::Load(r, v),
        4 => Operation::Add(v, n + 1, r),
        5 => Operation::Swap(v, n, n + 1, r),
        6 => Operation::Compute(r, numbers.below(3) as usize, n),
        7 => Operation::Larger(r, numbers.below(3) as usize, numbers.below(3) as usize),
        _ => Operation::Byte(r, numbers.below(3) as usize),
    };
    let guard = (numbers.below(4) == 0).then(|| numbers.below(3) as usize);
    (guard, operation)
}

fn text_of((guard, operation): Step) -> String {
    let mut text = String::new();
    let at = match guard {
        None => "",
        Some(register) => {
            text += &format!("setp.eq.u32 %p1, %r{register}, 0;\n");
            "@%p1 "
        }
    };
    let x = |v: usize| VARIABLES[v];
    text += &match operation {
        Operation::Store(v, n) => format!("{at}st.relaxed.gpu.global.u32 [{}], {n};\n", x(v)),
        Operation::StoreRegister(v, r) => {
            format!("{at}st.relaxed.gpu.global.u32 [{}], %r{r};\n", x(v))
        }
        Operation::Load(r, v) => format!("{at}ld.relaxed.gpu.global.u32 %r{r}, [{}];\n", x(v)),
        Operation::Add(v, n, r) => {
            format!("{at}atom.relaxed.gpu.global.add.u32 %r{r}, [{}], {n};\n", x(v))
        }
        Operation::Swap(v, a, b, r) => {
            format!("{at}atom.relaxed.gpu.global.cas.b32 %r{r}, [{}], {a}, {b};\n", x(v))
        }
        Operation::Compute(to, from, n) => format!("{at}add.u32 %r{to}, %r{from}, {n};\n"),
        Operation::Larger(to, a, b) => {
            format!("setp.gt.u32 %p2, %r{a}, %r{b};\n{at}selp.u32 %r{to}, %r{a}, %r{b}, %p2;\n")
        }
        Operation::Byte(to, from) => {
            format!("{at}st.local.u32 [own], %r{from};\n{at}ld.local.u32 %r{to}, [own];\n")
        }
    };
    text
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    memory: [u32; 2],
    registers: [[u32; 3]; 2],
    at: [usize; 2],
}

fn take(state: &State, threads: &[Vec<Step>; 2], t: usize) -> State {
    let mut next = state.clone();
    let (guard, operation) = threads[t][state.at[t]];
    next.at[t] += 1;
    let registers = &mut next.registers[t];
    if guard.is_some_and(|r| registers[r] != 0) {
        return next;
    }
    match operation {
        Operation::Store(v, n) => next.memory[v] = n,
        Operation::StoreRegister(v, r) => next.memory[v] = registers[r],
        Operation::Load(r, v) => registers[r] = next.memory[v],
        Operation::Add(v, n, r) => {
            registers[r] = next.memory[v];
            next.memory[v] += n;
        }
        Operation::Swap(v, a, b, r) => {
            registers[r] = next.memory[v];
            if next.memory[v] == a {
                next.memory[v] = b;
            }
        }
        Operation::Compute(to, from, n) => registers[to] = registers[from] + n,
        Operation::Larger(to, a, b) => registers[to] = registers[a].max(registers[b]),
        Operation::Byte(to, from) => registers[to] = registers[from],
    }
    next
}

/// What memory and the last registers are in all interleavings.
fn outcomes(threads: &[Vec<Step>; 2]) -> BTreeSet<[u32; 4]> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![State { memory: [0; 2], registers: [[0; 3]; 2], at: [0; 2] }];
    while let Some(state) = open.pop() {
        let going: Vec<usize> = (0..2).filter(|&t| state.at[t] < threads[t].len()).collect();
        if going.is_empty() {
            found.insert([
                state.memory[0],
                state.memory[1],
                state.registers[0][0],
                state.registers[1][0],
            ]);
        }
        let next: Vec<State> = going.into_iter().map(|t| take(&state, threads, t)).collect();
        open.extend(next.into_iter().filter(|s| seen.insert(s.clone())));
    }
    found
}

/// A kernel of two blocks of one thread: x, y, and what each thread has in its first register at
/// the end.
fn kernel(threads: &[Vec<Step>; 2]) -> String {
    let body = |t: usize| threads[t].iter().map(|s| text_of(*s)).collect::<String>();
    format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.global .align 4 .b8 w[8];\n.global .align 4 .u32 first;\n\
             .global .align 4 .u32 second;\n.visible .entry k()\n{{\n.local .align 4 .u32 own;\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\nmov.u32 %r0, 0;\n\
             mov.u32 %r1, 0;\nmov.u32 %r2, 0;\nmov.u32 %r8, %ctaid.x;\nsetp.ne.u32 %p3, %r8, 0;\n@%p3 bra SECOND;\n{}st.global.u32 [first], %r0;\nret;\n\
             SECOND:\n{}st.global.u32 [second], %r0;\nret;\n}}\n",
        body(0),
        body(1)
    )
}

#[test]
fn outcomes_of_interleavings_are_outcomes() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for _ in 0..40 {
        let threads = [0, 1].map(|_| (0..4).map(|_| step(&mut numbers)).collect::<Vec<Step>>());
        let text = kernel(&threads);
        let outcomes = outcomes(&threads);
        let denied = outcomes.iter().map(|[x, y, a, b]| {
            format!("w[0] != {x} \\/ w[1] != {y} \\/ first != {a} \\/ second != {b}")
        });
        let mut finals: Vec<String> = denied.collect();
        finals.extend(["w[0] != 7777", "first != 7777"].map(str::to_owned));
        let module = margay_ptx::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let answer = ask(&KernelQuestion {
            launches: &[Launch::new(2, 1)],
            finals: &finals,
            ..KernelQuestion::new(&text, &module, module.kernels().next().expect("a kernel"))
        })
        .unwrap_or_else(|why| panic!("{why}\n{text}"));
        let launch = &answer.launches[0];
        let wrong: BTreeSet<String> = launch
            .findings
            .iter()
            .filter(|f| f.kind == FindingKind::Final)
            .flat_map(|f| {
                finals.iter().filter(|c| f.why.iter().any(|why| why.contains(c.as_str()))).cloned()
            })
            .collect();
        let expected: BTreeSet<String> = finals[..outcomes.len()].iter().cloned().collect();
        assert_eq!(wrong, expected, "{:?}\n{text}", launch.not_looked);
    }
}

/// What only weak memory shows is found exactly where the model allows an outcome that no
/// interleaving has, and it is none of an interleaving.
#[test]
fn outcomes_of_weak_memory_are_none_of_interleavings() {
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    let mut found = [0, 0];
    for _ in 0..400 {
        let threads = [0, 1].map(|_| (0..4).map(|_| step(&mut numbers)).collect::<Vec<Step>>());
        let text = kernel(&threads);
        let of = |[x, y, a, b]: &[u32; 4]| {
            format!("(w[0] == {x} /\\ w[1] == {y} /\\ first == {a} /\\ second == {b})")
        };
        let outcomes = outcomes(&threads);
        let finals = [outcomes.iter().map(of).collect::<Vec<_>>().join(" \\/ ")];
        let module = margay_ptx::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let plain = KernelQuestion {
            launches: &[Launch::new(2, 1)],
            ..KernelQuestion::new(&text, &module, module.kernels().next().expect("a kernel"))
        };
        let kinds = |question: &KernelQuestion<'_>| -> Vec<(FindingKind, String)> {
            let answer = ask(question).unwrap_or_else(|why| panic!("{why}\n{text}"));
            let launch = &answer.launches[0];
            let is_stale = launch.findings.iter().any(|f| f.kind == FindingKind::Stale);
            assert!(is_stale || launch.not_looked.is_empty(), "{:?}\n{text}", launch.not_looked);
            launch.findings.iter().map(|f| (f.kind, f.why[0].clone())).collect()
        };
        let is_weak = !kinds(&KernelQuestion { finals: &finals, ..plain.clone() }).is_empty();
        let shown = kinds(&KernelQuestion { weak: true, ..plain });
        // A read that is out of date is told of first, whatever memory holds in the end.
        if shown.iter().any(|(kind, _)| *kind == FindingKind::Stale) {
            continue;
        }
        assert_eq!(
            shown.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(),
            vec![FindingKind::Weak; usize::from(is_weak)],
            "{text}"
        );
        found[usize::from(is_weak)] += 1;
        for (_, why) in shown {
            let value = |name: &str| {
                let at = why.split_once(&format!("`{name}` is ")).map(|(_, rest)| rest);
                at.and_then(|rest| rest.split([',', '.']).next())
                    .map_or(0, |n| n.parse::<u32>().expect("a number"))
            };
            let outcome = ["w_0", "w_1", "first", "second"].map(value);
            assert!(!outcomes.contains(&outcome), "{outcome:?}\n{text}");
        }
    }
    assert!(found.iter().all(|n| *n >= 10), "{found:?}");
}

/// A folder of the test, with nothing in it.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn document(folder: &Path) -> Option<TestDocument> {
    open(folder).ok()?.parse().ok()
}

/// The claims of a certificate, if it is right.
fn verified(folder: &Path) -> Option<TestDocument> {
    let document = document(folder)?;
    let held = Held { known: known_models().expect("they are read"), ..Held::default() };
    let is_right = certificate::verify(&document, folder, &held, (1, |_: &TestClaim| ())).is_ok();
    is_right.then_some(document)
}

/// Is each claim what the explicit engine says?
fn agrees(document: &TestDocument) {
    let (subject, explicit) = (&document.subject, Choice::Only(Engine::Explicit));
    for claim in &document.claims {
        let file = subject.tests()[claim.test].file();
        let test = read::test(&file).expect("it was verified").test;
        let model = subject.models()[claim.model].read().expect("it was verified");
        let options = subject.given()[claim.given].options();
        let verdict = Runner::new(&model).run(&test, &options, explicit).expect("it was verified");
        assert_eq!(Expected::from(&verdict), claim.verdict(), "{}", file.text);
    }
}

/// What is not found in random kernels has a proof, which is refused once one byte of any file is
/// another one. With one byte of a test or a model another one, and the certificate sealed again,
/// what is accepted is true.
#[test]
fn what_is_not_found_has_a_proof() {
    let mut numbers = Numbers(0x5851_f42d_4c95_7f2d);
    let (folder_of, mut certified, mut refused, mut accepted) = (folder("proofs"), 0, 0, 0);
    for n in 0..24 {
        let threads = [0, 1].map(|_| (0..4).map(|_| step(&mut numbers)).collect::<Vec<Step>>());
        let text = kernel(&threads);
        let module = margay_ptx::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let folder = folder_of.join(n.to_string());
        std::fs::create_dir(&folder).expect("a folder for the kernel");
        let proofs = KernelProofs::new(&folder);
        // What no interleaving leaves may be there, and a number that nobody computes is not.
        let finals = ["w[0] != 7777".to_owned(), "first != 7777".to_owned()];
        let answer = ask(&KernelQuestion {
            launches: &[Launch::new(2, 1)],
            finals: &finals,
            proofs: Some(&proofs),
            ..KernelQuestion::new(&text, &module, module.kernels().next().expect("a kernel"))
        })
        .unwrap_or_else(|why| panic!("{why}\n{text}"));
        let launch: &LaunchAnswer = &answer.launches[0];
        if !launch.findings.is_empty() {
            continue;
        }
        let asked = launch.proofs.proved.iter().map(|q| ("k", launch.launch.to_string(), q));
        proofs.write("k.ptx", asked).expect("there is room");
        let whole = verified(&folder).unwrap_or_else(|| panic!("{text}"));
        assert!(whole.claims.len() >= finals.len(), "{:?}", launch.proofs);
        agrees(&whole);
        certified += 1;
        let entries = std::fs::read_dir(&folder).expect("a folder").map(|e| e.expect("one").path());
        let mut files: Vec<PathBuf> = entries.collect();
        files.sort();
        for file in &files {
            let bytes = std::fs::read(file).expect("a file");
            let mut changed = bytes.clone();
            let at = numbers.below(bytes.len() as u64) as usize;
            changed[at] ^= 1 << numbers.below(8);
            std::fs::write(file, &changed).expect("there is room");
            assert!(verified(&folder).is_none(), "byte {at} of {}\n{text}", file.display());
            std::fs::write(file, &bytes).expect("there is room");
        }
        for _ in 0..4 {
            let mut forged: serde_json::Value =
                open(&folder).and_then(|sealed| sealed.parse()).expect("it is whole");
            let of = ["tests", "models"][numbers.below(5) as usize / 4];
            let all = forged["subject"][of].as_array_mut().expect("a list");
            let at = numbers.below(all.len() as u64) as usize;
            let place = if of == "tests" { "/text" } else { "/model/text" };
            let text = all[at].pointer_mut(place).expect("a text");
            let mut bytes = text.as_str().expect("a text").as_bytes().to_vec();
            let byte = numbers.below(bytes.len() as u64) as usize;
            bytes[byte] = b" 0123;%,.rxw[]{}"[numbers.below(16) as usize];
            *text = String::from_utf8_lossy(&bytes).into_owned().into();
            seal(&forged, &folder).expect("there is room");
            match verified(&folder) {
                Some(document) => {
                    agrees(&document);
                    accepted += 1;
                }
                None => refused += 1,
            }
            seal(&whole, &folder).expect("there is room");
        }
    }
    assert!(certified >= 8 && refused >= 20 && accepted > 0, "{certified} {refused} {accepted}");
}

/// What some of three lanes do, those whose bits are there, one step behind the other.
#[derive(Debug, Clone, Copy)]
enum LaneStep {
    Store(usize),
    Load(usize),
    /// A barrier of these lanes, or of the block.
    Meet,
    MeetAll,
    End,
}

const LANES: usize = 3;

fn lane_step(numbers: &mut Numbers) -> (u64, LaneStep) {
    let (who, v) = (1 + numbers.below((1 << LANES) - 1), numbers.below(2) as usize);
    let step = match numbers.below(8) {
        0 | 1 => LaneStep::Store(v),
        2 => LaneStep::Load(v),
        3..=5 => LaneStep::Meet,
        6 => LaneStep::MeetAll,
        _ => LaneStep::End,
    };
    (who, step)
}

fn text_of_lanes((who, step): (u64, LaneStep)) -> String {
    let what = match step {
        LaneStep::Store(v) => format!("st.global.u32 [{}], 1;", VARIABLES[v]),
        LaneStep::Load(v) => format!("ld.global.u32 %r3, [{}];", VARIABLES[v]),
        LaneStep::Meet => format!("bar.warp.sync {who};"),
        LaneStep::MeetAll => return "barrier.sync 1;\n".to_owned(),
        LaneStep::End => "ret;".to_owned(),
    };
    format!(
        "shr.u32 %r2, {who}, %r1;\nand.b32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 {what}\n"
    )
}

/// Do two accesses to one variable, one of them a write, stand with no barrier between? A lane that
/// has ended holds nobody up.
fn has_race(steps: &[(u64, LaneStep)]) -> bool {
    let mut seen = [[0usize; LANES]; LANES];
    let mut ended = [false; LANES];
    let mut accesses: Vec<(usize, usize, usize, bool)> = Vec::new();
    for (n, &(who, step)) in steps.iter().enumerate() {
        let of = |lane: usize| {
            (who >> lane & 1 == 1 || matches!(step, LaneStep::MeetAll)) && !ended[lane]
        };
        let here: Vec<usize> = (0..LANES).filter(|&lane| of(lane)).collect();
        match step {
            LaneStep::Store(v) | LaneStep::Load(v) => {
                let writes = matches!(step, LaneStep::Store(_));
                for &lane in &here {
                    let races = |&(other, at, of, wrote): &(usize, usize, usize, bool)| {
                        other != lane && of == v && (wrote || writes) && seen[lane][other] <= at
                    };
                    if accesses.iter().any(races) {
                        return true;
                    }
                    accesses.push((lane, n, v, writes));
                }
            }
            LaneStep::Meet | LaneStep::MeetAll => {
                here.iter().for_each(|&lane| seen[lane][lane] = n + 1);
                let all: Vec<usize> = (0..LANES)
                    .map(|of| here.iter().map(|&lane| seen[lane][of]).max().unwrap_or(0))
                    .collect();
                here.iter().for_each(|&lane| seen[lane].copy_from_slice(&all));
            }
            LaneStep::End => here.iter().for_each(|&lane| ended[lane] = true),
        }
    }
    false
}

/// Lanes of a warp that meet in groups, and some of which end: a data race is found exactly where
/// no barrier is between two accesses.
#[test]
fn races_of_lanes_are_those_without_a_barrier_between() {
    let mut numbers = Numbers(0x1d87_2b41_9c35_e07f);
    let mut found = [0, 0];
    for _ in 0..400 {
        let steps: Vec<(u64, LaneStep)> = (0..7).map(|_| lane_step(&mut numbers)).collect();
        let body: String = steps.iter().map(|&step| text_of_lanes(step)).collect();
        let text = format!(
            ".version 8.5\n.target sm_90\n.address_size 64\n.global .align 4 .b8 w[8];\n.visible .entry k()\n{{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n\
             mov.u32 %r1, %tid.x;\n{body}ret;\n}}\n"
        );
        let module = margay_ptx::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let question = KernelQuestion {
            launches: &[Launch::new(1, LANES as u32)],
            ..KernelQuestion::new(&text, &module, 0)
        };
        let answer = ask(&question).unwrap_or_else(|why| panic!("{why}\n{text}"));
        let kinds: Vec<FindingKind> = answer.launches[0].findings.iter().map(|f| f.kind).collect();
        let is_racy = has_race(&steps);
        let expected = if is_racy { vec![FindingKind::Race] } else { Vec::new() };
        assert_eq!(kinds, expected, "{steps:?}\n{:?}\n{text}", answer.launches[0].not_looked);
        assert!(answer.is_settled(false) || is_racy, "{:?}\n{text}", answer.launches[0].not_looked);
        found[usize::from(is_racy)] += 1;
    }
    assert!(found.iter().all(|n| *n >= 50), "{found:?}");
}
