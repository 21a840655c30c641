//! Whatever the weak machine shows, `ptx-8` allows: random programs of a few threads in a few
//! blocks, each both a kernel that the machine runs under many seeds and a litmus test whose
//! outcomes the model is asked about.

mod of_pairs;
mod of_scopes;

use std::collections::BTreeMap;

use fastrand::Rng;
use margay_litmus::explicit::{ExplicitRunner, Options};
use margay_litmus::read;
use margay_machine::ReorderedPair::{LoadLoad, LoadStore, StoreLoad, StoreStore};
use margay_machine::{LaunchSize, MachineModule, MemoryKind, Schedule};
use margay_models::diagnostic::SourceFile;
use margay_models::library;

/// How many random programs; `MARGAY_CASES` for more.
fn cases() -> u64 {
    std::env::var("MARGAY_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(120)
}

/// How many runs of each.
const RUNS: u64 = 300;

const LOCATIONS: [&str; 3] = ["x", "y", "z"];

/// Threads in blocks, and for each its instructions, in which locations are names and results `r0`,
/// `r1`, ..
struct SmallProgram {
    blocks: u32,
    threads: u32,
    /// How many blocks are there at once.
    places: u32,
    /// Is `z` in shared memory?
    z_is_shared: bool,
    /// Is `y` right behind `x`, in the same eight bytes?
    are_neighbours: bool,
    /// `[thread]`
    code: Vec<Vec<String>>,
    /// `[thread]`: how many results it has.
    results: Vec<usize>,
}

/// The classic shapes, each thread's accesses in order: what a thread writes or reads.
const SHAPES: [&[&str]; 10] = [
    &["Wx Wy", "Ry Rx"],
    &["Wx Ry", "Wy Rx"],
    &["Rx Wy", "Ry Wx"],
    &["Wx Wy", "Wy Wx"],
    &["Wx Wy", "Wy Rx"],
    &["Wx Wy", "Ry Wx"],
    &["Wx", "Rx Wy", "Ry Rx"],
    &["Wx Wy", "Ry Wz", "Rz Rx"],
    &["Wx Wy", "Wy Wz", "Rz Rx"],
    &["Wx", "Wy", "Rx Ry", "Ry Rx"],
];

/// What makes the code of a random program.
struct CodeWriter<'r> {
    rng: &'r mut Rng,
    scopes_of_accesses: [&'static str; 4],
    scopes_of_fences: [&'static str; 4],
    /// The next value, which no other store has.
    next: u32,
    modifications: u32,
    /// Results of the thread that is written.
    reads: usize,
    /// The locations that it has.
    locations: usize,
}

impl CodeWriter<'_> {
    fn of(&mut self, all: [&str; 4]) -> String {
        all[self.rng.usize(..4)].to_owned()
    }

    fn store(&mut self, location: &str) -> String {
        let scope = self.of(self.scopes_of_accesses);
        let order =
            self.of(["weak", &format!("relaxed.{scope}"), &format!("release.{scope}"), "volatile"]);
        self.next += 1;
        format!("st.{order}.u32 {location}, {}", self.next - 1)
    }

    fn load(&mut self, location: &str) -> String {
        let scope = self.of(self.scopes_of_accesses);
        let order =
            self.of(["weak", &format!("relaxed.{scope}"), &format!("acquire.{scope}"), "volatile"]);
        self.reads += 1;
        format!("ld.{order}.u32 r{}, {location}", self.reads - 1)
    }

    fn modification(&mut self, location: &str) -> String {
        self.modifications += 1;
        let order = self.of(["relaxed", "acquire", "release", "acq_rel"]);
        let scope = self.of(self.scopes_of_accesses);
        let change = self.of(["exch.b32", "add.u32", "exch.b32", "cas.b32"]);
        self.next += 1;
        self.reads += 1;
        let compared =
            if change == "cas.b32" { format!("{}, ", self.rng.u32(..2)) } else { String::new() };
        format!(
            "atom.{order}.{scope}.{change} r{}, {location}, {compared}{}",
            self.reads - 1,
            self.next - 1
        )
    }

    fn reduction(&mut self, location: &str) -> String {
        self.modifications += 1;
        let scope = self.of(self.scopes_of_accesses);
        self.next += 1;
        format!(
            "red.{}.{scope}.add.u32 {location}, {}",
            self.of(["relaxed", "release", "relaxed", "release"]),
            self.next - 1
        )
    }

    fn fence(&mut self) -> String {
        if self.rng.usize(..6) == 0 {
            return format!("membar.{}", self.of(["cta", "gl", "gl", "sys"]));
        }
        let scope = self.of(self.scopes_of_fences);
        format!("fence.{}.{scope}", self.of(["sc", "acq_rel", "acquire", "release"]))
    }

    fn any(&mut self) -> String {
        let location = LOCATIONS[self.rng.usize(..self.locations)];
        match self.rng.usize(..10) {
            0..3 => self.store(location),
            3..6 => self.load(location),
            // Of many on one location the engine takes minutes.
            6 if self.modifications < 5 => self.reduction(location),
            6..8 if self.modifications < 5 => self.modification(location),
            _ => self.fence(),
        }
    }

    /// The accesses of a thread of a shape, with fences and others between them.
    fn of_shape(&mut self, accesses: &str) -> Vec<String> {
        let mut lines = Vec::new();
        for (n, access) in accesses.split(' ').enumerate() {
            if n > 0 {
                for _ in 0..self.rng.usize(..3) {
                    let fence = self.rng.bool();
                    lines.push(if fence { self.fence() } else { self.any() });
                }
            }
            let location =
                if self.locations == 3 { &access[1..] } else { access[1..].trim_matches('z') };
            let location = if location.is_empty() { "y" } else { location };
            lines.push(
                match (access.starts_with('W'), self.modifications < 5 && self.rng.usize(..4) == 0)
                {
                    (_, true) => self.modification(location),
                    (true, false) => self.store(location),
                    (false, false) => self.load(location),
                },
            );
        }
        lines
    }

    /// Some instructions, and where all threads of a block meet between them, if they do.
    fn of_nothing(&mut self, meeting: Option<&str>) -> Vec<String> {
        let length = 2 + self.rng.usize(..3);
        let mut lines: Vec<String> = (0..length).map(|_| self.any()).collect();
        if let Some(meeting) = meeting {
            lines.insert(self.rng.usize(..=length), meeting.to_owned());
        }
        lines
    }
}

impl SmallProgram {
    fn random(rng: &mut Rng) -> Self {
        let shape = rng.bool().then(|| SHAPES[rng.usize(..SHAPES.len())]);
        let (blocks, threads) = match shape.map(<[&str]>::len) {
            None => [(2, 1), (1, 2), (2, 2), (3, 1), (1, 3)][rng.usize(..5)],
            Some(2) => [(2, 1), (2, 1), (1, 2)][rng.usize(..3)],
            Some(3) => [(3, 1), (2, 2), (1, 3)][rng.usize(..3)],
            Some(_) => [(4, 1), (2, 2)][rng.usize(..2)],
        };
        // Then it is that of the first block.
        let z_is_shared = threads > 1 && rng.bool();
        // In half of the programs most accesses are of one scope, and most fences of another.
        let scopes = [
            ["cta", "gpu", "gpu", "sys"],
            ["cta", "cta", "cta", "gpu"],
            ["gpu", "gpu", "gpu", "cta"],
        ];
        let (of_accesses, of_fences) = [(0, 0), (0, 0), (1, 2), (2, 1)][rng.usize(..4)];
        let locations = if shape.is_some() { 3 } else { 2 + rng.usize(..2) };
        let meeting =
            [Some("bar"), Some("shuffle"), None, None][rng.usize(..4)].filter(|_| threads > 1);
        let are_neighbours = rng.usize(..3) == 0;
        let mut writer = CodeWriter {
            rng,
            scopes_of_accesses: scopes[of_accesses],
            scopes_of_fences: scopes[of_fences],
            next: 1,
            modifications: 0,
            reads: 0,
            locations,
        };
        let (mut code, mut results) = (Vec::new(), Vec::new());
        for t in 0..(blocks * threads) as usize {
            writer.reads = 0;
            writer.locations = if z_is_shared && t >= threads as usize { 2 } else { locations };
            code.push(match shape {
                None => writer.of_nothing(meeting),
                // A thread more than the shape has does nothing.
                Some(shape) => {
                    shape.get(t).map_or(Vec::new(), |accesses| writer.of_shape(accesses))
                }
            });
            results.push(writer.reads);
        }
        Self { blocks, threads, places: 8, z_is_shared, are_neighbours, code, results }
    }

    /// A kernel: each thread does its part and stores its results.
    fn kernel(&self) -> String {
        let mut text = String::from(
            ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry test(.param .u64 px, .param .u64 py, .param .u64 pz, .param .u64 po, .param .u64 pd)\n{\n\
             .reg .b32 %r<40>;\n.reg .b64 %x, %y, %z, %o, %d;\n.reg .pred %p;\n\
             ld.param.u64 %x, [px];\nld.param.u64 %y, [py];\nld.param.u64 %z, [pz];\nld.param.u64 %o, [po];\n\
             mov.u32 %r30, %ctaid.x;\nmov.u32 %r31, %ntid.x;\nmov.u32 %r32, %tid.x;\nmad.lo.s32 %r33, %r30, %r31, %r32;\n\
             ld.param.u64 %d, [pd];\nmul.lo.u32 %r34, %r33, 16;\nshr.u64 %d, %d, %r34;\nand.b64 %d, %d, 65535;\n\
             WAIT:\nsetp.eq.u64 %p, %d, 0;\n@%p bra GO;\nsub.s64 %d, %d, 1;\nbra WAIT;\nGO:\n",
        );
        if self.z_is_shared {
            // It holds anything at the start.
            text = text.replace(".visible", ".shared .u32 zs;\n.visible")
                + "mov.u64 %z, zs;\ncvta.shared.u64 %z, %z;\nst.u32 [%z], 0;\nbar.sync 0;\n";
        }
        for (t, lines) in self.code.iter().enumerate() {
            text += &format!("setp.ne.u32 %p, %r33, {t};\n@%p bra L{t};\n");
            for line in lines {
                let line = match line.split_once(' ') {
                    _ if line == "bar" => "bar.sync 0".to_owned(),
                    _ if line == "shuffle" => {
                        format!("shfl.sync.idx.b32 %r35, %r33, 0, 31, {}", (1 << self.threads) - 1)
                    }
                    Some((operation, operands)) => {
                        let operands = operands.split(", ").map(|o| match o.as_bytes()[0] {
                            b'r' => format!("%{o}"),
                            b'x' | b'y' | b'z' => format!("[%{o}]"),
                            _ => o.to_owned(),
                        });
                        format!("{operation} {}", operands.collect::<Vec<_>>().join(", "))
                    }
                    None => line.clone(),
                };
                text += &format!("{line};\n");
            }
            for r in 0..self.results[t] {
                text += &format!("st.u32 [%o+{}], %r{r};\n", (t * 8 + r) * 4);
            }
            text += &format!("ret;\nL{t}:\n");
        }
        text + "ret;\n}\n"
    }

    /// The litmus test that asks about an outcome.
    fn litmus(&self, condition: &str) -> String {
        let threads: Vec<String> = (0..self.code.len())
            .map(|t| format!("P{t}@cta {},gpu 0", t / self.threads as usize))
            .collect();
        let space = if self.z_is_shared { "shared" } else { "global" };
        let mut text = format!(
            "PTX t\n{{ global x=0; global y=0; {space} z=0; }}\n {} ;\n",
            threads.join(" | ")
        );
        for row in 0..self.code.iter().map(Vec::len).max().unwrap_or(0) {
            let cells =
                self.code.iter().map(|lines| match lines.get(row).map_or("", String::as_str) {
                    "bar" => "bar.cta.sync 0",
                    // It orders nothing.
                    "shuffle" => "",
                    other => other,
                });
            text += &format!(" {} ;\n", cells.collect::<Vec<_>>().join(" | "));
        }
        text + "exists (" + condition + ")\n"
    }

    /// An outcome of a run: the results, and what is in memory at the end.
    fn run(&self, memory: MemoryKind, seed: u64) -> String {
        let mut device = MachineModule::read(&self.kernel())
            .unwrap_or_else(|e| panic!("{e}\n{}", self.kernel()));
        let mut arrays: Vec<u64> =
            (0..3).map(|_| device.memory.allocate("given", 8).unwrap()).collect();
        if self.are_neighbours {
            arrays[1] = arrays[0] + 4;
        }
        let out = device.memory.allocate("given", 4 * 8 * self.code.len() as u64).unwrap();
        // Each thread begins a while later than another one.
        let mut rng = Rng::with_seed(seed);
        let late = (0..4).fold(0u64, |all, t| all | [0, 3, 20, 80][rng.usize(..4)] << (16 * t));
        let arguments: Vec<Vec<u8>> =
            arrays.iter().chain([&out, &late]).map(|a| a.to_le_bytes().to_vec()).collect();
        let launch = LaunchSize {
            blocks: [self.blocks, 1, 1],
            threads: [self.threads, 1, 1],
            dynamic_shared: 0,
        };
        let schedule = Schedule { seed, memory, places: self.places, steps: 100_000 };
        device
            .launch("test", launch, &arguments, &schedule)
            .unwrap_or_else(|e| panic!("{e:?}\n{}", self.kernel()));
        let word = |address: u64| {
            u32::from_le_bytes(device.memory.read(address, 4).unwrap().try_into().unwrap())
        };
        // Shared memory is gone when the kernel has ended.
        let global = if self.z_is_shared { 2 } else { 3 };
        let mut parts: Vec<String> =
            (0..global).map(|n| format!("{} == {}", LOCATIONS[n], word(arrays[n]))).collect();
        for (t, &results) in self.results.iter().enumerate() {
            parts.extend(
                (0..results)
                    .map(|r| format!("P{t}:r{r} == {}", word(out + ((t * 8 + r) * 4) as u64))),
            );
        }
        parts.join(" /\\ ")
    }
}

impl SmallProgram {
    /// A program whose threads have this code, instructions between `; `.
    fn of(blocks: u32, threads: u32, code: &[&str]) -> Self {
        let code: Vec<Vec<String>> =
            code.iter().map(|lines| lines.split("; ").map(str::to_owned).collect()).collect();
        let results = |lines: &Vec<String>| {
            (0..8).filter(|r| lines.iter().any(|l| l.contains(&format!(" r{r}, ")))).count()
        };
        let results = code.iter().map(results).collect();
        Self {
            blocks,
            threads,
            places: 8,
            z_is_shared: false,
            are_neighbours: false,
            code,
            results,
        }
    }

    /// In how many of so many runs the condition holds at the end.
    fn count(&self, memory: MemoryKind, runs: u64, condition: &str) -> usize {
        let holds = |outcome: String| {
            condition.split(" /\\ ").all(|part| outcome.split(" /\\ ").any(|other| other == part))
        };
        (0..runs).filter(|&seed| holds(self.run(memory, seed))).count()
    }
}

#[test]
fn whatever_the_weak_machines_show_the_model_allows() {
    let model = library::load("ptx-8", &[]).unwrap().model;
    let consistent = library::load("sc", &[]).unwrap().model;
    let mut runner = ExplicitRunner::new(&model);
    let mut strong = ExplicitRunner::new(&consistent);
    let mut rng = Rng::with_seed(0x6d61_7267_6179);
    let mut weak_ones = 0;
    for case in 0..cases() {
        let program = SmallProgram::random(&mut rng);
        let mut outcomes = BTreeMap::new();
        let pairs = [StoreStore, StoreLoad, LoadLoad, LoadStore].map(MemoryKind::Reordering);
        for (memory, runs) in
            [(MemoryKind::Weak, RUNS)].into_iter().chain(pairs.map(|pair| (pair, RUNS / 6)))
        {
            for seed in 0..runs {
                outcomes.entry(program.run(memory, seed)).or_insert((memory.name(), seed));
            }
        }
        for (outcome, seed) in outcomes {
            let text = program.litmus(&outcome);
            let test = read::test(&SourceFile::new("t", &text))
                .unwrap_or_else(|e| panic!("{}\n{text}", e[0]))
                .test;
            let verdict =
                runner.run(&test, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
            assert!(
                verdict.reachable,
                "program {case}, {seed:?}: the machine shows what ptx-8 forbids\n{text}"
            );
            weak_ones += u32::from(!strong.run(&test, &Options::default()).unwrap().reachable);
        }
    }
    assert!(
        u64::from(weak_ones) > cases() / 2,
        "only {weak_ones} outcomes that sequential consistency does not have"
    );
}

/// Each thread reads what the other stores behind its load.
const BUFFERED: &str = "P0:r0 == 1 /\\ P1:r0 == 1";

const MESSAGE_TAKEN: &str = "ld.relaxed.cta.u32 r0, y; fence.acq_rel.gpu; ld.weak.u32 r1, x";
const STRONG_MESSAGE_TAKEN: &str = "ld.relaxed.gpu.u32 r0, y; fence.acq_rel.gpu; ld.weak.u32 r1, x";
const STALE_MESSAGE: &str = "P1:r0 == 1 /\\ P1:r1 == 0";

#[test]
fn the_other_machine_is_sequentially_consistent() {
    let model = library::load("sc", &[]).unwrap().model;
    let mut runner = ExplicitRunner::new(&model);
    let mut rng = Rng::with_seed(7);
    for case in 0..cases() / 4 {
        let program = SmallProgram::random(&mut rng);
        let outcomes: BTreeMap<String, u64> = (0..RUNS / 4)
            .map(|seed| (program.run(MemoryKind::SequentiallyConsistent, seed), seed))
            .collect();
        for (outcome, seed) in outcomes {
            let text = program.litmus(&outcome);
            let test = read::test(&SourceFile::new("t", &text))
                .unwrap_or_else(|e| panic!("{}\n{text}", e[0]))
                .test;
            let verdict = runner.run(&test, &Options::default()).unwrap();
            assert!(
                verdict.reachable,
                "program {case}, seed {seed}: not sequentially consistent\n{text}"
            );
        }
    }
}
