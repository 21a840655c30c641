//! `margay gpu`: litmus tests on devices.

use margay_runner::tune;

use crate::document::{parts, present};
use crate::sim::SimulatedOutcome;
use crate::verdict::Verdict;

parts! {
    /// `margay gpu emit`: the kernel of a test.
    pub struct EmittedKernel {
        /// The file as named.
        pub file: String,
        /// The test's name.
        pub name: String,
        /// The target.
        pub target: String,
        /// Every setting.
        pub environment: String,
        /// Are the accesses written apart?
        pub apart: bool,
        /// The text.
        pub ptx: String,
        /// CTAs.
        pub grid: u32,
        /// Threads in a CTA.
        pub block: u32,
        /// CTAs in a cluster.
        pub cluster: u32,
        /// Instances that count in a launch.
        pub instances: u32,
        /// Memory that it needs.
        pub memory_bytes: u64,
        /// Memory for results.
        pub results_bytes: u64,
    }

    /// `margay gpu emit --language opencl`: a test as source.
    pub struct EmittedSource {
        /// The file as named.
        pub file: String,
        /// The test's name.
        pub name: String,
        /// `opencl`.
        pub language: String,
        /// The text.
        pub source: String,
    }

    /// `margay gpu check`: a test on a target.
    pub struct TargetCheck {
        /// The file as named.
        pub file: String,
        /// The test's name.
        pub name: String,
        /// The target.
        pub target: String,
        /// `equal`, `different`, `assembled`: there is no disassembler, or `unsupported`: the
        /// target has not what the test needs.
        pub verdict: Verdict,
        /// Accesses, fences and barriers that were compared, where they are equal.
        pub compared: Option<usize>,
        /// The optimisation level.
        pub level: Option<u8>,
        /// Are the accesses written apart?
        pub apart: Option<bool>,
        /// Where the code waits and the test does not, sentences.
        pub narrowed: Vec<String>,
        /// What differs, sentences.
        pub differences: Vec<String>,
        /// Why it was not compared.
        pub reason: Option<String>,
        /// With `--explain`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub explained: Option<Explained>,
    }

    /// A test beside its machine code.
    pub struct Explained {
        /// How many instructions wait for a result that they use.
        pub uses_waited_for: usize,
        /// Those that fail to: the control words are not understood. Sentences.
        pub uses_not_waited_for: Vec<String>,
        /// The threads.
        pub threads: Vec<ThreadRecord>,
    }

    /// A thread beside its machine code.
    pub struct ThreadRecord {
        /// What the test does.
        pub effects: Vec<String>,
        /// What differs, sentences.
        pub differences: Vec<String>,
        /// The machine code.
        pub code: Vec<MachineInstruction>,
        /// What may overlap.
        pub pairs: Vec<EffectPair>,
    }

    /// An instruction of the machine code.
    pub struct MachineInstruction {
        /// Its address.
        pub address: u32,
        /// Its text.
        pub text: String,
        /// Its control word; null where there is none.
        pub control: Option<ControlRecord>,
        /// Which of `effects` it is, from 0.
        pub effect: Option<usize>,
    }

    /// A control word.
    pub struct ControlRecord {
        /// Its text.
        pub text: String,
        /// The scoreboards that are waited for.
        pub waits: Vec<u8>,
        /// The one that is released when the operands have been read.
        pub read: Option<u8>,
        /// The one that is released when the result is there.
        pub write: Option<u8>,
        /// Is another warp preferred?
        pub yields: bool,
        /// Cycles until the next instruction.
        pub stall: u8,
        /// The operands that are reused, as bits.
        pub reuse: u8,
    }

    /// Two effects of a thread.
    pub struct EffectPair {
        /// The earlier one, by its place in `effects`, from 0.
        pub first: usize,
        /// The later one.
        pub second: usize,
        /// Does the code let them overlap?
        pub overlap: bool,
        /// Does the test order them?
        pub ordered_by_the_test: bool,
        /// Why.
        pub why: String,
    }

    /// What a line of results is the answer to.
    pub struct CampaignQuestion {
        /// The file as named.
        pub file: String,
        /// The device.
        pub device: String,
        /// Is it no hardware?
        pub simulated: bool,
        /// The target of its kernels.
        pub target: Option<String>,
        /// The driver.
        pub driver: Option<String>,
        /// Every setting; null for a device without settings.
        pub environment: Option<String>,
        /// The seed.
        pub seed: u64,
        /// The instances that were asked for.
        pub asked_instances: u64,
        /// The digest of the program of `--compiled`.
        pub compiled: Option<String>,
        /// The model that outcomes were compared with.
        pub model: Option<String>,
        /// Of `gpu table6`: the column, from 1; null for a device without settings.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
        #[cfg_attr(feature = "schema", schemars(with = "Option<usize>"))]
        pub table6_column: Option<Option<usize>>,
    }

    /// What a test showed on a device: a line that `margay gpu run` prints and adds to the file of
    /// results.
    pub struct MeasuredLine {
        /// What it is the answer to.
        #[serde(flatten)]
        pub question: CampaignQuestion,
        /// The test's name.
        pub name: String,
        /// The device's clocks, as read.
        pub clocks: Option<ClockRecord>,
        /// The digest of the kernel's text.
        pub kernel: Option<String>,
        /// What assembled it and how: `ptxas -O3, accesses apart`.
        pub assembler: Option<String>,
        /// The optimisation level.
        pub level: Option<u8>,
        /// How many accesses, fences and barriers of its machine code were compared with the test.
        pub compared: Option<usize>,
        /// Where the code waits and the test does not, sentences.
        pub narrowed: Option<Vec<String>>,
        /// Instances that were run.
        pub instances: u64,
        /// Did Ctrl-C come in the middle?
        pub interrupted: bool,
        /// Launches.
        pub launches: u64,
        /// Instances with a thread that did not end.
        pub stuck: u64,
        /// Instances whose values had no room.
        pub uncounted: u64,
        /// Launches and reduction.
        pub seconds: f64,
        /// Did the model stop at a bound, so that it may allow more?
        pub bounded: bool,
        /// Was something seen that the model forbids?
        pub violation: bool,
        /// The outcomes.
        pub outcomes: Vec<SimulatedOutcome>,
        /// With a violation: the text of the test.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub test: Option<String>,
        /// With a violation: the text of the kernel.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
        #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
        pub ptx: Option<Option<String>>,
        /// With a violation: the machine code; null where it was not read.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
        #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
        pub sass: Option<Option<String>>,
    }

    /// Clocks of a device.
    pub struct ClockRecord {
        /// Of the multiprocessors.
        pub core_khz: u32,
        /// Of the memory.
        pub memory_khz: u32,
    }

    /// A test at which the device failed: a line of the file of results. The next run passes over
    /// it.
    pub struct FailedTest {
        /// What it is the answer to.
        #[serde(flatten)]
        pub question: CampaignQuestion,
        /// Why.
        pub failed: String,
    }

    /// A cell of `margay gpu table6`.
    #[serde(transparent)]
    pub struct Table6CellRecord(pub MeasuredLine);

    /// `margay gpu summary`.
    pub struct SummaryDocument {
        /// First those that show what a model forbids, then by `rate`.
        pub tests: Vec<TestTotals>,
        /// With `--seen-elsewhere`: beside what others saw.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub seen_elsewhere: Option<ElsewhereRecord>,
    }

    /// What others saw, beside what is seen here.
    pub struct ElsewhereRecord {
        /// The table of published outcomes.
        pub table: String,
        /// The devices of the others.
        pub devices: Vec<String>,
        /// The models that the results here were compared with.
        pub models: Vec<String>,
        /// For each shape, and last for all of them.
        pub shapes: Vec<ElsewhereTotals>,
        /// Each published test.
        pub tests: Vec<ElsewhereTest>,
        /// Tests of the results that are not in the table, by file.
        pub unpublished: Vec<String>,
    }

    /// Numbers of published tests.
    pub struct ElsewhereTotals {
        /// The shape; `all` for all.
        pub shape: String,
        /// Published tests.
        pub tests: u64,
        /// Those whose outcome others saw, on any device.
        pub seen_by_others: u64,
        /// The same for each of `devices`.
        pub seen_on: Vec<u64>,
        /// Those that were run here.
        pub run_here: u64,
        /// Those whose outcome was seen here.
        pub seen_here: u64,
        /// Those whose outcome others saw and that was seen here.
        pub seen_by_both: u64,
        /// Those that were run here and whose outcome the model forbids; null if none was compared
        /// with a model.
        pub forbidden: Option<u64>,
    }

    /// A published test.
    pub struct ElsewhereTest {
        /// Its name.
        pub name: String,
        /// Its shape.
        pub shape: String,
        /// The devices on which others saw its outcome.
        pub seen_on: Vec<String>,
        /// Does its authors' model allow the outcome?
        pub allowed_by_authors: bool,
        /// How often it was seen here.
        pub asked: u64,
        /// Instances that were run here; 0 if it was not run.
        pub instances: u64,
        /// Does the model forbid the outcome? Null if it was not run, not compared with a model, or
        /// the model stopped at a bound.
        pub forbidden: Option<bool>,
    }

    /// What all lines of a test come to.
    pub struct TestTotals {
        /// The file as named.
        pub file: String,
        /// How often what the test asks about was seen.
        pub asked: u64,
        /// Instances that were run.
        pub instances: u64,
        /// One of so many instances showed it; 0 if none did.
        pub rate: f64,
        /// Instances a second.
        pub instances_a_second: f64,
        /// Lines.
        pub runs: u64,
        /// Was something seen that a model forbids?
        pub violation: bool,
        /// Why the device failed at it.
        pub failed: Option<String>,
        /// Was one of the devices no hardware?
        pub simulated: bool,
    }

    /// `margay gpu tune`.
    pub struct Tuned {
        /// The fields of the file that is written.
        pub profile: ProfileRecord,
        /// The tests.
        pub tests: Vec<String>,
        /// For each test the weak outcomes by place of stress.
        pub places: Vec<StressPlacesRecord>,
        /// For each test the size that most patches have.
        pub patches: Vec<Option<u32>>,
        /// Sequences of accesses, and what they scored.
        pub sequences: Vec<ScoreRecord>,
        /// Spreads, and what they scored.
        pub spreads: Vec<ScoreRecord>,
    }

    /// A device profile.
    pub struct ProfileRecord {
        /// The version of the file.
        pub version: u32,
        /// The most effective environment.
        pub environment: String,
        /// The device.
        pub device: ProfiledDeviceRecord,
        /// The parameters of systematic stress.
        pub stress: StressRecord,
        /// How often each test was seen to be weak in the environments that were compared at the
        /// end, most effective first.
        pub compared: Vec<EnvironmentScore>,
    }

    /// The device that was tuned for.
    pub struct ProfiledDeviceRecord {
        /// The name.
        pub name: String,
        /// The target of its kernels.
        pub target: Option<String>,
        /// The driver.
        pub driver: Option<String>,
        /// Is it no hardware?
        pub simulated: bool,
    }

    /// The parameters of systematic stress; null where none was found.
    pub struct StressRecord {
        /// The critical patch size, in words.
        pub patch: Option<u32>,
        /// The access sequence.
        pub sequence: Option<String>,
        /// The spread.
        pub spread: Option<u32>,
    }

    /// An environment and what it showed.
    pub struct EnvironmentScore {
        /// What it is.
        pub name: String,
        /// Every setting.
        pub environment: String,
        /// Weak outcomes a second, for each of `tests`.
        pub weak_per_second: Vec<u64>,
        /// The tests.
        pub tests: Vec<String>,
    }

    /// Weak outcomes of a test by place of stress.
    pub struct StressPlacesRecord {
        /// The places.
        pub places: Vec<u32>,
        /// Pairs of a distance and the weak outcomes at each place.
        pub runs: Vec<(u32, Vec<u64>)>,
    }

    /// What something scored.
    pub struct ScoreRecord {
        /// What.
        pub name: String,
        /// For each test.
        pub scores: Vec<u64>,
    }
}

impl CampaignQuestion {
    /// Does a line with this question answer another one? One that does not ask for a column is
    /// answered whatever the column is.
    pub fn answers(&self, asked: &Self) -> bool {
        match asked.table6_column {
            None => Self { table6_column: None, ..self.clone() } == *asked,
            Some(_) => self == asked,
        }
    }
}

impl From<&tune::Profile> for ProfileRecord {
    fn from(profile: &tune::Profile) -> Self {
        let tune::Profile { version, environment, device, stress, compared } = profile;
        let tune::ProfiledDevice { name, target, driver, simulated } = device.clone();
        let tune::SystematicStress { patch, sequence, spread } = stress.clone();
        let one = |c: &tune::ComparedEnvironment| {
            let tune::ComparedEnvironment { name, environment, weak_per_second, tests } = c.clone();
            EnvironmentScore { name, environment, weak_per_second, tests }
        };
        Self {
            version: *version,
            environment: environment.clone(),
            device: ProfiledDeviceRecord { name, target, driver, simulated },
            stress: StressRecord { patch, sequence, spread },
            compared: compared.iter().map(one).collect(),
        }
    }
}
